//! The functions of a kernel's module.

use super::build::{Builder, T, V};
use super::emit::Gen;
use super::flow::Flow;
use super::plan::Plan;
use super::shape::Lanes;
use super::target::Level;
use crate::ir::Function;

/// Goes on to another function of the module.
pub(super) fn another<'a, 'c>(
    g: Gen<'a, 'c>,
    f: &'a Function,
    flow: &'a Flow,
    plan: &'a Plan,
    lanes: &'a Lanes,
    function: V,
) -> Gen<'a, 'c> {
    let (module, level, kind, bytes) = (g.module, g.level, g.kind, g.local_bytes);
    let Gen {
        slots,
        movers,
        mut lines,
        b,
        ..
    } = g;
    lines.function(function);
    let mut g = Gen::new(
        b, f, module, flow, plan, lanes, level, kind, function, lines,
    );
    g.slots = slots;
    g.movers = movers;
    g.local_bytes = bytes;
    g
}

/// A function of the module's own, called with the context.
pub(super) fn internal(b: &Builder<'_>, name: &str, ty: T, level: Level) -> V {
    let function = b.function(name, ty);
    b.internal(function);
    attributes(b, function, level);
    context_attributes(b, function);
    function
}

/// What holds for all functions of ours.
pub(super) fn attributes(b: &Builder<'_>, function: V, level: Level) {
    // A kernel's access at address 0 is a fault (700) like any other, never undefined.
    for name in ["nounwind", "noredzone", "null_pointer_is_valid"] {
        b.attribute(function, None, name);
    }
    for (key, value) in [
        ("no-builtins", ""),
        ("no-jump-tables", "true"),
        ("frame-pointer", "none"),
        ("tune-cpu", level.tune()),
    ] {
        b.text_attribute(function, key, value);
    }
    if level == Level::Avx512 {
        b.text_attribute(function, "prefer-vector-width", "512");
        b.text_attribute(function, "min-legal-vector-width", "512");
    }
}

/// The context is only read.
pub(super) fn context_attributes(b: &Builder<'_>, function: V) {
    for name in ["noalias", "nonnull", "readonly"] {
        b.attribute(function, Some(0), name);
    }
}
