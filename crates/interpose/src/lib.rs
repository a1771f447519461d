//! interpose.
