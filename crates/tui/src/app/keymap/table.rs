//! Key table: one row a key, in the order in which help and status line show them.
//!
//! In: nothing. Out: every binding, by context.
//!
//! ```text
//! Review: Pane "review" "Review" {                          a context, its name in `[keys]`, its title in help
//!     "approve" "a" "approve the hunk" ["approve"] Answers  name, keys, help, a word for the status line, marks
//!         => |app| ...;                                     what it does
//!     "next-file" "J, ], (Right)" "next file" => |app| ...; help does not name the key in parentheses
//! }
//! ```

use signoff_core::stage::review::AfterApproval;
use signoff_llm::session::{Command, Grant};

use super::{Binding, Context, ContextKind, ContextTable, KeyMark, RewindExtent};
use crate::app::background_page::BackgroundPage;
use crate::app::permission_prompt::PermissionPrompt;
use crate::app::{App, AppEffect, Query};
use crate::composer::Edit;
use crate::composer::menu::Menu;
use crate::review::diff_page::DiffPage;
use crate::review::history::History;
use crate::review::note_page::NotePage;
use crate::review::{ArrangeKey, LineKey as L, ReviewKey as R, ReviewTool as T};
use crate::row_window::Scroll;
use crate::transcript::Transcript;

macro_rules! key_table {
    ($($context:ident: $kind:ident $word:literal $($title:literal)? {
        $($id:literal $keys:literal $does:literal $([$hint:literal])? $($mark:ident)* => $run:expr;)*
    })*) => {
        &[$(ContextTable {
            context: Context::$context,
            kind: ContextKind::$kind,
            word: $word,
            title: key_table!(@option $($title)?),
            bindings: &[$(Binding {
                context: Context::$context,
                id: $id,
                keys: $keys,
                does: $does,
                hint: key_table!(@option $($hint)?),
                marks: &[$(KeyMark::$mark),*],
                run: $run,
            }),*],
        }),*]
    };
    (@option) => { None };
    (@option $text:literal) => { Some($text) };
}

/// The keys of every context. A title that is empty continues the section before in help.
pub(super) static TABLES: &[ContextTable] = key_table! {
    Anywhere: Prompt "anywhere" "Anywhere" {
        "interrupt" "Ctrl-C" "clear or stop; twice quits" Unlisted => App::interrupt;
        "help" "F1" "show the keys" => App::open_help;
        "palette" "Ctrl-P" "command palette: find what can be done here, and do it" Unlisted
            => App::open_palette;
        "redraw" "Ctrl-L" "draw the screen again" => |app| app.effects.push(AppEffect::Redraw);
        "next-mode" "Shift-Tab" "the next mode: step, turn, plan" KeysOnly => App::go_to_next_mode;
        "retry" "Ctrl-Y" "ask again: after a silence or a fault" => |app| app.ask(Command::Retry);
        "cancel-call" "Ctrl-X" "stop one call; the turn goes on"
            => |app| app.ask(Command::CancelCall(None));
        "open-outputs" "Ctrl-O" "open long commands, outputs and pastes, and close them"
            => App::open_outputs;
        "quit" "Ctrl-D" "quit; while text is typed, it deletes on" Unlisted => App::quit;
        "suspend" "Ctrl-Z" "stop signoff; `fg` in the shell continues it" GivesAway
            => |app| app.effects.push(AppEffect::StopJob);
    }
    EmptyComposer: Prompt "empty-composer" "Typing" {
        "unqueue" "Delete" "remove the last queued prompt (nothing typed)" => App::unqueue;
        "help" "?" "show the keys (nothing typed)" ["help"] => App::open_help;
        "quit" "Ctrl-D" "quit (nothing typed)" ["quit"] => App::quit;
    }
    Composer: Prompt "composer" "" {
        "send" "Enter" "send" ["send"] => App::send;
        "newline" "Alt-Enter, Shift-Enter, Ctrl-J" "new line" Unlisted
            => |app| app.edit(Edit::Newline);
        "switch-focus" "Tab" "go to the review" => App::switch_focus;
        "close" "Esc" "stop what runs; close the review; twice: back to a prompt" => App::escape;
        "up" "Up" "row above, then queued and earlier prompts" Edits => |app| app.edit(Edit::Up);
        "down" "Down" "row below, then later prompts" Edits => |app| app.edit(Edit::Down);
        "search-prompts" "Ctrl-R" "search earlier prompts" => App::search_prompts;
        "edit-prompt" "Ctrl-G" "edit the prompt in $EDITOR" GivesAway => App::edit_prompt;
        "left" "Left, Ctrl-B" "back" Edits => |app| app.edit(Edit::Left);
        "right" "Right, Ctrl-F" "on" Edits => |app| app.edit(Edit::Right);
        "word-left" "Ctrl-Left, (Alt-Left), Alt-B" "back by a word" Edits
            => |app| app.edit(Edit::WordLeft);
        "word-right" "Ctrl-Right, (Alt-Right), Alt-F" "on by a word" Edits
            => |app| app.edit(Edit::WordRight);
        "line-start" "Home, Ctrl-A" "start of the line" Edits => |app| app.edit(Edit::LineStart);
        "line-end" "End, Ctrl-E" "end of the line" Edits => |app| app.edit(Edit::LineEnd);
        "delete-back" "Backspace, (Shift-Backspace), (Ctrl-H)" "delete back" Edits
            => |app| app.edit(Edit::Backspace);
        "delete-on" "Delete, Ctrl-D" "delete on" Edits => |app| app.edit(Edit::Delete);
        "delete-word-before" "Ctrl-W, (Alt-Backspace), (Ctrl-Backspace)"
            "delete the word before" Edits
            => |app| app.edit(Edit::DeleteWordBefore);
        "delete-word-after" "Alt-D, (Ctrl-Delete)" "delete the word after" Edits
            => |app| app.edit(Edit::DeleteWordAfter);
        "delete-to-start" "Ctrl-U" "delete to the start" Edits
            => |app| app.edit(Edit::DeleteToStart);
        "delete-to-end" "Ctrl-K" "delete to the end" Edits => |app| app.edit(Edit::DeleteToEnd);
        "undo-typing" "Ctrl-_" "undo typing" Edits => |app| app.edit(Edit::Undo);
        "page-up" "PageUp" "scroll back" => |app| app.scroll(Scroll::PageUp);
        "page-down" "PageDown" "scroll on" => |app| app.scroll(Scroll::PageDown);
        "top" "Ctrl-Home" "to the start" => |app| app.scroll(Scroll::Top);
        "bottom" "Ctrl-End" "to the end" => |app| app.scroll(Scroll::Bottom);
        "open-transcript" "Ctrl-T, Ctrl-Up" "browse the transcript: copy, open, find"
            => |app| app.open_transcript(None);
    }
    Menu: Prompt "menu" "A list above the prompt" {
        "take" "Enter" "take the choice; a whole command is carried out" ["take"] Unlisted KeysOnly
            => App::take_choice;
        "complete" "Tab" "put the choice into the prompt" ["complete"] Unlisted
            => |app| app.conversation.complete_choice(&app.history);
        "next" "Down, Ctrl-N" "the choice below" Unlisted
            => |app| app.conversation.move_in_menu(Menu::next);
        "previous" "Up, Ctrl-P" "the choice above" Unlisted
            => |app| app.conversation.move_in_menu(Menu::previous);
        "close" "Esc" "close the list; the text stays" ["close"] Unlisted
            => |app| app.conversation.dismiss_menu();
    }
    Review: Pane "review" "Review" {
        "approve" "a" "approve the hunk" ["approve"] Answers => |app| app.review_key(R::Approve);
        "deny" "d" "deny the hunk, with a reason" ["deny"] Answers => |app| app.review_key(R::Deny);
        "edit" "e" "edit the new text in $EDITOR; the hunk is approved with it" Answers GivesAway
            => |app| app.review_key(R::Edit);
        "approve-same" "s" "approve all hunks that make the same rewrite" Answers
            => |app| app.review_key(R::ApproveSame);
        "approve-all" "A" "approve all waiting hunks" ["all"] Answers
            => |app| app.review_key(R::ApproveAll);
        "ask" "?" "ask the model about the hunk" ["ask"] Answers
            => |app| app.review_key(R::Tool(T::Ask));
        "regenerate" "R" "have the model write the hunk again, with a remark" Answers
            => |app| app.review_key(R::Tool(T::Regenerate));
        "help" "F1" "show the keys" ["help"] => App::open_help;
        "approve-folded" "F"
            "approve all folded hunks: each is proved to be what its line says" Answers
            => |app| app.review_key(R::ApproveProved);
        "fold" "z" "open the fold, or close it" => |app| app.review_key(R::Fold);
        "fold-all" "Z" "open all folds, or close them" => |app| app.review_key(R::FoldAll);
        "approve-and-continue" "c" "approve all waiting hunks; the model continues" Answers
            => |app| app.in_review(|review| review.approve_and(AfterApproval::GoOn));
        "approve-and-stop" "S" "approve all waiting hunks; the model stops" Answers
            => |app| app.in_review(|review| review.approve_and(AfterApproval::Stop));
        "deny-all" "D" "deny all waiting hunks, with a reason" Answers
            => |app| app.review_key(R::DenyAll);
        "next" "j, Down" "forward: rest of the hunk, then the next hunk" Moves
            => |app| app.review_key(R::Next);
        "previous" "k, Up" "back" Moves => |app| app.review_key(R::Previous);
        "next-file" "J, ], (Right)" "next file" Moves => |app| app.review_key(R::NextFile);
        "previous-file" "K, [, (Left)" "file before" Moves => |app| app.review_key(R::PreviousFile);
        "take-back" "u" "take the mark away, or the last marks given"
            => |app| app.review_key(R::Tool(T::TakeBack));
        "sign-off" "Enter, w" "sign off: a page shows what will be written" Answers
            => |app| app.review_key(R::Submit);
        "revert-last" "r" "revert the last change" ["revert"] Answers
            => |app| app.revert_last(None);
        "undo" "U" "revert the last change in all of its files" Answers => App::undo;
        "history" "h" "show the history" ["history"] => App::open_history;
        "switch-focus" "Tab" "go to the composer" ["type"] => App::switch_focus;
        "page-up" "PageUp" "a screen back" Moves => |app| app.review_key(R::PageUp);
        "page-down" "PageDown" "a screen on" Moves => |app| app.review_key(R::PageDown);
        "top" "Home, g" "start of the scroll" Moves => |app| app.review_key(R::Top);
        "bottom" "End, G" "end of the scroll" Moves => |app| app.review_key(R::Bottom);
        "close" "Esc, q" "close; nothing is decided" => App::escape;
        "side-by-side" "t" "old and new side by side, or stacked"
            => |app| app.arrange(ArrangeKey::Sides);
        "tree" "T" "the tree of files, on or off" => |app| app.arrange(ArrangeKey::Tree);
        "one-file" "L" "one file at a time, or all in one scroll"
            => |app| app.arrange(ArrangeKey::Scroll);
        "more-context" "x" "more lines around the hunk; again: more still"
            => |app| app.arrange(ArrangeKey::MoreContext);
        "less-context" "X" "fold the lines around the hunk"
            => |app| app.arrange(ArrangeKey::LessContext);
        "ignore-blanks" "W" "ignore white space changes, or show them"
            => |app| app.arrange(ArrangeKey::IgnoreBlanks);
        "show-blanks" "." "show blanks and tabs, or hide them"
            => |app| app.arrange(ArrangeKey::ShowBlanks);
        "toggle" "Space" "approve the hunk, or take its mark away" Answers
            => |app| app.review_key(R::Tool(T::Toggle));
        "next-unmarked" "n" "next hunk without a mark; while searching, next match" Moves
            => |app| app.review_key(R::Tool(T::Next));
        "previous-unmarked" "N" "the one before" Moves => |app| app.review_key(R::Tool(T::Previous));
        "search" "/" "search in all files; Esc ends the search"
            => |app| app.review_key(R::Tool(T::Search));
        "filter" "f" "next filter: without a mark, denied, warned, ..."
            => |app| app.review_key(R::Tool(T::Filter));
        "copy" "y" "copy the hunk's new text (OSC 52)" => |app| app.review_key(R::Tool(T::Yank));
        "open-file" "o" "open the file on disk in $EDITOR, at the hunk" Answers GivesAway
            => |app| app.review_key(R::Tool(T::Open));
        "comment" "m" "comment on the hunk, for the model" Answers
            => |app| app.review_key(R::Tool(T::Comment));
        "deny-with-comments" "M"
            "deny the hunk with the review agent's comments, to be edited" Answers
            => |app| app.review_key(R::Tool(T::DenyWithComments));
        "deny-needless" "P"
            "deny all hunks that no test or check needs, for that reason" ["needless"] Answers
            => |app| app.review_key(R::DenyNeedless);
        "edit-in-place" "i" "edit the new text here; the hunk is approved with it" Answers
            => |app| app.review_key(R::Tool(T::EditInPlace));
        "select-lines" "v" "select lines of the hunk, to approve or deny them alone"
            => |app| app.review_key(R::Tool(T::Lines));
        "blame" "b" "who wrote the old lines of the hunk" => |app| app.show_note(NotePage::blame, Query::Blame);
        "keep-mine" "1" "conflict: keep your lines, and deny the hunk" Answers
            => |app| app.review_key(R::KeepMine);
        "take-theirs" "2" "conflict: take the hunk in their place" Answers
            => |app| app.review_key(R::TakeTheirs);
        "placement" "p" "how the edit was placed: what the model quoted, what the file has"
            => App::open_placement_note;
    }
    Lines: Pane "lines" "Lines of a hunk" {
        "toggle" "Space" "select the line, or not" ["select"]
            => |app| app.review_key(R::Lines(L::Toggle));
        "approve" "a, Enter" "approve the selected lines alone" ["approve them"] Answers
            => |app| app.review_key(R::Lines(L::Approve));
        "deny" "d"
            "deny the selected lines, or the one at the cursor, and approve the rest" ["deny them"] Answers
            => |app| app.review_key(R::Lines(L::Deny));
        "comment" "m" "comment on the line, for the model" ["comment"] Answers
            => |app| app.review_key(R::Lines(L::Comment));
        "toggle-all" "*" "select all lines, or none" ["all"]
            => |app| app.review_key(R::Lines(L::ToggleAll));
        "next" "j, Down" "next line" Moves => |app| app.review_key(R::Lines(L::Next));
        "previous" "k, Up" "the line before" Moves => |app| app.review_key(R::Lines(L::Previous));
        "page-down" "PageDown" "a screen on" Moves => |app| app.review_key(R::Lines(L::PageDown));
        "page-up" "PageUp" "a screen back" Moves => |app| app.review_key(R::Lines(L::PageUp));
        "first" "g, Home" "the first line of the hunk" Moves => |app| app.review_key(R::Lines(L::First));
        "last" "G, End" "the last line of the hunk" Moves => |app| app.review_key(R::Lines(L::Last));
        "close" "Esc, v" "go back; the selection is forgotten" ["go back"] => App::escape;
    }
    SignOff: Pane "sign-off" "Sign-off page" {
        "write" "Enter" "write what the page says" ["writes"] Answers Unlisted
            => |app| app.write(None);
        "write-and-continue" "c"
            "write it; the model continues" ["writes, model goes on"] Answers Unlisted
            => |app| app.write(Some(AfterApproval::GoOn));
        "write-and-stop" "S" "write it; the model stops" Answers Unlisted
            => |app| app.write(Some(AfterApproval::Stop));
        "test-all" "t" "run all tests on what is staged; what is written can wait for them"
            => |app| app.ask(Command::TestAll);
        "close" "Esc, q" "go back; nothing is written" ["back"] => App::escape;
        "page-down" "j, (Down), PageDown, (Space)" "on in the page"
            => |app| app.scroll(Scroll::PageDown);
        "page-up" "k, (Up), PageUp" "back in it" => |app| app.scroll(Scroll::PageUp);
    }
    Written: Prompt "written" "After writing" {
        "undo" "U" "revert the last change in all of its files" ["undo"] Answers => App::undo;
        "page-down" "PageDown, (Down)" "on in it" => |app| app.scroll(Scroll::PageDown);
        "page-up" "PageUp, (Up)" "back in it" => |app| app.scroll(Scroll::PageUp);
        "close" "Esc, Enter" "close; what else is typed goes into the composer" ["close"]
            => App::escape;
    }
    History: Pane "history" "History" {
        "show-diff" "Enter" "show the diff of the change, or of the file" ["diff"]
            => |app| app.in_history(History::show);
        "open" "l, Right" "open the change into its files" ["files"]
            => |app| app.in_history(History::open);
        "fold" "Left" "close it again" => |app| app.in_history(History::fold);
        "undo" "U" "revert the last change in all of its files" Answers => App::undo;
        "revert" "r"
            "go back to before this change, or this version of a file" ["back to before"] KeysOnly
            => |app| app.in_history(History::revert);
        "only" "o" "revert this change, or its part of a file, alone" ["only this"] KeysOnly
            => |app| app.in_history(History::only);
        "redo" "R" "redo what was last reverted of the file" ["redo"] KeysOnly
            => |app| app.in_history(History::redo);
        "denied" "d" "show what was denied, or again what was written" ["denied"]
            => |app| app.in_history(History::switch_to_denied);
        "next" "j, Down" "older" => |app| app.in_history(History::older);
        "previous" "k, Up" "newer" => |app| app.in_history(History::newer);
        "page-up" "PageUp" "a screen back" => |app| app.in_history(History::page_up);
        "page-down" "PageDown, (Space)" "a screen on" => |app| app.in_history(History::page_down);
        "close" "Esc, (q), (h)" "close" ["close"] => App::escape;
    }
    Diff: Pane "diff" "Diff" {
        "down" "j, Down" "a row on" => |app| app.in_diff(DiffPage::go_down);
        "up" "k, Up" "a row back" => |app| app.in_diff(DiffPage::go_up);
        "page-down" "PageDown, Space" "a screen on" ["on"]
            => |app| app.in_diff(DiffPage::page_down);
        "page-up" "PageUp" "a screen back" => |app| app.in_diff(DiffPage::page_up);
        "next-file" "J, ], (Right)" "next file" ["next file"]
            => |app| app.in_diff(DiffPage::next_file);
        "previous-file" "K, [, (Left)" "file before" => |app| app.in_diff(DiffPage::previous_file);
        "top" "Home, g" "to the start" => |app| app.in_diff(DiffPage::go_to_top);
        "bottom" "End, G" "to the end" => |app| app.in_diff(DiffPage::go_to_bottom);
        "side-by-side" "t" "old and new side by side, or stacked" ["sides"]
            => |app| app.in_diff(DiffPage::toggle_sides);
        "close" "Esc, (q)" "close" ["close"] => App::escape;
    }
    Places: Pane "places" "An edit that fits several places" {
        "place-1" "1-9, (1)" "put the edit at the place with this number" ["choose"] Answers
            => |app| app.choose_place(0);
        "place-2" "(2)" "put the edit at place 2" Answers => |app| app.choose_place(1);
        "place-3" "(3)" "put the edit at place 3" Answers => |app| app.choose_place(2);
        "place-4" "(4)" "put the edit at place 4" Answers => |app| app.choose_place(3);
        "place-5" "(5)" "put the edit at place 5" Answers => |app| app.choose_place(4);
        "place-6" "(6)" "put the edit at place 6" Answers => |app| app.choose_place(5);
        "place-7" "(7)" "put the edit at place 7" Answers => |app| app.choose_place(6);
        "place-8" "(8)" "put the edit at place 8" Answers => |app| app.choose_place(7);
        "place-9" "(9)" "put the edit at place 9" Answers => |app| app.choose_place(8);
        "page-down" "j, (Down), PageDown, (Space)" "on" => |app| app.scroll(Scroll::PageDown);
        "page-up" "k, (Up), PageUp" "back" => |app| app.scroll(Scroll::PageUp);
        "close" "Esc, (q)" "close; the edit waits" ["close"] => App::escape;
    }
    Background: Pane "background" "Background agents" {
        "look" "Enter" "show what the agent has said" ["look"]
            => |app| app.ask_background(BackgroundPage::look);
        "say" "m" "write another prompt for it" ["say"]
            => App::begin_prompt_for_agent;
        "stop" "x" "ask whether it is to end; what it proposed stays" ["stop"]
            => |app| { app.in_background(BackgroundPage::ask_to_stop); };
        "next" "j, Down" "select the next agent, or a row on"
            => |app| { app.in_background(BackgroundPage::next); };
        "previous" "k, Up" "select the agent before, or a row back"
            => |app| { app.in_background(BackgroundPage::previous); };
        "page-down" "PageDown, (Space)" "a screen on" => |app| app.scroll(Scroll::PageDown);
        "page-up" "PageUp" "a screen back" => |app| app.scroll(Scroll::PageUp);
        "close" "Esc, (q)" "back to the list, or close it" ["close"] => App::escape;
    }
    BackgroundEnd: Answer "background-end" "" {
        "end" "y" "end the agent" ["end it"] Answers
            => |app| app.ask_background(BackgroundPage::stop);
        "keep" "n, Esc" "let it be" ["no"] => |app| { app.in_background(BackgroundPage::keep); };
    }
    Palette: Text "palette" "Command palette" {
        "take" "Enter"
            "do what is selected, where the palette was opened" ["do it"] Unlisted KeysOnly
            => App::take_from_palette;
        "next" "Down, (Tab), Ctrl-N" "the line below" Unlisted
            => |app| app.focus.move_in_palette(Menu::next);
        "previous" "Up, (Shift-Tab), Ctrl-P" "the line above" Unlisted
            => |app| app.focus.move_in_palette(Menu::previous);
        "close" "Esc" "close the palette; nothing is done" ["close"] Unlisted
            => |app| app.focus.close_palette();
    }
    Reason: Text "reason" "A reason for denying" {
        "send" "Enter" "deny; empty gives no reason" ["deny"] KeysOnly => App::send;
        "make-rule" "Alt-Enter, Ctrl-S" "deny, and draft a rule for the project's instructions" ["with a rule"] KeysOnly
            => App::deny_with_rule;
        "close" "Esc" "do not deny" ["go back"] => App::escape;
    }
    Question: Text "question" "A question to the model" {
        "send" "Enter" "ask; the answer stands below the hunk" ["ask"] => App::send;
        "close" "Esc" "go back; what is typed is kept" ["go back"] => App::escape;
    }
    Remark: Text "remark" "A remark on a hunk that is written again" {
        "send" "Enter" "have it written again; all other hunks stay" ["write again"] => App::send;
        "close" "Esc" "go back; what is typed is kept" ["go back"] => App::escape;
    }
    Search: Text "search" "A search in the review" {
        "send" "Enter" "keep the search, and go from match to match" ["keep"] => App::send;
        "close" "Esc" "end the search" ["end"] => App::escape;
    }
    Comment: Text "comment" "A comment on a hunk" {
        "send" "Enter" "keep it; an empty one is removed" ["keep"] => App::send;
        "close" "Esc" "go back; it is kept" ["go back"] => App::escape;
    }
    NewText: Text "new-text" "The new text of a hunk" {
        "approve" "Ctrl-S, Alt-Enter"
            "approve the hunk with this text" ["approve so"] Unlisted KeysOnly
            => App::send;
        "newline" "Enter, (Shift-Enter), (Ctrl-J)" "new line" Unlisted
            => |app| app.edit(Edit::Newline);
        "tab" "Tab" "a tab" Unlisted => |app| app.edit(Edit::Insert('\t'));
        "close" "Esc" "go back; the text is offered again" ["go back"] => App::escape;
    }
    Permission: Pane "permission" "A call that needs permission" {
        "once" "y, (Y)" "run it; what is out of sight is shown first" ["yes"] Answers
            => |app| app.answer_permission(Grant::Once);
        "refuse" "n, (N), (Esc)" "do not run it, and stop" ["no"] Answers
            => |app| app.answer_permission(Grant::Refuse { reason: None });
        "always" "a" "run it, and the very same again without asking" ["always"] Answers
            => |app| app.answer_permission(Grant::Always);
        "instead" "i" "do not run it, and say what to do instead" ["instead"] Answers
            => |app| app.focus.answer_instead();
        "switch-focus" "Tab" "go on typing, and back" => App::switch_focus;
        "page-down" "j, (Down), PageDown, (Space)" "on in what would run" Moves
            => |app| app.focus.turn_permission(PermissionPrompt::page_down);
        "page-up" "k, (Up), PageUp" "back in it" Moves
            => |app| app.focus.turn_permission(PermissionPrompt::page_up);
    }
    HostPermission: Pane "host-permission" "A host that a command asks for" {
        "once" "y, (Y)" "let this command reach it" ["yes"] Answers
            => |app| app.answer_permission(Grant::Once);
        "refuse" "n, (N), (Esc)" "refuse it" ["no"] Answers
            => |app| app.answer_permission(Grant::Refuse { reason: None });
        "session" "s" "let all commands reach it until you quit" ["this session"] Answers
            => |app| app.answer_permission(Grant::Session);
        "always" "a" "the same, also in later sessions: write it to your configuration" ["always"] Answers
            => |app| app.answer_permission(Grant::Always);
        "instead" "i" "refuse it, and say why" ["instead"] Answers
            => |app| app.focus.answer_instead();
        "switch-focus" "Tab" "go on typing, and back" => App::switch_focus;
        "page-down" "j, (Down), PageDown, (Space)" "on in who asks" Moves
            => |app| app.focus.turn_permission(PermissionPrompt::page_down);
        "page-up" "k, (Up), PageUp" "back in it" Moves
            => |app| app.focus.turn_permission(PermissionPrompt::page_up);
    }
    Confirm: Answer "confirm" "A question" {
        "yes" "y, (Y)" "do it" ["yes"] Answers => App::confirm;
        "whole" "a" "ask about all files of the changeset" => App::ask_whole;
        "no" "n, (N), (Esc)" "leave it" ["no"] Refuses => |app| drop(app.focus.take_dialog());
        "page-down" "(j), (Down), PageDown, (Space)" "on in what would change"
            => |app| app.scroll(Scroll::PageDown);
        "page-up" "(k), (Up), PageUp" "back in it" => |app| app.scroll(Scroll::PageUp);
    }
    Rewind: Answer "rewind" "Going back to a prompt" {
        "rewind-conversation" "c, (C), (Enter)"
            "take the prompt and all behind it out of the conversation; Enter does the same" ["conversation"] Answers
            => |app| app.rewind(RewindExtent::Conversation);
        "rewind-files" "f, (F)"
            "revert what the conversation wrote to files since" ["files"] Answers
            => |app| app.rewind(RewindExtent::Files);
        "rewind-both" "b, (B)" "both, or neither where something is in the way" ["both"] Answers
            => |app| app.rewind(RewindExtent::Both);
        "no" "(n), (N), Esc" "leave it" ["nothing"] Refuses => |app| drop(app.focus.take_dialog());
        "page-down" "(j), (Down), PageDown, (Space)" "on in what would change"
            => |app| app.scroll(Scroll::PageDown);
        "page-up" "(k), (Up), PageUp" "back in it" => |app| app.scroll(Scroll::PageUp);
    }
    RewindConversation: Answer "rewind-conversation" {
        "rewind-conversation" "c, (C), (Enter)"
            "take the prompt and all behind it out of the conversation; Enter does the same" ["conversation"] Answers
            => |app| app.rewind(RewindExtent::Conversation);
        "no" "(n), (N), Esc" "leave it" ["nothing"] Refuses => |app| drop(app.focus.take_dialog());
        "page-down" "(j), (Down), PageDown, (Space)" "on in what is in the way"
            => |app| app.scroll(Scroll::PageDown);
        "page-up" "(k), (Up), PageUp" "back in it" => |app| app.scroll(Scroll::PageUp);
    }
    Transcript: Pane "transcript" "Transcript" {
        "copy" "y" "copy the text of the block" ["copy"]
            => |app| app.in_transcript(Transcript::copy_block);
        "toggle" "Enter, (Space)" "open the call, or fold it" ["open"]
            => |app| app.in_transcript(Transcript::toggle_block);
        "find" "/" "find in the transcript" ["find"]
            => |app| app.in_transcript(Transcript::begin_find);
        "next-hit" "n" "next row with a match" => |app| app.in_transcript(Transcript::next_hit);
        "previous-hit" "N" "previous row with a match"
            => |app| app.in_transcript(Transcript::previous_hit);
        "next" "j, Down" "on in a long block, then the next"
            => |app| app.in_transcript(Transcript::next_block);
        "previous" "k, Up" "block before" => |app| app.in_transcript(Transcript::previous_block);
        "first" "g, Home" "first block" => |app| app.in_transcript(Transcript::first_block);
        "last" "G, End" "last block" => |app| app.in_transcript(Transcript::last_block);
        "page-up" "PageUp" "a screen back" => |app| app.scroll(Scroll::PageUp);
        "page-down" "PageDown" "a screen on" => |app| app.scroll(Scroll::PageDown);
        "close" "Esc, q, (Ctrl-T)" "back to the composer" ["back"] => App::escape;
    }
    Help: Pane "help" "This page" {
        "page-down" "(j), (Down), PageDown, (Space)" "on" ["on"]
            => |app| app.scroll(Scroll::PageDown);
        "page-up" "(k), (Up), PageUp" "back" ["back"] => |app| app.scroll(Scroll::PageUp);
        "find" "/" "find a key or a command" => App::find_in_help;
        "close" "Esc, (q), (?), (F1)" "close" ["close"] => App::escape;
    }
};
