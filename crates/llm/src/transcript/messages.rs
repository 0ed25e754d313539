//! Messages of a request: what every server takes of a conversation.
//!
//! In: the entries, and names and arguments as a model wrote them. Out: messages, in which every call has exactly one answer
//! after it, and provider state within its bounds.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::attachments::is_given;
use super::{Entry, Transcript, images};
use crate::image::PromptImage;
use crate::message::{CallId, Message, ProviderState, ToolCall};
use crate::notice::Notice;

/// The most bytes of provider state in a request, the newest first. Servers ask for those of the newest
/// answers only.
pub(super) const MOST_KEPT: usize = 8 << 20;

impl Transcript {
    /// Returns the conversation as messages after the given instructions. A call that has no
    /// answer yet is left out, so that what is returned is always a valid request.
    pub fn messages(&self, instructions: &str) -> Vec<Message> {
        let answers: HashMap<&CallId, GivenAnswer<'_>> = self
            .entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| match entry {
                Entry::Answered {
                    call,
                    content,
                    failed,
                    images,
                } => {
                    let answer = GivenAnswer {
                        index,
                        content,
                        failed: *failed,
                        images,
                    };
                    Some((call, answer))
                }
                _ => None,
            })
            .collect();
        let mut messages = vec![Message::System {
            text: instructions.to_owned(),
        }];
        let keeping = self.keeping();
        let detached = self.detached();
        let first_image = self.first_image(&detached);
        for (index, entry) in self.entries.iter().enumerate() {
            match entry {
                Entry::Prompt { text, images, .. } => messages.push(images::user_message(
                    index,
                    text,
                    images,
                    first_image,
                    &detached,
                )),
                Entry::Noticed {
                    notice: Notice::Surroundings { given },
                } => {
                    let given = given.keeping(|path| is_given(&detached, path, index));
                    if !given.is_empty() {
                        let text = given.to_string();
                        messages.push(Message::System { text });
                    }
                }
                Entry::Noticed { notice } if notice.is_silent() => {}
                Entry::Noticed { notice } => messages.push(Message::System {
                    text: notice.to_string(),
                }),
                Entry::Said { text, calls, kept } => {
                    let kept = if index >= keeping {
                        kept.as_slice()
                    } else {
                        &[]
                    };
                    let given = spoken(text, calls, kept, &answers, &mut messages);
                    let given = given.iter().map(|it| (it.index, it.images));
                    messages.extend(images::of_answers(given, first_image, &detached));
                }
                Entry::Answered { .. } => {}
            }
        }
        messages
    }

    /// Returns from which entry on provider state is sent, so that it is not too much together.
    fn keeping(&self) -> usize {
        let mut left = MOST_KEPT;
        let too_many = self.entries.iter().rposition(|entry| match entry {
            Entry::Said { kept, .. } => {
                let bytes: usize = kept.iter().map(ProviderState::bytes).sum();
                let fits = bytes <= left;
                left = left.saturating_sub(bytes);
                !fits
            }
            _ => false,
        });
        too_many.map_or(0, |index| index + 1)
    }
}

/// The answer to a call.
#[derive(Clone, Copy)]
struct GivenAnswer<'a> {
    /// The number of its entry.
    index: usize,
    content: &'a str,
    failed: bool,
    images: &'a [PromptImage],
}

/// Puts an answer of the model and its calls' results behind it, in the order of the calls. Returns the results.
fn spoken<'a>(
    text: &str,
    calls: &[ToolCall],
    kept: &[ProviderState],
    answers: &HashMap<&CallId, GivenAnswer<'a>>,
    messages: &mut Vec<Message>,
) -> Vec<GivenAnswer<'a>> {
    let (calls, given): (Vec<_>, Vec<_>) = calls
        .iter()
        .filter_map(|call| Some((call.clone(), *answers.get(&call.id)?)))
        .unzip();
    let results: Vec<Message> = calls
        .iter()
        .zip(&given)
        .map(|(call, answer)| Message::Tool {
            call: call.id.clone(),
            content: answer.content.to_owned(),
            failed: answer.failed,
        })
        .collect();
    if !text.is_empty() || !calls.is_empty() {
        messages.push(Message::Assistant {
            text: text.to_owned(),
            calls,
            kept: kept.to_vec(),
        });
    }
    messages.extend(results);
    given
}

/// Servers whose templates parse the arguments fail on ones that are no JSON object, in this
/// request and in every later one.
pub(super) fn wire_arguments(arguments: &str) -> String {
    const SHOWN: usize = 200;
    let object = arguments.trim_start().starts_with('{');
    if object && serde_json::from_str::<&RawValue>(arguments).is_ok() {
        return arguments.to_owned();
    }
    if arguments.trim().is_empty() {
        return "{}".to_owned();
    }
    let start: String = arguments.chars().take(SHOWN).collect();
    serde_json::json!({ "malformed": start }).to_string()
}
