//! Any keys, events and sizes, in any order: the interface stays on its feet.

use proptest::prelude::*;
use ratatui::crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers};
use signoff_core::review::{HunkStatus, RevertTo};
use signoff_llm::session::{Event, Phase, TurnEnd};
use signoff_tui::app::Msg;

use crate::stage::{self, Stage};

#[derive(Clone, Debug)]
enum Step {
    Key(KeyEvent),
    Paste(String),
    Tell(usize),
    Resize(u16, u16),
    Draw,
}

fn steps() -> impl Strategy<Value = Step> {
    let codes = prop_oneof![
        4 => prop::sample::select("adADujkJK[]rhwyngGqp? x/漢".chars().collect::<Vec<_>>())
            .prop_map(KeyCode::Char),
        1 => any::<char>().prop_map(KeyCode::Char),
        3 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::Up, KeyCode::Down, KeyCode::Left,
            KeyCode::Right, KeyCode::Home, KeyCode::End, KeyCode::PageUp, KeyCode::PageDown,
            KeyCode::Backspace, KeyCode::Delete, KeyCode::F(1),
        ]),
    ];
    let modifiers = prop::sample::select(vec![
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::CONTROL,
        KeyModifiers::ALT,
        KeyModifiers::SHIFT,
    ]);
    prop_oneof![
        10 => (codes, modifiers).prop_map(|(code, with)| Step::Key(KeyEvent::new(code, with))),
        1 => "[a\n\t\u{1b}漢\u{202e}/]{0,80}".prop_map(Step::Paste),
        4 => (0usize..12).prop_map(Step::Tell),
        1 => (1u16..130, 1u16..50).prop_map(|(width, height)| Step::Resize(width, height)),
        3 => Just(Step::Draw),
    ]
}

fn events(which: usize) -> Vec<Event> {
    let mut files = stage::two_files();
    match which {
        0 => vec![stage::ready()],
        1 => stage::asking("go\n\non"),
        2 => stage::streaming(3),
        3 => stage::staging(files),
        4 => {
            files.pop();
            files[0].hunks[0].status = HunkStatus::Conflict {
                reason: "\u{1b}".to_owned(),
            };
            files[0].hunks[1].lines[0].emphasis = vec![(3, 900), (1, 2)];
            vec![Event::Review { proposals: files }]
        }
        5 => vec![Event::Review { proposals: vec![] }],
        6 => vec![stage::history(), stage::revert_preview(RevertTo::Last, 3)],
        7 => vec![Event::History { entries: vec![] }],
        8 => vec![
            stage::text("# a `b **c\n```\n\u{0}\n"),
            stage::text(&"漢 ".repeat(90)),
        ],
        9 => vec![
            Event::Phase { phase: Phase::Idle },
            Event::TurnEnded { end: TurnEnd::Done },
        ],
        10 => vec![Event::TurnEnded {
            end: TurnEnd::Cancelled,
        }],
        _ => vec![Event::Reasoning {
            text: "hm\n\nso".to_owned(),
        }],
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    #[test]
    fn nothing_makes_it_panic(
        width in 1u16..130, height in 1u16..50, steps in prop::collection::vec(steps(), 0..80),
    ) {
        let mut stage = Stage::starting(width, height);
        for step in steps {
            match step {
                Step::Key(key) => drop(stage.feed(Msg::Terminal(TerminalEvent::Key(key)))),
                Step::Paste(text) => drop(stage.feed(Msg::Terminal(TerminalEvent::Paste(text)))),
                Step::Tell(which) => {
                    for event in events(which) {
                        stage.feed(Msg::Session(event));
                    }
                }
                Step::Resize(width, height) => stage.resize(width, height),
                Step::Draw => stage.draw(),
            }
        }
        stage.draw();
        let escaped = !stage.screen().contains('\x1b');
        prop_assert!(escaped);
    }
}
