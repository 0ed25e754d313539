//! Regenerating: one hunk that waits is written again, and all others stay.
//!
//! In: the hunk as it was displayed, and the user's remark. Out: a turn that may change the lines of that hunk alone. What the
//! turn's calls may do is limited twice: here by their reach, and where they stage by the engine, which refuses what lies
//! elsewhere. A turn that stages nothing leaves the hunk as it is.

use signoff_core::quote::{self, one_line};
use signoff_core::stage::proposal::DESCRIPTION_CHARS;
use signoff_core::stage::review::HunkQuestion;

use super::ledger::UserPrompt;
use super::turn::Beginning;
use super::{Event, Session, questions};
use crate::mode::Mode;
use crate::tool::{Reach, ToolOutput};

impl Session {
    /// Has the model write a hunk again, now or when its turn comes.
    pub(super) fn regenerate(&mut self, remark: HunkQuestion) {
        let why = if self.questions.is_planned() {
            Some("no model is connected that could write the hunk again: `signoff doctor` says how")
        } else if self.turns.modes.now == Mode::Plan {
            Some("nothing is written in plan mode: choose another mode first")
        } else {
            None
        };
        if let Some(why) = why {
            self.outbox.misused(why);
            return self.outbox.emit(Event::Unsent { text: remark.text });
        }
        self.prompts.add_remark(remark);
        self.advance();
    }

    /// Begins a turn with a prompt. A remark on a hunk that does not wait any more is given back.
    pub(super) fn begin_prompt(&mut self, prompt: UserPrompt) {
        let about = prompt.about.as_deref();
        let gone = about.filter(|about| !self.review.hunks().holds(about.hunk.id));
        if let Some(HunkQuestion { path, text, .. }) = gone {
            let path = quote::name(path);
            self.outbox.inform(&format!(
                "the hunk of {path} does not wait any more: it is not written again"
            ));
            let text = text.clone();
            self.outbox.emit(Event::Unsent { text });
            return self.begin_next();
        }
        self.begin(Beginning::Prompt(prompt));
    }
}

/// Returns the answer to a call that could change anything but the hunk.
pub(super) fn refusal(reach: Reach) -> Option<ToolOutput> {
    match reach {
        Reach::Observe | Reach::Stage => None,
        Reach::Execute | Reach::Delegate => Some(ToolOutput::failed(
            "refused: in this turn one hunk is written again and all else stays as it is, so no program and no agent \
             runs. Nothing was changed. Read what you need with the tools that only look, and edit the lines of the hunk.",
            "refused: one hunk is written again, and nothing runs",
        )),
    }
}

/// Returns what the model is asked.
///
/// ```text
/// Write the hunk at src/lib.rs:12 (proposal …#1) again, which waits for my verdict: no `unwrap`
///
/// @@ -12,2 +12,2 @@
///   12 fn main() {
/// - 13     old();
/// + 13     new().unwrap();
///
/// It was proposed as: Call new
/// ```
pub(super) fn prompt(remark: &HunkQuestion) -> String {
    let HunkQuestion {
        path,
        description,
        hunk,
        text,
    } = remark;
    format!(
        "Write {} again, which waits for my verdict: {}\n\n{}\nIt was proposed as: {}\n\n\
         The file as your tools read it has these lines in it. Edit them there, with old text or line numbers from it, in \
         one call. Nothing else may change: all other edits that wait stay as they are.",
        questions::place(path, hunk),
        text.trim(),
        questions::displayed(hunk),
        one_line(description, DESCRIPTION_CHARS),
    )
}
