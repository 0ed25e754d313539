//! Deep recursion on a stack of its own.
//!
//! In: work that recurses as deep as a text is nested. Out: what it made, or nothing if it broke
//! down, as parsers of others may; our own [`MisplacedRange`] ranges unwind further. It runs on a stack of its own, unless the
//! thread has such a stack already.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use crate::text::MisplacedRange;

/// The stack that such work gets; it is only reserved, not touched.
const STACK: usize = 256 * 1024 * 1024;

thread_local! {
    static ROOMY: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with room to recurse; none if it panicked or no thread could be had. What it
/// calls finds the room there, so that many texts in a row cost one thread.
pub fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    if ROOMY.get() {
        // Whoever calls drops what the work has touched, or resets it.
        return made(catch_unwind(AssertUnwindSafe(work)));
    }
    in_new_thread(work)
}

/// Runs `work` with room to recurse, in a thread that ends with it; none if it panicked or no thread
/// could be had.
pub(super) fn in_new_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                ROOMY.set(true);
                work()
            });
        made(thread.ok()?.join())
    })
}

fn made<T>(ended: thread::Result<T>) -> Option<T> {
    match ended {
        Ok(made) => Some(made),
        Err(panic) if panic.is::<MisplacedRange>() => resume_unwind(panic),
        Err(_broken) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;

    use super::*;
    use crate::text::placed;

    #[test]
    fn what_breaks_down_is_nothing_and_the_room_stays() {
        let inner = with_room(|| {
            let broken = with_room(|| -> u32 { panic!("on purpose") });
            (broken, with_room(|| 7), thread::current().id())
        });
        let (broken, fine, outer) = inner.unwrap();
        assert_eq!((broken, fine), (None, Some(7)));
        assert_ne!(outer, thread::current().id());
        assert_eq!(with_room(|| -> u32 { panic!("on purpose") }), None);
    }

    #[test]
    fn a_range_outside_of_its_text_is_no_break_down_of_a_parser() {
        let outer = placed(|| with_room(|| panic_any(MisplacedRange)));
        assert_eq!(outer, Err::<Option<()>, _>(MisplacedRange));
        let inner = with_room(|| placed(|| with_room(|| panic_any(MisplacedRange))));
        assert_eq!(inner, Some(Err::<Option<()>, _>(MisplacedRange)));
    }

    #[test]
    fn there_is_room_for_deep_recursion() {
        fn deep(left: usize) -> usize {
            let here = std::hint::black_box([left; 16]);
            if left == 0 {
                0
            } else {
                deep(left - 1) + usize::from(here[3] == left)
            }
        }
        assert_eq!(with_room(|| deep(100_000)), Some(100_000));
    }
}
