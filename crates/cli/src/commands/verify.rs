//! `signoff verify`: which commits of a range were signed off, and by whom.
//!
//! In: a range of commits and the notes that they have. Out: for each of their files whether its change is signed; nothing of
//! this machine's history counts, so that a clone elsewhere gives the same answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use anyhow::anyhow;
use serde_json::{Value, json};
use signoff_core::plural::counted;
use signoff_core::stage::review::{CheckRun, Proposer, checks_in_words};
use signoff_llm::commit::{CheckedCommit, CheckedFile, ProposedLines, RECEIPTS, Voucher};
use signoff_sandbox::git_write::{GitWriter, Signature, UserVariables};
use signoff_setup::paths::Paths;

use super::{Ending, commit, out};
use crate::args::VerifyArgs;

/// The range where none is named.
const NEW: &str = "@{upstream}..HEAD";

pub(super) fn run(paths: &Paths, args: &VerifyArgs) -> anyhow::Result<Ending> {
    let stop = AtomicBool::new(false);
    let user = UserVariables::of_process();
    let writer = GitWriter::open(commit::asker(paths, &stop), &user).map_err(|why| anyhow!(why))?;
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
    let mut checked = Vec::new();
    for commit in listed {
        let changes = writer.blob_changes(&commit).map_err(|why| anyhow!(why))?;
        let note = writer.note_of(&commit.id, RECEIPTS);
        let note = note.map_err(|why| anyhow!(why))?;
        let signature = note.as_deref().map(|note| writer.signature_of(note));
        let signature = signature.transpose().map_err(|why| anyhow!(why))?;
        let note = note.as_deref().zip(signature);
        checked.push(CheckedCommit::new(commit, changes, note, args.keys));
    }
    if args.json {
        let commits: Vec<Value> = checked.iter().map(value).collect();
        out::json(&json!({"commits": commits}))?;
    } else {
        checked
            .iter()
            .try_for_each(|commit| print(commit, args.seen))?;
        out::line(&total(&checked))?;
    }
    let mut files = checked.iter().flat_map(|commit| &commit.files);
    let is_unseen = args.seen && files.any(|file| unseen(file) > 0);
    Ok(
        if checked.iter().all(CheckedCommit::is_signed) && !is_unseen {
            Ending::Done
        } else {
            Ending::NeedsUser
        },
    )
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
    out::line(&format!("  {}", in_words(&checked.voucher)))?;
    if let Some(runs) = checks_of(checked) {
        out::line(&format!("  {}", checks_in_words(&runs)))?;
    }
    for file in &checked.files {
        let standing = match &file.signed {
            Some(_) if wants_seen && unseen(file) > 0 => "UNSEEN",
            Some(_) => "signed",
            None => "UNSIGNED",
        };
        out::line(&format!("  {standing:<8}  {}  {}", file.path, size(file)))?;
    }
    Ok(())
}

fn in_words(voucher: &Voucher) -> String {
    match voucher {
        Voucher::Missing => "no receipt".to_owned(),
        Voucher::Unreadable => "its note is no receipt, or cut".to_owned(),
        Voucher::Forged => {
            "its receipt is forged: the signature is not that of the text".to_owned()
        }
        Voucher::Foreign => "its receipt is for another change".to_owned(),
        Voucher::Read { signer, signature } => match signature {
            Signature::Missing => format!("signed off by {signer}, without a key"),
            Signature::Trusted { by } => format!("signed off by {signer}, with the key of {by}"),
            Signature::Unknown | Signature::Bad => {
                format!("signed off by {signer}, with a key that your git cannot judge")
            }
        },
    }
}

/// Returns what had run when the lines of a commit were signed off; none where that is not recorded.
fn checks_of(checked: &CheckedCommit) -> Option<Vec<CheckRun>> {
    let signed = checked.files.iter().filter_map(|file| file.signed.as_ref());
    let lines = signed.flat_map(|signed| &signed.lines);
    let mut known = lines.filter(|lines| lines.sight.is_some()).peekable();
    known.peek()?;
    let runs: BTreeSet<&CheckRun> = known.flat_map(|lines| &lines.checks).collect();
    Some(runs.into_iter().cloned().collect())
}

/// Returns how many signed lines were not displayed when they were signed off, or are not known to have been.
fn unseen(file: &CheckedFile) -> usize {
    let lines = file.signed.iter().flat_map(|signed| &signed.lines);
    let unseen = lines.filter(|lines| !lines.is_displayed());
    unseen
        .map(ProposedLines::count)
        .fold(0, usize::saturating_add)
}

/// Says how many lines come, who proposed them, and how many of them nobody saw.
fn size(file: &CheckedFile) -> String {
    let Some((added, removed)) = file.change.lines else {
        return "bytes".to_owned();
    };
    let mut by: BTreeMap<String, usize> = BTreeMap::new();
    let signed = file.signed.iter().flat_map(|signed| &signed.lines);
    for proposed in signed {
        let who = match (&proposed.by, proposed.edited) {
            (Proposer::User, _) => "the signer".to_owned(),
            (by, true) => format!("{by}, edited"),
            (by, false) => by.to_string(),
        };
        let count = by.entry(who).or_insert(0);
        *count = count.saturating_add(proposed.count());
    }
    let by = by.into_iter();
    let unseen = Some(unseen(file)).filter(|unseen| *unseen > 0);
    let by: Vec<String> = by
        .map(|(who, lines)| format!("{lines} by {who}"))
        .chain(unseen.map(|lines| format!("{lines} unseen")))
        .collect();
    let by = if by.is_empty() {
        String::new()
    } else {
        format!(" ({})", by.join(", "))
    };
    format!("+{added} -{removed}{by}")
}

fn total(checked: &[CheckedCommit]) -> String {
    let files = || checked.iter().flat_map(|commit| &commit.files);
    let lines = |is_signed: bool| -> usize {
        let counted = files().filter(|file| file.signed.is_some() == is_signed);
        counted
            .filter_map(|file| file.change.lines)
            .map(|(added, _)| added)
            .sum()
    };
    let unsigned = files().filter(|file| file.signed.is_none()).count();
    let commits = counted(checked.len(), "commit");
    let signed = counted(lines(true), "new line");
    let unseen = match files().map(unseen).fold(0, usize::saturating_add) {
        0 => String::new(),
        unseen => format!(", {unseen} of them unseen"),
    };
    match unsigned {
        0 => format!("{commits}: {signed}, all signed{unseen}"),
        _ => format!(
            "{commits}: {signed} signed{unseen}, {} unsigned in {}",
            lines(false),
            counted(unsigned, "file")
        ),
    }
}

fn value(checked: &CheckedCommit) -> Value {
    let (status, signer, signature) = match &checked.voucher {
        Voucher::Missing => ("missing", None, None),
        Voucher::Unreadable => ("unreadable", None, None),
        Voucher::Forged => ("forged", None, None),
        Voucher::Foreign => ("foreign", None, None),
        Voucher::Read { signer, signature } => ("read", Some(signer), Some(signature)),
    };
    let key = signature.map(|signature| match signature {
        Signature::Missing => "none",
        Signature::Trusted { .. } => "trusted",
        Signature::Unknown => "unknown",
        Signature::Bad => "bad",
    });
    let files = checked.files.iter().map(|file| {
        json!({
            "path": file.path,
            "signed": file.signed.is_some(),
            "added": file.change.lines.map(|(added, _)| added),
            "removed": file.change.lines.map(|(_, removed)| removed),
            "unseen": unseen(file),
            "lines": file.signed.as_ref().map(|signed| &signed.lines),
        })
    });
    json!({
        "commit": checked.commit.id.as_str(),
        "subject": checked.commit.subject,
        "signed": checked.is_signed(),
        "receipt": status,
        "signer": signer,
        "key": key,
        "files": files.collect::<Vec<_>>(),
    })
}
