//! What a text names that is on the disk and that no program finds: a path that the user could show.

use std::path::{Path, PathBuf};

use super::defaults::{SYSTEM, base_of};
use super::setup::Setup;
use crate::git_view;

/// Paths that are named at most.
const MOST: usize = 3;
/// Folders that programs have of their own.
const OWN: [&str; 5] = ["/proc", "/sys", "/tmp", "/var/tmp", "/run"];

/// What of git's folder programs cannot write, git's command for it, and whose it is.
const CLOSED_IN_GIT: [(&str, &str, &str); 4] = [
    (
        "info",
        "sparse-checkout",
        "sparse checkouts and `.git/info`",
    ),
    ("worktrees", "worktree", "other work trees"),
    ("modules", "submodule", "submodules"),
    ("hooks", "hook", "hooks of git"),
];
/// What of it git cannot lock where the repository is not a folder of the workspace's.
const OUTSIDE: &str = "the repository lies outside of the workspace and is read-only to programs: `/commit` or `signoff commit` commits what was signed off";
/// What the system says of a write to them.
const READ_ONLY: &str = "Read-only file system";

/// What the system says where a folder is renamed in one step that is on disk: an overlay without privileges has no way to.
const OTHER_DEVICE: &str = "Invalid cross-device link";
const MOVE_FOLDERS: &str = "a folder of the workspace cannot be renamed in one step in the shadow, as `git mv` does: use `mv` and `git add -A`";

/// Says what a program has to leave to the user that could not write to git's folder; `said` is what it printed.
///
/// `git worktree add ../x` prints `fatal: could not create directory of '.git/worktrees/x': Read-only file system`.
pub fn closed_in_git(command: &str, said: &str) -> Option<String> {
    let words = command.split(|c: char| !c.is_alphanumeric() && c != '-');
    let words: Vec<&str> = words.collect();
    if words.contains(&"mv") && said.contains(OTHER_DEVICE) {
        return Some(MOVE_FOLDERS.to_owned());
    }
    let lines = said.lines().filter(|line| line.contains(READ_ONLY));
    let refused: Vec<&str> = lines.collect();
    if refused.is_empty() {
        return None;
    }
    let mut closed = CLOSED_IN_GIT.iter();
    let closed = closed.find(|(folder, word, _)| {
        let place = format!(".git/{folder}");
        refused.iter().any(|line| line.contains(&place)) || words.contains(word)
    });
    let Some((_, _, whose)) = closed else {
        let is_lock = |line: &&str| line.contains(".git/") && line.contains(".lock");
        let mut refused = refused.iter();
        return refused.any(is_lock).then(|| OUTSIDE.to_owned());
    };
    Some(format!(
        "{whose} are read-only to programs, and nothing of them was changed: run that git in a terminal of your own"
    ))
}

impl Setup {
    /// Says what a program that failed may have to leave to the user, where nobody knows what it printed: by a whole word of its
    /// command line.
    pub fn may_be_closed_in_git(&self, command: &str) -> Option<String> {
        let has = |word: &str| command.split_whitespace().any(|own| own == word);
        let folders = git_view::folders(&self.root);
        let is_outside = folders.iter().any(|folder| !folder.starts_with(&self.root));
        if is_outside && self.git.is_none() && git_view::is_named_in(command) {
            return Some(OUTSIDE.replacen(':', ": if that is why it failed,", 1));
        }
        let (_, _, whose) = CLOSED_IN_GIT.iter().find(|(_, word, _)| has(word))?;
        Some(format!(
            "{whose} are read-only to programs: if that is why it failed, run that git in a terminal of your own"
        ))
    }

    /// Takes away the work tree around the workspace, for which no rules of the user's are known.
    pub fn hide_around(&mut self) {
        let is_around = |path: &&PathBuf| self.root.starts_with(path);
        let around: Vec<PathBuf> = self.shown.iter().filter(is_around).cloned().collect();
        self.shown.retain(|path| !around.contains(path));
        let is_in = |path: &PathBuf| around.iter().any(|around| path.starts_with(around));
        self.caches.retain(|path| !is_in(path));
        // Of a part of the files, git would take the others for removed.
        if let Some(git) = self.git.take_if(|git| git.folders.top != self.root) {
            let hidden = git.hidden.into_iter();
            self.replaced
                .extend(hidden.map(|path| (path, String::new())));
            self.shown.extend([git.folders.common, git.folders.own]);
        }
    }

    /// Returns paths in a text, as of a command or its output, that are there and not shown to programs.
    pub fn unseen(&self, text: &str) -> Vec<PathBuf> {
        let words = text
            .split(|c: char| c.is_whitespace() || "'\"`:;,()<>=".contains(c))
            .filter(|word| word.len() > 1);
        let mut found = Vec::new();
        for word in words {
            let path = match word.strip_prefix("~/") {
                Some(below) => self.home.join(below),
                None => PathBuf::from(word),
            };
            if path.is_absolute() && !self.shows(&path) && path.exists() && !found.contains(&path) {
                found.push(path);
            }
            if found.len() == MOST {
                break;
            }
        }
        found
    }

    /// Returns the folder that has to be shown for a program that programs do not find, if there is one: the virtual
    /// environment that it is in, or the installation that it is a link to.
    ///
    /// `.venv/bin/python`, a link to `/srv/brew/opt/python@3.12/bin/python3.12`, needs `/srv/brew/opt/python@3.12`.
    pub fn unseen_of_program(&self, program: &Path) -> Option<PathBuf> {
        let around = |path: &Path| Some(path.parent()?.parent()?.to_owned());
        let installation = around(program).filter(|_| program.is_absolute())?;
        let base = base_of(&installation, program);
        let target = program.canonicalize().ok();
        let installed = [base, target].into_iter().flatten();
        let mut folders = installation
            .canonicalize()
            .ok()
            .into_iter()
            .chain(installed.filter_map(|path| around(&path)));
        folders.find(|folder| !self.shows(folder))
    }

    pub(super) fn shows(&self, path: &Path) -> bool {
        // The home folder is empty to programs, wherever it is, as below a temporary folder.
        let is_in_home = self.home.parent().is_some() && path.starts_with(&self.home);
        let system = SYSTEM.iter().chain(&OWN).map(Path::new);
        let system = system.filter(|_| !is_in_home);
        let git = self.git.iter().map(|git| git.folders.common.as_path());
        let own = [self.root.as_path(), self.layers.as_path()].into_iter();
        let more = self.shown.iter().chain(&self.caches).map(PathBuf::as_path);
        let mut all = system.chain(own).chain(git).chain(more);
        // A folder around what is shown is there too.
        all.any(|shown| path.starts_with(shown) || shown.starts_with(path))
            || self.texts.iter().any(|(text, _)| text == path)
            || self.home.starts_with(path)
    }
}

#[cfg(test)]
mod tests {
    use super::super::setup::ProgramNetwork;
    use super::*;

    fn setup_of(home: &Path) -> Setup {
        let unused = || PathBuf::from("/nonexistent");
        Setup {
            parent: None,
            root: home.join("ws"),
            layers: unused(),
            commits: unused(),
            under: None,
            replaced: Vec::new(),
            folder: home.join("ws"),
            network: ProgramNetwork::None,
            caches: Vec::new(),
            git: None,
            shown: Vec::new(),
            placed: Vec::new(),
            texts: Vec::new(),
            hidden: Vec::new(),
            reserved: Default::default(),
            environment: Vec::new(),
            home: home.to_owned(),
        }
    }

    #[test]
    fn what_is_around_the_workspace_can_be_hidden() {
        let mut setup = setup_of(Path::new("/x/top"));
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        setup.shown = paths(&["/usr/x", "/x/top", "/x/topmost"]);
        setup.caches = paths(&["/x/top/target", "/x/cache"]);
        setup.hide_around();
        assert_eq!(setup.shown, paths(&["/usr/x", "/x/topmost"]));
        assert_eq!(setup.caches, paths(&["/x/cache"]));
    }

    #[test]
    fn a_command_is_told_by_whole_words_and_with_an_if() {
        let setup = setup_of(Path::new("/nonexistent"));
        for (command, told) in [
            (
                "sh -c 'git worktree add ../x'",
                "other work trees are read-only to programs: if",
            ),
            (
                "git submodule update",
                "submodules are read-only to programs: if",
            ),
            ("pytest tests/hook", ""),
            ("cat submodule.md", ""),
        ] {
            let said = setup.may_be_closed_in_git(command).unwrap_or_default();
            assert!(
                said.starts_with(told) && said.is_empty() == told.is_empty(),
                "{command}: {said}"
            );
        }
    }

    #[test]
    fn what_git_could_not_write_says_whose_it_is() {
        for (command, path, told) in [
            (
                "git sparse-checkout set a",
                "info/sparse-checkout.lock",
                "sparse checkouts",
            ),
            ("git -C lib commit", "modules/lib/index.lock", "submodules"),
            ("git commit", "index.lock", "the repository lies outside"),
        ] {
            let fatal = format!("fatal: Unable to create '/w/.git/{path}': {READ_ONLY}\n");
            let said = closed_in_git(command, &fatal).unwrap_or_default();
            assert!(said.starts_with(told), "{command}: {said}");
        }
    }

    #[test]
    fn what_is_there_and_not_shown_is_named() {
        let folder = tempfile::Builder::new()
            .tempdir_in(std::env::current_dir().expect("a folder"))
            .expect("a folder");
        let home = folder.path().to_owned();
        for file in [".own", "shown/tool", "ws/a"] {
            let file = home.join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, "").expect("a file");
        }
        let setup = Setup {
            shown: vec![home.join("shown")],
            ..setup_of(&home)
        };
        let at = |name: &str| home.join(name).display().to_string();
        let text = format!(
            "cat: {}: No such file or directory; '~/.own' {} {} {} /usr/bin/env /",
            at(".own"),
            at("shown/tool"),
            at("ws/a"),
            at("missing"),
        );
        assert_eq!(setup.unseen(&text), [home.join(".own")]);
    }
}
