//! What later calls of the engine cost while a large change waits for the user.
//!
//! In: a size in lines. Out: a row for each call of the engine, with its time beside a staged
//! rewrite of a file of so many lines, and of four times as many.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signoff_core::edit::request::Payload;
use signoff_core::engine::{
    Engine, ProgramBase, ProgramContent, ProgramFile, ProgramRun, SubmittedPayload,
};
use signoff_core::id::{Ambient, Timestamp};
use signoff_core::stage::proposal::Origin;
use signoff_core::stage::review::{ProposalView, Ruling, Verdict};
use tempfile::TempDir;
use uuid::Uuid;

pub(super) type Failure = Box<dyn std::error::Error>;

/// Calls, each with its time.
pub(super) type Timed = Vec<(String, Duration)>;

/// Which lines are rewritten.
type Rewritten = fn(usize) -> bool;

/// How the lines of the large file are rewritten.
const REWRITES: &[(&str, Rewritten)] = &[
    ("every line", |_| true),
    ("every tenth line", |number| number.is_multiple_of(10)),
];

/// Returns what the calls of some turns take.
pub(super) fn turns(lines: usize) -> Result<Timed, Failure> {
    let mut timed = Vec::new();
    for (name, rewritten) in REWRITES {
        let own = beside(lines, *rewritten)?;
        timed.extend(
            own.into_iter()
                .map(|(call, time)| (format!("staged, {name}: {call}"), time)),
        );
    }
    Ok(timed)
}

/// Returns what the calls take with what one program left: so many files.
pub(super) fn files(count: usize) -> Result<Timed, Failure> {
    let paths = (0..count).map(|number| format!("f{number}"));
    left_by_program("files of a program", &paths.collect::<Vec<_>>())
}

/// Returns what the calls take with a file that one program left, below so many folders.
pub(super) fn deep_file(folders: usize) -> Result<Timed, Failure> {
    let path = "a/".repeat(folders) + "f";
    left_by_program("a deep file of a program", &[path])
}

fn left_by_program(case: &str, paths: &[String]) -> Result<Timed, Failure> {
    let folder = TempDir::new()?;
    let work = folder.path().join("work");
    std::fs::create_dir(&work)?;
    let mut engine = Engine::open(&work, &folder.path().join("state.db"), ambient())?;
    let ran = |text: &str| ProgramRun {
        finishes: Vec::new(),
        command: "codemod".to_owned(),
        files: paths
            .iter()
            .map(|path| ProgramFile {
                path: path.clone(),
                content: Some(ProgramContent::File {
                    bytes: text.as_bytes().to_vec(),
                    mode: Some(0o644),
                }),
                base: ProgramBase::Current,
                folders_gone: 0,
            })
            .collect(),
        not_collected: Vec::new(),
        held: None,
        origin: Origin::default(),
        changeset: None,
    };
    let mut timed = Timed::new();
    for (name, text) in [("a program", "one\n"), ("a program after it", "two\n")] {
        let name = format!("{case}: {name}");
        time(&mut timed, &name, || Ok(engine.stage_program(ran(text))?))?;
    }
    let views = time(&mut timed, &format!("{case}: a review"), || {
        Ok(engine.review()?)
    })?;
    time(&mut timed, &format!("{case}: approval"), || {
        Ok(engine.decide(&rulings(&views))?)
    })?;
    Ok(timed)
}

fn beside(lines: usize, rewritten: Rewritten) -> Result<Timed, Failure> {
    let folder = TempDir::new()?;
    let work = folder.path().join("work");
    std::fs::create_dir(&work)?;
    let line = |number: usize| format!("{number} o\n");
    let before: String = (0..lines).map(line).collect();
    let after = (0..lines).map(|number| {
        if rewritten(number) {
            format!("{number} n\n")
        } else {
            line(number)
        }
    });
    std::fs::write(work.join("large.txt"), &before)?;
    for small in ["a.txt", "b.txt", "c.txt"] {
        std::fs::write(work.join(small), "one\ntwo\nthree\n")?;
    }
    let mut engine = Engine::open(&work, &folder.path().join("state.db"), ambient())?;
    let mut timed = Timed::new();
    let whole = json!({"file": "large.txt", "whole": {"content": after.collect::<String>()}});
    time(&mut timed, "the rewrite itself", || {
        propose(&mut engine, &whole)
    })?;
    let edit = |timed: &mut Timed, file: &str, engine: &mut Engine| {
        let pair = json!({"old_text": "two", "new_text": "2"});
        let small = json!({"file": file, "section": {"edits": [pair]}});
        time(timed, "an edit of another file", || propose(engine, &small))
    };
    edit(&mut timed, "a.txt", &mut engine)?;
    edit(&mut timed, "b.txt", &mut engine)?;
    time(&mut timed, "a read of another file", || {
        Ok(engine.read("c.txt")?)
    })?;
    time(&mut timed, "a read of the file", || {
        Ok(engine.read("large.txt")?)
    })?;
    time(&mut timed, "a listing", || Ok(engine.list(".")?))?;
    time(
        &mut timed,
        "the staged paths",
        || Ok(engine.staged_paths()?),
    )?;
    time(&mut timed, "what waits", || Ok(engine.waiting()?))?;
    let views = time(&mut timed, "a review", || Ok(engine.review()?))?;
    time(&mut timed, "the user's edits", || Ok(engine.user_edits()))?;
    let ids: Vec<_> = views.iter().map(|view| view.id).collect();
    time(&mut timed, "what became of it", || {
        Ok(engine.outcomes(&ids, &[])?)
    })?;
    let (large, small): (Vec<_>, Vec<_>) =
        views.into_iter().partition(|view| view.path == "large.txt");
    let one = rulings(&small).into_iter().take(1).collect::<Vec<_>>();
    time(&mut timed, "a verdict on another file", || {
        Ok(engine.decide(&one)?)
    })?;
    let deny = rulings(&large).into_iter().take(1).map(|ruling| Ruling {
        verdict: Verdict::Deny { reason: None },
        ..ruling
    });
    let deny: Vec<Ruling> = deny.collect();
    if large.iter().any(|view| view.hunks.len() > 1) {
        time(&mut timed, "a denial of a hunk of it", || {
            Ok(engine.decide(&deny)?)
        })?;
    }
    let edited = before.replacen("\n7 o", "\n7 mine", 1);
    if large.iter().any(|view| view.hunks.len() > 1) {
        std::fs::write(work.join("large.txt"), edited)?;
        time(&mut timed, "a review after the user's own edit", || {
            Ok(engine.review()?)
        })?;
    }
    let views = engine.review()?;
    time(&mut timed, "approval of all of it", || {
        Ok(engine.decide(&rulings(&views))?)
    })?;
    time(&mut timed, "its history", || Ok(engine.history(None)?))?;
    Ok(timed)
}

fn rulings(views: &[ProposalView]) -> Vec<Ruling> {
    let hunks = views.iter().flat_map(ProposalView::pending);
    hunks
        .map(|hunk| Ruling::new(hunk, Verdict::Approve))
        .collect()
}

fn propose(engine: &mut Engine, change: &Value) -> Result<(), Failure> {
    let payload = Payload::parse(&json!({"changes": [change]}).to_string())?;
    let asked = SubmittedPayload {
        payload,
        origin: Origin::default(),
        changeset: None,
        only: None,
    };
    if engine.propose(asked)?.staged {
        Ok(())
    } else {
        Err("it is not staged".into())
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark has a clock")]
fn time<T>(
    timed: &mut Timed,
    name: &str,
    act: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let start = Instant::now();
    let made = act()?;
    timed.push((name.to_owned(), start.elapsed()));
    Ok(made)
}

fn ambient() -> Ambient {
    let mut count = 0;
    Ambient {
        now: Box::new(|| Timestamp(1)),
        uuid: Box::new(move || {
            count += 1;
            Uuid::from_u64_pair(7, count)
        }),
    }
}
