//! Area `gpm`.

use super::types::*;

api_table! { "gpm";
    fn nvmlGpmMetricsGet(metrics_get: Out<nvmlGpmMetricsGet_t>) = not_supported;
    fn nvmlGpmSampleFree(gpm_sample: GpmSample) = not_supported;
    fn nvmlGpmSampleAlloc(gpm_sample: Out<GpmSample>) = not_supported;
    fn nvmlGpmSampleGet(device: Device, gpm_sample: GpmSample) = not_supported;
    fn nvmlGpmQueryDeviceSupport(device: Device, gpm_support: Out<nvmlGpmSupport_t>) = not_supported;
    fn nvmlGpmQueryIfStreamingEnabled(device: Device, state: Out<u32>) = not_supported;
    fn nvmlGpmSetStreamingEnabled(device: Device, state: u32) = not_supported;
}
