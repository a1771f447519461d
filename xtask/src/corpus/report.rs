//! What a corpus came to.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{Kernel, child::Depth};

/// Words of a message that name what belongs to the compiler's second half: tensor cores, bulk copies, clusters.
const SECOND_HALF: [&str; 18] = [
    "come later",
    "'wgmma",
    "'tcgen05",
    "'mma",
    "'wmma",
    "'ldmatrix",
    "'stmatrix",
    "'cp.async.bulk",
    "'cp.reduce.async.bulk",
    "'tensormap",
    "'barrier.cluster",
    "'mapa",
    "'getctarank",
    "'multimem",
    "'setmaxnreg",
    "'clusterlaunchcontrol",
    "'st.async",
    "'red.async",
];
/// How many of the slowest kernels are named.
const SLOWEST: usize = 20;

#[derive(Default)]
struct Row {
    kernels: usize,
    unique: usize,
    tried: [usize; 2],
    good: [usize; 2],
}

struct Cause {
    count: usize,
    core: bool,
    example: String,
}

/// Counts, causes and times.
#[derive(Default)]
pub struct Report {
    rows: BTreeMap<String, Row>,
    causes: BTreeMap<(Depth, String), Cause>,
    /// CPU milliseconds of the kernels that were compiled to code, with their lines and where they are.
    times: Vec<(u64, usize, String)>,
    lines: usize,
    /// Sources that could not be gathered.
    pub absent: Vec<String>,
}

impl Report {
    /// How many kernels a source has.
    pub fn count(&mut self, source: &str, kernels: usize, unique: usize) {
        let row = self.rows.entry(source.to_owned()).or_default();
        row.kernels = kernels;
        row.unique = unique;
    }

    /// A module that could not be read.
    pub fn module(&mut self, source: &str, file: &str, why: &str) {
        self.cause(Depth::Front, why, format!("{source}: {file}"));
    }

    /// What came of a kernel.
    pub fn add(&mut self, kernel: &Kernel, depth: Depth, outcome: Option<&str>) {
        let Some(outcome) = outcome else { return };
        let row = self.rows.entry(kernel.source.clone()).or_default();
        let at = depth as usize;
        row.tried[at] += 1;
        let place = format!(
            "{} #{} {}",
            kernel.file.display(),
            kernel.index,
            kernel.name
        );
        if let Some(milliseconds) = outcome.strip_prefix("ok ") {
            row.good[at] += 1;
            if depth == Depth::Code {
                self.lines += kernel.lines;
                self.times
                    .push((milliseconds.parse().unwrap_or(0), kernel.lines, place));
            }
        } else {
            let why = outcome.strip_prefix("fail ").unwrap_or(outcome);
            self.cause(depth, why, place);
        }
    }

    fn cause(&mut self, depth: Depth, why: &str, example: String) {
        let cause = self
            .causes
            .entry((depth, without_numbers(why)))
            .or_insert_with(|| Cause {
                count: 0,
                core: !SECOND_HALF.iter().any(|word| why.contains(word)),
                example: format!("{example}: {why}"),
            });
        cause.count += 1;
    }

    /// Failures of the compiler's first half.
    pub fn core_failures(&self) -> usize {
        self.causes
            .values()
            .filter(|cause| cause.core)
            .map(|cause| cause.count)
            .sum()
    }

    /// The whole of it.
    pub fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{:<20} {:>8} {:>8} {:>15} {:>15}",
            "source", "kernels", "unique", "front end", "code"
        );
        let mut sum = Row::default();
        for (name, row) in &self.rows {
            line(&mut out, name, row);
            sum.kernels += row.kernels;
            sum.unique += row.unique;
            for at in 0..2 {
                sum.tried[at] += row.tried[at];
                sum.good[at] += row.good[at];
            }
        }
        line(&mut out, "all", &sum);
        if !self.absent.is_empty() {
            let _ = writeln!(out, "not judged: {}", self.absent.join(", "));
        }
        for (core, title) in [
            (true, "failures of core forms"),
            (false, "refused, belonging to the second half"),
        ] {
            let causes = || self.causes.iter().filter(|(_, cause)| cause.core == core);
            let count: usize = causes().map(|(_, cause)| cause.count).sum();
            let _ = writeln!(out, "{title}: {count}");
            let mut causes: Vec<_> = causes().collect();
            causes.sort_by_key(|(_, cause)| std::cmp::Reverse(cause.count));
            for ((depth, why), cause) in causes {
                let _ = writeln!(
                    out,
                    "{:>6}  {:<5}  {why}\n               such as {}",
                    cause.count,
                    depth.name(),
                    cause.example
                );
            }
        }
        self.speed(&mut out);
        out
    }

    fn speed(&self, out: &mut String) {
        let mut times: Vec<_> = self.times.iter().collect();
        times.sort_by_key(|(milliseconds, ..)| std::cmp::Reverse(*milliseconds));
        let Some(middle) = times.get(times.len() / 2) else {
            return;
        };
        let total: u64 = times.iter().map(|(milliseconds, ..)| milliseconds).sum();
        let _ = writeln!(
            out,
            "CPU time to code: {} kernels, {} lines in {:.1} s; median {} ms, {:.2} ms per 100 lines; the slowest:",
            times.len(),
            self.lines,
            total as f64 / 1e3,
            middle.0,
            total as f64 * 100.0 / self.lines.max(1) as f64,
        );
        for (milliseconds, lines, place) in times.into_iter().take(SLOWEST) {
            let _ = writeln!(out, "{milliseconds:>8} ms {lines:>6} lines  {place}");
        }
    }
}

fn line(out: &mut String, name: &str, row: &Row) {
    let of = |at: usize| format!("{} of {}", row.good[at], row.tried[at]);
    let _ = writeln!(
        out,
        "{name:<20} {:>8} {:>8} {:>15} {:>15}",
        row.kernels,
        row.unique,
        of(0),
        of(1)
    );
}

/// The message without line numbers and the numbers of registers, so that like comes to like.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut in_name = false;
    for c in text.chars() {
        if !c.is_ascii_digit() {
            in_name = c.is_ascii_alphabetic();
            out.push(c);
        } else if in_name {
            // Part of a name such as `f32`.
            out.push(c);
        } else if !out.ends_with('N') {
            out.push('N');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_come_together() {
        let mut report = Report::default();
        report.module(
            "a",
            "x",
            "line 12: instruction 'cvt.f32.f16' is not supported",
        );
        report.module(
            "b",
            "y",
            "line 4711: instruction 'cvt.f32.f16' is not supported",
        );
        report.module(
            "b",
            "y",
            "line 3: instruction 'wgmma.fence' is not supported",
        );
        assert_eq!(report.core_failures(), 2);
        assert!(
            report
                .text()
                .contains("line N: instruction 'cvt.f32.f16' is not supported")
        );
    }
}
