//! Looks of the review agent at what waits, as the session asks for them.
//!
//! ```text
//! auto, attended       the turn ends, the review opens; the agent looks beside it, and comments arrive
//! auto, unattended     the agent looks, and the turn ends after that
//! asked                the agent looks when the user says so
//! ```
//!
//! In: the end of a turn that staged something, or the user's word; what the agent says. Out: one look at a time; comments and
//! a report as events. What the agent says goes to the screen alone: nothing here leads to a verdict, to a call or to a
//! request of the conversation.

use signoff_core::id::HunkId;
use signoff_core::stage::review::critique::{
    CommentSeverity, CriticComment, CritiqueEnd, CritiqueEvent, CritiqueReport,
};

use super::outbox::Outbox;
use super::{Effect, Event};
use crate::provider::About;
use crate::tool::Aside;

/// When the review agent looks at what waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CritiquePolicy {
    /// Never, also if it is asked for.
    Off,
    /// When the user asks for it.
    #[default]
    Asked,
    /// Beside the review, once a turn that staged something has ended.
    Beside,
    /// Before such a turn ends: nobody is there for what comes later.
    BeforeEnd,
}

/// Which of the hunks that wait are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CritiqueScope {
    /// All of them.
    All,
    /// Those that were not looked at, or read differently since.
    Unseen,
}

/// What the driver tells of a look.
#[derive(Clone, Debug, PartialEq)]
pub enum CritiqueNews {
    /// The agent begins, with these hunks.
    Began {
        /// The hunks that it is shown.
        hunks: Vec<HunkId>,
        /// How many others wait that it is not shown.
        left_out: usize,
    },
    /// It comments.
    Commented(CriticComment),
    /// It used tokens.
    Spent(Aside),
    /// It has ended.
    Ended {
        /// How.
        end: CritiqueEnd,
        /// Its last words, on one line.
        said: String,
    },
}

/// The look that was asked for last.
#[derive(Debug, Default)]
pub(super) struct Critiques {
    newest: u64,
    /// What is known of the look that runs.
    running: Option<CritiqueReport>,
    /// The hunks that were commented on by it.
    commented: Vec<HunkId>,
    /// True if the built-in planner answers, which reviews nothing.
    is_planned: bool,
}

impl Critiques {
    /// Takes over who answers.
    pub(super) fn meet(&mut self, about: &About) {
        self.is_planned = about.provider == "offline";
    }

    /// Returns whether there is a model that could look.
    pub(super) fn has_model(&self) -> bool {
        !self.is_planned
    }

    /// Returns whether a look runs.
    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Has the agent look at what waits; ends an earlier look.
    pub(super) fn start(&mut self, scope: CritiqueScope, request: String, out: &mut Outbox) {
        self.cancel(out);
        self.newest += 1;
        self.running = Some(CritiqueReport::default());
        self.commented.clear();
        out.want(Effect::Critique {
            critique: self.newest,
            scope,
            request,
        });
    }

    /// Ends the look that runs. What it said until then stays.
    pub(super) fn cancel(&mut self, out: &mut Outbox) -> bool {
        let Some(report) = self.running.take() else {
            return false;
        };
        out.want(Effect::CancelCritique);
        out.emit(Event::Critique(CritiqueEvent::Ended(CritiqueReport {
            end: CritiqueEnd::Cancelled,
            ..report
        })));
        true
    }

    /// Takes what a look comes to, unless there is a newer one. Returns true if it has ended.
    pub(super) fn take(&mut self, critique: u64, news: CritiqueNews, out: &mut Outbox) -> bool {
        let Some(report) = self.running.as_mut().filter(|_| critique == self.newest) else {
            return false;
        };
        match news {
            CritiqueNews::Began { hunks, left_out } => {
                (report.looked_at, report.left_out) = (hunks.len(), left_out);
                out.emit(Event::Critique(CritiqueEvent::Began { hunks, left_out }));
            }
            CritiqueNews::Commented(comment) => {
                report.comments += 1;
                report.bugs += usize::from(comment.severity == CommentSeverity::Bug);
                if !self.commented.contains(&comment.hunk) {
                    self.commented.push(comment.hunk);
                }
                report.hunks = self.commented.len();
                out.emit(Event::Critique(CritiqueEvent::Comment(comment)));
            }
            // The session counts it.
            CritiqueNews::Spent(_) => {}
            CritiqueNews::Ended { end, said } => {
                let ended = CritiqueReport {
                    end,
                    said,
                    ..report.clone()
                };
                self.running = None;
                out.emit(Event::Critique(CritiqueEvent::Ended(ended)));
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_kit::{Stage, specs, staged};
    use super::super::{CheckPolicy, Command, Config, CriticSetup, Input, Phase};
    use super::*;
    use crate::provider::Usage;
    use signoff_checks::check::CheckReport;

    const EDIT: &str = r#"{"path":"file1.rs","description":"Fix it"}"#;

    fn config(policy: CritiquePolicy) -> Config {
        Config {
            critic: CriticSetup {
                policy,
                ..CriticSetup::default()
            },
            ..Config::new(specs())
        }
    }

    /// Returns a conversation whose model has staged something and said so.
    fn after_staging(config: Config) -> Stage {
        let mut stage = Stage::with(config);
        stage.submit("fix it");
        stage.calls(&[("a", "edit_section", EDIT)]);
        stage.done("a", staged(1, 1));
        stage.take_log();
        stage.says("Staged.");
        stage
    }

    fn tell(stage: &mut Stage, critique: u64, news: CritiqueNews) {
        stage.feed(Input::Critique { critique, news });
    }

    fn ended() -> CritiqueNews {
        CritiqueNews::Ended {
            end: CritiqueEnd::Done,
            said: String::new(),
        }
    }

    #[test]
    fn the_agent_looks_when_it_is_to() {
        for (policy, looks, phase) in [
            (CritiquePolicy::Off, false, Phase::AwaitingReview),
            (CritiquePolicy::Asked, false, Phase::AwaitingReview),
            (CritiquePolicy::Beside, true, Phase::AwaitingReview),
            (CritiquePolicy::BeforeEnd, true, Phase::Working),
        ] {
            let mut stage = after_staging(config(policy));
            let log = stage.take_log();
            let wanted = log.contains("> critique 1 Unseen of fix it");
            assert_eq!(wanted, looks, "{policy:?}: {log}");
            assert_eq!(stage.session.phase(), phase, "{policy:?}");
            tell(&mut stage, 1, ended());
            assert_eq!(stage.session.phase(), Phase::AwaitingReview);
        }
    }

    #[test]
    fn the_user_asks_for_a_look_and_is_told_why_there_is_none() {
        let mut stage = Stage::with(config(CritiquePolicy::Asked));
        assert!(ask(&mut stage).contains("nothing waits for a verdict"));
        let mut stage = after_staging(config(CritiquePolicy::Asked));
        stage.take_log();
        assert!(ask(&mut stage).contains("> critique 1 All of fix it"));
        assert!(ask(&mut stage).contains("is at work"));
        stage.feed(Input::Command(Command::CancelCritique));
        let log = stage.take_log();
        assert!(log.contains("> cancel critique"), "{log}");
        assert!(log.contains("cancelled"), "{log}");
        stage.feed(Input::Command(Command::CancelCritique));
        assert!(stage.take_log().contains("not at work"));
        // What an earlier look says does not count.
        assert!(ask(&mut stage).contains("> critique 2 All"));
        tell(&mut stage, 1, ended());
        assert_eq!(stage.take_log(), "");
        let mut stage = after_staging(config(CritiquePolicy::Off));
        stage.take_log();
        assert!(ask(&mut stage).contains("switched off"));
    }

    fn ask(stage: &mut Stage) -> String {
        stage.feed(Input::Command(Command::Critique));
        stage.take_log()
    }

    #[test]
    fn the_checks_come_first() {
        let mut stage = after_staging(Config {
            checks: CheckPolicy::Repair(1),
            attended: false,
            ..config(CritiquePolicy::BeforeEnd)
        });
        assert!(!stage.take_log().contains("critique"));
        let outcome = Ok(CheckReport::default());
        stage.feed(Input::Checked { check: 1, outcome });
        assert!(stage.take_log().contains("> critique 1"));
        tell(&mut stage, 1, ended());
        assert!(stage.take_log().contains("< turn_ended review"));
    }

    #[test]
    fn what_it_spends_counts_and_a_limit_stops_it() {
        let mut stage = after_staging(Config {
            most_tokens: Some(100),
            ..config(CritiquePolicy::BeforeEnd)
        });
        let usage = Usage {
            input: 60,
            ..Usage::default()
        };
        let spent = || CritiqueNews::Spent(Aside { usage, cost: None });
        tell(&mut stage, 1, spent());
        assert_eq!(stage.session.phase(), Phase::Working);
        tell(&mut stage, 1, spent());
        let log = stage.take_log();
        assert!(log.contains("> cancel critique"), "{log}");
        assert_eq!(stage.session.phase(), Phase::AwaitingReview);
    }

    #[test]
    fn nothing_waits_for_it_where_edits_are_written_at_once() {
        let mut stage = Stage::with(config(CritiquePolicy::BeforeEnd));
        stage.submit("fix it");
        stage.calls(&[("a", "edit_section", EDIT)]);
        let written = crate::tool::ToolOutput {
            written: true,
            ..crate::tool::ToolOutput::done("{}", "written")
        };
        stage.done("a", written);
        stage.says("Written.");
        let log = stage.take_log();
        assert!(!log.contains("critique"), "{log}");
        assert_eq!(stage.session.phase(), Phase::Idle);
    }
}
