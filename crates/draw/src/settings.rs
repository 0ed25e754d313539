//! Settings of the interface, as the user's file has them. They reach the state whole, once the configuration was read.

use serde::Deserialize;

use crate::theme::ThemeName;

/// What is configured of the interface: `[interface]` of the user's file.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InterfaceSettings {
    /// `false`: no bell, no notification and no title when signoff is done or waits for you.
    pub notify: bool,
    /// `false`: the mouse is the terminal's own. With it, the terminal selects text while Shift is held.
    pub mouse: bool,
    /// `true`: the conversation goes to the scrollback, as with `--inline`.
    pub inline: bool,
    /// `"auto"` (without it): the terminal's own background, found out by OSC 11 or `COLORFGBG`, with changed lines
    /// tinted; the terminal's sixteen colours where neither tells. `"terminal"`: the sixteen everywhere. `"dark"`,
    /// `"light"`, `"high-contrast-dark"`, `"high-contrast-light"` bring their own background and need 256 colours.
    /// `NO_COLOR` wins.
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
