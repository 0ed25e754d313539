//! Files that make a program run: editors, shells, build tools and version control do what they
//! say, without being asked to by name.
//!
//! In: a path. Out: what runs or obeys the file, or what finds such files behind a symbolic link of
//! that name. Names are compared without regard to case, as some file systems do. The list is of what
//! is run without a further question when a folder is entered, opened, built or tested; scripts that a
//! person starts are not in it.

mod projects;
mod environment;

use super::WorkspacePath;

/// What a path is compared with; letters are small.
enum Pattern {
    /// The file's name.
    Name(&'static str),
    /// The end of the file's name.
    Suffix(&'static str),
    /// The beginning of the file's name.
    Prefix(&'static str),
    /// The beginning and the end of the file's name, with nothing between them or a part with dots.
    Between(&'static str, &'static str),
    /// The last components of the path.
    Ending(&'static str),
    /// The name of a folder that the file is in, at any depth, or several with `/` between.
    Below(&'static str),
}

use Pattern::{Below, Between, Ending, Name, Prefix, Suffix};

/// Returns all patterns and what runs the files that fit them.
fn table() -> impl Iterator<Item = &'static (Pattern, &'static str)> {
    environment::TABLE.iter().chain(projects::TABLE)
}

/// Returns what runs or obeys a file, if its path says so.
pub fn runs(path: &WorkspacePath) -> Option<&'static str> {
    let path = path.as_str().to_lowercase();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let (path, folder) = (format!("/{path}"), format!("/{folder}/"));
    let fits = |pattern: &Pattern| match pattern {
        Name(own) => name == *own,
        Suffix(end) => name.ends_with(end),
        Prefix(begin) => name.starts_with(begin),
        Between(begin, end) => name
            .strip_prefix(begin)
            .and_then(|rest| rest.strip_suffix(end))
            .is_some_and(|between| between.is_empty() || between.starts_with('.')),
        Ending(end) => path
            .strip_suffix(end)
            .is_some_and(|rest| rest.ends_with('/')),
        Below(own) => folder.match_indices(own).any(|(at, _)| {
            let (before, after) = (folder.get(..at), folder.get(at + own.len()..));
            before.is_some_and(|before| before.ends_with('/'))
                && after.is_some_and(|after| after.starts_with('/'))
        }),
    };
    let found = table().find(|(pattern, _)| fits(pattern));
    found.map(|(_, by)| *by)
}

/// Returns what runs or obeys a file behind a symbolic link of this path, if such a file is looked for
/// there: `.github` leads to `.github/workflows`, `.cargo` to `.cargo/config.toml`.
pub fn runs_behind(link: &WorkspacePath) -> Option<&'static str> {
    runs(link).or_else(|| {
        let path = format!("/{}", link.as_str().to_lowercase());
        let leads = |folders: &str| {
            let ends = folders.match_indices('/').map(|(at, _)| at);
            let mut begins = ends.chain([folders.len()]);
            begins.any(|end| {
                let begin = folders.get(..end);
                let rest = begin.and_then(|begin| path.strip_suffix(begin));
                rest.is_some_and(|rest| rest.ends_with('/'))
            })
        };
        let fits = |pattern: &Pattern| match pattern {
            Below(folders) => leads(folders),
            Ending(file) => file
                .rsplit_once('/')
                .is_some_and(|(folders, _)| leads(folders)),
            Name(_) | Suffix(_) | Prefix(_) | Between(..) => false,
        };
        let found = table().find(|(pattern, _)| fits(pattern));
        found.map(|(_, by)| *by)
    })
}

/// Returns whether a folder of this name can hold files that are known by their folder, as `.github` or
/// `.config`: a link in it may lead to one.
pub fn may_hold(name: &str) -> bool {
    let name = name.to_lowercase();
    let begins = |folders: &str| folders.split('/').next() == Some(name.as_str());
    table().any(|(pattern, _)| match pattern {
        Below(folders) | Ending(folders) => begins(folders),
        Name(_) | Suffix(_) | Prefix(_) | Between(..) => false,
    })
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
    ];

    #[test]
    fn files_that_make_a_program_run_are_known_wherever_they_are() {
        for path in KNOWN {
            assert!(by(path).is_some(), "{path}");
        }
    }

    #[test]
    fn other_files_are_not() {
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
    }

    #[test]
    fn patterns_are_in_small_letters() {
        for (pattern, _) in table() {
            let texts = match pattern {
                Name(text) | Suffix(text) | Prefix(text) | Ending(text) | Below(text) => vec![text],
                Between(begin, end) => vec![begin, end],
            };
            for text in texts {
                assert_eq!(*text, text.to_lowercase());
                assert!(!text.starts_with('/') && !text.ends_with('/'), "{text}");
            }
        }
    }
}
