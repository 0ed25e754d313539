//! Survey of a project: its languages, folders, build files, checks and tests, as instructions for a model.
//!
//! In: the paths of the workspace's files, and the commands that are known for them. Out: the text of an `AGENTS.md`
//! that says nothing which was not found.
//!
//! `src/main.rs`, `src/lib.rs` and `Cargo.toml` become "Languages: rust (2 files)", "Build files: `Cargo.toml`", and the
//! commands that `signoff check --project` and `signoff test` would run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use signoff_checks::check::{Check, Touched, builds, found};
use signoff_checks::suite::{Extent, Framework, SuiteCommand, TestPlace, find_suites};
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::disk::workspace::reserved::ReservedFolders;
use signoff_core::plural::counted;
use signoff_core::syntax::Language;
use signoff_sandbox::ignored;
use signoff_sandbox::process::{installed, on_path};
use signoff_sandbox::regular;

/// Languages and folders that are named: the largest say what a project is.
const LISTED: usize = 8;

/// Files that tell how a project is built, at its root.
const BUILD_FILES: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "go.mod",
    "Makefile",
    "justfile",
    "CMakeLists.txt",
    "meson.build",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Dockerfile",
];

/// Options by which signoff reads what a command prints: `cargo check --message-format=json` is for no reader.
const FOR_PROGRAMS: &[&str] = &[
    "--message-format",
    "--output-format",
    "--format",
    "--quiet",
    "--offline",
    "--keep-going",
    "--no-fail-fast",
];

/// Maximum size of a `package.json` that is looked into, in bytes, as where tests are run.
const MAX_MANIFEST: u64 = 1024 * 1024;
/// Maximum length of a script that is named, in bytes: a line of instructions.
const MAX_SCRIPT: usize = 200;

/// Formats that are no language of a project by themselves.
const FORMATS: &[&str] = &["json", "markdown", "toml", "yaml"];

/// What was found in a workspace.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    languages: Vec<(String, usize)>,
    folders: Vec<(String, usize)>,
    build_files: Vec<String>,
    checks: Vec<String>,
    tests: Vec<String>,
}

impl Survey {
    /// Looks through a workspace, less what is ignored. Nothing is run.
    pub(crate) fn of(root: &Path, reserved: &ReservedFolders) -> Self {
        let walk = ignored::walk(root, reserved).build().flatten();
        let files = walk.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
        let mut files: Vec<String> = files
            .filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_str()?.to_owned()))
            .collect();
        files.sort_unstable();
        Self {
            languages: most(files.iter().filter_map(|file| language(root, file))),
            folders: most(
                files
                    .iter()
                    .filter_map(|file| Some(file.split_once('/')?.0.to_owned())),
            ),
            build_files: BUILD_FILES
                .iter()
                .map(|name| (*name).to_owned())
                .filter(|name| files.binary_search(name).is_ok())
                .collect(),
            checks: checks(root, &files),
            tests: tests(root, &files),
        }
    }

    /// Returns true if there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        self.languages.is_empty() && self.build_files.is_empty()
    }

    /// Returns the text of an `AGENTS.md`.
    pub(crate) fn text(&self) -> String {
        let mut text = "# Instructions for coding agents\n\n## Layout\n\n".to_owned();
        let build_files: Vec<String> = self
            .build_files
            .iter()
            .map(|it| format!("`{it}`"))
            .collect();
        for (label, line) in [
            ("Languages", listed(&self.languages, "")),
            ("Folders", listed(&self.folders, "`")),
            ("Build files", build_files.join(", ")),
        ] {
            if !line.is_empty() {
                let _infallible = writeln!(text, "- {label}: {line}.");
            }
        }
        for (title, lines) in [("Checks", &self.checks), ("Tests", &self.tests)] {
            if !lines.is_empty() {
                let _infallible = write!(text, "\n## {title}\n\n");
                for line in lines {
                    let _infallible = writeln!(text, "- {line}");
                }
            }
        }
        text
    }
}

/// Lists names with how often each comes, between quotation marks.
fn listed(counts: &[(String, usize)], mark: &str) -> String {
    let named = counts
        .iter()
        .map(|(name, count)| format!("{mark}{name}{mark} ({})", counted(*count, "file")));
    named.collect::<Vec<_>>().join(", ")
}

fn language(root: &Path, file: &str) -> Option<String> {
    let path = WorkspacePath::parse(file, root).ok()?;
    let name = Language::of(&path)?.name();
    (!FORMATS.contains(&name)).then(|| name.to_owned())
}

/// Returns the names that come most often, with how often.
fn most(names: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.truncate(LISTED);
    counts
}

/// Returns the commands that check the project; a file that one would name stands as `FILE`.
fn checks(root: &Path, files: &[String]) -> Vec<String> {
    let touched = Touched {
        paths: one_of_each_extension(files),
        ..Touched::default()
    };
    // What a project is set up for is worth a line where it is not installed, too.
    let sets_up_ruff = sets_up_ruff(root);
    let counts = |program: &str| match program {
        "mypy" | "pyright" => true,
        "ruff" if sets_up_ruff => true,
        _ => installed(program),
    };
    let known = found(root, &touched, &counts).into_iter();
    let known = known.chain(builds(root, &touched, &installed));
    let mut lines: Vec<String> = known.map(|check| line(check, &touched)).collect();
    lines.dedup();
    lines
}

fn sets_up_ruff(root: &Path) -> bool {
    let manifest = regular::text(&root.join("pyproject.toml"), MAX_MANIFEST);
    let own = ["ruff.toml", ".ruff.toml"];
    manifest.is_ok_and(|text| text.contains("[tool.ruff"))
        || own.iter().any(|name| root.join(name).is_file())
}

fn line(mut check: Check, touched: &Touched) -> String {
    check.arguments = for_readers(check.arguments);
    for argument in &mut check.arguments {
        let mut paths = touched.paths.iter();
        if argument.contains('.') && paths.any(|path| path.ends_with(argument.as_str())) {
            "FILE".clone_into(argument);
        }
    }
    in_folder(&check.line(), &check.folder)
}

/// Returns how the tests of one file are run, for each framework that is used.
fn tests(root: &Path, files: &[String]) -> Vec<String> {
    let tests: Vec<String> = files.iter().filter(|file| is_test(file)).cloned().collect();
    let tests = one_of_each_extension(&tests);
    let place = TestPlace {
        root,
        text: &|path| regular::text(&root.join(path), MAX_MANIFEST).ok(),
        program: &on_path,
        environment: None,
    };
    let mut known = find_suites(&place, &tests, Extent::Named).commands;
    // It has a line of its own.
    known.retain(|command| command.framework != Framework::Script);
    let has_cargo = (known.iter()).any(|command| command.framework == Framework::Cargo);
    let lines = known.into_iter().map(|command| {
        let below = Path::new(&command.program).strip_prefix(root).ok();
        let below = below.and_then(Path::to_str).map(str::to_owned);
        let command = SuiteCommand {
            program: below.unwrap_or(command.program),
            arguments: for_readers(command.arguments),
            ..command
        };
        let one = in_folder(&command.line(), &command.folder);
        format!(
            "{}; the tests of one file, for example: {one}",
            command.framework
        )
    });
    let mut lines: Vec<String> = lines.collect();
    // Tests of Rust stand beside the code more often than in files of their own.
    if !has_cargo && files.iter().any(|file| file == "Cargo.toml") {
        lines.push("`cargo test`; one test: `cargo test NAME`".to_owned());
    }
    lines.extend(script(root));
    lines
}

/// Returns the script that `npm test` runs, which names the test runner that the project uses.
fn script(root: &Path) -> Option<String> {
    let text = regular::text(&root.join("package.json"), MAX_MANIFEST).ok()?;
    let manifest: Value = serde_json::from_str(&text).ok()?;
    let script = manifest.pointer("/scripts/test")?.as_str()?;
    let is_one = !script.contains(['`', '\n']) && script.len() <= MAX_SCRIPT;
    // What npm puts there for a project without tests.
    let is_none = script.contains("no test specified");
    (is_one && !is_none).then(|| format!("`npm test`, which runs `{script}`"))
}

/// Leaves out what only shapes the output.
fn for_readers(arguments: Vec<String>) -> Vec<String> {
    arguments
        .into_iter()
        .filter(|argument| !FOR_PROGRAMS.iter().any(|it| argument.starts_with(it)))
        .collect()
}

fn in_folder(line: &str, folder: &str) -> String {
    match folder {
        "" | "." => format!("`{line}`"),
        folder => format!("`{line}` in `{folder}`"),
    }
}

fn one_of_each_extension(files: &[String]) -> Vec<String> {
    let mut each: BTreeMap<&str, &String> = BTreeMap::new();
    for file in files {
        if let Some(extension) = Path::new(file).extension().and_then(|it| it.to_str()) {
            each.entry(extension).or_insert(file);
        }
    }
    each.into_values().cloned().collect()
}

/// Tells a file of tests by its name, as the frameworks do.
fn is_test(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    let in_tests = file.starts_with("tests/") || file.contains("/tests/");
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || name.contains(".test.")
        || name.contains(".spec.")
        || in_tests && file.ends_with(".rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(files: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let survey = Survey {
            // Which programs are installed is another machine's matter.
            checks: Vec::new(),
            tests: Vec::new(),
            ..Survey::of(folder.path(), &ReservedFolders::default())
        };
        assert_eq!(survey.is_empty(), files.len() < 2);
        survey.text()
    }

    #[test]
    fn only_what_is_there_is_said() {
        let text = survey(&[
            "src/a.rs",
            "src/b.rs",
            "web/c.py",
            "Cargo.toml",
            "README.md",
        ]);
        insta::assert_snapshot!(text, @r"
        # Instructions for coding agents

        ## Layout

        - Languages: rust (2 files), python (1 file).
        - Folders: `src` (2 files), `web` (1 file).
        - Build files: `Cargo.toml`.
        ");
        assert!(!survey(&["notes.txt"]).contains("- "));
    }

    #[test]
    fn what_a_project_is_set_up_for_is_a_check_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let set_up = "[tool.ruff]\n[tool.mypy]\n[tool.pyright]\n";
        std::fs::write(folder.path().join("pyproject.toml"), set_up).unwrap();
        std::fs::write(folder.path().join("a.py"), "").unwrap();
        let lines = checks(folder.path(), &["a.py".to_owned()]).join("\n");
        for program in ["ruff", "mypy", "pyright"] {
            assert!(lines.contains(program), "{program}: {lines}");
        }
    }

    #[test]
    fn the_test_runner_of_a_project_without_test_files_is_named() {
        let long = "x".repeat(300);
        for (file, text, expected) in [
            (
                "Cargo.toml",
                "[package]",
                Some("`cargo test`; one test: `cargo test NAME`"),
            ),
            (
                "package.json",
                r#"{"scripts": {"test": "vitest run"}}"#,
                Some("`npm test`, which runs `vitest run`"),
            ),
            (
                "package.json",
                r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#,
                None,
            ),
            ("package.json", r#"{"scripts": {"test": "a`\n# b"}}"#, None),
            (
                "package.json",
                &format!(r#"{{"scripts": {{"test": "{long}"}}}}"#),
                None,
            ),
            ("package.json", "{}", None),
            ("Makefile", "test:", None),
        ] {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(file), text).unwrap();
            let lines = tests(folder.path(), &[file.to_owned()]);
            assert_eq!(lines.first().map(String::as_str), expected, "{text}");
        }
    }

    #[test]
    fn tests_are_told_by_their_names() {
        for (file, expected) in [
            ("tests/cli.rs", true),
            ("pkg/test_a.py", true),
            ("a_test.go", true),
            ("src/a.spec.ts", true),
            ("tests/data.json", false),
            ("src/contest.rs", false),
            ("src/latest.py", false),
        ] {
            assert_eq!(is_test(file), expected, "{file}");
        }
    }
}
