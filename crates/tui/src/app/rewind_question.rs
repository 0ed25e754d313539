//! The question what goes back to an earlier prompt.
//!
//! In: the prompt, what was written since it was sent, and how many hunks that were staged since wait. Out: the question in
//! words, and what can be answered. Where nothing was written since, nothing is asked: the conversation goes back.

use signoff_core::plural::counted;
use signoff_core::stage::review::{RevertOutcome, RevertTarget};
use signoff_llm::session::{Command, PromptRef};

use crate::app::keymap::RewindExtent;

/// Number of characters of the prompt that the question shows.
const SHOWN: usize = 32;

/// A prompt to go back to, with the question what goes back.
#[derive(Debug)]
pub(crate) struct RewindQuestion {
    prompt: PromptRef,
    text: String,
    /// What is to be taken back so that the files go back that are shown; none if none can.
    files: Option<RevertTarget>,
}

impl RewindQuestion {
    /// Returns the question, and what is shown with it; or the prompt, where the conversation goes back without a question.
    pub(super) fn new(
        prompt: PromptRef,
        written: Result<RevertOutcome, String>,
        staged: usize,
    ) -> Result<(Self, Option<RevertOutcome>), PromptRef> {
        let (what, files, preview) = match written {
            Err(why) => (format!("Files stay: {why}."), None, None),
            Ok(written) if written.is_nothing() => return Err(prompt),
            Ok(written) => (counts(&written), written.offered.clone(), Some(written)),
        };
        let stays = match staged {
            0 => String::new(),
            1 => " 1 hunk staged since waits on: /deny drops it.".to_owned(),
            several => format!(" {several} hunks staged since wait on: /deny drops them."),
        };
        let text = format!("Back before \"{}\"? {what}{stays}", excerpt(&prompt.text));
        let question = Self {
            prompt,
            text,
            files,
        };
        Ok((question, preview))
    }

    /// Returns the question in words.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if files can go back, and not the conversation alone.
    pub(crate) fn offers_files(&self) -> bool {
        self.files.is_some()
    }

    /// Returns what is to be done if this is an answer to the question; else the question.
    pub(super) fn answered(self, extent: RewindExtent) -> Result<Command, Self> {
        let prompt = self.prompt;
        match (extent, self.files) {
            (RewindExtent::Conversation, _) => Ok(Command::Rewind {
                prompt,
                files: None,
            }),
            (RewindExtent::Files, Some(files)) => Ok(Command::Revert(files)),
            (RewindExtent::Both, files @ Some(_)) => Ok(Command::Rewind { prompt, files }),
            (RewindExtent::Files | RewindExtent::Both, files @ None) => Err(Self {
                prompt,
                files,
                text: self.text,
            }),
        }
    }
}

fn counts(written: &RevertOutcome) -> String {
    let changes = counted(written.changesets, "change");
    let files = counted(written.file_count(), "file");
    let were = if written.changesets == 1 {
        "was"
    } else {
        "were"
    };
    let counts = format!("{changes} in {files} {were} written since.");
    if written.offered.is_some() {
        counts
    } else {
        format!("{counts} They stay: something is in the way.")
    }
}

/// Returns the beginning of a prompt.
fn excerpt(prompt: &str) -> String {
    let line = prompt.lines().next().unwrap_or_default();
    let mut excerpt: String = line.chars().take(SHOWN).collect();
    if excerpt.len() < prompt.trim_end().len() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use signoff_core::id::Timestamp;
    use signoff_core::stage::review::{BlockedFile, RevertedFile, WrittenSince};

    use super::*;

    fn target() -> RevertTarget {
        RevertTarget::Since(WrittenSince {
            since: Timestamp(1),
            until: None,
            by: Vec::new(),
        })
    }

    /// What was written since with so many changesets, in files that go back and files that stay.
    fn written(changesets: usize, back: usize, stay: usize) -> Result<RevertOutcome, String> {
        let file = RevertedFile {
            path: "a".to_owned(),
            to: None,
            summary: String::new(),
            version: 2,
            taken_back: Vec::new(),
            gone: Vec::new(),
            restored: Vec::new(),
            hunks: Vec::new(),
        };
        let blocked = BlockedFile {
            path: "b".to_owned(),
            why: "b: version 1 cannot be reverted".to_owned(),
            hunks: Vec::new(),
            proposable: true,
        };
        Ok(RevertOutcome {
            target: target(),
            written: false,
            files: vec![file; back],
            blocked: vec![blocked; stay],
            nothing: String::new(),
            unkept: Vec::new(),
            proposals: signoff_core::stage::review::StagedProposals::default(),
            offered: (back > 0).then(target),
            changesets,
        })
    }

    #[test]
    fn says_what_there_is_to_go_back_to() {
        let check = |files: Result<RevertOutcome, String>,
                     staged,
                     (expected, offers_files): (&str, bool)| {
            let prompt = PromptRef {
                place: 0,
                text: "fix it\nnow".to_owned(),
            };
            let (question, _) = RewindQuestion::new(prompt, files, staged).unwrap();
            let expected = format!("Back before \"fix it…\"? {expected}");
            assert_eq!(question.text(), expected);
            assert_eq!(question.offers_files(), offers_files);
            for extent in [RewindExtent::Files, RewindExtent::Both] {
                let question = RewindQuestion {
                    prompt: question.prompt.clone(),
                    text: question.text.clone(),
                    files: question.files.clone(),
                };
                assert_eq!(question.answered(extent).is_ok(), offers_files);
            }
            assert!(question.answered(RewindExtent::Conversation).is_ok());
        };
        check(
            written(3, 5, 0),
            0,
            ("3 changes in 5 files were written since.", true),
        );
        check(
            written(1, 1, 0),
            1,
            (
                "1 change in 1 file was written since. 1 hunk staged since waits on: /deny drops it.",
                true,
            ),
        );
        check(
            written(2, 0, 1),
            2,
            (
                "2 changes in 1 file were written since. They stay: something is in the way. 2 hunks \
                 staged since wait on: /deny drops them.",
                false,
            ),
        );
        check(
            written(2, 3, 1),
            0,
            ("2 changes in 4 files were written since.", true),
        );
        let why = "it is not known".to_owned();
        check(Err(why), 0, ("Files stay: it is not known.", false));
    }

    #[test]
    fn nothing_is_asked_where_nothing_was_written() {
        let prompt = PromptRef {
            place: 3,
            text: "one".to_owned(),
        };
        let asked = RewindQuestion::new(prompt.clone(), written(0, 0, 0), 2);
        assert_eq!(asked.unwrap_err(), prompt);
    }
}
