//! Questions about hunks that wait for review.
//!
//! In: a hunk, the user's question, and the pieces of the model's answer. Out: a request beside those of the turn, the
//! answer as it arrives, and a notice, so that later requests hold question and answer. A running turn goes on.

use serde::Serialize;
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::id::HunkId;
use signoff_core::quote;
use signoff_core::stage::review::HunkView;

use super::{Effect, Event, RequestId, Session};
use crate::compaction::{compact, size};
use crate::message::{Message, Prompt, ToolChoice};
use crate::notice::Notice;
use crate::provider::{About, Delta, ProviderError, Usage};
use crate::transcript::{Entry, Transcript};

/// The most bytes of an answer: more than fits beside a hunk on any screen.
const LONGEST_ANSWER: usize = 16 << 10;

/// The most bytes of a hunk's lines in a request; a hunk that rewrites a file of 50,000 lines has megabytes.
const LONGEST_HUNK: usize = 32 << 10;

/// What the user asks about a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkQuestion {
    /// The hunk's file.
    pub path: String,
    /// The hunk as it was displayed.
    pub hunk: HunkView,
    /// The question.
    pub text: String,
}

/// How the answer to a question ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "end")]
pub enum AnswerEnd {
    /// The answer is complete.
    Whole,
    /// The answer was longer than the limit, and the rest was dropped.
    TooLong,
    /// The user stopped the answer, or asked the next question.
    Cancelled,
    /// The provider failed.
    Failed {
        /// The provider's error.
        why: String,
    },
    /// No model is connected: the next prompt holds the question.
    NoModel,
}

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
}

impl Session {
    /// Asks the model about a hunk, beside the turn that may be running.
    pub(super) fn ask_about(&mut self, question: HunkQuestion) {
        let HunkQuestion { path, hunk, text } = question;
        if text.trim().is_empty() {
            return self.misused("the question is empty");
        }
        self.cancel_question(hunk.id);
        self.emit(Event::Asked {
            hunk: hunk.id,
            path: path.clone(),
            text: text.clone(),
        });
        if self.questions.is_planned {
            self.emit(Event::Answered {
                hunk: hunk.id,
                text: String::new(),
                end: Some(AnswerEnd::NoModel),
            });
            return self.tell(Notice::Asked {
                hunk: hunk.id,
                path,
                question: text,
                answer: None,
            });
        }
        self.requests += 1;
        let request = RequestId(self.requests);
        let prompt = self.question_prompt(&path, &hunk, &text);
        self.questions.open.push(OpenQuestion {
            request,
            hunk: hunk.id,
            path,
            text,
            answer: String::new(),
        });
        self.effects.push_back(Effect::AskAside { request, prompt });
    }

    /// Stops the answer about a hunk, if one is arriving.
    pub(super) fn cancel_question(&mut self, hunk: HunkId) {
        if let Some(question) = self.questions.take(|question| question.hunk == hunk) {
            let request = question.request;
            self.effects.push_back(Effect::CancelAside { request });
            self.close_question(question, AnswerEnd::Cancelled);
        }
    }

    /// Stops all answers about hunks.
    pub(super) fn cancel_questions(&mut self) {
        while let Some(hunk) = self.questions.open.first().map(|question| question.hunk) {
            self.cancel_question(hunk);
        }
    }

    /// Takes a piece of an answer about a hunk; false if the request is not one about a hunk.
    pub(super) fn question_delta(&mut self, request: RequestId, delta: &Delta) -> bool {
        let Some(question) = self.questions.get_mut(request) else {
            return false;
        };
        match delta {
            Delta::Text { text } => {
                let room = LONGEST_ANSWER - question.answer.len();
                let end = text.floor_char_boundary(room.min(text.len()));
                let piece = text.get(..end).unwrap_or_default().to_owned();
                question.answer.push_str(&piece);
                let (hunk, is_cut) = (question.hunk, end < text.len());
                self.emit(Event::Answered {
                    hunk,
                    text: piece,
                    end: None,
                });
                if is_cut {
                    self.effects.push_back(Effect::CancelAside { request });
                    self.end_question(request, AnswerEnd::TooLong);
                }
            }
            Delta::Usage(usage) => self.count_question(usage),
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
    pub(super) fn question_ended(
        &mut self,
        request: RequestId,
        result: &Result<(), ProviderError>,
    ) -> bool {
        let Some(question) = self.questions.get_mut(request) else {
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
        self.end_question(request, end);
        true
    }

    fn end_question(&mut self, request: RequestId, end: AnswerEnd) {
        if let Some(question) = self.questions.take(|question| question.request == request) {
            self.close_question(question, end);
        }
    }

    /// Says how an answer ended, and tells the model with the next request. Without an answer the question remains
    /// for that request.
    fn close_question(&mut self, question: OpenQuestion, end: AnswerEnd) {
        let OpenQuestion {
            hunk,
            path,
            text,
            answer,
            ..
        } = question;
        self.emit(Event::Answered {
            hunk,
            text: String::new(),
            end: Some(end),
        });
        self.tell(Notice::Asked {
            hunk,
            path,
            question: text,
            answer: Some(answer).filter(|answer| !answer.trim().is_empty()),
        });
    }

    /// Adds the tokens of a question to the conversation's. The limits of a turn do not count them.
    fn count_question(&mut self, usage: &Usage) {
        self.usage.count_question(usage);
        self.emit(Event::Used(*usage));
        self.tell_spent(None);
    }

    /// Returns a request with the conversation so far, the hunk and the question. The tools are described as in all
    /// requests, so that servers take calls in the conversation, and none may be called.
    fn question_prompt(&self, path: &str, hunk: &HunkView, text: &str) -> Prompt {
        let held = self.held.iter().cloned();
        let held = held.map(|notice| Entry::Noticed { notice });
        let entries = self.transcript.entries().iter().cloned();
        let mut entries: Vec<Entry> = entries.chain(held).collect();
        if let Some(most) = self.usage.too_long(size(&entries) + LONGEST_HUNK)
            && let Some(shorter) = compact(&entries, &self.pending_hunks.waiting(), most)
        {
            entries = shorter;
        }
        let mut messages = self.messages_of(&Transcript::restored(entries));
        messages.push(Message::User {
            text: question_text(path, hunk, text),
            images: Vec::new(),
        });
        Prompt {
            messages,
            tools: self.tools.specs(),
            tool_choice: ToolChoice::None,
            target: None,
        }
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
    let place = hunk.lines.iter().find_map(|line| line.new.or(line.old));
    let place = place.map(|line| format!(":{line}")).unwrap_or_default();
    let mut lines = String::new();
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
    format!(
        "A question about the hunk at {}{place} (proposal {}), which waits for my verdict:\n\n{}\n{lines}\n{}\n\n\
         Answer in a few sentences of plain text. Call no tools and change nothing: I decide on the hunk afterwards.",
        quote::name(path),
        hunk.id,
        hunk.header,
        text.trim(),
    )
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
