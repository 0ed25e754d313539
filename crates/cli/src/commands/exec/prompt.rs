//! Prompts of `signoff exec`: from the command line or standard input, and what of them is no prompt.
//!
//! In: what was typed. Out: the text for the model; or why it goes to none, and the command that does what was meant.

use std::io::{self, Read};
use std::sync::Mutex;

use anyhow::{Context as _, bail};
use rustix::fs::FileType;
use signoff_llm::mention;
use signoff_setup::definitions;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_tui::app::slash::{self, SlashCommand, Typed};

use super::super::out;
use super::{FROM_STDIN, Worker};
use crate::args;

/// Maximum size of a prompt from standard input: more than any model reads.
const MAX_PROMPT_BYTES: u64 = 8 << 20;

/// The prompt of a turn.
pub(super) struct TurnPrompt {
    pub(super) text: String,
    /// Paths outside of the workspace that the user typed in it.
    pub(super) paths: Vec<String>,
    /// Whether the user typed it; what comes through a pipe may be anybody's text.
    pub(super) is_typed: bool,
}

impl TurnPrompt {
    pub(super) fn of(given: String, worker: Worker) -> anyhow::Result<Self> {
        let (text, is_typed) = match (given.as_str(), worker) {
            (_, Worker::BackgroundAgent { is_typed: false }) => (given, false),
            (FROM_STDIN, Worker::Conversation) => (prompt_from(io::stdin().lock())?, false),
            (_, Worker::Conversation | Worker::BackgroundAgent { .. }) => (given, true),
        };
        let paths = if is_typed {
            mention::leading_out(&text)
        } else {
            Vec::new()
        };
        Ok(Self {
            text,
            paths,
            is_typed,
        })
    }
}

/// Reads a prompt to the end of its source.
pub(in super::super) fn prompt_from(source: impl Read) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let read = source.take(MAX_PROMPT_BYTES + 1).read_to_end(&mut bytes);
    read.context("cannot read the prompt from standard input")?;
    if bytes.len() as u64 > MAX_PROMPT_BYTES {
        bail!("the prompt on standard input is over {MAX_PROMPT_BYTES} bytes");
    }
    let text = String::from_utf8(bytes).context("the prompt on standard input is not UTF-8")?;
    match text.trim() {
        "" => bail!("there is no prompt on standard input"),
        _ => Ok(text.trim_end().to_owned()),
    }
}

/// Returns what the model is sent of a prompt that was typed on the command line. One that calls for something of the
/// interface goes to no model.
pub(in super::super) fn as_typed(paths: &Paths, prompt: String) -> anyhow::Result<String> {
    if !prompt.starts_with('/') {
        return Ok(prompt);
    }
    match slash::read(&prompt) {
        Typed::Slash(call) => bail!(
            "/{} is a command of the interface and goes to no model: {}; with a blank before it, it is sent as text",
            call.command.name(),
            instead(call.command)
        ),
        Typed::Answer(answer) => {
            let engine = Mutex::new(opened::engine(paths)?);
            if definitions::calls_for_skill(paths, &engine, &prompt) {
                return Ok(prompt);
            }
            bail!("{answer}; with a blank before it, it is sent as text")
        }
        Typed::Prompt(text) => Ok(text),
        Typed::Nothing | Typed::Run(_) => Ok(prompt),
    }
}

/// Returns what does on the command line what a command of the interface does.
fn instead(command: &SlashCommand) -> String {
    let name = command.name();
    match name {
        "approve" | "deny" => format!("`signoff {name} --all` does it"),
        "revert" => "`signoff revert PATH` does it".to_owned(),
        _ if args::has_command(name) => format!("`signoff {name}` does it"),
        _ if command.in_lines.starts_with("`signoff ") => command.in_lines.to_owned(),
        _ => format!("`signoff --continue` opens the interface, which has /{name}"),
    }
}

/// Says once of what waits on standard input that it is not read. What a slow program will write there is seen later.
pub(super) fn remark_unread(is_said: &mut bool) {
    if !*is_said && has_unread_input() {
        *is_said = true;
        out::remark(
            "standard input is not read: with `-` in the place of the prompt, all of it is the prompt",
        );
    }
}

/// Tells whether a file or a pipe with something in it is standard input. Waits for nothing.
fn has_unread_input() -> bool {
    let input = io::stdin();
    let Ok(stat) = rustix::fs::fstat(&input) else {
        return false;
    };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {
            let size = u64::try_from(stat.st_size);
            rustix::fs::tell(&input).is_ok_and(|at| size.is_ok_and(|size| size > at))
        }
        FileType::Fifo | FileType::Socket => {
            rustix::io::ioctl_fionread(&input).is_ok_and(|waiting| waiting > 0)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<String, String> {
        prompt_from(bytes).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn a_prompt_is_read_to_its_end_and_bounded() {
        assert_eq!(read(b"  fix\n\nthis\n\n").unwrap(), "  fix\n\nthis");
        for (bytes, why) in [
            (&b""[..], "no prompt"),
            (b" \n\t", "no prompt"),
            (b"\xff", "not UTF-8"),
        ] {
            assert!(read(bytes).unwrap_err().contains(why), "{bytes:?}");
        }
        let large = vec![b'x'; 8 << 20];
        assert!(read(&large).is_ok());
        let larger = [&large[..], b"x"].concat();
        assert!(read(&larger).unwrap_err().contains("8388608 bytes"));
    }
}
