//! Configuration of the interface.

use serde::Deserialize;

use crate::theme::ThemeName;

/// `[interface]` of the user's file.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct InterfaceFile {
    /// Whether the terminal's title, bell and notifications say that signoff waits or is done.
    pub(crate) notify: bool,
    /// Whether the wheel and clicks are the interface's. The terminal selects text with Shift held then.
    pub(crate) mouse: bool,
    /// Whether the conversation goes to the terminal's scrollback.
    pub(crate) inline: bool,
    /// The colours of the screen.
    pub(crate) theme: ThemeName,
}

impl Default for InterfaceFile {
    fn default() -> Self {
        Self {
            notify: true,
            mouse: true,
            inline: false,
            theme: ThemeName::default(),
        }
    }
}

/// The user's file, of which only this is needed before the first frame.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FirstFrameFile {
    pub(super) interface: FirstFrame,
}

/// What `[interface]` says of the first frame: in which way the terminal is taken over, and in which colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct FirstFrame {
    /// Whether the conversation goes to the terminal's scrollback.
    pub(crate) inline: bool,
    /// The colours of the screen.
    pub(crate) theme: ThemeName,
}
