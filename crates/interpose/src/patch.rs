//! Overwrites the entries of functions with jumps.

use crate::image::Runtime;
use crate::island::Island;
use std::io;

/// Bytes of `jmp rel32`.
const JUMP: u64 = 5;
const PAGE: usize = 4096;

/// What was done to an object.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Functions that now lead to us.
    pub redirected: usize,
    /// Functions with no room for a jump.
    pub too_short: usize,
}

/// Redirects the functions of a static runtime loaded at `base`.
///
/// Nobody may run the object's code meanwhile: the loader has just mapped it.
///
/// # Errors
/// No island within reach, or the protection of the text cannot be changed; the object is then
/// unchanged.
pub(crate) fn redirect(runtime: &Runtime, base: usize, binder: usize) -> io::Result<Outcome> {
    let place = |address: u64| base.wrapping_add(usize::try_from(address).unwrap_or(0));
    let in_text = |address: u64| {
        runtime.text.iter().any(|&(start, size)| {
            address >= start && address.saturating_add(JUMP) <= start.saturating_add(size)
        })
    };
    let (Some(low), Some(high)) = (
        runtime.text.iter().map(|&(start, _)| start).min(),
        runtime
            .text
            .iter()
            .map(|&(start, size)| start.saturating_add(size))
            .max(),
    ) else {
        return Ok(Outcome::default());
    };
    let object = (place(low), place(high));
    let count = runtime.functions.len();
    let island = Island::new(object, count, binder)?;
    let mut outcome = Outcome::default();
    let mut jumps = Vec::with_capacity(count);
    for (slot, function) in runtime.functions.iter().enumerate() {
        if function.room < JUMP || !in_text(function.address) {
            outcome.too_short += 1;
            continue;
        }
        let stub = island.fill(slot, function.index, runtime.major, runtime.minor);
        jumps.push((place(function.address), stub));
    }
    island.seal(count)?;
    for &(start, size) in &runtime.text {
        let from = place(start) & !(PAGE - 1);
        let to = place(start.saturating_add(size)).next_multiple_of(PAGE);
        let touched: Vec<_> = jumps
            .iter()
            .filter(|(at, _)| (from..to).contains(at))
            .collect();
        let (Some(first), Some(last)) = (
            touched.iter().map(|(at, _)| at & !(PAGE - 1)).min(),
            touched
                .iter()
                .map(|(at, _)| (at + 5).next_multiple_of(PAGE))
                .max(),
        ) else {
            continue;
        };
        protect(first, last - first, libc::PROT_READ | libc::PROT_WRITE)?;
        for &&(at, stub) in &touched {
            let mut jump = [0xe9, 0, 0, 0, 0];
            jump[1..].copy_from_slice(&stub.wrapping_sub(at + 5).to_le_bytes()[..4]);
            // SAFETY: inside the text of the object, writable now, and the image says that these
            // bytes belong to this function or to no one.
            unsafe { (at as *mut [u8; 5]).write_unaligned(jump) };
            outcome.redirected += 1;
        }
        protect(first, last - first, libc::PROT_READ | libc::PROT_EXEC)?;
    }
    Ok(outcome)
}

fn protect(start: usize, length: usize, protection: i32) -> io::Result<()> {
    // SAFETY: pages of the object's text, whose code no one runs now.
    if unsafe { libc::mprotect(start as *mut _, length, protection) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
