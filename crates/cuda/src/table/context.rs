//! Area `context`.

use super::types::*;

api_table! { "context";
    fn cuCtxAttach(pctx: Out<CUcontext>, flags: u32) since 2000 = todo;
    fn cuCtxCreate(pctx: Out<CUcontext>, flags: u32, dev: CUdevice) since 2000 = todo;
    fn cuCtxCreate_v2(pctx: Out<CUcontext>, flags: u32, dev: CUdevice) since 3020 = todo;
    fn cuCtxCreate_v3(pctx: Out<CUcontext>, params_array: Out<CUexecAffinityParam>, num_params: i32, flags: u32, dev: CUdevice) since 11040 = todo;
    fn cuCtxCreate_v4(pctx: Out<CUcontext>, ctx_create_params: Out<CUctxCreateParams>, flags: u32, dev: CUdevice) since 12050 = todo;
    fn cuCtxDestroy(ctx: CUcontext) since 2000 = todo;
    fn cuCtxDestroy_v2(ctx: CUcontext) since 4000 = todo;
    fn cuCtxDetach(ctx: CUcontext) since 2000 = todo;
    fn cuCtxGetApiVersion(ctx: CUcontext, version: Out<u32>) since 3020 = todo;
    fn cuCtxGetCacheConfig(pconfig: Out<CUfunc_cache>) since 3020 = todo;
    fn cuCtxGetCurrent(pctx: Out<CUcontext>) since 4000 = todo;
    fn cuCtxGetDevice(device: Out<CUdevice>) since 2000 = todo;
    fn cuCtxGetDevice_v2(device: Out<CUdevice>, ctx: CUcontext) since 13000 = todo;
    fn cuCtxGetExecAffinity(exec_affinity: Out<CUexecAffinityParam>, type_: CUexecAffinityType) since 11040 = todo;
    fn cuCtxGetFlags(flags: Out<u32>) since 7000 = todo;
    fn cuCtxGetId(ctx: CUcontext, ctx_id: Out<u64>) since 12000 = todo;
    fn cuCtxGetLimit(pvalue: Out<usize>, limit: CUlimit) since 3010 = todo;
    fn cuCtxGetSharedMemConfig(config: Out<CUsharedconfig>) since 4020 = todo;
    fn cuCtxGetStreamPriorityRange(least_priority: Out<i32>, greatest_priority: Out<i32>) since 5050 = todo;
    fn cuCtxPopCurrent(pctx: Out<CUcontext>) since 2000 = todo;
    fn cuCtxPopCurrent_v2(pctx: Out<CUcontext>) since 4000 = todo;
    fn cuCtxPushCurrent(ctx: CUcontext) since 2000 = todo;
    fn cuCtxPushCurrent_v2(ctx: CUcontext) since 4000 = todo;
    fn cuCtxRecordEvent(ctx: CUcontext, event: CUevent) since 12050 = todo;
    fn cuCtxResetPersistingL2Cache() since 11000 = todo;
    fn cuCtxSetCacheConfig(config: CUfunc_cache) since 3020 = todo;
    fn cuCtxSetCurrent(ctx: CUcontext) since 4000 = todo;
    fn cuCtxSetFlags(flags: u32) since 12010 = todo;
    fn cuCtxSetLimit(limit: CUlimit, value: usize) since 3010 = todo;
    fn cuCtxSetSharedMemConfig(config: CUsharedconfig) since 4020 = todo;
    fn cuCtxSynchronize() since 2000 = todo;
    fn cuCtxSynchronize_v2(ctx: CUcontext) since 13000 = todo;
    fn cuCtxWaitEvent(ctx: CUcontext, event: CUevent) since 12050 = todo;
}
