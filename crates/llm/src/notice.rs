//! Notices: messages of the system to the model inside a request.
//!
//! In: what happened outside of the conversation. Out: a short text of bounded size that
//! says what is and what is not on disk, and what the model should do now.
//!
//! **Invariant:** a notice has at most 4 KiB, and names and reasons in it are on one line, so that none can pass
//! for a sentence of the system.

use std::fmt;

use serde::{Deserialize, Serialize};
use signoff_core::edit::intent::Operation;
use signoff_core::engine::{HunkOutcome, UserEdit};
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::review::ProposalView;

use signoff_checks::check::Diagnostic;
use signoff_sandbox::waiting_commits::{ChangeState, SettledChange};

use crate::mode::Mode;
use crate::surroundings::Surroundings;
use crate::tool_output::SyntaxFault;

mod digest;
mod letter;
mod told;
mod words;

pub use digest::Digest;
pub(crate) use letter::name;
pub(crate) use signoff_core::quote::one_line;
pub use told::ToldOutcomes;
use words::{
    asked, checks, commits, detached, file_moved, interrupted, limited, misfits, not_whole,
    put_back, reverted, staged, staged_by_user, syntax_refused, unread, user_edits, verdicts,
    waiting,
};

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
        /// Calls of the same answer that failed.
        #[serde(default)]
        failed: Vec<FailedCall>,
        /// True if a command of the user's staged them.
        #[serde(default)]
        by_user: bool,
    },
    /// Proposals were not decided on, or cannot be written, as the engine lists them before a turn.
    Waiting {
        /// Hunks without a verdict.
        hunks: usize,
        /// The files that they are in.
        paths: Vec<String>,
        /// The files with hunks in conflict.
        #[serde(default)]
        conflicts: Vec<String>,
    },
    /// The user decided.
    Verdicts {
        /// The hunks that were decided, or fell with another.
        hunks: Vec<HunkOutcome>,
        /// Hunks that still wait.
        pending: usize,
    },
    /// What became of commits of programs.
    Commits {
        /// Each with where it stands. One that waits is told in the answer to the call that made it.
        changes: Vec<SettledChange>,
    },
    /// The user asked about a hunk that waits, beside the turn.
    Asked {
        /// The hunk.
        hunk: HunkId,
        /// Its file.
        path: String,
        /// What the user asked.
        question: String,
        /// What the model answered; none if there was no answer.
        answer: Option<String>,
    },
    /// The user chose the place of an edit that fitted several; it was staged there.
    Placed {
        /// The file.
        path: String,
        /// The 1-based line that was chosen.
        line: usize,
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
        /// The changes that are not on disk any more.
        #[serde(default)]
        taken_back: Vec<u64>,
        /// Changes that were taken back before and are on disk again.
        #[serde(default)]
        restored: Vec<u64>,
    },
    /// The user went back to this point of the conversation, and what was written behind it was taken back.
    Rewound {
        /// The changes that are not on disk any more: file and version.
        taken_back: Vec<(String, u64)>,
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
    /// The user chose another mode.
    Mode {
        /// Which.
        mode: Mode,
    },
    /// The answer before this notice was to be the whole text of a file, and is not.
    NotWhole {
        /// The file.
        path: String,
    },
    /// The answer before this notice shows calls or edits in its text that were not taken as such.
    Unread {
        /// What, a few words each.
        seen: Vec<String>,
    },
    /// An edit was not staged, because the text after it would not be of its language any more.
    SyntaxRefused {
        /// Where.
        faults: Vec<SyntaxFault>,
    },
    /// What there is to know of the workspace before the request after this notice; as long as it says.
    Surroundings {
        /// All of it.
        given: Box<Surroundings>,
    },
    /// The user does not want a file to be given any more; what was given of it is left out of requests.
    Detached {
        /// The file.
        path: String,
    },
    /// Checks of the project found something new in what is staged.
    Checks {
        /// The first of what they found.
        diagnostics: Vec<Diagnostic>,
        /// How much more there is.
        more: usize,
        /// True if the model is to repair it before the review.
        repair: bool,
    },
    /// What stood before this notice was left out to save room.
    Compacted {
        /// What there is to know of it.
        digest: Box<Digest>,
    },
}

/// A staged proposal, in a notice to the model.
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

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCall {
    /// The tool.
    pub tool: String,
    /// The file that it names, if it names one.
    pub path: Option<String>,
    /// Why, in one line.
    pub why: String,
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

impl fmt::Display for FailedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, path, why } = self;
        let why = path
            .as_deref()
            .map_or(why.as_str(), |own| without(own, why));
        match path {
            Some(path) if is_about(path, why) => {
                write!(f, "{}: {}", words::short(tool), words::short(why))
            }
            Some(path) => write!(
                f,
                "{} of {}: {}",
                words::short(tool),
                name(path),
                words::short(why)
            ),
            None => write!(f, "{}: {}", words::short(tool), words::short(why)),
        }
    }
}

/// Returns what is said of a file without its name, with which it often begins.
fn without<'w>(path: &str, mut why: &'w str) -> &'w str {
    while let Some(rest) = why.strip_prefix(path).and_then(|it| it.strip_prefix(": ")) {
        why = rest;
    }
    why
}

/// Tells whether a sentence has a file as its subject.
fn is_about(path: &str, why: &str) -> bool {
    (why.strip_prefix(path)).is_some_and(|rest| rest.starts_with(' '))
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

impl Notice {
    /// Returns whether it is for the record alone, and the model reads nothing of it.
    pub(crate) fn is_silent(&self) -> bool {
        let Self::Commits { changes } = self else {
            return false;
        };
        changes.iter().all(|own| own.state == ChangeState::Waiting)
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Staged {
                proposals,
                by_user: true,
                ..
            } => staged_by_user(proposals),
            Self::Staged {
                proposals,
                open,
                failed,
                by_user: false,
            } => staged(proposals, *open, failed),
            Self::Waiting {
                hunks,
                paths,
                conflicts,
            } => waiting(*hunks, paths, conflicts),
            Self::Verdicts { hunks, pending } => verdicts(hunks, *pending),
            Self::Commits { changes } => commits(changes),
            Self::Asked {
                hunk,
                path,
                question,
                answer,
            } => asked(*hunk, path, question, answer.as_deref()),
            Self::Placed { path, line } => format!(
                "The user chose line {line} for your edit of {} that fitted several places. All changes of \
                 that call are staged now; do not send them again.",
                name(path)
            ),
            Self::FileMoved { paths } => file_moved(paths),
            Self::UserEdits { files } => user_edits(files),
            Self::Reverted {
                path,
                summary,
                taken_back,
                restored,
            } => {
                if taken_back.is_empty() && !restored.is_empty() {
                    put_back(path, summary)
                } else {
                    reverted(path, summary)
                }
            }
            Self::Rewound { .. } => words::REWOUND.to_owned(),
            Self::Interrupted { by } => interrupted(*by).to_owned(),
            Self::Limit { limit } => limited(limit),
            Self::Misfits {
                path,
                tool,
                by_lines,
            } => misfits(path, tool, *by_lines),
            Self::Mode { mode } => mode.told().to_owned(),
            Self::NotWhole { path } => not_whole(path),
            Self::Unread { seen } => unread(seen),
            Self::SyntaxRefused { faults } => syntax_refused(faults),
            Self::Surroundings { given } => given.to_string(),
            Self::Detached { path } => detached(path),
            Self::Checks {
                diagnostics,
                more,
                repair,
            } => checks(diagnostics, *more, *repair),
            Self::Compacted { digest } => digest.to_string(),
        })
    }
}

#[cfg(test)]
mod tests;
