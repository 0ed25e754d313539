//! Effective key map: the built-in table with the user's changes.
//!
//! In: a key and its context. Out: what it means, and the names of the keys of an action.

use std::borrow::Cow;
use std::sync::Arc;

use ratatui::crossterm::event::{KeyCode, KeyEvent};
use signoff_llm::mode::AfterApproval;

use super::{Action, Binding, Chord, Context, key_name, normal, table, wider};
use crate::review::{ArrangeKey, KeyNames, LineKey, ReviewKey, ReviewTool};

/// A line of the table with the keys that it has now.
#[derive(Clone, Debug)]
pub(crate) struct KeyLine {
    /// The line as it is built in.
    pub(crate) binding: &'static Binding,
    pub(super) keys: Cow<'static, [Chord]>,
    /// True if the keys are not the built-in ones.
    pub(super) is_changed: bool,
}

impl KeyLine {
    /// Returns the names of all its keys.
    pub(crate) fn all_names(&self) -> String {
        let names: Vec<String> = self.keys.iter().map(|key| key_name::shown(*key)).collect();
        names.join(", ")
    }

    /// Returns the names that help shows; empty for a line without keys, or whose keys another line names.
    pub(crate) fn names(&self) -> Cow<'static, str> {
        if self.is_changed {
            Cow::Owned(self.all_names())
        } else {
            Cow::Borrowed(self.binding.name)
        }
    }

    /// Returns the name of its first key, as far as help names any.
    pub(crate) fn first_name(&self) -> Option<Cow<'static, str>> {
        if self.is_changed {
            let first = self.keys.first()?;
            return Some(Cow::Owned(key_name::shown(*first)));
        }
        let first = self.binding.name.split(", ").next();
        first.filter(|name| !name.is_empty()).map(Cow::Borrowed)
    }
}

/// A key that the status line shows.
#[derive(Clone, Debug)]
pub(crate) struct KeyHint {
    /// Its name.
    pub(crate) key: Cow<'static, str>,
    /// What it does, in a word.
    pub(crate) word: &'static str,
    pub(crate) action: Action,
}

/// Which keys mean what. A copy costs nothing.
#[derive(Clone, Debug)]
pub struct KeyMap(pub(super) Arc<[KeyLine]>);

impl Default for KeyMap {
    /// Returns the built-in keys.
    fn default() -> Self {
        let line = |binding: &'static Binding| KeyLine {
            binding,
            keys: Cow::Borrowed(binding.keys),
            is_changed: false,
        };
        Self(table().map(line).collect())
    }
}

impl KeyMap {
    /// Returns every line, in the order in which help and status line show them.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &KeyLine> {
        self.0.iter()
    }

    /// Returns the lines of one context.
    pub(crate) fn of(&self, context: Context) -> impl Iterator<Item = &KeyLine> {
        self.lines()
            .filter(move |line| line.binding.context == context)
    }

    /// Returns the lines whose actions are possible in a context: its own, those that hold there as well, those of
    /// everywhere.
    pub(crate) fn reached_in(&self, context: Context) -> impl Iterator<Item = &KeyLine> {
        let contexts = [Some(context), wider(context), Some(Context::Anywhere)];
        let contexts = contexts.into_iter().flatten();
        contexts.flat_map(|context| self.of(context))
    }

    /// Returns the line that a key of a context belongs to.
    fn line_of(&self, context: Context, chord: Chord) -> Option<&KeyLine> {
        self.reached_in(context)
            .find(|line| line.keys.contains(&chord))
    }

    /// Returns what a key means in a context.
    pub(crate) fn action(&self, context: Context, key: KeyEvent) -> Option<Action> {
        let line = self.line_of(context, normal(key))?;
        Some(line.binding.action)
    }

    /// Returns the name of the first key that has the action of a line in a context: another line there may have the
    /// key itself.
    pub(crate) fn first_key_in(&self, context: Context, line: &KeyLine) -> Option<String> {
        let means_it = |chord: &&Chord| {
            let own = self.line_of(context, **chord);
            own.is_some_and(|own| own.binding.action == line.binding.action)
        };
        line.keys
            .iter()
            .find(means_it)
            .map(|key| key_name::shown(*key))
    }

    /// Returns what a key means in a context by its own table.
    pub(crate) fn own(&self, context: Context, key: KeyEvent) -> Option<Action> {
        let chord = normal(key);
        let mut lines = self.of(context);
        let line = lines.find(|line| line.keys.contains(&chord))?;
        Some(line.binding.action)
    }

    /// Returns the name of the key for an action in a context: its first key; for one without keys its own name.
    pub(crate) fn name(&self, context: Context, action: Action) -> Cow<'static, str> {
        let mut lines = self
            .reached_in(context)
            .filter(|line| line.binding.action == action)
            .peekable();
        let id = lines.peek().map(|line| line.binding.id);
        debug_assert!(id.is_some(), "{action:?} is no action in {context:?}");
        lines
            .find_map(KeyLine::first_name)
            .unwrap_or_else(|| Cow::Owned(format!("`{}`", id.unwrap_or_default())))
    }

    /// Returns the names that the messages of the review mention.
    pub(crate) fn review_names(&self) -> KeyNames {
        let review = |key| self.name(Context::Review, Action::Review(key));
        let tool = |tool| review(ReviewKey::Tool(tool));
        let line = |key| self.name(Context::Lines, Action::Review(ReviewKey::Lines(key)));
        KeyNames {
            approve: review(ReviewKey::Approve),
            deny: review(ReviewKey::Deny),
            edit: review(ReviewKey::Edit),
            edit_in_place: tool(ReviewTool::EditInPlace),
            toggle: tool(ReviewTool::Toggle),
            approve_same: review(ReviewKey::ApproveSame),
            approve_all: review(ReviewKey::ApproveAll),
            approve_folded: review(ReviewKey::ApproveProved),
            fold: review(ReviewKey::Fold),
            next: review(ReviewKey::Next),
            filter: tool(ReviewTool::Filter),
            more_context: self.name(Context::Review, Action::Arrange(ArrangeKey::MoreContext)),
            take_back: tool(ReviewTool::TakeBack),
            select_lines: tool(ReviewTool::Lines),
            placement: self.name(Context::Review, Action::Placement),
            keep_mine: review(ReviewKey::KeepMine),
            take_theirs: review(ReviewKey::TakeTheirs),
            sign_off: review(ReviewKey::Submit),
            approve_lines: line(LineKey::Approve),
            deny_lines: line(LineKey::Deny),
            toggle_line: line(LineKey::Toggle),
            write: self.name(Context::SignOff, Action::Write(None)),
            write_and_continue: self
                .name(Context::SignOff, Action::Write(Some(AfterApproval::GoOn))),
            undo_written: self.name(Context::Written, Action::Undo),
            whole: self.name(Context::Confirm, Action::Whole),
        }
    }

    /// Returns the keys that the status line shows in a context.
    /// While keys answer nothing yet (`deaf`), those that would are left out.
    pub(crate) fn hints(&self, context: Context, deaf: bool) -> impl Iterator<Item = KeyHint> {
        // A reason is asked for in one line: the composer's own keys are not worth a word there.
        let wider = wider(context).filter(|_| context == Context::EmptyComposer);
        let shown = wider.into_iter().chain([context]);
        let all = shown.flat_map(|shown| self.of(shown));
        // Sending nothing is not worth a word.
        let idle =
            move |action: Action| context == Context::EmptyComposer && action == Action::Send;
        all.filter(move |line| {
            let action = line.binding.action;
            !(idle(action) || deaf && action.answers())
        })
        .filter_map(|line| {
            Some(KeyHint {
                key: line.first_name()?,
                word: line.binding.hint?,
                action: line.binding.action,
            })
        })
    }

    /// Tells whether a key decides something anywhere.
    pub(crate) fn decides(&self, key: KeyEvent) -> bool {
        let chord = normal(key);
        self.lines()
            .any(|line| line.binding.action.answers() && line.keys.contains(&chord))
    }

    /// Tells whether no key may be read before this one was dealt with: it may open the editor or stop the process, and
    /// then keys are the editor's or the shell's.
    pub(crate) fn holds_keys(&self, key: KeyEvent) -> bool {
        let gives_away = |action: Action| {
            matches!(
                action,
                Action::EditPrompt
                    | Action::Suspend
                    | Action::Review(ReviewKey::Edit | ReviewKey::Tool(ReviewTool::Open))
            )
        };
        let chord = normal(key);
        // Enter carries out any of them from the command palette.
        key.code == KeyCode::Enter
            || self
                .lines()
                .any(|line| gives_away(line.binding.action) && line.keys.contains(&chord))
    }
}
