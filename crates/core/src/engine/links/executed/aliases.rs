//! Aliases: the other names that files have through symbolic links, and folders that look like
//! repositories.
//!
//! In: the staged files and the folders around them. Out: for a file, every name under which a program
//! may find it: with a link `.github -> ci`, staged or on disk, `ci/workflows/a.yml` is
//! `.github/workflows/a.yml` as well, and the other way round.

use std::collections::HashMap;

use super::is_link;
use crate::disk::workspace::executed::may_hold;
use crate::disk::workspace::{DirEntry, DirEntryKind, Workspace, WorkspacePath};
use crate::stage::proposal::stage::Stage;
use crate::text::Source;

/// Maximum number of names that one file is looked up by: links may lead in circles.
const MAX_NAMES: usize = 64;

/// Folders below one around a file in which links are looked for: `.config` and `.config/fish`.
const MAX_DEPTH: usize = 2;

/// A symbolic link and where it leads; both are workspace paths.
pub(in crate::engine) type Link = (WorkspacePath, WorkspacePath);

/// What is known of the folders around staged files.
pub(super) struct Aliases<'a> {
    workspace: &'a dyn Workspace,
    staged: Links,
    folders: HashMap<WorkspacePath, FolderContents>,
}

/// What is in a folder.
#[derive(Default)]
struct FolderContents {
    /// Whether git takes it for a repository without a `.git`.
    is_repository: bool,
    /// The links in it, and in the folders of it that are known by their names.
    links: Links,
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
            folders: HashMap::new(),
        }
    }

    /// Returns the names that a file has, these included.
    pub(super) fn names(&mut self, own: &[&WorkspacePath]) -> Vec<WorkspacePath> {
        let around = own.iter().flat_map(|path| around(path));
        let around: Vec<WorkspacePath> = around.collect();
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
    let mut links = Vec::new();
    add_links(workspace, path, entries, MAX_DEPTH, &mut links);
    FolderContents {
        is_repository,
        links: links.into_iter().collect(),
    }
}

/// Adds the links in a folder, and those in folders of it that are known by their names.
fn add_links(
    workspace: &dyn Workspace,
    path: &WorkspacePath,
    entries: Vec<DirEntry>,
    depth: usize,
    links: &mut Vec<Link>,
) {
    for entry in entries {
        let Some(own) = joined(workspace, path, &entry.name) else {
            continue;
        };
        match entry.kind {
            DirEntryKind::Symlink => {
                let image = workspace.read(&own).ok().flatten();
                links.extend(image.and_then(|image| link(workspace, &own, &image.source)));
            }
            DirEntryKind::Dir if depth > 0 && may_hold(&entry.name) => {
                let entries = workspace.list(&own).unwrap_or_default();
                add_links(workspace, &own, entries, depth - 1, links);
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
fn below<'p>(path: &'p WorkspacePath, folder: &WorkspacePath) -> Option<&'p str> {
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
