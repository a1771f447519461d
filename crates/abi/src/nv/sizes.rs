//! Struct sizes by driver version: the kernel half checks every size exactly, for the version that it advertises.

use std::collections::HashMap;

/// A driver version such as 580.142 or 535.104.05; ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u16, pub u16, pub u16);

impl Version {
    /// The version advertised by default.
    pub const DEFAULT: Self = Self(580, 142, 0);

    /// Parses `major.minor[.patch]`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        let patch = match parts.next() {
            Some(p) => p.parse().ok()?,
            None => 0,
        };
        parts.next().is_none().then_some(Self(major, minor, patch))
    }

    /// CUDA version that goes with the driver branch, major and minor (CUDA Toolkit release notes, "CUDA Toolkit and
    /// Corresponding Driver Versions").
    #[must_use]
    pub fn cuda(self) -> (u32, u32) {
        match self.0 {
            ..=519 => (11, 8),
            520..=529 => (12, 0),
            530..=534 => (12, 1),
            535..=544 => (12, 2),
            545..=549 => (12, 3),
            550..=554 => (12, 4),
            555..=559 => (12, 5),
            560..=564 => (12, 6),
            565..=569 => (12, 7),
            570..=574 => (12, 8),
            575..=579 => (12, 9),
            580..=589 => (13, 0),
            590.. => (13, 1),
        }
    }
}

/// Sizes of all structs at one version.
#[derive(Clone, Debug)]
pub struct Sizes(HashMap<&'static str, u32>);

impl Sizes {
    /// The sizes in force at `version`: for each struct the last change not newer than it (the oldest known for older
    /// versions).
    #[must_use]
    pub fn at(version: Version) -> Self {
        let mut map = HashMap::new();
        for line in include_str!("../../data/sizes.tsv").lines() {
            let Some((name, changes)) = line.split_once('\t') else {
                continue;
            };
            let mut bytes = None;
            for change in changes.split(' ') {
                let Some((since, size)) = change.split_once('=') else {
                    continue;
                };
                let (Some(since), Ok(size)) = (Version::parse(since), size.parse::<u32>()) else {
                    continue;
                };
                if bytes.is_none() || since <= version {
                    bytes = Some(size);
                }
            }
            if let Some(bytes) = bytes.filter(|b| *b != 0) {
                map.insert(name, bytes);
            }
        }
        Self(map)
    }

    /// Bytes of the struct, or `None` when this version does not have it.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<u32> {
        self.0.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_the_version() {
        let at = |v| Sizes::at(Version::parse(v).expect("version"));
        assert_eq!(at("535.309.01").of("NVOS46_PARAMETERS"), Some(56));
        assert_eq!(at("580.142").of("NVOS46_PARAMETERS"), Some(64));
        assert_eq!(
            at("550.163.01").of("NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_V2_PARAMS"),
            Some(776)
        );
        assert_eq!(
            at("570.211.01").of("NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_V2_PARAMS"),
            Some(1032)
        );
        assert_eq!(at("590.44.01").of("UVM_FREE_PARAMS"), Some(16));
        assert_eq!(at("580.142").of("no such struct"), None);
    }

    #[test]
    fn versions_order_by_number() {
        assert!(Version::parse("580.142") > Version::parse("580.65.06"));
        assert_eq!(Version::parse("580"), None);
        assert_eq!(Version::parse("a.b"), None);
    }
}
