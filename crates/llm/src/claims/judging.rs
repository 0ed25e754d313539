//! Judges claims.
//!
//! ```text
//! OnlyRenamed    a hunk whose tokens differ in more than names contradicts it
//! TestsPass      a run that failed contradicts it, and so does that none ran
//! Unused os      a use of os in a file as staged contradicts it
//! ```
//!
//! In: claims and changes. Out: a [`Finding`] for each. Where both could be so, it is open.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::edit::intent::Operation;
use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_core::role::Role;
use signoff_core::syntax::Language;

use super::changes::{ChangedHunk, Changes, has_name};
use super::grammar::{Claim, Deed, is_path, is_symbol, symbol_of};
use super::hunk_kinds::{
    DEFINES, is_blank, is_import, is_layout, is_rename, is_statement, is_test_line, is_within_text,
    one_line_condition, other_value, renames, shown, swapped, trimmed,
};
use super::test_log::TestsRun;
use super::tokens::Token;
use super::{FindName, Judgement};
use crate::code_index::{Asked, CodePlace};

/// What claims are held against.
pub(super) struct Judge<'a> {
    /// What changed for the newest prompt.
    pub(super) now: Changes<'a>,
    /// What changed for earlier ones.
    pub(super) earlier: Changes<'a>,
    pub(super) tests: TestsRun,
    pub(super) find: &'a FindName<'a>,
    /// The names in the whole message.
    pub(super) mentioned: Vec<String>,
    /// The message, in small letters.
    pub(super) message: String,
    /// Whether a command ran: what it made or removed in ignored folders is in no hunk.
    pub(super) has_commands: bool,
    /// Whether the message says that something was done.
    pub(super) says_deeds: bool,
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// It is so.
    Holds,
    /// It is not so.
    Contradicted { why: String, hunk: Option<HunkId> },
    /// It cannot be told.
    Open,
}

impl Finding {
    fn against(why: impl Into<String>) -> Self {
        let why = why.into();
        Self::Contradicted { why, hunk: None }
    }

    fn by_hunk(hunk: &ChangedHunk<'_>, what: &str) -> Self {
        Self::Contradicted {
            why: format!("{}:{} {what}", quote::name(hunk.path), hunk.line),
            hunk: Some(hunk.id),
        }
    }

    /// Returns what a sentence is with these findings: contradicted if one is, and else one that holds if one does.
    pub(super) fn of_all(findings: impl Iterator<Item = Self>) -> Option<Judgement> {
        let mut judgement = None;
        for finding in findings {
            match finding {
                Self::Contradicted { why, hunk } => {
                    return Some(Judgement::Contradicted { why, hunk });
                }
                Self::Holds => judgement = Some(Judgement::Holds),
                Self::Open => {}
            }
        }
        judgement
    }

    fn is_contradicted(&self) -> bool {
        matches!(self, Self::Contradicted { .. })
    }
}

/// The kind of a place where a name is imported.
const IMPORT: &str = "import";

/// Marks of one test that counts for several.
const PARAMETRIZED: [&str; 8] = [
    "for ",
    "parametrize",
    ".each",
    "rstest",
    "#[case",
    "ParameterizedTest",
    "subTest",
    "t.Run(",
];

impl<'a> Judge<'a> {
    /// Judges a claim.
    pub(super) fn look(&self, claim: &Claim) -> Finding {
        match claim {
            Claim::OnlyRenamed(names) => self.within(names).only_renamed(),
            Claim::OnlyLayout(names) => {
                let instead = "changes more than white space";
                self.about(names, |judge| judge.every_hunk(is_layout, instead))
            }
            Claim::OnlyComments(names) => self.about(names, Self::only_comments),
            Claim::OnlyTests => self.every_hunk(|hunk| hunk.role != Role::Source, "is no test"),
            Claim::TestsUntouched => self.tests_untouched(),
            Claim::Left(names) => self.left(names),
            Claim::SameBehaviour(names) => self.about(names, Self::same_behaviour),
            Claim::OnlyPaths(paths) => self.only_paths(paths),
            Claim::Nothing => self.nothing(),
            Claim::Untouched(names) => self.untouched(names),
            Claim::FileCount(count) => self.file_count(*count),
            Claim::TestsAdded(count) => self.tests_added(*count),
            Claim::NoTestsAdded => match self.test_lines(&self.now).first() {
                Some((hunk, _)) => Finding::by_hunk(hunk, "adds a test"),
                // What begins a test is not known of every framework.
                None if self.now.has_others || self.adds_to_tests() => Finding::Open,
                None => Finding::Holds,
            },
            Claim::TestsPass => self.tests_pass(),
            // Who says what was not done or did not work is never contradicted: there is always more that was not.
            Claim::TestsFail if matches!(self.tests, TestsRun::Failed { .. }) => Finding::Holds,
            Claim::TestsNotRun if self.tests == TestsRun::Never && !self.now.has_others => {
                Finding::Holds
            }
            Claim::TestsFail | Claim::TestsNotRun => Finding::Open,
            Claim::TestsRan => match &self.tests {
                TestsRun::Never if !self.now.has_others => Finding::against("no test ran"),
                TestsRun::Never | TestsRun::Unknown => Finding::Open,
                TestsRun::Passed { .. } | TestsRun::Failed { .. } | TestsRun::Unclear => {
                    Finding::Holds
                }
            },
            Claim::AllUses(name) => self.all_uses(name.as_deref()),
            Claim::Unused { imports } => self.unused(*imports),
            Claim::Deed { deed, names } => self.deed(*deed, names),
            Claim::Touched(names) => self.touched(names),
            Claim::Renamed { from, to } => self.renamed(from, to),
            Claim::Valued { name, value } => self.valued(name, value),
        }
    }

    /// Returns a judge of what changes in the paths among some names, or everywhere where none is a path.
    fn within(&self, names: &[String]) -> Self {
        let paths: Vec<&String> = names.iter().filter(|name| is_path(name)).collect();
        let is_meant =
            |path: &str| paths.is_empty() || paths.iter().any(|said| is_same_path(path, said));
        let mut now = self.now.clone();
        now.hunks.retain(|hunk| is_meant(hunk.path));
        now.files.retain(|file| is_meant(file.path));
        Self {
            now,
            earlier: self.earlier.clone(),
            tests: self.tests.clone(),
            find: self.find,
            mentioned: self.mentioned.clone(),
            message: self.message.clone(),
            has_commands: self.has_commands,
            says_deeds: self.says_deeds,
        }
    }

    /// Judges what is said of the paths among some names. What is said of symbols is open: a hunk may be of several.
    fn about(&self, names: &[String], judge: impl Fn(&Self) -> Finding) -> Finding {
        if names.iter().any(|name| !is_path(name)) {
            return Finding::Open;
        }
        judge(&self.within(names))
    }

    /// Holds where every hunk is as said, and some are.
    fn every_hunk(&self, is_so: impl Fn(&ChangedHunk<'_>) -> bool, instead: &str) -> Finding {
        if let Some(other) = self.now.hunks.iter().find(|hunk| !is_so(hunk)) {
            return Finding::by_hunk(other, instead);
        }
        if self.now.hunks.is_empty() || self.now.has_others {
            return Finding::Open;
        }
        Finding::Holds
    }

    fn only_renamed(&self) -> Finding {
        let renames = renames(&self.now);
        let is_sure = |hunk: &&ChangedHunk<'_>| {
            !is_rename(hunk, &renames)
                && !is_within_text(hunk)
                && (is_statement(&hunk.removed) || is_statement(&hunk.added))
        };
        let other = self.now.code().find(is_sure);
        if let Some(other) = other {
            return Finding::by_hunk(other, "changes more than names");
        }
        let is_known = !renames.is_empty()
            || self
                .now
                .files
                .iter()
                .any(|file| file.operation == Operation::Move);
        let is_rename = |hunk: &ChangedHunk<'_>| is_rename(hunk, &renames);
        let is_known = is_known && self.now.code().all(is_rename);
        if is_known && !self.now.has_others && self.now.code().count() == self.now.hunks.len() {
            return Finding::Holds;
        }
        Finding::Open
    }

    fn only_comments(&self) -> Finding {
        let is_other = |hunk: &&ChangedHunk<'_>| hunk.changes_code() && !is_within_text(hunk);
        let is_sure = |hunk: &&ChangedHunk<'_>| {
            is_other(hunk) && (is_statement(&hunk.removed) || is_statement(&hunk.added))
        };
        if let Some(sure) = self.now.code().find(is_sure) {
            return Finding::by_hunk(sure, "changes code");
        }
        let is_unclear = self.now.hunks.is_empty() || self.now.has_others;
        let mut hunks = self.now.hunks.iter();
        if is_unclear
            || self.now.code().any(|hunk| is_other(&hunk))
            || hunks.any(|hunk| hunk.role == Role::Data)
        {
            return Finding::Open;
        }
        Finding::Holds
    }

    fn same_behaviour(&self) -> Finding {
        let hunks = || {
            self.now
                .hunks
                .iter()
                .filter(|hunk| hunk.role == Role::Source)
        };
        let renames = renames(&self.now);
        for hunk in hunks() {
            if let Some(what) = self.other_behaviour(hunk, &renames) {
                return Finding::by_hunk(hunk, &what);
            }
        }
        let is_same = |hunk: &ChangedHunk<'_>| {
            let (before, after) = hunk.tokens();
            hunk.proof.is_some() || before == after || is_rename(hunk, &renames)
        };
        let is_whole =
            !self.now.has_others && renames.keys().all(|name| self.uses(name).is_empty());
        if hunks().next().is_some() && hunks().all(is_same) && is_whole {
            return Finding::Holds;
        }
        Finding::Open
    }

    /// Returns what a hunk does that is no refactoring, if it does something of the kind.
    fn other_behaviour(
        &self,
        hunk: &ChangedHunk<'a>,
        renames: &BTreeMap<&str, &str>,
    ) -> Option<String> {
        if hunk.proof.is_some() {
            return None;
        }
        let (before, after) = hunk.tokens();
        if let Some((old, new)) = swapped(&before, &after, renames) {
            return Some(format!("has {} where {} was", shown(new), shown(old)));
        }
        if let Some((old, new)) = other_value(&before, &after) {
            return Some(format!("has {new} where {old} was"));
        }
        let sign = one_line_condition(hunk)?;
        Some(format!("changes a condition by {}", quote::name(sign)))
    }

    fn only_paths(&self, paths: &[String]) -> Finding {
        if paths.iter().any(|path| !is_path(path)) {
            return Finding::Open;
        }
        let is_named = |path: &str| match paths {
            [] => self.is_mentioned(path) || self.may_be_meant(path),
            paths => paths.iter().any(|said| is_same_path(path, said)),
        };
        if paths.is_empty()
            && !self
                .mentioned
                .iter()
                .any(|name| is_path(name) || is_symbol(name))
        {
            return Finding::Open;
        }
        let touched = self.now.paths();
        match touched.iter().find(|path| !is_named(path)) {
            Some(other) => Finding::against(format!("{} changes too", quote::name(other))),
            // That nothing else was done to what is named is not known.
            None if touched.is_empty() || paths.is_empty() || self.now.has_others => Finding::Open,
            None => Finding::Holds,
        }
    }

    /// Tells whether a message names a path, or something in what changes of it.
    fn is_mentioned(&self, path: &str) -> bool {
        let stem = signoff_core::role::stem(path);
        let of_path = |hunk: &&ChangedHunk<'_>| hunk.path == path;
        self.mentioned.iter().any(|name| {
            is_same_path(path, name)
                || name == stem
                || is_symbol(name)
                    && (self.now.hunks.iter().filter(of_path))
                        .any(|hunk| hunk.mentions(&symbol_of(name)))
        })
    }

    /// Tells whether a message may speak of a path in words: "the usage docs", "its callers", "the version".
    fn may_be_meant(&self, path: &str) -> bool {
        let words: &[&str] = match Role::of(path) {
            Role::Source => &[],
            Role::Test => &["test", "spec"],
            Role::Prose => &["doc"],
            Role::Data | Role::Generated => return true,
        };
        let of_all = [
            "caller",
            "call site",
            "usage",
            "reference",
            "import",
            "everywhere",
        ];
        let stem = signoff_core::role::stem(path).to_lowercase();
        let mut parts = stem.split(|c: char| !c.is_alphanumeric());
        let is_said = |word: &str| self.message.contains(word);
        words.iter().chain(&of_all).any(|word| is_said(word))
            || parts.any(|part| part.len() > 2 && is_said(part))
    }

    fn tests_untouched(&self) -> Finding {
        // What is only added changes no test that was there.
        let loses_code = |hunk: &&ChangedHunk<'_>| {
            hunk.role == Role::Test
                && hunk.changes_code()
                && hunk
                    .removed
                    .iter()
                    .any(|line| !line.trim().is_empty() && !is_import(line))
        };
        if let Some(hunk) = self.now.hunks.iter().find(loses_code) {
            return Finding::by_hunk(hunk, "changes a test");
        }
        match self.every_hunk(|hunk| hunk.role != Role::Test, "") {
            Finding::Holds => Finding::Holds,
            Finding::Contradicted { .. } | Finding::Open => Finding::Open,
        }
    }

    fn nothing(&self) -> Finding {
        match self.now.files.first() {
            // Then it is said of something else.
            Some(_) if self.says_deeds => Finding::Open,
            Some(file) => Finding::against(format!("{} changes", quote::name(file.path))),
            None if self.now.has_others => Finding::Open,
            None => Finding::Holds,
        }
    }

    fn untouched(&self, names: &[String]) -> Finding {
        let paths: Vec<&String> = names.iter().filter(|name| is_path(name)).collect();
        let touched = self.now.paths();
        let other = touched
            .iter()
            .find(|path| paths.iter().any(|said| is_same_path(path, said)));
        match other {
            Some(other) => Finding::against(format!("{} changes", quote::name(other))),
            None if paths.len() < names.len() || paths.is_empty() || self.now.has_others => {
                Finding::Open
            }
            None => Finding::Holds,
        }
    }

    fn file_count(&self, count: usize) -> Finding {
        let of = |is_meant: fn(Operation) -> bool| {
            let files = self
                .now
                .files
                .iter()
                .filter(|file| is_meant(file.operation));
            files
                .map(|file| file.path)
                .collect::<BTreeSet<&str>>()
                .len()
        };
        let all = of(|_| true);
        if count == all {
            return Finding::Holds;
        }
        let is_known = !self.now.has_others && self.earlier.files.is_empty();
        if !is_known || count == of(|it| matches!(it, Operation::Modify | Operation::Rewrite)) {
            return Finding::Open;
        }
        Finding::against(format!(
            "{} {}",
            counted(all, "file"),
            if all == 1 { "changes" } else { "change" }
        ))
    }

    /// Returns the added lines that begin a test.
    fn test_lines<'h>(&self, changes: &'h Changes<'a>) -> Vec<(&'h ChangedHunk<'a>, &'a str)> {
        let each = changes.hunks.iter();
        each.flat_map(|hunk| {
            let removed = trimmed(&hunk.removed);
            let tests = hunk.added.iter().copied().filter(|line| is_test_line(line));
            let new = tests.filter(move |line| !removed.iter().any(|old| old == line.trim()));
            new.map(move |line| (hunk, line)).collect::<Vec<_>>()
        })
        .collect()
    }

    fn tests_added(&self, count: Option<usize>) -> Finding {
        let in_tests = |changes: &Changes<'_>| {
            changes.hunks.iter().any(|hunk| {
                (hunk.role == Role::Test || hunk.path.to_lowercase().contains("test"))
                    && !hunk.added.is_empty()
            })
        };
        let lines = self.test_lines(&self.now);
        let all: Vec<&str> = self
            .now
            .hunks
            .iter()
            .flat_map(|hunk| hunk.added.clone())
            .collect();
        let several = all
            .iter()
            .any(|line| PARAMETRIZED.iter().any(|mark| line.contains(mark)));
        match (count, lines.len()) {
            (Some(count), found) if found == count => Finding::Holds,
            // There may be others, of which another sentence is.
            (Some(count), found)
                if found > 0 && found < count && !several && !self.now.has_others =>
            {
                let are = if found == 1 { "is" } else { "are" };
                Finding::against(format!("{} {are} added", counted(found, "test")))
            }
            (Some(_), 1..) => Finding::Open,
            (None, 1..) => Finding::Holds,
            (_, 0) if in_tests(&self.now) => Finding::Open,
            (_, 0)
                if self.now.has_others
                    || in_tests(&self.earlier)
                    || !self.test_lines(&self.earlier).is_empty() =>
            {
                Finding::Open
            }
            (_, 0) => Finding::against("no test is added"),
        }
    }

    fn tests_pass(&self) -> Finding {
        match &self.tests {
            TestsRun::Passed { is_current: true } => Finding::Holds,
            TestsRun::Passed { is_current: false } | TestsRun::Unclear | TestsRun::Unknown => {
                Finding::Open
            }
            TestsRun::Failed { line } => Finding::against(format!("{} failed", quote::name(line))),
            TestsRun::Never if self.now.has_others => Finding::Open,
            TestsRun::Never => Finding::against("no test ran"),
        }
    }

    fn all_uses(&self, name: Option<&str>) -> Finding {
        let renames = renames(&self.now);
        let renamed: Vec<&str> = renames.keys().copied().collect();
        let names: Vec<&str> = match name {
            Some(name) if renames.values().any(|to| *to == name) && !renames.contains_key(name) => {
                renames
                    .iter()
                    .filter(|(_, to)| **to == name)
                    .map(|(from, _)| *from)
                    .collect()
            }
            Some(name) => vec![name],
            None if renamed.is_empty() => self.removed_definitions(),
            None => renamed,
        };
        let mut is_known = false;
        for name in names {
            let Some(places) = (self.find)(Asked::References, name) else {
                return Finding::Open;
            };
            if let Some(left) = self.left_import(name, &places) {
                return Finding::against(format!(
                    "{} is still used at {}:{}",
                    quote::name(name),
                    quote::name(&left.path),
                    left.line
                ));
            }
            // Another thing of that name, or what was forgotten.
            if !places.is_empty() {
                return Finding::Open;
            }
            is_known |= self.changes_uses(name);
        }
        if is_known && self.reads_all_code() {
            Finding::Holds
        } else {
            Finding::Open
        }
    }

    /// Returns the first import of a name that is defined no more. A call may be of another thing of that name: `d.get(k)`.
    fn left_import<'p>(&self, name: &str, places: &'p [CodePlace]) -> Option<&'p CodePlace> {
        if !self.removed_definitions().contains(&name) || !self.definitions(name).is_empty() {
            return None;
        }
        places.iter().find(|place| place.kind == IMPORT)
    }

    /// Tells whether uses of names are found in every file of code that changes: none are where no grammar reads it.
    fn reads_all_code(&self) -> bool {
        self.now.code().all(|hunk| {
            let path = WorkspacePath::parse(hunk.path, Path::new("/"));
            path.is_ok_and(|path| Language::of(&path).is_some())
        })
    }

    /// Tells whether a file of tests has new lines.
    fn adds_to_tests(&self) -> bool {
        let mut hunks = self.now.hunks.iter();
        hunks.any(|hunk| hunk.role == Role::Test && !hunk.added.is_empty())
    }

    /// Returns the names whose definitions go and that no added line has.
    fn removed_definitions(&self) -> Vec<&'a str> {
        let tokens = self
            .now
            .code()
            .flat_map(|hunk| hunk.of_lines(&hunk.removed));
        let tokens: Vec<Token<'a>> = tokens.collect();
        let names = tokens.windows(2).filter_map(|pair| match pair {
            [Token::Word(word), Token::Word(name)] if DEFINES.contains(word) => Some(*name),
            _ => None,
        });
        names.filter(|name| self.is_gone(name)).collect()
    }

    fn left(&self, names: &[String]) -> Finding {
        let paths: Vec<&String> = names.iter().filter(|name| is_path(name)).collect();
        // Uses are known by syntax.
        let is_code = |path: &&String| matches!(Role::of(path), Role::Source | Role::Test);
        if !paths.iter().all(is_code) {
            return Finding::Open;
        }
        let renames = renames(&self.now);
        let symbols: Vec<String> = names
            .iter()
            .filter(|name| is_symbol(name))
            .map(|name| symbol_of(name))
            .collect();
        let meant: Vec<String> = match symbols.as_slice() {
            [] => renames.keys().map(|name| (*name).to_owned()).collect(),
            [.., last] => vec![last.clone()],
        };
        for name in &meant {
            let places = self.uses(name);
            let is_meant = |place: &CodePlace| {
                paths.is_empty() || paths.iter().any(|path| is_same_path(&place.path, path))
            };
            if places.iter().any(is_meant) {
                return Finding::Holds;
            }
        }
        Finding::Open
    }

    /// Tells whether no added line has a name that removed ones have.
    fn is_gone(&self, name: &str) -> bool {
        self.now.has_removed(name) && !self.now.has_added(name)
    }

    fn changes_uses(&self, name: &str) -> bool {
        let lines = |hunk: &ChangedHunk<'a>| [hunk.removed.clone(), hunk.added.clone()].concat();
        self.now
            .code()
            .flat_map(lines)
            .any(|line| has_name(line, name))
    }

    fn unused(&self, imports: bool) -> Finding {
        let removes = |hunk: &ChangedHunk<'_>| !is_blank(&hunk.removed);
        let mut files = self.now.files.iter();
        if !self.now.has_others
            && self.earlier.files.is_empty()
            && !self.now.hunks.iter().any(removes)
            && !files.any(|file| file.operation == Operation::Delete)
        {
            return Finding::against("nothing is removed");
        }
        let names: Vec<(&str, Option<&str>)> = if imports {
            let imported = self.imported().into_iter();
            imported.map(|(name, path)| (name, Some(path))).collect()
        } else {
            let names = self.removed_definitions().into_iter();
            names.map(|name| (name, None)).collect()
        };
        for (name, path) in &names {
            let mut places = self.uses(name);
            let used = match path {
                // Without its import, a use in the same file; with another one of that name, it may be of that.
                Some(path) => {
                    places.retain(|place| place.path == *path);
                    let is_imported = places.iter().any(|place| place.kind == IMPORT);
                    places.first().filter(|_| !is_imported)
                }
                None => self.left_import(name, &places),
            };
            if let Some(used) = used {
                return Finding::against(format!(
                    "{} is still used at {}:{}",
                    quote::name(name),
                    quote::name(&used.path),
                    used.line
                ));
            }
        }
        // That nothing else uses it, by another name or in a language that is not read, is not known.
        Finding::Open
    }

    /// Returns the last names of removed imports of one line that no added line has, with their files.
    fn imported(&self) -> Vec<(&'a str, &'a str)> {
        let each = self.now.hunks.iter().flat_map(|hunk| {
            let lines = hunk.removed.iter().copied().filter(|line| {
                // Python binds the first name of `import a.b`.
                let is_dotted = hunk.path.ends_with(".py") && !line.contains("from ");
                is_import(line)
                    && !line.contains(['*', '#'])
                    && (!is_dotted || !line.contains('.'))
                    && !line.trim_end().ends_with(['(', '{', ','])
            });
            let names = lines.filter_map(|line| {
                let named = match line.split_once(" from ") {
                    Some((named, _)) if line.trim_start().starts_with("import ") => named,
                    _ => line,
                };
                let words = hunk.of_lines(&[named]).into_iter();
                words.rev().find_map(|token| match token {
                    Token::Word(word) if word != "require" => Some(word),
                    _ => None,
                })
            });
            names.map(|name| (name, hunk.path)).collect::<Vec<_>>()
        });
        each.filter(|(name, _)| !self.now.has_added(name)).collect()
    }

    fn deed(&self, deed: Deed, names: &[String]) -> Finding {
        let findings: Vec<Finding> = names.iter().map(|name| self.deed_to(deed, name)).collect();
        strictest(findings)
    }

    fn deed_to(&self, deed: Deed, name: &str) -> Finding {
        if is_path(name) {
            return self.deed_to_path(deed, name);
        }
        if !is_symbol(name) {
            return self.deed_to_text(deed, name);
        }
        let name = &symbol_of(name);
        let (is_added, is_removed) = (self.now.has_added(name), self.now.has_removed(name));
        let was = self.earlier.has_added(name) || self.earlier.has_removed(name);
        let sure = !self.now.has_others && !was;
        let shown = quote::name(name);
        match deed {
            Deed::Added if is_added => Finding::Holds,
            Deed::Added if sure => Finding::against(format!("no added line has {shown}")),
            Deed::Removed if is_removed && !is_added => Finding::Holds,
            Deed::Removed if is_removed => Finding::Open,
            Deed::Removed if sure && !self.is_path_part(name) => {
                Finding::against(format!("no removed line has {shown}"))
            }
            // How it changed cannot be told, and it may be by what it calls.
            Deed::Added | Deed::Removed | Deed::Changed => Finding::Open,
        }
    }

    /// Judges a deed to what is no name, as a flag: `--verbose`.
    fn deed_to_text(&self, deed: Deed, text: &str) -> Finding {
        if deed != Deed::Added {
            return Finding::Open;
        }
        let mut lines = self.now.hunks.iter().flat_map(|hunk| &hunk.added);
        if lines.any(|line| line.contains(text)) {
            return Finding::Holds;
        }
        let is_flag = text.starts_with('-') && !text.contains(' ');
        if is_flag && !self.now.has_others && self.earlier.files.is_empty() {
            return Finding::against(format!("no added line has {}", quote::name(text)));
        }
        Finding::Open
    }

    /// Tells whether a name is part of the name of a file that changes.
    fn is_path_part(&self, name: &str) -> bool {
        self.now.paths().iter().any(|path| path.contains(name))
    }

    /// Returns where a name is used as staged; nowhere where that is not known.
    fn uses(&self, name: &str) -> Vec<CodePlace> {
        (self.find)(Asked::References, name)
            .into_iter()
            .flatten()
            .collect()
    }

    /// Returns where a name is defined as staged; nowhere where that is not known.
    fn definitions(&self, name: &str) -> Vec<CodePlace> {
        (self.find)(Asked::Definitions, name)
            .into_iter()
            .flatten()
            .collect()
    }

    fn deed_to_path(&self, deed: Deed, name: &str) -> Finding {
        let touches = |changes: &Changes<'_>| -> Option<Operation> {
            let mut files = changes.files.iter();
            let file = files.find(|file| {
                is_same_path(file.path, name) || file.to.is_some_and(|to| is_same_path(to, name))
            });
            file.map(|file| file.operation)
        };
        match (deed, touches(&self.now)) {
            (Deed::Removed, Some(Operation::Delete | Operation::Move)) => Finding::Holds,
            (Deed::Changed, Some(_)) | (Deed::Added, Some(Operation::Create | Operation::Move)) => {
                Finding::Holds
            }
            // It may be what a line names: "Added `build/` to `.gitignore`", or be made by a command.
            (Deed::Added | Deed::Removed, Some(_)) => Finding::Open,
            (Deed::Added | Deed::Removed, None) if self.has_commands || self.is_named(name) => {
                Finding::Open
            }
            (_, None) if self.now.has_others || touches(&self.earlier).is_some() => Finding::Open,
            (_, None) => Finding::against(format!("{} does not change", quote::name(name))),
        }
    }

    /// Tells whether a line that changes has a text.
    fn is_named(&self, text: &str) -> bool {
        let mut hunks = self.now.hunks.iter();
        let text = text.trim_end_matches('/');
        hunks.any(|hunk| {
            let mut lines = hunk.removed.iter().chain(&hunk.added);
            lines.any(|line| line.contains(text))
        })
    }

    fn touched(&self, names: &[String]) -> Finding {
        let each = names.iter().map(|name| self.deed_to(Deed::Changed, name));
        strictest(each.collect())
    }

    fn valued(&self, name: &str, value: &str) -> Finding {
        let name = symbol_of(name);
        let has_value = |line: &str| has_name(line, &name) && has_name(line, value);
        if self
            .now
            .hunks
            .iter()
            .any(|hunk| hunk.added.iter().any(|line| has_value(line)))
        {
            return Finding::Holds;
        }
        let is_new = self
            .now
            .hunks
            .iter()
            .any(|hunk| hunk.added.iter().any(|line| has_name(line, value)));
        if self.now.has_others || is_new || !self.earlier.files.is_empty() || !is_symbol(&name) {
            return Finding::Open;
        }
        Finding::against(format!("no added line has {value}"))
    }

    fn renamed(&self, from: &str, to: &str) -> Finding {
        if is_path(from) && is_path(to) {
            let moved = strictest(vec![
                self.deed_to_path(Deed::Removed, from),
                self.deed_to_path(Deed::Added, to),
            ]);
            return moved;
        }
        if !is_symbol(from) || !is_symbol(to) {
            return Finding::Open;
        }
        let (from, to) = (symbol_of(from), symbol_of(to));
        if self.now.has_others || from == to || !self.earlier.files.is_empty() {
            return Finding::Open;
        }
        if self.is_path_part(&from) || self.is_path_part(&to) {
            return Finding::Open;
        }
        if !self.now.has_added(&to) {
            return Finding::against(format!("no added line has {}", quote::name(&to)));
        }
        if !self.now.has_removed(&from) {
            return Finding::against(format!("no removed line has {}", quote::name(&from)));
        }
        let touched = self.now.paths();
        let is_here = |place: &CodePlace| touched.contains(&place.path.as_str());
        if self.definitions(&from).iter().any(is_here) {
            return Finding::Open;
        }
        Finding::Holds
    }
}

/// Returns the finding of a list: contradicted if one is, open if one is, else that it holds.
fn strictest(findings: Vec<Finding>) -> Finding {
    if let Some(at) = findings.iter().position(Finding::is_contradicted) {
        return findings.into_iter().nth(at).unwrap_or(Finding::Open);
    }
    if findings.is_empty() || findings.contains(&Finding::Open) {
        return Finding::Open;
    }
    Finding::Holds
}

/// Tells whether a path is the one that a message means: all of it, its end, or a folder above it.
fn is_same_path(path: &str, said: &str) -> bool {
    if matches!(said, "README" | "CHANGELOG" | "LICENSE") {
        return signoff_core::role::stem(path) == said;
    }
    let said = said.trim_start_matches("./");
    let said = said.split_once(':').map_or(said, |(path, _)| path);
    path == said
        || path.ends_with(said)
            && path
                .get(..path.len() - said.len())
                .is_some_and(|head| head.ends_with('/'))
        || said.ends_with('/') && (path.starts_with(said) || path.contains(&format!("/{said}")))
}
