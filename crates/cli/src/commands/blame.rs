//! `signoff blame`: who last changed a line.
//!
//! In: a file, or one line of it. Out: author, version and purpose for each line.

use anyhow::bail;
use serde_json::{Value, json};
use signoff_core::stage::review::{BlameView, Proposer, Sight, checks_in_words};
use signoff_setup::clock::moment;
use signoff_setup::opened;
use signoff_setup::paths::Paths;

use super::{Ending, out};
use crate::args::BlameArgs;

pub(super) fn run(paths: &Paths, args: &BlameArgs) -> anyhow::Result<Ending> {
    let (path, line) = split(&args.paths);
    let mut engine = opened::as_it_is(paths)?;
    if engine.read(path)?.is_none() {
        bail!("{path} does not exist");
    }
    let mut lines = engine.blame(path)?;
    if let Some(line) = line {
        lines.retain(|view| view.line == line);
        if lines.is_empty() {
            bail!("{path} has no line {line}");
        }
    }
    if args.json {
        out::json(&json!({"lines": lines.iter().map(value).collect::<Vec<_>>()}))?;
    } else {
        lines.iter().try_for_each(print)?;
        if let (Some(_), [only]) = (line, lines.as_slice()) {
            print_sign_off(only)?;
        }
    }
    Ok(Ending::Done)
}

/// Splits `FILE:12`; a name that merely contains a colon is a file.
fn split(paths: &str) -> (&str, Option<u32>) {
    let parts = paths.rsplit_once(':');
    match parts.and_then(|(path, line)| Some((path, line.parse().ok()?))) {
        Some((path, line)) => (path, Some(line)),
        None => (paths, None),
    }
}

fn value(view: &BlameView) -> Value {
    json!({
        "line": view.line,
        "author": view.author,
        "version": view.version,
        "time": view.time.map(moment),
        "description": view.description,
        "proposal": view.proposal,
        "strategy": view.strategy,
        "session": view.session,
        "model": view.proposer.as_ref().and_then(Proposer::model),
        "proposer": view.proposer,
        "request": view.request,
        "sight": view.sight,
        "checks": view.checks,
        "text": view.text,
    })
}

fn print(view: &BlameView) -> anyhow::Result<()> {
    let version = view
        .version
        .map(|version| format!("v{version}"))
        .unwrap_or_default();
    let why = view.description.as_deref().unwrap_or_default();
    let named = view.proposer.as_ref().filter(|own| own.is_named());
    let why = named.map_or(why.to_owned(), |own| format!("{own}: {why}"));
    let why: String = why.chars().take(28).collect();
    let sight = view.sight.as_ref().map_or("", Sight::word);
    out::line(&format!(
        "{:<6} {version:<5} {sight:<6} {why:<28} {:>5} {}",
        view.author, view.line, view.text
    ))
}

/// Says of one line what it came from and how it was signed off.
fn print_sign_off(view: &BlameView) -> anyhow::Result<()> {
    if let Some(request) = &view.request {
        out::line(&format!("  request  {request}"))?;
    }
    let Some(sight) = &view.sight else {
        return Ok(());
    };
    let checks = checks_in_words(&view.checks);
    out::line(&format!("  signed   by you, {sight}; {checks}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_off() {
        assert_eq!(split("a/b.rs:12"), ("a/b.rs", Some(12)));
        assert_eq!(split("a:b"), ("a:b", None));
        assert_eq!(split("a"), ("a", None));
    }
}
