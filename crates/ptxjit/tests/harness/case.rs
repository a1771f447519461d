//! One run of a kernel: what goes in and what must come out; and the directives (`//:` lines) that say so in a PTX file.
//!
//! ```text
//! //: test name
//! //: kernel k                  the file's only kernel, if left out
//! //: grid 2 1 1
//! //: block 64
//! //: shared 1024               dynamic shared memory, bytes
//! //: buf a u32 iota*64         a buffer in global memory
//! //: params a out 7:u32        buffers by address, or values
//! //: ulp 2                     for the expectations that follow
//! //: absolute 1e-6             for the expectations that follow
//! //: expect out u32 1 2 3      contents of a buffer afterwards, from its start
//! //: stop misaligned           the run must stop with this in its message
//! //: printf "format"           formats of the calls of vprintf, in order
//! ```

use super::value::{Kind, Tolerance, from_bytes, list, to_bytes};

/// A buffer of global memory.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Its name in the file.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// A kernel parameter.
#[derive(Clone, Debug)]
pub enum Param {
    /// Address of a buffer, by position.
    Buffer(usize),
    /// A value.
    Value(Vec<u8>),
}

/// What a buffer must hold afterwards.
#[derive(Clone, Debug)]
pub struct Expect {
    /// Buffer, by position.
    pub buffer: usize,
    /// Type of the values.
    pub kind: Kind,
    /// The values.
    pub values: Vec<u128>,
    /// How far they may be off.
    pub tolerance: Tolerance,
}

/// One run.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name in messages.
    pub name: String,
    /// PTX text.
    pub ptx: String,
    /// Kernel; the only one, where `None`.
    pub kernel: Option<String>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory, bytes.
    pub shared: u32,
    /// Global memory.
    pub buffers: Vec<Buffer>,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// What must come out.
    pub expect: Vec<Expect>,
    /// The run must stop with this text in its message.
    pub stop: Option<String>,
    /// Formats of the calls of `vprintf`, in order.
    pub printf: Vec<String>,
    /// Optimisation level of compiled code, 0 to 4.
    pub opt_level: u32,
}

/// What a run left.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// Contents of the buffers.
    pub buffers: Vec<Vec<u8>>,
    /// Formats of the calls of `vprintf`; `None` where the executor does not tell.
    pub printf: Option<Vec<String>>,
}

impl Case {
    /// A case without anything but its text.
    pub fn new(name: &str, ptx: &str) -> Self {
        Self {
            name: name.to_owned(),
            ptx: ptx.to_owned(),
            kernel: None,
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
            buffers: Vec::new(),
            params: Vec::new(),
            expect: Vec::new(),
            stop: None,
            printf: Vec::new(),
            opt_level: 4,
        }
    }

    /// The cases of a PTX file.
    pub fn parse(ptx: &str) -> Result<Vec<Self>, String> {
        let mut cases: Vec<Self> = Vec::new();
        let mut tolerance = Tolerance::default();
        for (number, line) in (1..).zip(ptx.lines()) {
            let Some(directive) = line.trim().strip_prefix("//:") else {
                continue;
            };
            let (word, rest) = directive
                .trim()
                .split_once(char::is_whitespace)
                .unwrap_or((directive.trim(), ""));
            let rest = rest.trim();
            if word == "test" {
                tolerance = Tolerance {
                    any_nan: true,
                    ..Tolerance::default()
                };
                cases.push(Self::new(rest, ptx));
                continue;
            }
            let case = cases
                .last_mut()
                .ok_or(format!("line {number}: directive before the first test"))?;
            match word {
                "ulp" => {
                    tolerance.ulp = rest
                        .parse()
                        .map_err(|_| format!("line {number}: no number"))?
                }
                "absolute" => {
                    tolerance.absolute = rest
                        .parse()
                        .map_err(|_| format!("line {number}: no number"))?
                }
                _ => case
                    .directive(word, rest, tolerance)
                    .map_err(|error| format!("line {number}: {error}"))?,
            }
        }
        Ok(cases)
    }

    fn directive(&mut self, word: &str, rest: &str, tolerance: Tolerance) -> Result<(), String> {
        let dims = || -> Result<[u32; 3], String> {
            let mut dims = [1; 3];
            for (dim, word) in dims.iter_mut().zip(rest.split_whitespace()) {
                *dim = word
                    .parse()
                    .map_err(|_| format!("'{word}' is no dimension"))?;
            }
            Ok(dims)
        };
        match word {
            "kernel" => self.kernel = Some(rest.to_owned()),
            "grid" => self.grid = dims()?,
            "block" => self.block = dims()?,
            "shared" => self.shared = rest.parse().map_err(|_| "no number of bytes".to_owned())?,
            "stop" => self.stop = Some(rest.to_owned()),
            "printf" => self
                .printf
                .push(rest.trim_matches('"').replace("\\n", "\n")),
            "buf" => {
                let (name, kind, values) = three(rest)?;
                let kind = Kind::of(kind)?;
                let bytes = to_bytes(kind, &list(kind, values)?);
                self.buffers.push(Buffer {
                    name: name.to_owned(),
                    bytes,
                });
            }
            "params" => {
                for word in rest.split_whitespace() {
                    let param = match word.split_once(':') {
                        Some((value, kind)) => {
                            let kind = Kind::of(kind)?;
                            Param::Value(to_bytes(kind, &[kind.parse(value)?]))
                        }
                        None => Param::Buffer(self.buffer(word)?),
                    };
                    self.params.push(param);
                }
            }
            "expect" => {
                let (name, kind, values) = three(rest)?;
                let kind = Kind::of(kind)?;
                let (buffer, values) = (self.buffer(name)?, list(kind, values)?);
                self.expect.push(Expect {
                    buffer,
                    kind,
                    values,
                    tolerance,
                });
            }
            _ => return Err(format!("unknown directive '{word}'")),
        }
        Ok(())
    }

    fn buffer(&self, name: &str) -> Result<usize, String> {
        self.buffers
            .iter()
            .position(|buffer| buffer.name == name)
            .ok_or(format!("no buffer '{name}'"))
    }

    /// The parameter block, with the buffers at these addresses. Each parameter at its natural alignment.
    pub fn param_block(&self, addresses: &[u64]) -> Vec<u8> {
        let mut block = Vec::new();
        for param in &self.params {
            let bytes = match param {
                Param::Buffer(n) => addresses[*n].to_le_bytes().to_vec(),
                Param::Value(bytes) => bytes.clone(),
            };
            block.resize(block.len().next_multiple_of(bytes.len()), 0);
            block.extend(bytes);
        }
        block
    }

    /// Compares what a run left with what was expected.
    pub fn judge(&self, result: Result<Left, String>) -> Result<(), String> {
        let left = match (&self.stop, result) {
            (_, Err(message)) if message == super::elsewhere::ELSEWHERE => return Ok(()),
            (Some(want), Err(message)) if message.contains(want.as_str()) => return Ok(()),
            (Some(want), Err(message)) => {
                return Err(format!("stopped with '{message}', wanted '{want}'"));
            }
            (Some(want), Ok(_)) => return Err(format!("did not stop, wanted '{want}'")),
            (None, result) => result?,
        };
        for expect in &self.expect {
            let have = from_bytes(expect.kind, &left.buffers[expect.buffer]);
            for (n, &want) in expect.values.iter().enumerate() {
                let Some(&have) = have.get(n) else {
                    return Err("the buffer is shorter than expected".to_owned());
                };
                if !expect.kind.matches(want, have, expect.tolerance) {
                    let (want, have) = (expect.kind.show(want), expect.kind.show(have));
                    let name = &self.buffers[expect.buffer].name;
                    return Err(format!(
                        "{}: {name}[{n}] is {have}, wanted {want}",
                        self.name
                    ));
                }
            }
        }
        if let Some(printf) = left.printf
            && !self.printf.is_empty()
            && printf != self.printf
        {
            return Err(format!(
                "{}: vprintf was called with {printf:?}, wanted {:?}",
                self.name, self.printf
            ));
        }
        Ok(())
    }
}

fn three(text: &str) -> Result<(&str, &str, &str), String> {
    let mut words = text.splitn(3, char::is_whitespace);
    match (words.next(), words.next(), words.next()) {
        (Some(a), Some(b), Some(c)) => Ok((a, b, c)),
        (Some(a), Some(b), None) => Ok((a, b, "")),
        _ => Err(format!("'{text}': a name and a type are needed")),
    }
}
