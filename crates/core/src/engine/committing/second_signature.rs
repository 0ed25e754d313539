//! Second signatures: which hunks are written only with the approval of another person.
//!
//! ```text
//! migrations/** wants one
//! migrations/1.sql#1   proposed here, nobody else saw it              refused
//! migrations/1.sql#1   approved by Bob, for these bytes               written
//! migrations/1.sql#1   approved by Bob, then edited in the review     refused: Bob saw another text
//! migrations/1.sql#1   came with an offer of Ann's                    written: the user is the second
//! src/a.rs#1                                                          written
//! ```
//!
//! In: the rule for paths, the stage and rulings. Out: why hunks are refused. Every front end rules through the engine, so that
//! the rule holds for all of them.

use crate::disk::workspace::WorkspacePath;
use crate::id::HunkId;
use crate::stage::proposal::change_hash::change_hash;
use crate::stage::proposal::stage::Stage;
use crate::stage::review::{
    ArrivedVerdict, HunkView, ProposalView, Ruling, Verdict, standing_denial,
};

/// Returns the pattern by which a path wants a second signature, if one does.
pub type SignaturePaths = Box<dyn Fn(&str) -> Option<String> + Send>;

/// Which hunks want the approval of another person.
#[derive(Default)]
pub struct SecondSignature {
    /// Which paths; none of them without it.
    pub paths: Option<SignaturePaths>,
    /// Whether only approvals count that are signed with a key which the user's git trusts.
    pub wants_key: bool,
}

impl SecondSignature {
    /// Says why a ruling writes nothing, if one of its hunks has no second signature.
    pub(super) fn refusal(&self, stage: &Stage, rulings: &[Ruling]) -> Option<String> {
        self.paths.as_ref()?;
        let refused = rulings.iter().find_map(|ruling| match &ruling.verdict {
            Verdict::Approve => {
                let pattern = self.missing(stage, ruling.hunk)?;
                Some((ruling.hunk, pattern, ""))
            }
            Verdict::ApproveEdited { .. } => {
                let pattern = self.pattern(stage, ruling.hunk)?;
                Some((ruling.hunk, pattern, ", and nobody else saw your text"))
            }
            Verdict::Deny { .. } => None,
        });
        let (hunk, pattern, why) = refused?;
        let (path, record) = stage.find(hunk)?;
        let words = self.words(&pattern);
        Some(format!("hunk {} of {path}: {words}{why}", record.number))
    }

    /// Says why a text of a file is not committed that no hunk of its shows, if nobody else can have approved it.
    pub(in crate::engine) fn refusal_of_text(&self, path: &str) -> Option<String> {
        let pattern = self.paths.as_ref()?(path)?;
        Some(format!("a text of {path}: {}", self.words(&pattern)))
    }

    /// Holds back the proposals of a list of which a hunk has no second signature, or was denied by another person.
    pub(in crate::engine) fn hold(&self, stage: &Stage, views: &mut [ProposalView]) {
        for view in views {
            let denied = view.pending().find_map(denied_by_another);
            view.held = view.held.take().or(denied);
            let hunks = view.hunks.iter_mut().filter(|_| self.wants_key);
            for hunk in hunks.filter(|own| !own.verdicts.is_empty()) {
                if self.pattern(stage, hunk.id).is_some() {
                    hunk.verdicts.iter_mut().for_each(ArrivedVerdict::want_key);
                }
            }
            let missing = view.pending().find_map(|hunk| self.missing(stage, hunk.id));
            if let Some(pattern) = missing {
                let why = self.words(&pattern);
                view.lacks_signature = true;
                view.add_note(&why);
                view.held = view.held.take().or(Some(why));
            }
        }
    }

    fn words(&self, pattern: &str) -> String {
        let key = if self.wants_key {
            ", with a key that your git trusts"
        } else {
            ""
        };
        format!(
            "{pattern} wants a second signature{key}: `signoff offer` hands it to another person, and `signoff take` brings \
             their verdict"
        )
    }

    /// Returns the pattern by which a hunk wants a second signature that it has not.
    fn missing(&self, stage: &Stage, hunk: HunkId) -> Option<String> {
        let pattern = self.pattern(stage, hunk)?;
        let (_, record) = stage.find(hunk)?;
        let now = change_hash(stage, hunk);
        let offer = record.offer.as_ref();
        let is_approved =
            offer.is_some_and(|own| own.is_approved_by_another(now.as_ref(), self.wants_key));
        (!is_approved).then_some(pattern)
    }

    /// Returns the pattern by which a hunk wants a second signature: by any name that its file has on disk or will have.
    fn pattern(&self, stage: &Stage, hunk: HunkId) -> Option<String> {
        let wants = self.paths.as_ref()?;
        let (path, _) = stage.find(hunk)?;
        let key = stage.key_of(path);
        let stack = key.and_then(|key| stage.stacks.get(key));
        let layers = stack.into_iter().flat_map(|stack| &stack.layers);
        let targets = layers.filter_map(|layer| layer.to());
        let names = [Some(path), key].into_iter().flatten().chain(targets);
        names.map(WorkspacePath::as_str).find_map(wants)
    }
}

/// Says which other person denied a hunk as it is, if one did.
fn denied_by_another(hunk: &HunkView) -> Option<String> {
    let denial = standing_denial(&hunk.verdicts)?;
    Some(format!("hunk {} was {denial}", hunk.id.number))
}
