//! Slash commands in line mode, for a user at a terminal.
//!
//! In: a line in the place of a prompt. Out: what comes next. What needs no screen is done as the command line does it; of
//! the rest a line says where it is done.

use signoff_core::engine::NamedChangeset;
use signoff_core::stage::review::{DiffScope, RevertTarget, RevertTo};
use signoff_llm::session::Switch;

use super::{LineSession, Lines, print_head};
use crate::app::slash::{self, Slash, Typed};
use crate::args::HistoryArgs;
use crate::cli::{critique, history, opened, out, revert, review, sessions};
use crate::paths::Paths;
use crate::review::words;

/// What `/help` says.
const HELP: &[&str] = &[
    "a line is a prompt; what waits is asked about before it",
    "/review asks about what waits again",
    "/critique has the review agent look at what waits, and asks about it",
    "/diff prints what waits, as one diff",
    "/status says what waits, and who answers",
    "/history prints what was written",
    "/undo and /redo take back the last changeset and put it back, after a question",
    "/revert PATH takes back the last change of a file, after a question",
    "/mode NAME: plan, step, turn or write-through",
    "/model NAME asks another model",
    "/new begins another conversation, /fork goes on with a copy, /resume ID with an earlier one of /sessions",
    "//TEXT sends text that begins with a /",
    "/quit ends",
];

/// What comes after a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NextStep {
    /// Another line.
    Line,
    /// The questions about what waits.
    Review,
    /// A turn with this prompt.
    Turn(String),
    /// The end.
    End,
}

/// Does what a line asks.
pub(super) fn carry_out(
    line: &str,
    session: &mut LineSession,
    paths: &Paths,
    next: Lines<'_>,
) -> anyhow::Result<NextStep> {
    let command = match slash::read(line) {
        Typed::Nothing => return Ok(NextStep::Line),
        Typed::Prompt(prompt) => return Ok(NextStep::Turn(prompt)),
        Typed::Slash(command) => command,
        Typed::Answer(answer) => return said(&answer),
        Typed::Run(_) => {
            return said(
                "`signoff run` runs a program on the staged files; the interface runs !COMMAND",
            );
        }
    };
    match command {
        Slash::Quit => return Ok(NextStep::End),
        Slash::Review => return Ok(NextStep::Review),
        Slash::Help => HELP.iter().try_for_each(|line| out::line(line))?,
        Slash::Diff(DiffScope::Waiting) => print_waiting(paths)?,
        Slash::Status => print_status(session, paths)?,
        Slash::History => {
            let args = HistoryArgs {
                path: None,
                patch: false,
                json: false,
            };
            history::list(paths, &args)?;
        }
        Slash::Sessions => {
            sessions::list(paths, false)?;
        }
        Slash::Undo => {
            let last = opened::engine(paths)?.changeset(revert::LAST)?;
            let NamedChangeset::One(changeset) = last else {
                return said("there is nothing to take back");
            };
            revert_after_question(paths, &RevertTarget::Changeset { changeset }, next)?;
        }
        Slash::Revert(Some(path)) => {
            revert_after_question(paths, &RevertTarget::file(path, RevertTo::Last), next)?;
        }
        Slash::Redo => {
            let Some(redo) = opened::engine(paths)?.last_taken_back()? else {
                return said("there is nothing to put back");
            };
            revert_after_question(paths, &RevertTarget::Redo { redo }, next)?;
        }
        Slash::Mode(Some(mode)) => {
            session.mode = Some(mode);
            return said(&format!(
                "the mode is {} from the next prompt on",
                mode.word()
            ));
        }
        Slash::Model(Some(name)) => {
            let told = format!("the next prompt goes to {name}");
            session.model.model = Some(name);
            return said(&told);
        }
        Slash::Critique(true) => {
            critique::look(paths, &session.model, &session.setup)?;
            return Ok(NextStep::Review);
        }
        Slash::Switch(switch) => return switched(switch, session),
        elsewhere => return said(where_done(&elsewhere)),
    }
    Ok(NextStep::Line)
}

/// Says something, and goes on with another line.
fn said(text: &str) -> anyhow::Result<NextStep> {
    out::line(text)?;
    Ok(NextStep::Line)
}

/// Returns where a command is carried out that line mode does not have.
fn where_done(command: &Slash) -> &'static str {
    match command {
        Slash::Diff(_) => "`signoff history --patch` prints what was written; /diff what waits",
        Slash::Places => {
            "the interface lets you choose a place: `signoff --continue`, then /places"
        }
        Slash::Copy => "the answer is above, in the terminal",
        Slash::Export(_) => {
            "the interface writes conversations to files: `signoff --continue`, then /export"
        }
        Slash::Approve(_) | Slash::Deny(_) => {
            "/review asks about each hunk; `signoff approve --all` and `signoff deny --all` decide on all"
        }
        Slash::Revert(None) => {
            "/revert PATH takes back the last change of a file; /undo the last changeset"
        }
        Slash::Mode(None) => "/mode plan, step, turn or write-through; /status says which it is",
        Slash::Model(None) => "/model NAME asks another model; /status says which it is",
        Slash::Theme(_) => "there are no colours in line mode",
        Slash::Retry => "send the prompt again",
        Slash::Compact => {
            "the interface makes conversations shorter: `signoff --continue`, then /compact"
        }
        Slash::Comments(_) => "comments are made in the interface; a denial takes a reason here",
        Slash::Servers(_) => {
            "the interface does that: `signoff --continue`, then /mcp; `signoff doctor` names the servers"
        }
        Slash::Plan => "the interface carries plans out step by step: `signoff --continue`",
        Slash::Critique(false) => {
            "the agent has ended before the next line is read; Ctrl-C ends it with signoff"
        }
        Slash::Agents | Slash::Task { .. } => {
            "the interface does that: `signoff --continue`, then /agents or /agent NAME TASK"
        }
        Slash::Background(_) => {
            "`signoff exec --background PROMPT` starts an agent in the background; `signoff background` lists them"
        }
        Slash::Attached | Slash::Detach(_) => {
            "the interface does that: `signoff --continue`, then /attached or /detach PATH"
        }
        // Done here.
        Slash::Help
        | Slash::Review
        | Slash::History
        | Slash::Status
        | Slash::Quit
        | Slash::Revert(Some(_))
        | Slash::Undo
        | Slash::Redo
        | Slash::Mode(Some(_))
        | Slash::Sessions
        | Slash::Switch(_)
        | Slash::Critique(true)
        | Slash::Model(Some(_)) => "/help says how",
    }
}

/// Shows what taking back would change, and does it once the user says so.
fn revert_after_question(
    paths: &Paths,
    target: &RevertTarget,
    next: Lines<'_>,
) -> anyhow::Result<()> {
    revert::after_question(paths, target, || {
        out::line("do it: yes or no?")?;
        let answer = next()?;
        Ok(answer.as_deref().map(str::trim) == Some("yes"))
    })
}

fn switched(switch: Switch, session: &mut LineSession) -> anyhow::Result<NextStep> {
    let setup = &mut session.setup;
    match switch {
        Switch::New => {
            (setup.go_on, setup.fork, setup.resume) = (false, false, None);
            said("the next prompt begins another conversation")
        }
        Switch::Resume(id) => {
            let told = format!("the next prompt goes on with {id}");
            (setup.go_on, setup.fork, setup.resume) = (false, false, Some(id));
            said(&told)
        }
        Switch::Fork if setup.go_on || setup.resume.is_some() => {
            setup.fork = true;
            said("the next prompt goes on with a copy of this conversation")
        }
        Switch::Fork => said("nothing was said yet"),
    }
}

fn print_waiting(paths: &Paths) -> anyhow::Result<()> {
    let proposals = opened::engine(paths)?.review()?;
    let mut hunks = 0;
    for proposal in &proposals {
        if proposal.pending().next().is_some() {
            print_head(proposal)?;
        }
        for hunk in proposal.pending() {
            hunks += 1;
            out::line(&hunk.header)?;
            review::print_lines(&hunk.lines)?;
        }
    }
    match hunks {
        0 => out::line("nothing waits for a verdict"),
        _ => Ok(()),
    }
}

fn print_status(session: &LineSession, paths: &Paths) -> anyhow::Result<()> {
    let proposals = opened::engine(paths)?.review()?;
    let pending: usize = proposals.iter().map(|it| it.pending().count()).sum();
    out::line(&match pending {
        0 => "nothing waits for a verdict".to_owned(),
        pending => format!("{}: /review asks about them", words::waiting(pending, 0)),
    })?;
    let setup = &session.setup;
    let conversation = match (&setup.resume, setup.go_on) {
        (Some(id), _) => id,
        (None, true) => "the newest",
        (None, false) => "a new one",
    };
    out::line(&format!("conversation: {conversation}"))?;
    let model = session.model.model.as_deref();
    out::line(&format!(
        "model: {}",
        model.unwrap_or("as it is configured")
    ))?;
    let mode = session.mode.map(|mode| mode.word());
    out::line(&format!("mode: {}", mode.unwrap_or("as it is configured")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::slash::COMMANDS;

    /// Every command is done here, or says where.
    #[test]
    fn no_command_is_sent_to_a_model() {
        for (usage, _) in COMMANDS {
            let first = usage.split(", ").next().unwrap_or_default();
            if let Typed::Slash(command) = slash::read(first) {
                assert!(!where_done(&command).is_empty(), "{usage}");
            }
        }
    }

    #[test]
    fn a_conversation_is_chosen_for_the_next_prompt() {
        let mut session = LineSession::default();
        let step = switched(Switch::Resume("ab12".to_owned()), &mut session).unwrap();
        assert_eq!(step, NextStep::Line);
        assert_eq!(session.setup.resume.as_deref(), Some("ab12"));
        switched(Switch::Fork, &mut session).unwrap();
        assert!(session.setup.fork);
        switched(Switch::New, &mut session).unwrap();
        assert_eq!(session.setup, crate::args::SessionArgs::default());
        switched(Switch::Fork, &mut session).unwrap();
        assert!(!session.setup.fork, "there is nothing to copy");
    }
}
