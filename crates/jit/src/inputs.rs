//! What a linker is given, taken apart into units of PTX.

use std::borrow::Cow;
use std::collections::HashSet;

use fatbin::cubin::{Cubin, CubinError, is_antlerite_cubin};
use fatbin::{
    Choice, Container, DEFAULT_PAYLOAD_LIMIT, Device, Image as Form, NoImage, Notice, Policy,
    Verdict,
};
use ptx::link::{LinkError, Linked, Unit as Text};
use thiserror::Error as ThisError;

/// Members of a library, and images in one input, that are looked at.
const MEMBERS_MAX: usize = 1 << 16;

/// Functions that are linked in where they are missing, before what libraries have: NVIDIA's own (libcudadevrt) stand on a
/// device that is not there.
const GRID_GROUP: &str = include_str!("grid_group.ptx");

/// What images are chosen for, and by what rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Device and driver.
    pub device: Device,
    /// What the user asked for.
    pub policy: Policy,
}

/// What an input is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whatever its first bytes say.
    Any,
    /// PTX text.
    Ptx,
    /// A cubin.
    Cubin,
    /// A fat binary.
    Fatbinary,
    /// A host object with embedded fat binaries.
    Object,
    /// An archive of host objects.
    Library,
}

/// PTX of one translation unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// What messages call it.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Why an input cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum InputError {
    /// It is not what it is said to be.
    #[error("'{name}' is not {expected}")]
    Form {
        /// The input.
        name: String,
        /// What it should be.
        expected: &'static str,
    },
    /// PTX that is wrong.
    #[error("'{name}' is not valid PTX")]
    Ptx {
        /// The input.
        name: String,
        /// What is wrong with it.
        errors: Vec<ptx::Error>,
    },
    /// No image of a fat binary can be used.
    #[error("'{name}': {why}")]
    NoImage {
        /// The input.
        name: String,
        /// Why.
        why: NoImage,
    },
    /// SASS of a real device.
    #[error(
        "'{name}' holds SASS, which cannot run on this GPU; build with -gencode arch=compute_{cc},code=compute_{cc}"
    )]
    Sass {
        /// The input.
        name: String,
        /// Compute capability to build for.
        cc: u32,
    },
    /// A damaged fat binary.
    #[error("'{name}': {why}")]
    Container {
        /// The input.
        name: String,
        /// What is wrong.
        why: fatbin::Error,
    },
    /// A damaged cubin.
    #[error("'{name}': {why}")]
    Cubin {
        /// The input.
        name: String,
        /// What is wrong.
        why: CubinError,
    },
    /// A cubin of ours that lacks the PTX it was made from.
    #[error("'{name}' cannot be linked: it does not hold the PTX that it was made from")]
    NoSource {
        /// The input.
        name: String,
    },
}

impl InputError {
    /// What a log says.
    #[must_use]
    pub fn log(&self) -> String {
        match self {
            Self::Ptx { name, errors } => ptx::render_log(name, errors),
            Self::Form { .. }
            | Self::NoImage { .. }
            | Self::Sass { .. }
            | Self::Container { .. }
            | Self::Cubin { .. }
            | Self::NoSource { .. } => format!("error   : {self}\n"),
        }
    }
}

/// The image of a container that a device runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// A cubin of ours.
    Cubin(Vec<u8>),
    /// PTX.
    Ptx {
        /// Name of the source file, where the compiler wrote one.
        name: Option<String>,
        /// The text.
        text: String,
        /// What the user should be told once.
        notice: Option<Notice>,
    },
}

/// Chooses among the images of a container by CUDA's rules.
///
/// # Errors
/// [`InputError::Container`] and [`InputError::NoImage`]; `name` is for these.
pub fn choose(bytes: &[u8], name: &str, target: Target) -> Result<Chosen, InputError> {
    let bad = |why: fatbin::Error| InputError::Container {
        name: name.to_owned(),
        why,
    };
    let entries = Container::parse(bytes)
        .and_then(|container| container.to_entries())
        .map_err(bad)?;
    let judge = |entry: &fatbin::Entry<'_>| match entry.payload(DEFAULT_PAYLOAD_LIMIT) {
        Ok(bytes) if is_antlerite_cubin(&bytes) => Verdict::Ours,
        Ok(_) | Err(_) => Verdict::Foreign,
    };
    match fatbin::select(&entries, target.device, target.policy, judge) {
        Ok(Choice::Cubin(entry)) => {
            let payload = entry.payload(DEFAULT_PAYLOAD_LIMIT).map_err(bad)?;
            Ok(Chosen::Cubin(payload.into_owned()))
        }
        Ok(Choice::Ptx { entry, notice }) => Ok(Chosen::Ptx {
            name: entry.name().map(Cow::into_owned),
            text: entry.ptx_text(DEFAULT_PAYLOAD_LIMIT).map_err(bad)?,
            notice,
        }),
        Err(why) => Err(InputError::NoImage {
            name: name.to_owned(),
            why,
        }),
    }
}

/// Inputs of a link, in the order they were given.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    units: Vec<Unit>,
    /// Units of libraries, and those for newer devices: taken where they define what is missing.
    optional: Vec<Unit>,
    notices: Vec<Notice>,
}

impl Inputs {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a container of relocatable code. One that is for a newer device than ours is a library's: it is taken only
    /// where it defines what is missing (`libcudadevrt` stands in programs that never call it).
    ///
    /// # Errors
    /// As [`Inputs::add`].
    pub fn add_prelinked(
        &mut self,
        name: &str,
        bytes: &[u8],
        target: Target,
    ) -> Result<(), InputError> {
        let mut added = Self::default();
        added.container(name, bytes, target)?;
        let newer = |notice: &Notice| matches!(notice, Notice::NewerTarget { .. });
        if added.notices.iter().any(newer) {
            self.optional.append(&mut added.units);
        } else {
            self.units.append(&mut added.units);
            self.notices.append(&mut added.notices);
        }
        Ok(())
    }

    /// Whether there is nothing to link.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.units.is_empty() && self.optional.is_empty()
    }

    /// What the user should be told about the images that were chosen.
    #[must_use]
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Takes an input apart. `name` is what messages call it.
    ///
    /// # Errors
    /// [`InputError`]: nothing was added.
    pub fn add(
        &mut self,
        kind: Kind,
        name: &str,
        bytes: &[u8],
        target: Target,
    ) -> Result<(), InputError> {
        let form = fatbin::classify(bytes);
        let wrong = |expected| InputError::Form {
            name: name.to_owned(),
            expected,
        };
        let library = bytes.starts_with(b"!<arch>\n");
        let mut added = Self::default();
        match kind {
            Kind::Ptx => added.ptx(name, bytes)?,
            Kind::Any if matches!(form, Form::Text { .. }) && !library => added.ptx(name, bytes)?,
            Kind::Library | Kind::Any if library => added.library(name, bytes, target)?,
            Kind::Cubin | Kind::Fatbinary | Kind::Object | Kind::Any => match form {
                Form::Container => added.container(name, bytes, target)?,
                Form::Elf if is_cubin(bytes) => added.cubin(name, bytes, target)?,
                Form::Elf => added.object(name, bytes, target)?,
                Form::Text { .. } | Form::Wrapper | Form::Unknown => {
                    return Err(wrong(match kind {
                        Kind::Cubin => "a cubin",
                        Kind::Fatbinary => "a fat binary",
                        Kind::Object => "an object",
                        Kind::Ptx | Kind::Library | Kind::Any => {
                            "PTX, a cubin, a fat binary, an object or a library"
                        }
                    }));
                }
            },
            Kind::Library => return Err(wrong("a library")),
        }
        self.units.append(&mut added.units);
        self.optional.append(&mut added.optional);
        self.notices.append(&mut added.notices);
        Ok(())
    }

    fn ptx(&mut self, name: &str, bytes: &[u8]) -> Result<(), InputError> {
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        // File names in debugging directives need not be UTF-8.
        let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
        ptx::parse(&text)
            .and_then(|module| ptx::check(&module, &ptx::Policy::default()))
            .map_err(|errors| InputError::Ptx {
                name: name.to_owned(),
                errors,
            })?;
        self.units.push(Unit {
            name: name.to_owned(),
            text,
        });
        Ok(())
    }

    fn container(&mut self, name: &str, bytes: &[u8], target: Target) -> Result<(), InputError> {
        match choose(bytes, name, target)? {
            Chosen::Cubin(bytes) => self.cubin(name, &bytes, target),
            Chosen::Ptx {
                name: source,
                text,
                notice,
            } => {
                self.notices.extend(notice);
                self.units.push(Unit {
                    name: source.unwrap_or_else(|| name.to_owned()),
                    text,
                });
                Ok(())
            }
        }
    }

    fn cubin(&mut self, name: &str, bytes: &[u8], target: Target) -> Result<(), InputError> {
        if !is_antlerite_cubin(bytes) {
            return Err(InputError::Sass {
                name: name.to_owned(),
                cc: target.device.cc.number,
            });
        }
        let cubin = Cubin::read(bytes).map_err(|why| InputError::Cubin {
            name: name.to_owned(),
            why,
        })?;
        let text = cubin.source.ok_or_else(|| InputError::NoSource {
            name: name.to_owned(),
        })?;
        self.units.push(Unit {
            name: name.to_owned(),
            text,
        });
        Ok(())
    }

    /// All fat binaries of a host object or executable.
    fn object(&mut self, name: &str, bytes: &[u8], target: Target) -> Result<(), InputError> {
        let host =
            fatbin::host::fatbins_in_executable(bytes).map_err(|why| InputError::Container {
                name: name.to_owned(),
                why,
            })?;
        // A dummy container without entries stands in every linked program.
        let filled = host
            .containers
            .iter()
            .filter(|host| host.container.entries().next().is_some());
        let mut any = false;
        for host in filled.take(MEMBERS_MAX) {
            any = true;
            self.container(name, host.container.bytes(), target)?;
        }
        if any {
            Ok(())
        } else {
            Err(InputError::Form {
                name: name.to_owned(),
                expected: "an object with device code",
            })
        }
    }

    fn library(&mut self, name: &str, bytes: &[u8], target: Target) -> Result<(), InputError> {
        let members =
            fatbin::host::members_of_library(bytes).map_err(|why| InputError::Container {
                name: name.to_owned(),
                why,
            })?;
        let mut all = Self::default();
        for (member, bytes) in members.into_iter().take(MEMBERS_MAX) {
            let name = format!("{name}:{member}");
            if !matches!(fatbin::classify(bytes), Form::Elf) {
                continue;
            }
            if is_cubin(bytes) {
                all.cubin(&name, bytes, target)?;
                continue;
            }
            match all.object(&name, bytes, target) {
                // Members with host code only.
                Ok(()) | Err(InputError::Form { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        self.optional.append(&mut all.units);
        self.notices.append(&mut all.notices);
        Ok(())
    }

    /// Joins all units; of libraries, those that define what is missing.
    ///
    /// # Errors
    /// [`LinkError`]. Symbols that are missing in the end are in the result.
    pub fn link(&self) -> Result<Linked, LinkError> {
        let mut units: Vec<&Unit> = self.units.iter().collect();
        let mut optional: Vec<(&Unit, HashSet<String>)> = Vec::new();
        for unit in &self.optional {
            let defined = ptx::link::definitions(&text(unit))?;
            optional.push((unit, defined));
        }
        if units.is_empty() {
            // Libraries alone: everything in them.
            units.extend(self.optional.iter());
            optional.clear();
        }
        let own = Unit {
            name: "device runtime".to_owned(),
            text: GRID_GROUP.to_owned(),
        };
        optional.insert(0, (&own, ptx::link::definitions(&text(&own))?));
        loop {
            let texts: Vec<Text<'_>> = units.iter().map(|unit| text(unit)).collect();
            let linked = ptx::link::link(&texts)?;
            let missing: Vec<&str> = linked.undefined.iter().map(|u| u.symbol.as_str()).collect();
            let before = units.len();
            let mut taken: Vec<HashSet<String>> = Vec::new();
            for symbol in missing {
                // The first that defines it, as host linkers do; what was just taken may define it too.
                if taken.iter().any(|defined| defined.contains(symbol)) {
                    continue;
                }
                if let Some(at) = optional
                    .iter()
                    .position(|(_, defined)| defined.contains(symbol))
                {
                    let (unit, defined) = optional.remove(at);
                    units.push(unit);
                    taken.push(defined);
                }
            }
            if units.len() == before {
                return Ok(linked);
            }
        }
    }
}

fn text(unit: &Unit) -> Text<'_> {
    Text {
        name: &unit.name,
        text: &unit.text,
    }
}

/// Whether an ELF file is for a CUDA device, whoever made it.
fn is_cubin(bytes: &[u8]) -> bool {
    bytes.get(18..20) == Some(&fatbin::cubin::EM_CUDA.to_le_bytes()[..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{archive, cubin};
    use fatbin::{Builder, EntrySpec, IsaVersion, Sm};

    const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

    fn target() -> Target {
        Target {
            device: Device {
                cc: Sm::new(90),
                isa: IsaVersion::new(9, 0),
            },
            policy: Policy::default(),
        }
    }

    fn add(inputs: &mut Inputs, kind: Kind, name: &str, bytes: &[u8]) {
        inputs
            .add(kind, name, bytes, target())
            .unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn all_kinds_of_inputs_are_linked_and_libraries_only_where_needed() {
        let user = format!(
            "{HEAD}.extern .func f();\n.extern .func g();\n.visible .entry k() {{ call f; call g; ret; }}"
        );
        let f = format!("{HEAD}.visible .func f() {{ ret; }}");
        let g = format!("{HEAD}.extern .func h();\n.visible .func g() {{ call h; ret; }}");
        let h = format!("{HEAD}.visible .func h() {{ ret; }}");
        let unused = format!("{HEAD}.visible .func unused() {{ ret; }}");
        let mut builder = Builder::new();
        builder
            .push(&EntrySpec::ptx(Sm::new(80), IsaVersion::new(8, 0), &f))
            .expect("fits");
        let mut inputs = Inputs::new();
        add(&mut inputs, Kind::Ptx, "user.ptx", user.as_bytes());
        add(&mut inputs, Kind::Fatbinary, "f.fatbin", &builder.finish());
        let library = archive(&[
            ("h.o", &cubin(&h)),
            ("unused.o", &cubin(&unused)),
            ("g.o", &cubin(&g)),
        ]);
        add(&mut inputs, Kind::Library, "libgh.a", &library);
        let linked = inputs.link().expect("links");
        assert_eq!(linked.undefined, []);
        assert!(linked.text.contains(" h\n") && !linked.text.contains("unused"));
    }

    #[test]
    fn grid_groups_need_no_library() {
        let user = format!(
            "{HEAD}.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 a);\n\
             .extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 a, .param .b32 b);\n\
             .visible .entry k() {{ .reg .b64 %h; .reg .b32 %r;\n\
             call (%h), cudaCGGetIntrinsicHandle, (1); call (%r), cudaCGSynchronize, (%h, 0); ret; }}"
        );
        // What NVIDIA's library has instead, for its own driver.
        let theirs = format!(
            "{HEAD}.extern .func (.param .b32 r) elsewhere();\n\
             .visible .func (.param .b32 r) cudaCGSynchronize(.param .b64 a, .param .b32 b)\n\
             {{ .reg .b32 %r; call (%r), elsewhere, (); st.param.b32 [r], %r; ret; }}"
        );
        let mut inputs = Inputs::new();
        add(&mut inputs, Kind::Ptx, "user.ptx", user.as_bytes());
        let library = archive(&[("runtime.o", &cubin(&theirs))]);
        add(&mut inputs, Kind::Library, "libcudadevrt.a", &library);
        let linked = inputs.link().expect("links");
        assert_eq!(linked.undefined, []);
        assert!(linked.text.contains("%envreg1") && !linked.text.contains("elsewhere"));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let mut inputs = Inputs::new();
        let mut fail = |kind, bytes: &[u8]| {
            let error = inputs.add(kind, "x", bytes, target()).expect_err("refused");
            assert!(inputs.is_empty());
            error
        };
        assert!(matches!(
            fail(Kind::Library, b"abc"),
            InputError::Form { .. }
        ));
        assert!(matches!(fail(Kind::Any, b""), InputError::Form { .. }));
        assert!(matches!(
            fail(Kind::Ptx, b".version 8.0\n.target sm_80\n.func"),
            InputError::Ptx { .. }
        ));
        let bare = Cubin::default().write().expect("writes");
        assert!(matches!(
            fail(Kind::Cubin, &bare),
            InputError::NoSource { .. }
        ));
        let mut sass = bare;
        sass[7] = 0x41;
        assert!(matches!(fail(Kind::Any, &sass), InputError::Sass { .. }));
        let mut builder = Builder::new();
        builder
            .push(&EntrySpec::cubin(Sm::new(90), &sass))
            .expect("fits");
        let error = fail(Kind::Fatbinary, &builder.finish());
        assert!(error.log().contains("SASS sm_90"), "{error}");
    }
}
