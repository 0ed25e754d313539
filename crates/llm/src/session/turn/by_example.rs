//! First requests by example, for models that follow one and call tools badly.
//!
//! In: what is attached to a prompt. Out: the file that the request is about, if it is one, or the part of a longer
//! one. A model whose lines fit nowhere is asked once more: for the whole of a short text, after which it is given up, and
//! with tools about a longer one.

use super::super::ledger::UserPrompt;
use super::Turn;
use crate::message::{AnswerForm, TargetFile};
use crate::notice::Notice;
use crate::surroundings::{AttachedFile, Grounds, Surroundings};
use crate::tool::PreparedCall;

/// What is asked by example in a turn.
#[derive(Debug, Default)]
pub(in crate::session) enum Example {
    /// Nothing, or what was asked so came to nothing.
    #[default]
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
pub(in crate::session) enum FirstRequest {
    /// With tools.
    WithTools,
    /// By example, where the next prompt is about one file.
    ByExample(AnswerForm, Option<TargetFile>),
}

/// How a model is asked again whose answer is no edit that fits.
#[derive(Debug)]
pub(in crate::session) enum Retrial {
    /// For the whole of the file.
    Whole {
        /// What the user is told.
        said: String,
        /// The file.
        target: TargetFile,
    },
    /// With tools.
    WithTools {
        /// What the user is told.
        said: String,
        /// What the model is told.
        notice: Notice,
    },
    /// Not at all.
    Never {
        /// What the user is told.
        said: String,
    },
}

/// Lines of a file or a part that such a model writes out without losing any.
const MAX_LINES: usize = 150;

/// Bytes that an answer may have beside the file's text twice: a few sentences around it.
const AROUND: usize = 2048;

/// Tells whether an answer repeats itself: small models do, until they are stopped.
pub(in crate::session) fn runs_away(target: &TargetFile, bytes: usize) -> bool {
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

impl FirstRequest {
    /// Returns how requests of this form are made; with tools where there is none.
    pub(in crate::session) fn of(form: Option<AnswerForm>) -> Self {
        match form {
            Some(form) => Self::ByExample(form, None),
            None => Self::WithTools,
        }
    }

    /// Notes the file that the next prompt is about.
    pub(in crate::session) fn note_target(&mut self, given: &Surroundings) {
        let Self::ByExample(form, target) = self else {
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

    /// Takes what a turn that begins with this prompt asks by example.
    pub(in crate::session) fn take(&mut self, prompt: Option<&UserPrompt>) -> Example {
        let Self::ByExample(_, target) = self else {
            return Example::None;
        };
        let target = target.take();
        // A request by example holds one file and no image.
        match (target, prompt.filter(|prompt| prompt.images.is_empty())) {
            (Some(target), Some(prompt)) => Example::Asked(TargetFile {
                request: prompt.text.clone(),
                ..target
            }),
            _ => Example::None,
        }
    }
}

impl Turn {
    /// Returns the file that the next request is about, if it is made by example.
    pub(in crate::session) fn target(&self) -> Option<&TargetFile> {
        match &self.example {
            Example::Asked(target) => Some(target),
            Example::None | Example::Edited(_) | Example::Unfinished(_) => None,
        }
    }

    /// Asks the next request by example.
    pub(in crate::session) fn ask_by_example(&mut self, target: TargetFile) {
        self.example = Example::Asked(target);
    }

    /// Takes the answer to a request by example. Returns the file, if the model is to be asked again.
    pub(in crate::session) fn answer_example(
        &mut self,
        said: &str,
        has_calls: bool,
    ) -> Option<TargetFile> {
        let target = self.target()?.clone();
        if has_calls {
            self.example = Example::Edited(target);
            return None;
        }
        self.example = Example::None;
        // An answer in words is one.
        said.contains("```").then_some(target)
    }

    /// Takes the file of which an edit came in the round that ends.
    pub(in crate::session) fn take_edited(&mut self) -> Option<TargetFile> {
        match std::mem::replace(&mut self.example, Example::None) {
            Example::Edited(target) => Some(target),
            other => {
                self.example = other;
                None
            }
        }
    }

    /// Takes the file whose edit left names undefined.
    pub(in crate::session) fn take_unfinished(&mut self) -> Option<TargetFile> {
        match std::mem::replace(&mut self.example, Example::None) {
            Example::Unfinished(target) => Some(target),
            other => {
                self.example = other;
                None
            }
        }
    }

    /// Notes that an edit leaves names undefined: once in a turn the model is asked for the rest of it.
    pub(in crate::session) fn note_undefined(&mut self, call: &PreparedCall, said: &[String]) {
        if self.is_mended {
            return;
        }
        if let Example::Edited(target) = &self.example
            && let Some(text) = call.new_text().map(str::to_owned)
        {
            self.is_mended = true;
            self.example = Example::Unfinished(TargetFile {
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
}

impl Retrial {
    /// Returns how a model is asked after an answer that is no edit, or one that was refused.
    pub(in crate::session) fn after(target: TargetFile) -> Self {
        let name = target.name();
        match target.form {
            AnswerForm::Lines if is_short(&target.text) => Self::Whole {
                said: format!("the answer is no edit that fits {name}; asking for the whole of it"),
                target: TargetFile {
                    form: AnswerForm::Whole,
                    ..target
                },
            },
            AnswerForm::Lines => Self::WithTools {
                said: format!("the answer is no edit that fits {name}; asking again with tools"),
                notice: Notice::NotWhole { path: name },
            },
            AnswerForm::Whole => Self::Never {
                said: format!(
                    "the model has no edit of {name} that fits; say it in other words, or ask a larger model"
                ),
            },
        }
    }
}
