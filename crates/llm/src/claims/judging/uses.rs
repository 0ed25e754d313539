//! Judges what is said of the uses of names: that all follow, and that what is gone was not used.
//!
//! ```text
//! load -> read, and src/b.py calls load        "all callers are updated" is contradicted by src/b.py:3
//! ```

use std::path::Path;

use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::edit::intent::Operation;
use signoff_core::quote;
use signoff_core::role::Role;
use signoff_core::syntax::Language;

use super::super::changes::ChangedHunk;
use super::super::frame::Frame;
use super::super::hunk_kinds::{DEFINES, defined_name, is_blank, parameters, renames};
use super::super::lexicon::{Act, Mark, Thing};
use super::super::names::{is_same_path, is_symbol, symbol_of};
use super::super::tokens::Token;
use super::{Finding, Judge};
use crate::code_index::{Asked, CodePlace};

/// Names of methods that types of standard libraries have.
const COMMON: [&str; 16] = [
    "append", "delete", "filter", "format", "insert", "length", "listen", "update", "replace",
    "reverse", "remove", "search", "select", "string", "values", "extend",
];

/// The kind of a place where a name is imported.
const IMPORT: &str = "import";

impl<'a> Judge<'a> {
    /// Judges that all uses of a name follow.
    pub(super) fn uses_follow(&self, frame: &Frame) -> Finding {
        let is_of_uses = frame.has_thing(&[Thing::Use, Thing::Import]);
        let is_everywhere = frame.text.contains("everywhere");
        let is_limited = frame.has(Mark::Part)
            || frame.has(Mark::Except)
            || frame.has(Mark::Unused)
            || frame.has_thing(&[Thing::Doc, Thing::Comment, Thing::Test, Thing::Function])
                && !is_of_uses;
        let acts = [
            Act::Change,
            Act::Rename,
            Act::Replace,
            Act::Move,
            Act::Use,
            Act::Set,
        ];
        let is_negative = frame.is_negative();
        let is_all = frame.has(Mark::All)
            && !is_negative
            && !frame.has(Mark::Still)
            && is_of_uses
            && (frame.is_act(&acts) || frame.has(Mark::Now));
        let is_all = is_all || is_everywhere && !is_negative && frame.is_act(&acts);
        let is_none = frame.has(Mark::No)
            && is_of_uses
            && (frame.is_act(&[Act::Keep, Act::Use])
                || frame.has(Mark::Rest)
                || frame.says(&["left", "remain", "exist", "anymore"]));
        let is_gone = frame.has(Mark::Gone) && frame.has_thing(&[Thing::Project]) && !is_negative
            || frame.has(Mark::Gone)
                && (frame.is_act(&[Act::Use]) || frame.has_thing(&[Thing::Use]))
                && !frame.symbols().is_empty();
        if is_limited || !(is_all || is_none || is_gone) {
            return Finding::Open;
        }
        let symbols = frame.symbols();
        let paths: Vec<String> = frame.paths();
        self.all_uses(&symbols, &paths, is_all)
    }

    fn all_uses(&self, symbols: &[String], paths: &[String], is_adapted: bool) -> Finding {
        let renames = renames(&self.now);
        let mut names: Vec<&str> = Vec::new();
        for symbol in symbols {
            let from = renames
                .iter()
                .filter(|(_, to)| *to == symbol)
                .map(|(from, _)| *from);
            names.extend(from);
            names.push(symbol);
        }
        if symbols.is_empty() {
            names.extend(renames.keys().copied());
            names.extend(self.removed_definitions());
        }
        names.dedup();
        let mut is_known = false;
        for name in &names {
            let Some(places) = (self.find)(Asked::References, name) else {
                return Finding::Open;
            };
            let places: Vec<CodePlace> = places
                .into_iter()
                .filter(|place| {
                    paths.is_empty() || paths.iter().any(|path| is_same_path(&place.path, path))
                })
                .collect();
            if let Some(left) = self.left_use(name, &places) {
                return still_used(name, left);
            }
            let is_gone = self.is_gone(name);
            is_known |= is_gone && places.is_empty();
            if is_gone && !places.is_empty() {
                return Finding::Open;
            }
        }
        if is_adapted && let Some(finding) = self.not_adapted(&names) {
            return finding;
        }
        let is_whole = !symbols.is_empty() || names.len() == 1;
        if is_known && is_whole && paths.is_empty() && self.reads_all_code() {
            Finding::Holds
        } else {
            Finding::Open
        }
    }

    /// Returns a call of a function with other parameters in a file that does not change.
    fn not_adapted(&self, names: &[&str]) -> Option<Finding> {
        let touched = self.now.paths();
        for hunk in self.now.code() {
            for line in &hunk.removed {
                let Some(name) = defined_name(line) else {
                    continue;
                };
                if !names.is_empty() && !names.contains(&name) {
                    continue;
                }
                let mut added = hunk.added.iter();
                let other = added.find(|line| defined_name(line) == Some(name));
                let Some(other) = other.filter(|other| parameters(line) < parameters(other)) else {
                    continue;
                };
                if other.contains(['=', '?']) || self.definitions(name).len() > 1 {
                    continue;
                }
                let places = self.uses(name);
                let left = places
                    .iter()
                    .find(|place| place.kind == "call" && !touched.contains(&place.path.as_str()));
                if let Some(left) = left {
                    let (shown, path) = (quote::name(name), quote::name(&left.path));
                    return Some(Finding::against(format!(
                        "{shown} is called at {path}:{}, which does not change",
                        left.line
                    )));
                }
            }
        }
        None
    }

    /// Returns the first place that has a name which is defined no more. A call may be of another thing of that name, `d.get(k)`,
    /// where it is a common word.
    pub(super) fn left_use<'p>(
        &self,
        name: &str,
        places: &'p [CodePlace],
    ) -> Option<&'p CodePlace> {
        if !self.is_gone(name) || !self.definitions(name).is_empty() {
            return None;
        }
        let is_defined_before = self.removed_definitions().contains(&name);
        let is_compound =
            name.len() > 3 && name.chars().skip(1).any(|c| c == '_' || c.is_uppercase());
        let is_own = is_compound || name.len() > 5 && !COMMON.contains(&name);
        places.iter().find(|place| {
            let is_sure = place.kind == IMPORT && is_defined_before;
            is_sure || is_own && (is_defined_before || place.kind != "use")
        })
    }

    /// Tells whether uses of names are found in every file of code that changes: none are where no grammar reads it.
    fn reads_all_code(&self) -> bool {
        self.now.code().all(|hunk| {
            let path = WorkspacePath::parse(hunk.path, Path::new("/"));
            path.is_ok_and(|path| Language::of(&path).is_some())
        })
    }

    /// Tells whether a file of tests has new lines.
    pub(super) fn adds_to_tests(&self) -> bool {
        let mut hunks = self.now.hunks.iter();
        hunks.any(|hunk| hunk.role == Role::Test && !hunk.added.is_empty())
    }

    /// Returns the names whose definitions go and that no added line has.
    pub(super) fn removed_definitions(&self) -> Vec<&'a str> {
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

    /// Tells whether no added line has a name that removed ones have.
    pub(super) fn is_gone(&self, name: &str) -> bool {
        self.now.has_removed(name) && !self.now.has_added(name)
    }

    /// Judges that what was removed was not used.
    pub(super) fn unused(&self, frame: &Frame) -> Finding {
        let is_removed = frame.is_act(&[Act::Remove]) || frame.has(Mark::Gone);
        if !is_removed || !frame.has(Mark::Unused) || frame.is_negative() {
            return Finding::Open;
        }
        let removes = |hunk: &ChangedHunk<'_>| !is_blank(&hunk.removed);
        if self.is_sure()
            && !self.now.hunks.iter().any(removes)
            && !self.now.has_operation(&[Operation::Delete])
        {
            return Finding::against("nothing is removed");
        }
        let symbols = frame.objects.iter().filter(|name| is_symbol(name));
        let mut names: Vec<String> = symbols.map(|name| symbol_of(name)).collect();
        if frame.objects.is_empty() && !frame.has_thing(&[Thing::Import]) {
            names.extend(self.removed_definitions().into_iter().map(str::to_owned));
        }
        for name in &names {
            let places = self.uses(name);
            if let Some(left) = self.left_use(name, &places) {
                return still_used(name, left);
            }
        }
        // That nothing else uses it, by another name or in a language that is not read, is not known.
        Finding::Open
    }
}

pub(super) fn still_used(name: &str, place: &CodePlace) -> Finding {
    Finding::against(format!(
        "{} is still used at {}:{}",
        quote::name(name),
        quote::name(&place.path),
        place.line
    ))
}
