//! Files that make a program run: editors, shells, build tools and version control do what they
//! say, without being asked to by name.
//!
//! In: a path. Out: what runs or obeys the file. Names are compared without regard to case, as some
//! file systems do. The list is of what is run without a further question when a folder is entered,
//! opened, built or tested; scripts that a person starts are not in it.

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

const SHELL: &str = "a shell runs it when it starts";
const EDITOR: &str = "an editor runs what it names";
const AGENT: &str = "coding agents do what it says";
const GIT: &str = "git runs what it names";
const CI: &str = "continuous integration runs it";
const BUILD: &str = "a build runs it";
const TEST: &str = "a test run runs it";
const PACKAGES: &str = "a package manager runs what it names";
const TOOLCHAIN: &str = "it chooses the programs that a build runs";
const CONTAINER: &str = "a container is made from it";
const NODE: &str = "a JavaScript tool runs it";

const TABLE: &[(Pattern, &str)] = &[
    (Name(".envrc"), "direnv runs it when the folder is entered"),
    (
        Below(".direnv"),
        "direnv runs it when the folder is entered",
    ),
    (Name(".env"), "programs take their environment from it"),
    (Name(".signoff.toml"), "signoff takes its rules from it"),
    (Name("agents.md"), AGENT),
    (Name("claude.md"), AGENT),
    (Name("gemini.md"), AGENT),
    (Name(".cursorrules"), AGENT),
    (Name("claude.local.md"), AGENT),
    (Name("skill.md"), AGENT),
    (Name(".goosehints"), AGENT),
    (Name(".clinerules"), AGENT),
    (Name("mcp.json"), AGENT),
    (Below(".windsurf"), AGENT),
    (Below(".continue"), AGENT),
    (Below(".roo"), AGENT),
    (Below(".junie"), AGENT),
    (Below(".kiro"), AGENT),
    (Below(".amazonq"), AGENT),
    (Below(".opencode"), AGENT),
    (Name(".windsurfrules"), AGENT),
    (Name(".mcp.json"), AGENT),
    (Ending(".github/copilot-instructions.md"), AGENT),
    (Below(".claude"), AGENT),
    (Below(".cursor"), AGENT),
    (Below(".codex"), AGENT),
    (Below(".gemini"), AGENT),
    (Name(".gitattributes"), GIT),
    (Name(".gitmodules"), GIT),
    (Name(".gitconfig"), GIT),
    (Ending("git/config"), GIT),
    (Name(".hgrc"), "Mercurial runs what it names"),
    (Name("head"), "git takes a folder with it for a repository"),
    (Below(".husky"), "git runs hooks"),
    (Below(".githooks"), "git runs hooks"),
    (Below("githooks"), "git runs hooks"),
    (Below("git-hooks"), "git runs hooks"),
    (Name(".pre-commit-config.yaml"), "git runs hooks"),
    (Suffix("lefthook.yml"), "git runs hooks"),
    (Name(".bashrc"), SHELL),
    (Prefix(".bash_"), SHELL),
    (Below("fish/conf.d"), SHELL),
    (Name(".profile"), SHELL),
    (Name(".zshrc"), SHELL),
    (Name(".zshenv"), SHELL),
    (Name(".zprofile"), SHELL),
    (Name(".zlogin"), SHELL),
    (Name(".zlogout"), SHELL),
    (Name(".kshrc"), SHELL),
    (Name(".cshrc"), SHELL),
    (Name(".tcshrc"), SHELL),
    (Name(".login"), SHELL),
    (Name(".xprofile"), SHELL),
    (Name(".xinitrc"), SHELL),
    (Below(".config/fish"), SHELL),
    (Below(".config/autostart"), "a session starts it"),
    (Below(".config/systemd"), "the system starts it"),
    (
        Below(".ssh"),
        "ssh runs what it names, and lets in whom it names",
    ),
    (Below(".vscode"), EDITOR),
    (Suffix(".code-workspace"), EDITOR),
    (Below(".idea"), EDITOR),
    (Below(".fleet"), EDITOR),
    (Below(".emacs.d"), EDITOR),
    (Below(".vim"), EDITOR),
    (Below(".helix"), EDITOR),
    (Below(".zed"), EDITOR),
    (Below(".nvim"), EDITOR),
    (Name(".nvim.lua"), EDITOR),
    (Name(".nvimrc"), EDITOR),
    (Name(".vimrc"), EDITOR),
    (Name(".exrc"), EDITOR),
    (Name(".dir-locals.el"), EDITOR),
    (Name(".emacs"), EDITOR),
    (Name(".gdbinit"), "a debugger runs it"),
    (Name(".lldbinit"), "a debugger runs it"),
    (Below(".devcontainer"), CONTAINER),
    (Name(".devcontainer.json"), CONTAINER),
    (Name("dockerfile"), CONTAINER),
    (Suffix(".dockerfile"), CONTAINER),
    (Name("containerfile"), CONTAINER),
    (Name("devcontainer.json"), CONTAINER),
    (Name("tiltfile"), CONTAINER),
    (Prefix("dockerfile."), CONTAINER),
    (Prefix("containerfile."), CONTAINER),
    (Prefix("docker-compose."), CONTAINER),
    (Between("compose", ".yml"), CONTAINER),
    (Between("compose", ".yaml"), CONTAINER),
    (Name("vagrantfile"), CONTAINER),
    (Below(".github/workflows"), CI),
    (Below(".github/actions"), CI),
    (Name("action.yml"), CI),
    (Name("action.yaml"), CI),
    (Below(".gitlab"), CI),
    (Below(".circleci"), CI),
    (Below(".buildkite"), CI),
    (Below(".woodpecker"), CI),
    (Below(".ci"), CI),
    (Name(".drone.yml"), CI),
    (Name(".travis.yml"), CI),
    (Suffix("appveyor.yml"), CI),
    (Name("bitbucket-pipelines.yml"), CI),
    (Name("cloudbuild.yaml"), CI),
    (Name("jenkinsfile"), CI),
    (Name("wercker.yml"), CI),
    (Name("skaffold.yaml"), CI),
    (Prefix("jenkinsfile."), CI),
    (Prefix("azure-pipelines"), CI),
    (Prefix(".gitlab-ci"), CI),
    (Below(".gitea/workflows"), CI),
    (Below(".forgejo/workflows"), CI),
    (Below(".tekton"), CI),
    (Below(".teamcity"), CI),
    (Below(".semaphore"), CI),
    (Below(".azuredevops"), CI),
    (Name("procfile"), "a process manager runs it"),
    (Below(".cargo"), BUILD),
    (Name("build.rs"), BUILD),
    (Name("cargo.toml"), BUILD),
    (Name("rust-toolchain"), TOOLCHAIN),
    (Name("rust-toolchain.toml"), TOOLCHAIN),
    (Name(".tool-versions"), TOOLCHAIN),
    (Suffix("mise.toml"), TOOLCHAIN),
    (Name("makefile"), BUILD),
    (Name("gnumakefile"), BUILD),
    (Name("autogen.sh"), BUILD),
    (Name("binding.gyp"), BUILD),
    (Name("cmakepresets.json"), BUILD),
    (Name("project.clj"), BUILD),
    (Name("deps.edn"), BUILD),
    (Name("stack.yaml"), BUILD),
    (Name("setup.hs"), BUILD),
    (Prefix("makefile."), BUILD),
    (Prefix("gradlew"), BUILD),
    (Prefix("mvnw"), BUILD),
    (Suffix(".nix"), BUILD),
    (Suffix(".targets"), BUILD),
    (Suffix(".props"), BUILD),
    (Below("gradle/wrapper"), BUILD),
    (Suffix(".mk"), BUILD),
    (Name("justfile"), BUILD),
    (Name(".justfile"), BUILD),
    (Suffix("taskfile.yml"), BUILD),
    (Suffix("taskfile.yaml"), BUILD),
    (Name("cmakelists.txt"), BUILD),
    (Suffix(".cmake"), BUILD),
    (Name("meson.build"), BUILD),
    (Name("configure"), BUILD),
    (Name("configure.ac"), BUILD),
    (Name("build"), BUILD),
    (Name("build.bazel"), BUILD),
    (Suffix(".bzl"), BUILD),
    (Name("workspace"), BUILD),
    (Name("module.bazel"), BUILD),
    (Name("sconstruct"), BUILD),
    (Name("wscript"), BUILD),
    (Name("build.zig"), BUILD),
    (Name("rakefile"), BUILD),
    (Suffix(".gradle"), BUILD),
    (Suffix(".gradle.kts"), BUILD),
    (Name("gradle.properties"), BUILD),
    (Below(".mvn"), BUILD),
    (Name("pom.xml"), BUILD),
    (Name("build.xml"), BUILD),
    (Name("build.sbt"), BUILD),
    (Suffix(".csproj"), BUILD),
    (Suffix(".vcxproj"), BUILD),
    (Name("package.json"), PACKAGES),
    (Name(".npmrc"), PACKAGES),
    (Name(".yarnrc"), PACKAGES),
    (Name(".yarnrc.yml"), PACKAGES),
    (Below(".yarn"), PACKAGES),
    (Name(".pnpmfile.cjs"), PACKAGES),
    (Name("composer.json"), PACKAGES),
    (Name("gemfile"), PACKAGES),
    (Name("pipfile"), PACKAGES),
    (Name("pnpm-workspace.yaml"), PACKAGES),
    (Prefix("requirements"), PACKAGES),
    (Suffix(".gemspec"), PACKAGES),
    (Name("podfile"), PACKAGES),
    (Name("brewfile"), PACKAGES),
    (Name("package.swift"), PACKAGES),
    (Name("mix.exs"), PACKAGES),
    (Name("rebar.config"), PACKAGES),
    (Name("setup.py"), PACKAGES),
    (Name("setup.cfg"), PACKAGES),
    (Name("pyproject.toml"), PACKAGES),
    (Name("pip.conf"), PACKAGES),
    (Name("conftest.py"), TEST),
    (Name("pytest.ini"), TEST),
    (Name("tox.ini"), TEST),
    (Name("noxfile.py"), TEST),
    (Name("fabfile.py"), TEST),
    (Name("dodo.py"), TEST),
    (Name("sitecustomize.py"), "Python runs it when it starts"),
    (Name("usercustomize.py"), "Python runs it when it starts"),
    (Suffix(".pth"), "Python runs it when it starts"),
    (Name(".pylintrc"), "a linter runs what it names"),
    (Name(".rprofile"), "R runs it when it starts"),
    (Name("gulpfile.js"), NODE),
    (Name("gruntfile.js"), NODE),
    (Suffix(".config.js"), NODE),
    (Suffix(".config.cjs"), NODE),
    (Suffix(".config.mjs"), NODE),
    (Suffix(".config.ts"), NODE),
    (Suffix(".config.mts"), NODE),
    (Suffix(".config.cts"), NODE),
    (Suffix(".conf.js"), NODE),
    (Suffix("rc.js"), NODE),
    (Suffix("rc.cjs"), NODE),
    (Suffix("rc.mjs"), NODE),
    (Name(".babelrc"), NODE),
    (Name(".eslintrc"), NODE),
    (Name(".eslintrc.json"), NODE),
    (Name(".mocharc.json"), NODE),
    (Name("lerna.json"), NODE),
    (Name("nx.json"), NODE),
    (Name("turbo.json"), NODE),
    (Name("deno.json"), NODE),
    (Name("bunfig.toml"), NODE),
];

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
        Below(own) => folder.contains(&format!("/{own}/")),
    };
    let found = TABLE.iter().find(|(pattern, _)| fits(pattern));
    found.map(|(_, by)| *by)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn by(path: &str) -> Option<&'static str> {
        runs(&WorkspacePath::parse(path, Path::new("/w")).unwrap())
    }

    #[test]
    fn files_that_make_a_program_run_are_known_wherever_they_are() {
        for path in [
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
        ] {
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
        ] {
            assert_eq!(by(path), None, "{path}");
        }
    }

    #[test]
    fn patterns_are_in_small_letters() {
        for (pattern, _) in TABLE {
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
