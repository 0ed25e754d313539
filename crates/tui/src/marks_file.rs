//! File of review marks, beside the store of the workspace.
//!
//! In: marks of a review, whenever they change. Out: the same in a later run. The file is the
//! user's alone. Verdicts that were carried out are in the store; here is only what waits.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use anyhow::Context as _;
use signoff_core::id::HunkId;
use signoff_core::stage::review::ProposalView;
use signoff_llm::session::CritiqueEvent;

use crate::paths::Paths;
use crate::review::kept::KeptMarks;

/// Where marks are kept.
#[derive(Clone, Debug)]
pub struct MarksFile(PathBuf);

impl MarksFile {
    /// Returns the file for a workspace; nothing is made.
    pub fn new(paths: &Paths) -> Self {
        Self(paths.store.with_file_name("marks.json"))
    }

    /// Reads the marks of an earlier run, none if there was none.
    pub(crate) fn load(&self) -> anyhow::Result<KeptMarks> {
        let text = match fs::read_to_string(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(KeptMarks::default()),
            read => read.with_context(|| format!("cannot read {}", self.0.display()))?,
        };
        let read = serde_json::from_str(&text);
        read.with_context(|| format!("cannot understand {}", self.0.display()))
    }

    /// Writes marks down. The file has the earlier ones or these, whatever happens.
    pub(crate) fn save(&self, marks: &KeptMarks) -> anyhow::Result<()> {
        let saved = if marks.is_empty() {
            match fs::remove_file(&self.0) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
                _ => Ok(()),
            }
        } else {
            self.replace(marks)
        };
        saved.with_context(|| format!("cannot write {}", self.0.display()))
    }

    /// Takes over what the review agent says of these hunks, all of which wait.
    pub(crate) fn take_critique(
        &self,
        events: &[CritiqueEvent],
        waiting: &[ProposalView],
    ) -> anyhow::Result<()> {
        let mut kept = self.load()?;
        let critique = kept.critique_mut();
        for event in events {
            match event {
                CritiqueEvent::Began { hunks, .. } => critique.begin(hunks),
                CritiqueEvent::Comment(comment) => {
                    // Of too many the first are kept, as in the review.
                    let _is_kept = critique.take(comment.clone());
                }
                CritiqueEvent::Ended(report) => {
                    critique.end(&report.end);
                }
            }
        }
        let listed = waiting.iter().flat_map(|file| &file.hunks);
        let listed: HashSet<HunkId> = listed.map(|hunk| hunk.id).collect();
        critique.retain(|hunk| listed.contains(&hunk));
        self.save(&kept)
    }

    fn replace(&self, marks: &KeptMarks) -> anyhow::Result<()> {
        let draft = self.0.with_extension(format!("{}.new", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(&draft)?;
        file.write_all(serde_json::to_string(marks)?.as_bytes())?;
        Ok(fs::rename(&draft, &self.0)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = MarksFile(folder.path().join("marks.json"));
        assert_eq!(file.load().unwrap(), KeptMarks::default());
        let marks = r#"{"marks":[{"hunk":{"proposal":"01a2009c-06e7-77d7-8c9d-c84cecf93a9f",
            "number":1},"reads":"x","verdict":{"verdict":"approve_edited","text":"mine\n"}}],
            "drafts":[{"scope":"all","text":"too l"}]}"#;
        let marks: KeptMarks = serde_json::from_str(marks).unwrap();
        file.save(&marks).unwrap();
        assert_eq!(file.load().unwrap(), marks);
        file.save(&KeptMarks::default()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        fs::write(&file.0, "{").unwrap();
        assert!(file.load().is_err());
    }
}
