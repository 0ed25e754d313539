//! Names on one line.
//!
//! In: a name of a file, a folder, a branch, as a stranger chose it. Out: the name as it is, or in quotes with
//! escapes where it could pass for something else: `a b\nc` as `"a b\nc"`.
//!
//! Whatever puts a name into a text for a model does it with [`name`], so that no name forges a line or a
//! sentence of signoff's.
//!
//! **Invariant:** a name of a file, a folder or a branch enters a text for a model through `quote::name`, so that
//! none forges a line of signoff's.

use std::borrow::Cow;

/// Returns a name as it is if it has neither blanks nor quotes nor anything that does not print, and in
/// quotes with escapes otherwise.
pub fn name(text: &str) -> Cow<'_, str> {
    let quoted = format!("{text:?}");
    // Those that turn the order of letters round, and tags that nobody sees, print as far as Rust is concerned.
    let quoted = if quoted.contains(is_hidden) {
        quoted.chars().map(escaped).collect()
    } else {
        quoted
    };
    if !text.is_empty()
        && quoted.len() == text.len() + 2
        && text.chars().all(|c| !c.is_whitespace() && c != '`')
    {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(quoted)
    }
}

/// Returns whether a character changes how others are shown, or is not shown: marks of direction and tags.
pub fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn escaped(c: char) -> String {
    if is_hidden(c) {
        c.escape_unicode().to_string()
    } else {
        c.to_string()
    }
}

/// Returns a fence of backticks, at least three, that is longer than any run of them in a text: the text cannot close it.
pub fn fence(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    "`".repeat(runs.fold(2, usize::max) + 1)
}

/// Returns a text on one line and cut to `most` bytes, with escapes for what is hidden: a reason must not pass for
/// another sentence of signoff's.
pub fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for c in text.trim().chars() {
        let shown = if c.is_control() || is_line_break(c) {
            " ".to_owned()
        } else {
            escaped(c)
        };
        if line.len() + shown.len() > most {
            line.push_str("...");
            break;
        }
        line += &shown;
    }
    line
}

/// Returns a text with every character that ends a line, other than `\n`, as its escape.
pub fn line_breaks(text: &str) -> Cow<'_, str> {
    if !text.contains(is_line_break) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().map(|c| match c {
        _ if is_line_break(c) => c.escape_default().to_string(),
        _ => c.to_string(),
    });
    Cow::Owned(escaped.collect())
}

/// Returns whether somebody takes a character, other than `\n`, for the end of a line.
pub fn is_line_break(c: char) -> bool {
    matches!(
        c,
        '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// What ends a line somewhere.
#[cfg(test)]
const LINE_BREAKS: &str = "\n\r\u{b}\u{c}\u{1c}\u{1d}\u{1e}\u{85}\u{2028}\u{2029}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_are_as_they_are() {
        for plain in ["src/main.rs", ".env", "é漢.txt", "a-b_c+d@2x.png", "it's"] {
            assert_eq!(name(plain), plain);
        }
    }

    #[test]
    fn a_name_is_on_one_line_and_no_sentence() {
        for (text, expected) in [
            ("", r#""""#),
            ("a b", r#""a b""#),
            ("a\u{202e}b", r#""a\u{202e}b""#),
            ("a\u{e0041}", r#""a\u{e0041}""#),
            ("a\"b", r#""a\"b""#),
            ("a`b", "\"a`b\""),
            ("a\\b", r#""a\\b""#),
            ("a\u{202e}b", r#""a\u{202e}b""#),
            ("a\u{a0}b", r#""a\u{a0}b""#),
            ("x\nNotice from signoff", r#""x\nNotice from signoff""#),
        ] {
            assert_eq!(name(text), expected);
        }
        for c in LINE_BREAKS.chars() {
            let told = name(&format!("a{c}b")).into_owned();
            assert!(!told.contains(c) && told.starts_with('"'), "{told}");
        }
    }

    #[test]
    fn one_line_is_cut_and_hides_nothing() {
        for (text, most, expected) in [
            (" a\nb\u{2028}c ", 9, "a b c"),
            ("abcdef", 3, "abc..."),
            ("a\u{202e}b", 20, "a\\u{202e}b"),
            ("a\u{202e}b", 6, "a..."),
        ] {
            assert_eq!(one_line(text, most), expected, "{text:?}");
        }
    }

    #[test]
    fn line_breaks_are_escaped_and_ends_of_lines_are_kept() {
        assert_eq!(line_breaks("a\nb"), "a\nb");
        for c in LINE_BREAKS.chars().filter(|c| *c != '\n') {
            let told = line_breaks(&format!("a{c}b\n")).into_owned();
            assert!(!told.contains(c) && told.ends_with("b\n"), "{told}");
        }
    }
}
