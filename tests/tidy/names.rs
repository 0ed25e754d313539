//! Names of types, and closures in the place of functions: numbers for each crate that only go down.

use std::collections::BTreeMap;

use crate::lexer;
use crate::sources::{Complaints, Rust, below, line_of};

/// Types that share their name with another type of their crate, tests not counted. Those that `arguments!` makes are the
/// exception: a tool has its own `Arguments`, declared within the macro's braces, where [`lexer::declared_types`] sees none.
const SHARED_NAMES: [(&str, usize); 14] = [
    ("checks", 0),
    ("cli", 0),
    ("context", 0),
    ("core", 0),
    ("draw", 0),
    ("llm", 0),
    ("mcp", 0),
    ("protocols", 0),
    ("providers", 0),
    ("review", 0),
    ("sandbox", 0),
    ("setup", 0),
    ("source", 0),
    ("tui", 4),
];

/// Closures that one function may bind with `let`; more of them are functions without a name that others find.
const MOST_CLOSURES: usize = 2;

/// Functions that bind more closures than [`MOST_CLOSURES`], tests not counted.
const MANY_CLOSURES: [(&str, usize); 14] = [
    ("checks", 0),
    ("cli", 0),
    ("context", 0),
    ("core", 0),
    ("draw", 0),
    ("llm", 0),
    ("mcp", 0),
    ("protocols", 0),
    ("providers", 0),
    ("review", 1),
    ("sandbox", 0),
    ("setup", 0),
    ("source", 0),
    ("tui", 1),
];

/// What a rule counts: the file, the byte and the name.
type Offence<'a> = (&'a Rust, usize, String);

/// Compares what is found in each crate with the number that a table has for it.
fn settle(
    table: &str,
    listed: &[(&str, usize)],
    what: &str,
    find: fn(&str) -> Vec<Offence<'static>>,
) {
    let mut complaints = Complaints::default();
    for (krate, listed) in listed {
        let found = find(krate);
        let count = found.len();
        if count > *listed {
            for (file, at, name) in &found {
                complaints.add(
                    &file.path,
                    line_of(&file.product, *at),
                    format!("`{name}`: {what}"),
                );
            }
            let sum = format!("{count} of these in crates/{krate}, more than {listed}");
            complaints.add("tests/tidy/names.rs", 1, sum);
        }
        if count < *listed {
            let sum = format!("crates/{krate} has {count} now: lower its number in {table}");
            complaints.add("tests/tidy/names.rs", 1, sum);
        }
    }
    complaints.settle();
}

/// A reader who looks for `Found` must not find nine of them.
#[test]
fn types_have_names_of_their_own() {
    let what =
        "another type of the crate has this name: name one by what it is, like `LocateOutcome`";
    settle("SHARED_NAMES", &SHARED_NAMES, what, shared_names);
}

#[test]
fn functions_have_names() {
    let what = "it binds more than two closures: make functions of them, or write them where they are used once";
    settle("MANY_CLOSURES", &MANY_CLOSURES, what, many_closures);
}

fn shared_names(krate: &str) -> Vec<Offence<'static>> {
    let mut by_name: BTreeMap<&str, Vec<&Rust>> = BTreeMap::new();
    for file in below(&format!("crates/{krate}/src/")) {
        for name in lexer::declared_types(&file.product) {
            by_name.entry(name).or_default().push(file);
        }
    }
    let shared = by_name.into_iter().filter(|(_, files)| files.len() > 1);
    shared
        .flat_map(|(name, files)| files.into_iter().map(move |file| offence(file, name)))
        .collect()
}

fn offence(file: &'static Rust, name: &str) -> Offence<'static> {
    let declares = |keyword: &str| {
        let declaration = format!("{keyword} {name}");
        file.product.find(&declaration)
    };
    let at = ["struct", "enum", "trait", "type", "union"]
        .into_iter()
        .find_map(declares);
    (file, at.unwrap_or_default(), name.to_owned())
}

fn many_closures(krate: &str) -> Vec<Offence<'static>> {
    let files = below(&format!("crates/{krate}/src/")).into_iter();
    let all = files.flat_map(|file| {
        lexer::functions(&file.product)
            .into_iter()
            .map(move |found| (file, found))
    });
    let many = all.filter(|(_, function)| function.closures > MOST_CLOSURES);
    many.map(|(file, function)| (file, function.at, function.name.to_owned()))
        .collect()
}
