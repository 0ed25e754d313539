//! The review: what waits for the user's word as diffs on the screen, verdicts on it, and what was written.
//!
//! In: lists of staged work, keys, texts that the user enters. Out: rows, and [`response::Response`]s that the interface
//! carries out. Knows no session and no model, nor which key is which.
//!
//! The rooms in order; each uses only rooms above it.
//!
//! | room | is |
//! |---|---|
//! | `response` | Responses: what a key, or a text that is entered, comes to in a pane |
//! | `diagnosed` | Diagnosed hunks: which hunk a diagnostic is about |
//! | `review` | Review pane: staged proposals, their diffs, and verdicts on hunks |

pub mod response;
pub mod diagnosed;
pub mod review;

// The rooms of the crate below under their own names.
use signoff_draw::{blanks, displayed, markdown, row_window, theme, wrap};
