//! The PTX front end.
#![forbid(unsafe_code)]

pub mod ast;
pub mod pos;
mod spelling;
pub mod types;
