//! Diagnostics of language servers, for files that no compiler checks: those that the staged work brings in.
//!
//! A server is asked about the staged texts of its files, and then about their texts on disk. It is started for this and
//! ends with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use signoff_checks::check::{self, CheckOutcome, CheckReport, CheckStep, Checked, Severity};
use signoff_checks::language_server::{LanguageServer, ServerFault, Wait};
use signoff_core::engine::Engine;
use signoff_core::plural::counted;
use signoff_sandbox::regular;

use super::{Bench, TIMEOUT};
use crate::language_servers::{self, AskFault, LanguageServers, ServerCommand};
use crate::verified::CheckWatch;

/// Files of one language that a server is asked about.
const MAX_FILES: usize = 50;
/// Bytes of a file on disk that is compared with.
const MAX_BYTES: u64 = 4 << 20;

/// A server, and the touched files that it is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerCheck {
    /// Which one.
    pub server: LanguageServer,
    /// Its program.
    pub command: ServerCommand,
    /// Paths relative to the workspace.
    pub paths: BTreeSet<String>,
}

/// Asks servers about what is staged. `stop` ends that; `begins` is called before each.
pub fn run_servers(
    engine: &Mutex<Engine>,
    bench: &Bench,
    checks: &[ServerCheck],
    (stop, begins): CheckWatch<'_>,
) -> CheckReport {
    let mut report = CheckReport::default();
    for (number, check) in (1..).zip(checks) {
        let name = &check.command.program;
        begins(CheckStep {
            name: name.clone(),
            number,
            of: checks.len(),
        });
        let began = Instant::now();
        let wait = Wait {
            deadline: began + Duration::from_secs(TIMEOUT),
            stop,
        };
        let outcome = match new_diagnostics(engine, bench, check, wait) {
            Ok(Looked { new, unseen }) if new.is_empty() && unseen > 0 => CheckOutcome::Failed {
                why: format!(
                    "nothing new, but {} of {} not looked at: more than {MAX_FILES}, or no text",
                    unseen,
                    counted(check.paths.len(), "file")
                ),
            },
            Ok(Looked { new, .. }) => {
                let errors = new
                    .iter()
                    .filter(|own| own.severity == Severity::Error)
                    .count();
                let warnings = new.len() - errors;
                report.new.extend(new);
                match errors + warnings {
                    0 => CheckOutcome::Ok,
                    _ => CheckOutcome::Found { errors, warnings },
                }
            }
            Err(AskFault::Server(ServerFault::Silent(_))) => CheckOutcome::TimedOut,
            Err(AskFault::Server(ServerFault::Stopped)) => CheckOutcome::Stopped,
            Err(fault) => CheckOutcome::Failed {
                why: fault.to_string(),
            },
        };
        report.checks.push(Checked {
            name: name.clone(),
            outcome,
            took_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        });
    }
    report
}

/// What a server was asked and said.
struct Looked {
    /// What staged work brings in.
    new: Vec<check::Diagnostic>,
    /// How many of the files it was not asked about.
    unseen: usize,
}

fn new_diagnostics(
    engine: &Mutex<Engine>,
    bench: &Bench,
    check: &ServerCheck,
    wait: Wait<'_>,
) -> Result<Looked, AskFault> {
    let commands = BTreeMap::from([(check.server, check.command.clone())]);
    let servers = LanguageServers::new(bench.setup.clone(), bench.policy.clone(), commands);
    let mut staged = BTreeMap::new();
    let mut on_disk = BTreeMap::new();
    for path in check.paths.iter().take(MAX_FILES) {
        if let Some(text) = language_servers::text(engine, path) {
            staged.insert(path.clone(), text);
        }
        if let Some(text) = text_on_disk(&bench.setup.root, path) {
            on_disk.insert(path.clone(), text);
        }
    }
    let unseen = check.paths.len() - staged.len();
    let Some(path) = staged.keys().next() else {
        let new = Vec::new();
        return Ok(Looked { new, unseen });
    };
    let name = &check.command.program;
    let new = servers.ask(engine, path, wait, &mut |client| {
        let now = client.diagnostics(name, &staged, wait)?;
        if now.is_empty() {
            return Ok(now);
        }
        let before = client.diagnostics(name, &on_disk, wait)?;
        Ok(check::new(now, &before))
    })?;
    Ok(Looked { new, unseen })
}

/// Returns a text of the disk; none for a file that is made by staged work, or that has another encoding.
fn text_on_disk(root: &Path, path: &str) -> Option<String> {
    regular::text(&root.join(path), MAX_BYTES).ok()
}
