//! Reading and writing through the pointers of C callers: the only place that does.
//!
//! The C contract of each function says what a pointer points to and for how long; a caller that breaks it has the
//! undefined behaviour that it would have with any C library. Values of [`In`] and [`Out`] in this crate come from C
//! arguments or from structures that C arguments point to.

use std::ffi::{CStr, c_char, c_void};

use cuda_abi::driver::CUresult;
use cuda_abi::{In, Out};

/// Reads through a C pointer.
pub(crate) trait Read<T> {
    /// The pointee, or 1 for the null pointer.
    fn get(self) -> Result<T, CUresult>
    where
        T: Copy;
    /// The pointee, or `None` for the null pointer.
    fn get_opt(self) -> Option<T>
    where
        T: Copy;
    /// A copy of `count` elements; 1 for the null pointer unless `count` is 0.
    fn get_all(self, count: usize) -> Result<Vec<T>, CUresult>
    where
        T: Copy;
    /// Element `index`; 1 for the null pointer.
    fn at(self, index: usize) -> Result<T, CUresult>
    where
        T: Copy;
}

macro_rules! read {
    ($name:ident) => {
        impl<T> Read<T> for $name<T> {
            fn get(self) -> Result<T, CUresult>
            where
                T: Copy,
            {
                self.get_opt().ok_or(CUresult::INVALID_VALUE)
            }

            fn get_opt(self) -> Option<T>
            where
                T: Copy,
            {
                // SAFETY: not null, and by the C contract a readable `T`, perhaps unaligned.
                (!self.is_null()).then(|| unsafe { (self.addr() as *const T).read_unaligned() })
            }

            fn get_all(self, count: usize) -> Result<Vec<T>, CUresult>
            where
                T: Copy,
            {
                (0..count).map(|index| self.at(index)).collect()
            }

            fn at(self, index: usize) -> Result<T, CUresult>
            where
                T: Copy,
            {
                let offset = index
                    .checked_mul(size_of::<T>())
                    .ok_or(CUresult::INVALID_VALUE)?;
                if self.is_null() {
                    return Err(CUresult::INVALID_VALUE);
                }
                // SAFETY: not null, and by the C contract an array with that element.
                Ok(unsafe { ((self.addr() + offset) as *const T).read_unaligned() })
            }
        }
    };
}
read!(In);
read!(Out);

/// Writes through a C pointer.
pub(crate) trait Write<T> {
    /// 1 for the null pointer: for checks that come before side effects.
    fn required(self) -> Result<Self, CUresult>
    where
        Self: Sized;
    /// Stores; 1 for the null pointer.
    fn set(self, value: T) -> Result<(), CUresult>;
    /// Stores unless null.
    fn set_opt(self, value: T);
    /// Stores element `index` unless null.
    fn set_at(self, index: usize, value: T);
}

impl<T> Write<T> for Out<T> {
    fn required(self) -> Result<Self, CUresult> {
        if self.is_null() {
            Err(CUresult::INVALID_VALUE)
        } else {
            Ok(self)
        }
    }

    fn set(self, value: T) -> Result<(), CUresult> {
        self.required()?.set_opt(value);
        Ok(())
    }

    fn set_opt(self, value: T) {
        self.set_at(0, value);
    }

    fn set_at(self, index: usize, value: T) {
        if !self.is_null() {
            // SAFETY: not null, and by the C contract a writable array with that element, perhaps unaligned.
            unsafe {
                (self.addr() as *mut T)
                    .wrapping_add(index)
                    .write_unaligned(value)
            };
        }
    }
}

/// The text of a C string (1 for null, or bytes that are not UTF-8).
pub(crate) fn text(pointer: In<c_char>) -> Result<&'static str, CUresult> {
    if pointer.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: by the C contract a NUL-terminated string that lives for the call; no caller of this function keeps it.
    let text = unsafe { CStr::from_ptr(pointer.addr() as *const c_char) };
    text.to_str().map_err(|_| CUresult::INVALID_VALUE)
}

/// Writes `text` with its NUL into a buffer of `len` bytes, cut if it does not fit.
pub(crate) fn set_text(buffer: Out<c_char>, len: usize, text: &str) -> Result<(), CUresult> {
    let buffer = buffer.required()?;
    if len == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let bytes = &text.as_bytes()[..text.len().min(len - 1)];
    // SAFETY: by the C contract `len` writable bytes; `bytes` is shorter.
    unsafe {
        let to = buffer.addr() as *mut u8;
        to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        to.add(bytes.len()).write(0);
    }
    Ok(())
}

/// A C string literal as a C pointer.
pub(crate) fn static_text(text: &'static CStr) -> In<c_char> {
    In::new(text.as_ptr() as usize)
}

/// The address that a `void *` holds.
pub(crate) fn address(pointer: *const c_void) -> usize {
    pointer as usize
}
