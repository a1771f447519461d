//! Area `primary_context`.

use super::types::*;

api_table! { "primary_context";
    fn cuDevicePrimaryCtxGetState(dev: CUdevice, flags: Out<u32>, active: Out<i32>) since 7000 = call(primary_context::get_state);
    fn cuDevicePrimaryCtxRelease(dev: CUdevice) since 7000 = call(primary_context::release);
    fn cuDevicePrimaryCtxRelease_v2(dev: CUdevice) since 11000 = call(primary_context::release);
    fn cuDevicePrimaryCtxReset(dev: CUdevice) since 7000 = call(primary_context::reset);
    fn cuDevicePrimaryCtxReset_v2(dev: CUdevice) since 11000 = call(primary_context::reset);
    fn cuDevicePrimaryCtxRetain(pctx: Out<CUcontext>, dev: CUdevice) since 7000 = call(primary_context::retain);
    fn cuDevicePrimaryCtxSetFlags(dev: CUdevice, flags: u32) since 7000 = call(primary_context::set_flags);
    fn cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: u32) since 11000 = call(primary_context::set_flags);
}
