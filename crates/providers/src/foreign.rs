//! Foreign servers: tools, resources and prompts that servers of the Model Context Protocol offer to a conversation.
//!
//! In: words to look for, a tool's name with arguments, a resource's address. Out: text, already bounded and marked as
//! foreign. `signoff-mcp` implements it; nothing is started before something is asked of a server. [`fenced`] marks text
//! that neither signoff nor the user wrote.

use serde::Serialize;
use signoff_source::budget::Stop;
use signoff_source::quote::{fence, is_hidden, is_line_break};

use crate::image::Image;
use crate::trust::TrustQuestion;

/// What is known of a tool without asking its server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownTool {
    /// The hash of its description and its schema.
    pub fingerprint: String,
    /// Whether these differ from what the user's permission was for.
    pub is_changed: bool,
}

/// One call of a tool of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignCall {
    /// `server__tool`.
    pub tool: String,
    /// The arguments, an object.
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// The hash of the description and the schema that the permission is for.
    pub fingerprint: String,
}

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignAnswer {
    /// What the model reads.
    pub content: String,
    /// False if the server says that the call failed, or gave no answer.
    pub ok: bool,
    /// One line for the user.
    pub summary: String,
    /// Images that came with it.
    pub images: Vec<Image>,
}

/// What the user asks about servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerRequest {
    /// What is configured, and how it stands.
    List,
    /// Start this one, and say what it offers.
    Connect(String),
    /// Ask whether this one, which the workspace names, is allowed.
    Allow(String),
    /// Refuse this one, which the workspace names.
    Refuse(String),
}

/// How servers stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ServersReport {
    /// What there is to say, a line each. Stable.
    pub lines: Vec<String>,
    /// The prompts of the servers that run: `server:prompt`, and what it is.
    pub prompts: Vec<(String, String)>,
    /// The resources of the servers that run: `server:address`, and what it is.
    pub resources: Vec<(String, String)>,
}

/// The servers of a conversation. All but [`Self::listing`], [`Self::known`] and [`Self::has`] may wait for a server,
/// for a bounded time and until `stop`.
pub trait ForeignServers: Send + Sync {
    /// Returns what the first message says of the servers; empty if there are none.
    fn listing(&self) -> String;

    /// Tells whether there is a server of this name that may be asked.
    fn has(&self, server: &str) -> bool;

    /// Returns what is known of a tool of a server that runs.
    fn known(&self, tool: &str) -> Option<KnownTool>;

    /// Returns the tools that words are about, with their schemas; the names of all where there are no words.
    fn find(&self, words: &str, stop: &Stop) -> ForeignAnswer;

    /// Calls a tool.
    fn call(&self, call: &ForeignCall, stop: &Stop) -> ForeignAnswer;

    /// Returns the text of a resource.
    fn resource(&self, server: &str, address: &str, stop: &Stop) -> ForeignAnswer;

    /// Returns a prompt with these words as its arguments.
    fn prompt(&self, server: &str, prompt: &str, words: &str, stop: &Stop) -> ForeignAnswer;

    /// Returns what the user is to be shown, all of it, before a server that the workspace names is allowed; none if it is
    /// not such a server, or is allowed already.
    fn trust_question(&self, server: &str) -> Option<TrustQuestion>;

    /// Allows a server after its question was displayed and answered so, or leaves it as it is, and says what holds.
    fn answer_trust(&self, server: &str, is_allowed: bool) -> ServersReport;

    /// Says how servers stand, after doing what the user asks. Nothing is allowed by this: [`Self::answer_trust`] does.
    fn report(&self, request: &ServerRequest, stop: &Stop) -> ServersReport;
}

/// Returns a text without characters that do not print, cut to `most` bytes.
pub fn cleaned(text: &str, most: usize) -> String {
    let mut clean = String::new();
    for (at, c) in text.char_indices() {
        let shown = match c {
            '\n' | '\t' => c,
            // Of `\r\n`, the second is kept.
            '\r' => continue,
            _ if c.is_control() || is_hidden(c) || is_line_break(c) => '\u{fffd}',
            _ => c,
        };
        if clean.len() + shown.len_utf8() > most {
            let left = text.len() - at;
            clean += &format!("\n(cut: {left} more bytes)");
            break;
        }
        clean.push(shown);
    }
    clean
}

/// Returns a text, cleaned and cut, between fences that it cannot close, below a line that says what it is.
pub fn fenced(head: &str, text: &str, most: usize) -> String {
    let text = cleaned(text, most);
    let text = text.trim_end_matches('\n');
    let edge = fence(text);
    format!("{head}:\n{edge}\n{text}\n{edge}")
}
