//! Configuration of the interface.

use serde::Deserialize;
use signoff_draw::theme::ThemeName;

/// The user's file, of which only this is needed before the first frame.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FirstFrameFile {
    pub(super) interface: FirstFrame,
}

/// What `[interface]` says of the first frame: in which way the terminal is taken over, and in which colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FirstFrame {
    /// Whether the conversation goes to the terminal's scrollback.
    pub inline: bool,
    /// The colours of the screen.
    pub theme: ThemeName,
}
