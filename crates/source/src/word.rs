//! Words of code: what most languages take for a part of a name.
//!
//! In: a character, or a text. Out: whether it is one.

/// Tells whether a character is part of a word: a letter, a digit or `_`.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Tells whether a character is part of an identifier: of a word, or `$`, as in JavaScript and PHP.
pub fn is_identifier_part(c: char) -> bool {
    is_word(c) || c == '$'
}

/// Tells whether a text is an identifier: parts of one that do not begin with a digit.
pub fn is_identifier(text: &str) -> bool {
    text.chars().all(is_identifier_part) && text.starts_with(|first: char| !first.is_ascii_digit())
}

/// Returns the words of a table: rows of words with blanks between them.
pub fn listed<'t>(rows: &[&'t str]) -> impl Iterator<Item = &'t str> {
    rows.iter().flat_map(|row| row.split(' '))
}

/// Tells whether a word is one of those in a table.
pub fn is_listed(word: &str, rows: &[&str]) -> bool {
    listed(rows).any(|own| own == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_words_that_begin_with_no_digit() {
        for (text, expected) in [
            ("a", true),
            ("_a1", true),
            ("$scope", true),
            ("gr\u{fc}n", true),
            ("", false),
            ("1a", false),
            ("a b", false),
            ("a-b", false),
        ] {
            assert_eq!(is_identifier(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_word_is_listed_where_it_stands_whole_in_a_row() {
        let rows = ["if else", "while"];
        assert!(
            ["if", "else", "while"]
                .iter()
                .all(|word| is_listed(word, &rows))
        );
        assert!(
            ["", "els", "if else"]
                .iter()
                .all(|word| !is_listed(word, &rows))
        );
    }
}
