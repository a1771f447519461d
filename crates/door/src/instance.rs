//! Where a server lives: one per (uid, instance), in a directory that only its user can enter.

use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::DoorError;

/// Name of the door's socket in the instance directory.
pub const SOCKET: &str = "kmd.sock";
/// Name of the management socket.
pub const MANAGE_SOCKET: &str = "manage.sock";
/// Name of the lock that whoever starts or ends a server holds.
pub const LOCK: &str = "start.lock";
/// Name of the kernel log.
pub const LOG: &str = "dmesg";
/// Name of the server's own output.
pub const OUTPUT: &str = "kmd.out";

/// Directory of all instances of this user: `$XDG_RUNTIME_DIR/antlerite`, else `/tmp/antlerite-UID`. Created if absent.
///
/// # Errors
/// [`DoorError::Permission`] when it is not a directory of ours (a link, another owner), [`DoorError::Os`].
pub fn base_dir() -> Result<PathBuf, DoorError> {
    let uid = rustix::process::getuid().as_raw();
    let runtime = std::env::var_os("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .filter(|dir| {
            dir.is_absolute() && std::fs::metadata(dir).is_ok_and(|m| m.is_dir() && m.uid() == uid)
        });
    let dir = match runtime {
        Some(runtime) => runtime.join("antlerite"),
        None => PathBuf::from(format!("/tmp/antlerite-{uid}")),
    };
    private_dir(&dir)?;
    Ok(dir)
}

/// Creates `dir` with mode 0700 or checks that it is ours.
///
/// # Errors
/// As [`base_dir`].
pub fn private_dir(dir: &Path) -> Result<(), DoorError> {
    let os = |what| {
        move |error: std::io::Error| DoorError::Os {
            what,
            errno: error.raw_os_error().unwrap_or(libc::EIO),
        }
    };
    match std::fs::DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(os("creating the instance directory")(error)),
    }
    let meta = std::fs::symlink_metadata(dir).map_err(os("looking at the instance directory"))?;
    let refuse = |why: &str| Err(DoorError::Permission(format!("{}: {why}", dir.display())));
    if !meta.is_dir() {
        return refuse("is not a directory (links are not followed)");
    }
    if meta.uid() != rustix::process::getuid().as_raw() {
        return refuse("belongs to another user");
    }
    if meta.mode() & 0o077 != 0 {
        let mut mode = meta.permissions();
        mode.set_mode(0o700);
        std::fs::set_permissions(dir, mode).map_err(os("closing the instance directory"))?;
    }
    Ok(())
}

/// Name of the instance: `ANTLERITE_INSTANCE`, else a hash of the configuration and of the server's program, so that
/// different configurations and builds never share a server by accident.
///
/// # Errors
/// [`DoorError::Permission`] when `ANTLERITE_INSTANCE` is not a plain name.
pub fn name(kmd: Option<&Path>) -> Result<String, DoorError> {
    if let Some(name) = std::env::var_os("ANTLERITE_INSTANCE").filter(|n| !n.is_empty()) {
        let name = name.to_string_lossy().into_owned();
        let plain = name.len() <= 40
            && !name.starts_with('.')
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
        if !plain {
            return Err(DoorError::Permission(format!(
                "ANTLERITE_INSTANCE={name}: use at most 40 letters, digits, '-', '_' and '.'"
            )));
        }
        return Ok(name);
    }
    let mut hash = Fnv::default();
    for variable in CONFIGURATION {
        hash.add(
            std::env::var_os(variable)
                .unwrap_or_default()
                .as_encoded_bytes(),
        );
    }
    if let Some(kmd) = kmd {
        let path = std::fs::canonicalize(kmd).unwrap_or_else(|_| kmd.to_path_buf());
        hash.add(path.as_os_str().as_encoded_bytes());
        if let Ok(meta) = std::fs::metadata(&path) {
            hash.add(&meta.len().to_le_bytes());
            hash.add(&meta.mtime().to_le_bytes());
            hash.add(&meta.mtime_nsec().to_le_bytes());
        }
    }
    Ok(format!("i{:016x}", hash.0))
}

/// Environment variables that configure a server, and so name its instance.
pub const CONFIGURATION: &[&str] = &[
    "ANTLERITE_GPU",
    "ANTLERITE_DRIVER_VERSION",
    "ANTLERITE_MEMORY",
    "ANTLERITE_WORKERS",
    "ANTLERITE_DETERMINISTIC",
    "ANTLERITE_UVM",
    "ANTLERITE_GPU_BIN",
];

/// Directory of this process's instance, created if absent.
///
/// # Errors
/// As [`base_dir`] and [`name`].
pub fn dir(kmd: Option<&Path>) -> Result<PathBuf, DoorError> {
    let dir = base_dir()?.join(name(kmd)?);
    private_dir(&dir)?;
    Ok(dir)
}

/// FNV-1a, 64 bits.
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_not_followed() {
        let base = std::env::temp_dir().join(format!("antlerite-instance-{}", std::process::id()));
        std::fs::create_dir_all(&base).expect("mkdir");
        let link = base.join("link");
        std::os::unix::fs::symlink("/tmp", &link).expect("symlink");
        assert!(matches!(private_dir(&link), Err(DoorError::Permission(_))));
        let open = base.join("open");
        std::fs::create_dir(&open).expect("mkdir");
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).expect("chmod");
        private_dir(&open).expect("closed");
        assert_eq!(
            std::fs::metadata(&open).expect("stat").mode() & 0o777,
            0o700
        );
        std::fs::remove_dir_all(&base).expect("rm");
    }
}
