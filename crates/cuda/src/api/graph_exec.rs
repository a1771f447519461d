//! Executable graphs.

use std::ffi::c_char;

use cuda_abi::driver::{
    CUDA_BATCH_MEM_OP_NODE_PARAMS, CUDA_GRAPH_INSTANTIATE_PARAMS, CUDA_HOST_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS_v1, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS,
    CUcontext, CUevent, CUgraph, CUgraphExec, CUgraphExecUpdateResult, CUgraphExecUpdateResultInfo,
    CUgraphInstantiateResult, CUgraphNode, CUgraphNodeParams, CUresult, CUstream, In, Out,
};

use super::graph_node;
use crate::core::graph::exec::{self, EXECS, Exec, Refusal};
use crate::core::graph::op::Op;
use crate::core::graph::{self, capture};
use crate::core::stream;
use crate::ffi::{Read, Write};

/// Nothing goes wrong at a single node here, and nothing is written to the log.
pub(crate) fn instantiate(
    out: Out<CUgraphExec>,
    graph: CUgraph,
    error_node: Out<CUgraphNode>,
    log: Out<c_char>,
    log_bytes: usize,
) -> Result<(), CUresult> {
    instantiate_with_flags(out, graph, 0)?;
    error_node.set_opt(CUgraphNode::NULL);
    if log_bytes != 0 {
        log.set_opt(0);
    }
    Ok(())
}

pub(crate) fn instantiate_with_flags(
    out: Out<CUgraphExec>,
    graph: CUgraph,
    flags: u64,
) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(exec::instantiate(&*graph::graph(graph)?, flags)?)
}

pub(crate) fn instantiate_with_params(
    out: Out<CUgraphExec>,
    graph: CUgraph,
    params: Out<CUDA_GRAPH_INSTANTIATE_PARAMS>,
) -> Result<(), CUresult> {
    use CUgraphInstantiateResult as R;
    /// Upload when made.
    const UPLOAD: u64 = 2;
    let out = out.required()?;
    let mut read = params.get()?;
    let graph = graph::graph(graph)?;
    let made = exec::instantiate(&graph, read.flags);
    read.hErrNode_out = CUgraphNode::NULL;
    read.result_out = match made {
        Ok(_) => R::SUCCESS,
        Err(_) if graph.plan().is_err() => R::INVALID_STRUCTURE,
        Err(CUresult::NOT_SUPPORTED) => R::NODE_OPERATION_NOT_SUPPORTED,
        Err(_) => R::ERROR,
    };
    // Documented: the reason is told on failure too.
    params.set(read)?;
    let handle = made?;
    if read.flags & UPLOAD != 0 {
        upload(handle, read.hUploadStream)?;
    }
    out.set(handle)
}

pub(crate) fn destroy(handle: CUgraphExec) -> Result<(), CUresult> {
    exec::destroy(handle)
}

pub(crate) fn get_flags(handle: CUgraphExec, out: Out<u64>) -> Result<(), CUresult> {
    out.required()?.set(EXECS.get(handle.0)?.flags)
}

pub(crate) fn upload(handle: CUgraphExec, s: CUstream) -> Result<(), CUresult> {
    let exec = EXECS.get(handle.0)?;
    exec.upload(&stream::resolve(s)?)
}

/// Into a stream that captures a launch goes as a child graph.
pub(crate) fn launch(handle: CUgraphExec, s: CUstream) -> Result<(), CUresult> {
    let exec = EXECS.get(handle.0)?;
    let target = stream::resolve(s)?;
    if capture::add(&target, || exec.as_graph().map(Op::Child))? {
        return Ok(());
    }
    exec.launch(&target)
}

fn update_with(
    handle: CUgraphExec,
    graph: CUgraph,
    tell: impl FnOnce(&Refusal),
) -> Result<(), CUresult> {
    let exec = EXECS.get(handle.0)?;
    let none = Refusal {
        reason: CUgraphExecUpdateResult::SUCCESS,
        node: CUgraphNode::NULL,
        from: CUgraphNode::NULL,
    };
    match exec.update(&*graph::graph(graph)?)? {
        Ok(()) => {
            tell(&none);
            Ok(())
        }
        Err(refusal) => {
            // Documented: the reason is told on failure.
            tell(&refusal);
            Err(CUresult::GRAPH_EXEC_UPDATE_FAILURE)
        }
    }
}

pub(crate) fn update(
    handle: CUgraphExec,
    graph: CUgraph,
    node: Out<CUgraphNode>,
    result: Out<CUgraphExecUpdateResult>,
) -> Result<(), CUresult> {
    let result = result.required()?;
    update_with(handle, graph, |refusal| {
        node.set_opt(refusal.from);
        result.set_opt(refusal.reason);
    })
}

pub(crate) fn update_v2(
    handle: CUgraphExec,
    graph: CUgraph,
    out: Out<CUgraphExecUpdateResultInfo>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    update_with(handle, graph, |refusal| {
        out.set_opt(CUgraphExecUpdateResultInfo {
            result: refusal.reason,
            errorNode: refusal.node,
            errorFromNode: refusal.from,
        });
    })
}

pub(crate) fn get_enabled(
    handle: CUgraphExec,
    node: CUgraphNode,
    out: Out<u32>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(u32::from(EXECS.get(handle.0)?.is_enabled(node)?))
}

pub(crate) fn set_enabled(
    handle: CUgraphExec,
    node: CUgraphNode,
    enabled: u32,
) -> Result<(), CUresult> {
    EXECS.get(handle.0)?.set_enabled(node, enabled != 0)
}

fn set(
    handle: CUgraphExec,
    node: CUgraphNode,
    op: impl FnOnce(&Exec) -> Result<Op, CUresult>,
) -> Result<(), CUresult> {
    let exec = EXECS.get(handle.0)?;
    exec.set_op(node, op(&exec)?)
}

pub(crate) fn set_kernel_v1(
    handle: CUgraphExec,
    node: CUgraphNode,
    params: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> Result<(), CUresult> {
    let params = graph_node::newer(&params.get()?);
    set(handle, node, |exec| {
        graph_node::kernel_again(exec.op(node)?, &params)
    })
}

pub(crate) fn set_kernel(
    handle: CUgraphExec,
    node: CUgraphNode,
    params: In<CUDA_KERNEL_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let params = params.get()?;
    set(handle, node, |exec| {
        graph_node::kernel_again(exec.op(node)?, &params)
    })
}

pub(crate) fn set_memcpy(
    handle: CUgraphExec,
    node: CUgraphNode,
    params: In<CUDA_MEMCPY3D>,
    _context: CUcontext,
) -> Result<(), CUresult> {
    let op = graph_node::memcpy(params)?;
    set(handle, node, |_| Ok(op))
}

pub(crate) fn set_memset(
    handle: CUgraphExec,
    node: CUgraphNode,
    params: In<CUDA_MEMSET_NODE_PARAMS>,
    _context: CUcontext,
) -> Result<(), CUresult> {
    let op = graph_node::memset(&params.get()?)?;
    set(handle, node, |_| Ok(op))
}

pub(crate) fn set_host(
    handle: CUgraphExec,
    node: CUgraphNode,
    params: In<CUDA_HOST_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let op = graph_node::host(&params.get()?)?;
    set(handle, node, |_| Ok(op))
}

pub(crate) fn set_child(
    handle: CUgraphExec,
    node: CUgraphNode,
    child: CUgraph,
) -> Result<(), CUresult> {
    let child = graph::graph(child)?;
    set(handle, node, |_| Ok(Op::Child(child)))
}

pub(crate) fn set_record(
    handle: CUgraphExec,
    node: CUgraphNode,
    event: CUevent,
) -> Result<(), CUresult> {
    let op = graph_node::record(event)?;
    set(handle, node, |_| Ok(op))
}

pub(crate) fn set_wait(
    handle: CUgraphExec,
    node: CUgraphNode,
    event: CUevent,
) -> Result<(), CUresult> {
    let op = graph_node::wait(event)?;
    set(handle, node, |_| Ok(op))
}

pub(crate) fn set_memory(
    handle: CUgraphExec,
    node: CUgraphNode,
    params: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let op = graph_node::memory(&params.get()?)?;
    set(handle, node, |_| Ok(op))
}

pub(crate) fn set_node(
    handle: CUgraphExec,
    node: CUgraphNode,
    params: Out<CUgraphNodeParams>,
) -> Result<(), CUresult> {
    set(handle, node, |exec| {
        graph_node::changed(params, exec.op(node)?)
    })
}
