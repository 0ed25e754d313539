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
        let is_sure = self.is_sure();
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
            return Finding::against("the code is the same, only comments or layout differ");
        }
        if !is_deed {
            return Finding::Open;
        }
        match frame.act {
            Some(Act::Remove) if self.keeps_tests(frame) => Finding::against("no test is removed"),
            Some(Act::Remove) => self.still_imported(frame),
            Some(Act::Add | Act::Gain) if self.adds_no_comment(frame) => {
                Finding::against("no comment is added")
            }
            Some(Act::Add | Act::Gain) => self.functions_added(frame),
            _ => Finding::Open,
        }
    }

    /// Tells whether all code is as it was, comments and layout aside.
    fn is_inert(&self) -> bool {
        let made = [Operation::Create, Operation::Delete, Operation::Move];
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
            && !files
                .any(|file| made.contains(&file.operation) && Role::of(file.path) != Role::Prose)
    }

    /// Tells whether no test goes, where one is said to.
    fn keeps_tests(&self, frame: &Frame) -> bool {
        let gone = [Operation::Delete, Operation::Move];
        frame.things.first() == Some(&Thing::Test)
            && !self.now.has_operation(&gone)
            && !self.now.removed().any(is_test_line)
    }

    /// Tells whether no comment comes, where one is said to.
    fn adds_no_comment(&self, frame: &Frame) -> bool {
        let may_comment = |hunk: &ChangedHunk<'_>| {
            let mut added = hunk.added.iter();
            is_within_text(hunk)
                || hunk.role == Role::Prose
                || added.any(|line| has_comment(hunk.comments, line))
        };
        let made = [Operation::Create, Operation::Move];
        let mut hunks = self.now.hunks.iter().filter(|hunk| !is_blank(&hunk.added));
        frame.things.first() == Some(&Thing::Comment)
            && !self.now.has_operation(&made)
            && !hunks.any(may_comment)
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
                && !frame.has_any(&[Mark::More, Mark::Part])
                && frame.objects.is_empty()
        });
        let Some(count) = count else {
            return Finding::Open;
        };
        let names = |of: fn(&ChangedHunk<'a>) -> Vec<&'a str>| -> BTreeSet<&'a str> {
            let lines = self.now.of_role(Role::Source).flat_map(of);
            let names = lines.filter_map(defined_name);
            names
                .filter(|name| !name.to_lowercase().contains("test"))
                .collect()
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
}

fn has_comment(comments: Comments, line: &str) -> bool {
    comments.is_comment(line)
        || line.contains("//")
        || line.contains("/*")
        || line.contains('#')
        || line.contains("*/")
        || line.contains("--")
}
