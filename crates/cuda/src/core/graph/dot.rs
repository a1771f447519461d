//! Graphs as text for Graphviz.

use std::fmt::Write;

use super::op::Op;
use super::{Graph, node};
use crate::core::module::FUNCTIONS;

/// The graph in the DOT language. `verbose` adds parameters to the nodes.
pub(crate) fn text(graph: &Graph, verbose: bool) -> String {
    let mut out = String::from("digraph dot {\n");
    part(&mut out, graph, verbose);
    out.push_str("}\n");
    out
}

fn part(out: &mut String, graph: &Graph, verbose: bool) {
    let at = graph.handle;
    // Writing to a string cannot fail.
    let _ = writeln!(out, "subgraph cluster_{at:x} {{\nlabel=\"graph_{at:x}\";");
    let mut inner = Vec::new();
    for handle in graph.nodes() {
        let op = node(handle).and_then(|(graph, number)| graph.op(number));
        let Ok(op) = op else { continue };
        let label = escape(&label(&op, verbose));
        let _ = writeln!(
            out,
            "\"node_{:x}\"[shape=\"rectangle\" label=\"{label}\"];",
            handle.0
        );
        if let Op::Child(child) = op {
            inner.push((handle, child));
        }
    }
    for (from, to, _) in graph.edges() {
        let _ = writeln!(out, "\"node_{:x}\" -> \"node_{:x}\";", from.0, to.0);
    }
    out.push_str("}\n");
    for (handle, child) in inner {
        part(out, &child, verbose);
        for root in child.roots() {
            let _ = writeln!(
                out,
                "\"node_{:x}\" -> \"node_{:x}\"[style=\"dashed\"];",
                handle.0, root.0
            );
        }
    }
}

fn label(op: &Op, verbose: bool) -> String {
    match op {
        Op::Kernel(k) => {
            let name = FUNCTIONS
                .get(k.function.0)
                .map_or_else(|_| "?".to_owned(), |f| f.info().name.clone());
            if verbose {
                let c = &k.config;
                format!("KERNEL {name} {:?} {:?} {}", c.grid, c.block, c.shared)
            } else {
                format!("KERNEL {name}")
            }
        }
        Op::Copy(c) if verbose => format!("MEMCPY {}x{}x{}", c.WidthInBytes, c.Height, c.Depth),
        Op::Copy(_) => "MEMCPY".into(),
        Op::Fill(f) if verbose => format!("MEMSET {:#x} {}x{}", f.dst, f.width, f.height),
        Op::Fill(_) => "MEMSET".into(),
        Op::Host(..) => "HOST".into(),
        Op::Child(_) => "GRAPH".into(),
        Op::Empty => "EMPTY".into(),
        Op::Wait(..) => "EVENT_WAIT".into(),
        Op::Record(..) => "EVENT_RECORD".into(),
        Op::Alloc(b) => format!("MEM_ALLOC {}", b.bytes),
        Op::Free(at) => format!("MEM_FREE {at:#x}"),
        Op::Conditional(node) => format!("CONDITIONAL {:?}", node.way).to_uppercase(),
        Op::Memory(_) => "BATCH_MEM_OP".into(),
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
