//! Commits in real repositories: what is in them, what stays the user's, and what git must not run.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::*;
use crate::git_view::tests::{Place, place};
use crate::git_view::{UnderWay, UnderWayStep};
use crate::process::Supervision;

const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(30),
    most_bytes: 64 * 1024,
};
const IDENTITY: &str = "[user]\n\tname = Ann\n\temail = ann@example.org\n";

/// Calls a function with a writer for a folder; `config` is the user's own configuration.
fn with_writer<T>(
    place: &Place,
    folder: &str,
    config: &str,
    each: impl FnOnce(&GitWriter<'_>) -> T,
) -> Result<T, String> {
    place.write("home/.gitconfig", config);
    let home = place.at("home").display().to_string();
    let user = [("HOME".to_owned(), home)].into_iter().collect();
    let asker = Asker {
        root: &place.at(folder),
        reserved: None,
        supervision: Supervision::None,
        limits: LIMITS,
        stop: &AtomicBool::new(false),
    };
    Ok(each(&GitWriter::open(asker, &user)?))
}

fn commit(place: &Place, folder: &str, changes: &BlobChanges) -> WriteResult<Committed> {
    with_writer(place, folder, IDENTITY, |writer| {
        writer.commit(&writer.head()?, changes, "subject\n\nbody", &[])
    })?
}

fn file(text: &str) -> Option<Blob> {
    Some(Blob {
        bytes: text.into(),
        kind: IndexedKind::File { executable: false },
    })
}

fn changes<const N: usize>(changes: [(&str, Option<Blob>); N]) -> BlobChanges {
    BTreeMap::from(changes.map(|(path, blob)| (path.to_owned(), blob)))
}

fn status(place: &Place, folder: &str) -> String {
    place.git(folder, &["status", "--short", "--no-renames"])
}

#[test]
fn a_commit_has_what_it_is_given_and_the_users_other_work_stays() {
    let Some(place) = place() else { return };
    for name in ["staged", "unstaged", "both", "gone", "program"] {
        place.write(&format!("own/{name}"), "1\n");
    }
    place.git("own", &["add", "."]);
    place.git("own", &["commit", "--quiet", "--message=files"]);
    for name in ["staged", "both"] {
        place.write(&format!("own/{name}"), "staged\n");
    }
    place.write("own/added", "added\n");
    place.git("own", &["add", "."]);
    place.write("own/both", "unstaged\n");
    place.write("own/unstaged", "mine and the model's\n");
    place.write("own/new/file", "new\n");
    fs::remove_file(place.at("own/gone")).unwrap();

    let link = Blob {
        bytes: b"new/file".to_vec(),
        kind: IndexedKind::Link,
    };
    let program = Blob {
        bytes: b"2\n".to_vec(),
        kind: IndexedKind::File { executable: true },
    };
    place.write("own/program", "2\n");
    let given = changes([
        ("both", file("committed\n")),
        ("gone", None),
        ("link", Some(link)),
        ("new/file", file("new\n")),
        ("program", Some(program)),
        ("unstaged", file("the model's\n")),
    ]);
    let committed = commit(&place, "own", &given).unwrap().unwrap();

    assert_eq!(committed.staged, ["both"]);
    assert_eq!(
        place.git("own", &["rev-parse", "HEAD", "main"]),
        format!("{0}\n{0}\n", committed.commit.as_str())
    );
    assert_eq!(
        place.git("own", &["log", "-1", "--format=%an <%ae> %cn %B"]),
        "Ann <ann@example.org> Ann subject\n\nbody\n\n"
    );
    assert_eq!(
        place
            .git(
                "own",
                &["diff-tree", "-r", "--raw", "--abbrev=1", "HEAD~1", "HEAD"]
            )
            .lines()
            .map(|line| {
                let fields: Vec<&str> = line.split_whitespace().collect();
                format!(
                    "{} {} {}",
                    fields[1],
                    fields[4].replace('\t', " "),
                    fields[5]
                )
            })
            .collect::<Vec<_>>(),
        [
            "100644 M both",
            "000000 D gone",
            "120000 A link",
            "100644 A new/file",
            "100755 M program",
            "100644 M unstaged"
        ]
    );
    // The link is not on disk and the program is no program there.
    assert_eq!(
        status(&place, "own"),
        "A  added\nMM both\n D link\n M program\nM  staged\n M unstaged\n"
    );
    assert_eq!(place.git("own", &["show", ":both"]), "staged\n");
    assert_eq!(
        place.git("own", &["show", "HEAD:unstaged"]),
        "the model's\n"
    );
    assert!(!place.at("own/.git/index.lock").exists());
    let log = place.git("own", &["reflog", "-1", "--format=%gs", "main"]);
    assert_eq!(log, "commit by signoff\n");
    place.git("own", &["fsck", "--strict"]);
}

#[test]
fn all_kinds_of_repositories_are_committed_to() {
    type Prepare = fn(&Place);
    let kinds: [(&str, &str, Prepare); 9] = [
        ("plain", "own", |_| {}),
        ("packed", "own", |place| {
            place.git("own", &["gc", "--quiet"]);
        }),
        ("detached", "own", |place| {
            place.git("own", &["checkout", "--quiet", "--detach"]);
        }),
        ("a branch in a folder", "own", |place| {
            place.git("own", &["checkout", "--quiet", "-b", "a/b/c"]);
        }),
        ("a linked work tree", "tree", |place| {
            place.git(
                "own",
                &["worktree", "add", "--quiet", "../tree", "-b", "side"],
            );
        }),
        ("a detached linked work tree", "tree", |place| {
            place.git(
                "own",
                &["worktree", "add", "--quiet", "../tree", "--detach"],
            );
        }),
        ("without a commit", "fresh", |place| {
            place.git("own", &["init", "--quiet", "../fresh"]);
        }),
        ("sha256", "hashed", |place| {
            place.git(
                "own",
                &["init", "--quiet", "--object-format=sha256", "../hashed"],
            );
            place.repository("hashed");
        }),
        ("sparse", "sparse", |place| {
            place.repository("sparse");
            place.write("sparse/in/a", "a");
            place.write("sparse/out/a", "a");
            place.git("sparse", &["add", "."]);
            place.git("sparse", &["commit", "--quiet", "--message=two"]);
            let set = ["sparse-checkout", "set", "--cone", "--sparse-index", "in"];
            place.git("sparse", &set);
        }),
    ];
    for (name, folder, prepare) in kinds {
        let Some(place) = place() else { return };
        prepare(&place);
        place.write(&format!("{folder}/in/new"), "new\n");
        let given = changes([("in/new", file("new\n"))]);
        let committed = commit(&place, folder, &given).unwrap();
        let committed = committed.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        let head = place.git(folder, &["rev-parse", "HEAD"]);
        assert_eq!(head.trim(), committed.commit.as_str(), "{name}");
        assert_eq!(status(&place, folder), "", "{name}");
        assert_eq!(
            place.git(folder, &["show", "HEAD:in/new"]),
            "new\n",
            "{name}"
        );
        place.git(folder, &["fsck", "--strict"]);
        let again = commit(&place, folder, &given).unwrap();
        assert_eq!(again, Err(CommitRefusal::Nothing), "{name}");
    }
}

#[test]
fn references_in_tables_move() {
    let Some(place) = place() else { return };
    let format = [
        "init",
        "--quiet",
        "--ref-format=reftable",
        "--initial-branch=main",
        "../tables",
    ];
    let known = std::process::Command::new("git")
        .args(format)
        .current_dir(place.at("own"))
        .output();
    if !known.expect("git is there").status.success() {
        // This git does not know them.
        return;
    }
    place.repository("tables");
    place.write("tables/new", "new\n");
    commit(&place, "tables", &changes([("new", file("new\n"))]))
        .unwrap()
        .unwrap();
    assert_eq!(status(&place, "tables"), "");
    assert_eq!(
        place.git("tables", &["log", "--format=%s"]),
        "subject\ntables first\n"
    );
}

#[test]
fn paths_are_those_of_the_workspace() {
    let Some(place) = place() else { return };
    place.write("own/sub/in/a b,c", "new\n");
    let given = changes([("in/a b,c", file("new\n"))]);
    commit(&place, "own/sub", &given).unwrap().unwrap();
    assert_eq!(status(&place, "own"), "");
    let text = with_writer(&place, "own/sub", IDENTITY, |writer| {
        let head = writer.head().unwrap().commit.unwrap();
        let asked = ["in/a b,c", "in", "*", "a.txt"].map(str::to_owned);
        writer.blobs(&head, &asked).unwrap()
    });
    let expected = file("new\n").map(|blob| ("in/a b,c".to_owned(), blob));
    assert_eq!(text.unwrap(), expected.into_iter().collect());
    for path in ["../a.txt", ".git/config", "x/.GIT/config", "/a", "", "a//b"] {
        let refused = commit(&place, "own/sub", &changes([(path, file("x"))]));
        assert!(refused.is_err(), "{path}");
    }
}

#[test]
fn a_refused_commit_moves_nothing() {
    type Prepare = fn(&Place);
    let cases: [(&str, Prepare); 4] = [
        ("a merge is under way", |place| {
            place.write("own/.git/MERGE_HEAD", "x")
        }),
        ("a rebase is under way", |place| {
            place.write("own/.git/rebase-merge/head", "x")
        }),
        ("another git is at work", |place| {
            place.write("own/.git/index.lock", "")
        }),
        ("there is nothing to commit", |_| {}),
    ];
    for (why, prepare) in cases {
        let Some(place) = place() else { return };
        prepare(&place);
        let before = place.git("own", &["rev-parse", "HEAD"]);
        let text = if why.contains("nothing") {
            "own"
        } else {
            "new"
        };
        let refused = commit(&place, "own", &changes([("a.txt", file(text))])).unwrap();
        let said = refused.unwrap_err().to_string();
        assert!(said.starts_with(why), "{said}");
        assert_eq!(place.git("own", &["rev-parse", "HEAD"]), before);
        assert_eq!(
            place.at("own/.git/index.lock").exists(),
            why.contains("another git")
        );
    }
}

#[test]
fn a_reference_that_moved_meanwhile_stays_where_it_is() {
    for branch in [&[][..], &["checkout", "--quiet", "--detach"]] {
        let Some(place) = place() else { return };
        if !branch.is_empty() {
            place.git("own", branch);
        }
        let refused = with_writer(&place, "own", IDENTITY, |writer| {
            let head = writer.head().unwrap();
            place.git(
                "own",
                &["commit", "--quiet", "--allow-empty", "--message=meanwhile"],
            );
            writer.commit(&head, &changes([("a.txt", file("new"))]), "late", &[])
        });
        let refused = refused.unwrap().unwrap().unwrap_err();
        assert!(matches!(&refused, CommitRefusal::Moved { from, to, .. } if from != to));
        assert_eq!(
            place.git("own", &["log", "-1", "--format=%s"]),
            "meanwhile\n"
        );
        assert_eq!(status(&place, "own"), "");
        // Another branch at the same commit is not what was seen.
        let refused = with_writer(&place, "own", IDENTITY, |writer| {
            let head = writer.head().unwrap();
            place.git("own", &["checkout", "--quiet", "-b", "other"]);
            writer.commit(&head, &changes([("a.txt", file("new"))]), "late", &[])
        });
        let refused = refused.unwrap().unwrap().unwrap_err().to_string();
        assert!(refused.starts_with("HEAD moved from "), "{refused}");
        assert!(refused.contains(" to other meanwhile"), "{refused}");
        assert_eq!(
            place.git("own", &["log", "-1", "--format=%s", "other"]),
            "meanwhile\n"
        );
    }
}

#[test]
fn who_commits_is_what_the_users_git_says() {
    let Some(place) = place() else { return };
    let given = changes([("a.txt", file("new"))]);
    let refused = with_writer(&place, "own", "", |writer| {
        writer.commit(&writer.head()?, &given, "m", &[])
    });
    assert_eq!(refused.unwrap().unwrap(), Err(CommitRefusal::NoIdentity));
    // One address for all repositories in a folder, and one of the repository's own.
    let own = place.at("own").canonicalize().unwrap();
    place.write("home/work", "[user]\n\temail = ann@work.example\n");
    let config = format!(
        "{IDENTITY}[includeIf \"gitdir:{}/\"]\n\tpath = work\n",
        own.display()
    );
    let emails = |config: &str| {
        with_writer(&place, "own", config, |writer| {
            writer
                .identities()
                .map(|found| (found.author.email, found.committer.email))
        })
        .unwrap()
    };
    let both = |email: &str| Some((email.to_owned(), email.to_owned()));
    assert_eq!(emails(IDENTITY), both("ann@example.org"));
    assert_eq!(emails(&config), both("ann@work.example"));
    let by_remote = "includeIf \"hasconfig:remote.*.url:https://work.example/**\"";
    let config = format!("{IDENTITY}[{by_remote}]\n\tpath = work\n");
    assert_eq!(emails(&config), both("ann@example.org"));
    let url = "https://work.example/r.git";
    place.git("own", &["config", "remote.origin.url", url]);
    assert_eq!(emails(&config), both("ann@work.example"));
    place.git("own", &["config", "user.email", "ann@own.example"]);
    assert_eq!(emails(&config), both("ann@own.example"));
    let user = [("GIT_AUTHOR_EMAIL", "a@x"), ("EMAIL", "e@x"), ("PATH", "p")];
    let user: UserVariables = user
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let settings = UserSettings::default();
    assert_eq!(settings.identities(&user), None);
}

#[test]
fn trailers_stand_at_the_end_of_the_message() {
    for (message, expected) in [
        ("subject", "subject\n\nAssisted-by: signoff:m\n"),
        (
            "subject\n\n---\nbody\n",
            "subject\n\n---\nbody\n\nAssisted-by: signoff:m\n",
        ),
        (
            "subject\n\nSigned-off-by: A <a@x>\n",
            "subject\n\nSigned-off-by: A <a@x>\nAssisted-by: signoff:m\n",
        ),
        (
            "subject\n\nAssisted-by: signoff:m",
            "subject\n\nAssisted-by: signoff:m\n",
        ),
    ] {
        let Some(place) = place() else { return };
        let trailers = [("Assisted-by".to_owned(), "signoff:m".to_owned())];
        let committed = with_writer(&place, "own", IDENTITY, |writer| {
            let given = changes([("a.txt", file("new"))]);
            writer.commit(&writer.head()?, &given, message, &trailers)
        });
        committed.unwrap().unwrap().unwrap();
        assert_eq!(
            place.git("own", &["log", "-1", "--format=%B"]),
            format!("{expected}\n")
        );
    }
}

#[test]
fn nothing_of_the_repository_runs() {
    let Some(place) = place() else { return };
    let mark = place.at("MARK");
    let script = format!("#!/bin/sh\ntouch '{}'\ncat\n", mark.display());
    place.executable("evil", &script);
    let evil = format!("\"'{}'\"", place.at("evil").display());
    let hooks = [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "post-index-change",
        "reference-transaction",
        "post-rewrite",
    ];
    for hook in hooks {
        place.executable(&format!("own/hooks/{hook}"), &script);
        place.executable(&format!("own/.git/hooks/{hook}"), &script);
    }
    place.write("own/.gitattributes", "* filter=x diff=x text merge=x\n");
    place.write("include", &format!("[core]\n\tfsmonitor = {evil}\n"));
    let config = fs::read_to_string(place.at("own/.git/config")).unwrap();
    place.write(
        "own/.git/config",
        &format!(
            "{config}[core]\n\tfsmonitor = {evil}\n\thooksPath = hooks\n\teditor = {evil}\n\tpager = {evil}\n\
             [filter \"x\"]\n\tclean = {evil}\n\tsmudge = {evil}\n\trequired = true\n\
             [gpg]\n\tprogram = {evil}\n[gpg \"ssh\"]\n\tprogram = {evil}\n\
             [trailer \"Assisted-by\"]\n\tcommand = {evil}\n\tcmd = {evil}\n\
             [alias]\n\tcommit-tree = \"!{}\"\n[include]\n\tpath = ../../include\n",
            place.at("evil").display()
        ),
    );
    let trailers = [("Assisted-by".to_owned(), "signoff:m".to_owned())];
    let committed = with_writer(&place, "own", IDENTITY, |writer| {
        assert_eq!(
            writer.hooks(),
            [
                "pre-commit",
                "prepare-commit-msg",
                "commit-msg",
                "post-commit"
            ]
        );
        writer.commit(
            &writer.head()?,
            &changes([("a.txt", file("new"))]),
            "m",
            &trailers,
        )
    });
    committed.unwrap().unwrap().unwrap();
    assert!(!mark.exists());
    // It asks for a signature, and says with which program.
    let signed = "[commit]\n\tgpgSign = true\n";
    let config = fs::read_to_string(place.at("own/.git/config")).unwrap();
    place.write("own/.git/config", &(config + signed));
    let user = format!("{IDENTITY}[gpg]\n\tprogram = /nowhere/gpg\n");
    let refused = with_writer(&place, "own", &user, |writer| {
        writer.commit(
            &writer.head()?,
            &changes([("a.txt", file("newer"))]),
            "m",
            &[],
        )
    });
    let refused = refused.unwrap().unwrap();
    assert!(
        matches!(refused, Err(CommitRefusal::Unsigned(_))),
        "{refused:?}"
    );
    assert!(!mark.exists());
}

#[test]
fn a_commit_is_signed_by_the_users_program_alone() {
    let Some(place) = place() else { return };
    let gpg = "#!/bin/sh\necho \"$@\" >&2\ncat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho SIGNATURE of $3\n";
    place.executable("home/gpg", gpg);
    let program = place.at("home/gpg").display().to_string();
    let config = format!(
        "{IDENTITY}\tsigningKey = HERS\n[commit]\n\tgpgSign\n[gpg]\n\tprogram = {program}\n"
    );
    for (key, value) in [("user.signingKey", "WORK"), ("commit.gpgSign", "false")] {
        place.git("own", &["config", key, value]);
        let made = with_writer(&place, "own", &config, |writer| {
            writer.commit(&writer.head()?, &changes([("a.txt", file(key))]), "m", &[])
        });
        made.unwrap().unwrap().unwrap();
        let text = place.git("own", &["cat-file", "commit", "HEAD"]);
        let is_signed = text.contains("gpgsig SIGNATURE of WORK");
        assert_eq!(is_signed, value == "WORK", "{text}");
    }
}

#[test]
fn nothing_is_written_through_a_link() {
    for name in [
        "logs",
        "logs/HEAD",
        "logs/refs/heads/main",
        "refs/heads",
        "objects",
        "HEAD",
    ] {
        let Some(place) = place() else { return };
        let path = format!(".git/{name}");
        place.link(&format!("own/{path}"), &format!("other/{path}"));
        let before = place.git("other", &["reflog"]);
        let refused = commit(&place, "own", &changes([("a.txt", file("new"))]));
        assert!(refused.is_err(), "{name}: {refused:?}");
        assert_eq!(place.git("other", &["reflog"]), before, "{name}");
        assert_eq!(
            place.git("other", &["log", "--format=%s"]),
            "other first\n",
            "{name}"
        );
    }
}

/// Puts something in the way of a file: a link to `victim`, a pipe or a folder.
fn put_in_the_way(place: &Place, path: &str, kind: &str) {
    fs::create_dir_all(place.at(path).parent().unwrap()).unwrap();
    match kind {
        "link" => place.link(path, "victim"),
        "pipe" => place.pipe(path),
        _ => fs::create_dir(place.at(path)).unwrap(),
    }
}

const IN_THE_WAY: [&str; 3] = ["link", "pipe", "folder"];

#[test]
fn what_has_the_name_of_a_draft_of_signoffs_is_not_written_to() {
    let process = std::process::id();
    for name in ["index.signoff", &format!("index.lock.{process}")] {
        for kind in IN_THE_WAY {
            let Some(place) = place() else { return };
            place.write("victim", "precious");
            let path = format!("own/.git/{name}");
            put_in_the_way(&place, &path, kind);
            let refused = commit(&place, "own", &changes([("a.txt", file("new"))]));
            let why = refused.unwrap_err();
            assert!(why.contains(name), "{name} {kind}: {why}");
            assert_eq!(fs::read_to_string(place.at("victim")).unwrap(), "precious");
            let log = place.git("own", &["log", "--format=%s"]);
            assert_eq!(log, "own first\n", "{name} {kind}");
            assert!(!place.at("own/.git/index.lock").exists(), "{name} {kind}");
            assert_eq!(status(&place, "own"), "", "{name} {kind}");
        }
        let Some(place) = place() else { return };
        // What a killed process left.
        place.write(&format!("own/.git/{name}"), "left");
        let made = commit(&place, "own", &changes([("a.txt", file("new"))]));
        made.unwrap().unwrap();
        assert!(!place.at(&format!("own/.git/{name}")).exists());
    }
}

#[test]
fn no_pack_and_no_file_of_a_merge_is_written_through_what_is_in_the_way() {
    let process = std::process::id();
    for kind in IN_THE_WAY {
        let Some(place) = place() else { return };
        place.write("victim", "precious");
        place.git("other", &["repack", "-adq"]);
        let packs = fs::read_dir(place.at("other/.git/objects/pack")).unwrap();
        let mut packs = packs.map(|entry| entry.unwrap().path());
        let pack = packs.find(|path| path.extension().is_some_and(|own| own == "pack"));
        let pack = pack.unwrap();
        let draft = format!("own/.git/objects/pack/tmp_pack_signoff_{process}");
        put_in_the_way(&place, &draft, kind);
        let refused = with_writer(&place, "own", IDENTITY, |writer| writer.adopt(&pack));
        assert!(refused.unwrap().is_err(), "{kind}");
        for path in ["MERGE_MSG", "rebase-merge/msg"] {
            put_in_the_way(&place, &format!("own/.git/{path}"), kind);
            let files = BTreeMap::from([(path.to_owned(), b"subject".to_vec())]);
            let what = "merge".to_owned();
            let step = UnderWayStep::Begins(UnderWay { what, files });
            let refused = with_writer(&place, "own", IDENTITY, |writer| writer.carry_out(&step));
            assert!(refused.unwrap().is_err(), "{kind} {path}");
        }
        assert_eq!(fs::read_to_string(place.at("victim")).unwrap(), "precious");
        let mode = fs::metadata(place.at("victim")).unwrap().permissions();
        assert!(!mode.readonly(), "{kind}");
    }
}

#[test]
fn a_folder_of_git_that_is_a_link_gets_no_file_of_a_merge() {
    let Some(place) = place() else { return };
    fs::create_dir(place.at("elsewhere")).unwrap();
    place.link("own/.git/rebase-merge", "elsewhere");
    let files = BTreeMap::from([("rebase-merge/msg".to_owned(), b"subject".to_vec())]);
    let what = "rebase".to_owned();
    let step = UnderWayStep::Begins(UnderWay { what, files });
    let refused = with_writer(&place, "own", IDENTITY, |writer| writer.carry_out(&step));
    assert!(refused.unwrap().is_err());
    assert!(!place.at("elsewhere/msg").exists());
}

#[test]
fn a_log_that_is_a_pipe_is_not_waited_for() {
    let Some(place) = place() else { return };
    place.pipe("own/.git/logs/refs/heads/main");
    let refused = commit(&place, "own", &changes([("a.txt", file("new"))]));
    assert!(refused.is_err(), "{refused:?}");
}

#[test]
fn a_repository_on_this_machine_runs_nothing_where_it_is_pushed_to() {
    let Some(place) = place() else { return };
    let mark = place.at("mark");
    let program = format!("#!/bin/sh\ntouch {}\n", mark.display());
    place.executable("program", &program);
    let hooks = [
        "pre-receive",
        "update",
        "post-receive",
        "post-update",
        "reference-transaction",
    ];
    for hook in hooks {
        place.executable(&format!("other/.git/hooks/{hook}"), &program);
    }
    let program = place.at("program").display().to_string();
    place.git("other", &["config", "core.alternateRefsCommand", &program]);
    place.git("other", &["config", "core.fsmonitor", &program]);
    place.repository("third");
    let borrowed = place.at("third/.git/objects").display().to_string();
    place.write("other/.git/objects/info/alternates", &(borrowed + "\n"));
    place.git("own", &["config", "remote.origin.url", "../other"]);
    let pushed = with_writer(&place, "own", IDENTITY, |writer| {
        let remote = writer.remote("origin", &place.at("own"), true)?;
        writer.push(&remote, &["HEAD:refs/signoff/offers/x".to_owned()])
    });
    pushed.unwrap().unwrap();
    let listed = place.git("other", &["for-each-ref", "refs/signoff"]);
    assert!(listed.contains("refs/signoff/offers/x"), "{listed}");
    // The for-each-ref of the test runs no program.
    assert!(!mark.exists());
}

#[test]
fn rules_of_git_are_told_and_no_filter_runs() {
    let Some(place) = place() else { return };
    place.write("own/sub/.gitignore", "target/\n");
    place.write(
        "own/.gitattributes",
        "*.bin filter=lfs\n*.txt text eol=lf\n*.bat eol=crlf\n",
    );
    place.write("home/ignored", "*.mine\n");
    for ignored in ["target/x", "x.mine", "y.mine"] {
        place.write(&format!("own/sub/{ignored}"), "x");
    }
    let config = format!("{IDENTITY}[core]\n\texcludesFile = ~/ignored\n");
    let paths = ["a.txt", "b.bin", "c.bat", "target/x", "x.mine"].map(str::to_owned);
    let rules = with_writer(&place, "own/sub", &config, |writer| {
        writer.path_rules(&paths)
    });
    let rules = rules.unwrap().unwrap();
    let ignored: Vec<_> = rules.ignored.into_iter().collect();
    assert_eq!(ignored, ["target/x", "x.mine"]);
    let converted: Vec<_> = rules.converted.into_iter().collect();
    let expected = [("b.bin", "filter=lfs"), ("c.bat", "eol=crlf")];
    let expected = expected.map(|(path, rule)| (path.to_owned(), rule.to_owned()));
    assert_eq!(converted, expected);
    place.pipe("own/sub/.gitattributes");
    let refused = with_writer(&place, "own/sub", &config, |writer| {
        writer.path_rules(&paths)
    });
    assert!(refused.unwrap().is_err());
}

#[test]
fn a_note_is_attached_and_overwrites_none() {
    let Some(place) = place() else { return };
    let first = "a\n  s_1 1-2\n---\n{}\n";
    for (text, refusal) in [
        (first, None),
        (first, None),
        ("b\n", Some("it has a note in refs/notes/ai already")),
    ] {
        let noted = with_writer(&place, "own", IDENTITY, |writer| {
            let head = writer.head()?.commit.ok_or("no commit")?;
            let committer = writer.identities().ok_or("nobody")?.committer;
            writer.note(&head, "ai", text, &committer)
        });
        let refused = noted.unwrap().err();
        assert_eq!(refused.as_deref(), refusal);
        let shown = place.git("own", &["notes", "--ref=ai", "show", "HEAD"]);
        assert_eq!(shown, first);
    }
}
