//! What runs a case: the interpreter on the IR as lowered, and after the passes; later the compiled code.

use super::case::{Case, Left};
use super::native::Native;
use abi::jit::request_flags::{FAST, FORCE_WARP_ENTRY, NARROW};
use ptx::checked::{Checked, FunctionId, GlobalId, Symbol};
use ptx::layout::{Layout, function_address};
use ptxjit::interp::{self, Launch, Memory};
use ptxjit::ir::verify::verify;
use ptxjit::{ir, lower, passes};

/// Runs cases.
pub trait Executor: Sync {
    /// Name in the list of tests.
    fn name(&self) -> &'static str;

    /// Whether every NaN of binary32 counts as the canonical one (compiled code keeps the host's).
    fn any_nan(&self) -> bool {
        false
    }

    /// Whether this machine is to run it.
    fn runs(&self) -> bool {
        true
    }

    /// Runs a kernel.
    ///
    /// # Errors
    /// What went wrong, in words: errors of compilation, or why the kernel has stopped.
    fn run(&self, case: &Case) -> Result<Left, String>;
}

const SSE4: u32 = abi::sm::isa::SSE4;
const AVX2: u32 = SSE4 | abi::sm::isa::AVX2;
const AVX512: u32 = AVX2 | abi::sm::isa::AVX512;

const fn native(name: &'static str, isa: u32, flags: u32, specialise: bool) -> Native {
    Native {
        name,
        isa,
        flags,
        specialise,
    }
}

/// Every executor.
pub const ALL: &[&dyn Executor] = &[
    &Interpreter { optimise: false },
    &Interpreter { optimise: true },
    &native("sse4", SSE4, 0, true),
    &native("avx2", AVX2, 0, true),
    &native("avx2-any-fibers", AVX2, FORCE_WARP_ENTRY, false),
    &native("avx2-narrow", AVX2, NARROW, true),
    &native("avx2-fast", AVX2, FAST, true),
    &native("avx512", AVX512, 0, true),
    &native("avx512-any-fibers", AVX512, FORCE_WARP_ENTRY, false),
    &native("avx512-narrow", AVX512, NARROW, true),
    &native("avx512-fast", AVX512, FAST, true),
];

/// The interpreter.
pub struct Interpreter {
    /// After the passes.
    pub optimise: bool,
}

/// Memory of pieces at fixed addresses, with gaps between them.
struct Pieces {
    pieces: Vec<(u64, Vec<u8>)>,
    heap: u64,
}

/// Where the first piece lies, and how far apart they are.
const FIRST: u64 = 0x10_0000_0000;
const APART: u64 = 0x1_0000_0000;

impl Pieces {
    fn find(&mut self, address: u64, bytes: usize) -> Option<&mut [u8]> {
        let n = usize::try_from(address.checked_sub(FIRST)? / APART).ok()?;
        let (base, piece) = self.pieces.get_mut(n)?;
        let start = usize::try_from(address - *base).ok()?;
        piece.get_mut(start..start.checked_add(bytes)?)
    }

    fn add(&mut self, bytes: Vec<u8>) -> u64 {
        let base = FIRST + APART * self.pieces.len() as u64;
        self.pieces.push((base, bytes));
        base
    }
}

impl Memory for Pieces {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        self.find(address, bytes.len())
            .map(|piece| bytes.copy_from_slice(piece))
            .is_some()
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.find(address, bytes.len())
            .map(|piece| piece.copy_from_slice(bytes))
            .is_some()
    }

    fn alloc(&mut self, bytes: u64) -> u64 {
        self.heap += 1;
        usize::try_from(bytes).map_or(0, |bytes| self.add(vec![0; bytes]))
    }
}

/// Parses, checks and lowers a case's kernel.
pub fn front_end(case: &Case) -> Result<(Checked, ir::Module), String> {
    let log = |errors: Vec<ptx::Error>| ptx::render_log(&case.name, &errors);
    let ast = ptx::parse(&case.ptx).map_err(log)?;
    let checked = ptx::check(&ast, &ptx::Policy::default()).map_err(log)?;
    let layout = Layout::new(&checked).map_err(|error| error.to_string())?;
    let kernel = match &case.kernel {
        Some(kernel) => kernel.clone(),
        None => layout.kernels.first().ok_or("no kernel")?.name.clone(),
    };
    let module = lower::lower(&checked, &layout, &kernel).map_err(|error| error.to_string())?;
    verify(&module).map_err(|error| format!("{error}\n{module}"))?;
    Ok((checked, module))
}

impl Executor for Interpreter {
    fn name(&self) -> &'static str {
        if self.optimise {
            "interpreter-optimised"
        } else {
            "interpreter"
        }
    }

    fn run(&self, case: &Case) -> Result<Left, String> {
        let (checked, mut module) = front_end(case)?;
        if self.optimise {
            passes::optimise(&mut module);
            verify(&module).map_err(|error| format!("after the passes: {error}\n{module}"))?;
        }
        let mut memory = Pieces {
            pieces: Vec::new(),
            heap: 0,
        };
        let addresses: Vec<u64> = case
            .buffers
            .iter()
            .map(|buffer| memory.add(buffer.bytes.clone()))
            .collect();
        let globals = load_globals(&checked, &mut memory);
        let symbols: Vec<u64> = module
            .symbols
            .values()
            .map(|symbol| {
                checked
                    .globals
                    .iter()
                    .position(|g| g.name == symbol.name)
                    .map_or(0, |n| globals[n])
            })
            .collect();
        let launch = Launch {
            module: &module,
            grid: case.grid,
            block: case.block,
            params: &case.param_block(&addresses),
            dynamic_shared: case.shared,
            symbols: &symbols,
            fuel: 200_000_000,
        };
        let outcome = interp::run(&launch, &mut memory).map_err(|stop| stop.to_string())?;
        let buffers = memory
            .pieces
            .into_iter()
            .take(case.buffers.len())
            .map(|(_, bytes)| bytes)
            .collect();
        let formats = outcome
            .printf
            .iter()
            .map(|call| String::from_utf8_lossy(&call.format).into_owned());
        Ok(Left {
            buffers,
            printf: Some(formats.collect()),
        })
    }
}

/// Gives every module-scope variable a place and its initial contents.
fn load_globals(checked: &Checked, memory: &mut Pieces) -> Vec<u64> {
    let mut addresses = Vec::new();
    for global in &checked.globals {
        let mut bytes = vec![0; usize::try_from(global.size).unwrap_or(0)];
        if let Some(init) = &global.init {
            bytes[..init.bytes.len()].copy_from_slice(&init.bytes);
        }
        addresses.push(memory.add(bytes));
    }
    let address = |symbol: Symbol| match symbol {
        Symbol::Global(GlobalId(n)) => addresses[n as usize],
        Symbol::Function(FunctionId(n)) => function_address(FunctionId(n)),
        Symbol::Local(_) | Symbol::Param(_) | Symbol::Return(_) => 0,
    };
    for (global, &base) in checked.globals.iter().zip(&addresses) {
        for relocation in global.init.iter().flat_map(|init| &init.relocations) {
            let value = address(relocation.symbol).wrapping_add_signed(relocation.addend);
            let value = match relocation.mask {
                Some(mask) => (value & mask) >> mask.trailing_zeros(),
                None => value,
            };
            memory.write(
                base + relocation.offset,
                &value.to_le_bytes()[..relocation.size as usize],
            );
        }
    }
    addresses
}
