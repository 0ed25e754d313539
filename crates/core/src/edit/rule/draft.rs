//! Drafts: the rule that a denial comes to, and where it goes in a file with instructions.
//!
//! In: the reason of a denial with its hunk, or a rule and a text. Out: a line for the user to edit; lines to insert.
//!
//! ```text
//! denied       reason                          draft
//! gen/api.rs   generated, never edit gen/      Never edit `gen/**`.
//! gen/api.rs   this is generated               Never edit `gen/**`.
//! src/a.rs     never edit HISTORY.md           Never edit `HISTORY.md`.
//! Cargo.toml   no new dependencies please      No new dependencies.
//! src/a.rs     no `unwrap()` here              Never add `unwrap()`.
//! src/a.rs     keep the old name               Keep the old name.
//! ```

use super::RULE_CHARS;
use crate::quote::one_line;

/// Words of a reason that is about a file, and not about what was written into it.
const OF_FILES: [&str; 12] = [
    "generated",
    "vendored",
    "never edit",
    "never touch",
    "never change",
    "do not edit",
    "do not touch",
    "do not change",
    "don't edit",
    "don't touch",
    "don't change",
    "hands off",
];

/// Words before what is not to be added.
const BEFORE_TEXT: [&str; 6] = ["no ", "never ", "not ", "without ", "avoid ", "don't use "];

/// The heading that rules are under.
const HEADING: &str = "Rules";

/// Returns the rule that a denial comes to; `path` is empty where it is about several files.
pub fn draft(path: &str, reason: &str) -> String {
    let reason = one_line(reason, RULE_CHARS);
    let words = reason.to_lowercase();
    if words.contains("dependenc") {
        return "No new dependencies.".to_owned();
    }
    if OF_FILES.iter().any(|of_files| words.contains(of_files))
        && let Some(glob) = named_glob(&reason).or_else(|| glob_around(path))
    {
        return format!("Never edit `{glob}`.");
    }
    if let Some(text) = forbidden_text(&reason) {
        return format!("Never add `{text}`.");
    }
    sentence(&reason)
}

/// Returns a rule as it is written: one line, that begins with a capital and ends with a full stop.
pub fn sentence(text: &str) -> String {
    let text = one_line(text, RULE_CHARS);
    let mut chars = text.chars();
    let Some(first) = chars.next() else {
        return text;
    };
    let first: String = first.to_uppercase().collect();
    let end = if text.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    format!("{first}{}{end}", chars.as_str())
}

/// Returns the first word of a reason that is a path or a glob.
fn named_glob(reason: &str) -> Option<String> {
    const AROUND: &str = "`'\"(),;:";
    let mut words = reason.split_whitespace().map(|word| {
        word.trim_start_matches(|c| AROUND.contains(c))
            .trim_end_matches(|c| AROUND.contains(c) || matches!(c, '.' | '!'))
    });
    let is_glob = |word: &&str| word.contains(['/', '*']) && word.len() > 1;
    let glob = words.find(|word| is_glob(word) || is_file_name(word))?;
    Some(match glob.strip_suffix('/') {
        Some(folder) => format!("{folder}/**"),
        None => glob.to_owned(),
    })
}

/// Returns whether a word is a name with an extension, as `HISTORY.md`, and none like `e.g`.
fn is_file_name(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(name, extension)| {
        !name.is_empty()
            && extension.len() > 1
            && extension.bytes().all(|b| b.is_ascii_alphabetic())
    })
}

/// Returns all that is in the folder of a file, or the file where it is in none.
fn glob_around(path: &str) -> Option<String> {
    let glob = match path.split_once('/') {
        Some((folder, _)) => format!("{folder}/**"),
        None => path.to_owned(),
    };
    Some(glob).filter(|glob| !glob.is_empty() && !glob.contains('`'))
}

/// Returns what stands in backticks behind a word that says no.
fn forbidden_text(reason: &str) -> Option<&str> {
    let (before, rest) = reason.split_once('`')?;
    let (text, _) = rest.split_once('`')?;
    let before = before.to_lowercase();
    let is_forbidden = BEFORE_TEXT.iter().any(|word| {
        let end = before.strip_suffix(word);
        end.is_some_and(|end| end.is_empty() || end.ends_with([' ', '(', ',']))
    });
    Some(text).filter(|text| is_forbidden && !text.trim().is_empty())
}

/// Returns after which line of a text (0 is the start) a rule goes, and the lines: behind the last rule, or under a heading at
/// the end. None if the text has the rule.
pub fn insertion(text: &str, rule: &str) -> Option<(usize, Vec<String>)> {
    let lines: Vec<&str> = text.lines().collect();
    let is_there = |line: &&&str| line.trim().trim_start_matches(['-', '*', '+', ' ']) == rule;
    if lines.iter().find(is_there).is_some() {
        return None;
    }
    let mut own = lines.iter().enumerate();
    let heading =
        own.find(|(_, line)| heading(line).is_some_and(|it| it.eq_ignore_ascii_case(HEADING)));
    let end = own.find(|(_, line)| heading_level(line)).map(|(at, _)| at);
    let item = format!("- {rule}");
    let Some((heading, _)) = heading else {
        let last = lines.iter().rposition(|line| !line.trim().is_empty());
        let head = [format!("## {HEADING}"), String::new(), item];
        return Some(match last {
            Some(last) => (
                last + 1,
                std::iter::once(String::new()).chain(head).collect(),
            ),
            None => (0, head.to_vec()),
        });
    };
    let section = lines
        .get(heading..end.unwrap_or(lines.len()))
        .into_iter()
        .flatten();
    let filled = section
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let (last, line) = filled.last().map_or((0, ""), |(at, line)| (at, *line));
    let is_item = line.trim_start().starts_with(['-', '*', '+']);
    let lines = if is_item {
        vec![item]
    } else {
        vec![String::new(), item]
    };
    Some((heading + last + 1, lines))
}

fn heading_level(line: &&&str) -> bool {
    heading(line).is_some()
}

/// Returns the text of a heading, if a line is one.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && text.starts_with(' ');
    is_heading.then(|| text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::rule::is_enforced;

    #[test]
    fn a_reason_becomes_a_rule() {
        for (path, reason, expected) in [
            (
                "gen/api.rs",
                "generated, never edit gen/",
                "Never edit `gen/**`.",
            ),
            ("gen/v1/api.rs", "this is generated", "Never edit `gen/**`."),
            (
                "src/a.rs",
                "never edit HISTORY.md, e.g. here",
                "Never edit `HISTORY.md`.",
            ),
            (
                "src/a.rs",
                "generated, e.g. by hand",
                "Never edit `src/**`.",
            ),
            ("schema.rs", "do not touch", "Never edit `schema.rs`."),
            (
                "a.rs",
                "Generated: leave `src/*.pb.rs`!",
                "Never edit `src/*.pb.rs`.",
            ),
            (
                "Cargo.toml",
                "No new dependencies please",
                "No new dependencies.",
            ),
            ("a.rs", "no `unwrap()` here", "Never add `unwrap()`."),
            ("a.rs", "use `expect()` instead", "Use `expect()` instead."),
            ("a.rs", "keep the old\nname", "Keep the old name."),
            ("", "is generated", "Is generated."),
            ("a`b/c", "generated", "Generated."),
        ] {
            let found = draft(path, reason);
            assert_eq!(found, expected, "{reason}");
            let is_rule = found.starts_with("Ne") || found.starts_with("No ");
            assert_eq!(is_enforced(&found), is_rule, "{found}");
        }
    }

    #[test]
    fn a_rule_goes_behind_the_others() {
        for (text, expected) in [
            ("", "## Rules\n\n- R."),
            ("# A\n\nb\n\n", "# A\n\nb\n\n## Rules\n\n- R."),
            (
                "## Rules\n\n- a\n- b\n\n## C\n",
                "## Rules\n\n- a\n- b\n- R.",
            ),
            ("# Rules\n\nThese:\n", "# Rules\n\nThese:\n\n- R."),
            ("### rules\n\n## C\n", "### rules\n\n- R."),
            ("#Rules\n", "#Rules\n\n## Rules\n\n- R."),
        ] {
            let (after, lines) = insertion(text, "R.").unwrap();
            let before = text.lines().take(after).map(str::to_owned);
            let made: Vec<String> = before.chain(lines).collect();
            assert_eq!(made.join("\n"), expected, "{text:?}");
        }
        assert_eq!(insertion("## Rules\n\n- R.\n", "R."), None);
    }
}
