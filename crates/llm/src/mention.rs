//! Mentions: files that a prompt names behind an `@`, and the one that the cursor is in.
//!
//! ```text
//! explain @src/ma|        the mention is @src/ma
//! mail me@example.com|    is none: the @ is within a word
//! ```

use std::ops::Range;

/// Returns the bytes of the mention that the cursor is in or behind, its `@` first.
pub fn at(text: &str, cursor: usize) -> Option<Range<usize>> {
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
pub fn is_part(c: char) -> bool {
    c.is_alphanumeric() || "_-./@+:".contains(c)
}

/// Returns a path as a prompt mentions it: in backticks if it has characters that end a word.
pub fn of(path: &str) -> String {
    if path.chars().all(is_part) {
        format!("@{path}")
    } else {
        format!("`@{path}`")
    }
}

/// Returns the paths that a text mentions, in their order: behind an `@` at the start of a word, up to a blank, or all of what
/// is in backticks. Punctuation at the end of a word is not of the path.
pub fn all(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let quotes = text.matches('`').count();
    for (at, part) in text.split('`').enumerate() {
        // A backtick that nothing closes is a character as any other.
        if at % 2 == 1 && at < quotes {
            paths.extend(part.strip_prefix('@').map(str::to_owned));
            continue;
        }
        for word in part.split_whitespace() {
            let word = word.trim_start_matches(['(', '[', '{', '"', '\'', ',']);
            if let Some(path) = word.strip_prefix('@') {
                let ends = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\''];
                paths.push(path.trim_end_matches(ends).to_owned());
            }
        }
    }
    paths.retain(|path| !path.is_empty());
    paths
}

/// Returns whether a path may be one outside of the workspace.
pub fn leads_out(path: &str) -> bool {
    path.starts_with('/') || path.starts_with("~/") || path.split('/').any(|part| part == "..")
}

/// Returns the paths that a text mentions which may be outside of the workspace.
pub fn leading_out(text: &str) -> Vec<String> {
    let mut paths = all(text);
    paths.retain(|path| leads_out(path));
    paths
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
        for (text, expected) in [
            (
                "@a.png and (@b.png), @c.png.",
                &["a.png", "b.png", "c.png"][..],
            ),
            ("`@a b.png` it`s @~/c.png", &["a b.png", "~/c.png"]),
            ("`a.png` me@b.png @ @.", &[]),
        ] {
            assert_eq!(all(text), expected, "{text}");
        }
        assert_eq!(of("a/b.rs"), "@a/b.rs");
        assert_eq!(of("app/[id]/page.tsx"), "`@app/[id]/page.tsx`");
    }
}
