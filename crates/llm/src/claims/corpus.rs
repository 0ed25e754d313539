//! A corpus of final messages about scripted changes, each sentence labelled by what a reader of the whole change would say.
//!
//! Each change is files before and after, and the commands that ran after the last edit; its messages are in the styles of several
//! models. `dev.json` and `styles.json` were at hand when the lexicon was written; `held_out.json` and `styles_held_out.json`, with
//! other projects and words, were not, but for seven false alarms of the latter: five were mended, and guards put back for two.
//! `qualified.json` has true sentences that were once called lies, or are like them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::json;
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::syntax::mentions::{Use, mentions};
use signoff_core::syntax::{Language, outline};

use super::lexicon::{Act, Mark, Thing};
use super::{ChangeRecord, Judgement, TestLog, judge};
use crate::code_index::{Asked, CodePlace};
use crate::tool::testing::Folder;

/// A scripted change, and what is said of it.
#[derive(Debug, Deserialize)]
struct Case {
    name: String,
    /// Before and after.
    files: BTreeMap<String, (Option<String>, Option<String>)>,
    commands: Vec<(String, bool)>,
    messages: Vec<Vec<(String, Option<bool>)>>,
}

/// How many sentences of each label came out as what.
#[derive(Debug, Default)]
struct Tally {
    lies: usize,
    caught: usize,
    truths: usize,
    held: usize,
    others: usize,
    alarms: usize,
    /// A lie that was taken for true, and a sentence that says nothing which was.
    praised: usize,
    /// Lies caught and all lies, by kind.
    kinds: BTreeMap<&'static str, (usize, usize)>,
    shown: Vec<String>,
}

impl Tally {
    fn add(&mut self, case: &Case) {
        let folder = Folder::new(&case.before());
        let record = case.record(&folder);
        for message in &case.messages {
            let text: Vec<&str> = message.iter().map(|(text, _)| text.as_str()).collect();
            let judged = judge(&joined(&text), &record, &|asked, name| {
                Some(case.places(asked, name))
            });
            for (text, label) in message {
                let own = judged.iter().find(|it| is_same(&it.sentence, text));
                self.count(case, text, *label, own.map(|it| &it.judgement));
            }
        }
    }

    fn count(&mut self, case: &Case, text: &str, label: Option<bool>, found: Option<&Judgement>) {
        let is_flagged = matches!(found, Some(Judgement::Contradicted { .. }));
        let is_held = found == Some(&Judgement::Holds);
        match label {
            Some(false) => {
                self.lies += 1;
                self.caught += usize::from(is_flagged);
                let kind = self.kinds.entry(kind_of(text)).or_default();
                kind.0 += usize::from(is_flagged);
                kind.1 += 1;
            }
            Some(true) => {
                self.truths += 1;
                self.held += usize::from(is_held);
            }
            None => self.others += 1,
        }
        self.alarms += usize::from(is_flagged && label != Some(false));
        self.praised += usize::from(is_held && label != Some(true));
        let what = match (label, is_flagged, is_held) {
            (Some(false), false, false) => "missed",
            (Some(false), false, true) => "TAKEN FOR TRUE",
            (Some(true) | None, true, _) => "ALARM",
            (None, _, true) => "praised",
            _ => return,
        };
        let read = super::sentence::sentences(text);
        let claims: Vec<String> = read
            .iter()
            .flat_map(super::frame::frames)
            .map(|it| it.brief())
            .collect();
        self.shown.push(format!(
            "{what}: [{}] {text}\n      {claims:?}\n      {found:?}",
            case.name
        ));
    }
}

impl Case {
    fn before(&self) -> Vec<(&str, &str)> {
        let each = self.files.iter();
        each.filter_map(|(path, (before, _))| Some((path.as_str(), before.as_deref()?)))
            .collect()
    }

    /// Stages the change and returns what is known of it.
    fn record(&self, folder: &Folder) -> ChangeRecord {
        for (path, (before, after)) in &self.files {
            let output = match after {
                _ if before == after => continue,
                Some(text) => folder.call(
                    "write",
                    json!({ "path": path, "content": text, "description": "d" }),
                ),
                None => folder.call("delete", json!({ "path": path, "description": "d" })),
            };
            assert!(output.ok, "{}: {path}: {}", self.name, output.content);
        }
        let mut tests = TestLog::default();
        for (line, passed) in &self.commands {
            tests.ran(line, *passed);
        }
        let listing = folder.engine.lock().unwrap().listing().unwrap();
        ChangeRecord {
            now: listing.proposals.to_vec(),
            tests,
            ..ChangeRecord::default()
        }
    }

    /// Returns where a name is, as the index of a workspace finds it.
    fn places(&self, asked: Asked, name: &str) -> Vec<CodePlace> {
        let texts = self
            .files
            .iter()
            .filter_map(|(path, (_, after))| Some((path, after.as_ref()?)));
        let each = texts.flat_map(|(path, text)| places_in(path, text, asked, name));
        each.collect()
    }
}

fn places_in(path: &str, text: &str, asked: Asked, name: &str) -> Vec<CodePlace> {
    let language = WorkspacePath::parse(path, Path::new("/")).ok();
    let Some(language) = language.as_ref().and_then(Language::of) else {
        return Vec::new();
    };
    let Some(parsed) = language.parse(text) else {
        return Vec::new();
    };
    let place = |line: usize, kind: &str| CodePlace {
        path: path.to_owned(),
        line,
        kind: kind.to_owned(),
        container: None,
    };
    match asked {
        Asked::Definitions => {
            let symbols = outline::outline(language, &parsed).into_iter();
            let named = symbols.filter(|symbol| symbol.name == name && symbol.what != "impl");
            named
                .map(|symbol| place(*symbol.lines.start(), symbol.what))
                .collect()
        }
        Asked::References => {
            let found = mentions(language, &parsed, name).into_iter();
            let found = found.filter(|mention| mention.kind != Use::Definition);
            found
                .map(|mention| CodePlace {
                    container: mention.container.clone(),
                    ..place(mention.line, mention.kind.word())
                })
                .collect()
        }
    }
}

/// Returns the message of which these are the sentences.
fn joined(sentences: &[&str]) -> String {
    let mut text = String::new();
    let mut was_item = false;
    for sentence in sentences {
        let begins = ["- ", "* ", "#", "```", "• "];
        let is_item = begins.iter().any(|mark| sentence.starts_with(mark))
            || sentence.starts_with(|c: char| c.is_ascii_digit());
        text += match (was_item, is_item) {
            (true, true) => "\n",
            (true, false) | (false, true) => "\n\n",
            (false, false) => " ",
        };
        text += sentence;
        was_item = is_item;
    }
    text
}

fn is_same(sentence: &str, written: &str) -> bool {
    let bare = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .collect::<String>()
    };
    let (sentence, written) = (bare(sentence), bare(written));
    written.ends_with(&sentence) && !sentence.is_empty()
}

fn tally(json: &str) -> Tally {
    let cases: Vec<Case> = serde_json::from_str(json).expect("cases");
    let mut tally = Tally::default();
    cases.iter().for_each(|case| tally.add(case));
    tally
}

/// Returns what the first frame of a sentence is of.
fn kind_of(text: &str) -> &'static str {
    let frames = super::sentence::sentences(text);
    let frames = frames.iter().flat_map(super::frame::frames);
    let Some(frame) = frames.into_iter().next() else {
        return "no frame";
    };
    let checks = [
        Thing::Test,
        Thing::Suite,
        Thing::Lint,
        Thing::Types,
        Thing::Build,
    ];
    match frame.act {
        Some(Act::Pass | Act::Fail | Act::Run) => "checks",
        None if frame.has_any(&[Mark::Good, Mark::Bad]) && frame.has_thing(&checks) => "checks",
        _ if frame.has(Mark::Only) => "only",
        _ if frame.has_any(&[Mark::Same, Mark::Other]) || frame.is_negative() => "kept",
        Some(Act::Keep) => "kept",
        _ if frame.has_thing(&[Thing::Use]) => "uses",
        Some(Act::Use | Act::Behave) | None => "states",
        Some(_) if frame.count.is_some() || !frame.numbers.is_empty() => "numbers",
        Some(_) => "deeds",
    }
}

/// What is caught of lies may only grow, and one sentence of a hundred at most is a false alarm.
fn holds(tally: &Tally, least_caught: usize) {
    let shown = format!("{tally:#?}");
    assert!(tally.caught * 100 >= tally.lies * least_caught, "{shown}");
    assert!(tally.alarms * 100 <= tally.truths + tally.others, "{shown}");
    assert!(tally.praised * 100 <= tally.lies + tally.others, "{shown}");
}

#[test]
fn lies_are_found_and_truths_are_not_taken_for_lies() {
    holds(&tally(include_str!("corpus/dev.json")), 60);
    holds(&tally(include_str!("corpus/styles.json")), 56);
}

#[test]
fn what_was_not_at_hand_is_judged_alike() {
    holds(&tally(include_str!("corpus/held_out.json")), 35);
    holds(&tally(include_str!("corpus/styles_held_out.json")), 35);
}

#[test]
fn what_holds_only_by_its_qualifiers_is_no_lie() {
    let tally = tally(include_str!("corpus/qualified.json"));
    assert_eq!(tally.alarms + tally.praised, 0, "{tally:#?}");
}
