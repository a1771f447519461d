//! What a program behind the syscall door sees of the driver in /proc, /sys, /lib/modules and the loader's cache.

use crate::arguments::Machine;
use crate::environment::Variable;
use crate::error::Error;
use crate::{installed, server};
use kernel::manage::{self, Answer, Request};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Mounts, and a folder of commands.
#[derive(Debug)]
pub struct View {
    pub mounts: Vec<supervisor::Mount>,
    pub commands: PathBuf,
}

/// Has the server write the files; starts it if need be.
///
/// # Errors
/// The server cannot be started.
pub fn show(machine: &Machine) -> Result<View, Error> {
    let folder = server::folder(machine)?;
    let kmd = ::door::start::find_kmd()?;
    ::door::start::ensure_started(&kmd, &folder)?;
    let Answer::View { dir, mounts } = manage::ask(&folder, &Request::Show)? else {
        return Err(Error::Door("the server has no files to show".into()));
    };
    let mut mounts: Vec<supervisor::Mount> = mounts
        .into_iter()
        .map(|m| supervisor::Mount {
            source: m.source,
            target: m.target,
            keep: m.keep,
        })
        .collect();
    if let Some(cache) = loader_cache(&dir) {
        mounts.push(supervisor::Mount {
            source: cache,
            target: "/etc/ld.so.cache".into(),
            keep: None,
        });
    }
    Ok(View {
        mounts,
        commands: dir.join("bin"),
    })
}

/// The loader's cache with our libraries in it, as after an installed driver. None where there is no `ldconfig`.
fn loader_cache(dir: &Path) -> Option<PathBuf> {
    let libraries = installed::libraries().ok()?;
    let tool = ["/usr/sbin/ldconfig", "/sbin/ldconfig"]
        .into_iter()
        .find(|path| Path::new(path).exists())?;
    let (configuration, cache) = (dir.join("ld.so.conf"), dir.join("ld.so.cache"));
    let text = format!("{}\ninclude /etc/ld.so.conf\n", libraries.display());
    if cache.exists() && std::fs::read_to_string(&configuration).is_ok_and(|old| old == text) {
        return Some(cache);
    }
    std::fs::write(&configuration, text).ok()?;
    let done = Command::new(tool)
        .arg("-X")
        .arg("-f")
        .arg(&configuration)
        .arg("-C")
        .arg(&cache)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    done.is_ok_and(|s| s.success()).then_some(cache)
}

/// Puts a folder at the head of a list variable.
pub fn put_in_front(variables: &mut Vec<Variable>, name: &str, folder: &Path) {
    let current = variables
        .iter()
        .rev()
        .find(|(n, _)| n == name)
        .map(|(_, value)| value.clone())
        .or_else(|| std::env::var_os(name));
    let mut value: OsString = folder.into();
    if let Some(current) = current.filter(|c| !c.is_empty()) {
        value.push(":");
        value.push(current);
    }
    variables.push((name.into(), value));
}
