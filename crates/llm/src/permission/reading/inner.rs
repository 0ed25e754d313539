//! What a command runs in turn, as far as its words show.
//!
//! `timeout 5 git push` runs `git push`, `su -c 'git push'` a command line, `sh` whatever its input
//! says, and `python -c '...'` whatever its code does.

use super::super::word::{SimpleCommand, Token, Word};
use super::programs::{self, Way};
use super::scripts;

/// How many words of a wrapper may begin its command, and how many are read as lines.
const MAX_STARTS: usize = 64;

/// Options of shells that take a value.
const SHELL_VALUES: [&str; 6] = ["-O", "+O", "-o", "+o", "--rcfile", "--init-file"];

/// Options of `xargs` whose value is a word of its own.
const XARGS_VALUES: [&str; 18] = [
    "-I",
    "-n",
    "-P",
    "-L",
    "-s",
    "-d",
    "-a",
    "-E",
    "-J",
    "-R",
    "-S",
    "--max-args",
    "--max-procs",
    "--max-lines",
    "--max-chars",
    "--delimiter",
    "--arg-file",
    "--process-slot-var",
];

/// Options of `find` and `fd` behind which a command stands.
const RUN_WORDS: [&str; 8] = [
    "-exec",
    "-execdir",
    "-ok",
    "-okdir",
    "-x",
    "-X",
    "--exec",
    "--exec-batch",
];

/// Parts of the names of options whose value is run.
const RUN_BY_OPTION: [&str; 9] = [
    "command", "program", "exec", "shell", "pager", "editor", "eval", "rsh", "action",
];

/// Parts of the names of options whose value is code.
const CODE_OPTIONS: [&str; 6] = [
    "--eval",
    "--exec",
    "--print",
    "--command",
    "--execute",
    "--run",
];

/// Files that are the input of a program.
const INPUTS: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/", "/proc/"];

/// Something that a command runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// A command.
    Command(SimpleCommand),
    /// A command line.
    Line(String),
    /// Command lines that do not show.
    Unread,
    /// Code that can run any command.
    Program,
}

/// Returns what a command runs in turn.
pub(super) fn run_by(command: &[Word]) -> Vec<Inner> {
    let Some((program, words)) = command.split_first() else {
        return Vec::new();
    };
    let ways = programs::ways(program);
    let mut inner: Vec<Inner> = ways.iter().flat_map(|way| by(*way, &ways, words)).collect();
    if program.base_name().known().as_deref() == Some("env") {
        inner.extend(split_strings(words));
    }
    // Whatever the program: `sort --compress-program='git push'`.
    let values = words.iter().filter_map(|word| {
        let text = word.known()?;
        let (name, value) = text.strip_prefix("--")?.split_once('=')?;
        let runs = RUN_BY_OPTION.iter().any(|part| name.contains(part));
        runs.then(|| Inner::Line(value.trim_start_matches('!').to_owned()))
    });
    inner.extend(values);
    inner
}

fn by(way: Way, ways: &[Way], words: &[Word]) -> Vec<Inner> {
    match way {
        Way::Words => starts(words, ways.contains(&Way::Fed)),
        // Said with the words.
        Way::Fed if ways.contains(&Way::Words) => unread_if(!has_command(words)),
        Way::Fed => fed_command(words),
        Way::Exec => executed(words),
        Way::Given => given(words),
        Way::Input => unread_if(true),
        Way::Lines => lines(words),
        Way::Shell => unread_if(!has_script(words)),
        Way::ShellUpTo(most) => unread_if(begins_a_shell(most, words)),
        Way::ShellIfAsked => unread_if(asks_for_a_shell(words)),
        Way::Source => unread_if(words.first().is_none_or(is_input)),
        Way::Code(letters) => program_if(is_coded(letters, words)),
        Way::Coded => program_if(words.iter().any(has_escape) || !words.iter().any(is_operand)),
        Way::Awk => program_if(scripts::awk_runs(words)),
        Way::Sed => program_if(scripts::sed_runs(words)),
        Way::Git => by_git(words),
    }
}

fn unread_if(unread: bool) -> Vec<Inner> {
    unread.then_some(Inner::Unread).into_iter().collect()
}

fn program_if(runs: bool) -> Vec<Inner> {
    runs.then_some(Inner::Program).into_iter().collect()
}

/// Returns the commands that begin at any of the words. A fed one has more words than show.
fn starts(words: &[Word], fed: bool) -> Vec<Inner> {
    let token = if fed { replaced(words) } else { None };
    let one = |word: &Word| {
        let text = shown(word);
        let given =
            fed && text.contains("{}") || token.as_ref().is_some_and(|token| text.contains(token));
        if given || fed && word.0.contains(&Token::Any) {
            Word::any()
        } else {
            word.clone()
        }
    };
    let all: Vec<Word> = words.iter().map(one).collect();
    let begins = (0..all.len()).take(MAX_STARTS);
    let commands = begins
        .filter_map(|start| all.get(start..))
        .flat_map(|inner| {
            // What `parallel` adds stands behind `:::`.
            let adds = |word: &&Word| fed && shown(word).starts_with(":::");
            let own: SimpleCommand = inner
                .iter()
                .take_while(|word| !adds(word))
                .cloned()
                .collect();
            let more = own.iter().cloned().chain([Word::any()]).collect();
            let both = [Some(own), fed.then_some(more)];
            both.into_iter().flatten().map(Inner::Command)
        });
    let beyond = (words.len() > MAX_STARTS).then_some(Inner::Unread);
    commands.chain(beyond).collect()
}

/// Returns what `xargs -I` replaces by its input.
fn replaced(words: &[Word]) -> Option<String> {
    let known: Vec<String> = words.iter().map(shown).collect();
    let at = known.iter().position(|word| word.starts_with("-I"))?;
    let attached = known
        .get(at)?
        .strip_prefix("-I")
        .filter(|token| !token.is_empty());
    let token = attached
        .map(str::to_owned)
        .or_else(|| known.get(at + 1).cloned())?;
    (!token.is_empty()).then_some(token)
}

/// Returns a word with `{` in the place of what is unknown: of `{}`, the shell leaves both.
fn shown(word: &Word) -> String {
    let char = |token: &Token| match token {
        Token::Char(char) => *char,
        Token::Any => '{',
    };
    word.0.iter().map(char).collect()
}

/// Returns all words as command lines, those that are attached to options as well, and all together.
fn lines(words: &[Word]) -> Vec<Inner> {
    let mut inner = Vec::new();
    for word in words
        .iter()
        .filter(|word| !word.0.is_empty())
        .take(MAX_STARTS)
    {
        let Some(text) = word.known() else {
            inner.push(Inner::Unread);
            continue;
        };
        let short = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let attached = short
            .and_then(|rest| rest.split_once('c'))
            .map(|(_, line)| line);
        let assigned = text.split_once('=').map(|(_, line)| line);
        let more = [attached, assigned]
            .into_iter()
            .flatten()
            .filter(|line| !line.is_empty());
        inner.extend(more.map(|line| Inner::Line(line.to_owned())));
        inner.push(Inner::Line(text));
    }
    // `eval git push` joins its words.
    inner.push(Inner::Command(words.to_vec()));
    inner.extend((words.len() > MAX_STARTS).then_some(Inner::Unread));
    inner
}

/// Tells whether a shell is given a file or a line, so that it does not read its input.
fn has_script(words: &[Word]) -> bool {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.known() else {
            return false;
        };
        if matches!(text.as_str(), "--version" | "--help") {
            return true;
        }
        if SHELL_VALUES.contains(&text.as_str()) {
            rest.next();
        } else if text == "--" || !text.starts_with(['-', '+']) || text == "-" {
            let file = if text == "--" {
                rest.next()
            } else {
                Some(word)
            };
            return file.is_some_and(|file| !is_input(file));
        } else if !text.starts_with("--") {
            let letters = text.get(1..).unwrap_or_default();
            // A line follows, and is read as all words are.
            if letters.contains('c') && rest.clone().next().is_some() {
                return true;
            }
            if letters.contains('s') {
                return false;
            }
        } else if text.starts_with("--command") || text.starts_with("--commands") {
            return true;
        }
    }
    false
}

/// Tells whether `su`, `chroot` and their like begin a shell that reads its input.
fn begins_a_shell(most: usize, words: &[Word]) -> bool {
    let texts: Vec<Option<String>> = words.iter().map(Word::known).collect();
    let operands = texts.iter().filter(|text| !is_option(text)).count();
    let is_line = |text: &String| {
        let long = ["--command", "--session-command", "--run"];
        let short = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        long.iter().any(|option| text.starts_with(option))
            || short.is_some_and(|letters| letters.contains('c'))
    };
    operands <= most && !texts.iter().flatten().any(is_line)
}

/// Tells whether `sudo` is asked for a shell.
fn asks_for_a_shell(words: &[Word]) -> bool {
    let texts: Vec<Option<String>> = words.iter().map(Word::known).collect();
    let options = texts.iter().take_while(|text| is_option(text)).flatten();
    options
        .into_iter()
        .any(|text| match text.strip_prefix("--") {
            Some(name) => matches!(name, "shell" | "login"),
            None => text.contains(['s', 'i']),
        })
}

fn is_option(text: &Option<String>) -> bool {
    text.as_ref().is_some_and(|text| text.starts_with('-'))
}

/// Tells whether `parallel` is given a command: a word that is no option and no value of one.
fn has_command(words: &[Word]) -> bool {
    let texts: Vec<Option<String>> = words.iter().map(Word::known).collect();
    let before = std::iter::once(&None).chain(&texts);
    texts.iter().zip(before).any(|(text, before)| {
        let is_word = text
            .as_ref()
            .is_some_and(|text| !text.starts_with(['-', ':']));
        is_word && !is_option(before)
    })
}

/// Returns the command of `xargs`, to which its input is added.
fn fed_command(words: &[Word]) -> Vec<Inner> {
    let mut at = 0;
    while let Some(text) = words.get(at).and_then(Word::known) {
        if !text.starts_with('-') {
            break;
        }
        at += if XARGS_VALUES.contains(&text.as_str()) {
            2
        } else {
            1
        };
    }
    match words.get(at..).filter(|rest| !rest.is_empty()) {
        Some(_) => {
            let own = starts(words, true);
            let own: Vec<Inner> = own.into_iter().skip(2 * at).take(2).collect();
            if own.is_empty() { unread_if(true) } else { own }
        }
        // It is `echo`.
        None => Vec::new(),
    }
}

/// Returns the commands behind `-exec` and its like, with files in the place of `{}`.
fn executed(words: &[Word]) -> Vec<Inner> {
    let begins = words
        .iter()
        .enumerate()
        .filter_map(|(at, word)| match word.known() {
            Some(text) => RUN_WORDS.contains(&text.as_str()).then_some(at + 1),
            None if shown(word).contains("{}") => None,
            None => Some(at),
        });
    let begins: Vec<usize> = begins.collect();
    begins
        .into_iter()
        .flat_map(|at| {
            starts(words.get(at..).unwrap_or_default(), true)
                .into_iter()
                .take(2)
        })
        .collect()
}

/// Returns the known words that may be command lines, by themselves or as values of options.
fn given(words: &[Word]) -> Vec<Inner> {
    let texts = words
        .iter()
        .filter_map(Word::known)
        .filter(|text| text.contains(char::is_whitespace));
    let lines = texts.flat_map(|text| {
        let short = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let attached = short.and_then(|rest| rest.get(1..)).map(str::to_owned);
        let assigned = text.rsplit_once('=').map(|(_, line)| line.to_owned());
        [Some(text), attached, assigned]
    });
    lines.flatten().map(Inner::Line).collect()
}

/// Tells whether an interpreter is given code, or reads it from its input.
fn is_coded(letters: &str, words: &[Word]) -> bool {
    let mut after_option = false;
    let mut operand = false;
    for word in words {
        let Some(text) = word.known() else {
            return true;
        };
        if matches!(text.as_str(), "--version" | "--help" | "-V" | "-h") {
            return false;
        }
        if is_input(word) || text == "eval" {
            return true;
        }
        if let Some(plus) = text.strip_prefix('+')
            && letters.contains('+')
        {
            return plus.contains(|char: char| !char.is_ascii_digit());
        }
        if text.starts_with("--") {
            if CODE_OPTIONS.iter().any(|option| text.starts_with(option)) {
                return true;
            }
            after_option = !text.contains('=');
        } else if let Some(own) = text.strip_prefix('-') {
            if own.contains(|char: char| letters.contains(char)) {
                return true;
            }
            // `python -m pytest`: what follows is for the module.
            if own.ends_with('m') {
                return false;
            }
            after_option = true;
        } else if after_option {
            // It may be the value of the option.
            (after_option, operand) = (false, true);
        } else {
            return false;
        }
    }
    !operand
}

/// Tells whether a word names what a program gets as its input, or is not known.
fn is_input(word: &Word) -> bool {
    word.known().is_none_or(|text| {
        INPUTS.iter().any(|input| match input.strip_suffix('/') {
            Some(_) => text.starts_with(input),
            None => text == *input,
        })
    })
}

fn is_operand(word: &Word) -> bool {
    word.known().is_none_or(|text| !text.starts_with('-'))
}

/// Tells whether the code of a database's shell may run commands.
fn has_escape(word: &Word) -> bool {
    word.known().is_none_or(|text| {
        [
            ".sh", ".sy", "\\!", "\\o", "\\g", "\\copy", "PROGRAM", "program", "system", ".once",
            ".output", ".import", "readfile", "edit(",
        ]
        .iter()
        .any(|sign| text.contains(sign))
    })
}

/// Returns the command line that `env -S` makes of a word and those behind it.
fn split_strings(words: &[Word]) -> Vec<Inner> {
    let each = words.iter().enumerate().filter_map(|(at, word)| {
        let text = shown(word);
        let first = match text.strip_prefix("--split-string") {
            Some(rest) => rest.strip_prefix('=').unwrap_or(rest),
            None => {
                let short = text
                    .strip_prefix('-')
                    .filter(|rest| !rest.starts_with('-'))?;
                short.split_once('S')?.1
            }
        };
        let Some(rest) = words
            .get(at..)
            .filter(|rest| rest.iter().all(|word| word.known().is_some()))
        else {
            return Some(Inner::Unread);
        };
        let rest = rest.iter().skip(1).filter_map(Word::known);
        let all: Vec<String> = std::iter::once(first.to_owned()).chain(rest).collect();
        Some(Inner::Line(all.join(" ")))
    });
    each.collect()
}

/// Returns what git runs by settings (`-c alias.x='!git push'`) and by subcommands.
fn by_git(words: &[Word]) -> Vec<Inner> {
    let mut inner = Vec::new();
    let texts: Vec<Option<String>> = words.iter().map(Word::known).collect();
    let is = |at: usize, wanted: &[&str]| {
        texts.get(at).is_some_and(|text| {
            text.as_ref()
                .is_none_or(|text| wanted.contains(&text.as_str()))
        })
    };
    for at in 0..texts.len() {
        let settings = is(at, &["-c", "--config-env", "config"]);
        let value = texts.get(at + 1).cloned().flatten();
        if let (true, Some(value)) = (settings, value) {
            let value = value
                .split_once('=')
                .map_or(value.as_str(), |(_, value)| value);
            inner.push(Inner::Line(value.trim_start_matches('!').to_owned()));
            // An alias.
            inner.push(Inner::Line(format!("git {value}")));
        }
    }
    let known = || texts.iter().flatten();
    // `git config alias.x '!git push'`.
    let escapes = known().filter_map(|text| text.strip_prefix('!'));
    inner.extend(escapes.map(|line| Inner::Line(line.to_owned())));
    let runs = [
        "foreach",
        "run",
        "filter-branch",
        "rebase",
        "for-each-repo",
        "difftool",
        "mergetool",
        "-x",
        "--exec",
        "--extcmd",
    ];
    if known().any(|text| runs.contains(&text.as_str()) || text.starts_with("-x")) {
        inner.extend(starts(words, false));
        inner.extend(lines(words));
        let attached = known().filter_map(|text| text.strip_prefix("-x"));
        inner.extend(attached.map(|line| Inner::Line(line.to_owned())));
    }
    inner
}
