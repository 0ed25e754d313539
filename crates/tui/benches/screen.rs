//! What it costs to take something over and show it.
//!
//! In: events and keys, on a pretended screen. Out: times of update and drawing together.

use divan::Bencher;
use divan::counter::ItemsCount;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers};
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::intent::Operation;
use signoff_core::id::{ChangesetId, HunkId, ProposalId, Timestamp};
use signoff_core::stage::review::{
    DiffHunk, DiffScope, EntryStatus, FileDiff, HistoryView, HunkStatus, HunkView, ProposalView,
    Proposer, ScopedDiff,
};
use signoff_llm::provider::About;
use signoff_llm::session::{Command, Event, Phase};
use signoff_tui::app::{App, AppEffect, Msg, Options, QueryAnswer};
use signoff_tui::{header, view};
use uuid::Uuid;

fn main() {
    divan::main();
}

/// Columns and rows.
const SIZE: (u16, u16) = (120, 40);

/// A key in a diff of so many files of 300 lines.
#[divan::bench(args = [10, 1_000])]
fn scroll_a_diff(bencher: Bencher<'_, '_>, files: usize) {
    let mut stage = Stage::new();
    "/diff".chars().for_each(|c| stage.press(KeyCode::Char(c)));
    stage.press(KeyCode::Enter);
    stage.take(diff(files, 300));
    stage.press(KeyCode::End);
    bencher.counter(ItemsCount::new(3_usize)).bench_local(|| {
        stage.press(KeyCode::Home);
        stage.press(KeyCode::Down);
        stage.press(KeyCode::End);
    });
}

/// A key in a diff of one file of so many lines.
#[divan::bench(args = [1_000, 50_000])]
fn scroll_a_long_diff(bencher: Bencher<'_, '_>, lines: u32) {
    let mut stage = Stage::new();
    "/diff".chars().for_each(|c| stage.press(KeyCode::Char(c)));
    stage.press(KeyCode::Enter);
    stage.take(diff(1, lines));
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench_local(|| stage.press(KeyCode::PageDown));
}

/// A key in a history of so many entries, two of which are one change.
#[divan::bench(args = [100, 10_000])]
fn select_in_the_history(bencher: Bencher<'_, '_>, entries: u64) {
    let mut stage = Stage::new();
    "/history"
        .chars()
        .for_each(|c| stage.press(KeyCode::Char(c)));
    stage.press(KeyCode::Enter);
    stage.take(history(entries));
    bencher.counter(ItemsCount::new(4_usize)).bench_local(|| {
        stage.press(KeyCode::Down);
        stage.press(KeyCode::Right);
        stage.press(KeyCode::Left);
        stage.press(KeyCode::PageDown);
    });
}

fn diff(files: usize, lines: u32) -> Msg {
    let line = |number: u32| DiffLine {
        kind: LineKind::Added,
        old: None,
        new: Some(number),
        text: format!("    let sum_{number} = cart.price * cart.count;"),
        emphasis: Vec::new(),
        newline: true,
    };
    let file = |number: usize| FileDiff {
        path: format!("src/file_{number:04}.rs"),
        from: None,
        operation: Operation::Create,
        note: None,
        hunks: vec![DiffHunk {
            header: format!("@@ -0,0 +1,{lines} @@"),
            lines: (1..=lines).map(line).collect(),
            added: lines,
            removed: 0,
        }],
    };
    let diff = ScopedDiff {
        scope: DiffScope::Waiting,
        files: (0..files).map(file).collect(),
        left_out: Vec::new(),
    };
    Msg::Answered(QueryAnswer::new(|app| app.show_diff(diff)))
}

fn history(entries: u64) -> Msg {
    let entry = |number: u64| HistoryView {
        version: number,
        time: Timestamp(number as i64),
        path: format!("src/file_{}.rs", number % 500),
        description: "Trace calls".to_owned(),
        changeset: Some(ChangesetId(Uuid::from_u128(u128::from(number / 2)))),
        status: EntryStatus::Applied,
        added: 3,
        removed: 1,
        ..HistoryView::default()
    };
    let entries = (1..=entries).rev().map(entry).collect();
    Msg::Answered(QueryAnswer::new(|app| app.show_history(entries)))
}

/// An answer that streams in, drawn after every line; `items/s` is lines.
#[divan::bench(args = [2_000, 8_000], sample_count = 5, sample_size = 1)]
fn stream_lines(bencher: Bencher<'_, '_>, lines: usize) {
    bencher
        .counter(ItemsCount::new(lines))
        .with_inputs(Stage::new)
        .bench_local_refs(|stage| {
            for number in 0..lines {
                stage.tell(text(&line(number)));
                stage.draw();
            }
        });
}

/// The same in pieces of a few letters, a frame for each; `items/s` is pieces.
#[divan::bench(args = [8_000, 32_000], sample_count = 3, sample_size = 1)]
fn stream_tokens_of_one_line(bencher: Bencher<'_, '_>, pieces: usize) {
    bencher
        .counter(ItemsCount::new(pieces))
        .with_inputs(Stage::new)
        .bench_local_refs(|stage| {
            for _ in 0..pieces {
                stage.tell(text("word "));
                stage.draw();
            }
        });
}

/// A key at the end of a long transcript.
#[divan::bench(args = [2_000, 8_000])]
fn type_under_a_transcript(bencher: Bencher<'_, '_>, lines: usize) {
    let mut stage = Stage::new();
    for number in 0..lines {
        stage.tell(text(&line(number)));
    }
    stage.draw();
    bencher.bench_local(|| stage.press(KeyCode::Char('x')));
}

/// A screen back and forth in a long transcript that is scrolled away from its end.
#[divan::bench(args = [2_000, 8_000])]
fn scroll_a_transcript(bencher: Bencher<'_, '_>, lines: usize) {
    let mut stage = Stage::new();
    for number in 0..lines {
        stage.tell(text(&line(number)));
    }
    stage.draw();
    for _ in 0..20 {
        stage.press(KeyCode::PageUp);
    }
    bencher.counter(ItemsCount::new(2_usize)).bench_local(|| {
        stage.press(KeyCode::PageUp);
        stage.press(KeyCode::PageDown);
    });
}

/// The window gets narrower and wide again.
#[divan::bench(args = [2_000, 8_000], sample_count = 10, sample_size = 1)]
fn resize_a_transcript(bencher: Bencher<'_, '_>, lines: usize) {
    let mut stage = Stage::new();
    for number in 0..lines {
        stage.tell(text(&line(number)));
    }
    stage.draw();
    bencher.counter(ItemsCount::new(2_usize)).bench_local(|| {
        stage.resize(SIZE.0 - 1, SIZE.1);
        stage.resize(SIZE.0, SIZE.1);
    });
}

/// A paste of so many bytes.
#[divan::bench(args = [250_000, 1_000_000], sample_count = 10, sample_size = 1)]
fn paste(bencher: Bencher<'_, '_>, bytes: usize) {
    let pasted = pasted(bytes);
    bencher
        .with_inputs(Stage::new)
        .bench_local_refs(|stage| stage.paste(&pasted));
}

/// A key at the end of a long input.
#[divan::bench(args = [250_000, 1_000_000])]
fn type_after_a_paste(bencher: Bencher<'_, '_>, bytes: usize) {
    let mut stage = Stage::new();
    stage.paste(&pasted(bytes));
    bencher.bench_local(|| stage.press(KeyCode::Char('x')));
}

/// A key at the start of a long input, which moves all the rest.
#[divan::bench(args = [250_000, 1_000_000])]
fn type_before_a_paste(bencher: Bencher<'_, '_>, bytes: usize) {
    let mut stage = Stage::new();
    stage.paste(&pasted(bytes));
    stage.send(KeyEvent::new(KeyCode::Home, KeyModifiers::CONTROL));
    bencher.bench_local(|| stage.press(KeyCode::Char('x')));
}

/// Staged work arrives and is shown.
#[divan::bench(args = [50, 200, 800])]
fn open_a_review(bencher: Bencher<'_, '_>, hunks: u32) {
    let staged = [proposal(hunks)];
    let input = || (Stage::new(), staged.to_vec());
    bencher
        .with_inputs(input)
        .bench_local_values(|(mut stage, proposals)| {
            stage.tell(Event::Staged(proposals.into()));
            stage.draw();
            stage
        });
}

/// On to the next hunk and back.
#[divan::bench(args = [50, 200, 800])]
fn walk_through_a_review(bencher: Bencher<'_, '_>, hunks: u32) {
    let mut stage = Stage::reviewing(hunks);
    (0..hunks / 2).for_each(|_| stage.press(KeyCode::Char('j')));
    bencher.counter(ItemsCount::new(2_usize)).bench_local(|| {
        stage.press(KeyCode::Char('j'));
        stage.press(KeyCode::Char('k'));
    });
}

/// Every hunk is approved by a key of its own; `items/s` is hunks.
#[divan::bench(args = [50, 200, 800], sample_count = 10, sample_size = 1)]
fn approve_hunk_by_hunk(bencher: Bencher<'_, '_>, hunks: u32) {
    bencher
        .counter(ItemsCount::new(hunks))
        .with_inputs(|| Stage::reviewing(hunks))
        .bench_local_refs(|stage| {
            (0..hunks).for_each(|_| stage.press(KeyCode::Char('a')));
            stage.press(KeyCode::Enter);
            let is_all =
                |asked: &Command| matches!(asked, Command::Decide(all) if all.len() == hunks as usize);
            assert!(stage.asked.iter().any(is_all), "not all were handed over");
        });
}

/// The first frame of a large review: files, and lines of each; `1 x 50,000` is one hunk.
#[divan::bench(args = [(180, 120), (1_000, 300), (1, 50_000)], sample_count = 10, sample_size = 1)]
fn open_a_large_review(bencher: Bencher<'_, '_>, (files, lines): (u32, u32)) {
    let staged = large(files, lines);
    let input = || (Stage::new(), staged.clone());
    bencher
        .with_inputs(input)
        .bench_local_values(|(mut stage, proposals)| {
            stage.tell(Event::Staged(proposals.into()));
            stage.draw();
            stage
        });
}

/// A key of a large review: on and back, a screen on, the next file and the one before, to the end and the start.
#[divan::bench(args = [(180, 120), (1_000, 300), (1, 50_000)], sample_count = 1_000, sample_size = 1)]
fn walk_through_a_large_review(bencher: Bencher<'_, '_>, (files, lines): (u32, u32)) {
    let mut stage = Stage::opened(large(files, lines));
    let mut keys = "jjjjJJ  jkkK  GkkkgJ".chars().cycle();
    bencher.bench_local(|| {
        let key = keys.next().unwrap_or('j');
        stage.press(KeyCode::Char(key));
    });
}

/// Old and new side by side, and stacked again.
#[divan::bench(args = [(180, 120), (1_000, 300), (1, 50_000)], sample_count = 20, sample_size = 1)]
fn rearrange_a_large_review(bencher: Bencher<'_, '_>, (files, lines): (u32, u32)) {
    let mut stage = Stage::opened(large(files, lines));
    bencher.counter(ItemsCount::new(2_usize)).bench_local(|| {
        stage.press(KeyCode::Char('t'));
        stage.press(KeyCode::Char('t'));
    });
}

/// A letter of a search, with the frame that echoes it: the first, which most lines have, and the second.
#[divan::bench(args = [(180, 120), (1_000, 300), (1, 50_000)], sample_count = 50, sample_size = 1)]
fn type_a_search_in_a_large_review(bencher: Bencher<'_, '_>, (files, lines): (u32, u32)) {
    let mut stage = Stage::opened(large(files, lines));
    let mut keys = "m ".chars().cycle();
    bencher
        .with_inputs(|| keys.next().unwrap_or('m'))
        .bench_local_values(|key| {
            if key == 'm' {
                stage.press(KeyCode::Esc);
                stage.press(KeyCode::Char('/'));
            }
            stage.press(KeyCode::Char(key));
        });
}

/// A mark, its taking away, or a step, in a large review.
#[divan::bench(args = [(180, 120), (1_000, 300)], sample_count = 600, sample_size = 1)]
fn mark_in_a_large_review(bencher: Bencher<'_, '_>, (files, lines): (u32, u32)) {
    let mut stage = Stage::opened(large(files, lines));
    let mut keys = "jaku".chars().cycle();
    bencher.bench_local(|| {
        let key = keys.next().unwrap_or('j');
        stage.press(KeyCode::Char(key));
    });
}

/// An interface and its pretended screen.
struct Stage {
    app: App,
    terminal: Terminal<TestBackend>,
    now: Timestamp,
    /// What the session was asked to do.
    asked: Vec<Command>,
}

impl Stage {
    fn new() -> Self {
        let app = App::new(Options {
            header: header::load(None),
            workspace: "~/demo".to_owned(),
            ..Options::default()
        });
        let terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).unwrap();
        let mut stage = Self {
            app,
            terminal,
            now: Timestamp(0),
            asked: Vec::new(),
        };
        let about = About {
            provider: "offline".to_owned(),
            model: "planner".to_owned(),
            endpoint: String::new(),
        };
        stage.tell(Event::Ready { about, hint: None });
        stage.tell(Event::Phase { phase: Phase::Idle });
        stage.draw();
        stage
    }

    /// Returns an interface with the review of so many hunks open.
    fn reviewing(hunks: u32) -> Self {
        Self::opened(vec![proposal(hunks)])
    }

    /// Returns an interface with the review of these open.
    fn opened(proposals: Vec<ProposalView>) -> Self {
        let mut stage = Self::new();
        stage.tell(Event::Staged(proposals.into()));
        stage.draw();
        // The review takes the keyboard once it was idle.
        stage.take(Msg::Tick);
        stage.take(Msg::Tick);
        stage.draw();
        stage
    }

    fn take(&mut self, msg: Msg) {
        // Keys count once the keyboard was idle.
        self.now.0 += 1_000;
        for effect in self.app.update(msg, self.now) {
            if let AppEffect::Session(command) = effect {
                self.asked.push(command);
            }
        }
    }

    fn tell(&mut self, event: Event) {
        self.take(Msg::Session(event));
    }

    fn press(&mut self, code: KeyCode) {
        self.send(KeyEvent::new(code, KeyModifiers::NONE));
    }

    fn send(&mut self, key: KeyEvent) {
        self.take(Msg::Terminal(TerminalEvent::Key(key)));
        self.draw();
    }

    fn paste(&mut self, text: &str) {
        self.take(Msg::Terminal(TerminalEvent::Paste(text.to_owned())));
        self.draw();
    }

    fn resize(&mut self, width: u16, height: u16) {
        self.terminal.backend_mut().resize(width, height);
        self.draw();
    }

    fn draw(&mut self) {
        let Self { app, terminal, .. } = self;
        let frame = terminal.draw(|frame| {
            let areas = app.lay_out(frame.area());
            if let Some(cursor) = view::draw(app, &areas, frame.buffer_mut()) {
                frame.set_cursor_position(cursor);
            }
        });
        frame.unwrap();
        self.app.shown(self.now);
    }
}

fn text(text: &str) -> Event {
    Event::Text {
        text: text.to_owned(),
    }
}

fn line(number: usize) -> String {
    match number % 10 {
        0 => format!("## Part {number}\n"),
        1 => "\n".to_owned(),
        2 => "- a point with **weight** and some `code` in it\n".to_owned(),
        _ => {
            format!("Line {number} says something of ordinary length, `as answers do`, and ends.\n")
        }
    }
}

fn pasted(bytes: usize) -> String {
    let line =
        "    let total = count * rate; // the price of everything, before tax and discount\n";
    line.repeat(bytes / line.len() + 1)
}

fn proposal(hunks: u32) -> ProposalView {
    let id = ProposalId(Uuid::from_u128(1));
    ProposalView {
        id,
        changeset: ChangesetId(Uuid::from_u128(2)),
        path: "src/cart.rs".to_owned(),
        operation: Operation::Modify,
        description: "Rename total to sum".to_owned(),
        evidence: "exact".to_owned(),
        strategy: "section".to_owned(),
        proposer: Proposer::User,
        hunks: (1..=hunks)
            .map(|number| {
                hunk(HunkId {
                    proposal: id,
                    number,
                })
            })
            .collect(),
        ..ProposalView::default()
    }
}

/// Returns so many files of so many changed lines each: hunks of 30 lines, or one of all where there is one file.
fn large(files: u32, lines: u32) -> Vec<ProposalView> {
    let each = if files == 1 { lines } else { 30 };
    let file = |number: u32| {
        let mut file = proposal(lines / each);
        file.id = ProposalId(Uuid::from_u128(u128::from(number) + 10));
        file.path = format!("crates/part{}/src/file{number}.rs", number / 20);
        for hunk in &mut file.hunks {
            hunk.id.proposal = file.id;
            let template = hunk.lines[4].clone();
            let first = hunk.id.number * each * 2;
            hunk.lines = (first..first + each)
                .map(|at| {
                    let is_old = (at - first) % 10 < 4;
                    DiffLine {
                        kind: if is_old {
                            LineKind::Removed
                        } else {
                            LineKind::Added
                        },
                        old: is_old.then_some(at),
                        new: (!is_old).then_some(at),
                        text: format!("    let sum{at} = {at} * n;"),
                        ..template.clone()
                    }
                })
                .collect();
        }
        file
    };
    (0..files).map(file).collect()
}

fn hunk(id: HunkId) -> HunkView {
    let at = id.number * 20;
    let line = |kind, offset: u32, text: &str| DiffLine {
        kind,
        old: (kind != LineKind::Added).then_some(at + offset),
        new: (kind != LineKind::Removed).then_some(at + offset),
        text: text.to_owned(),
        emphasis: if kind == LineKind::Context {
            Vec::new()
        } else {
            vec![(8, 13)]
        },
        newline: true,
    };
    HunkView {
        id,
        header: format!("@@ -{at},7 +{at},7 @@ fn bill()"),
        status: HunkStatus::Pending,
        lines: vec![
            line(LineKind::Context, 0, "fn bill() {"),
            line(LineKind::Context, 1, "    let price = price();"),
            line(LineKind::Context, 2, "    let count = count();"),
            line(LineKind::Removed, 3, "    let total = price * count;"),
            line(LineKind::Added, 3, "    let sum = price * count;"),
            line(LineKind::Context, 4, "    print(count);"),
            line(LineKind::Context, 5, "}"),
            line(LineKind::Context, 6, ""),
        ],
        added: 1,
        removed: 1,
        ..HunkView::default()
    }
}
