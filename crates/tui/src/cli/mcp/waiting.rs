//! Waiting for the user's decision, without holding anything meanwhile.

use std::future::Future;
use std::time::Duration;

use super::limits::{BETWEEN_LOOKS, LONGEST_WAIT};

/// Looks again and again until something is settled or the time is over, and returns the last look.
pub(super) async fn until<T, E, F>(
    seconds: u64,
    mut look: impl FnMut() -> F,
    is_settled: impl Fn(&T) -> bool,
) -> Result<T, E>
where
    F: Future<Output = Result<T, E>>,
{
    let most = Duration::from_secs(seconds).min(LONGEST_WAIT);
    let mut left = most;
    loop {
        let seen = look().await?;
        if is_settled(&seen) || left.is_zero() {
            return Ok(seen);
        }
        let pause = left.min(BETWEEN_LOOKS);
        tokio::time::sleep(pause).await;
        left -= pause;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_wait_ends_with_the_decision_or_the_time() {
        let check = async |seconds: u64, settled_at: usize| {
            let looks = Cell::new(0);
            let look = || {
                looks.set(looks.get() + 1);
                std::future::ready(Ok::<_, ()>(looks.get()))
            };
            until(seconds, look, |seen| *seen >= settled_at).await
        };
        assert_eq!(check(0, 9).await, Ok(1));
        assert_eq!(check(1, 3).await, Ok(3));
        // 0, 0.3, 0.6, 0.9 and 1.0 seconds.
        assert_eq!(check(1, 99).await, Ok(5));
        assert_eq!(check(u64::MAX, 1_000_000).await, Ok(1_001));
    }
}
