//! Pointers that arrive from C.

use cuda_abi::runtime::CudaError;
use std::ffi::c_void;
use std::fmt;

/// A pointer through which a C caller wants one value back.
///
/// INVARIANT: values of this type come only from C, as arguments of an exported function whose
/// contract says that the pointer is null or may be written as `T`.
#[repr(transparent)]
pub struct Out<T>(*mut T);

/// A pointer to one or more values of the C caller's.
///
/// INVARIANT: values of this type come only from C, as arguments of an exported function whose
/// contract says that the pointer is null or points to readable values of type `T`.
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T> fmt::Debug for Out<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:p}", self.0)
    }
}

impl<T> fmt::Debug for In<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:p}", self.0)
    }
}

impl<T> Out<T> {
    /// Writes the answer.
    ///
    /// # Errors
    /// `InvalidValue` for a null pointer.
    pub(crate) fn set(self, value: T) -> Result<(), CudaError> {
        if self.0.is_null() {
            return Err(CudaError::InvalidValue);
        }
        // SAFETY: the type's invariant; unaligned because C callers' structs may be packed.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes the answer where the caller asked for one.
    pub(crate) fn set_if_wanted(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: the type's invariant.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// Reads what the caller put there (in-and-out parameters).
    ///
    /// # Errors
    /// `InvalidValue` for a null pointer.
    pub(crate) fn get(self) -> Result<T, CudaError>
    where
        T: Copy,
    {
        In(self.0.cast_const()).get()
    }

    /// The same pointer, null checked, for a driver function that writes through it.
    ///
    /// # Errors
    /// `InvalidValue` for a null pointer.
    pub(crate) fn required(self) -> Result<*mut T, CudaError> {
        if self.0.is_null() {
            Err(CudaError::InvalidValue)
        } else {
            Ok(self.0)
        }
    }

    /// The same pointer, to what the caller's structure is or begins with.
    pub(crate) fn cast<U>(self) -> Out<U> {
        Out(self.0.cast())
    }

    /// The pointer as it came.
    pub(crate) fn as_ptr(self) -> *mut T {
        self.0
    }
}

impl<T> In<T> {
    /// Reads the value.
    ///
    /// # Errors
    /// `InvalidValue` for a null pointer.
    pub(crate) fn get(self) -> Result<T, CudaError>
    where
        T: Copy,
    {
        if self.0.is_null() {
            return Err(CudaError::InvalidValue);
        }
        // SAFETY: the type's invariant.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// The same pointer, to what the caller's structure is or begins with.
    pub(crate) fn cast<U>(self) -> In<U> {
        In(self.0.cast())
    }

    /// The pointer as it came.
    pub(crate) fn as_ptr(self) -> *const T {
        self.0
    }
}

/// Whether `ANTLERITE_TRACE` asks for the calls of a layer: `1`, `all`, or a list with its name.
pub(crate) fn traces(layer: &str) -> bool {
    std::env::var("ANTLERITE_TRACE").is_ok_and(|layers| {
        layers
            .split(',')
            .any(|word| word == "1" || word == "all" || word == layer)
    })
}

/// Writes one trace line to standard error.
pub(crate) fn trace(line: fmt::Arguments<'_>) {
    write_stderr(&format!("{line}\n"));
}

/// Tells the user something, once per occasion, on standard error.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    write_stderr(&format!("antlerite: {line}\n"));
}

/// One write, so that lines of several threads do not mix; a closed standard error is not our
/// caller's fault.
fn write_stderr(text: &str) {
    use std::io::Write as _;
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The address of a pointer as the driver takes it.
pub(crate) fn address(pointer: *const c_void) -> u64 {
    pointer.addr() as u64
}

/// A device or host address as a word of this machine.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the word is checked to have 64 bits"
)]
pub(crate) fn word(address: u64) -> usize {
    const { assert!(usize::BITS == u64::BITS) };
    address as usize
}
