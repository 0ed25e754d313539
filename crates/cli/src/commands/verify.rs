//! `signoff verify`: which commits of a range were signed off, and by whom.
//!
//! In: a range of commits, and notes at them and at others. Out: for each of their files whether its change is signed. Where no note
//! says so, the history of this machine is asked, which is said, and counts for no key: a clone elsewhere has the notes alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use anyhow::{anyhow, bail};
use serde_json::{Value, json};
use signoff_core::plural::counted;
use signoff_core::record::history::cherry_pick::FileRecord;
use signoff_core::stage::review::{CheckRun, Proposer, checks_in_words};
use signoff_llm::commit::{
    CheckedCommit, CheckedFile, OtherReceipt, ProposedLines, RECEIPTS, Voucher, other_receipts,
    signed_by_history, write_receipt,
};
use signoff_sandbox::git_write::{BlobChange, GitWriter, ListedCommit, Signature, UserVariables};
use signoff_setup::opened;
use signoff_setup::paths::Paths;

use super::repository::asker;
use super::{Ending, out};
use crate::args::VerifyArgs;

/// Digits of a commit that are shown, as `ObjectId::short` has.
const DIGITS: usize = 10;
/// The range where none is named.
const NEW: &str = "@{upstream}..HEAD";
/// Commits of a program that get receipts as they are made: a branch that it pulled has thousands, nearly all of others.
const MOST_RECEIPTS: usize = 50;

pub(super) fn run(paths: &Paths, args: &VerifyArgs) -> anyhow::Result<Ending> {
    let stop = AtomicBool::new(false);
    let user = UserVariables::of_process();
    let writer = GitWriter::open(asker(paths, &stop), &user).map_err(|why| anyhow!(why))?;
    let range = args.range.as_deref().unwrap_or(NEW);
    let listed = match writer.commits_of(range) {
        Ok(listed) => listed,
        Err(why) if args.range.is_none() => {
            return Err(anyhow!("{why}; name a range, as main..HEAD"));
        }
        Err(why) => return Err(anyhow!(why)),
    };
    if listed.is_empty() {
        return unmet(args, &format!("no commit is in {range}"));
    }
    let checked = judged(paths, &writer, listed, (args.keys, args.write))?;
    if args.json {
        let commits: Vec<Value> = checked.iter().map(value).collect();
        out::json(&json!({"commits": commits}))?;
    } else {
        checked
            .iter()
            .try_for_each(|commit| print(commit, args.seen))?;
        out::line(&total(&checked, args.seen))?;
    }
    if writer.has_signers_of_repository() && checked.iter().any(has_unknown_key) {
        out::remark(
            "gpg.ssh.allowedSignersFile of this repository is not read, since an agent can write it; `git config --global` sets yours",
        );
    }
    let mut files = checked.iter().flat_map(|commit| &commit.files);
    let is_unseen = args.seen && files.any(|file| !file.unseen().is_none());
    Ok(
        if checked.iter().all(CheckedCommit::is_signed) && !is_unseen {
            Ending::Done
        } else {
            Ending::NeedsUser
        },
    )
}

/// Returns whether a receipt of a commit has a key that the user's own configuration does not judge.
fn has_unknown_key(checked: &CheckedCommit) -> bool {
    let own = match &checked.voucher {
        Voucher::Read { signature, .. } => Some(signature),
        _ => None,
    };
    let others = checked.others.iter().map(|other| &other.signature);
    own.into_iter()
        .chain(others)
        .any(|signature| *signature == Signature::Unknown)
}

/// Judges commits by their receipts, and by the history of this machine where `keys` are not asked for; `writes` leaves receipts
/// of what that vouches for.
fn judged(
    paths: &Paths,
    writer: &GitWriter<'_>,
    listed: Vec<ListedCommit>,
    (keys, writes): (bool, bool),
) -> anyhow::Result<Vec<CheckedCommit>> {
    let records = if keys && !writes {
        Vec::new()
    } else {
        known_records(paths)?
    };
    let own = listed
        .into_iter()
        .map(|commit| by_receipt(writer, commit, keys));
    let own: Result<Vec<CheckedCommit>, String> = own.collect();
    let mut judged = own.map_err(|why| anyhow!(why))?;
    let others = other_receipts(writer, &judged, keys).unwrap_or_else(|why| {
        out::remark(&format!("receipts of other commits are left: {why}"));
        Vec::new()
    });
    for own in &mut judged {
        own.vouch_by_receipts(&others);
        // A note that is forged, cut or foreign is no reason to ask here.
        if !own.is_signed() && own.voucher == Voucher::Missing {
            let asked = by_history(writer, own, (&records, &others), (keys, writes));
            asked.map_err(|why| anyhow!(why))?;
        }
    }
    Ok(judged)
}

/// Judges a commit by its own note; one that cannot be read stops no other.
fn by_receipt(
    writer: &GitWriter<'_>,
    commit: ListedCommit,
    keys: bool,
) -> Result<CheckedCommit, String> {
    let changes = writer.blob_changes(&commit)?;
    let note = match writer.note_of(&commit.id, RECEIPTS) {
        Ok(note) => note,
        Err(why) => {
            let mut own = CheckedCommit::new(commit, changes, None, keys);
            own.voucher = Voucher::Unjudged { why };
            return Ok(own);
        }
    };
    let note = note
        .as_deref()
        .map(|note| (note, writer.signature_of(note)));
    Ok(CheckedCommit::new(commit, changes, note, keys))
}

/// Judges what no receipt vouches for by the history of this machine.
fn by_history(
    writer: &GitWriter<'_>,
    own: &mut CheckedCommit,
    (records, others): (&[FileRecord], &[OtherReceipt]),
    (keys, writes): (bool, bool),
) -> Result<(), String> {
    let changes = own.files.iter();
    let changes = changes.map(|file| (file.path.clone(), file.change.clone()));
    let changes: BTreeMap<String, BlobChange> = changes.collect();
    let known = signed_by_history(writer, &own.commit, &changes, records)?;
    if writes && !known.is_empty() {
        let id = &own.commit.id;
        let left = write_receipt(writer, id, known);
        left.map_err(|why| format!("no receipt is left at {}: {why}", id.short()))?;
        *own = by_receipt(writer, own.commit.clone(), keys)?;
        own.vouch_by_receipts(others);
    } else if !keys {
        own.vouch_by_history(known);
    }
    Ok(())
}

/// Leaves receipts of what history vouches for, at the commits of a range.
pub(super) fn leave_receipts(paths: &Paths, range: &str) -> anyhow::Result<()> {
    let stop = AtomicBool::new(false);
    let user = UserVariables::of_process();
    let writer = GitWriter::open(asker(paths, &stop), &user).map_err(|why| anyhow!(why))?;
    let listed = writer.commits_of(range).map_err(|why| anyhow!(why))?;
    if listed.len() > MOST_RECEIPTS {
        bail!(
            "there are more than {MOST_RECEIPTS} commits; `signoff verify {range} --write` makes them"
        );
    }
    judged(paths, &writer, listed, (false, true)).map(drop)
}

/// Returns the files that this machine has a history of, if it has any of this workspace.
fn known_records(paths: &Paths) -> anyhow::Result<Vec<FileRecord>> {
    if !paths.store.exists() {
        return Ok(Vec::new());
    }
    // Nothing of git is waited for with the store locked.
    Ok(opened::as_it_is(paths)?.file_records(None)?)
}

fn unmet(args: &VerifyArgs, why: &str) -> anyhow::Result<Ending> {
    if args.json {
        out::json(&json!({"commits": [], "error": why}))?;
    } else {
        out::remark(why);
    }
    Ok(Ending::Unmet)
}

fn print(checked: &CheckedCommit, wants_seen: bool) -> anyhow::Result<()> {
    let commit = &checked.commit;
    out::line(&format!("{} {}", commit.id.short(), commit.subject))?;
    if checked.files.is_empty() {
        return out::line("  changes no file of its own");
    }
    if checked.voucher != Voucher::Missing || checked.others.is_empty() {
        out::line(&format!("  {}", in_words(&checked.voucher)))?;
    }
    for other in &checked.others {
        let by = signed_in_words(&other.signer, &other.signature);
        let about = other.about.get(..DIGITS).unwrap_or(&other.about);
        out::line(&format!("  {by}, by the receipt of {about}"))?;
    }
    if let Some((runs, is_of_all)) = checks_of(checked) {
        let part = if is_of_all {
            ""
        } else {
            ", for a part of the lines"
        };
        out::line(&format!("  {}{part}", checks_in_words(&runs)))?;
    }
    for file in &checked.files {
        let standing = match &file.signed {
            Some(_) if wants_seen && !file.unseen().is_none() => "UNSEEN",
            Some(_) => "signed",
            None => "UNSIGNED",
        };
        let here = if file.is_by_history {
            ", by the history of this machine"
        } else {
            ""
        };
        let size = size(file);
        out::line(&format!("  {standing:<8}  {}  {size}{here}", file.path))?;
    }
    Ok(())
}

fn in_words(voucher: &Voucher) -> String {
    match voucher {
        Voucher::Missing => "no receipt".to_owned(),
        Voucher::Unreadable => "its note is no receipt, or cut".to_owned(),
        Voucher::Older => "its receipt is of an older kind, and does not count".to_owned(),
        Voucher::Unjudged { why } => format!("its receipt cannot be judged: {why}"),
        Voucher::Forged => {
            "its receipt is forged: the signature is not that of the text".to_owned()
        }
        Voucher::OtherKey { signer, by } => {
            format!("its receipt is forged: it has the key of {by}, and names {signer}")
        }
        Voucher::Foreign => "its receipt is for another change".to_owned(),
        Voucher::Read { signer, signature } => signed_in_words(signer, signature),
    }
}

fn signed_in_words(signer: &str, signature: &Signature) -> String {
    match signature {
        Signature::Missing => format!("signed off by {signer}, without a key"),
        Signature::Trusted { by } => format!("signed off by {signer}, with the key of {by}"),
        Signature::Unknown | Signature::Bad => {
            format!("signed off by {signer}, with a key that your git cannot judge")
        }
    }
}

/// Returns what had run when the lines of a commit were signed off, and whether that is so of all of them; none where it is not
/// recorded.
fn checks_of(checked: &CheckedCommit) -> Option<(Vec<CheckRun>, bool)> {
    let signed = checked.files.iter().filter_map(|file| file.signed.as_ref());
    let lines: Vec<&ProposedLines> = signed.flat_map(|signed| &signed.lines).collect();
    lines.iter().find(|lines| lines.change.sight.is_some())?;
    let runs: BTreeSet<&CheckRun> = lines
        .iter()
        .flat_map(|lines| &lines.change.checks)
        .collect();
    // What is said is said of lines: of a file that only lost some, nothing is.
    let is_on_record = |file: &CheckedFile| {
        file.signed
            .as_ref()
            .is_some_and(|own| !own.lines.is_empty())
    };
    let is_of_all = checked.files.iter().all(is_on_record)
        && lines
            .iter()
            .all(|lines| runs.iter().all(|run| lines.change.checks.contains(run)));
    Some((runs.into_iter().cloned().collect(), is_of_all))
}

/// Says of a file what nobody had displayed, its lines first; none if all of it was.
fn unseen_in_words(file: &CheckedFile) -> Option<String> {
    let unseen = file.unseen();
    if unseen.lines > 0 {
        return Some(format!("{} unseen", unseen.lines));
    }
    let what = match (file.change.lines, &file.change.before, &file.change.after) {
        (_, Some(_), None) => "its removal",
        (Some((_, 1..)), ..) => "what it removes",
        (None, ..) => "its bytes",
        _ => "its name or its mode",
    };
    match unseen.changes {
        Some(0) => None,
        Some(_) => Some(format!("{what} unseen")),
        None => Some(format!("{what}: not known whether seen")),
    }
}

/// Says how many lines come, who proposed them, and how many of them nobody saw.
fn size(file: &CheckedFile) -> String {
    let mut by: BTreeMap<String, usize> = BTreeMap::new();
    let signed = file.signed.iter().flat_map(|signed| &signed.lines);
    // Bytes have no lines.
    for proposed in signed.filter(|_| file.change.lines.is_some()) {
        let who = match (&proposed.change.by, proposed.change.edited) {
            (Proposer::User, _) => "the signer".to_owned(),
            (by, true) => format!("{by}, edited"),
            (by, false) => by.to_string(),
        };
        let count = by.entry(who).or_insert(0);
        *count = count.saturating_add(proposed.count());
    }
    let by = by.into_iter();
    let by: Vec<String> = by
        .map(|(who, lines)| format!("{lines} by {who}"))
        .chain(unseen_in_words(file))
        .collect();
    let by = if by.is_empty() {
        String::new()
    } else {
        format!(" ({})", by.join(", "))
    };
    match file.change.lines {
        Some((added, removed)) => format!("+{added} -{removed}{by}"),
        None => format!("bytes{by}"),
    }
}

fn total(checked: &[CheckedCommit], wants_seen: bool) -> String {
    let files = || checked.iter().flat_map(|commit| &commit.files);
    let lines = |is_signed: bool| {
        let counted = files().filter(move |file| file.signed.is_some() == is_signed);
        counted.filter_map(|file| file.change.lines)
    };
    let [new, unsigned_new]: [usize; 2] =
        [true, false].map(|is_signed| lines(is_signed).map(|(added, _)| added).sum());
    let unsigned = files().filter(|file| file.signed.is_none()).count();
    let gone: usize = lines(false).map(|(_, removed)| removed).sum();
    let commits = counted(checked.len(), "commit");
    let signed = counted(new, "new line");
    let lines = files().map(|file| file.unseen().lines);
    let mut unseen = match lines.fold(0, usize::saturating_add) {
        0 => String::new(),
        unseen => format!(", {unseen} of them unseen"),
    };
    // Of a file with unseen lines, these say it.
    let others = files().filter(|file| {
        let unseen = file.unseen();
        unseen.lines == 0 && unseen.changes != Some(0)
    });
    let others = others.count();
    if others > 0 {
        unseen += &format!(", other changes unseen in {}", counted(others, "file"));
    }
    let refused = files().filter(|file| !file.unseen().is_none()).count();
    if wants_seen && refused > 0 {
        unseen += &format!(", so --seen refuses {}", counted(refused, "file"));
    }
    match unsigned {
        0 if wants_seen && refused > 0 => format!("{commits}: {signed} signed{unseen}"),
        0 => format!("{commits}: {signed}, all signed{unseen}"),
        _ => {
            let what = match unsigned_new {
                0 if gone > 0 => counted(gone, "removed line"),
                new => new.to_string(),
            };
            let files = counted(unsigned, "file");
            format!("{commits}: {signed} signed{unseen}, {what} unsigned in {files}")
        }
    }
}

fn value(checked: &CheckedCommit) -> Value {
    let (status, error) = match &checked.voucher {
        Voucher::Missing => ("missing", None),
        Voucher::Unreadable => ("unreadable", None),
        Voucher::Older => ("older", None),
        Voucher::Unjudged { why } => ("unjudged", Some(why)),
        Voucher::Forged | Voucher::OtherKey { .. } => ("forged", None),
        Voucher::Foreign => ("foreign", None),
        Voucher::Read { .. } => ("read", None),
    };
    let (signer, key, key_of) = match &checked.voucher {
        Voucher::Read { signer, signature } => {
            let (key, key_of) = judged_key(signature);
            (Some(signer), Some(key), key_of)
        }
        Voucher::OtherKey { signer, by } => (Some(signer), Some("other"), Some(by.as_str())),
        _ => (None, None, None),
    };
    let others = checked.others.iter().map(|other| {
        let (key, key_of) = judged_key(&other.signature);
        json!({"commit": other.about, "signer": other.signer, "key": key, "key_of": key_of})
    });
    let files = checked.files.iter().map(|file| {
        json!({
            "path": file.path,
            "signed": file.signed.is_some(),
            "by_history": file.is_by_history,
            "added": file.change.lines.map(|(added, _)| added),
            "removed": file.change.lines.map(|(_, removed)| removed),
            "unseen": file.unseen().lines,
            "unseen_changes": file.unseen().changes,
            "lines": file.signed.as_ref().map(|signed| &signed.lines),
            "changes": file.signed.as_ref().map(|signed| &signed.changes),
        })
    });
    json!({
        "commit": checked.commit.id.as_str(),
        "subject": checked.commit.subject,
        "signed": checked.is_signed(),
        "receipt": status,
        "error": error,
        "signer": signer,
        "key": key,
        "key_of": key_of,
        "others": others.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
    })
}

/// Returns what git says of a key, and whose it is.
fn judged_key(signature: &Signature) -> (&'static str, Option<&str>) {
    match signature {
        Signature::Missing => ("none", None),
        Signature::Trusted { by } => ("trusted", Some(by)),
        Signature::Unknown => ("unknown", None),
        Signature::Bad => ("bad", None),
    }
}
