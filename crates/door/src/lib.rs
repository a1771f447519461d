//! door.
