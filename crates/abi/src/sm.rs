//! The code contract: what a compiled kernel is, and what it may expect of the virtual SM that runs it.
//!
//! The JIT (`crates/ptxjit`) writes images of this shape; `libcuda` loads them into GPU memory, patches their
//! relocations and names their address in a QMD; the SM (`crates/gpu`) refuses anything else by name (Xid 13).
//!
//! An **image** is one contiguous, position-independent, self-contained block that starts with an [`EntryHeader`]
//! at a 256-byte boundary: header, code, read-only data, address table, line table, name. It is mapped
//! read-execute; nothing in it is written after loading. All offsets are bytes from the image's start.
//!
//! Addresses: a generic address *is* a host address in the GPU process. Global memory: the GPU virtual address.
//! Shared memory: `CtaContext::shared + zext32(shared address)`, inside a window of [`SHARED_WINDOW`] bytes of which
//! only the CTA's own bytes are mapped, so an overrun faults. Local memory of thread `t` (linear index in the CTA):
//! `CtaContext::local + t * local_stride + local offset`; the code itself checks offsets that it cannot prove.

/// First eight bytes of every image: `ANTLSM01` little endian.
pub const IMAGE_MAGIC: u64 = u64::from_le_bytes(*b"ANTLSM01");
/// Version of this contract. The SM accepts exactly this one.
pub const CODE_ABI: u32 = 2;
/// Alignment of an image in GPU memory, bytes.
pub const IMAGE_ALIGN: u64 = 256;
/// Lanes of a warp.
pub const WARP_LANES: u32 = 32;
/// Size of the guarded window in which a CTA's shared memory lies, bytes.
pub const SHARED_WINDOW: u64 = 1 << 32;
/// From the window of one block of a cluster to that of the next one in rank, bytes.
pub const SHARED_STRIDE: u64 = SHARED_WINDOW + (2 << 20);
/// Bytes of shared memory that are reserved for system software (`%reserved_smem_offset_cap`): cooperative groups of
/// several warps meet and exchange values there.
pub const RESERVED_SHARED_BYTES: u32 = 1024;
/// `%reserved_smem_offset_1` less `%reserved_smem_offset_begin`, bytes.
pub const RESERVED_SHARED_SECOND: u32 = 512;
/// The reserved shared memory begins at a multiple of this, bytes.
pub const RESERVED_SHARED_ALIGN: u32 = 128;

/// Shared address of the reserved shared memory (`%reserved_smem_offset_begin`) in a CTA with `total` bytes of its own:
/// behind them, where hardware has it in front, so that only kernels that ask for it have it.
#[must_use]
pub const fn reserved_shared_offset(total: u32) -> u32 {
    total.next_multiple_of(RESERVED_SHARED_ALIGN)
}

/// Bytes of shared memory to map for a CTA with `total` bytes of its own, by [`EntryHeader::flags`] of its code.
#[must_use]
pub const fn mapped_shared(flags: u32, total: u32) -> u32 {
    match flags & flags::RESERVED_SHARED {
        0 => total,
        _ => reserved_shared_offset(total) + RESERVED_SHARED_BYTES,
    }
}

/// `id` of [`Helpers::barrier_arrive`] that arrives at the cluster's barrier ([`kind::WARP`] only).
pub const CLUSTER_ARRIVE: u32 = 16;
/// `id` of [`Helpers::barrier_arrive`] that waits for the phase of the cluster's barrier at which the warp has arrived.
pub const CLUSTER_WAIT: u32 = 17;
/// Byte offset of the kernel's parameters in constant bank 0 (what public sm_90 disassemblies show).
pub const PARAM_OFFSET: u32 = 0x210;

/// Byte offset of the parameters on a device of compute capability `cc` (major × 10 + minor), as public disassemblies
/// show it and as clients that fill bank 0 themselves (tinygrad) have it. An image says which it was made for.
#[must_use]
pub const fn param_offset(cc: u32) -> u32 {
    match cc {
        0..90 => 0x160,
        90..100 => PARAM_OFFSET,
        _ => 0x380,
    }
}
/// Upper bound of parameter bytes (CUDA 12.1 and newer on sm_70 and newer).
pub const PARAM_MAX: u32 = 32_764;

/// Host instruction sets an image may need, as a bit mask in [`EntryHeader::isa`].
pub mod isa {
    /// SSE4.2 and POPCNT (x86-64-v2).
    pub const SSE4: u32 = 1;
    /// AVX2, FMA, BMI1/2, F16C, LZCNT (x86-64-v3).
    pub const AVX2: u32 = 2;
    /// AVX-512 F, BW, CD, DQ, VL (x86-64-v4).
    pub const AVX512: u32 = 4;
    /// AVX-512 FP16.
    pub const AVX512_FP16: u32 = 8;
    /// AVX-512 BF16.
    pub const AVX512_BF16: u32 = 16;

    /// Those that this machine has. Each needs the ones before it, so that code for one may use them all.
    #[must_use]
    pub fn of_host() -> u32 {
        use std::arch::is_x86_feature_detected as has;
        let mut bits = 0;
        if !(has!("sse4.2") && has!("popcnt")) {
            return bits;
        }
        bits |= SSE4;
        if !(has!("avx2")
            && has!("fma")
            && has!("bmi1")
            && has!("bmi2")
            && has!("f16c")
            && has!("lzcnt"))
        {
            return bits;
        }
        bits |= AVX2;
        if !(has!("avx512f")
            && has!("avx512bw")
            && has!("avx512cd")
            && has!("avx512dq")
            && has!("avx512vl"))
        {
            return bits;
        }
        bits |= AVX512;
        if has!("avx512fp16") {
            bits |= AVX512_FP16;
        }
        if has!("avx512bf16") {
            bits |= AVX512_BF16;
        }
        bits
    }
}

/// How the SM calls an image.
pub mod kind {
    /// `extern "C" fn(*const CtaContext)`: one call runs every warp of one CTA to its end. It never calls
    /// [`super::Helpers::barrier`] and its kin or `yield_now`.
    pub const CTA: u32 = 0;
    /// `extern "C" fn(*const CtaContext, warp: u32)`: one call per warp, each on a fiber of its own, so barriers and
    /// yields may suspend it.
    pub const WARP: u32 = 1;
}

/// Head of an image. 128 bytes, little endian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct EntryHeader {
    /// [`IMAGE_MAGIC`].
    pub magic: u64,
    /// [`CODE_ABI`].
    pub abi: u32,
    /// Bits of [`isa`] that the host must have, all of them.
    pub isa: u32,
    /// Bytes of the whole image.
    pub image_bytes: u32,
    /// One of [`kind`].
    pub kind: u32,
    /// Offset of the entry function.
    pub entry: u32,
    /// Offset and size of the executable part (a fault's PC inside it is the kernel's).
    pub text: u32,
    /// Bytes of the executable part.
    pub text_bytes: u32,
    /// Static shared memory, bytes.
    pub shared_bytes: u32,
    /// Local memory per thread, bytes (multiple of 16).
    pub local_bytes: u32,
    /// Parameter bytes.
    pub param_bytes: u32,
    /// Offset of the parameters in constant bank 0.
    pub param_offset: u32,
    /// Host stack that one call needs at most, bytes (a fiber gets at least this and the SM's own reserve).
    pub stack_bytes: u32,
    /// Block dimensions that the code was specialised for; 0 = any.
    pub block: [u32; 3],
    /// Largest number of threads in a block (`.maxntid`, else 1024).
    pub max_threads: u32,
    /// Offset of the line table: rows sorted by `pc`, as [`crate::lines`] writes them; it ends where the strings begin.
    pub lines: u32,
    /// Entries in the line table.
    pub line_count: u32,
    /// Offset of the string table (kernel name first, then source file names), each string NUL-terminated.
    pub strings: u32,
    /// Bytes of the string table.
    pub string_bytes: u32,
    /// Bits of [`flags`].
    pub flags: u32,
    /// Zero.
    pub padding: u32,
    /// Address of an image that computes the same faster, 0 none (yet): written by the driver while launches of an image
    /// with [`flags::FAST`] may run. Blocks that start later may run the other image.
    pub better: u64,
    /// Zero.
    pub reserved: [u32; 6],
}

impl EntryHeader {
    /// How many threads of a block of these dimensions run.
    #[must_use]
    pub fn threads(&self, block: [u32; 3]) -> u32 {
        if self.flags & flags::ROWS_ALIKE == 0 {
            block.iter().product()
        } else {
            block[0]
        }
    }
}

/// Bits of [`EntryHeader::flags`].
pub mod flags {
    /// The kernel calls `cudaGridDependencySynchronize` or otherwise needs all CTAs resident (grid barrier).
    pub const COOPERATIVE: u32 = 1;
    /// Lanes may spin on memory that other lanes, warps or blocks write: the code yields in such loops.
    pub const SPINS: u32 = 2;
    /// Threads that differ in `%tid.y` or `%tid.z` alone do the same: the SM runs the block's first row only, as a block
    /// of `%ntid.x` threads.
    pub const ROWS_ALIKE: u32 = 4;
    /// Made in little time, to be replaced: [`super::EntryHeader::better`].
    pub const FAST: u32 = 8;
    /// The code reads where the reserved shared memory lies: the SM maps [`super::RESERVED_SHARED_BYTES`] more, from
    /// [`super::reserved_shared_offset`].
    pub const RESERVED_SHARED: u32 = 16;
}

/// One row of the line table: code from `pc` (offset in the image) up to the next row's `pc`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Offset of the first instruction, bytes from the image's start.
    pub pc: u32,
    /// Line of the PTX text, from 1; 0 unknown.
    pub ptx_line: u32,
    /// Source line from `.loc`, 0 unknown.
    pub source_line: u32,
    /// Source file: offset into the string table, 0 unknown.
    pub source_file: u32,
    /// Bytes that one lane accesses here, 0 for no access.
    pub access_bytes: u16,
    /// State space of the access: one of [`space`].
    pub space: u8,
    /// Bit 0 read, bit 1 write (both: atomic); or [`CALLED`].
    pub access: u8,
}

/// [`Line::access`] of functions that many places call: what they do is done by the instruction that called. They keep a
/// frame pointer, above which the address that they return to lies.
pub const CALLED: u8 = 4;

/// State spaces in [`Line::space`] and trap records.
pub mod space {
    /// Generic.
    pub const GENERIC: u8 = 0;
    /// Global.
    pub const GLOBAL: u8 = 1;
    /// Shared.
    pub const SHARED: u8 = 2;
    /// Local.
    pub const LOCAL: u8 = 3;
    /// Constant.
    pub const CONST: u8 = 4;
    /// Kernel parameter.
    pub const PARAM: u8 = 5;
}

/// What the SM hands to an image: one per resident CTA, read-only for the code.
///
/// Field offsets are part of the contract; a test below pins them.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CtaContext {
    /// 0: the SM's functions.
    pub helpers: *const Helpers,
    /// 8: first byte of the kernel's parameters (constant bank 0 + `param_offset`).
    pub params: *const u8,
    /// 16: base of the CTA's shared window.
    pub shared: *mut u8,
    /// 24: base of the CTA's local memory.
    pub local: *mut u8,
    /// 32: bytes from one thread's local memory to the next one's.
    pub local_stride: u64,
    /// 40: `%ntid` x, y, z.
    pub ntid: [u32; 3],
    /// 52: threads in the CTA.
    pub threads: u32,
    /// 56: `%nctaid` x, y, z.
    pub nctaid: [u32; 3],
    /// 68: warps in the CTA.
    pub warps: u32,
    /// 72: `%ctaid` x, y, z.
    pub ctaid: [u32; 3],
    /// 84: `%dynamic_smem_size`, bytes.
    pub dynamic_shared: u32,
    /// 88: `%gridid`.
    pub gridid: u64,
    /// 96: `%smid`.
    pub smid: u32,
    /// 100: `%nsmid`.
    pub nsmid: u32,
    /// 104: `%total_smem_size`, bytes.
    pub total_shared: u32,
    /// 108: `%warpid` of warp 0 (others follow).
    pub warpid_base: u32,
    /// 112: constant bank 0 ([`DriverConstants`] at its start).
    pub constants: *const u8,
    /// 120: workspace of a cooperative grid (`%envreg1` high, `%envreg2` low), 0 if none.
    pub grid_workspace: u64,
    /// 128: `%cluster_nctaid` x, y, z.
    pub cluster_nctaid: [u32; 3],
    /// 140: `%cluster_ctarank`.
    pub cluster_ctarank: u32,
    /// 144: `%cluster_ctaid` x, y, z.
    pub cluster_ctaid: [u32; 3],
    /// 156: zero.
    pub reserved: u32,
    /// 160: the SM's own; the code passes it on, never looks inside.
    pub sm: *mut core::ffi::c_void,
    /// 168: the SM's own: first SM of the launch.
    pub sm_first: u32,
    /// 172: the SM's own: behind the last SM of the launch.
    pub sm_end: u32,
}

/// Why code stops by itself ([`Helpers::trap`]). Numbers are ours; the SM maps them to Xid 13 subtypes and CUDA codes.
pub mod trap {
    /// `trap` instruction: CUDA 719.
    pub const TRAP: u32 = 1;
    /// A misaligned address: CUDA 716.
    pub const MISALIGNED: u32 = 2;
    /// An address outside the shared or local window: CUDA 700 (out of range shared or local address).
    pub const OUT_OF_RANGE: u32 = 3;
    /// Failed device assertion: CUDA 710.
    pub const ASSERT: u32 = 4;
    /// Call through an invalid function pointer: CUDA 718 (invalid PC).
    pub const INVALID_PC: u32 = 5;
    /// Stack exhausted by recursion: CUDA 719.
    pub const STACK_OVERFLOW: u32 = 6;
    /// An instruction that was refused at compile time was reached: CUDA 715 (illegal instruction).
    pub const ILLEGAL_INSTRUCTION: u32 = 7;
    /// `brkpt`.
    pub const BREAKPOINT: u32 = 8;
    /// An address of the wrong state space: CUDA 717.
    pub const ADDRESS_SPACE: u32 = 9;
}

/// Functions of the SM that code calls, always with the C calling convention. `mask` is the set of active lanes;
/// arrays have 32 elements, one per lane, of which only those in `mask` are read or written.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Helpers {
    /// 0: `bar.sync id, count` for one warp ([`kind::WARP`] only). `count` = 0: all threads of the CTA. Returns when
    /// the barrier has completed. Also orders shared and global memory within the CTA.
    pub barrier: extern "C" fn(*const CtaContext, warp: u32, id: u32, count: u32),
    /// 8: `bar.arrive`.
    pub barrier_arrive: extern "C" fn(*const CtaContext, warp: u32, id: u32, count: u32),
    /// 16: `bar.red.{popc,and,or}`: `op` 0 popc, 1 and, 2 or; `mask` the executing lanes, `pred` their predicates.
    /// Returns the reduction over all arriving threads (and/or: 0 or 1).
    pub barrier_reduce: extern "C" fn(
        *const CtaContext,
        warp: u32,
        id: u32,
        count: u32,
        op: u32,
        mask: u32,
        pred: u32,
    ) -> u32,
    /// 24: lets other warps, blocks, grids and channels advance ([`kind::WARP`] only).
    pub yield_now: extern "C" fn(*const CtaContext, warp: u32),
    /// 32: stops the context. `kind` is one of [`trap`], `lanes` the guilty lanes, `address` what they used (or 0),
    /// `line` the PTX line. Does not return.
    pub trap:
        extern "C" fn(*const CtaContext, warp: u32, kind: u32, lanes: u32, address: u64, line: u32),
    /// 40: `vprintf(fmt, args)` per lane: generic addresses of the format and of the packed arguments; `result` gets
    /// what `vprintf` returns.
    pub vprintf: extern "C" fn(
        *const CtaContext,
        warp: u32,
        mask: u32,
        fmt: *const u64,
        args: *const u64,
        result: *mut i32,
    ),
    /// 48: `__assertfail(message, file, line, function, charsize)`: prints to the FIFO as CUDA does, then traps with
    /// [`trap::ASSERT`].
    pub assertfail: extern "C" fn(
        *const CtaContext,
        warp: u32,
        mask: u32,
        message: *const u64,
        file: *const u64,
        line: *const u32,
        function: *const u64,
    ),
    /// 56: device `malloc` per lane; 0 when the heap is full.
    pub malloc:
        extern "C" fn(*const CtaContext, warp: u32, mask: u32, bytes: *const u64, result: *mut u64),
    /// 64: device `free` per lane.
    pub free: extern "C" fn(*const CtaContext, warp: u32, mask: u32, address: *const u64),
    /// 72: nanoseconds of the GPU's global timer (`%globaltimer`; the host's CLOCK_REALTIME).
    pub globaltimer: extern "C" fn() -> u64,
    /// 80: `nanosleep` ([`kind::WARP`] only): as `yield_now`, for at most about `ns` nanoseconds.
    pub nanosleep: extern "C" fn(*const CtaContext, warp: u32, ns: u32),
    /// 88: a function of the device runtime, [`crate::device_runtime::Function`] by number: its words in rows of 32 lanes,
    /// 32-bit words zero-extended, and a row for what it returns.
    pub device_runtime: extern "C" fn(
        *const CtaContext,
        warp: u32,
        mask: u32,
        function: u32,
        arguments: *const [u64; 32],
        results: *mut [u64; 32],
    ),
    /// 96: entries of later versions; zero.
    pub reserved: [u64; 3],
    /// 120: the texture unit. `instruction` is a [`crate::texture::Instruction`]; `handle` the objects by lane;
    /// `arguments` and `results` its words, each an array of 32 by lane; `line` the PTX line, for faults.
    pub texture: extern "C" fn(
        *const CtaContext,
        warp: u32,
        mask: u32,
        instruction: u64,
        handle: *const u64,
        arguments: *const [u32; 32],
        results: *mut [u32; 32],
        line: u32,
    ),
}

/// What the driver puts at the start of constant bank 0, before the parameters. 0 = absent. Addresses are GPU virtual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct DriverConstants {
    /// 0: printf FIFO ([`PrintfFifo`]).
    pub printf_fifo: u64,
    /// 8: device heap, managed by the SM.
    pub heap: u64,
    /// 16: bytes of the device heap.
    pub heap_bytes: u64,
    /// 24: workspace of a cooperative launch, zeroed.
    pub grid_workspace: u64,
    /// 32: `%gridid`.
    pub gridid: u64,
    /// 40: bytes of dynamic shared memory of this launch.
    pub dynamic_shared: u32,
    /// 44: bit 0: cooperative launch; bits 8 to 19 the number of SMs that it runs on (0 all), from bit 20 on the first.
    pub launch_flags: u32,
    /// 48: [`DriverConstants::MAGIC`]. Other drivers' bank 0 has other things in these places; without this word none of
    /// them is read.
    pub magic: u64,
    /// 56: what kernels of this module can launch ([`crate::device_runtime::Head`]).
    pub runtime: u64,
}

impl DriverConstants {
    /// Value of `magic`: `ANTLDRV1` little endian.
    pub const MAGIC: u64 = u64::from_le_bytes(*b"ANTLDRV1");
    /// Words of 32 bits.
    pub const WORDS: usize = size_of::<Self>() / 4;

    /// The first SM that a launch runs on and how many, of `all`.
    #[must_use]
    pub const fn sms(&self, all: u32) -> (u32, u32) {
        let (first, count) = (self.launch_flags >> 20, self.launch_flags >> 8 & 0xfff);
        if count == 0 || first + count > all {
            (0, if all == 0 { 1 } else { all })
        } else {
            (first, count)
        }
    }
}

/// Head of the printf FIFO in GPU memory; records follow in a ring of `bytes` bytes.
///
/// The SM reserves a record by a compare-and-swap on `tail` (byte counts that only grow; a record that would pass
/// `head + bytes` is dropped and counted), writes it and then stores its [`PrintfRecord::bytes`] last (release).
/// The user half reads records from `head`, clears their bytes and moves `head`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct PrintfFifo {
    /// 0: written by the SM.
    pub tail: u64,
    /// 8: written by the user half.
    pub head: u64,
    /// 16: bytes of the ring, a multiple of 8.
    pub bytes: u64,
    /// 24: records dropped for want of room.
    pub dropped: u64,
}

/// Head of a record in the printf FIFO, 8-byte aligned, never split at the ring's end (a filler record with
/// `format_bytes` 0 and `kind` 0xffff takes the rest). After it: the format string (NUL-terminated, padded to 8), then
/// `args` values of 8 bytes each (integers as passed and sign- or zero-extended, doubles as bits; for `%s` the byte
/// offset of a NUL-terminated copy of the string from the record's start), then those strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct PrintfRecord {
    /// 0: bytes of the whole record (multiple of 8); 0 = not yet complete.
    pub bytes: u32,
    /// 4: 0 printf, 1 assertion text (print to stderr), 0xffff filler.
    pub kind: u16,
    /// 6: number of arguments.
    pub args: u16,
    /// 8: bytes of the format with its NUL, before padding.
    pub format_bytes: u32,
    /// 12: zero.
    pub reserved: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::{offset_of, size_of};

    #[test]
    fn layouts_are_what_the_contract_says() {
        assert_eq!(size_of::<EntryHeader>(), 128);
        assert_eq!(offset_of!(EntryHeader, entry), 24);
        assert_eq!(offset_of!(CtaContext, threads), 52);
        assert_eq!(offset_of!(CtaContext, ctaid), 72);
        assert_eq!(offset_of!(CtaContext, gridid), 88);
        assert_eq!(offset_of!(CtaContext, constants), 112);
        assert_eq!(offset_of!(CtaContext, cluster_nctaid), 128);
        assert_eq!(offset_of!(CtaContext, sm), 160);
        assert_eq!(size_of::<CtaContext>(), 176);
        assert_eq!(offset_of!(Helpers, trap), 32);
        assert_eq!(offset_of!(Helpers, texture), 120);
        assert_eq!(size_of::<Helpers>(), 128);
        assert_eq!(size_of::<DriverConstants>(), 64);
        assert_eq!(size_of::<PrintfFifo>(), 32);
        assert_eq!(size_of::<PrintfRecord>(), 16);
    }
}
