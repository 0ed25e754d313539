//! Retry schedule.
//!
//! In: how many attempts failed, and how. Out: how long to wait, or that it is over.

use std::time::Duration;

use super::ProviderError;
use super::trouble::{Remedy, Trouble};

/// Attempts while a model loads, at the first pause: for two minutes.
const LOADING_PAUSES: u32 = 4;
const LOADING_ATTEMPTS: u32 = 60;

/// When a request is sent again. There is no jitter: one person's terminal is no herd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// The pause after the first failure; it doubles with each further one.
    pub base: Duration,
    /// The longest pause that doubling leads to.
    pub cap: Duration,
    /// The longest pause that a server may ask for; a longer one is reported to the user instead.
    pub patience: Duration,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            attempts: 4,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(8),
            patience: Duration::from_secs(30),
        }
    }
}

impl Schedule {
    /// Returns the schedule that never tries again.
    pub const fn never() -> Self {
        Self {
            attempts: 1,
            base: Duration::ZERO,
            cap: Duration::ZERO,
            patience: Duration::ZERO,
        }
    }

    /// Returns how long to wait after attempt number `attempt` (from 1) failed with `error`,
    /// or nothing if it shall not be repeated.
    pub fn wait(&self, attempt: u32, error: &ProviderError) -> Option<Duration> {
        let trouble = Trouble::of(error);
        if self.attempts > 1 && trouble == Trouble::Loading {
            return (attempt < LOADING_ATTEMPTS).then_some(self.base * LOADING_PAUSES);
        }
        if attempt >= self.attempts || trouble.remedy(false) != Remedy::Repeat {
            return None;
        }
        let doubled = 2u32.saturating_pow(attempt.saturating_sub(1));
        let own = self.base.saturating_mul(doubled).min(self.cap);
        match error {
            ProviderError::Status {
                retry_after: Some(asked),
                ..
            } => (*asked <= self.patience).then_some(*asked),
            _ => Some(own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(code: u16, retry_after: Option<u64>) -> ProviderError {
        ProviderError::Status {
            code,
            message: String::new(),
            retry_after: retry_after.map(Duration::from_secs),
        }
    }

    fn waits(error: &ProviderError) -> Vec<Option<u128>> {
        let schedule = Schedule::default();
        (1..=5)
            .map(|attempt| schedule.wait(attempt, error).map(|wait| wait.as_millis()))
            .collect()
    }

    #[test]
    fn pauses_double_and_end() {
        let refused = ProviderError::Connect {
            url: String::new(),
            detail: String::new(),
        };
        let expected = [Some(500), Some(1000), Some(2000), None, None];
        assert_eq!(waits(&refused), expected);
        for code in [408, 429, 500, 502, 503, 504, 529] {
            assert_eq!(waits(&status(code, None)), expected, "{code}");
        }
    }

    #[test]
    fn pauses_are_capped() {
        let schedule = Schedule {
            attempts: 100,
            ..Schedule::default()
        };
        for attempt in [5, 6, 40, 99] {
            assert_eq!(
                schedule.wait(attempt, &status(500, None)),
                Some(Duration::from_secs(8))
            );
        }
    }

    #[test]
    fn what_will_not_pass_is_not_repeated() {
        for code in [301, 400, 401, 403, 404, 422, 501, 505] {
            assert_eq!(waits(&status(code, None)), [None; 5], "{code}");
        }
        assert_eq!(
            waits(&ProviderError::Cut {
                detail: String::new()
            }),
            [None; 5]
        );
        assert_eq!(
            waits(&ProviderError::Malformed {
                detail: String::new()
            }),
            [None; 5]
        );
        assert_eq!(Schedule::never().wait(1, &status(500, None)), None);
    }

    #[test]
    fn a_model_that_loads_is_given_time() {
        let loading = ProviderError::Status {
            code: 503,
            message: "Loading model".to_owned(),
            retry_after: None,
        };
        let schedule = Schedule::default();
        assert_eq!(schedule.wait(59, &loading), Some(Duration::from_secs(2)));
        assert_eq!(schedule.wait(60, &loading), None);
        assert_eq!(Schedule::never().wait(1, &loading), None);
    }

    #[test]
    fn the_servers_wish_goes_first_within_patience() {
        assert_eq!(waits(&status(429, Some(7)))[0], Some(7000));
        assert_eq!(waits(&status(503, Some(0)))[0], Some(0));
        assert_eq!(waits(&status(429, Some(31)))[0], None);
    }
}
