//! ptxjitcompiler.
