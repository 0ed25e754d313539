//! The workspace's repository, as the commands ask it.
//!
//! In: the place. Out: who asks git, and how long it may take.

use std::sync::atomic::AtomicBool;

use signoff_llm::commit;
use signoff_sandbox::git_view::Asker;
use signoff_sandbox::process::Supervision;
use signoff_setup::paths::Paths;

/// Returns what asks the workspace's repository.
pub(super) fn asker<'a>(paths: &'a Paths, stop: &'a AtomicBool) -> Asker<'a> {
    Asker {
        root: &paths.root,
        reserved: None,
        supervision: Supervision::OwnExecutable,
        limits: commit::LIMITS,
        stop,
    }
}
