//! Positions: a line and a character in the server's encoding, and the byte of the text that they stand for.
//!
//! In `a = "ü"; b`, the `b` is at byte 10, and character 10, 9 or 9 of its line in UTF-8, UTF-16 and UTF-32. In
//! `"𝄞"; b` it is at byte 8, and character 8, 6 or 5.

use serde::{Deserialize, Serialize};

/// What a server counts as a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    /// Those that a client offers, the cheapest first.
    pub(super) const OFFERED: [&'static str; 3] = ["utf-8", "utf-16", "utf-32"];

    /// Returns the one of this name; UTF-16 for a server that names none.
    pub(super) fn named(name: Option<&str>) -> Option<Self> {
        match name {
            Some("utf-8") => Some(Self::Utf8),
            Some("utf-16") | None => Some(Self::Utf16),
            Some("utf-32") => Some(Self::Utf32),
            Some(_) => None,
        }
    }

    fn units(self, character: char) -> usize {
        match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// Returns the byte at a position. A character beyond its line is the line's end, as the protocol has it; none for a
    /// line that is not there, or inside of a character.
    pub(super) fn byte(self, lines: &Lines<'_>, position: Position) -> Option<usize> {
        let (start, line) = lines.line(position.line)?;
        let wanted = usize::try_from(position.character).ok()?;
        let mut units = 0;
        for (at, character) in line.char_indices() {
            if units >= wanted {
                return (units == wanted).then_some(start + at);
            }
            units += self.units(character);
        }
        (units <= wanted).then_some(start + line.len())
    }

    /// Returns the position of a byte.
    pub(super) fn position(self, lines: &Lines<'_>, byte: usize) -> Option<Position> {
        let line = lines.starts.partition_point(|start| *start <= byte) - 1;
        let start = *lines.starts.get(line)?;
        let before = lines.text.get(start..byte)?;
        Some(Position {
            line: u32::try_from(line).ok()?,
            character: u32::try_from(before.chars().map(|own| self.units(own)).sum::<usize>())
                .ok()?,
        })
    }
}

/// A position, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) character: u32,
}

/// From one position to before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Range {
    pub(super) start: Position,
    pub(super) end: Position,
}

/// The lines of a text, which end with `\n`, `\r\n` or `\r`.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut starts = vec![0];
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            if ends {
                starts.push(at + 1);
            }
        }
        Self { text, starts }
    }

    /// Returns where a line starts, and its text without its end.
    pub(super) fn line(&self, line: u32) -> Option<(usize, &'a str)> {
        let line = usize::try_from(line).ok()?;
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied();
        let text = self.text.get(start..end.unwrap_or(self.text.len()))?;
        Some((start, text.trim_end_matches(['\n', '\r'])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_has_a_position_in_each_encoding() {
        let text = "x\r\na = \"ü\"; b\r\"𝄞\"; c\n";
        for (what, line, characters) in
            [("b", 1, [10, 9, 9]), ("c", 2, [8, 6, 5]), ("a", 1, [0; 3])]
        {
            let byte = text.find(what).unwrap();
            let all = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];
            for (encoding, character) in all.into_iter().zip(characters) {
                let lines = Lines::of(text);
                let position = Position { line, character };
                assert_eq!(
                    encoding.position(&lines, byte),
                    Some(position),
                    "{what} {encoding:?}"
                );
                assert_eq!(
                    encoding.byte(&lines, position),
                    Some(byte),
                    "{what} {encoding:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_beyond_a_line_is_its_end_and_what_is_inside_a_character_nothing() {
        let lines = Lines::of("𝄞\nab");
        for (line, character, expected) in [
            (0, 1, None),
            (0, 2, Some(4)),
            (0, 99, Some(4)),
            (1, 2, Some(7)),
            (1, u32::MAX, Some(7)),
            (2, 0, None),
        ] {
            let position = Position { line, character };
            assert_eq!(
                Encoding::Utf16.byte(&lines, position),
                expected,
                "{position:?}"
            );
        }
        assert_eq!(Encoding::Utf16.position(&lines, 99), None);
        assert_eq!(Encoding::Utf16.position(&lines, 1), None);
    }
}
