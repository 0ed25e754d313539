//! Undisplayed text: what stands for a hunk whose lines are not shown.
//!
//! In: the bytes of both sides of a hunk. Out: their sizes and hashes, by which the user signs it.
//!
//! ```text
//! +text, 18001 lines, 1314073 bytes, sha256 5f0e...: too large to be shown
//! ```

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::plural::counted;

/// A hunk whose lines are not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undisplayed {
    /// Why.
    pub why: UndisplayedReason,
    /// What it removes; none if that is nothing.
    pub old: Option<TextDigest>,
    /// What it adds; none if that is nothing.
    pub new: Option<TextDigest>,
}

/// Why lines are not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndisplayedReason {
    /// The hunk is too large.
    TooLarge,
    /// The list that it is in takes too much memory.
    LongList,
}

/// Size and hash of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextDigest {
    /// Lines, a last one without an ending included.
    pub lines: usize,
    /// Bytes, as UTF-8.
    pub bytes: usize,
    /// SHA-256 of these bytes in hexadecimal, as `sha256sum` prints it.
    pub sha256: String,
}

impl TextDigest {
    /// Returns size and hash of a text; none of an empty one.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let ends = memchr::memchr_iter(b'\n', text).count();
        (!text.is_empty()).then(|| Self {
            lines: ends + usize::from(!text.ends_with(b"\n")),
            bytes: text.len(),
            sha256: sha256(text),
        })
    }
}

/// Returns the SHA-256 of bytes in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Display for TextDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lines, bytes) = (counted(self.lines, "line"), counted(self.bytes, "byte"));
        write!(f, "text, {lines}, {bytes}, sha256 {}", self.sha256)
    }
}

impl fmt::Display for UndisplayedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLarge => "too large to be shown",
            Self::LongList => "not shown in so long a list",
        })
    }
}

impl fmt::Display for Undisplayed {
    /// Writes what the user signs: `not displayed: text, 2 lines, 9 bytes, sha256 5f0e...: too large to be shown`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.old, &self.new) {
            (_, Some(new)) => write!(f, "not displayed: {new}: {}", self.why),
            (Some(old), None) => write!(f, "removed and not displayed: {old}: {}", self.why),
            (None, None) => write!(f, "not displayed: {}", self.why),
        }
    }
}
