//! Initial contents of variables, flattened to bytes and addresses.

use super::Errors;
use super::scope::Meaning;
use crate::ast::{Init, Number, SymbolInit};
use crate::checked::{Initial, Relocation, Symbol, Variable};
use crate::error::ErrorKind;
use crate::limits;
use crate::pos::Pos;
use crate::types::ScalarType;

/// Fills one variable.
pub(super) struct Filler<'c> {
    /// Meaning of module-scope names.
    pub lookup: &'c dyn Fn(&str) -> Option<Meaning>,
    /// Bytes that the module's variables may still have.
    pub budget: &'c mut u64,
    pub errors: &'c mut Errors,
}

/// The variable being filled.
struct Layout {
    ty: ScalarType,
    /// Dimensions, with the vector's lanes as the last.
    shape: Vec<u64>,
    pos: Pos,
}

impl Filler<'_> {
    /// The contents that `init` gives a variable.
    pub fn fill(&mut self, variable: &Variable, init: &Init<'_>) -> Initial {
        let mut shape = variable.dims.clone();
        if variable.lanes > 1 {
            shape.push(u64::from(variable.lanes));
        }
        let layout = Layout {
            ty: variable.ty,
            shape,
            pos: variable.pos,
        };
        let mut initial = Initial::default();
        match init {
            Init::List(list) if !layout.shape.is_empty() => {
                self.list(&layout, 0, list, 0, &mut initial);
            }
            Init::Number(_) | Init::Symbol(_) if layout.shape.is_empty() => {
                self.value(&layout, init, 0, &mut initial);
            }
            Init::List(_)
            | Init::Number(_)
            | Init::Symbol(_)
            | Init::String(_)
            | Init::Field(..) => {
                self.errors.push(layout.pos, ErrorKind::InitialType);
            }
        }
        initial
    }

    /// Fills dimension `depth`, which starts at byte `offset`.
    fn list(
        &mut self,
        layout: &Layout,
        depth: usize,
        list: &[Init<'_>],
        offset: u64,
        out: &mut Initial,
    ) {
        let element = u64::from(layout.ty.bytes());
        let inner = layout.shape.get(depth + 1..).unwrap_or_default();
        let inner_count: u64 = inner.iter().product();
        let nested = list.iter().any(|init| matches!(init, Init::List(_)));
        // A flat list fills an inner array element by element.
        let (stride, count) = if nested || inner.is_empty() {
            (element * inner_count, layout.shape[depth])
        } else {
            (element, layout.shape[depth] * inner_count)
        };
        if list.len() as u64 > count {
            self.errors.push(layout.pos, ErrorKind::InitialCount);
            return;
        }
        let mut at = offset;
        for init in list {
            match init {
                Init::List(inside) if !inner.is_empty() => {
                    self.list(layout, depth + 1, inside, at, out);
                }
                Init::List(_) => self.errors.push(layout.pos, ErrorKind::InitialType),
                Init::Number(_) | Init::Symbol(_) | Init::String(_) | Init::Field(..) => {
                    self.value(layout, init, at, out);
                }
            }
            at += stride;
        }
    }

    fn value(&mut self, layout: &Layout, init: &Init<'_>, at: u64, out: &mut Initial) {
        let size = layout.ty.bytes();
        match init {
            Init::Number(number) => match number_bits(layout.ty, *number) {
                Some(bits) => self.bytes(layout, at, &bits.to_le_bytes()[..size as usize], out),
                None => self.errors.push(layout.pos, ErrorKind::InitialType),
            },
            Init::Symbol(symbol) => self.symbol(layout, symbol, at, out),
            Init::List(_) | Init::String(_) | Init::Field(..) => {
                self.errors.push(layout.pos, ErrorKind::InitialType)
            }
        }
    }

    fn bytes(&mut self, layout: &Layout, at: u64, bytes: &[u8], out: &mut Initial) {
        let end = at + bytes.len() as u64;
        let grown = end.saturating_sub(out.bytes.len() as u64);
        if grown > *self.budget {
            self.errors.push(layout.pos, ErrorKind::InitialSize);
            return;
        }
        *self.budget -= grown;
        // Within the budget, so within the address space.
        let (Ok(at), Ok(end)) = (usize::try_from(at), usize::try_from(end)) else {
            return;
        };
        if out.bytes.len() < end {
            out.bytes.resize(end, 0);
        }
        out.bytes[at..end].copy_from_slice(bytes);
    }

    fn symbol(&mut self, layout: &Layout, init: &SymbolInit<'_>, at: u64, out: &mut Initial) {
        let symbol = match (self.lookup)(init.name.text) {
            Some(Meaning::Global(id)) => Symbol::Global(id),
            Some(Meaning::Function(id)) => Symbol::Function(id),
            _ => {
                let name = init.name.text.to_owned();
                self.errors
                    .push(init.name.pos, ErrorKind::InitialSymbol { name });
                return;
            }
        };
        let size = layout.ty.bytes();
        let holds_address = layout.ty.is_integer() || layout.ty.is_bits();
        if !holds_address || (init.mask.is_none() && size < 4) {
            self.errors.push(layout.pos, ErrorKind::InitialType);
            return;
        }
        out.relocations.push(Relocation {
            offset: at,
            size,
            symbol,
            addend: init.offset,
            generic: init.generic,
            mask: init.mask,
        });
        self.bytes(layout, at, &[0; 16][..size as usize], out);
    }
}

/// A number's bits in memory of a type.
fn number_bits(ty: ScalarType, number: Number) -> Option<u128> {
    use ScalarType as T;
    match (ty, number) {
        (T::F32, Number::F32(bits)) => Some(bits.into()),
        (T::F32, Number::F64(bits)) => Some(narrow(bits).into()),
        (T::F64, Number::F64(bits)) => Some(bits.into()),
        (T::F64, Number::F32(bits)) => Some(f64::from(f32::from_bits(bits)).to_bits().into()),
        (T::B32, Number::F32(bits)) => Some(bits.into()),
        (T::B64, Number::F64(bits)) => Some(bits.into()),
        (_, Number::F32(_) | Number::F64(_)) => None,
        // As in instructions, an integer is no float.
        (T::F32 | T::F64, Number::Signed(_) | Number::Unsigned(_)) => None,
        (_, Number::Signed(value)) => Some(i128::from(value).cast_unsigned()),
        (_, Number::Unsigned(value)) => Some(value.into()),
    }
}

/// A double's bits as a float's, rounded to nearest.
#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding is what is wanted"
)]
pub(super) fn narrow(bits: u64) -> u32 {
    (f64::from_bits(bits) as f32).to_bits()
}

/// Bytes of initial contents that one module may have.
pub(super) const BUDGET: u64 = limits::MAX_INITIAL_BYTES;
