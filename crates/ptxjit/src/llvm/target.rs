//! Instruction set levels, target machines, the pass pipeline, and objects from modules.

use abi::sm::isa;
use inkwell::OptimizationLevel;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Once;

/// What code may use. Ordered: each level has all of the ones before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// x86-64-v2
    Sse4,
    /// x86-64-v3
    Avx2,
    /// x86-64-v4
    Avx512,
}

impl Level {
    /// The best level that a host with these [`isa`] bits runs; `None` below SSE4.2.
    #[must_use]
    pub fn of_host(bits: u32) -> Option<Self> {
        if bits & isa::AVX512 != 0 {
            Some(Self::Avx512)
        } else if bits & isa::AVX2 != 0 {
            Some(Self::Avx2)
        } else if bits & isa::SSE4 != 0 {
            Some(Self::Sse4)
        } else {
            None
        }
    }

    /// What an image of this level needs: [`isa`] bits.
    #[must_use]
    pub const fn isa(self) -> u32 {
        match self {
            Self::Sse4 => isa::SSE4,
            Self::Avx2 => isa::SSE4 | isa::AVX2,
            Self::Avx512 => isa::SSE4 | isa::AVX2 | isa::AVX512,
        }
    }

    const fn cpu(self) -> &'static str {
        match self {
            Self::Sse4 => "x86-64-v2",
            Self::Avx2 => "x86-64-v3",
            Self::Avx512 => "x86-64-v4",
        }
    }

    /// Tuning: with `fast-gather`, gathers stay instructions instead of 32 branches.
    pub const fn tune(self) -> &'static str {
        match self {
            Self::Sse4 => "x86-64",
            Self::Avx2 => "skylake",
            Self::Avx512 => "icelake-server",
        }
    }

    /// Bits of the widest vector register.
    pub const fn vector_bits(self) -> u32 {
        match self {
            Self::Sse4 => 128,
            Self::Avx2 => 256,
            Self::Avx512 => 512,
        }
    }
}

/// `x86_64-unknown-linux-gnu`: images are ELF objects first.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// What went wrong in LLVM: always a fault of ours.
#[derive(Debug, thiserror::Error)]
#[error("LLVM: {0}")]
pub struct LlvmError(pub String);

/// Runs `f` with a target machine for a level: one that the thread keeps, as making one costs more than a small kernel.
///
/// # Errors
/// [`LlvmError`] where LLVM has no such machine, and what `f` gives.
pub fn with_machine<R>(
    level: Level,
    opt_level: u32,
    f: impl FnOnce(&TargetMachine) -> Result<R, LlvmError>,
) -> Result<R, LlvmError> {
    type Kept = Vec<((Level, u32), Rc<TargetMachine>)>;
    thread_local! {
        static KEPT: RefCell<Kept> = const { RefCell::new(Vec::new()) };
    }
    let key = (level, opt_level.min(2));
    let known = KEPT.with_borrow(|kept| {
        let found = kept.iter().find(|(k, _)| *k == key);
        found.map(|(_, machine)| machine.clone())
    });
    let machine = match known {
        Some(machine) => machine,
        None => {
            let machine = Rc::new(machine(level, opt_level)?);
            KEPT.with_borrow_mut(|kept| kept.push((key, machine.clone())));
            machine
        }
    };
    f(&machine)
}

/// What LLVM's command line would be, once per process (the library's own copy of LLVM). Code has line numbers and no
/// variables: following variables through machine code took a tenth of code generation, for nothing.
fn set_options() {
    let words = [
        c"antlerite",
        c"-experimental-debug-variable-locations=false",
    ];
    let words = words.map(std::ffi::CStr::as_ptr);
    // SAFETY: a list of C strings of the length that is given, and no text of our own for the usage message.
    unsafe {
        inkwell::llvm_sys::support::LLVMParseCommandLineOptions(
            2,
            words.as_ptr(),
            std::ptr::null(),
        );
    }
}

/// A target machine for a level.
///
/// # Errors
/// [`LlvmError`] where LLVM has no such machine.
pub fn machine(level: Level, opt_level: u32) -> Result<TargetMachine, LlvmError> {
    static INIT: Once = Once::new();
    INIT.call_once(|| {
        set_options();
        Target::initialize_x86(&InitializationConfig::default());
    });
    let triple = TargetTriple::create(TRIPLE);
    let target = Target::from_triple(&triple).map_err(|e| LlvmError(e.to_string()))?;
    let optimization = match opt_level {
        0 => OptimizationLevel::None,
        1 => OptimizationLevel::Less,
        _ => OptimizationLevel::Default,
    };
    target
        .create_target_machine(
            &triple,
            level.cpu(),
            "",
            optimization,
            RelocMode::PIC,
            CodeModel::Small,
        )
        .ok_or_else(|| LlvmError(format!("no target machine for {}", level.cpu())))
}

/// LLVM instructions from which on code generation takes seconds instead of milliseconds with the usual effort: its
/// scheduler and register allocator grow faster than a block does.
const HUGE: usize = 12_000;

/// Weight from which on not even a launch that nothing could take over from waits for good code: about 60 ms.
pub const VERY_DEAR: usize = 2_000;

/// Instructions of our own form from which on LLVM is sure to get too many.
const HUGE_SOURCE: usize = 6_000;

/// Whether a function is so large that its code will be made with the least effort ([`effort`]).
#[must_use]
pub fn is_huge(f: &crate::ir::Function) -> bool {
    let count = f.blocks.values().map(|b| b.insts.len());
    count.sum::<usize>() > HUGE_SOURCE
}

/// Registers of results ([`weight`]) from which on the same holds, where a register has 256 bits.
const HEAVY: usize = 150_000;

/// The optimisation level to use: the one asked for, or none for a module so large that its compile time would not be
/// bounded otherwise. Where registers are short, the same module has more of them to allocate. `weight` is the module's.
pub fn effort(module: &Module<'_>, weight: usize, level: Level, opt_level: u32) -> u32 {
    let heavy = HEAVY / 256 * level.vector_bits().min(256) as usize;
    if weight > heavy {
        return 0;
    }
    let mut instructions = 0;
    for function in module.get_functions() {
        for block in function.get_basic_block_iter() {
            instructions += block.get_instructions().count();
            if instructions > HUGE {
                return 0;
            }
        }
    }
    opt_level
}

/// Weight from which on a kernel is dear: good code for it takes about 6 ms.
pub const DEAR: usize = 100;

/// Instructions of our own form from which on a kernel is surely dear: nobody needs to weigh its good code.
pub const DEAR_SOURCE: usize = 16;

/// What code of the first tier must weigh less than, where good code weighs `good`: for what weighs the same it takes a
/// fifth of the time.
pub const fn worth(good: usize) -> usize {
    2 * good
}

/// Instructions of a module, each by the registers of 256 bits that its result takes: what the time of code generation
/// goes by, in either tier.
pub fn weight(module: &Module<'_>) -> usize {
    use inkwell::types::{AnyTypeEnum, BasicTypeEnum};
    use inkwell::values::InstructionOpcode as Opcode;
    let vector = |lanes: u32, element: BasicTypeEnum<'_>| {
        let bits = match element {
            BasicTypeEnum::IntType(t) => t.get_bit_width(),
            BasicTypeEnum::FloatType(t) => t.get_bit_width(),
            _ => 64,
        };
        (lanes * bits).div_ceil(256).max(1) as usize
    };
    let mut sum = 0;
    for function in module.get_functions() {
        for block in function.get_basic_block_iter() {
            for instruction in block.get_instructions() {
                let registers = match instruction.get_type() {
                    AnyTypeEnum::VectorType(t) => vector(t.get_size(), t.get_element_type()),
                    _ => 1,
                };
                sum += match instruction.get_opcode() {
                    Opcode::ShuffleVector | Opcode::Select | Opcode::Call => 2 * registers,
                    Opcode::BitCast | Opcode::Alloca | Opcode::Br => 0,
                    _ => registers,
                };
            }
        }
    }
    sum
}

/// The passes: as good as `-O2` on what the generator writes, at a fifth of its time.
const PASSES: &str = "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
    loop-mssa(licm<allowspeculation>),gvn,dse,simplifycfg,instcombine<no-verify-fixpoint>,adce)";
/// Without optimisation: values out of their slots, nothing else.
const PASSES_O0: &str = "function(sroa<modify-cfg>)";

/// Says for which machine a module is: all that code of the first tier needs. Its values stay in memory, for finding
/// those that could be in registers takes longer than what else is done with them.
pub fn lay_out(module: &Module<'_>, machine: &TargetMachine) {
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
}

/// Optimises a module in place.
///
/// # Errors
/// [`LlvmError`] if the pipeline is refused.
pub fn optimise(
    module: &Module<'_>,
    machine: &TargetMachine,
    opt_level: u32,
) -> Result<(), LlvmError> {
    lay_out(module, machine);
    super::promote::slots(module);
    let passes = if opt_level == 0 { PASSES_O0 } else { PASSES };
    module
        .run_passes(passes, machine, PassBuilderOptions::create())
        .map_err(|e| LlvmError(e.to_string()))
}

/// Object file (ELF, relocatable) of a module.
///
/// # Errors
/// [`LlvmError`] if code generation fails.
pub fn object(module: &Module<'_>, machine: &TargetMachine) -> Result<Vec<u8>, LlvmError> {
    emit(module, machine, FileType::Object)
}

/// Assembly text of a module (for dumps).
///
/// # Errors
/// [`LlvmError`] if code generation fails.
pub fn assembly(module: &Module<'_>, machine: &TargetMachine) -> Result<Vec<u8>, LlvmError> {
    emit(module, machine, FileType::Assembly)
}

fn emit(
    module: &Module<'_>,
    machine: &TargetMachine,
    kind: FileType,
) -> Result<Vec<u8>, LlvmError> {
    machine
        .write_to_memory_buffer(module, kind)
        .map(|buffer| buffer.as_slice().to_vec())
        .map_err(|e| LlvmError(e.to_string()))
}
