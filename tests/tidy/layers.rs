//! Which crate depends on which, and what each of them never does.

use crate::sources::{self, Complaints, Rust, below, finds, read};

/// Returns the names in the `[dependencies]` of a crate.
fn dependencies(krate: &str) -> Vec<String> {
    let manifest: toml::Table = read(&format!("crates/{krate}/Cargo.toml")).parse().unwrap();
    let names = manifest["dependencies"].as_table().unwrap().keys().cloned();
    names.collect()
}

fn in_manifest(krate: &str, forbidden: &[&str], why: &str, complaints: &mut Complaints) {
    for name in dependencies(krate) {
        if forbidden.contains(&name.as_str()) {
            complaints.add(
                &format!("crates/{krate}/Cargo.toml"),
                1,
                format!("`{name}`: {why}"),
            );
        }
    }
}

/// Complains about words in a crate's product code, in the files that `concerns` picks.
fn in_code(
    krate: &str,
    concerns: impl Fn(&Rust) -> bool,
    words: &[&str],
    why: &str,
    complaints: &mut Complaints,
) {
    let files = below(&format!("crates/{krate}/src/"));
    for file in files.iter().filter(|file| concerns(file)) {
        file.forbid(&file.product, words, why, complaints);
    }
}

fn is_room(file: &Rust, rooms: &[&str]) -> bool {
    let first = file.module().split('/').next().unwrap_or_default();
    rooms.contains(&first)
}

/// What each crate may use of the others; the compiler refuses the rest.
const DEPENDENCIES: [(&str, &[&str]); 14] = [
    ("source", &[]),
    ("core", &["source"]),
    ("context", &["source"]),
    ("draw", &["source"]),
    ("sandbox", &["source"]),
    ("checks", &["sandbox", "source"]),
    ("review", &["checks", "core", "draw"]),
    ("providers", &["source"]),
    ("llm", &["checks", "core", "providers", "sandbox"]),
    ("mcp", &["providers", "sandbox", "source"]),
    (
        "setup",
        &["checks", "context", "core", "draw", "llm", "mcp", "sandbox"],
    ),
    (
        "tui",
        &["checks", "core", "draw", "llm", "review", "sandbox"],
    ),
    (
        "protocols",
        &[
            "checks", "context", "core", "draw", "llm", "sandbox", "setup", "tui",
        ],
    ),
    (
        "cli",
        &[
            "checks",
            "context",
            "core",
            "draw",
            "llm",
            "mcp",
            "protocols",
            "review",
            "sandbox",
            "setup",
            "tui",
        ],
    ),
];

#[test]
fn crates_depend_downwards_only() {
    for (at, (krate, expected)) in DEPENDENCIES.iter().enumerate() {
        let all = dependencies(krate);
        let ours: Vec<_> = all
            .iter()
            .filter_map(|name| name.strip_prefix("signoff-"))
            .collect();
        assert_eq!(ours, *expected, "the dependencies of crates/{krate}");
        let is_above = |name: &&str| DEPENDENCIES[..at].iter().any(|(above, _)| above == name);
        assert!(ours.iter().all(is_above), "crates/{krate} uses one below");
    }
}

#[test]
fn core_reaches_for_nothing_outside() {
    let mut complaints = Complaints::default();
    let runtimes = [
        "tokio",
        "futures-util",
        "reqwest",
        "ratatui",
        "crossterm",
        "signal-hook",
        "etcetera",
        "jiff",
    ];
    let why = "core has no runtime, network, terminal or clock; it belongs in llm, setup or tui";
    in_manifest("core", &runtimes, why, &mut complaints);
    in_manifest("source", &runtimes, why, &mut complaints);
    let words = [
        "tokio",
        "reqwest",
        "ratatui",
        "crossterm",
        "async",
        "await",
        "SystemTime",
        "Instant",
        "std::env",
        "env::var",
        "env::current_dir",
        "process::Command",
        "std::net",
        "thread::spawn",
        "thread::sleep",
    ];
    let why = "core neither waits nor looks around; time, ids and files come in as arguments";
    in_code("core", |_| true, &words, why, &mut complaints);
    in_code("source", |_| true, &words, why, &mut complaints);
    let printed = ["println!", "eprintln!", "print!", "eprint!"];
    for krate in [
        "checks",
        "context",
        "core",
        "draw",
        "llm",
        "mcp",
        "protocols",
        "providers",
        "review",
        "sandbox",
        "setup",
        "source",
        "tui",
    ] {
        let why =
            "only the command line prints, and `setup/out` remarks; return what is to be said";
        let is_elsewhere = |file: &Rust| krate != "setup" || file.module() != "out";
        in_code(krate, is_elsewhere, &printed, why, &mut complaints);
    }
    complaints.settle();
}

#[test]
fn only_the_disk_writes_files() {
    let mut complaints = Complaints::default();
    let words = [
        "fs::write",
        "fs::rename",
        "fs::remove_file",
        "File::create",
        "OpenOptions",
        "fs::copy",
        "openat",
        "renameat",
        "unlinkat",
        "linkat",
        "mkdirat",
    ];
    let why = "files of the workspace are written by workspace/disk.rs, under a transaction";
    // The store has a database and a lock of its own, outside of the workspace.
    let disk = ["disk/workspace/disk", "disk/workspace/disk/folder"];
    let elsewhere =
        |file: &Rust| !disk.contains(&file.module()) && !file.module().starts_with("record/store");
    in_code("core", elsewhere, &words, why, &mut complaints);
    in_code("source", |_| true, &words, why, &mut complaints);
    let why = "tools stage; they never write";
    // Conversations are files of their own, outside of the workspace.
    let elsewhere = |file: &Rust| !is_room(file, &["memory"]);
    in_code("llm", elsewhere, &words, why, &mut complaints);
    in_code("providers", |_| true, &words, why, &mut complaints);
    let why = "the index is pure; `disk` reads the workspace and writes in a folder of its own";
    let elsewhere = |file: &Rust| !is_room(file, &["disk"]);
    let started = ["process::Command"];
    in_code("context", elsewhere, &words, why, &mut complaints);
    in_code(
        "context",
        |_| true,
        &started,
        "git's output comes in as text",
        &mut complaints,
    );
    let why = "only the programs that it runs change files";
    // What git reads in place of a repository's folder is a temporary folder of its own, and a commit is the user's word; a
    // shadow writes its layers, and ignored files where the user wants them; private files are signoff's own.
    let rooms = [
        "shadow",
        "git_view",
        "git_write",
        "waiting_commits",
        "private_file",
    ];
    let elsewhere = |file: &Rust| !is_room(file, &rooms);
    in_code("sandbox", elsewhere, &words, why, &mut complaints);
    complaints.settle();
}

/// Git reads what a stranger wrote: its settings, its links, its pipes. One room knows how to keep it from that.
#[test]
fn git_is_started_in_one_place() {
    let mut complaints = Complaints::default();
    // Names that are no programs, or that are only looked for.
    let named = [
        (
            "crates/source/src/path/git_folder.rs",
            "a spelling of the folder",
        ),
        (
            "crates/llm/src/permission/runners.rs",
            "a word of a command line",
        ),
        (
            "crates/cli/src/commands/doctor.rs",
            "looked for, not started",
        ),
        (
            "crates/sandbox/src/shadow/defaults.rs",
            "a folder of cargo's",
        ),
    ];
    let starts = ["Command::new", "process::run"];
    let mut seen = 0;
    for file in below("crates/").into_iter().filter(|file| file.is_source()) {
        let in_room = file.path.starts_with("crates/sandbox/src/git_view");
        seen += usize::from(in_room);
        if in_room || file.product.is_empty() {
            continue;
        }
        let is_named = named.iter().any(|(path, _)| file.path == *path);
        let may_start = starts
            .iter()
            .any(|word| !finds(&file.product, word).is_empty());
        for (at, line) in git_programs(file, may_start) {
            if may_start || !is_named {
                let what = format!(
                    "`{line}`: ask `signoff_sandbox::git_view`, which shows git a safe view"
                );
                complaints.add(&file.path, at, what);
            }
        }
    }
    assert!(
        seen > 0,
        "crates/sandbox/src/git_view is gone: change tests/tidy/layers.rs with it"
    );
    complaints.settle();
}

/// Returns the lines of product code with a literal that names git as a program, alone or with a path; with
/// `lines` also at the beginning of a command line.
fn git_programs(file: &Rust, lines: bool) -> Vec<(usize, String)> {
    let is_program = |literal: &str| {
        let (word, rest) = literal.split_once(' ').unwrap_or((literal, ""));
        let name = word.rsplit('/').next().unwrap_or_default();
        matches!(name, "git" | "git.exe") && (lines || rest.is_empty())
    };
    let lines = file.text.lines().zip(file.product.lines()).enumerate();
    let found = lines.filter(|(_, (text, product))| {
        // Comments, literals and tests are blanked in the product.
        let code = !product.trim().is_empty();
        code && text.split('"').skip(1).step_by(2).any(is_program)
    });
    found
        .map(|(at, (text, _))| (at + 1, text.trim().to_owned()))
        .collect()
}

#[test]
fn the_conversation_and_its_setup_draw_nothing() {
    let mut complaints = Complaints::default();
    let words = ["ratatui", "crossterm"];
    let why = "the conversation knows no screen; send an Event";
    for krate in ["llm", "setup", "protocols"] {
        in_manifest(krate, &words, why, &mut complaints);
        in_code(krate, |_| true, &words, why, &mut complaints);
    }
    complaints.settle();
}

#[test]
fn the_conversation_does_no_io() {
    let mut complaints = Complaints::default();
    let words = [
        "async",
        "await",
        "tokio",
        "reqwest",
        "std::fs",
        "std::net",
        "std::env",
        "Instant",
        "SystemTime",
        "thread::spawn",
        "Mutex",
    ];
    let rooms = ["session", "gate", "notice", "transcript", "partial_json"];
    let why = "this room is fed inputs and polled for effects; the driver does the rest";
    in_code(
        "llm",
        |file| is_room(file, &rooms),
        &words,
        why,
        &mut complaints,
    );
    in_code(
        "providers",
        |file| is_room(file, &["message"]),
        &words,
        why,
        &mut complaints,
    );
    complaints.settle();
}

#[test]
fn one_door_to_the_network_and_one_select() {
    let mut complaints = Complaints::default();
    let http = |file: &Rust| {
        let module = file.module();
        ["provider/http", "web", "web_address"]
            .iter()
            .any(|own| module == *own || module.starts_with(&format!("{own}/")))
    };
    let sockets = [
        "reqwest",
        "std::net",
        "tokio::net",
        "TcpStream",
        "UdpSocket",
    ];
    let why = "only provider/http, web and web_address open a socket";
    for krate in ["llm", "providers"] {
        in_code(krate, |file| !http(file), &sockets, why, &mut complaints);
    }
    // Their socket is a file.
    let in_files = |file: &Rust| ["mcp/bridge", "mcp/relay"].contains(&file.module());
    for krate in ["setup", "tui", "protocols", "cli"] {
        let is_elsewhere = |file: &Rust| krate != "protocols" || !in_files(file);
        in_code(krate, is_elsewhere, &sockets, why, &mut complaints);
    }
    let why = "the loop of the conversation is in driver.rs, and there is one";
    in_code(
        "llm",
        |file| file.module() != "driver",
        &["select!"],
        why,
        &mut complaints,
    );
    for krate in ["providers", "setup", "tui", "protocols", "cli"] {
        in_code(krate, |_| true, &["select!"], why, &mut complaints);
    }
    complaints.settle();
}

#[test]
fn panes_touch_nothing_but_the_screen() {
    let mut complaints = Complaints::default();
    let terminal = [
        "enable_raw_mode",
        "disable_raw_mode",
        "EnterAlternateScreen",
        "LeaveAlternateScreen",
        "EnableBracketedPaste",
        "PushKeyboardEnhancementFlags",
        "EnableMouseCapture",
    ];
    let why = "terminal.rs takes the terminal and gives it back on every way out";
    for krate in ["tui", "cli"] {
        let is_elsewhere = |file: &Rust| file.path != "crates/tui/src/terminal.rs";
        in_code(krate, is_elsewhere, &terminal, why, &mut complaints);
    }
    let panes = ["app", "composer", "header", "transcript", "view"];
    let words = [
        "std::fs",
        "fs::read",
        "File",
        "std::env",
        "std::thread",
        "mpsc",
        "SystemTime",
        "Instant",
        "tokio",
        "Engine",
        "process::Command",
    ];
    let why = "a pane is plain state: messages in, rows and commands out";
    let header = |file: &Rust| file.module() == "header";
    in_code(
        "tui",
        |file| is_room(file, &panes) && !header(file),
        &words,
        why,
        &mut complaints,
    );
    for krate in ["draw", "review"] {
        in_code(krate, |_| true, &words, why, &mut complaints);
    }
    let cells = ["std::cell", "RefCell", "OnceCell", "Mutex", "RwLock"];
    let why = "drawing changes nothing: lay out in `App::lay_out`, before the frame is drawn";
    let concerns = |file: &Rust| is_room(file, &panes);
    in_code("tui", concerns, &cells, why, &mut complaints);
    for krate in ["draw", "review"] {
        in_code(krate, |_| true, &cells, why, &mut complaints);
    }
    let view = |file: &Rust| is_room(file, &["view"]);
    in_code("tui", view, &["&mut App"], why, &mut complaints);
    let why = "only run.rs holds the channels of the interface";
    in_code(
        "tui",
        // Files are looked for on threads of their own.
        |file| !is_room(file, &["run", "file_finder"]),
        &["std::sync::mpsc"],
        why,
        &mut complaints,
    );
    complaints.settle();
}

/// The rules above name files; a renamed file must not slip out of them.
#[test]
fn the_files_that_rules_name_exist() {
    let all = sources::all();
    for named in [
        "crates/core/src/disk/workspace/disk.rs",
        "crates/llm/src/driver.rs",
        "crates/llm/src/gate.rs",
        "crates/llm/src/notice.rs",
        "crates/llm/src/partial_json.rs",
        "crates/llm/src/session.rs",
        "crates/llm/src/transcript.rs",
        "crates/providers/src/message.rs",
        "crates/providers/src/provider/http.rs",
        "crates/providers/src/web_address.rs",
        "crates/tui/src/run.rs",
        "crates/tui/src/terminal.rs",
    ] {
        assert!(
            all.iter().any(|path| path == named),
            "{named} is gone: change tests/tidy/layers.rs with it"
        );
    }
}
