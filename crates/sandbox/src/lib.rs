//! Running programs with bounds on time and output, and noticing the files they change.
//!
//! The rooms in order; each uses only rooms above it.
//!
//! | room | is |
//! |---|---|
//! | `secret_text` | Private keys and tokens in a text |
//! | `regular` | Bounded reads of regular files |
//! | `polling` | Waiting for what nobody tells of |
//! | `private_file` | Files of signoff's own that nobody but the user reads |
//! | `scratch` | Scratch folders, gone when they are not needed |
//! | `listener` | Listeners: whose process listens at a port of this machine |
//! | `ignored` | Ignore files, read as git reads them |
//! | `watch` | Changes of a folder between two looks, with the bytes before and after |
//! | `descriptor` | Descriptors through a socket |
//! | `process` | Runs one program to its end, with all processes that it starts |
//! | `git_view` | Git, asked about a repository that nobody trusts; the only place that starts it |
//! | `git_write` | Commits made in the user's repository; the only place that writes to it |
//! | `waiting_commits` | Proposed commits: what programs changed of the repository, until the user decides on it |
//! | `network` | The network of confined programs, host by host |
//! | `shadow` | Shadow: the workspace as staged, for programs |
//! | `supervisor` | Supervisor: a process between signoff and a program, which ends the program with signoff |

pub mod secret_text;
pub mod regular;
pub mod polling;
pub mod private_file;
pub mod scratch;
pub mod listener;
pub mod ignored;
pub mod watch;
#[cfg(target_os = "linux")]
mod descriptor;
pub mod process;
pub mod git_view;
pub mod git_write;
pub mod waiting_commits;
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "programs are confined on Linux alone")
)]
pub mod network;
#[cfg(target_os = "linux")]
pub mod shadow;
#[cfg(target_os = "linux")]
pub mod supervisor;
