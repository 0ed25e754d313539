//! A repository as a program left it, read beside the one on disk.
//!
//! In: the repository around a workspace, and a copy of git's folder as the program left it. Out: a [`RepositoryChange`],
//! and a pack of the new objects.
//!
//! Git reads the copy as it reads the repository, with a configuration of ours; objects that the copy lacks are the
//! repository's own.
//!
//! **Invariant:** nothing is read of the new objects before git has worked out their names from what is in them.

mod undisplayed;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use signoff_source::quote;
use signoff_source::text::Source;

use super::as_of::{
    IN_CONFLICT, LIST_STAGED, NO_CHARACTER, intended, mark_intended, may_be_intended,
    staged_entries, told,
};
use super::elsewhere::IN_TABLES;
use super::proposed::{
    CheckedOut, CheckedOutFile, IndexChange, ProposedCommit, RefChange, RepositoryChange,
    SkippedEntries, StagedEntry, StashChange, StashEntry, is_taken_over,
};
use super::repository::Repository;
use super::view::{OF_WORK_TREE, View};
use super::{Asker, MAX_LISTED, leads_out, plain};
use crate::process::{Captured, Ended, Limits};
use crate::regular;
use undisplayed::Displayed;

/// Maximum number of commits that are told one by one: a rebase of a long branch has hundreds, and nobody reads more.
const MAX_COMMITS: usize = 1_000;
/// Maximum number of files that are compared with what is committed: their names are arguments of one command.
const MAX_COMPARED: usize = 1_000;
/// Maximum number of bytes that are read of what git tells of commits.
const MAX_TOLD: usize = 16 << 20;
/// Maximum size of a file of the work tree that is compared, in bytes.
const MAX_FILE: u64 = 64 << 20;
/// The index that a program found, in a copy of git's folder; absent where there was none.
pub(crate) const FOUND_INDEX: &str = "found-index";
/// Maximum size of the log of the stash, in bytes: 10,000 entries.
const MAX_STASH_LOG: u64 = 4 << 20;
/// The letter of `git ls-files -v` for an entry without a file in the work tree.
const SKIPPED: char = 'S';
/// The mode of a submodule.
const SUBMODULE: &str = "160000";
/// Maximum number of refs that a change may have: a program can make a million in a moment.
const MAX_REFS: usize = 1_000;

/// A repository as a program left it, beside the one on disk.
pub struct LeftRepository<'a> {
    asker: &'a Asker<'a>,
    real: View,
    real_head: String,
    /// Branches of other work trees, which a program of this one does not move.
    elsewhere: BTreeMap<String, String>,
    /// The workspace below the top of the work tree: nothing, or with a slash at its end.
    below: String,
    copy: &'a Path,
    /// New objects of which every name was worked out anew.
    objects: PathBuf,
    pack: Option<PathBuf>,
}

/// Whose references git sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// The repository's.
    Real,
    /// The repository's, with the index that the program found.
    Found,
    /// Those that a program left.
    Left,
}

/// A file as a program left it in the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftFile {
    /// Its bytes; of a link, its target.
    pub bytes: Vec<u8>,
    /// Its mode, as git has it: `100644`, `100755` or `120000`.
    pub mode: &'static str,
}

impl LeftFile {
    /// Reads a file of a work tree; none if there is none.
    ///
    /// # Errors
    ///
    /// Fails if what is there cannot be read, and if a part of its path is a link: what is behind that is not the work tree's.
    pub(crate) fn on_disk(root: &Path, path: &str) -> io::Result<Option<Self>> {
        if leads_out(path) {
            return Err(io::Error::other("it is no path of the work tree"));
        }
        for folder in Path::new(path).ancestors().skip(1) {
            match fs::symlink_metadata(root.join(folder)) {
                Ok(found) if found.is_symlink() => {
                    return Err(io::Error::other("a folder around it is a link"));
                }
                // What is above says what is there.
                Ok(_) => {}
                Err(error) if is_absent(&error) => {}
                Err(error) => return Err(error),
            }
        }
        let path = root.join(path);
        let found = match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => return Ok(None),
            Ok(found) => found,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        if found.is_symlink() {
            return Ok(Some(Self {
                bytes: fs::read_link(path)?.into_os_string().into_vec(),
                mode: "120000",
            }));
        }
        let bytes = regular::read(&path, MAX_FILE)?;
        Ok(Some(Self::regular(bytes, found.permissions().mode())))
    }

    /// Returns a regular file with these permission bits.
    pub(crate) fn regular(bytes: Vec<u8>, mode: u32) -> Self {
        let is_executable = mode & 0o100 != 0;
        let mode = if is_executable { "100755" } else { "100644" };
        Self { bytes, mode }
    }

    /// Returns what tells two states of a file apart.
    pub fn fingerprint(&self) -> String {
        let text = Source::decode(self.bytes.clone());
        format!("{} {}", self.mode, text.fingerprint())
    }
}

impl<'a> LeftRepository<'a> {
    /// Takes what a program left of the repository around the workspace. `copy` is a folder of signoff's own that holds
    /// `HEAD`, references, the log of the stash, the index and new objects as the program left them, and the index that it
    /// found ([`FOUND_INDEX`]): regular files.
    ///
    /// # Errors
    ///
    /// Fails if either repository cannot be read, and if an object is not what its name says or breaks git's rules.
    pub fn open(asker: &'a Asker<'a>, copy: &'a Path) -> Result<Self, String> {
        let repository = Repository::find(asker.root)?;
        let real_head = repository.head()?;
        let common = repository.common.clone();
        let below = repository.below_top(asker.root)?;
        let mut left = Self {
            below,
            elsewhere: asker.checked_out_elsewhere(&repository)?,
            asker,
            real: repository.view()?,
            real_head,
            copy,
            objects: copy.join("objects"),
            pack: None,
        };
        left.real.share_config(copy)?;
        left.take_stash_log(&common)?;
        left.check_objects()?;
        Ok(left)
    }

    /// Has git see the log of the repository's stash, which holds all of its entries but the newest.
    fn take_stash_log(&self, common: &Path) -> Result<(), String> {
        let log = common.join("logs/refs/stash");
        if !plain::folders(&common.join("logs"), u64::MAX)? || !plain::file(&log, MAX_STASH_LOG)? {
            return Ok(());
        }
        let own = self.real.folder().join("logs/refs");
        let copied = fs::create_dir_all(&own).and_then(|()| fs::copy(log, own.join("stash")));
        copied.map_err(|error| format!("the stash cannot be looked at: {error}"))?;
        Ok(())
    }

    /// Packs the new objects that something leads to, and has git work out their names from what is in them. A program may
    /// have put a file under the name of another object, which git reads without a look.
    fn check_objects(&mut self) -> Result<(), String> {
        let unmade = |error: io::Error| format!("the new objects cannot be looked at: {error}");
        let checked = self.copy.join("checked");
        let packs = checked.join("pack");
        fs::create_dir_all(&packs).map_err(unmade)?;
        if has_files(&self.objects).map_err(unmade)? {
            // `-a` looks at every object of the history: 8 s of one with 80,000 commits, which takes 1 s without.
            let is_packed = !packs_in(&self.objects).map_err(unmade)?.is_empty();
            let all = is_packed.then_some("-a");
            let repack: Vec<&str> = ["repack", "-d", "-l", "-q"]
                .into_iter()
                .chain(all)
                .collect();
            self.ask(Side::Left, &repack, MAX_TOLD)?;
            let made = packs_in(&self.objects).map_err(unmade)?;
            // What a server promised to send again is in a pack of its own, as in a clone without large files.
            let made = made
                .iter()
                .find(|own| !own.with_extension("promisor").exists());
            if let Some(made) = made {
                let pack = packs.join("new.pack");
                fs::rename(made, &pack).map_err(unmade)?;
                self.pack = Some(pack);
            }
        }
        self.objects = checked;
        if let Some(pack) = &self.pack {
            let pack = pack.to_string_lossy().into_owned();
            self.ask(Side::Real, &["index-pack", "--strict", &pack], MAX_TOLD)?;
        }
        Ok(())
    }

    /// Returns the pack of the new objects, if there are any; its index is beside it.
    pub fn pack(&self) -> Option<&Path> {
        self.pack.as_deref()
    }

    /// Returns what differs. `work_tree` returns a file as the program left it in the work tree, and `under_way` is what it
    /// left under way, as a merge.
    ///
    /// # Errors
    ///
    /// Fails if git cannot read it, as where objects are missing, and if too many refs differ.
    pub fn change(
        &self,
        under_way: Option<&str>,
        work_tree: &dyn Fn(&str) -> Option<LeftFile>,
    ) -> Result<RepositoryChange, String> {
        let copy = self.copy.to_owned();
        let left = Repository {
            top: copy.clone(),
            own: copy.clone(),
            common: copy,
        };
        let head = self.head(Side::Real, self.real_head.clone())?;
        let left_head = self.head(Side::Left, left.head()?)?;
        let (before, after) = (self.refs(Side::Real)?, self.refs(Side::Left)?);
        let mut change = RepositoryChange {
            under_way: under_way.map(str::to_owned),
            below: self.below.clone(),
            ..RepositoryChange::default()
        };
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for name in names {
            let (old, new) = (before.get(name).cloned(), after.get(name).cloned());
            if old == new || name == STASH {
                continue;
            }
            let is_other = [&old, &new]
                .into_iter()
                .flatten()
                .any(|own| own.contains(OTHER));
            if is_other || !is_taken_over(name) || name.contains(NO_CHARACTER) {
                change.other_refs.push(name.clone());
            } else if let Some(at) = self.elsewhere.get(name) {
                if left_head.strip_prefix("ref: ") == Some(name) {
                    return Err(format!("{name} is checked out in {at} as well"));
                }
                change
                    .other_refs
                    .push(format!("{name}, which is checked out in {at}"));
            } else if change.refs.len() == MAX_REFS {
                return Err(format!("more than {MAX_REFS} refs differ"));
            } else {
                let loses = self.lost(old.as_deref(), new.as_deref())?;
                change.refs.push(RefChange {
                    name: name.clone(),
                    before: old,
                    after: new,
                    loses,
                });
            }
        }
        let detached =
            Some(&left_head).filter(|after| !after.starts_with("ref: ") && **after != head);
        let moved = change.refs.iter().filter_map(|own| own.after.as_ref());
        let tips: Vec<&str> = moved.chain(detached).map(String::as_str).collect();
        let mut listed = Vec::new();
        if !tips.is_empty() {
            // What a server promised to send again need not be here.
            let mut connected = vec!["rev-list", "--objects", "--quiet"];
            connected.push("--exclude-promisor-objects");
            connected.extend(&tips);
            connected.extend(["--not", "--all"]);
            self.ask(Side::Real, &connected, MAX_TOLD)?;
            listed = self.commits(&tips)?;
            change.is_cut = listed.len() > MAX_COMMITS;
            listed.truncate(MAX_COMMITS);
            self.take_headers(&mut listed, &tips)?;
        }
        change.before = checked_out(head, &before);
        change.after = checked_out(left_head, &after);
        change.stash = self.stash(&before, &after)?;
        let (found, left) = (self.staged(Side::Found)?, self.staged(Side::Left)?);
        if under_way.is_none() && left.values().any(|(mode, _)| mode.contains(IN_CONFLICT)) {
            change.under_way = Some("merge of files".to_owned());
        }
        if change.under_way.is_none() {
            change.index = index_changes(&found, &left);
            change.skipped = self.skipped(&change.index)?;
        }
        let mut displayed = Displayed::default();
        if change.before.commit != change.after.commit || !change.index.is_empty() {
            displayed = self.files(&mut change, work_tree)?;
        }
        let both = (
            change.before.commit.as_deref(),
            change.after.commit.as_deref(),
        );
        let mut undisplayed = self.undisplayed(&listed, both, &displayed)?;
        undisplayed.extend(self.beside_commits(&change, &displayed)?);
        change.undisplayed = Some(undisplayed);
        change.commits = listed.into_iter().map(|own| own.commit).collect();
        Ok(change)
    }

    /// Returns what an index has, by path.
    fn staged(&self, side: Side) -> Result<HashMap<String, StagedEntry>, String> {
        let listed = self.ask(side, &["ls-files", "--stage", "-z"], MAX_LISTED)?;
        let mut entries = staged_entries(listed.as_bytes());
        if may_be_intended(&entries) {
            let empty = self.empty_tree()?;
            let arguments = LIST_STAGED.into_iter().chain([empty.as_str()]);
            let arguments: Vec<&str> = arguments.collect();
            mark_intended(&mut entries, &self.ask(side, &arguments, MAX_LISTED)?);
        }
        Ok(entries)
    }

    fn empty_tree(&self) -> Result<String, String> {
        let hash = ["hash-object", "-t", "tree", "/dev/null"];
        Ok(self.ask(Side::Real, &hash, MAX_TOLD)?.trim().to_owned())
    }

    /// Returns what became of the stash, if it differs.
    fn stash(
        &self,
        before: &BTreeMap<String, String>,
        after: &BTreeMap<String, String>,
    ) -> Result<Option<StashChange>, String> {
        let entries = |side, refs: &BTreeMap<String, String>| {
            if !refs.contains_key(STASH) {
                return Ok(Vec::new());
            }
            self.ask(side, &LIST_STASH, MAX_TOLD)
                .map(|listed| stash_entries(&listed))
        };
        let change = StashChange {
            before: entries(Side::Real, before)?,
            after: entries(Side::Left, after)?,
        };
        Ok((change.before != change.after).then_some(change))
    }

    /// Returns whether files of the program's index have other flags than in the one that it found, as `assume-unchanged`; not
    /// those of which the entry differs in a `change`, which says which of them have no file.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn are_flags_changed(&self, change: &[IndexChange]) -> Result<bool, String> {
        let changed: BTreeSet<&str> = change.iter().map(|own| own.path.as_str()).collect();
        let [mut found, mut left] = [self.flagged(Side::Found)?, self.flagged(Side::Left)?];
        for flagged in [&mut found, &mut left] {
            flagged.retain(|(_, path)| !changed.contains(path.as_str()));
        }
        Ok(found != left)
    }

    /// Returns the files that have flags in an index, with git's letter for them.
    fn flagged(&self, side: Side) -> Result<Vec<(char, String)>, String> {
        let listed = self.ask(side, &["ls-files", "-v", "-z"], MAX_LISTED)?;
        let each = listed.split('\0').filter_map(|own| {
            let (letter, path) = own.split_once(' ')?;
            Some((letter.chars().next()?, path.to_owned()))
        });
        Ok(each.filter(|(letter, _)| !"HM".contains(*letter)).collect())
    }

    /// Returns which entries of a change git has no file of.
    fn skipped(&self, change: &[IndexChange]) -> Result<SkippedEntries, String> {
        if change.is_empty() {
            return Ok(SkippedEntries::default());
        }
        let changed: BTreeSet<&str> = change.iter().map(|own| own.path.as_str()).collect();
        let skipped = |side| {
            let flagged = self.flagged(side)?.into_iter();
            let skipped = flagged.filter(|(letter, _)| *letter == SKIPPED);
            let skipped = skipped.map(|(_, path)| path);
            Ok::<_, String>(
                skipped
                    .filter(|path| changed.contains(path.as_str()))
                    .collect(),
            )
        };
        Ok(SkippedEntries {
            before: skipped(Side::Found)?,
            after: skipped(Side::Left)?,
        })
    }

    /// Returns whether the program's index holds something else than the one that it found.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn is_index_changed(&self) -> Result<bool, String> {
        Ok(self.staged(Side::Found)? != self.staged(Side::Left)?)
    }

    fn ask(&self, side: Side, arguments: &[&str], most: usize) -> Result<String, String> {
        Ok(told(self.output(side, arguments, most)?.bytes()))
    }

    fn output(&self, side: Side, arguments: &[&str], most: usize) -> Result<Captured, String> {
        let mut variables = self.real.variables();
        let real = self.real.folder().join("objects");
        let has_own = self.copy.join(OF_WORK_TREE).exists();
        for (name, value) in &mut variables {
            let own = match (name.as_str(), side) {
                ("GIT_OBJECT_DIRECTORY", _) => self.objects.clone(),
                ("GIT_ALTERNATE_OBJECT_DIRECTORIES", _) => real.clone(),
                ("GIT_DIR", Side::Left) if has_own => self.copy.join(OF_WORK_TREE),
                ("GIT_DIR" | "GIT_COMMON_DIR", Side::Left) => self.copy.to_owned(),
                ("GIT_INDEX_FILE", Side::Left) => self.copy.join("index"),
                ("GIT_INDEX_FILE", Side::Found) => self.copy.join(FOUND_INDEX),
                _ => continue,
            };
            *value = own.to_string_lossy().into_owned();
        }
        let limits = Limits {
            most_bytes: most,
            ..self.asker.limits
        };
        let report = self
            .asker
            .start(&self.real, self.copy, arguments, variables, limits)?;
        if report.ended != Ended::Exit(0) || report.out.is_cut() {
            let why = report.err.text();
            let why = why.lines().find(|line| !line.trim().is_empty());
            let why = match report.ended {
                Ended::TimedOut => "it took too long",
                Ended::Exit(0) => "it says too much",
                _ => why.unwrap_or("it failed without a word"),
            };
            return Err(format!("git cannot read it: {why}"));
        }
        Ok(report.out)
    }

    /// Returns what is checked out; where references are in tables, `HEAD` itself does not say it.
    fn head(&self, side: Side, head: String) -> Result<String, String> {
        if head != IN_TABLES {
            return Ok(head);
        }
        match self.ask(side, &["symbolic-ref", "--quiet", "HEAD"], MAX_TOLD) {
            Ok(name) => Ok(format!("ref: {}", name.trim())),
            Err(_detached) => {
                let oid = self.ask(side, &["rev-parse", "--verify", "HEAD"], MAX_TOLD)?;
                Ok(oid.trim().to_owned())
            }
        }
    }

    fn refs(&self, side: Side) -> Result<BTreeMap<String, String>, String> {
        Ok(refs(&self.ask(side, &LIST_REFS, MAX_LISTED)?))
    }

    /// Returns how many commits a ref lost.
    fn lost(&self, before: Option<&str>, after: Option<&str>) -> Result<usize, String> {
        let Some(before) = before else {
            return Ok(0);
        };
        let after = after.unwrap_or("--all");
        let counted = ["rev-list", "--count", before, "--not", after];
        let counted = self.ask(Side::Left, &counted, MAX_TOLD)?;
        counted
            .trim()
            .parse()
            .map_err(|_no_number| "git counts no commits".to_owned())
    }

    /// Returns the commits that are new, and one more than are told.
    fn commits(&self, tips: &[&str]) -> Result<Vec<CommitWithObjects>, String> {
        let most = format!("--max-count={}", MAX_COMMITS + 1);
        let mut arguments = vec!["log", "-z", "--topo-order", "--no-renames"];
        arguments.extend(["--raw", "--no-abbrev", &most, "--diff-merges=first-parent"]);
        arguments.extend(["--no-show-signature", "--no-mailmap", "--no-color"]);
        arguments.extend(["--no-ext-diff", "--no-textconv", "--ignore-submodules=none"]);
        arguments.push("--format=%H%x00%P%x00%an <%ae>%x00%cn <%ce>%x00%ai%x00%ci%x00%B");
        arguments.extend(tips);
        arguments.extend(["--not", "--all"]);
        let listed = self.output(Side::Real, &arguments, MAX_TOLD)?;
        Ok(commits(listed.bytes()))
    }

    /// Fills in the headers of commits that git does not write by itself: a signature is one that no key of the user's made.
    fn take_headers(&self, listed: &mut [CommitWithObjects], tips: &[&str]) -> Result<(), String> {
        if listed.is_empty() {
            return Ok(());
        }
        let most = format!("--max-count={}", listed.len());
        let mut arguments = vec!["rev-list", "--header", "--topo-order", &most];
        arguments.extend(tips);
        arguments.extend(["--not", "--all"]);
        let raw = self.ask(Side::Real, &arguments, MAX_TOLD)?;
        let mut headers: HashMap<&str, Vec<String>> = raw.split('\0').filter_map(headers).collect();
        for own in listed {
            let oid = own.commit.oid.as_str();
            own.commit.headers = headers.remove(oid).ok_or("git lists other commits")?;
        }
        Ok(())
    }

    /// Fills in the files that differ between what was checked out and what is, or of which the index differs, and whether the
    /// program left them in the work tree as they are committed and staged. Returns those that it did.
    fn files(
        &self,
        change: &mut RepositoryChange,
        work_tree: &dyn Fn(&str) -> Option<LeftFile>,
    ) -> Result<Displayed, String> {
        let empty = self.empty_tree()?;
        let before = change.before.commit.as_deref();
        let after = change.after.commit.as_deref();
        let mut arguments = vec![
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            "--no-abbrev",
            "--ignore-submodules=none",
        ];
        arguments.extend([before.unwrap_or(&empty), after.unwrap_or(&empty)]);
        let listed = self.ask(Side::Real, &arguments, MAX_LISTED)?;
        let mut fields = listed.split_terminator('\0');
        let index = &mut change.index;
        let mut staged: BTreeMap<String, &mut IndexChange> = index
            .iter_mut()
            .map(|own| (own.path.clone(), own))
            .collect();
        let mut found = Vec::new();
        let mut clean = BTreeMap::new();
        while let (Some(record), Some(path)) = (fields.next(), fields.next()) {
            let parts: Vec<&str> = record.split(' ').collect();
            let [before, mode, old, oid, _] = parts.as_slice() else {
                return Err("git's list of changes is odd".to_owned());
            };
            let before = before.trim_start_matches(':');
            let base = (before != "000000").then(|| (before.to_owned(), (*old).to_owned()));
            clean.insert(path.to_owned(), base);
            let committed = (*mode != "000000").then(|| ((*mode).to_owned(), (*oid).to_owned()));
            let staged = staged.remove(path);
            let follows_head = staged.is_none_or(|own| {
                own.follows_head = own.after == committed;
                own.follows_head
            });
            if is_submodule([before, mode]) {
                if !follows_head {
                    return Err(of_submodule(path));
                }
                // Its files are no files of the work tree; what is committed of it is shown with the commit.
                continue;
            }
            found.push((path.to_owned(), work_tree(path), committed, follows_head));
        }
        for (path, own) in staged {
            let modes = [&own.before, &own.after].map(|own| own.as_ref().map_or("", |own| &own.0));
            if is_submodule(modes) {
                return Err(of_submodule(&path));
            }
            let file = work_tree(&path);
            found.push((path, file, own.after.clone(), true));
        }
        let left: Vec<&LeftFile> = found
            .iter()
            .filter_map(|(_, file, ..)| file.as_ref())
            .collect();
        let mut oids = self.oids(&left)?.into_iter();
        let mut displayed = Displayed::default();
        for (path, file, committed, follows_head) in found {
            let is_skipped = file.is_none() && change.skipped.after.contains(&path);
            let left = file
                .as_ref()
                .map(|file| (file.mode.to_owned(), oids.next()));
            let committed = committed.map(|(mode, oid)| (mode, Some(oid)));
            // Nothing of a file that is to be added is staged.
            let is_intended = committed
                .as_ref()
                .is_some_and(|(mode, _)| intended(mode).is_some());
            let is_in_tree = (left == committed || is_intended) && follows_head;
            if is_in_tree {
                let entry = committed.and_then(|(mode, oid)| Some((mode, oid?)));
                displayed.files.insert(path.clone(), entry);
            }
            let Some(below) = path.strip_prefix(&self.below) else {
                let path = quote::name(&path);
                return Err(format!("{path} of it is outside of the workspace"));
            };
            change.files.push(CheckedOutFile {
                path: below.to_owned(),
                is_as_committed: is_in_tree || is_skipped && follows_head,
                left: file.map(|file| file.fingerprint()),
            });
        }
        self.take_of_user(&mut displayed, &clean)?;
        Ok(displayed)
    }

    /// Fills in which files that are committed as they are in the work tree differ on disk already from what was checked out: no
    /// hunk that waits has these lines. What cannot be looked at is displayed by nothing.
    fn take_of_user(
        &self,
        displayed: &mut Displayed,
        clean: &BTreeMap<String, Option<StagedEntry>>,
    ) -> Result<(), String> {
        let (mut found, mut closed) = (Vec::new(), Vec::new());
        for (path, before) in clean
            .iter()
            .filter(|(path, _)| displayed.files.contains_key(*path))
        {
            let below = path.strip_prefix(&self.below).unwrap_or(path);
            match LeftFile::on_disk(self.asker.root, below) {
                Ok(file) => found.push((path, before, file)),
                Err(_unreadable) => closed.push(path),
            }
        }
        let files = found.iter().filter_map(|(.., file)| file.as_ref());
        let mut oids = self.oids(&files.collect::<Vec<_>>())?.into_iter();
        let others = found.iter().filter_map(|(path, before, file)| {
            let own = file.as_ref().map(|file| (file.mode, oids.next()));
            let is_clean = match (own, before) {
                (None, None) => true,
                (Some((mode, Some(oid))), Some(before)) => *before == (mode.to_owned(), oid),
                _ => false,
            };
            (!is_clean).then(|| (*path).clone())
        });
        let others = others.collect();
        for path in closed {
            displayed.files.remove(path);
        }
        displayed.of_user = others;
        Ok(())
    }

    /// Returns the names that files would have as objects; of so many that nobody looks at them all, none.
    fn oids(&self, files: &[&LeftFile]) -> Result<Vec<String>, String> {
        if files.is_empty() || files.len() > MAX_COMPARED {
            return Ok(Vec::new());
        }
        let shelf = self.copy.join("left");
        fs::create_dir_all(&shelf).map_err(|error| error.to_string())?;
        let mut names = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let name = shelf.join(number.to_string());
            fs::write(&name, &file.bytes).map_err(|error| error.to_string())?;
            names.push(name.to_string_lossy().into_owned());
        }
        let mut arguments = vec!["hash-object", "--no-filters"];
        arguments.extend(names.iter().map(String::as_str));
        let hashed = self.ask(Side::Real, &arguments, MAX_TOLD)?;
        Ok(hashed.lines().map(str::to_owned).collect())
    }

    /// Returns what stands for all that the repository on disk has checked out and refers to.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn mark(&self) -> Result<String, String> {
        let refs = self.refs(Side::Real)?;
        Ok(mark(&self.real_head, &refs, &self.elsewhere))
    }
}

impl Asker<'_> {
    /// Returns what stands for all that the repository around the workspace has checked out and refers to.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn reference_mark(&self) -> Result<String, String> {
        let repository = Repository::find(self.root)?;
        let head = repository.head()?;
        let elsewhere = self.checked_out_elsewhere(&repository)?;
        let view = repository.view()?;
        let limits = Limits {
            most_bytes: MAX_LISTED,
            ..self.limits
        };
        let report = self.run(&view, view.top(), &LIST_REFS, limits)?;
        match report.ended {
            Ended::Exit(0) if !report.out.is_cut() => {
                Ok(mark(&head, &refs(&report.out.text()), &elsewhere))
            }
            _ => Err("git cannot list references".to_owned()),
        }
    }
}

fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

fn is_submodule(modes: [&str; 2]) -> bool {
    modes.contains(&SUBMODULE)
}

/// Says that nobody stages another state of a submodule: its files and its repository are not the workspace's.
fn of_submodule(path: &str) -> String {
    let path = quote::name(path);
    format!("{path} is a submodule, of which programs cannot commit another state")
}

/// The ref that the stash is under.
const STASH: &str = "refs/stash";
/// How git is asked for the entries of the stash.
const LIST_STASH: [&str; 4] = ["reflog", "show", "--format=%H %gs", STASH];

fn stash_entries(listed: &str) -> Vec<StashEntry> {
    let each = listed.lines().filter_map(|line| line.split_once(' '));
    let entries = each.map(|(oid, message)| StashEntry {
        oid: oid.to_owned(),
        message: message.to_owned(),
    });
    entries.collect()
}

/// Returns what differs between two indexes, by path.
fn index_changes(
    before: &HashMap<String, StagedEntry>,
    after: &HashMap<String, StagedEntry>,
) -> Vec<IndexChange> {
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differing = paths
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path));
    let changes = differing.map(|path| IndexChange {
        path: path.clone(),
        before: before.get(path).cloned(),
        after: after.get(path).cloned(),
        follows_head: false,
    });
    changes.collect()
}

/// How git is asked for references.
const LIST_REFS: [&str; 2] = [
    "for-each-ref",
    "--format=%(objectname) %(objecttype)%(*objecttype) %(refname) %(symref)",
];
/// What the value of a symbolic ref begins with.
const SYMBOLIC: &str = "ref: ";
/// What the value of a ref has that names no commit: a symbolic one, or a tag of a file, which no list of commits shows.
const OTHER: &str = ": ";

/// Returns the commit or the tag of one that each ref names, or of a symbolic one the ref.
fn refs(listed: &str) -> BTreeMap<String, String> {
    let each = listed.lines().filter_map(|line| {
        let mut parts = line.splitn(4, ' ');
        let mut next = || parts.next();
        let (oid, kind, name, leads_to) = (next()?, next()?, next()?, next()?);
        let value = match (leads_to, kind) {
            ("", "commit" | "tagcommit") => oid.to_owned(),
            ("", kind) => format!("{kind}{OTHER}{oid}"),
            (leads_to, _) => format!("{SYMBOLIC}{leads_to}"),
        };
        Some((name.to_owned(), value))
    });
    each.collect()
}

/// Returns what stands for all of these references; what other work trees do to their branches changes nothing here.
fn mark(
    head: &str,
    refs: &BTreeMap<String, String>,
    elsewhere: &BTreeMap<String, String>,
) -> String {
    let mut all = head.to_owned();
    let own = refs.iter();
    for (name, oid) in own.filter(|(name, _)| !elsewhere.contains_key(*name)) {
        all.extend(["\n", oid, " ", name]);
    }
    Source::new(all).fingerprint().to_string()
}

/// Returns what `HEAD` has checked out.
fn checked_out(head: String, refs: &BTreeMap<String, String>) -> CheckedOut {
    let commit = match head.strip_prefix("ref: ") {
        Some(name) => {
            let value = refs.get(name);
            let leads_to = value.and_then(|value| value.strip_prefix(SYMBOLIC));
            leads_to.map_or(value, |name| refs.get(name)).cloned()
        }
        None => Some(head.clone()),
    };
    CheckedOut { name: head, commit }
}

/// Returns the packs in a folder of objects. One without an index is none: git set the time of a pack of the repository, and
/// the layer has a copy of it.
fn packs_in(objects: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(objects.join("pack")) {
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let is_pack = |path: &PathBuf| {
        let is_pack = path.extension().is_some_and(|kind| kind == "pack");
        is_pack && path.with_extension("idx").exists()
    };
    paths
        .filter(|path| path.as_ref().map_or(true, is_pack))
        .collect()
}

/// Returns whether there is a file in a folder or in one of its folders.
fn has_files(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() || has_files(&entry.path())? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A new commit as git lists it.
struct CommitWithObjects {
    commit: ProposedCommit,
    /// The mode and the object that it has of each of its files.
    objects: Vec<StagedEntry>,
}

/// Headers that git writes by itself, with the line before them.
const HEADERS: [&str; 6] = [
    "tree",
    "parent",
    "author",
    "committer",
    "encoding",
    "mergetag",
];

/// Reads the raw text of a commit behind its name. Returns its other headers: of `gpgsig -----BEGIN`, `gpgsig`.
fn headers(raw: &str) -> Option<(&str, Vec<String>)> {
    let (oid, rest) = raw.split_once('\n')?;
    let lines = rest.lines().take_while(|line| !line.is_empty());
    let names = lines.filter(|line| !line.starts_with(' '));
    let names = names.map(|line| line.split(' ').next().unwrap_or(line));
    let others = names.filter(|name| !HEADERS.contains(name));
    Some((oid, others.map(str::to_owned).collect()))
}

/// Reads commits, each of seven texts, then pairs of a record and a path. What is said in other encodings is for reading.
fn commits(listed: &[u8]) -> Vec<CommitWithObjects> {
    let mut texts = listed.split(|byte| *byte == 0);
    let mut found: Vec<CommitWithObjects> = Vec::new();
    while let Some(text) = texts.next() {
        let text = text.trim_ascii_start();
        if let Some(record) = text.strip_prefix(b":") {
            let path = texts.next().map(told);
            let record = told(record);
            let parts: Vec<&str> = record.split(' ').collect();
            if let (Some(own), Some(path), [_, mode, _, object, kind]) =
                (found.last_mut(), path, parts.as_slice())
                && let Some(letter) = kind.chars().next()
            {
                own.commit.files.push((letter, path));
                own.objects.push(((*mode).to_owned(), (*object).to_owned()));
            }
        } else if !text.is_empty() {
            let mut next = || texts.next().map(String::from_utf8_lossy);
            let [parents, author, committer, authored, committed, message] =
                std::array::from_fn(|_| next());
            let (Some(parents), Some(author), Some(message)) = (parents, author, message) else {
                break;
            };
            let other = |text: Option<Cow<'_, str>>, than: &str| {
                text.filter(|text| text != than).map(Cow::into_owned)
            };
            let commit = ProposedCommit {
                oid: told(text),
                parents: parents.split_whitespace().map(str::to_owned).collect(),
                committer: other(committer, &author),
                authored: other(authored, committed.as_deref().unwrap_or("")),
                headers: Vec::new(),
                author: author.into_owned(),
                message: message.trim_end().to_owned(),
                files: Vec::new(),
            };
            found.push(CommitWithObjects {
                commit,
                objects: Vec::new(),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::super::tests::{Place, place};
    use super::*;
    use crate::process::Supervision;

    #[test]
    fn commits_are_read_with_their_files() {
        let listed = "c2\0c1\0A <a@b>\0C <c@b>\0then\0now\0two\n\0\n:1 2 0 b2 M\0a\0:0 1 0 b3 A\0b c\0c1\0\0A <a@b>\0A <a@b>\0now\0now\0one\n\nbody\n\0\n:0 1 0 b1 A\0a\0c0\0x y\0B <>\0B <>\0\0\0empty\n\0";
        let found = commits(listed.as_bytes());
        let entry = |mode: &str, object: &str| (mode.to_owned(), object.to_owned());
        assert_eq!(found[0].objects, [entry("2", "b2"), entry("1", "b3")]);
        let found: Vec<ProposedCommit> = found.into_iter().map(|own| own.commit).collect();
        let told: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "commit c2 \"two\" (2 files)",
                "commit c1 \"one\" (1 file)",
                "commit c0 \"empty\" (0 files)"
            ]
        );
        assert_eq!(
            found[0].files,
            [('M', "a".to_owned()), ('A', "b c".to_owned())]
        );
        assert_eq!(found[0].committer.as_deref(), Some("C <c@b>"));
        assert_eq!(found[0].authored.as_deref(), Some("then"));
        assert_eq!((&found[1].committer, &found[1].authored), (&None, &None));
        assert_eq!(found[1].message, "one\n\nbody");
        assert_eq!(found[2].parents, ["x", "y"]);
    }

    #[test]
    fn headers_that_git_does_not_write_are_named() {
        let raw = "c1\ntree t\nauthor A\ncommitter C\ngpgsig -----BEGIN\n x\n -----END\nx-own y\n\n    tree of\n    odd";
        let found = headers(raw).expect("a commit");
        assert_eq!(found, ("c1", vec!["gpgsig".to_owned(), "x-own".to_owned()]));
    }

    fn change_of(place: &Place) -> Result<RepositoryChange, String> {
        let never = AtomicBool::new(false);
        let root = place.at("own");
        let asker = Asker {
            root: &root,
            reserved: None,
            supervision: Supervision::None,
            limits: Limits {
                timeout: Duration::from_secs(20),
                most_bytes: 0,
            },
            stop: &never,
        };
        let copy = place.at("left/.git");
        fs::copy(root.join(".git/index"), copy.join(FOUND_INDEX)).expect("an index");
        let left = LeftRepository::open(&asker, &copy)?;
        left.change(None, &|path| {
            LeftFile::on_disk(&place.at("left"), path).expect("a work tree")
        })
    }

    #[test]
    fn an_object_under_the_name_of_another_is_not_taken() {
        for what in ["lie", "edited since", "as committed"] {
            let Some(place) = place() else { return };
            let mut copy = Command::new("cp");
            copy.arg("-a").args([place.at("own"), place.at("left")]);
            assert!(copy.status().expect("cp").success());
            place.write("left/a.txt", "changed");
            place.git("left", &["commit", "--quiet", "--all", "--message=second"]);
            let object = |name: &str| {
                let oid = place.git("left", &["rev-parse", name]);
                let (shelf, rest) = oid.trim().split_at(2);
                place.at(&format!("left/.git/objects/{shelf}/{rest}"))
            };
            if what == "lie" {
                let (mine, other) = (object("HEAD:a.txt"), object("HEAD~1:a.txt"));
                fs::remove_file(&mine).expect("an object");
                fs::copy(other, mine).expect("another object");
                assert!(change_of(&place).is_err());
                continue;
            }
            if what == "edited since" {
                place.write("left/a.txt", "changed again");
            }
            let change = change_of(&place).expect("a change");
            let lines = change.lines().join("; ");
            let expected = "\"second\" (1 file) on branch main";
            assert!(lines.contains(expected), "{lines}");
            let held = change.held().is_some_and(|why| why.contains("a.txt"));
            assert_eq!(held, what == "edited since");
        }
    }
}
