//! Terminal setup and restoration.
//!
//! In: whether all of the screen is taken. Out: raw mode, the other screen, bracketed paste and reports of the focus for as
//! long as a [`Screen`] lives; a panic and a signal give them back as well. Clicks and
//! the wheel are reported unless the user's configuration leaves them to the terminal.
//!
//! **Invariant:** a row enters the scrollback once, when nothing can change it any more
//! (`Transcript::take_finished`), or when signoff ends. What is reviewed is never there: the review takes the whole
//! screen.
//!
//! **Invariant:** the terminal is given back on every way out: leaving, signals, panics.
//!
//! `terminal/canvas` writes what differs from what the terminal shows. Rows that moved (`terminal/scroll`) are
//! moved by deleting rows on one side of them and inserting as many on the other. `terminal/full_screen` does so for
//! the whole screen, `terminal/inline` for finished rows and the viewport below them, with rows addressed by how
//! far they are from the cursor (`docs/decisions/0036`). `Screen` goes from one to the other. `export_folder`
//! writes conversations to new files only.

pub(crate) mod answer;
mod canvas;
mod full_screen;
mod inline;
mod pen;
mod scroll;

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{Command, cursor, queue};
use ratatui::layout::{Position, Rect, Size};
use rustix::termios::{OptionalActions, tcgetattr, tcgetwinsize, tcsetattr};

pub use self::full_screen::FullScreen;
pub use self::inline::{InlineScreen, NarrowedRows};
use crate::view::InlineRows;

static ENTERED: AtomicBool = AtomicBool::new(false);
/// Whether the terminal keeps a title to be given back.
static TITLED: AtomicBool = AtomicBool::new(false);

/// Whether the terminal reports what the mouse does.
static MOUSE: AtomicBool = AtomicBool::new(false);

/// Whether the other screen is on.
static OTHER_SCREEN: AtomicBool = AtomicBool::new(false);

/// Whether text wraps at the edge again only once that is asked for.
static CUTS: AtomicBool = AtomicBool::new(false);

/// How many rows of the viewport are above the cursor.
static ROWS_ABOVE: AtomicU16 = AtomicU16::new(0);

/// Text that is too wide for the row is cut, or goes on in the next one. Where a row begins must be known.
const CUT: &str = "\x1b[?7l";
const WRAP: &str = "\x1b[?7h";

/// Reports of buttons and the wheel, with columns of any number.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

/// How long after the question an answer of the terminal is waited for where signoff ends: what comes later is typed into the
/// shell. A user on another continent, who starts signoff and presses Ctrl-D at once, has it after 300 ms; one whose terminal
/// does not know the question waits for the rest of this, if they leave so soon.
const ANSWERED: Duration = Duration::from_millis(500);

/// The terminal, ours until this is dropped.
pub(crate) struct Screen {
    /// Written to without a buffer of its own: each frame is one write.
    full: FullScreen<File>,
    /// What writes to the terminal's own screen, where the conversation goes to its scrollback.
    inline: Option<InlineScreen<File>>,
    /// Whether somebody else may have written to the terminal since the last frame.
    is_strange: bool,
    /// Whether this process has stopped itself and was not continued yet.
    has_stopped: bool,
    /// Until when an answer to what was asked may come.
    answer_due: Option<Instant>,
    /// The title that the terminal was given.
    title: Option<String>,
    has_mouse: bool,
}

impl Screen {
    /// Takes the terminal over: all of it, or its last rows below a scrollback that stays.
    pub(crate) fn enter(is_inline: bool) -> io::Result<Self> {
        let out = || io::Result::Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?));
        let size = size()?;
        let full = FullScreen::new(out()?, size);
        let inline = if is_inline {
            Some(InlineScreen::new(out()?, size, narrowed_rows()))
        } else {
            None
        };
        let mut screen = Self {
            full,
            inline,
            is_strange: true,
            has_stopped: false,
            answer_due: None,
            title: None,
            has_mouse: false,
        };
        screen.take_over()?;
        Ok(screen)
    }

    /// Draws a frame on all of the screen; one that has a scrollback is as it was once the frame is gone.
    pub(crate) fn draw(
        &mut self,
        draw: impl FnOnce(&mut Buffer) -> Option<Position>,
    ) -> io::Result<()> {
        let size = size()?;
        if !OTHER_SCREEN.load(Ordering::SeqCst) {
            if let Some(inline) = &mut self.inline
                && !std::mem::replace(&mut self.is_strange, true)
            {
                inline.erase()?;
                ROWS_ABOVE.store(0, Ordering::SeqCst);
            }
            self.enter_other_screen(size);
        }
        self.full.draw(size, draw)
    }

    /// Draws a frame below the terminal's scrollback. `lay_out` says, for the size of the screen, which rows enter the
    /// scrollback, and what is below them.
    pub(crate) fn draw_inline(
        &mut self,
        lay_out: impl FnOnce(Size) -> InlineRows,
    ) -> io::Result<()> {
        let Some((inline, size)) = self.own_screen()? else {
            debug_assert!(false, "only where the conversation goes to the scrollback");
            return Ok(());
        };
        let mut rows = lay_out(size);
        let last = rows.finished.pop();
        for finished in &rows.finished {
            inline.print(finished)?;
        }
        let last = last.unwrap_or_else(|| Buffer::empty(Rect::new(0, 0, size.width, 0)));
        inline.draw(&last, &rows.viewport, rows.cursor)?;
        ROWS_ABOVE.store(inline.rows_above_cursor(), Ordering::SeqCst);
        Ok(())
    }

    /// Writes the last rows to the scrollback, if there is one, in the place of what is below it.
    pub(crate) fn end(&mut self, rest: impl FnOnce(u16) -> Vec<Buffer>) -> io::Result<()> {
        let Some((inline, size)) = self.own_screen()? else {
            return Ok(());
        };
        for rows in rest(size.width) {
            inline.print(&rows)?;
        }
        inline.erase()?;
        ROWS_ABOVE.store(0, Ordering::SeqCst);
        Ok(())
    }

    /// Leaves the other screen, and returns what writes to the terminal's own one, if something does, and its size.
    fn own_screen(&mut self) -> io::Result<Option<(&mut InlineScreen<File>, Size)>> {
        let Some(inline) = &mut self.inline else {
            return Ok(None);
        };
        if OTHER_SCREEN.swap(false, Ordering::SeqCst) {
            let out = &mut self.full;
            if is_capable() {
                out.queue(&ansi(&PopKeyboardEnhancementFlags));
            }
            out.queue(&ansi(&LeaveAlternateScreen));
            out.flush()?;
        }
        let size = size()?;
        if std::mem::take(&mut self.is_strange) {
            inline.begin_anew(size);
        } else {
            inline.set_size(size);
        }
        Ok(Some((inline, size)))
    }

    /// Has the terminal copy a text (OSC 52). Whether it does, it does not say.
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        let copied = STANDARD.encode(text);
        self.write(&format!("\x1b]52;c;{copied}\x07"))
    }

    /// Has the terminal say what is behind its text. Its answer comes with the keys (`terminal/answer`), if it comes.
    pub(crate) fn ask_ground(&mut self) -> io::Result<()> {
        if is_capable() {
            self.write(answer::ASK_GROUND)?;
            self.answer_due = Some(Instant::now() + ANSWERED);
        }
        Ok(())
    }

    /// Takes over that the terminal answered.
    pub(crate) fn answered(&mut self) {
        self.answer_due = None;
    }

    /// Returns how long an answer of the terminal may still be on its way; nothing if none is.
    pub(crate) fn awaits_answer(&self) -> Option<Duration> {
        let due = self.answer_due?.checked_duration_since(Instant::now());
        due.filter(|left| !left.is_zero())
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
        let out = &mut self.full;
        out.queue(text);
        out.flush()
    }

    /// Takes the terminal over again after somebody else had it, and forgets what was drawn. Raw mode is not left meanwhile: a
    /// Ctrl-C that comes just then would be a signal, and end what it was to clear.
    pub(crate) fn refresh(&mut self) -> io::Result<()> {
        if is_ours() {
            give_modes_back();
            io::stdout().flush()?;
        }
        self.title = None;
        // The next frame asks for it again.
        self.has_mouse = false;
        self.is_strange = true;
        self.take_over()
    }

    /// Goes to the other screen with the next frame, and takes over that nothing is drawn on it.
    fn enter_other_screen(&mut self, size: Size) {
        OTHER_SCREEN.store(true, Ordering::SeqCst);
        self.queue(&EnterAlternateScreen);
        self.queue_keyboard_flags();
        self.full.clear(size);
    }

    /// Takes over that the process is about to stop itself.
    pub(crate) fn stops(&mut self) {
        self.has_stopped = true;
    }

    /// Takes over that the process goes on. If something else had stopped it, the cursor is where the shell has left it, and
    /// what is above it is not ours.
    pub(crate) fn goes_on(&mut self) {
        if !std::mem::take(&mut self.has_stopped) {
            ROWS_ABOVE.store(0, Ordering::SeqCst);
        }
    }

    fn take_over(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        // The library takes a mode that it has set once for set, whatever a shell did since.
        let mut settings = tcgetattr(io::stdin())?;
        settings.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &settings)?;
        ENTERED.store(true, Ordering::SeqCst);
        self.queue(&EnableBracketedPaste);
        if is_capable() {
            self.queue(&EnableFocusChange);
        }
        if self.inline.is_some() {
            self.queue_keyboard_flags();
            CUTS.store(true, Ordering::SeqCst);
            // The next frame may be another writer's.
            self.write(CUT)?;
        }
        Ok(())
    }

    /// Has Shift-Enter told from Enter on the screen that is on: each has its own flags. A terminal that does not know them
    /// ignores them.
    fn queue_keyboard_flags(&mut self) {
        if is_capable() {
            let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
            self.queue(&PushKeyboardEnhancementFlags(flags));
        }
    }

    /// Writes a command with the next frame.
    fn queue(&mut self, command: &impl Command) {
        self.full.queue(&ansi(command));
    }
}

/// Returns the size of the terminal that is drawn on. The library opens `/dev/tty` for the answer, at every frame.
fn size() -> io::Result<Size> {
    let size = tcgetwinsize(io::stdout())?;
    Ok(Size {
        width: size.ws_col,
        height: size.ws_row,
    })
}

fn ansi(command: &impl Command) -> String {
    let mut text = String::new();
    // A string takes everything.
    let _always = command.write_ansi(&mut text);
    text
}

/// Returns what the terminal does with rows that are wider than it has become: of those that cut them, each says who it is.
fn narrowed_rows() -> NarrowedRows {
    let has = |name| std::env::var_os(name).is_some();
    let is_linux = std::env::var_os("TERM").is_some_and(|term| term == "linux");
    if has("XTERM_VERSION") || is_linux || has("STY") {
        NarrowedRows::Cut
    } else {
        NarrowedRows::Wrap
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Returns true while the terminal is taken.
pub(crate) fn is_ours() -> bool {
    ENTERED.load(Ordering::SeqCst)
}

/// Gives the terminal back; does nothing if it was not taken.
pub(crate) fn restore() {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    give_modes_back();
    // Keys that answer what is seen from now on are lines already.
    drop(disable_raw_mode());
    drop(io::stdout().flush());
}

/// Leaves what is on at the terminal but for raw mode, with the next flush.
fn give_modes_back() {
    // Nobody is left to be told if this fails.
    let mut out = io::stdout();
    let pops = is_capable();
    if pops {
        drop(queue!(out, DisableFocusChange));
    }
    if MOUSE.swap(false, Ordering::SeqCst) {
        drop(out.write_all(MOUSE_OFF.as_bytes()));
    }
    if TITLED.swap(false, Ordering::SeqCst) {
        drop(out.write_all(b"\x1b[23;0t"));
    }
    drop(queue!(out, DisableBracketedPaste, cursor::Show));
    if OTHER_SCREEN.swap(false, Ordering::SeqCst) {
        if pops {
            drop(queue!(out, PopKeyboardEnhancementFlags));
        }
        drop(queue!(out, LeaveAlternateScreen));
    }
    if CUTS.swap(false, Ordering::SeqCst) {
        if pops {
            drop(queue!(out, PopKeyboardEnhancementFlags));
        }
        // What is below the scrollback goes: it is drawn again, or nothing is.
        let up = match ROWS_ABOVE.swap(0, Ordering::SeqCst) {
            0 => String::new(),
            rows => format!("\x1b[{rows}A"),
        };
        drop(out.write_all(format!("{WRAP}\r{up}\x1b[J").as_bytes()));
    }
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
