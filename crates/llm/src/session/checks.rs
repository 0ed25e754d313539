//! Checks of staged work, as the session asks for them.
//!
//! In: the end of what the model stages, and reports. Out: a check of it; its report for the user, and for the
//! model: before the review opens where errors are to be repaired, else with the next request.

use signoff_verify::check::CheckReport;

use super::turn::Step;
use super::{Effect, Event, Phase, Session, TurnEnd};
use crate::notice::Notice;

/// What becomes of new diagnostics in staged work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckPolicy {
    /// Nothing is checked.
    #[default]
    Off,
    /// The user sees them in the review, and the model with the next request.
    Inform,
    /// New errors go back to the model before the review opens, at most so many times a turn.
    Repair(u32),
}

/// Diagnostics that the model is told of.
const TOLD: usize = 20;

impl Session {
    /// Ends a turn whose model has nothing more to say, once what it staged is checked where errors are to
    /// be repaired.
    pub(super) fn close(&mut self) {
        let end = self.natural_end();
        if end != TurnEnd::Review || self.checks == CheckPolicy::Off {
            return self.end(end);
        }
        let rounds = match self.checks {
            CheckPolicy::Repair(rounds) => rounds,
            CheckPolicy::Off | CheckPolicy::Inform => 0,
        };
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.repairs < rounds) {
            turn.step = Step::Checking;
            self.enter(Phase::Working);
            return self.check();
        }
        self.check();
        self.end(end);
    }

    fn check(&mut self) {
        self.newest_check += 1;
        let check = self.newest_check;
        self.effects.push_back(Effect::Check { check });
        self.emit(Event::Checking);
    }

    /// Takes what came of a check; of an older one it does not count.
    pub(super) fn checked(&mut self, check: u64, outcome: Result<CheckReport, String>) {
        if check != self.newest_check {
            return;
        }
        let report = outcome.unwrap_or_else(|why| {
            self.inform(&format!("the checks were not run: {why}"));
            CheckReport::default()
        });
        self.emit(Event::Checked {
            report: report.clone(),
        });
        let errors = report.errors() > 0;
        let turn = self.turn.as_mut();
        let Some(turn) = turn.filter(|turn| matches!(turn.step, Step::Checking)) else {
            if !report.new.is_empty() {
                self.tell(notice(report, false));
            }
            return;
        };
        if errors {
            turn.repairs += 1;
            self.inform("the model is told of the new errors and repairs them; Esc stops it");
            self.transcript.note(notice(report, true));
            return self.ask(Phase::Asking);
        }
        if !report.new.is_empty() {
            self.held.push(notice(report, false));
        }
        self.end(TurnEnd::Review);
    }
}

fn notice(report: CheckReport, repair: bool) -> Notice {
    let mut diagnostics = report.new;
    let more = diagnostics.len().saturating_sub(TOLD);
    diagnostics.truncate(TOLD);
    Notice::Checks {
        diagnostics,
        more,
        repair,
    }
}
