//! Rules: lines of a project's instructions that are enforced when a change is staged.
//!
//! In: the text of a file with instructions, and a change of one file. Out: the rules that the change breaks.
//!
//! ```text
//! AGENTS.md                       gen/api.rs changes            breaks AGENTS.md:2
//! 1 Write short functions.        Cargo.toml gains `rand`       breaks AGENTS.md:3
//! 2 - Never edit `gen/**`.        Cargo.toml gains a feature    breaks none
//! 3 - No new dependencies.
//! ```
//!
//! A line is a rule if it has one of the shapes of [`SHAPES`], with or without the mark of a list before it and the full
//! stop behind it. Any other line is for models alone, and so is what a fence of code holds.
//!
//! **Invariant:** rules only refuse. A line that a workspace brings with it can permit nothing.

pub mod dependencies;
pub mod draft;
pub mod nearly;

use std::fmt;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::quote::one_line;
use crate::text::Source;

/// The file that holds instructions, in the workspace or in any folder of it.
pub const FILE: &str = "AGENTS.md";

/// The files that hold instructions; of those in one folder the first one counts. The others are those of single agents,
/// which projects had before there was a name for all.
pub const FILES: [&str; 3] = [FILE, "CLAUDE.md", "GEMINI.md"];

/// Maximum length of a rule where it is named, in characters; longer than any rule that a person would read.
const RULE_CHARS: usize = 200;

/// Least characters of a fence of code.
const FENCE: usize = 3;

/// A form that a rule can have.
pub struct RuleShape {
    /// The line, with a capital word for what differs.
    pub form: &'static str,
    /// What is refused.
    pub refuses: &'static str,
    /// How a line begins that means it in other words, in lower case.
    beginnings: &'static [&'static str],
    /// Reads a line without list mark and full stop.
    read: fn(&str) -> Option<Kind>,
}

/// All forms that are enforced.
pub const SHAPES: [RuleShape; 3] = [
    RuleShape {
        form: "Never edit `GLOB`.",
        refuses: "a change of such a file, its creation, removal and moves. Several globs stand with `,`, `and` or `or` \
                  between them. A glob without `/` fits names in all folders, one that fits a folder all that is in it",
        beginnings: &[
            "never edit",
            "never modify",
            "never change",
            "never touch",
            "never create",
            "never delete",
            "never remove",
            "never write",
            "do not edit",
            "do not modify",
            "do not change",
            "do not touch",
            "don't edit",
            "don't modify",
            "don't change",
            "don't touch",
        ],
        read: |line| {
            listed(line, "Never edit ").and_then(|globs| glob_set(&globs).map(Kind::Files))
        },
    },
    RuleShape {
        form: "Never add `TEXT`.",
        refuses: "a change after which a file has this text more often than before",
        beginnings: &["never add", "never use", "do not add", "don't add"],
        read: |line| listed(line, "Never add ").map(Kind::Texts),
    },
    RuleShape {
        form: "No new dependencies.",
        refuses: "a change after which a manifest names a package that it did not name",
        beginnings: &[
            "no new dependenc",
            "no new packages",
            "no dependencies",
            "add no dependenc",
            "add no new dependenc",
            "never add dependenc",
            "never add a dependenc",
            "never add new dependenc",
            "do not add dependenc",
            "do not add new dependenc",
            "don't add dependenc",
            "don't add new dependenc",
        ],
        read: |line| (line == "No new dependencies").then_some(Kind::Dependencies),
    },
];

/// A line of instructions that is enforced.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its file, relative to the workspace.
    file: String,
    /// 1-based.
    line: usize,
    /// As it is written, without the mark of a list.
    text: String,
    kind: Kind,
}

/// What a rule is about.
#[derive(Clone, Debug)]
enum Kind {
    /// Files, by their paths from the folder of the rule.
    Files(GlobSet),
    Texts(Vec<String>),
    Dependencies,
}

/// A change of one file, as rules see it.
#[derive(Clone, Copy, Debug)]
pub struct FileChange<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its text before; none for a file that comes.
    pub before: Option<&'a Source>,
    /// Its text after; none for a file that goes.
    pub after: Option<&'a Source>,
}

/// A rule that a change breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Where the change breaks it: a 1-based line of the text after.
    pub line: usize,
    /// The rule with its place, and what breaks it: ``AGENTS.md:3: No new dependencies. (`rand`)``.
    pub rule: String,
}

/// Returns the rules in a file with instructions.
pub fn read(file: &str, text: &str) -> Vec<Rule> {
    let read = unfenced(text).filter_map(|(line, said)| {
        let (text, kind) = kind(said)?;
        Some(Rule {
            file: file.to_owned(),
            line,
            text: one_line(text, RULE_CHARS),
            kind,
        })
    });
    read.collect()
}

/// Returns the lines of a text that no fence of code holds, with their numbers. A fence ends with one of the same character that is
/// at least as long and says nothing.
fn unfenced(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut open: Option<&str> = None;
    let numbered = (1..).zip(text.lines());
    numbered.filter(move |(_, line)| {
        let line = line.trim();
        let said = line.trim_start_matches(['`', '~']);
        let fence = line.strip_suffix(said).unwrap_or("");
        let mut marks = ['`', '~'].iter();
        let is_one = marks.any(|mark| fence.chars().all(|own| own == *mark));
        let is_fence = is_one && fence.len() >= FENCE;
        match open {
            Some(own) if is_fence && said.is_empty() && fence.starts_with(own) => {
                open = None;
                false
            }
            Some(_) => false,
            None if is_fence => {
                open = Some(fence);
                false
            }
            None => true,
        }
    })
}

/// Returns whether a line is a rule that is enforced.
pub fn is_enforced(line: &str) -> bool {
    kind(line).is_some()
}

/// Says what a rule comes to once it is signed off.
pub fn fate(rule: &str) -> &'static str {
    if is_enforced(rule) {
        "once you sign it off, the rule is enforced: edits that break it are refused with its line"
    } else {
        "once you sign it off, models are told the rule; nothing enforces it, as it is none of the lines that are: \
         Never edit `GLOB`.  Never add `TEXT`.  No new dependencies."
    }
}

/// Returns why a change is not staged, or held, that breaks these rules.
pub fn forbidden(rules: &str) -> String {
    format!("a rule forbids it: {rules}")
}

impl Rule {
    /// Returns whether and where a change breaks it.
    pub fn broken_by(&self, change: FileChange<'_>) -> Option<Breach> {
        let folder = self.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = change.path.strip_prefix(folder)?;
        let path = path.trim_start_matches('/');
        let (line, what) = match &self.kind {
            Kind::Files(globs) => globs.is_match(path).then_some((1, None))?,
            Kind::Texts(texts) => {
                let found = texts.iter().find_map(|text| {
                    let line = added(text, text_of(change.before), text_of(change.after))?;
                    Some((line, text))
                });
                let (line, text) = found?;
                (line, (texts.len() > 1).then(|| text.clone()))
            }
            Kind::Dependencies => {
                let name = path.rsplit('/').next().unwrap_or(path);
                let (before, after) = (text_of(change.before), text_of(change.after));
                (1, Some(dependencies::added(name, before, after)?))
            }
        };
        let what = what.map(|what| format!(" ({})", one_line(&what, RULE_CHARS)));
        let what = what.as_deref().unwrap_or("");
        let rule = format!("{self}{what}");
        Some(Breach { line, rule })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: {}",
            crate::quote::name(&self.file),
            self.line,
            self.text
        )
    }
}

/// Returns the line without the mark of a list, and what it is a rule about.
fn kind(line: &str) -> Option<(&str, Kind)> {
    let line = line.trim();
    let listed = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .or_else(|| listed.strip_prefix(". ").filter(|_| listed != line))
        .unwrap_or(line)
        .trim();
    let bare = line.strip_suffix('.').unwrap_or(line);
    let mut kinds = SHAPES.iter().filter_map(|shape| (shape.read)(bare));
    kinds.next().map(|kind| (line, kind))
}

/// Returns what stands in backticks behind a beginning, if nothing else does.
///
/// ```text
/// "Never edit `a`, `b` or `c`"   ->  a b c
/// "Never edit `a` by hand"       ->  nothing: it says more than the shape does
/// ```
fn listed(line: &str, beginning: &str) -> Option<Vec<String>> {
    let mut rest = line.strip_prefix(beginning)?;
    let mut items = Vec::new();
    loop {
        let (item, behind) = rest.strip_prefix('`')?.split_once('`')?;
        items.push(
            Some(item)
                .filter(|item| !item.trim().is_empty())?
                .to_owned(),
        );
        if behind.is_empty() {
            return Some(items);
        }
        let between = [", and ", ", or ", ", ", " and ", " or "];
        rest = between.iter().find_map(|word| behind.strip_prefix(word))?;
    }
}

/// Returns what matches the files that globs name; none if one of them is no glob.
fn glob_set(globs: &[String]) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let bare = glob.trim_start_matches("./").trim_matches('/');
        if bare.is_empty() {
            return None;
        }
        let is_name = !bare.contains('/') && !glob.starts_with(['.', '/']) || is_dot_name(glob);
        let anywhere = if is_name { "**/" } else { "" };
        for form in [format!("{anywhere}{bare}"), format!("{anywhere}{bare}/**")] {
            set.add(
                GlobBuilder::new(&form)
                    .literal_separator(true)
                    .build()
                    .ok()?,
            );
        }
    }
    set.build().ok()
}

/// Returns whether a glob is a name that begins with a dot, as `.env`, and no path from here, as `./env`.
fn is_dot_name(glob: &str) -> bool {
    glob.starts_with('.') && !glob.contains('/')
}

/// Returns the first line on which a text is new, if it is there more often than before.
fn added(wanted: &str, before: &str, after: &str) -> Option<usize> {
    if after.matches(wanted).count() <= before.matches(wanted).count() {
        return None;
    }
    let mut having = after
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains(wanted));
    let first = having.clone().next().map_or(0, |(at, _)| at);
    let fresh = having.find(|(_, line)| !before.lines().any(|old| old == *line));
    Some(fresh.map_or(first, |(at, _)| at) + 1)
}

fn text_of(source: Option<&Source>) -> &str {
    source
        .and_then(|source| source.text().ok())
        .map_or("", |text| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(rules: &str, path: &str, before: Option<&str>, after: Option<&str>) -> Vec<String> {
        let (before, after) = (before.map(Source::new), after.map(Source::new));
        let change = FileChange {
            path,
            before: before.as_ref(),
            after: after.as_ref(),
        };
        let rules = read(FILE, rules);
        let breaches = rules.iter().filter_map(|rule| rule.broken_by(change));
        breaches
            .map(|breach| format!("{} at {}", breach.rule, breach.line))
            .collect()
    }

    #[test]
    fn a_rule_is_a_line_of_one_of_the_shapes() {
        for (line, is_rule) in [
            ("Never edit `gen/**`.", true),
            ("- Never edit `gen/**`", true),
            ("  * Never edit `a`, `b` and `c`.", true),
            ("12. Never edit `a` or `b`.", true),
            ("Never edit `a` by hand.", false),
            ("Never edit gen/.", false),
            ("Never edit `` or `a`.", false),
            ("Never edit `a[`.", false),
            ("You should never edit `a`.", false),
            ("No new dependencies.", true),
            ("No new dependencies without a word of mine.", false),
            ("Never add `unwrap()`.", true),
            ("Never add unwrap.", false),
            ("Never edit `.", false),
            ("", false),
        ] {
            assert_eq!(is_enforced(line), is_rule, "{line}");
        }
    }

    #[test]
    fn what_a_fence_holds_is_an_example() {
        let text = "```\nNever edit `a`.\n```\n\n- Never edit `b`.\n";
        assert!(broken(text, "a", None, Some("x")).is_empty());
        let of_b = ["AGENTS.md:5: Never edit `b`. at 1"];
        assert_eq!(broken(text, "b", None, Some("x")), of_b);
        for fences in [
            ["~~~", "~~~"],
            ["````md\n```", "```\n````"],
            ["```", "~~~\n```"],
        ] {
            let text = fences.join("\nNever edit `a`.\n");
            assert!(broken(&text, "a", None, Some("x")).is_empty(), "{text}");
            let behind = format!("{text}\nNever edit `b`.\n");
            assert_eq!(broken(&behind, "b", None, Some("x")).len(), 1, "{text}");
        }
    }

    #[test]
    fn files_are_told_by_their_paths() {
        for (globs, path, is_broken) in [
            ("`gen/**`", "gen/a/b.rs", true),
            ("`gen/**`", "src/gen/b.rs", false),
            ("`gen/`", "gen/b.rs", true),
            ("`gen`", "src/gen/b.rs", true),
            ("`/gen`", "src/gen/b.rs", false),
            ("`./gen`", "gen/b.rs", true),
            ("`*.lock`", "a/b.lock", true),
            ("`src/*.rs`", "src/a/b.rs", false),
            ("`.env`", "a/.env", true),
            ("`a` or `b/{c,d}.rs`", "b/d.rs", true),
            ("`gen`", "generated/b.rs", false),
        ] {
            let rule = format!("Never edit {globs}.");
            for (before, after) in [(None, Some("x")), (Some("x"), Some("y")), (Some("x"), None)] {
                let found = broken(&rule, path, before, after);
                assert_eq!(!found.is_empty(), is_broken, "{globs} {path}");
            }
        }
    }

    #[test]
    fn a_rule_of_an_inner_folder_holds_there() {
        let rules = read("crates/a/AGENTS.md", "Never edit `gen/**`.");
        let found = |path| {
            let change = FileChange {
                path,
                before: None,
                after: None,
            };
            rules.iter().any(|rule| rule.broken_by(change).is_some())
        };
        assert!(found("crates/a/gen/x") && !found("gen/x") && !found("crates/ab/gen/x"));
    }

    #[test]
    fn a_text_counts_where_it_is_new() {
        let rule = "Never add `unwrap()` or `dbg!`.";
        let old = Some("a.unwrap()\nb\n");
        let at_two = ["AGENTS.md:1: Never add `unwrap()` or `dbg!`. (dbg!) at 2"];
        assert_eq!(
            broken(rule, "a.rs", old, Some("a.unwrap()\ndbg!(b)\n")),
            at_two
        );
        for kept in [Some("a.unwrap()\nc\n"), Some("c\n  a.unwrap();\n"), None] {
            assert!(broken(rule, "a.rs", old, kept).is_empty(), "{kept:?}");
        }
    }

    #[test]
    fn a_new_dependency_is_named() {
        let before = Some("[dependencies]\nserde = \"1\"\n");
        let after = Some("[dependencies]\nserde = \"2\"\nrand = \"0.9\"\n");
        assert_eq!(
            broken("No new dependencies.", "a/Cargo.toml", before, after),
            ["AGENTS.md:1: No new dependencies. (rand) at 1"]
        );
        assert!(broken("No new dependencies.", "a.toml", before, after).is_empty());
    }

    #[test]
    fn the_page_lists_the_shapes() {
        let rows = SHAPES
            .iter()
            .map(|RuleShape { form, refuses, .. }| format!("| `` {form} `` | {refuses} |\n"));
        let table = format!(
            "| line | refused is |\n|---|---|\n{}",
            rows.collect::<String>()
        );
        let page = include_str!("../../../../docs/config.md");
        assert!(
            page.contains(&table),
            "docs/config.md should have:\n\n{table}"
        );
    }
}
