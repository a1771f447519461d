//! Texture and surface references of modules: a variable that holds the object which it is bound to.

use std::sync::{Arc, Mutex};

use abi::texture::{Descriptor, Header};
use cuda_abi::driver::{
    CUDA_TEXTURE_DESC, CUaddress_mode, CUarray_format, CUfilter_mode, CUresult,
};

use super::array::{ARRAYS, header};
use super::context::{self, CONTEXTS, Live};
use super::handle::Table;
use super::platform;
use super::texture::{self, Place};

/// All references.
pub(crate) static REFERENCES: Table<Reference> = Table::new(21, CUresult::INVALID_VALUE);

/// What a reference is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Nothing.
    Nothing,
    /// An array.
    Array(usize),
    /// A mipmapped array.
    Mipmap(usize),
    /// Linear memory.
    Linear {
        /// Address.
        address: u64,
        /// Bytes.
        bytes: u64,
    },
    /// Lines in linear memory.
    Pitch {
        /// Address.
        address: u64,
        /// Elements, lines.
        size: [u64; 2],
        /// Bytes from line to line.
        pitch: u64,
    },
}

/// What the program set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// What it is bound to.
    pub bound: Bound,
    /// Format of elements.
    pub format: CUarray_format,
    /// Channels.
    pub channels: u32,
    /// How it is sampled.
    pub sampler: CUDA_TEXTURE_DESC,
}

/// A reference.
pub(crate) struct Reference {
    /// Handle of its context.
    pub context: usize,
    /// Whether it is a surface reference.
    pub surface: bool,
    /// Address of its variable; a reference of `cuTexRefCreate` has none.
    variable: Option<u64>,
    place: Place,
    state: Mutex<State>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn initial() -> State {
    State {
        bound: Bound::Nothing,
        format: CUarray_format::FLOAT,
        channels: 1,
        sampler: CUDA_TEXTURE_DESC {
            addressMode: [CUaddress_mode::WRAP; 3],
            filterMode: CUfilter_mode::POINT,
            flags: 0,
            maxAnisotropy: 0,
            mipmapFilterMode: CUfilter_mode::POINT,
            mipmapLevelBias: 0.0,
            minMipmapLevelClamp: 0.0,
            maxMipmapLevelClamp: 0.0,
            borderColor: [0.0; 4],
            reserved: [0; 12],
        },
    }
}

/// The reference whose variable is at that address, made at first use.
pub(crate) fn of_variable(live: &Live, variable: u64, surface: bool) -> Result<usize, CUresult> {
    static FINDING: Mutex<()> = Mutex::new(());
    let _one = lock(&FINDING);
    let known = REFERENCES.find(|r| {
        r.context == live.context && r.variable == Some(variable) && r.surface == surface
    });
    match known {
        Some(handle) => Ok(handle),
        None => create(live, Some(variable), surface),
    }
}

/// Makes a reference.
pub(crate) fn create(live: &Live, variable: Option<u64>, surface: bool) -> Result<usize, CUresult> {
    REFERENCES.insert(Reference {
        context: live.context,
        surface,
        variable,
        place: Place::take(live)?,
        state: Mutex::new(initial()),
    })
}

/// Forgets the references of a context.
pub(crate) fn end_context(context: usize) {
    drop(REFERENCES.remove_if(|r| r.context == context));
}

/// The reference of a handle.
///
/// # Errors
/// 1.
pub(crate) fn get(handle: usize, surface: bool) -> Result<Arc<Reference>, CUresult> {
    context::current()?;
    let reference = REFERENCES.get(handle)?;
    if reference.surface == surface {
        Ok(reference)
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

impl Reference {
    /// What was set.
    pub(crate) fn state(&self) -> State {
        *lock(&self.state)
    }

    /// Changes what was set, and what kernels launched from now on see.
    ///
    /// # Errors
    /// 1 for a binding that there cannot be; nothing changes then.
    pub(crate) fn change(
        &self,
        change: impl FnOnce(&mut State) -> Result<(), CUresult>,
    ) -> Result<(), CUresult> {
        let live = CONTEXTS.get(self.context)?.live_and_well()?;
        let mut state = lock(&self.state);
        let mut new = *state;
        change(&mut new)?;
        if let Some(descriptor) = self.descriptor(&new)? {
            // Work that was launched before still reads the old one.
            live.synchronize()?;
            self.place.write(&live, &descriptor)?;
            if let Some(variable) = self.variable {
                point(variable, self.place.va)?;
            }
        }
        *state = new;
        Ok(())
    }

    fn descriptor(&self, state: &State) -> Result<Option<Descriptor>, CUresult> {
        let header: Header = match state.bound {
            Bound::Nothing => return Ok(None),
            Bound::Array(array) if self.surface => {
                return texture::surface_descriptor(array).map(Some);
            }
            Bound::Array(array) => {
                let array = ARRAYS.get(array).map_err(|_| CUresult::INVALID_VALUE)?;
                header(&[array])?
            }
            Bound::Mipmap(mipmap) => header(&texture::levels_of(mipmap)?)?,
            Bound::Linear { address, bytes } => {
                texture::linear_header(address, state.format, state.channels, bytes)?
            }
            Bound::Pitch {
                address,
                size,
                pitch,
            } => texture::pitch_header(address, state.format, state.channels, size, pitch)?,
        };
        Ok(Some(Descriptor {
            header,
            sampler: texture::sampler(&state.sampler)?,
        }))
    }
}

/// Stores the object in the variable.
fn point(variable: u64, object: u64) -> Result<(), CUresult> {
    let allocation = platform::get()?
        .memory
        .find(variable)
        .filter(|a| variable + 8 <= a.end())
        .ok_or(CUresult::INVALID_VALUE)?;
    let at = allocation.host_address(variable)?;
    let to = std::ptr::with_exposed_provenance_mut::<u64>(at);
    // SAFETY: eight bytes of this process's view of the module's variable.
    unsafe { to.write_unaligned(object) };
    Ok(())
}
