//! What the engine made of a case.
//!
//! In: a case. Out: a [`Verdict`], with why and after how long.

use std::time::{Duration, Instant};

use serde_json::json;
use signoff_core::edit::guard::Guards;
use signoff_core::engine::{LineAnswer, Status, one_shot};
use signoff_core::syntax::SyntaxCache;

use crate::case::{Case, Truth};
use crate::text;

/// How right an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// The text is as it must be, or the answer says rightly why not.
    Correct,
    /// Lines were written that the edit has nothing to do with.
    WrongPlace,
    /// Other bytes were written in the right place.
    WrongBytes,
    /// Said to be done already, but it is not.
    Misreported,
    /// Nothing was written.
    Refused,
}

/// A verdict with its grounds.
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    pub(crate) status: Status,
    pub(crate) reason: String,
    pub(crate) evidence: String,
    pub(crate) after: Option<String>,
    pub(crate) took: Duration,
}

/// Asks the engine.
pub(crate) fn judge(case: &Case, guards: Guards) -> Judged {
    let line = json!({ "path": case.path, "before": case.before, "change": case.change });
    let line = line.to_string();
    let start = Instant::now();
    let answer = one_shot(&SyntaxCache::default(), &line, guards);
    let took = start.elapsed();
    let verdict = verdict(case, &answer);
    Judged {
        verdict,
        status: answer.status,
        reason: reason(&answer),
        evidence: answer.evidence.unwrap_or_default(),
        after: answer.after.filter(|_| answer.status == Status::Applied),
        took,
    }
}

fn verdict(case: &Case, answer: &LineAnswer) -> Verdict {
    match (&case.truth, answer.status, &answer.after) {
        (Truth::Text(truth), Status::Applied, Some(after)) if after == truth => Verdict::Correct,
        (Truth::Text(truth), Status::Applied, Some(after)) => wrong(&case.before, after, truth),
        (_, Status::Applied, Some(after)) if *after == case.before => Verdict::Misreported,
        (_, Status::Applied, _) => Verdict::WrongPlace,
        (Truth::Already, Status::AlreadyApplied, _) => Verdict::Correct,
        (_, Status::AlreadyApplied, _) => Verdict::Misreported,
        (Truth::Refusal, _, _) => Verdict::Correct,
        _ => Verdict::Refused,
    }
}

/// Tells whether all that was written touches what should have been.
fn wrong(before: &str, after: &str, truth: &str) -> Verdict {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let before = lines(before);
    let wanted = text::changes(&before, &lines(truth));
    let made = text::changes(&before, &lines(after));
    let near = |change: &text::Change| {
        wanted.iter().any(|wanted| {
            change.old.start <= wanted.old.end + 3 && wanted.old.start <= change.old.end + 3
        })
    };
    if made.iter().all(near) {
        Verdict::WrongBytes
    } else {
        Verdict::WrongPlace
    }
}

/// Returns why, without the numbers in it.
fn reason(answer: &LineAnswer) -> String {
    let why = answer.error.as_ref().or(answer.evidence.as_ref());
    let why = why.map_or("", |why| why.lines().next().unwrap_or_default());
    let bare: String = why
        .chars()
        .map(|c| if c.is_ascii_digit() { '#' } else { c })
        .collect();
    let mut bare = bare;
    while bare.contains("##") {
        bare = bare.replace("##", "#");
    }
    let short: String = bare.chars().take(90).collect();
    format!("{}: {short}", status(answer.status))
}

/// Returns a status as it stands in JSON.
pub(crate) fn status(status: Status) -> String {
    let value = serde_json::to_value(status).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
