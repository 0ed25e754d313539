//! Symbolic links that programs leave: which are written, over links that are staged, ignored, or on disk.

use std::fs;
use std::os::unix::fs::symlink;

use crate::run::{in_each, sh};
use crate::world::{Ended, World};

const FILES: [(&str, &str); 3] = [
    (".gitignore", "build/\nold/\ntools/\n.venv/\nenv/\npy/\n"),
    ("a.txt", "a\n"),
    ("top/b.txt", "b\n"),
];

/// Makes links of the user's own: `.git` where nothing but a folder of that name is needed, and one over several folders.
fn with_own_links(world: &World) {
    fs::create_dir_all(world.at(".git/hooks")).unwrap();
    fs::create_dir_all(world.at("deep/er")).unwrap();
    fs::create_dir_all(world.at(".vscode")).unwrap();
    symlink("../../top", world.at("deep/er/link")).unwrap();
}

fn is_link(world: &World, path: &str) -> bool {
    world.at(path).is_symlink()
}

/// Programs, one after another, and links that `approve --all` writes or leaves, with what is said of them.
type StagedLinks = (
    &'static [&'static str],
    &'static [(&'static str, Option<&'static str>)],
);

const STAGED: &[StagedLinks] = &[
    (
        &["ln -s . dot; ln -s dot/.. d1; ln -s dot/../home/.bashrc d4"],
        &[
            ("dot", None),
            ("d1", Some("the link leads out of the workspace")),
            ("d4", Some("the link leads out of the workspace")),
        ],
    ),
    (
        &["ln -s dot/../home d4", "ln -s . dot"],
        &[
            ("d4", Some("the link leads out of the workspace")),
            ("dot", None),
        ],
    ),
    (
        &["ln -s later/../home d4"],
        &[("d4", Some("the link goes up (`..`) behind a name"))],
    ),
    (
        &["ln -s deep/er/link/../.. x; ln -s deep/er/link/b.txt y"],
        &[
            ("x", Some("the link leads out of the workspace")),
            ("y", None),
        ],
    ),
    (
        &["ln -s .git g; ln -s dot/.git/hooks dh; ln -s . dot; ln -s .git/config c"],
        &[
            ("g", Some("the link leads into git's folder")),
            ("dh", Some("the link leads into git's folder")),
            ("c", Some("the link leads into git's folder")),
            ("dot", None),
        ],
    ),
    (
        &["ln -s .vscode v; ln -s top t"],
        &[("v", Some("an editor runs")), ("t", None)],
    ),
];

#[test]
fn links_are_written_by_where_they_lead_with_all_that_is_staged() {
    for (programs, expected) in STAGED {
        in_each(&FILES, |world, backend| {
            with_own_links(&world);
            for program in *programs {
                sh(&world, program).done();
            }
            let ended = world.run(&["approve", "--all"]);
            let reviewed = world.run(&["review"]).stdout;
            for (link, why) in *expected {
                assert_eq!(
                    is_link(&world, link),
                    why.is_none(),
                    "{link} of {programs:?} in {backend}: {} {}",
                    ended.stdout,
                    ended.stderr
                );
                let why = why.unwrap_or_default();
                let told = ended.stdout.contains(why) && reviewed.contains(why);
                assert!(told, "{link} in {backend}: {} {reviewed}", ended.stdout);
            }
        });
    }
}

/// Approving one link leaves another that leads out through it.
#[test]
fn a_link_that_waits_leads_out_through_one_that_was_approved() {
    in_each(&FILES, |world, backend| {
        sh(&world, "ln -s . dot").done();
        world.run(&["approve", "--all"]).done();
        assert!(is_link(&world, "dot"), "{backend}");
        sh(&world, "ln -s dot/../home h; ln -s dot/a.txt a").done();
        let ended = world.run(&["approve", "--all"]).ends(3);
        ended.says("the link leads out of the workspace");
        assert!(!is_link(&world, "h") && is_link(&world, "a"), "{backend}");
    });
}

fn kept(world: &World, script: &str) -> Ended {
    world
        .run(&["run", "--keep-ignored", "--", "sh", "-c", script])
        .done()
}

/// What programs leave in ignored folders, and whether it is written.
const KEPT: &[(&str, &[(&str, bool)])] = &[
    (
        "mkdir -p build; ln -s . build/dot; ln -s dot/../../home/.bashrc build/z; ln -s dot/in build/i",
        &[("build/dot", true), ("build/z", false), ("build/i", true)],
    ),
    (
        "mkdir -p build/a/b t; ln -s ../../t build/a/b/link; ln -s a/b/link/../../../home build/z",
        &[("build/z", false)],
    ),
    (
        "mkdir -p build; ln -s .git gl; ln -s ../gl build/h3; ln -s ../.git/hooks build/h; ln -s ../top build/t",
        &[("build/h3", false), ("build/h", false), ("build/t", true)],
    ),
    (
        "mkdir -p build; ln -s later/../../x build/z; ln -s ../deep/er/link/../../.. build/y; ln -s ../.vscode build/v",
        &[("build/z", false), ("build/y", false), ("build/v", false)],
    ),
    (
        "mkdir -p .venv/evil; echo x > .venv/evil/activate; ln -s evil .venv/bin; echo x > .venv/x",
        &[(".venv/bin", false), (".venv/x", true)],
    ),
    (
        "mkdir -p .venv/bin env/bin .venv/BIN; for f in .venv/bin/pytest env/bin/ruff .venv/BIN/python; do \
         echo x > $f; chmod 755 $f; done; mkdir -p env/lib; echo x > env/lib/a.py",
        &[
            (".venv/bin/pytest", false),
            ("env/bin/ruff", false),
            (".venv/BIN/python", false),
            ("env/lib/a.py", true),
        ],
    ),
    (
        "mkdir -p build/env build/py/Scripts; ln -s build/py env; touch build/py/pyvenv.cfg; echo x > build/py/Scripts/x; \
         ln -s ../py build/env/venv",
        &[
            ("env", false),
            ("build/py/Scripts/x", false),
            ("build/env/venv", false),
        ],
    ),
];

#[test]
fn ignored_links_and_programs_of_environments_are_written_by_where_they_are() {
    for (script, expected) in KEPT {
        in_each(&FILES, |world, backend| {
            with_own_links(&world);
            let ran = kept(&world, script);
            for (path, is_written) in *expected {
                let there = fs::symlink_metadata(world.at(path)).is_ok();
                assert_eq!(there, *is_written, "{path} in {backend}: {}", ran.stderr);
            }
        });
    }
}

/// An environment of the user's whose programs are elsewhere, by a link.
#[test]
fn what_is_the_programs_of_an_environment_by_a_link_is_not_written() {
    in_each(&FILES, |world, backend| {
        fs::create_dir_all(world.at(".venv")).unwrap();
        fs::create_dir_all(world.at("tools")).unwrap();
        symlink("../tools", world.at(".venv/bin")).unwrap();
        let ran = kept(
            &world,
            "echo x > tools/ruff; mkdir -p build; echo x > build/x",
        );
        assert!(
            !world.at("tools/ruff").exists(),
            "{backend}: {}",
            ran.stderr
        );
        assert!(world.at("build/x").exists(), "{backend}: {}", ran.stderr);
    });
}

/// A link that was staged earlier counts for what is kept later.
#[test]
fn an_ignored_link_into_gits_folder_over_a_staged_one_is_not_written() {
    in_each(&FILES, |world, backend| {
        with_own_links(&world);
        sh(&world, "ln -s .git gl").done();
        let ran = kept(
            &world,
            "mkdir -p build; ln -s ../gl/hooks build/h; echo x > build/x",
        );
        assert!(!is_link(&world, "build/h"), "{backend}: {}", ran.stderr);
        assert!(world.at("build/x").exists(), "{backend}: {}", ran.stderr);
    });
}
