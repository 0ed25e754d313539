//! Syntax errors of files of the project: of what is staged, and of a file that is named.
//!
//! In: the engine, or a path. Out: the errors of each file, or why nobody looked.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Value, json};
use signoff_core::disk::workspace::{MAX_FILE_BYTES, WorkspacePath};
use signoff_core::engine::Engine;
use signoff_core::syntax::health::{self, SyntaxError};
use signoff_core::syntax::{Language, MAX_PARSE_BYTES, SyntaxCache};
use signoff_sandbox::regular;

/// What is known of the syntax of a file.
pub struct CheckedFile {
    /// Its path, as it was named.
    pub path: String,
    /// What is wrong.
    pub errors: Vec<SyntaxError>,
    /// Why nobody looked, if so.
    pub unchecked: Option<String>,
}

impl CheckedFile {
    /// Looks at a text, as far as it can be read.
    fn of(path: String, name: &WorkspacePath, text: &str) -> Self {
        let unchecked = unchecked(name, text);
        let errors = match unchecked {
            Some(_) => Vec::new(),
            None => health::errors(&SyntaxCache::default(), name, text),
        };
        Self {
            path,
            errors,
            unchecked,
        }
    }

    /// Returns it as a line of `signoff check --json`.
    pub fn record(&self) -> Value {
        let mut record = value(&self.path, &self.errors);
        if let Some(why) = &self.unchecked {
            record["unchecked"] = json!(why);
        }
        record
    }

    /// Returns it as other agents read it: of a file at which nobody looked no more than why.
    pub fn value(&self) -> Value {
        match &self.unchecked {
            Some(why) => json!({"path": self.path, "unchecked": why}),
            None => value(&self.path, &self.errors),
        }
    }
}

/// Returns the errors of each file with staged work, as it would be with all of it; none if nothing is staged.
pub fn staged(engine: &mut Engine, root: &Path) -> anyhow::Result<Option<Vec<CheckedFile>>> {
    let waiting = engine.review()?.into_iter();
    let files: BTreeSet<String> = waiting.map(|view| view.to.unwrap_or(view.path)).collect();
    if files.is_empty() {
        return Ok(None);
    }
    let mut checked = Vec::new();
    for file in files {
        // A file that would be gone has no errors.
        if let Some(source) = engine.read(&file)? {
            let path = WorkspacePath::parse(&file, root)?;
            let text = source
                .text()
                .with_context(|| format!("cannot check {file}"))?;
            checked.push(CheckedFile::of(file, &path, text));
        }
    }
    Ok(Some(checked))
}

/// Returns the errors of a file, which may be outside of the workspace.
pub fn checked(root: &Path, file: &str) -> anyhow::Result<CheckedFile> {
    // The file may be anywhere; outside of the workspace its name tells the language.
    let name = Path::new(file)
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let path = WorkspacePath::parse(file, root)
        .or_else(|_outside| WorkspacePath::parse(&name.unwrap_or_default(), root))
        .with_context(|| format!("cannot check {file}"))?;
    if Language::of(&path).is_none() {
        regular::head(&root.join(file), 1).with_context(|| format!("cannot check {file}"))?;
        return Ok(CheckedFile::of(file.to_owned(), &path, ""));
    }
    let text = regular::text(&root.join(file), MAX_FILE_BYTES)
        .with_context(|| format!("cannot check {file}"))?;
    Ok(CheckedFile::of(file.to_owned(), &path, &text))
}

/// Returns why a text is not looked at, if so.
fn unchecked(path: &WorkspacePath, text: &str) -> Option<String> {
    if Language::of(path).is_none() {
        return Some("there is no grammar for this file".to_owned());
    }
    (text.len() > MAX_PARSE_BYTES)
        .then(|| format!("larger than {MAX_PARSE_BYTES} bytes, not checked"))
}

/// Returns the errors of a file as other programs read them.
fn value(file: &str, errors: &[SyntaxError]) -> Value {
    let (sure, unsure): (Vec<_>, Vec<_>) = errors.iter().partition(|error| error.certain);
    json!({"path": file, "ok": sure.is_empty(), "errors": sure, "warnings": unsure})
}
