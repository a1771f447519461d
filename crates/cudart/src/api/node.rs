//! Graph nodes by generic parameters, and those whose parameters differ between runtime and driver.

use crate::driver::cu;
use crate::driver::types::{CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY3D, CUcontext, MEMORY_ARRAY};
use crate::ffi::{In, Out};
use crate::{api, context};
use cuda_abi::runtime::{
    CudaError, MEMCPY_DEFAULT, cudaArray_t, cudaExtent, cudaGraph_t, cudaGraphExec_t,
    cudaGraphNode_t, cudaGraphNodeParams, cudaKernelNodeParams, cudaMemcpy3DParms, cudaPitchedPtr,
    cudaPos,
};
use std::ffi::c_void;

/// `cudaGraphNodeType`, numbered alike in both APIs.
const KERNEL: u32 = 0;
const MEMCPY: u32 = 1;

/// `cudaGraphNodeParams` and `CUgraphNodeParams`: the same frame around a union.
#[derive(Clone, Copy)]
#[repr(C)]
struct Frame {
    kind: u32,
    reserved0: [i32; 3],
    union: [u64; 29],
    reserved2: i64,
}

const _: () = assert!(size_of::<Frame>() == 256);

/// `cudaMemcpyNodeParams`.
#[derive(Clone, Copy)]
#[repr(C)]
struct MemcpyNode {
    flags: i32,
    reserved: [i32; 3],
    copy: cudaMemcpy3DParms,
}

/// `CUDA_MEMCPY_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
struct DriverMemcpyNode {
    flags: i32,
    reserved: i32,
    context: CUcontext,
    copy: CUDA_MEMCPY3D,
}

const _: () = assert!(size_of::<MemcpyNode>() == 176 && size_of::<DriverMemcpyNode>() == 216);

impl Frame {
    fn member<T: Copy>(&self) -> T {
        const { assert!(size_of::<T>() <= size_of::<[u64; 29]>()) };
        // SAFETY: the union holds at least as many bytes, all initialised, and the types read are plain numbers.
        unsafe { (&raw const self.union).cast::<T>().read_unaligned() }
    }

    fn with<T: Copy>(mut self, value: T) -> Self {
        const { assert!(size_of::<T>() <= size_of::<[u64; 29]>()) };
        self.union = [0; 29];
        // SAFETY: the union has room; a `T` of plain numbers leaves every byte of it initialised.
        unsafe { (&raw mut self.union).cast::<T>().write_unaligned(value) };
        self
    }

    /// The driver's form.
    fn driver(&self) -> Result<Self, CudaError> {
        match self.kind {
            KERNEL => {
                let node = self.member::<cudaKernelNodeParams>();
                let node: CUDA_KERNEL_NODE_PARAMS = api::graph::driver_kernel(&node)?;
                Ok(self.with(node))
            }
            MEMCPY => {
                let node = self.member::<MemcpyNode>();
                Ok(self.with(DriverMemcpyNode {
                    flags: node.flags,
                    reserved: 0,
                    context: context::ensure()?,
                    copy: api::copy::copy_3d(&node.copy)?,
                }))
            }
            // The others have one layout in both.
            _ => Ok(*self),
        }
    }

    /// Whether the driver answers through the parameters.
    fn answers(&self) -> bool {
        const MEM_ALLOC: u32 = 10;
        const CONDITIONAL: u32 = 13;
        matches!(self.kind, MEM_ALLOC | CONDITIONAL)
    }
}

/// `cudaGraphAddNode`.
pub(crate) fn add(
    out: Out<cudaGraphNode_t>,
    graph: cudaGraph_t,
    dependencies: In<cudaGraphNode_t>,
    data: *const c_void,
    count: usize,
    parameters: Out<cudaGraphNodeParams>,
) -> Result<(), CudaError> {
    context::ensure()?;
    let parameters = parameters.cast::<Frame>();
    let given = parameters.get()?;
    let mut frame = given.driver()?;
    cu!(cuGraphAddNode_v2(
        out.required()?,
        graph,
        dependencies.as_ptr(),
        data,
        count,
        (&raw mut frame).cast()
    ))?;
    if given.answers() {
        parameters.set(frame)?;
    }
    Ok(())
}

/// `cudaGraphNodeSetParams`.
pub(crate) fn set(
    node: cudaGraphNode_t,
    parameters: Out<cudaGraphNodeParams>,
) -> Result<(), CudaError> {
    context::ensure()?;
    let mut frame = parameters.cast::<Frame>().get()?.driver()?;
    cu!(cuGraphNodeSetParams(node, (&raw mut frame).cast()))
}

/// `cudaGraphExecNodeSetParams`.
pub(crate) fn set_in_exec(
    exec: cudaGraphExec_t,
    node: cudaGraphNode_t,
    parameters: Out<cudaGraphNodeParams>,
) -> Result<(), CudaError> {
    context::ensure()?;
    let mut frame = parameters.cast::<Frame>().get()?.driver()?;
    cu!(cuGraphExecNodeSetParams(
        exec,
        node,
        (&raw mut frame).cast()
    ))
}

/// `cudaGraphMemcpyNodeGetParams`: the direction comes back as `cudaMemcpyDefault`.
pub(crate) fn memcpy_params(
    node: cudaGraphNode_t,
    out: Out<cudaMemcpy3DParms>,
) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut copy = CUDA_MEMCPY3D::default();
    cu!(cuGraphMemcpyNodeGetParams(node, &raw mut copy))?;
    let is_array = |memory: u32| memory == MEMORY_ARRAY;
    let element = if is_array(copy.src.memoryType) {
        api::array::element_bytes(copy.src.array)?
    } else if is_array(copy.dst.memoryType) {
        api::array::element_bytes(copy.dst.array)?
    } else {
        1
    };
    let side = |side: &crate::driver::types::Side3D| {
        let array = is_array(side.memoryType);
        let address = if side.device != 0 {
            crate::ffi::word(side.device)
        } else {
            side.host
        };
        let position = cudaPos {
            x: side.xInBytes / if array { element } else { 1 },
            y: side.y,
            z: side.z,
        };
        let pitched = cudaPitchedPtr {
            ptr: std::ptr::with_exposed_provenance_mut(if array { 0 } else { address }),
            pitch: side.pitch,
            xsize: copy.WidthInBytes,
            ysize: side.height,
        };
        (
            if array { side.array } else { cudaArray_t(0) },
            position,
            pitched,
        )
    };
    let (src_array, src_pos, src_ptr) = side(&copy.src);
    let (dst_array, dst_pos, dst_ptr) = side(&copy.dst);
    out.set(cudaMemcpy3DParms {
        srcArray: src_array,
        srcPos: src_pos,
        srcPtr: src_ptr,
        dstArray: dst_array,
        dstPos: dst_pos,
        dstPtr: dst_ptr,
        extent: cudaExtent {
            width: copy.WidthInBytes / element,
            height: copy.Height,
            depth: copy.Depth,
        },
        kind: MEMCPY_DEFAULT,
    })
}
