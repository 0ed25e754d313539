//! Makes untrusted text harmless before it is shown.
//!
//! In: text from a model, a server, a file or a paste. Out: the same text with control
//! characters, bidirectional overrides and invisible characters written out, so that
//! what is on the screen is what is in the text. Tabs are left to the caller.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns `text` with everything that could move, hide or reorder text written out.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.bytes().all(is_harmless_byte) {
        return Cow::Borrowed(text);
    }
    let mut previous = None;
    let mut first = None;
    for (at, c) in text.char_indices() {
        if c != '\t' && is_hostile(previous, c) {
            first = Some(at);
            break;
        }
        previous = Some(c);
    }
    let Some(first) = first else {
        return Cow::Borrowed(text);
    };
    let (kept, rest) = text.split_at(first);
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(kept);
    for c in rest.chars() {
        if c != '\t' && is_hostile(previous, c) {
            write_out(c, &mut out);
        } else {
            out.push(c);
        }
        previous = Some(c);
    }
    Cow::Owned(out)
}

/// Returns pasted text as it may be kept: line endings as `\n`, tabs kept, any other control
/// character replaced by its picture.
pub(crate) fn pasted(text: &str) -> Cow<'_, str> {
    if !text
        .chars()
        .any(|c| c.is_control() && c != '\n' && c != '\t')
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => {
                if chars.peek() == Some(&'\n') {
                    chars.next();
                }
                out.push('\n');
            }
            c if c.is_control() => out.push(picture(c).unwrap_or('\u{fffd}')),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn is_harmless_byte(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t')
}

fn is_hostile(previous: Option<char>, c: char) -> bool {
    match c {
        ' '..='~' => false,
        // Joiners belong in emoji and in scripts that shape their letters, nowhere else.
        '\u{200c}' | '\u{200d}' => previous.is_none_or(|p| p < '\u{0600}' || is_hostile(None, p)),
        '\u{fe00}'..='\u{fe0f}' => previous.is_none_or(|p| p.is_ascii_alphabetic()),
        _ => c.is_control() || is_bidi_control(c) || is_invisible(c),
    }
}

fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{00ad}'
            | '\u{034f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

fn write_out(c: char, out: &mut String) {
    match picture(c) {
        Some(picture) => out.push(picture),
        // Writing to a String cannot fail.
        None => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
    }
}

/// Returns the control picture of a C0 control character or of DEL.
fn picture(c: char) -> Option<char> {
    match u32::from(c) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code),
        0x7f => Some('\u{2421}'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(input: &str, expected: &str) {
        assert_eq!(clean(input), expected, "{input:?}");
    }

    #[test]
    fn writes_out_what_could_deceive() {
        check("plain text, ünïcode, 漢字", "plain text, ünïcode, 漢字");
        check("a\x1b[31mred\x1b[0m", "a␛[31mred␛[0m");
        check("bell\x07 nul\0 del\x7f", "bell␇ nul␀ del␡");
        check("\u{9b}31m", "\\u{9b}31m");
        check("abc\u{202e}fdp.exe", "abc\\u{202e}fdp.exe");
        check("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}");
        check("ad\u{200b}min", "ad\\u{200b}min");
        check("ad\u{200d}min", "ad\\u{200d}min");
        check("\u{e0041}tag", "\\u{e0041}tag");
        check("a\u{fe0f}", "a\\u{fe0f}");
        check("line\r\nline", "line␍␊line");
    }

    #[test]
    fn keeps_what_belongs_to_letters_and_emoji() {
        check("👩\u{200d}💻 ok", "👩\u{200d}💻 ok");
        check("❤\u{fe0f}", "❤\u{fe0f}");
        check("می\u{200c}خواهم", "می\u{200c}خواهم");
        check("a\tb", "a\tb");
    }

    #[test]
    fn a_paste_keeps_lines_and_tabs_only() {
        assert_eq!(pasted("a\r\nb\rc\td\x1b[2Je"), "a\nb\nc\td␛[2Je");
        assert_eq!(pasted("c1 \u{9d} end"), "c1 \u{fffd} end");
        assert!(matches!(pasted("a\nb\tc"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn nothing_hostile_is_left(text in "\\PC*|[\\x00-\\x20\u{80}-\u{9f}\u{200b}-\u{202e}a-c]{0,40}") {
            let shown = clean(&text);
            prop_assert!(!shown.chars().any(|c| c != '\t' && (c.is_control() || is_bidi_control(c) || is_invisible(c))));
            prop_assert_eq!(clean(&shown), shown.as_ref());
        }
    }
}
