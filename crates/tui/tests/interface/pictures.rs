//! Pictures of the screens for the documentation, in `docs/screens`.
//!
//! They are made from what the interface draws. `UPDATE_SCREENS=1 cargo test -p signoff-tui --test interface pictures`
//! writes them anew; without it, the test says which are out of date.

use std::path::PathBuf;

use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::intent::Operation;
use signoff_core::stage::review::{AnswerEnd, Proof, ProposalView};
use signoff_draw::theme::ColourDepth;
use signoff_llm::message::CallId;
use signoff_llm::provider::About;
use signoff_llm::session::{CallEvent, CommittedFile, Event, Phase, TurnEnd};
use signoff_tui::app::Msg;
use signoff_tui::file_finder::{Found, Mentioned};

use crate::stage::{self, Stage, hunk_id};
use crate::svg;

/// The most bytes of a picture: a page shows several.
const LIMIT: usize = 60_000;

const RANKED: &[&str] = &[
    " def report(counts):",
    "-    for word, number in counts.items():",
    "+    ranked = sorted(counts.items(), key=lambda pair: -pair[1])",
    "+    for word, number in ranked:",
    "         print(word, number)",
];

const STRIPPED: &[&str] = &[
    " def words(text):",
    "-    return text.lower().split()",
    r#"+    return [word.strip(".,;:!?") for word in text.lower().split()]"#,
    " ",
];

const NOTES: &[&str] = &[
    " # Words",
    " ",
    "-`report` prints the words of a text in any order, and how often each occurs.",
    "+`report` prints the words of a text with the most frequent first, and how often each occurs.",
];

/// Returns a proposal whose hunks begin at these lines and have these; the sign is the first character.
fn proposal(number: u128, path: &str, description: &str, hunks: &[(u32, &[&str])]) -> ProposalView {
    let at: Vec<u32> = hunks.iter().map(|(first, _)| *first).collect();
    let mut file = stage::proposal(number, path, Operation::Modify, &at);
    description.clone_into(&mut file.description);
    for (own, (first, lines)) in file.hunks.iter_mut().zip(hunks) {
        let (mut old, mut new) = (*first, *first);
        own.lines = lines
            .iter()
            .map(|line| diff_line(line, &mut old, &mut new))
            .collect();
        let count = |kind| own.lines.iter().filter(|line| line.kind == kind).count() as u32;
        (own.added, own.removed) = (count(LineKind::Added), count(LineKind::Removed));
        own.header = format!("@@ -{first},{} +{first},{} @@", old - first, new - first);
    }
    file
}

fn diff_line(line: &str, old: &mut u32, new: &mut u32) -> DiffLine {
    let kind = match &line[..1] {
        "+" => LineKind::Added,
        "-" => LineKind::Removed,
        _ => LineKind::Context,
    };
    let numbered = |is_there: bool, next: &mut u32| {
        *next += u32::from(is_there);
        is_there.then_some(*next - 1)
    };
    DiffLine {
        kind,
        old: numbered(kind != LineKind::Added, old),
        new: numbered(kind != LineKind::Removed, new),
        text: line[1..].to_owned(),
        emphasis: Vec::new(),
        newline: true,
    }
}

/// The changes of `signoff demo`.
fn demo() -> Vec<ProposalView> {
    vec![
        proposal(
            1,
            "words.py",
            "Print the most frequent words first",
            &[(15, RANKED)],
        ),
        proposal(
            2,
            "notes.md",
            "Say in which order they are printed",
            &[(1, NOTES)],
        ),
        proposal(
            3,
            "words.py",
            "Take punctuation off: nobody asked for it",
            &[(4, STRIPPED)],
        ),
    ]
}

/// Returns the interface with a model of a server on this machine.
fn connected(width: u16, height: u16) -> Stage {
    let mut stage = Stage::starting_with(width, height, ColourDepth::True);
    stage.tell([Event::Ready {
        about: About {
            provider: "ollama".to_owned(),
            model: "qwen3-coder:30b".to_owned(),
            endpoint: "http://127.0.0.1:11434".to_owned(),
        },
        hint: Some("Found Ollama on this machine.".to_owned()),
    }]);
    stage
}

fn reviewing(width: u16, height: u16) -> Stage {
    let mut stage = connected(width, height);
    stage.tell(stage::asking("Print the most frequent words first."));
    stage.tell(stage::staging(demo()));
    stage
}

fn folds() -> Stage {
    let mut stage = connected(80, 24);
    let mut files = vec![
        stage::proposal(1, "src/cart.rs", Operation::Modify, &[12, 40, 71]),
        stage::proposal(2, "src/bill.rs", Operation::Modify, &[8]),
    ];
    for hunk in &mut files[0].hunks {
        hunk.proof = Some(Proof::Renamed {
            from: "total".to_owned(),
            to: "sum".to_owned(),
        });
    }
    stage.tell(stage::asking("rename total to sum"));
    stage.tell(stage::staging(files));
    stage
}

fn sign_off() -> Stage {
    let mut stage = reviewing(80, 24);
    stage.press("jjjjjjjjkkkkkkkk");
    stage.press("adleave it: words are split at blanks<enter>a");
    assert!(stage.screen().contains("── Sign off"), "{}", stage.screen());
    stage
}

fn written() -> Stage {
    let mut stage = sign_off();
    stage.press("<enter>");
    let file = |path: &str| CommittedFile {
        path: path.to_owned(),
        version: 1,
        deleted: false,
    };
    stage.tell([
        Event::Decided {
            committed: vec![file("words.py"), file("notes.md")],
            approved: 2,
            denied: 1,
            pending: 0,
        },
        Event::Review(vec![].into()),
    ]);
    stage
}

fn asked() -> Stage {
    let mut stage = reviewing(80, 30);
    stage.press("?Why a lambda?<enter>");
    let hunk = hunk_id(1, 1);
    let (path, text) = ("words.py".to_owned(), "Why a lambda?".to_owned());
    stage.tell([
        Event::Asked { hunk, path, text },
        Event::Answered {
            hunk,
            text:
                "`sorted` orders by the pair's second part, the count; the minus puts the largest \
                   first."
                    .to_owned(),
            end: Some(AnswerEnd::Whole),
        },
    ]);
    stage
}

fn history() -> Stage {
    let mut stage = connected(80, 24);
    stage.tell([stage::history()]);
    stage.press("/history<enter>jj");
    stage
}

fn mentions() -> Stage {
    let mut stage = connected(80, 24);
    stage.press("explain @wo");
    let mentioned = |path: &str, about: &str| Mentioned {
        mention: format!("@{path}"),
        name: path.to_owned(),
        about: about.to_owned(),
    };
    stage.feed(Msg::Found(Found {
        query: "wo".to_owned(),
        choices: vec![
            mentioned("words.py", ""),
            mentioned("words", "words.py:4"),
            mentioned("notes/words.md", ""),
        ],
    }));
    stage.draw();
    stage
}

fn commands() -> Stage {
    let mut stage = connected(80, 24);
    stage.press("/re");
    stage
}

fn transcript() -> Stage {
    let mut stage = connected(80, 36);
    stage.tell(stage::asking("What does report do?"));
    let call = CallId("1".to_owned());
    let tool = "grep".to_owned();
    stage.tell([
        Event::Call(CallEvent::Started {
            call: call.clone(),
            tool: tool.clone(),
        }),
        Event::Call(CallEvent::Done {
            call,
            tool,
            ok: true,
            summary: "2 matches in 1 file".to_owned(),
            took_ms: Some(4),
        }),
        stage::text(
            "## Report\n\nIt **prints** each word with its count, in the order of `counts`:\n\n\
             1. a word\n2. how often it occurs\n\n\
             | function | takes | gives |\n|:--|:--|:--|\n\
             | `count` | a text | a dictionary |\n| `report` | a dictionary | nothing |\n\n\
             ```py\nreport(count(\"a b a\"))\n```\n\n> Words are told apart in lower case.\n",
        ),
        Event::TurnEnded { end: TurnEnd::Done },
        Event::Phase { phase: Phase::Idle },
    ]);
    stage
}

/// All pictures: the file, what is on it, and how to get there.
fn pictures() -> Vec<(&'static str, &'static str, Stage)> {
    vec![
        ("start", "The start screen", connected(80, 24)),
        (
            "review-80",
            "The review, 80 columns wide",
            reviewing(80, 30),
        ),
        (
            "review-120",
            "The review with its tree, 120 columns wide",
            reviewing(120, 30),
        ),
        (
            "two-sides",
            "The review with old and new side by side",
            reviewing(160, 24),
        ),
        ("folds", "Hunks that one line tells whole", folds()),
        (
            "sign-off",
            "The page before anything is written",
            sign_off(),
        ),
        (
            "written",
            "What was written, and how to take it back",
            written(),
        ),
        ("ask", "A question about a hunk, and the answer", asked()),
        ("history", "The history of what was written", history()),
        ("mentions", "Files behind an @ in the prompt", mentions()),
        ("commands", "Commands behind a / in the prompt", commands()),
        ("transcript", "An answer with Markdown", transcript()),
    ]
}

/// The pictures that follow each other in `demo.svg`, and which of them stands still.
const DEMO: (&[&str], usize) = (&["start", "review-80", "sign-off", "written", "history"], 1);

/// Returns the moving picture of the demo.
fn moving_demo() -> String {
    let pictures = pictures();
    let find = |wanted: &&str| pictures.iter().find(|(name, ..)| name == wanted);
    let screens: Vec<_> = DEMO
        .0
        .iter()
        .filter_map(find)
        .map(|(_, title, stage)| (stage.buffer(), *title))
        .collect();
    svg::moving(
        &screens,
        DEMO.1,
        "From a request to what was written, and back",
    )
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/screens"))
}

#[test]
fn pictures_show_what_the_interface_draws() {
    let is_update = std::env::var_os("UPDATE_SCREENS").is_some();
    let mut outdated = Vec::new();
    let pictures = pictures();
    let still = pictures
        .iter()
        .map(|(name, title, stage)| (*name, svg::picture(stage.buffer(), title)));
    for (name, picture) in still.chain([("demo", moving_demo())]) {
        assert!(picture.len() < LIMIT, "{name}: {} bytes", picture.len());
        let file = folder().join(format!("{name}.svg"));
        let is_current = std::fs::read_to_string(&file).is_ok_and(|there| there == picture);
        if !is_current && is_update {
            std::fs::write(&file, picture).unwrap();
        } else if !is_current {
            outdated.push(name);
        }
    }
    assert!(
        outdated.is_empty(),
        "{outdated:?} are out of date: UPDATE_SCREENS=1 cargo test -p signoff-tui --test interface pictures"
    );
}

/// A picture that no page shows, or a page that shows one that is not there.
#[test]
fn the_tour_shows_every_picture() {
    let tour = folder().join("../screens.md");
    let tour = std::fs::read_to_string(tour).unwrap();
    let mut shown: Vec<&str> = tour
        .split("(screens/")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once(".svg)")?.0))
        .collect();
    let mut made: Vec<&str> = pictures().iter().map(|(name, ..)| *name).collect();
    shown.sort_unstable();
    made.sort_unstable();
    assert_eq!(shown, made);
    let files = std::fs::read_dir(folder()).unwrap();
    let with_the_demo = made.len() + 1;
    assert_eq!(files.count(), with_the_demo, "a picture that nothing makes");
}
