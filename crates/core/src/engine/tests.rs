//! The engine as its callers use it, with processes that come and go.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

use super::*;
use crate::disk::workspace::memory::{Failure, MemoryWorkspace};
use crate::edit::diff::line::{DiffLine, LineKind};
use crate::edit::request::Payload;
use crate::id::Timestamp;
use crate::stage::proposal::Origin;
use crate::stage::review::{
    DisplayHash, HunkStatus, HunkView, ProposalView, RevertOutcome, RevertTarget, RevertTo,
    RevertedFile, Ruling, Verdict,
};

mod attributes;
mod colours;
mod displayed;
mod dropped_changes;
mod drafts;
mod edited;
mod elsewhere;
mod encodings;
mod failures;
mod folds;
mod outcomes;
mod spellings;
mod large;
mod moving;
mod former;
mod history_queries;
mod hunk_blame;
mod patches;
mod placement;
mod redone;
mod remembered;
mod renamed;
mod replacing;
mod renames;
mod reversal_refusals;
mod rules;
mod rewritten;
mod saves;
mod scoped_diff;
mod signed;
mod stack_places;
mod taken_back_in_part;
mod unplaced;
mod written_since;

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
        .propose(SubmittedPayload {
            payload,
            origin: Origin::default(),
            changeset: None,
            only: None,
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
    let views = engine.review().unwrap();
    let hunks = views.iter().flat_map(|view| &view.hunks).enumerate();
    let rulings: Vec<Ruling> = hunks
        .filter_map(|(at, hunk)| Some(Ruling::new(hunk, verdict(at)?)))
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

/// Takes a change to a file back that nothing is in the way of, and returns what that comes to for the file.
fn taken_back(engine: &mut Engine, path: &str, to: RevertTo) -> RevertedFile {
    let mut outcome = engine.take_back(&RevertTarget::file(path, to)).unwrap();
    assert!(outcome.written, "{outcome:?}");
    outcome.files.remove(0)
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
    assert!(
        engine
            .take_back(&RevertTarget::file("old", RevertTo::Last))
            .unwrap()
            .written
    );
    assert!(
        engine
            .take_back(&RevertTarget::file("dir/new", RevertTo::Version(0)))
            .unwrap()
            .written
    );
    assert_eq!(
        (world.text("dir/new"), world.text("old").as_deref()),
        (None, Some("x\n"))
    );
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

/// The engine of a background agent over a workspace on disk.
pub(super) fn agent_on_disk(folder: &Path, name: &str) -> Engine {
    let store = folder.join(format!("../state/background/{name}/state.db"));
    Engine::proposing(folder, Default::default(), &store, ambient()).unwrap()
}

/// A new changeset.
pub(super) fn new_changeset() -> crate::id::ChangesetId {
    crate::id::ChangesetId((ambient().uuid)())
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
    assert!(
        engine
            .take_back(&RevertTarget::file("real/f", RevertTo::Last))
            .unwrap()
            .written
    );
    let mode = std::fs::metadata(root.join("real/f"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o755);
}
