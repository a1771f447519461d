use core::fmt;
use core::marker::PhantomData;

macro_rules! pointer {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name<T> {
            address: usize,
            pointee: PhantomData<fn() -> T>,
        }

        impl<T> $name<T> {
            /// The null pointer.
            pub const NULL: Self = Self::new(0);

            /// A pointer to that address of this process.
            #[must_use]
            pub const fn new(address: usize) -> Self {
                Self { address, pointee: PhantomData }
            }

            /// The address as a number.
            #[must_use]
            pub const fn addr(self) -> usize {
                self.address
            }

            /// Whether the pointer is null.
            #[must_use]
            pub const fn is_null(self) -> bool {
                self.address == 0
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
        impl<T> PartialEq for $name<T> {
            fn eq(&self, other: &Self) -> bool {
                self.address == other.address
            }
        }
        impl<T> Eq for $name<T> {}
        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#x}", self.address)
            }
        }
    };
}

pointer! {
    /// A C `const T *` argument or member: an address in this process, perhaps null, that the callee reads.
    In
}
pointer! {
    /// A C `T *` argument or member: an address in this process, perhaps null, that the callee may write.
    Out
}
