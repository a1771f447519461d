//! The stopped caller: its memory by `process_vm_readv`, its descriptors by `pidfd_getfd`.

use std::collections::HashMap;
use std::fs;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::io::Errno;

use super::Door;
use super::seccomp::Notification;
use crate::file::Owner;
use crate::usermem::{FileId, UserMem};

const PIDFD_THREAD: libc::c_uint = libc::O_EXCL.cast_unsigned();

/// Threads that are remembered.
const REMEMBERED: usize = 256;

/// Descriptors of threads that called, by number. A descriptor means one thread for ever: once that has ended, it
/// answers `ESRCH`, whoever has the number then.
#[derive(Debug, Default)]
pub(super) struct Processes {
    known: Mutex<HashMap<u32, Arc<OwnedFd>>>,
}

impl Processes {
    fn get(&self, tid: u32) -> Option<Arc<OwnedFd>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&tid).map(Arc::clone)
    }

    fn put(&self, tid: u32, pidfd: &Arc<OwnedFd>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED && !known.contains_key(&tid) {
            known.clear();
        }
        known.insert(tid, Arc::clone(pidfd));
    }
}

/// One stopped call's caller.
pub(super) struct Caller<'a> {
    pub(super) door: &'a Door,
    pub(super) call: &'a Notification,
    pidfd: Arc<OwnedFd>,
}

impl<'a> Caller<'a> {
    /// Opens the way to the caller, or takes the one that is open: if that is an earlier thread's of the same number,
    /// [`Caller::descriptor`] says `ESRCH`, and [`Caller::reopen`] helps.
    pub(super) fn open(door: &'a Door, call: &'a Notification) -> Result<Self, Errno> {
        let pidfd = match door.processes.get(call.tid) {
            Some(pidfd) => pidfd,
            None => way_to(door, call)?,
        };
        Ok(Self { door, call, pidfd })
    }

    /// Opens the way anew.
    pub(super) fn reopen(&mut self) -> Result<(), Errno> {
        self.pidfd = way_to(self.door, self.call)?;
        Ok(())
    }

    /// A duplicate of one of the caller's descriptors.
    pub(super) fn descriptor(&self, fd: i32) -> Result<OwnedFd, Errno> {
        // SAFETY: pidfd_getfd takes no pointers.
        let result = unsafe { libc::syscall(libc::SYS_pidfd_getfd, self.pidfd.as_raw_fd(), fd, 0) };
        own(result)
    }

    /// Who it is.
    pub(super) fn owner(&self) -> Owner {
        let pid = status_field(self.call.tid, "Tgid:").unwrap_or(self.call.tid);
        let uid = status_field(self.call.tid, "Uid:").unwrap_or(u32::MAX);
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        Owner {
            pid,
            uid,
            name: name.trim_end().to_owned(),
        }
    }

    /// A descriptor that becomes readable when the caller's process ends.
    pub(super) fn process(&self, pid: u32) -> Result<OwnedFd, Errno> {
        pidfd_open(libc::pid_t::try_from(pid).map_err(|_| Errno::SRCH)?, 0)
    }

    /// Whether the caller's descriptor closes on exec.
    pub(super) fn closes_on_exec(&self, fd: i32) -> bool {
        fs::read_to_string(format!("/proc/{}/fdinfo/{fd}", self.call.tid))
            .ok()
            .and_then(|text| {
                let flags = text.lines().find_map(|l| l.strip_prefix("flags:"))?;
                i32::from_str_radix(flags.trim(), 8).ok()
            })
            .is_some_and(|flags| flags & libc::O_CLOEXEC != 0)
    }

    /// The caller's memfd with that inode.
    fn descriptor_of(&self, inode: u64) -> Option<OwnedFd> {
        let entries = fs::read_dir(format!("/proc/{}/fd", self.call.tid)).ok()?;
        entries.filter_map(Result::ok).find_map(|entry| {
            let target = fs::read_link(entry.path()).ok()?;
            if !target.to_str()?.starts_with("/memfd:") {
                return None;
            }
            let fd = self
                .descriptor(entry.file_name().to_str()?.parse().ok()?)
                .ok()?;
            (rustix::fs::fstat(&fd).ok()?.st_ino == inode).then_some(fd)
        })
    }

    fn transfer(
        &self,
        address: u64,
        local: *mut libc::c_void,
        len: usize,
        write: bool,
    ) -> Result<(), Errno> {
        if len == 0 {
            return Ok(());
        }
        let address = usize::try_from(address).map_err(|_| Errno::FAULT)?;
        let ours = libc::iovec {
            iov_base: local,
            iov_len: len,
        };
        let theirs = libc::iovec {
            iov_base: std::ptr::with_exposed_provenance_mut(address),
            iov_len: len,
        };
        let tid = libc::pid_t::try_from(self.call.tid).map_err(|_| Errno::SRCH)?;
        // SAFETY: `ours` is a live buffer of `len` bytes; the kernel checks `theirs` in the other process.
        let moved = unsafe {
            if write {
                libc::process_vm_writev(tid, &raw const ours, 1, &raw const theirs, 1, 0)
            } else {
                libc::process_vm_readv(tid, &raw const ours, 1, &raw const theirs, 1, 0)
            }
        };
        if usize::try_from(moved) == Ok(len) {
            return Ok(());
        }
        if moved < 0 {
            let error = std::io::Error::last_os_error();
            if error.raw_os_error() == Some(libc::EPERM) {
                self.door.not_permitted(&error);
                return Err(Errno::PERM);
            }
        }
        Err(Errno::FAULT)
    }
}

impl UserMem for Caller<'_> {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        self.transfer(address, into.as_mut_ptr().cast(), into.len(), false)?;
        // Bytes of a process that took over the number after ours died must not be used.
        if self.door.listener.is_valid(self.call.id) {
            Ok(())
        } else {
            Err(Errno::SRCH)
        }
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        if !self.door.listener.is_valid(self.call.id) {
            return Err(Errno::SRCH);
        }
        self.transfer(address, from.as_ptr().cast_mut().cast(), from.len(), true)
    }

    fn file(&mut self, fd: i32) -> Option<FileId> {
        self.door.identify(self, fd).ok().flatten()
    }

    fn take(&mut self, fd: i32) -> Result<OwnedFd, Errno> {
        self.descriptor(fd)
    }

    fn pin(&mut self, address: u64, len: u64) -> Result<OwnedFd, Errno> {
        // Another process's pages cannot be replaced from here. The user half replaces them by a memfd before it calls
        // and keeps that open; a foreign client's own shared pages are reachable with privilege.
        let end = address.checked_add(len).ok_or(Errno::INVAL)?;
        let mapping = Mapping::at(self.call.tid, address).ok_or(Errno::FAULT)?;
        if mapping.end < end {
            return Err(Errno::FAULT);
        }
        if mapping.offset != 0 || mapping.start != address {
            return Err(Errno::OPNOTSUPP);
        }
        let found = self
            .descriptor_of(mapping.inode)
            .or_else(|| mapping.open(self.call.tid));
        let fd = found.ok_or(Errno::OPNOTSUPP)?;
        if self.door.listener.is_valid(self.call.id) {
            Ok(fd)
        } else {
            Err(Errno::SRCH)
        }
    }
}

/// A descriptor of the thread that stopped, which is made sure to be still the one.
fn way_to(door: &Door, call: &Notification) -> Result<Arc<OwnedFd>, Errno> {
    let tid = libc::pid_t::try_from(call.tid).map_err(|_| Errno::SRCH)?;
    if tid == 0 {
        return Err(Errno::SRCH);
    }
    let pidfd = match pidfd_open(tid, PIDFD_THREAD) {
        // Older kernels open thread group leaders only.
        Err(Errno::INVAL) => {
            let leader = status_field(call.tid, "Tgid:").ok_or(Errno::SRCH)?;
            pidfd_open(libc::pid_t::try_from(leader).map_err(|_| Errno::SRCH)?, 0)
        }
        other => other,
    }?;
    if !door.listener.is_valid(call.id) {
        return Err(Errno::SRCH);
    }
    let pidfd = Arc::new(pidfd);
    door.processes.put(call.tid, &pidfd);
    Ok(pidfd)
}

fn pidfd_open(pid: libc::pid_t, flags: libc::c_uint) -> Result<OwnedFd, Errno> {
    // SAFETY: pidfd_open takes no pointers.
    let result = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, flags) };
    own(result)
}

fn own(result: libc::c_long) -> Result<OwnedFd, Errno> {
    match i32::try_from(result) {
        // SAFETY: the call returned a new descriptor that nobody else owns.
        Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)),
    }
}

/// First number of a line of `/proc/<tid>/status`.
fn status_field(tid: u32, name: &str) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
    text.lines()
        .find_map(|l| l.strip_prefix(name))?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

/// A line of `/proc/<tid>/maps` whose mapping is shared.
struct Mapping {
    start: u64,
    end: u64,
    offset: u64,
    inode: u64,
}

impl Mapping {
    fn at(tid: u32, address: u64) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{tid}/maps")).ok()?;
        text.lines()
            .find_map(|line| Self::parse(line).filter(|m| (m.start..m.end).contains(&address)))
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let shared = words.next()?.ends_with('s');
        let offset = u64::from_str_radix(words.next()?, 16).ok()?;
        let inode = words.nth(1)?.parse().ok()?;
        let hex = |text| u64::from_str_radix(text, 16).ok();
        shared.then_some(Self {
            start: hex(start)?,
            end: hex(end)?,
            offset,
            inode,
        })
    }

    /// By the mapping itself: the kernel lets the privileged do so.
    fn open(&self, tid: u32) -> Option<OwnedFd> {
        let path = format!("/proc/{tid}/map_files/{:x}-{:x}", self.start, self.end);
        rustix::fs::open(
            path,
            rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC,
            rustix::fs::Mode::empty(),
        )
        .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_lines_parse() {
        let line = "7f1200000000-7f1200200000 rw-s 00000000 00:01 4711                       /memfd:antlerite-pinned (deleted)";
        let mapping = Mapping::parse(line).expect("a shared mapping");
        assert_eq!(
            (mapping.start, mapping.end),
            (0x7f12_0000_0000, 0x7f12_0020_0000)
        );
        assert_eq!((mapping.offset, mapping.inode), (0, 4711));
        assert!(Mapping::parse("55d0-55e0 r-xp 00002000 08:01 12 /bin/cat").is_none());
    }
}
