//! Effects: what the loop is to do for the interface, in the order in which it was asked for.
//!
//! In: nothing. Out: [`AppEffect`], which [`App::update`](super::App::update) and its neighbours return.

use signoff_llm::session::Command;

use super::{BackgroundRequest, CommitsRequest, Query};
use crate::file_finder::Wanted;
use crate::response::{FileLine, Manuscript};
use crate::review::comments::CommentClaim;
use crate::review::kept::KeptChange;
use crate::snippet::Snippet;

/// Something that leaves the interface beside frames.
#[derive(Debug, PartialEq)]
pub enum AppEffect {
    /// The session is told this.
    Session(Command),
    /// This is looked up beside the session.
    Query(Query),
    /// Files are looked for, for the list behind an `@`.
    FindFiles(Wanted),
    /// The colours of a block of code on the screen are found.
    FindColours(Snippet),
    /// The marks of the review are written down for later runs.
    KeepMarks(Box<KeptChange>),
    /// Comments are taken out of what is written down, to be sent if no other process sent them.
    ClaimComments(CommentClaim),
    /// Prompts that were sent are written down for later runs.
    KeepPrompts(Vec<String>),
    /// What is typed and not sent is written down.
    KeepDraft(String),
    /// A user who looks elsewhere is told this.
    Call(String),
    /// The terminal copies a text.
    Copy(String),
    /// A conversation is written to a file.
    Export(Export),
    /// This is asked of background agents.
    Background(BackgroundRequest),
    /// This is asked of the commits of programs.
    Commits(CommitsRequest),
    /// The user edits the prompt in an editor, which has the terminal until it ends.
    EditPrompt(String),
    /// The user edits the new text of a hunk there.
    EditHunk(Manuscript),
    /// The user opens a file there.
    OpenFile(FileLine),
    /// The job that the process belongs to stops, as a shell's key has it stop.
    StopJob,
    /// The process stops, and the shell has the terminal until it goes on.
    Suspend,
    /// The whole screen is drawn again.
    Redraw,
    /// The interface ends. What comes after this is no message any more.
    End(Exit),
}

/// Why the interface ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The user left.
    Left,
    /// The system asked, with this signal.
    Signal(i32),
    /// No conversation could be started; the text says why.
    Unstarted(String),
}

/// A conversation that is to be written to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The file; none leaves the choice to the loop.
    pub path: Option<String>,
    /// What is written.
    pub text: String,
}
