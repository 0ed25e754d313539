//! Tests that cannot try their subject on this system: said at once, and counted at the end of all tests.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Records that the running test did not try something, and why.
pub(crate) fn untried(what: &str, why: &str) {
    let thread = std::thread::current();
    let line = format!("{}: {what}: {why}\n", thread.name().unwrap_or("a test"));
    // Not by a macro: what those print is not shown for a test that passes.
    io::stderr()
        .write_all(format!("untried: {line}").as_bytes())
        .unwrap();
    let folder = std::env::var_os("SIGNOFF_UNTRIED");
    let folder = folder.unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").into());
    let folder = Path::new(&folder).join("untried");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(std::process::id().to_string());
    let mut file = File::options()
        .create(true)
        .append(true)
        .open(file)
        .unwrap();
    file.write_all(line.as_bytes()).unwrap();
}
