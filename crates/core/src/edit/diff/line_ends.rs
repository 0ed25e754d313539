//! Line endings that become others.
//!
//! In: a text and splices for it, or two sides of a change. Out: [`LineEnds`], the count of lines that are the same but for
//! their ending, and of new lines that end unlike the file's.

use serde::{Deserialize, Serialize};

use crate::plural::counted;
use crate::text::source::without_ending;
use crate::text::{Ending, Source, Splice};

/// Line endings that a proposal changes beside their lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineEnds {
    /// Lines that are the same but for their ending, which was LF and is CRLF.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub to_crlf: usize,
    /// Lines that are the same but for their ending, which was CRLF and is LF.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub to_lf: usize,
    /// Other lines that come with CRLF to a file of LF.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub new_crlf: usize,
    /// Other lines that come with LF to a file of CRLF.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub new_lf: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl LineEnds {
    /// Returns which line endings splices change where they change nothing else.
    pub fn changed_in(splices: &[Splice]) -> Self {
        splices.iter().fold(Self::default(), |sum, splice| {
            let [old, new] = [&splice.old, &splice.new].map(|text| with_endings(text));
            let Some(alone) = Self::alone(&old, &new) else {
                return sum;
            };
            Self {
                to_crlf: sum.to_crlf + alone.to_crlf,
                to_lf: sum.to_lf + alone.to_lf,
                ..sum
            }
        })
    }

    /// Returns which line endings of a file are others after these splices, and which lines come with others than most
    /// lines of `below` have.
    pub fn of(below: &Source, splices: &[Splice]) -> Self {
        let mut ends = Self::default();
        let most = below.ending();
        if most == Ending::CrLf || splices.iter().any(has_crlf) {
            for splice in splices {
                ends.add(&with_endings(&splice.old), &with_endings(&splice.new), most);
            }
        }
        ends
    }

    /// Returns them for lines, with their endings, that are the same but for these; none if anything else differs.
    pub fn alone<L: AsRef<[u8]>>(old: &[L], new: &[L]) -> Option<Self> {
        let is_same = old.len() == new.len()
            && old.iter().zip(new).all(|(old, new)| {
                let (old, new) = (old.as_ref(), new.as_ref());
                without_ending(old) == without_ending(new)
                    && old.ends_with(b"\n") == new.ends_with(b"\n")
                    // A carriage return without a line feed is a character like another.
                    && (old.ends_with(b"\n") || old == new)
            });
        if !is_same {
            return None;
        }
        let mut ends = Self::default();
        for (old, new) in old.iter().zip(new) {
            let [was, is] = [old, new].map(|line| line.as_ref().ends_with(b"\r\n"));
            ends.to_crlf += usize::from(!was && is);
            ends.to_lf += usize::from(was && !is);
        }
        Some(ends)
    }

    fn add<L: AsRef<[u8]>>(&mut self, old: &[L], new: &[L], most: Ending) {
        if let Some(alone) = Self::alone(old, new) {
            self.to_crlf += alone.to_crlf;
            self.to_lf += alone.to_lf;
            return;
        }
        let foreign = |lines: &[L]| {
            lines
                .iter()
                .filter(|line| {
                    let line = line.as_ref();
                    line.ends_with(b"\n") && line.ends_with(b"\r\n") != (most == Ending::CrLf)
                })
                .count()
        };
        // What goes with another ending, as often as it comes with it, is no news.
        let more = foreign(new).saturating_sub(foreign(old));
        match most {
            Ending::CrLf => self.new_lf += more,
            Ending::Lf => self.new_crlf += more,
        }
    }

    /// Returns how many lines get another ending.
    pub fn changed(self) -> usize {
        self.to_crlf + self.to_lf
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns a sentence for each kind.
    pub fn told(self) -> Vec<String> {
        let mut told = Vec::new();
        for (count, how) in [(self.to_crlf, "LF to CRLF"), (self.to_lf, "CRLF to LF")] {
            if count > 0 {
                told.push(format!("{}: {how}", counted(count, "line end")));
            }
        }
        for (count, how) in [(self.new_crlf, "CRLF"), (self.new_lf, "LF")] {
            if count > 0 {
                let end = if count == 1 { "ends" } else { "end" };
                let lines = counted(count, "new line");
                told.push(format!("{lines} {end} in {how}"));
            }
        }
        told
    }
}

fn with_endings(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn has_crlf(splice: &Splice) -> bool {
    [&splice.old, &splice.new]
        .iter()
        .any(|text| memchr::memmem::find(text, b"\r\n").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::diff::lines::difference;

    #[test]
    fn line_ends_are_counted_by_what_they_become() {
        for (before, after, told) in [
            ("a\r\nb\r\n", "a\nb\n", &["2 line ends: CRLF to LF"][..]),
            ("a\nb\n", "a\nb\r\n", &["1 line end: LF to CRLF"]),
            (
                "a\nb\r\nc\n",
                "a\r\nb\nc\n",
                &["1 line end: LF to CRLF", "1 line end: CRLF to LF"],
            ),
            ("a\n", "a\nb\r\n", &["1 new line ends in CRLF"]),
            ("a\r\nb\r\n", "x\ny\nb\r\n", &["2 new lines end in LF"]),
            ("a\r\nb\r\n", "a\r\nc\r\n", &[]),
            ("a\nb\r\n", "a\nc\r\n", &[]),
            ("a\rb\n", "a\nb\n", &[]),
            ("a\r", "a", &[]),
        ] {
            let (before, after) = (Source::new(before), Source::new(after));
            let edits = difference(&before, &after);
            let ends = LineEnds::of(&before, edits.splices());
            assert_eq!(ends.told(), told, "{before:?} {after:?}");
        }
    }
}
