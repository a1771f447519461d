//! Memory and semaphores of other APIs.

use cuda_abi::driver::{
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS, CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, CUdeviceptr,
    CUexternalMemory, CUexternalSemaphore, CUexternalSemaphoreHandleType, CUgraph, CUgraphExec,
    CUgraphNode, CUmipmappedArray, CUresult, CUstream, In, Out,
};

use super::array::shape_of;
use crate::core::external::{self, EXTERNAL};
use crate::core::graph::exec::EXECS;
use crate::core::{context, graph, stream};
use crate::ffi::{Read, Write};

pub(crate) fn import(
    out: Out<CUexternalMemory>,
    descriptor: In<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let d = descriptor.get()?;
    if d.flags & !1 != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    // The file's number is the first half of the union.
    let fd = i32::try_from(d.handle[0] & 0xffff_ffff).map_err(|_| CUresult::INVALID_VALUE)?;
    out.set(CUexternalMemory(external::import(d.type_, fd, d.size)?))
}

pub(crate) fn mapped_buffer(
    out: Out<CUdeviceptr>,
    memory: CUexternalMemory,
    descriptor: In<CUDA_EXTERNAL_MEMORY_BUFFER_DESC>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let d = descriptor.get()?;
    let memory = EXTERNAL.get(memory.0)?;
    if d.flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(memory.buffer(d.offset, d.size)?)
}

pub(crate) fn mapped_mipmapped_array(
    out: Out<CUmipmappedArray>,
    memory: CUexternalMemory,
    descriptor: In<CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let d = descriptor.get()?;
    let memory = EXTERNAL.get(memory.0)?;
    let mipmap = memory.mipmap(d.offset, shape_of(&d.arrayDesc), d.numLevels)?;
    out.set(CUmipmappedArray(mipmap))
}

/// What is mapped stays until it is freed.
pub(crate) fn destroy(memory: CUexternalMemory) -> Result<(), CUresult> {
    EXTERNAL.remove(memory.0).map(drop)
}

/// No API here exports semaphores: a file cannot be one (400), other kinds of handles there are not (801).
pub(crate) fn import_semaphore(
    out: Out<CUexternalSemaphore>,
    descriptor: In<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>,
) -> Result<(), CUresult> {
    use CUexternalSemaphoreHandleType as T;
    out.required()?;
    let d = descriptor.get()?;
    context::current()?;
    match d.type_ {
        T::OPAQUE_FD | T::TIMELINE_SEMAPHORE_FD => Err(CUresult::INVALID_HANDLE),
        other if (T::OPAQUE_WIN32.0..=T::TIMELINE_SEMAPHORE_WIN32.0).contains(&other.0) => {
            Err(CUresult::NOT_SUPPORTED)
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

pub(crate) fn destroy_semaphore(_semaphore: CUexternalSemaphore) -> Result<(), CUresult> {
    Err(CUresult::INVALID_HANDLE)
}

fn none(count: u32, semaphores: bool, parameters: bool) -> Result<(), CUresult> {
    if count == 0 || !semaphores || !parameters {
        return Err(CUresult::INVALID_VALUE);
    }
    Err(CUresult::INVALID_HANDLE)
}

pub(crate) fn signal(
    semaphores: In<CUexternalSemaphore>,
    parameters: In<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>,
    count: u32,
    s: CUstream,
) -> Result<(), CUresult> {
    stream::resolve(s)?;
    none(count, !semaphores.is_null(), !parameters.is_null())
}

pub(crate) fn wait(
    semaphores: In<CUexternalSemaphore>,
    parameters: In<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>,
    count: u32,
    s: CUstream,
) -> Result<(), CUresult> {
    stream::resolve(s)?;
    none(count, !semaphores.is_null(), !parameters.is_null())
}

pub(crate) fn add_signal_node(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    _dependencies: In<CUgraphNode>,
    _count: usize,
    parameters: In<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>,
) -> Result<(), CUresult> {
    out.required()?;
    graph::graph(graph)?;
    let p = parameters.get()?;
    none(
        p.numExtSems,
        !p.extSemArray.is_null(),
        !p.paramsArray.is_null(),
    )
}

pub(crate) fn add_wait_node(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    _dependencies: In<CUgraphNode>,
    _count: usize,
    parameters: In<CUDA_EXT_SEM_WAIT_NODE_PARAMS>,
) -> Result<(), CUresult> {
    out.required()?;
    graph::graph(graph)?;
    let p = parameters.get()?;
    none(
        p.numExtSems,
        !p.extSemArray.is_null(),
        !p.paramsArray.is_null(),
    )
}

/// No node is of this kind.
fn other_node(node: CUgraphNode) -> Result<(), CUresult> {
    graph::node(node)?;
    Err(CUresult::INVALID_VALUE)
}

pub(crate) fn get_signal_node(
    node: CUgraphNode,
    out: Out<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>,
) -> Result<(), CUresult> {
    out.required()?;
    other_node(node)
}

pub(crate) fn set_signal_node(
    node: CUgraphNode,
    parameters: In<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>,
) -> Result<(), CUresult> {
    parameters.get()?;
    other_node(node)
}

pub(crate) fn get_wait_node(
    node: CUgraphNode,
    out: Out<CUDA_EXT_SEM_WAIT_NODE_PARAMS>,
) -> Result<(), CUresult> {
    out.required()?;
    other_node(node)
}

pub(crate) fn set_wait_node(
    node: CUgraphNode,
    parameters: In<CUDA_EXT_SEM_WAIT_NODE_PARAMS>,
) -> Result<(), CUresult> {
    parameters.get()?;
    other_node(node)
}

pub(crate) fn exec_set_signal_node(
    exec: CUgraphExec,
    node: CUgraphNode,
    parameters: In<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>,
) -> Result<(), CUresult> {
    EXECS.get(exec.0)?;
    set_signal_node(node, parameters)
}

pub(crate) fn exec_set_wait_node(
    exec: CUgraphExec,
    node: CUgraphNode,
    parameters: In<CUDA_EXT_SEM_WAIT_NODE_PARAMS>,
) -> Result<(), CUresult> {
    EXECS.get(exec.0)?;
    set_wait_node(node, parameters)
}
