//! Proposal effects: what a proposal writes beside the lines that its hunks show.
//!
//! In: a layer's permission bits, texts and splices. Out: an [`ProposalEffect`], a plain value from which cards, lists and JSON
//! are drawn, with one sentence for each thing that no line of a diff shows.
//!
//! ```text
//! chmod 666 key.pem, which had 600     mode 600 → 666: readable and writable by everyone
//! unix2dos notes.txt                   412 line ends: LF to CRLF
//! iconv -t utf-16 notes.txt            encoding UTF-8 → UTF-16
//! ```

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::edit::diff::line_ends::LineEnds;
use crate::text::{Encoding, Source, Splice};

/// Permission bits of which a file that gets one more is open to more people or programs: all of the group's and of
/// others', to run it, and the special bits. What its owner may read and write, the owner can always change.
const LOOSENING: u32 = 0o7177;

/// UTF-8's byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// What a proposal writes beside the lines that its hunks show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalEffect {
    /// Permission bits that become others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ModeChange>,
    /// Line endings that become others, or are not those of the file.
    #[serde(default, skip_serializing_if = "LineEnds::is_empty")]
    pub line_ends: LineEnds,
    /// Another encoding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<EncodingChange>,
    /// A byte order mark that comes (true) or goes (false).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte_order_mark: Option<bool>,
}

/// Permission bits before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModeChange {
    /// Those that the file has; none for one that is new.
    #[serde(with = "octal_or_none")]
    pub from: Option<u32>,
    /// Those that it gets.
    #[serde(with = "octal")]
    pub to: u32,
}

/// How a file is written, before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncodingChange {
    /// Before.
    pub from: Encoding,
    /// After.
    pub to: Encoding,
}

impl ProposalEffect {
    /// Returns what a change of a text does to its encoding and line endings.
    pub fn of_text(before: Option<&Source>, after: Option<&Source>, splices: &[Splice]) -> Self {
        let files = (
            before.filter(|text| !text.is_link()),
            after.filter(|text| !text.is_link()),
        );
        let (before, Some(after)) = files else {
            return Self::default();
        };
        let encoding = before
            .map(|before| EncodingChange {
                from: before.encoding(),
                to: after.encoding(),
            })
            .filter(|change| change.from != change.to);
        let had = before.is_some_and(has_mark);
        let is_same = encoding.is_some() || had == has_mark(after);
        let is_text = after.text().is_ok() && before.is_none_or(|before| before.text().is_ok());
        Self {
            mode: None,
            line_ends: if is_text {
                LineEnds::of(before.unwrap_or(&Source::new(Vec::new())), splices)
            } else {
                LineEnds::default()
            },
            encoding,
            byte_order_mark: (!is_same).then_some(!had),
        }
    }

    /// Returns whether the lines of the hunks show everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns a sentence for each part.
    pub fn told(&self) -> Vec<String> {
        let mark = self.byte_order_mark.map(|comes| {
            let what = if comes { "begins" } else { "does not begin" };
            let more = if comes { "" } else { " any more" };
            format!("the file {what} with a byte order mark{more}")
        });
        let encoding = self.encoding.map(|change| change.to_string());
        let mode = self.mode.map(|mode| mode.to_string());
        let ends = self.line_ends.told();
        mode.into_iter()
            .chain(ends)
            .chain(encoding)
            .chain(mark)
            .collect()
    }
}

fn has_mark(text: &Source) -> bool {
    text.bytes().starts_with(MARK)
}

impl ModeChange {
    /// Returns whether somebody may do more with the file than before. A new file gets what the user's own new files
    /// get, and says on its card what it has beyond that.
    pub fn loosens(self) -> bool {
        self.from.is_some_and(|from| self.gained(from) != 0)
    }

    fn gained(self, from: u32) -> u32 {
        self.to & !from & LOOSENING
    }
}

impl fmt::Display for ModeChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.from {
            Some(from) => write!(f, "mode {from:o} → {:o}", self.to)?,
            None => write!(f, "mode {:o}", self.to)?,
        }
        let gained = self.gained(self.from.unwrap_or(0));
        let mut parts = Vec::new();
        for (bits, whom) in [(gained, "everyone"), (gained >> 3, "its group")] {
            // What everyone gets, the group is no news with.
            let bits = if whom == "everyone" {
                bits
            } else {
                bits & !gained
            };
            let rights: Vec<&str> = [(4, "readable"), (2, "writable"), (1, "executable")]
                .into_iter()
                .filter(|(bit, _)| bits & bit != 0)
                .map(|(_, right)| right)
                .collect();
            if !rights.is_empty() {
                parts.push(format!("{} by {whom}", rights.join(" and ")));
            }
        }
        if gained & 0o111 == 0o100 {
            parts.push("executable by its owner".to_owned());
        }
        let special = [
            (0o4000, "set-user-ID"),
            (0o2000, "set-group-ID"),
            (0o1000, "sticky"),
        ]
        .into_iter()
        .filter(|(bit, _)| gained & bit != 0);
        parts.extend(special.map(|(_, name)| name.to_owned()));
        if parts.is_empty() {
            let open = self.to & 0o077 != 0;
            let fewer = if open {
                "open to no more than before"
            } else {
                "open to its owner alone"
            };
            return write!(f, ": {fewer}");
        }
        write!(f, ": {}", parts.join(", "))
    }
}

impl fmt::Display for EncodingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "encoding {} → {}", self.from, self.to)
    }
}

/// Permission bits in JSON: `"640"`.
mod octal {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    pub(super) fn serialize<S: Serializer>(bits: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{bits:o}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(json: D) -> Result<u32, D::Error> {
        let text = String::deserialize(json)?;
        u32::from_str_radix(&text, 8).map_err(D::Error::custom)
    }
}

/// The same where there may be none.
mod octal_or_none {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(super) fn serialize<S: Serializer>(
        bits: &Option<u32>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        bits.map(|bits| format!("{bits:o}")).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(json: D) -> Result<Option<u32>, D::Error> {
        let text = Option::<String>::deserialize(json)?;
        let bits = text.map(|text| u32::from_str_radix(&text, 8));
        bits.transpose().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::diff::lines::difference;

    #[test]
    fn a_mode_says_who_may_do_more() {
        for (from, to, told, loosens) in [
            (
                Some(0o600),
                0o666,
                "mode 600 → 666: readable and writable by everyone",
                true,
            ),
            (
                Some(0o644),
                0o666,
                "mode 644 → 666: writable by everyone",
                true,
            ),
            (
                Some(0o600),
                0o640,
                "mode 600 → 640: readable by its group",
                true,
            ),
            (
                Some(0o640),
                0o664,
                "mode 640 → 664: readable by everyone, writable by its group",
                true,
            ),
            (
                Some(0o644),
                0o755,
                "mode 644 → 755: executable by everyone",
                true,
            ),
            (
                Some(0o600),
                0o700,
                "mode 600 → 700: executable by its owner",
                true,
            ),
            (Some(0o755), 0o4755, "mode 755 → 4755: set-user-ID", true),
            (
                Some(0o400),
                0o600,
                "mode 400 → 600: open to its owner alone",
                false,
            ),
            (
                Some(0o644),
                0o600,
                "mode 644 → 600: open to its owner alone",
                false,
            ),
            (
                Some(0o666),
                0o644,
                "mode 666 → 644: open to no more than before",
                false,
            ),
            (None, 0o600, "mode 600: open to its owner alone", false),
            (
                None,
                0o755,
                "mode 755: readable and executable by everyone",
                false,
            ),
        ] {
            let change = ModeChange { from, to };
            assert_eq!(
                (change.to_string().as_str(), change.loosens()),
                (told, loosens)
            );
            let json = serde_json::to_string(&change).unwrap();
            assert_eq!(serde_json::from_str::<ModeChange>(&json).unwrap(), change);
        }
    }

    #[test]
    fn what_no_line_shows_is_told() {
        for (before, after, told) in [
            ("a\r\nb\r\n", "a\nb\n", &["2 line ends: CRLF to LF"][..]),
            ("a\nb\n", "a\nb\r\n", &["1 line end: LF to CRLF"]),
            ("a\n", "a\nb\r\n", &["1 new line ends in CRLF"]),
            ("a\r\nb\r\n", "a\r\nc\r\n", &[]),
            ("a\nb\r\n", "a\nc\r\n", &[]),
            (
                "a\n",
                "\u{feff}a\n",
                &["the file begins with a byte order mark"],
            ),
            (
                "\u{feff}a\n",
                "b\n",
                &["the file does not begin with a byte order mark any more"],
            ),
            ("a", "b", &[]),
        ] {
            let (before, after) = (Source::new(before), Source::new(after));
            let edits = difference(&before, &after);
            let effect = ProposalEffect::of_text(Some(&before), Some(&after), edits.splices());
            assert_eq!(effect.told(), told, "{before:?} {after:?}");
        }
        let (before, after) = (Source::new("a\n"), Source::decode(b"\xff\xfea\0".to_vec()));
        let effect = ProposalEffect::of_text(Some(&before), Some(&after), &[]);
        assert_eq!(effect.told(), ["encoding UTF-8 → UTF-16"]);
    }
}
