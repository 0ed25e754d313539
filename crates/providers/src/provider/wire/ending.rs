//! Stop reasons.
//!
//! In: what the server says of the end, in any order. Out: usage and stop, once, at the end; or
//! one error.

use super::Decoded;
use crate::provider::{Delta, ProviderError, StopReason, Usage};

/// What is known of the end of an answer.
#[derive(Clone, Debug, Default)]
pub(in crate::provider) struct Ending {
    stop: Option<StopReason>,
    usage: Option<Usage>,
    called: bool,
    ended: bool,
}

impl Ending {
    /// Notes that a call has begun.
    pub(in crate::provider) fn called(&mut self) {
        self.called = true;
    }

    /// Notes why the answer ends; it may still be followed by usage.
    pub(in crate::provider) fn stop(&mut self, reason: StopReason) {
        self.stop = Some(reason);
    }

    /// Notes what the request took so far. A server that counts nothing says zero, which would
    /// pass for a conversation without length.
    pub(in crate::provider) fn count(&mut self, usage: Usage) {
        if usage != Usage::default() {
            self.usage = Some(usage);
        }
    }

    /// Returns what the request took so far.
    pub(in crate::provider) fn counted(&self) -> Usage {
        self.usage.unwrap_or_default()
    }

    /// Ends the answer well.
    pub(in crate::provider) fn end(&mut self, out: &mut Decoded) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let reason = match self.stop.take() {
            None | Some(StopReason::Stop) if self.called => StopReason::ToolCalls,
            reason => reason.unwrap_or(StopReason::Stop),
        };
        let usage = self.usage.take().map(Delta::Usage);
        out.extend(usage.into_iter().chain([Delta::Stop { reason }]).map(Ok));
    }

    /// Ends the answer where the connection ended: well only if the model was done.
    pub(in crate::provider) fn break_off(&mut self, out: &mut Decoded) {
        if self.ended || self.stop.is_some() {
            return self.end(out);
        }
        out.extend(self.usage.take().map(Delta::Usage).map(Ok));
        let detail = "the connection ended before the answer did".to_owned();
        self.fail(ProviderError::Cut { detail }, out);
    }

    /// Ends the answer with an error.
    pub(in crate::provider) fn fail(&mut self, error: ProviderError, out: &mut Decoded) {
        if !std::mem::replace(&mut self.ended, true) {
            out.push(Err(error));
        }
    }

    /// Tells whether the model has said that it is done.
    pub(in crate::provider) fn is_closing(&self) -> bool {
        self.stop.is_some()
    }

    /// Tells whether nothing can come any more.
    pub(in crate::provider) fn is_ended(&self) -> bool {
        self.ended
    }
}
