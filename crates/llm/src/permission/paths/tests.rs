//! Rules against paths, in a workspace on disk with staged work.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::{Arc, Mutex};

use signoff_core::edit::request::Payload;
use signoff_core::engine::{Engine, SubmittedPayload};
use signoff_core::id::{Ambient, Timestamp};
use signoff_core::stage::proposal::Origin;
use uuid::Uuid;

use super::super::tests::{paths, rules, word};
use super::*;

/// A workspace, its engine, and the policy of these rules in it.
struct World {
    _folder: tempfile::TempDir,
    engine: Arc<Mutex<Engine>>,
    policy: Policy,
}

impl World {
    fn new(lines: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("ws");
        for path in [
            "secret/key",
            "secret/deep/a.env",
            "src/main.rs",
            "real",
            "other/x",
        ] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "text\n").unwrap();
        }
        symlink("secret", root.join("link")).unwrap();
        symlink("../real", root.join("secret/far")).unwrap();
        symlink("secret/key", root.join("near")).unwrap();
        let ambient = Ambient {
            now: Box::new(|| Timestamp(1)),
            uuid: Box::new(Uuid::now_v7),
        };
        let store = folder.path().join("state.db");
        let engine = Engine::open(&root, &store, ambient).unwrap();
        let engine = Arc::new(Mutex::new(engine));
        let policy = Policy::new(rules(lines), Vec::new()).within(&root);
        let policy = policy.looking_at(engine.clone());
        Self {
            _folder: folder,
            engine,
            policy,
        }
    }

    fn stage_move(&self, from: &str, to: &str) {
        let payload = format!(
            r#"{{"changes":[{{"file":"{from}","description":"d","strategy":"move","move":{{"to":"{to}"}}}}]}}"#
        );
        let asked = SubmittedPayload {
            payload: Payload::parse(&payload).unwrap(),
            origin: Origin::default(),
            changeset: None,
            only: None,
        };
        assert!(self.engine.lock().unwrap().propose(asked).unwrap().staged);
    }

    fn judge(&self, tool: &str, reach: Reach, named: &[&str]) -> &'static str {
        word(&self.policy.judge(tool, reach, &paths(named)))
    }

    fn read(&self, path: &str) -> &'static str {
        self.judge("read", Reach::Observe, &[path])
    }
}

#[test]
fn a_rule_that_denies_holds_for_what_a_path_leads_to() {
    let world = World::new(&["deny read secret/*"]);
    let root = world.engine.lock().unwrap().root().to_owned();
    let absolute = root.join("secret/key").display().to_string();
    for path in [
        "secret/key",
        "./secret//key",
        "src/../secret/key",
        "Secret/KEY",
        "link/key",
        "link/./deep/a.env",
        "near",
        // The rule's own path is a link.
        "secret/far",
        "file:secret/key",
        &absolute,
        &format!("file://{absolute}"),
        &format!("FILE://localhost{absolute}"),
        &format!("file://{}", absolute.replace("key", "%6Bey")),
    ] {
        assert_eq!(world.read(path), "denied", "{path}");
    }
    for path in ["src/main.rs", "other/x", "secretly/key"] {
        assert_eq!(world.read(path), "runs", "{path}");
    }
    let world = World::new(&["deny read near", "deny read link/deep/*"]);
    for path in ["near", "secret/key", "secret/deep/a.env", "link/deep/a.env"] {
        assert_eq!(world.read(path), "denied", "{path}");
    }
    assert_eq!(world.read("real"), "runs");
}

#[test]
fn a_rule_that_allows_is_for_the_path_as_it_is_named() {
    let world = World::new(&["deny read *", "allow read src/*", "allow read link/*"]);
    for (path, expected) in [
        ("src/main.rs", "runs"),
        ("SRC/main.rs", "denied"),
        ("link/key", "denied"),
        ("other/x", "denied"),
    ] {
        assert_eq!(world.read(path), expected, "{path}");
    }
}

#[test]
fn staged_moves_are_no_way_around_a_rule() {
    let world = World::new(&["deny read secret/*", "deny write other/*"]);
    world.stage_move("secret/key", "public");
    world.stage_move("other/x", "y");
    assert_eq!(world.read("public"), "denied");
    assert_eq!(world.judge("write", Reach::Stage, &["y"]), "denied");
    assert_eq!(world.read("y"), "runs");
}

#[test]
fn a_folder_is_not_moved_or_deleted_with_what_is_denied_in_it() {
    let world = World::new(&["deny * *.env", "deny read other/*", "ask delete src/*"]);
    let stage = |tool: &str, named: &[&str]| world.judge(tool, Reach::Stage, named);
    assert_eq!(stage("delete", &["secret"]), "denied");
    assert_eq!(stage("delete", &["secret/deep"]), "denied");
    assert_eq!(stage("delete", &["link"]), "denied");
    assert_eq!(stage("move", &["secret", "x"]), "denied");
    assert_eq!(stage("delete", &["src"]), "asks");
    assert_eq!(stage("delete", &["real"]), "runs");
    // It could be read under its new name.
    assert_eq!(stage("move", &["other/x", "y"]), "denied");
    assert_eq!(stage("move", &["other", "y"]), "denied");
    assert_eq!(stage("apply_structured_edits", &["other/x", "y"]), "denied");
    // It says what is there where the edit fails.
    assert_eq!(stage("write", &["other/x"]), "denied");
    assert_eq!(world.judge("list_dir", Reach::Observe, &["secret"]), "runs");
    world.stage_move("secret/deep/a.env", "src/b");
    assert_eq!(stage("move", &["src", "z"]), "denied");
}

#[test]
fn what_read_may_not_show_no_tool_shows() {
    let world = World::new(&["deny read secret/*", "ask read src/*"]);
    for (tool, path, expected) in [
        ("grep", "secret/key", "denied"),
        ("outline", "link/key", "denied"),
        ("git_diff", "near", "denied"),
        ("grep", "src/main.rs", "asks"),
        ("grep", "other/x", "runs"),
    ] {
        let word = world.judge(tool, Reach::Observe, &[path]);
        assert_eq!(word, expected, "{tool} {path}");
    }
    assert_eq!(world.judge("edit", Reach::Stage, &["src/main.rs"]), "asks");
    world.stage_move("secret/key", "public");
    let unreadable = world.policy.unreadable(world.engine.as_ref()).unwrap();
    for path in ["secret/key", "public", "near", "src/main.rs", "../x"] {
        assert!(unreadable.holds(path), "{path}");
    }
    assert!(!unreadable.holds("other/x"));
    let free = World::new(&["deny write secret/*", "allow read *"]);
    assert!(free.policy.unreadable(free.engine.as_ref()).is_none());
}

#[test]
fn what_rules_deny_to_read_is_found() {
    let cases: [(&[&str], &[&str]); 8] = [
        (&[], &[]),
        (&["deny write secret/*", "ask read secret/*"], &[]),
        (&["deny read *.ENV"], &["secret/deep/a.env"]),
        (
            &["deny read secret/*"],
            &["real", "secret/deep/a.env", "secret/key"],
        ),
        (
            &["deny * secret/*", "allow read secret/key"],
            &["real", "secret/deep/a.env"],
        ),
        (&["deny read near"], &["secret/key"]),
        (&["deny read link"], &["secret"]),
        (&["deny read link/k*"], &["secret/key"]),
    ];
    for (lines, expected) in cases {
        let world = World::new(lines);
        assert_eq!(
            denied_paths(&world, 1000),
            (
                expected.iter().map(|path| (*path).to_owned()).collect(),
                true
            ),
            "{lines:?}"
        );
    }
    let world = World::new(&["deny read secret/k*"]);
    world.stage_move("secret/key", "public");
    assert_eq!(denied_paths(&world, 1000).0, ["public", "secret/key"]);
    assert_eq!(
        denied_paths(&world, 2),
        (vec!["public".to_owned(), "secret/key".to_owned()], false)
    );
    let workspace = Policy::new(Vec::new(), rules(&["deny read src/*"]));
    let denied = workspace.denied_paths(world.engine.as_ref(), 1000);
    assert_eq!(
        denied.paths,
        [WorkspacePath::parse("src/main.rs", Path::new("/")).unwrap()]
    );
}

fn denied_paths(world: &World, most: usize) -> (Vec<String>, bool) {
    let denied = world.policy.denied_paths(world.engine.as_ref(), most);
    let paths = denied.paths.iter().map(|path| path.as_str().to_owned());
    (paths.collect::<Vec<_>>(), denied.complete)
}
