//! The client of the Model Context Protocol.
//!
//! The rooms in order; each uses only rooms above it.
//!
//! | room | is |
//! |---|---|
//! | `definition` | Server definitions: how a server is started or reached |
//! | `foreign_text` | Foreign text: what servers say, bounded and marked |
//! | `catalogue` | Catalogue: the tools, resources and prompts of one server |
//! | `approvals` | Approvals: which state of a tool the user's permission was for |
//! | `child` | Child processes: servers on standard input and output |
//! | `sign_in` | Sign-ins: OAuth 2.1 for servers that are reached by HTTP |
//! | `redaction` | Redaction: what a server is told and nobody else may read does not come back from it |
//! | `connection` | Connections to one server |
//! | `servers` | The servers of a conversation |

pub mod definition;
mod foreign_text;
mod catalogue;
mod approvals;
pub mod child;
mod sign_in;
mod redaction;
mod connection;
mod servers;

pub use redaction::without_secrets;
pub use servers::signing_in::{forget_sign_in, is_signed_in, sign_in};
pub use servers::{Servers, ServersSetup};
pub use sign_in::{SignInError, SignInInvitation};
