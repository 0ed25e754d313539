//! Subjects: what a call is used on, known before it runs.
//!
//! Rules are matched with them, the user is shown them, hooks are told of them.

use serde_json::Value;

use crate::web::WebAddress;

/// A tool of a server, with the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignSubject {
    /// `server__tool`.
    pub tool: String,
    /// The arguments, an object.
    pub arguments: Value,
    /// The hash of its description and its schema.
    pub fingerprint: String,
    /// Whether these differ from what the user's permission was for.
    pub is_changed: bool,
}

/// What is open to a command that runs on the disk.
const OPEN: &str = "not confined: it can read and write everything that you can";

/// What a call is used on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subjects {
    /// A command line for `/bin/bash`, on the files on disk and with the network.
    Command(String),
    /// A command line for `/bin/bash` that is confined: files on disk and the network are out of reach.
    Confined(String),
    /// A command line for `/bin/bash` that is confined, and reaches the hosts of rules and of the user's answers.
    Networked(String),
    /// Paths as the model wrote them; none for a call without a path.
    Paths(Vec<String>),
    /// A tool of a server.
    Foreign(Box<ForeignSubject>),
    /// A page of the web.
    Page(WebAddress),
}

impl Subjects {
    /// Returns the name that rules and the prompt know the tool by, where it is another than that of the call.
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Foreign(subject) => Some(&subject.tool),
            Self::Command(_)
            | Self::Confined(_)
            | Self::Networked(_)
            | Self::Paths(_)
            | Self::Page(_) => None,
        }
    }

    /// Returns the subjects as the user is shown them; of a command in the shadow, also whether it has
    /// the network.
    pub fn shown(&self) -> String {
        match self {
            Self::Command(line) => format!("{line}\n({OPEN})"),
            Self::Confined(line) => format!("{line}\n(without network)"),
            Self::Networked(line) => format!("{line}\n(with network by host)"),
            Self::Paths(paths) => {
                let mut paths = paths.clone();
                paths.dedup();
                paths.join(", ")
            }
            Self::Page(address) => address.to_string(),
            Self::Foreign(subject) => {
                let arguments = format!("{:#}", subject.arguments);
                if subject.is_changed {
                    format!(
                        "{arguments}\n(what the server says of this tool has changed since you allowed it)"
                    )
                } else {
                    arguments
                }
            }
        }
    }
}
