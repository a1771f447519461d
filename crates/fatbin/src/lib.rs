//! fatbin.
