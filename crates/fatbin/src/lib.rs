//! Fat binaries: the containers in which nvcc hands device code to the driver.
//!
//! A program holds, per translation unit, a *wrapper* (24 bytes, magic `0x466243B1`) that points at a
//! *container* (magic `0xBA55ED50`), which holds *entries*: PTX text, ELF cubins or LTO-IR for one SM each,
//! raw or compressed with LZ4 or zstd.
//!
//! This crate only ever works on byte slices. A caller that has nothing but an address in a program's memory
//! reads the first 16 bytes, asks [`container_size`] how much there is, and reads that much.
//!
//! * [`classify`] says what kind of image a pointer leads to,
//! * [`Wrapper`], [`Container`], [`Entry`] parse,
//! * [`Entry::payload`] unpacks within a limit,
//! * [`select`] chooses the entry for a device by CUDA's rules,
//! * [`Builder`] writes,
//! * [`host`] finds containers in an executable on disk.
//!
//! Source of the format: observation of nvcc 11.8 to 13.5 output, and public headers (`PROVENANCE.md`).
#![forbid(unsafe_code)]
#![expect(
    clippy::cast_possible_truncation,
    reason = "the tool chain's only target is 64-bit; lengths read from files are compared with a slice's length first"
)]

mod build;
mod classify;
mod container;
pub mod cubin;
mod elf;
mod error;
pub mod host;
pub mod oracle;
mod payload;
mod ptx_header;
mod read;
mod select;
mod target;
mod wrapper;

pub use build::{Builder, Compression, EntrySpec};
pub use classify::{Image, classify};
pub use container::{
    CONTAINER_HEADER_BYTES, CONTAINER_MAGIC, Container, Entries, Entry, Flags, Kind,
    MAX_CONTAINER_BYTES, container_size,
};
pub use elf::{elf_size, elf_tables_size, is_elf};
pub use error::Error;
pub use payload::DEFAULT_PAYLOAD_LIMIT;
pub use ptx_header::{PtxHeader, ptx_header};
pub use select::{Choice, Device, Found, NoImage, Notice, Policy, Reason, Verdict, select};
pub use target::{IsaVersion, Sm, Suffix, cuda_release_of_ptx, ptx_of_cuda_release};
pub use wrapper::{WRAPPER_BYTES, WRAPPER_MAGIC, Wrapper};
