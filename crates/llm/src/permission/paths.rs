//! Rules on paths.
//!
//! In: paths as a call names them. Out: the strictest word of the rules on them. A rule that denies or asks
//! holds for what a path leads to, in any case of its letters, for what the rule's own path leads to, and
//! for everything in a folder that is moved or deleted. A rule that allows is for the path as it is named.
//!
//! With `deny read secret/*`, and links `link -> secret` and `secret/key -> ../real`, these are denied:
//! `secret/key`, `./Secret//key`, `link/key`, `file:///w/secret/key`, `real`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use signoff_core::disk::workspace::{DirEntryKind, WorkspacePath};

use super::pattern::matches;
use super::tree::Tree;
use super::{Permission, Policy, Rule, lifted};
use crate::tool_spec::Reach;

/// Maximum number of files below a folder that rules are compared with. More count as denied if a rule
/// could deny one.
const MAX_BELOW: usize = 20_000;

/// The tool whose rules say what may be seen.
const READ: &str = "read";

/// Files that rules deny to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeniedPaths {
    /// The files that are there, and folders behind links that are denied, sorted; links are resolved.
    pub paths: Vec<WorkspacePath>,
    /// Whether the whole workspace was looked at.
    pub complete: bool,
}

/// What rules say may not be seen, or not without a question.
pub struct Unreadable<'t> {
    rules: Narrowing,
    tree: &'t dyn Tree,
    root: PathBuf,
}

impl Unreadable<'_> {
    /// Returns whether a file is one of these, whatever it is called; also of what is no path.
    pub fn holds(&self, path: &str) -> bool {
        let Ok(path) = WorkspacePath::parse(path, &self.root) else {
            return true;
        };
        let mut names = self.tree.names(&path).into_iter();
        names.any(|name| self.rules.of(&name).is_some())
    }
}

impl Policy {
    /// Returns what tools must leave out that look at more files than they name; none if there is no such rule.
    pub fn unreadable<'t>(&self, tree: &'t dyn Tree) -> Option<Unreadable<'t>> {
        let rules = self.narrowing_rules(READ, Some(tree));
        rules.strictest()?;
        let root = self.root.clone();
        Some(Unreadable { rules, tree, root })
    }

    /// Returns whether rules may deny files to read, so that programs must not find them.
    pub fn denies_reading(&self) -> bool {
        self.may_narrow(READ, Permission::Deny)
    }

    /// Returns the files of the workspace that rules deny to read, after a look at no more than `most` names:
    /// what a program must not find, as it reads without asking.
    pub fn denied_paths(&self, tree: &dyn Tree, most: usize) -> DeniedPaths {
        if !self.denies_reading() {
            return DeniedPaths {
                complete: true,
                ..DeniedPaths::default()
            };
        }
        let rules = self.narrowing_rules(READ, Some(tree));
        let is_denied = |path: &WorkspacePath| rules.of(path) == Some(Permission::Deny);
        let mut denied: BTreeSet<WorkspacePath> = BTreeSet::new();
        let complete = walk(tree, &WorkspacePath::root(), most, &mut |path, kind| {
            if !is_denied(path) {
                return;
            }
            let led = match kind {
                DirEntryKind::Symlink => tree.names(path),
                DirEntryKind::Dir | DirEntryKind::File | DirEntryKind::Other => vec![path.clone()],
            };
            // The link itself hides nothing, but stands for what is not in the workspace.
            let leads = led.len() > 1 && kind == DirEntryKind::Symlink;
            denied.extend(led.into_iter().skip(usize::from(leads)));
        });
        for name in tree.staged() {
            let names = tree.names(&name);
            if names.iter().any(&is_denied) {
                denied.extend(names);
            }
        }
        DeniedPaths {
            paths: denied.into_iter().collect(),
            complete,
        }
    }

    /// Returns whether the model may see a file without anybody being asked.
    pub fn shows(&self, path: &str) -> bool {
        let paths = [path.to_owned()];
        self.of_paths(READ, Reach::Observe, &paths, false) == Permission::Allow
    }

    /// Returns the strictest word on any of the paths, or on a call without one.
    pub(super) fn of_paths(
        &self,
        tool: &str,
        reach: Reach,
        paths: &[String],
        always: bool,
    ) -> Permission {
        let usual = match reach {
            Reach::Observe | Reach::Stage | Reach::Delegate => Permission::Allow,
            Reach::Execute => Permission::Ask,
        };
        let tree = self.tree.0.as_deref();
        let narrowing = self.narrowing_rules(tool, tree);
        // What `read` may not show no tool shows, nor an edit that fails; and what was moved could be read under its new name.
        let reading = (tool != READ).then(|| self.narrowing_rules(READ, tree));
        let one = |text: &str| {
            let named = self.named(text);
            let own = self.last(&self.rules, tool, &named).unwrap_or(usual);
            let narrower = self.last(&self.narrower, tool, &named);
            let own = lifted(own, always).max(narrower.unwrap_or(Permission::Allow));
            let Ok(path) = WorkspacePath::parse(&named, &self.root) else {
                return own;
            };
            let is_narrowed = |rules: &Narrowing| !rules.is_empty();
            let is_narrow = is_narrowed(&narrowing) || reading.as_ref().is_some_and(is_narrowed);
            let names = match tree.filter(|_| is_narrow) {
                Some(tree) => tree.names(&path),
                None => vec![path.clone()],
            };
            let rules = [&narrowing].into_iter().chain(&reading);
            let words = rules.flat_map(|rules| names.iter().filter_map(|name| rules.of(name)));
            let led = words.max();
            let inside = match tree.filter(|_| reach != Reach::Observe) {
                Some(tree) => below(tree, &path, &narrowing).max(
                    reading
                        .as_ref()
                        .and_then(|reading| below(tree, &path, reading))
                        .filter(|word| *word == Permission::Deny),
                ),
                None => None,
            };
            let narrowed = led
                .max(inside)
                .map_or(Permission::Allow, |word| lifted(word, always));
            own.max(narrowed)
        };
        let words = paths.iter().map(|path| one(path));
        words.max().unwrap_or_else(|| one(""))
    }

    /// Returns the action of the last rule that matches a path in its normal form.
    fn last(&self, rules: &[Rule], tool: &str, path: &str) -> Option<Permission> {
        rules
            .iter()
            .rfind(|rule| matches(&rule.tool, tool) && matches(self.pattern(rule), path))
            .map(|rule| rule.action)
    }

    /// Returns a rule's pattern relative to the workspace.
    pub(super) fn pattern<'r>(&self, rule: &'r Rule) -> &'r str {
        let pattern = rule.pattern.as_str();
        let below = self
            .root
            .to_str()
            .and_then(|root| pattern.strip_prefix(root));
        let below = below.and_then(|rest| rest.strip_prefix('/'));
        below.unwrap_or_else(|| pattern.trim_start_matches("./"))
    }

    /// Returns the one spelling of a path that rules see; one that leads out stays as it is.
    pub(super) fn named(&self, text: &str) -> String {
        let text = text.trim();
        let text = decoded_url(text).unwrap_or_else(|| text.to_owned());
        match WorkspacePath::parse(&text, &self.root) {
            Ok(path) => path.as_str().to_owned(),
            Err(_outside_or_empty) => text,
        }
    }

    fn may_narrow(&self, tool: &str, least: Permission) -> bool {
        let mut rules = self.rules.iter().chain(&self.narrower);
        rules.any(|rule| rule.action >= least && matches(&rule.tool, tool))
    }

    /// Returns the rules for a tool with what their paths lead to.
    fn narrowing_rules(&self, tool: &str, tree: Option<&dyn Tree>) -> Narrowing {
        if !self.may_narrow(tool, Permission::Ask) {
            return Narrowing::default();
        }
        Narrowing([&self.rules, &self.narrower].map(|rules| {
            let of_tool = rules.iter().filter(|rule| matches(&rule.tool, tool));
            of_tool
                .map(|rule| {
                    let mut patterns = vec![self.pattern(rule).to_owned()];
                    if rule.action != Permission::Allow {
                        patterns = self.led(&patterns, tree);
                    }
                    (rule.action, patterns)
                })
                .collect()
        }))
    }

    /// Returns patterns in small letters, with what the folder or file leads to that they begin with.
    fn led(&self, patterns: &[String], tree: Option<&dyn Tree>) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for pattern in patterns {
            let fixed = pattern.find(['*', '?']).map_or(pattern.as_str(), |star| {
                let before = pattern.get(..star).unwrap_or_default();
                before.rsplit_once('/').map_or("", |(folder, _)| folder)
            });
            let rest = pattern.get(fixed.len()..).unwrap_or_default();
            let named = WorkspacePath::parse(fixed, &self.root).ok();
            let names = named
                .and_then(|named| Some(tree?.names(&named)))
                .unwrap_or_default();
            let led = names.iter().map(|name| format!("{name}{rest}"));
            all.extend(
                [pattern.clone()]
                    .into_iter()
                    .chain(led)
                    .map(|one| one.to_lowercase()),
            );
        }
        all.dedup();
        all
    }
}

/// The user's rules and those of the workspace for one tool, each with its patterns: in small letters
/// unless it allows.
#[derive(Default)]
struct Narrowing([Vec<(Permission, Vec<String>)>; 2]);

impl Narrowing {
    fn is_empty(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }

    /// Returns `ask` or `deny` if the last rule that matches a path says so.
    fn of(&self, path: &WorkspacePath) -> Option<Permission> {
        let (own, small) = (path.as_str(), path.as_str().to_lowercase());
        let words = self.0.iter().filter_map(|rules| {
            rules
                .iter()
                .rfind(|(action, patterns)| {
                    let path = match action {
                        Permission::Allow => own,
                        Permission::Ask | Permission::Deny => &small,
                    };
                    patterns.iter().any(|pattern| matches(pattern, path))
                })
                .map(|(action, _)| *action)
        });
        words.filter(|word| *word != Permission::Allow).max()
    }

    /// Returns the strictest action of any rule.
    fn strictest(&self) -> Option<Permission> {
        let words = self.0.iter().flatten().map(|(action, _)| *action);
        words.filter(|word| *word != Permission::Allow).max()
    }
}

/// Returns the strictest word on what is in a folder.
fn below(tree: &dyn Tree, folder: &WorkspacePath, rules: &Narrowing) -> Option<Permission> {
    rules.strictest()?;
    let mut strictest = None;
    let complete = walk(tree, folder, MAX_BELOW, &mut |path, _| {
        strictest = strictest.max(rules.of(path));
    });
    let prefix = format!("{folder}/");
    let staged = tree.staged().into_iter();
    let staged = staged.filter(|path| path.as_str().starts_with(&prefix));
    let staged = staged.flat_map(|path| tree.names(&path));
    let staged = staged.filter_map(|path| rules.of(&path)).max();
    let beyond = if complete { None } else { rules.strictest() };
    strictest.max(staged).max(beyond)
}

/// Shows what is below a folder on disk, links not followed; returns whether that was all.
fn walk(
    tree: &dyn Tree,
    folder: &WorkspacePath,
    most: usize,
    show: &mut impl FnMut(&WorkspacePath, DirEntryKind),
) -> bool {
    let mut folders = vec![folder.clone()];
    let mut shown = 0;
    while let Some(folder) = folders.pop() {
        for (path, kind) in tree.list(&folder) {
            if shown == most {
                return false;
            }
            shown += 1;
            if kind == DirEntryKind::Dir {
                folders.push(path);
            } else {
                show(&path, kind);
            }
        }
    }
    true
}

/// Returns the path of a `file:` URL.
fn decoded_url(text: &str) -> Option<String> {
    let scheme = text
        .get(..5)
        .filter(|scheme| scheme.eq_ignore_ascii_case("file:"))?;
    let rest = text.get(scheme.len()..)?;
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.get(rest.find('/')?..)?,
        None => rest,
    };
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let hex = match byte {
            b'%' => rest
                .clone()
                .take(2)
                .map(|digit| char::from(digit).to_digit(16))
                .collect(),
            _ => None::<Vec<u32>>,
        };
        match hex.as_deref() {
            Some([high, low]) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(byte));
                rest.nth(1);
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
