//! Analyses and transformations of the IR.

pub mod dominators;
