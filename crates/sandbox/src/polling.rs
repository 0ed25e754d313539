//! Polling: waiting for what nobody tells of, such as the end of a process of others or a lock that another process holds.
//!
//! In: a deadline, and a look. Out: what a look found, or nothing at the deadline.

use std::thread;
use std::time::{Duration, Instant};

/// How often a job that waits looks whether the user still wants it: a person notices no delay of a twentieth of a second
/// after Esc, and twenty looks a second cost nothing.
pub const GLANCE: Duration = Duration::from_millis(50);
/// The pause between two looks. The end of a program that a user waits for is noticed unnoticeably late.
const PAUSE: Duration = Duration::from_millis(5);

/// Looks until there is something, at least once and until the deadline at most.
pub fn until<T>(deadline: Instant, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if Instant::now() >= deadline {
            return None;
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_is_looked_for_until_it_is_there_or_the_deadline_is_over() {
        let mut looks = 0;
        let found = until(Instant::now() + Duration::from_secs(60), || {
            looks += 1;
            (looks == 3).then_some("found")
        });
        assert_eq!((found, looks), (Some("found"), 3));
        let mut looks = 0;
        let over = until(Instant::now(), || {
            looks += 1;
            None::<()>
        });
        assert_eq!((over, looks), (None, 1));
    }
}
