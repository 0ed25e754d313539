//! Printing.
//!
//! In: text and values that may hold anything. Out: lines on standard output in which nothing
//! can move, hide or reorder what the terminal shows; JSON carries the same characters escaped.

#![expect(
    clippy::print_stderr,
    reason = "the one place that writes to standard error"
)]

use std::fmt::Write as _;
use std::io::{self, Write as _};

use serde::Serialize;

use crate::sanitize;

/// Prints one line of text.
pub(super) fn line(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(sanitize::clean(text).as_bytes())?;
    out.write_all(b"\n")?;
    Ok(())
}

/// Prints several lines of text, as they came.
pub(super) fn text(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    for piece in text.split_inclusive('\n') {
        let (body, newline) = match piece.strip_suffix('\n') {
            Some(body) => (body, "\n"),
            None => (piece, ""),
        };
        write!(out, "{}{newline}", sanitize::clean(body))?;
    }
    out.flush()?;
    Ok(())
}

/// Prints one value as one line of JSON, and makes sure that it is seen.
pub(super) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(harmless_json(&serde_json::to_string(value)?).as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}

/// Prints an error for the user.
pub(super) fn error(error: &anyhow::Error) {
    eprintln!("signoff: {}", sanitize::clean(&format!("{error:#}")));
}

/// Prints a remark for the user that is no part of the output.
pub(super) fn remark(text: &str) {
    eprintln!("signoff: {}", sanitize::clean(text));
}

/// Returns whether an error says that nobody reads the output any more.
pub(super) fn is_closed(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Escapes what JSON allows raw but a terminal must not get: beyond ASCII, such characters
/// occur within strings only.
fn harmless_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() || sanitize::clean(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8() {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _written = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_carries_no_raw_control_character() {
        let text = "a\u{1b}[2J\u{9b}31m\u{202e}x\u{2066}é漢\u{7f}";
        let json = harmless_json(&serde_json::to_string(text).unwrap());
        assert!(
            json.chars().all(|c| !c.is_control() || c == '\u{7f}'),
            "{json}"
        );
        assert!(json.contains("\\u202e") && json.contains("\\u009b") && json.contains("é漢"));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
