//! Texture and surface references (deprecated by CUDA, and used).

use std::ffi::c_char;

use cuda_abi::driver::{
    CUDA_ARRAY_DESCRIPTOR, CUaddress_mode, CUarray, CUarray_format, CUdeviceptr, CUfilter_mode,
    CUfunction, CUmipmappedArray, CUmodule, CUresult, CUsurfref, CUtexref, In, Out,
};

use crate::core::array::{ARRAYS, MIPMAPS};
use crate::core::module::{self, MODULES};
use crate::core::texture::ALIGN;
use crate::core::texture_reference::{self as reference, Bound, REFERENCES, State};
use crate::core::{array, context};
use crate::ffi::{Read, Write, text};

/// `CU_TRSA_OVERRIDE_FORMAT`: the array's format counts.
const OVERRIDE_FORMAT: u32 = 1;

fn of_module(module: CUmodule, name: In<c_char>, surface: bool) -> Result<usize, CUresult> {
    let name = text(name)?;
    let live = context::current()?;
    let module = MODULES.get(module.0)?;
    let (variable, bytes) = module.loaded.variable(name)?;
    if bytes != 8 {
        return Err(CUresult::NOT_FOUND);
    }
    reference::of_variable(&live, variable, surface)
}

pub(crate) fn module_texture(
    out: Out<CUtexref>,
    module: CUmodule,
    name: In<c_char>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(CUtexref(of_module(module, name, false)?))
}

pub(crate) fn module_surface(
    out: Out<CUsurfref>,
    module: CUmodule,
    name: In<c_char>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(CUsurfref(of_module(module, name, true)?))
}

pub(crate) fn create(out: Out<CUtexref>) -> Result<(), CUresult> {
    let out = out.required()?;
    let live = context::current()?;
    out.set(CUtexref(reference::create(&live, None, false)?))
}

pub(crate) fn destroy(texture: CUtexref) -> Result<(), CUresult> {
    reference::get(texture.0, false)?;
    REFERENCES.remove(texture.0).map(drop)
}

fn state(texture: CUtexref) -> Result<State, CUresult> {
    Ok(reference::get(texture.0, false)?.state())
}

fn change(
    texture: CUtexref,
    body: impl FnOnce(&mut State) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    reference::get(texture.0, false)?.change(body)
}

pub(crate) fn set_array(texture: CUtexref, array: CUarray, flags: u32) -> Result<(), CUresult> {
    let shape = ARRAYS.get(array.0)?.shape;
    if flags != OVERRIDE_FORMAT {
        return Err(CUresult::INVALID_VALUE);
    }
    change(texture, |s| {
        (s.format, s.channels) = (shape.format, shape.channels);
        s.bound = Bound::Array(array.0);
        Ok(())
    })
}

pub(crate) fn get_array(out: Out<CUarray>, texture: CUtexref) -> Result<(), CUresult> {
    let out = out.required()?;
    match state(texture)?.bound {
        Bound::Array(array) => out.set(CUarray(array)),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

pub(crate) fn set_mipmapped_array(
    texture: CUtexref,
    mipmap: CUmipmappedArray,
    flags: u32,
) -> Result<(), CUresult> {
    let shape = MIPMAPS.get(mipmap.0)?.shape;
    if flags != OVERRIDE_FORMAT {
        return Err(CUresult::INVALID_VALUE);
    }
    change(texture, |s| {
        (s.format, s.channels) = (shape.format, shape.channels);
        s.bound = Bound::Mipmap(mipmap.0);
        Ok(())
    })
}

pub(crate) fn get_mipmapped_array(
    out: Out<CUmipmappedArray>,
    texture: CUtexref,
) -> Result<(), CUresult> {
    let out = out.required()?;
    match state(texture)?.bound {
        Bound::Mipmap(mipmap) => out.set(CUmipmappedArray(mipmap)),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// An address that is not aligned is rounded down, and the rest told, if there is a place for it.
pub(crate) fn set_address(
    offset: Out<usize>,
    texture: CUtexref,
    address: CUdeviceptr,
    bytes: usize,
) -> Result<(), CUresult> {
    let rest = address % ALIGN;
    if rest != 0 && offset.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    change(texture, |s| {
        s.bound = if address == 0 {
            Bound::Nothing
        } else {
            Bound::Linear {
                address: address - rest,
                bytes: bytes as u64 + rest,
            }
        };
        Ok(())
    })?;
    offset.set_opt(usize::try_from(rest).unwrap_or_default());
    Ok(())
}

pub(crate) fn set_address_2d(
    texture: CUtexref,
    descriptor: In<CUDA_ARRAY_DESCRIPTOR>,
    address: CUdeviceptr,
    pitch: usize,
) -> Result<(), CUresult> {
    let d = descriptor.get()?;
    change(texture, |s| {
        (s.format, s.channels) = (d.Format, d.NumChannels);
        s.bound = Bound::Pitch {
            address,
            size: [d.Width as u64, d.Height as u64],
            pitch: pitch as u64,
        };
        Ok(())
    })
}

pub(crate) fn get_address(out: Out<CUdeviceptr>, texture: CUtexref) -> Result<(), CUresult> {
    let out = out.required()?;
    match state(texture)?.bound {
        Bound::Linear { address, .. } | Bound::Pitch { address, .. } => out.set(address),
        Bound::Nothing | Bound::Array(_) | Bound::Mipmap(_) => Err(CUresult::INVALID_VALUE),
    }
}

pub(crate) fn set_format(
    texture: CUtexref,
    format: CUarray_format,
    channels: i32,
) -> Result<(), CUresult> {
    array::channel(format)?;
    let channels = u32::try_from(channels).map_err(|_| CUresult::INVALID_VALUE)?;
    if !matches!(channels, 1 | 2 | 4) {
        return Err(CUresult::INVALID_VALUE);
    }
    change(texture, |s| {
        (s.format, s.channels) = (format, channels);
        Ok(())
    })
}

pub(crate) fn get_format(
    format: Out<CUarray_format>,
    channels: Out<i32>,
    texture: CUtexref,
) -> Result<(), CUresult> {
    let s = state(texture)?;
    format.set_opt(s.format);
    channels.set_opt(i32::try_from(s.channels).unwrap_or_default());
    Ok(())
}

fn axis(dim: i32) -> Result<usize, CUresult> {
    usize::try_from(dim)
        .ok()
        .filter(|d| *d < 3)
        .ok_or(CUresult::INVALID_VALUE)
}

pub(crate) fn set_address_mode(
    texture: CUtexref,
    dim: i32,
    mode: CUaddress_mode,
) -> Result<(), CUresult> {
    let dim = axis(dim)?;
    if !(0..=3).contains(&mode.0) {
        return Err(CUresult::INVALID_VALUE);
    }
    change(texture, |s| {
        s.sampler.addressMode[dim] = mode;
        Ok(())
    })
}

pub(crate) fn get_address_mode(
    out: Out<CUaddress_mode>,
    texture: CUtexref,
    dim: i32,
) -> Result<(), CUresult> {
    let dim = axis(dim)?;
    out.required()?
        .set(state(texture)?.sampler.addressMode[dim])
}

fn known_filter(mode: CUfilter_mode) -> Result<(), CUresult> {
    if [CUfilter_mode::POINT, CUfilter_mode::LINEAR].contains(&mode) {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

pub(crate) fn set_filter_mode(texture: CUtexref, mode: CUfilter_mode) -> Result<(), CUresult> {
    known_filter(mode)?;
    change(texture, |s| {
        s.sampler.filterMode = mode;
        Ok(())
    })
}

pub(crate) fn get_filter_mode(out: Out<CUfilter_mode>, texture: CUtexref) -> Result<(), CUresult> {
    out.required()?.set(state(texture)?.sampler.filterMode)
}

pub(crate) fn set_mipmap_filter_mode(
    texture: CUtexref,
    mode: CUfilter_mode,
) -> Result<(), CUresult> {
    known_filter(mode)?;
    change(texture, |s| {
        s.sampler.mipmapFilterMode = mode;
        Ok(())
    })
}

pub(crate) fn get_mipmap_filter_mode(
    out: Out<CUfilter_mode>,
    texture: CUtexref,
) -> Result<(), CUresult> {
    out.required()?
        .set(state(texture)?.sampler.mipmapFilterMode)
}

pub(crate) fn set_mipmap_level_bias(texture: CUtexref, bias: f32) -> Result<(), CUresult> {
    change(texture, |s| {
        s.sampler.mipmapLevelBias = bias;
        Ok(())
    })
}

pub(crate) fn get_mipmap_level_bias(out: Out<f32>, texture: CUtexref) -> Result<(), CUresult> {
    out.required()?.set(state(texture)?.sampler.mipmapLevelBias)
}

pub(crate) fn set_mipmap_level_clamp(
    texture: CUtexref,
    least: f32,
    most: f32,
) -> Result<(), CUresult> {
    change(texture, |s| {
        (s.sampler.minMipmapLevelClamp, s.sampler.maxMipmapLevelClamp) = (least, most);
        Ok(())
    })
}

pub(crate) fn get_mipmap_level_clamp(
    least: Out<f32>,
    most: Out<f32>,
    texture: CUtexref,
) -> Result<(), CUresult> {
    let (least, most) = (least.required()?, most.required()?);
    let s = state(texture)?.sampler;
    least.set(s.minMipmapLevelClamp)?;
    most.set(s.maxMipmapLevelClamp)
}

pub(crate) fn set_max_anisotropy(texture: CUtexref, most: u32) -> Result<(), CUresult> {
    change(texture, |s| {
        s.sampler.maxAnisotropy = most;
        Ok(())
    })
}

pub(crate) fn get_max_anisotropy(out: Out<i32>, texture: CUtexref) -> Result<(), CUresult> {
    let most = state(texture)?.sampler.maxAnisotropy;
    out.required()?.set(i32::try_from(most).unwrap_or(i32::MAX))
}

pub(crate) fn set_border_color(texture: CUtexref, colour: Out<f32>) -> Result<(), CUresult> {
    let colour = colour.get_all(4)?;
    change(texture, |s| {
        s.sampler.borderColor.copy_from_slice(&colour);
        Ok(())
    })
}

pub(crate) fn get_border_color(colour: Out<f32>, texture: CUtexref) -> Result<(), CUresult> {
    let colour = colour.required()?;
    for (index, value) in state(texture)?.sampler.borderColor.into_iter().enumerate() {
        colour.set_at(index, value);
    }
    Ok(())
}

pub(crate) fn set_flags(texture: CUtexref, flags: u32) -> Result<(), CUresult> {
    change(texture, |s| {
        s.sampler.flags = flags;
        Ok(())
    })
}

pub(crate) fn get_flags(out: Out<u32>, texture: CUtexref) -> Result<(), CUresult> {
    out.required()?.set(state(texture)?.sampler.flags)
}

/// References of a module are bound by name; there is nothing more to say for a function.
pub(crate) fn param_set(
    function: CUfunction,
    unit: i32,
    texture: CUtexref,
) -> Result<(), CUresult> {
    /// `CU_PARAM_TR_DEFAULT`.
    const DEFAULT: i32 = -1;
    module::resolve(function)?;
    reference::get(texture.0, false)?;
    if unit == DEFAULT {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

pub(crate) fn set_surface_array(
    surface: CUsurfref,
    array: CUarray,
    flags: u32,
) -> Result<(), CUresult> {
    ARRAYS.get(array.0)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    reference::get(surface.0, true)?.change(|s| {
        s.bound = Bound::Array(array.0);
        Ok(())
    })
}

pub(crate) fn get_surface_array(out: Out<CUarray>, surface: CUsurfref) -> Result<(), CUresult> {
    let out = out.required()?;
    match reference::get(surface.0, true)?.state().bound {
        Bound::Array(array) => out.set(CUarray(array)),
        _ => Err(CUresult::INVALID_VALUE),
    }
}
