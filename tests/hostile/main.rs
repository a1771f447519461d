//! What the conformance harness runs against the installed stack:
//!
//! * `hostile confined PROGRAM ARGUMENTS…`: the program as an unprivileged user under a filter like Docker's;
//! * `hostile user PROGRAM ARGUMENTS…`: the program as an unprivileged user;
//! * `hostile calls COUNT SEED SECONDS`: hostile ioctls through the door that `ANTLERITE_DOOR` names;
//! * `hostile tree STEPS SEED SECONDS VIDEO`: the object tree's model through that door, against a framebuffer of VIDEO bytes;
//! * `hostile images COUNT SEED SECONDS FILE…`: spoilt copies of images through the installed libcuda.
#![expect(clippy::print_stdout, reason = "a command line tool reports on stdout")]

mod calls;
mod confined;
mod images;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match &words[..] {
        ["confined", program @ ..] => confined::run(program, true),
        ["user", program @ ..] => confined::run(program, false),
        ["calls", count, seed, seconds] => numbers([count, seed, seconds])
            .and_then(|[count, seed, seconds]| calls::run(count, seed, seconds)),
        ["tree", steps, seed, seconds, video] => {
            numbers([steps, seed, seconds]).and_then(|[steps, seed, seconds]| {
                let [video, ..] = numbers([video, video, video])?;
                calls::tree(steps, seed, seconds, video)
            })
        }
        ["images", count, seed, seconds, files @ ..] => numbers([count, seed, seconds])
            .and_then(|[count, seed, seconds]| images::run(count, seed, seconds, files)),
        _ => Err("usage: hostile confined|user|calls|images …".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("hostile: {why}");
            ExitCode::from(125)
        }
    }
}

fn numbers(words: [&&str; 3]) -> Result<[u64; 3], String> {
    let mut numbers = [0; 3];
    for (number, word) in numbers.iter_mut().zip(words) {
        *number = word.parse().map_err(|why| format!("{word}: {why}"))?;
    }
    Ok(numbers)
}
