//! Key table: one row a key, in the order in which help and status line show them.
//!
//! In: nothing. Out: every binding, by context.
//!
//! ```text
//! Review: Pane "review" "Review" {                                 a context, its name in [keys], its title in help
//!     "approve" "a" "approve the hunk" ["approve"] => ...;         name, keys, help, [a word for the status line], action
//!     "next-file" "J, ], (Right)" "next file" => ...;              help does not name the key in parentheses
//! }
//! ```

use signoff_llm::mode::AfterApproval;

use super::Action::*;
use super::{Binding, Context, ContextKind, ContextTable, PermissionKey, RewindExtent};
use crate::background_page::BackgroundKey;
use crate::composer::Edit;
use crate::composer::menu::MenuKey;
use crate::review::diff_page::DiffPageKey;
use crate::review::history::HistoryKey;
use crate::review::{ArrangeKey, LineKey, ReviewKey, ReviewTool};
use crate::transcript::{BrowseKey, Scroll};

macro_rules! key_table {
    ($($context:ident: $kind:ident $word:literal $($title:literal)? {
        $($id:literal $keys:literal $does:literal $([$hint:literal])? => $action:expr;)*
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
                action: $action,
            }),*],
        }),*]
    };
    (@option) => { None };
    (@option $text:literal) => { Some($text) };
}

/// The keys of every context. A title that is empty continues the section before in help.
pub(super) static TABLES: &[ContextTable] = key_table! {
    Anywhere: Prompt "anywhere" "Anywhere" {
        "interrupt" "Ctrl-C" "clear or stop; twice quits" => Interrupt;
        "help" "F1" "show the keys" => Help;
        "palette" "Ctrl-P" "command palette: find what can be done here, and do it" => OpenPalette;
        "redraw" "Ctrl-L" "draw the screen again" => Redraw;
        "next-mode" "Shift-Tab" "the next mode: step, turn, plan" => NextMode;
        "retry" "Ctrl-Y" "ask again: after a silence or a fault" => Retry;
        "cancel-call" "Ctrl-X" "stop one call; the turn goes on" => CancelCall;
        "open-outputs" "Ctrl-O" "open long commands, outputs and pastes, and close them"
            => OpenOutputs;
        "suspend" "Ctrl-Z" "stop signoff; `fg` in the shell continues it" => Suspend;
    }
    EmptyComposer: Prompt "empty-composer" "Typing" {
        "unqueue" "Delete" "remove the last queued prompt (nothing typed)" => Unqueue;
        "help" "?" "show the keys (nothing typed)" ["help"] => Help;
        "quit" "Ctrl-D" "quit (nothing typed)" ["quit"] => Quit;
    }
    Composer: Prompt "composer" "" {
        "send" "Enter" "send" ["send"] => Send;
        "newline" "Alt-Enter, Shift-Enter, Ctrl-J" "new line" => Edit(Edit::Newline);
        "switch-focus" "Tab" "go to the review" => SwitchFocus;
        "close" "Esc" "stop what runs; close the review; twice: back to a prompt" => Escape;
        "up" "Up" "row above, then queued and earlier prompts" => Edit(Edit::Up);
        "down" "Down" "row below, then later prompts" => Edit(Edit::Down);
        "search-prompts" "Ctrl-R" "search earlier prompts" => SearchPrompts;
        "edit-prompt" "Ctrl-G" "edit the prompt in $EDITOR" => EditPrompt;
        "left" "Left, Ctrl-B" "back" => Edit(Edit::Left);
        "right" "Right, Ctrl-F" "on" => Edit(Edit::Right);
        "word-left" "Ctrl-Left, (Alt-Left), Alt-B" "back by a word" => Edit(Edit::WordLeft);
        "word-right" "Ctrl-Right, (Alt-Right), Alt-F" "on by a word" => Edit(Edit::WordRight);
        "line-start" "Home, Ctrl-A" "start of the line" => Edit(Edit::LineStart);
        "line-end" "End, Ctrl-E" "end of the line" => Edit(Edit::LineEnd);
        "delete-back" "Backspace, (Shift-Backspace), (Ctrl-H)" "delete back"
            => Edit(Edit::Backspace);
        "delete-on" "Delete, Ctrl-D" "delete on" => Edit(Edit::Delete);
        "delete-word-before" "Ctrl-W, (Alt-Backspace), (Ctrl-Backspace)" "delete the word before"
            => Edit(Edit::DeleteWordBefore);
        "delete-word-after" "Alt-D, (Ctrl-Delete)" "delete the word after"
            => Edit(Edit::DeleteWordAfter);
        "delete-to-start" "Ctrl-U" "delete to the start" => Edit(Edit::DeleteToStart);
        "delete-to-end" "Ctrl-K" "delete to the end" => Edit(Edit::DeleteToEnd);
        "undo-typing" "Ctrl-_" "take back typing" => Edit(Edit::Undo);
        "page-up" "PageUp" "scroll back" => Scroll(Scroll::PageUp);
        "page-down" "PageDown" "scroll on" => Scroll(Scroll::PageDown);
        "top" "Ctrl-Home" "to the start" => Scroll(Scroll::Top);
        "bottom" "Ctrl-End" "to the end" => Scroll(Scroll::Bottom);
        "open-transcript" "Ctrl-T, Ctrl-Up" "browse the transcript: copy, open, find"
            => OpenTranscript;
    }
    Menu: Prompt "menu" "A list above the prompt" {
        "take" "Enter" "take the choice; a whole command is carried out" ["take"]
            => Menu(MenuKey::Take);
        "complete" "Tab" "put the choice into the prompt" ["complete"] => Menu(MenuKey::Complete);
        "next" "Down, Ctrl-N" "the choice below" => Menu(MenuKey::Next);
        "previous" "Up, Ctrl-P" "the choice above" => Menu(MenuKey::Previous);
        "close" "Esc" "close the list; the text stays" ["close"] => Menu(MenuKey::Close);
    }
    Review: Pane "review" "Review" {
        "approve" "a" "approve the hunk" ["approve"] => Review(ReviewKey::Approve);
        "deny" "d" "deny the hunk, with a reason" ["deny"] => Review(ReviewKey::Deny);
        "edit" "e" "edit the new text in $EDITOR; the hunk is approved with it"
            => Review(ReviewKey::Edit);
        "approve-same" "s" "approve all hunks that make the same rewrite"
            => Review(ReviewKey::ApproveSame);
        "approve-all" "A" "approve all waiting hunks" ["all"] => Review(ReviewKey::ApproveAll);
        "ask" "?" "ask the model about the hunk" ["ask"]
            => Review(ReviewKey::Tool(ReviewTool::Ask));
        "help" "F1" "show the keys" ["help"] => Help;
        "approve-folded" "F" "approve all folded hunks: each is proved to be what its line says"
            => Review(ReviewKey::ApproveProved);
        "fold" "z" "open the fold, or close it" => Review(ReviewKey::Fold);
        "fold-all" "Z" "open all folds, or close them" => Review(ReviewKey::FoldAll);
        "approve-and-continue" "c" "approve all waiting hunks; the model continues"
            => ApproveAnd(AfterApproval::GoOn);
        "approve-and-stop" "S" "approve all waiting hunks; the model stops"
            => ApproveAnd(AfterApproval::Stop);
        "deny-all" "D" "deny all waiting hunks, with a reason" => Review(ReviewKey::DenyAll);
        "next" "j, Down" "forward: rest of the hunk, then the next hunk" => Review(ReviewKey::Next);
        "previous" "k, Up" "back" => Review(ReviewKey::Previous);
        "next-file" "J, ], (Right)" "next file" => Review(ReviewKey::NextFile);
        "previous-file" "K, [, (Left)" "file before" => Review(ReviewKey::PreviousFile);
        "take-back" "u" "take the mark away, or the last marks given"
            => Review(ReviewKey::Tool(ReviewTool::TakeBack));
        "sign-off" "Enter, w" "sign off: a page shows what will be written"
            => Review(ReviewKey::Submit);
        "revert-last" "r" "take back the last change" ["revert"] => RevertLast;
        "undo" "U" "take back all of the last changeset" => Undo;
        "history" "h" "show the history" ["history"] => OpenHistory;
        "switch-focus" "Tab" "go to the composer" ["type"] => SwitchFocus;
        "page-up" "PageUp" "a screen back" => Review(ReviewKey::PageUp);
        "page-down" "PageDown" "a screen on" => Review(ReviewKey::PageDown);
        "top" "Home, g" "start of the scroll" => Review(ReviewKey::Top);
        "bottom" "End, G" "end of the scroll" => Review(ReviewKey::Bottom);
        "close" "Esc, q" "close; nothing is decided" => Escape;
        "side-by-side" "t" "old and new side by side, or stacked" => Arrange(ArrangeKey::Sides);
        "tree" "T" "the tree of files, on or off" => Arrange(ArrangeKey::Tree);
        "one-file" "L" "one file at a time, or all in one scroll" => Arrange(ArrangeKey::Scroll);
        "more-context" "x" "more lines around the hunk; again: more still"
            => Arrange(ArrangeKey::MoreContext);
        "less-context" "X" "fold the lines around the hunk" => Arrange(ArrangeKey::LessContext);
        "ignore-blanks" "W" "ignore white space changes, or show them"
            => Arrange(ArrangeKey::IgnoreBlanks);
        "show-blanks" "." "show blanks and tabs, or hide them" => Arrange(ArrangeKey::ShowBlanks);
        "toggle" "Space" "approve the hunk, or take its mark away"
            => Review(ReviewKey::Tool(ReviewTool::Toggle));
        "next-unmarked" "n" "next hunk without a mark; while searching, next match"
            => Review(ReviewKey::Tool(ReviewTool::Next));
        "previous-unmarked" "N" "the one before" => Review(ReviewKey::Tool(ReviewTool::Previous));
        "search" "/" "search in all files; Esc ends the search"
            => Review(ReviewKey::Tool(ReviewTool::Search));
        "filter" "f" "next filter: without a mark, denied, warned, ..."
            => Review(ReviewKey::Tool(ReviewTool::Filter));
        "copy" "y" "copy the hunk's new text (OSC 52)" => Review(ReviewKey::Tool(ReviewTool::Yank));
        "open-file" "o" "open the file on disk in $EDITOR, at the hunk"
            => Review(ReviewKey::Tool(ReviewTool::Open));
        "comment" "m" "comment on the hunk, for the model"
            => Review(ReviewKey::Tool(ReviewTool::Comment));
        "deny-with-comments" "M" "deny the hunk with the review agent's comments, to be edited"
            => Review(ReviewKey::Tool(ReviewTool::DenyWithComments));
        "edit-in-place" "i" "edit the new text here; the hunk is approved with it"
            => Review(ReviewKey::Tool(ReviewTool::EditInPlace));
        "select-lines" "v" "select lines of the hunk, to approve or deny them alone"
            => Review(ReviewKey::Tool(ReviewTool::Lines));
        "blame" "b" "who wrote the old lines of the hunk" => Blame;
        "keep-mine" "1" "conflict: keep your lines, and deny the hunk"
            => Review(ReviewKey::KeepMine);
        "take-theirs" "2" "conflict: take the hunk in their place" => Review(ReviewKey::TakeTheirs);
        "placement" "p" "how the edit was placed: what the model quoted, what the file has"
            => Placement;
    }
    Lines: Pane "lines" "Lines of a hunk" {
        "toggle" "Space" "select the line, or not" ["select"]
            => Review(ReviewKey::Lines(LineKey::Toggle));
        "approve" "a, Enter" "approve the selected lines alone" ["approve them"]
            => Review(ReviewKey::Lines(LineKey::Approve));
        "deny" "d"
            "deny the selected lines, or the one at the cursor, and approve the rest" ["deny them"]
            => Review(ReviewKey::Lines(LineKey::Deny));
        "comment" "m" "comment on the line, for the model" ["comment"]
            => Review(ReviewKey::Lines(LineKey::Comment));
        "toggle-all" "*" "select all lines, or none" ["all"]
            => Review(ReviewKey::Lines(LineKey::ToggleAll));
        "next" "j, Down" "next line" => Review(ReviewKey::Lines(LineKey::Next));
        "previous" "k, Up" "the line before" => Review(ReviewKey::Lines(LineKey::Previous));
        "page-down" "PageDown" "a screen on" => Review(ReviewKey::Lines(LineKey::PageDown));
        "page-up" "PageUp" "a screen back" => Review(ReviewKey::Lines(LineKey::PageUp));
        "first" "g, Home" "the first line of the hunk" => Review(ReviewKey::Lines(LineKey::First));
        "last" "G, End" "the last line of the hunk" => Review(ReviewKey::Lines(LineKey::Last));
        "close" "Esc, v" "go back; the selection is forgotten" ["go back"] => Escape;
    }
    SignOff: Pane "sign-off" "Sign-off page" {
        "write" "Enter" "write what the page says" ["writes"] => Write(None);
        "write-and-continue" "c" "write it; the model continues" ["writes, model goes on"]
            => Write(Some(AfterApproval::GoOn));
        "write-and-stop" "S" "write it; the model stops" => Write(Some(AfterApproval::Stop));
        "close" "Esc, q" "go back; nothing is written" ["back"] => Escape;
        "page-down" "j, (Down), PageDown, (Space)" "on in the page" => Scroll(Scroll::PageDown);
        "page-up" "k, (Up), PageUp" "back in it" => Scroll(Scroll::PageUp);
    }
    Written: Prompt "written" "After writing" {
        "undo" "U" "take back the last changeset that was written" ["undo"] => Undo;
        "close" "Esc, Enter" "close; what else is typed goes into the composer" ["close"] => Escape;
    }
    History: Pane "history" "History" {
        "show-diff" "Enter" "show the diff of the change, or of the file" ["diff"]
            => History(HistoryKey::Show);
        "open" "l, Right" "open the change into its files" ["files"] => History(HistoryKey::Open);
        "fold" "Left" "close it again" => History(HistoryKey::Fold);
        "undo" "U" "take back all of the last changeset" => Undo;
        "revert" "r" "go back to before this change, or this version of a file" ["back to before"]
            => History(HistoryKey::Revert);
        "only" "o" "take back only this change, or this version of a file" ["only this"]
            => History(HistoryKey::Only);
        "redo" "R" "redo what was last taken back of the file" ["redo"]
            => History(HistoryKey::Redo);
        "next" "j, Down" "older" => History(HistoryKey::Next);
        "previous" "k, Up" "newer" => History(HistoryKey::Previous);
        "page-up" "PageUp" "a screen back" => History(HistoryKey::PageUp);
        "page-down" "PageDown, (Space)" "a screen on" => History(HistoryKey::PageDown);
        "close" "Esc, (q), (h)" "close" ["close"] => Escape;
    }
    Diff: Pane "diff" "Diff" {
        "down" "j, Down" "a row on" => Diff(DiffPageKey::Down);
        "up" "k, Up" "a row back" => Diff(DiffPageKey::Up);
        "page-down" "PageDown, Space" "a screen on" ["on"] => Diff(DiffPageKey::PageDown);
        "page-up" "PageUp" "a screen back" => Diff(DiffPageKey::PageUp);
        "next-file" "J, ], (Right)" "next file" ["next file"] => Diff(DiffPageKey::NextFile);
        "previous-file" "K, [, (Left)" "file before" => Diff(DiffPageKey::PreviousFile);
        "top" "Home, g" "to the start" => Diff(DiffPageKey::Top);
        "bottom" "End, G" "to the end" => Diff(DiffPageKey::Bottom);
        "side-by-side" "t" "old and new side by side, or stacked" ["sides"]
            => Diff(DiffPageKey::Sides);
        "close" "Esc, (q)" "close" ["close"] => Escape;
    }
    Places: Pane "places" "An edit that fits several places" {
        "place-1" "1-9, (1)" "put the edit at the place with this number" ["choose"] => Place(0);
        "place-2" "(2)" "put the edit at place 2" => Place(1);
        "place-3" "(3)" "put the edit at place 3" => Place(2);
        "place-4" "(4)" "put the edit at place 4" => Place(3);
        "place-5" "(5)" "put the edit at place 5" => Place(4);
        "place-6" "(6)" "put the edit at place 6" => Place(5);
        "place-7" "(7)" "put the edit at place 7" => Place(6);
        "place-8" "(8)" "put the edit at place 8" => Place(7);
        "place-9" "(9)" "put the edit at place 9" => Place(8);
        "page-down" "j, (Down), PageDown, (Space)" "on" => Scroll(Scroll::PageDown);
        "page-up" "k, (Up), PageUp" "back" => Scroll(Scroll::PageUp);
        "close" "Esc, (q)" "close; the edit waits" ["close"] => Escape;
    }
    Background: Pane "background" "Background agents" {
        "look" "Enter" "show what the agent has said" ["look"] => Background(BackgroundKey::Look);
        "say" "m" "write another prompt for it" ["say"] => Background(BackgroundKey::Say);
        "stop" "x" "ask whether it is to end; what it proposed stays" ["stop"]
            => Background(BackgroundKey::Stop);
        "next" "j, Down" "select the next agent, or a row on" => Background(BackgroundKey::Next);
        "previous" "k, Up" "select the agent before, or a row back"
            => Background(BackgroundKey::Previous);
        "page-down" "PageDown, (Space)" "a screen on" => Scroll(Scroll::PageDown);
        "page-up" "PageUp" "a screen back" => Scroll(Scroll::PageUp);
        "close" "Esc, (q)" "back to the list, or close it" ["close"] => Escape;
    }
    BackgroundEnd: Answer "background-end" "" {
        "end" "y" "end the agent" ["end it"] => Background(BackgroundKey::End);
        "keep" "n, Esc" "let it be" ["no"] => Background(BackgroundKey::Keep);
    }
    Palette: Text "palette" "Command palette" {
        "take" "Enter" "do what is selected, where the palette was opened" ["do it"]
            => Menu(MenuKey::Take);
        "next" "Down, (Tab), Ctrl-N" "the line below" => Menu(MenuKey::Next);
        "previous" "Up, (Shift-Tab), Ctrl-P" "the line above" => Menu(MenuKey::Previous);
        "close" "Esc" "close the palette; nothing is done" ["close"] => Menu(MenuKey::Close);
    }
    Reason: Text "reason" "A reason for denying" {
        "send" "Enter" "deny; empty gives no reason" ["deny"] => Send;
        "close" "Esc" "do not deny" ["go back"] => Escape;
    }
    Question: Text "question" "A question to the model" {
        "send" "Enter" "ask; the answer stands below the hunk" ["ask"] => Send;
        "close" "Esc" "go back; what is typed is kept" ["go back"] => Escape;
    }
    Search: Text "search" "A search in the review" {
        "send" "Enter" "keep the search, and go from match to match" ["keep"] => Send;
        "close" "Esc" "end the search" ["end"] => Escape;
    }
    Comment: Text "comment" "A comment on a hunk" {
        "send" "Enter" "keep it; an empty one is removed" ["keep"] => Send;
        "close" "Esc" "go back; it is kept" ["go back"] => Escape;
    }
    NewText: Text "new-text" "The new text of a hunk" {
        "approve" "Ctrl-S, Alt-Enter" "approve the hunk with this text" ["approve so"] => Send;
        "newline" "Enter, (Shift-Enter), (Ctrl-J)" "new line" => Edit(Edit::Newline);
        "tab" "Tab" "a tab" => Edit(Edit::Insert('\t'));
        "close" "Esc" "go back; the text is offered again" ["go back"] => Escape;
    }
    Permission: Pane "permission" "A call that needs permission" {
        "once" "y, (Y)" "run it; what is out of sight is shown first" ["yes"]
            => Permission(PermissionKey::Once);
        "always" "a" "run it, and the very same again without asking" ["always"]
            => Permission(PermissionKey::Always);
        "refuse" "n, (N), (Esc)" "do not run it, and stop" ["no"]
            => Permission(PermissionKey::Refuse);
        "instead" "i" "do not run it, and say what to do instead" ["instead"]
            => Permission(PermissionKey::Instead);
        "switch-focus" "Tab" "go on typing, and back" => SwitchFocus;
        "page-down" "j, (Down), PageDown, (Space)" "on in what would run"
            => Permission(PermissionKey::Next);
        "page-up" "k, (Up), PageUp" "back in it" => Permission(PermissionKey::Previous);
    }
    Confirm: Answer "confirm" "A question" {
        "yes" "y, (Y)" "do it" ["yes"] => Yes;
        "whole" "a" "ask about all files of the changeset" => Whole;
        "no" "n, (N), (Esc)" "leave it" ["no"] => No;
        "page-down" "(j), (Down), PageDown, (Space)" "on in what would change"
            => Scroll(Scroll::PageDown);
        "page-up" "(k), (Up), PageUp" "back in it" => Scroll(Scroll::PageUp);
    }
    Rewind: Answer "rewind" "Going back to a prompt" {
        "rewind-conversation" "c, (C), (Enter)"
            "take the prompt and all behind it out of the conversation; Enter does the same" ["conversation"]
            => Rewind(RewindExtent::Conversation);
        "rewind-files" "f, (F)" "take back what the conversation wrote to files since" ["files"]
            => Rewind(RewindExtent::Files);
        "rewind-both" "b, (B)" "both, or neither where something is in the way" ["both"]
            => Rewind(RewindExtent::Both);
        "no" "(n), (N), Esc" "leave it" ["nothing"] => No;
        "page-down" "(j), (Down), PageDown, (Space)" "on in what would change"
            => Scroll(Scroll::PageDown);
        "page-up" "(k), (Up), PageUp" "back in it" => Scroll(Scroll::PageUp);
    }
    RewindConversation: Answer "rewind-conversation" {
        "rewind-conversation" "c, (C), (Enter)"
            "take the prompt and all behind it out of the conversation; Enter does the same" ["conversation"]
            => Rewind(RewindExtent::Conversation);
        "no" "(n), (N), Esc" "leave it" ["nothing"] => No;
        "page-down" "(j), (Down), PageDown, (Space)" "on in what is in the way"
            => Scroll(Scroll::PageDown);
        "page-up" "(k), (Up), PageUp" "back in it" => Scroll(Scroll::PageUp);
    }
    Transcript: Pane "transcript" "Transcript" {
        "copy" "y" "copy the text of the block" ["copy"] => Browse(BrowseKey::Copy);
        "toggle" "Enter, (Space)" "open the call, or fold it" ["open"] => Browse(BrowseKey::Toggle);
        "find" "/" "find in the transcript" ["find"] => Browse(BrowseKey::Find);
        "next-hit" "n" "next row with a match" => Browse(BrowseKey::NextHit);
        "previous-hit" "N" "previous row with a match" => Browse(BrowseKey::PreviousHit);
        "next" "j, Down" "on in a long block, then the next" => Browse(BrowseKey::Next);
        "previous" "k, Up" "block before" => Browse(BrowseKey::Previous);
        "first" "g, Home" "first block" => Browse(BrowseKey::First);
        "last" "G, End" "last block" => Browse(BrowseKey::Last);
        "page-up" "PageUp" "a screen back" => Scroll(Scroll::PageUp);
        "page-down" "PageDown" "a screen on" => Scroll(Scroll::PageDown);
        "close" "Esc, q, (Ctrl-T)" "back to the composer" ["back"] => Escape;
    }
    Help: Pane "help" "This page" {
        "page-down" "(j), (Down), PageDown, (Space)" "on" ["on"] => Scroll(Scroll::PageDown);
        "page-up" "(k), (Up), PageUp" "back" ["back"] => Scroll(Scroll::PageUp);
        "close" "Esc, (q), (?), (F1)" "close" ["close"] => Escape;
    }
};
