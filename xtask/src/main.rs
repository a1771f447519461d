//! The project's own commands: `cargo xtask COMMAND`.
#![expect(clippy::print_stdout, reason = "a command line tool reports on stdout")]

mod bench;
mod ci;
mod corpus;
mod coverage;
mod dist;
mod error;
mod fuzz;
mod model;
mod process;
mod prove;
mod tidy;
mod tsan;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

#[derive(Parser)]
#[command(about = "Antlerite's own commands")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the rules of the house that no compiler checks
    Tidy,
    /// Everything a change must pass: formatting, clippy, tidy, tests
    Ci,
    /// Build and lay out the installed tree in dist/
    Dist,
    /// Write docs/api-coverage.md from the driver API table and docs/ptx-coverage.md from the instruction forms
    Coverage {
        /// Only say whether the file is up to date
        #[arg(long)]
        check: bool,
        /// Whether that many random rows that are said to be done have a test that fails without them
        #[arg(long, value_name = "N")]
        prove: Option<usize>,
        /// Where the random numbers start
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Measure against the project's performance goals (default: all benches)
    Bench {
        /// Which benches
        names: Vec<bench::Name>,
        /// Seconds per kernel and peer
        #[arg(long, default_value_t = 1.0)]
        budget: f64,
        /// A directory with more PTX for `compile`
        #[arg(long)]
        ptx: Option<std::path::PathBuf>,
    },
    /// Compile the kernels that open-source packages carry or produce: a long run, outside the repository
    Corpus(corpus::Options),
    /// Hold PTX's approximate functions against their error bounds, for all 2³² inputs
    Sweep,
    /// Mixed API calls from 8 threads against a model; the server must hold nothing afterwards
    ApiModel {
        /// Calls
        #[arg(long, default_value_t = 1_000_000)]
        calls: u64,
        /// Where the random numbers start
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Programs of many threads over a libcuda and a libcudart that ThreadSanitizer watches (needs a nightly toolchain)
    Tsan {
        /// Steps of each of the model's threads
        #[arg(long, default_value_t = 5_000)]
        calls: u64,
    },
    /// Run the fuzz oracles on random cases
    Fuzz {
        /// Cases per oracle
        #[arg(long, default_value_t = 100_000)]
        cases: u64,
        /// Random kernels, each of which takes a few hundred milliseconds of a processor
        #[arg(long, default_value_t = 1_000)]
        kernels: u64,
        /// Random programs, each of which takes a tenth of that
        #[arg(long, default_value_t = 20_000)]
        programs: u64,
        /// Where the random numbers start
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = Workspace::find().and_then(|workspace| match cli.command {
        Command::Tidy => tidy::run(&workspace),
        Command::Ci => ci::run(&workspace),
        Command::Dist => dist::run(&workspace),
        Command::Coverage {
            prove: Some(count),
            seed,
            ..
        } => coverage::prove(&workspace, count, seed),
        Command::Coverage { check, .. } => coverage::run(&workspace, check),
        Command::Bench { names, budget, ptx } => {
            bench::run(&workspace, &names, budget, ptx.as_deref())
        }
        Command::Corpus(options) => corpus::run(&workspace, &options),
        Command::Sweep => fuzz::sweep(&workspace),
        Command::ApiModel { calls, seed } => model::run(&workspace, calls, seed),
        Command::Tsan { calls } => tsan::run(&workspace, calls),
        Command::Fuzz {
            cases,
            kernels,
            programs,
            seed,
        } => {
            let amount = fuzz::Amount {
                cases,
                kernels,
                programs,
            };
            fuzz::run(&workspace, amount, seed)
        }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
