//! What changes while a program runs: saves, other programs, verdicts.

mod resolved;

use proptest::prelude::*;

use super::*;
use crate::edit::diff::merge::merge;
use crate::stage::review::{Ruling, Verdict};

/// A file as a program found it and left it, and what the user has there: `-> a` is a link, `+x` stands before
/// the text of an executable file, none is no file.
type Case<'a> = (
    &'a str,
    Option<&'a [u8]>,
    Option<&'a [u8]>,
    Option<&'a [u8]>,
);

fn bytes(text: &str) -> Option<&[u8]> {
    Some(text.as_bytes())
}

/// Lets a program find and leave files.
fn run(engine: &mut Engine, files: &[(&str, ProgramBase, Option<&[u8]>)]) -> ProgramStaged {
    let files = files.iter().map(|(path, base, left)| ProgramFile {
        path: (*path).to_owned(),
        content: left.map(content),
        base: base.clone(),
        folders_gone: 0,
    });
    let run = ProgramRun {
        finishes: Vec::new(),
        command: "fmt".into(),
        files: files.collect(),
        not_collected: Vec::new(),
        held: None,
        origin: Origin::default(),
        changeset: None,
    };
    engine.stage_program(run).unwrap()
}

fn found(file: Option<&[u8]>) -> ProgramBase {
    ProgramBase::Known(file.map(content))
}

/// Makes the tree of what the user has.
fn world(cases: &[Case<'_>]) -> (tempfile::TempDir, Engine) {
    let (folder, engine) = engine(&[]);
    for (path, _, _, now) in cases {
        put(&folder, path, *now);
    }
    (folder, engine)
}

fn put(folder: &tempfile::TempDir, path: &str, file: Option<&[u8]>) {
    let at = folder.path().join("ws").join(path);
    let _absent = std::fs::remove_file(&at);
    match file.map(content) {
        None => {}
        Some(ProgramContent::Link(target)) => {
            symlink(std::str::from_utf8(&target).unwrap(), at).unwrap();
        }
        Some(ProgramContent::File { bytes, mode }) => {
            std::fs::create_dir_all(at.parent().unwrap()).unwrap();
            std::fs::write(&at, bytes).unwrap();
            let mode = std::fs::Permissions::from_mode(mode.unwrap());
            std::fs::set_permissions(at, mode).unwrap();
        }
    }
}

fn statuses(engine: &mut Engine) -> Vec<String> {
    let views = engine.review().unwrap().into_iter();
    let each = views.flat_map(|view| {
        let hunks = view.hunks.iter();
        let told = hunks.map(|hunk| {
            format!(
                "{} {} {}",
                view.operation,
                view.path,
                hunk.status.state().word()
            )
        });
        told.collect::<Vec<_>>()
    });
    each.collect()
}

/// Rules on all hunks in this state.
fn rule(engine: &mut Engine, state: &str, verdict: &Verdict) -> Decision {
    let views = engine.review().unwrap();
    let hunks = views.iter().flat_map(|view| &view.hunks);
    let hunks = hunks.filter(|hunk| hunk.status.state().word() == state);
    let rulings = hunks.map(|hunk| Ruling::new(hunk, verdict.clone()));
    let rulings: Vec<Ruling> = rulings.collect();
    engine.decide(&rulings).unwrap()
}

fn take_all(engine: &mut Engine) -> Decision {
    rule(engine, "conflict", &Verdict::Approve)
}

#[test]
fn lines_that_nobody_else_touched_are_moved_and_the_others_clash() {
    for (base, left, now, merged, conflicts) in [
        (
            "1\n2\n3\n4\n5\n",
            "1\n2\n3\n4\nfive\n",
            "new\n1\n2\n3\n4\n5\n",
            "new\n1\n2\n3\n4\nfive\n",
            0,
        ),
        (
            "1\n2\n3\n4\n5\n",
            "one\n2\n3\n4\nfive\n",
            "ONE\n2\n3\n4\n5\n",
            "ONE\n2\n3\n4\nfive\n",
            1,
        ),
        (
            "1\n2\n3\n4\n5\n",
            "1\ntwo\n3\n4\n5\n",
            "1\ntwo\n3\n4\n5\nmore\n",
            "1\ntwo\n3\n4\n5\nmore\n",
            0,
        ),
        (
            "1\n2\n3\n4\n5\n",
            "1\n2\n3\n4\n5\n6\n",
            "1\n2\n3\n4\n5\nsix\n",
            "1\n2\n3\n4\n5\nsix\n",
            1,
        ),
        (
            "1\r\n2\r\n3\r\n",
            "1\r\n2\r\nthree\r\n",
            "one\r\n2\r\n3\r\n",
            "one\r\n2\r\nthree\r\n",
            0,
        ),
        (
            "caf\u{e9}\n2\n3\n",
            "caf\u{e9}\n2\nthree\n",
            "th\u{e9}\n2\n3\n",
            "th\u{e9}\n2\nthree\n",
            0,
        ),
        ("1\n2\n", "1\n2", "one\n2\n", "one\n2", 0),
    ] {
        let (folder, mut engine) = world(&[("a", None, None, bytes(now))]);
        let staged = run(&mut engine, &[("a", found(bytes(base)), bytes(left))]);
        assert_eq!(staged.refused, [], "{left:?}");
        let told = statuses(&mut engine);
        let clashing = told.iter().filter(|told| told.ends_with("conflict"));
        assert_eq!(clashing.count(), conflicts, "{told:?}");
        let on_disk = || std::fs::read_to_string(folder.path().join("ws/a")).unwrap();
        assert_eq!(on_disk(), now);
        let pending = rule(&mut engine, "pending", &Verdict::Approve);
        assert!(matches!(pending, Decision::Done(_)), "{pending:?}");
        assert_eq!(on_disk(), merged);
        assert_eq!(
            statuses(&mut engine).len(),
            told.iter()
                .filter(|own| own.ends_with("pending") && conflicts > 0)
                .count()
                + conflicts
        );
    }
}

/// Each pair of changes of one file is a conflict that leaves the user's file as it is, survives a restart, can
/// be denied, and gives what the program left when it is taken.
#[test]
fn what_clashes_is_shown_denied_or_taken() {
    let (one, two, three) = (bytes("1\n"), bytes("two\n"), bytes("three\n"));
    let binary = |end: u8| vec![0, 1, end];
    let (bin, bin_two, bin_three) = (binary(1), binary(2), binary(3));
    let cases: &[(Case<'_>, &[&str])] = &[
        (("a", one, two, three), &["modify a"]),
        (("a", one, None, three), &["delete a"]),
        (("a", one, two, None), &["create a"]),
        (("a", None, two, three), &["modify a"]),
        (
            ("a", Some(&bin), Some(&bin_two), Some(&bin_three)),
            &["modify a"],
        ),
        (("a", Some(&bin), Some(&bin_two), None), &["create a"]),
        (("a", Some(&bin), None, Some(&bin_three)), &["delete a"]),
        (("a", None, Some(&bin_two), one), &["modify a"]),
        (
            ("a", bytes("-> x"), bytes("-> y"), bytes("-> z")),
            &["link a"],
        ),
        (("a", bytes("-> x"), None, bytes("-> z")), &["delete a"]),
        (("a", bytes("-> x"), bytes("-> y"), None), &["link a"]),
        (("a", one, bytes("-> y"), three), &["delete a", "link a"]),
        (("a", one, two, bytes("-> z")), &["delete a", "create a"]),
        (("a", bytes(""), bytes("1\n"), None), &["create a"]),
        (("a", one, bytes(""), three), &["modify a"]),
    ];
    for (case, words_of_it) in cases {
        let (path, base, left, now) = *case;
        for base in [found(base), ProgramBase::Unknown] {
            let (folder, mut engine) = world(&[*case]);
            let before = tree(&folder);
            let staged = run(&mut engine, &[(path, base.clone(), left)]);
            assert_eq!(
                (words(&staged), staged.refused.len()),
                (words_of_it.iter().map(ToString::to_string).collect(), 0),
                "{case:?}"
            );
            assert!(!staged.written);
            let told: Vec<String> = words_of_it
                .iter()
                .map(|word| format!("{word} conflict"))
                .collect();
            assert_eq!(statuses(&mut engine), told);
            // Neither seen by others nor approved with the rest.
            assert_eq!(engine.for_program().unwrap(), []);
            let mut engine = on_disk(&folder.path().join("ws"));
            assert_eq!(statuses(&mut engine), told);
            let all = engine.review().unwrap();
            assert!(matches!(
                engine.approve_unseen(&all).unwrap(),
                Decision::Done(_)
            ));
            assert_eq!(
                (statuses(&mut engine), tree(&folder)),
                (told, before.clone())
            );
            // Both texts are shown.
            for view in engine.review().unwrap() {
                let hunk = &view.hunks[0];
                let lines = |kind| hunk.lines.iter().filter(|line| line.kind == kind).count();
                let size =
                    |file: Option<&[u8]>| usize::from(file.is_some_and(|file| !file.is_empty()));
                if words_of_it.len() == 1 {
                    assert_eq!(lines(LineKind::Removed), size(now), "{hunk:?}");
                    assert_eq!(lines(LineKind::Added), size(left), "{hunk:?}");
                }
                assert!(hunk.takeable);
            }
            let taken = take_all(&mut engine);
            assert!(matches!(taken, Decision::Done(_)), "{case:?} {taken:?}");
            let wanted =
                left.map(|left| (path.to_owned(), String::from_utf8_lossy(left).into_owned()));
            assert_eq!(
                tree(&folder),
                wanted.into_iter().collect::<Vec<_>>(),
                "{case:?}"
            );
            assert_eq!(statuses(&mut engine), [""; 0]);
            // What was taken is taken back.
            let undone = engine
                .take_back(&RevertTarget::Changeset {
                    changeset: staged.changeset.unwrap(),
                })
                .unwrap();
            assert!(undone.written, "{undone:?}");
            assert_eq!(tree(&folder), before);

            let (folder, mut engine) = world(&[*case]);
            run(&mut engine, &[(path, base, left)]);
            let reason = Some("no".to_owned());
            let denied = rule(&mut engine, "conflict", &Verdict::Deny { reason });
            assert!(matches!(denied, Decision::Done(_)));
            assert_eq!((statuses(&mut engine), tree(&folder)), (vec![], before));
        }
    }
}

/// What replaces a whole file is not taken from a file that changed again; lines are, where they still stand.
#[test]
fn what_replaces_a_whole_file_is_taken_only_from_that_file() {
    let (one, two, three) = (bytes("1\n"), bytes("two\n"), bytes("three\n"));
    let cases: &[(Case<'_>, Option<&[u8]>, bool)] = &[
        (("a", one, None, three), bytes("three\nlater\n"), false),
        (("a", one, None, three), bytes("later\nthree\n"), false),
        (("a", one, None, bytes("")), bytes("later\n"), false),
        (("a", one, None, three), bytes("-> three\n"), false),
        (
            ("a", bytes("-> x"), None, bytes("-> z")),
            bytes("-> zz"),
            false,
        ),
        (
            ("a", bytes("-> x"), bytes("-> y"), bytes("-> z")),
            bytes("-> zz"),
            false,
        ),
        (
            ("a", one, bytes("-> y"), three),
            bytes("three\nlater\n"),
            false,
        ),
        (("a", one, two, bytes("-> z")), bytes("-> zz"), false),
        // Moved onto a file of the user.
        (("a", None, two, three), bytes("three\nlater\n"), false),
        // Made again by the user.
        (("a", one, two, None), three, false),
        (("a", one, bytes("-> y"), None), three, false),
        (("a", one, two, three), bytes("three\nlater\n"), true),
    ];
    for (case, later, is_taken) in cases {
        let (path, base, left, _) = *case;
        let (folder, mut engine) = world(&[*case]);
        run(&mut engine, &[(path, found(base), left)]);
        let told = statuses(&mut engine);
        put(&folder, path, *later);
        let before = tree(&folder);
        let mut engine = on_disk(&folder.path().join("ws"));
        // What is said of it is what works.
        let views = engine.review().unwrap();
        let hunks = views.iter().flat_map(|view| &view.hunks);
        for hunk in hunks {
            let HunkStatus::Conflict { reason } = &hunk.status else {
                panic!("{case:?} {hunk:?}");
            };
            let told = (hunk.takeable, reason.contains("can only be denied"));
            assert_eq!(told, (*is_taken, !is_taken), "{case:?} {reason}");
        }
        let decision = take_all(&mut engine);
        if *is_taken {
            assert!(
                matches!(decision, Decision::Done(_)),
                "{case:?} {decision:?}"
            );
            assert_eq!(tree(&folder), [("a".into(), "two\nlater\n".into())]);
        } else {
            assert!(
                matches!(&decision, Decision::Refused { why } if why.ends_with("changed since")),
                "{case:?} {decision:?}"
            );
            assert_eq!((statuses(&mut engine), tree(&folder)), (told, before));
        }
    }
}

#[test]
fn what_is_as_the_program_left_it_or_found_it_is_no_proposal() {
    let (one, two) = (bytes("1\n"), bytes("2\n"));
    let cases: &[Case<'_>] = &[
        ("a", one, two, two),
        ("a", one, one, two),
        ("a", one, one, None),
        ("a", one, None, None),
        ("a", one, bytes("+x1\n"), None),
        ("a", None, None, one),
        ("a", None, one, one),
        ("a", bytes("-> x"), bytes("-> y"), bytes("-> y")),
        ("a", bytes("+x1\n"), bytes("+x1\n"), one),
        ("a", one, bytes("+x1\n"), bytes("+x1\n")),
    ];
    for case in cases {
        let (path, base, left, _) = *case;
        let (folder, mut engine) = world(&[*case]);
        let before = tree(&folder);
        let staged = run(&mut engine, &[(path, found(base), left)]);
        assert_eq!(
            (words(&staged), staged.refused),
            (vec![], vec![]),
            "{case:?}"
        );
        assert_eq!(tree(&folder), before);
    }
}

#[test]
fn permissions_are_merged_or_clash() {
    let mode = |folder: &tempfile::TempDir| {
        let file = std::fs::metadata(folder.path().join("ws/a")).unwrap();
        file.permissions().mode() & 0o777
    };
    let file = |bytes: &[u8], mode: u32| ProgramContent::File {
        bytes: bytes.to_vec(),
        mode: Some(mode),
    };
    for (base, left, now, state, merged, taken) in [
        (0o644, 0o755, 0o644, Some("pending"), 0o755, 0o755),
        (0o644, 0o644, 0o755, None, 0o755, 0o755),
        (0o644, 0o755, 0o600, Some("conflict"), 0o600, 0o755),
    ] {
        let (folder, mut engine) = world(&[("a", None, None, bytes("1\nmine\n"))]);
        let at = folder.path().join("ws/a");
        std::fs::set_permissions(&at, std::fs::Permissions::from_mode(now)).unwrap();
        let files = vec![ProgramFile {
            path: "a".into(),
            content: Some(file(b"1\n", left)),
            base: ProgramBase::Known(Some(file(b"1\n", base))),
            folders_gone: 0,
        }];
        let run = ProgramRun {
            finishes: Vec::new(),
            command: "chmod".into(),
            files,
            not_collected: Vec::new(),
            held: None,
            origin: Origin::default(),
            changeset: None,
        };
        engine.stage_program(run).unwrap();
        let expected: Vec<String> = state
            .iter()
            .map(|state| format!("permissions a {state}"))
            .collect();
        assert_eq!(statuses(&mut engine), expected);
        rule(&mut engine, "pending", &Verdict::Approve);
        assert_eq!(mode(&folder), merged);
        let decision = take_all(&mut engine);
        assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
        assert_eq!(mode(&folder), taken);
        assert_eq!(std::fs::read(&at).unwrap(), b"1\nmine\n");
    }
}

#[test]
fn a_move_takes_the_lines_along_that_the_user_saved() {
    let (folder, mut engine) = world(&[("old", None, None, bytes("1\nmine\n"))]);
    let moved = |engine: &mut Engine| {
        let files = [
            ("old", found(bytes("1\n")), None),
            ("new", found(None), bytes("1\n")),
        ];
        run(engine, &files)
    };
    let staged = moved(&mut engine);
    assert_eq!(words(&staged), ["move old -> new"]);
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(tree(&folder), [("new".to_owned(), "1\nmine\n".to_owned())]);
    // To a name that the user has taken: nothing goes without a word.
    let (folder, mut engine) = world(&[
        ("old", None, None, bytes("1\n")),
        ("new", None, None, bytes("mine\n")),
    ]);
    let before = tree(&folder);
    let staged = moved(&mut engine);
    assert_eq!(words(&staged), ["delete old", "modify new"]);
    assert_eq!(
        statuses(&mut engine),
        ["delete old pending", "modify new conflict"]
    );
    let unseen = engine.approve_unseen(staged.proposals.iter()).unwrap();
    let why = "review required; old: moved together with new";
    assert!(
        matches!(&unseen, Decision::Refused { why: told } if told == why),
        "{unseen:?}"
    );
    assert_eq!(tree(&folder), before);
}

/// Two programs side by side, which found the same.
#[test]
fn what_another_program_staged_meanwhile_stays() {
    let text = b"1\n2\n3\n4\n5\n6\n7\n8\n";
    let base = || found(Some(text));
    let (_folder, mut engine) = engine(&[("a", text)]);
    run(
        &mut engine,
        &[
            ("a", base(), bytes("ONE\n2\n3\n4\n5\n6\n7\n8\n")),
            ("b", found(None), bytes("b\n")),
        ],
    );
    run(
        &mut engine,
        &[
            ("a", base(), bytes("one\n2\n3\n4\n5\n6\n7\neight\n")),
            ("b", found(None), bytes("B\n")),
        ],
    );
    assert_eq!(
        statuses(&mut engine),
        [
            "modify a pending",
            "create b pending",
            "modify a conflict",
            "modify a pending",
            "modify b conflict"
        ]
        .map(str::to_owned)
    );
}

/// A line is a letter. The file after what does not clash was approved, and after what clashes was taken.
#[test]
fn what_clashes_is_told_apart_from_what_stands_beside_it() {
    for (base, here, there, merged, taken) in [
        // Put in where something goes.
        ("bca", "b", "cb", "", "cb"),
        ("dcdaaaaaa", "d", "c", "", "c"),
        ("abc", "a", "Yc", "a", "Yc"),
        ("abc", "aX", "Ybc", "YX", "YX"),
        ("abcd", "acd", "aYcD", "acD", "aYcD"),
        ("abcd", "acd", "aYCd", "acd", "aYCd"),
        // Above it, more lines than there were.
        ("123", "12", "Long2three", "Long2", "Long2three"),
        ("1abc", "1ac", "Long1aYc", "Long1ac", "Long1aYc"),
    ] {
        let lines = |letters: &str| {
            letters
                .chars()
                .map(|c| format!("{c}\n"))
                .collect::<String>()
        };
        let [base, here, there, merged, taken] = [base, here, there, merged, taken].map(lines);
        let (folder, mut engine) = world(&[("a", None, None, bytes(&here))]);
        let staged = run(&mut engine, &[("a", found(bytes(&base)), bytes(&there))]);
        assert!(!staged.written);
        let on_disk = || std::fs::read_to_string(folder.path().join("ws/a")).unwrap();
        let decision = rule(&mut engine, "pending", &Verdict::Approve);
        assert!(matches!(decision, Decision::Done(_)));
        assert_eq!(on_disk(), merged, "{base:?} {here:?} {there:?}");
        take_all(&mut engine);
        assert_eq!(on_disk(), taken, "{base:?} {here:?} {there:?}");
        assert_eq!(engine.review().unwrap(), []);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// With all that does not clash approved, the file is the three-way merge of lines: each line of the user is
    /// there, and with no clash each line of the program.
    #[test]
    fn approved_hunks_make_the_three_way_merge(base in "[a-e]{0,9}", here in "[a-eX]{0,9}", there in "[a-eY]{0,9}") {
        let lines = |letters: &str| letters.chars().map(|c| format!("{c}\n")).collect::<String>();
        let [base, here, there] = [base, here, there].map(|letters| lines(&letters));
        let (folder, mut engine) = world(&[("a", None, None, bytes(&here))]);
        let staged = run(&mut engine, &[("a", found(bytes(&base)), bytes(&there))]);
        prop_assert_eq!(staged.refused, []);
        let told = statuses(&mut engine);
        rule(&mut engine, "pending", &Verdict::Approve);
        let after = std::fs::read_to_string(folder.path().join("ws/a")).unwrap();
        let [base, here, there] = [base, here, there].map(Source::new);
        let expected = if there == base {
            here.clone()
        } else {
            let merged = merge(&base, &here, &there);
            let clashes = told.iter().filter(|told| told.ends_with("conflict")).count();
            prop_assert_eq!(clashes == 0, merged.clashing.is_empty() || here == there);
            Source::new(merged.clean.apply(here.bytes()).unwrap())
        };
        prop_assert_eq!(after.as_bytes(), expected.bytes());
        let count = |text: &[u8], of: u8| text.iter().filter(|byte| **byte == of).count();
        prop_assert_eq!(count(after.as_bytes(), b'X'), count(here.bytes(), b'X'));
        // What clashes can be had as well, and then the file is as if it had not clashed.
        take_all(&mut engine);
        let taken = std::fs::read(folder.path().join("ws/a")).unwrap();
        let left = engine.review().unwrap();
        if let (true, false, Ok(all)) = (left.is_empty(), there == base, merge(&base, &here, &there).all()) {
            prop_assert_eq!(&taken, &all.apply(here.bytes()).unwrap());
        }
        prop_assert!(!left.is_empty() || there == base || count(&taken, b'Y') == count(there.bytes(), b'Y'));
    }
}
