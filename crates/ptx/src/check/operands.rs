//! Operands against what an instruction wants, one after the other.

use super::body::BodyChecker;
use super::initial::narrow;
use super::scope::Meaning;
use crate::ast::{self, Base, Number};
use crate::checked::{Address, AddressBase, Operand, RegisterId, Symbol};
use crate::error::ErrorKind;
use crate::pos::Pos;
use crate::special::SpecialRegister;
use crate::types::{ScalarType, StateSpace, TypeClass, VectorWidth};

/// How an operand may differ from the instruction's type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// Same size, matching class (PTX ISA 9.0, 9.4, table of operand types).
    Exact,
    /// The register may be wider: `ld`, `st`, `cvt`.
    Wide,
    /// As `Wide`, and integer registers may hold floats: elements of `ld.v2` and the like.
    Element,
}

/// Whether a register of type `register` can stand for an operand of type `ty`.
fn fits(ty: ScalarType, register: ScalarType, fit: Fit) -> bool {
    if ty == ScalarType::Pred || register == ScalarType::Pred {
        return ty == register;
    }
    let size = match fit {
        Fit::Exact => register.bits() == ty.bits(),
        Fit::Wide | Fit::Element => register.bits() >= ty.bits(),
    };
    // A packed pair's register holds bits.
    let bits = register.is_bits() || register == ScalarType::F16x2;
    size && match ty.class() {
        TypeClass::Predicate | TypeClass::Opaque => register == ty,
        TypeClass::Bits => true,
        TypeClass::Unsigned | TypeClass::Signed => register.is_integer() || bits,
        TypeClass::Float => {
            let integer = register.is_integer() && register.bits() == ty.bits();
            bits || register == ty || (fit == Fit::Element && integer)
        }
    }
}

/// A constant's bits in a type, zero-extended.
pub(super) fn immediate(ty: ScalarType, number: Number) -> Option<u64> {
    use ScalarType as T;
    let bits = match (ty, number) {
        (T::Pred, Number::Signed(value)) => u64::from(value != 0),
        (T::Pred, Number::Unsigned(value)) => u64::from(value != 0),
        (T::F32, Number::F32(bits)) | (T::B32, Number::F32(bits)) => bits.into(),
        (T::F32, Number::F64(bits)) => narrow(bits).into(),
        (T::F64, Number::F64(bits)) | (T::B64, Number::F64(bits)) => bits,
        (T::F64, Number::F32(bits)) => f64::from(f32::from_bits(bits)).to_bits(),
        (T::B128, _) => return None,
        (_, Number::Signed(value)) if !ty.is_float() => value.cast_unsigned(),
        (_, Number::Unsigned(value)) if !ty.is_float() => value,
        _ => return None,
    };
    let width = ty.bits().min(64);
    Some(bits & (u64::MAX >> (64 - width)))
}

/// Reads the operands of one instruction in order.
pub(super) struct Args<'s, 'c, 'a> {
    pub checker: &'s mut BodyChecker<'c, 'a>,
    pub instruction: &'s ast::Instruction<'a>,
    /// Index of the next operand.
    next: usize,
    pub dsts: Vec<Operand>,
    pub srcs: Vec<Operand>,
    /// An operand did not fit.
    mismatch: bool,
}

impl<'s, 'c, 'a> Args<'s, 'c, 'a> {
    pub fn new(
        checker: &'s mut BodyChecker<'c, 'a>,
        instruction: &'s ast::Instruction<'a>,
    ) -> Self {
        Self {
            checker,
            instruction,
            next: 0,
            dsts: Vec::new(),
            srcs: Vec::new(),
            mismatch: false,
        }
    }

    pub fn pos(&self) -> Pos {
        self.instruction.opcode.pos
    }

    /// The opcode, for messages.
    pub fn name(&self) -> String {
        self.instruction.opcode.text.to_owned()
    }

    pub fn error(&mut self, kind: ErrorKind) {
        let pos = self.pos();
        self.checker.error(pos, kind);
    }

    pub fn mismatch(&mut self) {
        self.mismatch = true;
    }

    /// Says if a type is not one of those that the instruction has.
    pub fn types(&mut self, ty: ScalarType, allowed: &[ScalarType]) {
        if !allowed.contains(&ty) {
            let instruction = self.name();
            self.error(ErrorKind::Types { instruction });
        }
    }

    /// Says if a modifier is there that this variant does not have.
    pub fn forbid(&mut self, present: bool, name: &'static str) {
        if present {
            let instruction = self.name();
            let name = name.to_owned();
            self.error(ErrorKind::IllegalModifier { name, instruction });
        }
    }

    /// Says if something is missing that this variant must have.
    pub fn require(&mut self, present: bool, what: &'static str) {
        if !present {
            let instruction = self.name();
            self.error(ErrorKind::Required { what, instruction });
        }
    }

    /// Size of the register with this name, if it is one.
    pub fn register_bits(&mut self, name: &str) -> Option<u32> {
        match self.checker.find(name)? {
            Meaning::Register(id) => Some(self.checker.body.registers[id.index()].ty.bits()),
            _ => None,
        }
    }

    /// How many operands remain.
    pub fn remaining(&self) -> usize {
        self.instruction.operands.len() - self.next
    }

    /// Whether the next operand is a predicate register, or its negation.
    pub fn next_is_predicate(&mut self) -> bool {
        match self.peek() {
            Some(ast::Operand::Not(_)) => true,
            Some(ast::Operand::Name { name, .. }) => self.register_bits(name.text) == Some(1),
            _ => false,
        }
    }

    /// Whether operands remain.
    pub fn more(&self) -> bool {
        self.next < self.instruction.operands.len()
    }

    fn take(&mut self) -> Option<&'s ast::Operand<'a>> {
        let operand = self.instruction.operands.get(self.next);
        match operand {
            Some(_) => self.next += 1,
            None => self.mismatch(),
        }
        operand
    }

    /// The operand that comes next, without taking it.
    pub fn peek(&self) -> Option<&'s ast::Operand<'a>> {
        self.instruction.operands.get(self.next)
    }

    /// Says if something did not fit or is left over, and gives the operands.
    pub fn finish(mut self) -> (Vec<Operand>, Vec<Operand>) {
        if self.mismatch || self.more() {
            let instruction = self.name();
            self.error(ErrorKind::Arguments { instruction });
        }
        (self.dsts, self.srcs)
    }

    // Destinations.

    pub fn dst(&mut self, ty: ScalarType) {
        self.destination(ty, Fit::Exact, false);
    }

    /// A destination that may be wider than the type.
    pub fn dst_wide(&mut self, ty: ScalarType) {
        self.destination(ty, Fit::Wide, false);
    }

    /// A destination that may be `_`.
    pub fn dst_or_sink(&mut self, ty: ScalarType) {
        self.destination(ty, Fit::Exact, true);
    }

    fn destination(&mut self, ty: ScalarType, fit: Fit, discard: bool) {
        if let Some(operand) = self.take()
            && let Some(operand) = self.register(operand, ty, fit, discard)
        {
            self.dsts.push(operand);
        }
    }

    /// `d|p` or `d`: the second is a predicate.
    pub fn dst_and_predicate(&mut self, ty: ScalarType) {
        let Some(operand) = self.take() else {
            return;
        };
        let (first, second) = match operand {
            ast::Operand::Pair(first, second) => (first.as_ref(), Some(second.as_ref())),
            single => (single, None),
        };
        if let Some(first) = self.register(first, ty, Fit::Exact, true) {
            self.dsts.push(first);
        }
        if let Some(second) = second
            && let Some(second) = self.register(second, ScalarType::Pred, Fit::Exact, true)
        {
            self.dsts.push(second);
        }
    }

    /// A register that is written.
    fn register(
        &mut self,
        operand: &ast::Operand<'a>,
        ty: ScalarType,
        fit: Fit,
        discard: bool,
    ) -> Option<Operand> {
        match operand {
            ast::Operand::Name { name, selector } => match self.checker.resolve(*name)? {
                Meaning::Register(id) => self.component(id, *selector, ty, fit, name.pos),
                _ => {
                    self.mismatch();
                    None
                }
            },
            // `ld.global.b32 {%r1}, [%rd1]`: one element is the element.
            ast::Operand::Vector(list, _) if list.len() == 1 => {
                self.register(list.first()?, ty, fit, discard)
            }
            ast::Operand::Sink(_) if discard => Some(Operand::Sink),
            ast::Operand::Sink(_) => {
                let instruction = self.name();
                self.error(ErrorKind::Discard { instruction });
                None
            }
            _ => {
                self.mismatch();
                None
            }
        }
    }

    /// A register or a component of one, of a fitting type.
    fn component(
        &mut self,
        id: RegisterId,
        selector: Option<&str>,
        ty: ScalarType,
        fit: Fit,
        pos: Pos,
    ) -> Option<Operand> {
        let register = &self.checker.body.registers[id.index()];
        let vector = register.vector;
        if !fits(ty, register.ty, fit) {
            self.mismatch();
            return None;
        }
        match (vector, selector) {
            (None, None) => Some(Operand::Register(id)),
            (Some(width), Some(text)) => {
                let lane = self.lane(text, width.lanes(), pos)?;
                Some(Operand::Component(id, lane))
            }
            (None, Some(text)) => {
                self.unknown_selector(text, pos);
                None
            }
            (Some(_), None) => {
                self.vector_size();
                None
            }
        }
    }

    fn unknown_selector(&mut self, text: &str, pos: Pos) {
        let selector = text.to_owned();
        self.checker
            .error(pos, ErrorKind::UnknownSelector { selector });
    }

    fn vector_size(&mut self) {
        let instruction = self.name();
        self.error(ErrorKind::VectorSize { instruction });
    }

    fn lane(&mut self, selector: &str, lanes: u32, pos: Pos) -> Option<u8> {
        let lane = match selector {
            "x" | "r" => 0,
            "y" | "g" => 1,
            "z" | "b" => 2,
            "w" | "a" => 3,
            _ => u8::MAX,
        };
        if u32::from(lane) >= lanes {
            self.unknown_selector(selector, pos);
            return None;
        }
        Some(lane)
    }

    // Sources.

    /// A register or constant.
    pub fn src(&mut self, ty: ScalarType) {
        self.source(ty, Fit::Exact, false);
    }

    /// A register, which may be wider, or a constant.
    pub fn src_wide(&mut self, ty: ScalarType) {
        self.source(ty, Fit::Wide, false);
    }

    /// As `src_wide`, or a special register: `cvt`.
    pub fn src_special(&mut self, ty: ScalarType) {
        self.source(ty, Fit::Wide, true);
    }

    fn source(&mut self, ty: ScalarType, fit: Fit, special: bool) {
        if let Some(operand) = self.take()
            && let Some(operand) = self.value(operand, ty, fit, special)
        {
            self.srcs.push(operand);
        }
    }

    /// A register, constant or special register.
    pub fn value(
        &mut self,
        operand: &ast::Operand<'a>,
        ty: ScalarType,
        fit: Fit,
        special: bool,
    ) -> Option<Operand> {
        match operand {
            ast::Operand::Name { name, selector } => match self.checker.find(name.text) {
                Some(Meaning::Register(id)) => self.component(id, *selector, ty, fit, name.pos),
                Some(Meaning::Label(_)) => {
                    self.mismatch();
                    None
                }
                Some(_) => {
                    let index = self.next.saturating_sub(1);
                    let instruction = self.name();
                    self.error(ErrorKind::MustBeRegister { index, instruction });
                    None
                }
                None => self.special(*name, *selector, ty, special),
            },
            ast::Operand::Number { value, .. } => {
                let bits = immediate(ty, *value);
                if bits.is_none() {
                    self.mismatch();
                }
                bits.map(Operand::Immediate)
            }
            ast::Operand::Vector(list, _) if list.len() == 1 => {
                self.value(list.first()?, ty, fit, special)
            }
            ast::Operand::Not(name) if ty == ScalarType::Pred => {
                match self.checker.resolve(*name)? {
                    Meaning::Register(id) => match self.component(id, None, ty, fit, name.pos)? {
                        Operand::Register(id) => Some(Operand::Not(id)),
                        other => Some(other),
                    },
                    _ => {
                        self.mismatch();
                        None
                    }
                }
            }
            _ => {
                self.mismatch();
                None
            }
        }
    }

    fn special(
        &mut self,
        name: ast::Name<'a>,
        selector: Option<&str>,
        ty: ScalarType,
        allowed: bool,
    ) -> Option<Operand> {
        let Some(special) = SpecialRegister::from_name(name.text) else {
            let kind = ErrorKind::UnknownSymbol {
                name: name.text.into(),
            };
            self.checker.error(name.pos, kind);
            return None;
        };
        if !allowed || ty.is_float() {
            let instruction = self.name();
            self.error(ErrorKind::SpecialRegister { instruction });
            return None;
        }
        // 32-bit registers can be read as 16-bit ones, and %gridid (64 bits since PTX 3.0) as 32.
        let narrower =
            (special.ty().bits(), ty.bits()) == (32, 16) || special == SpecialRegister::GridId;
        if !(fits(ty, special.ty(), Fit::Exact) || (narrower && !ty.is_float())) {
            self.mismatch();
            return None;
        }
        match (special.lanes(), selector) {
            (1, None) => Some(Operand::Special(special, None)),
            (1, Some(text)) => {
                self.unknown_selector(text, name.pos);
                None
            }
            (_, None) => {
                self.vector_size();
                None
            }
            (lanes, Some(text)) => {
                let lane = self.lane(text, lanes, name.pos)?;
                Some(Operand::Special(special, Some(lane)))
            }
        }
    }

    /// `p`, `!p` or a constant.
    pub fn predicate(&mut self) {
        self.source(ScalarType::Pred, Fit::Exact, false);
    }

    /// An integer that is known now; its value.
    pub fn constant(&mut self, ty: ScalarType) -> Option<u64> {
        let operand = self.take()?;
        let ast::Operand::Number { value, .. } = operand else {
            self.mismatch();
            return None;
        };
        let Some(bits) = immediate(ty, *value) else {
            self.mismatch();
            return None;
        };
        self.srcs.push(Operand::Immediate(bits));
        Some(bits)
    }

    /// A value, the address of a variable or function, or a special register: `mov`, `cvta`.
    pub fn src_or_address(&mut self, ty: ScalarType, special: bool) {
        let Some(operand) = self.take() else {
            return;
        };
        let found = match operand {
            ast::Operand::Name {
                name,
                selector: None,
            } => {
                let meaning = self.checker.find(name.text);
                meaning.and_then(symbol).map(|symbol| (symbol, 0))
            }
            ast::Operand::Offset { name, offset } => {
                let meaning = self.checker.resolve(*name);
                let found = meaning.and_then(symbol).map(|symbol| (symbol, *offset));
                if found.is_none() {
                    self.mismatch |= meaning.is_some();
                    return;
                }
                found
            }
            ast::Operand::Element { .. } => self.element(operand),
            _ => None,
        };
        let value = match found {
            Some((symbol, offset)) if !ty.is_float() && ty.bits() >= 32 => {
                Some(Operand::Symbol(symbol, offset))
            }
            Some(_) => {
                self.mismatch();
                None
            }
            None => self.value(operand, ty, Fit::Exact, special),
        };
        self.srcs.extend(value);
    }

    /// `array[4]`: the array and the element's offset.
    fn element(&mut self, operand: &ast::Operand<'a>) -> Option<(Symbol, i64)> {
        let ast::Operand::Element {
            name,
            register: None,
            index,
        } = operand
        else {
            return None;
        };
        let symbol = symbol(self.checker.resolve(*name)?)?;
        let size = self.element_size(symbol)?;
        Some((symbol, index.wrapping_mul(size)))
    }

    fn element_size(&self, symbol: Symbol) -> Option<i64> {
        let variable = match symbol {
            Symbol::Global(id) => &self.checker.module.globals[id.index()],
            Symbol::Local(id) => &self.checker.body.locals[id.index()],
            Symbol::Param(index) => {
                let param = self.checker.source.params.get(index as usize)?;
                return Some(i64::from(param.ty.bytes()));
            }
            Symbol::Return(_) | Symbol::Function(_) => return None,
        };
        // An index counts the innermost dimension's elements.
        Some(i64::from(variable.ty.bytes() * variable.lanes))
    }

    /// A word register of a video instruction, read or written, perhaps negated; its selector.
    pub fn video_operand(&mut self, ty: ScalarType, written: bool) -> Option<&'a str> {
        let operand = self.take()?;
        let (name, selector) = match operand {
            ast::Operand::Name { name, selector } => (*name, *selector),
            ast::Operand::Negated { name, selector } if !written => (*name, *selector),
            other if !written => {
                let value = self.value(other, ty, Fit::Exact, false);
                self.srcs.extend(value);
                return None;
            }
            _ => {
                self.mismatch();
                return None;
            }
        };
        match self.checker.resolve(name) {
            Some(Meaning::Register(id)) => {
                // A component of a vector register is not a part of a word.
                if let Some(operand) = self.component(id, None, ty, Fit::Exact, name.pos) {
                    if written {
                        self.dsts.push(operand);
                    } else {
                        self.srcs.push(operand);
                    }
                }
            }
            Some(_) => self.mismatch(),
            None => {}
        }
        selector
    }

    /// Says that a selector does not belong to this instruction.
    pub fn unknown_video_selector(&mut self, text: &str) {
        let pos = self.pos();
        self.unknown_selector(text, pos);
    }

    // Vectors.

    /// A vector of `lanes` registers that are written; also a vector register.
    pub fn dst_vector(&mut self, ty: ScalarType, width: VectorWidth) {
        if let Some(operand) = self.take()
            && let Some(vector) = self.vector(operand, ty, width.lanes(), Fit::Element, true)
        {
            self.dsts.push(vector);
        }
    }

    /// A vector of `lanes` values.
    pub fn src_vector(&mut self, ty: ScalarType, width: VectorWidth) {
        if let Some(operand) = self.take()
            && let Some(vector) = self.vector(operand, ty, width.lanes(), Fit::Element, false)
        {
            self.srcs.push(vector);
        }
    }

    /// `{a, b}` or a vector register as its components.
    pub fn vector(
        &mut self,
        operand: &ast::Operand<'a>,
        ty: ScalarType,
        lanes: u32,
        fit: Fit,
        written: bool,
    ) -> Option<Operand> {
        if let ast::Operand::Name {
            name,
            selector: None,
        } = operand
            && let Some(Meaning::Register(id)) = self.checker.find(name.text)
            && let Some(width) = self.checker.body.registers[id.index()].vector
        {
            let register = self.checker.body.registers[id.index()].ty;
            if width.lanes() != lanes {
                self.vector_size();
                return None;
            }
            if !fits(ty, register, fit) {
                self.mismatch();
                return None;
            }
            let lanes = [0, 1, 2, 3, 4, 5, 6, 7].into_iter().take(lanes as usize);
            return Some(Operand::Vector(
                lanes.map(|i| Operand::Component(id, i)).collect(),
            ));
        }
        let ast::Operand::Vector(elements, _) = operand else {
            self.vector_size();
            return None;
        };
        if elements.len() != lanes as usize {
            self.vector_size();
            return None;
        }
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            let value = if written {
                self.register(element, ty, fit, true)
            } else {
                self.value(element, ty, fit, false)
            };
            values.push(value?);
        }
        Some(Operand::Vector(values))
    }

    /// Takes the next operand whatever it is.
    pub fn any(&mut self) -> Option<&'s ast::Operand<'a>> {
        self.take()
    }

    // Addresses.

    /// `[a + offset]` in a state space (generic: `None`); or `array[index]`.
    pub fn memory(&mut self, space: Option<StateSpace>, written: bool) {
        let Some(operand) = self.take() else {
            return;
        };
        let address = match operand {
            ast::Operand::Memory(memory) if memory.rest.is_empty() => {
                self.address(memory, space, written)
            }
            ast::Operand::Element { name, .. } => match self.element(operand) {
                Some((symbol, offset)) => {
                    self.symbol_space(symbol, name.text, space, written);
                    let base = AddressBase::Symbol(symbol);
                    let rest = Vec::new();
                    Some(Address { base, offset, rest })
                }
                None => {
                    self.mismatch();
                    None
                }
            },
            _ => {
                self.mismatch();
                None
            }
        };
        self.srcs.extend(address.map(Operand::Memory));
    }

    fn address(
        &mut self,
        memory: &ast::Memory<'a>,
        space: Option<StateSpace>,
        written: bool,
    ) -> Option<Address> {
        let base = match memory.base {
            Base::Absolute => AddressBase::Absolute,
            Base::Name { name, selector } => match self.checker.resolve(name)? {
                Meaning::Register(id) => self.address_register(id, selector, name, space)?,
                meaning => match (symbol(meaning), selector) {
                    (Some(symbol), None) => {
                        self.symbol_space(symbol, name.text, space, written);
                        AddressBase::Symbol(symbol)
                    }
                    _ => {
                        self.mismatch();
                        return None;
                    }
                },
            },
        };
        Some(Address {
            base,
            offset: memory.offset,
            rest: Vec::new(),
        })
    }

    fn address_register(
        &mut self,
        id: RegisterId,
        selector: Option<&str>,
        name: ast::Name<'a>,
        space: Option<StateSpace>,
    ) -> Option<AddressBase> {
        let register = &self.checker.body.registers[id.index()];
        let ty = register.ty;
        if !(ty.is_integer() || ty.is_bits()) || !matches!(ty.bits(), 32 | 64) {
            let name_text = name.text.to_owned();
            let kind = ErrorKind::AddressType {
                name: name_text,
                ty: ty.text(),
            };
            self.checker.error(name.pos, kind);
            return None;
        }
        // A 32-bit register can address the small spaces only.
        let wide_space = matches!(space, None | Some(StateSpace::Global));
        if wide_space && ty.bits() < self.checker.module.address_size {
            self.mismatch();
            return None;
        }
        let any_bits = if ty.bits() == 32 {
            ScalarType::B32
        } else {
            ScalarType::B64
        };
        match self.component(id, selector, any_bits, Fit::Exact, name.pos)? {
            Operand::Component(id, lane) => Some(AddressBase::Component(id, lane)),
            _ => Some(AddressBase::Register(id)),
        }
    }

    /// Says if a variable does not lie in the space that the instruction accesses.
    fn symbol_space(
        &mut self,
        symbol: Symbol,
        name: &str,
        space: Option<StateSpace>,
        written: bool,
    ) {
        use StateSpace as S;
        let of_symbol = match symbol {
            Symbol::Global(id) => self.checker.module.globals[id.index()].space,
            Symbol::Local(id) => self.checker.body.locals[id.index()].space,
            Symbol::Param(_) | Symbol::Return(_) => S::Param,
            Symbol::Function(_) => {
                self.mismatch();
                return;
            }
        };
        let good = match space {
            None => matches!(of_symbol, S::Global | S::Shared | S::Local),
            Some(S::Shared | S::SharedCta | S::SharedCluster) => of_symbol == S::Shared,
            Some(S::Param | S::ParamEntry | S::ParamFunc) => of_symbol == S::Param,
            Some(space) => of_symbol == space,
        };
        if !good {
            let instruction = self.name();
            self.error(ErrorKind::StateSpace { instruction });
        } else if written && matches!(symbol, Symbol::Param(_)) {
            let name = name.to_owned();
            self.error(ErrorKind::WriteParameter { name });
        }
    }

    // Labels.

    /// A label.
    pub fn label(&mut self) {
        let index = self.next;
        let Some(operand) = self.take() else {
            return;
        };
        let ast::Operand::Name {
            name,
            selector: None,
        } = operand
        else {
            self.mismatch();
            return;
        };
        match self.checker.resolve(*name) {
            Some(Meaning::Label(id)) => self.srcs.push(Operand::Label(id)),
            Some(_) => {
                let instruction = self.name();
                self.error(ErrorKind::LabelExpected { index, instruction });
            }
            None => {}
        }
    }

    /// A list of labels.
    pub fn branch_table(&mut self) {
        let index = self.next;
        let Some(ast::Operand::Name {
            name,
            selector: None,
        }) = self.take()
        else {
            self.mismatch();
            return;
        };
        match self.checker.resolve(*name) {
            Some(Meaning::BranchTable(id)) => self.srcs.push(Operand::BranchTable(id)),
            Some(_) => {
                let instruction = self.name();
                self.error(ErrorKind::LabelExpected { index, instruction });
            }
            None => {}
        }
    }
}

/// What has an address.
pub(super) fn symbol(meaning: Meaning) -> Option<Symbol> {
    match meaning {
        Meaning::Local(id) => Some(Symbol::Local(id)),
        Meaning::Param(index) => Some(Symbol::Param(index)),
        Meaning::Return(index) => Some(Symbol::Return(index)),
        Meaning::Global(id) => Some(Symbol::Global(id)),
        Meaning::Function(id) => Some(Symbol::Function(id)),
        Meaning::Register(_)
        | Meaning::Label(_)
        | Meaning::BranchTable(_)
        | Meaning::CallTargets(_)
        | Meaning::Prototype(_) => None,
    }
}
