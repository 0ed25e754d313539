//! Key map: the table of keys, which the help screen prints.
//!
//! In: a key and what it is pressed in. Out: an [`Action`], if the key means one there.

mod chord;
mod table;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

pub(crate) use self::table::table;
use signoff_llm::mode::AfterApproval;
use signoff_llm::session::RewindExtent;

use crate::composer::Edit;
use crate::composer::menu::MenuKey;
use crate::review::diff_page::DiffPageKey;
use crate::review::history::HistoryKey;
use crate::review::{ArrangeKey, ReviewKey};
use crate::transcript::{BrowseKey, Scroll};

/// What a key says to the question for permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PermissionKey {
    /// This time.
    Once,
    /// From now on.
    Always,
    /// No, and stop.
    Refuse,
    /// No, and say what to do instead.
    Instead,
    /// Show what comes after.
    Next,
    /// Show what comes before.
    Previous,
}

/// What a key is pressed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// Anywhere, unless the place has its own meaning for the key.
    Anywhere,
    /// The composer with nothing typed.
    EmptyComposer,
    /// The composer.
    Composer,
    /// The composer with a list above it.
    Menu,
    /// The review pane.
    Review,
    /// Lines of a hunk in the review pane.
    Lines,
    /// The history overlay.
    History,
    /// What changes come to.
    Diff,
    /// The places of an edit that fits several.
    Places,
    /// The page that says what will be written.
    SignOff,
    /// The page that says what was written.
    Written,
    /// The question why something is denied.
    Reason,
    /// A question to the model about a hunk.
    Question,
    /// A comment on a hunk.
    Comment,
    /// The new text of a hunk.
    NewText,
    /// What to search for in the review.
    Search,
    /// The question whether a call may run.
    Permission,
    /// A question to be answered with yes or no.
    Confirm,
    /// The question what goes back to an earlier prompt.
    Rewind,
    /// The same where files cannot go back.
    RewindConversation,
    /// The help overlay, and what else is only read.
    Help,
    /// The transcript, browsed block by block.
    Transcript,
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Change the text or move in it.
    Edit(Edit),
    /// Move through the transcript or an overlay.
    Scroll(Scroll),
    /// Act in the review pane.
    Review(ReviewKey),
    /// Change how the review shows changes.
    Arrange(ArrangeKey),
    /// Act in the history overlay.
    History(HistoryKey),
    /// Move through what changes come to.
    Diff(DiffPageKey),
    /// Take this place of an edit that fits several, counted from 0.
    Place(usize),
    /// Show who wrote the old lines of the selected hunk.
    Blame,
    /// Show how the selected hunk was placed.
    Placement,
    /// Write what the sign-off page says; nothing is chosen for the model unless it is here.
    Write(Option<AfterApproval>),
    /// Take back the newest change of the selected file.
    RevertLast,
    /// Take back all of the last changeset.
    Undo,
    /// Approve all that wait, and have the model go on or stop.
    ApproveAnd(AfterApproval),
    /// Go to the next mode.
    NextMode,
    /// Act in the list above the composer.
    Menu(MenuKey),
    /// Search earlier prompts.
    SearchPrompts,
    /// Edit the prompt in an editor.
    EditPrompt,
    /// Stop the process; the shell continues it.
    Suspend,
    /// Remove the prompt that was queued last.
    Unqueue,
    /// Send what is typed.
    Send,
    /// Stop what runs, or leave what is open.
    Escape,
    /// Clear or stop, and quit when pressed twice.
    Interrupt,
    /// Leave.
    Quit,
    /// Go between composer and review.
    SwitchFocus,
    /// Show the history.
    OpenHistory,
    /// Show this table.
    Help,
    /// Draw everything again.
    Redraw,
    /// Send the request that runs, or that failed, again.
    Retry,
    /// Show long commands and outputs in full, or the usual part of them.
    OpenOutputs,
    /// Stop the newest call and let the turn go on.
    CancelCall,
    /// Answer whether a call may run.
    Permission(PermissionKey),
    /// Answer yes.
    Yes,
    /// Go back to an earlier prompt.
    Rewind(RewindExtent),
    /// Ask about all of what the question is a part of.
    Whole,
    /// Answer no.
    No,
    /// Browse the transcript.
    OpenTranscript,
    /// Act while browsing the transcript.
    Browse(BrowseKey),
}

impl Action {
    /// Tells whether this decides on something, or leads to what does.
    pub(crate) fn answers(self) -> bool {
        match self {
            Self::Review(key) => key.decides(),
            Self::Permission(key) => !matches!(key, PermissionKey::Next | PermissionKey::Previous),
            Self::Place(_)
            | Self::RevertLast
            | Self::Undo
            | Self::ApproveAnd(_)
            | Self::Write(_)
            | Self::Rewind(_)
            | Self::Yes => true,
            Self::Edit(_)
            | Self::Scroll(_)
            | Self::History(_)
            | Self::Arrange(_)
            | Self::Diff(_)
            | Self::Blame
            | Self::Placement
            | Self::NextMode
            | Self::Menu(_)
            | Self::SearchPrompts
            | Self::EditPrompt
            | Self::Suspend
            | Self::Unqueue
            | Self::Send
            | Self::Escape
            | Self::Interrupt
            | Self::Quit
            | Self::SwitchFocus
            | Self::OpenHistory
            | Self::Help
            | Self::Redraw
            | Self::Retry
            | Self::OpenOutputs
            | Self::CancelCall
            | Self::Whole
            | Self::OpenTranscript
            | Self::Browse(_)
            | Self::No => false,
        }
    }

    /// Tells whether Enter means this: such an answer is one although its key types nothing.
    pub(crate) fn is_entered(self) -> bool {
        matches!(
            self,
            Self::Review(ReviewKey::Submit) | Self::Write(_) | Self::Rewind(_)
        )
    }
}

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Binding {
    /// Where it holds.
    pub(crate) context: Context,
    keys: &'static [Chord],
    action: Action,
    /// The keys' names; empty for those that another line of the table names as well.
    pub(crate) name: &'static str,
    /// What they do.
    pub(crate) does: &'static str,
    /// One word for the status line, if it belongs there.
    pub(crate) hint: Option<&'static str>,
}

type Chord = (KeyCode, KeyModifiers);

/// Returns what a key means in a context.
pub(crate) fn action(context: Context, key: KeyEvent) -> Option<Action> {
    let chord = normal(key);
    let find = |context: Context| {
        table()
            .find(|binding| binding.context == context && binding.keys.contains(&chord))
            .map(|binding| binding.action)
    };
    let wider = wider(context).and_then(find);
    find(context).or(wider).or_else(|| find(Context::Anywhere))
}

/// Tells whether a key has a meaning of its own in a context.
pub(crate) fn binds(context: Context, key: KeyEvent) -> bool {
    let chord = normal(key);
    table().any(|binding| binding.context == context && binding.keys.contains(&chord))
}

/// Returns the character that a key types, if it types one.
pub(crate) fn typed(key: KeyEvent) -> Option<char> {
    let blocking = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
    // Both together are AltGr on some terminals.
    let types = blocking.is_empty() || blocking == KeyModifiers::CONTROL | KeyModifiers::ALT;
    match key.code {
        KeyCode::Char(c) if types => Some(c),
        _ => None,
    }
}

/// Returns the keys and words that the status line shows in a context.
/// While keys answer nothing yet (`deaf`), those that would are left out.
pub(crate) fn hints(
    context: Context,
    deaf: bool,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    // A reason is asked for in one line: the composer's own keys are not worth a word there.
    let wider = wider(context).filter(|_| context == Context::EmptyComposer);
    let shown = wider.into_iter().chain([context]);
    let all = shown.flat_map(|shown| table().filter(move |binding| binding.context == shown));
    // Sending nothing is not worth a word.
    let idle = move |binding: &&Binding| {
        context == Context::EmptyComposer && binding.action == Action::Send
    };
    all.filter(move |binding| !(idle(binding) || deaf && binding.action.answers()))
        .filter_map(|binding| Some((binding.name, binding.hint?)))
}

/// Returns the context whose keys hold in this one as well, besides those that hold anywhere.
fn wider(context: Context) -> Option<Context> {
    match context {
        Context::EmptyComposer
        | Context::Menu
        | Context::Reason
        | Context::Question
        | Context::Search
        | Context::Comment
        | Context::NewText => Some(Context::Composer),
        _ => None,
    }
}

/// Upper case says Shift already, and terminals differ in whether they say so twice.
fn normal(key: KeyEvent) -> Chord {
    let kept = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
    match key.code {
        KeyCode::Char(c) => (
            KeyCode::Char(c),
            key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT),
        ),
        code => (code, key.modifiers & kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for (index, binding) in table().enumerate() {
            for other in table().skip(index + 1) {
                let shared = binding.keys.iter().find(|key| other.keys.contains(key));
                let clash = binding.context == other.context && shared.is_some();
                assert!(!clash, "{shared:?} in {:?}", binding.context);
            }
        }
    }

    #[test]
    fn shift_is_said_once() {
        let key = |code, modifiers| action(Context::Review, KeyEvent::new(code, modifiers));
        let all = Some(Action::Review(ReviewKey::ApproveAll));
        assert_eq!(key(KeyCode::Char('A'), KeyModifiers::SHIFT), all);
        assert_eq!(key(KeyCode::Char('A'), KeyModifiers::NONE), all);
        let newline = KeyEvent::new(KeyCode::Enter, KeyModifiers::SHIFT);
        assert_eq!(
            action(Context::EmptyComposer, newline),
            Some(Action::Edit(Edit::Newline))
        );
    }
}
