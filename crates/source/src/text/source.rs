//! Source: an immutable image of a file.
//!
//! In: bytes. Out: [`Source`]: the bytes, their lines, their line ending and their
//! [`Fingerprint`], each worked out once and only when asked for.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::Encoding;
use crate::text::Slice;

/// How many leading bytes are searched for a NUL, which marks a binary file.
pub const BINARY_PROBE: usize = 8192;

/// An immutable image of a file; cloning is cheap.
#[derive(Clone)]
pub struct Source(Arc<Image>);

struct Image {
    content: Content,
    encoding: Encoding,
    starts: OnceLock<Vec<usize>>,
    ending: OnceLock<Ending>,
    fingerprint: OnceLock<Fingerprint>,
}

/// Bytes, told from text once.
enum Content {
    Text(String),
    Other(Vec<u8>, NotText),
}

/// BLAKE3 hash of a file's text and encoding; equal fingerprints mean equal bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub [u8; 32]);

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

/// Why bytes are not text that can be edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// They are the target of a symbolic link.
    #[error("a symbolic link")]
    Link,
    /// There is a NUL near the start.
    #[error("binary file")]
    Binary,
    /// The bytes are not UTF-8.
    #[error("not UTF-8 text (first invalid byte at offset {offset})")]
    NotUtf8 {
        /// Where the first invalid byte is.
        offset: usize,
    },
}

impl Source {
    /// Takes text, or the bytes of a file that are no text.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self::in_encoding(bytes.into(), Encoding::Utf8)
    }

    /// Takes the bytes of a file as they are on disk.
    pub fn decode(raw: Vec<u8>) -> Self {
        let (bytes, encoding) = Encoding::decode(raw);
        Self::in_encoding(bytes, encoding)
    }

    /// Takes the target of a symbolic link.
    pub fn link(target: impl Into<Vec<u8>>) -> Self {
        Self::in_encoding(target.into(), Encoding::Link)
    }

    /// Takes text that is written in `encoding`.
    pub fn in_encoding(bytes: Vec<u8>, encoding: Encoding) -> Self {
        // Plain ASCII is the same bytes in both, and read as UTF-8.
        let plain = encoding == Encoding::Windows1252 && bytes.is_ascii();
        let encoding = if plain { Encoding::Utf8 } else { encoding };
        Self(Arc::new(Image {
            content: Content::new(bytes, encoding),
            encoding,
            starts: OnceLock::new(),
            ending: OnceLock::new(),
            fingerprint: OnceLock::new(),
        }))
    }

    /// Returns other text in the encoding of this one.
    pub fn with_bytes(&self, bytes: Vec<u8>) -> Self {
        Self::in_encoding(bytes, self.0.encoding)
    }

    /// Returns how the text is written in its file.
    pub fn encoding(&self) -> Encoding {
        self.0.encoding
    }

    /// Returns whether it is a symbolic link and not a file.
    pub fn is_link(&self) -> bool {
        self.0.encoding == Encoding::Link
    }

    /// Returns whether both are links, both are texts, or neither is either: lines of one are lines of the other.
    pub fn is_alike(&self, other: &Self) -> bool {
        self.is_link() == other.is_link() && self.text().is_ok() == other.text().is_ok()
    }

    /// Returns the bytes of the file; none if its encoding has not all of the characters.
    pub fn encoded(&self) -> Option<Vec<u8>> {
        self.0.encoding.encode(self.bytes())
    }

    /// Returns the bytes of the text, which is in UTF-8 if it is text.
    pub fn bytes(&self) -> &[u8] {
        match &self.0.content {
            Content::Text(text) => text.as_bytes(),
            Content::Other(bytes, _) => bytes,
        }
    }

    /// Returns the bytes as text, or why they are none.
    pub fn text(&self) -> Result<&str, NotText> {
        match &self.0.content {
            Content::Text(text) => Ok(text),
            Content::Other(_, why) => Err(*why),
        }
    }

    /// Returns the hash of the bytes.
    pub fn fingerprint(&self) -> Fingerprint {
        *self.0.fingerprint.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(self.bytes());
            if self.0.encoding != Encoding::Utf8 {
                // No text in UTF-8 ends so: the byte is in none.
                hasher.update(&[0xff, self.0.encoding as u8]);
            }
            Fingerprint(*hasher.finalize().as_bytes())
        })
    }

    /// Returns the number of lines; a last line without an ending counts, an empty file has none.
    pub fn line_count(&self) -> usize {
        self.starts().len().saturating_sub(1)
    }

    /// Returns the bytes of line `line` (0-based) with its ending; past the end, the empty
    /// range at the end.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let end = self.bytes().len();
        let starts = self.starts();
        let start = starts.get(line).copied().unwrap_or(end);
        start..starts.get(line + 1).copied().unwrap_or(end)
    }

    /// Returns line `line` (0-based) without its ending.
    pub fn line(&self, line: usize) -> &[u8] {
        without_ending(self.line_with_ending(line))
    }

    /// Returns line `line` (0-based) with its ending.
    pub fn line_with_ending(&self, line: usize) -> &[u8] {
        self.bytes().slice(self.line_range(line))
    }

    /// Returns line `line` (0-based) without its ending as text, whatever bytes it has.
    pub fn line_text(&self, line: usize) -> Cow<'_, str> {
        match &self.0.content {
            Content::Text(text) => {
                let line = text.slice(self.line_range(line));
                let line = line.strip_suffix('\n').unwrap_or(line);
                Cow::Borrowed(line.strip_suffix('\r').unwrap_or(line))
            }
            Content::Other(..) => String::from_utf8_lossy(self.line(line)),
        }
    }

    /// Returns the 0-based number of the line that byte `at` is in.
    pub fn line_of(&self, at: usize) -> usize {
        let lines = self.line_count();
        let found = self.starts().partition_point(|start| *start <= at);
        found.saturating_sub(1).min(lines.saturating_sub(1))
    }

    /// Returns the ending that most lines have; LF where there is none.
    pub fn ending(&self) -> Ending {
        *self.0.ending.get_or_init(|| {
            let (mut lf, mut crlf) = (0_usize, 0_usize);
            for line in 0..self.line_count() {
                match self.ending_of(line) {
                    Some(Ending::Lf) => lf += 1,
                    Some(Ending::CrLf) => crlf += 1,
                    None => {}
                }
            }
            if crlf > lf { Ending::CrLf } else { Ending::Lf }
        })
    }

    /// Returns what ends line `line` (0-based), if anything does.
    pub fn ending_of(&self, line: usize) -> Option<Ending> {
        let bytes = self.line_with_ending(line);
        if bytes.ends_with(b"\r\n") {
            Some(Ending::CrLf)
        } else if bytes.ends_with(b"\n") {
            Some(Ending::Lf)
        } else {
            None
        }
    }

    /// Returns the ending that new lines get at line `line` (0-based): that line's own; at a last line without one, or
    /// past the end, that of the line before; else what most lines have.
    pub fn ending_near(&self, line: usize) -> Ending {
        let near = self
            .ending_of(line)
            .or_else(|| self.ending_of(line.checked_sub(1)?));
        near.unwrap_or_else(|| self.ending())
    }

    /// Returns whether the last line has an ending; an empty file counts as having one.
    pub fn ends_with_newline(&self) -> bool {
        self.bytes().last().is_none_or(|byte| *byte == b'\n')
    }

    /// Line starts in ascending order, closed by the length; `[0]` alone for an empty file.
    fn starts(&self) -> &[usize] {
        self.0.starts.get_or_init(|| {
            let bytes = self.bytes();
            let mut starts = vec![0];
            starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at + 1));
            if starts.last() != Some(&bytes.len()) {
                starts.push(bytes.len());
            }
            starts
        })
    }
}

impl Content {
    fn new(bytes: Vec<u8>, encoding: Encoding) -> Self {
        if encoding == Encoding::Link {
            return Self::Other(bytes, NotText::Link);
        }
        let probe = bytes.get(..BINARY_PROBE).unwrap_or(&bytes);
        if probe.contains(&0) {
            return Self::Other(bytes, NotText::Binary);
        }
        String::from_utf8(bytes).map_or_else(
            |error| {
                let offset = error.utf8_error().valid_up_to();
                Self::Other(error.into_bytes(), NotText::NotUtf8 { offset })
            },
            Self::Text,
        )
    }
}

impl Ending {
    /// Returns the ending's characters.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// Returns a line without its `\n` or `\r\n`.
pub fn without_ending(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.bytes() == other.bytes() && self.0.encoding == other.0.encoding)
    }
}

impl Eq for Source {}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({} bytes)", self.bytes().len())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .take(4)
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_editors_count_them() {
        let check = |text: &str, count: usize, lines: &[&str]| {
            let source = Source::new(text);
            assert_eq!(source.line_count(), count, "{text:?}");
            let got: Vec<_> = (0..count).map(|line| source.line(line)).collect();
            assert_eq!(
                got,
                lines.iter().map(|line| line.as_bytes()).collect::<Vec<_>>()
            );
        };
        check("", 0, &[]);
        check("a", 1, &["a"]);
        check("a\n", 1, &["a"]);
        check("a\n\n", 2, &["a", ""]);
        check("a\r\nb\nc", 3, &["a", "b", "c"]);
    }

    #[test]
    fn lines_are_text_whatever_their_bytes() {
        let check = |bytes: &[u8], expected: &[&str]| {
            let source = Source::new(bytes);
            let lines: Vec<_> = (0..source.line_count())
                .map(|line| source.line_text(line))
                .collect();
            assert_eq!(lines, expected);
            assert_eq!(source.line_text(99), "");
        };
        check("\u{e4}\r\nb\n\nc".as_bytes(), &["\u{e4}", "b", "", "c"]);
        check(b"a\xff\nb", &["a\u{fffd}", "b"]);
    }

    #[test]
    fn a_byte_finds_its_line() {
        let source = Source::new("ab\ncd\n\ne");
        let lines: Vec<_> = (0..=8).map(|at| source.line_of(at)).collect();
        assert_eq!(lines, [0, 0, 0, 1, 1, 1, 2, 3, 3]);
        assert_eq!(Source::new("").line_of(0), 0);
    }

    #[test]
    fn the_commoner_ending_wins_and_text_is_told_from_binary() {
        assert_eq!(Source::new("a\r\nb\r\nc\n").ending(), Ending::CrLf);
        assert_eq!(Source::new("a\r\nb\nc\n").ending(), Ending::Lf);
        let mixed = Source::new("a\nb\nc\r\nd");
        let near: Vec<Ending> = (0..6).map(|line| mixed.ending_near(line)).collect();
        let (lf, crlf) = (Ending::Lf, Ending::CrLf);
        assert_eq!(near, [lf, lf, crlf, crlf, lf, lf]);
        assert_eq!(Source::new("a\0b").text(), Err(NotText::Binary));
        assert_eq!(
            Source::new(b"ab\xff".to_vec()).text(),
            Err(NotText::NotUtf8 { offset: 2 })
        );
    }
}
