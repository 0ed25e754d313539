//! Conversations with a provider that plays a script, over a real folder.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use signoff_core::stage::review::{RevertTarget, RevertTo, Ruling, Verdict};

use super::*;
use crate::loopback::{Loopback, Reply};
use crate::message::{CallId, Message, Prompt, ToolChoice};
use crate::offline::Offline;
use crate::provider::Protocol;
use crate::provider::http::{Endpoint, Server};
use crate::provider::{About, Delta, DeltaStream, ProviderError, StopReason};
use crate::query_lane::QueryScene;
use crate::session::{CallEvent, Phase, TurnEnd};
use crate::tool::testing::{Folder, save};
use crate::tool::{CallFacts, OfferedTool, Reach, Tool, ToolContext, ToolOutput, ToolSpec};

mod agents;
mod critic;
mod planned;
mod policies;
mod recalled;
mod side_by_side;
mod together;
mod trust;
mod verdicts;

/// Plays one answer a request and keeps the requests.
#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<Answer>>,
    prompts: Mutex<Vec<Prompt>>,
    /// How many answers were dropped before their end.
    dropped: Arc<AtomicUsize>,
}

enum Answer {
    Whole(Vec<Delta>),
    /// Some pieces, then an error.
    Broken(Vec<Delta>, ProviderError),
    /// Some pieces, then nothing ever.
    Stuck(Vec<Delta>),
}

struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Provider for Script {
    fn about(&self) -> About {
        About {
            provider: "script".to_owned(),
            model: "m".to_owned(),
            endpoint: String::new(),
        }
    }

    fn stream(&self, prompt: Prompt) -> DeltaStream {
        self.prompts.lock().unwrap().push(prompt);
        let ok = |pieces: Vec<Delta>| stream::iter(pieces.into_iter().map(Ok));
        match self.answers.lock().unwrap().pop_front() {
            Some(Answer::Whole(pieces)) => Box::pin(ok(pieces)),
            Some(Answer::Broken(pieces, error)) => {
                Box::pin(ok(pieces).chain(stream::iter([Err(error)])))
            }
            Some(Answer::Stuck(pieces)) => {
                let guard = Dropped(Arc::clone(&self.dropped));
                let never = stream::pending().map(move |piece: Delta| {
                    let _held = &guard;
                    Ok(piece)
                });
                Box::pin(ok(pieces).chain(never))
            }
            None => Box::pin(ok(said("Done."))),
        }
    }
}

fn said(text: &str) -> Vec<Delta> {
    vec![
        Delta::Text {
            text: text.to_owned(),
        },
        Delta::Stop {
            reason: StopReason::Stop,
        },
    ]
}

fn called(calls: &[(&str, Value)]) -> Vec<Delta> {
    let mut pieces = Vec::new();
    for (index, (name, arguments)) in calls.iter().enumerate() {
        pieces.push(Delta::CallStarted {
            index,
            id: CallId(format!("call-{index}")),
            name: (*name).to_owned(),
        });
        pieces.push(Delta::CallArguments {
            index,
            fragment: arguments.to_string(),
        });
    }
    pieces.push(Delta::Stop {
        reason: StopReason::ToolCalls,
    });
    pieces
}

fn edit(old: &str, new: &str) -> (&'static str, Value) {
    let arguments = json!({
        "path": "a.txt",
        "description": "Change it",
        "edits": [{ "old_text": old, "new_text": new }],
    });
    ("edit_section", arguments)
}

fn script(answers: Vec<Answer>) -> Arc<Script> {
    Arc::new(Script {
        answers: Mutex::new(answers.into()),
        ..Script::default()
    })
}

fn driver(script: &Arc<Script>, folder: &Folder) -> Driver {
    let provider: Arc<dyn Provider> = Arc::<Script>::clone(script);
    Driver::new(provider, Arc::clone(&folder.engine))
}

/// Runs a conversation in which `answer` says what the user does about each event; it ends
/// with the first event for which that is nothing at all.
async fn converse(
    driver: Driver,
    first: &str,
    mut answer: impl FnMut(&Event) -> Option<Vec<Command>> + Send,
) -> Vec<Event> {
    let (sender, commands) = mpsc::unbounded_channel();
    sender.send(Command::Submit(first.to_owned())).unwrap();
    let mut sender = Some(sender);
    let mut events = Vec::new();
    driver
        .run(commands, |event| {
            if let Some(open) = &sender {
                match answer(&event) {
                    Some(commands) => commands.into_iter().for_each(|one| open.send(one).unwrap()),
                    None => sender = None,
                }
            }
            events.push(event);
        })
        .await;
    events
}

fn rulings(event: &Event, verdict: &Verdict) -> Vec<Ruling> {
    let listing = match event {
        Event::Review(listing) => listing,
        Event::Staged(staged) => &staged.listing,
        _ => return Vec::new(),
    };
    listing
        .iter()
        .flat_map(|view| view.pending())
        .map(|hunk| Ruling::new(hunk, verdict.clone()))
        .collect()
}

#[tokio::test]
async fn cancelling_drops_the_request_at_once() {
    let folder = Folder::new(&[]);
    let mut pieces = said("Thinking");
    pieces.truncate(1);
    let script = script(vec![Answer::Stuck(pieces)]);
    let events = converse(driver(&script, &folder), "count", |event| match event {
        Event::Text { .. } => Some(vec![Command::Cancel]),
        Event::TurnEnded { .. } => None,
        _ => Some(Vec::new()),
    })
    .await;
    assert!(events.contains(&Event::TurnEnded {
        end: TurnEnd::Cancelled
    }));
    assert_eq!(script.dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn leaving_drops_what_runs_and_keeps_what_was_decided() {
    let folder = Folder::new(&[("a.txt", "one\n")]);
    let script = script(vec![
        Answer::Whole(called(&[edit("one", "1")])),
        Answer::Stuck(Vec::new()),
    ]);
    let (sender, commands) = mpsc::unbounded_channel();
    sender.send(Command::Submit("count".to_owned())).unwrap();
    let mut sender = Some(sender);
    let mut decided = false;
    // The user approves the moment the review list is there, and leaves in the same moment.
    driver(&script, &folder)
        .run(commands, |event| {
            decided |= matches!(event, Event::Decided { .. });
            let rulings = rulings(&event, &Verdict::Approve);
            if !rulings.is_empty()
                && let Some(sender) = sender.take()
            {
                sender.send(Command::Decide(rulings)).unwrap();
            }
        })
        .await;
    assert!(decided);
    assert_eq!(folder.disk("a.txt").as_deref(), Some("1\n"));
    assert_eq!(script.dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_broken_stream_ends_the_turn_and_runs_nothing() {
    let folder = Folder::new(&[("a.txt", "one\n")]);
    let mut pieces = called(&[edit("one", "1")]);
    pieces.pop();
    let detail = "the connection closed".to_owned();
    let broken = || {
        Answer::Broken(
            pieces.clone(),
            ProviderError::Cut {
                detail: detail.clone(),
            },
        )
    };
    let script = script(vec![broken(), broken(), broken()]);
    let driver = driver(&script, &folder).with_config(Config {
        pause: Duration::ZERO,
        ..Config::new(Registry::default())
    });
    let mut faults = 0;
    let end = exec(driver, "count".to_owned(), |event| {
        faults += usize::from(matches!(event, Event::Fault(_)))
    })
    .await;
    assert_eq!((end, faults), (TurnEnd::Failed, 1));
    assert!(folder.engine.lock().unwrap().review().unwrap().is_empty());
}

#[tokio::test]
async fn instructions_of_a_folder_come_with_its_first_file() {
    let folder = Folder::new(&[
        ("sub/AGENTS.md", "Use tabs.\n"),
        ("sub/deep/a.txt", "a\n"),
        ("b.txt", "b\n"),
    ]);
    let read = |path: &str| Answer::Whole(called(&[("read", json!({ "path": path }))]));
    let script = script(vec![
        read("b.txt"),
        read("sub/deep/a.txt"),
        read("sub/deep/a.txt"),
    ]);
    let driver = driver(&script, &folder);
    assert_eq!(exec(driver, "look".to_owned(), |_| {}).await, TurnEnd::Done);
    let prompts = script.prompts.lock().unwrap();
    let told: Vec<usize> = prompts[3]
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { content, .. } => Some(content.matches("Use tabs.").count()),
            _ => None,
        })
        .collect();
    assert_eq!(told, [0, 1, 0]);
}

#[tokio::test]
async fn a_prompt_that_is_none_ends_at_once() {
    let folder = Folder::new(&[]);
    let run = exec(driver(&script(vec![]), &folder), " ".to_owned(), |_| {});
    let end = on_any_thread(run).await;
    assert_eq!(end, TurnEnd::Failed);
}

fn on_any_thread<T: Send>(future: T) -> T {
    future
}

/// Breaks down, or waits for four others; as its name says.
struct Odd(&'static str, Arc<std::sync::Barrier>);

impl Tool for Odd {
    type Arguments = ();

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.0,
            description: "",
            parameters: json!({ "type": "object" }),
            reach: Reach::Observe,
        }
    }

    fn read(&self, _: &str) -> Result<(), ToolOutput> {
        Ok(())
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        None
    }

    fn facts(&self, (): &()) -> CallFacts {
        CallFacts::none()
    }

    fn run(&self, (): &(), _: &ToolContext<'_>) -> ToolOutput {
        assert_ne!(self.0, "breaks", "as asked");
        self.1.wait();
        ToolOutput::done(self.0, self.0)
    }
}

fn odd_tools() -> Registry {
    let twins = Arc::new(std::sync::Barrier::new(5));
    let odd = |name| OfferedTool::new(Odd(name, Arc::clone(&twins)));
    Registry::of(vec![odd("breaks"), odd("waits")])
}

#[tokio::test]
async fn a_tool_that_breaks_down_is_an_answer() {
    let folder = Folder::new(&[]);
    let script = script(vec![Answer::Whole(called(&[("breaks", json!({}))]))]);
    let driver = driver(&script, &folder).with_tools(odd_tools());
    let end = exec(driver, "break".to_owned(), |_| {}).await;
    assert_eq!(end, TurnEnd::Done);
    let prompts = script.prompts.lock().unwrap();
    let Some(Message::Tool { content, .. }) = prompts[1].messages.last() else {
        panic!("no answer");
    };
    assert!(content.starts_with("error: the tool broke down."));
}

#[tokio::test]
async fn calls_that_look_run_at_the_same_time() {
    let folder = Folder::new(&[]);
    // None of the five ends before the others have begun.
    let each = [1, 2, 3, 4, 5].map(|number| ("waits", json!({ "number": number })));
    let calls = called(&each);
    let script = script(vec![Answer::Whole(calls)]);
    let driver = driver(&script, &folder).with_tools(odd_tools());
    let mut phases = Vec::new();
    assert_eq!(
        exec(driver, "wait".to_owned(), |event| {
            if let Event::Phase { phase } = event {
                phases.push(phase);
            }
        })
        .await,
        TurnEnd::Done
    );
    assert_eq!(
        phases,
        [Phase::Asking, Phase::Working, Phase::Asking, Phase::Idle]
    );
}

#[tokio::test]
async fn the_offline_planner_stages_a_rename_over_the_whole_way() {
    let source = "fn old_name() {}\n\nfn main() {\n    old_name();\n}\n";
    let folder = Folder::new(&[("src/main.txt", source)]);
    let driver = Driver::new(Arc::new(Offline), Arc::clone(&folder.engine));
    let mut intents = 0;
    let watch =
        |event| intents += usize::from(matches!(event, Event::Call(CallEvent::Intent { .. })));
    let prompt = "rename old_name to new_name".to_owned();
    assert_eq!(exec(driver, prompt, watch).await, TurnEnd::Review);
    assert!(intents > 0);
    assert_eq!(folder.disk("src/main.txt").as_deref(), Some(source));
    let staged = folder.call("grep", json!({ "pattern": "new_name" }));
    assert_eq!(staged.content.lines().count(), 2);
}

#[tokio::test]
async fn another_model_is_asked_from_the_next_request_on() {
    const DONE: &str = r#"{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}"#;
    let list = r#"{"data":[{"id":"a"},{"id":"b"}]}"#;
    let replies = vec![
        Reply::json("200 OK", list),
        Reply::events(&[DONE, "[DONE]"]),
        Reply::json("200 OK", list),
        Reply::events(&[DONE, "[DONE]"]),
    ];
    let loopback = Loopback::start(replies);
    let endpoint = Endpoint::open(Protocol::Openai, loopback.url(), "a".to_owned());
    let folder = Folder::new(&[]);
    let server = Arc::new(Server::new(endpoint).unwrap());
    let driver = Driver::new(server, Arc::clone(&folder.engine));
    let queries = driver.queries();
    let (about, models) = queries.ask(QueryScene::models).await.unwrap();
    let names: Vec<_> = models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!((about.model.as_str(), names), ("a", vec!["a", "b"]));
    let mut ended = 0;
    let events = converse(driver, "hi", |event| match event {
        Event::TurnEnded { .. } => {
            ended += 1;
            (ended < 2).then(|| vec![Command::UseModel("b".to_owned())])
        }
        Event::Ready { about, .. } if about.model == "b" => {
            Some(vec![Command::Submit("again".to_owned())])
        }
        Event::Fault(fault) => panic!("{fault:?}"),
        _ => Some(Vec::new()),
    })
    .await;
    assert_eq!(ended, 2, "{events:?}");
    let requests = loopback.requests();
    assert!(requests[1].contains(r#""model":"a""#) && requests[3].contains(r#""model":"b""#));
}
