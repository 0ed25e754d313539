//! SVG pictures of screens.
//!
//! In: the cells of a screen. Out: an SVG file: a rectangle a background, a text a run of cells of one style.
//! Several screens are one file in which they follow each other.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr as _;

/// Pixels of a cell, at a font size of 14.
const CELL: (f32, f32) = (8.4, 18.0);

/// Where the lines of text stand in their cells.
const BASELINE: f32 = 13.5;

/// Pixels around the screen.
const MARGIN: f32 = 10.0;

/// How long each of several screens is there.
const SECONDS: usize = 4;

const BACKGROUND: &str = "#16181d";
const FOREGROUND: &str = "#d5d8de";

/// A terminal's sixteen colours.
const ANSI: [&str; 16] = [
    "#3b4048", "#e5646e", "#8cc570", "#d9b35c", "#61a8ef", "#c678dd", "#56b6c2", "#d5d8de",
    "#6b717d", "#f08a92", "#a9d992", "#ecd08a", "#8cc2f7", "#d9a0ea", "#84d0da", "#ffffff",
];

/// How a run of cells looks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Look {
    text: String,
    ground: Option<String>,
    modifier: Modifier,
}

impl Look {
    fn of(cell: &Cell) -> Self {
        let (front, back) = (colour(cell.fg), colour(cell.bg));
        let modifier = cell.modifier;
        if modifier.contains(Modifier::REVERSED) {
            return Self {
                text: back.unwrap_or_else(|| BACKGROUND.to_owned()),
                ground: Some(front.unwrap_or_else(|| FOREGROUND.to_owned())),
                modifier,
            };
        }
        Self {
            text: front.unwrap_or_else(|| FOREGROUND.to_owned()),
            ground: back,
            modifier,
        }
    }

    /// Returns the attributes of a text that looks so.
    fn attributes(&self) -> String {
        let mut attributes = String::new();
        if self.text != FOREGROUND {
            let _infallible = write!(attributes, r#" fill="{}""#, self.text);
        }
        for (modifier, attribute) in [
            (Modifier::BOLD, r#" font-weight="bold""#),
            (Modifier::ITALIC, r#" font-style="italic""#),
            (Modifier::DIM, r#" opacity=".6""#),
            (Modifier::UNDERLINED, r#" text-decoration="underline""#),
            (Modifier::CROSSED_OUT, r#" text-decoration="line-through""#),
        ] {
            if self.modifier.contains(modifier) {
                attributes.push_str(attribute);
            }
        }
        attributes
    }
}

/// Returns a screen as an SVG file; the title says what is on it to who cannot see it.
pub(crate) fn picture(buffer: &Buffer, title: &str) -> String {
    let columns = buffer.area.width;
    let (width, height) = size(buffer);
    let mut svg = format!(
        concat!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" "#,
            r#"width="{width:.0}" height="{height:.0}" role="img" font-size="14" fill="{front}" "#,
            r#"font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace">"#,
            "\n<title>{title}</title>\n",
            r#"<rect width="100%" height="100%" rx="8" fill="{back}"/>"#,
            "\n"
        ),
        width = width,
        height = height,
        front = FOREGROUND,
        back = BACKGROUND,
        title = escaped(title),
    );
    for (row, cells) in buffer.content().chunks(usize::from(columns)).enumerate() {
        push_row(&mut svg, cells, MARGIN + row as f32 * CELL.1);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns screens that follow each other as one SVG file. Who wants no motion sees the one with the number `still`.
pub(crate) fn moving(screens: &[(&Buffer, &str)], still: usize, title: &str) -> String {
    let sizes = screens.iter().map(|(buffer, _)| size(buffer));
    let (width, height) = sizes.fold((0.0_f32, 0.0_f32), |most, one| {
        (most.0.max(one.0), most.1.max(one.1))
    });
    let count = screens.len();
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" role="img">
<title>{}</title>
<style>
.screen{{visibility:hidden;animation:screen {}s step-end infinite}}
@keyframes screen{{0%{{visibility:visible}}{:.2}%,100%{{visibility:hidden}}}}
@media(prefers-reduced-motion:reduce){{.screen{{animation:none}}.still{{visibility:visible}}}}
</style>
<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>
"#,
        escaped(title),
        count * SECONDS,
        100.0 / count as f32,
    );
    for (at, (buffer, title)) in screens.iter().enumerate() {
        let class = if at == still {
            "screen still"
        } else {
            "screen"
        };
        let delay = at * SECONDS;
        let _infallible = write!(
            svg,
            r#"<g class="{class}" style="animation-delay:{delay}s">
{}</g>
"#,
            picture(buffer, title)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns width and height of a picture of a screen.
fn size(buffer: &Buffer) -> (f32, f32) {
    let (columns, rows) = (buffer.area.width, buffer.area.height);
    let width = f32::from(columns) * CELL.0 + 2.0 * MARGIN;
    let height = f32::from(rows) * CELL.1 + 2.0 * MARGIN;
    (width, height)
}

fn push_row(svg: &mut String, cells: &[Cell], top: f32) {
    for (first, text, look) in runs(cells) {
        let x = MARGIN + first as f32 * CELL.0;
        let width = text.width() as f32 * CELL.0;
        if let Some(ground) = &look.ground {
            let height = CELL.1;
            let _infallible = writeln!(
                svg,
                r#"<rect x="{x:.1}" y="{top}" width="{width:.1}" height="{height}" fill="{ground}"/>"#
            );
        }
        if text.trim().is_empty() {
            continue;
        }
        let kept = text.trim_end();
        let width = kept.width() as f32 * CELL.0;
        let (y, attributes, text) = (top + BASELINE, look.attributes(), escaped(kept));
        // Fonts differ in their width, and columns are to stay columns.
        let _infallible = writeln!(
            svg,
            r#"<text x="{x:.1}" y="{y}" textLength="{width:.1}" xml:space="preserve"{attributes}>{text}</text>"#
        );
    }
}

/// Returns the runs of cells that look alike, with the column of the first.
fn runs(cells: &[Cell]) -> Vec<(usize, String, Look)> {
    let mut runs: Vec<(usize, String, Look)> = Vec::new();
    let mut skip = 0;
    for (at, cell) in cells.iter().enumerate() {
        // The second half of a wide character has no text of its own.
        if skip > 0 {
            skip -= 1;
            continue;
        }
        skip = cell.symbol().width().saturating_sub(1);
        let look = Look::of(cell);
        match runs.last_mut() {
            Some((_, text, last)) if *last == look => text.push_str(cell.symbol()),
            _ => runs.push((at, cell.symbol().to_owned(), look)),
        }
    }
    runs
}

fn colour(colour: Color) -> Option<String> {
    let named = |at: usize| Some(ANSI[at].to_owned());
    match colour {
        Color::Reset => None,
        Color::Black => named(0),
        Color::Red => named(1),
        Color::Green => named(2),
        Color::Yellow => named(3),
        Color::Blue => named(4),
        Color::Magenta => named(5),
        Color::Cyan => named(6),
        Color::Gray => named(7),
        Color::DarkGray => named(8),
        Color::LightRed => named(9),
        Color::LightGreen => named(10),
        Color::LightYellow => named(11),
        Color::LightBlue => named(12),
        Color::LightMagenta => named(13),
        Color::LightCyan => named(14),
        Color::White => named(15),
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        Color::Indexed(at) => Some(indexed(at)),
    }
}

/// Returns one of a terminal's 256 colours: sixteen of its own, a cube of six a side, and greys.
fn indexed(at: u8) -> String {
    let step = |level: u8| if level == 0 { 0 } else { 55 + 40 * level };
    match at {
        0..16 => ANSI[usize::from(at)].to_owned(),
        16..232 => {
            let at = at - 16;
            let (red, green, blue) = (step(at / 36), step(at / 6 % 6), step(at % 6));
            format!("#{red:02x}{green:02x}{blue:02x}")
        }
        232.. => {
            let grey = 8 + 10 * (at - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[test]
fn cells_of_one_look_are_one_text_and_markup_is_escaped() {
    use ratatui::layout::Rect;
    use ratatui::style::Style;
    let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 1));
    buffer.set_string(0, 0, "a<b&", Style::new().fg(Color::Red));
    buffer.set_string(
        4,
        0,
        "漢c",
        Style::new()
            .fg(Color::Indexed(231))
            .add_modifier(Modifier::REVERSED),
    );
    let svg = picture(&buffer, "<t>");
    for expected in [
        "<title>&lt;t&gt;</title>",
        r##"textLength="33.6" xml:space="preserve" fill="#e5646e">a&lt;b&amp;</text>"##,
        r##"<rect x="43.6" y="10" width="25.2" height="18" fill="#ffffff"/>"##,
        r##"fill="#16181d">漢c</text>"##,
    ] {
        assert!(svg.contains(expected), "{expected}\n{svg}");
    }
    assert_eq!(svg.matches("<text").count(), 2, "{svg}");
}
