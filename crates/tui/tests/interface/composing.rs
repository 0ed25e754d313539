//! The composer: lists above it, searches, pastes, drafts, the queue.

use insta::assert_snapshot;
use signoff_core::id::Timestamp;
use signoff_core::stage::review::{RevertTarget, WrittenSince};
use signoff_llm::mode::Mode;
use signoff_llm::session::{Command, Event, FaultKind, Phase, PromptRef, TurnEnd};
use signoff_tui::app::PastedImage;
use signoff_tui::app::{App, AppEffect, BackgroundNews, BackgroundRequest, Msg, Options, Query};
use signoff_tui::file_finder::{Found, Mentioned};

use crate::stage::{self, Stage, submit};

pub(crate) fn found(stage: &mut Stage, query: &str, paths: &[&str]) {
    let mentioned = |path: &&str| Mentioned {
        mention: format!("@{path}"),
        name: (*path).to_owned(),
        about: String::new(),
    };
    stage.feed(Msg::Found(Found {
        query: query.to_owned(),
        choices: paths.iter().map(mentioned).collect(),
    }));
    stage.draw();
}

/// What is typed is in the last rows.
fn input(stage: &Stage) -> String {
    let screen = stage.screen();
    let row = screen.lines().rfind(|row| row.starts_with("› "));
    row.unwrap_or_default().to_owned()
}

#[test]
fn commands_are_listed_completed_and_carried_out() {
    for (width, height) in [(40, 24), (80, 24), (120, 30)] {
        let mut stage = Stage::ready(width, height);
        stage.press("/re");
        assert_snapshot!(format!("commands_{width}"), stage.screen());
    }
    for (typed, asked, left) in [
        ("/hist<enter>", vec![], "› Ask for a change"),
        (
            "/comp<tab><enter>",
            vec![Command::Compact],
            "› Ask for a change",
        ),
        (
            "/mode tu<tab><enter>",
            vec![Command::SetMode(Mode::Turn)],
            "› Ask",
        ),
        (
            "/mode <down><down><enter>",
            vec![Command::SetMode(Mode::Step)],
            "› Ask",
        ),
        ("/rev<down><enter>", vec![], "› /revert"),
        ("/de<enter>", vec![], "› /deny"),
        ("/app<enter>", vec![], "› /approve"),
        ("/comp<esc><enter>", vec![], "› /comp"),
        ("/comp<esc>a", vec![], "› /compa"),
        ("/nope<enter>", vec![], "› /nope"),
        ("/m<backspace><backspace>go<enter>", submit("go"), "› Ask"),
    ] {
        let mut stage = Stage::ready(80, 24);
        assert_eq!(stage.press(typed), asked, "{typed}");
        if !typed.starts_with("/hist") {
            assert!(
                input(&stage).starts_with(left),
                "{typed}\n{}",
                stage.screen()
            );
        }
    }
}

#[test]
fn files_behind_an_at_are_listed_and_put_in() {
    for (width, height) in [(40, 24), (80, 24), (120, 30)] {
        let mut stage = Stage::ready(width, height);
        stage.press("explain @cart");
        found(
            &mut stage,
            "cart",
            &[
                "src/cart.rs",
                "src/checkout/shopping/cart_totals_by_region.rs",
            ],
        );
        assert_snapshot!(format!("mentions_{width}"), stage.screen());
    }
    for (keys, left) in [
        ("<tab>", "› see @src/cart.rs"),
        ("<enter>and", "› see @src/cart.rs and"),
        ("<down><enter>", "› see @docs/cart.md"),
        ("<up><enter>", "› see @docs/cart.md"),
        ("<esc><esc>", "› see @ca"),
        ("<esc>r", "› see @car"),
    ] {
        let mut stage = Stage::ready(80, 24);
        stage.press("see @ca");
        found(&mut stage, "ca", &["src/cart.rs", "docs/cart.md"]);
        assert_eq!(stage.press(keys), [], "{keys}");
        assert_eq!(input(&stage), left, "{keys}");
        assert!(!stage.screen().contains("▸ "), "{}", stage.screen());
    }
}

/// A choice that is asked for before it is known is taken when it comes; an answer to an older question is no choice.
#[test]
fn matches_that_come_late_are_not_taken_for_others() {
    let mut stage = Stage::ready(80, 24);
    stage.press("see @c");
    found(&mut stage, "c", &["a/changes.md"]);
    assert_eq!(stage.press("art<enter>"), []);
    assert_eq!(input(&stage), "› see @cart");
    found(&mut stage, "c", &["a/changes.md"]);
    assert_eq!(input(&stage), "› see @cart");
    found(&mut stage, "cart", &["src/cart.rs"]);
    assert_eq!(input(&stage), "› see @src/cart.rs");
    // Typed whole, it is sent.
    let mut stage = Stage::ready(80, 24);
    stage.press("@src/cart.rs");
    found(&mut stage, "src/cart.rs", &["src/cart.rs"]);
    assert_eq!(stage.press("<enter>"), submit("@src/cart.rs"));
}

#[test]
fn earlier_prompts_are_searched() {
    let mut stage = Stage::ready(80, 24);
    stage.feed(Msg::Prompts(vec![
        "fix the parser\nand its tests".to_owned(),
        "why?".to_owned(),
        "fix the lexer".to_owned(),
    ]));
    stage.press("draft<ctrl-r>fix");
    assert_snapshot!("search_80", stage.screen());
    stage.press("<esc>");
    assert_eq!(input(&stage), "› draft");
    stage.press("<ctrl-r>fix<ctrl-r><enter>");
    assert_eq!(input(&stage), "› fix the parser");
    stage.press("<ctrl-r>zz");
    assert!(stage.screen().contains("no prompt has that"));
    stage.press("<ctrl-c>");
    assert_eq!(input(&stage), "› fix the parser");
}

#[test]
fn a_long_paste_is_folded_opened_removed_and_sent_whole() {
    let text: String = (1..=120).map(|n| format!("line {n}\n")).collect();
    let mut stage = Stage::ready(80, 24);
    stage.press("why? ");
    stage.paste(&text);
    stage.press("!");
    assert_snapshot!("folded_paste_80", stage.screen());
    assert_eq!(stage.draft(), Some(format!("why? {text}!")));
    stage.press("<backspace><backspace>");
    assert_eq!(input(&stage), "› why?");
    stage.press("<ctrl-_>");
    assert_eq!(input(&stage), "› why? [pasted 120 lines]");
    stage.press("<ctrl-o>");
    assert!(stage.screen().contains("line 120"), "{}", stage.screen());
    stage.press("<ctrl-_>");
    let whole = format!("why? {text}");
    assert_eq!(stage.press("<enter>"), submit(whole.trim_end()));
    // It stays folded where it was sent, until the user wants to read it.
    stage.tell([Event::User {
        text: whole.trim_end().to_owned(),
    }]);
    let sent = "› why? [pasted 120 lines]";
    assert!(stage.screen().contains(sent), "{}", stage.screen());
    stage.press("<ctrl-o>");
    assert!(stage.screen().contains("line 3"), "{}", stage.screen());
    stage.press("<ctrl-o>");
    assert!(stage.screen().contains(sent), "{}", stage.screen());
    stage.press("<up>");
    assert!(stage.screen().contains("line 120"), "{}", stage.screen());
}

#[test]
fn a_draft_comes_back_and_an_initial_prompt_goes_before_it() {
    let open = |prompt: Option<&str>| {
        let mut app = App::new(Options {
            initial_prompt: prompt.map(str::to_owned),
            draft: Some("unsent\nwords".to_owned()),
            ..Options::default()
        });
        let mut effects = app.update(Msg::Session(stage::ready()), Default::default());
        effects.extend(app.kept());
        effects.extend(app.unsent());
        stage::parted(effects)
    };
    let (asked, kept) = open(None);
    let history = || AppEffect::Query(Query::History);
    assert_eq!(asked, [Command::Review]);
    assert_eq!(kept, [history()], "it is there and not sent");
    let (asked, kept) = open(Some("go"));
    assert_eq!(asked[1..], submit("go"));
    let prompts = ["unsent\nwords", "go"].map(str::to_owned).to_vec();
    let expected = [
        history(),
        AppEffect::KeepPrompts(prompts),
        AppEffect::KeepDraft(String::new()),
    ];
    assert_eq!(kept, expected, "it can be recalled");
}

#[test]
fn queued_prompts_are_taken_back_and_removed() {
    let mut stage = Stage::ready(80, 24);
    stage.tell(stage::asking("go"));
    stage.press("one<enter>two<enter>three<enter>");
    assert_snapshot!("queue_80", stage.screen());
    assert_eq!(stage.draft().as_deref(), Some("one\ntwo\nthree"));
    stage.press("<delete>");
    assert!(stage.screen().contains("Removed from the queue: three"));
    stage.press("<up>!");
    assert_eq!(input(&stage), "› two!");
    assert!(stage.screen().contains("1 prompt queued"));
    assert_eq!(stage.press("<enter>"), []);
    let asked = stage.tell([Event::Phase { phase: Phase::Idle }]);
    assert_eq!(asked, submit("one"));
}

#[test]
fn esc_twice_goes_back_to_a_prompt_of_the_conversation() {
    let mut stage = Stage::ready(80, 24);
    assert_eq!(
        stage.press("<esc>a<backspace><esc>"),
        [],
        "not one after the other"
    );
    assert_eq!(stage.press("<esc>"), [Command::Prompts]);
    let prompts = ["one", "two\nlines"].map(str::to_owned).to_vec();
    stage.tell([Event::Prompts { prompts }]);
    assert_snapshot!("rewind_80", stage.screen());
    let prompt = PromptRef {
        place: 0,
        text: "one".to_owned(),
    };
    assert_eq!(
        stage.press("<down><enter>"),
        [Command::RewindScope(prompt.clone())]
    );
    let written = RevertTarget::Since(WrittenSince {
        since: Timestamp(1),
        until: None,
        by: Vec::new(),
    });
    let asked = prompt.clone();
    let nothing_written = stage::answer(move |app| {
        let nothing = stage::nothing_taken_back(written);
        app.show_rewind(asked, Some(Timestamp(1)), Ok(nothing));
    });
    let files = None;
    assert_eq!(
        stage.tell([nothing_written]),
        [Command::Rewind { prompt, files }]
    );
    let prompt = "one".to_owned();
    let with_files = false;
    stage.tell([Event::Rewound { prompt, with_files }]);
    assert_eq!(input(&stage), "› one");
    assert!(
        stage.screen().contains("Back before: one."),
        "{}",
        stage.screen()
    );
    // While something runs, Esc stops it.
    stage.press("<ctrl-c>");
    stage.tell(stage::asking("go"));
    assert_eq!(stage.press("<esc>"), [Command::Cancel]);
}

fn pasted_image(path: &str) -> Msg {
    Msg::PastedImage(PastedImage {
        text: format!("'{path}'"),
        path: path.to_owned(),
        name: "shot.png".to_owned(),
        bytes: 119_500,
    })
}

#[test]
fn the_pasted_path_of_an_image_is_one_character_and_is_sent_as_a_mention() {
    let path = "/pictures/a b/shot.png";
    let mut stage = Stage::ready(80, 24);
    stage.press("what is this?");
    stage.feed(pasted_image(path));
    stage.draw();
    assert_eq!(input(&stage), "› what is this? [image shot.png 120 kB]");
    stage.press("<backspace>");
    assert_eq!(input(&stage), "› what is this?");
    stage.press("<ctrl-_><ctrl-o>");
    let sent = format!("what is this? `@{path}`");
    assert_eq!(input(&stage), format!("› {sent}"));
    stage.press("<ctrl-_>");
    let typed = Command::TypedPaths(vec![path.to_owned()]);
    assert_eq!(stage.press("<enter>"), [typed, Command::Submit(sent)]);
    let mut stage = Stage::ready(80, 24);
    stage.feed(pasted_image("img/shot.png"));
    assert_eq!(stage.press("<enter>"), submit("@img/shot.png"));
}

#[test]
fn images_are_told_and_a_prompt_that_was_not_sent_comes_back() {
    let mut stage = Stage::ready(80, 24);
    stage.press("see @shot.png<enter>");
    let text = "see @shot.png".to_owned();
    stage.tell([
        Event::User { text },
        Event::Images {
            images: vec![("shot.png".to_owned(), 119_500), ("b.gif".to_owned(), 999)],
        },
    ]);
    stage.draw();
    let told = "images attached: shot.png (120 kB), b.gif (999 bytes)";
    assert!(stage.screen().contains(told), "{}", stage.screen());
    let mut stage = Stage::ready(80, 24);
    stage.press("see @shot.png<enter>");
    let text = "see @shot.png".to_owned();
    stage.tell([stage::fault(FaultKind::Usage), Event::Unsent { text }]);
    stage.draw();
    assert_eq!(input(&stage), "› see @shot.png");
    stage.press("!");
    assert_eq!(
        stage.press("<enter>"),
        submit("see @shot.png!"),
        "nothing is busy"
    );
}

/// What the model writes, and what long pastes hold, names no file outside of the workspace.
#[test]
fn a_path_that_the_user_did_not_type_is_not_read() {
    let typed = |paths: &[&str], prompt: &str| {
        let paths = paths.iter().map(|path| (*path).to_owned());
        vec![
            Command::TypedPaths(paths.collect()),
            Command::Submit(prompt.to_owned()),
        ]
    };
    let mut stage = Stage::ready(80, 24);
    let prompt = "see @/other/a.png, @b.png and @~/c.png";
    assert_eq!(
        stage.press(&format!("{prompt}<enter>")),
        typed(&["/other/a.png", "~/c.png"], prompt)
    );
    let mut stage = Stage::ready(80, 24);
    let log = "see @/other/a.png\n".repeat(20);
    stage.paste(&log);
    assert_eq!(stage.press("<enter>"), submit(log.trim_end()));
    let mut stage = Stage::ready(80, 24);
    stage.press("/mode plan<enter>");
    stage.tell([Event::Mode { mode: Mode::Plan }]);
    stage.press("look<enter>");
    stage.tell(stage::asking("look"));
    stage.tell([
        stage::text("Look at @/pictures/secret.png"),
        Event::Phase { phase: Phase::Idle },
        Event::TurnEnded { end: TurnEnd::Done },
    ]);
    let plan = "Carry out this plan:\n\nLook at @/pictures/secret.png";
    let carry_out = [Command::CarryOut(plan.to_owned())];
    assert_eq!(stage.press("<enter>"), carry_out);
    stage.tell([Event::Mode { mode: Mode::Step }]);
    stage.tell([Event::TurnEnded { end: TurnEnd::Done }]);
    // Not even where it is recalled and its head is taken away.
    let asked = stage.press("<up><ctrl-u>x<enter>");
    assert!(
        !asked
            .iter()
            .any(|command| matches!(command, Command::TypedPaths(_))),
        "{asked:?}"
    );
}

#[test]
fn background_agents_are_asked_for_by_words_and_answer_in_the_transcript() {
    let mut stage = Stage::ready(60, 14);
    assert_eq!(stage.press("/bg fix the parser<enter>"), []);
    assert_eq!(stage.press("/bg stop 2<enter>"), []);
    let start = BackgroundRequest::Start("fix the parser".to_owned());
    let asked = stage.background();
    assert_eq!(asked, [start, BackgroundRequest::Stop(2)]);
    assert!(stage.background().is_empty(), "once");
    stage.feed(Msg::Background(BackgroundNews::Said(
        "1  working  \u{1b}[2Jfix the parser".to_owned(),
    )));
    stage.draw();
    let screen = stage.screen();
    assert!(
        screen.contains("1  working") && !screen.contains('\u{1b}'),
        "{screen}"
    );
}

#[test]
fn a_background_agent_that_is_done_is_in_the_bar_and_what_it_proposed_is_listed() {
    let mut stage = Stage::ready(80, 14);
    let ended = BackgroundNews::Ended("Background agent 1  done  2 proposals".to_owned());
    assert_eq!(stage.feed(Msg::Background(ended)), [Command::Review]);
    stage.draw();
    let screen = stage.screen();
    let bar = screen.lines().last();
    assert!(
        bar.is_some_and(|bar| bar.contains("agent 1  done")),
        "{screen}"
    );
}
