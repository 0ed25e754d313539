//! Rules of the workspace: which hold for a file, and what a change breaks.
//!
//! In: paths, and files with instructions as they are on disk. Out: breaches, as alarms of a payload or as the reason why
//! what a program left is held.
//!
//! **Invariant:** rules are read from the disk, never from what is staged: a model cannot lift one by an edit that waits.

use std::collections::BTreeMap;

use super::draft::ReadyChange;
use super::texts::Texts;
use crate::disk::workspace::{AccessError, WorkspacePath};
use crate::edit::guard::{Alarm, Guard, Severity};
use crate::edit::request::{Change, LineOperation, Request, WholePlacement, WholeRequest};
use crate::edit::rule::{self, Breach, FILE, FILES, FileChange, Rule, draft, nearly};
use crate::engine::EngineError;
use crate::engine::overlay::Overlay;
use crate::engine::state::WorkspaceState;
use crate::stage::review::Proposer;
use crate::text::Source;

/// The rules of folders that were asked about, by folder.
#[derive(Debug, Default)]
pub(in crate::engine) struct FolderRules(BTreeMap<String, Vec<Rule>>);

impl FolderRules {
    /// Reads the rules of the folders around a file, and those of the workspace.
    pub(in crate::engine) fn read_for(
        &mut self,
        overlay: &Overlay,
        path: &WorkspacePath,
    ) -> Result<(), EngineError> {
        for folder in folders(path.as_str()) {
            if !self.0.contains_key(folder) {
                self.0.insert(folder.to_owned(), rules_in(overlay, folder)?);
            }
        }
        Ok(())
    }

    /// Returns what a change breaks, of rules that were read; those of outer folders first.
    pub(in crate::engine) fn broken_by<'a>(
        &'a self,
        change: FileChange<'a>,
    ) -> impl Iterator<Item = Breach> + 'a {
        let folders = folders(change.path);
        let rules = folders.filter_map(|folder| self.0.get(folder)).flatten();
        rules.filter_map(move |rule| rule.broken_by(change))
    }

    /// Reads the rules for a file, and returns what a change of it breaks, in one line.
    pub(in crate::engine) fn why_held(
        &mut self,
        overlay: &Overlay,
        path: &WorkspacePath,
        (before, after): (Option<&Source>, Option<&Source>),
    ) -> Result<Option<String>, EngineError> {
        self.read_for(overlay, path)?;
        let path = path.as_str();
        let change = FileChange {
            path,
            before,
            after,
        };
        let broken: Vec<String> = self.broken_by(change).map(|breach| breach.rule).collect();
        Ok((!broken.is_empty()).then(|| rule::forbidden(&broken.join("; "))))
    }

    /// Returns the alarms for what a payload makes of files, each with the number of the change that raises it.
    pub(super) fn alarms(
        &self,
        ready: &[ReadyChange],
        texts: &Texts,
        proposer: &Proposer,
    ) -> Vec<(usize, Alarm)> {
        if self.0.values().all(Vec::is_empty) {
            return Vec::new();
        }
        let severity = match proposer {
            Proposer::User | Proposer::Person { .. } => Severity::Warn,
            Proposer::Model { .. }
            | Proposer::Agent { .. }
            | Proposer::Program
            | Proposer::ForeignAgent { .. }
            | Proposer::Mcp { .. } => Severity::Refuse,
        };
        // The last change of a file answers for what all of them make of it.
        let mut last: BTreeMap<&WorkspacePath, usize> = BTreeMap::new();
        for change in ready {
            let paths = [
                Some(&change.path),
                change.to.as_ref(),
                change.named.as_ref(),
            ];
            last.extend(paths.into_iter().flatten().map(|path| (path, change.at)));
        }
        let mut alarms = Vec::new();
        for (path, at) in last {
            let text = texts.get(path);
            let change = FileChange {
                path: path.as_str(),
                before: text.and_then(|text| text.first.as_ref()),
                after: text.and_then(|text| text.now.as_ref()),
            };
            for breach in self.broken_by(change) {
                let own = (at, alarm(breach, severity));
                if !alarms.contains(&own) {
                    alarms.push(own);
                }
            }
        }
        alarms
    }
}

/// Returns the change that adds a rule to the project's instructions as they are staged; none if they have it.
pub(super) fn addition(
    state: &mut WorkspaceState,
    rule: &str,
) -> Result<Option<Change>, EngineError> {
    let mut found = None;
    for file in FILES {
        if let Some(text) = state.glance(file)? {
            found = Some((file, text));
            break;
        }
    }
    let (file, text) = found.unwrap_or((FILE, Source::new("")));
    let path = || file.to_owned();
    let text = text.text().map_err(|reason| EngineError::NotText {
        path: path(),
        reason,
    })?;
    let Some((after, content)) = draft::insertion(text, rule) else {
        return Ok(None);
    };
    let request = if text.is_empty() {
        Request::Whole(WholeRequest {
            content: content.join("\n") + "\n",
            placement: WholePlacement::default(),
        })
    } else {
        Request::Lines(vec![LineOperation::Insert { after, content }])
    };
    Ok(Some(Change {
        description: Some(if rule::is_enforced(rule) {
            format!("A rule that is enforced once this is written: {rule}")
        } else {
            format!("A rule that models are told and nothing enforces: {rule}")
        }),
        ..Change::new(path(), request)
    }))
}

fn alarm(Breach { line, rule }: Breach, severity: Severity) -> Alarm {
    Alarm {
        guard: Guard::Rule,
        severity,
        line,
        column: 1,
        excerpt: String::new(),
        message: rule,
    }
}

/// Returns the folders around a file, the workspace first.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at);
    let inner = ends.filter_map(|at| path.get(..at));
    std::iter::once("").chain(inner)
}

/// Returns the rules of the first file with instructions in a folder. A file that is none, or leads out, has none; one that
/// cannot be read is an error, since it may forbid what is asked.
pub(super) fn rules_in(overlay: &Overlay, folder: &str) -> Result<Vec<Rule>, EngineError> {
    let read = instructions_in(overlay, folder)?;
    Ok(read.map_or_else(Vec::new, |(file, text)| rule::read(&file, &text)))
}

/// Returns the lines that look like rules and are none, of those that hold for the whole workspace.
pub(super) fn nearly_rules(overlay: &Overlay) -> Result<Vec<String>, EngineError> {
    let read = instructions_in(overlay, "")?;
    Ok(read.map_or_else(Vec::new, |(file, text)| nearly::nearly(&file, &text)))
}

/// Returns the first file with instructions in a folder, and its text.
fn instructions_in(
    overlay: &Overlay,
    folder: &str,
) -> Result<Option<(String, String)>, EngineError> {
    for name in FILES {
        let file = match folder {
            "" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        };
        let there = WorkspacePath::parse(&file, &overlay.root).map_err(AccessError::from);
        let there = there.and_then(|path| overlay.workspace.canonical(&path));
        let read = there.and_then(|path| overlay.workspace.read(&path));
        match read {
            Ok(Some(image)) => {
                // What is no text tells a model nothing either, and the next file stands in for it.
                if let Ok(text) = image.source.text() {
                    let text = text.to_string();
                    return Ok(Some((file, text)));
                }
            }
            Ok(None)
            | Err(
                AccessError::Path(_)
                | AccessError::Missing { .. }
                | AccessError::BelowFile { .. }
                | AccessError::IsFolder { .. }
                | AccessError::NotFolder { .. }
                | AccessError::NotRegular { .. },
            ) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}
