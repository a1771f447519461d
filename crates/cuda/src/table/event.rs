//! Area `event`.

use super::types::*;

api_table! { "event";
    fn cuEventCreate(event: Out<CUevent>, flags: u32) since 2000 = todo;
    fn cuEventDestroy(event: CUevent) since 2000 = todo;
    fn cuEventDestroy_v2(event: CUevent) since 4000 = todo;
    fn cuEventElapsedTime(milliseconds: Out<f32>, start: CUevent, end: CUevent) since 2000 = todo;
    fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: CUevent, end: CUevent) since 12080 = todo;
    fn cuEventQuery(event: CUevent) since 2000 = todo;
    fn cuEventRecord(event: CUevent, stream: CUstream) since 2000 = todo;
    fn cuEventRecordWithFlags(event: CUevent, stream: CUstream, flags: u32) since 11010 = todo;
    fn cuEventRecordWithFlags_ptsz(event: CUevent, stream: CUstream, flags: u32) since 11010 = todo;
    fn cuEventRecord_ptsz(event: CUevent, stream: CUstream) since 7000 = todo;
    fn cuEventSynchronize(event: CUevent) since 2000 = todo;
}
