//! Area `gl_interop`.

use super::types::*;

api_table! { "gl_interop";
    fn cuGLCtxCreate(ctx: Out<CUcontext>, flags: u32, device: CUdevice) since 2000 = never("no display");
    fn cuGLCtxCreate_v2(ctx: Out<CUcontext>, flags: u32, device: CUdevice) since 3020 = never("no display");
    fn cuGLGetDevices(p_cuda_device_count: Out<u32>, p_cuda_devices: Out<CUdevice>, cuda_device_count: u32, device_list: CUGLDeviceList) since 4010 = never("no display");
    fn cuGLGetDevices_v2(p_cuda_device_count: Out<u32>, p_cuda_devices: Out<CUdevice>, cuda_device_count: u32, device_list: CUGLDeviceList) since 6050 = never("no display");
    fn cuGLInit() since 2000 = never("no display");
    fn cuGLMapBufferObject(dptr: Out<CUdeviceptr_v1>, size: Out<u32>, buffer: GLuint) since 2000 = never("no display");
    fn cuGLMapBufferObjectAsync(dptr: Out<CUdeviceptr_v1>, size: Out<u32>, buffer: GLuint, stream: CUstream) since 2030 = never("no display");
    fn cuGLMapBufferObjectAsync_v2(dptr: Out<CUdeviceptr>, size: Out<usize>, buffer: GLuint, stream: CUstream) since 3020 = never("no display");
    fn cuGLMapBufferObjectAsync_v2_ptsz(dptr: Out<CUdeviceptr>, size: Out<usize>, buffer: GLuint, stream: CUstream) since 7000 = never("no display");
    fn cuGLMapBufferObject_v2(dptr: Out<CUdeviceptr>, size: Out<usize>, buffer: GLuint) since 3020 = never("no display");
    fn cuGLMapBufferObject_v2_ptds(dptr: Out<CUdeviceptr>, size: Out<usize>, buffer: GLuint) since 7000 = never("no display");
    fn cuGLRegisterBufferObject(buffer: GLuint) since 2000 = never("no display");
    fn cuGLSetBufferObjectMapFlags(buffer: GLuint, flags: u32) since 2030 = never("no display");
    fn cuGLUnmapBufferObject(buffer: GLuint) since 2000 = never("no display");
    fn cuGLUnmapBufferObjectAsync(buffer: GLuint, stream: CUstream) since 2030 = never("no display");
    fn cuGLUnregisterBufferObject(buffer: GLuint) since 2000 = never("no display");
    fn cuGraphicsGLRegisterBuffer(cuda_resource: Out<CUgraphicsResource>, buffer: GLuint, flags: u32) since 3000 = never("no display");
    fn cuGraphicsGLRegisterImage(cuda_resource: Out<CUgraphicsResource>, image: GLuint, target: GLenum, flags: u32) since 3000 = never("no display");
}
