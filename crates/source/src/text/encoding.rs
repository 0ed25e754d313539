//! Encodings other than UTF-8.
//!
//! In: the bytes of a file. Out: the same as UTF-8, and which encoding gives those bytes again,
//! byte for byte. UTF-16 is told by its byte order mark, which stays in the text. What is not
//! UTF-8 and looks like text is read as Windows-1252, of which Latin-1 is a part; its five
//! unused bytes stand for themselves, so that every byte has a character. No bytes of a file tell
//! a symbolic link: whoever asks the system what stands under a name knows.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How text is written in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// UTF-8, or bytes of no known encoding.
    #[default]
    Utf8,
    /// UTF-16, the lower byte first.
    Utf16Le,
    /// UTF-16, the higher byte first.
    Utf16Be,
    /// Windows-1252, and so Latin-1.
    Windows1252,
    /// As the target of a symbolic link.
    Link,
}

/// The characters of the bytes `0x80..0xa0`.
const UPPER: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

impl Encoding {
    /// Returns the text of a file's bytes and its encoding; bytes that are no text are returned
    /// as they are.
    pub fn decode(raw: Vec<u8>) -> (Vec<u8>, Self) {
        let known = match raw.as_slice() {
            [0xff, 0xfe, ..] => Self::Utf16Le,
            [0xfe, 0xff, ..] => Self::Utf16Be,
            _ if looks_like_windows_1252(&raw) => Self::Windows1252,
            _ => return (raw, Self::Utf8),
        };
        let text = match known {
            Self::Utf16Le => utf16(&raw, u16::from_le_bytes),
            Self::Utf16Be => utf16(&raw, u16::from_be_bytes),
            _ => Some(raw.iter().map(|byte| character(*byte)).collect()),
        };
        match text {
            Some(text) => (text.into_bytes(), known),
            None => (raw, Self::Utf8),
        }
    }

    /// Returns a text's bytes in this encoding; none if it has a character that the encoding has
    /// not, or if the bytes would be read as another text.
    pub fn encode(self, text: &[u8]) -> Option<Vec<u8>> {
        if matches!(self, Self::Utf8 | Self::Link) {
            return Some(text.to_vec());
        }
        let chars = std::str::from_utf8(text).ok()?;
        let raw: Vec<u8> = match self {
            Self::Utf8 | Self::Link => text.to_vec(),
            Self::Utf16Le => chars.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Be => chars.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            Self::Windows1252 => chars.chars().map(byte).collect::<Option<_>>()?,
        };
        let read_again = Self::decode(raw.clone());
        (read_again == (text.to_vec(), self)).then_some(raw)
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le | Self::Utf16Be => "UTF-16",
            Self::Windows1252 => "Windows-1252",
            Self::Link => "symbolic link",
        })
    }
}

fn utf16(raw: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = raw.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let units = pairs.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).collect::<Result<_, _>>().ok()
}

/// Text in Windows-1252 has no control characters but those of plain text, and no run of bytes
/// that is one character in UTF-8: that would be UTF-8 with a broken byte.
fn looks_like_windows_1252(raw: &[u8]) -> bool {
    if std::str::from_utf8(raw).is_ok() {
        return false;
    }
    !raw.iter()
        .any(|byte| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b))
        && !raw.utf8_chunks().any(|chunk| !chunk.valid().is_ascii())
}

fn character(byte: u8) -> char {
    let upper = usize::from(byte).checked_sub(0x80);
    let own = upper.and_then(|at| UPPER.get(at));
    own.copied().unwrap_or(char::from(byte))
}

fn byte(c: char) -> Option<u8> {
    if let Some(at) = UPPER.iter().position(|upper| *upper == c) {
        return u8::try_from(at + 0x80).ok();
    }
    u8::try_from(u32::from(c))
        .ok()
        .filter(|byte| !(0x80..0xa0).contains(byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_read_and_written_in_its_encoding() {
        let check = |raw: &[u8], text: &str, encoding: Encoding| {
            let read = Encoding::decode(raw.to_vec());
            assert_eq!(read, (text.as_bytes().to_vec(), encoding));
            assert_eq!(encoding.encode(text.as_bytes()).as_deref(), Some(raw));
        };
        check(b"caf\xe9\n", "café\n", Encoding::Windows1252);
        check(b"\x93q\x94 \x81\xff", "“q” \u{81}ÿ", Encoding::Windows1252);
        check("café".as_bytes(), "café", Encoding::Utf8);
        check(b"\xff\xfea\0\n\0", "\u{feff}a\n", Encoding::Utf16Le);
        check(
            b"\xfe\xff\0a\xd8\x3d\xde\0",
            "\u{feff}a😀",
            Encoding::Utf16Be,
        );
    }

    #[test]
    fn what_is_no_text_stays_as_it_is_and_what_cannot_be_written_is_not() {
        for raw in [
            &b"a\xff\0"[..],
            b"\xff\xfea",
            b"\xff\xfe\x00\xd8",
            "é\u{fffd}".as_bytes(),
            b"\xc3\xa9 \xe9",
        ] {
            assert_eq!(
                Encoding::decode(raw.to_vec()),
                (raw.to_vec(), Encoding::Utf8)
            );
        }
        assert_eq!(Encoding::Windows1252.encode("漢".as_bytes()), None);
        // It would be read as UTF-8 the next time.
        assert_eq!(Encoding::Windows1252.encode("Ã©".as_bytes()), None);
        assert_eq!(Encoding::Utf16Le.encode(b"no mark"), None);
    }

    proptest! {
        #[test]
        fn every_byte_is_written_as_it_was_read(raw in proptest::collection::vec(any::<u8>(), 0..40)) {
            let (text, encoding) = Encoding::decode(raw.clone());
            prop_assert_eq!(encoding.encode(&text), Some(raw));
        }
    }
}
