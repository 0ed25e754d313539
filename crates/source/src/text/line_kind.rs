//! Sides of a change.

use serde::{Deserialize, Serialize};

/// Which side of the change a line is on.
#[derive(Clone, Copy, Debug, PartialEq, Hash, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// On both sides.
    Context,
    /// Only in the text before.
    Removed,
    /// Only in the text after.
    Added,
}
