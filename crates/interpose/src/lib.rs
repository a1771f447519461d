//! Serves programs that carry NVIDIA's runtime library inside them.
//!
//! `antlerite run` names this library twice. As `LD_AUDIT` ([`audit`]) it sees every object that
//! the loader maps, before any constructor runs: it finds the static runtime's functions by the
//! object's symbol table ([`image`]) and lets their entries jump ([`patch`]) to small stubs near
//! the object ([`island`]). As `LD_PRELOAD` ([`bind`]) the same file lies in the program's own
//! namespace: the first call of a stub loads our `libcudart` there and leads to the function of
//! the same name. An auditor cannot do that itself: it lives in a namespace with its own libc.
//!
//! A program without CUDA pays for two small mappings and one look at each object's section
//! headers.
//!
//! INVARIANT: functions are found by name and size in the symbol table, never by their code.

mod audit;
mod bind;
mod fat;
mod image;
mod island;
mod library;
mod names;
mod patch;
mod report;
