//! The notification filter: which system calls stop and wait for the kernel half.
//!
//! Only `ioctl` with a request that NVIDIA's nodes use, the calls of module tools and dmesg, and the old `stat` and
//! `lstat` (by which NVIDIA's libraries look at the nodes; today's C libraries make other calls) are trapped; whether
//! the descriptor or path really is one of the nodes is for the receiver to find out (and to let the call continue
//! where it is not).

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "system call numbers and the program's length are small"
)]

use std::os::fd::{FromRawFd, OwnedFd};

/// Why the filter could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    /// `prctl(PR_SET_NO_NEW_PRIVS)` failed.
    #[error("no_new_privs: {0}")]
    NoNewPrivs(std::io::Error),
    /// `seccomp(2)` refused: EBUSY means that another notification filter is in force (a container run-time, or this
    /// program inside another such door).
    #[error("seccomp notification filter: {0}")]
    Seccomp(std::io::Error),
}

const AUDIT_ARCH_X86_64: u32 = 0xc000_003e;
const SECCOMP_SET_MODE_FILTER: libc::c_uint = 1;
const SECCOMP_FILTER_FLAG_NEW_LISTENER: libc::c_ulong = 1 << 3;
const SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV: libc::c_ulong = 1 << 5;

const OFFSET_NR: u32 = 0;
const OFFSET_ARCH: u32 = 4;
const OFFSET_ARG1: u32 = 24;

const fn load(offset: u32) -> libc::sock_filter {
    libc::sock_filter {
        code: 0x20,
        jt: 0,
        jf: 0,
        k: offset,
    }
}
const fn and(mask: u32) -> libc::sock_filter {
    libc::sock_filter {
        code: 0x54,
        jt: 0,
        jf: 0,
        k: mask,
    }
}
const fn jump_eq(value: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter {
        code: 0x15,
        jt,
        jf,
        k: value,
    }
}
const fn jump_ge(value: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter {
        code: 0x35,
        jt,
        jf,
        k: value,
    }
}
const fn ret(action: u32) -> libc::sock_filter {
    libc::sock_filter {
        code: 0x06,
        jt: 0,
        jf: 0,
        k: action,
    }
}

/// Calls of module tools and dmesg, and what asks for a node by its path, which stop whatever their arguments.
const ALWAYS: [libc::c_long; 6] = [
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_syslog,
];

/// The program: RM requests `_IOWR('F', …)`, modeset requests `_IOWR('m', …)`, and UVM's bare numbers (below 0x100,
/// 0x7ff, 0x3000_0001 and 0x3000_0002).
pub(crate) fn program() -> [libc::sock_filter; 21] {
    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
    const NOTIFY: u32 = libc::SECCOMP_RET_USER_NOTIF;
    [
        load(OFFSET_ARCH),
        jump_eq(AUDIT_ARCH_X86_64, 0, 17), // -> 19 allow
        load(OFFSET_NR),
        // What is called most comes first.
        jump_eq(libc::SYS_ioctl as u32, 6, 0), // -> 10
        jump_eq(ALWAYS[0] as u32, 15, 0),      // -> 20 notify
        jump_eq(ALWAYS[1] as u32, 14, 0),      // -> 20 notify
        jump_eq(ALWAYS[2] as u32, 13, 0),      // -> 20 notify
        jump_eq(ALWAYS[3] as u32, 12, 0),      // -> 20 notify
        jump_eq(ALWAYS[4] as u32, 11, 0),      // -> 20 notify
        jump_eq(ALWAYS[5] as u32, 10, 9),      // -> 20 notify, 19 allow
        load(OFFSET_ARG1),
        jump_ge(0x100, 0, 8),       // -> 20 notify
        jump_eq(0x7ff, 7, 0),       // -> 20 notify
        jump_eq(0x3000_0001, 6, 0), // -> 20 notify
        jump_eq(0x3000_0002, 5, 0), // -> 20 notify
        and(0xc000_ff00),
        jump_eq(0xc000_4600, 3, 0), // -> 20 notify
        jump_eq(0xc000_6d00, 2, 0), // -> 20 notify
        ret(ALLOW),
        ret(ALLOW),
        ret(NOTIFY),
    ]
}

/// Installs the filter on the calling thread (and what it forks or executes from now on) and returns the listener.
///
/// # Errors
/// See [`FilterError`].
pub fn install() -> Result<OwnedFd, FilterError> {
    // SAFETY: prctl with these constants touches no memory.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        return Err(FilterError::NoNewPrivs(std::io::Error::last_os_error()));
    }
    let mut instructions = program();
    let program = libc::sock_fprog {
        len: instructions.len() as u16,
        filter: instructions.as_mut_ptr(),
    };
    // SAFETY: `program` points to `len` valid instructions that outlive the call.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            SECCOMP_SET_MODE_FILTER,
            SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
            &raw const program,
        )
    };
    let fd = i32::try_from(fd).unwrap_or(-1);
    if fd < 0 {
        return Err(FilterError::Seccomp(std::io::Error::last_os_error()));
    }
    // SAFETY: the call returned a new descriptor that nobody else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the filter on one call as the kernel would.
    fn run(arch: u32, nr: u32, request: u32) -> u32 {
        let program = program();
        let (mut pc, mut acc) = (0usize, 0u32);
        loop {
            let i = program[pc];
            pc += 1;
            match i.code {
                0x20 => {
                    acc = [(OFFSET_ARCH, arch), (OFFSET_NR, nr), (OFFSET_ARG1, request)]
                        .iter()
                        .find(|p| p.0 == i.k)
                        .expect("offset")
                        .1
                }
                0x54 => acc &= i.k,
                0x15 => pc += usize::from(if acc == i.k { i.jt } else { i.jf }),
                0x35 => pc += usize::from(if acc >= i.k { i.jt } else { i.jf }),
                0x06 => return i.k,
                other => panic!("instruction {other:#x}"),
            }
        }
    }

    #[test]
    fn traps_nvidia_requests_and_nothing_else() {
        let ioctl = libc::SYS_ioctl as u32;
        let on = |request| run(AUDIT_ARCH_X86_64, ioctl, request) == libc::SECCOMP_RET_USER_NOTIF;
        for request in [
            0xc020_462a,
            0xc030_462b,
            0xc038_464e,
            0xc900_46c8,
            0xc010_6d00,
            33,
            75,
            0x7ff,
            0x3000_0001,
            0x3000_0002,
        ] {
            assert!(on(request), "{request:#x}");
        }
        for request in [
            0x5401, /* TCGETS */
            0x5413,
            0x8004_7001,
            0x4004_6600,
            0x4020_4640,
            0x3000_0003,
            0x800,
            0x100,
        ] {
            assert!(!on(request), "{request:#x}");
        }
        assert_eq!(
            run(AUDIT_ARCH_X86_64, libc::SYS_openat as u32, 33),
            libc::SECCOMP_RET_ALLOW
        );
        for call in ALWAYS {
            assert_eq!(
                run(AUDIT_ARCH_X86_64, call as u32, 0x5401),
                libc::SECCOMP_RET_USER_NOTIF
            );
        }
        assert_eq!(run(0x4000_0003, ioctl, 33), libc::SECCOMP_RET_ALLOW);
    }
}
