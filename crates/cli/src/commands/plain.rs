//! Line mode: the conversation and the review as lines, for pipes and screen readers.
//!
//! In: prompts and answers, a line each, from standard input. Out: the model's text, hunks, questions and the sign-off
//! page as lines on standard output, without cursor movement or colours. Each turn is one of `signoff exec`, and verdicts
//! go through the engine that showed the hunks. At a terminal the model may ask for permission (`permission`), and there
//! are commands (`commands`).

use std::collections::{HashMap, HashSet};
use std::io::{self, IsTerminal as _};

use signoff_core::engine::Engine;
use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::critique::Critique;
use signoff_core::stage::review::{ProposalView, Ruling, Sight, Verdict};
use signoff_llm::memory::Archive;
use signoff_llm::mode::Mode;
use signoff_setup::opened;
use signoff_setup::paths::Paths;

mod commands;
mod permission;

use self::commands::NextStep;
use super::hunk_lines::print_diff_lines;
use super::verdict::summary;
use super::{Ending, exec, out, review};
use crate::args::{ExecArgs, ModelArgs, SessionArgs};

/// What stands before each line of the model's: a model printed `approve (a), deny (d), ...` as a line of its own.
const MODEL_INDENT: &str = "  ";

/// What is asked about a hunk.
const ABOUT_HUNK: &str = "approve (a), deny (d), skip (s), all (A), stop (q)?";

/// What is asked about a hunk whose lines are not displayed.
const ABOUT_UNDISPLAYED: &str =
    "not displayed: sign it by its size and hash (sign), deny (d), skip (s), stop (q)?";

/// What is asked before anything is written.
const ABOUT_ALL: &str = "write (w), again from the first hunk (b), stop (q)?";

/// What an answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Approve,
    Sign,
    Deny,
    Skip,
    All,
    Write,
    Again,
    Quit,
}

impl Answer {
    /// Reads a letter or a word. Only `A` is all: it is not to be typed by mistake for `a`.
    fn read(text: &str) -> Option<Self> {
        Some(match text.trim() {
            "a" | "approve" => Self::Approve,
            "sign" => Self::Sign,
            "d" | "deny" => Self::Deny,
            "s" | "skip" => Self::Skip,
            "A" | "all" => Self::All,
            "w" | "write" => Self::Write,
            "b" | "back" | "again" => Self::Again,
            "q" | "quit" | "stop" => Self::Quit,
            _ => return None,
        })
    }
}

/// Reads prompts and answers until the input ends or says `quit`.
pub fn run(
    paths: &Paths,
    model: &ModelArgs,
    setup: SessionArgs,
    prompt: Option<String>,
) -> anyhow::Result<Ending> {
    let mut next = read_line;
    let mut session = LineSession {
        model: model.clone(),
        setup,
        mode: None,
    };
    let mut given = prompt.filter(|prompt| !is_no_prompt(prompt));
    loop {
        review_all(paths, &mut next)?;
        let step = match given.take() {
            Some(prompt) => NextStep::Turn(prompt),
            None => next_step(&mut session, paths, &mut next)?,
        };
        match step {
            NextStep::Turn(prompt) => turn(paths, &mut session, prompt, &mut next)?,
            NextStep::Line | NextStep::Review => {}
            NextStep::End => return Ok(Ending::Done),
        }
    }
}

/// Who answers the prompts, in which conversation and in which mode.
#[derive(Clone, Debug, Default)]
struct LineSession {
    model: ModelArgs,
    setup: SessionArgs,
    /// The mode, if it is another than is configured.
    mode: Option<Mode>,
}

/// Tells whether a line asks nothing. A single `-` is how `exec` is told to read standard input.
fn is_no_prompt(line: &str) -> bool {
    matches!(line.trim(), "" | "-")
}

/// Reads lines and carries out commands until a turn is to begin, or questions about what waits.
fn next_step(
    session: &mut LineSession,
    paths: &Paths,
    next: Lines<'_>,
) -> anyhow::Result<NextStep> {
    loop {
        out::line("prompt, or quit:")?;
        let Some(line) = next()? else {
            return Ok(NextStep::End);
        };
        let step = match line.trim() {
            "quit" | "q" | "/quit" => NextStep::End,
            line if is_no_prompt(line) => NextStep::Review,
            _ if io::stdin().is_terminal() => commands::carry_out(&line, session, paths, next)
                .or_else(|error| {
                    out::error(&error);
                    anyhow::Ok(NextStep::Line)
                })?,
            _ => NextStep::Turn(line),
        };
        if step != NextStep::Line {
            return Ok(step);
        }
    }
}

/// Reads a line from standard input, without what ends it; none at the end.
fn read_line() -> io::Result<Option<String>> {
    let mut line = String::new();
    let bytes = io::stdin().read_line(&mut line)?;
    let text = line.strip_suffix('\n').unwrap_or(&line);
    let text = text.strip_suffix('\r').unwrap_or(text);
    Ok((bytes > 0).then(|| text.to_owned()))
}

/// Runs a turn; the next one goes on with the same conversation.
fn turn(
    paths: &Paths,
    session: &mut LineSession,
    prompt: String,
    next: Lines<'_>,
) -> anyhow::Result<()> {
    let archive = Archive::new(paths.sessions());
    let earlier: HashSet<String> = archive.list()?.into_iter().map(|it| it.id).collect();
    let setup = &mut session.setup;
    let went_on = setup.go_on || setup.resume.is_some();
    let args = ExecArgs {
        prompt,
        json: false,
        approve: None,
        background: false,
        allow: Vec::new(),
        model: session.model.clone(),
        setup: setup.clone(),
    };
    let mut ask = |tool: &str, subject: &str| permission::ask(tool, subject, next);
    let attendance = exec::Attendance {
        asks: if permission::can_ask() {
            Some(&mut ask)
        } else {
            None
        },
        mode: session.mode,
        worker: exec::Worker::Conversation,
        indent: MODEL_INDENT,
    };
    if let Err(error) = exec::run(paths, args, attendance) {
        out::error(&error);
    }
    let newest = archive.list()?.into_iter().next();
    if let Some(own) = newest.filter(|it| went_on || !earlier.contains(&it.id)) {
        (setup.go_on, setup.fork, setup.resume) = (false, false, Some(own.id));
    }
    Ok(())
}

type Lines<'a> = &'a mut (dyn FnMut() -> io::Result<Option<String>> + Send);

/// Asks about everything that waits, until it is written or the user goes on without.
fn review_all(paths: &Paths, next: Lines<'_>) -> anyhow::Result<()> {
    let mut engine = opened::engine(paths)?;
    loop {
        let proposals = engine.review()?;
        if proposals
            .iter()
            .all(|proposal| proposal.pending().next().is_none())
        {
            return Ok(());
        }
        let critique = review::critique(paths);
        let Some(rulings) = ask_about(&proposals, &critique, next)? else {
            return out::line("nothing was written; what waits is asked about again");
        };
        if rulings.is_empty() {
            return Ok(());
        }
        print_sign_off(&proposals, &rulings)?;
        match ask(
            ABOUT_ALL,
            &[Answer::Write, Answer::Again, Answer::Quit],
            next,
        )? {
            Answer::Write => return write(&mut engine, &rulings),
            Answer::Again => {}
            _ => return out::line("nothing was written; what waits is asked about again"),
        }
    }
}

fn write(engine: &mut Engine, rulings: &[Ruling]) -> anyhow::Result<()> {
    let decision = engine.decide(rulings)?;
    out::line(&summary(&decision))
}

/// Prints hunks and asks about each; none if the user quits.
fn ask_about(
    proposals: &[ProposalView],
    critique: &Critique,
    next: Lines<'_>,
) -> anyhow::Result<Option<Vec<Ruling>>> {
    let all = [
        Answer::Approve,
        Answer::Deny,
        Answer::Skip,
        Answer::All,
        Answer::Quit,
    ];
    let waiting: usize = proposals.iter().map(|it| it.pending().count()).sum();
    let mut rulings = Vec::new();
    let mut takes_all = false;
    let mut number = 0;
    for proposal in proposals {
        if proposal.pending().next().is_some() {
            print_head(proposal)?;
        }
        for hunk in proposal.pending() {
            number += 1;
            out::line(&format!("hunk {number} of {waiting}, {}", hunk.header))?;
            if let Some(denied) = review::denied_before(hunk) {
                out::line(&format!("look: {denied}"))?;
            }
            print_diff_lines(&hunk.lines)?;
            review::comment_lines(critique, hunk)
                .iter()
                .try_for_each(|line| out::line(line))?;
            let answer = if hunk.undisplayed.is_some() {
                let answers = [Answer::Sign, Answer::Deny, Answer::Skip, Answer::Quit];
                ask(ABOUT_UNDISPLAYED, &answers, next)?
            } else if takes_all {
                Answer::Approve
            } else {
                ask(ABOUT_HUNK, &all, next)?
            };
            takes_all |= answer == Answer::All;
            let verdict = match answer {
                Answer::Approve | Answer::Sign | Answer::All => Verdict::Approve,
                Answer::Deny => deny(next)?,
                Answer::Skip => continue,
                _ => return Ok(None),
            };
            // What was printed behind the answer for all was not read before it.
            let sight = match answer {
                Answer::Approve if !takes_all => Sight::Seen,
                Answer::All if hunk.undisplayed.is_none() => Sight::Seen,
                _ => Sight::Unseen,
            };
            rulings.push(Ruling::new(hunk, verdict).with_sight(sight));
        }
    }
    Ok(Some(rulings))
}

fn deny(next: Lines<'_>) -> anyhow::Result<Verdict> {
    out::line("why? (the model is told; an empty line gives no reason)")?;
    let reason = next()?.unwrap_or_default().trim().to_owned();
    Ok(Verdict::Deny {
        reason: (!reason.is_empty()).then_some(reason),
    })
}

/// Asks until one of the answers comes; the end of the input quits.
fn ask(question: &str, answers: &[Answer], next: Lines<'_>) -> anyhow::Result<Answer> {
    loop {
        out::line(question)?;
        let Some(line) = next()? else {
            return Ok(Answer::Quit);
        };
        match Answer::read(&line).filter(|answer| answers.contains(answer)) {
            Some(answer) => return Ok(answer),
            None => out::line("that is none of the answers")?,
        }
    }
}

fn print_head(proposal: &ProposalView) -> anyhow::Result<()> {
    out::line("")?;
    out::line(&format!("file {}: {}", proposal.path, proposal.description))?;
    if let Some(to) = &proposal.to {
        out::line(&format!("moves to {to}"))?;
    }
    let guess = proposal.is_guess.then_some(&proposal.evidence);
    let cares = [
        proposal.note.as_ref(),
        proposal.runs.as_ref(),
        proposal.held.as_ref(),
        guess,
    ];
    cares
        .into_iter()
        .flatten()
        .try_for_each(|care| out::line(&format!("look: {care}")))
}

/// Prints what the verdicts come to.
fn print_sign_off(proposals: &[ProposalView], rulings: &[Ruling]) -> anyhow::Result<()> {
    let verdicts: HashMap<HunkId, &Verdict> = rulings
        .iter()
        .map(|ruling| (ruling.hunk, &ruling.verdict))
        .collect();
    out::line("")?;
    out::line("sign off:")?;
    for proposal in proposals {
        let approved = proposal
            .pending()
            .filter(|hunk| verdicts.get(&hunk.id) == Some(&&Verdict::Approve));
        let approved = approved.count();
        if approved > 0 {
            let hunks = counted(approved, "hunk");
            out::line(&format!("to be written: {}, {hunks}", proposal.path))?;
        }
        for hunk in proposal.pending() {
            let verdict = verdicts.get(&hunk.id);
            if let (Some(Verdict::Approve), Some(undisplayed)) = (verdict, &hunk.undisplayed) {
                out::line(&format!("look: {undisplayed}"))?;
            }
            if let Some(Verdict::Deny { reason }) = verdict {
                let why = reason
                    .as_ref()
                    .map_or(String::new(), |reason| format!(": {reason}"));
                out::line(&format!("denied: {} {}{why}", proposal.path, hunk.header))?;
            }
        }
    }
    let waiting: usize = proposals.iter().map(|it| it.pending().count()).sum();
    match waiting - rulings.len() {
        0 => Ok(()),
        left => out::line(&format!("left as it is: {}", counted(left, "hunk"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_letters_or_words_and_only_a_capital_is_all() {
        for (text, expected) in [
            ("a", Some(Answer::Approve)),
            (" deny ", Some(Answer::Deny)),
            ("A", Some(Answer::All)),
            ("all", Some(Answer::All)),
            ("y", None),
            ("D", None),
            ("", None),
        ] {
            assert_eq!(Answer::read(text), expected, "{text:?}");
        }
    }
}
