//! File of review marks, beside the store of the workspace.
//!
//! In: marks of a review, whenever they change. Out: the same in a later run. The file is the
//! user's alone. Verdicts that were carried out are in the store; here is only what waits.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::Path;

use anyhow::Context as _;
use signoff_core::id::HunkId;
use signoff_core::stage::review::ProposalView;
use signoff_core::stage::review::critique::CritiqueEvent;
use signoff_sandbox::private_file::PrivateFile;

use crate::review::comments::CommentClaim;
use crate::review::kept::{KeptChange, KeptMarks};

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

    /// Writes down what changed; what another process wrote since stays. The file has the earlier marks or these, whatever
    /// happens.
    pub(crate) fn save(&self, change: &KeptChange) -> anyhow::Result<()> {
        let _lock = self.lock()?;
        let read = self.0.text()?.map(|text| serde_json::from_str(&text));
        let merged = match read.transpose() {
            Ok(Some(file)) => change.merged_into(&file),
            Ok(None) => change.merged_into(&KeptMarks::default()),
            Err(error) => {
                // At the start it was said that these marks are lost.
                tracing::warn!(%error, "marks that cannot be understood are replaced");
                change.now().clone()
            }
        };
        self.write(&merged)
    }

    /// Takes comments that are to be sent out of the file; returns how many of them another process took out.
    pub(crate) fn claim(&self, claim: &mut CommentClaim) -> anyhow::Result<usize> {
        let _lock = self.lock()?;
        let mut kept = self.load()?;
        let elsewhere = claim.settle(&mut kept);
        self.write(&kept)?;
        Ok(elsewhere)
    }

    /// Keeps other processes from changing the file, until this is dropped.
    fn lock(&self) -> io::Result<File> {
        let lock = self.0.lock_file()?;
        lock.lock()?;
        Ok(lock)
    }

    fn write(&self, marks: &KeptMarks) -> anyhow::Result<()> {
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
        let _lock = self.lock()?;
        let mut kept = self.load()?;
        let critique = kept.critique_mut();
        for event in events {
            event.change(critique);
        }
        let listed = waiting.iter().flat_map(|file| &file.hunks);
        let listed: HashSet<HunkId> = listed.map(|hunk| hunk.id).collect();
        critique.retain(|hunk| listed.contains(&hunk));
        self.write(&kept)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use signoff_core::stage::review::HunkReading;

    use super::*;
    use crate::response::{Manuscript, Scope};
    use crate::review::Review;

    #[test]
    fn marks_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = MarksFile(PrivateFile::new(folder.path().join("marks.json")));
        assert_eq!(file.load().unwrap(), KeptMarks::default());
        let marks = r#"{"marks":[{"hunk":{"proposal":"01a2009c-06e7-77d7-8c9d-c84cecf93a9f",
            "number":1},"reads":"x","verdict":{"verdict":"approve_edited","text":"mine\n"}}],
            "drafts":[{"scope":"all","text":"too l"}]}"#;
        let marks: KeptMarks = serde_json::from_str(marks).unwrap();
        file.write(&marks).unwrap();
        assert_eq!(file.load().unwrap(), marks);
        file.write(&KeptMarks::default()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        fs::write(file.0.path(), "{").unwrap();
        assert!(file.load().is_err());
    }

    /// An interface beside another on the same hunks.
    struct Beside {
        file: MarksFile,
        review: Review,
    }

    impl Beside {
        fn open(folder: &Path) -> Self {
            let file = MarksFile(PrivateFile::new(folder.join("marks.json")));
            let mut review = Review::default();
            review.set(vec![crate::kit::file("above")]);
            review.restore(file.load().unwrap());
            Self { file, review }
        }

        /// Does something in the review, and writes down what changed.
        fn does<T>(&mut self, act: impl FnOnce(&mut Review) -> T) -> T {
            let done = act(&mut self.review);
            if let Some(change) = self.review.take_kept() {
                self.file.save(&change).unwrap();
            }
            done
        }

        fn comment(&mut self, text: &str) {
            let hunk = crate::kit::file("above").hunks[0].id;
            self.does(|review| review.comment(hunk, text));
        }

        /// Returns what is sent, and how many comments another sent.
        fn sends(&mut self) -> Option<(Option<String>, usize)> {
            let mut claim = self.review.take_comments()?;
            let elsewhere = self.file.claim(&mut claim).unwrap();
            self.does(|_| ());
            Some((claim.message(), elsewhere))
        }
    }

    #[test]
    fn what_another_interface_wrote_stays() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = Beside::open(folder.path());
        let mut second = Beside::open(folder.path());
        let hunk = crate::kit::file("above").hunks[0].id;
        second.does(|review| review.deny(Scope::Hunk(hunk), Some("too long".to_owned())));
        second.comment("why?");
        first.does(|review| review.draft(Scope::All, "no"));
        let kept = fs::read_to_string(first.file.0.path()).unwrap();
        for own in ["too long", "why?", "\"no\""] {
            assert!(kept.contains(own), "{own}: {kept}");
        }
        // What this one takes away goes, and nothing else.
        first.does(|review| review.draft(Scope::All, ""));
        let kept = fs::read_to_string(first.file.0.path()).unwrap();
        assert!(
            kept.contains("too long") && !kept.contains("\"no\""),
            "{kept}"
        );
    }

    #[test]
    fn a_text_of_another_interface_is_offered_again_where_its_hunk_is_marked_here() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = Beside::open(folder.path());
        let mut second = Beside::open(folder.path());
        let file = crate::kit::file("above");
        let manuscript = Manuscript {
            hunk: file.hunks[0].id,
            path: file.path.clone(),
            text: file.hunks[0].new_text(),
            reads: HunkReading::of(&file.hunks[0]),
        };
        second.does(|review| review.edited(&manuscript, "mine\n".to_owned()));
        first.does(|review| review.deny(Scope::Hunk(manuscript.hunk), None));
        let kept = fs::read_to_string(first.file.0.path()).unwrap();
        assert!(kept.contains("mine") && kept.contains("\"deny\""), "{kept}");
        assert!(!kept.contains("approve_edited"), "{kept}");
    }

    #[test]
    fn a_comment_is_sent_by_one_interface() {
        let folder = tempfile::tempdir().unwrap();
        Beside::open(folder.path()).comment("why?");
        let mut first = Beside::open(folder.path());
        let mut second = Beside::open(folder.path());
        let (message, elsewhere) = first.sends().unwrap();
        assert!(message.unwrap().ends_with("why?"));
        assert_eq!(elsewhere, 0);
        assert_eq!(second.sends(), Some((None, 1)));
        assert_eq!(second.sends(), None);
        // One that is new is sent, beside what another has.
        second.comment("and this?");
        let (message, elsewhere) = second.sends().unwrap();
        assert!(message.unwrap().ends_with("and this?"));
        assert_eq!(elsewhere, 0);
    }
}
