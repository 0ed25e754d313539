//! Commands of the command line, of git and of other agents, typed with a slash.
//!
//! In: a word. Out: where the same is done, in one line. Words that one command here stands for are in its row.

/// Every such word, with what is said of it.
const FOREIGN: &[(&[&str], &str)] = &[
    (
        &["login", "logout", "auth", "key"],
        "there are no accounts: `signoff setup` on the command line picks a model and where its key comes from; \
         `signoff sign-in` is for MCP servers",
    ),
    (
        &["setup"],
        "that is on the command line: `signoff setup` picks a server and a model, tries them and keeps them",
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
        &["config", "settings", "permissions", "doctor"],
        "`signoff doctor` on the command line names the config file and says what works",
    ),
    (
        &["save", "memory"],
        "conversations are kept by themselves; rules for the model are in AGENTS.md",
    ),
    (
        &["init"],
        "that is on the command line: `signoff init` proposes an AGENTS.md, the rules for the model",
    ),
    (&["stop", "cancel", "abort"], "Esc stops what runs"),
    (
        &["rewind", "checkpoint"],
        "Esc Esc in an empty prompt goes back to an earlier one; /undo reverts the last change",
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
        &["blame", "verify", "symbols", "references"],
        "that is on the command line: `signoff blame FILE`, `verify RANGE`, `symbols NAME`, `references NAME`",
    ),
    (
        &["offer", "take"],
        "that is on the command line: `signoff offer --to REMOTE` hands over what waits, `signoff take REMOTE` brings offers and verdicts",
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
