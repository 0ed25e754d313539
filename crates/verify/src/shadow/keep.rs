//! Writing ignored files from the layer to the disk, where the user wants them there.
//!
//! In: the outermost ignored paths of the layer. Out: the disk has them as the layer does, and the layer
//! has them no more. A link is written as a link; nothing is written through one.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::layer::{is_whiteout, remove};

/// Name of a file until it is complete, beside its place.
const DRAFT: &str = ".signoff-keep";

/// Moves ignored files from a layer to the workspace. Returns those that cannot be, and why.
pub(super) fn keep(root: &Path, upper: &Path, paths: &[String]) -> Vec<(String, io::Error)> {
    let each = paths.iter().filter_map(|path| {
        let moved = folders(root, Path::new(path)).and_then(|()| {
            entry(&upper.join(path), &root.join(path))?;
            remove(&upper.join(path))
        });
        moved.err().map(|error| (path.clone(), error))
    });
    each.collect()
}

/// Makes the folders of a path, of which none may be a link.
fn folders(root: &Path, path: &Path) -> io::Result<()> {
    let mut folder = root.to_owned();
    for part in path.parent().into_iter().flat_map(Path::components) {
        folder.push(part);
        match fs::symlink_metadata(&folder) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(io::Error::other("a folder of it is a link or a file")),
            Err(_absent) => fs::create_dir(&folder)?,
        }
    }
    Ok(())
}

fn entry(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(from)?;
    let kind = metadata.file_type();
    if is_whiteout(&metadata) {
        remove(to)
    } else if kind.is_dir() {
        folder(from, to, &metadata)
    } else if kind.is_symlink() {
        remove(to)?;
        symlink(fs::read_link(from)?, to)
    } else if kind.is_file() {
        file(from, to)
    } else {
        // Pipes and sockets belong to the programs that made them.
        Ok(())
    }
}

fn folder(from: &Path, to: &Path, metadata: &Metadata) -> io::Result<()> {
    if !fs::symlink_metadata(to).is_ok_and(|own| own.is_dir()) {
        remove(to)?;
        fs::create_dir(to)?;
    }
    for inner in fs::read_dir(from)? {
        let inner = inner?;
        entry(&inner.path(), &to.join(inner.file_name()))?;
    }
    fs::set_permissions(to, metadata.permissions())
}

/// Copies a file with its permissions and times, whole or not at all.
fn file(from: &Path, to: &Path) -> io::Result<()> {
    let draft = to.with_file_name(DRAFT);
    remove(&draft)?;
    let copied = fs::copy(from, &draft).and_then(|_| {
        let times = fs::metadata(from)?;
        let times = fs::FileTimes::new()
            .set_accessed(times.accessed()?)
            .set_modified(times.modified()?);
        fs::File::options()
            .append(true)
            .open(&draft)?
            .set_times(times)?;
        if fs::symlink_metadata(to).is_ok_and(|own| own.is_dir()) {
            remove(to)?;
        }
        fs::rename(&draft, to)
    });
    if copied.is_err() {
        remove(&draft)?;
    }
    copied
}
