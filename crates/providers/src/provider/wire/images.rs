//! Images in requests, under every protocol.

use insta::assert_json_snapshot;

use crate::image::testing::png;
use crate::message::{Message, ToolChoice};
use crate::provider::text::in_words;
use crate::provider::wire::{Options, testing};
use crate::provider::{Protocol, gemini};

fn messages() -> Vec<Message> {
    vec![
        Message::System {
            text: "Be brief.".to_owned(),
        },
        Message::User {
            text: "What is wrong in @a.png and @b.png?".to_owned(),
            images: vec![png("a.png", 9, 1), png("b.png", 10, 2)],
        },
    ]
}

/// The bodies are checked against the vendors' types by `tests/wire/validate.py`.
#[test]
fn images_are_in_the_request_as_each_protocol_has_them() {
    let prompt = testing::prompt(messages(), ToolChoice::Auto);
    for protocol in Protocol::ALL {
        let body = protocol.encode(&prompt, "m", &Options::default());
        assert_json_snapshot!(format!("images_{protocol}"), body);
    }
}

#[test]
fn images_stay_with_a_prompt_whose_tools_are_words() {
    let prompt = in_words(&testing::prompt(messages(), ToolChoice::Auto));
    let Some(Message::User { images, .. }) = prompt.messages.last() else {
        panic!("{:?}", prompt.messages);
    };
    assert_eq!(images.len(), 2);
    let body = gemini::encode(&prompt, "m", &Options::default()).to_string();
    assert_eq!(body.matches("inlineData").count(), 2);
}
