//! Change-Ids: by them Gerrit knows that a commit is a new patch set of a change, whatever its message and its parents are.
//!
//! ```text
//! offer                  proposals   Change-Id
//! 4f1c2ab                p, q        of p and q
//! 88ab104, replaces it   q, r        the same: q is still offered
//! 91d0c3e                s           of s
//! ```
//!
//! In: the proposals of an offer, and the user's earlier offers. Out: a line of the message.

use std::collections::BTreeSet;
use std::fmt;

use super::FoundOffer;
use super::text::OfferText;

/// The name of the line, as Gerrit reads it.
const TRAILER: &str = "Change-Id: I";
/// Hexadecimal digits, those of SHA-1.
const DIGITS: usize = 40;

/// The hexadecimal digits of a Change-Id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeId(String);

impl ChangeId {
    fn hashed(hasher: &blake3::Hasher) -> Self {
        let hash = hasher.finalize().to_hex();
        Self(hash.chars().take(DIGITS).collect())
    }

    /// Returns that of another commit of the same offer.
    pub(super) fn of_part(&self, part: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.0.as_bytes()).update(part.as_bytes());
        Self::hashed(&hasher)
    }

    /// Reads that of a message.
    pub(super) fn read(message: &str) -> Option<Self> {
        let mut lines = message.lines().rev();
        let id = lines.find_map(|line| line.strip_prefix(TRAILER))?;
        let is_one = id.len() == DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_one.then(|| Self(id.to_owned()))
    }

    /// Returns its digits.
    pub fn digits(&self) -> &str {
        &self.0
    }
}

/// The line of a message.
impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{TRAILER}{}", self.0)
    }
}

/// Returns the Change-Id of an offer: that of an earlier one of the same proposals, unless that is of others by now, as where an
/// offer became two.
pub(super) fn of_offer(text: &OfferText, known: &[FoundOffer]) -> ChangeId {
    let mut earlier = known.iter().filter(|own| own.text.shares(text));
    let kept = earlier.find_map(|own| {
        let id = own.change_id.as_ref()?;
        let mut others = known.iter().filter(|own| !own.text.shares(text));
        let is_taken = others.any(|other| other.change_id.as_ref() == Some(id));
        (!is_taken).then(|| id.clone())
    });
    kept.unwrap_or_else(|| {
        let proposals: BTreeSet<String> = text.proposals().map(|own| own.to_string()).collect();
        let mut hasher = blake3::Hasher::new();
        for proposal in proposals {
            hasher.update(proposal.as_bytes());
        }
        ChangeId::hashed(&hasher)
    })
}
