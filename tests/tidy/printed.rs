//! Tables of pages that are printed from the sources: settings, options, and shapes of JSON.
//!
//! In: pages with marks that name types. Out: a row for each field, variant or key, made of its doc comment.
//! `UPDATE_PAGES=1 cargo test -p signoff-cli --test tidy printed` writes rows anew that are out of date.
//!
//! ```text
//! <!-- printed: crates/cli/src/args.rs KeysArgs -->      pub struct KeysArgs {
//! | option | is |                                            /// Show the built-in keys.
//! |---|---|                                                  #[arg(long)]
//! | `--default` | show the built-in keys |                   pub default: bool,
//! ```
//!
//! A doc comment that ends with `Stable.` puts `*` behind the name. A table of three columns is of an enum: name, fields,
//! meaning.

use std::fs;
use std::mem::take;

use crate::sources::{Complaints, Rust, read, root, rust, tracked};

#[test]
fn tables_of_pages_are_those_of_the_sources() {
    let mut complaints = Complaints::default();
    for page in tracked().iter().filter(|path| path.ends_with(".md")) {
        let text = read(page);
        let printed = with_tables(&text, &mut complaints);
        if printed != text && std::env::var_os("UPDATE_PAGES").is_some() {
            fs::write(root().join(page), &printed).unwrap();
        } else if printed != text {
            let mut lines = text.lines().zip(printed.lines());
            let at = lines.position(|(there, expected)| there != expected);
            complaints.add(page, at.unwrap_or(0) + 1, "UPDATE_PAGES=1 writes it anew");
        }
    }
    complaints.settle();
}

#[test]
fn a_table_without_a_head_is_none() {
    let mark = "<!-- printed: crates/cli/src/args.rs KeysArgs -->";
    for (below, expected) in [
        ("| option | is |\n|---|---|\n", true),
        ("| `--default` | x |\n| `--json` | y |\n", false),
        ("|---|---|\n", false),
        ("", false),
    ] {
        let (page, mut complaints) = (format!("{mark}\n{below}"), Complaints::default());
        let printed = with_tables(&page, &mut complaints);
        let is_kept = printed == page;
        assert_eq!(
            (complaints.is_empty(), !is_kept),
            (expected, expected),
            "{below}"
        );
    }
}

/// Returns a page with the rows that its marks stand for.
fn with_tables(page: &str, complaints: &mut Complaints) -> String {
    let mut out = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        out += &format!("{line}\n");
        let mark = line.strip_prefix("<!-- printed: ");
        let Some(names) = mark.and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        let head: Vec<&str> = lines.by_ref().take(2).collect();
        out.extend(head.iter().map(|line| format!("{line}\n")));
        if !has_head(&head) {
            complaints.add(
                names,
                1,
                "its table begins with no head, as `| a | b |` and `|---|---|`",
            );
            continue;
        }
        while lines.next_if(|line| line.starts_with('|')).is_some() {}
        for name in names.split(", ") {
            let (path, item) = name.split_once(' ').unwrap();
            let file = rust().iter().find(|file| file.path == path);
            let Some(item) = file.and_then(|file| Item::declared(file, item)) else {
                complaints.add(path, 1, format!("`{item}` is not here"));
                continue;
            };
            for entry in item.entries() {
                if entry.doc.is_empty() || entry.doc.contains("[`") {
                    let why = "wants a doc comment that a page can print";
                    complaints.add(path, 1, format!("`{}` {why}", entry.name));
                }
                out += &entry.row(&item, head[0].matches('|').count() == 4, page);
            }
        }
    }
    out
}

/// Tells whether two lines are the head of a table.
fn has_head(lines: &[&str]) -> bool {
    matches!(lines, [names, rule] if names.starts_with("| ") && rule.starts_with("|---"))
}

/// What has rows.
struct Item {
    file: &'static Rust,
    kind: Kind,
    attributes: String,
    lines: Vec<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Struct,
    Enum,
    /// A function that makes a JSON object, with a comment above each key.
    Function,
    /// A constant with `Field::told("name", ...)`, and a comment above each.
    Table,
}

/// A field, a variant or a key.
struct Entry {
    name: String,
    is_stable: bool,
    doc: String,
    attributes: String,
    /// What stands behind the name: a type, or what a variant holds.
    rest: &'static str,
    fields: Vec<Self>,
}

impl Kind {
    /// Returns what a line declares by this name, if it does.
    fn declared(line: &str, name: &str) -> Option<Self> {
        let words = [
            ("struct ", Self::Struct),
            ("enum ", Self::Enum),
            ("fn ", Self::Function),
            ("const ", Self::Table),
        ];
        let (before, behind) = line.split_once(name)?;
        let word = words.into_iter().find(|(word, _)| before.ends_with(word))?;
        let is_outermost = before.starts_with("pub") || before == word.0;
        let is_whole = behind.starts_with([' ', '<', '(', ':']) && !behind.ends_with(';');
        (is_outermost && is_whole).then_some(word.1)
    }
}

impl Item {
    fn declared(file: &'static Rust, name: &str) -> Option<Self> {
        let lines: Vec<&'static str> = file.text.lines().collect();
        let kinds = lines.iter().map(|line| Kind::declared(line, name));
        let (at, kind) = kinds.enumerate().find_map(|(at, kind)| Some((at, kind?)))?;
        let mut below = lines[at..].iter();
        let end = at + below.position(|line| line.starts_with(['}', ')']))?;
        let above = lines[..at]
            .iter()
            .rev()
            .take_while(|line| line.starts_with("#["));
        Some(Self {
            file,
            kind,
            attributes: above.copied().collect(),
            lines: lines[at + 1..end].iter().map(|line| line.trim()).collect(),
        })
    }

    /// Finds a type that a field of this item has: in its file, its crate, or another.
    fn of_type(&self, name: &str) -> Option<Self> {
        let krate = self.file.path.split("/src/").next().unwrap_or_default();
        let near = [self.file.path.as_str(), krate, "crates/"];
        let files = near.into_iter().flat_map(|near| {
            let files = rust().iter();
            files.filter(move |file| file.path.starts_with(near) && file.is_source())
        });
        let words = [format!("struct {name} "), format!("enum {name} ")];
        files
            .filter(|file| words.iter().any(|word| file.text.contains(word)))
            .find_map(|file| Self::declared(file, name))
            .filter(|item| item.attributes.contains("erialize"))
    }

    /// Returns what it has, as far as others see it.
    fn entries(&self) -> Vec<Entry> {
        let mut all: Vec<Entry> = Vec::new();
        let (mut doc, mut attributes, mut is_within) = (String::new(), String::new(), false);
        for line in &self.lines {
            if let Some(text) = line.strip_prefix("///").or(line.strip_prefix("// ")) {
                doc += &format!("{} ", text.trim());
            } else if line.starts_with("#[") {
                attributes += line;
            } else if line.starts_with('}') {
                is_within = false;
            } else if let Some((name, rest)) = self.named(line) {
                let is_title = self.kind == Kind::Table && all.is_empty() && doc.is_empty();
                let entry = self.entry(
                    (name, rest),
                    &take(&mut doc),
                    take(&mut attributes),
                    is_within,
                );
                match all.last_mut() {
                    _ if is_title => {}
                    Some(variant) if is_within => variant.fields.extend(entry),
                    _ => all.extend(entry),
                }
                is_within |= self.kind == Kind::Enum && rest.ends_with('{');
            }
        }
        all
    }

    /// Returns the name of a field, a variant or a key, and what stands behind it.
    fn named(&self, line: &'static str) -> Option<(&'static str, &'static str)> {
        match self.kind {
            Kind::Function => line.strip_prefix('"')?.split_once("\": "),
            Kind::Table => {
                let call = line.split_once("told(").map(|(_, name)| name);
                let name = call.or(line.starts_with('"').then_some(line))?;
                let name = name.split([',', ')']).next()?.trim_matches('"');
                (!name.is_empty()).then_some((name, ""))
            }
            Kind::Struct | Kind::Enum => {
                let public = line
                    .strip_prefix("pub")
                    .and_then(|rest| rest.split_once(' '));
                let line = public.map_or(line, |(_, rest)| rest);
                let end = line.find(|c: char| !c.is_alphanumeric() && c != '_');
                let (name, rest) = line.split_at(end.unwrap_or(line.len()));
                let rest = rest.trim_start_matches([':', ' ']).trim_end_matches(',');
                (!name.is_empty()).then_some((name, rest))
            }
        }
    }

    /// Returns entries for a name; none for what nobody else reads or is shown, several for what is flattened.
    fn entry(
        &self,
        (name, rest): (&'static str, &'static str),
        doc: &str,
        attributes: String,
        is_within: bool,
    ) -> Vec<Entry> {
        const HIDDEN: [&str; 6] = [
            "(skip)",
            "flatten",
            "untagged",
            "subcommand",
            "hide =",
            "cfg(test)",
        ];
        if HIDDEN.iter().any(|mark| attributes.contains(mark)) {
            let inner = attributes
                .contains("serde(flatten")
                .then(|| self.of_type(rest));
            return inner.flatten().map_or(Vec::new(), |inner| inner.entries());
        }
        let (doc, is_stable) = match doc.trim().strip_suffix(" Stable.") {
            Some(doc) => (doc, true),
            None => (doc.trim(), false),
        };
        vec![Entry {
            name: self.shown_name(name, &attributes, is_within),
            is_stable,
            doc: cell(doc),
            attributes,
            rest,
            fields: Vec::new(),
        }]
    }

    fn is(&self, mark: &str) -> bool {
        self.attributes.contains(mark)
    }

    /// Returns the name in JSON, in a file, or on the command line.
    fn shown_name(&self, name: &str, attributes: &str, is_within: bool) -> String {
        if let Some(renamed) = quoted(attributes, "rename = \"") {
            return renamed.to_owned();
        }
        match self.kind {
            Kind::Enum if self.is("Subcommand") => format!("signoff {}", cased(name, "-")),
            Kind::Enum if is_within => name.to_owned(),
            Kind::Enum if self.is("lowercase") => name.to_lowercase(),
            Kind::Enum if self.is("kebab-case") => cased(name, "-"),
            Kind::Enum => cased(name, "_"),
            Kind::Struct if self.is("Group") || self.is("command(") => option(name, attributes),
            Kind::Struct if self.is("camelCase") => {
                let mut words = name.split('_');
                let first = words.next().unwrap_or_default().to_owned();
                words.fold(first, |out, word| {
                    out + &word[..1].to_uppercase() + &word[1..]
                })
            }
            Kind::Struct | Kind::Function => name.to_owned(),
            Kind::Table => name
                .strip_prefix("REPLACE")
                .map_or(name, |_| "replace_all")
                .to_owned(),
        }
    }
}

impl Entry {
    fn row(&self, item: &Item, has_fields: bool, page: &str) -> String {
        let mut name = self.shown();
        if page.contains(&format!("\n## {}\n", self.name)) {
            name = format!("[{name}](#{})", self.name.replace(' ', "-"));
        }
        if !has_fields {
            return format!("| {name} | {} |\n", self.meaning(item));
        }
        let held = self
            .rest
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'));
        let held = held.and_then(|held| item.of_type(held));
        let raw = held
            .as_ref()
            .and_then(|held| quoted(&held.attributes, "try_from = \""));
        let held = raw.and_then(|raw| item.of_type(raw)).or(held);
        let held = held.filter(|held| held.kind == Kind::Struct);
        let (item, fields) = match &held {
            Some(held) => (held, &held.entries()),
            None => (item, &self.fields),
        };
        let fields: Vec<String> = fields
            .iter()
            .map(|field| format!("{}: {}", field.shown(), field.meaning(item)))
            .collect();
        format!("| {name} | {} | {} |\n", fields.join("; "), self.doc)
    }

    fn shown(&self) -> String {
        format!("`{}`{}", self.name, if self.is_stable { "*" } else { "" })
    }

    /// Returns what it means, with the words or the fields that its type has, if they are few and nothing reads them back.
    fn meaning(&self, item: &Item) -> String {
        if !item.attributes.contains("Serialize") || item.attributes.contains("Deserialize") {
            return self.doc.clone();
        }
        let name = self.rest.trim_end_matches('>').rsplit(['<', ' ']).next();
        let own = item.of_type(name.unwrap_or_default());
        let own = own.map_or(Vec::new(), |own| own.entries());
        let is_plain = own.iter().all(|entry| !entry.rest.ends_with(['{', ')'])) && own.len() < 9;
        let names: Vec<String> = own.iter().filter(|_| is_plain).map(Self::shown).collect();
        let names = names.join(", ");
        let is_null = self.rest.starts_with("Option<") && !self.attributes.contains("_if");
        match (names.as_str(), is_null) {
            ("", false) => self.doc.clone(),
            ("", true) => format!("{}, or null", self.doc),
            (names, false) => format!("{} ({names})", self.doc),
            (names, true) => format!("{} ({names}), or null", self.doc),
        }
    }
}

/// Returns a doc comment as a cell: it begins small, unless its first word is a name, and has no full stop.
fn cell(doc: &str) -> String {
    let doc = doc.strip_suffix('.').unwrap_or(doc).replace('|', "\\|");
    let first = doc.split([' ', ',']).next().unwrap_or_default();
    let is_name = first.chars().skip(1).any(|c| c.is_uppercase() || c == '\'');
    match doc.get(..1) {
        Some(letter) if !is_name => letter.to_lowercase() + &doc[1..],
        _ => doc,
    }
}

/// Returns what is typed for an argument of the command line.
fn option(name: &str, attributes: &str) -> String {
    let value = quoted(attributes, "value_name = \"");
    if !attributes.contains("long") {
        return value.map_or(name.to_uppercase(), str::to_owned);
    }
    let long = quoted(attributes, "long = \"").map_or(name.replace('_', "-"), str::to_owned);
    let short = match attributes.split_once("short = '") {
        Some((_, letter)) => format!("-{}, ", &letter[..1]),
        None if attributes.contains("short") => format!("-{}, ", &long[..1]),
        None => String::new(),
    };
    format!("{short}--{long} {}", value.unwrap_or_default())
        .trim_end()
        .to_owned()
}

/// Returns the text between a beginning of attributes and the next quote.
fn quoted<'a>(attributes: &'a str, beginning: &str) -> Option<&'a str> {
    attributes.split_once(beginning)?.1.split('"').next()
}

/// Returns `SignIn` as `sign-in`.
fn cased(name: &str, between: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out += between;
        }
        out.extend(letter.to_lowercase());
    }
    out
}
