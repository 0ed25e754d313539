//! Change log: what the conversation changed and which tests ran, which the model's words are held against.
//!
//! In: prompts, what is staged and replaced, commands with their ends, reports of checks. Out: a [`ChangeRecord`].

use std::collections::BTreeMap;
use std::sync::Arc;

use signoff_checks::check::{CheckOutcome, CheckReport};
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::review::{ProposalView, Proposer, StagedProposals};

use crate::claims::{ChangeRecord, TestLog};
use crate::tool_output::PrintedStreams;

/// Hunks of earlier prompts that are kept: after rewrites of thousands of hunks, a conversation would hold all of their lines.
const MOST_EARLIER: usize = 2_000;

/// What the conversation changed and ran.
#[derive(Debug, Default)]
pub(super) struct ChangeLog {
    /// Of the newest prompt.
    now: BTreeMap<ProposalId, Arc<ProposalView>>,
    earlier: Vec<Arc<ProposalView>>,
    has_others: bool,
    tests: TestLog,
}

impl ChangeLog {
    /// Begins with a prompt: what was staged before is of earlier ones.
    pub(super) fn begin_prompt(&mut self) {
        self.earlier
            .extend(std::mem::take(&mut self.now).into_values());
        let hunks: usize = self.earlier.iter().map(|view| view.hunks.len()).sum();
        if hunks > MOST_EARLIER {
            self.earlier.clear();
            self.has_others = true;
        }
    }

    /// Takes what the model staged.
    pub(super) fn stage(&mut self, staged: &StagedProposals) {
        let new = staged.listing.proposals.iter();
        let new =
            new.filter(|view| staged.new.contains(&view.id) && view.proposer != Proposer::User);
        for view in new {
            self.now.insert(view.id, Arc::clone(view));
            self.tests.outdate();
        }
    }

    /// Takes over that hunks are part of later ones now.
    pub(super) fn forget(&mut self, hunks: &[HunkId]) {
        if hunks.is_empty() {
            return;
        }
        for view in self.now.values_mut() {
            if view.hunks.iter().any(|hunk| hunks.contains(&hunk.id)) {
                Arc::make_mut(view)
                    .hunks
                    .retain(|hunk| !hunks.contains(&hunk.id));
            }
        }
        self.now.retain(|_, view| !view.hunks.is_empty());
        // What a program made of an earlier prompt's hunks is one with them: what of it is new is not known.
        let mut earlier = self.earlier.iter().flat_map(|view| &view.hunks);
        self.has_others |= earlier.any(|hunk| hunks.contains(&hunk.id));
        self.tests.outdate();
    }

    /// Takes over that there are changes which were not staged.
    pub(super) fn others_changed(&mut self) {
        self.has_others = true;
    }

    /// Takes a command of the model's and how it ended.
    pub(super) fn ran(&mut self, line: &str, passed: bool, printed: Option<&PrintedStreams>) {
        self.tests.ran(line, passed);
        if let Some(printed) = printed {
            self.tests.printed(&printed.out, &printed.err);
        }
    }

    /// Takes what checks of what is staged say of tests.
    pub(super) fn checked(&mut self, report: &CheckReport) {
        for check in &report.checks {
            if let CheckOutcome::Tested { passed, failed, .. } = check.outcome
                && passed + failed > 0
            {
                self.tests.came_to(&check.name, failed == 0);
            }
        }
    }

    /// Tells whether nothing was changed and no test ran.
    pub(super) fn is_empty(&self) -> bool {
        self.now.is_empty() && self.earlier.is_empty() && self.tests.is_empty()
    }

    /// Returns what words of the model are held against.
    pub(super) fn record(&self) -> ChangeRecord {
        ChangeRecord {
            now: self.now.values().cloned().collect(),
            earlier: self.earlier.clone(),
            has_others: self.has_others,
            tests: self.tests.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_kit::{Stage, hunk, specs, staged, tools};
    use super::super::{Command, Config, Input, Phase, TurnId};
    use crate::claims::{JudgedSentence, Judgement};
    use crate::mode::Mode;
    use crate::permission::{Permission, Policy, Rule};
    use crate::tool::{Subjects, ToolOutput};

    const RUN: &str = r#"{"command":"sed -i d a.rs"}"#;
    const EDIT: &str = r#"{"path":"file1.rs","description":"Fix it"}"#;

    fn after_staging(attended: bool) -> Stage {
        let mut stage = Stage::with(Config {
            attended,
            ..Config::new(specs())
        });
        stage.holds_claims = true;
        stage.submit("fix it");
        stage.calls(&[("a", "edit_section", EDIT)]);
        stage.done("a", staged(1, 1));
        stage.take_log();
        stage.says("All tests pass.");
        stage
    }

    fn judged(stage: &mut Stage, turn: u64) -> String {
        let turn = TurnId(turn);
        let sentences = vec![JudgedSentence {
            sentence: "All tests pass.".to_owned(),
            judgement: Judgement::Contradicted {
                why: "no test ran".to_owned(),
                hunk: None,
            },
        }];
        stage.feed(Input::ClaimsJudged { turn, sentences });
        stage.take_log()
    }

    #[test]
    fn a_turn_ends_while_its_words_are_judged_and_is_told_of_them_later() {
        let mut stage = after_staging(true);
        assert_eq!(stage.session.phase(), Phase::AwaitingReview);
        let log = stage.take_log();
        assert!(
            log.contains("> judge claims") && log.contains("turn_ended"),
            "{log}"
        );
        assert!(judged(&mut stage, 1).contains("no test ran"));
        stage.submit("and now?");
        stage.take_log();
        assert_eq!(judged(&mut stage, 1), "", "of an earlier turn");
    }

    #[test]
    fn a_turn_that_nobody_attends_ends_after_its_words_were_judged() {
        let mut stage = after_staging(false);
        assert_eq!(stage.session.phase(), Phase::Working);
        stage.take_log();
        assert_eq!(judged(&mut stage, 99), "", "of another turn");
        let log = judged(&mut stage, 1);
        let (claims, end) = (log.find("no test ran"), log.find("turn_ended"));
        assert!(claims.is_some() && claims < end, "{log}");
    }

    /// Ends a run of a program that made a proposal of hunks of others, or withdrew them.
    fn program_ran(stage: &mut Stage, id: &str, made: Option<u128>, of: u128) {
        stage.calls(&[(id, "bash", RUN)]);
        let log = stage.take_log();
        assert!(log.contains("> run bash"), "{log}");
        let mut output = match made {
            Some(proposal) => staged(proposal, 1),
            None => ToolOutput::done("{}", "exit 0"),
        };
        output.deeds.rewritten = vec![hunk(of, 1)];
        stage.done(id, output);
    }

    #[test]
    fn what_a_program_takes_back_of_a_turn_is_no_change_of_it() {
        let confined = |line: &str| Subjects::Confined(line.to_owned());
        let rule = Rule {
            tool: "bash".to_owned(),
            pattern: "*".to_owned(),
            action: Permission::Allow,
        };
        let mut stage = Stage::with(Config {
            policy: Policy::new(vec![rule], Vec::new()),
            ..Config::new(tools(confined))
        });
        stage.feed(Input::Command(Command::SetMode(Mode::Turn)));
        stage.submit("fix it");
        stage.calls(&[("a", "edit_section", EDIT), ("b", "edit_section", EDIT)]);
        stage.done("a", staged(1, 1));
        stage.done("b", staged(2, 1));
        let paths = |stage: &Stage| -> Vec<String> {
            let now = stage.session.changes.record().now;
            now.iter().map(|view| view.path.clone()).collect()
        };
        assert_eq!(paths(&stage), ["file1.rs", "file2.rs"]);
        stage.take_log();
        program_ran(&mut stage, "c", Some(3), 1);
        assert_eq!(paths(&stage), ["file2.rs", "file3.rs"]);
        program_ran(&mut stage, "d", None, 2);
        assert_eq!(paths(&stage), ["file3.rs"]);
        assert!(!stage.session.changes.record().has_others);
        stage.session.changes.begin_prompt();
        program_ran(&mut stage, "e", Some(4), 3);
        // What of it is of the new prompt is not known.
        assert!(stage.session.changes.record().has_others);
    }

    #[test]
    fn a_turn_is_stopped_while_its_words_are_judged() {
        let mut stage = after_staging(false);
        stage.cancel();
        assert!(stage.take_log().contains("turn_ended"));
        assert_eq!(judged(&mut stage, 1).matches("turn_ended").count(), 0);
    }
}
