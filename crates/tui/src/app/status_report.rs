//! Status report: what `/status` says.
//!
//! In: the state of the interface. Out: lines in the transcript: what waits and was decided, who answers and how,
//! what the checks found, which prompts wait, what the conversation took.

use signoff_core::plural::{amount, counted, thousands};
use signoff_llm::session::Command;
use signoff_llm::usage::dollars;

use super::focus::Pane;
use super::{App, notes};
use crate::review::{DecidedCount, words};
use crate::transcript::Scroll;

impl App {
    /// Says how things stand.
    pub(super) fn tell_status(&mut self) -> Vec<Command> {
        let mut said = vec![self.who_answers(), self.what_waits()];
        let DecidedCount { approved, denied } = self.review.decided_count();
        said.push(match approved + denied {
            0 => "Nothing was decided since signoff was started here".to_owned(),
            _ => format!(
                "Since signoff was started here: {} approved, {denied} denied",
                counted(approved, "hunk")
            ),
        });
        said.push(match self.review.checks().title() {
            Some((_, words)) => words.to_owned(),
            None => "checks: none have run on what is staged".to_owned(),
        });
        if !self.queue.is_empty() {
            let queued = amount(self.queue.len(), "prompt waits", "prompts wait");
            said.push(format!("{queued} for {}", self.queue_waits_for()));
        }
        said.extend(self.what_was_taken());
        if !self.workspace.is_empty() {
            said.push(format!("workspace: {}", self.workspace));
        }
        self.answer(&said.join("\n"));
        Vec::new()
    }

    /// Says what a command of the user's comes to, where it can be read: a review that leaves no room for it is put
    /// away, and Tab brings it back.
    pub(super) fn answer(&mut self, text: &str) {
        let rows = notes::info(text);
        self.transcript.scroll(Scroll::Bottom);
        if self.pane == Pane::Open && !self.transcript.has_room(&rows) {
            self.close_review();
        }
        self.transcript.lines(rows);
    }

    /// Makes room for an answer that the session is asked for.
    pub(super) fn make_room(&mut self) {
        self.transcript.scroll(Scroll::Bottom);
        if self.pane == Pane::Open && self.transcript.height() == 0 {
            self.close_review();
        }
    }

    fn who_answers(&self) -> String {
        let model = match self.status.about() {
            None => "nobody answers yet".to_owned(),
            Some(about) if about.model.is_empty() => about.provider.clone(),
            Some(about) => format!("{} ({})", about.model, about.provider),
        };
        format!(
            "{}; mode: {}; model: {model}",
            self.status.word(),
            self.mode.word()
        )
    }

    fn what_waits(&self) -> String {
        let (pending, conflicts) = (self.review.list().pending(), self.review.list().conflicts());
        if pending + conflicts == 0 {
            return "Nothing waits for a verdict".to_owned();
        }
        let marked = match self.review.marked() {
            0 => String::new(),
            marked => format!(", {marked} marked and not handed over"),
        };
        let files = counted(self.review.list().paths().count(), "file");
        let waiting = words::waiting(pending, conflicts);
        format!("{waiting} in {files}{marked}: /review shows them")
    }

    fn what_was_taken(&self) -> Option<String> {
        let taken = self.status.taken();
        if taken.tokens() == 0 {
            return None;
        }
        let (input, output) = (thousands(taken.input), thousands(taken.output));
        let cost = taken.cost.map(|cost| format!(", {}", dollars(cost)));
        let full = self.status.full().map(|full| format!("; {full}% full"));
        Some(format!(
            "tokens: {input} in, {output} out{}{}",
            cost.unwrap_or_default(),
            full.unwrap_or_default()
        ))
    }
}
