//! What tracked managed memory does, by its counts; and that no update of either side is lost.

use libtest_mimic::Failed;

use crate::{
    directives::Door,
    machine::{Machine, Test, counter, demand, text},
};

pub(crate) const TESTS: [Test; 5] = [
    ("machine/managed-counts", Door::Socket, managed_counts),
    ("machine/coherent-counts", Door::Socket, coherent_counts),
    ("machine/oversubscription", Door::Socket, oversubscription),
    ("machine/hammered-page", Door::Socket, hammered_page),
    ("machine/event-queue", Door::Syscall, event_queue),
];

fn managed_counts(machine: &Machine) -> Result<(), Failed> {
    const MIB: u64 = 64;
    const BLOCKS: u64 = MIB * 16;
    let program = machine.program("managed.cu")?.display().to_string();
    let run = |policy: &str, words: &[&str]| -> Result<Option<String>, Failed> {
        let mut line = vec!["run", "--uvm", "tracked", &program];
        line.extend_from_slice(words);
        let output = machine
            .antlerite(&line)
            .env("ANTLERITE_UVM_POLICY", policy)
            .output()?;
        let seen = text(&output);
        if seen.contains("managed memory is not tracked") {
            eprintln!("not judged: {seen}");
            return Ok(None);
        }
        demand("the sums are right", seen.contains("wrong: 0\n"), &seen)?;
        let stat = machine.antlerite(&["uvm-stat", "--json"]).output()?;
        Ok(Some(String::from_utf8_lossy(&stat.stdout).into_owned()))
    };
    let mib = MIB.to_string();
    let Some(plain) = run("plain", &[&mib])? else {
        return Ok(());
    };
    // The CPU fills a and b, the device reads them and is the first at c, the CPU reads c.
    for (name, want) in [
        ("cpu_faults", 3 * BLOCKS),
        ("gpu_faults", 3 * BLOCKS),
        ("host_to_device", 2 * BLOCKS),
        ("host_to_device_bytes", (2 * MIB) << 20),
        ("device_to_host", BLOCKS),
        ("device_to_host_bytes", MIB << 20),
        ("density", 0),
        ("evicted", 0),
    ] {
        demand(
            &format!("{name} is {want}"),
            counter(&plain, name) == Some(want),
            &plain,
        )?;
    }
    let Some(prefetched) = run("plain", &[&mib, "prefetch"])? else {
        return Ok(());
    };
    for (name, want) in [
        ("gpu_faults", 0),
        ("prefetched", 3 * BLOCKS),
        ("host_to_device", 2 * BLOCKS),
        ("device_to_host", BLOCKS),
    ] {
        demand(
            &format!("{name} is {want} after a prefetch"),
            counter(&prefetched, name) == Some(want),
            &prefetched,
        )?;
    }
    let Some(dense) = run("density", &[&mib])? else {
        return Ok(());
    };
    demand(
        "neighbours come too, and all moves are the same",
        counter(&dense, "gpu_faults").is_some_and(|n| n < 3 * BLOCKS)
            && counter(&dense, "host_to_device") == Some(2 * BLOCKS)
            && counter(&dense, "density").is_some_and(|n| n > 0),
        &dense,
    )?;
    let table = text(&machine.antlerite(&["uvm-stat"]).output()?);
    demand(
        "the table names the program",
        table.contains("GPU FAULTS"),
        &table,
    )?;
    for (ending, start) in [("svg", &b"<svg"[..]), ("png", b"\x89PNG\r\n")] {
        let plot = machine
            .places
            .cache
            .join(format!("uvm-{}.{ending}", std::process::id()));
        let drawn = machine
            .antlerite(&["uvm-stat", "--plot", &plot.display().to_string()])
            .output()?;
        let bytes = std::fs::read(&plot).unwrap_or_default();
        demand("the plot is drawn", bytes.starts_with(start), &text(&drawn))?;
        std::fs::remove_file(&plot)?;
    }
    Ok(())
}

/// Coherent memory stays where it is; a device's first access to a block is a fault, and none after a prefetch.
fn coherent_counts(machine: &Machine) -> Result<(), Failed> {
    const BLOCKS: u64 = 16 * 16;
    let program = machine.program("managed.cu")?.display().to_string();
    let run = |policy: &str, words: &[&str]| -> Result<String, Failed> {
        let mut line = vec!["run", "--uvm", "coherent", &program, "16"];
        line.extend_from_slice(words);
        let output = machine
            .antlerite(&line)
            .env("ANTLERITE_UVM_POLICY", policy)
            .output()?;
        let seen = text(&output);
        demand("the sums are right", seen.contains("wrong: 0\n"), &seen)?;
        Ok(text(&machine.antlerite(&["uvm-stat", "--json"]).output()?))
    };
    let plain = run("plain", &[])?;
    if counter(&plain, "gpu_faults") == Some(0) {
        eprintln!("not judged: this system gives no userfaultfd away");
        return Ok(());
    }
    for (name, want) in [
        ("gpu_faults", 3 * BLOCKS),
        ("cpu_faults", 0),
        ("host_to_device", 0),
        ("device_to_host", 0),
    ] {
        demand(
            &format!("{name} is {want}"),
            counter(&plain, name) == Some(want),
            &plain,
        )?;
    }
    let prefetched = run("plain", &["prefetch"])?;
    demand(
        "no faults after a prefetch",
        counter(&prefetched, "gpu_faults") == Some(0)
            && counter(&prefetched, "prefetched") == Some(3 * BLOCKS),
        &prefetched,
    )?;
    let dense = run("density", &[])?;
    demand(
        "what the CPU filled comes by regions",
        counter(&dense, "gpu_faults").is_some_and(|n| n > 0 && n < 2 * BLOCKS),
        &dense,
    )
}

/// The tools' event queue in both versions, by raw calls on `/dev/nvidia-uvm-tools`: each block is written by the CPU, then by the device,
/// and read by the CPU.
fn event_queue(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("events.cu")?.display().to_string();
    let words = ["run", "--door", "syscall", "--uvm", "tracked", &program];
    for (version, processors) in [(&[][..], 33), (&["2"], 257)] {
        let output = machine
            .antlerite(&[&words[..], version].concat())
            .env("ANTLERITE_UVM_POLICY", "plain")
            .output()?;
        let seen = text(&output);
        if seen.contains("managed memory is not tracked") {
            eprintln!("not judged: {seen}");
            return Ok(());
        }
        let expected = format!(
            "GPU 0 is processor 1: yes, of 2 in {processors}\n\
             CPU faults 16, GPU faults 8, odd 0, dropped 0, causes 4\n\
             moves to the device 8 of 524288 bytes, back 8 of 524288\n\
             wrong 0\n"
        );
        demand("the queue tells all of it", seen == expected, &seen)?;
    }
    Ok(())
}

fn oversubscription(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("oversubscribed.cu")?.display().to_string();
    let output = machine
        .antlerite(&["run", "--uvm", "tracked", &program])
        .env("ANTLERITE_MEMORY", "64M")
        .output()?;
    let seen = text(&output);
    demand("the sums are right", seen.contains("wrong: 0\n"), &seen)?;
    if seen.contains("managed memory is not tracked") {
        eprintln!("not judged: {seen}");
        return Ok(());
    }
    let stat = machine
        .antlerite(&["uvm-stat", "--json"])
        .env("ANTLERITE_MEMORY", "64M")
        .output()?;
    let json = String::from_utf8_lossy(&stat.stdout);
    demand(
        "blocks were evicted",
        counter(&json, "evicted").is_some_and(|n| n > 0),
        &json,
    )
}

/// Additions of each of the four threads: ten million together.
const ADDITIONS: &str = "2500000";

/// Two threads on each side add to one page with system atomics: as the page goes to and fro, and where it stays.
fn hammered_page(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("hammer.cu")?.display().to_string();
    // A program that keeps its pages loses them by force.
    for (mode, words) in [
        ("tracked", &[ADDITIONS][..]),
        ("tracked", &[ADDITIONS, "stubborn"]),
        ("coherent", &[ADDITIONS]),
    ] {
        let mut line = vec!["run", "--uvm", mode, "--timeout", "240", &program];
        line.extend_from_slice(words);
        let seen = text(&machine.antlerite(&line).output()?);
        demand(
            &format!("nothing is lost ({mode} {words:?})"),
            seen.contains("none lost\n"),
            &seen,
        )?;
        if seen.contains("managed memory is not tracked") {
            eprintln!("not judged: {seen}");
            return Ok(());
        }
        if mode == "tracked" {
            let stat = text(&machine.antlerite(&["uvm-stat", "--json"]).output()?);
            demand(
                "the page went to and fro",
                counter(&stat, "host_to_device").is_some_and(|n| n > 0)
                    && counter(&stat, "device_to_host").is_some_and(|n| n > 0),
                &stat,
            )?;
        }
    }
    Ok(())
}
