//! The `antlerite` command: runs programs on the virtual GPU and looks after its servers.

mod arguments;
mod doctor;
mod door;
mod environment;
mod error;
mod installed;
mod output;
mod program;
mod server;
mod uvm_stat;
mod view;
mod wait;

use arguments::{Arguments, Command};
use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::Run(run) => program::run(&arguments.machine, run),
        Command::Shell(shell) => program::shell(&arguments.machine, shell),
        Command::Trace(trace) => program::trace(&arguments.machine, trace),
        Command::Strace(strace) => program::strace(&arguments.machine, strace),
        Command::Env => environment::print(&arguments.machine),
        Command::Up => server::up(&arguments.machine),
        Command::Down(down) => server::down(&arguments.machine, down),
        Command::Status(status) => server::status(&arguments.machine, status),
        Command::Dmesg(dmesg) => server::dmesg(&arguments.machine, dmesg),
        Command::Inject(inject) => server::inject(&arguments.machine, inject),
        Command::UvmStat(stat) => uvm_stat::run(&arguments.machine, stat),
        Command::Doctor => doctor::run(),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            output::problem(format_args!("{error}"));
            ExitCode::from(error.exit_code())
        }
    }
}
