//! Workspace trust: which definitions that came with a workspace the user trusts, and which servers of this machine.
//!
//! In: a definition, by its kind, its name and the hash of all that it says. Out: whether the user trusts it. The one place
//! that knows, for hooks, for servers of the Model Context Protocol and for servers of models that were found.
//!
//! ```text
//! hooks .claude/settings.json, hash 1  ->  unknown: the user is asked
//! the user says yes                    ->  trusted, in this run and in later ones
//! the file changes, hash 2             ->  changed: not trusted, the user is asked again
//! ```
//!
//! The decisions are in a file of the state folder, which is outside of the workspace and which no program in the shadow
//! sees. A file that cannot be read trusts nothing.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};
use signoff_core::text::Source;
use signoff_llm::trust::{KeepDecision, TrustQuestion, TrustRecord, TrustStanding};
use signoff_sandbox::private_file::PrivateFile;

use crate::paths::Paths;

/// What a definition is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrustKind {
    /// The hooks of a settings file; the name is the file's.
    Hooks,
    /// A server of the Model Context Protocol.
    #[cfg(feature = "mcp")]
    McpServer,
    /// A server of models that was found on this machine; the name is its address.
    ModelServer,
}

impl TrustKind {
    /// Returns the word for it, in the file and for the user.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Hooks => "hooks",
            #[cfg(feature = "mcp")]
            Self::McpServer => "mcp-server",
            Self::ModelServer => "model-server",
        }
    }
}

/// The hash of all that a definition says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct DefinitionHash(String);

impl DefinitionHash {
    /// Returns the hash of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(Source::new(bytes).fingerprint().to_string())
    }

    /// Returns the hash as it is written down.
    #[cfg(feature = "mcp")]
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A decision of the user's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TrustDecision {
    definition: DefinitionHash,
    allowed: bool,
}

/// The decisions on what came with one workspace.
#[derive(Clone, Debug)]
pub struct TrustFile(PrivateFile);

impl TrustFile {
    /// Returns the decisions on what came with this workspace.
    pub fn new(paths: &Paths) -> Self {
        Self(PrivateFile::new(paths.trust.clone()))
    }

    /// Returns the decisions on what holds for all workspaces.
    pub fn of_machine(paths: &Paths) -> Self {
        Self(PrivateFile::new(paths.log.with_file_name("trust.json")))
    }

    /// Tells what the user thinks of a definition.
    fn standing(&self, kind: TrustKind, name: &str, definition: &DefinitionHash) -> TrustStanding {
        match self.decisions().get(&key(kind, name)) {
            None => TrustStanding::Unknown,
            Some(decided) if decided.definition != *definition => TrustStanding::Changed,
            Some(decided) if decided.allowed => TrustStanding::Trusted,
            Some(_) => TrustStanding::Refused,
        }
    }

    /// Keeps what the user decided on a definition.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written; what was decided before holds then.
    fn decide(
        &self,
        kind: TrustKind,
        name: &str,
        definition: &DefinitionHash,
        allowed: bool,
    ) -> io::Result<()> {
        let mut decided = self.decisions();
        let decision = TrustDecision {
            definition: definition.clone(),
            allowed,
        };
        decided.insert(key(kind, name), decision);
        self.write(&decided)
    }

    /// Returns the record of a definition: what the user thinks of it, and what they are asked. A decision is kept here.
    pub(crate) fn record(
        &self,
        kind: TrustKind,
        name: &str,
        definition: DefinitionHash,
        question: TrustQuestion,
    ) -> TrustRecord {
        let standing = self.standing(kind, name, &definition);
        TrustRecord::new(question, standing, self.keeping(kind, name, definition))
    }

    /// Returns what keeps the user's decisions on a definition here.
    pub(crate) fn keeping(
        &self,
        kind: TrustKind,
        name: &str,
        definition: DefinitionHash,
    ) -> KeepDecision {
        let (file, name) = (self.clone(), name.to_owned());
        Box::new(move |allowed| {
            file.decide(kind, &name, &definition, allowed)
                .map_err(|error| error.to_string())
        })
    }

    /// Returns what was decided, by kind and name: `hooks .claude/settings.json`.
    pub fn all(&self) -> Vec<(String, bool)> {
        let decided = self.decisions().into_iter();
        decided.map(|(key, it)| (key, it.allowed)).collect()
    }

    /// Forgets all decisions, and returns how many there were: the user is asked anew.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be removed.
    pub fn forget(&self) -> io::Result<usize> {
        let known = self.decisions().len();
        self.0.remove()?;
        Ok(known)
    }

    /// Reads what was decided; a file that cannot be read decides nothing.
    fn decisions(&self) -> BTreeMap<String, TrustDecision> {
        let read = self.0.text().and_then(|text| match text {
            Some(text) => Ok(serde_json::from_str(&text)?),
            None => Ok(BTreeMap::new()),
        });
        read.unwrap_or_else(|error| {
            tracing::warn!(%error, "what the user trusts of the workspace is not known");
            BTreeMap::new()
        })
    }

    fn write(&self, decided: &BTreeMap<String, TrustDecision>) -> io::Result<()> {
        self.0.replace(&serde_json::to_vec(decided)?)
    }
}

fn key(kind: TrustKind, name: &str) -> String {
    format!("{} {name}", kind.word())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_decision_holds_for_one_definition_and_fails_closed() {
        let folder = tempfile::tempdir().unwrap();
        let file = TrustFile(PrivateFile::new(folder.path().join("state/trust.json")));
        let (one, other) = (DefinitionHash::of(b"a"), DefinitionHash::of(b"b"));
        let standing = |hash| file.standing(TrustKind::Hooks, "s.json", hash);
        assert_eq!(standing(&one), TrustStanding::Unknown);
        for (allowed, expected) in [
            (true, TrustStanding::Trusted),
            (false, TrustStanding::Refused),
            (true, TrustStanding::Trusted),
        ] {
            file.decide(TrustKind::Hooks, "s.json", &one, allowed)
                .unwrap();
            assert_eq!(standing(&one), expected);
            assert_eq!(standing(&other), TrustStanding::Changed);
        }
        // A name of one kind is none of another.
        #[cfg(feature = "mcp")]
        assert_eq!(
            file.standing(TrustKind::McpServer, "s.json", &one),
            TrustStanding::Unknown
        );
        assert_eq!(file.all(), [("hooks s.json".to_owned(), true)]);
        let kept = fs::read(file.0.path()).unwrap();
        for spoiled in ["{", "[]", "{\"hooks s.json\":{\"allowed\":true}}"] {
            fs::write(file.0.path(), spoiled).unwrap();
            assert_eq!(standing(&one), TrustStanding::Unknown, "{spoiled}");
        }
        fs::write(file.0.path(), vec![b' '; 300 * 1024]).unwrap();
        assert_eq!(standing(&one), TrustStanding::Unknown);
        fs::write(file.0.path(), kept).unwrap();
        assert_eq!(file.forget().unwrap(), 1);
        assert_eq!(standing(&one), TrustStanding::Unknown);
        assert_eq!(file.forget().unwrap(), 0);
        fs::create_dir(file.0.path()).unwrap();
        assert_eq!(standing(&one), TrustStanding::Unknown);
        assert!(file.decide(TrustKind::Hooks, "s.json", &one, true).is_err());
        assert_eq!(standing(&one), TrustStanding::Unknown);
    }
}
