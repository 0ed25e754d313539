//! Running programs: bounded in time and output, and with an eye on the files they change.

pub mod git_view;
pub mod ignored;
pub mod process;
pub mod regular;
#[cfg(target_os = "linux")]
pub mod supervisor;
pub mod watch;
