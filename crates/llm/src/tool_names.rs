//! Tool names: which tool a rule or an agent means.
//!
//! In: a name as the user wrote it. Out: what is wrong with it, if something is: `Bash` is no tool, `bash` is meant. A rule for
//! a tool that is none would have no effect, and nobody would know.

use signoff_core::spelling::did_you_mean;

use crate::tool_spec;

/// All tools that there can be, whatever is configured and whichever system this is.
const ALL: [&str; 31] = [
    "read",
    "list_dir",
    "find",
    "grep",
    "outline",
    "find_symbol",
    "references",
    "repo_map",
    "similar",
    "declare_edit_intent",
    "execute_edit",
    "edit_section",
    "apply_structured_edits",
    "edit",
    "write",
    "move",
    "delete",
    "bash",
    "git_status",
    "git_diff",
    "git_log",
    "update_plan",
    "rename_symbol",
    "code_action",
    "skill",
    "mcp_find",
    "mcp_call",
    "web_fetch",
    "web_search",
    "delegate",
    "comment",
];

/// Returns the names of all tools that there can be.
pub(crate) fn all() -> impl Iterator<Item = &'static str> + Clone {
    ALL.into_iter()
}

/// Returns the tool that a name means: `WebFetch` is `web_fetch`, `Glob` is `find`.
pub(crate) fn meant(written: &str) -> Option<&'static str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    // `Bash(git diff:*)` is less than `bash`.
    tool_spec::meant(written, all()).filter(|_| written.chars().all(is_name))
}

/// Returns what is wrong with a name of a tool of signoff's own, if something is.
pub(crate) fn fault(written: &str) -> Option<String> {
    if all().any(|own| own == written) {
        return None;
    }
    let near = match meant(written) {
        Some(own) => format!(" (did you mean `{own}`?)"),
        None => did_you_mean(written, all()),
    };
    let near = if near.is_empty() {
        ": `/tools` lists those that there are".to_owned()
    } else {
        near
    };
    Some(format!("`{written}` is no tool{near}"))
}
