//! OpenAI Chat Completions, which most servers speak: pure text in, pure text out.
//!
//! In: a [`Prompt`](crate::message::Prompt) to encode, or a server's words to decode. Out: a
//! request body, or [`Delta`](super::Delta)s.

mod decode;
mod encode;
mod refusal;

pub use decode::Decoder;
pub use encode::encode;
pub use refusal::one_line;
pub(crate) use refusal::{flat, refusal, refusal_text};
