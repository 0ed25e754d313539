//! Judges what is said to have been done to names.
//!
//! ```text
//! Rename load -> read     no added line has read
//! Add `--json`            no added line has it
//! Change README           it does not change
//! Add f in src/b.py       f is added in src/a.py
//! ```

use signoff_core::edit::intent::Operation;
use signoff_core::quote;
use signoff_core::role::Role;

use super::super::changes::Changes;
use super::super::frame::Frame;
use super::super::hunk_kinds::defined_name;
use super::super::lexicon::{Act, Mark, Thing};
use super::super::names::{is_path, is_same_path, is_symbol, symbol_of};
use super::{Finding, Judge, strictest};
use crate::code_index::CodePlace;

/// What was done to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// It is there now.
    Added,
    /// It is gone.
    Removed,
    /// It is another one.
    Changed,
}

/// Tells whether a word of a text of code is one that a line has as it is.
fn is_plain_word(word: &str) -> bool {
    let is_of_word =
        |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '@' | '/');
    word.len() > 2 && word.chars().any(char::is_alphanumeric) && word.chars().all(is_of_word)
}

/// Returns a text without white space.
fn packed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Tells whether a name is a value rather than something that is defined.
fn name_is_value(name: Option<&String>) -> bool {
    name.is_some_and(|name| {
        matches!(
            name.as_str(),
            "true" | "false" | "null" | "None" | "nil" | "undefined" | "True" | "False" | "NaN"
        )
    })
}

impl<'a> Judge<'a> {
    /// Judges deeds to names.
    pub(super) fn deeds(&self, frame: &Frame) -> Finding {
        let is_except = frame.has(Mark::Except)
            && (frame.has(Mark::Only) || !frame.is_act(&[Act::Add, Act::Remove, Act::Rename]));
        if frame.is_denied() && !frame.has(Mark::Gone) || frame.has(Mark::Part) || is_except {
            return Finding::Open;
        }
        let Some(act) = frame.act else {
            return self.state(frame);
        };
        if frame.has_subject || !frame.is_deed || frame.has(Mark::Gone) {
            return self.state(frame);
        }
        let mut findings = match act {
            Act::Rename => self.renamed_names(frame),
            // "added a comment to `load`": that is there already.
            Act::Add | Act::Gain if frame.has_thing(&[Thing::Comment, Thing::Doc, Thing::Use]) => {
                self.each(Deed::Changed, &frame.objects, frame)
            }
            Act::Add | Act::Gain => self.added_there(frame),
            Act::Remove => self.each(Deed::Removed, &frame.objects, frame),
            Act::Replace => {
                let mut findings = self.each(Deed::Removed, &frame.objects, frame);
                findings.extend(self.each(Deed::Added, &frame.targets, frame));
                findings
            }
            Act::Set | Act::Move => {
                let mut findings = self.each(Deed::Changed, &frame.objects, frame);
                for name in frame.targets.iter().filter(|name| !is_symbol(name)) {
                    if !is_path(name) {
                        findings.push(self.deed_to(Deed::Added, name));
                    } else if act == Act::Move {
                        findings.push(self.deed_to(Deed::Changed, name));
                    }
                }
                findings
            }
            Act::Change | Act::Format | Act::Document => {
                self.each(Deed::Changed, &frame.objects, frame)
            }
            Act::Keep | Act::Use | Act::Pass | Act::Fail | Act::Run | Act::Behave => {
                return self.state(frame);
            }
        };
        findings.extend(self.in_places(frame));
        strictest(findings)
    }

    /// Judges that names were added, and to the files that are named: `X` to `a.md`.
    fn added_there(&self, frame: &Frame) -> Vec<Finding> {
        let mut findings = self.each(Deed::Added, &frame.objects, frame);
        let is_to =
            frame.says(&[" to ", " into "]) && !frame.says(&[" with ", " as ", " by ", "→"]);
        let targets = frame.targets.iter().filter(|name| is_to && is_path(name));
        let targets: Vec<String> = targets.cloned().collect();
        findings.extend(
            targets
                .iter()
                .map(|to| self.deed_to_path(Deed::Changed, to)),
        );
        let paths = [targets, frame.places.clone()].concat();
        let there = self.within(&paths);
        let names = frame.objects.iter().filter(|name| !is_path(name));
        // It is added elsewhere; whether it is the same is not known.
        findings.extend(
            names
                .map(|name| there.deed_to(Deed::Added, name))
                .filter(|finding| *finding != Finding::Holds)
                .map(|_| Finding::Open),
        );
        findings
    }

    /// Judges that what was done was done in the files that are named.
    fn in_places(&self, frame: &Frame) -> Vec<Finding> {
        if frame.is_act(&[Act::Remove]) && frame.has_thing(&[Thing::Use, Thing::Import]) {
            return Vec::new();
        }
        let places = frame.places.iter().filter(|name| is_path(name));
        places
            .map(|place| self.deed_to_path(Deed::Changed, place))
            .collect()
    }

    /// Judges what is said to be so now.
    fn state(&self, frame: &Frame) -> Finding {
        if frame.is_there
            && !frame.is_denied()
            && let Some(name) = frame.objects.iter().find(|name| is_symbol(name))
        {
            let symbol = symbol_of(name);
            let is_known = self.touches(&symbol)
                || !self.definitions(&symbol).is_empty()
                || !self.uses(&symbol).is_empty();
            if !is_known && self.is_sure() {
                return Finding::against(format!("{} is nowhere in the change", quote::name(name)));
            }
        }
        let is_of_it = frame.is_act(&[Act::Document]) && frame.text.ends_with(" it");
        if !frame.has(Mark::Now) && !is_of_it
            || frame.is_denied()
            || frame.is_act(&[Act::Keep, Act::Pass, Act::Fail])
        {
            return Finding::Open;
        }
        let subject = if frame.has_subject {
            frame.subject.first()
        } else {
            frame.objects.first()
        };
        let is_example = name_is_value(subject);
        let finding = match subject {
            Some(name) if frame.begins_with_name && !is_example => {
                self.deed_to(Deed::Changed, name)
            }
            _ => strictest(self.in_places(frame)),
        };
        // That it changed does not make it what is said.
        match finding {
            Finding::Holds => Finding::Open,
            other => other,
        }
    }

    fn each(&self, deed: Deed, names: &[String], frame: &Frame) -> Vec<Finding> {
        let only_paths = frame.has_thing(&[Thing::Import, Thing::Use, Thing::Comment, Thing::Doc]);
        names
            .iter()
            .map(|name| {
                if only_paths && is_path(name) && deed != Deed::Changed {
                    return Finding::Open;
                }
                if frame.is_label && is_symbol(name) && self.touches(&symbol_of(name)) {
                    return Finding::Open;
                }
                match self.deed_to(deed, name) {
                    other
                        if !other.is_contradicted()
                            && deed == Deed::Removed
                            && !only_paths
                            && is_symbol(name) =>
                    {
                        self.still_defined(name, frame).unwrap_or(other)
                    }
                    other => other,
                }
            })
            .collect()
    }

    /// Returns that a name which is said to be gone is defined still, in a file that changes.
    fn still_defined(&self, name: &str, frame: &Frame) -> Option<Finding> {
        let is_of_part = frame.has_thing(&[
            Thing::Test,
            Thing::Code,
            Thing::Value,
            Thing::Dependency,
            Thing::Api,
        ]);
        let name = symbol_of(name);
        let paths = self.now.paths();
        let is_meant = |place: &&CodePlace| {
            paths.contains(&place.path.as_str())
                && !frame
                    .places
                    .iter()
                    .any(|said| is_path(said) && !is_same_path(&place.path, said))
        };
        let places = self.definitions(&name);
        let place = places
            .iter()
            .find(is_meant)
            .filter(|_| !is_of_part && places.len() == 1)?;
        if !self.is_sure() || self.moves(&name) {
            return None;
        }
        Some(Finding::against(format!(
            "{} is still defined at {}:{}",
            quote::name(&name),
            quote::name(&place.path),
            place.line
        )))
    }

    /// Tells whether the definition of a name goes at one place and comes at another.
    fn moves(&self, name: &str) -> bool {
        let mut lines = self.now.removed().chain(self.now.added());
        lines.any(|line| defined_name(line) == Some(name))
    }

    fn renamed_names(&self, frame: &Frame) -> Vec<Finding> {
        let (from, to) = (&frame.objects, &frame.targets);
        if to.is_empty() {
            return self.each(Deed::Removed, from, frame);
        }
        if from.len() != to.len() {
            return self.each(Deed::Added, to, frame);
        }
        from.iter()
            .zip(to)
            .map(|(from, to)| self.renamed(from, to))
            .collect()
    }

    fn deed_to(&self, deed: Deed, name: &str) -> Finding {
        // `.gitignore`, `py.typed`: no more than a name by its looks.
        let is_changed_file =
            name.contains('.') && self.now.paths().iter().any(|path| is_same_path(path, name));
        if is_path(name) || is_changed_file {
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
            Deed::Changed if sure && !self.touches(name) => {
                Finding::against(format!("no change touches {shown}"))
            }
            Deed::Changed if sure => self.defined_elsewhere(name).unwrap_or(Finding::Open),
            Deed::Added | Deed::Removed | Deed::Changed => Finding::Open,
        }
    }

    /// Judges a deed to what is no name: a flag, a version, a line of code.
    fn deed_to_text(&self, deed: Deed, text: &str) -> Finding {
        let is_removed = deed == Deed::Removed;
        let lines: Vec<&str> = match deed {
            Deed::Added => self.now.added().collect(),
            Deed::Removed => self.now.removed().collect(),
            Deed::Changed => return Finding::Open,
        };
        let has = |text: &str| lines.iter().any(|line| line.contains(text));
        if has(text) {
            return if is_removed {
                Finding::Open
            } else {
                Finding::Holds
            };
        }
        let is_flag = text.starts_with('-') && !text.contains(' ');
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_known = words.len() <= 3 && !text.contains("...") && !text.contains('…');
        let is_sure = is_known && self.is_sure() && !self.log.may_make_files();
        if is_removed && is_sure && text.len() > 3 && words.len() <= 3 {
            let text = packed(text);
            if !lines.iter().any(|line| packed(line).contains(&text)) {
                return Finding::against(format!("no removed line has {}", quote::name(&text)));
            }
        }
        let missing = words.iter().find(|word| {
            (is_plain_word(word) || is_flag)
                && !has(word)
                && !self.is_path_part(word.trim_matches('/'))
        });
        match missing {
            Some(word) if is_sure => {
                let which = if is_removed { "removed" } else { "added" };
                Finding::against(format!("no {which} line has {}", quote::name(word)))
            }
            _ => Finding::Open,
        }
    }

    /// Tells whether a hunk, or a file that changes, may have to do with a name.
    fn touches(&self, name: &str) -> bool {
        let paths = self.now.paths();
        self.is_path_part(name)
            || self.now.hunks.iter().any(|hunk| hunk.mentions(name))
            || self.definitions(name).iter().any(|place| {
                place.kind != "function"
                    && place.kind != "method"
                    && paths.contains(&place.path.as_str())
            })
            || paths
                .iter()
                .any(|path| path.to_lowercase().contains(&name.to_lowercase()))
            || self.calls_changed(name)
    }

    /// Returns that the one definition of a name is in a file that does not change.
    fn defined_elsewhere(&self, name: &str) -> Option<Finding> {
        let definitions = self.definitions(name);
        let [place] = definitions.as_slice() else {
            return None;
        };
        let paths = self.now.paths();
        let is_other = !paths.contains(&place.path.as_str()) && !self.is_path_part(name);
        if !is_other || self.calls_changed(name) || self.moves(name) {
            return None;
        }
        let path = quote::name(&place.path);
        Some(Finding::against(format!("{path} does not change")))
    }

    /// Tells whether a function uses another one that changes.
    fn calls_changed(&self, name: &str) -> bool {
        let source = self.now.of_role(Role::Source);
        let source = source.filter(|hunk| hunk.changes_code());
        let mut changed: Vec<&str> = source
            .flat_map(|hunk| hunk.lines().filter_map(defined_name))
            .collect();
        changed.sort_unstable();
        changed.dedup();
        changed.iter().any(|other| {
            self.uses(other).iter().any(|place| {
                let container = place.container.as_deref().unwrap_or("");
                container.rsplit(['.', ':']).next() == Some(name)
            })
        })
    }

    /// Tells whether a name is part of the name of a file that changes.
    fn is_path_part(&self, name: &str) -> bool {
        self.now.paths().iter().any(|path| path.contains(name))
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
            (Deed::Added | Deed::Removed, None)
                if self.log.may_make_files() || self.is_named(name) =>
            {
                Finding::Open
            }
            (_, None) if self.now.has_others || touches(&self.earlier).is_some() => Finding::Open,
            (_, None) => Finding::against(format!("{} does not change", quote::name(name))),
        }
    }

    /// Tells whether a line that changes has a text.
    fn is_named(&self, text: &str) -> bool {
        let text = text.trim_end_matches('/');
        let mut lines = self.now.removed().chain(self.now.added());
        lines.any(|line| line.contains(text))
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
        if !self.is_sure() || from == to || self.is_path_part(&to) {
            return Finding::Open;
        }
        if !self.now.has_added(&to) {
            return Finding::against(format!("no added line has {}", quote::name(&to)));
        }
        if self.is_path_part(&from) {
            return Finding::Open;
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
