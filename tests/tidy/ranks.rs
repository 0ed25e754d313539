//! The rooms of each crate in the order of its `lib.rs`: each uses only those above it.

use crate::lexer::is_word;
use crate::sources::{Complaints, Rust, below, finds, line_of, read};

const CRATES: [&str; 5] = ["core", "context", "verify", "llm", "tui"];

fn sources(krate: &str) -> String {
    format!("crates/{krate}/src/")
}

/// Returns the rooms, lowest first.
fn rooms(krate: &str, files: &[&Rust]) -> Vec<String> {
    let lib = files.iter().find(|file| file.module() == "lib").unwrap();
    let lines = lib
        .product
        .lines()
        .filter_map(|line| line.trim().strip_suffix(';'));
    let rooms: Vec<String> = lines
        .filter_map(|line| line.strip_prefix("pub mod ").or(line.strip_prefix("mod ")))
        .map(str::to_owned)
        .collect();
    assert!(rooms.len() > 5, "{krate}: lib.rs lists no rooms");
    rooms
}

#[test]
fn a_room_uses_only_rooms_above_it() {
    let mut complaints = Complaints::default();
    for krate in CRATES {
        let files = below(&sources(krate));
        let rooms = rooms(krate, &files);
        let rank = |name: &str| rooms.iter().position(|room| room == name);
        let roots = ["lib", "main"];
        for file in files.iter().filter(|file| !roots.contains(&file.module())) {
            let own = file.module().split('/').next().unwrap();
            let Some(own_rank) = rank(own) else {
                let what = format!("`{own}` is no room of lib.rs; list it there");
                complaints.add(&file.path, 1, what);
                continue;
            };
            for (at, used) in used(file) {
                if rank(&used).is_some_and(|used| used > own_rank) {
                    let what = format!(
                        "`{own}` uses `{used}`, which is below it in lib.rs: move the code to `{used}`, or \
                         what it needs to a room above `{own}`"
                    );
                    complaints.add(&file.path, line_of(&file.product, at), what);
                }
            }
        }
    }
    complaints.settle();
}

#[test]
fn the_tour_lists_the_rooms_in_their_order() {
    for krate in CRATES {
        let files = below(&sources(krate));
        let lib = files.iter().find(|file| file.module() == "lib").unwrap();
        let name = |line: &'static str| {
            let row = line.strip_prefix("//! | ")?.trim_start_matches('[');
            Some(row.strip_prefix('`')?.split_once('`')?.0)
        };
        let toured: Vec<&str> = lib.text.lines().filter_map(name).collect();
        assert_eq!(
            toured,
            rooms(krate, &files),
            "the table at the top of {krate}'s lib.rs is not its list of modules"
        );
    }
}

#[test]
fn the_map_has_every_room_in_its_order() {
    let map = read("docs/architecture.md");
    for krate in ["core", "llm", "tui"] {
        let (_, section) = map.split_once(&format!("## crates/{krate}\n")).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let headings = section.lines().filter_map(|line| line.strip_prefix("### "));
        let named = headings.flat_map(|heading| heading.split('`').skip(1).step_by(2));
        assert_eq!(
            named.collect::<Vec<_>>(),
            rooms(krate, &below(&sources(krate))),
            "the headings of crates/{krate} in docs/architecture.md are not the rooms of its lib.rs"
        );
    }
}

/// Returns the rooms that a file names, and where.
fn used(file: &Rust) -> Vec<(usize, String)> {
    let code = &file.product;
    let mut used = Vec::new();
    for at in finds(code, "crate::") {
        used.extend(names(&code[at + "crate::".len()..]).map(|name| (at, name)));
    }
    // As many `super::` as there are folders lead to the root of the crate.
    let depth = file.module().matches('/').count() + 1;
    let climb = "super::".repeat(depth);
    for at in finds(code, &climb) {
        let before = code[..at].ends_with("super::");
        let rest = &code[at + climb.len()..];
        if !before && !rest.starts_with("super::") {
            used.extend(names(rest).map(|name| (at, name)));
        }
    }
    used
}

/// Returns the first names of a path: one, or those between braces.
fn names(path: &str) -> impl Iterator<Item = String> {
    let list = match path.strip_prefix('{') {
        None => vec![path],
        Some(inside) => outermost(inside),
    };
    list.into_iter().map(|part| {
        let part = part.trim_start();
        let end = part
            .bytes()
            .position(|byte| !is_word(byte))
            .unwrap_or(part.len());
        part[..end].to_owned()
    })
}

/// Returns the parts between the commas of a braced list, without those of lists within.
fn outermost(inside: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => {
                parts.push(&inside[start..at]);
                break;
            }
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts
}

#[test]
fn paths_are_read_as_the_compiler_does() {
    let check = |path: &str, expected: &[&str]| {
        assert_eq!(names(path).collect::<Vec<_>>(), expected, "{path}");
    };
    check("text::Source;", &["text"]);
    check("{id::{A, B}, text};", &["id", "text"]);
    let file = |code: &str| Rust {
        path: format!("{}plan/section.rs", sources("core")),
        text: String::new(),
        code: String::new(),
        product: code.to_owned(),
    };
    let used = |code: &str| {
        used(&file(code))
            .into_iter()
            .map(|(_, name)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        used("use super::modified; use super::super::engine::Engine;"),
        ["engine"]
    );
    assert_eq!(used("pub(crate) fn f(x: crate::id::Timestamp) {}"), ["id"]);
}
