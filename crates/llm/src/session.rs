//! The conversation as a state machine without IO.
//!
//! In: [`Command`]s from the user and inputs from the world. Out: effects for the driver
//! and [`Event`]s for the screen.

mod command;
mod event;
mod phase;

pub use command::Command;
pub use event::{CommittedFile, Event, Fault, FaultKind, TurnEnd};
pub use phase::Phase;
