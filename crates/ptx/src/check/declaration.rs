//! Variables and parameters: types, sizes, alignments, spaces.

use super::Errors;
use crate::ast;
use crate::checked::{LaunchLimits, Param, Signature, Variable};
use crate::error::ErrorKind;
use crate::limits;
use crate::types::{ScalarType, StateSpace, TypeClass};

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Module,
    Body,
}

/// One declared name of a declaration that is not of registers, without its initial contents.
pub(super) fn variable(
    declaration: &ast::Variable<'_>,
    declarator: &ast::Declarator<'_>,
    place: Place,
    errors: &mut Errors,
) -> Variable {
    let pos = declarator.name.pos;
    let name = declarator.name.text;
    let space = canonical(declaration.space);
    check_space(declaration, place, errors);
    let lanes = declaration.vector.map_or(1, |width| width.lanes());
    if !memory_type(declaration.ty) || declarator.range.is_some() {
        errors.push(
            pos,
            ErrorKind::VariableType {
                name: name.into(),
                ty: declaration.ty.text(),
                space: space.text(),
            },
        );
    }
    let natural = declaration.ty.bytes() * lanes;
    let align = alignment(declaration, natural, errors);
    let mut dims: Vec<u64> = declarator.dims.iter().map(|dim| dim.unwrap_or(0)).collect();
    let unsized_array = matches!(declarator.dims.first(), Some(None));
    if declarator.dims.iter().skip(1).any(Option::is_none) {
        errors.push(pos, ErrorKind::UnknownDimension { name: name.into() });
    }
    if unsized_array && let Some(ast::Init::List(list)) = &declarator.init {
        dims[0] = list.len() as u64;
    } else if unsized_array && declaration.linkage != Some(ast::Linkage::Extern) {
        errors.push(pos, ErrorKind::UnknownDimension { name: name.into() });
    }
    let mut variable = Variable {
        name: name.to_owned(),
        pos,
        linkage: declaration.linkage,
        space,
        managed: false,
        unified: None,
        align,
        ty: declaration.ty,
        lanes,
        size: size(natural, &dims, pos, name, errors),
        dims,
        init: None,
    };
    attributes(declaration, &mut variable, errors);
    variable
}

fn attributes(declaration: &ast::Variable<'_>, variable: &mut Variable, errors: &mut Errors) {
    for attribute in &declaration.attributes {
        let name = attribute.name.text;
        match (name, attribute.values.as_slice()) {
            ("managed", []) => variable.managed = true,
            ("unified", [a, b]) => variable.unified = Some((*a, *b)),
            _ => {
                let name = name.to_owned();
                errors.push(attribute.name.pos, ErrorKind::UnknownAttribute { name });
                continue;
            }
        }
        if variable.space != StateSpace::Global {
            let name = name.to_owned();
            errors.push(attribute.name.pos, ErrorKind::AttributeSpace { name });
        }
    }
}

/// `.shared::cta` declares in `.shared`, `.param::entry` in `.param`.
fn canonical(space: StateSpace) -> StateSpace {
    match space {
        StateSpace::SharedCta | StateSpace::SharedCluster => StateSpace::Shared,
        StateSpace::ParamEntry | StateSpace::ParamFunc => StateSpace::Param,
        StateSpace::Reg
        | StateSpace::Sreg
        | StateSpace::Const
        | StateSpace::Global
        | StateSpace::Local
        | StateSpace::Param
        | StateSpace::Shared
        | StateSpace::Tex => space,
    }
}

fn check_space(declaration: &ast::Variable<'_>, place: Place, errors: &mut Errors) {
    let space = declaration.space;
    let module = match space {
        StateSpace::Global | StateSpace::Const | StateSpace::Shared | StateSpace::Tex => true,
        StateSpace::Reg
        | StateSpace::Sreg
        | StateSpace::Local
        | StateSpace::Param
        | StateSpace::SharedCta
        | StateSpace::SharedCluster
        | StateSpace::ParamEntry
        | StateSpace::ParamFunc => false,
    };
    let body = matches!(
        space,
        StateSpace::Local
            | StateSpace::Param
            | StateSpace::Shared
            | StateSpace::Global
            | StateSpace::Const
    );
    let name = space.text();
    match place {
        Place::Module if !module => {
            errors.push(declaration.pos, ErrorKind::ModuleSpace { space: name });
        }
        Place::Body if !body => {
            errors.push(declaration.pos, ErrorKind::LocalSpace { space: name });
        }
        Place::Module | Place::Body => {}
    }
    let allowed = match declaration.linkage {
        None => true,
        Some(ast::Linkage::Common) => space == StateSpace::Global,
        Some(ast::Linkage::Extern) => space != StateSpace::Local && space != StateSpace::Param,
        Some(ast::Linkage::Visible | ast::Linkage::Weak) => place == Place::Module,
    };
    if !allowed && let Some(declarator) = declaration.declarators.first() {
        let name = declarator.name.text.to_owned();
        errors.push(declaration.pos, ErrorKind::LinkageNotAllowed { name });
    }
}

/// Types that memory can hold.
fn memory_type(ty: ScalarType) -> bool {
    match ty.class() {
        TypeClass::Predicate => false,
        TypeClass::Bits | TypeClass::Unsigned | TypeClass::Signed | TypeClass::Opaque => true,
        TypeClass::Float => matches!(
            ty,
            ScalarType::F16
                | ScalarType::F16x2
                | ScalarType::Bf16
                | ScalarType::Bf16x2
                | ScalarType::F32
                | ScalarType::F64
        ),
    }
}

/// Types that registers can have.
pub(super) fn register_type(ty: ScalarType) -> bool {
    ty == ScalarType::Pred || (memory_type(ty) && ty.class() != TypeClass::Opaque)
}

fn alignment(declaration: &ast::Variable<'_>, natural: u32, errors: &mut Errors) -> u32 {
    let Some(align) = declaration.align else {
        return natural.next_power_of_two();
    };
    if !align.is_power_of_two() {
        errors.push(declaration.pos, ErrorKind::AlignPowerOfTwo);
        return natural;
    }
    if align > limits::MAX_ALIGN {
        errors.push(declaration.pos, ErrorKind::AlignTooLarge { align });
    }
    align
}

fn size(element: u32, dims: &[u64], pos: crate::pos::Pos, name: &str, errors: &mut Errors) -> u64 {
    let size = dims
        .iter()
        .try_fold(u64::from(element), |size, dim| size.checked_mul(*dim))
        .filter(|size| *size <= limits::MAX_VARIABLE_BYTES);
    size.unwrap_or_else(|| {
        errors.push(pos, ErrorKind::VariableTooLarge { name: name.into() });
        0
    })
}

/// Parameters and results of a function, kernel or prototype.
pub(super) fn signature(
    returns: &[ast::Variable<'_>],
    params: &[ast::Variable<'_>],
    directives: &[ast::FunctionDirective<'_>],
    entry: bool,
    errors: &mut Errors,
) -> Signature {
    let noreturn = directives
        .iter()
        .any(|directive| directive.kind == ast::FunctionDirectiveKind::NoReturn);
    Signature {
        returns: param_list(returns, entry, errors),
        params: param_list(params, entry, errors),
        noreturn,
    }
}

fn param_list(params: &[ast::Variable<'_>], entry: bool, errors: &mut Errors) -> Vec<Param> {
    let mut offset = 0_u64;
    let mut list = Vec::with_capacity(params.len());
    for declaration in params {
        let Some(declarator) = declaration.declarators.first() else {
            continue;
        };
        let name = declarator.name.text;
        let pos = declarator.name.pos;
        let space = canonical(declaration.space);
        if entry && space != StateSpace::Param {
            errors.push(pos, ErrorKind::EntryParameterSpace { name: name.into() });
        } else if space != StateSpace::Param && space != StateSpace::Reg {
            errors.push(pos, ErrorKind::ParameterSpace { name: name.into() });
        }
        let good_type = if space == StateSpace::Reg {
            register_type(declaration.ty) && declarator.dims.is_empty()
        } else {
            memory_type(declaration.ty)
        };
        if !good_type || declarator.range.is_some() || declarator.init.is_some() {
            errors.push(
                pos,
                ErrorKind::VariableType {
                    name: name.into(),
                    ty: declaration.ty.text(),
                    space: space.text(),
                },
            );
        }
        let lanes = declaration.vector.map_or(1, |width| width.lanes());
        let natural = declaration.ty.bytes() * lanes;
        let dims: Vec<u64> = declarator.dims.iter().map(|dim| dim.unwrap_or(0)).collect();
        let size = size(natural, &dims, pos, name, errors);
        let align = alignment(declaration, natural, errors);
        // An empty structure is a parameter of no bytes.
        offset = offset.next_multiple_of(u64::from(align.max(1)));
        list.push(Param {
            name: name.to_owned(),
            space,
            ty: declaration.ty,
            size,
            align,
            array: !declarator.dims.is_empty(),
            offset,
            pointer: declaration.pointer,
            register: None,
        });
        offset = offset.saturating_add(size);
    }
    list
}

/// Performance directives.
pub(super) fn limits(function: &ast::Function<'_>, errors: &mut Errors) -> LaunchLimits {
    use ast::FunctionDirectiveKind as D;
    let mut limits = LaunchLimits::default();
    for directive in &function.directives {
        let kind = directive.kind;
        let name = kind.text();
        let (least, most) = match kind {
            D::MaxNTid | D::ReqNTid | D::ReqNCtaPerCluster => (1, 3),
            D::MinNCtaPerSm | D::MaxNCtaPerSm | D::MaxNReg | D::MaxClusterRank => (1, 1),
            D::AbiPreserve | D::AbiPreserveControl => (1, 1),
            D::NoReturn | D::Pragma | D::ExplicitCluster | D::BlocksAreClusters => (0, 0),
        };
        if !(least..=most).contains(&directive.values.len()) {
            errors.push(
                directive.pos,
                ErrorKind::DirectiveValues { directive: name },
            );
            continue;
        }
        let entry_only = !matches!(
            kind,
            D::NoReturn | D::Pragma | D::AbiPreserve | D::AbiPreserveControl | D::MaxNReg
        );
        if entry_only && function.kind == ast::FunctionKind::Func {
            errors.push(
                directive.pos,
                ErrorKind::DirectiveNotAllowed { directive: name },
            );
            continue;
        }
        let counts_from_zero = matches!(kind, D::AbiPreserve | D::AbiPreserveControl);
        if !counts_from_zero && directive.values.contains(&0) {
            errors.push(
                directive.pos,
                ErrorKind::PositiveExpected { directive: name },
            );
        }
        let at = |index: usize| directive.values.get(index).copied().unwrap_or(1);
        let triple = [at(0), at(1), at(2)];
        match kind {
            D::MaxNTid => limits.max_ntid = Some(triple),
            D::ReqNTid => limits.req_ntid = Some(triple),
            D::ReqNCtaPerCluster => limits.req_ncta_per_cluster = Some(triple),
            D::MinNCtaPerSm => limits.min_ncta_per_sm = Some(at(0)),
            D::MaxNCtaPerSm => limits.max_ncta_per_sm = Some(at(0)),
            D::MaxNReg => limits.max_nreg = Some(at(0)),
            D::MaxClusterRank => limits.max_cluster_rank = Some(at(0)),
            D::ExplicitCluster => limits.explicit_cluster = true,
            D::BlocksAreClusters => limits.blocks_are_clusters = true,
            D::Pragma => {
                let strings = directive.strings.iter().map(|text| (*text).to_owned());
                limits.pragmas.extend(strings);
            }
            D::NoReturn | D::AbiPreserve | D::AbiPreserveControl => {}
        }
    }
    if limits.max_ntid.is_some() && limits.req_ntid.is_some() {
        errors.push(
            function.pos,
            ErrorKind::ConflictingDirectives {
                first: "maxntid",
                second: "reqntid",
            },
        );
    }
    limits
}
