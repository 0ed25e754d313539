//! What changes come to, the history by change, and what is known of a hunk.

use insta::assert_snapshot;
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::intent::Operation;
use signoff_core::edit::locate::{Candidate, QuotedLine};
use signoff_core::engine::{BlamedLine, HunkBlame, PlaceQuestion, Placement};
use signoff_core::id::{ChangesetId, HunkId, ProposalId, Timestamp};
use signoff_core::stage::review::{
    BlameView, DeniedBefore, DeniedEdit, DiffHunk, DiffScope, EntryStatus, FileDiff, HistoryView,
    HunkStatus, LineAuthor, Proposer, RevertTarget, ScopedDiff, Verdict,
};
use signoff_llm::message::CallId;
use signoff_llm::session::{CallEvent, Command, Event, Phase};
use signoff_tui::app::{Msg, Query};
use uuid::Uuid;

use crate::stage::{self, Stage, answer};

const SIZES: [(u16, u16); 3] = [(40, 20), (80, 24), (120, 30)];

fn line(kind: LineKind, number: u32, text: &str) -> DiffLine {
    DiffLine {
        kind,
        old: (kind != LineKind::Added).then_some(number),
        new: (kind != LineKind::Removed).then_some(number),
        text: text.to_owned(),
        emphasis: Vec::new(),
        newline: true,
    }
}

/// Returns a file's diff with one hunk of so many added lines.
fn file(path: &str, operation: Operation, added: u32) -> FileDiff {
    let mut lines = vec![line(
        LineKind::Context,
        4,
        "fn bill(cart: &Cart) -> Money {",
    )];
    if operation == Operation::Modify {
        lines.push(line(LineKind::Removed, 5, "    let total = cart.price;"));
    }
    let new = (5..).take(added as usize);
    lines.extend(new.map(|number| {
        let text = format!("    let sum_{number} = cart.price * cart.count;");
        line(LineKind::Added, number, &text)
    }));
    FileDiff {
        path: path.to_owned(),
        from: None,
        operation,
        note: None,
        hunks: vec![DiffHunk {
            header: "@@ -4,2 +4,3 @@ impl Cart".to_owned(),
            removed: lines
                .iter()
                .filter(|own| own.kind == LineKind::Removed)
                .count() as u32,
            lines,
            added,
        }],
    }
}

pub(crate) fn diff(scope: DiffScope, files: Vec<FileDiff>) -> Msg {
    let left_out = Vec::new();
    let diff = ScopedDiff {
        scope,
        files,
        left_out,
    };
    answer(|app| app.show_diff(diff))
}

pub(crate) fn three_files() -> Vec<FileDiff> {
    let mut files = vec![
        file("src/bill.rs", Operation::Modify, 2),
        file("src/cart.rs", Operation::Modify, 3),
        file("src/new.rs", Operation::Create, 30),
    ];
    files[0].from = Some("src/old_bill.rs".to_owned());
    files[0].operation = Operation::Move;
    files[1].note = Some("with later changes by you or others to the same lines".to_owned());
    files
}

#[test]
fn a_diff_is_read_at_every_width() {
    for (width, height) in SIZES {
        let mut stage = Stage::ready(width, height);
        assert_eq!(stage.press("/diff<enter>"), []);
        assert_eq!(stage.queries(), [Query::Diff(DiffScope::Waiting)]);
        assert!(stage.screen().contains("Comparing"), "{}", stage.screen());
        stage.tell([diff(DiffScope::Waiting, three_files())]);
        assert_snapshot!(format!("diff_{width}"), stage.screen());
    }
    let mut stage = Stage::ready(130, 24);
    stage.press("/diff<enter>");
    stage.tell([diff(DiffScope::Waiting, three_files())]);
    stage.press("t");
    assert_snapshot!("diff_sides_130", stage.screen());
}

#[test]
fn keys_go_through_all_files_of_a_diff() {
    let mut stage = Stage::ready(80, 16);
    assert_eq!(stage.press("/diff turn<enter>"), []);
    assert_eq!(stage.queries(), [Query::Diff(DiffScope::LastTurn)]);
    stage.tell([diff(DiffScope::LastTurn, three_files())]);
    let top = |stage: &Stage| stage.screen().lines().nth(1).unwrap_or_default().to_owned();
    let first = top(&stage);
    stage.press("]");
    assert!(top(&stage).contains("src/cart.rs"), "{}", stage.screen());
    stage.press("jk]");
    assert!(top(&stage).contains("src/new.rs"), "{}", stage.screen());
    stage.press("G");
    assert!(stage.screen().contains("sum_34"), "{}", stage.screen());
    stage.press("[");
    assert!(top(&stage).contains("src/new.rs"), "{}", stage.screen());
    stage.press("kkk");
    assert!(stage.screen().contains("sum_7"), "{}", stage.screen());
    stage.press("g");
    assert_eq!(top(&stage), first);
    for _ in 0..60 {
        stage.press("j");
    }
    assert!(stage.screen().contains("sum_34"), "{}", stage.screen());
    for _ in 0..60 {
        stage.press("k");
    }
    assert_eq!(top(&stage), first);
    stage.press("<esc>");
    assert!(!stage.screen().contains("src/new.rs"));
}

#[test]
fn a_diff_follows_what_is_staged_while_the_model_works() {
    let mut stage = Stage::ready(80, 24);
    stage.tell(stage::asking("go on"));
    assert_eq!(stage.press("/diff session<enter>"), []);
    let again = Query::Diff(DiffScope::Conversation);
    assert_eq!(stage.queries(), std::slice::from_ref(&again));
    stage.tell([diff(DiffScope::Conversation, Vec::new())]);
    let nothing = "No change of this conversation";
    assert!(stage.screen().contains(nothing), "{}", stage.screen());
    let staged = Event::Staged(stage::two_files().into());
    stage.tell([staged.clone()]);
    assert!(stage.queries().contains(&again));
    // One question at a time.
    stage.tell([staged]);
    assert!(!stage.queries().contains(&again));
    stage.tell([diff(DiffScope::Conversation, three_files())]);
    assert!(stage.queries().contains(&again));
    assert!(stage.screen().contains("src/bill.rs"), "{}", stage.screen());
    stage.tell([diff(DiffScope::Waiting, Vec::new())]);
    assert_eq!(stage.queries(), []);
    assert!(stage.screen().contains("src/bill.rs"), "{}", stage.screen());
    stage.tell([Event::Phase { phase: Phase::Idle }]);
    stage.press("<esc>");
    assert!(!stage.screen().contains("This conversation"));
}

fn changeset(id: u128) -> ChangesetId {
    ChangesetId(Uuid::from_u128(id))
}

fn entry(id: Option<u128>, minutes: i64, (path, version): (&str, u64), words: &str) -> HistoryView {
    HistoryView {
        takes_back: id.is_none().then_some(1).into_iter().collect(),
        request: (id == Some(2)).then(|| "name all spans, please".to_owned()),
        is_folded: id.is_none(),
        changeset: id.map(changeset),
        version,
        time: Timestamp(1_000_000 - minutes * 60_000),
        path: path.to_owned(),
        description: words.to_owned(),
        status: match id {
            Some(_) => EntryStatus::Applied,
            None => EntryStatus::Revert,
        },
        added: 3,
        removed: 1,
        ..HistoryView::default()
    }
}

pub(crate) fn history() -> Msg {
    answer(|app| app.show_history(entries()))
}

fn entries() -> Vec<HistoryView> {
    let mut entries = vec![
        entry(None, 1, ("src/b.rs", 2), "revert version 1: Trace calls"),
        entry(Some(2), 5, ("src/a.rs", 2), "Name the spans"),
        entry(Some(1), 5_000, ("src/a.rs", 1), "Trace calls"),
        entry(Some(1), 5_000, ("src/b.rs", 1), "Trace calls"),
        entry(Some(1), 5_000, ("src/c.rs", 1), "Trace calls"),
    ];
    entries[3].status = EntryStatus::Reverted;
    entries[3].turned = Some(entries[0].time);
    entries[2].turned = Some(entries[0].time);
    entries
}

#[test]
fn the_history_is_listed_by_change() {
    for (width, height) in SIZES {
        let mut stage = Stage::ready(width, height);
        stage.tell([history()]);
        stage.press("/history<enter>jjlj");
        assert_snapshot!(format!("changes_{width}"), stage.screen());
    }
}

#[test]
fn what_was_denied_is_listed_in_the_history_and_read_again() {
    let denied = DeniedEdit {
        number: 4,
        path: "src/a.rs".to_owned(),
        description: "Name the spans".to_owned(),
        denied: DeniedBefore {
            reason: Some("too short".to_owned()),
            time: Timestamp(940_000),
        },
        added: 2,
        removed: 1,
    };
    let mut stage = Stage::ready(100, 24);
    stage.tell([history(), answer(move |app| app.show_denied(vec![denied]))]);
    stage.press("/history<enter>d");
    let row = "src/a.rs  +2 -1  denied: too short  Name the spans";
    assert!(stage.screen().contains(row), "{}", stage.screen());
    assert!(stage.screen().contains("d written"), "it leads back");
    // There is nothing to be reverted, and no key for it in the bar.
    assert!(
        !stage.screen().contains("back to before"),
        "{}",
        stage.screen()
    );
    assert_eq!(stage.press("r"), []);
    let _history = stage.queries();
    stage.press("<enter>");
    assert_eq!(
        stage.queries(),
        [Query::Diff(DiffScope::Denied { number: 4 })]
    );
    stage.press("<esc>d");
    assert!(stage.screen().contains("Trace calls"), "{}", stage.screen());
}

#[test]
fn a_change_or_a_file_of_it_is_shown_and_taken_back() {
    let mut stage = Stage::ready(100, 24);
    stage.tell([history()]);
    let entries = |own: &[(&str, u64)]| DiffScope::Entries {
        entries: own
            .iter()
            .map(|(path, version)| ((*path).to_owned(), *version))
            .collect(),
    };
    let all = entries(&[("src/a.rs", 1), ("src/b.rs", 1), ("src/c.rs", 1)]);
    assert_eq!(stage.press("/history<enter>jj<enter>"), []);
    let diff_of_all = Query::Diff(all.clone());
    assert_eq!(stage.queries(), [Query::History, diff_of_all]);
    stage.tell([diff(all, three_files())]);
    let title = "── Trace calls  3 files";
    assert!(stage.screen().contains(title), "{}", stage.screen());
    stage.press("<esc>");
    assert!(stage.screen().contains("── History"), "{}", stage.screen());
    assert_eq!(stage.press("lj<enter>"), []);
    let diff_of_one = Query::Diff(entries(&[("src/a.rs", 1)]));
    assert_eq!(stage.queries(), [diff_of_one]);
    stage.press("<esc>k");
    let changeset = changeset(1);
    let preview = |target: &RevertTarget| [Query::Forecast(target.clone())];
    let only = RevertTarget::Changeset { changeset };
    assert_eq!(stage.press("o"), []);
    assert_eq!(stage.queries(), preview(&only));
    let text = "Revert \"Trace calls\", in 3 files: src/a.rs, src/b.rs, src/c.rs?";
    assert!(stage.screen().contains(text), "{}", stage.screen());
    assert_eq!(stage.press("n"), []);
    let before = RevertTarget::Before { before: changeset };
    assert_eq!(stage.press("r"), []);
    assert_eq!(stage.queries(), preview(&before));
    assert_eq!(stage.press("y"), [Command::Revert(before)]);
}

#[test]
fn a_selection_stays_on_its_change_when_entries_come() {
    let mut stage = Stage::ready(100, 24);
    stage.tell([history()]);
    stage.press("/history<enter>jj");
    let mut entries = entries();
    entries.insert(0, entry(Some(9), 0, ("src/z.rs", 1), "Newer"));
    stage.tell([answer(|app| app.show_history(entries))]);
    let screen = stage.screen();
    assert!(
        screen
            .lines()
            .any(|row| row.contains("▸ ") && row.contains("Trace calls")),
        "{screen}"
    );
}

fn hunk() -> HunkId {
    HunkId {
        proposal: ProposalId(Uuid::from_u128(1)),
        number: 1,
    }
}

fn blamed(kind: LineKind, text: &str, author: Option<LineAuthor>, line: u32) -> BlamedLine {
    BlamedLine {
        kind,
        text: text.to_owned(),
        blame: author.map(|author| BlameView {
            line,
            author,
            version: (author == LineAuthor::Model).then_some(3),
            time: (author == LineAuthor::Model).then_some(Timestamp(0)),
            description: (author == LineAuthor::Model).then(|| "Trace calls".to_owned()),
            proposal: None,
            strategy: None,
            session: None,
            proposer: (author == LineAuthor::Model).then(|| Proposer::Model {
                name: "qwen3".to_owned(),
            }),
            request: None,
            sight: None,
            checks: Vec::new(),
            text: text.to_owned(),
        }),
    }
}

pub(crate) fn blame() -> Msg {
    use LineKind::{Context, Removed};
    let (before, model, user) = (LineAuthor::Before, LineAuthor::Model, LineAuthor::User);
    let blame = HunkBlame {
        hunk: hunk(),
        path: "src/cart.rs".to_owned(),
        lines: vec![
            blamed(Context, "fn bill(cart: &Cart) -> Money {", Some(before), 4),
            blamed(Removed, "    let total = cart.price;", Some(model), 5),
            blamed(Removed, "    print(total);", Some(model), 6),
            blamed(Context, "    done()", Some(user), 7),
            blamed(Context, "}", None, 0),
        ],
        missing: None,
    };
    answer(move |app| app.show_blame(&blame))
}

pub(crate) fn placement() -> Msg {
    let line = |number, quoted: &str, there: Option<&str>, stays| QuotedLine {
        line: Some(number),
        quoted: quoted.to_owned(),
        there: there.map(str::to_owned),
        stays,
    };
    let placement = Placement {
        proposal: hunk().proposal,
        path: "src/cart.rs".to_owned(),
        evidence: "one context line differs (similarity 93 of 100)".to_owned(),
        placed: None,
        is_guess: true,
        quoted: vec![
            line(
                4,
                "fn bill(cart: &Cart) -> Money {",
                Some("fn bill(cart: &Cart) -> Cents {"),
                true,
            ),
            line(5, "    let total = cart.price;", None, false),
        ],
    };
    answer(move |app| app.show_placement(placement.proposal, Some(&placement)))
}

#[test]
fn the_authors_of_a_hunks_old_lines_are_shown() {
    for (width, height) in SIZES {
        let mut stage = Stage::staged(width, height);
        assert_eq!(stage.press("b"), []);
        assert_eq!(stage.queries(), [Query::Blame(hunk())]);
        stage.tell([blame()]);
        assert_snapshot!(format!("blame_{width}"), stage.screen());
        stage.press("<esc>");
        assert!(stage.screen().contains("── Review"), "{}", stage.screen());
    }
}

#[test]
fn what_was_quoted_is_shown_beside_what_is_there() {
    for (width, height) in SIZES {
        let mut stage = Stage::staged(width, height);
        let proposal = hunk().proposal;
        assert_eq!(stage.press("p"), []);
        assert_eq!(stage.queries(), [Query::Placement(proposal)]);
        stage.tell([placement()]);
        assert_snapshot!(format!("placement_{width}"), stage.screen());
    }
}

#[test]
fn a_conflict_is_resolved_by_keys() {
    let open = |takeable: bool| {
        let mut stage = Stage::ready(80, 40);
        let mut proposal = stage::proposal(1, "a.rs", Operation::Modify, &[5, 20]);
        let own = &mut proposal.hunks[0];
        let reason = "you saved these lines while `sed` ran".to_owned();
        own.status = HunkStatus::Conflict { reason };
        own.takeable = takeable;
        stage.tell(stage::staging(vec![proposal]));
        stage.press("k");
        stage
    };
    let mut stage = open(false);
    stage.press("1");
    let reason = Some("the user keeps their own lines".to_owned());
    let deny = Verdict::Deny { reason };
    let marked = stage.screen();
    assert!(marked.contains("the user keeps"), "{marked}");
    let commands = stage.sign("a");
    let told = format!("{commands:?}");
    assert!(told.contains(&format!("{deny:?}")), "{told}");
    let mut stage = open(false);
    stage.press("2");
    assert!(
        stage.screen().contains("In conflict, d denies it"),
        "{}",
        stage.screen()
    );
    let mut stage = open(true);
    stage.press("2");
    assert!(stage.screen().contains("overwrites"), "{}", stage.screen());
    stage.press("2k");
    assert!(
        stage.screen().contains("[approve over yours]"),
        "{}",
        stage.screen()
    );
    stage.press("j1");
    assert!(stage.screen().contains("Tab to type"), "{}", stage.screen());
}

pub(crate) fn places() -> PlaceQuestion {
    let candidate = |line: usize, name: &str| Candidate {
        line,
        column: None,
        excerpt: format!(
            "     {} fn {name}() {{\n     {line}     done()\n     {} }}",
            line - 1,
            line + 1
        ),
    };
    PlaceQuestion {
        id: 4,
        path: "src/a.rs".to_owned(),
        description: "Close the handle".to_owned(),
        candidates: vec![candidate(2, "first"), candidate(6, "last")],
    }
}

pub(crate) fn unplaced(places: Vec<PlaceQuestion>) -> Msg {
    answer(|app| app.show_places(places))
}

pub(crate) fn failed_call() -> Msg {
    Msg::Session(Event::Call(CallEvent::Done {
        call: CallId("call_1".to_owned()),
        tool: "edit_section".to_owned(),
        ok: false,
        summary: "2 places fit".to_owned(),
        took_ms: None,
    }))
}

#[test]
fn nothing_is_asked_about_a_history_before_it_has_arrived() {
    let mut stage = Stage::ready(80, 24);
    for typed in ["/undo<enter>", "/redo<enter>", "/revert<enter>"] {
        assert_eq!(stage.press(typed), [], "{typed}");
        assert_eq!(stage.queries(), [Query::History], "{typed}");
        let screen = stage.screen();
        assert!(screen.contains("has not arrived yet"), "{screen}");
    }
    stage.tell([answer(|app| app.show_history(Vec::new()))]);
    for typed in ["/undo<enter>", "/redo<enter>", "/revert<enter>"] {
        assert_eq!(stage.press(typed), [], "{typed}");
        assert_eq!(stage.queries(), [], "{typed}");
    }
}

#[test]
fn a_question_about_one_of_many_files_shows_all_its_answers() {
    let mut stage = Stage::ready(80, 24);
    let paths = (1..=6).map(|number| format!("crates/cart/src/pages/page_{number}.rs"));
    let entries: Vec<_> = paths
        .map(|path| entry(Some(1), 5, (&path, 1), "Rename the total of a cart to sum"))
        .collect();
    stage.tell([answer(|app| app.show_history(entries))]);
    stage.press("/revert crates/cart/src/pages/page_1.rs<enter>");
    let screen = stage.screen();
    let words: Vec<&str> = screen.split_whitespace().collect();
    let told = "5 other files keep their parts: a reverts all of it.";
    assert!(words.join(" ").contains(told), "{screen}");
}

#[test]
fn a_question_about_putting_back_is_titled_so() {
    let mut stage = Stage::ready(80, 24);
    stage.feed(stage::history());
    stage.press("/redo<enter>");
    let screen = stage.screen();
    assert!(
        screen.contains("Redo?") && !screen.contains("Revert?"),
        "{screen}"
    );
}

#[test]
fn files_that_are_reverted_together_are_one_list() {
    let mut stage = Stage::ready(80, 24);
    let reverted = |path: &str| Event::Reverted {
        path: path.to_owned(),
        summary: "reverted".to_owned(),
    };
    stage.tell([reverted("a.rs"), reverted("b.rs")]);
    let screen = stage.screen();
    let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
    let first = lines.iter().position(|line| *line == "↶ a.rs  reverted");
    let second = lines.iter().position(|line| *line == "↶ b.rs  reverted");
    assert_eq!(first.map(|row| row + 1), second, "{screen}");
}

#[test]
fn the_user_chooses_the_place_of_an_edit() {
    for (width, height) in SIZES {
        let mut stage = Stage::ready(width, height);
        stage.press("/places<enter>");
        let screen = stage.screen();
        assert!(screen.contains("No edit waits for a place"), "{screen}");
        stage.tell(stage::asking("close it"));
        assert_eq!(stage.tell([failed_call()]), []);
        assert_eq!(stage.queries(), [Query::Unplaced]);
        stage.tell([unplaced(vec![places()])]);
        assert_eq!(stage.press("/places<enter>"), []);
        assert_snapshot!(format!("places_{width}"), stage.screen());
        assert_eq!(stage.press("3"), []);
        let placed = Command::Place {
            question: 4,
            choice: 1,
        };
        assert_eq!(stage.press("2"), [placed]);
        assert!(
            !stage.screen().contains("places fit ──"),
            "{}",
            stage.screen()
        );
        stage.press("/places<enter>");
        let screen = stage.screen();
        assert!(screen.contains("No edit waits for a place"), "{screen}");
    }
    // The model repairs it itself meanwhile.
    let mut stage = Stage::ready(80, 24);
    stage.tell(stage::asking("close it"));
    stage.tell([failed_call(), unplaced(vec![places()])]);
    stage.press("/places<enter>");
    stage.tell(stage::staging(stage::two_files()));
    assert!(stage.queries().contains(&Query::Unplaced));
    stage.tell([unplaced(Vec::new())]);
    assert!(!stage.screen().contains("line 6"), "{}", stage.screen());
    // A digit that comes too early answers nothing.
    let mut stage = Stage::ready(80, 24);
    stage.tell([failed_call(), unplaced(vec![places()])]);
    stage.press("/places");
    assert_eq!(stage.hurry("<enter>2", 100), []);
    assert!(stage.screen().contains("Just asked"), "{}", stage.screen());
}
