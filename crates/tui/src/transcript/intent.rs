//! Transcript line of an intent.
//!
//! In: path, operation and description as the model wrote them. Out: `Editing notes.md: Remove all headings`.

use signoff_core::edit::intent::Operation;

/// Returns the line that announces a change.
pub(crate) fn sentence(path: &str, operation: Option<Operation>, description: &str) -> String {
    let path = path.trim();
    let deed = match operation {
        Some(Operation::Create) => "Creating",
        Some(Operation::Delete) => "Deleting",
        Some(Operation::Move) => "Moving",
        Some(Operation::Rewrite) => "Rewriting",
        Some(Operation::Modify | Operation::Link | Operation::Permissions) | None => "Editing",
    };
    let object = if path.is_empty() { "a file" } else { path };
    match description.trim().trim_end_matches(['.', ' ']) {
        "" => format!("{deed} {object}"),
        what => format!("{deed} {object}: {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_and_where() {
        for (path, operation, description, expected) in [
            (
                "notes.md",
                Some(Operation::Modify),
                "Remove all headings.",
                "Editing notes.md: Remove all headings",
            ),
            ("a.rs", Some(Operation::Create), "", "Creating a.rs"),
            ("", None, " ", "Editing a file"),
        ] {
            assert_eq!(sentence(path, operation, description), expected);
        }
    }
}
