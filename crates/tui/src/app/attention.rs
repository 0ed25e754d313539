//! What calls a user who looks elsewhere: the terminal's title, a bell and a notification.
//!
//! In: whether the terminal has the focus, turns as they begin and end, what waits. Out: a title, and a line when
//! signoff is done or waits for the user.

use signoff_core::id::Timestamp;

use crate::sanitize;

/// After turns of more than this the user is called even if the terminal has the focus: nobody watches for longer.
const LONG_TURN_MS: i64 = 10_000;

/// Calls the user, unless that is turned off.
#[derive(Debug, Default)]
pub(crate) struct Attention {
    /// Off until the configuration is known.
    is_on: bool,
    /// Only terminals that report the focus ever say so.
    is_elsewhere: bool,
    begun: Option<Timestamp>,
}

impl Attention {
    /// Takes over what is configured.
    pub(super) fn turn_on(&mut self, is_on: bool) {
        self.is_on = is_on;
    }

    /// Takes over whether the user's keys go elsewhere.
    pub(super) fn look_elsewhere(&mut self, is_elsewhere: bool) {
        self.is_elsewhere = is_elsewhere;
    }

    /// Takes over that something runs.
    pub(super) fn runs(&mut self, now: Timestamp) {
        self.begun.get_or_insert(now);
    }

    /// Takes over that signoff waits for the user, or is done; returns what the user is to be told.
    pub(super) fn waits(&mut self, why: &str, now: Timestamp) -> Option<String> {
        let took = self.begun.take().map_or(0, |begun| now.0 - begun.0);
        let calls = self.is_on && (self.is_elsewhere || took > LONG_TURN_MS);
        calls.then(|| sanitize::clean(why).into_owned())
    }

    /// Takes over that something ended at which nobody looks; returns what the user is to be told.
    pub(super) fn unwatched(&self, what: &str) -> Option<String> {
        self.is_on.then(|| sanitize::clean(what).into_owned())
    }

    /// Returns the title of the terminal; none if it stays as it is.
    pub(super) fn title(&self, workspace: &str, waits: bool) -> Option<String> {
        let mark = if waits { "● " } else { "" };
        let workspace = sanitize::clean(workspace);
        self.is_on.then(|| format!("{mark}signoff: {workspace}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_is_called_elsewhere_or_after_long() {
        let at = |seconds: i64| Timestamp(seconds * 1_000);
        let mut attention = Attention::default();
        attention.look_elsewhere(true);
        assert_eq!(attention.waits("done", at(0)), None, "not configured yet");
        assert_eq!(attention.title("w", false), None);
        attention.turn_on(true);
        assert_eq!(attention.waits("a\x07b", at(0)).as_deref(), Some("a␇b"));
        attention.look_elsewhere(false);
        attention.runs(at(1));
        attention.runs(at(5));
        assert_eq!(attention.waits("done", at(9)), None, "the user is there");
        attention.runs(at(20));
        assert_eq!(attention.waits("done", at(31)).as_deref(), Some("done"));
        assert_eq!(
            attention.title("~/w", true).as_deref(),
            Some("● signoff: ~/w")
        );
    }
}
