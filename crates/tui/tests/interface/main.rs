//! The interface through its entry point: messages in, screens and commands out.

mod anything;
mod keys;
mod screens;
mod stage;
