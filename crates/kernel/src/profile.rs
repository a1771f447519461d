//! GPU profiles: what a virtual GPU says that it is. Data, in `profiles/*.toml`.

use std::collections::HashMap;
use std::sync::OnceLock;

use abi::nv::classes;
use serde::Deserialize;

/// One profile.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Name on the command line, e.g. `h100`.
    pub id: String,
    /// Marketing name with a note that it is virtual.
    pub name: String,
    /// Chip name.
    pub short_name: String,
    /// `NV2080_CTRL_MC_ARCH_INFO_ARCHITECTURE`.
    pub architecture: u32,
    /// Chip within the architecture.
    pub implementation: u32,
    /// Mask revision.
    pub revision: u32,
    /// Compute capability.
    pub cc: [u32; 2],
    /// `NV2080_CTRL_GR_INFO_SM_VERSION`.
    pub sm_version: u32,
    /// PCI device id.
    pub device_id: u16,
    /// PCI subsystem id.
    pub subsystem_id: u16,
    /// PCI bus of the first GPU of this kind.
    pub pci_bus: u8,
    /// GPCs of the chip.
    pub gpcs: u32,
    /// TPCs per GPC of the chip.
    pub tpcs_per_gpc: u32,
    /// SMs per TPC.
    pub sms_per_tpc: u32,
    /// SMs enabled on the board.
    pub sms: u32,
    /// Resident warps per SM.
    pub warps_per_sm: u32,
    /// FP32 lanes per SM.
    pub cores_per_sm: u32,
    /// Tensor cores per SM.
    pub tensor_cores_per_sm: u32,
    /// Memory, MiB.
    pub memory_mib: u64,
    /// BAR1, MiB.
    pub bar1_mib: u64,
    /// L2 cache, KiB.
    pub l2_kib: u32,
    /// Memory bus width, bits.
    pub bus_width: u32,
    /// `NV2080_CTRL_FB_INFO_RAM_TYPE`.
    pub ram_type: u32,
    /// Framebuffer partitions.
    pub fbps: u32,
    /// L2 slices groups.
    pub ltcs: u32,
    /// PCIe generation.
    pub pcie_gen: u32,
    /// Copy engines.
    pub copy_engines: u32,
    /// Compute classes, newest first.
    pub compute_classes: Vec<String>,
    /// Copy classes.
    pub copy_classes: Vec<String>,
    /// Channel classes.
    pub channel_classes: Vec<String>,
    /// Doorbell classes.
    pub usermode_classes: Vec<String>,
    /// The rest of the class list.
    pub other_classes: Vec<String>,
    /// Temperature reported, °C.
    pub temperature_c: u32,
    /// Power draw reported, mW.
    pub power_mw: u32,
    /// Power limit, mW.
    pub power_limit_mw: u32,
    /// SM clock, MHz.
    pub sm_clock_mhz: u32,
    /// Memory clock, MHz.
    pub memory_clock_mhz: u32,
    /// VBIOS version text.
    pub vbios: String,
    /// Memory has ECC, and it is on by default.
    #[serde(default)]
    pub ecc: bool,
    /// NVLinks, which join all GPUs of a machine through switches where there are several; 0 none.
    #[serde(default)]
    pub nvlinks: u32,
    /// `nvmlNvlinkVersion_t`.
    #[serde(default)]
    pub nvlink_version: u32,
    /// Speed of one link, MB/s.
    #[serde(default)]
    pub nvlink_mbps: u32,
}

const EMBEDDED: &[(&str, &str)] = &[
    ("h100", include_str!("../profiles/h100.toml")),
    ("a100", include_str!("../profiles/a100.toml")),
    ("rtx4090", include_str!("../profiles/rtx4090.toml")),
    ("rtx5090", include_str!("../profiles/rtx5090.toml")),
];

/// Why there is no such profile.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// Unknown name.
    #[error("no GPU profile {0:?}; known: {1}")]
    Unknown(String, String),
    /// The count after the colon is no number from 1 to 32.
    #[error("{0:?}: the count after ':' must be 1 to 32")]
    Count(String),
    /// A profile's data is wrong.
    #[error("profile {0}: {1}")]
    Data(String, String),
}

/// Names of the embedded profiles.
#[must_use]
pub fn names() -> Vec<&'static str> {
    EMBEDDED.iter().map(|(name, _)| *name).collect()
}

/// Parses `NAME[:COUNT]`.
///
/// # Errors
/// [`ProfileError`].
pub fn parse_choice(text: &str) -> Result<(Profile, usize), ProfileError> {
    let (name, count) = match text.split_once(':') {
        None => (text, 1),
        Some((name, count)) => {
            let count = count.parse().ok().filter(|c| (1..=32).contains(c));
            (name, count.ok_or_else(|| ProfileError::Count(text.into()))?)
        }
    };
    let name = if name.is_empty() { "h100" } else { name };
    Ok((Profile::load(name)?, count))
}

impl Profile {
    /// The embedded profile of that name.
    ///
    /// # Errors
    /// [`ProfileError`].
    pub fn load(name: &str) -> Result<Self, ProfileError> {
        let text = EMBEDDED
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, text)| *text);
        let text = text.ok_or_else(|| ProfileError::Unknown(name.into(), names().join(", ")))?;
        Self::from_toml(name, text)
    }

    fn from_toml(name: &str, text: &str) -> Result<Self, ProfileError> {
        let data = |why: String| ProfileError::Data(name.into(), why);
        let profile: Self = toml::from_str(text).map_err(|e| data(e.to_string()))?;
        for class in profile.class_names() {
            if class_number(class).is_none() {
                return Err(data(format!("unknown class {class}")));
            }
        }
        if profile.sms == 0
            || profile.sms > profile.gpcs * profile.tpcs_per_gpc * profile.sms_per_tpc
        {
            return Err(data("more SMs than the chip has".into()));
        }
        Ok(profile)
    }

    fn class_names(&self) -> impl Iterator<Item = &str> {
        [
            &self.compute_classes,
            &self.copy_classes,
            &self.channel_classes,
            &self.usermode_classes,
            &self.other_classes,
        ]
        .into_iter()
        .flatten()
        .map(String::as_str)
    }

    /// The chip's class list, ascending.
    #[must_use]
    pub fn classes(&self) -> Vec<u32> {
        let mut list: Vec<u32> = self.class_names().filter_map(class_number).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Whether `class` is one of `names`.
    #[must_use]
    pub fn has(names: &[String], class: u32) -> bool {
        names.iter().any(|n| class_number(n) == Some(class))
    }

    /// TPCs enabled in GPC `gpc`, as a bit mask: the board's TPCs dealt out evenly.
    #[must_use]
    pub fn tpc_mask(&self, gpc: u32) -> u32 {
        if gpc >= self.gpcs {
            return 0;
        }
        let tpcs = self.sms.div_ceil(self.sms_per_tpc);
        let here = tpcs / self.gpcs + u32::from(gpc < tpcs % self.gpcs);
        (1_u32 << here.min(31)) - 1
    }
}

/// Number of a class by NVIDIA's name.
#[must_use]
pub fn class_number(name: &str) -> Option<u32> {
    static NUMBERS: OnceLock<HashMap<&'static str, u32>> = OnceLock::new();
    let numbers = NUMBERS.get_or_init(|| {
        let named = |class| Some((classes::name(class)?, class));
        (0..0x1_0000).filter_map(named).collect()
    });
    numbers.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_profiles_load() {
        for name in names() {
            let profile = Profile::load(name).expect(name);
            assert_eq!(profile.id, name);
            assert!(profile.name.contains("(virtual)"));
            let tpcs: u32 = (0..profile.gpcs)
                .map(|g| profile.tpc_mask(g).count_ones())
                .sum();
            assert_eq!(tpcs * profile.sms_per_tpc, profile.sms, "{name}");
            assert!(
                (0..profile.gpcs).all(|g| profile.tpc_mask(g).count_ones() <= profile.tpcs_per_gpc)
            );
        }
        assert_eq!(Profile::load("h100").expect("h100").sms, 132);
        assert!(Profile::load("x").is_err());
    }

    #[test]
    fn choices_parse() {
        assert_eq!(parse_choice("h100:4").expect("count").1, 4);
        assert_eq!(parse_choice("").expect("default").0.id, "h100");
        assert!(parse_choice("h100:0").is_err());
        assert!(parse_choice("h100:x").is_err());
        assert!(parse_choice("h100:33").is_err());
    }
}
