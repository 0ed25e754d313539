//! What the system tells the model, inside the request itself.
//!
//! In: what happened outside of the conversation. Out: a short text of bounded size that
//! says what is and what is not on disk, and what the model should do now.

use std::fmt;

use serde::{Deserialize, Serialize};
use signoff_core::engine::{HunkOutcome, UserEdit};
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::intent::Operation;
use signoff_core::review::{HunkStatus, ProposalView};

use crate::compaction::Digest;
use crate::spent::dollars;
use crate::tool::SyntaxFault;

/// The most bytes that one notice takes.
pub const LONGEST: usize = 4096;

/// Something that the model must know before it goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "notice")]
pub enum Notice {
    /// Edits were staged by the answer before this notice.
    Staged {
        /// The proposals.
        proposals: Vec<Staged>,
        /// True if the model may go on working before the user is asked.
        #[serde(default)]
        open: bool,
    },
    /// Proposals wait while the user asks for something new.
    Waiting {
        /// Hunks without a verdict.
        hunks: usize,
        /// The files that they are in.
        paths: Vec<String>,
    },
    /// The user decided.
    Verdicts {
        /// The hunks that were decided, or fell with another.
        hunks: Vec<Judged>,
        /// Hunks that still wait.
        pending: usize,
    },
    /// The user changed files under staged proposals.
    FileMoved {
        /// The files.
        paths: Vec<String>,
    },
    /// The user changed files that were read before.
    UserEdits {
        /// What changed in each.
        files: Vec<UserEdit>,
    },
    /// The user took a written change back.
    Reverted {
        /// The file.
        path: String,
        /// What was taken back, in one line.
        summary: String,
    },
    /// The answer before this notice is not whole.
    Interrupted {
        /// By what.
        by: Interruption,
    },
    /// The turn was ended by a limit.
    Limit {
        /// Which.
        limit: Limit,
    },
    /// Edits of one file were not staged, twice.
    Misfits {
        /// The file.
        path: String,
        /// The tool of the second.
        tool: String,
        /// True if there is a tool that goes by line numbers.
        by_lines: bool,
    },
    /// An edit was not staged, because the text after it would not be of its language any more.
    SyntaxRefused {
        /// Where.
        faults: Vec<SyntaxFault>,
    },
    /// What stood before this notice was left out to save room.
    Compacted {
        /// What there is to know of it.
        digest: Box<Digest>,
    },
}

/// A staged proposal as the model is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staged {
    /// Its id.
    pub id: ProposalId,
    /// The file.
    pub path: String,
    /// What happens to the file.
    pub operation: Operation,
    /// What it is for.
    pub description: String,
    /// How many hunks wait in it.
    pub hunks: usize,
}

/// A hunk and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// The hunk.
    pub hunk: HunkId,
    /// Its file.
    pub path: String,
    /// What became of it.
    pub status: HunkStatus,
}

/// What broke an answer off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// The user stopped it.
    User,
    /// The connection or the server failed.
    Connection,
}

/// What ended a turn early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "limit")]
pub enum Limit {
    /// A call failed twice with the same arguments.
    SameFailure {
        /// The tool.
        tool: String,
    },
    /// A call gave the same result again and again.
    SameResult {
        /// The tool.
        tool: String,
    },
    /// The turn took too many requests.
    Requests {
        /// How many there may be.
        most: u32,
    },
    /// The turn took too many tokens.
    Tokens {
        /// How many there may be.
        most: u64,
    },
    /// The turn took too much money.
    Cost {
        /// How much there may be, in millionths of a dollar.
        most: u64,
    },
}

impl From<HunkOutcome> for Judged {
    fn from(outcome: HunkOutcome) -> Self {
        let HunkOutcome { hunk, path, status } = outcome;
        Self { hunk, path, status }
    }
}

impl From<&ProposalView> for Staged {
    fn from(view: &ProposalView) -> Self {
        Self {
            id: view.id,
            path: view.path.clone(),
            operation: view.operation,
            description: view.description.clone(),
            hunks: view.pending().count(),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Staged { proposals, open } => staged(proposals, *open),
            Self::Waiting { hunks, paths } => waiting(*hunks, paths),
            Self::Verdicts { hunks, pending } => verdicts(hunks, *pending),
            Self::FileMoved { paths } => file_moved(paths),
            Self::UserEdits { files } => user_edits(files),
            Self::Reverted { path, summary } => reverted(path, summary),
            Self::Interrupted { by } => interrupted(*by).to_owned(),
            Self::Limit { limit } => limited(limit),
            Self::Misfits {
                path,
                tool,
                by_lines,
            } => misfits(path, tool, *by_lines),
            Self::SyntaxRefused { faults } => syntax_refused(faults),
            Self::Compacted { digest } => digest.to_string(),
        })
    }
}

fn staged(proposals: &[Staged], open: bool) -> String {
    let lines = proposals.iter().map(|proposal| {
        format!(
            "- proposal {}: {} {} ({}): {}",
            proposal.id,
            proposal.operation,
            one_line(&proposal.path, PATH),
            counted(proposal.hunks, "hunk"),
            one_line(&proposal.description, SENTENCE),
        )
    });
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
        "Do not call tools in your next message. Say in a sentence or two what you staged, then \
         stop. You are told what the user decides.",
    )
}

fn waiting(hunks: usize, paths: &[String]) -> String {
    letter(
        &format!(
            "Still waiting for the user's verdict: {} of staged edits, not on disk but in what \
             your tools read.",
            counted(hunks, "hunk")
        ),
        paths.iter().map(|path| bullet(path)),
        "The user asks for something new meanwhile; tools are open.",
    )
}

fn verdicts(hunks: &[Judged], pending: usize) -> String {
    let count = |word: &str| {
        hunks
            .iter()
            .filter(|judged| judged.status.word() == word)
            .count()
    };
    let (denied, conflict) = (count("denied"), count("conflict"));
    let mut head = format!(
        "The user decided on {}: {} kept, {denied} denied",
        counted(hunks.len(), "hunk"),
        count("committed")
    );
    if conflict > 0 {
        head += &format!(", {conflict} in conflict");
    }
    match pending {
        0 => head.push('.'),
        pending => head += &format!("; {pending} still wait."),
    }
    let tail = match denied + conflict {
        0 => "Kept hunks are on disk. Nothing more is to be done about them unless asked.",
        _ => {
            "Only kept hunks are on disk. Denied text is not in the file: do not propose it again; \
             where a reason is given, act on it. Read a file again before you edit it."
        }
    };
    letter(&head, grouped(hunks).into_iter(), tail)
}

/// Returns one line for each run of hunks of one proposal with the same verdict and reason.
fn grouped(hunks: &[Judged]) -> Vec<String> {
    let same = |a: &Judged, b: &Judged| {
        a.hunk.proposal == b.hunk.proposal && a.path == b.path && a.status == b.status
    };
    hunks
        .chunk_by(same)
        .filter_map(|group| {
            let first = group.first()?;
            let numbers: Vec<u32> = group.iter().map(|judged| judged.hunk.number).collect();
            let plural = if group.len() == 1 { "hunk" } else { "hunks" };
            Some(format!(
                "- proposal {}, {}: {plural} {} {}",
                first.hunk.proposal,
                one_line(&first.path, PATH),
                one_line(&ranges(&numbers), PATH),
                fate(&first.status),
            ))
        })
        .collect()
}

fn fate(status: &HunkStatus) -> String {
    match status {
        HunkStatus::Pending => "still waiting".to_owned(),
        HunkStatus::Committed => "kept".to_owned(),
        HunkStatus::Edited { text } => {
            format!("kept as the user edited it: {}", one_line(text, REASON))
        }
        HunkStatus::Denied { reason: None } => "denied".to_owned(),
        HunkStatus::Denied {
            reason: Some(reason),
        } => format!("denied: {}", one_line(reason, REASON)),
        HunkStatus::Conflict { reason } => format!("in conflict: {}", one_line(reason, REASON)),
    }
}

fn file_moved(paths: &[String]) -> String {
    letter(
        "The user changed files on disk while your staged edits to them waited:",
        paths.iter().map(|path| bullet(path)),
        "Nothing was written. The staged edits were placed anew on the changed text and wait for \
         the user again. Read these files again before you edit them.",
    )
}

fn user_edits(files: &[UserEdit]) -> String {
    let lines: Vec<String> = files.iter().flat_map(user_edit).collect();
    letter(
        "The user changed files on disk since you read them (- before, + now, with line numbers):",
        lines.into_iter(),
        "These changes are the user's own: keep them. Read a file again before you edit it.",
    )
}

fn user_edit(file: &UserEdit) -> Vec<String> {
    let path = one_line(&file.path, PATH);
    if file.gone {
        return vec![format!("- {path}: deleted")];
    }
    let mut lines = vec![format!("- {path}: +{} -{}", file.added, file.removed)];
    let shown = file.lines.iter();
    lines.extend(shown.map(|line| format!("  | {}", one_line(line, SENTENCE))));
    let left = (file.added + file.removed) as usize;
    match left.saturating_sub(file.lines.len()) {
        0 => {}
        left => lines.push(format!("  | and {left} more lines")),
    }
    lines
}

fn reverted(path: &str, summary: &str) -> String {
    format!(
        "The user took back a change to {}: {}. It is no longer on disk; do not make it again \
         unless asked. Read the file again before you edit it.",
        one_line(path, PATH),
        one_line(summary, REASON).trim_end_matches('.'),
    )
}

fn interrupted(by: Interruption) -> &'static str {
    match by {
        Interruption::User => {
            "The user stopped you here. Calls that had no result were not run; what was staged \
             before stays staged. Do not take this up again unless asked."
        }
        Interruption::Connection => {
            "Your answer broke off here through no fault of yours. None of its calls were run. Do \
             not repeat what you already said."
        }
    }
}

fn limited(limit: &Limit) -> String {
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
            "Your turn was ended after {most} requests without a staged edit. When asked to go \
             on, take the shortest way.",
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
fn misfits(path: &str, tool: &str, by_lines: bool) -> String {
    let other = match (tool, by_lines) {
        ("edit_section", true) => {
            "edit with the line numbers of a fresh read, or write with the whole text"
        }
        ("edit_section", false) => "write with the whole text",
        _ => "edit_section with text copied from a fresh read",
    };
    format!(
        "Two edits of {} were not staged. Take another way now: {other}.",
        one_line(path, PATH)
    )
}

fn syntax_refused(faults: &[SyntaxFault]) -> String {
    letter(
        "Your edit was not staged: with it, there would be new errors of syntax.",
        faults.iter().map(|fault| {
            format!(
                "- {}:{}:{}: {}",
                one_line(&fault.path, PATH),
                fault.line,
                fault.column,
                one_line(&fault.message, SENTENCE)
            )
        }),
        "The lines are those of the text that you asked for. The file is as it was: mend these \
         places and send the whole edit again.",
    )
}

const PATH: usize = 160;
const SENTENCE: usize = 240;
const REASON: usize = 600;

/// Puts a list between two sentences and leaves out what would make it too long.
fn letter(head: &str, lines: impl ExactSizeIterator<Item = String>, tail: &str) -> String {
    const AND_MORE: usize = 40;
    let mut text = head.to_owned();
    let mut left = lines.len();
    for line in lines {
        if text.len() + line.len() + tail.len() + AND_MORE > LONGEST {
            break;
        }
        text.push('\n');
        text += &line;
        left -= 1;
    }
    if left > 0 {
        text += &format!("\n- and {left} more");
    }
    text.push('\n');
    text + tail
}

fn bullet(path: &str) -> String {
    format!("- {}", one_line(path, PATH))
}

pub(crate) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// Returns numbers as `1-3, 5`.
fn ranges(numbers: &[u32]) -> String {
    numbers
        .chunk_by(|a, b| a.checked_add(1) == Some(*b))
        .filter_map(|run| {
            let (first, last) = (run.first()?, run.last()?);
            Some(match first == last {
                true => first.to_string(),
                false => format!("{first}-{last}"),
            })
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the text on one line and of at most `most` bytes: a name or a reason must not pass
/// for another sentence of the system.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for c in text.trim().chars() {
        if line.len() + c.len_utf8() > most {
            line.push_str("...");
            break;
        }
        line.push(if c.is_control() { ' ' } else { c });
    }
    line
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use uuid::Uuid;

    use super::*;

    fn proposal(number: u128) -> ProposalId {
        ProposalId(Uuid::from_u128(number))
    }

    fn judged(proposal_number: u128, number: u32, status: HunkStatus) -> Judged {
        Judged {
            hunk: HunkId {
                proposal: proposal(proposal_number),
                number,
            },
            path: format!("src/file{proposal_number}.rs"),
            status,
        }
    }

    fn denied(reason: Option<&str>) -> HunkStatus {
        HunkStatus::Denied {
            reason: reason.map(str::to_owned),
        }
    }

    fn one_staged() -> Staged {
        Staged {
            id: proposal(1),
            path: "notes.md".to_owned(),
            operation: Operation::Modify,
            description: "Remove all headings".to_owned(),
            hunks: 2,
        }
    }

    #[test]
    fn staged() {
        let notice = Notice::Staged {
            proposals: vec![one_staged()],
            open: false,
        };
        assert_snapshot!(notice, @"
        Your edits are staged, not applied: files on disk are unchanged and the user reviews them now.
        - proposal 00000000-0000-0000-0000-000000000001: modify notes.md (2 hunks): Remove all headings
        Do not call tools in your next message. Say in a sentence or two what you staged, then stop. You are told what the user decides.
        ");
    }

    #[test]
    fn staged_while_the_model_goes_on() {
        let notice = Notice::Staged {
            proposals: vec![one_staged()],
            open: true,
        };
        assert_snapshot!(notice, @"
        Your edits are staged, not applied: files on disk are unchanged, and your tools read them with the edits in.
        - proposal 00000000-0000-0000-0000-000000000001: modify notes.md (2 hunks): Remove all headings
        Go on with what is left of the request. When nothing is left, say in a sentence or two what you staged; the user reviews then.
        ");
    }

    #[test]
    fn user_edits() {
        let edited = UserEdit {
            path: "a.rs".into(),
            gone: false,
            added: 1,
            removed: 2,
            lines: vec!["-3 ol\u{1b}d".into(), "+3 new".into()],
        };
        let gone = UserEdit {
            path: "b\nc".into(),
            gone: true,
            lines: Vec::new(),
            ..edited.clone()
        };
        let files = vec![edited, gone];
        assert_snapshot!(Notice::UserEdits { files }, @"
        The user changed files on disk since you read them (- before, + now, with line numbers):
        - a.rs: +1 -2
          | -3 ol d
          | +3 new
          | and 1 more lines
        - b c: deleted
        These changes are the user's own: keep them. Read a file again before you edit it.
        ");
    }

    #[test]
    fn misfits() {
        let notice = |tool: &str, by_lines| Notice::Misfits {
            path: "a.rs".to_owned(),
            tool: tool.to_owned(),
            by_lines,
        };
        assert_snapshot!(notice("edit_section", true), @"Two edits of a.rs were not staged. Take another way now: edit with the line numbers of a fresh read, or write with the whole text.");
        assert_snapshot!(notice("edit_section", false), @"Two edits of a.rs were not staged. Take another way now: write with the whole text.");
        assert_snapshot!(notice("write", true), @"Two edits of a.rs were not staged. Take another way now: edit_section with text copied from a fresh read.");
    }

    #[test]
    fn syntax_refused() {
        let fault = |line, message: &str| SyntaxFault {
            path: "a.rs".to_owned(),
            line,
            column: 9,
            message: message.to_owned(),
        };
        let faults = vec![
            fault(3, "a brace is not closed"),
            fault(7, "unexpected `}`"),
        ];
        assert_snapshot!(Notice::SyntaxRefused { faults }, @"
        Your edit was not staged: with it, there would be new errors of syntax.
        - a.rs:3:9: a brace is not closed
        - a.rs:7:9: unexpected `}`
        The lines are those of the text that you asked for. The file is as it was: mend these places and send the whole edit again.
        ");
    }

    #[test]
    fn waiting() {
        let notice = Notice::Waiting {
            hunks: 1,
            paths: vec!["notes.md".to_owned()],
        };
        assert_snapshot!(notice, @"
        Still waiting for the user's verdict: 1 hunk of staged edits, not on disk but in what your tools read.
        - notes.md
        The user asks for something new meanwhile; tools are open.
        ");
    }

    #[test]
    fn verdicts() {
        let kept = HunkStatus::Committed;
        let notice = Notice::Verdicts {
            hunks: vec![
                judged(1, 1, kept.clone()),
                judged(1, 2, kept.clone()),
                judged(1, 3, denied(Some("too broad,\nonly the first"))),
                judged(1, 4, kept.clone()),
                judged(2, 1, kept),
                judged(2, 2, denied(None)),
                judged(
                    2,
                    3,
                    HunkStatus::Conflict {
                        reason: "depends on hunk 2, which was denied".to_owned(),
                    },
                ),
            ],
            pending: 2,
        };
        assert_snapshot!(notice, @"
        The user decided on 7 hunks: 4 kept, 2 denied, 1 in conflict; 2 still wait.
        - proposal 00000000-0000-0000-0000-000000000001, src/file1.rs: hunks 1-2 kept
        - proposal 00000000-0000-0000-0000-000000000001, src/file1.rs: hunk 3 denied: too broad, only the first
        - proposal 00000000-0000-0000-0000-000000000001, src/file1.rs: hunk 4 kept
        - proposal 00000000-0000-0000-0000-000000000002, src/file2.rs: hunk 1 kept
        - proposal 00000000-0000-0000-0000-000000000002, src/file2.rs: hunk 2 denied
        - proposal 00000000-0000-0000-0000-000000000002, src/file2.rs: hunk 3 in conflict: depends on hunk 2, which was denied
        Only kept hunks are on disk. Denied text is not in the file: do not propose it again; where a reason is given, act on it. Read a file again before you edit it.
        ");
    }

    #[test]
    fn verdicts_all_kept() {
        let notice = Notice::Verdicts {
            hunks: vec![judged(1, 1, HunkStatus::Committed)],
            pending: 0,
        };
        assert_snapshot!(notice, @"
        The user decided on 1 hunk: 1 kept, 0 denied.
        - proposal 00000000-0000-0000-0000-000000000001, src/file1.rs: hunk 1 kept
        Kept hunks are on disk. Nothing more is to be done about them unless asked.
        ");
    }

    #[test]
    fn file_moved() {
        let notice = Notice::FileMoved {
            paths: vec!["a.rs".to_owned(), "b\n.rs".to_owned()],
        };
        assert_snapshot!(notice, @"
        The user changed files on disk while your staged edits to them waited:
        - a.rs
        - b .rs
        Nothing was written. The staged edits were placed anew on the changed text and wait for the user again. Read these files again before you edit them.
        ");
    }

    #[test]
    fn reverted() {
        let notice = Notice::Reverted {
            path: "a.rs".to_owned(),
            summary: "took back version 3, \"rename\".".to_owned(),
        };
        assert_snapshot!(notice, @r#"The user took back a change to a.rs: took back version 3, "rename". It is no longer on disk; do not make it again unless asked. Read the file again before you edit it."#);
    }

    #[test]
    fn interrupted() {
        let by = |by| Notice::Interrupted { by };
        assert_snapshot!(by(Interruption::User), @"The user stopped you here. Calls that had no result were not run; what was staged before stays staged. Do not take this up again unless asked.");
        assert_snapshot!(by(Interruption::Connection), @"Your answer broke off here through no fault of yours. None of its calls were run. Do not repeat what you already said.");
    }

    #[test]
    fn limit() {
        let limit = |limit| Notice::Limit { limit };
        assert_snapshot!(limit(Limit::SameFailure { tool: "edit_section".to_owned() }), @"Your turn was ended: edit_section failed twice with the same arguments. Do not make that call again; read first and call differently, or say what you need.");
        assert_snapshot!(limit(Limit::SameResult { tool: "grep".to_owned() }), @"Your turn was ended: grep gave the same result three times. Use what it said, or say what you need.");
        assert_snapshot!(limit(Limit::Tokens { most: 5000 }), @"Your turn was ended at the user's limit of 5000 tokens. When asked to go on, take the shortest way.");
        assert_snapshot!(limit(Limit::Cost { most: 250_000 }), @"Your turn was ended at the user's limit of $0.2500. When asked to go on, take the shortest way.");
        assert_snapshot!(limit(Limit::Requests { most: 40 }), @"Your turn was ended after 40 requests without a staged edit. When asked to go on, take the shortest way.");
    }

    #[test]
    fn none_is_longer_than_the_cap() {
        let long = "ü\n".repeat(5000);
        let hunks = (0..2000)
            .map(|number| judged(u128::from(number), number, denied(Some(&long))))
            .collect();
        let proposals = vec![
            Staged {
                path: long.clone(),
                description: long.clone(),
                ..one_staged()
            };
            500
        ];
        let every_other = (0..5000)
            .map(|number| judged(1, number * 2, HunkStatus::Committed))
            .collect();
        let notices = [
            Notice::Staged {
                proposals,
                open: true,
            },
            Notice::Misfits {
                path: long.clone(),
                tool: long.clone(),
                by_lines: true,
            },
            Notice::SyntaxRefused {
                faults: vec![
                    SyntaxFault {
                        path: long.clone(),
                        line: usize::MAX,
                        column: usize::MAX,
                        message: long.clone(),
                    };
                    500
                ],
            },
            Notice::Waiting {
                hunks: usize::MAX,
                paths: vec![long.clone(); 500],
            },
            Notice::Verdicts {
                hunks,
                pending: usize::MAX,
            },
            Notice::Verdicts {
                hunks: every_other,
                pending: 0,
            },
            Notice::FileMoved {
                paths: vec![long.clone(); 500],
            },
            Notice::Reverted {
                path: long.clone(),
                summary: long.clone(),
            },
            Notice::Limit {
                limit: Limit::SameFailure { tool: long },
            },
        ];
        for notice in notices {
            let text = notice.to_string();
            assert!(text.len() <= LONGEST, "{} bytes: {text}", text.len());
        }
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let text = Notice::Waiting {
            hunks: 900,
            paths: (0..900).map(|n| format!("src/file{n}.rs")).collect(),
        }
        .to_string();
        let listed = text.matches("src/file").count();
        assert!(text.contains(&format!("- and {} more", 900 - listed)));
    }
}
