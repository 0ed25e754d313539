//! Permission prompt for a call.
//!
//! In: a call that needs the user's permission, and keys. Out: what the session is told. A key
//! that was pressed before the question was on the screen never answers it, and the call runs only
//! once all of what it does has been displayed.

use signoff_llm::message::CallId;
use signoff_llm::session::{Command, Grant};

use super::App;
use super::focus::{Dialog, Focus};
use super::type_ahead::Cause;
use crate::blanks::{self, Line};
use crate::composer::Composer;
use crate::displayed::{Displayed, Part};
use crate::keymap::PermissionKey;
use crate::theme::Role;
use crate::wrap::{self, Row};

/// Columns in front of what a call is used on.
const MARGIN: usize = 2;

/// On fewer columns what is drawn does not count as displayed: rows may be cut.
const NARROWEST: usize = 8;

/// A call that waits for the user's permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PermissionPrompt {
    /// Which call.
    call: CallId,
    /// The tool.
    pub(crate) tool: String,
    /// What it is used on, line by line.
    lines: Vec<Row>,
    /// True while keys answer it.
    pub(crate) focused: bool,
    /// True once it was on the screen.
    drawn: bool,
    displayed: Displayed,
    /// The lines as rows of this width.
    rows: Vec<(Part, Row)>,
    width: usize,
    /// The first row that is shown, and how many are.
    top: usize,
    room: usize,
}

impl PermissionPrompt {
    fn new(call: CallId, tool: String, subject: &str) -> Self {
        let lines = subject_rows(subject);
        Self {
            call,
            tool,
            displayed: Displayed::of(lines.len()),
            lines,
            focused: false,
            drawn: false,
            rows: Vec::new(),
            width: 0,
            top: 0,
            room: 0,
        }
    }

    /// Tells whether keys answer it.
    pub(crate) fn listens(&self) -> bool {
        self.focused && self.drawn
    }

    /// Returns how many lines have not been displayed.
    pub(crate) fn unseen(&self) -> usize {
        self.displayed.missing()
    }

    /// Returns how many rows it has at this width.
    pub(crate) fn height(&mut self, width: usize) -> usize {
        self.wrap(width);
        self.rows.len()
    }

    /// Decides which rows are shown in `room` rows of `width` columns; they count as displayed from
    /// now on.
    pub(crate) fn lay_out(&mut self, width: usize, room: usize) {
        self.wrap(width);
        self.room = room;
        self.top = self.top.min(self.last_top());
        self.drawn = room > 0;
        if width >= NARROWEST {
            for (part, _) in self.rows.iter().skip(self.top).take(room) {
                self.displayed.show(width, *part);
            }
        }
    }

    /// Returns the rows that are shown.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        let rows = self.rows.iter().skip(self.top).take(self.room);
        rows.map(|(_, row)| row)
    }

    fn wrap(&mut self, width: usize) {
        if self.width == width {
            return;
        }
        self.width = width;
        self.rows.clear();
        for (line, content) in self.lines.iter().enumerate() {
            let all = wrap::continued(content, width, MARGIN);
            let rows = all.len();
            let parts = all.into_iter().enumerate();
            self.rows
                .extend(parts.map(|(row, content)| (Part { line, row, rows }, content)));
        }
    }

    fn last_top(&self) -> usize {
        self.rows.len().saturating_sub(self.room)
    }

    fn scroll(&mut self, key: PermissionKey) {
        // One row stays in sight.
        let page = self.room.saturating_sub(1).max(1);
        self.top = match key {
            PermissionKey::Previous => self.top.saturating_sub(page),
            _ => (self.top + page).min(self.last_top()),
        };
    }

    /// Shows the first row that has not been displayed.
    fn scroll_to_unseen(&mut self) {
        let unseen = |(part, _): &(Part, Row)| !self.displayed.has(self.width, *part);
        let first = self.rows.iter().position(unseen);
        self.top = first.unwrap_or(self.top).min(self.last_top());
    }
}

/// Returns what a call is used on as lines: long runs of blanks and of empty lines are counted.
pub(crate) fn subject_rows(subject: &str) -> Vec<Row> {
    if subject.is_empty() {
        return vec![Row::new(Role::Text, "  ").with(Role::Warn, "⟨nothing⟩")];
    }
    let lines = blanks::lines(subject).into_iter();
    lines
        .map(|line| {
            let mut row = Row::new(Role::Text, "  ");
            match line {
                Line::Text(text) => row.push_counted(Role::Key, text),
                Line::Empty(count) => row.push(Role::Warn, &format!("⟨{count} empty lines⟩")),
            }
            row
        })
        .collect()
}

impl App {
    /// Puts the question, in front of the composer unless the user is in the middle of something;
    /// it takes the keyboard once nothing was typed for a while.
    pub(super) fn ask_permission(&mut self, call: CallId, tool: String, subject: &str) {
        let undisturbed = self.composer.is_empty()
            && self.focus == Focus::Composer
            && self.dialog.is_none()
            && self.overlay.is_none();
        self.type_ahead.offered = undisturbed;
        self.permission = Some(PermissionPrompt::new(call, tool, subject));
    }

    /// Answers the question; what has not been displayed is shown first.
    pub(super) fn answer_permission(&mut self, key: PermissionKey) -> Vec<Command> {
        let listens = |prompt: &&mut PermissionPrompt| prompt.listens();
        let Some(prompt) = self.permission.as_mut().filter(listens) else {
            return Vec::new();
        };
        let grant = match key {
            PermissionKey::Next | PermissionKey::Previous => {
                prompt.scroll(key);
                return Vec::new();
            }
            PermissionKey::Once | PermissionKey::Always if prompt.unseen() > 0 => {
                prompt.scroll_to_unseen();
                self.type_ahead.begin(Cause::Question);
                self.status.say("The rest is shown first");
                return Vec::new();
            }
            PermissionKey::Once => Grant::Once,
            PermissionKey::Always => Grant::Always,
            PermissionKey::Refuse => Grant::Refuse { reason: None },
            PermissionKey::Instead => {
                let line = Box::new(Composer::default());
                if let Some(prompt) = self.permission.take() {
                    let prompt = Box::new(prompt);
                    self.dialog = Some(Dialog::Instead { prompt, line });
                }
                return Vec::new();
            }
        };
        let call = prompt.call.clone();
        self.permission = None;
        vec![Command::Permit { call, grant }]
    }

    /// Refuses the call and says what to do instead; without words the question comes back.
    pub(super) fn refuse_with(&mut self, prompt: PermissionPrompt, reason: &str) -> Vec<Command> {
        let reason = reason.trim();
        if reason.is_empty() {
            self.permission = Some(prompt);
            return Vec::new();
        }
        let grant = Grant::Refuse {
            reason: Some(reason.to_owned()),
        };
        vec![Command::Permit {
            call: prompt.call,
            grant,
        }]
    }

    /// Drops the question if it is about this call, or about any.
    pub(super) fn permission_is_over(&mut self, call: Option<&CallId>) {
        let over = |prompt: &PermissionPrompt| call.is_none_or(|call| *call == prompt.call);
        self.permission.take_if(|prompt| over(prompt));
        if matches!(&self.dialog, Some(Dialog::Instead { prompt, .. }) if over(prompt)) {
            self.dialog = None;
        }
    }
}
