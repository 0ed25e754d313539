//! The index of a workspace, and the ranking of its files for a request.
//!
//! | room | in | out |
//! |---|---|---|
//! | [`codec`] | values | bytes |
//! | [`words`] | text | terms |
//! | [`role`] | a path | what the file is for |
//! | [`imports`] | a text | what it imports |
//! | [`extract`] | a file | its terms, definitions and imports |
//! | [`segment`] | the terms of files | an inverted index in bytes |
//! | [`history`] | the output of `git log` | past commits |
//! | [`index`] | segments, history | the index |
//! | [`query`] | a request | weighted terms, paths, identifiers |
//! | [`rank`] | index, request | files with scores and reasons |
//! | [`map`] | index | source files by their importers |
//! | [`related`] | index, changed files | their tests |
//! | [`symbols`] | index, a name | definitions and references |
//! | [`part`] | a text, a request | the definition that it is about |
//! | [`excerpt`] | ranked files, a request | the lines that are given of each |
//! | [`disk`] | a folder | the index, kept up to date in a folder of its own |
//!
//! All but [`disk`] is pure.

mod codec;
pub mod words;
pub mod role;
mod imports;
pub mod extract;
pub mod segment;
pub mod history;
pub mod index;
pub mod query;
pub mod rank;
pub mod map;
pub mod related;
pub mod symbols;
pub mod part;
pub mod excerpt;
pub mod disk;
