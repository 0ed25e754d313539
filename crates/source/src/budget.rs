//! Work budget: a bound on the steps of one request, and its cancellation.
//!
//! In: how many steps there are, and a [`Stop`] that others may set. Out: loops that look at much
//! text [`spend`] steps and end where that is an error. A step is about a byte that is looked at. No
//! clock is read: what has a time limit sets the stop.
//!
//! ```text
//! 10 steps    spend(4): Ok    spend(6): Ok    spend(1): OutOfBudget    spend(0): OutOfBudget
//! ```
//!
//! A budget is a value that whoever begins the work hands down. It remembers that it ran out: a small
//! part of the work may end with nothing, and what it is a part of is an error all the same once it
//! [`check`]s.
//!
//! [`spend`]: Budget::spend
//! [`check`]: Budget::check
//!
//! How many steps a request may take, and `Stop`, through which others end it. A budget is a value: planning hands
//! it down in a `PlanContext`, beside the `SyntaxCache`, which parses within it, and `Views` give it to what looks
//! for lines. Loops that look at much text spend steps, about one a byte, and end with `OutOfBudget` where there
//! are none left, which is told from text that was not found: a plan is `Outcome::OutOfBudget` then, and the answer
//! `refused`. The limit counts work and not time, so the same request always has the same answer.
//!
//! **Invariant:** a budget remembers that it ran out. Whoever answers checks it at the end, so that a part which
//! ended with nothing passes for no answer.
//!
//! **Invariant:** work that was cut short has no effect: nothing of it is staged, and nothing that was made of a
//! text is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

/// The steps of one request: some seconds of work. Requests of everyday size take a thousandth.
pub const REQUEST_STEPS: u64 = 1_000_000_000;

/// Error for work that took all steps of its budget, or that was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work takes more steps than its budget has, or was stopped")]
pub struct OutOfBudget;

/// What some work may take.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    left: AtomicU64,
    /// True once a loop was told to end.
    cut: AtomicBool,
    stop: Stop,
}

/// Tells work that it is to end. Work that has a lasting effect decides against the stop once, so
/// that it either was stopped or took effect.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    /// The flag that running programs poll.
    stopped: AtomicBool,
    /// True once the user does not wait any more, whether it has taken effect or not.
    cancelled: AtomicBool,
    state: AtomicU8,
}

/// Why work was to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The user does not wait for it any more.
    Cancelled,
    /// Its time is over.
    Late,
}

const RUNNING: u8 = 0;
const CANCELLED: u8 = 1;
const LATE: u8 = 2;
const EFFECTIVE: u8 = 3;

impl Stop {
    /// Stops the work, unless it has taken effect.
    pub fn stop(&self, why: Stopped) {
        let to = match why {
            Stopped::Cancelled => CANCELLED,
            Stopped::Late => LATE,
        };
        if why == Stopped::Cancelled {
            self.0.cancelled.store(true, Ordering::SeqCst);
        }
        // What was stopped before, or has taken effect, stays so.
        if self.change(to) || self.why().is_some() {
            self.0.stopped.store(true, Ordering::SeqCst);
        }
    }

    /// Lets the work take effect; or returns why it must not.
    pub fn take_effect(&self) -> Result<(), Stopped> {
        if self.change(EFFECTIVE) {
            Ok(())
        } else {
            self.why().map_or(Ok(()), Err)
        }
    }

    /// Returns why the work is to end, if it is.
    pub fn why(&self) -> Option<Stopped> {
        match self.0.state.load(Ordering::SeqCst) {
            CANCELLED => Some(Stopped::Cancelled),
            LATE => Some(Stopped::Late),
            _ => None,
        }
    }

    /// Returns the flag that is set once the work is to end.
    pub fn flag(&self) -> &AtomicBool {
        &self.0.stopped
    }

    /// Returns the flag that is set once the user does not wait any more, for what is done after
    /// the work has taken effect.
    pub fn cancelled(&self) -> &AtomicBool {
        &self.0.cancelled
    }

    fn change(&self, to: u8) -> bool {
        let (state, order) = (&self.0.state, Ordering::SeqCst);
        state.compare_exchange(RUNNING, to, order, order).is_ok()
    }
}

impl Budget {
    /// Returns a budget of `steps` for work that `stop` can cancel.
    pub fn new(steps: u64, stop: Stop) -> Self {
        Self(Arc::new(Inner {
            left: AtomicU64::new(steps),
            cut: AtomicBool::new(false),
            stop,
        }))
    }

    /// Takes steps; an error where the work is to end.
    pub fn spend(&self, steps: usize) -> Result<(), OutOfBudget> {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        let (left, order) = (&self.0.left, Ordering::Relaxed);
        let goes_on = left
            .fetch_update(order, order, |now| now.checked_sub(steps))
            .is_ok()
            && !self.0.stop.flag().load(order)
            && !self.0.cut.load(order);
        if !goes_on {
            self.0.cut.store(true, order);
            return Err(OutOfBudget);
        }
        Ok(())
    }

    /// Returns an error if some work was cut short, or is to be: what was made is of no use then.
    pub fn check(&self) -> Result<(), OutOfBudget> {
        if self.is_over() {
            return Err(OutOfBudget);
        }
        Ok(())
    }

    /// Returns whether some work was cut short, or is to be.
    pub fn is_over(&self) -> bool {
        self.0.cut.load(Ordering::Relaxed) || self.0.stop.why().is_some()
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(REQUEST_STEPS, Stop::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_when_its_steps_are_spent_and_not_before() {
        let budget = Budget::new(10, Stop::default());
        let spent = [4, 6].map(|steps| budget.spend(steps));
        assert_eq!((spent, budget.check()), ([Ok(()); 2], Ok(())));
        let spent = [1, 0].map(|steps| budget.spend(steps));
        assert_eq!(
            (spent, budget.check()),
            ([Err(OutOfBudget); 2], Err(OutOfBudget))
        );
    }

    #[test]
    fn a_stop_ends_work_in_another_thread() {
        let stop = Stop::default();
        let budget = Budget::new(100, stop.clone());
        let goes_on = || std::thread::scope(|scope| scope.spawn(|| budget.spend(1)).join().ok());
        assert_eq!(goes_on(), Some(Ok(())));
        stop.stop(Stopped::Late);
        assert_eq!(goes_on(), Some(Err(OutOfBudget)));
        assert!(budget.is_over());
    }

    #[test]
    fn budgets_are_spent_apart_and_clones_together() {
        let (one, other) = (
            Budget::new(5, Stop::default()),
            Budget::new(0, Stop::default()),
        );
        assert_eq!((other.spend(1), one.spend(4)), (Err(OutOfBudget), Ok(())));
        assert_eq!(one.clone().spend(2), Err(OutOfBudget));
        assert!(one.is_over() && other.is_over());
    }

    #[test]
    fn work_either_was_stopped_or_took_effect() {
        let stop = Stop::default();
        assert_eq!(stop.take_effect(), Ok(()));
        stop.stop(Stopped::Cancelled);
        assert_eq!((stop.why(), stop.take_effect()), (None, Ok(())));
        assert!(!stop.flag().load(Ordering::SeqCst));
        let stop = Stop::default();
        stop.stop(Stopped::Late);
        stop.stop(Stopped::Cancelled);
        assert_eq!(stop.take_effect(), Err(Stopped::Late));
        assert!(stop.flag().load(Ordering::SeqCst));
    }
}
