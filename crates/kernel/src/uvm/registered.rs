//! A GPU VA space that a UVM file serves: no other file may at the same time.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::status::{RmResult, Status};
use crate::vaspace::VaSpace;

/// The space, for as long as it is registered.
#[derive(Debug)]
pub(super) struct Registered(Arc<VaSpace>);

impl Registered {
    /// Takes a space.
    ///
    /// # Errors
    /// [`Status::NOT_SUPPORTED`] while it is registered with any UVM file, as the resource manager says of a space that
    /// has a page directory (`nvGpuOpsSetPageDirectory`).
    pub(super) fn claim(space: Arc<VaSpace>) -> RmResult<Self> {
        if space.registered.swap(true, Ordering::SeqCst) {
            return Err(Status::NOT_SUPPORTED);
        }
        Ok(Self(space))
    }

    pub(super) fn space(&self) -> &Arc<VaSpace> {
        &self.0
    }
}

impl Deref for Registered {
    type Target = VaSpace;

    fn deref(&self) -> &VaSpace {
        &self.0
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.0.registered.store(false, Ordering::SeqCst);
    }
}
