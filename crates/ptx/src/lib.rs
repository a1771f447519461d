//! The PTX front end: text to syntax tree ([`parse`]), tree to typed module ([`check`]), and tree
//! back to text ([`print()`]), for the whole grammar of PTX ISA 9.0.
//!
//! * [`ast`] is what was written. It borrows the text, resolves nothing and prints back to the same
//!   tree, down to the bits of every number.
//! * [`checked`] is what a code generator works on: names are indices, immediates are bits of the
//!   operand's type, and each instruction is a [`kind::Kind`] with a struct of its modifiers.
//!   Instructions without a row in [`kind`] (tensor cores, bulk copies, textures) come as
//!   [`kind::Kind::Other`] with all their parts, to be refused by name and line.
//! * [`link`] makes one module of several.
//! * [`layout`] says where a checked module's variables, parameters and shared memory lie.
//! * [`error`] says what is wrong and where, in the words and shape of ptxas's log.
//!
//! No text makes this crate panic or run away: nesting, sizes and the number of errors are bounded
//! ([`limits`]), a register range costs nothing until its registers are used, and time is about
//! linear in the text. [`fuzz`] holds the oracle that tests this.
//!
//! ```
//! let text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }";
//! let module = ptx::parse(text).unwrap();
//! let checked = ptx::check(&module, &ptx::Policy::default()).unwrap();
//! assert_eq!(checked.functions[0].name, "k");
//! assert_eq!(ptx::parse(&ptx::print(&module)).as_ref(), Ok(&module));
//!
//! let module = ptx::parse(".version 9.0\n.target sm_90\n.entry k() { bra gone; }").unwrap();
//! let errors = ptx::check(&module, &ptx::Policy::default()).unwrap_err();
//! assert_eq!(errors[0].message(), "Unknown symbol 'gone'");
//! ```
#![forbid(unsafe_code)]

pub mod ast;
mod check;
pub mod checked;
pub mod error;
pub mod fuzz;
pub mod kind;
pub mod layout;
mod lexer;
pub mod limits;
pub mod link;
pub mod modifier;
mod parser;
pub mod pos;
mod print;
pub mod special;
mod spelling;
pub mod types;
pub mod video;

pub use check::{Newest, Policy, check};
pub use error::{Error, ErrorKind, Severity, render_log};

/// Parses a PTX text. The first syntax error ends it, so the list holds one error.
///
/// # Errors
/// What is wrong with the text, with its line, as ptxas would say it.
pub fn parse(text: &str) -> Result<ast::Module<'_>, Vec<Error>> {
    parser::parse_module(text).map_err(|error| vec![error])
}

/// The text of a module. `parse(&print(m)) == m`, down to the bits of every number.
#[must_use]
pub fn print(module: &ast::Module<'_>) -> String {
    print::module(module)
}
