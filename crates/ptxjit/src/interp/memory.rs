//! The state spaces: windows, bounds, alignment, atomics.
use super::{LOCAL_BASE, Launch, Memory, PARAM_BASE, SHARED_BASE, StopKind, WINDOW};
use crate::ir::fold::fold;
use crate::ir::{Access, Float, FloatMode, Int, IntCmp, Op, Rmw, Round, Sign, Space};

/// What a thread can reach, but for its own local memory.
pub struct Spaces<'s> {
    pub launch: &'s Launch<'s>,
    pub shared: &'s mut Vec<u8>,
    pub memory: &'s mut dyn Memory,
}

/// First generic address of a window.
pub fn window(space: Space) -> u64 {
    match space {
        Space::Shared => SHARED_BASE,
        Space::Local => LOCAL_BASE,
        Space::Param => PARAM_BASE,
        Space::Generic | Space::Global | Space::Const => 0,
    }
}

/// Whether a generic address is in a space.
pub fn is_in(space: Space, address: u64) -> bool {
    let inside = |base: u64| address.wrapping_sub(base) < WINDOW;
    match space {
        Space::Shared | Space::Local | Space::Param => inside(window(space)),
        Space::Global => ![SHARED_BASE, LOCAL_BASE, PARAM_BASE]
            .into_iter()
            .any(inside),
        Space::Generic => true,
        Space::Const => false,
    }
}

/// Where an access really goes.
fn resolve(space: Space, address: u64) -> (Space, u64) {
    if space != Space::Generic {
        return (space, address);
    }
    for space in [Space::Shared, Space::Local, Space::Param] {
        if is_in(space, address) {
            return (space, address - window(space));
        }
    }
    (Space::Global, address)
}

impl Spaces<'_> {
    fn read(
        &mut self,
        local: &mut [u8],
        space: Space,
        address: u64,
        bytes: &mut [u8],
    ) -> Result<(), StopKind> {
        let source: &[u8] = match space {
            Space::Shared => self.shared,
            Space::Local => local,
            Space::Param => self.launch.params,
            Space::Generic | Space::Global | Space::Const => {
                return if self.memory.read(address, bytes) {
                    Ok(())
                } else {
                    Err(StopKind::Illegal(address))
                };
            }
        };
        let start = usize::try_from(address).map_err(|_| StopKind::Illegal(address))?;
        let range = start..start.saturating_add(bytes.len());
        bytes.copy_from_slice(source.get(range).ok_or(StopKind::Illegal(address))?);
        Ok(())
    }

    fn write(
        &mut self,
        local: &mut [u8],
        space: Space,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), StopKind> {
        let target: &mut [u8] = match space {
            Space::Shared => self.shared,
            Space::Local => local,
            Space::Param => return Err(StopKind::Illegal(address)),
            Space::Generic | Space::Global | Space::Const => {
                return if self.memory.write(address, bytes) {
                    Ok(())
                } else {
                    Err(StopKind::Illegal(address))
                };
            }
        };
        let start = usize::try_from(address).map_err(|_| StopKind::Illegal(address))?;
        let range = start..start.saturating_add(bytes.len());
        target
            .get_mut(range)
            .ok_or(StopKind::Illegal(address))?
            .copy_from_slice(bytes);
        Ok(())
    }

    /// Space and address of an access, aligned.
    fn place(access: Access, address: u64) -> Result<(Space, u64), StopKind> {
        let mut address = address.wrapping_add_signed(i64::from(access.offset));
        if access.space.address() == crate::ir::Ty::B32 {
            address &= 0xffff_ffff;
        }
        if address % u64::from(access.bytes()) != 0 {
            return Err(StopKind::Misaligned(address));
        }
        Ok(resolve(access.space, address))
    }

    /// Reads the elements of an access.
    pub fn load(
        &mut self,
        local: &mut [u8],
        access: Access,
        address: u64,
        values: &mut Vec<u128>,
    ) -> Result<(), StopKind> {
        let (space, address) = Self::place(access, address)?;
        let mut bytes = [0u8; 128];
        let bytes = &mut bytes[..access.bytes() as usize];
        self.read(local, space, address, bytes)?;
        for element in bytes.chunks(access.elem.bytes() as usize) {
            let mut wide = [0u8; 16];
            wide[..element.len()].copy_from_slice(element);
            values.push(u128::from_le_bytes(wide));
        }
        Ok(())
    }

    /// Writes the elements of an access.
    pub fn store(
        &mut self,
        local: &mut [u8],
        access: Access,
        address: u64,
        values: &[u128],
    ) -> Result<(), StopKind> {
        let (space, address) = Self::place(access, address)?;
        let size = access.elem.bytes() as usize;
        let mut bytes = Vec::with_capacity(access.bytes() as usize);
        for value in values {
            bytes.extend_from_slice(&value.to_le_bytes()[..size]);
        }
        self.write(local, space, address, &bytes)
    }

    /// Changes memory; what was there.
    pub fn atomic(
        &mut self,
        local: &mut [u8],
        rmw: Rmw,
        access: Access,
        address: u64,
        b: u128,
        c: u128,
    ) -> Result<u128, StopKind> {
        let (space, place) = Self::place(access, address)?;
        let size = access.elem.bytes() as usize;
        let mut bytes = [0u8; 16];
        self.read(local, space, place, &mut bytes[..size])?;
        let old = u128::from_le_bytes(bytes);
        let new = update(rmw, access.elem.bits(), space == Space::Global, old, b, c);
        self.write(local, space, place, &new.to_le_bytes()[..size])?;
        Ok(old)
    }

    /// A byte at a generic address.
    pub fn byte(&mut self, local: &mut [u8], address: u64) -> Result<u8, StopKind> {
        let (space, address) = resolve(Space::Generic, address);
        let mut byte = [0];
        self.read(local, space, address, &mut byte)?;
        Ok(byte[0])
    }

    /// A NUL-terminated string at a generic address, cut at 64 KiB.
    pub fn string(&mut self, local: &mut [u8], address: u64) -> Result<Vec<u8>, StopKind> {
        let mut text = Vec::new();
        for n in 0..1 << 16 {
            match self.byte(local, address.wrapping_add(n))? {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }
}

/// What an atomic leaves in memory.
fn update(rmw: Rmw, bits: u32, global: bool, m: u128, b: u128, c: u128) -> u128 {
    let mask = u128::MAX >> (128 - bits);
    let w = Int::of_bits(bits).unwrap_or(Int::I64);
    let by = |op: Op| fold(&op, &[m, b]).map_or(m, |results| results[0]);
    let add = |fmt: Float, ftz: bool| {
        by(Op::FAdd {
            fmt,
            mode: FloatMode {
                round: Round::Nearest,
                ftz,
                sat: false,
            },
        })
    };
    let least = |fmt: Float| {
        by(Op::FMin {
            fmt,
            ftz: false,
            nan: false,
            xorsign: false,
        })
    };
    let most = |fmt: Float| {
        by(Op::FMax {
            fmt,
            ftz: false,
            nan: false,
            xorsign: false,
        })
    };
    let above = |a: u128, b: u128| {
        fold(
            &Op::ICmp {
                w: Int::I32,
                cmp: IntCmp::Uge,
            },
            &[a, b],
        )
        .is_some_and(|results| results[0] == 1)
    };
    mask & match rmw {
        Rmw::And => m & b,
        Rmw::Or => m | b,
        Rmw::Xor => m ^ b,
        Rmw::Exch => b,
        Rmw::Cas => {
            if m == b {
                c
            } else {
                m
            }
        }
        Rmw::Add => m.wrapping_add(b),
        Rmw::Inc => {
            if above(m, b) {
                0
            } else {
                m + 1
            }
        }
        Rmw::Dec => {
            if m == 0 || !above(b, m) {
                b
            } else {
                m - 1
            }
        }
        Rmw::Smin => by(Op::Min {
            w,
            sign: Sign::Signed,
        }),
        Rmw::Smax => by(Op::Max {
            w,
            sign: Sign::Signed,
        }),
        Rmw::Umin => by(Op::Min {
            w,
            sign: Sign::Unsigned,
        }),
        Rmw::Umax => by(Op::Max {
            w,
            sign: Sign::Unsigned,
        }),
        // Global memory flushes subnormals, shared memory keeps them (PTX ISA 9.0, atom).
        Rmw::AddF32 => add(Float::F32, global),
        Rmw::AddF64 => add(Float::F64, false),
        Rmw::AddF16 => add(Float::F16, false),
        Rmw::AddF16x2 => add(Float::F16x2, false),
        Rmw::AddBf16 => add(Float::Bf16, false),
        Rmw::AddBf16x2 => add(Float::Bf16x2, false),
        Rmw::MinF16 => least(Float::F16),
        Rmw::MaxF16 => most(Float::F16),
        Rmw::MinF16x2 => least(Float::F16x2),
        Rmw::MaxF16x2 => most(Float::F16x2),
        Rmw::MinBf16 => least(Float::Bf16),
        Rmw::MaxBf16 => most(Float::Bf16),
        Rmw::MinBf16x2 => least(Float::Bf16x2),
        Rmw::MaxBf16x2 => most(Float::Bf16x2),
        Rmw::Mbarrier => {
            let word = |v: u128| u64::try_from(v & mask).unwrap_or(0);
            u128::from(Rmw::mbarrier(word(m), word(b)))
        }
    }
}
