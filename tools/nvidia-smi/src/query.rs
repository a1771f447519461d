//! `--query-gpu` and `--query-compute-apps`: comma-separated values. One row per field.

use nvml::Return;

use crate::error::Failure;
use crate::gpu::{Answer, Gpu, Nvml, Process};
use crate::words;

/// How values are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Format {
    /// No line of names.
    pub no_header: bool,
    /// No units, neither in the names nor the values.
    pub no_units: bool,
}

impl Format {
    /// From `csv[,noheader][,nounits]`.
    ///
    /// # Errors
    /// [`Failure::Value`].
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let mut format = Self::default();
        let mut csv = false;
        for word in text.split(',').map(str::trim) {
            match word {
                "csv" => csv = true,
                "noheader" => format.no_header = true,
                "nounits" => format.no_units = true,
                _ => return Err(Failure::Value("--format", text.to_owned())),
            }
        }
        if !csv {
            return Err(Failure::Combination(
                "\"--format=\" switch is missing. Please specify \"csv\".",
            ));
        }
        Ok(format)
    }
}

/// What a field is read from.
struct Source<'a> {
    nvml: &'a Nvml,
    gpu: &'a Gpu,
    count: usize,
}

struct Field {
    /// Names; the first stands in the header.
    names: &'static [&'static str],
    unit: &'static str,
    read: fn(&Source<'_>) -> Answer<String>,
}

fn shown(answer: Answer<u32>) -> Answer<String> {
    answer.map(|value| value.to_string())
}

fn mib(bytes: u64) -> String {
    (bytes >> 20).to_string()
}

fn watts(answer: Answer<u32>) -> Answer<String> {
    answer.map(|milliwatts| format!("{}.{:02}", milliwatts / 1000, milliwatts % 1000 / 10))
}

fn enabled(answer: Answer<u32>) -> Answer<String> {
    answer.map(|value| words::enabled(value).to_owned())
}

fn none(_: &Source<'_>) -> Answer<String> {
    Err(Return::NotSupported)
}

macro_rules! fields {
    ($($($name:literal)|+ $([$unit:literal])? = $read:expr;)*) => {
        &[$(Field { names: &[$($name),+], unit: concat!($($unit)?), read: $read },)*]
    };
}

static FIELDS: &[Field] = fields! {
    "timestamp" = |_| Ok(words::timestamp());
    "driver_version" = |s| s.nvml.driver_version();
    "vgpu_driver_capability.heterogenous_multivGPU" = none;
    "count" = |s| Ok(s.count.to_string());
    "name" | "gpu_name" = |s| s.gpu.name();
    "serial" | "gpu_serial" = |s| s.gpu.serial();
    "uuid" | "gpu_uuid" = |s| s.gpu.uuid();
    "pci.bus_id" | "gpu_bus_id" = |s| s.gpu.bus_id();
    "pci.domain" = |s| Ok(format!("0x{:04X}", s.gpu.pci()?.domain));
    "pci.bus" = |s| Ok(format!("0x{:02X}", s.gpu.pci()?.bus));
    "pci.device" = |s| Ok(format!("0x{:02X}", s.gpu.pci()?.device));
    "pci.baseClass" = |s| s.gpu.pci().map(|_| "0x3".to_owned());
    "pci.subClass" = |s| s.gpu.pci().map(|_| "0x2".to_owned());
    "pci.device_id" = |s| Ok(format!("0x{:08X}", s.gpu.pci()?.id));
    "pci.sub_device_id" = |s| Ok(format!("0x{:08X}", s.gpu.pci()?.subsystem));
    "pcie.link.gen.current" | "pcie.link.gen.gpucurrent" = |s| shown(s.gpu.link_gen());
    "pcie.link.gen.max" | "pcie.link.gen.gpumax" | "pcie.link.gen.hostmax" = |s| shown(s.gpu.link_gen_max());
    "pcie.link.width.current" = |s| shown(s.gpu.link_width());
    "pcie.link.width.max" = |s| shown(s.gpu.link_width_max());
    "index" = |s| Ok(s.gpu.index.to_string());
    "display_mode" = |s| enabled(s.gpu.display_mode());
    "display_attached" = |s| s.gpu.display_mode().map(|v| words::yes(v).to_owned());
    "display_active" = |s| enabled(s.gpu.display_active());
    "persistence_mode" = |s| enabled(s.gpu.persistence());
    "addressing_mode" = none;
    "accounting.mode" = |s| enabled(s.gpu.accounting());
    "accounting.buffer_size" = |s| shown(s.gpu.accounting_buffer());
    "driver_model.current" = none;
    "driver_model.pending" = none;
    "vbios_version" = |s| s.gpu.vbios();
    "inforom.img" | "inforom.image" = |s| s.gpu.inforom();
    "inforom.oem" = none;
    "inforom.ecc" = none;
    "inforom.pwr" | "inforom.power" = none;
    "reset_status.reset_required" = none;
    "reset_status.drain_and_reset_recommended" = none;
    "gpu_recovery_action" = none;
    "gom.current" | "gpu_operation_mode.current" = none;
    "gom.pending" | "gpu_operation_mode.pending" = none;
    "fan.speed" ["%"] = |s| shown(s.gpu.fan());
    "pstate" = |s| Ok(format!("P{}", s.gpu.pstate()?));
    "clocks_event_reasons.supported" | "clocks_throttle_reasons.supported" = none;
    "clocks_event_reasons.active" | "clocks_throttle_reasons.active" = none;
    "clocks_event_reasons.gpu_idle" | "clocks_throttle_reasons.gpu_idle" = none;
    "clocks_event_reasons.applications_clocks_setting" | "clocks_throttle_reasons.applications_clocks_setting" = none;
    "clocks_event_reasons.sw_power_cap" | "clocks_throttle_reasons.sw_power_cap" = none;
    "clocks_event_reasons.hw_slowdown" | "clocks_throttle_reasons.hw_slowdown" = none;
    "clocks_event_reasons.hw_thermal_slowdown" | "clocks_throttle_reasons.hw_thermal_slowdown" = none;
    "clocks_event_reasons.hw_power_brake_slowdown" | "clocks_throttle_reasons.hw_power_brake_slowdown" = none;
    "clocks_event_reasons.sw_thermal_slowdown" | "clocks_throttle_reasons.sw_thermal_slowdown" = none;
    "clocks_event_reasons.sync_boost" | "clocks_throttle_reasons.sync_boost" = none;
    "memory.total" ["MiB"] = |s| Ok(mib(s.gpu.memory()?.total));
    "memory.reserved" ["MiB"] = |s| Ok(mib(s.gpu.memory()?.reserved));
    "memory.used" ["MiB"] = |s| Ok(mib(s.gpu.memory()?.used));
    "memory.free" ["MiB"] = |s| Ok(mib(s.gpu.memory()?.free));
    "compute_mode" = |s| s.gpu.compute_mode().map(|v| words::compute_mode(v).to_owned());
    "compute_cap" = |s| s.gpu.compute_capability();
    "utilization.gpu" ["%"] = |s| Ok(s.gpu.utilization()?.0.to_string());
    "utilization.memory" ["%"] = |s| Ok(s.gpu.utilization()?.1.to_string());
    "utilization.encoder" ["%"] = none;
    "utilization.decoder" ["%"] = none;
    "utilization.jpeg" ["%"] = none;
    "utilization.ofa" ["%"] = none;
    "dramEncryption.mode.current" = none;
    "dramEncryption.mode.pending" = none;
    "encoder.stats.sessionCount" = none;
    "encoder.stats.averageFps" = none;
    "encoder.stats.averageLatency" = none;
    "ecc.mode.current" = |s| enabled(s.gpu.ecc().map(|m| m.0));
    "ecc.mode.pending" = |s| enabled(s.gpu.ecc().map(|m| m.1));
    "ecc.errors.corrected.volatile.device_memory" | "ecc.errors.corrected.volatile.dram" = |s| Ok(s.gpu.ecc_errors(0, 0)?.to_string());
    "ecc.errors.corrected.volatile.sram" = |s| s.gpu.ecc_errors(0, 0).map(|_| "0".to_owned());
    "ecc.errors.corrected.volatile.total" = |s| Ok(s.gpu.ecc_errors(0, 0)?.to_string());
    "ecc.errors.corrected.aggregate.device_memory" | "ecc.errors.corrected.aggregate.dram" = |s| Ok(s.gpu.ecc_errors(0, 1)?.to_string());
    "ecc.errors.corrected.aggregate.sram" = |s| s.gpu.ecc_errors(0, 1).map(|_| "0".to_owned());
    "ecc.errors.corrected.aggregate.total" = |s| Ok(s.gpu.ecc_errors(0, 1)?.to_string());
    "ecc.errors.uncorrected.volatile.device_memory" | "ecc.errors.uncorrected.volatile.dram" = |s| Ok(s.gpu.ecc_errors(1, 0)?.to_string());
    "ecc.errors.uncorrected.volatile.sram" = |s| s.gpu.ecc_errors(1, 0).map(|_| "0".to_owned());
    "ecc.errors.uncorrected.volatile.total" = |s| Ok(s.gpu.ecc_errors(1, 0)?.to_string());
    "ecc.errors.uncorrected.aggregate.device_memory" | "ecc.errors.uncorrected.aggregate.dram" = |s| Ok(s.gpu.ecc_errors(1, 1)?.to_string());
    "ecc.errors.uncorrected.aggregate.sram" = |s| s.gpu.ecc_errors(1, 1).map(|_| "0".to_owned());
    "ecc.errors.uncorrected.aggregate.total" = |s| Ok(s.gpu.ecc_errors(1, 1)?.to_string());
    "retired_pages.single_bit_ecc.count" | "retired_pages.sbe" = none;
    "retired_pages.double_bit.count" | "retired_pages.dbe" = none;
    "retired_pages.pending" = none;
    "remapped_rows.correctable" = none;
    "remapped_rows.uncorrectable" = none;
    "remapped_rows.pending" = none;
    "remapped_rows.failure" = none;
    "temperature.gpu" = |s| shown(s.gpu.temperature());
    "temperature.gpu.tlimit" = none;
    "temperature.memory" = none;
    "power.management" = none;
    "power.draw" ["W"] = |s| watts(s.gpu.power());
    "power.draw.average" ["W"] = |s| watts(s.gpu.power());
    "power.draw.instant" ["W"] = |s| watts(s.gpu.power());
    "power.limit" ["W"] = |s| watts(s.gpu.power_limit());
    "enforced.power.limit" ["W"] = |s| watts(s.gpu.power_limit_enforced());
    "power.default_limit" ["W"] = |s| watts(s.gpu.power_limit_default());
    "power.min_limit" ["W"] = none;
    "power.max_limit" ["W"] = none;
    "module.power.draw.average" ["W"] = none;
    "module.power.draw.instant" ["W"] = none;
    "module.power.limit" ["W"] = none;
    "module.enforced.power.limit" ["W"] = none;
    "clocks.current.graphics" | "clocks.gr" ["MHz"] = |s| shown(s.gpu.clock_graphics());
    "clocks.current.sm" | "clocks.sm" ["MHz"] = |s| shown(s.gpu.clock_sm());
    "clocks.current.memory" | "clocks.mem" ["MHz"] = |s| shown(s.gpu.clock_memory());
    "clocks.current.video" | "clocks.video" ["MHz"] = |s| shown(s.gpu.clock_video());
    "clocks.applications.graphics" | "clocks.applications.gr" ["MHz"] = none;
    "clocks.applications.memory" | "clocks.applications.mem" ["MHz"] = none;
    "clocks.default_applications.graphics" | "clocks.default_applications.gr" ["MHz"] = none;
    "clocks.default_applications.memory" | "clocks.default_applications.mem" ["MHz"] = none;
    "clocks.max.graphics" | "clocks.max.gr" ["MHz"] = |s| shown(s.gpu.max_clock_graphics());
    "clocks.max.sm" ["MHz"] = |s| shown(s.gpu.max_clock_sm());
    "clocks.max.memory" | "clocks.max.mem" ["MHz"] = |s| shown(s.gpu.max_clock_memory());
    "mig.mode.current" = |s| enabled(s.gpu.mig().map(|m| m.0));
    "mig.mode.pending" = |s| enabled(s.gpu.mig().map(|m| m.1));
    "gsp.mode.current" = |s| s.gpu.gsp().map(|_| "Enabled".to_owned());
    "gsp.mode.default" = none;
    "fabric.state" = none;
    "fabric.status" = none;
    "c2c.mode" = none;
    "protected_memory.total" ["MiB"] = none;
    "protected_memory.used" ["MiB"] = none;
    "protected_memory.free" ["MiB"] = none;
};

/// Names of all fields of `--query-gpu`.
pub fn help() -> String {
    let mut text =
        String::from("List of valid properties to query for the switch \"--query-gpu=\":\n\n");
    for field in FIELDS {
        let names: Vec<_> = field
            .names
            .iter()
            .map(|name| format!("\"{name}\""))
            .collect();
        text.push_str(&names.join(" or "));
        // Readers of this list look for a name after an empty line.
        text.push_str(&match field.unit {
            "" => "\nA number or a word.\n\n".to_owned(),
            unit => format!("\nIn {unit}.\n\n"),
        });
    }
    text
}

/// What a cell says instead of a value.
fn missing(error: Return) -> String {
    match error {
        Return::NotSupported => "[N/A]".to_owned(),
        Return::NoPermission => "[Insufficient Permissions]".to_owned(),
        Return::NotFound => "[Not Found]".to_owned(),
        Return::GpuIsLost => "[GPU is lost]".to_owned(),
        _ => "[Unknown Error]".to_owned(),
    }
}

/// A value with its unit, or why there is none.
fn cell(answer: Answer<String>, unit: &str, format: Format) -> String {
    match answer {
        Ok(value) if format.no_units || unit.is_empty() => value,
        Ok(value) => format!("{value} {unit}"),
        Err(error) => missing(error),
    }
}

fn heading(asked: &str, unit: &str, format: Format) -> String {
    if format.no_units || unit.is_empty() {
        asked.to_owned()
    } else {
        format!("{asked} [{unit}]")
    }
}

fn split(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim)
}

/// A line per GPU.
///
/// # Errors
/// [`Failure::Field`] before anything is asked.
pub fn gpus(
    nvml: &Nvml,
    gpus: &[Gpu],
    count: usize,
    list: &str,
    format: Format,
    header: bool,
) -> Result<String, Failure> {
    let fields = split(list)
        .map(|name| {
            let found = FIELDS.iter().find(|field| field.names.contains(&name));
            found
                .map(|field| (name, field))
                .ok_or_else(|| Failure::Field(name.to_owned()))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut out = String::new();
    if header && !format.no_header {
        let names: Vec<_> = fields
            .iter()
            .map(|(_, field)| heading(field.names[0], field.unit, format))
            .collect();
        out.push_str(&names.join(", "));
        out.push('\n');
    }
    for gpu in gpus {
        let source = Source { nvml, gpu, count };
        let cells: Vec<_> = fields
            .iter()
            .map(|(_, field)| cell((field.read)(&source), field.unit, format))
            .collect();
        out.push_str(&cells.join(", "));
        out.push('\n');
    }
    Ok(out)
}

struct AppField {
    names: &'static [&'static str],
    unit: &'static str,
    read: fn(&Source<'_>, &Process) -> Answer<String>,
}

macro_rules! app_fields {
    ($($($name:literal)|+ $([$unit:literal])? = $read:expr;)*) => {
        &[$(AppField { names: &[$($name),+], unit: concat!($($unit)?), read: $read },)*]
    };
}

static APP_FIELDS: &[AppField] = app_fields! {
    "timestamp" = |_, _| Ok(words::timestamp());
    "gpu_name" = |s, _| s.gpu.name();
    "gpu_bus_id" = |s, _| s.gpu.bus_id();
    "gpu_serial" = |s, _| s.gpu.serial();
    "gpu_uuid" = |s, _| s.gpu.uuid();
    "pid" = |_, p| Ok(p.pid.to_string());
    "process_name" | "name" = |s, p| s.nvml.process_name(p.pid).map(|name| words::printable(&name));
    "used_gpu_memory" | "used_memory" ["MiB"] = |_, p| Ok(mib(p.bytes));
};

/// Names of all fields of `--query-compute-apps`.
pub fn apps_help() -> String {
    let mut text = String::from(
        "List of valid properties to query for the switch \"--query-compute-apps=\":\n\n",
    );
    for field in APP_FIELDS {
        let names: Vec<_> = field
            .names
            .iter()
            .map(|name| format!("\"{name}\""))
            .collect();
        text.push_str(&names.join(" or "));
        text.push('\n');
    }
    text
}

/// A line per process.
///
/// # Errors
/// [`Failure::Field`] before anything is asked.
pub fn apps(
    nvml: &Nvml,
    gpus: &[Gpu],
    list: &str,
    format: Format,
    header: bool,
) -> Result<String, Failure> {
    let fields = split(list)
        .map(|name| {
            let found = APP_FIELDS.iter().find(|field| field.names.contains(&name));
            found.ok_or_else(|| Failure::Field(name.to_owned()))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut out = String::new();
    if header && !format.no_header {
        let names: Vec<_> = fields
            .iter()
            .map(|field| heading(field.names[0], field.unit, format))
            .collect();
        out.push_str(&names.join(", "));
        out.push('\n');
    }
    for gpu in gpus {
        let source = Source {
            nvml,
            gpu,
            count: gpus.len(),
        };
        for process in gpu.processes().unwrap_or_default() {
            let cells: Vec<_> = fields
                .iter()
                .map(|field| cell((field.read)(&source, &process), field.unit, format))
                .collect();
            out.push_str(&cells.join(", "));
            out.push('\n');
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_parse() {
        let format = Format::parse("csv,noheader,nounits").expect("format");
        assert!(format.no_header && format.no_units);
        assert!(Format::parse("noheader").is_err());
        assert!(Format::parse("xml").is_err());
    }

    #[test]
    fn field_names_are_distinct() {
        let mut names: Vec<_> = FIELDS.iter().flat_map(|field| field.names).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn cells_say_why_they_are_empty() {
        let format = Format::default();
        assert_eq!(cell(Ok("5".into()), "MiB", format), "5 MiB");
        assert_eq!(cell(Err(Return::NotSupported), "MiB", format), "[N/A]");
        assert_eq!(cell(Err(Return::Unknown), "", format), "[Unknown Error]");
    }
}
