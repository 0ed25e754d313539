//! The rules that no compiler holds, read off the sources as text: layers, ranks of rooms,
//! headers, sizes, and what must not stand in a file at all.

#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

mod house;
mod layers;
mod lexer;
mod licences;
mod names;
mod packages;
mod printed;
mod ranks;
mod sources;
