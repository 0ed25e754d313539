//! JSON lines, as Ollama streams them.
//!
//! In: bytes in pieces of any size. Out: lines that are not blank.

use super::sse::TooLong;

/// Splits a stream of bytes into lines, in time linear in the bytes.
#[derive(Debug)]
pub struct JsonLines {
    limit: usize,
    line: Vec<u8>,
    failed: bool,
}

impl JsonLines {
    /// Returns a splitter that accepts lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            failed: false,
        }
    }

    /// Takes the next bytes and returns the lines that they complete; an error is the last.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<Result<String, TooLong>> {
        let mut out = Vec::new();
        while let Some(end) = bytes.iter().position(|&b| b == b'\n') {
            let (line, rest) = bytes.split_at(end);
            self.hold(line, &mut out);
            out.extend(self.take());
            bytes = rest.strip_prefix(b"\n").unwrap_or_default();
        }
        self.hold(bytes, &mut out);
        out
    }

    /// Ends the stream; a line that lacks only its end counts.
    pub fn finish(&mut self) -> Option<Result<String, TooLong>> {
        self.take()
    }

    fn hold(&mut self, bytes: &[u8], out: &mut Vec<Result<String, TooLong>>) {
        if self.failed {
            return;
        }
        if self.line.len() + bytes.len() > self.limit {
            self.failed = true;
            self.line = Vec::new();
            return out.push(Err(TooLong { limit: self.limit }));
        }
        self.line.extend_from_slice(bytes);
    }

    fn take(&mut self) -> Option<Result<String, TooLong>> {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_ascii();
        (!line.is_empty()).then(|| Ok(String::from_utf8_lossy(line).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]], limit: usize) -> Vec<Result<String, TooLong>> {
        let mut lines = JsonLines::new(limit);
        let mut out: Vec<_> = pieces.iter().flat_map(|piece| lines.push(piece)).collect();
        out.extend(lines.finish());
        out
    }

    #[test]
    fn lines_of_all_kinds() {
        let seen: Vec<String> = read(&[b"{\"a\":1}\r\n\n  \n{\"b\":\"\xc3\xa9\"}\n{}"], 100)
            .into_iter()
            .map(Result::unwrap)
            .collect();
        assert_eq!(seen, ["{\"a\":1}", "{\"b\":\"é\"}", "{}"]);
        assert_eq!(
            read(&[b"{}\n0123456789"], 8).last(),
            Some(&Err(TooLong { limit: 8 }))
        );
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_lines(
            text in "[a{}\n\ré ]{0,60}",
            cuts in prop::collection::vec(0usize..200, 0..20),
            limit in 4usize..40,
        ) {
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
