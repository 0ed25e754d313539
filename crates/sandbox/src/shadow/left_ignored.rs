//! Ignored files that programs left in their layers, for the user to bring into the workspace later.
//!
//! ```text
//! layers/model/0/workspace/upper/target/debug/app   `cargo build` of the model's
//! bring(["target"])                                 the workspace has target/debug/app
//! ```
//!
//! In: the paths that the user names, or none for all. Out: what the disk has now, and what stays and why. Layers of the
//! model's programs and of the user's are looked at, those used last first. A file that the disk has is never overwritten.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::beneath::{PRIVATE, Tree};
use super::keep::{KeepRules, KeepScope, Keeper, Keeping};
use super::layer::Unproposed;
use super::setup::{Origin, Setup};
use super::slot::Slot;
use super::{PROPOSED, UPPER};

/// Maximum size of the file that names what was proposed, in bytes: [`super::collected::MAX_FILES`] paths of the greatest
/// length.
const MAX_PROPOSED: u64 = 128 << 20;

/// Whose programs leave files that a user may want.
const LEFT_BY: [Origin; 2] = [Origin::Model, Origin::User];

/// What came of ignored files of earlier programs.
#[derive(Debug, Default)]
pub struct Brought {
    /// What was written, and what was not.
    pub keeping: Keeping,
    /// The layers, where files are that stay.
    pub layers: Vec<PathBuf>,
    /// Programs that still run: what they write is not looked at.
    pub running: usize,
    /// Paths that were named and of which no program left an ignored file.
    pub absent: Vec<String>,
}

/// Moves the ignored files below some paths of the workspace from the layers of earlier programs to the disk; all of them where
/// no path is named.
///
/// # Errors
///
/// Fails if the workspace or the layers cannot be read.
pub fn bring(setup: &Setup, wanted: &[String], rules: &dyn KeepRules) -> io::Result<Brought> {
    let mut brought = Brought::default();
    let settled = RefCell::default();
    let mut found: BTreeSet<&str> = BTreeSet::new();
    for origin in LEFT_BY {
        let (slots, running) = Slot::all_left(&setup.layers, origin)?;
        brought.running += running;
        for slot in &slots {
            let layer = slot.folder().make_below(Path::new(UPPER), PRIVATE)?;
            let left = left_in(&setup.root, &layer);
            let chosen = chosen(&left, wanted, &layer, &mut found);
            if chosen.is_empty() {
                continue;
            }
            let upper = slot.path().join(UPPER);
            let proposed = proposed(slot.folder())?;
            let keeper = Keeper {
                root: &setup.root,
                disk: Tree::open(&setup.root)?,
                upper: &upper,
                layer,
                reserved: &setup.reserved,
                scope: KeepScope::Vacant {
                    proposed: &proposed,
                    settled: &settled,
                },
                rules,
                umask: rules.umask(),
                linked: RefCell::default(),
            };
            brought.keeping.add(keeper.keep(&chosen));
            brought.layers.push(upper);
        }
    }
    let absent = wanted.iter().filter(|path| !found.contains(path.as_str()));
    brought.absent = absent.cloned().collect();
    Ok(brought)
}

/// Returns the outermost ignored paths of a layer whose names are text.
fn left_in(root: &Path, layer: &Tree) -> Vec<String> {
    let unproposed = Unproposed::of(root);
    let (mut left, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        for name in layer.names(&folder).into_iter().flatten() {
            let path = folder.join(&name);
            let is_folder = layer.metadata(&path).is_ok_and(|own| own.is_dir());
            if name == ".git" {
                continue;
            }
            if unproposed.names(&path, is_folder) {
                left.extend(path.to_str().map(str::to_owned));
            } else if is_folder {
                folders.push(path);
            }
        }
    }
    left.sort();
    left
}

/// Returns what of the ignored paths is wanted, and notes which wanted path names something.
fn chosen<'w>(
    left: &[String],
    wanted: &'w [String],
    layer: &Tree,
    found: &mut BTreeSet<&'w str>,
) -> Vec<String> {
    if wanted.is_empty() {
        return left.to_vec();
    }
    let mut chosen = BTreeSet::new();
    for path in wanted {
        for own in left {
            if Path::new(own).starts_with(path) {
                found.insert(path);
                chosen.insert(own.clone());
            } else if Path::new(path).starts_with(own) && layer.metadata(Path::new(path)).is_ok() {
                found.insert(path);
                chosen.insert(path.clone());
            }
        }
    }
    chosen.into_iter().collect()
}

/// Returns the paths that were staged for the last program of a slot, or changed by it.
pub(super) fn proposed(slot: &Tree) -> io::Result<BTreeSet<String>> {
    let file = Path::new(PROPOSED);
    // None was written by an older version of signoff, nor for services.
    if slot.found(file)?.is_none() {
        return Ok(BTreeSet::new());
    }
    Ok(serde_json::from_slice(&slot.read(file, MAX_PROPOSED)?)?)
}

/// Writes the paths that are staged for a program, or were changed by it, to its slot.
pub(super) fn remember_proposed<'p>(
    slot: &Tree,
    named: impl Iterator<Item = &'p str>,
) -> io::Result<()> {
    let named: BTreeSet<&str> = named.collect();
    slot.write(Path::new(PROPOSED), &serde_json::to_vec(&named)?)
}

impl Keeping {
    fn add(&mut self, other: Self) {
        self.written.files += other.written.files;
        self.written.bytes += other.written.bytes;
        self.written.paths.extend(other.written.paths);
        self.unchanged += other.unchanged;
        self.refused.extend(other.refused);
    }
}
