//! Area `event`.

use super::types::*;

api_table! { "event";
    fn cuEventCreate(event: Out<CUevent>, flags: u32) since 2000 = call(event::create);
    fn cuEventDestroy(event: CUevent) since 2000 = call(event::destroy);
    fn cuEventDestroy_v2(event: CUevent) since 4000 = call(event::destroy);
    fn cuEventElapsedTime(milliseconds: Out<f32>, start: CUevent, end: CUevent) since 2000 = call(event::elapsed_time);
    fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: CUevent, end: CUevent) since 12080 = call(event::elapsed_time);
    fn cuEventQuery(event: CUevent) since 2000 = call(event::query);
    fn cuEventRecord(event: CUevent, stream: CUstream) since 2000 = call(event::record);
    fn cuEventRecordWithFlags(event: CUevent, stream: CUstream, flags: u32) since 11010 = call(event::record_with_flags);
    fn cuEventRecordWithFlags_ptsz(event: CUevent, stream: CUstream, flags: u32) since 11010 = call(event::record_with_flags);
    fn cuEventRecord_ptsz(event: CUevent, stream: CUstream) since 7000 = call(event::record);
    fn cuEventSynchronize(event: CUevent) since 2000 = call(event::synchronize);
}
