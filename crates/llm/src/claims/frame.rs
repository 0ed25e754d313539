//! Frames: what a clause says was done, to what, where and how many.
//!
//! ```text
//! "I added two tests for <0> in <1>, because it was late."
//!    act Add, things [Test], count 2, about [<0>], places [<1>]; the reason is no clause of its own
//! "<0> was renamed to <1>"
//!    act Rename, objects [<0>], targets [<1>]
//! ```
//!
//! In: a sentence. Out: its [`Frame`]s. A clause with a hope, plan or condition, and one whose subject is something else than the
//! change, has none.

use super::clause::{Clause, Word, clauses};
use super::lexicon::{Act, Form, Lexeme, Mark, Thing};
use super::names::{is_path, is_symbol, symbol_of};
use super::sentence::Sentence;

/// What a clause says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is what one judge asks of a clause"
)]
pub(super) struct Frame {
    /// What was done; none of a clause that says how something is.
    pub(super) act: Option<Act>,
    /// The names of what does it, where that is not the change.
    pub(super) subject: Vec<String>,
    /// The names that it was done to.
    pub(super) objects: Vec<String>,
    /// The names that they became, got or were replaced by.
    pub(super) targets: Vec<String>,
    /// The names of where.
    pub(super) places: Vec<String>,
    /// Other names: "a test for `load`".
    pub(super) about: Vec<String>,
    /// The kinds of things in it, in order.
    pub(super) things: Vec<Thing>,
    /// The first number that counts things.
    pub(super) count: Option<usize>,
    /// The numbers, as they are written.
    pub(super) numbers: Vec<String>,
    pub(super) marks: Vec<Mark>,
    /// How many words no table has.
    pub(super) unknown: usize,
    /// Whether something else than the change is its subject.
    pub(super) has_subject: bool,
    /// Whether it says that something is or was done now, and not what a program does.
    pub(super) is_deed: bool,
    /// Whether it is of a part of the change.
    pub(super) is_of_part: bool,
    /// Whether its names are the label of a list item: "`a.py`: typo".
    pub(super) is_label: bool,
    /// Whether it begins with "there is".
    pub(super) is_there: bool,
    /// Whether it is a list item without a verb.
    pub(super) is_listed: bool,
    /// Whether its first word is a name.
    pub(super) begins_with_name: bool,
    /// Its words.
    pub(super) text: String,
}

impl Frame {
    pub(super) fn has(&self, mark: Mark) -> bool {
        self.marks.contains(&mark)
    }

    pub(super) fn has_thing(&self, things: &[Thing]) -> bool {
        self.things.iter().any(|thing| things.contains(thing))
    }

    pub(super) fn is_act(&self, acts: &[Act]) -> bool {
        self.act.is_some_and(|act| acts.contains(&act))
    }

    pub(super) fn has_any(&self, marks: &[Mark]) -> bool {
        marks.iter().any(|mark| self.has(*mark))
    }

    /// Tells whether its text has one of these.
    pub(super) fn says(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.text.contains(text))
    }

    /// Tells whether all things in it are of these.
    pub(super) fn has_only(&self, things: &[Thing]) -> bool {
        self.things.iter().all(|thing| things.contains(thing))
    }

    /// Tells whether it has a "not" or a "no".
    pub(super) fn is_negative(&self) -> bool {
        self.has_any(&[Mark::Denied, Mark::No])
    }

    /// Tells whether it denies what it says.
    pub(super) fn is_denied(&self) -> bool {
        self.is_negative() || self.has_any(&[Mark::Gone, Mark::Still])
    }

    /// Returns it on one line, for tests.
    #[cfg(test)]
    pub(super) fn brief(&self) -> String {
        let Self {
            act,
            objects,
            targets,
            places,
            about,
            things,
            marks,
            unknown,
            ..
        } = self;
        format!(
            "{act:?} o{objects:?} t{targets:?} p{places:?} a{about:?} {things:?} {marks:?} ?{unknown} {}{}",
            if self.is_deed { "deed " } else { "" },
            if self.has_subject { "subject" } else { "" },
        )
    }

    /// Tells whether it says that something was changed.
    pub(super) fn claims_change(&self) -> bool {
        let acts = [
            Act::Add,
            Act::Gain,
            Act::Remove,
            Act::Change,
            Act::Set,
            Act::Rename,
            Act::Move,
            Act::Replace,
        ];
        self.is_deed && self.is_act(&acts) && !self.is_denied() && !self.has_subject
    }

    /// Returns all of its names.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        let lists = [
            &self.subject,
            &self.objects,
            &self.targets,
            &self.places,
            &self.about,
        ];
        lists.into_iter().flatten()
    }

    /// Returns its paths, wherever they stand.
    pub(super) fn paths(&self) -> Vec<String> {
        self.names().filter(|name| is_path(name)).cloned().collect()
    }

    /// Returns its symbols without what is around them, wherever they stand.
    pub(super) fn symbols(&self) -> Vec<String> {
        let symbols = self.names().filter(|name| is_symbol(name));
        symbols.map(|name| symbol_of(name)).collect()
    }
}

/// Returns the frames of a sentence.
pub(super) fn frames(sentence: &Sentence) -> Vec<Frame> {
    let head = clauses(&sentence.head).into_iter().next();
    let head_act = head.and_then(|clause| act_of_head(&clause.words));
    let mut found = Vec::new();
    for clause in clauses(&sentence.plain) {
        if clause.is_sub {
            if clause.says_unused()
                && let Some(frame) = found
                    .last_mut()
                    .filter(|frame: &&mut Frame| frame.is_act(&[Act::Remove]))
            {
                frame.marks.push(Mark::Unused);
            }
            continue;
        }
        // "`load` still reads it; that is documentation": of what the clause before is about.
        let is_of_last = clause.words.first().is_some_and(|word| {
            ["that", "it", "this", "they", "those"].contains(&word.text.as_str())
        }) && (found.last())
            .is_some_and(|last: &Frame| last.begins_with_name && !last.claims_change());
        if clause.is_hedged() || is_of_last {
            continue;
        }
        let reader = Reader {
            sentence,
            clause: &clause,
            head_act: head_act.filter(|_| sentence.is_item),
        };
        found.extend(reader.label());
        found.extend(reader.frames());
    }
    found
}

/// Maximum number of verbs in a clause; one of more is no clause of a sentence, and each has a frame with all words.
const MAX_VERBS: usize = 8;

/// Verbs of the passive.
const PASSIVE: [&str; 7] = ["is", "are", "was", "were", "been", "be", "being"];

/// Words before a noun: what follows is no verb.
const ARTICLES: [&str; 7] = ["the", "a", "an", "its", "their", "any", "this"];

/// Nouns that say what was done where no verb does.
const NOUNS: &str =
    "change edit modification adjustment update rename removal deletion addition move";

/// Where in a clause a name stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    Object,
    Target,
    Place,
    About,
}

struct Reader<'a> {
    sentence: &'a Sentence,
    clause: &'a Clause,
    /// What the head of the list says was done.
    head_act: Option<Act>,
}

impl Reader<'_> {
    /// Returns that what a list item is labelled with changed: "`a.py`: typo".
    fn label(&self) -> Option<Frame> {
        let label = &self.clause.label;
        let names = self.names_of(label);
        let keeps = |word: &Word| match word.lexeme {
            Lexeme::Deed(act, _) => matches!(act, Act::Keep | Act::Pass | Act::Fail | Act::Run),
            Lexeme::Mark(mark) => !matches!(mark, Mark::Only | Mark::All | Mark::New | Mark::Now),
            lexeme => lexeme == Lexeme::Sub,
        };
        let is_other = |word: &Word| matches!(word.lexeme, Lexeme::Other | Lexeme::Deed(..));
        let is_item = self.sentence.is_item && !names.is_empty();
        if !is_item || self.clause.words.iter().any(keeps) || label.iter().any(is_other) {
            return None;
        }
        Some(Frame {
            act: Some(Act::Change),
            objects: names,
            is_deed: true,
            is_label: true,
            ..Frame::default()
        })
    }

    fn names_of(&self, words: &[Word]) -> Vec<String> {
        let names = words.iter().filter_map(|word| match word.lexeme {
            Lexeme::Name(number) => self.sentence.names.get(number).cloned(),
            _ => None,
        });
        names.collect()
    }

    fn frames(&self) -> Vec<Frame> {
        let words = &self.clause.words;
        let acts = act_positions(words);
        let Some(&first) = acts.first() else {
            return vec![self.nominal()];
        };
        if acts.len() > MAX_VERBS {
            return Vec::new();
        }
        let subject = words.get(..first).unwrap_or(&[]);
        let mut frames = Vec::new();
        for (index, &at) in acts.iter().enumerate() {
            let end = acts.get(index + 1).copied().unwrap_or(words.len());
            let after = words.get(at + 1..end).unwrap_or(&[]);
            // "was never called and is removed": the negation is of the first verb.
            let before = words.get(first..at).unwrap_or(&[]);
            let is_new_verb = index > 0 && before.iter().any(|word| word.lexeme == Lexeme::Be);
            if let Some(Word {
                lexeme: Lexeme::Deed(act, form),
                ..
            }) = words.get(at)
            {
                let mut frame = self.of_act(*act, *form, subject, after);
                // "removed one method and added two helpers": each verb has its own number.
                frame.count = count_of(after).or_else(|| count_of(subject));
                // "Running `cargo audit` helps": advice.
                if *form == Form::Gerund && *act == Act::Run && subject.is_empty() {
                    frame.has_subject = true;
                    frame.is_deed = false;
                }
                if is_new_verb {
                    let own = marks_of(words.get(at..end).unwrap_or(&[]));
                    frame
                        .marks
                        .retain(|mark| *mark != Mark::Denied || own.contains(mark));
                }
                frames.push(frame);
            }
        }
        frames
    }

    /// Returns the frame of a clause without a verb of the lexicon.
    fn nominal(&self) -> Frame {
        let words = &self.clause.words;
        let mut frame = self.base(words);
        self.fill(&mut frame, words);
        let begins = words.iter().find(|word| word.lexeme != Lexeme::Filler);
        let is_new =
            frame.has(Mark::New) || frame.has(Mark::More) && frame.has_thing(&[Thing::Test]);
        frame.act = act_of_head(&self.clause.label).or(self.head_act);
        frame.is_label = frame.act.is_some();
        frame.is_listed = self.sentence.is_item
            && frame.act.is_none()
            && !frame.has(Mark::Now)
            && begins.is_some_and(|word| matches!(word.lexeme, Lexeme::Count(_)))
            && words.iter().all(|word| word.lexeme != Lexeme::Be);
        let is_bare = words.iter().all(|word| !matches!(word.lexeme, Lexeme::Be))
            || words.first().is_some_and(|word| word.text == "there");
        let is_without = frame.act.is_none() && !frame.has(Mark::Same);
        // "`test_a` expects the new value": a program does something, in a verb that no table has.
        let mut behind_name = words
            .iter()
            .skip_while(|word| word.lexeme == Lexeme::Filler);
        let does = frame.begins_with_name
            && behind_name
                .nth(1)
                .is_some_and(|word| word.lexeme == Lexeme::Other && word.text.ends_with('s'));
        frame.has_subject |= does;
        if is_without && is_new && is_bare && !does {
            frame.act = Some(Act::Add);
        }
        frame.is_deed = frame.act.is_some();
        frame
    }

    /// Returns a frame with the fields that do not depend on the verb: things, count, numbers, marks.
    fn base(&self, words: &[Word]) -> Frame {
        let label = self.clause.label.iter();
        let things = label.chain(words).filter_map(|word| match word.lexeme {
            Lexeme::Thing(thing) => Some(thing),
            Lexeme::Deed(Act::Rename, Form::Base) => Some(Thing::Name),
            _ => None,
        });
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let begins = words.iter().find(|word| word.lexeme != Lexeme::Filler);
        let label = self.names_of(&self.clause.label);
        Frame {
            is_there: words.first().is_some_and(|word| word.text == "there"),
            begins_with_name: begins.is_some_and(|word| matches!(word.lexeme, Lexeme::Name(_))),
            things: things.collect(),
            count: count_of(words),
            numbers: words.iter().filter_map(Word::number).collect(),
            marks: [
                marks_of(&self.clause.label),
                marks_of(words),
                part_of(words).into_iter().collect(),
            ]
            .concat(),
            unknown: words
                .iter()
                .filter(|word| word.lexeme == Lexeme::Other && word.number().is_none())
                .count(),
            is_of_part: self.sentence.is_of_part || !label.is_empty(),
            places: label.into_iter().filter(|name| is_path(name)).collect(),
            text: texts.join(" "),
            ..Frame::default()
        }
    }

    /// Puts the names of some words where they stand, from their prepositions.
    fn fill(&self, frame: &mut Frame, words: &[Word]) {
        let mut slot = Slot::Object;
        let is_rename = frame.act == Some(Act::Rename);
        for word in words {
            match word.lexeme {
                Lexeme::In => slot = Slot::Place,
                Lexeme::To => slot = Slot::Target,
                Lexeme::Of => slot = Slot::About,
                Lexeme::Be | Lexeme::Deed(..) => slot = Slot::Object,
                Lexeme::And | Lexeme::Comma if is_rename && slot == Slot::Target => {
                    slot = Slot::Object;
                }
                Lexeme::Name(number) => {
                    let Some(name) = self.sentence.names.get(number) else {
                        continue;
                    };
                    let list = match slot {
                        Slot::Object => &mut frame.objects,
                        Slot::Target => &mut frame.targets,
                        Slot::Place => &mut frame.places,
                        Slot::About => &mut frame.about,
                    };
                    list.push(name.clone());
                }
                _ => {}
            }
        }
    }

    fn of_act(&self, act: Act, form: Form, subject: &[Word], after: &[Word]) -> Frame {
        let mut frame = self.base(&self.clause.words);
        frame.act = Some(act);
        // What was done to a part was done.
        if matches!(act, Act::Remove | Act::Rename)
            && !marks_of(&self.clause.words).contains(&Mark::Part)
        {
            frame.marks.retain(|mark| *mark != Mark::Part);
        }
        let has = |lexeme: Lexeme| subject.iter().any(|word| word.lexeme == lexeme);
        let is_change = has(Lexeme::Author) || has(Lexeme::Change);
        let is_passive_verb = |word: &Word| PASSIVE.contains(&word.text.as_str());
        let mut before = Frame::default();
        self.fill(&mut before, subject);
        let mut behind = Frame {
            act: Some(act),
            ..Frame::default()
        };
        self.fill(&mut behind, after);
        let has_own_subject = !before.objects.is_empty()
            || subject
                .iter()
                .any(|word| matches!(word.lexeme, Lexeme::Thing(_) | Lexeme::Other));
        let is_intransitive = matches!(act, Act::Move | Act::Set | Act::Rename | Act::Keep);
        // "`load` is now called `read`"
        if act == Act::Use
            && subject.iter().any(is_passive_verb)
            && self.clause.words.iter().any(|word| word.text == "called")
            && (before.objects.len(), behind.objects.len()) == (1, 1)
        {
            frame.act = Some(Act::Rename);
        }
        let is_passive = form == Form::Past
            && act != Act::Gain
            && (subject.iter().any(is_passive_verb)
                || has_own_subject && !is_change && (behind.objects.is_empty() || is_intransitive))
            || is_intransitive && has_own_subject && !has(Lexeme::Author);
        frame.places.extend(before.places.iter().cloned());
        frame.places.extend(behind.places);
        frame.about.extend(before.about);
        frame.about.extend(behind.about);
        frame.targets = behind.targets;
        if is_passive {
            frame.objects = before.objects;
            if act == Act::Rename && !frame.targets.is_empty() {
                frame.objects.extend(behind.objects);
            } else {
                frame.targets.extend(behind.objects);
            }
            frame.is_deed = form == Form::Past || is_intransitive;
        } else if act == Act::Gain {
            frame.objects = behind.objects;
            frame.places.extend(before.objects);
            frame.is_deed = true;
        } else {
            frame.has_subject = has_own_subject && !is_change && form != Form::Base;
            frame.is_deed = !frame.has_subject;
            frame.objects = behind.objects;
            frame.subject = before.objects;
        }
        frame
    }
}

/// Returns what the head of a list, or the label of an item, says was done: "Removed:", "new".
fn act_of_head(words: &[Word]) -> Option<Act> {
    words.iter().find_map(|word| match word.lexeme {
        Lexeme::Deed(act, Form::Past | Form::Gerund) => Some(act),
        Lexeme::Deed(act @ (Act::Add | Act::Rename | Act::Move | Act::Remove), _) => Some(act),
        Lexeme::Mark(Mark::New) => Some(Act::Add),
        _ => None,
    })
}

/// Returns the first number that counts something.
fn count_of(words: &[Word]) -> Option<usize> {
    words.iter().find_map(|word| match word.lexeme {
        Lexeme::Count(count) if count > 0 => Some(count),
        _ => None,
    })
}

/// Returns the mark of a part of a set: "two of the three tests", and not "3 of 3" or "all three of them".
fn part_of(words: &[Word]) -> Option<Mark> {
    let at = words.windows(2).position(
        |pair| matches!(pair, [Word { lexeme: Lexeme::Count(_), .. }, of] if of.text == "of"),
    )?;
    let count = count_of(words.get(at..)?);
    let is_all = count_of(words.get(at + 2..)?) == count
        || words
            .iter()
            .take(at)
            .any(|word| word.lexeme == Lexeme::Mark(Mark::All));
    (!is_all).then_some(Mark::Part)
}

fn marks_of(words: &[Word]) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (at, word) in words.iter().enumerate() {
        // "its only caller"
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_its = before.is_some_and(|word| ["its", "their"].contains(&word.text.as_str()));
        let is_of_use =
            (words.get(at + 1)).is_some_and(|it| it.lexeme == Lexeme::Thing(Thing::Use));
        match word.lexeme {
            Lexeme::Mark(Mark::Only) if is_its || is_of_use => {}
            Lexeme::Mark(mark) => marks.push(mark),
            _ => {}
        }
    }
    marks
}

/// Returns where the verbs of a clause stand that say what was done.
fn act_positions(words: &[Word]) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Lexeme::Deed(act, form) = word.lexeme else {
            continue;
        };
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_named = before.is_some_and(|word| {
            matches!(word.lexeme, Lexeme::Count(_)) || ARTICLES.contains(&word.text.as_str())
        });
        let is_denied = before.is_some_and(|word| word.lexeme == Lexeme::Mark(Mark::Denied));
        // "no test got deleted"
        let is_got = act == Act::Gain
            && (words.get(at + 1))
                .is_some_and(|word| matches!(word.lexeme, Lexeme::Deed(_, Form::Past)));
        let mut subject = words.iter().take(at);
        let is_after_do =
            subject.any(|word| ["did", "do", "does", "not"].contains(&word.text.as_str()));
        let is_purpose = before.is_some_and(|word| word.text == "to");
        let is_verb = match form {
            Form::Past if matches!(word.text.as_str(), "went" | "goes") => {
                let next = words.get(at + 1).map_or("", |word| word.text.as_str());
                matches!(next, "from" | "to" | "up" | "down")
            }
            Form::Past => !is_named,
            Form::Present => at > 0 && !is_named || act == Act::Add,
            Form::Gerund => at == 0 || is_denied || before.is_some_and(|word| word.text == "by"),
            Form::Base => {
                // "were run", "the tests pass"
                let is_run =
                    act == Act::Run && before.is_some_and(|word| word.lexeme == Lexeme::Be);
                let is_plural = matches!(act, Act::Pass | Act::Fail | Act::Keep | Act::Behave);
                is_run || (is_after_do || at > 0 && is_plural) && !is_named
            }
        };
        if is_purpose {
            break;
        }
        if is_verb && !is_got {
            found.push(at);
        }
    }
    if found.is_empty() {
        let noun = words.iter().position(|word| {
            let noun = word.text.trim_end_matches('s');
            NOUNS.split(' ').any(|it| it == noun)
        });
        found.extend(noun);
    }
    found
}
