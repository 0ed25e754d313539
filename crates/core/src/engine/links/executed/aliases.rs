//! Aliases: the other names that files have through symbolic links, and folders that look like
//! repositories.
//!
//! In: the staged files and the folders around them. Out: for a file, every name under which a program
//! may find it: with a link `.github -> ci`, staged or on disk, `ci/workflows/a.yml` is
//! `.github/workflows/a.yml` as well, and the other way round.

use std::collections::HashMap;

use super::is_link;
use super::named::Starter;
use crate::disk::workspace::executed::{FileKind, executed, may_hold};
use crate::disk::workspace::{DirEntry, DirEntryKind, Workspace, WorkspacePath};
use crate::quote;
use crate::stage::proposal::stage::Stage;
use crate::text::Source;

/// Maximum number of names that one file is looked up by. Attack: links that lead in circles, `a/b -> ..`, give a file a
/// new name at each turn.
pub(in crate::engine) const MAX_NAMES: usize = 64;

/// Folders below one around a file in which links are looked for: `.config` and `.config/fish`.
const MAX_DEPTH: usize = 2;

/// Maximum size of a file that may start others by name, in bytes: scripts of packages and of continuous integration are
/// shorter, and all of them are read for each list of the review.
const MAX_STARTER: u64 = 64 * 1024;

/// Maximum number of such files in a folder and the known folders in it: a monorepo has some hundred workflows.
const MAX_STARTERS: usize = 256;

/// A symbolic link and where it leads; both are workspace paths.
pub(in crate::engine) type Link = (WorkspacePath, WorkspacePath);

/// What is known of the folders around staged files.
pub(super) struct Aliases<'a> {
    workspace: &'a dyn Workspace,
    staged: Links,
    /// Those that are staged.
    staged_starters: Vec<Starter>,
    folders: HashMap<WorkspacePath, FolderContents>,
}

/// What is in a folder.
#[derive(Default)]
struct FolderContents {
    /// Whether git takes it for a repository without a `.git`.
    is_repository: bool,
    /// The links in it, and in the folders of it that are known by their names.
    links: Links,
    /// Texts of files in it that make a program run, and may start others by name.
    starters: Vec<Starter>,
}

/// Links by both ends: a program may stage 20,000, and each of their names is looked for among all.
#[derive(Default)]
struct Links {
    targets: HashMap<WorkspacePath, Vec<WorkspacePath>>,
    links: HashMap<WorkspacePath, Vec<WorkspacePath>>,
}

impl FromIterator<Link> for Links {
    fn from_iter<I: IntoIterator<Item = Link>>(each: I) -> Self {
        let mut own = Self::default();
        for (link, target) in each {
            let targets = own.targets.entry(link.clone()).or_default();
            targets.push(target.clone());
            own.links.entry(target).or_default().push(link);
        }
        own
    }
}

impl Links {
    /// Returns the names that a file gets from links: of one above it, what it leads to; of one that leads to it or
    /// above it, the link.
    fn other_names(&self, workspace: &dyn Workspace, name: &WorkspacePath) -> Vec<WorkspacePath> {
        let mut names = Vec::new();
        for folder in around(name) {
            let Some(rest) = below(name, &folder) else {
                continue;
            };
            let through = self.targets.get(&folder).into_iter().flatten();
            let beside = self.links.get(&folder).into_iter().flatten();
            names.extend(
                through
                    .chain(beside)
                    .filter_map(|to| joined(workspace, to, rest)),
            );
        }
        names.extend(self.links.get(name).into_iter().flatten().cloned());
        names
    }
}

impl<'a> Aliases<'a> {
    /// Returns what is staged; folders are looked at when they are asked for.
    pub(super) fn of(workspace: &'a dyn Workspace, stage: &Stage) -> Self {
        Self {
            workspace,
            staged: staged_links(workspace, stage).into_iter().collect(),
            staged_starters: staged_starters(stage),
            folders: HashMap::new(),
        }
    }

    /// Returns the names that a file has, these included.
    pub(super) fn names(&mut self, own: &[&WorkspacePath]) -> Vec<WorkspacePath> {
        let around: Vec<WorkspacePath> = own.iter().flat_map(|path| around(path)).collect();
        around.iter().for_each(|folder| self.look(folder));
        let on_disk = around.iter().filter_map(|folder| self.folders.get(folder));
        let links = on_disk.map(|folder| &folder.links).chain([&self.staged]);
        let links: Vec<&Links> = links.collect();
        let mut names: Vec<WorkspacePath> = own.iter().copied().cloned().collect();
        let mut at = 0;
        while let Some(name) = names.get(at).cloned() {
            let new = links.iter();
            for new in new.flat_map(|links| links.other_names(self.workspace, &name)) {
                if names.len() < MAX_NAMES && !names.contains(&new) {
                    names.push(new);
                }
            }
            at += 1;
        }
        names
    }

    /// Says which file that makes a program run starts one by name, staged or on disk.
    pub(super) fn starter(&mut self, own: &[&WorkspacePath]) -> Option<String> {
        let folders: Vec<WorkspacePath> = own.iter().flat_map(|path| around(path)).collect();
        folders.iter().for_each(|folder| self.look(folder));
        let on_disk = folders.iter().filter_map(|folder| self.folders.get(folder));
        let on_disk = on_disk.flat_map(|folder| &folder.starters);
        let mut starters = self.staged_starters.iter().chain(on_disk);
        let found = starters.find(|starter| {
            let bases: Vec<WorkspacePath> = around(&starter.path).collect();
            let is_other = !own.contains(&&starter.path);
            is_other && own.iter().any(|path| starter.starts(path, &bases))
        });
        found.map(|starter| format!("{} starts it by name", quote::name(starter.path.as_str())))
    }

    /// Returns whether a folder around a file looks like a repository of git without a `.git`.
    pub(super) fn is_in_repository(&mut self, path: &WorkspacePath) -> bool {
        path.folders().any(|folder| {
            self.look(&folder);
            let known = self.folders.get(&folder);
            known.is_some_and(|known| known.is_repository)
        })
    }

    /// Looks at a folder unless it is known.
    fn look(&mut self, folder: &WorkspacePath) {
        if !self.folders.contains_key(folder) {
            let looked = looked(self.workspace, folder);
            self.folders.insert(folder.clone(), looked);
        }
    }
}

/// Returns the links that are staged and lead to a place in the workspace.
pub(in crate::engine) fn staged_links(workspace: &dyn Workspace, stage: &Stage) -> Vec<Link> {
    let linked = stage.stacks.iter().filter(|(_, stack)| is_link(stack));
    let texts = linked.flat_map(|(key, stack)| stack.texts(key));
    // A damaged store is found out where its texts are used.
    let links = texts.filter_map(|(path, text)| link(workspace, path, &text.ok()??));
    links.collect()
}

/// Returns where a path leads that is below a link, or is one.
pub(in crate::engine) fn through(
    workspace: &dyn Workspace,
    path: &WorkspacePath,
    (link, target): &Link,
) -> Option<WorkspacePath> {
    let rest = below(path, link).or((path == link).then_some(""))?;
    joined(workspace, target, rest)
}

fn looked(workspace: &dyn Workspace, path: &WorkspacePath) -> FolderContents {
    let entries = workspace.list(path).unwrap_or_default();
    let has_objects = entries
        .iter()
        .any(|entry| entry.name == "objects" && entry.kind == DirEntryKind::Dir);
    let is_repository = has_objects && entries.iter().any(|entry| entry.name == "HEAD");
    let mut found = (Vec::new(), Vec::new());
    add_contents(workspace, path, entries, MAX_DEPTH, &mut found);
    let (links, starters) = found;
    FolderContents {
        is_repository,
        links: links.into_iter().collect(),
        starters,
    }
}

/// Returns whether a file on disk is read for what it starts.
fn is_starter(path: &WorkspacePath, size: u64, known: usize) -> bool {
    size <= MAX_STARTER && known < MAX_STARTERS && may_start(path)
}

/// Returns the staged texts that may start other files by name.
fn staged_starters(stage: &Stage) -> Vec<Starter> {
    let stacks = stage
        .stacks
        .iter()
        .map(|(key, stack)| (stack.name(key), stack));
    let texts = stacks.filter_map(|(path, stack)| {
        // A damaged store is found out where its texts are used.
        let text = may_start(path).then(|| stack.text().ok())???;
        let is_short = text.bytes().len() as u64 <= MAX_STARTER;
        let text = text.text().ok().filter(|_| is_short)?.to_owned();
        Some(Starter::new(path.clone(), text))
    });
    texts.take(MAX_STARTERS).collect()
}

/// Returns whether a file is of a kind whose files start others by name.
fn may_start(path: &WorkspacePath) -> bool {
    let found = executed(path).map(|found| found.kind);
    found.is_some_and(|kind| match kind {
        FileKind::Agent
        | FileKind::Build
        | FileKind::Container
        | FileKind::ContinuousIntegration
        | FileKind::Desktop
        | FileKind::Editor
        | FileKind::Environment
        | FileKind::Git
        | FileKind::Hook
        | FileKind::Packages
        | FileKind::Server
        | FileKind::Shell
        | FileKind::System
        | FileKind::Terminal
        | FileKind::Test => true,
        FileKind::Debugger
        | FileKind::Infrastructure
        | FileKind::Interpreter
        | FileKind::Linter
        | FileKind::Lock
        | FileKind::Native
        | FileKind::Owners
        | FileKind::ProgramFolder
        | FileKind::Toolchain => false,
    })
}

/// Adds the links in a folder and the files that may start others, and those in folders of it that are known by their
/// names.
fn add_contents(
    workspace: &dyn Workspace,
    path: &WorkspacePath,
    entries: Vec<DirEntry>,
    depth: usize,
    found: &mut (Vec<Link>, Vec<Starter>),
) {
    for entry in entries {
        let Some(own) = joined(workspace, path, &entry.name) else {
            continue;
        };
        match entry.kind {
            DirEntryKind::Symlink => {
                let image = workspace.read(&own).ok().flatten();
                let link = image.and_then(|image| link(workspace, &own, &image.source));
                found.0.extend(link);
            }
            DirEntryKind::Dir if depth > 0 && may_hold(&entry.name) => {
                let entries = workspace.list(&own).unwrap_or_default();
                add_contents(workspace, &own, entries, depth - 1, found);
            }
            DirEntryKind::File if is_starter(&own, entry.size, found.1.len()) => {
                let image = workspace.read(&own).ok().flatten();
                let text = image.and_then(|image| Some(image.source.text().ok()?.to_owned()));
                found.1.extend(text.map(|text| Starter::new(own, text)));
            }
            DirEntryKind::Dir | DirEntryKind::File | DirEntryKind::Other => {}
        }
    }
}

/// Returns a link and where it leads, if that is in the workspace.
fn link(workspace: &dyn Workspace, path: &WorkspacePath, text: &Source) -> Option<Link> {
    let target = str::from_utf8(text.bytes())
        .ok()
        .filter(|_| text.is_link())?;
    let whole = if target.starts_with('/') {
        target.to_owned()
    } else {
        format!("{}/{target}", path.parent().shown())
    };
    let target = WorkspacePath::parse(&whole, &workspace.root()).ok()?;
    Some((path.clone(), target))
}

/// Returns the folders around a file, the workspace itself included.
fn around(path: &WorkspacePath) -> impl Iterator<Item = WorkspacePath> {
    path.folders().chain([WorkspacePath::root()])
}

/// Returns the rest of a path that is below a folder.
pub(super) fn below<'p>(path: &'p WorkspacePath, folder: &WorkspacePath) -> Option<&'p str> {
    if folder.as_str().is_empty() {
        return Some(path.as_str());
    }
    path.as_str()
        .strip_prefix(folder.as_str())?
        .strip_prefix('/')
}

fn joined(workspace: &dyn Workspace, folder: &WorkspacePath, rest: &str) -> Option<WorkspacePath> {
    WorkspacePath::parse(&format!("./{folder}/{rest}"), &workspace.root()).ok()
}
