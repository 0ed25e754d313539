//! Running programs with bounds on time and output, and noticing the files they change.

pub mod check;
pub mod git_view;
pub mod ignored;
pub mod process;
pub mod regular;
#[cfg(target_os = "linux")]
pub mod shadow;
#[cfg(target_os = "linux")]
pub mod supervisor;
pub mod suite;
pub mod watch;
