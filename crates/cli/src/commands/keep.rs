//! `signoff keep`: ignored files that programs left in the shadow, written to the workspace.
//!
//! In: paths, or none for all. Out: lines that say what was written, and what was not and why.

use std::sync::Mutex;

use signoff_llm::shadow::ignored_files;
use signoff_setup::config::Programs;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::shadow_setup;

use super::{Ending, out};
use crate::args::KeepArgs;

pub(super) fn run(paths: &Paths, args: &KeepArgs) -> anyhow::Result<Ending> {
    let engine = Mutex::new(opened::engine(paths)?);
    let programs = Programs::load(&paths.config, &paths.root)?;
    let setup = shadow_setup::of_workspace(paths, &programs)?;
    let brought = ignored_files::bring(&setup, &engine, &args.paths);
    let brought = brought.map_err(anyhow::Error::msg)?;
    for line in ignored_files::lines(&brought) {
        out::line(&line)?;
    }
    let keeping = &brought.keeping;
    let is_any = keeping.written.files > 0 || keeping.unchanged > 0;
    Ok(match (is_any, keeping.refused.is_empty()) {
        (true, _) => Ending::Done,
        (false, false) => Ending::NeedsUser,
        (false, true) if brought.absent.is_empty() => Ending::Done,
        (false, true) => Ending::Unmet,
    })
}
