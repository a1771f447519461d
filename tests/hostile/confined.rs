//! A program as nobody in particular, under what a container's default profile leaves of the system calls.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// Who runs it: `nobody` of another world, in no group that owns anything.
const NOBODY: u32 = 65_534;

/// What Docker's default profile refuses with EPERM to a process without capabilities.
const REFUSED: &[i64] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_ioperm,
    libc::SYS_iopl,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mbind,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_move_pages,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_set_mempolicy,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Executes the program; comes back only with an error.
pub fn run(program: &[&str], filtered: bool) -> Result<(), String> {
    let (name, arguments) = program.split_first().ok_or("no program")?;
    let filters = if filtered {
        hide_fuse()?;
        vec![namespaces(), refusals(), no_clone3()]
            .into_iter()
            .collect::<Result<Vec<BpfProgram>, _>>()
            .map_err(|why| why.to_string())?
    } else {
        Vec::new()
    };
    drop_user()?;
    for filter in &filters {
        // Also sets no_new_privs.
        seccompiler::apply_filter(filter).map_err(|why| why.to_string())?;
    }
    if filtered {
        self_check()?;
    }
    Err(format!(
        "{name}: {}",
        Command::new(name).args(arguments).exec()
    ))
}

fn filter(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    errno: i32,
) -> Result<BpfProgram, seccompiler::BackendError> {
    SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(errno.cast_unsigned()),
        TargetArch::x86_64,
    )?
    .try_into()
}

fn refusals() -> Result<BpfProgram, seccompiler::BackendError> {
    let rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    filter(rules, libc::EPERM)
}

/// `clone` with any of the flags that make a namespace.
fn namespaces() -> Result<BpfProgram, seccompiler::BackendError> {
    let flags = [
        libc::CLONE_NEWNS,
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
    ];
    let mut rules = Vec::new();
    for flag in flags {
        let bit = u64::from(flag.cast_unsigned());
        let condition =
            SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(bit), bit)?;
        rules.push(SeccompRule::new(vec![condition])?);
    }
    filter(BTreeMap::from([(libc::SYS_clone, rules)]), libc::EPERM)
}

/// Its flags lie in memory where no filter sees them: callers must fall back to `clone`.
fn no_clone3() -> Result<BpfProgram, seccompiler::BackendError> {
    filter(
        BTreeMap::from([(libc::SYS_clone3, Vec::new())]),
        libc::ENOSYS,
    )
}

/// Containers have no /dev/fuse: here a private mount hides it, where we may mount.
fn hide_fuse() -> Result<(), String> {
    if rustix::process::geteuid().as_raw() != 0 || !std::path::Path::new("/dev/fuse").exists() {
        return Ok(());
    }
    let call = |what: &str, result: i32| {
        if result == 0 {
            Ok(())
        } else {
            Err(format!("{what}: {}", std::io::Error::last_os_error()))
        }
    };
    let text = |text: &str| CString::new(text).map_err(|why| why.to_string());
    let (none, root) = (text("none")?, text("/")?);
    let (null, fuse) = (text("/dev/null")?, text("/dev/fuse")?);
    // SAFETY: no pointers.
    let own = call("unshare", unsafe { libc::unshare(libc::CLONE_NEWNS) });
    if own.is_err() {
        // Within a container already; what matters is that it cannot be opened, which is checked later.
        return Ok(());
    }
    let private = libc::MS_REC | libc::MS_PRIVATE;
    // SAFETY: NUL-terminated strings that outlive the calls, no data.
    unsafe {
        let made = libc::mount(
            none.as_ptr(),
            root.as_ptr(),
            std::ptr::null(),
            private,
            std::ptr::null(),
        );
        call("private mounts", made)?;
        let bound = libc::mount(
            null.as_ptr(),
            fuse.as_ptr(),
            std::ptr::null(),
            libc::MS_BIND,
            std::ptr::null(),
        );
        call("hiding /dev/fuse", bound)
    }
}

/// From root to nobody; another user stays who he is.
fn drop_user() -> Result<(), String> {
    if rustix::process::geteuid().as_raw() != 0 {
        return Ok(());
    }
    // SAFETY: no pointers but an empty list.
    let failed = unsafe {
        libc::setgroups(0, std::ptr::null()) != 0
            || libc::setresgid(NOBODY, NOBODY, NOBODY) != 0
            || libc::setresuid(NOBODY, NOBODY, NOBODY) != 0
    };
    if failed {
        return Err(format!(
            "dropping root: {}",
            std::io::Error::last_os_error()
        ));
    }
    Ok(())
}

/// That the filter refuses: a test under a filter that lets all pass would pass for nothing.
fn self_check() -> Result<(), String> {
    let errno = |result: libc::c_long| {
        (result < 0)
            .then(|| std::io::Error::last_os_error().raw_os_error())
            .flatten()
    };
    // SAFETY: none of these takes a pointer; all must fail.
    let refused = unsafe {
        [
            errno(libc::syscall(libc::SYS_unshare, libc::CLONE_NEWUSER)),
            errno(libc::syscall(libc::SYS_userfaultfd, 1)),
            errno(libc::syscall(
                libc::SYS_clone,
                libc::CLONE_NEWUSER | libc::SIGCHLD,
                0,
                0,
                0,
                0,
            )),
        ]
    };
    if refused != [Some(libc::EPERM); 3] {
        return Err(format!("the filter does not refuse: {refused:?}"));
    }
    // /dev/null, bound over it, opens; a FUSE request does not work on either.
    let fuse = std::fs::metadata("/dev/fuse").ok();
    let device = fuse.map(|meta| std::os::unix::fs::MetadataExt::rdev(&meta));
    let real = device == Some(libc::makedev(10, 229));
    let opens = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/fuse")
        .is_ok();
    if real && opens {
        return Err("/dev/fuse is there and opens".into());
    }
    Ok(())
}
