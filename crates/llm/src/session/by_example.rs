//! First requests by example, for models that follow one and call tools badly.
//!
//! In: what is attached to a prompt. Out: the file that the request is about, if it is one, or the part of a longer
//! one. A model whose lines fit nowhere is asked once more: for the whole of a short text, after which it is given up, and
//! with tools about a longer one.

use super::Session;
use crate::message::{AnswerForm, TargetFile};
use crate::notice::Notice;
use crate::phase::Phase;
use crate::surroundings::{AttachedFile, Grounds, Surroundings};
use crate::tool::PreparedCall;

/// What is asked by example in a turn.
#[derive(Debug)]
pub(super) enum Example {
    /// Nothing, or what was asked so came to nothing.
    None,
    /// Its first request, about this file.
    Asked(TargetFile),
    /// An edit of this file came: such a model has no closing words worth waiting for.
    Edited(TargetFile),
    /// An edit of this file came, and left names undefined: the file as it is now, and what is asked of it.
    Unfinished(TargetFile),
}

/// How first requests are made.
#[derive(Debug)]
pub(super) enum FirstRequest {
    /// With tools.
    WithTools,
    /// By example, where the next prompt is about one file.
    ByExample(AnswerForm, Option<TargetFile>),
}

/// Lines of a file or a part that such a model writes out without losing any.
const MAX_LINES: usize = 150;

/// Bytes that an answer may have beside the file's text twice: a few sentences around it.
const AROUND: usize = 2048;

/// Tells whether an answer repeats itself: small models do, until they are stopped.
pub(super) fn runs_away(target: &TargetFile, bytes: usize) -> bool {
    bytes > 2 * target.text.len() + AROUND
}

/// Returns the file that a request is about, or the part of it if that is clear; none if it is too long for the form.
fn shown(file: &AttachedFile, form: AnswerForm) -> Option<TargetFile> {
    let (text, lines) = match (file.lines, file.about) {
        (None, Some((first, last))) if !is_short(&file.text) => {
            let lines = file.text.split_inclusive('\n');
            let part: String = lines.take(last).skip(first.saturating_sub(1)).collect();
            (part.trim_end().to_owned(), Some((first, last)))
        }
        (lines, _) => (file.text.clone(), lines),
    };
    (form == AnswerForm::Lines || is_short(&text)).then(|| TargetFile {
        path: file.path.clone(),
        text,
        lines,
        request: String::new(),
        form,
    })
}

/// Returns whether a small model can write all of a text.
fn is_short(text: &str) -> bool {
    text.lines().count() <= MAX_LINES
}

impl Session {
    /// Notes the file that the next prompt is about.
    pub(super) fn note_target(&mut self, given: &Surroundings) {
        let FirstRequest::ByExample(form, target) = &mut self.first_request else {
            return;
        };
        let mut about = given
            .files
            .iter()
            .filter(|file| file.grounds != Grounds::Ranked);
        *target = match (about.next(), about.next()) {
            (Some(file), None) => shown(file, *form),
            _ => None,
        };
    }

    /// Returns the file that the next request is about, if it is made by example.
    pub(super) fn example(&self) -> Option<&TargetFile> {
        match &self.turn.as_ref()?.example {
            Example::Asked(target) => Some(target),
            Example::None | Example::Edited(_) | Example::Unfinished(_) => None,
        }
    }

    /// Takes the answer to a request by example. Returns whether the model is asked again.
    pub(super) fn example_answered(&mut self, said: &str, has_calls: bool) -> bool {
        let Some(target) = self.example().cloned() else {
            return false;
        };
        if has_calls {
            self.set_example(Example::Edited(target));
            return false;
        }
        self.set_example(Example::None);
        // An answer in words is one.
        said.contains("```") && self.ask_in_next_form(target)
    }

    /// Takes the file of which an edit came in the round that ends.
    pub(super) fn take_edited(&mut self) -> Option<TargetFile> {
        let example = &mut self.turn.as_mut()?.example;
        match std::mem::replace(example, Example::None) {
            Example::Edited(target) => Some(target),
            other => {
                *example = other;
                None
            }
        }
    }

    /// Notes that an edit leaves names undefined: once in a turn the model is asked for the rest of it.
    pub(super) fn note_undefined(&mut self, call: &PreparedCall, said: &[String]) {
        let Some(turn) = self.turn.as_mut().filter(|turn| !turn.is_mended) else {
            return;
        };
        if let Example::Edited(target) = &turn.example
            && let Some(text) = call.new_text().map(str::to_owned)
        {
            turn.is_mended = true;
            turn.example = Example::Unfinished(TargetFile {
                text,
                request: format!(
                    "{}\n\nSomething is missing: {}.",
                    target.request,
                    said.join("; ")
                ),
                ..target.clone()
            });
        }
    }

    /// Takes the file whose edit left names undefined.
    pub(super) fn take_unfinished(&mut self) -> Option<TargetFile> {
        let example = &mut self.turn.as_mut()?.example;
        match std::mem::replace(example, Example::None) {
            Example::Unfinished(target) => Some(target),
            other => {
                *example = other;
                None
            }
        }
    }

    /// Asks for the rest of an edit.
    pub(super) fn ask_to_mend(&mut self, unfinished: Option<TargetFile>) {
        if let Some(target) = unfinished {
            self.outbox.inform(&format!(
                "the edit of {} leaves names undefined; asking for the rest of it",
                target.name()
            ));
            self.set_example(Example::Asked(target));
        }
        self.ask(Phase::Asking);
    }

    /// Takes the file that a prompt is about.
    pub(super) fn take_target(&mut self, prompt: Option<&str>) -> Option<TargetFile> {
        let FirstRequest::ByExample(_, target) = &mut self.first_request else {
            return None;
        };
        let target = target.take()?;
        let request = prompt?.to_owned();
        Some(TargetFile { request, ..target })
    }

    /// Asks again after an answer that is no edit, or one that was refused. Returns whether it does.
    pub(super) fn ask_in_next_form(&mut self, target: TargetFile) -> bool {
        let name = target.name();
        match target.form {
            AnswerForm::Lines if is_short(&target.text) => {
                self.outbox.inform(&format!(
                    "the answer is no edit that fits {name}; asking for the whole of it"
                ));
                let form = AnswerForm::Whole;
                self.set_example(Example::Asked(TargetFile { form, ..target }));
            }
            AnswerForm::Lines => {
                self.outbox.inform(&format!(
                    "the answer is no edit that fits {name}; asking again with tools"
                ));
                self.ledger.note(Notice::NotWhole { path: name });
            }
            AnswerForm::Whole => {
                self.outbox.inform(&format!(
                    "the model has no edit of {name} that fits; say it in other words, or ask a larger model"
                ));
                return false;
            }
        }
        self.ask(Phase::Asking);
        true
    }

    fn set_example(&mut self, example: Example) {
        if let Some(turn) = &mut self.turn {
            turn.example = example;
        }
    }
}
