//! Python interpreters: the one that the user's shell would run for a project.
//!
//! ```text
//! VIRTUAL_ENV is set        its interpreter
//! backend/.venv, venv       that of the nearest folder of the project, or above it
//! nothing of these          `python3` on the path
//! ```
//!
//! In: a project. Out: its interpreter, and whether that has pytest. Nothing is run.

use std::fs;
use std::path::{Path, PathBuf};

use super::commands::TestPlace;
use crate::project_folders::upwards;

/// Folders of a project in which a virtual environment is by habit; uv, Poetry (`virtualenvs.in-project`) and PDM make the
/// first.
const USUAL: [&str; 2] = [".venv", "venv"];

/// What runs Python for a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interpreter {
    /// A name on the path, or a path.
    pub(super) program: String,
    /// Whether `-m pytest` is known to work.
    pub(super) has_pytest: bool,
}

/// Returns what runs Python in a folder of the workspace; else why nothing does.
pub(super) fn interpreter(place: &TestPlace<'_>, folder: &str) -> Result<Interpreter, String> {
    if let Some(environment) = place.environment.filter(|own| has_python(own)) {
        return Ok(of_environment(environment));
    }
    let folders = upwards(place.root, folder);
    for environment in folders.flat_map(|folder| USUAL.map(|name| folder.join(name))) {
        if has_python(&environment) {
            return Ok(of_environment(&environment));
        }
        if fs::symlink_metadata(environment.join("bin/python")).is_ok() {
            let candidate = environment.strip_prefix(place.root).unwrap_or(&environment);
            return Err(format!(
                "{} leads to an interpreter that is not there any more; make the environment anew",
                candidate.join("bin/python").display()
            ));
        }
    }
    let mut found = ["python3", "python"].iter();
    let found = found.find_map(|name| Some((*name, (place.program)(name)?)));
    let Some((name, path)) = found else {
        return Err("python3 is not on the path, and there is no .venv".to_owned());
    };
    // The program beside the interpreter belongs to it.
    let has_pytest = (place.program)("pytest").is_some_and(|own| own.parent() == path.parent());
    Ok(Interpreter {
        program: name.to_owned(),
        has_pytest,
    })
}

fn has_python(environment: &Path) -> bool {
    environment.join("bin/python").exists()
}

fn of_environment(environment: &Path) -> Interpreter {
    let libraries = fs::read_dir(environment.join("lib")).into_iter().flatten();
    let mut packages = libraries
        .flatten()
        .map(|version| version.path().join("site-packages/pytest"));
    let has_own = packages.any(|package| package.is_dir());
    let program: PathBuf = environment.join("bin/python");
    Interpreter {
        program: program.display().to_string(),
        has_pytest: has_own || environment.join("bin/pytest").exists(),
    }
}
