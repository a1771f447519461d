//! Debug locations: the "line" of every instruction is an index into a side table of [`Place`]s, so that a row of
//! LLVM's line table leads to all that [`abi::sm::Line`] says.

use super::build::{Builder, V};
use inkwell::context::Context;
use inkwell::llvm_sys::core::LLVMSetCurrentDebugLocation2;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::module::{FlagBehavior, Module};
use std::collections::HashMap;
use std::ffi::c_uint;

/// What a row of the line table says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// Line of the PTX text.
    pub ptx_line: u32,
    /// `.file` index.
    pub file: u32,
    /// Source line.
    pub source_line: u32,
    /// Bytes that a lane accesses; 0 for no access.
    pub bytes: u16,
    /// One of [`abi::sm::space`].
    pub space: u8,
    /// Bit 0 read, bit 1 write.
    pub access: u8,
}

/// Writes debug locations for one module.
pub struct Lines {
    context: LLVMContextRef,
    builder: LLVMDIBuilderRef,
    file: LLVMMetadataRef,
    scope: LLVMMetadataRef,
    places: Vec<Place>,
    known: HashMap<Place, u32>,
}

impl Drop for Lines {
    fn drop(&mut self) {
        // SAFETY: the builder was created in `new` and is disposed of once.
        unsafe { LLVMDisposeDIBuilder(self.builder) };
    }
}

impl Lines {
    /// Prepares a module.
    pub fn new<'c>(context: &'c Context, module: &Module<'c>) -> Self {
        module.add_basic_value_flag(
            "Debug Info Version",
            FlagBehavior::Warning,
            context.i32_type().const_int(3, false),
        );
        module.add_basic_value_flag(
            "Dwarf Version",
            FlagBehavior::Warning,
            context.i32_type().const_int(4, false),
        );
        let name = c"k".as_ptr();
        // SAFETY: the module is alive; the builder is disposed of before it (by `finish` and drop order of callers);
        // names are one byte long.
        let (builder, file) = unsafe {
            let builder = LLVMCreateDIBuilder(module.as_mut_ptr());
            let file = LLVMDIBuilderCreateFile(builder, name, 1, name, 1);
            LLVMDIBuilderCreateCompileUnit(
                builder,
                LLVMDWARFSourceLanguage::LLVMDWARFSourceLanguageC,
                file,
                name,
                1,
                1,
                name,
                0,
                0,
                name,
                0,
                LLVMDWARFEmissionKind::LLVMDWARFEmissionKindLineTablesOnly,
                0,
                0,
                0,
                name,
                0,
                name,
                0,
            );
            (builder, file)
        };
        Self {
            context: context.raw(),
            builder,
            file,
            scope: std::ptr::null_mut(),
            places: vec![Place::default()],
            known: HashMap::new(),
        }
    }

    /// Begins a function.
    pub fn function(&mut self, function: V) {
        let name = c"k".as_ptr();
        // SAFETY: file and builder are this module's; the function is one of it.
        unsafe {
            let ty = LLVMDIBuilderCreateSubroutineType(
                self.builder,
                self.file,
                std::ptr::null_mut(),
                0,
                0,
            );
            self.scope = LLVMDIBuilderCreateFunction(
                self.builder,
                self.file,
                name,
                1,
                name,
                0,
                self.file,
                0 as c_uint,
                ty,
                1,
                1,
                0,
                0,
                1,
            );
            LLVMSetSubprogram(function.raw(), self.scope);
        }
    }

    /// Following instructions have no place (those of a new function, before the first).
    pub fn clear(&self, b: &Builder<'_>) {
        // SAFETY: the builder is alive; no location is a valid location.
        unsafe { LLVMSetCurrentDebugLocation2(b.raw(), std::ptr::null_mut()) };
    }

    /// Following instructions are of this place.
    pub fn set(&mut self, b: &Builder<'_>, place: Place) {
        let index = *self.known.entry(place).or_insert_with(|| {
            self.places.push(place);
            u32::try_from(self.places.len() - 1).unwrap_or(0)
        });
        // SAFETY: context and scope are alive; the builder is of the same context.
        unsafe {
            let location = LLVMDIBuilderCreateDebugLocation(
                self.context,
                index,
                0,
                self.scope,
                std::ptr::null_mut(),
            );
            LLVMSetCurrentDebugLocation2(b.raw(), location);
        }
    }

    /// Completes the module's debug information; the places by index.
    pub fn finish(self) -> Vec<Place> {
        // SAFETY: the builder is alive.
        unsafe { LLVMDIBuilderFinalize(self.builder) };
        self.places.clone()
    }
}
