//! Moves a file: the strategy `move`.
//!
//! In: a path as the request writes it. Out: a plan without splices: the text stays, and where the
//! file goes is for the engine, which knows what else is there.

use std::path::Path;

use super::outcome::{OrAnswer, absent, already, refused};
use super::{Evidence, Plan, Presence};
use crate::disk::workspace::WorkspacePath;
use crate::edit::locate::Rung;
use crate::text::{EditSet, Source};

/// Plans that the file at `path` goes to `to`.
pub(super) fn plan(path: &WorkspacePath, source: Option<&Source>, to: &str) -> OrAnswer<Plan> {
    parse(path, to)?;
    match source {
        Some(_) => Ok(splice(to)),
        None => Err(absent(path)),
    }
}

/// A path leads nowhere else than the file's own, and not out.
fn parse(path: &WorkspacePath, to: &str) -> OrAnswer<()> {
    // Where the workspace is decides only what an absolute path means.
    match WorkspacePath::parse(to, Path::new("/")) {
        Ok(to) if to == *path => Err(already(format!("{path} has this path"))),
        Ok(_) => Ok(()),
        Err(error) => Err(refused(error.to_string())),
    }
}

fn splice(to: &str) -> Plan {
    Plan {
        presence: Presence::Kept,
        edits: EditSet::default(),
        evidence: Evidence::new(Rung::Exact, format!("whole file, to {to}")),
        changes: 1,
    }
}

#[cfg(test)]
mod tests {
    use crate::edit::plan::testing::{run, word};
    use crate::edit::request::Request;

    #[test]
    fn the_text_stays_wherever_the_file_goes() {
        let check = |to: &str, expected: &str| {
            let result = run("src/a.txt", "a\n", Request::Move { to: to.into() });
            assert_eq!(word(&result), expected, "{to}: {result:?}");
            assert!(result.is_err() || result == Ok("a\n".into()));
        };
        check("b.txt", "applied");
        check("src/../b.txt", "applied");
        check("src/./a.txt", "already_applied");
        check("../b.txt", "refused");
    }
}
