//! Any server's answer is decoded, or refused once.
//!
//! In: the data of events, a line each. Out: nothing, unless decoding panics, or a call is
//! begun twice, goes on before it began, or shares its id, or something follows the end.

#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use signoff_providers::message::{Prompt, ToolChoice};
use signoff_providers::provider::openai::Decoder;
use signoff_providers::provider::wire::Decode as _;
use signoff_providers::provider::{Delta, ProviderError};

fuzz_target!(|text: &str| {
    let events: Vec<&str> = text.lines().collect();
    streamed(&events);
    let mut whole = decoder();
    check(whole.push_whole(text));
    assert!(whole.is_ended());
    assert!(whole.push(text).is_empty());
});

fn streamed(events: &[&str]) {
    let mut decoder = decoder();
    let mut out = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let ended = decoder.is_ended();
        let more = match event.strip_prefix("error:") {
            Some(error) if number % 2 == 1 => decoder.push_error(error),
            _ => decoder.push(event),
        };
        assert!(!ended || more.is_empty());
        out.extend(more);
    }
    out.extend(decoder.finish());
    assert!(decoder.is_ended());
    check(out);
}

fn check(out: Vec<Result<Delta, ProviderError>>) {
    let (mut begun, mut ids) = (HashSet::new(), HashSet::new());
    let last = out.len().saturating_sub(1);
    for (number, delta) in out.into_iter().enumerate() {
        match delta {
            Ok(Delta::CallStarted { index, id, name }) => {
                assert!(begun.insert(index) && ids.insert(id.0.clone()));
                assert!(!name.is_empty() && !id.0.is_empty());
            }
            Ok(Delta::CallArguments { index, .. }) => assert!(begun.contains(&index)),
            Ok(Delta::Stop { .. }) | Err(_) => assert_eq!(number, last),
            Ok(_) => {}
        }
    }
}

fn decoder() -> Decoder {
    Decoder::new(&Prompt {
        messages: Vec::new(),
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        target: None,
    })
}
