//! Area `green_context`.

use super::types::*;

api_table! { "green_context";
    fn cuCtxFromGreenCtx(context: Out<CUcontext>, ctx: CUgreenCtx) since 12040 = call(green::to_context);
    fn cuCtxGetDevResource(ctx: CUcontext, resource: Out<CUdevResource>, type_: CUdevResourceType) since 12040 = call(green::of_context);
    fn cuDevResourceGenerateDesc(desc: Out<CUdevResourceDesc>, resources: Out<CUdevResource>, nb_resources: u32) since 12040 = call(green::describe);
    fn cuDevSmResourceSplitByCount(result: Out<CUdevResource>, nb_groups: Out<u32>, input: In<CUdevResource>, remaining: Out<CUdevResource>, use_flags: u32, min_count: u32) since 12040 = call(green::split);
    fn cuDeviceGetDevResource(device: CUdevice, resource: Out<CUdevResource>, type_: CUdevResourceType) since 12040 = call(green::of_device);
    fn cuGreenCtxCreate(ctx: Out<CUgreenCtx>, desc: CUdevResourceDesc, dev: CUdevice, flags: u32) since 12040 = call(green::create);
    fn cuGreenCtxDestroy(ctx: CUgreenCtx) since 12040 = call(green::destroy);
    fn cuGreenCtxGetDevResource(ctx: CUgreenCtx, resource: Out<CUdevResource>, type_: CUdevResourceType) since 12040 = call(green::of_green);
    fn cuGreenCtxGetId(green_ctx: CUgreenCtx, green_ctx_id: Out<u64>) since 12090 = call(green::get_id);
    fn cuGreenCtxRecordEvent(ctx: CUgreenCtx, event: CUevent) since 12040 = call(green::record_event);
    fn cuGreenCtxStreamCreate(stream: Out<CUstream>, green_ctx: CUgreenCtx, flags: u32, priority: i32) since 12050 = call(green::create_stream);
    fn cuGreenCtxWaitEvent(ctx: CUgreenCtx, event: CUevent) since 12040 = call(green::wait_event);
    fn cuStreamGetGreenCtx(stream: CUstream, ctx: Out<CUgreenCtx>) since 12040 = call(green::of_stream);
}
