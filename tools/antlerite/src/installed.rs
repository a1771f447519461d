//! Where Antlerite's own files are.

use crate::error::Error;
use std::path::{Path, PathBuf};

/// The loader hooks for programs that carry a static runtime.
pub const INTERPOSE: &str = "libantlerite_interpose.so";
/// The driver library, by which a folder is known to be ours.
pub const DRIVER: &str = "libcuda.so.1";

/// The folder of the libraries: `../lib` of this program's, or beside it.
///
/// # Errors
/// None of the places has them.
pub fn libraries() -> Result<PathBuf, Error> {
    let own = std::env::current_exe().and_then(std::fs::canonicalize);
    let own = own.map_err(|why| Error::File {
        path: "/proc/self/exe".into(),
        why,
    })?;
    let folder = own.parent().unwrap_or(Path::new("/"));
    find(&places(folder))
}

fn places(folder: &Path) -> Vec<PathBuf> {
    let mut places = Vec::new();
    if let Some(root) = folder.parent() {
        places.push(root.join("lib"));
        places.push(root.join("lib/antlerite/lib"));
    }
    places.push(folder.to_owned());
    places
}

fn find(places: &[PathBuf]) -> Result<PathBuf, Error> {
    let found = places.iter().find(|place| place.join(DRIVER).exists());
    found.cloned().ok_or_else(|| {
        let looked: Vec<_> = places
            .iter()
            .map(|place| place.display().to_string())
            .collect();
        Error::NoLibraries(looked.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_beside_the_programs() {
        let root = tempfile::tempdir().expect("a folder");
        let bin = root.path().join("bin");
        let lib = root.path().join("lib");
        std::fs::create_dir_all(&bin).expect("made");
        std::fs::create_dir_all(&lib).expect("made");
        assert!(matches!(find(&places(&bin)), Err(Error::NoLibraries(_))));
        std::fs::write(lib.join(DRIVER), b"").expect("written");
        assert_eq!(find(&places(&bin)).expect("found"), lib);
    }
}
