//! Critique: what a review agent says of the hunks that wait.
//!
//! In: its comments, and the hunks as they read by now. Out: where each comment stands. A comment is anchored by its hunk,
//! by how that read, and by a line of it: where the hunk reads differently by now, the comment is about an earlier text and
//! stands at no line.
//!
//! ```text
//! the agent says       hunk 1, line 4, bug: Out of bounds.
//! the user sees        bug  Out of bounds.                     below line 4 of that hunk
//! ```
//!
//! **Invariant:** a comment is at a line only while its hunk reads as it did. Nothing makes a verdict of one.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{HunkReading, HunkView};
use crate::edit::diff::line::DiffLine;
use crate::id::HunkId;
use crate::plural::counted;
use crate::quote;

/// Maximum size of a comment, in bytes.
const MOST_TEXT: usize = 1024;

/// Maximum number of comments on a hunk.
pub const MOST_ON_HUNK: usize = 5;

/// Maximum number of comments that are kept: more than anybody reads.
const MOST_COMMENTS: usize = 200;

/// What is the matter, the most serious first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommentSeverity {
    /// It does something wrong.
    Bug,
    /// It may do something wrong.
    Risk,
    /// It cannot be told without an answer.
    Question,
    /// It is a matter of form.
    Nit,
}

impl CommentSeverity {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Bug, Self::Risk, Self::Question, Self::Nit];

    /// Returns the word for it, as in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bug => "bug",
            Self::Risk => "risk",
            Self::Question => "question",
            Self::Nit => "nit",
        }
    }
}

impl fmt::Display for CommentSeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for CommentSeverity {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let word = word.trim().to_ascii_lowercase();
        let known = Self::ALL.into_iter().find(|own| own.word() == word);
        known.ok_or_else(|| {
            let words = Self::ALL.map(Self::word).join(", ");
            format!("`severity` is none of {words}")
        })
    }
}

/// A comment of the review agent, and what it is about. It decides nothing: no verdict is made of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriticComment {
    /// The hunk.
    pub hunk: HunkId,
    /// The hunk's file.
    pub path: String,
    /// How the hunk read.
    reads: HunkReading,
    /// The line; none for a comment on the whole hunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<CommentedLine>,
    /// What is the matter.
    pub severity: CommentSeverity,
    /// The agent's words, on one line.
    pub text: String,
}

/// A line of a hunk that a comment is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CommentedLine {
    /// Its place among the lines of the hunk, from 0: numbers change with what is above the hunk.
    index: usize,
    /// Its number in the new text at that time.
    number: u32,
}

/// Where a comment stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommentPlace {
    /// At a line of the hunk.
    Line {
        /// Its place among the lines of the hunk, from 0.
        index: usize,
        /// Its number in the new text.
        number: u32,
    },
    /// At the whole hunk.
    Hunk,
    /// Nowhere in it: the hunk reads differently by now.
    EarlierText,
}

/// A comment and where it stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedComment<'a> {
    /// The comment.
    pub comment: &'a CriticComment,
    /// Where it stands.
    pub place: CommentPlace,
}

impl CriticComment {
    /// Returns a comment on a hunk as it reads now, or on the line of it that has this number in the new text.
    ///
    /// # Errors
    ///
    /// Fails with what is wrong, for the agent, if there is no such line or no text.
    pub fn about(
        (path, hunk): (&str, &HunkView),
        line: Option<usize>,
        severity: CommentSeverity,
        text: &str,
    ) -> Result<Self, String> {
        let text = quote::one_line(text, MOST_TEXT);
        if text.is_empty() {
            return Err("the comment is empty".to_owned());
        }
        Ok(Self {
            hunk: hunk.id,
            path: path.to_owned(),
            reads: HunkReading::of(hunk),
            line: line.map(|line| commented(&hunk.lines, line)).transpose()?,
            severity,
            text,
        })
    }

    /// Returns where it stands in its hunk as that is now.
    fn place_in(&self, hunk: &HunkView, reads: &HunkReading) -> CommentPlace {
        if *reads != self.reads {
            return CommentPlace::EarlierText;
        }
        let Some(line) = &self.line else {
            return CommentPlace::Hunk;
        };
        let number = hunk.lines.get(line.index).and_then(|own| own.new);
        match number {
            Some(number) => CommentPlace::Line {
                index: line.index,
                number,
            },
            None => CommentPlace::EarlierText,
        }
    }

    /// Returns the number of its line when the agent wrote it.
    pub fn line(&self) -> Option<u32> {
        self.line.as_ref().map(|line| line.number)
    }
}

impl PlacedComment<'_> {
    /// Returns the comment as the reason of a denial: `line 4: Out of bounds.`
    pub fn reason(&self) -> String {
        match self.place {
            CommentPlace::Line { number, .. } => format!("line {number}: {}", self.comment.text),
            CommentPlace::Hunk | CommentPlace::EarlierText => self.comment.text.clone(),
        }
    }
}

/// The comments on hunks that wait, each about how its hunk read at the time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Critique {
    comments: Vec<CriticComment>,
    /// The hunks that are being looked at and of which nothing new was said yet: what an earlier look said of them stands
    /// until then.
    #[serde(skip)]
    renewed: Vec<HunkId>,
}

impl Critique {
    /// Returns true if there is no comment.
    pub fn is_empty(&self) -> bool {
        self.comments.is_empty()
    }

    /// Takes over that the agent looks at these hunks.
    pub fn begin(&mut self, hunks: &[HunkId]) {
        self.renewed = hunks.to_vec();
    }

    /// Takes a comment, which stands in for what an earlier look said of its hunk; false if there are too many.
    pub fn take(&mut self, comment: CriticComment) -> bool {
        let hunk = comment.hunk;
        if let Some(at) = self.renewed.iter().position(|own| *own == hunk) {
            self.renewed.swap_remove(at);
            self.comments.retain(|own| own.hunk != hunk);
        }
        let has_room = self.count_on(hunk) < MOST_ON_HUNK && self.comments.len() < MOST_COMMENTS;
        if has_room {
            self.comments.push(comment);
        }
        has_room
    }

    /// Takes over how the look ended. Returns the hunks of which it says nothing any more; one that was cut short leaves
    /// what earlier ones said.
    pub fn end(&mut self, end: &CritiqueEnd) -> Vec<HunkId> {
        let renewed = std::mem::take(&mut self.renewed);
        if *end != CritiqueEnd::Done {
            return Vec::new();
        }
        self.comments.retain(|own| !renewed.contains(&own.hunk));
        renewed
    }

    /// Forgets the comments on hunks that are not listed any more. Returns true if there were some.
    pub fn retain(&mut self, is_listed: impl Fn(HunkId) -> bool) -> bool {
        let before = self.comments.len();
        self.comments.retain(|comment| is_listed(comment.hunk));
        self.comments.len() != before
    }

    /// Returns how many comments there are.
    pub fn count(&self) -> usize {
        self.comments.len()
    }

    /// Returns the most serious of all.
    pub fn worst(&self) -> Option<CommentSeverity> {
        self.comments.iter().map(|own| own.severity).min()
    }

    /// Returns how many comments there are on a hunk, whatever text they are about.
    pub fn count_on(&self, hunk: HunkId) -> usize {
        self.comments.iter().filter(|own| own.hunk == hunk).count()
    }

    /// Returns the most serious that is said of a hunk.
    pub fn worst_on(&self, hunk: HunkId) -> Option<CommentSeverity> {
        let own = self.comments.iter().filter(|own| own.hunk == hunk);
        own.map(|own| own.severity).min()
    }

    /// Returns the comments on a hunk, from its first line on, those on all of it last.
    pub fn on<'a>(&'a self, hunk: &HunkView) -> Vec<PlacedComment<'a>> {
        let mut own = self
            .comments
            .iter()
            .filter(|own| own.hunk == hunk.id)
            .peekable();
        if own.peek().is_none() {
            return Vec::new();
        }
        let reads = HunkReading::of(hunk);
        let placed = own.map(|comment| PlacedComment {
            place: comment.place_in(hunk, &reads),
            comment,
        });
        let mut placed: Vec<_> = placed.collect();
        placed.sort_by_key(|own| (own.place, own.comment.severity));
        placed
    }
}

/// How a look of the review agent came out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CritiqueReport {
    /// How it ended.
    pub end: CritiqueEnd,
    /// How many hunks it looked at.
    pub looked_at: usize,
    /// How many hunks that wait it was not shown, since they are too long together.
    pub left_out: usize,
    /// How many comments it made.
    pub comments: usize,
    /// On how many hunks.
    pub hunks: usize,
    /// How many of them are about bugs.
    pub bugs: usize,
    /// Its last words, on one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said: String,
}

/// How a look of the review agent ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum CritiqueEnd {
    /// It is done.
    #[default]
    Done,
    /// There was nothing that it had not looked at, or nothing with lines.
    Nothing,
    /// There was, and all of it is too long to be shown to it.
    TooLong,
    /// It was stopped.
    Cancelled,
    /// A limit stopped it.
    Limit,
    /// It failed.
    Failed {
        /// Why.
        why: String,
    },
}

impl CritiqueReport {
    /// Returns it in one line: `3 comments on 2 hunks, 1 bug`.
    pub fn in_words(&self) -> String {
        let mut text = match (self.comments, self.bugs) {
            (0, _) => format!("no comments on {}", counted(self.looked_at, "hunk")),
            (comments, bugs) => {
                let on = counted(self.hunks, "hunk");
                let bugs = match bugs {
                    0 => String::new(),
                    bugs => format!(", {}", counted(bugs, "bug")),
                };
                format!("{} on {on}{bugs}", counted(comments, "comment"))
            }
        };
        if self.left_out > 0 {
            let left_out = counted(self.left_out, "hunk");
            text += &format!("; {left_out} not shown to it: too long");
        }
        match &self.end {
            CritiqueEnd::Done => text,
            CritiqueEnd::Nothing => "nothing to look at".to_owned(),
            CritiqueEnd::TooLong => "what waits is too long for it".to_owned(),
            CritiqueEnd::Cancelled => format!("stopped: {text}"),
            CritiqueEnd::Limit => format!("stopped at a limit: {text}"),
            CritiqueEnd::Failed { why } if self.comments == 0 => format!("failed: {why}"),
            CritiqueEnd::Failed { why } => format!("{text}; then it failed: {why}"),
        }
    }
}

/// What the review agent does and says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "step")]
pub enum CritiqueEvent {
    /// It begins to look.
    Began {
        /// At which hunks.
        hunks: Vec<HunkId>,
        /// How many others wait that it is not shown.
        left_out: usize,
    },
    /// It comments.
    Comment(CriticComment),
    /// It has ended.
    Ended(CritiqueReport),
}

impl CritiqueEvent {
    /// Changes what the review agent said so far by this event. Returns the hunks of which it says something else now.
    pub fn change(&self, critique: &mut Critique) -> Vec<HunkId> {
        match self {
            Self::Began { hunks, .. } => {
                critique.begin(hunks);
                Vec::new()
            }
            // Of too many the first are kept.
            Self::Comment(comment) => {
                let is_kept = critique.take(comment.clone());
                is_kept.then_some(comment.hunk).into_iter().collect()
            }
            Self::Ended(report) => critique.end(&report.end),
        }
    }
}

/// Returns the line of a hunk that has this number in the new text.
fn commented(lines: &[DiffLine], wanted: usize) -> Result<CommentedLine, String> {
    let numbers = lines.iter().map(|line| line.new).enumerate();
    let numbers = numbers.filter_map(|(index, number)| Some((index, number?)));
    let numbers: Vec<(usize, u32)> = numbers.collect();
    let found = numbers
        .iter()
        .find(|(_, number)| *number as usize == wanted);
    if let Some((index, number)) = found.copied() {
        return Ok(CommentedLine { index, number });
    }
    let has = match (numbers.first(), numbers.last()) {
        (Some((_, first)), Some((_, last))) => format!("has the new lines {first} to {last}"),
        _ => "has no new lines".to_owned(),
    };
    Err(format!(
        "the hunk {has}; leave `line` out for a comment on the whole hunk"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_told_in_a_line() {
        let report = |comments, hunks, bugs, left_out, end| CritiqueReport {
            end,
            looked_at: 4,
            left_out,
            comments,
            hunks,
            bugs,
            said: String::new(),
        };
        let why = "no answer".to_owned();
        for (report, expected) in [
            (
                report(3, 2, 1, 0, CritiqueEnd::Done),
                "3 comments on 2 hunks, 1 bug",
            ),
            (report(1, 1, 0, 0, CritiqueEnd::Done), "1 comment on 1 hunk"),
            (
                report(0, 0, 0, 0, CritiqueEnd::Done),
                "no comments on 4 hunks",
            ),
            (
                report(0, 0, 0, 2, CritiqueEnd::Done),
                "no comments on 4 hunks; 2 hunks not shown to it: too long",
            ),
            (
                report(1, 1, 1, 0, CritiqueEnd::Cancelled),
                "stopped: 1 comment on 1 hunk, 1 bug",
            ),
            (
                report(0, 0, 0, 0, CritiqueEnd::Failed { why }),
                "failed: no answer",
            ),
        ] {
            assert_eq!(report.in_words(), expected);
        }
    }
}
