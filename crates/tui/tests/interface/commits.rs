//! `/commit`: the message is edited in the composer, and sent.

use insta::assert_snapshot;
use signoff_core::edit::intent::Operation;
use signoff_core::id::{ChangesetId, Uuid};
use signoff_core::record::history::cherry_pick::PickedFile;
use signoff_core::stage::review::{EntryStatus, HistoryView, Proposer};
use signoff_core::text::Source;
use signoff_llm::commit::{CommitFile, CommitPlan, PassedFile};
use signoff_llm::query_lane::CommitDraft;
use signoff_llm::session::{Command, Event, Phase};
use signoff_review::review::commits::{CardFile, CommitCard};
use signoff_review::review::history::MadeCommit;
use signoff_sandbox::git_write::Head;
use signoff_tui::app::{CommitsAnswer, CommitsNews, CommitsRequest, Query};

use crate::stage::{self, Stage, answer};

fn draft() -> CommitDraft {
    let file = |text: &str| PickedFile {
        text: Source::new(text),
        executable: false,
    };
    CommitDraft {
        message: "fix the sum\n\nIt was off by one.".to_owned(),
        unproposed: None,
        plan: CommitPlan {
            head: Head {
                reference: Some("refs/heads/main".to_owned()),
                commit: None,
            },
            files: vec![CommitFile {
                path: "src/sum.rs".to_owned(),
                from: None,
                before: Some(file("a\n")),
                after: Some(file("b\nc\n")),
                entries: Vec::new(),
                authors: Vec::new(),
            }],
            blocked: Vec::new(),
            left_out: vec![PassedFile {
                path: "notes.log".to_owned(),
                why: "git ignores it".to_owned(),
            }],
        },
    }
}

#[test]
fn a_commit_message_is_edited_in_the_composer_and_sent() {
    let mut stage = Stage::ready(80, 24);
    assert_eq!(stage.press("/commit<enter>"), []);
    assert_eq!(stage.queries(), [Query::CommitDraft]);
    stage.tell([answer(|app| app.show_commit_draft(&draft()))]);
    assert_snapshot!("commit_draft_80", stage.screen());
    stage.settle();
    assert_eq!(stage.press("!<enter>"), []);
    let message = "fix the sum\n\nIt was off by one.!".to_owned();
    assert_eq!(stage.queries(), [Query::Commit(message)]);
}

#[test]
fn what_is_typed_meanwhile_stays_and_obstacles_are_named() {
    let mut stage = Stage::ready(80, 24);
    stage.press("/commit<enter>and then");
    stage.tell([answer(|app| app.show_commit_draft(&draft()))]);
    assert!(stage.screen().contains("and then"), "{}", stage.screen());
    assert!(
        stage.screen().contains("/commit MESSAGE"),
        "{}",
        stage.screen()
    );
    let mut blocked = draft();
    blocked.plan.blocked = std::mem::take(&mut blocked.plan.left_out);
    stage.tell([answer(move |app| app.show_commit_draft(&blocked))]);
    let screen = stage.screen();
    assert!(screen.contains("notes.log: git ignores it"), "{screen}");
    assert!(screen.contains("nothing was committed"), "{screen}");
}

/// A commit of a program, of `src/cart.rs`.
fn card() -> CommitCard {
    let mut view = stage::proposal(9, "commit c23c935", Operation::Create, &[1]);
    view.description = "price carts".to_owned();
    view.hunks[0].header =
        "commit c23c935 \"price carts\" on branch main from 1f0c to c23c935".to_owned();
    CommitCard {
        view,
        parts: Vec::new(),
        files: vec![CardFile {
            path: "src/cart.rs".to_owned(),
            is_on_disk: false,
        }],
        is_divisible: true,
        is_signed: false,
    }
}

fn told(stage: &mut Stage, request: CommitsRequest, said: Option<&str>, news: CommitsNews) {
    let commits = CommitsAnswer {
        said: said.map(str::to_owned),
        is_done: true,
        settled: Vec::new(),
        now: Ok(news),
    };
    stage.tell([answer(move |app| app.told_of_commits(&request, commits))]);
}

fn waiting() -> CommitsNews {
    CommitsNews {
        cards: vec![card()],
        made: Vec::new(),
    }
}

#[test]
fn a_commit_waits_behind_its_files_and_is_made_after_them() {
    let mut stage = Stage::ready(100, 30);
    stage.tell(stage::asking("go"));
    stage.tell(stage::staging(vec![stage::proposal(
        4,
        "src/cart.rs",
        Operation::Modify,
        &[12],
    )]));
    told(&mut stage, CommitsRequest::List, None, waiting());
    stage.press("jjjkkk");
    assert_snapshot!("commit_waits_100", stage.screen());
    // Its file is denied: the page says what comes of it.
    stage.press("dno<enter>");
    stage.press("e");
    assert!(
        stage.screen().contains("A commit has no text"),
        "{}",
        stage.screen()
    );
    assert_eq!(stage.press("a"), []);
    assert_snapshot!("commit_in_part_100", stage.screen());
    let commands = stage.press("<enter>");
    assert!(
        matches!(commands.as_slice(), [Command::Decide(rulings)] if rulings.len() == 1),
        "{commands:?}"
    );
    assert_eq!(stage.decided_commits(), []);
    stage.tell([Event::Decided {
        committed: Vec::new(),
        approved: 0,
        denied: 1,
        pending: 0,
    }]);
    let proposal = card().view.id;
    let verdicts = vec![(proposal, true)];
    let decide = CommitsRequest::Decide {
        verdicts,
        with_files: false,
    };
    assert_eq!(stage.decided_commits(), std::slice::from_ref(&decide));
    told(
        &mut stage,
        decide,
        Some("made commit d34d935"),
        CommitsNews::default(),
    );
    let screen = stage.screen();
    assert!(screen.contains("made commit d34d935"), "{screen}");
}

/// Why a program's commit is denied is the model's next prompt; of what the user ran and denied it is told with theirs.
#[test]
fn why_the_users_own_commit_is_denied_is_no_prompt() {
    let by_model = Proposer::Program;
    let index = "git's index";
    for (proposer, path, sent) in [
        (
            by_model.clone(),
            "commit c23c935",
            Some("I denied the commit c23c935 that you made: no thanks"),
        ),
        (
            by_model,
            index,
            Some("I denied the change of git's index that you made: no thanks"),
        ),
        (Proposer::User, index, None),
    ] {
        let mut stage = Stage::ready(100, 30);
        stage.tell(stage::asking("go"));
        let mut own = card();
        (own.view.proposer, own.view.path) = (proposer, path.to_owned());
        own.files.clear();
        let cards = vec![own];
        let made = Vec::new();
        let news = CommitsNews { cards, made };
        told(&mut stage, CommitsRequest::List, None, news);
        stage.tell([Event::Phase {
            phase: Phase::AwaitingReview,
        }]);
        stage.press("dno thanks<enter>");
        let verdicts = vec![(card().view.id, false)];
        let decide = CommitsRequest::Decide {
            verdicts,
            with_files: false,
        };
        assert_eq!(stage.decided_commits(), std::slice::from_ref(&decide));
        let answer_ = CommitsAnswer {
            said: Some("denied README.md staged".to_owned()),
            is_done: true,
            settled: Vec::new(),
            now: Ok(CommitsNews::default()),
        };
        let commands = stage.tell([answer(move |app| app.told_of_commits(&decide, answer_))]);
        let prompts = commands.iter().filter_map(|command| match command {
            Command::Submit(prompt) => Some(prompt.as_str()),
            _ => None,
        });
        assert_eq!(prompts.collect::<Vec<_>>(), Vec::from_iter(sent), "{path}");
    }
}

#[test]
fn a_made_commit_is_what_undo_asks_about() {
    let mut stage = Stage::ready(100, 30);
    stage.tell([stage::history()]);
    let id = ChangesetId(Uuid::from_u128(9));
    let entry = HistoryView {
        time: stage.now(),
        path: "commit c23c935".to_owned(),
        description: "price carts".to_owned(),
        changeset: Some(id),
        status: EntryStatus::Applied,
        ..HistoryView::default()
    };
    let news = CommitsNews {
        cards: Vec::new(),
        made: vec![MadeCommit {
            entry,
            with: Some(stage::changeset()),
            last_written: None,
        }],
    };
    told(&mut stage, CommitsRequest::List, None, news);
    stage.press("/undo<enter>");
    let screen = stage.screen();
    let question =
        "Revert commit c23c935 \"price carts\", and what was written with it, in src/cart.rs?";
    assert!(screen.contains(question), "{screen}");
}

/// A commit of a program in the history, before and after it is taken back.
#[test]
fn a_commit_in_the_history_is_reverted_once_and_then_redone() {
    let mut stage = Stage::ready(100, 30);
    stage.tell([stage::history()]);
    let id = ChangesetId(Uuid::from_u128(9));
    let now = stage.now();
    let news = |status, turned| CommitsNews {
        cards: Vec::new(),
        made: vec![MadeCommit {
            entry: HistoryView {
                time: now,
                path: "commit c23c935".to_owned(),
                description: "price carts".to_owned(),
                changeset: Some(id),
                status,
                turned,
                ..HistoryView::default()
            },
            with: Some(stage::changeset()),
            last_written: None,
        }],
    };
    let made = news(EntryStatus::Applied, None);
    told(&mut stage, CommitsRequest::List, None, made);
    stage.press("/history<enter>");
    let asks = |stage: &mut Stage, key: &str, text: &str| {
        stage.press(key);
        let screen = stage.screen();
        assert!(screen.contains(text), "{key}: {screen}");
    };
    asks(&mut stage, "R", "Nothing to redo in commit c23c935");
    stage.settle();
    asks(&mut stage, "o", "Revert commit c23c935 \"price carts\"");
    stage.settle();
    stage.press("y");
    assert_eq!(stage.decided_commits(), [CommitsRequest::TakeBack(id)]);
    let reverted = news(EntryStatus::Reverted, Some(now));
    let request = CommitsRequest::TakeBack(id);
    told(&mut stage, request, Some("reverted commit"), reverted);
    stage.press("/history<enter>");
    asks(&mut stage, "o", "commit c23c935 is reverted already");
    asks(&mut stage, "R", "Redo commit c23c935 \"price carts\"");
    stage.settle();
    stage.press("y");
    assert_eq!(stage.decided_commits(), [CommitsRequest::MakeAgain(id)]);
    // What was never reverted is not redone.
    stage.press("/history<enter>");
    stage.press("jljR");
    let screen = stage.screen();
    assert!(
        screen.contains("Nothing to redo in src/cart.rs"),
        "{screen}"
    );
}
