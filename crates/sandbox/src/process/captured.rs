//! Captured output, bounded: its beginning and its end.
//!
//! In: pieces of any size. Out: as many bytes as are wanted, and how many there were.
//!
//! ```text
//! seq 1 2000000, of which 24 bytes are kept:
//!
//! 1
//! ..                            a command says at its beginning what it does,
//! 6
//! ... (14888876 bytes left out)
//! 2000000                       at its end what came of it
//! ```

use std::collections::VecDeque;

/// The first and the last bytes of a stream, and how many there were in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// All bytes, or the first of too many.
    head: Vec<u8>,
    /// The last of too many.
    tail: VecDeque<u8>,
    most: usize,
    total: u64,
}

impl Captured {
    /// Returns an empty capture that keeps at most this many bytes.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    /// Takes the next piece.
    pub fn push(&mut self, piece: &[u8]) {
        let was_cut = self.is_cut();
        self.total += piece.len() as u64;
        if !self.is_cut() {
            self.head.extend_from_slice(piece);
            return;
        }
        if !was_cut {
            // What was held whole comes apart.
            self.tail = self
                .head
                .split_off(self.head.len().min(self.most / 2))
                .into();
        }
        let room = (self.most / 2).saturating_sub(self.head.len());
        let (beginning, rest) = piece.split_at(room.min(piece.len()));
        self.head.extend_from_slice(beginning);
        let last = self.most - self.most / 2;
        self.tail
            .extend(rest.iter().skip(rest.len().saturating_sub(last)));
        self.tail.drain(..self.tail.len().saturating_sub(last));
    }

    /// Returns how many bytes there were, those not kept included.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Tells whether there were more bytes than are kept.
    pub fn is_cut(&self) -> bool {
        self.total > self.most as u64
    }

    /// Returns all bytes, or the first of too many.
    pub fn bytes(&self) -> &[u8] {
        &self.head
    }

    /// Returns the text, with a line in the place of what was not kept; bytes that are no text are replaced.
    pub fn text(&self) -> String {
        if !self.is_cut() {
            return String::from_utf8_lossy(&self.head).into_owned();
        }
        let tail = Vec::from(self.tail.clone());
        let (head, tail) = (first_lines(&self.head), last_lines(&tail));
        let left_out = self.total - (head.len() + tail.len()) as u64;
        let is_line = head.last().is_none_or(|last| *last == b'\n');
        let line_end = if is_line { "" } else { "\n" };
        let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
        format!("{head}{line_end}... ({left_out} bytes left out)\n{tail}")
    }
}

/// Returns the lines that are whole; of a single line the characters that are.
fn first_lines(head: &[u8]) -> &[u8] {
    let end = match head.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => end + 1,
        None => {
            head.len()
                - head
                    .utf8_chunks()
                    .last()
                    .map_or(0, |last| last.invalid().len())
        }
    };
    head.get(..end).unwrap_or(head)
}

/// Returns the lines that are whole; of a single line the characters that are.
fn last_lines(tail: &[u8]) -> &[u8] {
    let after_line = tail
        .iter()
        .position(|byte| *byte == b'\n')
        .map(|end| end + 1);
    let start = after_line.filter(|start| *start < tail.len());
    // A character that was cut goes on with bytes of this kind.
    let start = start.or_else(|| tail.iter().position(|byte| *byte & 0xc0 != 0x80));
    tail.get(start.unwrap_or(0)..).unwrap_or(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[&str], most: usize, expected: &str) {
        let mut captured = Captured::new(most);
        for piece in pieces {
            captured.push(piece.as_bytes());
        }
        assert_eq!(captured.text(), expected);
        let total: usize = pieces.iter().map(|piece| piece.len()).sum();
        assert_eq!(captured.total(), total as u64);
        assert_eq!(captured.is_cut(), total > most);
    }

    #[test]
    fn the_beginning_and_the_end_are_kept_and_the_rest_counted() {
        check(&[], 4, "");
        check(&["ab", "cd"], 4, "abcd");
        check(&["ab", "cdef"], 4, "ab\n... (2 bytes left out)\nef");
        check(&["abcdef", "gh"], 4, "ab\n... (4 bytes left out)\ngh");
        check(&["a", "bcdefg", "h"], 4, "ab\n... (4 bytes left out)\ngh");
        check(&["abcd", "e", "f"], 4, "ab\n... (2 bytes left out)\nef");
        check(&["x", "y"], 0, "... (2 bytes left out)\n");
        // A character is kept whole or not at all.
        check(&["aüb", "cü"], 4, "a\n... (4 bytes left out)\nü");
    }

    #[test]
    fn lines_are_left_out_whole() {
        check(
            &["1\n2\n3", "3\n4\n55\n", "66\n"],
            10,
            "1\n2\n... (8 bytes left out)\n66\n",
        );
        // The end of a line that is longer than what is kept.
        check(&["abcdefgh\n"], 6, "abc\n... (3 bytes left out)\ngh\n");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let mut captured = Captured::new(10);
        captured.push(b"a\xffb");
        assert_eq!(captured.text(), "a\u{fffd}b");
    }
}
