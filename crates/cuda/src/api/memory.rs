//! Allocation of device, pinned and managed memory.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use cuda_abi::driver::{
    CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTREGISTER_IOMEMORY, CUdevice, CUdeviceptr,
    CUmemAttach_flags, CUresult, In, Out,
};

use crate::core::context::{self, Live};
use crate::core::graph;
use crate::core::heap::UNIT;
use crate::core::memory::{Allocation, Kind, Request, Room};
use crate::core::{platform, pool};
use crate::ffi::{Write, set_text, text};

pub(crate) fn alloc(out: Out<CUdeviceptr>, bytes: usize) -> Result<(), CUresult> {
    let out = out.required()?;
    let live = context::current()?;
    graph::capture::forbid_unsafe()?;
    out.set(live.hand_out(bytes as u64, UNIT, Kind::Device, 0)?.va)
}

/// Lines begin at multiples of 512 bytes.
pub(crate) fn alloc_pitch(
    out: Out<CUdeviceptr>,
    pitch: Out<usize>,
    width: usize,
    height: usize,
    element: u32,
) -> Result<(), CUresult> {
    let (out, pitch) = (out.required()?, pitch.required()?);
    let live = context::current()?;
    if width == 0 || height == 0 || !matches!(element, 4 | 8 | 16) {
        return Err(CUresult::INVALID_VALUE);
    }
    let line = (width as u64)
        .checked_next_multiple_of(UNIT)
        .ok_or(CUresult::INVALID_VALUE)?;
    let bytes = line
        .checked_mul(height as u64)
        .ok_or(CUresult::INVALID_VALUE)?;
    let allocation = live.hand_out(bytes, UNIT, Kind::Device, 0)?;
    out.set(allocation.va)?;
    pitch.set(usize::try_from(line).unwrap_or(usize::MAX))
}

/// Frees device or managed memory, after all work that may use it. Null is nothing.
pub(crate) fn free(dptr: CUdeviceptr) -> Result<(), CUresult> {
    let live = context::current()?;
    graph::capture::forbid_unsafe()?;
    if dptr == 0 {
        return Ok(());
    }
    if graph::memory::is_ours(dptr) {
        live.synchronize()?;
        return graph::memory::end(dptr, None);
    }
    free_if(&live, dptr, |a| {
        matches!(a.kind, Kind::Device | Kind::Managed)
    })
}

fn free_if(live: &Live, address: u64, which: impl Fn(&Allocation) -> bool) -> Result<(), CUresult> {
    let platform = platform::get()?;
    let allocation = platform
        .memory
        .remove(address, |a| a.handed_out && which(a))
        .ok_or(CUresult::INVALID_VALUE)?;
    // Work that was submitted before may still use it.
    let waited = live.synchronize();
    if allocation.pool != 0 {
        pool::freed(allocation)?;
        return waited;
    }
    let owner = context::CONTEXTS
        .get(allocation.context)
        .ok()
        .and_then(|c| c.live());
    let space = owner.as_ref().map(|owner| &*owner.space);
    platform.memory.release(space, &allocation);
    drop(allocation);
    waited
}

pub(crate) fn get_info(free: Out<usize>, total: Out<usize>) -> Result<(), CUresult> {
    let live = context::current()?;
    let available = live.device.free_memory(&platform::get()?.client)?;
    free.set_opt(usize::try_from(available).unwrap_or(usize::MAX));
    total.set_opt(usize::try_from(live.device.total_memory).unwrap_or(usize::MAX));
    Ok(())
}

pub(crate) fn get_address_range(
    base: Out<CUdeviceptr>,
    size: Out<usize>,
    dptr: CUdeviceptr,
) -> Result<(), CUresult> {
    context::current()?;
    let allocation = find(dptr).ok_or(CUresult::NOT_FOUND)?;
    base.set_opt(allocation.va);
    size.set_opt(usize::try_from(allocation.bytes).unwrap_or(usize::MAX));
    Ok(())
}

fn find(address: u64) -> Option<Arc<Allocation>> {
    platform::get().ok()?.memory.find(address)
}

pub(crate) fn alloc_host(out: Out<Out<c_void>>, bytes: usize) -> Result<(), CUresult> {
    host_alloc(out, bytes, CU_MEMHOSTALLOC_DEVICEMAP)
}

/// All pinned memory is portable and mapped here; write combining is a hint.
pub(crate) fn host_alloc(out: Out<Out<c_void>>, bytes: usize, flags: u32) -> Result<(), CUresult> {
    const KNOWN: u32 = 7;
    let out = out.required()?;
    let live = context::current()?;
    if flags & !KNOWN != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let allocation = live.hand_out(bytes as u64, UNIT, Kind::Host, flags)?;
    out.set(Out::new(usize::try_from(allocation.va).unwrap_or_default()))
}

pub(crate) fn free_host(p: Out<c_void>) -> Result<(), CUresult> {
    let live = context::current()?;
    free_if(&live, p.addr() as u64, |a| a.kind == Kind::Host)
}

/// Pinned memory has the same address on the device.
pub(crate) fn host_get_device_pointer(
    out: Out<CUdeviceptr>,
    p: Out<c_void>,
    flags: u32,
) -> Result<(), CUresult> {
    let out = out.required()?;
    context::current()?;
    let pinned =
        find(p.addr() as u64).is_some_and(|a| matches!(a.kind, Kind::Host | Kind::Registered));
    if flags != 0 || !pinned {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(p.addr() as u64)
}

pub(crate) fn host_get_flags(flags: Out<u32>, p: Out<c_void>) -> Result<(), CUresult> {
    let flags = flags.required()?;
    context::current()?;
    let found = find(p.addr() as u64).filter(|a| a.kind == Kind::Host);
    flags.set(found.ok_or(CUresult::INVALID_VALUE)?.flags | CU_MEMHOSTALLOC_DEVICEMAP)
}

/// I/O memory of other devices there is none.
pub(crate) fn host_register(p: Out<c_void>, bytes: usize, flags: u32) -> Result<(), CUresult> {
    const KNOWN: u32 = 15;
    let live = context::current()?;
    if flags & !KNOWN != 0 || p.is_null() || bytes == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    if flags & CU_MEMHOSTREGISTER_IOMEMORY != 0 {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let platform = platform::get()?;
    let request = Request {
        bytes: bytes as u64,
        align: 1,
        kind: Kind::Registered,
        room: Room::Program,
        context: live.context,
        flags,
        pool: 0,
        handed_out: true,
    };
    platform
        .memory
        .register(platform, &live.space, p.addr() as u64, request)
}

pub(crate) fn host_unregister(p: Out<c_void>) -> Result<(), CUresult> {
    let live = context::current()?;
    free_if(&live, p.addr() as u64, |a| a.kind == Kind::Registered).map_err(|error| match error {
        CUresult::INVALID_VALUE if !p.is_null() => CUresult::HOST_MEMORY_NOT_REGISTERED,
        other => other,
    })
}

pub(crate) fn alloc_managed(
    out: Out<CUdeviceptr>,
    bytes: usize,
    flags: u32,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let live = context::current()?;
    let attach = CUmemAttach_flags(flags.cast_signed());
    if ![CUmemAttach_flags::GLOBAL, CUmemAttach_flags::HOST].contains(&attach) {
        return Err(CUresult::INVALID_VALUE);
    }
    // Whole pages, so that advice and residency of one allocation do not touch another.
    const PAGE: u64 = 4096;
    out.set(live.hand_out(bytes as u64, PAGE, Kind::Managed, flags)?.va)
}

/// Text such as `0000:17:00.0`.
pub(crate) fn get_pci_bus_id(out: Out<c_char>, len: i32, dev: CUdevice) -> Result<(), CUresult> {
    let out = out.required()?;
    let (domain, bus, slot) = platform::get()?.device(dev)?.card.pci;
    let id = format!("{domain:04X}:{bus:02X}:{slot:02X}.0");
    let len = usize::try_from(len).map_err(|_| CUresult::INVALID_VALUE)?;
    set_text(out, len, &id)
}

/// Takes `domain:bus:device.function`, `domain:bus:device` and `bus:device.function`.
pub(crate) fn get_by_pci_bus_id(out: Out<CUdevice>, id: In<c_char>) -> Result<(), CUresult> {
    let out = out.required()?;
    let wanted = parse_pci(text(id)?).ok_or(CUresult::INVALID_VALUE)?;
    let devices = &platform::get()?.devices;
    let ordinal = devices
        .iter()
        .position(|d| d.card.pci == wanted)
        .ok_or(CUresult::INVALID_DEVICE)?;
    out.set(i32::try_from(ordinal).unwrap_or(i32::MAX))
}

fn parse_pci(text: &str) -> Option<(u32, u8, u8)> {
    let text = text.split_once('.').map_or(text, |(head, _)| head);
    let parts: Vec<_> = text.split(':').collect();
    let (domain, rest) = match parts.as_slice() {
        [domain, rest @ ..] if rest.len() == 2 => (u32::from_str_radix(domain, 16).ok()?, rest),
        rest if rest.len() == 2 => (0, rest),
        _ => return None,
    };
    Some((
        domain,
        u8::from_str_radix(rest[0], 16).ok()?,
        u8::from_str_radix(rest[1], 16).ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::parse_pci;

    #[test]
    fn pci_ids_have_three_spellings() {
        assert_eq!(parse_pci("0000:17:00.0"), Some((0, 0x17, 0)));
        assert_eq!(parse_pci("00000001:aB:1f"), Some((1, 0xab, 0x1f)));
        assert_eq!(parse_pci("17:00.0"), Some((0, 0x17, 0)));
        assert_eq!(parse_pci("17"), None);
        assert_eq!(parse_pci("x:y:z"), None);
    }
}
