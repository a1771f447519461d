//! What the driver's calls mean, in safe terms; C's arguments are `crate::api`'s.

pub(crate) mod arena;
pub(crate) mod array;
pub(crate) mod attributes;
pub(crate) mod cache;
pub(crate) mod channel;
pub(crate) mod context;
pub(crate) mod copy;
pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod graph;
pub(crate) mod handle;
pub(crate) mod heap;
pub(crate) mod host_function;
pub(crate) mod image;
pub(crate) mod launch;
pub(crate) mod link;
pub(crate) mod managed;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod occupancy;
pub(crate) mod pinned;
pub(crate) mod platform;
pub(crate) mod pool;
pub(crate) mod printf;
pub(crate) mod push;
pub(crate) mod qmd;
pub(crate) mod rm;

pub(crate) mod space;
pub(crate) mod stream;
pub(crate) mod uvm;
pub(crate) mod visible;
pub(crate) mod word;
