//! Offers: what waits, as commits that another person can take, and the verdicts that come back.
//!
//! ```text
//! refs/signoff/offers/4f1c2ab09d3e7710      the offer
//!   4f1c2ab  "add a cache"                  what waits; its message has the hunks as splices (`text`), and a Change-Id
//!   91d0c3e  "files as they are on disk"    only where they differ from HEAD
//!   HEAD
//! refs/notes/signoff-verdicts/9b71.../e07a  notes on offers; one clone of one person alone writes there (`verdicts`)
//! ```
//!
//! In: what the engine offers, and a writer for the repository. Out: the commits of an offer; the offers of others, read and
//! bounded, for the engine to take; verdicts as notes, and those of others. See `docs/decisions/0075`.

use std::collections::{BTreeMap, BTreeSet};

use signoff_core::engine::{GivenVerdict, Offered, OfferedChange, OfferedText, TakenOffer};
use signoff_core::id::HunkId;
use signoff_core::quote;
use signoff_core::stage::review::{OtherVerdict, Signer, SignerKey};
use signoff_core::text::Source;
use signoff_sandbox::git_view::{IndexedKind, SignedKind};
use signoff_sandbox::git_write::{
    Blob, BlobChanges, CommitRefusal, GitWriter, NewCommit, ObjectId, Signature, WriteResult,
    text_of,
};

mod change_id;
mod text;
mod verdicts;

pub use change_id::ChangeId;
use text::OfferText;
pub use verdicts::{VerdictLine, VerdictLog, person_id};

/// Where offers are.
pub const OFFERS: &str = "refs/signoff/offers/";
/// Where verdicts are, those of each person and of each of their clones apart.
pub const VERDICTS: &str = "refs/notes/signoff-verdicts/";

/// What offers each remote had when it was asked last, below a name for its address.
pub const SEEN: &str = "refs/signoff/seen/";

/// Digits of a commit's hash by which its offer is called.
const ID_DIGITS: usize = 16;
/// Least digits by which an offer is named.
const LEAST_DIGITS: usize = 4;
/// Maximum number of commits of an offer: changes of one file that build on each other.
const MAX_STEPS: usize = 64;
/// Why a reference is no offer that could be one.
const NAMED_OTHERWISE: &str = "it is not called after its commit";
/// Characters of a name and of an address that are shown.
const NAME_CHARS: usize = 80;

/// An offer that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeOffer {
    /// Its last commit.
    pub commit: ObjectId,
    /// What it comes after that another repository may have; none where the repository has no commit.
    pub on: Option<ObjectId>,
    /// Its hunks.
    pub hunks: BTreeSet<HunkId>,
    /// Its files.
    pub paths: BTreeSet<String>,
    /// The offers of the same proposals that it replaces.
    pub replaces: Vec<String>,
    /// By which a forge knows it from what it replaces.
    pub change_id: ChangeId,
    /// False where the same was offered before.
    pub is_new: bool,
}

/// An offer that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundOffer {
    /// Its last commit.
    pub commit: ObjectId,
    /// What it was made for, on one line.
    pub subject: String,
    /// Who made it.
    pub by: Signer,
    change_id: Option<ChangeId>,
    text: OfferText,
}

/// A reference among offers, or a note among verdicts, that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// Which.
    pub name: String,
    /// Why.
    pub why: String,
}

/// The verdicts of the user as they were written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenVerdicts {
    /// Where they are.
    pub reference: String,
    /// The offers that they are on.
    pub offers: Vec<String>,
    /// How many they are.
    pub verdicts: usize,
}

/// A verdict of another person, and the hunk that it is about.
pub type Answer = (HunkId, OtherVerdict);

/// Returns what an offer is called: the first digits of its commit.
pub fn id_of(commit: &ObjectId) -> &str {
    commit.as_str().get(..ID_DIGITS).unwrap_or(commit.as_str())
}

/// Returns the reference of an offer.
pub fn reference_of(commit: &ObjectId) -> String {
    format!("{OFFERS}{}", id_of(commit))
}

/// Returns whether an offer is meant by the first digits of its commit, four or more.
pub fn is_named(offer: &FoundOffer, name: &str) -> bool {
    let is_hash = name.len() >= LEAST_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash && offer.commit.as_str().starts_with(&name.to_lowercase())
}

/// Takes the files out of an offer that git ignores, which are nobody else's business.
///
/// # Errors
///
/// Fails if git does.
pub fn leave_ignored(writer: &GitWriter<'_>, offered: &mut Offered) -> Result<(), String> {
    let names = offered.changes.iter();
    let names = names.flat_map(|own| [Some(&own.path), own.to.as_ref()]);
    let names: Vec<String> = names.flatten().cloned().collect();
    if names.is_empty() {
        return Ok(());
    }
    let ignored = writer.path_rules(&names)?.ignored;
    let is_ignored = |own: &OfferedChange| {
        ignored.contains(&own.path) || own.to.as_ref().is_some_and(|to| ignored.contains(to))
    };
    let left = offered.changes.extract_if(.., |own| is_ignored(own));
    let left: BTreeSet<String> = left.map(|own| own.path).collect();
    let why = "git ignores it, so that it stays here";
    if !left.is_empty() {
        // They had run with it.
        offered.checks.clear();
    }
    offered
        .left
        .extend(left.into_iter().map(|path| (path, why.to_owned())));
    Ok(())
}

/// Makes the commits of an offer, and a reference to them; what was offered before is offered again.
///
/// # Errors
///
/// Fails if git does.
pub fn make(writer: &GitWriter<'_>, offered: &Offered) -> WriteResult<MadeOffer> {
    let Some(identities) = writer.identities() else {
        return Ok(Err(CommitRefusal::NoIdentity));
    };
    let on = writer.head()?.commit;
    let base = base_changes(writer, on.as_ref(), &offered.changes)?;
    let mut tree = writer.tree(on.as_ref(), &base)?;
    let base_tree = (!base.is_empty()).then(|| tree.clone());
    let steps = offered.changes.iter().map(|own| own.step + 1).max();
    let mut trees = Vec::new();
    for step in 0..steps.unwrap_or(0) {
        let own = offered.changes.iter().filter(|own| own.step == step);
        tree = writer.tree(Some(&tree), &step_changes(own)?)?;
        trees.push(tree.clone());
    }
    if trees.len() > MAX_STEPS {
        return Err(format!(
            "{} changes of one file build on each other",
            trees.len()
        ));
    }
    let below_top = |path: &str| writer.below_top(path);
    let mut text = OfferText::of(offered, on.as_ref().map(ObjectId::as_str), below_top)?;
    let hunks = offered.changes.iter().flat_map(OfferedChange::hunks);
    let made = |commit, change_id, replaces, is_new| MadeOffer {
        commit,
        on: on.clone(),
        hunks: hunks.collect(),
        paths: offered.changes.iter().map(|own| own.path.clone()).collect(),
        replaces,
        change_id,
        is_new,
    };
    let known = own(writer)?;
    for earlier in &known {
        if earlier.text.is_like(&text)
            && let Some(change_id) = earlier.change_id.clone()
            && writer.tree_of(Some(&earlier.commit))? == tree
        {
            let replaces = earlier.replaces().map(str::to_owned).collect();
            return Ok(Ok(made(earlier.commit.clone(), change_id, replaces, false)));
        }
        text.replace(id_of(&earlier.commit), &earlier.text);
    }
    let change_id = change_id::of_offer(&text, &known);
    let message = text.message(&change_id)?;
    let mut commits: Vec<(&ObjectId, String)> = Vec::new();
    commits.extend(base_tree.as_ref().map(|tree| {
        let id = change_id.of_part("disk");
        let said = format!("files as they are on disk, before the offer\n\n{id}\n");
        (tree, said)
    }));
    let count = trees.len();
    for (at, tree) in trees.iter().enumerate() {
        let is_last = at + 1 == count;
        commits.push((
            tree,
            if is_last {
                message.clone()
            } else {
                let id = change_id.of_part(&at.to_string());
                format!("offer: changes {} of {count}\n\n{id}\n", at + 1)
            },
        ));
    }
    let mut last = on.clone();
    for (tree, message) in commits {
        let commit = writer.commit_tree(&NewCommit {
            tree,
            parents: last.as_slice(),
            message: &message,
            trailers: &[],
            author: &identities.author,
            committer: &identities.committer,
        })?;
        match commit {
            Ok(commit) => last = Some(commit),
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    let Some(commit) = last else {
        return Ok(Err(CommitRefusal::Nothing));
    };
    writer.make_reference(&reference_of(&commit), &commit)?;
    let replaces = text.replaces().map(str::to_owned).collect();
    Ok(Ok(made(commit, change_id, replaces, true)))
}

/// Returns what the last commit has otherwise than the files on disk that an offer changes.
fn base_changes(
    writer: &GitWriter<'_>,
    on: Option<&ObjectId>,
    changes: &[OfferedChange],
) -> Result<BlobChanges, String> {
    let mut wanted: BlobChanges = BTreeMap::new();
    for change in changes.iter().filter(|own| own.step == 0) {
        let before = change.before.as_ref().map(blob).transpose()?;
        wanted.insert(change.path.clone(), before);
    }
    for to in changes.iter().filter_map(|own| own.to.clone()) {
        wanted.entry(to).or_insert(None);
    }
    let paths: Vec<String> = wanted.keys().cloned().collect();
    let known = match on {
        Some(on) => writer.blobs(on, &paths)?,
        None => BTreeMap::new(),
    };
    wanted.retain(|path, blob| known.get(path) != blob.as_ref());
    Ok(wanted)
}

/// Returns what the changes of one step make of the tree before it.
fn step_changes<'c>(
    changes: impl Iterator<Item = &'c OfferedChange> + Clone,
) -> Result<BlobChanges, String> {
    let mut made: BlobChanges = BTreeMap::new();
    let gone = changes.clone();
    let gone = gone.filter(|own| own.to.is_some() || own.after.is_none());
    made.extend(gone.map(|own| (own.path.clone(), None)));
    for change in changes {
        if let Some(after) = &change.after {
            let path = change.to.as_ref().unwrap_or(&change.path);
            made.insert(path.clone(), Some(blob(after)?));
        }
    }
    Ok(made)
}

fn blob(side: &OfferedText) -> Result<Blob, String> {
    let bytes = side.text.encoded();
    Ok(Blob {
        bytes: bytes.ok_or("a text cannot be encoded as its file is")?,
        kind: IndexedKind::File {
            executable: side.mode.is_some_and(|mode| mode & 0o100 != 0),
        },
    })
}

/// Returns the offers that are here, and the references among them that are none. None of the user's own is among them.
///
/// # Errors
///
/// Fails if git does.
pub fn found(writer: &GitWriter<'_>) -> Result<(Vec<FoundOffer>, Vec<Unusable>), String> {
    let email = writer.identities().map(|own| own.committer.email);
    let (mut offers, unusable) = all(writer)?;
    offers.retain(|own| {
        let email = email.as_ref();
        email.is_none_or(|email| !same(email, &own.by.email))
    });
    Ok((offers, unusable))
}

/// Puts a commit among offers, whatever it was called where it comes from.
///
/// # Errors
///
/// Fails if it is no offer, and if git does.
pub fn adopt(writer: &GitWriter<'_>, commit: &ObjectId) -> Result<(), String> {
    let text = writer.commit_text(commit)?;
    read_offer(writer, commit.clone(), &text)?;
    writer.make_reference(&reference_of(commit), commit)
}

/// Puts a commit among offers that was called by this id.
///
/// # Errors
///
/// Fails as [`adopt`] does, and if it is called so wrongly.
pub fn adopt_as(writer: &GitWriter<'_>, id: &str, commit: &ObjectId) -> Result<(), String> {
    if id != id_of(commit) {
        return Err(NAMED_OTHERWISE.to_owned());
    }
    adopt(writer, commit)
}

/// Returns the offers of the user's own that are here.
///
/// # Errors
///
/// Fails if git does.
pub fn own(writer: &GitWriter<'_>) -> Result<Vec<FoundOffer>, String> {
    let Some(identities) = writer.identities() else {
        return Ok(Vec::new());
    };
    let (mut offers, _) = all(writer)?;
    offers.retain(|own| same(&identities.committer.email, &own.by.email));
    Ok(offers)
}

fn all(writer: &GitWriter<'_>) -> Result<(Vec<FoundOffer>, Vec<Unusable>), String> {
    let (mut offers, mut unusable) = (Vec::new(), Vec::new());
    for (name, commit) in writer.references(OFFERS)? {
        let read = if name == reference_of(&commit) {
            writer.commit_text(&commit)
        } else {
            Err(NAMED_OTHERWISE.to_owned())
        };
        match read.and_then(|text| read_offer(writer, commit, &text)) {
            Ok(offer) => offers.push(offer),
            Err(why) => unusable.push(Unusable { name, why }),
        }
    }
    Ok((offers, unusable))
}

/// Addresses are compared as mail servers do.
fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

fn read_offer(
    writer: &GitWriter<'_>,
    commit: ObjectId,
    object: &str,
) -> Result<FoundOffer, String> {
    let by = signer(writer, object)?;
    let text = OfferText::read(object)?;
    if text.steps() > MAX_STEPS {
        return Err("it has too many commits".to_owned());
    }
    let said = text_of(object).and_then(|said| said.lines().next());
    let subject = quote::one_line(said.unwrap_or("offer"), NAME_CHARS);
    Ok(FoundOffer {
        commit,
        subject,
        by,
        change_id: text_of(object).and_then(ChangeId::read),
        text,
    })
}

/// Returns what stands before the text of an object.
fn header_of(object: &str) -> &str {
    object
        .split_once("\n\n")
        .map_or(object, |(header, _)| header)
}

/// Returns who made an object, and what vouches for it.
fn signer(writer: &GitWriter<'_>, object: &str) -> Result<Signer, String> {
    let header = header_of(object);
    let committer = header
        .lines()
        .find_map(|line| line.strip_prefix("committer "));
    let who = committer.and_then(|line| line.split_once('>'));
    let who = who.and_then(|(who, _)| who.split_once('<'));
    let (name, email) = who.ok_or("it does not say who made it")?;
    let email = email.trim();
    let is_signed = header_of(object)
        .lines()
        .any(|line| line.starts_with("gpgsig"));
    let signature = if is_signed {
        writer.signature_of(object)?
    } else {
        Signature::Missing
    };
    let key = match signature {
        Signature::Missing => SignerKey::Missing,
        Signature::Unknown => SignerKey::Unknown,
        Signature::Bad => {
            return Err("it is forged: the signature is not that of its text".to_owned());
        }
        Signature::Trusted { .. } => match signature.other_than(email) {
            None => SignerKey::Trusted,
            Some(by) => {
                let by = quote::one_line(by, NAME_CHARS);
                return Err(format!(
                    "it is forged: it has the key of {by} and another name"
                ));
            }
        },
    };
    Ok(Signer {
        name: quote::one_line(name.trim(), NAME_CHARS),
        email: quote::one_line(email, NAME_CHARS),
        key,
    })
}

impl FoundOffer {
    /// Returns its files, as it names them.
    pub fn paths(&self) -> BTreeSet<&str> {
        self.text.paths()
    }

    /// Returns the ids of the offers that it replaces, as it says.
    pub fn replaces(&self) -> impl Iterator<Item = &str> {
        self.text.replaces()
    }

    /// Returns whether all of its hunks are among these.
    pub fn is_within(&self, hunks: &BTreeSet<HunkId>) -> bool {
        self.text.hunk_ids().all(|own| hunks.contains(&own))
    }

    /// Returns how many hunks it has.
    pub fn hunks(&self) -> usize {
        self.text.hunks()
    }

    /// Reads the texts of an offer, for the engine to take; files outside of the workspace are left out, and returned.
    ///
    /// # Errors
    ///
    /// Fails if git does, and if the offer is damaged.
    pub fn read(&self, writer: &GitWriter<'_>) -> Result<(TakenOffer, Vec<String>), String> {
        let steps = self.text.steps();
        let mut commits = writer.first_parents(&self.commit, steps)?;
        commits.insert(0, self.commit.clone());
        commits.reverse();
        // Of an offer on no commit, nothing is before its first.
        let missing = (steps + 1).saturating_sub(commits.len());
        let chain: Vec<Option<ObjectId>> = std::iter::repeat_n(None, missing)
            .chain(commits.into_iter().map(Some))
            .collect();
        let mut left = BTreeSet::new();
        let mut paths: BTreeSet<String> = BTreeSet::new();
        for path in self.text.paths() {
            match writer.below_root(path) {
                Some(own) => drop(paths.insert(own)),
                None => drop(left.insert(path.to_owned())),
            }
        }
        let paths: Vec<String> = paths.into_iter().collect();
        let mut texts = Vec::new();
        for commit in &chain {
            let blobs = match commit {
                Some(commit) => writer.blobs(commit, &paths)?,
                None => BTreeMap::new(),
            };
            let blobs = blobs.into_iter().map(|(path, blob)| (path, text_at(blob)));
            texts.push(blobs.collect::<BTreeMap<String, OfferedText>>());
        }
        let changes = self.text.changes(&texts, |path| writer.below_root(path))?;
        let offer = TakenOffer {
            offer: self.commit.as_str().to_owned(),
            by: self.by.clone(),
            checks: self.text.checks(),
            changes,
            replaces: self.replaces().map(str::to_owned).collect(),
        };
        Ok((offer, left.into_iter().collect()))
    }
}

fn text_at(blob: Blob) -> OfferedText {
    let (text, mode) = match blob.kind {
        IndexedKind::Link => (Source::link(blob.bytes), None),
        IndexedKind::File { executable } => {
            let mode = if executable { 0o755 } else { 0o644 };
            (Source::decode(blob.bytes), Some(mode))
        }
    };
    OfferedText { text, mode }
}

/// Writes the user's verdicts as notes on the offers that they answer; returns the reference that has them, if there are any,
/// and the offers. `clone` is what this clone is called: another one of the user's writes elsewhere, so that both can push.
///
/// # Errors
///
/// Fails if git does.
pub fn write_verdicts(
    writer: &GitWriter<'_>,
    given: &[GivenVerdict],
    clone: &str,
) -> WriteResult<Option<WrittenVerdicts>> {
    let Some(identities) = writer.identities() else {
        return Ok(Err(CommitRefusal::NoIdentity));
    };
    let person = person_id(&identities.committer.email);
    let reference = format!("{VERDICTS}{person}/{clone}");
    let notes = reference.strip_prefix("refs/notes/").unwrap_or(&reference);
    let mut by_offer: BTreeMap<&str, VerdictLog> = BTreeMap::new();
    for own in given {
        by_offer
            .entry(&own.offer)
            .or_default()
            .add(VerdictLine::of(own));
    }
    let (mut answered, mut verdicts) = (Vec::new(), 0);
    for (offer, mut log) in by_offer {
        let commit = ObjectId::parse(offer).ok_or("an offer has an odd name")?;
        let earlier = writer.note_of(&commit, notes)?;
        // What was said before stays.
        let known = earlier.and_then(|note| own_log(writer, &note, &identities.committer.email));
        let known = known.unwrap_or_default();
        log.leave_unsaid(&known);
        if log.count() == 0 {
            continue;
        }
        verdicts += log.count();
        log.merge(&known);
        answered.push(offer.to_owned());
        if log == known {
            continue;
        }
        let text = log.text()?;
        match writer.signed_text(&commit, (SignedKind::Verdicts, &text), &identities)? {
            Ok(text) => writer.replace_note(&commit, notes, &text, &identities.committer)?,
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    let is_any = !answered.is_empty() || !writer.references(&reference)?.is_empty();
    Ok(Ok(is_any.then_some(WrittenVerdicts {
        reference,
        offers: answered,
        verdicts,
    })))
}

/// Reads the log that the user left before; whoever can push could have put another one there, to have it signed.
fn own_log(writer: &GitWriter<'_>, note: &str, email: &str) -> Option<VerdictLog> {
    let by = signer(writer, note).ok()?;
    let is_signed = by.key == SignerKey::Trusted || !writer.signs();
    let is_own = is_signed && same(&by.email, email);
    let log = VerdictLog::read(note).ok()?;
    (is_own && SignedKind::of(note) == Some(SignedKind::Verdicts)).then_some(log)
}

/// Returns the verdicts of other people on these offers of the user's, and the notes that are none.
///
/// # Errors
///
/// Fails if git does.
pub fn arrived_verdicts(
    writer: &GitWriter<'_>,
    offers: &BTreeSet<String>,
) -> Result<(Vec<Answer>, Vec<Unusable>), String> {
    let (mut arrived, mut unusable) = (Vec::new(), Vec::new());
    let Some(own) = writer.identities() else {
        return Ok((arrived, unusable));
    };
    let own = person_id(&own.committer.email);
    for (reference, _) in writer.references(VERDICTS)? {
        let name = reference.strip_prefix(VERDICTS).unwrap_or(&reference);
        let person = name.split_once('/').map_or(name, |(person, _)| person);
        if person == own {
            continue;
        }
        let notes = reference.strip_prefix("refs/notes/").unwrap_or(&reference);
        for offer in offers.iter().filter_map(|offer| ObjectId::parse(offer)) {
            let Some(note) = writer.note_of(&offer, notes)? else {
                continue;
            };
            match verdicts_of(writer, person, &offer, &note) {
                Ok(own) => arrived.extend(own),
                Err(why) => unusable.push(Unusable {
                    name: format!("{reference} on {}", id_of(&offer)),
                    why,
                }),
            }
        }
    }
    Ok((arrived, unusable))
}

/// Reads the verdicts of one person on one offer.
fn verdicts_of(
    writer: &GitWriter<'_>,
    person: &str,
    offer: &ObjectId,
    note: &str,
) -> Result<Vec<Answer>, String> {
    let by = signer(writer, note)?;
    if person_id(&by.email) != person {
        return Err(format!(
            "it is forged: it is by {by}, and in the notes of another"
        ));
    }
    let about = format!("parent {}", offer.as_str());
    if !header_of(note).lines().any(|line| line == about) {
        return Err("it is about another offer".to_owned());
    }
    let log = VerdictLog::read(note)?;
    // A commit with such a message is signed by whoever makes it.
    if SignedKind::of(note) != Some(SignedKind::Verdicts) {
        return Err("it is of an older kind, and does not count".to_owned());
    }
    Ok(log.verdicts(offer.as_str(), &by))
}

#[cfg(test)]
mod tests;
