//! Area `event`.

use super::types::*;

api_table! { "event";
    fn nvmlEventSetCreate(set: Out<EventSet>) = call(event::create);
    fn nvmlDeviceRegisterEvents(device: Device, event_types: u64, set: EventSet) = call(event::register);
    fn nvmlDeviceGetSupportedEventTypes(device: Device, event_types: Out<u64>) = call(event::supported);
    fn nvmlEventSetWait_v2(set: EventSet, data: Out<nvmlEventData_t>, timeoutms: u32) = call(event::wait);
    fn nvmlEventSetFree(set: EventSet) = call(event::free);
    fn nvmlSystemEventSetCreate(request: Out<nvmlSystemEventSetCreateRequest_v1_t>) = not_supported;
    fn nvmlSystemEventSetFree(request: Out<nvmlSystemEventSetFreeRequest_v1_t>) = not_supported;
    fn nvmlSystemRegisterEvents(request: Out<nvmlSystemRegisterEventRequest_v1_t>) = not_supported;
    fn nvmlSystemEventSetWait(request: Out<nvmlSystemEventSetWaitRequest_v1_t>) = not_supported;
    fn nvmlEventSetWait(set: EventSet, data: Out<nvmlEventData_t>, timeoutms: u32) = call(event::wait);
}
