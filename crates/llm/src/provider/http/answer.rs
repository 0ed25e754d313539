//! One answer, from bytes to deltas.
//!
//! In: the body of a response in pieces, of a server that streams or does not. Out: what
//! [`Decoder`] makes of it. What the server calls its content is not believed: many are wrong.

use crate::provider::openai::Decoder;
use crate::provider::sse::{Frame, Frames, TooLong};
use crate::provider::{Delta, ProviderError};

/// The longest event or whole answer that is read.
const MAX_BYTES: usize = 32 << 20;

/// An answer that is being read.
#[derive(Debug)]
pub(super) struct Answer {
    decoder: Decoder,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    /// Nothing but blanks has come.
    Unknown,
    Stream(Frames),
    Whole(Vec<u8>),
    Page,
}

impl Answer {
    /// Returns an answer of which nothing has come.
    pub(super) fn new(decoder: Decoder) -> Self {
        Self {
            decoder,
            shape: Shape::Unknown,
        }
    }

    /// Takes the next bytes of the body.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> Vec<Result<Delta, ProviderError>> {
        if let Shape::Unknown = self.shape {
            bytes = bytes.trim_ascii_start();
            self.shape = match bytes.first() {
                None => Shape::Unknown,
                Some(b'{' | b'[') => Shape::Whole(Vec::new()),
                Some(b'<') => Shape::Page,
                Some(_) => Shape::Stream(Frames::new(MAX_BYTES)),
            };
        }
        match &mut self.shape {
            Shape::Unknown => Vec::new(),
            Shape::Stream(frames) => {
                let frames = frames.push(bytes);
                self.read(frames)
            }
            Shape::Whole(body) if body.len() + bytes.len() > MAX_BYTES => {
                vec![Err(malformed(&TooLong { limit: MAX_BYTES }.to_string()))]
            }
            Shape::Whole(body) => {
                body.extend_from_slice(bytes);
                Vec::new()
            }
            Shape::Page => vec![Err(malformed("a web page; is the address right?"))],
        }
    }

    /// Ends the answer where the connection ended.
    pub(super) fn finish(&mut self) -> Vec<Result<Delta, ProviderError>> {
        match &mut self.shape {
            Shape::Whole(body) => {
                let body = String::from_utf8_lossy(body);
                self.decoder.push_whole(&body)
            }
            Shape::Stream(frames) => {
                let frames = frames.finish();
                let mut out = self.read(frames);
                out.extend(self.decoder.finish());
                out
            }
            Shape::Unknown | Shape::Page => self.decoder.finish(),
        }
    }

    /// Tells whether the model has said that it is done; only usage may still come.
    pub(super) fn is_closing(&self) -> bool {
        self.decoder.is_closing()
    }

    /// Tells whether nothing can come any more.
    pub(super) fn is_ended(&self) -> bool {
        self.decoder.is_ended()
    }

    fn read(&mut self, frames: Vec<Result<Frame, TooLong>>) -> Vec<Result<Delta, ProviderError>> {
        let mut out = Vec::new();
        for frame in frames {
            match frame {
                Ok(frame) if frame.event == "error" => {
                    out.extend(self.decoder.push_error(&frame.data))
                }
                Ok(frame) => out.extend(self.decoder.push(&frame.data)),
                Err(error) => out.push(Err(malformed(&error.to_string()))),
            }
        }
        out
    }
}

fn malformed(detail: &str) -> ProviderError {
    ProviderError::Malformed {
        detail: detail.to_owned(),
    }
}
