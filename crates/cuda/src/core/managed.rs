//! Managed memory: prefetching and advice.

use std::collections::BTreeMap;
use std::sync::Mutex;

use abi::nv::uvm as command;
use abi::nv::uvm_params::*;
use cuda_abi::driver::CUresult;
use zerocopy::FromZeros;

use super::host_function;
use super::memory::Kind;
use super::platform::{self, Platform};
use super::rm::check;
use super::stream::Target;

/// UVM's name of the CPU (uvm_types.h).
const CPU_UUID: [u8; 16] = [
    0xa6, 0x5e, 0x0f, 0x4e, 0xd7, 0xd4, 0x7b, 0xa2, 0x50, 0x47, 0x41, 0x2c, 0x14, 0x2a, 0x77, 0x73,
];

/// A processor that memory can be near to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Location {
    /// The CPU.
    Host,
    /// A device.
    Device(usize),
}

impl Location {
    fn uuid(self, platform: &Platform) -> Result<[u8; 16], CUresult> {
        match self {
            Self::Host => Ok(CPU_UUID),
            Self::Device(ordinal) => platform
                .devices
                .get(ordinal)
                .map(|d| d.uuid)
                .ok_or(CUresult::INVALID_DEVICE),
        }
    }
}

/// What was said of a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Advice {
    /// Read-mostly.
    pub read_mostly: bool,
    /// Preferred location.
    pub preferred: Option<Location>,
    /// Accessed by.
    pub accessed_by: Vec<Location>,
    /// Destination of the last prefetch.
    pub last_prefetch: Option<Location>,
}

/// Advice to take or take back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Read-mostly or no longer.
    ReadMostly(bool),
    /// Preferred location, or none.
    Preferred(Option<Location>),
    /// Accessed by.
    AccessedBy(Location),
    /// No longer.
    NotAccessedBy(Location),
}

/// Advice by allocation; kept per allocation, as programs give it.
static ADVICE: Mutex<BTreeMap<u64, Advice>> = Mutex::new(BTreeMap::new());

fn with<R>(allocation: u64, body: impl FnOnce(&mut Advice) -> R) -> R {
    let mut advice = ADVICE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    body(advice.entry(allocation).or_default())
}

/// The allocation that holds a managed range.
///
/// # Errors
/// 1 when the range is not managed, or reaches beyond.
fn range(address: u64, bytes: u64) -> Result<u64, CUresult> {
    let allocation = platform::get()?
        .memory
        .find(address)
        .filter(|a| a.kind == Kind::Managed);
    let allocation = allocation.ok_or(CUresult::INVALID_VALUE)?;
    let inside = bytes != 0
        && address
            .checked_add(bytes)
            .is_some_and(|end| end <= allocation.end());
    if inside {
        Ok(allocation.id)
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

/// Whole pages of a range.
fn pages(address: u64, bytes: u64) -> (u64, u64) {
    const PAGE: u64 = 4096;
    let base = address / PAGE * PAGE;
    (base, (address + bytes).next_multiple_of(PAGE) - base)
}

/// Moves a range to a processor in stream order.
///
/// # Errors
/// As [`range`]; 101 for a device that there is not; those of [`host_function::in_order`].
pub(crate) fn prefetch(
    target: &Target,
    address: u64,
    bytes: u64,
    to: Location,
) -> Result<(), CUresult> {
    let id = range(address, bytes)?;
    let destination = to.uuid(platform::get()?)?;
    host_function::in_order(target, move || migrate(address, bytes, destination))?;
    with(id, |advice| advice.last_prefetch = Some(to));
    Ok(())
}

fn migrate(address: u64, bytes: u64, destination: [u8; 16]) -> Result<(), CUresult> {
    let platform = platform::get()?;
    let (base, length) = pages(address, bytes);
    let mut params = UVM_MIGRATE_PARAMS {
        base,
        length,
        destinationUuid: destination,
        cpuNumaNode: -1,
        ..FromZeros::new_zeroed()
    };
    platform.uvm.command(
        "UVM_MIGRATE",
        &platform.client,
        command::UVM_MIGRATE,
        &mut params,
    )?;
    check("UVM_MIGRATE", params.rmStatus)?;
    Ok(())
}

/// What a range holds is not needed any more once the stream comes here: whole pages in it may be lost.
///
/// # Errors
/// As [`range`]; those of [`host_function::in_order`].
pub(crate) fn discard(target: &Target, address: u64, bytes: u64) -> Result<(), CUresult> {
    range(address, bytes)?;
    host_function::in_order(target, move || forget(address, bytes))
}

fn forget(address: u64, bytes: u64) -> Result<(), CUresult> {
    const PAGE: u64 = 4096;
    let base = address.next_multiple_of(PAGE);
    let end = (address + bytes) / PAGE * PAGE;
    if base >= end {
        return Ok(());
    }
    let platform = platform::get()?;
    let mut params = UVM_DISCARD_PARAMS {
        base,
        length: end - base,
        ..FromZeros::new_zeroed()
    };
    platform.uvm.command(
        "UVM_DISCARD",
        &platform.client,
        command::UVM_DISCARD,
        &mut params,
    )?;
    check("UVM_DISCARD", params.rmStatus)?;
    Ok(())
}

/// Takes advice.
pub(crate) fn advise(address: u64, bytes: u64, change: Change) -> Result<(), CUresult> {
    let id = range(address, bytes)?;
    let platform = platform::get()?;
    let (base, length) = pages(address, bytes);
    let (uvm, client) = (&platform.uvm, &platform.client);
    match change {
        Change::ReadMostly(true) => {
            let mut p = UVM_ENABLE_READ_DUPLICATION_PARAMS {
                requestedBase: base,
                length,
                ..FromZeros::new_zeroed()
            };
            let what = "UVM_ENABLE_READ_DUPLICATION";
            uvm.command(what, client, command::UVM_ENABLE_READ_DUPLICATION, &mut p)?;
            check(what, p.rmStatus)?;
        }
        Change::ReadMostly(false) => {
            let mut p = UVM_DISABLE_READ_DUPLICATION_PARAMS {
                requestedBase: base,
                length,
                ..FromZeros::new_zeroed()
            };
            let what = "UVM_DISABLE_READ_DUPLICATION";
            uvm.command(what, client, command::UVM_DISABLE_READ_DUPLICATION, &mut p)?;
            check(what, p.rmStatus)?;
        }
        Change::Preferred(Some(location)) => {
            let mut p = UVM_SET_PREFERRED_LOCATION_PARAMS {
                requestedBase: base,
                length,
                preferredLocation: location.uuid(platform)?,
                preferredCpuNumaNode: -1,
                rmStatus: 0,
            };
            let what = "UVM_SET_PREFERRED_LOCATION";
            uvm.command(what, client, command::UVM_SET_PREFERRED_LOCATION, &mut p)?;
            check(what, p.rmStatus)?;
        }
        Change::Preferred(None) => {
            let mut p = UVM_UNSET_PREFERRED_LOCATION_PARAMS {
                requestedBase: base,
                length,
                ..FromZeros::new_zeroed()
            };
            let what = "UVM_UNSET_PREFERRED_LOCATION";
            uvm.command(what, client, command::UVM_UNSET_PREFERRED_LOCATION, &mut p)?;
            check(what, p.rmStatus)?;
        }
        Change::AccessedBy(location) => {
            let accessed_by = location.uuid(platform)?;
            let mut p = UVM_SET_ACCESSED_BY_PARAMS {
                requestedBase: base,
                length,
                accessedByUuid: accessed_by,
                ..FromZeros::new_zeroed()
            };
            let what = "UVM_SET_ACCESSED_BY";
            uvm.command(what, client, command::UVM_SET_ACCESSED_BY, &mut p)?;
            check(what, p.rmStatus)?;
        }
        Change::NotAccessedBy(location) => {
            let accessed_by = location.uuid(platform)?;
            let mut p = UVM_UNSET_ACCESSED_BY_PARAMS {
                requestedBase: base,
                length,
                accessedByUuid: accessed_by,
                ..FromZeros::new_zeroed()
            };
            let what = "UVM_UNSET_ACCESSED_BY";
            uvm.command(what, client, command::UVM_UNSET_ACCESSED_BY, &mut p)?;
            check(what, p.rmStatus)?;
        }
    }
    with(id, |advice| match change {
        Change::ReadMostly(on) => advice.read_mostly = on,
        Change::Preferred(location) => advice.preferred = location,
        Change::AccessedBy(location) => {
            if !advice.accessed_by.contains(&location) {
                advice.accessed_by.push(location);
                advice.accessed_by.sort();
            }
        }
        Change::NotAccessedBy(location) => advice.accessed_by.retain(|l| *l != location),
    });
    Ok(())
}

/// What was said of a range.
pub(crate) fn advice(address: u64, bytes: u64) -> Result<Advice, CUresult> {
    let id = range(address, bytes)?;
    Ok(with(id, |advice| advice.clone()))
}
