//! Placement of a proposal: what the model quoted of the file, and what the file has there.
//!
//! In: a proposal. Out: how its place was found, with the quoted lines that the card keeps.

use serde::Serialize;

use crate::edit::locate::QuotedLine;
use crate::engine::{Engine, EngineError};
use crate::id::ProposalId;

/// How the place of a proposal was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Placement {
    /// The proposal.
    pub proposal: ProposalId,
    /// Its file.
    pub path: String,
    /// How, in words.
    pub evidence: String,
    /// Whether the place is not as quoted, letter by letter.
    pub is_guess: bool,
    /// What was quoted, and what is there, if that was kept.
    pub quoted: Vec<QuotedLine>,
}

impl Engine {
    /// Returns how the place of a proposal was found; nothing if it is not staged any more.
    pub fn placement(&mut self, id: ProposalId) -> Result<Option<Placement>, EngineError> {
        let _lock = self.state.begin()?;
        let own = self.state.overlay.stage.proposal(id);
        Ok(own.map(|own| {
            let matched = own.card.matched.as_ref();
            Placement {
                proposal: id,
                path: own.path.to_string(),
                evidence: own.card.evidence.clone(),
                is_guess: matched.is_some_and(|found| found.is_guess()),
                quoted: matched.map_or_else(Vec::new, |found| found.quoted.clone()),
            }
        }))
    }
}
