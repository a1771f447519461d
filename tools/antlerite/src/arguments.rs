//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;

/// An open NVIDIA driver stack with a virtual GPU.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub struct Arguments {
    #[command(flatten)]
    pub machine: Machine,
    #[command(subcommand)]
    pub command: Command,
}

/// The machine that programs see. Each choice also has an environment variable, which it
/// overrides.
#[derive(Debug, Default, Args)]
pub struct Machine {
    /// GPU profile, with a count if there are several: h100, a100, rtx4090, rtx5090, h100:2.
    #[arg(long, value_name = "PROFILE[:COUNT]", global = true)]
    pub gpu: Option<String>,
    /// Driver version to advertise; NVIDIA's own compatibility rules then hold.
    #[arg(long, value_name = "VERSION", global = true)]
    pub driver_version: Option<String>,
    /// Highest instruction set of this machine that kernels may use.
    #[arg(long, value_name = "ISA", global = true)]
    pub isa: Option<String>,
    /// Name of the server; programs with the same name share one.
    #[arg(long, value_name = "NAME", global = true)]
    pub instance: Option<String>,
    /// How programs reach the kernel half.
    #[arg(long, value_enum, global = true)]
    pub door: Option<DoorChoice>,
    /// Managed memory: coherent (one memory for all, the fastest) or tracked (each block has a place, and moves by
    /// page faults).
    #[arg(long, value_enum, global = true)]
    pub uvm: Option<UvmChoice>,
}

/// How managed memory behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UvmChoice {
    /// One memory for CPU and GPUs.
    Coherent,
    /// Residency by block, faults and migrations.
    Tracked,
}

/// How a program's calls reach the kernel half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DoorChoice {
    /// A Unix socket; needs no privilege.
    Socket,
    /// Real system calls on device nodes, as strace shows them.
    Syscall,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a CUDA program on the virtual GPU, unmodified.
    Run(Run),
    /// Run a program and print its calls at every layer, with times.
    Trace(Trace),
    /// Run a program and print its driver calls, decoded: names, classes, control commands, status.
    Strace(Strace),
    /// Open a shell, or run a shell command, as on a machine with a GPU.
    Shell(Shell),
    /// Print the environment that `run` sets, for `eval`.
    Env,
    /// Start the server and keep it, as persistence mode does.
    Up,
    /// End the server; programs that use it get errors.
    Down(Down),
    /// Show what runs on the virtual GPUs.
    Status(Status),
    /// Show the kernel log: NVRM and Xid lines.
    Dmesg(Dmesg),
    /// Let a GPU fail, as hardware does: the log, NVML's events and the programs hear of it.
    Inject(Inject),
    /// Show what managed memory did: faults, migrations, residency; as a table or as a plot.
    UvmStat(UvmStat),
    /// Say what works here, what is missing, and how to mend it.
    Doctor,
}

#[derive(Debug, Args)]
pub struct Run {
    /// Seconds after which the program is ended (exit code 124).
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub program: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct Trace {
    /// Layers to show, separated by commas: cudart, cuda, door, kernel, interpose.
    #[arg(long, value_name = "LAYERS", default_value = "all")]
    pub layers: String,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub program: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct Strace {
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub program: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct Shell {
    /// Run this command and leave.
    #[arg(short, value_name = "COMMAND")]
    pub command: Option<OsString>,
}

#[derive(Debug, Args)]
pub struct Down {
    /// End every server of this user.
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub struct Status {
    /// One JSON array, with an object per server.
    #[arg(long)]
    pub json: bool,
    /// Every server of this user.
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub struct Inject {
    /// How it fails.
    #[arg(value_enum)]
    pub failure: FailureChoice,
    /// The Xid, for `xid`.
    #[arg(required_if_eq("failure", "xid"))]
    pub xid: Option<u32>,
    /// Which GPU.
    #[arg(
        long = "on",
        alias = "gpu-index",
        value_name = "N",
        default_value_t = 0
    )]
    pub index: u32,
}

/// How a GPU fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailureChoice {
    /// Any Xid: contexts end with it.
    Xid,
    /// An uncorrectable memory error: Xid 48, then 63; contexts end with error 214.
    Ecc,
    /// The GPU falls off the bus: Xid 79; every call says that it is lost until the server ends.
    FallenOff,
    /// Kernels do not end: Xid 109; contexts end with error 702.
    Hang,
    /// Its memory is full until it is reset.
    Oom,
}

#[derive(Debug, Args)]
pub struct UvmStat {
    /// Again and again, every so many seconds.
    #[arg(short = 'l', long = "loop", value_name = "SECONDS")]
    pub every: Option<f64>,
    /// Draw the migrations over time into this file, as SVG or PNG by its ending.
    #[arg(long, value_name = "FILE.svg|FILE.png")]
    pub plot: Option<std::path::PathBuf>,
    /// One JSON array, with an object per program.
    #[arg(long)]
    pub json: bool,
    /// Only this process.
    #[arg(short, long)]
    pub pid: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Dmesg {
    /// Wait for new lines.
    #[arg(short = 'w', long)]
    pub follow: bool,
}

impl Machine {
    /// The choices as the environment variables that they stand for.
    pub fn choices(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let door = self.door.map(|door| match door {
            DoorChoice::Socket => "socket",
            DoorChoice::Syscall => "syscall",
        });
        let uvm = self.uvm.map(|uvm| match uvm {
            UvmChoice::Coherent => "coherent",
            UvmChoice::Tracked => "tracked",
        });
        [
            ("ANTLERITE_UVM", uvm),
            ("ANTLERITE_GPU", self.gpu.as_deref()),
            ("ANTLERITE_DRIVER_VERSION", self.driver_version.as_deref()),
            ("ANTLERITE_ISA", self.isa.as_deref()),
            ("ANTLERITE_INSTANCE", self.instance.as_deref()),
            ("ANTLERITE_DOOR", door),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }

    /// GPUs that the server will have: the count in `PROFILE:COUNT`, else one. The server checks the text.
    pub fn gpus(&self) -> usize {
        let text = self
            .gpu
            .clone()
            .or_else(|| std::env::var("ANTLERITE_GPU").ok());
        let count = text
            .as_deref()
            .and_then(|t| t.split_once(':')?.1.parse().ok());
        count.unwrap_or(1).min(door::MAX_MINOR as usize)
    }

    /// Puts the choices into this process's environment, from which a server's name is made.
    pub fn choose(&self) {
        for (name, value) in self.choices() {
            // SAFETY: the command has one thread.
            unsafe { std::env::set_var(name, value) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn options_of_the_program_are_its_own() {
        let parsed = Arguments::parse_from([
            "antlerite",
            "run",
            "--gpu",
            "h100:2",
            "./prog",
            "--gpu",
            "x",
            "-h",
        ]);
        assert_eq!(parsed.machine.gpu.as_deref(), Some("h100:2"));
        let Command::Run(run) = parsed.command else {
            panic!("not run")
        };
        assert_eq!(run.program, ["./prog", "--gpu", "x", "-h"]);
    }

    #[test]
    fn a_program_is_needed() {
        assert!(Arguments::try_parse_from(["antlerite", "run"]).is_err());
        assert!(Arguments::try_parse_from(["antlerite", "run", "--door", "window", "x"]).is_err());
    }
}
