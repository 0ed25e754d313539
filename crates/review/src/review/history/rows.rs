//! Rows of the history: a change in one row, and each of its files in one where it is opened.
//!
//! ```text
//! ▸ 14:22  Trace calls, 6 files, +18 -3  partly reverted
//!       src/a.rs  +3 -1  reverted
//! ```

use jiff::Timestamp as Moment;
use jiff::tz::TimeZone;
use signoff_core::id::Timestamp;
use signoff_core::plural::counted;
use signoff_core::stage::review::{DeniedEdit, EntryStatus, HistoryView};

use super::changes::Change;
use crate::theme::Role;
use crate::wrap::Row;

/// Columns of a title on a narrow screen, which push the rest out of it.
const TITLE_COLUMNS: usize = 12;

/// A clock and where it hangs.
#[derive(Clone, Debug)]
pub struct LocalTime {
    /// The time now.
    pub now: Timestamp,
    /// The time zone.
    pub zone: TimeZone,
}

impl LocalTime {
    /// Returns the time of day if that was today, else the date, without the year if that is this one.
    fn told(&self, then: Timestamp) -> String {
        let at = |time: Timestamp| {
            let moment = Moment::from_millisecond(time.0).unwrap_or_default();
            moment.to_zoned(self.zone.clone())
        };
        let (then, now) = (at(then), at(self.now));
        let form = if then.date() == now.date() {
            "%H:%M"
        } else if then.year() == now.year() {
            "%b %d"
        } else {
            "%Y-%m-%d"
        };
        then.strftime(form).to_string()
    }
}

fn marked(selected: bool) -> (Row, Role) {
    let (mark, role) = if selected {
        ("▸ ", Role::Selected)
    } else {
        ("  ", Role::Text)
    };
    (Row::new(role, mark), role)
}

fn push_lines(row: &mut Row, added: u32, removed: u32) {
    row.push(Role::Added, &format!("+{added}"));
    row.push(Role::Text, " ");
    row.push(Role::Removed, &format!("-{removed}"));
}

/// Returns the row of a change; the title is cut where there is no room for it.
pub(super) fn change_row(
    change: &Change,
    entries: &[HistoryView],
    selected: bool,
    (time, width): (&LocalTime, usize),
) -> Row {
    let (mut row, role) = marked(selected);
    let newest = change.of(entries).map(|entry| entry.time).max();
    let told = newest.map(|then| time.told(then)).unwrap_or_default();
    row.push(Role::Dim, &format!("{told}  "));
    let files = match change.paths(entries).as_slice() {
        [path] => (*path).to_owned(),
        paths => counted(paths.len(), "file"),
    };
    let mut tail = Row::new(Role::Text, &format!(", {files}"));
    // A commit is no version of a file, and has no lines of its own.
    if change.of(entries).any(|entry| entry.version > 0) {
        tail.push(Role::Text, ", ");
        let sum = |of: fn(&HistoryView) -> u32| change.of(entries).map(of).sum();
        push_lines(
            &mut tail,
            sum(|entry| entry.added),
            sum(|entry| entry.removed),
        );
    }
    let state = change.state(entries).words();
    tail.push(Role::Text, "  ");
    tail.push(Role::Warn, state);
    let room = width.saturating_sub(row.width() + tail.width());
    let title = change.title(entries).trim_end_matches(['.', ',', ';', ':']);
    let title = Row::new(role, title);
    row.append(&title.clipped(room.max(TITLE_COLUMNS)));
    row.append(&tail);
    row
}

/// Returns the row of a file of the change above.
pub(super) fn file_row(entry: &HistoryView, selected: bool, time: &LocalTime) -> Row {
    let (mut row, role) = marked(selected);
    row.push(Role::Text, "    ");
    if let Some((from, _)) = &entry.moved {
        row.push(Role::Dim, &format!("{from} to "));
    }
    row.push(role, &entry.path);
    row.push(Role::Text, "  ");
    push_lines(&mut row, entry.added, entry.removed);
    let state = match (entry.status, entry.turned) {
        (EntryStatus::Reverted, None) => "reverted".to_owned(),
        (EntryStatus::Reverted, Some(then)) => format!("reverted {}", time.told(then)),
        (EntryStatus::Revert, _) => "revert".to_owned(),
        (EntryStatus::Applied | EntryStatus::Ran | EntryStatus::Moved, Some(then)) => {
            format!("redone {}", time.told(then))
        }
        (EntryStatus::Ran, None) => "changed by a command".to_owned(),
        (EntryStatus::Applied | EntryStatus::Moved, None) => String::new(),
    };
    if let Some(proposer) = entry.proposer.as_ref().filter(|own| own.is_named()) {
        row.push(Role::Dim, &format!("  by {proposer}"));
    }
    row.push(Role::Text, "  ");
    row.push(Role::Warn, &state);
    if entry.edited {
        row.push(Role::Dim, "  as you edited it");
    }
    if let Some(signed) = &entry.sign_off {
        row.push(
            Role::Dim,
            &format!("  signed by you, {}", signed.in_words()),
        );
    }
    if entry.request.is_some() {
        row.push(Role::Dim, &format!("  {}", entry.description.trim()));
    }
    row
}

/// Returns the row of a hunk that was denied.
pub(super) fn denied_row(hunk: &DeniedEdit, selected: bool, time: &LocalTime) -> Row {
    let (mut row, role) = marked(selected);
    row.push(Role::Dim, &format!("{}  ", time.told(hunk.denied.time)));
    row.push(role, &hunk.path);
    row.push(Role::Text, "  ");
    push_lines(&mut row, hunk.added, hunk.removed);
    // The reason is what the user looks for: a long description is cut, and not that.
    if let Some(reason) = &hunk.denied.reason {
        row.push(Role::Warn, &format!("  denied: {reason}"));
    }
    row.push(Role::Text, &format!("  {}", hunk.description.trim()));
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_today_is_told_by_the_clock() {
        const DAY: i64 = 86_400_000;
        let zone = |hours| TimeZone::fixed(jiff::tz::offset(hours));
        let told = |hours, now, then| {
            let time = LocalTime {
                now: Timestamp(now),
                zone: zone(hours),
            };
            time.told(Timestamp(then))
        };
        assert_eq!(told(0, DAY * 2, DAY * 2), "00:00");
        assert_eq!(told(0, DAY * 2, DAY * 2 - 60_000), "Jan 02");
        assert_eq!(told(0, DAY * 2, -DAY), "1969-12-31");
        assert_eq!(told(1, DAY * 2, DAY * 2 - 60_000), "00:59");
    }
}
