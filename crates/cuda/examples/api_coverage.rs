//! Prints `docs/api-coverage.md` from the API table; `cargo xtask coverage` writes it.
#![expect(clippy::print_stdout, reason = "its output is the document")]

use std::collections::BTreeMap;

use cuda::table::{Entry, Status, rows};

#[derive(Default)]
struct Area {
    done: Vec<&'static str>,
    missing: Vec<&'static str>,
    never: BTreeMap<&'static str, Vec<&'static str>>,
}

fn main() {
    let mut areas: BTreeMap<&str, Area> = BTreeMap::new();
    let mut all = [0usize; 3];
    for &Entry {
        name, area, status, ..
    } in rows()
    {
        let area = areas.entry(area).or_default();
        match status {
            Status::Call | Status::Early => {
                area.done.push(name);
                all[0] += 1;
            }
            Status::Todo => {
                area.missing.push(name);
                all[1] += 1;
            }
            Status::Never(why) => {
                area.never.entry(why).or_default().push(name);
                all[2] += 1;
            }
        }
    }
    let [done, missing, never] = all;
    println!("# Driver API coverage\n");
    println!("Written by `cargo xtask coverage` from the table in `crates/cuda`; do not edit.\n");
    println!(
        "{} exported names: {done} done, {missing} not yet (they return 801 and are counted), {never} never.\n",
        done + missing + never
    );
    println!("| area | done | not yet | never |\n|---|---|---|---|");
    for (name, area) in &areas {
        println!(
            "| {name} | {} | {} | {} |",
            area.done.len(),
            area.missing.len(),
            area.never.values().map(Vec::len).sum::<usize>()
        );
    }
    for (name, area) in &areas {
        println!("\n## {name}\n");
        list("Done", &area.done);
        list("Not yet", &area.missing);
        for (why, names) in &area.never {
            list(&format!("Never ({why})"), names);
        }
    }
}

fn list(title: &str, names: &[&str]) {
    if !names.is_empty() {
        println!("* {title}: {}", names.join(", "));
    }
}
