//! OpenAI Responses: pure text in, pure text out.
//!
//! In: a [`Prompt`](crate::message::Prompt) to encode, or a server's words to decode. Out: a
//! request body, or [`Delta`](super::Delta)s. Nothing is stored at the server: every request
//! holds the whole conversation.

mod decode;
mod encode;

pub use decode::decoder;
pub use encode::encode;

#[cfg(test)]
mod tests;
