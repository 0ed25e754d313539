//! `signoff doctor`: what is configured, reachable, installed and working.
//!
//! In: the configuration, the store, `PATH`, the network. Out: a line each. Keys are never shown.

mod installed;
mod reached;

use serde_json::{Map, Value, json};
use signoff_core::plural::counted;
use signoff_core::record::store::{Repaired, Store};
use signoff_sandbox::{git_view, shadow};
use signoff_setup::config::Programs;
use signoff_setup::definitions::hooks::{self, WORKSPACE_FILE};
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::shadow_setup;
use signoff_tui::error_text::in_words;

use super::history::dropped;
use super::{Ending, out};
use crate::args::DoctorArgs;
use crate::configuration;

/// What stands before a finding's text: a mark, and a name of up to ten characters.
const TEXT_COLUMN: &str = "               ";

/// One thing that was looked at.
struct Finding {
    name: &'static str,
    ok: bool,
    text: String,
}

pub(super) fn run(paths: &Paths, args: DoctorArgs) -> anyhow::Result<Ending> {
    // First: what is said of the store is said of the repaired one.
    let repaired = args.repair.then(|| repair(paths));
    let mut findings = vec![
        finding("workspace", Ok(paths.root.display().to_string())),
        store(paths),
        git(paths),
    ];
    findings.extend(shadow(paths));
    findings.extend(hooks(paths));
    findings.extend(installed::programs());
    findings.extend(repaired);
    match configuration::load(paths, &args.model) {
        Ok(config) => {
            let found = if paths.config.exists() {
                "found"
            } else {
                "not there; defaults hold"
            };
            findings.push(finding(
                "config",
                Ok(format!("{} ({found})", paths.config.display())),
            ));
            for warning in &config.warnings {
                findings.push(finding("config", Err(warning.clone())));
            }
            findings.push(installed::language_servers(&config.programs));
            for (rule, by) in config.policy.runs_others() {
                let text = format!("`allow {}` allows any program, by {by}", rule.pattern);
                findings.push(finding("permission", Err(text)));
            }
            findings.push(installed::key(&config));
            let servers = config.mcp.by_name.iter();
            findings.extend(servers.map(|(name, server)| installed::server(name, server)));
            findings.extend(reached::servers(config, paths)?);
        }
        Err(error) => findings.push(finding("config", Err(in_words(&error)))),
    }
    if args.json {
        let entry = |f: &Finding| {
            let mut entry = Map::new();
            entry.insert("name".into(), json!(f.name));
            entry.insert("ok".into(), json!(f.ok));
            entry.insert("text".into(), json!(f.text));
            Value::Object(entry)
        };
        out::json(&json!({"findings": findings.iter().map(entry).collect::<Vec<_>>()}))?;
    } else {
        for finding in &findings {
            let mark = if finding.ok { "ok  " } else { "!!  " };
            let line = format!("{mark}{:<10} {}", finding.name, finding.text);
            out::lines(&line, TEXT_COLUMN)?;
        }
    }
    Ok(Ending::Done)
}

/// Tells which hooks there are, and whether they run.
fn hooks(paths: &Paths) -> Vec<Finding> {
    let (hooks, remarks) = hooks::find(paths);
    let known = hooks.map_or_else(Vec::new, |hooks| hooks.in_words(WORKSPACE_FILE));
    let told = (known.into_iter().map(Ok)).chain(remarks.into_iter().map(Err));
    told.map(|told| finding("hooks", told)).collect()
}

fn repair(paths: &Paths) -> Finding {
    let text = match Store::repair(&paths.store) {
        Ok(Repaired::Sound) => Ok("nothing was wrong with the store".to_owned()),
        Ok(Repaired::Rebuilt { kept, old, lost }) => Ok(format!(
            "the store was made anew with {kept} rows; the old one is {}; lost: {}",
            old.display(),
            if lost.is_empty() {
                "nothing".to_owned()
            } else {
                lost.join("; ")
            }
        )),
        Err(error) => Err(in_words(&error.into())),
    };
    finding("repair", text)
}

fn store(paths: &Paths) -> Finding {
    let looked = paths.engine_as_it_is().and_then(|mut engine| {
        let proposals = engine.review()?;
        let waiting: usize = proposals
            .iter()
            .map(|proposal| proposal.pending().count())
            .sum();
        let entries = engine.history(None)?.len();
        let size = std::fs::metadata(&paths.store)?.len().div_ceil(1024);
        let waits = if waiting == 1 { "waits" } else { "wait" };
        let kept = if entries == 1 { "entry" } else { "entries" };
        let mut parts = vec![format!(
            "{} {waits}, {entries} {kept} of history, {size} KiB",
            counted(waiting, "hunk")
        )];
        parts.extend(dropped(engine.dropped(None)?));
        parts.extend(opened::undone(engine.recovered()));
        Ok(parts.join("; "))
    });
    let text = looked.map(|text| format!("{} ({text})", paths.store.display()));
    finding("store", text.map_err(|error| in_words(&error)))
}

/// Tells whether programs can be confined, by what, and what can be done where they cannot be.
fn shadow(paths: &Paths) -> Vec<Finding> {
    if let Some(told) = shadow_setup::seen_inside(&paths.root) {
        return vec![finding("shadow", Err(told))];
    }
    let Ok(programs) = Programs::load(&paths.config, &paths.root) else {
        let text =
            "not tried: the configuration is not understood, and no program runs before it is";
        return vec![finding("shadow", Err(text.to_owned()))];
    };
    let tried = || -> anyhow::Result<()> {
        let setup = shadow_setup::of_workspace(paths, &programs)?;
        Ok(shadow::probe(&setup)?)
    };
    let Err(error) = tried() else {
        let by_root = if rustix::process::getuid().is_root() {
            "; they are root's, so that nothing but their own file tree keeps them from the system's files"
        } else {
            ""
        };
        let text = format!("programs run in an overlay, confined{by_root}");
        let open = shadow::open_with_network().map(|open| finding("shadow", Err(open)));
        return std::iter::once(finding("shadow", Ok(text)))
            .chain(open)
            .collect();
    };
    let error = in_words(&error);
    let text = format!(
        "programs cannot be confined here: the model's commands run on the disk and ask first, `signoff run`, checks, \
         tests, hooks and confined servers do not run: {error}"
    );
    let advice = shadow::advice(&paths.root, &error).into_iter();
    let advice = advice.map(|advice| finding("shadow", Err(advice)));
    std::iter::once(finding("shadow", Err(text)))
        .chain(advice)
        .collect()
}

fn git(paths: &Paths) -> Finding {
    if let Some(why) = git_view::ownership_refusal(&paths.root) {
        return finding("git", Ok(format!("the repository is not used: {why}")));
    }
    let text = match (paths.root.join(".git").exists(), installed::found("git")) {
        (true, Some(_)) => "a repository; signoff writes to it only what you commit or sign off",
        (true, None) => "a repository, but git is not installed: the model cannot look at it",
        (false, _) => "none; signoff does not need it",
    };
    finding("git", Ok(text.to_owned()))
}

fn finding(name: &'static str, looked: Result<String, String>) -> Finding {
    match looked {
        Ok(text) => Finding {
            name,
            ok: true,
            text,
        },
        Err(text) => Finding {
            name,
            ok: false,
            text,
        },
    }
}
