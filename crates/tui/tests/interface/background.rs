//! The page of background agents.

use signoff_tui::app::{BackgroundAgent, BackgroundNews, BackgroundRequest, Msg};

use crate::stage::Stage;

/// What is told of an agent that works and of two that ended.
pub(crate) fn agents() -> Vec<BackgroundAgent> {
    let agent = |id, facts: &[&str], troubles: &[&str], prompt: &str| BackgroundAgent {
        id,
        is_working: facts.first() == Some(&"working"),
        facts: facts.iter().map(|&fact| fact.to_owned()).collect(),
        troubles: troubles.iter().map(|&own| own.to_owned()).collect(),
        prompt: prompt.to_owned(),
    };
    vec![
        agent(
            1,
            &["done", "40 s", "3,000 tokens", "2 proposals"],
            &["not proposed: src/\u{1b}[2Ja.rs: it was moved"],
            "document the parser and say what it does not read",
        ),
        agent(
            2,
            &["failed", "2 min 3 s", "812 tokens"],
            &["its turn did not come to its end"],
            "rename a to b\n\nin all tests",
        ),
        agent(
            3,
            &["working", "12 s", "12,034 tokens", "$0.02"],
            &[],
            "fix the flaky test",
        ),
    ]
}

/// Opens the page and tells it these agents.
pub(crate) fn open(stage: &mut Stage) {
    stage.press("/bg<enter>");
    stage.background();
    stage.feed(Msg::Background(BackgroundNews::Listed(agents())));
    stage.draw();
}

#[test]
fn an_agent_is_looked_at_told_more_and_ended() {
    let mut stage = Stage::ready(80, 24);
    assert_eq!(stage.press("/bg<enter>"), []);
    assert_eq!(stage.background(), [BackgroundRequest::List]);
    open(&mut stage);
    assert!(!stage.screen().contains('\u{1b}'));
    // One works, so that the page follows it.
    stage.wait(2);
    assert!(stage.app.shows_time());
    let asked = stage.background();
    assert!(asked.contains(&BackgroundRequest::List), "{asked:?}");
    stage.press("j<enter>");
    assert_eq!(stage.background(), [BackgroundRequest::Look(2)]);
    let said = BackgroundNews::Conversation(2, "## You\n\nrename a to b".to_owned());
    stage.feed(Msg::Background(said));
    stage.draw();
    let screen = stage.screen();
    assert!(
        screen.contains("rename a to b") && screen.contains("Background agent 2"),
        "{screen}"
    );
    // Back to the list. A key that is held down, or that comes too early, ends nothing.
    stage.press("<esc>");
    stage.background();
    stage.hurry("xxxxy", 30);
    assert!(stage.screen().contains("Just asked"), "{}", stage.screen());
    assert_eq!(stage.background(), []);
    stage.press("x");
    assert!(
        stage.screen().contains("End agent 2?"),
        "{}",
        stage.screen()
    );
    stage.background();
    stage.press("y");
    assert_eq!(stage.background(), [BackgroundRequest::Stop(2)]);
    // A prompt for it is typed in the composer.
    stage.press("mgo on<enter>");
    let say = BackgroundRequest::Say(2, "go on".to_owned());
    assert_eq!(stage.background(), [say]);
    // Closed, nothing is asked any more.
    stage.wait(3);
    assert_eq!(stage.background(), []);
}
