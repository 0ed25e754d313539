//! Edits and calls in the text of an answer that made no call.
//!
//! In: a whole answer. Out: an edit that it spells out becomes a call of the answer, judged and run as any other. What only
//! looks like an edit or a call is not guessed at: the model hears of it once in a turn, and is asked; after that the user,
//! and the turn does not count as done.
//!
//! Where the model makes real calls, its closing words recap them, often as a diff: they are text.

use super::turn::reply::Reply;
use super::{Phase, Session};
use crate::code_block::{TextEdits, spelled};
use crate::message::CallId;
use crate::mode::Mode;
use crate::notice::Notice;
use crate::provider::text::{Files, unread};
use crate::provider::{Delta, StopReason};

/// Id of a call that was read out of a text; the transcript makes it unique.
const ID: &str = "text";

impl Session {
    /// Adds the edits that a whole answer spells out to its calls. Returns what looks like a call or an edit and is none.
    pub(super) fn read_text(&mut self, reply: &mut Reply) -> Vec<String> {
        let turn = self.turns.current();
        let is_open = turn.is_some_and(|turn| turn.is_open_to_text() && turn.target().is_none());
        let is_asked = self.turns.phase() == Phase::Asking && self.turns.modes.now != Mode::Plan;
        let Some(text) = reply.text_alone().filter(|_| is_open && is_asked) else {
            return Vec::new();
        };
        let specs = self.config.tools.specs();
        let mut seen = unread(text, &specs);
        let names: Vec<&str> = specs.iter().map(|tool| tool.name).collect();
        // Only what may be an edit is worth the files of a whole conversation.
        let TextEdits { calls, unread } = if ["```", "SEARCH", "*** ", "+++ "]
            .iter()
            .any(|mark| text.contains(mark))
        {
            let instructions = &self.config.instructions;
            let choice = crate::gate::tool_choice(Phase::Asking);
            let prompt = self.ledger.prompt(instructions, (specs, choice), None);
            spelled(text, &Files::of(&prompt), &names)
        } else {
            TextEdits::default()
        };
        if calls.is_empty() {
            seen.extend(unread);
            return seen;
        }
        for (index, call) in calls.into_iter().enumerate() {
            let started = Delta::CallStarted {
                index,
                id: CallId(ID.to_owned()),
                name: call.name,
            };
            let arguments = Delta::CallArguments {
                index,
                fragment: call.arguments,
            };
            for delta in [started, arguments] {
                let events = reply.push(delta, self.ledger.transcript(), &self.config.tools);
                self.outbox.emit_all(events);
            }
        }
        reply.end_with(StopReason::ToolCalls);
        if let Some(turn) = self.turns.current_mut() {
            turn.take_edits_from_text();
        }
        unread
    }

    /// Tells of what looks like a call or an edit in an answer and is none. Returns whether the model is asked again, which
    /// it is once in a turn; one that makes calls as well reads of it with their answers.
    pub(super) fn point_out(&mut self, seen: Vec<String>, has_calls: bool) -> bool {
        let Some(first) = seen.first() else {
            return false;
        };
        let most = self.config.most_requests();
        let more = match seen.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let said = format!("the answer shows {first}{more}, which was neither run nor staged");
        if has_calls && let Some(turn) = self.turns.current_mut() {
            turn.leave_unread(&seen);
        }
        let turn = self.turns.current_mut();
        if !has_calls && !turn.is_some_and(|turn| turn.may_point_out(most)) {
            self.outbox.inform(&format!(
                "{said}; ask the model to make it by a call of its tools"
            ));
            if let Some(turn) = self.turns.current_mut() {
                turn.leave_unmet();
                turn.leave_unread(&seen);
            }
            return false;
        }
        self.outbox.inform(&format!("{said}; the model is told"));
        self.ledger.tell(Notice::Unread { seen });
        if !has_calls {
            self.ask(Phase::Asking);
        }
        !has_calls
    }
}
