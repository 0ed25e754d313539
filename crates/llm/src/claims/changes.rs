//! What is known of changes, as claims are held against them.
//!
//! In: proposals as they are displayed, and the tests that ran. Out: hunks as removed and added lines, with their tokens.

use std::sync::Arc;

use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::intent::Operation;
use signoff_core::id::HunkId;
use signoff_core::role::Role;
use signoff_core::stage::review::{HunkView, Proof, ProposalView};

use super::test_log::TestLog;
use super::tokens::{Comments, Token, tokens};

/// What a conversation changed and ran.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangeRecord {
    /// What was staged for the newest prompt, as it was displayed last.
    pub now: Vec<Arc<ProposalView>>,
    /// What was staged for earlier prompts.
    pub earlier: Vec<Arc<ProposalView>>,
    /// Whether there are changes that are not among these, as those of a program on the disk itself, or of a conversation that
    /// was taken up: then that something is missing says nothing.
    pub has_others: bool,
    /// The tests that ran last.
    pub tests: TestLog,
}

/// A hunk as claims are held against it.
#[derive(Clone, Debug)]
pub(super) struct ChangedHunk<'a> {
    pub(super) id: HunkId,
    pub(super) path: &'a str,
    /// The line of the file on disk, from 1.
    pub(super) line: u32,
    pub(super) header: &'a str,
    pub(super) proof: Option<&'a Proof>,
    pub(super) removed: Vec<&'a str>,
    pub(super) added: Vec<&'a str>,
    pub(super) context: Vec<&'a str>,
    pub(super) comments: Comments,
    pub(super) role: Role,
}

/// A file that changes.
#[derive(Clone, Debug)]
pub(super) struct ChangedPath<'a> {
    pub(super) path: &'a str,
    pub(super) to: Option<&'a str>,
    pub(super) operation: Operation,
}

/// What changed.
#[derive(Clone, Debug)]
pub(super) struct Changes<'a> {
    pub(super) files: Vec<ChangedPath<'a>>,
    pub(super) hunks: Vec<ChangedHunk<'a>>,
    /// Whether some of it cannot be read here.
    pub(super) has_others: bool,
}

impl<'a> Changes<'a> {
    /// Reads proposals.
    pub(super) fn of(proposals: &'a [Arc<ProposalView>], has_others: bool) -> Self {
        let hunks = || {
            let each = proposals.iter();
            each.flat_map(|view| view.hunks.iter().map(move |hunk| (view.as_ref(), hunk)))
        };
        Self {
            files: proposals.iter().map(|view| ChangedPath::of(view)).collect(),
            has_others: has_others || hunks().any(|(_, hunk)| hunk.is_told_by_sizes()),
            hunks: hunks()
                .map(|(view, hunk)| ChangedHunk::of(view, hunk))
                .collect(),
        }
    }

    /// Returns all added lines.
    pub(super) fn added(&self) -> impl Iterator<Item = &'a str> {
        self.hunks
            .iter()
            .flat_map(|hunk| hunk.added.iter().copied())
    }

    /// Returns all removed lines.
    pub(super) fn removed(&self) -> impl Iterator<Item = &'a str> {
        self.hunks
            .iter()
            .flat_map(|hunk| hunk.removed.iter().copied())
    }

    /// Returns the hunks in files of a role.
    pub(super) fn of_role(&self, role: Role) -> impl Iterator<Item = &ChangedHunk<'a>> {
        self.hunks.iter().filter(move |hunk| hunk.role == role)
    }

    /// Tells whether one of these was done to a file.
    pub(super) fn has_operation(&self, operations: &[Operation]) -> bool {
        let mut files = self.files.iter();
        files.any(|file| operations.contains(&file.operation))
    }

    /// Returns the hunks of code.
    pub(super) fn code(&self) -> impl Iterator<Item = &ChangedHunk<'a>> {
        let each = self.hunks.iter();
        each.filter(|hunk| matches!(hunk.role, Role::Source | Role::Test))
    }

    /// Tells whether an added line has a name.
    pub(super) fn has_added(&self, name: &str) -> bool {
        self.added().any(|line| has_name(line, name))
    }

    /// Tells whether a removed line has a name.
    pub(super) fn has_removed(&self, name: &str) -> bool {
        self.removed().any(|line| has_name(line, name))
    }

    /// Returns the paths that change, each once, those that files go to included.
    pub(super) fn paths(&self) -> Vec<&'a str> {
        let each = self.files.iter();
        let mut paths: Vec<&str> = each
            .flat_map(|file| [Some(file.path), file.to])
            .flatten()
            .collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

impl<'a> ChangedPath<'a> {
    fn of(view: &'a ProposalView) -> Self {
        Self {
            path: &view.path,
            to: view.to.as_deref(),
            operation: view.operation,
        }
    }
}

impl<'a> ChangedHunk<'a> {
    fn of(view: &'a ProposalView, hunk: &'a HunkView) -> Self {
        let lines = |kind: LineKind| hunk.lines.iter().filter(move |line| line.kind == kind);
        let texts = |kind| {
            lines(kind)
                .map(|line: &DiffLine| line.text.as_str())
                .collect()
        };
        Self {
            id: hunk.id,
            path: &view.path,
            line: hunk.line_in_file() + 1,
            header: &hunk.header,
            proof: hunk.proof.as_ref(),
            removed: texts(LineKind::Removed),
            added: texts(LineKind::Added),
            context: texts(LineKind::Context),
            comments: Comments::of(&view.path),
            role: Role::of(&view.path),
        }
    }

    /// Tells whether its code differs, comments and white space aside.
    pub(super) fn changes_code(&self) -> bool {
        let (before, after) = self.tokens();
        before != after
    }

    /// Returns the tokens of its removed and of its added lines.
    pub(super) fn tokens(&self) -> (Vec<Token<'a>>, Vec<Token<'a>>) {
        (self.of_lines(&self.removed), self.of_lines(&self.added))
    }

    /// Returns the tokens of some lines.
    pub(super) fn of_lines(&self, lines: &[&'a str]) -> Vec<Token<'a>> {
        let each = lines.iter();
        each.flat_map(|line| tokens(line, self.comments)).collect()
    }

    /// Returns its lines, changed or not, and the one that encloses it.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'a str> {
        let lines = self.removed.iter().chain(&self.added).chain(&self.context);
        lines.copied().chain([self.header])
    }

    /// Tells whether one of its lines has a name.
    pub(super) fn mentions(&self, name: &str) -> bool {
        self.lines().any(|line| has_name(line, name))
    }
}

/// Tells whether a line has a name that is not part of a longer one.
pub(super) fn has_name(line: &str, name: &str) -> bool {
    let of_name = |c: char| c == '_' || c.is_alphanumeric();
    line.match_indices(name).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let after = line
            .get(at + name.len()..)
            .and_then(|after| after.chars().next());
        let begins = name.starts_with(of_name) && before.is_some_and(of_name);
        let ends = name.ends_with(of_name) && after.is_some_and(of_name);
        !begins && !ends
    })
}

#[cfg(test)]
mod tests {
    use super::has_name;

    #[test]
    fn a_name_is_no_part_of_a_longer_one() {
        let table = [
            ("let load = 1;", "load", true),
            ("reload()", "load", false),
            ("load_all()", "load", false),
            ("a.load()", "load", true),
            ("--verbose", "--verbose", true),
            ("x--verbose", "--verbose", true),
            ("über", "ber", false),
        ];
        for (line, name, expected) in table {
            assert_eq!(has_name(line, name), expected, "{line} {name}");
        }
    }
}
