//! Checks of staged work, as the session asks for them.
//!
//! In: the end of what the model stages, and reports. Out: a check of it; its report for the user, and for the
//! model: before the review opens where errors are to be repaired, else with the next request.

use signoff_checks::check::{CheckReport, CheckStep, Diagnostic};
use signoff_checks::necessity::BREAKING;

use super::outbox::Outbox;
use super::{Effect, Event};
use crate::notice::Notice;
use crate::verified::{MOST_TOLD, Wanted};

/// What becomes of new diagnostics in staged work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckPolicy {
    /// Nothing is checked.
    #[default]
    Off,
    /// The user sees them in the review, and the model with the next request. Nothing where nobody attends.
    Inform,
    /// New errors go back to the model before the review opens, at most this number of times a turn.
    Repair(u32),
}

impl CheckPolicy {
    /// Returns true if new errors go back to the model once more.
    pub(super) fn may_repair(self, repairs: u32) -> bool {
        matches!(self, Self::Repair(rounds) if repairs < rounds)
    }

    /// Returns true if what is staged is checked at the end of a turn.
    pub(super) fn checks(self, attended: bool) -> bool {
        match self {
            Self::Off => false,
            Self::Inform => attended,
            Self::Repair(_) => true,
        }
    }

    /// Returns true if the turn ends only after its last check: nobody is there to read a report that comes
    /// later, and what is written unseen depends on it.
    pub(super) fn is_gate(self, attended: bool) -> bool {
        !attended && matches!(self, Self::Repair(_))
    }
}

/// The check of what is staged that was asked for last.
#[derive(Debug, Default)]
pub(super) struct StagedCheck {
    newest: u64,
    is_running: bool,
    /// Whether it looks for what makes tests fail: what they found stays told meanwhile.
    is_for_cause: bool,
    /// What the model was last told of, since a turn ended.
    told: Vec<Diagnostic>,
}

impl StagedCheck {
    /// Has what is staged checked; returns the number of the check.
    pub(super) fn start(&mut self, wanted: Wanted, out: &mut Outbox) -> u64 {
        self.newest += 1;
        self.is_running = true;
        self.is_for_cause = wanted == Wanted::Breaking;
        let check = self.newest;
        out.want(Effect::Check { check, wanted });
        if !self.is_for_cause {
            out.emit(Event::Checking);
        }
        check
    }

    /// Ends the check because the user asks.
    pub(super) fn cancel(&mut self, out: &mut Outbox) {
        self.outdate(out);
        out.emit(self.told(CheckReport::not_run(self.name(), "stopped")));
    }

    fn name(&self) -> impl Iterator<Item = String> + use<> {
        let name = if self.is_for_cause {
            BREAKING
        } else {
            "checks"
        };
        std::iter::once(name.to_owned())
    }

    fn told(&self, report: CheckReport) -> Event {
        if self.is_for_cause {
            Event::Breaking { report }
        } else {
            Event::Checked { report }
        }
    }

    /// Returns whether what ended last looked for what makes tests fail.
    pub(super) fn was_for_cause(&self) -> bool {
        self.is_for_cause
    }

    /// Ends the check that runs: what is staged is not what it looks at any more.
    pub(super) fn outdate(&mut self, out: &mut Outbox) {
        if self.is_running {
            out.want(Effect::CancelCheck);
            self.newest += 1;
            self.is_running = false;
        }
    }

    /// Forgets what the model was told of: its turn staged something else.
    pub(super) fn forget_told(&mut self) {
        self.told.clear();
    }

    /// Returns whether the model has not been told of these diagnostics yet, and takes note that it is.
    pub(super) fn is_news(&mut self, new: &[Diagnostic]) -> bool {
        let is_news = !new.is_empty() && self.told != new;
        if is_news {
            self.told = new.to_vec();
        }
        is_news
    }

    /// Takes over how far a check is, unless there is a newer one.
    pub(super) fn begins(&self, check: u64, step: CheckStep, out: &mut Outbox) {
        if check == self.newest {
            out.emit(Event::CheckBegins { step });
        }
    }

    /// Shows what came of a check and returns it; of an older one it does not count.
    pub(super) fn ended(
        &mut self,
        check: u64,
        outcome: Result<CheckReport, String>,
        out: &mut Outbox,
    ) -> Option<CheckReport> {
        if check != self.newest {
            return None;
        }
        self.is_running = false;
        // Not an empty report: that would say that there was nothing to check.
        let report = outcome.unwrap_or_else(|why| CheckReport::not_run(self.name(), &why));
        out.emit(self.told(report.clone()));
        Some(report)
    }
}

/// Returns what the model is told of a check; `repair` if it is to mend what was found.
pub(super) fn notice(report: CheckReport, repair: bool) -> Notice {
    let mut diagnostics = report.new;
    let more = diagnostics.len().saturating_sub(MOST_TOLD);
    diagnostics.truncate(MOST_TOLD);
    Notice::Checks {
        diagnostics,
        more,
        repair,
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use signoff_checks::check::{CheckOutcome, Checked, Diagnostic, Severity};

    use super::super::Phase;
    use super::super::test_kit::{Stage, specs, staged};
    use super::super::{Command, Config, Input};
    use super::*;

    const EDIT: &str = r#"{"path":"file1.rs","description":"Fix it"}"#;

    fn report(errors: usize) -> CheckReport {
        let new = Diagnostic {
            check: "cargo check".into(),
            path: "file1.rs".into(),
            line: 2,
            column: 7,
            severity: Severity::Error,
            code: "E0277".into(),
            message: "cannot multiply".into(),
        };
        let outcome = match errors {
            0 => CheckOutcome::Ok,
            errors => CheckOutcome::Found {
                errors,
                warnings: 0,
            },
        };
        CheckReport {
            checks: vec![Checked {
                name: "cargo check".into(),
                outcome,
                took_ms: 10,
            }],
            new: vec![new; errors],
        }
    }

    /// Returns a conversation whose model has staged something and said so.
    fn after_staging(checks: CheckPolicy) -> Stage {
        let mut stage = Stage::with(Config {
            checks,
            ..Config::new(specs())
        });
        stage.submit("fix it");
        stage.calls(&[("a", "edit_section", EDIT)]);
        stage.done("a", staged(1, 1));
        stage.take_log();
        stage.says("Staged.");
        stage
    }

    fn checked(stage: &mut Stage, check: u64, errors: usize) {
        let outcome = Ok(report(errors));
        stage.feed(Input::Checked { check, outcome });
    }

    #[test]
    fn the_review_opens_while_a_check_runs_and_the_model_is_told_later() {
        let mut stage = after_staging(CheckPolicy::Inform);
        assert_eq!(stage.session.phase(), Phase::AwaitingReview);
        assert!(stage.take_log().contains("> check 1"));
        checked(&mut stage, 1, 1);
        stage.submit("and now?");
        assert_snapshot!(stage.take_log());
    }

    #[test]
    fn errors_go_back_to_the_model_before_the_review_as_often_as_is_allowed() {
        let mut stage = after_staging(CheckPolicy::Repair(1));
        assert_eq!(stage.session.phase(), Phase::Working);
        checked(&mut stage, 1, 1);
        assert_eq!(stage.session.phase(), Phase::Asking);
        stage.calls(&[("b", "edit_section", EDIT)]);
        stage.done("b", staged(2, 1));
        stage.says("Repaired.");
        // No round is left: the review opens, and is checked beside it.
        assert_eq!(stage.session.phase(), Phase::AwaitingReview);
        assert_snapshot!(stage.take_log());
    }

    #[test]
    fn a_turn_that_nobody_attends_ends_after_its_last_check() {
        for rounds in [0, 1] {
            let mut stage = Stage::with(Config {
                checks: CheckPolicy::Repair(rounds),
                attended: false,
                ..Config::new(specs())
            });
            stage.submit("fix it");
            for round in 0..=rounds {
                let call = round.to_string();
                stage.calls(&[(&call, "edit_section", EDIT)]);
                stage.done(&call, staged(u128::from(round) + 1, 1));
                stage.says("Staged.");
                assert_eq!(stage.session.phase(), Phase::Working);
                assert!(!stage.take_log().contains("turn_ended"));
                checked(&mut stage, u64::from(round) + 1, 1);
            }
            let log = stage.take_log();
            assert!(log.contains("< checked"), "{log}");
            assert!(log.contains("< turn_ended review"), "{log}");
        }
    }

    #[test]
    fn checks_that_cannot_be_run_are_reported_as_not_run() {
        let mut stage = after_staging(CheckPolicy::Repair(2));
        let outcome = Err("no shadow".to_owned());
        stage.feed(Input::Checked { check: 1, outcome });
        assert_eq!(stage.session.phase(), Phase::AwaitingReview);
        let log = stage.take_log();
        assert!(
            log.contains("not_run") && log.contains("no shadow"),
            "{log}"
        );
    }

    #[test]
    fn a_check_without_errors_opens_the_review() {
        let mut stage = after_staging(CheckPolicy::Repair(2));
        // An older check does not count.
        checked(&mut stage, 7, 1);
        assert_eq!(stage.session.phase(), Phase::Working);
        checked(&mut stage, 1, 0);
        assert_eq!(stage.session.phase(), Phase::AwaitingReview);
    }

    #[test]
    fn a_check_that_is_stopped_opens_the_review() {
        let mut stage = after_staging(CheckPolicy::Repair(2));
        stage.feed(Input::Command(Command::Cancel));
        assert_eq!(stage.session.phase(), Phase::AwaitingReview);
        assert!(stage.take_log().contains("> cancel check"));
        checked(&mut stage, 1, 1);
        assert_eq!(stage.session.phase(), Phase::AwaitingReview);
    }

    #[test]
    fn nothing_is_checked_where_that_is_off() {
        let mut stage = after_staging(CheckPolicy::Off);
        assert!(!stage.take_log().contains("check"));
        // A report beside the review has no reader where nobody attends.
        let mut stage = Stage::with(Config {
            checks: CheckPolicy::Inform,
            attended: false,
            ..Config::new(specs())
        });
        stage.submit("fix it");
        stage.calls(&[("a", "edit_section", EDIT)]);
        stage.done("a", staged(1, 1));
        stage.says("Staged.");
        assert!(!stage.take_log().contains("check"));
    }
}
