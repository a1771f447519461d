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
    ".globl antl_load16",
    "antl_load16: movzx edx, word ptr [rdi]; xor eax, eax; ret",
    ".globl antl_load32",
    "antl_load32: mov edx, [rdi]; xor eax, eax; ret",
    ".globl antl_load64",
    "antl_load64: mov rdx, [rdi]; xor eax, eax; ret",
    ".globl antl_store8",
    "antl_store8: mov [rdi], sil; xor eax, eax; ret",
    ".globl antl_store16",
    "antl_store16: mov [rdi], si; xor eax, eax; ret",
    ".globl antl_store32",
    "antl_store32: mov [rdi], esi; xor eax, eax; ret",
    ".globl antl_store64",
    "antl_store64: mov [rdi], rsi; xor eax, eax; ret",
    ".globl antl_cas32",
    "antl_cas32: mov eax, esi; lock cmpxchg [rdi], edx; mov edx, eax; xor eax, eax; ret",
    ".globl antl_cas64",
    "antl_cas64: mov rax, rsi; lock cmpxchg [rdi], rdx; mov rdx, rax; xor eax, eax; ret",
    // dst, src, bytes. Not rep movs: with an odd distance between source and destination it runs at a byte a cycle on
    // some CPUs (measured: 0.9 against 17 bytes per cycle).
    ".globl antl_copy",
    "antl_copy: xor ecx, ecx",
    "2: lea rax, [rcx + 128]; cmp rax, rdx; ja 3f",
    "vmovdqu ymm0, [rsi + rcx]; vmovdqu ymm1, [rsi + rcx + 32]",
    "vmovdqu ymm2, [rsi + rcx + 64]; vmovdqu ymm3, [rsi + rcx + 96]",
    "vmovdqu [rdi + rcx], ymm0; vmovdqu [rdi + rcx + 32], ymm1",
    "vmovdqu [rdi + rcx + 64], ymm2; vmovdqu [rdi + rcx + 96], ymm3",
    "mov rcx, rax; jmp 2b",
    "3: vzeroupper",
    "jmp 6f",
    ".globl antl_copy_sse",
    "antl_copy_sse: xor ecx, ecx",
    "2: lea rax, [rcx + 64]; cmp rax, rdx; ja 6f",
    "movups xmm0, [rsi + rcx]; movups xmm1, [rsi + rcx + 16]",
    "movups xmm2, [rsi + rcx + 32]; movups xmm3, [rsi + rcx + 48]",
    "movups [rdi + rcx], xmm0; movups [rdi + rcx + 16], xmm1",
    "movups [rdi + rcx + 32], xmm2; movups [rdi + rcx + 48], xmm3",
    "mov rcx, rax; jmp 2b",
    "6: lea rax, [rcx + 8]; cmp rax, rdx; ja 7f",
    "mov r8, [rsi + rcx]; mov [rdi + rcx], r8; mov rcx, rax; jmp 6b",
    "7: cmp rcx, rdx; jae 8f",
    "movzx eax, byte ptr [rsi + rcx]; mov [rdi + rcx], al; inc rcx; jmp 7b",
    "8: xor eax, eax; ret",
    // dst (32-byte aligned), src, bytes (multiple of 128): past the caches
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
    ".globl antl_copy_stream_sse",
    "antl_copy_stream_sse: xor ecx, ecx",
    "2: cmp rcx, rdx; jae 3f",
    "movups xmm0, [rsi + rcx]; movups xmm1, [rsi + rcx + 16]",
    "movups xmm2, [rsi + rcx + 32]; movups xmm3, [rsi + rcx + 48]",
    "movntps [rdi + rcx], xmm0; movntps [rdi + rcx + 16], xmm1",
    "movntps [rdi + rcx + 32], xmm2; movntps [rdi + rcx + 48], xmm3",
    "add rcx, 64; jmp 2b",
    "3: sfence; xor eax, eax; ret",
    // dst, 8 bytes of pattern, bytes
    ".globl antl_fill",
    "antl_fill: xor ecx, ecx; movq xmm0, rsi; punpcklqdq xmm0, xmm0",
    "2: lea rax, [rcx + 64]; cmp rax, rdx; ja 3f",
    "movups [rdi + rcx], xmm0; movups [rdi + rcx + 16], xmm0",
    "movups [rdi + rcx + 32], xmm0; movups [rdi + rcx + 48], xmm0",
    "mov rcx, rax; jmp 2b",
    "3: lea rax, [rcx + 8]; cmp rax, rdx; ja 4f",
    "mov [rdi + rcx], rsi; mov rcx, rax; jmp 3b",
    "4: cmp rcx, rdx; jae 5f",
    "mov [rdi + rcx], sil; ror rsi, 8; inc rcx; jmp 4b",
    "5: xor eax, eax; ret",
    // dst (16-byte aligned), 8 bytes of pattern, bytes (multiple of 64): past the caches
    ".globl antl_fill_stream",
    "antl_fill_stream: xor ecx, ecx; movq xmm0, rsi; punpcklqdq xmm0, xmm0",
    "2: cmp rcx, rdx; jae 3f",
    "movntps [rdi + rcx], xmm0; movntps [rdi + rcx + 16], xmm0",
    "movntps [rdi + rcx + 32], xmm0; movntps [rdi + rcx + 48], xmm0",
    "add rcx, 64; jmp 2b",
    "3: sfence; xor eax, eax; ret",
    // addresses, where to, count (not 0): an element each, small ones widened to 32 bits
    ".globl antl_gather8",
    "antl_gather8: xor ecx, ecx",
    "2: mov rax, [rdi + 8*rcx]; movzx eax, byte ptr [rax]; mov [rsi + 4*rcx], eax",
    "inc rcx; cmp rcx, rdx; jb 2b; xor eax, eax; ret",
    ".globl antl_gather16",
    "antl_gather16: xor ecx, ecx",
    "2: mov rax, [rdi + 8*rcx]; movzx eax, word ptr [rax]; mov [rsi + 4*rcx], eax",
    "inc rcx; cmp rcx, rdx; jb 2b; xor eax, eax; ret",
    ".globl antl_gather32",
    "antl_gather32: xor ecx, ecx",
    "2: mov rax, [rdi + 8*rcx]; mov eax, [rax]; mov [rsi + 4*rcx], eax",
    "inc rcx; cmp rcx, rdx; jb 2b; xor eax, eax; ret",
    ".globl antl_gather64",
    "antl_gather64: xor ecx, ecx",
    "2: mov rax, [rdi + 8*rcx]; mov rax, [rax]; mov [rsi + 8*rcx], rax",
    "inc rcx; cmp rcx, rdx; jb 2b; xor eax, eax; ret",
    ".globl antl_gather128",
    "antl_gather128: xor ecx, ecx",
    "2: mov rax, [rdi + 8*rcx]; movups xmm0, [rax]; movups [rsi], xmm0; add rsi, 16",
    "inc rcx; cmp rcx, rdx; jb 2b; xor eax, eax; ret",
    ".globl antl_access_end",
    "antl_access_end: ret",
);

unsafe extern "C" {
    static antl_access_begin: u8;
    static antl_access_end: u8;
    fn antl_load8(address: u64) -> Outcome;
    fn antl_load16(address: u64) -> Outcome;
    fn antl_load32(address: u64) -> Outcome;
    fn antl_load64(address: u64) -> Outcome;
    fn antl_store8(address: u64, value: u32) -> Outcome;
    fn antl_store16(address: u64, value: u32) -> Outcome;
    fn antl_store32(address: u64, value: u32) -> Outcome;
    fn antl_store64(address: u64, value: u64) -> Outcome;
    fn antl_cas32(address: u64, old: u32, new: u32) -> Outcome;
    fn antl_cas64(address: u64, old: u64, new: u64) -> Outcome;
    fn antl_copy(dst: u64, src: u64, bytes: u64) -> Outcome;
    fn antl_copy_sse(dst: u64, src: u64, bytes: u64) -> Outcome;
    fn antl_copy_stream(dst: u64, src: u64, bytes: u64) -> Outcome;
    fn antl_copy_stream_sse(dst: u64, src: u64, bytes: u64) -> Outcome;
    fn antl_gather8(addresses: *const u64, out: *mut u32, count: u64) -> Outcome;
    fn antl_gather16(addresses: *const u64, out: *mut u32, count: u64) -> Outcome;
    fn antl_gather32(addresses: *const u64, out: *mut u32, count: u64) -> Outcome;
    fn antl_gather64(addresses: *const u64, out: *mut u32, count: u64) -> Outcome;
    fn antl_gather128(addresses: *const u64, out: *mut u32, count: u64) -> Outcome;
    fn antl_fill(dst: u64, pattern: u64, bytes: u64) -> Outcome;
    fn antl_fill_stream(dst: u64, pattern: u64, bytes: u64) -> Outcome;
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
guarded!(/// Loads a 16-bit word.
    load16(2, false, antl_load16) -> u16);
guarded!(/// Loads a 32-bit word.
    load32(4, false, antl_load32) -> u32);
guarded!(/// Loads a 64-bit word.
    load64(8, false, antl_load64) -> u64);
guarded!(/// Compares and swaps 32 bits; returns what was there.
    cas32(4, true, antl_cas32, old: u32, new: u32) -> u32);
guarded!(/// Compares and swaps 64 bits; returns what was there.
    cas64(8, true, antl_cas64, old: u64, new: u64) -> u64);

/// Stores a byte.
///
/// # Errors
/// As [`store32`].
pub fn store8(va: u64, value: u8) -> Result<(), AccessFault> {
    check(va, 1, true)?;
    // SAFETY: as in `guarded!`.
    outcome(&unsafe { antl_store8(va, value.into()) }).map(drop)
}

/// Stores a 16-bit word.
///
/// # Errors
/// As [`store32`].
pub fn store16(va: u64, value: u16) -> Result<(), AccessFault> {
    check(va, 2, true)?;
    // SAFETY: as in `guarded!`.
    outcome(&unsafe { antl_store16(va, value.into()) }).map(drop)
}

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

/// Copies with the widest registers that the CPU has.
///
/// # Safety
/// Whichever of the two ranges is ours is valid; the other may fault.
unsafe fn move_bytes(dst: u64, src: u64, bytes: u64) -> Result<(), AccessFault> {
    // SAFETY: the caller's contract.
    outcome(&unsafe {
        if is_x86_feature_detected!("avx") {
            antl_copy(dst, src, bytes)
        } else {
            antl_copy_sse(dst, src, bytes)
        }
    })
    .map(drop)
}

/// Copies client memory into `out`.
///
/// # Errors
/// Some of it is not mapped; what `out` holds then is unspecified.
pub fn read(va: u64, out: &mut [u32]) -> Result<(), AccessFault> {
    let bytes = core::mem::size_of_val(out) as u64;
    check(va, bytes, false)?;
    // SAFETY: `out` is ours and has `bytes` bytes; the source is guarded by the handler.
    unsafe { move_bytes(out.as_mut_ptr() as u64, va, bytes) }
}

/// Copies client memory into a plain structure.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(va: u64, out: &mut [u8]) -> Result<(), AccessFault> {
    check(va, out.len() as u64, false)?;
    // SAFETY: `out` is ours; the source is guarded by the handler.
    unsafe { move_bytes(out.as_mut_ptr() as u64, va, out.len() as u64) }
}

/// Copies memory that kernel code can reach into `out`: also its shared and local memory and its stacks, where it may
/// keep what it passes to the SM's functions.
///
/// # Errors
/// As [`read`].
pub fn read_as_kernel(va: u64, out: &mut [u8]) -> Result<(), AccessFault> {
    let bytes = out.len() as u64;
    if va.checked_add(bytes).is_none_or(|end| end > window::TOP) {
        return Err(AccessFault {
            address: va,
            write: false,
        });
    }
    // SAFETY: `out` is ours; the source is guarded by the handler.
    unsafe { move_bytes(out.as_mut_ptr() as u64, va, bytes) }
}

/// Copies `data` to where kernel code can store: also its shared and local memory and its stacks.
///
/// # Errors
/// As [`write_bytes`].
pub fn write_as_kernel(va: u64, data: &[u8]) -> Result<(), AccessFault> {
    let bytes = data.len() as u64;
    if va.checked_add(bytes).is_none_or(|end| end > window::TOP) {
        return Err(AccessFault {
            address: va,
            write: true,
        });
    }
    // SAFETY: `data` is ours; the destination is guarded by the handler.
    unsafe { move_bytes(va, data.as_ptr() as u64, bytes) }
}

/// Copies `data` into client memory.
///
/// # Errors
/// Some of it is not mapped or read-only; a part may have been written.
pub fn write_bytes(va: u64, data: &[u8]) -> Result<(), AccessFault> {
    check(va, data.len() as u64, true)?;
    // SAFETY: `data` is ours; the destination is guarded by the handler.
    unsafe { move_bytes(va, data.as_ptr() as u64, data.len() as u64) }
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
        return unsafe { move_bytes(dst, src, bytes) };
    }
    let head = dst.next_multiple_of(32) - dst;
    let body = (bytes - head) & !127;
    // SAFETY: as above; the three parts lie in the checked ranges, and the middle one is aligned as it must be.
    unsafe {
        move_bytes(dst, src, head)?;
        outcome(&if is_x86_feature_detected!("avx") {
            antl_copy_stream(dst + head, src + head, body)
        } else {
            antl_copy_stream_sse(dst + head, src + head, body)
        })?;
        move_bytes(dst + head + body, src + head + body, bytes - head - body)
    }
}

/// Fills `count` elements of `width` (1, 2, 4 or 8) bytes with `value`. With `stream` the memory bypasses the caches.
///
/// # Errors
/// The first address that is not mapped writable; a part may have been written.
pub fn fill(
    dst: u64,
    width: Width,
    value: u64,
    count: u64,
    stream: bool,
) -> Result<(), AccessFault> {
    let bytes = count.checked_mul(width as u64).ok_or(AccessFault {
        address: dst,
        write: true,
    })?;
    check(dst, bytes, true)?;
    let pattern = match width {
        Width::One => (value & 0xff) * 0x0101_0101_0101_0101,
        Width::Two => (value & 0xffff) * 0x0001_0001_0001_0001,
        Width::Four => (value & 0xffff_ffff) * 0x0000_0001_0000_0001,
        Width::Eight => value,
    };
    if !stream || bytes < 4096 {
        // SAFETY: the range is the client's; faults are turned into results.
        return outcome(&unsafe { antl_fill(dst, pattern, bytes) }).map(drop);
    }
    let head = dst.next_multiple_of(16) - dst;
    let body = (bytes - head) & !63;
    let turned = pattern.rotate_right((head * 8 % 64) as u32);
    // SAFETY: as above; the middle part is aligned as it must be.
    unsafe {
        outcome(&antl_fill(dst, pattern, head))?;
        outcome(&antl_fill_stream(dst + head, turned, body))?;
        outcome(&antl_fill(dst + head + body, turned, bytes - head - body)).map(drop)
    }
}

/// Element widths of [`gather`], bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// 8 bits, widened to 32.
    One = 1,
    /// 16 bits, widened to 32.
    Two = 2,
    /// 32 bits.
    Four = 4,
    /// 64 bits: two words.
    Eight = 8,
    /// 128 bits: four words.
    Sixteen = 16,
}

/// Loads an element from each of 32 addresses; those of client memory lie within `range`, others are our own.
///
/// # Errors
/// The range is not the client's, or some address is not mapped; what `out` holds then is unspecified.
pub fn gather(
    element: Element,
    addresses: &[u64; 32],
    range: core::ops::Range<u64>,
    out: &mut [u32; 128],
) -> Result<(), AccessFault> {
    check(
        range.start,
        range.end.saturating_sub(range.start).max(1),
        false,
    )?;
    let (from, to) = (addresses.as_ptr(), out.as_mut_ptr());
    // SAFETY: 32 elements of 16 bytes at most fit `out`; loads of the client's memory are guarded by the handler.
    outcome(&unsafe {
        match element {
            Element::One => antl_gather8(from, to, 32),
            Element::Two => antl_gather16(from, to, 32),
            Element::Four => antl_gather32(from, to, 32),
            Element::Eight => antl_gather64(from, to, 32),
            Element::Sixteen => antl_gather128(from, to, 32),
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
