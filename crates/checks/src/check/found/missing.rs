//! Checks that a project asks for and whose programs are not installed.
//!
//! In: a workspace and the files that were touched. Out: the checks that its configuration files ask for, and which
//! program each lacks. A linter that would run only because it is there is none of them.

use std::path::Path;

use super::{Check, Search, Touched, found};

/// A check that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingCheck {
    /// The check, as it would be run.
    pub check: Check,
    /// The program that is not installed.
    pub program: String,
}

/// Returns the checks that the project asks for, for the touched files, and that cannot be run.
pub fn missing(
    root: &Path,
    touched: &Touched,
    installed: &dyn Fn(&str) -> bool,
) -> Vec<MissingCheck> {
    let here = found(root, touched, installed);
    let search = Search {
        root,
        touched,
        installed,
    };
    let mut missing: Vec<MissingCheck> = Vec::new();
    for check in found(root, touched, &|_| true) {
        // A script of the package may stand in for it.
        let stand_in = match check.name.as_str() {
            "tsc" | "tsc -b" => "npm run typecheck",
            "eslint" | "biome" => "npm run lint",
            own => own,
        };
        let is_same = |own: &Check| {
            (own.name == check.name || own.name == stand_in) && own.folder == check.folder
        };
        let is_known = missing.iter().any(|own| is_same(&own.check));
        if here.iter().any(is_same) || is_known || !search.asks_for(&check) {
            continue;
        }
        let program = match check.name.as_str() {
            "cargo clippy" if installed("cargo") => "cargo-clippy".to_owned(),
            _ => check.program.clone(),
        };
        missing.push(MissingCheck { check, program });
    }
    missing
}

impl Search<'_> {
    /// Returns whether the project asks for a check by a file of its own.
    fn asks_for(&self, check: &Check) -> bool {
        match check.name.as_str() {
            "bash -n" | "shellcheck" => false,
            "ruff" => {
                let files = ["ruff.toml", ".ruff.toml"];
                files.iter().any(|name| self.root.join(name).is_file())
                    || self.text("", "pyproject.toml").contains("[tool.ruff")
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns the checks of a project and the programs that they lack.
    fn lacks(files: &[(&str, &str)], touched: &str, here: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let touched = Touched {
            paths: vec![touched.to_owned()],
            ..Touched::default()
        };
        let missing = missing(folder.path(), &touched, &|name| here.contains(&name));
        let told = missing
            .iter()
            .map(|own| format!("{}: {}", own.check.name, own.program));
        told.collect()
    }

    #[test]
    fn only_what_the_project_asks_for_is_missed() {
        let none: [&str; 0] = [];
        let tsc = [("tsconfig.json", "{}")];
        assert_eq!(lacks(&tsc, "a.ts", &[]), ["tsc: tsc"]);
        assert_eq!(lacks(&tsc, "a.ts", &["tsc"]), none);
        assert_eq!(lacks(&tsc, "README.md", &[]), none);
        let script = [
            ("tsconfig.json", "{}"),
            ("package.json", r#"{"scripts":{"typecheck":"tsc"}}"#),
        ];
        assert_eq!(lacks(&script, "a.ts", &["npm"]), none);
        let rust = [("Cargo.toml", "[lints.clippy]\n")];
        assert_eq!(
            lacks(&rust, "a.rs", &[]),
            ["cargo check: cargo", "cargo clippy: cargo"]
        );
        assert_eq!(
            lacks(&rust, "a.rs", &["cargo"]),
            ["cargo clippy: cargo-clippy"]
        );
        assert_eq!(lacks(&[], "a.py", &[]), none);
        assert_eq!(lacks(&[], "a.sh", &[]), none);
        let python = [("pyproject.toml", "[tool.mypy]\n[tool.ruff.lint]\n")];
        assert_eq!(lacks(&python, "a.py", &[]), ["ruff: ruff", "mypy: mypy"]);
        assert_eq!(lacks(&[("go.mod", "")], "a.go", &[]).len(), 2);
        assert_eq!(
            lacks(&[("eslint.config.js", "")], "a.js", &[]),
            ["eslint: eslint"]
        );
    }
}
