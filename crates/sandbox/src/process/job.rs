//! Job control: whether a shell can continue this process once it is stopped.
//!
//! In: the parents of this process. Out: yes or no, as POSIX defines orphaned process groups.
//!
//! Example: `bash` starts `sh -c 'signoff; date'` as a job. The parent of signoff is `sh`, of the same group; the parent of
//! that is `bash`, of another group and the same session: `fg` continues the job. In a terminal that runs nothing but signoff
//! nobody does.

use std::iter;

use rustix::process::{getpid, getppid};

use super::listing::{self, ProcessStat};

/// Tells whether the process group of this process is orphaned: SIGTSTP stops nothing in it, and what SIGSTOP stops in it
/// nobody continues. Only the parents of this process are looked at. Where there is no `/proc`, every group counts as
/// orphaned: to stay is safer than to stop for ever.
pub fn is_orphaned_job() -> bool {
    let Some(this) = listing::entry(getpid().as_raw_nonzero().get()) else {
        return true;
    };
    let parent = getppid().and_then(|id| listing::entry(id.as_raw_nonzero().get()));
    let parents = iter::successors(parent, |below| listing::entry(below.parent));
    is_orphaned(this, parents)
}

/// Groups and sessions come from `/proc`, where one whose leader is outside this process's namespace is 0. As an answer of
/// `getsid`, 0 is not a `Pid` at all.
fn is_orphaned(this: ProcessStat, parents: impl Iterator<Item = ProcessStat>) -> bool {
    let mut outside = parents.skip_while(|parent| parent.group == this.group);
    outside
        .next()
        .is_none_or(|parent| parent.session != this.session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_orphaned_unless_a_parent_of_the_session_is_outside_it() {
        let stat = |(group, session)| ProcessStat {
            is_over: false,
            parent: 1,
            group,
            session,
            started: 0,
        };
        let shell = (20, 20);
        let elsewhere = (7, 7);
        // The leader of both is outside a container, of which this process is the first but one.
        let uncounted = (0, 0);
        for (this, parents, is) in [
            ((30, 20), vec![shell, elsewhere], false),
            ((30, 20), vec![(30, 20), shell], false),
            (shell, vec![elsewhere], true),
            ((30, 20), vec![(30, 20)], true),
            (shell, vec![], true),
            (shell, vec![uncounted], true),
            (uncounted, vec![uncounted], true),
            ((30, 0), vec![uncounted], false),
        ] {
            let orphaned = is_orphaned(stat(this), parents.iter().copied().map(stat));
            assert_eq!(orphaned, is, "{this:?} below {parents:?}");
        }
    }
}
