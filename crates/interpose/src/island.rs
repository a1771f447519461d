//! Stubs near a loaded object, within reach of a five-byte jump.
//!
//! One island serves one object: pages of code, then pages of records. A stub is
//!
//! ```text
//!   jmp  [record.target]
//!   lea  r11, [record]      <- where record.target points until the first call
//!   jmp  [binder]
//! ```

use crate::names::Major;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes per stub.
const STUB: usize = 24;
/// Offset of the part that asks the binder.
const LAZY: usize = 6;
const PAGE: usize = 4096;

/// What a stub knows. The binder overwrites `target`.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Record {
    /// Where the stub jumps.
    pub target: u64,
    /// The function: place of its name in [`Major::names`].
    pub index: u32,
    pub major: u16,
    /// Minor version of the runtime, or [`NO_MINOR`].
    pub minor: u16,
    /// The object, by a number that no other has: each brings a runtime of its own.
    pub instance: u32,
}

/// The object did not tell its minor version.
pub(crate) const NO_MINOR: u16 = u16::MAX;

/// Stubs for one object.
#[derive(Debug)]
pub(crate) struct Island {
    start: usize,
    records: usize,
    instance: u32,
}

/// Islands made so far.
static ISLANDS: AtomicU32 = AtomicU32::new(0);

impl Island {
    /// Makes `count` stubs (none filled in) within 2 GiB of both ends of `object`, with `binder`
    /// as the address that lazy stubs jump to.
    ///
    /// # Errors
    /// No free address range within reach, or no memory.
    pub(crate) fn new(object: (usize, usize), count: usize, binder: usize) -> io::Result<Island> {
        let code = (count * STUB).next_multiple_of(PAGE);
        // The binder's address sits in front of the records.
        let data = (size_of::<u64>() * 2 + count * size_of::<Record>()).next_multiple_of(PAGE);
        let start = reserve_near(object, code + data)?;
        let island = Island {
            start,
            records: start + code + size_of::<u64>() * 2,
            instance: ISLANDS.fetch_add(1, Ordering::Relaxed),
        };
        // SAFETY: the word lies in the new mapping.
        unsafe { ((start + code) as *mut u64).write(binder as u64) };
        Ok(island)
    }

    fn stub(&self, place: usize) -> usize {
        self.start + place * STUB
    }

    /// Fills in a stub; its address.
    pub(crate) fn fill(&self, place: usize, index: u32, major: Major, minor: Option<u32>) -> usize {
        let stub = self.stub(place);
        let record = self.records + place * size_of::<Record>();
        let binder = self.records - size_of::<u64>() * 2;
        let from = |next: usize, to: usize| to.wrapping_sub(stub + next).to_le_bytes();
        let mut code = [0x90_u8; STUB];
        code[..2].copy_from_slice(&[0xff, 0x25]);
        code[2..6].copy_from_slice(&from(6, record)[..4]);
        code[6..9].copy_from_slice(&[0x4c, 0x8d, 0x1d]);
        code[9..13].copy_from_slice(&from(13, record)[..4]);
        code[13..15].copy_from_slice(&[0xff, 0x25]);
        code[15..19].copy_from_slice(&from(19, binder)[..4]);
        let minor = minor
            .and_then(|minor| u16::try_from(minor).ok())
            .unwrap_or(NO_MINOR);
        // SAFETY: both lie in the mapping, which is writable until `seal`.
        unsafe {
            (stub as *mut [u8; STUB]).write(code);
            (record as *mut Record).write(Record {
                target: (stub + LAZY) as u64,
                index,
                major: if major == Major::Cuda13 { 13 } else { 12 },
                minor,
                instance: self.instance,
            });
        }
        stub
    }

    /// Makes the code executable and no longer writable; the records stay writable.
    ///
    /// # Errors
    /// Refused by the kernel or a security module.
    pub(crate) fn seal(&self, count: usize) -> io::Result<()> {
        let code = (count * STUB).next_multiple_of(PAGE);
        // SAFETY: the code pages of our own mapping.
        let result = unsafe {
            libc::mprotect(
                self.start as *mut _,
                code,
                libc::PROT_READ | libc::PROT_EXEC,
            )
        };
        if result == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

/// How far from the object's ends an island may lie, with room to spare below 2 GiB.
const REACH: usize = 0x7000_0000;

/// Maps `length` bytes where a near jump from anywhere in `object` arrives.
fn reserve_near(object: (usize, usize), length: usize) -> io::Result<usize> {
    let lowest = object.1.saturating_sub(REACH).max(0x1_0000);
    let highest = object.0.saturating_add(REACH);
    let maps = std::fs::read_to_string("/proc/self/maps")?;
    let mut gaps = Vec::new();
    let mut free_from = lowest;
    for line in maps.lines() {
        let Some((range, _)) = line.split_once(' ') else {
            continue;
        };
        let Some((from, to)) = range.split_once('-') else {
            continue;
        };
        let (Ok(from), Ok(to)) = (
            usize::from_str_radix(from, 16),
            usize::from_str_radix(to, 16),
        ) else {
            continue;
        };
        if from > free_from {
            gaps.push((free_from, from.min(highest)));
        }
        free_from = free_from.max(to);
    }
    gaps.push((free_from, highest));
    // Nearest to the object first: far gaps may be where the program wants to map something.
    gaps.sort_by_key(|&(from, to)| {
        if to <= object.0 {
            object.0 - to
        } else {
            from.saturating_sub(object.1)
        }
    });
    for (from, to) in gaps {
        let at = if to <= object.0 {
            // Below: leave a page, so that nothing grows into the object by accident.
            to.checked_sub(length + PAGE).map(|at| at & !(PAGE - 1))
        } else {
            // Above: the heap of a program grows from here; stay clear of its start.
            from.checked_add(HEAP_ROOM)
                .map(|at| at.next_multiple_of(PAGE))
        };
        let Some(at) = at.filter(|&at| at >= from && at.saturating_add(length) <= to) else {
            continue;
        };
        // SAFETY: a new mapping that must not replace another.
        let mapped = unsafe {
            libc::mmap(
                at as *mut _,
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
                -1,
                0,
            )
        };
        if mapped.addr() == at {
            return Ok(at);
        }
        if mapped != libc::MAP_FAILED {
            // A kernel that does not know the flag took the address as a hint.
            // SAFETY: our own new mapping.
            unsafe { libc::munmap(mapped, length) };
        }
    }
    Err(io::Error::from(io::ErrorKind::AddrNotAvailable))
}

/// Distance kept above an object when nothing is free below it.
const HEAP_ROOM: usize = 0x1000_0000;

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn answer() -> u32 {
        42
    }

    #[test]
    fn stubs_jump_to_their_target() {
        let here = stubs_jump_to_their_target as fn() as usize;
        let object = (here & !0xfff, (here & !0xfff) + 0x1000);
        let island = Island::new(object, 3, 0).expect("a gap");
        for place in 0..3 {
            island.fill(place, 7, Major::Cuda13, None);
        }
        let record = island.records + size_of::<Record>();
        // SAFETY: a record of the island just made.
        let record = unsafe { &mut *(record as *mut Record) };
        assert_eq!(
            (record.index, record.major, record.minor),
            (7, 13, NO_MINOR)
        );
        assert_eq!(record.target, (island.stub(1) + LAZY) as u64);
        record.target = answer as extern "C" fn() -> u32 as usize as u64;
        island.seal(3).expect("allowed");
        // SAFETY: the stub leads to a function of this type.
        let call: extern "C" fn() -> u32 = unsafe { std::mem::transmute(island.stub(1)) };
        assert_eq!(call(), 42);
        assert!(here.abs_diff(island.start) < REACH);
    }
}
