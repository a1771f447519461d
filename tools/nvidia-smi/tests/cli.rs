//! The tool against a real server: shapes of the outputs, values checked against the server's own status.

#[path = "../../../crates/nvml/tests/support/mod.rs"]
mod support;

use std::process::{Command, Output};

use support::TestServer;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nvidia-smi"))
        .args(arguments)
        .output()
        .expect("nvidia-smi runs")
}

fn lines(arguments: &[&str]) -> Vec<String> {
    let output = run(arguments);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{arguments:?}: {text}");
    text.lines().map(str::to_owned).collect()
}

fn code(arguments: &[&str]) -> (i32, String) {
    let output = run(arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code().expect("exit code"), text)
}

#[test]
fn the_table_has_its_shape() {
    let Some(server) = TestServer::start(&["--gpu", "h100:2"]) else {
        return;
    };
    let status = server.status();
    let lines = lines(&[]);
    let width = |line: &String| line.chars().count();
    for line in lines.iter().skip(1).filter(|line| !line.is_empty()) {
        assert_eq!(width(line), 91, "{line}");
    }
    assert_eq!(
        lines[2],
        "| NVIDIA-SMI 580.142                Driver Version: 580.142        CUDA Version: 13.0     |"
    );
    let columns = |line: &str| -> Vec<usize> {
        line.char_indices()
            .filter(|(_, c)| *c == '|')
            .map(|(at, _)| at)
            .collect()
    };
    for gpu in &status.gpus {
        let at = 8 + 4 * usize::try_from(gpu.index).expect("index");
        for line in &lines[at..at + 3] {
            assert_eq!(columns(line), [0, 42, 67, 90], "{line}");
        }
        assert!(
            lines[at].starts_with(&format!(
                "|{:>4}  NVIDIA H100 80GB HBM3 (v...    Off |",
                gpu.index
            )),
            "{}",
            lines[at]
        );
        let memory = format!("{}MiB / {:>6}MiB |", gpu.used >> 20, gpu.total >> 20);
        assert!(lines[at + 1].contains(&memory), "{}", lines[at + 1]);
        assert!(
            lines[at + 1].starts_with("| N/A   36C    P0             69W /  700W |"),
            "{}",
            lines[at + 1]
        );
    }
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("|  No running processes found "))
    );
}

#[test]
fn lists_and_queries_are_the_servers() {
    let Some(server) = TestServer::start(&["--gpu", "h100:2"]) else {
        return;
    };
    let status = server.status();
    let listed: Vec<_> = status
        .gpus
        .iter()
        .map(|gpu| format!("GPU {}: {} (UUID: {})", gpu.index, gpu.name, gpu.uuid))
        .collect();
    assert_eq!(lines(&["-L"]), listed);
    let rows: Vec<_> = status
        .gpus
        .iter()
        .map(|gpu| {
            format!(
                "{}, {}, {} MiB, [N/A]",
                gpu.index,
                gpu.uuid,
                gpu.total >> 20
            )
        })
        .collect();
    let query = "--query-gpu=index,uuid,memory.total,fan.speed";
    let table = lines(&[query, "--format=csv"]);
    assert_eq!(table[0], "index, uuid, memory.total [MiB], fan.speed [%]");
    assert_eq!(table[1..], rows);
    let bare = lines(&[
        query,
        "--format=csv,noheader,nounits",
        "-i",
        &status.gpus[1].uuid,
    ]);
    assert_eq!(
        bare,
        [format!(
            "1, {}, {}, [N/A]",
            status.gpus[1].uuid,
            status.gpus[1].total >> 20
        )]
    );
    assert_eq!(
        lines(&[
            "--query-compute-apps=pid,process_name,used_gpu_memory",
            "--format=csv"
        ]),
        ["pid, process_name, used_gpu_memory [MiB]"]
    );
}

#[test]
fn every_field_has_an_answer() {
    let Some(_server) = TestServer::start(&[]) else {
        return;
    };
    let fields: Vec<String> = lines(&["--help-query-gpu"])
        .iter()
        .filter_map(|line| line.strip_prefix('"')?.split('"').next().map(str::to_owned))
        .collect();
    assert!(fields.len() > 100, "{}", fields.len());
    let query = format!("--query-gpu={}", fields.join(","));
    let table = lines(&[&query, "--format=csv,noheader"]);
    let cells: Vec<_> = table[0].split(", ").collect();
    assert_eq!(cells.len(), fields.len());
    for (field, cell) in fields.iter().zip(cells) {
        assert!(
            !cell.is_empty() && cell != "[Unknown Error]",
            "{field}: {cell}"
        );
    }
}

#[test]
fn exit_codes_are_the_manuals() {
    let Some(mut server) = TestServer::start(&[]) else {
        return;
    };
    let (status, text) = code(&["--query-gpu=name,foo", "--format=csv"]);
    assert_eq!(
        (status, text.lines().next()),
        (2, Some("Field \"foo\" is not a valid field to query."))
    );
    assert_eq!(code(&["--nonsense"]).0, 2);
    assert_eq!(code(&["-i", "7"]), (6, "No devices were found\n".into()));
    assert_eq!(code(&["-pl", "100"]).0, 3);
    assert_eq!(code(&["topo", "-m", "-i", "0"]).0, 2);
    assert_eq!(code(&["-d", "NOTHING", "-q"]).0, 2);
    server.kill();
    let mut without = Command::new(env!("CARGO_BIN_EXE_nvidia-smi"));
    without
        .env("ANTLERITE_KMD", "/nonexistent")
        .env("ANTLERITE_INSTANCE", "none");
    let output = without.output().expect("nvidia-smi runs");
    assert_eq!(output.status.code(), Some(9));
}

/// Checks that tags nest; gives the paths of the leaves.
fn leaves(xml: &[String]) -> Vec<(String, String)> {
    let (mut open, mut found): (Vec<String>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    for line in &xml[2..] {
        let line = line.trim();
        let tag = line
            .trim_start_matches(['<', '/'])
            .split(['>', ' '])
            .next()
            .expect("tag");
        if let Some(closed) = line.strip_prefix("</") {
            assert_eq!(open.pop().as_deref(), closed.strip_suffix('>'));
        } else if let Some(body) = line.strip_suffix(&format!("</{tag}>")) {
            let value = body.split_once('>').expect("value").1;
            found.push((format!("{}/{tag}", open.join("/")), value.to_owned()));
        } else {
            open.push(tag.to_owned());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    found
}

#[test]
fn reports_are_complete() {
    let Some(server) = TestServer::start(&["--driver-version", "550.163.01"]) else {
        return;
    };
    let gpu = &server.status().gpus[0];
    let text = lines(&["-q"]);
    assert_eq!(text[1], "==============NVSMI LOG==============");
    assert!(
        text.iter()
            .any(|line| line == "CUDA Version                                           : 12.4")
    );
    assert!(
        text.iter()
            .filter(|line| line.contains(": "))
            .all(|line| line.find(": ") == Some(55))
    );
    let xml = lines(&["-q", "-x"]);
    assert_eq!(xml[0], "<?xml version=\"1.0\" ?>");
    let leaves = leaves(&xml);
    let of = |path: &str| -> &str {
        let path = format!("nvidia_smi_log/{path}");
        leaves
            .iter()
            .find(|leaf| leaf.0 == path)
            .map_or("absent", |leaf| &leaf.1)
    };
    assert_eq!(of("driver_version"), "550.163.01");
    assert_eq!(of("gpu/uuid"), gpu.uuid);
    assert_eq!(
        of("gpu/fb_memory_usage/total"),
        format!("{} MiB", gpu.total >> 20)
    );
    assert_eq!(of("gpu/utilization/gpu_util"), "0 %");
    assert_eq!(of("gpu/temperature/gpu_temp"), "36 C");
    assert_eq!(of("gpu/gpu_power_readings/current_power_limit"), "700.00 W");
    assert!(
        !leaves.iter().any(|leaf| leaf.1 == "Unknown Error"),
        "{leaves:?}"
    );
    let some = lines(&["-q", "-d", "MEMORY"]);
    assert!(some.iter().any(|line| line.contains("FB Memory Usage")));
    assert!(!some.iter().any(|line| line.contains("Product Name")));
}

#[test]
fn monitors_have_their_columns() {
    let Some(_server) = TestServer::start(&[]) else {
        return;
    };
    let device = lines(&["dmon", "-c", "1"]);
    assert_eq!(
        device[0],
        "# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk "
    );
    assert_eq!(device.len(), 3);
    assert_eq!(device[2].split_whitespace().count(), 12);
    let process = lines(&["pmon", "-c", "1", "-s", "u"]);
    assert_eq!(
        process[0],
        "# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command "
    );
    assert!(process[2].starts_with("    0          -     -      -"));
    let matrix = lines(&["topo", "-m"]);
    assert_eq!(
        matrix[0],
        "\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID"
    );
    assert!(matrix[1].starts_with("GPU0\t X \t"));
}

#[test]
fn settings_hold() {
    let Some(_server) = TestServer::start(&[]) else {
        return;
    };
    assert_eq!(
        lines(&["-pm", "1"]),
        [
            "Enabled persistence mode for GPU 00000000:17:00.0.",
            "All done."
        ]
    );
    let query = "--query-gpu=persistence_mode,compute_mode";
    assert_eq!(
        lines(&[query, "--format=csv,noheader"]),
        ["Enabled, Default"]
    );
    lines(&["-c", "EXCLUSIVE_PROCESS"]);
    assert_eq!(
        lines(&[query, "--format=csv,noheader"]),
        ["Enabled, Exclusive_Process"]
    );
}
