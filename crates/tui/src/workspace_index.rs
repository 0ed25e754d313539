//! The index of this workspace, in the state folder.
//!
//! In: the folders of this run. Out: the index, brought up to date with the files and past commits, or as it
//! was last.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context as _;
use signoff_context::disk::Store;
use signoff_context::history::LOG_ARGUMENTS;
use signoff_context::index::Index;
use signoff_verify::git_view::Repository;
use signoff_verify::ignored;
use signoff_verify::process::{self, Ended, Limits, Program, Supervision};

use crate::paths::Paths;

/// The folder of the index beside the store.
const FOLDER: &str = "index";
/// How far git may go to list past commits: 3,000 commits with their files are about 2 MB.
const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(30),
    most_bytes: 16 * 1024 * 1024,
};

/// Returns the index of the workspace as it is now.
pub(crate) fn index(paths: &Paths) -> anyhow::Result<Index> {
    let folder = paths.store.with_file_name(FOLDER);
    let store = Store::new(&paths.root, &folder);
    let log = |since: Option<&str>| log(paths, since);
    let index = store.refresh(&ignored::walk(&paths.root), &log);
    index.with_context(|| format!("cannot write the index in {}", folder.display()))
}

/// Asks git for the commits after one, or for all; none where git cannot tell.
fn log(paths: &Paths, since: Option<&str>) -> Option<String> {
    let range = since.map_or_else(|| "HEAD".to_owned(), |since| format!("{since}..HEAD"));
    let arguments = LOG_ARGUMENTS.iter().copied();
    let arguments: Vec<&str> = arguments.chain([range.as_str(), "--", "."]).collect();
    git(paths, &arguments)
}

/// Returns whether there is an index to be brought up to date, which is fast.
pub(crate) fn is_there(paths: &Paths) -> bool {
    let folder = paths.store.with_file_name(FOLDER);
    Store::new(&paths.root, &folder).load().is_some()
}

/// Runs git on the workspace, without the settings of its repository. Nothing where git cannot tell.
pub(crate) fn git(paths: &Paths, arguments: &[&str]) -> Option<String> {
    let view = Repository::find(&paths.root).ok()?.view().ok()?;
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let program = Program {
        name: "git".into(),
        arguments: arguments.iter().map(Into::into).collect(),
        folder: paths.root.clone(),
        inherits: true,
        hidden: names.filter(|name| name.starts_with("GIT_")).collect(),
        variables: view.variables(),
        supervision: Supervision::None,
    };
    let report = process::run(&program, LIMITS, &AtomicBool::new(false), &mut |_, _| {}).ok()?;
    (report.ended == Ended::Exit(0)).then(|| report.out.text())
}
