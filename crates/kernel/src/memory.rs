//! Memory objects: memfds, charged to a GPU's framebuffer or to the host's share.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{FallocateFlags, MemfdFlags, SealFlags};
use rustix::io::Errno;

use crate::status::{RmResult, Status};

/// Smallest page.
pub const PAGE: u64 = 4096;
/// What video memory is charged in.
pub const VIDEO_GRAIN: u64 = 2 << 20;

/// Something that is spent: bytes of memory, or descriptors.
#[derive(Debug)]
pub struct Account {
    total: u64,
    used: AtomicU64,
}

impl Account {
    /// An account of `total` units.
    #[must_use]
    pub fn new(total: u64) -> Self {
        Self {
            total,
            used: AtomicU64::new(0),
        }
    }

    /// Units there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Units in use.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Units left.
    #[must_use]
    pub fn free(&self) -> u64 {
        self.total.saturating_sub(self.used())
    }

    fn take(&self, units: u64) -> RmResult {
        self.used
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(units).filter(|sum| *sum <= self.total)
            })
            .map(|_| ())
            .map_err(|_| Status::NO_MEMORY)
    }

    fn give(&self, units: u64) {
        self.used.fetch_sub(units, Ordering::Relaxed);
    }
}

/// Units taken from an account; given back when dropped.
#[derive(Debug)]
pub struct Charge {
    account: Arc<Account>,
    units: u64,
}

impl Charge {
    /// Takes `units`.
    ///
    /// # Errors
    /// [`Status::NO_MEMORY`] when they are spent.
    pub fn take(account: &Arc<Account>, units: u64) -> RmResult<Self> {
        account.take(units)?;
        Ok(Self {
            account: Arc::clone(account),
            units,
        })
    }

    /// How many.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.units
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.account.give(self.units);
    }
}

/// Where a memory object lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The framebuffer.
    Video,
    /// Host memory that the kernel half allocated.
    System,
    /// Host memory of the client's (OS descriptor).
    Pinned,
    /// Registers (usermode page).
    Registers,
}

/// A memory object.
#[derive(Debug)]
pub struct Memory {
    fd: OwnedFd,
    len: u64,
    place: Place,
    charge: Option<Charge>,
    _descriptor: Charge,
}

/// Largest object, bytes.
const LARGEST: u64 = 1 << 46;

impl Memory {
    /// A fresh, zeroed object of at least `len` bytes, charged to `account`.
    ///
    /// # Errors
    /// [`Status::NO_MEMORY`] when memory or descriptors are spent, or for more than could ever be;
    /// [`Status::INVALID_ARGUMENT`] for nothing.
    pub fn new(
        place: Place,
        len: u64,
        account: &Arc<Account>,
        descriptors: &Arc<Account>,
    ) -> RmResult<Arc<Self>> {
        if len == 0 {
            return Err(Status::INVALID_ARGUMENT);
        }
        if len > LARGEST {
            return Err(Status::NO_MEMORY);
        }
        let grain = if place == Place::Video {
            VIDEO_GRAIN
        } else {
            PAGE
        };
        let charge = Charge::take(account, len.next_multiple_of(grain))?;
        let descriptor = Charge::take(descriptors, 1)?;
        let len = len.next_multiple_of(PAGE);
        Ok(Arc::new(Self {
            fd: sized_memfd("antlerite", len)?,
            len,
            place,
            charge: Some(charge),
            _descriptor: descriptor,
        }))
    }

    /// A sparse object that is not charged by its size (UVM's address-shaped memfd).
    ///
    /// # Errors
    /// As [`Memory::new`].
    pub fn sparse(len: u64, descriptors: &Arc<Account>) -> RmResult<Arc<Self>> {
        let descriptor = Charge::take(descriptors, 1)?;
        Ok(Arc::new(Self {
            fd: sized_memfd("antlerite-uvm", len)?,
            len,
            place: Place::System,
            charge: None,
            _descriptor: descriptor,
        }))
    }

    /// An object over a memfd that a client pinned. It must be sealed against shrinking, so that the client cannot
    /// pull the pages from under the GPU; the file behind a shared anonymous mapping has no name by which it could.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] when it is not such a memfd.
    pub fn pinned(fd: OwnedFd, len: u64, descriptors: &Arc<Account>) -> RmResult<Arc<Self>> {
        let descriptor = Charge::take(descriptors, 1)?;
        let anonymous = is_anonymous(&fd);
        let seals = match rustix::fs::fcntl_get_seals(&fd) {
            Ok(seals) => seals,
            Err(_) if anonymous => SealFlags::empty(),
            Err(_) => return Err(Status::INVALID_ARGUMENT),
        };
        let stat = rustix::fs::fstat(&fd).map_err(|_| Status::INVALID_ARGUMENT)?;
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        let kept = seals.contains(SealFlags::SHRINK) || anonymous;
        if !kept || size < len || len == 0 {
            return Err(Status::INVALID_ARGUMENT);
        }
        Ok(Arc::new(Self {
            fd,
            len,
            place: Place::Pinned,
            charge: None,
            _descriptor: descriptor,
        }))
    }

    /// The memfd.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Bytes, whole pages.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it is empty (never).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where it lives.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// Bytes charged to its account.
    #[must_use]
    pub fn charged(&self) -> u64 {
        self.charge.as_ref().map_or(0, Charge::units)
    }

    /// Stores bytes; false when they do not fit or the system refuses.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> bool {
        let fits = offset
            .checked_add(bytes.len() as u64)
            .is_some_and(|end| end <= self.len);
        fits && rustix::io::pwrite(&self.fd, bytes, offset) == Ok(bytes.len())
    }

    /// Fills `into`; false when it does not fit or the system refuses.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> bool {
        let len = into.len();
        let fits = offset
            .checked_add(len as u64)
            .is_some_and(|end| end <= self.len);
        fits && rustix::io::pread(&self.fd, into, offset) == Ok(len)
    }

    /// Whether any page of a span has come into being.
    #[must_use]
    pub fn has_bytes(&self, offset: u64, len: u64) -> bool {
        // ENXIO: nothing up to the end.
        rustix::fs::seek(&self.fd, rustix::fs::SeekFrom::Data(offset))
            .is_ok_and(|at| at < offset.saturating_add(len))
    }

    /// Gives the pages of a span back.
    pub fn punch(&self, offset: u64, len: u64) {
        // Best effort: a hole that cannot be punched costs memory until the object ends.
        let _ = rustix::fs::fallocate(
            &self.fd,
            FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE,
            offset,
            len,
        );
    }
}

/// Whether a descriptor is of the file behind a mapping that is shared and anonymous.
fn is_anonymous(fd: &OwnedFd) -> bool {
    use std::os::fd::AsRawFd;
    std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd()))
        .is_ok_and(|name| name.as_os_str() == "/dev/zero (deleted)")
}

/// A memfd of that length, whose size nobody can change.
///
/// # Errors
/// [`Status::NO_MEMORY`], or what the system says.
pub(crate) fn sized_memfd(name: &str, len: u64) -> RmResult<OwnedFd> {
    let make = || -> Result<OwnedFd, Errno> {
        let fd = rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        rustix::fs::ftruncate(&fd, len)?;
        rustix::fs::fcntl_add_seals(&fd, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok(fd)
    };
    make().map_err(|errno| match errno {
        Errno::FBIG | Errno::INVAL | Errno::OVERFLOW => Status::NO_MEMORY,
        other => other.into(),
    })
}

/// Bytes of memory that the host can spare: the least of what is available and what is left of the cgroup's limit.
#[must_use]
pub fn host_available() -> u64 {
    let mut available = u64::MAX;
    if let Ok(text) = std::fs::read_to_string("/proc/meminfo")
        && let Some(kib) = text
            .lines()
            .find_map(|l| l.strip_prefix("MemAvailable:"))
            .and_then(|l| l.trim().trim_end_matches(" kB").trim().parse::<u64>().ok())
    {
        available = kib << 10;
    }
    for dir in cgroup_dirs() {
        let number = |file: &str| {
            let text = std::fs::read_to_string(format!("{dir}/{file}")).ok()?;
            text.trim().parse::<u64>().ok()
        };
        for (limit, usage) in [
            ("memory.max", "memory.current"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ] {
            if let Some(limit) = number(limit) {
                available = available.min(limit.saturating_sub(number(usage).unwrap_or(0)));
            }
        }
    }
    if available == u64::MAX {
        1 << 30
    } else {
        available
    }
}

/// This process's cgroup directories, from its own up to the root (v2, and v1's memory controller).
fn cgroup_dirs() -> Vec<String> {
    let mut dirs = Vec::new();
    let text = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    for line in text.lines() {
        let mut fields = line.splitn(3, ':');
        let (_, Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let root = if controllers.is_empty() {
            "/sys/fs/cgroup"
        } else if controllers.split(',').any(|c| c == "memory") {
            "/sys/fs/cgroup/memory"
        } else {
            continue;
        };
        let mut path = path.trim_end_matches('/').to_owned();
        loop {
            dirs.push(format!("{root}{path}"));
            match path.rfind('/') {
                Some(cut) => path.truncate(cut),
                None => break,
            }
        }
    }
    dirs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_accounted_and_sealed() {
        let account = Arc::new(Account::new(8 << 20));
        let fds = Arc::new(Account::new(3));
        let a = Memory::new(Place::Video, 1, &account, &fds).expect("first");
        assert_eq!(
            (account.used(), a.len(), a.charged()),
            (2 << 20, 4096, 2 << 20)
        );
        assert!(rustix::fs::ftruncate(a.fd(), 0).is_err());
        assert_eq!(
            Memory::new(Place::Video, 7 << 20, &account, &fds).expect_err("spent"),
            Status::NO_MEMORY
        );
        let b = Memory::new(Place::Video, 6 << 20, &account, &fds).expect("rest");
        assert_eq!(account.free(), 0);
        drop((a, b));
        assert_eq!((account.used(), fds.used()), (0, 0));
        assert_eq!(
            Memory::new(Place::System, u64::MAX, &account, &fds).expect_err("size"),
            Status::NO_MEMORY
        );
        let sparse = Memory::sparse(1 << 47, &fds).expect("sparse");
        assert!(sparse.write(0x7fff_0000_0000, b"x"));
        assert!(!sparse.write(u64::MAX, b"x"));
        sparse.punch(0x7fff_0000_0000, 4096);
        let plain = rustix::fs::memfd_create("x", MemfdFlags::CLOEXEC).expect("memfd");
        assert!(Memory::pinned(plain, 4096, &fds).is_err());
    }

    #[test]
    #[expect(
        clippy::print_stdout,
        reason = "a test that cannot be judged here says so"
    )]
    fn shared_anonymous_pages_may_be_pinned() {
        const LEN: usize = 8192;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let at = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                LEN,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(at, libc::MAP_FAILED);
        let start = at.expose_provenance() as u64;
        let name = format!("/proc/self/map_files/{start:x}-{:x}", start + LEN as u64);
        let open = rustix::fs::open(
            name,
            rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC,
            rustix::fs::Mode::empty(),
        );
        let Ok(fd) = open else {
            println!("not judged: map_files is for the privileged");
            return;
        };
        let fds = Arc::new(Account::new(1));
        let memory = Memory::pinned(fd, LEN as u64, &fds).expect("pinned");
        assert!(memory.write(4096, b"x"));
        // SAFETY: within the mapping.
        assert_eq!(unsafe { at.cast::<u8>().add(4096).read_volatile() }, b'x');
    }

    #[test]
    fn the_host_has_memory() {
        assert!(host_available() > 1 << 20);
    }
}
