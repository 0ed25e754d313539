//! Rules against calls.

use super::*;

pub(super) fn rules(lines: &[&str]) -> Vec<Rule> {
    lines
        .iter()
        .map(|line| {
            let mut words = line.splitn(3, ' ');
            let action = match words.next() {
                Some("allow") => Permission::Allow,
                Some("ask") => Permission::Ask,
                _ => Permission::Deny,
            };
            let tool = words.next().expect("a tool").to_owned();
            let pattern = words.next().unwrap_or("*").to_owned();
            Rule {
                tool,
                pattern,
                action,
            }
        })
        .collect()
}

fn bash(policy: &Policy, command: &str) -> &'static str {
    let subjects = Subjects::Command(command.to_owned());
    word(&policy.judge("bash", Reach::Execute, &subjects))
}

pub(super) fn paths(paths: &[&str]) -> Subjects {
    Subjects::Paths(paths.iter().map(|path| (*path).to_owned()).collect())
}

pub(super) fn word(consent: &Consent) -> &'static str {
    match consent {
        Consent::Granted => "runs",
        Consent::Needed => "asks",
        Consent::Denied(_) => "denied",
    }
}

#[test]
fn commands_ask_and_other_tools_run_where_no_rule_speaks() {
    let policy = Policy::default();
    assert_eq!(bash(&policy, "ls"), "asks");
    let path = paths(&["a"]);
    assert_eq!(word(&policy.judge("read", Reach::Observe, &path)), "runs");
    assert_eq!(word(&policy.judge("write", Reach::Stage, &path)), "runs");
}

#[test]
fn the_last_rule_that_matches_counts() {
    let policy = Policy::new(
        rules(&[
            "allow bash cargo *",
            "deny bash cargo publish*",
            "allow bash cargo publish --dry-run*",
        ]),
        Vec::new(),
    );
    assert_eq!(bash(&policy, "cargo test"), "runs");
    assert_eq!(bash(&policy, "cargo publish"), "denied");
    assert_eq!(bash(&policy, "cargo publish --dry-run"), "runs");
    assert_eq!(bash(&policy, "npm test"), "asks");
}

#[test]
fn an_allowed_command_carries_no_other_with_it() {
    let policy = Policy::new(
        rules(&["allow bash cargo test*", "deny bash git push*"]),
        Vec::new(),
    );
    assert_eq!(bash(&policy, "cargo test 2>&1"), "runs");
    for command in [
        "cargo test; rm x",
        "cargo test $(rm x)",
        "cargo test > x",
        "cargo test `rm x`",
        "A=1 cargo test",
    ] {
        assert_eq!(bash(&policy, command), "asks", "{command}");
    }
    for command in [
        "git push",
        "cargo test; git push",
        "bash -c 'git push'",
        "/usr/bin/git push",
        "x $(git push)",
    ] {
        assert_eq!(bash(&policy, command), "denied", "{command}");
    }
    assert_eq!(bash(&policy, "cargo test && curl x | sh"), "asks");
}

#[test]
fn a_workspace_only_narrows() {
    let narrower = rules(&["allow bash *", "deny bash npm *", "ask read *.env"]);
    let policy = Policy::new(rules(&["allow bash npm *"]), narrower);
    assert_eq!(bash(&policy, "ls"), "asks");
    assert_eq!(bash(&policy, "npm test"), "denied");
    let env = paths(&["config/.env"]);
    assert_eq!(word(&policy.judge("read", Reach::Observe, &env)), "asks");
}

#[test]
fn what_sends_work_to_others_is_asked_about_each_time() {
    let mut policy = Policy::new(rules(&["allow * *"]), Vec::new());
    policy.always("bash", Subjects::Command("git push".to_owned()));
    for line in ["git push", "gh pr create --fill", "make && git push"] {
        assert_eq!(bash(&policy, line), "asks", "{line}");
    }
    assert_eq!(bash(&policy, "git fetch"), "runs");
}

#[test]
fn no_rule_lifts_what_is_never_allowed() {
    let policy = Policy::new(rules(&["allow * *"]), Vec::new());
    assert_eq!(bash(&policy, "ls; echo $(date) > x"), "runs");
    assert_eq!(bash(&policy, "rm -rf /"), "denied");
    let edit = paths(&[".git/config"]);
    assert_eq!(word(&policy.judge("write", Reach::Stage, &edit)), "denied");
    assert_eq!(word(&policy.judge("read", Reach::Observe, &edit)), "runs");
}

#[test]
fn always_is_for_the_very_same_call() {
    let mut policy = Policy::new(Vec::new(), rules(&["deny bash make clean"]));
    policy.always("bash", Subjects::Command("make; make install".to_owned()));
    policy.always("bash", Subjects::Command("make clean".to_owned()));
    assert_eq!(bash(&policy, "make; make install"), "runs");
    assert_eq!(bash(&policy, "make"), "asks");
    assert_eq!(bash(&policy, "make clean"), "denied");
}

/// What is allowed once and for all, and what of the same line runs then without a question.
#[test]
fn always_is_for_the_network_that_was_asked_for() {
    let line = || "npm test".to_owned();
    let all = [
        Subjects::Command(line()),
        Subjects::Confined(line()),
        Subjects::Networked(line()),
    ];
    for allowed in &all {
        let mut policy = Policy::new(rules(&["ask bash npm *"]), Vec::new());
        policy.always("bash", allowed.clone());
        for call in &all {
            let consent = word(&policy.judge("bash", Reach::Execute, call));
            let expected = if call == allowed { "runs" } else { "asks" };
            assert_eq!(consent, expected, "{allowed:?} {call:?}");
        }
    }
    let shown = all.map(|subjects| subjects.shown());
    assert_eq!(
        shown,
        [
            "npm test\n(not confined: it can read and write everything that you can)",
            "npm test\n(without network)",
            "npm test\n(with network by host)",
        ]
    );
}

#[test]
fn always_lifts_no_rule_that_denies() {
    let mut policy = Policy::new(rules(&["deny bash make clean"]), Vec::new());
    policy.always("bash", Subjects::Command("make clean".to_owned()));
    assert_eq!(bash(&policy, "make clean"), "denied");
}

#[test]
fn every_path_of_a_call_counts_in_every_spelling() {
    let policy = Policy::new(
        rules(&["deny * secret/*", "deny write /w/own/*"]),
        Vec::new(),
    );
    let policy = policy.within(Path::new("/w"));
    for path in [
        "secret/b",
        "./secret/b",
        "secret//b",
        "secret/./b",
        "x/../secret/b",
        " secret/b ",
        "/w/secret/b",
        "/w/./secret/b",
    ] {
        let consent = policy.judge("write", Reach::Stage, &paths(&["a", path]));
        assert_eq!(word(&consent), "denied", "{path}");
    }
    let of = |path| word(&policy.judge("write", Reach::Stage, &paths(&[path])));
    assert_eq!(
        (of("own/x"), of("other/x"), of("../x")),
        ("denied", "runs", "runs")
    );
}

#[test]
fn an_allowed_command_is_allowed_in_its_plain_forms_only() {
    let policy = Policy::new(rules(&["allow bash ls*", "allow bash echo *"]), Vec::new());
    for line in [
        "ls",
        "ls -la",
        "ls && echo 'touch PWN'",
        "ls; echo $?",
        "'ls' -la 2>/dev/null | ls",
    ] {
        assert_eq!(bash(&policy, line), "runs", "{line}");
    }
    for line in [
        "ls -la >ls",
        "echo 'touch PWN' > ./check.sh; ./check.sh",
        "ls # '\n touch PWN'",
        "ls # \"\ntouch PWN #\"",
        "ls # \\\ntouch PWN",
        "echo $'\\'; touch PWN; echo \\''",
        "echo \"`touch PWN`\"",
        "echo ${x='$(touch PWN)'}${x@P}",
        "echo $[$(touch PWN)]",
        "echo ${a[$(touch PWN)]}",
        "echo \"${x#'\"'}\" touch PWN \"",
        "ls\u{a0}touch",
        "ls\u{c}touch PWN",
        "ls\ntouch PWN",
        "ls & touch PWN",
        "ls <(touch PWN)",
        "ls *",
        "lsx; touch PWN",
        "PATH=. ls",
        "ls () { touch PWN; }; ls",
        "ls || touch PWN",
        "ls -la touch; 'touch PWN'",
    ] {
        assert_eq!(bash(&policy, line), "asks", "{line:?}");
    }
}

#[test]
fn what_is_denied_is_denied_however_it_is_spelled() {
    let policy = Policy::new(rules(&["allow bash *", "deny bash git push*"]), Vec::new());
    for line in [
        "git push",
        "git \"push\"",
        "g'it' pu\"sh\"",
        "\\git push",
        "git -C . push",
        "git -c a=b --no-pager push",
        "git --git-dir=.git push",
        "timeout 5 git push",
        "env -i A=1 git push",
        "nice -n 5 git push",
        "sudo git push",
        "echo x | xargs git push",
        "if true; then git push; fi",
        "for i in 1; do git push; done",
        "f() { git push; }; f",
        "(git push)",
        "bash -c 'git push'",
        "sh -c \"timeout 5 git push\"",
        "eval git push",
        "git $'push'",
        "git \\\n push",
        "git push )",
        "/usr/bin/git push",
    ] {
        assert_eq!(bash(&policy, line), "denied", "{line}");
    }
    for line in [
        "x=push; git $x",
        "$(echo git) push",
        "git pu{sh,ll}",
        "bash -c \"$x\"",
        "wc -l $x",
        "for f in *.rs; do wc -l $f; done",
        "ls > x",
    ] {
        assert_eq!(bash(&policy, line), "asks", "{line}");
    }
    assert_eq!(bash(&policy, "git status; echo $?"), "runs");
}

const RUN_ANOTHER: &[&str] = &[
    // Redirections anywhere.
    "git >/dev/null push",
    "git 2>&1 push origin",
    "git >x push <y origin",
    ">x git push",
    "git <<<x push",
    "git <<EOF push\nEOF\n",
    "a | git >x push",
    "a && git &>x push",
    // Input that is run.
    "echo push | xargs git",
    "echo git push | xargs -n 2 sudo",
    "echo push | xargs -I% git %",
    "echo git | xargs -I{} {} push",
    "xargs git <x",
    "printf 'git push' | sh",
    "echo git push | bash -s",
    "echo git push | bash -x -",
    "echo git push | bash -O extglob",
    "bash <<< 'git push'",
    "bash <<EOF\ngit push\nEOF\n",
    "cat <<EOF | sh\ngit push\nEOF\n",
    "bash < x",
    "bash /dev/stdin < x",
    "bash <(echo git push)",
    "source <(echo git push)",
    ". /dev/stdin <<< 'git push'",
    "echo git push | parallel",
    "echo git push | parallel -j 4",
    "parallel git ::: push",
    "parallel ::: 'git push'",
    "echo git push | at now",
    "echo git push | su",
    "echo git push | sudo -s",
    "echo git push | python3",
    "echo 'system(\"git push\")' | perl -",
    // Wrappers.
    "coproc git push",
    "coproc X { git push; }",
    "env -S 'git push'",
    "env -vS'git push'",
    "env --split-string='git push'",
    "env A=1 env -S 'git push' x",
    "find . -exec git push \\;",
    "find . -name x -exec sh -c 'git push' \\;",
    "find . -ok git {} \\;",
    "fd x -x git push",
    "nice -n 3 git push",
    "setsid git push",
    "stdbuf -oL git push",
    "script -qc 'git push' /dev/null",
    "script -c\"git push\"",
    "busybox sh -c 'git push'",
    "su -c 'git push'",
    "su x --command='git push'",
    "watch git push",
    "watch -n1 'git push'",
    "flock x git push",
    "flock x -c 'git push'",
    "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push",
    "nix-shell -p git --run 'git push'",
    "alias g='git push'",
    "PAGER='git push' man x",
    "GIT_SSH_COMMAND='git push' git fetch",
    "export GIT_PAGER='git push'",
    "tar -cf x --checkpoint=1 --checkpoint-action=exec='git push' y",
    "tar -I 'git push' -xf x",
    "sort --compress-program='git push' x",
    "git -c alias.p=push p",
    "git -c alias.p='!git push' p",
    "git submodule foreach git push",
    "git submodule foreach 'git push'",
    "git rebase -x 'git push' main",
    "git bisect run git push",
    // Interpreters.
    "awk 'BEGIN { system(\"git push\") }'",
    "sed '1e git push' x",
    "python -c 'import os; os.system(\"git push\")'",
    "python3.12 -Ic 'x'",
    "python3 -X dev -c 'x'",
    "perl -e 'system(1)'",
    "perl -pi -e 's/x/y/' z",
    "ruby -e x",
    "node -e x",
    "node --eval=x",
    "php -r x",
    "lua5.4 -e x",
    "vim -c ':!git push' x",
    "vim '+!git push' x",
    "gdb -batch -ex 'shell git push'",
    "sqlite3 x '.shell git push'",
    "timeout 5 python3 -c x",
];

const RUN_NO_OTHER: &[&str] = &[
    "git >/dev/null status",
    "git status 2>&1 | head",
    "find . -name git",
    "sed -n '1,5p' x",
    "python3 x.py push",
    "python -m pytest -x",
    "bash x.sh",
    "bash --version",
    "node x.js",
    "sudo ls",
    "npm test",
    "source x.sh",
    "tar xf x.tar",
    "git stash push",
    "git commit -m 'do not git push'",
    "echo git push",
];

/// Lines of which it takes more than their words to say that they run no other.
const COULD_RUN_ANOTHER: &[&str] = &[
    "ls | xargs wc -l",
    "ls | xargs grep -l git",
    "find . -name '*.rs' -exec wc -l {} \\;",
    "awk '{ print $2 }' x",
    "sed -i 's/one/two/' x",
    "bash -c 'git status'",
    "cat <<EOF > x\ngit push\nEOF\n",
    "NODE_ENV=$x npm test",
];

#[test]
fn what_runs_another_command_passes_no_rule_that_denies() {
    let rules = || rules(&["allow bash *", "deny bash git push*"]);
    let policy = Policy::new(rules(), Vec::new());
    let workspace = Policy::new(rules().split_off(1), rules().split_off(1));
    // More words than are looked at.
    let many = format!("env {} git push", "A=1 ".repeat(70));
    for line in RUN_ANOTHER.iter().copied().chain([many.as_str()]) {
        for policy in [&policy, &workspace] {
            assert_ne!(bash(policy, line), "runs", "{line}");
            assert!(policy.forbids("bash", line).is_some(), "{line}");
        }
    }
    for line in RUN_NO_OTHER {
        assert_eq!(bash(&policy, line), "runs", "{line}");
        assert_eq!(policy.forbids("bash", line), None, "{line}");
    }
    for line in COULD_RUN_ANOTHER {
        assert_eq!(bash(&policy, line), "asks", "{line}");
        assert!(policy.forbids("bash", line).is_some(), "{line}");
    }
}

/// In the shadow nobody is asked where no rule speaks, and no rule is passed there either.
#[test]
fn rules_hold_in_the_shadow() {
    let confined = |policy: &Policy, line: &str| {
        let subjects = Subjects::Confined(line.to_owned());
        word(&policy.judge("bash", Reach::Execute, &subjects))
    };
    let none = Policy::default();
    let denies = Policy::new(rules(&["deny bash git push*"]), Vec::new());
    let asks = Policy::new(rules(&["ask bash git push*"]), Vec::new());
    for (line, expected) in [
        ("git push", ["runs", "denied", "asks"]),
        ("x | timeout 5 git push", ["runs", "denied", "asks"]),
        ("git $x", ["runs", "asks", "asks"]),
        ("ls | xargs git", ["runs", "asks", "asks"]),
        ("cargo test 2>&1 | tail -5", ["runs", "runs", "runs"]),
    ] {
        let found = [&none, &denies, &asks].map(|policy| confined(policy, line));
        assert_eq!(found, expected, "{line}");
    }
    assert_eq!(asks.forbids("bash", "git $x"), None);
}

#[test]
fn a_pattern_of_everything_allows_what_cannot_be_proven() {
    let policy = Policy::new(rules(&["deny bash git fetch*", "allow bash *"]), Vec::new());
    assert_eq!(bash(&policy, "git fetch"), "runs", "the last rule counts");
    let policy = Policy::new(
        rules(&["deny bash *", "allow bash cargo test*"]),
        Vec::new(),
    );
    assert_eq!(bash(&policy, "cargo test --lib"), "runs");
    assert_eq!(bash(&policy, "cargo test > x"), "denied");
    assert_eq!(bash(&policy, "ls"), "denied");
}

#[test]
fn a_word_with_blanks_is_not_two_words() {
    let policy = Policy::new(rules(&["allow bash cargo test"]), Vec::new());
    assert_eq!(bash(&policy, "cargo   'test'"), "runs");
    assert_eq!(bash(&policy, "'cargo test'"), "asks");
}

#[test]
fn rules_that_are_added_stand_behind_the_others() {
    let policy = Policy::new(rules(&["deny bash ls"]), Vec::new());
    let policy = policy.and(rules(&["allow bash ls", "allow bash find *"]));
    assert_eq!(bash(&policy, "ls"), "runs");
    let told: Vec<&str> = policy.runs_others().map(|(_, by)| by).collect();
    assert_eq!(told, ["`-exec`"]);
    let denied = Policy::new(rules(&["deny bash find *"]), Vec::new());
    assert_eq!(denied.runs_others().count(), 0);
}

#[test]
fn a_rule_without_a_pattern_is_for_anything() {
    let rule: Rule = serde_json::from_str(r#"{"tool":"bash","action":"deny"}"#).unwrap();
    assert_eq!(
        bash(&Policy::new(vec![rule], Vec::new()), "ls -la"),
        "denied"
    );
}

/// What is never allowed, and what is near it.
#[test]
fn slips_that_erase_are_told_from_what_is_like_them() {
    let policy = Policy::new(rules(&["allow bash *"]), Vec::new());
    for line in [
        "rm -rf /",
        "rm -R ../x",
        "rm --recursive ~",
        "chmod -R 777 /",
        "chown -R me /etc",
        "dd if=x of=/dev/sda",
        "rm -rf /../etc",
        "rm -rf /usr/../../etc",
    ] {
        assert_eq!(bash(&policy, line), "denied", "{line}");
    }
    for line in [
        "rm -rf target",
        "rm --recursive-not /",
        "rm --force /",
        "rm --preserve-root=x /",
        "rm r /",
        "chmod +x run",
        "dd if=/dev/zero of=x",
        "dd of=dev/sda",
        "rm -rf a/../b",
    ] {
        assert_eq!(bash(&policy, line), "runs", "{line}");
    }
}

#[test]
fn stars_match_any_text_and_try_every_place() {
    for (pattern, text, expected) in [
        ("a*bc", "abbc", true),
        ("*ab", "aab", true),
        ("a*b*c", "axbxbxc", true),
        ("*x*y", "yxzxy", true),
        ("a*bc", "abcb", false),
        ("ab*ab", "ab", false),
        ("?b", "ab", true),
        ("b*aab", "bbaaab", true),
    ] {
        assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
    }
}

#[test]
fn signs_that_a_shell_expands_are_not_plain() {
    let policy = Policy::new(rules(&["allow bash ls*"]), Vec::new());
    for line in [
        "ls a~b",
        "ls \"a b\"",
        "ls \"$?\"",
        "ls \"a $? b\"",
        "ls x~",
    ] {
        assert_eq!(bash(&policy, line), "runs", "{line}");
    }
    for line in ["ls ~", "ls ~/x", "ls \"$?$x\"", "ls \"$x$?\"", "ls \"a`b\""] {
        assert_eq!(bash(&policy, line), "asks", "{line}");
    }
}

#[test]
fn lines_are_read_up_to_their_bounds() {
    let policy = Policy::new(
        rules(&["allow bash ls*", "deny bash git push*"]),
        Vec::new(),
    );
    let line = |length: usize| format!("ls {}", "a".repeat(length - 3));
    assert_eq!(bash(&policy, &line(16 * 1024)), "runs");
    assert_eq!(bash(&policy, &line(16 * 1024 + 1)), "asks");
    // Wrappers in wrappers, as deep as they are read and one deeper.
    let allowed = Policy::new(rules(&["allow bash *", "deny bash git push*"]), Vec::new());
    let nested =
        |depth| (0..depth).fold("git push".to_owned(), |line, _| format!("watch {line:?}"));
    for depth in 0..4 {
        assert_eq!(bash(&allowed, &nested(depth)), "denied", "{depth}");
    }
    assert_eq!(bash(&allowed, &nested(8)), "asks");
}

#[test]
fn builtins_are_commands() {
    let policy = Policy::new(
        rules(&["allow bash *", "deny bash export *", "deny bash unset *"]),
        Vec::new(),
    );
    for line in ["export A=1", "ls; unset PATH"] {
        assert_eq!(bash(&policy, line), "denied", "{line}");
    }
    assert_eq!(bash(&policy, "declare A=1"), "asks");
    // What a rule allows by name is another program then.
    let policy = Policy::new(
        rules(&[
            "allow bash printf *",
            "allow bash read *",
            "allow bash hash *",
            "allow bash ls *",
        ]),
        Vec::new(),
    );
    for (line, expected) in [
        ("printf -v PATH %s evil && ls a", "asks"),
        ("printf -vPATH evil && ls a", "asks"),
        ("read PATH && ls a", "asks"),
        ("hash -p evil/ls ls && ls a", "asks"),
        ("printf %s a && ls a", "runs"),
    ] {
        assert_eq!(bash(&policy, line), expected, "{line}");
    }
}

/// A rule for `Bash` had no effect, and nobody was told.
#[test]
fn a_rule_names_a_tool_that_there_is() {
    for (tool, fault) in [
        ("bash", ""),
        ("*", ""),
        ("git_*", ""),
        ("ba?h", ""),
        // A server's.
        ("files__read", ""),
        ("files__*", ""),
        ("git*", ""),
        ("github*", ""),
        ("Bash", "`Bash` is no tool (did you mean `bash`?)"),
        ("bsh", "`bsh` is no tool (did you mean `bash`?)"),
        (
            "WebFetch",
            "`WebFetch` is no tool (did you mean `web_fetch`?)",
        ),
        ("Glob", "`Glob` is no tool (did you mean `find`?)"),
        (
            "write_file",
            "`write_file` is no tool (did you mean `write`?)",
        ),
        ("Web*", "`Web*` fits no tool (did you mean `web*`?)"),
        (
            "mcp__files__read",
            "`mcp__files__read` is `files__read` here",
        ),
        ("mcp__files__*", "`mcp__files__*` is `files__*` here"),
        ("mcp__*", "the tools of all servers are `mcp_call` here"),
        (
            "frobnicate",
            "`frobnicate` is no tool: `/tools` lists those that there are",
        ),
    ] {
        let text = serde_json::json!({ "tool": tool, "action": "deny" });
        let said = serde_json::from_value::<Rule>(text).err();
        let said = said.map(|error| error.to_string());
        assert_eq!(said.unwrap_or_default(), fault, "{tool}");
    }
}
