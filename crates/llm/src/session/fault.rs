//! Faults: what did not work, and what the user can do.

use signoff_core::engine::EngineError;
use signoff_core::plural::counted;

use super::{Fault, FaultKind};
use crate::memory::MemoryError;
use crate::provider::ProviderError;
use crate::provider::retry::Schedule;
use crate::provider::trouble::Trouble;

impl From<&ProviderError> for Fault {
    fn from(error: &ProviderError) -> Self {
        Self {
            kind: FaultKind::Provider,
            message: error.to_string(),
            hint: Some(long_pause(error).unwrap_or_else(|| Trouble::of(error).hint().to_owned())),
        }
    }
}

/// Says how long a server asks to wait, if that is too long to be waited for.
fn long_pause(error: &ProviderError) -> Option<String> {
    let ProviderError::Status {
        retry_after: Some(asked),
        ..
    } = error
    else {
        return None;
    };
    (*asked > Schedule::default().patience).then(|| {
        let seconds = usize::try_from(asked.as_secs()).unwrap_or(usize::MAX);
        let pause = match seconds {
            ..120 => counted(seconds, "second"),
            120..7200 => counted(seconds.div_ceil(60), "minute"),
            _ => counted(seconds.div_ceil(3600), "hour"),
        };
        format!("the server asks to wait {pause}; ask again then")
    })
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_pause_that_is_not_waited_for_is_told_with_its_length() {
        let hint = |seconds: u64| {
            let error = ProviderError::Status {
                code: 429,
                message: "slow down".to_owned(),
                retry_after: Some(Duration::from_secs(seconds)),
            };
            Fault::from(&error).hint.unwrap_or_default()
        };
        assert_eq!(hint(30), "the server wants a pause; ask again later");
        assert!(hint(31).contains("asks to wait 31 seconds"));
        assert!(hint(3600).contains("asks to wait 60 minutes"));
        assert!(hint(86_400).contains("asks to wait 24 hours"));
        assert!(hint(u64::MAX).contains("hours"));
    }
}
