//! Placement of a proposal: what the model quoted of the file, and what the file has there.
//!
//! In: a proposal. Out: how its place was found, with the quoted lines that the card keeps.

use serde::Serialize;

use crate::edit::locate::QuotedLine;
use crate::id::ProposalId;
use crate::stage::proposal::stage::Stage;

/// How the place of a proposal was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Placement {
    /// The proposal.
    pub proposal: ProposalId,
    /// Its file.
    pub path: String,
    /// How, in words.
    pub evidence: String,
    /// The same in a user's words, if the place is not as asked.
    pub placed: Option<String>,
    /// Whether the place is not as quoted, letter by letter.
    pub is_guess: bool,
    /// What was quoted, and what is there, if that was kept.
    pub quoted: Vec<QuotedLine>,
}

/// Returns how the place of a proposal was found; nothing if it is not staged any more.
pub(in crate::engine) fn placement(stage: &Stage, id: ProposalId) -> Option<Placement> {
    let own = stage.proposal(id)?;
    let matched = own.card.matched.as_ref();
    Some(Placement {
        proposal: id,
        path: own.path.to_string(),
        evidence: own.card.evidence.clone(),
        placed: own.card.placed(),
        is_guess: matched.is_some_and(|found| found.is_guess()),
        quoted: matched.map_or_else(Vec::new, |found| found.quoted.clone()),
    })
}
