//! Transcript line of an intent.
//!
//! In: path, operation and description as the model wrote them. Out: "Planning to remove
//! all headings from notes.md".

use signoff_core::edit::intent::Operation;

/// Returns the sentence that announces a change.
pub(crate) fn sentence(path: &str, operation: Option<Operation>, description: &str) -> String {
    let path = path.trim();
    let what = description.trim().trim_end_matches(['.', ' ']);
    if what.is_empty() {
        let verb = operation.map_or_else(|| "change".to_owned(), |operation| operation.to_string());
        let object = if path.is_empty() { "a file" } else { path };
        return format!("Planning to {verb} {object}");
    }
    let what = lowered(what);
    if path.is_empty() || names(&what, path) {
        format!("Planning to {what}")
    } else {
        format!("Planning to {what} in {path}")
    }
}

/// Returns true if the sentence already says which file.
fn names(what: &str, path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    what.contains(path) || (!file.is_empty() && what.contains(file))
}

/// Lowers the first letter, unless the first word is an abbreviation or a name in code.
fn lowered(what: &str) -> String {
    let word = what.split_whitespace().next().unwrap_or_default();
    let mut chars = what.chars();
    match chars.next() {
        Some(first) if !word.chars().skip(1).any(|c| !c.is_lowercase()) => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, description: &str, expected: &str) {
        assert_eq!(
            sentence(path, Some(Operation::Modify), description),
            expected
        );
    }

    #[test]
    fn says_what_and_where_once() {
        check(
            "notes.md",
            "Remove all headings",
            "Planning to remove all headings in notes.md",
        );
        check(
            "docs/notes.md",
            "Remove all headings from notes.md.",
            "Planning to remove all headings from notes.md",
        );
        check(
            "a.rs",
            "TODO list goes away",
            "Planning to TODO list goes away in a.rs",
        );
        check(
            "a.rs",
            "useState becomes a store",
            "Planning to useState becomes a store in a.rs",
        );
        check("a.rs", "", "Planning to modify a.rs");
        assert_eq!(sentence("", None, " "), "Planning to change a file");
    }
}
