//! Device nodes, other GPUs, several GPUs, and which of them a program sees.

use libtest_mimic::Failed;

use super::{Machine, Test, demand, has, text};
use crate::directives::Door;

pub(super) const TESTS: [Test; 4] = [
    ("machine/profiles", Door::Socket, profiles),
    ("machine/eight-gpus", Door::Socket, eight_gpus),
    ("machine/visible-devices", Door::Socket, visible_devices),
    ("machine/device-numbers", Door::Syscall, device_numbers),
];

/// The old stat calls, by which NVIDIA's libraries look at the nodes, say what the driver's nodes are.
fn device_numbers(machine: &Machine) -> Result<(), Failed> {
    if !has("perl") {
        eprintln!("not judged: no perl, which makes the calls");
        return Ok(());
    }
    // SYS_stat and SYS_lstat; st_mode lies at 24 of `struct stat`, st_uid and st_gid behind it, st_rdev at 40.
    let ask = r#"
        for $path (@ARGV) {
            for $call (4, 6) {
                $stat = "\0" x 144;
                $name = $path;
                $answer = syscall($call, $name, $stat);
                ($mode, $uid, $gid, $device) = unpack("x24 L L L x4 Q", $stat);
                printf("%s %d: %d %o %d:%d %x\n", $path, $call, $answer, $mode, $uid, $gid, $device);
            }
        }"#;
    let mut words = vec!["run", "--door", "syscall", "perl", "-e", ask];
    let expected = [
        ("/dev/nvidiactl", "0 20666 0:0 c3ff"),
        ("/dev/nvidia0", "0 20666 0:0 c300"),
        ("/dev/nvidia-caps/nvidia-cap1", "0 20400 0:0 eb01"),
        ("/dev/null", "0 20666 0:0 103"),
        ("/dev/nvidia7", "-1 0 0:0 0"),
    ];
    words.extend(expected.iter().map(|(path, _)| *path));
    let seen = text(&machine.antlerite(&words).output()?);
    for (path, want) in expected {
        for call in [4, 6] {
            let line = format!("{path} {call}: {want}\n");
            demand(&line, seen.contains(&line), &seen)?;
        }
    }
    Ok(())
}

/// Eight GPUs that hang together by NVLink, as nvidia-smi lists them.
fn eight_gpus(machine: &Machine) -> Result<(), Failed> {
    let smi = |words: &[&str]| -> Result<String, Failed> {
        let mut line = vec!["run", "--gpu", "h100:8", "nvidia-smi"];
        line.extend_from_slice(words);
        Ok(text(&machine.antlerite(&line).output()?))
    };
    let list = smi(&["-L"])?;
    demand("eight are listed", list.lines().count() == 8, &list)?;
    let matrix = smi(&["topo", "-m"])?;
    for gpu in 0..8 {
        let row = matrix
            .lines()
            .find(|line| line.starts_with(&format!("GPU{gpu}\t")))
            .unwrap_or_default();
        let cells: Vec<&str> = row.split('\t').skip(1).take(8).map(str::trim).collect();
        let right = cells.len() == 8
            && cells
                .iter()
                .enumerate()
                .all(|(other, cell)| *cell == if other == gpu { "X" } else { "NV18" });
        demand(&format!("GPU {gpu} has seven links"), right, &matrix)?;
    }
    let links = smi(&["nvlink", "-s", "-i", "7"])?;
    demand("a GPU has 18 links", links.contains("Link 17: "), &links)
}

/// CUDA_VISIBLE_DEVICES and its companions, for one program, without a rebuild.
fn visible_devices(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("visible.cu")?.display().to_string();
    let gpu = ["run", "--gpu", "h100:3"];
    let list = text(
        &machine
            .antlerite(&[&gpu[..], &["nvidia-smi", "-L"]].concat())
            .output()?,
    );
    let uuids: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split("UUID: ").nth(1)?.split(')').next())
        .collect();
    demand("three are listed", uuids.len() == 3, &list)?;
    let run = |variables: &[(&str, &str)]| -> Result<String, Failed> {
        let mut command = machine.antlerite(&[&gpu[..], &[&program]].concat());
        command.env_remove("CUDA_VISIBLE_DEVICES");
        Ok(text(&command.envs(variables.iter().copied()).output()?))
    };
    let all = run(&[])?;
    let buses: Vec<&str> = all.trim_end().split(' ').collect();
    demand("three are seen", buses.len() == 3, &all)?;
    let reversed = format!("{},{}", uuids[2], uuids[0]);
    let prefix = uuids[1].get(..16).unwrap_or_default();
    for (value, want) in [
        ("0,1,2", all.trim_end().to_owned()),
        ("2,0", format!("{} {}", buses[2], buses[0])),
        ("1", buses[1].to_owned()),
        (&reversed, format!("{} {}", buses[2], buses[0])),
        (prefix, buses[1].to_owned()),
        ("0,-1,1", buses[0].to_owned()),
        ("", "cudaErrorNoDevice".to_owned()),
        ("-1", "cudaErrorNoDevice".to_owned()),
    ] {
        let seen = run(&[("CUDA_VISIBLE_DEVICES", value)])?;
        demand(
            &format!("CUDA_VISIBLE_DEVICES={value:?} shows {want}"),
            seen.trim_end() == want,
            &seen,
        )?;
    }
    let twice = run(&[("CUDA_VISIBLE_DEVICES", "0,0")])?;
    demand(
        "a device named twice is an error",
        twice.starts_with("cudaError"),
        &twice,
    )?;
    for variables in [
        ("CUDA_DEVICE_ORDER", "PCI_BUS_ID"),
        ("CUDA_LAUNCH_BLOCKING", "1"),
        ("CUDA_MODULE_LOADING", "EAGER"),
        ("CUDA_MODULE_LOADING", "LAZY"),
    ] {
        let seen = run(&[variables])?;
        demand(&format!("{variables:?} is obeyed"), seen == all, &seen)?;
    }
    Ok(())
}

/// Launches work on each chip: each has descriptors of its own version.
fn profiles(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("client.cu")?.display().to_string();
    for gpu in ["a100", "rtx4090", "rtx5090"] {
        let instance = format!("{}-{gpu}", machine.instance);
        let run = |words: &[&str]| {
            let mut command = machine.antlerite(words);
            command.env("ANTLERITE_INSTANCE", &instance).output()
        };
        let seen = text(&run(&["run", "--gpu", gpu, &program, "2"])?);
        run(&["down"])?;
        demand(gpu, seen.ends_with("right\n"), &seen)?;
    }
    Ok(())
}
