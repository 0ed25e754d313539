//! Modes: how far the model goes before the user looks.
//!
//! In: a mode, and the configured rule for stopping. Out: when staged edits go before the user, and which calls
//! are refused whatever the phase.
//!
//! How far the model goes before the user looks: plan, step, turn, write-through. Switched in the session; from it
//! come the stop rule, and which calls are refused whatever the phase.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::gate::StopRule;
use crate::tool_spec::Reach;

/// A mode of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// None, and no commands: the model ends with a plan.
    Plan,
    /// Are staged, and go before you as `--stop` says; the usual one.
    #[default]
    Step,
    /// Are staged; you review at the end of the turn.
    Turn,
    /// Are written at once; only by `/mode write-through`, and not where the workspace's file forbids it.
    WriteThrough,
}

/// Whether edits are written at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteThrough {
    /// The workspace does not let them be.
    Forbidden,
    /// They are not, unless the user chooses that mode.
    #[default]
    Off,
    /// They are from the beginning.
    On,
}

/// A word that names no [`Mode`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is none of plan, step, turn, write-through")]
pub struct NoMode(String);

impl FromStr for Mode {
    type Err = NoMode;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let all = [Self::Plan, Self::Step, Self::Turn, Self::WriteThrough];
        let mut named = all.into_iter().filter(|mode| mode.word() == word);
        named.next().ok_or_else(|| NoMode(word.to_owned()))
    }
}

/// What a call is told that would change something while a plan is made.
const PLANNING: &str = "refused: this is plan mode, so nothing is changed and no command runs. Look at what you \
     need, then end with the plan: numbered steps, each with the lines `Files:` (with commas), `Risk:` and `Check:` (a \
     command that passes once the step is done) below it. The user edits and approves it.";

impl Mode {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Step => "step",
            Self::Turn => "turn",
            Self::WriteThrough => "write-through",
        }
    }

    /// Returns the next mode for the key that goes through them. The one that writes at once has to be named.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Plan => Self::Step,
            Self::Step => Self::Turn,
            Self::Turn | Self::WriteThrough => Self::Plan,
        }
    }

    /// Returns when staged edits go before the user, where `step` is the rule for doing so step by step.
    pub fn stop(self, step: StopRule) -> StopRule {
        match (self, step) {
            (Self::Turn, _) => StopRule::TurnEnd,
            (Self::Plan | Self::Step, StopRule::TurnEnd) => StopRule::FirstEdit,
            (Self::Plan | Self::Step | Self::WriteThrough, step) => step,
        }
    }

    /// Returns why a call of this reach does not run, if it does not.
    pub fn refusal(self, reach: Reach) -> Option<&'static str> {
        let changes = matches!(reach, Reach::Stage | Reach::Execute);
        // An agent that is started in plan mode is in plan mode itself.
        (self == Self::Plan && changes).then_some(PLANNING)
    }

    /// Returns what the model is told when the user chooses this mode.
    pub fn told(self) -> &'static str {
        match self {
            Self::Plan => {
                "The user has switched to plan mode: change nothing and run nothing. Look at what you need and \
                 end with a plan: numbered steps, each with the lines `Files:` (with commas), `Risk:` and `Check:` \
                 (a command that passes once the step is done) below it. The user edits and approves it; it is carried out step by step."
            }
            Self::Step => {
                "The user has switched to reviewing step by step: edits are staged, and go before the user."
            }
            Self::Turn => {
                "The user has switched to reviewing at the end: edits are staged, tools and commands see them; \
                 work on until the request is done and checked."
            }
            Self::WriteThrough => {
                "The user has switched to writing through: an edit whose answer has \"written\":true is in the \
                 file."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_through_the_modes_that_write_nothing_at_once() {
        let mut mode = Mode::Step;
        let seen: Vec<&str> = (0..4)
            .map(|_| {
                mode = mode.next();
                mode.word()
            })
            .collect();
        assert_eq!(seen, ["turn", "plan", "step", "turn"]);
        for word in ["plan", "step", "turn", "write-through"] {
            assert_eq!(word.parse::<Mode>().map(Mode::word), Ok(word));
        }
        assert!("yolo".parse::<Mode>().is_err());
    }

    #[test]
    fn a_plan_changes_nothing() {
        assert_eq!(Mode::Plan.refusal(Reach::Observe), None);
        for reach in [Reach::Stage, Reach::Execute] {
            assert!(Mode::Plan.refusal(reach).is_some());
            assert_eq!(Mode::Turn.refusal(reach), None);
        }
        assert_eq!(Mode::Turn.stop(StopRule::FirstEdit), StopRule::TurnEnd);
        for rule in [StopRule::FirstEdit, StopRule::TurnEnd] {
            assert_eq!(Mode::Step.stop(rule), StopRule::FirstEdit);
        }
    }
}
