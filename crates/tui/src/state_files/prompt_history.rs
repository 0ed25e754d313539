//! Prompt history: what was typed in earlier runs, beside the store of the workspace.
//!
//! In: prompts as they are sent. Out: the newest of them, in a later run. The file has a JSON string a line and is the
//! user's alone.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use signoff_sandbox::private_file::PrivateFile;

/// Maximum number of prompts that are remembered: more than anybody goes back through key by key.
const MOST: usize = 500;
/// Maximum size of the file in bytes; a larger one is cut to the newest prompts when it is read.
const MOST_BYTES: usize = 1 << 20;
/// Maximum size of a prompt that is remembered, in bytes. A larger one holds a pasted file or log.
const LONGEST: usize = 32 << 10;

/// Where prompts are kept.
#[derive(Clone, Debug)]
pub struct PromptHistory(PrivateFile);

impl PromptHistory {
    /// Returns the file beside the store of a workspace; nothing is made.
    pub fn new(store: &Path) -> Self {
        Self(PrivateFile::new(store.with_file_name("prompts.jsonl")))
    }

    /// Reads the prompts of earlier runs, oldest first. A line that is not whole is left out.
    pub fn load(&self) -> anyhow::Result<Vec<String>> {
        let Some(bytes) = self.0.bytes()? else {
            return Ok(Vec::new());
        };
        let lines = bytes.split(|byte| *byte == b'\n');
        let mut prompts: Vec<String> = lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect();
        prompts.dedup();
        let surplus = prompts.len().saturating_sub(MOST);
        prompts.drain(..surplus);
        if surplus > 0 || bytes.len() > MOST_BYTES {
            self.shorten(&mut prompts)?;
        }
        Ok(prompts)
    }

    /// Adds prompts at the end.
    pub(crate) fn add(&self, prompts: &[String]) -> anyhow::Result<()> {
        let kept = prompts.iter().filter(|prompt| prompt.len() <= LONGEST);
        let lines = lines(kept)?;
        let added = self.0.append()?.write_all(lines.as_bytes());
        added.with_context(|| format!("cannot write {}", self.0.path().display()))
    }

    /// Writes the newest prompts down, in half of the room, so that the next ones have some.
    fn shorten(&self, prompts: &mut Vec<String>) -> anyhow::Result<()> {
        let mut size = 0;
        let newest = prompts.iter().rev().take_while(|prompt| {
            size += prompt.len();
            size <= MOST_BYTES / 2
        });
        let gone = prompts.len() - newest.count().min(MOST / 2);
        prompts.drain(..gone);
        self.0.replace(lines(prompts.iter())?.as_bytes())?;
        Ok(())
    }
}

fn lines<'p>(prompts: impl Iterator<Item = &'p String>) -> anyhow::Result<String> {
    let mut lines = String::new();
    for prompt in prompts {
        lines += &serde_json::to_string(prompt)?;
        lines.push('\n');
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_read_as_they_were_written_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let history = PromptHistory(PrivateFile::new(folder.path().join("state/prompts.jsonl")));
        assert!(history.load().unwrap().is_empty());
        let prompt = |text: &str| text.to_owned();
        history.add(&[prompt("one"), prompt("two\nlines")]).unwrap();
        history.add(&["x".repeat(LONGEST + 1)]).unwrap();
        assert_eq!(history.load().unwrap(), ["one", "two\nlines"]);
        let many: Vec<String> = (0..MOST).map(|n| n.to_string()).collect();
        history.add(&many).unwrap();
        let kept = history.load().unwrap();
        assert_eq!((kept.len(), kept.last()), (MOST / 2, many.last()));
        assert_eq!(history.load().unwrap(), kept);
        let large: Vec<String> = (0..40).map(|n| n.to_string().repeat(LONGEST / 2)).collect();
        history.add(&large).unwrap();
        let kept = history.load().unwrap();
        assert!(kept.len() > 10 && kept.len() < 40, "{}", kept.len());
        assert_eq!(kept.last(), large.last());
    }
}
