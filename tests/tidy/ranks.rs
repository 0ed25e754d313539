//! The rooms of each crate in the order of its `lib.rs`: each uses only those above it.

use crate::lexer::is_word;
use crate::sources::{Complaints, Rust, below, finds, line_of, read};

const CRATES: [&str; 14] = [
    "source",
    "core",
    "context",
    "sandbox",
    "checks",
    "draw",
    "review",
    "providers",
    "llm",
    "mcp",
    "setup",
    "tui",
    "protocols",
    "cli",
];

fn sources(krate: &str) -> String {
    format!("crates/{krate}/src/")
}

/// Returns the modules that a file declares, in its order.
fn declared(file: &Rust) -> Vec<String> {
    let lines = file
        .product
        .lines()
        .filter_map(|line| line.trim().strip_suffix(';'));
    lines
        .filter_map(|line| line.strip_prefix("pub mod ").or(line.strip_prefix("mod ")))
        .map(str::to_owned)
        .collect()
}

/// Returns the names in the table of rooms at the top of a file, if it has one.
fn toured(file: &Rust) -> Vec<String> {
    if !file.text.contains("//! | room |") {
        return Vec::new();
    }
    let name = |line: &str| {
        let row = line.strip_prefix("//! | ")?.trim_start_matches('[');
        Some(row.strip_prefix('`')?.split_once('`')?.0.to_owned())
    };
    file.text.lines().filter_map(name).collect()
}

/// Returns the rooms, lowest first. A room whose file tours rooms of its own is a group, and they follow it as `group/room`.
fn rooms(krate: &str, files: &[&Rust]) -> Vec<String> {
    let lib = files.iter().find(|file| file.module() == "lib").unwrap();
    let mut rooms = Vec::new();
    for room in declared(lib) {
        rooms.push(room.clone());
        let Some(file) = files.iter().find(|file| file.module() == room) else {
            continue;
        };
        if !toured(file).is_empty() {
            let inner = declared(file).into_iter();
            rooms.extend(inner.map(|inner| format!("{room}/{inner}")));
        }
    }
    assert!(rooms.len() > 1, "{krate}: lib.rs lists no rooms");
    rooms
}

/// Returns the rank of the innermost room of a path such as `edit/plan/section`.
fn rank(rooms: &[String], path: &str) -> Option<usize> {
    let is_within = |room: &String| {
        let rest = path.strip_prefix(room.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    rooms.iter().rposition(is_within)
}

#[test]
fn a_room_uses_only_rooms_above_it() {
    let mut complaints = Complaints::default();
    for krate in CRATES {
        let files = below(&sources(krate));
        let rooms = rooms(krate, &files);
        let roots = ["lib", "main"];
        for file in files.iter().filter(|file| !roots.contains(&file.module())) {
            let own = file.module();
            let Some(own_rank) = rank(&rooms, own) else {
                let what = format!("`{own}` is no room of lib.rs; list it there");
                complaints.add(&file.path, 1, what);
                continue;
            };
            for (at, used) in used(file) {
                if rank(&rooms, &used).is_some_and(|used| used > own_rank) {
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
        assert_eq!(
            toured(lib),
            declared(lib),
            "the table at the top of {krate}'s lib.rs is not its list of modules"
        );
        for file in files.iter().filter(|file| !toured(file).is_empty()) {
            assert_eq!(
                toured(file),
                declared(file),
                "the table at the top of {} is not its list of modules",
                file.path
            );
        }
    }
}

#[test]
fn the_map_has_every_crate() {
    let map = read("docs/architecture.md");
    for krate in CRATES {
        let heading = format!("\n### `crates/{krate}`: ");
        assert!(
            map.contains(&heading),
            "docs/architecture.md lacks crates/{krate}"
        );
    }
}

/// Returns the rooms that a file names, and where: `edit/plan` for `crate::edit::plan::section`.
fn used(file: &Rust) -> Vec<(usize, String)> {
    let code = &file.product;
    let mut used = Vec::new();
    for at in finds(code, "crate::") {
        let paths = paths(&code[at + "crate::".len()..], 2);
        used.extend(paths.into_iter().map(|path| (at, path)));
    }
    // As many `super::` as there are folders lead to the root of the crate, one less to the room that the file is in.
    let depth = file.module().matches('/').count() + 1;
    let outer = file.module().split('/').next().unwrap();
    for (climbed, prefix) in [(depth, None), (depth - 1, Some(outer))] {
        if climbed == 0 {
            continue;
        }
        let climb = "super::".repeat(climbed);
        for at in finds(code, &climb) {
            let before = code[..at].ends_with("super::");
            let rest = &code[at + climb.len()..];
            if before || rest.starts_with("super::") {
                continue;
            }
            let named = paths(rest, 2).into_iter().map(|path| match prefix {
                Some(prefix) => format!("{prefix}/{path}"),
                None => path,
            });
            used.extend(named.map(|path| (at, path)));
        }
    }
    used
}

/// Returns the first names of a path, at most so many deep: of `edit::{diff::line, plan::Plan}` two deep they are
/// `edit/diff` and `edit/plan`.
fn paths(path: &str, most: usize) -> Vec<String> {
    let list = match path.strip_prefix('{') {
        None => vec![path],
        Some(inside) => outermost(inside),
    };
    let mut paths_of_all = Vec::new();
    for part in list {
        let part = part.trim_start();
        let end = part
            .bytes()
            .position(|byte| !is_word(byte))
            .unwrap_or(part.len());
        let (first, rest) = part.split_at(end);
        match rest.strip_prefix("::") {
            Some(rest) if most > 1 => {
                let inner = paths(rest, most - 1).into_iter();
                paths_of_all.extend(inner.map(|inner| format!("{first}/{inner}")));
            }
            _ => paths_of_all.push(first.to_owned()),
        }
    }
    paths_of_all
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
        assert_eq!(paths(path, 2), expected, "{path}");
    };
    check("text::Source;", &["text/Source"]);
    check("{id::{A, B}, text};", &["id/A", "id/B", "text"]);
    check(
        "edit::{diff::line::DiffLine, plan};",
        &["edit/diff", "edit/plan"],
    );
    let file = |code: &str| Rust {
        path: format!("{}edit/plan/section.rs", sources("core")),
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
        used(
            "use super::modified; use super::super::super::engine::Engine; use super::super::diff::line;"
        ),
        ["engine/Engine", "edit/diff/line"]
    );
    assert_eq!(
        used("pub(crate) fn f(x: crate::id::Timestamp) {}"),
        ["id/Timestamp"]
    );
    let rooms = ["edit", "edit/diff", "edit/plan", "editor"].map(str::to_owned);
    let ranks =
        ["edit/plan/section", "edit/names", "editor/x", "plan"].map(|path| rank(&rooms, path));
    assert_eq!(ranks, [Some(2), Some(0), Some(3), None]);
}
