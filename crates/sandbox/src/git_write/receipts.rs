//! What a commit changes, and texts about it that its author signs.
//!
//! A text is signed as git signs commits: it is the message of a commit object to which no reference leads, so that whatever
//! the user's git signs with, ssh or OpenPGP, vouches for it, and git alone judges the signature. A note holds the whole
//! object, for a clone has no other way to it.
//!
//! ```text
//! tree 4b825dc...                   that of the commit which the text is about
//! parent a3cc3bd...                 that commit
//! committer Ann <ann@example.org>
//! encoding signoff-receipt          that of no commit (`git_view::SignedKind`)
//! gpgsig -----BEGIN SSH SIGNATURE-----
//!
//! the text
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::objects::{NewCommit, batches, scratch, unwritten};
use super::{
    GitWriter, Identities, ObjectId, Variable, WriteResult, failed, object, printed, variable,
};
use crate::git_view::SignedKind;
use crate::process::Ended;

/// Maximum number of notes that are read because they have a word.
const MAX_NOTES: usize = 5_000;

/// A commit of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedCommit {
    /// Its id.
    pub id: ObjectId,
    /// Its parents.
    pub parents: Vec<ObjectId>,
    /// The first line of its message.
    pub subject: String,
}

/// What a commit makes of a file: each side is `100644 HASH`, or nothing where the file is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobChange {
    /// Before; in a merge, as the first parent has it.
    pub before: Option<String>,
    /// After.
    pub after: Option<String>,
    /// Lines that come, and that go; none where git does not count them, as in a binary file.
    pub lines: Option<(usize, usize)>,
}

/// What git says of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signature {
    /// There is none.
    Missing,
    /// It is good, and the user's git trusts the key.
    Trusted {
        /// Whose key it is.
        by: String,
    },
    /// It cannot be judged, or its key is not trusted.
    Unknown,
    /// It is not that of this text, or its key is revoked.
    Bad,
}

impl Signature {
    /// Returns whose key it has, if it is that of somebody else than of whom has this address.
    pub fn other_than(&self, email: &str) -> Option<&str> {
        let Self::Trusted { by } = self else {
            return None;
        };
        // OpenPGP names its owner as git does, ssh the address alone.
        let address = by.rsplit_once('<').map_or(by.as_str(), |(_, own)| own);
        let address = address.trim_end_matches('>').trim().to_lowercase();
        let email = email.trim().to_lowercase();
        // A key may be for all addresses of a server.
        let is_own = match address.split_once('*') {
            Some((first, last)) => email.starts_with(first) && email.ends_with(last),
            None => address == email,
        };
        (!is_own || email.is_empty()).then_some(by)
    }
}

impl GitWriter<'_> {
    /// Returns the commits of a range such as `main..HEAD`, oldest first.
    ///
    /// # Errors
    ///
    /// Fails if it is no range of this repository.
    pub fn commits_of(&self, range: &str) -> Result<Vec<ListedCommit>, String> {
        let mut arguments = vec!["log", "-z", "--reverse", "--topo-order", "--no-color"];
        arguments.extend([
            "--no-show-signature",
            "--no-notes",
            "--format=%H%x09%P%x09%s",
        ]);
        arguments.extend(["--end-of-options", range, "--"]);
        let listed = self.output(&arguments, Vec::new())?.text();
        let records = listed.split_terminator('\0');
        let commits = records.map(|record| {
            let mut fields = record.splitn(3, '\t');
            let (id, parents, subject) = (fields.next(), fields.next(), fields.next());
            let odd = || format!("git's list of commits is odd: {record:?}");
            Ok(ListedCommit {
                id: id.and_then(ObjectId::parse).ok_or_else(odd)?,
                parents: parents
                    .ok_or_else(odd)?
                    .split_ascii_whitespace()
                    .map(|parent| ObjectId::parse(parent).ok_or_else(odd))
                    .collect::<Result<_, _>>()?,
                subject: subject.ok_or_else(odd)?.to_owned(),
            })
        });
        commits.collect()
    }

    /// Returns what a commit makes of files, by path from the top of the work tree; of a merge, only of those that it has
    /// otherwise than all of its parents.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn blob_changes(
        &self,
        commit: &ListedCommit,
    ) -> Result<BTreeMap<String, BlobChange>, String> {
        let is_merge = commit.parents.len() > 1;
        let common = ["diff-tree", "-r", "-z", "--root", "--no-commit-id"];
        let plain = ["--no-renames", "--no-ext-diff", "--no-textconv"];
        let ask = |form: &[&str]| {
            let arguments = common.iter().chain(&plain).chain(form).copied();
            let arguments: Vec<&str> = arguments.chain([commit.id.as_str()]).collect();
            Ok::<_, String>(self.output(&arguments, Vec::new())?.text())
        };
        if is_merge {
            let listed = ask(&["-c", "--raw", "--no-abbrev"])?;
            return combined_changes(&listed);
        }
        let mut changes = changes(&ask(&["--raw", "--no-abbrev"])?)?;
        for record in ask(&["--numstat"])?.split_terminator('\0') {
            let mut fields = record.splitn(3, '\t');
            let mut count = || fields.next()?.parse::<usize>().ok();
            let lines = count().zip(count());
            if let Some(change) = fields.next().and_then(|path| changes.get_mut(path)) {
                change.lines = lines;
            }
        }
        Ok(changes)
    }

    /// Makes the object of a text about a commit, signed if the user signs commits, and returns it as a note keeps it.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn signed_text(
        &self,
        commit: &ObjectId,
        (kind, text): (SignedKind, &str),
        Identities { author, committer }: &Identities,
    ) -> WriteResult<String> {
        let object = NewCommit {
            tree: &self.tree_of(Some(commit))?,
            parents: std::slice::from_ref(commit),
            message: text,
            trailers: &[],
            author,
            committer,
        };
        match self.commit_object(&object, Some(kind))? {
            Ok(made) => {
                let shown = self.output(&["cat-file", "commit", made.as_str()], Vec::new())?;
                Ok(Ok(shown.text()))
            }
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// Returns the note of a commit, if it has one.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn note_of(&self, commit: &ObjectId, reference: &str) -> Result<Option<String>, String> {
        let of = format!("--ref={reference}");
        // `notes show` ends alike without a note and without that commit; a list that is empty says which.
        let listed = self.report(&["notes", &of, "list", commit.as_str()], Vec::new())?;
        match listed.ended {
            Ended::Exit(0) => {
                let blob = object(&listed.out)?;
                let shown = self.output(&["cat-file", "blob", blob.as_str()], Vec::new())?;
                Ok(Some(shown.text()))
            }
            Ended::Exit(1) => Ok(None),
            _ => Err(failed(&listed)),
        }
    }

    /// Returns the notes that have one of these words, with the names of the objects that they are about.
    ///
    /// # Errors
    ///
    /// Fails if git lists none, and if they are too many.
    pub fn notes_with(
        &self,
        reference: &str,
        words: &BTreeSet<String>,
    ) -> Result<Vec<(String, String)>, String> {
        let reference = format!("refs/notes/{reference}");
        let is_there = self.references(&reference)?;
        if words.is_empty() || is_there.iter().all(|(name, _)| *name != reference) {
            return Ok(Vec::new());
        }
        let mut places = BTreeSet::new();
        for words in batches(&words.iter().cloned().collect::<Vec<_>>()) {
            let mut arguments = vec!["grep", "-l", "-z", "-a", "-F", "--no-color"];
            arguments.extend(words.into_iter().flat_map(|word| ["-e", word]));
            arguments.extend([reference.as_str(), "--"]);
            let found = self.report(&arguments, Vec::new())?;
            match found.ended {
                Ended::Exit(0 | 1) if !found.out.is_cut() => {}
                _ => return Err(failed(&found)),
            }
            let found = found.out.text();
            places.extend(found.split_terminator('\0').map(str::to_owned));
        }
        if places.len() > MAX_NOTES {
            return Err(format!(
                "more than {MAX_NOTES} notes could be of these commits"
            ));
        }
        let notes = places.into_iter().filter_map(|place| {
            // One that cannot be read hides no other.
            let shown = self.output(&["cat-file", "blob", &place], Vec::new());
            let about = place.rsplit(':').next().unwrap_or("").replace('/', "");
            Some((about, shown.ok()?.text()))
        });
        Ok(notes.collect())
    }

    /// Returns what git says of the signature of a text that `signed_text` made. The object is kept out of the repository.
    ///
    /// # Errors
    ///
    /// Fails if git does, and if it is no such text.
    pub fn signature_of(&self, signed: &str) -> Result<Signature, String> {
        let scratch = scratch()?;
        let file = scratch.path().join("object");
        std::fs::write(&file, signed).map_err(unwritten)?;
        let objects = self.common.join("objects");
        let elsewhere = [
            ("GIT_OBJECT_DIRECTORY", scratch.path()),
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects.as_path()),
        ];
        let elsewhere = elsewhere.map(|(name, path)| variable(name, path.to_string_lossy()));
        let file = file.to_string_lossy();
        let arguments = ["hash-object", "-t", "commit", "-w", "--no-filters", &file];
        let made = self.report(&arguments, elsewhere.to_vec())?;
        let Ended::Exit(0) = made.ended else {
            // Git makes no such object.
            return Ok(Signature::Bad);
        };
        let made = object(&made.out)?;
        let found = self.judged(signed, &made, (&elsewhere, None))?;
        let email = header(signed).find_map(|line| line.strip_prefix("committer "));
        let email = email.and_then(|line| line.split_once('<')?.1.split_once('>'));
        let (Some((email, _)), Some(trusted)) = (email, self.settings.allowed_signers(self.user))
        else {
            return Ok(found);
        };
        if found.other_than(email).is_none() {
            return Ok(found);
        }
        // A key may be trusted for several addresses, and git says the first.
        let trusted = std::fs::read_to_string(trusted).unwrap_or_default();
        let file = scratch.path().join("signers");
        std::fs::write(&file, signers_named(&trusted, email)).map_err(unwritten)?;
        let file = file.to_string_lossy();
        let named = self.judged(signed, &made, (&elsewhere, Some(&file)))?;
        let is_named = matches!(named, Signature::Trusted { .. });
        Ok(if is_named { named } else { found })
    }

    /// Returns what git says of the signature of an object in a folder, by the user's keys or those of a file.
    fn judged(
        &self,
        signed: &str,
        made: &ObjectId,
        (elsewhere, signers): (&[Variable], Option<&str>),
    ) -> Result<Signature, String> {
        let mut settings = self.settings.of_signatures();
        settings.extend(signers.map(|file| format!("gpg.ssh.allowedSignersFile={file}")));
        let mut arguments: Vec<&str> = Vec::new();
        for setting in &settings {
            arguments.extend(["-c", setting]);
        }
        // `show` would read its parent too, which a clone lacks once the commit was rebased.
        arguments.extend(["log", "--no-walk", "--no-patch", "--no-notes"]);
        arguments.extend(["--no-show-signature", "--format=%G?%n%GS", made.as_str()]);
        let mut variables = elsewhere.to_vec();
        variables.extend(self.for_signing());
        let judged = printed(self.report(&arguments, variables)?)?.text();
        let mut lines = judged.lines();
        let (letter, by) = (lines.next().unwrap_or("N"), lines.next().unwrap_or(""));
        let has_signature = header(signed).any(|line| line.starts_with("gpgsig"));
        Ok(match (letter, has_signature) {
            ("G", _) => Signature::Trusted { by: by.to_owned() },
            ("B" | "R", _) => Signature::Bad,
            // Git prints the letter of no signature too where it lacks the means to judge one.
            ("N", false) => Signature::Missing,
            _ => Signature::Unknown,
        })
    }
}

/// Returns the lines of a file of ssh keys that are for an address, for this one alone.
fn signers_named(trusted: &str, email: &str) -> String {
    let lines = trusted.lines().filter_map(|line| {
        let (names, rest) = line.trim_start().split_once([' ', '\t'])?;
        let mut names = names.split(',');
        let is_named = names.any(|name| name.eq_ignore_ascii_case(email));
        is_named.then(|| format!("{email} {rest}\n"))
    });
    lines.collect()
}

/// Returns the lines above the text of an object.
pub fn header(signed: &str) -> impl Iterator<Item = &str> {
    signed.split('\n').take_while(|line| !line.is_empty())
}

/// Returns the text that was signed.
pub fn text_of(signed: &str) -> Option<&str> {
    signed.split_once("\n\n").map(|(_, text)| text)
}

/// Adds a change. Names that are not UTF-8 may read alike, and then one of them would be looked at in the place of both.
fn add(
    changes: &mut BTreeMap<String, BlobChange>,
    path: &str,
    change: BlobChange,
) -> Result<(), String> {
    match changes.insert(path.to_owned(), change) {
        Some(_) => Err(format!(
            "two files of a commit have names that read alike: {path:?}"
        )),
        None => Ok(()),
    }
}

/// Reads records of `:MODE MODE HASH HASH STATUS\0PATH\0`.
fn changes(listed: &str) -> Result<BTreeMap<String, BlobChange>, String> {
    let mut changes = BTreeMap::new();
    let mut records = listed.split_terminator('\0');
    while let (Some(fields), Some(path)) = (records.next(), records.next()) {
        let odd = || format!("git's list of changes is odd: {fields:?}");
        let fields = fields.strip_prefix(':').ok_or_else(odd)?;
        let split: Vec<&str> = fields.split(' ').collect();
        let [old_mode, new_mode, old, new, _] = split.as_slice() else {
            return Err(odd());
        };
        let change = BlobChange {
            before: side(old_mode, old),
            after: side(new_mode, new),
            lines: None,
        };
        add(&mut changes, path, change)?;
    }
    Ok(changes)
}

/// Reads records of `::MODE MODE MODE HASH HASH HASH STATUS\0PATH\0`, with a mode and a hash for each parent first.
fn combined_changes(listed: &str) -> Result<BTreeMap<String, BlobChange>, String> {
    let mut changes = BTreeMap::new();
    let mut records = listed.split_terminator('\0');
    while let (Some(fields), Some(path)) = (records.next(), records.next()) {
        let odd = || format!("git's list of changes is odd: {fields:?}");
        let parents = fields.bytes().take_while(|byte| *byte == b':').count();
        let split: Vec<&str> = fields.trim_start_matches(':').split(' ').collect();
        let at = |index: usize| split.get(index).copied().ok_or_else(odd);
        let change = BlobChange {
            before: side(at(0)?, at(parents + 1)?),
            after: side(at(parents)?, at(2 * parents + 1)?),
            lines: None,
        };
        add(&mut changes, path, change)?;
    }
    Ok(changes)
}

fn side(mode: &str, hash: &str) -> Option<String> {
    let is_there = hash.bytes().any(|byte| byte != b'0');
    is_there.then(|| format!("{mode} {hash}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_commits_and_of_merges_are_read() {
        let listed = ":000000 100644 0000 ab12 A\0new\0:100644 100755 ab12 ab12 M\0x\0";
        let read = changes(listed).unwrap();
        let sides = |path: &str| {
            let change = &read[path];
            (change.before.as_deref(), change.after.as_deref())
        };
        assert_eq!(sides("new"), (None, Some("100644 ab12")));
        assert_eq!(sides("x"), (Some("100644 ab12"), Some("100755 ab12")));
        let merged = "::100644 100644 100644 aa11 bb22 cc33 MM\0f\0";
        let read = combined_changes(merged).unwrap();
        assert_eq!(read["f"].before.as_deref(), Some("100644 aa11"));
        assert_eq!(read["f"].after.as_deref(), Some("100644 cc33"));
        let twice = format!("{listed}{listed}");
        for odd in ["x\0f\0", ":1 2\0f\0", &twice] {
            assert!(
                changes(odd).is_err() && combined_changes(odd).is_err(),
                "{odd:?}"
            );
        }
    }

    #[test]
    fn a_key_of_several_addresses_is_that_of_each() {
        let trusted = "# all\na@x,b@x ssh-ed25519 AA\nc@x ssh-ed25519 BB\n\nB@X cert-authority C\n";
        let named = signers_named(trusted, "b@x");
        assert_eq!(named, "b@x ssh-ed25519 AA\nb@x cert-authority C\n");
        for (by, email, is_other) in [
            ("b@x", "B@x", false),
            ("Bob <b@x>", "b@x", false),
            ("*@x", "b@x", false),
            ("bb@x", "b@x", true),
            ("b@x", "", true),
            ("Bob <b@x> <c@x>", "b@x", true),
        ] {
            let signature = Signature::Trusted { by: by.to_owned() };
            assert_eq!(
                signature.other_than(email).is_some(),
                is_other,
                "{by} {email}"
            );
        }
    }

    #[test]
    fn a_signed_text_is_told_from_its_header() {
        let signed = "tree 00\ngpgsig x\n y\n\ntext\n\nmore\n";
        assert_eq!(text_of(signed), Some("text\n\nmore\n"));
        assert_eq!(text_of("tree 00\n"), None);
    }
}
