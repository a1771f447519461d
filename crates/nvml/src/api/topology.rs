//! How GPUs and CPUs hang together.

use std::ffi::c_ulong;

use super::Done;
use crate::Return;
use crate::core::session::Session;
use crate::ffi::{Opt, Out};
use crate::types::Device;

/// `NVML_TOPOLOGY_INTERNAL`: on one board.
const INTERNAL: u32 = 0;
/// `NVML_TOPOLOGY_SYSTEM`: nothing nearer is known.
const SYSTEM: u32 = 50;

/// The virtual bus has no bridges that anyone could name: two boards meet at the system.
fn level(session: &Session, one: Device, other: Device) -> Result<u32, Return> {
    let same = session.gpu(one)?.board_id == session.gpu(other)?.board_id;
    Ok(if same { INTERNAL } else { SYSTEM })
}

pub(crate) fn common_ancestor(
    session: &Session,
    one: Device,
    other: Device,
    path: Out<'_, u32>,
) -> Done {
    path.set(level(session, one, other)?)
}

pub(crate) fn nearest(
    session: &Session,
    device: Device,
    wanted: u32,
    count: Out<'_, u32>,
    devices: Opt<'_, Device>,
) -> Done {
    if wanted > SYSTEM || !wanted.is_multiple_of(10) {
        return Err(Return::InvalidArgument);
    }
    let mut near = Vec::new();
    for index in 0..session.gpus().len() {
        let other = Device::new(index);
        if other != device && level(session, device, other)? <= wanted {
            near.push(other);
        }
    }
    devices.put_list(count, &near)
}

/// Any two virtual GPUs reach each other's memory: by NVLink where both have links that are up, else by the bus.
/// `NVML_P2P_CAPS_INDEX_*`: read, write, NVLink, atomics (by NVLink only), PCI.
pub(crate) fn p2p_status(
    session: &Session,
    one: Device,
    other: Device,
    index: u32,
    status: Out<'_, u32>,
) -> Done {
    const CAPS: u32 = 5;
    const NVLINK: u32 = 2;
    const ATOMICS: u32 = 3;
    const OK: u32 = 0;
    const NOT_SUPPORTED: u32 = 5;
    if index >= CAPS {
        return Err(Return::InvalidArgument);
    }
    let mut linked = true;
    for device in [one, other] {
        let links = session.gpu(device)?.links(session.client());
        linked &= links.is_ok_and(|links| links.active > 0);
    }
    let has = match index {
        NVLINK | ATOMICS => linked,
        _ => true,
    };
    status.set(if one == other || has {
        OK
    } else {
        NOT_SUPPORTED
    })
}

pub(crate) fn same_board(
    session: &Session,
    one: Device,
    other: Device,
    same: Out<'_, i32>,
) -> Done {
    same.set(i32::from(level(session, one, other)? == INTERNAL))
}

/// CPUs of a list such as `0-3,8`.
fn parse_cpus(list: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        cpus.extend(first.parse::<usize>().ok()?..=last.parse().ok()?);
    }
    Some(cpus)
}

/// The GPU runs on whatever CPU is there: all that are online, or the NUMA node's if RM names one.
pub(crate) fn cpu_affinity(
    session: &Session,
    device: Device,
    words: u32,
    set: Out<'_, c_ulong>,
) -> Done {
    let words = usize::try_from(words).map_err(|_| Return::InvalidArgument)?;
    if words == 0 {
        return Err(Return::InvalidArgument);
    }
    let path = match session.gpu(device)?.numa {
        ..=-1 => "/sys/devices/system/cpu/online".to_owned(),
        node => format!("/sys/devices/system/node/node{node}/cpulist"),
    };
    let list = std::fs::read_to_string(path).map_err(|_| Return::NotSupported)?;
    let cpus = parse_cpus(&list).ok_or(Return::Unknown)?;
    let mut mask = vec![0; words];
    let bits = c_ulong::BITS as usize;
    for cpu in cpus {
        // CPUs past the caller's set are left out, as sched_getaffinity does.
        if let Some(word) = mask.get_mut(cpu / bits) {
            *word |= 1 << (cpu % bits);
        }
    }
    for (index, word) in mask.into_iter().enumerate() {
        set.at(index).set(word)?;
    }
    Ok(())
}

pub(crate) fn cpu_affinity_in_scope(
    session: &Session,
    device: Device,
    words: u32,
    set: Out<'_, c_ulong>,
    scope: u32,
) -> Done {
    if scope > 1 {
        return Err(Return::InvalidArgument);
    }
    cpu_affinity(session, device, words, set)
}

#[cfg(test)]
mod tests {
    use super::parse_cpus;

    #[test]
    fn cpu_lists_parse() {
        assert_eq!(parse_cpus("0-2,5\n"), Some(vec![0, 1, 2, 5]));
        assert_eq!(parse_cpus("7"), Some(vec![7]));
        assert_eq!(parse_cpus(""), None);
        assert_eq!(parse_cpus("a-b"), None);
    }
}
