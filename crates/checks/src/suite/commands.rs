//! The commands that run test files, and only these.
//!
//! In: paths of test files. Out: one command for each framework and project folder.

use std::collections::BTreeMap;
use std::path::Path;

use signoff_sandbox::regular;

use super::{Framework, SuiteCommand};
use crate::check::MAX_SETTINGS;

/// Returns the commands for test files, relative to `root`. `installed` tells whether a program is on
/// the path. Files that nothing is known to run are left out.
pub fn commands(
    root: &Path,
    files: &[String],
    installed: &dyn Fn(&str) -> bool,
) -> Vec<SuiteCommand> {
    let mut groups: BTreeMap<(Framework, String), Vec<&str>> = BTreeMap::new();
    for file in files {
        if let Some((framework, folder)) = framework(root, file) {
            groups.entry((framework, folder)).or_default().push(file);
        }
    }
    let each = groups.into_iter().flat_map(|((framework, folder), files)| {
        let project = Project {
            root,
            folder: &folder,
            installed,
        };
        match framework {
            Framework::Cargo => project.cargo(&files),
            Framework::Pytest => project.pytest(&files),
            Framework::Go => project.go(&files),
            script => project.script(script, &files),
        }
    });
    each.collect()
}

/// Returns what runs a test file, and the folder of its project.
fn framework(root: &Path, file: &str) -> Option<(Framework, String)> {
    match Path::new(file).extension()?.to_str()? {
        "rs" => Some((Framework::Cargo, nearest_with(root, file, "Cargo.toml")?)),
        "py" => Some((Framework::Pytest, String::new())),
        "go" => Some((Framework::Go, nearest_with(root, file, "go.mod")?)),
        "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => {
            let folder = nearest_with(root, file, "package.json")?;
            let manifest = root.join(&folder).join("package.json");
            let text = regular::text(&manifest, MAX_SETTINGS).ok()?;
            let known = [
                ("vitest", Framework::Vitest),
                ("jest", Framework::Jest),
                ("mocha", Framework::Mocha),
            ];
            let named = known
                .iter()
                .find(|(name, _)| text.contains(&format!("\"{name}")));
            let used = known.iter().find(|(name, _)| text.contains(name));
            let (_, framework) = named.or(used)?;
            Some((*framework, folder))
        }
        _ => None,
    }
}

fn nearest_with(root: &Path, file: &str, name: &str) -> Option<String> {
    let mut folders = Path::new(file).ancestors().skip(1);
    let found = folders.find(|folder| root.join(folder).join(name).is_file())?;
    found.to_str().map(str::to_owned)
}

struct Project<'a> {
    root: &'a Path,
    folder: &'a str,
    installed: &'a dyn Fn(&str) -> bool,
}

impl Project<'_> {
    fn command(&self, framework: Framework, program: &str, arguments: Vec<String>) -> SuiteCommand {
        SuiteCommand {
            framework,
            program: program.to_owned(),
            arguments,
            folder: self.folder.to_owned(),
        }
    }

    /// Returns a file as it is called in the project's folder.
    fn below<'b>(&self, file: &'b str) -> &'b str {
        let below = Path::new(file).strip_prefix(self.folder).ok();
        below.and_then(Path::to_str).unwrap_or(file)
    }

    /// Test files of a package are targets of their own; tests beside the code are found by their module.
    fn cargo(&self, files: &[&str]) -> Vec<SuiteCommand> {
        if !(self.installed)("cargo") {
            return Vec::new();
        }
        let base = ["test", "--offline", "--quiet", "--no-fail-fast"].map(str::to_owned);
        let (mut targets, mut modules, mut all) = (base.to_vec(), Vec::new(), false);
        for file in files.iter().map(|file| self.below(file)) {
            let parts: Vec<&str> = file.trim_end_matches(".rs").split('/').collect();
            match parts.as_slice() {
                ["tests", target] | ["tests", target, ..] => {
                    targets.extend(["--test".to_owned(), (*target).to_owned()]);
                }
                ["src", "lib" | "main"] => all = true,
                ["src", module @ .., "mod"] | ["src", module @ ..] => {
                    modules.push(module.join("::"))
                }
                _ => {}
            }
        }
        let mut commands = Vec::new();
        if targets.len() > base.len() {
            targets.extend(FORMAT.map(str::to_owned));
            commands.push(self.command(Framework::Cargo, "cargo", targets));
        }
        if all || !modules.is_empty() {
            let mut arguments = base.to_vec();
            arguments.extend(["--lib", "--bins"].map(str::to_owned));
            if !self.root.join(self.folder).join("src/lib.rs").is_file() {
                arguments.retain(|word| word != "--lib");
            }
            arguments.extend(FORMAT.map(str::to_owned));
            arguments.extend(modules.into_iter().filter(|_| !all));
            commands.push(self.command(Framework::Cargo, "cargo", arguments));
        }
        commands
    }

    fn pytest(&self, files: &[&str]) -> Vec<SuiteCommand> {
        let (program, mut arguments) = if (self.installed)("pytest") {
            ("pytest", Vec::new())
        } else if (self.installed)("python3") {
            ("python3", vec!["-m".to_owned(), "pytest".to_owned()])
        } else {
            return Vec::new();
        };
        arguments.extend(["-q", "--no-header", "-rA", "-p", "no:cacheprovider"].map(str::to_owned));
        arguments.extend(files.iter().map(|file| (*file).to_owned()));
        vec![self.command(Framework::Pytest, program, arguments)]
    }

    /// Go runs packages, which are folders.
    fn go(&self, files: &[&str]) -> Vec<SuiteCommand> {
        if !(self.installed)("go") {
            return Vec::new();
        }
        let folders: std::collections::BTreeSet<String> = files
            .iter()
            .map(|file| {
                let folder = Path::new(self.below(file)).parent().and_then(Path::to_str);
                format!("./{}", folder.unwrap_or_default())
            })
            .collect();
        let mut arguments = ["test", "-json"].map(str::to_owned).to_vec();
        arguments.extend(folders);
        vec![self.command(Framework::Go, "go", arguments)]
    }

    fn script(&self, framework: Framework, files: &[&str]) -> Vec<SuiteCommand> {
        let (name, options): (&str, &[&str]) = match framework {
            Framework::Vitest => ("vitest", &["run", "--reporter=json"]),
            Framework::Jest => ("jest", &["--json", "--runTestsByPath"]),
            _ => ("mocha", &["--reporter", "json"]),
        };
        let mut folders = Path::new(self.folder).ancestors();
        let own = folders.find_map(|folder| {
            let path = self.root.join(folder).join("node_modules/.bin").join(name);
            path.exists().then(|| path.display().to_string())
        });
        let Some(program) = own.or_else(|| (self.installed)(name).then(|| name.to_owned())) else {
            return Vec::new();
        };
        let mut arguments: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
        arguments.extend(files.iter().map(|file| self.below(file).to_owned()));
        vec![self.command(framework, &program, arguments)]
    }
}

/// Has Rust's test harness print a line for each test, whatever `--quiet` does for Cargo.
const FORMAT: [&str; 2] = ["--", "--format=pretty"];

#[cfg(test)]
mod tests {
    use super::*;

    fn told(files: &[(&str, &str)], tests: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        let tests: Vec<String> = tests.iter().map(|path| (*path).to_owned()).collect();
        let found = commands(folder.path(), &tests, &|_| true);
        let each = found.iter().map(|command| {
            format!(
                "{:?}: {} {}",
                command.folder,
                command.program,
                command.arguments.join(" ")
            )
        });
        each.collect()
    }

    #[test]
    fn only_the_named_files_are_run() {
        let rust = [("a/Cargo.toml", ""), ("a/src/lib.rs", "")];
        assert_eq!(
            told(
                &rust,
                &[
                    "a/tests/x.rs",
                    "a/tests/y/main.rs",
                    "a/src/b/c.rs",
                    "a/src/d/mod.rs"
                ]
            ),
            [
                "\"a\": cargo test --offline --quiet --no-fail-fast --test x --test y -- --format=pretty",
                "\"a\": cargo test --offline --quiet --no-fail-fast --lib --bins -- --format=pretty b::c d",
            ]
        );
        let binary = [("Cargo.toml", ""), ("src/main.rs", "")];
        assert_eq!(
            told(&binary, &["src/main.rs", "src/b.rs"]),
            ["\"\": cargo test --offline --quiet --no-fail-fast --bins -- --format=pretty"]
        );
        assert_eq!(
            told(&[], &["tests/test_a.py"]),
            ["\"\": pytest -q --no-header -rA -p no:cacheprovider tests/test_a.py"]
        );
        let go = [("m/go.mod", "")];
        assert_eq!(
            told(&go, &["m/a/a_test.go", "m/a/b_test.go", "m/x_test.go"]),
            ["\"m\": go test -json ./ ./a"]
        );
        let node = [("w/package.json", r#"{"devDependencies":{"vitest":"1"}}"#)];
        assert_eq!(
            told(&node, &["w/src/a.test.ts", "other.txt"]),
            ["\"w\": vitest run --reporter=json src/a.test.ts"]
        );
    }
}
