//! The typed IR that the interpreter runs and the code generator compiles.
//!
//! * A [`Module`] is one unit of compilation: a kernel with every function that it reaches and that was not inlined.
//! * A [`Function`] is a control-flow graph of [`Block`]s in SSA form with block parameters. One thread's view: a
//!   function says what *one lane* does; the warp, its masks and its vectors are the business of the executor.
//! * A [`Value`] has a width ([`Ty`]) and no interpretation, as PTX registers do; the [`Op`] says how it reads them.
//!   One declarative table in [`op`] lists all operations with operand and result types and properties.
//! * **Guards.** A PTX guard on a pure instruction becomes the instruction and a [`Op::Select`]. On memory,
//!   atomic and warp operations it becomes [`InstData::guard`]: lanes whose guard is false do not take part, and the
//!   results that they get are undefined (lowering selects the old value where one exists). Guarded branches, calls,
//!   barriers, `ret`, `exit` and `trap` become control flow.
//! * **Addresses.** Generic, global and const addresses are [`Ty::B64`] host addresses; shared, local and kernel
//!   parameter addresses are [`Ty::B32`] offsets into the block's window, the thread's frame and the parameter block.
//! * **Undefined values** ([`ValueDef::Undef`]) come from registers read before they are written. They are some fixed
//!   value (the interpreter reads 0), never poison: a branch on one goes one way.
//! * Every operation's reference meaning is [`fold`](mod@fold); constants fold by it and the interpreter executes by it.

pub mod arena;
pub mod attr;
pub mod fold;
pub mod function;
pub mod matrix;
pub mod op;
mod print;
pub mod special;
pub mod types;
pub mod verify;

pub use arena::{Arena, Id};
pub use attr::*;
pub use function::*;
pub use op::{Op, Props, word};
pub use special::Special;
pub use types::{Float, Int, Ty};
