//! Output without a screen: remarks on standard error, JSON on standard output.
//!
//! In: text and values that may hold anything. Out: lines in which nothing can move, hide or reorder what a terminal
//! shows; JSON carries the same characters escaped.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;
use signoff_draw::sanitize::{self, Shown};

/// Prints a remark for the user that is no part of the output.
pub fn remark(text: &str) {
    aside(&format!("signoff: {}", sanitize::clean(text)));
}

/// Prints a line on standard error. Where nobody reads it, as in `2>&1 | head`, or the disk of a log is full, it is dropped: what
/// it is about goes on.
pub fn aside(line: &str) {
    let _unread = writeln!(io::stderr().lock(), "{line}");
}

/// Prints one value as one line of JSON, and makes sure that it is seen.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    write_json(&mut out, value)?;
    out.flush()?;
    Ok(())
}

/// Writes one value as one line of JSON.
pub fn write_json(mut out: impl Write, value: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_string(value)?;
    out.write_all(harmless_json(&json).as_bytes())?;
    out.write_all(b"\n")
}

/// Escapes what JSON allows raw but a terminal must not get: such characters occur within
/// strings only.
pub fn harmless_json(json: &str) -> Cow<'_, str> {
    if json.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    sanitize::each(json, |c, shown| match shown {
        Shown::Plain => out.push(c),
        Shown::WrittenOut | Shown::LeftOut => escape(c, &mut out),
    });
    Cow::Owned(out)
}

fn escape(c: char, out: &mut String) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a string cannot fail.
        let _written = write!(out, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_carries_no_raw_control_character() {
        let text = "a\u{1b}[2J\u{9b}31m\u{202e}x\u{2066}é漢\u{7f}";
        let raw = serde_json::to_string(text).unwrap();
        let json = harmless_json(&raw);
        assert!(!json.chars().any(char::is_control), "{json}");
        assert!(json.contains("\\u202e") && json.contains("\\u009b") && json.contains("é漢"));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        assert!(matches!(harmless_json("\"plain\""), Cow::Borrowed(_)));
    }

    #[test]
    fn json_escapes_what_is_hidden_and_keeps_letters_readable() {
        let readable = "हिन्दी e\u{301} ❤\u{fe0f} 👩\u{200d}💻";
        let hidden = ["\u{2800}", "\u{a0}", "\u{fe00}", "\u{e0101}", "\u{1d159}"];
        let marks = "\u{301}".repeat(40);
        let text = format!("{readable} x{}e{marks}", hidden.concat());
        let raw = serde_json::to_string(&text).unwrap();
        let json = harmless_json(&raw);
        assert!(json.contains(readable), "{json}");
        assert!(hidden.iter().all(|c| !json.contains(c)), "{json}");
        assert!(!json.contains(&marks), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
