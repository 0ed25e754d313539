//! Programs that run others: by the words behind them, by lines that they read, or by code.

use super::super::word::{SimpleCommand, Word};

/// How a program runs others. A program may do so in several ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Runs the words that begin at any of its words: `timeout 5 git push`.
    Words,
    /// Runs words, and adds its input to them: `xargs git`.
    Fed,
    /// Reads a word as a command line: `su -c 'git push'`.
    Lines,
    /// Reads command lines from its input unless it is given a file or a line.
    Shell,
    /// Runs a shell, on its input, where it has no more operands than these and is given no line.
    ShellUpTo(usize),
    /// Runs a shell, on its input, if an option says so: `sudo -s`.
    ShellIfAsked,
    /// Reads command lines from its input whatever its words are.
    Input,
    /// Reads known words that hold a blank, and values of options, as command lines: `tar -I 'git push'`.
    Given,
    /// Runs the words behind some of its options: `find . -exec git push`.
    Exec,
    /// Reads a file of commands: `source`.
    Source,
    /// Runs code that it is given by an option with one of these letters, or by its input.
    Code(&'static str),
    /// Runs its words as code.
    Coded,
    /// Runs commands that a script in its words may hold.
    Awk,
    /// Likewise.
    Sed,
    /// Runs what settings and some subcommands name.
    Git,
}

use Way::{
    Awk, Code, Coded, Exec, Fed, Git, Given, Input, Lines, Sed, Shell, ShellIfAsked, ShellUpTo,
    Source, Words,
};

/// Programs by the ways in which they run others; of versions, as in `python3.12`, there is the name.
const TABLE: &[(Way, &[&str])] = &[
    (
        Words,
        &[
            "abduco",
            "ld",
            "linux",
            "parallel",
            "sem",
            "arch",
            "asdf",
            "aws-vault",
            "bundle",
            "builtin",
            "busybox",
            "bwrap",
            "caffeinate",
            "catchsegv",
            "cgexec",
            "choom",
            "chpst",
            "chroot",
            "chrt",
            "chronic",
            "command",
            "conda",
            "coproc",
            "corepack",
            "cpulimit",
            "daemonize",
            "dbus-launch",
            "dbus-run-session",
            "direnv",
            "distrobox",
            "doas",
            "docker",
            "dotenv",
            "dtach",
            "eatmydata",
            "entr",
            "env",
            "exec",
            "fakechroot",
            "fakeroot",
            "faketime",
            "firejail",
            "flatpak",
            "flock",
            "gdb",
            "gtimeout",
            "heaptrack",
            "hermit",
            "hyperfine",
            "ionice",
            "just",
            "kubectl",
            "ltrace",
            "mamba",
            "mise",
            "mosh",
            "newgrp",
            "nice",
            "nix",
            "nix-shell",
            "nocache",
            "nohup",
            "npm",
            "npx",
            "nsenter",
            "numactl",
            "op",
            "perf",
            "pipenv",
            "pipx",
            "pixi",
            "pkexec",
            "pnpm",
            "podman",
            "poetry",
            "prlimit",
            "proxychains",
            "pdm",
            "rbenv",
            "rlwrap",
            "rr",
            "runcon",
            "runuser",
            "rye",
            "screen",
            "script",
            "setarch",
            "setpriv",
            "setsid",
            "sg",
            "softlimit",
            "sops",
            "ssh",
            "ssh-agent",
            "sshpass",
            "start-stop-daemon",
            "stdbuf",
            "strace",
            "su",
            "sudo",
            "systemd-inhibit",
            "systemd-run",
            "taskset",
            "time",
            "timeout",
            "tmux",
            "toolbox",
            "torsocks",
            "toybox",
            "tsocks",
            "uclampset",
            "unbuffer",
            "unshare",
            "uv",
            "uvx",
            "valgrind",
            "vault",
            "watch",
            "watchexec",
            "winpty",
            "wsl",
            "xvfb-run",
            "yarn",
        ],
    ),
    (Fed, &["parallel", "sem", "xargs"]),
    (Exec, &["fd", "fdfind", "find"]),
    (
        Lines,
        &[
            "alias",
            "ash",
            "bash",
            "bind",
            "compgen",
            "complete",
            "concurrently",
            "csh",
            "dash",
            "elvish",
            "entr",
            "eval",
            "fc",
            "fish",
            "flock",
            "hyperfine",
            "ksh",
            "mksh",
            "nix-shell",
            "nodemon",
            "nu",
            "oksh",
            "parallel",
            "pwsh",
            "rbash",
            "runuser",
            "screen",
            "script",
            "sem",
            "sg",
            "sh",
            "ssh",
            "su",
            "tcsh",
            "tmux",
            "trap",
            "watch",
            "watchexec",
            "xonsh",
            "yash",
            "zsh",
        ],
    ),
    (
        Shell,
        &[
            "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "oksh", "pwsh",
            "rbash", "sh", "tcsh", "xonsh", "yash", "zsh",
        ],
    ),
    (
        Given,
        &[
            "bsdtar", "cpio", "gtar", "man", "nix", "npm", "npx", "pnpm", "rg", "rsync", "scp",
            "sftp", "tar", "yarn", "zip",
        ],
    ),
    (ShellUpTo(0), &["nsenter", "unshare"]),
    (ShellUpTo(1), &["chroot", "sg", "ssh"]),
    (
        ShellUpTo(usize::MAX),
        &["newgrp", "nix-shell", "script", "su"],
    ),
    (ShellIfAsked, &["doas", "sudo"]),
    (Input, &["at", "batch", "ed"]),
    (Source, &[".", "source", "crontab"]),
    (
        Code("c"),
        &[
            "python", "pypy", "ipython", "guile", "tclsh", "wish", "expect",
        ],
    ),
    (Code("eE"), &["perl", "julia", "raku"]),
    (
        Code("e"),
        &[
            "ruby",
            "jruby",
            "lua",
            "luajit",
            "R",
            "Rscript",
            "osascript",
            "racket",
            "elixir",
            "iex",
            "erl",
            "groovy",
            "scala",
            "ghc",
            "runghc",
            "ocaml",
            "clojure",
            "clj",
            "bb",
            "sbcl",
            "emacs",
            "jshell",
            "kotlinc",
            "octave",
            "janet",
            "crystal",
        ],
    ),
    (
        Code("ep"),
        &["node", "nodejs", "bun", "deno", "tsx", "ts-node"],
    ),
    (Code("rRBE"), &["php"]),
    (
        Code("cSs+"),
        &["vim", "nvim", "vi", "view", "ex", "gvim", "vimdiff", "kak"],
    ),
    (Code("exoO"), &["gdb", "lldb"]),
    (Code("e"), &["m4", "dc"]),
    (Coded, &["sqlite", "psql", "mysql", "duckdb"]),
    (Awk, &["awk", "gawk", "mawk", "nawk"]),
    (Sed, &["sed", "gsed"]),
    (Git, &["git"]),
];

/// Ends of the names of variables whose value some program runs.
const PROGRAM_VARIABLES: &[&str] = &[
    "ASKPASS",
    "BROWSER",
    "COMMAND",
    "DIFF",
    "EDITOR",
    "LESSCLOSE",
    "LESSOPEN",
    "PAGER",
    "PROXY_CMD",
    "RSH",
    "SHELL",
    "SSH",
    "VISUAL",
    "WRAPPER",
];

/// Returns the ways in which a program runs others.
pub(super) fn ways(program: &Word) -> Vec<Way> {
    let Some(name) = program.base_name().known() else {
        return Vec::new();
    };
    let is = |own: &str| {
        TABLE
            .iter()
            .filter(move |(_, names)| names.contains(&own))
            .map(|(way, _)| *way)
            .collect::<Vec<Way>>()
    };
    let own = is(&name);
    if !own.is_empty() {
        return own;
    }
    // `python3.12`, `ld-linux-x86-64.so.2`, `lua5.4`.
    let version = |char: char| char.is_ascii_digit() || matches!(char, '.' | '-');
    let bare = name.trim_end_matches(version);
    if bare.starts_with("ld-") {
        is("ld")
    } else {
        is(bare)
    }
}

/// Tells whether a command does nothing but run the words behind its program: what begins later is
/// found with those of the command around it.
pub(super) fn is_only_wrapper(command: &SimpleCommand) -> bool {
    let ways = command.first().map(ways).unwrap_or_default();
    ways.iter().all(|way| *way == Words)
        && !command.first().is_some_and(|program| {
            program
                .base_name()
                .known()
                .is_some_and(|name| name == "env")
        })
}

/// Tells whether a program may run the value of a variable of this name.
pub(super) fn names_a_program(variable: &str) -> bool {
    matches!(variable, "ENV" | "BASH_ENV")
        || PROGRAM_VARIABLES.iter().any(|end| variable.ends_with(end))
}
