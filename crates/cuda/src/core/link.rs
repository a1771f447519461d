//! `cuLink*`: what goes in comes out as one cubin.

use std::sync::Mutex;

use fatbin::cubin::Cubin;
use jit::compiler::{self, CompileError, Compiled, Job, Options};
use jit::image::{Wanted, make_by};
use jit::inputs::{Inputs, Kind};

use super::cache::{self, Request};
use super::image::{Chooser, LoadError};

/// A link in progress.
#[derive(Debug)]
pub(crate) struct Link {
    inputs: Mutex<Inputs>,
    options: Options,
    /// The image, once complete; it must not move while the state lives.
    image: Mutex<Option<Vec<u8>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Code of a whole program, from the cache or the compiler.
fn compiled(job: &Job<'_>, cuda_version: i32) -> Result<Compiled, CompileError> {
    let request = Request {
        job: job.clone(),
        digest: *blake3::hash(job.ptx.as_bytes()).as_bytes(),
        cuda_version,
    };
    if let Some(entry) = cache::get(&request)
        && Cubin::read(entry.contents()).is_ok()
    {
        return Ok(Compiled {
            cubin: entry.contents().to_vec(),
            log: String::new(),
        });
    }
    let compiled = compiler::compile(job)?;
    cache::put(&request, &compiled.cubin);
    Ok(compiled)
}

impl Link {
    /// An empty state.
    pub(crate) fn new(options: Options) -> Self {
        Self {
            inputs: Mutex::default(),
            options,
            image: Mutex::default(),
        }
    }

    /// Adds an input after checking it.
    pub(crate) fn add(
        &self,
        chooser: Chooser,
        kind: Kind,
        name: &str,
        bytes: &[u8],
    ) -> Result<(), LoadError> {
        Ok(lock(&self.inputs).add(kind, name, bytes, chooser.target())?)
    }

    /// Makes the image: its address and size, and what there is to say.
    pub(crate) fn complete(
        &self,
        chooser: Chooser,
        verbose: bool,
    ) -> Result<(usize, usize, String), LoadError> {
        let linked = lock(&self.inputs).link()?;
        let wanted = Wanted {
            options: self.options,
            cc: chooser.cc,
            max_ptx_version: chooser.max_ptx_version(),
            relocatable: false,
        };
        let made = make_by(&linked, wanted, |job| compiled(job, chooser.cuda_version))?;
        let mut info = made.log;
        if verbose {
            info.push_str(&jit::image::verbose(&made.cubin));
        }
        let bytes = made.cubin.write().map_err(jit::image::ImageError::from)?;
        let mut image = lock(&self.image);
        let image = image.insert(bytes);
        Ok((image.as_ptr().expose_provenance(), image.len(), info))
    }
}
