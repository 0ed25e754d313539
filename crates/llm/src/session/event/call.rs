//! Calls of tools as they stream in, run and end.
//!
//! In: [`CallEvent`]s of one call, in order. Out: its [`CallState`]. A call whose arguments stream in, that runs a program and
//! is answered:
//!
//! ```text
//! Started { tool: "bash" }                  tool: "bash"
//! Input { input: "make" }                   input: "make"
//! Output { tail: "cc a.c\n", lines: 1 }     tail: "cc a.c\n", lines: 1
//! Streams { out: "cc a.c\n", err: "" }      streams, and no tail any more
//! Done { ok: true, summary: "exit 0" }      end: Answered
//! ```

use std::borrow::Cow;

use serde::Serialize;
use signoff_core::edit::intent::Operation;

use crate::message::CallId;
use crate::tool::PrintedStreams;

/// What happens to a call; in JSON, an event like any other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum CallEvent {
    /// A call began to stream in.
    #[serde(rename = "call_started")]
    Started {
        /// Which.
        call: CallId,
        /// The tool.
        tool: String,
    },
    /// Which file a call is about, where that arrives before the rest of its intent.
    Named {
        /// Which call.
        call: CallId,
        /// The path as the model wrote it.
        path: String,
    },
    /// What a call is for, where that arrives before the path.
    Described {
        /// Which call.
        call: CallId,
        /// One line, in the model's words.
        description: String,
    },
    /// What a call is going to do, as soon as path and description have arrived; again for each further file.
    Intent {
        /// Which call.
        call: CallId,
        /// The path as the model wrote it. Stable.
        path: String,
        /// What happens to the file, where known.
        operation: Option<Operation>,
        /// One line, in the model's words. Stable.
        description: String,
    },
    /// A call's content is streaming in.
    Progress {
        /// Which call.
        call: CallId,
        /// Lines of content so far.
        lines: u64,
    },
    /// A call begins to run and has a command, a pattern or a name to show.
    #[serde(rename = "call_input")]
    Input {
        /// Which call.
        call: CallId,
        /// The tool.
        tool: String,
        /// What it runs or looks for, as the model wrote it.
        input: String,
    },
    /// A call prints while it runs; of an agent, what it does.
    #[serde(rename = "call_output")]
    Output {
        /// Which call.
        call: CallId,
        /// The last lines, of bounded size.
        tail: String,
        /// Lines so far.
        lines: u64,
    },
    /// What a program of a call printed; before the call is answered.
    #[serde(rename = "call_streams")]
    Streams {
        /// Which call.
        call: CallId,
        /// Both streams, of bounded size.
        #[serde(flatten)]
        streams: PrintedStreams,
    },
    /// A call was answered.
    #[serde(rename = "call_done")]
    Done {
        /// Which call.
        call: CallId,
        /// The tool. Stable.
        tool: String,
        /// True if the tool did what was asked. Stable.
        ok: bool,
        /// One line for the user. Stable.
        summary: String,
        /// How long it took, in milliseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        took_ms: Option<u64>,
    },
}

impl CallEvent {
    /// Returns the call that it happens to.
    pub fn call(&self) -> &CallId {
        match self {
            Self::Started { call, .. }
            | Self::Named { call, .. }
            | Self::Described { call, .. }
            | Self::Intent { call, .. }
            | Self::Progress { call, .. }
            | Self::Input { call, .. }
            | Self::Output { call, .. }
            | Self::Streams { call, .. }
            | Self::Done { call, .. } => call,
        }
    }

    /// Returns what a user reads of it in one line, as `grep` and `3 matches`: what it is about, and the rest; none for what
    /// only adds to a line that is shown already.
    pub fn line(&self) -> Option<(&str, Cow<'_, str>)> {
        match self {
            Self::Intent {
                path, description, ..
            } => Some(("planning", Cow::Owned(format!("{description} ({path})")))),
            Self::Input { tool, input, .. } => Some((tool, Cow::Borrowed(input))),
            Self::Done { tool, summary, .. } => Some((tool, Cow::Borrowed(summary))),
            _ => None,
        }
    }

    /// Returns the tool, where the event names it: a call whose beginning was not seen is known from then on.
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Started { tool, .. } | Self::Input { tool, .. } | Self::Done { tool, .. } => {
                Some(tool)
            }
            _ => None,
        }
    }
}

/// A call, as far as its events have told it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallState {
    /// The tool.
    pub tool: String,
    /// What it is going to do with the first file.
    pub intent: Option<CallIntent>,
    /// The files after the first.
    pub more: Vec<String>,
    /// The command that it runs, or what it looks for.
    pub input: Option<String>,
    /// Lines of its content, or of what it prints, so far.
    pub lines: u64,
    /// The last lines of what it prints while it runs.
    pub tail: String,
    /// What a program printed that it ran.
    pub streams: Option<PrintedStreams>,
    /// How it ended, if it has.
    pub end: Option<CallEnd>,
}

/// What a call is going to do with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallIntent {
    /// The path as the model wrote it; empty as long as it is not known.
    pub path: String,
    /// What happens to the file, where known.
    pub operation: Option<Operation>,
    /// One line, in the model's words; empty as long as it is not known.
    pub description: String,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// It was answered.
    Answered {
        /// True if the tool did what was asked.
        ok: bool,
        /// One line for the user.
        summary: String,
        /// How long it took, in milliseconds, where that is known.
        took_ms: Option<u64>,
    },
    /// It will not be answered any more.
    Stopped,
}

impl CallState {
    /// Returns a call of this tool of which nothing else is known.
    pub fn new(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            ..Self::default()
        }
    }

    /// Takes what happens to the call.
    pub fn apply(&mut self, event: CallEvent) {
        match event {
            CallEvent::Started { tool, .. } => self.tool = tool,
            CallEvent::Named { path, .. } => self.intend(path, None, String::new()),
            CallEvent::Described { description, .. } => {
                self.intend(String::new(), None, description);
            }
            CallEvent::Intent {
                path,
                operation,
                description,
                ..
            } => self.intend(path, operation, description),
            CallEvent::Progress { lines, .. } => self.lines = lines,
            CallEvent::Input { input, .. } => self.input = Some(input),
            CallEvent::Output { tail, lines, .. } => {
                self.lines = lines;
                self.tail = tail;
            }
            CallEvent::Streams { streams, .. } => {
                self.tail.clear();
                self.streams = Some(streams);
            }
            CallEvent::Done {
                ok,
                summary,
                took_ms,
                ..
            } => {
                self.end = Some(CallEnd::Answered {
                    ok,
                    summary,
                    took_ms,
                });
            }
        }
    }

    /// Takes that the call will not be answered any more, unless it was.
    pub fn stop(&mut self) {
        self.end.get_or_insert(CallEnd::Stopped);
    }

    /// Takes what the call is going to do; to another file than the first, too.
    fn intend(&mut self, path: String, operation: Option<Operation>, description: String) {
        let first = self.intent.as_ref();
        if first.is_some_and(|first| !first.path.is_empty() && first.path != path) {
            self.more.push(path);
            return;
        }
        self.intent = Some(CallIntent {
            path,
            operation,
            description,
        });
    }
}
