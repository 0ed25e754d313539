//! The tool with a small model that writes what it is told.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::provider::{About, DeltaStream, Provider, ProviderError, StopReason};
use crate::tool::testing::Folder;
use crate::usage::{Prices, Rates};

/// Answers every prompt with the same.
struct Parrot(Result<&'static str, ProviderError>);

impl Provider for Parrot {
    fn about(&self) -> About {
        About {
            provider: "parrot".to_owned(),
            model: "tiny".to_owned(),
            endpoint: String::new(),
        }
    }

    fn stream(&self, _: Prompt) -> DeltaStream {
        let mut usage = Usage::default();
        (usage.input, usage.output) = (1000, 100);
        let pieces = match self.0.clone() {
            Err(error) => vec![Err(error)],
            Ok(text) => vec![
                Ok(Delta::Text {
                    text: text.to_owned(),
                }),
                Ok(Delta::Usage(usage)),
                Ok(Delta::Stop {
                    reason: StopReason::Stop,
                }),
            ],
        };
        Box::pin(futures_util::stream::iter(pieces))
    }
}

const CODE: &str = "fn one() {}\n\nfn two() {}\n";

async fn run(
    answer: Result<&'static str, ProviderError>,
    arguments: Value,
) -> (Folder, ToolOutput) {
    tokio::task::spawn_blocking(move || {
        let folder = Folder::new(&[("a.rs", CODE)]);
        let tool = ExecuteEdit {
            apply: Some(ApplyModel {
                provider: Arc::new(Parrot(answer)),
                prices: Some(Prices {
                    usual: Rates {
                        input: 100_000,
                        output: 400_000,
                        ..Rates::default()
                    },
                    long: None,
                }),
            }),
        };
        let context = folder.context();
        let arguments = tool.read(&arguments.to_string()).unwrap();
        let output = tool.run(&arguments, &context);
        (folder, output)
    })
    .await
    .unwrap()
}

fn task() -> Value {
    json!({ "path": "a.rs", "description": "Let one do 1", "instructions": "in its body" })
}

#[tokio::test]
async fn what_keeps_the_contract_is_staged_and_its_price_told() {
    let answer = "```rust\nfn one() { 1; }\n\nfn two() {}\n```";
    let (folder, output) = run(Ok(answer), task()).await;
    assert!(output.ok && output.staged.len() == 1, "{}", output.content);
    let (told, _) = output.summary.rsplit_once(" out, ").unwrap();
    assert_eq!(told, "staged a.rs +1 -1; tiny: 1000 in, 100");
    assert!(
        output.summary.ends_with(" s, $0.0002"),
        "{}",
        output.summary
    );
    assert_eq!(folder.disk("a.rs").as_deref(), Some(CODE));
}

#[tokio::test]
async fn what_breaks_it_goes_back_to_the_main_model() {
    for (answer, why) in [
        (
            "```\nfn one() { 1; }\n\nfn two() { 2; }\n```",
            "it changed two",
        ),
        ("```\nfn one() { 1; }\n```", "it removed two"),
        ("I would rather not.", "it wrote no file"),
    ] {
        let (_, output) = run(Ok(answer), task()).await;
        assert!(!output.ok && output.staged.is_empty());
        assert!(output.content.contains(why), "{}", output.content);
        assert!(
            output
                .content
                .ends_with("Make this edit yourself with edit_section.")
        );
    }
    let gone = ProviderError::Connect {
        url: "u".to_owned(),
        detail: "d".to_owned(),
    };
    let (_, output) = run(Err(gone), task()).await;
    assert!(
        output.content.contains("cannot reach u"),
        "{}",
        output.content
    );
}

#[tokio::test]
async fn with_content_no_model_is_asked() {
    let mut arguments = task();
    arguments["content"] = json!("fn one() {}\n");
    let (_, output) = run(Ok("nothing of use"), arguments).await;
    assert_eq!(output.summary, "staged a.rs +0 -2");
    let (_, output) = run(Ok(""), json!({ "path": "a.rs", "description": "x" })).await;
    assert!(!output.ok);
}
