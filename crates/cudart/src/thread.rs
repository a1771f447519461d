//! What the runtime keeps per thread: last error, device, launch configurations.
//!
//! The variables have no destructors, so they can be used from `atexit` handlers and from
//! destructors of other libraries.

use cuda_abi::runtime::{CudaError, cudaStream_t, dim3};
use std::cell::{Cell, RefCell};

/// The `<<<…>>>` of a launch that is being built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration {
    pub grid: dim3,
    pub block: dim3,
    /// Dynamic shared memory, bytes.
    pub shared: usize,
    pub stream: cudaStream_t,
}

/// Launches nest only where an argument's conversion launches again.
const DEPTH: usize = 16;

struct Stack {
    entries: [Option<Configuration>; DEPTH],
    used: usize,
}

thread_local! {
    static LAST_ERROR: Cell<Option<CudaError>> = const { Cell::new(None) };
    static DEVICE: Cell<i32> = const { Cell::new(0) };
    static STACK: RefCell<Stack> = const {
        RefCell::new(Stack { entries: [None; DEPTH], used: 0 })
    };
}

/// Notes the error of a call, for `cudaGetLastError`.
pub(crate) fn record(error: CudaError) {
    LAST_ERROR.set(Some(error));
}

/// The last error of this thread.
pub(crate) fn last_error() -> Option<CudaError> {
    LAST_ERROR.get()
}

/// The last error; forgets it unless its context is lost.
pub(crate) fn take_last_error() -> Option<CudaError> {
    let error = LAST_ERROR.get();
    if !error.is_some_and(CudaError::is_sticky) {
        LAST_ERROR.set(None);
    }
    error
}

/// Forgets even an error that a lost context keeps (the context is gone).
pub(crate) fn forget_last_error() {
    LAST_ERROR.set(None);
}

/// The device `cudaSetDevice` chose on this thread; 0 at first.
pub(crate) fn device() -> i32 {
    DEVICE.get()
}

/// Chooses the thread's device.
pub(crate) fn set_device(device: i32) {
    DEVICE.set(device);
}

/// Keeps a configuration for the launch that follows.
///
/// # Errors
/// `LaunchMaxDepthExceeded` when launches nest deeper than any program's do.
pub(crate) fn push(configuration: Configuration) -> Result<(), CudaError> {
    STACK.with_borrow_mut(|stack| {
        let slot = stack
            .entries
            .get_mut(stack.used)
            .ok_or(CudaError::LaunchMaxDepthExceeded)?;
        *slot = Some(configuration);
        stack.used += 1;
        Ok(())
    })
}

/// The configuration of the innermost launch.
///
/// # Errors
/// `MissingConfiguration` if none was pushed.
pub(crate) fn pop() -> Result<Configuration, CudaError> {
    STACK.with_borrow_mut(|stack| {
        stack.used = stack
            .used
            .checked_sub(1)
            .ok_or(CudaError::MissingConfiguration)?;
        stack.entries[stack.used]
            .take()
            .ok_or(CudaError::MissingConfiguration)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_nest() {
        let configuration = |x| Configuration {
            grid: dim3 { x, y: 1, z: 1 },
            block: dim3::default(),
            shared: 0,
            stream: cudaStream_t(0),
        };
        assert_eq!(pop().err(), Some(CudaError::MissingConfiguration));
        push(configuration(1)).expect("empty");
        push(configuration(2)).expect("room");
        assert_eq!(pop().expect("two pushed").grid.x, 2);
        assert_eq!(pop().expect("one left").grid.x, 1);
        for _ in 0..DEPTH {
            push(configuration(0)).expect("room");
        }
        assert_eq!(
            push(configuration(0)).err(),
            Some(CudaError::LaunchMaxDepthExceeded)
        );
    }

    #[test]
    fn only_lasting_errors_stay() {
        record(CudaError::InvalidValue);
        assert_eq!(take_last_error(), Some(CudaError::InvalidValue));
        assert_eq!(take_last_error(), None);
        record(CudaError::IllegalAddress);
        assert_eq!(take_last_error(), Some(CudaError::IllegalAddress));
        assert_eq!(last_error(), Some(CudaError::IllegalAddress));
        forget_last_error();
        assert_eq!(last_error(), None);
    }
}
