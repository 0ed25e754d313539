//! What a program finds of the user's home and environment, unless the user has configured more.
//!
//! Both are allow-lists: toolchains and their settings, caches that builds fill, variables that compilers read. Keys of
//! the user, of browsers and of other programs are not on them, whatever they are called.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::private_files::{
    MAX_SETTINGS, beside_repository, private_files, repository_settings, without_keys,
};
use super::settings::{cargo_settings, has_secret_word, holds_key};
use super::setup::GitElsewhere;
use super::user_git;
use crate::git_view;
use crate::ignored::Ignored;

/// Toolchains below the home folder; the folder that a variable names counts in place of its default.
const TOOLCHAINS: [(&str, Option<&str>); 34] = [
    (".cargo/bin", None),
    (".rustup", Some("RUSTUP_HOME")),
    (".nvm", Some("NVM_DIR")),
    (".fnm", Some("FNM_DIR")),
    (".volta", Some("VOLTA_HOME")),
    (".pyenv", Some("PYENV_ROOT")),
    (".rbenv", Some("RBENV_ROOT")),
    (".asdf", Some("ASDF_DATA_DIR")),
    (".sdkman/candidates", None),
    (".local/bin", None),
    (".local/lib", None),
    (".local/share/uv/python", None),
    (".local/share/uv/tools", None),
    (".local/share/mise", Some("MISE_DATA_DIR")),
    (".local/share/fnm", None),
    (".local/share/pipx", None),
    (".local/pipx", None),
    (".dotnet", Some("DOTNET_ROOT")),
    (".deno/bin", None),
    (".bun/bin", None),
    (".ghcup", None),
    (".elan", Some("ELAN_HOME")),
    (".juliaup", None),
    (".nix-profile", None),
    (".local/state/nix", None),
    ("go/bin", None),
    ("", Some("GOROOT")),
    ("", Some("JAVA_HOME")),
    ("", Some("ANDROID_HOME")),
    ("", Some("CONDA_PREFIX")),
    ("", Some("VIRTUAL_ENV")),
    ("", Some("GEM_HOME")),
    ("", Some("NODE_PATH")),
    ("", Some("LIBCLANG_PATH")),
];

/// Links from one name of an interpreter to the next within its environment: `python`, `python3`, `python3.12`.
const MAX_HOPS: usize = 4;
/// Folders of a workspace in which a virtual environment of Python is by habit.
const ENVIRONMENTS: [&str; 2] = [".venv", "venv"];

/// Variables that name where a build writes; outside of the workspace too.
const BUILD_FOLDERS: [&str; 2] = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"];

/// Caches below the home folder; the first part is replaced where a variable names the folder.
const CACHES: [(&str, Option<&str>, &str); 29] = [
    (".cargo", Some("CARGO_HOME"), "registry"),
    (".cargo", Some("CARGO_HOME"), "git"),
    (".cache", Some("XDG_CACHE_HOME"), "pip"),
    (".cache", Some("XDG_CACHE_HOME"), "uv"),
    (".cache", Some("XDG_CACHE_HOME"), "pypoetry"),
    (".cache", Some("XDG_CACHE_HOME"), "go-build"),
    (".cache", Some("XDG_CACHE_HOME"), "golangci-lint"),
    (".cache", Some("XDG_CACHE_HOME"), "node"),
    (".cache", Some("XDG_CACHE_HOME"), "node-gyp"),
    (".cache", Some("XDG_CACHE_HOME"), "pnpm"),
    (".cache", Some("XDG_CACHE_HOME"), "yarn"),
    (".cache", Some("XDG_CACHE_HOME"), "deno"),
    (".cache", Some("XDG_CACHE_HOME"), "ccache"),
    (".cache", Some("XDG_CACHE_HOME"), "sccache"),
    (".cache", Some("XDG_CACHE_HOME"), "bazel"),
    (".cache", Some("XDG_CACHE_HOME"), "zig"),
    (".cache", Some("XDG_CACHE_HOME"), "ms-playwright"),
    (".cache", Some("XDG_CACHE_HOME"), "pre-commit"),
    (".npm", Some("npm_config_cache"), "_cacache"),
    (".npm", Some("npm_config_cache"), "_npx"),
    (".yarn", None, "berry/cache"),
    (".local/share/pnpm", Some("PNPM_HOME"), "store"),
    (".bun/install", None, "cache"),
    ("go", Some("GOPATH"), "pkg"),
    (".gradle", Some("GRADLE_USER_HOME"), "caches"),
    (".gradle", Some("GRADLE_USER_HOME"), "wrapper"),
    (".m2", None, "repository"),
    (".m2", None, "wrapper"),
    (".nuget", None, "packages"),
];

/// Settings of Cargo, found as copies in which lines with credentials are missing.
const SETTINGS: [&str; 2] = ["config.toml", "config"];

/// Folders of the system, which are shown anyway.
pub(super) const SYSTEM: [&str; 12] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu",
    "/dev",
];
/// Names of folders of which a toolchain has a part, and other programs their keys.
const SHARED: [&str; 7] = [
    ".cargo", ".local", "share", ".config", ".cache", "go", "root",
];
/// Entries of a folder on the path that are looked at for links that lead elsewhere.
const MAX_LINKS: usize = 512;

/// Keys and credentials below the home folder, for a workspace that the home folder is in.
const KEYS: [&str; 59] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/state",
    ".password-store",
    ".mozilla",
    ".thunderbird",
    ".cache",
    ".terraform.d",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".bash_history",
    ".zsh_history",
    ".Xauthority",
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".gem/credentials",
    ".my.cnf",
    ".vault-token",
    ".s3cfg",
    ".boto",
    ".rclone.conf",
    ".msmtprc",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".var",
    "snap",
    ".bitcoin",
    ".electrum",
    ".minikube",
    ".local/share/uv/credentials",
    ".dotnet/corefx",
    ".git-credential-cache",
    ".curlrc",
    ".wgetrc",
    ".databrickscfg",
    ".oci",
    ".composer/auth.json",
    ".huggingface",
    ".yarnrc.yml",
    ".vnc",
    ".fetchmailrc",
];

/// Variables that programs get.
const VARIABLES: [&str; 41] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "LANG",
    "TZ",
    "CI",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "COLUMNS",
    "LINES",
    "SOURCE_DATE_EPOCH",
    "CC",
    "CXX",
    "AR",
    "LD",
    "CPATH",
    "LIBRARY_PATH",
    "LD_LIBRARY_PATH",
    "LIBCLANG_PATH",
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "CARGO_INCREMENTAL",
    "JAVA_HOME",
    "ANDROID_HOME",
    "VOLTA_HOME",
    "PNPM_HOME",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "DOTNET_ROOT",
    "GEM_HOME",
    "GOPATH",
    "MISE_DATA_DIR",
    "ASDF_DATA_DIR",
    "EMAIL",
    user_git::GLOBAL,
];
/// Variables that programs get, by how their names begin.
const VARIABLE_PREFIXES: [&str; 13] = [
    "LC_",
    "CMAKE_",
    "PKG_CONFIG_",
    "RUSTUP_",
    "RUST",
    "CARGO_BUILD_",
    "CARGO_PROFILE_",
    "CGO_",
    "NVM_",
    "NODE_",
    "PYTHON",
    "PYENV_",
    "SSL_CERT_",
];
/// And by how they end.
const VARIABLE_SUFFIXES: [&str; 1] = ["FLAGS"];
/// Variables of Go, which share a prefix with those of others.
const OF_GO: [&str; 9] = [
    "GOROOT",
    "GOOS",
    "GOARCH",
    "GOFLAGS",
    "GOPROXY",
    "GOWORK",
    "GOCACHE",
    "GOMODCACHE",
    "GOSUMDB",
];
/// Variables that name a proxy, in either case.
const PROXIES: [&str; 4] = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"];
/// Folders of a toolchain beside that of its programs. One without libraries has nothing else that programs need, and
/// what else is there may be the settings of a service.
const OF_TOOLCHAIN: [&str; 6] = ["lib", "lib64", "libexec", "share", "include", "versions"];

/// Ignored folders around a workspace that a first build makes: of Cargo and of Gradle.
const MADE_AROUND: [&str; 2] = ["target", ".gradle"];
/// Maximum number of ignored folders around a workspace that have a layer: each is a mount, and a folder may have thousands.
const MAX_WRITTEN_AROUND: usize = 16;

/// Returns whether a variable names a proxy, which a program without a network has no use for.
pub(super) fn is_proxy(name: &str) -> bool {
    PROXIES.contains(&name.to_ascii_lowercase().as_str())
}

/// Has git find a repository around the workspace, which is another mount, and keeps it from tidying the repository on its own
/// after a command, as `git commit` does: it would write all of it anew into the layer.
pub(super) fn tell_git(environment: &mut Vec<(String, String)>) {
    const COUNT: &str = "GIT_CONFIG_COUNT";
    const ACROSS: &str = "GIT_DISCOVERY_ACROSS_FILESYSTEM";
    environment.push((ACROSS.to_owned(), "1".to_owned()));
    if environment.iter().any(|(name, _)| name == COUNT) {
        return;
    }
    let settings = [
        (COUNT, "1"),
        ("GIT_CONFIG_KEY_0", "maintenance.auto"),
        ("GIT_CONFIG_VALUE_0", "false"),
    ];
    environment.extend(settings.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

/// Returns the environment of a program. `named` are the variables that the user lets programs have.
pub fn environment(
    all: impl Iterator<Item = (String, String)>,
    named: &[String],
) -> Vec<(String, String)> {
    all.filter(|(name, value)| {
        let is_identity = user_git::IDENTITY.contains(&name.as_str());
        let is_public = is_identity || is_listed(name) && !has_secret_word(name);
        named.contains(name) || is_public && !holds_key(value)
    })
    .collect()
}

/// Returns whether programs have a variable without the user's word, if it holds no secret.
fn is_listed(name: &str) -> bool {
    VARIABLES.contains(&name)
        || OF_GO.contains(&name)
        || VARIABLE_PREFIXES
            .iter()
            .any(|start| name.starts_with(start))
        || VARIABLE_SUFFIXES.iter().any(|end| name.ends_with(end))
        || is_proxy(name)
}

/// What a program finds of a home folder, and of toolchains elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserFiles {
    /// Folders that it may write to, in layers.
    pub caches: Vec<PathBuf>,
    /// The repository of a workspace that has none in it.
    pub git: Option<GitElsewhere>,
    /// Files and folders that it may read.
    pub shown: Vec<PathBuf>,
    /// Settings, without credentials.
    pub texts: Vec<(PathBuf, String)>,
    /// Files that it finds with these texts in place of their own, and folders that it finds empty: the repository's
    /// settings, if they hold credentials, and what is beside them.
    pub replaced: Vec<(PathBuf, String)>,
    /// What it finds empty where it would be seen otherwise.
    pub hidden: Vec<PathBuf>,
}

/// Who and where the user is.
#[derive(Clone, Copy, Debug)]
pub struct UserPlace<'a> {
    /// The home folder.
    pub home: &'a Path,
    /// The workspace.
    pub root: &'a Path,
    /// Folders of signoff's own.
    pub own: &'a [PathBuf],
}

impl UserFiles {
    /// Finds toolchains, caches and settings. `variable` returns a variable of the environment.
    pub fn find(place: UserPlace<'_>, variable: impl Fn(&str) -> Option<String>) -> Self {
        let mut files = Self::default();
        let folder = |below: &str, name: Option<&str>| {
            let named = name.and_then(&variable).map(PathBuf::from);
            let default = (!below.is_empty()).then(|| place.home.join(below));
            named.or(default).filter(|folder| folder.is_absolute())
        };
        for (below, name) in TOOLCHAINS {
            if let Some(toolchain) = folder(below, name) {
                files.show(place, &toolchain);
            }
        }
        let path = variable("PATH").unwrap_or_default();
        for entry in std::env::split_paths(&path).filter(|entry| entry.is_absolute()) {
            files.show(place, &entry);
            for beside in toolchain_of(place.home, &entry) {
                files.show(place, &beside);
            }
            files.show_links(place, &entry);
        }
        if let Some(environment) = folder("", Some("VIRTUAL_ENV")) {
            files.show_base(place, &environment, |_| true);
        }
        let folders = [place.root]
            .into_iter()
            .chain(git_view::folders_around(place.root));
        for environment in folders.flat_map(|folder| ENVIRONMENTS.map(|name| folder.join(name))) {
            let shown = files.clone();
            files.show_base(place, &environment, |base| shown.is_shown(base));
        }
        for (below, name, inner) in CACHES {
            if let Some(cache) = folder(below, name) {
                files.cache(place, &cache.join(inner));
            }
        }
        for name in BUILD_FOLDERS {
            if let Some(build) = folder("", Some(name)) {
                files.build_folder(place, &build);
            }
        }
        let cargo = folder(".cargo", Some("CARGO_HOME")).into_iter();
        for file in cargo.flat_map(|folder| SETTINGS.map(|name| folder.join(name))) {
            if let Ok(text) = crate::regular::text(&file, MAX_SETTINGS) {
                files.texts.push((file, cargo_settings(&text)));
            }
        }
        files.git = git_elsewhere(place);
        let of_git = user_git::texts(place.home, place.own, &variable);
        files.texts.extend(of_git);
        for folder in git_view::folders(place.root) {
            // What cannot be looked through is not shown.
            let Some(settings) = repository_settings(&folder) else {
                files.git = None;
                files.hidden.push(folder);
                continue;
            };
            let beside = beside_repository(&folder);
            let elsewhere = files.git.as_mut();
            let elsewhere = elsewhere.filter(|git| folder.starts_with(&git.folders.common));
            if folder.starts_with(place.root) {
                files.hidden.extend(beside);
            } else if let Some(git) = elsewhere {
                let is_workspaces = |path: &PathBuf| place.root.starts_with(path);
                git.hidden
                    .extend(beside.into_iter().filter(|path| !is_workspaces(path)));
            } else {
                files.show(place, &folder);
                let empty = beside.into_iter().map(|path| (path, String::new()));
                files.replaced.extend(empty);
            }
            files
                .replaced
                .extend(settings.into_iter().filter_map(without_keys));
        }
        files.show_around(place);
        let private = files.shown.iter().flat_map(|folder| private_files(folder));
        let private = private.map(|file| (file, String::new()));
        files.replaced.extend(private.collect::<Vec<_>>());
        let keys = KEYS.iter().map(|name| place.home.join(name));
        files.hidden.extend(keys);
        files.hidden.extend(place.own.iter().cloned());
        files
    }

    /// Shows the work tree around a workspace that is a folder of it: builds read the manifests there, and git the other files.
    /// Ignored folders of it, as `target` and `node_modules`, are for what builds write.
    fn show_around(&mut self, place: UserPlace<'_>) {
        let Some(top) = around(place) else {
            return;
        };
        for folder in git_view::folders_around(place.root) {
            let ignored = Ignored::around(folder);
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            let paths = folders.map(|entry| entry.path());
            let written = paths.filter(|path| ignored.names(path, true));
            for path in written.take(MAX_WRITTEN_AROUND) {
                self.cache(place, &path);
            }
            let made = MADE_AROUND.map(|name| folder.join(name)).into_iter();
            self.caches
                .extend(made.filter(|path| ignored.names(path, true) && !path.exists()));
        }
        self.shown.push(top.to_owned());
    }

    /// Shows a file or folder that is there, and what it is a link to. Returns whether it is shown.
    pub fn show(&mut self, place: UserPlace<'_>, path: &Path) -> bool {
        let Ok(target) = path.canonicalize() else {
            return false;
        };
        let both = [path, target.as_path()];
        if both.iter().any(|path| !may_be_shown(place, path)) {
            return false;
        }
        for path in both {
            if !self.is_shown(path) {
                self.shown.push(path.to_owned());
            }
        }
        true
    }

    /// Lets programs write to a folder, in a layer. Returns whether there is one.
    pub fn cache(&mut self, place: UserPlace<'_>, path: &Path) -> bool {
        let Ok(path) = path.canonicalize() else {
            return false;
        };
        if !path.is_dir() || !may_be_shown(place, &path) {
            return false;
        }
        // A cache in a cache has the layer of the outer one.
        if !self.caches.iter().any(|cache| path.starts_with(cache)) {
            self.caches.retain(|cache| !cache.starts_with(&path));
            self.caches.push(path);
        }
        true
    }

    fn is_shown(&self, path: &Path) -> bool {
        let shown = self.shown.iter().any(|shown| path.starts_with(shown));
        shown || SYSTEM.iter().any(|system| path.starts_with(system))
    }

    /// Lets programs write to a folder for what a build makes, in a layer; it need not be there. One in the workspace is the
    /// program's anyway.
    fn build_folder(&mut self, place: UserPlace<'_>, path: &Path) {
        let around = path.ancestors().skip(1).find_map(|around| {
            Some((around.canonicalize().ok()?, path.strip_prefix(around).ok()?))
        });
        if self.cache(place, path) || path.exists() {
            return;
        }
        if let Some((around, below)) = around {
            let is_plain = below
                .components()
                .all(|part| matches!(part, Component::Normal(_)));
            let path = around.join(below);
            if is_plain && may_be_shown(place, &path) {
                self.caches.push(path);
            }
        }
    }

    /// Shows what links in a folder on the path lead to.
    fn show_links(&mut self, place: UserPlace<'_>, folder: &Path) {
        if SYSTEM.iter().any(|system| folder.starts_with(system)) {
            return;
        }
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
        let targets: BTreeSet<PathBuf> = links
            .take(MAX_LINKS)
            .filter_map(|link| link.path().canonicalize().ok())
            .filter(|target| target.is_file())
            .collect();
        for target in targets {
            self.show(place, &target);
            // Homebrew's interpreter is in `Cellar/python@3.12/3.12.1/bin`, and its library beside that.
            let name = target.file_name().map(OsStr::as_encoded_bytes);
            if name.is_some_and(|name| name.starts_with(b"python")) {
                self.show_toolchain(place, &target);
            }
        }
    }

    /// Shows what is beside the folder of a program.
    fn show_toolchain(&mut self, place: UserPlace<'_>, program: &Path) {
        for beside in program
            .parent()
            .map_or_else(Vec::new, |bin| toolchain_of(place.home, bin))
        {
            self.show(place, &beside);
        }
    }

    /// Shows the installation that a virtual environment was made of, under the name that the environment has for it, if
    /// programs may see it where it really is.
    ///
    /// `.venv/bin/python -> /opt/brew/opt/python@3.12/bin/python3.12` is another name of what `python3` on the path leads to.
    /// The environment may be the repository's own: it shows nothing new.
    fn show_base(&mut self, place: UserPlace<'_>, environment: &Path, may: impl Fn(&Path) -> bool) {
        let program = base_of(environment, &environment.join("bin/python"));
        let Some(program) = program else {
            return;
        };
        if program.canonicalize().is_ok_and(|base| may(&base)) {
            self.show(place, &program);
            self.show_toolchain(place, &program);
        }
    }
}

/// Returns the repository of a workspace that has none in it, if programs may find it, and the work tree around the workspace.
fn git_elsewhere(place: UserPlace<'_>) -> Option<GitElsewhere> {
    let folders = git_view::folders_elsewhere(place.root)?;
    // The work tree of a bare repository may lie in its folder.
    let mut private = place.own.iter().map(PathBuf::as_path).chain([place.home]);
    let common = &folders.common;
    let is_private = private.any(|private| private.starts_with(common))
        || place.own.iter().any(|own| common.starts_with(own));
    let is_whole = folders.top == place.root || around(place).is_some();
    (is_whole && !is_private).then_some(GitElsewhere {
        folders,
        hidden: Vec::new(),
    })
}

/// Returns the top of the work tree around a workspace, if programs may see it: a home folder that is a repository shows all that
/// the user has.
fn around(place: UserPlace<'_>) -> Option<&Path> {
    let top = git_view::folders_around(place.root).last()?;
    let mut private = place.own.iter().map(PathBuf::as_path).chain([place.home]);
    (!private.any(|private| private.starts_with(top))).then_some(top)
}

/// Returns whether a path may be shown: it holds no home folder, no workspace and nothing of signoff's own.
fn may_be_shown(place: UserPlace<'_>, path: &Path) -> bool {
    let mut private = place.own.iter().map(PathBuf::as_path).chain([place.home]);
    !private.any(|private| private.starts_with(path))
        && !place.own.iter().any(|own| path.starts_with(own))
        && !place.root.starts_with(path)
        && !path.starts_with(place.root)
}

/// Returns the first name outside of a folder that a program in it is a link to: `python -> python3 -> /usr/bin/python3`.
pub(super) fn base_of(folder: &Path, program: &Path) -> Option<PathBuf> {
    let mut program = program.to_owned();
    for _ in 0..MAX_HOPS {
        let target = fs::read_link(&program).ok()?;
        program = program.parent()?.join(target);
        if !program.starts_with(folder) {
            return Some(program);
        }
    }
    None
}

/// Returns the folders of the toolchain that a folder on the path belongs to, beside that of its programs.
fn toolchain_of(home: &Path, entry: &Path) -> Vec<PathBuf> {
    let is_part = ["bin", "sbin", "shims"]
        .iter()
        .any(|name| entry.ends_with(name));
    let around = entry.parent().filter(|_| is_part);
    let around = around.filter(|around| !is_shared(home, around) && around.join("lib").is_dir());
    let beside = around.map(|around| OF_TOOLCHAIN.map(|name| around.join(name)));
    beside.into_iter().flatten().collect()
}

/// Returns whether a folder holds the programs of more than one toolchain, as a home folder and `/usr/local`.
fn is_shared(home: &Path, around: &Path) -> bool {
    let is_home = home.starts_with(around) || around.parent() == Some(Path::new("/home"));
    is_home || SHARED.iter().any(|shared| around.ends_with(shared))
}

#[cfg(test)]
mod tests;
