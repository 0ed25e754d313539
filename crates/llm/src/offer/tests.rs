//! Schedules of three people and two agents, drawn by chance, without git: what one knows reaches another in any order, late,
//! twice or cut short. In the end all know the same verdicts, nothing was written that nobody looked at, and nothing is lost.
//!
//! 150 are tried, 5 s without optimisation; with `OFFER_SCHEDULES=1000` in the environment, so many.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use signoff_core::disk::workspace::memory::MemoryWorkspace;
use signoff_core::edit::diff::line::LineKind;
use signoff_core::edit::request::Payload;
use signoff_core::engine::{
    Decision, Engine, OfferedText, SecondSignature, SubmittedPayload, TakeOutcome, TakenOffer,
};
use signoff_core::id::{Ambient, HunkId, Timestamp, Uuid};
use signoff_core::record::store::Store;
use signoff_core::stage::proposal::Origin;
use signoff_core::stage::review::{
    HunkView, OtherRuling, OtherVerdict, ProposalView, Proposer, Ruling, Signer, SignerKey, Verdict,
};
use signoff_core::text::Source;

use super::text::OfferText;
use super::verdicts::{VerdictLine, VerdictLog};

const SCHEDULES: u64 = 150;
/// Steps of a schedule.
const STEPS: u64 = 40;
const NAMES: [&str; 3] = ["ann", "bob", "cy"];
/// The last wants a second signature.
const FILES: [&str; 2] = ["a.txt", "m.sql"];

/// A sequence of numbers, the same for a seed (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(most).unwrap()).unwrap()
    }
}

/// What a commit of git's would be: its message, and the files of each step.
#[derive(Clone)]
struct Sent {
    by: usize,
    message: String,
    texts: Vec<BTreeMap<String, OfferedText>>,
}

/// What a person has of the references of all.
#[derive(Clone, Default)]
struct Known {
    offers: BTreeMap<String, Sent>,
    /// By person and offer.
    logs: BTreeMap<(usize, String), VerdictLog>,
}

struct Person {
    files: MemoryWorkspace,
    engine: Engine,
    known: Known,
    /// The list that the person looked at last.
    seen: Vec<ProposalView>,
    done: Done,
}

#[derive(Clone, Copy)]
enum Action {
    Propose,
    Save,
    Offer,
    Deliver,
    Take,
    Decide,
    Answer,
    TakeIn,
}

const ACTIONS: [Action; 16] = [
    Action::Propose,
    Action::Propose,
    Action::Propose,
    Action::Save,
    Action::Offer,
    Action::Offer,
    Action::Deliver,
    Action::Take,
    Action::Take,
    Action::Decide,
    Action::Decide,
    Action::Decide,
    Action::Decide,
    Action::Answer,
    Action::TakeIn,
    Action::TakeIn,
];

/// How often something happened, so that a test of nothing is noticed.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    taken: usize,
    conflicts: usize,
    written: usize,
    written_with_two: usize,
    refused: usize,
    changed: usize,
    arrived: usize,
}

impl Done {
    fn add(&mut self, other: Self) {
        self.taken += other.taken;
        self.conflicts += other.conflicts;
        self.written += other.written;
        self.written_with_two += other.written_with_two;
        self.refused += other.refused;
        self.changed += other.changed;
        self.arrived += other.arrived;
    }
}

impl Person {
    fn new(at: usize) -> Self {
        let files = MemoryWorkspace::default();
        for file in FILES {
            files.save(file, lines().join("\n") + "\n");
        }
        let (person, mut id) = (at as u64 + 1, 0);
        let ambient = Ambient {
            now: Box::new(|| Timestamp(next())),
            uuid: Box::new(move || {
                id += 1;
                Uuid::from_u64_pair(person, id)
            }),
        };
        let store = Store::in_memory().unwrap();
        let mut engine = Engine::new(Box::new(files.clone()), store, ambient).unwrap();
        engine.set_second_signature(SecondSignature {
            paths: Some(Box::new(|path| (path == FILES[1]).then(|| path.to_owned()))),
            wants_key: false,
        });
        Self {
            files,
            engine,
            known: Known::default(),
            seen: Vec::new(),
            done: Done::default(),
        }
    }

    fn disk(&self) -> Vec<String> {
        let text = |file| String::from_utf8(self.files.load(file).unwrap()).unwrap();
        FILES.iter().map(|file| text(file)).collect()
    }
}

/// A clock that never stands.
fn next() -> i64 {
    use std::sync::atomic::{AtomicI64, Ordering};
    static CLOCK: AtomicI64 = AtomicI64::new(1);
    CLOCK.fetch_add(1, Ordering::Relaxed)
}

fn lines() -> Vec<String> {
    (0..12).map(|line| format!("line {line}")).collect()
}

fn signer(at: usize) -> Signer {
    Signer {
        name: NAMES[at].to_owned(),
        email: format!("{}@example.org", NAMES[at]),
        key: SignerKey::Missing,
    }
}

/// Has an agent, or the user, change a line that is there.
fn propose(person: &mut Person, chance: &mut Chance, word: &str) {
    let file = FILES[chance.below(FILES.len())];
    let text = person.engine.read(file).unwrap().unwrap();
    let text = text.text().unwrap().to_owned();
    let all: Vec<&str> = text.lines().collect();
    let old = all[chance.below(all.len())];
    let change = json!({"file": file, "strategy": "section", "description": word,
        "section": {"edits": [{"old_text": old, "new_text": word}]}});
    let payload = Payload::parse(&json!({"changes": [change]}).to_string()).unwrap();
    let name = format!("agent {}", chance.below(2));
    let origin = Origin {
        proposer: Proposer::Mcp { client: name },
        ..Origin::default()
    };
    let asked = SubmittedPayload {
        payload,
        origin,
        only: None,
        changeset: None,
    };
    person.engine.propose(asked).unwrap();
}

fn save(person: &mut Person, chance: &mut Chance, word: &str) {
    let file = FILES[chance.below(FILES.len())];
    let text = String::from_utf8(person.files.load(file).unwrap()).unwrap();
    let mut all: Vec<&str> = text.lines().collect();
    let at = chance.below(all.len());
    all[at] = word;
    person.files.save(file, all.join("\n") + "\n");
}

fn offer(person: &mut Person, at: usize) {
    let Ok(offered) = person.engine.offered(None).unwrap() else {
        return;
    };
    if offered.changes.is_empty() {
        return;
    }
    let text = OfferText::of(&offered, None, |path| Ok(path.to_owned())).unwrap();
    let message = text
        .message(&super::change_id::of_offer(&text, &[]))
        .unwrap();
    let mut texts: Vec<BTreeMap<String, OfferedText>> = vec![BTreeMap::new()];
    for own in offered.changes.iter().filter(|own| own.step == 0) {
        let before = own.before.clone();
        texts[0].extend(before.map(|before| (own.path.clone(), before)));
    }
    for step in 0..text.steps() {
        let mut made = texts[step].clone();
        for own in offered.changes.iter().filter(|own| own.step == step) {
            made.insert(own.path.clone(), own.after.clone().unwrap());
        }
        texts.push(made);
    }
    let hash = blake3::hash(format!("{at}{message}{texts:?}").as_bytes()).to_hex();
    let name = hash.to_string();
    let hunks = offered.changes.iter().flat_map(|own| own.hunks()).collect();
    person.engine.mark_offered(&name, &hunks).unwrap();
    let sent = Sent {
        by: at,
        message,
        texts,
    };
    person.known.offers.insert(name, sent);
}

fn read(name: &str, sent: &Sent) -> TakenOffer {
    let object = format!("tree 0\n\n{}", sent.message);
    let text = OfferText::read(&object).unwrap();
    TakenOffer {
        offer: name.to_owned(),
        by: signer(sent.by),
        checks: text.checks(),
        replaces: Vec::new(),
        changes: text
            .changes(&sent.texts, |path| Some(path.to_owned()))
            .unwrap(),
    }
}

fn take(person: &mut Person, at: usize, chance: &mut Chance) {
    let others = person.known.offers.iter().filter(|(_, own)| own.by != at);
    let others: Vec<(String, Sent)> = others
        .map(|(name, own)| (name.clone(), own.clone()))
        .collect();
    if others.is_empty() {
        return;
    }
    let (name, sent) = &others[chance.below(others.len())];
    let offer = read(name, sent);
    let taken = person.engine.take_offer(&offer, false).unwrap().changes;
    assert_eq!(taken.len(), offer.changes.len());
    for own in &taken {
        match own.outcome {
            TakeOutcome::Staged { .. } => person.done.taken += 1,
            TakeOutcome::Conflict { .. } => person.done.conflicts += 1,
            _ => {}
        }
    }
    // A second time changes nothing.
    let before = person.engine.waiting().unwrap();
    let staged =
        |own: &signoff_core::engine::TakenChange| matches!(own.outcome, TakeOutcome::Staged { .. });
    let again = person.engine.take_offer(&offer, false).unwrap().changes;
    for (first, second) in taken.iter().zip(&again) {
        assert!(!staged(first) || second.outcome == TakeOutcome::Before);
    }
    if !again.iter().any(staged) {
        assert_eq!(before, person.engine.waiting().unwrap());
    }
}

/// Approves or denies a hunk of the list that the person looked at, which may be of long ago.
fn decide(person: &mut Person, chance: &mut Chance) {
    if person.seen.is_empty() || chance.below(2) > 0 {
        person.seen = person.engine.review().unwrap();
    }
    let hunks = person
        .seen
        .iter()
        .flat_map(|own| own.pending().map(move |hunk| (own, hunk)));
    let hunks: Vec<(ProposalView, HunkView)> = hunks
        .map(|(own, hunk)| (own.clone(), hunk.clone()))
        .collect();
    // Those that others are about as well are what this is about.
    let is_shared = |(view, hunk): &&(ProposalView, HunkView)| {
        !hunk.verdicts.is_empty() || matches!(view.proposer, Proposer::Person { .. })
    };
    let shared: Vec<&(ProposalView, HunkView)> = hunks.iter().filter(is_shared).collect();
    let all: Vec<&(ProposalView, HunkView)> = hunks.iter().collect();
    let hunks = if shared.is_empty() || chance.below(3) == 0 {
        all
    } else {
        shared
    };
    if hunks.is_empty() {
        return;
    }
    let (view, hunk) = hunks[chance.below(hunks.len())];
    let verdict = if chance.below(3) > 0 {
        Verdict::Approve
    } else {
        let reason = Some("no".to_owned());
        Verdict::Deny { reason }
    };
    let before = person.disk();
    let decision = person
        .engine
        .decide(&[Ruling::new(hunk, verdict.clone())])
        .unwrap();
    let after = person.disk();
    let is_written = matches!(decision, Decision::Done(_)) && verdict == Verdict::Approve;
    match &decision {
        Decision::Refused { .. } => person.done.refused += 1,
        Decision::Changed { .. } => person.done.changed += 1,
        Decision::Done(_) | Decision::Elsewhere { .. } => {}
    }
    if !is_written {
        assert_eq!(before, after, "{decision:?}");
        return;
    }
    person.done.written += 1;
    // What is on disk now is what was displayed, and nothing else.
    for (at, file) in FILES.iter().enumerate() {
        let (gone, come) = difference(&before[at], &after[at]);
        let of = |kind| {
            let lines = hunk.lines.iter().filter(|line| line.kind == kind);
            let mut lines: Vec<String> = lines.map(|line| line.text.clone()).collect();
            lines.sort();
            lines
        };
        let meant = if view.path == *file {
            (of(LineKind::Removed), of(LineKind::Added))
        } else {
            (Vec::new(), Vec::new())
        };
        assert_eq!((gone, come), meant, "{file}");
    }
    if view.path == FILES[1] && !matches!(view.proposer, Proposer::Person { .. }) {
        assert!(is_approved_by_another(person, hunk.id), "{hunk:?}");
        person.done.written_with_two += 1;
    }
}

/// Returns the lines that went and came, sorted.
fn difference(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let mut come: Vec<String> = after.lines().map(str::to_owned).collect();
    let mut gone = Vec::new();
    for line in before.lines() {
        match come.iter().position(|own| own == line) {
            Some(at) => drop(come.remove(at)),
            None => gone.push(line.to_owned()),
        }
    }
    gone.sort();
    come.sort();
    (gone, come)
}

fn is_approved_by_another(person: &Person, hunk: HunkId) -> bool {
    let mut logs = person.known.logs.iter();
    logs.any(|((by, offer), log)| {
        let verdicts = log.verdicts(offer, &signer(*by));
        verdicts
            .iter()
            .any(|(own, verdict)| *own == hunk && verdict.ruling == OtherRuling::Approve)
    })
}

/// Has a person write down the verdicts that they gave.
fn answer(person: &mut Person, at: usize) {
    for given in person.engine.given_verdicts().unwrap() {
        let mut log = VerdictLog::default();
        log.add(VerdictLine::of(&given));
        let own = person.known.logs.entry((at, given.offer.clone()));
        own.or_default().merge(&log);
    }
}

/// Brings what one knows to another: all of it, or a part.
fn deliver(people: &mut [Person], from: usize, to: usize, mut is_meant: impl FnMut() -> bool) {
    let known = people[from].known.clone();
    let own = &mut people[to].known;
    own.offers
        .extend(known.offers.into_iter().filter(|_| is_meant()));
    for (key, log) in known.logs.into_iter().filter(|_| is_meant()) {
        // As a note has it.
        let note = format!("tree 0\n\n{}", log.text().unwrap());
        let log = VerdictLog::read(&note).unwrap();
        own.logs.entry(key).or_default().merge(&log);
    }
}

fn arrived(person: &Person, at: usize) -> Vec<(HunkId, OtherVerdict)> {
    let own = person.known.logs.iter().filter(|((by, offer), _)| {
        *by != at
            && person
                .known
                .offers
                .get(offer)
                .is_some_and(|offer| offer.by == at)
    });
    own.flat_map(|((by, offer), log)| log.verdicts(offer, &signer(*by)))
        .collect()
}

fn take_in(person: &mut Person, at: usize) {
    let arrived = arrived(person, at);
    let arrived = person.engine.take_verdicts(arrived).unwrap();
    person.done.arrived += arrived.iter().filter(|own| own.is_new).count();
}

/// Returns what everyone can know of an offer: who said what of which hunk.
fn state(known: &Known) -> BTreeSet<(String, usize, String)> {
    let said = known.logs.iter().flat_map(|((by, offer), log)| {
        let verdicts = log.verdicts(offer, &signer(*by)).into_iter();
        verdicts.map(|said| (offer.clone(), *by, format!("{said:?}")))
    });
    said.collect()
}

fn run(seed: u64) -> Done {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut people: Vec<Person> = (0..NAMES.len()).map(Person::new).collect();
    for step in 0..STEPS {
        let at = chance.below(people.len());
        let before: Vec<Vec<String>> = people.iter().map(Person::disk).collect();
        let word = format!("word {seed} {step}");
        let (from, to) = ((at + 1 + chance.below(2)) % people.len(), at);
        let (all, part) = (chance.below(2) == 0, chance.below(2) == 0);
        let action = ACTIONS[chance.below(ACTIONS.len())];
        match action {
            Action::Propose => propose(&mut people[at], &mut chance, &word),
            Action::Save => save(&mut people[at], &mut chance, &word),
            Action::Offer => offer(&mut people[at], at),
            Action::Deliver => deliver(&mut people, from, to, || all || chance.below(2) == 0),
            Action::Take => {
                deliver(&mut people, from, to, || true);
                take(&mut people[at], at, &mut chance);
            }
            Action::Decide => decide(&mut people[at], &mut chance),
            Action::Answer => answer(&mut people[at], at),
            Action::TakeIn => {
                if part {
                    answer(&mut people[from], from);
                    deliver(&mut people, from, to, || true);
                }
                take_in(&mut people[at], at);
            }
        }
        // Only a verdict writes, and only to the files of whoever gave it.
        for (own, (person, before)) in people.iter().zip(before).enumerate() {
            assert!(
                own == at && matches!(action, Action::Save | Action::Decide)
                    || person.disk() == before
            );
        }
    }
    converge(&mut people);
    // What arrived is decided on, and that converges too.
    for person in &mut people {
        (0..4).for_each(|_| decide(person, &mut chance));
    }
    converge(&mut people);
    let mut done = Done::default();
    people.iter().for_each(|own| done.add(own.done));
    done
}

fn converge(people: &mut [Person]) {
    for (at, person) in people.iter_mut().enumerate() {
        answer(person, at);
    }
    for _ in 0..2 {
        for from in 0..people.len() {
            for to in (0..people.len()).rev() {
                deliver(people, from, to, || true);
            }
        }
    }
    let states: Vec<BTreeSet<(String, usize, String)>> =
        people.iter().map(|own| state(&own.known)).collect();
    assert!(states.windows(2).all(|two| two[0] == two[1]));
    let offers: Vec<Vec<&String>> = people
        .iter()
        .map(|own| own.known.offers.keys().collect())
        .collect();
    assert!(offers.windows(2).all(|two| two[0] == two[1]));
    for (at, person) in people.iter_mut().enumerate() {
        // Every verdict that was given is known to all.
        for given in person.engine.given_verdicts().unwrap() {
            let log = &person.known.logs[&(at, given.offer.clone())];
            let said = log.verdicts(&given.offer, &signer(at));
            assert!(
                said.iter()
                    .any(|(hunk, own)| *hunk == given.hunk && own.hash == given.hash)
            );
        }
        take_in(person, at);
        let listed = person.engine.review().unwrap();
        // And is on its hunk, if that waits.
        for (hunk, verdict) in arrived(person, at) {
            let mut views = listed.iter().flat_map(|view| &view.hunks);
            let own = views.find(|own| own.id == hunk && own.status.is_open());
            assert!(own.is_none_or(|own| own.verdicts.iter().any(|one| one.verdict == verdict)));
        }
        // In whatever order they come, and twice.
        let mut backwards = arrived(person, at);
        backwards.reverse();
        let news = person.engine.take_verdicts(backwards).unwrap();
        assert!(news.iter().all(|own| !own.is_new));
        assert_eq!(listed, person.engine.review().unwrap());
    }
}

#[test]
fn schedules_of_three_people_and_two_agents_converge() {
    let schedules = std::env::var("OFFER_SCHEDULES");
    let schedules = schedules.map_or(SCHEDULES, |number| number.parse().unwrap());
    let mut done = Done::default();
    (1..=schedules).for_each(|seed| done.add(run(seed)));
    let each = [
        done.taken,
        done.conflicts,
        done.written,
        done.written_with_two,
        done.refused,
        done.changed,
        done.arrived,
    ];
    assert!(each.iter().all(|count| *count > 0), "{done:?}");
}

#[test]
fn what_is_no_offer_is_refused_by_name() {
    let text = |json: &str| format!("tree 0\n\nsubject\n\nSignoff-Offer: {json}\n");
    let change = |edits: &str| {
        format!(
            r#"{{"offer":1,"on":null,"changes":[{{"step":0,"path":"a","proposal":"01a22d3b-817c-7385-80d3-18c61d5fe098",
            "description":"d","by":{{"kind":"user"}},"edits":{edits}}}]}}"#
        )
        .replace('\n', "")
    };
    for (object, why) in [
        ("".to_owned(), "no commit"),
        ("tree 0\n\nhello\n".to_owned(), "that of no offer"),
        (text("{}"), "damaged"),
        (text(r#"{"offer":2,"on":null,"changes":[]}"#), "version 2"),
    ] {
        let read = OfferText::read(&object).unwrap_err();
        assert!(read.contains(why), "{read}");
    }
    let side = |text: &str| OfferedText {
        text: Source::new(text),
        mode: None,
    };
    let texts = [("a", "1\n2\n"), ("a", "1\ntwo\n")];
    let texts = texts.map(|(path, text)| BTreeMap::from([(path.to_owned(), side(text))]));
    for (edits, fits) in [
        ("[[1,2,2,4]]", true),
        ("[[0,2,2,4]]", false),
        ("[[1,2,9,4]]", false),
        ("[[1,2,2,40]]", false),
        ("[[1,2,2,4],[1,0,1,1]]", false),
        ("[[1,18446744073709551615,2,4]]", false),
        ("[[1,0,1,1]]", false),
    ] {
        let read = OfferText::read(&text(&change(edits))).unwrap();
        let made = read.changes(&texts, |path| Some(path.to_owned()));
        assert_eq!(made.is_ok(), fits, "{edits}");
        let none = read.changes(&texts, |_| None).unwrap();
        assert!(none.is_empty());
        assert!(
            read.changes(&texts[..1], |path| Some(path.to_owned()))
                .is_err()
        );
    }
}
