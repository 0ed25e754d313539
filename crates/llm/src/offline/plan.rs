//! The planner's next step: a pure function of the prompt.
//!
//! In: what has happened since the user spoke. Out: a [`PlannerReply`]: words, and calls if more is
//! to be done. Each step is looked up in the transcript; the planner remembers nothing.

use serde_json::{Value, json};

use super::answers;
use super::grammar::{Request, parse};
use super::situation::{ChangeOutcome, PlannerRound, Situation, files, only_definition, outcomes};
use crate::message::{Prompt, ToolCall};
use crate::tool_output::LEFT_BY_SERVER;
use signoff_core::engine::Status;
use signoff_core::plural::counted;

/// More files than this are not renamed in at once; grep is asked for as many.
const MOST_FILES: usize = 2000;

/// What the planner says and calls.
#[derive(Debug, Default, PartialEq)]
pub(super) struct PlannerReply {
    pub(super) text: String,
    pub(super) calls: Vec<PlannedCall>,
    /// True if the request cannot be met.
    pub(super) unmet: bool,
}

/// The tools that the planner calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlannerTool {
    Grep,
    EditSection,
    ApplyStructuredEdits,
    FindSymbol,
    RenameSymbol,
}

impl PlannerTool {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Grep => "grep",
            Self::EditSection => "edit_section",
            Self::ApplyStructuredEdits => "apply_structured_edits",
            Self::FindSymbol => "find_symbol",
            Self::RenameSymbol => "rename_symbol",
        }
    }

    /// Returns the tool of a call, if the planner made it.
    fn of(call: &ToolCall) -> Option<Self> {
        let all = [
            Self::Grep,
            Self::EditSection,
            Self::ApplyStructuredEdits,
            Self::FindSymbol,
            Self::RenameSymbol,
        ];
        all.into_iter().find(|tool| tool.name() == call.name)
    }
}

/// A call with its arguments in the order in which they are sent.
#[derive(Debug, PartialEq)]
pub(super) struct PlannedCall {
    pub(super) tool: PlannerTool,
    pub(super) arguments: Value,
}

/// Returns what the planner says to `prompt`.
pub(super) fn reply(prompt: &Prompt) -> PlannerReply {
    let Some(situation) = Situation::of(prompt) else {
        return say(answers::help(None));
    };
    let request = parse(situation.request);
    match (situation.rounds.last(), situation.last_call()) {
        (Some(_), None) => say(answers::noted(&situation.notices)),
        // The user's own command, or a call of a model that was left: no work of the planner's.
        (Some(_), Some((call, _))) if PlannerTool::of(call).is_none() => {
            say(answers::noted(&situation.notices))
        }
        (None, _) if !situation.may_call => unmet(answers::CLOSED),
        (None, _) if situation.renames_symbols => by_server(&request),
        (None, _) => begin(&request),
        (Some(_), Some(_)) if !situation.may_call => closing(&situation),
        // Where the user looks at the end of the turn, tools stay open after an edit.
        (Some(_), Some((_, Some(answer)))) if is_staged(&outcomes(answer)) => closing(&situation),
        (Some(_), Some((call, answer))) => go_on(&request, call, answer.unwrap_or_default()),
    }
}

/// Begins a rename in all files with a look for the definition, from which a language server renames.
fn by_server(request: &Request) -> PlannerReply {
    match request {
        Request::Rename {
            from, place: None, ..
        } => PlannerReply {
            text: format!("Looking for the definition of `{from}`."),
            calls: vec![PlannedCall {
                tool: PlannerTool::FindSymbol,
                arguments: json!({ "name": from }),
            }],
            unmet: false,
        },
        other => begin(other),
    }
}

fn begin(request: &Request) -> PlannerReply {
    match request {
        Request::Rename {
            from,
            to,
            place: Some(file),
        } if is_file(file) => do_it(vec![rename(from, to, file)]),
        Request::Rename { from, place, .. } => {
            let pattern = whole_word(from);
            look(
                &format!("Looking for `{from}`."),
                &pattern,
                place.as_deref().unwrap_or("."),
            )
        }
        Request::Replace { old, new, file } => PlannerReply {
            calls: vec![replace(old, new, file)],
            ..PlannerReply::default()
        },
        Request::RemoveHeadings { file } => do_it(vec![recipe(
            file,
            "Remove all headings",
            json!({ "name": "remove_headings" }),
        )]),
        Request::AddImport { import, file } => {
            let description = format!("Add import {}", answers::short(import));
            let recipe_ = json!({ "name": "ensure_import", "import": import });
            do_it(vec![recipe(file, &description, recipe_)])
        }
        Request::DeleteFunction {
            name,
            file: Some(file),
        } => do_it(vec![delete(name, file)]),
        Request::DeleteFunction { name, file: None } => {
            let pattern = definition(name);
            look(
                &format!("Looking for the definition of `{name}`."),
                &pattern,
                ".",
            )
        }
        Request::Help => say(answers::help(None)),
        Request::Unclear(why) => unmet(answers::help(Some(why.as_deref()))),
    }
}

/// Goes on after a call was answered and tools are still open.
fn go_on(request: &Request, call: &ToolCall, answer: &str) -> PlannerReply {
    let found = files(answer);
    match (request, PlannerTool::of(call)) {
        (_, Some(PlannerTool::Grep)) if answer.trim_start().starts_with("error") => {
            unmet(answers::failed(request, &[], answer))
        }
        (Request::Rename { from, to, .. }, Some(PlannerTool::Grep)) => match found.len() {
            0 => unmet(format!(
                "No file holds the name `{from}`. Nothing was changed."
            )),
            count => {
                let text = format!("`{from}` is in {}.", counted(count, "file"));
                let changes = found.iter().map(|file| rename(from, to, file)).collect();
                PlannerReply {
                    text,
                    ..do_it(changes)
                }
            }
        },
        (Request::DeleteFunction { name, .. }, Some(PlannerTool::Grep)) => match found.as_slice() {
            [] => unmet(answers::undefined(name)),
            [file] => do_it(vec![delete(name, file)]),
            several => unmet(answers::which(name, several)),
        },
        (Request::Rename { from, to, .. }, Some(PlannerTool::FindSymbol)) => {
            match only_definition(answer) {
                Some((path, line)) => PlannerReply {
                    calls: vec![PlannedCall {
                        tool: PlannerTool::RenameSymbol,
                        arguments: json!({ "path": path, "line": line, "name": from, "to": to }),
                    }],
                    ..PlannerReply::default()
                },
                None => begin(request),
            }
        }
        // A server that is not there after all, or does not know the name: by syntax, as without one.
        (Request::Rename { .. }, Some(PlannerTool::RenameSymbol))
            if answer.trim_start().starts_with("error") =>
        {
            begin(request)
        }
        (_, Some(PlannerTool::ApplyStructuredEdits)) => {
            match without_failed(call, &outcomes(answer)) {
                Some(changes) => PlannerReply {
                    text: "Going on without the files that do not fit.".to_owned(),
                    ..do_it(changes)
                },
                None => nothing_staged(request, answer),
            }
        }
        _ => nothing_staged(request, answer),
    }
}

/// Says what was staged, and what was left out on the way.
fn closing(situation: &Situation<'_>) -> PlannerReply {
    let mut answers = situation
        .rounds
        .iter()
        .rev()
        .filter_map(PlannerRound::last_answer);
    let newest = answers.next().unwrap_or_default();
    let done = outcomes(newest);
    let mut skipped: Vec<ChangeOutcome> = answers.flat_map(outcomes).filter(does_not_fit).collect();
    let left = done
        .iter()
        .filter(|outcome| outcome.status == Some(Status::Left));
    skipped.extend(left.cloned());
    let mut text = answers::staged(&done, &situation.notices, &skipped);
    if let Some(left) = newest
        .lines()
        .find_map(|line| line.strip_prefix(LEFT_BY_SERVER))
    {
        text += &format!(" Not the same, or not known to the language server: {left}.");
    }
    say(text)
}

/// Tells whether a call did all of what it was to do, and something of it waits now.
fn is_staged(outcomes: &[ChangeOutcome]) -> bool {
    outcomes.iter().all(|outcome| outcome.ok)
        && outcomes
            .iter()
            .any(|outcome| outcome.status == Some(Status::Staged))
}

/// A patch is all or nothing. Returns its changes without those that can never apply, as a
/// name that a file has only in its comments; nothing if that is none of them, or all.
fn without_failed(call: &ToolCall, outcomes: &[ChangeOutcome]) -> Option<Vec<Value>> {
    let failed: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| does_not_fit(outcome))
        .map(|outcome| outcome.file.as_str())
        .collect();
    let mut arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    let changes = arguments.get_mut("changes")?.as_array_mut()?;
    let all = changes.len();
    changes.retain(|change| {
        change
            .get("file")
            .and_then(Value::as_str)
            .is_some_and(|file| !failed.contains(&file))
    });
    (!changes.is_empty() && changes.len() < all).then(|| std::mem::take(changes))
}

fn does_not_fit(outcome: &ChangeOutcome) -> bool {
    let never = [Status::NotFound, Status::Refused, Status::Invalid];
    !outcome.ok && outcome.status.is_some_and(|status| never.contains(&status))
}

/// Says why a call staged nothing: it was done already, or cannot be done.
fn nothing_staged(request: &Request, answer: &str) -> PlannerReply {
    let outcomes = outcomes(answer);
    match answers::done(&outcomes, answer) {
        Some(text) => say(text),
        None => unmet(answers::failed(request, &outcomes, answer)),
    }
}

fn say(text: impl Into<String>) -> PlannerReply {
    PlannerReply {
        text: text.into(),
        ..PlannerReply::default()
    }
}

fn unmet(text: impl Into<String>) -> PlannerReply {
    PlannerReply {
        unmet: true,
        ..say(text)
    }
}

fn look(text: &str, pattern: &str, path: &str) -> PlannerReply {
    let arguments =
        json!({ "pattern": pattern, "path": path, "output": "files", "max": MOST_FILES });
    PlannerReply {
        text: text.to_owned(),
        calls: vec![PlannedCall {
            tool: PlannerTool::Grep,
            arguments,
        }],
        unmet: false,
    }
}

/// Returns the one call that makes all changes, with the first one's words before them.
fn do_it(changes: Vec<Value>) -> PlannerReply {
    let description = changes
        .first()
        .and_then(|change| change.get("description"))
        .cloned();
    let arguments = json!({ "description": description, "changes": changes });
    let calls = vec![PlannedCall {
        tool: PlannerTool::ApplyStructuredEdits,
        arguments,
    }];
    PlannerReply {
        calls,
        ..PlannerReply::default()
    }
}

fn recipe(file: &str, description: &str, recipe: Value) -> Value {
    json!({
        "file": file,
        "operation": "modify",
        "description": description,
        "strategy": "recipe",
        "recipe": recipe,
    })
}

fn rename(from: &str, to: &str, file: &str) -> Value {
    let description = format!("Rename {from} to {to}");
    recipe(
        file,
        &description,
        json!({ "name": "rename_identifier", "from": from, "to": to }),
    )
}

fn delete(name: &str, file: &str) -> Value {
    let description = format!("Delete function {name}");
    recipe(
        file,
        &description,
        json!({ "name": "delete_symbol", "symbol": name }),
    )
}

fn replace(old: &str, new: &str, file: &str) -> PlannedCall {
    let description = format!(
        "Replace {} with {}",
        answers::short(old),
        answers::short(new)
    );
    let arguments = json!({
        "path": file,
        "operation": "modify",
        "description": description,
        "edits": [{ "old_text": old, "new_text": new }],
        "replace_all": true,
    });
    PlannedCall {
        tool: PlannerTool::EditSection,
        arguments,
    }
}

/// Tells whether a place is a file and no folder, going by its look alone.
fn is_file(place: &str) -> bool {
    let last = place.rsplit('/').next().unwrap_or_default();
    last.trim_matches('.').contains('.')
}

/// Returns a regex for `name` as a whole word. A dollar sign is no part of a word for the
/// regex, so there is no boundary beside it.
fn whole_word(name: &str) -> String {
    let (start, end) = (
        word_boundary(name.chars().next()),
        word_boundary(name.chars().next_back()),
    );
    format!("{start}{}{end}", name.replace('$', r"\$"))
}

fn word_boundary(beside: Option<char>) -> &'static str {
    if beside == Some('$') { "" } else { r"\b" }
}

/// Returns a regex for a line that defines `name`.
fn definition(name: &str) -> String {
    const KINDS: &str = r"fn|function\*?|def|const|class|struct|enum|trait|interface|type|static";
    let end = if name.ends_with('$') { "" } else { r"\b" };
    format!(r"\b({KINDS})\s+{}{end}", name.replace('$', r"\$"))
}

#[cfg(test)]
mod tests;
