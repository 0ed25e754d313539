//! Opening the engine for a command.
//!
//! In: the place. Out: the engine. If an interrupted commit had to be undone first, standard
//! error says which files that concerned.

use serde_json::{Value, json};
use signoff_core::engine::Engine;

use super::out;
use crate::app::notes;
use crate::paths::Paths;

/// Opens it for a command that may write.
pub(super) fn engine(paths: &Paths) -> anyhow::Result<Engine> {
    paths.engine().inspect(say)
}

/// Opens it, which keeps `limit` entries of history per file.
pub(super) fn keeping(paths: &Paths, limit: Option<usize>) -> anyhow::Result<Engine> {
    paths.engine_keeping(limit).inspect(say)
}

/// Opens that of a background agent, which cannot write.
pub(super) fn proposing(paths: &Paths) -> anyhow::Result<Engine> {
    paths.proposing_engine().inspect(say)
}

/// Opens it without a look at the configuration.
pub(super) fn as_it_is(paths: &Paths) -> anyhow::Result<Engine> {
    paths.engine_as_it_is().inspect(say)
}

fn say(engine: &Engine) {
    notes::recovered(engine.recovered())
        .iter()
        .for_each(|text| out::remark(text));
}

/// Returns what was undone as an event; none if nothing was.
pub(super) fn event(engine: &Engine) -> Option<Value> {
    let recovered = engine.recovered();
    notes::recovered(recovered)?;
    let names = |paths: &[signoff_core::disk::workspace::WorkspacePath]| -> Vec<String> {
        paths.iter().map(ToString::to_string).collect()
    };
    Some(json!({
        "type": "recovered",
        "undone": names(&recovered.restored),
        "left": names(&recovered.left),
    }))
}
