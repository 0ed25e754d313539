//! How a hunk reads: its lines and what they conflict with, in a form that is the same in any process.

use serde::{Deserialize, Serialize};

use super::{HunkStatus, HunkView};
use crate::edit::diff::line::LineKind;
use crate::text::Source;

/// Stands for the lines of a hunk and what they conflict with, in any run; line numbers are not part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HunkReading(String);

impl HunkReading {
    /// Returns how a hunk reads.
    pub fn of(hunk: &HunkView) -> Self {
        Self(reading(hunk))
    }
}

/// Stands for all that a review list displays of a hunk, of its proposal and of its file, in this run.
///
/// The engine makes it with the list, and compares it with the hunk as it is when a verdict comes: what is signed is what
/// was displayed. Opaque: only equality with another one means something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DisplayHash(pub(crate) [u8; 32]);

fn reading(hunk: &HunkView) -> String {
    let mut text = String::new();
    if let HunkStatus::Conflict { reason } = &hunk.status {
        text.push_str(reason);
        hunk.yours.iter().for_each(|line| {
            text.push_str("\n|");
            text.push_str(line);
        });
        text.push('\n');
    }
    for line in &hunk.lines {
        text.push(match line.kind {
            LineKind::Context => ' ',
            LineKind::Removed => '-',
            LineKind::Added => '+',
        });
        text.push_str(&line.text);
        text.push_str(if line.newline { "\n" } else { "\n\\\n" });
    }
    Source::new(text.as_bytes()).fingerprint().to_string()
}
