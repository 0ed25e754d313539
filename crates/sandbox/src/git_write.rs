//! Commits made in the user's repository; the only place that writes to it.
//!
//! In: the workspace's folder, `HEAD` as it was read, what paths become, a message, who wrote it. Out: the new
//! commit, or why there is none ([`CommitRefusal`]). For example, of a repository with `a` and `b` changed by the user and `c`
//! by a model, a commit with `c` alone: the commit has `HEAD`'s `a` and `b`, `a` stays staged if it was, and `git status`
//! says of `c` that nothing differs.
//!
//! The files of the work tree are neither read nor written. A tree is made in an index of its own (`objects`), then
//! the reference moves if it is where it was, and the entries of the user's index move that were as the parent had
//! them (`advance`). Git sees the repository's objects, references and index, and the configuration of `git_view`: no
//! setting of the repository makes it run a program. Of the user's own settings it is told who commits and how commits are
//! signed (`user_settings`). See `docs/decisions/0063`.
//!
//! **Invariant:** a reference moves from the commit that the caller saw, or not at all; without it, nothing but objects that
//! nothing leads to was written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::git_view::{Asker, IndexedKind, MAX_LISTED, Repository, View, leads_out};
use crate::process::{Captured, Ended, Limits, Report, Supervision};

mod advance;
mod exchange;
pub(crate) mod large_files;
mod objects;
mod own_file;
mod path_rules;
mod receipts;
mod stashes;
mod take_over;
mod under_way;
mod user_settings;

pub use exchange::Remote;
pub use objects::NewCommit;
pub use path_rules::{LineEndRule, PathRules};
pub use receipts::{BlobChange, ListedCommit, Signature, header, text_of};
pub(crate) use stashes::STASH;
pub use take_over::CommittedFile;
pub(crate) use under_way::HOOKS;
use user_settings::UserSettings;
pub use user_settings::{Identities, Identity, UserVariables};

/// The hash of an object of git's.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(String);

impl ObjectId {
    /// Takes a hash as git prints it; none if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_hash = matches!(text.len(), 40 | 64)
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_hash.then(|| Self(text.to_owned()))
    }

    /// Returns the hash in hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns its first ten digits, for people.
    pub fn short(&self) -> &str {
        self.0.get(..10).unwrap_or(&self.0)
    }
}

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The branch, as `refs/heads/main`; none if a commit is checked out.
    pub reference: Option<String>,
    /// The commit; none on a branch without one.
    pub commit: Option<ObjectId>,
}

impl Head {
    /// Returns the branch without what all branches have before their names.
    pub fn branch(&self) -> Option<&str> {
        let reference = self.reference.as_deref()?;
        Some(reference.strip_prefix("refs/heads/").unwrap_or(reference))
    }
}

/// What a file has in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Its bytes as git keeps them; of a link, its target.
    pub bytes: Vec<u8>,
    /// What it is.
    pub kind: IndexedKind,
}

/// What paths of the workspace become; none is gone.
pub type BlobChanges = BTreeMap<String, Option<Blob>>;

/// Why there is no commit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommitRefusal {
    /// The tree would be the parent's.
    #[error("there is nothing to commit: HEAD has all of it")]
    Nothing,
    /// A merge or its like has to end first.
    #[error("a {0} is under way; finish or abort it with git first")]
    UnderWay(&'static str),
    /// The merge that a program ended, or its like, is not under way as it was.
    #[error("the {0} that the program ended is not under way any more as it was then")]
    OtherUnderWay(String),
    /// What is staged changed since a merge was ended, so that its conflicts cannot be put back.
    #[error("what is staged changed since; `git reset` takes back what you staged")]
    OtherIndex,
    /// It is not known who commits.
    #[error(
        "git does not know who you are; set it with `git config --global user.name NAME` and `git config --global user.email ADDRESS`"
    )]
    NoIdentity,
    /// A hook of git refused it, or all of them could not run to their end.
    #[error("hooks of git refused the commit: {0}")]
    Hook(String),
    /// The user's settings want a signature, and there is none.
    #[error("the commit could not be signed as commit.gpgSign asks for: {0}")]
    Unsigned(String),
    /// A branch that moves is that of another work tree.
    #[error("{branch} is checked out in another work tree, {at}; commit there")]
    CheckedOutElsewhere {
        /// Which.
        branch: String,
        /// Where.
        at: String,
    },
    /// Another git writes the index, or one left its lock.
    #[error(
        "another git is at work, or one left {0:?}; try again, or remove the file if none runs"
    )]
    Locked(PathBuf),
    /// The reference is elsewhere by now.
    #[error("{reference} moved from {from} to {to} meanwhile; try again")]
    Moved {
        /// Which.
        reference: String,
        /// Where it was, as it is shown: an object, or of `HEAD` a branch.
        from: String,
        /// Where it is.
        to: String,
    },
}

impl CommitRefusal {
    fn moved(reference: &str, from: Option<&ObjectId>, to: Option<&ObjectId>) -> Self {
        Self::Moved {
            reference: reference.to_owned(),
            from: short(from).to_owned(),
            to: short(to).to_owned(),
        }
    }

    /// Says that something else is checked out: by branches where the commit is the same.
    fn head_moved(from: &Head, to: &Head) -> Self {
        let [from_branch, to_branch] = [from, to].map(|own| own.branch().unwrap_or("no branch"));
        if from.commit == to.commit {
            return Self::Moved {
                reference: "HEAD".to_owned(),
                from: from_branch.to_owned(),
                to: to_branch.to_owned(),
            };
        }
        Self::moved("HEAD", from.commit.as_ref(), to.commit.as_ref())
    }
}

/// A variable of git's, and its value; with none git does not get it.
type Variable = (String, Option<String>);

fn variable(name: &str, value: impl Into<String>) -> Variable {
    (name.to_owned(), Some(value.into()))
}

pub(crate) fn short(commit: Option<&ObjectId>) -> &str {
    commit.map_or("no commit", ObjectId::short)
}

/// What a call comes to: done, or refused for a reason that the user can act on.
///
/// # Errors
///
/// What git or the disk could not do, in a line.
pub type WriteResult<T> = Result<Result<T, CommitRefusal>, String>;

/// A commit that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The commit.
    pub commit: ObjectId,
    /// Paths below the top of the work tree of which the user has something else staged, which stays.
    pub staged: Vec<String>,
}

/// A repository that commits are written to.
#[derive(Debug)]
pub struct GitWriter<'a> {
    asker: Asker<'a>,
    user: &'a UserVariables,
    view: View,
    /// What belongs to this work tree, and what all work trees share.
    own: PathBuf,
    common: PathBuf,
    /// Branches that other work trees have checked out, and where these are.
    elsewhere: BTreeMap<String, String>,
    /// The workspace below the top of the work tree: nothing, or with a slash at its end.
    prefix: String,
    settings: UserSettings,
}

impl<'a> GitWriter<'a> {
    /// Finds the repository around a workspace, and reads who its user is.
    ///
    /// # Errors
    ///
    /// Fails without a repository that can be looked at safely and written to, with the reason.
    pub fn open(asker: Asker<'a>, user: &'a UserVariables) -> Result<Self, String> {
        let repository = Repository::find(asker.root)?;
        let (own, common) = (repository.own.clone(), repository.common.clone());
        let config = repository.config()?;
        let prefix = repository.below_top(asker.root)?;
        let elsewhere = asker.checked_out_elsewhere(&repository)?;
        let mut writer = Self {
            elsewhere,
            asker,
            user,
            view: repository.view()?,
            own,
            common,
            prefix,
            settings: UserSettings::default(),
        };
        writer.settings = writer.read_settings(&config)?;
        // Of a bare repository, a linked work tree is one all the same.
        if writer.own == writer.common && writer.settings.is_bare() {
            return Err("this repository is bare: it has no work tree".to_owned());
        }
        Ok(writer)
    }

    /// Returns what is checked out.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn head(&self) -> Result<Head, String> {
        let found = self.report(&["symbolic-ref", "--quiet", "HEAD"], Vec::new())?;
        let reference = match found.ended {
            Ended::Exit(0) => Some(found.out.text().trim_end().to_owned()),
            Ended::Exit(1) => None,
            _ => return Err(failed(&found)),
        };
        let commit = self.commit_at("HEAD")?;
        Ok(Head { reference, commit })
    }

    /// Returns the commit that a name stands for; none if it stands for none.
    fn commit_at(&self, name: &str) -> Result<Option<ObjectId>, String> {
        let name = format!("{name}^{{commit}}");
        let found = self.report(&["rev-parse", "--verify", "--quiet", &name], Vec::new())?;
        match found.ended {
            Ended::Exit(0) => object(&found.out).map(Some),
            Ended::Exit(1) => Ok(None),
            _ => Err(failed(&found)),
        }
    }

    /// Returns whether the workspace is the whole work tree, so that programs in the shadow commit all of it.
    pub fn is_whole_work_tree(&self) -> bool {
        self.prefix.is_empty()
    }

    /// Returns who writes and who commits, as the user's git has them; none if it does not know.
    pub fn identities(&self) -> Option<Identities> {
        self.settings.identities(self.user)
    }

    /// Commits what paths become on top of `HEAD` as it was read.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn commit(
        &self,
        head: &Head,
        changes: &BlobChanges,
        message: &str,
        trailers: &[(String, String)],
    ) -> WriteResult<Committed> {
        let (tree, Identities { author, committer }) = match self.prepare(head, changes)? {
            Ok(prepared) => prepared,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let commit = self.commit_tree(&NewCommit {
            tree: &tree,
            parents: head.commit.as_slice(),
            message,
            trailers,
            author: &author,
            committer: &committer,
        })?;
        match commit {
            Ok(commit) => self.advance(head, commit, &committer),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// Makes the tree of a commit on top of `HEAD` as it was read, and says who commits it.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn prepare(
        &self,
        head: &Head,
        changes: &BlobChanges,
    ) -> WriteResult<(ObjectId, Identities)> {
        if let Some(what) = self.under_way() {
            return Ok(Err(CommitRefusal::UnderWay(what)));
        }
        let Some(identities) = self.identities() else {
            return Ok(Err(CommitRefusal::NoIdentity));
        };
        let base = head.commit.as_ref();
        let tree = self.tree(base, changes)?;
        if tree == self.tree_of(base)? {
            return Ok(Err(CommitRefusal::Nothing));
        }
        Ok(Ok((tree, identities)))
    }

    /// Attaches a note to a commit.
    ///
    /// # Errors
    ///
    /// Fails if git does, and if the commit has another note: somebody else's tool wrote that.
    pub fn note(
        &self,
        commit: &ObjectId,
        reference: &str,
        text: &str,
        committer: &Identity,
    ) -> Result<(), String> {
        let of = format!("--ref={reference}");
        let shown = self.report(&["notes", &of, "show", commit.as_str()], Vec::new())?;
        match shown.ended {
            Ended::Exit(0) if shown.out.text() == text => return Ok(()),
            Ended::Exit(0) => {
                return Err(format!("it has a note in refs/notes/{reference} already"));
            }
            _ => {}
        }
        let (arguments, variables) = self.adding_note(commit, reference, text, committer)?;
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.output(&arguments, variables).map(drop)
    }

    /// Returns how git is asked to attach a note. Of a file, `notes add` would take spaces at the ends of lines out.
    fn adding_note(
        &self,
        commit: &ObjectId,
        reference: &str,
        text: &str,
        committer: &Identity,
    ) -> Result<(Vec<String>, Vec<Variable>), String> {
        self.write_no_logs()?;
        let kept = self.keep_blobs(&[text.as_bytes()])?;
        let blob = kept.first().ok_or("git kept no note")?;
        let of = format!("--ref={reference}");
        let arguments = ["notes", &of, "add", commit.as_str(), "-C", blob];
        let mut variables = committer.variables("COMMITTER").to_vec();
        variables.extend(committer.variables("AUTHOR"));
        Ok((arguments.map(str::to_owned).into(), variables))
    }

    /// Returns a path of the workspace as git has it, from the top of the work tree.
    ///
    /// # Errors
    ///
    /// Fails if the path leads out of the workspace.
    pub fn below_top(&self, path: &str) -> Result<String, String> {
        if leads_out(path) {
            return Err(format!("{path:?} is no file of the repository"));
        }
        Ok(format!("{}{path}", self.prefix))
    }

    /// Runs git in the top of the work tree; variables come after those of the view.
    fn report(&self, arguments: &[&str], variables: Vec<Variable>) -> Result<Report, String> {
        self.report_in(self.view.top(), arguments, variables, self.listing())
    }

    /// Returns how far a git may go that lists files.
    fn listing(&self) -> Limits {
        Limits {
            most_bytes: MAX_LISTED,
            ..self.asker.limits
        }
    }

    /// Runs git where it moves references. It goes on where signoff is killed: ended in between, it would leave its locks.
    fn moving(&self, arguments: &[&str], variables: Vec<Variable>) -> Result<Report, String> {
        let asker = Asker {
            supervision: Supervision::None,
            ..self.asker
        };
        self.report_by(
            &asker,
            self.view.top(),
            arguments,
            variables,
            self.listing(),
        )
    }

    fn report_in(
        &self,
        folder: &Path,
        arguments: &[&str],
        variables: Vec<Variable>,
        limits: Limits,
    ) -> Result<Report, String> {
        self.report_by(&self.asker, folder, arguments, variables, limits)
    }

    fn report_by(
        &self,
        asker: &Asker<'_>,
        folder: &Path,
        arguments: &[&str],
        variables: Vec<Variable>,
        limits: Limits,
    ) -> Result<Report, String> {
        let objects = self.common.join("objects");
        // What belongs to the work tree is the repository's; what all share, its configuration included, is the view's.
        let places = [("GIT_DIR", &self.own), ("GIT_OBJECT_DIRECTORY", &objects)];
        let places = places.map(|(name, path)| variable(name, path.to_string_lossy()));
        let later: Vec<Variable> = places.into_iter().chain(variables).collect();
        let mut all = self.view.variables();
        all.retain(|(name, _)| later.iter().all(|(other, _)| name != other));
        all.extend(
            later
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        let mut whole = vec!["-c", "core.untrackedCache=keep"];
        let shared = self.settings.shared_repository();
        whole.extend(shared.iter().flat_map(|setting| ["-c", setting]));
        whole.extend(arguments);
        asker.start(&self.view, folder, &whole, all, limits)
    }

    /// Returns what git prints.
    fn output(&self, arguments: &[&str], variables: Vec<Variable>) -> Result<Captured, String> {
        printed(self.report(arguments, variables)?)
    }
}

/// Returns what a git that ended well printed.
fn printed(report: Report) -> Result<Captured, String> {
    match report.ended {
        Ended::Exit(0) if !report.out.is_cut() => Ok(report.out),
        Ended::Exit(0) => Err("git printed too much".to_owned()),
        _ => Err(failed(&report)),
    }
}

/// Says in a line why git failed.
fn failed(report: &Report) -> String {
    match report.ended {
        Ended::TimedOut => "git took too long".to_owned(),
        Ended::Stopped => "cancelled".to_owned(),
        Ended::Exit(_) | Ended::Signal(_) => {
            let said = report.err.text();
            let mut lines = said.lines();
            let first = lines.next().unwrap_or("git failed");
            // `error: gpg failed to sign the data:` has its reason below.
            match lines.next().filter(|_| first.ends_with(':')) {
                Some(why) => format!("{first} {}", why.trim()),
                None => first.to_owned(),
            }
        }
    }
}

fn object(printed: &Captured) -> Result<ObjectId, String> {
    let text = printed.text();
    ObjectId::parse(&text).ok_or_else(|| format!("git printed {text:?} in the place of a hash"))
}

#[cfg(test)]
mod tests;
