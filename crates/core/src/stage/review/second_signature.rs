//! Second signatures: verdicts of other people on hunks that wait here, and hunks that came with the offer of another.
//!
//! ```text
//! Ann                                   Bob
//! hunk 1 waits      -- offer 4f1c... -> taken: hunk 1, proposed by Ann
//! approved by Bob   <- verdict, 9b02 -- approves it; what he was shown hashes to 9b02
//! hunk 1 is 9b02 here too: the verdict counts, and Ann decides
//! ```
//!
//! In: verdicts as they arrived. Out: what a review list says of them, and whether they count. A verdict writes nothing by
//! itself.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::{HunkId, Timestamp};

/// A person, as git's identity has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signer {
    /// The name; untrusted.
    pub name: String,
    /// The address; untrusted.
    pub email: String,
    /// What vouches for both.
    #[serde(default)]
    pub key: SignerKey,
}

/// What git says of the signature of a text that a person sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignerKey {
    /// There is none.
    #[default]
    Missing,
    /// The user's git cannot judge it, or does not trust its key.
    Unknown,
    /// It is good, and the user's git trusts the key as this person's.
    Trusted,
}

/// Stands for what a hunk changes, on any machine: its file, its old and its new bytes; not the place and not the lines around.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChangeHash(pub String);

/// What another person decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum OtherRuling {
    /// To write it.
    Approve,
    /// To write another text in its place.
    Edit,
    /// To have no say any more: what was approved was undone.
    Withdraw,
    /// To drop it.
    Deny {
        /// Their words; untrusted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

/// The verdict of another person on a hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherVerdict {
    /// The offer that it answers.
    pub offer: String,
    /// Who gave it.
    pub by: Signer,
    /// What was decided.
    #[serde(flatten)]
    pub ruling: OtherRuling,
    /// What they were shown.
    pub hash: ChangeHash,
    /// When, by their clock.
    pub time: Timestamp,
}

/// How a hunk stands to offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HunkOffer {
    /// It was offered to other people.
    Made {
        /// The offers that it is in, since its lines or those around them last changed under it.
        offers: Vec<String>,
        /// Those that it was in before that: their verdicts are displayed, and do not count.
        #[serde(default)]
        left: Vec<String>,
        /// What came back, oldest first.
        #[serde(default)]
        verdicts: Vec<OtherVerdict>,
    },
    /// It came with the offer of another person.
    Taken {
        /// The offer.
        offer: String,
        /// What it is called there.
        hunk: HunkId,
        /// Who made the offer.
        by: Signer,
        /// What the user was shown of it when they decided, and when that was.
        #[serde(default)]
        given: Option<(ChangeHash, Timestamp)>,
    },
}

/// A verdict that arrived, as a review list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivedVerdict {
    /// The verdict.
    #[serde(flatten)]
    pub verdict: OtherVerdict,
    /// Whether it is about the hunk as it waits here now, and has the key that its file wants.
    pub counts: bool,
    /// Whether it does not count for want of a key alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lacks_key: bool,
}

impl ArrivedVerdict {
    /// Has an approval not count that is without a key that the user's git trusts.
    pub fn want_key(&mut self) {
        let approves = self.verdict.ruling == OtherRuling::Approve;
        if self.counts && approves && self.verdict.by.key != SignerKey::Trusted {
            self.counts = false;
            self.lacks_key = true;
        }
    }

    /// Returns whether a later one that counts is by the same person; without a key, nobody speaks for who has one.
    fn is_superseded_by(&self, later: &Self) -> bool {
        let [own, other] = [self, later].map(|one| &one.verdict.by);
        later.counts
            && own.email == other.email
            && (own.key != SignerKey::Trusted || other.key == SignerKey::Trusted)
    }
}

/// Returns the denial that stands, if one does: the last word of a person is theirs.
pub fn standing_denial(arrived: &[ArrivedVerdict]) -> Option<&ArrivedVerdict> {
    let mut rest = arrived;
    while let [own, later @ ..] = rest {
        let denies = matches!(own.verdict.ruling, OtherRuling::Deny { .. });
        if own.counts && denies && !later.iter().any(|one| own.is_superseded_by(one)) {
            return Some(own);
        }
        rest = later;
    }
    None
}

impl HunkOffer {
    /// Returns the verdicts that arrived, judged by what the hunk changes now.
    pub fn arrived(&self, now: Option<&ChangeHash>) -> Vec<ArrivedVerdict> {
        let Self::Made {
            offers, verdicts, ..
        } = self
        else {
            return Vec::new();
        };
        let judged = verdicts.iter().map(|verdict| ArrivedVerdict {
            counts: offers.contains(&verdict.offer) && now == Some(&verdict.hash),
            lacks_key: false,
            verdict: verdict.clone(),
        });
        judged.collect()
    }

    /// Returns whether it came with one of these offers, of which the names are cut, and from this person: without a key, nobody
    /// replaces what has one.
    pub fn is_replaced(&self, offers: &[String], person: &Signer) -> bool {
        let Self::Taken { offer, by, .. } = self else {
            return false;
        };
        let mut offers = offers.iter();
        by.email.eq_ignore_ascii_case(&person.email)
            && (by.key != SignerKey::Trusted || person.key == SignerKey::Trusted)
            && offers.any(|own| !own.is_empty() && offer.starts_with(own))
    }

    /// Returns whether another person approved what the hunk changes now, with a key that is trusted where `wants_key`.
    pub fn is_approved_by_another(&self, now: Option<&ChangeHash>, wants_key: bool) -> bool {
        let is_enough = |by: &Signer| !wants_key || by.key == SignerKey::Trusted;
        if let Self::Taken { by, .. } = self {
            return is_enough(by);
        }
        let arrived = self.arrived(now);
        arrived.iter().enumerate().any(|(at, own)| {
            // The last word of a person is theirs.
            let later = arrived.iter().skip(at + 1);
            let is_last = !later
                .filter(|later| later.counts)
                .any(|later| later.verdict.by.email == own.verdict.by.email);
            let approves = own.verdict.ruling == OtherRuling::Approve;
            own.counts && approves && is_last && is_enough(&own.verdict.by)
        })
    }

    /// Takes a verdict in; returns whether it is new.
    pub fn take_in(&mut self, verdict: OtherVerdict) -> bool {
        let Self::Made { verdicts, .. } = self else {
            return false;
        };
        let same = |own: &OtherVerdict| {
            own.offer == verdict.offer
                && own.by.email == verdict.by.email
                && own.ruling == verdict.ruling
                && own.hash == verdict.hash
                && own.time == verdict.time
        };
        if let Some(known) = verdicts.iter_mut().find(|own| same(own)) {
            // A key may be trusted by now, or not any more.
            let is_new = known.by != verdict.by;
            known.by = verdict.by;
            return is_new;
        }
        verdicts.push(verdict);
        // In one order, whichever came first.
        verdicts.sort_by(|one, other| order(one).cmp(&order(other)));
        true
    }
}

fn order(verdict: &OtherVerdict) -> (Timestamp, &str, &str, &str, String) {
    let ruling = format!("{:?}", verdict.ruling);
    (
        verdict.time,
        &verdict.by.email,
        &verdict.offer,
        &verdict.hash.0,
        ruling,
    )
}

impl fmt::Display for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <{}>", self.name, self.email)
    }
}

impl fmt::Display for ArrivedVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = &self.verdict.by;
        let (word, reason) = match &self.verdict.ruling {
            OtherRuling::Approve => ("approved", None),
            OtherRuling::Edit => ("approved with another text", None),
            OtherRuling::Withdraw => ("approval withdrawn", None),
            OtherRuling::Deny { reason } => ("denied", reason.as_ref()),
        };
        write!(f, "{word} by {by}")?;
        match by.key {
            SignerKey::Missing => f.write_str(", without a key")?,
            SignerKey::Unknown => f.write_str(", with a key that your git cannot judge")?,
            SignerKey::Trusted => {}
        }
        if self.lacks_key {
            f.write_str("; a key that your git trusts is wanted, and it does not count")?;
        } else if !self.counts {
            f.write_str("; it was for other bytes or another place, and does not count")?;
        }
        // Last, so that its own full stop ends it.
        reason.map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::id::ProposalId;

    fn signer(name: &str, key: SignerKey) -> Signer {
        Signer {
            name: name.to_owned(),
            email: format!("{name}@x"),
            key,
        }
    }

    fn verdict(by: &str, ruling: OtherRuling, hash: &str, time: i64) -> OtherVerdict {
        OtherVerdict {
            offer: "o".to_owned(),
            by: signer(by, SignerKey::Missing),
            ruling,
            hash: ChangeHash(hash.to_owned()),
            time: Timestamp(time),
        }
    }

    fn withdraw(by: &str, time: i64) -> OtherVerdict {
        verdict(by, OtherRuling::Withdraw, "h", time)
    }

    fn made(offers: &[&str], verdicts: &[OtherVerdict]) -> HunkOffer {
        let mut made = HunkOffer::Made {
            offers: offers.iter().map(|offer| (*offer).to_owned()).collect(),
            left: Vec::new(),
            verdicts: Vec::new(),
        };
        for verdict in verdicts {
            assert!(made.take_in(verdict.clone()));
            assert!(!made.take_in(verdict.clone()));
        }
        made
    }

    #[test]
    fn a_verdict_counts_for_the_bytes_that_it_was_given_on() {
        let approve = |by, time| verdict(by, OtherRuling::Approve, "h", time);
        let deny = |by, time| verdict(by, OtherRuling::Deny { reason: None }, "h", time);
        let now = ChangeHash("h".to_owned());
        for (offers, verdicts, counts) in [
            (&["o"][..], vec![], false),
            (&["o"], vec![approve("bob", 1)], true),
            (&["p", "o"], vec![approve("bob", 1)], true),
            (&["p"], vec![approve("bob", 1)], false),
            (&[], vec![approve("bob", 1)], false),
            (
                &["o"],
                vec![verdict("bob", OtherRuling::Approve, "i", 1)],
                false,
            ),
            (
                &["o"],
                vec![verdict("bob", OtherRuling::Edit, "h", 1)],
                false,
            ),
            (&["o"], vec![deny("bob", 1)], false),
            (&["o"], vec![approve("bob", 1), deny("bob", 2)], false),
            (&["o"], vec![deny("bob", 1), approve("bob", 2)], true),
            (&["o"], vec![approve("bob", 1), deny("cy", 2)], true),
            (&["o"], vec![approve("bob", 1), withdraw("bob", 2)], false),
            (
                &["o"],
                vec![approve("bob", 1), withdraw("bob", 2), approve("bob", 3)],
                true,
            ),
            (&["o"], vec![approve("bob", 1), withdraw("cy", 2)], true),
        ] {
            let one = made(offers, &verdicts);
            let backwards: Vec<OtherVerdict> = verdicts.iter().rev().cloned().collect();
            assert_eq!(one, made(offers, &backwards));
            assert_eq!(
                one.is_approved_by_another(Some(&now), false),
                counts,
                "{one:?}"
            );
            assert!(!one.is_approved_by_another(Some(&now), true));
            assert!(!one.is_approved_by_another(None, false));
        }
    }

    #[test]
    fn a_denial_stands_until_the_same_person_says_otherwise() {
        let said = |words: &[(&str, OtherRuling, SignerKey)]| {
            let mut verdicts = Vec::new();
            for (time, (by, ruling, key)) in (1..).zip(words) {
                let mut own = verdict(by, ruling.clone(), "h", time);
                own.by.key = *key;
                verdicts.push(own);
            }
            let arrived = made(&["o"], &verdicts).arrived(Some(&ChangeHash("h".to_owned())));
            standing_denial(&arrived).is_some()
        };
        let deny = || OtherRuling::Deny { reason: None };
        let (with, without) = (SignerKey::Trusted, SignerKey::Missing);
        for (words, stands) in [
            (vec![], false),
            (vec![("bob", deny(), without)], true),
            (
                vec![
                    ("bob", deny(), without),
                    ("bob", OtherRuling::Approve, without),
                ],
                false,
            ),
            (
                vec![
                    ("bob", deny(), with),
                    ("bob", OtherRuling::Approve, without),
                ],
                true,
            ),
            (
                vec![
                    ("bob", deny(), without),
                    ("cy", OtherRuling::Approve, without),
                ],
                true,
            ),
        ] {
            assert_eq!(said(&words), stands, "{words:?}");
        }
    }

    #[test]
    fn an_approval_without_the_key_that_is_wanted_is_shown_as_one_that_does_not_count() {
        let now = ChangeHash("h".to_owned());
        for (ruling, key, counts) in [
            (OtherRuling::Approve, SignerKey::Missing, false),
            (OtherRuling::Approve, SignerKey::Unknown, false),
            (OtherRuling::Approve, SignerKey::Trusted, true),
            (OtherRuling::Deny { reason: None }, SignerKey::Missing, true),
        ] {
            let mut own = verdict("bob", ruling, "h", 1);
            own.by.key = key;
            let mut arrived = made(&["o"], &[own]).arrived(Some(&now)).remove(0);
            arrived.want_key();
            assert_eq!(arrived.counts, counts, "{arrived:?}");
            assert_eq!(arrived.to_string().contains("does not count"), !counts);
        }
    }

    #[test]
    fn what_another_offered_has_a_second_signature_by_its_key() {
        let hunk = HunkId {
            proposal: ProposalId(Uuid::nil()),
            number: 1,
        };
        for (key, with_key) in [(SignerKey::Unknown, false), (SignerKey::Trusted, true)] {
            let taken = HunkOffer::Taken {
                offer: "o".to_owned(),
                hunk,
                by: signer("ann", key),
                given: None,
            };
            assert!(taken.is_approved_by_another(None, false));
            assert_eq!(taken.is_approved_by_another(None, true), with_key);
        }
    }
}
