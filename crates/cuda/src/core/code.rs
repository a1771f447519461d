//! Code of kernels: from the cache or the compiler into GPU memory.

use std::sync::Arc;

use cuda_abi::driver::CUresult;
use fatbin::cubin::{Cubin, Kernel};
use jit::compiler::{self, Job};

use super::cache::{self, Request};
use super::context::Live;
use super::image::LoadError;
use super::memory::{Allocation, Room};
use super::module::{Function, Variant, free_all, write_bytes};
use super::platform;
use super::tier::{self, Start};
use crate::boundary::complain;

fn failed(code: CUresult) -> LoadError {
    LoadError::new(code, String::new())
}

impl Function {
    /// Puts a kernel's code into GPU memory.
    pub(super) fn place(&self, live: &Live, cubin: &Cubin) -> Result<Variant, LoadError> {
        let kernel = self.kernel_of(cubin)?;
        let image = &kernel.image;
        let slots = self.slots(kernel, image.len())?;
        let memory = live
            .allocate_in(Room::Driver, image.len() as u64, abi::sm::IMAGE_ALIGN)
            .map_err(failed)?;
        write_bytes(&memory, memory.va, image).map_err(failed)?;
        let va = memory.va;
        let variant = Variant::new(kernel, image, memory.clone(), va);
        fill(&memory, va, &slots)?;
        Ok(variant)
    }

    /// Code as the cache has it. The file is read to where the code runs: no other memory is touched, which would cost
    /// more than the reading.
    pub(super) fn cached(
        &self,
        live: &Live,
        request: &Request<'_>,
    ) -> Result<Option<Variant>, LoadError> {
        let Some(file) = cache::open(request) else {
            return Ok(None);
        };
        let memory = live
            .allocate_in(Room::Driver, file.bytes() as u64, abi::sm::IMAGE_ALIGN)
            .map_err(failed)?;
        let variant = self.read_to(file, &memory);
        if !matches!(variant, Ok(Some(_))) {
            free_all(live.context, std::slice::from_ref(&memory));
        }
        variant
    }

    /// The code in a file of the cache, read to `memory`; `None` where the file is damaged or of another version.
    fn read_to(
        &self,
        file: jit::store::Found,
        memory: &Arc<Allocation>,
    ) -> Result<Option<Variant>, LoadError> {
        let bytes = file.bytes();
        let at = memory.host_address(memory.va).map_err(failed)?;
        let at = std::ptr::with_exposed_provenance_mut::<u8>(at);
        // SAFETY: this process's view of an allocation of that size, which nobody else knows yet.
        let whole = unsafe { std::slice::from_raw_parts_mut(at, bytes) };
        let Some(contents) = file.read_to(whole) else {
            return Ok(None);
        };
        // A cubin of another version is compiled again.
        let Ok((cubin, images)) = Cubin::read_without_images(contents) else {
            return Ok(None);
        };
        let kernel = self.kernel_of(&cubin)?;
        let index = cubin.kernels.iter().position(|k| k.name == kernel.name);
        let Some(place) = index.and_then(|index| images.get(index)) else {
            return Ok(None);
        };
        let va = memory.va + (bytes - contents.len() + place.start) as u64;
        if !va.is_multiple_of(abi::sm::IMAGE_ALIGN) {
            return Ok(None);
        }
        let image = &contents[place.clone()];
        let slots = self.slots(kernel, image.len())?;
        let variant = Variant::new(kernel, image, memory.clone(), va);
        fill(memory, va, &slots)?;
        Ok(Some(variant))
    }

    fn kernel_of<'c>(&self, cubin: &'c Cubin) -> Result<&'c Kernel, LoadError> {
        let name = &self.info().name;
        let kernel = cubin.kernels.iter().find(|k| k.name == *name);
        kernel.ok_or_else(|| {
            LoadError::new(CUresult::NOT_FOUND, format!("no code for kernel {name}\n"))
        })
    }

    /// Where addresses go in an image of so many bytes, and which.
    fn slots(&self, kernel: &Kernel, bytes: usize) -> Result<Vec<(u64, u64)>, LoadError> {
        let slot = |r: &fatbin::cubin::Reloc| {
            let value = self.loaded.address(&r.symbol)?;
            if r.offset as usize + 8 > bytes {
                let why = "relocation outside the image";
                return Err(LoadError::new(CUresult::INVALID_IMAGE, why));
            }
            Ok((u64::from(r.offset), value.wrapping_add_signed(r.addend)))
        };
        kernel.relocs.iter().map(slot).collect()
    }

    /// The good code if it is in the cache, else what the first launches run.
    pub(super) fn compile(
        &self,
        live: &Live,
        text: &str,
        block: [u32; 3],
        start: Start,
    ) -> Result<Variant, LoadError> {
        let platform = platform::get().map_err(failed)?;
        let good = self.job(live, text, block, platform.cuda_version);
        if let Some(variant) = self.cached(live, &good)? {
            return Ok(variant);
        }
        let Some(options) = tier::first(good.job.options, start) else {
            return self.place(live, &made_for(&good)?);
        };
        let mut first = good.clone();
        first.job.options = options;
        if let Some(variant) = self.cached(live, &first)? {
            return Ok(variant);
        }
        let (cubin, bytes) = made(&first.job)?;
        // What did not take long is the good code.
        let is_first = cubin.kernels.iter().any(|kernel| is_first(&kernel.image));
        cache::put(if is_first { &first } else { &good }, &bytes);
        self.place(live, &cubin)
    }
}

/// Writes addresses into an image at `va`.
fn fill(memory: &Allocation, va: u64, slots: &[(u64, u64)]) -> Result<(), LoadError> {
    for (at, value) in slots {
        write_bytes(memory, va + at, &value.to_le_bytes()).map_err(failed)?;
    }
    Ok(())
}

/// A word of an image, 0 past its end.
pub(super) fn word(image: &[u8], at: usize) -> u32 {
    let bytes = image.get(at..at + 4);
    bytes.map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// Whether code was made in little time.
pub(super) fn is_first(image: &[u8]) -> bool {
    let flags = word(image, std::mem::offset_of!(abi::sm::EntryHeader, flags));
    flags & abi::sm::flags::FAST != 0
}

/// A job's code, from the cache or the compiler.
pub(super) fn compiled(request: &Request<'_>) -> Result<Cubin, LoadError> {
    let kept = cache::get(request).and_then(|entry| Cubin::read(entry.contents()).ok());
    kept.map_or_else(|| made_for(request), Ok)
}

/// A job's code from the compiler, which the cache keeps.
fn made_for(request: &Request<'_>) -> Result<Cubin, LoadError> {
    let (cubin, bytes) = made(&request.job)?;
    cache::put(request, &bytes);
    Ok(cubin)
}

/// A job's code as the compiler makes it.
fn made(job: &Job<'_>) -> Result<(Cubin, Vec<u8>), LoadError> {
    let compiled = compiler::compile(job)?;
    if !compiled.log.trim().is_empty() && std::env::var_os("ANTLERITE_JIT_LOG").is_some() {
        complain(compiled.log.trim_end());
    }
    let cubin = Cubin::read(&compiled.cubin).map_err(|error| {
        LoadError::new(CUresult::UNKNOWN, format!("the compiler's output: {error}"))
    })?;
    Ok((cubin, compiled.cubin))
}

/// Whether a cubin's code is what a launch with that block should run: made for the block, or all there may be.
pub(super) fn serves(cubin: &Cubin, name: &str, block: [u32; 3]) -> bool {
    let kernel = cubin.kernels.iter().find(|kernel| kernel.name == *name);
    kernel.is_some_and(|kernel| kernel.block == block) || super::image::flag("CUDA_DISABLE_PTX_JIT")
}
