//! The question for permission in line mode.
//!
//! In: a call of the model, and the line that the user types. Out: what the session is told. All of what the call does is
//! printed first; only whole words answer, since `a` is an answer about hunks, and what was typed before the question was
//! there answers nothing.
//!
//! ```text
//! the model asks for permission: bash
//!   cargo test
//! yes, always (this very call, in this turn), no, or instead?
//! yes
//! ```

use std::io::{self, IsTerminal as _};

use rustix::termios::{QueueSelector, tcflush};
use signoff_draw::wrap::text_of;
use signoff_llm::session::{Grant, NETWORK};
use signoff_tui::event_lines::subject_rows;

use super::Lines;
use crate::commands::out;

/// What is asked about a call.
const QUESTION: &str = "yes, always (this very call, in this turn), no, or instead?";

/// What is asked about a host.
const HOST_QUESTION: &str =
    "yes, session (until this turn ends), always (written to your configuration), no, or instead?";

/// What an answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PermissionWord {
    Yes,
    Session,
    Always,
    No,
    Instead,
}

impl PermissionWord {
    fn read(text: &str) -> Option<Self> {
        Some(match text.trim() {
            "yes" => Self::Yes,
            "session" => Self::Session,
            "always" => Self::Always,
            "no" => Self::No,
            "instead" => Self::Instead,
            _ => return None,
        })
    }
}

/// Returns whether the user can be asked: sees the question, and answers it by hand.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Asks whether a call may run. The end of the input, and an answer that cannot be read, deny it.
pub(super) fn ask(tool: &str, subject: &str, next: Lines<'_>) -> Grant {
    // What is typed by now is not about this call.
    let asked = tcflush(io::stdin(), QueueSelector::IFlush)
        .map_err(anyhow::Error::from)
        .and_then(|()| answered(tool, subject, next));
    asked.unwrap_or_else(|error| {
        out::error(&error.context("the call is denied"));
        Grant::Refuse { reason: None }
    })
}

fn answered(tool: &str, subject: &str, next: Lines<'_>) -> anyhow::Result<Grant> {
    out::line(&format!("the model asks for permission: {tool}"))?;
    for line in text_of(&subject_rows(subject)) {
        out::line(&line)?;
    }
    let is_host = tool == NETWORK;
    out::line(if is_host { HOST_QUESTION } else { QUESTION })?;
    let Some(line) = next()? else {
        out::line("no answer: denied")?;
        return Ok(Grant::Refuse { reason: None });
    };
    Ok(match PermissionWord::read(&line) {
        Some(PermissionWord::Yes) => Grant::Once,
        Some(PermissionWord::Session) if is_host => Grant::Session,
        Some(PermissionWord::Always) => Grant::Always,
        Some(PermissionWord::No) => {
            out::line("denied; the turn stops")?;
            Grant::Refuse { reason: None }
        }
        Some(PermissionWord::Instead) => {
            out::line("what instead? (the model is told; an empty line stops the turn)")?;
            let reason = next()?.map(|line| line.trim().to_owned());
            let reason = reason.filter(|reason| !reason.is_empty());
            out::line("denied")?;
            Grant::Refuse { reason }
        }
        Some(PermissionWord::Session) | None => {
            out::line("that is none of the answers: denied; the turn stops")?;
            Grant::Refuse { reason: None }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_answer() {
        use PermissionWord::{Always, Instead, No, Session, Yes};
        for (text, expected) in [
            ("yes\n", Some(Yes)),
            (" always ", Some(Always)),
            ("session", Some(Session)),
            ("no", Some(No)),
            ("instead", Some(Instead)),
            ("y", None),
            ("a", None),
            ("A", None),
            ("YES", None),
            ("yes please", None),
            ("approve", None),
            ("", None),
        ] {
            assert_eq!(PermissionWord::read(text), expected, "{text:?}");
        }
    }

    fn granted_to(tool: &str, lines: &[&str]) -> Grant {
        let mut lines = lines.iter().map(|line| (*line).to_owned());
        answered(tool, "make", &mut || Ok(lines.next())).unwrap()
    }

    fn granted(lines: &[&str]) -> Grant {
        granted_to("bash", lines)
    }

    #[test]
    fn a_host_can_be_allowed_for_the_session_and_a_call_cannot() {
        assert_eq!(granted_to(NETWORK, &["session"]), Grant::Session);
        assert_eq!(granted_to(NETWORK, &["always"]), Grant::Always);
        assert_eq!(granted(&["session"]), Grant::Refuse { reason: None });
    }

    #[test]
    fn what_is_no_yes_denies() {
        assert_eq!(granted(&["yes"]), Grant::Once);
        assert_eq!(granted(&["always"]), Grant::Always);
        for lines in [
            &["no"][..],
            &["y"],
            &[""],
            &[],
            &["instead", " "],
            &["instead"],
        ] {
            assert_eq!(granted(lines), Grant::Refuse { reason: None }, "{lines:?}");
        }
        let reason = Some("run the small test".to_owned());
        assert_eq!(
            granted(&["instead", " run the small test "]),
            Grant::Refuse { reason }
        );
    }
}
