//! Textures and surfaces: calls of the texture unit.

use super::emit::{Done, Gen};
use crate::ir::{Inst, Value};
use abi::sm::Helpers;
use abi::texture::Instruction;
use std::mem::offset_of;

/// Bytes from one word's lanes to the next one's: 32 words.
const STRIDE: i64 = 128;

/// Where the row of each register begins, bytes.
fn rows() -> impl Iterator<Item = i64> {
    std::iter::successors(Some(0), |at| Some(at + STRIDE))
}

impl Gen<'_, '_> {
    /// Generates an access.
    ///
    /// # Errors
    /// What cannot be generated.
    pub fn texture(&mut self, inst: Inst, access: Instruction) -> Done {
        let data = self.f.insts[inst];
        let args: Vec<Value> = self.f.args(inst).to_vec();
        let results: Vec<Value> = self.f.results(inst).collect();
        let mask = self.guarded(data.guard);
        let (ptr, i32, i64) = (self.b.ptr, self.b.i32, self.b.i64);
        let handle = self.vector(args[0]);
        let handle = self.spilled(handle);
        let words = |n: usize| 32 * u32::try_from(n.max(1)).unwrap_or(1);
        let arguments = self.alloca(self.b.vec(i32, words(args.len() - 1)));
        for (&arg, at) in args[1..].iter().zip(rows()) {
            let v = self.vector(arg);
            let p = self.b.offset(arguments, at);
            self.b.store(v, p, 64);
        }
        let out = self.alloca(self.b.vec(i32, words(results.len())));
        let zero = self.b.zero(self.vt(i32));
        for (_, at) in results.iter().zip(rows()) {
            let p = self.b.offset(out, at);
            self.b.store(zero, p, 64);
        }
        let bits = self.mask_bits32(mask);
        let target = self.helper(offset_of!(Helpers, texture));
        let ty = self
            .b
            .function_type(self.b.void, &[ptr, i32, i32, i64, ptr, ptr, ptr, i32]);
        let (code, line) = (
            self.b.c(i64, access.encode()),
            self.b.c(i32, u64::from(self.line)),
        );
        let warp = self.warp();
        self.b.call(
            ty,
            target,
            &[self.ctx, warp, bits, code, handle, arguments, out, line],
        );
        for (&result, at) in results.iter().zip(rows()) {
            let p = self.b.offset(out, at);
            let v = self.b.load(self.vt(i32), p, 64);
            self.set(result, v);
        }
        Ok(())
    }
}
