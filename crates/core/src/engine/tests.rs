//! The engine as its callers use it, with processes that come and go.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

use super::*;
use crate::id::Timestamp;
use crate::proposal::Origin;
use crate::request::Payload;
use crate::review::{DiffLine, HunkStatus, HunkView, LineKind, RevertTo, Ruling, Verdict};
use crate::workspace::memory::{Failure, MemoryWorkspace};

mod edited;
mod encodings;
mod fates;
mod large;
mod moving;
mod remembered;

static CLOCK: AtomicU64 = AtomicU64::new(1);

fn tick() -> u64 {
    CLOCK.fetch_add(1, Ordering::Relaxed)
}

fn ambient() -> Ambient {
    Ambient {
        now: Box::new(|| Timestamp(tick() as i64)),
        uuid: Box::new(|| Uuid::from_u64_pair(7, tick())),
    }
}

/// A workspace in memory with its store on disk, so that processes can be played.
struct World {
    files: MemoryWorkspace,
    _folder: tempfile::TempDir,
    store: PathBuf,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let world = Self {
            files: MemoryWorkspace::default(),
            store: folder.path().join("state.db"),
            _folder: folder,
        };
        files
            .iter()
            .for_each(|(path, text)| world.files.save(path, *text));
        world
    }

    fn process(&self) -> Engine {
        let store = Store::open(&self.store).unwrap();
        Engine::new(Box::new(self.files.clone()), store, ambient()).unwrap()
    }

    fn text(&self, path: &str) -> Option<String> {
        self.files
            .load(path)
            .map(|bytes| String::from_utf8(bytes).unwrap())
    }
}

pub(super) fn propose(engine: &mut Engine, changes: &str) -> Answer {
    let payload = Payload::parse(&format!(r#"{{"changes":[{changes}]}}"#)).unwrap();
    engine
        .propose(Asked {
            payload,
            origin: Origin::default(),
            changeset: None,
        })
        .unwrap()
}

pub(super) fn section(file: &str, old: &str, new: &str) -> String {
    serde_json::json!({
        "file": file, "strategy": "section",
        "section": {"edits": [{"old_text": old, "new_text": new}]}
    })
    .to_string()
}

pub(super) fn whole(file: &str, content: &str) -> String {
    serde_json::json!({"file": file, "strategy": "whole", "whole": {"content": content}})
        .to_string()
}

fn rule(engine: &mut Engine, verdict: impl Fn(usize) -> Option<Verdict>) -> Decision {
    let hunks: Vec<_> = engine
        .review()
        .unwrap()
        .iter()
        .flat_map(|view| view.hunks.clone())
        .map(|h| h.id)
        .collect();
    let rulings: Vec<Ruling> = hunks
        .into_iter()
        .enumerate()
        .filter_map(|(at, hunk)| verdict(at).map(|verdict| Ruling { hunk, verdict }))
        .collect();
    engine.decide(&rulings).unwrap()
}

/// Returns a hunk's lines as a diff has them.
fn shown(hunk: &HunkView) -> Vec<String> {
    let line = |line: &DiffLine| {
        let mark = match line.kind {
            LineKind::Context => ' ',
            LineKind::Removed => '-',
            LineKind::Added => '+',
        };
        format!("{mark}{}", line.text)
    };
    hunk.lines.iter().map(line).collect()
}

pub(super) fn approve_all(engine: &mut Engine) -> Decision {
    rule(engine, |_| Some(Verdict::Approve))
}

fn text_of(engine: &mut Engine, path: &str) -> Option<String> {
    let source = engine.read(path).unwrap();
    source.map(|source| source.text().unwrap().to_owned())
}

#[test]
fn two_edits_of_one_file_wait_and_the_second_is_matched_on_the_first() {
    let world = World::new(&[("a", "one\n")]);
    let mut engine = world.process();
    assert!(propose(&mut engine, &section("a", "one", "two")).staged);
    assert!(propose(&mut engine, &section("a", "two", "three")).staged);
    assert_eq!(engine.review().unwrap().len(), 2);
    assert_eq!(text_of(&mut engine, "a").as_deref(), Some("three\n"));
    assert_eq!(world.text("a").as_deref(), Some("one\n"));
    let mut later = world.process();
    assert!(matches!(approve_all(&mut later), Decision::Done(_)));
    assert_eq!(world.text("a").as_deref(), Some("three\n"));
    assert!(
        engine.review().unwrap().is_empty(),
        "the first process sees what the second did"
    );
}

#[test]
fn one_bad_change_of_three_stages_none() {
    let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
    let mut engine = world.process();
    let changes = [
        section("a", "1", "x"),
        section("b", "2", "y"),
        section("a", "absent", "z"),
    ];
    let answer = propose(&mut engine, &changes.join(","));
    let statuses: Vec<_> = answer.results.iter().map(|result| result.status).collect();
    assert_eq!(
        statuses,
        [Status::NotStaged, Status::NotStaged, Status::NotFound]
    );
    assert!(!answer.staged && engine.review().unwrap().is_empty());
}

#[test]
fn checks_that_are_asked_for_are_said_not_to_have_run() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    let mut answer = |verify: &str| {
        let change = section("a", "1", "x");
        let text = format!(r#"{{"changes":[{change}],"verify":{verify}}}"#);
        let asked = Asked {
            payload: Payload::parse(&text).unwrap(),
            origin: Origin::default(),
            changeset: None,
        };
        serde_json::to_value(engine.rehearse(asked).unwrap()).unwrap()
    };
    let asked = answer(r#"{"tsc":true,"eslint":false}"#);
    assert_eq!(asked["verify"], "not run: no checks are configured");
    assert_eq!(
        asked["results"][0]["diagnostics"].to_string(),
        r#"[{"type":"tsc","output":"not run: no checks are configured"}]"#
    );
    let not = answer("null");
    assert!(not.get("verify").is_none() && not["results"][0].get("diagnostics").is_none());
}

#[test]
fn paths_that_lead_out_and_gits_own_are_refused() {
    let world = World::new(&[]);
    let mut engine = world.process();
    for path in ["../x", "/etc/hostname", ".git/hooks/pre-commit", ""] {
        let answer = propose(&mut engine, &whole(path, "x"));
        assert_eq!(answer.results[0].status, Status::Refused, "{path}");
    }
}

#[test]
fn a_file_is_created_changed_and_deleted_in_one_turn() {
    let world = World::new(&[("old", "x\n")]);
    let mut engine = world.process();
    propose(&mut engine, &whole("dir/new", "a\nb\n"));
    propose(&mut engine, &section("dir/new", "b", "c"));
    propose(&mut engine, r#"{"file":"old","strategy":"delete"}"#);
    let names = |engine: &mut Engine, folder: &str| -> Vec<String> {
        engine
            .list(folder)
            .unwrap()
            .into_iter()
            .map(|entry| entry.name)
            .collect()
    };
    assert_eq!(names(&mut engine, "."), ["dir"]);
    assert_eq!(names(&mut engine, "dir"), ["new"]);
    assert_eq!(text_of(&mut engine, "old"), None);
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(
        (world.text("dir/new").as_deref(), world.text("old")),
        (Some("a\nc\n"), None)
    );
    assert!(matches!(
        engine.revert("old", RevertTo::Last).unwrap(),
        Undone::Done { .. }
    ));
    assert!(matches!(
        engine.revert("dir/new", RevertTo::Version(0)).unwrap(),
        Undone::Done { .. }
    ));
    assert_eq!(
        (world.text("dir/new"), world.text("old").as_deref()),
        (None, Some("x\n"))
    );
}

#[test]
fn a_file_saved_while_its_card_is_open_is_shown_again_before_it_is_written() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "3", "three"));
    let seen = engine.review().unwrap();
    world.files.save("a", "mine\n1\n2\n3\n");
    let rulings = [Ruling {
        hunk: seen[0].hunks[0].id,
        verdict: Verdict::Approve,
    }];
    assert_eq!(
        engine.decide(&rulings).unwrap(),
        Decision::Moved {
            paths: vec!["a".into()]
        }
    );
    assert_eq!(world.text("a").as_deref(), Some("mine\n1\n2\n3\n"));
    let again = engine.review().unwrap();
    assert!(again[0].note.is_some());
    assert!(matches!(
        engine.decide(&rulings).unwrap(),
        Decision::Done(_)
    ));
    assert_eq!(world.text("a").as_deref(), Some("mine\n1\n2\nthree\n"));
}

#[test]
fn a_save_noticed_by_another_process_still_has_to_be_shown_here() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let (mut here, mut there) = (world.process(), world.process());
    propose(&mut here, &section("a", "3", "three"));
    let seen = here.review().unwrap();
    world.files.save("a", "mine\n1\n2\n3\n");
    there.review().unwrap();
    let rulings = [Ruling {
        hunk: seen[0].hunks[0].id,
        verdict: Verdict::Approve,
    }];
    assert!(matches!(
        here.decide(&rulings).unwrap(),
        Decision::Moved { .. }
    ));
    assert_eq!(world.text("a").as_deref(), Some("mine\n1\n2\n3\n"));
}

#[test]
fn a_save_of_the_same_lines_is_a_conflict_that_can_only_be_denied() {
    let world = World::new(&[("a", "1\n2\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "2", "two"));
    world.files.save("a", "1\nzwei\n");
    let views = engine.review().unwrap();
    assert!(matches!(
        views[0].hunks[0].status,
        HunkStatus::Conflict { .. }
    ));
    // What it was to do is still to be seen, beside what is there now.
    assert_eq!(shown(&views[0].hunks[0]), [" 1", "-2", "+two"]);
    assert_eq!(views[0].hunks[0].yours, ["zwei"]);
    assert_eq!(world.process().review().unwrap(), views);
    assert!(matches!(approve_all(&mut engine), Decision::Refused { .. }));
    let denied = rule(&mut engine, |_| Some(Verdict::Deny { reason: None }));
    assert!(matches!(denied, Decision::Done(_)));
    assert!(engine.review().unwrap().is_empty());
    assert_eq!(world.text("a").as_deref(), Some("1\nzwei\n"));
}

#[test]
fn hunks_are_decided_one_by_one() {
    let world = World::new(&[("a", "1\n2\n3\n4\n5\n6\n7\n")]);
    let mut engine = world.process();
    propose(&mut engine, &whole("a", "one\n2\n3\nfour\n5\n6\nseven\n"));
    let decision = rule(&mut engine, |at| match at {
        0 => Some(Verdict::Approve),
        1 => Some(Verdict::Deny {
            reason: Some("no".into()),
        }),
        _ => None,
    });
    let Decision::Done(decided) = decision else {
        panic!("{decision:?}")
    };
    assert_eq!(
        (decided.committed, decided.pending),
        (vec![("a".to_owned(), 1)], 1)
    );
    assert_eq!(world.text("a").as_deref(), Some("one\n2\n3\n4\n5\n6\n7\n"));
    assert_eq!(
        text_of(&mut world.process(), "a").as_deref(),
        Some("one\n2\n3\n4\n5\n6\nseven\n")
    );
}

#[test]
fn history_keeps_the_last_ten_and_goes_back_to_any_of_them() {
    let world = World::new(&[("a", "0\n")]);
    let mut engine = world.process();
    for n in 1..=12 {
        propose(&mut engine, &whole("a", &format!("{n}\n")));
        approve_all(&mut engine);
    }
    let versions: Vec<_> = engine
        .history(Some("a"))
        .unwrap()
        .iter()
        .map(|view| view.version)
        .collect();
    assert_eq!(versions, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    let mut later = world.process();
    assert!(matches!(
        later.revert("a", RevertTo::Version(5)).unwrap(),
        Undone::Done { version: 13, .. }
    ));
    assert_eq!(world.text("a").as_deref(), Some("5\n"));
    assert!(matches!(
        later.revert("a", RevertTo::Version(1)).unwrap(),
        Undone::Nothing { .. }
    ));
    assert!(matches!(
        later.revert("a", RevertTo::Last).unwrap(),
        Undone::Done { .. }
    ));
    assert_eq!(world.text("a").as_deref(), Some("4\n"));
}

#[test]
fn a_revert_keeps_what_the_user_changed_and_guesses_nothing() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "1", "one"));
    approve_all(&mut engine);
    world.files.save("a", "one\n2\n3\nmine\n");
    assert!(matches!(
        engine.revert("a", RevertTo::Last).unwrap(),
        Undone::Done { .. }
    ));
    assert_eq!(world.text("a").as_deref(), Some("1\n2\n3\nmine\n"));
    propose(&mut engine, &section("a", "1", "one"));
    approve_all(&mut engine);
    world.files.save("a", "eins\n2\n3\nmine\n");
    let undone = engine.revert("a", RevertTo::Last).unwrap();
    assert!(
        matches!(&undone, Undone::Conflict { why } if why.ends_with("same lines: line 1")),
        "{undone:?}"
    );
    let clashes = engine.clashes("a", RevertTo::Last).unwrap();
    assert_eq!((clashes.len(), clashes[0].place.clone()), (1, 1..2));
    assert_eq!(clashes[0].yours, ["eins"]);
    assert_eq!(engine.clashes("a", RevertTo::Only(3)).unwrap(), clashes);
    assert!(
        engine
            .clashes("a", RevertTo::Version(0))
            .unwrap()
            .is_empty()
    );
    assert_eq!(world.text("a").as_deref(), Some("eins\n2\n3\nmine\n"));
}

#[test]
fn a_failing_disk_leaves_files_and_staged_work_as_they_were() {
    for step in 0.. {
        let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
        let mut engine = world.process();
        propose(
            &mut engine,
            &[section("a", "1", "x"), section("b", "2", "y")].join(","),
        );
        let hunks: Vec<_> = engine
            .review()
            .unwrap()
            .iter()
            .map(|view| view.hunks[0].id)
            .collect();
        let rulings: Vec<_> = hunks
            .iter()
            .map(|hunk| Ruling {
                hunk: *hunk,
                verdict: Verdict::Approve,
            })
            .collect();
        world.files.fail_at(Some((step, Failure::Error)));
        let decided = engine.decide(&rulings);
        let steps = world.files.steps();
        world.files.fail_at(None);
        if step >= steps {
            assert!(matches!(decided.unwrap(), Decision::Done(_)));
            break;
        }
        assert!(decided.is_err(), "step {step}");
        assert_eq!(
            (world.text("a").as_deref(), world.text("b").as_deref()),
            (Some("1\n"), Some("2\n"))
        );
        assert!(world.process().history(None).unwrap().is_empty());
        assert!(
            matches!(engine.decide(&rulings).unwrap(), Decision::Done(_)),
            "it works afterwards"
        );
        assert_eq!(world.text("b").as_deref(), Some("y\n"));
    }
}

#[test]
fn a_crash_in_the_middle_is_undone_at_the_next_start() {
    for step in 0.. {
        let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
        let mut engine = world.process();
        propose(
            &mut engine,
            &[section("a", "1", "x"), section("b", "2", "y")].join(","),
        );
        world.files.fail_at(Some((step, Failure::Crash)));
        let views = engine.review().unwrap();
        let each = views.iter().flat_map(|view| &view.hunks);
        let rulings: Vec<_> = each
            .map(|hunk| Ruling {
                hunk: hunk.id,
                verdict: Verdict::Approve,
            })
            .collect();
        let finished = engine.decide(&rulings).is_ok();
        drop(engine);
        world.files.fail_at(None);
        let mut later = world.process();
        if finished {
            break;
        }
        let both = (world.text("a"), world.text("b"));
        assert_eq!(
            both,
            (Some("1\n".into()), Some("2\n".into())),
            "step {step}"
        );
        assert_eq!(world.files.drafts(), 0);
        assert_eq!(
            later.review().unwrap().len(),
            2,
            "what was staged still waits"
        );
    }
}

#[test]
fn a_commit_half_undone_is_undone_before_anything_else() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "1", "2"));
    world.files.fail_at(Some((2, Failure::Crash)));
    let views = engine.review().unwrap();
    let (hunk, verdict) = (views[0].hunks[0].id, Verdict::Approve);
    assert!(engine.decide(&[Ruling { hunk, verdict }]).is_err());
    world.files.fail_at(None);
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(world.files.drafts(), 0);
    // Its record would fit what is there now.
    assert!(world.process().recovered().restored.is_empty());
    assert_eq!(world.text("a").as_deref(), Some("2\n"));
}

#[test]
fn a_blocked_approval_names_what_it_builds_on() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "1", "2"));
    propose(&mut engine, &section("a", "2", "3"));
    let decision = rule(&mut engine, |at| (at == 1).then_some(Verdict::Approve));
    let Decision::Refused { why } = decision else {
        panic!("{decision:?}")
    };
    assert!(why.contains("which still waits"), "{why}");
    let denied = rule(&mut engine, |at| {
        (at == 0).then_some(Verdict::Deny { reason: None })
    });
    let Decision::Done(decided) = denied else {
        panic!("{denied:?}")
    };
    assert_eq!(decided.hunks.len(), 2);
    assert!(matches!(
        decided.hunks[1].status,
        HunkStatus::Conflict { .. }
    ));
    let orphan = &engine.review().unwrap()[0].hunks[0];
    assert_eq!(shown(orphan), ["-2", "+3"]);
    assert!(orphan.yours.is_empty());
}

#[test]
fn history_tells_what_each_entry_changed_and_where_it_came_from() {
    let text: String = (1..=400)
        .map(|n| format!("line number {n} of some\n"))
        .collect();
    let world = World::new(&[("a", &text), ("gone", "1\n2\n")]);
    let mut engine = world.process();
    for (old, new) in [("number 100 of", "100th of"), ("number 300 of", "300th of")] {
        propose(&mut engine, &section("a", old, new));
        approve_all(&mut engine);
    }
    let mine = world.text("a").unwrap().replace("number 101 of", "mine");
    world.files.save("a", mine);
    let patches = engine.patches("a").unwrap();
    let lines: Vec<String> = patches
        .iter()
        .flat_map(|patch| patch.hunks.iter().flat_map(|(_, lines)| lines))
        .filter(|line| line.kind != LineKind::Context)
        .map(|line| line.text.clone())
        .collect();
    let expected = ["number 300", "300th", "number 100", "100th"];
    assert_eq!(lines, expected.map(|line| format!("line {line} of some")));
    let views = engine.history(Some("a")).unwrap();
    assert_eq!(views[0].strategy.as_deref(), Some("section"));
    assert!(views[0].changeset.is_some() && !views[0].edited);
    engine
        .revert_changeset(views[0].changeset.unwrap())
        .unwrap();
    assert!(world.text("a").unwrap().contains("number 300"));
}

#[test]
fn a_revert_is_taken_back_and_one_version_out_of_the_middle() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    for (old, new) in [("1", "one"), ("2", "two"), ("3", "three")] {
        propose(&mut engine, &section("a", old, new));
        approve_all(&mut engine);
    }
    assert!(matches!(
        engine.revert("a", RevertTo::Only(2)).unwrap(),
        Undone::Done { version: 4, .. }
    ));
    assert_eq!(world.text("a").as_deref(), Some("one\n2\nthree\n"));
    world.files.save("a", "one\n2\nthree\nmine\n");
    let preview = world
        .process()
        .preview("a", RevertTo::Redo)
        .unwrap()
        .unwrap();
    assert_eq!(
        (preview.hunks.len(), preview.summary.as_str()),
        (1, "redo what version 4 took back")
    );
    assert!(matches!(
        engine.revert("a", RevertTo::Redo).unwrap(),
        Undone::Done { version: 5, .. }
    ));
    assert_eq!(world.text("a").as_deref(), Some("one\ntwo\nthree\nmine\n"));
    assert!(matches!(
        engine.revert("a", RevertTo::Redo).unwrap(),
        Undone::Nothing { .. }
    ));
    assert!(matches!(
        engine.revert("a", RevertTo::Only(2)).unwrap(),
        Undone::Done { version: 6, .. }
    ));
    assert_eq!(world.text("a").as_deref(), Some("one\n2\nthree\nmine\n"));
}

#[test]
fn a_changeset_is_taken_back_in_all_files_or_in_none() {
    let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
    let mut engine = world.process();
    let changes = [
        section("a", "1", "x"),
        section("b", "2", "y"),
        whole("c", "new\n"),
    ];
    let answer = propose(&mut engine, &changes.join(","));
    approve_all(&mut engine);
    let id = answer.changeset.unwrap();
    world.files.save("b", "mine\n");
    assert!(matches!(
        engine.revert_changeset(id).unwrap(),
        ChangesetUndone::Conflict { .. }
    ));
    assert_eq!(
        (world.text("a").as_deref(), world.text("c").as_deref()),
        (Some("x\n"), Some("new\n"))
    );
    let blocked = engine.preview_changeset(id).unwrap();
    assert!(matches!(blocked, Err(ChangesetUndone::Conflict { .. })));
    world.files.save("b", "y\n");
    let previews = engine.preview_changeset(id).unwrap().unwrap();
    let paths: Vec<&str> = previews.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths.len(), 3, "{paths:?}");
    assert_eq!(world.text("a").as_deref(), Some("x\n"));
    assert!(
        matches!(engine.revert_changeset(id).unwrap(), ChangesetUndone::Done(files) if files.len() == 3)
    );
    assert_eq!(
        (world.text("a").as_deref(), world.text("b").as_deref()),
        (Some("1\n"), Some("2\n"))
    );
    assert_eq!(world.text("c"), None);
    assert_eq!(
        engine.revert_changeset(id).unwrap(),
        ChangesetUndone::Nothing
    );
}

#[test]
fn a_line_has_an_author() {
    let world = World::new(&[("a", "1\n2\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "2", "two"));
    approve_all(&mut engine);
    world.files.save("a", "1\ntwo\nmine\n");
    let authors: Vec<_> = engine
        .blame("a")
        .unwrap()
        .into_iter()
        .map(|view| view.author)
        .collect();
    assert_eq!(authors, ["before", "model", "user"]);
    assert!(engine.blame("absent").unwrap().is_empty());
}

#[test]
fn two_changes_of_one_line_build_on_each_other() {
    let world = World::new(&[("a", "alpha beta\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "alpha", "one"));
    propose(&mut engine, &section("a", "beta", "two"));
    let alone = rule(&mut engine, |at| (at == 1).then_some(Verdict::Approve));
    assert!(
        matches!(alone, Decision::Refused { .. }),
        "nobody saw the line `alpha two`"
    );
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(world.text("a").as_deref(), Some("one two\n"));
}

/// A workspace on disk.
pub(super) fn on_disk(folder: &Path) -> Engine {
    Engine::open(folder, &folder.join("../state/state.db"), ambient()).unwrap()
}

#[test]
fn links_within_the_workspace_are_other_names_of_the_same_file() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("ws");
    std::fs::create_dir_all(root.join(".git/hooks")).unwrap();
    std::fs::create_dir_all(root.join("real")).unwrap();
    symlink(".git", root.join("g")).unwrap();
    symlink("real", root.join("alias")).unwrap();
    std::fs::write(root.join("real/f"), "1\n2\n").unwrap();
    std::fs::set_permissions(root.join("real/f"), PermissionsExt::from_mode(0o755)).unwrap();
    let mut engine = on_disk(&root);
    let answer = propose(&mut engine, &whole("g/hooks/pre-commit", "x"));
    assert_eq!(answer.results[0].status, Status::Refused);
    let changes = [
        section("alias/f", "1", "one"),
        section("real/f", "2", "two"),
    ];
    assert!(propose(&mut engine, &changes.join(",")).staged);
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(
        std::fs::read_to_string(root.join("real/f")).unwrap(),
        "one\ntwo\n"
    );
    propose(&mut engine, r#"{"file":"alias/f","strategy":"delete"}"#);
    approve_all(&mut engine);
    assert!(!root.join("real/f").exists());
    assert!(matches!(
        engine.revert("real/f", RevertTo::Last).unwrap(),
        Undone::Done { .. }
    ));
    let mode = std::fs::metadata(root.join("real/f"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn going_back_to_where_the_file_is_makes_no_entry() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "1", "2"));
    approve_all(&mut engine);
    engine.revert("a", RevertTo::Last).unwrap();
    assert!(matches!(
        engine.revert("a", RevertTo::Version(0)).unwrap(),
        Undone::Nothing { .. }
    ));
}

fn patch(file: Option<&str>, patch: &str) -> String {
    let mut change = serde_json::json!({"strategy": "diff", "diff": {"patch": patch}});
    if let Some(file) = file {
        change["file"] = file.into();
    }
    change.to_string()
}

const ENVELOPE: &str = "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n*** Add File: d/new\n+x\n*** Delete File: c\n*** End Patch\n";

#[test]
fn a_patch_for_several_files_is_staged_as_a_whole() {
    let world = World::new(&[("a", "one\n"), ("c", "gone\n")]);
    let mut engine = world.process();
    for named in [Some("a"), None] {
        let answer = propose(&mut engine, &patch(named, ENVELOPE));
        let files: Vec<&str> = answer.results.iter().map(|r| r.file.as_str()).collect();
        assert_eq!(files, ["a", "d/new", "c"]);
    }
    assert_eq!(
        engine.review().unwrap().len(),
        3,
        "the second time nothing is left to do"
    );
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(world.text("a").as_deref(), Some("1\n"));
    assert_eq!(world.text("d/new").as_deref(), Some("x\n"));
    assert_eq!(world.text("c"), None);
}

#[test]
fn one_bad_part_of_a_patch_stages_none() {
    let world = World::new(&[("a", "two\n"), ("c", "gone\n")]);
    let mut engine = world.process();
    let answer = propose(&mut engine, &patch(Some("a"), ENVELOPE));
    let statuses: Vec<Status> = answer.results.iter().map(|r| r.status).collect();
    assert_eq!(
        statuses,
        [Status::NotFound, Status::NotStaged, Status::NotStaged]
    );
    assert!(!answer.staged && engine.review().unwrap().is_empty());
    let escapes = ENVELOPE.replace("d/new", "../new");
    let answer = propose(&mut engine, &patch(Some("c"), &escapes));
    assert_eq!(answer.results[1].status, Status::Refused);
}

#[test]
fn the_same_patch_given_for_each_of_its_files_is_made_once() {
    let world = World::new(&[("a", "x\n"), ("b", "y\n")]);
    let mut engine = world.process();
    let text = "--- a/a\n+++ b/a\n@@ -1,0 +2 @@\n+new\n--- a/b\n+++ b/b\n@@ -1,0 +2 @@\n+new\n";
    let both = [patch(Some("a"), text), patch(Some("b"), text)].join(",");
    let answer = propose(&mut engine, &both);
    assert!(answer.staged);
    assert_eq!(text_of(&mut engine, "a").as_deref(), Some("x\nnew\n"));
    assert_eq!(text_of(&mut engine, "b").as_deref(), Some("y\nnew\n"));
    assert_eq!(engine.review().unwrap().len(), 2);
}

#[test]
fn a_patch_may_change_and_rename_a_file() {
    let world = World::new(&[("a", "one\ntwo\n"), ("b", "x\n")]);
    let mut engine = world.process();
    let text = "diff --git a/a b/d/c\nrename from a\nrename to d/c\n--- a/a\n+++ b/d/c\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n--- a/b\n+++ b/b\n@@\n-x\n+y\n";
    let answer = propose(&mut engine, &patch(Some("a"), text));
    assert!(answer.staged, "{:?}", answer.results);
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(world.text("a"), None);
    assert_eq!(world.text("d/c").as_deref(), Some("1\ntwo\n"));
    assert_eq!(world.text("b").as_deref(), Some("y\n"));
}
