//! Launches as CUDA 3 made them: block shape, parameters and shared memory are set one by one, then the grid is launched.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_abi::driver::{CUDA_LAUNCH_PARAMS, CUfunction, CUresult, CUstream, Out};

use super::function::{launch_cooperative_kernel, launch_kernel};
use crate::core::attributes::BLOCK_MAX;
use crate::core::module::resolve;
use crate::core::{context, stream};
use crate::ffi::Read;

/// What was set for a function.
#[derive(Clone, Debug)]
struct State {
    block: [u32; 3],
    shared: u32,
    parameters: Vec<u8>,
}

static STATES: Mutex<Option<HashMap<usize, State>>> = Mutex::new(None);

/// Bytes of parameters that these functions take.
const PARAMETERS_MAX: usize = 4096;

fn lock() -> MutexGuard<'static, Option<HashMap<usize, State>>> {
    STATES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn change(
    f: CUfunction,
    body: impl FnOnce(&mut State) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    context::current()?;
    resolve(f)?;
    let mut states = lock();
    let state = states.get_or_insert_default().entry(f.0).or_insert(State {
        block: [1; 3],
        shared: 0,
        parameters: Vec::new(),
    });
    body(state)
}

fn positive(value: i32) -> Result<u32, CUresult> {
    u32::try_from(value)
        .ok()
        .filter(|v| *v > 0)
        .ok_or(CUresult::INVALID_VALUE)
}

pub(crate) fn set_block_shape(f: CUfunction, x: i32, y: i32, z: i32) -> Result<(), CUresult> {
    let block = [positive(x)?, positive(y)?, positive(z)?];
    if block.iter().zip(BLOCK_MAX).any(|(n, most)| *n > most) {
        return Err(CUresult::INVALID_VALUE);
    }
    change(f, |state| {
        state.block = block;
        Ok(())
    })
}

pub(crate) fn set_shared_size(f: CUfunction, bytes: u32) -> Result<(), CUresult> {
    change(f, |state| {
        state.shared = bytes;
        Ok(())
    })
}

pub(crate) fn set_parameter_size(f: CUfunction, bytes: u32) -> Result<(), CUresult> {
    let bytes = bytes as usize;
    if bytes > PARAMETERS_MAX {
        return Err(CUresult::INVALID_VALUE);
    }
    change(f, |state| {
        state.parameters.resize(bytes, 0);
        Ok(())
    })
}

fn put(f: CUfunction, offset: i32, bytes: &[u8]) -> Result<(), CUresult> {
    let at = usize::try_from(offset).map_err(|_| CUresult::INVALID_VALUE)?;
    let end = at
        .checked_add(bytes.len())
        .filter(|end| *end <= PARAMETERS_MAX)
        .ok_or(CUresult::INVALID_VALUE)?;
    change(f, |state| {
        if state.parameters.len() < end {
            state.parameters.resize(end, 0);
        }
        state.parameters[at..end].copy_from_slice(bytes);
        Ok(())
    })
}

pub(crate) fn set_integer(f: CUfunction, offset: i32, value: u32) -> Result<(), CUresult> {
    put(f, offset, &value.to_le_bytes())
}

pub(crate) fn set_float(f: CUfunction, offset: i32, value: f32) -> Result<(), CUresult> {
    put(f, offset, &value.to_le_bytes())
}

pub(crate) fn set_vector(
    f: CUfunction,
    offset: i32,
    from: Out<c_void>,
    bytes: u32,
) -> Result<(), CUresult> {
    let bytes = Out::<u8>::new(from.addr()).get_all(bytes as usize)?;
    put(f, offset, &bytes)
}

fn launch_in(f: CUfunction, width: i32, height: i32, s: CUstream) -> Result<(), CUresult> {
    let (width, height) = (positive(width)?, positive(height)?);
    let mut state = None;
    change(f, |s| {
        state = Some(s.clone());
        Ok(())
    })?;
    let State {
        block: [x, y, z],
        shared,
        parameters,
    } = state.ok_or(CUresult::INVALID_VALUE)?;
    let mut size = parameters.len();
    // The pairs of CU_LAUNCH_PARAM_*: buffer, size, end.
    let extra = [
        1,
        parameters.as_ptr().expose_provenance(),
        2,
        (&raw mut size).expose_provenance(),
        0,
    ];
    let extra = Out::new(extra.as_ptr().expose_provenance());
    launch_kernel(f, width, height, 1, x, y, z, shared, s, Out::NULL, extra)
}

pub(crate) fn launch(f: CUfunction) -> Result<(), CUresult> {
    launch_in(f, 1, 1, CUstream::NULL)
}

pub(crate) fn launch_grid(f: CUfunction, width: i32, height: i32) -> Result<(), CUresult> {
    launch_in(f, width, height, CUstream::NULL)
}

pub(crate) fn launch_grid_async(
    f: CUfunction,
    width: i32,
    height: i32,
    s: CUstream,
) -> Result<(), CUresult> {
    launch_in(f, width, height, s)
}

/// One cooperative launch per device, each in a stream of its own.
pub(crate) fn launch_multi_device(
    list: Out<CUDA_LAUNCH_PARAMS>,
    count: u32,
    flags: u32,
) -> Result<(), CUresult> {
    const KNOWN: u32 = 3;
    if count == 0 || flags & !KNOWN != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let launches = list.get_all(count as usize)?;
    let mut devices = Vec::new();
    let first = launches.first().copied().ok_or(CUresult::INVALID_VALUE)?;
    for p in &launches {
        let ordinal = stream::find(p.hStream)?.live.space.ordinal;
        let alike = (p.gridDimX, p.gridDimY, p.gridDimZ, p.sharedMemBytes)
            == (
                first.gridDimX,
                first.gridDimY,
                first.gridDimZ,
                first.sharedMemBytes,
            )
            && (p.blockDimX, p.blockDimY, p.blockDimZ)
                == (first.blockDimX, first.blockDimY, first.blockDimZ);
        // Neither stream that has no handle of its own.
        let named = p.hStream.0 > 2;
        if !named || devices.contains(&ordinal) || !alike {
            return Err(CUresult::INVALID_VALUE);
        }
        devices.push(ordinal);
    }
    for p in launches {
        launch_cooperative_kernel(
            p.function,
            p.gridDimX,
            p.gridDimY,
            p.gridDimZ,
            p.blockDimX,
            p.blockDimY,
            p.blockDimZ,
            p.sharedMemBytes,
            p.hStream,
            p.kernelParams,
        )?;
    }
    Ok(())
}
