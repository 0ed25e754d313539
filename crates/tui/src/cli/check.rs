//! `signoff check`: syntax errors.
//!
//! In: files, or texts as JSON lines. Out: their errors. A text that comes with the one before
//! it is asked for new errors only.

use std::io;
use std::path::Path;

use anyhow::Context;
use serde_json::json;
use signoff_core::engine::check_line;
use signoff_core::syntax::health::{self, SyntaxError};
use signoff_core::syntax::{Language, MAX_PARSE_BYTES};
use signoff_core::workspace::WorkspacePath;

use super::jsonl::answer_all;
use super::{Ending, out};
use crate::args::CheckArgs;
use crate::place::Place;

pub(super) fn run(place: &Place, args: &CheckArgs) -> anyhow::Result<Ending> {
    if args.jsonl {
        answer_all(io::stdin().lock(), io::stdout(), check_line)?;
        return Ok(Ending::Done);
    }
    let mut clean = true;
    for file in &args.files {
        let errors = errors(&place.root, file)?;
        clean &= !errors.iter().any(|error| error.certain);
        print(file, &errors, args.json)?;
    }
    Ok(if clean { Ending::Done } else { Ending::Unmet })
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
        out::remark(&format!("{file}: there is no grammar for this file"));
        return Ok(Vec::new());
    }
    let bytes = std::fs::read(root.join(file)).with_context(shown)?;
    if bytes.len() > MAX_PARSE_BYTES {
        out::remark(&format!(
            "{file}: larger than {MAX_PARSE_BYTES} bytes, not checked"
        ));
        return Ok(Vec::new());
    }
    Ok(health::errors(
        &path,
        &String::from_utf8(bytes).with_context(shown)?,
    ))
}

fn print(file: &str, errors: &[SyntaxError], as_json: bool) -> anyhow::Result<()> {
    if as_json {
        let (sure, unsure): (Vec<_>, Vec<_>) = errors.iter().partition(|error| error.certain);
        return out::json(&json!({
            "path": file, "ok": sure.is_empty(), "errors": sure, "warnings": unsure,
        }));
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
