//! Mentions: the word behind an `@` that the cursor is in.
//!
//! ```text
//! explain @src/ma|        the mention is @src/ma
//! mail me@example.com|    is none: the @ is within a word
//! ```

use std::ops::Range;

/// Returns the bytes of the mention that the cursor is in or behind, its `@` first.
pub(crate) fn at(text: &str, cursor: usize) -> Option<Range<usize>> {
    let (head, tail) = text.split_at_checked(cursor)?;
    let word = head.rfind(|c| !is_part(c));
    let start = word.map_or(0, |at| {
        at + head[at..].chars().next().map_or(1, char::len_utf8)
    });
    head.get(start..)?.strip_prefix('@')?;
    let end = tail.find(|c| !is_part(c)).unwrap_or(tail.len());
    Some(start..cursor + end)
}

/// Returns true if a character may be in the name of a file or a definition as prompts are read.
pub(crate) fn is_part(c: char) -> bool {
    c.is_alphanumeric() || "_-./@+:".contains(c)
}

/// Returns a path as a prompt mentions it: in backticks if it has characters that end a word.
pub(crate) fn of(path: &str) -> String {
    if path.chars().all(is_part) {
        format!("@{path}")
    } else {
        format!("`@{path}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_begins_a_word() {
        let check = |text: &str, expected: Option<&str>| {
            let cursor = text.find('|').unwrap();
            let text = text.replace('|', "");
            let found = at(&text, cursor).map(|span| &text[span]);
            assert_eq!(found, expected, "{text}");
        };
        check("@|", Some("@"));
        check("explain @src/ma|", Some("@src/ma"));
        check("explain (@sr|c/ma), then", Some("@src/ma"));
        check("漢字 @a|", Some("@a"));
        check("mail me@example.com|", None);
        check("@a b|", None);
        check("|@a", None);
        check("a\n@x|", Some("@x"));
        assert_eq!(of("a/b.rs"), "@a/b.rs");
        assert_eq!(of("app/[id]/page.tsx"), "`@app/[id]/page.tsx`");
    }
}
