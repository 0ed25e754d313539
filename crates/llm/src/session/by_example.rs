//! First requests by example, for models that follow one and call tools badly.
//!
//! In: what is attached to a prompt. Out: the file that the request is about, if it is one and short. A model
//! that answers with something else is asked again with tools.

use super::Session;
use crate::message::TargetFile;
use crate::notice::Notice;
use crate::surroundings::Surroundings;

/// Lines of a file that such a model writes out without losing any.
const MAX_LINES: usize = 150;

impl Session {
    /// Notes the file that the next prompt is about.
    pub(super) fn note_target(&mut self, given: &Surroundings) {
        self.target = None;
        if let ([file], true) = (given.files.as_slice(), self.by_example)
            && file.text.lines().count() <= MAX_LINES
        {
            self.target = Some(TargetFile {
                path: file.path.clone(),
                text: file.text.clone(),
                request: String::new(),
            });
        }
    }

    /// Takes the file that a prompt is about.
    pub(super) fn take_target(&mut self, prompt: Option<&str>) -> Option<TargetFile> {
        let target = self.target.take()?;
        let request = prompt?.to_owned();
        Some(TargetFile { request, ..target })
    }

    /// Asks again with tools where an answer by example has a fence that is no edit. Returns whether
    /// it does.
    pub(super) fn ask_with_tools(&mut self, target: TargetFile, said: &str) -> bool {
        if !said.contains("```") {
            return false;
        }
        let path = target.path;
        self.inform(&format!(
            "the answer is not the whole of {path}; asking again with tools"
        ));
        self.transcript.note(Notice::NotWhole { path });
        self.ask(crate::phase::Phase::Asking);
        true
    }
}
