//! The command palette: what it offers where, and that it decides nothing that its key would not.

use insta::assert_snapshot;
use signoff_core::edit::intent::Operation;
use signoff_llm::message::CallId;
use signoff_llm::session::{Command, Event};
use signoff_tui::app::PastedImage;
use signoff_tui::app::{KeyMap, Msg};

use crate::stage::{self, Stage, submit};

fn marked(stage: &Stage) -> usize {
    stage.screen().matches("[approve]").count()
}

#[test]
fn the_list_has_what_can_be_done_where_it_was_opened() {
    for (width, height) in [(40, 20), (80, 24), (120, 30)] {
        let mut stage = Stage::staged(width, height);
        stage.press("<ctrl-p>");
        assert_snapshot!(format!("palette_review_{width}"), stage.screen());
        stage.press("rewrite");
        assert_snapshot!(format!("palette_found_{width}"), stage.screen());
    }
    let mut stage = Stage::ready(80, 24);
    stage.press("fix the <ctrl-p>");
    assert_snapshot!("palette_composer_80", stage.screen());
    stage.press("zzz");
    assert!(
        stage.screen().contains("no action matches"),
        "{}",
        stage.screen()
    );
    assert_eq!(stage.press("<enter>"), []);
    stage.press("<esc>");
    assert!(stage.screen().contains("› fix the"), "{}", stage.screen());
    let mut stage = Stage::ready(80, 24);
    stage.tell(stage::asking("go"));
    stage.press("<ctrl-t><ctrl-p>");
    assert_snapshot!("palette_transcript_80", stage.screen());
}

/// Enter does what the key does, in the place where the list was opened.
#[test]
fn an_action_is_carried_out_where_the_list_was_opened() {
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("<ctrl-p>");
    stage.pass(600);
    stage.press("approve the hunk");
    stage.pass(600);
    assert_eq!(stage.press("<enter>"), []);
    assert_eq!(marked(&stage), 1, "{}", stage.screen());
    for (typed, shown) in [
        ("deny the hunk", "Why deny"),
        ("search in all", "Search in all files"),
        ("select-lines", "Space select"),
        ("/status", "3 hunks wait"),
        ("show the history", "── History"),
    ] {
        let mut stage = Stage::staged(80, 40).looked_through();
        stage.press(&format!("<ctrl-p>{typed}"));
        stage.pass(600);
        stage.press("<enter>");
        assert!(
            stage.screen().contains(shown),
            "{typed}: {}",
            stage.screen()
        );
    }
    let mut stage = Stage::ready(80, 24);
    stage.press("hello<ctrl-p>/compact");
    assert_eq!(stage.press("<enter>"), [Command::Compact]);
    assert_eq!(
        stage.press(" you<enter>"),
        submit("hello you"),
        "the prompt stays"
    );
    // A command that needs a name goes into the prompt; what stood there is an earlier prompt.
    let mut stage = Stage::ready(80, 24);
    stage.press("hello<ctrl-p>/mode<enter>");
    assert!(stage.screen().contains("› /mode"), "{}", stage.screen());
    stage.press("<esc><ctrl-u><up>");
    assert!(stage.screen().contains("› hello"), "{}", stage.screen());
    // So does one that approves what was not displayed.
    let mut stage = Stage::staged(80, 24);
    stage.press("<ctrl-p>/approve all");
    stage.pass(9_000);
    assert_eq!(stage.press("<enter>"), []);
    assert!(
        stage.screen().contains("› /approve all"),
        "{}",
        stage.screen()
    );
    // The keys are those that the user configured.
    let mut stage = Stage::staged(80, 24);
    let table = toml::from_str("anywhere.palette = 'f5'\nreview.approve = 'f6'").unwrap();
    let keys = KeyMap::with_user_keys(&table).unwrap();
    stage.feed(Msg::Keys(keys));
    stage.press("<f5>");
    let screen = stage.screen();
    let line = screen
        .lines()
        .find(|line| line.contains("▸ approve the hunk"));
    assert!(line.is_some_and(|line| line.ends_with("F6")), "{screen}");
}

#[test]
fn esc_changes_nothing() {
    for open in ["", "x", "<tab>", "<ctrl-t>", "<f1>", "d", "/history<enter>"] {
        let mut stage = Stage::staged(80, 30);
        stage.press(open);
        stage.settle();
        let before = stage.screen();
        stage.press("<ctrl-p>");
        assert_ne!(stage.screen(), before, "{open}");
        assert_eq!(stage.press("appr<down><esc>"), [], "{open}");
        stage.pass(9_000);
        stage.draw();
        assert_eq!(stage.screen(), before, "{open}");
        stage.press("<ctrl-p>appr");
        assert_eq!(stage.press("<ctrl-c>"), [], "{open}");
        stage.pass(9_000);
        stage.draw();
        assert_eq!(stage.screen(), before, "{open}");
    }
}

#[test]
fn a_paste_is_searched_for() {
    let mut stage = Stage::ready(80, 24);
    stage.press("look at <ctrl-p>");
    stage.feed(Msg::PastedImage(PastedImage {
        text: "/compact".to_owned(),
        path: "/compact".to_owned(),
        name: "shot.png".to_owned(),
        bytes: 9,
    }));
    stage.pass(9_000);
    assert_eq!(stage.press("<enter>"), [Command::Compact]);
    let screen = stage.screen();
    assert!(screen.lines().any(|line| line == "› look at"), "{screen}");
}

#[test]
fn nothing_is_decided_before_the_list_could_be_read() {
    let open = || {
        let mut stage = Stage::staged(80, 40).looked_through();
        stage.pass(9_000);
        stage.hurry("<ctrl-p>", 0);
        stage
    };
    // Typed at once, at the speed of a paste, and as somebody who does not look.
    for pause in [0, 20, 100] {
        let mut stage = open();
        assert_eq!(stage.hurry("ap<enter>", pause), []);
        assert_eq!(marked(&stage), 0, "{}", stage.screen());
        let screen = stage.screen();
        assert!(screen.contains("press the key again"), "{screen}");
        stage.pass(600);
        stage.hurry("<enter>", 0);
        assert_eq!(marked(&stage), 1, "{}", stage.screen());
    }
    let mut stage = open();
    assert_eq!(stage.burst("approve<enter>"), []);
    stage.pass(9_000);
    assert_eq!(marked(&stage), 0, "{}", stage.screen());
    // What was on its way before the review opened.
    let mut stage = Stage::ready(80, 40);
    stage.tell(stage::asking("go"));
    stage.say(stage::staging(stage::two_files()));
    assert_eq!(stage.hurry("<ctrl-p>approve<enter>", 40), []);
    assert_eq!(marked(&stage), 0, "{}", stage.screen());
}

#[test]
fn nothing_is_decided_on_what_changed_under_the_list() {
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("<ctrl-p>approve the hunk");
    stage.pass(9_000);
    let new = stage::proposal(3, "a.rs", Operation::Modify, &[7]);
    stage.say([stage::one_more(new)]);
    stage.pass(9_000);
    assert_eq!(stage.hurry("<enter>", 0), []);
    assert_eq!(marked(&stage), 0, "{}", stage.screen());
    assert!(
        stage.screen().contains("changed meanwhile"),
        "{}",
        stage.screen()
    );
}

/// The question for permission is not on the screen while the list is: it is answered by its own keys alone. The sign-off
/// page is left to the key that it names.
#[test]
fn what_the_list_hides_is_not_answered_from_it() {
    let mut stage = Stage::ready(80, 24);
    stage.tell([Event::PermissionAsked {
        call: CallId("a".to_owned()),
        tool: "bash".to_owned(),
        subject: "make".to_owned(),
    }]);
    stage.pass(9_000);
    assert!(stage.screen().contains("Allow bash?"), "{}", stage.screen());
    stage.press("<ctrl-p>run it");
    stage.pass(9_000);
    assert!(
        !stage.screen().contains("run it, and"),
        "{}",
        stage.screen()
    );
    let asked = stage.press("<enter>");
    let is_permit = |asked: &Command| matches!(asked, Command::Permit { .. });
    assert!(!asked.iter().any(is_permit), "{asked:?}");
    // Nor is a verdict confirmed that the review has a question about.
    let mut stage = Stage::staged(80, 12);
    stage.press("a");
    assert!(
        stage.screen().contains("again approves"),
        "{}",
        stage.screen()
    );
    stage.press("<ctrl-p>approve the hunk");
    stage.pass(9_000);
    assert!(
        !stage.screen().contains("▸ approve the hunk"),
        "{}",
        stage.screen()
    );
    stage.press("<esc>");
    assert!(
        stage.screen().contains("again approves"),
        "{}",
        stage.screen()
    );
    let mut stage = Stage::staged(80, 40).looked_through();
    stage.press("aw");
    assert!(stage.screen().contains("── Sign off"), "{}", stage.screen());
    stage.press("<ctrl-p>write");
    assert!(
        !stage.screen().contains("write what the page says"),
        "{}",
        stage.screen()
    );
}
