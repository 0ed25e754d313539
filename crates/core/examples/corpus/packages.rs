//! Published versions of packages.
//!
//! In: a directory of `NAME/VERSION/...` trees, or cargo's own sources. Out: the histories of
//! the source files that changed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::text::Lines;

/// Larger files are left out.
const MAX_BYTES: u64 = 400_000;
const EXTENSIONS: [&str; 7] = ["rs", "ts", "tsx", "js", "jsx", "mjs", "py"];
const SKIPPED: [&str; 7] = [
    "dist",
    "build",
    "esm",
    "cjs",
    "node_modules",
    "umd",
    "target",
];

/// One file through the versions of its package.
pub(crate) struct History {
    /// The package.
    pub(crate) package: String,
    /// The path within it.
    pub(crate) path: String,
    /// The texts, oldest first; at least two, of which no two neighbours are equal.
    pub(crate) versions: Vec<Rc<Lines>>,
}

/// Reads `DIR/NAME/VERSION/...`.
pub(crate) fn from_directory(directory: &Path) -> io::Result<Vec<History>> {
    let mut histories = Vec::new();
    for package in folders(directory)? {
        read_package(&name_of(&package), folders(&package)?, &mut histories)?;
    }
    Ok(histories)
}

/// Reads the packages that cargo keeps in two or more versions.
pub(crate) fn from_cargo(registry: &Path) -> io::Result<Vec<History>> {
    let mut packages: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for index in folders(registry)? {
        for package in folders(&index)? {
            let full = name_of(&package);
            let dash = full
                .match_indices('-')
                .find(|(at, _)| full[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
            if let Some((at, _)) = dash {
                packages
                    .entry(full[..at].to_owned())
                    .or_default()
                    .push(package);
            }
        }
    }
    let mut histories = Vec::new();
    for (name, versions) in packages {
        read_package(&name, versions, &mut histories)?;
    }
    Ok(histories)
}

fn read_package(
    name: &str,
    mut versions: Vec<PathBuf>,
    histories: &mut Vec<History>,
) -> io::Result<()> {
    versions.sort_by_key(|version| numbers(&name_of(version)));
    let mut files: BTreeMap<String, Vec<Rc<Lines>>> = BTreeMap::new();
    for version in versions {
        let mut paths = Vec::new();
        walk(&version, &mut paths)?;
        for path in paths {
            let Some(text) = read(&path)? else { continue };
            let relative = path.strip_prefix(&version).unwrap_or(&path);
            let texts = files
                .entry(relative.to_string_lossy().into_owned())
                .or_default();
            if texts.last().is_none_or(|last| **last != text) {
                texts.push(Rc::new(text));
            }
        }
    }
    for (path, versions) in files {
        if versions.len() > 1 {
            let package = name.to_owned();
            histories.push(History {
                package,
                path,
                versions,
            });
        }
    }
    Ok(())
}

/// Returns the lines of a source text; none where it is no text that a person wrote.
fn read(path: &Path) -> io::Result<Option<Lines>> {
    if fs::metadata(path)?.len() > MAX_BYTES {
        return Ok(None);
    }
    let Ok(text) = String::from_utf8(fs::read(path)?) else {
        return Ok(None);
    };
    let plain = text.ends_with('\n') && !text.contains('\r') && !text.starts_with('\u{feff}');
    let lines: Lines = text.lines().map(str::to_owned).collect();
    let packed = lines.iter().any(|line| line.len() > 500);
    Ok((plain && !packed && lines.len() >= 10).then_some(lines))
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for path in entries(directory)? {
        let name = name_of(&path);
        if path.is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                walk(&path, found)?;
            }
        } else if is_source(&path) && !name.contains(".d.") && !name.contains(".min.") {
            found.push(path);
        }
    }
    Ok(())
}

fn is_source(path: &Path) -> bool {
    path.extension()
        .is_some_and(|found| EXTENSIONS.iter().any(|known| found == *known))
}

fn folders(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = entries(directory)?;
    found.retain(|path| path.is_dir());
    Ok(found)
}

fn entries(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let read = fs::read_dir(directory)?;
    let mut found = read
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    found.sort();
    Ok(found)
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Returns the numbers in a version, so that 10 comes after 9.
fn numbers(version: &str) -> Vec<u64> {
    let parts = version.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}
