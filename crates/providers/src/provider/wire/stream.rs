//! The part of decoding that is the same for every protocol whose events are JSON objects.
//!
//! In: the data of events. Out: what a [`Reader`] makes of them; malformed JSON, refusals and
//! the end are handled here.

use serde_json::Value;

use super::{Decode, Decoded, Ending};
use crate::json;
use crate::provider::ProviderError;
use crate::provider::openai::{flat, refusal};

/// What a protocol's events mean.
pub(in crate::provider) trait Reader:
    Clone + std::fmt::Debug + Send + 'static
{
    /// Reads one event, or a whole answer, that is no refusal.
    fn read(&mut self, event: Value, ending: &mut Ending, out: &mut Decoded);

    /// Tells whether an event says that the request failed.
    fn is_refusal(event: &Value) -> bool {
        event.get("error").is_some_and(|error| !error.is_null())
    }
}

/// A stream of events of one protocol.
#[derive(Clone, Debug)]
pub(in crate::provider) struct Events<R> {
    reader: R,
    ending: Ending,
}

impl<R: Reader> Events<R> {
    /// Returns a stream of which nothing has come.
    pub(in crate::provider) fn new(reader: R) -> Self {
        Self {
            reader,
            ending: Ending::default(),
        }
    }

    fn read(&mut self, event: Value, out: &mut Decoded) {
        if R::is_refusal(&event) {
            self.ending.fail(refusal(&event), out);
        } else if !self.ending.is_ended() {
            self.reader.read(event, &mut self.ending, out);
        }
    }

    fn malformed(&mut self, detail: String, out: &mut Decoded) {
        self.ending.fail(ProviderError::Malformed { detail }, out);
    }
}

impl<R: Reader> Decode for Events<R> {
    fn push(&mut self, data: &str) -> Decoded {
        let mut out = Vec::new();
        let data = data.trim();
        if self.ending.is_ended() || data.is_empty() {
            return out;
        }
        if data == "[DONE]" {
            // Some gateways end every protocol as Chat Completions ends.
            self.ending.end(&mut out);
            return out;
        }
        match json::parse(data) {
            Ok(event @ Value::Object(_)) => self.read(event, &mut out),
            Ok(_) => self.malformed(flat(data), &mut out),
            Err(error) => self.malformed(format!("{error}: {}", flat(data)), &mut out),
        }
        out
    }

    fn push_error(&mut self, data: &str) -> Decoded {
        let mut out = Vec::new();
        let value = json::parse(data).unwrap_or_else(|_| Value::from(data));
        self.ending.fail(refusal(&value), &mut out);
        out
    }

    fn push_whole(&mut self, body: &str) -> Decoded {
        let mut out = Vec::new();
        match json::parse(body) {
            Ok(Value::Array(events)) => {
                for event in events {
                    self.read(event, &mut out);
                }
            }
            Ok(event) => self.read(event, &mut out),
            Err(error) => self.malformed(format!("{error}: {}", flat(body)), &mut out),
        }
        if out.is_empty() && !self.ending.is_closing() && !self.ending.is_ended() {
            self.malformed(flat(body), &mut out);
        }
        self.ending.end(&mut out);
        out
    }

    fn finish(&mut self) -> Decoded {
        let mut out = Vec::new();
        self.ending.break_off(&mut out);
        out
    }

    fn is_closing(&self) -> bool {
        self.ending.is_closing()
    }

    fn is_ended(&self) -> bool {
        self.ending.is_ended()
    }

    fn copy(&self) -> Box<dyn Decode> {
        Box::new(self.clone())
    }
}
