//! Checking: the project's checks beside everything else.
//!
//! In: that what is staged is to be checked. Out: one input with what came of it. A newer check ends an
//! older one.

use std::sync::Arc;

use signoff_checks::check::CheckReport;
use signoff_core::budget::{Stop, Stopped};
use tokio::sync::mpsc::UnboundedSender;

use crate::session::Input;
use crate::tool::Ground;
use crate::verified::Wanted;

/// The check that runs, if one does.
#[derive(Default)]
pub(super) struct Checking {
    stop: Stop,
}

impl Checking {
    /// Starts a check.
    pub(super) fn start(
        &mut self,
        (check, wanted): (u64, Wanted),
        ground: Arc<Ground>,
        inbox: UnboundedSender<Input>,
    ) {
        self.stop();
        self.stop = Stop::default();
        let stop = self.stop.clone();
        tokio::task::spawn_blocking(move || {
            let outcome = match ground.checks() {
                Some(checks) => checks(
                    ground.engine(),
                    wanted,
                    (stop.flag(), &|step| {
                        if inbox.send(Input::CheckBegins { check, step }).is_err() {
                            tracing::debug!("nobody is told any more how far a check is");
                        }
                    }),
                ),
                None => Ok(CheckReport::default()),
            };
            if inbox.send(Input::Checked { check, outcome }).is_err() {
                tracing::debug!("the report of a check is not needed any more");
            }
        });
    }

    /// Ends the check that runs.
    pub(super) fn stop(&self) {
        self.stop.stop(Stopped::Cancelled);
    }
}
