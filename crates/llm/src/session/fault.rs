//! Faults: what did not work, and what the user can do.

use signoff_core::engine::EngineError;

use super::{Fault, FaultKind};
use crate::memory::MemoryError;
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

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        let kind = match error {
            EngineError::Access(_)
            | EngineError::NotText { .. }
            | EngineError::Commit(_)
            | EngineError::ProposesOnly => FaultKind::Files,
            EngineError::Store(_) | EngineError::Misfit(_) => FaultKind::Store,
        };
        Self {
            kind,
            message: error.to_string(),
            hint: None,
        }
    }
}

impl From<MemoryError> for Fault {
    fn from(error: MemoryError) -> Self {
        Self {
            kind: FaultKind::Memory,
            message: error.to_string(),
            hint: None,
        }
    }
}

impl Fault {
    /// Returns the fault of what git, or the repository, could not do.
    pub(crate) fn of_git(why: String) -> Self {
        Self {
            kind: FaultKind::Files,
            message: why,
            hint: None,
        }
    }

    /// Returns the fault of work that panicked.
    pub(crate) fn broke_down() -> Self {
        Self {
            kind: FaultKind::Store,
            message: "signoff broke down on this; look at the review list before you go on"
                .to_owned(),
            hint: Some("please report it".to_owned()),
        }
    }
}
