//! Questions to the model about hunks, with their answers.
//!
//! In: questions, and answers as they arrive. Out: rows below the hunk. A question that got no answer is offered as the
//! reason of a denial, so that it is not typed twice.

use serde::{Deserialize, Serialize};
use signoff_core::id::HunkId;
use signoff_core::stage::review::AnswerEnd;

use super::merging::Versions;
use super::pending_verdicts::PendingVerdicts;
use crate::theme::Role;
use crate::wrap::Row;

/// The questions about all hunks; what of them outlives this run is written with the marks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Questions(Vec<QuestionedHunk>);

/// A hunk that was asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct QuestionedHunk {
    hunk: HunkId,
    /// A question that is being typed.
    #[serde(default)]
    draft: String,
    exchanges: Vec<Exchange>,
}

/// One question and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Exchange {
    /// The hunk's file.
    path: String,
    question: String,
    answer: String,
    end: ExchangeEnd,
}

/// How far an answer is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ExchangeEnd {
    /// It arrives. In what an earlier run wrote: it was never completed.
    Open,
    /// It is complete.
    Whole,
    /// It is not complete; this says why.
    Short(String),
}

impl Questions {
    /// Returns those of the file with what this process changed.
    pub(super) fn merged(all: Versions<'_, Self>) -> Self {
        let hunks = all.part(|own| &own.0[..]);
        Self(hunks.merged(|own| own.hunk, QuestionedHunk::clone))
    }

    /// Returns true if there is nothing to be kept.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps a question that is being typed.
    pub(super) fn draft(&mut self, hunk: HunkId, text: &str) {
        text.clone_into(&mut self.of_mut(hunk).draft);
        self.tidy();
    }

    /// Returns the question that was begun, if any was.
    pub(super) fn drafted(&self, hunk: HunkId) -> &str {
        self.of(hunk).map_or("", |own| &own.draft)
    }

    /// Takes over that a question was asked.
    pub(super) fn ask(&mut self, hunk: HunkId, path: &str, question: &str) {
        let own = self.of_mut(hunk);
        own.draft.clear();
        own.exchanges.push(Exchange {
            path: path.to_owned(),
            question: question.to_owned(),
            answer: String::new(),
            end: ExchangeEnd::Open,
        });
    }

    /// Takes a piece of the answer to the oldest question about a hunk that is open, and how it ended.
    pub(super) fn answered(&mut self, hunk: HunkId, text: &str, end: Option<&AnswerEnd>) {
        let exchanges = self.of_mut(hunk).exchanges.iter_mut();
        let mut open = exchanges.filter(|exchange| exchange.end == ExchangeEnd::Open);
        if let Some(exchange) = open.next() {
            exchange.answer.push_str(text);
            if let Some(end) = end {
                exchange.end = ExchangeEnd::of(end);
            }
        }
        self.tidy();
    }

    /// Returns the hunks that were asked about.
    pub(super) fn hunks(&self) -> impl Iterator<Item = HunkId> {
        let asked = self.0.iter().filter(|own| !own.exchanges.is_empty());
        asked.map(|own| own.hunk)
    }

    /// Returns the newest exchange about a hunk as rows, the file named in the first.
    pub(super) fn newest(&self, hunk: HunkId) -> Vec<Row> {
        let newest = self.of(hunk).and_then(|own| own.exchanges.last());
        let Some(exchange) = newest else {
            return Vec::new();
        };
        let mut about = Row::new(Role::Dim, "· about ");
        about.push(Role::Dim, &exchange.path);
        std::iter::once(about).chain(exchange.rows()).collect()
    }

    /// Returns how many rows the newest exchange about a hunk has before they are wrapped.
    pub(super) fn newest_rows(&self, hunk: HunkId) -> usize {
        let newest = self.of(hunk).and_then(|own| own.exchanges.last());
        newest.map_or(0, |exchange| exchange.rows().len())
    }

    /// Returns the newest answer about a hunk.
    pub(super) fn newest_answer(&self, hunk: HunkId) -> Option<String> {
        let newest = self.of(hunk)?.exchanges.last()?;
        Some(newest.answer.trim().to_owned()).filter(|answer| !answer.is_empty())
    }

    /// Returns true while an answer about a hunk arrives.
    pub(super) fn is_open(&self, hunk: HunkId) -> bool {
        self.of(hunk).is_some_and(QuestionedHunk::is_open)
    }

    /// Returns the newest question about a hunk, if it has no answer at all.
    pub(super) fn unanswered(&self, hunk: HunkId) -> Option<&str> {
        let last = self.of(hunk)?.exchanges.last()?;
        let is_unanswered = last.end != ExchangeEnd::Open && last.answer.trim().is_empty();
        is_unanswered.then_some(last.question.as_str())
    }

    /// Forgets hunks that are not in the list, which is the whole, once their answers are complete.
    pub(super) fn retain(&mut self, is_listed: impl Fn(HunkId) -> bool) {
        self.0.retain(|own| is_listed(own.hunk) || own.is_open());
    }

    /// Takes over what an earlier run wrote: no answer arrives any more.
    pub(super) fn restore(mut kept: Self) -> Self {
        for exchange in kept.0.iter_mut().flat_map(|own| &mut own.exchanges) {
            if exchange.end == ExchangeEnd::Open {
                exchange.end = ExchangeEnd::Short("signoff ended before the answer".to_owned());
            }
        }
        kept
    }

    /// Returns the rows that stand below a hunk, to be wrapped.
    pub(super) fn rows(&self, hunk: HunkId) -> Vec<Row> {
        let exchanges = self.of(hunk).map_or(&[][..], |own| &own.exchanges);
        exchanges.iter().flat_map(Exchange::rows).collect()
    }

    fn of(&self, hunk: HunkId) -> Option<&QuestionedHunk> {
        self.0.iter().find(|own| own.hunk == hunk)
    }

    fn of_mut(&mut self, hunk: HunkId) -> &mut QuestionedHunk {
        let at = self.0.iter().position(|own| own.hunk == hunk);
        let at = at.unwrap_or_else(|| {
            self.0.push(QuestionedHunk {
                hunk,
                draft: String::new(),
                exchanges: Vec::new(),
            });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    fn tidy(&mut self) {
        self.0
            .retain(|own| !(own.draft.is_empty() && own.exchanges.is_empty()));
    }
}

impl PendingVerdicts {
    /// Keeps a question that is being typed; an empty one is forgotten.
    pub(super) fn draft_question(&mut self, hunk: HunkId, text: &str) {
        if self.questions.drafted(hunk) != text {
            self.questions.draft(hunk, text);
            self.kept.change();
        }
    }

    /// Takes over that the model was asked about a hunk, which waits on.
    pub(super) fn asked(&mut self, hunk: HunkId, path: &str, question: &str) {
        self.questions.ask(hunk, path, question);
        self.marks.ask(hunk);
        self.kept.change();
    }

    /// Takes a piece of the model's answer about a hunk, and how it ended. Returns question and answer once that is over.
    pub(super) fn answered(
        &mut self,
        hunk: HunkId,
        text: &str,
        end: Option<&AnswerEnd>,
    ) -> Vec<Row> {
        self.questions.answered(hunk, text, end);
        if end.is_none() {
            return Vec::new();
        }
        self.kept.change();
        self.questions.newest(hunk)
    }
}

impl QuestionedHunk {
    fn is_open(&self) -> bool {
        let last = self.exchanges.last();
        last.is_some_and(|exchange| exchange.end == ExchangeEnd::Open)
    }
}

impl Exchange {
    fn rows(&self) -> Vec<Row> {
        let mut question = Row::new(Role::Warn, "? ");
        question.push_counted(Role::Strong, self.question.trim());
        let lines = self.answer.trim().lines();
        let lines = lines.map(|line| {
            let mut row = Row::new(Role::Dim, "  ");
            row.push_counted(Role::Text, line);
            row
        });
        let end = match &self.end {
            ExchangeEnd::Open if self.answer.is_empty() => Some("asking the model; Esc stops"),
            ExchangeEnd::Open => Some("…"),
            ExchangeEnd::Whole => None,
            ExchangeEnd::Short(why) => Some(why.as_str()),
        };
        let end = end.map(|text| Row::new(Role::Dim, "  ").with(Role::Dim, text));
        std::iter::once(question).chain(lines).chain(end).collect()
    }
}

impl ExchangeEnd {
    fn of(end: &AnswerEnd) -> Self {
        Self::Short(match end {
            AnswerEnd::Whole => return Self::Whole,
            AnswerEnd::TooLong => "the rest of the answer was too long".to_owned(),
            AnswerEnd::Cancelled => "stopped; the question goes with the next request".to_owned(),
            AnswerEnd::Failed { why } => {
                format!("not answered: {why}; the question goes with the next request")
            }
            AnswerEnd::NoModel => {
                "no model is connected: the question goes with the next prompt, or is the reason if you deny the hunk"
                    .to_owned()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::kit::file;
    use crate::wrap::text_of;

    #[test]
    fn answers_stand_below_their_questions() {
        let files = [file("above")];
        let hunk = files[0].hunks[0].id;
        let mut questions = Questions::default();
        questions.draft(hunk, "Wh");
        assert_eq!(
            (questions.hunks().count(), questions.drafted(hunk)),
            (0, "Wh")
        );
        questions.ask(hunk, "a.rs", "Why?");
        assert_eq!(questions.drafted(hunk), "");
        assert!(questions.is_open(hunk));
        assert_eq!(
            text_of(&questions.rows(hunk)),
            ["? Why?", "  asking the model; Esc stops"]
        );
        questions.answered(hunk, "Because.\nIt \u{1b}[2Jis.", None);
        let rows = text_of(&questions.rows(hunk));
        assert_eq!(rows, ["? Why?", "  Because.", "  It ␛[2Jis.", "  …"]);
        questions.answered(hunk, "", Some(&AnswerEnd::Whole));
        assert_eq!(
            (questions.is_open(hunk), questions.unanswered(hunk)),
            (false, None)
        );
        questions.ask(hunk, "a.rs", "And?");
        questions.answered(hunk, "", Some(&AnswerEnd::NoModel));
        assert_eq!(questions.unanswered(hunk), Some("And?"));
        questions.retain(|hunk| hunk == files[0].hunks[0].id);
        assert_eq!(questions.hunks().count(), 1);
        questions.retain(|_| false);
        assert!(questions.is_empty());
    }

    #[test]
    fn an_answer_that_an_earlier_run_waited_for_does_not_arrive() {
        let hunk = file("above").hunks[0].id;
        let mut questions = Questions::default();
        questions.ask(hunk, "a.rs", "Why?");
        let questions = Questions::restore(questions);
        assert!(!questions.is_open(hunk));
        assert_eq!(questions.unanswered(hunk), Some("Why?"));
    }
}
