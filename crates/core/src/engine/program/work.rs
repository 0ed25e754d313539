//! Work: who made the changes that are staged, and what their cards say.
//!
//! In: a command, or the cards of what a background agent staged. Out: reasons of conflicts and cards.

use super::hand_over::{self, AgentCards};
use super::merge::Difference;
use crate::disk::workspace::WorkspacePath;
use crate::edit::intent::Operation;
use crate::edit::plan::Strategy;
use crate::id::{ChangesetId, ProposalId, Timestamp};
use crate::stage::proposal::{Card, DESCRIPTION_CHARS, Origin};

/// Characters of a command that a card has room for.
const COMMAND_CHARS: usize = 120;

/// Who made the changes that are staged, and what the cards of these say.
pub(super) enum Work {
    Program {
        command: String,
        /// Why files that it changed or removed are not written without a look, if so.
        held: Option<String>,
        /// The proposals of the call that it was started after, if it was started after one.
        finishes: Vec<ProposalId>,
    },
    Agent(AgentCards),
}

impl Work {
    /// Returns what happened as a reason: `it changed while the program ran`.
    pub(super) fn meanwhile(&self, what: &str) -> String {
        match self {
            Self::Program { .. } => format!("{what} while the program ran"),
            Self::Agent(_) => format!("{what} while the agent worked"),
        }
    }

    /// Returns the card of a change, but for why it is held.
    pub(super) fn card(
        &self,
        path: &WorkspacePath,
        operation: Operation,
        evidence: &str,
        stamp: Stamp<'_>,
    ) -> Card {
        let (description, strategy, evidence, matched, note) = match self {
            Self::Program { command, .. } => {
                let description = format!("`{}`", first_line(command));
                let how = evidence.to_owned();
                (description, Strategy::Program, how, None, None)
            }
            Self::Agent(cards) => {
                let own = cards.of(path);
                let (matched, note) = (own.matched, own.note);
                (own.description, own.strategy, own.evidence, matched, note)
            }
        };
        Card {
            operation,
            description,
            strategy,
            evidence,
            matched,
            note,
            held: None,
            created: stamp.created,
            origin: stamp.origin.clone(),
        }
    }

    /// Returns what the card of a file says of which it rewrites proposals with these `descriptions`: these first, where one of
    /// the proposals is of the call that it was started after.
    pub(super) fn words<'t>(
        &self,
        rewritten: &[ProposalId],
        descriptions: impl Iterator<Item = &'t str>,
    ) -> Option<String> {
        let Self::Program {
            command, finishes, ..
        } = self
        else {
            return None;
        };
        if !rewritten.iter().any(|own| finishes.contains(own)) {
            return None;
        }
        let then = format!("; then `{}`", first_line(command));
        // It may have run after an earlier call as well.
        let before = descriptions.map(|text| text.strip_suffix(&then).unwrap_or(text));
        let words = hand_over::joined(before) + &then;
        Some(words.chars().take(DESCRIPTION_CHARS).collect())
    }

    /// Returns why a change of a file is held, if it is; that of a background agent was where it was staged.
    pub(super) fn held(&self, change: &Difference) -> Option<String> {
        match self {
            // What comes takes nothing off the disk.
            Self::Program { held, .. } => held.clone().filter(|_| change.before.is_some()),
            Self::Agent(cards) => cards.of(&change.path).held,
        }
    }
}

/// When something was made, by whom, and in which changeset.
#[derive(Clone, Copy)]
pub(super) struct Stamp<'a> {
    pub(super) created: Timestamp,
    pub(super) origin: &'a Origin,
    pub(super) changeset: ChangesetId,
}

/// Returns the first line of a command, cut short; `…` says that there is more.
fn first_line(command: &str) -> String {
    let command = command.trim();
    let line = command.lines().next().unwrap_or_default();
    let mut shown: String = line.chars().take(COMMAND_CHARS).collect();
    if shown.len() < command.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{COMMAND_CHARS, first_line};

    #[test]
    fn a_command_that_is_cut_says_so() {
        let long = "é".repeat(COMMAND_CHARS + 1);
        for (command, shown) in [
            (" ls -l \n", "ls -l".to_owned()),
            ("cd a\nls", "cd a…".to_owned()),
            (&long[2..], "é".repeat(COMMAND_CHARS)),
            (&long, "é".repeat(COMMAND_CHARS) + "…"),
        ] {
            assert_eq!(first_line(command), shown);
        }
    }
}
