//! The text of an offer: the message of its last commit.
//!
//! ```text
//! add a cache
//!
//! src/a.rs: keep parsed headers
//!   1 hunk, proposed by m
//!
//! Change-Id: I5c1f0a...
//! Signoff-Offer: {"offer":1,"on":"a3cc...","changes":[{"step":0,"path":"src/a.rs","proposal":"...","edits":[[1,120,9,14]],...}]}
//! ```
//!
//! People read the first lines, `take` the last one: of each splice its hunk, where it begins in the text before, and how many
//! bytes go and come. The bytes themselves are in the trees. In: changes of the engine, or a commit of which nothing is trusted.
//! Out: the message, or the changes.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use signoff_core::engine::{Offered, OfferedChange, OfferedText};
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_core::stage::proposal::DESCRIPTION_CHARS;
use signoff_core::stage::review::{CheckRun, Proposer, checks_in_words};
use signoff_core::text::{EditSet, Source, Splice};
use signoff_sandbox::git_view::OFFER_TRAILER;
use signoff_sandbox::git_write::text_of;

use super::change_id::ChangeId;

/// The version of the format.
const VERSION: u32 = 1;
/// Maximum number of changes that are taken: files of a large refactoring.
const MAX_CHANGES: usize = 5_000;
/// Maximum number of offers that one replaces.
const MAX_REPLACED: usize = 20;
/// Maximum number of checks that are taken from an offer, as all of them stand beside each change.
const MAX_CHECKS: usize = 8;
/// Characters of a request that go with it.
const REQUEST_CHARS: usize = 300;
/// Characters of the first line, as git's own tools have room for.
const SUBJECT_CHARS: usize = 72;

/// What programs read of an offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OfferText {
    offer: u32,
    /// The commit that it was made on.
    on: Option<String>,
    /// Earlier offers of the same proposals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    replaces: Vec<String>,
    /// What checks and tests had said of the files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    checks: Vec<CheckRun>,
    changes: Vec<ChangeText>,
}

/// A change of one file. Paths are from the top of the work tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ChangeText {
    step: usize,
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<u32>,
    proposal: ProposalId,
    description: String,
    by: Proposer,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    request: String,
    /// Hunk, first byte, bytes that go, bytes that come.
    edits: Vec<(u32, usize, usize, usize)>,
}

impl OfferText {
    /// Makes it of changes.
    pub(super) fn of(
        offered: &Offered,
        on: Option<&str>,
        below_top: impl Fn(&str) -> Result<String, String>,
    ) -> Result<Self, String> {
        let mut sorted: Vec<&OfferedChange> = offered.changes.iter().collect();
        // Those that build on each other in their order.
        sorted.sort_by_key(|own| own.step);
        let changes = sorted.into_iter().map(|own| {
            let splices = own.edits.splices().iter().zip(&own.numbers);
            Ok(ChangeText {
                step: own.step,
                path: below_top(&own.path)?,
                to: own.to.as_deref().map(&below_top).transpose()?,
                mode: own.mode,
                proposal: own.proposal,
                description: quote::one_line(&own.description, DESCRIPTION_CHARS),
                by: own.proposer.clone(),
                request: quote::one_line(&own.request, REQUEST_CHARS),
                edits: splices
                    .map(|(one, hunk)| (*hunk, one.at, one.old.len(), one.new.len()))
                    .collect(),
            })
        });
        Ok(Self {
            offer: VERSION,
            on: on.map(str::to_owned),
            replaces: Vec::new(),
            checks: checks_of(&offered.checks),
            changes: changes.collect::<Result<_, String>>()?,
        })
    }

    /// Returns whether another offers the same, whatever either replaces.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let mut other = other.clone();
        other.replaces.clone_from(&self.replaces);
        *self == other
    }

    /// Notes that it replaces an offer, if that is of some of the same proposals.
    pub(super) fn replace(&mut self, id: &str, other: &Self) {
        if self.shares(other) && self.replaces.len() < MAX_REPLACED {
            self.replaces.push(id.to_owned());
        }
    }

    /// Returns whether another is of some of the same proposals.
    pub(super) fn shares(&self, other: &Self) -> bool {
        let mut own = self.proposals();
        own.any(|own| other.proposals().any(|old| old == own))
    }

    /// Returns the proposals that it has hunks of.
    pub(super) fn proposals(&self) -> impl Iterator<Item = ProposalId> {
        self.changes.iter().map(|own| own.proposal)
    }

    /// Returns the ids of the offers that it replaces.
    pub(super) fn replaces(&self) -> impl Iterator<Item = &str> {
        let ids = self.replaces.iter().take(MAX_REPLACED);
        let is_id = |id: &&String| id.bytes().all(|byte| byte.is_ascii_hexdigit());
        ids.filter(is_id).map(String::as_str)
    }

    /// Returns its hunks as they are called where they were made.
    pub(super) fn hunk_ids(&self) -> impl Iterator<Item = HunkId> {
        self.changes.iter().flat_map(|own| {
            let numbers = own.edits.iter().map(|(number, ..)| *number);
            let proposal = own.proposal;
            numbers.map(move |number| HunkId { proposal, number })
        })
    }

    /// Returns the message of the commit.
    pub(super) fn message(&self, change_id: &ChangeId) -> Result<String, String> {
        let requests: Vec<&str> = self.texts(|own| &own.request);
        let descriptions: Vec<&str> = self.texts(|own| &own.description);
        let subject = match (requests.as_slice(), descriptions.as_slice()) {
            ([request, ..], _) => quote::one_line(request, SUBJECT_CHARS),
            ([], [only]) => quote::one_line(only, SUBJECT_CHARS),
            ([], _) => format!("{} to decide on", counted(self.hunks(), "hunk")),
        };
        let mut text = format!("{subject}\n\n");
        for change in &self.changes {
            text.push_str(&quote::one_line(&change.path, usize::MAX));
            if let Some(to) = &change.to {
                text.push_str(&format!(" to {}", quote::one_line(to, usize::MAX)));
            }
            text.push_str(&format!(": {}\n", change.description));
            let hunks = counted(change.hunks(), "hunk");
            let by = match change.by.name_for_others() {
                Some(by) => format!(", proposed by {}", quote::one_line(&by, SUBJECT_CHARS)),
                None => String::new(),
            };
            text.push_str(&format!("  {hunks}{by}\n"));
        }
        if !self.checks.is_empty() {
            text.push_str(&format!("\n{}\n", checks_in_words(&self.checks)));
        }
        let json = serde_json::to_string(self).map_err(|error| error.to_string())?;
        Ok(format!("{text}\n{change_id}\n{OFFER_TRAILER}{json}\n"))
    }

    /// Returns what changes say, each once.
    fn texts(&self, of: impl Fn(&ChangeText) -> &String) -> Vec<&str> {
        let mut texts: Vec<&str> = Vec::new();
        for change in &self.changes {
            let text = of(change).as_str();
            if !text.is_empty() && !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }

    /// Reads the object of a commit.
    pub(super) fn read(object: &str) -> Result<Self, String> {
        let message = text_of(object).ok_or("it is no commit")?;
        let mut lines = message.lines().rev();
        let json = lines.find_map(|line| line.strip_prefix(OFFER_TRAILER));
        let json = json.ok_or("its message is that of no offer")?;
        let read: Self = serde_json::from_str(json)
            .map_err(|error| format!("its message is damaged: {error}"))?;
        if read.offer != VERSION {
            return Err(format!(
                "it is of version {}, which is not known here",
                read.offer
            ));
        }
        if read.changes.len() > MAX_CHANGES {
            return Err(format!("it has {} changes", read.changes.len()));
        }
        Ok(read)
    }

    /// Returns what checks and tests had said where it was made.
    pub(super) fn checks(&self) -> Vec<CheckRun> {
        checks_of(&self.checks)
    }

    /// Returns how many commits have its changes.
    pub(super) fn steps(&self) -> usize {
        let steps = self.changes.iter().map(|own| own.step.saturating_add(1));
        steps.max().unwrap_or(0)
    }

    /// Returns its files.
    pub(super) fn paths(&self) -> BTreeSet<&str> {
        let paths = self.changes.iter();
        paths
            .flat_map(|own| [Some(own.path.as_str()), own.to.as_deref()])
            .flatten()
            .collect()
    }

    /// Returns how many hunks it has.
    pub(super) fn hunks(&self) -> usize {
        self.changes.iter().map(ChangeText::hunks).sum()
    }

    /// Returns its changes with their texts: `texts` has the files of each commit, the one before the first step first.
    pub(super) fn changes(
        &self,
        texts: &[BTreeMap<String, OfferedText>],
        below_root: impl Fn(&str) -> Option<String>,
    ) -> Result<Vec<OfferedChange>, String> {
        let mut changes = Vec::new();
        for own in &self.changes {
            let Some(path) = below_root(&own.path) else {
                continue;
            };
            let to = match own.to.as_deref().map(&below_root) {
                None => None,
                Some(Some(to)) => Some(to),
                Some(None) => continue,
            };
            let sides = own.step.checked_add(1).and_then(|next| {
                let before = texts.get(own.step)?.get(&path);
                let after = texts.get(next)?.get(to.as_ref().unwrap_or(&path));
                Some((before.cloned(), after.cloned()))
            });
            let (before, after) = sides.ok_or("it has fewer commits than it says")?;
            let damaged = || format!("its hunks of {:?} do not fit its texts", own.path);
            let edits = own.edit_set(before.as_ref(), after.as_ref());
            changes.push(OfferedChange {
                step: own.step,
                path,
                to,
                before,
                after,
                mode: own.mode.map(plain_mode),
                edits: edits.ok_or_else(damaged)?,
                numbers: own.edits.iter().map(|(hunk, ..)| *hunk).collect(),
                proposal: own.proposal,
                description: quote::one_line(&own.description, DESCRIPTION_CHARS),
                proposer: own.by.clone(),
                request: quote::one_line(&own.request, REQUEST_CHARS),
            });
        }
        Ok(changes)
    }
}

/// Returns the checks that go with an offer.
fn checks_of(checks: &[CheckRun]) -> Vec<CheckRun> {
    let checks = checks.iter().take(MAX_CHECKS);
    checks.map(|own| own.bounded(SUBJECT_CHARS)).collect()
}

/// Returns the permission bits that a change of another person may ask for: no more than that everyone may read and run it.
fn plain_mode(mode: u32) -> u32 {
    mode & 0o755
}

impl ChangeText {
    /// Returns how many hunks it has.
    fn hunks(&self) -> usize {
        let numbers: BTreeSet<u32> = self.edits.iter().map(|(hunk, ..)| *hunk).collect();
        numbers.len().max(1)
    }

    /// Makes the splices of both texts; none if they do not fit them, or are not in order.
    fn edit_set(
        &self,
        before: Option<&OfferedText>,
        after: Option<&OfferedText>,
    ) -> Option<EditSet> {
        let [before, after] =
            [before, after].map(|side| side.map_or(&[][..], |side| Source::bytes(&side.text)));
        let mut splices = Vec::new();
        let (mut from, mut into) = (0_usize, 0_usize);
        for (hunk, at, old, new) in &self.edits {
            if *hunk == 0 {
                return None;
            }
            let kept = at.checked_sub(from)?;
            into = into.checked_add(kept)?;
            let end = at.checked_add(*old)?;
            let made = into.checked_add(*new)?;
            splices.push(Splice {
                at: *at,
                old: before.get(*at..end)?.to_vec(),
                new: after.get(into..made)?.to_vec(),
            });
            (from, into) = (end, made);
        }
        let count = splices.len();
        let edits = EditSet::new(splices).ok()?;
        (edits.splices().len() == count).then_some(edits)
    }
}
