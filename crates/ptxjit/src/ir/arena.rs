//! Index arenas: things are named by small typed numbers.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index into an [`Arena`].
pub trait Id: Copy + Eq + fmt::Debug {
    /// From a position.
    fn from_index(index: usize) -> Self;
    /// The position.
    fn index(self) -> usize;
}

/// Declares index newtypes: `id! { /// doc  Name = "prefix" }`.
macro_rules! id {
    ($($(#[$meta:meta])* $name:ident = $prefix:literal;)+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $crate::ir::arena::Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                // More than 2^32 entities need more text than a module may have; saturating keeps this total.
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )+ };
}
pub(crate) use id;

/// A growing array indexed by its own kind of [`Id`].
#[derive(Clone, Debug)]
pub struct Arena<I, T> {
    items: Vec<T>,
    kind: PhantomData<I>,
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            kind: PhantomData,
        }
    }
}

impl<I: Id, T> Arena<I, T> {
    /// An empty arena.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An arena of `len` copies of `item`.
    #[must_use]
    pub fn filled(len: usize, item: T) -> Self
    where
        T: Clone,
    {
        Self {
            items: vec![item; len],
            kind: PhantomData,
        }
    }

    /// Adds an item; returns its name.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All names, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// All names with their items, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items
            .iter()
            .enumerate()
            .map(|(i, t)| (I::from_index(i), t))
    }

    /// All items, in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The item, if the name is one of this arena's.
    #[must_use]
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
}

impl<I: Id, T> Index<I> for Arena<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Arena<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
