//! Table of slash commands: one row a command, in the order in which help shows them.
//!
//! Help, completion, the command palette, suggestions for mistyped names, line mode and the commands that an editor offers
//! are read from it. What a command does is the function of its row; [`deeds`] has those that take words.

use signoff_llm::session::{Command, Switch};

use super::CommandRun::{Asks, Shows, Takes};
use super::{ArgumentChoices as Choices, CommandRun, LineCommand as Line, SlashCommand, deeds};
use crate::app::App;
use crate::app::conversation::Picker;
use crate::app::status_report::status_report;

/// Returns a row that says nothing but what the command does.
const fn does(run: CommandRun) -> SlashCommand {
    SlashCommand {
        names: &[],
        aliases: &[],
        argument: "",
        help: "",
        variants: &[],
        run,
        instead: "",
        decides: false,
        is_answered_in_transcript: false,
        choices: Choices::None,
        line: None,
        in_lines: "",
        in_editor: "",
        editor_hint: None,
        other_words: &[],
        other_answer: "",
    }
}

/// Makes rows: names, what is to be typed after them, what help says, what the command does, and what else is to be said of
/// it.
macro_rules! commands {
    ($([$($name:literal),+] $argument:literal $help:literal => $run:expr, {
        $($field:ident: $value:expr),* $(,)?
    })*) => {
        &[$(SlashCommand {
            names: &[$($name),+],
            argument: $argument,
            help: $help,
            $($field: $value,)*
            ..does($run)
        }),*]
    };
}

/// Every command.
pub(super) static TABLE: &[SlashCommand] = commands! {
    ["help"] "" "show the keys" => Shows(App::open_help), {
        aliases: &["keys"], line: Some(Line::Help),
    }
    ["review"] "" "open the review: give verdicts on what waits" => Shows(App::open_review), {
        line: Some(Line::Review), in_lines: "/review asks about what waits again",
    }
    ["diff"] "" "one diff of all that waits; turn or session after it: of what that changed"
        => Takes(deeds::diff), {
        choices: Choices::Words(deeds::diff_scopes),
        line: Some(Line::Diff), in_lines: "/diff prints what waits, as one diff",
    }
    ["places"] "" "choose where an edit goes that fits several places" => Shows(App::open_places), {
        in_lines: "the interface lets you choose a place: `signoff --continue`, then /places",
    }
    ["status"] "" "what waits and was decided, mode, model, checks" => Shows(|app| app.answer(&status_report(app))), {
        line: Some(Line::Status), in_lines: "/status says what waits, and who answers",
        other_words: &["cost", "usage", "tokens", "stats", "version"],
        other_answer: "/status shows what the conversation took; `signoff --version` prints the version",
    }
    ["history", "log"] "" "show what was written" => Shows(App::open_history), {
        instead: "; `signoff history PATH` on the command line shows one file", line: Some(Line::History),
        in_lines: "/history prints what was written",
    }
    ["approve"] "" "approve all waiting hunks; what is unseen is shown first"
        => Takes(deeds::approve), {
        variants: &[("all", "approve all waiting hunks, also unseen")], decides: true,
        choices: Choices::Words(|| vec![("all", "also what was not displayed")]),
        in_lines: deeds::DECIDES_IN_LINES, other_words: &["accept", "apply", "yes"],
        other_answer: "/approve writes all that wait; in the review, single hunks are approved",
    }
    ["deny"] "REASON" "deny all that wait, marked or not" => Takes(deeds::deny), {
        decides: true, in_lines: deeds::DECIDES_IN_LINES, in_editor: "deny all that waits",
        editor_hint: Some("reason"), other_words: &["reject", "discard", "no"],
        other_answer: "/deny REASON denies all that wait; in the review, single hunks are denied",
    }
    ["commits"] "approve ID" "list the commits of programs that wait; approve ID or deny ID decides"
        => Takes(deeds::commits), {
        decides: true, in_lines: "`signoff review` lists the commits of programs, `signoff approve ID` makes one",
    }
    ["revert"] "PATH" "revert the last change of a file" => Takes(deeds::revert), {
        decides: true, choices: Choices::Written, line: Some(Line::Revert),
        in_lines: "/revert PATH reverts the last change of a file, after a question",
        other_words: &["restore", "reset", "checkout"],
        other_answer: "/revert PATH reverts the last change of a file; what waits is denied with /deny",
    }
    ["redo"] "" "redo what was last reverted, in all of its files" => Shows(App::redo), {
        decides: true, line: Some(Line::Redo),
    }
    ["undo"] "" "revert the last change in all of its files" => Shows(App::undo), {
        instead: "; /revert PATH reverts one file", decides: true, line: Some(Line::Undo),
        in_lines: "/undo and /redo revert the last change and redo it, after a question",
        other_words: &["rollback"],
        other_answer: "/undo reverts all of the last changeset; /history shows what was written",
    }
    ["commit"] "MESSAGE" "commit what was signed off; alone, have a message proposed" => Takes(deeds::commit), {
        is_answered_in_transcript: true,
        in_lines: "`signoff commit` makes a git commit of what was signed off",
    }
    ["keep"] "PATH ..." "write the ignored files that programs left in the shadow, as build output; alone, all of them"
        => Takes(deeds::keep), {
        is_answered_in_transcript: true,
        in_lines: "`signoff keep` writes the ignored files that programs left in the shadow",
    }
    ["mode"] "NAME" "plan, step, turn or write-through" => Takes(deeds::mode), {
        choices: Choices::Words(deeds::modes),
        line: Some(Line::Mode), in_lines: "/mode NAME: plan, step, turn or write-through",
        in_editor: "change when you are asked",
        editor_hint: Some("plan, step, turn or write-through"),
        other_words: &["ask", "architect", "code", "step", "turn"],
        other_answer: "/mode NAME changes the mode: plan, step, turn or write-through",
    }
    ["theme"] "NAME" "colours for this run: auto, dark, light, high-contrast-dark, …"
        => Takes(deeds::theme), {
        choices: Choices::Words(deeds::themes),
        in_lines: "there are no colours in line mode",
    }
    ["retry"] "" "ask again after a fault or a silence" => Asks(|| Command::Retry), {
        in_lines: "send the prompt again",
    }
    ["compact"] "" "make the conversation shorter" => Asks(|| Command::Compact), {
        is_answered_in_transcript: true,
        in_lines: "the interface makes conversations shorter: `signoff --continue`, then /compact",
        in_editor: "make the conversation shorter",
    }
    ["comments"] "send" "send the comments of the review to the model" => Takes(deeds::comments), {
        in_lines: "comments are made in the interface; a denial takes a reason here",
    }
    ["rule"] "TEXT" "propose a rule in the project's instructions; alone, drafted from your last denial with a reason"
        => Takes(deeds::rule), {
        in_lines: "`signoff rule TEXT` proposes a rule in the project's instructions",
        other_words: &["rules", "memory", "remember"],
        other_answer: "/rule TEXT proposes a rule in the project's instructions",
    }
    ["critique"] "" "have the review agent look at what waits; stop after it ends that"
        => Takes(deeds::critique), {
        line: Some(Line::Critique),
        in_lines: "/critique has the review agent look at what waits, and asks about it",
        in_editor: "have the review agent look at what waits",
        editor_hint: Some("stop, to end that"),
    }
    ["plan"] "next" "go on with a plan that is held at a step; `next` skips the step" => Takes(deeds::plan), {
        is_answered_in_transcript: true,
        in_lines: "the interface carries plans out step by step: `signoff --continue`",
    }
    ["agent"] "NAME TASK" "give an agent a task" => Takes(deeds::agent), {
        is_answered_in_transcript: true, in_lines: deeds::AGENTS_IN_LINES,
        in_editor: "give an agent a task", editor_hint: Some("name and task"),
    }
    ["agents"] "" "list the agents, with their tools" => Asks(|| Command::Agents), {
        is_answered_in_transcript: true, in_lines: deeds::AGENTS_IN_LINES,
        in_editor: "list the agents",
    }
    ["tools"] "" "list the model's tools, with what each may do" => Asks(|| Command::ListTools), {
        is_answered_in_transcript: true, in_lines: "the interface lists them: `signoff --continue`, then /tools",
        in_editor: "list the model's tools",
    }
    ["bg"] "PROMPT" "start a background agent; /bg alone lists them" => Takes(deeds::background), {
        aliases: &["background"],
        in_lines: "`signoff exec --background PROMPT` starts an agent in the background; `signoff background` lists them",
    }
    ["attached"] "" "list the files that the model is given" => Asks(|| Command::ListAttached), {
        is_answered_in_transcript: true, in_lines: deeds::ATTACHED_IN_LINES,
        in_editor: "list the files that the model is given",
        other_words: &["add", "read", "file", "files"],
        other_answer: "name the file in the prompt; /attached lists what was given",
    }
    ["detach"] "PATH" "give it this file no more" => Takes(deeds::detach), {
        is_answered_in_transcript: true, choices: Choices::Attached,
        in_lines: deeds::ATTACHED_IN_LINES, in_editor: "give it this file no more",
        editor_hint: Some("path"), other_words: &["drop", "remove"],
        other_answer: "/detach PATH leaves a file out of requests; /attached lists what was given",
    }
    ["mcp"] "NAME" "MCP servers; start this one; allow or refuse before a name that the workspace brings"
        => Takes(deeds::servers), {
        is_answered_in_transcript: true,
        in_lines: "the interface does that: `signoff --continue`, then /mcp; `signoff doctor` names the servers",
        in_editor: "list MCP servers, or start one", editor_hint: Some("name"),
    }
    ["new"] "" "begin another conversation" => Asks(|| Command::Switch(Switch::New)), {
        aliases: &["clear"], instead: "; send the prompt afterwards",
        is_answered_in_transcript: true, line: Some(Line::Switch),
        in_lines: "/new begins another conversation, /fork goes on with a copy, /resume ID with an earlier one of /sessions",
    }
    ["fork"] "" "go on with a copy of this one" => Asks(|| Command::Switch(Switch::Fork)), {
        instead: "; send the prompt afterwards", is_answered_in_transcript: true,
        line: Some(Line::Switch),
    }
    ["sessions"] "" "pick an earlier conversation to go on with" => Shows(|app| app.open_picker(Picker::Sessions)), {
        is_answered_in_transcript: true, line: Some(Line::Sessions),
    }
    ["resume"] "ID" "go on with an earlier one" => Takes(deeds::resume), {
        is_answered_in_transcript: true, choices: Choices::Pick(Picker::Sessions),
        line: Some(Line::Switch), other_words: &["continue", "chat", "load"],
        other_answer: "/resume ID goes on with an earlier conversation; /sessions lists them",
    }
    ["model"] "NAME" "pick a model to ask, or ask this one" => Takes(deeds::model), {
        aliases: &["models"], is_answered_in_transcript: true,
        choices: Choices::Pick(Picker::Models), line: Some(Line::Model),
        in_lines: "/model NAME asks another model", in_editor: "ask another model",
        editor_hint: Some("name"),
    }
    ["copy"] "" "copy the last answer, by the terminal" => Shows(App::copy_answer), {
        in_lines: "the answer is above, in the terminal",
    }
    ["export"] "PATH" "write the conversation to this new file, or beside the log"
        => Takes(deeds::export), {
        in_lines: "the interface writes conversations to files: `signoff --continue`, then /export",
    }
    ["quit"] "" "quit signoff" => Shows(App::quit), {
        aliases: &["exit"], line: Some(Line::Quit), in_lines: "/quit ends",
    }
};
