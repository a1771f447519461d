//! Init, versions, process names.

use std::ffi::c_char;

use super::Done;
use crate::Return;
use crate::core::session::{self, Session};
use crate::ffi::Out;
use crate::types::{nvmlHwbcEntry_t, nvmlSystemDriverBranchInfo_v1_t, text_field, version_of};

/// `NVML_INIT_FLAG_NO_GPUS`: no error when there is none.
const NO_GPUS: u32 = 1;
/// `NVML_INIT_FLAG_NO_ATTACH`: do not attach GPUs; ours need no attaching.
const NO_ATTACH: u32 = 2;

pub(crate) fn init() -> Done {
    session::init(false)
}

pub(crate) fn init_with_flags(flags: u32) -> Done {
    if flags & !(NO_GPUS | NO_ATTACH) != 0 {
        return Err(Return::InvalidArgument);
    }
    session::init(false)
}

pub(crate) fn shutdown() -> Done {
    session::shutdown()
}

pub(crate) fn driver_version(session: &Session, version: Out<'_, c_char>, length: u32) -> Done {
    version.put_text(length, session.client().version_text())
}

/// NVML's version is the CUDA major version before the driver's.
pub(crate) fn nvml_version(session: &Session, version: Out<'_, c_char>, length: u32) -> Done {
    let client = session.client();
    let (major, _) = client.version().cuda();
    version.put_text(length, &format!("{major}.{}", client.version_text()))
}

pub(crate) fn cuda_version(session: &Session, version: Out<'_, i32>) -> Done {
    let (major, minor) = session.client().version().cuda();
    version.set((major * 1000 + minor * 10).cast_signed())
}

/// The program's path and arguments, as the kernel knows them, cut to fit.
pub(crate) fn process_name(_: &Session, pid: u32, name: Out<'_, c_char>, length: u32) -> Done {
    let room = usize::try_from(length).unwrap_or(0);
    if room == 0 {
        return Err(Return::InvalidArgument);
    }
    let text = name_of(pid).ok_or(Return::NotFound)?;
    let mut end = text.len().min(room - 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    name.put_text(length, &text[..end])
}

/// First argument of a process, else its name; `None` for no such process.
fn name_of(pid: u32) -> Option<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let first = line.split(|b| *b == 0).next().unwrap_or_default();
    if !first.is_empty() {
        return Some(String::from_utf8_lossy(first).into_owned());
    }
    let comm = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(comm.trim_end().to_owned())
}

pub(crate) fn hic_version(_: &Session, count: Out<'_, u32>, _: Out<'_, nvmlHwbcEntry_t>) -> Done {
    count.set(0)
}

pub(crate) fn driver_branch(
    session: &Session,
    info: Out<'_, nvmlSystemDriverBranchInfo_v1_t>,
    length: u32,
) -> Done {
    let version = version_of::<nvmlSystemDriverBranchInfo_v1_t>(1);
    // Only the version word is the caller's.
    if info.prefix::<u32>().get()? != version {
        return Err(Return::ArgumentVersionMismatch);
    }
    let branch = format!("r{}_00", session.client().version().0);
    if branch.len() >= usize::try_from(length).unwrap_or(0) {
        return Err(Return::InsufficientSize);
    }
    info.set(nvmlSystemDriverBranchInfo_v1_t {
        version,
        branch: text_field(&branch),
    })
}

pub(crate) fn excluded_count(_: &Session, count: Out<'_, u32>) -> Done {
    count.set(0)
}

/// Units are S-class enclosures; there is none.
pub(crate) fn unit_count(_: &Session, count: Out<'_, u32>) -> Done {
    count.set(0)
}
