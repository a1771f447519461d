//! `antlerite-kmd`: the kernel half as a server behind the socket door.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use door::instance;
use kernel::config::Config;
use kernel::kernel::Kernel;
use kernel::server::Server;

/// The kernel half of Antlerite, as a server.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// GPU profile, with a count after a colon: h100, a100, rtx4090, rtx5090 (default: ANTLERITE_GPU, else h100).
    #[arg(long, value_name = "NAME[:COUNT]")]
    gpu: Option<String>,
    /// Driver version to advertise (default: ANTLERITE_DRIVER_VERSION, else 580.142).
    #[arg(long, value_name = "VERSION")]
    driver_version: Option<String>,
    /// Instance directory (default: as the door finds it).
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Go to the background once ready; says "ready" on standard output.
    #[arg(long)]
    daemon: bool,
    /// Stay without clients (also ANTLERITE_PERSIST=1).
    #[arg(long)]
    persist: bool,
    /// Milliseconds to stay after the last client.
    #[arg(long, default_value_t = 2000)]
    linger: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.daemon {
        // The program that starts a server may have left descriptors open, such as a pipe that someone reads to its end.
        // SAFETY: this process has opened nothing above the standard streams yet.
        unsafe { libc::close_range(3, u32::MAX, 0) };
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Whoever started this server reads the reason from standard output.
            let mut out = std::io::stdout();
            let _ = writeln!(out, "{error}");
            let _ = writeln!(std::io::stderr(), "antlerite-kmd: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let config = Config::new(
        arguments.gpu.as_deref(),
        arguments.driver_version.as_deref(),
    )?;
    let dir = match &arguments.dir {
        Some(dir) => {
            instance::private_dir(dir)?;
            dir.clone()
        }
        None => instance::dir(std::env::current_exe().ok().as_deref())?,
    };
    if arguments.daemon && !background()? {
        return Ok(());
    }
    let kernel = Kernel::new(config, Some(&dir.join(instance::LOG)))?;
    let persist = arguments.persist
        || std::env::var_os("ANTLERITE_PERSIST").is_some_and(|v| v != "0" && !v.is_empty());
    let server = Server::bind(kernel, &dir, persist)?;
    {
        let mut out = std::io::stdout();
        out.write_all(b"ready\n")?;
        out.flush()?;
    }
    if arguments.daemon {
        detach_output()?;
    }
    server.run(Duration::from_millis(arguments.linger))?;
    Ok(())
}

/// Forks; the parent (which returns false) ends at once. Called before any thread exists.
fn background() -> std::io::Result<bool> {
    // SAFETY: this process has a single thread yet.
    match unsafe { libc::fork() } {
        -1 => Err(std::io::Error::last_os_error()),
        0 => {
            // The child leaves the session, so that the terminal's signals do not reach it.
            rustix::process::setsid()?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Closes the pipe to whoever started the server.
fn detach_output() -> std::io::Result<()> {
    let null = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(())
}
