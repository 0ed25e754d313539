//! `signoff offer`: what waits, for another person to decide on, or the verdicts that the user gave on what others offered.
//!
//! In: which changesets, and where to. Out: a reference of git's, pushed or in a bundle where that is asked for.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, anyhow};
use serde_json::{Value, json};
use signoff_core::engine::{Engine, Offered};
use signoff_core::id::ChangesetId;
use signoff_core::plural::counted;
use signoff_llm::offer::{self, ChangeId, MadeOffer, WrittenVerdicts};
use signoff_sandbox::git_write::{GitWriter, ObjectId, Remote, UserVariables};
use signoff_sandbox::private_file::PrivateFile;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use uuid::Uuid;

use super::repository::asker;
use super::verdict::is_meant;
use super::{Ending, out};
use crate::args::OfferArgs;

/// Digits of the name of a clone.
const CLONE_DIGITS: usize = 12;
/// Digits of a Change-Id in the name of a topic.
const TOPIC_DIGITS: usize = 12;

pub(super) fn run(paths: &Paths, args: &OfferArgs) -> anyhow::Result<Ending> {
    let stop = AtomicBool::new(false);
    let user = UserVariables::of_process();
    let writer = GitWriter::open(asker(paths, &stop), &user).map_err(|why| anyhow!(why))?;
    if let Some(id) = &args.withdraw {
        return withdraw(&writer, id, args);
    }
    let mut engine = opened::engine(paths)?;
    if args.answers {
        return answer(&mut engine, (&writer, &clone_id(paths)?), args);
    }
    let meant = match meant(&mut engine, &args.changesets)? {
        Ok(meant) => meant,
        Err(why) => return unmet(args, "nothing", &why, Ending::Unmet),
    };
    let mut offered = match engine.offered(meant.as_ref())? {
        Ok(offered) => offered,
        Err(why) => return unmet(args, "refused", &why, Ending::NeedsUser),
    };
    offer::leave_ignored(&writer, &mut offered).map_err(|why| anyhow!(why))?;
    if offered.changes.is_empty() {
        tell_left(&offered, args);
        return unmet(
            args,
            "nothing",
            "nothing waits that can be offered",
            Ending::Unmet,
        );
    }
    let made = match offer::make(&writer, &offered).map_err(|why| anyhow!(why))? {
        Ok(made) => made,
        Err(refusal) => return unmet(args, "refused", &refusal.to_string(), Ending::NeedsUser),
    };
    engine.mark_offered(made.commit.as_str(), &made.hunks)?;
    let without: Vec<ObjectId> = made.on.iter().cloned().collect();
    let references = references(&made, args);
    let sent = match &args.review_for {
        Some(_) => send_for_review(&writer, args, &references, &made.change_id),
        None => send(&writer, args, &references, &without),
    };
    let sent = match sent {
        Ok(sent) => sent,
        Err(why) => {
            let id = offer::id_of(&made.commit);
            let why = format!("the offer {id} is here, and could not be sent: {why}");
            return unmet(args, "unsent", &why, Ending::Unmet);
        }
    };
    told(&offered, &made, &sent, args)
}

/// Returns the changesets of these names that wait; none if all are meant.
fn meant(
    engine: &mut Engine,
    names: &[String],
) -> anyhow::Result<Result<Option<HashSet<ChangesetId>>, String>> {
    if names.is_empty() {
        return Ok(Ok(None));
    }
    let waiting: HashSet<ChangesetId> = engine.waiting()?.iter().map(|own| own.changeset).collect();
    let mut meant = HashSet::new();
    for name in names {
        let found: Vec<&ChangesetId> = waiting
            .iter()
            .filter(|id| is_meant(&id.to_string(), name))
            .collect();
        match found.as_slice() {
            [one] => drop(meant.insert(**one)),
            [] => return Ok(Err(format!("no changeset {name} waits"))),
            several => {
                let ids: Vec<String> = several.iter().map(ToString::to_string).collect();
                return Ok(Err(format!("{name} could be any of {}", ids.join(", "))));
            }
        }
    }
    Ok(Ok(Some(meant)))
}

/// Returns what is pushed of an offer, or is in its bundle.
fn references(made: &MadeOffer, args: &OfferArgs) -> Vec<String> {
    let own = offer::reference_of(&made.commit);
    let commit = made.commit.as_str();
    if let Some(branch) = &args.review_for {
        return vec![format!("{commit}:refs/for/{branch}")];
    }
    let branch = args.branch.iter();
    let branch = branch.map(|branch| format!("{commit}:refs/heads/{branch}"));
    [own].into_iter().chain(branch).collect()
}

/// Sends references where that is asked for; returns what the server said.
fn send(
    writer: &GitWriter<'_>,
    args: &OfferArgs,
    references: &[String],
    without: &[ObjectId],
) -> Result<Vec<String>, String> {
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    if let Some(file) = &args.bundle {
        let file = folder.join(file);
        writer.bundle(&file, references, without)?;
    }
    match &args.to {
        Some(remote) => {
            let remote = writer.remote(remote, &folder, true)?;
            writer.push(&remote, references)
        }
        None => Ok(Vec::new()),
    }
}

/// Pushes for review. A forge that lacks something says so as it refuses: Gitea and Forgejo want a topic, which stays the same
/// for what replaces this, and a word where it does.
fn send_for_review(
    writer: &GitWriter<'_>,
    args: &OfferArgs,
    references: &[String],
    change_id: &ChangeId,
) -> Result<Vec<String>, String> {
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    let remote = args.to.as_deref().ok_or("no remote is named")?;
    let remote: Remote = writer.remote(remote, &folder, true)?;
    let topic: String = change_id.digits().chars().take(TOPIC_DIGITS).collect();
    let wanted = [
        ("topic", format!("topic=signoff-{topic}")),
        ("force-push", "force-push=true".to_owned()),
    ];
    let mut options: Vec<String> = Vec::new();
    let mut refused = None;
    loop {
        let why = match writer.push_with(&remote, references, &options) {
            Ok(sent) => return Ok(sent),
            Err(why) => why,
        };
        // In the brackets, behind the names of references.
        let said = why.rsplit_once(" (").map_or("", |(_, said)| said);
        let next = wanted
            .iter()
            .find(|(word, option)| said.contains(word) && !options.contains(option));
        match next {
            Some((_, option)) => options.push(option.clone()),
            None if options.is_empty() || !said.is_empty() => return Err(why),
            // That it takes no options is not why it refused.
            None => return Err(refused.unwrap_or(why)),
        }
        refused = Some(why);
    }
}

fn told(
    offered: &Offered,
    made: &MadeOffer,
    sent: &[String],
    args: &OfferArgs,
) -> anyhow::Result<Ending> {
    let id = offer::id_of(&made.commit);
    let ending = if offered.left.is_empty() {
        Ending::Done
    } else {
        Ending::NeedsUser
    };
    if args.json {
        let value = json!({
            "status": "offered", "offer": id, "commit": made.commit.as_str(),
            "reference": offer::reference_of(&made.commit), "new": made.is_new,
            "hunks": made.hunks.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "files": made.paths, "replaces": made.replaces, "left": left(offered), "server": sent,
        });
        out::json(&value).context(out::DONE_BUT)?;
        return Ok(ending);
    }
    let what = format!(
        "{} in {}",
        counted(made.hunks.len(), "hunk"),
        counted(made.paths.len(), "file")
    );
    let place = match (&args.to, &args.bundle) {
        (Some(remote), _) => format!("pushed to {remote}"),
        (None, Some(file)) => format!("written to {}", file.display()),
        (None, None) => format!(
            "kept as {}; send it with `--to REMOTE` or `--bundle FILE`",
            offer::reference_of(&made.commit)
        ),
    };
    let again = if made.is_new { "" } else { ", as before" };
    let replaces = match made.replaces.join(", ") {
        ids if ids.is_empty() => String::new(),
        ids => format!("; it replaces {ids}, which `--withdraw ID` takes back"),
    };
    out::line(&format!("offered {id}: {what}{again}; {place}{replaces}")).context(out::DONE_BUT)?;
    for line in sent {
        out::line(&format!("  {line}")).context(out::DONE_BUT)?;
    }
    tell_left(offered, args);
    Ok(ending)
}

fn tell_left(offered: &Offered, args: &OfferArgs) {
    for (path, why) in offered.left.iter().filter(|_| !args.json) {
        out::remark(&format!("{path} is not offered: {why}"));
    }
}

fn left(offered: &Offered) -> Vec<Value> {
    let left = offered.left.iter();
    left.map(|(path, why)| json!({"path": path, "error": why}))
        .collect()
}

/// Returns what this clone is called among those of the user: it is made up once.
fn clone_id(paths: &Paths) -> anyhow::Result<String> {
    let file = PrivateFile::new(paths.trust.with_file_name("clone"));
    if let Some(known) = file.text()? {
        return Ok(known);
    }
    let mut name = Uuid::now_v7().simple().to_string();
    let name = name.split_off(name.len().saturating_sub(CLONE_DIGITS));
    file.replace(name.as_bytes())?;
    Ok(name)
}

/// Takes an offer of the user's own back.
fn withdraw(writer: &GitWriter<'_>, id: &str, args: &OfferArgs) -> anyhow::Result<Ending> {
    let own = offer::own(writer).map_err(|why| anyhow!(why))?;
    let mut meant = own.iter().filter(|own| offer::is_named(own, id));
    let (Some(one), None) = (meant.next(), meant.next()) else {
        let why = format!("there is no one offer {id} of yours here");
        return unmet(args, "nothing", &why, Ending::Unmet);
    };
    let reference = offer::reference_of(&one.commit);
    if let Err(why) = send(writer, args, &[format!(":{reference}")], &[]) {
        let why = format!("it is not withdrawn: {why}");
        return unmet(args, "unsent", &why, Ending::Unmet);
    }
    let removed = writer.remove_reference(&reference, &one.commit);
    removed.map_err(|why| anyhow!(why))?;
    let id = offer::id_of(&one.commit);
    if args.json {
        out::json(&json!({"status": "withdrawn", "offer": id})).context(out::DONE_BUT)?;
        return Ok(Ending::Done);
    }
    let place = match &args.to {
        Some(remote) => format!("at {remote}; `signoff take` says so to others"),
        None => "here alone; with `--to REMOTE` there too".to_owned(),
    };
    out::line(&format!("withdrew {id} {place}")).context(out::DONE_BUT)?;
    Ok(Ending::Done)
}

/// Sends the verdicts that the user gave.
fn answer(
    engine: &mut Engine,
    (writer, clone): (&GitWriter<'_>, &str),
    args: &OfferArgs,
) -> anyhow::Result<Ending> {
    let given = engine.given_verdicts()?;
    let written = offer::write_verdicts(writer, &given, clone).map_err(|why| anyhow!(why))?;
    let WrittenVerdicts {
        reference,
        offers,
        verdicts,
    } = match written {
        Ok(Some(written)) => written,
        Ok(None) => {
            let why = "you decided on nothing that came with an offer";
            return unmet(args, "nothing", why, Ending::Unmet);
        }
        Err(refusal) => return unmet(args, "refused", &refusal.to_string(), Ending::NeedsUser),
    };
    if let Err(why) = send(writer, args, std::slice::from_ref(&reference), &[]) {
        let why = format!("your verdicts are here, and could not be sent: {why}");
        return unmet(args, "unsent", &why, Ending::Unmet);
    }
    if args.json {
        out::json(&json!({
            "status": "answered", "reference": reference, "offers": offers, "verdicts": verdicts,
        }))
        .context(out::DONE_BUT)?;
        return Ok(Ending::Done);
    }
    let place = match (&args.to, args.bundle.as_deref().map(Path::display)) {
        (Some(remote), _) => format!("pushed to {remote}"),
        (None, Some(file)) => format!("written to {file}"),
        (None, None) => {
            format!("kept as {reference}; send them with `--to REMOTE` or `--bundle FILE`")
        }
    };
    let verdicts = counted(verdicts, "verdict");
    let offers = counted(offers.len(), "offer");
    out::line(&format!("{verdicts} on {offers}; {place}")).context(out::DONE_BUT)?;
    Ok(Ending::Done)
}

fn unmet(args: &OfferArgs, status: &str, why: &str, ending: Ending) -> anyhow::Result<Ending> {
    if args.json {
        out::json(&json!({"status": status, "error": why}))?;
    } else {
        out::remark(why);
    }
    Ok(ending)
}
