//! Ignored files that programs left in the shadow, for a user who wants them in the workspace.
//!
//! In: paths as the user types them. Out: a line for each thing that became of them. What makes a program run without a
//! question is named and not written.

use std::fs::FileType;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use signoff_core::disk::workspace::executed::FileKind;
use signoff_core::disk::workspace::{WorkspacePath, disk, executed};
use signoff_core::engine::Engine;
use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_sandbox::shadow::{self, Brought, KeepRules, KeptLink, Setup};

/// Files that are named one by one where they were not written. More than a screen is not read.
pub const MOST_NAMED: usize = 50;

/// What must not be written of the ignored files.
#[derive(Clone, Copy)]
pub struct IgnoredRules<'a> {
    /// The workspace.
    pub root: &'a Path,
    /// Its links, as they are staged.
    pub engine: &'a Mutex<Engine>,
}

impl KeepRules for IgnoredRules<'_> {
    fn umask(&self) -> u32 {
        disk::umask()
    }

    fn runs(&self, path: &str, kind: Option<FileType>) -> Option<String> {
        runs_a_program(path, kind, self.root)
    }

    fn leads(
        &self,
        path: &str,
        target: &[u8],
        in_layer: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> KeptLink {
        let Ok(link) = WorkspacePath::parse(path, self.root) else {
            return refused("it is no file of the workspace".to_owned());
        };
        // Each call of the engine is whole, whatever happened to whoever held it.
        let engine = self.engine.lock();
        let mut engine = engine.unwrap_or_else(PoisonError::into_inner);
        let places = match engine.link_places() {
            Ok(places) => places,
            Err(error) => return refused(format!("where it leads is not known: {error}")),
        };
        let ends = places.ends(&link, target, &|at| in_layer(at.as_str()));
        // Of what is installed, a link may lead to what else is.
        let is_named = is_named(path);
        let is_within = |end: &WorkspacePath| is_installed(end.as_str());
        let runs = if is_installed(path) && ends.inside().all(is_within) {
            (is_named && ends.outside().next().is_some()).then_some(BY_NAME)
        } else if is_named {
            Some(BY_NAME)
        } else {
            ends.inside().find_map(|end| runs_at_end(end, self.root))
        };
        let runs = runs.map(|by| format!("the link leads to what makes a program run: {by}"));
        let refused = ends.danger_inside().map(str::to_owned).or(runs);
        KeptLink {
            refused: refused.map(|why| format!("{why}; look at it and copy it yourself")),
            outside: ends.outside().map(Path::to_owned).collect(),
        }
    }
}

fn refused(why: String) -> KeptLink {
    KeptLink {
        refused: Some(why),
        ..KeptLink::default()
    }
}

/// Returns what runs or obeys a file to which a link leads. Of folders only hidden ones count, as `.vscode`: many have the
/// name of such a file, as `build`, or of a part of its path, as `config`.
fn runs_at_end(end: &WorkspacePath, root: &Path) -> Option<&'static str> {
    if root.join(end.as_str()).is_dir() {
        executed::runs_behind(end).filter(|_| end.name().starts_with('.'))
    } else {
        executed::runs(end)
    }
}

/// What is said of a program among installed packages that is not one of theirs.
const BY_NAME: &str = "scripts run it by its name";

/// Returns whether a path is below `node_modules`, whose packages come whole or are of no use: what a package manager has
/// installed runs as code of the project anyway, and nobody builds or tests a dependency there.
fn is_installed(path: &str) -> bool {
    let mut folders = Path::new(path).ancestors().skip(1);
    folders.any(|folder| folder.ends_with("node_modules"))
}

/// Returns whether a path is that of a program which scripts of packages run by its name, or of the folder. A package manager
/// puts links to programs of packages there.
fn is_named(path: &str) -> bool {
    let at = path.split_once("node_modules/.bin").map(|(_, rest)| rest);
    at.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Says which programs an ignored file makes run, without a question, where it is written.
fn runs_a_program(path: &str, kind: Option<FileType>, root: &Path) -> Option<String> {
    let is_installed = is_installed(path);
    let (is_folder, is_link) = kind.map_or((false, false), |own| (own.is_dir(), own.is_symlink()));
    let by = if is_named(path) && !is_link && !is_folder {
        Some(BY_NAME)
    } else if path.ends_with(".pyc") || path.ends_with("__pycache__") {
        Some("Python runs it in the place of the source")
    } else {
        match WorkspacePath::parse(path, root) {
            Err(_) => Some("it is git's, or no file of the workspace"),
            Ok(own) if own.editable().is_err() => Some("git runs what it names"),
            Ok(_) if is_folder => None,
            Ok(own) => {
                let found = executed::executed(&own);
                let is_inert = |kind: FileKind| {
                    kind.is_build_output() || is_installed && !kind.is_found_anywhere()
                };
                found
                    .filter(|found| !is_inert(found.kind))
                    .map(|found| found.by)
            }
        }
    };
    by.map(|by| format!("{by}; look at it and copy it yourself"))
}

/// Writes the ignored files below some paths that earlier programs left, all of them where none is named. `typed` are paths of
/// the workspace as the user types them.
///
/// # Errors
///
/// Says which path is none of the workspace, or why nothing can be looked at.
pub fn bring(setup: &Setup, engine: &Mutex<Engine>, typed: &[String]) -> Result<Brought, String> {
    let root = &setup.root;
    let wanted: Result<Vec<String>, String> = typed
        .iter()
        .map(|typed| {
            let path = WorkspacePath::parse(typed.trim_end_matches('/'), root);
            let path = path.map_err(|error| format!("{}: {error}", quote::name(typed)));
            Ok(path?.as_str().to_owned())
        })
        .collect();
    let rules = IgnoredRules { root, engine };
    shadow::bring(setup, &wanted?, &rules)
        .map_err(|error| format!("what programs left cannot be read: {error}"))
}

/// Says what became of ignored files that were to be written, a line each.
pub fn lines(brought: &Brought) -> Vec<String> {
    let keeping = &brought.keeping;
    let mut lines = Vec::new();
    if keeping.written.files > 0 {
        lines.push(keeping.written.line("written"));
    }
    if keeping.unchanged > 0 {
        let files = counted(keeping.unchanged, "file");
        lines.push(format!("{files} on disk already, with the same contents"));
    }
    lines.extend(not_written(&keeping.refused));
    if !keeping.refused.is_empty() {
        let layers = brought.layers.iter();
        let layers: Vec<String> = layers.map(|layer| layer.display().to_string()).collect();
        let layers = layers.join(", ");
        lines.push(format!("what was not written stays in {layers}"));
    }
    let absent = brought.absent.iter();
    lines.extend(absent.map(|path| {
        let path = quote::name(path);
        format!("{path}: no program left an ignored file there")
    }));
    if lines.is_empty() {
        lines.push("no program left an ignored file that is not on disk".to_owned());
    }
    if brought.running > 0 {
        let programs = counted(brought.running, "program");
        lines.push(format!(
            "{programs} still running: what they leave can be written once they have ended"
        ));
    }
    lines
}

/// Says of ignored files why they were not written.
pub fn not_written(refused: &[(String, std::io::Error)]) -> Vec<String> {
    let named = refused.iter().take(MOST_NAMED);
    let named = named.map(|(path, error)| format!("not written: {}: {error}", quote::name(path)));
    let more = refused.len().saturating_sub(MOST_NAMED);
    let more = (more > 0).then(|| format!("not written: {more} more"));
    named.chain(more).collect()
}
