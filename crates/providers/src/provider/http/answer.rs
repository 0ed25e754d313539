//! HTTP answer: bytes to deltas.
//!
//! In: the body of a response in pieces, of a server that streams or does not. Out: what the
//! protocol's decoder makes of it. What the server calls its content is not believed: many are wrong.

use crate::provider::lines::JsonLines;
use crate::provider::protocol::Framing;
use crate::provider::sse::{Frame, Frames, TooLong};
use crate::provider::wire::Decode;
use crate::provider::{Delta, ProviderError};

/// The longest event or whole answer that is read: a server that never ends a line would fill the memory.
const MAX_BYTES: usize = 32 << 20;

/// The most bytes that a stream has: those of the longest answers, a token an event, are a tenth.
const MAX_STREAM: usize = 512 << 20;

/// An answer that is being read.
#[derive(Debug)]
pub(crate) struct AnswerReader {
    decoder: Box<dyn Decode>,
    framing: Framing,
    shape: Shape,
    /// Bytes that have come.
    bytes: usize,
}

#[derive(Debug)]
enum Shape {
    /// Nothing but blanks has come.
    Unknown,
    Stream(Frames),
    Lines(JsonLines),
    Whole(Vec<u8>),
    Page,
}

impl AnswerReader {
    /// Returns an answer of which nothing has come.
    pub(crate) fn new(decoder: Box<dyn Decode>, framing: Framing) -> Self {
        Self {
            decoder,
            framing,
            shape: Shape::Unknown,
            bytes: 0,
        }
    }

    /// Takes the next bytes of the body.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> Vec<Result<Delta, ProviderError>> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > MAX_STREAM {
            return vec![Err(malformed(&TooLong { limit: MAX_STREAM }.to_string()))];
        }
        if let Shape::Unknown = self.shape {
            bytes = bytes.trim_ascii_start();
            self.shape = match bytes.first() {
                None => Shape::Unknown,
                Some(b'{') if self.framing == Framing::Lines => {
                    Shape::Lines(JsonLines::new(MAX_BYTES))
                }
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
            Shape::Lines(lines) => {
                let lines = lines.push(bytes);
                self.read_lines(lines)
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
    pub(crate) fn finish(&mut self) -> Vec<Result<Delta, ProviderError>> {
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
            Shape::Lines(lines) => {
                let last = lines.finish();
                let mut out = self.read_lines(last.into_iter().collect());
                out.extend(self.decoder.finish());
                out
            }
            Shape::Unknown | Shape::Page => self.decoder.finish(),
        }
    }

    /// Tells whether the model has said that it is done; only usage may still come.
    pub(crate) fn is_closing(&self) -> bool {
        self.decoder.is_closing()
    }

    /// Tells whether nothing can come any more.
    pub(crate) fn is_ended(&self) -> bool {
        self.decoder.is_ended()
    }

    fn read_lines(
        &mut self,
        lines: Vec<Result<String, TooLong>>,
    ) -> Vec<Result<Delta, ProviderError>> {
        let mut out = Vec::new();
        for line in lines {
            match line {
                Ok(line) => out.extend(self.decoder.push(&line)),
                Err(error) => out.push(Err(malformed(&error.to_string()))),
            }
        }
        out
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
