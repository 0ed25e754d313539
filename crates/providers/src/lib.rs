//! The wire to models and to servers of the Model Context Protocol, as far as the conversation sees them.
//!
//! The rooms in order; each uses only rooms above it.
//!
//! | room | is |
//! |---|---|
//! | `json` | Lenient JSON: accepts lone surrogate escapes |
//! | `image` | Images of prompts and of answers of tools: their formats and limits, and how they are recorded |
//! | `web_address` | Addresses of the web, and which of them are elsewhere |
//! | `tool_spec` | Tool specifications: what a model is told of a tool, and how far its calls reach |
//! | `message` | Messages, independent of any provider |
//! | `provider` | Providers: one file for each protocol |
//! | `usage` | Usage: the requests, tokens and, where prices are known, cost of a conversation |
//! | `trust` | Trust records: what the user thinks of something that is not theirs |
//! | `foreign` | Foreign servers: tools, resources and prompts that servers of the Model Context Protocol offer to a conversation |

pub mod json;
pub mod image;
pub mod web_address;
pub mod tool_spec;
pub mod message;
pub mod provider;
pub mod usage;
pub mod trust;
pub mod foreign;
