//! Verdicts as notes: what one person decided of the hunks of one offer.
//!
//! ```text
//! signoff verdicts
//!
//! {"hunk":"0192...#1","path":"a.txt","verdict":"approve","hash":"9b02...","time":1764...}
//! {"hunk":"0192...#2","path":"a.txt","verdict":"deny","reason":"why twice?","hash":"77aa...","time":1764...}
//! {"hunk":"0192...#1","path":"a.txt","verdict":"withdraw","hash":"9b02...","time":1765...}
//! ```
//!
//! Of a person, the newest verdict on a hunk counts: the third line says that the approval was undone. A log only grows: what is merged is the union of both, so that it does not matter which arrives first, or how often. In:
//! verdicts of the engine, or a note of which nothing is trusted. Out: the text that is signed, or verdicts.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use signoff_core::engine::GivenVerdict;
use signoff_core::id::{HunkId, ProposalId, Timestamp};
use signoff_core::quote;
use signoff_core::stage::review::{ChangeHash, OtherRuling, OtherVerdict, Signer};
use signoff_sandbox::git_view::SignedKind;
use signoff_sandbox::git_write::text_of;

/// Maximum number of verdicts that are read of one note.
const MAX_LINES: usize = 20_000;
/// Characters of a reason that are shown.
const REASON_CHARS: usize = 400;
/// Digits of a person's name among references.
const PERSON_DIGITS: usize = 16;

/// Returns the name of a person among references: a hash of the address, which may have any characters.
pub fn person_id(email: &str) -> String {
    let hash = blake3::hash(email.trim().to_lowercase().as_bytes());
    hash.to_hex().chars().take(PERSON_DIGITS).collect()
}

/// A verdict on a hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictLine {
    hunk: String,
    path: String,
    #[serde(flatten)]
    ruling: OtherRuling,
    hash: ChangeHash,
    time: Timestamp,
}

/// The verdicts of one person on one offer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerdictLog(BTreeMap<(Timestamp, String), VerdictLine>);

impl VerdictLine {
    /// Makes it of a verdict that the user gave.
    pub fn of(given: &GivenVerdict) -> Self {
        Self {
            hunk: given.hunk.to_string(),
            path: given.path.clone(),
            ruling: given.ruling.clone(),
            hash: given.hash.clone(),
            time: given.time,
        }
    }

    fn id(&self) -> Option<HunkId> {
        let (proposal, number) = self.hunk.split_once('#')?;
        Some(HunkId {
            proposal: proposal.parse::<ProposalId>().ok()?,
            number: number.parse().ok()?,
        })
    }

    fn json(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| error.to_string())
    }
}

impl VerdictLog {
    /// Adds a verdict.
    pub fn add(&mut self, line: VerdictLine) {
        let name = line.json().unwrap_or_else(|_| line.hunk.clone());
        self.0.insert((line.time, name), line);
    }

    /// Leaves out that approvals were undone of which nothing was said.
    pub fn leave_unsaid(&mut self, said: &Self) {
        let hunks: BTreeSet<&String> = said.0.values().map(|line| &line.hunk).collect();
        let is_due =
            |line: &VerdictLine| line.ruling != OtherRuling::Withdraw || hunks.contains(&line.hunk);
        self.0.retain(|_, line| is_due(line));
    }

    /// Returns how many verdicts it has.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Takes over what another log has.
    pub fn merge(&mut self, other: &Self) {
        let theirs = other.0.iter();
        self.0
            .extend(theirs.map(|(key, line)| (key.clone(), line.clone())));
    }

    /// Returns the text that is signed.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be told as JSON.
    pub fn text(&self) -> Result<String, String> {
        let lines = self.0.values().map(VerdictLine::json);
        let lines: Vec<String> = lines.collect::<Result<_, _>>()?;
        let heading = SignedKind::Verdicts.heading();
        Ok(format!("{heading}\n\n{}\n", lines.join("\n")))
    }

    /// Reads a note.
    ///
    /// # Errors
    ///
    /// Fails if it is no log, or cut.
    pub fn read(note: &str) -> Result<Self, String> {
        let text = text_of(note).ok_or("it is no note of verdicts")?;
        let lines = text
            .strip_prefix(SignedKind::Verdicts.heading())
            .and_then(|rest| rest.strip_prefix("\n\n"));
        let lines = lines.ok_or("it is no note of verdicts")?;
        let mut log = Self::default();
        for (at, line) in lines.lines().enumerate() {
            if at == MAX_LINES {
                return Err(format!("it has more than {MAX_LINES} verdicts"));
            }
            let line: VerdictLine = serde_json::from_str(line)
                .map_err(|error| format!("it is damaged or cut: {error}"))?;
            log.add(line);
        }
        Ok(log)
    }

    /// Returns the verdicts, for the engine.
    pub fn verdicts(&self, offer: &str, by: &Signer) -> Vec<(HunkId, OtherVerdict)> {
        let lines = self.0.values().filter_map(|line| {
            let ruling = match &line.ruling {
                OtherRuling::Deny { reason } => OtherRuling::Deny {
                    reason: reason
                        .as_deref()
                        .map(|own| quote::one_line(own, REASON_CHARS)),
                },
                ruling @ (OtherRuling::Approve | OtherRuling::Edit | OtherRuling::Withdraw) => {
                    ruling.clone()
                }
            };
            let verdict = OtherVerdict {
                offer: offer.to_owned(),
                by: by.clone(),
                ruling,
                hash: line.hash.clone(),
                time: line.time,
            };
            Some((line.id()?, verdict))
        });
        lines.collect()
    }
}
