//! An interface on a pretended screen, and what a session would tell it.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers};
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::intent::Operation;
use signoff_core::engine::OwnTextAlarms;
use signoff_core::id::{ChangesetId, HunkId, ProposalId, Timestamp};
use signoff_core::stage::review::{
    BlockedFile, EntryStatus, HistoryView, HunkStatus, HunkView, ProposalView, Proposer,
    RevertHunk, RevertOutcome, RevertTarget, RevertTo, RevertedFile, StackPlace, StagedProposals,
};
use signoff_draw::theme::{ColourDepth, Ground, TerminalColours};
use signoff_llm::message::CallId;
use signoff_llm::provider::About;
use signoff_llm::session::{CallEvent, Command, Event, Fault, FaultKind, Phase, TurnEnd};
use signoff_review::response::Manuscript;
use signoff_tui::app::{
    App, AppEffect, BackgroundRequest, CommitsRequest, Exit, KeptMarks, Msg, Options, Query,
    QueryAnswer,
};
use signoff_tui::{header, view};
use uuid::Uuid;

/// An interface and the screen that it is drawn on.
pub(crate) struct Stage {
    pub(crate) app: App,
    terminal: Terminal<TestBackend>,
    shown: Buffer,
    now: Timestamp,
    /// What was asked beside the session since the last key or news.
    queries: Vec<Query>,
    /// What else the loop is to do, and what no test has looked at yet.
    effects: Vec<AppEffect>,
    /// What guards find in texts of the user's; where this is none, the answer is late.
    pub(crate) own_text: Option<Result<Vec<OwnTextAlarms>, String>>,
    /// How many of the comments that are sent next another process sent.
    pub(crate) sent_elsewhere: usize,
}

/// What an interface is told.
pub(crate) trait News {
    /// Returns it as it reaches the interface.
    fn into_msg(self) -> Msg;
}

impl News for Event {
    fn into_msg(self) -> Msg {
        Msg::Session(self)
    }
}

impl News for Msg {
    fn into_msg(self) -> Msg {
        self
    }
}

impl Stage {
    /// Returns the interface as it is before the session can take prompts.
    pub(crate) fn starting(width: u16, height: u16) -> Self {
        Self::starting_with(width, height, ColourDepth::Indexed)
    }

    /// The same, on a dark terminal with so many colours.
    pub(crate) fn starting_with(width: u16, height: u16, depth: ColourDepth) -> Self {
        let app = App::new(Options {
            header: header::load(None),
            workspace: "~/demo".to_owned(),
            terminal_colours: TerminalColours {
                depth,
                ground: Some(Ground::Dark),
            },
            ..Options::default()
        });
        let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let mut stage = Self {
            app,
            terminal,
            shown: Buffer::default(),
            now: Timestamp(1_000_000),
            queries: Vec::new(),
            effects: Vec::new(),
            own_text: Some(Ok(Vec::new())),
            sent_elsewhere: 0,
        };
        stage.draw();
        stage
    }

    /// Returns the interface once the session takes prompts.
    pub(crate) fn ready(width: u16, height: u16) -> Self {
        let mut stage = Self::starting(width, height);
        stage.tell([ready()]);
        stage
    }

    /// Returns the interface with two files staged and the review open.
    pub(crate) fn staged(width: u16, height: u16) -> Self {
        let mut stage = Self::ready(width, height);
        stage.tell(asking("rename total to sum"));
        stage.tell(staging(two_files()));
        stage
    }

    /// Returns the same after every hunk of the two files was on the screen.
    pub(crate) fn looked_through(mut self) -> Self {
        self.press("jjjjjkkkkk");
        self
    }

    /// Tells news, draws, and waits until keys count; returns what the session was asked.
    pub(crate) fn tell(&mut self, news: impl IntoIterator<Item = impl News>) -> Vec<Command> {
        let commands = self.say(news);
        self.settle();
        commands
    }

    /// Tells news and draws; returns what the session was asked.
    pub(crate) fn say(&mut self, news: impl IntoIterator<Item = impl News>) -> Vec<Command> {
        self.queries.clear();
        let mut commands = Vec::new();
        for news in news {
            commands.extend(self.feed(news.into_msg()));
        }
        self.draw();
        commands
    }

    /// Presses keys as somebody who reads first, drawing after each; see [`keys`].
    pub(crate) fn press(&mut self, script: &str) -> Vec<Command> {
        self.queries.clear();
        let mut commands = Vec::new();
        for key in keys(script) {
            self.settle();
            commands.extend(self.feed(Msg::Terminal(TerminalEvent::Key(key))));
            self.draw();
        }
        self.settle();
        commands
    }

    /// Presses keys, and Enter where they lead to the page that says what will be written.
    pub(crate) fn sign(&mut self, script: &str) -> Vec<Command> {
        let mut commands = self.press(script);
        if self.screen().contains("── Sign off") {
            let decides = |command: &Command| matches!(command, Command::Decide(_));
            assert!(!commands.iter().any(decides), "the page comes first");
            commands = self.press("<enter>");
        }
        commands
    }

    /// Presses keys with so many milliseconds before each, drawing after each.
    pub(crate) fn hurry(&mut self, script: &str, pause: i64) -> Vec<Command> {
        self.queries.clear();
        let mut commands = Vec::new();
        for key in keys(script) {
            self.pass(pause);
            commands.extend(self.feed(Msg::Terminal(TerminalEvent::Key(key))));
            self.draw();
        }
        commands
    }

    /// Lets so many milliseconds go by as the loop would, with a frame wherever the interface asks
    /// for one.
    pub(crate) fn pass(&mut self, millis: i64) {
        let end = self.now.0 + millis;
        while let Some(wake) = self.app.wakes_at().filter(|wake| wake.0 <= end) {
            self.now = self.now.max(wake);
            self.feed(Msg::Tick);
            self.draw();
        }
        self.now.0 = end;
    }

    /// Lets time go by until the interface waits for nothing but keys.
    pub(crate) fn settle(&mut self) {
        while let Some(wake) = self.app.wakes_at() {
            self.now = self.now.max(wake);
            self.feed(Msg::Tick);
            self.draw();
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// Reads keys at once, and draws.
    pub(crate) fn burst(&mut self, script: &str) -> Vec<Command> {
        let commands = self.feed(Msg::Burst(keys(script)));
        self.draw();
        commands
    }

    /// Takes a message without drawing. What is asked about texts of the user's is answered at once.
    pub(crate) fn feed(&mut self, msg: Msg) -> Vec<Command> {
        let before = self.queries.len();
        let mut commands = self.update(msg, self.now);
        for query in self.queries.split_off(before) {
            match (query, self.own_text.clone()) {
                (Query::OwnText(rulings), Some(found)) => {
                    let said = answer(move |app| app.show_own_text(&rulings, &found));
                    commands.extend(self.update(said, self.now));
                }
                (query, _) => self.queries.push(query),
            }
        }
        commands
    }

    /// Takes a message that came at this time; returns what the session is told.
    pub(crate) fn update(&mut self, msg: Msg, at: Timestamp) -> Vec<Command> {
        let mut commands = Vec::new();
        let mut effects = self.app.update(msg, at);
        effects.extend(self.app.kept());
        effects.extend(self.app.unsent());
        for effect in effects {
            match effect {
                AppEffect::Session(command) => commands.push(command),
                AppEffect::Query(query) => self.queries.push(query),
                AppEffect::ClaimComments(claim) => {
                    let claimed = Msg::CommentsClaimed(claim, self.sent_elsewhere);
                    commands.extend(self.update(claimed, at));
                }
                other => self.effects.push(other),
            }
        }
        commands
    }

    /// Returns what was asked beside the session since the last key or news; colours are left out.
    pub(crate) fn queries(&self) -> Vec<Query> {
        let asked = self.queries.iter();
        let asked = asked.filter(|query| !matches!(query, Query::Colours(_)));
        asked.cloned().collect()
    }

    /// Returns what was taken out of the effects so far, in order, each once.
    fn taken<T>(&mut self, take: impl Fn(&AppEffect) -> Option<T>) -> Vec<T> {
        let mut taken = Vec::new();
        self.effects.retain(|effect| match take(effect) {
            Some(value) => {
                taken.push(value);
                false
            }
            None => true,
        });
        taken
    }

    /// Returns the marks as they were to be written down last, once.
    pub(crate) fn marks(&mut self) -> Option<KeptMarks> {
        let marks = self.taken(|effect| match effect {
            AppEffect::KeepMarks(change) => Some(change.now().clone()),
            _ => None,
        });
        marks.into_iter().next_back()
    }

    /// Returns what was typed and not sent as it was to be written down last, once.
    pub(crate) fn draft(&mut self) -> Option<String> {
        let drafts = self.taken(|effect| match effect {
            AppEffect::KeepDraft(draft) => Some(draft.clone()),
            _ => None,
        });
        drafts.into_iter().next_back()
    }

    /// Returns the text that the user's editor was opened with last.
    pub(crate) fn edited(&mut self) -> Option<Manuscript> {
        let texts = self.taken(|effect| match effect {
            AppEffect::EditHunk(manuscript) => Some(manuscript.clone()),
            _ => None,
        });
        texts.into_iter().next_back()
    }

    /// Returns what was to be copied last, once.
    pub(crate) fn copied(&mut self) -> Option<String> {
        let texts = self.taken(|effect| match effect {
            AppEffect::Copy(text) => Some(text.clone()),
            _ => None,
        });
        texts.into_iter().next_back()
    }

    /// Returns what was asked of background agents, in order, once.
    pub(crate) fn background(&mut self) -> Vec<BackgroundRequest> {
        self.taken(|effect| match effect {
            AppEffect::Background(request) => Some(request.clone()),
            _ => None,
        })
    }

    /// Returns what was asked of the commits of programs beside lists, in order, once.
    pub(crate) fn decided_commits(&mut self) -> Vec<CommitsRequest> {
        self.taken(|effect| match effect {
            AppEffect::Commits(request) if *request != CommitsRequest::List => {
                Some(request.clone())
            }
            _ => None,
        })
    }

    /// Returns why the interface ends, if it does.
    pub(crate) fn exit(&self) -> Option<Exit> {
        self.effects.iter().find_map(|effect| match effect {
            AppEffect::End(exit) => Some(exit.clone()),
            _ => None,
        })
    }

    /// Pastes a text and draws.
    pub(crate) fn paste(&mut self, text: &str) -> Vec<Command> {
        let commands = self.feed(Msg::Terminal(TerminalEvent::Paste(text.to_owned())));
        self.draw();
        commands
    }

    /// Lets time go by and draws.
    pub(crate) fn wait(&mut self, seconds: i64) {
        self.now.0 += seconds * 1000;
        self.feed(Msg::Tick);
        self.draw();
    }

    /// Gives the screen another size and draws.
    pub(crate) fn resize(&mut self, width: u16, height: u16) {
        self.terminal.backend_mut().resize(width, height);
        self.draw();
    }

    pub(crate) fn draw(&mut self) {
        let app = &mut self.app;
        let frame = self.terminal.draw(|frame| {
            let areas = app.lay_out(frame.area());
            if let Some(cursor) = view::draw(app, &areas, frame.buffer_mut()) {
                frame.set_cursor_position(cursor);
            }
        });
        let frame = frame.unwrap();
        self.shown = frame.buffer.clone();
        self.effects.extend(self.app.shown(self.now));
    }

    /// Returns the screen, a line a row, blanks at the end of rows left out.
    pub(crate) fn screen(&self) -> String {
        let buffer = &self.shown;
        let width = usize::from(buffer.area.width.max(1));
        let rows = buffer.content().chunks(width).map(|cells| {
            let mut skip = 0;
            let mut row = String::new();
            for cell in cells {
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                skip = unicode_width::UnicodeWidthStr::width(cell.symbol()).saturating_sub(1);
                row.push_str(cell.symbol());
            }
            row.trim_end().to_owned()
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    /// Returns the cells of the screen.
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.shown
    }

    /// Returns where the cursor is, as column and row.
    pub(crate) fn cursor(&mut self) -> (u16, u16) {
        self.terminal.get_cursor_position().unwrap().into()
    }

    /// Returns the cell at a column and row.
    pub(crate) fn cell(&self, x: u16, y: u16) -> &ratatui::buffer::Cell {
        &self.shown[(x, y)]
    }
}

/// Returns an answer that is shown so.
pub(crate) fn answer(show: impl FnOnce(&mut App) + Send + 'static) -> Msg {
    Msg::Answered(QueryAnswer::new(show))
}

/// Returns what the session is told, and what else the loop is to do.
pub(crate) fn parted(effects: Vec<AppEffect>) -> (Vec<Command>, Vec<AppEffect>) {
    let (mut commands, mut others) = (Vec::new(), Vec::new());
    for effect in effects {
        match effect {
            AppEffect::Session(command) => commands.push(command),
            other => others.push(other),
        }
    }
    (commands, others)
}

/// Returns the keys of a script: characters stand for themselves, names in `<>` for the rest.
pub(crate) fn keys(script: &str) -> Vec<KeyEvent> {
    let mut keys = Vec::new();
    let mut rest = script;
    while let Some(c) = rest.chars().next() {
        if let Some((name, after)) = rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
            keys.push(named(name));
            rest = after;
        } else {
            keys.push(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
            rest = &rest[c.len_utf8()..];
        }
    }
    keys
}

fn named(name: &str) -> KeyEvent {
    let (modifiers, name) = match name.split_once('-') {
        Some(("ctrl", name)) => (KeyModifiers::CONTROL, name),
        Some(("alt", name)) => (KeyModifiers::ALT, name),
        Some(("shift", name)) => (KeyModifiers::SHIFT, name),
        _ => (KeyModifiers::NONE, name),
    };
    let code = match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "f1" => KeyCode::F(1),
        "backtab" => KeyCode::BackTab,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "home" => KeyCode::Home,
        "pageup" => KeyCode::PageUp,
        "pagedown" => KeyCode::PageDown,
        "end" => KeyCode::End,
        "backspace" => KeyCode::Backspace,
        "delete" => KeyCode::Delete,
        "f5" => KeyCode::F(5),
        "f6" => KeyCode::F(6),
        one => KeyCode::Char(one.chars().next().unwrap_or_default()),
    };
    KeyEvent::new(code, modifiers)
}

pub(crate) fn ready() -> Event {
    Event::Ready {
        about: About {
            provider: "offline".to_owned(),
            model: "planner".to_owned(),
            endpoint: String::new(),
        },
        hint: Some("Offline planner. Set OPENAI_API_KEY to use a model.".to_owned()),
    }
}

pub(crate) fn asking(prompt: &str) -> Vec<Event> {
    vec![
        Event::User {
            text: prompt.to_owned(),
        },
        Event::Phase {
            phase: Phase::Asking,
        },
    ]
}

pub(crate) fn text(text: &str) -> Event {
    Event::Text {
        text: text.to_owned(),
    }
}

/// Returns a call that is under way: announced, with lines of content streamed.
pub(crate) fn streaming(lines: u64) -> Vec<Event> {
    let call = CallId("call-1".to_owned());
    vec![
        Event::Call(CallEvent::Started {
            call: call.clone(),
            tool: "write".to_owned(),
        }),
        Event::Call(CallEvent::Intent {
            call: call.clone(),
            path: "notes.md".to_owned(),
            operation: Some(Operation::Rewrite),
            description: "Remove all headings".to_owned(),
        }),
        Event::Call(CallEvent::Progress { call, lines }),
    ]
}

pub(crate) fn staging(proposals: Vec<ProposalView>) -> Vec<Event> {
    vec![
        Event::Staged(proposals.into()),
        Event::Phase {
            phase: Phase::Closing,
        },
        text("Both are staged."),
        Event::TurnEnded {
            end: TurnEnd::Review,
        },
        Event::Phase {
            phase: Phase::AwaitingReview,
        },
    ]
}

/// Returns what tells that a proposal was staged beside those of the two files.
pub(crate) fn one_more(new: ProposalView) -> Event {
    let id = new.id;
    let all: Vec<ProposalView> = two_files().into_iter().chain([new]).collect();
    Event::Staged(StagedProposals {
        listing: all.into(),
        new: [id].into(),
    })
}

pub(crate) fn two_files() -> Vec<ProposalView> {
    vec![
        proposal(1, "src/cart.rs", Operation::Modify, &[12, 40]),
        proposal(2, "docs/cart.md", Operation::Rewrite, &[1]),
    ]
}

/// Returns three proposals, two of them about the same file: the later one changes lines above and below the earlier one's,
/// and one of its lines again.
pub(crate) fn layered() -> Vec<ProposalView> {
    let mut first = proposal(1, "src/cart.rs", Operation::Modify, &[40]);
    first.description = "Count the items".to_owned();
    let mut later = proposal(3, "src/cart.rs", Operation::Modify, &[12, 43, 91]);
    later.description = "Print a receipt".to_owned();
    later.changeset = ChangesetId(Uuid::from_u128(10));
    let below = first.hunks[0].id;
    first.hunks[0].place = Some(StackPlace {
        line: 40,
        before: 0,
        after: 2,
        builds_on: None,
    });
    let places = [
        (12, 0, 0, None),
        (40, -3, 2, Some(below)),
        (88, -2, 4, None),
    ];
    for (hunk, (line, before, after, builds_on)) in later.hunks.iter_mut().zip(places) {
        hunk.place = Some(StackPlace {
            line,
            before,
            after,
            builds_on,
        });
    }
    vec![
        first,
        proposal(2, "docs/cart.md", Operation::Rewrite, &[1]),
        later,
    ]
}

pub(crate) fn proposal(
    number: u128,
    path: &str,
    operation: Operation,
    hunks: &[u32],
) -> ProposalView {
    let id = ProposalId(Uuid::from_u128(number));
    let hunks = hunks.iter().zip(1..);
    ProposalView {
        id,
        changeset: ChangesetId(Uuid::from_u128(9)),
        path: path.to_owned(),
        operation,
        description: "Rename total to sum".to_owned(),
        evidence: "exact".to_owned(),
        strategy: "section".to_owned(),
        proposer: Proposer::User,
        hunks: hunks.map(|(at, number)| hunk(id, number, *at)).collect(),
        ..ProposalView::default()
    }
}

pub(crate) fn hunk_id(proposal: u128, number: u32) -> HunkId {
    HunkId {
        proposal: ProposalId(Uuid::from_u128(proposal)),
        number,
    }
}

fn hunk(proposal: ProposalId, number: u32, at: u32) -> HunkView {
    let line = |kind, old, new, text: &str, emphasis| DiffLine {
        kind,
        old,
        new,
        text: text.to_owned(),
        emphasis,
        newline: true,
    };
    HunkView {
        id: HunkId { proposal, number },
        header: format!("@@ -{at},3 +{at},3 @@ fn bill()"),
        status: HunkStatus::Pending,
        lines: vec![
            line(LineKind::Context, Some(at), Some(at), "fn bill() {", vec![]),
            line(
                LineKind::Removed,
                Some(at + 1),
                None,
                "\tlet total = price * count;",
                vec![(5, 10)],
            ),
            line(
                LineKind::Added,
                None,
                Some(at + 1),
                "\tlet sum = price * count; // what the customer pays, before the discount",
                vec![(5, 8)],
            ),
            line(LineKind::Context, Some(at + 2), Some(at + 2), "}", vec![]),
        ],
        added: 1,
        removed: 1,
        ..HunkView::default()
    }
}

/// What taking changes to `src/cart.rs` back would do: so many lines, and something in the way.
pub(crate) fn revert_preview(to: RevertTo, lines: u32) -> Msg {
    let line = |at| DiffLine {
        kind: LineKind::Added,
        old: None,
        new: Some(at),
        text: format!("old line {at}"),
        emphasis: Vec::new(),
        newline: true,
    };
    let hunk = RevertHunk {
        header: "@@ -1,0 +1,30 @@".to_owned(),
        lines: (1..=lines).map(line).collect(),
        line: Some(1),
        yours: vec!["my \u{1b}own".to_owned()],
    };
    let why = "later changes touch the same lines";
    let outcome = RevertOutcome {
        blocked: vec![blocked_file("src/cart.rs", why, vec![hunk])],
        ..nothing_taken_back(RevertTarget::file("src/cart.rs", to))
    };
    answer(|app| app.show_forecast(outcome))
}

/// What taking back would do where there is nothing to take back.
pub(crate) fn nothing_taken_back(target: RevertTarget) -> RevertOutcome {
    RevertOutcome {
        target,
        written: false,
        files: Vec::new(),
        blocked: Vec::new(),
        nothing: "nothing of it is in effect".to_owned(),
        unkept: Vec::new(),
        proposals: StagedProposals::default(),
        offered: None,
        changesets: 0,
    }
}

/// A file that goes back.
pub(crate) fn reverted_file(path: &str, hunks: Vec<RevertHunk>) -> RevertedFile {
    RevertedFile {
        path: path.to_owned(),
        to: None,
        summary: "revert version 1".to_owned(),
        version: 2,
        taken_back: vec![1],
        gone: Vec::new(),
        restored: Vec::new(),
        hunks,
    }
}

/// A file that stays.
pub(crate) fn blocked_file(path: &str, why: &str, hunks: Vec<RevertHunk>) -> BlockedFile {
    BlockedFile {
        path: path.to_owned(),
        why: why.to_owned(),
        hunks,
        proposable: true,
    }
}

/// One hunk of three was approved.
pub(crate) fn one_approved() -> Event {
    Event::Decided {
        committed: vec![],
        approved: 1,
        denied: 0,
        pending: 2,
    }
}

/// The changeset of what is in effect in the history.
pub(crate) fn changeset() -> ChangesetId {
    ChangesetId(Uuid::from_u128(7))
}

pub(crate) fn history() -> Msg {
    let entry = |version, minutes: i64, path: &str, status| HistoryView {
        changeset: Some(changeset()),
        version,
        time: Timestamp(1_000_000 - minutes * 60_000),
        path: path.to_owned(),
        description: "Rename total to sum".to_owned(),
        status,
        added: 2,
        removed: 3,
        ..HistoryView::default()
    };
    let entries = vec![
        entry(3, 0, "src/cart.rs", EntryStatus::Applied),
        entry(1, 12, "docs/cart.md", EntryStatus::Reverted),
        entry(2, 90, "src/cart.rs", EntryStatus::Applied),
    ];
    answer(|app| app.show_history(entries))
}

/// The command that a sent prompt is.
pub(crate) fn submit(text: &str) -> Vec<Command> {
    vec![Command::Submit(text.to_owned())]
}

pub(crate) fn fault(kind: FaultKind) -> Event {
    Event::Fault(Fault {
        kind,
        message: "it did not work".to_owned(),
        hint: None,
    })
}
