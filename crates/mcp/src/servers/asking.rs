//! Requests to one server: calls of tools, resources, prompts.
//!
//! In: a name and arguments. Out: what the server answered, as text.

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, GetPromptRequestParams, ReadResourceRequestParams};
use serde_json::{Map, Value};
use signoff_providers::trust::TrustStanding;
use signoff_source::plural::counted;

use super::content::GivenContent;
use super::{
    Connection, ConnectionState, ForeignAnswer, ForeignCall, MOST_STARTS, Server, ServerTrouble,
    Servers, Stop, failed, lock,
};
use crate::catalogue::ListedPrompt;
use crate::foreign_text::{line, marked};

/// Bytes of an answer of a tool.
const MOST_ANSWER: usize = 64 * 1024;
/// Bytes of a resource or a prompt.
const MOST_GIVEN: usize = 32 * 1024;
/// Times that a server may ask for more before it answers; what it asks for is declined.
const MOST_ROUNDS: usize = 4;

impl Servers {
    /// Returns a connection that is open, and reads what the server offers where that is not known.
    pub(super) async fn connected(&self, server: &Server) -> Result<Arc<Connection>, String> {
        let name = server.name();
        match server.definition.standing() {
            Ok(TrustStanding::Trusted) => {}
            Ok(TrustStanding::Changed | TrustStanding::Unknown) => {
                return Err(format!(
                    "the workspace names the server {name}, and the user has not allowed it: /mcp allow {name}"
                ));
            }
            Ok(TrustStanding::Refused) => {
                return Err(format!("the user refused the server {name}"));
            }
            Err(why) => {
                return Err(format!("the server {name} cannot be used: {why}"));
            }
        }
        let mut state = server.connection.lock().await;
        if let Some(open) = state.open.as_ref().filter(|open| !open.is_closed()) {
            let open = Arc::clone(open);
            if open.has_changed() {
                let listed = open.catalogue().await;
                self.take(server, &mut state, listed.map(|it| (it, Arc::clone(&open))))?;
            }
            return Ok(open);
        }
        state.open = None;
        if state.starts >= MOST_STARTS {
            return Err(format!(
                "the server {name} ended {MOST_STARTS} times and is not started again: /mcp {name} does"
            ));
        }
        state.starts += 1;
        server.say("starting".to_owned());
        let opened = match Connection::open(&server.definition, &self.launcher).await {
            Ok(open) => {
                let open = Arc::new(open);
                open.catalogue().await.map(|listed| (listed, open))
            }
            Err(trouble) => Err(trouble),
        };
        self.take(server, &mut state, opened)
    }

    /// Takes over what came of starting a server or asking what it offers.
    fn take(
        &self,
        server: &Server,
        state: &mut ConnectionState,
        outcome: Result<(crate::catalogue::Catalogue, Arc<Connection>), ServerTrouble>,
    ) -> Result<Arc<Connection>, String> {
        match outcome {
            Ok((listed, open)) => {
                *lock(&server.catalogue) = Some(listed);
                server.say(format!("runs: {}", open.about()));
                state.open = Some(Arc::clone(&open));
                Ok(open)
            }
            Err(trouble) => {
                state.open = None;
                if let ServerTrouble::Forbidden(_) = trouble {
                    // It did not end; the user can sign in in the meantime.
                    state.starts = state.starts.saturating_sub(1);
                }
                server.say(trouble.to_string());
                Err(trouble.to_string())
            }
        }
    }

    /// Closes a connection that is of no more use.
    pub(super) async fn give_up(&self, server: &Server, trouble: &ServerTrouble) {
        match trouble {
            ServerTrouble::Refused(_) => {}
            ServerTrouble::Broken(why) => {
                server.say(why.clone());
                server.connection.lock().await.open = None;
            }
            // The next connection takes up what the user signs in to in the meantime.
            ServerTrouble::Forbidden(why) => {
                server.say(why.clone());
                let mut state = server.connection.lock().await;
                state.open = None;
                state.starts = state.starts.saturating_sub(1);
            }
        }
    }

    pub(super) fn call_tool(&self, call: &ForeignCall, stop: &Stop) -> ForeignAnswer {
        let Some((server, tool)) = self.of_tool(&call.tool) else {
            return failed("there is no such tool", "no such tool");
        };
        let asked = self.wait(stop, async {
            let open = self.connected(server).await?;
            let listed = server.tool(tool);
            if listed.is_none_or(|listed| listed.fingerprint != call.fingerprint) {
                return Err(
                    "what the server says of this tool changed after the call was allowed, so it was not made; \
                     look for the tool with mcp_find again"
                        .to_owned(),
                );
            }
            self.note_approval(server, tool, &call.fingerprint);
            let params = CallToolRequestParams::new(tool.to_owned())
                .with_arguments(call.arguments.clone());
            let sent = open
                .service()
                .call_tool_with_mrtr_max_rounds(params, MOST_ROUNDS);
            let answered = open.ask(sent).await;
            self.outcome(server, answered).await
        });
        let what = format!("Answer of {} ", call.tool);
        match asked.and_then(|asked| asked) {
            Ok(result) => {
                let is_error = result.is_error == Some(true);
                let GivenContent { text, images } = GivenContent::of_tool(&result, &call.tool);
                let size = match images.len() {
                    0 => format!("{} bytes", text.len()),
                    some => format!("{} bytes, {}", text.len(), counted(some, "image")),
                };
                let head = if is_error { "error: " } else { "" };
                ForeignAnswer {
                    content: head.to_owned() + &marked(server.name(), &what, &text, MOST_ANSWER),
                    ok: !is_error,
                    summary: if is_error {
                        format!("the tool failed: {}", line(&text, 160))
                    } else {
                        size
                    },
                    images,
                }
            }
            Err(why) => failed(&why, &why),
        }
    }

    fn note_approval(&self, server: &Server, tool: &str, fingerprint: &str) {
        let key = server.approval_key();
        self.approvals().note(&key, tool, fingerprint);
    }

    async fn outcome<T>(
        &self,
        server: &Server,
        answered: Result<T, ServerTrouble>,
    ) -> Result<T, String> {
        match answered {
            Ok(answer) => Ok(answer),
            Err(trouble) => {
                self.give_up(server, &trouble).await;
                Err(trouble.to_string())
            }
        }
    }

    pub(super) fn read_resource(&self, name: &str, word: &str, stop: &Stop) -> ForeignAnswer {
        let Some(server) = self.server(name) else {
            return failed("there is no such server", "no such server");
        };
        let asked = self.wait(stop, async {
            let open = self.connected(server).await?;
            let address = match &*lock(&server.catalogue) {
                Some(listed) => listed.address(word).to_owned(),
                None => word.to_owned(),
            };
            let params = ReadResourceRequestParams::new(address);
            let sent = open
                .service()
                .read_resource_with_mrtr_max_rounds(params, MOST_ROUNDS);
            let answered = open.ask(sent).await;
            self.outcome(server, answered).await
        });
        let shown = line(word, 200);
        let what = format!("Resource {shown} ");
        given(
            server,
            &what,
            asked
                .and_then(|asked| asked)
                .map(|it| GivenContent::of_resource(&it, name)),
        )
    }

    pub(super) fn get_prompt(
        &self,
        name: &str,
        prompt: &str,
        words: &str,
        stop: &Stop,
    ) -> ForeignAnswer {
        let Some(server) = self.server(name) else {
            return failed("there is no such server", "no such server");
        };
        let asked = self.wait(stop, async {
            let open = self.connected(server).await?;
            let listed = {
                let catalogue = lock(&server.catalogue);
                let mut prompts = catalogue.iter().flat_map(|it| &it.prompts);
                prompts.find(|it| it.name == prompt).cloned()
            };
            let Some(listed) = listed else {
                return Err(format!(
                    "the server {name} has no prompt {}",
                    line(prompt, 100)
                ));
            };
            let arguments = arguments(&listed, words)?;
            let params = GetPromptRequestParams::new(prompt).with_arguments(arguments);
            let sent = open
                .service()
                .get_prompt_with_mrtr_max_rounds(params, MOST_ROUNDS);
            let answered = open.ask(sent).await;
            self.outcome(server, answered).await
        });
        let what = format!("Prompt {} that the user called for, ", line(prompt, 100));
        given(
            server,
            &what,
            asked
                .and_then(|asked| asked)
                .map(|it| GivenContent::of_prompt(&it, name)),
        )
    }
}

/// Returns what is put into a request.
fn given(server: &Server, what: &str, given: Result<GivenContent, String>) -> ForeignAnswer {
    match given {
        Ok(GivenContent { text, images }) => ForeignAnswer {
            content: marked(server.name(), what, &text, MOST_GIVEN),
            ok: true,
            summary: format!("{} bytes", text.len()),
            images,
        },
        Err(why) => ForeignAnswer {
            content: marked(
                server.name(),
                &format!("{what}(it cannot be read) "),
                &why,
                MOST_GIVEN,
            ),
            ok: false,
            summary: line(&why, 200),
            images: Vec::new(),
        },
    }
}

/// Returns the arguments of a prompt: one word for each, and all that is left for the last.
fn arguments(prompt: &ListedPrompt, words: &str) -> Result<Map<String, Value>, String> {
    let mut given = Map::new();
    let mut rest = words.trim();
    for (at, (name, is_required)) in prompt.arguments.iter().enumerate() {
        let is_last = at + 1 == prompt.arguments.len();
        let (word, left) = match rest.split_once(char::is_whitespace) {
            Some((word, left)) if !is_last => (word, left.trim_start()),
            Some(_) | None => (rest, ""),
        };
        rest = left;
        if !word.is_empty() {
            given.insert(name.clone(), Value::String(word.to_owned()));
        } else if *is_required {
            let names = prompt.arguments.iter().map(|(name, _)| name.as_str());
            let names = line(&names.collect::<Vec<_>>().join(" "), 200);
            return Err(format!("the prompt needs more words after it: {names}"));
        }
    }
    if rest.is_empty() {
        Ok(given)
    } else {
        Err("the prompt takes no words after it".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_arguments_of_a_prompt_in_order() {
        let prompt = |arguments: &[(&str, bool)]| ListedPrompt {
            name: "p".to_owned(),
            description: String::new(),
            arguments: arguments
                .iter()
                .map(|(name, is)| ((*name).to_owned(), *is))
                .collect(),
        };
        let check = |of: &[(&str, bool)], words: &str, expected: &str| {
            let read = arguments(&prompt(of), words).map(|read| Value::Object(read).to_string());
            assert_eq!(read.unwrap_or_else(|why| why), expected, "{words}");
        };
        check(&[], "", "{}");
        check(&[], "x", "the prompt takes no words after it");
        check(&[("a", true)], " all of it ", r#"{"a":"all of it"}"#);
        check(
            &[("a", true), ("b", false)],
            "one two  three",
            r#"{"a":"one","b":"two  three"}"#,
        );
        check(&[("a", true), ("b", false)], "one", r#"{"a":"one"}"#);
        check(
            &[("a", true), ("b", true)],
            "one",
            "the prompt needs more words after it: a b",
        );
    }
}
