//! Proposer: who proposed a change.
//!
//! ```text
//! Agent { name: "debug", model: "m" }   shown as   agent debug (m)
//! ForeignAgent { name: "claude" }       shown as   claude (run)
//! Mcp { client: "claude-code 2.1" }     shown as   claude-code 2.1 (mcp)
//! ```
//!
//! In: what the caller knows of itself. Out: a value that goes with staged work into history and blame.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Who proposed a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Proposer {
    /// The user, with a command such as `signoff apply`.
    #[default]
    User,
    /// The model of a conversation.
    Model {
        /// Its name, as its server knows it.
        name: String,
    },
    /// An agent with a context of its own, which a conversation or the user started.
    Agent {
        /// Its name, of small letters, digits and hyphens.
        name: String,
        /// The model that it used.
        model: String,
    },
    /// A program that the user ran with `signoff run`.
    Program,
    /// The coding agent of another project that the user ran with `signoff run --agent`.
    ForeignAgent {
        /// Its name, one that `--agent` takes.
        name: String,
    },
    /// A program that is connected to `signoff mcp`.
    Mcp {
        /// What it calls itself; untrusted.
        client: String,
    },
    /// Another person, with `signoff offer`.
    Person {
        /// Who, as git's identity has them; untrusted.
        name: String,
        /// Which agent or model they had; untrusted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with: Option<String>,
    },
}

impl Proposer {
    /// Returns the model that wrote the change, if one of signoff's own conversations did.
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Model { name } | Self::Agent { model: name, .. } => Some(name),
            Self::User
            | Self::Program
            | Self::ForeignAgent { .. }
            | Self::Mcp { .. }
            | Self::Person { .. } => None,
        }
    }

    /// Returns whether a card names it: all but the user and the model that the user talks to.
    pub fn is_named(&self) -> bool {
        match self {
            Self::User | Self::Model { .. } | Self::Program => false,
            Self::Agent { .. }
            | Self::ForeignAgent { .. }
            | Self::Mcp { .. }
            | Self::Person { .. } => true,
        }
    }

    /// Returns what it is called to another person; none for whoever that person knows as the user.
    pub fn name_for_others(&self) -> Option<String> {
        (*self != Self::User).then(|| self.to_string())
    }
}

impl fmt::Display for Proposer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User => f.write_str("you"),
            Self::Model { name } if name.is_empty() => f.write_str("a model"),
            Self::Model { name } => f.write_str(name),
            Self::Agent { name, model } => write!(f, "agent {name} ({model})"),
            Self::Program => f.write_str("a program"),
            Self::ForeignAgent { name } => write!(f, "{name} (run)"),
            Self::Mcp { client } => write!(f, "{client} (mcp)"),
            Self::Person { name, with: None } => f.write_str(name),
            Self::Person {
                name,
                with: Some(with),
            } => write!(f, "{name} with {with}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposer_is_kept_and_named() {
        let agent = Proposer::Agent {
            name: "debug".to_owned(),
            model: "m".to_owned(),
        };
        let model = Proposer::Model {
            name: "m".to_owned(),
        };
        let mcp = Proposer::Mcp {
            client: "claude-code 2.1".to_owned(),
        };
        let foreign = Proposer::ForeignAgent {
            name: "claude".to_owned(),
        };
        for (proposer, json, shown, model) in [
            (Proposer::User, r#"{"kind":"user"}"#, "you", None),
            (model, r#"{"kind":"model","name":"m"}"#, "m", Some("m")),
            (
                agent,
                r#"{"kind":"agent","name":"debug","model":"m"}"#,
                "agent debug (m)",
                Some("m"),
            ),
            (
                Proposer::Program,
                r#"{"kind":"program"}"#,
                "a program",
                None,
            ),
            (
                foreign,
                r#"{"kind":"foreign_agent","name":"claude"}"#,
                "claude (run)",
                None,
            ),
            (
                mcp,
                r#"{"kind":"mcp","client":"claude-code 2.1"}"#,
                "claude-code 2.1 (mcp)",
                None,
            ),
        ] {
            assert_eq!(serde_json::to_string(&proposer).unwrap(), json);
            assert_eq!(serde_json::from_str::<Proposer>(json).unwrap(), proposer);
            assert_eq!(
                (proposer.to_string().as_str(), proposer.model()),
                (shown, model)
            );
        }
    }
}
