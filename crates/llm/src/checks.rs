//! Checks of what is staged: compilers and linters on the shadow, before anything is approved.
//!
//! In: checks, and the engine with staged work. Out: the diagnostics that the staged work brings in. A
//! check that finds anything is run on the workspace without the staged work as well, in a shadow of its own,
//! unless it is known what it said there.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use signoff_checks::check::{
    self, Baseline, Check, CheckOutcome, CheckReport, CheckStep, Checked, Diagnostic, Kind,
    Severity,
};
use signoff_core::engine::Engine;
use signoff_sandbox::git_view::folders_around;
use signoff_sandbox::process::{self, Ended, Limits, Program, Report, SIGNALLED, Supervision};
use signoff_sandbox::shadow::{Launch, Origin, Setup, Shadow};

use crate::permission::Policy;
use crate::shadow::{self, ShadowError};
use crate::tool::lock;
use crate::verified::CheckWatch;
use reason::reason;

mod dependencies;
mod necessity;
mod reason;
mod server_diagnostics;
mod suites;

pub use necessity::{
    BreakingHunk, BreakingReport, HunkNeed, NecessityReport, NecessityWork, find_breaking,
    find_needs,
};
pub use server_diagnostics::{ServerCheck, run_servers};
pub use suites::{SuiteRun, run_tests, suite_report, tested};

/// Seconds that a check may run unless another limit is configured: one that hangs does not hold up the review for good.
const TIMEOUT: u64 = 120;
/// Bytes of output that are read: Cargo prints a line of JSON for each of its packages.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// What a shell ends with where a program cannot be run, or is not there.
const NOT_RUN: [i32; 2] = [126, 127];
/// What makes checks print plainly and ask nothing.
const PLAIN: [(&str, &str); 5] = [
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("CI", "1"),
    ("CARGO_TERM_COLOR", "never"),
    ("RUST_BACKTRACE", "0"),
];

/// How programs of the project are run.
#[derive(Clone, Debug)]
pub struct Bench {
    /// How a shadow of the workspace is made.
    pub setup: Setup,
    /// Who ends them if this process does not.
    pub supervision: Supervision,
    /// What they must not read.
    pub policy: Policy,
}

/// What a check said of one state of the workspace.
enum Said {
    Diagnostics(Vec<Diagnostic>),
    /// It did not come to its end, and found this on the way.
    Partly(Vec<Diagnostic>, CheckOutcome),
    Nothing(CheckOutcome),
}

impl Said {
    fn failed(why: String) -> Self {
        Self::Nothing(CheckOutcome::Failed { why })
    }
}

/// Runs checks on what is staged. `stop` ends them; `begins` is called before each.
pub fn run(
    engine: &Mutex<Engine>,
    bench: &Bench,
    checks: &[Check],
    (stop, begins): CheckWatch<'_>,
) -> Result<CheckReport, ShadowError> {
    let bench = &bench.hiding(engine)?;
    let staged = lock(engine).for_program()?;
    let mut said = Vec::new();
    let mut before = Before::new(bench);
    for check in checks {
        before.warm(check, stop)?;
    }
    {
        let mut shadow = bench.open_on(Origin::Checks, before.shadow()?)?;
        shadow.stage(staged)?;
        for (number, check) in (1..).zip(checks) {
            begins(CheckStep {
                name: check.name.clone(),
                number,
                of: checks.len(),
            });
            let began = Instant::now();
            let now = bench.said(&shadow, check, stop)?;
            said.push((check, now, began.elapsed()));
        }
    }
    let mut report = CheckReport::default();
    for (check, now, took) in said {
        let outcome = match now {
            Said::Nothing(outcome) => outcome,
            Said::Diagnostics(now) if now.is_empty() => CheckOutcome::Ok,
            Said::Partly(now, outcome) => {
                report.new.extend(check::new(now, &before.of(check, stop)?));
                outcome
            }
            Said::Diagnostics(now) => {
                let new = check::new(now, &before.of(check, stop)?);
                let errors = new.iter().filter(|d| d.severity == Severity::Error).count();
                let warnings = new.len() - errors;
                report.new.extend(new);
                match errors + warnings {
                    0 => CheckOutcome::Ok,
                    _ => CheckOutcome::Found { errors, warnings },
                }
            }
        };
        report.checks.push(Checked {
            name: check.name.clone(),
            outcome,
            took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        });
    }
    // One compiler may stand behind several checks.
    let mut seen = HashSet::new();
    report.new.retain(|diagnostic| {
        seen.insert((
            diagnostic.path.clone(),
            diagnostic.line,
            diagnostic.column,
            diagnostic.message.clone(),
        ))
    });
    report.new.sort_by_key(|diagnostic| diagnostic.severity);
    Ok(report)
}

/// Runs the command line that tells whether a step of a plan is done, on what is staged. `stop` ends it.
pub fn run_line(
    engine: &Mutex<Engine>,
    bench: &Bench,
    line: &str,
    stop: &AtomicBool,
) -> Result<CheckReport, ShadowError> {
    let bench = &bench.hiding(engine)?;
    let staged = lock(engine).for_program()?;
    let mut before = Before::new(bench);
    let mut shadow = bench.open_on(Origin::Checks, before.shadow()?)?;
    shadow.stage(staged)?;
    let began = Instant::now();
    let words = ["-c".to_owned(), line.to_owned()];
    let timeout = Duration::from_secs(TIMEOUT);
    let ran = bench.run(&shadow, ("sh", &words), "", timeout, stop)?;
    let tested = |passed, failed| CheckOutcome::Tested {
        passed,
        failed,
        known: 0,
        files: Vec::new(),
    };
    let why = || reason(&ran.err.text(), &ran.out.text());
    let mut new = Vec::new();
    let outcome = match ran.ended {
        Ended::TimedOut => CheckOutcome::TimedOut,
        Ended::Stopped => CheckOutcome::Stopped,
        Ended::Signal(signal) => CheckOutcome::Failed {
            why: by_signal(signal),
        },
        Ended::Exit(0) => tested(1, 0),
        Ended::Exit(code) if NOT_RUN.contains(&code) => CheckOutcome::Failed { why: why() },
        Ended::Exit(code) => {
            new.push(Diagnostic {
                check: line.to_owned(),
                path: String::new(),
                line: 0,
                column: 0,
                severity: Severity::Error,
                code: String::new(),
                message: format!("exit code {code}: {}", why()),
            });
            tested(0, 1)
        }
    };
    let checked = Checked {
        name: line.to_owned(),
        outcome,
        took_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    };
    Ok(CheckReport {
        checks: vec![checked],
        new,
    })
}

/// The workspace without what is staged, for checks.
struct Before<'a> {
    bench: &'a Bench,
    file: PathBuf,
    baseline: Baseline,
    shadow: Option<Shadow>,
    /// Whether nothing was built in its layers before.
    is_cold: bool,
}

impl<'a> Before<'a> {
    fn new(bench: &'a Bench) -> Self {
        let file = bench.setup.layers.join("diagnostics.json");
        Self {
            bench,
            baseline: Baseline::load(&file, &bench.setup.root, &bench.setup.reserved),
            file,
            shadow: None,
            is_cold: false,
        }
    }

    /// Returns the shadow without what is staged.
    fn shadow(&mut self) -> Result<&Shadow, ShadowError> {
        let shadow = match self.shadow.take() {
            Some(shadow) => shadow,
            None => {
                let mut shadow = self.bench.open(Origin::Baseline)?;
                shadow.stage(Vec::new())?;
                shadow
            }
        };
        Ok(self.shadow.insert(shadow))
    }

    /// Runs a check without what is staged, if nothing was built so far: what runs on staged files finds that, and leaves
    /// nothing of its own.
    fn warm(&mut self, check: &Check, stop: &AtomicBool) -> Result<(), ShadowError> {
        let is_cold = self.is_cold || self.shadow()?.is_cold();
        if is_cold {
            // The layers of the next check are not cold any more.
            self.is_cold = true;
            let bench = self.bench;
            if let Said::Diagnostics(found) = bench.said(self.shadow()?, check, stop)? {
                self.baseline.note(check, found);
                self.baseline.save(&self.file)?;
            }
        }
        Ok(())
    }

    /// Returns what a check says without what is staged; nothing if it fails there.
    fn of(&mut self, check: &Check, stop: &AtomicBool) -> Result<Vec<Diagnostic>, ShadowError> {
        if let Some(known) = self.baseline.of(check) {
            return Ok(known.to_vec());
        }
        let bench = self.bench;
        let said = bench.said(self.shadow()?, check, stop)?;
        let (Said::Diagnostics(before) | Said::Partly(before, _)) = said else {
            return Ok(Vec::new());
        };
        self.baseline.note(check, before.clone());
        self.baseline.save(&self.file)?;
        Ok(before)
    }
}

impl Bench {
    /// Returns the same, where programs find nothing in the files that rules deny to read.
    fn hiding(&self, engine: &Mutex<Engine>) -> Result<Self, ShadowError> {
        Ok(Self {
            setup: shadow::hiding(&self.setup, &self.policy, engine)?,
            ..self.clone()
        })
    }

    /// Opens a shadow for programs on what is staged: they find what was built without it, and nothing of theirs stays.
    fn open_on(&self, origin: Origin, base: &Shadow) -> Result<Shadow, ShadowError> {
        Ok(Shadow::open_on(self.setup.clone(), origin, base)?)
    }

    fn open(&self, origin: Origin) -> Result<Shadow, ShadowError> {
        Ok(Shadow::open(self.setup.clone(), origin)?)
    }

    /// Runs a check in a shadow.
    fn said(&self, shadow: &Shadow, check: &Check, stop: &AtomicBool) -> Result<Said, ShadowError> {
        let timeout = check.timeout.unwrap_or(Duration::from_secs(TIMEOUT));
        let words = (check.program.as_str(), check.arguments.as_slice());
        let report = self.run(shadow, words, &check.folder, timeout, stop)?;
        let (out, err) = (report.out.text(), report.err.text());
        let root = shadow.root();
        let found = check
            .parser
            .read(&check.name, root, &check.folder, &out, &err);
        let is_whole = check.parser.is_whole(&out);
        // A compiler that fails without an error in a file did not come so far, as where a build script failed.
        let explains =
            |found: &Diagnostic| check.kind == Kind::Style || found.severity == Severity::Error;
        Ok(match report.ended {
            Ended::TimedOut => Said::Nothing(CheckOutcome::TimedOut),
            Ended::Stopped => Said::Nothing(CheckOutcome::Stopped),
            Ended::Signal(signal) => Said::failed(by_signal(signal)),
            // What runs it says so as a shell does.
            Ended::Exit(code) if code > SIGNALLED => Said::failed(by_signal(code - SIGNALLED)),
            Ended::Exit(_) if report.out.is_cut() || report.err.is_cut() => {
                Said::failed(too_much())
            }
            Ended::Exit(0) if is_whole => Said::Diagnostics(found),
            Ended::Exit(0) => {
                Said::failed("it ended well and did not say what it had done".to_owned())
            }
            Ended::Exit(_) if is_whole && found.iter().any(explains) => Said::Diagnostics(found),
            Ended::Exit(code) => {
                let lacking = self.lacking((&check.program, code), &check.folder, (&err, &out));
                let why = lacking.unwrap_or_else(|| reason(&err, &out));
                Said::Partly(found, CheckOutcome::Failed { why })
            }
        })
    }

    /// Says for which dependencies a program could not do its work, if it was that.
    fn lacking(&self, ended: (&str, i32), folder: &str, said: (&str, &str)) -> Option<String> {
        let root = &self.setup.root;
        let inner = Path::new(folder).ancestors().map(|own| root.join(own));
        let folders: Vec<PathBuf> = inner
            .chain(folders_around(root).map(Path::to_owned))
            .collect();
        dependencies::lacking(ended, &folders, said)
    }

    /// Runs a program in a shadow, in a folder of the workspace.
    pub(crate) fn run(
        &self,
        shadow: &Shadow,
        (name, arguments): (&str, &[String]),
        folder: &str,
        timeout: Duration,
        stop: &AtomicBool,
    ) -> Result<Report, ShadowError> {
        let arguments: Vec<_> = arguments.iter().map(Into::into).collect();
        let folder = self.setup.root.join(folder);
        let (name, arguments) = shadow.wrap(&Launch {
            name: name.as_ref(),
            arguments: &arguments,
            folder: Some(&folder),
            variables: &PLAIN,
        })?;
        let program = Program {
            name,
            arguments,
            folder: self.setup.root.clone(),
            inherits: false,
            hidden: Vec::new(),
            variables: Vec::new(),
            supervision: self.supervision,
        };
        let limits = Limits {
            timeout,
            most_bytes: MAX_BYTES,
        };
        let report = process::run(&program, limits, stop, &mut |_, _| {})?;
        match shadow.failure() {
            Some(why) => Err(std::io::Error::other(why).into()),
            None => Ok(report),
        }
    }
}

/// Says that a program was ended, and by what.
fn by_signal(signal: i32) -> String {
    format!("it was ended by signal {signal}")
}

/// Says that a program printed more than is read.
fn too_much() -> String {
    format!("it printed more than {} MiB", MAX_BYTES >> 20)
}
