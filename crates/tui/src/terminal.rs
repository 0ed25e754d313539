//! Terminal setup and restoration.
//!
//! In: nothing. Out: raw mode, the other screen and bracketed paste for as long as a
//! [`Screen`] lives; a panic and a signal give them back as well. The mouse stays the
//! terminal's own, so that text can be selected.

use std::io::{self, BufWriter, Stdout, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ratatui::Terminal;
use ratatui::backend::{Backend as _, ClearType, CrosstermBackend};
use ratatui::crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, KeyboardEnhancementFlags,
    PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute, queue};

/// One write a frame: a frame of a large screen fits.
const BUFFER: usize = 128 * 1024;

static ENTERED: AtomicBool = AtomicBool::new(false);

/// The terminal, ours until this is dropped.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
}

impl Screen {
    /// Takes the terminal over.
    pub(crate) fn enter() -> io::Result<Self> {
        let terminal = Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(
            BUFFER,
            io::stdout(),
        )))?;
        let mut screen = Self { terminal };
        screen.take_over()?;
        Ok(screen)
    }

    /// Draws a frame.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut ratatui::Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw).map(drop)
    }

    /// Takes the terminal over again after somebody else had it, and forgets what was drawn.
    pub(crate) fn refresh(&mut self) -> io::Result<()> {
        restore();
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
        let out = self.terminal.backend_mut();
        queue!(out, EnterAlternateScreen, EnableBracketedPaste)?;
        if understands_key_flags() {
            // Tells Shift-Enter from Enter; a terminal that does not know it ignores it.
            let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
            queue!(out, PushKeyboardEnhancementFlags(flags))?;
        }
        Ok(())
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
    if understands_key_flags() {
        drop(queue!(out, PopKeyboardEnhancementFlags));
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

/// Puts a text into the clipboard of whoever sits at the terminal, also over SSH, by OSC 52.
pub(crate) fn copy(text: &str) -> io::Result<()> {
    let encoded = BASE64.encode(text);
    let mut out = io::stdout();
    write!(out, "\x1b]52;c;{encoded}\x07")?;
    out.flush()
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
fn understands_key_flags() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term != "linux" && term != "dumb")
}
