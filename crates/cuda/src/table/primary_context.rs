//! Area `primary_context`.

use super::types::*;

api_table! { "primary_context";
    fn cuDevicePrimaryCtxGetState(dev: CUdevice, flags: Out<u32>, active: Out<i32>) since 7000 = todo;
    fn cuDevicePrimaryCtxRelease(dev: CUdevice) since 7000 = todo;
    fn cuDevicePrimaryCtxRelease_v2(dev: CUdevice) since 11000 = todo;
    fn cuDevicePrimaryCtxReset(dev: CUdevice) since 7000 = todo;
    fn cuDevicePrimaryCtxReset_v2(dev: CUdevice) since 11000 = todo;
    fn cuDevicePrimaryCtxRetain(pctx: Out<CUcontext>, dev: CUdevice) since 7000 = todo;
    fn cuDevicePrimaryCtxSetFlags(dev: CUdevice, flags: u32) since 7000 = todo;
    fn cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: u32) since 11000 = todo;
}
