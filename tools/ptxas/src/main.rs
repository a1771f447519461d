//! A drop-in `ptxas`: PTX to cubins for the virtual GPU, for tool chains that insist on an assembler.
//!
//! It takes NVIDIA's options and writes its messages in NVIDIA's shape; what it writes is a cubin with an OS ABI of its
//! own ([`fatbin::cubin`]), which only this project's `libcuda` loads.

mod options;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use abi::jit::request_flags;
use fatbin::{Device, IsaVersion, Policy, Sm};
use jit::compiler::Options;
use jit::image::{ImageError, Wanted, make, verbose};
use jit::inputs::{InputError, Inputs, Kind, Target};
use options::{Action, Command, Source};

/// Exit status for whatever is wrong.
const FAILED: u8 = 255;
/// The release that tool chains are told; the driver's own.
const RELEASE: &str = "release 13.0, V13.0.88";

fn main() -> ExitCode {
    let command = match options::parse(std::env::args().skip(1)) {
        Ok(Action::Compile(command)) => command,
        Ok(Action::Version) => {
            return print(&format!(
                "ptxas: Antlerite PTX assembler for the virtual GPU, version {}\n\
                 Cuda compilation tools, {RELEASE}\n",
                env!("CARGO_PKG_VERSION")
            ));
        }
        Ok(Action::Help) => return print(&options::help()),
        Err(wrong) => {
            tell(&format!("ptxas fatal   : {wrong}\n"));
            return ExitCode::from(FAILED);
        }
    };
    match run(&command) {
        Ok(log) => {
            tell(&log);
            ExitCode::SUCCESS
        }
        Err(log) => {
            tell(&log);
            ExitCode::from(FAILED)
        }
    }
}

fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(FAILED),
    }
}

/// To standard error; who closed it does not want to know.
fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// `sm_90a`: its number.
fn arch_number(arch: &str) -> Option<u32> {
    let rest = arch
        .strip_prefix("sm_")
        .or_else(|| arch.strip_prefix("compute_"))?;
    let number: u32 = rest.trim_end_matches(['a', 'f']).parse().ok()?;
    (30..1000).contains(&number).then_some(number)
}

/// Compiles; the log, or what is wrong.
fn run(command: &Command) -> Result<String, String> {
    let start = Instant::now();
    let cc = arch_number(&command.arch).ok_or_else(|| {
        format!(
            "ptxas fatal   : Value '{}' is not defined for option 'gpu-name'\n",
            command.arch
        )
    })?;
    let target = Target {
        device: Device {
            cc: Sm::new(cc),
            // All that is known is taken.
            isa: IsaVersion::new(u16::MAX, 0),
        },
        policy: Policy::default(),
    };
    let mut inputs = Inputs::new();
    for source in &command.inputs {
        let (name, bytes) = match source {
            Source::File(path) => (path.display().to_string(), read(path)?),
            Source::Text(text) => ("<string>".to_owned(), text.clone().into_bytes()),
        };
        fits(&name, &bytes, cc)?;
        inputs
            .add(Kind::Ptx, &name, &bytes, target)
            .map_err(|error| match &error {
                InputError::Ptx { name, errors } => in_file(name, &ptx::render_log("", errors)),
                InputError::Form { .. }
                | InputError::NoImage { .. }
                | InputError::Sass { .. }
                | InputError::Container { .. }
                | InputError::Cubin { .. }
                | InputError::NoSource { .. } => error.log(),
            })?;
    }
    let first = match command.inputs.first() {
        Some(Source::File(path)) => path.display().to_string(),
        Some(Source::Text(_)) | None => "<string>".to_owned(),
    };
    let linked = inputs.link().map_err(|error| error.log())?;
    let mut flags = 0;
    if command.debug {
        flags |= request_flags::DEBUG;
    }
    if command.line_info {
        flags |= request_flags::LINE_INFO;
    }
    let wanted = Wanted {
        options: Options {
            opt_level: command.level,
            flags,
        },
        cc,
        max_ptx_version: 0,
        relocatable: command.relocatable,
    };
    let mut image = make(&linked, wanted).map_err(|error| match &error {
        ImageError::Undefined { .. } => linked
            .undefined
            .iter()
            .map(|undefined| {
                format!(
                    "ptxas fatal   : Unresolved extern function '{}'\n",
                    undefined.symbol
                )
            })
            .collect(),
        ImageError::Compile(error) => in_file(&first, &error.log),
        ImageError::Cubin(error) => format!("ptxas fatal   : {error}\n"),
    })?;
    image.limit_registers(command.registers);
    let bytes = image
        .cubin
        .write()
        .map_err(|error| format!("ptxas fatal   : {error}\n"))?;
    write(&command.output, &bytes)?;
    let mut log: String = command
        .unknown
        .iter()
        .map(|name| format!("ptxas warning : Unknown option '{name}' is ignored\n"))
        .collect();
    log.push_str(&image.log);
    if command.verbose {
        log.push_str(&verbose(&image.cubin));
        let time = start.elapsed().as_secs_f64() * 1e3;
        log.push_str(&format!("ptxas info    : Compile time = {time:.3} ms\n"));
    }
    Ok(log)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| {
        format!(
            "ptxas fatal   : Could not open input file '{}': {error}\n",
            path.display()
        )
    })
}

/// Writes by way of a new file, so that no half cubin is ever there. What is no plain file is written to as it is.
fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let failed = |error: std::io::Error| {
        format!(
            "ptxas fatal   : Could not open output file '{}': {error}\n",
            path.display()
        )
    };
    let plain = std::fs::metadata(path).map_or(true, |meta| meta.is_file());
    if !plain {
        return std::fs::write(path, bytes).map_err(failed);
    }
    let mut staged = path.as_os_str().to_owned();
    staged.push(format!(".{}", std::process::id()));
    std::fs::write(&staged, bytes)
        .and_then(|()| std::fs::rename(&staged, path))
        .map_err(failed)
}

/// PTX for a newer device than asked for is refused, as ptxas does.
fn fits(name: &str, bytes: &[u8], cc: u32) -> Result<(), String> {
    let header = std::str::from_utf8(bytes).ok().and_then(fatbin::ptx_header);
    match header {
        Some(header) if header.target.number > cc => Err(format!(
            "ptxas {name}, line 1; fatal   : SM version specified by .target is higher than default SM version assumed\n\
             ptxas fatal   : Ptx assembly aborted due to errors\n"
        )),
        Some(_) | None => Ok(()),
    }
}

/// The compiler speaks of its input as a driver does; a tool names the file.
fn in_file(name: &str, log: &str) -> String {
    log.lines()
        .map(|line| {
            let place = line
                .strip_prefix("ptxas application ")
                .and_then(|rest| rest.find(", line ").map(|at| &rest[at..]));
            match place {
                Some(place) => format!("ptxas {name}{place}\n"),
                None => format!("{line}\n"),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_file_and_line() {
        let dir = tempfile::tempdir().expect("directory");
        let file = dir.path().join("bad.ptx");
        let text =
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n bra gone;\n}\n";
        std::fs::write(&file, text).expect("write");
        let words = |line: &str| match options::parse(line.split(' ').map(str::to_owned)) {
            Ok(Action::Compile(command)) => command,
            other => panic!("{other:?}"),
        };
        let line = format!(
            "-arch=sm_80 {} -o {}/out",
            file.display(),
            dir.path().display()
        );
        let log = run(&words(&line)).expect_err("wrong");
        let expected = format!(
            "ptxas {}, line 5; error   : Unknown symbol 'gone'\n",
            file.display()
        );
        assert!(log.starts_with(&expected), "{log}");
        let log = run(&words(&line.replace("sm_80", "sm_75"))).expect_err("too new");
        assert!(log.contains("higher than default SM version"), "{log}");
        assert!(!dir.path().join("out").exists());
        // Relocatable code needs no compiler.
        std::fs::write(&file, text.replace(" bra gone", " ret")).expect("write");
        run(&words(&format!("-c {line}"))).expect("compiles");
        let cubin = std::fs::read(dir.path().join("out")).expect("written");
        let cubin = fatbin::cubin::Cubin::read(&cubin).expect("ours");
        assert!(cubin.kernels.is_empty() && cubin.source.is_some());
    }
}
