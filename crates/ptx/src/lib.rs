//! ptx.
