//! `cuLink*`: what goes in comes out as one image.
//!
//! A single PTX input becomes a fat binary with that PTX, which loading compiles; an input that is a cubin of ours comes
//! out as it is. Joining several modules is not done, and said so.

use std::sync::Mutex;

use cuda_abi::driver::CUresult;
use fatbin::{Builder, EntrySpec};

use super::handle::Table;
use super::image::{Chooser, LoadError};

/// All link states.
pub(crate) static LINKS: Table<Link> = Table::new(10, CUresult::INVALID_HANDLE);

/// An input.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// PTX text.
    Ptx(String),
    /// A cubin or a fat binary, as it is.
    Binary(Vec<u8>),
}

/// A link in progress.
#[derive(Debug)]
pub(crate) struct Link {
    /// Inputs so far.
    pub inputs: Mutex<Vec<Input>>,
    /// The image, once complete; it must not move while the state lives.
    pub image: Mutex<Option<Vec<u8>>>,
}

impl Link {
    /// An empty state.
    pub(crate) fn new() -> Self {
        Self {
            inputs: Mutex::default(),
            image: Mutex::default(),
        }
    }

    /// Adds an input after checking it.
    pub(crate) fn add(&self, chooser: Chooser, input: Input) -> Result<(), LoadError> {
        if let Input::Ptx(text) = &input {
            chooser.ptx(text)?;
        }
        self.inputs
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .push(input);
        Ok(())
    }

    /// Makes the image: its address and size.
    pub(crate) fn complete(&self, chooser: Chooser) -> Result<(usize, usize), LoadError> {
        let inputs = self
            .inputs
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let bytes = match inputs.as_slice() {
            [] => return Err(LoadError::new(CUresult::INVALID_VALUE, "nothing to link\n")),
            [Input::Binary(bytes)] => bytes.clone(),
            [Input::Ptx(text)] => wrap(chooser, text)?,
            _ => {
                let text = "error   : linking several modules is not supported\n";
                return Err(LoadError::new(CUresult::NOT_SUPPORTED, text));
            }
        };
        let mut image = self
            .image
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let image = image.insert(bytes);
        Ok((image.as_ptr().expose_provenance(), image.len()))
    }
}

/// PTX text in a fat binary.
fn wrap(chooser: Chooser, text: &str) -> Result<Vec<u8>, LoadError> {
    let invalid = |error: fatbin::Error| LoadError::new(CUresult::INVALID_PTX, error.to_string());
    let version = fatbin::ptx_header(text).map_or_else(|| chooser.isa(), |header| header.version);
    let mut builder = Builder::new();
    builder
        .push(&EntrySpec::ptx(fatbin::Sm::new(chooser.cc), version, text))
        .map_err(invalid)?;
    Ok(builder.finish())
}
