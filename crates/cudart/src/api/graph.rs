//! Graphs: the parts in which the runtime's structs differ from the driver's.

use crate::driver::cu;
use crate::driver::types::{
    CUDA_HOST_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY3D, CUcontext,
};
use crate::ffi::{In, Out};
use crate::table::DefaultStream;
use crate::{context, registry};
use cuda_abi::runtime::{
    CudaError, cudaFunction_t, cudaGraph_t, cudaGraphExec_t, cudaGraphInstantiateParams,
    cudaGraphNode_t, cudaHostNodeParams, cudaKernel_t, cudaKernelNodeParams, dim3,
};

/// The driver's form of a kernel node.
///
/// # Errors
/// `InvalidDeviceFunction`.
pub(crate) fn kernel_node(
    parameters: In<cudaKernelNodeParams>,
) -> Result<CUDA_KERNEL_NODE_PARAMS, CudaError> {
    driver_kernel(&parameters.get()?)
}

/// The driver's form of a kernel node's parameters.
///
/// # Errors
/// `InvalidDeviceFunction`.
pub(crate) fn driver_kernel(
    node: &cudaKernelNodeParams,
) -> Result<CUDA_KERNEL_NODE_PARAMS, CudaError> {
    Ok(CUDA_KERNEL_NODE_PARAMS {
        func: cudaFunction_t(0),
        gridDimX: node.gridDim.x,
        gridDimY: node.gridDim.y,
        gridDimZ: node.gridDim.z,
        blockDimX: node.blockDim.x,
        blockDimY: node.blockDim.y,
        blockDimZ: node.blockDim.z,
        sharedMemBytes: node.sharedMemBytes,
        kernelParams: node.kernelParams,
        extra: node.extra,
        kern: registry::kernel(node.func)?,
        ctx: CUcontext(0),
    })
}

/// `cudaGraphKernelNodeGetParams`: the function comes back as the host stub where there is one.
pub(crate) fn kernel_params(
    node: cudaGraphNode_t,
    out: Out<cudaKernelNodeParams>,
) -> Result<(), CudaError> {
    out.required()?;
    let mut answer = CUDA_KERNEL_NODE_PARAMS {
        func: cudaFunction_t(0),
        gridDimX: 0,
        gridDimY: 0,
        gridDimZ: 0,
        blockDimX: 0,
        blockDimY: 0,
        blockDimZ: 0,
        sharedMemBytes: 0,
        kernelParams: std::ptr::null_mut(),
        extra: std::ptr::null_mut(),
        kern: cudaKernel_t(0),
        ctx: CUcontext(0),
    };
    cu!(cuGraphKernelNodeGetParams_v2(node, &raw mut answer))?;
    let handle = if answer.kern.0 != 0 {
        answer.kern.0
    } else {
        answer.func.0
    };
    let func = match registry::stub_of(cudaKernel_t(handle))? {
        Some(stub) => stub,
        None => {
            registry::give(handle)?;
            handle
        }
    };
    out.set(cudaKernelNodeParams {
        func: std::ptr::without_provenance_mut(func),
        gridDim: dim3 {
            x: answer.gridDimX,
            y: answer.gridDimY,
            z: answer.gridDimZ,
        },
        blockDim: dim3 {
            x: answer.blockDimX,
            y: answer.blockDimY,
            z: answer.blockDimZ,
        },
        sharedMemBytes: answer.sharedMemBytes,
        kernelParams: answer.kernelParams,
        extra: answer.extra,
    })
}

/// The driver's form of a host node.
///
/// # Errors
/// `InvalidValue` for a null pointer.
pub(crate) fn host_node(
    parameters: In<cudaHostNodeParams>,
) -> Result<CUDA_HOST_NODE_PARAMS, CudaError> {
    let node = parameters.get()?;
    Ok(CUDA_HOST_NODE_PARAMS {
        function: node.func,
        userData: node.userData,
    })
}

/// `cudaGraphHostNodeGetParams`.
pub(crate) fn host_params(
    node: cudaGraphNode_t,
    out: Out<cudaHostNodeParams>,
) -> Result<(), CudaError> {
    out.required()?;
    let mut answer = CUDA_HOST_NODE_PARAMS {
        function: None,
        userData: std::ptr::null_mut(),
    };
    cu!(cuGraphHostNodeGetParams(node, &raw mut answer))?;
    out.set(cudaHostNodeParams {
        func: answer.function,
        userData: answer.userData,
    })
}

/// The calls that add a copy node.
pub(crate) fn add_memcpy(
    out: Out<cudaGraphNode_t>,
    graph: cudaGraph_t,
    dependencies: In<cudaGraphNode_t>,
    count: usize,
    copy: &CUDA_MEMCPY3D,
) -> Result<(), CudaError> {
    let context = context::ensure()?;
    cu!(cuGraphAddMemcpyNode(
        out.required()?,
        graph,
        dependencies.as_ptr(),
        count,
        copy,
        context
    ))
}

/// `cudaGraphInstantiateWithParams`.
pub(crate) fn instantiate_with(
    ds: DefaultStream,
    out: Out<cudaGraphExec_t>,
    graph: cudaGraph_t,
    parameters: Out<cudaGraphInstantiateParams>,
) -> Result<(), CudaError> {
    context::ensure()?;
    let mut ours = parameters.get()?;
    let upload = ours.uploadStream;
    ours.uploadStream = ds.of(upload);
    let result = cu!(cuGraphInstantiateWithParams(
        out.required()?,
        graph,
        (&raw mut ours).cast()
    ));
    // The reason is written on failure too: that is what it is for.
    ours.uploadStream = upload;
    parameters.set(ours)?;
    result
}
