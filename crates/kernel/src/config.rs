//! What a server is configured with.

use std::path::PathBuf;

use abi::nv::sizes::Version;

use crate::memory::{VIDEO_GRAIN, host_available};
use crate::profile::{self, Profile, ProfileError};

/// Configuration of a kernel half.
#[derive(Clone, Debug)]
pub struct Config {
    /// GPU kind.
    pub profile: Profile,
    /// How many.
    pub count: usize,
    /// Advertised driver version.
    pub version: Version,
    /// Its text, e.g. `580.142`.
    pub version_text: String,
    /// Framebuffer bytes per GPU.
    pub framebuffer: u64,
    /// Bytes of host memory that clients may have allocated.
    pub host_memory: u64,
    /// The GPU process's program.
    pub gpu_bin: PathBuf,
    /// Worker threads of a GPU process, 0 = as many as CPUs.
    pub workers: u32,
    /// Reproducible schedule.
    pub deterministic: bool,
    /// Memory objects at most (descriptors).
    pub descriptors: u64,
}

/// Why a configuration is refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Profile.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// Driver version.
    #[error("driver version {0:?}: use e.g. 580.142 or 535.309.01")]
    Version(String),
    /// A number in the environment.
    #[error("{0}={1:?}: {2}")]
    Number(&'static str, String, &'static str),
}

/// Share of the available memory that GPUs and clients get: three quarters.
fn share(bytes: u64) -> u64 {
    bytes / 4 * 3
}

/// Parses `8G`, `512M`, `64K` or bytes.
#[must_use]
pub fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim().trim_end_matches("iB").trim_end_matches('B');
    let (digits, shift) = match text.chars().last()? {
        'K' | 'k' => (&text[..text.len() - 1], 10),
        'M' | 'm' => (&text[..text.len() - 1], 20),
        'G' | 'g' => (&text[..text.len() - 1], 30),
        'T' | 't' => (&text[..text.len() - 1], 40),
        _ => (text, 0),
    };
    let value: u64 = digits.parse().ok()?;
    value.checked_mul(1 << shift)
}

impl Config {
    /// From the choices given (`None`: from the environment, then the default).
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn new(gpu: Option<&str>, version: Option<&str>) -> Result<Self, ConfigError> {
        let env = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
        let gpu = gpu
            .map(str::to_owned)
            .or_else(|| env("ANTLERITE_GPU"))
            .unwrap_or_default();
        let (profile, count) = profile::parse_choice(&gpu)?;
        let version_text = version
            .map(str::to_owned)
            .or_else(|| env("ANTLERITE_DRIVER_VERSION"))
            .unwrap_or_else(|| "580.142".into());
        let version = Version::parse(&version_text)
            .filter(|_| version_text.len() < 32)
            .ok_or_else(|| ConfigError::Version(version_text.clone()))?;
        let available = share(host_available());
        let limit = match env("ANTLERITE_MEMORY") {
            None => available / u64::try_from(count).unwrap_or(1),
            Some(text) => parse_bytes(&text).ok_or(ConfigError::Number(
                "ANTLERITE_MEMORY",
                text,
                "use bytes, or a number with K, M or G",
            ))?,
        };
        let framebuffer =
            limit.min(profile.memory_mib << 20).max(64 << 20) / VIDEO_GRAIN * VIDEO_GRAIN;
        let workers = match env("ANTLERITE_WORKERS") {
            None => 0,
            Some(text) => text
                .parse()
                .ok()
                .filter(|w| *w <= 1024)
                .ok_or(ConfigError::Number(
                    "ANTLERITE_WORKERS",
                    text,
                    "use a number up to 1024",
                ))?,
        };
        Ok(Self {
            profile,
            count,
            version,
            version_text,
            framebuffer,
            host_memory: available,
            gpu_bin: gpu_bin(),
            workers,
            deterministic: env("ANTLERITE_DETERMINISTIC").is_some_and(|v| v != "0"),
            descriptors: raise_descriptor_limit().saturating_sub(512).max(64),
        })
    }

    /// CUDA version of the advertised driver, major and minor, as `nvidia-smi` shows it.
    #[must_use]
    pub fn cuda_version(&self) -> (u32, u32) {
        self.version.cuda()
    }
}

/// `ANTLERITE_GPU_BIN`, else `antlerite-gpu` beside this program.
fn gpu_bin() -> PathBuf {
    if let Some(path) = std::env::var_os("ANTLERITE_GPU_BIN").filter(|p| !p.is_empty()) {
        return PathBuf::from(path);
    }
    std::env::current_exe()
        .ok()
        .and_then(|exe| exe.parent().map(|dir| dir.join("antlerite-gpu")))
        .unwrap_or_else(|| PathBuf::from("antlerite-gpu"))
}

/// Raises the soft limit of open files to the hard one; returns it.
fn raise_descriptor_limit() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let hard = limit.maximum.unwrap_or(1 << 20).min(1 << 20);
    let raised = Rlimit {
        current: Some(hard),
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => hard,
        Err(_) => limit.current.unwrap_or(1024),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse() {
        assert_eq!(parse_bytes("8G"), Some(8 << 30));
        assert_eq!(parse_bytes("512MiB"), Some(512 << 20));
        assert_eq!(parse_bytes("4096"), Some(4096));
        assert_eq!(parse_bytes("x"), None);
        assert_eq!(parse_bytes(""), None);
        assert_eq!(parse_bytes("99999999999T"), None);
    }

    #[test]
    fn defaults_hold() {
        let config = Config::new(Some("h100:2"), Some("580.142")).expect("config");
        assert_eq!((config.count, config.cuda_version()), (2, (13, 0)));
        assert!(config.framebuffer.is_multiple_of(VIDEO_GRAIN) && config.framebuffer >= 64 << 20);
        assert!(Config::new(Some("none"), None).is_err());
        assert!(Config::new(None, Some("x")).is_err());
    }
}
