//! The C side: arguments, null checks, out-parameters. Meaning is in `core`.

pub(crate) mod array;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod entry_point;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod function;
pub(crate) mod image;
pub(crate) mod init;
pub(crate) mod library;
pub(crate) mod link;
pub(crate) mod managed;
pub(crate) mod memory;
pub(crate) mod memory_copy;
pub(crate) mod mempool;
pub(crate) mod module;
pub(crate) mod occupancy;
pub(crate) mod peer;
pub(crate) mod pointer;
pub(crate) mod primary_context;
pub(crate) mod profiler;
pub(crate) mod stream;
pub(crate) mod stream_memop;
