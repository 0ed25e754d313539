//! Claims: what a model says of its changes, held against the changes, without a model.
//!
//! ```text
//! changed: load -> read in src/a.py; src/b.py still calls load
//!
//! "I renamed `load` to `read`."     ✓
//! "All callers are updated."        ✗ `load` is still used at src/b.py:3
//! "This is much cleaner."           nothing: there is nothing to hold it against
//! ```
//!
//! In: a message, what the conversation changed and ran ([`ChangeRecord`]), and who knows where names are used. Out: the
//! sentences that hold or are contradicted ([`judge`]). `sentence` splits the message, `clause` and
//! `frame` read what a sentence says by the words of `lexicon`, `judging` compares, by what `hunk_kinds` tells of hunks. A sentence
//! that cannot be told is left out.

use serde::Serialize;
use signoff_core::id::HunkId;

use crate::code_index::{Asked, CodePlace};
pub use changes::ChangeRecord;
use changes::Changes;
use frame::{Frame, frames};
use judging::Judge;
use sentence::sentences;
pub use test_log::TestLog;

mod changes;
mod clause;
#[cfg(test)]
mod corpus;
mod frame;
mod hunk_kinds;
mod judging;
mod lexicon;
mod names;
mod sentence;
mod test_log;
mod tokens;

/// A sentence of a message, judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JudgedSentence {
    /// As it was written.
    pub sentence: String,
    /// What it was found to be.
    #[serde(flatten)]
    pub judgement: Judgement,
}

impl JudgedSentence {
    /// Returns it with what is so instead, on one line, if the changes are not as it says.
    pub fn contradiction(&self) -> Option<String> {
        match &self.judgement {
            Judgement::Holds => None,
            Judgement::Contradicted { why, .. } => {
                let sentence = self.sentence.trim_end_matches(['.', ':']);
                Some(format!("{sentence}: {why}"))
            }
        }
    }

    /// Tells whether the changes are not as it says.
    pub fn is_contradicted(&self) -> bool {
        matches!(self.judgement, Judgement::Contradicted { .. })
    }
}

/// What a sentence was found to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "judgement")]
pub enum Judgement {
    /// The changes are as it says.
    Holds,
    /// They are not.
    Contradicted {
        /// What is so instead, in one line.
        why: String,
        /// The hunk that shows it.
        #[serde(skip_serializing_if = "Option::is_none")]
        hunk: Option<HunkId>,
    },
}

/// Returns where a name is defined or used, in the files as staged; none where that is not known.
pub type FindName<'a> = dyn Fn(Asked, &str) -> Option<Vec<CodePlace>> + 'a;

/// Judges the sentences of a message.
pub fn judge(message: &str, record: &ChangeRecord, find: &FindName<'_>) -> Vec<JudgedSentence> {
    let sentences = sentences(message);
    let read: Vec<Vec<Frame>> = sentences.iter().map(frames).collect();
    let judge = Judge {
        now: Changes::of(&record.now, record.has_others),
        earlier: Changes::of(&record.earlier, false),
        tests: record.tests.state(),
        log: &record.tests,
        has_other_runs: record.has_others,
        find,
        says_deeds: read.iter().flatten().any(Frame::claims_change),
    };
    let each = sentences.iter().zip(&read);
    let each = each.filter_map(|(sentence, frames)| {
        Some(JudgedSentence {
            sentence: sentence.text.clone(),
            judgement: judge.judgement(frames)?,
        })
    });
    each.collect()
}
