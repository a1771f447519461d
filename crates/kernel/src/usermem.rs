//! The caller's memory and files, as the dispatcher sees them; each door has its own way to them.

use std::os::fd::OwnedFd;

use rustix::io::Errno;

/// Number of an open file in this kernel half; never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u64);

/// The caller. All addresses come from user space and may be bad.
pub trait UserMem {
    /// Fills `into` from the caller's memory.
    ///
    /// # Errors
    /// `EFAULT`.
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), Errno>;

    /// Stores `from` into the caller's memory, at the latest when the ioctl returns.
    ///
    /// # Errors
    /// `EFAULT`, where it is known at once.
    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno>;

    /// The open file behind the caller's descriptor number.
    fn file(&mut self, fd: i32) -> Option<FileId>;

    /// Makes the pages `[address, address + len)` of the caller shareable (they become pages of the memfd that is
    /// returned, from offset 0).
    ///
    /// # Errors
    /// `EFAULT`, `EINVAL`, `EOPNOTSUPP` where this door cannot.
    fn pin(&mut self, address: u64, len: u64) -> Result<OwnedFd, Errno>;

    /// A duplicate of the caller's descriptor, which the call offers.
    ///
    /// # Errors
    /// `EBADF`, `EOPNOTSUPP` where this door cannot.
    fn take(&mut self, fd: i32) -> Result<OwnedFd, Errno> {
        let _ = fd;
        Err(Errno::OPNOTSUPP)
    }
}
