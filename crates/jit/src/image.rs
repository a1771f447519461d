//! A whole program as one cubin.

use fatbin::cubin::{Cubin, CubinError, Space};
use ptx::link::Linked;
use thiserror::Error as ThisError;

use crate::compiler::{self, CompileError, Compiled, Job, Options};
use crate::report::{self, KernelUse};

/// What to make.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Compiler options.
    pub options: Options,
    /// Compute capability, major × 10 + minor.
    pub cc: u32,
    /// Newest PTX version taken, major × 10 + minor; 0 any.
    pub max_ptx_version: u32,
    /// Code that will be linked with other code: nothing is compiled yet, and what is missing is no error.
    pub relocatable: bool,
}

/// Why there is no image.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum ImageError {
    /// Symbols that nothing defines.
    #[error("{log}")]
    Undefined {
        /// One line for each.
        log: String,
    },
    /// The compiler's refusal.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The cubin cannot be written, or the compiler's cannot be read.
    #[error("{0}")]
    Cubin(#[from] CubinError),
}

/// An image and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Image {
    /// The cubin.
    pub cubin: Cubin,
    /// Notices of the compiler.
    pub log: String,
}

/// Compiles linked code for any block, and keeps the PTX with it: a driver can specialise it for a block, compile it
/// again for another host, or link it with more.
///
/// # Errors
/// [`ImageError`]
pub fn make(linked: &Linked, wanted: Wanted) -> Result<Image, ImageError> {
    make_by(linked, wanted, compiler::compile)
}

/// The same, with the caller's way to get at compiled code: it may have it already.
///
/// # Errors
/// [`ImageError`]
pub fn make_by(
    linked: &Linked,
    wanted: Wanted,
    compile: impl FnOnce(&Job<'_>) -> Result<Compiled, CompileError>,
) -> Result<Image, ImageError> {
    let source = Some(linked.text.clone());
    if wanted.relocatable {
        let cubin = Cubin {
            cc: wanted.cc,
            driver: env!("CARGO_PKG_VERSION").to_owned(),
            source,
            ..Cubin::default()
        };
        return Ok(Image {
            cubin,
            log: String::new(),
        });
    }
    if !linked.undefined.is_empty() {
        return Err(ImageError::Undefined {
            log: ptx::link::undefined_log(&linked.undefined),
        });
    }
    let compiled = compile(&Job {
        ptx: &linked.text,
        kernel: None,
        block: [0; 3],
        options: wanted.options,
        cc: wanted.cc,
        max_ptx_version: wanted.max_ptx_version,
        isa: compiler::host_isa(),
    })?;
    let cubin = Cubin {
        source,
        ..Cubin::read(&compiled.cubin)?
    };
    Ok(Image {
        cubin,
        log: compiled.log,
    })
}

/// What `ptxas -v` would say of a cubin.
#[must_use]
pub fn verbose(cubin: &Cubin) -> String {
    let kernels = cubin.kernels.iter().map(|kernel| KernelUse {
        name: &kernel.name,
        registers: kernel.registers,
        shared_bytes: kernel.shared_bytes,
        local_bytes: kernel.local_bytes,
        param_bytes: kernel.params.last().map_or(0, |p| p.offset + p.size),
    });
    let globals = cubin
        .globals
        .iter()
        .filter(|g| g.space == Space::Global && !g.external);
    report::verbose(cubin.cc, globals.map(|g| g.size).sum(), kernels)
}

impl Image {
    /// Caps the registers that are reported (`-maxrregcount`); 0 is no cap. Code is not changed: the host has its own.
    pub fn limit_registers(&mut self, most: u32) {
        if most > 0 {
            for kernel in &mut self.cubin.kernels {
                kernel.registers = kernel.registers.min(most);
            }
        }
    }
}
