//! `.version`, `.target`, and which of them an instruction needs.

use super::body::BodyChecker;
use super::{Errors, Policy};
use crate::ast::{Item, Module, Name};
use crate::checked::Target;
use crate::error::ErrorKind;
use crate::kind::Kind;
use crate::pos::Pos;
use crate::types::{ScalarType, StateSpace, VectorWidth};

/// Compute capabilities that PTX ISA 9.0 names as targets.
const TARGETS: &[u32] = &[
    10, 11, 12, 13, 20, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90,
    100, 101, 103, 110, 120, 121,
];

/// Reads the module's header.
pub(super) fn header(module: &Module<'_>, policy: &Policy, errors: &mut Errors) -> Target {
    let version = (module.version.major, module.version.minor);
    if let Some(newest) = policy.newest
        && version > newest.version
    {
        errors.push(
            module.version.pos,
            ErrorKind::UnsupportedVersion {
                major: version.0,
                minor: version.1,
                current: format!("{}.{}", newest.version.0, newest.version.1),
            },
        );
    }
    let mut target = Target {
        sm: 0,
        suffix: None,
        debug: false,
        texmode_independent: false,
        map_f64_to_f32: false,
    };
    let more = module.items.iter().filter_map(|item| match item {
        Item::Target(names) => Some(names),
        Item::Function(_)
        | Item::Variable(_)
        | Item::Alias { .. }
        | Item::File(_)
        | Item::Section(_)
        | Item::Pragma(_)
        | Item::Prototype(_) => None,
    });
    for names in std::iter::once(&module.target).chain(more) {
        for name in names {
            option(*name, &mut target, errors);
        }
    }
    if let (Some(newest), Some(name)) = (policy.newest, module.target.first())
        && target.sm > newest.sm
    {
        let sm = newest.sm;
        errors.push(name.pos, ErrorKind::TargetTooNew { sm });
    }
    target
}

fn option(name: Name<'_>, target: &mut Target, errors: &mut Errors) {
    match name.text {
        "debug" => target.debug = true,
        "texmode_independent" => target.texmode_independent = true,
        "texmode_unified" => target.texmode_independent = false,
        "map_f64_to_f32" => target.map_f64_to_f32 = true,
        text => match architecture(text) {
            Some((sm, suffix)) => {
                target.sm = sm;
                target.suffix = suffix;
            }
            None => {
                let name_text = text.to_owned();
                let architecture = text.starts_with("sm_") || text.starts_with("compute_");
                errors.push(
                    name.pos,
                    if architecture {
                        ErrorKind::UnsupportedTarget { name: name_text }
                    } else {
                        ErrorKind::UnknownTargetOption { name: name_text }
                    },
                );
            }
        },
    }
}

/// `sm_90a` as (90, 'a').
fn architecture(text: &str) -> Option<(u32, Option<char>)> {
    let rest = text
        .strip_prefix("sm_")
        .or_else(|| text.strip_prefix("compute_"))?;
    let digits = rest.trim_end_matches(['a', 'f']);
    let suffix = match &rest[digits.len()..] {
        "" => None,
        "a" => Some('a'),
        "f" => Some('f'),
        _ => return None,
    };
    let sm: u32 = digits.parse().ok()?;
    // A target newer than this list is a target all the same.
    let known = TARGETS.contains(&sm) || (sm > 121 && sm < 1000);
    (known && (suffix.is_none() || sm >= 90)).then_some((sm, suffix))
}

/// What an instruction needs: a name for it, the least `.target` and the least `.version`.
struct Need {
    feature: &'static str,
    sm: u32,
    version: (u32, u32),
}

const fn need(feature: &'static str, sm: u32, version: (u32, u32)) -> Option<Need> {
    Some(Need {
        feature,
        sm,
        version,
    })
}

fn needs(kind: &Kind) -> Option<Need> {
    match kind {
        Kind::Redux(m) if m.ty == ScalarType::F32 => need("redux.f32", 100, (8, 6)),
        Kind::Redux(_) => need("redux", 80, (7, 0)),
        Kind::Match(_) => need("match", 70, (6, 0)),
        Kind::Elect(_) => need("elect", 90, (8, 0)),
        Kind::BarrierCluster(_) => need("barrier.cluster", 90, (7, 8)),
        Kind::Mapa(_) => need("mapa", 90, (7, 8)),
        Kind::GetCtaRank(_) => need("getctarank", 90, (7, 8)),
        Kind::GridDepControl(_) => need("griddepcontrol", 90, (7, 8)),
        Kind::Fence(_) => need("fence", 70, (6, 0)),
        Kind::CpAsync(_)
        | Kind::CpAsyncCommit(_)
        | Kind::CpAsyncWait(_)
        | Kind::CpAsyncWaitAll(_) => need("cp.async", 80, (7, 0)),
        Kind::CpAsyncArrive(_) => need("cp.async.mbarrier.arrive", 80, (7, 0)),
        Kind::MbarrierInit(_)
        | Kind::MbarrierInval(_)
        | Kind::MbarrierArriveDrop(_)
        | Kind::MbarrierTestWait(_)
        | Kind::MbarrierPendingCount(_) => need("mbarrier", 80, (7, 0)),
        Kind::MbarrierArrive(m) if m.expect_tx => need("mbarrier.arrive.expect_tx", 90, (8, 0)),
        Kind::MbarrierArrive(_) => need("mbarrier", 80, (7, 0)),
        Kind::MbarrierExpectTx(_) => need("mbarrier.expect_tx", 90, (8, 0)),
        Kind::MbarrierCompleteTx(_) => need("mbarrier.complete_tx", 90, (8, 0)),
        Kind::MbarrierTryWait(_) => need("mbarrier.try_wait", 90, (7, 8)),
        Kind::Nanosleep(_) => need("nanosleep", 70, (6, 3)),
        Kind::Alloca(_) => need("alloca", 52, (7, 3)),
        Kind::StackSave(_) => need("stacksave", 52, (7, 3)),
        Kind::StackRestore(_) => need("stackrestore", 52, (7, 3)),
        Kind::CvtPack(_) => need("cvt.pack", 72, (6, 5)),
        Kind::Dp4a(_) => need("dp4a", 61, (5, 0)),
        Kind::Dp2a(_) => need("dp2a", 61, (5, 0)),
        Kind::Lop3(_) => need("lop3", 50, (4, 3)),
        Kind::Shf(_) => need("shf", 32, (3, 1)),
        Kind::Szext(_) => need("szext", 70, (7, 6)),
        Kind::Bmsk(_) => need("bmsk", 70, (7, 6)),
        Kind::Tanh(_) => need("tanh", 75, (7, 0)),
        Kind::ApplyPriority(_) => need("applypriority", 80, (7, 4)),
        Kind::Discard(_) => need("discard", 80, (7, 4)),
        Kind::CreatePolicy(_) => need("createpolicy", 80, (7, 4)),
        Kind::Add(m) if m.aty.is_some() => need("add with mixed precision", 100, (8, 6)),
        Kind::Sub(m) if m.aty.is_some() => need("sub with mixed precision", 100, (8, 6)),
        Kind::Fma(m) if m.aty.is_some() => need("fma with mixed precision", 100, (8, 6)),
        Kind::Add(m) => arithmetic_type(m.ty),
        Kind::Sub(m) => arithmetic_type(m.ty),
        Kind::Mul(m) => arithmetic_type(m.ty),
        Kind::Fma(m) if m.ty == ScalarType::F32x2 => need("fma.f32x2", 100, (8, 6)),
        Kind::Fma(m) if m.ty.is_half() => need("fma.f16", 53, (4, 2)),
        Kind::Fma(m) if m.ty.is_bf16() => need("fma.bf16", 80, (7, 0)),
        Kind::Ld(m) => wide_access(m.vector, m.ty).or(cluster_space(m.space)),
        Kind::St(m) => wide_access(m.vector, m.ty).or(cluster_space(m.space)),
        Kind::Atom(m) if m.vector.is_some() => need("atom with vectors", 90, (8, 1)),
        Kind::Red(m) if m.vector.is_some() => need("red with vectors", 90, (8, 1)),
        Kind::Atom(m) if m.ty == ScalarType::B128 => need("atom.b128", 90, (8, 3)),
        Kind::Atom(m) if m.ty == ScalarType::F64 => need("atom.f64", 60, (5, 0)),
        Kind::Red(m) if m.ty == ScalarType::F64 => need("red.f64", 60, (5, 0)),
        Kind::Atom(m) => cluster_space(m.space),
        Kind::Red(m) => cluster_space(m.space),
        _ => None,
    }
}

fn arithmetic_type(ty: ScalarType) -> Option<Need> {
    if ty == ScalarType::F32x2 {
        return need("arithmetic on .f32x2", 100, (8, 6));
    }
    if ty.is_half() {
        return need("arithmetic on .f16", 53, (4, 2));
    }
    if ty.is_bf16() {
        return need("arithmetic on .bf16", 90, (7, 8));
    }
    None
}

fn wide_access(vector: Option<VectorWidth>, ty: ScalarType) -> Option<Need> {
    let lanes = vector.map_or(1, VectorWidth::lanes);
    (lanes * ty.bits() > 128).then_some(Need {
        feature: "256 bit wide load/store",
        sm: 100,
        version: (8, 8),
    })
}

fn cluster_space(space: Option<StateSpace>) -> Option<Need> {
    (space == Some(StateSpace::SharedCluster)).then_some(Need {
        feature: ".shared::cluster",
        sm: 90,
        version: (7, 8),
    })
}

impl BodyChecker<'_, '_> {
    /// Says if the module's target or version lack the instruction.
    pub fn check_target(&mut self, pos: Pos, kind: &Kind) {
        if !self.module.features {
            return;
        }
        if let Some(need) = needs(kind) {
            self.need(pos, &need);
        }
        let unsynchronized = match kind {
            Kind::Shfl(m) => !m.sync,
            Kind::Vote(m) => !m.sync,
            _ => false,
        };
        if unsynchronized && self.module.target.sm >= 70 && self.module.version >= (6, 4) {
            let instruction = kind.opcode().to_owned();
            self.error(pos, ErrorKind::NeedsSync { instruction });
        }
    }

    fn need(&mut self, pos: Pos, need: &Need) {
        let feature = need.feature.to_owned();
        if self.module.target.sm < need.sm {
            let sm = need.sm;
            let feature = feature.clone();
            self.error(pos, ErrorKind::NeedsTarget { feature, sm });
        }
        if self.module.version < need.version {
            let (major, minor) = need.version;
            self.error(
                pos,
                ErrorKind::NeedsVersion {
                    feature,
                    major,
                    minor,
                },
            );
        }
    }
}
