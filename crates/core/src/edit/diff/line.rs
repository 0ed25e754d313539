//! Lines of a diff, as they are shown: plain values, and how much memory they take.
//!
//! A list of hunks of 1 MiB each is shown by lines until [`LineMemory`] has no room for such hunks; those of up to 16 KiB
//! are shown a while longer; all further ones are told by their sizes.

use serde::{Deserialize, Serialize};

pub use signoff_source::text::LineKind;

use super::hunk::MAX_SHOWN;

/// One line of a hunk as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffLine {
    /// `context`, `removed` or `added`.
    pub kind: LineKind,
    /// Its number before the change, from 1; null for an added line.
    pub old: Option<u32>,
    /// Its number after the change, from 1; null for a removed line.
    pub new: Option<u32>,
    /// The line without its line ending. Where lines of one hunk end in CRLF and others in LF, those of CRLF keep
    /// their carriage return.
    pub text: String,
    /// Byte ranges of `text` that differ from the line on the other side.
    pub emphasis: Vec<(usize, usize)>,
    /// False for a last line without a line ending.
    pub newline: bool,
}

impl DiffLine {
    /// Returns about how much memory it takes, in bytes.
    pub fn memory(&self) -> usize {
        // Of a short text, an allocation has more than the text.
        const LEAST: usize = 32;
        size_of::<Self>()
            + self.text.len().max(LEAST)
            + self.emphasis.len() * size_of::<(usize, usize)>()
    }

    /// Returns whether it stands for lines that are not shown.
    pub fn stands_for_others(&self) -> bool {
        self.old.is_none() && self.new.is_none()
    }
}

/// How much memory the lines of the hunks of one list take. Case: a program that made 20,000 files of 600 short lines had
/// 2.4 gigabytes of lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineMemory {
    taken: usize,
    large: usize,
    all: usize,
}

impl LineMemory {
    /// Size, in bytes, up to which hunks are shown beyond the room for large ones: a file of a few hundred lines.
    pub(crate) const SMALL: usize = 16 * 1024;

    /// Makes room for hunks of any size until their lines take `large` bytes, and for small ones until all take `all`.
    pub(crate) const fn new(large: usize, all: usize) -> Self {
        Self {
            taken: 0,
            large,
            all,
        }
    }

    /// Returns the size of the largest hunk that is shown by its lines next, in bytes.
    pub(crate) fn largest(&self) -> usize {
        match self.taken {
            taken if taken < self.large => MAX_SHOWN,
            taken if taken < self.all => Self::SMALL,
            _ => 0,
        }
    }

    /// Counts lines that are kept.
    pub(crate) fn take<'a>(&mut self, lines: impl Iterator<Item = &'a DiffLine>) {
        self.taken += lines.map(DiffLine::memory).sum::<usize>();
    }
}
