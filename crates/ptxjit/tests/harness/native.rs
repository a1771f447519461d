//! The compiled code, in this process.

use super::case::{Case, Left};
use super::elsewhere::{self, ELSEWHERE, Role};
use super::executor::Executor;
use fatbin::cubin::Cubin;
use ptxjit::compile::{Request, compile};
use ptxjit::testing::{Dims, End, launch, load};
use std::collections::HashMap;

/// Compiled code at an instruction set level.
pub struct Native {
    /// Name in the list of tests.
    pub name: &'static str,
    /// Bits of `abi::sm::isa`.
    pub isa: u32,
    /// Bits of `abi::jit::request_flags`.
    pub flags: u32,
    /// Compile for the case's block shape rather than for any.
    pub specialise: bool,
}

/// Memory that starts at a multiple of 256.
struct Aligned {
    words: Vec<[u64; 32]>,
    bytes: usize,
}

impl Aligned {
    fn new(bytes: &[u8], size: usize) -> Self {
        // One row more, to start at a boundary in it.
        let mut this = Self {
            words: vec![[0; 32]; size.div_ceil(256) + 1],
            bytes: size,
        };
        this.slice_mut()[..bytes.len()].copy_from_slice(bytes);
        this
    }

    fn start(&self) -> usize {
        (self.words.as_ptr() as usize).next_multiple_of(256) - self.words.as_ptr() as usize
    }

    fn slice_mut(&mut self) -> &mut [u8] {
        let (start, bytes) = (self.start(), self.bytes);
        // SAFETY: plain integers; the extra row leaves room for `start`.
        unsafe {
            std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast::<u8>().add(start), bytes)
        }
    }

    fn address(&self) -> u64 {
        (self.words.as_ptr() as usize + self.start()) as u64
    }
}

impl Native {
    /// The case's code, from here or from where it was compiled.
    fn code(&self, case: &Case) -> Result<Cubin, String> {
        if let Role::Runs(from) = elsewhere::role() {
            return elsewhere::find(from, self.name, case);
        }
        let request = Request {
            ptx: &case.ptx,
            isa: self.isa,
            kernel: case.kernel.as_deref(),
            block: if self.specialise { case.block } else { [0; 3] },
            opt_level: case.opt_level,
            cc: 90,
            flags: self.flags,
            max_ptx_version: 0,
        };
        let result = compile(&request);
        let result = result
            .map(|out| out.cubin)
            .map_err(|error| error.to_string());
        match elsewhere::role() {
            Role::Compiles(to) => {
                elsewhere::keep(to, self.name, case, &result)?;
                result.and(Err(ELSEWHERE.to_owned()))
            }
            Role::Whole | Role::Runs(_) => result,
        }
    }
}

impl Executor for Native {
    fn name(&self) -> &'static str {
        self.name
    }

    fn any_nan(&self) -> bool {
        true
    }

    fn runs(&self) -> bool {
        match elsewhere::role() {
            Role::Whole => self.isa & !abi::sm::isa::of_host() == 0,
            Role::Compiles(_) | Role::Runs(_) => self.isa & abi::sm::isa::AVX512 != 0,
        }
    }

    fn run(&self, case: &Case) -> Result<Left, String> {
        if std::env::var_os("NATIVE_TRACE").is_some() {
            eprintln!("{}: {}", self.name, case.name);
        }
        let cubin = self.code(case)?;
        let kernel = cubin.kernels.first().ok_or("no kernel")?;
        let mut globals: HashMap<String, u64> = HashMap::new();
        let mut memory: Vec<Aligned> = Vec::new();
        for global in &cubin.globals {
            let place = Aligned::new(&global.init, usize::try_from(global.size).unwrap_or(0));
            globals.insert(global.name.clone(), place.address());
            memory.push(place);
        }
        for (global, place) in cubin.globals.iter().zip(&mut memory) {
            for reloc in &global.relocs {
                let value = globals
                    .get(&reloc.symbol)
                    .ok_or("no such variable")?
                    .wrapping_add_signed(reloc.addend);
                let at = reloc.offset as usize;
                place.slice_mut()[at..at + 8].copy_from_slice(&value.to_le_bytes());
            }
        }
        let mut buffers: Vec<Aligned> = case
            .buffers
            .iter()
            .map(|b| Aligned::new(&b.bytes, b.bytes.len()))
            .collect();
        let addresses: Vec<u64> = buffers.iter().map(Aligned::address).collect();
        let loaded = load(kernel, &globals)?;
        let dims = Dims {
            grid: case.grid,
            block: case.block,
            dynamic_shared: case.shared,
        };
        match launch(&loaded, dims, &case.param_block(&addresses)) {
            End::Done(_) => Ok(Left {
                buffers: buffers.iter_mut().map(|b| b.slice_mut().to_vec()).collect(),
                printf: None,
            }),
            End::Trapped(trap) => Err(format!(
                "line {}: {} at {:#x}",
                trap.line,
                match trap.kind {
                    abi::sm::trap::TRAP => "trap",
                    abi::sm::trap::MISALIGNED => "misaligned",
                    abi::sm::trap::OUT_OF_RANGE => "out of range",
                    abi::sm::trap::ASSERT => "assertion",
                    abi::sm::trap::INVALID_PC => "invalid program counter",
                    ptxjit::testing::ILLEGAL_ADDRESS => "illegal address",
                    ptxjit::testing::ILLEGAL_HOST_INSTRUCTION =>
                        "an instruction that the host lacks",
                    abi::sm::trap::BREAKPOINT => "brkpt",
                    abi::sm::trap::STACK_OVERFLOW => "stack overflow",
                    _ => "trap of another kind",
                },
                trap.address
            )),
            End::Hung => Err("nothing happens any more".to_owned()),
        }
    }
}
