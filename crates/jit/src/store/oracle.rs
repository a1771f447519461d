//! What must hold for any file in the cache: the fuzz oracle, run by `cargo test` and by `cargo xtask fuzz`.

use std::fs;
use std::path::{Path, PathBuf};

use ptx::fuzz::Random;

use super::{HEAD, contents, make_room, read, write};

/// Files of the directory that cases work on.
const FILES: usize = 8;
/// One case in so many goes through the disk; the others damage bytes in memory.
const ON_DISK: usize = 16;

/// A file as far as the oracle knows it.
#[derive(Clone, Default)]
struct Known {
    /// The last one that was meant to be written here, as it is when whole.
    whole: Vec<u8>,
    /// What reading must give.
    expected: Option<Vec<u8>>,
}

/// A file of random contents, as it is written.
fn file(random: &mut Random) -> (Vec<u8>, Vec<u8>) {
    let length = random.below(400);
    let payload: Vec<u8> = (0..length).map(|_| byte(random)).collect();
    let mut whole = super::head(&payload).to_vec();
    whole.extend_from_slice(&payload);
    (whole, payload)
}

fn byte(random: &mut Random) -> u8 {
    u8::try_from(random.below(256)).unwrap_or(0)
}

/// Changes bytes, or says that nothing was changed.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) -> bool {
    let before = bytes.clone();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len().max(1));
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.push(byte(random)),
            2 => {
                let tail = bytes.split_off(at.min(bytes.len()));
                bytes.extend(tail.iter().skip(1));
            }
            3 => {
                // A page that never came to the disk.
                let end = (at + 64).min(bytes.len());
                bytes[at.min(end)..end].fill(0);
            }
            4 => {
                let from = random.below(HEAD);
                let part: Vec<u8> = bytes.iter().skip(from).take(16).copied().collect();
                let at = at.min(bytes.len());
                bytes.splice(at..at, part);
            }
            _ => {
                if let Some(changed) = bytes.get_mut(at) {
                    *changed ^= 1 << random.below(8);
                }
            }
        }
    }
    *bytes != before
}

/// One step on the directory: writes, damages, removes or replaces a file.
fn step(path: &Path, known: &mut Known, random: &mut Random) {
    let (whole, payload) = file(random);
    // A directory may stand where the file should.
    let clear = || {
        let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
    };
    match random.below(8) {
        0 => {
            clear();
            known.expected = None;
        }
        1 => {
            clear();
            fs::create_dir_all(path).expect("a directory can be made");
            known.expected = None;
        }
        2 | 3 => {
            if let Ok(mut bytes) = fs::read(path) {
                damage(&mut bytes, random);
                fs::write(path, &bytes).expect("the file can be written");
                // Damage may undo what an earlier case did.
                let payload = known.whole.get(HEAD..);
                known.expected = payload.filter(|_| bytes == known.whole).map(<[u8]>::to_vec);
            }
        }
        4 => {
            clear();
            let parent = path.parent().expect("files lie in a directory");
            fs::create_dir_all(parent).expect("a directory can be made");
            fs::write(path, &whole[..random.below(whole.len())]).expect("the file can be written");
            *known = Known {
                whole,
                expected: None,
            };
        }
        _ => match write(path, &payload) {
            Ok(bytes) => {
                assert_eq!(bytes, whole.len() as u64, "the size of a new file");
                *known = Known {
                    whole,
                    expected: Some(payload),
                };
            }
            Err(_) => assert!(
                path.is_dir(),
                "nothing is in the way, and nothing is written"
            ),
        },
    }
}

/// Runs so many cases from a seed; returns how many ran.
///
/// # Panics
/// When a promise is broken: damaged contents are given out, whole ones are not, or a full directory stays too large.
pub fn run(seed: u64, cases: u64) -> u64 {
    let mut random = Random::new(seed);
    let root = std::env::temp_dir().join(format!("antlerite-store-{}-{seed}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    let path = |index: usize| -> PathBuf { root.join(format!("{:02x}/{index}", index % 3)) };
    let mut known = vec![Known::default(); FILES];
    for case in 0..cases {
        if random.below(ON_DISK) != 0 {
            let (mut bytes, payload) = file(&mut random);
            assert_eq!(
                contents(&bytes),
                Some(&payload[..]),
                "seed {seed}, case {case}"
            );
            if damage(&mut bytes, &mut random) {
                assert_eq!(
                    contents(&bytes),
                    None,
                    "seed {seed}, case {case}: damage is not seen"
                );
            }
            continue;
        }
        let index = random.below(FILES);
        step(&path(index), &mut known[index], &mut random);
        let found = read(&path(index)).map(|found| found.contents().to_vec());
        assert!(
            found == known[index].expected,
            "seed {seed}, case {case}: file {index}"
        );
        if random.below(64) == 0 {
            let max = random.below(1000) as u64;
            let left = make_room(&root, max);
            assert!(
                left <= max,
                "seed {seed}, case {case}: {left} bytes of {max}"
            );
            for (index, known) in known.iter_mut().enumerate() {
                if !path(index).exists() {
                    known.expected = None;
                }
            }
        }
    }
    let _ = fs::remove_dir_all(&root);
    cases
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_slice_of_the_cases() {
        assert_eq!(super::run(1, 20_000), 20_000);
    }
}
