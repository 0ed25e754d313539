//! Judges numbers: of files, of tests, and the values that things have now.
//!
//! ```text
//! "three tests were added"       1 test is added
//! "raised `LIMIT` to 20"         no added line has 20
//! ```

use std::collections::BTreeSet;

use signoff_core::edit::intent::Operation;
use signoff_core::plural::counted;
use signoff_core::role::Role;

use super::super::changes::{ChangedHunk, Changes, has_name};
use super::super::frame::Frame;
use super::super::hunk_kinds::{is_test_line, trimmed};
use super::super::lexicon::{Act, Mark, Thing};
use super::super::names::is_path;
use super::{Finding, Judge};

/// Marks of one test that counts for several.
const PARAMETRIZED: [&str; 7] = [
    "parametrize",
    ".each",
    "rstest",
    "#[case",
    "ParameterizedTest",
    "subTest",
    "t.Run(",
];

impl<'a> Judge<'a> {
    /// Judges how many files changed.
    pub(super) fn file_count(&self, frame: &Frame) -> Finding {
        let is_total = frame.text.contains("total");
        let Some(count) = frame.count.filter(|_| !frame.is_of_part || is_total) else {
            return Finding::Open;
        };
        let is_of_files = frame.things == [Thing::File]
            || frame.things == [Thing::Code, Thing::File]
            || frame.things == [Thing::File, Thing::Project]
            || frame.is_act(&[Act::Gain, Act::Document])
                && frame.things.first() == Some(&Thing::File);
        let is_said = frame.is_act(&[Act::Change, Act::Format, Act::Gain, Act::Document])
            || frame.act.is_none() && frame.says(&["involved", "in the diff", "differ", "touch"]);
        let is_plain = is_of_files
            && is_said
            && !frame.is_denied()
            && frame.unknown <= 1
            && !frame.has_any(&[Mark::New, Mark::More, Mark::Rest, Mark::Part])
            && frame.numbers.len() <= 1
            && frame.names().all(|name| name.ends_with('/'));
        if !is_plain || frame.has_subject {
            return Finding::Open;
        }
        let folders: Vec<String> = frame.names().cloned().collect();
        self.within(&folders).files_changed(count)
    }

    fn files_changed(&self, count: usize) -> Finding {
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
        let is_known = self.is_sure();
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

    /// Judges that tests were added, or that none were.
    pub(super) fn tests_added(&self, frame: &Frame) -> Finding {
        let is_of_tests = matches!(
            frame.things.as_slice(),
            [Thing::Test, ..] | [Thing::Name | Thing::Function | Thing::Type, Thing::Test, ..]
        ) || frame.things.is_empty()
            && frame
                .objects
                .iter()
                .any(|name| is_path(name) && Role::of(name) == Role::Test);
        let is_adding = frame.is_act(&[Act::Add, Act::Gain]);
        let is_covered = frame.act.is_none()
            && !frame.text.contains("existing")
            && frame.count.is_some()
            && (frame.is_listed || frame.says(&["cover", "exercise"]));
        if !is_of_tests
            || !(is_adding || is_covered)
            || frame.has_subject
            || frame.has_any(&[Mark::Still, Mark::Part])
        {
            return Finding::Open;
        }
        if frame.is_negative() {
            // A test may be added and no file of tests.
            let is_of_file = frame.has_thing(&[Thing::File]);
            if frame.unknown > 0 || is_of_file || frame.names().next().is_some() {
                return Finding::Open;
            }
            return match self.test_lines(&self.now).first() {
                Some((hunk, _)) => Finding::by_hunk(hunk, "adds a test"),
                // What begins a test is not known of every framework.
                None if self.now.has_others || self.adds_to_tests() => Finding::Open,
                None => Finding::Holds,
            };
        }
        let is_alone = frame
            .things
            .iter()
            .filter(|thing| **thing == Thing::Test)
            .count()
            == 1;
        let count = frame.count.filter(|_| is_alone && !frame.has(Mark::More));
        self.new_tests(count, frame)
    }

    fn new_tests(&self, count: Option<usize>, frame: &Frame) -> Finding {
        let in_tests = |changes: &Changes<'_>| {
            changes.hunks.iter().any(|hunk| {
                (hunk.role == Role::Test || hunk.path.to_lowercase().contains("test"))
                    && hunk.added.len() > hunk.removed.len()
            })
        };
        let lines = self.test_lines(&self.now);
        let all: Vec<&str> = self
            .now
            .hunks
            .iter()
            .filter(|hunk| {
                hunk.role == Role::Test || hunk.added.iter().any(|line| is_test_line(line))
            })
            .flat_map(|hunk| hunk.added.clone())
            .collect();
        let several = all.iter().any(|line| {
            line.trim_start().starts_with("for ")
                || PARAMETRIZED.iter().any(|mark| line.contains(mark))
        });
        match (count, lines.len()) {
            (Some(count), found) if found == count => Finding::Holds,
            // There may be others, of which another sentence is.
            (Some(count), found)
                if found > 0 && found < count && !several && !self.now.has_others =>
            {
                let are = if found == 1 { "is" } else { "are" };
                Finding::against(format!("{} {are} added", counted(found, "test")))
            }
            (Some(count), found)
                if found > count
                    && !several
                    && !self.now.has_others
                    && frame.names().next().is_none()
                    && frame.unknown == 0
                    && !frame.is_of_part =>
            {
                Finding::against(format!("{} are added", counted(found, "test")))
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

    /// Judges that something has another value now: the number is in an added line.
    pub(super) fn values(&self, frame: &Frame) -> Finding {
        let is_set = frame.is_act(&[Act::Set])
            || is_new_value(frame)
            || frame.is_act(&[Act::Add]) && frame.is_deed && frame.things == [Thing::Value]
            || frame.is_act(&[Act::Change, Act::Move, Act::Replace])
                && frame.has_thing(&[Thing::Value]);
        let is_of_others = frame.has_thing(&[
            Thing::Test,
            Thing::File,
            Thing::Use,
            Thing::Trouble,
            Thing::Function,
        ]);
        let Some(number) = frame
            .numbers
            .last()
            .filter(|_| is_set && !is_of_others && !frame.is_denied())
        else {
            return Finding::Open;
        };
        let has = |line: &str| has_number(line, number);
        if self.now.added().any(has) {
            let names = frame.symbols();
            let is_of = |line: &str| has(line) && names.iter().all(|name| has_name(line, name));
            return match names.as_slice() {
                [_, ..] if self.now.added().any(is_of) => Finding::Holds,
                _ => Finding::Open,
            };
        }
        if !self.is_sure() || number.len() > 6 && !number.contains('.') {
            return Finding::Open;
        }
        Finding::against(format!("no added line has {number}"))
    }
}

/// Tells whether a frame says what a value is now: "the default is now 3"; not "the default of 60 now has an effect", nor "by
/// default it now tries 3 times".
fn is_new_value(frame: &Frame) -> bool {
    let is_of_value =
        frame.says(&["default"]) || frame.act.is_none() && frame.has_thing(&[Thing::Value]);
    let Some((before, _)) = frame.text.split_once("now") else {
        return false;
    };
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    frame.has(Mark::Now)
        && is_of_value
        && !frame.says(&["by default"])
        && !before.split(' ').any(is_number)
}

/// How many of a smaller unit one of a larger one is.
const UNITS: [f64; 9] = [
    1e3,
    60.0,
    6e4,
    3600.0,
    1024.0,
    1_048_576.0,
    0.01,
    0.001,
    86_400.0,
];

/// Tells whether a line has a number, or one that means the same in another unit: `60` s, `60_000` ms, `0.6`.
fn has_number(line: &str, number: &str) -> bool {
    let plain: String = line.replace('_', "");
    let is_in = |number: &str| {
        plain.match_indices(number).any(|(at, _)| {
            let before = plain.get(..at).and_then(|it| it.chars().next_back());
            let after = plain
                .get(at + number.len()..)
                .and_then(|it| it.chars().next());
            !before.is_some_and(|c| c.is_ascii_digit())
                && !after.is_some_and(|c| c.is_ascii_digit())
        })
    };
    if is_in(number) {
        return true;
    }
    let Ok(value) = number.parse::<f64>() else {
        return false;
    };
    UNITS.iter().any(|factor| {
        let other = format!("{}", (value * factor * 1e6).round() / 1e6);
        is_in(&other)
    }) || line.contains('*') && is_in(&format!("{}", value / 60.0))
}
