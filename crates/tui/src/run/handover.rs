//! What leaves the interface beside frames: copies, exports, the title and calls.

use std::io;

use super::{Loop, now};
use crate::app::Msg;

impl Loop<'_> {
    /// Copies and writes what the user asked for, and calls a user who looks elsewhere.
    pub(super) fn hand_over(&mut self) -> io::Result<()> {
        if let Some(title) = self.app.title() {
            self.screen.set_title(title)?;
        }
        if let Some(call) = self.app.take_call() {
            self.screen.call(&call)?;
        }
        if let Some(text) = self.app.take_copied() {
            self.screen.copy(&text)?;
        }
        if let Some(export) = self.app.take_export() {
            let line = self.exports.write(&export);
            self.app.update(Msg::Exported(line), now());
        }
        Ok(())
    }
}
