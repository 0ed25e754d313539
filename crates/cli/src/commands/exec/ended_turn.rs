//! What is written of a turn that is over, and what is said of it.
//!
//! In: how the turn ended and what it staged. Out: verdicts, commits, and how the command ends.

use std::collections::HashSet;
use std::sync::Mutex;

use serde_json::{Value, json};
use signoff_checks::check::{CheckReport, Checked};
use signoff_core::engine::{Decision, Engine};
use signoff_core::id::Timestamp;
use signoff_core::plural::counted;
use signoff_core::stage::review::ProposalView;
use signoff_llm::notice::FailedCall;
use signoff_llm::session::TurnEnd;
use signoff_llm::tool::lock;
use signoff_setup::paths::Paths;

use super::super::commits::{CommitOutcome, Commits, written_since};
use super::super::verdict::{LOOK, approve_these, ending, summary, value, with_commits};
use super::super::{Ending, out};

/// Said where a turn that did not come to its end was to be written.
const HALF: &str =
    "the turn did not come to its end: what it staged stays staged and is not written";

/// A turn that is over, and of which something may be to be written.
pub(super) struct EndedTurn<'a> {
    pub(super) paths: &'a Paths,
    pub(super) engine: &'a Mutex<Engine>,
    pub(super) staged: &'a [ProposalView],
    /// Files that were written while it ran.
    pub(super) already: Vec<String>,
    /// Whether edits failed that it did not make otherwise.
    pub(super) has_undone: bool,
    /// Whether the model said nothing.
    pub(super) is_silent: bool,
    /// Why nothing of it is to be written, if so.
    pub(super) refusal: Option<String>,
    /// What its programs did with the repository.
    pub(super) commits: Commits<'a>,
    /// The newest changeset before it.
    pub(super) before: Option<(String, Timestamp)>,
    pub(super) json: bool,
}

impl EndedTurn<'_> {
    /// Writes what is to be written: with `writes` all that it staged, else what was to be written `at_once` and waits, where
    /// that may be.
    pub(super) fn conclude(
        self,
        end: TurnEnd,
        writes: bool,
        at_once: Option<bool>,
    ) -> anyhow::Result<Ending> {
        let whole = is_whole(end);
        let has_work =
            !self.staged.is_empty() || !self.already.is_empty() || !self.commits.is_empty();
        if whole && self.is_silent && !has_work && !self.has_undone {
            out::remark("the model answered nothing");
            return Ok(Ending::Unmet);
        }
        let is_asked = writes && (!self.staged.is_empty() || self.has_undone);
        match (is_asked, whole) {
            (false, true) if writes && !self.commits.is_empty() => self.make(Ok(None), None),
            (true, true) => self.approve(),
            (true, false) if !self.staged.is_empty() => {
                out::remark(&self.behind_written(HALF));
                Ok(Ending::Unmet)
            }
            (false, true) if self.has_undone => Ok(Ending::NeedsUser),
            (false, true) => match at_once {
                None => Ok(Ending::Done),
                Some(may_write) => self.write_the_rest(may_write),
            },
            // It only showed what was to be done.
            (_, false) if end == TurnEnd::Unmet && self.has_undone => Ok(Ending::NeedsUser),
            (_, false) => Ok(Ending::Unmet),
        }
    }

    /// Writes all that it staged, unless something is against it, and makes its commits.
    fn approve(&self) -> anyhow::Result<Ending> {
        let decision = match &self.refusal {
            Some(why) => {
                out::remark(LOOK);
                Decision::Refused { why: why.clone() }
            }
            None => approve_these(&mut lock(self.engine), self.staged)?,
        };
        let ruled = self.report(&decision);
        match ending(&decision) {
            Ending::Done => self.make(written_since(self.paths, self.before.as_ref()), ruled),
            ending => {
                ruled.iter().try_for_each(out::json)?;
                Ok(ending)
            }
        }
    }

    /// Writes what was to be written at once and waits all the same, or says why not.
    fn write_the_rest(&self, may_write: bool) -> anyhow::Result<Ending> {
        let mut waiting = lock(self.engine).waiting()?;
        waiting.retain(|own| {
            own.pending().next().is_some() && self.staged.iter().any(|new| new.id == own.id)
        });
        if waiting.is_empty() {
            return Ok(Ending::Done);
        }
        if !may_write {
            // The workspace's file forbids it, which was said.
            return Ok(Ending::NeedsUser);
        }
        let decision = approve_these(&mut lock(self.engine), &waiting)?;
        self.report(&decision).iter().try_for_each(out::json)?;
        Ok(ending(&decision))
    }

    /// Says what became of verdicts on its proposals; as JSON, returns it.
    fn report(&self, decision: &Decision) -> Option<Value> {
        let said = summary(decision);
        if ending(decision) != Ending::Done {
            out::remark(&self.behind_written(&said));
        } else if !self.json {
            out::progress(&said);
        }
        self.json.then(|| {
            let mut value = value(decision);
            value["type"] = json!("verdicts");
            if !self.already.is_empty() {
                value["at_once"] = json!(self.already);
            }
            value
        })
    }

    /// Says before what became of the rest what was written while the turn ran.
    fn behind_written(&self, said: &str) -> String {
        match self.already.as_slice() {
            [] => said.to_owned(),
            already => format!("wrote {} at once; of the rest, {said}", already.join(", ")),
        }
    }

    /// Makes its commits, which belong to what was written with them, but those that have to be looked at and named.
    fn make(
        &self,
        written: anyhow::Result<Option<String>>,
        ruled: Option<Value>,
    ) -> anyhow::Result<Ending> {
        let (chosen, left) = self.commits.unheld();
        let made = written.and_then(|changeset| self.commits.approve(&chosen, changeset));
        // What was written is said also where the commits cannot be made.
        let (mut outcomes, fault) = match made {
            Ok(outcomes) => (outcomes, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        outcomes.extend(left);
        if self.json {
            let mut value = with_commits(self.paths, ruled, &outcomes)?;
            value
                .iter_mut()
                .for_each(|value| value["type"] = json!("verdicts"));
            value.iter().try_for_each(out::json)?;
        } else {
            outcomes.iter().try_for_each(CommitOutcome::print)?;
        }
        fault.map_or_else(|| Ok(CommitOutcome::ending(&outcomes)), Err)
    }
}

fn is_whole(end: TurnEnd) -> bool {
    match end {
        TurnEnd::Done | TurnEnd::Review => true,
        TurnEnd::Cancelled | TurnEnd::Failed | TurnEnd::Limit | TurnEnd::Unmet => false,
    }
}

/// Returns the files that a conversation wrote since, in their order.
pub(super) fn written_at_once(
    engine: &Mutex<Engine>,
    conversation: &str,
    before: Option<Timestamp>,
) -> anyhow::Result<Vec<String>> {
    let history = lock(engine).history(None)?;
    let own = history.into_iter().rev().filter(|entry| {
        entry.session.as_deref() == Some(conversation)
            && before.is_none_or(|before| entry.time > before)
    });
    let mut seen = HashSet::new();
    let files = own.map(|entry| entry.path);
    Ok(files.filter(|path| seen.insert(path.clone())).collect())
}

/// Returns which edits a turn left undone: what it staged may be half of what was asked for.
pub(super) fn half_done(undone: &[FailedCall]) -> Option<String> {
    let edits: Vec<String> = undone.iter().map(ToString::to_string).collect();
    let count = counted(edits.len(), "edit");
    let list = edits.join("; ");
    (!edits.is_empty())
        .then(|| format!("{count} failed and the model did not make up for it: {list}"))
}

/// Returns what the newest check has against writing what is staged.
pub(super) fn against(report: Option<&CheckReport>) -> Option<String> {
    let Some(report) = report else {
        return Some("what is staged was not checked".to_owned());
    };
    let errors = report.errors();
    let mut against: Vec<String> = report.unfinished().map(Checked::told).collect();
    let found = (errors > 0).then(|| {
        let first = report.new.first().map(ToString::to_string);
        let new = counted(errors, "new error");
        format!("the checks find {new}: {}", first.unwrap_or_default())
    });
    against.splice(0..0, found);
    (!against.is_empty()).then(|| against.join("; "))
}
