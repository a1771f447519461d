//! One source built in every way that nvcc offers: the right kernel runs, or the error is the documented one.
//!
//! The sources are in `tests/conformance/units`; a way is a list of nvcc commands, the last of which makes `program`.

use std::{collections::BTreeMap, fs, path::Path, process::Command, time::Duration};

use libtest_mimic::{Failed, Trial};

use crate::{
    build::Build,
    directives::{End, Seen},
    launch,
    places::{Places, Toolkit},
};

/// A way to build.
struct Way {
    name: &'static str,
    toolkit: Toolkit,
    /// nvcc's arguments, split at spaces; `@` is the directory of the sources.
    steps: &'static [&'static str],
    /// The program's argument, if any.
    argument: Option<&'static str>,
    stdout: &'static str,
    /// What standard error must hold.
    stderr: &'static str,
}

const UNITS: &str = "cudaSuccess: 72 25 2011 2 1011 2001 99 42 99\n";
const WHOLE: &str = "cudaSuccess: 42\n";
const PTX75: &str = "-gencode arch=compute_75,code=[sm_75,compute_75]";

const fn units(name: &'static str, steps: &'static [&'static str]) -> Way {
    way(name, steps, UNITS)
}

const fn whole(name: &'static str, steps: &'static [&'static str]) -> Way {
    way(name, steps, WHOLE)
}

const fn way(name: &'static str, steps: &'static [&'static str], stdout: &'static str) -> Way {
    Way {
        name,
        toolkit: Toolkit::Default,
        steps,
        argument: None,
        stdout,
        stderr: "",
    }
}

/// All ways. `-rdc` ones need PTX in the objects, which nvcc's default target has.
fn ways() -> Vec<Way> {
    let loader = |name, make: &'static [&'static str], argument, stdout| Way {
        argument: Some(argument),
        ..way(name, make, stdout)
    };
    vec![
        units("rdc", &["-rdc=true @/main.cu @/second.cu -o program"]),
        units(
            "rdc-in-steps",
            &[
                "-dc @/main.cu -o main.o",
                "-dc @/second.cu -o second.o",
                "-dlink main.o second.o -o linked.o",
                "main.o second.o linked.o -o program -cudart shared",
            ],
        ),
        units(
            "rdc-static-library",
            &[
                "-dc @/main.cu -o main.o",
                "-dc @/second.cu -o second.o",
                "-lib second.o -o libsecond.a",
                "main.o libsecond.a -o program",
            ],
        ),
        units(
            "rdc-ptx-only",
            &[
                "-rdc=true -gencode arch=compute_90,code=compute_90 @/main.cu @/second.cu -o program",
            ],
        ),
        units(
            "rdc-multi-arch-lz4",
            &[
                "-rdc=true -compress-mode=speed -gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_90,code=[sm_90,compute_90] @/main.cu @/second.cu -o program",
            ],
        ),
        units(
            "rdc-debug-raw",
            &["-rdc=true -G -compress-mode=none @/main.cu @/second.cu -o program"],
        ),
        Way {
            toolkit: Toolkit::Newest,
            ..units(
                "rdc-newest",
                &["-rdc=true @/main.cu @/second.cu -o program"],
            )
        },
        Way {
            stderr: "SASS sm_90",
            ..way(
                "rdc-sass-only",
                &["-rdc=true -gencode arch=compute_90,code=sm_90 @/main.cu @/second.cu -o program"],
                "cudaErrorNoKernelImageForDevice: 0 0 0 0 0 0 0 0 0\n",
            )
        },
        way(
            "rdc-dynamic-parallelism",
            &["-rdc=true @/nested.cu -o program"],
            "plain: cudaSuccess\nnested: cudaSuccess\n",
        ),
        whole(
            "compress-size",
            &["-compress-mode=size @/whole.cu -o program"],
        ),
        whole(
            "compress-balance",
            &["-compress-mode=balance @/whole.cu -o program"],
        ),
        whole("no-compress", &["-no-compress @/whole.cu -o program"]),
        whole("debug", &["-G @/whole.cu -o program"]),
        whole("lineinfo", &["-lineinfo @/whole.cu -o program"]),
        whole(
            "multi-arch",
            &[
                "-gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_90,code=[sm_90,compute_90] -gencode arch=compute_120,code=[sm_120,compute_120] @/whole.cu -o program",
            ],
        ),
        Way {
            stderr: "LTO-IR lto_90",
            ..loader(
                "lto",
                &[
                    "-gencode arch=compute_90,code=lto_90 -dc -fatbin @/whole.cu -o image",
                    "@/loader.cu -o program",
                ],
                "image",
                "209: 0\n",
            )
        },
        loader(
            "lto-beside-ptx",
            &[
                "-gencode arch=compute_90,code=[lto_90,compute_90] -dc -fatbin @/whole.cu -o image",
                "@/loader.cu -o program",
            ],
            "image",
            "0: 42\n",
        ),
        loader(
            "fatbin-file",
            &["-fatbin @/whole.cu -o image", "@/loader.cu -o program"],
            "image",
            "0: 42\n",
        ),
        loader(
            "ptx-file",
            &["-ptx @/whole.cu -o image", "@/loader.cu -o program"],
            "image",
            "0: 42\n",
        ),
        Way {
            stderr: "SASS",
            ..loader(
                "cubin-file",
                &[
                    "-cubin -arch=sm_90 @/whole.cu -o image",
                    "@/loader.cu -o program",
                ],
                "image",
                "209: 0\n",
            )
        },
    ]
}

/// The tests, ignored where something is missing.
pub fn trials(places: &Places, missing: &mut BTreeMap<String, Vec<String>>) -> Vec<Trial> {
    ways()
        .into_iter()
        .map(|way| {
            let name = format!("ways/{}", way.name);
            let build = match way.toolkit {
                Toolkit::Default => Build::Static,
                Toolkit::Newest => Build::Newest,
                Toolkit::Twelve => Build::Twelve,
            };
            let reason = places.missing_for(build, crate::directives::Door::Socket);
            let ignored = reason.is_some();
            if let Some(reason) = reason {
                missing.entry(reason).or_default().push(name.clone());
            }
            let places = places.clone();
            Trial::test(name, move || run(&places, &way)).with_ignored_flag(ignored)
        })
        .collect()
}

fn run(places: &Places, way: &Way) -> Result<(), Failed> {
    let dir = built(places, way)?;
    let mut command = Command::new(places.dist.join("bin/antlerite"));
    command.arg("run").arg(dir.join("program"));
    if let Some(argument) = way.argument {
        command.arg(dir.join(argument));
    }
    command
        .env(
            "ANTLERITE_INSTANCE",
            format!("test-way-{:.16}-{}", way.name, std::process::id()),
        )
        .env("CUDA_CACHE_PATH", places.cache.join("ComputeCache"));
    let Seen {
        stdout,
        stderr,
        end,
    } = launch::output(&mut command, Duration::from_secs(60))?;
    if end == End::Exit(0) && stdout == way.stdout && stderr.contains(way.stderr) {
        return Ok(());
    }
    Err(format!(
        "{end}\nexpected:\n{}and on standard error: {}\nfound:\n{stdout}{stderr}",
        way.stdout, way.stderr
    )
    .into())
}

/// Builds, once per source and steps; the directory.
fn built(places: &Places, way: &Way) -> Result<std::path::PathBuf, Failed> {
    let sources = places.root.join("tests/conformance/units");
    let toolkit = places
        .toolkit(way.toolkit)
        .ok_or_else(|| Failed::from("the toolkit is gone"))?;
    let mut hash = blake3::Hasher::new();
    for entry in fs::read_dir(&sources)? {
        hash.update(&fs::read(entry?.path())?);
    }
    hash.update(toolkit.canonicalize()?.as_os_str().as_encoded_bytes());
    for step in way.steps {
        hash.update(step.as_bytes()).update(&[0]);
    }
    let key = hash.finalize().to_hex();
    let dir = places
        .cache
        .join(format!("way-{}-{}", way.name, &key[..16]));
    if !dir.join("done").is_file() {
        fs::create_dir_all(&dir)?;
        for step in way.steps {
            nvcc(&toolkit, &sources, &dir, step)?;
        }
        fs::write(dir.join("done"), "")?;
    }
    Ok(dir)
}

fn nvcc(toolkit: &Path, sources: &Path, dir: &Path, step: &str) -> Result<(), Failed> {
    let sources = sources.display().to_string();
    let targeted = ["-arch", "-gencode"].iter().any(|flag| step.contains(flag));
    let mut command = Command::new(toolkit.join("bin/nvcc"));
    command
        .current_dir(dir)
        .env_remove("NVCC_APPEND_FLAGS")
        .env_remove("NVCC_PREPEND_FLAGS");
    if !targeted {
        command.args(PTX75.split(' '));
    }
    command.args(step.split(' ').map(|word| word.replace('@', &sources)));
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
    .into())
}
