//! Files that were approved together with others and have to be named: they make a program run, what they remove would
//! be nowhere, or they cannot be displayed; and those that another person has to approve first.
//!
//! In: hunks of such files. Out: where they wait, in words and as JSON.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};
use signoff_core::id::HunkId;
use signoff_core::stage::review::ProposalView;

/// Maximum number of files named in a message.
const NAMED: usize = 3;

/// Hunks that wait on.
#[derive(Debug, Default)]
pub(super) struct Programs {
    files: BTreeMap<String, Waiting>,
    hunks: Vec<HunkId>,
}

/// A file that waits on.
#[derive(Debug, Default)]
struct Waiting {
    /// Why it has to be named.
    why: String,
    /// Whether another person has to approve it first.
    lacks_signature: bool,
    /// The ends of its proposals' ids, in their order: the later ones may build on the earlier ones.
    ids: Vec<String>,
}

impl Programs {
    /// Leaves a hunk of a proposal waiting; `why` says what runs its file, or what it belongs to.
    pub(super) fn skip(&mut self, proposal: &ProposalView, hunk: HunkId, why: String) {
        let file = self.files.entry(proposal.path.clone()).or_default();
        if file.why.is_empty() {
            file.why = why;
        }
        file.lacks_signature |= proposal.lacks_signature;
        let id = proposal.id.to_string();
        let id = id.rsplit('-').next().unwrap_or(&id).to_owned();
        if !file.ids.contains(&id) {
            file.ids.push(id);
        }
        self.hunks.push(hunk);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// Returns a JSON object with these hunks in it, if there are any.
    pub(super) fn beside(&self, mut value: Value) -> Value {
        if let Some(object) = value.as_object_mut().filter(|_| !self.is_empty()) {
            let hunks = self.hunks.iter().map(HunkId::to_string);
            object.insert("unnamed".into(), json!(hunks.collect::<Vec<_>>()));
        }
        value
    }
}

impl fmt::Display for Programs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.files.iter();
        let (unsigned, unnamed): (Vec<_>, Vec<_>) = files.partition(|(_, own)| own.lacks_signature);
        let mut said = Vec::new();
        if !unnamed.is_empty() {
            let named = listed(&unnamed, |path, Waiting { why, ids, .. }| {
                format!("{path} ({why}): `signoff approve {}`", ids.join(" "))
            });
            said.push(format!(
                "left until it was looked at and approved by its id: {named}"
            ));
        }
        // Its id does not write it.
        if !unsigned.is_empty() {
            let named = listed(&unsigned, |path, own| format!("{path} ({})", own.why));
            said.push(format!("left until another person approved it: {named}"));
        }
        f.write_str(&said.join("; "))
    }
}

/// Returns the first of files in a line, and how many more there are.
fn listed(files: &[(&String, &Waiting)], in_words: impl Fn(&String, &Waiting) -> String) -> String {
    let named = files.iter().take(NAMED);
    let mut named: Vec<String> = named.map(|(path, own)| in_words(path, own)).collect();
    if files.len() > NAMED {
        named.push(format!("{} more", files.len() - NAMED));
    }
    named.join(", ")
}
