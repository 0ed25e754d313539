//! Marks proposals for files that are executed implicitly, and for symbolic links that lead where they should not.
//!
//! In: the files with staged work. Out: a mark on their cards that names what runs them, or where the link leads. Marked
//! files require a review: approving everything at once does not approve them.

pub(super) mod aliases;
mod link_places;
mod named;

use std::collections::BTreeMap;
use std::iter;

use aliases::Aliases;
pub use link_places::LinkPlaces;

use crate::disk::workspace::WorkspacePath;
use crate::disk::workspace::attributes::{SET_GROUP_ID, SET_USER_ID, STICKY};
use crate::disk::workspace::executed::{FileKind, executed, lock_file, runs, runs_behind};
use crate::disk::workspace::link_walk::LinkEnds;
use crate::edit::plan::Presence;
use crate::engine::overlay::Overlay;
use crate::stage::proposal::layer::{self, Layer};
use crate::stage::proposal::stack::PathStack;
use crate::text::Source;

const EXECUTABLE: &str = "it may be run as a program";
const REPOSITORY: &str = "git takes its folder for a repository";

/// Permission bits of which one is enough to run a file.
const EXECUTE: u32 = 0o111;

/// Permission bits that change whose rights a program has, and what each does.
const SPECIAL: [(u32, &str); 3] = [
    (
        SET_USER_ID,
        "whoever runs it has the rights of its owner (set-user-ID)",
    ),
    (
        SET_GROUP_ID,
        "whoever runs it has the rights of its group (set-group-ID)",
    ),
    (STICKY, "it has the sticky bit"),
];

/// Why a file requires a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct ExecutionMark {
    /// What runs it, or obeys it.
    runs: Option<String>,
    /// What has to be known of the symbolic link that it becomes.
    link: Option<&'static str>,
}

impl ExecutionMark {
    /// Returns what the mark says, without the words around it.
    pub(in crate::engine) fn bare(&self) -> String {
        let all = self.runs.as_deref().into_iter().chain(self.link);
        all.collect::<Vec<_>>().join("; ")
    }

    /// Returns what the mark says in a sentence.
    pub(in crate::engine) fn told(&self) -> String {
        let runs = self.runs.as_deref();
        let runs = runs.map(|by| format!("this file makes a program run: {by}"));
        let all = runs.into_iter().chain(self.link.map(str::to_owned));
        all.collect::<Vec<_>>().join("; ")
    }
}

/// Returns what runs these files with staged work now.
pub(in crate::engine) fn programs<'k>(
    overlay: &Overlay,
    keys: impl Iterator<Item = &'k WorkspacePath>,
) -> BTreeMap<WorkspacePath, ExecutionMark> {
    let mut aliases = Aliases::of(overlay.workspace.as_ref(), &overlay.stage);
    let places = LinkPlaces::of(overlay.workspace.as_ref(), &overlay.stage);
    let found = keys.filter_map(|key| {
        let stack = overlay.stage.stacks.get(key)?;
        let moves = stack.layers.iter().filter_map(|layer| layer.to());
        let own: Vec<&WorkspacePath> = iter::once(key).chain(moves).collect();
        let names = aliases.names(&own);
        let judge = if is_link(stack) { runs_behind } else { runs };
        let by_name = names.iter().find_map(judge).or_else(|| {
            let repository = own.iter().any(|name| aliases.is_in_repository(name));
            repository.then_some(REPOSITORY)
        });
        // What is removed is started by nobody any more.
        let by_starter = if by_name.is_none() && stack.is_there() {
            aliases.starter(&own)
        } else {
            None
        };
        let ends = places.staged_ends(key, stack);
        let by_name = by_name.or_else(|| ends.iter().find_map(LinkEnds::runs));
        let by_mode = by_mode(overlay, key, stack);
        let executable = by_mode.executable.then_some(EXECUTABLE);
        let by = by_name.or(executable).into_iter().chain(by_mode.special);
        let by = by
            .map(str::to_owned)
            .chain(by_starter)
            .chain(locked(&names, stack))
            .collect::<Vec<_>>()
            .join("; ");
        let mark = ExecutionMark {
            runs: (!by.is_empty()).then_some(by),
            link: ends.iter().find_map(LinkEnds::danger),
        };
        (mark.runs.is_some() || mark.link.is_some()).then(|| (key.clone(), mark))
    });
    found.collect()
}

/// Returns what the staged work on a lock file comes to, if a file is one.
fn locked(names: &[WorkspacePath], stack: &PathStack) -> Option<String> {
    let name = names
        .iter()
        .find(|name| executed(name).is_some_and(|found| found.kind == FileKind::Lock))?;
    // A damaged store is found out where its texts are used.
    let after = stack.text().ok()?;
    let (before, after) = (
        stack.base.as_ref().map(Source::text),
        after.as_ref().map(Source::text),
    );
    // What is no text has no packages that a reader finds.
    let text = |source: Option<Result<_, _>>| source.map(|text| text.unwrap_or("\0"));
    Some(lock_file::summary(name.name(), text(before), text(after)))
}

/// Returns what the permission bits of a file say: those on disk and those that staged work gives it.
fn by_mode(overlay: &Overlay, key: &WorkspacePath, stack: &PathStack) -> ByMode {
    // What cannot be looked at is found out when it is to be written.
    let on_disk = overlay.workspace.mode(key).ok().flatten();
    let on_disk = on_disk.unwrap_or(0);
    let proposed = layer::modes(&stack.layers).fold(0, |all, mode| all | mode);
    // A program that stays as it is may be allowed to fewer.
    let stays = stack.layers.iter().all(Layer::is_of_permissions);
    let changed = if stays { 0 } else { on_disk };
    let special = SPECIAL
        .iter()
        .filter(|(bit, _)| (proposed | changed) & bit != 0);
    ByMode {
        executable: (proposed & !on_disk | changed) & EXECUTE != 0,
        special: special.map(|(_, does)| *does).collect(),
    }
}

/// What permission bits say of a file.
struct ByMode {
    /// Whether it may be run, and is new as a program or a changed one.
    executable: bool,
    /// What its special bits do.
    special: Vec<&'static str>,
}

/// Returns whether a file is a symbolic link, or becomes one.
fn is_link(stack: &PathStack) -> bool {
    stack.base.as_ref().is_some_and(Source::is_link)
        || stack
            .layers
            .iter()
            .any(|layer| layer.presence() == Presence::Linked)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::*;
    use crate::engine::tests::{approve_all, on_disk, propose, whole};
    use crate::engine::{
        Decision, Engine, ProgramBase, ProgramContent, ProgramFile, ProgramRun, ProgramStaged,
    };
    use crate::stage::proposal::Origin;
    use crate::stage::review::{Ruling, Verdict};

    /// Returns what is said to run the file of one change, and whether it is written unseen.
    fn check(change: &str) -> (Option<String>, bool) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("ws");
        for made in ["lib/objects", "lib/sub", "src"] {
            fs::create_dir_all(root.join(made)).unwrap();
        }
        fs::write(root.join("lib/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(root.join("tool"), "echo\n").unwrap();
        fs::set_permissions(root.join("tool"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(root.join("notes.md"), "a\n").unwrap();
        let mut engine = on_disk(&root);
        let proposals = propose(&mut engine, change).proposals.to_vec();
        assert_eq!(proposals.len(), 1, "{change}");
        let runs = engine.review().unwrap()[0].runs.clone();
        assert_eq!(engine.waiting().unwrap()[0].runs, runs);
        let decision = engine.approve_unseen(&proposals).unwrap();
        (runs, matches!(decision, Decision::Done(_)))
    }

    #[test]
    fn what_makes_a_program_run_is_marked_and_not_written_unseen() {
        let to = |to: &str| {
            format!(
                r#"{{"file":"notes.md","description":"d","strategy":"move","move":{{"to":"{to}"}}}}"#
            )
        };
        for (change, by) in [
            (whole(".envrc", "x\n"), "direnv runs it"),
            (whole("src/.Envrc", "x\n"), "direnv runs it"),
            (whole("tool", "rm\n"), EXECUTABLE),
            (whole("lib/config", "[core]\n"), REPOSITORY),
            (whole("lib/sub/x", "x\n"), REPOSITORY),
            (whole("src/HEAD", "x\n"), "git takes a folder"),
            (to(".bashrc"), "a shell runs it"),
            (to("lib/description"), REPOSITORY),
        ] {
            let (runs, written) = check(&change);
            assert!(runs.is_some_and(|runs| runs.starts_with(by)), "{change}");
            assert!(!written, "{change}");
        }
        for change in [whole("src/main.rs", "fn main() {}\n"), to("src/notes.md")] {
            assert_eq!(check(&change), (None, true), "{change}");
        }
    }

    /// A file as a program leaves it: `-> x` is a link.
    pub(super) fn left(path: &str, text: &str, mode: u32) -> ProgramFile {
        let content = match text.strip_prefix("-> ") {
            Some(target) => ProgramContent::Link(target.into()),
            None => ProgramContent::File {
                bytes: text.into(),
                mode: Some(mode),
            },
        };
        ProgramFile {
            path: path.to_owned(),
            content: Some(content),
            folders_gone: 0,
            base: ProgramBase::Current,
        }
    }

    pub(super) fn run(engine: &mut Engine, files: Vec<ProgramFile>) -> ProgramStaged {
        let run = ProgramRun {
            finishes: Vec::new(),
            command: "x".to_owned(),
            files,
            origin: Origin::default(),
            not_collected: Vec::new(),
            held: None,
            changeset: None,
        };
        engine.stage_program(run).unwrap()
    }

    pub(super) fn workspace(root: &Path, files: &[(&str, &str, u32)]) -> Engine {
        fs::create_dir_all(root).unwrap();
        for (path, text, mode) in files {
            let at = root.join(path);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            match text.strip_prefix("-> ") {
                Some(target) => symlink(target, at).unwrap(),
                None => {
                    fs::write(&at, text).unwrap();
                    fs::set_permissions(at, fs::Permissions::from_mode(*mode)).unwrap();
                }
            }
        }
        on_disk(root)
    }

    /// Files on disk, what a program leaves, and what runs the first of it in the review.
    type Case = (
        &'static [(&'static str, &'static str, u32)],
        &'static [(&'static str, &'static str, u32)],
        Option<&'static str>,
    );

    const CASES: &[Case] = &[
        // What a marked file starts by name, staged or on disk.
        (
            &[(
                "package.json",
                r#"{"scripts":{"prepare":"node ./tools/x.js"}}"#,
                0o644,
            )],
            &[("tools/x.js", "x\n", 0o644)],
            Some("package.json starts it by name"),
        ),
        (
            &[],
            &[
                ("sub/tools/x.sh", "x\n", 0o644),
                ("sub/.envrc", "source tools/x.sh\n", 0o644),
            ],
            Some("sub/.envrc starts it by name"),
        ),
        (
            &[("package.json", r#"{"main":"./lib/x.js"}"#, 0o644)],
            &[("lib/x.js", "x\n", 0o644)],
            None,
        ),
        // Packages of a lock file.
        (
            &[("go.sum", "a.example/x v1 h1:1=\n", 0o644)],
            &[(
                "go.sum",
                "a.example/x v1 h1:1=\nb.example/y v1 h1:2=\n",
                0o644,
            )],
            Some(
                "a package manager installs what it names; 1 package added (b.example/y); new host: b.example",
            ),
        ),
        (&[], &[("new", "x\n", 0o755)], Some(EXECUTABLE)),
        (&[], &[("new", "x\n", 0o601)], Some(EXECUTABLE)),
        (&[], &[("new", "x\n", 0o644)], None),
        (
            &[("a", "x\n", 0o644)],
            &[("a", "x\n", 0o744)],
            Some(EXECUTABLE),
        ),
        (
            &[("a", "x\n", 0o644)],
            &[("a", "y\n", 0o755)],
            Some(EXECUTABLE),
        ),
        (
            &[("a", "x\n", 0o755)],
            &[("a", "y\n", 0o755)],
            Some(EXECUTABLE),
        ),
        (&[("a", "x\n", 0o755)], &[("a", "x\n", 0o700)], None),
        (&[("a", "x\n", 0o644)], &[("a", "x\n", 0o600)], None),
        (
            &[("a", "x\n", 0o644)],
            &[("a", "x\n", 0o4644)],
            Some("whoever runs it has the rights of its owner"),
        ),
        (
            &[("a", "x\n", 0o644)],
            &[("a", "x\n", 0o2644)],
            Some("whoever runs it has the rights of its group"),
        ),
        (
            &[("a", "x\n", 0o644)],
            &[("a", "x\n", 0o1644)],
            Some("it has the sticky bit"),
        ),
        (
            &[],
            &[("new", "x\n", 0o4755)],
            Some("it may be run as a program; whoever runs it has the rights of its owner"),
        ),
        (
            &[],
            &[(".envrc", "x\n", 0o6755)],
            Some("direnv runs it when the folder is entered; whoever"),
        ),
        // A link's own name, and parts of names.
        (&[], &[(".envrc", "-> x", 0)], Some("direnv")),
        (&[], &[(".cargo", "-> x", 0)], Some("a build")),
        (&[], &[(".husky", "-> x", 0)], Some("git runs hooks")),
        (&[], &[(".github", "-> x", 0)], Some("")),
        (
            &[(".github/a", "x\n", 0o644)],
            &[(".github/workflows", "-> ../x", 0)],
            Some("continuous"),
        ),
        (&[], &[("link", "-> x", 0)], None),
        // Through links, staged and on disk, in both directions.
        (
            &[],
            &[
                ("a/ci.yml", "x\n", 0o644),
                (".github", "-> x", 0),
                ("x/workflows", "-> ../a", 0),
            ],
            Some("continuous"),
        ),
        (
            &[],
            &[
                ("x/workflows/ci.yml", "x\n", 0o644),
                ("y", "-> .github", 0),
                (".github", "-> x", 0),
            ],
            Some("continuous"),
        ),
        (
            &[(".husky", "-> hooks", 0), ("hooks/a", "x\n", 0o644)],
            &[("hooks/pre-push", "x\n", 0o644)],
            Some("git runs hooks"),
        ),
        (
            &[(".envrc", "-> sub/env.sh", 0), ("sub/env.sh", "x\n", 0o644)],
            &[("sub/env.sh", "y\n", 0o644)],
            Some("direnv"),
        ),
        (
            &[
                (".github/workflows", "-> ../ci", 0),
                ("ci/a.yml", "x\n", 0o644),
            ],
            &[("ci/a.yml", "y\n", 0o644)],
            Some("continuous"),
        ),
        (
            &[("p/.cargo", "-> own", 0), ("p/own/a", "x\n", 0o644)],
            &[("p/own/a", "y\n", 0o644)],
            Some("a build"),
        ),
        (
            &[("loop", "-> .", 0), ("a", "x\n", 0o644)],
            &[("a", "y\n", 0o644)],
            None,
        ),
        (
            &[("out", "-> ../..", 0), ("a", "x\n", 0o644)],
            &[("a", "y\n", 0o644)],
            None,
        ),
    ];

    #[test]
    fn permissions_and_links_count_as_they_are_proposed() {
        for (on_disk, leaves, by) in CASES {
            let folder = tempfile::tempdir().unwrap();
            let mut engine = workspace(&folder.path().join("ws"), on_disk);
            let files = leaves
                .iter()
                .map(|(path, text, mode)| left(path, text, *mode));
            run(&mut engine, files.collect());
            let views = engine.review().unwrap();
            let first = views.iter().find(|view| view.path == leaves[0].0).unwrap();
            let runs = first.runs.as_deref();
            assert_eq!(runs.is_some(), by.is_some(), "{leaves:?}: {runs:?}");
            assert!(
                runs.unwrap_or_default().starts_with(by.unwrap_or_default()),
                "{leaves:?}: {runs:?}"
            );
            let unseen = engine.approve_unseen(std::slice::from_ref(first)).unwrap();
            let written = matches!(unseen, Decision::Done(_));
            assert_eq!(written, by.is_none(), "{leaves:?}: {unseen:?}");
        }
    }

    #[test]
    fn no_file_is_staged_below_a_staged_link() {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = workspace(&folder.path().join("ws"), &[]);
        run(&mut engine, vec![left("x", "-> .github", 0)]);
        let answer = propose(&mut engine, &whole("x/workflows/ci.yml", "on: push\n"));
        assert!(!answer.staged, "{answer:?}");
    }

    #[test]
    fn permissions_that_come_after_a_card_was_shown_are_shown_first() {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = workspace(&folder.path().join("ws"), &[]);
        run(&mut engine, vec![left("new", "x\n", 0o644)]);
        let views = engine.review().unwrap();
        run(&mut engine, vec![left("new", "x\n", 0o755)]);
        let ruling = Ruling::new(&views[0].hunks[0], Verdict::Approve);
        let decision = engine.decide(&[ruling]).unwrap();
        assert!(matches!(decision, Decision::Changed { .. }), "{decision:?}");
        assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    }
}
