//! Background agents: what they stage over the files as they found them, and what becomes of it here.

use std::collections::BTreeSet;

use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest,
};

use super::super::hand_over::{HandOver, TakenOver};
use super::*;
use crate::engine::tests::{agent_on_disk, new_changeset, section};
use crate::stage::review::{Proposer, Ruling, Verdict};

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

fn origin() -> Origin {
    Origin {
        session: "s".to_owned(),
        call: String::new(),
        proposer: Proposer::Agent {
            name: "background".to_owned(),
            model: "m".to_owned(),
        },
        request: "Do it".to_owned(),
    }
}

fn handed(agent: &mut Engine) -> HandOver {
    agent.hand_over(new_changeset(), origin()).unwrap()
}

fn take(engine: &mut Engine, handed: HandOver) -> ProgramStaged {
    match engine.take_over(handed).unwrap() {
        TakenOver::Now(staged) => staged,
        TakenOver::Before => panic!("it was never handed over"),
    }
}

/// Returns the added lines of all hunks that wait or are in conflict, with the state of the hunk.
fn added(engine: &mut Engine) -> Vec<(String, &'static str)> {
    let views = engine.review().unwrap();
    let hunks = views.iter().flat_map(|view| &view.hunks);
    let each = hunks.flat_map(|hunk| {
        let added = hunk
            .lines
            .iter()
            .filter(|line| line.kind == LineKind::Added);
        added.map(|line| (line.text.clone(), hunk.status.state().word()))
    });
    each.collect()
}

fn disk(folder: &tempfile::TempDir) -> String {
    std::fs::read_to_string(folder.path().join("ws/a.txt")).unwrap()
}

#[test]
fn other_lines_are_carried_over_and_the_same_ones_are_conflicts() {
    let five = TEN.replace("5\n", "five\n");
    for (saved, staged, told, after) in [
        (None, None, &["five pending"][..], five.clone()),
        (
            Some("one\n2\n"),
            None,
            &["five pending"],
            five.replacen("1\n2\n", "one\n2\n", 1),
        ),
        (
            None,
            Some(("1", "one")),
            &["one pending", "five pending"],
            five.replacen("1\n", "one\n", 1),
        ),
        (
            None,
            Some(("5", "FIVE")),
            &["FIVE pending", "five conflict"],
            TEN.replace("5\n", "FIVE\n"),
        ),
    ] {
        let (folder, mut engine) = engine(&[("a.txt", TEN.as_bytes())]);
        let root = folder.path().join("ws");
        let mut agent = agent_on_disk(&root, "1");
        assert!(propose(&mut agent, &section("a.txt", "5", "five")).staged);
        if let Some(saved) = saved {
            std::fs::write(root.join("a.txt"), TEN.replacen("1\n2\n", saved, 1)).unwrap();
        }
        if let Some((old, new)) = staged {
            let old = format!("{old}\n");
            let text = TEN.replacen(&old, &format!("{new}\n"), 1);
            assert!(propose(&mut engine, &whole("a.txt", &text)).staged);
        }
        let before = disk(&folder);
        let staged = take(&mut engine, handed(&mut agent));
        assert_eq!(staged.refused, []);
        let card = &staged.proposals.to_vec()[0];
        assert_eq!(card.proposer.to_string(), "agent background (m)");
        let said: Vec<String> = added(&mut engine)
            .iter()
            .map(|(line, state)| format!("{line} {state}"))
            .collect();
        assert_eq!(said, told);
        assert_eq!(
            disk(&folder),
            before,
            "nothing is written without a verdict"
        );
        rule_pending(&mut engine, &Verdict::Approve);
        assert_eq!(disk(&folder), after);
    }
}

fn rule_pending(engine: &mut Engine, verdict: &Verdict) {
    let views = engine.review().unwrap();
    let hunks = views.iter().flat_map(|view| &view.hunks);
    let pending = hunks.filter(|hunk| hunk.status == HunkStatus::Pending);
    let rulings = pending.map(|hunk| Ruling::new(hunk, verdict.clone()));
    let rulings: Vec<Ruling> = rulings.collect();
    let decision = engine.decide(&rulings).unwrap();
    assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
}

#[test]
fn files_that_come_go_and_move_are_handed_over() {
    let (folder, mut engine) = engine(&[
        ("gone.txt", b"gone\n"),
        ("old.txt", b"moved\n"),
        ("kept.txt", b"kept\n"),
    ]);
    let root = folder.path().join("ws");
    std::fs::set_permissions(root.join("old.txt"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut agent = agent_on_disk(&root, "1");
    let delete = r#"{"file":"gone.txt","strategy":"delete"}"#;
    let moved = r#"{"file":"old.txt","strategy":"move","move":{"to":"new.txt"}}"#;
    assert!(
        propose(
            &mut agent,
            &[whole("n.txt", "new\n"), delete.into(), moved.into()].join(",")
        )
        .staged
    );
    let staged = take(&mut engine, handed(&mut agent));
    assert_eq!(
        words(&staged),
        ["delete gone.txt", "move old.txt -> new.txt", "create n.txt"]
    );
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert!(!root.join("gone.txt").exists() && !root.join("old.txt").exists());
    let mode = std::fs::metadata(root.join("new.txt"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn a_changeset_is_taken_over_once_whatever_became_of_it() {
    let (folder, mut engine) = engine(&[("a.txt", TEN.as_bytes())]);
    let root = folder.path().join("ws");
    let mut agent = agent_on_disk(&root, "1");
    propose(&mut agent, &section("a.txt", "5", "five"));
    let handed = handed(&mut agent);
    take(&mut engine, handed.clone());
    let again = |engine: &mut Engine| engine.take_over(handed.clone()).unwrap();
    assert_eq!(again(&mut engine), TakenOver::Before);
    assert_eq!(added(&mut engine).len(), 1);
    rule_pending(&mut engine, &Verdict::Deny { reason: None });
    assert_eq!(again(&mut on_disk(&root)), TakenOver::Before);
    assert!(engine.review().unwrap().is_empty());
    // An agent that changed nothing hands that over once, too.
    let nothing = super::hand_over::handed(&mut agent_on_disk(&root, "2"));
    assert!(take(&mut engine, nothing.clone()).proposals.is_empty());
    assert_eq!(engine.take_over(nothing).unwrap(), TakenOver::Before);
    // What was denied is recognised when another agent proposes it.
    let mut other = agent_on_disk(&root, "3");
    propose(&mut other, &section("a.txt", "5", "five"));
    let staged = take(&mut engine, super::hand_over::handed(&mut other));
    assert!(
        staged.proposals.to_vec()[0].hunks[0]
            .denied_before
            .is_some()
    );
}

#[test]
fn a_background_agent_cannot_approve_or_revert() {
    let (folder, mut engine) = engine(&[("a.txt", TEN.as_bytes())]);
    let root = folder.path().join("ws");
    propose(&mut engine, &section("a.txt", "1", "one"));
    rule_pending(&mut engine, &Verdict::Approve);
    let before = disk(&folder);
    let mut agent = agent_on_disk(&root, "1");
    agent.set_write_through(true);
    let payload = format!(r#"{{"changes":[{}]}}"#, section("a.txt", "5", "five"));
    let proposed = agent.propose(super::super::super::SubmittedPayload {
        payload: crate::edit::request::Payload::parse(&payload).unwrap(),
        origin: origin(),
        changeset: None,
        only: None,
    });
    assert!(
        matches!(proposed, Err(crate::engine::EngineError::ProposesOnly)),
        "{proposed:?}"
    );
    let views = agent.review().unwrap();
    let rulings: Vec<Ruling> = views
        .iter()
        .flat_map(|view| &view.hunks)
        .map(|hunk| Ruling::new(hunk, Verdict::Approve))
        .collect();
    assert_eq!(rulings.len(), 1);
    let decided = agent.decide(&rulings);
    assert!(
        matches!(decided, Err(crate::engine::EngineError::ProposesOnly)),
        "{decided:?}"
    );
    assert_eq!(disk(&folder), before);
}

/// One step of a schedule.
#[derive(Clone, Debug)]
enum Step {
    /// An agent changes a line as it sees the file.
    Edits {
        agent: usize,
        line: usize,
    },
    /// An agent hands over, and begins anew; a crash makes it do so twice.
    HandsOver {
        agent: usize,
        crashes: bool,
    },
    /// The user saves a line.
    Saves {
        line: usize,
    },
    /// The user's own conversation stages a line.
    Stages {
        line: usize,
    },
    Approves,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..2usize, 0..10usize).prop_map(|(agent, line)| Step::Edits { agent, line }),
        2 => (0..2usize, any::<bool>()).prop_map(|(agent, crashes)| Step::HandsOver { agent, crashes }),
        1 => (0..10usize).prop_map(|line| Step::Saves { line }),
        1 => (0..10usize).prop_map(|line| Step::Stages { line }),
        1 => Just(Step::Approves),
    ]
}

fn with_line(text: &str, line: usize, new: &str) -> String {
    let lines = text.lines().enumerate();
    let lines = lines.map(|(at, old)| if at == line { new } else { old });
    lines.map(|line| format!("{line}\n")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    /// Two background agents and the user edit one file: each line that anybody proposed waits or is in conflict until the
    /// user decides, and only the user's saves and verdicts change the file.
    #[test]
    fn in_any_schedule_nothing_is_lost_and_nothing_written_unasked(
        steps in proptest::collection::vec(step(), 4..16),
    ) {
        let (folder, mut engine) = engine(&[("a.txt", TEN.as_bytes())]);
        let root = folder.path().join("ws");
        let mut agents = [agent_on_disk(&root, "0-0"), agent_on_disk(&root, "1-0")];
        let mut own: [[Option<String>; 10]; 2] = Default::default();
        let mut waiting: BTreeSet<String> = BTreeSet::new();
        let ends = [0, 1].map(|agent| Step::HandsOver { agent, crashes: true });
        for (at, step) in steps.into_iter().chain(ends).enumerate() {
            let before = disk(&folder);
            let mut expected = Some(before.clone());
            match step {
                Step::Edits { agent, line } => {
                    let seen = agents[agent].read("a.txt").unwrap().unwrap();
                    let new = format!("agent {agent} in step {at}");
                    let text = with_line(seen.text().unwrap(), line, &new);
                    prop_assert!(propose(&mut agents[agent], &whole("a.txt", &text)).staged);
                    own[agent][line] = Some(new);
                }
                Step::HandsOver { agent, crashes } => {
                    let handed = handed(&mut agents[agent]);
                    let staged = take(&mut engine, handed.clone());
                    prop_assert_eq!(staged.refused, []);
                    if crashes {
                        let again = on_disk(&root).take_over(handed).unwrap();
                        prop_assert_eq!(again, TakenOver::Before);
                    }
                    waiting.extend(own[agent].iter_mut().filter_map(Option::take));
                    agents[agent] = agent_on_disk(&root, &format!("{agent}-{at}"));
                }
                Step::Saves { line } => {
                    let text = with_line(&before, line, &format!("user in step {at}"));
                    std::fs::write(root.join("a.txt"), &text).unwrap();
                    expected = Some(text);
                }
                Step::Stages { line } => {
                    let seen = engine.read("a.txt").unwrap().unwrap();
                    let new = format!("conversation in step {at}");
                    let text = with_line(seen.text().unwrap(), line, &new);
                    prop_assert!(propose(&mut engine, &whole("a.txt", &text)).staged);
                    waiting.insert(new);
                }
                Step::Approves => {
                    let pending = added(&mut engine).into_iter();
                    let pending = pending.filter(|(_, state)| *state == "pending");
                    let pending: Vec<String> = pending.map(|(line, _)| line).collect();
                    rule_pending(&mut engine, &Verdict::Approve);
                    pending.iter().for_each(|line| {
                        waiting.remove(line);
                    });
                    expected = None;
                }
            }
            let now = disk(&folder);
            if let Some(expected) = expected {
                prop_assert_eq!(&now, &expected);
            }
            let told: BTreeSet<String> = added(&mut engine).into_iter().map(|(line, _)| line).collect();
            let lost: Vec<&String> = waiting.difference(&told).collect();
            prop_assert!(lost.is_empty(), "lost {:?}; told {:?}", lost, told);
        }
    }
}
