//! What leaves the interface beside frames, carried out: one match.
//!
//! In: effects, in the order in which they were asked for. Out: commands, files, copies, programs that have the terminal.

use std::sync::Arc;
use std::thread;

use anyhow::Context as _;
use rustix::process::{Signal, kill_current_process_group};
use signal_hook::consts::signal::{SIGINT, SIGTSTP};
use signal_hook::low_level::emulate_default_handler;
use signoff_sandbox::process::job::is_orphaned_job;

use super::{Loop, TICK, now};
use crate::app::{AppEffect, BackgroundRequest, Msg};
use crate::error_text::in_words;
use crate::response::{FileLine, Manuscript};
use crate::review::comments::CommentClaim;
use crate::review::kept::KeptChange;
use crate::terminal;
use crate::user_shell::editor;

impl Loop<'_> {
    /// Carries out what is to be done, in order; what that leads to comes behind it.
    pub(super) fn carry_out(&mut self) -> anyhow::Result<()> {
        while let Some(effect) = self.effects.pop_front() {
            match effect {
                AppEffect::Session(command) => self.wires.send(command),
                AppEffect::Query(query) => self.wires.ask(query),
                AppEffect::FindFiles(wanted) => self.files.find(wanted)?,
                AppEffect::FindColours(snippet) => {
                    // Without the thread for colours code stays plain.
                    let _gone = self.snippets.send(snippet);
                }
                AppEffect::KeepMarks(change) => self.keep_marks(&change),
                AppEffect::ClaimComments(claim) => self.claim_comments(claim),
                AppEffect::KeepPrompts(prompts) => {
                    if let Err(error) = self.prompts.add(&prompts) {
                        tracing::warn!(%error, "prompts are not kept for later runs");
                    }
                }
                AppEffect::KeepDraft(draft) => {
                    if let Err(error) = self.draft.save(&draft) {
                        tracing::warn!(%error, "the unsent prompt is not kept for a later run");
                    }
                }
                AppEffect::Call(call) => self.screen.call(&call)?,
                AppEffect::Copy(text) => self.screen.copy(&text)?,
                AppEffect::Export(export) => {
                    let line = self.exports.write(&export);
                    self.update(Msg::Exported(line), now());
                }
                AppEffect::Background(request) => self.ask_background(request),
                AppEffect::Commits(request) => {
                    // Without the thread for commits the command line decides on them.
                    let _gone = self.commits.send(request);
                }
                AppEffect::EditPrompt(text) => self.edit_prompt(&text)?,
                AppEffect::EditHunk(manuscript) => self.edit_hunk(manuscript)?,
                AppEffect::OpenFile(place) => self.open_file(&place)?,
                AppEffect::StopJob => self.stop_job()?,
                AppEffect::Suspend => self.suspend()?,
                AppEffect::Redraw => self.screen.refresh()?,
                AppEffect::End(exit) => self.exit = Some(exit),
            }
        }
        Ok(())
    }

    /// Writes marks down that the user made or took away. It is said once that they could not be written.
    fn keep_marks(&mut self, change: &KeptChange) {
        if let Err(error) = self.marks.save(change)
            && std::mem::take(&mut self.keeps)
        {
            let why = in_words(&error);
            let line = format!("marks are lost when signoff ends: {why}");
            self.update(Msg::Broken(line), now());
        }
    }

    /// Takes the comments that are to be sent out of the file, so that no other process sends them. Where marks are not kept
    /// the file tells nothing.
    fn claim_comments(&mut self, mut claim: CommentClaim) {
        let elsewhere = match self.keeps.then(|| self.marks.claim(&mut claim)) {
            None => 0,
            Some(Ok(elsewhere)) => elsewhere,
            Some(Err(error)) => {
                let why = in_words(&error);
                let line = format!("another session may send the same comments: {why}");
                self.update(Msg::Broken(line), now());
                0
            }
        };
        self.update(Msg::CommentsClaimed(claim, elsewhere), now());
    }

    /// Asks something of background agents. It is told as well how one ends that is started.
    fn ask_background(&self, request: BackgroundRequest) {
        let (carry_out, bell) = (Arc::clone(&self.background), self.files.bell.clone());
        thread::spawn(move || {
            carry_out(request, &|news| {
                let _gone = bell.send(Msg::Background(news));
            });
        });
    }

    /// Gives the terminal to the user's editor with the prompt, until it ends.
    fn edit_prompt(&mut self, text: &str) -> anyhow::Result<()> {
        terminal::restore();
        let text = editor::edit(&self.shell, text, "prompt.md");
        self.screen.refresh()?;
        let text = text.map_err(|error| in_words(&error));
        self.update(Msg::PromptEdited(text), now());
        self.take_pressed_meanwhile();
        Ok(())
    }

    /// Gives the terminal to the user's editor with the new text of a hunk.
    fn edit_hunk(&mut self, manuscript: Manuscript) -> anyhow::Result<()> {
        terminal::restore();
        let text = editor::edit(&self.shell, &manuscript.text, &manuscript.path);
        self.screen.refresh()?;
        let text = text.map_err(|error| in_words(&error));
        // A hunk that changed meanwhile is not what was edited.
        for msg in self.messages.try_iter().collect::<Vec<_>>() {
            self.update(msg, now());
        }
        self.update(Msg::HunkEdited(manuscript, text), now());
        self.take_pressed_meanwhile();
        Ok(())
    }

    /// Opens a file in the user's editor.
    fn open_file(&mut self, place: &FileLine) -> anyhow::Result<()> {
        let file = self.watch.root().join(&place.path);
        terminal::restore();
        let opened = editor::open(&self.shell, &file, place.line);
        self.screen.refresh()?;
        let opened = opened.map_err(|error| in_words(&error));
        self.update(Msg::FileOpened(opened), now());
        self.take_pressed_meanwhile();
        Ok(())
    }

    /// Stops all of the job, unless no shell could continue it, and goes on here once one does. The terminal is given back before
    /// the shell takes it. By SIGSTOP: whoever handles SIGTSTP stops a while later, and would stop for ever behind a shell that
    /// has continued the job meanwhile.
    fn stop_job(&mut self) -> anyhow::Result<()> {
        if is_orphaned_job() {
            return Ok(());
        }
        self.screen.stops();
        terminal::restore();
        kill_current_process_group(Signal::STOP).context("cannot stop")?;
        while let Ok(pressed) = self.pressed.recv_timeout(TICK) {
            let goes_on = matches!(pressed.msg, Msg::Resumed);
            self.update(pressed.msg, pressed.at);
            if goes_on {
                break;
            }
        }
        Ok(self.screen.refresh()?)
    }

    /// Stops the process; goes on here once it is continued. Where no shell could continue it, it stays: the kernel would drop
    /// a SIGTSTP that nobody handles.
    fn suspend(&mut self) -> anyhow::Result<()> {
        if is_orphaned_job() {
            return Ok(());
        }
        self.screen.stops();
        terminal::restore();
        // SIGSTOP, to this thread: it is stopped when the call returns.
        let stopped = emulate_default_handler(SIGTSTP);
        self.screen.refresh()?;
        stopped.context("cannot stop")
    }

    /// Takes over keys that came while an editor had the terminal.
    fn take_pressed_meanwhile(&mut self) {
        for pressed in self.pressed.try_iter().collect::<Vec<_>>() {
            // A Ctrl-C meanwhile was for the editor.
            if !matches!(pressed.msg, Msg::Terminate(SIGINT)) {
                self.update(pressed.msg, now());
            }
            self.proceed_after(pressed.holds_keys);
        }
    }
}
