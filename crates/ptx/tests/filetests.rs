//! Golden filetests: each `filetests/*.ptx` ends in what is said about it, in lines that start
//! with `//= `: `ok`, or the log. A first line `// dump` adds the typed instructions.
//!
//! `BLESS=1 cargo test -p ptx --test filetests` rewrites the endings.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};

const MARK: &str = "//= ";

fn main() {
    let arguments = Arguments::from_args();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut paths: Vec<PathBuf> = fs::read_dir(&directory)
        .expect("the filetests are there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    let trials = paths
        .into_iter()
        .map(|path| {
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            Trial::test(name, move || run(&path))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn run(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let source: String = text
        .lines()
        .filter(|line| !line.starts_with(MARK.trim_end()))
        .fold(String::new(), |source, line| source + line + "\n");
    let verdict = judge(&source)?;
    let golden = verdict.lines().fold(source.clone(), |golden, line| {
        golden + format!("{MARK}{line}").trim_end() + "\n"
    });
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, golden)?;
        return Ok(());
    }
    if golden != text {
        return Err(format!("{} says otherwise; now:\n{verdict}", path.display()).into());
    }
    Ok(())
}

fn judge(source: &str) -> Result<String, Failed> {
    let module = match ptx::parse(source) {
        Ok(module) => module,
        Err(errors) => return Ok(ptx::render_log("ptx input", &errors)),
    };
    let printed = ptx::print(&module);
    if ptx::parse(&printed).as_ref() != Ok(&module) {
        return Err(format!("printing loses something:\n{printed}").into());
    }
    let checked = match ptx::check(&module, &ptx::Policy::default()) {
        Ok(checked) => checked,
        Err(errors) => return Ok(ptx::render_log("ptx input", &errors)),
    };
    let mut verdict = "ok\n".to_owned();
    if source.starts_with("// dump") {
        for function in &checked.functions {
            let instructions = function.body.iter().flat_map(|body| &body.instructions);
            writeln!(verdict, "{}", function.name)?;
            for i in instructions {
                let line = format!("{:?} {:?} <- {:?}", i.kind, i.dsts, i.srcs);
                writeln!(verdict, "  {line}")?;
            }
        }
        for global in &checked.globals {
            writeln!(
                verdict,
                "{} {:?} size {} align {} {:?}",
                global.name, global.space, global.size, global.align, global.init
            )?;
        }
    }
    Ok(verdict)
}
