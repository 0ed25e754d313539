//! Programs that run others: by the words behind them, or by lines, code and input that do not show.
//!
//! In: the commands that stand in a line. Out: all that they run, as far as it shows, and whether that is all:
//!
//! ```text
//! timeout 5 git push       ->  [timeout 5 git push] [5 git push] [git push] [push]
//! watch 'git push; date'   ->  [watch ...] [git push; date] [git push] [date]
//! echo push | xargs git    ->  [echo push] [xargs git] [git], and more than shows
//! ```
//!
//! What a file does that a command runs, as `bash x.sh` or `make`, is of no concern here.

use super::command_line::{CommandLine, SimpleCommand, UNKNOWN};
use super::{Permission, Rule};

/// Programs that run the words behind them, or words of theirs as command lines.
const WRAPPERS: &str = "abduco alias arch asdf aws-vault bind bsdtar builtin bundle busybox bwrap caffeinate catchsegv \
    cgexec choom chpst chronic chrt command compgen complete concurrently conda coproc corepack cpio cpulimit daemonize \
    dbus-launch dbus-run-session direnv distrobox docker dotenv dtach eatmydata entr env eval exec fakechroot fakeroot \
    faketime fc fd fdfind find firejail flatpak flock gtar gtimeout heaptrack hermit hyperfine ionice just kubectl ld \
    linux ltrace mamba man mise mosh nice nix nocache nodemon nohup npm npx numactl op perf pipenv pipx pixi pkexec \
    pnpm podman poetry prlimit proxychains pdm rbenv rg rlwrap rr rsync runcon runuser rye scp screen script setarch \
    setpriv setsid sftp softlimit sops ssh-agent sshpass start-stop-daemon stdbuf strace systemd-inhibit systemd-run tar \
    taskset time timeout tmux toolbox torsocks toybox trap tsocks uclampset unbuffer uv uvx valgrind vault watch \
    watchexec winpty wsl xvfb-run yarn zip";

/// Programs that run a file if a file is their first word, and code or input otherwise. Of `sudo` and `doas` the file is a
/// program.
const FILE_RUNNERS: &str = ". ash bash csh dash doas elvish fish ksh lua luajit mksh node nodejs nu oksh perl php pwsh \
    pypy python raku rbash ruby sh source sudo tcsh tsx ts-node xonsh yash zsh";

/// Programs that run code, lines or input that does not show, whatever their words are.
const INTERPRETERS: &str = "at awk batch bb bun chroot clj clojure crontab crystal dc deno duckdb ed elixir emacs erl ex \
    expect gawk gdb ghc groovy gsed guile gvim iex ipython janet jruby jshell julia kak kotlinc lldb m4 mawk mysql nawk \
    newgrp nix-shell nsenter nvim ocaml octave osascript parallel psql R racket Rscript runghc sbcl scala sed sem sg \
    sqlite ssh su tclsh unshare vi view vim vimdiff wish xargs";

/// Words of git's with which it runs what its words or settings say.
const GIT_RUNS: [&str; 13] = [
    "-c",
    "--config-env",
    "config",
    "foreach",
    "run",
    "filter-branch",
    "for-each-repo",
    "difftool",
    "mergetool",
    "-x",
    "--exec",
    "--extcmd",
    "--upload-pack",
];

/// Parts of the names of options whose value is run, whatever the program: `sort --compress-program='git push'`.
const RUN_BY_OPTION: [&str; 9] = [
    "command", "program", "exec", "shell", "pager", "editor", "eval", "rsh", "action",
];

/// How many words of a wrapper may begin its command: `env a b c ...` has as many readings as words, each of which is judged.
const MAX_STARTS: usize = 64;
/// How deep lines in words of lines are read, as in `sh -c "sh -c '...'"`; what is deeper is asked about.
const MAX_DEPTH: usize = 4;

/// How commands begin that rules should not allow with a star behind, and by what they run any program.
const OPEN_RULES: &[(&str, &str)] = &[
    ("awk", "`system()`"),
    ("bash", "any script"),
    ("docker", "any container"),
    ("env", "any command"),
    ("find", "`-exec`"),
    ("git -c", "any setting"),
    ("git bisect", "`run`"),
    ("git diff", "`--ext-diff` and `--output`"),
    ("git grep", "`--open-files-in-pager`"),
    ("git log", "`--ext-diff` and `--output`"),
    ("git rebase", "`--exec`"),
    ("git show", "`--ext-diff` and `--output`"),
    ("git", "`-c` and aliases"),
    ("make", "any rule of any file (`-f`)"),
    ("node", "`-e`"),
    ("npm", "scripts"),
    ("npx", "any package"),
    ("perl", "`-e`"),
    ("python", "`-c`"),
    ("python3", "`-c`"),
    ("rsync", "`-e`"),
    ("ruby", "`-e`"),
    ("sed", "the command `e`"),
    ("rg", "`--pre`"),
    ("sh", "any script"),
    ("sort", "`--compress-program`"),
    ("ssh", "any command"),
    ("sudo", "any command"),
    ("tar", "`--to-command`"),
    ("timeout", "any command"),
    ("vim", "`-c`"),
    ("xargs", "any command"),
];

/// What a rule lets run beyond its own program, if it does.
pub(super) fn opened_by(rule: &Rule) -> Option<&'static str> {
    let begins = rule.pattern.strip_suffix('*')?;
    if rule.action != Permission::Allow || begins.is_empty() {
        return None;
    }
    let begins = begins.trim_end();
    let open = OPEN_RULES.iter().find(|(command, _)| *command == begins);
    open.map(|(_, by)| *by)
}

/// The commands that a line runs.
#[derive(Debug)]
pub(super) struct RunCommands {
    /// Those that show, and readings of their words as commands.
    pub(super) shown: Vec<SimpleCommand>,
    /// Whether there can be no others.
    pub(super) is_all: bool,
}

impl RunCommands {
    /// Finds what a line runs.
    pub(super) fn of(line: &CommandLine) -> Self {
        let mut run = Self {
            shown: Vec::new(),
            is_all: true,
        };
        run.add_line(line, MAX_DEPTH);
        run
    }

    fn add_line(&mut self, line: &CommandLine, depth: usize) {
        self.is_all &= line.is_plain && depth > 0;
        for command in &line.commands {
            self.add_command(command, depth);
        }
    }

    fn add_command(&mut self, command: &SimpleCommand, depth: usize) {
        let runs_words =
            command.first().is_some_and(|program| runs_others(program)) || is_open_git(command);
        self.is_all &= !hides(command) && is_all_known(command);
        self.shown.push(command.clone());
        for start in (1..command.len()).filter(|_| runs_words) {
            if start == MAX_STARTS {
                self.is_all = false;
                break;
            }
            let inner = command.get(start..).unwrap_or_default().to_vec();
            // In `find . -name x`, the `.` is a folder.
            let is_folder = inner.first().is_some_and(|word| word == ".");
            self.is_all &= is_folder || !hides(&inner);
            self.shown.push(inner);
        }
        for word in command {
            let is_line = runs_words && word.contains(' ');
            let option = word
                .strip_prefix("--")
                .and_then(|word| word.split_once('='));
            let run =
                option.filter(|(name, _)| RUN_BY_OPTION.iter().any(|part| name.contains(part)));
            // What is attached to a short option is not told from it: `script -c'git push'`.
            self.is_all &= !is_line || !word.starts_with('-') || option.is_some();
            let line = if is_line { Some(word.as_str()) } else { None };
            for line in line.into_iter().chain(run.map(|(_, value)| value)) {
                if depth == 0 {
                    self.is_all = false;
                } else {
                    self.add_line(&CommandLine::read(line), depth - 1);
                }
            }
        }
    }
}

/// Tells whether a program runs others, by its name.
pub(super) fn runs_others(program: &str) -> bool {
    [WRAPPERS, FILE_RUNNERS, INTERPRETERS]
        .into_iter()
        .any(|table| is_in(table, program))
}

/// Tells whether a program is in a table; of versions, as in `python3.12` and `/lib/ld-linux-x86-64.so.2`, there is the name.
fn is_in(table: &str, program: &str) -> bool {
    let name = base_name(program);
    let bare =
        name.trim_end_matches(|char: char| char.is_ascii_digit() || matches!(char, '.' | '-'));
    let bare = if bare.starts_with("ld-") { "ld" } else { bare };
    table
        .split_whitespace()
        .any(|known| known == name || known == bare)
}

/// Returns a program without the folders that it is in.
pub(super) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Tells whether a command runs what its words do not show.
fn hides(command: &[String]) -> bool {
    let Some((program, words)) = command.split_first() else {
        return false;
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if is_in(INTERPRETERS, program) {
        return !(base_name(program) == "sed" && only_prints(&words));
    }
    is_in(FILE_RUNNERS, program) && !has_file(&words) || is_open_git(command)
}

/// Tells whether what its words expand to has no say: `echo $?`.
fn is_all_known(command: &[String]) -> bool {
    let prints = command
        .first()
        .is_some_and(|program| matches!(program.as_str(), "echo" | "exit"));
    prints || !command.iter().any(|word| word.contains(UNKNOWN))
}

/// Tells whether a file is the first word, or a module of Python's (`-m pytest`), or nothing is run.
fn has_file(words: &[&str]) -> bool {
    match words {
        ["--version" | "--help"] => true,
        ["-m", module, ..] => is_script(module),
        [first, ..] => is_script(first),
        [] => false,
    }
}

fn is_script(word: &str) -> bool {
    let is_input = ["/dev/", "/proc/"]
        .iter()
        .any(|input| word.starts_with(input));
    !word.is_empty() && !is_input && !word.starts_with(['-', '+'])
}

/// Tells whether sed does no more than print lines by their numbers: `sed -n '1,5p' x`.
fn only_prints(words: &[&str]) -> bool {
    match words {
        ["-n", script, files @ ..] => {
            script
                .chars()
                .all(|char| char.is_ascii_digit() || ",;$p ".contains(char))
                && !files.iter().any(|file| file.starts_with('-'))
        }
        _ => false,
    }
}

/// Tells whether git is used with one of [`GIT_RUNS`].
fn is_open_git(command: &[String]) -> bool {
    let Some((program, words)) = command.split_first() else {
        return false;
    };
    base_name(program) == "git" && words.iter().any(makes_git_run)
}

fn makes_git_run(word: &String) -> bool {
    GIT_RUNS.iter().any(|run| match run.strip_prefix('-') {
        Some(_) if *run != "-c" => word.starts_with(run),
        Some(_) | None => word == run,
    })
}

/// Returns a command without options between its program and its first other word, with and
/// without a value for each: `git -C x push` is `git push` too.
pub(super) fn without_options(command: &[String]) -> Vec<SimpleCommand> {
    let Some((program, words)) = command.split_first() else {
        return Vec::new();
    };
    let mut starts = vec![0];
    let mut at = 0;
    while let Some(start) = starts.get(at).copied() {
        at += 1;
        let is_option = words
            .get(start)
            .is_some_and(|word| word.starts_with(['-', '\u{fffe}']));
        for next in [start + 1, start + 2] {
            if is_option && next <= words.len() && next < MAX_STARTS && !starts.contains(&next) {
                starts.push(next);
            }
        }
    }
    starts
        .into_iter()
        .map(|start| {
            std::iter::once(base_name(program).to_owned())
                .chain(words.get(start..).unwrap_or_default().to_vec())
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_run_anything_are_told() {
        let check = |pattern: &str, expected: bool| {
            let rule = Rule {
                tool: "bash".to_owned(),
                pattern: pattern.to_owned(),
                action: Permission::Allow,
            };
            assert_eq!(opened_by(&rule).is_some(), expected, "{pattern}");
        };
        for pattern in ["find *", "find*", "tar *", "git log*", "git *", "env *"] {
            check(pattern, true);
        }
        for pattern in [
            "cargo test *",
            "find . -name x",
            "git status*",
            "*",
            "findings *",
        ] {
            check(pattern, false);
        }
    }
}
