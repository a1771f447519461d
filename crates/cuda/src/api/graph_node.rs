//! Nodes of graphs: their parameters.

use std::collections::BTreeMap;

use cuda_abi::driver::{
    CUDA_BATCH_MEM_OP_NODE_PARAMS, CUDA_CHILD_GRAPH_NODE_PARAMS, CUDA_CONDITIONAL_NODE_PARAMS,
    CUDA_EVENT_RECORD_NODE_PARAMS, CUDA_HOST_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS_v1, CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEM_FREE_NODE_PARAMS,
    CUDA_MEMCPY_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, CUcontext, CUdeviceptr,
    CUevent, CUfunction, CUgraph, CUgraphConditionalHandle, CUgraphEdgeData, CUgraphNode,
    CUgraphNodeParams, CUgraphNodeType, CUhostFn, CUkernel, CUkernelNodeAttrID,
    CUkernelNodeAttrValue, CUlaunchAttributeID, CUmemAllocationHandleType, CUmemAllocationType,
    CUmemLocation, CUmemLocationType, CUmemPoolProps, CUmemorytype, CUresult, In, Out,
};

use super::function::parameters;
use super::{graph_capture, stream_memop};
use crate::core::context::{self, CONTEXTS};
use crate::core::event::EVENTS;
use crate::core::graph::condition::{self, Conditional, Way};
use crate::core::graph::memory::Block;
use crate::core::graph::op::{Arguments, Kernel, Op};
use crate::core::graph::{self, Graph};
use crate::core::launch::{self, Config};
use crate::core::module::{FUNCTIONS, Function, KERNELS, resolve};
use crate::core::rectangle;
use crate::ffi::{Read, Write};

/// Adds a node after others.
fn add(
    out: Out<CUgraphNode>,
    handle: CUgraph,
    dependencies: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
    op: impl FnOnce(&Graph) -> Result<Op, CUresult>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let graph = graph::graph(handle)?;
    let nodes = dependencies.get_all(count)?;
    let after = graph.edges_from(&nodes, &graph_capture::edge_data(data, count)?)?;
    out.set(graph.add(op(&graph)?, after)?.0)
}

/// What a node does.
fn op(handle: CUgraphNode) -> Result<Op, CUresult> {
    let (graph, number) = graph::node(handle)?;
    graph.op(number)
}

fn set(handle: CUgraphNode, op: Op) -> Result<(), CUresult> {
    let (graph, number) = graph::node(handle)?;
    graph.set_op(number, op)
}

/// A launch node's content, for a function named as the program did.
pub(crate) fn kernel(
    named: CUfunction,
    function: &Function,
    config: Config,
    block: Vec<u8>,
) -> Result<Kernel, CUresult> {
    let function_handle = match KERNELS.get(named.0) {
        Ok(kernel) => kernel.function()?,
        Err(_) => named,
    };
    Ok(Kernel {
        named: named.0,
        function: function_handle,
        config,
        arguments: Arguments::new(function, block),
        attributes: BTreeMap::new(),
    })
}

/// The first form of the structure as the second.
pub(crate) fn newer(p: &CUDA_KERNEL_NODE_PARAMS_v1) -> CUDA_KERNEL_NODE_PARAMS {
    CUDA_KERNEL_NODE_PARAMS {
        func: p.func,
        gridDimX: p.gridDimX,
        gridDimY: p.gridDimY,
        gridDimZ: p.gridDimZ,
        blockDimX: p.blockDimX,
        blockDimY: p.blockDimY,
        blockDimZ: p.blockDimZ,
        sharedMemBytes: p.sharedMemBytes,
        kernelParams: p.kernelParams,
        extra: p.extra,
        kern: CUkernel::NULL,
        ctx: CUcontext::NULL,
    }
}

fn read_kernel(p: &CUDA_KERNEL_NODE_PARAMS, old: Option<&Kernel>) -> Result<Op, CUresult> {
    let named = if p.func == CUfunction::NULL {
        CUfunction(p.kern.0)
    } else {
        p.func
    };
    let function = resolve(named)?;
    let config = Config {
        grid: [p.gridDimX, p.gridDimY, p.gridDimZ],
        block: [p.blockDimX, p.blockDimY, p.blockDimZ],
        shared: p.sharedMemBytes,
        cluster: old.map_or([0; 3], |old| old.config.cluster),
        cooperative: old.is_some_and(|old| old.config.cooperative),
    };
    let live = CONTEXTS.get(function.loaded.context)?.live_and_well()?;
    launch::check(&live, &function, &config)?;
    let block = parameters(&function, p.kernelParams, p.extra)?;
    let mut made = kernel(named, &function, config, block)?;
    if let Some(old) = old {
        made.attributes.clone_from(&old.attributes);
    }
    Ok(Op::Kernel(made))
}

/// New parameters for a launch that keeps its attributes.
pub(crate) fn kernel_again(old: Op, p: &CUDA_KERNEL_NODE_PARAMS) -> Result<Op, CUresult> {
    match old {
        Op::Kernel(old) => read_kernel(p, Some(&old)),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

pub(crate) fn memcpy(params: In<CUDA_MEMCPY3D>) -> Result<Op, CUresult> {
    let params = params.get()?;
    let known = |kind: CUmemorytype| (1..=4).contains(&kind.0);
    if !known(params.srcMemoryType) || !known(params.dstMemoryType) {
        return Err(CUresult::INVALID_VALUE);
    }
    rectangle::three_d(&params)?;
    Ok(Op::Copy(params))
}

pub(crate) fn memset(p: &CUDA_MEMSET_NODE_PARAMS) -> Result<Op, CUresult> {
    if !matches!(p.elementSize, 1 | 2 | 4) || p.width == 0 || p.height == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(Op::Fill(*p))
}

pub(crate) fn host(p: &CUDA_HOST_NODE_PARAMS) -> Result<Op, CUresult> {
    p.fn_.ok_or(CUresult::INVALID_VALUE)?;
    Ok(Op::Host(p.fn_, p.userData))
}

pub(crate) fn record(event: CUevent) -> Result<Op, CUresult> {
    Ok(Op::Record(event, EVENTS.get(event.0)?))
}

pub(crate) fn wait(event: CUevent) -> Result<Op, CUresult> {
    Ok(Op::Wait(event, EVENTS.get(event.0)?))
}

pub(crate) fn memory(p: &CUDA_BATCH_MEM_OP_NODE_PARAMS) -> Result<Op, CUresult> {
    let ops = stream_memop::operations(p.count, p.paramArray, p.flags)?;
    Ok(Op::Memory(ops.into()))
}

/// Memory of the current context; shared with nobody.
fn alloc(p: &CUDA_MEM_ALLOC_NODE_PARAMS) -> Result<Op, CUresult> {
    let props = &p.poolProps;
    if props.allocType != CUmemAllocationType::PINNED
        || props.location.type_ != CUmemLocationType::DEVICE
    {
        return Err(CUresult::INVALID_VALUE);
    }
    let live = context::current()?;
    if usize::try_from(props.location.id) != Ok(live.space.ordinal) {
        return Err(CUresult::NOT_SUPPORTED);
    }
    Block::create(&live, p.bytesize as u64).map(Op::Alloc)
}

pub(crate) fn add_kernel_v1(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    params: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> Result<(), CUresult> {
    let params = newer(&params.get()?);
    add(out, graph, dependencies, In::NULL, count, |_| {
        read_kernel(&params, None)
    })
}

pub(crate) fn add_kernel(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    params: In<CUDA_KERNEL_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let params = params.get()?;
    add(out, graph, dependencies, In::NULL, count, |_| {
        read_kernel(&params, None)
    })
}

pub(crate) fn add_memcpy(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    params: In<CUDA_MEMCPY3D>,
    _context: CUcontext,
) -> Result<(), CUresult> {
    add(out, graph, dependencies, In::NULL, count, |_| {
        memcpy(params)
    })
}

pub(crate) fn add_memset(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    params: In<CUDA_MEMSET_NODE_PARAMS>,
    _context: CUcontext,
) -> Result<(), CUresult> {
    let params = params.get()?;
    add(out, graph, dependencies, In::NULL, count, |_| {
        memset(&params)
    })
}

pub(crate) fn add_host(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    params: In<CUDA_HOST_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let params = params.get()?;
    add(out, graph, dependencies, In::NULL, count, |_| host(&params))
}

/// The node has a copy of the graph.
pub(crate) fn add_child(
    out: Out<CUgraphNode>,
    handle: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    child: CUgraph,
) -> Result<(), CUresult> {
    add(out, handle, dependencies, In::NULL, count, |graph| {
        copied(graph, child)
    })
}

fn copied(into: &Graph, child: CUgraph) -> Result<Op, CUresult> {
    if into.handle == child.0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(Op::Child(graph::graph(child)?.duplicate(true)?))
}

pub(crate) fn add_empty(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
) -> Result<(), CUresult> {
    add(out, graph, dependencies, In::NULL, count, |_| Ok(Op::Empty))
}

pub(crate) fn add_record(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    event: CUevent,
) -> Result<(), CUresult> {
    add(out, graph, dependencies, In::NULL, count, |_| record(event))
}

pub(crate) fn add_wait(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    event: CUevent,
) -> Result<(), CUresult> {
    add(out, graph, dependencies, In::NULL, count, |_| wait(event))
}

pub(crate) fn add_memory(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    params: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let params = params.get()?;
    add(out, graph, dependencies, In::NULL, count, |_| {
        memory(&params)
    })
}

pub(crate) fn add_alloc(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    params: Out<CUDA_MEM_ALLOC_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let mut read = params.get()?;
    add(out, graph, dependencies, In::NULL, count, |_| {
        let op = alloc(&read)?;
        if let Op::Alloc(block) = &op {
            read.dptr = block.allocation.va;
        }
        params.set(read)?;
        Ok(op)
    })
}

pub(crate) fn add_free(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    address: CUdeviceptr,
) -> Result<(), CUresult> {
    add(out, graph, dependencies, In::NULL, count, |_| free(address))
}

fn free(address: CUdeviceptr) -> Result<Op, CUresult> {
    if graph::memory::is_ours(address) {
        Ok(Op::Free(address))
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

/// Offset of the kind's own structure in `CUgraphNodeParams`.
const MEMBER: usize = 16;

fn member<T: Copy>(params: Out<CUgraphNodeParams>) -> Result<T, CUresult> {
    Out::<T>::new(params.required()?.addr() + MEMBER).get()
}

/// What generic parameters say, for a new node or one that does `old`.
fn read_any(
    params: Out<CUgraphNodeParams>,
    old: Option<Op>,
    into: Option<&Graph>,
) -> Result<Op, CUresult> {
    use CUgraphNodeType as T;
    let any = params.get()?;
    if any.reserved0 != [0; 3] || any.reserved2 != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    match any.type_ {
        T::KERNEL => {
            let read = member::<CUDA_KERNEL_NODE_PARAMS>(params)?;
            match old {
                Some(old) => kernel_again(old, &read),
                None => read_kernel(&read, None),
            }
        }
        T::MEMCPY => {
            let at =
                params.addr() + MEMBER + core::mem::offset_of!(CUDA_MEMCPY_NODE_PARAMS, copyParams);
            memcpy(In::new(at))
        }
        // The second form only adds the context.
        T::MEMSET => memset(&member::<CUDA_MEMSET_NODE_PARAMS>(params)?),
        T::HOST => host(&member::<CUDA_HOST_NODE_PARAMS>(params)?),
        T::GRAPH => {
            let read = member::<CUDA_CHILD_GRAPH_NODE_PARAMS>(params)?;
            match into {
                Some(into) if read.ownership.0 == 0 => copied(into, read.graph),
                Some(_) => Err(CUresult::NOT_SUPPORTED),
                None => Ok(Op::Child(graph::graph(read.graph)?)),
            }
        }
        T::EMPTY => Ok(Op::Empty),
        T::WAIT_EVENT => wait(member::<CUDA_EVENT_RECORD_NODE_PARAMS>(params)?.event),
        T::EVENT_RECORD => record(member::<CUDA_EVENT_RECORD_NODE_PARAMS>(params)?.event),
        T::MEM_ALLOC if old.is_none() => {
            let mut read = member::<CUDA_MEM_ALLOC_NODE_PARAMS>(params)?;
            let op = alloc(&read)?;
            if let Op::Alloc(block) = &op {
                read.dptr = block.allocation.va;
            }
            Out::new(params.addr() + MEMBER).set(read)?;
            Ok(op)
        }
        T::MEM_FREE if old.is_none() => free(member::<CUDA_MEM_FREE_NODE_PARAMS>(params)?.dptr),
        T::BATCH_MEM_OP => memory(&member::<CUDA_BATCH_MEM_OP_NODE_PARAMS>(params)?),
        T::CONDITIONAL if old.is_none() => conditional(params, into),
        // No semaphore can be imported.
        T::EXT_SEMAS_SIGNAL | T::EXT_SEMAS_WAIT => Err(CUresult::INVALID_HANDLE),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// The graphs of the node are told at once; they are filled later.
fn conditional(params: Out<CUgraphNodeParams>, into: Option<&Graph>) -> Result<Op, CUresult> {
    let mut read = member::<CUDA_CONDITIONAL_NODE_PARAMS>(params)?;
    let condition = condition::get(read.handle)?;
    let own = into.is_some_and(|graph| graph.has_condition(&condition));
    if !own {
        return Err(CUresult::INVALID_VALUE);
    }
    let way = Way::of(read.type_, read.size)?;
    let node = Conditional::create(condition, way, read.size)?;
    read.phGraph_out = Out::new(node.handles.as_ptr().expose_provenance());
    Out::new(params.addr() + MEMBER).set(read)?;
    Ok(Op::Conditional(node))
}

pub(crate) fn create_condition(
    out: Out<CUgraphConditionalHandle>,
    graph: CUgraph,
    ctx: CUcontext,
    default: u32,
    flags: u32,
) -> Result<(), CUresult> {
    const ASSIGN_DEFAULT: u32 = 1;
    let out = out.required()?;
    let graph = graph::graph(graph)?;
    if flags & !ASSIGN_DEFAULT != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let live = if ctx == CUcontext::NULL {
        context::current()?
    } else {
        CONTEXTS.get(ctx.0)?.live_and_well()?
    };
    let condition = condition::create(&live, default, flags != 0)?;
    let handle = condition.va;
    graph.keep(condition);
    out.set(handle)
}

/// New generic parameters for a node.
pub(crate) fn changed(params: Out<CUgraphNodeParams>, old: Op) -> Result<Op, CUresult> {
    read_any(params, Some(old), None)
}

pub(crate) fn add_any(
    out: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    params: Out<CUgraphNodeParams>,
) -> Result<(), CUresult> {
    add_any_v2(out, graph, dependencies, In::NULL, count, params)
}

pub(crate) fn add_any_v2(
    out: Out<CUgraphNode>,
    handle: CUgraph,
    dependencies: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
    params: Out<CUgraphNodeParams>,
) -> Result<(), CUresult> {
    add(out, handle, dependencies, data, count, |graph| {
        read_any(params, None, Some(graph))
    })
}

/// A graph inside a node is changed through the graph.
pub(crate) fn set_any(node: CUgraphNode, params: Out<CUgraphNodeParams>) -> Result<(), CUresult> {
    let old = op(node)?;
    if matches!(old, Op::Child(_)) {
        return Err(CUresult::NOT_SUPPORTED);
    }
    set(node, changed(params, old)?)
}

fn written(kernel: &Kernel) -> CUDA_KERNEL_NODE_PARAMS {
    let ([gx, gy, gz], [bx, by, bz]) = (kernel.config.grid, kernel.config.block);
    let library = KERNELS.get(kernel.named).is_ok();
    let pointers = &kernel.arguments.pointers;
    let params = if pointers.is_empty() {
        Out::NULL
    } else {
        Out::new(pointers.as_ptr().expose_provenance())
    };
    CUDA_KERNEL_NODE_PARAMS {
        func: if library {
            CUfunction::NULL
        } else {
            kernel.function
        },
        gridDimX: gx,
        gridDimY: gy,
        gridDimZ: gz,
        blockDimX: bx,
        blockDimY: by,
        blockDimZ: bz,
        sharedMemBytes: kernel.config.shared,
        kernelParams: params,
        extra: Out::NULL,
        kern: if library {
            CUkernel(kernel.named)
        } else {
            CUkernel::NULL
        },
        ctx: FUNCTIONS
            .get(kernel.function.0)
            .map_or(CUcontext::NULL, |f| CUcontext(f.loaded.context)),
    }
}

fn kernel_of(node: CUgraphNode) -> Result<Kernel, CUresult> {
    match op(node)? {
        Op::Kernel(kernel) => Ok(kernel),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// The parameters lie in memory of the node, until it is changed.
pub(crate) fn get_kernel(
    node: CUgraphNode,
    out: Out<CUDA_KERNEL_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(written(&kernel_of(node)?))
}

pub(crate) fn get_kernel_v1(
    node: CUgraphNode,
    out: Out<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let kernel = kernel_of(node)?;
    let p = written(&kernel);
    out.set(CUDA_KERNEL_NODE_PARAMS_v1 {
        func: kernel.function,
        gridDimX: p.gridDimX,
        gridDimY: p.gridDimY,
        gridDimZ: p.gridDimZ,
        blockDimX: p.blockDimX,
        blockDimY: p.blockDimY,
        blockDimZ: p.blockDimZ,
        sharedMemBytes: p.sharedMemBytes,
        kernelParams: p.kernelParams,
        extra: p.extra,
    })
}

pub(crate) fn set_kernel(
    node: CUgraphNode,
    params: In<CUDA_KERNEL_NODE_PARAMS>,
) -> Result<(), CUresult> {
    set(node, kernel_again(op(node)?, &params.get()?)?)
}

pub(crate) fn set_kernel_v1(
    node: CUgraphNode,
    params: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> Result<(), CUresult> {
    set(node, kernel_again(op(node)?, &newer(&params.get()?))?)
}

pub(crate) fn get_memcpy(node: CUgraphNode, out: Out<CUDA_MEMCPY3D>) -> Result<(), CUresult> {
    let out = out.required()?;
    match op(node)? {
        Op::Copy(params) => out.set(params),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

pub(crate) fn set_memcpy(node: CUgraphNode, params: In<CUDA_MEMCPY3D>) -> Result<(), CUresult> {
    set(node, memcpy(params)?)
}

pub(crate) fn get_memset(
    node: CUgraphNode,
    out: Out<CUDA_MEMSET_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    match op(node)? {
        Op::Fill(params) => out.set(params),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

pub(crate) fn set_memset(
    node: CUgraphNode,
    params: In<CUDA_MEMSET_NODE_PARAMS>,
) -> Result<(), CUresult> {
    set(node, memset(&params.get()?)?)
}

pub(crate) fn get_host(node: CUgraphNode, out: Out<CUDA_HOST_NODE_PARAMS>) -> Result<(), CUresult> {
    let out = out.required()?;
    let (fn_, user_data): (CUhostFn, _) = match op(node)? {
        Op::Host(function, data) => (function, data),
        _ => return Err(CUresult::INVALID_VALUE),
    };
    out.set(CUDA_HOST_NODE_PARAMS {
        fn_,
        userData: user_data,
    })
}

pub(crate) fn set_host(
    node: CUgraphNode,
    params: In<CUDA_HOST_NODE_PARAMS>,
) -> Result<(), CUresult> {
    set(node, host(&params.get()?)?)
}

pub(crate) fn get_record(node: CUgraphNode, out: Out<CUevent>) -> Result<(), CUresult> {
    let out = out.required()?;
    match op(node)? {
        Op::Record(event, _) => out.set(event),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

pub(crate) fn set_record(node: CUgraphNode, event: CUevent) -> Result<(), CUresult> {
    set(node, record(event)?)
}

pub(crate) fn get_wait(node: CUgraphNode, out: Out<CUevent>) -> Result<(), CUresult> {
    let out = out.required()?;
    match op(node)? {
        Op::Wait(event, _) => out.set(event),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

pub(crate) fn set_wait(node: CUgraphNode, event: CUevent) -> Result<(), CUresult> {
    set(node, wait(event)?)
}

pub(crate) fn set_memory(
    node: CUgraphNode,
    params: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
) -> Result<(), CUresult> {
    set(node, memory(&params.get()?)?)
}

/// The operations lie in memory of the node, until it is changed.
pub(crate) fn get_memory(
    node: CUgraphNode,
    out: Out<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    match op(node)? {
        Op::Memory(ops) => out.set(CUDA_BATCH_MEM_OP_NODE_PARAMS {
            ctx: context::current_handle().map_or(CUcontext::NULL, CUcontext),
            count: u32::try_from(ops.len()).unwrap_or(u32::MAX),
            paramArray: Out::new(ops.as_ptr().expose_provenance()),
            flags: 0,
        }),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// What is not kept, because nothing depends on it here, is zero.
pub(crate) fn get_alloc(
    node: CUgraphNode,
    out: Out<CUDA_MEM_ALLOC_NODE_PARAMS>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let Op::Alloc(block) = op(node)? else {
        return Err(CUresult::INVALID_VALUE);
    };
    out.set(CUDA_MEM_ALLOC_NODE_PARAMS {
        poolProps: CUmemPoolProps {
            allocType: CUmemAllocationType::PINNED,
            handleTypes: CUmemAllocationHandleType::NONE,
            location: CUmemLocation {
                type_: CUmemLocationType::DEVICE,
                id: i32::try_from(block.allocation.ordinal).unwrap_or(i32::MAX),
            },
            win32SecurityAttributes: Out::NULL,
            maxSize: 0,
            usage: 0,
            reserved: [0; 54],
        },
        accessDescs: In::NULL,
        accessDescCount: 0,
        bytesize: usize::try_from(block.bytes).unwrap_or(usize::MAX),
        dptr: block.allocation.va,
    })
}

pub(crate) fn get_free(node: CUgraphNode, out: Out<CUdeviceptr>) -> Result<(), CUresult> {
    let out = out.required()?;
    match op(node)? {
        Op::Free(address) => out.set(address),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Attributes that change a launch are part of its configuration; the others are kept as they are.
pub(crate) fn set_attribute(
    node: CUgraphNode,
    attribute: CUkernelNodeAttrID,
    value: In<CUkernelNodeAttrValue>,
) -> Result<(), CUresult> {
    use CUlaunchAttributeID as A;
    let mut kernel = kernel_of(node)?;
    let words = value.get()?.words;
    let half = |i: usize| {
        let word = words[i / 2] >> (32 * (i % 2));
        u32::try_from(word & 0xffff_ffff).unwrap_or_default()
    };
    match attribute {
        A::CLUSTER_DIMENSION => kernel.config.cluster = [half(0), half(1), half(2)],
        A::COOPERATIVE => kernel.config.cooperative = half(0) != 0,
        A::ACCESS_POLICY_WINDOW
        | A::CLUSTER_SCHEDULING_POLICY_PREFERENCE
        | A::PRIORITY
        | A::MEM_SYNC_DOMAIN_MAP
        | A::MEM_SYNC_DOMAIN
        | A::PREFERRED_SHARED_MEMORY_CARVEOUT => {
            kernel.attributes.insert(attribute.0, words);
        }
        other if (0..A::MAX.0).contains(&other.0) => return Err(CUresult::NOT_SUPPORTED),
        _ => return Err(CUresult::INVALID_VALUE),
    }
    set(node, Op::Kernel(kernel))
}

pub(crate) fn get_attribute(
    node: CUgraphNode,
    attribute: CUkernelNodeAttrID,
    out: Out<CUkernelNodeAttrValue>,
) -> Result<(), CUresult> {
    use CUlaunchAttributeID as A;
    let out = out.required()?;
    let kernel = kernel_of(node)?;
    let mut words = [0; 8];
    match attribute {
        A::CLUSTER_DIMENSION => {
            let [x, y, z] = kernel.config.cluster.map(u64::from);
            words[0] = x | y << 32;
            words[1] = z;
        }
        A::COOPERATIVE => words[0] = u64::from(kernel.config.cooperative),
        other if (0..A::MAX.0).contains(&other.0) => {
            words = kernel.attributes.get(&other.0).copied().unwrap_or(words);
        }
        _ => return Err(CUresult::INVALID_VALUE),
    }
    out.set(CUkernelNodeAttrValue { words })
}

pub(crate) fn copy_attributes(dst: CUgraphNode, src: CUgraphNode) -> Result<(), CUresult> {
    let (mut to, from) = (kernel_of(dst)?, kernel_of(src)?);
    to.config.cluster = from.config.cluster;
    to.config.cooperative = from.config.cooperative;
    to.attributes = from.attributes;
    set(dst, Op::Kernel(to))
}
