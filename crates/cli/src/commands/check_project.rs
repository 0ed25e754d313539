//! `signoff check --project`: compilers and linters of the project on what is staged.
//!
//! In: what is staged. Out: a line for each new diagnostic and one for each check. New errors need the
//! user.

use std::io::{self, IsTerminal as _};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use serde_json::json;
use signoff_checks::check::{CheckReport, CheckStep};
use signoff_core::engine::Engine;
use signoff_llm::tool::lock;
use signoff_llm::verified::Wanted;
use signoff_review::diagnosed::hunk_of;
use signoff_setup::config::Programs;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::project::checks::{self, touched};
use signoff_setup::project::consent::Starter;

use super::{Ending, out};

pub(super) fn run(paths: &Paths, as_json: bool) -> anyhow::Result<Ending> {
    let engine = Mutex::new(opened::engine(paths)?);
    let programs = Programs::load(&paths.config, &paths.root)?;
    if touched(&engine)?.paths.is_empty() {
        out::remark("nothing is staged");
        print(&engine, &CheckReport::default(), as_json)?;
        return Ok(Ending::Done);
    }
    let never = AtomicBool::new(false);
    let wanted = (Wanted::Found, Starter::User);
    let report = checks::report(paths, &programs, &engine, wanted, (&never, &say_step))?;
    if report.checks.is_empty() {
        out::remark("no check of this project is known or installed for the staged files");
    }
    print(&engine, &report, as_json)?;
    // A check that did not do its work says nothing for what is staged.
    let is_sure = report.errors() == 0 && report.unfinished().next().is_none();
    Ok(if is_sure {
        Ending::Done
    } else {
        Ending::NeedsUser
    })
}

fn say_step(step: CheckStep) {
    // A pipe has no use for how far it is.
    if io::stderr().is_terminal() {
        out::remark(&format!("{}, {} of {}", step.name, step.number, step.of));
    }
}

fn print(engine: &Mutex<Engine>, report: &CheckReport, as_json: bool) -> anyhow::Result<()> {
    if !as_json {
        let mut lines = report.new.iter().map(ToString::to_string);
        lines.try_for_each(|line| out::line(&line))?;
        for check in &report.checks {
            out::remark(&check.to_string());
        }
        return Ok(());
    }
    let proposals = {
        let mut engine = lock(engine);
        engine.waiting()?
    };
    for new in &report.new {
        let hunk = hunk_of(new, proposals.iter());
        let mut value = serde_json::to_value(new)?;
        if let Some(object) = value.as_object_mut() {
            object.insert("hunk".into(), json!(hunk.map(|hunk| hunk.to_string())));
        }
        out::json(&value)?;
    }
    let errors = report.errors();
    out::json(&json!({
        "checks": report.checks,
        "errors": errors,
        "warnings": report.new.len() - errors,
    }))
}
