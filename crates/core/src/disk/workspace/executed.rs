//! Files that make a program run: editors, shells, build tools and version control do what they
//! say, without being asked to by name.
//!
//! In: a path. Out: what runs or obeys the file, or what finds such files behind a symbolic link of
//! that name. Names are compared without regard to case, as some file systems do. [`table`] has them by kind, each with
//! who keeps a list of them: what is run without a further question when a folder is entered, opened, built or tested.
//! Scripts that a person starts by name are not in it.

pub mod lock_file;
mod table;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use super::WorkspacePath;
use table::{ExecutedRow, TABLE};

/// What files that make a program run are, as the review and the documentation name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// Settings and instructions of coding agents, their hooks and servers.
    Agent,
    /// Builds, task runners and generators.
    Build,
    /// Containers and development environments.
    Container,
    /// Continuous integration, deployment and releases.
    ContinuousIntegration,
    /// Debuggers.
    Debugger,
    /// Sessions, window managers and what they start.
    Desktop,
    /// Editors, with their servers and settings for a project.
    Editor,
    /// Environments of a folder.
    Environment,
    /// Settings of version control.
    Git,
    /// Hooks of version control.
    Hook,
    /// Infrastructure as code.
    Infrastructure,
    /// What interpreters and database shells run when they start.
    Interpreter,
    /// Linters and formatters that run what they name.
    Linter,
    /// Lock files: exact packages, with the hosts that they come from.
    Lock,
    /// Machine code and archives of it.
    Native,
    /// Whose review a change needs.
    Owners,
    /// Package managers.
    Packages,
    /// Folders of programs that are run by name.
    ProgramFolder,
    /// Servers and what starts them.
    Server,
    /// Shells.
    Shell,
    /// The system: services, timers, devices, ssh.
    System,
    /// Terminals and multiplexers.
    Terminal,
    /// Set-ups of tests.
    Test,
    /// Versions of toolchains.
    Toolchain,
}

impl FileKind {
    /// All kinds.
    pub const ALL: [Self; 24] = [
        Self::Agent,
        Self::Build,
        Self::Container,
        Self::ContinuousIntegration,
        Self::Debugger,
        Self::Desktop,
        Self::Editor,
        Self::Environment,
        Self::Git,
        Self::Hook,
        Self::Infrastructure,
        Self::Interpreter,
        Self::Linter,
        Self::Lock,
        Self::Native,
        Self::Owners,
        Self::Packages,
        Self::ProgramFolder,
        Self::Server,
        Self::Shell,
        Self::System,
        Self::Terminal,
        Self::Test,
        Self::Toolchain,
    ];

    /// Returns the words for it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Agent => "coding agents",
            Self::Build => "builds",
            Self::Container => "containers",
            Self::ContinuousIntegration => "continuous integration and deployment",
            Self::Debugger => "debuggers",
            Self::Desktop => "sessions and window managers",
            Self::Editor => "editors",
            Self::Environment => "environments of folders",
            Self::Git => "version control",
            Self::Hook => "hooks of version control",
            Self::Infrastructure => "infrastructure",
            Self::Interpreter => "interpreters",
            Self::Linter => "linters",
            Self::Lock => "lock files",
            Self::Native => "machine code",
            Self::Owners => "owners",
            Self::Packages => "packages",
            Self::ProgramFolder => "folders of programs",
            Self::Server => "servers",
            Self::Shell => "shells",
            Self::System => "the system",
            Self::Terminal => "terminals",
            Self::Test => "tests",
            Self::Toolchain => "toolchains",
        }
    }

    /// Returns whether a build or an installation makes such files as its output. What a program leaves of them among
    /// ignored files is not said to run unasked: a person starts the program that uses it.
    pub fn is_build_output(self) -> bool {
        matches!(self, Self::Native | Self::ProgramFolder | Self::Lock)
    }

    /// Returns whether such files do what they say in whatever folder they are found, also within an installed package: by
    /// entering or opening the folder, or by a program that looks into all folders.
    pub fn is_found_anywhere(self) -> bool {
        match self {
            Self::Agent
            | Self::Debugger
            | Self::Desktop
            | Self::Editor
            | Self::Environment
            | Self::Git
            | Self::Hook
            | Self::Interpreter
            | Self::Shell
            | Self::System
            | Self::Terminal => true,
            Self::Build
            | Self::Container
            | Self::ContinuousIntegration
            | Self::Infrastructure
            | Self::Linter
            | Self::Lock
            | Self::Native
            | Self::Owners
            | Self::Packages
            | Self::ProgramFolder
            | Self::Server
            | Self::Test
            | Self::Toolchain => false,
        }
    }

    /// Returns whether paths of this kind begin with folders of their own, as `.github/workflows`, and not with those of
    /// any project, as `tests/setup.ts`: a link of such a folder's name then leads to them.
    fn has_own_folders(self) -> bool {
        !matches!(
            self,
            Self::Build
                | Self::Test
                | Self::Packages
                | Self::Infrastructure
                | Self::Hook
                | Self::Agent
        )
    }
}

/// What makes a program run, of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// What it is.
    pub kind: FileKind,
    /// What runs or obeys it.
    pub by: &'static str,
}

/// The extensions of source texts and of prose: a name that only begins as one of the table is no such file with them.
/// `src/makefile.rs` and `guide/dockerfile.md` are ordinary files.
const ORDINARY: &[&str] = &[
    "md", "markdown", "mdx", "rst", "adoc", "asciidoc", "org", "tex", "html", "htm", "css", "scss",
    "sass", "less", "svg", "png", "jpg", "jpeg", "gif", "webp", "ico", "pdf", "rs", "go", "c", "h",
    "cc", "cpp", "cxx", "hpp", "hh", "m", "mm", "java", "kt", "cs", "fs", "swift", "scala", "ex",
    "exs", "erl", "hs", "ml", "mli", "clj", "cljs", "dart", "lua", "php", "py", "pyi", "rb", "pl",
    "pm", "r", "jl", "nim", "zig", "v", "sql", "proto", "graphql", "vue", "svelte", "astro", "ts",
    "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "csv", "log", "snap", "txt", "diff", "patch",
    "orig", "rej", "example", "sample",
];
/// The extensions for which `@js` stands in the table.
const SCRIPTS: &[&str] = &["js", "cjs", "mjs", "ts", "cts", "mts", "jsx", "tsx"];
/// Parts of the names of files with types alone, which nothing runs, and of single tests: `esbuild.spec.ts` tests a module.
const NOT_RUN: &[&str] = &[".d.", ".spec.", ".test."];

/// A pattern of the table, taken apart.
#[derive(Debug)]
struct Pattern {
    row: usize,
    /// The parts of a path, each with `*` in it where anything may stand.
    parts: Vec<String>,
    /// Whether the parts are those of folders around the file.
    is_below: bool,
    /// Whether it came of `@js`.
    is_script: bool,
}

/// The patterns of the table: whole names by name, and the others.
#[derive(Debug, Default)]
struct Patterns {
    names: HashMap<String, (usize, bool)>,
    others: Vec<Pattern>,
    /// Those that a file's own name ends, and those that name folders around it. There are 2,400, and each file of a review is
    /// asked about several times: a list of 180 files spent two thirds of its time on them.
    ends: ByLastPart,
    folders: ByLastPart,
}

/// Patterns by what a part of a path has in common with the last part of each that may fit there.
///
/// ```text
/// pattern            is under            for the parts
/// .cargo/config      whole `config`      config
/// makefile.*         first `m`           makefile.linux, main.rs
/// *.tasks.yml        extension `yml`     a.tasks.yml, ci.yml
/// *rc                any                 all
/// ```
#[derive(Debug, Default)]
struct ByLastPart {
    whole: HashMap<String, Vec<usize>>,
    first: HashMap<char, Vec<usize>>,
    /// By what is behind the last dot.
    extension: HashMap<String, Vec<usize>>,
    any: Vec<usize>,
}

impl ByLastPart {
    fn add(&mut self, last: &str, pattern: usize) {
        let same = match last.split_once('*') {
            None => self.whole.entry(last.to_owned()).or_default(),
            Some((start, rest)) => {
                let end = rest.rsplit('*').next().unwrap_or(rest);
                match (start.chars().next(), end.rsplit_once('.')) {
                    (Some(first), _) => self.first.entry(first).or_default(),
                    (None, Some((_, extension))) => {
                        self.extension.entry(extension.to_owned()).or_default()
                    }
                    (None, None) => &mut self.any,
                }
            }
        };
        same.push(pattern);
    }

    /// Returns all patterns that may fit where this part is the last.
    fn may_fit(&self, part: &str) -> impl Iterator<Item = usize> {
        let first = part.chars().next();
        let extension = part.rsplit_once('.').map(|(_, extension)| extension);
        let found = [
            self.whole.get(part),
            first.and_then(|first| self.first.get(&first)),
            extension.and_then(|extension| self.extension.get(extension)),
            Some(&self.any),
        ];
        found.into_iter().flatten().flatten().copied()
    }
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(Patterns::of_table);

impl Patterns {
    fn of_table() -> Self {
        let mut all = Self::default();
        for (row, ExecutedRow { names, .. }) in TABLE.iter().enumerate() {
            for name in names.split_whitespace() {
                for (text, is_script) in expanded(name) {
                    all.add(row, &text, is_script);
                }
            }
        }
        all
    }

    fn add(&mut self, row: usize, text: &str, is_script: bool) {
        if !text.contains(['*', '/']) {
            let first = self.names.entry(text.to_owned());
            first.or_insert((row, is_script));
            return;
        }
        let folders = text.strip_suffix('/');
        let parts = folders.unwrap_or(text);
        let last = parts.rsplit('/').next().unwrap_or(parts);
        let group = if folders.is_some() {
            &mut self.folders
        } else {
            &mut self.ends
        };
        group.add(last, self.others.len());
        self.others.push(Pattern {
            row,
            parts: parts.split('/').map(str::to_owned).collect(),
            is_below: folders.is_some(),
            is_script,
        });
    }

    /// Returns the first row of which a pattern with `*` or folders fits a path.
    fn first_row(&self, parts: &[&str]) -> Option<usize> {
        let (name, folders) = parts.split_last()?;
        let around = folders.iter().flat_map(|part| self.folders.may_fit(part));
        let may_fit = self.ends.may_fit(name).chain(around);
        let may_fit = may_fit.filter_map(|index| self.others.get(index));
        let fits = may_fit.filter(|pattern| pattern.fits(parts));
        fits.map(|pattern| pattern.row).min()
    }
}

impl Pattern {
    fn fits(&self, parts: &[&str]) -> bool {
        let Some((name, folders)) = parts.split_last() else {
            return false;
        };
        let count = self.parts.len();
        if self.is_below {
            return folders
                .windows(count)
                .any(|around| fit(&self.parts, around));
        }
        let is_open = self.parts.last().is_some_and(|last| last.ends_with('*'));
        parts.len() >= count
            && parts
                .windows(count)
                .next_back()
                .is_some_and(|end| fit(&self.parts, end))
            && !(is_open && is_ordinary(name))
            && !(self.is_script && is_not_run(name))
    }
}

/// Returns the patterns for which one of the table stands, and whether each names a script.
fn expanded(name: &str) -> Vec<(String, bool)> {
    if let Some((before, rest)) = name.split_once('{')
        && let Some((either, after)) = rest.split_once('}')
    {
        let each = either
            .split(',')
            .flat_map(|one| expanded(&format!("{before}{one}{after}")));
        return each.collect();
    }
    match name.strip_suffix("@js") {
        Some(start) => SCRIPTS
            .iter()
            .map(|end| (format!("{start}{end}"), true))
            .collect(),
        None => vec![(name.to_owned(), false)],
    }
}

fn fit(patterns: &[String], parts: &[&str]) -> bool {
    patterns
        .iter()
        .zip(parts)
        .all(|(pattern, part)| fits_part(pattern, part))
}

/// Returns whether a part of a path is as a pattern says, in which `*` stands for anything.
fn fits_part(pattern: &str, part: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == part;
    };
    let Some(mut left) = part.strip_prefix(start) else {
        return false;
    };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return left.ends_with(piece);
        }
        match left.split_once(piece) {
            Some((_, after)) => left = after,
            None => return false,
        }
    }
    true
}

fn is_ordinary(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, extension)| ORDINARY.contains(&extension))
}

fn is_not_run(name: &str) -> bool {
    NOT_RUN.iter().any(|part| name.contains(part))
}

/// Returns what makes a program run, if the path of a file says so.
pub fn executed(path: &WorkspacePath) -> Option<Executed> {
    let path = path.as_str().to_lowercase();
    let parts: Vec<&str> = path.split('/').collect();
    let name = parts.last().copied()?;
    let by_name = PATTERNS
        .names
        .get(name)
        .filter(|(_, is_script)| !(*is_script && is_not_run(name)))
        .map(|(row, _)| *row);
    let by_other = PATTERNS.first_row(&parts);
    let row = TABLE.get(by_name.into_iter().chain(by_other).min()?)?;
    Some(Executed {
        kind: row.kind,
        by: row.by,
    })
}

/// Returns what runs or obeys a file, if its path says so.
pub fn runs(path: &WorkspacePath) -> Option<&'static str> {
    executed(path).map(|found| found.by)
}

/// Returns what runs or obeys a file behind a symbolic link of this path, if such a file is looked for
/// there: `.github` leads to `.github/workflows`, `.cargo` to `.cargo/config.toml`.
pub fn runs_behind(link: &WorkspacePath) -> Option<&'static str> {
    runs(link).or_else(|| {
        let path = link.as_str().to_lowercase();
        let parts: Vec<&str> = path.split('/').collect();
        let found = PATTERNS.others.iter().find(|pattern| {
            let folders = folders_of(pattern);
            (1..=folders.len().min(parts.len())).any(|count| {
                let (first, end) = (folders.get(..count), parts.get(parts.len() - count..));
                first.zip(end).is_some_and(|(first, end)| fit(first, end))
            })
        })?;
        TABLE.get(found.row).map(|row| row.by)
    })
}

/// Returns whether a folder of this name can hold files that are known by their folder, as `.github` or
/// `.config`: a link in it may lead to one.
pub fn may_hold(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut others = PATTERNS.others.iter();
    others.any(|pattern| {
        let first = folders_of(pattern).first();
        first.is_some_and(|first| fits_part(first, &name))
    })
}

/// Returns the folders by which a pattern knows files.
fn folders_of(pattern: &Pattern) -> &[String] {
    let parts = pattern.parts.as_slice();
    let has_own = TABLE
        .get(pattern.row)
        .is_some_and(|row| row.kind.has_own_folders());
    let is_hidden = parts.first().is_some_and(|first| first.starts_with('.'));
    match parts.split_last() {
        _ if pattern.is_below => parts,
        Some((_, folders)) if has_own || is_hidden => folders,
        _ => &[],
    }
}

/// Returns the table as a page of the documentation.
pub fn as_markdown() -> String {
    let mut page = String::from(
        "# Files that make a program run\n\n\
         Printed from the table in `crates/core/src/disk/workspace/executed/table.rs`; a test holds them alike.\n\n\
         A proposal for such a file says so on its card, in `runs` of `signoff review --json`, and is not written by \
         `approve --all`: somebody has to look at it first. Names hold in any folder and in any case. `name/` is all \
         below a folder, `*` any characters, `{a,b}` either, `@js` the extensions of JavaScript and TypeScript. A name \
         that ends in `*` is no ordinary file with another extension: `makefile.*` is `Makefile.linux` and not \
         `makefile.rs`. The first row that fits counts.\n",
    );
    for kind in FileKind::ALL {
        let words = kind.words();
        let (first, rest) = words.split_at_checked(1).unwrap_or((words, ""));
        // Writing to a string cannot fail.
        let _written = write!(page, "\n## {}{rest}\n\n", first.to_uppercase());
        for row in TABLE.iter().filter(|row| row.kind == kind) {
            let names: Vec<String> = row
                .names
                .split_whitespace()
                .map(|name| format!("`{name}`"))
                .collect();
            let _written = writeln!(
                page,
                "- **{}** ({}): {}",
                row.by,
                row.source,
                names.join(" ")
            );
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn by(path: &str) -> Option<&'static str> {
        runs(&WorkspacePath::parse(path, Path::new("/w")).unwrap())
    }

    const KNOWN: &[&str] = &[
        ".envrc",
        "sub/.ENVRC",
        ".vscode/tasks.json",
        "a/.vscode/deep/settings.json",
        ".cargo/config.toml",
        ".cargo/config",
        ".gitattributes",
        "a/.gitmodules",
        "AGENTS.md",
        "sub/Agents.MD",
        "CLAUDE.md",
        "GEMINI.md",
        "skills/release/SKILL.md",
        ".agents/skills/release/run.sh",
        ".signoff.toml",
        ".bashrc",
        "home/.zshenv",
        ".config/fish/conf.d/x.fish",
        "lib/HEAD",
        ".husky/pre-commit",
        ".github/workflows/ci.yml",
        ".GitHub/Workflows/ci.yml",
        "packages/a/package.json",
        "build.rs",
        "crates/a/build.rs",
        "tests/conftest.py",
        "Makefile",
        "sub/makefile",
        "rules.mk",
        "vite.config.ts",
        ".eslintrc.cjs",
        "setup.py",
        ".ci/run",
        "compose.yaml",
        "compose.dev.yml",
        // Shells.
        "config/fish/config.fish",
        ".config/fish/config.fish",
        "fish/config.fish",
        "config/fish/conf.d/x.fish",
        "dotfiles/fish/functions/cd.fish",
        ".zshrc",
        ".profile",
        ".bash_profile",
        ".bash_aliases",
        ".config/nushell/config.nu",
        ".xonshrc",
        ".inputrc",
        ".tmux.conf",
        "profile.d/x.sh",
        // Containers and environments.
        ".gitpod.yml",
        ".gitpod.Dockerfile",
        "devfile.yaml",
        ".replit",
        ".devcontainer/Dockerfile",
        ".envrc.local",
        ".env.production",
        // Versions of tools.
        "mise.toml",
        ".mise.toml",
        "mise.local.toml",
        ".mise/config.toml",
        ".tool-versions",
        ".nvmrc",
        "go.mod",
        "global.json",
        // Editors and debuggers.
        ".vscode/launch.json",
        ".idea/workspace.xml",
        ".nvim.lua",
        ".exrc",
        ".dir-locals.el",
        ".config/nvim/init.lua",
        "x.sublime-project",
        ".ycm_extra_conf.py",
        ".gdbinit",
        "lib/libx.so-gdb.py",
        // Hooks.
        "lefthook.yml",
        ".lefthook.yaml",
        "lefthook-local.yml",
        ".pre-commit-config.yaml",
        ".overcommit.yml",
        ".lintstagedrc.json",
        // Continuous integration.
        ".cirrus.yml",
        ".woodpecker.yml",
        ".gitlab-ci.yml",
        "Jenkinsfile",
        "buildspec.yml",
        "renovate.json5",
        ".github/dependabot.yml",
        // Builds.
        "justfile",
        "x.just",
        "Taskfile.yml",
        "Taskfile.dist.yaml",
        "Makefile.toml",
        "gradlew.bat",
        ".mvn/jvm.config",
        "gradle/wrapper/gradle-wrapper.properties",
        "buildSrc/build.gradle.kts",
        "flake.nix",
        "shell.nix",
        ".bazelrc",
        "a/MODULE.bazel",
        "App.csproj",
        "Tupfile",
        "App.xcodeproj/project.pbxproj",
        "debian/rules",
        // Packages.
        ".npmrc",
        ".yarnrc.yml",
        ".pnpmfile.cjs",
        ".bundle/config",
        "gems.rb",
        "conanfile.py",
        "pubspec.yaml",
        // Interpreters, tests and linters.
        "sitecustomize.py",
        ".venv/pyvenv.cfg",
        "x.pth",
        ".pdbrc",
        ".irbrc",
        ".psqlrc",
        "tasks.py",
        "phpunit.xml.dist",
        ".golangci.yml",
        ".prettierrc.js",
        ".storybook/main.ts",
        // Infrastructure.
        "main.tf",
        "prod.tfvars",
        "ansible.cfg",
        "serverless.yml",
        // Agents.
        ".claude/settings.json",
        ".cursor/rules/x.mdc",
        ".codex/config.toml",
        ".agents/x/SKILL.md",
        ".mcp.json",
        ".github/prompts/x.prompt.md",
        "opencode.json",
        "AGENTS.override.md",
        "CLAUDE.local.md",
        ".claude-plugin/hooks/check.sh",
        ".openhands/setup.sh",
        ".github/copilot-instructions.md",
        // Tests.
        "jest.setup.js",
        "jest.setup.ts",
        "src/setupTests.ts",
        "test/setup.ts",
        "vitest.workspace.ts",
        "cypress/support/e2e.ts",
        "spec/rails_helper.rb",
        "tests/bootstrap.php",
        // Builds, generators and watchers.
        ".air.toml",
        "docs/conf.py",
        "knexfile.js",
        "book.toml",
        "Doxyfile",
        "App.sln",
        "rescript.json",
        "Snakefile",
        "Earthfile",
        "MaskFile.md",
        "webpack.prod.js",
        "deps/build.jl",
        "makefile.linux",
        "Makefile.am",
        "requirements-dev.txt",
        "requirements/base.txt",
        "Dockerfile.dev",
        "docker/app.dockerfile",
        "compose.override.yaml",
        // Continuous integration and owners.
        ".readthedocs.yaml",
        ".github/scripts/release.py",
        ".github/release.yml",
        "CODEOWNERS",
        ".github/CODEOWNERS",
        "pkg/OWNERS",
        // Machine code.
        "lib/libx.so",
        "lib/libx.so.1.2",
        "native/addon.node",
        "gradle.jar",
        "x.dll",
        "x.pyd",
        // Programs by name.
        "bin/rails",
        "bin/setup",
        "node_modules/.bin/tsc",
        "venv/bin/activate",
        ".local/bin/x",
        // Window managers and terminals.
        ".config/sway/config",
        ".config/hypr/hyprland.conf",
        "i3/config",
        ".config/kitty/kitty.conf",
        ".wezterm.lua",
        ".skhdrc",
        "bspwmrc",
        // Version control.
        "hooks/pre-commit",
        ".lfsconfig",
        ".config/lazygit/config.yml",
        // Lock files.
        "Cargo.lock",
        "package-lock.json",
        "sub/yarn.lock",
        "pnpm-lock.yaml",
        "go.sum",
        "uv.lock",
        "gradle.lockfile",
        // By the custom of their names.
        ".somethingrc",
        ".somethingrc.json",
    ];

    #[test]
    fn files_that_make_a_program_run_are_known_wherever_they_are() {
        for path in KNOWN {
            assert!(by(path).is_some(), "{path}");
        }
    }

    #[test]
    fn files_with_similar_names_are_not_executed() {
        for path in [
            "src/main.rs",
            "README.md",
            "docs/agents.markdown",
            "a/envrc",
            "vscode/tasks.json",
            "src/head.rs",
            "src/build_rs",
            "my-package.json",
            "src/config.ts",
            "github/workflows/ci.yml",
            "src/hooks/use_state.ts",
            "tsconfig.json",
            "src/edit/compose.rs",
            "composer.yml",
            "src/src.ts",
            "src/service.rs",
            "docs/fish.md",
            "src/env.rs",
            "src/mise.rs",
            "tests/tf.rs",
            "gitpod.md",
            // The beginning of a name of the table, and the extension of a source text.
            "src/makefile.rs",
            "docs/dockerfile.md",
            "src/requirements.py",
            "docs/requirements.md",
            "src/dockerfile.go",
            "src/jenkinsfile.py",
            "docs/azure-pipelines.md",
            "bin/main.rs",
            "src/bin/tool.rs",
            "src/vite-env.d.ts",
            "types/jest.d.ts",
            "src/plugins/esbuild.spec.ts",
            "src/esbuild.ts",
            "src/__snapshots__/a.snap",
            "queries/nginx/highlights.scm",
            "types/jest.setup.d.ts",
            "src/arc.js",
            "src/setup.ts",
            "src/setup.rs",
            "src/conf.rs",
            "lib/kubernetes/client.go",
            "docs/README.md",
            "LICENSE",
            ".gitignore",
            ".editorconfig",
            "tests/data/expected.out",
            "src/lock.rs",
            "src/test/support.rs",
        ] {
            assert_eq!(by(path), None, "{path}");
        }
    }

    #[test]
    fn links_count_that_lead_to_such_files() {
        let behind =
            |path: &str| runs_behind(&WorkspacePath::parse(path, Path::new("/w")).unwrap());
        for path in [
            ".cargo",
            "a/.Cargo",
            ".husky",
            ".github",
            ".github/workflows",
            ".github/workflows/ci.yml",
            ".config",
            ".config/fish",
            "git",
            ".envrc",
            ".vscode/x",
        ] {
            assert!(behind(path).is_some(), "{path}");
        }
        for path in [
            "src",
            "cargo",
            "workflows",
            "x.github",
            "docs/link",
            "a/.cargox",
        ] {
            assert_eq!(behind(path), None, "{path}");
        }
        assert!(may_hold(".github") && may_hold(".Config") && !may_hold("src"));
        assert!(!may_hold("tests") && behind("tests").is_none());
    }

    #[test]
    fn patterns_are_in_small_letters_and_have_no_empty_part() {
        for ExecutedRow { names, .. } in TABLE {
            assert_eq!(*names, names.to_lowercase());
            for (text, _) in names.split_whitespace().flat_map(expanded) {
                let parts = text.strip_suffix('/').unwrap_or(&text).split('/');
                assert!(
                    !text.contains(['{', '}', '@']) || text.starts_with("package@"),
                    "{text}"
                );
                assert!(parts.into_iter().all(|part| !part.is_empty()), "{text}");
            }
        }
    }

    #[test]
    fn whatever_fits_is_found_by_the_keys_of_its_parts() {
        let names = TABLE.iter().flat_map(|row| row.names.split_whitespace());
        for (text, _) in names.flat_map(expanded) {
            for (any, around) in [("", ""), ("x", "a/"), (".d.rs", "m/"), ("*.", ".github/")] {
                let inside = if text.ends_with('/') { "z" } else { "" };
                let path = format!("{around}{text}{inside}").replace('*', any);
                let parts: Vec<&str> = path.split('/').collect();
                let all = PATTERNS.others.iter();
                let fits = all.filter(|pattern| pattern.fits(&parts));
                let first = fits.map(|pattern| pattern.row).min();
                assert_eq!(PATTERNS.first_row(&parts), first, "{path}");
            }
        }
    }

    #[test]
    fn parts_are_compared_with_stars_for_anything() {
        for (pattern, part, fits) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*.so", "x.so", true),
            ("*.so.*", "x.so.1", true),
            ("*.so.*", "x.so", false),
            ("a*b*c", "abc", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "ac", false),
            ("a*", "a", true),
            ("*aa", "a", false),
        ] {
            assert_eq!(fits_part(pattern, part), fits, "{pattern} {part}");
        }
    }

    #[test]
    fn the_page_of_the_documentation_is_the_table() {
        let printed = include_str!("../../../../../docs/executed-files.md");
        let table = as_markdown();
        assert_eq!(
            printed, table,
            "docs/executed-files.md should read:\n\n{table}"
        );
    }
}
