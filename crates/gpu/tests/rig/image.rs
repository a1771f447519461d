//! Tiny images of the code contract, assembled into the test binary and copied out.

use abi::sm::{CODE_ABI, EntryHeader, IMAGE_MAGIC, Line, PARAM_OFFSET, kind};
use std::arch::global_asm;

global_asm!(
    ".text",
    // c[i] = a[i] + b[i]; params a, b, c, n. Kind CTA.
    "rig_vecadd:",
    "mov rax, [rdi + 8]",
    "mov rsi, [rax]; mov rdx, [rax + 8]; mov rcx, [rax + 16]; mov r8d, [rax + 24]",
    "mov r9d, [rdi + 72]; mov r10d, [rdi + 52]; imul r9d, r10d",
    "2: cmp r9d, r8d; jae 3f",
    "movss xmm0, [rsi + r9*4]; addss xmm0, [rdx + r9*4]; movss [rcx + r9*4], xmm0",
    "inc r9d; dec r10d; jnz 2b",
    "3: ret",
    "rig_vecadd_end:",
    // Nothing. Kind CTA.
    "rig_empty: ret",
    "rig_empty_end:",
    // Stores 1 at param 0. Kind CTA.
    "rig_store:",
    "mov rax, [rdi + 8]; mov rax, [rax]",
    "mov dword ptr [rax], 1",
    "ret",
    "rig_store_end:",
    // The same by a function with a frame: the call ends 5 bytes from the start, the function begins at 8. Kind CTA.
    "rig_called:",
    ".byte 0xe8, 3, 0, 0, 0", // call rig_called + 8
    "ret",
    "nop; nop",
    "push rbp; mov rbp, rsp; sub rsp, 512; and rsp, -64",
    "mov rax, [rdi + 8]; mov rax, [rax]",
    "mov dword ptr [rax], 1",
    "mov rsp, rbp; pop rbp",
    "ret",
    "rig_called_end:",
    // out[ctaid] += 1 with lock; params out. Kind CTA.
    "rig_count:",
    "mov rax, [rdi + 8]; mov rax, [rax]; mov ecx, [rdi + 72]",
    "lock inc dword ptr [rax + rcx*4]",
    "ret",
    "rig_count_end:",
    // Spins for ever without yielding. Kind CTA.
    "rig_forever:",
    "mov rax, [rdi + 8]; mov rax, [rax]; mov dword ptr [rax], 1",
    "2: pause; jmp 2b",
    "rig_forever_end:",
    // open("") by hand. Kind CTA.
    "rig_open:",
    "mov eax, 2; lea rdi, [rip + rig_open]; xor esi, esi; xor edx, edx",
    "syscall",
    "ret",
    "rig_open_end:",
    // Calls what param 0 points to. Kind CTA.
    "rig_jump:",
    "mov rax, [rdi + 8]; mov rax, [rax]",
    "sub rsp, 8; call rax; add rsp, 8",
    "ret",
    "rig_jump_end:",
    // Writes shared[param 0] = 7. Kind CTA.
    "rig_shared_store:",
    "mov rax, [rdi + 8]; mov eax, [rax]; add rax, [rdi + 16]",
    "mov dword ptr [rax], 7",
    "ret",
    "rig_shared_store_end:",
    // shared[warp] = warp + 1, barrier, out[ctaid * warps + warp] = sum, barrier, again with doubled values. Kind WARP.
    "rig_barrier:",
    "push rbx; push r12; push r13; mov rbx, rdi; mov r12d, esi; xor r13d, r13d",
    "5:",
    "mov rax, [rbx + 16]; lea ecx, [r12 + 1]; cmp r13d, 0; je 4f; add ecx, ecx; 4: mov [rax + r12*4], ecx",
    "mov rdi, rbx; mov esi, r12d; xor edx, edx; xor ecx, ecx; mov rax, [rbx]; call [rax]",
    "mov rax, [rbx + 16]; xor ecx, ecx; xor edx, edx",
    "2: add edx, [rax + rcx*4]; inc ecx; cmp ecx, [rbx + 68]; jb 2b",
    "mov rax, [rbx + 8]; mov rax, [rax]; mov ecx, [rbx + 72]; imul ecx, [rbx + 68]; add ecx, r12d",
    "mov [rax + rcx*4], edx",
    "mov rdi, rbx; mov esi, r12d; mov edx, 3; mov ecx, [rbx + 52]; mov rax, [rbx]; call [rax]",
    "inc r13d; cmp r13d, 2; jb 5b",
    "pop r13; pop r12; pop rbx; ret",
    "rig_barrier_end:",
    // Waits until *param0 != 0 (yielding), then *param1 = 1. Kind WARP.
    "rig_wait:",
    "push rbx; push r12; sub rsp, 8; mov rbx, rdi; mov r12d, esi",
    "2: mov rax, [rbx + 8]; mov rax, [rax]; mov eax, [rax]; test eax, eax; jnz 3f",
    "mov rdi, rbx; mov esi, r12d; mov rax, [rbx]; call [rax + 24]; jmp 2b",
    "3: mov rax, [rbx + 8]; mov rax, [rax + 8]; mov dword ptr [rax], 1",
    "add rsp, 8; pop r12; pop rbx; ret",
    "rig_wait_end:",
    // Look-back: waits for flags[ctaid - 1], then flags[ctaid] = that + 1 (flags[0] = 1). Kind WARP.
    "rig_lookback:",
    "push rbx; push r12; push r13; mov rbx, rdi; mov r12d, esi",
    "mov rax, [rbx + 8]; mov r13, [rax]; xor ecx, ecx",
    "mov eax, [rbx + 72]; test eax, eax; jz 3f",
    "2: mov eax, [rbx + 72]; mov ecx, [r13 + rax*4 - 4]; test ecx, ecx; jnz 3f",
    "mov rdi, rbx; mov esi, r12d; mov rax, [rbx]; call [rax + 24]; jmp 2b",
    "3: mov eax, [rbx + 72]; inc ecx; mov [r13 + rax*4], ecx",
    "pop r13; pop r12; pop rbx; ret",
    "rig_lookback_end:",
    // Grid barrier: counts itself in, waits until all CTAs have. params counter. Kind WARP.
    "rig_grid_barrier:",
    "push rbx; push r12; push r13; mov rbx, rdi; mov r12d, esi",
    "mov rax, [rbx + 8]; mov r13, [rax]; lock inc dword ptr [r13]",
    "2: mov eax, [r13]; mov ecx, [rbx + 56]; imul ecx, [rbx + 68]; cmp eax, ecx; jae 3f",
    "mov rdi, rbx; mov esi, r12d; mov rax, [rbx]; call [rax + 24]; jmp 2b",
    "3: pop r13; pop r12; pop rbx; ret",
    "rig_grid_barrier_end:",
    // trap(kind = param 0, lanes 4, address 0x1234, line 42). Kind WARP.
    "rig_trap:",
    "sub rsp, 8",
    "mov rax, [rdi + 8]; mov edx, [rax]; mov ecx, 4; mov r8d, 0x1234; mov r9d, 42; mov rax, [rdi]; call [rax + 32]",
    "rig_trap_end:",
    // vprintf(param 0, param 1) for lanes 0 and 1; *param 2 = result of lane 1. Kind WARP.
    "rig_printf:",
    "push rbx; sub rsp, 640; mov rbx, rdi",
    "mov rax, [rdi + 8]; mov rcx, [rax]; mov [rsp], rcx; mov [rsp + 8], rcx",
    // No arguments given: 77 on the stack.
    "mov rcx, [rax + 8]; test rcx, rcx; jnz 2f; lea rcx, [rsp + 600]; mov qword ptr [rcx], 77",
    "2: mov [rsp + 256], rcx; mov [rsp + 264], rcx",
    "mov edx, 3; mov rcx, rsp; lea r8, [rsp + 256]; lea r9, [rsp + 512]",
    "mov rax, [rbx]; call [rax + 40]",
    "mov rax, [rbx + 8]; mov rax, [rax + 16]; mov ecx, [rsp + 516]; mov [rax], ecx",
    "add rsp, 640; pop rbx; ret",
    "rig_printf_end:",
    // assertfail(message = param 0, file = param 1, line = 7, function = param 2) for lane 5. Kind WARP.
    "rig_assert:",
    "push rbx; sub rsp, 1184; mov rbx, rdi",
    "mov rax, [rdi + 8]; mov rcx, [rax]; mov [rsp + 32 + 40], rcx; mov rcx, [rax + 8]; mov [rsp + 288 + 40], rcx",
    "mov rcx, [rax + 16]; mov [rsp + 544 + 40], rcx; mov dword ptr [rsp + 800 + 20], 7",
    "lea rax, [rsp + 544]; mov [rsp], rax",
    "mov edx, 32; lea rcx, [rsp + 32]; lea r8, [rsp + 288]; lea r9, [rsp + 800]",
    "mov rax, [rbx]; call [rax + 48]",
    "ud2",
    "rig_assert_end:",
    // Recursion without end. Kind WARP.
    "rig_recurse:",
    "sub rsp, 1000; call rig_recurse; add rsp, 1000; ret",
    "rig_recurse_end:",
    // out[warp] = bar.red.popc(mask = all, pred = warp bits) ; params out. Kind WARP.
    "rig_votes:",
    "push rbx; push r12; sub rsp, 24; mov rbx, rdi; mov r12d, esi",
    "mov qword ptr [rsp], -1; xor edx, edx; xor ecx, ecx; xor r8d, r8d; mov r9d, -1",
    "lea eax, [r12 + 1]; mov [rsp], rax; mov rax, [rbx]; call [rax + 16]",
    "mov rcx, [rbx + 8]; mov rcx, [rcx]; mov [rcx + r12*4], eax",
    "add rsp, 24; pop r12; pop rbx; ret",
    "rig_votes_end:",
);

macro_rules! kernels {
    ($($name:ident, $start:ident, $end:ident, $kind:expr;)*) => {
        unsafe extern "C" { $(static $start: u8; static $end: u8;)* }
        $(
            #[must_use]
            pub fn $name() -> Image {
                let (start, end) = (&raw const $start as usize, &raw const $end as usize);
                // SAFETY: the code between two labels of this binary.
                let code = unsafe { std::slice::from_raw_parts(start as *const u8, end - start) };
                Image::new(stringify!($name), $kind, code)
            }
        )*
    };
}

kernels! {
    vecadd, rig_vecadd, rig_vecadd_end, kind::CTA;
    empty, rig_empty, rig_empty_end, kind::CTA;
    store, rig_store, rig_store_end, kind::CTA;
    called, rig_called, rig_called_end, kind::CTA;
    count, rig_count, rig_count_end, kind::CTA;
    forever, rig_forever, rig_forever_end, kind::CTA;
    open_by_hand, rig_open, rig_open_end, kind::CTA;
    jump, rig_jump, rig_jump_end, kind::CTA;
    shared_store, rig_shared_store, rig_shared_store_end, kind::CTA;
    barrier, rig_barrier, rig_barrier_end, kind::WARP;
    wait, rig_wait, rig_wait_end, kind::WARP;
    lookback, rig_lookback, rig_lookback_end, kind::WARP;
    grid_barrier, rig_grid_barrier, rig_grid_barrier_end, kind::WARP;
    trap, rig_trap, rig_trap_end, kind::WARP;
    printf, rig_printf, rig_printf_end, kind::WARP;
    assert_fail, rig_assert, rig_assert_end, kind::WARP;
    recurse, rig_recurse, rig_recurse_end, kind::WARP;
    votes, rig_votes, rig_votes_end, kind::WARP;
}

/// An image being made.
#[derive(Clone, Debug)]
pub struct Image {
    pub header: EntryHeader,
    code: Vec<u8>,
    lines: Vec<Line>,
    strings: Vec<u8>,
}

impl Image {
    fn new(name: &str, kind: u32, code: &[u8]) -> Image {
        let mut strings = name.as_bytes().to_vec();
        strings.push(0);
        Image {
            header: EntryHeader {
                magic: IMAGE_MAGIC,
                abi: CODE_ABI,
                kind,
                entry: 128,
                text: 128,
                text_bytes: code.len() as u32,
                param_offset: PARAM_OFFSET,
                stack_bytes: 4096,
                max_threads: 1024,
                ..EntryHeader::default()
            },
            code: code.to_vec(),
            lines: vec![],
            strings,
        }
    }

    /// A line table: `line` for all code, with an access.
    #[must_use]
    pub fn line(mut self, ptx_line: u32, file: &str, source_line: u32, access: u8) -> Image {
        let source_file = self.strings.len() as u32;
        self.strings.extend_from_slice(file.as_bytes());
        self.strings.push(0);
        self.lines.push(Line {
            pc: 128,
            ptx_line,
            source_line,
            source_file,
            access_bytes: 4,
            space: 1,
            access,
        });
        self
    }

    /// One more row of the line table, from `pc` bytes of code on.
    #[must_use]
    pub fn row(mut self, pc: u32, ptx_line: u32, access: u8) -> Image {
        self.lines.push(Line {
            pc: 128 + pc,
            ptx_line,
            access,
            ..Line::default()
        });
        self
    }

    #[must_use]
    pub fn flags(mut self, flags: u32) -> Image {
        self.header.flags = flags;
        self
    }

    #[must_use]
    pub fn bytes(mut self) -> Vec<u8> {
        let h = &mut self.header;
        h.lines = (128 + self.code.len() as u32).next_multiple_of(16);
        h.line_count = self.lines.len() as u32;
        let lines = abi::lines::encode(&self.lines);
        h.strings = h.lines + lines.len() as u32;
        h.string_bytes = self.strings.len() as u32;
        h.image_bytes = h.strings + h.string_bytes;
        // SAFETY: a plain structure of integers without padding (its size is pinned by the contract's test).
        let head =
            unsafe { std::slice::from_raw_parts((&raw const self.header).cast::<u8>(), 128) };
        let mut out = head.to_vec();
        out.extend_from_slice(&self.code);
        out.resize(self.header.lines as usize, 0);
        out.extend(lines);
        out.extend_from_slice(&self.strings);
        out
    }
}
