//! What the rows of the table do, by area.

pub(crate) mod array;
pub(crate) mod copy;
pub(crate) mod device;
pub(crate) mod entry_point;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod external;
pub(crate) mod fill;
pub(crate) mod function;
pub(crate) mod graph;
pub(crate) mod launch;
pub(crate) mod library;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod node;
pub(crate) mod peer;
pub(crate) mod pointer;
pub(crate) mod symbol;
pub(crate) mod texture;
