//! Unplaced edits: edits whose old text stands at several places, for the user to choose one.
//!
//! In: a payload that was not staged since one of its texts is ambiguous, and the user's choice. Out: the same payload with
//! as many lines around that text as tell its place, staged as if the model had given them.
//!
//! ```text
//! a.rs has `done()` at lines 3 and 9; `done()` to `close()` fits both
//! line 9 chosen: `fn last() {\n    done()` to `fn last() {\n    close()`
//! ```

use memchr::memmem;
use serde::Serialize;

use super::answer::{Answer, FileAnswer, Status};
use super::propose::SubmittedPayload;
use crate::disk::workspace::WorkspacePath;
use crate::edit::locate::Candidate;
use crate::edit::plan::Part;
use crate::edit::request::{MatchScope, Pair, Request};
use crate::engine::EngineError;
use crate::engine::overlay::Overlay;
use crate::engine::state::WorkspaceState;
use crate::text::Source;

/// Maximum number of such edits that are kept; the oldest go first. An answer has a handful of edits.
const MOST_KEPT: usize = 8;

/// Maximum number of places that a question has: they are chosen by the keys `1` to `9`.
const MOST_PLACES: usize = 9;

/// Lines that are added on either side to tell a place. Case: a file that repeats itself, in which no number of lines does.
const MOST_LINES: usize = 200;

/// An edit that fits several places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceQuestion {
    /// Tells the question from others of this process.
    pub id: u64,
    /// The file.
    pub path: String,
    /// What the change is for, in the model's words.
    pub description: String,
    /// The places, in file order.
    pub candidates: Vec<Candidate>,
}

/// What became of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placed {
    /// The edit was proposed again.
    Answered {
        /// The file.
        path: String,
        /// The 1-based line that was chosen.
        line: usize,
        /// What became of it, with the other changes of its payload.
        answer: Box<Answer>,
    },
    /// It does not wait for a place any more, or its file is another by now.
    Gone,
}

/// Edits that wait for a place.
#[derive(Debug, Default)]
pub(in crate::engine) struct Unplaced {
    edits: Vec<UnplacedEdit>,
    newest: u64,
}

/// An edit whose place was chosen.
pub(super) struct PlacedEdit {
    pub(super) path: String,
    /// The 1-based line that was chosen.
    pub(super) line: usize,
    /// The payload that tells it.
    pub(super) asked: SubmittedPayload,
}

#[derive(Debug)]
struct UnplacedEdit {
    question: PlaceQuestion,
    asked: SubmittedPayload,
    /// The index of the change in the payload, and of the pair in the change.
    at: (usize, usize),
    file: WorkspacePath,
    text: Source,
}

impl Unplaced {
    /// Returns the edits that wait for a place, oldest first.
    pub(super) fn questions(&self) -> Vec<PlaceQuestion> {
        let edits = self.edits.iter();
        edits.map(|edit| edit.question.clone()).collect()
    }

    /// Takes an edit out, with its place told: one of those in its question, counted from 0. None if it does not wait for
    /// a place any more, or its file is another by now.
    pub(super) fn choose(
        &mut self,
        state: &mut WorkspaceState,
        question: u64,
        choice: usize,
    ) -> Result<Option<PlacedEdit>, EngineError> {
        let Some(index) = self
            .edits
            .iter()
            .position(|edit| edit.question.id == question)
        else {
            return Ok(None);
        };
        let edit = self.edits.remove(index);
        let Some(line) = edit.question.candidates.get(choice).map(|place| place.line) else {
            return Ok(None);
        };
        let (change, pair) = edit.at;
        let mut asked = edit.asked;
        let request = asked.payload.changes.get_mut(change);
        let Some(Request::Section(section)) = request.map(|change| &mut change.request) else {
            return Ok(None);
        };
        let now = state.text(&edit.file)?;
        let own = section.edits.get_mut(pair);
        let (Some(own), true) = (own, now.as_ref() == Some(&edit.text)) else {
            return Ok(None);
        };
        let Some(told) = edit
            .text
            .text()
            .ok()
            .and_then(|text| widened(text, own, line))
        else {
            return Ok(None);
        };
        *own = told;
        Ok(Some(PlacedEdit {
            path: edit.question.path,
            line,
            asked,
        }))
    }

    /// Keeps a payload of which nothing but the place of one text is unclear.
    pub(super) fn note(
        &mut self,
        state: &mut WorkspaceState,
        asked: &SubmittedPayload,
        parts: &[Part],
        results: &[FileAnswer],
    ) -> Result<(), EngineError> {
        let mut open = results
            .iter()
            .enumerate()
            .filter(|(_, result)| !result.ok && result.status != Status::NotStaged);
        let (Some((at, result)), None) = (open.next(), open.next()) else {
            return Ok(());
        };
        let changes = &asked.payload.changes;
        let is_plain = parts.len() == changes.len() && result.status == Status::Ambiguous;
        let places = &result.candidates;
        let is_told = (2..=MOST_PLACES).contains(&places.len())
            && places.iter().all(|place| place.column.is_none());
        let alone = changes
            .iter()
            .filter(|change| change.file == result.file)
            .count()
            == 1;
        let Some(change) = changes.get(at).filter(|_| is_plain && is_told && alone) else {
            return Ok(());
        };
        let Request::Section(section) = &change.request else {
            return Ok(());
        };
        let file = state.overlay.path(&change.file)?;
        let Some(text) = state.text(&file)? else {
            return Ok(());
        };
        let Some(pair) = text.text().ok().and_then(|text| {
            section.edits.iter().position(|pair| {
                pair.scope == MatchScope::Single
                    && places
                        .iter()
                        .all(|place| widened(text, pair, place.line).is_some())
            })
        }) else {
            return Ok(());
        };
        self.forget(&file);
        self.newest += 1;
        self.edits.push(UnplacedEdit {
            question: PlaceQuestion {
                id: self.newest,
                path: file.to_string(),
                description: change.description.clone().unwrap_or_default(),
                candidates: places.clone(),
            },
            asked: asked.clone(),
            at: (at, pair),
            file,
            text,
        });
        let surplus = self.edits.len().saturating_sub(MOST_KEPT);
        self.edits.drain(..surplus);
        Ok(())
    }

    /// Forgets the questions about files that were staged.
    pub(super) fn forget_files_of(&mut self, overlay: &Overlay, asked: &SubmittedPayload) {
        for change in &asked.payload.changes {
            if let Ok(file) = overlay.path(&change.file) {
                self.forget(&file);
            }
        }
    }

    fn forget(&mut self, file: &WorkspacePath) {
        self.edits.retain(|edit| edit.file != *file);
    }
}

/// Returns a pair with as many lines around the old text that begins on a line, counted from 1, as tell that place.
fn widened(text: &str, pair: &Pair, line: usize) -> Option<Pair> {
    if pair.old.is_empty() {
        return None;
    }
    let mut places = memmem::find_iter(text.as_bytes(), &pair.old);
    let at = places
        .find(|at| (memchr::memchr_iter(b'\n', &text.as_bytes()[..(*at)]).count() + 1) == line)?;
    let (mut start, mut end) = (at, at + pair.old.len());
    for _ in 0..MOST_LINES {
        start = text.get(..start)?.trim_end_matches(|c| c != '\n').len();
        let around = text.get(start..end)?;
        let mut found = memmem::find_iter(text.as_bytes(), around);
        if found.next().is_some() && found.next().is_none() {
            let head = text.get(start..at)?;
            let tail = text.get(at + pair.old.len()..end)?;
            return Some(Pair {
                old: around.to_owned(),
                new: [head, &pair.new, tail].concat(),
                scope: pair.scope,
            });
        }
        start = start.saturating_sub(1);
        let rest = text.get(end..)?;
        end += rest.find('\n').map_or(rest.len(), |found| found + 1);
    }
    None
}
