//! Scripts of awk and sed that stand in a command line: whether they may run commands.
//!
//! `awk '{ print $2 }'` and `sed -n '1,5p'` run nothing. `awk '{ system($0) }'`, `sed '1e git push'`
//! and `sed 's/x/y/e'` do, and so may what is not understood.

use std::iter::Peekable;
use std::str::Chars;

use super::super::word::Word;

/// What an awk script has in it that runs a command.
const AWK_SIGNS: [&str; 5] = ["system", "|", "@", "popen", "ENVIRON"];

/// Tells whether awk may run commands, by its words.
pub(super) fn awk_runs(words: &[Word]) -> bool {
    words.iter().any(|word| {
        word.known().is_none_or(|text| {
            let file = text == "-" || text.starts_with("/dev/") || text.starts_with("/proc/");
            file || AWK_SIGNS.iter().any(|sign| text.contains(sign))
        })
    }) || words.is_empty()
}

/// Tells whether sed may run commands, by its words.
pub(super) fn sed_runs(words: &[Word]) -> bool {
    let mut scripts: Vec<String> = Vec::new();
    let mut first = None;
    let mut from_file = false;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.known() else {
            // An unknown file may be an option with a script.
            return true;
        };
        let next = |rest: &mut std::slice::Iter<'_, Word>| rest.next().and_then(Word::known);
        if let Some(long) = text.strip_prefix("--") {
            match long.split_once('=') {
                Some(("expression", script)) => scripts.push(script.to_owned()),
                Some(("file", file)) if file.starts_with('/') || file == "-" => return true,
                Some(("file", _)) => from_file = true,
                None if long == "expression" => match next(&mut rest) {
                    Some(script) => scripts.push(script),
                    None => return true,
                },
                None if long == "file" => return true,
                _ if "expression".starts_with(long.split('=').next().unwrap_or_default())
                    && !long.is_empty() =>
                {
                    return true;
                }
                _ => {}
            }
        } else if let Some(short) = text.strip_prefix('-').filter(|short| !short.is_empty()) {
            // `-ne SCRIPT`, `-eSCRIPT`, `-i.bak`; the value of `-i`, `-l` and `-s` has no say.
            let flags = short.split_once('i').map_or(short, |(flags, _)| flags);
            if let Some((_, attached)) = flags.split_once('e') {
                let own = short
                    .split_once('e')
                    .map_or(attached, |(_, own)| own)
                    .to_owned();
                let script = if own.is_empty() {
                    next(&mut rest)
                } else {
                    Some(own)
                };
                match script {
                    Some(script) => scripts.push(script),
                    None => return true,
                }
            } else if let Some((_, attached)) = flags.split_once('f') {
                let file = if attached.is_empty() {
                    next(&mut rest)
                } else {
                    Some(attached.to_owned())
                };
                from_file = true;
                if file.is_none_or(|file| {
                    file == "-" || file.starts_with("/dev/") || file.starts_with("/proc/")
                }) {
                    return true;
                }
            }
        } else if first.is_none() {
            first = Some(text);
        }
    }
    if scripts.is_empty() && !from_file {
        scripts.extend(first);
    }
    scripts
        .iter()
        .any(|script| runs(script).is_none_or(|runs| runs))
}

/// Tells whether a script of sed runs commands; `None` if it is not understood.
fn runs(script: &str) -> Option<bool> {
    let mut chars = script.chars().peekable();
    loop {
        skip(&mut chars, |char| {
            char.is_whitespace() || matches!(char, ';' | '{' | '}')
        });
        address(&mut chars)?;
        skip(&mut chars, |char| char.is_whitespace() || char == '!');
        let Some(command) = chars.next() else {
            return Some(false);
        };
        match command {
            's' => {
                let end = chars.next()?;
                part(&mut chars, end)?;
                part(&mut chars, end)?;
                while let Some(flag) = chars.next_if(|char| !matches!(char, ';' | '\n' | '}')) {
                    match flag {
                        'e' => return Some(true),
                        'w' => skip(&mut chars, |char| char != '\n'),
                        _ => {}
                    }
                }
            }
            'y' => {
                let end = chars.next()?;
                part(&mut chars, end)?;
                part(&mut chars, end)?;
            }
            'a' | 'i' | 'c' => text(&mut chars),
            'b' | 't' | 'T' | ':' => skip(&mut chars, |char| !matches!(char, ';' | '\n')),
            'r' | 'R' | 'w' | 'W' | '#' => skip(&mut chars, |char| char != '\n'),
            'd' | 'D' | 'p' | 'P' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' | 'z' | 'F'
            | 'l' | 'q' | 'Q' | '{' | '}' => {
                skip(&mut chars, |char| char.is_ascii_digit());
            }
            _ => return None,
        }
    }
}

fn skip(chars: &mut Peekable<Chars<'_>>, skipped: impl Fn(char) -> bool) {
    while chars.next_if(|char| skipped(*char)).is_some() {}
}

/// Reads the addresses in front of a command.
fn address(chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    loop {
        match chars.peek() {
            Some('/') => {
                chars.next();
                part(chars, '/')?;
                skip(chars, |char| matches!(char, 'I' | 'M'));
            }
            Some('\\') => {
                chars.next();
                let end = chars.next()?;
                part(chars, end)?;
                skip(chars, |char| matches!(char, 'I' | 'M'));
            }
            Some(char) if char.is_ascii_digit() || matches!(char, '$' | ',' | '~' | '+' | ' ') => {
                chars.next();
            }
            _ => return Some(()),
        }
    }
}

/// Reads up to the end of a part of `s` or of a pattern. Where a class may hold the end, it is not
/// understood.
fn part(chars: &mut Peekable<Chars<'_>>, end: char) -> Option<()> {
    let mut in_class = false;
    loop {
        match chars.next()? {
            '\\' => {
                chars.next()?;
            }
            char if char == end => return (!in_class).then_some(()),
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
    }
}

/// Reads the text of `a`, `i` or `c`: a line, and the next one after a backslash.
fn text(chars: &mut Peekable<Chars<'_>>) {
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                chars.next();
            }
            '\n' => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_run_commands_are_told_from_others() {
        let words = |line: &str| line.split('\u{1f}').map(Word::of).collect::<Vec<_>>();
        for (line, expected) in [
            ("-n\u{1f}1,5p\u{1f}x", false),
            ("s/one/else/g", false),
            ("-i.bak\u{1f}s|a/e|b/e|;/x/d\u{1f}file", false),
            ("-e\u{1f}/e/,$!d\u{1f}-e\u{1f}y/e/a/", false),
            ("-n\u{1f}$=\u{1f}e", false),
            ("-E\u{1f}s/(e+)/<\\1>/", false),
            ("1a e git push\u{1f}x", false),
            ("s/x/y/e", true),
            ("s/x/y/ge", true),
            ("s,x,y,;e git push", true),
            ("1e git push", true),
            ("e", true),
            ("-e\u{1f}p\u{1f}-ee", true),
            ("-ne\u{1f}1!e", true),
            ("--expression=e ls", true),
            ("--expr=p", true),
            ("-f\u{1f}/dev/stdin", true),
            ("-f\u{1f}own.sed", false),
            ("s[a[b[e", true),
            ("?", true),
        ] {
            assert_eq!(sed_runs(&words(line)), expected, "sed {line:?}");
        }
        for (line, expected) in [
            ("{ print $2 }\u{1f}x", false),
            ("-F:\u{1f}$1 ~ /e/ { n += 1 } END { print n }", false),
            ("BEGIN { system(\"ls\") }", true),
            ("{ print | \"sh\" }", true),
            ("BEGIN { \"date\" | getline x }", true),
            ("-f\u{1f}/dev/stdin", true),
            ("-f\u{1f}own.awk", false),
        ] {
            assert_eq!(awk_runs(&words(line)), expected, "awk {line:?}");
        }
    }
}
