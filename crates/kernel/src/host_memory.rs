//! The program's own memory for the copy engines of its GPU process (`abi::host_memory`).
//!
//! Only while the program has heterogeneous memory management on; then what runs on its GPU may reach its memory, as on
//! hardware, but no other program's: the program is held by a pidfd, and asked for by nothing else.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use abi::host_memory::{ANSWER_HEAD, MOST, REQUEST_HEAD, Request};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use rustix::process::{Pid, PidfdFlags};

/// Serves a GPU process's socket with the memory of process `pid`, until the socket ends. Where that cannot be, the
/// memory is out of reach, and an access to it is a fault.
pub fn serve(socket: Arc<OwnedFd>, pid: u32) {
    let Some(pid) = Pid::from_raw(pid.cast_signed()) else {
        return;
    };
    let Ok(pidfd) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else {
        return;
    };
    // Without the thread nobody answers: the socket's end tells.
    let _ = std::thread::Builder::new()
        .name(format!("hmm-{}", pid.as_raw_nonzero()))
        .stack_size(128 << 10)
        .spawn(move || {
            let mut packet = vec![0; REQUEST_HEAD + MOST];
            let mut answer = vec![0; ANSWER_HEAD + MOST];
            loop {
                let got = match rustix::net::recv(&*socket, &mut packet, RecvFlags::empty()) {
                    Ok((got, all)) if got != 0 && got == all => got,
                    Err(Errno::INTR) => continue,
                    Ok(_) | Err(_) => break,
                };
                let Some((request, data)) = Request::of(&packet[..got]) else {
                    break;
                };
                let len = usize::try_from(request.len).unwrap_or(0);
                let moved = if request.write {
                    write(&pidfd, pid, request.va, data).map(|()| 0)
                } else {
                    let out = &mut answer[ANSWER_HEAD..ANSWER_HEAD + len];
                    read(&pidfd, pid, request.va, out).map(|()| len)
                };
                let (code, len) = match moved {
                    Ok(len) => (0, len),
                    Err(errno) => (errno.raw_os_error(), 0),
                };
                answer[..ANSWER_HEAD].copy_from_slice(&code.to_le_bytes());
                let answer = &answer[..ANSWER_HEAD + len];
                if rustix::net::send(&*socket, answer, SendFlags::NOSIGNAL).is_err() {
                    break;
                }
            }
            let _ = rustix::net::shutdown(&*socket, rustix::net::Shutdown::Both);
        });
}

/// Whether the process that the pidfd means still has its number.
fn lives(pidfd: &OwnedFd) -> Result<(), Errno> {
    let now = rustix::event::Timespec::default();
    let mut fds = [PollFd::new(pidfd, PollFlags::IN)];
    match rustix::event::poll(&mut fds, Some(&now)) {
        Ok(0) => Ok(()),
        Ok(_) => Err(Errno::SRCH),
        Err(errno) => Err(errno),
    }
}

fn read(pidfd: &OwnedFd, pid: Pid, va: u64, out: &mut [u8]) -> Result<(), Errno> {
    lives(pidfd)?;
    let (local, remote) = (iovec(out.as_mut_ptr(), out.len()), theirs(va, out.len())?);
    // SAFETY: `local` is a live buffer; the system checks `remote` in the other process.
    let moved = unsafe {
        libc::process_vm_readv(
            pid.as_raw_pid(),
            &raw const local,
            1,
            &raw const remote,
            1,
            0,
        )
    };
    whole(moved, out.len())
}

fn write(pidfd: &OwnedFd, pid: Pid, va: u64, data: &[u8]) -> Result<(), Errno> {
    lives(pidfd)?;
    let (local, remote) = (
        iovec(data.as_ptr().cast_mut(), data.len()),
        theirs(va, data.len())?,
    );
    // SAFETY: `local` is a live buffer that is only read; the system checks `remote` in the other process.
    let moved = unsafe {
        libc::process_vm_writev(
            pid.as_raw_pid(),
            &raw const local,
            1,
            &raw const remote,
            1,
            0,
        )
    };
    whole(moved, data.len())
}

fn iovec(base: *mut u8, len: usize) -> libc::iovec {
    libc::iovec {
        iov_base: base.cast(),
        iov_len: len,
    }
}

fn theirs(va: u64, len: usize) -> Result<libc::iovec, Errno> {
    let at = usize::try_from(va).map_err(|_| Errno::FAULT)?;
    Ok(iovec(std::ptr::with_exposed_provenance_mut(at), len))
}

fn whole(moved: libc::ssize_t, wanted: usize) -> Result<(), Errno> {
    match usize::try_from(moved) {
        Ok(moved) if moved == wanted => Ok(()),
        Ok(_) => Err(Errno::FAULT),
        Err(_) => {
            Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::FAULT))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_both_ways_and_bad_addresses_are_errors() {
        let (ours, theirs) = rustix::net::socketpair(
            rustix::net::AddressFamily::UNIX,
            rustix::net::SocketType::SEQPACKET,
            rustix::net::SocketFlags::CLOEXEC,
            None,
        )
        .expect("socketpair");
        serve(Arc::new(theirs), std::process::id());
        let memory = [7_u8; 4096];
        let va = memory.as_ptr().expose_provenance() as u64;
        let ask = |request: Request, data: &[u8]| {
            let packet = [&request.head()[..], data].concat();
            rustix::net::send(&ours, &packet, SendFlags::NOSIGNAL).expect("send");
            let mut answer = vec![0; ANSWER_HEAD + MOST];
            let (got, _) =
                rustix::net::recv(&ours, &mut answer[..], RecvFlags::empty()).expect("recv");
            answer.truncate(got);
            answer
        };
        let mut request = Request {
            write: false,
            va,
            len: 4096,
        };
        let read = ask(request, &[]);
        assert_eq!(read.len(), ANSWER_HEAD + 4096);
        assert!(read[ANSWER_HEAD..].iter().all(|byte| *byte == 7));
        request.va = 8;
        assert_ne!(ask(request, &[])[..ANSWER_HEAD], [0; ANSWER_HEAD]);
        (request.va, request.len, request.write) = (va, 1, true);
        assert_eq!(ask(request, &[9]), [0; ANSWER_HEAD]);
        // SAFETY: within the array, which was stored to from outside of what the compiler sees.
        assert_eq!(unsafe { memory.as_ptr().read_volatile() }, 9);
        // Nonsense ends it.
        rustix::net::send(&ours, b"?", SendFlags::NOSIGNAL).expect("send");
        let mut rest = [0; 1];
        let (got, _) = rustix::net::recv(&ours, &mut rest[..], RecvFlags::empty()).expect("end");
        assert_eq!(got, 0);
    }
}
