//! Settings of the interface, as the user's file has them. They reach the state whole, once the configuration was read.

use serde::Deserialize;

use crate::theme::ThemeName;

/// What is configured of the interface: `[interface]` of the user's file.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InterfaceSettings {
    /// Whether the terminal's title, bell and notifications say that signoff waits or is done.
    pub notify: bool,
    /// Whether the wheel and clicks are the interface's. The terminal selects text with Shift held then.
    pub mouse: bool,
    /// Whether the conversation goes to the terminal's scrollback.
    pub inline: bool,
    /// The colours of the screen.
    pub theme: ThemeName,
}

impl Default for InterfaceSettings {
    fn default() -> Self {
        Self {
            notify: true,
            mouse: true,
            inline: false,
            theme: ThemeName::default(),
        }
    }
}
