//! Tool context: reads of the workspace as staged, and proposals.
//!
//! In: paths and changes as the model wrote them. Out: text and entries, or one clear line;
//! for proposals, the answer to the call.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signoff_core::budget::{Budget, REQUEST_STEPS, Stop, Stopped};
use signoff_core::disk::workspace::EntryKind;
use signoff_core::engine::{Engine, EngineError, Outside, Reading};
use signoff_core::id::ChangesetId;
use signoff_core::quote;
use signoff_core::stage::proposal::Origin;
use signoff_core::syntax::SyntaxCache;
use signoff_core::text::Source;

use signoff_verify::git_view::{Asker, Question};
use signoff_verify::process::{self, Limits, Program, Report, Stream, Supervision};
#[cfg(target_os = "linux")]
use signoff_verify::shadow::Setup;
use signoff_verify::watch::{Bounds, Changed, Content, Watch};

use super::reads::{Reads, settled_stamp};
use super::{ChangedFile, ToolOutput};
use crate::code_index::CodeIndex;
use crate::notice::one_line;
use crate::permission::Policy;
use crate::provider::Usage;
use crate::verified::ProjectChecks;

#[cfg(target_os = "linux")]
mod shadowed;
mod staging;

#[cfg(target_os = "linux")]
pub(super) use shadowed::Shadowed;
pub(super) use staging::{change, modification, refused};

pub(crate) use staging::cut_short;

/// What makes programs print plainly and ask nothing.
const PLAIN: [(&str, &str); 5] = [
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// What the tools of one call may touch.
pub struct ToolContext<'a> {
    engine: &'a Mutex<Engine>,
    ground: &'a Ground,
    root: PathBuf,
    origin: Origin,
    changeset: ChangesetId,
    stop: &'a Stop,
    print: &'a Print,
    /// What was read before, where that is kept.
    reads: Option<&'a Reads>,
    /// What models that the call asked by itself have taken.
    aside: Cell<Option<Aside>>,
}

/// What a call took beside the conversation's own requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aside {
    /// Tokens.
    pub usage: Usage,
    /// Millionths of a dollar, where prices are known.
    pub cost: Option<u64>,
}

/// What programs run on: the files as they are on disk, and an environment.
pub struct Ground {
    watch: Mutex<Watch>,
    /// Variables that no program gets to see, as those that hold keys.
    hidden: Vec<String>,
    supervision: Supervision,
    /// How the shadow is made in which commands run, if they do.
    #[cfg(target_os = "linux")]
    shadow: Option<Setup>,
    /// What commands must not read.
    #[cfg(target_os = "linux")]
    policy: Policy,
    /// What is known of the workspace's code, if there is an index.
    code: Option<Arc<dyn CodeIndex>>,
    /// Runs the checks that payloads ask for, if there is something to run them in.
    checks: Option<ProjectChecks>,
}

/// What a program printed so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The last lines, of bounded size.
    pub tail: String,
    /// Lines so far.
    pub lines: u64,
}

/// Shows what a program prints while it runs.
pub type Print = dyn Fn(Printed) + Send + Sync;

impl Ground {
    /// Returns the ground of a workspace; programs do not get to see the variables in `hidden`.
    pub fn new(root: PathBuf, hidden: Vec<String>, supervision: Supervision) -> Self {
        Self {
            watch: Mutex::new(Watch::new(root, Bounds::default())),
            hidden,
            supervision,
            #[cfg(target_os = "linux")]
            shadow: None,
            #[cfg(target_os = "linux")]
            policy: Policy::default(),
            code: None,
            checks: None,
        }
    }

    /// Returns the same with an index of the workspace's code.
    #[must_use]
    pub(crate) fn with_code_index(self, code: Option<Arc<dyn CodeIndex>>) -> Self {
        Self { code, ..self }
    }

    /// Returns the same, where this checks what is staged.
    #[must_use]
    pub(crate) fn with_checks(self, checks: Option<ProjectChecks>) -> Self {
        Self { checks, ..self }
    }

    /// Returns the same with a shadow for commands, in which they find nothing that the policy denies to read.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub(crate) fn with_shadow(self, shadow: Option<Setup>, policy: Policy) -> Self {
        Self {
            shadow,
            policy,
            ..self
        }
    }
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// In bytes, for files.
    pub(super) size: u64,
}

/// What a name in a folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
}

impl<'a> ToolContext<'a> {
    /// Returns a tool context for one call; `origin` is recorded with what it proposes, `changeset` is
    /// the turn's, `stop` cancels the call.
    pub fn new(
        (engine, ground): (&'a Mutex<Engine>, &'a Ground),
        origin: Origin,
        changeset: ChangesetId,
        stop: &'a Stop,
        print: &'a Print,
    ) -> Self {
        let root = lock(engine).root().to_owned();
        Self {
            engine,
            ground,
            root,
            origin,
            changeset,
            stop,
            print,
            reads: None,
            aside: Cell::new(None),
        }
    }

    /// Returns the same, keeping what it reads for the next call.
    #[must_use]
    pub(crate) fn with_reads(self, reads: &'a Reads) -> Self {
        let reads = Some(reads);
        Self { reads, ..self }
    }

    /// Notes what a model has taken that the call asked by itself.
    pub(super) fn spend(&self, usage: Usage, cost: Option<u64>) {
        self.aside.set(Some(Aside { usage, cost }));
    }

    /// Returns what the call took beside the conversation's own requests.
    pub(crate) fn aside(&self) -> Option<Aside> {
        self.aside.get()
    }

    /// Runs a program in the workspace's folder; `print` shows what it prints meanwhile.
    pub(super) fn run(
        &self,
        name: &str,
        arguments: &[&str],
        limits: Limits,
        watch: &mut dyn FnMut(Stream, &[u8]),
    ) -> std::io::Result<Report> {
        process::run(
            &self.program(name, arguments),
            limits,
            self.stop.flag(),
            watch,
        )
    }

    /// Returns a program in the workspace's folder that sees no keys and no terminal.
    pub(super) fn program(&self, name: &str, arguments: &[&str]) -> Program {
        let variable = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Program {
            name: name.into(),
            arguments: arguments.iter().map(Into::into).collect(),
            folder: self.root.clone(),
            inherits: true,
            hidden: self.ground.hidden.clone(),
            variables: PLAIN.iter().map(variable).collect(),
            supervision: self.ground.supervision,
        }
    }

    /// Asks git about a path below the workspace, until the user stops the call.
    pub(super) fn ask_git(
        &self,
        question: Question<'_>,
        path: &str,
        limits: Limits,
    ) -> Result<Report, String> {
        let asker = Asker {
            root: &self.root,
            hidden: &self.ground.hidden,
            supervision: self.ground.supervision,
            limits,
            stop: self.stop.flag(),
        };
        asker.ask(question, path)
    }

    /// Shows what a program printed so far.
    pub(super) fn print(&self, printed: Printed) {
        (self.print)(printed);
    }

    /// Does something that may change files, and returns with its result the files that changed.
    /// Their changes are entered into history under `description`, where they can be.
    pub(super) fn watching<T>(
        &self,
        description: &str,
        act: impl FnOnce() -> T,
    ) -> (T, Vec<ChangedFile>) {
        let mut watch = self
            .ground
            .watch
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // What changed before is nobody's doing here.
        let _before = watch.look();
        let result = act();
        let changes = watch.look();
        drop(watch);
        (result, self.adopt(changes, description))
    }

    fn adopt(&self, changes: Vec<Changed>, description: &str) -> Vec<ChangedFile> {
        let mut engine = lock(self.engine);
        let mut files = Vec::with_capacity(changes.len());
        for Changed {
            path,
            before,
            after,
        } in changes
        {
            let unrecorded = ChangedFile {
                path: path.clone(),
                version: None,
                added: 0,
                removed: 0,
            };
            let (Ok(before), Ok(after)) = (held(before), held(after)) else {
                files.push(unrecorded);
                continue;
            };
            let outside = vec![Outside {
                path,
                before,
                after,
            }];
            match engine.adopt(outside, &self.origin, self.changeset, description) {
                Ok(adopted) => files.extend(adopted.into_iter().map(|file| ChangedFile {
                    path: file.path,
                    version: Some(file.version),
                    added: file.lines.0,
                    removed: file.lines.1,
                })),
                Err(error) => {
                    tracing::warn!(%error, "a command's change was not recorded");
                    files.push(unrecorded);
                }
            }
        }
        files
    }

    /// Returns the folder of the workspace.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Tells whether the call is to end: it was cancelled, or its time is over.
    pub(super) fn stopped(&self) -> bool {
        self.stop.why().is_some()
    }

    /// Returns the answer to a call that was to end before it was done, and has no effect.
    pub(super) fn cut_short(&self) -> ToolOutput {
        cut_short(self.stop.why().unwrap_or(Stopped::Cancelled))
    }

    /// Does work that parses within a budget; none if it takes too many steps, or was to end.
    pub(super) fn bounded<T>(&self, work: impl FnOnce(&SyntaxCache) -> T) -> Option<T> {
        let budget = Budget::new(REQUEST_STEPS, self.stop.clone());
        let made = work(&SyntaxCache::default().within(&budget));
        budget.check().ok().map(|()| made)
    }

    /// Returns the index of the workspace's code.
    pub(super) fn code_index(&self) -> Result<&dyn CodeIndex, String> {
        let none = "there is no index here: use grep, find and outline";
        self.ground.code.as_deref().ok_or_else(|| none.to_owned())
    }

    /// Returns a file's text as staged, or none if there is no such file.
    pub(crate) fn read(&self, path: &str) -> Result<Option<String>, String> {
        let Some(reads) = self.reads else {
            return self.read_anew(path);
        };
        // Looked at before the file is: what changes meanwhile is then read again.
        let stamp = settled_stamp(&self.root.join(path));
        let staged = lock(self.engine).is_staged(path).unwrap_or(true);
        let Some(stamp) = stamp.filter(|_| !staged) else {
            return self.read_anew(path);
        };
        if let Some(text) = reads.recall(path, stamp) {
            return Ok(Some(text));
        }
        let text = self.read_anew(path)?;
        if let Some(text) = &text {
            reads.keep(path, stamp, text);
        }
        Ok(text)
    }

    /// Notes that the model is shown a file; returns whether it was before, or nothing is known of that.
    pub(super) fn show(&self, path: &str) -> bool {
        self.reads.is_none_or(|reads| reads.show(path))
    }

    fn read_anew(&self, path: &str) -> Result<Option<String>, String> {
        let source = self.source(path);
        let Some(source) = source.map_err(|error| error.to_string())? else {
            return Ok(None);
        };
        let text = source
            .text()
            .map_err(|error| format!("{}: {error}", quote::name(path)))?;
        Ok(Some(text.to_owned()))
    }

    /// Returns a file as staged. What is on disk is read while others have the engine, so that
    /// calls which only look do not wait for each other.
    fn source(&self, path: &str) -> Result<Option<Source>, EngineError> {
        let begun = lock(self.engine).begin_read(path)?;
        let unread = match begun {
            Reading::Done(source) => return Ok(source),
            Reading::OnDisk(unread) => unread,
        };
        let source = unread.read()?;
        lock(self.engine).end_read(unread, source.clone());
        Ok(source)
    }

    /// Returns what a folder holds as staged.
    pub(super) fn list(&self, path: &str) -> Result<Vec<Entry>, String> {
        let entries = lock(self.engine).list(path);
        let entries = entries.map_err(|error| error.to_string())?;
        Ok(entries
            .into_iter()
            .map(|entry| Entry {
                kind: match entry.kind {
                    EntryKind::Dir => Kind::Folder,
                    EntryKind::Symlink => Kind::Link,
                    EntryKind::File | EntryKind::Other => Kind::File,
                },
                name: entry.name,
                size: entry.size,
            })
            .collect())
    }

    /// Returns the files with staged changes, and whether each exists with them.
    pub(super) fn staged_paths(&self) -> Result<Vec<(String, bool)>, String> {
        let staged = lock(self.engine).staged_paths();
        staged.map_err(|error| error.to_string())
    }

    /// Returns the answer to a call that names no file; it shows what the nearest folder holds.
    pub(super) fn missing(&self, path: &str) -> ToolOutput {
        let parent = |path: &str| Some(path.rsplit_once('/')?.0.to_owned());
        let folders = std::iter::successors(parent(path), |folder| parent(folder));
        let folders = folders.chain(std::iter::once(".".to_owned()));
        let mut listed = folders.filter_map(|folder| {
            let entries = self.list(&folder).ok()?;
            Some((folder, entries))
        });
        let error = format!("{} does not exist", quote::name(path));
        let content = match (self.called_so(path), listed.next()) {
            (Some(same), _) => format!("error: {error}; {same}"),
            (None, Some((folder, entries))) => {
                let folder = quote::name(&folder);
                format!("error: {error}; {folder} holds {}", names(&entries))
            }
            (None, None) => format!("error: {error}"),
        };
        ToolOutput::failed(content, error)
    }

    /// Returns where files of a path's name are, for a model that guessed the folder.
    pub(super) fn called_so(&self, path: &str) -> Option<String> {
        let name = path.rsplit('/').next()?;
        let files = self.code_index().ok()?.called(name).ok()?;
        match files.as_slice() {
            [] => None,
            [one] => Some(format!(
                "the only file of that name is {}: call again with it",
                quote::name(one)
            )),
            several => {
                let named = several.iter().take(MOST_NAMES);
                let named: Vec<_> = named.map(|path| quote::name(path)).collect();
                Some(format!("files of that name: {}", named.join(", ")))
            }
        }
    }
}

/// Maximum number of names of a folder listed for a model that asked for another name.
const MOST_NAMES: usize = 20;

/// Returns the names in a folder, in one line.
fn names(entries: &[Entry]) -> String {
    let shown = entries
        .iter()
        .take(MOST_NAMES)
        .map(|entry| match entry.kind {
            Kind::Folder => format!("{}/", quote::name(&entry.name)),
            Kind::File | Kind::Link => quote::name(&entry.name).into_owned(),
        });
    let mut names = shown.collect::<Vec<_>>().join(", ");
    match entries.len().saturating_sub(MOST_NAMES) {
        0 if names.is_empty() => "nothing".clone_into(&mut names),
        0 => {}
        more => names += &format!(" and {more} more"),
    }
    one_line(&names, LONGEST_NAMES)
}

/// Maximum length of these names together, in characters.
const LONGEST_NAMES: usize = 600;

/// Returns the bytes of a file, none if there is no file, an error if they are not known.
fn held(content: Content) -> Result<Option<Vec<u8>>, ()> {
    match content {
        Content::Absent => Ok(None),
        Content::Bytes(bytes) => Ok(Some(bytes.to_vec())),
        Content::NotHeld => Err(()),
    }
}

/// Returns the engine. A tool that broke down while it held it does not end the session:
/// what it was doing was not written, and the engine reads its state anew.
pub fn lock(engine: &Mutex<Engine>) -> MutexGuard<'_, Engine> {
    engine.lock().unwrap_or_else(PoisonError::into_inner)
}
