//! Tool specifications: what a model is told of a tool, and how far its calls reach.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::json;

/// How far a tool reaches; the gate decides by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Looks, changes nothing.
    Observe,
    /// Puts a change in front of the user; files stay as they are.
    Stage,
    /// Runs something that may change files by itself; needs the user's permission.
    Execute,
    /// Starts an agent, whose own calls are judged one by one.
    Delegate,
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Observe => "looks",
            Self::Stage => "stages",
            Self::Execute => "runs something, by rules or your permission",
            Self::Delegate => "starts an agent",
        })
    }
}

/// A tool's specification for the model, and how far its calls reach.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Name in calls.
    pub name: &'static str,
    /// One or two sentences.
    pub description: &'static str,
    /// JSON schema of the arguments, an object; `path`, `operation`, `description` come first.
    pub parameters: Value,
    /// How far it reaches.
    pub reach: Reach,
}

/// Namespaces that templates put before the name of a tool.
const NAMESPACES: [&str; 6] = [
    "functions",
    "function",
    "default_api",
    "tools",
    "tool",
    "api",
];

/// Names of tools in other programs, without `_`, and the tools that do the same with the same arguments; of two the first
/// that is offered.
const ELSEWHERE: [(&str, &[&str]); 17] = [
    // Gemini CLI, Copilot, Cline, Anthropic's text editor, Codex; the file system server of MCP.
    ("writefile", &["write"]),
    ("createfile", &["write"]),
    ("writetofile", &["write"]),
    ("editfile", &["edit", "edit_section"]),
    ("multiedit", &["edit_section"]),
    ("strreplace", &["edit_section"]),
    ("strreplaceeditor", &["edit_section"]),
    ("strreplacebasededittool", &["edit_section"]),
    ("replaceinfile", &["edit_section"]),
    ("replacestringinfile", &["edit_section"]),
    ("applypatch", &["apply_structured_edits"]),
    ("readfile", &["read"]),
    ("listfiles", &["list_dir"]),
    ("listdirectory", &["list_dir"]),
    ("glob", &["find"]),
    ("executecommand", &["bash"]),
    ("runshellcommand", &["bash"]),
];

/// Returns which tool a model means by a name that may have another case or leftovers of a template, or be that of another
/// program: `functions.read:0`, `read<|channel|>commentary`, `Read` and `read_file` are `read`. A name that is a tool's is
/// that tool.
pub fn meant<'a>(name: &str, tools: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if let Some(exact) = tools.clone().find(|tool| *tool == name) {
        return Some(exact);
    }
    let is_edge = |c: char| !c.is_alphanumeric();
    let name = name.trim_start_matches(is_edge);
    let name = name.split(['<', ':', '(', '|', ' ', '"', '\n']).next()?;
    let name = match name.split_once(['.', '/']) {
        Some((space, rest)) if NAMESPACES.contains(&space) => rest,
        _ => name,
    };
    let wanted = letters(name);
    let mut same = tools.clone().filter(|tool| letters(tool) == wanted);
    match same.next() {
        Some(own) => Some(own).filter(|_| same.next().is_none()),
        None => {
            let (_, known) = ELSEWHERE.iter().find(|(name, _)| *name == wanted)?;
            let offered = |name: &&str| tools.clone().find(|tool| tool == name);
            known.iter().find_map(offered)
        }
    }
}

/// Tells whether arguments name a file and hold new text for it: those of an edit, whatever its tool is called.
pub fn are_of_edit(arguments: &str) -> bool {
    const FILES: [&str; 6] = [
        "path",
        "file",
        "file_path",
        "filePath",
        "filename",
        "target_file",
    ];
    const TEXTS: [&str; 10] = [
        "content",
        "contents",
        "file_text",
        "new_text",
        "new_string",
        "new_str",
        "code_edit",
        "edits",
        "diff",
        "patch",
    ];
    let Ok(given) = json::parse::<Map<String, Value>>(arguments) else {
        return false;
    };
    let has = |names: &[&str]| names.iter().any(|name| given.contains_key(*name));
    has(&FILES) && has(&TEXTS)
}

/// Returns a name without what models write differently: its case, `_` and `-`.
fn letters(name: &str) -> String {
    let name = name.chars().filter(|c| !matches!(c, '_' | '-'));
    name.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_edits_have_a_file_and_text_for_it() {
        for (arguments, expected) in [
            (r#"{"path":"a","content":"x"}"#, true),
            (r#"{"target_file":"a","code_edit":"x"}"#, true),
            (r#"{"path":"a"}"#, false),
            (r#"{"content":"x"}"#, false),
            ("[]", false),
            ("{", false),
        ] {
            assert_eq!(are_of_edit(arguments), expected, "{arguments}");
        }
    }

    #[test]
    fn names_with_leftovers_of_templates_are_meant() {
        let tools = ["read", "edit_section", "call_tool", "edit", "write"];
        for (name, expected) in [
            ("read", Some("read")),
            ("Read", Some("read")),
            ("functions.read:0", Some("read")),
            ("functions.edit_section", Some("edit_section")),
            ("default_api.read", Some("read")),
            ("editSection", Some("edit_section")),
            ("edit-section", Some("edit_section")),
            ("read<|channel|>commentary", Some("read")),
            ("read<|tool_call_argument_begin|>", Some("read")),
            ("<|tool|>read", None),
            (" read ", Some("read")),
            ("\"read\"", Some("read")),
            ("read()", Some("read")),
            // Names of other programs, for a tool that is offered.
            ("write_file", Some("write")),
            ("functions.write_to_file", Some("write")),
            ("edit_file", Some("edit")),
            ("str_replace_based_edit_tool", Some("edit_section")),
            ("apply_patch", None),
            // A tool of a server, and names of other tools.
            ("files.read", None),
            ("files__read", None),
            ("reader", None),
            ("", None),
            ("<|", None),
        ] {
            assert_eq!(meant(name, tools.into_iter()), expected, "{name:?}");
        }
    }
}
