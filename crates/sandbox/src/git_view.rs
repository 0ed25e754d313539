//! Git, asked about a repository that nobody trusts.
//!
//! In: the workspace's folder and a [`Question`]. Out: what git printed. Git sees a [`view::View`] of the
//! repository: its objects, references and index, of which every file was looked at first, and a
//! configuration of ours. So it runs no program that the repository names, follows nothing that
//! leads out of the repository's own folder, enters no submodule, and waits for no pipe.
//!
//! The only place that starts git (`Asker::start`; `ownership` asks for the user's own settings), also for `git_write`, which
//! writes commits. A repository as git may see it: its objects, references and index, and none of its settings, which name
//! programs. `repository` finds it, `ownership` asks whose it is, `plain` and `tree` look at the files that git is going to
//! read, `view` makes the folder that stands for `.git`, `program` finds git itself. See `docs/decisions/0032`.
//!
//! **Invariant:** git is run only if every file that it reads of the repository is regular, bounded, and reached
//! through no link. It enters no submodule, borrows no objects, and shows no file outside of the work tree.

use std::path::{Component, Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use signoff_source::path::reserved::ReservedFolders;

use crate::process::{self, Ended, Limits, Program, Report, Supervision};

mod as_of;
mod elsewhere;
mod left_repository;
mod ownership;
pub(crate) mod plain;
mod program;
mod proposed;
mod repository;
mod signed_kind;
pub(crate) mod tree;
mod under_way;
mod view;

pub(crate) use as_of::{
    LIST_STAGED, MAX_TEXT, intended, is_in_conflict, mark_intended, may_be_intended,
    staged_entries, told,
};
pub(crate) use program::is_named_in;
pub(crate) use repository::{Repository, settings};
pub(crate) use under_way::UNDER_WAY;
pub use under_way::{UnderWay, UnderWayStep};
pub(crate) use view::{OF_WORK_TREE, View};

pub use as_of::{IndexAsOf, IndexedKind};
pub(crate) use left_repository::FOUND_INDEX;
pub use left_repository::{LeftFile, LeftRepository};
pub use proposed::{
    CheckedOut, CheckedOutFile, IndexChange, ProposedCommit, RefChange, RepositoryChange,
    SkippedEntries, StagedEntry, StashChange, StashEntry, UndisplayedTexts,
};
pub use signed_kind::{OFFER_TRAILER, SignedKind};

/// Maximum size of the list of tracked files, in bytes; that of 100,000 files has about 5 MB.
pub(crate) const MAX_LISTED: usize = 64 * 1024 * 1024;

/// What git is asked. All of it only looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question<'a> {
    /// Which files differ from the last commit, one a line; with the branch before them.
    Status {
        /// Whether the branch is told.
        branch: bool,
    },
    /// What differs on disk from what is added for the next commit, or from a commit.
    Diff {
        /// Whether what is added is compared, in place of the files on disk.
        staged: bool,
        /// A commit or a range of two.
        commit: Option<&'a str>,
    },
    /// Commits.
    Log {
        /// How they are shown; options only.
        options: &'a [&'a str],
        /// Which ones; those of `HEAD` if none is named.
        commits: Option<&'a str>,
    },
}

/// How git is started.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    /// The folder of the workspace.
    pub root: &'a Path,
    /// Folders of which nothing is told, whatever git knows of them.
    pub reserved: Option<&'a ReservedFolders>,
    /// Who ends it if this process does not.
    pub supervision: Supervision,
    /// How far it may go.
    pub limits: Limits,
    /// Ends it early.
    pub stop: &'a AtomicBool,
}

impl Question<'_> {
    fn arguments(&self) -> Vec<&str> {
        match self {
            Self::Status { branch } => {
                let mut arguments = vec!["status", "--short", "--no-renames"];
                arguments.push("--ignore-submodules=all");
                arguments.extend(branch.then_some("--branch"));
                arguments
            }
            Self::Diff { staged, commit } => {
                let mut arguments = vec!["diff", "--no-color", "--no-ext-diff", "--no-textconv"];
                arguments.extend(["--ignore-submodules=all", "--relative"]);
                arguments.extend(staged.then_some("--cached"));
                arguments.extend(*commit);
                arguments
            }
            Self::Log { options, commits } => {
                let mut arguments = vec!["-c", "core.quotePath=false", "log", "--no-color"];
                arguments.extend(["--no-show-signature", "--no-mailmap"]);
                arguments.extend(["--ignore-submodules=all", "--no-ext-diff", "--no-textconv"]);
                arguments.extend(*options);
                arguments.extend(*commits);
                arguments
            }
        }
    }

    /// Returns whether git looks at the files on disk to answer, and at its index.
    fn is_of_files(&self) -> bool {
        !matches!(self, Self::Log { .. })
    }
}

/// Returns the branch that is checked out in the repository around a folder; none without a repository,
/// and between branches.
///
/// # Errors
///
/// Fails if the repository cannot be read safely.
pub fn branch(root: &Path) -> Result<Option<String>, String> {
    let head = Repository::find(root)?.head()?;
    let branch = head.strip_prefix("ref: refs/heads/");
    // Where references are in tables, the file says only that.
    Ok(branch
        .filter(|_| head != elsewhere::IN_TABLES)
        .map(str::to_owned))
}

/// Git's folders of a workspace that has none in it: a linked work tree, a submodule, or a folder of a work tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitFolders {
    /// What belongs to this work tree: `HEAD`, the index. It is `common`, or `worktrees/NAME` in it.
    pub own: PathBuf,
    /// What all work trees share: objects and references.
    pub common: PathBuf,
    /// The top of the work tree: the workspace, or around it.
    pub top: PathBuf,
}

/// Returns git's folders of a workspace that has none in it.
pub fn folders_elsewhere(root: &Path) -> Option<GitFolders> {
    let Repository { top, own, common } = Repository::find(root).ok()?;
    let is_elsewhere = !own.starts_with(root) && own.starts_with(&common);
    is_elsewhere.then_some(GitFolders { own, common, top })
}

/// Returns the folders around a workspace up to the top of the work tree that it is in, the nearest first.
pub fn folders_around(root: &Path) -> impl Iterator<Item = &Path> {
    let top = Repository::find(root).ok().map(|found| found.top);
    let around = root.ancestors().skip(1);
    around.take_while(move |folder| top.as_ref().is_some_and(|top| folder.starts_with(top)))
}

/// Returns why the repository around a folder is not used: it is another user's, and git does not use it either.
pub fn ownership_refusal(root: &Path) -> Option<String> {
    ownership::refusal(&Repository::locate(root).ok()?)
}

/// Returns the folders in which the repository around a folder keeps what it knows, whosever it is; none without one.
pub fn folders(root: &Path) -> Vec<PathBuf> {
    let found = Repository::locate(root).ok();
    let mut folders: Vec<PathBuf> = found
        .into_iter()
        .flat_map(|found| [found.top.join(".git"), found.own, found.common])
        .collect();
    folders.sort();
    folders.dedup();
    folders
}

impl Asker<'_> {
    /// Asks git about what is below a path of the workspace, `.` for all of it. The path is taken as it is
    /// spelled: git knows no patterns and no marks in it.
    ///
    /// # Errors
    ///
    /// Fails if there is no repository around the workspace, if it cannot be looked at safely, with the file
    /// that is in the way, and if git cannot be started.
    pub fn ask(&self, question: Question<'_>, path: &str) -> Result<Report, String> {
        if path.is_empty()
            || !Path::new(path)
                .components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        {
            return Err(format!("{path:?} is not below the workspace"));
        }
        let view = Repository::find(self.root)?.view()?;
        if question.is_of_files() {
            tree::check(view.top(), self.root)?;
            self.check_index(&view)?;
        }
        let mut arguments = question.arguments();
        let left_out = self.left_out();
        let literal = format!(":(literal){path}");
        if left_out.is_empty() {
            arguments.extend(["--", path]);
        } else {
            // Git takes marks in all paths or in none.
            arguments.insert(0, "--no-literal-pathspecs");
            arguments.extend(["--", &literal]);
            arguments.extend(left_out.iter().map(String::as_str));
        }
        self.run(&view, self.root, &arguments, self.limits)
    }

    /// Returns what git is asked not to tell of: the reserved folders below the workspace, in any case.
    fn left_out(&self) -> Vec<String> {
        let reserved = self.reserved.map_or(&[][..], ReservedFolders::folders);
        let below = reserved
            .iter()
            .filter_map(|folder| folder.strip_prefix(self.root).ok()?.to_str());
        below
            .map(|folder| format!(":(exclude,icase,literal){folder}"))
            .collect()
    }

    /// Refuses an index that names a file outside of the work tree or in git's folder: git would show it.
    fn check_index(&self, view: &View) -> Result<(), String> {
        let limits = Limits {
            most_bytes: MAX_LISTED,
            ..self.limits
        };
        let arguments = ["ls-files", "--cached", "--full-name", "-z"];
        let report = self.run(view, view.top(), &arguments, limits)?;
        if report.ended != Ended::Exit(0) {
            let why = report.err.text();
            let why = match report.ended {
                Ended::TimedOut => "git took too long",
                _ => why.lines().next().unwrap_or("git failed"),
            };
            return Err(format!("the index of the repository cannot be read: {why}"));
        }
        if report.out.is_cut() {
            return Err("the index of the repository names too many files".to_owned());
        }
        let listed = report.out.text();
        match listed.split_terminator('\0').find(|name| leads_out(name)) {
            Some(name) => Err(format!(
                "the index of the repository names {name:?}, which is no file of it"
            )),
            None => Ok(()),
        }
    }

    fn run(
        &self,
        view: &View,
        folder: &Path,
        arguments: &[&str],
        limits: Limits,
    ) -> Result<Report, String> {
        self.start(view, folder, arguments, view.variables(), limits)
    }

    /// Runs git with these variables beside those that it inherits.
    pub(crate) fn start(
        &self,
        view: &View,
        folder: &Path,
        arguments: &[&str],
        variables: Vec<(String, String)>,
        limits: Limits,
    ) -> Result<Report, String> {
        let name = program::git(std::env::var_os("PATH"), view.top());
        let name = name.ok_or("git cannot be run: it is not on the path")?;
        let outside = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        let variables = passed_on(outside).chain(variables).collect();
        let program = Program {
            name: name.into(),
            arguments: ["--no-pager"]
                .iter()
                .chain(arguments)
                .map(Into::into)
                .collect(),
            folder: folder.to_owned(),
            inherits: false,
            hidden: Vec::new(),
            variables,
            supervision: self.supervision,
        };
        process::run(&program, limits, self.stop, &mut |_, _| {})
            .map_err(|error| format!("git cannot be run: {error}"))
    }
}

/// The variables that git inherits: where its programs and libraries are, the language of its messages, the time zone of
/// its dates. Its own variables would lead it elsewhere, and keys of models are none of its concern: the git that is on the
/// path is not always git.
const PASSED_ON: [&str; 9] = [
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LD_LIBRARY_PATH",
    "PATH",
    "TZ",
];

fn passed_on(
    outside: impl Iterator<Item = (String, String)>,
) -> impl Iterator<Item = (String, String)> {
    outside.filter(|(name, _)| PASSED_ON.contains(&name.as_str()))
}

/// Tells whether the name of a tracked file leads out of the work tree, or into git's folder.
pub(crate) fn leads_out(name: &str) -> bool {
    // Folders of a sparse index end in a slash.
    name.strip_suffix('/')
        .unwrap_or(name)
        .split('/')
        .any(|part| {
            part.is_empty() || part == "." || part == ".." || part.eq_ignore_ascii_case(".git")
        })
}

#[cfg(test)]
pub(crate) mod tests;
