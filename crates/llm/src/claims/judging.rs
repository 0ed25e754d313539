//! Judges frames.
//!
//! ```text
//! act Rename, objects [load], targets [read]    no added line has read: contradicted
//! things [Test], marks [Good]                   no test ran: contradicted
//! marks [Only], things [Name]                   a hunk whose tokens differ in more than names contradicts it
//! ```
//!
//! In: frames and changes. Out: a [`Finding`] for each. Where both could be so, it is open.

use signoff_core::id::HunkId;
use signoff_core::quote;

use super::changes::{ChangedHunk, Changes};
use super::frame::Frame;
use super::lexicon::{Mark, Thing};
use super::names::{is_path, is_same_path};
use super::test_log::{TestLog, TestsRun};
use super::{FindName, Judgement};
use crate::code_index::{Asked, CodePlace};

mod counts;
mod deeds;
mod kinds;
mod runs;
mod uses;
mod whole;

/// What claims are held against.
#[derive(Clone)]
pub(super) struct Judge<'a> {
    /// What changed for the newest prompt.
    pub(super) now: Changes<'a>,
    /// What changed for earlier ones.
    pub(super) earlier: Changes<'a>,
    pub(super) tests: TestsRun,
    pub(super) log: &'a TestLog,
    /// Whether commands may have run that are not in the log.
    pub(super) has_other_runs: bool,
    pub(super) find: &'a FindName<'a>,
    /// Whether the message says that something was done.
    pub(super) says_deeds: bool,
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// It is so.
    Holds,
    /// It is not so.
    Contradicted { why: String, hunk: Option<HunkId> },
    /// It cannot be told.
    Open,
}

impl Finding {
    fn against(why: impl Into<String>) -> Self {
        let why = why.into();
        Self::Contradicted { why, hunk: None }
    }

    fn by_hunk(hunk: &ChangedHunk<'_>, what: &str) -> Self {
        Self::Contradicted {
            why: format!("{}:{} {what}", quote::name(hunk.path), hunk.line),
            hunk: Some(hunk.id),
        }
    }

    /// Returns what a sentence is with these findings: contradicted if one is, and else one that holds if one does.
    pub(super) fn of_all(findings: impl Iterator<Item = Self>) -> Option<Judgement> {
        let mut judgement = None;
        for finding in findings {
            match finding {
                Self::Contradicted { why, hunk } => {
                    return Some(Judgement::Contradicted { why, hunk });
                }
                Self::Holds => judgement = Some(Judgement::Holds),
                Self::Open => {}
            }
        }
        judgement
    }

    fn is_contradicted(&self) -> bool {
        matches!(self, Self::Contradicted { .. })
    }
}

impl<'a> Judge<'a> {
    /// Judges a frame.
    pub(super) fn look(&self, frame: &Frame) -> Finding {
        let judges: [fn(&Self, &Frame) -> Finding; 10] = [
            Self::runs,
            Self::tests_added,
            Self::uses_follow,
            Self::unused,
            Self::only,
            Self::kept,
            Self::file_count,
            Self::values,
            Self::deeds,
            Self::kinds,
        ];
        let is_of_all = frame.has(Mark::All) || frame.has(Mark::Whole);
        let is_of_checks = frame.has_thing(&[Thing::Test, Thing::Suite, Thing::Use, Thing::Import]);
        let is_vague = frame.unknown > 0 || is_of_all && !is_of_checks || frame.has(Mark::Unused);
        let mut found = Finding::Open;
        for judge in judges {
            match judge(self, frame) {
                Finding::Open => {}
                Finding::Holds if is_vague => {}
                Finding::Holds => found = Finding::Holds,
                contradicted @ Finding::Contradicted { .. } => return contradicted,
            }
        }
        found
    }

    /// Returns what a sentence is by its frames: contradicted if one is; it holds if one does and each deed does.
    pub(super) fn judgement(&self, frames: &[Frame]) -> Option<Judgement> {
        let findings: Vec<Finding> = frames.iter().map(|frame| self.look(frame)).collect();
        let each = frames.iter().zip(&findings);
        let is_open = each
            .clone()
            .any(|(frame, finding)| frame.is_deed && *finding == Finding::Open);
        match Finding::of_all(findings.into_iter())? {
            Judgement::Holds if is_open => None,
            judgement => Some(judgement),
        }
    }

    /// Tells whether all that changed is known, so that what is not there was not done.
    fn is_sure(&self) -> bool {
        !self.now.has_others && self.earlier.files.is_empty()
    }

    /// Returns where a name is used as staged; nowhere where that is not known.
    pub(super) fn uses(&self, name: &str) -> Vec<CodePlace> {
        (self.find)(Asked::References, name)
            .into_iter()
            .flatten()
            .collect()
    }

    /// Returns where a name is defined as staged; nowhere where that is not known.
    pub(super) fn definitions(&self, name: &str) -> Vec<CodePlace> {
        (self.find)(Asked::Definitions, name)
            .into_iter()
            .flatten()
            .collect()
    }

    /// Returns a judge of what changes in the paths among some names, or everywhere where none is a path.
    fn within(&self, names: &[String]) -> Self {
        let paths: Vec<&String> = names.iter().filter(|name| is_path(name)).collect();
        let is_meant =
            |path: &str| paths.is_empty() || paths.iter().any(|said| is_same_path(path, said));
        let mut now = self.now.clone();
        now.hunks.retain(|hunk| is_meant(hunk.path));
        now.files.retain(|file| is_meant(file.path));
        Self {
            now,
            ..self.clone()
        }
    }
}

/// Returns the finding of a list: contradicted if one is, open if one is, else that it holds.
pub(super) fn strictest(findings: Vec<Finding>) -> Finding {
    if let Some(at) = findings.iter().position(Finding::is_contradicted) {
        return findings.into_iter().nth(at).unwrap_or(Finding::Open);
    }
    if findings.is_empty() || findings.contains(&Finding::Open) {
        return Finding::Open;
    }
    Finding::Holds
}
