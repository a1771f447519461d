use super::*;
use crate::{Policy, check, checked::Checked};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

fn joined(bodies: &[&str]) -> Result<(Linked, Checked), LinkError> {
    let texts: Vec<String> = bodies.iter().map(|body| format!("{HEAD}{body}")).collect();
    let names: Vec<String> = (0..bodies.len()).map(|i| format!("unit{i}")).collect();
    let units: Vec<Unit<'_>> = texts
        .iter()
        .zip(&names)
        .map(|(text, name)| Unit { name, text })
        .collect();
    let linked = link(&units)?;
    let module = crate::parse(&linked.text).expect("what is printed can be read");
    let checked = check(&module, &Policy::default())
        .unwrap_or_else(|errors| panic!("{}\n{}", render_log("linked", &errors), linked.text));
    Ok((linked, checked))
}

fn function<'c>(checked: &'c Checked, name: &str) -> &'c crate::checked::Function {
    checked
        .functions
        .iter()
        .find(|f| f.name == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn what_one_module_declares_another_defines() {
    let (linked, checked) = joined(&[
        ".extern .func (.param .b32 r) f(.param .b32 x);\n.extern .global .align 4 .u32 v;\n\
         .visible .entry k() { .param .b32 a; .param .b32 b; .reg .b32 %r;\n\
         ld.global.u32 %r, [v]; st.param.b32 [a], %r; call (b), f, (a); ret; }",
        ".visible .global .align 4 .u32 v = 7;\n\
         .visible .func (.param .b32 r) f(.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; st.param.b32 [r], %r; ret; }",
    ])
    .expect("links");
    assert_eq!(linked.undefined, []);
    assert!(function(&checked, "f").body.is_some());
    let v: Vec<_> = checked.globals.iter().filter(|g| g.name == "v").collect();
    assert_eq!(v.len(), 1);
    assert_eq!(v[0].init.as_ref().expect("value").bytes, [7, 0, 0, 0]);
}

#[test]
fn a_result_that_the_definition_does_not_have_is_not_asked_for() {
    let (linked, checked) = joined(&[
        ".extern .func (.param .b64 func_retval0) consume(.param .b64 x);\n\
         .visible .entry k() { .reg .b64 %rd; { .param .b64 p; .param .b64 r; st.param.b64 [p], 1;\n\
         call.uni (r), consume, (p); ld.param.b64 %rd, [r]; } ret; }",
        ".visible .func consume(.param .b64 x) { ret; }",
    ])
    .expect("links");
    assert_eq!(linked.undefined, []);
    assert!(function(&checked, "consume").body.is_some());
    assert!(
        linked.text.contains("call.uni consume, (p)"),
        "{}",
        linked.text
    );
}

#[test]
fn a_modules_own_symbols_stay_apart_even_where_they_are_hidden() {
    let (_, checked) = joined(&[
        ".global .u32 own = 1;\n.func help() { ret; }\n\
         .visible .entry a(.param .u64 own$u0) { .reg .b32 %r; ld.global.u32 %r, [own]; call help; ret; }",
        ".global .u32 own = 2;\n.func help() { trap; }\n\
         .visible .entry b(.param .u32 own) { .reg .b32 %r; ld.param.u32 %r, [own]; call help; { bra help; help: ret; } }",
    ])
    .expect("links");
    let own: Vec<_> = checked
        .globals
        .iter()
        .filter(|g| g.name.starts_with("own"))
        .map(|g| g.init.as_ref().expect("value").bytes[0])
        .collect();
    assert_eq!(own, [1, 2]);
    let helps = checked
        .functions
        .iter()
        .filter(|f| f.name.starts_with("help"));
    assert_eq!(helps.count(), 2);
    assert!(!checked.globals.iter().any(|g| g.name == "own$u0"));
}

#[test]
fn strong_before_weak_before_common() {
    let (_, checked) = joined(&[
        ".common .global .align 4 .b8 c[4];\n.weak .func w() { ret; }\n.common .global .u32 d;\n.weak .entry t() { call w; ret; }",
        ".common .global .align 8 .b8 c[16];\n.weak .func w() { trap; }\n.visible .global .u32 d = 5;\n.weak .entry t() { call w; ret; }",
        ".visible .func w() { exit; }",
    ])
    .expect("links");
    let global = |name: &str| {
        checked
            .globals
            .iter()
            .find(|g| g.name == name)
            .expect("there")
    };
    assert_eq!(global("c").size, 16);
    assert_eq!(global("d").init.as_ref().expect("value").bytes[0], 5);
    let body = function(&checked, "w").body.as_ref().expect("defined");
    assert_eq!(body.instructions[0].kind.opcode(), "exit");
    assert_eq!(
        checked.functions.iter().filter(|f| f.name == "t").count(),
        1
    );
}

#[test]
fn dynamic_shared_memory_has_one_place_under_many_types() {
    let (linked, _) = joined(&[
        ".extern .shared .align 4 .b8 s[];\n.visible .entry a() { .reg .b32 %r; ld.shared.u32 %r, [s]; ret; }",
        ".extern .shared .align 16 .u64 s[];\n.visible .entry b() { .reg .b64 %r; ld.shared.u64 %r, [s]; ret; }",
    ])
    .expect("links");
    assert_eq!(linked.undefined, []);
}

#[test]
fn files_are_numbered_anew() {
    let (_, checked) = joined(&[
        ".visible .entry a() { .loc 1 10 0\n ret; }\n.file 1 \"a.cu\"\n.section .debug_str { .b8 0 }",
        ".visible .entry b() { .loc 1 20 0\n { .loc 2 30 0\n ret; } }\n.file 1 \"b.cu\"\n.file 2 \"a.cu\"",
    ])
    .expect("links");
    let files: Vec<_> = checked
        .files
        .iter()
        .map(|f| (f.index, f.name.as_str()))
        .collect();
    assert_eq!(files, [(1, "a.cu"), (2, "b.cu")]);
}

#[test]
fn version_and_target_are_the_newest() {
    let text = |version: &str, target: &str, kernel: &str| {
        format!(
            ".version {version}\n.target {target}\n.address_size 64\n.visible .entry {kernel}() {{ ret; }}"
        )
    };
    let (a, b) = (text("8.5", "sm_75, debug", "a"), text("7.8", "sm_90a", "b"));
    let linked = link(&[
        Unit {
            name: "a",
            text: &a,
        },
        Unit {
            name: "b",
            text: &b,
        },
    ])
    .expect("links");
    assert!(
        linked
            .text
            .starts_with(".version 8.5\n.target sm_90a, debug\n"),
        "{}",
        linked.text
    );
}

#[test]
fn what_cannot_be_linked_is_named() {
    let message = |bodies: &[&str]| joined(bodies).expect_err("no").to_string();
    assert_eq!(
        message(&[".visible .func f() { ret; }", ".visible .func f() { ret; }"]),
        "Multiple definition of 'f' in 'unit1', first defined in 'unit0'"
    );
    assert_eq!(
        message(&[".visible .func f() { ret; }", ".extern .global .u32 f;"]),
        "Type doesn't match for 'f' in 'unit1', first specified in 'unit0'"
    );
    assert_eq!(
        message(&[".visible .global .u32 v;", ".extern .global .u64 v;"]),
        "Size doesn't match for 'v' in 'unit1', first specified in 'unit0'"
    );
    let LinkError::Syntax { unit, errors } =
        joined(&["", ".visible .entry k( { }"]).expect_err("no")
    else {
        panic!("another error");
    };
    assert_eq!((unit.as_str(), errors.len()), ("unit1", 1));
    assert_eq!(link(&[]), Err(LinkError::Nothing));
}

#[test]
fn what_is_not_defined_and_used_is_listed() {
    let (linked, _) = joined(&[
        ".extern .func gone();\n.extern .func unused();\n.extern .func free(.param .b64 p);\n\
         .visible .entry k() { .param .b64 p; st.param.b64 [p], 0; call free, (p); call gone; ret; }",
        ".extern .global .u32 lost;\n.visible .global .u64 p = lost;",
    ])
    .expect("links");
    let messages: Vec<String> = linked.undefined.iter().map(Undefined::message).collect();
    assert_eq!(
        messages,
        [
            "Undefined reference to 'gone' in 'unit0'",
            "Undefined reference to 'lost' in 'unit1'"
        ]
    );
}

#[test]
fn a_declaration_gives_its_linkage_and_an_alias_is_a_definition() {
    let (linked, checked) = joined(&[
        ".visible .func f();\n.func f() { ret; }\n.visible .func g();\n.alias g, f;",
        ".extern .func g();\n.visible .entry k() { call g; ret; }",
    ])
    .expect("links");
    assert_eq!(linked.undefined, []);
    assert_eq!(function(&checked, "f").linkage, Some(Linkage::Visible));
    assert!(function(&checked, "g").alias_of.is_some());
}
