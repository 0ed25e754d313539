//! Running programs: bounded in time and output, and with an eye on the files they change.

pub mod git_view;
pub mod process;
pub mod watch;
