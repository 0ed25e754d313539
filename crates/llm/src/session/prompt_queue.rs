//! Prompt queue: what the user wants begun, in its order, and what that waits for.
//!
//! In: prompts and commands as they come, questions of trust, the user's answers. Out: what happens next. Of what is not
//! ready only the first is worked on, so that nothing overtakes it:
//!
//! ```text
//! "fix it"   typed -> is something to be trusted first? the user is asked -> the driver prepares it -> ready
//! !ls        waits for "fix it"
//! "and x"    waits for !ls
//! ```
//!
//! A prompt that is ready begins a turn, or waits for the end of the one that runs.

use std::collections::VecDeque;

use signoff_core::engine::{Outcomes, UserEdit};
use signoff_core::stage::review::{HunkQuestion, ReviewListing};
use signoff_sandbox::waiting_commits::SettledChange;

use super::ledger::UserPrompt;
use crate::image::{Image, NamedImages};
use crate::message::CallId;
use crate::surroundings::Surroundings;
use crate::trust::TrustQuestion;

/// A prompt as the user typed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypedPrompt {
    /// What was typed.
    pub text: String,
    /// Paths outside of the workspace in it, which were typed or pasted.
    pub paths: Vec<String>,
    /// Images that were given with it.
    pub images: Vec<Image>,
    /// The hunk that is to be written again, where the text is a remark on it.
    pub about: Option<Box<HunkQuestion>>,
}

/// What there is to know before a prompt is sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreparedPrompt {
    /// What hooks add; empty if they add nothing.
    pub hooked: String,
    /// What became of the conversation's edits, where there are some.
    pub outcomes: Option<Outcomes>,
    /// What became of commits of programs.
    pub commits: Vec<SettledChange>,
    /// The review list, where the conversation has begun.
    pub listing: Option<ReviewListing>,
    /// What the user changed in files that were read.
    pub edits: Vec<UserEdit>,
    /// What there is to know of the workspace.
    pub surroundings: Option<Surroundings>,
    /// The images that were given, and those that the prompt names.
    pub images: NamedImages,
}

/// What the user is asked about: what came with the workspace or was found on this machine, and not from the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustSubject {
    /// The model that was found.
    Model,
    /// The workspace's hooks.
    Hooks,
    /// Its server of this name.
    Server(String),
}

/// A question whether something is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustRequest {
    /// The call that stands for it; no server can guess its id.
    pub call: CallId,
    /// What is asked about.
    pub subject: TrustSubject,
    /// The question.
    pub question: TrustQuestion,
}

/// What the user wants begun.
#[derive(Debug)]
enum Queued {
    /// A prompt that is to be prepared.
    Typed(TypedPrompt),
    /// A prompt that waits for the end of the turn.
    Ready(UserPrompt),
    /// A command line.
    Run(String),
    /// To ask the model again.
    Retry,
}

/// What the first of the queue that is not ready waits for.
#[derive(Debug, Default)]
enum QueueStage {
    /// Nothing.
    #[default]
    Open,
    /// The user's answer to a question.
    Answer(TrustRequest),
    /// What the driver makes of the answer.
    Decision,
    /// The driver, which prepares the prompt.
    Preparation,
}

/// What happens next with the queue.
pub(super) enum NextStep {
    /// The user is asked.
    Ask(TrustRequest),
    /// A prompt is prepared.
    Prepare(TypedPrompt),
    /// A command line runs.
    Run(String),
    /// The model is asked again.
    Retry,
}

/// What was stopped.
pub(super) enum StoppedWait {
    /// Nothing was waited for.
    Nothing,
    /// A question, with the prompts that waited for the answer.
    Question(TrustRequest, Vec<String>),
    /// The preparation of a prompt; its end is still to come.
    Preparation,
}

/// The queue.
#[derive(Debug, Default)]
pub(super) struct PromptQueue {
    queue: VecDeque<Queued>,
    stage: QueueStage,
    /// What is to be asked before the next prompt, in its order.
    questions: VecDeque<TrustRequest>,
    /// What belongs to the prompt that comes next.
    paths: Vec<String>,
    images: Vec<Image>,
}

impl PromptQueue {
    /// Takes paths that the user typed in the prompt that comes next.
    pub(super) fn give_paths(&mut self, paths: Vec<String>) {
        self.paths = paths;
    }

    /// Takes images of the prompt that comes next.
    pub(super) fn give_images(&mut self, images: Vec<Image>) {
        self.images = images;
    }

    /// Appends a prompt.
    pub(super) fn add_prompt(&mut self, text: String) {
        self.queue.push_back(Queued::Typed(TypedPrompt {
            text,
            paths: std::mem::take(&mut self.paths),
            images: std::mem::take(&mut self.images),
            about: None,
        }));
    }

    /// Appends a remark on a hunk that is to be written again.
    pub(super) fn add_remark(&mut self, remark: HunkQuestion) {
        self.queue.push_back(Queued::Typed(TypedPrompt {
            text: remark.text.clone(),
            about: Some(Box::new(remark)),
            ..TypedPrompt::default()
        }));
    }

    /// Appends a command line.
    pub(super) fn add_command(&mut self, line: String) {
        self.queue.push_back(Queued::Run(line));
    }

    /// Appends that the model is to be asked again.
    pub(super) fn add_retry(&mut self) {
        self.queue.push_back(Queued::Retry);
    }

    /// Lets a prepared prompt wait for the end of the turn, behind those that do already.
    pub(super) fn add_ready(&mut self, prompt: UserPrompt) {
        self.queue.insert(self.first_open(), Queued::Ready(prompt));
    }

    /// Takes the prompt that begins the next turn, if one is ready.
    pub(super) fn next_ready(&mut self) -> Option<UserPrompt> {
        match self.queue.pop_front()? {
            Queued::Ready(prompt) => Some(prompt),
            other => {
                self.queue.push_front(other);
                None
            }
        }
    }

    /// Has a question asked before the next prompt; one about a server at once, which is returned.
    pub(super) fn want_trust(&mut self, request: TrustRequest) -> Option<TrustRequest> {
        match request.subject {
            TrustSubject::Server(_) => {
                self.stage = QueueStage::Answer(request.clone());
                Some(request)
            }
            TrustSubject::Model | TrustSubject::Hooks => {
                self.questions.push_back(request);
                None
            }
        }
    }

    /// Tells whether a typed prompt is to be prepared.
    pub(super) fn is_typed(&self) -> bool {
        (self.queue.iter()).any(|queued| matches!(queued, Queued::Typed(_)))
    }

    /// Tells whether nothing is waited for.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.stage, QueueStage::Open)
    }

    /// Returns what happens next, if anything can; the user is asked only if `may_ask`.
    pub(super) fn next_step(&mut self, may_ask: bool) -> Option<NextStep> {
        if !self.is_open() {
            return None;
        }
        let at = self.first_open();
        if let Queued::Typed(prompt) = self.queue.get(at)? {
            let request = self.questions.front().filter(|_| may_ask);
            let (stage, step) = match request.cloned() {
                Some(request) => (QueueStage::Answer(request.clone()), NextStep::Ask(request)),
                None => (QueueStage::Preparation, NextStep::Prepare(prompt.clone())),
            };
            self.stage = stage;
            return Some(step);
        }
        match self.queue.remove(at)? {
            Queued::Run(line) => Some(NextStep::Run(line)),
            Queued::Retry => Some(NextStep::Retry),
            Queued::Typed(_) | Queued::Ready(_) => None,
        }
    }

    /// Returns what the user is asked about by this call, which is answered now.
    pub(super) fn answered(&mut self, call: &CallId) -> Option<TrustSubject> {
        match std::mem::take(&mut self.stage) {
            QueueStage::Answer(request) if request.call == *call => {
                self.stage = QueueStage::Decision;
                self.questions.retain(|question| question.call != *call);
                Some(request.subject)
            }
            stage => {
                self.stage = stage;
                None
            }
        }
    }

    /// Takes note that the answer has had its effect.
    pub(super) fn decided(&mut self) {
        if matches!(self.stage, QueueStage::Decision) {
            self.stage = QueueStage::Open;
        }
    }

    /// Takes the prompt that was prepared, if one was waited for.
    pub(super) fn prepared(&mut self) -> Option<TypedPrompt> {
        if !matches!(self.stage, QueueStage::Preparation) {
            return None;
        }
        self.stage = QueueStage::Open;
        match self.queue.remove(self.first_open())? {
            Queued::Typed(prompt) => Some(prompt),
            Queued::Ready(_) | Queued::Run(_) | Queued::Retry => None,
        }
    }

    /// Takes out all that is not ready, and returns the prompts in it.
    pub(super) fn take_prompts(&mut self) -> Vec<String> {
        let open = self.queue.split_off(self.first_open()).into_iter();
        let prompts = open.filter_map(|queued| match queued {
            Queued::Typed(prompt) => Some(prompt.text),
            Queued::Ready(_) | Queued::Run(_) | Queued::Retry => None,
        });
        prompts.collect()
    }

    /// Stops what is waited for. A question that is not answered is asked again before the next prompt.
    pub(super) fn stop(&mut self) -> StoppedWait {
        match std::mem::take(&mut self.stage) {
            QueueStage::Answer(request) => StoppedWait::Question(request, self.take_prompts()),
            QueueStage::Preparation => {
                self.stage = QueueStage::Preparation;
                StoppedWait::Preparation
            }
            stage @ (QueueStage::Open | QueueStage::Decision) => {
                self.stage = stage;
                StoppedWait::Nothing
            }
        }
    }

    /// Forgets all: nothing more begins.
    pub(super) fn clear(&mut self) {
        self.queue.clear();
    }

    /// Returns the place of the first that is not ready.
    fn first_open(&self) -> usize {
        self.queue
            .partition_point(|queued| matches!(queued, Queued::Ready(_)))
    }
}
