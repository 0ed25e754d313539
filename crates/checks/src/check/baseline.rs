//! Baseline: what checks say of the workspace without what is staged.
//!
//! In: a check, and the workspace as it is on disk. Out: the diagnostics that it had when the disk was
//! the same, if that is known. Kept in a file beside the layers; a file that cannot be read is as one
//! that is not there.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ignore::WalkState;
use serde::{Deserialize, Serialize};
use signoff_sandbox::private_file::PrivateFile;
use signoff_sandbox::{ignored, regular};
use signoff_source::path::reserved::ReservedFolders;

use super::{Check, Diagnostic};

/// Bytes of the file; in the place of a longer one the baseline is made anew.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What is known of one state of the disk.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Baseline {
    /// What tells the state from others.
    state: u64,
    /// By check, as it is run.
    known: HashMap<String, Vec<Diagnostic>>,
}

impl Baseline {
    /// Reads what is known of the workspace as it is on disk now.
    pub fn load(file: &Path, root: &Path, reserved: &ReservedFolders) -> Self {
        let state = state(root, reserved);
        let text = regular::text(file, MAX_BYTES).unwrap_or_default();
        let kept: Self = serde_json::from_str(&text).unwrap_or_default();
        if kept.state == state {
            kept
        } else {
            Self {
                state,
                known: HashMap::new(),
            }
        }
    }

    /// Returns what a check says, if it is known.
    pub fn of(&self, check: &Check) -> Option<&[Diagnostic]> {
        self.known.get(&key(check)).map(Vec::as_slice)
    }

    /// Notes what a check says.
    pub fn note(&mut self, check: &Check, diagnostics: Vec<Diagnostic>) {
        self.known.insert(key(check), diagnostics);
    }

    /// Keeps it for the next time.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn save(&self, file: &Path) -> io::Result<()> {
        PrivateFile::new(file.to_owned()).replace(&serde_json::to_vec(self)?)
    }
}

fn key(check: &Check) -> String {
    let words = check.arguments.join("\0");
    format!("{}\0{}\0{words}", check.folder, check.program)
}

/// Returns a number that other names, sizes or times of files that are not ignored change.
fn state(root: &Path, reserved: &ReservedFolders) -> u64 {
    let sum = Mutex::new(0_u64);
    ignored::walk(root, reserved).build_parallel().run(|| {
        Box::new(|entry| {
            let file = entry
                .ok()
                .filter(|e| e.file_type().is_some_and(|kind| kind.is_file()));
            if let Some(metadata) = file.as_ref().and_then(|file| file.metadata().ok()) {
                let mut hasher = DefaultHasher::new();
                let path: PathBuf = file.map(ignore::DirEntry::into_path).unwrap_or_default();
                path.hash(&mut hasher);
                (metadata.size(), metadata.mtime(), metadata.mtime_nsec()).hash(&mut hasher);
                let mut sum = sum
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                // In no order, as they are found.
                *sum = sum.wrapping_add(hasher.finish());
            }
            WalkState::Continue
        })
    });
    sum.into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Parser, Severity};
    use std::fs;

    use super::*;

    #[test]
    fn what_is_known_holds_until_a_file_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, file) = (folder.path().join("ws"), folder.path().join("kept"));
        fs::create_dir(&root).expect("a folder");
        fs::write(root.join("a"), "1").expect("a file");
        let check = Check {
            name: "c".into(),
            kind: Kind::Types,
            program: "c".into(),
            arguments: Vec::new(),
            folder: String::new(),
            parser: Parser::Lines,
            timeout: None,
        };
        let said = Diagnostic {
            check: "c".into(),
            path: "a".into(),
            line: 1,
            column: 1,
            severity: Severity::Error,
            code: String::new(),
            message: "m".into(),
        };
        let mut baseline = Baseline::load(&file, &root, &ReservedFolders::default());
        assert_eq!(baseline.of(&check), None);
        baseline.note(&check, vec![said.clone()]);
        baseline.save(&file).expect("it is kept");
        assert_eq!(
            Baseline::load(&file, &root, &ReservedFolders::default()).of(&check),
            Some(&[said][..])
        );
        let other = Check {
            arguments: vec!["-x".into()],
            ..check.clone()
        };
        assert_eq!(
            Baseline::load(&file, &root, &ReservedFolders::default()).of(&other),
            None
        );
        fs::write(root.join("a"), "12").expect("a file");
        assert_eq!(
            Baseline::load(&file, &root, &ReservedFolders::default()).of(&check),
            None
        );
        fs::write(&file, "no JSON").expect("a file");
        assert_eq!(
            Baseline::load(&file, &root, &ReservedFolders::default()).of(&check),
            None
        );
    }
}
