//! The index of this workspace, in the state folder.
//!
//! In: the folders of this run. Out: the index, brought up to date with the files and past commits, or as it
//! was last.

pub(crate) mod code_index;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context as _;
use signoff_context::disk::Store;
use signoff_context::history::LOG_OPTIONS;
use signoff_context::index::Index;
use signoff_sandbox::git_view::{Asker, Question};
use signoff_sandbox::ignored;
use signoff_sandbox::process::{Ended, Limits, Supervision};

use crate::paths::Paths;

/// The folder of the index beside the store.
const FOLDER: &str = "index";
/// How far git may go to list past commits: 3,000 commits with their files are about 2 MB.
const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(30),
    most_bytes: 16 * 1024 * 1024,
};

/// Returns the index of the workspace as it is now.
pub fn index(paths: &Paths) -> anyhow::Result<Index> {
    let folder = paths.store.with_file_name(FOLDER);
    let store = Store::new(&paths.root, &folder);
    let log = |since: Option<&str>| log(paths, since);
    let index = store.refresh(&ignored::walk(&paths.root, &paths.reserved), &log);
    index.with_context(|| format!("cannot write the index in {}", folder.display()))
}

/// Asks git for the commits after one, or for all; none where git cannot tell.
fn log(paths: &Paths, since: Option<&str>) -> Option<String> {
    let range = since.map_or_else(|| "HEAD".to_owned(), |since| format!("{since}..HEAD"));
    let question = Question::Log {
        options: LOG_OPTIONS,
        commits: Some(&range),
    };
    ask(paths, question, LIMITS)
}

/// Returns whether there is an index to be brought up to date, which is fast.
pub(crate) fn is_there(paths: &Paths) -> bool {
    let folder = paths.store.with_file_name(FOLDER);
    Store::new(&paths.root, &folder).load().is_some()
}

/// Asks git about the workspace. Nothing where git cannot tell.
pub(crate) fn ask(paths: &Paths, question: Question<'_>, limits: Limits) -> Option<String> {
    let asker = Asker {
        root: &paths.root,
        reserved: Some(&paths.reserved),
        supervision: Supervision::None,
        limits,
        stop: &AtomicBool::new(false),
    };
    match asker.ask(question, ".") {
        Ok(report) => (report.ended == Ended::Exit(0)).then(|| report.out.text()),
        Err(error) => {
            tracing::info!(%error, "git is not asked");
            None
        }
    }
}

/// Returns a score with as many digits as say something.
pub fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1_000.0).round() / 1_000.0
}
