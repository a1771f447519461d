//! Module files: real ELF relocatables with `.modinfo`, exported and missing symbols, as kmod's tools read them. They hold
//! no code that could run.

use object::write::{Object, StandardSection, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope,
};

use super::{MODULES, Module};
use crate::kernel::Kernel;

/// Release of the running kernel, as `uname -r` says it.
#[must_use]
pub fn release() -> String {
    std::fs::read_to_string("/proc/sys/kernel/osrelease")
        .map_or_else(|_| "unknown".into(), |text| text.trim().to_owned())
}

fn describe(parameter: &str) -> Option<&'static str> {
    Some(match parameter {
        "modeset" => "Enable atomic kernel modesetting (1 = enable, 0 = disable (default))",
        "uvm_disable_hmm" => "Force-disable HMM functionality in the UVM driver.",
        "uvm_perf_prefetch_enable" => "Enable prefetching of neighbours of faulting blocks.",
        _ => return None,
    })
}

/// The fields of `.modinfo`, in order.
#[must_use]
pub fn info(kernel: &Kernel, module: &Module) -> Vec<(&'static str, String)> {
    let version = kernel.config().version_text.clone();
    let mut fields = vec![("license", "Dual MIT/GPL".to_owned())];
    if module.name == "nvidia" {
        fields.push(("import_ns", "DMA_BUF".into()));
        fields.push(("alias", "char-major-195-*".into()));
    }
    fields.push(("version", version.clone()));
    fields.push(("supported", "external".into()));
    if module.name == "nvidia" {
        fields.push(("firmware", format!("nvidia/{version}/gsp_tu10x.bin")));
        fields.push(("firmware", format!("nvidia/{version}/gsp_ga10x.bin")));
        for class in ["bc06sc80i00", "bc03sc02i00", "bc03sc00i00"] {
            fields.push(("alias", format!("pci:v000010DEd*sv*sd*{class}*")));
        }
    }
    let hash = blake3::hash(format!("{}\0{version}", module.name).as_bytes());
    fields.push(("srcversion", hash.to_hex()[..23].to_uppercase()));
    fields.push(("depends", module.needs.join(",").replace('_', "-")));
    fields.push(("name", module.name.into()));
    fields.push(("vermagic", format!("{} SMP preempt mod_unload ", release())));
    for (name, kind, _) in module.parameters {
        if let Some(text) = describe(name) {
            fields.push(("parm", format!("{name}:{text}")));
        }
        fields.push(("parmtype", format!("{name}:{kind}")));
    }
    fields
}

/// The file's bytes.
///
/// # Errors
/// What the ELF writer says.
pub fn file(kernel: &Kernel, module: &Module) -> Result<Vec<u8>, object::write::Error> {
    let mut elf = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let mut text = Vec::new();
    for (key, value) in info(kernel, module) {
        text.extend_from_slice(format!("{key}={value}").as_bytes());
        text.push(0);
    }
    let modinfo = elf.add_section(Vec::new(), b".modinfo".to_vec(), SectionKind::ReadOnlyData);
    elf.append_section_data(modinfo, &text, 1);
    let code = elf.section_id(StandardSection::Text);
    // ud2: this must not run.
    elf.append_section_data(code, &[0x0f, 0x0b], 16);
    let symbol = |name: String, section, scope, kind| Symbol {
        name: name.into_bytes(),
        value: 0,
        size: 0,
        kind,
        scope,
        weak: false,
        section,
        flags: SymbolFlags::None,
    };
    elf.add_symbol(symbol(
        "init_module".into(),
        SymbolSection::Section(code),
        SymbolScope::Linkage,
        SymbolKind::Text,
    ));
    if !module.exports.is_empty() {
        let strings = elf.add_section(
            Vec::new(),
            b"__ksymtab_strings".to_vec(),
            SectionKind::ReadOnlyData,
        );
        let table = elf.add_section(Vec::new(), b"__ksymtab".to_vec(), SectionKind::ReadOnlyData);
        for name in module.exports {
            elf.append_section_data(strings, name.as_bytes(), 1);
            elf.append_section_data(strings, &[0], 1);
            elf.append_section_data(table, &[0; 12], 4);
            elf.add_symbol(symbol(
                (*name).into(),
                SymbolSection::Section(code),
                SymbolScope::Linkage,
                SymbolKind::Text,
            ));
            elf.add_symbol(symbol(
                format!("__ksymtab_{name}"),
                SymbolSection::Section(table),
                SymbolScope::Compilation,
                SymbolKind::Data,
            ));
        }
    }
    for name in module.imports {
        elf.add_symbol(symbol(
            (*name).into(),
            SymbolSection::Undefined,
            SymbolScope::Unknown,
            SymbolKind::Unknown,
        ));
    }
    elf.write()
}

/// The module that a module file is, if it is one of the family's.
#[must_use]
pub fn which(bytes: &[u8]) -> Option<&'static Module> {
    use object::{Object as _, ObjectSection as _};
    let elf = object::File::parse(bytes).ok()?;
    let data = elf.section_by_name(".modinfo")?.data().ok()?;
    let name = data
        .split(|byte| *byte == 0)
        .find_map(|field| field.strip_prefix(b"name="))?;
    MODULES.iter().find(|m| m.name.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn a_file_says_which_module_it_is() {
        let config = Config::new(Some("h100"), Some("580.142")).expect("config");
        let kernel = Kernel::new(config, None).expect("kernel");
        for module in MODULES {
            let bytes = file(&kernel, module).expect("written");
            assert_eq!(which(&bytes).map(|m| m.name), Some(module.name));
        }
        assert!(which(b"\x7fELF").is_none() && which(&[]).is_none());
    }
}
