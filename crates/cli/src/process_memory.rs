//! Keeps other processes of the same user out of this one's memory and environment (`PR_SET_DUMPABLE`).
//!
//! In: nothing. Out: on Linux, `/proc/PID/environ` and `/proc/PID/mem` of this process belong to root and
//! nobody but root may trace it, so that a command cannot read the keys that were kept from it. There
//! is no core dump, which would hold them too. A program that is executed from here starts dumpable.

/// Protects this process; comes before anything is started or read.
pub fn protect() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // Fails only for values that the system does not know.
        let _protected = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use rustix::process::{DumpableBehavior, dumpable_behavior};

    #[test]
    fn a_protected_process_still_finds_and_runs_its_own_program() {
        super::protect();
        assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
        let own = std::env::current_exe().unwrap();
        for program in [own.as_path(), "/proc/self/exe".as_ref()] {
            let listed = Command::new(program).arg("--list").output().unwrap();
            assert!(listed.status.success(), "{}", program.display());
        }
    }
}
