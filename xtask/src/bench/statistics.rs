//! Samples, medians, noise and verdicts.

use std::{collections::BTreeMap, fmt};

use crate::error::Failure;

/// Samples in seconds, by row and peer.
#[derive(Debug, Default)]
pub struct Samples {
    by_row: BTreeMap<(String, String), Vec<f64>>,
}

/// A median with its relative noise: half the distance between the quartiles, as a part of the median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Seconds.
    pub median: f64,
    /// Relative.
    pub noise: f64,
}

/// How a row stands to its goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The aim is reached.
    Aim,
    /// What must be is reached.
    Met,
    /// Not even that.
    Missed,
    /// The distance from what must be lies within the noise.
    Undecided,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Aim => "aim",
            Self::Met => "met",
            Self::Missed => "MISSED",
            Self::Undecided => "undecided",
        })
    }
}

impl Samples {
    /// Takes the lines `sample ROW PEER SECONDS` of a program's output; other lines are for people.
    pub fn take(&mut self, text: &str) -> Result<(), Failure> {
        self.take_as(text, "")
    }

    /// The same, `suffix` being added to the rows' names.
    pub fn take_as(&mut self, text: &str, suffix: &str) -> Result<(), Failure> {
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.first() != Some(&"sample") {
                continue;
            }
            let bad = || Failure::Output {
                line: "a bench".into(),
                what: line.into(),
            };
            let [_, row, peer, seconds] = words[..] else {
                return Err(bad());
            };
            let seconds: f64 = seconds.parse().map_err(|_| bad())?;
            if !seconds.is_finite() || seconds <= 0.0 {
                return Err(bad());
            }
            self.by_row
                .entry((format!("{row}{suffix}"), peer.into()))
                .or_default()
                .push(seconds);
        }
        Ok(())
    }

    /// All samples, one a line: row, peer, seconds.
    pub fn to_tsv(&self) -> String {
        let mut out = String::from("row\tpeer\tseconds\n");
        for ((row, peer), samples) in &self.by_row {
            for seconds in samples {
                out.push_str(&format!("{row}\t{peer}\t{seconds:e}\n"));
            }
        }
        out
    }

    /// The estimate of a row's peer, where there are samples.
    pub fn estimate(&self, row: &str, peer: &str) -> Option<Estimate> {
        let mut samples = self.by_row.get(&(row.into(), peer.into()))?.clone();
        samples.sort_by(f64::total_cmp);
        let at = |quantile: f64| -> f64 {
            let position = quantile * (samples.len() - 1) as f64;
            let below = position.floor();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a position within the samples"
            )]
            let (low, high) = (below as usize, position.ceil() as usize);
            samples[low] + (samples[high] - samples[low]) * (position - below)
        };
        let median = at(0.5);
        Some(Estimate {
            median,
            noise: (at(0.75) - at(0.25)) / 2.0 / median,
        })
    }
}

/// A time against times it must and should stay below.
pub fn judge_time(ours: Estimate, must: f64, aim: f64) -> Verdict {
    judge(must / ours.median, ours.noise, aim / must)
}

/// A ratio (peer's time / ours) against what it must and should reach, with the noise of both.
pub fn judge_ratio(ratio: f64, noise: f64, must: f64, aim: f64) -> Verdict {
    judge(ratio / must, noise, must / aim)
}

/// `reached` is 1 when just met; `aim_part` is how much less would have to be taken for the aim.
fn judge(reached: f64, noise: f64, aim_part: f64) -> Verdict {
    if (reached - 1.0).abs() <= noise {
        Verdict::Undecided
    } else if reached < 1.0 {
        Verdict::Missed
    } else if reached * aim_part >= 1.0 {
        Verdict::Aim
    } else {
        Verdict::Met
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quartiles() -> Result<(), Failure> {
        let mut samples = Samples::default();
        samples.take("hello\nsample a ours 1\nsample a ours 2\nsample a ours 3\nsample a ours 4\nsample a ours 5\n")?;
        assert_eq!(
            samples.estimate("a", "ours"),
            Some(Estimate {
                median: 3.0,
                noise: 1.0 / 3.0
            })
        );
        assert_eq!(samples.estimate("a", "native"), None);
        assert!(samples.take("sample a ours").is_err());
        assert!(samples.take("sample a ours -1").is_err());
        assert_eq!(samples.to_tsv().lines().count(), 6);
        Ok(())
    }

    #[test]
    fn verdicts() {
        let quiet = |median| Estimate {
            median,
            noise: 0.01,
        };
        assert_eq!(judge_time(quiet(0.5), 3.0, 0.7), Verdict::Aim);
        assert_eq!(judge_time(quiet(2.0), 3.0, 0.7), Verdict::Met);
        assert_eq!(judge_time(quiet(4.0), 3.0, 0.7), Verdict::Missed);
        assert_eq!(judge_time(quiet(3.01), 3.0, 0.7), Verdict::Undecided);
        assert_eq!(judge_ratio(0.97, 0.01, 0.8, 0.95), Verdict::Aim);
        assert_eq!(judge_ratio(0.90, 0.01, 0.8, 0.95), Verdict::Met);
        assert_eq!(judge_ratio(0.70, 0.01, 0.8, 0.95), Verdict::Missed);
        assert_eq!(judge_ratio(0.70, 0.20, 0.8, 0.95), Verdict::Undecided);
    }
}
