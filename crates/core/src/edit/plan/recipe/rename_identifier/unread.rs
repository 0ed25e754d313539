//! Checks that the grammar parsed the nodes that define scopes.
//!
//! In: a scene and the uses that are meant. Out: a refusal, if scopes tell them from other
//! uses of the name and some of the name stands in text that the grammar cannot read.

use super::*;

/// Returns whether a place is in text that the grammar cannot read; `above` are its ancestors.
pub(super) fn is_unread(above: &[TreeStep<'_>]) -> bool {
    above.iter().any(|step| step.node.is_error())
}

impl RenameScene<'_, '_> {
    /// Refuses to tell uses apart by scopes that are not known.
    pub(super) fn refuse_unread(&self, uses: &[Use]) -> Result<(), Outcome> {
        let Some(at) = self.unread else {
            return Ok(());
        };
        let meant: BTreeSet<usize> = uses.iter().map(|use_| use_.at).collect();
        let apart = self
            .from
            .uses
            .iter()
            .any(|use_| use_.spaces.meets(Spaces::BOUND) && !meant.contains(&use_.at));
        if !apart || self.request.kind == Some(NameKind::Any) {
            return Ok(());
        }
        Err(refused(format!(
            "the grammar cannot read the text around line {}, so which `{}` means which is not \
             known; `\"kind\": \"any\"` renames every one, `section` some",
            self.file.line(at),
            self.request.from
        )))
    }
}
