//! Lines of a diff, as they are shown: plain values, and how much memory they take.

use serde::{Deserialize, Serialize};

pub use signoff_source::text::LineKind;

/// One line of a hunk as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffLine {
    /// Which side it is on.
    pub kind: LineKind,
    /// 1-based line number before the change, for context and removed lines.
    pub old: Option<u32>,
    /// 1-based line number after the change, for context and added lines.
    pub new: Option<u32>,
    /// The line without its line ending. Where lines of one hunk end in CRLF and others in LF, those of CRLF keep their
    /// carriage return, which screens draw.
    pub text: String,
    /// Byte ranges of `text` that differ from the paired line on the other side.
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
