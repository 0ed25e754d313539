//! Digest: what there is to know of what was left out of a conversation.
//!
//! In: lists of what was asked, decided and done. Out: a text of bounded size.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{LONGEST, ToldOutcomes};

/// What there is to know of entries that were left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// What the user asked, oldest first.
    pub(crate) asked: Vec<String>,
    /// What the user denied or took back, and why.
    pub(crate) denied: Vec<String>,
    /// Files with edits that the user kept.
    pub(crate) kept: Vec<String>,
    /// What waits for the user.
    pub(crate) waiting: Vec<String>,
    /// The plan as the model last wrote it.
    pub(crate) plan: Option<String>,
    /// Files that calls named.
    pub(crate) files: Vec<String>,
    /// The model's last words.
    pub(crate) said: Option<String>,
    /// What was told of edits that may still be decided on.
    #[serde(default, skip_serializing_if = "ToldOutcomes::is_empty")]
    pub(crate) told: ToldOutcomes,
}

impl Digest {
    /// Keeps the newest of each list, of the requests also the first.
    pub(crate) fn bounded(mut self) -> Self {
        if self.asked.len() > 10 {
            self.asked.drain(1..self.asked.len() - 9);
        }
        newest(&mut self.denied, 16);
        newest(&mut self.kept, 24);
        newest(&mut self.files, 32);
        newest(&mut self.waiting, 24);
        self.told = self.told.without_settled();
        self
    }

    /// Returns what was told of edits.
    pub(crate) fn told(&self) -> &ToldOutcomes {
        &self.told
    }
}

/// Leaves out what comes again later, then the oldest.
fn newest(list: &mut Vec<String>, most: usize) {
    let mut seen = BTreeSet::new();
    let mut kept: Vec<String> = list
        .drain(..)
        .rev()
        .filter(|item| seen.insert(item.clone()))
        .take(most)
        .collect();
    kept.reverse();
    *list = kept;
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const END: &str = "\nRead files again before you edit them.";
        let mut text = String::from(
            "To save room, what was said before is left out. What there is to know of it:",
        );
        // What must not be lost goes first: the end is what is left out if there is too much.
        for (head, items) in [
            (
                "Denied by the user; do not propose it again:",
                self.denied.as_slice(),
            ),
            ("Staged and waiting for the user's verdict:", &self.waiting),
            ("The plan:", self.plan.as_slice()),
            ("What the user asked:", &self.asked),
            ("Files with edits that the user kept:", &self.kept),
            ("Your last words:", self.said.as_slice()),
            ("Files that you worked with:", &self.files),
        ] {
            let lines = items.iter().map(|item| format!("- {item}"));
            let head = (!items.is_empty()).then(|| head.to_owned());
            for line in head.into_iter().chain(lines) {
                if text.len() + line.len() + END.len() < LONGEST {
                    text.push('\n');
                    text += &line;
                }
            }
        }
        f.write_str(&text)?;
        f.write_str(END)
    }
}
