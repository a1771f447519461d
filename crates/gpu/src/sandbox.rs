//! The process's own seccomp filter, entered before the first client byte.
//!
//! What kernels run is arbitrary code, so the filter and the kernel half's distrust are what contains it. In the static
//! build the filter also demands that a system call comes from our own code (or the vDSO, for the clock).

use crate::signal;
use abi::link;
use core::ops::Range;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op,
    SeccompCondition, SeccompFilter, SeccompRule, TargetArch, sock_filter,
};
use std::collections::BTreeMap;

/// Why the sandbox could not be entered.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The filter could not be built.
    #[error("filter: {0}")]
    Build(#[from] BackendError),
    /// The kernel refused it.
    #[error("seccomp: {0}")]
    Apply(#[from] seccompiler::Error),
}

/// Process limits that hold from the start: no core files, no new privileges, not traceable by others of the same user.
///
/// The end of the parent is the end of the link, which ends this process; a parent-death signal would come already when
/// the parent's *thread* that started us ends.
pub fn limits() {
    let none = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: plain calls with valid arguments.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
    }
}

fn when(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions)
}

/// The filter of a process that talks on `link_fd`, and on `sockets` by other calls.
fn filter(link_fd: i32, sockets: &[i32], pid: i32) -> Result<BpfProgram, SandboxError> {
    let any = |call: libc::c_long| (call, vec![]);
    let arg = |index: u8, value: u64| SeccompCondition::new(index, Len::Dword, Op::Eq, value);
    let fd = u64::from(link_fd.cast_unsigned());
    let other =
        |value: i32| SeccompCondition::new(0, Len::Dword, Op::Ne, u64::from(value.cast_unsigned()));
    let mut kept = vec![other(link_fd)?];
    for socket in sockets {
        kept.push(other(*socket)?);
    }
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = [
        any(libc::SYS_futex),
        any(libc::SYS_futex_waitv),
        any(libc::SYS_mmap),
        any(libc::SYS_munmap),
        any(libc::SYS_mprotect),
        any(libc::SYS_madvise),
        any(libc::SYS_mincore),
        any(libc::SYS_brk),
        any(libc::SYS_mremap),
        (libc::SYS_sendmsg, vec![when(vec![arg(0, fd)?])?]),
        // Descriptors that came with messages.
        (libc::SYS_close, vec![when(kept)?]),
        any(libc::SYS_fstat),
        // The standard library's debug build asks whether a descriptor that it closes is open.
        (
            libc::SYS_fcntl,
            vec![when(vec![arg(
                1,
                u64::from(libc::F_GETFD.cast_unsigned()),
            )?])?],
        ),
        any(libc::SYS_clock_gettime),
        any(libc::SYS_clock_nanosleep),
        any(libc::SYS_nanosleep),
        any(libc::SYS_sched_yield),
        any(libc::SYS_gettid),
        any(libc::SYS_getpid),
        any(libc::SYS_sigaltstack),
        any(libc::SYS_rt_sigreturn),
        any(libc::SYS_rt_sigprocmask),
        any(libc::SYS_restart_syscall),
        (
            libc::SYS_tgkill,
            vec![when(vec![arg(0, u64::from(pid.cast_unsigned()))?])?],
        ),
        any(libc::SYS_exit),
        any(libc::SYS_exit_group),
    ]
    .into_iter()
    .collect();
    for call in [libc::SYS_recvmsg, libc::SYS_recvfrom, libc::SYS_sendto] {
        let mut allowed = Vec::new();
        if call == libc::SYS_recvmsg {
            allowed.push(when(vec![arg(0, fd)?])?);
        }
        for socket in sockets {
            allowed.push(when(vec![arg(0, u64::from(socket.cast_unsigned()))?])?);
        }
        // No rule would allow the call on everything.
        if !allowed.is_empty() {
            rules.insert(call, allowed);
        }
    }
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Trap,
        SeccompAction::Allow,
        TargetArch::x86_64,
    )?;
    Ok(filter.try_into()?)
}

/// Offsets in `struct seccomp_data`.
const DATA_NR: u32 = 0;
const DATA_IP_LOW: u32 = 8;
const DATA_IP_HIGH: u32 = 12;
const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
const JEQ: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const JGE: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const RET: u16 = 0x06; // BPF_RET | BPF_K

/// Instructions, put in front of a filter, that trap calls from anywhere but `own` (below 4 GiB); the clock may also be
/// read by the vDSO's own system call.
fn only_from(own: &Range<u64>) -> Vec<sock_filter> {
    let ins = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "below 4 GiB, checked by the caller"
    )]
    let (start, end) = (own.start as u32, own.end as u32);
    #[expect(clippy::cast_possible_truncation, reason = "a small number")]
    let clock = libc::SYS_clock_gettime as u32;
    vec![
        ins(LOAD, 0, 0, DATA_NR),
        ins(JEQ, 6, 0, clock),
        ins(LOAD, 0, 0, DATA_IP_HIGH),
        ins(JEQ, 0, 3, 0),
        ins(LOAD, 0, 0, DATA_IP_LOW),
        ins(JGE, 0, 1, start),
        ins(JGE, 0, 1, end),
        ins(RET, 0, 0, libc::SECCOMP_RET_TRAP),
    ]
}

/// Enters the sandbox with all threads.
///
/// # Errors
/// The kernel has no seccomp filters, or another thread has one of its own.
pub fn enter(link_fd: i32, sockets: &[i32]) -> Result<(), SandboxError> {
    // SAFETY: no arguments.
    let pid = unsafe { libc::getpid() };
    let mut program = filter(link_fd, sockets, pid)?;
    let own = signal::own_text();
    if link::IMAGE_WINDOW.contains(&own.start) && link::IMAGE_WINDOW.contains(&own.end) {
        let mut whole = only_from(&own);
        whole.append(&mut program);
        program = whole;
    }
    seccompiler::apply_filter_all_threads(&program)?;
    Ok(())
}
