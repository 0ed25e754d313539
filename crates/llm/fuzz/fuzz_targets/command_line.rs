//! Bash runs nothing but the commands that a rule allows.
//!
//! In: a command line. Out: nothing, unless rules allow it and bash, with no other programs than
//! a few that write down their names, runs one that no rule names, or makes or changes a file.
//! What a defect here runs, runs: use a machine for it that nobody needs.

#![no_main]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use signoff_llm::permission::{Consent, Permission, Policy, Rule};
use signoff_llm::tool::{Reach, Subjects};
use tempfile::TempDir;

/// Programs that rules allow, and such that they do not.
const ALLOWED: [&str; 2] = ["a", "b"];
const FORBIDDEN: [&str; 6] = ["c", "x", "touch", "sh", "env", "e"];
const RECORDER: &str = "#!/bin/bash\nprintf '%s\\n' \"${0##*/}\" >>\"$RECORD\"\n";

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("bin")).unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    for name in ALLOWED.iter().chain(&FORBIDDEN) {
        let path = folder.path().join("bin").join(name);
        fs::write(&path, RECORDER).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
});

fuzz_target!(|line: &str| {
    let allow = |name: &&str| Rule {
        tool: "bash".to_owned(),
        pattern: format!("{name} *"),
        action: Permission::Allow,
    };
    let policy = Policy::new(ALLOWED.iter().map(allow).collect(), Vec::new());
    let subjects = Subjects::Command(line.to_owned());
    if policy.judge("bash", Reach::Execute, &subjects) != Consent::Granted {
        return;
    }
    let ran = run(FOLDER.path(), line);
    let allowed = |name: &str| ALLOWED.contains(&name);
    assert!(ran.lines().all(allowed), "{line:?} ran {ran:?}");
    let made = fs::read_dir(FOLDER.path().join("empty")).unwrap().count();
    assert_eq!(made, 0, "{line:?} made a file");
});

/// Returns the names of the programs that bash runs.
fn run(folder: &Path, line: &str) -> String {
    let record = folder.join("record");
    fs::write(&record, "").unwrap();
    let status = Command::new("/bin/bash")
        .args(["-c", line])
        .current_dir(folder.join("empty"))
        .env_clear()
        .env("PATH", folder.join("bin"))
        .env("RECORD", &record)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.unwrap();
    fs::read_to_string(&record).unwrap()
}
