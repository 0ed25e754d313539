//! What slash commands do that take words after their names.
//!
//! In: the words. Out: a deed, or what is said of words that mean nothing.

use signoff_core::plural::counted;
use signoff_core::stage::review::{DiffScope, Verdict};
use signoff_llm::foreign::ServerRequest;
use signoff_llm::mode::Mode;
use signoff_llm::session::{Command, Switch};

use super::Deed::{self, Ask, DenyAll};
use crate::app::BackgroundRequest;
use crate::app::conversation::Picker;
use crate::app::dialog::Dialog;
use crate::app::keymap::Context;
use crate::app::overlay::Overlay;
use crate::app::{App, AppEffect, CommitsRequest, Export, Query};
use crate::response::{Response, Scope};
use crate::review::ReviewKey;
use crate::review::diff_page::DiffPage;
use crate::theme::ThemeName;

/// What is said of a denial that names something: `/deny` is about all that wait.
const DENY_ALL: &str = "/deny REASON denies all that wait; the review denies one hunk";

/// Where line mode has verdicts on all that waits.
pub(super) const DECIDES_IN_LINES: &str =
    "/review asks about each hunk; `signoff approve --all` and `signoff deny --all` decide on all";

/// Where line mode has agents.
pub(super) const AGENTS_IN_LINES: &str =
    "the interface does that: `signoff --continue`, then /agents or /agent NAME TASK";

/// Where line mode has attached files.
pub(super) const ATTACHED_IN_LINES: &str =
    "the interface does that: `signoff --continue`, then /attached or /detach PATH";

/// What words after a command come to.
type ReadDeed = Result<Deed, String>;

fn show(deed: impl FnOnce(&mut App) + 'static) -> ReadDeed {
    Ok(Deed::Show(Box::new(deed)))
}

fn said(answer: &str) -> ReadDeed {
    Err(answer.to_owned())
}

pub(super) fn diff_scopes() -> Vec<(&'static str, &'static str)> {
    vec![
        ("turn", "what the last turn changed"),
        ("session", "what this conversation changed"),
    ]
}

pub(super) fn diff(words: &str) -> ReadDeed {
    let scope = match words {
        "" => DiffScope::Waiting,
        "turn" => DiffScope::LastTurn,
        "session" => DiffScope::Conversation,
        _ => return said("/diff takes nothing after it, or turn, or session"),
    };
    show(move |app| {
        let page = Box::new(DiffPage::of(scope));
        app.focus.open_overlay(Overlay::Diff(page));
    })
}

/// Without a word, what was displayed is approved, and the rest displayed first, page by page. `all` approves all of it, but
/// for files that make a program run.
pub(super) fn approve(words: &str) -> ReadDeed {
    match words {
        "" => show(|app| app.decide_on_all(App::approve_displayed)),
        "all" => show(|app| app.decide_on_all(App::approve_unseen)),
        _ => said("/approve takes nothing after it, or all; the review approves one hunk"),
    }
}

pub(super) fn deny(words: &str) -> ReadDeed {
    match words {
        option if option.starts_with("--") => said(DENY_ALL),
        "" | "all" => Ok(DenyAll(None)),
        reason => Ok(DenyAll(Some(reason.to_owned()))),
    }
}

pub(super) fn commits(words: &str) -> ReadDeed {
    let words = words.to_owned();
    show(move |app| app.ask_commits(CommitsRequest::Typed(words)))
}

pub(super) fn revert(words: &str) -> ReadDeed {
    if words.starts_with("--") {
        return said(
            "/revert PATH reverts the last change of a file; r in /history goes further back",
        );
    }
    let path = (!words.is_empty()).then(|| words.to_owned());
    show(move |app| app.revert_last(path.as_deref()))
}

/// Without a message, one is proposed for the user to edit and send.
pub(super) fn commit(words: &str) -> ReadDeed {
    let message = words.to_owned();
    show(move |app| {
        if message.is_empty() {
            app.status.say("A commit message is being proposed");
            app.query(Query::CommitDraft);
        } else {
            app.status.say("The commit is being made");
            app.query(Query::Commit(message));
        }
    })
}

/// Without a text, one is drafted from the newest denial with a reason.
pub(super) fn rule(words: &str) -> ReadDeed {
    match words {
        "" => show(App::begin_rule),
        words => Ok(Ask(Command::AddRule(words.to_owned()))),
    }
}

/// Paths are divided by blanks; `signoff keep` takes those that have some.
pub(super) fn keep(words: &str) -> ReadDeed {
    let paths = words.split_whitespace().map(str::to_owned).collect();
    show(move |app| {
        app.status.say("Ignored files are being written");
        app.query(Query::Keep(paths));
    })
}

pub(super) fn modes() -> Vec<(&'static str, &'static str)> {
    vec![
        (Mode::Plan.word(), "read and plan; nothing is edited"),
        (Mode::Step.word(), "edits go before you one by one"),
        (
            Mode::Turn.word(),
            "edits go before you at the end of the turn",
        ),
        (Mode::WriteThrough.word(), "edits are written at once"),
    ]
}

pub(super) fn mode(words: &str) -> ReadDeed {
    if words.is_empty() {
        return show(|app| {
            let now = app.status.conversation().mode.word();
            app.status.say(format!(
                "The mode is {now}; /mode plan, step, turn or write-through"
            ));
        });
    }
    match words.parse::<Mode>() {
        Ok(mode) => Ok(Ask(Command::SetMode(mode))),
        Err(_) => Err(format!(
            "There is no mode {words}: plan, step, turn or write-through"
        )),
    }
}

pub(super) fn themes() -> Vec<(&'static str, &'static str)> {
    ThemeName::ALL.map(|theme| (theme.word(), "")).to_vec()
}

pub(super) fn theme(words: &str) -> ReadDeed {
    let Ok(theme) = words.parse::<ThemeName>() else {
        let names = ThemeName::ALL.map(ThemeName::word).join(", ");
        return Err(format!(
            "/theme takes one of: {names}. `theme` in [interface] of config.toml keeps it"
        ));
    };
    show(move |app| {
        app.set_theme(theme);
        (app.status).say(format!("The theme is {}, for this run", theme.word()));
    })
}

pub(super) fn comments(words: &str) -> ReadDeed {
    let is_sent = match words {
        "" => false,
        "send" => true,
        _ => return said("/comments takes nothing after it, or send"),
    };
    show(move |app| match app.review.comment_count() {
        0 => {
            let key = app.keys.name(Context::Review, "comment");
            app.status.say(format!(
                "There are no comments: {key} in the review makes one"
            ));
        }
        _ if is_sent => app.send_comments(),
        count => {
            let comments = counted(count, "comment");
            app.status.say(format!(
                "{comments} to be sent: /comments send, or with the verdicts"
            ));
        }
    })
}

pub(super) fn critique(words: &str) -> ReadDeed {
    match words {
        "" => Ok(Ask(Command::Critique)),
        "stop" => Ok(Ask(Command::CancelCritique)),
        _ => said("/critique takes nothing after it, or stop"),
    }
}

pub(super) fn agent(words: &str) -> ReadDeed {
    match words.split_once(char::is_whitespace) {
        _ if words.is_empty() => Ok(Ask(Command::Agents)),
        None => said("/agent takes a name and a task; /agents lists them"),
        Some((agent, task)) => Ok(Ask(Command::Delegate {
            agent: agent.to_owned(),
            task: task.trim().to_owned(),
        })),
    }
}

pub(super) fn background(words: &str) -> ReadDeed {
    let request = BackgroundRequest::read(words);
    show(move |app| {
        if request == BackgroundRequest::List {
            app.focus.open_overlay(Overlay::Background(Box::default()));
        }
        app.effects.push(AppEffect::Background(request));
    })
}

pub(super) fn plan(words: &str) -> ReadDeed {
    match words {
        "" | "next" => Ok(Ask(Command::GoOnWithPlan {
            skips: words == "next",
        })),
        _ => said(
            "/plan goes on with the step that the plan is held at, /plan next with the one behind it",
        ),
    }
}

pub(super) fn detach(words: &str) -> ReadDeed {
    Ok(Ask(match words {
        "" => Command::ListAttached,
        path => Command::Detach(path.to_owned()),
    }))
}

pub(super) fn servers(words: &str) -> ReadDeed {
    let name = |name: &str| name.to_owned();
    let request = match words.split_whitespace().collect::<Vec<_>>().as_slice() {
        [] | ["list"] => ServerRequest::List,
        ["allow", server] => ServerRequest::Allow(name(server)),
        ["refuse", server] => ServerRequest::Refuse(name(server)),
        [server] => ServerRequest::Connect(name(server)),
        _ => {
            return said(
                "/mcp lists servers, /mcp NAME starts one, /mcp allow NAME and /mcp refuse NAME decide",
            );
        }
    };
    Ok(Ask(Command::Servers(request)))
}

pub(super) fn resume(words: &str) -> ReadDeed {
    match words {
        "" => show(|app| app.open_picker(Picker::Sessions)),
        wanted => Ok(Ask(Command::Switch(Switch::Resume(wanted.to_owned())))),
    }
}

pub(super) fn model(words: &str) -> ReadDeed {
    match words {
        "" => show(|app| app.open_picker(Picker::Models)),
        name => Ok(Ask(Command::UseModel(name.to_owned()))),
    }
}

pub(super) fn export(words: &str) -> ReadDeed {
    let path = (!words.is_empty()).then(|| words.to_owned());
    show(move |app| {
        let text = app.transcript.exported();
        app.effects.push(AppEffect::Export(Export { path, text }));
    })
}

/// What commands do in the review, and what takes no words.
impl App {
    /// Decides on all that waits, once the whole list was on the screen.
    pub(super) fn decide_on_all(&mut self, decide: impl FnOnce(&mut Self)) {
        if self.review.was_drawn() {
            decide(self);
        } else {
            self.show_review();
        }
    }

    fn approve_displayed(&mut self) {
        self.review_key(ReviewKey::ApproveAll);
        if self.review.question().is_some() {
            self.focus.open_review();
        }
    }

    fn approve_unseen(&mut self) {
        let response = self.review.approve_unseen();
        if matches!(response, Response::Say(_)) && self.pending() > 0 {
            self.focus.open_review();
        }
        self.respond(response);
    }

    /// Denies all that wait; where something has not been displayed or is marked to be written, after it was asked for.
    pub(super) fn deny_all(&mut self, reason: Option<String>) {
        let names_a_file = |word: &String| self.review.list().names(word);
        if reason.as_ref().is_some_and(names_a_file) {
            return self.answer(DENY_ALL);
        }
        let draft = reason.as_deref().unwrap_or("").to_owned();
        let verdict = Verdict::Deny { reason };
        let deniable = self.review.deniable();
        if deniable.unseen + deniable.marked > 0 {
            self.focus.open_review();
            return self.focus.ask(Dialog::reason(Scope::All, &draft));
        }
        let response = self.review.rule_all(&verdict);
        self.respond(response);
    }

    pub(super) fn open_review(&mut self) {
        self.show_review();
        self.ask(Command::Review);
    }

    pub(super) fn copy_answer(&mut self) {
        match self.transcript.last_answer() {
            Some(text) => self.copy(text),
            None => self.status.say("Nothing was answered yet"),
        }
    }
}
