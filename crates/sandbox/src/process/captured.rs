//! Captured output, bounded.
//!
//! In: pieces of any size. Out: as many bytes as are wanted, and how many there were.

/// The first bytes of a stream, and how many there were in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    kept: Vec<u8>,
    most: usize,
    total: u64,
}

/// What stands behind text that was cut.
const CUT: &str = "... (truncated)";

impl Captured {
    /// Returns an empty capture that keeps at most this many bytes.
    pub fn new(most: usize) -> Self {
        Self {
            kept: Vec::new(),
            most,
            total: 0,
        }
    }

    /// Takes the next piece.
    pub fn push(&mut self, piece: &[u8]) {
        self.total += piece.len() as u64;
        let room = self.most.saturating_sub(self.kept.len()).min(piece.len());
        self.kept
            .extend_from_slice(piece.get(..room).unwrap_or_default());
    }

    /// Returns how many bytes there were, those not kept included.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Tells whether there were more bytes than are kept.
    pub fn is_cut(&self) -> bool {
        self.total > self.kept.len() as u64
    }

    /// Returns the bytes that were kept.
    pub fn bytes(&self) -> &[u8] {
        &self.kept
    }

    /// Returns the text, with a mark at its end if it was cut; bytes that are no text are
    /// replaced.
    pub fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.kept).into_owned();
        if self.is_cut() {
            // A character cut in two is not the program's fault.
            while text.ends_with('\u{fffd}') {
                text.pop();
            }
            text += CUT;
        }
        text
    }
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
    fn the_beginning_is_kept_and_the_rest_counted() {
        check(&[], 4, "");
        check(&["ab", "cd"], 4, "abcd");
        check(&["ab", "cde"], 4, "abcd... (truncated)");
        check(&["abcdef", "gh"], 4, "abcd... (truncated)");
        check(&["abü"], 3, "ab... (truncated)");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let mut captured = Captured::new(10);
        captured.push(b"a\xffb");
        assert_eq!(captured.text(), "a\u{fffd}b");
    }
}
