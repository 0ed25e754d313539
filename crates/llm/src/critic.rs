//! Review agent: what it is shown of the hunks that wait.
//!
//! In: proposals, the user's request, and arguments of its one tool. Out: the text of its task, and comments, which
//! `core/stage/review/critique` places in the hunks.
//!
//! ```text
//! the task shows       Hunk 1
//!                      @@ -3,2 +3,2 @@
//!                             3 fn last(items: &[u8]) -> u8 {
//!                      -        items[items.len() - 1]
//!                      +      4 items[items.len()]
//! the agent calls      comment {"hunk": 1, "line": 4, "severity": "bug", "text": "Out of bounds."}
//! ```

mod task;

pub(crate) use task::{CritiqueTask, ShownHunks};

/// The system prompt of the review agent.
pub const CRITIC_PROMPT: &str = include_str!("critic/prompt.md");

/// The reading tools that it may use, where the conversation has them.
pub(crate) const READING: [&str; 11] = [
    "read",
    "list_dir",
    "find",
    "grep",
    "outline",
    "find_symbol",
    "references",
    "repo_map",
    "git_status",
    "git_diff",
    "git_log",
];

/// Requests that it may take for one look, so that one that reads on and on comes to an end.
pub(crate) const CRITIC_REQUESTS: u32 = 15;

#[cfg(test)]
mod tests;
