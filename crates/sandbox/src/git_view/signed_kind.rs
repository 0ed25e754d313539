//! Signed texts: what the user's key signs for signoff that is no commit of a branch.
//!
//! ```text
//! tree 4b825dc...
//! committer Ann <ann@example.org>
//! encoding signoff-receipt                 no commit has this header
//! gpgsig -----BEGIN SSH SIGNATURE-----
//!
//! signoff receipt
//! ```
//!
//! Such a text is signed as the message of a commit object. Its encoding separates it from commits: the user signs commits
//! whose messages others wrote, and git copies this header neither in `commit --amend` nor in a rebase. In: the object of a
//! note, or the message of a commit that a program made. Out: what kind of text it is, or which it only looks like.

/// What the last line of an offer begins with. An offer is a commit, and has no header of its own.
pub const OFFER_TRAILER: &str = "Signoff-Offer: ";

/// A kind of text that is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedKind {
    /// What of a commit was signed off.
    Receipt,
    /// What one person decided of an offer.
    Verdicts,
}

impl SignedKind {
    const ALL: [Self; 2] = [Self::Receipt, Self::Verdicts];

    /// Returns the first line of the text.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Receipt => "signoff receipt",
            Self::Verdicts => "signoff verdicts",
        }
    }

    /// Returns the encoding that the object of such a text names.
    pub(crate) fn encoding(self) -> &'static str {
        match self {
            Self::Receipt => "signoff-receipt",
            Self::Verdicts => "signoff-verdicts",
        }
    }

    /// Returns of which kind an object is; none of a commit.
    pub fn of(object: &str) -> Option<Self> {
        // Lines of a signature, which it does not cover, begin with a blank.
        let header = object.split('\n').take_while(|line| !line.is_empty());
        let mut encodings = header.filter_map(|line| line.strip_prefix("encoding "));
        let encoding = encodings.next().filter(|_| encodings.next().is_none())?;
        Self::ALL
            .into_iter()
            .find(|kind| kind.encoding() == encoding)
    }
}

/// Returns what the message of a commit looks like to whoever reads signed texts and offers, if it does.
pub(super) fn looks_like(message: &str) -> Option<&'static str> {
    let text = message.trim_start();
    match () {
        () if text.starts_with(SignedKind::Receipt.heading()) => Some("a receipt"),
        () if text.starts_with(SignedKind::Verdicts.heading()) => Some("verdicts"),
        () if text.lines().any(|line| line.starts_with(OFFER_TRAILER)) => Some("an offer"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_of_the_kind_that_its_covered_header_names() {
        for kind in SignedKind::ALL {
            let (encoding, heading) = (kind.encoding(), kind.heading());
            let header = format!("tree 0\ncommitter A <a@b> 1 +0000\nencoding {encoding}");
            assert_eq!(
                SignedKind::of(&format!("{header}\n\n{heading}\n")),
                Some(kind)
            );
            for other in [
                format!("tree 0\n\nencoding {encoding}\n\n{heading}\n"),
                format!("tree 0\ngpgsig x\n encoding {encoding}\n\n{heading}\n"),
                format!("{header}\nencoding {encoding}\n\n{heading}\n"),
                format!("tree 0\nencoding {encoding}x\n\n{heading}\n"),
                format!("tree 0\nencoding {encoding}\r\n\n{heading}\n"),
                format!("tree 0\n\n{heading}\n"),
            ] {
                assert_eq!(SignedKind::of(&other), None, "{other:?}");
            }
        }
    }

    #[test]
    fn a_message_that_reads_like_a_signed_text_is_told() {
        assert_eq!(looks_like("\n signoff receipt\n\n{}"), Some("a receipt"));
        assert_eq!(looks_like("signoff verdicts\n"), Some("verdicts"));
        assert_eq!(looks_like("a\n\nSignoff-Offer: {}\n"), Some("an offer"));
        assert_eq!(looks_like("add the signoff receipt"), None);
    }
}
