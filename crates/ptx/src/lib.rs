//! The PTX front end.
#![forbid(unsafe_code)]

pub mod ast;
pub mod checked;
pub mod kind;
pub mod modifier;
pub mod pos;
pub mod special;
mod spelling;
pub mod types;
