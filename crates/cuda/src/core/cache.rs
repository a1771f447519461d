//! ComputeCache: compiled kernels on disk, found by what they were compiled from.
//!
//! One file per kernel, named by the hash of everything that decides its code. A file begins with a magic and the hash of
//! its contents; what does not match is compiled again, never executed. Files come to be by renaming, so that processes
//! can fill the cache at the same time.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::jit::{self, Job};

const MAGIC: &[u8; 8] = b"ANTLCC01";
/// Bytes of magic and hash.
const HEAD: usize = 8 + 32;
/// Largest size of the cache unless `CUDA_CACHE_MAXSIZE` says otherwise (CUDA C++ Programming Guide 13.0): 1 GiB.
const MAX_DEFAULT: u64 = 1 << 30;
/// And the most that can be asked for: 4 GiB.
const MAX_LIMIT: u64 = 4 << 30;

/// Where the cache is; `None` when it is off.
fn directory() -> Option<PathBuf> {
    if std::env::var("CUDA_CACHE_DISABLE").is_ok_and(|v| v != "0" && !v.is_empty()) {
        return None;
    }
    match std::env::var_os("CUDA_CACHE_PATH").filter(|p| !p.is_empty()) {
        Some(path) => Some(path.into()),
        None => std::env::var_os("HOME").map(|home| Path::new(&home).join(".nv/ComputeCache")),
    }
}

fn max_bytes() -> u64 {
    let asked = std::env::var("CUDA_CACHE_MAXSIZE")
        .ok()
        .and_then(|v| v.trim().parse().ok());
    asked.unwrap_or(MAX_DEFAULT).min(MAX_LIMIT)
}

/// Name of a job's file: two levels, so that no directory gets large.
fn key(job: &Job<'_>, cuda_version: i32) -> String {
    let mut hash = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(job.ptx.as_bytes());
    part(job.kernel.as_bytes());
    for number in [
        job.block[0],
        job.block[1],
        job.block[2],
        job.options.opt_level,
        job.options.flags,
        job.cc,
        job.isa,
        abi::sm::CODE_ABI,
        abi::jit::JIT_ABI,
    ] {
        part(&number.to_le_bytes());
    }
    part(&cuda_version.to_le_bytes());
    part(jit::identity().as_bytes());
    let hex = hash.finalize().to_hex();
    format!("{}/{}", &hex[..2], &hex[2..])
}

/// The cubin of a job, if it is there and whole.
pub(crate) fn get(job: &Job<'_>, cuda_version: i32) -> Option<Vec<u8>> {
    let path = directory()?.join(key(job, cuda_version));
    let bytes = read(&path)?;
    // The time of use decides what goes first when room is needed.
    if let Ok(file) = std::fs::File::options().append(true).open(&path) {
        let _ = file.set_modified(SystemTime::now());
    }
    Some(bytes)
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let bytes = std::fs::read(path).ok()?;
    let contents = bytes.get(HEAD..)?;
    let whole = bytes.starts_with(MAGIC) && bytes[8..HEAD] == *blake3::hash(contents).as_bytes();
    whole.then(|| contents.to_vec())
}

/// Keeps a cubin. A cache that cannot be written is a cache without it.
pub(crate) fn put(job: &Job<'_>, cuda_version: i32, cubin: &[u8]) {
    if let Some(directory) = directory() {
        let path = directory.join(key(job, cuda_version));
        if write(&path, cubin).is_ok() {
            make_room(&directory, max_bytes());
        }
    }
}

fn write(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let directory = path.parent().ok_or(std::io::ErrorKind::InvalidInput)?;
    std::fs::create_dir_all(directory)?;
    let unique = format!(
        "tmp-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    let temporary = directory.join(unique);
    let mut file = std::fs::File::create(&temporary)?;
    let written = file
        .write_all(MAGIC)
        .and_then(|()| file.write_all(blake3::hash(contents).as_bytes()))
        .and_then(|()| file.write_all(contents))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// Removes what was used longest ago until the cache fits.
fn make_room(directory: &Path, max: u64) {
    let mut files = Vec::new();
    for sub in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        for file in std::fs::read_dir(sub.path())
            .into_iter()
            .flatten()
            .flatten()
        {
            if let Ok(meta) = file.metadata() {
                files.push((
                    meta.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                    meta.len(),
                    file.path(),
                ));
            }
        }
    }
    let mut total: u64 = files.iter().map(|(_, len, _)| len).sum();
    files.sort();
    for (_, len, path) in files {
        if total <= max {
            return;
        }
        if std::fs::remove_file(path).is_ok() {
            total -= len;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_files_are_read() {
        let directory =
            std::env::temp_dir().join(format!("antlerite-cache-{}", std::process::id()));
        let path = directory.join("ab/cdef");
        write(&path, b"code").expect("write");
        assert_eq!(read(&path).as_deref(), Some(&b"code"[..]));
        let whole = std::fs::read(&path).expect("read");
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("write");
            assert_eq!(read(&path), None, "cut at {cut}");
        }
        for flip in 0..whole.len() {
            let mut bad = whole.clone();
            bad[flip] ^= 1;
            std::fs::write(&path, &bad).expect("write");
            assert_eq!(read(&path), None, "flipped at {flip}");
        }
        std::fs::remove_dir_all(&directory).expect("clean up");
    }

    #[test]
    fn the_oldest_go_first() {
        let directory = std::env::temp_dir().join(format!("antlerite-room-{}", std::process::id()));
        for (index, name) in ["aa/1", "aa/2", "bb/3"].into_iter().enumerate() {
            let path = directory.join(name);
            write(&path, &[0; 100]).expect("write");
            let file = std::fs::File::options()
                .append(true)
                .open(&path)
                .expect("open");
            file.set_modified(
                SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(index as u64),
            )
            .expect("time");
        }
        make_room(&directory, 2 * (100 + HEAD as u64));
        assert!(!directory.join("aa/1").exists());
        assert!(directory.join("aa/2").exists() && directory.join("bb/3").exists());
        std::fs::remove_dir_all(&directory).expect("clean up");
    }
}
