//! Approvals: which state of a tool the user's permission was for.
//!
//! A server can say one thing of a tool when the user allows it, and another one later. The hash of a tool's description
//! and schema is kept when a call of it runs; a call of a tool with another hash asks, whatever the rules say.
//!
//! In: a file, the definition of a server, a tool with its hash. Out: whether the tool is as it was.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use signoff_sandbox::private_file::PrivateFile;

/// Tools that are kept: a server that renames its tools at every start would let the file grow without end.
const MOST_TOOLS: usize = 10_000;

/// The hashes of tools that ran.
#[derive(Debug)]
pub(crate) struct Approvals {
    file: PrivateFile,
    /// By `name@hash` of the definition, then by the name of the tool.
    known: BTreeMap<String, BTreeMap<String, String>>,
}

impl Approvals {
    /// Reads the file. One that is not there, or that cannot be read, holds nothing: rules and prompts decide as for
    /// tools that never ran.
    pub(crate) fn load(file: PathBuf) -> Self {
        let file = PrivateFile::new(file);
        let read = file.text().and_then(|text| match text {
            Some(text) => Ok(serde_json::from_str(&text)?),
            None => Ok(BTreeMap::new()),
        });
        let known = read.unwrap_or_else(|error| {
            tracing::warn!(%error, "which tools of servers were allowed is not known");
            BTreeMap::new()
        });
        Self { file, known }
    }

    /// Tells whether a tool is another one than that which ran before.
    pub(crate) fn is_changed(&self, server: &str, tool: &str, fingerprint: &str) -> bool {
        let known = self.known.get(server).and_then(|tools| tools.get(tool));
        known.is_some_and(|known| known != fingerprint)
    }

    /// Notes that a call of a tool in this state runs.
    pub(crate) fn note(&mut self, server: &str, tool: &str, fingerprint: &str) {
        let count: usize = self.known.values().map(BTreeMap::len).sum();
        let tools = self.known.entry(server.to_owned()).or_default();
        if tools.get(tool).is_some_and(|known| known == fingerprint) {
            return;
        }
        if count >= MOST_TOOLS && !tools.contains_key(tool) {
            return tracing::warn!("no more tools of servers are kept");
        }
        tools.insert(tool.to_owned(), fingerprint.to_owned());
        if let Err(error) = self.save() {
            tracing::warn!(%error, "which tools of servers were allowed is not written down");
        }
    }

    fn save(&self) -> io::Result<()> {
        self.file.replace(&serde_json::to_vec(&self.known)?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_tool_that_changed_is_known_in_the_next_run() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/mcp-tools.json");
        let mut approvals = Approvals::load(file.clone());
        assert!(!approvals.is_changed("s@1", "echo", "a"));
        approvals.note("s@1", "echo", "a");
        let mut approvals = Approvals::load(file.clone());
        assert!(!approvals.is_changed("s@1", "echo", "a"));
        assert!(approvals.is_changed("s@1", "echo", "b"));
        assert!(!approvals.is_changed("s@2", "echo", "b"));
        approvals.note("s@1", "echo", "b");
        assert!(!Approvals::load(file.clone()).is_changed("s@1", "echo", "b"));
        fs::write(&file, "{").unwrap();
        assert!(!Approvals::load(file).is_changed("s@1", "echo", "c"));
    }
}
