//! The hands of `cargo xtask corpus`:
//!
//! * `corpus extract FILE DIR` writes the PTX that a host file (library, program, fat binary, text) carries into DIR,
//!   one file per module, and prints `ptx FILE`.
//! * `corpus list FILE` prints `kernel INDEX HASH LINES NAME` for each kernel; HASH is of its text without names and
//!   comments that differ between translation units.
//! * `corpus compile FILE CPU_SECONDS front|code INDEX...` compiles these kernels and prints, for each, `start INDEX`,
//!   then `ok MILLISECONDS` or `fail MESSAGE`. A kernel that takes more CPU time ends the process by SIGXCPU.
#![expect(clippy::print_stdout, reason = "a tool")]

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use ptxjit::clock::thread_cpu;
use ptxjit::compile::{CompileError, Front, Request};

/// Threads of a block that a kernel is specialised for when it does not say.
const BLOCK: u32 = 256;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["extract", file, dir] => extract(Path::new(file), Path::new(dir)),
        ["list", file] => list(file),
        ["compile", file, seconds, depth, indices @ ..] => compile(file, seconds, depth, indices),
        _ => Err("see the source for what to say".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("module {}", one_line(&error));
            ExitCode::FAILURE
        }
    }
}

fn one_line(text: &str) -> String {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.contains("Ptx assembly aborted"))
        .take(3)
        .collect::<Vec<_>>()
        .join(" | ")
}

fn extract(file: &Path, dir: &Path) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    let mut texts = Vec::new();
    match fatbin::classify(&bytes) {
        fatbin::Image::Elf => {
            let host = fatbin::host::fatbins_in_executable(&bytes).map_err(|e| e.to_string())?;
            for found in host.containers {
                newest_of(&found.container, &mut texts)?;
            }
            texts_within(&bytes, &mut texts);
        }
        fatbin::Image::Container => {
            let container = fatbin::Container::parse(&bytes).map_err(|e| e.to_string())?;
            newest_of(&container, &mut texts)?;
        }
        fatbin::Image::Text { .. } => texts.push(String::from_utf8_lossy(&bytes).into_owned()),
        fatbin::Image::Wrapper | fatbin::Image::Unknown => texts_within(&bytes, &mut texts),
    }
    for text in texts {
        if !text.contains(".entry") {
            continue;
        }
        let path = dir.join(format!("{}.ptx", hash([text.as_str()].into_iter())));
        if !path.exists() {
            std::fs::write(&path, text).map_err(|e| e.to_string())?;
        }
        println!("ptx {}", path.display());
    }
    Ok(())
}

/// The PTX of the newest target in a container: older ones are other forms of the same kernels.
fn newest_of(container: &fatbin::Container<'_>, texts: &mut Vec<String>) -> Result<(), String> {
    let entries = container.to_entries().map_err(|e| e.to_string())?;
    let newest = entries
        .iter()
        .filter(|entry| entry.kind == fatbin::Kind::Ptx)
        .max_by_key(|entry| entry.sm.number);
    if let Some(entry) = newest {
        texts.push(
            entry
                .ptx_text(fatbin::DEFAULT_PAYLOAD_LIMIT)
                .map_err(|e| e.to_string())?,
        );
    }
    Ok(())
}

/// PTX texts as plain strings, which some programs carry among their data.
fn texts_within(bytes: &[u8], texts: &mut Vec<String>) {
    const MARK: &[u8] = b".version ";
    let mut from = 0;
    while let Some(at) = find(bytes, MARK, from) {
        let start = bytes[..at]
            .iter()
            .rposition(|&byte| byte == 0)
            .map_or(0, |nul| nul + 1)
            .max(from);
        let end = bytes[at..]
            .iter()
            .position(|&byte| byte == 0)
            .map_or(bytes.len(), |len| at + len);
        if let Ok(text) = std::str::from_utf8(&bytes[start..end])
            && text.contains("\n.target sm_")
        {
            texts.push(text.to_owned());
        }
        from = end;
    }
}

fn find(bytes: &[u8], what: &[u8], from: usize) -> Option<usize> {
    bytes
        .get(from..)?
        .windows(what.len())
        .position(|window| window == what)
        .map(|at| from + at)
}

fn hash<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for line in lines {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

fn read(file: &str) -> Result<(String, Front), String> {
    let text = std::fs::read(file).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&text)
        .trim_end_matches('\0')
        .to_owned();
    let front = Front::new(&text, 0).map_err(|e| e.to_string())?;
    Ok((text, front))
}

fn list(file: &str) -> Result<(), String> {
    let (text, front) = read(file)?;
    let lines: Vec<&str> = text.lines().collect();
    for (index, kernel) in front.layout.kernels.iter().enumerate() {
        let first = front.checked.functions[kernel.function.index()].pos.line as usize;
        let body = body(lines.get(first.saturating_sub(1)..).unwrap_or(&[]));
        let code = body.iter().map(|line| line.trim()).filter(|line| {
            !line.is_empty() && !line.starts_with("//") && !line.starts_with(".loc")
        });
        // The names of labels and registers are the same in each unit; the kernel's is not if its name space has none.
        let code: Vec<String> = code.map(|line| line.replace(&kernel.name, "")).collect();
        println!(
            "kernel {index} {} {} {}",
            hash(code.iter().map(String::as_str)),
            code.len(),
            kernel.name
        );
    }
    Ok(())
}

/// The lines up to the brace that closes the first one.
fn body<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let mut depth = 0_usize;
    let mut seen = false;
    for (number, line) in lines.iter().enumerate() {
        for byte in line.split("//").next().unwrap_or("").bytes() {
            match byte {
                b'{' => {
                    depth += 1;
                    seen = true;
                }
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if seen && depth == 0 {
            return &lines[..=number];
        }
    }
    lines
}

fn compile(file: &str, seconds: &str, depth: &str, indices: &[&str]) -> Result<(), String> {
    let seconds: u64 = seconds.parse().map_err(|_| "seconds")?;
    let code = match depth {
        "front" => false,
        "code" => true,
        other => return Err(format!("depth {other}")),
    };
    allow(seconds);
    let (_, front) = read(file)?;
    for index in indices {
        let index: usize = index.parse().map_err(|_| "index")?;
        let kernel = &front.layout.kernels[index];
        println!("start {index}");
        std::io::stdout().flush().map_err(|e| e.to_string())?;
        allow(seconds);
        let from = thread_cpu();
        let outcome = if code {
            let limits = &front.checked.functions[kernel.function.index()].limits;
            let block = limits.max_ntid.map_or([BLOCK, 1, 1], |most| {
                [most.iter().product::<u32>().clamp(1, BLOCK), 1, 1]
            });
            let request = Request {
                ptx: "",
                isa: 3,
                kernel: None,
                block,
                opt_level: 4,
                cc: 90,
                flags: 0,
                max_ptx_version: 0,
            };
            front
                .kernel(&request, &kernel.name, &mut [0; 4])
                .map(|_| ())
        } else {
            front.lower(&kernel.name).map(|_| ())
        };
        match outcome {
            Ok(()) => println!("ok {}", thread_cpu().saturating_sub(from) / 1_000_000),
            Err(error) => println!("fail {}", one_line(&message(&error))),
        }
    }
    Ok(())
}

fn message(error: &CompileError) -> String {
    error.to_string()
}

/// Lets this process use `seconds` of CPU time from now.
fn allow(seconds: u64) {
    // SAFETY: all-zero is a valid rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is writable.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    let used = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec).unsigned_abs();
    let limit = libc::rlimit {
        rlim_cur: used + seconds,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: `limit` is readable.
    unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) };
}
