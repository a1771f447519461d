//! The device nodes.

/// A device node of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `/dev/nvidiactl`.
    Control,
    /// `/dev/nvidiaN`.
    Gpu(u32),
    /// `/dev/nvidia-uvm`.
    Uvm,
    /// `/dev/nvidia-uvm-tools`.
    UvmTools,
    /// `/dev/nvidia-modeset`.
    Modeset,
}

/// GPU minors run from 0 to 247 (major 195).
pub const MAX_MINOR: u32 = 247;

impl Node {
    /// Path of the node.
    #[must_use]
    pub fn path(self) -> String {
        match self {
            Self::Control => "/dev/nvidiactl".into(),
            Self::Gpu(minor) => format!("/dev/nvidia{minor}"),
            Self::Uvm => "/dev/nvidia-uvm".into(),
            Self::UvmTools => "/dev/nvidia-uvm-tools".into(),
            Self::Modeset => "/dev/nvidia-modeset".into(),
        }
    }

    /// The node of a path.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        match path {
            "/dev/nvidiactl" => Some(Self::Control),
            "/dev/nvidia-uvm" => Some(Self::Uvm),
            "/dev/nvidia-uvm-tools" => Some(Self::UvmTools),
            "/dev/nvidia-modeset" => Some(Self::Modeset),
            other => {
                let minor = other.strip_prefix("/dev/nvidia")?.parse().ok()?;
                (minor <= MAX_MINOR).then_some(Self::Gpu(minor))
            }
        }
    }

    /// Number in a hello frame.
    #[must_use]
    pub fn code(self) -> u64 {
        match self {
            Self::Control => 0x1_0000,
            Self::Gpu(minor) => 0x2_0000 | u64::from(minor & 0xffff),
            Self::Uvm => 0x3_0000,
            Self::UvmTools => 0x4_0000,
            Self::Modeset => 0x5_0000,
        }
    }

    /// Inverse of [`Node::code`].
    #[must_use]
    pub fn of_code(code: u64) -> Option<Self> {
        match code {
            0x1_0000 => Some(Self::Control),
            0x3_0000 => Some(Self::Uvm),
            0x4_0000 => Some(Self::UvmTools),
            0x5_0000 => Some(Self::Modeset),
            gpu if (gpu & !0xffff) == 0x2_0000 => {
                let minor = u32::try_from(gpu & 0xffff).ok()?;
                (minor <= MAX_MINOR).then_some(Self::Gpu(minor))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_paths_round_trip() {
        for node in [
            Node::Control,
            Node::Gpu(0),
            Node::Gpu(247),
            Node::Uvm,
            Node::UvmTools,
            Node::Modeset,
        ] {
            assert_eq!(Node::of_code(node.code()), Some(node));
            assert_eq!(Node::of_path(&node.path()), Some(node));
        }
        assert_eq!(Node::of_path("/dev/nvidia248"), None);
        assert_eq!(Node::of_code(0x2_00f8), None);
        assert_eq!(Node::of_code(0), None);
    }
}
