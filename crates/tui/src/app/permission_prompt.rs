//! Permission prompt for a call.
//!
//! In: a call that needs the user's permission, and keys. Out: what the session is told. A key
//! that was pressed before the question was on the screen never answers it, and the call runs only
//! once all of what it does has been displayed.

use signoff_llm::message::CallId;
use signoff_llm::permission::ASKED_EACH_TIME;
use signoff_llm::session::{Command, Grant, NETWORK};

use super::keymap::Context;
use crate::displayed::{Displayed, Part};
use crate::event_lines::subject_rows;
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
    tool: String,
    /// True if it is asked about again, whatever the answer.
    is_asked_each_time: bool,
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
    pub(super) fn new(call: CallId, tool: String, subject: &str) -> Self {
        let lines = subject_rows(subject);
        Self {
            call,
            tool,
            is_asked_each_time: subject.ends_with(ASKED_EACH_TIME),
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

    /// Tells whether it is about this call.
    pub(super) fn is_about(&self, call: &CallId) -> bool {
        self.call == *call
    }

    /// Returns what the session is told.
    pub(super) fn permit(self, grant: Grant) -> Command {
        let call = self.call;
        Command::Permit { call, grant }
    }

    /// Tells whether keys answer it.
    pub(crate) fn listens(&self) -> bool {
        self.focused && self.drawn
    }

    /// Returns whose keys answer it.
    pub(super) fn context(&self) -> Context {
        if self.tool == NETWORK {
            Context::HostPermission
        } else {
            Context::Permission
        }
    }

    /// Tells whether an answer for good has no effect.
    pub(crate) fn is_asked_each_time(&self) -> bool {
        self.is_asked_each_time
    }

    /// Returns what the user is asked.
    pub(crate) fn label(&self, once: &str) -> String {
        let tool = &self.tool;
        match self.unseen() {
            0 => format!("Allow {tool}?"),
            1 => format!("{tool}: 1 line unseen, {once} shows it"),
            unseen => format!("{tool}: {unseen} lines unseen, {once} shows more"),
        }
    }

    /// Returns how many lines have not been displayed.
    fn unseen(&self) -> usize {
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

    /// Shows what comes after; one row stays in sight.
    pub(super) fn page_down(&mut self) {
        self.top = (self.top + self.page()).min(self.last_top());
    }

    /// Shows what comes before.
    pub(super) fn page_up(&mut self) {
        self.top = self.top.saturating_sub(self.page());
    }

    fn page(&self) -> usize {
        self.room.saturating_sub(1).max(1)
    }

    /// Shows the first row that has not been displayed; false if all of it was.
    pub(super) fn show_unseen(&mut self) -> bool {
        let unseen = |(part, _): &(Part, Row)| !self.displayed.has(self.width, *part);
        let first = self.rows.iter().position(unseen);
        let is_unseen = self.unseen() > 0;
        if is_unseen {
            self.top = first.unwrap_or(self.top).min(self.last_top());
        }
        is_unseen
    }
}
