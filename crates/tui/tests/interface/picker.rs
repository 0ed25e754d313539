//! Models and conversations are picked from a list.

use insta::assert_snapshot;
use signoff_llm::memory::Summary;
use signoff_llm::provider::About;
use signoff_llm::session::{Command, ListedModel, Switch};
use signoff_llm::usage::UsageTotal;

use signoff_tui::app::{Msg, Query};

use crate::stage::{Stage, answer, submit};

pub(crate) fn models(in_use: &str) -> Msg {
    let listed = |(name, known): &(&str, &str)| ListedModel {
        name: (*name).to_owned(),
        known: (*known).to_owned(),
    };
    let all = [
        (
            "gpt-5",
            "400k tokens of context, $1.25 in, $10 out per 1M tokens",
        ),
        ("gpt-5-mini", "$0.25 in, $2 out per 1M tokens"),
        ("text-embedding-3", ""),
        ("own\u{1b}[2J", ""),
    ];
    let about = About {
        provider: "openai".to_owned(),
        model: in_use.to_owned(),
        endpoint: "https://api.openai.com/v1".to_owned(),
    };
    let models: Vec<_> = all.iter().map(listed).collect();
    answer(move |app| app.show_models(&about, &models))
}

pub(crate) fn conversations() -> Msg {
    let conversation = |id: &str, title: &str, last, prompts| Summary {
        id: id.to_owned(),
        title: title.to_owned(),
        began: last,
        last,
        prompts,
        spent: UsageTotal::default(),
        parent: None,
    };
    let sessions = [
        conversation("c-new", "rename total to sum", 1_764_000_000_000, 1),
        conversation("b-mid", "why does the parser fail?", 1_763_000_000_000, 12),
        conversation("a-old", "write a readme", 1_700_000_000_000, 3),
    ];
    answer(move |app| app.show_sessions(&sessions))
}

/// Presses keys behind `/model` or `/sessions`, with the list there; returns what the session is asked.
fn picked(command: &str, list: Msg, keys: &str) -> Vec<Command> {
    let mut stage = Stage::ready(80, 24);
    stage.press(&format!("{command}<enter>"));
    stage.tell([list]);
    stage.press(keys)
}

#[test]
fn a_model_is_picked_by_arrows_or_by_a_part_of_its_name() {
    for (width, height) in [(40, 24), (80, 24), (120, 30)] {
        let mut stage = Stage::ready(width, height);
        assert_eq!(stage.press("/model<enter>"), []);
        assert_eq!(stage.queries(), [Query::Models]);
        assert!(stage.screen().contains("› /model"), "{}", stage.screen());
        stage.tell([models("gpt-5-mini")]);
        assert_snapshot!(format!("models_{width}"), stage.screen());
    }
    let use_model = |name: &str| vec![Command::UseModel(name.to_owned())];
    for (keys, expected) in [
        ("<enter>", use_model("gpt-5-mini")),
        ("<up><enter>", use_model("gpt-5")),
        ("mini<enter>", use_model("gpt-5-mini")),
        ("GPT-5<enter>", use_model("gpt-5")),
        ("$10<enter>", use_model("gpt-5")),
        ("other<enter>", use_model("other")),
        ("<esc>", vec![]),
        ("<esc><enter>", vec![]),
    ] {
        assert_eq!(
            picked("/model", models("gpt-5-mini"), keys),
            expected,
            "{keys}"
        );
    }
}

#[test]
fn a_conversation_is_picked_by_its_number_its_date_or_its_words() {
    for (width, height) in [(40, 24), (80, 24), (120, 30)] {
        let mut stage = Stage::ready(width, height);
        assert_eq!(stage.press("/sessions<enter>"), []);
        assert_eq!(stage.queries(), [Query::Sessions]);
        stage.tell([conversations()]);
        assert_snapshot!(format!("sessions_{width}"), stage.screen());
    }
    let resume = |id: &str| vec![Command::Switch(Switch::Resume(id.to_owned()))];
    for command in ["/sessions", "/resume"] {
        for (keys, expected) in [
            ("<enter>", resume("c-new")),
            ("<down><enter>", resume("b-mid")),
            ("2<enter>", resume("b-mid")),
            ("2023<enter>", resume("a-old")),
            ("parser<enter>", resume("b-mid")),
            ("0198<enter>", resume("0198")),
            ("<esc><enter>", vec![]),
        ] {
            assert_eq!(picked(command, conversations(), keys), expected, "{keys}");
        }
    }
}

/// The list comes after the user went on: what they type is theirs.
#[test]
fn a_list_that_comes_late_does_not_touch_what_is_typed() {
    let mut stage = Stage::ready(80, 24);
    stage.press("/model<enter><ctrl-c>fix it");
    stage.tell([models("gpt-5")]);
    let screen = stage.screen();
    assert!(screen.contains("› fix it"), "{screen}");
    assert!(screen.contains("* gpt-5  400k tokens"), "{screen}");
    let mut stage = Stage::ready(80, 24);
    stage.press("/model<enter>mini");
    stage.tell([models("gpt-5")]);
    assert_eq!(
        stage.press("<enter>"),
        [Command::UseModel("gpt-5-mini".to_owned())]
    );
}

/// Nobody asked for the list at the start: it takes no key that was not meant for it.
#[test]
fn models_are_offered_to_a_user_who_named_none() {
    let offered = |keys: &str| {
        let mut stage = Stage::ready(80, 24);
        stage.feed(Msg::OfferModels);
        assert!(stage.queries().contains(&Query::Models));
        stage.tell([models("built-in planner")]);
        let commands = stage.press(keys);
        (stage, commands)
    };
    let (stage, _) = offered("");
    assert_snapshot!("offered_80", stage.screen());
    for (keys, expected) in [
        ("<enter>", vec![]),
        ("<esc><enter>", vec![]),
        ("<down><enter>", vec![Command::UseModel("gpt-5".to_owned())]),
        (
            "<down><down><tab><enter>",
            vec![Command::UseModel("gpt-5-mini".to_owned())],
        ),
        ("help<enter>", submit("help")),
    ] {
        assert_eq!(offered(keys).1, expected, "{keys}");
    }
    let mut typing = Stage::ready(80, 24);
    typing.press("fix");
    typing.feed(Msg::OfferModels);
    typing.tell([models("built-in planner")]);
    assert_eq!(typing.press("<down> it<enter>"), submit("fix it"));
}
