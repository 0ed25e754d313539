//! `signoff take`: what another person offers becomes proposals; what others said of the user's own offers arrives.
//!
//! In: a remote, a bundle or what was fetched before, and which offer. Out: proposals of that person, verdicts on hunks that
//! wait, and what could not be taken, with the reason. Nothing is written to files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, anyhow};
use serde_json::{Value, json};
use signoff_core::engine::{Arrival, Engine, TakeOutcome, TakenAll, TakenChange};
use signoff_core::plural::counted;
use signoff_core::stage::review::{Signer, SignerKey};
use signoff_llm::offer::{self, FoundOffer, OFFERS, SEEN, Unusable, VERDICTS};
use signoff_sandbox::git_write::{GitWriter, ObjectId, Remote, UserVariables};
use signoff_setup::opened;
use signoff_setup::paths::Paths;

use super::repository::asker;
use super::{Ending, out};
use crate::args::TakeArgs;

/// What a bundle of git's begins with.
const BUNDLE: &[u8] = b"# v";
const BUNDLE_BYTES: u64 = 3;
/// What follows the list of its references.
const PACK: &[u8] = b"\n\nPACK";
/// Maximum bytes of that list: 10,000 references.
const MAX_LIST: u64 = 1024 * 1024;
/// Where what is fetched by another name is until it is an offer, or none.
const NAMED: &str = "refs/signoff/named/";

/// An offer that waits, and whether some of it was taken.
#[derive(Clone, Copy)]
struct OpenOffer<'o> {
    offer: &'o FoundOffer,
    in_part: bool,
}

/// What was done, for the output.
#[derive(Default)]
struct Report {
    /// Each with whether some of it was taken.
    waiting: Vec<(FoundOffer, bool)>,
    taken: Option<(FoundOffer, TakenAll)>,
    arrived: Vec<Arrival>,
    unusable: Vec<Unusable>,
    /// What went wrong without stopping the rest.
    troubles: Vec<String>,
    /// Offers that a remote has no more, by their ids.
    withdrawn: BTreeSet<String>,
    /// Whether something is damaged that was not seen before.
    is_damaged: bool,
}

impl Report {
    /// Notes what a source said, once.
    fn trouble(&mut self, source: &str, why: &str) {
        let why = format!("{source}: {why}");
        if !self.troubles.contains(&why) {
            self.troubles.push(why);
        }
    }

    /// Returns how many offers wait of which nothing was taken.
    fn fresh(&self) -> usize {
        self.waiting.iter().filter(|(_, in_part)| !in_part).count()
    }
}

pub(super) fn run(paths: &Paths, args: &TakeArgs) -> anyhow::Result<Ending> {
    let stop = AtomicBool::new(false);
    let user = UserVariables::of_process();
    let asker = asker(paths, &stop);
    let mut report = Report::default();
    // It sees what was there when it was made.
    let open = || GitWriter::open(asker, &user).map_err(|why| anyhow!(why));
    let (source, mut named) = (args.source.as_deref(), args.offer.as_deref());
    let is_here = match source.filter(|_| named.is_none()) {
        Some(own) => {
            let (offers, _) = offer::found(&open()?).map_err(|why| anyhow!(why))?;
            offers.iter().any(|one| offer::is_named(one, own))
        }
        None => false,
    };
    match source {
        Some(own) if is_here => named = Some(own),
        Some(own) => fetch(open, own, args, &mut report)?,
        None => {}
    }
    let mut writer = open()?;
    let mut found = offer::found(&writer).map_err(|why| anyhow!(why))?;
    let (mut adopted, mut why_not) = (None, String::new());
    if let (Some(source), Some(name)) = (source, named)
        && !found.0.iter().any(|own| offer::is_named(own, name))
    {
        match fetch_named(open, source, name) {
            Ok(commit) => adopted = Some(commit),
            Err(why) => why_not = format!(": {why}"),
        }
        writer = open()?;
        found = offer::found(&writer).map_err(|why| anyhow!(why))?;
    }
    let (offers, unusable) = found;
    report.unusable.extend(unusable);
    let mut engine = opened::engine(paths)?;
    let name = adopted.as_ref().map(ObjectId::as_str).or(named);
    let meant = match name {
        Some(name) => {
            let named = offers.iter().filter(|own| offer::is_named(own, name));
            let whole = |offer| OpenOffer {
                offer,
                in_part: false,
            };
            named.map(whole).collect()
        }
        None => open_offers(&mut engine, &writer, &offers)?,
    };
    let fresh: Vec<&OpenOffer<'_>> = meant.iter().filter(|own| !own.in_part).collect();
    match fresh.as_slice() {
        [one] if !args.list => {
            let again = (one.offer, name.is_some());
            take_one(&mut engine, &writer, again, &mut report)?;
        }
        _ => {
            let waiting = meant.iter().map(|own| (own.offer.clone(), own.in_part));
            report.waiting = waiting.collect();
        }
    }
    let made = engine.made_offers()?;
    let (arrived, unusable) =
        offer::arrived_verdicts(&writer, &made).map_err(|why| anyhow!(why))?;
    report.is_damaged |= !unusable.is_empty();
    report.unusable.extend(unusable);
    report.arrived = engine.take_verdicts(arrived)?;
    if let (Some(name), []) = (named, meant.as_slice()) {
        let why = format!("there is no offer {name} of another person here{why_not}");
        report.troubles.push(why);
    }
    tell(&mut engine, &report, args)
}

/// Returns the offers of which something can be taken, but for those that another one replaces.
fn open_offers<'o>(
    engine: &mut Engine,
    writer: &GitWriter<'_>,
    offers: &'o [FoundOffer],
) -> anyhow::Result<Vec<OpenOffer<'o>>> {
    let known = engine.taken_offers()?;
    let replaced: BTreeSet<(&str, &String)> = offers
        .iter()
        .flat_map(|own| own.replaces().map(move |id| (id, &own.by.email)))
        .collect();
    let mut open = Vec::new();
    for offer in offers {
        let id = offer::id_of(&offer.commit);
        if replaced.contains(&(id, &offer.by.email)) {
            continue;
        }
        let taken = known.get(offer.commit.as_str());
        let is_open = match taken {
            None => true,
            Some(hunks) if offer.is_within(hunks) => false,
            Some(_) => match offer.read(writer) {
                Ok((text, _)) => engine.is_untaken(&text)?,
                Err(_) => false,
            },
        };
        let in_part = taken.is_some();
        open.extend(is_open.then_some(OpenOffer { offer, in_part }));
    }
    Ok(open)
}

/// Stages an offer; one that is damaged stops nothing else. One that was named is decided again, as far as it was denied or undone.
fn take_one(
    engine: &mut Engine,
    writer: &GitWriter<'_>,
    (offer, is_again): (&FoundOffer, bool),
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
    let taken = engine.take_offer(&text, is_again)?;
    let outside = left.iter();
    let outside =
        outside.map(|path| format!("{path} is not taken: it lies outside of the workspace"));
    report.troubles.extend(outside);
    report.taken = Some((offer.clone(), taken));
    Ok(())
}

/// Fetches offers and verdicts. Offers are looked at before they are among those that are here: one that is damaged is named when
/// it comes, and with `--list`, and is in the way of no other.
fn fetch<'w>(
    open: impl Fn() -> anyhow::Result<GitWriter<'w>>,
    source: &str,
    args: &TakeArgs,
    report: &mut Report,
) -> anyhow::Result<()> {
    let writer = open()?;
    let remote = remote_of(&writer, source)?;
    let seen = format!("{SEEN}{}/", offer::person_id(remote.address()));
    let before = listed(&writer, &seen)?;
    let offers = writer.mirror(&remote, &format!("{OFFERS}*:{seen}*"));
    // What is said there counts: of the user's own verdicts, the store has what was not sent yet.
    let verdicts = writer.fetch(&remote, &[format!("+{VERDICTS}*:{VERDICTS}*")]);
    for why in [&offers, &verdicts]
        .into_iter()
        .filter_map(|own| own.as_ref().err())
    {
        report.trouble(source, why);
    }
    if offers.is_err() {
        return Ok(());
    }
    let writer = open()?;
    let now = listed(&writer, &seen)?;
    for (name, commit) in &now {
        let id = name.strip_prefix(&seen).unwrap_or(name);
        let Err(why) = offer::adopt_as(&writer, id, commit) else {
            continue;
        };
        let is_new = before.get(name) != Some(commit);
        report.is_damaged |= is_new;
        if is_new || args.list {
            let name = format!("{OFFERS}{id}");
            let why = format!("{why}; `git push {source} :{name}` removes it there");
            report.unusable.push(Unusable { name, why });
        }
    }
    if is_bundle(&std::env::current_dir()?.join(source)) {
        for (name, commit) in &now {
            let removed = writer.remove_reference(name, commit);
            removed.map_err(|why| anyhow!(why))?;
        }
        return Ok(());
    }
    for (name, commit) in before.iter().filter(|(name, _)| !now.contains_key(*name)) {
        let id = name.strip_prefix(&seen).unwrap_or(name);
        let here = format!("{OFFERS}{id}");
        if listed(&writer, &here)?.get(&here) == Some(commit) {
            let removed = writer.remove_reference(&here, commit);
            removed.map_err(|why| anyhow!(why))?;
            report.withdrawn.insert(id.to_owned());
        }
    }
    Ok(())
}

/// Returns the references below a name, with their commits.
fn listed(writer: &GitWriter<'_>, below: &str) -> anyhow::Result<BTreeMap<String, ObjectId>> {
    let listed = writer.references(below).map_err(|why| anyhow!(why))?;
    Ok(listed.into_iter().collect())
}

/// Fetches an offer by what it is called elsewhere, as forges call what they were sent: a branch, `refs/pull/1/head`.
fn fetch_named<'w>(
    open: impl Fn() -> anyhow::Result<GitWriter<'w>>,
    source: &str,
    name: &str,
) -> anyhow::Result<ObjectId> {
    if name.starts_with('-') || name.contains([':', '*', '^', '+']) {
        return Err(anyhow!("{name:?} is no name of a reference"));
    }
    let writer = open()?;
    let remote = remote_of(&writer, source)?;
    let whose = format!("{} {name}", remote.address());
    let here = format!("{NAMED}{}", offer::person_id(&whose));
    let fetched = writer.fetch(&remote, &[format!("+{name}:{here}")]);
    fetched.map_err(|why| anyhow!(why))?;
    let writer = open()?;
    let mut found = listed(&writer, &here)?;
    let commit = found
        .remove(&here)
        .ok_or_else(|| anyhow!("it is no commit"))?;
    let adopted = offer::adopt(&writer, &commit);
    let removed = writer.remove_reference(&here, &commit);
    adopted.and(removed).map_err(|why| anyhow!(why))?;
    Ok(commit)
}

/// Finds the bundle or the remote that is meant.
fn remote_of(writer: &GitWriter<'_>, source: &str) -> anyhow::Result<Remote> {
    let folder = std::env::current_dir()?;
    let file = folder.join(source);
    if is_bundle(&file) {
        // Of one that is cut within its list, git fetches nothing and says nothing.
        let begins = begin_of(&file, MAX_LIST)?;
        if !begins.windows(PACK.len()).any(|own| own == PACK) {
            return Err(anyhow!("{source} is damaged: it ends before its contents"));
        }
        return Ok(Remote::bundle(&file));
    }
    let remote = writer.remote(source, &folder, false);
    remote.map_err(|why| anyhow!(why))
}

fn is_bundle(file: &Path) -> bool {
    file.is_file() && begin_of(file, BUNDLE_BYTES).is_ok_and(|begins| begins == *BUNDLE)
}

/// Returns the first bytes of a file, at most `most`.
fn begin_of(file: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut begins = Vec::new();
    std::fs::File::open(file)?
        .take(most)
        .read_to_end(&mut begins)?;
    Ok(begins)
}

fn tell(engine: &mut Engine, report: &Report, args: &TakeArgs) -> anyhow::Result<Ending> {
    let new = report.arrived.iter().filter(|own| own.is_new).count();
    if args.json {
        let value = json!({
            "taken": report.taken.as_ref().map(|(offer, taken)| {
                let mut value = value(offer);
                let changes = taken.changes.iter().map(change_value);
                value["changes"] = json!(changes.collect::<Vec<_>>());
                value["replaced"] = json!(taken.replaced);
                value
            }),
            "waiting": report.waiting.iter().map(|(offer, in_part)| {
                let mut value = value(offer);
                value["in_part"] = json!(in_part);
                value
            }).collect::<Vec<_>>(),
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
    if let Some((offer, taken)) = &report.taken {
        tell_taken(offer, taken)?;
    }
    for (offer, in_part) in &report.waiting {
        let id = offer::id_of(&offer.commit);
        let part = if *in_part {
            format!("; taken in part, `signoff take {id}` tries the rest")
        } else {
            String::new()
        };
        out::line(&format!("{}{part}", line(offer)))?;
    }
    if report.fresh() > 1 && !args.list {
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
    let changes = report.taken.iter().flat_map(|(_, taken)| &taken.changes);
    let is_whole = changes.into_iter().all(|own| {
        !matches!(
            own.outcome,
            TakeOutcome::Conflict { .. } | TakeOutcome::Refused { .. }
        )
    });
    let is_any = report.taken.is_some() || report.fresh() > 0 || !report.arrived.is_empty();
    let is_any = is_any || !report.withdrawn.is_empty();
    match () {
        () if !is_whole || report.is_damaged || report.fresh() > 1 => Ending::NeedsUser,
        () if !report.troubles.is_empty() || !is_any => Ending::Unmet,
        () => Ending::Done,
    }
}

fn tell_taken(offer: &FoundOffer, taken: &TakenAll) -> anyhow::Result<()> {
    let staged = taken
        .changes
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
    if taken.replaced > 0 {
        let hunks = counted(taken.replaced, "hunk");
        out::line(&format!(
            "  in place of {hunks} of the offers that it replaces"
        ))?;
    }
    for TakenChange { path, outcome } in &taken.changes {
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
        ids => format!("; it replaces {ids}"),
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
