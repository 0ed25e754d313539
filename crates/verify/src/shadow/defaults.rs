//! What programs may write beside the workspace, and what they must not read.
//!
//! In: the user's folders. Out: caches of package managers and compilers, each of which gets a layer of
//! its own; keys of the user and of other programs, and sockets through which a program could have
//! others act for it.

use std::path::{Path, PathBuf};

/// Caches below the home folder; the first part is replaced where a variable names the folder.
const CACHES: [(&str, Option<&str>, &str); 10] = [
    (".cargo", Some("CARGO_HOME"), "registry"),
    (".cargo", Some("CARGO_HOME"), "git"),
    (".cache", Some("XDG_CACHE_HOME"), ""),
    (".npm", Some("npm_config_cache"), ""),
    (".yarn", None, ""),
    (".local/share/pnpm", Some("PNPM_HOME"), ""),
    (".bun/install/cache", None, ""),
    ("go", Some("GOPATH"), "pkg"),
    (".gradle", Some("GRADLE_USER_HOME"), "caches"),
    (".m2", None, "repository"),
];

/// Keys and credentials below the home folder.
const KEYS: [&str; 13] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".local/share/keyrings",
    ".password-store",
];

/// Sockets of programs that act for whoever reaches them: a bus, an agent that holds keys, containers.
const SOCKETS: [&str; 10] = [
    "/run/user",
    "/run/dbus",
    "/run/docker",
    "/run/docker.sock",
    "/run/podman",
    "/run/containerd",
    "/run/crio",
    "/run/libvirt",
    "/run/snapd.socket",
    "/run/systemd/private",
];

/// Returns the caches that there are. `variable` returns a variable of the environment.
pub fn caches(home: &Path, variable: impl Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let each = CACHES.iter().map(|(folder, name, below)| {
        let named = name.and_then(&variable).map(PathBuf::from);
        let folder = named.unwrap_or_else(|| home.join(folder));
        if below.is_empty() {
            folder
        } else {
            folder.join(below)
        }
    });
    let there = each.filter_map(|folder| folder.canonicalize().ok());
    let mut found: Vec<PathBuf> = there.filter(|folder| folder.is_dir()).collect();
    found.sort();
    // A cache in a cache has the layer of the outer one.
    found.dedup_by(|inner, outer| inner.starts_with(outer));
    found
}

/// Returns what is hidden beside signoff's own folders.
pub fn hidden(home: &Path) -> Vec<PathBuf> {
    let keys = KEYS.iter().map(|name| home.join(name));
    keys.chain(SOCKETS.iter().map(PathBuf::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_caches_that_are_there_have_layers() {
        let home = tempfile::tempdir().expect("a folder");
        let at = |name: &str| home.path().canonicalize().expect("a path").join(name);
        for folder in [
            ".cargo/registry",
            ".cargo/bin",
            ".cache/pip",
            "own/registry",
        ] {
            std::fs::create_dir_all(at(folder)).expect("a folder");
        }
        let found = caches(home.path(), |_| None);
        assert_eq!(found, [at(".cache"), at(".cargo/registry")]);
        let own = at("own").display().to_string();
        let found = caches(home.path(), |name| {
            (name == "CARGO_HOME").then(|| own.clone())
        });
        assert_eq!(found, [at(".cache"), at("own/registry")]);
    }
}
