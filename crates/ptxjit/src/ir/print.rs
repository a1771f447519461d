//! Text form of the IR, for dumps (`ANTLERITE_DUMP`) and golden tests. There is no parser for it.

use super::function::{
    Block, BlockData, Edge, Function, Inst, LocData, Module, Terminator, Value, ValueDef,
};
use super::types::Ty;
use std::fmt::{self, Display, Formatter};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (id, symbol) in self.symbols.iter() {
            let space = if symbol.constant { "const" } else { "global" };
            writeln!(
                f,
                "{id} = {space} {} bytes {} align {}",
                symbol.name, symbol.bytes, symbol.align
            )?;
        }
        for (id, function) in self.functions.iter() {
            let kind = if self.kernel == Some(id) {
                "kernel"
            } else {
                "function"
            };
            writeln!(
                f,
                "{kind} {id} {}",
                FunctionText {
                    function,
                    module: self
                }
            )?;
        }
        Ok(())
    }
}

struct FunctionText<'a> {
    function: &'a Function,
    module: &'a Module,
}

impl Display for FunctionText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sig = &self.module.sigs[self.function.sig];
        write!(f, "{} (", self.function.name)?;
        list(f, &sig.params)?;
        f.write_str(") -> (")?;
        list(f, &sig.results)?;
        write!(f, ") {}", self.function)
    }
}

fn list<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{{")?;
        for (id, slot) in self.locals.iter() {
            writeln!(
                f,
                "  {id} = {} bytes {} align {} at {}",
                slot.name, slot.bytes, slot.align, slot.offset
            )?;
        }
        for block in self.reverse_post_order() {
            self.write_block(f, block)?;
        }
        writeln!(f, "}}")
    }
}

impl Function {
    /// A value as dumps write it: constants in place.
    #[must_use]
    pub fn show(&self, value: Value) -> String {
        match self.values[value].def {
            ValueDef::Const(bits) => match self.values[value].ty {
                Ty::Pred => if bits == 0 { "false" } else { "true" }.to_owned(),
                _ if bits < 10 => bits.to_string(),
                _ => format!("{bits:#x}"),
            },
            ValueDef::Undef => "undef".to_owned(),
            ValueDef::Inst(..) | ValueDef::Param(..) => value.to_string(),
        }
    }

    fn show_all(&self, values: impl IntoIterator<Item = Value>) -> String {
        values
            .into_iter()
            .map(|v| self.show(v))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn write_block(&self, f: &mut Formatter<'_>, block: Block) -> fmt::Result {
        let BlockData {
            params,
            insts,
            term,
            term_loc,
        } = &self.blocks[block];
        let params: Vec<String> = params
            .iter()
            .map(|&p| format!("{p}: {}", self.ty(p)))
            .collect();
        writeln!(f, "{block}({}):", params.join(", "))?;
        for &inst in insts {
            self.write_inst(f, inst)?;
        }
        let place = Place(self.locs[*term_loc]);
        writeln!(f, "    {}{place}", self.show_terminator(term))
    }

    fn write_inst(&self, f: &mut Formatter<'_>, inst: Inst) -> fmt::Result {
        let data = &self.insts[inst];
        f.write_str("    ")?;
        if let Some(guard) = data.guard {
            write!(f, "@{} ", self.show(guard))?;
        }
        let results: Vec<String> = self
            .results(inst)
            .map(|r| format!("{r}: {}", self.ty(r)))
            .collect();
        if !results.is_empty() {
            write!(f, "{} = ", results.join(", "))?;
        }
        write!(f, "{}", data.op)?;
        if !self.args(inst).is_empty() {
            write!(f, " {}", self.show_all(self.args(inst).iter().copied()))?;
        }
        writeln!(f, "{}", Place(self.locs[data.loc]))
    }

    fn show_edge(&self, edge: &Edge) -> String {
        format!(
            "{}({})",
            edge.block,
            self.show_all(edge.args.iter().copied())
        )
    }

    fn show_terminator(&self, term: &Terminator) -> String {
        let uni = |uniform: bool| if uniform { ".uni" } else { "" };
        match term {
            Terminator::Jump(edge) => format!("jump {}", self.show_edge(edge)),
            Terminator::Branch {
                cond,
                then,
                other,
                uniform,
            } => format!(
                "branch{} {}, {}, {}",
                uni(*uniform),
                self.show(*cond),
                self.show_edge(then),
                self.show_edge(other)
            ),
            Terminator::Switch {
                index,
                table,
                uniform,
            } => {
                let table: Vec<String> = table.iter().map(|e| self.show_edge(e)).collect();
                format!(
                    "switch{} {}, [{}]",
                    uni(*uniform),
                    self.show(*index),
                    table.join(", ")
                )
            }
            Terminator::Return(values) => {
                format!("return {}", self.show_all(values.iter().copied()))
            }
            Terminator::Exit => "exit".to_owned(),
            Terminator::Trap(kind) => kind.to_string(),
            Terminator::Unreachable => "unreachable".to_owned(),
        }
    }
}

struct Place(LocData);

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            LocData { ptx_line: 0, .. } => Ok(()),
            LocData {
                ptx_line, line: 0, ..
            } => write!(f, "  ; {ptx_line}"),
            LocData {
                ptx_line,
                file,
                line,
            } => write!(f, "  ; {ptx_line} ({file}:{line})"),
        }
    }
}
