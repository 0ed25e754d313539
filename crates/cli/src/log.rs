//! Log file.
//!
//! In: `SIGNOFF_LOG`, a filter such as `debug`. Out: lines in the state folder; warnings where
//! it is not set. Never file contents, prompts or keys.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::sync::Mutex;

use signoff_setup::paths::Paths;
use tracing_subscriber::EnvFilter;

/// Nobody but the user reads it.
const OWN: u32 = 0o600;

/// What is not logged at any level: `rmcp` writes messages whole, the codes of sign-ins, and errors with what servers say in
/// them, which may be a token that was sent there. What of it matters is said to the user. The longer ones hold where somebody
/// asks for these modules.
const SILENT: [&str; 3] = ["rmcp=off", "rmcp::transport=off", "rmcp::service=off"];

/// Starts logging; without a file that can be written there is no log.
pub fn start(paths: &Paths) {
    let Some(file) = open(paths) else { return };
    let filter =
        EnvFilter::try_from_env("SIGNOFF_LOG").unwrap_or_else(|_unset| EnvFilter::new("warn"));
    let filter = SILENT
        .iter()
        .fold(filter, |filter, quiet| match quiet.parse() {
            Ok(directive) => filter.add_directive(directive),
            Err(_) => filter,
        });
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // On a full disk it would write over the interface, a line for each key.
        .log_internal_errors(false)
        .with_ansi(false);
    // A second start in one process, as in tests, keeps the first.
    let _started = log.with_writer(Mutex::new(file)).try_init();
}

fn open(paths: &Paths) -> Option<File> {
    let folder = paths.log.parent()?;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .ok()?;
    let mut options = OpenOptions::new();
    options.create(true).append(true).mode(OWN);
    let file = options.open(&paths.log).ok()?;
    // One that was there before may be open to others; a log that stays so is none the worse.
    let mode = file.metadata().ok()?.permissions().mode();
    if mode & !OWN & 0o777 != 0 {
        let _closed = file.set_permissions(Permissions::from_mode(OWN));
    }
    Some(file)
}
