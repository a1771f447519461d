//! A picture of points that ends as a PNG: what plotters draws, with letters of a fixed raster, so that no font of the
//! system is needed.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Weight of all letters.
const WEIGHT: FontWeight = FontWeight::Regular;
/// Texts of this size and more, in plotters' pixels, get the larger letters.
const LARGE: f64 = 16.0;

/// The picture: rows of red, green and blue.
#[derive(Debug)]
pub struct Canvas {
    path: PathBuf,
    size: (u32, u32),
    pixels: Vec<u8>,
}

type Drawn = Result<(), DrawingErrorKind<png::EncodingError>>;

impl Canvas {
    /// A black picture, `size` pixels wide and high, that `present` writes to `path`.
    pub fn new(path: &Path, size: (u32, u32)) -> Self {
        Self {
            path: path.to_owned(),
            size,
            pixels: vec![0; size.0 as usize * size.1 as usize * 3],
        }
    }

    fn write(&self) -> Result<(), png::EncodingError> {
        let mut file = BufWriter::new(File::create(&self.path)?);
        let mut encoder = png::Encoder::new(&mut file, self.size.0, self.size.1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(file.flush()?)
    }
}

fn height(size: f64) -> RasterHeight {
    if size >= LARGE {
        RasterHeight::Size20
    } else {
        RasterHeight::Size16
    }
}

/// Width and height of a text, pixels.
fn extent(text: &str, size: f64) -> (i32, i32) {
    let height = height(size);
    let pixels = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    let width = text.chars().count() * get_raster_width(WEIGHT, height);
    (pixels(width), pixels(height.val()))
}

impl DrawingBackend for Canvas {
    type ErrorType = png::EncodingError;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        self.write().map_err(DrawingErrorKind::DrawingError)
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        let inside = |at: i32, end: u32| u32::try_from(at).ok().filter(|at| *at < end);
        let (Some(x), Some(y)) = (inside(x, self.size.0), inside(y, self.size.1)) else {
            return Ok(());
        };
        let start = (y as usize * self.size.0 as usize + x as usize) * 3;
        let (r, g, b) = color.rgb;
        for (old, new) in self.pixels[start..start + 3].iter_mut().zip([r, g, b]) {
            let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * color.alpha;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between two bytes"
            )]
            let mixed = mixed.round() as u8;
            *old = mixed;
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        let height = height(style.size());
        let (wide, high) = extent(text, style.size());
        let anchor = style.anchor();
        let left = match anchor.h_pos {
            HPos::Left => 0,
            HPos::Center => -wide / 2,
            HPos::Right => -wide,
        };
        let top = match anchor.v_pos {
            VPos::Top => 0,
            VPos::Center => -high / 2,
            VPos::Bottom => -high,
        };
        let (color, turn) = (style.color(), style.transform());
        let letters = text.chars().filter_map(|c| {
            get_raster(c, WEIGHT, height).or_else(|| get_raster('?', WEIGHT, height))
        });
        for (letter, x) in letters.zip((left..).step_by(get_raster_width(WEIGHT, height))) {
            for (row, y) in letter.rows().zip(top..) {
                for (strength, x) in row.iter().zip(x..) {
                    if *strength == 0 {
                        continue;
                    }
                    let (dx, dy) = turn.transform(x, y);
                    let ink = BackendColor {
                        alpha: color.alpha * f64::from(*strength) / 255.0,
                        rgb: color.rgb,
                    };
                    self.draw_pixel((at.0 + dx, at.1 + dy), ink)?;
                }
            }
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
        let (wide, high) = extent(text, style.size());
        Ok((wide.unsigned_abs(), high.unsigned_abs()))
    }
}
