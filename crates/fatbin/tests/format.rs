//! The format, by what the writer makes and by hand-made bytes.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use fatbin::{
    Builder, Choice, Compression, Container, DEFAULT_PAYLOAD_LIMIT, Device, EntrySpec, Error,
    Flags, Image, IsaVersion, Kind, Notice, Policy, Reason, Sm, Verdict, Wrapper, classify,
    container_size, cuda_release_of_ptx, oracle, ptx_header, select,
};
use proptest::prelude::*;

const ISA: IsaVersion = IsaVersion::new(9, 0);
const H100: Device = Device {
    cc: Sm::new(90),
    isa: ISA,
};

fn ptx_only(targets: &[Sm]) -> Vec<u8> {
    let mut builder = Builder::new();
    for &sm in targets {
        builder
            .push(&EntrySpec::ptx(sm, ISA, &format!(".target sm_{sm}")))
            .unwrap();
    }
    builder.finish()
}

fn chosen(targets: &[Sm], device: Device, policy: Policy) -> Result<(Sm, Option<Notice>), Reason> {
    let bytes = ptx_only(targets);
    let entries = Container::parse(&bytes).unwrap().to_entries().unwrap();
    match select(&entries, device, policy, |_| Verdict::Foreign) {
        Ok(Choice::Ptx { entry, notice }) => Ok((entry.sm, notice)),
        Ok(Choice::Cubin(_)) => panic!("there is no cubin"),
        Err(none) => Err(none.reason),
    }
}

const STRICT: Policy = Policy {
    force_ptx: false,
    disable_ptx: false,
    strict: true,
};

#[test]
fn what_is_written_is_read() {
    let text = ".version 9.0\n.target sm_90a\n// padding padding padding padding padding\n";
    for compression in [Compression::None, Compression::Lz4, Compression::Zstd] {
        let spec = EntrySpec {
            name: "dir/a.cu",
            options: "-O1 -maxrregcount=32",
            flags: Flags::DEBUG,
            ..EntrySpec::ptx(Sm::arch(90), IsaVersion::new(8, 7), text)
        };
        let bytes = Builder::new()
            .push(&spec.compressed(compression))
            .unwrap()
            .push(&EntrySpec::cubin(Sm::new(121), b"\x7fELFxyz"))
            .unwrap()
            .finish();
        let header = bytes.first_chunk().unwrap();
        assert_eq!(container_size(header), Ok(bytes.len()));
        let mut longer = bytes.clone();
        longer.extend_from_slice(&[0xff; 32]);
        let entries = Container::parse(&longer).unwrap().to_entries().unwrap();
        assert_eq!(entries.len(), 2);
        let ptx = &entries[0];
        assert_eq!(ptx.kind, Kind::Ptx);
        assert_eq!(ptx.sm, Sm::arch(90));
        assert_eq!(ptx.version, IsaVersion::new(8, 7));
        assert!(ptx.flags.has(Flags::DEBUG | Flags::BITS64));
        assert_eq!(ptx.name().unwrap(), "dir/a.cu");
        assert_eq!(ptx.options().unwrap(), "-O1 -maxrregcount=32");
        assert_eq!(ptx.ptx_text(DEFAULT_PAYLOAD_LIMIT).unwrap(), text);
        assert_eq!(entries[1].sm.major(), 12);
        assert!(entries[1].payload(64).unwrap().starts_with(b"\x7fELFxyz"));
        assert!(entries[1].ptx_text(64).is_err());
    }
}

#[test]
fn an_entry_is_read_from_bytes_written_by_hand() {
    // One PTX entry of ISA 8.5 for sm_75, raw, header of 64 bytes, payload ".t\0" padded to 8.
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&[0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 72, 0, 0, 0, 0, 0, 0, 0]);
    let mut entry = [0u8; 72];
    entry[0] = 1;
    entry[2] = 1;
    entry[3] = 1;
    entry[4] = 64;
    entry[8] = 8;
    entry[24] = 5;
    entry[26] = 8;
    entry[28] = 75;
    entry[40] = 0x11;
    entry[64..67].copy_from_slice(b".t\0");
    bytes.extend_from_slice(&entry);
    let entries = Container::parse(&bytes).unwrap().to_entries().unwrap();
    assert_eq!(entries[0].sm, Sm::new(75));
    assert_eq!(entries[0].version, IsaVersion::new(8, 5));
    assert_eq!(entries[0].ptx_text(8).unwrap(), ".t");
    assert_eq!(entries[0].name(), None);
    assert_eq!(entries[0].options(), None);
}

#[test]
fn wrappers_of_both_versions() {
    for wrapper in [
        Wrapper::Whole {
            data: 0x1000,
            filename: 0,
        },
        Wrapper::Relocatable {
            linked: 0x2000,
            prelinked: 0x3000,
        },
    ] {
        let bytes = wrapper.to_bytes();
        assert_eq!(Wrapper::parse(&bytes), Ok(wrapper));
        assert_eq!(classify(&bytes), Image::Wrapper);
        let mut unknown = bytes;
        unknown[4] = 3;
        assert!(matches!(
            Wrapper::parse(&unknown),
            Err(Error::BadVersion { version: 3, .. })
        ));
    }
    assert!(matches!(
        Wrapper::parse(&[0; 24]),
        Err(Error::BadMagic { found: 0, .. })
    ));
    assert!(matches!(
        Wrapper::parse(&[0xb1, 0x43, 0x62]),
        Err(Error::Truncated { .. })
    ));
}

#[test]
fn images_are_told_apart() {
    assert_eq!(classify(&ptx_only(&[])), Image::Container);
    assert_eq!(classify(b"\x7fELF\x02\x01"), Image::Elf);
    assert_eq!(
        classify(b"\n\n// c\n.version 9.0\0rest"),
        Image::Text { end: Some(19) }
    );
    assert_eq!(classify(b".version 9.0"), Image::Text { end: None });
    for unknown in [&b""[..], b"\0", b"abc", b"\x01\x02.version", b".\x01\x02"] {
        assert_eq!(classify(unknown), Image::Unknown, "{unknown:?}");
    }
}

#[test]
fn newest_ptx_that_fits_wins() {
    let plain = Policy::default();
    let new = Sm::new;
    assert_eq!(
        chosen(&[new(50), new(80), new(75), new(120)], H100, plain),
        Ok((new(80), None))
    );
    // An architecture-specific target needs the very architecture, and is then the better one.
    assert_eq!(
        chosen(&[new(90), Sm::arch(90)], H100, plain),
        Ok((Sm::arch(90), None))
    );
    assert_eq!(
        chosen(&[new(70), Sm::arch(80)], H100, plain),
        Ok((new(70), None))
    );
    // Families: same major, same or higher minor.
    let gb = |number| Device {
        cc: new(number),
        isa: ISA,
    };
    assert_eq!(
        chosen(&[new(80), Sm::family(100)], gb(103), plain),
        Ok((Sm::family(100), None))
    );
    assert_eq!(
        chosen(&[new(80), Sm::family(103)], gb(100), plain),
        Ok((new(80), None))
    );
    assert_eq!(
        chosen(&[new(80), Sm::family(100)], gb(120), plain),
        Ok((new(80), None))
    );
}

#[test]
fn newer_ptx_is_taken_with_a_notice_unless_strict() {
    let new = Sm::new;
    assert_eq!(
        chosen(
            &[new(121), new(120), Sm::arch(100)],
            H100,
            Policy::default()
        ),
        Ok((
            new(120),
            Some(Notice::NewerTarget {
                target: new(120),
                cc: new(90)
            })
        ))
    );
    assert_eq!(chosen(&[new(120)], H100, STRICT), Err(Reason::NoBinary));
    let old_driver = Device {
        cc: new(90),
        isa: IsaVersion::new(8, 4),
    };
    assert_eq!(
        chosen(&[new(75)], old_driver, Policy::default()),
        Ok((
            new(75),
            Some(Notice::NewerIsa {
                isa: ISA,
                driver: old_driver.isa
            })
        ))
    );
    assert_eq!(
        chosen(&[new(75)], old_driver, STRICT),
        Err(Reason::PtxTooNew)
    );
}

#[test]
fn cubins_are_taken_only_when_ours_and_allowed() {
    let bytes = Builder::new()
        .push(&EntrySpec::cubin(Sm::new(90), b"\x7fELF real SASS"))
        .unwrap()
        .push(&EntrySpec::cubin(Sm::new(90), b"\x7fELF of ours"))
        .unwrap()
        .push(&EntrySpec::ptx(Sm::new(90), ISA, ".version 9.0"))
        .unwrap()
        .finish();
    let entries = Container::parse(&bytes).unwrap().to_entries().unwrap();
    let judge = |entry: &fatbin::Entry<'_>| {
        if entry.stored().starts_with(b"\x7fELF of ours") {
            Verdict::Ours
        } else {
            Verdict::Foreign
        }
    };
    let plain = select(&entries, H100, Policy::default(), judge);
    assert_eq!(plain, Ok(Choice::Cubin(entries[1])));
    let forced = Policy {
        force_ptx: true,
        ..Policy::default()
    };
    assert!(matches!(
        select(&entries, H100, forced, judge),
        Ok(Choice::Ptx { notice: None, .. })
    ));
    let disabled = Policy {
        disable_ptx: true,
        ..Policy::default()
    };
    assert_eq!(select(&entries, H100, disabled, judge), plain);
    let foreign = select(&entries, H100, disabled, |_| Verdict::Foreign).unwrap_err();
    assert_eq!(foreign.reason, Reason::JitDisabled);
    let sass_only = select(&entries[..1], H100, Policy::default(), judge).unwrap_err();
    assert_eq!(sass_only.reason, Reason::NoBinary);
    assert_eq!(
        sass_only.to_string(),
        "no image for compute capability 9.0; found: SASS sm_90. \
         Build with -gencode arch=compute_90,code=compute_90 to include PTX"
    );
}

#[test]
fn payloads_keep_to_their_limit_and_their_declared_size() {
    let text = "a".repeat(1000);
    for compression in [Compression::Lz4, Compression::Zstd] {
        let bytes = Builder::new()
            .push(&EntrySpec::ptx(Sm::new(90), ISA, &text).compressed(compression))
            .unwrap()
            .finish();
        let payload = |bytes: &[u8], limit| {
            let entries = Container::parse(bytes).unwrap().to_entries().unwrap();
            entries[0].payload(limit).map(|payload| payload.len())
        };
        assert_eq!(payload(&bytes, 1001), Ok(1001));
        assert!(matches!(payload(&bytes, 1000), Err(Error::TooLarge { .. })));
        // The declared size is at byte 56 of the entry, which is at 16.
        for wrong in [1000u64, 1002] {
            let mut spoilt = bytes.clone();
            spoilt[16 + 56..16 + 64].copy_from_slice(&wrong.to_le_bytes());
            assert!(matches!(payload(&spoilt, 4096), Err(Error::Corrupt { .. })));
        }
    }
}

#[test]
fn ptx_headers_and_releases() {
    let header =
        ptx_header("// c\n/* .version 1.0 */\n.version 8.7\n.target sm_90a, debug\n").unwrap();
    assert_eq!(header.version, IsaVersion::new(8, 7));
    assert_eq!(header.target, Sm::arch(90));
    assert_eq!(ptx_header(".version 8.7 .target compute_90"), None);
    assert_eq!(ptx_header(""), None);
    assert_eq!(cuda_release_of_ptx(IsaVersion::new(8, 8)), Some((12, 9)));
    assert_eq!(cuda_release_of_ptx(IsaVersion::new(7, 8)), Some((11, 8)));
    assert_eq!(cuda_release_of_ptx(ISA), Some((13, 0)));
}

#[test]
fn sizes_of_elf_images() {
    let mut header = [0u8; 64];
    header[..4].copy_from_slice(b"\x7fELF");
    header[0x28] = 64; // section table right after the header
    header[0x3a] = 64;
    header[0x3c] = 1;
    assert_eq!(fatbin::elf_tables_size(&header), Ok(128));
    let mut image = header.to_vec();
    let mut section = [0u8; 64];
    section[4] = 1;
    section[0x18] = 200;
    section[0x20] = 56;
    image.extend_from_slice(&section);
    assert_eq!(fatbin::elf_size(&image), Ok(256));
    // A section without bytes in the file does not count.
    image[64 + 4] = 8;
    assert_eq!(fatbin::elf_size(&image), Ok(128));
    assert!(fatbin::elf_size(&image[..100]).is_err());
    header[0x2f] = 0xff;
    assert!(fatbin::elf_tables_size(&header).is_err());
}

#[test]
fn spoilt_containers_are_refused_in_bounds() {
    assert!(
        oracle::check(&oracle::sample()) > 4,
        "the sample itself is good"
    );
    assert_eq!(oracle::run(1, 20_000), 20_000);
    assert!(
        fatbin::elf_size(&oracle::sample_elf()).is_ok(),
        "the ELF sample is well-formed"
    );
    assert_eq!(oracle::run_elf(1, 20_000), 20_000);
}

#[test]
fn every_truncation_of_the_sample_is_refused() {
    let sample = oracle::sample();
    for len in 0..sample.len() {
        assert!(Container::parse(&sample[..len]).is_err(), "at {len}");
    }
}

proptest! {
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        oracle::check(&bytes);
    }

    #[test]
    fn any_tail_after_a_magic(tail in proptest::collection::vec(any::<u8>(), 0..256)) {
        for magic in [fatbin::CONTAINER_MAGIC, fatbin::WRAPPER_MAGIC, 0x464c_457f] {
            let mut bytes = magic.to_le_bytes().to_vec();
            bytes.extend_from_slice(&tail);
            oracle::check(&bytes);
        }
    }

    #[test]
    fn any_payload_survives(
        text in "[ -~\\n]{0,2000}",
        number in 50u32..130,
        codec in 0usize..3,
    ) {
        let compression = [Compression::None, Compression::Lz4, Compression::Zstd][codec];
        let bytes = Builder::new()
            .push(&EntrySpec::ptx(Sm::new(number), ISA, &text).compressed(compression))
            .unwrap()
            .finish();
        let entries = Container::parse(&bytes).unwrap().to_entries().unwrap();
        prop_assert_eq!(entries[0].ptx_text(4096).unwrap(), text);
        prop_assert_eq!(entries[0].sm.number, number);
    }
}
