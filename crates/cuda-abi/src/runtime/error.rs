//! `cudaError_t`: codes, names and texts.
//!
//! Source of the facts: `driver_types.h` of CUDA 12.9 and 13.0 (codes and names); the texts are
//! what `cudaGetErrorString` answers.

/// Declares the error table: one row gives the Rust variant, the C name, the code and the text.
macro_rules! errors {
    ($($code:literal $rust:ident $c:literal $text:literal;)*) => {
        /// An error of the CUDA Runtime API (every `cudaError_t` but `cudaSuccess`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum CudaError {
            $(#[doc = concat!("`", $c, "` (", stringify!($code), "): ", $text, ".")] $rust = $code,)*
        }

        impl CudaError {
            /// Every error, in the order of its code.
            pub const ALL: &'static [CudaError] = &[$(CudaError::$rust),*];

            /// The error with this code; `None` for 0 and for codes CUDA 13.0 does not define.
            #[must_use]
            pub const fn from_code(code: i32) -> Option<CudaError> {
                match code {
                    $($code => Some(CudaError::$rust),)*
                    _ => None,
                }
            }

            /// The C enumerator, as `cudaGetErrorName` gives it.
            #[must_use]
            pub const fn name(self) -> &'static core::ffi::CStr {
                match self {
                    $(CudaError::$rust => c_str(concat!($c, "\0")),)*
                }
            }

            /// The description, as `cudaGetErrorString` gives it.
            #[must_use]
            pub const fn text(self) -> &'static core::ffi::CStr {
                match self {
                    $(CudaError::$rust => c_str(concat!($text, "\0")),)*
                }
            }
        }
    };
}

/// A C string from a literal that ends in NUL.
const fn c_str(text: &'static str) -> &'static core::ffi::CStr {
    match core::ffi::CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => c"",
    }
}

/// What `cudaGetErrorName` and `cudaGetErrorString` answer for a code that is not in the table.
pub const UNRECOGNIZED: &core::ffi::CStr = c"unrecognized error code";

/// The name of `cudaSuccess`.
pub const SUCCESS_NAME: &core::ffi::CStr = c"cudaSuccess";

/// The description of `cudaSuccess`.
pub const SUCCESS_TEXT: &core::ffi::CStr = c"no error";

errors! {
    1 InvalidValue "cudaErrorInvalidValue" "invalid argument";
    2 MemoryAllocation "cudaErrorMemoryAllocation" "out of memory";
    3 InitializationError "cudaErrorInitializationError" "initialization error";
    4 CudartUnloading "cudaErrorCudartUnloading" "driver shutting down";
    5 ProfilerDisabled "cudaErrorProfilerDisabled" "profiler disabled while using external profiling tool";
    6 ProfilerNotInitialized "cudaErrorProfilerNotInitialized" "profiler not initialized: call cudaProfilerInitialize()";
    7 ProfilerAlreadyStarted "cudaErrorProfilerAlreadyStarted" "profiler already started";
    8 ProfilerAlreadyStopped "cudaErrorProfilerAlreadyStopped" "profiler already stopped";
    9 InvalidConfiguration "cudaErrorInvalidConfiguration" "invalid configuration argument";
    12 InvalidPitchValue "cudaErrorInvalidPitchValue" "invalid pitch argument";
    13 InvalidSymbol "cudaErrorInvalidSymbol" "invalid device symbol";
    16 InvalidHostPointer "cudaErrorInvalidHostPointer" "invalid host pointer";
    17 InvalidDevicePointer "cudaErrorInvalidDevicePointer" "invalid device pointer";
    18 InvalidTexture "cudaErrorInvalidTexture" "invalid texture reference";
    19 InvalidTextureBinding "cudaErrorInvalidTextureBinding" "texture is not bound to a pointer";
    20 InvalidChannelDescriptor "cudaErrorInvalidChannelDescriptor" "invalid channel descriptor";
    21 InvalidMemcpyDirection "cudaErrorInvalidMemcpyDirection" "invalid copy direction for memcpy";
    22 AddressOfConstant "cudaErrorAddressOfConstant" "invalid address of constant";
    23 TextureFetchFailed "cudaErrorTextureFetchFailed" "fetch from texture failed";
    24 TextureNotBound "cudaErrorTextureNotBound" "cannot fetch from a texture that is not bound";
    25 SynchronizationError "cudaErrorSynchronizationError" "incorrect use of __syncthreads()";
    26 InvalidFilterSetting "cudaErrorInvalidFilterSetting" "linear filtering not supported for non-float type";
    27 InvalidNormSetting "cudaErrorInvalidNormSetting" "read as normalized float not supported for data type";
    28 MixedDeviceExecution "cudaErrorMixedDeviceExecution" "device emulation mode and device execution mode cannot be mixed";
    31 NotYetImplemented "cudaErrorNotYetImplemented" "feature not yet implemented";
    32 MemoryValueTooLarge "cudaErrorMemoryValueTooLarge" "memory size or pointer value too large to fit in 32 bit";
    34 StubLibrary "cudaErrorStubLibrary" "CUDA driver is a stub library";
    35 InsufficientDriver "cudaErrorInsufficientDriver" "CUDA driver version is insufficient for CUDA runtime version";
    36 CallRequiresNewerDriver "cudaErrorCallRequiresNewerDriver" "API call is not supported in the installed CUDA driver";
    37 InvalidSurface "cudaErrorInvalidSurface" "invalid surface reference";
    43 DuplicateVariableName "cudaErrorDuplicateVariableName" "duplicate global variable looked up by string name";
    44 DuplicateTextureName "cudaErrorDuplicateTextureName" "duplicate texture looked up by string name";
    45 DuplicateSurfaceName "cudaErrorDuplicateSurfaceName" "duplicate surface looked up by string name";
    46 DevicesUnavailable "cudaErrorDevicesUnavailable" "CUDA-capable device(s) is/are busy or unavailable";
    49 IncompatibleDriverContext "cudaErrorIncompatibleDriverContext" "incompatible driver context";
    52 MissingConfiguration "cudaErrorMissingConfiguration" "__global__ function call is not configured";
    53 PriorLaunchFailure "cudaErrorPriorLaunchFailure" "unspecified launch failure in prior launch";
    65 LaunchMaxDepthExceeded "cudaErrorLaunchMaxDepthExceeded" "launch would exceed maximum depth of nested launches";
    66 LaunchFileScopedTex "cudaErrorLaunchFileScopedTex" "launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)";
    67 LaunchFileScopedSurf "cudaErrorLaunchFileScopedSurf" "launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)";
    68 SyncDepthExceeded "cudaErrorSyncDepthExceeded" "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth";
    69 LaunchPendingCountExceeded "cudaErrorLaunchPendingCountExceeded" "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount";
    98 InvalidDeviceFunction "cudaErrorInvalidDeviceFunction" "invalid device function";
    100 NoDevice "cudaErrorNoDevice" "no CUDA-capable device is detected";
    101 InvalidDevice "cudaErrorInvalidDevice" "invalid device ordinal";
    102 DeviceNotLicensed "cudaErrorDeviceNotLicensed" "device doesn't have valid Grid license";
    103 SoftwareValidityNotEstablished "cudaErrorSoftwareValidityNotEstablished" "integrity checks failed";
    127 StartupFailure "cudaErrorStartupFailure" "startup failure in cuda runtime";
    200 InvalidKernelImage "cudaErrorInvalidKernelImage" "device kernel image is invalid";
    201 DeviceUninitialized "cudaErrorDeviceUninitialized" "invalid device context";
    205 MapBufferObjectFailed "cudaErrorMapBufferObjectFailed" "mapping of buffer object failed";
    206 UnmapBufferObjectFailed "cudaErrorUnmapBufferObjectFailed" "unmapping of buffer object failed";
    207 ArrayIsMapped "cudaErrorArrayIsMapped" "array is mapped";
    208 AlreadyMapped "cudaErrorAlreadyMapped" "resource already mapped";
    209 NoKernelImageForDevice "cudaErrorNoKernelImageForDevice" "no kernel image is available for execution on the device";
    210 AlreadyAcquired "cudaErrorAlreadyAcquired" "resource already acquired";
    211 NotMapped "cudaErrorNotMapped" "resource not mapped";
    212 NotMappedAsArray "cudaErrorNotMappedAsArray" "resource not mapped as array";
    213 NotMappedAsPointer "cudaErrorNotMappedAsPointer" "resource not mapped as pointer";
    214 ECCUncorrectable "cudaErrorECCUncorrectable" "uncorrectable ECC error encountered";
    215 UnsupportedLimit "cudaErrorUnsupportedLimit" "limit is not supported on this architecture";
    216 DeviceAlreadyInUse "cudaErrorDeviceAlreadyInUse" "exclusive-thread device already in use by a different thread";
    217 PeerAccessUnsupported "cudaErrorPeerAccessUnsupported" "peer access is not supported between these two devices";
    218 InvalidPtx "cudaErrorInvalidPtx" "a PTX JIT compilation failed";
    219 InvalidGraphicsContext "cudaErrorInvalidGraphicsContext" "invalid OpenGL or DirectX context";
    220 NvlinkUncorrectable "cudaErrorNvlinkUncorrectable" "uncorrectable NVLink error detected during the execution";
    221 JitCompilerNotFound "cudaErrorJitCompilerNotFound" "PTX JIT compiler library not found";
    222 UnsupportedPtxVersion "cudaErrorUnsupportedPtxVersion" "the provided PTX was compiled with an unsupported toolchain.";
    223 JitCompilationDisabled "cudaErrorJitCompilationDisabled" "PTX JIT compilation was disabled";
    224 UnsupportedExecAffinity "cudaErrorUnsupportedExecAffinity" "the provided execution affinity is not supported";
    225 UnsupportedDevSideSync "cudaErrorUnsupportedDevSideSync" "the provided PTX contains unsupported call to cudaDeviceSynchronize";
    226 Contained "cudaErrorContained" "Invalid access of peer GPU memory over nvlink or a hardware error";
    300 InvalidSource "cudaErrorInvalidSource" "device kernel image is invalid";
    301 FileNotFound "cudaErrorFileNotFound" "file not found";
    302 SharedObjectSymbolNotFound "cudaErrorSharedObjectSymbolNotFound" "shared object symbol not found";
    303 SharedObjectInitFailed "cudaErrorSharedObjectInitFailed" "shared object initialization failed";
    304 OperatingSystem "cudaErrorOperatingSystem" "OS call failed or operation not supported on this OS";
    400 InvalidResourceHandle "cudaErrorInvalidResourceHandle" "invalid resource handle";
    401 IllegalState "cudaErrorIllegalState" "the operation cannot be performed in the present state";
    402 LossyQuery "cudaErrorLossyQuery" "attempted introspection would be semantically lossy";
    500 SymbolNotFound "cudaErrorSymbolNotFound" "named symbol not found";
    600 NotReady "cudaErrorNotReady" "device not ready";
    700 IllegalAddress "cudaErrorIllegalAddress" "an illegal memory access was encountered";
    701 LaunchOutOfResources "cudaErrorLaunchOutOfResources" "too many resources requested for launch";
    702 LaunchTimeout "cudaErrorLaunchTimeout" "the launch timed out and was terminated";
    703 LaunchIncompatibleTexturing "cudaErrorLaunchIncompatibleTexturing" "launch uses incompatible texturing mode";
    704 PeerAccessAlreadyEnabled "cudaErrorPeerAccessAlreadyEnabled" "peer access is already enabled";
    705 PeerAccessNotEnabled "cudaErrorPeerAccessNotEnabled" "peer access has not been enabled";
    708 SetOnActiveProcess "cudaErrorSetOnActiveProcess" "cannot set while device is active in this process";
    709 ContextIsDestroyed "cudaErrorContextIsDestroyed" "context is destroyed";
    710 Assert "cudaErrorAssert" "device-side assert triggered";
    711 TooManyPeers "cudaErrorTooManyPeers" "peer mapping resources exhausted";
    712 HostMemoryAlreadyRegistered "cudaErrorHostMemoryAlreadyRegistered" "part or all of the requested memory range is already mapped";
    713 HostMemoryNotRegistered "cudaErrorHostMemoryNotRegistered" "pointer does not correspond to a registered memory region";
    714 HardwareStackError "cudaErrorHardwareStackError" "hardware stack error";
    715 IllegalInstruction "cudaErrorIllegalInstruction" "an illegal instruction was encountered";
    716 MisalignedAddress "cudaErrorMisalignedAddress" "misaligned address";
    717 InvalidAddressSpace "cudaErrorInvalidAddressSpace" "operation not supported on global/shared address space";
    718 InvalidPc "cudaErrorInvalidPc" "invalid program counter";
    719 LaunchFailure "cudaErrorLaunchFailure" "unspecified launch failure";
    720 CooperativeLaunchTooLarge "cudaErrorCooperativeLaunchTooLarge" "too many blocks in cooperative launch";
    721 TensorMemoryLeak "cudaErrorTensorMemoryLeak" "tensor memory not completely freed";
    800 NotPermitted "cudaErrorNotPermitted" "operation not permitted";
    801 NotSupported "cudaErrorNotSupported" "operation not supported";
    802 SystemNotReady "cudaErrorSystemNotReady" "system not yet initialized";
    803 SystemDriverMismatch "cudaErrorSystemDriverMismatch" "system has unsupported display driver / cuda driver combination";
    804 CompatNotSupportedOnDevice "cudaErrorCompatNotSupportedOnDevice" "forward compatibility was attempted on non supported HW";
    805 MpsConnectionFailed "cudaErrorMpsConnectionFailed" "MPS client failed to connect to the MPS control daemon or the MPS server";
    806 MpsRpcFailure "cudaErrorMpsRpcFailure" "the remote procedural call between the MPS server and the MPS client failed";
    807 MpsServerNotReady "cudaErrorMpsServerNotReady" "MPS server is not ready to accept new MPS client requests";
    808 MpsMaxClientsReached "cudaErrorMpsMaxClientsReached" "the hardware resources required to create MPS client have been exhausted";
    809 MpsMaxConnectionsReached "cudaErrorMpsMaxConnectionsReached" "the hardware resources required to support device connections have been exhausted";
    810 MpsClientTerminated "cudaErrorMpsClientTerminated" "the MPS client has been terminated by the server";
    811 CdpNotSupported "cudaErrorCdpNotSupported" "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it";
    812 CdpVersionMismatch "cudaErrorCdpVersionMismatch" "unsupported interaction between different versions of CUDA Dynamic Parallelism";
    900 StreamCaptureUnsupported "cudaErrorStreamCaptureUnsupported" "operation not permitted when stream is capturing";
    901 StreamCaptureInvalidated "cudaErrorStreamCaptureInvalidated" "operation failed due to a previous error during capture";
    902 StreamCaptureMerge "cudaErrorStreamCaptureMerge" "operation would result in a merge of separate capture sequences";
    903 StreamCaptureUnmatched "cudaErrorStreamCaptureUnmatched" "capture was not ended in the same stream as it began";
    904 StreamCaptureUnjoined "cudaErrorStreamCaptureUnjoined" "capturing stream has unjoined work";
    905 StreamCaptureIsolation "cudaErrorStreamCaptureIsolation" "dependency created on uncaptured work in another stream";
    906 StreamCaptureImplicit "cudaErrorStreamCaptureImplicit" "operation would make the legacy stream depend on a capturing blocking stream";
    907 CapturedEvent "cudaErrorCapturedEvent" "operation not permitted on an event last recorded in a capturing stream";
    908 StreamCaptureWrongThread "cudaErrorStreamCaptureWrongThread" "attempt to terminate a thread-local capture sequence from another thread";
    909 Timeout "cudaErrorTimeout" "wait operation timed out";
    910 GraphExecUpdateFailure "cudaErrorGraphExecUpdateFailure" "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update";
    911 ExternalDevice "cudaErrorExternalDevice" "an async error has occured in external entity outside of CUDA";
    912 InvalidClusterSize "cudaErrorInvalidClusterSize" "a kernel launch error has occurred due to cluster misconfiguration";
    913 FunctionNotLoaded "cudaErrorFunctionNotLoaded" "the function handle is not loaded when calling an API that requires a loaded function";
    914 InvalidResourceType "cudaErrorInvalidResourceType" "one or more resources passed in are not valid resource types for the operation";
    915 InvalidResourceConfiguration "cudaErrorInvalidResourceConfiguration" "one or more resources are insufficient or non-applicable for the operation";
    999 Unknown "cudaErrorUnknown" "unknown error";
    10000 ApiFailureBase "cudaErrorApiFailureBase" "api failure base";
}

impl CudaError {
    /// The code.
    #[must_use]
    pub const fn code(self) -> i32 {
        self as i32
    }

    /// Whether the error leaves the context unusable: every later call in it reports it again
    /// until the context is destroyed (CUDA Runtime API, "Error Handling").
    #[must_use]
    pub const fn is_sticky(self) -> bool {
        matches!(
            self,
            CudaError::ECCUncorrectable
                | CudaError::NvlinkUncorrectable
                | CudaError::Contained
                | CudaError::IllegalAddress
                | CudaError::LaunchTimeout
                | CudaError::Assert
                | CudaError::HardwareStackError
                | CudaError::IllegalInstruction
                | CudaError::MisalignedAddress
                | CudaError::InvalidAddressSpace
                | CudaError::InvalidPc
                | CudaError::LaunchFailure
                | CudaError::TensorMemoryLeak
                | CudaError::ExternalDevice
        )
    }
}

impl core::fmt::Display for CudaError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} ({})", self.text().to_string_lossy(), self.code())
    }
}

impl core::error::Error for CudaError {}

#[cfg(test)]
mod tests {
    use super::CudaError;

    #[test]
    fn codes_and_names_agree() {
        assert_eq!(CudaError::ALL.len(), 133);
        for &error in CudaError::ALL {
            assert_eq!(CudaError::from_code(error.code()), Some(error));
            assert!(
                error.name().to_bytes().starts_with(b"cudaError"),
                "{error:?}"
            );
            assert!(!error.text().is_empty());
        }
        assert_eq!(CudaError::from_code(0), None);
        assert_eq!(CudaError::from_code(10), None);
        assert_eq!(
            CudaError::IllegalAddress.text(),
            c"an illegal memory access was encountered"
        );
    }
}
