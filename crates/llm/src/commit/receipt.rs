//! Receipt of a commit: what of it was signed off, and who had proposed it.
//!
//! ```text
//! signoff receipt
//!
//! {"receipt": 1, "revision": 3, "files": [{
//!   "path": "src/a.rs", "before": "100644 9daeafb", "after": "100644 3b18e51",
//!   "lines": [{"lines": [[3, 4], [9, 9]], "by": {"kind": "model", "name": "m"}, "request": "add a cache",
//!              "sight": {"as": "seen"}, "checks": [{"name": "pytest", "passed": true, "outcome": "12 passed"}]}],
//!   "changes": [{"by": {"kind": "program"}, "request": "sed -i 5d src/a.rs", "sight": {"as": "unseen"}}]
//! }]}
//! ```
//!
//! `receipt` goes up where an earlier reader would take a text for what it does not say; `revision` where fields were added,
//! which an earlier reader passes over.
//!
//! A receipt vouches for what a commit makes of a file, from one blob to another, so that it holds for a commit with another
//! message or on another parent too, as long as it does the same to the file. Lines of which it names no proposer are the user's
//! own.
//!
//! `lines` are those that came. Of what leaves no line, `changes` has the proposals: removed lines, files that go, come empty or
//! move, permissions, bytes that are no text. A file without the field, as of revision 2, is one of which that is not known.
//!
//! In: what a commit changes, with the changes of the history that it was made of; a note, and what git says of its signature.
//! Out: the text of a receipt; for each file of a commit, whether it is signed ([`CheckedCommit`]).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use signoff_core::id::ProposalId;
use signoff_core::stage::review::{CheckRun, HistoryView, Proposer, Sight};
use signoff_sandbox::git_view::SignedKind;
use signoff_sandbox::git_write::{
    BlobChange, GitWriter, ListedCommit, ObjectId, Signature, header, text_of,
};

use super::authorship::{AuthoredFile, AuthoredLine};
use super::commit_file::{CommitFile, authored};
use super::elsewhere::{OtherReceipt, chain};

/// The notes that hold receipts.
pub const RECEIPTS: &str = "signoff";

/// The version of the format.
const VERSION: u32 = 1;
/// Which fields it has: since 2, what was displayed and what had run; since 3, the changes that leave no line.
const REVISION: u32 = 3;

/// The mode of a file that cannot be run.
const PLAIN: &str = "100644";

/// Bytes of the name or the outcome of a check.
const MAX_OUTCOME: usize = 120;

/// What was signed off of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Receipt {
    receipt: u32,
    #[serde(default)]
    revision: u32,
    pub(super) files: Vec<SignedFile>,
}

/// A file of a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedFile {
    /// From the top of the work tree.
    pub path: String,
    /// Mode and hash before.
    #[serde(default)]
    pub before: Option<String>,
    /// Mode and hash after.
    #[serde(default)]
    pub after: Option<String>,
    /// Lines afterwards, with who proposed them.
    #[serde(default)]
    pub lines: Vec<ProposedLines>,
    /// What was proposed that did more than add lines; none where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<ProposedChange>>,
}

/// Hunks of a proposal of which the same was displayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedChange {
    /// Who proposed them.
    pub by: Proposer,
    /// True if the user rewrote them in the review.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// What the user had asked for, on one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
    /// What was displayed of them at the sign-off, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sight: Option<Sight>,
    /// What had run on the files as they were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckRun>,
}

/// Lines that came with one proposal, and of which the same was displayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedLines {
    /// First and last line of each stretch, from 1.
    pub lines: Vec<(usize, usize)>,
    /// What brought them.
    #[serde(flatten)]
    pub change: ProposedChange,
}

impl SignedFile {
    /// Returns what was signed off of a file, from the top of the work tree; `file` is what the commit makes of it, under this
    /// name or from it, where that is known.
    pub(super) fn of(path: String, change: &BlobChange, file: Option<&CommitFile>) -> Self {
        let lines = file.filter(|_| change.after.is_some()).and_then(authored);
        Self {
            path,
            before: change.before.clone(),
            after: change.after.clone(),
            lines: lines.as_ref().map_or_else(Vec::new, proposed),
            changes: file.map(beside_lines),
        }
    }
}

impl ProposedChange {
    /// Returns what history has of a change that was proposed; `sight` is what was displayed of it.
    fn of(entry: &HistoryView, sight: Option<&Sight>) -> Option<Self> {
        let signed = entry.sign_off.as_ref();
        let checks = signed.iter().flat_map(|signed| &signed.checks);
        Some(Self {
            by: entry.proposer.clone()?,
            edited: entry.edited,
            request: entry.request.clone(),
            proposal: entry.proposal,
            sight: sight.cloned(),
            checks: checks.map(|run| run.bounded(MAX_OUTCOME)).collect(),
        })
    }

    /// Returns whether it is of the same proposal as another, and the same is known of both.
    fn is_of(&self, other: &Self) -> bool {
        self.proposal == other.proposal && self.sight == other.sight && self.checks == other.checks
    }

    /// Returns whether somebody had it displayed when it was signed off.
    fn is_displayed(&self) -> bool {
        self.sight.as_ref().is_some_and(Sight::is_displayed)
    }
}

/// What nobody had displayed of a signed file when it was signed off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnseenParts {
    /// Lines that came.
    pub lines: usize,
    /// Changes that do more than add lines; none where that is not known, and the commit does more to the file.
    pub changes: Option<usize>,
}

impl UnseenParts {
    /// Returns whether all of it was displayed, for all that is known.
    pub fn is_none(&self) -> bool {
        self.lines == 0 && self.changes == Some(0)
    }
}

impl CheckedFile {
    /// Returns what nobody had displayed of it when it was signed off; of what is not signed, nothing is said.
    pub fn unseen(&self) -> UnseenParts {
        let Some(signed) = &self.signed else {
            return UnseenParts {
                lines: 0,
                changes: Some(0),
            };
        };
        let changes = match &signed.changes {
            Some(changes) => Some(changes.iter().filter(|own| !own.is_displayed()).count()),
            None if self.only_adds_lines() => Some(0),
            None => None,
        };
        let unseen = signed
            .lines
            .iter()
            .filter(|lines| !lines.change.is_displayed());
        let Some((added, _)) = self.change.lines else {
            // What git takes for bytes has no lines to count.
            let changes = changes.map(|changes| changes + unseen.count());
            return UnseenParts { lines: 0, changes };
        };
        let lines = unseen.map(ProposedLines::count);
        // Of several receipts for one change, some lines are gone again.
        let lines = lines.fold(0, usize::saturating_add).min(added);
        UnseenParts { lines, changes }
    }

    fn only_adds_lines(&self) -> bool {
        let modes = [&self.change.before, &self.change.after].map(|side| {
            let side = side.as_deref()?;
            side.split_once(' ').map(|(mode, _)| mode)
        });
        let keeps_mode = match modes {
            [_, None] => false,
            [None, Some(mode)] => mode == PLAIN,
            [before, after] => before == after,
        };
        keeps_mode && matches!(self.change.lines, Some((1.., 0)))
    }
}

impl ProposedLines {
    /// Returns how many lines they are.
    pub fn count(&self) -> usize {
        let stretches = self.lines.iter();
        let counts = stretches.map(|(first, last)| (last + 1).saturating_sub(*first));
        counts.fold(0, usize::saturating_add)
    }
}

/// What the note of a commit comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Voucher {
    /// The commit has none.
    Missing,
    /// It is no receipt, or cut.
    Unreadable,
    /// It is a receipt as a commit: its signature could be that of a commit with such a message.
    Older,
    /// It cannot be judged.
    Unjudged {
        /// Why.
        why: String,
    },
    /// Its signature is not that of its text, or of a key that is revoked.
    Forged,
    /// It is signed with the key of somebody else than it names.
    OtherKey {
        /// Whom it names.
        signer: String,
        /// Whose key it is.
        by: String,
    },
    /// It vouches for nothing that this commit does.
    Foreign,
    /// It vouches for some of the commit, or for all.
    Read {
        /// Who signed off, as git's identity.
        signer: String,
        /// What git says of the key.
        signature: Signature,
    },
}

/// A file of a commit that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedFile {
    /// From the top of the work tree.
    pub path: String,
    /// What the commit makes of it.
    pub change: BlobChange,
    /// What was signed off; none if the change is not signed.
    pub signed: Option<SignedFile>,
    /// Whether the history of this machine says so, and no receipt.
    pub is_by_history: bool,
}

/// A commit that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedCommit {
    /// The commit.
    pub commit: ListedCommit,
    /// What its note comes to.
    pub voucher: Voucher,
    /// Receipts of other commits that vouch for some of its files.
    pub others: Vec<OtherReceipt>,
    /// Its files.
    pub files: Vec<CheckedFile>,
}

impl Receipt {
    /// Returns the receipt of a commit that is made of approved changes alone. Paths of `known` are from the top of the work tree.
    pub(super) fn of(
        changes: &BTreeMap<String, BlobChange>,
        known: &BTreeMap<String, &CommitFile>,
    ) -> Self {
        let files = changes.iter();
        let files = files
            .map(|(path, change)| SignedFile::of(path.clone(), change, known.get(path).copied()));
        Self::new(files.collect())
    }

    pub(super) fn new(files: Vec<SignedFile>) -> Self {
        Self {
            receipt: VERSION,
            revision: REVISION,
            files,
        }
    }

    /// Returns the text that is signed.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be told as JSON.
    pub(super) fn text(&self) -> Result<String, String> {
        let json = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        let heading = SignedKind::Receipt.heading();
        Ok(format!("{heading}\n\n{json}\n"))
    }

    /// Leaves it at a commit.
    ///
    /// # Errors
    ///
    /// Fails as [`write_receipt`] does.
    pub(super) fn write(&self, writer: &GitWriter<'_>, commit: &ObjectId) -> Result<(), String> {
        let identities = writer.identities().ok_or("it is not known who commits")?;
        let text = self.text()?;
        match writer.signed_text(commit, (SignedKind::Receipt, &text), &identities)? {
            Ok(receipt) => writer.note(commit, RECEIPTS, &receipt, &identities.committer),
            Err(refusal) => Err(refusal.to_string()),
        }
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let json = text.strip_prefix(SignedKind::Receipt.heading())?;
        let receipt: Self = serde_json::from_str(json).ok()?;
        (receipt.receipt == VERSION).then_some(receipt)
    }

    fn file(&self, path: &str, change: &BlobChange) -> Option<&SignedFile> {
        let mut files = self.files.iter();
        files.find(|file| {
            file.path == path && file.before == change.before && file.after == change.after
        })
    }
}

impl CheckedCommit {
    /// Judges a commit by its note. `signature` is what git says of the note's; a key is wanted where `wants_key`.
    pub fn new(
        commit: ListedCommit,
        changes: BTreeMap<String, BlobChange>,
        note: Option<(&str, Result<Signature, String>)>,
        wants_key: bool,
    ) -> Self {
        let (mut voucher, receipt) = match note {
            None => (Voucher::Missing, None),
            Some((note, signature)) => vouched(note, signature),
        };
        let is_vouched = match &voucher {
            Voucher::Read { signature, .. } => {
                !wants_key || matches!(signature, Signature::Trusted { .. })
            }
            _ => false,
        };
        let mut is_about = false;
        let files = changes.into_iter().map(|(path, change)| {
            let found = receipt.as_ref().and_then(|own| own.file(&path, &change));
            is_about |= found.is_some();
            let signed = found.filter(|_| is_vouched).cloned();
            CheckedFile {
                path,
                change,
                signed,
                is_by_history: false,
            }
        });
        let files: Vec<CheckedFile> = files.collect();
        if !is_about && matches!(voucher, Voucher::Read { .. }) {
            voucher = Voucher::Foreign;
        }
        Self {
            commit,
            voucher,
            others: Vec::new(),
            files,
        }
    }

    /// Returns whether receipts of other commits may vouch for what is not signed: not beside one that is forged, nor of a merge,
    /// of which only a part is looked at.
    pub(super) fn is_open_to_others(&self) -> bool {
        let is_forged = matches!(self.voucher, Voucher::Forged | Voucher::OtherKey { .. });
        !is_forged && self.commit.parents.len() < 2
    }

    /// Takes over what receipts of other commits vouch for. Of a file with several, the lines are those of each.
    pub fn vouch_by_receipts(&mut self, receipts: &[OtherReceipt]) {
        if !self.is_open_to_others() {
            return;
        }
        let mut used = BTreeSet::new();
        for file in self.files.iter_mut().filter(|file| file.signed.is_none()) {
            let Some(steps) = chain(receipts, &file.path, &file.change) else {
                continue;
            };
            used.extend(steps.iter().map(|(number, _)| *number));
            let lines = steps.iter().flat_map(|(_, own)| own.lines.clone());
            let changes: Option<Vec<_>> =
                steps.iter().map(|(_, own)| own.changes.clone()).collect();
            file.signed = Some(SignedFile {
                lines: lines.collect(),
                changes: changes.map(|changes| changes.concat()),
                ..SignedFile::of(file.path.clone(), &file.change, None)
            });
        }
        let used = used.into_iter().filter_map(|number| receipts.get(number));
        self.others.extend(used.cloned());
    }

    /// Takes over what the history of this machine vouches for, where no receipt does.
    pub fn vouch_by_history(&mut self, known: Vec<SignedFile>) {
        for own in known {
            let mut files = self.files.iter_mut().filter(|file| file.signed.is_none());
            let is_same = |file: &CheckedFile| {
                file.path == own.path
                    && file.change.before == own.before
                    && file.change.after == own.after
            };
            if let Some(file) = files.find(|file| is_same(file)) {
                file.is_by_history = true;
                file.signed = Some(own);
            }
        }
    }

    /// Returns whether all that it does is signed.
    pub fn is_signed(&self) -> bool {
        self.files.iter().all(|file| file.signed.is_some())
    }
}

/// Leaves a receipt of files at a commit, signed if the user signs commits.
///
/// # Errors
///
/// Fails if git does, if there is no signature, and if the commit has another note.
pub fn write_receipt(
    writer: &GitWriter<'_>,
    commit: &ObjectId,
    files: Vec<SignedFile>,
) -> Result<(), String> {
    Receipt::new(files).write(writer, commit)
}

/// Reads a note, of which git says this.
pub(super) fn vouched(
    note: &str,
    signature: Result<Signature, String>,
) -> (Voucher, Option<Receipt>) {
    let read = text_of(note).and_then(Receipt::read);
    let committer = header(note).find_map(|line| line.strip_prefix("committer "));
    let who = committer.and_then(|line| line.split_once('>'));
    let who = who.and_then(|(who, _)| who.split_once('<'));
    let (Some(receipt), Some((name, email))) = (read, who) else {
        return (Voucher::Unreadable, None);
    };
    if SignedKind::of(note) != Some(SignedKind::Receipt) {
        return (Voucher::Older, None);
    }
    let signer = format!("{name}<{email}>");
    let signature = match signature {
        Ok(signature) => signature,
        Err(why) => return (Voucher::Unjudged { why }, None),
    };
    if signature == Signature::Bad {
        return (Voucher::Forged, None);
    }
    match signature.other_than(email).map(str::to_owned) {
        Some(by) => (Voucher::OtherKey { signer, by }, None),
        None => (Voucher::Read { signer, signature }, Some(receipt)),
    }
}

/// Returns the lines of a file by the proposals that they came with and what was displayed of them, in the order of their first
/// lines.
fn proposed(file: &AuthoredFile<'_>) -> Vec<ProposedLines> {
    let mut all: Vec<ProposedLines> = Vec::new();
    for AuthoredLine {
        number: line,
        entry,
        splice,
    } in &file.lines
    {
        let signed = entry.sign_off.as_ref();
        let sight = signed.and_then(|signed| signed.sight(*splice));
        let Some(change) = ProposedChange::of(entry, sight) else {
            continue;
        };
        // A proposal that was approved in parts has each with what was so of it.
        let own = all.iter_mut().find(|own| own.change.is_of(&change));
        match own.map(|own| &mut own.lines) {
            Some(lines) => match lines.last_mut() {
                Some((_, last)) if *last + 1 == *line => *last = *line,
                _ => lines.push((*line, *line)),
            },
            None => all.push(ProposedLines {
                lines: vec![(*line, *line)],
                change,
            }),
        }
    }
    all
}

/// Returns the proposals of a file that did more than add lines, as `ProposedLines` are: what was reverted and redone as it was
/// first signed off, and reverts are the user's own.
fn beside_lines(file: &CommitFile) -> Vec<ProposedChange> {
    let mut all: Vec<ProposedChange> = Vec::new();
    let is_text = file.is_text();
    for entry in &file.entries {
        let only_adds = is_text
            && entry.added > 0
            && entry.removed == 0
            && entry.moved.is_none()
            && entry.effect.is_empty();
        if only_adds {
            continue;
        }
        let signed = entry.sign_off.iter();
        let sights = signed.flat_map(|signed| &signed.hunks);
        let mut sights: Vec<Option<&Sight>> = sights.map(|own| Some(&own.sight)).collect();
        if sights.is_empty() {
            sights.push(None);
        }
        let changes = sights.into_iter();
        for own in changes.filter_map(|sight| ProposedChange::of(entry, sight)) {
            if !all.contains(&own) {
                all.push(own);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNER: &str = "Ann <ann@example.org>";

    fn change(before: Option<&str>, after: Option<&str>) -> BlobChange {
        BlobChange {
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
            lines: Some((1, 0)),
        }
    }

    fn changes(of: &[(&str, BlobChange)]) -> BTreeMap<String, BlobChange> {
        let each = of.iter();
        each.map(|(path, change)| ((*path).to_owned(), change.clone()))
            .collect()
    }

    fn note(receipt: &Receipt) -> String {
        let text = receipt.text().unwrap();
        let about = "a".repeat(40);
        let encoding = "encoding signoff-receipt";
        format!(
            "tree 0\nparent {about}\nauthor x\ncommitter {SIGNER} 1 +0000\n{encoding}\n\n{text}"
        )
    }

    fn checked(
        does: &BTreeMap<String, BlobChange>,
        note: Option<(&str, Signature)>,
        wants_key: bool,
    ) -> CheckedCommit {
        let commit = ListedCommit {
            id: signoff_sandbox::git_write::ObjectId::parse(&"b".repeat(40)).unwrap(),
            parents: Vec::new(),
            subject: "s".to_owned(),
        };
        let note = note.map(|(note, signature)| (note, Ok(signature)));
        CheckedCommit::new(commit, does.clone(), note, wants_key)
    }

    #[test]
    fn a_file_is_signed_if_the_same_was_done_to_it() {
        let signed = changes(&[("a", change(Some("1 x"), Some("1 y")))]);
        let receipt = Receipt::of(&signed, &BTreeMap::new());
        let note = note(&receipt);
        for (does, wants_key, signature, is_signed) in [
            (signed.clone(), false, Signature::Missing, true),
            (signed.clone(), false, Signature::Unknown, true),
            (signed.clone(), true, Signature::Missing, false),
            (signed.clone(), true, Signature::Unknown, false),
            (
                signed.clone(),
                true,
                Signature::Trusted {
                    by: "ann@example.org".to_owned(),
                },
                true,
            ),
            (signed.clone(), false, Signature::Bad, false),
            (
                changes(&[("a", change(Some("1 x"), Some("1 z")))]),
                false,
                Signature::Missing,
                false,
            ),
            (
                changes(&[("b", change(Some("1 x"), Some("1 y")))]),
                false,
                Signature::Missing,
                false,
            ),
        ] {
            let checked = checked(&does, Some((&note, signature)), wants_key);
            assert_eq!(checked.is_signed(), is_signed, "{checked:?}");
        }
    }

    #[test]
    fn what_a_note_comes_to_is_named() {
        let does = changes(&[("a", change(None, Some("1 y")))]);
        let other = changes(&[("a", change(None, Some("1 z")))]);
        let [own, foreign] = [&does, &other].map(|of| note(&Receipt::of(of, &BTreeMap::new())));
        let cut = &own[..own.len() - 9];
        let read = |signature| Voucher::Read {
            signer: SIGNER.to_owned(),
            signature,
        };
        for (note, signature, voucher) in [
            (own.as_str(), Signature::Missing, read(Signature::Missing)),
            (&own, Signature::Bad, Voucher::Forged),
            (&foreign, Signature::Missing, Voucher::Foreign),
            (cut, Signature::Bad, Voucher::Unreadable),
            ("hello", Signature::Bad, Voucher::Unreadable),
            ("", Signature::Bad, Voucher::Unreadable),
        ] {
            let checked = checked(&does, Some((note, signature)), false);
            assert_eq!(checked.voucher, voucher, "{note}");
        }
        assert_eq!(checked(&does, None, false).voucher, Voucher::Missing);
        assert!(checked(&BTreeMap::new(), None, false).is_signed());
    }
}
