//! Input of a call as the user reads it: the command that it runs, or what it looks for.
//!
//! In: a call's arguments, untrusted: `{"pattern": "TODO", "path": "src"}`. Out: `TODO in src`; nothing for a call
//! whose answer names its file.

use serde_json::Value;

/// Arguments that say what a call runs or looks for.
const INPUTS: [&str; 3] = ["command", "pattern", "name"];

/// Returns what a call runs or looks for, and where.
pub(super) fn shown(arguments: &str) -> Option<String> {
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let text = |name: &str| {
        let text = arguments.get(name)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let input = INPUTS.into_iter().find_map(text)?;
    let path = text("path")
        .filter(|path| path != ".")
        .map(|path| format!(" in {path}"));
    let glob = text("glob").map(|glob| format!(" ({glob})"));
    Some(input + &path.unwrap_or_default() + &glob.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_a_pattern_and_a_name_are_shown() {
        for (arguments, expected) in [
            (r#"{"command":"ls -l\n"}"#, Some("ls -l")),
            (r#"{"pattern":"a b"}"#, Some("a b")),
            (
                r#"{"pattern":"x","path":"src","glob":"*.rs"}"#,
                Some("x in src (*.rs)"),
            ),
            (r#"{"name":"load"}"#, Some("load")),
            (r#"{"path":"a.rs"}"#, None),
            (r#"{"command":7}"#, None),
            ("{", None),
        ] {
            assert_eq!(shown(arguments).as_deref(), expected, "{arguments}");
        }
    }
}
