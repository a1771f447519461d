//! Pinning: ordinary pages of this process become pages of a memfd that the GPU can map too.
//!
//! A kernel driver pins pages in place; from outside the process the pages must be replaced: their bytes are copied to
//! a memfd, which is mapped `MAP_SHARED|MAP_FIXED` over the range. Another thread that writes to the range during the
//! swap may lose its write, and after a fork the pages are shared instead of copied (FIDELITY.md). When the memory is
//! unpinned, its pages become private again.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::linux::fs::MetadataExt;
use std::sync::{Mutex, PoisonError};

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;

const PAGE: u64 = 4096;

/// What is pinned: first address → bytes and the memfd that is mapped there.
static PINNED: Mutex<BTreeMap<u64, (u64, std::fs::File)>> = Mutex::new(BTreeMap::new());

/// Replaces the pages of `[va, va + len)` (page aligned) by a memfd and returns it.
///
/// # Errors
/// `EINVAL` for a range that is not whole pages; `EFAULT` when a part is not mapped readable and writable;
/// `EOPNOTSUPP` when a part is a shared mapping already; or what the system says.
pub(crate) fn pin(va: u64, len: u64) -> Result<OwnedFd, Errno> {
    if va == 0
        || len == 0
        || !va.is_multiple_of(PAGE)
        || !len.is_multiple_of(PAGE)
        || va.checked_add(len).is_none_or(|e| e >> 47 != 0)
    {
        return Err(Errno::INVAL);
    }
    check_private(va, va + len)?;
    let size = usize::try_from(len).map_err(|_| Errno::INVAL)?;
    let memfd = rustix::fs::memfd_create(
        "antlerite-pinned",
        MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING,
    )?;
    rustix::fs::ftruncate(&memfd, len)?;
    copy_to(&memfd, va, size)?;
    rustix::fs::fcntl_add_seals(
        &memfd,
        SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL,
    )?;
    let address = std::ptr::with_exposed_provenance_mut::<libc::c_void>(
        usize::try_from(va).map_err(|_| Errno::INVAL)?,
    );
    // SAFETY: the range is private, readable and writable memory of this process, which asked for it to be pinned; its
    // bytes are in the memfd, so it reads the same after the swap.
    let mapped = unsafe {
        libc::mmap(
            address,
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_FIXED,
            memfd.as_raw_fd(),
            0,
        )
    };
    if mapped == libc::MAP_FAILED {
        return Err(Errno::from_raw_os_error(
            std::io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::ENOMEM),
        ));
    }
    let kept = memfd.try_clone().map_err(|_| Errno::MFILE)?;
    PINNED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(va, (len, kept.into()));
    Ok(memfd)
}

/// Makes the pages that `pin` replaced at `va` private again, with what they hold. Where the program has unmapped or
/// replaced them meanwhile, nothing changes.
pub(crate) fn unpin(va: u64) {
    let entry = PINNED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .remove(&va);
    let Some((len, memfd)) = entry else { return };
    let Ok(inode) = memfd.metadata().map(|m| m.st_ino()) else {
        return;
    };
    for (low, high) in mapped_from(inode, va, va + len) {
        let (Ok(at), Ok(size), Ok(offset)) = (
            usize::try_from(low),
            usize::try_from(high - low),
            i64::try_from(low - va),
        ) else {
            return;
        };
        // SAFETY: the range is a mapping of our own memfd, and reads the same through the private one: pages that
        // nobody has written since are those of the memfd.
        unsafe {
            libc::mmap(
                std::ptr::with_exposed_provenance_mut(at),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_FIXED,
                memfd.as_raw_fd(),
                offset,
            );
        }
    }
}

/// The parts of `[start, end)` that are shared mappings of the memfd `inode` at the place where `pin` put them.
fn mapped_from(inode: u64, start: u64, end: u64) -> Vec<(u64, u64)> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    areas(&maps)
        .filter(|area| {
            area.low.checked_sub(area.offset) == Some(start)
                && area.high <= end
                && area.permissions == "rw-s"
                && area.inode == inode
        })
        .map(|area| (area.low, area.high))
        .collect()
}

/// One line of `/proc/self/maps` (proc(5)).
struct Area<'a> {
    low: u64,
    high: u64,
    permissions: &'a str,
    offset: u64,
    inode: u64,
}

/// The areas of a process's map, by address.
fn areas(maps: &str) -> impl Iterator<Item = Area<'_>> {
    maps.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let (low, high) = words.next()?.split_once('-')?;
        let permissions = words.next()?;
        let offset = words.next()?;
        Some(Area {
            low: u64::from_str_radix(low, 16).ok()?,
            high: u64::from_str_radix(high, 16).ok()?,
            permissions,
            offset: u64::from_str_radix(offset, 16).ok()?,
            inode: words.nth(1)?.parse().ok()?,
        })
    })
}

/// `write` from the range itself: the kernel checks the pointer.
fn copy_to(memfd: impl AsFd, va: u64, size: usize) -> Result<(), Errno> {
    let fd = memfd.as_fd().as_raw_fd();
    let start = usize::try_from(va).map_err(|_| Errno::INVAL)?;
    let mut done = 0_usize;
    while done < size {
        let source = std::ptr::with_exposed_provenance::<libc::c_void>(start + done);
        let at = i64::try_from(done).map_err(|_| Errno::INVAL)?;
        // SAFETY: the kernel checks the source (EFAULT).
        let put = unsafe { libc::pwrite(fd, source, (size - done).min(1 << 30), at) };
        match usize::try_from(put) {
            Ok(0) => return Err(Errno::FAULT),
            Ok(put) => done += put,
            Err(_) => match std::io::Error::last_os_error().raw_os_error() {
                Some(libc::EINTR) => {}
                other => return Err(Errno::from_raw_os_error(other.unwrap_or(libc::EIO))),
            },
        }
    }
    Ok(())
}

/// All of the range is private memory that can be read and written.
fn check_private(start: u64, end: u64) -> Result<(), Errno> {
    let maps = std::fs::read_to_string("/proc/self/maps").map_err(|_| Errno::OPNOTSUPP)?;
    let mut at = start;
    for area in areas(&maps) {
        if area.high <= at {
            continue;
        }
        if area.low > at || !area.permissions.starts_with("rw") {
            return Err(Errno::FAULT);
        }
        if !area.permissions.ends_with('p') {
            return Err(Errno::OPNOTSUPP);
        }
        at = area.high;
        if at >= end {
            return Ok(());
        }
    }
    Err(Errno::FAULT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_keep_their_bytes_and_are_shared() {
        let mut pages = vec![0_u8; 5 * 4096];
        let base = pages
            .as_mut_ptr()
            .expose_provenance()
            .next_multiple_of(4096);
        let offset = base - pages.as_ptr().addr();
        pages[offset] = 1;
        pages[offset + 8191] = 2;
        let memfd = pin(base as u64, 8192).expect("pinned");
        assert_eq!((pages[offset], pages[offset + 8191]), (1, 2));
        rustix::io::pwrite(&memfd, &[9], 0).expect("write");
        // SAFETY: the byte is within `pages`; the memfd is mapped there now.
        let seen = unsafe { std::ptr::with_exposed_provenance::<u8>(base).read_volatile() };
        assert_eq!(seen, 9);
        assert_eq!(
            pin(base as u64, 8192).expect_err("shared already"),
            Errno::OPNOTSUPP
        );
        assert_eq!(
            pin(base as u64 + 1, 4096).expect_err("alignment"),
            Errno::INVAL
        );
        assert_eq!(pin(0x1000, 4096).expect_err("unmapped"), Errno::FAULT);
        assert!(rustix::fs::ftruncate(&memfd, 0).is_err());
        unpin(base as u64);
        rustix::io::pwrite(&memfd, &[7], 0).expect("write");
        pages[offset + 8191] = 3;
        let again = pin(base as u64, 8192).expect("pinned again");
        let mut bytes = [0; 2];
        rustix::io::pread(&again, &mut bytes[..1], 0).expect("read");
        rustix::io::pread(&again, &mut bytes[1..], 8191).expect("read");
        assert_eq!(bytes, [7, 3]);
        unpin(base as u64);
    }

    #[test]
    fn what_the_program_has_unmapped_stays_its_own() {
        let map = |at: usize, flags: i32| {
            // SAFETY: at 0 anywhere; else over a page of this test's own.
            let p = unsafe {
                libc::mmap(
                    std::ptr::with_exposed_provenance_mut(at),
                    4096,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags,
                    -1,
                    0,
                )
            };
            assert_ne!(p, libc::MAP_FAILED);
            p.cast::<u8>()
        };
        let page = map(0, 0);
        let va = page.expose_provenance();
        // SAFETY: the page is mapped, here and below.
        unsafe { page.write_volatile(1) };
        pin(va as u64, 4096).expect("pinned");
        let page = map(va, libc::MAP_FIXED);
        // SAFETY: see above.
        unsafe { page.write_volatile(5) };
        unpin(va as u64);
        // SAFETY: see above.
        assert_eq!(unsafe { page.read_volatile() }, 5);
    }
}
