//! Stream capture.

use cuda_abi::driver::{
    CUgraph, CUgraphEdgeData, CUgraphNode, CUresult, CUstream, CUstreamCaptureMode,
    CUstreamCaptureStatus, CUstreamUpdateCaptureDependencies_flags, In, Out,
};

use crate::core::graph::{self, capture};
use crate::core::stream;
use crate::ffi::{Read, Write};

pub(crate) fn begin(handle: CUstream) -> Result<(), CUresult> {
    begin_v2(handle, CUstreamCaptureMode::GLOBAL)
}

pub(crate) fn begin_v2(handle: CUstream, mode: CUstreamCaptureMode) -> Result<(), CUresult> {
    capture::begin(&stream::resolve(handle)?, mode, None)
}

/// Edge data of a list of nodes; null means that there is none.
pub(crate) fn edge_data(
    data: In<CUgraphEdgeData>,
    count: usize,
) -> Result<Vec<CUgraphEdgeData>, CUresult> {
    if data.is_null() {
        Ok(Vec::new())
    } else {
        data.get_all(count)
    }
}

pub(crate) fn begin_to_graph(
    handle: CUstream,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
    mode: CUstreamCaptureMode,
) -> Result<(), CUresult> {
    let target = stream::resolve(handle)?;
    let graph = graph::graph(graph)?;
    let after = graph.edges_from(&dependencies.get_all(count)?, &edge_data(data, count)?)?;
    capture::begin(&target, mode, Some((graph, after)))
}

/// The graph is null when the capture went wrong. Who captures into a graph of its own need not ask for it.
pub(crate) fn end(handle: CUstream, out: Out<CUgraph>) -> Result<(), CUresult> {
    let target = stream::find(handle)?;
    if out.is_null() {
        if !capture::is_into_given(&target) {
            return Err(CUresult::INVALID_VALUE);
        }
        return capture::end(&target).map(drop);
    }
    let ended = capture::end(&target);
    // Documented: a failure stores null.
    out.set(ended.unwrap_or(CUgraph::NULL))?;
    ended.map(drop)
}

fn status(info: Option<&capture::Info>) -> CUstreamCaptureStatus {
    match info {
        None => CUstreamCaptureStatus::NONE,
        Some(info) if info.invalid => CUstreamCaptureStatus::INVALIDATED,
        Some(_) => CUstreamCaptureStatus::ACTIVE,
    }
}

fn look(handle: CUstream) -> Result<Option<capture::Info>, CUresult> {
    let target = stream::find(handle)?;
    capture::implicit(&target, false)?;
    Ok(capture::info(&target))
}

pub(crate) fn is_capturing(
    handle: CUstream,
    out: Out<CUstreamCaptureStatus>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(status(look(handle)?.as_ref()))
}

pub(crate) fn info(
    handle: CUstream,
    out: Out<CUstreamCaptureStatus>,
    id: Out<u64>,
) -> Result<(), CUresult> {
    info_v3(handle, out, id, Out::NULL, Out::NULL, Out::NULL, Out::NULL)
}

pub(crate) fn info_v2(
    handle: CUstream,
    out: Out<CUstreamCaptureStatus>,
    id: Out<u64>,
    graph: Out<CUgraph>,
    dependencies: Out<In<CUgraphNode>>,
    count: Out<usize>,
) -> Result<(), CUresult> {
    info_v3(handle, out, id, graph, dependencies, Out::NULL, count)
}

/// The lists live until the next call for the stream.
///
/// # Errors
/// 402 when edges say more than the caller asks for.
pub(crate) fn info_v3(
    handle: CUstream,
    out: Out<CUstreamCaptureStatus>,
    id: Out<u64>,
    graph: Out<CUgraph>,
    dependencies: Out<In<CUgraphNode>>,
    data: Out<In<CUgraphEdgeData>>,
    count: Out<usize>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let info = look(handle)?;
    let Some(info) = info else {
        return out.set(CUstreamCaptureStatus::NONE);
    };
    if info.lossy && !dependencies.is_null() && data.is_null() {
        return Err(CUresult::LOSSY_QUERY);
    }
    out.set(status(Some(&info)))?;
    if !info.invalid {
        id.set_opt(info.id);
        graph.set_opt(info.graph);
        dependencies.set_opt(In::new(info.nodes));
        data.set_opt(In::new(info.edges));
        count.set_opt(info.count);
    }
    Ok(())
}

pub(crate) fn update_dependencies(
    handle: CUstream,
    dependencies: Out<CUgraphNode>,
    count: usize,
    flags: u32,
) -> Result<(), CUresult> {
    update_dependencies_v2(handle, dependencies, In::NULL, count, flags)
}

pub(crate) fn update_dependencies_v2(
    handle: CUstream,
    dependencies: Out<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
    flags: u32,
) -> Result<(), CUresult> {
    use CUstreamUpdateCaptureDependencies_flags as F;
    let replace = match F(flags.cast_signed()) {
        F::ADD_CAPTURE_DEPENDENCIES => false,
        F::SET_CAPTURE_DEPENDENCIES => true,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    let target = stream::resolve(handle)?;
    let nodes = dependencies.get_all(count)?;
    capture::update(&target, &nodes, &edge_data(data, count)?, replace)
}

pub(crate) fn exchange_mode(mode: Out<CUstreamCaptureMode>) -> Result<(), CUresult> {
    mode.set(capture::exchange_mode(mode.get()?)?)
}
