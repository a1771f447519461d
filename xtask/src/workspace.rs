//! What the workspace holds, from `cargo metadata` and git.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{error::Failure, process};

/// The workspace's root and the files in it.
#[derive(Debug)]
pub struct Workspace {
    /// The directory of the workspace's Cargo.toml.
    pub root: PathBuf,
}

/// A workspace package.
#[derive(Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its manifest.
    pub manifest: PathBuf,
    /// Its targets: kinds ("bin", "cdylib", "staticlib", ...) and name.
    pub targets: Vec<(BTreeSet<String>, String)>,
    /// Its features.
    pub features: BTreeSet<String>,
}

impl Package {
    /// The name of the target of that kind, where there is one.
    pub fn has_target(&self, kind: &str, name: &str) -> bool {
        self.targets
            .iter()
            .any(|(kinds, target)| kinds.contains(kind) && target == name)
    }

    /// Whether any target is of that kind.
    pub fn has_kind(&self, kind: &str) -> bool {
        self.targets.iter().any(|(kinds, _)| kinds.contains(kind))
    }
}

/// Packages of the workspace and what each needs, transitively, outside of tests.
#[derive(Debug)]
pub struct Metadata {
    /// By name.
    pub packages: BTreeMap<String, Package>,
    /// Names of all packages each workspace package depends on.
    pub needs: BTreeMap<String, BTreeSet<String>>,
    /// Where cargo builds.
    pub target_dir: PathBuf,
}

impl Workspace {
    /// Finds the workspace this tool was built from.
    pub fn find() -> Result<Self, Failure> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.parent().unwrap_or(here);
        let root = root.canonicalize().map_err(Failure::file(root))?;
        Ok(Self { root })
    }

    /// Files that git knows or would take, relative to the root.
    pub fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut git = Command::new("git");
        git.current_dir(&self.root).args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        let listed = process::output(&mut git)?;
        let mut files: Vec<PathBuf> = listed
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(PathBuf::from)
            // A file that is deleted but not yet committed is still listed.
            .filter(|name| self.root.join(name).is_file())
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// Asks cargo.
    pub fn metadata(&self) -> Result<Metadata, Failure> {
        let mut command = process::cargo(&self.root);
        command.args(["metadata", "--format-version", "1", "--locked"]);
        let text = process::output(&mut command)?;
        let unexpected = |what: &str| Failure::Output {
            line: "cargo metadata".into(),
            what: what.into(),
        };
        let json: Value =
            serde_json::from_str(&text).map_err(|error| unexpected(&error.to_string()))?;
        Metadata::from_json(&json).ok_or_else(|| unexpected("a field is missing"))
    }
}

fn strings(value: &Value) -> Option<BTreeSet<String>> {
    value
        .as_array()?
        .iter()
        .map(|item| item.as_str().map(str::to_owned))
        .collect()
}

impl Metadata {
    fn from_json(json: &Value) -> Option<Self> {
        let members = strings(&json["workspace_members"])?;
        let mut names = BTreeMap::new();
        let mut packages = BTreeMap::new();
        for package in json["packages"].as_array()? {
            let id = package["id"].as_str()?.to_owned();
            let name = package["name"].as_str()?.to_owned();
            if members.contains(&id) {
                let targets = package["targets"]
                    .as_array()?
                    .iter()
                    .map(|target| {
                        Some((
                            strings(&target["kind"])?,
                            target["name"].as_str()?.to_owned(),
                        ))
                    })
                    .collect::<Option<_>>()?;
                packages.insert(
                    name.clone(),
                    Package {
                        name: name.clone(),
                        manifest: package["manifest_path"].as_str()?.into(),
                        targets,
                        features: package["features"].as_object()?.keys().cloned().collect(),
                    },
                );
            }
            names.insert(id, name);
        }
        let mut edges: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for node in json["resolve"]["nodes"].as_array()? {
            let mut to = Vec::new();
            for dep in node["deps"].as_array()? {
                // `kind` is null for a normal dependency; build and dev dependencies are not linked in.
                let linked = dep["dep_kinds"]
                    .as_array()?
                    .iter()
                    .any(|kind| kind["kind"].is_null());
                if linked {
                    to.push(dep["pkg"].as_str()?);
                }
            }
            edges.insert(node["id"].as_str()?, to);
        }
        let mut needs = BTreeMap::new();
        for id in &members {
            let mut seen = BTreeSet::new();
            let mut open = vec![id.as_str()];
            while let Some(next) = open.pop() {
                for &to in edges.get(next).into_iter().flatten() {
                    if seen.insert(to) {
                        open.push(to);
                    }
                }
            }
            let names_of = seen
                .iter()
                .filter_map(|id| names.get(*id).cloned())
                .collect();
            needs.insert(names.get(id)?.clone(), names_of);
        }
        Some(Self {
            packages,
            needs,
            target_dir: json["target_directory"].as_str()?.into(),
        })
    }
}
