//! File of review marks, beside the store of the workspace.
//!
//! In: marks of a review, whenever they change. Out: the same in a later run. The file is the
//! user's alone. Verdicts that were carried out are in the store; here is only what waits.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Context as _;
use signoff_core::id::HunkId;
use signoff_core::stage::review::ProposalView;
use signoff_core::stage::review::critique::CritiqueEvent;
use signoff_sandbox::private_file::PrivateFile;

use crate::review::kept::KeptMarks;

/// Where marks are kept.
#[derive(Clone, Debug)]
pub struct MarksFile(PrivateFile);

impl MarksFile {
    /// Returns the file beside the store of a workspace; nothing is made.
    pub fn new(store: &Path) -> Self {
        Self(PrivateFile::new(store.with_file_name("marks.json")))
    }

    /// Reads the marks of an earlier run, none if there was none.
    pub fn load(&self) -> anyhow::Result<KeptMarks> {
        let Some(text) = self.0.text()? else {
            return Ok(KeptMarks::default());
        };
        let read = serde_json::from_str(&text);
        read.with_context(|| format!("cannot understand {}", self.0.path().display()))
    }

    /// Writes marks down. The file has the earlier ones or these, whatever happens.
    pub(crate) fn save(&self, marks: &KeptMarks) -> anyhow::Result<()> {
        if marks.is_empty() {
            self.0.remove()?;
        } else {
            self.0.replace(&serde_json::to_vec(marks)?)?;
        }
        Ok(())
    }

    /// Takes over what the review agent says of these hunks, all of which wait.
    pub fn take_critique(
        &self,
        events: &[CritiqueEvent],
        waiting: &[ProposalView],
    ) -> anyhow::Result<()> {
        let mut kept = self.load()?;
        let critique = kept.critique_mut();
        for event in events {
            event.change(critique);
        }
        let listed = waiting.iter().flat_map(|file| &file.hunks);
        let listed: HashSet<HunkId> = listed.map(|hunk| hunk.id).collect();
        critique.retain(|hunk| listed.contains(&hunk));
        self.save(&kept)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn marks_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = MarksFile(PrivateFile::new(folder.path().join("marks.json")));
        assert_eq!(file.load().unwrap(), KeptMarks::default());
        let marks = r#"{"marks":[{"hunk":{"proposal":"01a2009c-06e7-77d7-8c9d-c84cecf93a9f",
            "number":1},"reads":"x","verdict":{"verdict":"approve_edited","text":"mine\n"}}],
            "drafts":[{"scope":"all","text":"too l"}]}"#;
        let marks: KeptMarks = serde_json::from_str(marks).unwrap();
        file.save(&marks).unwrap();
        assert_eq!(file.load().unwrap(), marks);
        file.save(&KeptMarks::default()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        fs::write(file.0.path(), "{").unwrap();
        assert!(file.load().is_err());
    }
}
