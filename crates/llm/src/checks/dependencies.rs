//! Dependencies that are not installed: whether a program could not do its work for that, by its own words.
//!
//! ```text
//! sh: 1: eslint: not found                                exit code 127 of npm: `npm ci`
//! Error: Cannot find package 'tsx' ... Node.js v22.1.0    Node itself ended, and no node_modules has tsx: `npm ci`
//! error: no matching package named `atty` found           of Cargo, which may not download: `cargo fetch`
//! ```
//!
//! In: the program, its exit code and output, and the folders that may have packages. Out: what is lacking, and what installs it. A
//! test that fails since it imports a package that is not there fails as any other.

use std::path::{Path, PathBuf};

use super::NOT_RUN;

/// A lock file, and the command that installs what it names.
const LOCKED: [(&str, &str); 6] = [
    ("package-lock.json", "npm ci"),
    ("npm-shrinkwrap.json", "npm ci"),
    ("pnpm-lock.yaml", "pnpm install"),
    ("yarn.lock", "yarn install"),
    ("bun.lock", "bun install"),
    ("bun.lockb", "bun install"),
];
/// What a program says where a dependency was not downloaded, and what downloads it.
const DOWNLOADS: [(&str, &str, &str); 7] = [
    ("cargo", "no matching package named", "cargo fetch"),
    ("cargo", "failed to download", "cargo fetch"),
    ("cargo", "but --offline was specified", "cargo fetch"),
    ("go", "dial tcp: lookup ", "go mod download"),
    ("go", "lookup disabled by GOPROXY=off", "go mod download"),
    ("mvn", "in offline mode", "mvn dependency:go-offline"),
    ("gradle", "available for offline mode", "gradle build"),
];
/// What Python says where the runner itself is not there.
const NO_PYTEST: &str = ": No module named pytest";
/// What runs scripts of a package.
const SCRIPTS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Says which dependencies a program found missing, and what installs them; none where something else failed. `folders` are
/// those in which the program looks for packages, the nearest first.
pub(super) fn lacking(
    (program, code): (&str, i32),
    folders: &[PathBuf],
    (err, out): (&str, &str),
) -> Option<String> {
    let name = Path::new(program).file_name()?.to_str()?;
    let name = name.trim_end_matches('w');
    let lines: Vec<&str> = err.lines().chain(out.lines()).map(str::trim).collect();
    let (line, how) = by_script((name, code), folders, &lines)
        .or_else(|| by_node(folders, &lines))
        .or_else(|| by_download(name, &lines))?;
    let line = line.trim_start_matches("# ");
    Some(format!("its dependencies are not here ({line}): {how}"))
}

/// A shell says that a script's program is not there.
fn by_script<'a>(
    (name, code): (&str, i32),
    folders: &[PathBuf],
    lines: &[&'a str],
) -> Option<(&'a str, String)> {
    let line = lines.iter().find(|line| is_no_program(line))?;
    let is_script = SCRIPTS.contains(&name) && NOT_RUN.contains(&code);
    is_script.then(|| (*line, by_packages(folders)))
}

/// Node ended for a package that it was to load. Under its test runner each test has a process, and its output is a comment;
/// there only a package of an option, as `--import tsx`, is the runner's: it is imported from a folder, not a file.
fn by_node<'a>(folders: &[PathBuf], lines: &[&'a str]) -> Option<(&'a str, String)> {
    let is_over = lines.iter().any(|line| line.starts_with("Node.js v"));
    let mut lacking = lines.iter().filter(|line| lacks_package(line, folders));
    let line = lacking.find(|line| is_over && !line.starts_with('#') || line.ends_with('/'))?;
    Some((*line, by_packages(folders)))
}

/// A runner or a package manager says that it lacks something and may not download it.
fn by_download<'a>(name: &str, lines: &[&'a str]) -> Option<(&'a str, String)> {
    if let Some(line) = lines.iter().find(|line| line.ends_with(NO_PYTEST)) {
        let how = "`pip install pytest` in the project's environment adds it";
        return Some((*line, how.to_owned()));
    }
    let mut own = DOWNLOADS.iter().filter(|(own, ..)| *own == name);
    own.find_map(|(_, words, command)| {
        let line = lines.iter().find(|line| line.contains(words))?;
        let how = format!("`{command}` in a terminal of yours downloads them");
        Some((*line, how))
    })
}

/// `sh: 1: eslint: not found`, `sh: eslint: command not found`
fn is_no_program(line: &str) -> bool {
    line.ends_with(": not found") || line.ends_with(": command not found")
}

/// Returns whether a line says that Node did not find a package, and no folder has it.
fn lacks_package(line: &str, folders: &[PathBuf]) -> bool {
    let words = ["Cannot find package '", "Cannot find module '"];
    let mut found = words.iter().filter_map(|words| line.split_once(words));
    let Some(name) = found.find_map(|(_, rest)| rest.split('\'').next()) else {
        return false;
    };
    // `@scope/name/part`
    let parts = if name.starts_with('@') { 2 } else { 1 };
    let package: PathBuf = name.split('/').take(parts).collect();
    let is_package = !name.starts_with(['.', '/', '#']) && !name.contains(':');
    is_package
        && !folders
            .iter()
            .any(|folder| folder.join("node_modules").join(&package).exists())
}

fn by_packages(folders: &[PathBuf]) -> String {
    let mut locked = folders
        .iter()
        .flat_map(|folder| LOCKED.map(|(file, command)| (folder.join(file), command)));
    let command = locked.find(|(file, _)| file.exists());
    let command = command.map_or("npm install", |(_, command)| command);
    format!(
        "`{command}` in a terminal of yours installs them, `/keep` brings what programs installed"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_installed_is_told_from_what_fails() {
        let folder = tempfile::tempdir().expect("a folder");
        let make = |path: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, "").expect("a file");
        };
        make("yarn.lock");
        make("node_modules/@a/here/package.json");
        let folders = [folder.path().join("p"), folder.path().to_owned()];
        let node = |name: &str, end: &str| {
            format!("Error: Cannot find package '{name}' imported from /w/a.js\n  code: 'E'\n{end}")
        };
        let ended = "Node.js v22.1.0\n";
        for (program, code, err, expected) in [
            ("npm", 127, "sh: 1: eslint: not found\n", "`yarn install`"),
            ("npm", 1, "sh: 1: eslint: not found\n", ""),
            ("npm", 1, &node("tsx", ended), "`yarn install`"),
            ("npm", 1, &node("@a/gone/x", ended), "`yarn install`"),
            ("npm", 1, &node("@a/here/x", ended), ""),
            (
                "npm",
                1,
                "# Error: Cannot find package 'tsx' imported from /w/\n# Node.js v22.1.0\n",
                "`yarn install`",
            ),
            (
                "npm",
                1,
                "# Error: Cannot find package 'x' imported from /w/a.js\n# Node.js v22.1.0\n",
                "",
            ),
            ("npm", 1, &node("./x.js", ended), ""),
            ("npm", 1, &node("tsx", "1 failed\n"), ""),
            (
                "cargo",
                101,
                "error: failed to download `atty v0.2.14`\n",
                "`cargo fetch`",
            ),
            ("cargo", 101, "error[E0432]: unresolved import\n", ""),
            (
                "/w/.venv/bin/python",
                1,
                "/w/.venv/bin/python: No module named pytest\n",
                "`pip install pytest`",
            ),
            (
                "python3",
                1,
                "ModuleNotFoundError: No module named 'x'\n",
                "",
            ),
            (
                "/w/mvnw",
                1,
                "[ERROR] Cannot access central in offline mode\n",
                "`mvn dependency:go-offline`",
            ),
        ] {
            let told = lacking((program, code), &folders, (err, ""));
            let told = told.unwrap_or_default();
            let command = told.split_once("): ").map_or("", |(_, how)| how);
            let command: String = command.split_inclusive('`').take(2).collect();
            assert_eq!(command, expected, "{program}: {err}");
        }
    }
}
