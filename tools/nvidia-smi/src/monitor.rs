//! `dmon` and `pmon`: a line per sample.

use std::fmt::Write;

use crate::error::Failure;
use crate::gpu::{Answer, Gpu, Nvml};
use crate::options::Options;
use crate::words;

/// Lines between two headers.
const HEADER_EVERY: u64 = 20;

struct Column {
    group: char,
    name: &'static str,
    unit: &'static str,
    read: fn(&Gpu) -> Answer<u64>,
}

fn none(_: &Gpu) -> Answer<u64> {
    Err(nvml::Return::NotSupported)
}

macro_rules! columns {
    ($($group:literal $name:literal $unit:literal = $read:expr;)*) => {
        &[$(Column { group: $group, name: $name, unit: $unit, read: $read },)*]
    };
}

static COLUMNS: &[Column] = columns! {
    'p' "pwr" "W" = |g| g.power().map(|mw| u64::from(mw / 1000));
    'p' "gtemp" "C" = |g| g.temperature().map(u64::from);
    'p' "mtemp" "C" = none;
    'u' "sm" "%" = |g| g.utilization().map(|u| u64::from(u.0));
    'u' "mem" "%" = |g| g.utilization().map(|u| u64::from(u.1));
    'u' "enc" "%" = none;
    'u' "dec" "%" = none;
    'u' "jpg" "%" = none;
    'u' "ofa" "%" = none;
    'c' "mclk" "MHz" = |g| g.clock_memory().map(u64::from);
    'c' "pclk" "MHz" = |g| g.clock_graphics().map(u64::from);
    'v' "pviol" "%" = none;
    'v' "tviol" "bool" = none;
    'm' "fb" "MB" = |g| g.memory().map(|m| m.used >> 20);
    'm' "bar1" "MB" = |g| g.bar1().map(|m| m.used >> 20);
    'm' "ccpm" "MB" = none;
    'e' "sbecc" "errs" = |g| g.ecc_errors(0, 1);
    'e' "dbecc" "errs" = |g| g.ecc_errors(1, 1);
    'e' "pci" "errs" = |g| g.replay_counter().map(u64::from);
    't' "rxpci" "MB/s" = none;
    't' "txpci" "MB/s" = none;
};

/// Date and time columns that `-o` asks for: (name, unit, value).
fn stamps(options: &Options) -> [String; 3] {
    let now = words::timestamp();
    let (date, time) = now.split_once(' ').unwrap_or((&now, ""));
    let mut columns = [String::new(), String::new(), String::new()];
    if options.stamps.contains('D') {
        columns[0].push_str("Date       ");
        columns[1].push_str("YYYYMMDD   ");
        let _ = write!(columns[2], " {:<10}", date.replace('/', ""));
    }
    if options.stamps.contains('T') {
        columns[0].push_str("Time       ");
        columns[1].push_str("HH:MM:SS   ");
        let _ = write!(columns[2], " {:<10}", time.get(..8).unwrap_or(time));
    }
    columns
}

/// Letters of `-s`, all of which must be of `known`.
fn groups<'a>(options: &'a Options, default: &'a str, known: &str) -> Result<&'a str, Failure> {
    let groups = options.select.as_deref().unwrap_or(default);
    match groups.chars().find(|group| !known.contains(*group)) {
        None if !groups.is_empty() => Ok(groups),
        _ => Err(Failure::Value("-s", groups.to_owned())),
    }
}

fn number(answer: Answer<u64>) -> String {
    answer.map_or_else(|_| "-".to_owned(), |value| value.to_string())
}

/// A sample of `dmon`.
///
/// # Errors
/// [`Failure::Value`].
pub fn devices(gpus: &[Gpu], options: &Options, sample: u64) -> Result<String, Failure> {
    let groups = groups(options, "puc", "pucvmet")?;
    let columns: Vec<_> = groups
        .chars()
        .flat_map(|group| COLUMNS.iter().filter(move |column| column.group == group))
        .collect();
    let [names, units, values] = stamps(options);
    let mut out = String::new();
    if sample.is_multiple_of(HEADER_EVERY) {
        let _ = write!(out, "# {names}gpu ");
        for column in &columns {
            let _ = write!(out, "{:>6} ", column.name);
        }
        let _ = write!(out, "\n# {units}Idx ");
        for column in &columns {
            let _ = write!(out, "{:>6} ", column.unit);
        }
        out.push('\n');
    }
    for gpu in gpus {
        let _ = write!(out, "{values}{:>5} ", gpu.index);
        for column in &columns {
            let _ = write!(out, "{:>6} ", number((column.read)(gpu)));
        }
        out.push('\n');
    }
    Ok(out)
}

/// What a column of `pmon` shows.
#[derive(Clone, Copy)]
enum Cell {
    /// Percent of the GPU.
    Share,
    /// Its memory.
    Memory,
    /// Nothing that is measured.
    None,
}

/// A sample of `pmon`.
///
/// # Errors
/// [`Failure::Value`].
pub fn processes(
    nvml: &Nvml,
    gpus: &[Gpu],
    options: &Options,
    sample: u64,
) -> Result<String, Failure> {
    let groups = groups(options, "u", "um")?;
    let columns: Vec<(&str, &str, Cell)> = groups
        .chars()
        .flat_map(|group| match group {
            'u' => ["sm", "mem", "enc", "dec", "jpg", "ofa"]
                .map(|name| {
                    (
                        name,
                        "%",
                        if name == "sm" {
                            Cell::Share
                        } else {
                            Cell::None
                        },
                    )
                })
                .to_vec(),
            _ => vec![("fb", "MB", Cell::Memory), ("ccpm", "MB", Cell::None)],
        })
        .collect();
    let [names, units, values] = stamps(options);
    let mut out = String::new();
    if sample.is_multiple_of(HEADER_EVERY) {
        let _ = write!(out, "# {names}gpu         pid   type ");
        for (name, _, _) in &columns {
            let _ = write!(out, "{name:>6} ");
        }
        let _ = write!(out, "   command \n# {units}Idx           #    C/G ");
        for (_, unit, _) in &columns {
            let _ = write!(out, "{unit:>6} ");
        }
        out.push_str("   name \n");
    }
    for gpu in gpus {
        let list = gpu.processes().unwrap_or_default();
        if list.is_empty() {
            let _ = write!(out, "{values}{:>5} {:>10} {:>5} ", gpu.index, "-", "-");
            for _ in &columns {
                let _ = write!(out, "{:>6} ", "-");
            }
            out.push_str("   -              \n");
        }
        let shares = if list.is_empty() {
            Vec::new()
        } else {
            gpu.shares()
        };
        for process in list {
            let _ = write!(
                out,
                "{values}{:>5} {:>10} {:>5} ",
                gpu.index, process.pid, "C"
            );
            for (_, _, cell) in &columns {
                let share = shares.iter().find(|share| share.0 == process.pid);
                let cell = match (cell, share) {
                    (Cell::Memory, _) => (process.bytes >> 20).to_string(),
                    (Cell::Share, Some((_, percent))) => percent.to_string(),
                    (Cell::Share | Cell::None, _) => "-".to_owned(),
                };
                let _ = write!(out, "{cell:>6} ");
            }
            let path = nvml
                .process_name(process.pid)
                .unwrap_or_else(|_| "-".to_owned());
            let name = path.rsplit('/').next().unwrap_or(&path);
            let _ = writeln!(out, "   {:<15}", words::printable(name));
        }
    }
    Ok(out)
}
