//! Textures and surfaces: `tex`, `tld4`, `txq`, `istypep`, `suld`, `sust`, `sured`, `suq`.
//!
//! Each becomes one operation of the texture unit ([`abi::texture::Instruction`]) on 32-bit words.

use super::{Lower, Result};
use crate::ir::{Op, Sign, Ty, Value};
use abi::texture::{Detail, Edge, Geometry, Instruction as Access, Query, Reduction, What};
use ptx::checked::{Address, AddressBase, Instruction, Operand};
use ptx::kind::Other;

/// Whether the texture unit does this.
pub(super) fn is_texture(other: &Other) -> bool {
    matches!(
        other.opcode.as_str(),
        "tex" | "tld4" | "txq" | "istypep" | "suld" | "sust" | "sured" | "suq"
    )
}

fn geometry(text: &str) -> Option<Geometry> {
    Some(match text {
        "1d" => Geometry::D1,
        "2d" => Geometry::D2,
        "3d" => Geometry::D3,
        "a1d" => Geometry::A1,
        "a2d" => Geometry::A2,
        "cube" => Geometry::Cube,
        "acube" => Geometry::ACube,
        _ => return None,
    })
}

/// Modifiers of an instruction, taken from the front.
struct Words<'a>(std::slice::Iter<'a, String>);

impl<'a> Words<'a> {
    /// The next one, if `take` knows it.
    fn eat<T>(&mut self, take: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = take(self.0.as_slice().first()?)?;
        self.0.next();
        Some(value)
    }

    fn is(&mut self, text: &str) -> bool {
        self.eat(|word| (word == text).then_some(())).is_some()
    }

    fn ended(&self) -> bool {
        self.0.as_slice().is_empty()
    }
}

/// Bytes of `.b8` … `.b64`, and of the numbers of `sured`.
fn bytes(text: &str) -> Option<u8> {
    Some(match text {
        "b8" => 1,
        "b16" => 2,
        "b32" | "u32" | "s32" => 4,
        "b64" | "u64" | "s64" => 8,
        _ => return None,
    })
}

fn edge(text: &str) -> Option<Edge> {
    Some(match text {
        "trap" => Edge::Trap,
        "clamp" => Edge::Clamp,
        "zero" => Edge::Zero,
        _ => return None,
    })
}

fn lanes(text: &str) -> Option<u8> {
    Some(match text {
        "v2" => 2,
        "v4" => 4,
        _ => return None,
    })
}

/// Cache operators change nothing.
fn cache(text: &str) -> Option<()> {
    matches!(text, "ca" | "cg" | "cs" | "cv" | "wb" | "wt").then_some(())
}

/// `tex` and `tld4`.
fn sample(other: &Other) -> Option<Access> {
    let mut words = Words(other.modifiers.iter());
    let gather = other.opcode == "tld4";
    let mut component = 0;
    let mut detail = Detail::Base;
    if gather {
        component = words.eat(|word| {
            Some(match word {
                "r" => 0,
                "g" => 1,
                "b" => 2,
                "a" => 3,
                _ => return None,
            })
        })?;
    } else {
        detail = words
            .eat(|word| {
                Some(match word {
                    "base" => Detail::Base,
                    "level" => Detail::Level,
                    "grad" => Detail::Gradient,
                    _ => return None,
                })
            })
            .unwrap_or(Detail::Base);
    }
    let shape = words.eat(geometry)?;
    let lanes = words.eat(lanes)?;
    let half = words.eat(|word| match word {
        "f32" | "s32" | "u32" => Some(false),
        "f16x2" => Some(true),
        _ => None,
    })?;
    let integer = words.eat(|word| match word {
        "f32" => Some(false),
        "s32" => Some(true),
        _ => None,
    })?;
    let fits = lanes == if half { 2 } else { 4 };
    (words.ended() && fits).then_some(Access {
        detail,
        half,
        integer,
        detail_code: component,
        ..Access::new(if gather { What::Gather } else { What::Sample }, shape)
    })
}

/// `txq` and `suq`.
fn query(other: &Other) -> Option<Access> {
    let mut words = Words(other.modifiers.iter());
    let level = words.is("level");
    let query = words.eat(|word| {
        Some(match word {
            "width" => Query::Width,
            "height" => Query::Height,
            "depth" => Query::Depth,
            "channel_data_type" => Query::ChannelType,
            "channel_order" => Query::ChannelOrder,
            "normalized_coords" => Query::Normalized,
            "array_size" => Query::ArraySize,
            "num_mipmap_levels" => Query::Levels,
            "num_samples" => Query::Samples,
            "force_unnormalized_coords" => Query::ForceUnnormalized,
            "filter_mode" => Query::Filter,
            "addr_mode_0" => Query::AddressMode0,
            "addr_mode_1" => Query::AddressMode1,
            "addr_mode_2" => Query::AddressMode2,
            "memory_layout" => Query::MemoryLayout,
            _ => return None,
        })
    })?;
    (words.is("b32") && words.ended()).then_some(Access {
        detail: if level { Detail::Level } else { Detail::Base },
        detail_code: query as u8,
        ..Access::new(What::Query, Geometry::D1)
    })
}

/// `suld` and `sust`.
fn surface(other: &Other) -> Option<Access> {
    let mut words = Words(other.modifiers.iter());
    let store = other.opcode == "sust";
    let formatted = !words.is("b");
    if formatted && !(store && words.is("p")) {
        return None;
    }
    let shape = words.eat(geometry)?;
    words.eat(cache);
    let lanes = words.eat(lanes).unwrap_or(1);
    let bytes = words.eat(bytes)?;
    let edge = words.eat(edge)?;
    (words.ended() && !(formatted && bytes != 4)).then_some(Access {
        lanes,
        bytes,
        edge,
        formatted,
        ..Access::new(if store { What::Store } else { What::Load }, shape)
    })
}

/// `sured`.
fn reduce(other: &Other) -> Option<Access> {
    let mut words = Words(other.modifiers.iter());
    let formatted = !words.is("b");
    if formatted && !words.is("p") {
        return None;
    }
    let op = words.eat(|word| {
        Some(match word {
            "add" => Reduction::Add,
            "min" => Reduction::UMin,
            "max" => Reduction::UMax,
            "and" => Reduction::And,
            "or" => Reduction::Or,
            _ => return None,
        })
    })?;
    let shape = words.eat(geometry)?;
    let signed = words
        .0
        .as_slice()
        .first()
        .is_some_and(|w| w.starts_with('s'));
    let op = match op {
        Reduction::UMin if signed => Reduction::SMin,
        Reduction::UMax if signed => Reduction::SMax,
        other => other,
    };
    let bytes = words.eat(bytes).filter(|bytes| *bytes >= 4)?;
    let edge = words.eat(edge)?;
    words.ended().then_some(Access {
        bytes,
        edge,
        formatted,
        detail_code: op as u8,
        ..Access::new(What::Reduce, shape)
    })
}

/// `istypep`.
fn is_type(other: &Other) -> Option<Access> {
    let mut words = Words(other.modifiers.iter());
    let code = words.eat(|word| {
        Some(match word {
            "texref" => 0,
            "samplerref" => 1,
            "surfref" => 2,
            _ => return None,
        })
    })?;
    words.ended().then_some(Access {
        detail_code: code,
        ..Access::new(What::IsType, Geometry::D1)
    })
}

impl<'a> Lower<'_, 'a> {
    /// One of the instructions of [`is_texture`].
    pub(super) fn texture(&mut self, i: &'a Instruction, other: &'a Other) -> Result<()> {
        let access = match other.opcode.as_str() {
            "tex" | "tld4" => sample(other),
            "txq" | "suq" => query(other),
            "suld" | "sust" => surface(other),
            "sured" => reduce(other),
            "istypep" => is_type(other),
            _ => None,
        };
        let Some(access) = access else {
            return self.form("these modifiers of a texture or surface instruction");
        };
        match access.what {
            What::Sample | What::Gather => self.sampling(i, access),
            What::Query | What::IsType => {
                let [dst, object, level @ ..] = i.srcs.as_slice() else {
                    return self.form("an operand is missing");
                };
                let handle = match object {
                    Operand::Memory(address) => self.object(address)?,
                    other => self.read(other, Ty::B64)?,
                };
                let mut words = vec![handle];
                match (access.detail, level) {
                    (Detail::Level, [level]) => words.push(self.read(level, Ty::B32)?),
                    (Detail::Base, []) => {}
                    _ => return self.form("these operands"),
                }
                let inst = self.guarded_inst(Op::Texture { access }, &words);
                let value = self.result(inst, 0);
                let value = if access.what == What::IsType {
                    self.narrow(value, Ty::Pred)
                } else {
                    value
                };
                self.dst(Some(dst), value, Sign::Unsigned)
            }
            What::Load => {
                let [dst, Operand::Memory(address)] = i.srcs.as_slice() else {
                    return self.form("these operands");
                };
                let words = self.place_of(address, access)?;
                let inst = self.guarded_inst(Op::Texture { access }, &words);
                self.elements_out(dst, inst, access)
            }
            What::Store | What::Reduce => {
                let [Operand::Memory(address), value] = i.srcs.as_slice() else {
                    return self.form("these operands");
                };
                let mut words = self.place_of(address, access)?;
                let parts = match value {
                    Operand::Vector(parts) => parts.as_slice(),
                    other => std::slice::from_ref(other),
                };
                if parts.len() != usize::from(access.lanes) {
                    return self.form("a vector operand of this size");
                }
                for part in parts {
                    if access.bytes == 8 {
                        let value = self.read(part, Ty::B64)?;
                        for index in 0..2 {
                            words.push(self.op(
                                Op::Extract {
                                    from: Ty::B64,
                                    to: Ty::B32,
                                    index,
                                },
                                &[value],
                            ));
                        }
                    } else {
                        words.push(self.read(part, Ty::B32)?);
                    }
                }
                self.guarded_inst(Op::Texture { access }, &words);
                Ok(())
            }
        }
    }

    fn sampling(&mut self, i: &'a Instruction, access: Access) -> Result<()> {
        let [dst, Operand::Memory(address), more @ ..] = i.srcs.as_slice() else {
            return self.form("these operands");
        };
        let (dst, resident) = match dst {
            Operand::Vector(pair) => match pair.as_slice() {
                [whole @ Operand::Vector(_), resident] => (whole, Some(resident)),
                _ => (dst, None),
            },
            _ => (dst, None),
        };
        let mut words = self.place_of(address, access)?;
        match (access.detail, more) {
            (Detail::Base, []) => {}
            (Detail::Level, [level]) => words.push(self.read(level, Ty::B32)?),
            (Detail::Gradient, [dx, dy]) => {
                for vector in [dx, dy] {
                    self.words(vector, access.geometry.coordinates(), &mut words)?;
                }
            }
            _ => return self.form("offsets and depth comparison"),
        }
        let inst = self.guarded_inst(Op::Texture { access }, &words);
        let Operand::Vector(parts) = dst else {
            return self.form("a destination that is no vector");
        };
        if parts.len() != access.results() as usize {
            return self.form("a vector operand of this size");
        }
        for (number, part) in parts.iter().enumerate() {
            let value = self.result(inst, number);
            self.dst(Some(part), value, Sign::Unsigned)?;
        }
        // All memory is resident here.
        if resident.is_some() {
            let yes = self.constant(Ty::Pred, 1);
            self.dst(resident, yes, Sign::Unsigned)?;
        }
        Ok(())
    }

    /// The object, then layer and coordinates.
    fn place_of(&mut self, address: &'a Address, access: Access) -> Result<Vec<Value>> {
        let mut words = vec![self.object(address)?];
        let [coordinates] = address.rest.as_slice() else {
            return self.form("a sampler of its own (independent texturing mode)");
        };
        self.words(coordinates, access.coordinate_words(), &mut words)?;
        Ok(words)
    }

    /// The first `count` parts of a vector, or a scalar.
    fn words(&mut self, vector: &'a Operand, count: u32, words: &mut Vec<Value>) -> Result<()> {
        let parts = match vector {
            Operand::Vector(parts) => parts.as_slice(),
            other => std::slice::from_ref(other),
        };
        let Some(parts) = parts.get(..count as usize) else {
            return self.form("too few coordinates");
        };
        for part in parts {
            words.push(self.read(part, Ty::B32)?);
        }
        Ok(())
    }

    fn object(&mut self, address: &Address) -> Result<Value> {
        if address.offset != 0 {
            return self.form("an offset to a texture or surface");
        }
        match address.base {
            AddressBase::Register(register) => self.read(&Operand::Register(register), Ty::B64),
            AddressBase::Component(register, component) => {
                self.read(&Operand::Component(register, component), Ty::B64)
            }
            AddressBase::Symbol(symbol) => self.symbol_address(symbol, 0),
            AddressBase::Absolute => self.form("a texture or surface by number"),
        }
    }

    /// Elements of a surface into registers.
    fn elements_out(
        &mut self,
        dst: &'a Operand,
        inst: crate::ir::Inst,
        access: Access,
    ) -> Result<()> {
        let parts = match dst {
            Operand::Vector(parts) => parts.as_slice(),
            other => std::slice::from_ref(other),
        };
        if parts.len() != usize::from(access.lanes) {
            return self.form("a vector operand of this size");
        }
        for (number, part) in parts.iter().enumerate() {
            let value = if access.bytes == 8 {
                let (low, high) = (
                    self.result(inst, 2 * number),
                    self.result(inst, 2 * number + 1),
                );
                self.op(
                    Op::Pack {
                        elem: Ty::B32,
                        to: Ty::B64,
                    },
                    &[low, high],
                )
            } else {
                self.result(inst, number)
            };
            self.dst(Some(part), value, Sign::Unsigned)?;
        }
        Ok(())
    }
}
