//! One-shot edits: one request on one text, without a workspace.
//!
//! In: a JSON line with a text and a change. Out: a JSON line with the text after it. No file
//! is touched and nothing is kept.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::Budget;
use crate::disk::workspace::WorkspacePath;
use crate::edit::guard::{self, Alarm, Guards};
use crate::edit::locate::Candidate;
use crate::edit::locate::nearest::Region;
use crate::edit::plan::{self, Attempted, Evidence, Outcome, PlanContext, Presence, Strategy};
use crate::edit::request::{Change, Invalid, Verify, take_checks};
use crate::engine::staging::answer::Diagnostic;
use crate::engine::staging::draft::misplaced;
use crate::engine::{AttemptAnswer, FileAnswer, Status};
use crate::syntax::{Language, SyntaxCache};
use crate::text::{MisplacedRange, Source, placed};

/// One line in.
#[derive(Clone, Debug, Deserialize)]
pub struct LineRequest {
    /// Any JSON value; given back.
    #[serde(default)]
    pub id: Value,
    /// Tells the language; never opened. It must not lead out of a folder.
    pub path: String,
    /// The text before; null or absent for a file that does not exist.
    #[serde(default)]
    pub before: Option<String>,
    /// The change, as in a payload; `file` may be left out.
    pub change: Value,
    /// As in a payload.
    #[serde(default)]
    pub verify: Value,
}

/// One line out.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LineAnswer {
    /// As in the request.
    pub id: Value,
    /// True if `after` is as asked.
    pub ok: bool,
    /// What became of it.
    pub status: Status,
    /// The text after, as it was for `already_applied`; none for a deleted file and where nothing was done.
    pub after: Option<String>,
    /// Which strategy was used.
    pub strategy_used: Option<Strategy>,
    /// How many changes were made.
    pub changes_applied: usize,
    /// What became of each check that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
    /// Why it was not done.
    pub error: Option<String>,
    /// How the place was found.
    pub evidence: Option<String>,
    /// By which rung the place was found, where it is not by the very text that was asked for.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub matched: Option<Evidence>,
    /// The places that it could mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// The region that comes nearest to what was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Region>,
    /// What guards found that does not keep it from being done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Alarm>,
    /// What guards found that does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Alarm>,
    /// The strategies that were tried without success.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptAnswer>,
    /// Says that checks were asked for and not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
}

/// What is said of checks that a line asks for.
const NOT_RUN: &str = "not run: no programs are run here";

/// Answers one line; a line that is no request gets an answer as well. Without guards, a
/// change is located and made, whatever it makes of the text.
pub fn one_shot(cache: &SyntaxCache, line: &str, guards: Guards) -> LineAnswer {
    let value: Value = match serde_json::from_str(line) {
        Ok(value) => value,
        Err(error) => return invalid(Value::Null, format!("not JSON: {error}")),
    };
    let id = value.get("id").cloned().unwrap_or_default();
    match serde_json::from_value::<LineRequest>(value) {
        Ok(request) => answer(cache, request, line.len(), guards),
        Err(error) => invalid(id, format!("not a request: {error}")),
    }
}

fn answer(cache: &SyntaxCache, request: LineRequest, bytes: usize, guards: Guards) -> LineAnswer {
    let LineRequest {
        id,
        path,
        before,
        mut change,
        verify,
    } = request;
    let checks = match checks(verify, &mut change) {
        Ok(checks) => checks,
        Err(Invalid(why)) => return invalid(id, why),
    };
    // The request names the file; a change need not name it again.
    if let Some(change) = change.as_object_mut()
        && !change.contains_key("file")
        && !change.contains_key("path")
    {
        change.insert("file".into(), Value::String(path.clone()));
    }
    let change = match Change::parse(change) {
        Ok(change) => change,
        Err(Invalid(why)) => return invalid(id, why),
    };
    let path = match WorkspacePath::parse(&path, Path::new("/")) {
        Ok(path) => path,
        Err(error) => return invalid(id, error.to_string()),
    };
    let parsed_in = parsed_in(&path, &change, guards);
    let asked = CheckedChange {
        path,
        source: before.map(Source::new),
        change,
    };
    let (attempted, alarms) = cache.in_turn(parsed_in, bytes, || asked.worked_out(cache, guards));
    let after = after(asked.source.as_ref(), &attempted.outcome);
    let mut answer = FileAnswer::of(&asked.change.file, &attempted);
    answer.note_alarms(alarms);
    let verify = (!checks.is_empty()).then(|| NOT_RUN.to_owned());
    for check in checks.checks {
        answer.note_check(check, NOT_RUN.to_owned());
    }
    LineAnswer {
        id,
        ok: answer.ok,
        status: answer.status,
        after,
        strategy_used: Some(answer.strategy_used),
        changes_applied: answer.changes_applied,
        diagnostics: answer.diagnostics,
        error: answer.error,
        evidence: answer.evidence,
        matched: answer.matched,
        candidates: answer.candidates,
        nearest: answer.nearest,
        warnings: answer.warnings,
        refusals: answer.refusals,
        attempts: answer.attempts,
        verify,
    }
}

/// Returns the checks that a line asks for, beside its change or in it.
fn checks(verify: Value, change: &mut Value) -> Result<Verify, Invalid> {
    let mut beside = serde_json::json!({ "verify": verify });
    take_checks([&mut beside, change])
}

/// Returns the language that the text may be parsed in, if it is.
fn parsed_in(path: &WorkspacePath, change: &Change, guards: Guards) -> Option<Language> {
    let parses = guards == Guards::On || change.request.takes_a_tree();
    // A request may say what it is, where the path does not.
    Language::of(path)
        .or_else(|| change.request.takes_a_tree().then_some(Language::Yaml))
        .filter(|_| parses)
}

/// A change whose shape is checked, with the text that it is for.
struct CheckedChange {
    path: WorkspacePath,
    source: Option<Source>,
    change: Change,
}

impl CheckedChange {
    fn worked_out(&self, cache: &SyntaxCache, guards: Guards) -> (Attempted, Vec<Alarm>) {
        placed(|| self.planned(cache, guards))
            .unwrap_or_else(|MisplacedRange| (misplaced(&self.change), Vec::new()))
    }

    fn planned(&self, cache: &SyntaxCache, guards: Guards) -> (Attempted, Vec<Alarm>) {
        let budget = Budget::default();
        let context = PlanContext::new(cache, &budget);
        let source = self.source.as_ref();
        let mut attempted = plan::attempt(&context, &self.path, source, &self.change);
        if guards == Guards::Off {
            return (attempted, Vec::new());
        }
        let (outcome, alarms) = guard::screen(
            context.syntax(),
            &self.path,
            source,
            attempted.outcome,
            attempted.strategy,
            &self.change,
        );
        attempted.outcome = outcome;
        // What the guards did not see to its end must not pass.
        if budget.is_over() {
            attempted.outcome = Outcome::OutOfBudget;
            return (attempted, Vec::new());
        }
        (attempted, alarms)
    }
}

fn after(before: Option<&Source>, outcome: &Outcome) -> Option<String> {
    let bytes = match outcome {
        Outcome::Planned(plan) if plan.presence == Presence::Deleted => return None,
        Outcome::Planned(plan) => plan
            .edits
            .apply(before.map_or(&[][..], Source::bytes))
            .ok()?,
        Outcome::AlreadyApplied { .. } | Outcome::Left { .. } => before?.bytes().to_vec(),
        _ => return None,
    };
    String::from_utf8(bytes).ok()
}

fn invalid(id: Value, why: String) -> LineAnswer {
    LineAnswer {
        id,
        error: Some(why),
        ..LineAnswer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        assert_eq!(
            serde_json::to_string(&one_shot(&SyntaxCache::default(), line, Guards::On)).unwrap(),
            expected
        );
    }

    #[test]
    fn lines_are_answered_one_by_one() {
        check(
            r#"{"id":"1","path":"a.rs","before":"fn a() {}\n","change":{"strategy":"section","section":{"edits":[{"old_text":"fn a","new_text":"fn b"}]}}}"#,
            r#"{"id":"1","ok":true,"status":"applied","after":"fn b() {}\n","strategy_used":"section","changes_applied":1,"error":null,"evidence":"exact"}"#,
        );
        check(
            r#"{"id":2,"path":"a","before":"x\nx\n","change":{"section":{"edits":[{"old_text":"x","new_text":"y"}]}}}"#,
            r#"{"id":2,"ok":false,"status":"ambiguous","after":null,"strategy_used":"section","changes_applied":0,"error":"the old text is there 2 times; add lines that tell which is meant","evidence":null,"candidates":[{"line":1,"excerpt":"     1\tx\n     2\tx\n"},{"line":2,"excerpt":"     1\tx\n     2\tx\n"}]}"#,
        );
    }

    #[test]
    fn checks_are_answered_as_in_a_payload() {
        let whole = r#""strategy":"whole","whole":{"content":"a"}"#;
        let not_run = r#""diagnostics":[{"type":"build","output":"not run: no programs are run here"}],"error":null,"evidence":"new file","verify":"not run: no programs are run here"}"#;
        let asked = r#""verify":{"tsc":false,"eslint":false,"build":true}"#;
        for line in [
            format!(r#"{{"path":"a","change":{{{whole}}},{asked}}}"#),
            format!(r#"{{"path":"a","change":{{{whole},{asked}}}}}"#),
        ] {
            let answer =
                serde_json::to_string(&one_shot(&SyntaxCache::default(), &line, Guards::On))
                    .unwrap();
            assert!(answer.ends_with(not_run), "{answer}");
        }
        let line = format!(r#"{{"path":"a","change":{{{whole}}},"verify":{{"tests":1}}}}"#);
        assert_eq!(
            one_shot(&SyntaxCache::default(), &line, Guards::On).status,
            Status::Invalid
        );
    }

    #[test]
    fn what_is_no_request_is_answered_too() {
        for line in [
            "",
            "{",
            "[]",
            r#"{"path":"a","change":{}}"#,
            r#"{"path":"..","before":"","change":{"whole":{"content":""}}}"#,
        ] {
            let answer = one_shot(&SyntaxCache::default(), line, Guards::On);
            assert_eq!(answer.status, Status::Invalid, "{line}");
            assert!(answer.error.is_some());
        }
    }

    #[test]
    fn guards_refuse_and_can_be_left_out() {
        let line = r#"{"path":"a.rs","before":"fn a() {}\n","change":{"section":{"edits":[{"old_text":"{}","new_text":"{"}]}}}"#;
        let answer = one_shot(&SyntaxCache::default(), line, Guards::On);
        assert_eq!((answer.status, answer.after), (Status::Refused, None));
        assert_eq!(answer.refusals[0].line, 1);
        assert!(answer.error.unwrap().starts_with("line 1, column "));
        let answer = one_shot(&SyntaxCache::default(), line, Guards::Off);
        assert_eq!(answer.after.as_deref(), Some("fn a() {\n"));
    }

    #[test]
    fn warnings_go_with_the_answer() {
        let line = r#"{"path":"a.rs","before":"fn a() {}\npub fn b() {}\n","change":{"section":{"edits":[{"old_text":"pub fn b() {}\n","new_text":""}]}}}"#;
        let answer = one_shot(&SyntaxCache::default(), line, Guards::On);
        assert!(answer.ok);
        assert_eq!(
            answer.warnings[0].message,
            "the public function `b` is gone; other files may use it"
        );
    }
}
