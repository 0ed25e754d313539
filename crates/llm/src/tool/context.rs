//! Tool context: reads of the workspace as staged, and proposals.
//!
//! In: paths and changes as the model wrote them. Out: text and entries, or one clear line;
//! for proposals, the answer to the call.

use std::cell::Cell;
use std::path::Path;

use signoff_core::budget::{Budget, REQUEST_STEPS, Stop, Stopped};
use signoff_core::disk::workspace::reserved::ReservedFolders;
use signoff_core::disk::workspace::{DirEntry, DirEntryKind};
use signoff_core::engine::{EngineError, Outside, Reading};
use signoff_core::quote;
use signoff_core::stage::proposal::Origin;
use signoff_core::syntax::SyntaxCache;
use signoff_core::text::Source;

use signoff_sandbox::git_view::{Asker, Question};
use signoff_sandbox::process::{self, Limits, Program, Report, Stream};
use signoff_sandbox::watch::{Changed, Content};

use super::reads::{Reads, settled_stamp};
use super::{CallScope, ChangedFile, ConversationScope, Ground, ToolOutput};
use crate::code_index::CodeIndex;
use crate::notice::one_line;
use crate::permission::{Consent, Unreadable};
use crate::provider::Usage;
use crate::subjects::Subjects;
use crate::tool_spec::Reach;
use crate::web::{PageRule, WebAddress};

#[cfg(target_os = "linux")]
mod hooked;
#[cfg(target_os = "linux")]
mod language;
#[cfg(target_os = "linux")]
mod shadowed;
mod staging;
#[cfg(not(target_os = "linux"))]
mod unhooked;

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

/// What the tools of one call may touch: the workspace, what the conversation knows, and the call itself.
pub struct ToolContext<'a> {
    ground: &'a Ground,
    conversation: &'a ConversationScope,
    call: &'a CallScope,
    print: &'a Print,
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

impl<'a> ToolContext<'a> {
    /// Returns the tool context of one call; `print` shows what its programs print.
    pub fn new(
        ground: &'a Ground,
        conversation: &'a ConversationScope,
        call: &'a CallScope,
        print: &'a Print,
    ) -> Self {
        Self {
            ground,
            conversation,
            call,
            print,
            aside: Cell::new(None),
        }
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
            self.call.stop.flag(),
            watch,
        )
    }

    /// Returns a program in the workspace's folder that sees no keys and no terminal.
    pub(super) fn program(&self, name: &str, arguments: &[&str]) -> Program {
        Program {
            name: name.into(),
            arguments: arguments.iter().map(Into::into).collect(),
            folder: self.ground.root().to_owned(),
            inherits: true,
            hidden: self.ground.hidden().to_vec(),
            variables: PLAIN
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            supervision: self.ground.supervision(),
        }
    }

    /// Returns what the rules make of a page that a tool would ask for. What the user allowed for this conversation alone is
    /// not known here.
    pub(super) fn judge_page(&self, tool: &str, address: &WebAddress) -> PageRule {
        let (_, policy) = self.ground.shadow();
        match policy.judge(tool, Reach::Observe, &Subjects::Page(address.clone())) {
            Consent::Granted => PageRule::Allowed,
            Consent::Needed => PageRule::Asked,
            Consent::Denied(why) => PageRule::Denied(why),
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
            root: self.ground.root(),
            reserved: Some(self.ground.reserved()),
            supervision: self.ground.supervision(),
            limits,
            stop: self.call.stop.flag(),
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
        let mut watch = self.ground.watch();
        // What changed before is nobody's doing here.
        let _before = watch.look();
        let result = act();
        let changes = watch.look();
        drop(watch);
        (result, self.adopt(changes, description))
    }

    fn adopt(&self, changes: Vec<Changed>, description: &str) -> Vec<ChangedFile> {
        let origin = self.origin();
        let mut engine = self.ground.lock();
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
            match engine.adopt(outside, &origin, self.call.changeset, description) {
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

    /// Returns where what the call proposes comes from.
    fn origin(&self) -> Origin {
        self.conversation.origin(self.call)
    }

    /// Returns the instructions of the folders that files are in, those of outer folders first, as far as they were not
    /// told yet.
    pub(crate) fn guidance(&self, files: &[String]) -> String {
        let mut text = String::new();
        let unseen = self.conversation.guided().unseen(files);
        for file in unseen {
            if let Ok(Some(found)) = self.read(&file) {
                text += &self.conversation.guided().take(&file, &found);
            }
        }
        text
    }

    /// Returns the folder of the workspace.
    /// Returns the folders that are no part of the workspace.
    pub(super) fn reserved(&self) -> &ReservedFolders {
        self.ground.reserved()
    }

    pub(super) fn root(&self) -> &Path {
        self.ground.root()
    }

    /// Returns what stops the call.
    pub(super) fn stop(&self) -> &Stop {
        &self.call.stop
    }

    /// Tells whether the call is to end: it was cancelled, or its time is over.
    pub(super) fn stopped(&self) -> bool {
        self.call.stop.why().is_some()
    }

    /// Returns the answer to a call that was to end before it was done, and has no effect.
    pub(super) fn cut_short(&self) -> ToolOutput {
        cut_short(self.call.stop.why().unwrap_or(Stopped::Cancelled))
    }

    /// Does work that parses within a budget; none if it takes too many steps, or was to end.
    pub(super) fn bounded<T>(&self, work: impl FnOnce(&SyntaxCache) -> T) -> Option<T> {
        let budget = Budget::new(REQUEST_STEPS, self.call.stop.clone());
        let made = work(&SyntaxCache::default().within(&budget));
        budget.check().ok().map(|()| made)
    }

    /// Returns what rules keep from tools that look at more files than they name, if they do.
    pub(super) fn unreadable(&self) -> Option<Unreadable<'_>> {
        self.ground.unreadable()
    }

    /// Returns the index of the workspace's code.
    pub(super) fn code_index(&self) -> Result<&dyn CodeIndex, String> {
        let none = "there is no index here: use grep, find and outline";
        self.ground.code().ok_or_else(|| none.to_owned())
    }

    /// Returns a file's text as staged, or none if there is no such file.
    pub(crate) fn read(&self, path: &str) -> Result<Option<String>, String> {
        let Some(reads) = self.conversation.reads() else {
            return self.read_anew(path);
        };
        // Looked at before the file is: what changes meanwhile is then read again.
        let stamp = settled_stamp(&self.root().join(path));
        let staged = self.ground.lock().is_staged(path).unwrap_or(true);
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

    /// Returns what the conversation has read.
    pub(super) fn reads(&self) -> Option<&Reads> {
        self.conversation.reads()
    }

    /// Notes that the model is shown a file; returns whether it was before, or nothing is known of that.
    pub(super) fn show(&self, path: &str) -> bool {
        self.conversation
            .reads()
            .is_none_or(|reads| reads.show(path))
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
        let is_of_agent = self.conversation.is_of_agent();
        let begun = if is_of_agent {
            self.ground.lock().begin_glance(path)?
        } else {
            self.ground.lock().begin_read(path)?
        };
        let unread = match begun {
            Reading::Done(source) => return Ok(source),
            Reading::OnDisk(unread) => unread,
        };
        let source = unread.read()?;
        if !is_of_agent {
            self.ground.lock().end_read(unread, source.clone());
        }
        Ok(source)
    }

    /// Returns what a folder holds as staged.
    pub(super) fn list(&self, path: &str) -> Result<Vec<DirEntry>, String> {
        let entries = self.ground.lock().list(path);
        entries.map_err(|error| error.to_string())
    }

    /// Returns the files with staged changes, and whether each exists with them.
    pub(super) fn staged_paths(&self) -> Result<Vec<(String, bool)>, String> {
        let staged = self.ground.lock().staged_paths();
        staged.map_err(|error| error.to_string())
    }

    /// Says which commits of programs wait for a sign-off.
    pub(super) fn unsent_commits(&self) -> Option<String> {
        self.ground.unsent_commits()
    }

    /// Returns the answer to a call that names no file; it shows what the nearest folder holds.
    pub(super) fn missing(&self, path: &str) -> ToolOutput {
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

fn parent(path: &str) -> Option<String> {
    Some(path.rsplit_once('/')?.0.to_owned())
}

/// Maximum number of names of a folder listed for a model that asked for another name.
const MOST_NAMES: usize = 20;

/// Returns the names in a folder, in one line.
fn names(entries: &[DirEntry]) -> String {
    let shown = entries
        .iter()
        .take(MOST_NAMES)
        .map(|entry| match entry.kind {
            DirEntryKind::Dir => format!("{}/", quote::name(&entry.name)),
            DirEntryKind::File | DirEntryKind::Symlink | DirEntryKind::Other => {
                quote::name(&entry.name).into_owned()
            }
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
