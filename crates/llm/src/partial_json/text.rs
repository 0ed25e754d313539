//! JSON string decoding in pieces.
//!
//! In: its characters after the opening quote. Out: the decoded text in pieces, of which
//! only a bounded beginning is kept.

use signoff_core::clip;

/// How far reading came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StringProgress<'a> {
    /// Everything was read and the string goes on.
    More,
    /// The string ended; this follows its closing quote.
    End(&'a str),
    /// This cannot become a string.
    Malformed,
}

/// The string that is being read.
#[derive(Debug, Default)]
pub(super) struct Text {
    kept: String,
    keep: usize,
    cut: bool,
    escape: Escape,
    /// The first half of a surrogate pair.
    high: Option<u16>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Escape {
    #[default]
    None,
    Backslash,
    Unicode {
        value: u16,
        digits: u8,
    },
}

impl Text {
    /// Begins a string of which at most `keep` bytes are kept.
    pub(super) fn begin(&mut self, keep: usize) {
        self.kept.clear();
        *self = Self {
            kept: std::mem::take(&mut self.kept),
            keep,
            ..Self::default()
        };
    }

    /// Returns what was kept; an ellipsis ends it where it was longer.
    pub(super) fn take(&mut self) -> String {
        let mut text = std::mem::take(&mut self.kept);
        if self.cut && self.keep > 0 {
            text.push('…');
        }
        text
    }

    /// Reads on, and tells `seen` each decoded piece.
    pub(super) fn read<'a>(
        &mut self,
        input: &'a str,
        mut seen: impl FnMut(&str),
    ) -> StringProgress<'a> {
        let mut rest = input;
        loop {
            if let Escape::None = self.escape {
                let special = rest
                    .bytes()
                    .position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
                let plain = special.unwrap_or(rest.len());
                let (text, after) = rest.split_at_checked(plain).unwrap_or((rest, ""));
                if !text.is_empty() {
                    self.settle(&mut seen);
                    self.add(text, &mut seen);
                }
                rest = after;
            }
            let mut chars = rest.chars();
            let Some(next) = chars.next() else {
                return StringProgress::More;
            };
            rest = chars.as_str();
            match (self.escape, next) {
                (Escape::None, '"') => {
                    self.settle(&mut seen);
                    return StringProgress::End(rest);
                }
                (Escape::None, '\\') => self.escape = Escape::Backslash,
                (Escape::None, _) => return StringProgress::Malformed,
                (Escape::Backslash, 'u') => {
                    self.escape = Escape::Unicode {
                        value: 0,
                        digits: 0,
                    }
                }
                (Escape::Backslash, _) => match simple(next) {
                    Some(decoded) => self.add_escaped(decoded, &mut seen),
                    None => return StringProgress::Malformed,
                },
                (Escape::Unicode { value, digits }, _) => match next.to_digit(16) {
                    Some(digit) => self.add_digit(value, digits, digit, &mut seen),
                    None => return StringProgress::Malformed,
                },
            }
        }
    }

    fn add_escaped(&mut self, decoded: char, seen: &mut impl FnMut(&str)) {
        self.settle(seen);
        self.escape = Escape::None;
        self.add(decoded.encode_utf8(&mut [0; 4]), seen);
    }

    fn add_digit(&mut self, value: u16, digits: u8, digit: u32, seen: &mut impl FnMut(&str)) {
        let value = (value << 4) | u16::try_from(digit).unwrap_or_default();
        if digits < 3 {
            self.escape = Escape::Unicode {
                value,
                digits: digits + 1,
            };
            return;
        }
        self.escape = Escape::None;
        match (self.high.take(), value) {
            (Some(high), 0xdc00..=0xdfff) => {
                let pair = char::decode_utf16([high, value]).next();
                let decoded = pair
                    .and_then(Result::ok)
                    .unwrap_or(char::REPLACEMENT_CHARACTER);
                self.add(decoded.encode_utf8(&mut [0; 4]), seen);
            }
            (lonely, _) => {
                self.high = lonely;
                self.settle(seen);
                if matches!(value, 0xd800..=0xdbff) {
                    self.high = Some(value);
                } else {
                    let decoded =
                        char::from_u32(value.into()).unwrap_or(char::REPLACEMENT_CHARACTER);
                    self.add(decoded.encode_utf8(&mut [0; 4]), seen);
                }
            }
        }
    }

    /// A first half that no second one follows stands for a character that is not there.
    fn settle(&mut self, seen: &mut impl FnMut(&str)) {
        if self.high.take().is_some() {
            self.add("\u{fffd}", seen);
        }
    }

    fn add(&mut self, piece: &str, seen: &mut impl FnMut(&str)) {
        seen(piece);
        if self.cut {
            return;
        }
        let room = self.keep.saturating_sub(self.kept.len());
        let (fits, rest) = clip::split(piece, room);
        self.kept.push_str(fits);
        self.cut = !rest.is_empty();
    }
}

fn simple(escaped: char) -> Option<char> {
    Some(match escaped {
        '"' | '\\' | '/' => escaped,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        _ => return None,
    })
}
