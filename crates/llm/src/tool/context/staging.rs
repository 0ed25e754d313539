//! Staging a payload: planned without the engine's lock, staged whole or not at all.
//!
//! In: changes. Out: the answer to the call.

use serde::Serialize;
use signoff_core::budget::{Budget, REQUEST_STEPS, Stopped};
use signoff_core::edit::guard::Guard;
use signoff_core::edit::intent::Operation;
use signoff_core::edit::request::{Change, Payload, Request, Strategy, Verify};
use signoff_core::engine::{
    Answer, DraftEnd, EngineError, FileAnswer, PayloadDraft, Status, SubmittedPayload,
};
use signoff_core::stage::review::StagedProposals;

use super::ToolContext;
use crate::tool::read::page;
use crate::tool::{CallDeeds, Setback, SyntaxFault, ToolOutput};
use crate::verified;

/// So often a payload is planned while others may change its files; then it is planned while
/// nobody else has the engine.
const MOST_ATTEMPTS: usize = 3;

impl ToolContext<'_> {
    /// Stages changes together, or answers why not.
    pub(in crate::tool) fn propose(&self, changes: Vec<Change>) -> ToolOutput {
        self.propose_payload(Payload {
            changes,
            verify: Verify::default(),
        })
    }

    /// Stages the changes of a payload together, or answers why not.
    pub(in crate::tool) fn propose_payload(&self, payload: Payload) -> ToolOutput {
        for change in &payload.changes {
            if let Err(invalid) = change.check_size() {
                return ToolOutput {
                    setback: self.misfit(&change.file),
                    ..refused(&invalid.to_string())
                };
            }
        }
        let verify = payload.verify.clone();
        let mut answer = match self.asked(payload) {
            Ok(answer) => answer,
            Err(output) => return output,
        };
        self.name_others(&mut answer);
        // The model reads it in the answer, and decides what to do.
        let _verification =
            verified::verify(&mut answer, &verify, |wanted| match self.ground.checks() {
                Some(checks) => checks(
                    self.ground.engine(),
                    wanted,
                    (self.call.stop.cancelled(), &|_| {}),
                ),
                None => Err("checks are switched off".to_owned()),
            });
        let unread = self.unread(&answer);
        let faults: Vec<SyntaxFault> = answer.results.iter().flat_map(faults).collect();
        let setback = if faults.is_empty() {
            let misfit = misfitting(&answer).and_then(|file| self.misfit(file));
            misfit.or_else(|| undefined(&answer))
        } else {
            Some(Box::new(Setback::Syntax(faults)))
        };
        ToolOutput {
            setback,
            ..answered(answer, unread)
        }
    }

    /// Returns the files that changes did not fit and that the model has not read: what it edits it must have
    /// seen.
    fn unread(&self, answer: &Answer) -> Vec<UnreadFile> {
        let mut room = MOST_UNREAD;
        let mut unread = Vec::new();
        for result in answer.results.iter().filter(|result| is_misfit(result)) {
            let text = self.read_anew(&result.file).ok().flatten();
            let Some(text) = text.filter(|text| !text.is_empty() && text.len() <= room) else {
                continue;
            };
            if !self.show(&result.file) {
                room -= text.len();
                unread.push(UnreadFile {
                    file: result.file.clone(),
                    text: page(&result.file, &text, 1, None).content,
                });
            }
        }
        unread
    }

    /// Adds to an edit of a file that is not there where files of its name are; not to one that must not come to be.
    fn name_others(&self, answer: &mut Answer) {
        let failed = answer.results.iter_mut();
        let failed = failed.filter(|result| !result.ok && result.status != Status::Refused);
        for result in failed {
            let is_there = !matches!(self.read_anew(&result.file), Ok(None));
            let others = || self.called_so(&result.file);
            if let (false, Some(error)) = (is_there, &mut result.error)
                && let Some(others) = others()
            {
                error.push_str("; ");
                error.push_str(&others);
            }
        }
    }

    /// Plans a payload while others have the engine, and stages it if nobody has stopped the call
    /// until then.
    fn asked(&self, payload: Payload) -> Result<Answer, ToolOutput> {
        let mut asked = SubmittedPayload {
            payload,
            origin: self.origin(),
            changeset: Some(self.call.changeset),
            only: self.call.only.clone(),
        };
        for _ in 0..MOST_ATTEMPTS {
            let draft = match self.planned(asked) {
                Ok(draft) => draft,
                Err(error) => return Err(refused(&error.to_string())),
            };
            let mut engine = self.ground.lock();
            if let Err(why) = self.call.stop.take_effect() {
                return Err(cut_short(why));
            }
            match engine.end_propose(draft) {
                Ok(DraftEnd::Answered(answer)) => return Ok(answer),
                Ok(DraftEnd::Outdated(again)) => asked = again,
                Err(error) => return Err(refused(&error.to_string())),
            }
        }
        let answer = self.ground.lock().propose(asked);
        answer.map_err(|error| refused(&error.to_string()))
    }

    /// Returns the setback of an edit that did not fit a file; none if that is no text.
    fn misfit(&self, path: &str) -> Option<Box<Setback>> {
        let text = self.read_anew(path).ok().flatten();
        text.map(|_| Box::new(Setback::Misfit(path.to_owned())))
    }

    /// Plans all changes of a payload; the engine is asked for each text and free in between.
    fn planned(&self, asked: SubmittedPayload) -> Result<PayloadDraft, EngineError> {
        let budget = Budget::new(REQUEST_STEPS, self.call.stop.clone());
        let mut draft = self.ground.lock().begin_propose(asked, budget)?;
        loop {
            let next = self.ground.lock().next_change(&mut draft)?;
            match next {
                Some(unplanned) => draft.plan(unplanned)?,
                None => break,
            }
        }
        draft.check();
        Ok(draft)
    }
}

/// Returns the answer to a call that was to end before it had an effect.
pub(crate) fn cut_short(why: Stopped) -> ToolOutput {
    match why {
        Stopped::Cancelled => {
            ToolOutput::failed("cancelled by the user; nothing was changed", "cancelled")
        }
        Stopped::Late => ToolOutput::failed(
            "error: the call took too long and was stopped. Nothing was changed. Ask for less in \
             one call: a narrower pattern or path, fewer edits, exact text or line numbers.",
            "took too long; stopped",
        ),
    }
}

/// Returns the file of the first change that may be made in another way: its place was not found, or
/// guards refused its text.
fn misfitting(answer: &Answer) -> Option<&str> {
    let found = answer.results.iter().find(|result| is_misfit(result));
    found.map(|result| result.file.as_str())
}

fn is_misfit(result: &FileAnswer) -> bool {
    match result.status {
        Status::NotFound | Status::Ambiguous | Status::Invalid => true,
        // Another text would break the same rule.
        Status::Refused => result
            .refusals
            .iter()
            .any(|alarm| alarm.guard != Guard::Rule),
        Status::Applied
        | Status::Staged
        | Status::AlreadyApplied
        | Status::Left
        | Status::TakenBack
        | Status::NotStaged => false,
    }
}

/// Maximum number of bytes of files that an answer shows because they were not read: as much as is attached of
/// one file that a request names.
const MOST_UNREAD: usize = 12 * 1024;

/// A file that the model edits without having read it.
#[derive(Serialize)]
struct UnreadFile {
    file: String,
    /// Its lines with their numbers.
    text: String,
}

/// What the model reads.
#[derive(Serialize)]
struct StagingAnswer<'a> {
    #[serde(flatten)]
    answer: &'a Answer,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<UnreadFile>,
}

/// Maximum number of places named to the user.
const MOST_PLACES: usize = 8;

fn answered(answer: Answer, unread: Vec<UnreadFile>) -> ToolOutput {
    let told = StagingAnswer {
        answer: &answer,
        unread,
    };
    let content = crate::json::line(&told)
        .unwrap_or_else(|error| format!("error: the answer cannot be shown: {error}"));
    let ok = answer.results.iter().all(|result| result.ok);
    let summary = match (answer.proposals.is_empty(), answer.written) {
        (true, _) => unstaged(&answer),
        (false, false) => format!("staged {}", counts(&answer.proposals)),
        (false, true) => format!("wrote {}", counts(&answer.proposals)),
    };
    let written = answer.written;
    let deeds = CallDeeds {
        commit: None,
        changed: Vec::new(),
        rewritten: answer.rewritten,
        images: Vec::new(),
    };
    let waiting = if written {
        StagedProposals::default()
    } else {
        answer.proposals
    };
    ToolOutput {
        ok,
        written,
        deeds: Box::new(deeds),
        staged: Box::new(waiting),
        ..ToolOutput::done(content, summary)
    }
}

/// Returns the errors of syntax that kept a change from being staged.
fn faults(result: &FileAnswer) -> impl Iterator<Item = SyntaxFault> {
    let refused = result.refusals.iter();
    let syntax = refused.filter(|alarm| alarm.guard == Guard::Syntax);
    syntax.map(|alarm| SyntaxFault {
        path: result.file.clone(),
        line: alarm.line,
        column: alarm.column,
        message: alarm.message.clone(),
    })
}

/// Returns the setback of a staged edit that leaves names undefined.
fn undefined(answer: &Answer) -> Option<Box<Setback>> {
    let warnings = answer.results.iter().flat_map(|result| &result.warnings);
    let own = warnings.filter(|alarm| alarm.guard == Guard::Undefined);
    let said: Vec<String> = own
        .map(|alarm| format!("line {}: {}", alarm.line, alarm.message))
        .collect();
    (!said.is_empty()).then(|| Box::new(Setback::Undefined(said)))
}

fn counts(proposals: &StagedProposals) -> String {
    let files: Vec<_> = proposals
        .iter()
        .map(|view| {
            let added: u32 = view.hunks.iter().map(|hunk| hunk.added).sum();
            let removed: u32 = view.hunks.iter().map(|hunk| hunk.removed).sum();
            format!("{} +{added} -{removed}", view.path)
        })
        .collect();
    files.join(", ")
}

/// Returns why nothing was staged, in the words of the change that stood in the way.
fn unstaged(answer: &Answer) -> String {
    let failure = answer
        .results
        .iter()
        .find(|result| !result.ok && result.status != Status::NotStaged);
    match failure.or(answer.results.first()) {
        Some(result) => match &result.error {
            Some(error) => format!("{}: {error}{}", result.file, places(result)),
            None if result.status == Status::TakenBack => {
                format!("{}: undid what was staged", result.file)
            }
            None => format!("{}: nothing to change", result.file),
        },
        None => "nothing to change".to_owned(),
    }
}

/// Returns on which lines the places are that an ambiguous change could mean.
fn places(result: &FileAnswer) -> String {
    let mut lines: Vec<usize> = result.candidates.iter().map(|one| one.line).collect();
    lines.dedup();
    let more = lines.len() > MOST_PLACES;
    let shown = lines.iter().take(MOST_PLACES).map(usize::to_string);
    let shown: Vec<String> = shown.collect();
    match (shown.is_empty(), more) {
        (true, _) => String::new(),
        (false, false) => format!(" (lines {})", shown.join(", ")),
        (false, true) => format!(" (lines {}, ...)", shown.join(", ")),
    }
}

/// Returns the change of a file that a call asks for; a blank description says nothing.
pub(in crate::tool) fn change(
    file: String,
    description: Option<String>,
    request: impl Into<Request>,
) -> Change {
    Change {
        description: description.filter(|text| !text.trim().is_empty()),
        ..Change::new(file, request)
    }
}

/// Returns the change of an existing file that a block of a strategy asks for, or the answer where it cannot be read.
pub(in crate::tool) fn modification(
    file: String,
    description: Option<String>,
    strategy: Strategy,
    block: serde_json::Value,
) -> Result<Change, ToolOutput> {
    let request = Request::parse(strategy, block);
    let request = request.map_err(|invalid| refused(&invalid.to_string()))?;
    Ok(Change {
        operation: Some(Operation::Modify),
        ..change(file, description, request)
    })
}

pub(in crate::tool) fn refused(error: &str) -> ToolOutput {
    ToolOutput::failed(format!("error: {error}. Nothing was changed."), error)
}
