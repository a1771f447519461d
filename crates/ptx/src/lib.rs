//! The PTX front end.
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
pub mod modifier;
mod parser;
pub mod pos;
mod print;
pub mod special;
mod spelling;
pub mod types;

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
