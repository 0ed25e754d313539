//! A server fault: its reason, and what the user can do.

use super::{Fault, FaultKind};
use crate::provider::ProviderError;
use crate::provider::trouble::Trouble;

impl From<&ProviderError> for Fault {
    fn from(error: &ProviderError) -> Self {
        Self {
            kind: FaultKind::Provider,
            message: error.to_string(),
            hint: Some(Trouble::of(error).hint().to_owned()),
        }
    }
}
