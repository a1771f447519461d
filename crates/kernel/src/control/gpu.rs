//! Controls about GPUs: ids, names, classes, processes, time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use abi::nv::control_params::{
    NV0000_CTRL_GPU_GET_ID_INFO_PARAMS, NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS,
    NV0000_CTRL_GPU_GET_PCI_INFO_PARAMS, NV0000_CTRL_GPU_GET_UUID_FROM_GPU_ID_PARAMS,
    NV2080_CTRL_GPU_GET_GID_INFO_PARAMS, NV2080_CTRL_GSP_GET_FEATURES_PARAMS,
    NV2080_CTRL_MC_GET_ARCH_INFO_PARAMS,
};

use super::Control;
use crate::gpu::Gpu;
use crate::memory::Place;
use crate::object::Body;
use crate::params::{load, put, put_str, put_u32, put_u64, store, u32_at, u64_at};
use crate::status::{RmResult, Status};

/// "No GPU" in id lists.
const INVALID_ID: u32 = u32::MAX;
/// GPUs in id lists.
const LIST: usize = 32;

/// Answers (index, data) pairs that follow a count.
pub(super) fn each_pair(params: &mut [u8], value: impl Fn(u32) -> RmResult<u32>) -> RmResult {
    let count = usize::try_from(u32_at(params, 0)).map_err(|_| Status::INVALID_ARGUMENT)?;
    let pairs = params.get_mut(4..).ok_or(Status::INVALID_PARAM_STRUCT)?;
    if count > pairs.len() / 8 {
        return Err(Status::INVALID_ARGUMENT);
    }
    for pair in pairs.chunks_exact_mut(8).take(count) {
        let data = value(u32_at(pair, 0))?;
        put_u32(pair, 4, data);
    }
    Ok(())
}

fn put_ids(call: &Control<'_>, list: &mut [u8]) {
    for (slot, bytes) in list.chunks_exact_mut(4).take(LIST).enumerate() {
        let id = call.kernel.gpus.get(slot).map_or(INVALID_ID, |g| g.id());
        bytes.copy_from_slice(&id.to_le_bytes());
    }
}

/// GPU_GET_ATTACHED_IDS.
pub(super) fn attached_ids(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    put_ids(call, params);
    Ok(())
}

/// GPU_GET_PROBED_IDS: ids, then excluded ids (none), then flags since 580.
pub(super) fn probed_ids(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    params.fill(0);
    put_ids(call, params);
    if let Some(excluded) = params.get_mut(LIST * 4..LIST * 8) {
        excluded.fill(0xff);
    }
    Ok(())
}

/// `NV0000_CTRL_GPU_ATTACH_ALL_PROBED_IDS`.
const ALL_PROBED: u32 = 0xffff;

/// GPU_ATTACH_IDS: unknown ids fail.
pub(super) fn attach_ids(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    for slot in 0..LIST {
        let id = u32_at(params, slot * 4);
        if id == INVALID_ID || (slot == 0 && id == ALL_PROBED) {
            break;
        }
        if call.kernel.gpu_by_id(id).is_none() {
            put_u32(params, LIST * 4, id);
            return Err(Status::INVALID_ARGUMENT);
        }
    }
    put_u32(params, LIST * 4, INVALID_ID);
    Ok(())
}

fn by_id<'a>(call: &'a Control<'_>, id: u32) -> RmResult<&'a Arc<Gpu>> {
    call.kernel.gpu_by_id(id).ok_or(Status::INVALID_ARGUMENT)
}

/// GPU_GET_ID_INFO.
pub(super) fn id_info(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let mut info: NV0000_CTRL_GPU_GET_ID_INFO_PARAMS = load(params);
    let gpu = Arc::clone(by_id(call, info.gpuId)?);
    if info.szName != 0 {
        let mut name = gpu.profile.name.clone().into_bytes();
        name.push(0);
        call.user
            .write(info.szName, &name)
            .map_err(|_| Status::INVALID_ADDRESS)?;
    }
    info.gpuFlags = 0;
    info.deviceInstance = gpu.index;
    info.subDeviceInstance = 0;
    info.sliStatus = 0;
    info.boardId = gpu.id();
    info.gpuInstance = gpu.index;
    info.numaId = -1;
    store(params, &info);
    Ok(())
}

/// GPU_GET_ID_INFO_V2.
pub(super) fn id_info_v2(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let wanted: NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS = load(params);
    let gpu = by_id(call, wanted.gpuId)?;
    let info = NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS {
        gpuId: wanted.gpuId,
        gpuFlags: 0,
        deviceInstance: gpu.index,
        subDeviceInstance: 0,
        sliStatus: 0,
        boardId: gpu.id(),
        gpuInstance: gpu.index,
        numaId: -1,
    };
    store(params, &info);
    Ok(())
}

/// GPU_GET_PCI_INFO.
pub(super) fn pci_info(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let wanted: NV0000_CTRL_GPU_GET_PCI_INFO_PARAMS = load(params);
    let gpu = by_id(call, wanted.gpuId)?;
    let info = NV0000_CTRL_GPU_GET_PCI_INFO_PARAMS {
        gpuId: wanted.gpuId,
        domain: 0,
        bus: u16::from(gpu.bus),
        slot: 0,
    };
    store(params, &info);
    Ok(())
}

/// Flags of GID controls: bit 1 asks for the 16 raw bytes.
const BINARY: u32 = 2;

/// GPU_GET_UUID_FROM_GPU_ID.
pub(super) fn uuid_from_id(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let mut info: NV0000_CTRL_GPU_GET_UUID_FROM_GPU_ID_PARAMS = load(params);
    let gpu = Arc::clone(by_id(call, info.gpuId)?);
    info.uuidStrLen = put_uuid(&mut info.gpuUuid, &gpu, info.flags & BINARY != 0);
    store(params, &info);
    Ok(())
}

fn put_uuid(field: &mut [u8], gpu: &Gpu, binary: bool) -> u32 {
    field.fill(0);
    if binary {
        put(field, 0, &gpu.uuid);
        16
    } else {
        let text = gpu.uuid_text();
        put_str(field, &text);
        u32::try_from(text.len() + 1).unwrap_or(0)
    }
}

/// GPU_GET_GID_INFO.
pub(super) fn gid(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let mut info: NV2080_CTRL_GPU_GET_GID_INFO_PARAMS = load(params);
    info.length = put_uuid(&mut info.data, call.gpu()?, info.flags & BINARY != 0);
    store(params, &info);
    Ok(())
}

/// GPU_QUERY_DRAIN_STATE: not draining.
pub(super) fn drain_state(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    by_id(call, u32_at(params, 0))?;
    put_u32(params, 4, 0);
    put_u32(params, 8, 0);
    Ok(())
}

/// GPUACCT_GET_ACCOUNTING_STATE: 0 where processes are accounted for (`NV0000_CTRL_GPU_ACCOUNTING_STATE_ENABLED`).
pub(super) fn accounting_state(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let on = by_id(call, u32_at(params, 0))?.accounts().is_on();
    put_u32(params, 8, u32::from(!on));
    Ok(())
}

/// GPU_GET_CLASSLIST: count alone, or the list through a pointer.
pub(super) fn class_list(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let classes = call.gpu()?.profile.classes();
    let count = u32::try_from(classes.len()).unwrap_or(0);
    let pointer = u64_at(params, 8);
    if pointer != 0 {
        if u32_at(params, 0) < count {
            return Err(Status::BUFFER_TOO_SMALL);
        }
        let bytes: Vec<u8> = classes.iter().flat_map(|c| c.to_le_bytes()).collect();
        call.user
            .write(pointer, &bytes)
            .map_err(|_| Status::INVALID_ADDRESS)?;
    }
    put_u32(params, 0, count);
    Ok(())
}

/// GPU_GET_CLASSLIST_V2: the list in the struct.
pub(super) fn class_list_v2(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let classes = call.gpu()?.profile.classes();
    let room = params.len() / 4 - 1;
    params.fill(0);
    let count = classes.len().min(room);
    put_u32(params, 0, u32::try_from(count).unwrap_or(0));
    for (slot, class) in classes.iter().take(count).enumerate() {
        put_u32(params, 4 + slot * 4, *class);
    }
    Ok(())
}

/// GPU_GET_NUM_SUBDEVICES.
pub(super) fn subdevices(_: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    put_u32(params, 0, 1);
    Ok(())
}

/// Persistence: 0 enabled, 1 disabled.
pub(super) fn persistence(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    put_u32(
        params,
        0,
        u32::from(!call.gpu()?.persistence.load(Ordering::Relaxed)),
    );
    Ok(())
}

/// Sets persistence.
pub(super) fn set_persistence(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    call.gpu()?
        .persistence
        .store(u32_at(params, 0) == 0, Ordering::Relaxed);
    Ok(())
}

/// GPU_GET_INFO_V2. Index 0x2a: MIG is not supported here (0); the SM version at 0x2c; all else is "no".
pub(super) fn info_v2(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = Arc::clone(call.gpu()?);
    each_pair(params, |index| {
        Ok(match index {
            0x2c => gpu.profile.sm_version,
            _ => 0,
        })
    })
}

/// GPU_GET_NAME_STRING: ASCII, or UTF-16 with flag 1.
pub(super) fn name(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let name = call.gpu()?.profile.name.clone();
    let unicode = u32_at(params, 0) & 1 != 0;
    let field = params.get_mut(4..).ok_or(Status::INVALID_PARAM_STRUCT)?;
    field.fill(0);
    if unicode {
        let room = (field.len() / 2).saturating_sub(1);
        for (slot, unit) in field
            .chunks_exact_mut(2)
            .zip(name.encode_utf16().take(room))
        {
            slot.copy_from_slice(&unit.to_le_bytes());
        }
    } else {
        let room = field.len().min(64);
        put_str(&mut field[..room], &name);
    }
    Ok(())
}

/// GPU_GET_SHORT_NAME_STRING.
pub(super) fn short_name(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let name = call.gpu()?.profile.short_name.clone();
    put_str(params, &name);
    Ok(())
}

/// GPU_QUERY_COMPUTE_MODE_RULES.
pub(super) fn compute_mode(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    put_u32(params, 0, call.gpu()?.compute_mode.load(Ordering::Relaxed));
    Ok(())
}

/// Last compute mode rule.
const MAX_MODE: u32 = 3;

/// GPU_SET_COMPUTE_MODE_RULES.
pub(super) fn set_compute_mode(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let rules = u32_at(params, 0);
    if rules > MAX_MODE {
        return Err(Status::INVALID_ARGUMENT);
    }
    call.gpu()?.compute_mode.store(rules, Ordering::Relaxed);
    Ok(())
}

/// GPU_GET_OEM_BOARD_INFO: build date, marketing name, serial number, memory maker, memory date, product family.
pub(super) fn board_info(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let serial = u64::from_le_bytes(
        call.gpu()?.uuid[..8]
            .try_into()
            .map_err(|_| Status::INVALID_STATE)?,
    ) % 10_000_000_000_000;
    params.fill(0);
    // {buildDate u32, marketingName[24], serialNumber[16], ...}
    if let Some(field) = params.get_mut(28..44) {
        put_str(field, &format!("{serial:013}"));
    }
    Ok(())
}

/// GPU_GET_ID.
pub(super) fn id(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    put_u32(params, 0, call.gpu()?.id());
    Ok(())
}

/// Engine type of copy engine `i`: 9 to 18, then from 0x34.
fn copy_engine(i: u32) -> u32 {
    if i < 10 { 9 + i } else { 0x34 + i - 10 }
}

/// GPU_GET_ENGINES_V2: GR0, the copy engines, software.
pub(super) fn engines(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let mut list = vec![1];
    list.extend((0..call.gpu()?.profile.copy_engines).map(copy_engine));
    let room = params.len() / 4 - 1;
    params.fill(0);
    let count = list.len().min(room);
    put_u32(params, 0, u32::try_from(count).unwrap_or(0));
    for (slot, engine) in list.iter().take(count).enumerate() {
        put_u32(params, 4 + slot * 4, *engine);
    }
    Ok(())
}

/// Bytes of video memory by process, of those that have a context on the GPU.
fn usage(call: &Control<'_>, gpu: &Gpu) -> BTreeMap<u32, u64> {
    let mut by_pid: BTreeMap<u32, (bool, u64)> = BTreeMap::new();
    let tree = call.kernel.tree();
    for client in tree.clients() {
        for object in client.objects() {
            if object.gpu.as_ref().is_none_or(|g| g.index != gpu.index) {
                continue;
            }
            let entry = by_pid.entry(client.owner.pid).or_default();
            match &object.body {
                Body::Channel(_) | Body::VaSpace(_) => entry.0 = true,
                Body::Memory(memory) if memory.place() == Place::Video => {
                    entry.1 += memory.charged()
                }
                _ => {}
            }
        }
    }
    drop(tree);
    for file in call.kernel.file_list() {
        if let Some(uvm) = &file.uvm
            && let Some(entry) = by_pid.get_mut(&file.owner.pid)
        {
            entry.1 += uvm.resident_on(gpu.index);
        }
    }
    by_pid
        .into_iter()
        .filter(|(_, (context, _))| *context)
        .map(|(pid, (_, bytes))| (pid, bytes))
        .collect()
}

/// Most pids in GET_PIDS.
const MAX_PIDS: usize = 950;

/// GPU_GET_PIDS: {idType, id (a class), count, pids}. Only compute classes have processes.
pub(super) fn pids(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = Arc::clone(call.gpu()?);
    let (id_type, id) = (u32_at(params, 0), u32_at(params, 4));
    let compute = id_type != 0 || crate::profile::Profile::has(&gpu.profile.compute_classes, id);
    let pids: Vec<u32> = if compute {
        usage(call, &gpu).into_keys().take(MAX_PIDS).collect()
    } else {
        Vec::new()
    };
    put_u32(params, 8, u32::try_from(pids.len()).unwrap_or(0));
    for (slot, pid) in pids.iter().enumerate() {
        put_u32(params, 12 + slot * 4, *pid);
    }
    Ok(())
}

/// Entries of GET_PID_INFO and their size.
const MAX_PID_INFO: usize = 200;
const PID_INFO: usize = 72;

/// GPU_GET_PID_INFO: video memory of processes. {count, pad, entries {pid, index, result, pad, usage 48, smc 8}}.
pub(super) fn pid_info(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = Arc::clone(call.gpu()?);
    let usage = usage(call, &gpu);
    let count = usize::try_from(u32_at(params, 0)).map_err(|_| Status::INVALID_ARGUMENT)?;
    if count > MAX_PID_INFO {
        return Err(Status::INVALID_ARGUMENT);
    }
    for slot in 0..count {
        let at = 8 + slot * PID_INFO;
        let bytes = usage.get(&u32_at(params, at)).copied();
        put_u32(
            params,
            at + 8,
            if bytes.is_some() {
                0
            } else {
                Status::OBJECT_NOT_FOUND.0
            },
        );
        put(params, at + 16, &[0; 48]);
        put_u64(params, at + 16, bytes.unwrap_or(0));
        put_u32(params, at + 64, INVALID_ID);
        put_u32(params, at + 68, INVALID_ID);
    }
    Ok(())
}

fn now_ns() -> u64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}

/// TIMER_GET_TIME.
pub(super) fn timer(_: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    put_u64(params, 0, now_ns());
    Ok(())
}

/// TIMER_GET_GPU_CPU_TIME_CORRELATION_INFO: CPU time in the unit of the clock asked for, GPU time in nanoseconds.
pub(super) fn time_correlation(_: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let samples = usize::from(params.get(1).copied().unwrap_or(0));
    if samples > 16 {
        return Err(Status::INVALID_ARGUMENT);
    }
    for slot in 0..samples {
        let now = now_ns();
        put_u64(params, 8 + slot * 16, now / 1000);
        put_u64(params, 16 + slot * 16, now);
    }
    Ok(())
}

/// BIOS_GET_INFO: pairs through a pointer. Index 1 is the revision, 2 the OEM revision.
pub(super) fn bios_info(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let text = call.gpu()?.profile.vbios.clone();
    let parts: Vec<u32> = text
        .split('.')
        .filter_map(|p| u32::from_str_radix(p, 16).ok())
        .collect();
    let revision = parts
        .iter()
        .take(4)
        .fold(0, |sum, part| sum << 8 | part & 0xff);
    let oem = parts.get(4).copied().unwrap_or(0);
    super::fb::pairs_by_pointer(call, params, 32, |index| {
        Ok(match index {
            0 => revision,
            1 => oem,
            _ => 0,
        })
    })
}

/// MC_GET_ARCH_INFO.
pub(super) fn arch(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let profile = &call.gpu()?.profile;
    let info = NV2080_CTRL_MC_GET_ARCH_INFO_PARAMS {
        architecture: profile.architecture,
        implementation: profile.implementation,
        revision: profile.revision,
        ..Default::default()
    };
    store(params, &info);
    Ok(())
}

/// CE_GET_ALL_CAPS: which copy engines are present.
pub(super) fn copy_caps(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let engines = call.gpu()?.profile.copy_engines;
    params.fill(0);
    // {caps[n][2], present u64}
    let at = params.len() - 8;
    if params.len() > 72 {
        put_u64(params, at, (1 << engines) - 1);
    } else {
        put_u32(params, params.len() - 4, (1 << engines) - 1);
    }
    Ok(())
}

/// GSP_GET_FEATURES.
pub(super) fn gsp_features(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let mut info = NV2080_CTRL_GSP_GET_FEATURES_PARAMS {
        bValid: 1,
        bDefaultGspRmGpu: 1,
        ..Default::default()
    };
    put_str(
        &mut info.firmwareVersion,
        &call.kernel.config().version_text,
    );
    store(params, &info);
    Ok(())
}
