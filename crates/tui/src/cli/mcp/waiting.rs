//! Waiting for the user's decision, without holding anything meanwhile.

use std::time::Duration;

use super::limits::{BETWEEN_LOOKS, LONGEST_WAIT};

/// What is left of a time to wait.
pub(super) struct DecisionWait {
    left: Duration,
}

impl DecisionWait {
    pub(super) fn for_seconds(seconds: u64) -> Self {
        Self {
            left: Duration::from_secs(seconds).min(LONGEST_WAIT),
        }
    }

    /// Returns true when it is time for another look, false if there is none.
    pub(super) async fn goes_on(&mut self) -> bool {
        if self.left.is_zero() {
            return false;
        }
        let pause = self.left.min(BETWEEN_LOOKS);
        tokio::time::sleep(pause).await;
        self.left -= pause;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn there_are_looks_until_the_time_is_over() {
        for (seconds, looks) in [(0, 0), (1, 4), (u64::MAX, 1_000)] {
            let mut waiting = DecisionWait::for_seconds(seconds);
            let mut counted = 0;
            while waiting.goes_on().await {
                counted += 1;
            }
            assert_eq!(counted, looks, "{seconds}");
        }
    }
}
