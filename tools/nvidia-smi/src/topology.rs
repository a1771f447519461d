//! `topo`: a matrix of links.

use crate::gpu::Gpu;

/// `nvmlGpuTopologyLevel_t` in the matrix.
fn link(level: u32) -> &'static str {
    match level {
        0 | 10 => "PIX",
        20 => "PXB",
        30 => "PHB",
        40 => "NODE",
        _ => "SYS",
    }
}

/// CPUs as `0-3,8`.
fn ranges(cpus: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for cpu in cpus {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == *cpu => *last = *cpu,
            _ => parts.push((*cpu, *cpu)),
        }
    }
    let show = |(first, last): (usize, usize)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    };
    parts.into_iter().map(show).collect::<Vec<_>>().join(",")
}

/// `NVML_P2P_CAPS_INDEX_NVLINK`.
const NVLINK: u32 = 2;

/// `nvlink -s`: the state of each link.
pub fn links(gpus: &[Gpu]) -> String {
    let mut out = String::new();
    for gpu in gpus {
        let name = gpu.name().unwrap_or_else(|_| "N/A".into());
        let uuid = gpu.uuid().unwrap_or_else(|_| "N/A".into());
        out.push_str(&format!("GPU {}: {name} (UUID: {uuid})\n", gpu.index));
        let speed = gpu.link_speed().unwrap_or(0);
        for link in 0..64 {
            match gpu.link(link) {
                Ok(true) => out.push_str(&format!(
                    "\t Link {link}: {}.{:03} GB/s\n",
                    speed / 1000,
                    speed % 1000
                )),
                Ok(false) => out.push_str(&format!("\t Link {link}: <inactive>\n")),
                Err(_) => break,
            }
        }
    }
    out
}

fn head(gpus: &[Gpu]) -> String {
    gpus.iter()
        .map(|gpu| format!("\tGPU{}", gpu.index))
        .collect()
}

/// `topo -m`.
pub fn matrix(gpus: &[Gpu]) -> String {
    let mut out = head(gpus) + "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
    for gpu in gpus {
        out.push_str(&format!("GPU{}", gpu.index));
        for other in gpus {
            let cell = if gpu.index == other.index {
                " X "
            } else if gpu.p2p(other, NVLINK) == Ok(0) {
                &format!("NV{}", gpu.links())
            } else {
                gpu.ancestor(other).map_or("N/A", link)
            };
            out.push_str(&format!("\t{cell}"));
        }
        let cpus = gpu.cpus().map_or("N/A".to_owned(), |cpus| ranges(&cpus));
        out.push_str(&format!("\t{cpus}\tN/A\t\tN/A\n"));
    }
    out.push_str(LEGEND);
    out
}

const LEGEND: &str = "
Legend:

  X    = Self
  SYS  = Through PCIe and the link between the NUMA nodes
  NODE = Through PCIe and the link between PCIe host bridges of a NUMA node
  PHB  = Through a PCIe host bridge
  PXB  = Through several PCIe bridges
  PIX  = Through one PCIe bridge at most
  NV#  = Through a bonded set of # NVLinks
";

/// `nvmlGpuP2PStatus_t` in the matrix.
fn status(status: u32) -> &'static str {
    match status {
        0 => "OK",
        1 => "CNS",
        2 => "GNS",
        3 => "TNS",
        4 => "DR",
        5 => "NS",
        _ => "U",
    }
}

/// `topo -p2p`: read, write, NVLink, atomics, PCI.
pub fn peers(gpus: &[Gpu], letter: char) -> String {
    let capability = match letter {
        'r' => 0,
        'w' => 1,
        'n' => 2,
        'a' => 3,
        _ => 4,
    };
    let mut out = head(gpus) + "\n";
    for gpu in gpus {
        out.push_str(&format!(" GPU{}", gpu.index));
        for other in gpus {
            let cell = if gpu.index == other.index {
                "X"
            } else {
                gpu.p2p(other, capability).map_or("U", status)
            };
            out.push_str(&format!("\t{cell}"));
        }
        out.push('\n');
    }
    out.push_str(
        "\nLegend:\n\n  X   = Self\n  OK  = Works\n  CNS = Chipset not supported\n  GNS = GPU not supported\n  \
         TNS = Topology not supported\n  DR  = Disabled by a registry key\n  NS  = Not supported\n  U   = Unknown\n",
    );
    out
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn cpu_sets_are_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 5]), "0-2,5");
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[7]), "7");
    }
}
