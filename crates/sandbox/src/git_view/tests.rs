//! Repositories that want git to run something, to show another repository, or to wait.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use super::*;

const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(20),
    most_bytes: 64 * 1024,
};
const STATUS: Question<'_> = Question::Status { branch: true };
const DIFF: Question<'_> = Question::Diff {
    staged: false,
    commit: None,
};
const LOG: Question<'_> = Question::Log {
    options: &["--format=%s"],
    commits: None,
};

/// A folder with repositories in it.
pub(crate) struct Place(pub(crate) TempDir);

impl Place {
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn executable(&self, path: &str, text: &str) {
        self.write(path, text);
        let permissions = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.at(path), permissions).expect("permissions");
    }

    /// Takes away what has this name, and makes a pipe of it.
    pub(crate) fn pipe(&self, path: &str) {
        let _none = fs::remove_file(self.at(path));
        let made = Command::new("mkfifo").arg(self.at(path)).status();
        assert!(made.expect("mkfifo").success());
    }

    /// Makes a link to the same file or folder of another repository.
    pub(crate) fn link(&self, path: &str, target: &str) {
        let _none = fs::remove_file(self.at(path));
        let _none = fs::remove_dir_all(self.at(path));
        symlink(self.at(target), self.at(path)).expect("a link");
    }

    /// Runs git, and returns what it printed.
    pub(crate) fn git(&self, folder: &str, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=U", "-c", "user.email=u@example.org"])
            .args(["-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(self.at(folder))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .expect("git is there");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Makes a repository with one commit, whose message is its name.
    pub(crate) fn repository(&self, name: &str) {
        self.write(&format!("{name}/a.txt"), name);
        self.git(name, &["init", "--quiet", "--initial-branch=main"]);
        self.git(name, &["add", "."]);
        let message = format!("--message={name} first");
        self.git(name, &["commit", "--quiet", &message]);
    }

    /// Returns what git answers, or why it was not asked.
    fn ask(&self, root: &str, question: Question<'_>, path: &str) -> Result<String, String> {
        let asker = Asker {
            reserved: None,
            root: &self.at(root),
            supervision: Supervision::None,
            limits: LIMITS,
            stop: &AtomicBool::new(false),
        };
        let report = asker.ask(question, path);
        assert!(
            !matches!(&report, Err(why) if why.contains("took too long")),
            "{question:?}"
        );
        let report = report?;
        assert_ne!(report.ended, Ended::TimedOut, "{question:?}");
        match report.ended {
            Ended::Exit(0) => Ok(report.out.text()),
            _ => Err(report.err.text()),
        }
    }

    fn ask_all(&self, root: &str) -> [Result<String, String>; 3] {
        [STATUS, DIFF, LOG].map(|question| self.ask(root, question, "."))
    }
}

/// Returns a folder with the repositories `own` and `other`; none without git.
pub(crate) fn place() -> Option<Place> {
    Command::new("git").arg("--version").output().ok()?;
    let place = Place(tempfile::tempdir().expect("a folder"));
    place.repository("own");
    place.repository("other");
    Some(place)
}

#[test]
fn a_repository_is_looked_at() {
    let Some(place) = place() else { return };
    place.write("own/a.txt", "changed");
    assert_eq!(
        place.ask("own", STATUS, ".").unwrap(),
        "## main\n M a.txt\n"
    );
    assert!(
        place
            .ask("own", DIFF, "a.txt")
            .unwrap()
            .contains("+changed")
    );
    assert_eq!(place.ask("own", LOG, ".").unwrap(), "own first\n");
    assert_eq!(branch(&place.at("own")).unwrap().unwrap(), "main");
    // Also what is packed, with all that makes it faster.
    place.git("own", &["pack-refs", "--all"]);
    place.git("own", &["repack", "-adq", "--write-midx"]);
    place.git("own", &["commit-graph", "write", "--reachable"]);
    assert_eq!(place.ask("own", LOG, ".").unwrap(), "own first\n");
}

#[test]
fn references_in_tables_are_read() {
    let Some(place) = place() else { return };
    let mut made = Command::new("git");
    made.args([
        "init",
        "--quiet",
        "--ref-format=reftable",
        "--initial-branch=main",
    ]);
    let made = made.arg(place.at("tables")).output().expect("git is there");
    if !made.status.success() {
        // This git does not know them.
        return;
    }
    place.repository("tables");
    assert_eq!(place.ask("tables", LOG, ".").unwrap(), "tables first\n");
    assert_eq!(branch(&place.at("tables")).unwrap(), None);
}

#[test]
fn no_link_in_a_git_folder_is_followed() {
    for name in [
        "HEAD",
        "config",
        "index",
        "objects",
        "objects/pack",
        "objects/info",
        "objects/[]",
        "packed-refs",
        "refs",
        "refs/heads",
        "refs/heads/main",
        "shallow",
        "info",
        "info/exclude",
        "",
    ] {
        let Some(place) = place() else { return };
        place.write("other/a.txt", "again");
        place.git(
            "other",
            &["commit", "--quiet", "-a", "--message=other second"],
        );
        let head = place.at("other/.git/refs/heads/main");
        let head = fs::read_to_string(head).expect("a branch");
        // Of single objects, the folder in which the last commit is.
        let name = name.replace("[]", head.get(..2).unwrap_or_default());
        let path = match name.as_str() {
            "" => "/.git".to_owned(),
            name => format!("/.git/{name}"),
        };
        if name.starts_with("objects") && name != "objects" {
            place.write("own/.git/refs/heads/main", &head);
        }
        place.link(&format!("own{path}"), &format!("other{path}"));
        for answer in place.ask_all("own") {
            let shown = answer.unwrap_or_default();
            assert!(!shown.contains("other"), "{name}: {shown}");
        }
    }
}

#[test]
fn objects_of_other_repositories_are_not_borrowed() {
    let Some(place) = place() else { return };
    let head = fs::read_to_string(place.at("other/.git/refs/heads/main")).expect("a branch");
    place.write("own/.git/refs/heads/main", &head);
    let other = place.at("other/.git/objects").display().to_string();
    let alternates = place.at("own/.git/objects/info/alternates");
    for text in [
        format!("{other}\n"),
        format!("\"{other}\"\n"),
        "../../../other/.git/objects\n".to_owned(),
        format!("# objects\n{other}\n"),
    ] {
        place.write("own/.git/objects/info/alternates", &text);
        let said = place.ask("own", LOG, ".").unwrap_err();
        assert!(said.contains("borrows objects"), "{said}");
    }
    fs::remove_file(&alternates).expect("a file");
    place.link("own/.git/objects/info/alternates", "other/.git/HEAD");
    assert!(place.ask("own", LOG, ".").is_err());
    fs::remove_file(&alternates).expect("a link");
    for name in ["alternates", "http-alternates"] {
        // An empty list borrows nothing, and by the network nothing is fetched.
        let text = if name == "alternates" { "" } else { &other };
        place.write(&format!("own/.git/objects/info/{name}"), text);
        let said = place.ask("own", LOG, ".").unwrap_err();
        assert!(!said.contains("other first"), "{said}");
    }
    place.write("own/.git/commondir", "../../other/.git\n");
    place.write("own/.git/gitdir", "../../other/.git\n");
    assert!(place.ask("own", LOG, ".").is_err());
}

#[test]
fn a_git_file_is_followed_only_to_a_repository_that_knows_the_work_tree() {
    let Some(place) = place() else { return };
    place.git(
        "own",
        &["worktree", "add", "--quiet", "../tree", "-b", "side"],
    );
    assert_eq!(place.ask("tree", LOG, ".").unwrap(), "own first\n");
    assert_eq!(branch(&place.at("tree")).unwrap().unwrap(), "side");
    // A link to the `.git` file of a work tree is not one.
    fs::create_dir(place.at("copied")).expect("a folder");
    place.link("copied/.git", "tree/.git");
    assert!(place.ask("copied", LOG, ".").is_err());
    // A made-up work tree of one's own must not share the objects of another repository.
    let tree = place.at("copied/.git").display().to_string();
    for common in ["../../../other/.git", "../../.."] {
        let _none = fs::remove_file(place.at("copied/.git"));
        let _none = fs::remove_dir_all(place.at("copied"));
        place.write("copied/.git", "gitdir: git/worktrees/x\n");
        place.write("copied/git/worktrees/x/gitdir", &format!("{tree}\n"));
        place.write("copied/git/worktrees/x/commondir", common);
        place.write("copied/git/worktrees/x/HEAD", "ref: refs/heads/main\n");
        assert!(place.ask("copied", LOG, ".").is_err(), "{common}");
    }
    // The repository of one submodule is not that of another folder.
    let other = place.at("other").display().to_string();
    place.git("own", &["submodule", "--quiet", "add", &other, "sub"]);
    assert_eq!(place.ask("own/sub", LOG, ".").unwrap(), "other first\n");
    place.write("own/evil/.git", "gitdir: ../.git/modules/sub\n");
    assert!(place.ask("own/evil", LOG, ".").is_err());
}

#[test]
fn an_index_shows_no_file_outside_of_the_work_tree() {
    for (name, odd) in [
        ("ab/secret.txt", "../secret.txt"),
        ("abcd/xx/config", ".git/../config"),
        ("abcd/config", ".GIT/config"),
        ("betcbhostname", "/etc/hostname"),
        ("x/ab/ab/secret.txt", "x/../../secret.txt"),
    ] {
        let Some(place) = place() else { return };
        place.write("secret.txt", "SECRET");
        place.write("own/x/file", "x");
        let blob = Command::new("git")
            .args(["hash-object", "a.txt"])
            .current_dir(place.at("own"))
            .output()
            .expect("git is there");
        let blob = String::from_utf8_lossy(&blob.stdout).trim().to_owned();
        let entry = format!("100644,{blob},{name}");
        place.git("own", &["update-index", "--add", "--cacheinfo", &entry]);
        let index = place.at("own/.git/index");
        let mut bytes = fs::read(&index).expect("an index");
        let length = bytes.len();
        let at = bytes
            .windows(name.len())
            .position(|part| part == name.as_bytes());
        let at = at.expect("the name");
        bytes.splice(at..at + odd.len(), odd.bytes());
        // Git takes an index without a checksum.
        bytes.splice(length - 20.., [0; 20]);
        fs::write(&index, bytes).expect("an index");
        for question in [STATUS, DIFF] {
            let answer = place.ask("own", question, ".");
            assert!(answer.is_err(), "{odd}: {answer:?}");
        }
    }
}

#[test]
fn paths_are_literal_and_below_the_workspace() {
    let Some(place) = place() else { return };
    place.write("own/SECRET.TXT", "SECRET");
    place.write("own/sub/b.txt", "b");
    place.git("own", &["add", "."]);
    place.git("own", &["commit", "--quiet", "--message=all"]);
    place.write("own/SECRET.TXT", "SECRET now");
    for path in [
        ":(icase,top)SECRET.TXT",
        ":(top,icase)secret.txt",
        ":(top)*",
        ":/",
        ":/SECRET.TXT",
        ":(glob,top)**",
        ":(attr:text)SECRET.TXT",
        ":!b.txt",
        ":^b.txt",
        ":(exclude)b.txt",
        ":(prefix:0)SECRET.TXT",
        "../SECRET.TXT",
        "x/../../SECRET.TXT",
        "",
    ] {
        for question in [STATUS, DIFF, LOG] {
            let shown = place.ask("own/sub", question, path).unwrap_or_default();
            assert!(!shown.contains("SECRET"), "{path}: {shown}");
        }
    }
    let absolute = place.at("own/SECRET.TXT").display().to_string();
    assert!(place.ask("own/sub", DIFF, &absolute).is_err());
}

#[test]
fn pipes_and_devices_end_in_an_answer() {
    for name in [
        ".git/HEAD",
        ".git/config",
        ".git/index",
        ".git/packed-refs",
        ".git/shallow",
        ".git/refs/heads/main",
        ".git/refs/heads/side",
        ".git/info/exclude",
        ".git/info/attributes",
        ".git/info/grafts",
        ".git/objects/info/alternates",
        ".git/objects/info/commit-graph",
        ".git/objects/pack/multi-pack-index",
        ".git/objects/pack/pack-1.idx",
        ".gitignore",
        ".gitattributes",
        ".gitmodules",
        ".mailmap",
        "sub/.gitignore",
        "sub/.gitattributes",
        "nested/.git/HEAD",
        "nested/.git/config",
        "nested/.git/refs/heads/main",
    ] {
        if Command::new("git").arg("--version").output().is_err() {
            return;
        }
        let place = Place(tempfile::tempdir().expect("a folder"));
        place.repository("own");
        place.repository("own/nested");
        place.write("own/sub/b.txt", "b");
        place.git("own", &["add", "sub"]);
        place.write("own/sub/b.txt", "changed");
        place.write("own/a.txt", "changed");
        let path = place.at(&format!("own/{name}"));
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        let before = fs::read(&path).ok();
        for kind in ["pipe", "device", "huge"] {
            let _none = fs::remove_file(&path);
            match kind {
                "pipe" => place.pipe(&format!("own/{name}")),
                "device" => symlink("/dev/zero", &path).expect("a link"),
                _ => {
                    let file = fs::File::create(&path).expect("a file");
                    file.set_len(1 << 40).expect("a sparse file");
                }
            }
            // Whatever is answered: `ask` would panic if git had to be ended.
            let _answers = [STATUS, LOG].map(|question| place.ask("own", question, "."));
            let _branch = branch(&place.at("own"));
        }
        fs::remove_file(&path).expect("a file");
        if let Some(before) = before {
            fs::write(&path, before).expect("a file");
        }
        assert_eq!(place.ask("own", LOG, ".").unwrap(), "own first\n", "{name}");
    }
}

#[test]
fn no_submodule_is_entered() {
    for is_absorbed in [true, false] {
        let Some(place) = place() else { return };
        if is_absorbed {
            let other = place.at("other").display().to_string();
            place.git("own", &["submodule", "--quiet", "add", &other, "sub"]);
        } else {
            place.repository("own/sub");
            place.git("own", &["add", "sub"]);
        }
        let config = if is_absorbed {
            "own/.git/modules/sub/config"
        } else {
            "own/sub/.git/config"
        };
        let mark = place.at("MARK");
        place.executable(
            "evil",
            &format!("#!/bin/sh\ntouch '{}'\ncat\n", mark.display()),
        );
        // For a shell, and in quotes: the path may have blanks.
        let evil = format!("\"'{}'\"", place.at("evil").display());
        let text = fs::read_to_string(place.at(config)).expect("a config");
        let text =
            format!("{text}[core]\n\tfsmonitor = {evil}\n[filter \"x\"]\n\tclean = {evil}\n");
        place.write(config, &text);
        place.write("own/sub/.gitattributes", "* filter=x\n");
        place.write("own/sub/a.txt", "changed");
        // What a submodule wants for itself does not count.
        let modules = "[submodule \"sub\"]\n\tpath = sub\n\turl = x\n\tignore = none\n";
        place.write("own/.gitmodules", modules);
        for answer in place.ask_all("own") {
            answer.expect("an answer");
            assert!(!mark.exists(), "absorbed: {is_absorbed}");
        }
        place.git("own", &["status", "--short"]);
        assert!(mark.exists(), "git by itself enters it");
    }
}

#[test]
fn replacements_and_grafts_do_not_count() {
    let Some(place) = place() else { return };
    place.write("own/a.txt", "again");
    place.git("own", &["commit", "--quiet", "-a", "--message=own second"]);
    place.git("own", &["replace", "HEAD", "HEAD~1"]);
    assert_eq!(
        place.ask("own", LOG, ".").unwrap(),
        "own second\nown first\n"
    );
}

#[test]
fn git_inherits_neither_keys_nor_its_own_variables() {
    let outside = [
        "GIT_DIR",
        "GIT_EXTERNAL_DIFF",
        "ANTHROPIC_API_KEY",
        "X",
        "PATH",
        "TZ",
    ];
    let outside = outside.map(|name| (name.to_owned(), "v".to_owned()));
    let passed: Vec<String> = passed_on(outside.into_iter())
        .map(|(name, _)| name)
        .collect();
    assert_eq!(passed, ["PATH", "TZ"]);
}
