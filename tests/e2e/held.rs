//! Texts that programs move: `approve --all` leaves none of them at no path, and says what it left for that.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::run::{in_each, relative, sh};
use crate::world::{Ended, Found, World, whole};

const FILES: [(&str, &str); 6] = [
    ("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
    ("b.txt", "21\n22\n23\n24\n25\n"),
    ("other", "x\n"),
    ("one", "one line"),
    ("c.bin", "a\0b"),
    (".gitignore", "*.o\nbuilt/\n"),
];

/// Returns all lines of the files of a world.
fn lines(world: &World) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for (_, found) in relative(world) {
        if let Found::File(bytes, _) = found {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            lines.extend(text.lines().map(str::to_owned));
        }
    }
    lines
}

/// Approves all, once more if a file has changed since it was shown.
fn approve_all(world: &World) -> Ended {
    let ended = world.run(&["approve", "--all"]);
    if ended.stdout.contains("changed on disk since") {
        return world.run(&["approve", "--all"]);
    }
    ended
}

/// Approves everything that a message says can be approved by its id.
fn approve_named(world: &World, told: &str) {
    let commands = told.split("`signoff approve ").skip(1);
    let ids: Vec<&str> = commands
        .flat_map(|rest| rest.split('`').next().unwrap().split(' '))
        .collect();
    let arguments = [&["approve"][..], &ids].concat();
    world.run(&arguments).done();
}

/// What programs do, what is said of it, and which files are as they were after all was approved.
const MOVED: &[(&[&str], &str, &[&str])] = &[
    // Where nothing is staged: ignored, or git's.
    (
        &["mv a.txt k.o"],
        "is in k.o, which is not staged",
        &["a.txt"],
    ),
    (&["mv a.txt k.o; echo x >> k.o"], "is in k.o,", &["a.txt"]),
    (
        &["mkdir built; mv a.txt built/a; sed -i s/5/five/ built/a"],
        "is in built/a,",
        &["a.txt"],
    ),
    (&["mv a.txt .git/x"], "is in .git/x,", &["a.txt"]),
    (
        &["mkdir -p .git/x; mv a.txt .git/x/b"],
        "is in .git/x/b,",
        &["a.txt"],
    ),
    (
        &["mkdir d; mv d .git/d; mv a.txt .git/d/"],
        "is in .git/d/a.txt,",
        &["a.txt"],
    ),
    // Files that are no text, and a line without an end.
    (&["mv c.bin k.o; echo x >> k.o"], "is in k.o,", &["c.bin"]),
    (
        &["(echo x; cat c.bin) > k.o; mv other c.bin"],
        "is in k.o,",
        &["c.bin"],
    ),
    (&["mv one k.o; echo x >> k.o"], "is in k.o,", &["one"]),
    // Something that cannot be looked at.
    (
        &[r#"mv a.txt "$(printf '\377')"; mv b.txt a.txt"#],
        "may be in",
        &["a.txt"],
    ),
    (
        &[r#"mv a.txt "$(printf '\377')"; echo new > a.txt"#],
        "may be in",
        &["a.txt"],
    ),
    (
        &[r#"mkdir built; mv a.txt "built/$(printf '\377')"; echo x >> built/*"#],
        "in built/",
        &["a.txt"],
    ),
    (
        &["(head -c 9000000 /dev/zero; cat b.txt) > big; echo new > b.txt"],
        "may be in big,",
        &["b.txt"],
    ),
    // Among more than are looked at.
    (
        &[
            "mv a.txt k.o; seq 100 >> k.o; mkdir built; for i in $(seq 1100); do echo decoy-decoy-decoy > built/$i; done",
        ],
        "may be in",
        &["a.txt"],
    ),
    // By two programs, of which the first is not written yet.
    (
        &["mv b.txt n.txt", "mv n.txt k.o"],
        "is in k.o,",
        &["b.txt"],
    ),
    (
        &["mv b.txt n.txt", "mv n.txt k.o; echo x >> k.o"],
        "is in k.o,",
        &["b.txt"],
    ),
    (
        &["mv b.txt n.txt", "echo x >> n.txt", "mv n.txt k.o"],
        "is in k.o,",
        &["b.txt"],
    ),
    (
        &["mv b.txt n.txt", "mv n.txt .git/x"],
        "is in .git/x,",
        &["b.txt"],
    ),
    (
        &["mv b.txt n.txt", r#"mv n.txt "$(printf '\377')""#],
        "may be in",
        &["b.txt"],
    ),
    (
        &["mv a.txt t; mv b.txt a.txt; mv t b.txt", "mv a.txt k.o"],
        "is in k.o,",
        &["a.txt", "b.txt"],
    ),
    (
        &["mv c.bin n.bin", "mv n.bin k.o; echo x >> k.o"],
        "is in k.o,",
        &["c.bin"],
    ),
    // Another file comes in its place, and stays with it.
    (
        &["mv a.txt k.o; mv b.txt a.txt"],
        "is in k.o,",
        &["a.txt", "b.txt"],
    ),
    (
        &["mv a.txt .git/x; mv b.txt a.txt"],
        "is in .git/x,",
        &["a.txt", "b.txt"],
    ),
    (
        &["mv a.txt k.o; mv b.txt a.txt; echo x >> a.txt"],
        "is in k.o,",
        &["a.txt", "b.txt"],
    ),
    // The next program puts another one there.
    (
        &["mv a.txt k.o", "echo new > a.txt"],
        "is in k.o,",
        &["a.txt"],
    ),
    // A program waits for a look.
    (&["mv a.txt b.sh; chmod 755 b.sh"], "may be run", &["a.txt"]),
    (
        &["mv a.txt b.sh; chmod 755 b.sh; echo x >> b.sh"],
        "together with b.sh",
        &["a.txt"],
    ),
    (
        &["mv a.txt b.sh; chmod 755 b.sh", "echo new > a.txt"],
        "together with b.sh",
        &["a.txt"],
    ),
    (
        &["mv a.txt c.bin; chmod 755 c.bin"],
        "together with c.bin",
        &["a.txt"],
    ),
    (
        &["mv c.bin d.sh; echo x >> d.sh; chmod 755 d.sh"],
        "together with d.sh",
        &["c.bin"],
    ),
    // What comes in its place builds on it; the rest is written.
    (
        &["mv a.txt b.sh; chmod 755 b.sh; ln -s other a.txt; echo x >> b.txt"],
        "wrote 1 hunk (b.txt)",
        &["a.txt"],
    ),
];

#[test]
fn what_a_program_moves_to_where_it_is_not_written_stays_where_it_was() {
    in_each(&[], |world, backend| {
        for (commands, told, stay) in MOVED {
            for (path, text) in FILES {
                world.write(path, text);
                world.set_mode(path, 0o644);
            }
            fs::create_dir_all(world.at(".git")).unwrap();
            let before = lines(&world);
            for command in *commands {
                sh(&world, command).done();
            }
            let ended = approve_all(&world).ends(3).says(told);
            assert!(
                before.is_subset(&lines(&world)),
                "{commands:?} in {backend}"
            );
            for path in *stay {
                let was = FILES.iter().find(|(own, _)| own == path).unwrap().1;
                assert_eq!(world.text(path), was, "{commands:?} in {backend}");
            }
            // Who looked at it gets it.
            approve_named(&world, &ended.stdout);
            assert_eq!(world.review().len(), 0, "{commands:?} in {backend}");
            for (path, found) in relative(&world) {
                if !matches!(found, Found::Folder) {
                    fs::remove_file(world.root().join(path)).unwrap();
                }
            }
        }
    });
}

#[test]
fn what_is_on_the_disk_as_well_or_was_built_holds_nothing_up() {
    in_each(&[], |world, _| {
        fs::create_dir_all(world.at(".git")).unwrap();
        // What is on the disk is not lost.
        for (path, text) in FILES {
            world.write(path, text);
        }
        let script = "mv a.txt k.o; echo x >> k.o";
        world
            .run(&["run", "--keep-ignored", "--", "sh", "-c", script])
            .done();
        world.run(&["approve", "--all"]).done();
        assert_eq!(world.text("k.o"), format!("{}x\n", FILES[0].1));
        // What git does for itself, a copy, and a build hold nothing up.
        for (path, text) in FILES {
            world.write(path, text);
        }
        sh(
            &world,
            "echo x > .git/index; rm a.txt; sed -i.o s/22/two/ b.txt; echo y > k.o",
        )
        .done();
        world.run(&["approve", "--all"]).done();
        assert!(!world.at("a.txt").exists());
        assert_eq!(world.text("b.txt"), "21\ntwo\n23\n24\n25\n");
    });
}

#[test]
fn a_program_that_undoes_staged_work_says_so() {
    in_each(&FILES, |world, _| {
        sh(&world, "echo n > n.txt").done();
        let undone = sh(&world, "mv n.txt k.o").done();
        assert!(
            undone.stderr.contains("staged work was undone"),
            "{undone:?}"
        );
        assert_eq!(world.review().len(), 0);
        let same = sh(&world, "cat a.txt").done();
        assert!(same.stderr.contains("no file changed"), "{same:?}");
    });
}

/// What the user does before all is approved.
#[test]
fn a_text_stays_where_it_was_if_the_user_refuses_or_saves_its_new_place() {
    type Act = fn(&World);
    let deny: Act = |world| {
        let review = world.review();
        let own = review.iter().find(|own| own["path"] == "b.txt").unwrap();
        let id = own["id"].as_str().unwrap();
        world.run(&["deny", id, "--reason", "no"]).done();
    };
    let save: Act = |world| world.write("b.txt", "21\n22\nmine\n24\n25\n");
    let cases: &[(&str, Act, &str)] = &[
        (
            "mv a.txt b.txt",
            deny,
            "was to be in b.txt, which you denied",
        ),
        ("mv a.txt b.txt; echo x >> b.txt", deny, "which you denied"),
        ("mv c.bin b.txt; echo x >> b.txt", deny, "which you denied"),
        (
            "mv a.txt t; mv b.txt a.txt; mv t b.txt",
            deny,
            "which you denied",
        ),
        ("mv c.bin b.txt", save, "moved together with b.txt"),
        (
            "mv c.bin t; mv b.txt c.bin; mv t b.txt",
            save,
            "moved together with b.txt",
        ),
        ("mv a.txt b.txt", save, "moved together with b.txt"),
        (
            "mv a.txt b.txt; echo x >> b.txt",
            save,
            "moved together with b.txt",
        ),
        (
            "mv a.txt t; mv b.txt a.txt; mv t b.txt",
            save,
            "moved together with b.txt",
        ),
    ];
    for (command, act, told) in cases {
        in_each(&FILES, |world, backend| {
            sh(&world, command).done();
            act(&world);
            approve_all(&world).ends(3).says(told);
            for path in ["a.txt", "c.bin"] {
                let was = FILES.iter().find(|(own, _)| *own == path).unwrap().1;
                assert_eq!(world.text(path), was, "{command} in {backend}");
            }
            // It is found by another process, and can be denied or approved.
            let review = world.run(&["review"]).done().stdout;
            assert!(
                told.contains("together") || review.contains(told),
                "{review}"
            );
            world.run(&["deny", "--all", "--reason", "no"]).done();
            assert_eq!(world.review().len(), 0);
        });
    }
}

#[test]
fn a_conflict_says_what_works() {
    in_each(&FILES, |world, backend| {
        sh(&world, "sed -i s/22/two/ b.txt; rm a.txt; echo 9 > a.txt").done();
        world.write("b.txt", "21\nmine\n23\n24\n25\n");
        world.write("a.txt", "mine\n");
        let told = approve_all(&world).ends(3).stdout;
        assert!(told.contains("approve by its id"), "{backend}: {told}");
        // By the commands that it names, and by the id of a proposal of which nothing else waits.
        let [proposal, _] = &world.review()[..] else {
            panic!("{backend}: {told}")
        };
        let id = proposal["id"].as_str().unwrap();
        world.run(&["approve", id]).done();
        let again = approve_all(&world).ends(3).stdout;
        approve_named(&world, &again);
        assert_eq!(world.text("b.txt"), "21\ntwo\n23\n24\n25\n", "{backend}");
        assert_eq!(world.text("a.txt"), "9\n", "{backend}");
    });
}

/// `cp -a d e && rm -r d && echo more >>e/a.txt`: the folder was in two halves.
#[test]
fn a_folder_whose_files_change_on_the_way_is_written_whole_or_not() {
    let files = [
        ("d/a.txt", "one\ntwo\nthree\n"),
        ("d/b.txt", "four\nfive\n"),
        ("d/n/c.txt", "six\nseven\n"),
        ("d/run.sh", "#!/bin/sh\necho run\n"),
        ("k/z.txt", "eight\n"),
    ];
    for command in [
        "cp -a d e && rm -r d && echo more >>e/a.txt",
        "mv d e && for f in e/*; do test -f $f && echo more >>$f; done; true",
        "mv d e && rm e/b.txt && echo more >>e/a.txt",
        "mv d t && mv k d && mv t k && echo more >>k/b.txt",
        "mkdir -p q && mv d q/d && echo more >>q/d/a.txt",
        "mv d e && mv e/a.txt e/b2.txt && echo more >>e/b.txt",
    ] {
        in_each(&files, |world, backend| {
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(world.at("d/run.sh"), mode).unwrap();
            sh(&world, command).done();
            approve_all(&world).ends(3);
            for (path, text) in files {
                assert_eq!(world.text(path), text, "{command} in {backend}");
            }
            assert!(
                !world.at("e").exists() && !world.at("q/d").exists(),
                "{command} in {backend}"
            );
        });
    }
}

/// 18,001 lines of which none was on a screen were approved.
#[test]
fn what_is_not_displayed_is_approved_by_its_id_alone() {
    let world = World::new(&[("a.txt", "one\n")]);
    let large = "a row of a table that is long enough to be too much\n".repeat(22_000);
    let changes = [whole("big.csv", &large), whole("b.txt", "two\n")];
    world.stage(json!(changes));
    let told = world.run(&["approve", "--all"]).ends(3);
    let told = told
        .says("big.csv (not displayed: text, 22000 lines, ")
        .stdout;
    assert!(world.at("b.txt").exists() && !world.at("big.csv").exists());
    let hunk = world.review()[0]["hunks"][0].clone();
    let digest = &hunk["undisplayed"]["new"];
    assert_eq!(digest["bytes"], large.len());
    let hash = digest["sha256"].as_str().unwrap();
    assert!(hash.len() == 64 && told.contains(hash), "{told}");
    // In line mode neither `a` nor `A` answers the question.
    let asked = world.feed(&["--plain", "--offline"], "a\nA\ns\n").done();
    asked.says("not displayed: sign it by its size and hash");
    assert!(!world.at("big.csv").exists());
    approve_named(&world, &told);
    assert_eq!(world.text("big.csv"), large);
}

#[test]
fn a_file_below_a_staged_link_is_refused_and_the_link_stays_staged() {
    in_each(&[("real/a", "a\n")], |world, backend| {
        sh(&world, "ln -s real d").done();
        let asked = json!({ "changes": [whole("d/f", "new\n")] });
        world
            .apply(&[], &asked)
            .ends(3)
            .says("d is a staged symbolic link");
        world.run(&["approve", "--all"]).done();
        let target = fs::read_link(world.at("d")).unwrap();
        assert_eq!(target.to_str(), Some("real"), "{backend}");
    });
}

#[test]
fn a_link_that_the_user_puts_over_staged_work_is_not_proposed_to_go() {
    in_each(&[("d/a", "a\n"), ("b", "b\n")], |world, backend| {
        sh(&world, "echo x >> d/a; echo x >> b; echo n > d/n").done();
        fs::rename(world.at("d"), world.at("dd")).unwrap();
        std::os::unix::fs::symlink("dd", world.at("d")).unwrap();
        sh(&world, "true").done();
        let paths: Vec<String> = world
            .review()
            .iter()
            .map(|own| format!("{} {}", own["operation"], own["path"]))
            .collect();
        assert!(!paths.contains(&r#""delete" "d""#.to_owned()), "{paths:?}");
        approve_all(&world).ends(3).says("in conflict");
        assert!(fs::read_link(world.at("d")).is_ok(), "{backend}");
        assert_eq!(world.text("b"), "b\nx\n");
    });
}
