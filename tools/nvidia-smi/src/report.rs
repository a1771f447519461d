//! `-q`: everything, as text or XML, from one tree.

use std::fmt::Write;

use nvml::Return;

use crate::error::Failure;
use crate::gpu::{Answer, Gpu, Nvml};
use crate::options::Options;
use crate::words;

/// Column of the colon.
const LABEL: usize = 55;

/// A line or a section: label in text, tag in XML.
struct Item {
    label: &'static str,
    tag: &'static str,
    value: Value,
}

enum Value {
    Text(String),
    Section(Vec<Item>),
    /// Sections with a label of their own in text.
    Processes(Vec<Item>),
}

fn line(label: &'static str, tag: &'static str, answer: Answer<String>) -> Item {
    let text = match answer {
        Ok(text) => text,
        Err(Return::NotSupported) => "N/A".to_owned(),
        Err(Return::NoPermission) => "Insufficient Permissions".to_owned(),
        Err(Return::GpuIsLost) => "GPU is lost".to_owned(),
        Err(_) => "Unknown Error".to_owned(),
    };
    Item {
        label,
        tag,
        value: Value::Text(text),
    }
}

fn section(label: &'static str, tag: &'static str, items: Vec<Item>) -> Item {
    Item {
        label,
        tag,
        value: Value::Section(items),
    }
}

const NO: Return = Return::NotSupported;

fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

fn watts(answer: Answer<u32>) -> Answer<String> {
    answer.map(|mw| format!("{}.{:02} W", mw / 1000, mw % 1000 / 10))
}

fn mhz(answer: Answer<u32>) -> Answer<String> {
    answer.map(|value| format!("{value} MHz"))
}

fn enabled(answer: Answer<u32>) -> Answer<String> {
    answer.map(|value| words::enabled(value).to_owned())
}

/// Top-level items of a GPU with the `-d` category that shows them.
fn items(nvml: &Nvml, gpu: &Gpu) -> Vec<(&'static str, Item)> {
    let mut items = identity(gpu);
    items.push(("", pci(gpu)));
    items.push((
        "",
        line(
            "Fan Speed",
            "fan_speed",
            gpu.fan().map(|v| format!("{v} %")),
        ),
    ));
    items.push((
        "PERFORMANCE",
        line(
            "Performance State",
            "performance_state",
            gpu.pstate().map(|v| format!("P{v}")),
        ),
    ));
    items.push((
        "MEMORY",
        memory("FB Memory Usage", "fb_memory_usage", gpu.memory(), true),
    ));
    items.push((
        "MEMORY",
        memory("BAR1 Memory Usage", "bar1_memory_usage", gpu.bar1(), false),
    ));
    items.push((
        "COMPUTE",
        line(
            "Compute Mode",
            "compute_mode",
            gpu.compute_mode()
                .map(|v| words::compute_mode(v).to_owned()),
        ),
    ));
    items.push(("UTILIZATION", utilization(gpu)));
    items.push((
        "ECC",
        section(
            "ECC Mode",
            "ecc_mode",
            vec![
                line("Current", "current_ecc", enabled(gpu.ecc().map(|m| m.0))),
                line("Pending", "pending_ecc", enabled(gpu.ecc().map(|m| m.1))),
            ],
        ),
    ));
    items.push(("ECC", ecc_errors(gpu)));
    items.push((
        "TEMPERATURE",
        section(
            "Temperature",
            "temperature",
            vec![
                line(
                    "GPU Current Temp",
                    "gpu_temp",
                    gpu.temperature().map(|v| format!("{v} C")),
                ),
                line("GPU T.Limit Temp", "gpu_temp_tlimit", Err(NO)),
                line("GPU Shutdown Temp", "gpu_temp_max_threshold", Err(NO)),
                line("GPU Slowdown Temp", "gpu_temp_slow_threshold", Err(NO)),
                line("GPU Target Temperature", "gpu_target_temperature", Err(NO)),
                line("Memory Current Temp", "memory_temp", Err(NO)),
            ],
        ),
    ));
    items.push(("POWER", power(gpu)));
    items.push((
        "CLOCK",
        section(
            "Clocks",
            "clocks",
            vec![
                line("Graphics", "graphics_clock", mhz(gpu.clock_graphics())),
                line("SM", "sm_clock", mhz(gpu.clock_sm())),
                line("Memory", "mem_clock", mhz(gpu.clock_memory())),
                line("Video", "video_clock", mhz(gpu.clock_video())),
            ],
        ),
    ));
    items.push((
        "CLOCK",
        section(
            "Max Clocks",
            "max_clocks",
            vec![
                line("Graphics", "graphics_clock", mhz(gpu.max_clock_graphics())),
                line("SM", "sm_clock", mhz(gpu.max_clock_sm())),
                line("Memory", "mem_clock", mhz(gpu.max_clock_memory())),
                line("Video", "video_clock", mhz(gpu.max_clock_video())),
            ],
        ),
    ));
    items.push((
        "SUPPORTED_CLOCKS",
        line("Supported Clocks", "supported_clocks", Err(NO)),
    ));
    items.push(("ROW_REMAPPER", remapped_rows(gpu)));
    items.push((
        "PAGE_RETIREMENT",
        section(
            "Retired Pages",
            "retired_pages",
            vec![
                line("Single Bit ECC", "multiple_single_bit_retirement", Err(NO)),
                line("Double Bit ECC", "double_bit_retirement", Err(NO)),
                line("Pending Page Blacklist", "pending_retirement", Err(NO)),
            ],
        ),
    ));
    items.push((
        "VOLTAGE",
        section(
            "Voltage",
            "voltage",
            vec![line("Graphics", "graphics_volt", Err(NO))],
        ),
    ));
    items.push(("PIDS", processes(nvml, gpu)));
    items.push((
        "ACCOUNTING",
        line("Accounted Processes", "accounted_processes", Err(NO)),
    ));
    items
}

fn identity(gpu: &Gpu) -> Vec<(&'static str, Item)> {
    let all = vec![
        line("Product Name", "product_name", gpu.name()),
        line(
            "Product Brand",
            "product_brand",
            gpu.brand().map(|v| words::brand(v).to_owned()),
        ),
        line(
            "Product Architecture",
            "product_architecture",
            gpu.architecture()
                .map(|v| words::architecture(v).to_owned()),
        ),
        line("Display Mode", "display_mode", enabled(gpu.display_mode())),
        line(
            "Display Active",
            "display_active",
            enabled(gpu.display_active()),
        ),
        line(
            "Persistence Mode",
            "persistence_mode",
            enabled(gpu.persistence()),
        ),
        line("Addressing Mode", "addressing_mode", Err(NO)),
        section(
            "MIG Mode",
            "mig_mode",
            vec![
                line("Current", "current_mig", enabled(gpu.mig().map(|m| m.0))),
                line("Pending", "pending_mig", enabled(gpu.mig().map(|m| m.1))),
            ],
        ),
        line(
            "Accounting Mode",
            "accounting_mode",
            enabled(gpu.accounting()),
        ),
        line(
            "Accounting Mode Buffer Size",
            "accounting_mode_buffer_size",
            gpu.accounting_buffer().map(|v| v.to_string()),
        ),
        line("Serial Number", "serial", gpu.serial()),
        line("GPU UUID", "uuid", gpu.uuid()),
        line(
            "Minor Number",
            "minor_number",
            gpu.minor().map(|v| v.to_string()),
        ),
        line("VBIOS Version", "vbios_version", gpu.vbios()),
        line(
            "MultiGPU Board",
            "multigpu_board",
            gpu.multi_gpu().map(|v| words::yes(v).to_owned()),
        ),
        line(
            "Board ID",
            "board_id",
            gpu.board_id().map(|v| format!("0x{v:x}")),
        ),
        line("Board Part Number", "board_part_number", gpu.part_number()),
        line(
            "CUDA Cores",
            "cuda_cores",
            gpu.cores().map(|v| v.to_string()),
        ),
        line("GSP Firmware Version", "gsp_firmware_version", gpu.gsp()),
        section(
            "GPU Virtualization Mode",
            "gpu_virtualization_mode",
            vec![line(
                "Virtualization Mode",
                "virtualization_mode",
                gpu.virtualization()
                    .map(|v| words::virtualization(v).to_owned()),
            )],
        ),
    ];
    all.into_iter().map(|item| ("", item)).collect()
}

fn pci(gpu: &Gpu) -> Item {
    let of = |show: fn(crate::gpu::Pci) -> String| gpu.pci().map(show);
    let width = |answer: Answer<u32>| answer.map(|v| format!("{v}x"));
    let plain = |answer: Answer<u32>| answer.map(|v| v.to_string());
    section(
        "PCI",
        "pci",
        vec![
            line("Bus", "pci_bus", of(|p| format!("0x{:02X}", p.bus))),
            line(
                "Device",
                "pci_device",
                of(|p| format!("0x{:02X}", p.device)),
            ),
            line(
                "Domain",
                "pci_domain",
                of(|p| format!("0x{:04X}", p.domain)),
            ),
            line(
                "Device Id",
                "pci_device_id",
                of(|p| format!("0x{:08X}", p.id)),
            ),
            line("Bus Id", "pci_bus_id", gpu.bus_id()),
            line(
                "Sub System Id",
                "pci_sub_system_id",
                of(|p| format!("0x{:08X}", p.subsystem)),
            ),
            section(
                "GPU Link Info",
                "pci_gpu_link_info",
                vec![
                    section(
                        "PCIe Generation",
                        "pcie_gen",
                        vec![
                            line("Max", "max_link_gen", plain(gpu.link_gen_max())),
                            line("Current", "current_link_gen", plain(gpu.link_gen())),
                        ],
                    ),
                    section(
                        "Link Width",
                        "link_widths",
                        vec![
                            line("Max", "max_link_width", width(gpu.link_width_max())),
                            line("Current", "current_link_width", width(gpu.link_width())),
                        ],
                    ),
                ],
            ),
            line(
                "Replays Since Reset",
                "replay_counter",
                plain(gpu.replay_counter()),
            ),
        ],
    )
}

fn memory(
    label: &'static str,
    tag: &'static str,
    answer: Answer<crate::gpu::Memory>,
    reserved: bool,
) -> Item {
    let of = |show: fn(crate::gpu::Memory) -> u64| answer.map(|m| mib(show(m)));
    let mut items = vec![line("Total", "total", of(|m| m.total))];
    if reserved {
        items.push(line("Reserved", "reserved", of(|m| m.reserved)));
    }
    items.push(line("Used", "used", of(|m| m.used)));
    items.push(line("Free", "free", of(|m| m.free)));
    section(label, tag, items)
}

fn utilization(gpu: &Gpu) -> Item {
    let percent = |v: u32| format!("{v} %");
    section(
        "Utilization",
        "utilization",
        vec![
            line("GPU", "gpu_util", gpu.utilization().map(|u| percent(u.0))),
            line(
                "Memory",
                "memory_util",
                gpu.utilization().map(|u| percent(u.1)),
            ),
            line("Encoder", "encoder_util", Err(NO)),
            line("Decoder", "decoder_util", Err(NO)),
            line("JPEG", "jpeg_util", Err(NO)),
            line("OFA", "ofa_util", Err(NO)),
        ],
    )
}

fn ecc_errors(gpu: &Gpu) -> Item {
    let counted = |label, tag, counter| {
        let of = |kind| gpu.ecc_errors(kind, counter).map(|v| v.to_string());
        section(
            label,
            tag,
            vec![
                line("DRAM Correctable", "dram_correctable", of(0)),
                line("DRAM Uncorrectable", "dram_uncorrectable", of(1)),
            ],
        )
    };
    section(
        "ECC Errors",
        "ecc_errors",
        vec![
            counted("Volatile", "volatile", 0),
            counted("Aggregate", "aggregate", 1),
        ],
    )
}

fn remapped_rows(gpu: &Gpu) -> Item {
    let yes_no = |yes: bool| (if yes { "Yes" } else { "No" }).to_owned();
    let rows = gpu.remapped();
    section(
        "Remapped Rows",
        "remapped_rows",
        vec![
            line(
                "Correctable Error",
                "remapped_row_corr",
                rows.map(|r| r.0.to_string()),
            ),
            line(
                "Uncorrectable Error",
                "remapped_row_unc",
                rows.map(|r| r.1.to_string()),
            ),
            line("Pending", "remapped_row_pending", rows.map(|r| yes_no(r.2))),
            line(
                "Remapping Failure Occurred",
                "remapped_row_failure",
                rows.map(|_| yes_no(false)),
            ),
        ],
    )
}

fn power(gpu: &Gpu) -> Item {
    section(
        "GPU Power Readings",
        "gpu_power_readings",
        vec![
            line(
                "Average Power Draw",
                "average_power_draw",
                watts(gpu.power()),
            ),
            line(
                "Instantaneous Power Draw",
                "instant_power_draw",
                watts(gpu.power()),
            ),
            line(
                "Current Power Limit",
                "current_power_limit",
                watts(gpu.power_limit_enforced()),
            ),
            line(
                "Requested Power Limit",
                "requested_power_limit",
                watts(gpu.power_limit()),
            ),
            line(
                "Default Power Limit",
                "default_power_limit",
                watts(gpu.power_limit_default()),
            ),
            line("Min Power Limit", "min_power_limit", Err(NO)),
            line("Max Power Limit", "max_power_limit", Err(NO)),
        ],
    )
}

fn processes(nvml: &Nvml, gpu: &Gpu) -> Item {
    let list = gpu.processes().unwrap_or_default();
    let items = list
        .into_iter()
        .map(|process| {
            let name = nvml
                .process_name(process.pid)
                .map(|name| words::printable(&name));
            section(
                "Process",
                "process_info",
                vec![
                    line("GPU instance ID", "gpu_instance_id", Err(NO)),
                    line("Compute instance ID", "compute_instance_id", Err(NO)),
                    line("Process ID", "pid", Ok(process.pid.to_string())),
                    line("Type", "type", Ok("C".to_owned())),
                    line("Name", "process_name", name),
                    line("Used GPU Memory", "used_memory", Ok(mib(process.bytes))),
                ],
            )
        })
        .collect();
    Item {
        label: "Processes",
        tag: "processes",
        value: Value::Processes(items),
    }
}

fn put_text(out: &mut String, item: &Item, indent: usize) {
    let label = format!("{:indent$}{}", "", item.label);
    match &item.value {
        Value::Text(text) => {
            let _ = writeln!(out, "{label:<LABEL$}: {text}");
        }
        Value::Section(items) => {
            let _ = writeln!(out, "{label}");
            for item in items {
                put_text(out, item, indent + 4);
            }
        }
        Value::Processes(items) if items.is_empty() => {
            let _ = writeln!(out, "{label:<LABEL$}: None");
        }
        Value::Processes(items) => {
            let _ = writeln!(out, "{label}");
            for item in items {
                if let Value::Section(lines) = &item.value {
                    // The id of the process leads.
                    for line in lines {
                        let deeper = if matches!(line.tag, "type" | "process_name" | "used_memory")
                        {
                            8
                        } else {
                            4
                        };
                        put_text(out, line, indent + deeper);
                    }
                }
            }
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn put_xml(out: &mut String, item: &Item, depth: usize) {
    let tabs = "\t".repeat(depth);
    let tag = item.tag;
    match &item.value {
        Value::Text(text) => {
            let _ = writeln!(out, "{tabs}<{tag}>{}</{tag}>", escape(text));
        }
        Value::Section(items) | Value::Processes(items) => {
            let _ = writeln!(out, "{tabs}<{tag}>");
            for item in items {
                put_xml(out, item, depth + 1);
            }
            let _ = writeln!(out, "{tabs}</{tag}>");
        }
    }
}

/// Names that `-d` takes.
const CATEGORIES: &[&str] = &[
    "MEMORY",
    "UTILIZATION",
    "ECC",
    "TEMPERATURE",
    "POWER",
    "CLOCK",
    "COMPUTE",
    "PIDS",
    "PERFORMANCE",
    "SUPPORTED_CLOCKS",
    "ROW_REMAPPER",
    "PAGE_RETIREMENT",
    "VOLTAGE",
    "ACCOUNTING",
];

/// The whole report.
///
/// # Errors
/// [`Failure::Value`] for a section that there is not.
pub fn show(nvml: &Nvml, gpus: &[Gpu], count: usize, options: &Options) -> Result<String, Failure> {
    let wanted: Option<Vec<String>> = options.display.as_deref().map(|list| {
        list.split(',')
            .map(|name| name.trim().to_uppercase())
            .collect()
    });
    if let Some(wrong) = wanted
        .iter()
        .flatten()
        .find(|name| !CATEGORIES.contains(&name.as_str()))
    {
        return Err(Failure::Value("-d", wrong.clone()));
    }
    let picked = |category: &str| match &wanted {
        None => true,
        Some(wanted) => wanted.iter().any(|name| name == category),
    };
    let unknown = || "N/A".to_owned();
    let head = [
        ("Timestamp", "timestamp", words::date()),
        (
            "Driver Version",
            "driver_version",
            nvml.driver_version().unwrap_or_else(|_| unknown()),
        ),
        (
            "CUDA Version",
            "cuda_version",
            nvml.cuda_version().unwrap_or_else(|_| unknown()),
        ),
        ("Attached GPUs", "attached_gpus", count.to_string()),
    ];
    let mut out = String::new();
    if options.xml {
        out.push_str("<?xml version=\"1.0\" ?>\n");
        out.push_str("<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n");
        out.push_str("<nvidia_smi_log>\n");
        for (_, tag, text) in &head {
            let _ = writeln!(out, "\t<{tag}>{}</{tag}>", escape(text));
        }
    } else {
        out.push_str("\n==============NVSMI LOG==============\n\n");
        for (label, _, text) in &head {
            if *label == "Attached GPUs" {
                out.push('\n');
            }
            let _ = writeln!(out, "{label:<LABEL$}: {text}");
        }
    }
    for gpu in gpus {
        let id = gpu.bus_id().unwrap_or_else(|_| unknown());
        let all = items(nvml, gpu);
        let chosen = all.iter().filter(|(category, _)| picked(category));
        if options.xml {
            let _ = writeln!(out, "\t<gpu id=\"{id}\">");
            for (_, item) in chosen {
                put_xml(&mut out, item, 2);
            }
            out.push_str("\t</gpu>\n");
        } else {
            let _ = writeln!(out, "GPU {id}");
            for (_, item) in chosen {
                put_text(&mut out, item, 4);
            }
            out.push('\n');
        }
    }
    if options.xml {
        out.push_str("</nvidia_smi_log>\n");
    }
    Ok(out)
}
