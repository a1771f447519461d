//! Graphs: nodes, edges, copies, user objects, memory.

use std::ffi::{c_char, c_void};

use cuda_abi::driver::{
    CUdevice, CUgraph, CUgraphEdgeData, CUgraphMem_attribute, CUgraphNode, CUgraphNodeType,
    CUhostFn, CUresult, CUuserObject, In, Out,
};

use crate::core::graph::op::Op;
use crate::core::graph::{self, Edge, dot, is_plain, memory, object};
use crate::ffi::{Read, Write, text};

pub(crate) fn create(out: Out<CUgraph>, flags: u32) -> Result<(), CUresult> {
    let out = out.required()?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(CUgraph(graph::create(false)?.handle))
}

pub(crate) fn destroy(handle: CUgraph) -> Result<(), CUresult> {
    graph::destroy(handle)
}

pub(crate) fn clone(out: Out<CUgraph>, original: CUgraph) -> Result<(), CUresult> {
    let out = out.required()?;
    let copy = graph::graph(original)?.duplicate(false)?;
    out.set(CUgraph(copy.handle))
}

pub(crate) fn find_in_clone(
    out: Out<CUgraphNode>,
    original: CUgraphNode,
    clone: CUgraph,
) -> Result<(), CUresult> {
    let out = out.required()?;
    graph::node(original)?;
    let found = graph::graph(clone)?.copy_of(original.0);
    out.set(found.ok_or(CUresult::INVALID_VALUE)?)
}

pub(crate) fn destroy_node(handle: CUgraphNode) -> Result<(), CUresult> {
    let (graph, number) = graph::node(handle)?;
    graph.remove(number)
}

pub(crate) fn node_type(handle: CUgraphNode, out: Out<CUgraphNodeType>) -> Result<(), CUresult> {
    let out = out.required()?;
    let (graph, number) = graph::node(handle)?;
    out.set(graph.op(number)?.kind())
}

pub(crate) fn child_graph(handle: CUgraphNode, out: Out<CUgraph>) -> Result<(), CUresult> {
    let out = out.required()?;
    let (graph, number) = graph::node(handle)?;
    match graph.op(number)? {
        Op::Child(child) => out.set(CUgraph(child.handle)),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Writes as many as fit; the rest of the room becomes null. Without a list only the number is told.
fn list<T: Copy>(
    found: &[T],
    count: Out<usize>,
    asked: bool,
    set: impl Fn(usize, Option<T>),
) -> Result<(), CUresult> {
    let count = count.required()?;
    if !asked {
        return count.set(found.len());
    }
    let room = count.get()?;
    for index in 0..room {
        set(index, found.get(index).copied());
    }
    count.set(found.len().min(room))
}

fn list_nodes(
    found: &[CUgraphNode],
    out: Out<CUgraphNode>,
    count: Out<usize>,
) -> Result<(), CUresult> {
    list(found, count, !out.is_null(), |index, node| {
        out.set_at(index, node.unwrap_or(CUgraphNode::NULL));
    })
}

pub(crate) fn nodes(
    handle: CUgraph,
    out: Out<CUgraphNode>,
    count: Out<usize>,
) -> Result<(), CUresult> {
    list_nodes(&graph::graph(handle)?.nodes(), out, count)
}

pub(crate) fn roots(
    handle: CUgraph,
    out: Out<CUgraphNode>,
    count: Out<usize>,
) -> Result<(), CUresult> {
    list_nodes(&graph::graph(handle)?.roots(), out, count)
}

type FromTo = (CUgraphNode, CUgraphNode, CUgraphEdgeData);

/// # Errors
/// 402 when edges say more than the caller has room for.
fn list_edges(
    found: &[FromTo],
    from: Out<CUgraphNode>,
    to: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: Out<usize>,
) -> Result<(), CUresult> {
    let asked = !from.is_null() || !to.is_null();
    if asked && data.is_null() && found.iter().any(|(_, _, data)| !is_plain(data)) {
        return Err(CUresult::LOSSY_QUERY);
    }
    list(found, count, asked, |index, edge| {
        let none = (CUgraphNode::NULL, CUgraphNode::NULL, graph::PLAIN);
        let (a, b, d) = edge.unwrap_or(none);
        from.set_at(index, a);
        to.set_at(index, b);
        data.set_at(index, d);
    })
}

pub(crate) fn edges(
    handle: CUgraph,
    from: Out<CUgraphNode>,
    to: Out<CUgraphNode>,
    count: Out<usize>,
) -> Result<(), CUresult> {
    edges_v2(handle, from, to, Out::NULL, count)
}

/// Both lists or none.
pub(crate) fn edges_v2(
    handle: CUgraph,
    from: Out<CUgraphNode>,
    to: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: Out<usize>,
) -> Result<(), CUresult> {
    if from.is_null() != to.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    list_edges(&graph::graph(handle)?.edges(), from, to, data, count)
}

pub(crate) fn dependencies(
    node: CUgraphNode,
    out: Out<CUgraphNode>,
    count: Out<usize>,
) -> Result<(), CUresult> {
    dependencies_v2(node, out, Out::NULL, count)
}

pub(crate) fn dependencies_v2(
    node: CUgraphNode,
    out: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: Out<usize>,
) -> Result<(), CUresult> {
    let mut edges = graph::node(node)?.0.edges();
    edges.retain(|(_, to, _)| *to == node);
    list_edges(&edges, out, Out::NULL, data, count)
}

pub(crate) fn dependents(
    node: CUgraphNode,
    out: Out<CUgraphNode>,
    count: Out<usize>,
) -> Result<(), CUresult> {
    dependents_v2(node, out, Out::NULL, count)
}

pub(crate) fn dependents_v2(
    node: CUgraphNode,
    out: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: Out<usize>,
) -> Result<(), CUresult> {
    let mut edges = graph::node(node)?.0.edges();
    edges.retain(|(from, ..)| *from == node);
    list_edges(&edges, Out::NULL, out, data, count)
}

/// Reads pairs of nodes of a graph, and does something with each.
fn pairs(
    handle: CUgraph,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
    each: impl Fn(&graph::Graph, Edge, u64) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    let graph = graph::graph(handle)?;
    for index in 0..count {
        let (a, b) = (from.at(index)?, to.at(index)?);
        let data = if data.is_null() {
            graph::PLAIN
        } else {
            data.at(index)?
        };
        let one = |node, data| {
            let edges = graph.edges_from(&[node], &[data])?;
            edges.first().copied().ok_or(CUresult::INVALID_VALUE)
        };
        each(&graph, one(a, data)?, one(b, graph::PLAIN)?.from)?;
    }
    Ok(())
}

pub(crate) fn add_dependencies(
    handle: CUgraph,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    count: usize,
) -> Result<(), CUresult> {
    add_dependencies_v2(handle, from, to, In::NULL, count)
}

pub(crate) fn add_dependencies_v2(
    handle: CUgraph,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
) -> Result<(), CUresult> {
    pairs(handle, from, to, data, count, |graph, edge, to| {
        graph.connect(edge, to)
    })
}

pub(crate) fn remove_dependencies(
    handle: CUgraph,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    count: usize,
) -> Result<(), CUresult> {
    remove_dependencies_v2(handle, from, to, In::NULL, count)
}

pub(crate) fn remove_dependencies_v2(
    handle: CUgraph,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
) -> Result<(), CUresult> {
    pairs(handle, from, to, data, count, |graph, edge, to| {
        graph.disconnect(edge.from, to)
    })
}

/// Any flag adds the parameters.
pub(crate) fn debug_dot_print(
    handle: CUgraph,
    path: In<c_char>,
    flags: u32,
) -> Result<(), CUresult> {
    let path = text(path)?;
    let graph = graph::graph(handle)?;
    std::fs::write(path, dot::text(&graph, flags != 0)).map_err(|_| CUresult::OPERATING_SYSTEM)
}

/// The one flag must be given: destructors are not in order with anything.
pub(crate) fn user_object_create(
    out: Out<CUuserObject>,
    pointer: Out<c_void>,
    destroy: CUhostFn,
    count: u32,
    flags: u32,
) -> Result<(), CUresult> {
    let out = out.required()?;
    if flags != 1 || count == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(object::create(pointer, destroy, count)?)
}

pub(crate) fn user_object_retain(object: CUuserObject, count: u32) -> Result<(), CUresult> {
    object::retain(object, counted(count)?)
}

pub(crate) fn user_object_release(object: CUuserObject, count: u32) -> Result<(), CUresult> {
    object::release(object, counted(count)?)
}

fn counted(count: u32) -> Result<u32, CUresult> {
    if count == 0 || count > i32::MAX.cast_unsigned() {
        Err(CUresult::INVALID_VALUE)
    } else {
        Ok(count)
    }
}

pub(crate) fn retain_user_object(
    handle: CUgraph,
    object: CUuserObject,
    count: u32,
    flags: u32,
) -> Result<(), CUresult> {
    if flags > 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    let graph = graph::graph(handle)?;
    object::give(&mut graph.objects(), object, counted(count)?, flags == 1)
}

pub(crate) fn release_user_object(
    handle: CUgraph,
    object: CUuserObject,
    count: u32,
) -> Result<(), CUresult> {
    let graph = graph::graph(handle)?;
    object::take(&mut graph.objects(), object, counted(count)?)
}

pub(crate) fn get_mem_attribute(
    device: CUdevice,
    attribute: CUgraphMem_attribute,
    value: Out<c_void>,
) -> Result<(), CUresult> {
    use CUgraphMem_attribute as A;
    let value = Out::<u64>::new(value.required()?.addr());
    let ordinal = super::mempool::ordinal(device)?;
    value.set(match attribute {
        A::USED_MEM_CURRENT => memory::used(ordinal),
        A::USED_MEM_HIGH => memory::used_high(ordinal),
        A::RESERVED_MEM_CURRENT => memory::reserved(ordinal),
        A::RESERVED_MEM_HIGH => memory::reserved_high(ordinal),
        _ => return Err(CUresult::INVALID_VALUE),
    })
}

/// High-water marks can be reset, and nothing else set.
pub(crate) fn set_mem_attribute(
    device: CUdevice,
    attribute: CUgraphMem_attribute,
    value: Out<c_void>,
) -> Result<(), CUresult> {
    use CUgraphMem_attribute as A;
    let value = Out::<u64>::new(value.addr()).get()?;
    let ordinal = super::mempool::ordinal(device)?;
    match attribute {
        A::USED_MEM_HIGH | A::RESERVED_MEM_HIGH if value == 0 => {
            memory::reset_high(ordinal, attribute == A::USED_MEM_HIGH);
            Ok(())
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Takes memory from graphs that do not run.
pub(crate) fn mem_trim(device: CUdevice) -> Result<(), CUresult> {
    memory::trim(super::mempool::ordinal(device)?)
}
