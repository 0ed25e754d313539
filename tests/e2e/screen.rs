//! `signoff` in a terminal of its own.
//!
//! In: keys, sizes, signals. Out: what a person would see. Waits end when the screen is as
//! they want it.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use portable_pty::{CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use vt100::Parser;

use crate::world::{DEADLINE, World};

/// A terminal with `signoff` in it.
pub(crate) struct Screen {
    parser: Parser,
    output: Receiver<Vec<u8>>,
    /// All bytes that came.
    raw: Vec<u8>,
    keys: Box<dyn Write + Send>,
    master: Box<dyn MasterPty + Send>,
    /// Kept open, so that the line's settings can be read when `signoff` has ended.
    line: Option<Box<dyn SlavePty + Send>>,
    /// The settings of the line before anything ran.
    settings: String,
    id: u32,
    ended: Receiver<u32>,
}

/// A terminal after `signoff` has ended.
pub(crate) struct Left {
    pub(crate) code: u32,
    pub(crate) contents: String,
    /// The rows of the scrollback and of the screen below it.
    pub(crate) rows: Vec<String>,
    /// Which of these the cursor is in.
    pub(crate) cursor_row: usize,
    /// All that was written.
    pub(crate) raw: String,
}

impl Screen {
    /// Opens a terminal of 80 columns and starts `signoff` in it.
    pub(crate) fn open(world: &World, arguments: &[&str]) -> Self {
        Self::with_keys(world, arguments, "")
    }

    /// The same, with more in its environment.
    pub(crate) fn open_in(world: &World, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        Self::start(world, arguments, environment, "")
    }

    /// The same, with keys that are typed before anything runs.
    pub(crate) fn with_keys(world: &World, arguments: &[&str], typed: &str) -> Self {
        Self::start(world, arguments, &[], typed)
    }

    /// Opens a terminal with a script of bash in it, to which `$0` is `signoff`.
    pub(crate) fn under_shell(world: &World, script: &str) -> Self {
        let mut command = CommandBuilder::new("/bin/bash");
        command.args(["-c", script]);
        command.arg(crate::world::signoff());
        Self::spawn(world, command, &[], "")
    }

    fn start(world: &World, arguments: &[&str], environment: &[(&str, &str)], typed: &str) -> Self {
        let mut command = CommandBuilder::new(crate::world::signoff());
        command.args(arguments);
        Self::spawn(world, command, environment, typed)
    }

    fn spawn(
        world: &World,
        mut command: CommandBuilder,
        environment: &[(&str, &str)],
        typed: &str,
    ) -> Self {
        let pair = native_pty_system().openpty(size(80, 24)).unwrap();
        let mut keys = pair.master.take_writer().unwrap();
        keys.write_all(typed.as_bytes()).unwrap();
        let output = pieces(pair.master.try_clone_reader().unwrap());
        let settings = settings(pair.master.as_ref());
        command.cwd(world.root());
        command.env_clear();
        for (name, value) in world.environment() {
            command.env(name, value);
        }
        environment
            .iter()
            .for_each(|(name, value)| command.env(name, value));
        let mut child = pair.slave.spawn_command(command).unwrap();
        let id = child.process_id().unwrap();
        let (sender, ended) = channel();
        thread::spawn(move || sender.send(child.wait().unwrap().exit_code()));
        Self {
            parser: parser(80, 24),
            output,
            raw: Vec::new(),
            keys,
            master: pair.master,
            line: Some(pair.slave),
            settings,
            id,
            ended,
        }
    }

    /// Types; control characters are keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for the page that says what will be written, and has it written.
    #[track_caller]
    pub(crate) fn signs(&mut self) {
        self.shows("To be written:");
        self.signs_by("\r");
    }

    /// Waits until the page of the sign-off can be answered, and presses a key of it.
    #[track_caller]
    pub(crate) fn signs_by(&mut self, key: &str) {
        // Where the page changed since it opened, as when the turn ended only then, the bar says so beside the key.
        self.wait("Enter writes, in the bar", |screen| {
            let contents = screen.contents();
            let bar = contents.lines().last();
            bar.is_some_and(|bar| bar.contains("Enter writes"))
        });
        self.press(key);
    }

    /// Waits until the screen shows `text`.
    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    /// Waits until the screen says `text`, in as many rows as that takes: a path before it may be long.
    #[track_caller]
    pub(crate) fn says(&mut self, text: &str) {
        self.wait(text, |screen| {
            let contents = screen.contents();
            let words: Vec<&str> = contents.split_whitespace().collect();
            words.join(" ").contains(text)
        });
    }

    /// Waits until the screen shows `text` and `without` no more.
    #[track_caller]
    pub(crate) fn turns(&mut self, text: &str, without: &str) {
        self.wait(text, |screen| {
            let contents = screen.contents();
            contents.contains(text) && !contents.contains(without)
        });
    }

    /// Waits until the screen is as `fits` wants it.
    #[track_caller]
    pub(crate) fn wait(&mut self, what: &str, fits: impl Fn(&vt100::Screen) -> bool) {
        let begun = Instant::now();
        while !fits(self.parser.screen()) {
            let left = DEADLINE.saturating_sub(begun.elapsed());
            match self.output.recv_timeout(left) {
                Ok(bytes) => {
                    self.take(&bytes);
                }
                Err(why) => panic!("{why:?} while waiting for {what:?}:\n{}", self.contents()),
            }
        }
    }

    /// Returns how many bytes the terminal was written.
    pub(crate) fn read(&self) -> usize {
        self.raw.len()
    }

    /// Returns whether these bytes were written to the terminal.
    pub(crate) fn wrote(&self, bytes: &str) -> bool {
        String::from_utf8_lossy(&self.raw).contains(bytes)
    }

    /// Waits until these bytes were written to the terminal.
    #[track_caller]
    pub(crate) fn writes(&mut self, bytes: &str) {
        let begun = Instant::now();
        while !self.wrote(bytes) {
            let left = DEADLINE.saturating_sub(begun.elapsed());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(why) => panic!("{why:?} while waiting for {bytes:?}"),
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        self.parser.process(bytes);
    }

    /// Returns what the screen shows.
    pub(crate) fn contents(&self) -> String {
        self.parser.screen().contents()
    }

    /// Returns the rows of the scrollback and of the screen, and which of them the cursor is in.
    pub(crate) fn rows(&mut self) -> (Vec<String>, usize) {
        let screen = self.parser.screen_mut();
        let (height, width) = screen.size();
        screen.set_scrollback(usize::MAX);
        let above = screen.scrollback();
        let mut rows = Vec::new();
        for offset in (1..=above).rev() {
            screen.set_scrollback(offset);
            rows.extend(screen.rows(0, width.get()).next());
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, width.get()).take(height.get().into()));
        (rows, above + usize::from(screen.cursor_position().0))
    }

    /// Gives the terminal another size.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        // What was drawn for the old size is of no interest.
        self.parser = parser(columns, rows);
        self.parser.process(b"\x1b[?1049h");
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// The same, and what was drawn for the old size stays, as in terminals that cut rows.
    pub(crate) fn resize_in_place(&mut self, columns: u16, rows: u16) {
        let (height, width) = (rows.try_into().unwrap(), columns.try_into().unwrap());
        self.parser.screen_mut().set_size(height, width);
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        assert!(crate::world::signal(self.id, name), "{name}");
    }

    /// Waits until `signoff` has ended, and checks that the terminal is as it was.
    #[track_caller]
    pub(crate) fn left(mut self) -> Left {
        let Ok(code) = self.ended.recv_timeout(DEADLINE) else {
            panic!("it does not end:\n{}", self.contents());
        };
        let settings = settings(self.master.as_ref());
        assert_eq!(settings, self.settings, "the line was left raw");
        self.line = None;
        while let Ok(bytes) = self.output.recv_timeout(DEADLINE) {
            self.take(&bytes);
        }
        let (rows, cursor_row) = self.rows();
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen(), "the other screen was left on");
        assert!(!screen.hide_cursor(), "the cursor was left hidden");
        assert!(!screen.bracketed_paste(), "bracketed paste was left on");
        Left {
            code,
            contents: screen.contents(),
            rows,
            cursor_row,
            raw: String::from_utf8_lossy(&self.raw).into_owned(),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Once it has ended, its id may be somebody else's.
        if self.line.is_some() && self.ended.try_recv().is_err() {
            // It may have ended in this instant.
            let _gone = crate::world::signal(self.id, "KILL");
        }
    }
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn parser(columns: u16, rows: u16) -> Parser {
    Parser::new(
        rows.try_into().unwrap(),
        columns.try_into().unwrap(),
        10_000,
    )
}

fn settings(master: &(dyn MasterPty + Send)) -> String {
    format!("{:?}", master.get_termios())
}

/// Returns what comes out of the terminal, until nobody has it open any more.
fn pieces(mut reader: Box<dyn Read + Send>) -> Receiver<Vec<u8>> {
    let (sender, pieces) = channel();
    thread::spawn(move || {
        let mut piece = [0; 8192];
        while let Ok(read @ 1..) = reader.read(&mut piece) {
            if sender.send(piece[..read].to_vec()).is_err() {
                return;
            }
        }
    });
    pieces
}
