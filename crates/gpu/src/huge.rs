//! Huge pages for client memory, made after its first touch: a walk over columns costs 12 ns a step on 4 KiB pages and
//! 7.7 on huge ones (measured; `PERFORMANCE.md`). Shared memory gets them only when asked for, piece by piece.

use crate::machine::Machine;
use crate::shared_map::errno;
use crate::window::PAGE;
use core::sync::atomic::Ordering;
use std::sync::PoisonError;

/// Size of a huge page.
const HUGE: u64 = 2 << 20;
/// Pieces looked at per call.
const LOOKS: usize = 32;
/// Times that a mapping is looked through for pieces touched meanwhile.
const PASSES: u32 = 64;

/// What became of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// It is one huge page now.
    Done,
    /// Not all of it has been touched.
    Untouched,
    /// It cannot be, at the moment or at all.
    Refused,
    /// This kernel does not do it.
    Unsupported,
}

/// How far a mapping has been looked through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Offset of the next piece.
    next: u64,
    /// Some piece of this pass was not touched yet.
    missed: bool,
    /// Passes made.
    passes: u32,
}

/// Turns at most one fully touched piece of a mapping that wants it into a huge page.
pub fn collapse_some(machine: &Machine) {
    if !machine.huge_wanted.load(Ordering::Relaxed) {
        return;
    }
    let mut mappings = machine
        .mappings
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let mut looks = 0;
    let mut wanted = false;
    for (va, mapping) in mappings.iter_mut() {
        while let Some(progress) = &mut mapping.huge {
            wanted = true;
            let at = (va + progress.next).next_multiple_of(HUGE);
            if at + HUGE > va + mapping.len {
                progress.passes += 1;
                if progress.missed && progress.passes < PASSES {
                    *progress = Progress {
                        passes: progress.passes,
                        ..Progress::default()
                    };
                } else {
                    mapping.huge = None;
                }
                break;
            }
            looks += 1;
            if looks > LOOKS {
                return;
            }
            progress.next = at + HUGE - va;
            match collapse(at) {
                Piece::Untouched => progress.missed = true,
                Piece::Refused => {}
                Piece::Done => return,
                Piece::Unsupported => {
                    machine.huge_wanted.store(false, Ordering::Relaxed);
                    return;
                }
            }
        }
    }
    machine.huge_wanted.store(wanted, Ordering::Relaxed);
}

fn collapse(at: u64) -> Piece {
    let mut present = [0u8; (HUGE / PAGE) as usize];
    // SAFETY: asks about client memory; the buffer has a byte for each page.
    let r = unsafe { libc::mincore(at as *mut libc::c_void, HUGE as usize, present.as_mut_ptr()) };
    if r != 0 {
        return Piece::Refused;
    }
    if present.iter().any(|p| p & 1 == 0) {
        return Piece::Untouched;
    }
    // SAFETY: changes how client memory is mapped, not what it holds.
    if unsafe { libc::madvise(at as *mut libc::c_void, HUGE as usize, libc::MADV_COLLAPSE) } == 0 {
        return Piece::Done;
    }
    if errno() == libc::EINVAL {
        Piece::Unsupported
    } else {
        Piece::Refused
    }
}
