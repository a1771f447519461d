//! Files that keep compiled code between runs: whole or not there, whatever happens to the processes that write them.
//!
//! A file begins with a magic and a checksum of its contents; what does not match is compiled again, never executed. The
//! checksum (XXH3, 128 bits) finds damage; whoever may write the directory could put any code there in any case. Files
//! come to be by renaming, so that processes can fill a directory at the same time, and go by age when it is full.

pub mod oracle;

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

const MAGIC: &[u8; 8] = b"ANTLCC02";
/// Bytes before the contents: magic, checksum, and zeros, so that what is aligned in the contents is so in the file.
const HEAD: usize = 256;
/// Where the checksum ends. It is one of everything behind it.
const CHECKED: usize = 8 + 16;

/// What stands before contents.
fn head(contents: &[u8]) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(MAGIC);
    let mut hasher = twox_hash::XxHash3_128::new();
    hasher.write(&head[CHECKED..]);
    hasher.write(contents);
    head[8..CHECKED].copy_from_slice(&hasher.finish_128().to_le_bytes());
    head
}

/// Largest file that is read, bytes: nothing that a compiler makes is longer.
const FILE_MAX: u64 = 1 << 30;

/// What a file holds, if it is whole.
#[must_use]
pub fn contents(file: &[u8]) -> Option<&[u8]> {
    let contents = file.get(HEAD..)?;
    let sum = twox_hash::XxHash3_128::oneshot(&file[CHECKED..]);
    let whole = file.starts_with(MAGIC) && file[8..CHECKED] == sum.to_le_bytes();
    whole.then_some(contents)
}

/// A whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry(Vec<u8>);

impl Entry {
    /// What it holds.
    #[must_use]
    pub fn contents(&self) -> &[u8] {
        self.0.get(HEAD..).unwrap_or_default()
    }
}

/// A file that may be whole.
#[derive(Debug)]
pub struct Found {
    file: std::fs::File,
    bytes: usize,
}

impl Found {
    /// Its size.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Reads it to the first [`Self::bytes`] of `memory`; what it holds, if it is whole. Its time of use becomes now: that
    /// decides what goes first when room is needed.
    #[must_use]
    pub fn read_to(mut self, memory: &mut [u8]) -> Option<&[u8]> {
        let memory = memory.get_mut(..self.bytes)?;
        self.file.read_exact(memory).ok()?;
        let contents = contents(memory)?;
        // Not where somebody else owns it or nobody may write: it is read all the same.
        let _ = self.file.set_modified(SystemTime::now());
        Some(contents)
    }
}

/// The file, if it is there.
#[must_use]
pub fn open(path: &Path) -> Option<Found> {
    let file = std::fs::File::open(path).ok()?;
    let meta = file.metadata().ok()?;
    let fits = meta.is_file() && (HEAD as u64..=FILE_MAX).contains(&meta.len());
    let bytes = usize::try_from(meta.len()).ok().filter(|_| fits)?;
    Some(Found { file, bytes })
}

/// The file, if it is there and whole.
#[must_use]
pub fn read(path: &Path) -> Option<Entry> {
    let found = open(path)?;
    let mut bytes = vec![0; found.bytes()];
    found.read_to(&mut bytes)?;
    Some(Entry(bytes))
}

/// Entries written between two looks at what is there: other processes write too.
const LOOK_EVERY: u32 = 64;

/// Counts a new entry of `added` bytes and makes room when the directory may be over its size. It is not read for each entry.
pub fn account(directory: &Path, max: u64, added: u64) {
    /// Bytes in the cache at the last look and written since, and entries written since; `None` before the first.
    static KNOWN: Mutex<Option<(u64, u32)>> = Mutex::new(None);
    let mut known = KNOWN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    *known = match *known {
        Some((total, entries)) if total + added <= max && entries < LOOK_EVERY => {
            Some((total + added, entries + 1))
        }
        Some(_) | None => Some((make_room(directory, max), 0)),
    };
}

/// Makes a file with these contents, in place of what was there; its size.
///
/// # Errors
/// The directory cannot be made or written, or the disk is full; then nothing has changed.
pub fn write(path: &Path, contents: &[u8]) -> std::io::Result<u64> {
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
        .write_all(&head(contents))
        .and_then(|()| file.write_all(contents))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written.map(|()| (HEAD + contents.len()) as u64)
}

/// Removes what was used longest ago until the directory fits; the bytes that are left.
pub fn make_room(directory: &Path, max: u64) -> u64 {
    let mut files = Vec::new();
    for sub in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        for file in std::fs::read_dir(sub.path())
            .into_iter()
            .flatten()
            .flatten()
        {
            if let Ok(meta) = file.metadata()
                && meta.is_file()
            {
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
            break;
        }
        if std::fs::remove_file(path).is_ok() {
            total -= len;
        }
    }
    total
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
        let found = read(&path).map(|found| found.contents().to_vec());
        assert_eq!(found.as_deref(), Some(&b"code"[..]));
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
        let max = 2 * (100 + HEAD as u64);
        assert_eq!(make_room(&directory, max), max);
        assert!(!directory.join("aa/1").exists());
        assert!(directory.join("aa/2").exists() && directory.join("bb/3").exists());
        std::fs::remove_dir_all(&directory).expect("clean up");
    }

    /// Where [`writer`] writes, when it is run as a process of its own.
    const WRITER: &str = "ANTLERITE_TEST_CACHE_WRITER";
    const ENTRIES: u64 = 32;

    fn contents(entry: u64) -> Vec<u8> {
        let length = 1000 + usize::try_from(entry).expect("small") * 3001;
        (0_u8..251)
            .cycle()
            .skip(length % 251)
            .take(length)
            .collect()
    }

    /// Not a test by itself: what the processes of the next test do.
    #[test]
    fn writer() {
        let Some(directory) = std::env::var_os(WRITER) else {
            return;
        };
        for entry in (0..).map(|n: u64| n * 7 % ENTRIES) {
            let path = Path::new(&directory).join(format!("{:02x}/{entry}", entry % 4));
            write(&path, &contents(entry)).expect("there is room");
            if let Some(found) = read(&path) {
                let expected = contents(entry);
                assert_eq!(found.contents(), expected, "another process's entry");
            }
        }
    }

    /// Eight processes at once, 200 of them killed somewhere in their work: what is there is whole.
    #[test]
    fn killed_writers_leave_whole_entries() {
        const AT_ONCE: usize = 8;
        const KILLS: u64 = 200;
        let directory = std::env::temp_dir().join(format!("antlerite-kill-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("directory");
        let start = || {
            std::process::Command::new(std::env::current_exe().expect("this test"))
                .args(["--exact", "store::tests::writer", "--test-threads=1"])
                .env(WRITER, &directory)
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .expect("starts")
        };
        let mut running: Vec<_> = (0..AT_ONCE).map(|_| start()).collect();
        for kill in 0..KILLS {
            // A fixed walk over waits of 0 to 16 ms.
            std::thread::sleep(std::time::Duration::from_micros(kill * 7919 % 16_000));
            let slot = usize::try_from(kill).expect("small") % AT_ONCE;
            assert!(
                running[slot].try_wait().expect("known").is_none(),
                "a writer failed"
            );
            running[slot].kill().expect("running");
            running[slot].wait().expect("ended");
            running[slot] = start();
        }
        for child in &mut running {
            child.kill().expect("running");
            child.wait().expect("ended");
        }
        let mut whole = 0;
        for entry in 0..ENTRIES {
            let path = directory.join(format!("{:02x}/{entry}", entry % 4));
            if path.exists() {
                let found = read(&path).map(|found| found.contents().to_vec());
                assert_eq!(found, Some(contents(entry)), "entry {entry}");
                whole += 1;
            }
        }
        assert!(whole > 0, "nothing was written");
        // What was being written is swept away with the rest when room is needed.
        assert_eq!(make_room(&directory, 0), 0);
        std::fs::remove_dir_all(&directory).expect("clean up");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_no_error_and_leaves_nothing() {
        let directory = std::env::temp_dir().join(format!("antlerite-full-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("directory");
        std::fs::write(directory.join("file"), b"").expect("write");
        // A file where a directory should be.
        assert!(write(&directory.join("file/aa/b"), b"code").is_err());
        assert_eq!(read(&directory.join("file/aa/b")), None);
        // A disk that is full after a few bytes, seen as a limit on the size of files.
        let path = directory.join("aa/b");
        let limit = |bytes: u64| {
            let mut old = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            // SAFETY: reads and sets a limit of this process, through a place for it.
            unsafe {
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                assert_eq!(libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut old), 0);
                let new = libc::rlimit {
                    rlim_cur: bytes.min(old.rlim_max),
                    ..old
                };
                assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &raw const new), 0);
            }
            old.rlim_cur
        };
        let before = limit(512);
        let written = write(&path, &[7; 4096]);
        limit(before);
        assert!(written.is_err());
        assert_eq!(
            std::fs::read_dir(directory.join("aa"))
                .expect("there")
                .count(),
            0
        );
        std::fs::remove_dir_all(&directory).expect("clean up");
    }
}
