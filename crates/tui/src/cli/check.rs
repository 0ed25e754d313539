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
use signoff_sandbox::regular;

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
    let mut tell = |file: &CheckedFile| {
        told += 1;
        clean &= !file.errors.iter().any(|error| error.certain);
        if let Some(why) = &file.unchecked {
            out::remark(&format!("{}: {why}", file.path));
        }
        print(file, args.json)
    };
    if args.files.is_empty() {
        let checked = staged(&mut opened::engine(paths)?, &paths.root)?;
        if checked.is_none() {
            out::remark("nothing is staged; `signoff check FILE` checks a file");
        }
        for file in checked.into_iter().flatten() {
            tell(&file)?;
        }
    }
    for file in &args.files {
        tell(&checked(&paths.root, file)?)?;
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
            checked.push(CheckedFile::of(file, &path, text));
        }
    }
    Ok(Some(checked))
}

fn checked(root: &Path, file: &str) -> anyhow::Result<CheckedFile> {
    let shown = || format!("cannot check {file}");
    // The file may be anywhere; outside of the workspace its name tells the language.
    let name = Path::new(file)
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let path = WorkspacePath::parse(file, root)
        .or_else(|_outside| WorkspacePath::parse(&name.unwrap_or_default(), root))
        .with_context(shown)?;
    if Language::of(&path).is_none() {
        return Ok(CheckedFile::of(file.to_owned(), &path, ""));
    }
    let text = regular::text(&root.join(file), MAX_FILE_BYTES).with_context(shown)?;
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

fn print(file: &CheckedFile, as_json: bool) -> anyhow::Result<()> {
    let CheckedFile { path, errors, .. } = file;
    if as_json {
        let mut value = value(path, errors);
        if let Some(why) = &file.unchecked {
            value["unchecked"] = json!(why);
        }
        return out::json(&value);
    }
    for error in errors {
        let doubt = if error.certain {
            ""
        } else {
            " (perhaps: this grammar errs at times)"
        };
        out::line(&format!(
            "{path}:{}:{}: {}{doubt}",
            error.line, error.column, error.message
        ))?;
    }
    Ok(())
}
