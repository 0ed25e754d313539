//! Terminal setup and restoration.
//!
//! In: nothing. Out: raw mode, the other screen, bracketed paste and reports of the focus for as long as a
//! [`Screen`] lives; a panic and a signal give them back as well. Clicks and
//! the wheel are reported unless the user's configuration leaves them to the terminal.

mod backend;
mod canvas;
mod inline;
mod pen;
mod scroll;

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ratatui::Terminal;
use ratatui::backend::{Backend as _, ClearType};
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use ratatui::crossterm::terminal::{
    self, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{Command, cursor, execute, queue};
use ratatui::layout::Size;

pub use self::backend::ScrollingBackend;
pub use self::inline::{InlineScreen, NarrowedRows};

static ENTERED: AtomicBool = AtomicBool::new(false);
/// Whether the terminal keeps a title to be given back.
static TITLED: AtomicBool = AtomicBool::new(false);

/// Whether the terminal reports what the mouse does.
static MOUSE: AtomicBool = AtomicBool::new(false);

/// Reports of buttons and the wheel, with columns of any number.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

/// The terminal, ours until this is dropped.
pub(crate) struct Screen {
    /// Written to without a buffer of its own: each frame is one write.
    terminal: Terminal<ScrollingBackend<File>>,
    /// The title that the terminal was given.
    title: Option<String>,
    has_mouse: bool,
}

impl Screen {
    /// Takes the terminal over.
    pub(crate) fn enter() -> io::Result<Self> {
        let out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let (width, height) = terminal::size()?;
        let terminal = Terminal::new(ScrollingBackend::new(out, Size { width, height }))?;
        let mut screen = Self {
            terminal,
            title: None,
            has_mouse: false,
        };
        screen.take_over()?;
        Ok(screen)
    }

    /// Draws a frame.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut ratatui::Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw).map(drop)
    }

    /// Has the terminal copy a text (OSC 52). Whether it does, it does not say.
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        let copied = STANDARD.encode(text);
        self.write(&format!("\x1b]52;c;{copied}\x07"))
    }

    /// Gives the terminal a title, if it has another one.
    pub(crate) fn set_title(&mut self, title: String) -> io::Result<()> {
        if !is_capable() || self.title.as_deref() == Some(&title) {
            return Ok(());
        }
        // The first one saves what was there.
        let is_first = !TITLED.swap(true, Ordering::SeqCst);
        let save = if is_first { "\x1b[22;0t" } else { "" };
        self.write(&format!("{save}\x1b]2;{title}\x07"))?;
        self.title = Some(title);
        Ok(())
    }

    /// Has the terminal report clicks and the wheel, or not. Reports of every move, which the library turns on as well, are
    /// left out.
    pub(crate) fn use_mouse(&mut self, is_on: bool) -> io::Result<()> {
        if self.has_mouse == is_on {
            return Ok(());
        }
        self.has_mouse = is_on;
        MOUSE.store(is_on, Ordering::SeqCst);
        self.write(if is_on { MOUSE_ON } else { MOUSE_OFF })
    }

    /// Rings the bell and has the terminal notify the user (OSC 9).
    pub(crate) fn call(&mut self, text: &str) -> io::Result<()> {
        let notification = format!("\x1b]9;signoff: {text}\x07");
        let notification = if is_capable() {
            notification.as_str()
        } else {
            ""
        };
        self.write(&format!("\x07{notification}"))
    }

    /// Writes what shows nothing, at once.
    fn write(&mut self, text: &str) -> io::Result<()> {
        let out = self.terminal.backend_mut();
        out.queue(text);
        out.flush()
    }

    /// Takes the terminal over again after somebody else had it, and forgets what was drawn.
    pub(crate) fn refresh(&mut self) -> io::Result<()> {
        restore();
        self.title = None;
        // The next frame asks for it again.
        self.has_mouse = false;
        self.take_over()?;
        // `Terminal::clear` would ask where the cursor is and wait for an answer that the
        // thread for keys takes away.
        self.terminal.backend_mut().clear_region(ClearType::All)?;
        self.terminal.swap_buffers();
        Ok(())
    }

    fn take_over(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        ENTERED.store(true, Ordering::SeqCst);
        self.queue(&EnterAlternateScreen);
        self.queue(&EnableBracketedPaste);
        if is_capable() {
            self.queue(&EnableFocusChange);
            // Tells Shift-Enter from Enter; a terminal that does not know it ignores it.
            let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
            self.queue(&PushKeyboardEnhancementFlags(flags));
        }
        Ok(())
    }

    /// Writes a command with the next frame.
    fn queue(&mut self, command: &impl Command) {
        let mut text = String::new();
        // A string takes everything.
        let _always = command.write_ansi(&mut text);
        self.terminal.backend_mut().queue(&text);
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back; does nothing if it was not taken.
pub(crate) fn restore() {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    // Nobody is left to be told if this fails.
    let mut out = io::stdout();
    if is_capable() {
        drop(queue!(out, PopKeyboardEnhancementFlags, DisableFocusChange));
    }
    if MOUSE.swap(false, Ordering::SeqCst) {
        drop(out.write_all(MOUSE_OFF.as_bytes()));
    }
    if TITLED.swap(false, Ordering::SeqCst) {
        drop(out.write_all(b"\x1b[23;0t"));
    }
    drop(execute!(
        out,
        DisableBracketedPaste,
        cursor::Show,
        LeaveAlternateScreen
    ));
    drop(out.flush());
    drop(disable_raw_mode());
}

/// Makes a panic of this thread give the terminal back before it is reported; one of another
/// thread is passed to `report` instead, since the interface lives on.
pub(crate) fn hook_panics(report: impl Fn(String) + Send + Sync + 'static) {
    let ours = std::thread::current().id();
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == ours {
            restore();
            previous(info);
        } else {
            tracing::error!("{info}");
            report(info.to_string());
        }
    }));
}

/// The Linux console prints what it does not know.
fn is_capable() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term != "linux" && term != "dumb")
}
