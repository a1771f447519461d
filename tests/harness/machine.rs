//! What a machine with the driver shows, by its real tools: each test has a machine of its own.

mod devices;
mod failures;
mod monitors;
mod shell;

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Lines},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Output, Stdio},
    time::Duration,
};

use libtest_mimic::{Failed, Trial};

use crate::{
    build::{self, Build},
    crowd,
    directives::{Directives, Door},
    managed,
    places::{Places, Toolkit},
};

pub(crate) type Test = (&'static str, Door, fn(&Machine) -> Result<(), Failed>);

/// The tests, ignored where something is missing.
pub fn trials(places: &Places, missing: &mut BTreeMap<String, Vec<String>>) -> Vec<Trial> {
    shell::TESTS
        .into_iter()
        .chain(failures::TESTS)
        .chain(monitors::TESTS)
        .chain(devices::TESTS)
        .chain(managed::TESTS)
        .chain(crowd::TESTS)
        .map(|(name, door, test)| trial(places, missing, (name, Build::Static, door), test))
        .collect()
}

/// A test on a machine of its own, ignored where its build or its door is missing.
pub(crate) fn trial(
    places: &Places,
    missing: &mut BTreeMap<String, Vec<String>>,
    (name, build, door): (&'static str, Build, Door),
    test: fn(&Machine) -> Result<(), Failed>,
) -> Trial {
    let reason = places.missing_for(build, door);
    let ignored = reason.is_some();
    if let Some(reason) = reason {
        missing.entry(reason).or_default().push(name.into());
    }
    let machine = Machine::new(places, name);
    Trial::test(name, move || {
        let result = test(&machine);
        machine.down();
        result
    })
    .with_ignored_flag(ignored)
}

pub(crate) struct Machine {
    pub(crate) places: Places,
    instance: String,
}

impl Machine {
    /// A machine for the test of that name: its server is shared with no other.
    fn new(places: &Places, test: &str) -> Self {
        Self {
            places: places.clone(),
            // At most 40 characters.
            instance: format!("test-{:.24}-{}", test.replace('/', "-"), std::process::id()),
        }
    }

    pub(crate) fn antlerite(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.places.dist.join("bin/antlerite"));
        command
            .args(arguments)
            .env("ANTLERITE_INSTANCE", &self.instance)
            .stdin(Stdio::null());
        command
    }

    /// The toolkit that is the driver's own.
    pub(crate) fn toolkit(&self) -> Result<PathBuf, Failed> {
        let toolkit = self.places.toolkit(Toolkit::Default);
        let toolkit = toolkit.ok_or_else(|| Failed::from("the toolkit is gone"))?;
        Ok(toolkit.canonicalize()?)
    }

    pub(crate) fn down(&self) {
        let _ = self.antlerite(&["down"]).output();
    }

    /// A command in the machine's shell; what it printed, both ways, and whether it succeeded.
    pub(crate) fn shell(&self, line: &str) -> Result<(String, bool), Failed> {
        let output = self.antlerite(&["shell", "-c", line]).output()?;
        Ok((text(&output), output.status.success()))
    }

    pub(crate) fn program(&self, name: &str) -> Result<PathBuf, Failed> {
        self.program_with(name, "")
    }

    /// A program that is built with more flags.
    pub(crate) fn program_with(&self, name: &str, flags: &str) -> Result<PathBuf, Failed> {
        let source = self.places.root.join("tests/machine").join(name);
        let directives = Directives::parse(&format!("// flags: {flags}\n// expect: \n"))
            .map_err(|error| error.to_string())?;
        // Tests in other processes may want the same program.
        std::fs::create_dir_all(&self.places.cache)?;
        let lock = std::fs::File::create(self.places.cache.join("machine.lock"))?;
        rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive)?;
        Ok(build::binary(&self.places, &source, &directives, Build::Static)?.path)
    }
}

pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

pub(crate) fn demand(what: &str, holds: bool, seen: &str) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(format!("{what}; seen:\n{seen}").into())
    }
}

/// Whether a tool is there. Where it is not, the test says so and judges nothing.
pub(crate) fn has(tool: &str) -> bool {
    let found = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]
        .iter()
        .any(|dir| Path::new(dir).join(tool).exists());
    if !found {
        eprintln!("not judged: no {tool} here");
    }
    found
}

/// The last number of that name.
pub(crate) fn counter(json: &str, name: &str) -> Option<u64> {
    number_at(json, json.rfind(&format!("\"{name}\":"))? + name.len() + 3)
}

/// The first number of that name.
pub(crate) fn first(json: &str, name: &str) -> Option<u64> {
    number_at(json, json.find(&format!("\"{name}\":"))? + name.len() + 3)
}

fn number_at(json: &str, at: usize) -> Option<u64> {
    let digits: String = json[at..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

/// What a server holds: descriptors charged, files, framebuffer, host memory, and descriptors of its process.
pub(crate) fn holdings(machine: &Machine) -> Result<(u64, Vec<u64>), Failed> {
    let json = text(&machine.antlerite(&["status", "--json"]).output()?);
    let number =
        |name: &str| first(&json, name).ok_or_else(|| Failed::from(format!("no {name} in {json}")));
    let pid = number("pid")?;
    // The connection of the question above may be there for a moment yet: the fewest of some looks.
    let mut fds = u64::MAX;
    for _ in 0..20 {
        fds = fds.min(std::fs::read_dir(format!("/proc/{pid}/fd"))?.count() as u64);
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok((
        pid,
        vec![number("files")?, number("used")?, number("host_used")?, fds],
    ))
}

/// A program that has said that it began, and what else it says.
fn spinning(machine: &Machine) -> Result<(Child, Lines<BufReader<ChildStdout>>), Failed> {
    let program = machine.program("spin.cu")?.display().to_string();
    let mut child = machine
        .antlerite(&["run", &program])
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().ok_or("no standard output")?;
    let mut lines = BufReader::new(out).lines();
    lines.next().transpose()?;
    Ok((child, lines))
}
