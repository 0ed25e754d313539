//! Says which tests could not try their subject on this system: no namespaces, no compiler. Comes after the other
//! tests, by its name. With `SIGNOFF_TRY_ALL=1` it fails where there are any.

#![expect(
    clippy::print_stdout,
    reason = "the report of a test without a harness"
)]

use std::fs;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let folder = std::env::var_os("SIGNOFF_UNTRIED");
    let folder = folder.unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").into());
    let folder = Path::new(&folder).join("untried");
    let files = fs::read_dir(&folder).into_iter().flatten().flatten();
    let texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
    let mut lines: Vec<String> = texts
        .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    lines.sort();
    lines.dedup();
    // The next run of all tests counts its own.
    let _absent = fs::remove_dir_all(&folder);
    println!("\n{} not tried on this system", lines.len());
    for line in &lines {
        println!("    {line}");
    }
    let must_all = std::env::var_os("SIGNOFF_TRY_ALL").is_some();
    if must_all && !lines.is_empty() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
