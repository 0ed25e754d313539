//! A streamed answer under construction.
//!
//! In: deltas, in any cut. Out: events as soon as there is something to see; at the end the
//! whole text and the whole calls.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::super::triage::announces;
use super::super::{CallEvent, Event, RequestId};
use crate::json;
use crate::message::{CallId, ProviderState, ToolCall};
use crate::partial_json::{ArgumentStream, PlannedFile};
use crate::provider::{Delta, StopReason};
use crate::tool::Registry;
use crate::transcript::Transcript;

/// No answer is that long; a server that sends more is not listened to any further.
const MOST_BYTES: usize = 32 << 20;
/// So much of what a model thinks aloud in one answer is shown.
const MOST_REASONING: usize = 4 << 20;
/// No answer makes that many calls.
const MOST_CALLS: usize = 256;

/// An answer of which a part has come.
#[derive(Debug, Default)]
pub(in crate::session) struct Reply {
    request: RequestId,
    text: String,
    calls: Vec<Incoming>,
    kept: Vec<ProviderState>,
    /// Bytes of these, and of those that were too many.
    kept_bytes: usize,
    /// Where the newest call with an index of the provider's is in `calls`.
    places: HashMap<usize, usize>,
    ids: HashSet<CallId>,
    stop: Option<StopReason>,
    bytes: usize,
    /// Bytes of what the model thought aloud.
    reasoned: usize,
}

/// A call whose arguments come in.
#[derive(Debug)]
struct Incoming {
    call: ToolCall,
    /// The id that the provider gave, which may not be unique.
    given: CallId,
    /// Reads along, for tools that edit.
    preview: Option<Preview>,
    /// True once the user has stopped it.
    stopped: bool,
}

/// A call that was stopped before its answer was whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Stopped {
    /// Its arguments were still coming in.
    Streaming,
    /// Others have come after it.
    Whole,
}

/// What is shown of a call before it is whole.
#[derive(Debug, Default)]
struct Preview {
    arguments: ArgumentStream,
    first: FirstFile,
    /// How many files after the first were told.
    more: usize,
    lines: u64,
}

/// What was told of the first file of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FirstFile {
    #[default]
    Untold,
    /// The description, before there is a path.
    Described,
    /// The path, before there is a description.
    Named,
    /// Both.
    Announced,
}

/// The parts of a whole answer.
#[derive(Debug)]
pub(in crate::session) struct Whole {
    pub(in crate::session) text: String,
    pub(in crate::session) calls: Vec<ToolCall>,
    /// Those of the calls that the user has stopped.
    pub(in crate::session) stopped: HashSet<CallId>,
    pub(in crate::session) kept: Vec<ProviderState>,
    pub(in crate::session) stop: Option<StopReason>,
}

impl Whole {
    /// Tells whether nothing came.
    pub(in crate::session) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty()
    }
}

impl Reply {
    /// Returns the answer to a request of which nothing has come.
    pub(in crate::session) fn new(request: RequestId) -> Self {
        Self {
            request,
            ..Self::default()
        }
    }

    /// Returns which request this answers.
    pub(in crate::session) fn request(&self) -> RequestId {
        self.request
    }

    /// Returns how many bytes have come.
    pub(in crate::session) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Tells whether more has come than any answer holds.
    pub(in crate::session) fn is_too_long(&self) -> bool {
        self.bytes > MOST_BYTES || self.calls.len() > MOST_CALLS
    }

    /// Takes the next piece and returns what there is to see of it.
    pub(in crate::session) fn push(
        &mut self,
        delta: Delta,
        transcript: &Transcript,
        tools: &Registry,
    ) -> Vec<Event> {
        match delta {
            Delta::Text { text } => self.push_text(text),
            Delta::Reasoning { text } => self.reason(text),
            Delta::CallStarted { index, id, name } => {
                self.start_call(index, id, name, transcript, tools)
            }
            Delta::CallArguments { index, fragment } => {
                let events = self.push_arguments(index, &fragment).into_iter();
                events.map(Event::from).collect()
            }
            Delta::Retrying {
                reason,
                attempt,
                wait_ms,
            } => vec![Event::Retrying {
                reason,
                attempt,
                wait_ms,
            }],
            Delta::Keep { origin, value } => {
                self.keep(origin, value);
                Vec::new()
            }
            Delta::Usage(usage) => vec![Event::Used(usage)],
            Delta::Stop { reason } => {
                self.stop = Some(reason);
                Vec::new()
            }
        }
    }

    /// Returns the text of an answer that came to its end and made no call.
    pub(in crate::session) fn text_alone(&self) -> Option<&str> {
        let is_alone = self.stop == Some(StopReason::Stop) && self.calls.is_empty();
        is_alone.then_some(self.text.as_str())
    }

    /// Changes why it ended: calls were found in its text.
    pub(in crate::session) fn end_with(&mut self, reason: StopReason) {
        self.stop = Some(reason);
    }

    /// Stops a call, or the newest; none if there is no such call.
    pub(in crate::session) fn stop_call(&mut self, wanted: Option<&CallId>) -> Option<Stopped> {
        let newest = self.calls.len().checked_sub(1)?;
        let place = match wanted {
            Some(id) => self.calls.iter().position(|one| one.call.id == *id)?,
            None => newest,
        };
        let one = self.calls.get_mut(place).filter(|one| !one.stopped)?;
        one.stopped = true;
        Some(if place == newest && self.stop.is_none() {
            Stopped::Streaming
        } else {
            Stopped::Whole
        })
    }

    /// Returns what came, and the intents of calls that never gave a description.
    pub(in crate::session) fn finish(self) -> (Whole, Vec<CallEvent>) {
        let unannounced = self.calls.iter().flat_map(Incoming::plain_intents);
        let events = unannounced.collect();
        let stopped = self.calls.iter().filter(|one| one.stopped);
        let whole = Whole {
            text: self.text,
            stopped: stopped.map(|one| one.call.id.clone()).collect(),
            calls: self.calls.into_iter().map(Incoming::into_call).collect(),
            kept: self.kept,
            stop: self.stop,
        };
        (whole, events)
    }

    fn push_text(&mut self, text: String) -> Vec<Event> {
        if text.is_empty() {
            return Vec::new();
        }
        self.bytes += text.len();
        self.text += &text;
        vec![Event::Text { text }]
    }

    fn reason(&mut self, text: String) -> Vec<Event> {
        self.bytes += text.len();
        self.reasoned += text.len();
        if self.reasoned <= MOST_REASONING {
            vec![Event::Reasoning { text }]
        } else {
            Vec::new()
        }
    }

    fn keep(&mut self, origin: String, value: Value) {
        let one = ProviderState {
            origin,
            after_text: self.text.len(),
            after_calls: self.calls.len(),
            value,
        };
        let bytes = one.bytes();
        self.bytes += bytes;
        self.kept_bytes += bytes;
        if self.kept_bytes <= ProviderState::MOST_BYTES {
            self.kept.push(one);
        }
    }

    fn start_call(
        &mut self,
        index: usize,
        given: CallId,
        name: String,
        transcript: &Transcript,
        tools: &Registry,
    ) -> Vec<Event> {
        let name = tools.meant_name(&name).map_or(name, str::to_owned);
        let place = self.places.get(&index).copied();
        if place
            .and_then(|place| self.calls.get(place))
            .is_some_and(|one| one.given == given && one.call.name == name)
        {
            return Vec::new();
        }
        let id = transcript.fresh(&given, &self.ids);
        self.ids.insert(id.clone());
        self.places.insert(index, self.calls.len());
        self.bytes += name.len() + given.0.len();
        let event = CallEvent::Started {
            call: id.clone(),
            tool: name.clone(),
        };
        self.calls.push(Incoming {
            preview: announces(tools, &name).then(Preview::default),
            stopped: false,
            given,
            call: ToolCall {
                id,
                name,
                arguments: String::new(),
            },
        });
        vec![event.into()]
    }

    fn push_arguments(&mut self, index: usize, fragment: &str) -> Vec<CallEvent> {
        let place = self.places.get(&index);
        let Some(one) = place.and_then(|place| self.calls.get_mut(*place)) else {
            return Vec::new();
        };
        self.bytes += fragment.len();
        one.call.arguments += fragment;
        let call = &one.call.id;
        let preview = one.preview.as_mut();
        preview.map_or_else(Vec::new, |preview| preview.push(call, fragment))
    }
}

impl Incoming {
    /// Servers send nothing for a call without arguments.
    fn into_call(self) -> ToolCall {
        let mut call = self.call;
        if self.stopped {
            call.arguments = self.preview.unwrap_or_default().known();
        }
        if call.arguments.trim().is_empty() {
            call.arguments = "{}".to_owned();
        }
        // From here on all that read the arguments read the same.
        if let Cow::Owned(mended) = json::mended(&call.arguments) {
            call.arguments = mended;
        }
        // Some servers write the text of the arguments as a text once more.
        if let Ok(inner) = serde_json::from_str::<String>(&call.arguments)
            && serde_json::from_str::<Map<String, Value>>(&inner).is_ok()
        {
            call.arguments = inner;
        }
        call
    }

    /// Returns the intents of files that came without a description.
    fn plain_intents(&self) -> Vec<CallEvent> {
        let Some(preview) = self.preview.as_ref().filter(|_| !self.stopped) else {
            return Vec::new();
        };
        let first = Some(preview.arguments.first());
        let first = first.filter(|_| preview.first != FirstFile::Announced);
        let rest = preview.arguments.more().iter().skip(preview.more);
        first
            .into_iter()
            .chain(rest)
            .filter_map(|planned| planned_intent(&self.call.id, planned))
            .collect()
    }
}

impl Preview {
    /// Returns what is known of a call's arguments, as arguments.
    fn known(&self) -> String {
        let PlannedFile {
            path,
            operation,
            description,
        } = self.arguments.first();
        let known = serde_json::json!({
            "path": path,
            "operation": operation,
            "description": description,
        });
        known.to_string()
    }

    fn push(&mut self, call: &CallId, fragment: &str) -> Vec<CallEvent> {
        self.arguments.push(fragment);
        let mut events: Vec<CallEvent> = self.intent(call).into_iter().collect();
        events.extend(self.more(call));
        let lines = self.arguments.lines();
        if lines >= next_mark(self.lines) {
            self.lines = lines;
            let call = call.clone();
            events.push(CallEvent::Progress { call, lines });
        }
        events
    }

    /// Returns the intents of files after the first of which all is known, or after which another
    /// has begun.
    fn more(&mut self, call: &CallId) -> Vec<CallEvent> {
        let mut events = Vec::new();
        let files = self.arguments.more();
        while let Some(planned) = files.get(self.more) {
            let whole = planned.path.is_some() && planned.description.is_some();
            if !whole && self.more + 1 == files.len() {
                break;
            }
            events.extend(planned_intent(call, planned));
            self.more += 1;
        }
        events
    }

    /// Returns what is newly known of the intent: the path or the description alone, then all of
    /// it.
    fn intent(&mut self, call: &CallId) -> Option<CallEvent> {
        let planned = self.arguments.first();
        let known = match (&planned.path, &planned.description) {
            (None, None) => FirstFile::Untold,
            (None, Some(_)) => FirstFile::Described,
            (Some(_), None) => FirstFile::Named,
            (Some(_), Some(_)) => FirstFile::Announced,
        };
        if std::mem::replace(&mut self.first, known) == known {
            return None;
        }
        match known {
            FirstFile::Described => {
                planned
                    .description
                    .clone()
                    .map(|description| CallEvent::Described {
                        call: call.clone(),
                        description,
                    })
            }
            FirstFile::Named => planned.path.clone().map(|path| CallEvent::Named {
                call: call.clone(),
                path,
            }),
            FirstFile::Untold | FirstFile::Announced => planned_intent(call, planned),
        }
    }
}

/// Returns the intent of a file, if it has a name.
fn planned_intent(call: &CallId, planned: &PlannedFile) -> Option<CallEvent> {
    let path = planned.path.clone()?;
    Some(CallEvent::Intent {
        call: call.clone(),
        description: planned.description.clone().unwrap_or_default(),
        operation: planned.operation,
        path,
    })
}

/// Returns the line count that is worth telling next: each of the first, then ever fewer, so that
/// few events tell of however many lines.
fn next_mark(told: u64) -> u64 {
    told + 1 + told / 50
}

#[cfg(test)]
mod tests;
