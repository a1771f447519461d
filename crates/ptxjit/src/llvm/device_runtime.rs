//! Calls of the device runtime.

use super::emit::{Done, Gen};
use crate::ir::{Inst, Ty, Value};
use abi::device_runtime::Function;
use abi::sm::Helpers;
use std::mem::offset_of;

/// Bytes from one word's lanes to the next one's: 32 words of 64 bits.
const STRIDE: i64 = 256;

impl Gen<'_, '_> {
    /// Generates a call.
    ///
    /// # Errors
    /// What cannot be generated.
    pub fn device_runtime(&mut self, inst: Inst, function: Function) -> Done {
        let data = self.f.insts[inst];
        let args: Vec<Value> = self.f.args(inst).to_vec();
        let result = self.f.results(inst).next();
        let mask = self.guarded(data.guard);
        let (ptr, i32, i64) = (self.b.ptr, self.b.i32, self.b.i64);
        let words = 32 * u32::try_from(args.len().max(1)).unwrap_or(1);
        let arguments = self.alloca(self.b.vec(i64, words));
        let rows = std::iter::successors(Some(0), |at| Some(at + STRIDE));
        for (&arg, at) in args.iter().zip(rows) {
            let v = self.vector(arg);
            let wide = self.b.zext(v, self.vt(i64));
            let p = self.b.offset(arguments, at);
            self.b.store(wide, p, 64);
        }
        let out = self.alloca(self.b.vec(i64, 32));
        self.b.store(self.b.zero(self.b.vec(i64, 32)), out, 64);
        let bits = self.mask_bits32(mask);
        let warp = self.warp();
        let target = self.helper(offset_of!(Helpers, device_runtime));
        let ty = self
            .b
            .function_type(self.b.void, &[ptr, i32, i32, i32, ptr, ptr]);
        let number = self.b.c(i32, u64::from(function.number()));
        self.b
            .call(ty, target, &[self.ctx, warp, bits, number, arguments, out]);
        if let Some(result) = result {
            let wide = self.b.load(self.vt(i64), out, 64);
            let v = match self.f.ty(result) {
                Ty::B64 => wide,
                _ => self.b.zext(wide, self.vt(i32)),
            };
            self.set(result, v);
        }
        Ok(())
    }
}
