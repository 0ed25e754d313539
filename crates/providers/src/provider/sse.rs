//! Server-sent events.
//!
//! In: bytes in pieces of any size. Out: [`Frame`]s. Fields `id` and `retry` are ignored:
//! nobody may reconnect to a paid request by itself.

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The event's name; empty where the server gave none.
    pub event: String,
    /// Its data, lines joined by a line feed.
    pub data: String,
}

/// An event was longer than allowed; nothing after it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("one event is longer than {limit} bytes")]
pub struct TooLong {
    /// The limit.
    pub limit: usize,
}

/// Splits a stream of bytes into frames, in time linear in the bytes.
#[derive(Debug)]
pub struct Frames {
    limit: usize,
    line: Vec<u8>,
    event: String,
    /// None until the event has a data field, which may be empty.
    data: Option<String>,
    /// The last line ended in a carriage return: a line feed that follows belongs to it.
    after_cr: bool,
    first_line: bool,
    failed: bool,
}

impl Frames {
    /// Returns a parser that accepts events of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: String::new(),
            data: None,
            after_cr: false,
            first_line: true,
            failed: false,
        }
    }

    /// Takes the next bytes and returns the events that they complete; an error is the last.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<Result<Frame, TooLong>> {
        let mut out = Vec::new();
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while !self.failed
            && let Some(end) = bytes.iter().position(|b| matches!(b, b'\n' | b'\r'))
        {
            let (line, rest) = bytes.split_at(end);
            self.end_line(line, &mut out);
            bytes = match rest {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
        }
        if !self.failed && self.fits(bytes.len(), &mut out) {
            self.line.extend_from_slice(bytes);
        }
        out
    }

    /// Ends the stream; an event that lacks only its blank line counts.
    pub fn finish(&mut self) -> Vec<Result<Frame, TooLong>> {
        let mut out = Vec::new();
        if !self.failed && !self.line.is_empty() {
            self.end_line(&[], &mut out);
        }
        if !self.failed {
            self.dispatch(&mut out);
        }
        out
    }

    fn end_line(&mut self, tail: &[u8], out: &mut Vec<Result<Frame, TooLong>>) {
        if !self.fits(tail.len(), out) {
            return;
        }
        let mut held = std::mem::take(&mut self.line);
        if held.is_empty() {
            self.read_line(tail, out);
        } else {
            held.extend_from_slice(tail);
            self.read_line(&held, out);
            held.clear();
            self.line = held;
        }
    }

    fn fits(&mut self, more: usize, out: &mut Vec<Result<Frame, TooLong>>) -> bool {
        let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if held + more <= self.limit {
            return true;
        }
        self.failed = true;
        self.line = Vec::new();
        self.data = None;
        out.push(Err(TooLong { limit: self.limit }));
        false
    }

    fn read_line(&mut self, mut line: &[u8], out: &mut Vec<Result<Frame, TooLong>>) {
        if std::mem::take(&mut self.first_line) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch(out);
        }
        let colon = line.iter().position(|&b| b == b':');
        let (field, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match field {
            b"data" => self.add_data(&value),
            b"event" => self.event = value.into_owned(),
            // Older llama.cpp servers name the field, not the event.
            b"error" => {
                self.event = "error".to_owned();
                self.add_data(&value);
            }
            _ => {}
        }
    }

    fn add_data(&mut self, value: &str) {
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
    }

    fn dispatch(&mut self, out: &mut Vec<Result<Frame, TooLong>>) {
        let event = std::mem::take(&mut self.event);
        if let Some(data) = self.data.take() {
            out.push(Ok(Frame { event, data }));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMIT: usize = 1 << 20;

    fn read(pieces: &[&[u8]], limit: usize) -> Vec<Result<Frame, TooLong>> {
        let mut frames = Frames::new(limit);
        let mut out: Vec<_> = pieces.iter().flat_map(|piece| frames.push(piece)).collect();
        out.extend(frames.finish());
        out
    }

    #[track_caller]
    fn check(input: &str, expected: &[&str]) {
        let data: Vec<String> = read(&[input.as_bytes()], LIMIT)
            .into_iter()
            .map(|frame| frame.unwrap())
            .map(|Frame { event, data }| {
                if event.is_empty() {
                    data
                } else {
                    format!("{event}|{data}")
                }
            })
            .collect();
        assert_eq!(data, expected);
    }

    #[test]
    fn fields_and_line_ends() {
        check("data: a\n\ndata: b\n\n", &["a", "b"]);
        check("data: a\r\n\r\ndata:b\r\rdata: c\n\n", &["a", "b", "c"]);
        check("data: a\ndata: b\n\n", &["a\nb"]);
        check("data:  two blanks\n\n", &[" two blanks"]);
        check(": keep-alive\n\ndata: a\n: comment\n\n", &["a"]);
        check(
            "id: 1\nretry: 5\nevent: error\ndata: a\n\ndata: b\n\n",
            &["error|a", "b"],
        );
        check("error: {}\n\n", &["error|{}"]);
        check("event: ping\n\n", &[]);
        check("data\n\n", &[""]);
        check("data:\n\n", &[""]);
        check("database: x\n\n", &[]);
        check("\u{feff}data: a\n\n", &["a"]);
        check("data: a: b\n\n", &["a: b"]);
        check("", &[]);
        check("\n\n\n", &[]);
    }

    #[test]
    fn the_last_event_needs_no_blank_line() {
        check("data: a\n\ndata: [DONE]", &["a", "[DONE]"]);
        check("data: a\n", &["a"]);
    }

    #[test]
    fn characters_and_line_ends_may_be_split() {
        let whole = "data: grüße\r\n\r\ndata: 🦀\r\n\r\n".as_bytes();
        let bytes: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(read(&bytes, LIMIT), read(&[whole], LIMIT));
        assert_eq!(read(&bytes, LIMIT).len(), 2);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let frames = read(&[b"data: a\xffb\n\n"], LIMIT);
        assert_eq!(frames[0].as_ref().unwrap().data, "a\u{fffd}b");
    }

    #[test]
    fn an_event_over_the_limit_ends_the_stream() {
        let mut frames = Frames::new(16);
        assert_eq!(frames.push(b"data: ok\n\n").len(), 1);
        assert_eq!(
            frames.push(b"data: 0123456789abcdef"),
            [Err(TooLong { limit: 16 })]
        );
        assert_eq!(frames.push(b"\n\ndata: a\n\n"), []);
        assert_eq!(frames.finish(), []);
    }

    #[test]
    fn ten_megabytes_in_small_pieces_are_one_event() {
        let mut frames = Frames::new(16 << 20);
        frames.push(b"data: ");
        let piece = [b'x'; 64];
        for _ in 0..10 * 1024 * 1024 / piece.len() {
            assert!(frames.push(&piece).is_empty());
        }
        let done = frames.push(b"\n\n");
        assert_eq!(done[0].as_ref().unwrap().data.len(), 10 * 1024 * 1024);
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_frames(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "data", ":", " ", "a", "é🦀", "\r", "\n", "\r\n", "\n\n", "event", "error", "\u{feff}", "{}",
                ]),
                0..40,
            ),
            cuts in prop::collection::vec(0usize..200, 0..20),
            limit in 8usize..64,
        ) {
            let text = parts.concat();
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for cut in cuts.into_iter().chain([bytes.len()]) {
                pieces.push(&bytes[from..cut]);
                from = cut;
            }
            prop_assert_eq!(read(&pieces, limit), read(&[bytes], limit));
        }
    }
}
