//! Receipts of other commits: those that say what a commit does, wherever it went since.
//!
//! ```text
//! receipt of fc41 (amended, in no clone)   a: x → y        receipt of 77aa   a: y → z
//! commit 90ce                              a: x → y        signed by that of fc41
//! commit 12ab (both squashed)              a: x → z        signed by both
//! ```
//!
//! In: commits that their own notes do not vouch for, and all notes. Out: the receipts that lead from a file as the parent has it
//! to the file as the commit has it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use signoff_sandbox::git_write::{BlobChange, GitWriter, Signature, text_of};

use super::receipt::{CheckedCommit, RECEIPTS, Receipt, SignedFile, Voucher, vouched};

/// Maximum number of receipts one after the other that a change is made of: squashed commits of one file.
const MAX_CHAIN: usize = 8;

/// A receipt of another commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherReceipt {
    /// The commit that it was left at.
    pub about: String,
    /// Who signed off, as git's identity.
    pub signer: String,
    /// What git says of the key.
    pub signature: Signature,
    /// What was signed off.
    pub(super) receipt: Receipt,
}

/// Returns the receipts of other commits that say what these do where their own do not; only those with a trusted key where one is
/// wanted.
///
/// # Errors
///
/// Fails if git does.
pub fn other_receipts(
    writer: &GitWriter<'_>,
    checked: &[CheckedCommit],
    wants_key: bool,
) -> Result<Vec<OtherReceipt>, String> {
    let open = checked.iter().filter(|own| own.is_open_to_others());
    let mut open: Vec<(&str, &BlobChange)> = open
        .flat_map(|own| &own.files)
        .filter(|file| file.signed.is_none())
        .map(|file| (file.path.as_str(), &file.change))
        .collect();
    let sides = open
        .iter()
        .map(|(_, own)| own.after.as_ref().or(own.before.as_ref()));
    let mut wanted: BTreeSet<String> = sides.filter_map(hash).collect();
    let (mut asked, mut known) = (BTreeSet::new(), BTreeSet::new());
    let mut found: Vec<OtherReceipt> = Vec::new();
    for _ in 0..MAX_CHAIN {
        let notes = writer.notes_with(RECEIPTS, &wanted)?;
        asked.append(&mut wanted);
        for (about, note) in notes {
            let text = text_of(&note).and_then(Receipt::read);
            let is_of_open = |file: &SignedFile| open.iter().any(|(path, _)| *path == file.path);
            // A signature takes several processes.
            if !text.is_some_and(|own| own.files.iter().any(is_of_open))
                || !known.insert(about.clone())
            {
                continue;
            }
            let (Voucher::Read { signer, signature }, Some(receipt)) =
                vouched(&note, writer.signature_of(&note))
            else {
                continue;
            };
            if !wants_key || matches!(signature, Signature::Trusted { .. }) {
                found.push(OtherReceipt {
                    about,
                    signer,
                    signature,
                    receipt,
                });
            }
        }
        open.retain(|(path, change)| chain(&found, path, change).is_none());
        let before = found.iter().flat_map(|own| &own.receipt.files);
        let before = before.filter(|file| open.iter().any(|(path, _)| *path == file.path));
        wanted.extend(before.filter_map(|file| hash(file.before.as_ref())));
        wanted.retain(|own| !asked.contains(own));
        if wanted.is_empty() {
            break;
        }
    }
    Ok(found)
}

/// Returns the hash of a side of a change.
fn hash(side: Option<&String>) -> Option<String> {
    let (_, hash) = side?.split_once(' ')?;
    Some(hash.to_owned())
}

/// Returns the fewest signed changes that make a file of one what it is in the other, with the numbers of their receipts.
pub(super) fn chain<'r>(
    receipts: &'r [OtherReceipt],
    path: &str,
    change: &BlobChange,
) -> Option<Vec<(usize, &'r SignedFile)>> {
    let mut later: BTreeMap<&Option<String>, (usize, &SignedFile)> = BTreeMap::new();
    let mut due = VecDeque::from([&change.after]);
    while let Some(state) = due.pop_front() {
        for (number, own) in receipts.iter().enumerate() {
            let files = own.receipt.files.iter();
            for file in files.filter(|file| file.path == path && file.after == *state) {
                if file.before == change.after || later.contains_key(&file.before) {
                    continue;
                }
                later.insert(&file.before, (number, file));
                due.push_back(&file.before);
            }
        }
        if later.contains_key(&change.before) {
            break;
        }
    }
    let (mut steps, mut at) = (Vec::new(), &change.before);
    while at != &change.after {
        let (number, file) = later.get(at)?;
        steps.push((*number, *file));
        at = &file.after;
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt(files: &[(&str, Option<&str>, Option<&str>)]) -> OtherReceipt {
        let files = files.iter().map(|(path, before, after)| {
            let change = change(*before, *after);
            SignedFile::of((*path).to_owned(), &change, None)
        });
        OtherReceipt {
            about: "a".repeat(40),
            signer: "Ann <ann@example.org>".to_owned(),
            signature: Signature::Missing,
            receipt: Receipt::new(files.collect()),
        }
    }

    fn change(before: Option<&str>, after: Option<&str>) -> BlobChange {
        BlobChange {
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
            lines: None,
        }
    }

    #[test]
    fn receipts_of_a_file_lead_from_one_text_to_the_other() {
        let receipts = [
            receipt(&[("a", Some("1 x"), Some("1 y")), ("b", None, Some("1 y"))]),
            receipt(&[("a", Some("1 y"), Some("1 z"))]),
            receipt(&[("a", Some("1 z"), Some("1 x")), ("a", Some("1 z"), None)]),
        ];
        for (path, before, after, by) in [
            ("a", Some("1 x"), Some("1 y"), Some(vec![0])),
            ("a", Some("1 x"), Some("1 z"), Some(vec![0, 1])),
            ("a", Some("1 x"), None, Some(vec![0, 1, 2])),
            ("a", Some("1 y"), Some("1 x"), Some(vec![1, 2])),
            ("a", None, Some("1 y"), None),
            ("b", None, Some("1 y"), Some(vec![0])),
            ("b", Some("1 x"), Some("1 y"), None),
            ("a", Some("1 x"), Some("1 w"), None),
        ] {
            let found = chain(&receipts, path, &change(before, after));
            let found = found.map(|own| own.iter().map(|(at, _)| *at).collect::<Vec<_>>());
            assert_eq!(found, by, "{path} {before:?} {after:?}");
        }
    }
}
