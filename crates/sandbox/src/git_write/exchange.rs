//! References exchanged with other repositories: pushed, fetched, or in a bundle.
//!
//! In: references, and a remote by its name or address, or a file. Out: they are there, or here. Hooks of the repository do
//! not run, nor those of another one on this machine, which may have come in the same archive. How a server is reached and
//! what signs in there, the user's own configuration alone says; of the repository's, only the address of a remote counts,
//! and none that leads into the work tree.

use std::path::{Path, PathBuf};

use super::{Ended, GitWriter, Identity, ObjectId, Variable, failed, variable};
use crate::process::{Limits, Report};

/// How git may reach another repository; `ext` runs whatever the address says.
const PROTOCOLS: &str = "file:git:http:https:ssh";

/// What git runs in a repository on this machine that is pushed to. Nothing of its configuration starts a program: no hook,
/// no filter of files that are checked out there, no housekeeping, no list of what it borrows.
const RECEIVED_HERE_BY: &str = "--receive-pack=git -c core.hooksPath=/dev/null -c core.fsmonitor=false \
    -c core.alternateRefsCommand=true -c receive.denyCurrentBranch=refuse -c receive.autogc=false receive-pack";

/// Bytes of one object that is read whole, as the text of an offer: 40,000 hunks.
const MAX_OBJECT: usize = 4 * 1024 * 1024;

/// Another repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote(String);

impl Remote {
    /// Returns its address, or its file.
    pub fn address(&self) -> &str {
        &self.0
    }

    /// Returns the file of a bundle.
    pub fn bundle(file: &Path) -> Self {
        Self(file.to_string_lossy().into_owned())
    }

    /// Returns whether it is a path of this machine, as git tells these from `host:path`.
    fn is_here(&self) -> bool {
        match self.0.split_once(':') {
            None => true,
            Some((before, after)) => {
                before.contains('/') || (before == "file" && after.starts_with("//"))
            }
        }
    }
}

impl GitWriter<'_> {
    /// Finds a remote by its name in the configuration, or by its address; `folder` is where a path begins that the user
    /// typed.
    ///
    /// # Errors
    ///
    /// Fails if there is none of this name, or if its address is none that is used.
    pub fn remote(&self, named: &str, folder: &Path, pushes: bool) -> Result<Remote, String> {
        let configured = self.settings.remote_url(named, pushes);
        let address = match configured {
            Some(address) => address.clone(),
            None if folder.join(named).is_dir() => {
                folder.join(named).to_string_lossy().into_owned()
            }
            None if named.contains([':', '/']) => named.to_owned(),
            None => return Err(format!("there is no remote {named}")),
        };
        if address.starts_with('-') {
            return Err(format!("{address:?} is no address of a repository"));
        }
        let path = address.strip_prefix("file://").unwrap_or(&address);
        let path: PathBuf = self.view.top().join(path);
        let is_inside = path.canonicalize();
        let top = self.view.top().canonicalize();
        if configured.is_some()
            && let (Ok(path), Ok(top)) = (is_inside, top)
            && path.starts_with(&top)
        {
            return Err(format!(
                "the remote {named} is a folder of this workspace, whose hooks would run; name its path instead"
            ));
        }
        Ok(Remote(address))
    }

    /// Pushes references; returns what the server said. None is forced.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn push(&self, remote: &Remote, refspecs: &[String]) -> Result<Vec<String>, String> {
        self.push_with(remote, refspecs, &[])
    }

    /// Pushes references with words for the server, as `topic=x`: options of a push, of which git knows nothing itself.
    ///
    /// # Errors
    ///
    /// Fails if git does, and if the server takes no options.
    pub fn push_with(
        &self,
        remote: &Remote,
        refspecs: &[String],
        options: &[String],
    ) -> Result<Vec<String>, String> {
        let options: Vec<String> = options
            .iter()
            .map(|option| format!("--push-option={option}"))
            .collect();
        let mut arguments = vec![
            "push",
            "--no-verify",
            "--no-recurse-submodules",
            "--no-follow-tags",
        ];
        arguments.extend(remote.is_here().then_some(RECEIVED_HERE_BY));
        arguments.extend(options.iter().map(String::as_str));
        arguments.extend(["--no-progress", "--", &remote.0]);
        arguments.extend(refspecs.iter().map(String::as_str));
        let report = self.exchange(&arguments)?;
        let said = report.err.text();
        match report.ended {
            Ended::Exit(0) => {
                let lines = said.lines().filter_map(|line| line.strip_prefix("remote:"));
                let lines = lines.map(str::trim).filter(|line| !line.is_empty());
                Ok(lines.map(str::to_owned).collect())
            }
            _ => Err(refusal(&report)),
        }
    }

    /// Fetches references, as far as they only go forward here.
    ///
    /// # Errors
    ///
    /// Fails if git does, and if a reference there goes back or aside; what goes forward is here then all the same.
    pub fn fetch(&self, remote: &Remote, refspecs: &[String]) -> Result<(), String> {
        self.fetch_with(remote, refspecs, "--no-prune")
    }

    /// Fetches references, and removes those here that are not there any more.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn mirror(&self, remote: &Remote, refspec: &str) -> Result<(), String> {
        self.fetch_with(remote, &[format!("+{refspec}")], "--prune")
    }

    fn fetch_with(&self, remote: &Remote, refspecs: &[String], prune: &str) -> Result<(), String> {
        let mut arguments = vec!["-c", "gc.auto=0", "-c", "maintenance.auto=false", "fetch"];
        arguments.extend([
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            prune,
        ]);
        arguments.extend(["--no-progress", "--", &remote.0]);
        arguments.extend(refspecs.iter().map(String::as_str));
        let report = self.exchange(&arguments)?;
        match report.ended {
            Ended::Exit(0) => Ok(()),
            _ => Err(refusal(&report)),
        }
    }

    /// Puts references in a bundle, without what these commits have.
    ///
    /// # Errors
    ///
    /// Fails if git does, and if the file is there.
    pub fn bundle(
        &self,
        file: &Path,
        references: &[String],
        without: &[ObjectId],
    ) -> Result<(), String> {
        if file.symlink_metadata().is_ok() {
            return Err(format!("{} is there already", file.display()));
        }
        let file = file.to_string_lossy();
        let mut arguments = vec!["bundle", "create", "--quiet", &file];
        arguments.extend(references.iter().map(String::as_str));
        if !without.is_empty() {
            arguments.push("--not");
            arguments.extend(without.iter().map(ObjectId::as_str));
        }
        self.output(&arguments, Vec::new()).map(drop)
    }

    /// Returns the references below a name such as `refs/signoff/offers/`, with the commits that they lead to.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn references(&self, below: &str) -> Result<Vec<(String, ObjectId)>, String> {
        let format = "--format=%(objectname) %(objecttype) %(refname)";
        let listed = self.output(&["for-each-ref", format, below], Vec::new())?;
        let listed = listed.text();
        let found = listed.lines().filter_map(|line| {
            let mut fields = line.splitn(3, ' ');
            let (id, kind, name) = (fields.next()?, fields.next()?, fields.next()?);
            (kind == "commit").then_some((name.to_owned(), ObjectId::parse(id)?))
        });
        Ok(found.collect())
    }

    /// Makes a reference to a commit.
    ///
    /// # Errors
    ///
    /// Fails if git does, and if it leads elsewhere already.
    pub fn make_reference(&self, name: &str, commit: &ObjectId) -> Result<(), String> {
        if self.commit_at(name)?.as_ref() == Some(commit) {
            return Ok(());
        }
        self.write_no_logs()?;
        let none = "0".repeat(commit.as_str().len());
        let arguments = ["update-ref", name, commit.as_str(), &none];
        let report = self.moving(&arguments, Vec::new())?;
        match report.ended {
            Ended::Exit(0) => Ok(()),
            _ => Err(failed(&report)),
        }
    }

    /// Removes a reference that leads to this commit.
    ///
    /// # Errors
    ///
    /// Fails if git does, and if it leads elsewhere.
    pub fn remove_reference(&self, name: &str, commit: &ObjectId) -> Result<(), String> {
        let arguments = ["update-ref", "-d", name, commit.as_str()];
        let report = self.moving(&arguments, Vec::new())?;
        match report.ended {
            Ended::Exit(0) => Ok(()),
            _ => Err(failed(&report)),
        }
    }

    /// Returns the text of a commit's object, with its header and signature.
    ///
    /// # Errors
    ///
    /// Fails if git does, and if it is too large.
    pub fn commit_text(&self, commit: &ObjectId) -> Result<String, String> {
        let arguments = ["cat-file", "commit", commit.as_str()];
        let limits = Limits {
            most_bytes: MAX_OBJECT,
            ..self.asker.limits
        };
        let report = self.report_in(self.view.top(), &arguments, Vec::new(), limits)?;
        Ok(super::printed(report)?.text())
    }

    /// Returns the commits before one, the nearest first: of its first parents, so many at most.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn first_parents(&self, commit: &ObjectId, most: usize) -> Result<Vec<ObjectId>, String> {
        let most = format!("--max-count={}", most + 1);
        let arguments = ["rev-list", "--first-parent", &most, commit.as_str()];
        let listed = self.output(&arguments, Vec::new())?.text();
        Ok(listed.lines().skip(1).filter_map(ObjectId::parse).collect())
    }

    /// Puts a note in the place of the one that a commit has, if it has one.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn replace_note(
        &self,
        commit: &ObjectId,
        reference: &str,
        text: &str,
        committer: &Identity,
    ) -> Result<(), String> {
        let (arguments, variables) = self.adding_note(commit, reference, text, committer)?;
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.push("--force");
        let report = self.moving(&arguments, variables)?;
        match report.ended {
            Ended::Exit(0) => Ok(()),
            _ => Err(failed(&report)),
        }
    }

    /// Runs git with the user's own configuration, so that it reaches servers as the user's git does.
    fn exchange(&self, arguments: &[&str]) -> Result<Report, String> {
        self.write_no_logs()?;
        let mut variables: Vec<Variable> = self.of_user();
        variables.extend(self.for_signing());
        variables.push(variable("GIT_ALLOW_PROTOCOL", PROTOCOLS));
        self.report(arguments, variables)
    }
}

/// Says why git did not exchange references: the line in which it says so, and no progress.
fn refusal(report: &Report) -> String {
    let Ended::Exit(_) = report.ended else {
        return failed(report);
    };
    let said = report.err.text();
    let lines: Vec<&str> = said.lines().map(str::trim).collect();
    let telling = ["! [", "fatal:", "error:"];
    let told = telling
        .iter()
        .find_map(|begins| lines.iter().find(|line| line.starts_with(begins)));
    match told {
        Some(line) => (*line).to_owned(),
        None => failed(report),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_this_machine_is_told_from_an_address() {
        for (address, is_here) in [
            ("/srv/a.git", true),
            ("../a.git", true),
            ("vendor", true),
            ("./host:path", true),
            ("file:///srv/a.git", true),
            ("host:path", false),
            ("ann@example.org:a/b.git", false),
            ("ssh://example.org/a", false),
            ("https://example.org/a", false),
        ] {
            assert_eq!(Remote(address.to_owned()).is_here(), is_here, "{address}");
        }
    }
}
