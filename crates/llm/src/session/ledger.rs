//! Ledger: what was said in a conversation, what of it is on record, and what it cost.
//!
//! In: prompts, answers, notices, and counts of tokens. Out: the messages of a request, records, and events about both.
//!
//! A notice goes into the next request. While a request runs it waits: an answer must not stand behind a notice that it was
//! given without.

use signoff_core::id::Timestamp;
use signoff_sandbox::waiting_commits::SettledChange;

use super::outbox::Outbox;
use super::turn::reply::Whole;
use super::{CallEvent, Inquiry};
use crate::message::{CallId, Message, Prompt, TargetFile, ToolCall, ToolChoice};
use crate::notice::{Interruption, Notice, ToldOutcomes};
use crate::provider::About;
use crate::provider::catalogue::Model;
use crate::tool::{ToolOutput, ToolSpec};
use crate::transcript::{Entry, Transcript};
use crate::usage::Prices;
use images::ImageInput;
pub(super) use images::UserPrompt;
pub(super) use lineage::Lineage;
use recording::Choice;
use usage_meter::UsageMeter;

mod attachments;
mod compact;
mod earlier;
mod images;
mod lineage;
mod prompts;
mod recording;
mod usage_meter;

/// What was said, and what it cost.
#[derive(Debug)]
pub(super) struct Ledger {
    transcript: Transcript,
    /// Notices that came while a turn runs; none while no turn does.
    held: Option<Vec<Notice>>,
    lineage: Lineage,
    /// How many entries of the transcript were written down, if any shall be.
    recorded: Option<usize>,
    /// The model that the user chose, if they chose one.
    choice: Option<Choice>,
    usage: UsageMeter,
    images: ImageInput,
    /// The time, once it was told.
    now: Option<Timestamp>,
}

impl Ledger {
    /// Returns the ledger of a conversation in which nothing was said; `fixed` is what instructions and tools take of
    /// every request, in bytes.
    pub(super) fn new(is_recorded: bool, fixed: usize) -> Self {
        Self {
            transcript: Transcript::default(),
            held: None,
            lineage: Lineage::default(),
            recorded: is_recorded.then_some(0),
            choice: None,
            usage: UsageMeter::new(None, None, fixed),
            images: ImageInput::default(),
            now: None,
        }
    }

    /// Takes over the time, by which prompts are dated.
    pub(super) fn set_time(&mut self, now: Timestamp) {
        self.now = Some(now);
    }

    /// Returns what was said.
    pub(super) fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Returns what was spent, and how long requests may be.
    pub(super) fn usage(&self) -> &UsageMeter {
        &self.usage
    }

    /// Returns what is known of images.
    pub(super) fn images(&mut self) -> &mut ImageInput {
        &mut self.images
    }

    /// Goes by what is known of the model that is asked.
    pub(super) fn meet(&mut self, about: &About, known: Model) {
        self.images.meet(about, known.images);
        self.usage
            .meet(known.price.map(Prices::from), known.context);
    }

    /// Says that the model that is asked from now on does not see the images of the conversation.
    pub(super) fn tell_unseen_images(&self, out: &mut Outbox) {
        self.images.tell_unseen(&self.transcript, out);
    }

    /// Takes over what instructions and tools take of every request, in bytes.
    pub(super) fn fit(&mut self, fixed: usize) {
        self.usage.fit(fixed);
    }

    /// Takes what the model reads at most, as its server says.
    pub(super) fn learn_context(&mut self, tokens: u64) {
        self.usage.learn(tokens);
    }

    /// Opens a turn: notices wait from here on.
    pub(super) fn begin_turn(&mut self) {
        self.usage.begin_turn();
        self.held.get_or_insert_default();
    }

    /// Closes the turn; notices that waited are in the next request.
    pub(super) fn end_turn(&mut self) {
        self.flush();
        self.held = None;
    }

    /// Puts the notices that came meanwhile into the transcript.
    pub(super) fn flush(&mut self) {
        let held = self.held.iter_mut().flat_map(std::mem::take);
        for notice in held.collect::<Vec<_>>() {
            self.transcript.note(notice);
        }
    }

    /// Puts a notice into the next request.
    pub(super) fn tell(&mut self, notice: Notice) {
        match &mut self.held {
            Some(held) => held.push(notice),
            None => self.transcript.note(notice),
        }
    }

    /// Puts a notice before the request that a running turn is about to send, or behind its calls.
    pub(super) fn note(&mut self, notice: Notice) {
        self.transcript.note(notice);
    }

    /// Returns what the model was told of its edits, and what it is going to be told.
    pub(super) fn told(&self) -> ToldOutcomes {
        ToldOutcomes::of(self.transcript.notices().chain(self.held.iter().flatten()))
    }

    /// Puts what became of commits into the next request, unless it was told; with `known` of those alone that the model knows of.
    pub(super) fn tell_commits(&mut self, settled: Vec<SettledChange>, known: bool) {
        let told = self.told();
        let is_news = |own: &SettledChange| match told.commit(&own.id) {
            Some(state) => state != own.state,
            None => !known,
        };
        let changes: Vec<_> = settled.into_iter().filter(is_news).collect();
        if !changes.is_empty() {
            self.tell(Notice::Commits { changes });
        }
    }

    /// Returns of what there may be external decisions; nothing where nothing was said.
    pub(super) fn inquiry(&self) -> Option<Inquiry> {
        let said = !self.transcript.entries().is_empty();
        said.then(|| Inquiry {
            proposals: self.told().unsettled(),
            sessions: self.lineage.ids(),
        })
    }

    /// Returns the conversations that this one goes on from, itself included.
    pub(super) fn lineage(&self) -> &Lineage {
        &self.lineage
    }

    /// Appends what the model said.
    pub(super) fn append_answer(&mut self, whole: &Whole) {
        let (text, calls) = (whole.text.clone(), whole.calls.clone());
        let said = self.transcript.said_with(text, calls, whole.kept.clone());
        if let Err(misplaced) = said {
            tracing::error!(%misplaced, "an answer came over open calls");
        }
    }

    /// Appends a command of the user's as a prompt and the call that runs it. Returns the call under its unique id.
    pub(super) fn append_command(&mut self, prompt: String, call: ToolCall) -> Option<ToolCall> {
        let appended = self.transcript.prompt_at(prompt, Vec::new(), self.now);
        let ids = appended.and_then(|()| self.transcript.said(String::new(), vec![call.clone()]));
        match ids {
            Ok(ids) => ids.into_iter().next().map(|id| ToolCall { id, ..call }),
            Err(misplaced) => {
                tracing::error!(%misplaced, "a command came over open calls");
                None
            }
        }
    }

    /// Answers a call, in the transcript and on the screen.
    pub(super) fn answer_call(
        &mut self,
        (call, tool): (&CallId, &str),
        output: ToolOutput,
        took_ms: Option<u64>,
        out: &mut Outbox,
    ) {
        let (images, notes) = self.images.of_tool(output.deeds.images);
        let content = output.content + &notes;
        let answered = self
            .transcript
            .answer_with(call, content, !output.ok, images);
        if let Err(misplaced) = answered {
            tracing::error!(%misplaced, "an answer was not taken");
            return;
        }
        if let Some(streams) = output.printed {
            out.emit(CallEvent::Streams {
                call: call.clone(),
                streams: *streams,
            });
        }
        out.emit(CallEvent::Done {
            call: call.clone(),
            tool: tool.to_owned(),
            ok: output.ok,
            summary: output.summary,
            took_ms,
        });
    }

    /// Records the text of an answer that will not be completed and closes its calls on the
    /// screen; the model never sees them.
    pub(super) fn keep_text(&mut self, whole: Whole, why: &str, out: &mut Outbox) {
        if let Err(misplaced) = self.transcript.said(whole.text, Vec::new()) {
            tracing::error!(%misplaced, "an answer came over open calls");
        }
        for call in whole.calls {
            self.transcript.retire(call.id.clone());
            out.emit(CallEvent::Done {
                call: call.id,
                tool: call.name,
                ok: false,
                summary: why.to_owned(),
                took_ms: None,
            });
        }
    }

    /// Keeps the text of an answer that is not whole, and tells the model of it.
    pub(super) fn keep_broken(&mut self, whole: Whole, why: &str, out: &mut Outbox) {
        let begun = !whole.is_empty();
        self.keep_text(whole, why, out);
        if begun {
            self.transcript.note(Notice::Interrupted {
                by: Interruption::Connection,
            });
        }
    }

    /// Returns the request of a turn.
    pub(super) fn prompt(
        &self,
        instructions: &str,
        (tools, tool_choice): (Vec<ToolSpec>, ToolChoice),
        target: Option<TargetFile>,
    ) -> Prompt {
        Prompt {
            messages: self.messages_of(&self.transcript, instructions),
            tools,
            tool_choice,
            target,
        }
    }

    /// Returns all entries, and the notices that wait behind them.
    pub(super) fn entries_and_held(&self) -> Vec<Entry> {
        let held = self.held.iter().flatten().cloned();
        let held = held.map(|notice| Entry::Noticed { notice });
        let entries = self.transcript.entries().iter().cloned();
        entries.chain(held).collect()
    }

    /// Returns the messages of a request: a model that takes no images is told that there were some.
    pub(super) fn messages_of(&self, transcript: &Transcript, instructions: &str) -> Vec<Message> {
        let mut messages = transcript.messages(instructions);
        self.images.leave_out_unseen(&mut messages);
        messages
    }
}
