//! Versions of the protocol: what is told, asked and answered, as messages of the version that was agreed on.
//!
//! In: updates, questions and results, which know no version. Out: JSON. Version 2 is a draft and is spoken only where the
//! user asks for it.

mod version_one;
mod version_two;

use serde_json::{Map, Value, json};
use signoff_llm::tool::PlanStep;
use signoff_llm::tool_spec::StepStatus;

use super::offered_commands::OfferedCommand;
use super::question::{PermissionOption, PermissionQuestion};
use super::session_options::{MODE, MODEL, OptionValue, SessionOptions};
use super::update::{CallContent, CallUpdate, ChunkSpeaker, EditorUpdate, PromptEnd};

/// A version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProtocolVersion {
    One,
    /// The draft.
    Two,
}

/// How an editor is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EditorClient {
    pub(super) version: ProtocolVersion,
    /// Whether it shows forms.
    pub(super) has_forms: bool,
}

/// What a conversation has to choose from when it is opened.
#[derive(Clone, Debug)]
pub(super) struct OpenedSession<'s> {
    /// Its id, where the editor does not know it.
    pub(super) id: Option<&'s str>,
    pub(super) options: &'s SessionOptions,
    pub(super) commands: &'s [OfferedCommand],
}

impl ProtocolVersion {
    /// Returns the version that is spoken with an editor that speaks up to `requested`.
    pub(super) fn agreed(requested: u64, is_draft: bool) -> Self {
        if is_draft && requested >= 2 {
            Self::Two
        } else {
            Self::One
        }
    }

    /// Returns the answer to `initialize`.
    pub(super) fn hello(self) -> Value {
        match self {
            Self::One => version_one::hello(),
            Self::Two => version_two::hello(),
        }
    }

    /// Returns the updates that tell something; none where this version has no word for it.
    pub(super) fn updates(self, update: &EditorUpdate, messages: &mut MessageIds) -> Vec<Value> {
        match update {
            EditorUpdate::Chunk { .. } | EditorUpdate::Remark(_) | EditorUpdate::Prompt(_) => {}
            // Of these the editor shows nothing between two chunks.
            EditorUpdate::Fill { .. }
            | EditorUpdate::Options(_)
            | EditorUpdate::Commands(_)
            | EditorUpdate::Activity(_) => {}
            EditorUpdate::Call(_) | EditorUpdate::Plan(_) => messages.interrupt(),
        }
        match self {
            Self::One => version_one::updates(update, messages),
            Self::Two => version_two::updates(update, messages),
        }
    }

    /// Returns the parameters of a question, without its session.
    pub(super) fn permission(self, question: &PermissionQuestion) -> Value {
        match self {
            Self::One => version_one::permission(question),
            Self::Two => version_two::permission(question),
        }
    }

    /// Returns the answer to the request that opened a conversation.
    pub(super) fn opened(self, session: &OpenedSession<'_>) -> Value {
        match self {
            Self::One => version_one::opened(session),
            Self::Two => version_two::opened(session),
        }
    }

    /// Returns the answer to a choice.
    pub(super) fn chosen(self, options: &SessionOptions) -> Value {
        json!({"configOptions": self.options(options)})
    }

    fn options(self, options: &SessionOptions) -> Value {
        let id = match self {
            Self::One => "id",
            Self::Two => "configId",
        };
        let mode = select((id, MODE, "Mode"), options.mode.word(), &options.modes());
        let models = options.models();
        let model = select((id, MODEL, "Model"), options.model(), &models);
        if models.is_empty() {
            json!([mode])
        } else {
            json!([mode, model])
        }
    }
}

/// Returns an option that has one of several values; the editor places it by its category, which is its id.
fn select((key, id, name): (&str, &str, &str), now: &str, values: &[OptionValue]) -> Value {
    let value = |own: &OptionValue| {
        let mut value = json!({"value": own.id, "name": own.name});
        if let Some(description) = own.description {
            insert(&mut value, "description", description.into());
        }
        value
    };
    let values: Vec<Value> = values.iter().map(value).collect();
    let mut option = json!({
        "name": name,
        "category": id,
        "type": "select",
        "currentValue": now,
        "options": values,
    });
    insert(&mut option, key, id.into());
    option
}

/// The ids of messages. Chunks in a row by one speaker are a message.
#[derive(Debug)]
pub(super) struct MessageIds {
    /// Told from those of every other connection.
    prefix: String,
    /// How many messages there were.
    count: u64,
    speaker: Option<ChunkSpeaker>,
}

impl MessageIds {
    pub(super) fn new(prefix: String) -> Self {
        Self {
            prefix,
            count: 0,
            speaker: None,
        }
    }

    /// Ends the message: the next chunk begins another.
    pub(super) fn interrupt(&mut self) {
        self.speaker = None;
    }

    /// Returns the id of the message that a chunk belongs to.
    fn of(&mut self, speaker: ChunkSpeaker) -> String {
        if self.speaker != Some(speaker) {
            self.count += 1;
            self.speaker = Some(speaker);
        }
        self.newest()
    }

    /// Returns the id of the newest message.
    pub(super) fn newest(&self) -> String {
        format!("{}-{}", self.prefix, self.count)
    }

    /// Begins a message of its own, which ends with what is told by it.
    pub(super) fn single(&mut self) -> String {
        self.count += 1;
        self.speaker = None;
        self.newest()
    }
}

fn insert(value: &mut Value, key: &str, field: Value) {
    if let Some(object) = value.as_object_mut() {
        object.insert(key.to_owned(), field);
    }
}

/// Returns a chunk of a message.
fn chunk(speaker: ChunkSpeaker, id: String, text: &str) -> Value {
    let kind = match speaker {
        ChunkSpeaker::User => "user_message_chunk",
        ChunkSpeaker::Agent => "agent_message_chunk",
        ChunkSpeaker::Thought => "agent_thought_chunk",
    };
    json!({
        "sessionUpdate": kind,
        "messageId": id,
        "content": {"type": "text", "text": text},
    })
}

/// Returns a text as content of a tool call.
fn text_content(text: &str) -> Value {
    json!({"type": "content", "content": {"type": "text", "text": text}})
}

/// Returns a tool call; `contents` tells its content as the version does.
fn tool_call(call: &CallUpdate, contents: fn(&CallContent) -> Vec<Value>) -> Value {
    let mut fields = Map::new();
    fields.insert("toolCallId".to_owned(), call.id.clone().into());
    fields.insert("status".to_owned(), call.status.word().into());
    if let Some(title) = &call.title {
        fields.insert("title".to_owned(), title.clone().into());
    }
    if let Some(kind) = call.kind {
        fields.insert("kind".to_owned(), kind.into());
    }
    if let Some(file) = &call.file {
        fields.insert("locations".to_owned(), json!([{"path": file}]));
    }
    if let Some(outcome) = call.outcome {
        fields.insert("rawOutput".to_owned(), json!({"outcome": outcome}));
    }
    if let Some(content) = &call.content {
        let content: Vec<Value> = content.iter().flat_map(contents).collect();
        fields.insert("content".to_owned(), content.into());
    }
    fields.into()
}

fn options_of(question: &PermissionQuestion) -> Value {
    let option =
        |own: &PermissionOption| json!({"optionId": own.id, "name": own.name, "kind": own.kind});
    question.options.iter().map(option).collect()
}

fn plan_entries(steps: &[PlanStep]) -> Value {
    let entry = |step: &PlanStep| {
        json!({
            "content": step.step,
            "priority": "medium",
            "status": match step.status {
                StepStatus::Pending => "pending",
                StepStatus::InProgress => "in_progress",
                StepStatus::Completed => "completed",
            },
        })
    };
    steps.iter().map(entry).collect()
}

/// Returns why a prompt ended; that it failed is an error in version 1.
pub(super) fn stop_reason(end: PromptEnd) -> &'static str {
    match end {
        PromptEnd::Done => "end_turn",
        PromptEnd::Limit => "max_turn_requests",
        PromptEnd::Cancelled => "cancelled",
        PromptEnd::Failed => "error",
    }
}

/// Returns what fills the model's memory; `spent` in millionths of a dollar.
fn usage(tokens: u64, of: u64, spent: Option<u64>) -> Value {
    let mut update = json!({"sessionUpdate": "usage_update", "used": tokens, "size": of});
    let dollars = spent.map(|spent| format!("{}.{:06}", spent / 1_000_000, spent % 1_000_000));
    if let Some(amount) = dollars.and_then(|text| text.parse::<f64>().ok()) {
        insert(
            &mut update,
            "cost",
            json!({"amount": amount, "currency": "USD"}),
        );
    }
    update
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_draft_is_spoken_only_where_both_want_it() {
        for (requested, is_draft, expected) in [
            (0, true, ProtocolVersion::One),
            (1, true, ProtocolVersion::One),
            (2, true, ProtocolVersion::Two),
            (99, true, ProtocolVersion::Two),
            (2, false, ProtocolVersion::One),
        ] {
            assert_eq!(ProtocolVersion::agreed(requested, is_draft), expected);
        }
    }

    #[test]
    fn chunks_in_a_row_are_a_message() {
        let mut ids = MessageIds::new("p".to_owned());
        assert_eq!(ids.of(ChunkSpeaker::Agent), "p-1");
        assert_eq!(ids.of(ChunkSpeaker::Agent), "p-1");
        assert_eq!(ids.of(ChunkSpeaker::Thought), "p-2");
        assert_eq!(ids.single(), "p-3");
        assert_eq!(ids.of(ChunkSpeaker::Thought), "p-4");
        ids.interrupt();
        assert_eq!(ids.of(ChunkSpeaker::Thought), "p-5");
    }

    #[test]
    fn money_keeps_its_digits() {
        let update = usage(1, 2, Some(1_000_250));
        assert_eq!(update["cost"]["amount"], 1.00025);
        assert!(usage(1, 2, None).get("cost").is_none());
    }
}
