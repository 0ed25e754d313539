//! `signoff check`: syntax errors.
//!
//! In: files, what is staged, or texts as JSON lines. Out: their errors. A text that comes with the
//! one before it is asked for new errors only.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};
use signoff_core::disk::workspace::{MAX_FILE_BYTES, WorkspacePath};
use signoff_core::engine::{Engine, check_line};
use signoff_core::syntax::health::{self, SyntaxError};
use signoff_core::syntax::{Language, MAX_PARSE_BYTES, SyntaxCache};
use signoff_verify::regular;

use super::jsonl::answer_all;
use super::{Ending, check_project, opened, out};
use crate::args::CheckArgs;
use crate::paths::Paths;

pub(super) fn run(paths: &Paths, args: &CheckArgs) -> anyhow::Result<Ending> {
    if args.project {
        return check_project::run(paths, args.json);
    }
    if args.jsonl {
        let cache = SyntaxCache::default();
        answer_all(io::stdin().lock(), io::stdout(), |line| {
            check_line(&cache, line)
        })?;
        return Ok(Ending::Done);
    }
    let (mut clean, mut told) = (true, 0);
    let mut tell = |file: &str, errors: &[SyntaxError]| {
        told += 1;
        clean &= !errors.iter().any(|error| error.certain);
        print(file, errors, args.json)
    };
    if args.files.is_empty() {
        let checked = staged(&mut opened::engine(paths)?, &paths.root)?;
        if checked.is_none() {
            out::remark("nothing is staged; `signoff check FILE` checks a file");
        }
        for file in checked.into_iter().flatten() {
            if let Some(why) = &file.unchecked {
                out::remark(&format!("{}: {why}", file.path));
            }
            tell(&file.path, &file.errors)?;
        }
    }
    for file in &args.files {
        tell(file, &errors(&paths.root, file)?)?;
    }
    if told == 0 {
        out::nothing(args.json)?;
    }
    Ok(if clean { Ending::Done } else { Ending::Unmet })
}

/// What is known of the syntax of a file.
pub(super) struct CheckedFile {
    path: String,
    errors: Vec<SyntaxError>,
    /// Why nobody looked, if so.
    unchecked: Option<String>,
}

impl CheckedFile {
    /// Returns it as other programs read it.
    #[cfg(feature = "mcp")]
    pub(super) fn value(&self) -> Value {
        match &self.unchecked {
            Some(why) => json!({"path": self.path, "unchecked": why}),
            None => value(&self.path, &self.errors),
        }
    }
}

/// Returns the errors of each file with staged work, as it would be with all of it; none if nothing is staged.
pub(super) fn staged(engine: &mut Engine, root: &Path) -> anyhow::Result<Option<Vec<CheckedFile>>> {
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
            let unchecked = unchecked(&path, text);
            let errors = match unchecked {
                Some(_) => Vec::new(),
                None => health::errors(&SyntaxCache::default(), &path, text),
            };
            checked.push(CheckedFile {
                path: file,
                errors,
                unchecked,
            });
        }
    }
    Ok(Some(checked))
}

fn errors(root: &Path, file: &str) -> anyhow::Result<Vec<SyntaxError>> {
    let shown = || format!("cannot check {file}");
    // The file may be anywhere; outside of the workspace its name tells the language.
    let name = Path::new(file)
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let path = WorkspacePath::parse(file, root)
        .or_else(|_outside| WorkspacePath::parse(&name.unwrap_or_default(), root))
        .with_context(shown)?;
    if Language::of(&path).is_none() {
        return Ok(errors_in(&path, file, ""));
    }
    let text = regular::text(&root.join(file), MAX_FILE_BYTES).with_context(shown)?;
    Ok(errors_in(&path, file, &text))
}

/// Returns the errors of a text, as far as it can be read.
fn errors_in(path: &WorkspacePath, file: &str, text: &str) -> Vec<SyntaxError> {
    if let Some(why) = unchecked(path, text) {
        out::remark(&format!("{file}: {why}"));
        return Vec::new();
    }
    health::errors(&SyntaxCache::default(), path, text)
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

fn print(file: &str, errors: &[SyntaxError], as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return out::json(&value(file, errors));
    }
    for error in errors {
        let doubt = if error.certain {
            ""
        } else {
            " (perhaps: this grammar errs at times)"
        };
        out::line(&format!(
            "{file}:{}:{}: {}{doubt}",
            error.line, error.column, error.message
        ))?;
    }
    Ok(())
}
