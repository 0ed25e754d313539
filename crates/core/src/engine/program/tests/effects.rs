//! What a program's changes write beside the lines that are shown: permission bits, line endings, links.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_assert, prop_oneof, proptest};
use proptest::sample::select;

use super::*;
use crate::edit::intent::Operation;
use crate::id::HunkId;
use crate::stage::review::{HunkView, Ruling, Verdict};

/// A file or a link at a path of the workspace; of a link no permission bits.
type Entry = (Vec<u8>, Option<u32>);

/// Lets a program leave files, with the bits that it found where it gave none; links are written as in [`tree`].
fn runs(engine: &mut Engine, left: &[(&str, Option<&[u8]>, u32)]) -> ProgramStaged {
    let files = left.iter().map(|(path, bytes, mode)| ProgramFile {
        path: (*path).to_owned(),
        content: bytes.map(|bytes| match bytes.strip_prefix(b"-> ") {
            Some(target) => ProgramContent::Link(target.to_vec()),
            None => ProgramContent::File {
                bytes: bytes.to_vec(),
                mode: Some(*mode),
            },
        }),
        base: ProgramBase::Current,
        folders_gone: 0,
    });
    let run = ProgramRun {
        finishes: Vec::new(),
        command: "sh".into(),
        files: files.collect(),
        not_collected: Vec::new(),
        held: None,
        origin: Origin::default(),
        changeset: None,
    };
    engine.stage_program(run).unwrap()
}

/// Approves what nobody has to look at, as `approve --all` does.
fn approve_unmarked(engine: &mut Engine) {
    let views = engine.review().unwrap();
    let is_left = |view: &&ProposalView| view.runs.is_some() || view.held.is_some();
    let left = views.iter().filter(is_left).flat_map(ProposalView::pending);
    let left: HashSet<HunkId> = left.map(|hunk| hunk.id).collect();
    let together = engine.held_together(&left);
    let written = views.iter().flat_map(ProposalView::pending);
    let written = written
        .filter(|hunk| !left.contains(&hunk.id) && !together.contains_key(&hunk.id.proposal));
    let rulings = written.map(|hunk| Ruling::new(hunk, Verdict::Approve));
    let rulings: Vec<Ruling> = rulings.collect();
    let decision = engine.decide(&rulings).unwrap();
    assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
}

fn entries(folder: &Path) -> BTreeMap<String, Entry> {
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_symlink() {
            let target = std::fs::read_link(&path).unwrap();
            return (name, (target.into_os_string().into_encoded_bytes(), None));
        }
        let mode = metadata.permissions().mode() & 0o7777;
        (name, (std::fs::read(&path).unwrap(), Some(mode)))
    });
    files.collect()
}

fn give(folder: &Path, name: &str, mode: u32) {
    let bits = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(folder.join(name), bits).unwrap();
}

/// Files that a program left: name, bytes, permission bits.
type Left = &'static [(&'static str, Option<&'static [u8]>, u32)];
const KEY: &[u8] = b"secret 1\nsecret 2\n";
const MORE: &[u8] = b"secret 1\nsecret 2\nmore\n";

/// What programs left one after another of `key` (600) and others, what is staged then, with a star for what is held, and
/// the permission bits after `approve --all` and after all was approved.
const MODES: &[(&[Left], &str, &str, &str)] = &[
    (
        &[&[("key", Some(MORE), 0o666)]],
        "modify key, permissions* key",
        "key 600",
        "key 666",
    ),
    (
        &[&[("key", Some(KEY), 0o644)]],
        "permissions* key",
        "key 600",
        "key 644",
    ),
    (
        &[&[("key", Some(KEY), 0o400)]],
        "permissions key",
        "key 400",
        "key 400",
    ),
    // By two programs, in either order.
    (
        &[&[("key", Some(KEY), 0o644)], &[("key", Some(MORE), 0o644)]],
        "permissions* key, modify key",
        "key 600",
        "key 644",
    ),
    (
        &[&[("key", Some(MORE), 0o600)], &[("key", Some(MORE), 0o640)]],
        "modify key, permissions* key",
        "key 600",
        "key 640",
    ),
    (
        &[&[("key", Some(MORE), 0o666)], &[("key", Some(MORE), 0o600)]],
        "modify key",
        "key 600",
        "key 600",
    ),
    // Removed and made anew.
    (
        &[&[("key", None, 0)], &[("key", Some(b"other\n"), 0o644)]],
        "modify key, permissions* key",
        "key 600",
        "key 644",
    ),
    // Moved; moved and changed; a link in its place.
    (
        &[&[("key", None, 0), ("k", Some(KEY), 0o644)]],
        "move key -> k, permissions* k",
        "k 600",
        "k 644",
    ),
    (
        &[&[("key", None, 0)], &[("k", Some(KEY), 0o644)]],
        "delete key, create k",
        "k 644",
        "k 644",
    ),
    (
        &[&[("key", None, 0), ("k", Some(MORE), 0o644)]],
        "delete key, create k, permissions* k",
        "k 600",
        "k 644",
    ),
    (
        &[&[("key", Some(b"-> k"), 0), ("k", Some(KEY), 0o644)]],
        "delete key, link key, create k, permissions* k",
        "k 600, key ->",
        "k 644, key ->",
    ),
    // Another encoding: it goes and comes.
    (
        &[&[("key", Some(b"\xff\xfea\0\n\0"), 0o644)]],
        "delete key, create key, permissions* key",
        "key 600",
        "key 644",
    ),
    // New files have what the user's new files have, and a program's mark.
    (
        &[&[("new", Some(b"n\n"), 0o666)]],
        "create new",
        "key 600, new 644",
        "key 600, new 644",
    ),
    (
        &[
            &[("new", Some(b"n\n"), 0o600)],
            &[("new", Some(b"n\n"), 0o666)],
        ],
        "create new",
        "key 600, new 644",
        "key 600, new 644",
    ),
    (
        &[&[("new", Some(b"n\n"), 0o777)]],
        "create* new",
        "key 600",
        "key 600, new 755",
    ),
];

#[test]
fn a_mode_that_opens_a_file_to_more_waits_for_a_look() {
    for (programs, staged, unseen, seen) in MODES {
        let (folder, mut engine) = engine(&[("key", KEY)]);
        let root = folder.path().join("ws");
        give(&root, "key", 0o600);
        for left in *programs {
            runs(&mut engine, left);
        }
        let views = engine.review().unwrap();
        let words = views.iter().map(|view| {
            let star = if view.held.is_some() || view.runs.is_some() {
                "*"
            } else {
                ""
            };
            let to = view.to.as_ref().map(|to| format!(" -> {to}"));
            let to = to.unwrap_or_default();
            format!("{}{star} {}{to}", view.operation, view.path)
        });
        let words: Vec<String> = words.collect();
        assert_eq!(words.join(", "), *staged, "{programs:?}");
        let modes = || {
            let each = entries(&root)
                .into_iter()
                .map(|(name, (_, mode))| match mode {
                    Some(mode) => format!("{name} {mode:o}"),
                    None => format!("{name} ->"),
                });
            each.collect::<Vec<_>>().join(", ")
        };
        let is_held = staged.contains('*');
        let decision = engine.approve_unseen(&views).unwrap();
        let is_refused = matches!(decision, Decision::Refused { .. });
        assert_eq!(is_refused, is_held, "{programs:?} {decision:?}");
        if is_held {
            assert_eq!(modes(), "key 600", "{programs:?}");
            approve_unmarked(&mut engine);
        }
        assert_eq!(modes(), *unseen, "{programs:?}");
        if is_held {
            assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
        }
        assert_eq!(modes(), *seen, "{programs:?}");
    }
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn text() -> impl Strategy<Value = Vec<u8>> {
    let line = (
        select(vec!["one", "two", "x\ry", "", " "]),
        select(vec!["\n", "\r\n"]),
    );
    let lines = proptest::collection::vec(line, 0..6);
    let lines = lines.prop_map(|lines| lines.into_iter().map(|(a, b)| format!("{a}{b}")).collect());
    let end = select(vec!["", "end", "end\r"]);
    let mark = select(vec!["", "", "", "\u{feff}"]);
    let text = (mark, lines, end);
    let text = text.prop_map(|(mark, lines, end): (_, String, _)| format!("{mark}{lines}{end}"));
    prop_oneof![
        8 => text.prop_map(String::into_bytes),
        1 => Just(b"\0\x01".to_vec()),
        1 => Just(b"\xff\xfeo\0n\0e\0\n\0".to_vec()),
        1 => Just(b"caf\xe9\n".to_vec()),
    ]
}

fn mode() -> impl Strategy<Value = u32> {
    select(vec![
        0o600, 0o644, 0o664, 0o666, 0o640, 0o755, 0o400, 0o4755,
    ])
}

/// What a program does to one of the files.
#[derive(Clone, Debug)]
enum Deed {
    Write(usize, Vec<u8>),
    Endings(usize, bool),
    Mode(usize, u32),
    Make(usize, Vec<u8>, u32),
    Link(usize, usize),
    Move(usize, usize),
    Remove(usize),
}

fn deed() -> impl Strategy<Value = Deed> {
    let at = 0..NAMES.len();
    prop_oneof![
        (at.clone(), text()).prop_map(|(at, text)| Deed::Write(at, text)),
        (at.clone(), any::<bool>()).prop_map(|(at, crlf)| Deed::Endings(at, crlf)),
        (at.clone(), mode()).prop_map(|(at, mode)| Deed::Mode(at, mode)),
        (at.clone(), text(), mode()).prop_map(|(at, text, mode)| Deed::Make(at, text, mode)),
        (at.clone(), at.clone()).prop_map(|(at, to)| Deed::Link(at, to)),
        (at.clone(), at.clone()).prop_map(|(at, to)| Deed::Move(at, to)),
        at.prop_map(Deed::Remove),
    ]
}

fn name(at: usize) -> String {
    NAMES[at].to_owned()
}

impl Deed {
    fn done(&self, files: &mut BTreeMap<String, Entry>) {
        match self.clone() {
            Self::Write(at, text) => {
                if let Some((bytes, Some(_))) = files.get_mut(NAMES[at]) {
                    *bytes = text;
                }
            }
            Self::Endings(at, crlf) => {
                if let Some((bytes, Some(_))) = files.get_mut(NAMES[at])
                    && let Ok(text) = std::str::from_utf8(bytes)
                {
                    let lf = text.replace("\r\n", "\n");
                    *bytes = if crlf { lf.replace('\n', "\r\n") } else { lf }.into_bytes();
                }
            }
            Self::Mode(at, mode) => {
                if let Some((_, Some(own))) = files.get_mut(NAMES[at]) {
                    *own = mode;
                }
            }
            Self::Make(at, text, mode) => drop(files.insert(name(at), (text, Some(mode)))),
            Self::Link(at, to) => drop(files.insert(name(at), (name(to).into_bytes(), None))),
            Self::Move(at, to) => {
                if let Some(own) = files.remove(NAMES[at]) {
                    files.insert(name(to), own);
                }
            }
            Self::Remove(at) => drop(files.remove(NAMES[at])),
        }
    }
}

/// Stages what programs do one after another, each on what the ones before left.
fn staged(engine: &mut Engine, folder: &Path, programs: &[Vec<Deed>]) {
    let mut files = entries(folder);
    for deeds in programs {
        let before = files.clone();
        deeds.iter().for_each(|deed| deed.done(&mut files));
        let content = |(bytes, mode): &Entry| match mode {
            Some(mode) => ProgramContent::File {
                bytes: bytes.clone(),
                mode: Some(*mode),
            },
            None => ProgramContent::Link(bytes.clone()),
        };
        let changed = NAMES
            .iter()
            .filter(|name| before.get(**name) != files.get(**name));
        let changed = changed.map(|name| ProgramFile {
            path: (*name).to_owned(),
            content: files.get(*name).map(content),
            base: ProgramBase::Known(before.get(*name).map(content)),
            folders_gone: 0,
        });
        let run = ProgramRun {
            finishes: Vec::new(),
            command: "sh".into(),
            files: changed.collect(),
            not_collected: Vec::new(),
            held: None,
            origin: Origin::default(),
            changeset: None,
        };
        engine.stage_program(run).unwrap();
    }
}

/// Tells whether the lines of a hunk look other than those that they replace, as screens draw them.
fn looks_changed(hunk: &HunkView) -> bool {
    let side = |kind| {
        let lines = hunk.lines.iter().filter(move |line| line.kind == kind);
        lines
            .map(|line| (line.text.clone(), line.newline))
            .collect::<Vec<_>>()
    };
    side(LineKind::Removed) != side(LineKind::Added)
}

fn world(files: &[(Vec<u8>, u32)]) -> (tempfile::TempDir, Engine) {
    let files: Vec<(&str, &(Vec<u8>, u32))> = NAMES.iter().copied().zip(files).collect();
    let texts = files.iter().map(|(name, own)| (*name, own.0.as_slice()));
    let (folder, engine) = engine(&texts.collect::<Vec<_>>());
    for (name, own) in &files {
        give(&folder.path().join("ws"), name, own.1);
    }
    (folder, engine)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn whatever_an_approval_changes_on_disk_was_shown(
        files in proptest::collection::vec((text(), mode()), 0..4),
        programs in proptest::collection::vec(proptest::collection::vec(deed(), 1..4), 1..3),
    ) {
        let (folder, mut engine) = world(&files);
        let root = folder.path().join("ws");
        let before = entries(&root);
        staged(&mut engine, &root, &programs);
        let views = engine.review().unwrap();
        approve_all(&mut engine);
        let after = entries(&root);
        for name in NAMES {
            let (old, new) = (before.get(name), after.get(name));
            if old == new {
                continue;
            }
            let is_of = |view: &&ProposalView| view.path == name || view.to.as_deref() == Some(name);
            let own: Vec<&ProposalView> = views.iter().filter(is_of).collect();
            prop_assert!(!own.is_empty(), "{name}: nothing is shown: {views:?}");
            let bits = |entry: Option<&Entry>| entry.and_then(|own| own.1);
            let moved = own.iter().find(|view| view.to.as_deref() == Some(name));
            let origin = moved.and_then(|view| before.get(&view.path));
            let had = bits(origin.or(old));
            let is_new = had.is_none() && bits(new) == Some(0o644);
            if bits(new).is_some() && bits(new) != had && !is_new {
                let told = own.iter().any(|view| view.effect.mode.map(|mode| mode.to) == bits(new));
                prop_assert!(told, "{name}: {had:?} to {:?}: {own:?}", bits(new));
            }
            let bytes = |entry: Option<&Entry>| entry.map(|own| (own.0.clone(), own.1.is_some()));
            if bytes(old) != bytes(new) {
                let shown = own.iter().any(|view| {
                    let is_seen = view.hunks.iter().any(looks_changed);
                    is_seen || !view.effect.told().is_empty() || matches!(
                        view.operation,
                        Operation::Move | Operation::Delete | Operation::Create | Operation::Link
                    )
                });
                prop_assert!(shown, "{name}: {old:?} {new:?}: {own:?}");
            }
        }
        for hunk in views.iter().filter(|view| view.operation == Operation::Modify).flat_map(|view| &view.hunks) {
            let is_binary = hunk.lines.iter().any(|line| line.text.starts_with("binary, "));
            prop_assert!(looks_changed(hunk) || is_binary, "{hunk:?}");
        }
    }

    #[test]
    fn approving_all_at_once_opens_no_file_to_more_than_before(
        files in proptest::collection::vec((text(), mode()), 0..4),
        programs in proptest::collection::vec(proptest::collection::vec(deed(), 1..4), 1..3),
    ) {
        let (folder, mut engine) = world(&files);
        let root = folder.path().join("ws");
        let before = entries(&root);
        staged(&mut engine, &root, &programs);
        let views = engine.review().unwrap();
        approve_unmarked(&mut engine);
        for (name, (_, mode)) in entries(&root) {
            let Some(mode) = mode else { continue };
            let moved = views.iter().find(|view| view.to.as_deref() == Some(name.as_str()));
            let origin = moved.map_or(&name, |view| &view.path);
            let had = before.get(origin).and_then(|own| own.1);
            let had = had.or(before.get(&name).and_then(|own| own.1)).unwrap_or(0o644);
            prop_assert!(mode & !had & 0o7177 == 0, "{name}: {had:o} to {mode:o}: {views:?}");
        }
    }
}

#[test]
fn bits_that_the_user_changes_after_they_were_displayed_are_displayed_again() {
    let (folder, mut engine) = engine(&[("a.txt", b"x\n")]);
    ran(&mut engine, &[("a.txt", Some(b"x\n"), 0o666)]);
    let views = engine.review().unwrap();
    let ruling = Ruling::new(&views[0].hunks[0], Verdict::Approve);
    let file = folder.path().join("ws/a.txt");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let decision = engine.decide(&[ruling]).unwrap();
    assert!(matches!(decision, Decision::Changed { .. }), "{decision:?}");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
