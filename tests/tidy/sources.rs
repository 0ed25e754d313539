//! The files of the repository, and a way to complain about them.
//!
//! In: the folder of the repository. Out: its own files, each with the views that rules are
//! about; build output is not looked at.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::{fmt, fs};

use crate::lexer;

/// A Rust file.
pub(crate) struct Rust {
    /// Relative to the repository, with `/`.
    pub(crate) path: String,
    /// As it is.
    pub(crate) text: String,
    /// Without comments and literals.
    pub(crate) code: String,
    /// The same without what is compiled for tests only.
    pub(crate) product: String,
}

/// Everything that is wrong, a line each.
#[derive(Default)]
pub(crate) struct Complaints(Vec<String>);

/// Returns the folder of the repository.
pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// Returns every Rust file.
pub(crate) fn rust() -> &'static [Rust] {
    static FILES: LazyLock<Vec<Rust>> = LazyLock::new(read_rust);
    &FILES
}

fn read_rust() -> Vec<Rust> {
    let mut files: Vec<Rust> = all()
        .into_iter()
        .filter(|path| path.ends_with(".rs"))
        .map(|path| {
            let text = read(&path);
            let code = lexer::code(&text);
            let product = lexer::without_tests(&code);
            Rust {
                path,
                text,
                code,
                product,
            }
        })
        .collect();
    assert!(
        files.len() > 100,
        "the sources are not where this test looks for them"
    );
    let for_tests: Vec<String> = files.iter().flat_map(Rust::test_folders).collect();
    for file in &mut files {
        let module = file.path.trim_end_matches(".rs");
        let is_test = |test: &String| {
            module
                .strip_prefix(test)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if !file.is_source() || for_tests.iter().any(is_test) {
            file.product.clear();
        }
    }
    files
}

/// Returns the Rust files below a folder.
pub(crate) fn below(folder: &str) -> Vec<&'static Rust> {
    let files = rust().iter().filter(|file| file.path.starts_with(folder));
    files.collect()
}

/// Returns the relative paths of all files that belong to the repository.
pub(crate) fn all() -> Vec<String> {
    let mut found = BTreeSet::new();
    for name in [
        ".ci",
        ".github",
        ".cargo",
        ".packages",
        "benches",
        "crates",
        "docs",
        "tests",
    ] {
        walk(&root().join(name), &mut found);
    }
    for entry in fs::read_dir(root()).unwrap() {
        let path = entry.unwrap().path();
        // In a work tree of git, `.git` is a file that names a folder of this machine.
        if path.is_file() && !path.ends_with(".git") {
            found.insert(path);
        }
    }
    let relative = |path: PathBuf| {
        let path = path.strip_prefix(root()).unwrap().to_str().unwrap();
        path.replace('\\', "/")
    };
    found.into_iter().map(relative).collect()
}

/// Returns the relative paths of what git tracks; without a repository, as in an archive of the sources, of all files.
pub(crate) fn tracked() -> Vec<String> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z"]).current_dir(root());
    match git.output() {
        Ok(listed) if listed.status.success() => {
            let names = String::from_utf8(listed.stdout).unwrap();
            let names = names.split_terminator('\0').map(str::to_owned);
            // A file that is removed and not yet committed is no file any more.
            names.filter(|name| root().join(name).exists()).collect()
        }
        _ => all(),
    }
}

fn walk(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with("target") => {}
            true => walk(&path, found),
            false => drop(found.insert(path)),
        }
    }
}

/// Returns the text of a file; empty for one that is not text.
pub(crate) fn read(path: &str) -> String {
    String::from_utf8(fs::read(root().join(path)).unwrap()).unwrap_or_default()
}

/// Returns where `needle` stands in `text` as words of its own.
pub(crate) fn finds(text: &str, needle: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let joins = |a: Option<u8>, b: Option<u8>| {
        a.is_some_and(lexer::is_word) && b.is_some_and(lexer::is_word)
    };
    let (first, last) = (needle.bytes().next(), needle.bytes().last());
    text.match_indices(needle)
        .map(|(at, _)| at)
        .filter(|at| !joins(at.checked_sub(1).map(|before| bytes[before]), first))
        .filter(|at| !joins(last, bytes.get(at + needle.len()).copied()))
        .collect()
}

impl Rust {
    /// Returns whether the file is a source of a crate.
    pub(crate) fn is_source(&self) -> bool {
        self.path.starts_with("crates/") && self.path.contains("/src/")
    }

    /// Returns the path below the crate's `src`, without the extension.
    pub(crate) fn module(&self) -> &str {
        let below = self.path.split_once("/src/").map_or("", |(_, below)| below);
        below.trim_end_matches(".rs")
    }

    /// Returns the paths of modules that this file declares for tests only.
    fn test_folders(&self) -> Vec<String> {
        let own = self.path.trim_end_matches(".rs");
        let own = own
            .strip_suffix("/lib")
            .or(own.strip_suffix("/main"))
            .unwrap_or(own);
        let tests = lexer::test_modules(&self.code).into_iter();
        tests.map(|name| format!("{own}/{name}")).collect()
    }

    /// Complains about every place of `view` that holds one of `words`.
    pub(crate) fn forbid(
        &self,
        view: &str,
        words: &[&str],
        why: &str,
        complaints: &mut Complaints,
    ) {
        for word in words {
            for at in finds(view, word) {
                complaints.add(&self.path, line_of(view, at), format!("`{word}`: {why}"));
            }
        }
    }
}

/// Returns the 1-based line of a byte.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

impl Complaints {
    /// Adds one: where, and what to do about it.
    pub(crate) fn add(&mut self, path: &str, line: usize, what: impl fmt::Display) {
        self.0.push(format!("{path}:{line}: {what}"));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Fails if there are any.
    pub(crate) fn settle(self) {
        assert!(self.0.is_empty(), "\n\n{}\n", self.0.join("\n"));
    }
}
