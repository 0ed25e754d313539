//! Rules that the user makes.
//!
//! In: a line. Out: a proposal of it, and what the user is told: whether it will be enforced, or only told to models.

use signoff_core::edit::rule::{self, draft};
use signoff_core::engine::Answer;

use super::super::outbox::Outbox;
use super::super::{Effect, Event, Fault};
use super::Review;

impl Review {
    /// Has a rule proposed.
    pub(in crate::session) fn propose_rule(&mut self, text: &str, out: &mut Outbox) {
        let rule = draft::sentence(text);
        if rule.is_empty() {
            return out.misused("the rule is empty");
        }
        self.consult(Effect::ProposeRule(rule), out);
    }

    /// Takes what became of a rule.
    pub(in crate::session) fn rule_proposed(
        &mut self,
        rule: &str,
        outcome: Result<Option<Answer>, Fault>,
        is_over: bool,
        out: &mut Outbox,
    ) {
        self.reported();
        match outcome {
            Ok(Some(answer)) if answer.staged || answer.written => {
                out.inform(rule::fate(rule));
                self.stage(answer.proposals, answer.written, is_over, out);
            }
            Ok(Some(answer)) => {
                let why = answer.results.iter().find_map(|own| own.error.clone());
                out.inform(&why.unwrap_or_else(|| "the rule was not staged".to_owned()));
            }
            Ok(None) => out.inform("the instructions have this rule already"),
            Err(fault) => out.emit(Event::Fault(fault)),
        }
    }
}
