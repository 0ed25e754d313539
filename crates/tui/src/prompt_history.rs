//! Prompt history: what was typed in earlier runs, beside the store of the workspace.
//!
//! In: prompts as they are sent. Out: the newest of them, in a later run. The file has a JSON string a line and is the
//! user's alone.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use anyhow::Context as _;

use crate::paths::Paths;

/// Maximum number of prompts that are remembered: more than anybody goes back through key by key.
const MOST: usize = 500;
/// Maximum size of the file in bytes; a larger one is cut to the newest prompts when it is read.
const MOST_BYTES: usize = 1 << 20;
/// Maximum size of a prompt that is remembered, in bytes. A larger one holds a pasted file or log.
const LONGEST: usize = 32 << 10;

/// Where prompts are kept.
#[derive(Clone, Debug)]
pub struct PromptHistory(PathBuf);

impl PromptHistory {
    /// Returns the file for a workspace; nothing is made.
    pub fn new(paths: &Paths) -> Self {
        Self(paths.store.with_file_name("prompts.jsonl"))
    }

    /// Reads the prompts of earlier runs, oldest first. A line that is not whole is left out.
    pub(crate) fn load(&self) -> anyhow::Result<Vec<String>> {
        let bytes = match fs::read(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.with_context(|| format!("cannot read {}", self.0.display()))?,
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
        let added = || {
            if let Some(folder) = self.0.parent() {
                DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(folder)?;
            }
            let mut options = OpenOptions::new();
            let mut file = options
                .create(true)
                .append(true)
                .mode(0o600)
                .open(&self.0)?;
            file.write_all(lines.as_bytes())
        };
        added().with_context(|| format!("cannot write {}", self.0.display()))
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
        let draft = self.0.with_extension(format!("{}.new", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(&draft)?;
        file.write_all(lines(prompts.iter())?.as_bytes())?;
        Ok(fs::rename(&draft, &self.0)?)
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
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn prompts_are_read_as_they_were_written_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let history = PromptHistory(folder.path().join("state/prompts.jsonl"));
        assert!(history.load().unwrap().is_empty());
        let prompt = |text: &str| text.to_owned();
        history.add(&[prompt("one"), prompt("two\nlines")]).unwrap();
        history.add(&["x".repeat(LONGEST + 1)]).unwrap();
        assert_eq!(history.load().unwrap(), ["one", "two\nlines"]);
        let mode = fs::metadata(&history.0).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
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
