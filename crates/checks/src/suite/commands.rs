//! The commands that run test files, and only these.
//!
//! ```text
//! tests/test_a.py                    .venv/bin/python -m pytest -q ... tests/test_a.py
//! a/tests/x.rs, a/src/b.rs           cargo test --test x, and cargo test --lib --bins -- b, in a
//! spec/a_spec.rb                     nothing: no runner is known
//! ```
//!
//! In: paths of test files. Out: one command for each framework and project folder, and which tests nothing can run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::python::interpreter;
use super::{Framework, SuiteCommand};
use crate::project_folders::package_program;

/// What marks the folder that pytest is run in.
const PYTHON_PROJECT: [&str; 5] = [
    "pyproject.toml",
    "pytest.ini",
    "setup.cfg",
    "tox.ini",
    "setup.py",
];
/// What npm writes into a new `package.json`: it runs nothing.
const NO_SCRIPT: &str = "no test specified";
/// Has Rust's test harness print a line for each test, whatever `--quiet` does for Cargo.
const FORMAT: [&str; 2] = ["--", "--format=pretty"];
/// Has Maven take what is in its local repository, whatever it was downloaded from: `settings.xml`, which names mirrors, may
/// hold passwords, and programs do not see it. No such file is there.
const ANY_REPOSITORY: &str = "-Daether.enhancedLocalRepository.trackingFilename=none";
/// How a user has other tests run.
const SETTING: &str = "`command` below [test] of the configuration can name a runner";

/// Where test files, and what runs them, are looked for.
pub struct TestPlace<'a> {
    /// The workspace.
    pub root: &'a Path,
    /// Returns the text of a file with what is staged.
    pub text: &'a dyn Fn(&str) -> Option<String>,
    /// Returns where a program on the path is.
    pub program: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// The virtual environment that the user's shell is in.
    pub environment: Option<&'a Path>,
}

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// These test files.
    Named,
    /// All tests of their projects.
    All,
}

/// What runs test files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundSuites {
    /// The commands.
    pub commands: Vec<SuiteCommand>,
    /// Tests that nothing can run.
    pub lacking: Vec<LackingSuite>,
}

/// Tests that are there and cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LackingSuite {
    /// What would run them.
    pub name: String,
    /// Why it does not.
    pub why: String,
}

/// Returns what runs test files of a workspace.
pub fn find_suites(place: &TestPlace<'_>, files: &[String], extent: Extent) -> FoundSuites {
    let mut groups: BTreeMap<(Framework, String), Vec<&str>> = BTreeMap::new();
    let mut unknown: Vec<&str> = Vec::new();
    for file in files {
        if is_package_marker(file, place.text) {
            continue;
        }
        match place.framework(file) {
            Some(group) => groups.entry(group).or_default().push(file),
            None => unknown.push(file),
        }
    }
    let mut found = FoundSuites::default();
    // Among all tests there are files that they only read: `tests/data/page.js` of a Python project.
    if extent == Extent::All && !groups.is_empty() {
        unknown.clear();
    }
    for ((framework, folder), files) in groups {
        let project = Project {
            place,
            folder: &folder,
            extent,
        };
        match project.commands(framework, &files) {
            Ok(commands) => found.commands.extend(commands),
            Err((framework, why)) => found.lacking.push(LackingSuite {
                name: framework.to_string(),
                why,
            }),
        }
    }
    if let Some(first) = unknown.first() {
        let more = match unknown.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        found.lacking.push(LackingSuite {
            name: "tests".to_owned(),
            why: format!("nothing is known that runs {first}{more}; {SETTING}"),
        });
    }
    found
}

/// Returns whether a file only makes its folder a package of Python: `tests/__init__.py` without tests.
pub fn is_package_marker(file: &str, text: &dyn Fn(&str) -> Option<String>) -> bool {
    let has_tests = |text: String| text.contains("TestCase") || text.contains("def test");
    Path::new(file).ends_with("__init__.py") && !text(file).is_some_and(has_tests)
}

impl TestPlace<'_> {
    /// Returns what runs a test file, and the folder of its project.
    fn framework(&self, file: &str) -> Option<(Framework, String)> {
        let in_project =
            |framework, manifest: &[&str]| Some((framework, self.nearest_with(file, manifest)?));
        match Path::new(file).extension()?.to_str()? {
            "rs" => in_project(Framework::Cargo, &["Cargo.toml"]),
            "py" => in_project(Framework::Pytest, &PYTHON_PROJECT)
                .or_else(|| Some((Framework::Pytest, String::new()))),
            "go" => in_project(Framework::Go, &["go.mod"]),
            "java" | "kt" | "groovy" | "scala" => in_project(Framework::Maven, &["pom.xml"])
                .or_else(|| in_project(Framework::Gradle, &["build.gradle", "build.gradle.kts"])),
            "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => self.script(file),
            _ => None,
        }
    }

    /// Returns what runs a test file of JavaScript or TypeScript: what the nearest package that knows of tests names, else
    /// Node itself. In a repository of many packages, that is often the outermost one.
    fn script(&self, file: &str) -> Option<(Framework, String)> {
        let folders = Path::new(file).ancestors().skip(1);
        for folder in folders.filter_map(Path::to_str) {
            let manifest = Path::new(folder).join("package.json");
            let Some(package) = manifest.to_str().and_then(self.text) else {
                continue;
            };
            let by_node = || self.imports_node(file).then_some(Framework::Node);
            if let Some(framework) = named_by(&package, file).or_else(by_node) {
                return Some((framework, folder.to_owned()));
            }
        }
        self.imports_node(file)
            .then(|| (Framework::Node, String::new()))
    }

    /// Returns whether a file is a test that Node runs by itself.
    fn imports_node(&self, file: &str) -> bool {
        is_plain_script(file) && (self.text)(file).is_some_and(|text| text.contains("node:test"))
    }

    fn nearest_with(&self, file: &str, names: &[&str]) -> Option<String> {
        let mut folders = Path::new(file).ancestors().skip(1);
        let found = folders.find(|folder| {
            let mut paths = names.iter().map(|name| folder.join(name));
            paths.any(|path| path.to_str().and_then(self.text).is_some())
        });
        found.and_then(Path::to_str).map(str::to_owned)
    }
}

/// Returns what a `package.json` says runs a test file.
fn named_by(package: &str, file: &str) -> Option<Framework> {
    let value: Option<Value> = serde_json::from_str(package).ok();
    let script = value
        .as_ref()
        .and_then(|value| value["scripts"]["test"].as_str());
    let script = script.filter(|script| !script.contains(NO_SCRIPT));
    // Node runs single files where the script does no more than that.
    if is_plain_script(file) && script.is_some_and(|script| script.starts_with("node --test")) {
        return Some(Framework::Node);
    }
    named_framework(package).or(script.map(|_| Framework::Script))
}

/// Returns the test framework that a `package.json` names: as a package, or within a script.
fn named_framework(package: &str) -> Option<Framework> {
    const KNOWN: [(&str, Framework); 3] = [
        ("vitest", Framework::Vitest),
        ("jest", Framework::Jest),
        ("mocha", Framework::Mocha),
    ];
    let named = KNOWN
        .iter()
        .find(|(name, _)| package.contains(&format!("\"{name}")));
    let used = KNOWN.iter().find(|(name, _)| package.contains(name));
    named.or(used).map(|(_, framework)| *framework)
}

fn is_plain_script(file: &str) -> bool {
    ["js", "mjs", "cjs"].iter().any(|end| file.ends_with(end))
}

struct Project<'a> {
    place: &'a TestPlace<'a>,
    folder: &'a str,
    extent: Extent,
}

/// The commands, or why the framework cannot run them.
type Commands = Result<Vec<SuiteCommand>, (Framework, String)>;

impl Project<'_> {
    fn commands(&self, framework: Framework, files: &[&str]) -> Commands {
        let found = match framework {
            Framework::Cargo => self.cargo(files),
            Framework::Pytest | Framework::Unittest => return self.python(files),
            Framework::Go => self.go(files),
            Framework::Jest | Framework::Vitest | Framework::Mocha => {
                self.package(framework, files)
            }
            Framework::Node => self.node(files),
            Framework::Script | Framework::Configured => self.npm(),
            Framework::Maven => self.maven(files),
            Framework::Gradle => self.gradle(files),
        };
        found.map_err(|why| (framework, why))
    }

    fn command(
        &self,
        (framework, program): (Framework, &str),
        arguments: Vec<String>,
        files: &[&str],
    ) -> SuiteCommand {
        let files = match self.extent {
            Extent::Named => files,
            Extent::All => &[],
        };
        SuiteCommand {
            framework,
            program: program.to_owned(),
            arguments,
            folder: self.folder.to_owned(),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
        }
    }

    /// Returns why a program cannot run, if it is not on the path.
    fn require(&self, name: &str) -> Result<(), String> {
        let found = (self.place.program)(name);
        found
            .map(drop)
            .ok_or_else(|| format!("{name} is not installed"))
    }

    /// Returns a file as it is called in the project's folder.
    fn below<'b>(&self, file: &'b str) -> &'b str {
        let below = Path::new(file).strip_prefix(self.folder).ok();
        below.and_then(Path::to_str).unwrap_or(file)
    }

    /// Returns the files as arguments; none where all tests are run.
    fn named(&self, files: &[&str]) -> impl Iterator<Item = String> {
        let files = match self.extent {
            Extent::Named => files,
            Extent::All => &[],
        };
        let files = files.iter().map(|file| self.below(file).to_owned());
        files.collect::<Vec<_>>().into_iter()
    }

    /// Test files of a package are targets of their own; tests beside the code are found by their module.
    fn cargo(&self, files: &[&str]) -> Result<Vec<SuiteCommand>, String> {
        self.require("cargo")?;
        let base = words(&["test", "--offline", "--quiet", "--no-fail-fast"]);
        let of_cargo =
            |arguments, files: &[&str]| self.command((Framework::Cargo, "cargo"), arguments, files);
        if self.extent == Extent::All {
            return Ok(vec![of_cargo([base, words(&FORMAT)].concat(), &[])]);
        }
        let (mut targets, mut modules, mut all) = (base.clone(), Vec::new(), false);
        let (mut outside, mut inside) = (Vec::new(), Vec::new());
        for file in files {
            let below = self.below(file);
            let parts: Vec<&str> = below.trim_end_matches(".rs").split('/').collect();
            match parts.as_slice() {
                ["tests", target] | ["tests", target, ..] => {
                    // What a folder without a target holds, as `tests/common/mod.rs`, any of them may use.
                    let main = format!("tests/{target}/main.rs");
                    let main = Path::new(self.folder).join(main);
                    let is_helper =
                        parts.len() > 2 && main.to_str().and_then(self.place.text).is_none();
                    let target = if is_helper { "*" } else { target };
                    targets.extend(words(&["--test", target]));
                    outside.push(*file);
                    continue;
                }
                ["src", "lib" | "main"] => all = true,
                ["src", module @ .., "mod"] | ["src", module @ ..] => {
                    modules.push(module.join("::"))
                }
                _ => continue,
            }
            inside.push(*file);
        }
        let mut commands = Vec::new();
        if !outside.is_empty() {
            targets.extend(words(&FORMAT));
            commands.push(of_cargo(targets, &outside));
        }
        if !inside.is_empty() {
            let mut arguments = [base, words(&["--lib", "--bins"])].concat();
            let library = Path::new(self.folder).join("src/lib.rs");
            if library.to_str().and_then(self.place.text).is_none() {
                arguments.retain(|word| word != "--lib");
            }
            arguments.extend(words(&FORMAT));
            arguments.extend(modules.into_iter().filter(|_| !all));
            commands.push(of_cargo(arguments, &inside));
        }
        Ok(commands)
    }

    /// pytest runs tests of both kinds; without it, those of `unittest` still run.
    fn python(&self, files: &[&str]) -> Commands {
        let found = interpreter(self.place, self.folder);
        let python = found.map_err(|why| (Framework::Pytest, why))?;
        let is_case = |file: &&str| {
            let text = (self.place.text)(file);
            text.is_some_and(|text| text.contains("TestCase"))
        };
        if !python.has_pytest && files.iter().all(is_case) {
            let files: Vec<&str> = files.to_vec();
            let mut arguments = words(&["-m", "unittest", "-v"]);
            arguments.extend(files.iter().map(|file| self.below(file).to_owned()));
            let runs = (Framework::Unittest, python.program.as_str());
            return Ok(vec![self.command(runs, arguments, &files)]);
        }
        let options = ["-q", "--no-header", "-rA", "-p", "no:cacheprovider"];
        let on_path = !python.has_pytest && (self.place.program)("pytest").is_some();
        let (program, mut arguments) = if on_path {
            ("pytest", Vec::new())
        } else {
            (python.program.as_str(), words(&["-m", "pytest"]))
        };
        arguments.extend(words(&options));
        arguments.extend(self.named(files));
        Ok(vec![self.command(
            (Framework::Pytest, program),
            arguments,
            files,
        )])
    }

    /// Go runs packages, which are folders.
    fn go(&self, files: &[&str]) -> Result<Vec<SuiteCommand>, String> {
        self.require("go")?;
        let mut arguments = words(&["test", "-json"]);
        if self.extent == Extent::All {
            arguments.push("./...".to_owned());
        } else {
            let parents = files
                .iter()
                .filter_map(|file| Path::new(self.below(file)).parent()?.to_str());
            let folders: BTreeSet<String> = parents.map(|folder| format!("./{folder}")).collect();
            arguments.extend(folders);
        }
        Ok(vec![self.command((Framework::Go, "go"), arguments, files)])
    }

    fn package(&self, framework: Framework, files: &[&str]) -> Result<Vec<SuiteCommand>, String> {
        let (name, options): (&str, &[&str]) = match framework {
            Framework::Vitest => ("vitest", &["run", "--reporter=json"]),
            Framework::Jest if self.extent == Extent::All => ("jest", &["--json"]),
            Framework::Jest => ("jest", &["--json", "--runTestsByPath"]),
            _ => ("mocha", &["--reporter", "json"]),
        };
        let own = package_program(self.place.root, self.folder, name);
        let own = own.map(|path| path.display().to_string());
        let on_path = || (self.place.program)(name).map(|_| name.to_owned());
        let program = own.or_else(on_path).ok_or_else(|| {
            format!("{name} is not installed: there is no node_modules/.bin/{name}, and none on the path")
        })?;
        let mut arguments = words(options);
        arguments.extend(self.named(files));
        Ok(vec![self.command((framework, &program), arguments, files)])
    }

    fn node(&self, files: &[&str]) -> Result<Vec<SuiteCommand>, String> {
        self.require("node")?;
        let mut arguments = words(&["--test", "--test-reporter=tap"]);
        arguments.extend(self.named(files));
        Ok(vec![self.command(
            (Framework::Node, "node"),
            arguments,
            files,
        )])
    }

    /// A script takes no test files that would mean the same to each.
    fn npm(&self) -> Result<Vec<SuiteCommand>, String> {
        self.require("npm")?;
        let arguments = words(&["test", "--silent"]);
        Ok(vec![self.command(
            (Framework::Script, "npm"),
            arguments,
            &[],
        )])
    }

    fn maven(&self, files: &[&str]) -> Result<Vec<SuiteCommand>, String> {
        let program = self.wrapped("mvn", "mvnw")?;
        let mut arguments = words(&["-B", "-o", ANY_REPOSITORY, "-Dstyle.color=never", "test"]);
        if self.extent == Extent::Named {
            let classes: Vec<&str> = files.iter().filter_map(|file| class_of(file)).collect();
            arguments.push(format!("-Dtest={}", classes.join(",")));
            arguments.push("-Dsurefire.failIfNoSpecifiedTests=false".to_owned());
        }
        let mut command = self.command((Framework::Maven, &program), arguments, files);
        // A module is built with the modules of its repository that it needs.
        if let Some((root, module)) = self.aggregator() {
            command.arguments.extend(words(&["-pl", &module, "-am"]));
            command.folder = root;
        }
        Ok(vec![command])
    }

    /// Returns the outermost folder around a Maven module that lists modules, and how the module is called there.
    fn aggregator(&self) -> Option<(String, String)> {
        // `<module>a</module>` or `<module>a/b</module>`, where `a/b` may also be a module of `a`.
        let lists_modules = |folder: &&Path| {
            let text = folder.join("pom.xml").to_str().and_then(self.place.text);
            let first = Path::new(self.folder).strip_prefix(folder).ok();
            let first = first.and_then(|below| below.iter().next()?.to_str());
            let modules = text.as_deref().unwrap_or("").split("<module>").skip(1);
            let mut modules = modules.map(|rest| rest.trim_start().trim_start_matches("./"));
            first.is_some_and(|first| modules.any(|module| module.starts_with(first)))
        };
        let folders = Path::new(self.folder).ancestors().skip(1);
        let root = folders.filter(lists_modules).last()?;
        let module = Path::new(self.folder).strip_prefix(root).ok()?;
        Some((root.to_str()?.to_owned(), module.to_str()?.to_owned()))
    }

    fn gradle(&self, files: &[&str]) -> Result<Vec<SuiteCommand>, String> {
        let program = self.wrapped("gradle", "gradlew")?;
        let mut arguments = words(&["--offline", "--no-daemon", "--console=plain", "test"]);
        if self.extent == Extent::Named {
            for class in files.iter().filter_map(|file| class_of(file)) {
                arguments.extend(["--tests".to_owned(), format!("*{class}")]);
            }
        }
        Ok(vec![self.command(
            (Framework::Gradle, &program),
            arguments,
            files,
        )])
    }

    /// Returns a program on the path, or the project's own script that runs it; that downloads it, unless it did before. Of
    /// Gradle the script is first: what is on the path may be too old or too new for the project.
    fn wrapped(&self, name: &str, script: &str) -> Result<String, String> {
        let mut folders = Path::new(self.folder).ancestors();
        let own = folders.find_map(|folder| {
            let path = self.place.root.join(folder).join(script);
            path.exists().then(|| path.display().to_string())
        });
        let on_path = || (self.place.program)(name).map(|_| name.to_owned());
        let found = if name == "gradle" {
            own.or_else(on_path)
        } else {
            on_path().or(own)
        };
        found.ok_or_else(|| format!("{name} is not installed, and there is no {script}"))
    }
}

/// Returns the class of a test file: that of its name.
fn class_of(file: &str) -> Option<&str> {
    Path::new(file).file_stem()?.to_str()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Case<'a> {
        files: &'a [(&'a str, &'a str)],
        /// Programs on the path; all where there are none.
        installed: &'a [&'a str],
        extent: Extent,
    }

    fn told_of(case: &Case<'_>, tests: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in case.files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        let tests: Vec<String> = tests.iter().map(|path| (*path).to_owned()).collect();
        let place = TestPlace {
            root: folder.path(),
            text: &|path| std::fs::read_to_string(folder.path().join(path)).ok(),
            program: &|name| {
                let all = case.installed.is_empty();
                (all || case.installed.contains(&name)).then(|| Path::new("/usr/bin").join(name))
            },
            environment: None,
        };
        let found = find_suites(&place, &tests, case.extent);
        let root = folder.path().display().to_string();
        let each = found.commands.iter().map(|command| {
            format!(
                "{:?}: {} {}",
                command.folder,
                command.program.replace(&root, "ROOT"),
                command.arguments.join(" ")
            )
        });
        let lacking = found.lacking.iter();
        let lacking = lacking.map(|own| format!("{}: {}", own.name, own.why));
        each.chain(lacking).collect()
    }

    fn told(files: &[(&str, &str)], tests: &[&str]) -> Vec<String> {
        let case = Case {
            files,
            installed: &[],
            extent: Extent::Named,
        };
        told_of(&case, tests)
    }

    #[test]
    fn only_the_named_files_are_run() {
        let rust = [
            ("a/Cargo.toml", ""),
            ("a/src/lib.rs", ""),
            ("a/tests/y/main.rs", ""),
            ("a/tests/common/mod.rs", ""),
        ];
        assert_eq!(
            told(&rust, &["a/tests/common/mod.rs"]),
            ["\"a\": cargo test --offline --quiet --no-fail-fast --test * -- --format=pretty"]
        );
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
            ["\"\": python3 -m pytest -q --no-header -rA -p no:cacheprovider tests/test_a.py"]
        );
        let go = [("m/go.mod", "")];
        assert_eq!(
            told(&go, &["m/a/a_test.go", "m/a/b_test.go", "m/x_test.go"]),
            ["\"m\": go test -json ./ ./a"]
        );
        let node = [("w/package.json", r#"{"devDependencies":{"vitest":"1"}}"#)];
        assert_eq!(
            told(&node, &["w/src/a.test.ts"]),
            ["\"w\": vitest run --reporter=json src/a.test.ts"]
        );
        let packages = [node[0], ("w/p/a/package.json", "{\"name\":\"a\"}")];
        assert_eq!(
            told(&packages, &["w/p/a/a.test.ts"]),
            ["\"w\": vitest run --reporter=json p/a/a.test.ts"]
        );
        let of_node = [
            packages[0],
            packages[1],
            ("w/p/a/a.test.js", "import 'node:test'"),
        ];
        assert_eq!(
            told(&of_node, &["w/p/a/a.test.js"]),
            ["\"w/p/a\": node --test --test-reporter=tap a.test.js"]
        );
        let maven = [("m/pom.xml", "")];
        assert_eq!(
            told(
                &maven,
                &["m/src/test/java/a/BTest.java", "m/src/test/java/CTest.java"]
            ),
            [
                "\"m\": mvn -B -o -Daether.enhancedLocalRepository.trackingFilename=none -Dstyle.color=never test -Dtest=BTest,CTest -Dsurefire.failIfNoSpecifiedTests=false"
            ]
        );
        let modules = [
            ("m/pom.xml", "<module>a/b</module>"),
            ("m/a/b/pom.xml", ""),
            ("m/mvnw", ""),
        ];
        let maven = told(&modules, &["m/a/b/src/test/java/CTest.java"]);
        assert!(maven[0].starts_with("\"m\": mvn -B -o "), "{maven:?}");
        assert!(maven[0].ends_with(" -pl a/b -am"), "{maven:?}");
        let wrapped = [("build.gradle", ""), ("gradlew", "")];
        let gradle = told(&wrapped, &["src/test/java/BTest.java"]);
        assert!(
            gradle[0].starts_with("\"\": ROOT/gradlew --offline "),
            "{gradle:?}"
        );
        let gradle = [("build.gradle.kts", "")];
        assert_eq!(
            told(&gradle, &["src/test/kotlin/BTest.kt"]),
            ["\"\": gradle --offline --no-daemon --console=plain test --tests *BTest"]
        );
    }

    #[test]
    fn node_runs_what_a_package_leaves_to_it_and_a_script_runs_the_rest() {
        let imports = "import test from 'node:test'\n";
        for (package, file, text, expected) in [
            (
                None,
                "a.test.mjs",
                imports,
                "node --test --test-reporter=tap a.test.mjs",
            ),
            (
                Some("{}"),
                "a.test.js",
                imports,
                "node --test --test-reporter=tap a.test.js",
            ),
            (
                Some(r#"{"scripts":{"test":"node --test test/"}}"#),
                "a.test.js",
                "",
                "node --test --test-reporter=tap a.test.js",
            ),
            (
                Some(r#"{"scripts":{"test":"node --import tsx --test"}}"#),
                "a.test.ts",
                imports,
                "npm test --silent",
            ),
            (
                Some(r#"{"scripts":{"test":"ava"}}"#),
                "a.test.js",
                "",
                "npm test --silent",
            ),
        ] {
            let mut files = vec![(file, text)];
            files.extend(package.map(|package| ("package.json", package)));
            assert_eq!(told(&files, &[file]), [format!("\"\": {expected}")]);
        }
        let none = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
        let told = told(&[("package.json", none), ("a.test.js", "")], &["a.test.js"]);
        assert_eq!(
            told,
            [
                "tests: nothing is known that runs a.test.js; `command` below [test] of the configuration can name a runner"
            ]
        );
    }

    #[test]
    fn the_environment_of_the_nearest_project_runs_its_tests() {
        let environment = [
            ("b/pyproject.toml", ""),
            ("b/.venv/bin/python", ""),
            ("b/.venv/lib/python3.12/site-packages/pytest/main.py", ""),
            (".venv/bin/python", ""),
        ];
        assert_eq!(
            told(&environment, &["b/tests/test_a.py"]),
            [
                "\"b\": ROOT/b/.venv/bin/python -m pytest -q --no-header -rA -p no:cacheprovider tests/test_a.py"
            ]
        );
        let unittest = [
            (
                "test_a.py",
                "import os, unittest\nclass A(unittest.TestCase): pass\n",
            ),
            ("venv/bin/python", ""),
        ];
        assert_eq!(
            told(&unittest, &["test_a.py"]),
            ["\"\": ROOT/venv/bin/python -m unittest -v test_a.py"]
        );
        let package = [unittest[0], ("__init__.py", "")];
        let case = Case {
            files: &package,
            installed: &["python3"],
            extent: Extent::Named,
        };
        assert_eq!(
            told_of(&case, &["__init__.py", "test_a.py"]),
            ["\"\": python3 -m unittest -v test_a.py"]
        );
        let other = [("test_a.py", "def test_a(): pass\n")];
        let case = Case {
            files: &other,
            installed: &["python3"],
            extent: Extent::Named,
        };
        assert!(told_of(&case, &["test_a.py"])[0].starts_with("\"\": python3 -m pytest"));
    }

    #[test]
    fn what_cannot_run_says_why() {
        let lacking = |files: &[(&str, &str)], test: &str| {
            let case = Case {
                files,
                installed: &["sh"],
                extent: Extent::Named,
            };
            told_of(&case, &[test]).join("\n")
        };
        for (files, test, expected) in [
            (
                &[("Cargo.toml", "")],
                "tests/a.rs",
                "cargo test: cargo is not installed",
            ),
            (
                &[("go.mod", "")],
                "a_test.go",
                "go test: go is not installed",
            ),
            (
                &[("x", "")],
                "test_a.py",
                "pytest: python3 is not on the path, and there is no .venv",
            ),
            (
                &[("package.json", r#"{"devDependencies":{"jest":"1"}}"#)],
                "a.test.js",
                "jest: jest is not installed: there is no node_modules/.bin/jest, and none on the path",
            ),
            (
                &[("pom.xml", "")],
                "ATest.java",
                "mvn test: mvn is not installed, and there is no mvnw",
            ),
        ] {
            assert_eq!(lacking(files, test), expected);
        }
        let gone = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(gone.path().join(".venv/bin")).unwrap();
        std::os::unix::fs::symlink("/nonexistent/python3", gone.path().join(".venv/bin/python"))
            .unwrap();
        let place = TestPlace {
            root: gone.path(),
            text: &|_| None,
            program: &|name| Some(Path::new("/usr/bin").join(name)),
            environment: None,
        };
        let found = find_suites(&place, &["test_a.py".to_owned()], Extent::Named);
        assert!(
            found.lacking[0].why.contains("is not there any more"),
            "{found:?}"
        );
    }

    #[test]
    fn all_tests_are_run_without_names() {
        for (files, test, expected) in [
            (
                &[("Cargo.toml", "")],
                "tests/a.rs",
                "cargo test --offline --quiet --no-fail-fast -- --format=pretty",
            ),
            (&[("go.mod", "")], "a_test.go", "go test -json ./..."),
            (
                &[("pytest.ini", "")],
                "test_a.py",
                "python3 -m pytest -q --no-header -rA -p no:cacheprovider",
            ),
            (
                &[("pom.xml", "")],
                "ATest.java",
                "mvn -B -o -Daether.enhancedLocalRepository.trackingFilename=none -Dstyle.color=never test",
            ),
        ] {
            let case = Case {
                files,
                installed: &[],
                extent: Extent::All,
            };
            for tests in [&[test][..], &[test, "tests/data/page.css"]] {
                assert_eq!(told_of(&case, tests), [format!("\"\": {expected}")]);
            }
        }
    }
}
