//! Messages to the interface.
//!
//! In: nothing. Out: [`Msg`], the one thing that the loop receives.

use ratatui::crossterm::event::{Event as TerminalEvent, KeyEvent};
use signoff_llm::session::Event;

use crate::app::keymap::KeyMap;
use crate::app::{BackgroundNews, InterfaceSettings, QueryAnswer};
use crate::composer::pasted_image::PastedImage;
use crate::file_finder::Found;
use crate::response::Manuscript;
use crate::review::comments::CommentClaim;
use crate::review::kept::KeptMarks;
use crate::snippet::SnippetColours;
use crate::theme::Ground;

/// Something that happened.
#[derive(Debug)]
pub enum Msg {
    /// The user typed, pasted or resized.
    Terminal(TerminalEvent),
    /// Keys that came faster than anybody types: a paste into a terminal that does not mark it.
    Burst(Vec<KeyEvent>),
    /// The user pasted the path of an image.
    PastedImage(PastedImage),
    /// The marks of an earlier run.
    Marks(KeptMarks),
    /// The comments that are to be sent, and how many of them another process sent or removed.
    CommentsClaimed(CommentClaim, usize),
    /// Prompts of earlier runs, oldest first.
    Prompts(Vec<String>),
    /// Files were looked for.
    Found(Found),
    /// The session told something.
    Session(Event),
    /// What the screen asked was found.
    Answered(QueryAnswer),
    /// The colours of a block of code were found.
    Snippet(SnippetColours),
    /// What is told of background agents.
    Background(BackgroundNews),
    /// What became of an export.
    Exported(String),
    /// What the user's editor left of the prompt, or why there is nothing.
    PromptEdited(Result<String, String>),
    /// What the user's editor left of the new text of a hunk, or why there is nothing.
    HunkEdited(Manuscript, Result<String, String>),
    /// The user's editor had a file open, or why it had not.
    FileOpened(Result<(), String>),
    /// What is configured of the interface.
    Interface(InterfaceSettings),
    /// Which keys mean what.
    Keys(KeyMap),
    /// No model is named, and there are some to pick from.
    OfferModels,
    /// The terminal told what is behind its text.
    Ground(Ground),
    /// Another header is to be shown.
    Header(Option<String>),
    /// The configuration was read: what it says of the interface was told.
    Configured,
    /// Time went by while something runs.
    Tick,
    /// Another process may have decided on something, or files that wait were saved.
    Changed,
    /// A part of the program stopped working; the line says which.
    Broken(String),
    /// No conversation can be started; the text says why.
    Unstarted(String),
    /// The system asks the program to end.
    Terminate(i32),
    /// The system asks the program to stop until it is continued.
    Stop,
    /// The program runs again after it was stopped; the screen is no longer ours.
    Resumed,
}
