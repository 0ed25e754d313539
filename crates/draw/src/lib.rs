//! Text laid out for a terminal: what is said, quoted or listed becomes rows with roles.
//!
//! In: texts, of which nothing is trusted. Out: rows no wider than asked for, in which nothing moves, hides or reorders
//! what the terminal shows. Knows neither what is drawn nor why.
//!
//! The rooms in order; each uses only rooms above it.
//!
//! | room | is |
//! |---|---|
//! | `sanitize` | Sanitising untrusted text for display |
//! | `theme` | Styles by role, never by colour |
//! | `settings` | Settings of the interface, as the user's file has them |
//! | `blanks` | Long runs of blanks and of empty lines, counted instead of printed |
//! | `wrap` | Styled rows and line wrapping |
//! | `markdown` | Markdown rendering, one line at a time |
//! | `snippet` | Colours of code in what a model says |
//! | `displayed` | Displayed lines of a text, at any width of the screen |
//! | `row_window` | Row window: which of many rows are on the screen |

pub mod sanitize;
pub mod theme;
pub mod settings;
pub mod blanks;
pub mod wrap;
pub mod markdown;
pub mod snippet;
pub mod displayed;
pub mod row_window;
