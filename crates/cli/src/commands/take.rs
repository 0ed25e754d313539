//! `signoff take`: what another person offers becomes proposals; what others said of the user's own offers arrives.
//!
//! In: a remote, a bundle or what was fetched before, and which offer. Out: proposals of that person, verdicts on hunks that
//! wait, and what could not be taken, with the reason. Nothing is written to files.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, anyhow};
use serde_json::{Value, json};
use signoff_core::engine::{Arrival, Engine, TakeOutcome, TakenChange};
use signoff_core::plural::counted;
use signoff_core::stage::review::{Signer, SignerKey};
use signoff_llm::offer::{self, FoundOffer, OFFERS, SEEN, Unusable, VERDICTS};
use signoff_sandbox::git_write::{GitWriter, Remote, UserVariables};
use signoff_setup::opened;
use signoff_setup::paths::Paths;

use super::repository::asker;
use super::{Ending, out};
use crate::args::TakeArgs;

/// What a bundle of git's begins with.
const BUNDLE: &[u8] = b"# v";

/// What was done, for the output.
#[derive(Default)]
struct Report {
    waiting: Vec<FoundOffer>,
    taken: Option<(FoundOffer, Vec<TakenChange>)>,
    arrived: Vec<Arrival>,
    unusable: Vec<Unusable>,
    /// What went wrong without stopping the rest.
    troubles: Vec<String>,
    /// Offers that a remote has no more, by their ids.
    withdrawn: BTreeSet<String>,
}

pub(super) fn run(paths: &Paths, args: &TakeArgs) -> anyhow::Result<Ending> {
    let stop = AtomicBool::new(false);
    let user = UserVariables::of_process();
    let asker = asker(paths, &stop);
    let mut writer = GitWriter::open(asker, &user).map_err(|why| anyhow!(why))?;
    let (source, mut named) = (args.source.as_deref(), args.offer.as_deref());
    let mut report = Report::default();
    let is_here = source.filter(|_| named.is_none()).is_some_and(|own| {
        offer::found(&writer)
            .is_ok_and(|(offers, _)| offers.iter().any(|one| offer::is_named(one, own)))
    });
    match source {
        Some(own) if is_here => named = Some(own),
        Some(own) => {
            fetch(&writer, own, &mut report)?;
            // It sees what was there when it was made.
            writer = GitWriter::open(asker, &user).map_err(|why| anyhow!(why))?;
        }
        None => {}
    }
    let (offers, unusable) = offer::found(&writer).map_err(|why| anyhow!(why))?;
    report.unusable = unusable;
    let mut engine = opened::engine(paths)?;
    let known = engine.taken_offers()?;
    let replaced: BTreeSet<(&str, &String)> = offers
        .iter()
        .flat_map(|own| own.replaces().map(move |id| (id, &own.by.email)))
        .collect();
    let is_open = |own: &FoundOffer| {
        let id = offer::id_of(&own.commit);
        match known.get(own.commit.as_str()) {
            Some(hunks) => args.list && !own.is_within(hunks),
            None => !replaced.contains(&(id, &own.by.email)),
        }
    };
    let meant: Vec<&FoundOffer> = match named {
        Some(name) => offers
            .iter()
            .filter(|own| offer::is_named(own, name))
            .collect(),
        None => offers.iter().filter(|own| is_open(own)).collect(),
    };
    match meant.as_slice() {
        [one] if !args.list => {
            take_one(&mut engine, &writer, one, &mut report)?;
        }
        several => report.waiting = several.iter().map(|own| (*own).clone()).collect(),
    }
    let made = engine.made_offers()?;
    let (arrived, unusable) =
        offer::arrived_verdicts(&writer, &made).map_err(|why| anyhow!(why))?;
    report.unusable.extend(unusable);
    report.arrived = engine.take_verdicts(arrived)?;
    if let (Some(name), []) = (named, meant.as_slice()) {
        report
            .troubles
            .push(format!("there is no offer {name} of another person here"));
    }
    tell(&mut engine, &report, args)
}

/// Stages an offer; one that is damaged stops nothing else.
fn take_one(
    engine: &mut Engine,
    writer: &GitWriter<'_>,
    offer: &FoundOffer,
    report: &mut Report,
) -> anyhow::Result<()> {
    let (text, left) = match offer.read(writer) {
        Ok(read) => read,
        Err(why) => {
            let id = offer::id_of(&offer.commit);
            report
                .troubles
                .push(format!("the offer {id} is not taken: {why}"));
            return Ok(());
        }
    };
    let changes = engine.take_offer(&text)?;
    let outside = left.iter();
    let outside =
        outside.map(|path| format!("{path} is not taken: it lies outside of the workspace"));
    report.troubles.extend(outside);
    report.taken = Some((offer.clone(), changes));
    Ok(())
}

/// Fetches offers and verdicts.
fn fetch(writer: &GitWriter<'_>, source: &str, report: &mut Report) -> anyhow::Result<()> {
    let folder = std::env::current_dir()?;
    let file = folder.join(source);
    let remote = if is_bundle(&file) {
        Remote::bundle(&file)
    } else {
        let remote = writer.remote(source, &folder, false);
        remote.map_err(|why| anyhow!(why))?
    };
    // What is said there counts: of the user's own verdicts, the store has what was not sent yet.
    for (force, below) in [("", OFFERS), ("+", VERDICTS)] {
        // Apart, so that what is in the way of one is not in that of the other.
        if let Err(why) = writer.fetch(&remote, &[format!("{force}{below}*:{below}*")]) {
            report.troubles.push(format!("{source}: {why}"));
        }
    }
    if !is_bundle(&file) {
        match withdrawn(writer, &remote) {
            Ok(withdrawn) => report.withdrawn = withdrawn,
            Err(why) => report.troubles.push(format!("{source}: {why}")),
        }
    }
    Ok(())
}

/// Returns the offers that a remote had and has no more; they are no more here either.
fn withdrawn(writer: &GitWriter<'_>, remote: &Remote) -> Result<BTreeSet<String>, String> {
    let below = format!("{SEEN}{}/", offer::person_id(remote.address()));
    let before = writer.references(&below)?;
    writer.mirror(remote, &format!("{OFFERS}*:{below}*"))?;
    let now: BTreeSet<String> = writer
        .references(&below)?
        .into_iter()
        .map(|own| own.0)
        .collect();
    let mut withdrawn = BTreeSet::new();
    for (name, commit) in before.iter().filter(|(name, _)| !now.contains(name)) {
        let id = name.strip_prefix(&below).unwrap_or(name);
        let here = format!("{OFFERS}{id}");
        if writer
            .references(&here)?
            .iter()
            .any(|(_, own)| own == commit)
        {
            writer.remove_reference(&here, commit)?;
            withdrawn.insert(id.to_owned());
        }
    }
    Ok(withdrawn)
}

fn is_bundle(file: &Path) -> bool {
    use std::io::Read as _;
    let mut begins = [0; BUNDLE.len()];
    let opened = file.is_file().then(|| std::fs::File::open(file).ok());
    let opened = opened.flatten();
    opened.is_some_and(|mut file| file.read_exact(&mut begins).is_ok() && begins == *BUNDLE)
}

fn tell(engine: &mut Engine, report: &Report, args: &TakeArgs) -> anyhow::Result<Ending> {
    let new = report.arrived.iter().filter(|own| own.is_new).count();
    if args.json {
        let value = json!({
            "taken": report.taken.as_ref().map(|(offer, changes)| {
                let mut value = value(offer);
                value["changes"] = json!(changes.iter().map(change_value).collect::<Vec<_>>());
                value
            }),
            "waiting": report.waiting.iter().map(value).collect::<Vec<_>>(),
            "verdicts": report.arrived.iter().map(|own| json!({
                "hunk": own.hunk.to_string(), "path": own.path, "new": own.is_new,
            })).collect::<Vec<_>>(),
            "unusable": report.unusable.iter().map(|own| json!({
                "name": own.name, "error": own.why,
            })).collect::<Vec<_>>(),
            "withdrawn": report.withdrawn,
            "errors": report.troubles,
        });
        out::json(&value).context(out::DONE_BUT)?;
        return Ok(ending(report));
    }
    if let Some((offer, changes)) = &report.taken {
        tell_taken(offer, changes)?;
    }
    for offer in &report.waiting {
        out::line(&line(offer))?;
    }
    if report.waiting.len() > 1 && !args.list {
        out::line("several offers wait: name one, as `signoff take ID`")?;
    }
    if new > 0 {
        out::line(&format!(
            "{} of others arrived; `signoff review` shows them",
            counted(new, "verdict")
        ))?;
        for view in engine.waiting()? {
            for hunk in view.hunks.iter().filter(|hunk| !hunk.verdicts.is_empty()) {
                for verdict in &hunk.verdicts {
                    out::line(&format!("  {} {}: {verdict}", view.path, hunk.id))?;
                }
            }
        }
    }
    // Of what could not be reached nobody knows.
    for id in &report.withdrawn {
        out::line(&format!("{id} was withdrawn; deny what waits of it"))?;
    }
    let is_nothing = report.taken.is_none() && report.waiting.is_empty() && new == 0;
    let is_nothing = is_nothing && report.withdrawn.is_empty();
    if is_nothing && report.troubles.is_empty() {
        out::remark("no offer of another person waits, and no verdict is new");
    }
    for Unusable { name, why } in &report.unusable {
        out::remark(&format!("{name} is left: {why}"));
    }
    report.troubles.iter().for_each(|why| out::remark(why));
    Ok(ending(report))
}

fn ending(report: &Report) -> Ending {
    let changes = report.taken.iter().flat_map(|(_, changes)| changes);
    let is_whole = changes.into_iter().all(|own| {
        !matches!(
            own.outcome,
            TakeOutcome::Conflict { .. } | TakeOutcome::Refused { .. }
        )
    });
    let is_any = report.taken.is_some() || !report.waiting.is_empty() || !report.arrived.is_empty();
    let is_any = is_any || !report.withdrawn.is_empty();
    match () {
        () if !is_whole || !report.unusable.is_empty() || report.waiting.len() > 1 => {
            Ending::NeedsUser
        }
        () if !report.troubles.is_empty() || !is_any => Ending::Unmet,
        () => Ending::Done,
    }
}

fn tell_taken(offer: &FoundOffer, changes: &[TakenChange]) -> anyhow::Result<()> {
    let staged = changes
        .iter()
        .filter(|own| matches!(own.outcome, TakeOutcome::Staged { .. }));
    let count = staged.count();
    out::line(&line(offer))?;
    if count > 0 {
        out::line(&format!(
            "took {}; decide with `signoff review`, then answer with `signoff offer --answers --to REMOTE`, or `--bundle FILE`",
            counted(count, "change")
        ))?;
    }
    for TakenChange { path, outcome } in changes {
        match outcome {
            TakeOutcome::Staged { .. } => {}
            TakeOutcome::Before => out::line(&format!("  {path}: taken before"))?,
            TakeOutcome::There => out::line(&format!("  {path}: is so already"))?,
            TakeOutcome::Conflict { why } => {
                out::line(&format!("  {path}: not taken, conflict: {why}"))?;
            }
            TakeOutcome::Refused { why } => out::line(&format!("  {path}: not taken: {why}"))?,
        }
    }
    Ok(())
}

/// Says in a line what an offer is.
fn line(offer: &FoundOffer) -> String {
    let replaces = offer.replaces().collect::<Vec<_>>().join(", ");
    let replaces = match replaces.as_str() {
        "" => String::new(),
        ids => format!("; it replaces {ids}: deny what waits of that"),
    };
    format!(
        "{} {} by {}: {} in {}{replaces}",
        offer::id_of(&offer.commit),
        offer.subject,
        signer(&offer.by),
        counted(offer.hunks(), "hunk"),
        counted(offer.paths().len(), "file"),
    )
}

fn signer(by: &Signer) -> String {
    match by.key {
        SignerKey::Missing => format!("{by}, without a key"),
        SignerKey::Unknown => format!("{by}, with a key that your git cannot judge"),
        SignerKey::Trusted => format!("{by}, with their key"),
    }
}

fn value(offer: &FoundOffer) -> Value {
    json!({
        "offer": offer::id_of(&offer.commit),
        "commit": offer.commit.as_str(),
        "subject": offer.subject,
        "by": offer.by,
        "hunks": offer.hunks(),
        "files": offer.paths(),
        "replaces": offer.replaces().collect::<Vec<_>>(),
    })
}

fn change_value(change: &TakenChange) -> Value {
    let (status, proposal, error) = match &change.outcome {
        TakeOutcome::Staged { proposal } => ("staged", Some(proposal), None),
        TakeOutcome::Before => ("before", None, None),
        TakeOutcome::There => ("there", None, None),
        TakeOutcome::Conflict { why } => ("conflict", None, Some(why)),
        TakeOutcome::Refused { why } => ("refused", None, Some(why)),
    };
    json!({"path": change.path, "status": status, "proposal": proposal, "error": error})
}
