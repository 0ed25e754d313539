//! Output of commands.
//!
//! In: text and values that may hold anything. Out: lines on standard output in which nothing
//! can move, hide or reorder what the terminal shows; JSON carries the same characters escaped.

use std::io::{self, Write};

use serde::Serialize;
use signoff_draw::sanitize;
use signoff_setup::out::harmless_json;
pub(crate) use signoff_setup::out::{aside, json, remark, write_json};
use signoff_tui::error_text::{in_lines, indented};
use signoff_tui::event_lines::EventLine;

/// What is said where only the printing failed.
pub(super) const DONE_BUT: &str = "it was carried out, but what came of it cannot be printed";

/// Prints one line of text.
pub(super) fn line(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(sanitize::clean(text).as_bytes())?;
    out.write_all(b"\n")?;
    Ok(())
}

/// Prints several lines of text, as they came.
pub(super) fn text(text: &str) -> anyhow::Result<()> {
    text_set_off(text, "", false)
}

/// Prints several lines of text with `indent` before each of them, but not where a line was begun before.
pub(super) fn text_set_off(text: &str, indent: &str, mut is_begun: bool) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    for piece in text.split_inclusive('\n') {
        let (body, newline) = match piece.strip_suffix('\n') {
            Some(body) => (body, "\n"),
            None => (piece, ""),
        };
        let indent = if is_begun { "" } else { indent };
        write!(out, "{indent}{}{newline}", sanitize::clean(body))?;
        is_begun = newline.is_empty();
    }
    out.flush()?;
    Ok(())
}

/// Prints a list as one line of JSON, of which no more than one value is in memory as text.
pub(super) fn json_list(values: impl Iterator<Item = impl Serialize>) -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    out.write_all(b"[")?;
    for (index, value) in values.enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        let json = serde_json::to_string(&value)?;
        out.write_all(harmless_json(&json).as_bytes())?;
    }
    out.write_all(b"]\n")?;
    out.flush()?;
    Ok(())
}

/// Prints the line that stands for no lines, where a command prints JSON: an empty list.
pub(super) fn nothing(as_json: bool) -> anyhow::Result<()> {
    if as_json { json(&[(); 0]) } else { Ok(()) }
}

/// Prints an error for the user.
pub(super) fn error(error: &anyhow::Error) {
    aside(&format!("signoff: {}", in_lines(error)));
}

/// Prints a line and, indented, those that belong to it.
pub(super) fn lines(text: &str, indent: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", indented(text, indent))?;
    Ok(())
}

/// Prints a line about an event on standard error: `[grep] 3 matches`, or a remark of signoff's own.
pub(super) fn event_line(line: &EventLine) {
    match &line.topic {
        Some(topic) => progress(&format!("[{topic}] {}", sanitize::clean(&line.text))),
        None => remark(&line.in_one()),
    }
}

/// Prints lines on standard error that tell of progress.
pub(super) fn progress(text: &str) {
    aside(&indented(text, "  "));
}

/// Returns whether an error says that nobody reads the output any more.
pub(super) fn is_closed(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
