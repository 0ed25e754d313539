//! Lenient JSON: accepts lone surrogate escapes.
//!
//! In: JSON text, untrusted. Out: its value, or the text with `\ufffd` for each escape that stands
//! for half of a character (`\ud800`). Such an escape follows the grammar of JSON but is no text in
//! UTF-8; servers send it where they cut an answer within an emoji. It spoils the string that it is
//! in, and nothing else.
//!
//! JSON from outside. A lone surrogate escape (`\ud800`) becomes U+FFFD in the one string that it is in, in events
//! of servers and in the arguments of calls; without that, the parser refuses the whole text.

use signoff_source::quote;
use std::borrow::Cow;

use serde::de::DeserializeOwned;

/// What a lone half is replaced by.
const REPLACEMENT: &str = "\\ufffd";
/// How many bytes such an escape has.
const LENGTH: usize = REPLACEMENT.len();

/// Which half of a character an escape stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    High,
    Low,
}

/// Returns the value of a JSON text.
pub fn parse<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|error| match mended(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(mended) => serde_json::from_str(&mended),
    })
}

/// Returns a JSON text in which each lone surrogate escape is replaced.
pub fn mended(text: &str) -> Cow<'_, str> {
    let mut mended = String::new();
    let mut done = 0;
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at + next;
        let end = match half(text, escape) {
            None => escape + 2,
            Some(Half::High) if half(text, escape + LENGTH) == Some(Half::Low) => {
                escape + 2 * LENGTH
            }
            Some(Half::High | Half::Low) => {
                mended.push_str(text.get(done..escape).unwrap_or_default());
                mended.push_str(REPLACEMENT);
                done = escape + LENGTH;
                done
            }
        };
        // What follows a backslash may be a character of several bytes.
        at = text.ceil_char_boundary(end);
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    mended.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(mended)
}

/// Returns which half the escape at `at` stands for, if it stands for one.
fn half(text: &str, at: usize) -> Option<Half> {
    let digits = text.get(at..at + LENGTH)?.strip_prefix("\\u")?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::High),
        0xdc00..=0xdfff => Some(Half::Low),
        _ => None,
    }
}

/// Returns JSON on one line, also for readers that end lines at more than `\n`, with escapes for what is hidden or turns
/// the order of letters round.
///
/// # Errors
///
/// Fails if a value is none of JSON's.
pub fn line(value: &impl serde::Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        // Only strings hold these.
        if quote::is_line_break(c) || quote::is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                line += &format!("\\u{unit:04x}");
            }
        } else {
            line.push(c);
        }
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_lone_surrogate_spoils_nothing_but_its_place() {
        for (text, expected) in [
            (r#"{"a":"\ud800"}"#, r#"{"a":"\ufffd"}"#),
            (r#"{"a":"x\uDC00y","b":1}"#, r#"{"a":"x\ufffdy","b":1}"#),
            (r#"{"\udbff":"\u00e9"}"#, r#"{"\ufffd":"\u00e9"}"#),
            // Two first halves, then a whole character; the halves in the wrong order.
            (r#"["\ud83d\ud83d\ude00"]"#, r#"["\ufffd\ud83d\ude00"]"#),
            (r#"["\ude00\ud83d"]"#, r#"["\ufffd\ufffd"]"#),
            (r#"["\ud83dx\ude00"]"#, r#"["\ufffdx\ufffd"]"#),
            (r#"["\ud83d\n"]"#, r#"["\ufffd\n"]"#),
            (r#"["\\\ud800"]"#, r#"["\\\ufffd"]"#),
            // An escaped backslash before such letters is no surrogate.
            (r#"["\\ud800"]"#, r#"["\\ud800"]"#),
            (r#"["\ud83d\ude00"]"#, r#"["\ud83d\ude00"]"#),
        ] {
            assert_eq!(mended(text), expected, "{text}");
            assert!(parse::<Value>(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_hidden_is_escaped_and_stays_what_it_is() {
        for (text, expected) in [
            ("é漢", "\"é漢\""),
            ("a\u{2028}b", r#""a\u2028b""#),
            ("a\u{202e}b", r#""a\u202eb""#),
            ("a\u{e0041}", r#""a\udb40\udc41""#),
        ] {
            let written = line(&text).unwrap();
            assert_eq!(written, expected);
            assert_eq!(parse::<String>(&written).unwrap(), text);
        }
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for text in [
            "",
            r#"["\ud8"]"#,
            r#"["\ud80"#,
            r#"["\ud800"#,
            "\\",
            "\\ü",
            r"\u",
        ] {
            assert!(parse::<Value>(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn good_json_is_left_as_it_is(text in any::<String>()) {
            let written = Value::from(text.clone()).to_string();
            prop_assert_eq!(parse::<String>(&written).unwrap(), text);
            prop_assert_eq!(mended(&written), written.as_str());
        }

        #[test]
        fn any_escapes_become_a_string(units in prop::collection::vec(any::<u16>(), 0..20)) {
            let escapes = units.iter().map(|unit| format!("\\u{unit:04x}"));
            let written = format!("\"{}\"", escapes.collect::<String>());
            prop_assert_eq!(parse::<String>(&written).unwrap(), String::from_utf16_lossy(&units));
        }
    }
}
