//! Migrations over time as a picture: SVG or PNG, by the name's ending.

use super::canvas::Canvas;
use crate::error::Error;
use crate::output;
use kernel::uvm::Report;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;
use std::time::Duration;

/// Width and height, pixels.
const SIZE: (u32, u32) = (960, 480);

/// Points of one direction: seconds, and MiB moved so far.
type Line = Vec<(f64, f64)>;

fn lines(report: &Report) -> [Line; 2] {
    let mut lines = [vec![(0.0, 0.0)], vec![(0.0, 0.0)]];
    for step in &report.history {
        let line = &mut lines[usize::from(step.to == 0)];
        let so_far = line.last().map_or(0.0, |p: &(f64, f64)| p.1);
        let at = Duration::from_micros(step.us).as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "for the eye")]
        let mib = step.bytes as f64 / f64::from(1 << 20);
        line.push((at, so_far));
        line.push((at, so_far + mib));
    }
    lines
}

/// What a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Svg,
    Png,
}

impl Format {
    fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        if ending.eq_ignore_ascii_case("svg") {
            Some(Self::Svg)
        } else if ending.eq_ignore_ascii_case("png") {
            Some(Self::Png)
        } else {
            None
        }
    }
}

/// Draws the last program that moved anything, and says where.
///
/// # Errors
/// The name says no format, there is nothing to draw, or the file cannot be written.
pub fn plot(reports: &[Report], path: &Path) -> Result<(), Error> {
    let failed = |why: &str| Error::Door(format!("{}: {why}", path.display()));
    let format = Format::of(path)
        .ok_or_else(|| failed("plots are SVG or PNG: give a name that ends in .svg or .png"))?;
    let report = reports.iter().rev().find(|r| !r.history.is_empty());
    let report = report.ok_or_else(|| failed("no migrations to draw"))?;
    let written = match format {
        Format::Svg => draw(report, SVGBackend::new(path, SIZE)),
        Format::Png => draw(report, Canvas::new(path, SIZE)),
    };
    written.map_err(|why| failed(&why))?;
    output::line(format_args!("{}", path.display()));
    Ok(())
}

fn draw<B: DrawingBackend>(report: &Report, backend: B) -> Result<(), String> {
    let area = backend.into_drawing_area();
    chart(report, &area).map_err(|why| why.to_string())?;
    area.present().map_err(|why| why.to_string())
}

fn chart<B: DrawingBackend>(
    report: &Report,
    area: &DrawingArea<B, Shift>,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let lines = lines(report);
    let all = lines.iter().flatten();
    let (width, height) = all.fold((1e-6_f64, 1e-3_f64), |most, point| {
        (most.0.max(point.0), most.1.max(point.1))
    });
    area.fill(&WHITE)?;
    let title = format!("{} (pid {}): migrations", report.name, report.pid);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..width * 1.02, 0.0..height * 1.05)?;
    chart
        .configure_mesh()
        .x_desc("seconds")
        .y_desc("MiB moved")
        .max_light_lines(2)
        .draw()?;
    for (line, color, label) in [
        (&lines[0], BLUE, "host to device"),
        (&lines[1], RED, "device to host"),
    ] {
        chart
            .draw_series(LineSeries::new(line.iter().copied(), color))?
            .label(label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(("sans-serif", 15))
        .legend_area_size(40)
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::uvm::{Cause, Move};

    /// A program that moved 1 MiB to the device in four steps, and half of it back at the end.
    fn report() -> Report {
        let step = |us, to, kib: u64| Move {
            us,
            va: 0x2000_0000,
            bytes: kib << 10,
            from: 1 - to,
            to,
            cause: Cause::Fault,
        };
        Report {
            pid: 4711,
            name: "vecadd".into(),
            live: false,
            tracked: true,
            plain: false,
            managed: 1 << 20,
            counters: kernel::uvm::Counters::default(),
            ranges: Vec::new(),
            history: vec![
                step(1000, 1, 256),
                step(2000, 1, 256),
                step(3000, 1, 256),
                step(4000, 1, 256),
                step(8000, 0, 512),
            ],
        }
    }

    #[test]
    fn a_plot_is_what_its_name_says() {
        let refused = plot(&[], Path::new("moves.jpeg")).expect_err("no JPEG");
        assert!(
            refused.to_string().contains("plots are SVG or PNG"),
            "{refused}"
        );
        let empty = plot(&[], Path::new("moves.svg")).expect_err("nothing to draw");
        assert!(empty.to_string().contains("no migrations"), "{empty}");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("moves.svg");
        plot(&[report()], &file).expect("drawn");
        let text = std::fs::read_to_string(&file).expect("written");
        assert!(text.contains("<svg") && text.contains("device to host"));
    }

    #[test]
    fn a_png_shows_both_directions_and_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("moves.PNG");
        plot(&[report()], &file).expect("drawn");
        let bytes = std::io::BufReader::new(std::fs::File::open(&file).expect("written"));
        let mut reader = png::Decoder::new(bytes).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("it fits")];
        let info = reader.next_frame(&mut pixels).expect("one frame");
        assert_eq!((info.width, info.height), SIZE);
        assert_eq!(info.color_type, png::ColorType::Rgb);
        let at = |x: u32, y: u32| -> [u8; 3] {
            let start = (y * SIZE.0 + x) as usize * 3;
            [pixels[start], pixels[start + 1], pixels[start + 2]]
        };
        let all = || (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y)));
        let of = |color: [u8; 3]| -> Vec<(u32, u32)> {
            all().filter(|(x, y)| at(*x, *y) == color).collect()
        };
        let (blue, red) = (of([0, 0, 255]), of([255, 0, 0]));
        // The steps: blue climbs to the top in the left half, red goes half as high at the right edge.
        let top = |dots: &[(u32, u32)], from: u32, to: u32| {
            let inside = dots.iter().filter(|(x, _)| (from..to).contains(x));
            inside.map(|(_, y)| *y).min().expect("drawn there")
        };
        let (high, half) = (top(&blue, 100, 560), top(&red, 900, SIZE.0));
        assert!(
            (40..80).contains(&high) && (200..260).contains(&half),
            "{high} {half}"
        );
        assert!(
            blue.len() > 400 && red.len() > 400,
            "{} {}",
            blue.len(),
            red.len()
        );
        // Words: a title in the first lines, one upright at the left edge, one at the foot.
        let dark = |x: std::ops::Range<u32>, y: std::ops::Range<u32>| {
            y.flat_map(|y| x.clone().map(move |x| (x, y)))
                .filter(|(x, y)| at(*x, *y).iter().all(|c| *c < 100))
                .count()
        };
        assert!(dark(300..660, 8..36) > 200, "title");
        assert!(dark(8..36, 150..330) > 100, "upright");
        assert!(dark(400..600, 440..475) > 60, "foot");
    }
}
