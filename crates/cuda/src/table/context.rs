//! Area `context`.

use super::types::*;

api_table! { "context";
    fn cuCtxAttach(pctx: Out<CUcontext>, flags: u32) since 2000 = call(context::attach);
    fn cuCtxCreate(pctx: Out<CUcontext>, flags: u32, dev: CUdevice) since 2000 = call(context::create_v1);
    fn cuCtxCreate_v2(pctx: Out<CUcontext>, flags: u32, dev: CUdevice) since 3020 = call(context::create_v2);
    fn cuCtxCreate_v3(pctx: Out<CUcontext>, params_array: Out<CUexecAffinityParam>, num_params: i32, flags: u32, dev: CUdevice) since 11040 = call(context::create_v3);
    fn cuCtxCreate_v4(pctx: Out<CUcontext>, ctx_create_params: Out<CUctxCreateParams>, flags: u32, dev: CUdevice) since 12050 = call(context::create_v4);
    fn cuCtxDestroy(ctx: CUcontext) since 2000 = call(context::destroy);
    fn cuCtxDestroy_v2(ctx: CUcontext) since 4000 = call(context::destroy);
    fn cuCtxDetach(ctx: CUcontext) since 2000 = call(context::detach);
    fn cuCtxGetApiVersion(ctx: CUcontext, version: Out<u32>) since 3020 = call(context::get_api_version);
    fn cuCtxGetCacheConfig(pconfig: Out<CUfunc_cache>) since 3020 = call(context::get_cache_config);
    fn cuCtxGetCurrent(pctx: Out<CUcontext>) since 4000 = call(context::get_current);
    fn cuCtxGetDevice(device: Out<CUdevice>) since 2000 = call(context::get_device);
    fn cuCtxGetDevice_v2(device: Out<CUdevice>, ctx: CUcontext) since 13000 = call(context::get_device_v2);
    fn cuCtxGetExecAffinity(exec_affinity: Out<CUexecAffinityParam>, type_: CUexecAffinityType) since 11040 = call(context::get_exec_affinity);
    fn cuCtxGetFlags(flags: Out<u32>) since 7000 = call(context::get_flags);
    fn cuCtxGetId(ctx: CUcontext, ctx_id: Out<u64>) since 12000 = call(context::get_id);
    fn cuCtxGetLimit(pvalue: Out<usize>, limit: CUlimit) since 3010 = call(context::get_limit);
    fn cuCtxGetSharedMemConfig(config: Out<CUsharedconfig>) since 4020 = call(context::get_shared_mem_config);
    fn cuCtxGetStreamPriorityRange(least_priority: Out<i32>, greatest_priority: Out<i32>) since 5050 = call(context::get_stream_priority_range);
    fn cuCtxPopCurrent(pctx: Out<CUcontext>) since 2000 = call(context::pop);
    fn cuCtxPopCurrent_v2(pctx: Out<CUcontext>) since 4000 = call(context::pop);
    fn cuCtxPushCurrent(ctx: CUcontext) since 2000 = call(context::push);
    fn cuCtxPushCurrent_v2(ctx: CUcontext) since 4000 = call(context::push);
    fn cuCtxRecordEvent(ctx: CUcontext, event: CUevent) since 12050 = call(context_event::record);
    fn cuCtxResetPersistingL2Cache() since 11000 = call(context::reset_persisting_l2_cache);
    fn cuCtxSetCacheConfig(config: CUfunc_cache) since 3020 = call(context::set_cache_config);
    fn cuCtxSetCurrent(ctx: CUcontext) since 4000 = call(context::set_current);
    fn cuCtxSetFlags(flags: u32) since 12010 = call(context::set_flags);
    fn cuCtxSetLimit(limit: CUlimit, value: usize) since 3010 = call(context::set_limit);
    fn cuCtxSetSharedMemConfig(config: CUsharedconfig) since 4020 = call(context::set_shared_mem_config);
    fn cuCtxSynchronize() since 2000 = call(context::synchronize);
    fn cuCtxSynchronize_v2(ctx: CUcontext) since 13000 = call(context::synchronize_v2);
    fn cuCtxWaitEvent(ctx: CUcontext, event: CUevent) since 12050 = call(context_event::wait);
}
