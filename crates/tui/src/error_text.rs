//! Errors in words, for the user.
//!
//! In: an error with its causes. Out: a line that tells each cause once, or harmless lines.

use std::borrow::Cow;

use crate::sanitize;

/// Returns an error and its causes as harmless lines. All but the first are indented, so that no
/// text in an error passes for a line of its own.
pub fn in_lines(error: &anyhow::Error) -> String {
    indented(&in_words(error), "  ")
}

/// Returns the lines of a text, made harmless; all but the first begin with `indent`.
pub fn indented(text: &str, indent: &str) -> String {
    let lines: Vec<Cow<'_, str>> = text.lines().map(sanitize::clean).collect();
    lines.join(&format!("\n{indent}"))
}

/// Returns an error and its causes; what an outer one has told is not told again.
pub fn in_words(error: &anyhow::Error) -> String {
    let mut line = error.to_string();
    let mut last = line.clone();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !line.contains(&cause) && !cause.contains(&last) {
            line.push_str(": ");
            line.push_str(&cause);
        }
        last = cause;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_once() {
        let error = anyhow::anyhow!("code 26: not a database")
            .context("not a database")
            .context("the store: not a database")
            .context("cannot open state.db");
        assert_eq!(
            in_words(&error),
            "cannot open state.db: the store: not a database"
        );
    }

    #[test]
    fn lines_of_an_error_after_the_first_are_indented() {
        let error =
            anyhow::anyhow!("line 1: x\u{1b}[2J\nsignoff: all is well").context("no config");
        let lines = in_lines(&error);
        assert_eq!(lines.lines().count(), 2);
        assert!(lines.starts_with("no config: line 1: x"), "{lines}");
        assert!(lines.ends_with("\n  signoff: all is well"), "{lines}");
        assert!(!lines.contains('\u{1b}'));
    }
}
