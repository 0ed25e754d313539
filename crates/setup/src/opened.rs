//! Opening the engine for a command, a server or a conversation.
//!
//! In: the place. Out: the engine. If an interrupted commit had to be undone first, standard
//! error says which files that concerned.

use serde_json::{Value, json};
use signoff_core::disk::transaction::RolledBack;
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::engine::Engine;

use crate::config::EngineSettings;
use crate::out;
use crate::paths::Paths;

/// Files that are named when a commit was undone.
const NAMED: usize = 5;

/// Says what was undone of a commit that did not end, if there was one.
pub fn undone(undone: &RolledBack) -> Option<String> {
    let (restored, left) = (listed(&undone.restored), listed(&undone.left));
    let old = format!("as before: {restored}");
    let others = format!("changed by somebody since and left as they are: {left}");
    let which = match (restored.is_empty(), left.is_empty()) {
        (true, true) if undone.commits == 0 => return None,
        (true, true) => "no file had been changed".to_owned(),
        (false, true) => old,
        (true, false) => others,
        (false, false) => format!("{old}; {others}"),
    };
    Some(format!("a commit that was interrupted is undone; {which}"))
}

/// Lists paths by name, the first of many.
fn listed(paths: &[WorkspacePath]) -> String {
    let mut names = names(paths);
    if paths.len() > NAMED {
        names.truncate(NAMED);
        names.push(format!("{} more", paths.len() - NAMED));
    }
    names.join(", ")
}

fn names(paths: &[WorkspacePath]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}

/// Opens it for a command that may write.
pub fn engine(paths: &Paths) -> anyhow::Result<Engine> {
    paths.engine().inspect(say)
}

/// Opens it with settings that were read before.
pub fn with(paths: &Paths, settings: &EngineSettings) -> anyhow::Result<Engine> {
    paths.engine_with(settings).inspect(say)
}

/// Opens that of a background agent, which cannot write.
pub fn proposing(paths: &Paths) -> anyhow::Result<Engine> {
    paths.proposing_engine().inspect(say)
}

/// Opens it for a look, whatever is wrong with the configuration.
pub fn as_it_is(paths: &Paths) -> anyhow::Result<Engine> {
    paths.engine_as_it_is().inspect(say)
}

fn say(engine: &Engine) {
    undone(engine.recovered())
        .iter()
        .for_each(|text| out::remark(text));
}

/// Returns what was undone as an event; none if nothing was.
pub fn event(engine: &Engine) -> Option<Value> {
    let recovered = engine.recovered();
    undone(recovered)?;
    Some(json!({
        "type": "recovered",
        "undone": names(&recovered.restored),
        "left": names(&recovered.left),
    }))
}
