//! Area `stream_memop`.

use super::types::*;

api_table! { "stream_memop";
    fn cuStreamBatchMemOp(stream: CUstream, count: u32, param_array: Out<CUstreamBatchMemOpParams>, flags: u32) since 8000 = call(stream_memop::batch);
    fn cuStreamBatchMemOp_ptsz(stream: CUstream, count: u32, param_array: Out<CUstreamBatchMemOpParams>, flags: u32) since 8000 = call(stream_memop::batch);
    fn cuStreamBatchMemOp_v2(stream: CUstream, count: u32, param_array: Out<CUstreamBatchMemOpParams>, flags: u32) since 11070 = call(stream_memop::batch);
    fn cuStreamBatchMemOp_v2_ptsz(stream: CUstream, count: u32, param_array: Out<CUstreamBatchMemOpParams>, flags: u32) since 11070 = call(stream_memop::batch);
    fn cuStreamWaitValue32(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: u32) since 8000 = call(stream_memop::wait_32);
    fn cuStreamWaitValue32_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: u32) since 8000 = call(stream_memop::wait_32);
    fn cuStreamWaitValue32_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: u32) since 11070 = call(stream_memop::wait_32);
    fn cuStreamWaitValue32_v2_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: u32) since 11070 = call(stream_memop::wait_32);
    fn cuStreamWaitValue64(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: u32) since 9000 = call(stream_memop::wait_64);
    fn cuStreamWaitValue64_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: u32) since 9000 = call(stream_memop::wait_64);
    fn cuStreamWaitValue64_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: u32) since 11070 = call(stream_memop::wait_64);
    fn cuStreamWaitValue64_v2_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: u32) since 11070 = call(stream_memop::wait_64);
    fn cuStreamWriteValue32(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: u32) since 8000 = call(stream_memop::write_32);
    fn cuStreamWriteValue32_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: u32) since 8000 = call(stream_memop::write_32);
    fn cuStreamWriteValue32_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: u32) since 11070 = call(stream_memop::write_32);
    fn cuStreamWriteValue32_v2_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: u32) since 11070 = call(stream_memop::write_32);
    fn cuStreamWriteValue64(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: u32) since 9000 = call(stream_memop::write_64);
    fn cuStreamWriteValue64_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: u32) since 9000 = call(stream_memop::write_64);
    fn cuStreamWriteValue64_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: u32) since 11070 = call(stream_memop::write_64);
    fn cuStreamWriteValue64_v2_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: u32) since 11070 = call(stream_memop::write_64);
}
