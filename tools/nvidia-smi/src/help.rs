//! Help and version.

use crate::gpu::Nvml;

/// `-h`.
pub const TEXT: &str = "\
NVIDIA System Management Interface of the Antlerite driver

nvidia-smi [OPTION]...

    -h,   --help                Print this and exit.
          --version             Print the versions of the tool, NVML, the driver and CUDA.
    -L,   --list-gpus           List the GPUs.
    -q,   --query               Print all there is to know.
    -x,   --xml-format          With -q: as XML.
    -d,   --display=SECTIONS    With -q: only MEMORY, UTILIZATION, ECC, TEMPERATURE, POWER, CLOCK, COMPUTE, PIDS,
                                PERFORMANCE, SUPPORTED_CLOCKS, ROW_REMAPPER, PAGE_RETIREMENT, VOLTAGE, ACCOUNTING
                                (comma-separated).
    -i,   --id=GPUS             Only these GPUs: indices, UUIDs, serial numbers or PCI bus ids (comma-separated).
    -f,   --filename=FILE       Write to a file.
    -l,   --loop=SECONDS        Repeat.
    -lms, --loop-ms=MILLIS      Repeat.
    --query-gpu=FIELDS          Print these fields (--help-query-gpu lists them); needs --format.
    --query-compute-apps=FIELDS Print these fields of each process (--help-query-compute-apps); needs --format.
    --format=csv[,noheader][,nounits]
    -pm,  --persistence-mode=0|1
    -c,   --compute-mode=0|2|3  Default, prohibited, exclusive process.

    -e,   --ecc-config=0|1      ECC off or on after the next reset.
    -p,   --reset-ecc-errors=0|1  Clear volatile or aggregate ECC errors.

    nvlink -s [-i GPUS]                                        The state of the NVLinks.
    dmon [-i GPUS] [-s pucm] [-c COUNT] [-d SECONDS] [-o DT]   Watch GPUs, a line each.
    pmon [-i GPUS] [-s um] [-c COUNT] [-d SECONDS] [-o DT]     Watch processes.
    topo -m | topo -p2p r|w|n|a|p                              How the GPUs hang together.
";

/// `--version`.
pub fn version(nvml: &Nvml) -> String {
    let driver = nvml.driver_version().unwrap_or_else(|_| "N/A".into());
    let cuda = nvml.cuda_version().unwrap_or_else(|_| "N/A".into());
    format!(
        "NVIDIA-SMI version  : {driver}\nNVML version        : {}\nDRIVER version      : {driver}\nCUDA Version        : {cuda}\n",
        driver.split('.').take(2).collect::<Vec<_>>().join(".")
    )
}
