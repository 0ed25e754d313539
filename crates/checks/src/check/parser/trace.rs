//! Stack traces in the output of checks: one is one diagnostic, its message, at the innermost frame in the workspace.
//!
//! In: lines. Out: traces with their message and the places of their frames, and the lines that are part of none. Of
//!
//! ```text
//! /w/a.js:3
//!   load(x)
//!   ^
//! ReferenceError: x is not defined
//!     at load (/w/a.js:3:8)
//!     at Module._compile (node:internal/modules/cjs/loader:1105:14)
//! ```
//!
//! it is `ReferenceError: x is not defined` at `/w/a.js:3:8`. Before, each frame was a diagnostic with the message `8)`.

use std::collections::VecDeque;

/// A stack trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Trace {
    pub(super) message: String,
    /// Paths with line and column, 0 where it is not known; the innermost first. Java tells a file by its last name alone,
    /// `Main.java`: that is no path.
    pub(super) frames: Vec<(String, (u32, u32))>,
    /// Frames tell classes and no paths.
    pub(super) is_of_classes: bool,
}

/// What of an output is a line by itself, and what a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Line(&'a str),
    Trace(Trace),
}

/// How a runtime prints a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `Traceback (most recent call last):`, frames, the innermost last, and then the message.
    Python,
    /// `thread 'main' panicked at src/a.rs:2:5:`, the message, and perhaps frames.
    Rust,
    /// `panic: message`, and frames.
    Go,
    /// The message, and frames that begin with `at`: JavaScript, Java, C#.
    At,
    /// The message with the first place, and frames that begin with `from`: Ruby.
    From,
}

/// Takes the traces out of an output.
pub(super) fn pieces<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Piece<'a>> {
    let mut rest: VecDeque<&str> = lines.collect();
    let mut pieces = Vec::new();
    while let Some(line) = rest.pop_front() {
        let Some(style) = style(line, rest.front().copied()) else {
            pieces.push(Piece::Line(line));
            continue;
        };
        let trace = match style {
            Style::Python => python(&mut rest),
            Style::Rust => rust(line, &mut rest),
            Style::Go => go(line, &mut rest),
            Style::At => at(line, &mut rest),
            Style::From => {
                // The line parser reads message and place of the first line.
                pieces.push(Piece::Line(line));
                skip(&mut rest, is_from);
                continue;
            }
        };
        pieces.push(Piece::Trace(trace));
    }
    pieces
}

fn style(line: &str, next: Option<&str>) -> Option<Style> {
    let is_panic = line.starts_with("thread '") && line.contains(" panicked at ");
    if line.trim() == "Traceback (most recent call last):" {
        Some(Style::Python)
    } else if is_panic {
        Some(Style::Rust)
    } else if line.starts_with("panic: ") {
        Some(Style::Go)
    } else if is_at(line) || next.is_some_and(is_at) && !line.trim().is_empty() {
        Some(Style::At)
    } else if next.is_some_and(is_from) {
        Some(Style::From)
    } else {
        None
    }
}

/// Returns true for a frame as `    at load (/w/a.js:3:8)`.
fn is_at(line: &str) -> bool {
    line.starts_with([' ', '\t']) && line.trim_start().starts_with("at ")
}

/// Returns true for a frame as `\tfrom a.rb:7:in 'f'`.
fn is_from(line: &str) -> bool {
    line.starts_with([' ', '\t']) && line.trim_start().starts_with("from ")
}

fn skip(rest: &mut VecDeque<&str>, is_part: impl Fn(&str) -> bool) {
    while rest.front().is_some_and(|line| is_part(line)) {
        rest.pop_front();
    }
}

fn python(rest: &mut VecDeque<&str>) -> Trace {
    let mut trace = Trace::default();
    while let Some(line) = rest.pop_front() {
        if !line.starts_with([' ', '\t']) {
            trace.message = line.to_owned();
            break;
        }
        let frame = line.trim_start().strip_prefix("File \"");
        let place = frame.and_then(|frame| {
            let (path, behind) = frame.split_once("\", line ")?;
            let digits = behind.split(|c: char| !c.is_ascii_digit()).next()?;
            Some((path.to_owned(), (digits.parse().ok()?, 0)))
        });
        trace.frames.extend(place);
    }
    trace.frames.reverse();
    trace
}

fn rust(line: &str, rest: &mut VecDeque<&str>) -> Trace {
    let Some((_, behind)) = line.split_once(" panicked at ") else {
        return Trace::default();
    };
    // Before Rust 1.73: `thread 'main' panicked at 'message', src/a.rs:2:5`.
    let (message, at) = match behind.rsplit_once("', ") {
        Some((message, at)) => (message.trim_start_matches('\'').to_owned(), at),
        None => {
            let message = rest.pop_front().map_or_else(String::new, str::to_owned);
            (message, behind.trim_end_matches(':'))
        }
    };
    skip(rest, |line| {
        let line = line.trim_start();
        let is_frame = line.split_once(": ").is_some_and(|(number, _)| {
            !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        });
        is_frame
            || ["at ", "note: ", "stack backtrace:"]
                .iter()
                .any(|word| line.starts_with(word))
    });
    let frames = place(at).into_iter().collect();
    Trace {
        message,
        frames,
        is_of_classes: false,
    }
}

fn go(line: &str, rest: &mut VecDeque<&str>) -> Trace {
    let mut frames = Vec::new();
    while let Some(line) = rest.front() {
        let is_call = line.ends_with(')') && !line.contains(' ') || line.starts_with("created by ");
        let is_head =
            line.is_empty() || line.starts_with("goroutine ") || line.starts_with("\tpanic: ");
        let is_place = line.starts_with('\t');
        if !(is_call || is_head || is_place || line.starts_with("[signal ")) {
            break;
        }
        if is_place {
            frames.extend(line.split_whitespace().next().and_then(place));
        }
        rest.pop_front();
    }
    Trace {
        message: line.to_owned(),
        frames,
        is_of_classes: false,
    }
}

/// Reads a message with the frames below it. Several lines in a row without a frame between them are of the same message.
fn at(line: &str, rest: &mut VecDeque<&str>) -> Trace {
    let mut trace = Trace::default();
    if is_at(line) {
        trace.frames.extend(frame(line));
    } else {
        trace.message = line.trim().to_owned();
    }
    while let Some(line) = rest.front() {
        let trimmed = line.trim_start();
        let is_beside = trimmed.starts_with("... ") || trimmed.starts_with("Caused by: ");
        if !is_at(line) && !is_beside {
            break;
        }
        trace.frames.extend(frame(line));
        rest.pop_front();
    }
    let all = trace.frames.len();
    trace
        .frames
        .retain(|(path, _)| path.contains('/') || !is_class(path));
    trace.is_of_classes = trace.frames.len() < all;
    trace
}

fn is_class(path: &str) -> bool {
    [".java", ".kt", ".scala"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// Reads the place of a frame as `at load (/w/a.js:3:8)`, `at file:///w/a.js:3:8`, `at X.f() in /w/a.cs:line 3`.
fn frame(line: &str) -> Option<(String, (u32, u32))> {
    let line = line.trim().trim_end_matches(" {").trim_end_matches(')');
    if let Some((before, number)) = line.rsplit_once(":line ") {
        let (_, path) = before.rsplit_once(" in ")?;
        return Some((path.to_owned(), (number.parse().ok()?, 0)));
    }
    let text = line.rsplit_once('(').map_or_else(
        || line.rsplit_once(' ').map_or(line, |(_, text)| text),
        |(_, text)| text,
    );
    place(text)
}

/// Reads a place as `src/a.rs:2:5` or `a.go:2`.
fn place(text: &str) -> Option<(String, (u32, u32))> {
    let text = text.strip_prefix("file://").unwrap_or(text);
    let (rest, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let both = rest
        .rsplit_once(':')
        .and_then(|(path, row)| Some((path, row.parse().ok()?)));
    Some(match both {
        Some((path, row)) => (path.to_owned(), (row, last)),
        None => (rest.to_owned(), (last, 0)),
    })
}
