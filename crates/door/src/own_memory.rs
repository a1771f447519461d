//! Reading and writing this process's own memory at addresses that may be bad: an error, never a crash.
//!
//! `process_vm_readv`/`writev` on oneself, or, where a filter refuses them, through a pipe (the kernel checks the
//! pointer of `write` and `read`).

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;

/// Set once `process_vm_*` turned out to be refused.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// Bytes that surely fit an empty pipe.
const PIPE_CHUNK: usize = 4096;

fn last_errno() -> Errno {
    Errno::from_raw_os_error(
        std::io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or(libc::EIO),
    )
}

#[derive(Clone, Copy)]
enum Direction {
    Read,
    Write,
}

/// Moves as many bytes as possible; fewer than asked means that the rest is not accessible.
fn vm_move(
    address: u64,
    buffer: *mut u8,
    len: usize,
    direction: Direction,
) -> Result<usize, Errno> {
    let local = libc::iovec {
        iov_base: buffer.cast(),
        iov_len: len,
    };
    let remote = libc::iovec {
        iov_base: std::ptr::with_exposed_provenance_mut(
            usize::try_from(address).map_err(|_| Errno::FAULT)?,
        ),
        iov_len: len,
    };
    // SAFETY: `local` is the caller's valid buffer; the remote side is checked by the kernel.
    let moved = unsafe {
        match direction {
            Direction::Read => {
                libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0)
            }
            Direction::Write => libc::process_vm_writev(
                libc::getpid(),
                &raw const local,
                1,
                &raw const remote,
                1,
                0,
            ),
        }
    };
    usize::try_from(moved).map_err(|_| last_errno())
}

fn pipe_move(
    address: u64,
    buffer: *mut u8,
    len: usize,
    direction: Direction,
) -> Result<usize, Errno> {
    let (reader, writer): (OwnedFd, OwnedFd) =
        rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let address = usize::try_from(address).map_err(|_| Errno::FAULT)?;
    let mut done = 0;
    while done < len {
        let step = (len - done).min(PIPE_CHUNK);
        let theirs = std::ptr::with_exposed_provenance_mut::<u8>(address.wrapping_add(done));
        // SAFETY: `done + step <= len`, so the pointer stays in the caller's buffer.
        let ours = unsafe { buffer.add(done) };
        let (source, target) = match direction {
            Direction::Read => (theirs, ours),
            Direction::Write => (ours, theirs),
        };
        // SAFETY: one side is the caller's buffer, the other is checked by the kernel (EFAULT).
        let put = unsafe { libc::write(writer.as_raw_fd(), source.cast(), step) };
        let Ok(put) = usize::try_from(put) else {
            return if done > 0 {
                Ok(done)
            } else {
                Err(last_errno())
            };
        };
        // SAFETY: as above.
        let got = unsafe { libc::read(reader.as_raw_fd(), target.cast(), put) };
        let Ok(got) = usize::try_from(got) else {
            return if done > 0 {
                Ok(done)
            } else {
                Err(last_errno())
            };
        };
        done += got;
        if got < step {
            break;
        }
    }
    Ok(done)
}

fn some(address: u64, buffer: *mut u8, len: usize, direction: Direction) -> Result<usize, Errno> {
    if len == 0 {
        return Ok(0);
    }
    if !REFUSED.load(Ordering::Relaxed) {
        match vm_move(address, buffer, len, direction) {
            Err(Errno::PERM | Errno::NOSYS | Errno::ACCESS) => {
                REFUSED.store(true, Ordering::Relaxed)
            }
            other => return other,
        }
    }
    pipe_move(address, buffer, len, direction)
}

/// Reads what can be read of `buffer.len()` bytes at `address`; returns how many.
pub(crate) fn read_some(address: u64, buffer: &mut [u8]) -> usize {
    some(address, buffer.as_mut_ptr(), buffer.len(), Direction::Read).unwrap_or(0)
}

/// Fills `buffer` from `address`.
pub(crate) fn read(address: u64, buffer: &mut [u8]) -> Result<(), Errno> {
    match some(address, buffer.as_mut_ptr(), buffer.len(), Direction::Read)? {
        n if n == buffer.len() => Ok(()),
        _ => Err(Errno::FAULT),
    }
}

/// Stores `data` at `address`.
pub(crate) fn write(address: u64, data: &[u8]) -> Result<(), Errno> {
    match some(
        address,
        data.as_ptr().cast_mut(),
        data.len(),
        Direction::Write,
    )? {
        n if n == data.len() => Ok(()),
        _ => Err(Errno::FAULT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(pointer: *const u8) -> u64 {
        pointer.expose_provenance() as u64
    }

    #[test]
    fn bad_addresses_are_errors() {
        for refused in [false, true] {
            REFUSED.store(refused, Ordering::Relaxed);
            let mut data = vec![7_u8; 10_000];
            let mut copy = vec![0_u8; 10_000];
            read(address(data.as_ptr()), &mut copy).expect("readable");
            assert_eq!(copy, data);
            copy[9_999] = 9;
            write(address(data.as_mut_ptr()), &copy).expect("writable");
            assert_eq!(data[9_999], 9);
            assert_eq!(read(0x10, &mut copy), Err(Errno::FAULT));
            assert_eq!(write(0x10, &copy), Err(Errno::FAULT));
            assert_eq!(write(u64::MAX - 8, &copy), Err(Errno::FAULT));
            assert_eq!(read_some(0x10, &mut copy), 0);
            // Read-only memory: constants of this program.
            assert!(write(address(PIPE_MARK.as_ptr()), b"x").is_err());
        }
        REFUSED.store(false, Ordering::Relaxed);
    }

    static PIPE_MARK: [u8; 4] = *b"mark";
}
