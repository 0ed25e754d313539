//! Slash commands in line mode, for a user at a terminal.
//!
//! In: a line in the place of a prompt. Out: what comes next. What needs no screen is done as the command line does it; of
//! the rest a line says where it is done.

use signoff_core::engine::NamedChangeset;
use signoff_core::stage::review::{RevertTarget, RevertTo};
use signoff_llm::session::{Command, Switch};
use signoff_review::review::words;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_tui::app::slash::{self, Deed, LineCommand, Typed};

use super::{LineSession, Lines, print_head};
use crate::args::{HistoryArgs, LAST};
use crate::commands::hunk_lines::print_diff_lines;
use crate::commands::{critique, history, out, revert, sessions};

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
    let call = match slash::read(line) {
        Typed::Nothing => return Ok(NextStep::Line),
        Typed::Prompt(prompt) => return Ok(NextStep::Turn(prompt)),
        Typed::Slash(call) => call,
        Typed::Answer(answer) => return said(&answer),
        Typed::Run(_) => {
            return said(
                "`signoff run` runs a program on the staged files; the interface runs !COMMAND",
            );
        }
    };
    let Some(command) = call.command.line else {
        return said(call.command.in_lines);
    };
    let words = call.words;
    match (command, call.deed) {
        (LineCommand::Quit, _) => return Ok(NextStep::End),
        (LineCommand::Review, _) => return Ok(NextStep::Review),
        (LineCommand::Help, _) => print_help()?,
        (LineCommand::Diff, _) if words.is_empty() => print_waiting(paths)?,
        (LineCommand::Diff, _) => {
            return said("`signoff history --patch` prints what was written; /diff what waits");
        }
        (LineCommand::Status, _) => print_status(session, paths)?,
        (LineCommand::History, _) => {
            let args = HistoryArgs {
                path: None,
                patch: false,
                denied: false,
                json: false,
            };
            history::list(paths, &args)?;
        }
        (LineCommand::Switch, Deed::Ask(Command::Switch(switch))) => {
            return switched(switch, session);
        }
        (LineCommand::Switch | LineCommand::Sessions, _) => {
            sessions::list(paths, false)?;
        }
        (LineCommand::Undo, _) => {
            let mut engine = opened::engine(paths)?;
            let NamedChangeset::One(changeset) = engine.changeset(LAST)? else {
                return said(&revert::nothing_left(&mut engine)?);
            };
            drop(engine);
            revert_after_question(paths, &RevertTarget::Changeset { changeset }, next)?;
        }
        (LineCommand::Revert, _) if words.is_empty() => {
            return said(
                "/revert PATH reverts the last change of a file; /undo the last changeset",
            );
        }
        (LineCommand::Revert, _) => {
            revert_after_question(paths, &RevertTarget::file(words, RevertTo::Last), next)?;
        }
        (LineCommand::Redo, _) => {
            let Some((_, redo)) = opened::engine(paths)?.last_taken_back()? else {
                return said("there is nothing to redo");
            };
            revert_after_question(paths, &RevertTarget::Redo { redo }, next)?;
        }
        (LineCommand::Mode, Deed::Ask(Command::SetMode(mode))) => {
            session.mode = Some(mode);
            return said(&format!(
                "the mode is {} from the next prompt on",
                mode.word()
            ));
        }
        (LineCommand::Mode, _) => {
            return said("/mode plan, step, turn or write-through; /status says which it is");
        }
        (LineCommand::Model, Deed::Ask(Command::UseModel(name))) => {
            let told = format!("the next prompt goes to {name}");
            session.model.model = Some(name);
            return said(&told);
        }
        (LineCommand::Model, _) => {
            return said("/model NAME asks another model; /status says which it is");
        }
        (LineCommand::Critique, Deed::Ask(Command::Critique)) => {
            critique::look(paths, &session.model, &session.setup)?;
            return Ok(NextStep::Review);
        }
        (LineCommand::Critique, _) => {
            return said(
                "the agent has ended before the next line is read; Ctrl-C ends it with signoff",
            );
        }
    }
    Ok(NextStep::Line)
}

/// Says something, and goes on with another line.
fn said(text: &str) -> anyhow::Result<NextStep> {
    out::line(text)?;
    Ok(NextStep::Line)
}

/// Prints what can be typed, and what it does.
fn print_help() -> anyhow::Result<()> {
    let mut listed: Vec<_> = slash::commands()
        .filter_map(|command| Some((command.line?, command.in_lines)))
        .filter(|(_, said)| !said.is_empty())
        .collect();
    listed.sort_by_key(|(command, _)| *command);
    out::line("a line is a prompt; what waits is asked about before it")?;
    for (command, said) in listed {
        if command == LineCommand::Quit {
            out::line("//TEXT sends text that begins with a /")?;
        }
        out::line(said)?;
    }
    Ok(())
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
            print_diff_lines(&hunk.lines)?;
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

    /// Every command is done here, or says where.
    #[test]
    fn no_command_is_sent_to_a_model() {
        for command in slash::commands() {
            let is_answered = command.line.is_some() || !command.in_lines.is_empty();
            assert!(is_answered, "{}", command.name());
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
