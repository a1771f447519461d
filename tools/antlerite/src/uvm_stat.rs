//! `uvm-stat`: what managed memory did and does.

mod canvas;
mod plot;

use crate::arguments::{Machine, UvmStat};
use crate::error::Error;
use crate::{output, server};
use kernel::manage::{self, Answer, ManageError, Request};
use kernel::uvm::{Report, side_name};
use std::time::Duration;

/// `antlerite uvm-stat`; 1 if nothing is known.
///
/// # Errors
/// A server that runs does not answer, or the plot cannot be written.
pub fn run(machine: &Machine, stat: &UvmStat) -> Result<u8, Error> {
    let pause = match stat.every {
        None => None,
        Some(seconds) => Some(
            Duration::try_from_secs_f64(seconds)
                .ok()
                .filter(|pause| !pause.is_zero())
                .ok_or(Error::BadTimeout(seconds))?,
        ),
    };
    loop {
        let mut reports = reports(machine)?;
        if let Some(pid) = stat.pid {
            reports.retain(|report| report.pid == pid);
        }
        if stat.json {
            let text = serde_json::to_string(&reports).map_err(ManageError::from)?;
            output::line(format_args!("{text}"));
        } else {
            table(&reports);
        }
        if let Some(path) = &stat.plot {
            plot::plot(&reports, path)?;
        }
        match pause {
            None => return Ok(u8::from(reports.is_empty())),
            Some(pause) => std::thread::sleep(pause),
        }
    }
}

/// From the server, or from what the last one left.
fn reports(machine: &Machine) -> Result<Vec<Report>, Error> {
    let folder = server::folder(machine)?;
    match manage::ask(&folder, &Request::UvmStat) {
        Ok(Answer::UvmStat { reports }) => Ok(reports),
        Ok(_) => Ok(Vec::new()),
        Err(ManageError::NotRunning(_)) => {
            let file = folder.join(kernel::kernel::UVM_REPORTS);
            let text = std::fs::read_to_string(file).unwrap_or_else(|_| "[]".into());
            Ok(serde_json::from_str(&text).map_err(ManageError::from)?)
        }
        Err(error) => Err(error.into()),
    }
}

fn kib(bytes: u64) -> u64 {
    bytes >> 10
}

fn table(reports: &[Report]) {
    if reports.is_empty() {
        output::line(format_args!("no program has used managed memory"));
        return;
    }
    output::line(format_args!(
        "    PID  PROGRAM           MODE      MANAGED KiB  CPU FAULTS  GPU FAULTS  HtoD BLOCKS    HtoD KiB  DtoH BLOCKS    DtoH KiB"
    ));
    for report in reports {
        let c = &report.counters;
        let mode = match (report.tracked, report.plain) {
            (false, _) => "coherent",
            (true, false) => "tracked",
            (true, true) => "plain",
        };
        let name: String = report.name.chars().take(16).collect();
        output::line(format_args!(
            "{:>7}{} {:<17} {:<9} {:>11}  {:>10}  {:>10}  {:>11}  {:>10}  {:>11}  {:>10}",
            report.pid,
            if report.live { "*" } else { " " },
            name,
            mode,
            kib(report.managed),
            c.cpu_faults,
            c.gpu_faults,
            c.host_to_device,
            kib(c.host_to_device_bytes),
            c.device_to_host,
            kib(c.device_to_host_bytes),
        ));
        if !report.tracked {
            continue;
        }
        output::line(format_args!(
            "         prefetched {}, by density {}, evicted {}, device to device {}, copied for readers {}, invalidated {}, throttled {}, remote {}, replayed {}",
            c.prefetched,
            c.density,
            c.evicted,
            c.device_to_device,
            c.duplicated,
            c.invalidated,
            c.throttled,
            c.remote,
            c.replays,
        ));
        for range in &report.ranges {
            let places: Vec<String> = range
                .resident
                .iter()
                .enumerate()
                .filter(|(_, bytes)| **bytes != 0)
                .map(|(side, bytes)| format!("{} KiB at {}", kib(*bytes), side_name(side)))
                .collect();
            output::line(format_args!(
                "         {:#014x} {} KiB: {}",
                range.base,
                kib(range.len),
                if places.is_empty() {
                    "not touched".into()
                } else {
                    places.join(", ")
                }
            ));
        }
    }
    output::line(format_args!(
        "blocks of 64 KiB; * runs now; one fault per block and touch"
    ));
}
