//! Checkpoints of processes: every process runs and stays so, because this device's state is not written to files.

use cuda_abi::driver::{
    CUcheckpointCheckpointArgs, CUcheckpointLockArgs, CUcheckpointRestoreArgs,
    CUcheckpointUnlockArgs, CUprocessState, CUresult, Out,
};

use crate::ffi::Write;

/// 1 for a process that there is not.
fn known(pid: i32) -> Result<(), CUresult> {
    // SAFETY: signal 0 is sent to nobody.
    let there = pid > 0 && unsafe { libc::kill(pid, 0) } == 0;
    if there {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

pub(crate) fn get_state(pid: i32, out: Out<CUprocessState>) -> Result<(), CUresult> {
    let out = out.required()?;
    known(pid)?;
    out.set(CUprocessState::RUNNING)
}

/// The thread that would restore a process: its main thread.
pub(crate) fn get_restore_thread(pid: i32, out: Out<i32>) -> Result<(), CUresult> {
    let out = out.required()?;
    known(pid)?;
    out.set(pid)
}

pub(crate) fn lock(pid: i32, _args: Out<CUcheckpointLockArgs>) -> Result<(), CUresult> {
    known(pid)?;
    Err(CUresult::NOT_SUPPORTED)
}

/// 401: the process is not locked.
pub(crate) fn checkpoint(pid: i32, _args: Out<CUcheckpointCheckpointArgs>) -> Result<(), CUresult> {
    known(pid)?;
    Err(CUresult::ILLEGAL_STATE)
}

/// 401: there is no checkpoint.
pub(crate) fn restore(pid: i32, _args: Out<CUcheckpointRestoreArgs>) -> Result<(), CUresult> {
    known(pid)?;
    Err(CUresult::ILLEGAL_STATE)
}

/// 401: the process is not locked.
pub(crate) fn unlock(pid: i32, _args: Out<CUcheckpointUnlockArgs>) -> Result<(), CUresult> {
    known(pid)?;
    Err(CUresult::ILLEGAL_STATE)
}
