//! Work beside the conversation that may take over a second: the start, writing, checks.
//!
//! In: that it began or ended, and the time. Out: a few words for the status line, once it has taken a second.

use signoff_checks::check::CheckStep;
use signoff_core::id::Timestamp;
use signoff_core::plural::{counted, thousands};
use signoff_core::stage::review::critique::CritiqueEvent;
use signoff_core::stage::review::{Ruling, Verdict};

/// What runs, and since when.
#[derive(Debug, Default)]
pub(crate) struct Background {
    start: Option<Timestamp>,
    has_failed: bool,
    /// How many hunks are being written.
    writing: Option<(usize, Timestamp)>,
    checks: Option<Timestamp>,
    /// The check that runs, once it is known.
    check: Option<CheckStep>,
    /// How many hunks the review agent looks at.
    critique: Option<(usize, Timestamp)>,
}

impl Background {
    /// Takes over that the interface is there and the session is not yet.
    pub(super) fn starts(&mut self, now: Timestamp) {
        self.start.get_or_insert(now);
    }

    /// Takes over that the session will not come.
    pub(super) fn start_failed(&mut self) {
        self.has_failed = true;
    }

    /// Returns true while something runs; `is_ready` and `is_checking` tell whether the start and the checks go on.
    pub(crate) fn is_running(&self, (is_ready, is_checking): (bool, bool)) -> bool {
        self.writing.is_some()
            || is_checking
            || self.critique.is_some()
            || !is_ready && self.start.is_some() && !self.has_failed
    }

    /// Takes over that verdicts were handed over.
    pub(super) fn writes(&mut self, rulings: &[Ruling], now: Timestamp) {
        let is_approved = |ruling: &&Ruling| ruling.verdict == Verdict::Approve;
        let approved = rulings.iter().filter(is_approved).count();
        self.writing = (approved > 0).then_some((approved, now));
    }

    /// Takes over what became of the verdicts.
    pub(super) fn wrote(&mut self) {
        self.writing = None;
    }

    /// Takes over that checks run.
    pub(super) fn checks(&mut self, now: Timestamp) {
        self.checks = Some(now);
        self.check = None;
    }

    /// Takes over which check runs now.
    pub(super) fn check_begins(&mut self, check: CheckStep) {
        self.check = Some(check);
    }

    /// Takes over what the review agent does.
    pub(super) fn critique(&mut self, event: &CritiqueEvent, now: Timestamp) {
        match event {
            CritiqueEvent::Began { hunks, .. } => self.critique = Some((hunks.len(), now)),
            CritiqueEvent::Comment(_) => {}
            CritiqueEvent::Ended(_) => self.critique = None,
        }
    }

    /// Says what takes over a second, of what runs.
    pub(crate) fn line(
        &self,
        (is_ready, is_checking): (bool, bool),
        now: Timestamp,
    ) -> Option<String> {
        let taken =
            |since: Timestamp| Some((now.0 - since.0) / 1000).filter(|seconds| *seconds > 0);
        if let Some((hunks, since)) = self.writing {
            let hunks = match hunks {
                0..1_000 => counted(hunks, "hunk"),
                hunks => format!("{} hunks", thousands(hunks as u64)),
            };
            return Some(format!("writing {hunks}, {}s", taken(since)?));
        }
        if !is_ready && !self.has_failed {
            let seconds = taken(self.start?)?;
            return Some(format!(
                "opening the store and looking for a model, {seconds}s"
            ));
        }
        if let Some(seconds) = self.checks.filter(|_| is_checking).and_then(taken) {
            return Some(match &self.check {
                Some(CheckStep { name, number, of }) => {
                    format!("check {number} of {of}: {name}, {seconds}s")
                }
                None => format!("checks run, {seconds}s"),
            });
        }
        let (hunks, since) = self.critique?;
        let (hunks, seconds) = (counted(hunks, "hunk"), taken(since)?);
        Some(format!("the review agent looks at {hunks}, {seconds}s"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signoff_core::id::{HunkId, ProposalId, Uuid};

    #[test]
    fn what_takes_a_second_is_said_with_its_time() {
        let mut background = Background::default();
        let line = |it: &Background, ready, checking, at| it.line((ready, checking), Timestamp(at));
        background.starts(Timestamp(0));
        background.starts(Timestamp(500));
        assert_eq!(line(&background, false, false, 900), None);
        let starting = line(&background, false, false, 2_000);
        assert_eq!(
            starting.as_deref(),
            Some("opening the store and looking for a model, 2s")
        );
        assert_eq!(line(&background, true, false, 2_000), None);
        background.start_failed();
        assert_eq!(line(&background, false, false, 9_000), None);
        background.checks(Timestamp(1_000));
        assert_eq!(
            line(&background, true, true, 4_000).as_deref(),
            Some("checks run, 3s")
        );
        background.check_begins(CheckStep {
            name: "cargo clippy".to_owned(),
            number: 2,
            of: 3,
        });
        assert_eq!(
            line(&background, true, true, 5_000).as_deref(),
            Some("check 2 of 3: cargo clippy, 4s")
        );
        assert_eq!(line(&background, true, false, 4_000), None);
        let ruling = |number| Ruling {
            hunk: HunkId {
                proposal: ProposalId(Uuid::nil()),
                number,
            },
            displayed: signoff_core::stage::review::DisplayHash::default(),
            sight: signoff_core::stage::review::Sight::Unseen,
            verdict: Verdict::Approve,
        };
        let rulings: Vec<_> = (1..=1_200).map(ruling).collect();
        background.writes(&rulings, Timestamp(3_000));
        assert_eq!(
            line(&background, true, true, 4_000).as_deref(),
            Some("writing 1.2k hunks, 1s")
        );
        background.wrote();
        assert_eq!(line(&background, true, false, 4_000), None);
    }
}
