//! `signoff` from outside: the binary itself, as a person, another program, a server on the
//! wire and a terminal meet it.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what fails here fails a test"
)]

#[cfg(feature = "acp")]
mod acp;
mod agents;
mod apply;
mod apply_model;

mod attached;
mod background;
#[cfg(all(target_os = "linux", feature = "mcp"))]
mod bridged;
mod called;
#[cfg(target_os = "linux")]
mod changes;
mod checks;
mod claims;
mod commit;
mod config;
#[cfg(target_os = "linux")]
mod commits;
#[cfg(target_os = "linux")]
mod confined;
mod context;
mod critique;
#[cfg(target_os = "linux")]
mod effects;
mod engine;
mod evidence;
mod exec;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod faults;
mod first_run;
mod forge;
#[cfg(target_os = "linux")]
mod git_schedules;
#[cfg(target_os = "linux")]
mod git_scripts;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod killed_commits;
#[cfg(target_os = "linux")]
mod held;
#[cfg(target_os = "linux")]
mod held_keys;
mod history;
#[cfg(target_os = "linux")]
mod hooks;
mod hostile;
#[cfg(target_os = "linux")]
mod images;
mod in_text;
mod init;
mod inline;
#[cfg(target_os = "linux")]
mod kept;
mod links;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "mcp")]
mod mcp_client;
#[cfg(target_os = "linux")]
mod meanwhile;
#[cfg(target_os = "linux")]
mod network;
mod offers;
#[cfg(target_os = "linux")]
mod one_after_another;
mod pager;
mod passing_changes;
mod plain;
mod prompts;
mod protocols;
#[cfg(target_os = "linux")]
mod reversals;
mod refusals;
mod regenerated;
#[cfg(target_os = "linux")]
mod run;
mod repository;
mod review_tools;
mod rewind;
mod screen;
mod server;
mod sessions;
mod setup;
mod skills;
mod streamed;
mod surroundings;
#[cfg(target_os = "linux")]
mod survivors;
mod terminal;
mod together;
mod troubles;
mod turns;
mod untried;
mod user_git;
mod verdicts;
mod verify;
mod wire;
mod world;
