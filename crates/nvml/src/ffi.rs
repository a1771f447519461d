//! Reading and writing through the pointers of C callers: the only place that does.
//!
//! NVML's contract says what each pointer points to; a caller that breaks it has the undefined behaviour that it would
//! have with any C library. From Rust these types are made from references only.

use std::ffi::{CStr, c_char};
use std::marker::PhantomData;

use crate::Return;

/// A pointer that the function reads.
#[repr(transparent)]
pub struct In<'a, T>(*const T, PhantomData<&'a T>);

/// A pointer that the function writes (and, for structs with a version or a count, reads).
#[repr(transparent)]
pub struct Out<'a, T>(*mut T, PhantomData<&'a mut T>);

/// An array that the function writes, which may be null.
#[repr(transparent)]
pub struct Opt<'a, T>(*mut T, PhantomData<&'a mut T>);

// Derived, these would ask `T` to be `Copy`.
macro_rules! copy {
    ($($name:ident),*) => {
        $(
            impl<T> Clone for $name<'_, T> {
                fn clone(&self) -> Self {
                    *self
                }
            }

            impl<T> Copy for $name<'_, T> {}
        )*
    };
}

copy!(In, Out, Opt);

impl<'a, T> In<'a, T> {
    /// From a reference.
    #[must_use]
    pub fn new(value: &'a T) -> Self {
        Self(value, PhantomData)
    }

    /// The null pointer.
    #[must_use]
    pub fn null() -> Self {
        Self(std::ptr::null(), PhantomData)
    }

    /// The pointee.
    pub(crate) fn get(self) -> Result<T, Return>
    where
        T: Copy,
    {
        if self.0.is_null() {
            return Err(Return::InvalidArgument);
        }
        // SAFETY: not null, and by NVML's contract a readable `T`.
        Ok(unsafe { self.0.read_unaligned() })
    }
}

impl<'a> In<'a, c_char> {
    /// From a C string.
    #[must_use]
    pub fn text(text: &'a CStr) -> Self {
        Self(text.as_ptr(), PhantomData)
    }

    /// The NUL-terminated text.
    pub(crate) fn string(self) -> Result<String, Return> {
        if self.0.is_null() {
            return Err(Return::InvalidArgument);
        }
        // SAFETY: not null, and by NVML's contract NUL-terminated.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str()
            .map(str::to_owned)
            .map_err(|_| Return::InvalidArgument)
    }
}

impl<'a, T> Out<'a, T> {
    /// From a reference.
    #[must_use]
    pub fn new(value: &'a mut T) -> Self {
        Self(value, PhantomData)
    }

    /// From an array, whose length another argument gives.
    #[must_use]
    pub fn array(values: &'a mut [T]) -> Self {
        Self(values.as_mut_ptr(), PhantomData)
    }

    /// The null pointer.
    #[must_use]
    pub fn null() -> Self {
        Self(std::ptr::null_mut(), PhantomData)
    }

    /// The pointee before the call.
    pub(crate) fn get(self) -> Result<T, Return>
    where
        T: Copy,
    {
        if self.0.is_null() {
            return Err(Return::InvalidArgument);
        }
        // SAFETY: not null, and by NVML's contract a readable `T`.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// Writes the pointee.
    pub(crate) fn set(self, value: T) -> Result<(), Return> {
        if self.0.is_null() {
            return Err(Return::InvalidArgument);
        }
        // SAFETY: not null, and by NVML's contract a writable `T`.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Element `index` of an array.
    pub(crate) fn at(self, index: usize) -> Self {
        Self(self.0.wrapping_add(index), PhantomData)
    }

    /// The pointer as one to a struct that `T` begins with.
    pub(crate) fn prefix<U>(self) -> Out<'a, U> {
        const { assert!(size_of::<U>() <= size_of::<T>()) };
        Out(self.0.cast(), PhantomData)
    }
}

impl Out<'_, c_char> {
    /// Writes a text and its NUL into a buffer of `length` bytes.
    pub(crate) fn put_text(self, length: u32, text: &str) -> Result<(), Return> {
        let room = usize::try_from(length).map_err(|_| Return::InvalidArgument)?;
        if self.0.is_null() {
            return Err(Return::InvalidArgument);
        }
        if text.len() >= room {
            return Err(Return::InsufficientSize);
        }
        let bytes = text.bytes().chain([0]);
        for (index, byte) in bytes.enumerate() {
            self.at(index).set(byte.cast_signed())?;
        }
        Ok(())
    }
}

impl<'a, T> Opt<'a, T> {
    /// From an array, whose length another argument gives.
    #[must_use]
    pub fn array(values: &'a mut [T]) -> Self {
        Self(values.as_mut_ptr(), PhantomData)
    }

    /// The null pointer.
    #[must_use]
    pub fn null() -> Self {
        Self(std::ptr::null_mut(), PhantomData)
    }

    /// From an address in a struct of the caller's.
    pub(crate) fn at_address(address: usize) -> Self {
        Self(std::ptr::with_exposed_provenance_mut(address), PhantomData)
    }

    /// NVML's protocol for lists: `count` holds the room before and the number of elements after, which is written
    /// also when the room is too small.
    pub(crate) fn put_list(self, count: Out<'_, u32>, values: &[T]) -> Result<(), Return>
    where
        T: Copy,
    {
        let room = usize::try_from(count.get()?).map_err(|_| Return::InvalidArgument)?;
        let number = u32::try_from(values.len()).map_err(|_| Return::Unknown)?;
        if room < values.len() {
            count.set(number)?;
            return Err(Return::InsufficientSize);
        }
        let to = Out(self.0, PhantomData);
        for (index, value) in values.iter().enumerate() {
            to.at(index).set(*value)?;
        }
        count.set(number)
    }
}

/// An argument of a C function, as far as the boundary checks it.
pub(crate) trait Argument {
    /// Whether it may be what it is, with that many GPUs.
    fn acceptable(&self, gpus: usize) -> bool;
}

impl<T> Argument for In<'_, T> {
    fn acceptable(&self, _: usize) -> bool {
        !self.0.is_null()
    }
}

impl<T> Argument for Out<'_, T> {
    fn acceptable(&self, _: usize) -> bool {
        !self.0.is_null()
    }
}

impl<T> Argument for Opt<'_, T> {
    fn acceptable(&self, _: usize) -> bool {
        true
    }
}

macro_rules! plain {
    ($($ty:ty),*) => {
        $(impl Argument for $ty {
            fn acceptable(&self, _: usize) -> bool {
                true
            }
        })*
    };
}

plain!(i32, u32, u64);
