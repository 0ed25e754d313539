//! Heavy work, one piece at a time.
//!
//! In: work on a text that is to be parsed. Out: what it made. What is light is done at once. All
//! that is heavy is done by one thread, one after the other: an allocator that has a pool for each
//! thread has what trees take in one of them, and all of them together take what the heaviest
//! takes, however many ask.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};

use super::{Language, stack, trees, with_room};

/// Trees of fewer bytes, about, are light.
const LIGHT: usize = 4 * 1024 * 1024;

type Job = Box<dyn FnOnce() + Send>;

/// The thread's; none if it could not be had.
static JOBS: OnceLock<Option<Sender<Job>>> = OnceLock::new();

/// Does `work` on a text of so many bytes, of the language that it is parsed in if it is, when it
/// is its turn. Must not be called from within such work. What panics is done once more where it
/// was called.
pub(crate) fn in_turn<T: Send + 'static>(
    language: Option<Language>,
    bytes: usize,
    work: impl Fn() -> T + Send + Sync + 'static,
) -> T {
    let takes = language.map_or(0, |language| trees::estimate(language, bytes));
    if takes < LIGHT {
        return work();
    }
    let work = Arc::new(work);
    let theirs = Arc::clone(&work);
    let (reply, made) = channel();
    let job: Job = Box::new(move || {
        let made = theirs();
        trees::let_giant_go();
        // Who asked waits for it.
        let _sent = reply.send(made);
    });
    let jobs = JOBS.get_or_init(started).as_ref();
    let sent = jobs.is_some_and(|jobs| jobs.send(job).is_ok());
    let made = if sent { made.recv().ok() } else { None };
    made.unwrap_or_else(|| work())
}

/// Starts the thread; it lives as long as the program.
fn started() -> Option<Sender<Job>> {
    let (sender, jobs) = channel::<Job>();
    stack::start(move || {
        for job in jobs {
            // Who asked learns of a panic by the lack of an answer.
            let _done = with_room(job);
        }
    })?;
    Some(sender)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn heavy_work_is_done_one_after_the_other() {
        static NOW: AtomicUsize = AtomicUsize::new(0);
        static MOST: AtomicUsize = AtomicUsize::new(0);
        let work = || {
            let others = NOW.fetch_add(1, Ordering::SeqCst);
            MOST.fetch_max(others + 1, Ordering::SeqCst);
            thread::yield_now();
            NOW.fetch_sub(1, Ordering::SeqCst);
            thread::current().id()
        };
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let here = thread::current().id();
                    assert_eq!(in_turn(Some(Language::Rust), 1000, || 1), 1);
                    assert_ne!(in_turn(Some(Language::Rust), 1_000_000, work), here);
                });
            }
        });
        assert_eq!(MOST.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn light_work_is_done_where_it_is_asked_for() {
        let here = thread::current().id();
        let id = || thread::current().id();
        assert_eq!(in_turn(None, 1_000_000, id), here);
        assert_eq!(in_turn(Some(Language::Yaml), 20_000, id), here);
    }

    #[test]
    fn what_breaks_down_there_is_done_here() {
        let here = thread::current().id();
        let work = move || {
            assert_eq!(thread::current().id(), here, "on purpose");
            7
        };
        assert_eq!(in_turn(Some(Language::Rust), 1_000_000, work), 7);
        assert_eq!(in_turn(Some(Language::Rust), 1_000_000, || 8), 8);
    }
}
