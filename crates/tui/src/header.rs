//! Session header.
//!
//! In: nothing, or a file of the user's. Out: its text, every blank kept.

use std::path::Path;

const BUILT_IN: &str = include_str!("../assets/heading.md");

/// Returns the header to show: the user's file if one is configured, else the built-in one.
pub fn load(path: Option<&Path>) -> Option<String> {
    let Some(path) = path else {
        return Some(BUILT_IN.to_owned());
    };
    match std::fs::read_to_string(path) {
        Ok(text) if text.trim().is_empty() => {
            tracing::warn!(path = %path.display(), "the header file is empty");
            None
        }
        Ok(text) => Some(text),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "no header");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_or_empty_file_is_no_header() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("heading.md");
        assert_eq!(load(Some(&file)), None);
        std::fs::write(&file, " \n").unwrap();
        assert_eq!(load(Some(&file)), None);
        std::fs::write(&file, "  mine \n").unwrap();
        assert_eq!(load(Some(&file)).as_deref(), Some("  mine \n"));
        assert_eq!(load(None).as_deref(), Some(BUILT_IN));
    }
}
