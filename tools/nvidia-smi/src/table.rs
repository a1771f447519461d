//! The default output: a table of GPUs and one of processes, in the shape of the 580 driver's.

use std::fmt::Write;

use crate::gpu::{Answer, Gpu, Nvml};
use crate::words;

/// Characters inside the outer frame.
const WIDTH: usize = 89;
/// Longest product and process names.
const NAME: usize = 27;
const PROGRAM: usize = 36;

const RULE: &str =
    "+-----------------------------------------+------------------------+----------------------+";
const HEAD: &str = "\
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
";
const PROCESS_HEAD: &str = "\
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
";

/// Cuts the end of a long name.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most - 3).collect();
    format!("{head}...")
}

/// Cuts the start of a long path.
fn cut_front(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let tail: String = text.chars().skip(length - (most - 3)).collect();
    format!("...{tail}")
}

/// A cell: `N/A` for what there is not, `ERR!` for what went wrong.
fn cell<T>(answer: Answer<T>, show: impl FnOnce(T) -> String) -> String {
    match answer {
        Ok(value) => show(value),
        Err(nvml::Return::NotSupported) => "N/A".to_owned(),
        Err(_) => "ERR!".to_owned(),
    }
}

fn on_off(value: u32) -> String {
    if value == 0 { "Off" } else { "On" }.to_owned()
}

fn gpu(out: &mut String, gpu: &Gpu) {
    let name = cell(gpu.name(), |name| cut(&name, NAME));
    let persistence = cell(gpu.persistence(), on_off);
    let bus = cell(gpu.bus_id(), |id| id);
    let display = cell(gpu.display_active(), on_off);
    // The count of errors where ECC is on, else that it is off.
    let ecc = match gpu.ecc() {
        Ok((0, _)) => "Off".to_owned(),
        other => cell(other.and_then(|_| gpu.ecc_errors(1, 0)), |n| n.to_string()),
    };
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "|{:>4}  {name:<27}    {persistence:<3} | {bus:>18} {display:<3} |{ecc:>21} |",
        gpu.index
    );
    let fan = cell(gpu.fan(), |percent| format!("{percent}%"));
    let temperature = cell(gpu.temperature(), |celsius| format!("{celsius}C"));
    let pstate = cell(gpu.pstate(), |state| format!("P{state}"));
    let watts = |milliwatts: u32| format!("{}W", milliwatts / 1000);
    let power = format!(
        "{:>5} / {:>5}",
        cell(gpu.power(), watts),
        cell(gpu.power_limit_enforced(), watts)
    );
    let memory = cell(gpu.memory(), |memory| {
        let mib = |bytes: u64| bytes >> 20;
        format!(
            "{}MiB / {:>6}MiB",
            mib(memory.used + memory.reserved),
            mib(memory.total)
        )
    });
    let busy = cell(gpu.utilization(), |(gpu, _)| format!("{gpu}%"));
    let mode = cell(gpu.compute_mode(), |mode| {
        words::compute_mode_short(mode).to_owned()
    });
    let _ = writeln!(
        out,
        "| {fan:>3}{temperature:>6}    {pstate:<3}{power:>23} |{memory:>23} |{busy:>8}{mode:>13} |"
    );
    let mig = cell(gpu.mig(), |(mode, _)| words::enabled(mode).to_owned());
    let _ = writeln!(out, "|{:41}|{:24}|{mig:>21} |", "", "");
    let _ = writeln!(out, "{RULE}");
}

fn processes(out: &mut String, nvml: &Nvml, gpus: &[Gpu]) {
    let frame = format!("+{}+", "-".repeat(WIDTH));
    let _ = writeln!(out, "{frame}");
    out.push_str(PROCESS_HEAD);
    let mut none = true;
    for gpu in gpus {
        for process in gpu.processes().unwrap_or_default() {
            none = false;
            let name = nvml
                .process_name(process.pid)
                .unwrap_or_else(|_| "[Not Found]".to_owned());
            let memory = format!("{}MiB", process.bytes >> 20);
            let _ = writeln!(
                out,
                "|{:>5}   N/A  N/A{:>16}      C   {:<36}{memory:>10} |",
                gpu.index,
                process.pid,
                cut_front(&words::printable(&name), PROGRAM)
            );
        }
    }
    if none {
        let _ = writeln!(out, "|  {:<87}|", "No running processes found");
    }
    let _ = writeln!(out, "{frame}");
}

/// The whole output.
pub fn show(nvml: &Nvml, gpus: &[Gpu]) -> String {
    let driver = cell(nvml.driver_version(), |version| version);
    let cuda = cell(nvml.cuda_version(), |version| version);
    let mut out = format!("{}       \n", words::date());
    let _ = writeln!(out, "+{}+", "-".repeat(WIDTH));
    let _ = writeln!(
        out,
        "| NVIDIA-SMI {driver:<22} Driver Version: {driver:<14} CUDA Version: {cuda:<8} |"
    );
    let _ = writeln!(out, "{RULE}");
    out.push_str(HEAD);
    for one in gpus {
        gpu(&mut out, one);
    }
    out.push('\n');
    processes(&mut out, nvml, gpus);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_one_width() {
        for line in HEAD.lines().chain(PROCESS_HEAD.lines()).chain([RULE]) {
            assert_eq!(line.len(), WIDTH + 2, "{line}");
        }
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(cut("short", 27), "short");
        assert_eq!(
            cut("NVIDIA RTX 6000 Ada Generation", 27),
            "NVIDIA RTX 6000 Ada Gene..."
        );
        assert_eq!(cut_front("/a/very/long/path", 10), "...ng/path");
    }
}
