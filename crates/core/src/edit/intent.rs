//! Intent: path, operation and description of a change, known before its content.
//!
//! In: a path, an operation and one line of description. Out: [`Intent`], shown
//! to the user while the content is still on its way.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What happens to the file as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// The file does not exist yet.
    Create,
    /// Parts of the file change.
    #[default]
    Modify,
    /// The whole text is replaced.
    Rewrite,
    /// The file gets another path.
    Move,
    /// The file goes away.
    Delete,
    /// The path becomes a symbolic link, or one with another target.
    Link,
    /// The file gets other permission bits, and nothing else.
    Permissions,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Create => "create",
            Self::Modify => "modify",
            Self::Rewrite => "rewrite",
            Self::Move => "move",
            Self::Delete => "delete",
            Self::Link => "link",
            Self::Permissions => "permissions",
        })
    }
}

/// Path, operation and description of a change that is being made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// The path as the model wrote it; not yet checked.
    pub path: String,
    /// What happens to the file.
    pub operation: Operation,
    /// One line, in the model's words.
    pub description: String,
}
