//! Repositories that want git to run something, or to show what lies outside the workspace.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::tool::testing::{Folder, save};

const CALLS: &[(&str, &str)] = &[
    ("git_status", "{}"),
    ("git_diff", "{}"),
    ("git_diff", r#"{"staged":true}"#),
    ("git_diff", r#"{"commit":"HEAD"}"#),
    ("git_diff", r#"{"commit":"HEAD~1..HEAD"}"#),
    ("git_diff", r#"{"path":"a.txt"}"#),
    ("git_log", "{}"),
    ("git_log", r#"{"path":"a.txt"}"#),
];

/// Settings that name a program, or make git use one; `*` is a name of the attacker's.
const EXECUTING: &[&str] = &[
    "alias.status",
    "alias.diff",
    "alias.log",
    "browser.*.cmd",
    "column.ui",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.attributesFile",
    "core.editor",
    "core.excludesFile",
    "core.fsmonitor",
    "core.gitProxy",
    "core.hooksPath",
    "core.pager",
    "core.sshCommand",
    "core.worktree",
    "credential.helper",
    "diff.external",
    "diff.guitool",
    "diff.*.command",
    "diff.*.textconv",
    "difftool.*.cmd",
    "extensions.partialClone",
    "filter.*.clean",
    "filter.*.process",
    "filter.*.smudge",
    "gc.recentObjectsHook",
    "gpg.program",
    "gpg.openpgp.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand",
    "gpg.x509.program",
    "http.proxy",
    "include.path",
    "includeIf.gitdir:/.path",
    "interactive.diffFilter",
    "log.showSignature",
    "man.*.cmd",
    "maintenance.auto",
    "merge.*.driver",
    "mergetool.*.cmd",
    "pager.diff",
    "pager.log",
    "pager.status",
    "protocol.ext.allow",
    "remote.origin.promisor",
    "remote.origin.receivepack",
    "remote.origin.uploadpack",
    "remote.origin.url",
    "remote.origin.vcs",
    "sendemail.smtpServer",
    "sequence.editor",
    "submodule.*.update",
    "tar.*.command",
    "trailer.*.command",
    "trailer.*.cmd",
    "uploadpack.packObjectsHook",
    "versionsort.suffix",
    "web.browser",
];

fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=U", "-c", "user.email=u@example.org"])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output();
    let output = status.expect("git is there");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
}

/// A repository with two commits, a staged, a changed and a new file; none without git.
fn repository() -> Option<Folder> {
    Command::new("git").arg("--version").output().ok()?;
    let folder = Folder::new(&[
        ("a.txt", "one\n"),
        ("b.txt", "two\n"),
        ("secret.txt", "SECRET\n"),
    ]);
    save(&folder.path("lib/c.txt"), "three\n");
    let root = folder.path("");
    git(&root, &["init", "--quiet", "--initial-branch=main"]);
    for name in ["first", "second"] {
        git(&root, &["add", "."]);
        git(&root, &["commit", "--quiet", "--message", name]);
        save(&folder.path("a.txt"), format!("{name}\n"));
        save(&folder.path("secret.txt"), format!("SECRET {name}\n"));
        save(&folder.path("lib/c.txt"), format!("{name}\n"));
    }
    git(&root, &["add", "secret.txt", "lib"]);
    save(&folder.path("secret.txt"), "SECRET now\n");
    save(&folder.path("lib/c.txt"), "now\n");
    save(&folder.path("lib/new.txt"), "new\n");
    Some(folder)
}

fn executable(path: &Path, text: &str) {
    save(path, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
}

/// Calls every tool, and asserts that `mark` was not made.
fn assert_nothing_runs(folder: &Folder, mark: &Path, what: &str) {
    assert_none_runs(CALLS, folder, mark, what);
}

fn assert_none_runs(calls: &[(&str, &str)], folder: &Folder, mark: &Path, what: &str) {
    for (tool, arguments) in calls {
        let arguments: Value = serde_json::from_str(arguments).expect("arguments");
        let _answer = folder.call(tool, arguments.clone());
        assert!(!mark.exists(), "{what}: {tool} {arguments} ran a program");
    }
}

#[test]
fn no_setting_of_a_repository_makes_git_run_anything() {
    let Some(folder) = repository() else { return };
    let mark = folder.path(".git/MARK");
    let program = folder.path(".git/evil");
    executable(
        &program,
        &format!("#!/bin/sh\ntouch '{}'\ncat\n", mark.display()),
    );
    for name in [
        "fsmonitor-watchman",
        "post-index-change",
        "reference-transaction",
    ] {
        executable(
            &folder.path(".git/hooks").join(name),
            &format!("#!/bin/sh\ntouch '{}'\n", mark.display()),
        );
    }
    let attributes = "* filter=evil diff=evil merge=evil\n";
    save(&folder.path(".gitattributes"), attributes);
    save(&folder.path(".git/info/attributes"), attributes);
    let evil = program.display().to_string();
    let mut keys: Vec<String> = EXECUTING
        .iter()
        .map(|key| key.replace('*', "evil"))
        .collect();
    // What the git of this machine documents, whatever it does.
    let known = Command::new("git")
        .args(["help", "--config"])
        .output()
        .expect("git is there");
    let known = String::from_utf8_lossy(&known.stdout).into_owned();
    let names = known
        .lines()
        .filter(|line| line.contains('.') && !line.contains(' '));
    keys.extend(names.map(|name| name.replace(['<', '>', '*'], "")));
    keys.retain(|key| {
        !key.starts_with("extensions.objectFormat") && !key.starts_with("extensions.refStorage")
    });
    let config = folder.path(".git/config");
    let before = fs::read_to_string(&config).expect("a config");
    let mut all = before.clone();
    for key in &keys {
        let Some((section, name)) = key.rsplit_once('.') else {
            continue;
        };
        let section = match section.split_once('.') {
            Some((section, sub)) => format!("[{section} \"{sub}\"]"),
            None => format!("[{section}]"),
        };
        let line = format!("{section}\n\t{name} = {evil}\n");
        all += &line;
        save(&config, format!("{before}{line}"));
        if EXECUTING
            .iter()
            .any(|known| known.replace('*', "evil") == *key)
        {
            assert_none_runs(&[CALLS[0], CALLS[1], CALLS[6]], &folder, &mark, key);
        }
    }
    let filter = format!("{before}[filter \"evil\"]\n\tclean = {evil}\n");
    save(&config, &filter);
    git(&folder.path(""), &["status", "--short"]);
    assert!(mark.exists(), "git by itself does run a filter");
    fs::remove_file(&mark).expect("a mark");
    save(&config, &all);
    assert_nothing_runs(&folder, &mark, "all keys together");
    // And they still answer.
    for (tool, arguments) in CALLS {
        let output = folder.call(tool, serde_json::from_str(arguments).expect("arguments"));
        assert!(output.ok, "{tool} {arguments}: {}", output.content);
    }
}

#[test]
fn a_bare_repository_among_the_files_is_no_repository() {
    let Some(folder) = repository() else { return };
    let mark = folder.path("MARK");
    let lib = folder.path("lib");
    git(&lib, &["init", "--quiet", "--bare", "."]);
    let config = format!(
        "[core]\n\tbare = false\n\tworktree = .\n[filter \"x\"]\n\tclean = sh -c 'touch {}; cat'\n",
        mark.display()
    );
    save(&lib.join("config"), &config);
    save(&lib.join(".gitattributes"), "* filter=x\n");
    let inner = Folder::inside(&lib);
    assert_nothing_runs(&inner, &mark, "a bare repository");
    let log = inner.call("git_log", json!({})).content;
    assert!(
        log.contains("second"),
        "the repository around is looked at: {log}"
    );
}

#[test]
fn a_submodule_is_not_looked_into() {
    let Some(folder) = repository() else { return };
    let Some(other) = repository() else { return };
    let mark = folder.path("MARK");
    let url = other.path("").display().to_string();
    git(
        &folder.path(""),
        &["submodule", "--quiet", "add", &url, "sub"],
    );
    save(&folder.path("sub/a.txt"), "changed\n");
    let config = folder.path(".git/modules/sub/config");
    let text = fs::read_to_string(&config).expect("a config");
    let evil = format!(
        "{text}\tfsmonitor = \"sh -c 'touch {0}'\"\n[filter \"x\"]\n\tclean = sh -c 'touch {0}; cat'\n",
        mark.display()
    );
    save(&config, &evil);
    save(&folder.path("sub/.gitattributes"), "* filter=x\n");
    assert_nothing_runs(&folder, &mark, "a submodule");
    // As a workspace of its own it can be looked at.
    let inner = Folder::inside(&folder.path("sub"));
    assert_nothing_runs(&inner, &mark, "a submodule as workspace");
    assert!(
        inner
            .call("git_status", json!({}))
            .content
            .contains("a.txt")
    );
}

#[test]
fn nothing_outside_a_subfolder_is_shown() {
    let Some(folder) = repository() else { return };
    let lib = Folder::inside(&folder.path("lib"));
    let blob = Command::new("git")
        .args(["rev-parse", "HEAD:secret.txt"])
        .current_dir(folder.path(""))
        .output()
        .expect("git is there");
    let blob = String::from_utf8_lossy(&blob.stdout).trim().to_owned();
    let mut shown = Vec::new();
    for path in [
        "",
        ".",
        ":(top)secret.txt",
        ":!a.txt",
        ":/",
        ":^c.txt",
        ":(exclude)c.txt",
        "*",
        ":(glob)**",
        "c.txt",
        ":(attr:x)",
        "../secret.txt",
    ] {
        for staged in [false, true] {
            let arguments = json!({ "path": path, "staged": staged });
            shown.push((
                format!("{arguments}"),
                lib.call("git_diff", arguments).content,
            ));
        }
        let arguments = json!({ "path": path });
        shown.push((
            format!("log {path}"),
            lib.call("git_log", arguments).content,
        ));
    }
    for commit in [
        "HEAD",
        "HEAD:secret.txt",
        ":/second",
        "HEAD~1..HEAD",
        "HEAD:",
        "--no-index",
        blob.as_str(),
    ] {
        let arguments = json!({ "commit": commit });
        shown.push((
            format!("{arguments}"),
            lib.call("git_diff", arguments).content,
        ));
    }
    shown.push((
        "status".to_owned(),
        lib.call("git_status", json!({})).content,
    ));
    for (what, text) in &shown {
        assert!(
            !text.contains("SECRET") && !text.contains("a.txt"),
            "{what}: {text}"
        );
    }
    let diff = &shown[0].1;
    assert!(diff.contains("+now") && diff.contains("a/c.txt"), "{diff}");
}

#[test]
fn a_dot_git_that_leads_elsewhere_is_not_followed() {
    let Some(other) = repository() else { return };
    let Some(folder) = repository() else { return };
    let git_folder = other.path(".git").display().to_string();
    let elsewhere = Folder::new(&[("a.txt", "x\n")]);
    let file = elsewhere.path(".git");
    save(&file, format!("gitdir: {git_folder}\n"));
    assert!(!elsewhere.call("git_log", json!({})).ok);
    fs::remove_file(&file).expect("a file");
    symlink(&git_folder, &file).expect("a link");
    assert!(!elsewhere.call("git_log", json!({})).ok);
    // A linked work tree is known to its repository, and a made-up one is not.
    let tree = Folder::new(&[]);
    let place = tree.path("tree").display().to_string();
    git(
        &folder.path(""),
        &["worktree", "add", "--quiet", &place, "HEAD~1"],
    );
    let linked = Folder::inside(&tree.path("tree"));
    let log = linked.call("git_log", json!({})).content;
    assert!(log.contains("first") && !log.contains("second"), "{log}");
    assert!(linked.call("git_status", json!({})).ok);
    let copied = Folder::new(&[]);
    fs::copy(tree.path("tree/.git"), copied.path(".git")).expect("a copy");
    assert!(!copied.call("git_log", json!({})).ok);
}

#[test]
fn special_files_do_not_hold_git_up() {
    let Some(folder) = repository() else { return };
    for name in ["config", "HEAD"] {
        let path = folder.path(".git").join(name);
        fs::remove_file(&path).expect("a file");
        symlink("/dev/zero", &path).expect("a link");
        let _answer = folder.call("git_status", json!({}));
        fs::remove_file(&path).expect("a link");
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.is_ok_and(|status| status.success()));
        let _answer = folder.call("git_status", json!({}));
        fs::remove_file(&path).expect("a pipe");
        save(&path, "ref: refs/heads/main\n");
    }
}
