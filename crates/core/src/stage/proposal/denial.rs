//! Fingerprints of denied hunks, which recognise a hunk that is proposed again with variations.
//!
//! In: a hunk as shown. Out: the lines that it adds and removes, without blanks and as hashes, and
//! whether another hunk of the same file does as much. Blanks, indentation, empty lines, a changed
//! line beside it, and a hunk cut in two or joined with another make no difference.

use std::collections::BTreeSet;

use crate::edit::diff::line::LineKind;
use crate::stage::review::{HunkView, ProposalView};
use crate::text::{Fingerprint, Source};

/// Maximum number of line hashes kept of each kind (80 KB); enough to recognise the rewrite of a large
/// file.
const MAX_LINES: usize = 10_000;

/// Bytes of a hash in a record.
const HASH_BYTES: usize = 8;

/// The lines of a hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Denial {
    added: BTreeSet<u64>,
    removed: BTreeSet<u64>,
}

impl Denial {
    /// Returns what a hunk of a proposal does; none for one that is not shown.
    pub fn of(view: &ProposalView, hunk: &HunkView) -> Option<Self> {
        let mut denial = Self {
            added: line_hashes(hunk, LineKind::Added),
            removed: line_hashes(hunk, LineKind::Removed),
        };
        // Where a file goes is added, too.
        denial.added.extend(view.to.as_deref().map(hash));
        let is_empty = denial.added.is_empty() && denial.removed.is_empty();
        (!is_empty).then_some(denial)
    }

    /// Returns whether this does at least half of what `denied` did, or consists of it to at least a
    /// half. Removed lines count only where both add nothing: what is put in their place is another
    /// change.
    pub fn repeats(&self, denied: &Self) -> bool {
        if !self.added.is_empty() {
            share_half(&self.added, &denied.added)
        } else {
            share_half(&self.removed, &denied.removed)
        }
    }

    /// Returns it as bytes: how many lines are added, and the hashes, the added ones first.
    pub fn to_bytes(&self) -> Vec<u8> {
        let count = self.added.len() as u64;
        let all = std::iter::once(&count)
            .chain(&self.added)
            .chain(&self.removed);
        all.flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Reads what [`Self::to_bytes`] wrote; none if it did not write that.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, []) = bytes.as_chunks::<HASH_BYTES>() else {
            return None;
        };
        let mut numbers = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let count = usize::try_from(numbers.next()?).ok()?;
        let added: BTreeSet<u64> = numbers.by_ref().take(count).collect();
        let removed = numbers.collect();
        (added.len() == count).then_some(Self { added, removed })
    }
}

fn line_hashes(hunk: &HunkView, kind: LineKind) -> BTreeSet<u64> {
    let own = hunk.lines.iter().filter(move |line| line.kind == kind);
    hashes(own.map(|line| line.text.as_str()))
}

/// True if half of the smaller set is in the other.
fn share_half(one: &BTreeSet<u64>, other: &BTreeSet<u64>) -> bool {
    let fewer = one.len().min(other.len());
    fewer > 0 && one.intersection(other).count() * 2 >= fewer
}

/// Returns the hashes of the lines that say something; of all that are not blank if none does.
fn hashes<'t>(lines: impl Iterator<Item = &'t str> + Clone) -> BTreeSet<u64> {
    let told: BTreeSet<u64> = lines
        .clone()
        .filter(|line| line.contains(char::is_alphanumeric))
        .map(hash)
        .take(MAX_LINES)
        .collect();
    if told.is_empty() {
        lines
            .filter(|line| !line.trim().is_empty())
            .map(hash)
            .take(MAX_LINES)
            .collect()
    } else {
        told
    }
}

/// Returns the hash of a line without its blanks.
fn hash(line: &str) -> u64 {
    let bare: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let Fingerprint(all) = Source::new(bare).fingerprint();
    let (hashes, _) = all.as_chunks::<HASH_BYTES>();
    hashes.first().map_or(0, |first| u64::from_le_bytes(*first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denial(lines: &str) -> Denial {
        let of = |sign: char| {
            let own = lines.lines().filter(move |line| line.starts_with(sign));
            hashes(own.map(|line| line.get(1..).unwrap_or_default()))
        };
        Denial {
            added: of('+'),
            removed: of('-'),
        }
    }

    #[test]
    fn a_denied_change_is_known_in_other_clothes() {
        let denied = denial("-let a = 1;\n-let b = 2;\n+let a = one();\n+let b = two();\n+}");
        for again in [
            "-let a = 1;\n-let b = 2;\n+let a = one();\n+let b = two();\n+}",
            "-let a = 1;\n+let a = one(); ",
            "+    let a  =  one();\n+\n+\tlet b = two();",
            "+let b = two();\n+}\n+}",
            "-let z = 1;\n+let a = one();\n+let b = two();\n+let c = three();\n+let d = four();",
            "+let a = one();\n+let c = 3;",
            "-let a = 1;\n-let b = 2;",
        ] {
            assert!(denial(again).repeats(&denied), "{again}");
        }
        for other in [
            "-let a = 1;\n+let a = uno();",
            "+}",
            "+let c = one();\n+let d = two();",
            "-let c = 3;",
        ] {
            assert!(!denial(other).repeats(&denied), "{other}");
        }
        let removal = denial("-let a = 1;\n-let b = 2;");
        assert!(denial("-let b = 2;\n-let c = 3;").repeats(&removal));
        assert!(!denial("-let b = 2;\n+let b = 3;").repeats(&removal));
    }

    #[test]
    fn lines_that_say_nothing_count_only_alone() {
        let braces = denial("+}\n+)");
        assert!(denial("+  }").repeats(&braces));
        assert!(!denial("+}\n+a").repeats(&denial("+}\n+b")));
    }

    #[test]
    fn a_denial_is_read_as_it_is_written() {
        for lines in ["-a\n+b\n+c", "+b", "-a", ""] {
            let denial = denial(lines);
            assert_eq!(Denial::from_bytes(&denial.to_bytes()), Some(denial));
        }
        for bytes in [&b""[..], b"1234567", &[1, 0, 0, 0, 0, 0, 0, 0]] {
            assert_eq!(Denial::from_bytes(bytes), None, "{bytes:?}");
        }
    }
}
