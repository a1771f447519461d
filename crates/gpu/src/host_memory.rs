//! The program's own memory, as the copy engine of a GPU with heterogeneous memory management reaches it: the kernel
//! half loads and stores for us (`abi::host_memory`). Kernels reach none of it.

use crate::access::{self, AccessFault};
use crate::shared_map::errno;
use abi::host_memory::{ANSWER_HEAD, MOST, REQUEST_HEAD, Request};
use std::sync::{Mutex, PoisonError};

/// Our end of the socket. One request at a time.
static SOCKET: Mutex<Option<i32>> = Mutex::new(None);

/// Says where the kernel half listens.
pub fn install(fd: i32) {
    *SOCKET.lock().unwrap_or_else(PoisonError::into_inner) = Some(fd);
}

/// Copies bytes of which some are not mapped here: where nothing is, they are the program's.
///
/// # Errors
/// `fault`, when the program has nothing there either, or the kernel half does not serve it.
pub fn copy(dst: u64, src: u64, bytes: u64, fault: AccessFault) -> Result<(), AccessFault> {
    let socket = SOCKET.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(fd) = *socket else {
        return Err(fault);
    };
    let mut packet = vec![0_u8; REQUEST_HEAD + MOST];
    let mut done = 0;
    while done < bytes {
        let len = (bytes - done).min(MOST as u64);
        let data = REQUEST_HEAD..REQUEST_HEAD + len as usize;
        let (from, to) = (src.wrapping_add(done), dst.wrapping_add(done));
        if access::read_bytes(from, &mut packet[data.clone()]).is_err() {
            read(fd, from, &mut packet[data.clone()]).ok_or(fault)?;
        }
        if access::write_bytes(to, &packet[data.clone()]).is_err() {
            let request = Request {
                write: true,
                va: to,
                len,
            };
            packet[..REQUEST_HEAD].copy_from_slice(&request.head());
            ask(fd, &packet[..data.end], &mut []).ok_or(fault)?;
        }
        done += len;
    }
    Ok(())
}

fn read(fd: i32, va: u64, out: &mut [u8]) -> Option<()> {
    let request = Request {
        write: false,
        va,
        len: out.len() as u64,
    };
    ask(fd, &request.head(), out)
}

/// Sends a request and takes its answer; none unless that is 0.
fn ask(fd: i32, request: &[u8], out: &mut [u8]) -> Option<()> {
    let mut answer = vec![0_u8; ANSWER_HEAD + out.len()];
    // SAFETY: the buffers are ours and as long as said.
    unsafe {
        while libc::send(
            fd,
            request.as_ptr().cast(),
            request.len(),
            libc::MSG_NOSIGNAL,
        ) < 0
        {
            if errno() != libc::EINTR {
                return None;
            }
        }
        loop {
            let got = libc::recv(fd, answer.as_mut_ptr().cast(), answer.len(), 0);
            if usize::try_from(got) == Ok(answer.len()) && answer.starts_with(&[0; ANSWER_HEAD]) {
                out.copy_from_slice(&answer[ANSWER_HEAD..]);
                return Some(());
            }
            if got >= 0 || errno() != libc::EINTR {
                return None;
            }
        }
    }
}
