//! Large files of Git LFS that programs added to a repository.
//!
//! In: `lfs/objects` of a copy of git's folder, as a program left it. Out: the files of it that have the SHA-256 that is
//! their name, put beside the repository's own.
//!
//! ```text
//! committed   oid sha256:2b274a02...                   a pointer, in the place of big.bin
//! beside it   lfs/objects/2b/27/2b274a02...            its bytes, without which nobody can check the commit out or push it
//! ```

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::GitWriter;
use super::objects::unwritten;
use super::take_over::copy;
use crate::git_view::plain;

/// Where they are in git's folder.
pub(crate) const LARGE_FILES: &str = "lfs/objects";
/// Digits of a name.
const DIGITS: usize = 64;

/// Copies the files to another folder.
///
/// # Errors
///
/// Fails if one has another hash than its name says, or the disk cannot be written.
pub(crate) fn take(from: &Path, to: &Path) -> Result<(), String> {
    let unread = |error: io::Error| format!("files of Git LFS cannot be copied: {error}");
    for below in large_files(from).map_err(unread)? {
        let path = from.join(&below);
        if !below.ends_with(hash(&path).map_err(unread)?) {
            return Err(format!(
                "{LARGE_FILES}/{} is another file than its name says",
                below.display()
            ));
        }
        let own = to.join(&below);
        let folder = own.parent().unwrap_or(to);
        let made = fs::create_dir_all(folder);
        let copied = made.and_then(|()| fs::copy(&path, &own));
        // The file, its name, and those of the folders that were made for it outlive a loss of power.
        let mut settled = vec![own.as_path()];
        settled.extend(folder.ancestors().take_while(|path| path.starts_with(to)));
        let settled = settled
            .into_iter()
            .try_for_each(|path| File::open(path)?.sync_all());
        copied.and(settled).map_err(unread)?;
    }
    Ok(())
}

impl GitWriter<'_> {
    /// Puts files that were taken into the repository.
    ///
    /// # Errors
    ///
    /// Fails if the disk cannot be written, and if a link is in the way.
    pub fn adopt_large_files(&self, from: &Path) -> Result<(), String> {
        for below in large_files(from).map_err(unwritten)? {
            let own = self.common.join(LARGE_FILES).join(&below);
            let around = own
                .ancestors()
                .skip(1)
                .take_while(|path| **path != self.common);
            let mut around: Vec<&Path> = around.collect();
            while let Some(folder) = around.pop() {
                if !plain::folder(folder)? {
                    fs::create_dir(folder).map_err(unwritten)?;
                }
            }
            if !own.exists() {
                let draft = own.with_extension(format!("signoff-{}", std::process::id()));
                copy(&from.join(&below), draft, &own).map_err(unwritten)?;
            }
        }
        Ok(())
    }
}

/// Returns the paths below a folder that are those of files of LFS; others are passed over.
fn large_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut left = vec![PathBuf::new()];
    while let Some(below) = left.pop() {
        let entries = match fs::read_dir(folder.join(&below)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let path = below.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                left.push(path);
            } else if is_named(&path) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// Returns whether a path has the form `2b/27/2b274a02...`.
fn is_named(path: &Path) -> bool {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let [first, second, name] = parts.as_slice() else {
        return false;
    };
    let is_hash =
        name.len() == DIGITS && name.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    is_hash && name.get(..2) == Some(*first) && name.get(2..4) == Some(*second)
}

fn hash(path: &Path) -> io::Result<String> {
    let (mut file, mut hasher) = (File::open(path)?, Sha256::new());
    let mut bytes = [0; 64 * 1024];
    loop {
        match file.read(&mut bytes)? {
            0 => break,
            read => hasher.update(bytes.get(..read).unwrap_or_default()),
        }
    }
    Ok(hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}
