use super::convert::{f16_of_f32, f32_of_f16};

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
