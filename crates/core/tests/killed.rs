//! A process that is killed in the middle of a commit or a revert, at every step on the files.
//!
//! The test starts itself as the process to be killed; what the next one finds is all five
//! files old or all five new, and a history that agrees.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test: a surprise is a failure, and it plays the outside world"
)]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{Signal, getpid, kill_process};
use signoff_core::disk::workspace::attributes::Attributes;
use signoff_core::disk::workspace::disk::DiskWorkspace;
use signoff_core::disk::workspace::{
    AccessError, DirEntry, Draft, FileImage, Swap, Workspace, WorkspacePath,
};
use signoff_core::edit::request::Payload;
use signoff_core::engine::{Decision, Engine, SubmittedPayload};
use signoff_core::id::{Ambient, Timestamp};
use signoff_core::record::store::Store;
use signoff_core::stage::proposal::Origin;
use signoff_core::stage::review::{ProposalView, RevertTarget, Ruling, Verdict};
use signoff_core::text::{Fingerprint, Source};
use uuid::Uuid;

const OLD: [(&str, Option<&str>); 5] = [
    ("a", Some("1\n")),
    ("b", Some("2\r\n")),
    ("deep/c", Some("3")),
    ("made", None),
    ("gone", Some("5\n")),
];
const NEW: [(&str, Option<&str>); 5] = [
    ("a", Some("one\n")),
    ("b", Some("two\r\n")),
    ("deep/c", Some("three")),
    ("made", Some("four\n")),
    ("gone", None),
];

/// The steps of a workspace, of which one kills the process.
struct Dying {
    inner: DiskWorkspace,
    step: u64,
    fatal: u64,
}

impl Dying {
    /// Counts two points for each step, one before and one after it.
    fn step<T>(&mut self, act: impl FnOnce(&mut DiskWorkspace) -> T) -> T {
        self.point();
        let value = act(&mut self.inner);
        self.point();
        value
    }

    fn point(&mut self) {
        if self.step == self.fatal {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
        self.step += 1;
    }
}

impl Workspace for Dying {
    fn root(&self) -> PathBuf {
        self.inner.root()
    }

    fn canonical(&self, path: &WorkspacePath) -> Result<WorkspacePath, AccessError> {
        self.inner.canonical(path)
    }

    fn entry(&self, path: &WorkspacePath) -> Result<WorkspacePath, AccessError> {
        self.inner.entry(path)
    }

    fn read(&self, path: &WorkspacePath) -> Result<Option<FileImage>, AccessError> {
        self.inner.read(path)
    }

    fn link_target(&self, path: &WorkspacePath) -> Result<Option<Vec<u8>>, AccessError> {
        self.inner.link_target(path)
    }

    fn has_other_names(&self, path: &WorkspacePath) -> Result<bool, AccessError> {
        self.inner.has_other_names(path)
    }

    fn list(&self, path: &WorkspacePath) -> Result<Vec<DirEntry>, AccessError> {
        self.inner.list(path)
    }

    fn check_writable(&self, path: &WorkspacePath) -> Result<(), AccessError> {
        self.inner.check_writable(path)
    }

    fn attributes(&self, path: &WorkspacePath) -> Result<Option<Attributes>, AccessError> {
        self.inner.attributes(path)
    }

    fn draft(
        &mut self,
        draft: &Draft,
        text: &Source,
        attributes: Option<&Attributes>,
    ) -> Result<Vec<String>, AccessError> {
        self.step(|inner| inner.draft(draft, text, attributes))
    }

    fn drafted(&self, draft: &Draft) -> Result<Option<Source>, AccessError> {
        self.inner.drafted(draft)
    }

    fn publish(
        &mut self,
        draft: &Draft,
        expected: Option<Fingerprint>,
    ) -> Result<Swap, AccessError> {
        self.step(|inner| inner.publish(draft, expected))
    }

    fn withdraw(&mut self, draft: &Draft, expected: Fingerprint) -> Result<Swap, AccessError> {
        self.step(|inner| inner.withdraw(draft, expected))
    }

    fn redraft(&mut self, draft: &Draft, to: &Draft) -> Result<(), AccessError> {
        self.step(|inner| inner.redraft(draft, to))
    }

    fn discard(&mut self, draft: &Draft) -> Result<(), AccessError> {
        self.step(|inner| inner.discard(draft))
    }

    fn missing_folders(&self, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, AccessError> {
        self.inner.missing_folders(path)
    }

    fn remove_folder(&mut self, folder: &WorkspacePath) -> Result<(), AccessError> {
        self.step(|inner| inner.remove_folder(folder))
    }

    fn sync_folder(&mut self, path: &WorkspacePath) -> Result<(), AccessError> {
        self.step(|inner| inner.sync_folder(path))
    }
}

fn ambient() -> Ambient {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let pid = u64::from(std::process::id());
    let now = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_millis() as i64
    };
    Ambient {
        now: Box::new(move || Timestamp(now())),
        uuid: Box::new(move || Uuid::from_u64_pair(pid, NEXT.fetch_add(1, Ordering::Relaxed))),
    }
}

fn engine(folder: &Path, fatal: u64) -> Engine {
    let inner = DiskWorkspace::open(&folder.join("ws")).unwrap();
    let store = Store::open(&folder.join("state/state.db")).unwrap();
    Engine::new(
        Box::new(Dying {
            inner,
            step: 0,
            fatal,
        }),
        store,
        ambient(),
    )
    .unwrap()
}

/// Makes a workspace with old texts and everything staged.
fn staged() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("ws/deep")).unwrap();
    for (path, text) in OLD {
        text.into_iter()
            .for_each(|text| fs::write(folder.path().join("ws").join(path), text).unwrap());
    }
    let changes = NEW.iter().map(|(path, text)| match text {
        Some(text) => serde_json::json!({"file": path, "whole": {"content": text}}),
        None => serde_json::json!({"file": path, "strategy": "delete"}),
    });
    let changes = serde_json::json!({"changes": changes.collect::<Vec<_>>()});
    let payload = Payload::parse(&changes.to_string()).unwrap();
    let asked = SubmittedPayload {
        payload,
        origin: Origin::default(),
        changeset: None,
        only: None,
    };
    assert!(
        engine(folder.path(), u64::MAX)
            .propose(asked)
            .unwrap()
            .staged
    );
    folder
}

fn approve_all(engine: &mut Engine) {
    let views = engine.review().unwrap();
    let hunks = views.iter().flat_map(ProposalView::pending);
    let rulings: Vec<Ruling> = hunks
        .map(|hunk| Ruling::new(hunk, Verdict::Approve))
        .collect();
    assert!(matches!(
        engine.decide(&rulings).unwrap(),
        Decision::Done(_)
    ));
}

fn revert_all(engine: &mut Engine, changeset: Uuid) {
    let id = signoff_core::id::ChangesetId(changeset);
    assert!(
        engine
            .take_back(&RevertTarget::Changeset { changeset: id })
            .unwrap()
            .written
    );
}

/// Tells whether all files are as in `files` and nothing else lies about.
fn is(folder: &Path, files: &[(&str, Option<&str>)]) -> bool {
    let workspace = folder.join("ws");
    let same = |(path, text): &(&str, Option<&str>)| {
        fs::read_to_string(workspace.join(path)).ok().as_deref() == *text
    };
    let litter = |folder: &Path| {
        fs::read_dir(folder).unwrap().any(|entry| {
            entry
                .unwrap()
                .file_name()
                .to_string_lossy()
                .ends_with(".signoff")
        })
    };
    files.iter().all(same) && !litter(&workspace) && !litter(&workspace.join("deep"))
}

/// Runs this test again as the process that dies; returns whether it was killed.
fn dies(folder: &Path, act: &str, fatal: u64) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "the_process_that_dies"]);
    child
        .env("KILLED_FOLDER", folder)
        .env("KILLED_ACT", act)
        .env("KILLED_AT", fatal.to_string());
    let status = child.output().unwrap().status;
    assert!(status.success() || status.signal() == Some(9), "{status}");
    status.signal() == Some(9)
}

/// The other process of the tests below; does nothing when it is not told what to do.
#[test]
fn the_process_that_dies() {
    let Ok(folder) = std::env::var("KILLED_FOLDER") else {
        return;
    };
    let fatal = std::env::var("KILLED_AT").unwrap().parse().unwrap();
    let mut engine = engine(Path::new(&folder), fatal);
    match std::env::var("KILLED_ACT").unwrap().as_str() {
        "commit" => approve_all(&mut engine),
        "recover" => {}
        changeset => revert_all(&mut engine, Uuid::parse_str(changeset).unwrap()),
    }
}

#[test]
fn a_commit_killed_at_any_step_is_whole_or_was_never() {
    for fatal in 0.. {
        let folder = staged();
        let killed = dies(folder.path(), "commit", fatal);
        // Recovery is killed as well, at one step after the other, until it gets through.
        if killed {
            (0..).find(|again| !dies(folder.path(), "recover", *again));
        }
        let mut next = engine(folder.path(), u64::MAX);
        let entries = next.history(None).unwrap().len();
        if entries == 0 {
            assert!(is(folder.path(), &OLD), "killed at {fatal}");
            assert_eq!(
                next.review().unwrap().len(),
                5,
                "what was staged still waits"
            );
            approve_all(&mut next);
        }
        assert!(is(folder.path(), &NEW), "killed at {fatal}");
        assert_eq!(next.history(None).unwrap().len(), 5);
        if !killed {
            assert!(fatal > 20, "there were steps to be killed at");
            break;
        }
    }
}

#[test]
fn a_revert_killed_at_any_step_is_whole_or_was_never() {
    for fatal in 0.. {
        let folder = staged();
        let mut first = engine(folder.path(), u64::MAX);
        let changeset = first.review().unwrap()[0].changeset;
        approve_all(&mut first);
        drop(first);
        let killed = dies(folder.path(), &changeset.to_string(), fatal);
        let mut next = engine(folder.path(), u64::MAX);
        let entries = next.history(None).unwrap().len();
        assert!(
            is(folder.path(), if entries == 5 { &NEW } else { &OLD }),
            "killed at {fatal}"
        );
        if entries == 5 {
            revert_all(&mut next, changeset.0);
        }
        assert!(is(folder.path(), &OLD), "killed at {fatal}");
        assert_eq!(next.history(None).unwrap().len(), 10);
        if !killed {
            break;
        }
    }
}
