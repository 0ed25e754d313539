//! Gate: the calls that may run and the tools that the next request may use.
//!
//! In: the phase, how far a tool reaches, and when the user wants to be asked. Out: a ruling.
//! `docs/gate.md` is this table in print, held to it by a test. Whether the user's permission is
//! needed besides is up to [`crate::permission`].
//!
//! Which calls run and what the next request says about tools, from the phase, the tool's reach and the user's stop
//! rule. The table (`docs/gate.md`) is printed from the code.
//!
//! **Invariant:** after an answer that staged edits, the next request has the notice with the proposal ids. Where
//! the rule stops there, it has `tool_choice: none`, and a call in its answer is refused and nothing is run.

use std::num::NonZeroU32;
use std::str::FromStr;

use crate::message::ToolChoice;
use crate::phase::Phase;
use crate::tool_spec::Reach;

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It runs.
    Run,
    /// It does not run, and is answered with this text.
    Refuse(&'static str),
}

/// When staged edits go before the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StopRule {
    /// After the first answer that staged any.
    #[default]
    FirstEdit,
    /// After the answer with which the edits of this number of files are staged in the turn.
    AfterEdits(NonZeroU32),
    /// When the model has nothing more to do: until then it works on what it staged.
    TurnEnd,
}

/// A word that names no [`StopRule`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is none of first-edit, after:N, turn-end")]
pub struct NoStopRule(String);

impl FromStr for StopRule {
    type Err = NoStopRule;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "first-edit" => Some(Self::FirstEdit),
            "turn-end" => Some(Self::TurnEnd),
            _ => word
                .strip_prefix("after:")
                .and_then(|count| count.parse().ok().map(Self::AfterEdits)),
        }
        .ok_or_else(|| NoStopRule(word.to_owned()))
    }
}

/// Returns what becomes of a call in the answer to a request that was made in `phase`.
pub fn judge(phase: Phase, reach: Reach) -> Ruling {
    match (phase, reach) {
        (
            Phase::Asking | Phase::Working,
            Reach::Observe | Reach::Stage | Reach::Execute | Reach::Delegate,
        ) => Ruling::Run,
        (Phase::Closing, Reach::Observe | Reach::Stage | Reach::Execute | Reach::Delegate) => {
            Ruling::Refuse(STAGED)
        }
        (
            Phase::Idle | Phase::AwaitingReview,
            Reach::Observe | Reach::Stage | Reach::Execute | Reach::Delegate,
        ) => Ruling::Refuse(NO_TURN),
    }
}

/// Returns what a request made in `phase` says about tools.
pub fn tool_choice(phase: Phase) -> ToolChoice {
    match phase {
        Phase::Asking => ToolChoice::Auto,
        Phase::Idle | Phase::Working | Phase::Closing | Phase::AwaitingReview => ToolChoice::None,
    }
}

/// Returns the phase of the next request, after the calls of an answer were carried out:
/// edits that are staged go before the user, when the rule says so, before the model goes on.
/// `staged` and `failed` tell of this answer, `edits` counts the files' edits of the whole turn that wait. While a
/// call failed the model goes on: what it staged may be half of what it meant.
pub fn after_calls(rule: StopRule, staged: bool, failed: bool, edits: u32) -> Phase {
    let rule = if failed { StopRule::TurnEnd } else { rule };
    let stops = match rule {
        StopRule::FirstEdit => staged,
        StopRule::AfterEdits(most) => staged && edits >= most.get(),
        StopRule::TurnEnd => false,
    };
    if stops { Phase::Closing } else { Phase::Asking }
}

const STAGED: &str = "refused: your edits are staged and wait for the user's review, so no tool \
                      runs now. Nothing was changed. Finish with a short answer.";
const NO_TURN: &str = "refused: no turn runs, so no tool does. Nothing was changed.";

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    const PHASES: [(Phase, &str); 5] = [
        (Phase::Idle, "idle"),
        (Phase::Asking, "asking"),
        (Phase::Working, "working"),
        (Phase::Closing, "closing"),
        (Phase::AwaitingReview, "awaiting review"),
    ];

    const RULES: [(&str, &str); 3] = [
        ("first-edit", "the first answer that stages (default)"),
        ("after:3", "edits of that number of files"),
        ("turn-end", "the model's last word"),
    ];

    fn next(rule: StopRule, staged: bool, failed: bool, edits: u32) -> &'static str {
        let next = after_calls(rule, staged, failed, edits);
        let named = PHASES.into_iter().find(|(phase, _)| *phase == next);
        named.map_or("", |(_, name)| name)
    }

    fn table() -> String {
        let mut text = String::from(
            "# The gate\n\
             \n\
             Which calls run, and what a request says about tools. Printed from `crates/llm/src/gate.rs`, whose test\n\
             compares it with this page.\n\
             \n\
             | phase | a request's `tool_choice` | a call that observes | a call that stages | a call that executes | a call that delegates |\n\
             |---|---|---|---|---|---|\n",
        );
        for (phase, name) in PHASES {
            let word = |reach| match judge(phase, reach) {
                Ruling::Run => "runs",
                Ruling::Refuse(_) => "is refused",
            };
            let choice = match tool_choice(phase) {
                ToolChoice::Auto => "`auto`",
                ToolChoice::None => "`none`",
            };
            let (observe, stage) = (word(Reach::Observe), word(Reach::Stage));
            let (execute, delegate) = (word(Reach::Execute), word(Reach::Delegate));
            let _ = writeln!(
                text,
                "| {name} | {choice} | {observe} | {stage} | {execute} | {delegate} |"
            );
        }
        text.push_str(
            "\nThe phase of the next request, after the calls of an answer; `edits` are files' edits that this turn\n\
             staged and that wait. `stop` is set in the configuration or by `--stop`:\n\
             \n\
             | `stop` | the user is asked after | nothing staged | staged, 1 edit | staged, 2 edits | staged, 3 edits | staged, and a call failed |\n\
             |---|---|---|---|---|---|---|\n",
        );
        for (word, after) in RULES {
            let rule: StopRule = word.parse().unwrap();
            let _ = write!(
                text,
                "| `{word}` | {after} | {} |",
                next(rule, false, false, 3)
            );
            for edits in 1..=3 {
                let _ = write!(text, " {} |", next(rule, true, false, edits));
            }
            let _ = writeln!(text, " {} |", next(rule, true, true, 3));
        }
        text.push_str(
            "\nWhere a call failed, the model is told in one notice what is staged and what failed, and goes on. An edit that\n\
             failed counts as left undone until a later answer edits that file; `left_undone` tells of those at the turn's\n\
             end, and `exec --approve all` then writes nothing and exits with 3.\n\
             \n\
             A refused call is answered like any other: with a text that says why, exactly once.\n\
             A call that runs may need the user's permission first; see `permissions` in `config.md`.\n",
        );
        text
    }

    #[test]
    fn the_page_is_the_table() {
        let printed = include_str!("../../../docs/gate.md");
        let table = table();
        assert_eq!(printed, table, "docs/gate.md should read:\n\n{table}");
    }

    #[test]
    fn no_request_but_one_that_asks_offers_tools() {
        for (phase, _) in PHASES {
            let offered = tool_choice(phase) == ToolChoice::Auto;
            assert_eq!(offered, phase == Phase::Asking);
        }
    }

    #[test]
    fn a_refusal_says_that_nothing_was_changed() {
        for text in [STAGED, NO_TURN] {
            assert!(text.starts_with("refused: ") && text.contains("Nothing was changed."));
        }
    }

    #[test]
    fn rules_have_names() {
        for word in ["", "after:0", "after:", "after:x", "TURN-END"] {
            assert!(word.parse::<StopRule>().is_err(), "{word}");
        }
    }
}
