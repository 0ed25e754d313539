//! Any keys, events and sizes, in any order: the interface does not panic, and
//! the terminal shows what a full redraw would.

use proptest::prelude::*;
use ratatui::crossterm::event::{
    Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use signoff_core::stage::review::{AnswerEnd, HunkStatus, RevertTo};
use signoff_llm::message::CallId;
use signoff_llm::session::{CallEvent, Event, FaultKind, Phase, TurnEnd};
use signoff_tui::app::Msg;

use crate::critique;
use crate::stage::{self, Stage};
use crate::terminal::WrittenTerminal;

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Key(KeyEvent),
    Paste(String),
    /// Types a command and sends it.
    Slash(&'static str),
    Tell(usize),
    /// Lets so many seconds go by.
    Wait(i64),
    Resize(u16, u16),
    /// Turns the wheel or clicks at a column and a row.
    Mouse(MouseEventKind, u16, u16),
    Draw,
}

const SLASH: &[&str] = &[
    "/diff",
    "/diff session",
    "/history",
    "/theme dark",
    "/theme light",
    "/help",
    "/status",
    "/places",
    "/bg",
    "/model",
    "/sessions",
    "/deny no",
    "! ls",
];

const MOUSE: &[MouseEventKind] = &[
    MouseEventKind::Down(MouseButton::Left),
    MouseEventKind::ScrollUp,
    MouseEventKind::ScrollDown,
];

pub(crate) fn steps() -> impl Strategy<Value = Step> {
    let printable = (' '..='~').chain(['漢']).collect::<Vec<_>>();
    let codes = prop_oneof![
        6 => prop::sample::select(printable).prop_map(KeyCode::Char),
        1 => any::<char>().prop_map(KeyCode::Char),
        3 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::Up, KeyCode::Down, KeyCode::Left,
            KeyCode::Right, KeyCode::Home, KeyCode::End, KeyCode::PageUp, KeyCode::PageDown,
            KeyCode::Backspace, KeyCode::Delete, KeyCode::F(1), KeyCode::BackTab,
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
        // The command palette, which any keys rarely open.
        1 => Just(Step::Key(KeyEvent::new(KeyCode::Char('p'), KeyModifiers::CONTROL))),
        1 => "[a\n\t\u{1b}漢\u{202e}/]{0,80}".prop_map(Step::Paste),
        4 => (0usize..18).prop_map(Step::Tell),
        2 => prop::sample::select(SLASH).prop_map(Step::Slash),
        2 => (0i64..3).prop_map(Step::Wait),
        1 => (1u16..130, 1u16..50).prop_map(|(width, height)| Step::Resize(width, height)),
        2 => (prop::sample::select(MOUSE), 0u16..130, 0u16..50)
            .prop_map(|(kind, column, row)| Step::Mouse(kind, column, row)),
        3 => Just(Step::Draw),
    ]
}

/// Returns events that may come at any time, and answers.
pub(crate) fn news(which: usize) -> Vec<Msg> {
    match which {
        6 => vec![stage::history(), stage::revert_preview(RevertTo::Last, 3)],
        7 => vec![stage::answer(|app| app.show_history(Vec::new()))],
        _ => events(which).into_iter().map(Msg::Session).collect(),
    }
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
            vec![Event::Review(files.into())]
        }
        5 => vec![Event::Review(vec![].into())],
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
        11 => vec![Event::Reasoning {
            text: "hm\n\nso".to_owned(),
        }],
        12 => vec![Event::PermissionAsked {
            call: CallId("call-2".to_owned()),
            tool: "run".to_owned(),
            subject: "cargo test\n\u{1b}[2J".repeat(9),
        }],
        13 => vec![stage::one_approved()],
        14 => vec![
            Event::Answered {
                hunk: stage::hunk_id(1, 1),
                text: "because **it** is".to_owned(),
                end: Some(AnswerEnd::Whole),
            },
            Event::Checking,
        ],
        15 => vec![Event::Undecided, stage::fault(FaultKind::Conflict)],
        16 => [critique::began()]
            .into_iter()
            .chain(critique::comments())
            .collect(),
        _ => vec![
            Event::Call(CallEvent::Output {
                call: CallId("call-1".to_owned()),
                tail: "one\n漢\u{1b}[31m\n".to_owned(),
                lines: 900,
            }),
            Event::Call(CallEvent::Done {
                call: CallId("call-1".to_owned()),
                tool: "write".to_owned(),
                ok: false,
                summary: "no such file".to_owned(),
                took_ms: Some(1500),
            }),
        ],
    }
}

/// Fewer cases than usual, as each is many frames, unless `PROPTEST_CASES` asks for more.
pub(crate) fn cases() -> ProptestConfig {
    let usual = ProptestConfig::default();
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => usual,
        None => ProptestConfig { cases: 96, ..usual },
    }
}

/// Draws, and compares what a terminal shows with what it would show if this were the first frame.
fn show(stage: &mut Stage, terminal: &mut WrittenTerminal) -> Result<(), TestCaseError> {
    stage.draw();
    let cursor = stage.cursor().into();
    terminal.show(stage.buffer(), cursor)?;
    prop_assert_eq!(
        terminal.difference_from_redraw(cursor)?,
        Vec::<String>::new()
    );
    Ok(())
}

proptest! {
    #![proptest_config(cases())]
    #[test]
    fn nothing_makes_it_panic_or_leaves_traces(
        width in 1u16..130, height in 1u16..50, steps in prop::collection::vec(steps(), 0..80),
    ) {
        let mut stage = Stage::starting(width, height);
        let mut terminal = WrittenTerminal::new(width, height);
        for step in steps {
            match step {
                Step::Key(key) => drop(stage.feed(Msg::Terminal(TerminalEvent::Key(key)))),
                Step::Paste(text) => drop(stage.feed(Msg::Terminal(TerminalEvent::Paste(text)))),
                Step::Slash(line) => {
                    for key in stage::keys(line).into_iter().chain(stage::keys("<enter>")) {
                        stage.feed(Msg::Terminal(TerminalEvent::Key(key)));
                    }
                }
                Step::Wait(seconds) => stage.pass(seconds * 1000),
                Step::Tell(which) => {
                    for news in news(which) {
                        stage.feed(news);
                    }
                }
                Step::Resize(width, height) => {
                    stage.resize(width, height);
                    // Another size begins with an empty screen.
                    terminal = WrittenTerminal::new(width, height);
                    show(&mut stage, &mut terminal)?;
                }
                Step::Mouse(kind, column, row) => {
                    let modifiers = KeyModifiers::NONE;
                    let event = MouseEvent { kind, column, row, modifiers };
                    stage.feed(Msg::Terminal(TerminalEvent::Mouse(event)));
                }
                Step::Draw => show(&mut stage, &mut terminal)?,
            }
        }
        show(&mut stage, &mut terminal)?;
        let escaped = !stage.screen().contains('\x1b');
        prop_assert!(escaped);
    }
}
