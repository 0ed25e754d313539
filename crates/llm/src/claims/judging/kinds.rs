//! Judges deeds to kinds of things, by what the change has none of.
//!
//! ```text
//! "removed unused imports"     no removed line is an import
//! "fixed a bug"                nothing changes
//! "added a parameter"          the code is the same, only layout or comments differ
//! ```

use std::collections::BTreeSet;

use signoff_core::edit::intent::Operation;
use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_core::role::Role;

use super::super::changes::{ChangedHunk, has_name};
use super::super::frame::Frame;
use super::super::hunk_kinds::{
    defined_name, is_blank, is_import, is_layout, is_test_line, is_within_text,
};
use super::super::lexicon::{Act, Mark, Thing};
use super::super::names::is_symbol;
use super::super::tokens::Comments;
use super::{Finding, Judge};

/// Acts that change code, where they are done to things of code.
const OF_CODE: [Act; 7] = [
    Act::Add,
    Act::Gain,
    Act::Remove,
    Act::Set,
    Act::Rename,
    Act::Move,
    Act::Replace,
];

/// Things of code.
const CODE: [Thing; 6] = [
    Thing::Function,
    Thing::Type,
    Thing::Variable,
    Thing::Import,
    Thing::Value,
    Thing::Test,
];

impl<'a> Judge<'a> {
    /// Judges deeds by what the change has none of.
    pub(super) fn kinds(&self, frame: &Frame) -> Finding {
        let is_sure = !self.now.has_others && !self.earlier_touches();
        let is_limited = frame.is_denied() || frame.has(Mark::Part) || frame.has(Mark::Except);
        if !is_sure || is_limited {
            return Finding::Open;
        }
        let is_now = frame.has(Mark::Now)
            && frame.begins_with_name
            && !frame.is_act(&[Act::Keep, Act::Pass, Act::Fail, Act::Run, Act::Document]);
        let is_deed = frame.is_deed && !frame.has_subject;
        if self.now.files.is_empty() {
            let is_change =
                is_deed && (frame.is_act(&OF_CODE) || frame.is_act(&[Act::Change, Act::Format]));
            let is_told =
                is_change && !frame.is_label && !frame.has_thing(&[Thing::Trouble]) || is_now;
            return if is_told && !self.log.may_make_files() {
                Finding::against("nothing changes")
            } else {
                Finding::Open
            };
        }
        let is_of_text =
            frame.has_thing(&[Thing::Comment, Thing::Doc, Thing::Layout, Thing::Readme]);
        let is_of_code = !is_of_text
            && (frame.has_thing(&CODE) || frame.objects.iter().any(|name| is_symbol(name)));
        let is_code_deed = is_deed
            && is_of_code
            && (frame.is_act(&OF_CODE)
                || frame.is_act(&[Act::Change])
                    && frame.has_thing(&CODE)
                    && !frame.has_thing(&[Thing::Import]));
        if (is_code_deed || is_now && !is_of_text) && self.is_inert() {
            let what = if self.now.hunks.iter().all(|hunk| hunk.role == Role::Prose) {
                "no code changes"
            } else {
                "the code is the same, only comments or layout differ"
            };
            return Finding::against(what);
        }
        if !is_deed {
            return Finding::Open;
        }
        match frame.act {
            Some(Act::Remove) => {
                super::strictest(vec![self.none_removed(frame), self.still_imported(frame)])
            }
            Some(Act::Add | Act::Gain) => {
                super::strictest(vec![self.none_added(frame), self.functions_added(frame)])
            }
            _ => Finding::Open,
        }
    }

    /// Tells whether all code is as it was, comments and layout aside.
    fn is_inert(&self) -> bool {
        let is_made = |operation| {
            matches!(
                operation,
                Operation::Create | Operation::Delete | Operation::Move
            )
        };
        let is_same = |hunk: &ChangedHunk<'_>| match hunk.role {
            Role::Prose => true,
            Role::Source | Role::Test => {
                is_layout(hunk)
                    || !hunk.changes_code()
                    || is_within_text(hunk) && !super::super::hunk_kinds::is_surely_code(hunk)
            }
            Role::Data | Role::Generated => false,
        };
        let mut files = self.now.files.iter();
        self.now.hunks.iter().all(is_same)
            && !files.any(|file| is_made(file.operation) && Role::of(file.path) != Role::Prose)
    }

    fn none_removed(&self, frame: &Frame) -> Finding {
        let Some(thing) = frame.things.first() else {
            return Finding::Open;
        };
        let removed = || {
            self.now
                .hunks
                .iter()
                .flat_map(|hunk| hunk.removed.iter().map(move |line| (hunk, *line)))
        };
        let is_deleted = self
            .now
            .files
            .iter()
            .any(|file| matches!(file.operation, Operation::Delete | Operation::Move));
        let is_text_removed = removed().any(|(_, line)| !line.trim().is_empty());
        if is_deleted {
            return Finding::Open;
        }
        let (is_some, what) = match thing {
            Thing::Import => (
                removed().any(|(_, line)| is_any_import(line)),
                "no import is removed",
            ),
            Thing::Test => (
                removed().any(|(_, line)| is_test_line(line)),
                "no test is removed",
            ),
            Thing::File => (
                !frame.objects.is_empty() || !frame.about.is_empty(),
                "no file is removed",
            ),
            Thing::Function | Thing::Type | Thing::Code => (is_text_removed, "nothing is removed"),
            _ => (true, ""),
        };
        let is_of_other = *thing == Thing::File
            && (frame.things.len() > 1 || frame.unknown > 0 || frame.has(Mark::Unused));
        if is_some || is_of_other {
            return Finding::Open;
        }
        Finding::against(what)
    }

    /// Judges that an import is gone, which is there still on another line.
    fn still_imported(&self, frame: &Frame) -> Finding {
        if frame.things != [Thing::Import] {
            return Finding::Open;
        }
        for name in frame.objects.iter().filter(|name| is_symbol(name)) {
            for hunk in &self.now.hunks {
                let count = |lines: &[&str]| {
                    lines
                        .iter()
                        .filter(|line| is_import(line) && has_name(line, name))
                        .count()
                };
                let added = count(&hunk.added);
                if added > 0 && added >= count(&hunk.removed) {
                    return Finding::by_hunk(hunk, &format!("still imports {}", quote::name(name)));
                }
            }
        }
        Finding::Open
    }

    /// Judges how many functions were added.
    fn functions_added(&self, frame: &Frame) -> Finding {
        let count = frame.count.filter(|_| {
            frame.things == [Thing::Function]
                && frame.unknown == 0
                && !frame.is_of_part
                && frame.objects.is_empty()
        });
        let Some(count) = count else {
            return Finding::Open;
        };
        let names = |of: fn(&ChangedHunk<'a>) -> Vec<&'a str>| -> BTreeSet<&'a str> {
            let hunks = self
                .now
                .hunks
                .iter()
                .filter(|hunk| hunk.role == Role::Source);
            let lines = hunks.flat_map(of);
            lines.filter_map(defined_name).collect()
        };
        let (before, after) = (
            names(|hunk| hunk.removed.clone()),
            names(|hunk| hunk.added.clone()),
        );
        let new = after.difference(&before).count();
        if new == 0 || new == count {
            return Finding::Open;
        }
        let are = if new == 1 { "is" } else { "are" };
        Finding::against(format!("{} {are} added", counted(new, "function")))
    }

    fn none_added(&self, frame: &Frame) -> Finding {
        let Some(thing) = frame.things.first() else {
            return Finding::Open;
        };
        let is_made = self
            .now
            .files
            .iter()
            .any(|file| matches!(file.operation, Operation::Create | Operation::Move));
        let added = || self.now.hunks.iter().filter(|hunk| !is_blank(&hunk.added));
        let (is_some, what) = match thing {
            Thing::Comment => (
                added().any(|hunk| {
                    is_within_text(hunk)
                        || hunk.role == Role::Prose
                        || hunk
                            .added
                            .iter()
                            .any(|line| has_comment(hunk.comments, line))
                }),
                "no comment is added",
            ),
            Thing::Import => (
                added().any(|hunk| hunk.added.iter().any(|line| is_any_import(line))),
                "no import is added",
            ),
            Thing::Function | Thing::Type => (
                added().any(|hunk| {
                    hunk.added
                        .iter()
                        .any(|line| line.contains(['(', '{', ':']) || defined_name(line).is_some())
                }),
                "nothing is added",
            ),
            _ => (true, ""),
        };
        if is_some || is_made {
            return Finding::Open;
        }
        Finding::against(what)
    }
}

/// Tells whether a line is an import, or may be one in a block of them: `"fmt"`.
fn is_any_import(line: &str) -> bool {
    let line = line.trim();
    let is_quoted = line.starts_with('"') && line.ends_with('"') && !line.contains(' ');
    let is_listed = line.ends_with(',') && !line.contains(['(', '=', ':']);
    is_import(line) || line.contains("import") || is_quoted || is_listed
}

fn has_comment(comments: Comments, line: &str) -> bool {
    comments.is_comment(line)
        || line.contains("//")
        || line.contains("/*")
        || line.contains('#')
        || line.contains("*/")
        || line.contains("--")
}
