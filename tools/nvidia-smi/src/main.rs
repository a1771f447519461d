//! `nvidia-smi`: what NVML knows, as text. Options, output and exit codes are the 580 driver's tool's (manual page
//! nvidia-smi(1)), as far as a virtual GPU has what they are about.

mod error;
mod gpu;
mod help;
mod monitor;
mod options;
mod query;
mod report;
mod table;
mod topology;
mod words;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use error::Failure;
use gpu::{Gpu, Nvml};
use nvml::Return;
use options::{Action, Options};

fn main() -> ExitCode {
    let result = options::parse(std::env::args().skip(1)).and_then(|options| run(&options));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // A reader that has gone needs no message.
            let _ = writeln!(std::io::stdout(), "{failure}");
            ExitCode::from(failure.code())
        }
    }
}

/// Where output goes.
struct Output(Box<dyn Write>);

impl Output {
    fn open(options: &Options) -> Result<Self, Failure> {
        Ok(Self(match &options.file {
            Some(path) => {
                let file = std::fs::File::create(path);
                Box::new(file.map_err(|error| Failure::File(path.clone(), error))?)
            }
            None => Box::new(std::io::stdout()),
        }))
    }

    /// Writes; false when nobody reads any more.
    fn put(&mut self, text: &str) -> bool {
        self.0
            .write_all(text.as_bytes())
            .and_then(|()| self.0.flush())
            .is_ok()
    }
}

/// The GPUs asked for, of all.
fn choose(nvml: &Nvml, options: &Options) -> Result<(Vec<Gpu>, usize), Failure> {
    let failed = |error| Failure::Nvml("Unable to determine the device handles".into(), error);
    let all = nvml.gpus().map_err(failed)?;
    let count = all.len();
    let gpus = match &options.ids {
        None => all,
        Some(ids) => ids
            .split(',')
            .map(|id| match nvml.find(id.trim()) {
                Ok(gpu) => Ok(gpu),
                Err(Return::NotFound | Return::InvalidArgument) => Err(Failure::NoDevices),
                Err(error) => Err(failed(error)),
            })
            .collect::<Result<_, _>>()?,
    };
    if gpus.is_empty() {
        return Err(Failure::NoDevices);
    }
    for gpu in &gpus {
        if gpu.name() == Err(Return::GpuIsLost) {
            return Err(Failure::Lost(gpu.bus_id().unwrap_or_default()));
        }
    }
    Ok((gpus, count))
}

fn run(options: &Options) -> Result<(), Failure> {
    match &options.action {
        Action::Help => return print(options, help::TEXT),
        Action::HelpQueryGpu => return print(options, &query::help()),
        Action::HelpQueryApps => return print(options, &query::apps_help()),
        Action::Unsupported(name) => return Err(Failure::NotSupported(name.clone())),
        Action::Version => {
            let nvml = Nvml::start()?;
            return print(options, &help::version(&nvml));
        }
        _ => {}
    }
    let nvml = Nvml::start()?;
    let (gpus, count) = choose(&nvml, options)?;
    let mut output = Output::open(options)?;
    let monitor = matches!(
        options.action,
        Action::DeviceMonitor | Action::ProcessMonitor
    );
    let pause = options.loop_ms.or(monitor.then_some(1000));
    let mut sample = 0_u64;
    loop {
        let text = sample_text(&nvml, &gpus, count, options, sample)?;
        sample += 1;
        let enough = options.count.is_some_and(|count| sample >= count.max(1));
        if !output.put(&text) || enough {
            return Ok(());
        }
        match pause {
            Some(milliseconds) => std::thread::sleep(Duration::from_millis(milliseconds)),
            None => return Ok(()),
        }
    }
}

fn print(options: &Options, text: &str) -> Result<(), Failure> {
    Output::open(options)?.put(text);
    Ok(())
}

/// Output of one sample. Names of columns stand over the first only.
fn sample_text(
    nvml: &Nvml,
    gpus: &[Gpu],
    count: usize,
    options: &Options,
    sample: u64,
) -> Result<String, Failure> {
    let format = options.format.unwrap_or_default();
    Ok(match &options.action {
        Action::Table => table::show(nvml, gpus),
        Action::List => list(gpus)?,
        Action::Report => report::show(nvml, gpus, count, options)?,
        Action::QueryGpu(fields) => query::gpus(nvml, gpus, count, fields, format, sample == 0)?,
        Action::QueryApps(fields) => query::apps(nvml, gpus, fields, format, sample == 0)?,
        Action::DeviceMonitor => monitor::devices(gpus, options, sample)?,
        Action::ProcessMonitor => monitor::processes(nvml, gpus, options, sample)?,
        Action::TopologyMatrix => topology::matrix(gpus),
        Action::TopologyPeers(letter) => topology::peers(gpus, *letter),
        Action::SetPersistence(on) => set(gpus, |gpu| {
            gpu.set_persistence(*on)?;
            Ok(format!(
                "{} persistence mode",
                words::enabled(u32::from(*on))
            ))
        })?,
        Action::Links => topology::links(gpus),
        Action::SetEcc(on) => set(gpus, |gpu| {
            gpu.set_ecc(*on)?;
            Ok(format!(
                "{} ECC support, pending a reset,",
                words::enabled(u32::from(*on))
            ))
        })?,
        Action::ClearEcc(counter) => set(gpus, |gpu| {
            gpu.clear_ecc(*counter)?;
            let which = if *counter == 0 {
                "volatile"
            } else {
                "aggregate"
            };
            Ok(format!("Cleared {which} ECC errors"))
        })?,
        Action::Reset => reset(gpus)?,
        Action::SetComputeMode(mode) => set(gpus, |gpu| {
            gpu.set_compute_mode(*mode)?;
            let name = words::compute_mode(*mode).to_uppercase();
            Ok(format!("Set compute mode to {name}"))
        })?,
        Action::QueryNothing(name) | Action::Unsupported(name) => {
            return Err(Failure::NotSupported(name.clone()));
        }
        Action::Version | Action::Help | Action::HelpQueryGpu | Action::HelpQueryApps => {
            String::new()
        }
    })
}

fn list(gpus: &[Gpu]) -> Result<String, Failure> {
    let mut out = String::new();
    for gpu in gpus {
        let failed = |error| Failure::Nvml(format!("Unable to query GPU {}", gpu.index), error);
        let name = gpu.name().map_err(failed)?;
        let uuid = gpu.uuid().map_err(failed)?;
        out.push_str(&format!("GPU {}: {name} (UUID: {uuid})\n", gpu.index));
    }
    Ok(out)
}

/// Resets each GPU.
fn reset(gpus: &[Gpu]) -> Result<String, Failure> {
    let (mut done, mut refused) = (String::new(), String::new());
    let mut last = None;
    for gpu in gpus {
        let id = gpu.bus_id().unwrap_or_default();
        match gpu.reset() {
            Ok(()) => done.push_str(&format!("GPU {id} was successfully reset.\n")),
            Err(error) => {
                refused.push_str(&format!("  GPU {id}: {error}\n"));
                last = Some(error);
            }
        }
    }
    match last {
        None => Ok(done + "All done.\n"),
        Some(error) => Err(Failure::Nvml(
            format!("{done}The following GPUs could not be reset:\n{refused}"),
            error,
        )),
    }
}

/// Changes a setting of each GPU.
fn set(gpus: &[Gpu], change: impl Fn(&Gpu) -> gpu::Answer<String>) -> Result<String, Failure> {
    let mut out = String::new();
    for gpu in gpus {
        let id = gpu.bus_id().unwrap_or_default();
        let done = change(gpu)
            .map_err(|error| Failure::Nvml(format!("Unable to change GPU {id}"), error))?;
        out.push_str(&format!("{done} for GPU {id}.\n"));
    }
    out.push_str("All done.\n");
    Ok(out)
}
