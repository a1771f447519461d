//! Several modules as one: what `nvlink`, `cuLink*` and nvJitLink do, on the level of PTX.
//!
//! Code is generated from PTX kernel by kernel, so modules are joined before that: symbols that are visible to other
//! modules are resolved (a strong definition before a `.weak` one before a `.common` one; `.extern` declarations give
//! way), symbols of one module keep to themselves (renamed where two modules use the same name), source files are
//! numbered anew, and debugging sections are left out. The result is the text of one module.
//!
//! Source: PTX ISA 9.0, 11.6 "Linking directives"; the words of the messages are those that nvlink 13.0 was seen to
//! write.

mod names;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use thiserror::Error as ThisError;

use crate::ast::{
    Declarator, File, Function, FunctionKind, Init, Item, Linkage, Module, Name, Operand,
    Statement, Variable,
};
use crate::error::render_log;
use crate::layout::is_builtin;
use crate::types::StateSpace;

/// A module to be linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<'a> {
    /// What messages call it.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// Modules as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// The text.
    pub text: String,
    /// Symbols that are used and that no module defines, in the order of their names.
    pub undefined: Vec<Undefined>,
}

/// A symbol that no module defines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Undefined {
    /// The symbol.
    pub symbol: String,
    /// A module that uses it.
    pub unit: String,
}

impl Undefined {
    /// The line of a log that says so.
    #[must_use]
    pub fn message(&self) -> String {
        format!(
            "Undefined reference to '{}' in '{}'",
            self.symbol, self.unit
        )
    }
}

/// Why modules cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum LinkError {
    /// A module's text is wrong.
    #[error("'{unit}' is not valid PTX")]
    Syntax {
        /// The module.
        unit: String,
        /// What is wrong with it.
        errors: Vec<crate::Error>,
    },
    /// Two modules define a symbol.
    #[error("Multiple definition of '{symbol}' in '{unit}', first defined in '{first}'")]
    Multiple {
        /// The symbol.
        symbol: String,
        /// The second module.
        unit: String,
        /// The first.
        first: String,
    },
    /// A symbol is a function here and a variable there.
    #[error("Type doesn't match for '{symbol}' in '{unit}', first specified in '{first}'")]
    Kind {
        /// The symbol.
        symbol: String,
        /// The second module.
        unit: String,
        /// The first.
        first: String,
    },
    /// A variable has two sizes.
    #[error("Size doesn't match for '{symbol}' in '{unit}', first specified in '{first}'")]
    Size {
        /// The symbol.
        symbol: String,
        /// The second module.
        unit: String,
        /// The first.
        first: String,
    },
    /// 32-bit and 64-bit modules cannot be mixed.
    #[error("Address size of '{unit}' doesn't match that of '{first}'")]
    AddressSize {
        /// The second module.
        unit: String,
        /// The first.
        first: String,
    },
    /// There is no module.
    #[error("nothing to link")]
    Nothing,
}

impl LinkError {
    /// What a log says: ptxas's lines for a wrong text, else one `error   :` line.
    #[must_use]
    pub fn log(&self) -> String {
        match self {
            Self::Syntax { unit, errors } => render_log(unit, errors),
            Self::Multiple { .. }
            | Self::Kind { .. }
            | Self::Size { .. }
            | Self::AddressSize { .. }
            | Self::Nothing => format!("error   : {self}\n"),
        }
    }
}

/// How much a definition counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// `.extern`
    Extern,
    /// A declaration without a body.
    Forward,
    Common,
    Weak,
    Strong,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Kernel,
    Function,
    Variable,
}

/// Where a symbol is declared or defined.
#[derive(Clone, Copy, Debug)]
struct Place {
    unit: usize,
    item: usize,
    rank: Rank,
    what: What,
    /// Bytes of a variable, 0 where not known.
    size: u64,
    /// Dynamic shared memory, which no module defines.
    dynamic: bool,
}

/// Joins modules. One alone keeps its text.
///
/// # Errors
/// [`LinkError`]: the first thing that is wrong. Symbols that are not defined are no error here: the caller decides.
pub fn link(units: &[Unit<'_>]) -> Result<Linked, LinkError> {
    let first = units.first().ok_or(LinkError::Nothing)?;
    let parsed = units
        .iter()
        .map(|unit| {
            crate::parse(unit.text).map_err(|errors| LinkError::Syntax {
                unit: unit.name.to_owned(),
                errors,
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    let size = |module: &Module<'_>| module.address_size.unwrap_or(32);
    for (unit, module) in units.iter().zip(&parsed) {
        if size(module) != size(&parsed[0]) {
            return Err(LinkError::AddressSize {
                unit: unit.name.to_owned(),
                first: first.name.to_owned(),
            });
        }
    }
    let new_names = rename_plan(&parsed);
    // Made after the names, which they come to borrow.
    let mut modules: Vec<Module<'_>> = parsed.into_iter().map(split_declarations).collect();
    for (module, names) in modules.iter_mut().zip(&new_names) {
        if !names.is_empty() {
            names::for_each(module, &mut |name| {
                if let Some(new) = names.get(name.text) {
                    name.text = new;
                }
            });
        }
    }
    let table = symbols(units, &modules)?;
    let winners = resolve(units, &table)?;
    let undefined = undefined(units, &mut modules, &winners);
    if units.len() == 1 {
        return Ok(Linked {
            text: first.text.to_owned(),
            undefined,
        });
    }
    Ok(Linked {
        text: crate::print(&join(modules, &winners)),
        undefined,
    })
}

/// What a module defines for others.
///
/// # Errors
/// [`LinkError::Syntax`]
pub fn definitions(unit: &Unit<'_>) -> Result<HashSet<String>, LinkError> {
    let module = crate::parse(unit.text).map_err(|errors| LinkError::Syntax {
        unit: unit.name.to_owned(),
        errors,
    })?;
    let modules = [split_declarations(module)];
    let own = scope(&modules[0]);
    let table = symbols(std::slice::from_ref(unit), &modules)?;
    let defined = table
        .iter()
        .filter(|(name, places)| {
            own.get(*name) == Some(&false) && places.iter().any(|p| p.rank > Rank::Forward)
        })
        .map(|(name, _)| (*name).to_owned());
    Ok(defined.collect())
}

/// One declarator in each declaration at module scope.
fn split_declarations(mut module: Module<'_>) -> Module<'_> {
    let mut items = Vec::with_capacity(module.items.len());
    for item in module.items {
        match item {
            Item::Variable(variable) if variable.declarators.len() > 1 => {
                for declarator in &variable.declarators {
                    items.push(Item::Variable(Variable {
                        declarators: vec![declarator.clone()],
                        ..variable.clone()
                    }));
                }
            }
            other => items.push(other),
        }
    }
    module.items = items;
    module
}

/// Names that a module declares at its scope; whether each is its own.
fn scope<'m>(module: &'m Module<'_>) -> HashMap<&'m str, bool> {
    let mut names: HashMap<&str, bool> = HashMap::new();
    let mut declare = |name: &'m str, own: bool| {
        names
            .entry(name)
            .and_modify(|known| *known &= own)
            .or_insert(own);
    };
    for item in &module.items {
        match item {
            Item::Function(function) => {
                let own = function.linkage.is_none() && function.kind == FunctionKind::Func;
                declare(function.name.text, own);
            }
            Item::Variable(variable) => {
                for declarator in &variable.declarators {
                    let own = variable.linkage.is_none() || is_dynamic_shared(variable, declarator);
                    declare(declarator.name.text, own);
                }
            }
            Item::Prototype(prototype) => declare(prototype.name.text, true),
            Item::Alias { .. }
            | Item::Target(_)
            | Item::File(_)
            | Item::Section(_)
            | Item::Pragma(_) => {}
        }
    }
    names
}

/// `.extern .shared x[]`: all such variables are at one place, each module has its own name for it.
fn is_dynamic_shared(variable: &Variable<'_>, declarator: &Declarator<'_>) -> bool {
    variable.linkage == Some(Linkage::Extern)
        && matches!(
            variable.space,
            StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster
        )
        && matches!(declarator.dims.first(), Some(None | Some(0)))
}

/// New names, per module, for what is a module's own and is named like something in another module.
///
/// The name is changed wherever it stands in that module, so that it makes no difference whether it is hidden somewhere
/// by a parameter or label of the same name.
fn rename_plan(modules: &[Module<'_>]) -> Vec<HashMap<String, String>> {
    let scopes: Vec<HashMap<&str, bool>> = modules.iter().map(scope).collect();
    let mut users: HashMap<&str, usize> = HashMap::new();
    for name in scopes.iter().flat_map(HashMap::keys) {
        *users.entry(name).or_default() += 1;
    }
    let clashes =
        |scope: &HashMap<&str, bool>| scope.iter().any(|(name, own)| *own && users[name] > 1);
    if !scopes.iter().any(clashes) {
        return vec![HashMap::new(); modules.len()];
    }
    // Every name anywhere: a new one must not be hidden either.
    let mut taken: HashSet<String> = HashSet::new();
    for module in modules {
        let mut module = module.clone();
        names::for_each(&mut module, &mut |name| {
            taken.insert(name.text.to_owned());
        });
    }
    let mut plan = Vec::with_capacity(modules.len());
    for (index, scope) in scopes.iter().enumerate() {
        let mut own: Vec<&str> = scope
            .iter()
            .filter(|(name, own)| **own && users[*name] > 1)
            .map(|(name, _)| *name)
            .collect();
        own.sort_unstable();
        let mut new_names = HashMap::new();
        for name in own {
            let mut new = format!("{name}$u{index}");
            while !taken.insert(new.clone()) {
                new.push('_');
            }
            new_names.insert(name.to_owned(), new);
        }
        plan.push(new_names);
    }
    plan
}

/// Where each symbol is declared and defined, in the order of modules and items.
fn symbols<'m>(
    units: &[Unit<'_>],
    modules: &'m [Module<'_>],
) -> Result<HashMap<&'m str, Vec<Place>>, LinkError> {
    let mut table: HashMap<&str, Vec<Place>> = HashMap::new();
    for (unit, module) in modules.iter().enumerate() {
        let aliases: HashSet<&str> = module
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Alias { alias, .. } => Some(alias.text),
                Item::Function(_)
                | Item::Variable(_)
                | Item::Target(_)
                | Item::File(_)
                | Item::Section(_)
                | Item::Pragma(_)
                | Item::Prototype(_) => None,
            })
            .collect();
        for (item, declared) in module.items.iter().enumerate() {
            let mut dynamic = false;
            let (name, rank, what, size) = match declared {
                Item::Function(function) => {
                    let name = function.name.text;
                    let defined = function.body.is_some() || aliases.contains(name);
                    (name, function_rank(function, defined), kind(function), 0)
                }
                Item::Variable(variable) => {
                    let Some(declarator) = variable.declarators.first() else {
                        continue;
                    };
                    let rank = match variable.linkage {
                        Some(Linkage::Extern) => Rank::Extern,
                        Some(Linkage::Common) => Rank::Common,
                        Some(Linkage::Weak) => Rank::Weak,
                        Some(Linkage::Visible) | None => Rank::Strong,
                    };
                    let size = size_of(variable, declarator);
                    dynamic = is_dynamic_shared(variable, declarator);
                    (declarator.name.text, rank, What::Variable, size)
                }
                Item::Alias { .. }
                | Item::Target(_)
                | Item::File(_)
                | Item::Section(_)
                | Item::Pragma(_)
                | Item::Prototype(_) => continue,
            };
            let place = Place {
                unit,
                item,
                rank,
                what,
                size,
                dynamic,
            };
            let places = table.entry(name).or_default();
            if let Some(first) = places.first()
                && first.what != what
            {
                return Err(LinkError::Kind {
                    symbol: name.to_owned(),
                    unit: units[unit].name.to_owned(),
                    first: units[first.unit].name.to_owned(),
                });
            }
            places.push(place);
        }
    }
    Ok(table)
}

const fn kind(function: &Function<'_>) -> What {
    match function.kind {
        FunctionKind::Entry => What::Kernel,
        FunctionKind::Func => What::Function,
    }
}

const fn function_rank(function: &Function<'_>, defined: bool) -> Rank {
    match (function.linkage, defined) {
        (Some(Linkage::Extern), false) => Rank::Extern,
        (_, false) => Rank::Forward,
        (Some(Linkage::Weak), true) => Rank::Weak,
        (_, true) => Rank::Strong,
    }
}

fn size_of(variable: &Variable<'_>, declarator: &Declarator<'_>) -> u64 {
    let lanes = variable.vector.map_or(1, |width| width.lanes());
    let element = u64::from(variable.ty.bytes()) * u64::from(lanes);
    let unsized_length = match &declarator.init {
        Some(Init::List(list)) => list.len() as u64,
        _ => 0,
    };
    declarator
        .dims
        .iter()
        .map(|dim| dim.unwrap_or(unsized_length))
        .fold(element, u64::saturating_mul)
}

/// What is kept of each symbol.
struct Winners {
    /// (module, item) that stay.
    kept: HashSet<(usize, usize)>,
    /// Definitions whose linkage a declaration of the same module gave.
    linkage: HashMap<(usize, usize), Linkage>,
    /// Symbols without a definition, and the first module that declares each.
    missing: HashMap<String, usize>,
}

fn resolve(units: &[Unit<'_>], table: &HashMap<&str, Vec<Place>>) -> Result<Winners, LinkError> {
    let mut winners = Winners {
        kept: HashSet::new(),
        linkage: HashMap::new(),
        missing: HashMap::new(),
    };
    let mut sorted: Vec<_> = table.iter().collect();
    sorted.sort_unstable_by_key(|(name, _)| **name);
    for (symbol, places) in sorted {
        let symbol = (*symbol).to_owned();
        let named = |unit: usize| units[unit].name.to_owned();
        // The first of those that count most; of `.common` ones the largest.
        let Some(best) = places.iter().copied().reduce(|best, place| {
            let larger = place.rank == Rank::Common && place.size > best.size;
            if place.rank > best.rank || (place.rank == best.rank && larger) {
                place
            } else {
                best
            }
        }) else {
            continue;
        };
        for place in places {
            let twice =
                best.rank == Rank::Strong && place.rank == Rank::Strong && place.unit != best.unit;
            if twice {
                return Err(LinkError::Multiple {
                    symbol,
                    unit: named(place.unit),
                    first: named(best.unit),
                });
            }
            let sizes_differ = place.size != 0
                && best.size != 0
                && place.size != best.size
                && place.unit != best.unit
                && place.rank != Rank::Common
                && place.rank != Rank::Weak;
            if sizes_differ {
                return Err(LinkError::Size {
                    symbol,
                    unit: named(place.unit),
                    first: named(best.unit),
                });
            }
        }
        winners.kept.insert((best.unit, best.item));
        // What the same module says twice is for the checks to judge.
        for place in places.iter().filter(|place| place.unit == best.unit) {
            if place.rank == best.rank || best.rank <= Rank::Forward {
                winners.kept.insert((place.unit, place.item));
            }
        }
        if best.rank <= Rank::Forward && !best.dynamic {
            winners.missing.insert(symbol, best.unit);
        }
    }
    Ok(winners)
}

impl Winners {
    /// A declaration gives its linkage to a definition without one.
    fn pass_linkage(&mut self, modules: &[Module<'_>]) {
        for (unit, module) in modules.iter().enumerate() {
            let mut declared: HashMap<&str, Linkage> = HashMap::new();
            for item in &module.items {
                if let Item::Function(function) = item
                    && let Some(linkage @ (Linkage::Visible | Linkage::Weak)) = function.linkage
                {
                    declared.insert(function.name.text, linkage);
                }
            }
            for (index, item) in module.items.iter().enumerate() {
                if let Item::Function(function) = item
                    && function.linkage.is_none()
                    && let Some(linkage) = declared.get(function.name.text)
                {
                    self.linkage.insert((unit, index), *linkage);
                }
            }
        }
    }
}

/// Symbols without a definition that something kept uses.
fn undefined(units: &[Unit<'_>], modules: &mut [Module<'_>], winners: &Winners) -> Vec<Undefined> {
    let missing: HashMap<&str, usize> = winners
        .missing
        .iter()
        .map(|(name, unit)| (name.as_str(), *unit))
        .filter(|(name, _)| !is_builtin(name))
        .collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let mut found: HashMap<String, usize> = HashMap::new();
    for (unit, module) in modules.iter_mut().enumerate() {
        for (index, item) in module.items.iter_mut().enumerate() {
            if !winners.kept.contains(&(unit, index)) {
                continue;
            }
            let mut see = |name: &mut Name<'_>| {
                if missing.contains_key(name.text) {
                    found.entry(name.text.to_owned()).or_insert(unit);
                }
            };
            match item {
                Item::Function(function) => {
                    if let Some(body) = &mut function.body {
                        names::in_block(body, &mut see);
                    }
                }
                Item::Variable(variable) => {
                    for declarator in &mut variable.declarators {
                        if let Some(init) = &mut declarator.init {
                            names::in_init(init, &mut see);
                        }
                    }
                }
                Item::Alias { .. }
                | Item::Target(_)
                | Item::File(_)
                | Item::Section(_)
                | Item::Pragma(_)
                | Item::Prototype(_) => {}
            }
        }
    }
    let mut list: Vec<Undefined> = found
        .into_iter()
        .map(|(symbol, unit)| Undefined {
            symbol,
            unit: units[unit].name.to_owned(),
        })
        .collect();
    list.sort();
    list
}

/// One module of what is kept.
fn join<'a>(modules: Vec<Module<'a>>, winners: &Winners) -> Module<'a> {
    let mut linkage = Winners {
        kept: HashSet::new(),
        linkage: HashMap::new(),
        missing: HashMap::new(),
    };
    linkage.pass_linkage(&modules);
    let mut out = Module {
        version: modules[0].version,
        target: target(&modules),
        address_size: modules[0].address_size,
        items: Vec::new(),
    };
    let mut files: HashMap<&'a str, u32> = HashMap::new();
    let mut aliased: HashSet<&'a str> = HashSet::new();
    let silent = returning_nothing(&modules, winners);
    for (unit, mut module) in modules.into_iter().enumerate() {
        drop_results(&mut module, &silent);
        let newer =
            (module.version.major, module.version.minor) > (out.version.major, out.version.minor);
        if newer {
            out.version = module.version;
        }
        // Numbers of this module's files in the result; a number without a file is 0.
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        for item in &module.items {
            if let Item::File(file) = item {
                number_file(file, &mut files, &mut numbers, &mut out.items);
            }
        }
        let aliases: HashMap<&str, usize> = module
            .items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| match item {
                Item::Function(function) => Some((function.name.text, index)),
                Item::Variable(_)
                | Item::Alias { .. }
                | Item::Target(_)
                | Item::File(_)
                | Item::Section(_)
                | Item::Pragma(_)
                | Item::Prototype(_) => None,
            })
            .collect();
        for (index, mut item) in module.items.into_iter().enumerate() {
            let here = (unit, index);
            let keep = match &mut item {
                Item::Function(function) => {
                    if let Some(given) = linkage.linkage.get(&here) {
                        function.linkage = Some(*given);
                    }
                    if let Some(body) = &mut function.body {
                        number_lines(&mut body.statements, &numbers);
                    }
                    winners.kept.contains(&here)
                }
                Item::Variable(_) => winners.kept.contains(&here),
                Item::Alias { alias, .. } => {
                    // The alias stays where its declaration does.
                    let declared = aliases.get(alias.text).map(|index| (unit, *index));
                    declared.is_none_or(|place| winners.kept.contains(&place))
                        && aliased.insert(alias.text)
                }
                Item::Pragma(_) | Item::Prototype(_) => true,
                Item::Target(_) | Item::File(_) | Item::Section(_) => false,
            };
            if keep {
                out.items.push(item);
            }
        }
    }
    out
}

/// The newest architecture and all options. Between a suffix and none at the same number, the suffix.
fn target<'a>(modules: &[Module<'a>]) -> Vec<Name<'a>> {
    let mut best: Option<(u32, &str, Name<'a>)> = None;
    let mut options: Vec<Name<'a>> = Vec::new();
    for module in modules {
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
        for name in std::iter::once(&module.target).chain(more).flatten() {
            let Some(rest) = name
                .text
                .strip_prefix("sm_")
                .or_else(|| name.text.strip_prefix("compute_"))
            else {
                if !options.iter().any(|known| known.text == name.text) {
                    options.push(*name);
                }
                continue;
            };
            let suffix = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let number: u32 = rest[..rest.len() - suffix.len()].parse().unwrap_or(0);
            if best.is_none_or(|(most, last, _)| (number, suffix) > (most, last)) {
                best = Some((number, suffix, *name));
            }
        }
    }
    best.map(|(_, _, name)| name)
        .into_iter()
        .chain(options)
        .collect()
}

fn number_file<'a>(
    file: &File<'a>,
    files: &mut HashMap<&'a str, u32>,
    numbers: &mut HashMap<u32, u32>,
    items: &mut Vec<Item<'a>>,
) {
    let next = u32::try_from(files.len()).map_or(u32::MAX, |count| count.saturating_add(1));
    let number = *files.entry(file.name).or_insert_with(|| {
        items.push(Item::File(File {
            index: next,
            ..file.clone()
        }));
        next
    });
    numbers.insert(file.index, number);
}

fn number_lines(statements: &mut [Statement<'_>], numbers: &HashMap<u32, u32>) {
    let number = |index: &mut u32| *index = numbers.get(index).copied().unwrap_or(0);
    for statement in statements {
        match statement {
            Statement::Loc(loc) => {
                number(&mut loc.place.file);
                if let Some(inlined) = &mut loc.inlined {
                    number(&mut inlined.at.file);
                }
            }
            Statement::Block(block) => number_lines(&mut block.statements, numbers),
            Statement::Label(_)
            | Statement::Variable(_)
            | Statement::Instruction(_)
            | Statement::Pragma(_)
            | Statement::Prototype(_)
            | Statement::BranchTargets(_)
            | Statement::CallTargets(_)
            | Statement::File(_)
            | Statement::Section(_) => {}
        }
    }
}

/// Functions whose definition returns nothing.
fn returning_nothing<'a>(modules: &[Module<'a>], winners: &Winners) -> HashSet<&'a str> {
    let mut names = HashSet::new();
    for (unit, item) in &winners.kept {
        if let Some(Item::Function(function)) = modules[*unit].items.get(*item)
            && function.kind == FunctionKind::Func
            && function.body.is_some()
            && function.returns.is_empty()
        {
            names.insert(function.name.text);
        }
    }
    names
}

/// Calls of functions that this module declares with a result and that return nothing where they are defined: nvlink
/// joins machine code and does not mind, the result is what was in its place. (Numba declares functions of C that return
/// `void` so.)
fn drop_results(module: &mut Module<'_>, silent: &HashSet<&str>) {
    let wrong: HashSet<&str> = module
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Function(function) if function.body.is_none() && !function.returns.is_empty() => {
                Some(function.name.text)
            }
            Item::Function(_)
            | Item::Variable(_)
            | Item::Alias { .. }
            | Item::Target(_)
            | Item::File(_)
            | Item::Section(_)
            | Item::Pragma(_)
            | Item::Prototype(_) => None,
        })
        .filter(|name| silent.contains(name))
        .collect();
    if wrong.is_empty() {
        return;
    }
    for item in &mut module.items {
        if let Item::Function(function) = item
            && let Some(body) = &mut function.body
        {
            drop_results_in(&mut body.statements, &wrong);
        }
    }
}

fn drop_results_in(statements: &mut [Statement<'_>], wrong: &HashSet<&str>) {
    for statement in statements {
        match statement {
            Statement::Block(block) => drop_results_in(&mut block.statements, wrong),
            Statement::Instruction(call) if call.opcode.text == "call" => {
                if let [Operand::List(..), Operand::Name { name, .. }, ..] =
                    call.operands.as_slice()
                    && wrong.contains(name.text)
                {
                    call.operands.remove(0);
                }
            }
            Statement::Label(_)
            | Statement::Variable(_)
            | Statement::Instruction(_)
            | Statement::Pragma(_)
            | Statement::Prototype(_)
            | Statement::BranchTargets(_)
            | Statement::CallTargets(_)
            | Statement::Loc(_)
            | Statement::File(_)
            | Statement::Section(_) => {}
        }
    }
}

/// The lines of a log for symbols that are not defined.
#[must_use]
pub fn undefined_log(undefined: &[Undefined]) -> String {
    let mut log = String::new();
    for one in undefined {
        // Writing to a String cannot fail.
        let _ = writeln!(log, "error   : {}", one.message());
    }
    log
}

#[cfg(test)]
mod tests;
