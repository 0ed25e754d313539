//! Grammar of claims: what a sentence says of a change, where that can be judged.
//!
//! ```text
//! "renamed <0> to <1> in <2>."                   Renamed load -> read; Touched src/a.py
//! "this should not change behaviour."            nothing: a hope
//! "all tests pass."                              TestsPass
//! ```
//!
//! In: sentences. Out: [`Claim`]s. What is hoped, planned, asked for or conditional is none; so is what no pattern knows.

use regex::Captures;

use signoff_core::text::Slice as _;
use signoff_core::word::is_listed;

use super::phrases::{
    ALL_USES, APART, CHANGE_WORD, DEEDS, FILE_COUNT, FREE, HEDGES, LEFT, LISTED, NEGATION,
    NO_FAILURE, NO_OTHERS, NO_TESTS_ADDED, NOT_PASSING, NOTHING, NOW, NOW_HAS, NUMBER, NUMBERS,
    ONLY_COMMENTS, ONLY_LAYOUT, ONLY_PATHS, ONLY_RENAMED, ONLY_TESTS, RENAMED, RENAMED_AWAY,
    SAME_BEHAVIOUR, SOMETHING, SUBORDINATE, TESTS_ADDED, TESTS_FAIL, TESTS_NOT_RUN, TESTS_PASS,
    TESTS_RAN, TESTS_UNTOUCHED, UNTOUCHED, UNUSED, UNUSED_BEFORE, VALUED, WITHIN,
};
use super::sentence::Sentence;
use super::test_log::{RUNNERS, is_of_tests};

/// What a sentence says of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// Names changed, and nothing else, in the paths where some are named.
    OnlyRenamed(Vec<String>),
    /// White space changed, and nothing else.
    OnlyLayout(Vec<String>),
    /// Comments or texts for people changed, and nothing else.
    OnlyComments(Vec<String>),
    /// Tests changed, and nothing else.
    OnlyTests,
    /// No test changed.
    TestsUntouched,
    /// Programs do the same as before.
    SameBehaviour,
    /// These paths changed and no others; without paths, those that the message names.
    OnlyPaths(Vec<String>),
    /// Nothing changed.
    Nothing,
    /// These did not change.
    Untouched(Vec<String>),
    /// This number of files changed.
    FileCount(usize),
    /// Tests were added.
    TestsAdded {
        /// The number, if the sentence has one.
        count: Option<usize>,
        /// The names that they are for.
        names: Vec<String>,
    },
    /// No tests were added.
    NoTestsAdded,
    /// The tests passed.
    TestsPass,
    /// A test failed.
    TestsFail,
    /// Tests ran.
    TestsRan,
    /// No tests ran.
    TestsNotRun,
    /// All uses of a name follow; of what was renamed, where none is named.
    AllUses(Option<String>),
    /// What was not used is gone.
    Unused {
        /// The names that are gone.
        names: Vec<String>,
        /// Whether it was imports.
        imports: bool,
    },
    /// Something was done to names.
    Deed {
        /// What.
        deed: Deed,
        /// To which names, as paths or symbols.
        names: Vec<String>,
    },
    /// These paths or names changed.
    Touched(Vec<String>),
    /// A name stands for a number now.
    Valued {
        /// The name.
        name: String,
        /// The number, as it is written.
        value: String,
    },
    /// Something changed.
    Something,
    /// A name is still used: one of these, or what was renamed; in these paths.
    Left(Vec<String>),
    /// These names are not used any more in these paths.
    Free(Vec<String>),
    /// A name or path became another one.
    Renamed {
        /// The old one.
        from: String,
        /// The new one.
        to: String,
    },
}

/// What was done to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// It is there now.
    Added,
    /// It is gone.
    Removed,
    /// It is another one.
    Changed,
}

/// Parts of words one of which is in every sentence that a pattern fits.
const TRIGGERS: [&str; 40] = [
    "<0>",
    "renam",
    "format",
    "white",
    "indent",
    "layout",
    "spac",
    "blank",
    "style",
    "cosmetic",
    "comment",
    "doc",
    "behav",
    "function",
    "semantic",
    "logic",
    "identical",
    "same",
    "before",
    "refactor",
    "structur",
    "only",
    "nothing",
    "no ",
    "not ",
    "untouched",
    "unchanged",
    "file",
    "test",
    "spec",
    "suite",
    "pass",
    "green",
    "call",
    "use",
    "referenc",
    "remov",
    "ed ",
    "code",
    "else",
];

/// Returns a sentence with `tests` in the place of command lines that run tests.
fn with_test_commands(plain: &str, sentence: &Sentence) -> String {
    let names = sentence.names.iter().enumerate();
    let of_tests = names.filter(|(_, name)| {
        name.contains(' ') && is_of_tests(name)
            || is_of_tests(name) && !is_path(name) && RUNNERS.contains(&name.as_str())
    });
    of_tests.fold(plain.to_owned(), |plain, (number, _)| {
        plain.replace(&format!("<{number}>"), "tests")
    })
}

/// Returns what a sentence claims.
pub(super) fn claims(sentence: &Sentence) -> Vec<Claim> {
    // To compile the patterns takes longer than all else; most messages are as short as "Done.".
    if !TRIGGERS.iter().any(|part| sentence.plain.contains(part)) {
        return Vec::new();
    }
    let plain = sentence
        .plain
        .replace("as you asked, ", "")
        .replace("as requested, ", "")
        .replace("as it used to", "as before");
    let mut claims = Vec::new();
    claims.extend(of_tests(&plain, sentence));
    if HEDGES.is_in(main_clause(&plain)) {
        return claims;
    }
    claims.extend(of_whole(&plain, sentence));
    claims.extend(of_deeds(&plain, sentence));
    claims
}

/// Returns a sentence up to where the reason or purpose begins.
fn main_clause(plain: &str) -> &str {
    let found = SUBORDINATE.first(plain);
    let cut = found.and_then(|found| found.get(0)).map(|cut| cut.start());
    match cut.filter(|&at| at > 0) {
        Some(at) => plain.get(..at).unwrap_or(plain),
        None => plain,
    }
}

/// Returns what is said of tests.
fn of_tests(plain: &str, sentence: &Sentence) -> Vec<Claim> {
    let mut claims = Vec::new();
    if HEDGES.is_in(plain) {
        return claims;
    }
    let plain = &with_test_commands(plain, sentence);
    let mut bare = plain.clone();
    for pattern in NO_FAILURE.patterns() {
        bare = pattern.replace_all(&bare, "NOFAILURE").into_owned();
    }
    if TESTS_NOT_RUN.is_in(plain) {
        claims.push(Claim::TestsNotRun);
    } else if TESTS_PASS.is_in(&bare) && !NOT_PASSING.is_in(&bare) {
        claims.push(Claim::TestsPass);
    } else if TESTS_FAIL.is_in(&bare) && !NEGATION.is_in(&bare) {
        claims.push(Claim::TestsFail);
    } else if TESTS_RAN.is_in(plain) && !NEGATION.is_in(plain) {
        claims.push(Claim::TestsRan);
    }
    if NO_TESTS_ADDED.is_in(plain) {
        claims.push(Claim::NoTestsAdded);
    } else if let Some(found) = TESTS_ADDED.first(main_clause(plain)) {
        claims.extend(added_tests(&found, plain, sentence));
    }
    claims
}

/// Returns that tests were added, unless the word behind says that it was something of tests.
fn added_tests(found: &Captures<'_>, plain: &str, sentence: &Sentence) -> Option<Claim> {
    const OF_TESTS: &[&str] = &[
        "helper helpers script scripts command runner config configuration data fixture",
        "fixtures id ids utils utilities framework dependency environment directory folder",
        "mode flag server setup",
    ];
    let end = found.get(0).map_or(0, |all| all.end());
    let upto = plain.slice(..end);
    let behind = found.get(1).map_or("", |word| word.as_str());
    let before = found.get(0).map_or("", |all| plain.slice(..all.start()));
    if is_listed(behind, OF_TESTS) || NEGATION.is_in(before) {
        return None;
    }
    let symbols = sentence.names.iter().filter(|name| is_symbol(name));
    Some(Claim::TestsAdded {
        count: NUMBER.first(upto).and_then(|found| count(&found)),
        names: symbols.map(|name| symbol_of(name)).collect(),
    })
}

/// Returns what is said of the change as a whole.
fn of_whole(plain: &str, sentence: &Sentence) -> Vec<Claim> {
    let paths = |captures: Captures<'_>| named(&captures, sentence);
    let names = || sentence.names.clone();
    let mut claims = Vec::new();
    let is_not_only = ["not only", "not just", "not a "]
        .iter()
        .any(|text| plain.contains(text));
    let is_change = CHANGE_WORD.is_in(plain) && !is_not_only;
    let whole = [
        (&ONLY_RENAMED, Claim::OnlyRenamed(names()), is_change),
        (&ONLY_LAYOUT, Claim::OnlyLayout(names()), is_change),
        (&ONLY_COMMENTS, Claim::OnlyComments(names()), is_change),
        (&ONLY_TESTS, Claim::OnlyTests, true),
        (&TESTS_UNTOUCHED, Claim::TestsUntouched, true),
        (&LEFT, Claim::Left(names()), true),
        (&FREE, Claim::Free(names()), true),
        (&SAME_BEHAVIOUR, Claim::SameBehaviour, !is_not_only),
        (&NOTHING, Claim::Nothing, !APART.is_in(plain)),
        (&NO_OTHERS, Claim::OnlyPaths(Vec::new()), true),
    ];
    let said = whole
        .into_iter()
        .filter(|(patterns, _, may)| *may && patterns.is_in(plain));
    claims.extend(said.map(|(_, claim, _)| claim));
    if !is_not_only {
        claims.extend(ONLY_PATHS.first(plain).map(paths).map(Claim::OnlyPaths));
    }
    claims.extend(UNTOUCHED.first(plain).map(paths).map(Claim::Untouched));
    claims.extend(
        (FILE_COUNT.first(plain))
            .and_then(|found| file_count(&found))
            .map(Claim::FileCount),
    );
    claims.extend(uses(plain, sentence));
    claims
}

/// Returns that all uses of a name follow.
fn uses(plain: &str, sentence: &Sentence) -> Option<Claim> {
    let found = ALL_USES.first(plain)?;
    let is_deed = [
        "updat",
        "renam",
        "replac",
        "adjust",
        "migrat",
        "chang",
        "fix",
        "switch",
        "convert",
        "mov",
        "adapt",
        "now use",
        "now call",
        "now pass",
        "now import",
        "follow",
        "correct",
        "brought",
        "remain",
        "left",
        "no longer",
        "not used",
        "not referenced",
        "anymore",
        "any more",
        "behind",
        "stale",
        "leftover",
        "exist",
        "point",
        "uses the new",
        "use the new",
    ];
    let is_unclear = [
        "unused",
        "not all",
        "not every",
        "still ",
        "did not",
        "have not",
        "not yet",
        "except",
        "doc",
        "comment",
    ]
    .iter()
    .any(|word| plain.contains(word));
    if is_unclear || !is_deed.iter().any(|deed| plain.contains(deed)) {
        return None;
    }
    let behind = (1..found.len()).find_map(|group| found.get(group));
    let name = behind.and_then(|number| sentence.name(number.as_str()));
    let from = (RENAMED.first(plain)).and_then(|found| sentence.name(found.get(1)?.as_str()));
    let symbol = sentence
        .names
        .iter()
        .find(|name| is_symbol(name))
        .map(String::as_str);
    Some(Claim::AllUses(from.or(name).or(symbol).map(symbol_of)))
}

/// Returns what was done to names.
fn of_deeds(plain: &str, sentence: &Sentence) -> Vec<Claim> {
    let clause = main_clause(plain);
    let mut claims = Vec::new();
    let unused = UNUSED.first(plain).and_then(|found| found.get(0));
    let before = unused.and_then(|found| plain.get(..found.start()));
    if before.is_some_and(|before| !NEGATION.is_in(before)) {
        let names = sentence.names.iter().filter(|name| is_symbol(name));
        claims.push(Claim::Unused {
            names: names.map(|name| symbol_of(name)).collect(),
            imports: UNUSED_BEFORE.is_in(plain),
        });
    }
    if NEGATION.is_in(clause) {
        return claims;
    }
    claims.extend(RENAMED_AWAY.first(clause).map(|found| Claim::Deed {
        deed: Deed::Removed,
        names: named(&found, sentence),
    }));
    if let Some(found) = RENAMED.first(clause)
        && let Some(from) = found.get(1).and_then(|it| sentence.name(it.as_str()))
        && let Some(to) = found.get(2).and_then(|it| sentence.name(it.as_str()))
    {
        let (from, to) = (from.to_owned(), to.to_owned());
        claims.push(Claim::Renamed { from, to });
    }
    for (pattern, deed) in DEEDS.iter() {
        let each = pattern.captures_iter(clause);
        claims.extend(each.map(|found| Claim::Deed {
            deed: *deed,
            names: named(&found, sentence),
        }));
    }
    claims.extend(NOW_HAS.first(clause).map(|found| Claim::Deed {
        deed: Deed::Added,
        names: named(&found, sentence),
    }));
    claims.extend(
        NOW.first(clause)
            .map(|found| Claim::Touched(named(&found, sentence))),
    );
    if let Some(found) = VALUED.first(clause)
        && let Some(name) = found.get(1).and_then(|it| sentence.name(it.as_str()))
        && let Some(value) = found.get(2)
    {
        claims.push(Claim::Valued {
            name: name.to_owned(),
            value: value.as_str().to_owned(),
        });
    }
    if SOMETHING.is_in(clause) {
        claims.push(Claim::Something);
    }
    let is_deed = !claims.is_empty();
    if !UNTOUCHED.is_in(plain) {
        let found = LISTED.first(clause);
        claims.extend(found.map(|found| Claim::Touched(named(&found, sentence))));
    }
    if is_deed {
        claims.extend(
            WITHIN
                .first(clause)
                .map(|found| Claim::Touched(named(&found, sentence))),
        );
    }
    claims
}

/// Returns the names that a pattern caught.
fn named(captures: &Captures<'_>, sentence: &Sentence) -> Vec<String> {
    let caught = captures.get(1).map_or("", |caught| caught.as_str());
    let numbers = caught
        .split(['<', '>'])
        .filter(|part| part.parse::<usize>().is_ok());
    let names = numbers.filter_map(|number| sentence.name(number));
    names.map(str::to_owned).collect()
}

/// Returns the number of files that a pattern caught, unless a word says that it is of some of them.
fn file_count(captures: &Captures<'_>) -> Option<usize> {
    const SOME: [&str; 9] = [
        "test",
        "new",
        "other",
        "more",
        "remaining",
        "additional",
        "example",
        "config",
        "such",
    ];
    let word = captures.get(2).map_or("", |word| word.as_str());
    count(captures).filter(|_| !SOME.contains(&word))
}

/// Returns the number that a pattern caught.
fn count(captures: &Captures<'_>) -> Option<usize> {
    let caught = captures.get(1)?.as_str();
    if caught == "a single" {
        return Some(1);
    }
    let in_words = NUMBERS.iter().position(|word| *word == caught);
    in_words.map(|at| at + 1).or_else(|| caught.parse().ok())
}

/// Tells whether a name can be one of code: no path, no command line, no text.
pub(super) fn is_symbol(name: &str) -> bool {
    let symbol = symbol_of(name);
    let bare = symbol.strip_suffix(['?', '!']).unwrap_or(&symbol);
    !is_path(name)
        && !bare.is_empty()
        && bare
            .chars()
            .all(|c| c == '_' || c == '$' || c.is_alphanumeric())
        && !bare.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns a name without what is around it: `Type.load(path)` is `load`.
pub(super) fn symbol_of(name: &str) -> String {
    let head = name
        .split('(')
        .next()
        .unwrap_or(name)
        .trim_end_matches("[]");
    let last = head.rsplit(['.', ':', '#']).next().unwrap_or(head);
    last.trim_matches(|c: char| c == '&' || c == '*' || c == '!')
        .to_owned()
}

/// Tells whether a name is a path.
pub(super) fn is_path(name: &str) -> bool {
    use signoff_core::role::Role;
    let name = name.trim_start_matches("./");
    let is_plain = !name.contains([' ', '(', '"', '\'', '=', '<', '{', '*', ':']);
    let has_extension = name.rsplit('/').next().is_some_and(|last| {
        let extension = last.rsplit_once('.').map_or("", |(_, extension)| extension);
        !extension.is_empty()
            && extension.len() <= 5
            && extension.chars().all(char::is_alphanumeric)
    });
    let is_known = matches!(
        Role::of(name),
        Role::Source | Role::Test | Role::Prose | Role::Generated
    ) || [
        ".toml", ".json", ".yml", ".yaml", ".cfg", ".ini", ".lock", ".env", ".xml", ".txt",
    ]
    .iter()
    .any(|end| name.ends_with(end));
    is_plain
        && (is_known
            || name.contains('/') && (has_extension || name.ends_with('/'))
            || matches!(
                name,
                "README"
                    | "CHANGELOG"
                    | "LICENSE"
                    | "Makefile"
                    | "Dockerfile"
                    | "go.mod"
                    | "Gemfile"
                    | "Rakefile"
                    | ".gitignore"
            ))
}

#[cfg(test)]
mod tests {
    use super::super::sentence::sentences;
    use super::*;

    fn read(text: &str) -> Vec<Claim> {
        sentences(text).iter().flat_map(claims).collect()
    }

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|&it| it.to_owned()).collect()
    }

    #[test]
    fn a_sentence_claims_what_its_words_say() {
        let table = [
            (
                "I only renamed `a` to `b`.",
                vec![
                    Claim::OnlyRenamed(names(&["a", "b"])),
                    Claim::Renamed {
                        from: "a".into(),
                        to: "b".into(),
                    },
                ],
            ),
            ("This should not change behaviour.", vec![]),
            ("No behavior changes.", vec![Claim::SameBehaviour]),
            ("All tests pass.", vec![Claim::TestsPass]),
            ("If the tests pass, we can merge.", vec![]),
            ("I have not run the tests.", vec![Claim::TestsNotRun]),
            (
                "All callers of `load` are updated.",
                vec![Claim::AllUses(Some("load".into()))],
            ),
            (
                "I changed two files.",
                vec![Claim::FileCount(2), Claim::Something],
            ),
            (
                "Added three unit tests.",
                vec![Claim::TestsAdded {
                    count: Some(3),
                    names: vec![],
                }],
            ),
            ("No changes were needed.", vec![Claim::Nothing]),
            (
                "I did not touch `src/b.py`.",
                vec![Claim::Untouched(names(&["src/b.py"]))],
            ),
            (
                "Removed the unused import `os`.",
                vec![
                    Claim::Unused {
                        names: names(&["os"]),
                        imports: true,
                    },
                    Claim::Deed {
                        deed: Deed::Removed,
                        names: names(&["os"]),
                    },
                ],
            ),
            (
                "- `src/a.py`: added `read`",
                vec![
                    Claim::Deed {
                        deed: Deed::Added,
                        names: names(&["read"]),
                    },
                    Claim::Touched(names(&["src/a.py"])),
                ],
            ),
            ("Previously `load` returned 3.", vec![]),
        ];
        for (text, expected) in table {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
