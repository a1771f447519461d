//! Stacks of warps and the switches between them.
//!
//! Saved state of whoever is switched away from, upwards from its stack pointer: MXCSR (8 bytes), r15, r14, r13, r12,
//! rbx, rbp, return address. A call of a CTA-kind image leaves the same record, so that one landing pad serves both.

use crate::shared_map::map_anonymous;
use crate::window::{PAGE, STACKS};
use abi::link::LinkError;
use abi::sm::CtaContext;
use core::arch::global_asm;
use core::mem::offset_of;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Mutex;

/// What a switch to the scheduler says about the CTA.
pub mod status {
    /// An image of kind CTA returned.
    pub const RETURNED: u64 = 0;
    /// All warps that can run have yielded once.
    pub const YIELDED: u64 = 1;
    /// Every live warp waits at a barrier.
    pub const STUCK: u64 = 2;
    /// The last warp ended.
    pub const DONE: u64 = 3;
    /// A signal handler stopped the code; the seat has the record.
    pub const FAULTED: u64 = 4;
    /// The code stopped itself; the CTA has the record.
    pub const TRAPPED: u64 = 5;
    /// The code was told to stop (dead context, freed channel).
    pub const ABANDONED: u64 = 6;
}

/// MXCSR at the start of a warp: all exceptions masked, round to nearest, denormals kept.
const MXCSR: u64 = 0x1f80;

global_asm!(
    ".text",
    ".p2align 4",
    // (entry, context, where to save the stack pointer, count, two bytes to watch) -> status
    // Calls the entry for `count` CTAs in a row, stepping %ctaid and %smid in the context.
    ".globl antl_enter",
    "antl_enter:",
    "push rbp; push rbx; push r12; push r13; push r14; push r15",
    "sub rsp, 8",
    "stmxcsr [rsp]",
    "mov [rdx], rsp",
    "mov rbx, rdi; mov rbp, rsi; mov r12, rcx; mov r13, r8; mov r14, r9",
    "jmp 3f",
    // %smid, then x, y, z.
    "2: mov eax, [rbp + {smid}]; inc eax; cmp eax, [rbp + {sm_end}]; jb 4f; mov eax, [rbp + {sm_first}]",
    "4: mov [rbp + {smid}], eax",
    "mov eax, [rbp + {ctaid}]; inc eax; cmp eax, [rbp + {nctaid}]; jb 5f",
    "mov eax, [rbp + {ctaid} + 4]; inc eax; cmp eax, [rbp + {nctaid} + 4]; jb 6f",
    "xor eax, eax; inc dword ptr [rbp + {ctaid} + 8]",
    "6: mov [rbp + {ctaid} + 4], eax; xor eax, eax",
    "5: mov [rbp + {ctaid}], eax",
    "3: cmp byte ptr [r13], 0; jne 7f; cmp byte ptr [r14], 0; jne 7f",
    "mov rdi, rbp",
    "call rbx",
    "dec r12; jnz 2b",
    "xor eax, eax",
    "jmp antl_resume",
    "7: mov eax, {abandoned}",
    "jmp antl_resume",
    // (where to save the stack pointer, stack pointer to go to, value) -> value given by whoever comes back
    ".globl antl_switch",
    "antl_switch:",
    "push rbp; push rbx; push r12; push r13; push r14; push r15",
    "sub rsp, 8",
    "stmxcsr [rsp]",
    "mov [rdi], rsp",
    // (-, stack pointer to go to, value): never comes back
    ".globl antl_leave",
    "antl_leave:",
    "mov rsp, rsi",
    "mov rax, rdx",
    // Also the landing pad: rsp and rax set by the signal handler.
    ".globl antl_resume",
    "antl_resume:",
    "ldmxcsr [rsp]",
    "add rsp, 8",
    "pop r15; pop r14; pop r13; pop r12; pop rbx; pop rbp",
    "ret",
    ".globl antl_warp_start",
    "antl_warp_start:",
    "mov rdi, r13",
    "mov esi, r14d",
    "call r12",
    "mov rdi, r13",
    "mov esi, r14d",
    "call antl_warp_exit",
    "ud2",
    ctaid = const offset_of!(CtaContext, ctaid),
    nctaid = const offset_of!(CtaContext, nctaid),
    smid = const offset_of!(CtaContext, smid),
    sm_first = const offset_of!(CtaContext, sm_first),
    sm_end = const offset_of!(CtaContext, sm_end),
    abandoned = const status::ABANDONED,
);

unsafe extern "C" {
    fn antl_enter(
        entry: u64,
        ctx: *mut CtaContext,
        save: *mut u64,
        count: u64,
        stop: *const AtomicBool,
        stop_too: *const AtomicBool,
    ) -> u64;
    fn antl_switch(save: *mut u64, to: u64, value: u64) -> u64;
    fn antl_leave(unused: u64, to: u64, value: u64) -> !;
    static antl_resume: u8;
    static antl_warp_start: u8;
}

/// Address of the landing pad.
#[must_use]
pub fn landing() -> u64 {
    &raw const antl_resume as u64
}

/// Calls a CTA-kind entry on the current stack for `count` CTAs in a row, from the one that `ctx` is placed at. Stops
/// before the next one with [`status::ABANDONED`] once one of the flags is set.
///
/// # Safety
/// `entry` is the checked entry of a mapped image, `ctx` a filled context; `save` stays valid for the call.
pub unsafe fn enter(
    entry: u64,
    ctx: *mut CtaContext,
    save: *mut u64,
    count: u64,
    stop: [&AtomicBool; 2],
) -> u64 {
    // SAFETY: the caller's contract.
    unsafe { antl_enter(entry, ctx, save, count, stop[0], stop[1]) }
}

/// Saves the current state and continues at `to`.
///
/// # Safety
/// `to` is a stack pointer saved by [`switch`], [`enter`] or made by [`prepare`], which nobody else will use.
pub unsafe fn switch(save: *mut u64, to: u64, value: u64) -> u64 {
    // SAFETY: the caller's contract.
    unsafe { antl_switch(save, to, value) }
}

/// Gives up the current stack and continues at `to`.
///
/// # Safety
/// As [`switch`]; frames on the current stack hold nothing that needs dropping.
pub unsafe fn leave(to: u64, value: u64) -> ! {
    // SAFETY: the caller's contract.
    unsafe { antl_leave(0, to, value) }
}

/// Writes the record that starts `entry(ctx, warp)` on a fresh stack; returns its stack pointer.
///
/// # Safety
/// `top` is the end of a writable stack of at least 128 bytes that nothing runs on.
pub unsafe fn prepare(top: u64, entry: u64, ctx: *const CtaContext, warp: u32) -> u64 {
    let sp = (top & !63) - 64;
    let record = [
        MXCSR,
        0,
        u64::from(warp),
        ctx as u64,
        entry,
        0,
        0,
        &raw const antl_warp_start as u64,
    ];
    // SAFETY: inside the stack.
    unsafe { core::ptr::copy_nonoverlapping(record.as_ptr(), sp as *mut u64, record.len()) };
    sp
}

/// Stack of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Lowest usable address; a guard page lies below.
    pub base: u64,
    /// log2 of its size.
    pub class: u32,
}

impl Stack {
    /// First address after the stack.
    #[must_use]
    pub fn top(&self) -> u64 {
        self.base + (1 << self.class)
    }
}

/// Smallest stack: 64 KiB.
const MIN_CLASS: u32 = 16;
/// Largest stack: 16 MiB.
const MAX_CLASS: u32 = 24;
/// What the SM's own functions need on a warp's stack, bytes.
const RESERVE: u64 = 24 << 10;
/// Stacks that may exist (each costs two mappings of the 65,530 that Linux allows).
pub const MAX_STACKS: u64 = 20_000;

/// All stacks: made when first needed, kept and used again.
#[derive(Debug)]
pub struct StackPool {
    free: [Mutex<Vec<Stack>>; (MAX_CLASS - MIN_CLASS + 1) as usize],
    next: AtomicU64,
    made: AtomicU64,
}

impl Default for StackPool {
    fn default() -> StackPool {
        StackPool {
            free: [const { Mutex::new(Vec::new()) }; (MAX_CLASS - MIN_CLASS + 1) as usize],
            next: AtomicU64::new(STACKS.start),
            made: AtomicU64::new(0),
        }
    }
}

impl StackPool {
    /// Size class for code that needs `bytes`, or none if no stack is that big.
    #[must_use]
    pub fn class_for(bytes: u64) -> Option<u32> {
        let size = (bytes + RESERVE).next_power_of_two();
        let class = size.trailing_zeros().max(MIN_CLASS);
        (class <= MAX_CLASS).then_some(class)
    }

    /// Takes a stack of the class.
    ///
    /// # Errors
    /// [`LinkError::Limit`] when there are too many, or what mmap says.
    pub fn take(&self, class: u32) -> Result<Stack, LinkError> {
        let list = &self.free[(class - MIN_CLASS) as usize];
        if let Some(stack) = list
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .pop()
        {
            return Ok(stack);
        }
        if self.made.fetch_add(1, Ordering::Relaxed) >= MAX_STACKS {
            self.made.fetch_sub(1, Ordering::Relaxed);
            return Err(LinkError::Limit);
        }
        let size = 1u64 << class;
        let at = self.next.fetch_add(size + PAGE, Ordering::Relaxed);
        if at + size + PAGE > STACKS.end {
            return Err(LinkError::Limit);
        }
        map_anonymous(at + PAGE, size)?;
        Ok(Stack {
            base: at + PAGE,
            class,
        })
    }

    /// Gives a stack back.
    pub fn put(&self, stack: Stack) {
        self.free[(stack.class - MIN_CLASS) as usize]
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .push(stack);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_leave_room_for_the_reserve() {
        assert_eq!(StackPool::class_for(0), Some(16));
        assert_eq!(StackPool::class_for(40 << 10), Some(16));
        assert_eq!(StackPool::class_for(64 << 10), Some(17));
        assert_eq!(StackPool::class_for(16 << 20), None);
    }

    #[test]
    fn stacks_are_used_again_and_do_not_touch() {
        let pool = StackPool::default();
        let a = pool.take(16).expect("stack");
        let b = pool.take(16).expect("stack");
        assert!(a.top() < b.base || b.top() < a.base);
        pool.put(a);
        assert_eq!(pool.take(16), Ok(a));
    }
}
