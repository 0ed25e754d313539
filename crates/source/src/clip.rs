//! Clips texts to bounds without breaking a character.
//!
//! ```text
//! split("grün", 3)  ->  ("gr", "ün")     byte 3 is inside of the ü
//! ```

/// Returns the longest beginning of a text that has at most `most` bytes, and the rest.
pub fn split(text: &str, most: usize) -> (&str, &str) {
    text.split_at(text.floor_char_boundary(most))
}

/// Returns the longest beginning of a text that has at most `most` bytes.
pub fn head(text: &str, most: usize) -> &str {
    split(text, most).0
}

/// Returns the longest end of a text that has at most `most` bytes.
pub fn tail(text: &str, most: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(most));
    text.split_at(start).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_clipped_before_the_character_that_does_not_fit() {
        assert_eq!(split("gr\u{fc}n", 3), ("gr", "\u{fc}n"));
        assert_eq!(split("gr\u{fc}n", 4), ("gr\u{fc}", "n"));
        assert_eq!((head("ab", 9), head("ab", 0)), ("ab", ""));
        assert_eq!((tail("n\u{fc}rg", 3), tail("ab", 9)), ("rg", "ab"));
    }
}
