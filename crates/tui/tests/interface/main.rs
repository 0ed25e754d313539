//! The interface through its entry point: messages in, screens and commands out.

mod anything;
mod arrangement;
mod changes;
mod composing;
mod displayed;
mod every_screen;
mod folds;
mod inline;
mod keys;
mod lines;
mod mouse;
mod palette;
mod permission_prompt;
mod picker;
mod pictures;
mod review_keys;
mod review_work;
mod rewind;
mod screens;
mod sign_off;
mod stage;
mod terminal;
mod svg;
mod transcript;
mod type_ahead;
mod user_keys;
