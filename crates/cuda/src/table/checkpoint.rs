//! Area `checkpoint`.

use super::types::*;

api_table! { "checkpoint";
    fn cuCheckpointProcessCheckpoint(pid: i32, args: Out<CUcheckpointCheckpointArgs>) since 12080 = early(checkpoint::checkpoint);
    fn cuCheckpointProcessGetRestoreThreadId(pid: i32, tid: Out<i32>) since 12080 = early(checkpoint::get_restore_thread);
    fn cuCheckpointProcessGetState(pid: i32, state: Out<CUprocessState>) since 12080 = early(checkpoint::get_state);
    fn cuCheckpointProcessLock(pid: i32, args: Out<CUcheckpointLockArgs>) since 12080 = early(checkpoint::lock);
    fn cuCheckpointProcessRestore(pid: i32, args: Out<CUcheckpointRestoreArgs>) since 12080 = early(checkpoint::restore);
    fn cuCheckpointProcessUnlock(pid: i32, args: Out<CUcheckpointUnlockArgs>) since 12080 = early(checkpoint::unlock);
}
