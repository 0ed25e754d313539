//! What the review and the sign-off page look like in a theme.

use crate::stage::{self, Stage};

/// Returns the screen with a row of letters below each row, and the style that each letter stands for; blanks stand for
/// the terminal's own.
fn styles(stage: &Stage, width: u16, height: u16) -> String {
    let mut known = Vec::new();
    let screen = stage.screen();
    let mut out = String::new();
    for (y, row) in (0..height).zip(screen.lines()) {
        let mut letters = String::new();
        for x in 0..width {
            let cell = stage.cell(x, y);
            let style = (cell.fg, cell.bg, cell.modifier);
            if style == Default::default() {
                letters.push(' ');
                continue;
            }
            let at = known.iter().position(|own| *own == style);
            let at = at.unwrap_or_else(|| {
                known.push(style);
                known.len() - 1
            });
            assert!(at < 52, "more styles than letters");
            letters.extend(('a'..='z').chain('A'..='Z').nth(at));
        }
        out.push_str(&format!("{row}\n{}\n", letters.trim_end()));
    }
    for (letter, (fg, bg, modifier)) in ('a'..='z').chain('A'..='Z').zip(&known) {
        out.push_str(&format!("{letter}: {fg:?} on {bg:?} {modifier:?}\n"));
    }
    out
}

#[test]
fn review_and_sign_off_in_dark_and_terminal() {
    for word in ["dark", "terminal"] {
        for width in [80, 120] {
            let mut stage = Stage::ready(width, 24);
            stage.press(&format!("/theme {word}<enter>"));
            stage.tell(stage::asking("rename total to sum"));
            stage.tell(stage::staging(stage::two_files()));
            let mut stage = stage.looked_through();
            insta::assert_snapshot!(format!("review_{word}_{width}"), styles(&stage, width, 24));
            stage.press("aaa");
            assert!(stage.screen().contains("── Sign off"), "{}", stage.screen());
            insta::assert_snapshot!(
                format!("sign_off_{word}_{width}"),
                styles(&stage, width, 24)
            );
        }
    }
}
