//! ptxjit.
