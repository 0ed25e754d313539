//! Commands of the command line, of git and of other agents, typed with a slash.
//!
//! In: a word. Out: what does the same here, in one line: `/reject` is answered with `/deny`. None of them does
//! anything by itself: what another tool calls so may be the opposite here.

/// Every such word, with what is said of it.
const FOREIGN: &[(&[&str], &str)] = &[
    (
        &["accept", "apply", "commit", "yes"],
        "/approve writes all that wait; in the review, single hunks are approved",
    ),
    (
        &["reject", "discard", "no"],
        "/deny REASON denies all that wait; in the review, single hunks are denied",
    ),
    (
        &["rollback", "rewind", "checkpoint"],
        "/undo takes back all of the last changeset; /history shows what was written",
    ),
    (
        &["restore", "reset", "checkout"],
        "/revert PATH takes back the last change of a file; what waits is denied with /deny",
    ),
    (
        &["continue", "chat", "load"],
        "/resume ID goes on with an earlier conversation; /sessions lists them",
    ),
    (
        &["login", "logout", "auth", "key"],
        "there are no accounts: keys come from the environment or the config file; `signoff sign-in` is for MCP servers",
    ),
    (
        &["sign-in"],
        "that is on the command line: `signoff sign-in NAME` signs in to an MCP server, then /mcp NAME",
    ),
    (
        &["plugins", "plugin", "extensions"],
        "there are no plugins; /mcp lists MCP servers, and skills are commands",
    ),
    (
        &["config", "settings", "permissions", "theme", "doctor"],
        "`signoff doctor` on the command line names the config file and says what works",
    ),
    (
        &["cost", "usage", "tokens", "stats", "version"],
        "/status shows what the conversation took; `signoff --version` prints the version",
    ),
    (
        &["plan", "ask", "architect", "code", "step", "turn"],
        "/mode NAME changes the mode: plan, step, turn or write-through",
    ),
    (
        &["save", "memory", "init"],
        "conversations are kept by themselves; rules for the model are in AGENTS.md",
    ),
    (&["stop", "cancel", "abort"], "Esc stops what runs"),
    (
        &["add", "read", "file", "files"],
        "name the file in the prompt; /attached lists what was given",
    ),
    (
        &["drop", "remove"],
        "/detach PATH leaves a file out of requests; /attached lists what was given",
    ),
    (
        &["acp", "exec", "engine", "completions", "man", "demo"],
        "that is for the command line: `signoff help` lists all of its commands",
    ),
    (
        &["run", "test", "check", "lint", "shell"],
        "ask the model for it, or use the command line: `signoff run`, `signoff test`, `signoff check`; /status shows checks",
    ),
    (
        &["blame", "symbols", "references"],
        "that is on the command line: `signoff blame FILE`, `symbols NAME`, `references NAME`",
    ),
    (
        &["trust", "hooks"],
        "/status names the hooks; `signoff trust` on the command line shows and trusts those of the workspace",
    ),
    (
        &["context"],
        "/status says how full the conversation is, /attached what it holds; `signoff context QUERY` ranks files",
    ),
];

/// Returns what is said of a word that is a command elsewhere.
pub(super) fn answer(word: &str) -> Option<&'static str> {
    let known = FOREIGN.iter().find(|(words, _)| words.contains(&word));
    known.map(|(_, answer)| *answer)
}

/// Returns every word that is answered.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    FOREIGN.iter().flat_map(|(words, _)| words.iter().copied())
}
