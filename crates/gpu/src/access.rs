//! The engine's loads and stores of client memory.
//!
//! That memory may be unmapped or change at any moment, so it is touched only by the routines below. A fault inside them
//! is turned into a result by the signal handler ([`fixup`]), the way a kernel's copy_from_user works: they are leaf
//! functions without a frame, and the handler makes them return at once.

use crate::window;
use core::arch::global_asm;

/// A fault of the engine at a client address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing mapped at {address:#x} ({})", if *write { "write" } else { "read" })]
pub struct AccessFault {
    /// Where.
    pub address: u64,
    /// Whether it was a store.
    pub write: bool,
}

#[repr(C)]
struct Outcome {
    /// 0 done, 1 load fault, 3 store fault.
    fault: u64,
    /// The value, or the address of the fault.
    value: u64,
}

global_asm!(
    ".text",
    ".p2align 4",
    ".globl antl_access_begin",
    "antl_access_begin:",
    ".globl antl_load8",
    "antl_load8: movzx edx, byte ptr [rdi]; xor eax, eax; ret",
    ".globl antl_load32",
    "antl_load32: mov edx, [rdi]; xor eax, eax; ret",
    ".globl antl_load64",
    "antl_load64: mov rdx, [rdi]; xor eax, eax; ret",
    ".globl antl_store32",
    "antl_store32: mov [rdi], esi; xor eax, eax; ret",
    ".globl antl_store64",
    "antl_store64: mov [rdi], rsi; xor eax, eax; ret",
    ".globl antl_cas32",
    "antl_cas32: mov eax, esi; lock cmpxchg [rdi], edx; mov edx, eax; xor eax, eax; ret",
    ".globl antl_cas64",
    "antl_cas64: mov rax, rsi; lock cmpxchg [rdi], rdx; mov rdx, rax; xor eax, eax; ret",
    // dst, src, bytes
    ".globl antl_copy",
    "antl_copy: mov rcx, rdx; rep movsb; xor eax, eax; ret",
    // dst, src, bytes: by 64-bit words, for short runs (rep movs starts slowly). bytes is a multiple of 8.
    ".globl antl_copy_words",
    "antl_copy_words: xor ecx, ecx",
    "2: cmp rcx, rdx; jae 3f; mov rax, [rsi + rcx]; mov [rdi + rcx], rax; add rcx, 8; jmp 2b",
    "3: xor eax, eax; ret",
    // dst (32-byte aligned), src, bytes (multiple of 128): non-temporal
    ".globl antl_copy_stream",
    "antl_copy_stream: xor ecx, ecx",
    "2: cmp rcx, rdx; jae 3f",
    "prefetchnta [rsi + rcx + 1024]; prefetchnta [rsi + rcx + 1088]",
    "vmovdqu ymm0, [rsi + rcx]; vmovdqu ymm1, [rsi + rcx + 32]",
    "vmovdqu ymm2, [rsi + rcx + 64]; vmovdqu ymm3, [rsi + rcx + 96]",
    "vmovntdq [rdi + rcx], ymm0; vmovntdq [rdi + rcx + 32], ymm1",
    "vmovntdq [rdi + rcx + 64], ymm2; vmovntdq [rdi + rcx + 96], ymm3",
    "add rcx, 128; jmp 2b",
    "3: sfence; vzeroupper; xor eax, eax; ret",
    // dst, value, count
    ".globl antl_fill8",
    "antl_fill8: mov rcx, rdx; mov rax, rsi; rep stosb; xor eax, eax; ret",
    ".globl antl_fill16",
    "antl_fill16: mov rcx, rdx; mov rax, rsi; rep stosw; xor eax, eax; ret",
    ".globl antl_fill32",
    "antl_fill32: mov rcx, rdx; mov rax, rsi; rep stosd; xor eax, eax; ret",
    ".globl antl_fill64",
    "antl_fill64: mov rcx, rdx; mov rax, rsi; rep stosq; xor eax, eax; ret",
    ".globl antl_access_end",
    "antl_access_end: ret",
);

unsafe extern "C" {
    static antl_access_begin: u8;
    static antl_access_end: u8;
    fn antl_load8(address: u64) -> Outcome;
    fn antl_load32(address: u64) -> Outcome;
    fn antl_load64(address: u64) -> Outcome;
    fn antl_store32(address: u64, value: u32) -> Outcome;
    fn antl_store64(address: u64, value: u64) -> Outcome;
    fn antl_cas32(address: u64, old: u32, new: u32) -> Outcome;
    fn antl_cas64(address: u64, old: u64, new: u64) -> Outcome;
    fn antl_copy(dst: u64, src: u64, bytes: u64) -> Outcome;
    fn antl_copy_words(dst: u64, src: u64, bytes: u64) -> Outcome;
    fn antl_copy_stream(dst: u64, src: u64, bytes: u64) -> Outcome;
    fn antl_fill8(dst: u64, value: u64, count: u64) -> Outcome;
    fn antl_fill16(dst: u64, value: u64, count: u64) -> Outcome;
    fn antl_fill32(dst: u64, value: u64, count: u64) -> Outcome;
    fn antl_fill64(dst: u64, value: u64, count: u64) -> Outcome;
}

/// For the signal handler: if `pc` lies in one of the routines, where to continue (a bare `ret`). The handler puts 1
/// (load) or 3 (store) into RAX and the address into RDX.
#[must_use]
pub fn fixup(pc: u64) -> Option<u64> {
    let (begin, end) = (
        &raw const antl_access_begin as u64,
        &raw const antl_access_end as u64,
    );
    (begin..end).contains(&pc).then_some(end)
}

fn outcome(o: &Outcome) -> Result<u64, AccessFault> {
    if o.fault == 0 {
        Ok(o.value)
    } else {
        Err(AccessFault {
            address: o.value,
            write: o.fault & 2 != 0,
        })
    }
}

fn check(va: u64, bytes: u64, write: bool) -> Result<(), AccessFault> {
    if window::is_client(va, bytes) {
        Ok(())
    } else {
        Err(AccessFault { address: va, write })
    }
}

macro_rules! guarded {
    ($(#[$doc:meta])* $name:ident($bytes:expr, $write:literal, $f:ident $(, $arg:ident : $ty:ty)*) -> $out:ty) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// The address is not the client's or nothing is mapped there.
        pub fn $name(va: u64 $(, $arg: $ty)*) -> Result<$out, AccessFault> {
            check(va, $bytes, $write)?;
            // SAFETY: the address is outside our own windows; a fault there is turned into a result by the handler.
            let value = outcome(&unsafe { $f(va $(, $arg)*) })?;
            Ok(value as $out)
        }
    };
}

guarded!(/// Loads a byte.
    load8(1, false, antl_load8) -> u8);
guarded!(/// Loads a 32-bit word.
    load32(4, false, antl_load32) -> u32);
guarded!(/// Loads a 64-bit word.
    load64(8, false, antl_load64) -> u64);
guarded!(/// Compares and swaps 32 bits; returns what was there.
    cas32(4, true, antl_cas32, old: u32, new: u32) -> u32);
guarded!(/// Compares and swaps 64 bits; returns what was there.
    cas64(8, true, antl_cas64, old: u64, new: u64) -> u64);

/// Stores a 32-bit word.
///
/// # Errors
/// The address is not the client's or nothing writable is mapped there.
pub fn store32(va: u64, value: u32) -> Result<(), AccessFault> {
    check(va, 4, true)?;
    // SAFETY: as in `guarded!`.
    outcome(&unsafe { antl_store32(va, value) }).map(drop)
}

/// Stores a 64-bit word.
///
/// # Errors
/// As [`store32`].
pub fn store64(va: u64, value: u64) -> Result<(), AccessFault> {
    check(va, 8, true)?;
    // SAFETY: as in `guarded!`.
    outcome(&unsafe { antl_store64(va, value) }).map(drop)
}

/// Copies client memory into `out`.
///
/// # Errors
/// Some of it is not mapped; what `out` holds then is unspecified.
pub fn read(va: u64, out: &mut [u32]) -> Result<(), AccessFault> {
    let bytes = core::mem::size_of_val(out) as u64;
    check(va, bytes, false)?;
    let dst = out.as_mut_ptr() as u64;
    // SAFETY: `out` is ours and has `bytes` bytes; the source is guarded by the handler.
    outcome(&unsafe {
        if bytes.is_multiple_of(8) && bytes <= 512 {
            antl_copy_words(dst, va, bytes)
        } else {
            antl_copy(dst, va, bytes)
        }
    })
    .map(drop)
}

/// Copies client memory into a plain structure.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(va: u64, out: &mut [u8]) -> Result<(), AccessFault> {
    check(va, out.len() as u64, false)?;
    // SAFETY: `out` is ours; the source is guarded by the handler.
    outcome(&unsafe { antl_copy(out.as_mut_ptr() as u64, va, out.len() as u64) }).map(drop)
}

/// Copies `data` into client memory.
///
/// # Errors
/// Some of it is not mapped or read-only; a part may have been written.
pub fn write_bytes(va: u64, data: &[u8]) -> Result<(), AccessFault> {
    check(va, data.len() as u64, true)?;
    // SAFETY: `data` is ours; the destination is guarded by the handler.
    outcome(&unsafe { antl_copy(va, data.as_ptr() as u64, data.len() as u64) }).map(drop)
}

/// Copies `bytes` bytes from client memory to client memory. With `stream` the destination bypasses the caches.
///
/// # Errors
/// The first address that is not mapped as needed; a part may have been copied.
pub fn copy(dst: u64, src: u64, bytes: u64, stream: bool) -> Result<(), AccessFault> {
    check(src, bytes, false)?;
    check(dst, bytes, true)?;
    if !stream || bytes < 4096 {
        // SAFETY: both ranges are the client's; faults are turned into results.
        return outcome(&unsafe { antl_copy(dst, src, bytes) }).map(drop);
    }
    let head = dst.next_multiple_of(32) - dst;
    let body = (bytes - head) & !127;
    // SAFETY: as above; the three parts lie in the checked ranges, and the middle one is aligned as it must be.
    unsafe {
        outcome(&antl_copy(dst, src, head))?;
        outcome(&antl_copy_stream(dst + head, src + head, body))?;
        outcome(&antl_copy(
            dst + head + body,
            src + head + body,
            bytes - head - body,
        ))?;
    }
    Ok(())
}

/// Fills `count` elements of `width` (1, 2, 4 or 8) bytes with `value`.
///
/// # Errors
/// The first address that is not mapped writable; a part may have been written.
pub fn fill(dst: u64, width: Width, value: u64, count: u64) -> Result<(), AccessFault> {
    let bytes = count.checked_mul(width as u64).ok_or(AccessFault {
        address: dst,
        write: true,
    })?;
    check(dst, bytes, true)?;
    // SAFETY: the range is the client's; faults are turned into results.
    outcome(&unsafe {
        match width {
            Width::One => antl_fill8(dst, value, count),
            Width::Two => antl_fill16(dst, value, count),
            Width::Four => antl_fill32(dst, value, count),
            Width::Eight => antl_fill64(dst, value, count),
        }
    })
    .map(drop)
}

/// Element widths of [`fill`], bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 8 bits.
    One = 1,
    /// 16 bits.
    Two = 2,
    /// 32 bits.
    Four = 4,
    /// 64 bits.
    Eight = 8,
}
