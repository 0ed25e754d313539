//! Text tool calls: tools for models without native calls.
//!
//! In: a prompt, and the answer to it in pieces. Out: the prompt in words, with an example; and
//! the answer with the calls that its text holds as calls. They stage like any other. Which edit a fence of
//! code is, the edit engine knows: a [`CodeBlockReader`] is handed in.

use std::collections::VecDeque;

use futures_util::{StreamExt, stream};

use super::{Delta, DeltaStream, ProviderError, StopReason, Usage};
use crate::message::{Prompt, ToolChoice};
use crate::tool_spec::{Reach, ToolSpec};

mod blocks;
mod calls;
mod envelope;
mod example;
mod files;
mod literal;
mod prompt;

pub use blocks::Block;
pub use calls::TextCall;
pub use example::{by_example, indentation};
pub use files::{AS_IT_IS, Files, words};
pub use prompt::in_words;

use blocks::{Blocks, Piece};
use calls::{BlockContent, TextCalls};

/// Returns the call for a fence that holds a file or a function of it: nothing if it is neither. The last argument tells
/// whether the model has the tool that replaces a function by its name.
pub type CodeBlockReader = fn(&Block, &Files, bool) -> Option<TextCall>;

/// How much of a text may be a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lenience {
    /// Only what is plainly one: the model may be able to make real ones.
    Strict,
    /// Also a fence that holds a file, or a function of it: the model has no other way.
    Lenient,
}

/// Reads calls out of the text of the answer to `prompt`; where none may be made, all is text. Without a reader of code,
/// only JSON and envelopes are calls.
pub fn read(
    answer: DeltaStream,
    prompt: &Prompt,
    lenience: Lenience,
    code: Option<CodeBlockReader>,
) -> DeltaStream {
    if prompt.tool_choice == ToolChoice::None || prompt.tools.is_empty() {
        return answer;
    }
    let reading = Reading {
        answer: Some(answer),
        lenience,
        blocks: Blocks::new(lenience),
        calls: TextCalls::new(prompt, code.filter(|_| lenience == Lenience::Lenient)),
        pending: Vec::new(),
        native: false,
        called: 0,
        usage: None,
        ready: VecDeque::new(),
    };
    Box::pin(stream::unfold(reading, Reading::next))
}

/// Returns what in the text of an answer looks like a call of one of the tools, a few words each: [`read`] would have
/// taken it, had it been all, or had it come to its end.
pub fn unread(text: &str, tools: &[ToolSpec]) -> Vec<String> {
    let mut blocks = Blocks::new(Lenience::Strict);
    let mut pieces = blocks.push(text);
    pieces.extend(blocks.finish());
    let calls = TextCalls::of(tools);
    let edits = tools.iter().filter(|tool| tool.reach == Reach::Stage);
    let edits: Vec<&str> = edits.map(|tool| tool.name).collect();
    let edits = edits.join(", ");
    let blocks = pieces.iter().filter_map(|piece| match piece {
        Piece::Block(block) => Some(block),
        Piece::Text(_) => None,
    });
    let seen = blocks.flat_map(|block| match calls.read(block) {
        BlockContent::Calls(calls) => {
            let named = calls
                .into_iter()
                .map(|call| format!("a call of `{}` within its text", call.name));
            named.collect()
        }
        _ if block.is_envelope => vec!["a call that is not whole".to_owned()],
        BlockContent::Nothing => {
            let unknown = calls.unknown_edits(block).into_iter();
            unknown
                .map(|name| {
                    format!("a call of `{name}`, which is no tool; edits are made by {edits}")
                })
                .collect()
        }
        BlockContent::Refused(_) => Vec::new(),
    });
    seen.collect()
}

struct Reading {
    answer: Option<DeltaStream>,
    lenience: Lenience,
    blocks: Blocks,
    calls: TextCalls,
    /// Calls in fences and objects behind which nothing was said yet, each with its text: prose behind one makes it an
    /// example, which is not run.
    pending: Vec<(String, Vec<TextCall>)>,
    /// True once the model made a real call: then its text is text.
    native: bool,
    called: usize,
    /// Waits for the text that is held back.
    usage: Option<Usage>,
    ready: VecDeque<Result<Delta, ProviderError>>,
}

impl Reading {
    async fn next(mut self) -> Option<(Result<Delta, ProviderError>, Self)> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some((item, self));
            }
            match self.answer.as_mut()?.next().await {
                Some(item) => self.take(item),
                None => {
                    self.answer = None;
                    self.flush(false);
                }
            }
        }
    }

    fn take(&mut self, item: Result<Delta, ProviderError>) {
        match item {
            Ok(Delta::Text { text }) if !self.native => {
                let pieces = self.blocks.push(&text);
                self.say(pieces, true);
            }
            Ok(Delta::CallStarted { .. }) if self.called == 0 => {
                self.flush(false);
                self.native = true;
                self.ready.push_back(item);
            }
            Ok(Delta::Usage(usage)) => self.usage = Some(usage),
            Ok(Delta::Stop { reason }) => {
                // A call that the length limit cut is none.
                self.flush(reason != StopReason::Length);
                let reason = match reason {
                    StopReason::Stop if self.called > 0 => StopReason::ToolCalls,
                    reason => reason,
                };
                self.ready.push_back(Ok(Delta::Stop { reason }));
            }
            Err(_) => {
                // What came is kept, as text: nothing of a broken answer is run.
                self.flush(false);
                self.ready.push_back(item);
            }
            other => self.ready.push_back(other),
        }
    }

    fn flush(&mut self, whole: bool) {
        let pieces = self.blocks.finish();
        self.say(pieces, whole);
        for (raw, calls) in std::mem::take(&mut self.pending) {
            if whole {
                self.call(calls);
            } else {
                self.text(raw);
            }
        }
        self.ready
            .extend(self.usage.take().map(Delta::Usage).map(Ok));
    }

    fn say(&mut self, pieces: Vec<Piece>, may_call: bool) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.prose(text),
                Piece::Block(block) if may_call => match self.calls.read(&block) {
                    BlockContent::Calls(calls)
                        if self.lenience == Lenience::Strict && !block.is_envelope =>
                    {
                        self.pending.push((block.raw, calls));
                    }
                    BlockContent::Calls(calls) => self.call(calls),
                    BlockContent::Nothing => self.prose(block.raw),
                    BlockContent::Refused(why) => self.prose(format!("{}\n[{why}]\n", block.raw)),
                },
                Piece::Block(block) => self.prose(block.raw),
            }
        }
    }

    /// Passes on text, and with it, as text, the calls that it makes examples.
    fn prose(&mut self, text: String) {
        if !text.trim().is_empty() {
            for (raw, _) in std::mem::take(&mut self.pending) {
                self.text(raw);
            }
        }
        self.text(text);
    }

    fn text(&mut self, text: String) {
        if !text.is_empty() {
            self.ready.push_back(Ok(Delta::Text { text }));
        }
    }

    fn call(&mut self, calls: Vec<TextCall>) {
        for call in calls {
            let index = self.called;
            self.called += 1;
            let id = self.calls.id(index);
            let (name, fragment) = (call.name, call.arguments);
            self.ready
                .push_back(Ok(Delta::CallStarted { index, id, name }));
            self.ready
                .push_back(Ok(Delta::CallArguments { index, fragment }));
        }
    }
}
