//! The CUDA toolkit, and whether it goes with the driver version that is advertised.

use super::Finding;
use std::path::PathBuf;
use std::process::Command;

/// The driver version that is advertised unless another is chosen.
const DEFAULT_DRIVER: &str = "580.142";

pub(super) fn check() -> Vec<Finding> {
    let driver = std::env::var("ANTLERITE_DRIVER_VERSION")
        .ok()
        .filter(|version| !version.is_empty())
        .unwrap_or_else(|| DEFAULT_DRIVER.into());
    let cuda = cuda_of(&driver);
    let shown = cuda.map_or("an unknown CUDA version".into(), |(major, minor)| {
        format!("CUDA {major}.{minor}")
    });
    let mut findings = vec![Finding::ok(
        "driver",
        format!("{driver} is advertised: {shown}"),
    )];
    findings.push(match find_nvcc() {
        None => Finding::note(
            "toolkit",
            "no nvcc found (programs run without one)",
            "put nvcc on PATH, or set CUDA_HOME; `make toolkit` installs CUDA 13.0",
        ),
        Some(nvcc) => match nvcc_version(&nvcc) {
            None => Finding::note(
                "toolkit",
                format!("{} does not tell its version", nvcc.display()),
                "run it with --version to see why",
            ),
            Some(version) => compare(&nvcc, version, cuda),
        },
    });
    findings
}

/// The CUDA version that a driver series supports (CUDA Toolkit release notes, "CUDA Driver").
fn cuda_of(driver: &str) -> Option<(u32, u32)> {
    let series: u32 = driver.split('.').next()?.parse().ok()?;
    match series {
        590.. => Some((13, 1)),
        580..590 => Some((13, 0)),
        575..580 => Some((12, 9)),
        570..575 => Some((12, 8)),
        565..570 => Some((12, 7)),
        560..565 => Some((12, 6)),
        555..560 => Some((12, 5)),
        550..555 => Some((12, 4)),
        545..550 => Some((12, 3)),
        535..545 => Some((12, 2)),
        530..535 => Some((12, 1)),
        525..530 => Some((12, 0)),
        _ => None,
    }
}

fn find_nvcc() -> Option<PathBuf> {
    let mut places = Vec::new();
    for variable in ["ANTLERITE_TOOLKIT", "CUDA_HOME", "CUDA_PATH"] {
        if let Some(root) = std::env::var_os(variable) {
            places.push(PathBuf::from(root).join("bin/nvcc"));
        }
    }
    if let Some(path) = std::env::var_os("PATH") {
        places.extend(std::env::split_paths(&path).map(|folder| folder.join("nvcc")));
    }
    places.push("/usr/local/cuda/bin/nvcc".into());
    places.into_iter().find(|place| place.is_file())
}

fn nvcc_version(nvcc: &PathBuf) -> Option<(u32, u32)> {
    let output = Command::new(nvcc).arg("--version").output().ok()?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

/// From "… release 13.0, V13.0.88".
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let after = text.split("release ").nth(1)?;
    let (major, rest) = after.split_once('.')?;
    let minor = rest.split(|other: char| !other.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn compare(
    nvcc: &std::path::Path,
    (major, minor): (u32, u32),
    cuda: Option<(u32, u32)>,
) -> Finding {
    let text = format!("CUDA {major}.{minor}, {}", nvcc.display());
    let Some(driver) = cuda else {
        return Finding::ok("toolkit", text);
    };
    if (major, minor) <= driver {
        return Finding::ok(
            "toolkit",
            format!("{text}: not newer than the driver, all is well"),
        );
    }
    let (driver_major, driver_minor) = driver;
    if major > driver_major {
        Finding::note(
            "toolkit",
            format!(
                "{text}: a newer major than the driver's {driver_major}.{driver_minor}; its \
                 programs get error 35"
            ),
            "choose a newer --driver-version, or an older toolkit. nvcc tells the toolkit's \
             version, nvidia-smi the newest that the driver supports: both are right",
        )
    } else {
        Finding::note(
            "toolkit",
            format!(
                "{text}: newer than the driver's {driver_major}.{driver_minor}; its programs \
                 run, and their PTX is accepted with a notice"
            ),
            "a real driver of that version would answer 222 for such PTX; ANTLERITE_STRICT=1 \
             does the same",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        let text = "nvcc: NVIDIA (R) Cuda compiler driver\n\
                    Cuda compilation tools, release 13.0, V13.0.88\n";
        assert_eq!(parse_version(text), Some((13, 0)));
        assert_eq!(parse_version("no version"), None);
        assert_eq!(cuda_of("580.142"), Some((13, 0)));
        assert_eq!(cuda_of("550.163.01"), Some((12, 4)));
        assert_eq!(cuda_of("470.1"), None);
    }
}
