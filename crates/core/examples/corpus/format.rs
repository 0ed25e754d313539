//! The formats in which an edit is asked.
//!
//! In: an [`Ask`]. Out: the JSON of a change. A new format is a line in [`Format::ALL`] and a
//! file beside the others.

mod dmp;
mod envelope;
mod lines;
mod section;
mod unified;

use serde_json::{Value, json};

use crate::ask::{Ask, Escaped, Slip, Style};
use crate::text::{self, Change, Lines};

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Format {
    /// Old and new text.
    Section,
    /// A unified diff with numbers.
    Unified,
    /// A unified diff with bare `@@`.
    Bare,
    /// The envelope of `*** Begin Patch`.
    Envelope,
    /// The patch text of diff-match-patch.
    Dmp,
    /// Operations on line numbers.
    Lines,
    /// The whole text.
    Whole,
}

impl Format {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [Self; 7] = [
        Self::Section,
        Self::Unified,
        Self::Bare,
        Self::Envelope,
        Self::Dmp,
        Self::Lines,
        Self::Whole,
    ];

    /// Those that show lines of the file, so that the place is found by them.
    pub(crate) const BY_ROWS: [Self; 4] =
        [Self::Section, Self::Unified, Self::Bare, Self::Envelope];

    /// Returns its name on the command line and in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Section => "section",
            Self::Unified => "unified",
            Self::Bare => "bare @@",
            Self::Envelope => "envelope",
            Self::Dmp => "dmp",
            Self::Lines => "lines",
            Self::Whole => "whole",
        }
    }

    /// Returns whether line numbers are part of it.
    pub(crate) fn has_numbers(self) -> bool {
        matches!(self, Self::Unified | Self::Dmp | Self::Lines)
    }

    /// Returns whether what the format shows of the file is in `text` once at most, so that no
    /// other place can be meant.
    pub(crate) fn is_told(self, ask: &Ask, text: &str) -> bool {
        self != Self::Dmp || dmp::is_told(ask, text)
    }

    /// Returns whether what the format shows tells the place of each change in a text for which they
    /// are `moved`; of formats that show whole lines, the lines are looked at.
    pub(crate) fn tells(self, ask: &Ask, text: &Lines, moved: &[Change]) -> bool {
        self != Self::Dmp || dmp::tells(ask, text, moved)
    }

    /// Returns whether what goes is not in `text`, down to what the format shows of it.
    pub(crate) fn is_stale(self, ask: &Ask, text: &str) -> bool {
        self != Self::Dmp || dmp::is_stale(ask, text)
    }

    /// Returns whether `text` has nowhere what the format shows, nor what it would leave.
    pub(crate) fn is_gone(self, ask: &Ask, text: &str) -> bool {
        self != Self::Dmp || dmp::is_gone(ask, text)
    }

    /// Returns the JSON of the change.
    pub(crate) fn change(self, ask: &Ask) -> Value {
        let diff = |patch: String| json!({ "strategy": "diff", "diff": { "patch": patch } });
        match self {
            Self::Section => section::change(ask),
            Self::Unified => diff(dressed("diff", unified::patch(ask, true), &ask.style)),
            Self::Bare => diff(dressed("diff", unified::patch(ask, false), &ask.style)),
            Self::Envelope => diff(dressed("", envelope::patch(ask), &ask.style)),
            Self::Dmp => json!({
                "strategy": "diff",
                "diff": { "kind": "dmp", "patch": dressed("", dmp::patch(ask), &ask.style) },
            }),
            Self::Lines => lines::change(ask),
            Self::Whole => {
                let content = dressed("", text::join(&ask.after), &ask.style);
                json!({ "strategy": "whole", "whole": { "content": content } })
            }
        }
    }
}

/// Returns a line with its number before it, in one of three manners.
pub(crate) fn prefixed(manner: usize, number: usize, text: &str) -> String {
    match manner {
        0 => format!("{number:>6}\t{text}"),
        1 => format!("{number:>4} | {text}"),
        _ => format!("{number}: {text}"),
    }
}

/// Returns `text` as the model writes it: escaped, in a fence, with other line endings.
fn dressed(language: &str, text: String, style: &Style) -> String {
    let text = escaped(text, style.escaped);
    match (style.slip, language) {
        (Some(Slip::Fenced), "") => format!("```\n{text}```\n"),
        (Some(Slip::Fenced), _) => {
            format!("Here is the patch:\n\n```{language}\n{text}```\n\nIt does that.\n")
        }
        (Some(Slip::CrLf), _) => text.replace('\n', "\r\n"),
        _ => text,
    }
}

fn escaped(text: String, how: Escaped) -> String {
    let quotes = |text: String| text.replace('\\', "\\\\").replace('"', "\\\"");
    match how {
        Escaped::No => text,
        Escaped::Quotes => quotes(text),
        Escaped::Lines => quotes(text).replace('\n', "\\n").replace('\t', "\\t"),
    }
}
