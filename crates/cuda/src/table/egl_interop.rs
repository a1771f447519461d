//! Area `egl_interop`.

use super::types::*;

api_table! { "egl_interop";
    fn cuEGLStreamConsumerAcquireFrame(conn: Out<CUeglStreamConnection>, cuda_resource: Out<CUgraphicsResource>, stream: Out<CUstream>, timeout: u32) since 7000 = never("no display");
    fn cuEGLStreamConsumerConnect(conn: Out<CUeglStreamConnection>, stream: EGLStreamKHR) since 7000 = never("no display");
    fn cuEGLStreamConsumerConnectWithFlags(conn: Out<CUeglStreamConnection>, stream: EGLStreamKHR, flags: u32) since 8000 = never("no display");
    fn cuEGLStreamConsumerDisconnect(conn: Out<CUeglStreamConnection>) since 7000 = never("no display");
    fn cuEGLStreamConsumerReleaseFrame(conn: Out<CUeglStreamConnection>, cuda_resource: CUgraphicsResource, stream: Out<CUstream>) since 7000 = never("no display");
    fn cuEGLStreamProducerConnect(conn: Out<CUeglStreamConnection>, stream: EGLStreamKHR, width: EGLint, height: EGLint) since 7000 = never("no display");
    fn cuEGLStreamProducerDisconnect(conn: Out<CUeglStreamConnection>) since 7000 = never("no display");
    fn cuEGLStreamProducerPresentFrame(conn: Out<CUeglStreamConnection>, eglframe: CUeglFrame, stream: Out<CUstream>) since 7000 = never("no display");
    fn cuEGLStreamProducerReturnFrame(conn: Out<CUeglStreamConnection>, eglframe: Out<CUeglFrame>, stream: Out<CUstream>) since 7000 = never("no display");
    fn cuEventCreateFromEGLSync(event: Out<CUevent>, egl_sync: EGLSyncKHR, flags: u32) since 9000 = never("no display");
    fn cuGraphicsEGLRegisterImage(cuda_resource: Out<CUgraphicsResource>, image: EGLImageKHR, flags: u32) since 7000 = never("no display");
    fn cuGraphicsResourceGetMappedEglFrame(egl_frame: Out<CUeglFrame>, resource: CUgraphicsResource, index: u32, mip_level: u32) since 7000 = never("no display");
}
