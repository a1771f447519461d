//! What a shell shows: module tools, dmesg, /proc and /sys, the loader's cache; and calls by their names.

use libtest_mimic::Failed;

use super::{Machine, Test, demand, has, text};
use crate::directives::Door;

pub(super) const TESTS: [Test; 5] = [
    ("machine/modules", Door::Syscall, modules),
    ("machine/module-files", Door::Syscall, module_files),
    ("machine/log", Door::Syscall, log),
    ("machine/proc-and-sys", Door::Syscall, proc_and_sys),
    ("machine/decoded-calls", Door::Socket, decoded_calls),
];

/// Whether a program may have a /lib/modules of its own: it is there, or can be made.
fn has_module_tree(machine: &Machine) -> Result<bool, Failed> {
    let (_, there) = machine.shell("ls /lib/modules/$(uname -r)/kernel/drivers/video/nvidia.ko")?;
    if !there {
        eprintln!("not judged: /lib/modules is not there and cannot be made");
    }
    Ok(there)
}

fn modules(machine: &Machine) -> Result<(), Failed> {
    if !has("modprobe") || !has_module_tree(machine)? {
        return Ok(());
    }
    let (seen, _) = machine.shell(
        "PATH=$PATH:/usr/sbin:/sbin
         lsmod | grep nvidia
         sudo modprobe -r nvidia_uvm && echo gone; lsmod | grep -c '^nvidia_uvm'
         sudo modprobe -r nvidia_modeset || echo in use
         sudo modprobe -r nvidia_drm nvidia_modeset && sudo rmmod nvidia && echo all gone
         sudo insmod /lib/modules/$(uname -r)/kernel/drivers/video/nvidia-uvm.ko || echo refused
         sudo modprobe nvidia_uvm && lsmod | grep '^nvidia'
         sudo modprobe nvidia NVreg_EnableMSI=0; sudo rmmod nvidia_uvm nvidia
         sudo modprobe nvidia NVreg_EnableStreamMemOPs=1 && grep EnableStreamMemOPs /proc/driver/nvidia/params
         sudo modprobe nvidia-drm; cat /sys/module/nvidia/refcnt
         exec 5<>/dev/nvidiactl; dd if=/dev/null 2>/dev/null; cat /sys/module/nvidia_modeset/refcnt",
    )?;
    let line = |start: &str, words: &[&str]| {
        seen.lines().any(|line| {
            line.starts_with(start) && line.split_whitespace().skip(2).eq(words.iter().copied())
        })
    };
    let with = |text: &str| seen.contains(text);
    demand(
        "lsmod lists nvidia with its users",
        line("nvidia ", &["2", "nvidia_uvm,nvidia_modeset"]),
        &seen,
    )?;
    demand(
        "nvidia_uvm is used by none",
        line("nvidia_uvm ", &["0"]),
        &seen,
    )?;
    demand("nvidia_uvm goes", with("gone\n0\n"), &seen)?;
    demand("nvidia_modeset is in use", with("in use\n"), &seen)?;
    demand("all go in order", with("all gone\n"), &seen)?;
    demand(
        "nvidia-uvm without nvidia lacks symbols",
        with("Unknown symbol in module") && with("refused\n"),
        &seen,
    )?;
    demand(
        "modprobe brings what is needed",
        line("nvidia ", &["1", "nvidia_uvm"]),
        &seen,
    )?;
    demand(
        "a parameter is kept",
        with("EnableStreamMemOPs: 1\n"),
        &seen,
    )?;
    demand(
        "nvidia has one user, modeset has one",
        seen.contains("EnableStreamMemOPs: 1\n1\n1\n"),
        &seen,
    )?;
    // A program that has contexts holds the module.
    let program = machine.program("spin.cu")?;
    let (seen, _) = machine.shell(&format!(
        "PATH=$PATH:/usr/sbin:/sbin
         cat /sys/module/nvidia/refcnt
         '{}' & for i in $(seq 400); do [ \"$(cat /sys/module/nvidia_uvm/refcnt 2>/dev/null || echo 0)\" -gt 0 ] && break; sleep 0.05; done
         [ $(cat /sys/module/nvidia/refcnt) -gt 2 ] && echo more
         rmmod nvidia_uvm 2>/dev/null && echo wrong
         kill -9 $!; wait $! 2>/dev/null
         for i in $(seq 400); do [ $(cat /sys/module/nvidia/refcnt) = 2 ] && break; sleep 0.05; done
         cat /sys/module/nvidia/refcnt",
        program.display()
    ))?;
    demand(
        "the use count rises and falls with programs",
        seen.contains("more\n") && seen.trim_end().ends_with('2') && !seen.contains("wrong"),
        &seen,
    )
}

fn module_files(machine: &Machine) -> Result<(), Failed> {
    if !has("modinfo") || !has_module_tree(machine)? {
        return Ok(());
    }
    let (seen, _) = machine.shell(
        "PATH=$PATH:/usr/sbin:/sbin
         modinfo nvidia; modinfo -F depends nvidia_drm; modinfo -F version nvidia-uvm
         modinfo $(modinfo -n nvidia-modeset) | grep depends",
    )?;
    for part in [
        "/kernel/drivers/video/nvidia.ko\n",
        "version:        580.142\n",
        "supported:      external\n",
        "license:        Dual MIT/GPL\n",
        "parm:           NVreg_EnableMSI:int\n",
        "nvidia-modeset\n580.142\n",
        "depends:        nvidia\n",
    ] {
        demand(
            &format!("modinfo says {part:?}"),
            seen.contains(part),
            &seen,
        )?;
    }
    Ok(())
}

fn log(machine: &Machine) -> Result<(), Failed> {
    if !has("dmesg") {
        return Ok(());
    }
    let program = machine.program("wild.cu")?;
    let (seen, _) = machine.shell(&format!(
        "'{}'; dmesg | grep -iE 'nvidia|nvrm'; dmesg --level=err | wc -l",
        program.display()
    ))?;
    for part in [
        "cudaErrorIllegalAddress\n",
        "NVRM: Xid (PCI:0000:17:00): 31, pid=",
        "name=wild",
        "nvidia: loading out-of-tree module taints kernel.",
        "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.142",
        "nvidia 0000:17:00.0: enabling device",
        "nvidia-uvm: Loaded the UVM driver, major device number",
    ] {
        demand(&format!("dmesg says {part:?}"), seen.contains(part), &seen)?;
    }
    Ok(())
}

fn proc_and_sys(machine: &Machine) -> Result<(), Failed> {
    let (seen, _) = machine.shell(
        "ls -l /dev/nvidia*
         cat /proc/driver/nvidia/version /proc/driver/nvidia/gpus/*/information
         grep nvidia /proc/devices; grep nvidia /proc/interrupts; cat /proc/sys/kernel/tainted
         cat /sys/bus/pci/devices/0000:17:00.0/vendor /sys/module/nvidia/version
         ls /sys/module | wc -l
         PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -E 'libcuda|libcudart'",
    )?;
    for part in [
        "/dev/nvidiactl",
        "/dev/nvidia-uvm-tools",
        "/dev/nvidia-modeset",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.142",
        "Bus Location: \t 0000:17:00.0",
        "195 nvidia\n",
        "nvidia-uvm\n",
        "0x10de\n580.142\n",
    ] {
        demand(&format!("{part:?} is there"), seen.contains(part), &seen)?;
    }
    let taint = seen
        .lines()
        .filter_map(|line| line.parse::<u64>().ok())
        .any(|taint| taint & 12288 == 12288);
    demand("the kernel is tainted", taint, &seen)?;
    demand(
        "an interrupt line names nvidia",
        seen.lines()
            .any(|l| l.contains(": ") && l.ends_with(" nvidia")),
        &seen,
    )?;
    if has("ldconfig") {
        for library in ["libcuda.so.1", "libcudart.so.12", "libcudart.so.13"] {
            demand(
                &format!("ldconfig knows {library}"),
                seen.contains(&format!("\t{library} (libc6,x86-64) => ")),
                &seen,
            )?;
        }
    }
    Ok(())
}

fn decoded_calls(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("managed.cu")?;
    let program = program.display().to_string();
    let output = machine.antlerite(&["strace", &program, "1"]).output()?;
    let seen = text(&output);
    for part in [
        "openat(/dev/nvidiactl) = 0",
        "NV_ESC_RM_ALLOC (0x2b, 0x",
        "class=NV01_ROOT_CLIENT}) = 0 NV_OK",
        "NV_ESC_RM_CONTROL (0x2a, 0x20 bytes), {client=",
        "ioctl(/dev/nvidia-uvm, UVM_REGISTER_GPU_VASPACE, {client=",
        "UVM_VALIDATE_VA_RANGE, {base=0x",
    ] {
        demand(&format!("strace says {part:?}"), seen.contains(part), &seen)?;
    }
    let output = machine.antlerite(&["trace", &program, "1"]).output()?;
    let seen = text(&output);
    for part in ["cudaMallocManaged", "cuMemAllocManaged", "kernel: [pid "] {
        demand(&format!("trace says {part:?}"), seen.contains(part), &seen)?;
    }
    Ok(())
}
