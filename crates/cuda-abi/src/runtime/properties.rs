//! `cudaDeviceProp` of CUDA 12 and 13.
//!
//! One declaration per major: the fields in the order of the C struct, and the device attribute
//! that each is filled from (`facts`: `cudaGetDeviceProperties` is answered from attributes).
#![expect(non_snake_case, reason = "the names are those of the C headers")]
#![expect(
    missing_docs,
    reason = "fields carry the names and meanings of the C headers"
)]

/// How one struct field takes the value of a device attribute.
pub trait PropertyValue {
    /// Stores the attribute's value, which a driver gives as a C `int`.
    fn set(&mut self, value: i32);
}

impl PropertyValue for i32 {
    fn set(&mut self, value: i32) {
        *self = value;
    }
}

impl PropertyValue for u32 {
    fn set(&mut self, value: i32) {
        *self = value.cast_unsigned();
    }
}

impl PropertyValue for usize {
    fn set(&mut self, value: i32) {
        *self = value.cast_unsigned() as usize;
    }
}

macro_rules! properties {
    ($(#[$doc:meta])* $name:ident: $size:literal, $reserved:literal {
        $($field:ident: $type:ty = $(($attribute:literal))? $([$($element:literal),*])?;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        #[repr(C)]
        pub struct $name {
            pub name: [u8; 256],
            pub uuid: [u8; 16],
            pub luid: [u8; 8],
            pub luidDeviceNodeMask: u32,
            /// Bytes of device memory.
            pub totalGlobalMem: usize,
            $(pub $field: $type,)*
            pub reserved: [i32; $reserved],
        }

        impl $name {
            /// Fills every field that has a device attribute (number in `CUdevice_attribute`).
            ///
            /// # Errors
            /// The first error of `attribute`.
            pub fn fill<E>(
                &mut self,
                mut attribute: impl FnMut(u32) -> Result<i32, E>,
            ) -> Result<(), E> {
                $(
                    $(PropertyValue::set(&mut self.$field, attribute($attribute)?);)?
                    $({
                        let attributes = [$($element),*];
                        for (element, number) in self.$field.iter_mut().zip(attributes) {
                            PropertyValue::set(element, attribute(number)?);
                        }
                    })?
                )*
                Ok(())
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $name {
                    name: [0; 256],
                    uuid: [0; 16],
                    luid: [0; 8],
                    luidDeviceNodeMask: 0,
                    totalGlobalMem: 0,
                    $($field: <$type>::default(),)*
                    reserved: [0; $reserved],
                }
            }
        }

        const _: () = assert!(size_of::<$name>() == $size);
    };
}

properties! {
    /// Properties of a device, CUDA 12.
    cudaDeviceProp12: 1032, 63 {
        sharedMemPerBlock: usize = (8);
        regsPerBlock: i32 = (12);
        warpSize: i32 = (10);
        memPitch: usize = (11);
        maxThreadsPerBlock: i32 = (1);
        maxThreadsDim: [i32; 3] = [2, 3, 4];
        maxGridSize: [i32; 3] = [5, 6, 7];
        clockRate: i32 = (13);
        totalConstMem: usize = (9);
        major: i32 = (75);
        minor: i32 = (76);
        textureAlignment: usize = (14);
        texturePitchAlignment: usize = (51);
        deviceOverlap: i32 = (15);
        multiProcessorCount: i32 = (16);
        kernelExecTimeoutEnabled: i32 = (17);
        integrated: i32 = (18);
        canMapHostMemory: i32 = (19);
        computeMode: i32 = (20);
        maxTexture1D: i32 = (21);
        maxTexture1DMipmap: i32 = (77);
        maxTexture1DLinear: i32 = (69);
        maxTexture2D: [i32; 2] = [22, 23];
        maxTexture2DMipmap: [i32; 2] = [73, 74];
        maxTexture2DLinear: [i32; 3] = [70, 71, 72];
        maxTexture2DGather: [i32; 2] = [45, 46];
        maxTexture3D: [i32; 3] = [24, 25, 26];
        maxTexture3DAlt: [i32; 3] = [47, 48, 49];
        maxTextureCubemap: i32 = (52);
        maxTexture1DLayered: [i32; 2] = [42, 43];
        maxTexture2DLayered: [i32; 3] = [27, 28, 29];
        maxTextureCubemapLayered: [i32; 2] = [53, 54];
        maxSurface1D: i32 = (55);
        maxSurface2D: [i32; 2] = [56, 57];
        maxSurface3D: [i32; 3] = [58, 59, 60];
        maxSurface1DLayered: [i32; 2] = [61, 62];
        maxSurface2DLayered: [i32; 3] = [63, 64, 65];
        maxSurfaceCubemap: i32 = (66);
        maxSurfaceCubemapLayered: [i32; 2] = [67, 68];
        surfaceAlignment: usize = (30);
        concurrentKernels: i32 = (31);
        ECCEnabled: i32 = (32);
        pciBusID: i32 = (33);
        pciDeviceID: i32 = (34);
        pciDomainID: i32 = (50);
        tccDriver: i32 = (35);
        asyncEngineCount: i32 = (40);
        unifiedAddressing: i32 = (41);
        memoryClockRate: i32 = (36);
        memoryBusWidth: i32 = (37);
        l2CacheSize: i32 = (38);
        persistingL2CacheMaxSize: i32 = (108);
        maxThreadsPerMultiProcessor: i32 = (39);
        streamPrioritiesSupported: i32 = (78);
        globalL1CacheSupported: i32 = (79);
        localL1CacheSupported: i32 = (80);
        sharedMemPerMultiprocessor: usize = (81);
        regsPerMultiprocessor: i32 = (82);
        managedMemory: i32 = (83);
        isMultiGpuBoard: i32 = (84);
        multiGpuBoardGroupID: i32 = (85);
        hostNativeAtomicSupported: i32 = (86);
        singleToDoublePrecisionPerfRatio: i32 = (87);
        pageableMemoryAccess: i32 = (88);
        concurrentManagedAccess: i32 = (89);
        computePreemptionSupported: i32 = (90);
        canUseHostPointerForRegisteredMem: i32 = (91);
        cooperativeLaunch: i32 = (95);
        cooperativeMultiDeviceLaunch: i32 = (96);
        sharedMemPerBlockOptin: usize = (97);
        pageableMemoryAccessUsesHostPageTables: i32 = (100);
        directManagedMemAccessFromHost: i32 = (101);
        maxBlocksPerMultiProcessor: i32 = (106);
        accessPolicyMaxWindowSize: i32 = (109);
        reservedSharedMemPerBlock: usize = (111);
        hostRegisterSupported: i32 = (99);
        sparseCudaArraySupported: i32 = (112);
        hostRegisterReadOnlySupported: i32 = (113);
        timelineSemaphoreInteropSupported: i32 = (114);
        memoryPoolsSupported: i32 = (115);
        gpuDirectRDMASupported: i32 = (116);
        gpuDirectRDMAFlushWritesOptions: u32 = (117);
        gpuDirectRDMAWritesOrdering: i32 = (118);
        memoryPoolSupportedHandleTypes: u32 = (119);
        deferredMappingCudaArraySupported: i32 = (121);
        ipcEventSupported: i32 = (125);
        clusterLaunch: i32 = (120);
        unifiedFunctionPointers: i32 = (129);
    }
}

properties! {
    /// Properties of a device, CUDA 13.
    cudaDeviceProp13: 1008, 56 {
        sharedMemPerBlock: usize = (8);
        regsPerBlock: i32 = (12);
        warpSize: i32 = (10);
        memPitch: usize = (11);
        maxThreadsPerBlock: i32 = (1);
        maxThreadsDim: [i32; 3] = [2, 3, 4];
        maxGridSize: [i32; 3] = [5, 6, 7];
        totalConstMem: usize = (9);
        major: i32 = (75);
        minor: i32 = (76);
        textureAlignment: usize = (14);
        texturePitchAlignment: usize = (51);
        multiProcessorCount: i32 = (16);
        integrated: i32 = (18);
        canMapHostMemory: i32 = (19);
        maxTexture1D: i32 = (21);
        maxTexture1DMipmap: i32 = (77);
        maxTexture2D: [i32; 2] = [22, 23];
        maxTexture2DMipmap: [i32; 2] = [73, 74];
        maxTexture2DLinear: [i32; 3] = [70, 71, 72];
        maxTexture2DGather: [i32; 2] = [45, 46];
        maxTexture3D: [i32; 3] = [24, 25, 26];
        maxTexture3DAlt: [i32; 3] = [47, 48, 49];
        maxTextureCubemap: i32 = (52);
        maxTexture1DLayered: [i32; 2] = [42, 43];
        maxTexture2DLayered: [i32; 3] = [27, 28, 29];
        maxTextureCubemapLayered: [i32; 2] = [53, 54];
        maxSurface1D: i32 = (55);
        maxSurface2D: [i32; 2] = [56, 57];
        maxSurface3D: [i32; 3] = [58, 59, 60];
        maxSurface1DLayered: [i32; 2] = [61, 62];
        maxSurface2DLayered: [i32; 3] = [63, 64, 65];
        maxSurfaceCubemap: i32 = (66);
        maxSurfaceCubemapLayered: [i32; 2] = [67, 68];
        surfaceAlignment: usize = (30);
        concurrentKernels: i32 = (31);
        ECCEnabled: i32 = (32);
        pciBusID: i32 = (33);
        pciDeviceID: i32 = (34);
        pciDomainID: i32 = (50);
        tccDriver: i32 = (35);
        asyncEngineCount: i32 = (40);
        unifiedAddressing: i32 = (41);
        memoryBusWidth: i32 = (37);
        l2CacheSize: i32 = (38);
        persistingL2CacheMaxSize: i32 = (108);
        maxThreadsPerMultiProcessor: i32 = (39);
        streamPrioritiesSupported: i32 = (78);
        globalL1CacheSupported: i32 = (79);
        localL1CacheSupported: i32 = (80);
        sharedMemPerMultiprocessor: usize = (81);
        regsPerMultiprocessor: i32 = (82);
        managedMemory: i32 = (83);
        isMultiGpuBoard: i32 = (84);
        multiGpuBoardGroupID: i32 = (85);
        hostNativeAtomicSupported: i32 = (86);
        pageableMemoryAccess: i32 = (88);
        concurrentManagedAccess: i32 = (89);
        computePreemptionSupported: i32 = (90);
        canUseHostPointerForRegisteredMem: i32 = (91);
        cooperativeLaunch: i32 = (95);
        sharedMemPerBlockOptin: usize = (97);
        pageableMemoryAccessUsesHostPageTables: i32 = (100);
        directManagedMemAccessFromHost: i32 = (101);
        maxBlocksPerMultiProcessor: i32 = (106);
        accessPolicyMaxWindowSize: i32 = (109);
        reservedSharedMemPerBlock: usize = (111);
        hostRegisterSupported: i32 = (99);
        sparseCudaArraySupported: i32 = (112);
        hostRegisterReadOnlySupported: i32 = (113);
        timelineSemaphoreInteropSupported: i32 = (114);
        memoryPoolsSupported: i32 = (115);
        gpuDirectRDMASupported: i32 = (116);
        gpuDirectRDMAFlushWritesOptions: u32 = (117);
        gpuDirectRDMAWritesOrdering: i32 = (118);
        memoryPoolSupportedHandleTypes: u32 = (119);
        deferredMappingCudaArraySupported: i32 = (121);
        ipcEventSupported: i32 = (125);
        clusterLaunch: i32 = (120);
        unifiedFunctionPointers: i32 = (129);
        deviceNumaConfig: i32 = (130);
        deviceNumaId: i32 = (131);
        mpsEnabled: i32 = (133);
        hostNumaId: i32 = (134);
        gpuPciDeviceID: u32 = (139);
        gpuPciSubsystemID: u32 = (140);
        hostNumaMultinodeIpcSupported: i32 = (143);
    }
}
