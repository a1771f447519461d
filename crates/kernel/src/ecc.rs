//! A GPU's error-correcting memory: mode, counters, remapped rows. Errors come by injection only.

/// State of one GPU's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ecc {
    /// The memory can correct errors at all.
    pub supported: bool,
    /// It does.
    pub on: bool,
    /// It will after the next reset.
    pub next: bool,
    /// Uncorrectable errors since the last reset.
    pub since_reset: u64,
    /// Uncorrectable errors ever (of this server).
    pub ever: u64,
    /// Rows that another took the place of.
    pub remapped: u32,
    /// Rows that will be remapped at the next reset.
    pub pending: u32,
}

impl Ecc {
    /// A board as it comes.
    #[must_use]
    pub fn new(supported: bool) -> Self {
        Self {
            supported,
            on: supported,
            next: supported,
            ..Self::default()
        }
    }

    /// An uncorrectable error: its row is to be remapped. Without ECC nobody notices.
    pub fn uncorrectable(&mut self) {
        if self.on {
            self.since_reset += 1;
            self.ever += 1;
            self.pending += 1;
        }
    }

    /// The GPU is reset.
    pub fn reset(&mut self) {
        self.on = self.next;
        self.since_reset = 0;
        self.remapped += std::mem::take(&mut self.pending);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resets_remap_rows_and_change_the_mode() {
        let mut ecc = Ecc::new(true);
        ecc.uncorrectable();
        ecc.next = false;
        assert_eq!((ecc.since_reset, ecc.ever, ecc.pending), (1, 1, 1));
        ecc.reset();
        assert_eq!((ecc.since_reset, ecc.ever, ecc.remapped), (0, 1, 1));
        assert!(!ecc.on && ecc.pending == 0);
        ecc.uncorrectable();
        assert_eq!(ecc.ever, 1);
    }
}
