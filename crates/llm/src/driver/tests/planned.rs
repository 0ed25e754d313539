//! A plan that is edited, approved and carried out step by step.

use signoff_core::stage::review::HunkView;

use super::*;
use crate::mode::Mode;
use crate::plan::Deviation;

const PLAN: &str =
    "1. Change a\n   Files: a.txt\n2. Change b\n   Files: b.txt\n3. Change c\n   Files: c.txt\n";

/// The user adds a step, and a file to the second one.
const EDITED: &str = "Carry out this plan:\n\n1. Change a\n   Files: a.txt\n2. Change b\n   Files: b.txt\n\
                      3. Change c\n   Files: c.txt\n4. Change d\n   Files: d.txt\n   Check: read it\n";

fn send(sender: &Option<mpsc::UnboundedSender<Command>>, command: Command) {
    sender.as_ref().unwrap().send(command).unwrap();
}

fn change(file: &str, to: &str) -> Answer {
    let arguments = json!({
        "path": file,
        "description": format!("Change {file}"),
        "edits": [{ "old_text": "old", "new_text": to }],
    });
    Answer::Whole(called(&[("edit_section", arguments)]))
}

fn verdicts(staged: &[HunkView], verdict: &Verdict) -> Command {
    let rulings = staged.iter().map(|hunk| Ruling::new(hunk, verdict.clone()));
    Command::Decide(rulings.collect())
}

/// Returns how many changesets were written.
fn changesets(folder: &Folder) -> usize {
    let history = crate::tool::lock(&folder.engine).history(None).unwrap();
    let mut changesets: Vec<_> = history.iter().map(|entry| entry.changeset).collect();
    changesets.sort();
    changesets.dedup();
    changesets.len()
}

#[tokio::test]
async fn a_plan_is_edited_and_a_step_after_a_denial_adapts() {
    let files = ["a.txt", "b.txt", "c.txt", "d.txt"].map(|name| (name, "old\n"));
    let folder = Folder::new(&files);
    let script = script(vec![
        // It tries to edit while it plans.
        change("a.txt", "new"),
        Answer::Whole(said(PLAN)),
        change("a.txt", "new"),
        Answer::Whole(said("Step 1 is staged.")),
        change("b.txt", "new"),
        Answer::Whole(said("Step 2 is staged.")),
        // It takes the denial to heart, and another file in.
        Answer::Whole(called(&[
            (
                "edit_section",
                json!({"path": "c.txt", "description": "c", "edits": [{"old_text": "old", "new_text": "newer"}]}),
            ),
            (
                "edit_section",
                json!({"path": "b.txt", "description": "b", "edits": [{"old_text": "old", "new_text": "newer"}]}),
            ),
        ])),
        Answer::Whole(said("Step 3 is staged.")),
        change("d.txt", "newer"),
        Answer::Whole(said("Step 4 is staged.")),
    ]);
    let (sender, commands) = mpsc::unbounded_channel();
    sender.send(Command::SetMode(Mode::Plan)).unwrap();
    sender
        .send(Command::Submit("change all".to_owned()))
        .unwrap();
    let mut sender = Some(sender);
    let (mut staged, mut turns) = (Vec::new(), 0);
    let mut events = Vec::new();
    driver(&script, &folder)
        .run(commands, |event| {
            match &event {
                Event::Staged(proposals) => {
                    staged.extend(proposals.iter().flat_map(|view| view.hunks.clone()));
                }
                Event::TurnEnded { end } => {
                    turns += 1;
                    let reviewed = std::mem::take(&mut staged);
                    let reason = Some("call it newer".to_owned());
                    match turns {
                        1 => {
                            assert_eq!((*end, reviewed.len()), (TurnEnd::Done, 0));
                            send(&sender, Command::CarryOut(EDITED.to_owned()));
                        }
                        3 => send(&sender, verdicts(&reviewed, &Verdict::Deny { reason })),
                        _ => send(&sender, verdicts(&reviewed, &Verdict::Approve)),
                    }
                }
                Event::Info { text } if text.starts_with("the plan is carried out") => {
                    sender = None
                }
                _ => {}
            }
            events.push(event);
        })
        .await;

    assert_eq!(turns, 5);
    for (file, text) in [
        ("a.txt", "new\n"),
        ("b.txt", "newer\n"),
        ("c.txt", "newer\n"),
    ] {
        assert_eq!(folder.disk(file).as_deref(), Some(text), "{file}");
    }
    assert_eq!(folder.disk("d.txt").as_deref(), Some("newer\n"));
    let prompts = script.prompts.lock().unwrap();
    let said = |at: usize| format!("{:?}", prompts[at].messages);
    assert!(
        said(1).contains("refused: this is plan mode"),
        "{}",
        said(1)
    );
    let (first, third) = (said(2), said(6));
    assert!(
        first.contains("Step 1 of 4: Change a") && first.contains("4. Change d"),
        "{first}"
    );
    assert!(first.contains("The user has switched to reviewing step by step"));
    assert!(
        third.contains("Step 3 of 4: Change c") && third.contains("call it newer"),
        "{third}"
    );
    let deviations: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::PlanDeviation { step, deviation } => Some((*step, deviation.clone())),
            _ => None,
        })
        .collect();
    let expected = Deviation {
        unplanned: vec!["b.txt".to_owned()],
        untouched: Vec::new(),
    };
    assert_eq!(deviations, [(3, expected)]);
    let changesets = changesets(&folder);
    assert_eq!(changesets, 3, "each step is a changeset of its own");
}

#[tokio::test]
async fn a_plan_is_held_at_a_step_that_does_not_end_and_goes_on_there() {
    let folder = Folder::new(&[("a.txt", "old\n")]);
    let script = script(vec![
        Answer::Stuck(vec![said("Hm").remove(0)]),
        Answer::Whole(said("Done 1.")),
        Answer::Whole(said("Done 2.")),
    ]);
    let (sender, commands) = mpsc::unbounded_channel();
    let plan = "Carry out this plan:\n\n1. Look\n2. Look again\n";
    sender.send(Command::GoOnWithPlan { skips: false }).unwrap();
    sender.send(Command::CarryOut(plan.to_owned())).unwrap();
    let mut sender = Some(sender);
    let mut seen = Vec::new();
    driver(&script, &folder)
        .run(commands, |event| match event {
            Event::Text { text } if text == "Hm" => send(&sender, Command::Cancel),
            Event::Fault(fault) => seen.push(fault.message),
            Event::Info { text } if text.contains("the plan is held") => {
                send(&sender, Command::GoOnWithPlan { skips: false });
                seen.push(text);
            }
            Event::Info { text } if text.starts_with("the plan of 2 steps has ended") => {
                seen.push(text);
                sender = None;
            }
            _ => {}
        })
        .await;
    let expected = [
        "no plan is being carried out; /mode plan makes one",
        "the plan is held at step 1 of 2; /plan goes on with it",
        "the plan of 2 steps has ended: steps 1, 2 staged nothing",
    ];
    assert_eq!(seen, expected);
    let prompts = script.prompts.lock().unwrap();
    let second = format!("{:?}", prompts[2].messages);
    assert!(second.contains("Step 2 of 2: Look again"), "{second}");
}

/// A step that was skipped, or whose model only asked something, is not told as carried out.
#[tokio::test]
async fn the_end_of_a_plan_says_which_steps_were_not_carried_out() {
    let folder = Folder::new(&[("a.txt", "old\n")]);
    let script = script(vec![
        change("a.txt", "new"),
        Answer::Whole(said("Step 1 is staged.")),
        Answer::Stuck(vec![said("Hm").remove(0)]),
        Answer::Whole(said("Which one do you mean?")),
    ]);
    let (sender, commands) = mpsc::unbounded_channel();
    let plan = "Carry out this plan:\n\n1. Change a\n2. Look\n3. Change it again\n";
    sender.send(Command::CarryOut(plan.to_owned())).unwrap();
    let mut sender = Some(sender);
    let (mut staged, mut seen) = (Vec::new(), Vec::new());
    driver(&script, &folder)
        .run(commands, |event| match event {
            Event::Staged(proposals) => {
                staged.extend(proposals.iter().flat_map(|view| view.hunks.clone()));
            }
            Event::TurnEnded {
                end: TurnEnd::Review,
            } => send(&sender, verdicts(&staged, &Verdict::Approve)),
            Event::Text { text } if text == "Hm" => send(&sender, Command::Cancel),
            Event::Info { text } if text.contains("the plan is held") => {
                send(&sender, Command::GoOnWithPlan { skips: true });
            }
            Event::Info { text } if text.starts_with("the plan ") => {
                seen.push(text);
                sender = None;
            }
            _ => {}
        })
        .await;
    assert_eq!(
        seen,
        ["the plan of 3 steps has ended: step 2 skipped; step 3 staged nothing"]
    );
}

/// Answers under two names.
struct Named(String, Arc<Mutex<Vec<String>>>);

impl Provider for Named {
    fn about(&self) -> About {
        About {
            provider: "script".to_owned(),
            model: self.0.clone(),
            endpoint: String::new(),
        }
    }

    fn stream(&self, _: Prompt) -> DeltaStream {
        self.1.lock().unwrap().push(self.0.clone());
        Box::pin(stream::iter(said("1. Look").into_iter().map(Ok)))
    }

    fn with_model(&self, name: &str) -> Option<Arc<dyn Provider>> {
        Some(Arc::new(Self(name.to_owned(), Arc::clone(&self.1))))
    }
}

#[tokio::test]
async fn plans_are_made_by_a_model_of_their_own() {
    let folder = Folder::new(&[]);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let provider = Named("doer".to_owned(), Arc::clone(&asked));
    let mut driver = Driver::new(Arc::new(provider), Arc::clone(&folder.engine));
    driver.config.planner = Some("planner".to_owned());
    let (sender, commands) = mpsc::unbounded_channel();
    sender.send(Command::SetMode(Mode::Plan)).unwrap();
    sender.send(Command::Submit("look".to_owned())).unwrap();
    let mut sender = Some(sender);
    let mut turns = 0;
    driver
        .run(commands, |event| {
            if let Event::TurnEnded { .. } = event {
                turns += 1;
                match (turns, sender.take()) {
                    (1, Some(open)) => {
                        open.send(Command::CarryOut("1. Look".to_owned())).unwrap();
                        sender = Some(open);
                    }
                    _ => sender = None,
                }
            }
        })
        .await;
    assert_eq!(*asked.lock().unwrap(), ["planner", "doer"]);
}
