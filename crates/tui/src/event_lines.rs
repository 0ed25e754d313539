//! What a user reads of an event in words: the one reducer from events to lines, for every front end.
//!
//! In: an event. Out: its [`EventLine`]s, and for the screen, which has room and colours, rows of it ([`rows`]). One match
//! names every event, so that a new one does not compile until it has words or is left out on purpose.
//!
//! ```text
//! Retrying { "the server answered 429", 2, 900 }   the server answered 429; attempt 2 in 1 s
//! Fault { "no such file", hint "look" }            no such file, with the detail: look
//! Call(Done { "grep", "3 matches" })               grep, 3 matches
//! Text, Staged, Phase, ...                         nothing: displayed as what they are
//! ```

mod rows;

use signoff_core::plural::counted;
use signoff_core::stage::review::critique::{CriticComment, CritiqueEvent};
use signoff_llm::claims::Judgement;
use signoff_llm::image::size_in_words;
use signoff_llm::plan::Deviation;
use signoff_llm::session::{Event, Fault};

pub use self::rows::{ended, info, marked, rows, session, stalled, subject_rows, summary};

/// How a line is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// To be known.
    Info,
    /// To be looked at.
    Warning,
    /// Something did not work.
    Fault,
}

/// A line that a user reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    pub(crate) tone: Tone,
    /// What does it, as the name of a tool; none for what signoff says itself.
    pub topic: Option<String>,
    /// What is said.
    pub text: String,
    /// What belongs to it, as the hint of a fault.
    pub(crate) details: Vec<String>,
}

impl EventLine {
    fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self {
            tone,
            topic: None,
            text: text.into(),
            details: Vec::new(),
        }
    }

    fn info(text: impl Into<String>) -> Self {
        Self::new(Tone::Info, text)
    }

    /// Returns what a tool or an agent does.
    fn step(topic: &str, text: impl Into<String>) -> Self {
        Self {
            topic: Some(topic.to_owned()),
            ..Self::info(text)
        }
    }

    /// Returns what did not work, with what can be done about it.
    pub fn fault(fault: &Fault) -> Self {
        Self {
            details: fault.hint.iter().cloned().collect(),
            ..Self::new(Tone::Fault, &fault.message)
        }
    }

    /// Returns all of it as one text: `no such file; look`.
    pub fn in_one(&self) -> String {
        let topic = self.topic.iter().map(|topic| format!("{topic}: "));
        let mut text: String = topic.collect();
        text += &self.text;
        for detail in &self.details {
            let between = if text.ends_with(':') { " " } else { "; " };
            text = text + between + detail;
        }
        text
    }
}

/// Returns what a user reads of an event.
pub fn lines(event: &Event) -> Vec<EventLine> {
    match event {
        Event::Ready { hint, .. } => hint.iter().map(EventLine::info).collect(),
        Event::Servers(report) => report.lines.iter().map(EventLine::info).collect(),
        Event::Agents { agents } => {
            let line = agents.iter().map(|it| format!("{}: {}", it.name, it.description));
            line.map(EventLine::info).collect()
        }
        Event::Images { images } => {
            let image = images.iter().map(|(name, bytes)| format!("{name} ({})", size_in_words(*bytes)));
            image.map(|image| EventLine::step("image", image)).collect()
        }
        Event::Call(call) => {
            let line = call.line();
            line.map(|(topic, text)| EventLine::step(topic, text)).into_iter().collect()
        }
        Event::Changed { files, .. } => {
            let step = files.iter().map(|file| EventLine::step("changed", &file.path));
            step.collect()
        }
        Event::PlanDeviation { step, deviation } => {
            vec![EventLine::new(Tone::Warning, deviates(*step, deviation))]
        }
        Event::Retrying {
            reason,
            attempt,
            wait_ms,
        } => vec![EventLine::info(format!("{reason}; {}", again(*attempt, *wait_ms)))],
        Event::Stalled { seconds } => vec![EventLine::info(format!("no data for {seconds} s"))],
        Event::Compacted { before, after } => vec![EventLine::info(format!(
            "The conversation was compacted from about {before} tokens to {after}: what you decided, \
             the plan and the newest words are kept."
        ))],
        Event::Breaking { report } => {
            let checks = report.checks.iter().map(ToString::to_string);
            let new = report.new.iter().map(ToString::to_string);
            checks.chain(new).map(EventLine::info).collect()
        }
        Event::Checked { report } => {
            let count = report.new.len();
            let first = report.new.first();
            let found = first.map(|first| format!("the checks find {count} new: {first}"));
            found.map(EventLine::info).into_iter().collect()
        }
        Event::Critique(CritiqueEvent::Comment(comment)) => {
            vec![EventLine::step(REVIEW_AGENT, comment_in_a_line(comment))]
        }
        Event::Critique(CritiqueEvent::Ended(report)) => {
            vec![EventLine::step(REVIEW_AGENT, report.in_words())]
        }
        Event::Info { text } => vec![EventLine::info(text)],
        Event::Fault(fault) => vec![EventLine::fault(fault)],
        Event::LeftUndone { staged, edits } => vec![EventLine {
            details: edits.iter().map(ToString::to_string).collect(),
            ..EventLine::info(undone(*staged, edits.len()))
        }],
        Event::Claims { sentences } => {
            let against = sentences.iter().filter_map(|it| match &it.judgement {
                Judgement::Contradicted { why, .. } => Some((&it.sentence, why)),
                Judgement::Holds => None,
            });
            let line = against.map(|(sentence, why)| EventLine {
                details: vec![why.clone()],
                ..EventLine::new(Tone::Warning, format!("the model says \"{sentence}\":"))
            });
            line.collect()
        }
        // The words of the user and of the model.
        Event::User { .. }
        | Event::Text { .. }
        | Event::Reasoning { .. }
        | Event::Asked { .. }
        | Event::Answered { .. }
        | Event::Earlier { .. }
        | Event::EarlierCall { .. }
        // Questions to the user, and what answers a question of theirs.
        | Event::PermissionAsked { .. }
        | Event::Prompts { .. }
        | Event::RewindScope(_)
        | Event::Rewound { .. }
        | Event::Unsent { .. }
        // What a front end displays as what it is, or not at all.
        | Event::Skills { .. }
        | Event::Hooks { .. }
        | Event::Phase { .. }
        | Event::Plan { .. }
        | Event::Timed(_)
        | Event::Staged(_)
        | Event::Review(_)
        | Event::Decided { .. }
        | Event::Undecided
        | Event::Reverted { .. }
        | Event::Session { .. }
        | Event::Attached { .. }
        | Event::Checking
        | Event::CheckBegins { .. }
        | Event::Critique(CritiqueEvent::Began { .. })
        | Event::Used(_)
        | Event::Spent { .. }
        | Event::Mode { .. }
        | Event::AfterApproval { .. }
        | Event::TurnSummary(_)
        | Event::TurnEnded { .. } => Vec::new(),
    }
}

/// Who comments on hunks before the user looks.
const REVIEW_AGENT: &str = "review agent";

/// Says which attempt comes when.
pub(crate) fn again(attempt: u32, wait_ms: u64) -> String {
    format!("attempt {attempt} in {} s", wait_ms.div_ceil(1000))
}

/// Says how a step differs from its plan.
fn deviates(step: usize, deviation: &Deviation) -> String {
    let part = |files: &[String], what: &str| {
        let files = files.join(", ");
        (!files.is_empty()).then(|| format!("{what} {files}"))
    };
    let unplanned = part(&deviation.unplanned, "touches files that it does not name:");
    let untouched = part(&deviation.untouched, "leaves files that it names:");
    let parts: Vec<String> = unplanned.into_iter().chain(untouched).collect();
    format!("step {step} of the plan {}", parts.join("; "))
}

/// Says that edits of a turn failed, and whether anything was staged nevertheless.
fn undone(staged: bool, count: usize) -> String {
    let count = counted(count, "edit");
    if staged {
        format!("Left undone, {count} that failed:")
    } else {
        format!("Nothing was staged: {count} failed:")
    }
}

/// Says a comment of the review agent in one line, where there is no hunk above it.
fn comment_in_a_line(comment: &CriticComment) -> String {
    let CriticComment {
        path,
        severity,
        text,
        ..
    } = comment;
    match comment.line() {
        Some(line) => format!("{severity} at {path}:{line}: {text}"),
        None => format!("{severity} at {path}: {text}"),
    }
}
