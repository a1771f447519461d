//! The reference meaning of every pure operation, bit for bit.
//!
//! Values are `u128`s of which only the bits of their [`Ty`](super::Ty) are set. Constants fold by this and the
//! interpreter executes by it; the code generator is tested against it.

mod convert;
mod float;
mod int;
mod soft;

use super::op::Op;
use super::types::Ty;

/// Results of an operation: the first, and the second where it has two.
pub type Results = [u128; 2];

/// What an operation gives for these operands; `None` if it is not pure (memory, warp, calls, special registers).
#[must_use]
pub fn fold(op: &Op, args: &[u128]) -> Option<Results> {
    let arg = |n: usize| args.get(n).copied().unwrap_or(0);
    let (a, b, c) = (arg(0), arg(1), arg(2));
    let one = |value: u128| Some([value, 0]);
    match *op {
        Op::AddCarry { w } => return Some(int::add_carry(w, a, b, c)),
        Op::SubBorrow { w } => return Some(int::sub_borrow(w, a, b, c)),
        Op::And { ty } => return one(a & b & ty.mask()),
        Op::Or { .. } => return one(a | b),
        Op::Xor { .. } => return one(a ^ b),
        Op::Not { ty } => return one(!a & ty.mask()),
        Op::Select { .. } => return one(if a == 0 { c } else { b }),
        Op::Zext { .. } => return one(a),
        Op::Sext { from, to } => return one(int::sext(a, from.bits()) & to.mask()),
        Op::Trunc { to, .. } => return one(a & to.mask()),
        Op::Pack { elem, .. } => return one(pack(elem, args)),
        Op::Extract { to, index, .. } => {
            return one(a >> (u32::from(index) * to.bits()) & to.mask());
        }
        _ => {}
    }
    int::fold(op, a, b, c, arg(3))
        .or_else(|| float::fold(op, a, b, c))
        .or_else(|| convert::fold(op, a))
        .map(|v| [v, 0])
}

fn pack(elem: Ty, args: &[u128]) -> u128 {
    args.iter()
        .rev()
        .fold(0, |sum, &arg| sum << elem.bits() | (arg & elem.mask()))
}
