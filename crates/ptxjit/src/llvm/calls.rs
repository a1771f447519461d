//! Functions that were not inlined: recursive ones, and large ones with several callers.
//!
//! A function works on a whole warp: it gets the context, the strip, the mask of the calling lanes, where its frame
//! starts in local memory, its arguments by lane, and a place for its results.

use super::build::{Icmp, T, V};
use super::emit::{Done, Gen, Mask};
use crate::ir::{Func, Function, Op, Ty, Value};
use abi::sm::trap;

/// Local memory of a thread for frames beyond the kernel's, where functions are called: bytes.
pub const CALL_STACK: u32 = 16 << 10;
/// Least part of it that a call takes, so that recursion without local variables ends, too.
const LEAST_FRAME: u32 = 32;
/// Host stack for calls: as many frames as fit the local memory, 8 KiB each.
pub const HOST_STACK: u32 = CALL_STACK / LEAST_FRAME * (8 << 10);

/// Whether a function's frame grows while it runs.
pub(super) fn has_dynamic_frame(f: &Function) -> bool {
    f.insts.values().any(|i| matches!(i.op, Op::Alloca { .. }))
}

impl Gen<'_, '_> {
    /// Type of a value by lane in a call.
    fn passed(&self, ty: Ty) -> T {
        if ty == Ty::Pred {
            self.mask_type()
        } else {
            self.vt(self.int(ty))
        }
    }

    /// The LLVM function for a function of the module.
    pub(super) fn callee(&mut self, func: Func) -> (V, T) {
        if let Some(&known) = self.callees.get(&func) {
            return known;
        }
        let sig = &self.module.sigs[self.module.functions[func].sig];
        let mut types = vec![
            self.b.ptr,
            self.b.i32,
            self.mask_type(),
            self.b.i32,
            self.b.ptr,
        ];
        let given = self.given.get(&func);
        types.extend(sig.params.iter().enumerate().map(|(i, &t)| {
            match given.is_some_and(|g| g[i].is_some()) {
                true => self.int(t),
                false => self.passed(t),
            }
        }));
        let ty = self.b.function_type(self.b.void, &types);
        let function = self.b.function(&format!("antl.{func}"), ty);
        self.b.internal(function);
        self.callees.insert(func, (function, ty));
        (function, ty)
    }

    pub(super) fn call(&mut self, func: Func, results: &[Value], args: &[Value]) -> Done {
        let (function, ty) = self.callee(func);
        let i32 = self.b.i32;
        let own = self.own_frame();
        let height = if has_dynamic_frame(self.f) {
            // Above the highest of the calling lanes.
            let slot = self.stack_slot();
            let t = self.vt(i32);
            let heights = self.b.load(t, slot, 64);
            let heights = self.blend(self.mask, heights, self.b.c(t, u64::from(own)));
            let highest = self.b.intr("llvm.vector.reduce.umax", &[heights]);
            let highest = self.b.add(highest, self.b.c(i32, 15));
            self.b.and(highest, self.b.c(i32, 0xffff_fff0))
        } else {
            self.b.c(i32, u64::from(own))
        };
        let base = match self.frame_base {
            Some(base) => self.b.add(base, height),
            None => height,
        };
        let types: Vec<T> = results.iter().map(|&r| self.passed(self.f.ty(r))).collect();
        let place = self.b.structure(&types);
        let out = self.alloca(place);
        let mask = self.mask_value(self.mask);
        let mut values = vec![self.ctx, self.strip, mask, base, out];
        let given = self.given.get(&func).cloned();
        for (i, &arg) in args.iter().enumerate() {
            let same = given.as_ref().is_some_and(|g| g[i].is_some());
            let v = if same {
                self.scalar(arg)
            } else if self.f.ty(arg) == Ty::Pred {
                let p = self.lane_pred(arg);
                self.mask_of(p)
            } else {
                self.vector(arg)
            };
            values.push(v);
        }
        self.b.call(ty, function, &values);
        for (i, (&r, &t)) in results.iter().zip(&types).enumerate() {
            let p = self.field_place(place, out, i);
            let v = self.b.load(t, p, 16);
            let v = if self.f.ty(r) == Ty::Pred {
                self.pred_of(v)
            } else {
                v
            };
            self.set(r, v);
        }
        Ok(())
    }

    /// Bytes of this function's frame.
    fn own_frame(&self) -> u32 {
        // What comes in is already the end of the kernel's.
        if self.is_piece {
            return 0;
        }
        self.f.frame().max(LEAST_FRAME).next_multiple_of(16)
    }

    /// Where each lane's height of the frame is kept.
    fn stack_slot(&mut self) -> V {
        if let Some(slot) = self.stack {
            return slot;
        }
        let t = self.vt(self.b.i32);
        let slot = self.alloca(t);
        let start = self.b.c(t, u64::from(self.own_frame()));
        self.fresh.push((slot, start));
        self.stack = Some(slot);
        slot
    }

    /// `alloca`, `stacksave`, `stackrestore`: heights count from the frame's start.
    pub(super) fn stack_operation(&mut self, op: Op, results: &[Value], args: &[Value]) {
        let slot = self.stack_slot();
        let t = self.vt(self.b.i32);
        let height = self.b.load(t, slot, 64);
        let mask = self.mask;
        match op {
            Op::StackSave => self.set(results[0], height),
            Op::StackRestore => {
                let v = self.vector(args[0]);
                let v = self.blend(mask, v, height);
                self.b.store(v, slot, 64);
            }
            Op::Alloca { align } => {
                let size = self.vector(args[0]);
                let base = match self.frame_base {
                    Some(base) => self.b.splat(base, self.w),
                    None => self.b.zero(t),
                };
                let align = u64::from(align.max(1));
                let start = self.b.add(base, height);
                let start = self.b.add(start, self.b.c(t, align - 1));
                let start = self.b.and(start, self.b.c(t, !(align - 1) & 0xffff_ffff));
                let limit = self.b.c(t, u64::from(self.local_bytes));
                let room = self.b.intr("llvm.usub.sat", &[limit, start]);
                let over = self.b.icmp(Icmp::LLVMIntUGT, size, room);
                let over = self.mask_and(mask, over);
                let any = self.any(over);
                let (cold, fits) = (self.b.block(self.function), self.b.block(self.function));
                self.b.cond(any, cold, fits);
                self.b.at(cold);
                let lanes = self.mask_bits32(over);
                let at = self.b.c(self.b.i64, u64::from(self.local_bytes));
                self.trap(trap::STACK_OVERFLOW, lanes, at);
                self.b.at(fits);
                let end = self.b.add(start, size);
                let end = self.b.sub(end, base);
                let end = self.blend(mask, end, height);
                self.b.store(end, slot, 64);
                self.set(results[0], start);
            }
            _ => {}
        }
    }

    fn field_place(&self, structure: T, at: V, index: usize) -> V {
        let i32 = self.b.i32;
        self.b.gep(
            structure,
            at,
            &[self.b.c(i32, 0), self.b.c(i32, index as u64)],
        )
    }

    /// The results of the lanes at hand.
    pub(super) fn give_back(&mut self, values: &[Value]) {
        let Some(slots) = self.returns.clone() else {
            return;
        };
        for (&v, slot) in values.iter().zip(slots) {
            let new = if self.f.ty(v) == Ty::Pred {
                let p = self.lane_pred(v);
                self.mask_of(p)
            } else {
                self.vector(v)
            };
            let old = self.b.load(self.b.type_of(new), slot, 64);
            let new = self.blend(self.mask, new, old);
            self.b.store(new, slot, 64);
        }
    }

    /// `exit` ends threads: in a function that was not inlined, the caller would not know.
    pub(super) fn no_exit(&mut self) -> Done {
        if self.returns.is_some() {
            self.refuse("exit in a function that cannot be inlined")
        } else {
            Ok(())
        }
    }

    /// The body of a function that is not the kernel.
    pub(super) fn function_body(&mut self) -> Done {
        let f = self.f;
        let function = self.function;
        self.strip = self.b.param(function, 1);
        self.entry_mask = Mask::Some(self.b.param(function, 2));
        let base = self.b.param(function, 3);
        self.frame_base = Some(base);
        let out = self.b.param(function, 4);
        let types: Vec<T> = self.module.sigs[f.sig]
            .results
            .iter()
            .map(|&t| self.passed(t))
            .collect();
        let slots: Vec<V> = types.iter().map(|&t| self.alloca(t)).collect();
        for (&slot, &t) in slots.iter().zip(&types) {
            let zero = self.b.zero(t);
            self.fresh.push((slot, zero));
        }
        self.returns = Some(slots.clone());
        let (reset, room, body, cold, end) = (
            self.b.block(function),
            self.b.block(function),
            self.b.block(function),
            self.b.block(function),
            self.b.block(function),
        );
        self.b.at(room);
        let frame = f.frame().max(LEAST_FRAME);
        let last = self.local_bytes.saturating_sub(frame);
        let full = if self.is_piece {
            // It has no frame of its own.
            self.b.c(self.b.i1, 0)
        } else {
            self.b.icmp(
                Icmp::LLVMIntUGT,
                base,
                self.b.c(self.b.i32, u64::from(last)),
            )
        };
        self.b.cond(full, cold, body);
        self.b.at(cold);
        let lanes = self.mask_bits32(self.entry_mask);
        let at = self.b.zext(base, self.b.i64);
        self.trap(trap::STACK_OVERFLOW, lanes, at);
        self.b.at(body);
        let params: Vec<Value> = f.blocks[f.entry].params.clone();
        for (i, &p) in params.iter().enumerate() {
            let v = self.b.param(function, 5 + u32::try_from(i).unwrap_or(0));
            self.pass(p, v);
        }
        self.region(
            f.entry.0 as usize,
            false,
            &mut |g, _| g.refuse("a barrier here"),
            end,
        )?;
        self.b.at(end);
        let place = self.b.structure(&types);
        for (i, (&slot, &t)) in slots.iter().zip(&types).enumerate() {
            let v = self.b.load(t, slot, 64);
            let p = self.field_place(place, out, i);
            self.b.store(v, p, 16);
        }
        self.b.ret();
        super::kernel::begin(self, reset, room);
        Ok(())
    }
}
