//! Sessions as a user types them: the cache that a first run fills, a toolkit beside a driver of another version, a
//! program of CUDA 12 on each driver.

use std::{collections::BTreeMap, fs, process::Command, time::Duration};

use libtest_mimic::{Failed, Trial};

use crate::{
    build::{self, Build},
    directives::{Directives, Door, End},
    launch,
    machine::{Machine, demand, text, trial},
    places::Places,
};

/// Name, what builds its programs, how they reach the kernel half, the test.
type Test = (
    &'static str,
    Build,
    Door,
    fn(&Machine) -> Result<(), Failed>,
);

const TESTS: [Test; 3] = [
    (
        "sessions/compute-cache",
        Build::Static,
        Door::Syscall,
        compute_cache,
    ),
    (
        "sessions/toolkit-beside-driver",
        Build::Static,
        Door::Syscall,
        toolkit_beside_driver,
    ),
    (
        "sessions/twelve-on-each-driver",
        Build::Twelve,
        Door::Socket,
        twelve_on_each_driver,
    ),
];

/// The tests, ignored where something is missing.
pub fn trials(places: &Places, missing: &mut BTreeMap<String, Vec<String>>) -> Vec<Trial> {
    TESTS
        .into_iter()
        .map(|(name, build, door, test)| trial(places, missing, (name, build, door), test))
        .collect()
}

/// A program with PTX only compiles once: `~/.nv/ComputeCache` is filled by the first run, and the second adds and
/// writes nothing (a file written anew would have another inode).
fn compute_cache(machine: &Machine) -> Result<(), Failed> {
    let toolkit = machine.toolkit()?;
    let home = machine
        .places
        .cache
        .join(format!("home-{}", std::process::id()));
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    fs::create_dir_all(&home)?;
    fs::copy(
        machine.places.root.join("tests/conformance/units/whole.cu"),
        home.join("whole.cu"),
    )?;
    let lines = [
        "set -e",
        "nvcc -gencode arch=compute_90,code=compute_90 whole.cu -o whole_ptx",
        "rm -rf ~/.nv/ComputeCache",
        "./whole_ptx",
        "du -s --apparent-size ~/.nv/ComputeCache | cut -f1",
        "find ~/.nv/ComputeCache -type f -printf '%P %s %i\\n' | sort >first",
        "./whole_ptx",
        "find ~/.nv/ComputeCache -type f -printf '%P %s %i\\n' | sort >second",
        "cmp first second",
        "wc -l <second",
    ];
    let output = machine
        .antlerite(&["shell", "-c", &lines.join("\n")])
        .current_dir(&home)
        .env("HOME", &home)
        .env_remove("CUDA_CACHE_PATH")
        .env_remove("CUDA_CACHE_DISABLE")
        .env(
            "PATH",
            format!(
                "{}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                toolkit.display()
            ),
        )
        .output()?;
    let seen = text(&output);
    demand("the session ends well", output.status.success(), &seen)?;
    let words: Vec<&str> = seen.lines().collect();
    let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    demand(
        "both runs are right",
        words
            .iter()
            .filter(|line| **line == "cudaSuccess: 42")
            .count()
            == 2,
        &seen,
    )?;
    demand(
        "the cache holds KiB and entries",
        numbers.len() == 2 && numbers.iter().all(|number| *number > 0),
        &seen,
    )?;
    fs::remove_dir_all(&home)?;
    Ok(())
}

/// nvcc tells the toolkit's version and nvidia-smi the driver's, either way round, and `doctor` says what follows.
fn toolkit_beside_driver(machine: &Machine) -> Result<(), Failed> {
    let toolkit = machine.toolkit()?;
    let path = format!("PATH={}/bin:$PATH", toolkit.display());
    for (driver, cuda, verdict) in [
        (
            "550.163.01",
            "12.4",
            "a newer major than the driver's 12.4; its programs get error 35",
        ),
        ("580.142", "13.0", "not newer than the driver, all is well"),
    ] {
        machine.down();
        let line = format!("{path}; nvcc --version; nvidia-smi; antlerite doctor");
        let output = machine
            .antlerite(&["shell", "--driver-version", driver, "-c", &line])
            .output()?;
        let seen = text(&output);
        demand("nvcc is 13.0's", seen.contains("release 13.0"), &seen)?;
        let version = format!("Driver Version: {driver}");
        demand(
            "nvidia-smi names the driver",
            seen.contains(&version),
            &seen,
        )?;
        let version = format!("CUDA Version: {cuda}");
        demand(
            "nvidia-smi names the driver's CUDA",
            seen.contains(&version),
            &seen,
        )?;
        demand("doctor says what follows", seen.contains(verdict), &seen)?;
        demand(
            "doctor takes no other driver for real",
            !seen.contains("other driver"),
            &seen,
        )?;
    }
    Ok(())
}

/// CUDA's compatibility within a major release and to the next: the program runs on drivers of 12.2 to 13.0, and only
/// its PTX (ISA 8.5, what clang 19 writes) can be too new, for a driver that is as strict as NVIDIA's.
fn twelve_on_each_driver(machine: &Machine) -> Result<(), Failed> {
    let source = machine
        .places
        .root
        .join("tests/conformance/versions_twelve.cu");
    let directives =
        Directives::parse(&fs::read_to_string(&source)?).map_err(|error| error.to_string())?;
    let program = build::binary(&machine.places, &source, &directives, Build::Twelve)?.path;
    for (driver, cuda, knows_ptx) in [
        ("535.309.01", "12.2", false),
        ("550.163.01", "12.4", false),
        ("570.211.01", "12.8", true),
        ("575.64.05", "12.9", true),
        ("580.142", "13.0", true),
    ] {
        for strict in [false, true] {
            let mut command = Command::new(machine.places.dist.join("bin/antlerite"));
            command
                .args(["run", "--driver-version", driver])
                .arg(&program)
                .env("ANTLERITE_STRICT", if strict { "1" } else { "0" })
                .env("CUDA_CACHE_PATH", machine.places.cache.join("ComputeCache"));
            let seen = launch::output(&mut command, Duration::from_secs(60))?;
            let (last, end) = if strict && !knows_ptx {
                ("cudaErrorUnsupportedPtxVersion: 0", End::Exit(1))
            } else {
                ("cudaSuccess: 42", End::Exit(0))
            };
            let expected = format!("driver {cuda}\nruntime 12.9\n{last}\n");
            demand(
                &format!("{driver}, strict {strict}: {end} with {expected}"),
                seen.stdout == expected && seen.end == end,
                &format!("{}\n{}{}", seen.end, seen.stdout, seen.stderr),
            )?;
        }
    }
    Ok(())
}
