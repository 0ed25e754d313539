//! Protocols: what other programs speak with signoff.
//!
//! In: messages of an editor or of another agent, on standard input or a socket. Out: theirs, and proposals that wait for
//! the user. Each protocol is a feature and a folder.
//!
//! `mcp` serves other agents by `rmcp`: `offered` has a row for each tool, `workspace` does what they ask for; `bridge`
//! serves it to an agent in the shadow, by a socket that `relay` copies to, and `in_flight` bounds what one connection has
//! open. `acp` serves editors in the message types of the protocol's crate: `connection` reads and writes them,
//! `editor_session` is a conversation as a state machine without input or output, `update` and `card` say what is shown,
//! `conversation` and `serving` have the threads and the pipes (`docs/decisions/0050`).
//!
//! **Invariant:** no call of another agent approves, writes or takes back. Nothing of a bridge outlives its run.
//!
//! The rooms in order; each uses only rooms above it.
//!
//! | room | is |
//! |---|---|
//! | `acp` | The Agent Client Protocol: `signoff acp` |
//! | `mcp` | The Model Context Protocol: `signoff mcp`, and what `signoff run --agent` serves |

#[cfg(feature = "acp")]
pub mod acp;
#[cfg(feature = "mcp")]
pub mod mcp;

// Proposals for tests.
#[cfg(test)]
#[cfg(feature = "acp")]
#[path = "../../review/src/review/kit.rs"]
mod kit;
