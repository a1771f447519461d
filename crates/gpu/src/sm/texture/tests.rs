use super::convert::{Format, f16_of_f32, f32_of_f16};
use super::{ARGUMENTS_MAX, Object, lane, warp};
use abi::texture::{
    Descriptor, Detail, Geometry, Header, Instruction, Level, Sampler, What, format, kind, sampler,
};

#[test]
fn halves_go_both_ways() {
    for half in 0..=u16::MAX {
        let value = f32_of_f16(half);
        if value.is_nan() {
            assert!(half & 0x7fff > 0x7c00);
        } else {
            assert_eq!(f16_of_f32(value), half, "{half:#x} = {value}");
        }
    }
    assert_eq!(f16_of_f32(1.0 + 1.0 / 2048.0), 0x3c00, "to even");
    assert_eq!(f16_of_f32(1.0 + 3.0 / 2048.0), 0x3c02, "to even");
    assert_eq!(f16_of_f32(65520.0), 0x7c00);
    assert_eq!(f16_of_f32(65519.0), 0x7bff);
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.next() as usize % list.len()]
    }

    fn coordinate(&mut self) -> f32 {
        let special = [f32::NAN, f32::INFINITY, -1e30, 0.0, 1.0, 3.0e9];
        match self.next() % 16 {
            0 => self.of(&special),
            1..=7 => self.next() as f32 / 2.0e9 * 3.0 - 1.0,
            _ => self.next() as f32 / 2.0e9 * 40.0 - 10.0,
        }
    }
}

/// What a warp does at once and what it does lane by lane are the same bits.
#[test]
fn warps_and_lanes_agree() {
    let mut random = Random(5);
    let texels: Vec<u32> = (0..16 * 9 * 5 * 4)
        .map(|_| (random.next() as f32 / 1.0e9).to_bits() ^ (random.next() % 7))
        .collect();
    let formats = [
        (format::UINT8, 1),
        (format::UINT8, 4),
        (format::SINT8, 2),
        (format::UINT16, 1),
        (format::SINT16, 2),
        (format::UINT16, 4),
        (format::UINT32, 1),
        (format::SINT32, 2),
        (format::HALF, 2),
        (format::FLOAT, 1),
        (format::FLOAT, 2),
        (format::FLOAT, 4),
        (format::UNORM8 + 2, 4),
        (format::SNORM16, 1),
    ];
    let mut at_once = 0;
    for round in 0..4_000 {
        let (number, channels) = random.of(&formats);
        let f = Format::of(number, channels).expect("format");
        let geometry = random.of(&[
            Geometry::D1,
            Geometry::D2,
            Geometry::D2,
            Geometry::D3,
            Geometry::A1,
            Geometry::A2,
        ]);
        let linear_memory = geometry == Geometry::D1 && round % 3 == 0;
        let (width, height, depth) = (1 + random.next() % 16, 1 + random.next() % 9, 5);
        let mut header = Header {
            address: texels.as_ptr().expose_provenance() as u64,
            kind: if linear_memory {
                kind::LINEAR
            } else {
                kind::ARRAY
            },
            format: number,
            channels,
            flags: u32::from(geometry.layered()),
            width,
            height,
            depth,
            levels: 1,
            ..Header::default()
        };
        header.level[0] = Level {
            offset: 0,
            pitch: width * f.element(),
            rows: height,
        };
        let object = Object {
            descriptor: Descriptor {
                header,
                sampler: Sampler {
                    address: core::array::from_fn(|_| random.next() % 4),
                    filter: random.next() % 2,
                    flags: random.of(&[0, 1, 2, 3]) & (sampler::READ_AS_INTEGER | 2),
                    max_level: 100.0,
                    border: [1.0, 2.0, 3.5, 4.0],
                    ..Sampler::default()
                },
            },
            format: f,
        };
        let instruction = Instruction {
            integer: linear_memory || random.next().is_multiple_of(4),
            detail: random.of(&[Detail::Base, Detail::Level]),
            ..Instruction::new(What::Sample, geometry)
        };
        let mut arguments = [[0u32; 32]; ARGUMENTS_MAX];
        for row in &mut arguments {
            for word in row {
                *word = if instruction.integer {
                    (random.next() % 40).wrapping_sub(10)
                } else {
                    random.coordinate().to_bits()
                };
            }
        }
        let mask = random.of(&[u32::MAX, 0x0fff_0f01, 1, 0x8000_0000]);
        let mut results = [[0xabcd_u32; 32]; 4];
        // SAFETY: arguments and results have all rows.
        let done = unsafe {
            warp::sample(
                instruction,
                &object,
                mask,
                arguments.as_ptr(),
                results.as_mut_ptr(),
            )
        };
        at_once += u32::from(done);
        for number in (0..32).filter(|_| done) {
            if mask >> number & 1 == 0 {
                assert_eq!(
                    results[0][number], 0xabcd,
                    "lane {number} is not in the mask"
                );
                continue;
            }
            let words = core::array::from_fn(|n| arguments[n][number]);
            let want = lane(instruction, &object, &words).expect("inside");
            let got = results.map(|row| row[number]);
            let nan = |w: u32| f32::from_bits(w).is_nan();
            assert!(
                got.iter()
                    .zip(&want)
                    .all(|(g, w)| g == w || nan(*g) && nan(*w)),
                "round {round} lane {number}: {got:x?} for {want:x?}, {instruction:?} {object:?} {words:x?}"
            );
        }
    }
    assert_eq!(at_once, 4_000);
}
