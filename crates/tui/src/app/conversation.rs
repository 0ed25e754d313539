//! Conversation: the user's side of it. What is typed and completed, prompts that wait, the plan.
//!
//! In: edits, prompts, the state of the conversation. Out: what the session is asked, and what is typed and not sent.

mod completion;
mod picker;

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};

use signoff_core::id::Timestamp;
use signoff_llm::mention;
use signoff_llm::mode::Mode;
use signoff_llm::session::{Command, ConversationState, TurnEnd};

use self::completion::Completion;
pub(super) use self::picker::Picker;
use super::slash::{self, Typed};
use super::status::Status;
use crate::composer::pasted_image::PastedImage;
use crate::composer::{Composer, Edit};
use crate::review::history::History;

/// How a prompt begins that carries out a plan: it ends plan mode.
const CARRY_OUT: &str = "Carry out this plan:";

/// What waits until the session takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Queued {
    /// Goes to the model.
    Prompt(String),
    /// A command line of the user's.
    Run(String),
}

impl Queued {
    /// Returns it as it is typed.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Prompt(text) => Cow::Borrowed(text),
            Self::Run(line) => Cow::Owned(format!("!{line}")),
        }
    }
}

/// Paths outside of the workspace, by who wrote them: only those that the user typed are read.
#[derive(Debug, Default)]
struct PathAuthors {
    users: HashSet<String>,
    /// In what the model wrote and the interface put into a prompt.
    models: HashSet<String>,
}

/// The user's side of the conversation.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    composer: Composer,
    completion: Completion,
    /// Prompts that were not handed over yet, the next one first.
    queue: VecDeque<Queued>,
    paths: PathAuthors,
    /// True while what was handed over last is a command of the user's, whose output they want to read.
    runs_command: bool,
    /// True once a turn is over that left nothing to decide on: what waits then is of earlier turns.
    left_nothing: bool,
    /// The unsent text as it was handed over last to be kept.
    kept_draft: String,
    /// Long pastes of prompts that were sent and are not in the transcript yet, each with what stands in for it.
    pastes: Vec<(String, String)>,
}

/// What is typed.
impl Conversation {
    /// Returns the conversation as it begins, with a prompt to be sent and what an earlier run left unsent.
    pub(super) fn new(initial_prompt: Option<&str>, draft: Option<String>) -> Self {
        let mut begun = Self {
            kept_draft: draft.unwrap_or_default(),
            ..Self::default()
        };
        let Some(prompt) = initial_prompt else {
            begun.composer.set(&begun.kept_draft);
            return begun;
        };
        begun.composer.note(&begun.kept_draft);
        match slash::read(prompt) {
            Typed::Nothing => begun.composer.set(&begun.kept_draft),
            Typed::Prompt(prompt) => {
                begun.composer.note(&prompt);
                begun.note_typed(&prompt);
                begun.queue.push_back(Queued::Prompt(prompt));
            }
            // What is asked of the interface is no prompt for a model: Enter has it done.
            Typed::Slash(_) | Typed::Run(_) | Typed::Answer(_) => begun.composer.set(prompt),
        }
        begun
    }

    /// Returns what is typed.
    pub(crate) fn composer(&self) -> &Composer {
        &self.composer
    }

    /// Returns the same, to be laid out.
    pub(super) fn composer_mut(&mut self) -> &mut Composer {
        &mut self.composer
    }

    /// Returns what is typed, and what stands where nothing is.
    pub(crate) fn typed(&self) -> (&Composer, &'static str) {
        let placeholder = if self.composer.is_searching() {
            "Search earlier prompts"
        } else {
            "Ask for a change"
        };
        (&self.composer, placeholder)
    }

    /// Edits the text, and completes what is at the cursor then.
    pub(super) fn edit(&mut self, edit: Edit, history: &History) {
        self.composer.edit(edit);
        if !matches!(edit, Edit::Up | Edit::Down) {
            self.complete(history);
        }
    }

    /// Puts pasted text in, a long one folded.
    pub(super) fn paste(&mut self, text: &str, history: &History) {
        self.composer.paste_folded(text);
        self.complete(history);
    }

    /// Begins a command in the place of what is typed, which becomes an earlier prompt; false if nothing was typed.
    pub(super) fn begin_command(&mut self, text: &str, history: &History) -> bool {
        let draft = self.composer.text().into_owned();
        let was_typed = !draft.trim().is_empty();
        if was_typed {
            self.composer.note(&draft);
        }
        self.composer.set(text);
        self.complete(history);
        was_typed
    }

    /// Puts an image in whose path was pasted.
    pub(super) fn paste_image(&mut self, image: &PastedImage, history: &History) {
        self.composer.paste_image(image);
        self.complete(history);
    }

    /// Returns what the text means.
    pub(super) fn read(&self) -> Typed {
        slash::read_with(&self.composer.text(), self.completion.skills())
    }

    /// Puts what is typed away; it can be recalled.
    pub(super) fn clear(&mut self) {
        self.composer.take();
    }

    /// Opens a folded paste beside the cursor; false if there is none.
    pub(super) fn unfold(&mut self) -> bool {
        self.composer.unfold()
    }

    /// Puts prompts of earlier runs before those of this one.
    pub(super) fn remember(&mut self, earlier: Vec<String>) {
        self.composer.remember(earlier);
    }

    /// Returns the prompts that were sent since the last call.
    pub(super) fn take_prompts(&mut self) -> Vec<String> {
        self.composer.take_new()
    }

    /// Returns the text for the user's editor.
    pub(super) fn text_to_edit(&mut self) -> String {
        self.composer.end_search();
        self.composer.offer(None);
        self.composer.text().into_owned()
    }

    /// Takes over what the user's editor left of the text.
    pub(super) fn edited(&mut self, text: &str) {
        // An editor ends every file with a line ending.
        (self.composer).replace(text.strip_suffix('\n').unwrap_or(text));
    }

    /// Puts a text where it can be changed and sent; false if something else is typed.
    pub(super) fn propose(&mut self, text: &str) -> bool {
        let is_free = self.composer.is_empty();
        if is_free {
            self.composer.set(text);
        }
        is_free
    }

    /// Puts a prompt back where it can be changed, or recalled if something else is typed.
    pub(super) fn give_back(&mut self, prompt: &str) {
        if self.composer.is_empty() {
            self.composer.replace(prompt);
        } else {
            self.composer.note(prompt);
        }
    }

    /// Returns what is typed and not sent, if it changed since the last call.
    pub(super) fn take_draft(&mut self) -> Option<String> {
        let queued = self.queue.iter().map(Queued::text);
        let typed = self.composer.draft();
        let typed = Some(typed).filter(|text| !text.is_empty());
        let draft = queued.chain(typed).collect::<Vec<_>>().join("\n");
        if draft == self.kept_draft {
            return None;
        }
        self.kept_draft.clone_from(&draft);
        Some(draft)
    }
}

/// What is sent, and what waits for its turn.
impl Conversation {
    /// Returns the prompts that wait, the next one first.
    pub(crate) fn queue(&self) -> &VecDeque<Queued> {
        &self.queue
    }

    /// Sends what is typed, which is this prompt.
    pub(super) fn send(
        &mut self,
        prompt: Queued,
        status: &mut Status,
        now: Timestamp,
    ) -> Vec<Command> {
        if let Queued::Prompt(_) = prompt {
            let typed = self.composer.typed_text();
            self.note_typed(&typed);
            self.pastes.extend(self.composer.pastes());
        }
        self.clear();
        self.submit(prompt, status, now)
    }

    /// Returns a prompt that was sent with what stood in the composer for its long pastes; nothing if it has none.
    pub(super) fn folded(&mut self, sent: &str) -> Option<String> {
        let mut folded = None;
        self.pastes.retain(|(paste, label)| {
            let text = folded.as_deref().unwrap_or(sent);
            let Some((before, after)) = text.split_once(paste.trim()) else {
                return true;
            };
            folded = Some(format!("{before}{label}{after}"));
            false
        });
        folded
    }

    /// Hands a prompt to the session, or keeps it until the session takes one; behind those that wait already.
    pub(super) fn submit(
        &mut self,
        prompt: Queued,
        status: &mut Status,
        now: Timestamp,
    ) -> Vec<Command> {
        if !status.is_ready() || status.is_busy() || !self.queue.is_empty() {
            self.queue.push_back(prompt);
            return Vec::new();
        }
        self.begin(prompt, status, now)
    }

    /// Hands the next prompt to the session, if it takes one.
    pub(super) fn go_on(&mut self, status: &mut Status, now: Timestamp) -> Vec<Command> {
        let is_at_rest = status.is_ready() && !status.is_busy();
        if !(status.is_idle() || self.left_nothing && is_at_rest) {
            return Vec::new();
        }
        match self.queue.pop_front() {
            Some(prompt) => self.begin(prompt, status, now),
            None => Vec::new(),
        }
    }

    /// Takes note of how a turn ended.
    pub(super) fn note_end(&mut self, end: TurnEnd) {
        self.left_nothing = end == TurnEnd::Done;
    }

    fn begin(&mut self, prompt: Queued, status: &mut Status, now: Timestamp) -> Vec<Command> {
        self.left_nothing = false;
        status.submitted(now);
        self.runs_command = matches!(prompt, Queued::Run(_));
        let prompt = match prompt {
            Queued::Prompt(text) => text,
            Queued::Run(line) => return vec![Command::Run(line)],
        };
        let mut commands = Vec::new();
        let mode = status.conversation().mode;
        let is_plan = mode == Mode::Plan && prompt.starts_with(CARRY_OUT);
        let mut typed = mention::leading_out(&prompt);
        typed.retain(|path| self.paths.users.contains(path));
        if !typed.is_empty() {
            commands.push(Command::TypedPaths(typed));
        }
        commands.push(if is_plan {
            Command::CarryOut(prompt)
        } else {
            Command::Submit(prompt)
        });
        commands
    }

    /// Tells whether the turn that runs is a command of the user's.
    pub(super) fn runs_command(&self) -> bool {
        self.runs_command
    }

    /// Takes over that a turn has ended.
    pub(super) fn turn_ended(&mut self) {
        self.runs_command = false;
    }

    /// Takes note of the paths in what the user typed.
    fn note_typed(&mut self, text: &str) {
        let mut paths = mention::leading_out(text);
        paths.retain(|path| !self.paths.models.contains(path));
        self.paths.users.extend(paths);
    }

    /// Takes note of the paths in text that the user did not type, and that may be in a prompt.
    pub(super) fn note_written_by_model(&mut self, text: &str) {
        self.paths.models.extend(mention::leading_out(text));
    }

    /// Takes the prompt that was queued last back into the composer; false if there is none.
    pub(super) fn requeue(&mut self) -> bool {
        let last = self.queue.pop_back();
        if let Some(prompt) = &last {
            self.composer.set(&prompt.text());
        }
        last.is_some()
    }

    /// Removes the prompt that was queued last, and returns what is said of it; it can be recalled.
    pub(super) fn unqueue(&mut self) -> String {
        let Some(prompt) = self.queue.pop_back() else {
            return "No prompt is queued".to_owned();
        };
        let text = prompt.text();
        let line = text.lines().next().unwrap_or_default();
        let line: String = line.chars().take(40).collect();
        format!("Removed from the queue: {line}")
    }

    /// Puts prompts that were not sent back where they can be seen and changed.
    pub(super) fn give_queue_back(&mut self, status: &Status) {
        if self.queue.is_empty() || !status.is_ready() {
            return;
        }
        let queued = self.queue.drain(..);
        let mut texts: Vec<String> = queued.map(|it| it.text().into_owned()).collect();
        if !self.composer.is_empty() {
            texts.push(self.composer.text().into_owned());
        }
        self.composer.set(&texts.join("\n"));
    }
}

/// What the model says.
impl Conversation {
    /// Puts the plan that the model has made where it can be edited and sent, if it has, and nothing is typed.
    pub(super) fn propose_plan(&mut self, state: &ConversationState) -> bool {
        let plan = state.said.trim();
        let is_plan = state.mode == Mode::Plan && !plan.is_empty();
        let plan = format!("{CARRY_OUT}\n\n{plan}");
        let is_proposed = is_plan && self.propose(&plan);
        if is_proposed {
            self.note_written_by_model(&plan);
        }
        is_proposed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_with_the_prompt_of_the_command_line_or_with_the_draft() {
        let check = |prompt: Option<&str>, draft: &str, expected: (&str, &[&str], &[&str])| {
            let mut begun = Conversation::new(prompt, Some(draft.to_owned()));
            let queued: Vec<_> = begun.queue.iter().map(Queued::text).collect();
            let (typed, queue, recalled) = expected;
            assert_eq!(begun.composer.text(), typed, "{prompt:?}");
            assert_eq!(queued, queue, "{prompt:?}");
            assert_eq!(begun.composer.take_new(), recalled, "{prompt:?}");
        };
        check(None, "old", ("old", &[], &[]));
        check(Some(" "), "old", ("old", &[], &["old"]));
        check(Some("new"), "old", ("", &["new"], &["old", "new"]));
        check(Some("new"), "", ("", &["new"], &["new"]));
        check(Some("/undo"), "old", ("/undo", &[], &["old"]));
        check(Some("!ls"), "old", ("!ls", &[], &["old"]));
    }
}
