//! `uvm-stat`: what managed memory did and does.

use crate::arguments::{Machine, UvmStat};
use crate::error::Error;
use crate::{output, server};
use kernel::manage::{self, Answer, ManageError, Request};
use kernel::uvm::{Report, side_name};
use plotters::prelude::*;
use std::path::Path;
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
            plot(&reports, path)?;
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

/// Points of one direction: seconds, and MiB moved so far.
type Line = Vec<(f64, f64)>;

fn lines(report: &Report) -> [Line; 2] {
    let mut lines = [vec![(0.0, 0.0)], vec![(0.0, 0.0)]];
    for step in &report.history {
        let line = &mut lines[usize::from(step.to == 0)];
        let so_far = line.last().map_or(0.0, |p: &(f64, f64)| p.1);
        let at = Duration::from_micros(step.us).as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "for the eye")]
        let mib = step.bytes as f64 / f64::from(1 << 20);
        line.push((at, so_far));
        line.push((at, so_far + mib));
    }
    lines
}

fn plot(reports: &[Report], path: &Path) -> Result<(), Error> {
    let failed = |why: String| Error::Door(format!("{}: {why}", path.display()));
    let vectors = path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("svg"));
    if !vectors {
        return Err(failed(
            "plots are SVG: give a name that ends in .svg".into(),
        ));
    }
    let Some(report) = reports.iter().rev().find(|r| !r.history.is_empty()) else {
        return Err(failed("no migrations to draw".into()));
    };
    let lines = lines(report);
    let all = lines.iter().flatten();
    let (width, height) = all.fold((1e-6_f64, 1e-3_f64), |most, point| {
        (most.0.max(point.0), most.1.max(point.1))
    });
    let draw = || -> Result<(), Box<dyn std::error::Error>> {
        let area = SVGBackend::new(path, (960, 480)).into_drawing_area();
        area.fill(&WHITE)?;
        let title = format!("{} (pid {}): migrations", report.name, report.pid);
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..width * 1.02, 0.0..height * 1.05)?;
        chart
            .configure_mesh()
            .x_desc("seconds")
            .y_desc("MiB moved")
            .draw()?;
        for (line, color, label) in [
            (&lines[0], BLUE, "host to device"),
            (&lines[1], RED, "device to host"),
        ] {
            chart
                .draw_series(LineSeries::new(line.iter().copied(), color))?
                .label(label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
        }
        chart
            .configure_series_labels()
            .background_style(WHITE)
            .border_style(BLACK)
            .draw()?;
        area.present()?;
        Ok(())
    };
    draw().map_err(|why| failed(why.to_string()))?;
    output::line(format_args!("{}", path.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_is_what_its_name_says() {
        let refused = plot(&[], Path::new("moves.png")).expect_err("no PNG");
        assert!(refused.to_string().contains("plots are SVG"), "{refused}");
        let empty = plot(&[], Path::new("moves.svg")).expect_err("nothing to draw");
        assert!(empty.to_string().contains("no migrations"), "{empty}");
    }
}
