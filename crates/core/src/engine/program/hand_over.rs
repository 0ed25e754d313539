//! Hand-over: everything that a background agent staged, as one changeset for another engine.
//!
//! ```text
//! file when the agent first edited it   1 2 3 4 5
//! what the agent made of it             1 2 3 4 FIVE
//! the file and what is staged for it    ONE 2 3 4 5
//! proposed                              ONE 2 3 4 FIVE   (one hunk, on line 5)
//! ```
//!
//! In: the overlay that the agent worked in. Out: for each file what the agent found and what it made of it, with what its
//! cards say. Where both changed the same lines, the engine that takes over stages a conflict.

use std::collections::BTreeMap;

use super::names;
use crate::disk::workspace::WorkspacePath;
use crate::edit::locate::Finding;
use crate::edit::plan::Strategy;
use crate::engine::EngineError;
use crate::engine::overlay::Overlay;
use crate::file::{ProgramBase, ProgramContent, ProgramFile};
use crate::id::ChangesetId;
use crate::stage::proposal::{Card, DESCRIPTION_CHARS, Origin, Proposal};
use crate::stage::review::HunkStatus;
use crate::text::Source;

use super::ProgramStaged;

/// Why a text is not handed over.
const UNENCODED: &str = "the file's encoding does not have all characters of its new text";

/// Everything that a background agent proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandOver {
    /// The changeset that it becomes, known before, so that it is staged only once.
    pub changeset: ChangesetId,
    /// Who proposes it, in which conversation.
    pub origin: Origin,
    /// The files.
    pub files: Vec<HandedFile>,
    /// What cannot be handed over, by file, and why.
    pub left: Vec<(String, String)>,
}

/// A file as a background agent found it and left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedFile {
    /// What it found and left.
    pub file: ProgramFile,
    /// What its cards say.
    pub card: AgentCard,
}

/// What the cards of a background agent's changes to one file say, as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentCard {
    /// Their descriptions.
    pub description: String,
    /// The strategy of the first; `program` if a program made any of them.
    pub strategy: Strategy,
    /// How the least sure place was found.
    pub evidence: String,
    /// The same as a finding, where the place is not as asked letter by letter.
    pub matched: Option<Finding>,
    /// Their notes.
    pub note: Option<String>,
    /// Why one of them is held.
    pub held: Option<String>,
}

/// What became of a hand-over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakenOver {
    /// It was staged now.
    Now(ProgramStaged),
    /// It had been staged before: nothing changed.
    Before,
}

/// The cards of the files of a hand-over.
pub(super) struct AgentCards(BTreeMap<String, AgentCard>);

impl AgentCards {
    /// Returns the card of a file; an empty one for a file that was not handed over.
    pub(super) fn of(&self, path: &WorkspacePath) -> AgentCard {
        let known = self.0.get(path.as_str()).cloned();
        known.unwrap_or_else(|| AgentCard::of(&[]))
    }
}

impl AgentCard {
    /// Joins the cards of changes to one file.
    fn of(cards: &[&Card]) -> Self {
        let strategy = cards
            .iter()
            .find(|card| card.strategy == Strategy::Program)
            .or(cards.first());
        let findings = cards.iter().filter_map(|card| card.matched.clone());
        let matched = findings.reduce(Finding::weaker);
        let evidence = matched.as_ref().map(|own| own.how.clone());
        let first = cards.first().map(|card| card.evidence.clone());
        let text = joined(cards.iter().map(|card| card.description.as_str()));
        let note = joined(cards.iter().filter_map(|card| card.note.as_deref()));
        Self {
            description: text.chars().take(DESCRIPTION_CHARS).collect(),
            strategy: strategy.map_or(Strategy::Whole, |card| card.strategy),
            evidence: evidence.or(first).unwrap_or_else(|| "exact".to_owned()),
            matched,
            note: (!note.is_empty()).then_some(note),
            held: cards.iter().find_map(|card| card.held.clone()),
        }
    }
}

/// Joins texts, each once.
pub(super) fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut once: Vec<&str> = Vec::new();
    for text in texts {
        if !once.contains(&text) {
            once.push(text);
        }
    }
    once.join("; ")
}

/// Takes the files of a hand-over and their cards apart.
pub(super) fn apart(files: Vec<HandedFile>) -> (Vec<ProgramFile>, AgentCards) {
    let cards = files
        .iter()
        .map(|file| (file.file.path.clone(), file.card.clone()));
    let cards = AgentCards(cards.collect());
    let files = files.into_iter().map(|file| file.file);
    (files.collect(), cards)
}

/// Returns everything that is staged in an overlay with the files below it as they were found.
pub(in crate::engine) fn of_overlay(
    overlay: &Overlay,
    changeset: ChangesetId,
    origin: Origin,
) -> Result<HandOver, EngineError> {
    let mut files = Vec::new();
    let mut left: Vec<(String, String)> = overlay
        .stage
        .proposals
        .iter()
        .filter_map(left_behind)
        .collect();
    for (key, stack) in &overlay.stage.stacks {
        let cards = overlay.stage.proposals_over(key);
        let cards: Vec<&Card> = cards.map(|card| &card.card).collect();
        let card = AgentCard::of(&cards);
        let mode = overlay
            .workspace
            .attributes(key)?
            .map(|attributes| attributes.mode);
        for own in names(overlay, key, stack)? {
            let found = stack.base.as_ref().filter(|_| own.path == *key);
            let found = found.and_then(|text| content(text, mode));
            let made = own.after.as_ref();
            let made = made.map(|text| content(text, own.mode.map(|mode| mode.to)));
            // Not to be taken for a file that is gone.
            if matches!(made, Some(None)) {
                left.push((own.path.to_string(), UNENCODED.to_owned()));
                continue;
            }
            files.push(HandedFile {
                file: ProgramFile {
                    path: own.path.to_string(),
                    content: made.flatten(),
                    base: ProgramBase::Known(found),
                    folders_gone: own.folders_gone,
                },
                card: card.clone(),
            });
        }
    }
    Ok(HandOver {
        changeset,
        origin,
        files,
        left,
    })
}

/// Returns why a part of a proposal is not in the texts that are handed over, if it is not.
fn left_behind(proposal: &Proposal) -> Option<(String, String)> {
    let mut hunks = proposal.hunks.iter();
    let is_left = hunks.any(|hunk| matches!(hunk.status, HunkStatus::Conflict { .. }));
    is_left.then(|| {
        let why = "the agent left a conflict in it, which is not handed over".to_owned();
        (proposal.path.to_string(), why)
    })
}

/// Returns a text as the content of a file; none if its encoding does not have all of its characters.
fn content(text: &Source, mode: Option<u32>) -> Option<ProgramContent> {
    if text.is_link() {
        return Some(ProgramContent::Link(text.bytes().to_vec()));
    }
    let bytes = text.encoded()?;
    Some(ProgramContent::File { bytes, mode })
}
