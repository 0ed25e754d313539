//! House rules of every file.

use std::{fs, iter};

use crate::sources::{self, Complaints, Rust, below, finds, line_of, read, root, rust, tracked};

/// Uses of `unwrap_or_default` outside tests, by crate. A number only goes down.
const DEFAULTS: [(&str, usize); 14] = [
    ("checks", 27),
    ("cli", 14),
    ("context", 34),
    ("core", 150),
    ("draw", 26),
    ("llm", 75),
    ("mcp", 4),
    ("protocols", 0),
    ("providers", 45),
    ("review", 38),
    ("sandbox", 32),
    ("setup", 16),
    ("source", 21),
    ("tui", 40),
];

#[test]
fn every_file_says_what_it_is() {
    let mut complaints = Complaints::default();
    for file in rust() {
        if !file.text.starts_with("//! ") {
            complaints.add(
                &file.path,
                1,
                "begin with `//!`: what this is, what enters, what leaves",
            );
        }
    }
    complaints.settle();
}

/// A merge brings deleted files back without a word, and nothing compiles them.
#[test]
fn every_source_is_reached_by_mod() {
    let mut complaints = Complaints::default();
    let sources: Vec<_> = below("crates/")
        .into_iter()
        .filter(|file| file.path.contains("/src/"))
        .collect();
    assert!(sources.len() > 100, "{} sources", sources.len());
    for file in &sources {
        let (folder, name) = file.path.rsplit_once('/').unwrap();
        let name = name.trim_end_matches(".rs");
        if folder.ends_with("/src") && ["lib", "main"].contains(&name) {
            continue;
        }
        // `a/b.rs` is a module of `a.rs`, or of the crate.
        let around = if folder.ends_with("/src") {
            vec![format!("{folder}/lib.rs"), format!("{folder}/main.rs")]
        } else {
            vec![format!("{folder}.rs"), format!("{folder}/mod.rs")]
        };
        let is_reached = sources
            .iter()
            .filter(|own| around.contains(&own.path))
            .any(|own| {
                let mut lines = own.code.lines();
                lines.any(|line| {
                    line.trim()
                        .trim_end_matches([';', '{', ' '])
                        .ends_with(&format!("mod {name}"))
                })
            });
        if !is_reached {
            complaints.add(
                &file.path,
                1,
                "no `mod` line reaches it: remove it, or name it",
            );
        }
    }
    complaints.settle();
}

/// Maximum size of a tracked file, in bytes: two wheels of 75 MB were once in every clone.
const MAX_TRACKED: u64 = 512 * 1024;

/// Kinds of files that the project makes, by the end of their names. Seeds of the fuzzers have any name.
const KINDS: [&str; 20] = [
    ".gitignore",
    ".go",
    ".java",
    ".js",
    ".json",
    ".jsonl",
    ".lock",
    ".md",
    ".ndjson",
    ".nix",
    ".py",
    ".rb",
    ".rs",
    ".sh",
    ".snap",
    ".sse",
    ".svg",
    ".toml",
    ".txt",
    ".yml",
];

/// Files whose names others prescribe, and programs that are called by their names.
const WITHOUT_KIND: [&str; 11] = [
    ".ci/as-user",
    ".ci/run",
    ".packages/arch/PKGBUILD",
    ".packages/build",
    ".packages/linux/apparmor",
    ".packages/linux/postinst",
    ".packages/linux/prerm",
    ".packages/manifests",
    ".packages/npm/signoff",
    ".packages/sbom",
    "LICENSE",
];

#[test]
fn no_tracked_file_is_large_or_of_a_foreign_kind() {
    let mut complaints = Complaints::default();
    let files = tracked();
    assert!(files.len() > 500, "git lists {} files", files.len());
    for path in files {
        let size = fs::metadata(root().join(&path)).unwrap().len();
        if size > MAX_TRACKED {
            complaints.add(
                &path,
                1,
                format!("has {size} bytes, more than {MAX_TRACKED}"),
            );
        }
        let is_known = KINDS.iter().any(|kind| path.ends_with(kind))
            || path.contains("/fuzz/seeds/")
            || WITHOUT_KIND.contains(&path.as_str());
        if !is_known {
            complaints.add(&path, 1, "is of a kind that the project does not make");
        }
    }
    complaints.settle();
}

/// A default in the place of what cannot be missing hides that it is.
#[test]
fn no_default_hides_what_cannot_happen() {
    let mut complaints = Complaints::default();
    for (name, listed) in DEFAULTS {
        let files = below(&format!("crates/{name}/src/"));
        assert!(!files.is_empty(), "crates/{name} has no sources");
        let uses = |file: &&Rust| finds(&file.product, "unwrap_or_default").len();
        let count: usize = files.iter().map(uses).sum();
        if count > listed {
            let what = format!(
                "{count} uses of `unwrap_or_default` in crates/{name}, more than {listed}: a default is for what may \
                 be missing, like an optional text; what cannot be missing is a `debug_assert!` with an error, and \
                 a range that lies within is a `Slice::slice` in core"
            );
            complaints.add(&format!("crates/{name}/src"), 1, what);
        }
        if count < listed {
            let what = format!(
                "`unwrap_or_default` stands {count} times in crates/{name}: lower its number in DEFAULTS"
            );
            complaints.add("tests/tidy/house.rs", 1, what);
        }
    }
    complaints.settle();
}

/// The one file of the shadow that removes, moves and writes, through descriptors.
const BENEATH: &str = "crates/sandbox/src/shadow/beneath.rs";
/// The file that makes the new root, in a file system in memory that no other process finds.
const NEW_ROOT: &str = "crates/sandbox/src/shadow/new_root.rs";
/// Calls that remove or move what a path leads to.
const REMOVING: [&str; 9] = [
    "remove_file(",
    "remove_dir(",
    "remove_dir_all(",
    "fs::rename(",
    "renameat",
    "unlink",
    "rmdir(",
    "removexattr(",
    "chmod",
];
/// Calls that make or change it.
const MAKING: [&str; 6] = [
    "create_dir",
    "fs::set_permissions(",
    "File::create",
    "mknodat(",
    "symlink(",
    "fs::copy(",
];

/// Another process of the user's may exchange a folder of the layers for a link at any time: signoff once removed the
/// user's documents so.
#[test]
fn layers_are_changed_through_descriptors_alone() {
    let mut complaints = Complaints::default();
    let files = below("crates/sandbox/src/shadow");
    assert!(files.iter().any(|file| file.path == BENEATH));
    for file in files {
        if file.path == BENEATH || file.path.ends_with("/tests.rs") {
            continue;
        }
        let code = crate::lexer::without_tests(&file.code);
        let making = MAKING.iter().filter(|_| file.path != NEW_ROOT);
        for call in REMOVING.iter().chain(making) {
            for at in finds(&code, call) {
                // Those of a tree that is open.
                let before = code[..at].trim_end();
                let is_of_tree = before.ends_with('.') && !before.ends_with("..");
                if !is_of_tree {
                    complaints.add(
                        &file.path,
                        line_of(&code, at),
                        "by a path, which may lead elsewhere by now: use `beneath::Tree`",
                    );
                }
            }
        }
    }
    complaints.settle();
}

#[test]
fn nothing_is_left_for_later() {
    let mut complaints = Complaints::default();
    for file in rust() {
        let words = [
            "todo!",
            "unimplemented!",
            "dbg!",
            "#[ignore",
            "#![allow",
            "#[allow",
        ];
        let why = "finish it; a lint that must not hold is `expect`ed with its reason";
        file.forbid(&file.code, &words, why, &mut complaints);
    }
    complaints.settle();
}

#[test]
fn no_test_waits_on_a_timer() {
    let mut complaints = Complaints::default();
    for file in rust() {
        let code = for_tests(file);
        let words = ["sleep", "park_timeout"];
        let why = "wait for what is to happen: read until it is there, or block on a channel";
        file.forbid(&code, &words, why, &mut complaints);
    }
    complaints.settle();
}

/// Returns the lines that are compiled for tests only; the product may pause before it asks a
/// server again.
fn for_tests(file: &Rust) -> String {
    let product = file.product.lines().chain(iter::repeat(""));
    let lines = file.code.lines().zip(product);
    lines
        .map(|(all, product)| {
            if all == product { "\n" } else { all }
                .trim_end()
                .to_owned()
                + "\n"
        })
        .collect()
}

#[test]
fn nothing_names_a_machine() {
    let homes = [
        concat!("/ro", "ot/"),
        concat!("/ho", "me/"),
        concat!("/Us", "ers/"),
        concat!("/wo", "rk/"),
    ];
    let farms = [concat!("/fa", "rm"), concat!("/tm", "p/")];
    let mut complaints = Complaints::default();
    for path in sources::all() {
        let text = read(&path);
        for word in homes.iter().chain(&farms) {
            for at in text.match_indices(word).map(|(at, _)| at) {
                let before = text[..at].chars().next_back();
                if !before.is_some_and(|c| {
                    c.is_alphanumeric() || matches!(c, '.' | '~' | '_' | '-' | '}')
                }) {
                    let what = format!(
                        "`{word}`: a path of one machine; make it relative or a temporary folder"
                    );
                    complaints.add(&path, line_of(&text, at), what);
                }
            }
        }
    }
    complaints.settle();
}

#[test]
fn packages_come_from_the_usual_place() {
    const USUAL: &str = "registry+https://github.com/rust-lang/crates.io-index";
    let mut complaints = Complaints::default();
    let is_lock = |path: &String| path.ends_with("Cargo.lock");
    for path in sources::all().into_iter().filter(is_lock) {
        for (at, line) in read(&path).lines().enumerate() {
            let source = line
                .strip_prefix("source = ")
                .map(|source| source.trim_matches('"'));
            if source.is_some_and(|source| source != USUAL) {
                complaints.add(&path, at + 1, "a package that not everybody can fetch");
            }
        }
    }
    let hosts = [
        concat!("static.", "crates.io"),
        concat!("index.", "crates.io"),
        concat!("registry.", "npmjs"),
        concat!("pypi.", "org"),
        concat!("proxy.", "golang"),
        concat!("replace", "-with"),
    ];
    // Where users read which hosts an ecosystem has.
    let listed = ["crates/sandbox/src/network/presets.rs", "docs/config.md"];
    for path in sources::all()
        .into_iter()
        .filter(|path| !is_lock(path) && !listed.contains(&path.as_str()))
    {
        let text = read(&path);
        for host in hosts {
            for (at, _) in text.match_indices(host) {
                complaints.add(
                    &path,
                    line_of(&text, at),
                    format!("`{host}`: say nothing about registries"),
                );
            }
        }
    }
    complaints.settle();
}

#[test]
fn pages_that_are_named_exist() {
    let mut complaints = Complaints::default();
    let all = sources::all();
    let readable = [".rs", ".md", ".toml", ".yml", "run"];
    for path in all
        .iter()
        .filter(|path| readable.iter().any(|end| path.ends_with(end)))
    {
        let text = read(path);
        let is_rust = path.ends_with(".rs");
        // In code, a path in a literal may be anything; what a comment names is meant.
        let said = |line: &str| !is_rust || line.trim_start().starts_with("//");
        for (at, line) in text.lines().enumerate().filter(|(_, line)| said(line)) {
            for named in finds(line, "docs/")
                .into_iter()
                .map(|at| path_at(&line[at..]))
            {
                if named.ends_with(".md") && !all.contains(&named) {
                    let what = format!("`{named}` does not exist: write it or name another");
                    complaints.add(path, at + 1, what);
                }
            }
        }
        if path.ends_with(".md") {
            links(path, &text, &mut complaints);
        }
    }
    complaints.settle();
}

/// A row of the threat model without a test is a wish.
#[test]
fn the_threat_model_names_tests_that_exist() {
    let mut complaints = Complaints::default();
    let page = "docs/security.md";
    let all = sources::all();
    let sources = all.iter().filter(|path| path.ends_with(".rs"));
    let sources: Vec<String> = sources.map(|path| read(path)).collect();
    let text = read(page);
    let rows = text.lines().enumerate();
    let rows = rows.filter(|(_, line)| line.starts_with("| ") && line.matches(" | ").count() == 2);
    let mut tests = 0;
    for (at, line) in rows {
        let last = line.rsplit(" | ").next().unwrap_or_default();
        for name in last.split('`').skip(1).step_by(2) {
            // Fuzz targets have short names.
            let is_test = name.contains('_') && name != "command_line";
            let declared = format!("fn {name}(");
            tests += usize::from(is_test);
            if is_test && !sources.iter().any(|source| source.contains(&declared)) {
                complaints.add(page, at + 1, format!("`{name}` is no test: name another"));
            }
        }
    }
    assert!(tests > 30, "{tests} tests are named");
    complaints.settle();
}

/// Complains about links of a page to files that are not there.
fn links(path: &str, text: &str, complaints: &mut Complaints) {
    for (at, _) in text.match_indices("](") {
        let target = text[at + 2..]
            .split([')', '#', ' '])
            .next()
            .unwrap_or_default();
        if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if !root().join(folder).join(target).exists() {
            complaints.add(
                path,
                line_of(text, at),
                format!("the link to `{target}` leads nowhere"),
            );
        }
    }
}

fn path_at(text: &str) -> String {
    let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '.');
    let end = text.find(|c| !is_path(c)).unwrap_or(text.len());
    text[..end].trim_end_matches('.').to_owned()
}

#[test]
fn snapshots_are_accepted_and_belong_to_a_test() {
    let mut complaints = Complaints::default();
    let all = sources::all();
    for path in &all {
        if path.ends_with(".snap.new") || path.ends_with(".pending-snap") {
            complaints.add(path, 1, "accept or reject it");
        }
        if path.ends_with(".snap") {
            let text = read(path);
            let source = text.lines().find_map(|line| line.strip_prefix("source: "));
            if !source.is_some_and(|source| all.iter().any(|path| path == source)) {
                complaints.add(path, 1, "its test is gone: remove it");
            }
        }
    }
    complaints.settle();
}
