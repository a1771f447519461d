//! ComputeCache: compiled kernels on disk, found by what they were compiled from.
//!
//! One file per kernel (`jit::store`), named by the hash of everything that decides its code.

use std::path::{Path, PathBuf};

use jit::compiler::{self, Job};
use jit::store::{self, Entry, Found};

/// A kernel to be found, or compiled.
#[derive(Clone, Debug)]
pub(crate) struct Request<'t> {
    /// What to compile.
    pub job: Job<'t>,
    /// Hash of its text. Texts are long, and have many kernels.
    pub digest: [u8; 32],
    /// The CUDA version that is advertised.
    pub cuda_version: i32,
}

/// Largest size of the cache unless `CUDA_CACHE_MAXSIZE` says otherwise (CUDA C++ Programming Guide 13.0): 1 GiB.
const MAX_DEFAULT: u64 = 1 << 30;
/// And the most that can be asked for: 4 GiB.
const MAX_LIMIT: u64 = 4 << 30;

/// Where the cache is; `None` when it is off.
fn directory() -> Option<PathBuf> {
    if std::env::var("CUDA_CACHE_DISABLE").is_ok_and(|v| v != "0" && !v.is_empty()) {
        return None;
    }
    match std::env::var_os("CUDA_CACHE_PATH").filter(|p| !p.is_empty()) {
        Some(path) => Some(path.into()),
        None => std::env::var_os("HOME").map(|home| Path::new(&home).join(".nv/ComputeCache")),
    }
}

fn max_bytes() -> u64 {
    let asked = std::env::var("CUDA_CACHE_MAXSIZE")
        .ok()
        .and_then(|v| v.trim().parse().ok());
    asked.unwrap_or(MAX_DEFAULT).min(MAX_LIMIT)
}

/// Name of a request's file: two levels, so that no directory gets large.
fn key(request: &Request<'_>) -> String {
    let job = &request.job;
    let mut hash = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(&request.digest);
    part(job.kernel.unwrap_or_default().as_bytes());
    for number in [
        job.block[0],
        job.block[1],
        job.block[2],
        job.options.opt_level,
        job.options.flags,
        job.cc,
        job.isa,
        abi::sm::CODE_ABI,
        abi::jit::JIT_ABI,
    ] {
        part(&number.to_le_bytes());
    }
    part(&request.cuda_version.to_le_bytes());
    part(compiler::identity().as_bytes());
    let hex = hash.finalize().to_hex();
    format!("{}/{}", &hex[..2], &hex[2..])
}

/// The cubin of a request, if it is there and whole.
pub(crate) fn get(request: &Request<'_>) -> Option<Entry> {
    let path = directory()?.join(key(request));
    store::read(&path)
}

/// The file of a request's cubin, if it is there.
pub(crate) fn open(request: &Request<'_>) -> Option<Found> {
    let path = directory()?.join(key(request));
    store::open(&path)
}

/// Keeps a cubin. A cache that cannot be written is a cache without it.
pub(crate) fn put(request: &Request<'_>, cubin: &[u8]) {
    if let Some(directory) = directory() {
        let path = directory.join(key(request));
        if let Ok(added) = store::write(&path, cubin) {
            store::account(&directory, max_bytes(), added);
        }
    }
}
