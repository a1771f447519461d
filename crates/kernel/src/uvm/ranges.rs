//! VA ranges of a UVM file.

use std::collections::BTreeSet;

use crate::memory::Charge;

/// A mapping of an external allocation on one GPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExternalMap {
    /// GPU index.
    pub gpu: u32,
    /// Address.
    pub base: u64,
    /// Bytes.
    pub len: u64,
}

/// Policy of a managed range.
#[derive(Debug)]
pub(super) struct Managed {
    /// Range group, 0 none.
    pub group: u64,
    /// Preferred processor.
    pub preferred: Option<[u8; 16]>,
    /// Processors that keep it mapped.
    pub accessed_by: BTreeSet<[u8; 16]>,
    /// Read duplication.
    pub duplicate: bool,
    /// Where it was last moved to.
    pub resident: Option<[u8; 16]>,
    /// Its bytes.
    pub _charge: Charge,
}

/// What a range holds.
#[derive(Debug)]
pub(super) enum Kind {
    /// RM memory, mapped by MAP_EXTERNAL_ALLOCATION.
    External(Vec<ExternalMap>),
    /// Managed memory.
    Managed(Managed),
    /// Semaphores that CPU and GPUs see.
    SemaphorePool(#[expect(dead_code, reason = "held for its Drop")] Charge),
}

/// A range.
#[derive(Debug)]
pub(super) struct Range {
    /// Bytes.
    pub len: u64,
    /// What it holds.
    pub kind: Kind,
}

impl Range {
    pub(super) fn managed(len: u64, charge: Charge) -> Self {
        Self {
            len,
            kind: Kind::Managed(Managed {
                group: 0,
                preferred: None,
                accessed_by: BTreeSet::new(),
                duplicate: false,
                resident: None,
                _charge: charge,
            }),
        }
    }

    /// Whether its pages are the address-shaped memfd's.
    pub(super) fn is_own_memory(&self) -> bool {
        match self.kind {
            Kind::Managed(_) | Kind::SemaphorePool(_) => true,
            Kind::External(_) => false,
        }
    }
}
