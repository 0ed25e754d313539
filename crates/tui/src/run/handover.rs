//! What leaves the interface beside frames: copies, exports, the title and calls.

use std::io;
use std::sync::Arc;
use std::thread;

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
        for request in self.app.take_background() {
            let (carry_out, bell) = (Arc::clone(&self.background), self.files.bell.clone());
            // It is said as well how an agent ends.
            thread::spawn(move || {
                carry_out(request, &|news| {
                    let _gone = bell.send(Msg::Background(news));
                });
            });
        }
        if let Some(export) = self.app.take_export() {
            let line = self.exports.write(&export);
            self.app.update(Msg::Exported(line), now());
        }
        Ok(())
    }
}
