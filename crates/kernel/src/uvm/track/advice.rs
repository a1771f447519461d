//! What was advised of which addresses.

use std::collections::BTreeMap;

/// A processor: 0 is the CPU, n + 1 is GPU n.
pub(in crate::uvm) type Side = usize;
/// The CPU.
pub(super) const CPU: Side = 0;

/// The side of a GPU.
pub(in crate::uvm) fn gpu_side(index: u32) -> Side {
    index as usize + 1
}

/// Advice of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Advice {
    /// Where it should live.
    pub preferred: Option<Side>,
    /// Who keeps it mapped, one bit per side.
    pub accessed_by: u64,
    /// Read-mostly: copies for each reader.
    pub duplicate: bool,
    /// GPUs that see the CPU's pages, one bit per side.
    pub remote: u64,
}

/// Spans with advice that is not the default.
#[derive(Debug, Default)]
pub(super) struct Advices {
    /// Start to end and advice.
    spans: BTreeMap<u64, (u64, Advice)>,
}

impl Advices {
    /// Advice at an address.
    pub(super) fn at(&self, address: u64) -> Advice {
        self.spans
            .range(..=address)
            .next_back()
            .filter(|(_, (end, _))| address < *end)
            .map_or_else(Advice::default, |(_, (_, advice))| *advice)
    }

    /// Parts of `[base, end)` with their advice, in order.
    pub(super) fn parts(&self, base: u64, end: u64) -> Vec<(u64, u64, Advice)> {
        let mut parts = Vec::new();
        let mut at = base;
        let first = self
            .spans
            .range(..base)
            .next_back()
            .map(|(start, (end, advice))| (*start, *end, *advice));
        let rest = self
            .spans
            .range(base..end)
            .map(|(start, (end, advice))| (*start, *end, *advice));
        for (start, stop, advice) in first.into_iter().chain(rest) {
            let (start, stop) = (start.max(base), stop.min(end));
            if stop <= start {
                continue;
            }
            if at < start {
                parts.push((at, start, Advice::default()));
            }
            parts.push((start, stop, advice));
            at = stop;
        }
        if at < end {
            parts.push((at, end, Advice::default()));
        }
        parts
    }

    /// Changes the advice of `[base, end)`.
    pub(super) fn change(&mut self, base: u64, end: u64, change: impl Fn(&mut Advice)) {
        let mut parts = self.parts(base, end);
        for part in &mut parts {
            change(&mut part.2);
        }
        self.forget(base, end);
        for (start, stop, advice) in parts {
            if advice != Advice::default() {
                self.spans.insert(start, (stop, advice));
            }
        }
    }

    /// Takes the advice of `[base, end)` away.
    pub(super) fn forget(&mut self, base: u64, end: u64) {
        let touched: Vec<(u64, u64, Advice)> = self
            .spans
            .range(..end)
            .rev()
            .take_while(|(_, (stop, _))| *stop > base)
            .map(|(start, (stop, advice))| (*start, *stop, *advice))
            .collect();
        for (start, stop, advice) in touched {
            self.spans.remove(&start);
            if start < base {
                self.spans.insert(start, (base, advice));
            }
            if stop > end {
                self.spans.insert(end, (stop, advice));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_split_and_join() {
        let mut advices = Advices::default();
        advices.change(100, 200, |a| a.duplicate = true);
        advices.change(150, 300, |a| a.preferred = Some(CPU));
        assert!(advices.at(100).duplicate && advices.at(100).preferred.is_none());
        assert!(advices.at(199).duplicate && advices.at(199).preferred == Some(CPU));
        assert!(!advices.at(200).duplicate && advices.at(299).preferred == Some(CPU));
        assert_eq!(advices.at(300), Advice::default());
        let parts = advices.parts(50, 350);
        assert_eq!(
            parts.iter().map(|p| (p.0, p.1)).collect::<Vec<_>>(),
            [(50, 100), (100, 150), (150, 200), (200, 300), (300, 350)]
        );
        advices.forget(120, 250);
        assert!(advices.at(110).duplicate && advices.at(120) == Advice::default());
        assert_eq!(advices.at(250).preferred, Some(CPU));
        advices.change(0, 1000, |a| *a = Advice::default());
        assert!(advices.spans.is_empty());
    }
}
