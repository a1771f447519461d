//! Green contexts: a part of a device's SMs, in which streams run. Memory and modules are the primary context's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cuda_abi::driver::{CUdevResource, CUdevResourceType, CUresult};

use super::context::{self, CONTEXTS, Context};
use super::handle::Table;
use super::platform;

/// All green contexts.
pub(crate) static GREEN: Table<Green> = Table::new(24, CUresult::INVALID_CONTEXT);
/// All descriptions of resources.
pub(crate) static DESCRIPTIONS: Table<Sms> = Table::new(25, CUresult::INVALID_VALUE);

/// Some SMs of a device, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sms {
    /// Device.
    pub ordinal: usize,
    /// The first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// A green context.
pub(crate) struct Green {
    /// Its SMs.
    pub sms: Sms,
    /// Number that is never used again.
    pub id: u64,
    /// The context that a program makes current for it.
    pub context: usize,
    primary: Arc<Context>,
}

/// First word of a resource's private bytes.
const MAGIC: [u8; 8] = *b"ANTLSMs1";

/// How SMs are handed out: the smallest number, and what it is a multiple of (CUDA Driver API 13.0,
/// cuDevSmResourceSplitByCount).
pub(crate) fn granularity(major: u32, any: bool) -> (u32, u32) {
    match (major, any) {
        (9.., false) => (8, 8),
        (8, _) => (4, 2),
        (_, _) => (2, 2),
    }
}

impl Sms {
    /// All of a device.
    pub(crate) fn all(ordinal: usize) -> Result<Self, CUresult> {
        let devices = &platform::get()?.devices;
        let device = devices.get(ordinal).ok_or(CUresult::INVALID_DEVICE)?;
        Ok(Self {
            ordinal,
            first: 0,
            count: device.sms,
        })
    }

    /// As the program sees it.
    pub(crate) fn resource(&self) -> Result<CUdevResource, CUresult> {
        let devices = &platform::get()?.devices;
        let device = devices.get(self.ordinal).ok_or(CUresult::INVALID_DEVICE)?;
        let (least, unit) = granularity(device.capability.0, false);
        let mut padding = [0; 92];
        padding[..8].copy_from_slice(&MAGIC);
        let ordinal = u32::try_from(self.ordinal).map_err(|_| CUresult::INVALID_DEVICE)?;
        for (index, word) in [ordinal, self.first, self.count].into_iter().enumerate() {
            padding[8 + index * 4..12 + index * 4].copy_from_slice(&word.to_le_bytes());
        }
        let mut resource = [0; 12];
        resource[..3].copy_from_slice(&[self.count, least, unit]);
        Ok(CUdevResource {
            type_: CUdevResourceType::SM,
            _internal_padding: padding,
            resource,
        })
    }

    /// What a resource that the program gives back means.
    ///
    /// # Errors
    /// 914 for another type, 1 for one that is not ours.
    pub(crate) fn of_resource(resource: &CUdevResource) -> Result<Self, CUresult> {
        if resource.type_ != CUdevResourceType::SM {
            return Err(CUresult::INVALID_RESOURCE_TYPE);
        }
        let word = |index: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&resource._internal_padding[8 + index * 4..12 + index * 4]);
            u32::from_le_bytes(word)
        };
        let sms = Self {
            ordinal: word(0) as usize,
            first: word(1),
            count: word(2),
        };
        let all = Self::all(sms.ordinal).map_err(|_| CUresult::INVALID_VALUE)?;
        let inside = sms
            .first
            .checked_add(sms.count)
            .is_some_and(|end| sms.count > 0 && end <= all.count);
        if resource._internal_padding[..8] == MAGIC && inside {
            Ok(sms)
        } else {
            Err(CUresult::INVALID_VALUE)
        }
    }

    /// As many groups of at least `least` as there are, at most `wanted`, and the rest.
    pub(crate) fn split(
        &self,
        wanted: u32,
        least: u32,
        unit: (u32, u32),
    ) -> (Vec<Self>, Option<Self>) {
        let size = least.max(unit.0).next_multiple_of(unit.1);
        let count = (self.count / size).min(wanted);
        let part = |first: u32, count: u32| Self {
            first: self.first + first,
            count,
            ..*self
        };
        let groups = (0..count).map(|i| part(i * size, size)).collect();
        let used = count * size;
        (
            groups,
            (used < self.count).then(|| part(used, self.count - used)),
        )
    }
}

/// Makes a green context of the SMs of a description.
///
/// # Errors
/// 1 for a description of another device.
pub(crate) fn create(description: usize, ordinal: usize) -> Result<usize, CUresult> {
    static NEXT_ID: AtomicU64 = AtomicU64::new(1);
    let sms = *DESCRIPTIONS.get(description)?;
    if sms.ordinal != ordinal {
        return Err(CUresult::INVALID_VALUE);
    }
    let primary = context::primary(ordinal)?;
    primary.retain()?;
    let alias = context::alias(&primary, sms)?;
    let made = GREEN.insert(Green {
        sms,
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        context: alias.handle,
        primary,
    })?;
    alias.set_green(made);
    Ok(made)
}

/// Ends a green context; work in its streams goes on.
pub(crate) fn destroy(handle: usize) -> Result<(), CUresult> {
    let green = GREEN.remove(handle)?;
    CONTEXTS.remove(green.context)?;
    green.primary.release()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_whole_groups_and_a_rest() {
        let all = Sms {
            ordinal: 0,
            first: 0,
            count: 132,
        };
        let (groups, rest) = all.split(u32::MAX, 20, granularity(9, false));
        assert_eq!(groups.len(), 5, "24 each");
        assert_eq!((groups[4].first, groups[4].count), (96, 24));
        let rest = rest.expect("12 left");
        assert_eq!((rest.first, rest.count), (120, 12));
        let (groups, rest) = all.split(1, 132, (2, 2));
        assert_eq!((groups.len(), rest), (1, None));
        assert!(all.split(4, 133, (2, 2)).0.is_empty());
    }
}
