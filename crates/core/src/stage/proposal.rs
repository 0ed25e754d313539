//! Staged work: changes that wait for a verdict.
//!
//! In: plans. Out: [`Proposal`]s over a [`stack::PathStack`] per file, from which the overlay
//! text, the review list and the text to commit all follow.
//!
//! `Layer`, `PathStack`, `Stage`: staged work per file. Denying a hunk in the middle, approving one ahead of others
//! and moving layers onto a saved file are all rows of `commute`. `lost` keeps of a hunk that cannot stand any more
//! what it was to do, and what the user has in its place. `aside` keeps of a program's hunk that clashes what it
//! puts there, until it is denied or approved by its id, and the lines around it, by which its place is found
//! again. `over_saved` makes the same of a staged hunk whose lines the user saved otherwise: a three-way merge that
//! decides for the hunk, where its place is certain. `rewritten` joins what a turn made and mended: it carries the
//! later change down to the hunks that it rewrites, and makes one of them.
//!
//! **Invariant:** what a layer does to its file is its `LayerKind`, one of a closed set, and what is written
//! follows from the kinds of the approved layers: a file or a link, its name, its permission bits, the folders that
//! go. Nothing of that is read off a `Card`, which is for display.
//!
//! **Invariant:** whole lines that hold a change that clashes are set aside as a whole; what clashes is never
//! written with the rest. A hunk that stands aside is put among lines that were around it, at one place alone, or
//! refused.
//!
//! **Invariant:** no IO. What does not commute is named: as blocked, as a conflict, as an orphan.
//!
//! **Invariant:** every path that a staged file has, on disk or by a staged move, belongs to its stack alone.

pub mod aside;
pub mod cards;
pub mod change_hash;
pub mod denial;
pub mod layer;
pub mod layer_kind;
pub mod edited;
pub(crate) mod groups;
pub mod former;
mod lost;
mod names;
mod offers;
mod over_saved;
mod permissions;
mod placed;
pub mod rewritten;
pub mod stack;
mod stack_places;
pub mod stacks;
pub mod stage;
pub mod views;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use aside::Aside;
use layer::Layer;
use layer_kind::NewMode;

use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::hunk::{self, Rendered};
use crate::edit::diff::line::{DiffLine, LineKind};
use crate::edit::intent::Operation;
use crate::edit::plan::{Evidence, Strategy};
use crate::id::{ChangesetId, HunkId, ProposalId, Timestamp};
use crate::stage::review::{DeniedBefore, HunkOffer, HunkStatus, Proposer};
use crate::text::Source;

/// Characters of a description that a card has room for.
pub const DESCRIPTION_CHARS: usize = 200;

/// Where a proposal came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredOrigin")]
pub struct Origin {
    /// The conversation; empty from the command line.
    pub session: String,
    /// The model's call; empty from the command line.
    pub call: String,
    /// Who proposed it.
    pub proposer: Proposer,
    /// What the user asked for, on one line: a prompt or a command; empty where that is not known.
    pub request: String,
}

/// An origin as stores hold it. Those from before there were proposers have the name of a model, with ` (mcp)` behind that
/// of a program on MCP, and nothing for the user.
#[derive(Deserialize)]
struct StoredOrigin {
    session: String,
    call: String,
    proposer: Option<Proposer>,
    model: Option<String>,
    #[serde(default)]
    request: String,
}

impl From<StoredOrigin> for Origin {
    fn from(stored: StoredOrigin) -> Self {
        let StoredOrigin {
            session,
            call,
            proposer,
            model,
            request,
        } = stored;
        let proposer = proposer.or(model.map(|name| match name.strip_suffix(" (mcp)") {
            _ if name.is_empty() => Proposer::User,
            Some(client) => Proposer::Mcp {
                client: client.to_owned(),
            },
            None => Proposer::Model { name },
        }));
        Self {
            session,
            call,
            proposer: proposer.unwrap_or(Proposer::User),
            request,
        }
    }
}

/// What is known of a proposal besides its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Identity.
    pub id: ProposalId,
    /// The changeset that it belongs to.
    pub changeset: ChangesetId,
    /// The file as it is called below the proposal.
    pub path: WorkspacePath,
    /// The facts that the store keeps as they are.
    pub card: Card,
    /// Its hunks in file order.
    pub hunks: Vec<HunkRecord>,
}

/// What the review card says besides the diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// What happens to the file.
    pub operation: Operation,
    /// One line, in the model's words.
    pub description: String,
    /// Which strategy made it.
    pub strategy: Strategy,
    /// How the place was found.
    pub evidence: String,
    /// By which rung and how well, where the place is not as asked letter by letter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<Evidence>,
    /// Something to know before deciding.
    pub note: Option<String>,
    /// Why it is not written without a look: what it removes would be nowhere, as a program left it where nothing is
    /// staged, or the user denied what it was to become; or it takes something back over later changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// When it was staged.
    pub created: Timestamp,
    /// Where it came from.
    pub origin: Origin,
}

/// One hunk and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HunkRecord {
    /// 1-based number within the proposal.
    pub number: u32,
    /// Where it stands.
    pub status: HunkStatus,
    /// Its header when it was last rendered.
    pub header: String,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// That the user denied the same before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_before: Option<DeniedBefore>,
    /// The offers that it is in, or the one that it came with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<HunkOffer>,
    /// Its lines when it came into conflict: it has none in a stack any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<DiffLine>,
    /// These lines say only how large it is, as of what is no text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sizes_only: bool,
    /// The lines that the user had in its place then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub yours: Vec<String>,
    /// What it puts in the place of what is there, if a user may still have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<Aside>,
}

impl HunkRecord {
    /// Makes the records of a layer's hunks, which wait; their lines are shown from the layer. `below` is the text that
    /// it is made for.
    fn all(below: &Source, layer: &Layer) -> Vec<Self> {
        let shown = hunk::render(below, layer.edits(), layer.numbers()).into_iter();
        let mut hunks: Vec<Self> = shown
            .map(|mut hunk| {
                hunk.lines = Vec::new();
                Self::shown(hunk)
            })
            .collect();
        if hunks.is_empty() {
            hunks.push(Self::shown(without_text()));
        }
        hunks
    }

    /// Has it wait again, with its lines shown from a layer: as it is shown there, if it has any.
    fn wait_again(&mut self, shown: Option<Rendered>) {
        self.keep(shown.unwrap_or_else(without_text));
        self.clear();
        self.status = HunkStatus::Pending;
    }

    /// Makes the record of a hunk that waits, with its lines.
    fn shown(shown: Rendered) -> Self {
        Self {
            number: shown.number,
            status: HunkStatus::Pending,
            header: shown.header,
            added: shown.added,
            removed: shown.removed,
            denied_before: None,
            offer: None,
            lines: shown.lines,
            sizes_only: shown.sizes_only,
            yours: Vec::new(),
            aside: None,
        }
    }

    /// Notes that the hunk is among other lines by now than in the offers that it is in.
    fn leave_offers(&mut self) {
        if let Some(HunkOffer::Made { offers, left, .. }) = &mut self.offer {
            left.append(offers);
        }
    }

    /// Forgets what was kept of a hunk in conflict.
    fn clear(&mut self) {
        (self.lines, self.yours, self.aside) = Default::default();
    }

    /// Keeps a hunk as it was shown last.
    fn keep(&mut self, shown: Rendered) {
        self.header = shown.header;
        self.lines = shown.lines;
        self.sizes_only = shown.sizes_only;
        (self.added, self.removed) = (shown.added, shown.removed);
    }
}

/// Returns how a hunk is shown of a file that moves, or of an empty one that comes or goes: it has no lines.
fn without_text() -> Rendered {
    Rendered {
        number: 1,
        touched: 0..0,
        header: "@@ -0,0 +0,0 @@".to_owned(),
        added: 0,
        removed: 0,
        lines: Vec::new(),
        sizes_only: false,
        undisplayed: None,
    }
}

impl Proposal {
    /// Returns the id of one of its hunks.
    pub fn hunk(&self, number: u32) -> HunkId {
        HunkId {
            proposal: self.id,
            number,
        }
    }

    /// Returns one of its hunks.
    pub fn record(&self, number: u32) -> Option<&HunkRecord> {
        // They are numbered from 1 on in their order, unless some are left out.
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        self.hunks
            .get(place)
            .filter(|record| record.number == number)
            .or_else(|| self.hunks.iter().find(|record| record.number == number))
    }

    /// Returns whether one of its hunks waits for a verdict.
    pub fn waits(&self) -> bool {
        let mut hunks = self.hunks.iter();
        hunks.any(|hunk| hunk.status == HunkStatus::Pending)
    }

    /// Shows permission bits, before and after, in the place of lines.
    pub fn show_permissions(&mut self, NewMode { from, to }: NewMode) {
        let before = from.map(|from| mode_line(LineKind::Removed, from));
        let lines: Vec<DiffLine> = before
            .into_iter()
            .chain([mode_line(LineKind::Added, to)])
            .collect();
        for hunk in &mut self.hunks {
            hunk.lines.clone_from(&lines);
        }
    }

    /// Notes on hunks, by number, that the user denied the same before.
    pub fn note_denied(&mut self, again: BTreeMap<u32, DeniedBefore>) {
        for hunk in &mut self.hunks {
            hunk.denied_before = again.get(&hunk.number).cloned();
        }
    }

    /// Returns whether any hunk still needs the user.
    pub fn is_open(&self) -> bool {
        self.hunks.iter().any(|hunk| hunk.status.is_open())
    }
}

fn mode_line(kind: LineKind, mode: u32) -> DiffLine {
    DiffLine {
        kind,
        old: None,
        new: None,
        text: format!("permissions {mode:o}"),
        emphasis: Vec::new(),
        newline: true,
    }
}

/// Says that a verdict on a hunk comes too late, or never had one to decide on.
pub(crate) fn not_waiting(hunk: HunkId) -> String {
    format!("hunk {hunk} does not wait for a verdict")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_of_stores_without_proposers_are_read() {
        let client = "other 1".to_owned();
        let name = "m".to_owned();
        for (model, proposer) in [
            ("", Proposer::User),
            ("m", Proposer::Model { name }),
            ("other 1 (mcp)", Proposer::Mcp { client }),
        ] {
            let stored = format!(r#"{{"session":"s","call":"c","model":"{model}"}}"#);
            let read: Origin = serde_json::from_str(&stored).unwrap();
            assert_eq!((read.session.as_str(), &read.proposer), ("s", &proposer));
            let written = serde_json::to_string(&read).unwrap();
            assert_eq!(serde_json::from_str::<Origin>(&written).unwrap(), read);
        }
    }
}
