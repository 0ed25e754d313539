//! Screen layout.
//!
//! In: the screen's size and how many rows the input wants. Out: rectangles that never
//! overlap, at any size.

use ratatui::layout::Rect;

/// Fewer rows than this are not shared between transcript and review.
const SHARED: u16 = 18;

/// The parts of the screen, top to bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Areas {
    /// Where transcript, or an overlay, is.
    pub(crate) transcript: Rect,
    /// Where the review is, if it is open.
    pub(crate) review: Option<Rect>,
    /// The line above the input; empty on a very low screen.
    pub(crate) rule: Rect,
    /// The input.
    pub(crate) input: Rect,
    /// The status line; empty on a screen of one row.
    pub(crate) status: Rect,
}

/// Whether the review takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Panes {
    /// Transcript alone.
    Transcript,
    /// Transcript and review.
    Review,
}

/// Returns the parts of `area` when the input wants `input_rows` rows.
pub(crate) fn areas(area: Rect, input_rows: u16, panes: Panes) -> Areas {
    let status = u16::from(area.height >= 2);
    let rule = u16::from(area.height >= 4);
    let left = area.height - status - rule;
    let input = input_rows.clamp(1, left.saturating_sub(3).max(1)).min(left);
    let main = left - input;
    let (transcript, review) = match panes {
        Panes::Transcript => (main, 0),
        Panes::Review if main >= SHARED => (main / 4, main - main / 4),
        Panes::Review => (0, main),
    };
    let mut y = area.y;
    let mut next = |height: u16| {
        let part = Rect::new(area.x, y, area.width, height);
        y += height;
        part
    };
    Areas {
        transcript: next(transcript),
        review: match panes {
            Panes::Transcript => None,
            Panes::Review => Some(next(review)),
        },
        rule: next(rule),
        input: next(input),
        status: next(status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_transcript_makes_room_for_the_input() {
        let check = |height, input, expected: (u16, u16)| {
            let areas = areas(Rect::new(0, 0, 80, height), input, Panes::Transcript);
            assert_eq!((areas.transcript.height, areas.input.height), expected);
        };
        check(24, 1, (21, 1));
        check(24, 10, (12, 10));
        check(8, 10, (3, 3));
        check(5, 10, (2, 1));
        check(2, 10, (0, 1));
    }

    proptest! {
        #[test]
        fn parts_fill_the_screen_and_never_overlap(
            width in 0u16..200, height in 0u16..80, input in 0u16..20, open: bool,
        ) {
            let panes = if open { Panes::Review } else { Panes::Transcript };
            let screen = Rect::new(0, 0, width, height);
            let areas = areas(screen, input, panes);
            let review = areas.review.map_or(0, |review| review.height);
            let sum = areas.transcript.height + review + areas.rule.height
                + areas.input.height + areas.status.height;
            prop_assert_eq!(sum, height);
            prop_assert!(height == 0 || areas.input.height > 0);
        }
    }
}
