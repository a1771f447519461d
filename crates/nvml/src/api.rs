//! Bodies of the C functions, one module per area of the table.

pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod power;
pub(crate) mod process;
pub(crate) mod system;
pub(crate) mod topology;

type Done = Result<(), crate::Return>;
