//! What cannot be staged, and what must not go without it; files that may not be written.

use super::*;

/// Lets a program leave files; those whose name begins with `!` could not be collected, those with `~` are ignored.
fn run(engine: &mut Engine, files: &[(&str, Option<&[u8]>)]) -> ProgramStaged {
    let collected = files
        .iter()
        .filter(|(path, _)| !path.starts_with(['!', '~']));
    let collected = collected.map(|(path, left)| ProgramFile {
        path: (*path).to_owned(),
        content: left.map(content),
        base: ProgramBase::Current,
        folders_gone: 0,
    });
    let others = files.iter().filter_map(|(path, left)| {
        let path = path.strip_prefix(['!', '~'])?.to_owned();
        let bytes = left.map(<[u8]>::to_vec);
        Some(UnstagedFile { path, bytes })
    });
    let run = ProgramRun {
        finishes: Vec::new(),
        command: "mv".into(),
        files: collected.collect(),
        not_collected: others.collect(),
        held: None,
        origin: Origin::default(),
        changeset: None,
    };
    engine.stage_program(run).unwrap()
}

/// What is refused or held because of what cannot be staged or is not staged; the rest can be approved. Of what a program
/// left, `x-` is gone, `x=TEXT` is there, `!x` could not be collected, and `~x=TEXT` is ignored. What is held has a star.
#[test]
fn what_belongs_to_something_that_is_not_staged_is_refused_or_held() {
    let text = "fn main() {\n}\n";
    for (left, staged, refused) in [
        // A folder in the place of a file, and the other way round.
        ("a- a/b=MAIN", "", "a/b a"),
        ("a- a/b=other", "", "a/b a"),
        ("d=MAIN d/x- d/y-", "", "d d/x d/y"),
        ("link- link/b=MAIN", "", "link/b link"),
        ("a- !a", "", "a"),
        ("a- !a/big", "", "a"),
        ("d/x- d/y- !d", "", "d/x d/y"),
        // To where it cannot be staged.
        ("a- !big", "delete* a", ""),
        ("a- .git/a=MAIN", "delete* a", ".git/a"),
        ("a- .git/a=new|fn:main():{", "delete* a", ".git/a"),
        ("a- .git/a=BINARY", "delete* a", ".git/a"),
        ("d/bin- .git/a=MAIN", "delete* d/bin", ".git/a"),
        ("d/braces- .git/a=MAIN", "delete* d/braces", ".git/a"),
        // The next file takes its place.
        ("a=new !big", "modify* a", ""),
        ("d/bin=new !big", "modify* d/bin", ""),
        // To where files are ignored: moved, moved and changed, and another one in its place.
        ("a- ~k.o=MAIN", "delete* a", ""),
        ("a- ~k.o=fn:main():{|more", "delete* a", ""),
        ("a=other ~k.o=more|fn:main():{", "modify* a", ""),
        ("nine=other ~k.o=1|2|3|4|5|6", "modify* nine", ""),
        ("nine=other ~k.o=1|2|3", "modify nine", ""),
        ("d/bin- ~k.o=BINARY", "delete* d/bin", ""),
        ("d/bin- ~k.o=BINARY+", "delete* d/bin", ""),
        ("d/bin=other ~k.o=+BINARY", "modify* d/bin", ""),
        ("d/line- ~k.o=LINE+", "delete* d/line", ""),
        ("d/line=other ~k.o=LINE+", "modify* d/line", ""),
        ("d/braces- ~k.o=BRACES", "delete* d/braces", ""),
        // Most of it stays: what is ignored is a copy, as of `sed -i.o`.
        ("nine=1|2|3|4|5|6|7|8 ~k.o=NINE", "modify nine", ""),
        // A build.
        ("a- ~k.o=other", "delete a", ""),
        ("d/bin- ~k.o=MAIN", "delete d/bin", ""),
        ("d/braces- ~k.o=nine", "delete d/braces", ""),
        ("d/braces- ~k.o=MAIN", "delete* d/braces", ""),
        ("a- ~k.o=BINARY", "delete a", ""),
        // What it held is staged elsewhere, or is not what was refused.
        ("a- new=MAIN !big", "move a -> new", ""),
        ("a- new=MAIN ~k.o=MAIN", "move a -> new", ""),
        (
            "nine- new=1|2|3|4|5|6|7|8 ~k.o=NINE",
            "delete nine, create new",
            "",
        ),
        ("a- .git/a=other", "delete a", ".git/a"),
        ("d/empty- !big", "delete d/empty", ""),
        ("nine=1|2|3|4|5|6|7|8 !big", "modify nine", ""),
        (
            "nine- new=1|2|3|4|5|6|7|8 !big",
            "delete nine, create new",
            "",
        ),
        ("d/x- a/b=z", "delete d/x", "a/b"),
    ] {
        let (folder, mut engine) = engine(&[
            ("a", text.as_bytes()),
            ("nine", b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
            ("d/x", b"x\n"),
            ("d/y", b"y\n"),
            ("d/bin", b"\0\x01"),
            ("d/braces", b"{\n}\n"),
            ("d/empty", b""),
            ("d/line", b"one line"),
            ("real/z", b"z\n"),
        ]);
        symlink("real", folder.path().join("ws/link")).unwrap();
        let content = |of: &str| match of {
            "MAIN" => text.to_owned(),
            "BINARY" => "\0\x01".to_owned(),
            "BINARY+" => "\0\x01more\n".to_owned(),
            "+BINARY" => "more\n\0\x01".to_owned(),
            "LINE+" => "one linemore\n".to_owned(),
            "BRACES" => "{\n}\n".to_owned(),
            "NINE" => "1\n2\n3\n4\n5\n6\n7\n8\n9\n".to_owned(),
            lines => lines.replace('|', "\n").replace(':', " ") + "\n",
        };
        let files = left.split(' ').map(|word| match word.split_once('=') {
            Some((path, of)) => (path, Some(content(of))),
            None => (word.trim_end_matches('-'), None),
        });
        let files: Vec<(&str, Option<String>)> = files.collect();
        let files = files.iter();
        let files = files.map(|(path, text)| (*path, text.as_deref().map(str::as_bytes)));
        let answer = run(&mut engine, &files.collect::<Vec<_>>());
        let named: Vec<&str> = answer.refused.iter().map(|own| own.0.as_str()).collect();
        let starred = words(&answer).into_iter().zip(answer.proposals.iter());
        let starred = starred.map(|(word, view)| match view.held {
            Some(_) => word.replacen(' ', "* ", 1),
            None => word,
        });
        let told = (starred.collect::<Vec<_>>().join(", "), named.join(" "));
        assert_eq!(told, (staged.to_owned(), refused.to_owned()), "{left}");
        let unseen = engine.approve_unseen(answer.proposals.iter()).unwrap();
        let is_refused = matches!(unseen, Decision::Refused { .. });
        assert_eq!(is_refused, staged.contains('*'), "{left}: {unseen:?}");
        for path in refused.split(' ').filter(|path| !path.is_empty()) {
            // What was there still is.
            let was = left.contains(&format!("{path}-"));
            let at = folder.path().join("ws").join(path);
            assert!(!was || at.symlink_metadata().is_ok(), "{left}: {path}");
        }
        // Who names it gets it.
        assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    }
}

/// `b` is moved, or copied and removed, and changed, by programs of which nothing is written, and the last of them moves
/// it to where nothing is staged.
#[test]
fn what_a_later_program_moves_away_is_what_an_earlier_one_removed() {
    let lines = "21\n22\n23\n24\n";
    let more = "21\n22\n23\n24\nmore\n";
    type Left<'a> = &'a [(&'a str, Option<&'a str>)];
    let cases: &[(&[Left<'_>], &str)] = &[
        (
            &[
                &[("b", None), ("n", Some(lines))],
                &[("n", None), ("~k.o", Some(lines))],
            ],
            "delete* b",
        ),
        (
            &[
                &[("b", None), ("n", Some(lines))],
                &[("n", None), ("!big", None)],
            ],
            "delete* b",
        ),
        (
            &[
                &[("b", None), ("n", Some(more))],
                &[("n", None), ("~k.o", Some(more))],
            ],
            "delete* b",
        ),
        (
            &[
                &[("b", None), ("n", Some(lines))],
                &[("n", Some(more))],
                &[("n", None), ("~k.o", Some(more))],
            ],
            "delete* b",
        ),
        (
            &[
                &[("b", None), ("c", Some(more))],
                &[("c", Some("c\n")), ("~k.o", Some(more))],
            ],
            "delete* b",
        ),
        // In two pieces, and by way of a third file.
        (
            &[
                &[
                    ("b", None),
                    ("n", Some("21\n22\n")),
                    ("m", Some("23\n24\n")),
                ],
                &[("n", None), ("l", Some("21\n22\n"))],
                &[("l", None), ("m", None), ("~k.o", Some(more))],
            ],
            "delete* b",
        ),
        // They change places.
        (
            &[
                &[("b", Some("c\n")), ("c", Some(lines))],
                &[("c", None), ("~k.o", Some(lines))],
            ],
            "modify* b, delete* c",
        ),
        (
            &[
                &[("bin", None), ("n", Some("\0\u{1}"))],
                &[("n", None), ("~k.o", Some("\0\u{1}more"))],
            ],
            "delete* bin",
        ),
        // It is removed, or stays staged.
        (
            &[
                &[("b", None), ("n", Some(lines))],
                &[("n", None), ("~k.o", Some("other\n"))],
            ],
            "delete b",
        ),
        (
            &[
                &[("b", None), ("n", Some(lines))],
                &[("n", None), ("m", Some(lines)), ("~k.o", Some(lines))],
            ],
            "move b",
        ),
    ];
    for (programs, staged) in cases {
        let (_folder, mut engine) =
            engine(&[("b", lines.as_bytes()), ("c", b"c\n"), ("bin", b"\0\x01")]);
        for left in *programs {
            let left = left.iter();
            let left = left.map(|(path, text)| (*path, text.map(str::as_bytes)));
            run(&mut engine, &left.collect::<Vec<_>>());
        }
        let each = engine.review().unwrap().into_iter().map(|view| {
            let star = view.held.map_or("", |_| "*");
            format!("{}{star} {}", view.operation, view.path)
        });
        let mut each: Vec<String> = each.collect();
        each.sort_by_key(|own| own.rsplit(' ').next().map(str::to_owned));
        assert_eq!(each.join(", "), *staged, "{programs:?}");
        assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    }
}

#[test]
fn what_is_kept_says_why() {
    let (_folder, mut engine) = engine(&[("a", b"a\n"), ("b", b"b\n")]);
    let answer = run(
        &mut engine,
        &[
            ("a", None),
            ("b", None),
            ("a/b", Some(b"x\n")),
            ("!big", None),
        ],
    );
    let why = |path: &str| {
        answer
            .refused
            .iter()
            .find(|own| own.0 == path)
            .unwrap()
            .1
            .clone()
    };
    assert_eq!(why("a/b"), "a/b cannot exist: a is not a folder");
    assert_eq!(
        why("a"),
        "it is deleted: what the program left at a/b, which cannot be staged, takes its place"
    );
    let held = answer.proposals.iter().find(|view| view.path == "b");
    let held = held.unwrap().held.as_deref();
    assert_eq!(
        held,
        Some("what it removes may be in big, which is not staged")
    );
}

#[test]
fn a_file_cannot_be_where_a_folder_is_staged() {
    for (staged, left, refused) in [
        ("a/b", "a", true),
        ("a", "a/b/c", true),
        ("a/b", "a/c", false),
        ("ab", "a", false),
    ] {
        let (_folder, mut engine) = engine(&[]);
        propose(&mut engine, &whole(staged, "new\n"));
        let answer = run(&mut engine, &[(left, Some(b"left\n"))]);
        assert_eq!(!answer.refused.is_empty(), refused, "{staged} {left}");
        assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
        // A program that removed the one is free to leave the other.
        let (_folder, mut engine) = self::engine(&[]);
        propose(&mut engine, &whole(staged, "new\n"));
        let answer = run(&mut engine, &[(staged, None), (left, Some(b"left\n"))]);
        assert_eq!(
            (words(&answer), answer.refused.len()),
            (vec![format!("create {left}")], 0)
        );
    }
}

/// What a program left, what is asked for then, and what is in its way.
#[test]
fn nothing_is_staged_in_the_place_of_a_staged_folder_or_below_a_staged_file() {
    let link = "x/f cannot exist: x is a staged symbolic link; name the file by the folder that it leads to";
    for (left, asked, why) in [
        (("x", "-> real"), whole("x/f", "new\n"), link),
        (
            ("x", "-> real"),
            r#"{"file":"a","strategy":"move","move":{"to":"x/f"}}"#.into(),
            link,
        ),
        (
            ("x", "text"),
            whole("x/f", "new\n"),
            "x/f cannot exist: x is staged and not a folder",
        ),
        (
            ("x/f", "text"),
            whole("x", "new\n"),
            "x is a folder in which x/f is staged",
        ),
        (("x/f", "text"), whole("x/g", "new\n"), ""),
    ] {
        let (_folder, mut engine) = engine(&[("real/z", b"z\n"), ("a", b"a\n")]);
        run(&mut engine, &[(left.0, Some(left.1.as_bytes()))]);
        let answer = propose(&mut engine, &asked);
        let told = answer.results[0].error.as_deref().unwrap_or_default();
        assert_eq!(answer.staged, why.is_empty(), "{asked}: {answer:?}");
        assert!(told.contains(why), "{asked}: {answer:?}");
        assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    }
}

#[test]
fn what_is_staged_below_a_folder_that_became_a_link_is_in_conflict() {
    let (folder, mut engine) = engine(&[("d/a", b"a\n"), ("b", b"b\n")]);
    let files = [
        ("d/a", Some(&b"A\n"[..])),
        ("d/n", Some(b"n\n")),
        ("b", Some(b"B\n")),
    ];
    run(&mut engine, &files);
    let at = |name: &str| folder.path().join("ws").join(name);
    std::fs::rename(at("d"), at("dd")).unwrap();
    symlink("dd", at("d")).unwrap();
    let seen = engine.for_program().unwrap();
    let seen: Vec<&str> = seen.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(seen, ["b"]);
    for view in engine.review().unwrap() {
        let is_conflict = matches!(view.hunks[0].status, HunkStatus::Conflict { .. });
        assert_eq!(is_conflict, view.path != "b", "{view:?}");
    }
}

#[test]
fn read_only_files_are_changed_replaced_and_removed() {
    for mode in [0o444, 0o400, 0o555, 0o500, 0o464] {
        for (left, expected) in [
            (Some(&b"new\n"[..]), "modify a"),
            (None, "delete a"),
            (Some(b"-> x"), "delete a"),
        ] {
            let (folder, mut engine) = engine(&[("a", b"old\n")]);
            let at = folder.path().join("ws/a");
            std::fs::set_permissions(&at, std::fs::Permissions::from_mode(mode)).unwrap();
            let left = left.map(|left| match content(left) {
                ProgramContent::File { bytes, .. } => ProgramContent::File {
                    bytes,
                    mode: Some(mode),
                },
                link @ ProgramContent::Link(_) => link,
            });
            let files = vec![ProgramFile {
                path: "a".into(),
                content: left,
                base: ProgramBase::Current,
                folders_gone: 0,
            }];
            let run = ProgramRun {
                finishes: Vec::new(),
                command: "sed -i".into(),
                files,
                not_collected: Vec::new(),
                held: None,
                origin: Origin::default(),
                changeset: None,
            };
            let staged = engine.stage_program(run).unwrap();
            assert_eq!(
                (words(&staged)[0].as_str(), &staged.refused),
                (expected, &vec![]),
                "{mode:o}"
            );
            let decision = approve_all(&mut engine);
            assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
            if expected == "modify a" {
                assert_eq!(std::fs::read(&at).unwrap(), b"new\n");
                let now = std::fs::metadata(&at).unwrap().permissions().mode() & 0o777;
                assert_eq!(now, mode);
            }
            let undone = engine
                .take_back(&RevertTarget::Changeset {
                    changeset: staged.changeset.unwrap(),
                })
                .unwrap();
            assert!(undone.written, "{undone:?}");
            assert_eq!(std::fs::read(&at).unwrap(), b"old\n");
        }
    }
}
