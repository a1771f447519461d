//! The functions of each major version of the runtime, from the lists that give our libraries
//! their exported symbols.

/// A major version of the runtime that we can serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Major {
    Cuda12,
    Cuda13,
}

const LIST_12: &str = include_str!("../../cudart/libcudart.so.12.map");
const LIST_13: &str = include_str!("../../cudart/libcudart.so.13.map");

impl Major {
    /// The version as a number.
    pub(crate) fn number(self) -> u32 {
        match self {
            Major::Cuda12 => 12,
            Major::Cuda13 => 13,
        }
    }

    /// The major version with that number.
    pub(crate) fn from_number(number: u32) -> Option<Major> {
        match number {
            12 => Some(Major::Cuda12),
            13 => Some(Major::Cuda13),
            _ => None,
        }
    }

    /// Every exported name, in the order of the list.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        let list = match self {
            Major::Cuda12 => LIST_12,
            Major::Cuda13 => LIST_13,
        };
        list.lines()
            .filter_map(|line| line.strip_prefix("    ")?.strip_suffix(';'))
            .filter(|name| name.starts_with("cuda") || name.starts_with("__cuda"))
    }

    /// The name at a place in [`Major::names`].
    pub(crate) fn name(self, index: u32) -> Option<&'static str> {
        self.names().nth(usize::try_from(index).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        assert_eq!(Major::Cuda12.names().count(), 435);
        assert_eq!(Major::Cuda13.names().count(), 422);
        for major in [Major::Cuda12, Major::Cuda13] {
            assert_eq!(Major::from_number(major.number()), Some(major));
            for (index, name) in (0..).zip(major.names()) {
                assert_eq!(major.name(index), Some(name));
            }
        }
        assert_eq!(Major::Cuda13.name(422), None);
    }
}
