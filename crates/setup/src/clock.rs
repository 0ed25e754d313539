//! The time, and how it is written.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp as Moment;
use signoff_core::id::Timestamp;

/// Returns the time.
pub fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Returns a time in RFC 3339, in UTC.
pub fn moment(time: Timestamp) -> String {
    let moment = Moment::from_millisecond(time.0).unwrap_or_default();
    format!("{moment:.0}")
}
