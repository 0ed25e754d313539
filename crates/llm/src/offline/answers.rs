//! Wording of the planner's answers.
//!
//! In: what was done and what came of it. Out: text for the user.

use super::grammar::Request;
use super::situation::ChangeOutcome;
use crate::provider::openai::one_line;
use signoff_core::engine::Status;
use signoff_core::plural::counted;

/// How many files a sentence names.
const NAMED: usize = 8;
/// How many files that were left are named with the reason.
const MOST_LEFT: usize = 40;
/// How much of a text a description repeats, in characters.
const SHORT: usize = 40;

/// Said where tools would be needed and may not be used.
pub(super) const CLOSED: &str =
    "Edits wait for your verdict. Approve or deny them, then ask again.";

const HELP: &str = "\
- rename OLD to NEW [in PATH]
- replace \"OLD\" with \"NEW\" in FILE
- remove all headings from FILE
- add import WHAT to FILE
- delete function NAME [in FILE]
- help

`signoff setup` picks a model and tries it. Or start Ollama, llama.cpp, LM Studio or vLLM on its usual port, or name a \
server with --url and --model (SIGNOFF_URL and SIGNOFF_MODEL do the same; SIGNOFF_API_KEY holds \
the key).";

/// Says what the planner is and can do; `why` is there if it did not understand something.
pub(super) fn help(why: Option<Option<&str>>) -> String {
    let lead = match why {
        None => String::new(),
        Some(None) => "I did not understand that. ".to_owned(),
        Some(Some(why)) => format!("I did not understand that: {why}.\n\n"),
    };
    format!(
        "{lead}I am the built-in offline planner; no model is connected. I understand only:\n\n{HELP}"
    )
}

/// Says what was staged.
pub(super) fn staged(
    outcomes: &[ChangeOutcome],
    notices: &[&str],
    skipped: &[ChangeOutcome],
) -> String {
    let done: Vec<&ChangeOutcome> = outcomes
        .iter()
        .filter(|outcome| outcome.ok && outcome.changes > 0)
        .collect();
    let (changes, files) = match done.as_slice() {
        [] => told(notices),
        done => (done.iter().map(|outcome| outcome.changes).sum(), done.len()),
    };
    let mut text = match (changes, files) {
        (0, _) | (_, 0) => "The edits are staged; nothing is written until you approve.".to_owned(),
        _ => format!(
            "Staged {} in {}; nothing is written until you approve.",
            counted(usize::try_from(changes).unwrap_or(usize::MAX), "change"),
            counted(files, "file"),
        ),
    };
    let (without, left): (Vec<&ChangeOutcome>, Vec<&ChangeOutcome>) = skipped
        .iter()
        .partition(|outcome| outcome.status == Some(Status::NotFound));
    if !without.is_empty() {
        let names: Vec<&str> = without
            .iter()
            .map(|outcome| outcome.file.as_str())
            .collect();
        let have = if names.len() == 1 { "has" } else { "have" };
        text += &format!(
            " {} {have} it in comments and strings alone: {}.",
            counted(names.len(), "file"),
            list(&names)
        );
    }
    if !left.is_empty() {
        text += "\n\nLeft as they are, which may need a look:\n";
        let lines = left.iter().take(MOST_LEFT).map(|outcome| reason(outcome));
        text += &lines.collect::<Vec<_>>().join("\n");
        let more = left.len().saturating_sub(MOST_LEFT);
        if more > 0 {
            text += &format!("\n- and {more} more");
        }
    }
    text
}

/// Says why a file was left, on a line of a list.
fn reason(outcome: &ChangeOutcome) -> String {
    let (file, why) = (&outcome.file, one_line(&outcome.why));
    let prefix = format!("{file} is left as it is: ");
    format!("- {file}: {}", why.strip_prefix(&prefix).unwrap_or(&why))
}

/// Counts hunks and files as the system's notice tells them.
fn told(notices: &[&str]) -> (u64, usize) {
    let lines = notices.iter().flat_map(|notice| notice.lines());
    let hunks = lines
        .filter(|line| line.starts_with("- proposal "))
        .filter_map(|line| {
            let (before, _) = line.split_once(" hunk")?;
            before.rsplit('(').next()?.parse::<u64>().ok()
        });
    hunks.fold((0, 0), |(hunks, files), more| (hunks + more, files + 1))
}

/// Says what is done though nothing was staged; none if it is not.
pub(super) fn done(outcomes: &[ChangeOutcome], answer: &str) -> Option<String> {
    let told: Option<serde_json::Value> = serde_json::from_str(answer).ok();
    if told.is_some_and(|told| told["written"] == true) {
        let names: Vec<&str> = outcomes.iter().map(|one| one.file.as_str()).collect();
        return Some(format!("Written to {}. /undo reverts it.", list(&names)));
    }
    let already = went_wrong(outcomes).is_none()
        && outcomes
            .iter()
            .any(|outcome| outcome.status == Some(Status::AlreadyApplied));
    already.then(|| "It is so already; there is nothing to change.".to_owned())
}

/// Returns the change that failed: what only waits for another one is not what went wrong.
fn went_wrong(outcomes: &[ChangeOutcome]) -> Option<&ChangeOutcome> {
    outcomes
        .iter()
        .find(|outcome| !outcome.ok && outcome.status != Some(Status::NotStaged))
}

/// Says why nothing was staged, and what to try.
pub(super) fn failed(request: &Request, outcomes: &[ChangeOutcome], answer: &str) -> String {
    let failed = went_wrong(outcomes);
    let status = failed.and_then(|outcome| outcome.status);
    let reason = match failed {
        Some(ChangeOutcome { file, why, .. }) if !why.is_empty() => {
            if why.contains(file.as_str()) {
                why.clone()
            } else {
                format!("{file}: {why}")
            }
        }
        Some(ChangeOutcome { file, status, .. }) => {
            format!("{file}: {}", status.map_or("", in_words))
        }
        None => answer.trim().trim_start_matches("error:").trim().to_owned(),
    };
    let reason = match one_line(&reason).trim_end_matches('.') {
        "" => "the tool gave no reason".to_owned(),
        reason => reason.to_owned(),
    };
    format!("Nothing was changed: {reason}. {}", advice(request, status))
}

fn in_words(status: Status) -> &'static str {
    match status {
        Status::Applied => "applied",
        Status::Staged => "staged",
        Status::AlreadyApplied => "already applied",
        Status::Left => "left as it is",
        Status::TakenBack => "reverted; nothing is left to sign off",
        Status::NotStaged => "not staged",
        Status::Ambiguous => "ambiguous",
        Status::NotFound => "not found",
        Status::Refused => "refused",
        Status::Invalid => "invalid",
    }
}

fn advice(request: &Request, status: Option<Status>) -> &'static str {
    match (request, status) {
        (Request::Replace { .. }, Some(Status::NotFound)) => {
            "Quote the text exactly as it is in the file, and look at the file's name."
        }
        (Request::Rename { .. } | Request::DeleteFunction { .. }, Some(Status::NotFound)) => {
            "Look at the spelling of the name, upper and lower case included, and of the file."
        }
        (Request::RemoveHeadings { .. }, Some(Status::NotFound)) => {
            "There may be no headings in it."
        }
        (_, Some(Status::Ambiguous)) => {
            "Say more of what is meant, so that there is only one such place."
        }
        _ => "Correct the request and send it again.",
    }
}

/// Says that a function was not found, and how to do without looking for it.
pub(super) fn undefined(name: &str) -> String {
    format!(
        "No definition of `{name}` was found; nothing was changed. If you know where it is: \
         delete function {name} in FILE"
    )
}

/// Asks which of several files is meant.
pub(super) fn which(name: &str, files: &[&str]) -> String {
    format!(
        "`{name}` is defined in {}: {}. Say which: delete function {name} in FILE",
        counted(files.len(), "file"),
        list(files),
    )
}

/// Answers a verdict, or whatever else happened, without calling anything.
pub(super) fn noted(notices: &[&str]) -> String {
    let verdict = notices.iter().rev().find_map(|notice| {
        let line = notice.lines().next()?;
        line.strip_prefix("The user decided on ")
            .map(|rest| rest.trim_end_matches('.'))
    });
    match verdict {
        Some(verdict) => format!(
            "Noted ({}). I only do what I am asked in so many words: tell me what to do next.",
            one_line(verdict),
        ),
        None => "Noted. Tell me what to do next.".to_owned(),
    }
}

/// Returns the beginning of a text in quotes, for a description.
pub(super) fn short(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(SHORT) {
        Some((end, _)) => format!("\"{}…\"", line.get(..end).unwrap_or_default()),
        None => format!("\"{line}\""),
    }
}

fn list(names: &[&str]) -> String {
    let mut text = names
        .iter()
        .take(NAMED)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > NAMED {
        text += &format!(" and {} more", names.len() - NAMED);
    }
    text
}
