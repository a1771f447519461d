//! Area `vdpau_interop`.

use super::types::*;

api_table! { "vdpau_interop";
    fn cuGraphicsVDPAURegisterOutputSurface(cuda_resource: Out<CUgraphicsResource>, vdp_surface: VdpOutputSurface, flags: u32) since 3010 = never("no display");
    fn cuGraphicsVDPAURegisterVideoSurface(cuda_resource: Out<CUgraphicsResource>, vdp_surface: VdpVideoSurface, flags: u32) since 3010 = never("no display");
    fn cuVDPAUCtxCreate(ctx: Out<CUcontext>, flags: u32, device: CUdevice, vdp_device: VdpDevice, vdp_get_proc_address: Out<VdpGetProcAddress>) since 3010 = never("no display");
    fn cuVDPAUCtxCreate_v2(ctx: Out<CUcontext>, flags: u32, device: CUdevice, vdp_device: VdpDevice, vdp_get_proc_address: Out<VdpGetProcAddress>) since 3020 = never("no display");
    fn cuVDPAUGetDevice(device: Out<CUdevice>, vdp_device: VdpDevice, vdp_get_proc_address: Out<VdpGetProcAddress>) since 3010 = never("no display");
}
