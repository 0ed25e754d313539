//! First requests by example, for models that follow one and call tools badly.
//!
//! In: what is attached to a prompt. Out: the file that the request is about, if it is one and short, or the part
//! of a longer one. A model that answers with something else is asked again with tools.

use super::Session;
use crate::message::TargetFile;
use crate::notice::Notice;
use crate::surroundings::{AttachedFile, Surroundings};

/// What is asked by example in a turn.
#[derive(Debug)]
pub(super) enum Example {
    /// Nothing, or what was asked so came to nothing.
    None,
    /// Its first request, about this file.
    Asked(TargetFile),
    /// An edit came: such a model has no closing words worth waiting for.
    Edited,
}

/// How first requests are made.
#[derive(Debug)]
pub(super) enum FirstRequest {
    /// With tools.
    WithTools,
    /// By example, where the next prompt is about one short file.
    ByExample(Option<TargetFile>),
}

/// Lines of a file or a part that such a model writes out without losing any.
const MAX_LINES: usize = 150;

/// Bytes that an answer may have beside the file's text twice: a few sentences around it.
const AROUND: usize = 2048;

/// Tells whether an answer repeats itself: small models do, until they are stopped.
pub(super) fn runs_away(target: &TargetFile, bytes: usize) -> bool {
    bytes > 2 * target.text.len() + AROUND
}

/// Returns the file that a request is about, or the part of it, if that is short enough.
fn shown(file: &AttachedFile) -> Option<TargetFile> {
    let is_short = file.text.lines().count() <= MAX_LINES;
    let (text, lines) = match (file.lines, file.about) {
        (lines, _) if is_short => (file.text.clone(), lines),
        (None, Some((first, last))) if last.saturating_sub(first) < MAX_LINES => {
            let lines = file.text.split_inclusive('\n');
            let part: String = lines.take(last).skip(first.saturating_sub(1)).collect();
            (part.trim_end().to_owned(), Some((first, last)))
        }
        _ => return None,
    };
    Some(TargetFile {
        path: file.path.clone(),
        text,
        lines,
        request: String::new(),
    })
}

impl Session {
    /// Notes the file that the next prompt is about.
    pub(super) fn note_target(&mut self, given: &Surroundings) {
        let FirstRequest::ByExample(target) = &mut self.first_request else {
            return;
        };
        *target = match given.files.as_slice() {
            [file] => shown(file),
            _ => None,
        };
    }

    /// Returns the file that the next request is about, if it is made by example.
    pub(super) fn example(&self) -> Option<&TargetFile> {
        match &self.turn.as_ref()?.example {
            Example::Asked(target) => Some(target),
            Example::None | Example::Edited => None,
        }
    }

    /// Takes the answer to a request by example. Returns whether the model is asked again.
    pub(super) fn example_answered(&mut self, said: &str, has_calls: bool) -> bool {
        let Some(target) = self.example().cloned() else {
            return false;
        };
        if let Some(turn) = &mut self.turn {
            turn.example = if has_calls {
                Example::Edited
            } else {
                Example::None
            };
        }
        !has_calls && self.ask_with_tools(target, said)
    }

    /// Takes the file that a prompt is about.
    pub(super) fn take_target(&mut self, prompt: Option<&str>) -> Option<TargetFile> {
        let FirstRequest::ByExample(target) = &mut self.first_request else {
            return None;
        };
        let target = target.take()?;
        let request = prompt?.to_owned();
        Some(TargetFile { request, ..target })
    }

    /// Asks again with tools where an answer by example has a fence that is no edit. Returns whether
    /// it does.
    fn ask_with_tools(&mut self, target: TargetFile, said: &str) -> bool {
        if !said.contains("```") {
            return false;
        }
        let path = target.name();
        self.inform(&format!(
            "the answer is not the whole of {path}; asking again with tools"
        ));
        self.transcript.note(Notice::NotWhole { path });
        self.ask(crate::phase::Phase::Asking);
        true
    }
}
