//! NVML's handles and structs (layouts: NVML API Reference 13.0).
#![allow(
    non_camel_case_types,
    non_snake_case,
    reason = "NVML's names at the ABI edge"
)]
#![expect(missing_docs, reason = "the NVML API Reference documents each field")]

use std::ffi::c_char;

use crate::ffi::Argument;

/// What a device handle has above the index: "NVML", so that a stray number is no handle.
const DEVICE_TAG: usize = 0x4e56_4d4c_0000_0000;

/// `nvmlDevice_t`: a number, never an address. It stays good over shutdown and a new init.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Device(usize);

impl Device {
    /// The handle of GPU `index`.
    #[must_use]
    pub fn new(index: usize) -> Self {
        Self(DEVICE_TAG | (index & 0xffff_ffff))
    }

    /// Index of the GPU, if this is a handle at all.
    #[must_use]
    pub fn index(self) -> Option<usize> {
        (self.0 & !0xffff_ffff == DEVICE_TAG).then_some(self.0 & 0xffff_ffff)
    }
}

impl Argument for Device {
    fn acceptable(&self, gpus: usize) -> bool {
        self.index().is_some_and(|index| index < gpus)
    }
}

/// `nvmlEventSet_t`: a number of this library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct EventSet(pub usize);

impl Argument for EventSet {
    fn acceptable(&self, _: usize) -> bool {
        self.0 != 0
    }
}

/// Handles of things that this driver has none of.
macro_rules! absent {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            #[repr(transparent)]
            pub struct $name(usize);

            impl Argument for $name {
                fn acceptable(&self, _: usize) -> bool {
                    self.0 != 0
                }
            }
        )*
    };
}

absent! {
    /// `nvmlUnit_t`.
    Unit,
    /// `nvmlGpuInstance_t`.
    GpuInstance,
    /// `nvmlComputeInstance_t`.
    ComputeInstance,
    /// `nvmlGpmSample_t`.
    GpmSample,
}

/// Structs that only functions without support have in their signatures.
macro_rules! opaque {
    ($($name:ident,)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`, of which only addresses pass here.")]
            #[derive(Debug)]
            pub enum $name {}
        )*
    };
}

opaque! {
    nvmlActiveVgpuInstanceInfo_v1_t, nvmlBridgeChipHierarchy_t, nvmlC2cModeInfo_v1_t,
    nvmlClkMonStatus_t, nvmlClockOffset_v1_t, nvmlComputeInstanceInfo_t, nvmlComputeInstancePlacement_t,
    nvmlComputeInstanceProfileInfo_t, nvmlComputeInstanceProfileInfo_v2_t,
    nvmlConfComputeGetKeyRotationThresholdInfo_v1_t, nvmlConfComputeGpuAttestationReport_t,
    nvmlConfComputeGpuCertificate_t, nvmlConfComputeMemSizeInfo_t,
    nvmlConfComputeSetKeyRotationThresholdInfo_v1_t, nvmlConfComputeSystemCaps_t, nvmlConfComputeSystemState_t,
    nvmlCoolerInfo_v1_t, nvmlDeviceAddressingMode_v1_t, nvmlDeviceAttributes_t, nvmlDeviceCapabilities_v1_t,
    nvmlDeviceCurrentClockFreqs_v1_t, nvmlDevicePerfModes_v1_t, nvmlDevicePowerMizerModes_v1_t,
    nvmlDramEncryptionInfo_v1_t, nvmlEccSramErrorStatus_v1_t,
    nvmlEccSramUniqueUncorrectedErrorCounts_v1_t, nvmlEncoderSessionInfo_t, nvmlExcludedDeviceInfo_t,
    nvmlFBCSessionInfo_t, nvmlFBCStats_t, nvmlFanSpeedInfo_v1_t, nvmlGpmMetricsGet_t, nvmlGpmSupport_t,
    nvmlGpuDynamicPstatesInfo_t, nvmlGpuFabricInfo_t, nvmlGpuFabricInfo_v3_t, nvmlGpuInstanceInfo_t,
    nvmlGpuInstancePlacement_t, nvmlGpuInstanceProfileInfo_t, nvmlGpuInstanceProfileInfo_v2_t,
    nvmlGpuThermalSettings_t, nvmlGridLicensableFeatures_t, nvmlHostname_v1_t, nvmlHwbcEntry_t, nvmlLedState_t,
    nvmlMarginTemperature_v1_t, nvmlNvLinkInfo_v2_t, nvmlNvLinkPowerThres_t, nvmlNvLinkUtilizationControl_t,
    nvmlNvlinkGetBwMode_v1_t, nvmlNvlinkSetBwMode_v1_t, nvmlNvlinkSupportedBwModes_v1_t, nvmlPRMTLV_v1_t,
    nvmlPSUInfo_t, nvmlPdi_v1_t, nvmlPlatformInfo_v2_t, nvmlPowerSmoothingProfile_v1_t,
    nvmlPowerSmoothingState_v1_t, nvmlPowerValue_v2_t,     nvmlRepairStatus_v1_t, nvmlRowRemapperHistogramValues_t,     nvmlSystemConfComputeSettings_v1_t, nvmlSystemEventSetCreateRequest_v1_t,
    nvmlSystemEventSetFreeRequest_v1_t, nvmlSystemEventSetWaitRequest_v1_t, nvmlSystemRegisterEventRequest_v1_t,
    nvmlUnitFanSpeeds_t, nvmlUnitInfo_t, nvmlVgpuCreatablePlacementInfo_v1_t, nvmlVgpuHeterogeneousMode_v1_t,
    nvmlVgpuInstanceUtilizationSample_t, nvmlVgpuInstancesUtilizationInfo_v1_t, nvmlVgpuLicenseInfo_t,
    nvmlVgpuMetadata_t, nvmlVgpuPgpuCompatibility_t, nvmlVgpuPgpuMetadata_t, nvmlVgpuPlacementId_v1_t,
    nvmlVgpuPlacementList_v2_t, nvmlVgpuProcessUtilizationSample_t, nvmlVgpuProcessesUtilizationInfo_v1_t,
    nvmlVgpuRuntimeState_v1_t, nvmlVgpuSchedulerCapabilities_t, nvmlVgpuSchedulerGetState_t,
    nvmlVgpuSchedulerLogInfo_v1_t, nvmlVgpuSchedulerLog_t, nvmlVgpuSchedulerSetState_t,
    nvmlVgpuSchedulerStateInfo_v1_t, nvmlVgpuSchedulerState_v1_t, nvmlVgpuTypeBar1Info_v1_t,
    nvmlVgpuTypeIdInfo_v1_t, nvmlVgpuTypeMaxInstance_v1_t, nvmlVgpuVersion_t, nvmlViolationTime_t,
    nvmlWorkloadPowerProfileCurrentProfiles_v1_t, nvmlWorkloadPowerProfileProfilesInfo_v1_t,
    nvmlWorkloadPowerProfileRequestedProfiles_v1_t,
}

/// A plain C struct.
macro_rules! plain {
    ($size:literal pub struct $name:ident { $($body:tt)* }) => {
        #[doc = concat!("`", stringify!($name), "`, ", $size, " bytes.")]
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub struct $name { $($body)* }
        const _: () = assert!(size_of::<$name>() == $size);
    };
}

plain! { 24
pub struct nvmlMemory_t {
    pub total: u64,
    pub free: u64,
    pub used: u64,
} }

plain! { 40
pub struct nvmlMemory_v2_t {
    pub version: u32,
    pub total: u64,
    pub reserved: u64,
    pub free: u64,
    pub used: u64,
} }

plain! { 24
pub struct nvmlBAR1Memory_t {
    pub bar1Total: u64,
    pub bar1Free: u64,
    pub bar1Used: u64,
} }

plain! { 56
pub struct nvmlAccountingStats_t {
    pub gpuUtilization: u32,
    pub memoryUtilization: u32,
    pub maxMemoryUsage: u64,
    pub time: u64,
    pub startTime: u64,
    pub isRunning: u32,
    pub reserved: [u32; 5],
} }

plain! { 8
pub struct nvmlUtilization_t {
    pub gpu: u32,
    pub memory: u32,
} }

plain! { 16
pub struct nvmlProcessInfo_v1_t {
    pub pid: u32,
    pub usedGpuMemory: u64,
} }

plain! { 24
pub struct nvmlProcessInfo_v2_t {
    pub pid: u32,
    pub usedGpuMemory: u64,
    pub gpuInstanceId: u32,
    pub computeInstanceId: u32,
} }

plain! { 24
pub struct nvmlProcessDetailList_v1_t {
    pub version: u32,
    pub mode: u32,
    pub numProcArrayEntries: u32,
    pub procArray: usize,
} }

plain! { 68
pub struct nvmlPciInfo_t {
    pub busIdLegacy: [c_char; 16],
    pub domain: u32,
    pub bus: u32,
    pub device: u32,
    pub pciDeviceId: u32,
    pub pciSubSystemId: u32,
    pub busId: [c_char; 32],
} }

plain! { 36
pub struct PciInfoLegacy {
    pub busId: [c_char; 16],
    pub domain: u32,
    pub bus: u32,
    pub device: u32,
    pub pciDeviceId: u32,
    pub pciSubSystemId: u32,
} }

plain! { 64
pub struct nvmlPciInfoExt_v1_t {
    pub version: u32,
    pub domain: u32,
    pub bus: u32,
    pub device: u32,
    pub pciDeviceId: u32,
    pub pciSubSystemId: u32,
    pub baseClass: u32,
    pub subClass: u32,
    pub busId: [c_char; 32],
} }

plain! { 32
pub struct nvmlEventData_t {
    pub device: Device,
    pub eventType: u64,
    pub eventData: u64,
    pub gpuInstanceId: u32,
    pub computeInstanceId: u32,
} }

plain! { 40
pub struct nvmlFieldValue_t {
    pub fieldId: u32,
    pub scopeId: u32,
    pub timestamp: i64,
    pub latencyUsec: i64,
    pub valueType: u32,
    pub nvmlReturn: u32,
    pub value: u64,
} }

plain! { 32
pub struct nvmlEccErrorCounts_t {
    pub l1Cache: u64,
    pub l2Cache: u64,
    pub deviceMemory: u64,
    pub registerFile: u64,
} }

plain! { 32
pub struct nvmlProcessUtilizationSample_t {
    pub pid: u32,
    pub timeStamp: u64,
    pub smUtil: u32,
    pub memUtil: u32,
    pub encUtil: u32,
    pub decUtil: u32,
} }

plain! { 40
pub struct nvmlProcessUtilizationInfo_v1_t {
    pub timeStamp: u64,
    pub pid: u32,
    pub smUtil: u32,
    pub memUtil: u32,
    pub encUtil: u32,
    pub decUtil: u32,
    pub jpgUtil: u32,
    pub ofaUtil: u32,
} }

plain! { 24
pub struct nvmlProcessesUtilizationInfo_v1_t {
    pub version: u32,
    pub processSamplesCount: u32,
    pub lastSeenTimeStamp: u64,
    pub procUtilArray: usize,
} }

plain! { 16
pub struct nvmlSample_t {
    pub timeStamp: u64,
    pub sampleValue: u64,
} }

plain! { 12
pub struct nvmlTemperature_v1_t {
    pub version: u32,
    pub sensorType: u32,
    pub temperature: i32,
} }

plain! { 84
pub struct nvmlSystemDriverBranchInfo_v1_t {
    pub version: u32,
    pub branch: [c_char; 80],
} }

plain! { 52
pub struct nvmlUUID_v1_t {
    pub version: u32,
    pub kind: u32,
    pub value: [u8; 44],
} }

/// Version word of a versioned struct.
#[must_use]
pub const fn version_of<T>(version: u32) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "sizes of small structs")]
    let size = size_of::<T>() as u32;
    size | version << 24
}

/// A text in a fixed field, cut to leave a NUL.
#[must_use]
pub fn text_field<const N: usize>(text: &str) -> [c_char; N] {
    let mut field = [0; N];
    for (to, from) in field.iter_mut().take(N.saturating_sub(1)).zip(text.bytes()) {
        *to = from.cast_signed();
    }
    field
}
