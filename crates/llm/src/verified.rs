//! Verified payloads: what checks say that a payload asks for.
//!
//! In: the answer to a payload that was staged, and who runs checks. Out: the answer, with what each kind of
//! check says of each file.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use signoff_checks::check::{CheckReport, CheckStep, Checked, Kind};
use signoff_core::edit::request::{CheckKind, Verify};
use signoff_core::engine::{Answer, Engine};
use signoff_core::plural::counted;

/// Said where a project has no check of a kind for the files of a payload.
const NONE_KNOWN: &str = "no such check of this project is known or installed";
/// Diagnostics that the model is told of at once: it mends the first ones first, and one mistake can bring about thousands.
pub(crate) const MOST_TOLD: usize = 20;
/// Bytes of them.
const MOST_BYTES: usize = 4 * 1024;

/// Which of the project's checks are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Those that compile and lint what was touched.
    Found,
    /// The same, and related tests whose last run was short: nothing waits for them.
    Beside,
    /// Which hunks make tests fail that `Beside` found to fail newly.
    Breaking,
    /// The same as `Beside`, and all tests of the projects that were touched.
    AllTests,
    /// A command line that tells whether a step of a plan is done, and nothing else.
    StepCheck {
        /// The line, as the user approved it with the plan.
        line: String,
    },
    /// Those of a kind, as long as this together.
    Asked {
        /// The kind.
        kind: Kind,
        /// The limit; without one, each has its own.
        limit: Option<Duration>,
    },
}

/// What ends checks, and who is told of each as it begins.
pub type CheckWatch<'a> = (&'a AtomicBool, &'a dyn Fn(CheckStep));

/// Runs the project's checks on what is staged in an engine, until it is stopped; an error is why they
/// cannot be run.
pub type ProjectChecks = Arc<
    dyn Fn(&Mutex<Engine>, Wanted, CheckWatch<'_>) -> Result<CheckReport, String> + Send + Sync,
>;

/// What the answer has room for.
struct AnswerRoom {
    lines: usize,
    bytes: usize,
}

/// What the checks that a payload asks for say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verification {
    /// The payload asks for none.
    NotAsked,
    /// They did their work and found no new error.
    Passed,
    /// They found new errors, or did not do their work.
    Failed {
        /// Why, in one line.
        why: String,
    },
}

/// Runs the checks that a payload asks for, adds to its answer what they say, and returns whether they hold.
pub fn verify(
    answer: &mut Answer,
    verify: &Verify,
    mut run: impl FnMut(Wanted) -> Result<CheckReport, String>,
) -> Verification {
    if verify.is_empty() {
        return Verification::NotAsked;
    }
    let began = Instant::now();
    let mut room = AnswerRoom {
        lines: MOST_TOLD,
        bytes: MOST_BYTES,
    };
    let mut told = Vec::new();
    let mut verdict = Verdict::default();
    for check in &verify.checks {
        let limit = verify
            .timeout
            .map(|all| all.saturating_sub(began.elapsed()));
        let report = if answer.written {
            Err("it was written at once".to_owned())
        } else if !answer.staged {
            Err("nothing is staged".to_owned())
        } else if limit.is_some_and(|left| left.is_zero()) {
            Err("the time for checks is over".to_owned())
        } else {
            let kind = kind(*check);
            run(Wanted::Asked { kind, limit })
        };
        verdict.take(*check, verify.named.contains(check), &report);
        let report = report.and_then(|report| {
            let ran = Some(report).filter(|own| !own.checks.is_empty());
            ran.ok_or_else(|| NONE_KNOWN.to_owned())
        });
        told.push(note(answer, *check, report, &mut room));
    }
    answer.verify = Some(told.join("\n"));
    verdict.end()
}

/// What is known of the checks so far.
#[derive(Default)]
struct Verdict {
    /// True once a check did its work.
    ran: bool,
    /// What speaks against the payload.
    against: Vec<String>,
}

impl Verdict {
    fn take(&mut self, check: CheckKind, is_named: bool, report: &Result<CheckReport, String>) {
        let name = check.name();
        match report {
            Err(why) => self.against.push(format!("{name}: not run: {why}")),
            // What is meant without being named may be something that the project has not.
            Ok(report) if report.checks.is_empty() => {
                let own = is_named.then(|| format!("{name}: not run: {NONE_KNOWN}"));
                self.against.extend(own);
            }
            Ok(report) => {
                self.ran = true;
                let against = report.checks.iter().filter(|own| !own.outcome.holds());
                self.against.extend(against.map(Checked::told));
                if self.against.is_empty() && report.errors() > 0 {
                    let errors = counted(report.errors(), "new error");
                    self.against.push(format!("{name}: {errors}"));
                }
            }
        }
    }

    fn end(mut self) -> Verification {
        if self.against.is_empty() && !self.ran {
            let none = "no check of this project is known or installed for these files";
            self.against.push(none.to_owned());
        }
        if self.against.is_empty() {
            Verification::Passed
        } else {
            Verification::Failed {
                why: self.against.join("; "),
            }
        }
    }
}

/// Adds what a kind of check says; returns it in words.
fn note(
    answer: &mut Answer,
    check: CheckKind,
    report: Result<CheckReport, String>,
    room: &mut AnswerRoom,
) -> String {
    let report = match report {
        Ok(report) => report,
        Err(why) => {
            let told = format!("not run: {why}");
            for result in &mut answer.results {
                result.note_check(check, told.clone());
            }
            return format!("{}: {told}", check.name());
        }
    };
    let each = report.checks.iter().map(ToString::to_string);
    let ended = each.collect::<Vec<_>>().join(", ");
    let mut elsewhere = vec![format!("{}: {ended}", check.name())];
    let mut files: Vec<(String, Vec<String>)> = Vec::new();
    for result in &answer.results {
        files.push((result.file.clone(), Vec::new()));
    }
    for diagnostic in &report.new {
        let line = diagnostic.to_string();
        if !room.takes(&line) {
            break;
        }
        match files.iter_mut().find(|(file, _)| *file == diagnostic.path) {
            Some((_, lines)) => lines.push(line),
            None => elsewhere.push(line),
        }
    }
    for (result, (_, lines)) in answer.results.iter_mut().zip(files) {
        let output = if lines.is_empty() {
            ended.clone()
        } else {
            lines.join("\n")
        };
        result.note_check(check, output);
    }
    elsewhere.join("\n")
}

impl AnswerRoom {
    fn takes(&mut self, line: &str) -> bool {
        let fits = self.lines > 0 && self.bytes >= line.len();
        if fits {
            self.lines -= 1;
            self.bytes -= line.len();
        }
        fits
    }
}

fn kind(check: CheckKind) -> Kind {
    match check {
        CheckKind::Tsc => Kind::Types,
        CheckKind::Eslint => Kind::Style,
        CheckKind::Build => Kind::Build,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use signoff_checks::check::{CheckOutcome, Diagnostic, Severity};
    use signoff_core::edit::request::Payload;
    use signoff_core::engine::SubmittedPayload;
    use signoff_core::stage::proposal::Origin;

    use super::*;
    use crate::tool::testing::Folder;

    /// Returns the answer to a payload that changes `a.rs` and `b.rs`, with checks that run so.
    fn answer(asked: &Value, run: impl FnMut(Wanted) -> Result<CheckReport, String>) -> Value {
        verified(asked, run).0
    }

    /// Returns the same with whether the checks hold.
    fn verified(
        asked: &Value,
        run: impl FnMut(Wanted) -> Result<CheckReport, String>,
    ) -> (Value, Verification) {
        let folder = Folder::new(&[("a.rs", "1\n"), ("b.rs", "1\n")]);
        let text = json!({"changes": [change("a.rs"), change("b.rs")], "verify": asked});
        let payload = Payload::parse(&text.to_string()).unwrap();
        let wanted = payload.verify.clone();
        let asked = SubmittedPayload {
            payload,
            origin: Origin::default(),
            changeset: None,
            only: None,
        };
        let mut answer = folder.engine.lock().unwrap().propose(asked).unwrap();
        let verification = verify(&mut answer, &wanted, run);
        (serde_json::to_value(&answer).unwrap(), verification)
    }

    fn change(file: &str) -> Value {
        json!({"file": file, "description": "x", "strategy": "section",
                    "section": {"edits": [{"old_text": "1", "new_text": "2"}]}})
    }

    fn error(path: &str, message: &str) -> Diagnostic {
        Diagnostic {
            check: "rustc".to_owned(),
            path: path.to_owned(),
            line: 1,
            column: 1,
            severity: Severity::Error,
            code: String::new(),
            message: message.to_owned(),
        }
    }

    fn found(new: Vec<Diagnostic>) -> CheckReport {
        CheckReport {
            checks: vec![Checked {
                name: "cargo check".to_owned(),
                outcome: CheckOutcome::Ok,
                took_ms: 100,
            }],
            new,
        }
    }

    #[test]
    fn each_file_has_its_own_diagnostics_and_others_are_told_beside() {
        let mut kinds = Vec::new();
        let answer = answer(&json!({"eslint": false, "build": true}), |wanted| {
            kinds.push(wanted.clone());
            match wanted {
                Wanted::Asked {
                    kind: Kind::Types, ..
                } => Ok(found(vec![error("a.rs", "own"), error("c.rs", "other")])),
                _ => Ok(CheckReport::default()),
            }
        });
        assert_eq!(kinds, [asked(Kind::Types), asked(Kind::Build)]);
        let none = "not run: no such check of this project is known or installed";
        assert_eq!(
            answer["results"][0]["diagnostics"],
            json!([
                {"type": "tsc", "output": "a.rs:1:1: error: own (rustc)"},
                {"type": "build", "output": none},
            ])
        );
        let other = &answer["results"][1]["diagnostics"][0]["output"];
        assert_eq!(other, "cargo check: nothing new (0.1 s)");
        assert_eq!(
            answer["verify"],
            format!(
                "tsc: cargo check: nothing new (0.1 s)\nc.rs:1:1: error: other (rustc)\nbuild: {none}"
            )
        );
    }

    fn asked(kind: Kind) -> Wanted {
        Wanted::Asked { kind, limit: None }
    }

    #[test]
    fn a_payload_holds_only_where_its_checks_did_their_work() {
        type Says = fn(Wanted) -> Result<CheckReport, String>;
        let nothing: Says = |_| Ok(CheckReport::default());
        let good: Says = |_| Ok(found(Vec::new()));
        let bad: Says = |_| Ok(found(vec![error("a.rs", "own")]));
        let types: Says = |wanted| match wanted {
            Wanted::Asked {
                kind: Kind::Types, ..
            } => Ok(found(Vec::new())),
            _ => Ok(CheckReport::default()),
        };
        let crashed: Says = |_| {
            Ok(CheckReport::not_run(
                std::iter::once("tsc".to_owned()),
                "tsc is not installed",
            ))
        };
        for (asked, run, against) in [
            (json!({}), good, None),
            (json!({}), types, None),
            (
                json!({"eslint": true}),
                types,
                Some("eslint: not run: no such check"),
            ),
            (
                json!({"build": true}),
                types,
                Some("build: not run: no such check"),
            ),
            (json!({}), nothing, Some("no check of this project")),
            (json!({"eslint": false}), bad, Some("tsc: 1 new error")),
            (
                json!({}),
                crashed,
                Some("tsc: not run: tsc is not installed"),
            ),
            (
                json!({}),
                |_| Err("no shadow".to_owned()),
                Some("tsc: not run: no shadow"),
            ),
            (
                json!({"timeoutMs": 0}),
                good,
                Some("time for checks is over"),
            ),
        ] {
            match (verified(&asked, run).1, against) {
                (Verification::Passed, None) => {}
                (Verification::Failed { why }, Some(part)) if why.contains(part) => {}
                (verification, _) => panic!("{asked}: {verification:?}, not {against:?}"),
            }
        }
        let not_asked = verified(&json!(null), nothing).1;
        assert_eq!(not_asked, Verification::NotAsked);
    }

    #[test]
    fn an_answer_says_why_nothing_was_checked_and_has_a_bounded_size() {
        let late = answer(&json!({"timeoutMs": 0}), |_| panic!("nothing is run"));
        assert!(
            late["verify"]
                .as_str()
                .unwrap()
                .contains("time for checks is over")
        );
        let failed = answer(&json!({}), |_| Err("no shadow".to_owned()));
        assert_eq!(
            failed["verify"],
            "tsc: not run: no shadow\neslint: not run: no shadow"
        );
        let long = answer(&json!({"eslint": false}), |_| {
            Ok(found(vec![error("a.rs", &"x".repeat(300)); 1000]))
        });
        assert!(long.to_string().len() < 3 * MOST_BYTES);
        let none = answer(&json!(null), |_| panic!("nothing is asked for"));
        assert!(none.get("verify").is_none() && none["results"][0].get("diagnostics").is_none());
    }
}
