//! Going on after an approval.
//!
//! In: what is configured or chosen with the verdicts, the model's plan, and whether its turn was cut by the gate. Out:
//! whether the model is asked at once, when everything it staged is decided on and something of it approved.
//!
//! ```text
//! step mode, three files to change
//! edits one file                    the gate takes the tools away
//! "Staged a.rs.\nLeft: b.rs, c.rs"   the turn was cut: Enter writes, and the model goes on
//! "Staged c.rs."                    it was not: Enter writes
//! ```

use signoff_core::stage::review::AfterApproval;

use crate::tool_output::{PlanStep, StepStatus};

/// How the line begins that the model is asked for where edits of the request are left (`notice/words`).
const LEFT: &str = "Left:";

/// What is known of going on.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct GoingOn {
    usual: AfterApproval,
    /// For the next verdicts alone.
    chosen: Option<AfterApproval>,
    /// True if the plan that the model told has steps that are not done.
    has_steps: bool,
    /// True if the gate ended the turn before the model was done.
    is_cut: bool,
    /// What the screen was last told.
    told: bool,
}

impl GoingOn {
    pub(in crate::session) fn new(usual: AfterApproval) -> Self {
        Self {
            usual,
            chosen: None,
            has_steps: false,
            is_cut: false,
            told: false,
        }
    }

    /// Takes the user's choice for the next verdicts.
    pub(in crate::session) fn choose(&mut self, next: AfterApproval) {
        self.chosen = Some(next);
    }

    /// Takes the plan as the model tells it.
    pub(in crate::session) fn plan(&mut self, steps: &[PlanStep]) {
        self.has_steps = steps
            .iter()
            .any(|step| step.status != StepStatus::Completed);
    }

    /// Takes the last answer of a turn whose tools the gate had closed: it was cut if the model calls a tool all the same, or
    /// says in the line that it was asked for that something is left.
    pub(in crate::session) fn closing_answer(&mut self, text: &str, has_calls: bool) {
        let last = text.lines().rfind(|line| !line.trim().is_empty());
        let left = last.and_then(|line| line.trim().trim_start_matches('*').strip_prefix(LEFT));
        let left = left.map(|left| left.trim_matches([' ', '*', '.', '-', '`']));
        let names_rest = left.is_some_and(|left| {
            let is_none = ["", "none", "nothing", "n/a"].iter();
            !is_none
                .into_iter()
                .any(|word| left.eq_ignore_ascii_case(word))
        });
        self.is_cut = has_calls || names_rest;
    }

    /// Forgets the plan: the user asks for something else.
    pub(in crate::session) fn begin(&mut self) {
        self.has_steps = false;
        self.is_cut = false;
    }

    /// Returns what happens unless the user chooses otherwise, if the screen was told something else before.
    pub(in crate::session) fn news(&mut self, plan_goes_on: bool) -> Option<bool> {
        let goes_on = self.usually() || plan_goes_on;
        let is_news = goes_on != self.told;
        self.told = goes_on;
        is_news.then_some(goes_on)
    }

    fn usually(self) -> bool {
        match self.usual {
            AfterApproval::GoOn => true,
            AfterApproval::Stop => false,
            AfterApproval::Auto => self.has_steps || self.is_cut,
        }
    }

    /// Returns whether the model goes on after verdicts that approved something and left nothing.
    pub(in crate::session) fn goes_on(&mut self) -> bool {
        let goes_on = match self.chosen.take() {
            Some(AfterApproval::GoOn) => true,
            Some(AfterApproval::Stop) => false,
            Some(AfterApproval::Auto) | None => self.usually(),
        };
        // It is about the edits that were decided on.
        self.is_cut = false;
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_goes_on_by_plan_or_by_choice() {
        let open = [step(StepStatus::Completed), step(StepStatus::Pending)];
        let done = [step(StepStatus::Completed)];
        for (usual, chosen, plan, goes_on) in [
            (AfterApproval::Auto, None, &open[..], true),
            (AfterApproval::Auto, None, &done, false),
            (AfterApproval::Auto, None, &[], false),
            (AfterApproval::Auto, Some(AfterApproval::Stop), &open, false),
            (AfterApproval::Auto, Some(AfterApproval::GoOn), &[], true),
            (AfterApproval::GoOn, None, &[], true),
            (AfterApproval::Stop, None, &open, false),
        ] {
            let mut going_on = GoingOn::new(usual);
            going_on.plan(plan);
            chosen.into_iter().for_each(|next| going_on.choose(next));
            assert_eq!(going_on.goes_on(), goes_on, "{usual:?} {chosen:?}");
            // The choice was for once.
            let again = going_on.goes_on();
            let auto = usual == AfterApproval::Auto && going_on.has_steps;
            assert_eq!(again, usual == AfterApproval::GoOn || auto);
        }
    }

    #[test]
    fn a_turn_was_cut_if_its_last_answer_calls_a_tool_or_says_what_is_left() {
        for (text, has_calls, is_cut) in [
            ("Staged.", false, false),
            ("Staged.", true, true),
            ("Staged a.\nLeft: b.rs and c.rs\n", false, true),
            ("Staged a.\n**Left:** b.rs", false, true),
            ("Staged a.\nLeft: nothing.", false, false),
            ("Staged a.\nLeft:", false, false),
            ("Left: b.rs\nThat is all.", false, false),
            ("", false, false),
        ] {
            let mut going_on = GoingOn::new(AfterApproval::Auto);
            going_on.closing_answer(text, has_calls);
            assert_eq!(going_on.news(false), is_cut.then_some(true), "{text}");
            assert_eq!(going_on.goes_on(), is_cut, "{text}");
            assert!(!going_on.goes_on(), "it goes on once: {text}");
        }
        let mut going_on = GoingOn::new(AfterApproval::Stop);
        going_on.closing_answer("Left: b.rs", false);
        assert!(!going_on.goes_on());
    }

    fn step(status: StepStatus) -> PlanStep {
        PlanStep {
            step: "x".to_owned(),
            status,
        }
    }
}
