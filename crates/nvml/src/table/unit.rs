//! Area `unit`.

use super::types::*;

api_table! { "unit";
    fn nvmlUnitGetCount(unit_count: Out<u32>) = call(system::unit_count);
    fn nvmlUnitGetHandleByIndex(index: u32, unit: Out<Unit>) = not_supported;
    fn nvmlUnitGetUnitInfo(unit: Unit, info: Out<nvmlUnitInfo_t>) = not_supported;
    fn nvmlUnitGetLedState(unit: Unit, state: Out<nvmlLedState_t>) = not_supported;
    fn nvmlUnitGetPsuInfo(unit: Unit, psu: Out<nvmlPSUInfo_t>) = not_supported;
    fn nvmlUnitGetTemperature(unit: Unit, kind: u32, temp: Out<u32>) = not_supported;
    fn nvmlUnitGetFanSpeedInfo(unit: Unit, fan_speeds: Out<nvmlUnitFanSpeeds_t>) = not_supported;
    fn nvmlUnitGetDevices(unit: Unit, device_count: Out<u32>, devices: Out<Device>) = not_supported;
    fn nvmlUnitSetLedState(unit: Unit, color: u32) = not_supported;
}
