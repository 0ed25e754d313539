//! The user's own configuration of git, as programs find it.
//!
//! In: the home folder and the variables by which git looks for its settings. Out: copies of the settings, without
//! credentials, of what they include, and of the ignore rules and attributes that they name.
//!
//! ```text
//! ~/.gitconfig   [user] email = a@home, [core] excludesFile = ~/.ignored, [includeIf "gitdir:~/work/"] path = .gitwork
//! copied         ~/.gitconfig, ~/.gitwork, ~/.ignored, and ~/.config/git/{config,ignore,attributes} where they are
//! ```
//!
//! What is included on a condition is copied whether it holds or not: git inside decides, as on the branch that a program
//! checks out. What a repository's own settings include is not followed.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

use super::private_files::MAX_SETTINGS;
use super::settings::{git_settings, holds_key};
use crate::regular;

/// The variable that names the user's settings in the place of those of the home folder. Programs get it.
pub(super) const GLOBAL: &str = "GIT_CONFIG_GLOBAL";
/// Variables that say who commits. Programs get them, though their names look like those of keys.
pub(super) const IDENTITY: [&str; 4] = [
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
];

/// Maximum number of files of settings that are followed; git follows ten, one from the other.
const MAX_FILES: usize = 64;
/// Files of patterns that git reads where no setting names others.
const DEFAULTS: [&str; 2] = ["git/ignore", "git/attributes"];
/// Settings of `[core]` that name such files.
const NAMED: [&str; 2] = ["excludesfile", "attributesfile"];

/// A file, and where a program finds it. They differ where a variable names the folder that programs do not get.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CopiedFile {
    from: PathBuf,
    to: PathBuf,
}

/// Returns the texts that programs find. `variable` returns a variable of the environment.
pub(super) fn texts(
    home: &Path,
    own: &[PathBuf],
    variable: impl Fn(&str) -> Option<String>,
) -> Vec<(PathBuf, String)> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let default = home.join(".config");
    let folder = set("XDG_CONFIG_HOME").map(PathBuf::from);
    let from = folder.unwrap_or_else(|| default.clone());
    // Programs do not get the variable, unless the user lets them have it.
    let both = [default, from.clone()].map(|to| CopiedFile {
        from: from.clone(),
        to,
    });
    let settings = match set(GLOBAL) {
        Some(file) => vec![CopiedFile::in_place(file.into())],
        None => {
            let of_folders = both.iter().map(|folder| folder.join("git/config"));
            let of_home = CopiedFile::in_place(home.join(".gitconfig"));
            of_folders.chain([of_home]).collect()
        }
    };
    let named = both
        .iter()
        .flat_map(|folder| DEFAULTS.map(|name| folder.join(name)));
    let mut patterns: Vec<CopiedFile> = named.collect();
    let mut texts: Vec<(PathBuf, String)> = Vec::new();
    let mut left = VecDeque::from(settings);
    while let Some(file) = left.pop_front().filter(|_| texts.len() < MAX_FILES) {
        if file.is_known(&texts) || file.is_own(own) {
            continue;
        }
        let Ok(text) = regular::text(&file.from, MAX_SETTINGS) else {
            continue;
        };
        let kept = git_settings(&text);
        for (section, key, value) in paths_of(&kept) {
            if section.starts_with("include") && key == "path" {
                left.extend(file.named(home, &value));
            } else if section == "core" && NAMED.contains(&key.as_str()) {
                // A relative one is in the work tree.
                patterns.extend(
                    file.named(home, &value)
                        .filter(|_| value.starts_with(['/', '~'])),
                );
            }
        }
        texts.push((file.to, kept));
    }
    for file in patterns.into_iter().take(MAX_FILES) {
        if file.is_known(&texts) || file.is_own(own) {
            continue;
        }
        if let Ok(text) = regular::text(&file.from, MAX_SETTINGS) {
            let kept = text.lines().filter(|line| !holds_key(line));
            texts.push((file.to, kept.flat_map(|line| [line, "\n"]).collect()));
        }
    }
    texts
}

impl CopiedFile {
    fn in_place(path: PathBuf) -> Self {
        Self {
            from: path.clone(),
            to: path,
        }
    }

    fn join(&self, name: &str) -> Self {
        Self {
            from: self.from.join(name),
            to: self.to.join(name),
        }
    }

    fn is_known(&self, texts: &[(PathBuf, String)]) -> bool {
        texts.iter().any(|(path, _)| *path == self.to)
    }

    /// Returns whether it is one of signoff's own files.
    fn is_own(&self, own: &[PathBuf]) -> bool {
        let both = [&self.from, &self.to];
        both.iter()
            .any(|path| !path.is_absolute() || own.iter().any(|own| path.starts_with(own)))
    }

    /// Returns the file that a setting in this one names: below the home folder, or beside it. Of another user's home folder,
    /// none.
    fn named(&self, home: &Path, value: &str) -> Option<Self> {
        if let Some(below) = value.strip_prefix("~/") {
            return Some(Self::in_place(without_detours(&home.join(below))));
        }
        let is_other = value.is_empty() || value.starts_with('~') || value.starts_with("%(");
        let [from, to] = [self.from.parent()?, self.to.parent()?].map(|folder| folder.join(value));
        let to = without_detours(&to);
        (!is_other).then_some(Self { from, to })
    }
}

/// Returns a path without `.` and `..`: `/x/git/../more` is `/x/more`.
fn without_detours(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                let _is_below = plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Returns the settings of a text whose values may be paths: section, key, value.
fn paths_of(text: &str) -> impl Iterator<Item = (String, String, String)> {
    crate::git_view::settings(text).map(|(section, key, value)| {
        let section = section.split([' ', '"']).next().unwrap_or_default();
        (section.to_owned(), key, unquoted(value))
    })
}

/// Returns a value without its quotes, escapes and the comment behind it.
fn unquoted(value: &str) -> String {
    let (mut plain, mut is_quoted) = (String::new(), false);
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => is_quoted = !is_quoted,
            '\\' => plain.extend(chars.next()),
            '#' | ';' if !is_quoted => break,
            c => plain.push(c),
        }
    }
    plain.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns the texts that programs find, of a home folder with these files; `~` is that folder.
    fn found(files: &[(&str, &str)], variables: &[(&str, &str)]) -> Vec<(String, String)> {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path();
        for (path, text) in files {
            let path = home.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text.replace("HOME", &home.display().to_string())).expect("a file");
        }
        let all = texts(home, &[home.join("own")], |name| {
            let named = variables.iter().find(|(own, _)| *own == name);
            named.map(|(_, value)| value.replace('~', &home.display().to_string()))
        });
        let below = |path: &Path| {
            let below = path.strip_prefix(home).expect("below the home folder");
            below.display().to_string()
        };
        let mut all: Vec<(String, String)> = all
            .into_iter()
            .map(|(path, text)| (below(&path), text))
            .collect();
        all.sort();
        all
    }

    fn names(all: &[(String, String)]) -> Vec<&str> {
        all.iter().map(|(name, _)| name.as_str()).collect()
    }

    #[test]
    fn settings_come_with_what_they_include_and_with_the_patterns_that_they_name() {
        let files = [
            (
                ".gitconfig",
                "[include]\n\tpath = \"git/more\" ; mine\n[includeIf \"gitdir:~/work/\"]\n\tpath = ~/.gitwork\n\
                 [includeIf \"onbranch:x\"]\n\tpath = own/state\n[core]\n\tattributesFile = HOME/attributes\n\
                 [credential]\n\thelper = store\n",
            ),
            (
                "git/more",
                "[core]\n\texcludesFile = ~/ignored\n[include]\n\tpath = last\n\tpath = ../.gitconfig\n\tpath = missing\n",
            ),
            (
                "git/last",
                "[core]\n\texcludesFile = relative\n[user]\n\tname = A\n",
            ),
            (
                ".gitwork",
                "[user]\n\temail = a@b\n[http]\n\textraHeader = x\n",
            ),
            ("own/state", "[user]\n\tname = B\n"),
            ("ignored", "*.local\n# https://u:ghp_x@host/\n.idea/"),
            ("attributes", "*.bin binary\n"),
            ("git/relative", "x\n"),
            ("other", "x\n"),
        ];
        let all = found(&files, &[]);
        assert_eq!(
            names(&all),
            [
                ".gitconfig",
                ".gitwork",
                "attributes",
                "git/last",
                "git/more",
                "ignored"
            ]
        );
        assert!(!all[0].1.contains("store") && all[0].1.contains("includeIf"));
        assert_eq!(all[1].1, "[user]\n\temail = a@b\n");
        assert_eq!(all[5].1, "*.local\n.idea/\n");
    }

    #[test]
    fn variables_name_other_places() {
        let files = [
            (".gitconfig", "[user]\n"),
            (".config/git/ignore", "home\n"),
            ("xdg/git/ignore", "xdg\n"),
            ("xdg/git/config", "[include]\n\tpath = more\n"),
            ("xdg/git/more", "[user]\n"),
            ("global", "[core]\n"),
        ];
        let all = found(&files, &[]);
        assert_eq!(names(&all), [".config/git/ignore", ".gitconfig"]);
        let all = found(&files, &[("XDG_CONFIG_HOME", "~/xdg")]);
        let both = [".config", "xdg"]
            .map(|folder| ["config", "ignore", "more"].map(|name| format!("{folder}/git/{name}")));
        let mut expected = both.concat();
        expected.insert(3, ".gitconfig".to_owned());
        assert_eq!(names(&all), expected);
        assert_eq!(all[1].1, "xdg\n");
        let all = found(&files, &[("GIT_CONFIG_GLOBAL", "~/global")]);
        assert_eq!(names(&all), [".config/git/ignore", "global"]);
    }
}
