//! Functions: attributes, parameters, launches.

use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cuda_abi::driver::{
    CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, CUfunc_cache, CUfunction,
    CUfunction_attribute, CUfunctionLoadingState, CUlaunchAttributeID, CUlaunchConfig, CUmodule,
    CUresult, CUsharedconfig, CUstream, In, Out,
};

use super::library::c_name;
use crate::core::context::{self, CONTEXTS};
use crate::core::graph::capture;
use crate::core::graph::op::Op;
use crate::core::image::Kernel;
use crate::core::launch::{self, Config};
use crate::core::module::{Function, is_eager, resolve};
use crate::core::stream;
use crate::core::tier::Start;
use crate::ffi::{Read, Write};

pub(crate) fn get_attribute(
    out: Out<i32>,
    attribute: CUfunction_attribute,
    f: CUfunction,
) -> Result<(), CUresult> {
    use CUfunction_attribute as A;
    let out = out.required()?;
    let function = resolve(f)?;
    let info = function.info();
    let device = CONTEXTS
        .get(function.loaded.context)?
        .live_and_well()?
        .device
        .clone();
    let signed = |value: u32| i32::try_from(value).unwrap_or(i32::MAX);
    let compiled = function.any_variant();
    let [x, y, z] = function.cluster();
    out.set(match attribute {
        A::MAX_THREADS_PER_BLOCK => signed(info.max_threads),
        A::SHARED_SIZE_BYTES => signed(info.shared_bytes),
        A::CONST_SIZE_BYTES => {
            let constant = function
                .loaded
                .image
                .variables
                .iter()
                .filter(|v| v.constant)
                .map(|v| v.size)
                .sum::<u64>();
            i32::try_from(constant).unwrap_or(i32::MAX)
        }
        A::LOCAL_SIZE_BYTES => signed(compiled.map_or(info.local_bytes, |v| v.local_bytes)),
        A::NUM_REGS => signed(compiled.map_or(info.registers, |v| v.registers)),
        A::PTX_VERSION => signed(info.ptx_version),
        A::BINARY_VERSION => signed(device.cc()),
        A::CACHE_MODE_CA => 0,
        A::MAX_DYNAMIC_SHARED_SIZE_BYTES => signed(function.max_dynamic_shared(device.limits())),
        A::PREFERRED_SHARED_MEMORY_CARVEOUT => function.carveout.load(Ordering::Relaxed),
        A::CLUSTER_SIZE_MUST_BE_SET => i32::from(info.explicit_cluster && info.cluster == [0; 3]),
        A::REQUIRED_CLUSTER_WIDTH => signed(x),
        A::REQUIRED_CLUSTER_HEIGHT => signed(y),
        A::REQUIRED_CLUSTER_DEPTH => signed(z),
        A::NON_PORTABLE_CLUSTER_SIZE_ALLOWED => {
            function.non_portable_cluster.load(Ordering::Relaxed)
        }
        A::CLUSTER_SCHEDULING_POLICY_PREFERENCE => 0,
        other if other.0 >= A::MAX.0 => 0,
        _ => return Err(CUresult::INVALID_VALUE),
    })
}

pub(crate) fn set_attribute(
    f: CUfunction,
    attribute: CUfunction_attribute,
    value: i32,
) -> Result<(), CUresult> {
    use CUfunction_attribute as A;
    let function = resolve(f)?;
    let device = CONTEXTS
        .get(function.loaded.context)?
        .live_and_well()?
        .device
        .clone();
    let unsigned = u32::try_from(value).map_err(|_| CUresult::INVALID_VALUE);
    let cluster = |axis: usize, value| function.cluster[axis].store(value, Ordering::Relaxed);
    match attribute {
        A::MAX_DYNAMIC_SHARED_SIZE_BYTES => {
            let wanted = unsigned?;
            let most = device
                .limits()
                .shared_optin
                .saturating_sub(function.info().shared_bytes);
            if wanted > most {
                return Err(CUresult::INVALID_VALUE);
            }
            function.max_dynamic_shared.store(wanted, Ordering::Relaxed);
        }
        A::PREFERRED_SHARED_MEMORY_CARVEOUT if (-1..=100).contains(&value) => {
            function.carveout.store(value, Ordering::Relaxed);
        }
        A::REQUIRED_CLUSTER_WIDTH => cluster(0, unsigned?),
        A::REQUIRED_CLUSTER_HEIGHT => cluster(1, unsigned?),
        A::REQUIRED_CLUSTER_DEPTH => cluster(2, unsigned?),
        A::NON_PORTABLE_CLUSTER_SIZE_ALLOWED => function
            .non_portable_cluster
            .store(value, Ordering::Relaxed),
        A::CLUSTER_SCHEDULING_POLICY_PREFERENCE if (0..=2).contains(&value) => {}
        _ => return Err(CUresult::INVALID_VALUE),
    }
    Ok(())
}

pub(crate) fn set_cache_config(f: CUfunction, config: CUfunc_cache) -> Result<(), CUresult> {
    resolve(f)?;
    if (0..=3).contains(&config.0) {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

pub(crate) fn set_shared_mem_config(f: CUfunction, config: CUsharedconfig) -> Result<(), CUresult> {
    resolve(f)?;
    if (0..=2).contains(&config.0) {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

pub(crate) fn get_module(out: Out<CUmodule>, f: CUfunction) -> Result<(), CUresult> {
    let out = out.required()?;
    let handle = resolve(f)?
        .loaded
        .handle
        .get()
        .copied()
        .ok_or(CUresult::INVALID_HANDLE)?;
    out.set(CUmodule(handle))
}

pub(crate) fn get_name(out: Out<In<c_char>>, f: CUfunction) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(c_name(&resolve(f)?.info().name)?)
}

/// An index behind the last parameter is 1.
pub(crate) fn param_info(
    kernel: &Kernel,
    index: usize,
    offset: Out<usize>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    let offset = offset.required()?;
    let (at, bytes) = kernel
        .params
        .get(index)
        .copied()
        .ok_or(CUresult::INVALID_VALUE)?;
    offset.set(at as usize)?;
    size.set_opt(bytes as usize);
    Ok(())
}

pub(crate) fn get_param_info(
    f: CUfunction,
    index: usize,
    offset: Out<usize>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    param_info(resolve(f)?.info(), index, offset, size)
}

pub(crate) fn is_loaded(out: Out<CUfunctionLoadingState>, f: CUfunction) -> Result<(), CUresult> {
    let out = out.required()?;
    let loaded = resolve(f)?.any_variant().is_some() || is_eager();
    out.set(if loaded {
        CUfunctionLoadingState::LOADED
    } else {
        CUfunctionLoadingState::UNLOADED
    })
}

/// Compiles the kernel for any block.
pub(crate) fn load(f: CUfunction) -> Result<(), CUresult> {
    let function = resolve(f)?;
    let live = CONTEXTS.get(function.loaded.context)?.live_and_well()?;
    function.variant(&live, [0; 3], Start::InTurn).map(drop)
}

/// Parameters as they lie in the parameter block: from an array of pointers, or from a buffer.
pub(crate) fn parameters(
    function: &Function,
    params: Out<Out<c_void>>,
    extra: Out<Out<c_void>>,
) -> Result<Vec<u8>, CUresult> {
    let info = function.info();
    if !params.is_null() {
        if !extra.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let mut block = vec![0; info.param_bytes as usize];
        for (index, (offset, size)) in info.params.iter().enumerate() {
            let from = Out::<u8>::new(params.at(index)?.addr());
            let bytes = from.get_all(*size as usize)?;
            let at = *offset as usize;
            block[at..at + bytes.len()].copy_from_slice(&bytes);
        }
        return Ok(block);
    }
    if extra.is_null() {
        return if info.params.is_empty() {
            Ok(Vec::new())
        } else {
            Err(CUresult::INVALID_VALUE)
        };
    }
    let (mut buffer, mut bytes) = (Out::<u8>::NULL, 0);
    let mut index = 0;
    loop {
        match extra.at(index)?.addr() {
            0 => break,
            CU_LAUNCH_PARAM_BUFFER_POINTER => buffer = Out::new(extra.at(index + 1)?.addr()),
            CU_LAUNCH_PARAM_BUFFER_SIZE => {
                bytes = Out::<usize>::new(extra.at(index + 1)?.addr()).get()?
            }
            _ => return Err(CUresult::INVALID_VALUE),
        }
        index += 2;
    }
    if bytes > info.param_bytes as usize {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut block = buffer.get_all(bytes)?;
    block.resize(info.param_bytes as usize, 0);
    Ok(block)
}

fn run(
    f: CUfunction,
    config: &Config,
    s: CUstream,
    params: Out<Out<c_void>>,
    extra: Out<Out<c_void>>,
) -> Result<(), CUresult> {
    let target = stream::resolve(s)?;
    let function: Arc<Function> = resolve(f)?;
    let block = parameters(&function, params, extra)?;
    let captured = capture::add(&target, || {
        launch::check(&target.live, &function, config)?;
        Ok(Op::Kernel(super::graph_node::kernel(
            f,
            &function,
            *config,
            block.clone(),
        )?))
    })?;
    if captured {
        return Ok(());
    }
    launch::launch(&target, &function, config, &block)
}

#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn launch_kernel(
    f: CUfunction,
    gx: u32,
    gy: u32,
    gz: u32,
    bx: u32,
    by: u32,
    bz: u32,
    shared: u32,
    s: CUstream,
    params: Out<Out<c_void>>,
    extra: Out<Out<c_void>>,
) -> Result<(), CUresult> {
    let config = Config {
        grid: [gx, gy, gz],
        block: [bx, by, bz],
        shared,
        cluster: [0; 3],
        cooperative: false,
    };
    run(f, &config, s, params, extra)
}

#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn launch_cooperative_kernel(
    f: CUfunction,
    gx: u32,
    gy: u32,
    gz: u32,
    bx: u32,
    by: u32,
    bz: u32,
    shared: u32,
    s: CUstream,
    params: Out<Out<c_void>>,
) -> Result<(), CUresult> {
    let config = Config {
        grid: [gx, gy, gz],
        block: [bx, by, bz],
        shared,
        cluster: [0; 3],
        cooperative: true,
    };
    run(f, &config, s, params, Out::NULL)
}

/// A `CUlaunchConfig` and its attributes. Hints are accepted; what would change the meaning and is not there is refused.
pub(crate) fn read_config(config: &CUlaunchConfig) -> Result<Config, CUresult> {
    use CUlaunchAttributeID as A;
    let mut read = Config {
        grid: [config.gridDimX, config.gridDimY, config.gridDimZ],
        block: [config.blockDimX, config.blockDimY, config.blockDimZ],
        shared: config.sharedMemBytes,
        cluster: [0; 3],
        cooperative: false,
    };
    for index in 0..config.numAttrs as usize {
        let attribute = config.attrs.at(index)?;
        let words = attribute.value.words.map(u64::to_le_bytes).concat();
        let word = |i: usize| {
            u32::from_le_bytes([
                words[i * 4],
                words[i * 4 + 1],
                words[i * 4 + 2],
                words[i * 4 + 3],
            ])
        };
        match attribute.id {
            A::CLUSTER_DIMENSION => read.cluster = [word(0), word(1), word(2)],
            A::COOPERATIVE => read.cooperative = word(0) != 0,
            A::IGNORE
            | A::ACCESS_POLICY_WINDOW
            | A::SYNCHRONIZATION_POLICY
            | A::CLUSTER_SCHEDULING_POLICY_PREFERENCE
            | A::PROGRAMMATIC_STREAM_SERIALIZATION
            | A::PRIORITY
            | A::MEM_SYNC_DOMAIN_MAP
            | A::MEM_SYNC_DOMAIN
            | A::PREFERRED_CLUSTER_DIMENSION
            | A::PREFERRED_SHARED_MEMORY_CARVEOUT => {}
            other if (0..=32).contains(&other.0) => return Err(CUresult::NOT_SUPPORTED),
            _ => return Err(CUresult::INVALID_VALUE),
        }
    }
    Ok(read)
}

pub(crate) fn launch_kernel_ex(
    config: In<CUlaunchConfig>,
    f: CUfunction,
    params: Out<Out<c_void>>,
    extra: Out<Out<c_void>>,
) -> Result<(), CUresult> {
    let config = config.get()?;
    run(f, &read_config(&config)?, config.hStream, params, extra)
}

/// The device of the current context, for occupancy.
pub(crate) fn current_device() -> Result<Arc<crate::core::device::Device>, CUresult> {
    Ok(context::current()?.device.clone())
}
