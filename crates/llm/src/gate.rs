//! Which calls may run and which tools the next request may use.
//!
//! In: the phase, and how far a tool reaches. Out: a ruling. `docs/gate.md` is this table
//! in print, held to it by a test. Whether the user has to be asked besides is up to
//! [`crate::permission`].

use crate::message::ToolChoice;
use crate::session::Phase;
use crate::tool::Reach;

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It runs.
    Run,
    /// It does not run, and is answered with this text.
    Refuse(&'static str),
}

/// Returns what becomes of a call in the answer to a request that was made in `phase`.
pub fn judge(phase: Phase, reach: Reach) -> Ruling {
    match (phase, reach) {
        (Phase::Asking | Phase::Working, Reach::Observe | Reach::Stage | Reach::Execute) => {
            Ruling::Run
        }
        (Phase::Closing, Reach::Observe | Reach::Stage | Reach::Execute) => Ruling::Refuse(STAGED),
        (Phase::Idle | Phase::AwaitingReview, Reach::Observe | Reach::Stage | Reach::Execute) => {
            Ruling::Refuse(NO_TURN)
        }
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
/// edits that are staged go before the user before the model goes on.
pub fn after_calls(staged: bool) -> Phase {
    match staged {
        true => Phase::Closing,
        false => Phase::Asking,
    }
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

    fn table() -> String {
        let mut text = String::from(
            "# The gate\n\
             \n\
             Which calls run, and what a request says about tools. Printed from `crates/llm/src/gate.rs`, whose test\n\
             compares it with this page.\n\
             \n\
             | phase | a request's `tool_choice` | a call that observes | a call that stages | a call that executes |\n\
             |---|---|---|---|---|\n",
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
            let execute = word(Reach::Execute);
            let _ = writeln!(
                text,
                "| {name} | {choice} | {observe} | {stage} | {execute} |"
            );
        }
        text.push_str("\n| calls of an answer | next request |\n|---|---|\n");
        for staged in [false, true] {
            let next = PHASES
                .into_iter()
                .find(|(phase, _)| *phase == after_calls(staged))
                .map_or("", |(_, name)| name);
            let calls = if staged {
                "staged edits"
            } else {
                "staged nothing"
            };
            let _ = writeln!(text, "| {calls} | {next} |");
        }
        text.push_str(
            "\nA refused call is answered like any other: with a text that says why, exactly once.\n\
             A call that runs may need the user's leave first; see `permissions` in `config.md`.\n",
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
}
