//! The question what goes back to an earlier prompt.
//!
//! In: the prompt, what was written since it was sent, and how many hunks that were staged since wait. Out: the question in
//! words, and what can be answered. Where nothing was written since, nothing is asked: the conversation goes back.

use signoff_core::plural::counted;
use signoff_core::stage::review::{RevertPreview, SincePreview};
use signoff_llm::session::{PromptRef, RewindExtent, RewindFiles};

/// Number of characters of the prompt that the question shows.
const SHOWN: usize = 32;

/// A prompt to go back to, with the question what goes back.
#[derive(Debug)]
pub(crate) struct RewindQuestion {
    prompt: PromptRef,
    text: String,
    /// Whether files can go back.
    offers_files: bool,
}

impl RewindQuestion {
    /// Returns the question, and what is shown with it; or the prompt, where the conversation goes back without a question.
    pub(super) fn new(
        prompt: PromptRef,
        files: RewindFiles,
        staged: usize,
    ) -> Result<(Self, Option<RevertPreview>), PromptRef> {
        let (what, offers_files, preview) = match files {
            RewindFiles::Nothing => return Err(prompt),
            RewindFiles::Unknown { why } => (format!("Files stay: {why}."), false, None),
            RewindFiles::Written(written) => {
                let offers_files = written.preview.blocked.is_none();
                (counts(&written), offers_files, Some(written.preview))
            }
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
            offers_files,
        };
        Ok((question, preview))
    }

    /// Returns the question in words.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if files can go back, and not the conversation alone.
    pub(crate) fn offers_files(&self) -> bool {
        self.offers_files
    }

    /// Returns the prompt if this is an answer to the question; else the question.
    pub(super) fn answered(self, extent: RewindExtent) -> Result<PromptRef, Self> {
        match extent {
            RewindExtent::Conversation => Ok(self.prompt),
            RewindExtent::Files | RewindExtent::Both if self.offers_files => Ok(self.prompt),
            RewindExtent::Files | RewindExtent::Both => Err(self),
        }
    }
}

fn counts(written: &SincePreview) -> String {
    let changes = counted(written.changes, "change");
    let files = counted(written.files, "file");
    let were = if written.changes == 1 { "was" } else { "were" };
    let counts = format!("{changes} in {files} {were} written since.");
    if written.preview.blocked.is_none() {
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
    use signoff_core::stage::review::{RevertTarget, WrittenSince};

    use super::*;

    fn written(changes: usize, files: usize, blocked: Option<&str>) -> RewindFiles {
        let written = WrittenSince {
            since: Timestamp(1),
            until: None,
            by: Vec::new(),
        };
        RewindFiles::Written(SincePreview {
            changes,
            files,
            preview: RevertPreview {
                target: RevertTarget::Since(written),
                moves_to: None,
                blocked: blocked.map(str::to_owned),
                hunks: Vec::new(),
            },
        })
    }

    #[test]
    fn says_what_there_is_to_go_back_to() {
        let check = |files: RewindFiles, staged, (expected, offers_files): (&str, bool)| {
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
                    offers_files: question.offers_files,
                };
                assert_eq!(question.answered(extent).is_ok(), offers_files);
            }
            assert!(question.answered(RewindExtent::Conversation).is_ok());
        };
        check(
            written(3, 5, None),
            0,
            ("3 changes in 5 files were written since.", true),
        );
        check(
            written(1, 1, None),
            1,
            (
                "1 change in 1 file was written since. 1 hunk staged since waits on: /deny drops it.",
                true,
            ),
        );
        check(
            written(2, 1, Some("a: version 1 cannot be taken back")),
            2,
            (
                "2 changes in 1 file were written since. They stay: something is in the way. 2 hunks \
                 staged since wait on: /deny drops them.",
                false,
            ),
        );
        let why = "it is not known".to_owned();
        check(
            RewindFiles::Unknown { why },
            0,
            ("Files stay: it is not known.", false),
        );
    }

    #[test]
    fn nothing_is_asked_where_nothing_was_written() {
        let prompt = PromptRef {
            place: 3,
            text: "one".to_owned(),
        };
        let asked = RewindQuestion::new(prompt.clone(), RewindFiles::Nothing, 2);
        assert_eq!(asked.unwrap_err(), prompt);
    }
}
