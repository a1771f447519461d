//! One link.

use fatbin::{Device, IsaVersion, Policy, Sm};
use jit::compiler::{Failure, Options};
use jit::image::{ImageError, Wanted, make, verbose};
use jit::inputs::{InputError, Inputs, Kind, Target};

use crate::Code;

/// Bits of `abi::jit::request_flags`, as this library's options set them.
const LINE_INFO: u32 = 1;
const DEBUG: u32 = 2;

/// A link in progress, and its logs.
pub(crate) struct State {
    inputs: Inputs,
    target: Target,
    options: Options,
    max_registers: u32,
    verbose: bool,
    relocatable: bool,
    cubin: Option<Vec<u8>>,
    error: String,
    info: String,
}

/// What a caller copies out: a cubin as it is, a log with its NUL.
pub(crate) enum Outcome<'a> {
    Bytes(&'a [u8]),
    Log(&'a str),
}

impl<'a> Outcome<'a> {
    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let (data, end) = self.parts();
        data.len() + end.len()
    }

    /// The bytes, and what follows them.
    pub(crate) fn parts(&self) -> (&'a [u8], &'static [u8]) {
        match self {
            Self::Bytes(bytes) => (bytes, b""),
            Self::Log(text) => (text.as_bytes(), b"\0"),
        }
    }
}

/// `sm_90a` as an SM.
fn arch(text: &str) -> Option<Sm> {
    let rest = text
        .strip_prefix("sm_")
        .or_else(|| text.strip_prefix("compute_"))?;
    let number = rest.trim_end_matches(['a', 'f']).parse().ok()?;
    match rest.trim_start_matches(|c: char| c.is_ascii_digit()) {
        "" => Some(Sm::new(number)),
        "a" => Some(Sm::arch(number)),
        "f" => Some(Sm::family(number)),
        _ => None,
    }
}

/// Options that change nothing here: how fast code is made, what is told of that, and what only LTO-IR heeds.
const WITHOUT_EFFECT: [&str; 19] = [
    "-time",
    "-lto",
    "-no-cache",
    "-optimize-unused-variables",
    "-device-stack-protector",
    "-ftz=",
    "-prec-div=",
    "-prec-sqrt=",
    "-fma=",
    "-kernels-used=",
    "-variables-used=",
    "-Xptxas=",
    "-Xnvvm=",
    "-split-compile=",
    "-split-compile-extended=",
    "-jump-table-density=",
    "-cta=",
    "-disable-",
    "-extra-device-vectorization",
];

impl State {
    pub(crate) fn new(options: &[String]) -> Result<Self, Code> {
        let mut sm = None;
        let mut state = Self {
            inputs: Inputs::new(),
            target: Target {
                device: Device {
                    cc: Sm::new(0),
                    // Everything known is taken, as the compiler takes it.
                    isa: IsaVersion::new(u16::MAX, 0),
                },
                policy: Policy::default(),
            },
            options: Options::default(),
            max_registers: 0,
            verbose: false,
            relocatable: false,
            cubin: None,
            error: String::new(),
            info: String::new(),
        };
        for option in options {
            let value = |name: &str| option.strip_prefix(name);
            if let Some(text) = value("-arch=") {
                sm = Some(arch(text).ok_or(Code::UnrecognizedArch)?);
            } else if let Some(text) = value("-maxrregcount=") {
                state.max_registers = text.parse().map_err(|_| Code::UnrecognizedOption)?;
            } else if let Some(level) = value("-O") {
                let level: u32 = level.parse().map_err(|_| Code::UnrecognizedOption)?;
                if level > 3 {
                    return Err(Code::UnrecognizedOption);
                }
                // 3 is the most here, 4 the compiler's.
                state.options.opt_level = if level == 3 { 4 } else { level };
            } else {
                match option.as_str() {
                    "-g" => state.options.flags |= DEBUG,
                    "-lineinfo" => state.options.flags |= LINE_INFO,
                    "-verbose" | "-Xptxas=-v" | "-Xptxas=--verbose" => state.verbose = true,
                    "-r" | "-relocatable-link" => state.relocatable = true,
                    // The result would be PTX, of LTO-IR.
                    "-ptx" => return Err(Code::LtoNotEnabled),
                    other if WITHOUT_EFFECT.iter().any(|known| other.starts_with(known)) => {}
                    _ => return Err(Code::UnrecognizedOption),
                }
            }
        }
        state.target.device.cc = Sm::new(sm.ok_or(Code::MissingArch)?.number);
        Ok(state)
    }

    /// Notes what is wrong.
    pub(crate) fn refuse(&mut self, code: Code, what: &str) -> Result<(), Code> {
        for line in what.lines() {
            let prefix = if line.starts_with("ptxas") {
                ""
            } else {
                "nvJitLink error: "
            };
            self.error.push_str(prefix);
            self.error.push_str(line);
            self.error.push('\n');
        }
        Err(code)
    }

    pub(crate) fn add(&mut self, kind: u32, name: &str, bytes: &[u8]) -> Result<(), Code> {
        let kind = match kind {
            1 => Kind::Cubin,
            2 => Kind::Ptx,
            3 => {
                let what = format!("'{name}' is LTO-IR, which is not supported");
                return self.refuse(Code::NvvmCompile, &what);
            }
            4 => Kind::Fatbinary,
            5 => Kind::Object,
            6 => Kind::Library,
            7 => {
                let what = format!("'{name}': index files are not supported");
                return self.refuse(Code::UnrecognizedInput, &what);
            }
            10 => Kind::Any,
            _ => {
                return self.refuse(
                    Code::IncorrectInputType,
                    &format!("'{name}': no input type"),
                );
            }
        };
        match self.inputs.add(kind, name, bytes, self.target) {
            Ok(()) => Ok(()),
            Err(error) => {
                let code = match &error {
                    InputError::Form { .. } => Code::UnrecognizedInput,
                    InputError::Ptx { .. } => Code::PtxCompile,
                    InputError::NoImage { .. } | InputError::Sass { .. } => Code::MissingFatbin,
                    InputError::Container { .. }
                    | InputError::Cubin { .. }
                    | InputError::NoSource { .. } => Code::InvalidInput,
                };
                self.refuse(code, &error.log())
            }
        }
    }

    pub(crate) fn complete(&mut self) -> Result<(), Code> {
        let linked = match self.inputs.link() {
            Ok(linked) => linked,
            Err(error) => return self.refuse(Code::InvalidInput, &error.log()),
        };
        let wanted = Wanted {
            options: self.options,
            cc: self.target.device.cc.number,
            max_ptx_version: 0,
            relocatable: self.relocatable,
        };
        let mut image = match make(&linked, wanted) {
            Ok(image) => image,
            Err(error) => {
                let code = match &error {
                    ImageError::Undefined { .. } => Code::InvalidInput,
                    ImageError::Compile(error) => match error.failure {
                        Failure::InvalidPtx | Failure::Version => Code::PtxCompile,
                        Failure::NoCompiler | Failure::NoKernel | Failure::Internal => {
                            Code::Internal
                        }
                    },
                    ImageError::Cubin(_) => Code::Internal,
                };
                return self.refuse(code, &error.to_string());
            }
        };
        image.limit_registers(self.max_registers);
        self.info.push_str(&image.log);
        if self.verbose {
            self.info.push_str(&verbose(&image.cubin));
        }
        match image.cubin.write() {
            Ok(bytes) => {
                self.cubin = Some(bytes);
                Ok(())
            }
            Err(error) => self.refuse(Code::Internal, &error.to_string()),
        }
    }

    pub(crate) fn cubin(&self) -> Result<Outcome<'_>, Code> {
        let cubin = self.cubin.as_deref().ok_or(Code::InvalidInput)?;
        Ok(Outcome::Bytes(cubin))
    }

    pub(crate) fn error_log(&self) -> Result<Outcome<'_>, Code> {
        Ok(Outcome::Log(&self.error))
    }

    pub(crate) fn info_log(&self) -> Result<Outcome<'_>, Code> {
        Ok(Outcome::Log(&self.info))
    }
}
