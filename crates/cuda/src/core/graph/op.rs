//! What nodes do.

use std::collections::BTreeMap;
use std::sync::Arc;

use cuda_abi::driver::{
    CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, CUarray, CUevent, CUfunction, CUgraphNodeType,
    CUhostFn, CUmemorytype, CUresult, CUstreamBatchMemOpParams, In, Out,
};

use super::Graph;
use super::condition::Conditional;
use super::memory::Block;
use crate::core::copy::{Copy, End, Pitch, fill};
use crate::core::event::Event;
use crate::core::host_function;
use crate::core::launch::{self, Config};
use crate::core::module::{FUNCTIONS, Function};
use crate::core::stream::Target;
use crate::core::{rectangle, stream_memop};

/// A kernel's parameters, kept where a caller may look at them.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// The parameter block.
    pub block: Vec<u8>,
    /// Addresses of the parameters in it.
    pub pointers: Vec<usize>,
}

impl Arguments {
    /// Keeps the parameter block of a launch of that function.
    pub(crate) fn new(function: &Function, block: Vec<u8>) -> Arc<Self> {
        let base = block.as_ptr().expose_provenance();
        let pointers = function
            .info()
            .params
            .iter()
            .map(|(offset, _)| base + *offset as usize)
            .collect();
        Arc::new(Self { block, pointers })
    }
}

/// A launch.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    /// The handle that the program gave: a function's or a library kernel's.
    pub named: usize,
    /// The function.
    pub function: CUfunction,
    /// Dimensions and the like.
    pub config: Config,
    /// Parameters.
    pub arguments: Arc<Arguments>,
    /// Attributes set one by one that change nothing here, by number.
    pub attributes: BTreeMap<i32, [u64; 8]>,
}

/// An operation.
#[derive(Clone)]
pub(crate) enum Op {
    /// Launch.
    Kernel(Kernel),
    /// Copy, as the program describes it.
    Copy(CUDA_MEMCPY3D),
    /// Fill.
    Fill(CUDA_MEMSET_NODE_PARAMS),
    /// Call of a host function.
    Host(CUhostFn, Out<core::ffi::c_void>),
    /// A whole graph.
    Child(Arc<Graph>),
    /// Nothing.
    Empty,
    /// Wait for an event.
    Wait(CUevent, Arc<Event>),
    /// Record an event.
    Record(CUevent, Arc<Event>),
    /// Allocate.
    Alloc(Arc<Block>),
    /// Free what begins at an address.
    Free(u64),
    /// Runs graphs by a condition.
    Conditional(Arc<Conditional>),
    /// Waits for and writes to memory.
    Memory(Arc<[CUstreamBatchMemOpParams]>),
}

impl Op {
    /// Its kind, as the API numbers them.
    pub(crate) fn kind(&self) -> CUgraphNodeType {
        use CUgraphNodeType as T;
        match self {
            Self::Kernel(_) => T::KERNEL,
            Self::Copy(_) => T::MEMCPY,
            Self::Fill(_) => T::MEMSET,
            Self::Host(..) => T::HOST,
            Self::Child(_) => T::GRAPH,
            Self::Empty => T::EMPTY,
            Self::Wait(..) => T::WAIT_EVENT,
            Self::Record(..) => T::EVENT_RECORD,
            Self::Alloc(_) => T::MEM_ALLOC,
            Self::Free(_) => T::MEM_FREE,
            Self::Conditional(_) => T::CONDITIONAL,
            Self::Memory(_) => T::BATCH_MEM_OP,
        }
    }

    /// Puts it into a stream. Child graphs and those of conditional nodes are the plan's.
    pub(crate) fn run(&self, target: &Target) -> Result<(), CUresult> {
        match self {
            Self::Kernel(kernel) => launch::launch(
                target,
                &*FUNCTIONS.get(kernel.function.0)?,
                &kernel.config,
                &kernel.arguments.block,
            ),
            Self::Copy(params) => rectangle::three_d(params)?.run_in_order(target),
            Self::Fill(p) => fill(
                target,
                p.dst,
                p.pitch as u64,
                p.value,
                p.elementSize,
                p.width as u64,
                p.height as u64,
            )
            .map(drop),
            Self::Host(function, data) => {
                let function = function.ok_or(CUresult::INVALID_VALUE)?;
                let data = *data;
                host_function::enqueue(
                    target,
                    Box::new(move |outcome| {
                        if outcome.is_ok() {
                            // SAFETY: the caller's function and its argument, which the C contract says outlive the graph.
                            host_function::calling(|| unsafe { function(data) });
                        }
                    }),
                )
            }
            Self::Child(_) | Self::Conditional(_) | Self::Empty => Ok(()),
            Self::Wait(_, event) => event.wait_in(target),
            Self::Record(_, event) => event.record(target),
            Self::Alloc(block) => block.begin(),
            Self::Free(address) => super::memory::end(*address, target.stream.point()),
            Self::Memory(ops) => stream_memop::perform(target, ops),
        }
    }
}

/// A copy that is already resolved, as a description that [`rectangle::three_d`] reads again.
pub(crate) fn describe(copy: &Copy) -> CUDA_MEMCPY3D {
    let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let side = |end: End, pitch: Pitch| {
        let (kind, host, device) = match end {
            End::Gpu {
                va, device: true, ..
            } => (CUmemorytype::DEVICE, 0, va),
            End::Gpu { va, .. } => (CUmemorytype::HOST, number(va), 0),
            End::Pageable(at) => (CUmemorytype::HOST, at, 0),
        };
        let rows = pitch.slice.checked_div(pitch.line).unwrap_or(0);
        (kind, host, device, number(pitch.line), number(rows))
    };
    let (src_kind, src_host, src_device, src_pitch, src_rows) = side(copy.src, copy.src_pitch);
    let (dst_kind, dst_host, dst_device, dst_pitch, dst_rows) = side(copy.dst, copy.dst_pitch);
    CUDA_MEMCPY3D {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: src_kind,
        srcHost: In::new(src_host),
        srcDevice: src_device,
        srcArray: CUarray::NULL,
        reserved0: Out::NULL,
        srcPitch: src_pitch,
        srcHeight: src_rows,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: dst_kind,
        dstHost: Out::new(dst_host),
        dstDevice: dst_device,
        dstArray: CUarray::NULL,
        reserved1: Out::NULL,
        dstPitch: dst_pitch,
        dstHeight: dst_rows,
        WidthInBytes: number(copy.extent.width),
        Height: number(copy.extent.height),
        Depth: number(copy.extent.depth),
    }
}
