//! Terminal filter: what a program writes to its terminal, without what would stay there or reach further.
//!
//! In: bytes as a program writes them, in pieces of any size. Out: the same less every sequence that is not on the list:
//! text, colours, movements of the cursor, erasing, scrolling, and the modes of full-screen programs, each of which is
//! undone at the end. Not on it: the clipboard, palettes, titles, notifications, links, images, printing, sizes of windows,
//! questions that the terminal would answer by typing, other character sets, and anything in a control string (OSC, DCS, APC,
//! PM, SOS), as what tmux passes through. One question passes, where the cursor is: prompts that draw below it need the
//! answer, and it is two numbers. [`Replies`] counts the answers, so that none is left for the shell.
//!
//! ```text
//! \e[31mred\e[0m   \e]52;c;cm0gLXJm\a   \e[?1049h        from the program
//! \e[31mred\e[0m                        \e[?1049h        to the terminal
//!                                       \e[?1049l        once the program is over
//! ```

use std::collections::BTreeSet;
use std::io::Write as _;

use vte::{Params, Parser, Perform};

/// Control characters that pass: bell, backspace, tab, line feeds, return. Not `ENQ`, which the terminal answers.
const CONTROLS: [u8; 7] = [0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d];
/// Control characters that choose the second and the first character set.
const SHIFT_OUT: u8 = 0x0e;
const SHIFT_IN: u8 = 0x0f;
/// Sequences without a mark that pass: movements, erasing, insertion, scrolling, colours, repetition.
const PLAIN: &[u8] = b"@ABCDEFGHIJKLMPSTXZ`adefmb";
/// Modes with a `?` that pass: on is what is not usual, and off again at the end. Cursor keys, reverse video, origin, X10
/// mouse, blinking, keypad, mouse reports and their forms, focus, scrolling by keys, bracketed paste, synchronized output.
const USUALLY_OFF: [u16; 19] = [
    1, 5, 6, 9, 12, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 2004, 2026,
    2027,
];
/// The same, where on is usual: wrapping, the cursor.
const USUALLY_ON: [u16; 2] = [7, 25];
/// Those of all of them that programs change which write line by line: a cursor that blinks or is hidden, marks of pastes.
const BESIDE_LINES: [u16; 3] = [12, 25, 2004];
/// Modes of the other screen.
const OTHER_SCREEN: [u16; 3] = [47, 1047, 1049];
/// Saving the cursor is no mode, and nothing is left of it.
const SAVE_CURSOR: u16 = 1048;
/// The setting of xterm's that has other keys reported.
const OTHER_KEYS: u16 = 4;
/// Sets of flags for the keyboard that a program may put on each other.
const MAX_KEYBOARD_FLAGS: u16 = 16;
/// Questions that are answered for the terminal: more would fill the program's input, which it need not read.
const MAX_ANSWERS: usize = 16;
/// What kind of terminal this is: one with colours. Programs that find out what else it can wait for this answer.
const KIND: &[u8] = b"\x1b[?62;22c";

/// Passes on what a program writes to a terminal.
pub(super) struct TerminalFilter {
    parser: Parser,
    passing: Passing,
}

impl TerminalFilter {
    /// Begins with a terminal as a shell leaves it. `may_ask` is whether the program reads what the terminal types.
    pub(super) fn new(may_ask: bool) -> Self {
        Self {
            parser: Parser::new(),
            passing: Passing {
                may_ask,
                ..Passing::default()
            },
        }
    }

    /// Returns how often the program asked where the cursor is.
    pub(super) fn asked(&self) -> usize {
        self.passing.asked
    }

    /// Returns whether the program writes line by line: nothing that it changed of the terminal hides a line, or moves it.
    pub(super) fn is_plain(&self) -> bool {
        let Passing {
            modes,
            other_screen,
            changed,
            ..
        } = &self.passing;
        other_screen.is_none()
            && modes.iter().all(|mode| BESIDE_LINES.contains(mode))
            && changed.iter().all(|setting| *setting == Setting::Colours)
    }

    /// Takes the next bytes and returns what passes of them.
    pub(super) fn pass(&mut self, bytes: &[u8]) -> &[u8] {
        self.passing.out.clear();
        self.parser.advance(&mut self.passing, bytes);
        &self.passing.out
    }

    /// Returns what is to be typed to the program, in answer to what it asked of the terminal.
    pub(super) fn answers(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.passing.answers)
    }

    /// Returns what gives the terminal back as the program found it.
    pub(super) fn undo(&mut self) -> &[u8] {
        self.passing.out.clear();
        self.passing.undo();
        &self.passing.out
    }
}

/// What passed, and what of it has to be undone.
#[derive(Default)]
struct Passing {
    out: Vec<u8>,
    answers: Vec<u8>,
    may_ask: bool,
    /// Questions about the cursor that passed.
    asked: usize,
    /// Questions that were answered so far.
    answered: usize,
    /// Modes that are not as usual.
    modes: BTreeSet<u16>,
    /// The mode by which the other screen was entered.
    other_screen: Option<u16>,
    /// Sets of flags for the keyboard on the first screen and on the other one.
    keyboard: [u16; 2],
    changed: BTreeSet<Setting>,
}

/// What a program may change of a terminal beside its modes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Setting {
    /// The rows that scroll.
    Margins,
    /// Whether text moves what is behind it.
    Insertion,
    /// What the keys of the keypad send.
    Keypad,
    /// The character set.
    Drawing,
    /// The cursor's shape.
    Shape,
    /// Which keys are reported.
    OtherKeys,
    Colours,
}

impl Setting {
    /// Returns what makes it as usual.
    fn usual(self) -> &'static [u8] {
        match self {
            // Without margins the cursor goes to the corner.
            Self::Margins => b"\x1b7\x1b[r\x1b8",
            Self::Insertion => b"\x1b[4l",
            Self::Keypad => b"\x1b>",
            Self::Drawing => b"\x1b(B\x1b)B\x0f",
            Self::Shape => b"\x1b[0 q",
            Self::OtherKeys => b"\x1b[>4m",
            Self::Colours => b"\x1b[0m",
        }
    }
}

impl Passing {
    fn put(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn undo(&mut self) {
        self.leave_keyboard();
        for mode in std::mem::take(&mut self.modes) {
            let end = if USUALLY_ON.contains(&mode) { 'h' } else { 'l' };
            self.put(format!("\x1b[?{mode}{end}").as_bytes());
        }
        // On the screen that has them.
        if self.changed.remove(&Setting::Margins) {
            self.put(Setting::Margins.usual());
        }
        if let Some(mode) = self.other_screen.take() {
            self.put(format!("\x1b[?{mode}l").as_bytes());
            self.leave_keyboard();
        }
        for setting in std::mem::take(&mut self.changed) {
            self.put(setting.usual());
        }
    }

    /// Notes whether a setting is not as usual.
    fn note(&mut self, setting: Setting, is_changed: bool) {
        if is_changed {
            self.changed.insert(setting);
        } else {
            self.changed.remove(&setting);
        }
    }

    /// Takes back the flags for the keyboard on the screen that is shown.
    fn leave_keyboard(&mut self) {
        let pushed = std::mem::take(self.flags());
        if pushed > 0 {
            self.put(format!("\x1b[<{pushed}u").as_bytes());
        }
    }

    fn flags(&mut self) -> &mut u16 {
        let [first, other] = &mut self.keyboard;
        if self.other_screen.is_some() {
            other
        } else {
            first
        }
    }

    /// Writes a sequence with its parameters as they were.
    fn sequence(&mut self, mark: &str, params: &Params, end: &str) {
        self.put(b"\x1b[");
        self.put(mark.as_bytes());
        for (index, param) in params.iter().enumerate() {
            if index > 0 {
                self.out.push(b';');
            }
            for (index, value) in param.iter().enumerate() {
                if index > 0 {
                    self.out.push(b':');
                }
                // A vector takes everything.
                let _always = write!(self.out, "{value}");
            }
        }
        self.put(end.as_bytes());
    }

    fn plain(&mut self, params: &Params, action: char) {
        let first = first(params);
        match action {
            'm' => {
                self.note(Setting::Colours, true);
                self.sequence("", params, "m");
            }
            'r' => {
                self.note(Setting::Margins, true);
                self.sequence("", params, "r");
            }
            // With parameters the one is another sequence in some terminals.
            's' if first == 0 => self.put(b"\x1b[s"),
            'u' if first == 0 => self.put(b"\x1b[u"),
            'h' | 'l' if first == 4 => {
                self.note(Setting::Insertion, action == 'h');
                self.put(format!("\x1b[4{action}").as_bytes());
            }
            'c' if first == 0 => self.answer(KIND),
            'n' if first == 6 && self.may_ask => {
                self.asked += 1;
                self.put(b"\x1b[6n");
            }
            'n' if first == 5 => self.answer(b"\x1b[0n"),
            _ if action.is_ascii() && PLAIN.contains(&(action as u8)) => {
                let end = action.to_string();
                self.sequence("", params, &end);
            }
            _ => {}
        }
    }

    fn answer(&mut self, answer: &[u8]) {
        if self.answered < MAX_ANSWERS {
            self.answered += 1;
            self.answers.extend_from_slice(answer);
        }
    }

    fn mode(&mut self, mode: u16, is_on: bool) {
        let is_usual = match mode {
            _ if USUALLY_OFF.contains(&mode) => !is_on,
            _ if USUALLY_ON.contains(&mode) => is_on,
            SAVE_CURSOR => true,
            _ if OTHER_SCREEN.contains(&mode) => {
                // Each screen has flags of its own.
                self.other_screen = is_on.then_some(mode);
                true
            }
            _ => return,
        };
        if is_usual {
            self.modes.remove(&mode);
        } else {
            self.modes.insert(mode);
        }
        let end = if is_on { 'h' } else { 'l' };
        self.put(format!("\x1b[?{mode}{end}").as_bytes());
    }

    fn keyboard(&mut self, mark: u8, params: &Params) {
        let count = first(params);
        match mark {
            b'>' if *self.flags() < MAX_KEYBOARD_FLAGS => {
                *self.flags() += 1;
                self.sequence(">", params, "u");
            }
            b'<' => {
                // Those below are the user's.
                let popped = count.max(1).min(*self.flags());
                *self.flags() -= popped;
                if popped > 0 {
                    self.put(format!("\x1b[<{popped}u").as_bytes());
                }
            }
            // A set of the program's own is changed, so that the user's is there again afterwards.
            b'=' => {
                if *self.flags() == 0 {
                    *self.flags() = 1;
                    self.put(b"\x1b[>0u");
                }
                self.sequence("=", params, "u");
            }
            _ => {}
        }
    }
}

/// Counts what the terminal says of its cursor in what it types.
#[derive(Default)]
pub(super) struct Replies {
    parser: Parser,
    count: ReplyCount,
}

#[derive(Default)]
struct ReplyCount(usize);

impl Replies {
    /// Takes the next bytes, and returns how many there were so far.
    pub(super) fn take(&mut self, bytes: &[u8]) -> usize {
        self.parser.advance(&mut self.count, bytes);
        self.count.0
    }
}

impl Perform for ReplyCount {
    fn csi_dispatch(&mut self, _: &Params, marks: &[u8], _: bool, action: char) {
        self.0 += usize::from(marks.is_empty() && action == 'R');
    }
}

fn first(params: &Params) -> u16 {
    let first = params.iter().next().and_then(|param| param.first());
    first.map_or(0, |value| *value)
}

impl Perform for Passing {
    fn print(&mut self, c: char) {
        // A control character of eight bits that came in two pieces is handed out as text.
        if c.is_control() {
            return;
        }
        let mut bytes = [0; 4];
        let text = c.encode_utf8(&mut bytes);
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Takes control characters, those of eight bits as well, of which none passes.
    fn execute(&mut self, byte: u8) {
        match byte {
            SHIFT_OUT | SHIFT_IN => self.note(Setting::Drawing, true),
            _ if CONTROLS.contains(&byte) => {}
            _ => return,
        }
        self.out.push(byte);
    }

    fn csi_dispatch(&mut self, params: &Params, marks: &[u8], is_cut: bool, action: char) {
        if is_cut {
            return;
        }
        match (marks, action) {
            ([], _) => self.plain(params, action),
            (b"?", 'h' | 'l') => {
                let modes = params.iter().filter_map(|param| param.first());
                modes.for_each(|mode| self.mode(*mode, action == 'h'));
            }
            (b"?", 'J') => self.sequence("?", params, "J"),
            (b"?", 'K') => self.sequence("?", params, "K"),
            (b" ", 'q') => {
                self.note(Setting::Shape, true);
                self.sequence("", params, " q");
            }
            (b"!", 'p') => self.put(b"\x1b[!p"),
            (b">", 'm') if first(params) == OTHER_KEYS => {
                self.note(Setting::OtherKeys, true);
                self.sequence(">", params, "m");
            }
            ([mark @ (b'<' | b'=' | b'>')], 'u') => self.keyboard(*mark, params),
            _ => {}
        }
    }

    fn esc_dispatch(&mut self, marks: &[u8], is_cut: bool, byte: u8) {
        let passes: &[u8] = match (marks, byte) {
            _ if is_cut => return,
            ([], b'7') => b"\x1b7",
            ([], b'8') => b"\x1b8",
            ([], b'D') => b"\x1bD",
            ([], b'E') => b"\x1bE",
            ([], b'M') => b"\x1bM",
            ([], b'=') => {
                self.note(Setting::Keypad, true);
                b"\x1b="
            }
            ([], b'>') => {
                self.note(Setting::Keypad, false);
                b"\x1b>"
            }
            // Lines drawn with letters, and letters.
            (b"(", b'0') => b"\x1b(0",
            (b"(", b'B') => b"\x1b(B",
            (b")", b'0') => b"\x1b)0",
            (b")", b'B') => b"\x1b)B",
            // A reset of all, titles and colours of the user's included: what the program changed, and an empty screen.
            ([], b'c') => {
                self.undo();
                b"\x1b[H\x1b[2J"
            }
            _ => return,
        };
        if let b"(" | b")" = marks {
            self.note(Setting::Drawing, true);
        }
        self.put(passes);
    }
}

#[cfg(test)]
mod tests;
