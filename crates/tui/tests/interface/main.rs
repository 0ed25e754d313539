//! The interface through its entry point: messages in, screens and commands out.

mod anything;
mod keys;
mod leave;
mod screens;
mod stage;
