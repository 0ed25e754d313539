//! Finding the checks of a project.
//!
//! In: a workspace and the files that were touched. Out: the checks that its configuration files name, for the
//! languages that were touched, as far as their programs are installed. Where a project has several folders
//! with a configuration, the one nearest to a touched file counts.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use signoff_sandbox::regular;

use super::{Check, Kind, Parser};
use crate::project_folders::package_program;

mod missing;
mod tsconfig;

pub use missing::{MissingCheck, missing};

/// Bytes of a manifest or configuration that is looked into; one that a program wrote could have no end.
const MAX_SETTINGS: u64 = 1024 * 1024;
/// Touched files that are named to a check; beyond that, it looks at its folder.
const MAX_NAMED: usize = 200;

/// The files that staged work touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// All of them, relative to the workspace.
    pub paths: Vec<String>,
    /// Those that are not there any more: they bring a check about, and cannot be named to it.
    pub gone: HashSet<String>,
}

/// A workspace in which checks are looked for.
struct Search<'a> {
    root: &'a Path,
    touched: &'a Touched,
    /// Returns whether a program is on the path.
    installed: &'a dyn Fn(&str) -> bool,
}

/// Returns the checks for the touched files, relative to `root`. `installed` tells whether a
/// program is on the path.
pub fn found(root: &Path, touched: &Touched, installed: &dyn Fn(&str) -> bool) -> Vec<Check> {
    let search = Search {
        root,
        touched,
        installed,
    };
    let all = [
        search.cargo(),
        search.typescript(),
        search.python(),
        search.go(),
        search.clang(),
        search.shell(),
    ];
    all.into_iter().flatten().collect()
}

/// Returns what builds the projects of the touched files.
pub fn builds(root: &Path, touched: &Touched, installed: &dyn Fn(&str) -> bool) -> Vec<Check> {
    let search = Search {
        root,
        touched,
        installed,
    };
    let cargo = search.cargo().into_iter();
    let cargo = cargo.filter(|own| own.name == "cargo check").map(|own| {
        let options = own.arguments.into_iter().skip(1);
        let options = options.filter(|option| option != "--all-targets");
        let arguments = words(&["build"]).into_iter().chain(options).collect();
        check(
            "cargo build",
            own.program,
            arguments,
            &own.folder,
            own.parser,
        )
    });
    let go = search.go().into_iter().filter(|own| own.name == "go build");
    cargo.chain(go).chain(search.package_builds()).collect()
}

impl Search<'_> {
    /// Returns the touched files with one of these extensions.
    fn files(&self, extensions: &[&str]) -> Vec<&str> {
        self.paths()
            .filter(|path| {
                let extension = Path::new(path).extension().and_then(|own| own.to_str());
                extension.is_some_and(|own| extensions.contains(&own))
            })
            .collect()
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        self.touched.paths.iter().map(String::as_str)
    }

    /// Returns which of these files can be named to a check.
    fn there<'b>(&self, files: &[&'b str]) -> Vec<&'b str> {
        let files = files.iter().copied();
        files
            .filter(|file| !self.touched.gone.contains(*file))
            .collect()
    }

    /// Returns the folders nearest to these files that hold one of these names, each with its files.
    fn projects<'b>(&self, files: &[&'b str], names: &[&str]) -> Vec<(String, Vec<&'b str>)> {
        let folders: BTreeSet<String> = files
            .iter()
            .filter_map(|file| self.nearest_with(names, file))
            .collect();
        let each = folders.into_iter().map(|folder| {
            let own = files
                .iter()
                .filter(|file| self.nearest_with(names, file).as_ref() == Some(&folder));
            let own = own.copied().collect();
            (folder, own)
        });
        each.collect()
    }

    /// Returns the folder of a file, or the nearest one above it, in which there is a file with one of the names.
    fn nearest_with(&self, names: &[&str], file: &str) -> Option<String> {
        let folders = Path::new(file).ancestors().skip(1);
        let mut with = folders.filter(|folder| {
            let folder = self.root.join(folder);
            names.iter().any(|name| folder.join(name).is_file())
        });
        with.next().and_then(Path::to_str).map(str::to_owned)
    }

    /// Returns where a program of a project's own packages is, or its name if it is on the path.
    fn script(&self, folder: &str, name: &str) -> Option<String> {
        match package_program(self.root, folder, name) {
            Some(own) => Some(own.to_str()?.to_owned()),
            None => (self.installed)(name).then(|| name.to_owned()),
        }
    }

    fn text(&self, folder: &str, name: &str) -> String {
        let path = self.root.join(folder).join(name);
        regular::text(&path, MAX_SETTINGS).unwrap_or_default()
    }

    fn cargo(&self) -> Vec<Check> {
        let mut files = self.files(&["rs"]);
        files.extend(self.paths().filter(|path| path.ends_with("Cargo.toml")));
        if files.is_empty() || !(self.installed)("cargo") {
            return Vec::new();
        }
        // A workspace of Cargo is checked as a whole: what uses a changed item may be elsewhere in it.
        let top = self.root.join("Cargo.toml").is_file();
        let folders: Vec<String> = if top {
            vec![String::new()]
        } else {
            let projects = self.projects(&files, &["Cargo.toml"]);
            projects.into_iter().map(|(folder, _)| folder).collect()
        };
        let each = folders.into_iter().flat_map(|folder| {
            let tools = if self.uses_clippy(&folder) {
                vec!["check", "clippy"]
            } else {
                vec!["check"]
            };
            let each = tools.into_iter().map(move |tool| {
                let name = format!("cargo {tool}");
                let arguments = [words(&[tool]), words(CARGO)].concat();
                check(&name, "cargo".into(), arguments, &folder, Parser::Cargo)
            });
            each.collect::<Vec<_>>()
        });
        each.collect()
    }

    /// Returns whether clippy's lints are wanted: where the project has set them up.
    fn uses_clippy(&self, folder: &str) -> bool {
        let files = ["clippy.toml", ".clippy.toml"];
        let own = files
            .iter()
            .any(|name| self.root.join(folder).join(name).is_file());
        let set_up = own || self.text(folder, "Cargo.toml").contains("clippy]");
        set_up && (self.installed)("cargo-clippy")
    }

    fn typescript(&self) -> Vec<Check> {
        let mut checks = Vec::new();
        let typed = self.files(&["ts", "tsx", "mts", "cts"]);
        let mut built = BTreeSet::new();
        for (folder, _) in self.projects(&typed, &["tsconfig.json"]) {
            let scope = tsconfig::scope(&self.text(&folder, "tsconfig.json"));
            if scope.own || !scope.others {
                let arguments = words(&["--noEmit", "--pretty", "false"]);
                let tsc = self.script(&folder, "tsc");
                let tsc = tsc.map(|own| check("tsc", own, arguments, &folder, Parser::Tsc));
                checks.extend(tsc);
            }
            // What is referred to is built with it, and what refers to it may be broken by it.
            let above = Path::new(&folder).ancestors().filter_map(Path::to_str);
            let refers =
                |folder: &&str| tsconfig::scope(&self.text(folder, "tsconfig.json")).others;
            built.extend(above.filter(refers).map(str::to_owned));
        }
        for folder in built {
            // It writes, unlike `tsc`, since a project needs the declarations of those that it refers to; nothing
            // of that leaves the shadow. What it built before says nothing of the staged text.
            let arguments = words(&["-b", "--force", "--pretty", "false"]);
            let tsc = self.script(&folder, "tsc");
            checks.extend(tsc.map(|own| check("tsc -b", own, arguments, &folder, Parser::Tsc)));
        }
        let scripts = self.files(&["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"]);
        let there = self.there(&scripts);
        for (folder, files) in self.projects(&there, ESLINT) {
            let arguments = [words(&["--format", "json"]), below(&folder, &files)].concat();
            let eslint = self.script(&folder, "eslint");
            checks.extend(
                eslint.map(|program| check("eslint", program, arguments, &folder, Parser::Eslint)),
            );
        }
        for (folder, files) in self.projects(&there, &["biome.json", "biome.jsonc"]) {
            let arguments = [
                words(&["lint", "--reporter=github"]),
                below(&folder, &files),
            ]
            .concat();
            let biome = self.script(&folder, "biome");
            checks.extend(
                biome.map(|program| check("biome", program, arguments, &folder, Parser::Github)),
            );
        }
        checks.extend(self.package_scripts(&scripts, &checks));
        checks
    }

    /// Returns the script `build` of each package.
    fn package_builds(&self) -> Vec<Check> {
        let files: Vec<&str> = self.paths().collect();
        if !(self.installed)("npm") {
            return Vec::new();
        }
        let packages = self.projects(&files, &["package.json"]).into_iter();
        let built = packages.filter(|(folder, _)| self.has_script(folder, "build"));
        built.map(|(folder, _)| npm_run("build", &folder)).collect()
    }

    fn has_script(&self, folder: &str, script: &str) -> bool {
        let package = self.text(folder, "package.json");
        let package: serde_json::Value = serde_json::from_str(&package).unwrap_or_default();
        package["scripts"][script].is_string()
    }

    /// Returns the scripts `typecheck` and `lint` of a package, where nothing better is known.
    fn package_scripts(&self, files: &[&str], known: &[Check]) -> Vec<Check> {
        let mut checks = Vec::new();
        if !(self.installed)("npm") {
            return checks;
        }
        for (folder, _) in self.projects(files, &["package.json"]) {
            for (script, better) in [
                ("typecheck", ["tsc", "tsc -b"]),
                ("lint", ["eslint", "biome"]),
            ] {
                let mut names = known.iter().map(|check| check.name.as_str());
                if !names.any(|name| better.contains(&name)) && self.has_script(&folder, script) {
                    checks.push(npm_run(script, &folder));
                }
            }
        }
        checks
    }

    fn python(&self) -> Vec<Check> {
        let mut there = self.there(&self.files(&["py", "pyi"]));
        there.truncate(MAX_NAMED);
        let mut checks = Vec::new();
        if there.is_empty() {
            return checks;
        }
        let files = words(&there);
        if (self.installed)("ruff") {
            let options = words(&["check", "--output-format", "json", "--quiet"]);
            let arguments = [options, files.clone()].concat();
            checks.push(check("ruff", "ruff".into(), arguments, "", Parser::Ruff));
        }
        if (self.installed)("mypy") && self.is_configured(&["mypy.ini", ".mypy.ini"], "[tool.mypy]")
        {
            let quiet = words(&[
                "--show-column-numbers",
                "--no-error-summary",
                "--no-color-output",
            ]);
            let arguments = [quiet, files.clone()].concat();
            checks.push(check("mypy", "mypy".into(), arguments, "", Parser::Lines));
        }
        if (self.installed)("pyright")
            && self.is_configured(&["pyrightconfig.json"], "[tool.pyright]")
        {
            let arguments = [words(&["--outputjson"]), files].concat();
            checks.push(check(
                "pyright",
                "pyright".into(),
                arguments,
                "",
                Parser::Pyright,
            ));
        }
        checks
    }

    fn is_configured(&self, own: &[&str], table: &str) -> bool {
        own.iter().any(|name| self.root.join(name).is_file())
            || self.text("", "pyproject.toml").contains(table)
    }

    fn go(&self) -> Vec<Check> {
        let files = self.files(&["go"]);
        if files.is_empty() || !(self.installed)("go") {
            return Vec::new();
        }
        let projects = self.projects(&files, &["go.mod"]).into_iter();
        let each = projects.flat_map(|(folder, _)| {
            let build = words(&["build", "-o", "/dev/null", "./..."]);
            let vet = words(&["vet", "./..."]);
            [("go build", build), ("go vet", vet)].map(|(name, arguments)| {
                check(name, "go".into(), arguments, &folder, Parser::Lines)
            })
        });
        each.collect()
    }

    fn clang(&self) -> Vec<Check> {
        let files = self.there(&self.files(&["c", "cc", "cpp", "cxx"]));
        if files.is_empty() || !(self.installed)("clang") {
            return Vec::new();
        }
        let database = ["", "build"].map(|folder| self.text(folder, "compile_commands.json"));
        let entries = database
            .iter()
            .find_map(|text| serde_json::from_str::<Vec<serde_json::Value>>(text).ok());
        let mut checks = Vec::new();
        for entry in entries.unwrap_or_default() {
            let folder = entry["directory"].as_str().unwrap_or_default();
            let source = entry["file"].as_str().unwrap_or_default();
            let whole = self.root.join(folder).join(source);
            let Ok(path) = whole.strip_prefix(self.root) else {
                continue;
            };
            let touched = path.to_str().is_some_and(|path| files.contains(&path));
            let below = self.root.join(folder);
            let below = below.strip_prefix(self.root).ok().and_then(Path::to_str);
            if let (true, Some(below)) = (touched && checks.len() < MAX_NAMED, below) {
                let arguments = compiler_arguments(&entry);
                checks.push(check(
                    "clang",
                    "clang".into(),
                    arguments,
                    below,
                    Parser::Lines,
                ));
            }
        }
        checks
    }

    fn shell(&self) -> Vec<Check> {
        let mut there = self.there(&self.files(&["sh", "bash"]));
        there.truncate(MAX_NAMED);
        let each = there.iter().map(|file| {
            let arguments = words(&["-n", file]);
            check("bash -n", "bash".into(), arguments, "", Parser::Shell)
        });
        let mut checks: Vec<Check> = each.collect();
        if !there.is_empty() && (self.installed)("shellcheck") {
            let arguments = [words(&["-f", "json"]), words(&there)].concat();
            checks.push(check(
                "shellcheck",
                "shellcheck".into(),
                arguments,
                "",
                Parser::Shellcheck,
            ));
        }
        checks
    }
}

/// What Cargo is told besides what it is to do.
const CARGO: &[&str] = &[
    "--workspace",
    "--all-targets",
    "--keep-going",
    "--offline",
    "--quiet",
    "--message-format=json",
];

/// Configuration files of ESLint.
const ESLINT: &[&str] = &[
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.cjs",
    "eslint.config.ts",
    ".eslintrc",
    ".eslintrc.js",
    ".eslintrc.cjs",
    ".eslintrc.json",
    ".eslintrc.yml",
    ".eslintrc.yaml",
];

fn check(
    name: &str,
    program: String,
    arguments: Vec<String>,
    folder: &str,
    parser: Parser,
) -> Check {
    Check {
        name: name.to_owned(),
        kind: kind(name),
        program,
        arguments,
        folder: folder.to_owned(),
        parser,
        timeout: None,
    }
}

/// Returns the check that is a script of a package.
fn npm_run(script: &str, folder: &str) -> Check {
    let arguments = words(&["run", "--silent", script]);
    let name = format!("npm run {script}");
    check(&name, "npm".into(), arguments, folder, Parser::Lines)
}

/// Returns what the checks that are found here are about.
fn kind(name: &str) -> Kind {
    match name {
        "cargo build" | "npm run build" => Kind::Build,
        "cargo clippy" | "eslint" | "biome" | "npm run lint" | "ruff" | "go vet" | "shellcheck" => {
            Kind::Style
        }
        _ => Kind::Types,
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns the files as a program in the folder names them.
fn below(folder: &str, files: &[&str]) -> Vec<String> {
    files
        .iter()
        .take(MAX_NAMED)
        .filter_map(|file| path_below(folder, file))
        .collect()
}

fn path_below(folder: &str, file: &str) -> Option<String> {
    Path::new(file)
        .strip_prefix(folder)
        .ok()?
        .to_str()
        .map(str::to_owned)
}

/// Returns what a compiler is told of a file, without what it is to write.
fn compiler_arguments(entry: &serde_json::Value) -> Vec<String> {
    let listed = entry["arguments"].as_array().map(|words| {
        let words = words.iter().filter_map(|word| word.as_str());
        words.map(str::to_owned).collect::<Vec<_>>()
    });
    let mut given = listed
        .unwrap_or_else(|| {
            let command = entry["command"].as_str().unwrap_or_default();
            command.split_whitespace().map(str::to_owned).collect()
        })
        .into_iter()
        .skip(1);
    let mut arguments = words(&["-fsyntax-only", "-fno-color-diagnostics"]);
    while let Some(word) = given.next() {
        match word.as_str() {
            "-c" => {}
            "-o" | "-MF" | "-MT" | "-MQ" => drop(given.next()),
            "-MD" | "-MMD" => {}
            _ => arguments.push(word),
        }
    }
    arguments
}

#[cfg(test)]
mod tests;
