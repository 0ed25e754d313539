//! `signoff demo`: a sample folder and a recorded model, from a request to undo.
//!
//! In: nothing. Out: the interface on a temporary folder, which is removed when the interface ends. State, conversations
//! and configuration of the demo are in the folder too: no key is read, and nothing goes over a network.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::Path;

use anyhow::Context as _;
use signoff_core::disk::workspace::reserved::ReservedFolders;
use signoff_sandbox::scratch::{ScratchFolder, ScratchUse};
use signoff_setup::paths::Paths;
use signoff_tui::app::Exit;
use signoff_tui::run::Outcome;

use crate::args::{ModelArgs, SessionArgs};
use crate::commands::{Ending, remark};
use crate::interactive;

/// What the demo asks for.
const PROMPT: &str = "Print the most frequent words first, and say so in the notes.";

/// The sample folder.
const FILES: [(&str, &str); 2] = [
    ("words.py", include_str!("demo/words.py")),
    ("notes.md", include_str!("demo/notes.md")),
];

/// What the model answers, request by request.
const REPLAY: &str = include_str!("demo/replay.jsonl");

/// Shows the interface on a sample folder until the user quits.
pub fn run() -> anyhow::Result<Ending> {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        anyhow::bail!("the demo needs a terminal as its input and output");
    }
    let folder = ScratchFolder::new(ScratchUse::Demo);
    let folder = folder.context("cannot make a folder for the demo")?;
    let outcome = on_samples(folder.path());
    let outcome = outcome
        .with_context(|| format!("the demo could not run in {}", folder.path().display()))?;
    let path = folder.path().to_owned();
    match folder.close() {
        Ok(()) => remark("the folder of the demo is removed"),
        Err(error) => remark(&format!("{} could not be removed: {error}", path.display())),
    }
    Ok(match outcome.exit {
        Exit::Left => Ending::Done,
        Exit::Signal(signal) => Ending::Program(u8::try_from(128 + signal).unwrap_or(1)),
        Exit::Unstarted(why) => anyhow::bail!(why),
    })
}

fn on_samples(folder: &Path) -> anyhow::Result<Outcome> {
    let within = folder.canonicalize()?;
    let root = within.join("words");
    fs::create_dir(&root)?;
    for (name, text) in FILES {
        fs::write(root.join(name), text)?;
    }
    let replay = within.join("replay.jsonl");
    fs::write(&replay, REPLAY)?;
    let paths = Paths {
        root,
        store: within.join("state").join("state.db"),
        trust: within.join("state").join("trust.json"),
        config: within.join("config.toml"),
        log: within.join("signoff.log"),
        reserved: ReservedFolders::default(),
    };
    let model = ModelArgs {
        replay: Some(replay),
        ..ModelArgs::default()
    };
    interactive::start(
        paths,
        model,
        SessionArgs::default(),
        Some(PROMPT.to_owned()),
        false,
    )
}
