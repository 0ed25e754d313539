//! Questions about hunks that wait for review.
//!
//! In: a hunk, the user's question, and the pieces of the model's answer. Out: a request beside those of the turn, the
//! answer as it arrives, and a notice, so that later requests hold question and answer. A running turn goes on.

use signoff_core::clip;
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::id::HunkId;
use signoff_core::quote;
use signoff_core::stage::review::{AnswerEnd, HunkQuestion, HunkView};

use super::ledger::Ledger;
use super::outbox::Outbox;
use super::review::PendingHunks;
use super::{Config, Effect, Event, RequestId};
use crate::compaction::{compact, size};
use crate::message::{Message, Prompt, ToolChoice};
use crate::notice::Notice;
use crate::provider::{About, Delta, ProviderError};
use crate::transcript::Transcript;

/// The most bytes of an answer: more than fits beside a hunk on any screen.
const LONGEST_ANSWER: usize = 16 << 10;

/// The most bytes of a hunk's lines in a request; a hunk that rewrites a file of 50,000 lines has megabytes.
const LONGEST_HUNK: usize = 32 << 10;

/// Questions without a complete answer.
#[derive(Debug, Default)]
pub(super) struct OpenQuestions {
    open: Vec<OpenQuestion>,
    /// True if the built-in planner answers, which understands no questions.
    is_planned: bool,
}

/// A question that is being answered.
#[derive(Debug)]
struct OpenQuestion {
    request: RequestId,
    hunk: HunkId,
    path: String,
    text: String,
    answer: String,
}

impl OpenQuestions {
    /// Tells whether the built-in planner answers.
    pub(super) fn is_planned(&self) -> bool {
        self.is_planned
    }

    /// Takes over who answers.
    pub(super) fn meet(&mut self, about: &About) {
        self.is_planned = about.provider == "offline";
    }

    fn get_mut(&mut self, request: RequestId) -> Option<&mut OpenQuestion> {
        let mut open = self.open.iter_mut();
        open.find(|question| question.request == request)
    }

    fn take(&mut self, is_meant: impl Fn(&OpenQuestion) -> bool) -> Option<OpenQuestion> {
        let at = self.open.iter().position(is_meant)?;
        Some(self.open.remove(at))
    }

    /// Asks the model about a hunk, beside the turn that may be running.
    pub(super) fn ask(
        &mut self,
        question: HunkQuestion,
        (config, hunks): (&Config, &PendingHunks),
        ledger: &mut Ledger,
        out: &mut Outbox,
    ) {
        let HunkQuestion {
            path, hunk, text, ..
        } = question;
        if text.trim().is_empty() {
            return out.misused("the question is empty");
        }
        self.cancel(hunk.id, ledger, out);
        out.emit(Event::Asked {
            hunk: hunk.id,
            path: path.clone(),
            text: text.clone(),
        });
        if self.is_planned {
            out.emit(Event::Answered {
                hunk: hunk.id,
                text: String::new(),
                end: Some(AnswerEnd::NoModel),
            });
            return ledger.tell(Notice::Asked {
                hunk: hunk.id,
                path,
                question: text,
                answer: None,
            });
        }
        let request = out.next_request();
        let prompt = question_prompt(question_text(&path, &hunk, &text), config, hunks, ledger);
        self.open.push(OpenQuestion {
            request,
            hunk: hunk.id,
            path,
            text,
            answer: String::new(),
        });
        out.want(Effect::AskAside { request, prompt });
    }

    /// Stops the answer about a hunk, if one is arriving.
    pub(super) fn cancel(&mut self, hunk: HunkId, ledger: &mut Ledger, out: &mut Outbox) {
        if let Some(question) = self.take(|question| question.hunk == hunk) {
            let request = question.request;
            out.want(Effect::CancelAside { request });
            question.close(AnswerEnd::Cancelled, ledger, out);
        }
    }

    /// Stops all answers about hunks.
    pub(super) fn cancel_all(&mut self, ledger: &mut Ledger, out: &mut Outbox) {
        while let Some(hunk) = self.open.first().map(|question| question.hunk) {
            self.cancel(hunk, ledger, out);
        }
    }

    /// Takes a piece of an answer about a hunk; false if the request is not one about a hunk.
    pub(super) fn take_delta(
        &mut self,
        request: RequestId,
        delta: &Delta,
        ledger: &mut Ledger,
        out: &mut Outbox,
    ) -> bool {
        let Some(question) = self.get_mut(request) else {
            return false;
        };
        match delta {
            Delta::Text { text } => {
                let room = LONGEST_ANSWER - question.answer.len();
                let (piece, rest) = clip::split(text, room);
                question.answer.push_str(piece);
                let (hunk, is_cut) = (question.hunk, !rest.is_empty());
                out.emit(Event::Answered {
                    hunk,
                    text: piece.to_owned(),
                    end: None,
                });
                if is_cut {
                    out.want(Effect::CancelAside { request });
                    self.close(request, AnswerEnd::TooLong, ledger, out);
                }
            }
            Delta::Usage(usage) => ledger.count_question(usage, out),
            // No tool may be called: a call that comes all the same is dropped.
            Delta::Reasoning { .. }
            | Delta::CallStarted { .. }
            | Delta::CallArguments { .. }
            | Delta::Retrying { .. }
            | Delta::Keep { .. }
            | Delta::Stop { .. } => {}
        }
        true
    }

    /// Takes the end of an answer about a hunk; false if the request is not one about a hunk.
    pub(super) fn take_end(
        &mut self,
        request: RequestId,
        result: &Result<(), ProviderError>,
        ledger: &mut Ledger,
        out: &mut Outbox,
    ) -> bool {
        let Some(question) = self.get_mut(request) else {
            return false;
        };
        let end = match result {
            Ok(()) if question.answer.trim().is_empty() => AnswerEnd::Failed {
                why: "the model gave an empty answer".to_owned(),
            },
            Ok(()) => AnswerEnd::Whole,
            Err(error) => AnswerEnd::Failed {
                why: error.to_string(),
            },
        };
        self.close(request, end, ledger, out);
        true
    }

    fn close(&mut self, request: RequestId, end: AnswerEnd, ledger: &mut Ledger, out: &mut Outbox) {
        if let Some(question) = self.take(|question| question.request == request) {
            question.close(end, ledger, out);
        }
    }
}

impl OpenQuestion {
    /// Says how an answer ended, and tells the model with the next request. Without an answer the question remains
    /// for that request.
    fn close(self, end: AnswerEnd, ledger: &mut Ledger, out: &mut Outbox) {
        let Self {
            hunk,
            path,
            text,
            answer,
            ..
        } = self;
        out.emit(Event::Answered {
            hunk,
            text: String::new(),
            end: Some(end),
        });
        ledger.tell(Notice::Asked {
            hunk,
            path,
            question: text,
            answer: Some(answer).filter(|answer| !answer.trim().is_empty()),
        });
    }
}

/// Returns a request with the conversation so far and a question. The tools are described as in all requests, so that
/// servers take calls in the conversation, and none may be called.
fn question_prompt(text: String, config: &Config, hunks: &PendingHunks, ledger: &Ledger) -> Prompt {
    let mut entries = ledger.entries_and_held();
    if let Some(most) = ledger.usage().too_long(size(&entries) + LONGEST_HUNK)
        && let Some(shorter) = compact(&entries, &hunks.waiting(), most)
    {
        entries = shorter;
    }
    let told = Transcript::restored(entries);
    let mut messages = ledger.messages_of(&told, &config.instructions);
    messages.push(Message::User {
        text,
        images: Vec::new(),
    });
    Prompt {
        messages,
        tools: config.tools.specs(),
        tool_choice: ToolChoice::None,
        target: None,
    }
}

/// Returns what the model is asked about a hunk.
///
/// ```text
/// A question about the hunk at src/lib.rs:12 (proposal …#1), which waits for my verdict:
///
/// @@ -12,2 +12,2 @@
///   12 fn main() {
/// - 13     old();
/// + 13     new();
///
/// Why new?
/// ```
fn question_text(path: &str, hunk: &HunkView, text: &str) -> String {
    format!(
        "A question about {}, which waits for my verdict:\n\n{}\n{}\n\n\
         Answer in a few sentences of plain text. Call no tools and change nothing: I decide on the hunk afterwards.",
        place(path, hunk),
        displayed(hunk),
        text.trim(),
    )
}

/// Returns where a hunk is: `the hunk at src/lib.rs:12 (proposal …#1)`.
pub(super) fn place(path: &str, hunk: &HunkView) -> String {
    let line = hunk.lines.iter().find_map(|line| line.new.or(line.old));
    let line = line.map(|line| format!(":{line}"));
    let line = line.as_deref().unwrap_or("");
    format!(
        "the hunk at {}{line} (proposal {})",
        quote::name(path),
        hunk.id
    )
}

/// Returns the lines of a hunk with their numbers, behind its header.
pub(super) fn displayed(hunk: &HunkView) -> String {
    let mut lines = format!("{}\n", hunk.header);
    let mut left = hunk.lines.len();
    for line in &hunk.lines {
        let shown = shown(line);
        if lines.len() + shown.len() > LONGEST_HUNK {
            break;
        }
        lines.push_str(&shown);
        left -= 1;
    }
    if left > 0 {
        lines.push_str(&format!("({left} more lines are left out)\n"));
    }
    lines
}

fn shown(line: &DiffLine) -> String {
    let (sign, number) = match line.kind {
        LineKind::Context => (' ', line.new),
        LineKind::Removed => ('-', line.old),
        LineKind::Added => ('+', line.new),
    };
    let number = number.map(|number| number.to_string()).unwrap_or_default();
    format!("{sign}{number:>5} {}\n", line.text)
}
