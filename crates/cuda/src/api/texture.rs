//! Texture and surface objects.

use cuda_abi::driver::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUresult, CUsurfObject,
    CUtexObject, In, Out,
};

use crate::core::{context, texture};
use crate::ffi::{Read, Write};

pub(crate) fn create(
    out: Out<CUtexObject>,
    resource: In<CUDA_RESOURCE_DESC>,
    description: In<CUDA_TEXTURE_DESC>,
    view: In<CUDA_RESOURCE_VIEW_DESC>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(texture::create(
        resource.get()?,
        description.get()?,
        view.get_opt(),
    )?)
}

pub(crate) fn destroy(object: CUtexObject) -> Result<(), CUresult> {
    context::current()?;
    texture::destroy(object, false)
}

pub(crate) fn get_resource(
    out: Out<CUDA_RESOURCE_DESC>,
    object: CUtexObject,
) -> Result<(), CUresult> {
    out.required()?.set(texture::get(object, false)?.resource)
}

pub(crate) fn get_description(
    out: Out<CUDA_TEXTURE_DESC>,
    object: CUtexObject,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let texture = texture::get(object, false)?.texture;
    out.set(texture.ok_or(CUresult::INVALID_VALUE)?)
}

/// 1 for an object that was made without a view.
pub(crate) fn get_view(
    out: Out<CUDA_RESOURCE_VIEW_DESC>,
    object: CUtexObject,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let view = texture::get(object, false)?.view;
    out.set(view.ok_or(CUresult::INVALID_VALUE)?)
}

pub(crate) fn create_surface(
    out: Out<CUsurfObject>,
    resource: In<CUDA_RESOURCE_DESC>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(texture::create_surface(resource.get()?)?)
}

pub(crate) fn destroy_surface(object: CUsurfObject) -> Result<(), CUresult> {
    context::current()?;
    texture::destroy(object, true)
}

pub(crate) fn get_surface_resource(
    out: Out<CUDA_RESOURCE_DESC>,
    object: CUsurfObject,
) -> Result<(), CUresult> {
    out.required()?.set(texture::get(object, true)?.resource)
}
