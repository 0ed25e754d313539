//! Answers at a terminal, a line each.
//!
//! In: a question, and the line that the user types. Out: a number, a text or a yes; nothing where the user stops.

use std::io;

use rustix::termios::{QueueSelector, tcflush};

use crate::commands::out;

/// Reads a line, without blanks around it; none where the input ends or the user stops.
fn line() -> anyhow::Result<Option<String>> {
    let mut line = String::new();
    let bytes = io::stdin().read_line(&mut line)?;
    let line = line.trim();
    Ok((bytes > 0 && !matches!(line, "q" | "quit" | "stop")).then(|| line.to_owned()))
}

/// Asks for a text, which may be empty.
pub(super) fn text(question: &str) -> anyhow::Result<Option<String>> {
    out::line(question)?;
    line()
}

/// Asks for one of some lines by its number, from 0; an empty line is the first where `has_usual`.
pub(super) fn choice(
    question: &str,
    lines: &[String],
    has_usual: bool,
) -> anyhow::Result<Option<usize>> {
    for (index, line) in lines.iter().enumerate() {
        out::line(&format!("  {}  {line}", index + 1))?;
    }
    let usual = if has_usual { ", Enter for 1" } else { "" };
    let question = format!("{question} (1 to {}{usual}):", lines.len());
    loop {
        let Some(answer) = text(&question)? else {
            return Ok(None);
        };
        match index(&answer, lines.len(), has_usual) {
            Some(index) => return Ok(Some(index)),
            None => out::line("That is none of the numbers.")?,
        }
    }
}

/// Reads a number of 1 to `count`, as an index.
pub(super) fn index(answer: &str, count: usize, has_usual: bool) -> Option<usize> {
    if answer.is_empty() && has_usual {
        return Some(0);
    }
    let number: usize = answer.parse().ok()?;
    number.checked_sub(1).filter(|index| *index < count)
}

/// Asks for a yes; anything else is no. What was typed before the question was there is no answer to it.
pub(super) fn yes(question: &str) -> anyhow::Result<bool> {
    tcflush(io::stdin(), QueueSelector::IFlush)?;
    let answer = text(question)?;
    Ok(answer.is_some_and(|answer| matches!(answer.as_str(), "y" | "Y" | "yes")))
}

#[cfg(test)]
mod tests {
    use super::index;

    #[test]
    fn a_number_is_one_of_those_that_are_shown() {
        for (answer, has_usual, expected) in [
            ("1", false, Some(0)),
            ("3", false, Some(2)),
            ("4", false, None),
            ("0", true, None),
            ("-1", true, None),
            ("", true, Some(0)),
            ("", false, None),
            ("one", true, None),
        ] {
            assert_eq!(index(answer, 3, has_usual), expected, "{answer:?}");
        }
    }
}
