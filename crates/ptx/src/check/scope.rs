//! What a name means, by nested scopes.

use std::collections::HashMap;
use std::collections::hash_map::Entry as MapEntry;

use crate::checked::{
    BranchTableId, FunctionId, GlobalId, LabelId, LocalId, PrototypeId, RegisterId, TargetListId,
};
use crate::types::{ScalarType, VectorWidth};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Register(RegisterId),
    Local(LocalId),
    Param(u32),
    Return(u32),
    Label(LabelId),
    BranchTable(BranchTableId),
    CallTargets(TargetListId),
    Prototype(PrototypeId),
    Global(GlobalId),
    Function(FunctionId),
}

/// `.reg .b32 %r<100>`: registers are made as they are used.
pub(super) struct Range {
    depth: usize,
    count: u32,
    pub ty: ScalarType,
    pub vector: Option<VectorWidth>,
    used: HashMap<u32, RegisterId>,
}

/// The scopes of a function body, innermost last.
#[derive(Default)]
pub(super) struct Scope<'a> {
    names: HashMap<&'a str, Vec<(usize, Meaning)>>,
    ranges: HashMap<&'a str, Vec<Range>>,
    /// Names and range prefixes declared in each open scope.
    open: Vec<(Vec<&'a str>, Vec<&'a str>)>,
}

impl<'a> Scope<'a> {
    pub fn enter(&mut self) {
        self.open.push((Vec::new(), Vec::new()));
    }

    pub fn leave(&mut self) {
        let Some((names, ranges)) = self.open.pop() else {
            return;
        };
        for name in names {
            if let MapEntry::Occupied(mut entry) = self.names.entry(name) {
                entry.get_mut().pop();
                if entry.get().is_empty() {
                    entry.remove();
                }
            }
        }
        for prefix in ranges {
            if let MapEntry::Occupied(mut entry) = self.ranges.entry(prefix) {
                entry.get_mut().pop();
                if entry.get().is_empty() {
                    entry.remove();
                }
            }
        }
    }

    /// Declares a name in the innermost scope; false if it is already declared there.
    pub fn declare(&mut self, name: &'a str, meaning: Meaning) -> bool {
        let depth = self.open.len();
        let stack = self.names.entry(name).or_default();
        if stack.last().is_some_and(|(d, _)| *d == depth) {
            return false;
        }
        stack.push((depth, meaning));
        if let Some((names, _)) = self.open.last_mut() {
            names.push(name);
        }
        true
    }

    /// Declares `prefix<count>` in the innermost scope; false if it is already declared there.
    pub fn declare_range(
        &mut self,
        prefix: &'a str,
        count: u32,
        ty: ScalarType,
        vector: Option<VectorWidth>,
    ) -> bool {
        let depth = self.open.len();
        let stack = self.ranges.entry(prefix).or_default();
        if stack.last().is_some_and(|range| range.depth == depth) {
            return false;
        }
        stack.push(Range {
            depth,
            count,
            ty,
            vector,
            used: HashMap::new(),
        });
        if let Some((_, ranges)) = self.open.last_mut() {
            ranges.push(prefix);
        }
        true
    }

    /// What a name means here. `new_register` makes the register of a range at its first use.
    pub fn lookup(
        &mut self,
        name: &str,
        new_register: impl FnOnce(ScalarType, Option<VectorWidth>) -> RegisterId,
    ) -> Option<Meaning> {
        let exact = self.names.get(name).and_then(|stack| stack.last()).copied();
        let exact_depth = exact.map_or(0, |(depth, _)| depth);
        if let Some((prefix, index)) = split_index(name)
            && let Some(stack) = self.ranges.get_mut(prefix)
        {
            let range = stack.iter_mut().rev().find(|range| index < range.count);
            if let Some(range) = range.filter(|range| range.depth > exact_depth) {
                let id = *range
                    .used
                    .entry(index)
                    .or_insert_with(|| new_register(range.ty, range.vector));
                return Some(Meaning::Register(id));
            }
        }
        exact.map(|(_, meaning)| meaning)
    }
}

/// `%r12` as (`%r`, 12); no index has leading zeros.
fn split_index(name: &str) -> Option<(&str, u32)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (prefix, index) = name.split_at(name.len() - digits);
    if digits == 0 || prefix.is_empty() || (digits > 1 && index.starts_with('0')) {
        return None;
    }
    Some((prefix, index.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(scope: &mut Scope<'_>, name: &str, next: &mut u32) -> Option<Meaning> {
        scope.lookup(name, |_, _| {
            *next += 1;
            RegisterId(*next - 1)
        })
    }

    #[test]
    fn ranges_make_registers_once_and_inner_ranges_hide_outer_ones() {
        let mut scope = Scope::default();
        let mut next = 0;
        scope.enter();
        assert!(scope.declare_range("%r", 4_000_000_000, ScalarType::B32, None));
        assert!(!scope.declare_range("%r", 3, ScalarType::B32, None));
        let outer = find(&mut scope, "%r3", &mut next);
        assert_eq!(outer, Some(Meaning::Register(RegisterId(0))));
        scope.enter();
        assert_eq!(find(&mut scope, "%r3", &mut next), outer);
        assert!(scope.declare_range("%r", 5, ScalarType::B64, None));
        assert_ne!(find(&mut scope, "%r3", &mut next), outer);
        assert!(find(&mut scope, "%r7", &mut next).is_some());
        scope.leave();
        assert_eq!(find(&mut scope, "%r3", &mut next), outer);
        assert_eq!(find(&mut scope, "%r03", &mut next), None);
        assert_eq!(find(&mut scope, "%r", &mut next), None);
        scope.leave();
        assert_eq!(find(&mut scope, "%r3", &mut next), None);
    }

    #[test]
    fn inner_names_hide_outer_ones() {
        let mut scope = Scope::default();
        let mut next = 0;
        scope.enter();
        assert!(scope.declare("a", Meaning::Param(0)));
        assert!(!scope.declare("a", Meaning::Param(1)));
        scope.enter();
        assert!(scope.declare("a", Meaning::Param(2)));
        assert_eq!(find(&mut scope, "a", &mut next), Some(Meaning::Param(2)));
        scope.leave();
        assert_eq!(find(&mut scope, "a", &mut next), Some(Meaning::Param(0)));
    }
}
