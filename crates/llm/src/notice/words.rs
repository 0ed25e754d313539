//! Wording of notices.
//!
//! In: what a notice holds. Out: its text; names and reasons in it are on one line.

use signoff_core::edit::rule::FILES;
use signoff_core::engine::{HunkOutcome, UserEdit};
use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::{DeniedLines, HunkState, HunkStatus};

use signoff_checks::check::Diagnostic;
use signoff_sandbox::waiting_commits::{ChangeState, SettledChange};

use signoff_core::quote::one_line;

use super::letter::{PATH, bullet, letter, name, ranges};
use super::{FailedCall, Interruption, Limit, Staged};
use crate::tool_output::SyntaxFault;
use crate::usage::dollars;

/// The most characters of a sentence and of a reason.
const SENTENCE: usize = 240;
const REASON: usize = 600;
/// Characters of a denied line.
const LINE: usize = 120;

/// Returns a text as one line that is not too long.
pub(super) fn short(text: &str) -> String {
    one_line(text, SENTENCE)
}

/// Returns a line about each proposal.
fn each(proposals: &[Staged]) -> impl ExactSizeIterator<Item = String> {
    proposals.iter().map(|proposal| {
        format!(
            "- proposal {}: {} {} ({}): {}",
            proposal.id,
            proposal.operation,
            name(&proposal.path),
            counted(proposal.hunks, "hunk"),
            one_line(&proposal.description, SENTENCE),
        )
    })
}

pub(super) fn staged_by_user(proposals: &[Staged]) -> String {
    letter(
        "What the user ran, a command or an agent, changed files: it is staged, not applied, and the user reviews it.",
        each(proposals),
        "It asks nothing of you.",
    )
}

pub(super) fn staged(proposals: &[Staged], open: bool, failed: &[FailedCall]) -> String {
    let lines = each(proposals);
    if !failed.is_empty() {
        let failed = failed.iter().map(|call| format!("- failed: {call}"));
        return letter(
            "Some of your calls failed, and your other edits are staged, not applied: files on disk are \
             unchanged, and your tools read them with the edits in.",
            failed.chain(lines).collect::<Vec<_>>().into_iter(),
            "Make what failed again, in the way that its answer says; tools are open. When nothing is left, \
             say in a sentence or two what you staged and what you could not do; the user reviews then.",
        );
    }
    if open {
        return letter(
            "Your edits are staged, not applied: files on disk are unchanged, and your tools read \
             them with the edits in.",
            lines,
            "Go on with what is left of the request. When nothing is left, say in a sentence or \
             two what you staged; the user reviews then.",
        );
    }
    letter(
        "Your edits are staged, not applied: files on disk are unchanged and the user reviews them now.",
        lines,
        "Do not call tools in your next message. Say in a sentence or two what you staged. If edits of the request are \
         left, end with one line `Left: WHAT`: you go on with them once the user approves. Then stop.",
    )
}

pub(super) fn asked(hunk: HunkId, path: &str, question: &str, answer: Option<&str>) -> String {
    const ANSWER: usize = 2_000;
    let question = one_line(question, REASON);
    let about = format!("about hunk {hunk} of {}", name(path));
    match answer {
        Some(answer) => format!(
            "While reviewing, the user asked you {about}: {question}\nYou answered: {}\nThe hunk still waits for \
             the user's verdict unless you are told otherwise. There is nothing to answer here.",
            one_line(answer, ANSWER)
        ),
        None => format!(
            "While reviewing, the user asked {about}, and got no answer: {question}\nAnswer it in your next \
             message, besides what you are asked for."
        ),
    }
}

pub(super) fn checks(diagnostics: &[Diagnostic], more: usize, repair: bool) -> String {
    let lines = diagnostics
        .iter()
        .map(|diagnostic| bullet(&one_line(&diagnostic.to_string(), SENTENCE)));
    let more = (more > 0).then(|| bullet(&format!("and {more} more")));
    letter(
        "The project's own checks find this in what you staged, and not without it:",
        lines.chain(more).collect::<Vec<_>>().into_iter(),
        if repair {
            "Repair the errors now, by edits of what you staged. The user reviews when there are none."
        } else {
            "The user sees it in the review."
        },
    )
}

pub(super) fn waiting(hunks: usize, paths: &[String], conflicts: &[String]) -> String {
    let head = match hunks {
        0 => "No staged edit waits that can be written.".to_owned(),
        hunks => format!(
            "Still waiting for the user's verdict: {} of staged edits, not on disk but in what \
             your tools read.",
            counted(hunks, "hunk")
        ),
    };
    let conflicts = conflicts.iter();
    let conflicts = conflicts.map(|path| format!("{}: in conflict, not written", bullet(path)));
    let paths = paths.iter().map(|path| bullet(path));
    let lines: Vec<String> = paths.chain(conflicts).collect();
    letter(&head, lines.into_iter(), "Tools are open.")
}

pub(super) fn verdicts(hunks: &[HunkOutcome], pending: usize) -> String {
    let (denied, conflict) = (
        count(hunks, HunkState::Denied),
        count(hunks, HunkState::Conflict),
    );
    let in_part = hunks.iter().filter(|judged| is_in_part(&judged.status));
    let in_part = in_part.count();
    let mut head = format!(
        "The user decided on {}: {} kept{}, {denied} denied",
        counted(hunks.len(), "hunk"),
        count(hunks, HunkState::Committed),
        match in_part {
            0 => String::new(),
            in_part => format!(" ({in_part} of them in part)"),
        }
    );
    if conflict > 0 {
        head += &format!(", {conflict} in conflict");
    }
    match pending {
        0 => head.push('.'),
        pending => head += &format!("; {pending} still wait."),
    }
    let tail = match denied + conflict + in_part {
        0 => "Kept hunks are on disk. Nothing more is to be done about them unless asked.",
        _ => {
            "Only kept hunks are on disk. Denied text is not in the file: do not propose it again; \
             where a reason is given, act on it. Read a file again before you edit it."
        }
    };
    let changed = hunks.iter().find(|judged| {
        let is_kept = matches!(
            judged.status,
            HunkStatus::Committed | HunkStatus::Edited { .. }
        );
        is_kept && FILES.contains(&judged.path.as_str())
    });
    let changed = changed.map(|judged| {
        let file = bullet(&judged.path);
        format!(
            "{file}: the project's instructions changed. Read them: their rules hold from now on."
        )
    });
    let lines: Vec<String> = grouped(hunks).into_iter().chain(changed).collect();
    letter(&head, lines.into_iter(), tail)
}

pub(super) fn commits(changes: &[SettledChange]) -> String {
    let lines = changes.iter().map(|own| {
        let fate = match own.state {
            ChangeState::Waiting => "waits for the user's sign-off",
            ChangeState::Made => "signed off, and in the repository",
            ChangeState::MadeAnew => {
                "signed off, and in the repository as this: made anew of what the user approved"
            }
            ChangeState::Denied => "not made: the user denied it, or wanted nothing of it",
            ChangeState::Reverted => "taken back by the user, and not in the repository any more",
        };
        let whose = if own.by_user {
            ", by a command of the user's"
        } else {
            ""
        };
        format!("- {}{whose}: {fate}", one_line(&own.told, REASON))
    });
    let head = if changes.iter().all(|own| own.by_user) {
        "What became of what the user changed in the repository:"
    } else {
        "What became of what you changed in the repository:"
    };
    letter(
        head,
        lines,
        "Your programs find the repository as it is now.",
    )
}

fn count(hunks: &[HunkOutcome], state: HunkState) -> usize {
    hunks
        .iter()
        .filter(|judged| judged.status.state() == state)
        .count()
}

/// Returns one line for each run of hunks of one proposal with the same verdict and reason.
fn grouped(hunks: &[HunkOutcome]) -> Vec<String> {
    hunks
        .chunk_by(|a, b| {
            a.hunk.proposal == b.hunk.proposal && a.path == b.path && a.status == b.status
        })
        .filter_map(|group| {
            let first = group.first()?;
            let numbers: Vec<u32> = group.iter().map(|judged| judged.hunk.number).collect();
            let plural = if group.len() == 1 { "hunk" } else { "hunks" };
            Some(format!(
                "- proposal {}, {}: {plural} {} {}",
                first.hunk.proposal,
                name(&first.path),
                one_line(&ranges(&numbers), PATH),
                fate(&first.status),
            ))
        })
        .collect()
}

/// Returns true if lines of the hunk were denied and the rest was kept.
fn is_in_part(status: &HunkStatus) -> bool {
    matches!(status, HunkStatus::Edited { denied, .. } if denied.is_some())
}

fn fate(status: &HunkStatus) -> String {
    match status {
        HunkStatus::Pending => "still waiting".to_owned(),
        HunkStatus::Committed => "kept".to_owned(),
        HunkStatus::Edited { text, denied: None } => {
            format!("kept as the user edited it: {}", one_line(text, REASON))
        }
        HunkStatus::Edited {
            denied: Some(DeniedLines { lines, reason }),
            ..
        } => {
            let quoted: Vec<String> = lines.iter().map(|line| one_line(line, LINE)).collect();
            let why = reason.as_deref();
            let why = why.map(|why| format!(": {}", one_line(why, REASON)));
            format!(
                "kept in part, the user denied `{}`{}",
                quoted.join("`, `"),
                why.as_deref().unwrap_or("")
            )
        }
        HunkStatus::Denied { reason: None } => "denied".to_owned(),
        HunkStatus::Denied {
            reason: Some(reason),
        } => format!("denied: {}", one_line(reason, REASON)),
        HunkStatus::Replaced { by } => format!("part of what `{}` left", one_line(by, REASON)),
        HunkStatus::Rewritten { by } => format!("part of the later edit: {}", one_line(by, REASON)),
        HunkStatus::InFile => "in the file already, the user put the same lines there".to_owned(),
        HunkStatus::Conflict { reason } => format!("in conflict: {}", one_line(reason, REASON)),
    }
}

pub(super) fn file_moved(paths: &[String]) -> String {
    letter(
        "The user changed files on disk while your staged edits to them waited, so that a verdict was \
         not carried out then:",
        paths.iter().map(|path| bullet(path)),
        "Read these files again before you edit them.",
    )
}

pub(super) fn user_edits(files: &[UserEdit]) -> String {
    let lines: Vec<String> = files.iter().flat_map(user_edit).collect();
    letter(
        "The user changed files on disk since you read them (- before, + now, with line numbers):",
        lines.into_iter(),
        "These changes are the user's own: keep them. Read a file again before you edit it.",
    )
}

fn user_edit(file: &UserEdit) -> Vec<String> {
    let path = name(&file.path);
    if file.gone {
        return vec![format!("- {path}: deleted")];
    }
    let mut lines = vec![format!("- {path}: +{} -{}", file.added, file.removed)];
    let shown = file.lines.iter();
    lines.extend(shown.map(|line| format!("  | {}", one_line(line, SENTENCE))));
    let left = (file.added + file.removed) as usize;
    match left.saturating_sub(file.lines.len()) {
        0 => {}
        left => lines.push(format!("  | and {}", counted(left, "more line"))),
    }
    lines
}

pub(super) fn reverted(path: &str, summary: &str) -> String {
    format!(
        "The user reverted a change to {}: {}. It is no longer on disk; do not make it again \
         unless asked. Read the file again before you edit it.",
        name(path),
        one_line(summary, REASON).trim_end_matches('.'),
    )
}

/// What the model reads where the conversation went back with the files.
pub(super) const REWOUND: &str = "The user went back to this point of the conversation, and changes to files that were made \
     after it were reverted. Read a file again before you edit it.";

pub(super) fn put_back(path: &str, summary: &str) -> String {
    format!(
        "The user put back a change to {} that had been reverted: {}. It is on disk again. Read \
         the file again before you edit it.",
        name(path),
        one_line(summary, REASON).trim_end_matches('.'),
    )
}

pub(super) fn interrupted(by: Interruption) -> &'static str {
    match by {
        Interruption::User => {
            "The user stopped you here. Calls that had no result were not run; what was staged \
             before stays staged. Do not take this up again unless asked."
        }
        Interruption::Connection => {
            "Your answer broke off here. None of its calls were run. Do \
             not repeat what you already said."
        }
    }
}

pub(super) fn limited(limit: &Limit) -> String {
    match limit {
        Limit::SameFailure { tool } => format!(
            "Your turn was ended: {} failed twice with the same arguments. Do not make that call \
             again; read first and call differently, or say what you need.",
            one_line(tool, PATH)
        ),
        Limit::SameResult { tool } => format!(
            "Your turn was ended: {} gave the same result three times. Use what it said, or say \
             what you need.",
            one_line(tool, PATH)
        ),
        Limit::Requests { most } => format!(
            "Your turn was ended after {} without a staged edit. When asked to go on, take the \
             shortest way.",
            counted(*most as usize, "request")
        ),
        Limit::Tokens { most } => format!(
            "Your turn was ended at the user's limit of {most} tokens. When asked to go on, take \
             the shortest way.",
        ),
        Limit::Cost { most } => format!(
            "Your turn was ended at the user's limit of {}. When asked to go on, take the \
             shortest way.",
            dollars(*most)
        ),
    }
}

/// Another way is named, and the rules of the one that failed are not said again: a model that
/// reads them again gives the same call again.
pub(super) fn misfits(path: &str, tool: &str, by_lines: bool) -> String {
    let other = match (tool, by_lines) {
        ("edit_section", true) => {
            "edit with the line numbers of a fresh read, or write with the whole text"
        }
        ("edit_section", false) => "write with the whole text",
        _ => "edit_section with text copied from a fresh read",
    };
    format!(
        "Two edits of {} were not staged. Take another way now: {other}.",
        name(path)
    )
}

pub(super) fn syntax_refused(faults: &[SyntaxFault]) -> String {
    letter(
        "Your edit was not staged: with it, there would be new errors of syntax.",
        faults.iter().map(|fault| {
            format!(
                "- {}:{}:{}: {}",
                name(&fault.path),
                fault.line,
                fault.column,
                one_line(&fault.message, SENTENCE)
            )
        }),
        "The lines are those of the text that you asked for. The file is as it was: mend these \
         places and send the whole edit again.",
    )
}

pub(super) fn detached(path: &str) -> String {
    let path = name(path);
    format!("{path} is not given any more. Read it if you need it.")
}

pub(super) fn unread(seen: &[String]) -> String {
    let lines = seen
        .iter()
        .map(|what| format!("- {}", one_line(what, SENTENCE)));
    letter(
        "What looks like a call or an edit in the text of your last answer was neither run nor staged:",
        lines,
        "If it was to be done, do it now by calling your tools; if you cannot make calls, write the path of the file on \
         a line and below it a SEARCH/REPLACE block, or a diff with the names of its files. If it was only to be \
         shown, say so in a sentence.",
    )
}

pub(super) fn not_whole(path: &str) -> String {
    let path = name(path);
    format!(
        "Nothing was changed: the lines of your answer have no clear place in {path}. Change it with \
         edit_section: copy old_text exactly from the text of the file above, and give description, \
         old_text and new_text."
    )
}
