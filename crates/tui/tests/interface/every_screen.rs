//! Every screen at 30, 80 and 120 columns, as it looks in two themes.

use signoff_core::edit::intent::Operation;
use signoff_core::stage::review::{AnswerEnd, DiffScope, HunkStatus, RevertTo};
use signoff_llm::message::CallId;
use signoff_llm::session::{Event, FaultKind};

use crate::stage::{self, Stage};
use crate::{background, changes, composing, critique, picker, review_work, sign_off, transcript};

const SIZES: [(u16, u16); 3] = [(30, 30), (80, 24), (120, 28)];

/// Returns the screen with a row of letters below each row; each letter stands for a style in the one theme and one in
/// the other, which the lines at the end name. Blanks stand for the text on the background of both.
fn styles(dark: &Stage, light: &Stage) -> String {
    let area = dark.buffer().area;
    let style = |stage: &Stage, x, y| {
        let cell = stage.cell(x, y);
        (cell.fg, cell.bg, cell.modifier)
    };
    let text = dark.screen();
    assert_eq!(text, light.screen(), "a theme changes colours alone");
    let ground = (
        style(dark, 0, area.height - 1),
        style(light, 0, area.height - 1),
    );
    let mut known = vec![ground];
    let letters = || (' '..=' ').chain('a'..='z').chain('A'..='Z');
    let mut out = String::new();
    for (y, row) in (0..area.height).zip(text.lines()) {
        let mut styles = String::new();
        for x in 0..area.width {
            let both = (style(dark, x, y), style(light, x, y));
            let at = known.iter().position(|own| *own == both);
            let at = at.unwrap_or_else(|| {
                known.push(both);
                known.len() - 1
            });
            assert!(at < letters().count(), "more styles than letters");
            styles.extend(letters().nth(at));
        }
        let styles = styles.trim_end();
        out.push_str(row);
        out.push('\n');
        if !styles.is_empty() {
            out.push_str(&format!("{styles}\n"));
        }
    }
    for (letter, (dark, light)) in letters().zip(&known) {
        let told = |(fg, bg, with): &(_, _, ratatui::style::Modifier)| {
            let with = if with.is_empty() {
                String::new()
            } else {
                format!(" {with:?}")
            };
            let (fg, bg): (&ratatui::style::Color, &ratatui::style::Color) = (fg, bg);
            format!("{fg} on {bg}{with}")
        };
        out.push_str(&format!("{letter}: {} | {}\n", told(dark), told(light)));
    }
    out
}

/// Takes the same steps in both themes at every width.
fn check(name: &str, steps: impl Fn(&mut Stage)) {
    for (width, height) in SIZES {
        let [dark, light] = ["dark", "light"].map(|theme| {
            let mut stage = Stage::ready(width, height);
            stage.paste(&format!("/theme {theme}"));
            // Another key clears what the command says in the status line.
            stage.press("<enter>x<backspace>");
            steps(&mut stage);
            stage
        });
        let styles = styles(&dark, &light);
        insta::assert_snapshot!(format!("every_{name}_{width}"), styles);
    }
}

fn reviewing(stage: &mut Stage) {
    stage.tell(stage::asking("rename total to sum"));
    stage.tell(stage::staging(stage::two_files()));
}

#[test]
fn composer_and_transcript() {
    check("start", |_| {});
    check("prompt", |stage| {
        stage.paste("explain this:\n\nfn bill()");
    });
    check("commands", |stage| drop(stage.press("/re")));
    check("mentions", |stage| {
        stage.press("explain @ca");
        composing::found(
            stage,
            "ca",
            &["src/cart.rs", "src/a/very/long/folder/that/holds/cart.rs"],
        );
    });
    check("palette", |stage| drop(stage.press("fix the <ctrl-p>")));
    check("streaming", |stage| {
        stage.tell(stage::asking("remove all headings from notes.md"));
        stage.tell([stage::text("I will take the **headings** out:\n")]);
        stage.tell(stage::streaming(42));
        stage.press("and the links<enter>");
        stage.wait(3);
    });
    check("answered", |stage| drop(stage.tell(transcript::answer())));
    check("background", |stage| {
        background::open(stage);
        stage.press("j");
    });
    check("browsing", |stage| {
        stage.tell(transcript::answer());
        stage.press("<ctrl-t>k");
    });
    check("fault", |stage| {
        drop(stage.tell([stage::fault(FaultKind::Provider)]))
    });
    check("permission", |stage| {
        stage.tell(stage::asking("build it"));
        stage.tell([Event::PermissionAsked {
            call: CallId("a".to_owned()),
            tool: "bash".to_owned(),
            subject: "make install && rm -rf build".to_owned(),
        }]);
    });
}

#[test]
fn review() {
    check("review", reviewing);
    check("two_sides", |stage| {
        reviewing(stage);
        stage.press("t");
    });
    check("lines", |stage| {
        reviewing(stage);
        stage.press("vj ");
    });
    check("marked", |stage| {
        reviewing(stage);
        stage.press("aa");
    });
    check("deny_reason", |stage| {
        reviewing(stage);
        stage.press("dkeep the old name, others use it");
    });
    check("question", |stage| {
        reviewing(stage);
        stage.press("?Why not both?");
    });
    check("asked", |stage| {
        reviewing(stage);
        stage.press("?Why?<enter>");
        let answer = review_work::answer("Since the old name is gone.", Some(AnswerEnd::Whole));
        stage.tell([review_work::question("Why?"), answer]);
    });
    check("comment", |stage| {
        reviewing(stage);
        stage.press("mname it price<enter>m");
    });
    check("critique", |stage| {
        reviewing(stage);
        stage.tell([critique::began()].into_iter().chain(critique::comments()));
        stage.tell([critique::ended(3, 2, 1)]);
    });
    check("in_place", |stage| {
        reviewing(stage);
        stage.press("i// why<enter>");
    });
    check("search", |stage| {
        reviewing(stage);
        stage.press("/sum");
    });
    check("filter", |stage| {
        reviewing(stage);
        stage.press("af");
    });
    check("conflict", |stage| {
        let mut proposal = stage::proposal(1, "a.rs", Operation::Modify, &[5]);
        let own = &mut proposal.hunks[0];
        let reason = "you saved these lines while `sed` ran".to_owned();
        own.status = HunkStatus::Conflict { reason };
        own.yours = vec!["let price = 3;".to_owned()];
        own.takeable = true;
        stage.tell(stage::staging(vec![proposal]));
    });
    check("palette_review", |stage| {
        reviewing(stage);
        stage.press("<ctrl-p>rewrite");
    });
    check("blame", |stage| {
        reviewing(stage);
        stage.press("b");
        stage.tell([changes::blame()]);
    });
    check("placement", |stage| {
        reviewing(stage);
        stage.press("p");
        stage.tell([changes::placement()]);
    });
}

#[test]
fn sign_off_and_history() {
    check("sign_off", sign_off::mark_all);
    check("written", |stage| {
        sign_off::mark_all(stage);
        stage.press("<enter>");
        stage.tell([sign_off::written(), Event::Review(vec![].into())]);
    });
    check("history", |stage| {
        stage.tell([changes::history()]);
        stage.press("/history<enter>jjlj");
    });
    check("revert", |stage| {
        stage.tell([stage::history()]);
        stage.press("/revert<enter>");
        stage.tell([stage::revert_preview(RevertTo::Last, 3)]);
    });
    check("diff", |stage| {
        stage.press("/diff<enter>");
        stage.tell([changes::diff(DiffScope::Waiting, changes::three_files())]);
    });
    check("places", |stage| {
        stage.tell(stage::asking("close it"));
        stage.tell([
            changes::failed_call(),
            changes::unplaced(vec![changes::places()]),
        ]);
        stage.press("/places<enter>");
    });
}

#[test]
fn help_and_lists() {
    check("help", |stage| drop(stage.press("?")));
    check("help_of_the_review", |stage| {
        reviewing(stage);
        stage.press("<f1>");
    });
    check("models", |stage| {
        stage.press("/model<enter>");
        stage.tell([picker::models("gpt-5-mini")]);
    });
    check("conversations", |stage| {
        stage.press("/sessions<enter>");
        stage.tell([picker::conversations()]);
    });
}
