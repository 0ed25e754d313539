//! Requests to one server: calls of tools, resources, prompts.
//!
//! In: a name and arguments. Out: what the server answered, as text.

use rmcp::model::{CallToolRequestParams, GetPromptRequestParams, ReadResourceRequestParams};
use serde_json::{Map, Value};
use signoff_source::plural::counted;

use super::content::GivenContent;
use super::{ForeignAnswer, ForeignCall, Server, Servers, Stop, failed};
use crate::catalogue::ListedPrompt;
use crate::foreign_text::{line, marked};

/// Bytes of an answer of a tool: some 16,000 tokens.
const MOST_ANSWER: usize = 64 * 1024;
/// Bytes of a resource or a prompt: some 8,000 tokens.
const MOST_GIVEN: usize = 32 * 1024;
/// Times that a server may ask for more before it answers; what it asks for is declined.
const MOST_ROUNDS: usize = 4;

impl Servers {
    pub(super) fn call_tool(&self, call: &ForeignCall, stop: &Stop) -> ForeignAnswer {
        let Some((server, tool)) = self.of_tool(&call.tool) else {
            return failed("there is no such tool", "no such tool");
        };
        let asked = self.wait(stop, async {
            let open = server.connected(&self.launcher).await?;
            let listed = server.tool(tool);
            if listed.is_none_or(|listed| listed.fingerprint != call.fingerprint) {
                return Err(
                    "what the server says of this tool changed after the call was allowed, so it was not made; \
                     look for the tool with mcp_find again"
                        .to_owned(),
                );
            }
            let key = server.approval_key();
            self.approvals().note(&key, tool, &call.fingerprint);
            let params = CallToolRequestParams::new(tool.to_owned())
                .with_arguments(call.arguments.clone());
            let sent = open
                .service()
                .call_tool_with_mrtr_max_rounds(params, MOST_ROUNDS);
            let answered = open.ask(sent).await;
            server.answered(answered)
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

    pub(super) fn read_resource(&self, name: &str, word: &str, stop: &Stop) -> ForeignAnswer {
        let Some(server) = self.server(name) else {
            return failed("there is no such server", "no such server");
        };
        let asked = self.wait(stop, async {
            let open = server.connected(&self.launcher).await?;
            let address = server.offered(|listed| listed.address(word).to_owned());
            let address = address.unwrap_or_else(|| word.to_owned());
            let params = ReadResourceRequestParams::new(address);
            let sent = open
                .service()
                .read_resource_with_mrtr_max_rounds(params, MOST_ROUNDS);
            let answered = open.ask(sent).await;
            server.answered(answered)
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
            let open = server.connected(&self.launcher).await?;
            let listed = server.offered(|listed| {
                let mut prompts = listed.prompts.iter();
                prompts.find(|it| it.name == prompt).cloned()
            });
            let Some(listed) = listed.flatten() else {
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
            server.answered(answered)
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
        for (prompt, words, expected) in [
            (prompt(&[]), "", "{}"),
            (prompt(&[]), "x", "the prompt takes no words after it"),
            (
                prompt(&[("a", true)]),
                " all of it ",
                r#"{"a":"all of it"}"#,
            ),
            (
                prompt(&[("a", true), ("b", false)]),
                "one two  three",
                r#"{"a":"one","b":"two  three"}"#,
            ),
            (
                prompt(&[("a", true), ("b", false)]),
                "one",
                r#"{"a":"one"}"#,
            ),
            (
                prompt(&[("a", true), ("b", true)]),
                "one",
                "the prompt needs more words after it: a b",
            ),
        ] {
            let read = arguments(&prompt, words).map(|read| Value::Object(read).to_string());
            assert_eq!(read.unwrap_or_else(|why| why), expected, "{words}");
        }
    }

    fn prompt(arguments: &[(&str, bool)]) -> ListedPrompt {
        ListedPrompt {
            name: "p".to_owned(),
            description: String::new(),
            arguments: arguments
                .iter()
                .map(|(name, is)| ((*name).to_owned(), *is))
                .collect(),
        }
    }
}
