//! The conversation of signoff.
//!
//! The rooms in order; each uses only rooms above it.
//!
//! | room | is |
//! |---|---|
//! | `partial_json` | Partial JSON: reads a tool call's arguments before they are complete |
//! | `web` | Pages of the web, as text |
//! | `subjects` | Subjects: what a call is used on, known before it runs |
//! | `phase` | The phase of a conversation |
//! | `tool_output` | Tool outputs: what came of a call, for the model, for the user and for the session |
//! | `tool_names` | Tool names: which tool a rule or an agent means |
//! | `offline` | The built-in offline planner: a provider without a model |
//! | `code_block` | Code blocks: edits out of fences that rewrite a whole file or one function |
//! | `instructions` | Instructions: the first message of every request |
//! | `front_matter` | Front matter: the fields in YAML that a Markdown file begins with |
//! | `skill` | Skills: instructions for certain tasks, which a model reads when it needs them |
//! | `agent` | Agents: roles with a prompt, tools, a model and limits of their own |
//! | `critic` | Review agent: what it is shown of the hunks that wait |
//! | `gate` | Gate: the calls that may run and the tools that the next request may use |
//! | `plan` | Plans as documents: numbered steps with their files, risks and checks |
//! | `mention` | Mentions: files that a prompt names behind an `@` |
//! | `mode` | Modes: how far the model goes before the user looks |
//! | `secret_file` | Secret-looking files, told by their names and by what is in them |
//! | `surroundings` | Surroundings: what the model is given to know of the workspace before a request |
//! | `notice` | Notices: messages of the system to the model inside a request |
//! | `transcript` | Transcript: the messages of a conversation in order, the only source of requests |
//! | `compaction` | Compaction: a shorter form of a conversation |
//! | `permission` | Permission rules: which calls run, which need the user's permission, and which never run |
//! | `commit` | Commits of git: what was signed off and the last commit lacks |
//! | `offer` | Offers: what waits, as commits that another person can take, and the verdicts that come back |
//! | `memory` | Saved conversations: one file of JSON lines each, beside the store |
//! | `shadow` | Between the engine and the shadow: staged files go in, proposals come back |
//! | `language_servers` | Language servers of a workspace: started when something is asked of them, and kept |
//! | `apply` | Apply model: a small model writes the content of a declared edit |
//! | `code_index` | Code index: what is known of the names in a workspace and of the files that are like each other |
//! | `claims` | Claims: what a model says of its changes, held against the changes |
//! | `hook` | Hooks: commands of the user's that are asked before a tool runs and told after it, in Claude Code's JSON |
//! | `verified` | Verified payloads: what checks say that a payload asks for |
//! | `tool` | Tools: one file each |
//! | `trial` | Trials of a model: whether it answers, and whether it calls tools |
//! | `checks` | Checks of what is staged: compilers and linters on the shadow, before anything is approved |
//! | `session` | Session: the conversation as a state machine without IO |
//! | `query_lane` | Query lane: what a front end asks of a running conversation and that changes nothing, beside the session |
//! | `driver` | Driver: performs the session's effects and feeds its inputs |
//!
//! Below them is the crate `signoff-providers`, whose rooms this one hands on: messages, providers, images.

pub mod partial_json;
pub mod web;
mod subjects;
pub mod phase;
mod tool_output;
mod tool_names;
pub mod offline;
pub mod code_block;
pub mod instructions;
mod front_matter;
pub mod skill;
pub mod agent;
pub mod critic;
pub mod gate;
pub mod plan;
pub mod mention;
pub mod mode;
pub mod secret_file;
pub mod surroundings;
pub mod notice;
pub mod transcript;
pub mod compaction;
pub mod permission;
pub mod commit;
pub mod offer;
pub mod memory;
#[cfg(target_os = "linux")]
pub mod shadow;
#[cfg(target_os = "linux")]
pub mod language_servers;
pub mod apply;
pub mod code_index;
pub mod claims;
pub mod hook;
pub mod verified;
pub mod tool;
pub mod trial;
#[cfg(target_os = "linux")]
pub mod checks;
pub mod session;
pub mod query_lane;
pub mod driver;

use signoff_providers::json;
pub use signoff_providers::{foreign, image, message, provider, tool_spec, trust, usage};

#[cfg(test)]
#[path = "../../providers/src/provider/loopback.rs"]
#[expect(dead_code, reason = "each crate has a use for some replies")]
mod loopback;
#[cfg(test)]
#[path = "../../providers/src/image/testing.rs"]
mod test_images;
