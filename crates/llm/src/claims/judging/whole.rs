//! Judges what is said of the change as a whole: that only one kind of thing changed, or that something did not.
//!
//! ```text
//! "a pure rename"           a hunk whose tokens differ in more than names contradicts it
//! "no behaviour change"     a hunk with another number, operator, guard or text does
//! "only `a.py` changed"     another path that changes does
//! ```

use std::collections::BTreeMap;

use signoff_core::edit::intent::Operation;
use signoff_core::quote;
use signoff_core::role::Role;

use super::super::changes::ChangedHunk;
use super::super::frame::Frame;
use super::super::hunk_kinds::{
    defined_name, is_import, is_layout, is_rename, is_surely_code, is_within_text, other_value,
    parameters, renames, shown, swapped,
};
use super::super::lexicon::{Act, Lexeme, Mark, Thing, lexeme};
use super::super::names::{is_path, is_same_path, is_symbol, symbol_of};
use super::{Finding, Judge};

/// Things that are of the change as a whole, beside the kind that is said to be the only one.
const GENERAL: [Thing; 6] = [
    Thing::File,
    Thing::Code,
    Thing::Project,
    Thing::Function,
    Thing::Use,
    Thing::Variable,
];

impl<'a> Judge<'a> {
    /// Judges that only one kind of thing changed.
    pub(super) fn only(&self, frame: &Frame) -> Finding {
        let is_denied = frame.is_negative() && !frame.has(Mark::Rest);
        let is_only = frame.has(Mark::Only) || frame.has(Mark::No) && frame.has(Mark::Rest);
        if !is_only || frame.is_of_part || is_denied || frame.has(Mark::Except) || frame.unknown > 2
        {
            return Finding::Open;
        }
        let others = [
            Act::Keep,
            Act::Use,
            Act::Behave,
            Act::Run,
            Act::Pass,
            Act::Fail,
            Act::Set,
            Act::Replace,
        ];
        if frame.is_act(&others) {
            return Finding::Open;
        }
        let is_rename = frame.is_act(&[Act::Rename]) || frame.has_thing(&[Thing::Name]);
        let is_layout_act = frame.is_act(&[Act::Format]);
        let kinds = [
            (
                Thing::Layout,
                frame.has_thing(&[Thing::Layout]) || is_layout_act,
            ),
            (
                Thing::Comment,
                frame.has_thing(&[Thing::Comment, Thing::Doc]),
            ),
            (Thing::Name, is_rename),
            (Thing::Test, frame.has_thing(&[Thing::Test])),
        ];
        if frame.things == [Thing::Code]
            && frame.text.contains("source-code")
            && frame.names().next().is_none()
        {
            return self.every_hunk(|hunk| hunk.role != Role::Test, "is a test");
        }
        let mut kinds = kinds.iter().filter(|(_, is_said)| *is_said);
        let kind = match (kinds.next(), kinds.next()) {
            (Some((kind, _)), None) => *kind,
            (None, None) => return self.only_named(frame),
            _ => return Finding::Open,
        };
        // "the only comment that changed" says which of the comments did.
        let mut words = frame.text.split(' ').skip_while(|word| *word == "the");
        if frame.text.starts_with("the ")
            && words.next() == Some("only")
            && words.next().map(lexeme) == Some(Lexeme::Thing(kind))
        {
            return Finding::Open;
        }
        let is_about = |thing: &Thing| {
            *thing == kind
                || GENERAL.contains(thing)
                || kind == Thing::Comment && *thing == Thing::Doc
                || *thing == Thing::Behaviour
        };
        let is_adding = frame.is_act(&[Act::Add, Act::Gain, Act::Remove, Act::Move]);
        if !frame.things.iter().all(is_about)
            || is_adding && matches!(kind, Thing::Name | Thing::Layout)
        {
            return Finding::Open;
        }
        let names: Vec<String> = frame.names().cloned().collect();
        match kind {
            Thing::Name => self.within(&names).only_renamed(),
            Thing::Layout => self.about(&names, |judge| {
                judge.every_hunk(is_layout, "changes more than white space")
            }),
            Thing::Comment => {
                self.about(&names, |judge| judge.values_untouched(Self::only_comments))
            }
            _ => self.about(&names, |judge| {
                judge.every_hunk(|hunk| hunk.role != Role::Source, "is no test")
            }),
        }
    }

    /// Judges that only some files changed.
    fn only_named(&self, frame: &Frame) -> Finding {
        let paths = frame.paths();
        let is_one = frame.things == [Thing::File]
            && frame.text.contains(" file")
            && !frame.text.contains("files");
        if is_one
            && frame.names().next().is_none()
            && frame.is_act(&[Act::Change])
            && !self.now.has_others
        {
            let is_said = |path: &str| {
                path.split(|c: char| !c.is_alphanumeric())
                    .any(|part| part.len() > 2 && frame.text.contains(part))
            };
            let touched = self.now.paths();
            let other = touched
                .iter()
                .find(|path| !is_said(path))
                .filter(|_| touched.len() > 1);
            return other.map_or(Finding::Open, |path| {
                Finding::against(format!("{} changes too", quote::name(path)))
            });
        }
        let is_deed = frame.is_act(&[Act::Change])
            || frame.act.is_none()
                && (!frame.things.is_empty() || frame.says(&["only the", "diff", "touches"]));
        if paths.is_empty() || !is_deed || frame.unknown > 0 || paths.len() < frame.names().count()
        {
            return Finding::Open;
        }
        let is_of_files = frame.has_only(&[Thing::File, Thing::Code, Thing::Project]);
        if !is_of_files || frame.has(Mark::Now) {
            return Finding::Open;
        }
        self.only_paths(&paths)
    }

    /// Judges that something is as it was.
    pub(super) fn kept(&self, frame: &Frame) -> Finding {
        let is_negative = frame.is_negative();
        let is_kept = (frame.has(Mark::Same) || frame.is_act(&[Act::Keep])) && !is_negative;
        let is_unchanged = is_negative
            && (frame.is_act(&[Act::Change, Act::Set]) || frame.has(Mark::Other))
            && !frame.has(Mark::Same);
        if !is_kept && !is_unchanged
            || frame.has(Mark::Part)
            || frame.has(Mark::Only) && is_negative
        {
            return Finding::Open;
        }
        let names: Vec<String> = frame.names().cloned().collect();
        let is_except = frame.has(Mark::Except);
        if is_except {
            let paths = frame.paths();
            return if is_unchanged
                && !paths.is_empty()
                && paths.len() == names.len()
                && frame.unknown == 0
            {
                let mut judge = self.clone();
                if frame.has_thing(&[Thing::Code]) {
                    let is_code = |path| matches!(Role::of(path), Role::Source | Role::Test);
                    judge.now.files.retain(|file| is_code(file.path));
                }
                judge.only_paths(&paths)
            } else {
                Finding::Open
            };
        }
        if frame.has(Mark::Rest) {
            return Finding::Open;
        }
        if frame.has_thing(&[Thing::Behaviour]) || frame.is_act(&[Act::Behave]) {
            return self.behaviour_kept(frame, &names);
        }
        if frame.has_thing(&[Thing::Value]) && names.is_empty() && frame.numbers.is_empty() {
            return match self.same_behaviour() {
                Finding::Holds => Finding::Open,
                _ if frame.unknown > 1 || frame.is_of_part => Finding::Open,
                other => other,
            };
        }
        if frame.has_thing(&[Thing::Api]) {
            return if frame.is_of_part {
                Finding::Open
            } else {
                self.same_api(&frame.symbols())
            };
        }
        if !names.is_empty() {
            return self.names_kept(frame, is_unchanged);
        }
        if frame.is_of_part || frame.unknown > 0 || is_for_others(frame) {
            return Finding::Open;
        }
        match frame.things.as_slice() {
            [Thing::Code, ..] if frame.says(&["moved", "source-code"]) => Finding::Open,
            [Thing::Code, ..] if is_unchanged || frame.has(Mark::Same) => self.only_comments(),
            [Thing::Test, ..] if frame.is_act(&[Act::Change]) || frame.has(Mark::Same) => {
                self.tests_untouched()
            }
            [] if frame.has(Mark::Other) || frame.says(&["before", "to do"]) => Finding::Open,
            [] | [Thing::File | Thing::Project]
                if frame.has(Mark::Same) || frame.is_act(&[Act::Change]) =>
            {
                self.nothing()
            }
            _ => Finding::Open,
        }
    }

    fn behaviour_kept(&self, frame: &Frame, names: &[String]) -> Finding {
        if frame.has_subject && names.is_empty() || frame.is_of_part || frame.unknown > 3 {
            return Finding::Open;
        }
        let symbols = frame.symbols();
        if symbols.is_empty() {
            return self.about(names, Self::same_behaviour);
        }
        let mut judge = self.within(names);
        judge.now.hunks.retain(|hunk| {
            let mut defined = hunk.lines().filter_map(defined_name).peekable();
            defined.peek().is_some()
                && defined.all(|name| symbols.iter().any(|symbol| symbol == name))
        });
        match judge.same_behaviour() {
            Finding::Holds => Finding::Open,
            other => other,
        }
    }

    /// Judges that files did not change, and that symbols are there still.
    fn names_kept(&self, frame: &Frame, is_unchanged: bool) -> Finding {
        let lists = [&frame.objects, &frame.places, &frame.targets];
        let objects = lists.into_iter().find(|list| !list.is_empty());
        let objects = objects.unwrap_or(&frame.objects);
        let is_of_file = frame.has_only(&[
            Thing::File,
            Thing::Code,
            Thing::Project,
            Thing::Api,
            Thing::Use,
        ]);
        if objects.iter().all(|name| is_path(name)) {
            let is_whole = is_of_file
                && frame.about.is_empty()
                && (frame.targets.is_empty() || objects == &frame.targets);
            let is_told = is_unchanged || frame.has(Mark::Same) || frame.text.contains(" alone");
            if is_whole && is_told && frame.unknown == 0 {
                return self.untouched(objects);
            }
            let mut files = self.now.files.iter();
            let gone = files.find(|file| {
                file.operation == Operation::Delete
                    && objects.iter().any(|said| is_same_path(file.path, said))
            });
            return match gone {
                Some(file) if is_of_file || frame.begins_with_name => {
                    Finding::against(format!("{} is removed", quote::name(file.path)))
                }
                _ => Finding::Open,
            };
        }
        // What a name owns stays where the name does not.
        let is_of_owned = frame.text.contains(">'s");
        if frame.unknown > 3 || is_unchanged || is_of_owned {
            return Finding::Open;
        }
        let gone = frame
            .objects
            .iter()
            .filter(|name| is_symbol(name) && !name.contains('.'))
            .find(|name| {
                let name = symbol_of(name);
                let is_gone =
                    frame.begins_with_name && self.uses(&name).is_empty() && !self.now.has_others;
                self.is_gone(&name)
                    && (is_gone || self.removed_definitions().contains(&name.as_str()))
                    && self.definitions(&name).is_empty()
            });
        match gone {
            Some(name) => Finding::against(format!("{} is removed", quote::name(name))),
            None => Finding::Open,
        }
    }

    /// Judges that no definition is gone and none has other parameters.
    fn same_api(&self, names: &[String]) -> Finding {
        let names: Vec<String> = names.iter().map(|name| symbol_of(name)).collect();
        let is_meant = |name: &str| names.is_empty() || names.iter().any(|it| it == name);
        for hunk in self.now.of_role(Role::Source) {
            for line in &hunk.removed {
                let Some(name) = defined_name(line).filter(|name| is_meant(name)) else {
                    continue;
                };
                let other = hunk
                    .added
                    .iter()
                    .find(|line| defined_name(line) == Some(name));
                let is_other = other.is_some_and(|other| parameters(line) != parameters(other));
                if is_other {
                    return Finding::by_hunk(
                        hunk,
                        &format!("changes the signature of {}", quote::name(name)),
                    );
                }
            }
        }
        Finding::Open
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
            !is_rename(hunk, &renames) && !is_within_text(hunk) && is_surely_code(hunk)
        };
        let other = self.now.code().find(is_sure);
        if let Some(other) = other {
            return Finding::by_hunk(other, "changes more than names");
        }
        let is_known = !renames.is_empty() || self.now.has_operation(&[Operation::Move]);
        let is_rename = |hunk: &ChangedHunk<'_>| is_rename(hunk, &renames);
        let is_known = is_known && self.now.code().all(is_rename);
        if is_known && !self.now.has_others && self.now.code().count() == self.now.hunks.len() {
            return Finding::Holds;
        }
        Finding::Open
    }

    /// Judges that no data changed, and then the rest.
    fn values_untouched(&self, rest: fn(&Self) -> Finding) -> Finding {
        let is_value = |hunk: &&ChangedHunk<'_>| hunk.role == Role::Data && hunk.changes_code();
        match self.now.hunks.iter().find(is_value) {
            Some(other) => Finding::by_hunk(other, "changes a value"),
            None => rest(self),
        }
    }

    fn only_comments(&self) -> Finding {
        let is_other = |hunk: &&ChangedHunk<'_>| hunk.changes_code() && !is_within_text(hunk);
        let is_sure = |hunk: &&ChangedHunk<'_>| is_other(hunk) && is_surely_code(hunk);
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
        let hunks = || self.now.of_role(Role::Source);
        let renames = renames(&self.now);
        for name in self.removed_definitions() {
            let places = self.uses(name);
            if let Some(left) = self.left_use(name, &places) {
                return super::uses::still_used(name, left);
            }
        }
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
        let (old, new) = other_value(&before, &after)?;
        Some(format!("has {new} where {old} was"))
    }

    fn only_paths(&self, paths: &[String]) -> Finding {
        if paths.iter().any(|path| !is_path(path)) {
            return Finding::Open;
        }
        let is_named = |path: &str| paths.iter().any(|said| is_same_path(path, said));
        let touched = self.now.paths();
        match touched.iter().find(|path| !is_named(path)) {
            Some(other) => Finding::against(format!("{} changes too", quote::name(other))),
            None if touched.is_empty() || self.now.has_others => Finding::Open,
            None => Finding::Holds,
        }
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
}

/// Tells whether a frame is about what others see of the change: "nothing changes for code that imports it".
fn is_for_others(frame: &Frame) -> bool {
    let others = frame.text.split_once(" for ").map(|(_, others)| others);
    others.is_some_and(|others| {
        let mut words = others.split(' ');
        words.any(|word| matches!(lexeme(word), Lexeme::Thing(_)))
    })
}
