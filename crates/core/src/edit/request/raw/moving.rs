//! The target of a move in JSON.

use serde::Deserialize;

use super::Request;

/// The block of the strategy `move`.
#[derive(Deserialize)]
pub(super) struct RawMove {
    to: String,
}

impl From<RawMove> for Request {
    fn from(RawMove { to }: RawMove) -> Self {
        Self::Move { to }
    }
}
