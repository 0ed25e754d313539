//! Code blocks: edits out of fences that rewrite a whole file or one function.
//!
//! In: a block, the files that were read, and those that the user names. Out: a call that rewrites
//! one of them, or the part of one that was shown. A file that was not read as a whole is never
//! rewritten as a whole, so none comes into being by it; of one that the user names a function is
//! replaced that must be there.

use std::path::Path;

use serde::de::IgnoredAny;
use serde_json::json;
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::edit::locate::changed;
use signoff_core::plural::counted;
use signoff_core::syntax::Language;
use signoff_core::syntax::outline::{Symbol, outline};

use crate::message::AnswerForm;
use crate::provider::text::{Block, Files, TextCall, indentation, words};

mod copied;
mod spelled;

use copied::{Compared, compared};

pub use spelled::{TextEdits, pairs, spelled};

/// Returns the call that a block stands for, as a [`CodeBlockReader`](crate::provider::text::CodeBlockReader) does. Without
/// `has_recipes` a function is put into its file here.
pub fn edit(block: &Block, files: &Files, has_recipes: bool) -> Option<TextCall> {
    let code = block.body.as_str();
    if spelled::is_spelled(code) {
        return None;
    }
    let Some((path, old)) = file(block, files) else {
        return unread(block, files, code);
    };
    if code.trim().is_empty() || code.trim() == old.trim() || is_other_data(path, code) {
        return None;
    }
    let is_part = files.target().is_some_and(|target| target.lines.is_some());
    let is_lines = files
        .target()
        .is_some_and(|target| target.form == AnswerForm::Lines);
    let symbol = one_symbol(path, code, old, is_lines).filter(|symbol| {
        let own = old.get(symbol.range.clone()).unwrap_or_default();
        !(is_lines && breaks_off(own, code))
    });
    if !is_part && let Some(symbol) = symbol {
        if has_recipes {
            return Some(replacement(path, &symbol.name, code));
        }
        let text = with_symbol(old, &symbol, code).filter(|text| text != old)?;
        let description = format!("Replace {} by the one of the reply", symbol.name);
        return Some(rewriting(path, &text, &description));
    }
    let removes = files.ask(REMOVE);
    let Compared { text, put_back } = compared(old, &whole(path, code, old, files)?, removes);
    let description = described(path, put_back);
    if text.trim_end() == old.trim_end() {
        None
    } else if is_part {
        Some(section(path, &description, old, text.trim_end()))
    } else {
        Some(rewriting(path, &text, &description))
    }
}

/// Words of a request for something that is not there yet.
const MORE: &[&str] = &["add", "also", "another", "append", "insert"];
/// Words of a request for something to go.
const REMOVE: &[&str] = &["delete", "drop", "remove", "strip", "unused", "without"];

/// Returns the new text that a block means, of all that was shown.
fn whole(path: &str, code: &str, old: &str, files: &Files) -> Option<String> {
    match files.target() {
        Some(target) if target.form == AnswerForm::Lines => {
            let placed = changed::place(old, code)?;
            // Lines alone may be new as well as changed.
            let is_clear = placed.is_anchored || !files.ask(MORE);
            (is_clear && !defines_again(path, &placed.text, old, code)).then_some(placed.text)
        }
        _ => {
            let is_whole = is_whole(code, old) || files.ask(REMOVE) && is_less(code, old);
            is_whole.then(|| indented_as(old, code))
        }
    }
}

/// Tells whether a text defines something more often than the file and the answer that it was made of.
fn defines_again(path: &str, text: &str, old: &str, code: &str) -> bool {
    let (new, old, code) = (symbols(path, text), symbols(path, old), symbols(path, code));
    let mut each = new.iter().flatten();
    each.any(|symbol| {
        let times = count(&new, |other| other.path == symbol.path);
        times > 1
            && times > count(&old, |other| other.path == symbol.path)
            && times > count(&code, |other| other.name == symbol.name)
    })
}

fn count(symbols: &Option<Vec<Symbol>>, is_it: impl Fn(&Symbol) -> bool) -> usize {
    let symbols = symbols.iter().flatten();
    symbols.filter(|symbol| is_it(symbol)).count()
}

fn rewriting(path: &str, text: &str, description: &str) -> TextCall {
    TextCall {
        name: "write".to_owned(),
        arguments: json!({
            "path": path,
            "operation": "rewrite",
            "description": description,
            "content": text,
        })
        .to_string(),
    }
}

fn section(path: &str, description: &str, old: &str, new: &str) -> TextCall {
    TextCall {
        name: "edit_section".to_owned(),
        arguments: json!({
            "path": path,
            "description": description,
            "edits": [{ "old_text": old, "new_text": new }],
        })
        .to_string(),
    }
}

/// Returns the text with another version of one of its definitions.
fn with_symbol(old: &str, symbol: &Symbol, code: &str) -> Option<String> {
    let (head, tail) = (old.get(..symbol.range.start)?, old.get(symbol.range.end..)?);
    let line = head.rfind('\n').map_or(0, |at| at + 1);
    let (head, before) = head.split_at(line);
    let own = old.get(line..symbol.range.end)?;
    let code = indented_as(own, code.trim_end());
    // What stands before it in its line is its indentation, or stays.
    let (before, code) = if before.trim().is_empty() {
        ("", code.as_str())
    } else {
        (before, code.trim_start())
    };
    Some(format!("{head}{before}{code}{tail}"))
}

/// Returns the code with the indentation of the old one before every line, unless it is there.
fn indented_as(old: &str, code: &str) -> String {
    let indentation = indentation(old);
    let mut lines = code.lines().filter(|line| !line.trim().is_empty());
    if lines.all(|line| line.starts_with(indentation)) {
        return code.to_owned();
    }
    let each = code.split_inclusive('\n').map(|line| match line.trim() {
        "" => line.to_owned(),
        _ => format!("{indentation}{line}"),
    });
    each.collect()
}

/// Tells an object from a text of a file that holds something else.
fn is_other_data(path: &str, code: &str) -> bool {
    let is_data = serde_json::from_str::<IgnoredAny>(code).is_ok();
    let extension = Path::new(path).extension().and_then(|own| own.to_str());
    is_data && !extension.is_some_and(|own| own.starts_with("json"))
}

/// Returns the call for one function of a file that the user names and nobody read. Which function
/// it is, and whether it is there, the engine finds.
fn unread(block: &Block, files: &Files, code: &str) -> Option<TextCall> {
    let lines = naming(block);
    let mut told = lines
        .into_iter()
        .flat_map(words)
        .filter(|word| looks_like_a_file(word));
    let path = match told.next() {
        Some(named) => files.asked().find(|asked| same_file(asked, &named))?,
        None => {
            let mut asked = files.asked().filter(|word| looks_like_a_file(word));
            asked.next().filter(|_| asked.next().is_none())?
        }
    };
    // One that was read, if in part, has its text elsewhere.
    (!files.is_seen(path)).then_some(())?;
    let symbol = lone_symbol(path, code)?;
    Some(replacement(path, &symbol, code))
}

/// Tells whether two names mean one file, where one may lack the folder.
fn same_file(one: &str, other: &str) -> bool {
    ends_in_path(one, other) || ends_in_path(other, one)
}

fn ends_in_path(long: &str, short: &str) -> bool {
    long.strip_suffix(short)
        .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

fn replacement(path: &str, symbol: &str, code: &str) -> TextCall {
    TextCall {
        name: "apply_structured_edits".to_owned(),
        arguments: json!({ "changes": [{
            "file": path,
            "operation": "modify",
            "description": format!("Replace {symbol} by the one of the reply"),
            "strategy": "recipe",
            "recipe": { "name": "replace_symbol_body", "symbol": symbol, "code": code },
        }] })
        .to_string(),
    }
}

/// Returns the lines that may name the file of a block: its head, the line before it, and a
/// comment that it begins with.
fn naming(block: &Block) -> [&str; 3] {
    let first = block.body.lines().next().unwrap_or_default();
    let comment = first.trim_start().starts_with(['/', '#', '-', '<']);
    [
        block.info.as_str(),
        block.before.as_str(),
        if comment { first } else { "" },
    ]
}

/// Returns the file that a block is about: the one that its first line, the line before it, or
/// a comment in it names; else the only one that was read.
fn file<'a>(block: &Block, files: &'a Files) -> Option<(&'a str, &'a str)> {
    let named = naming(block);
    for line in named {
        let mut told =
            words(line).filter(|word| word.contains(['.', '/']) || files.text(word).is_some());
        if let Some(found) = told.by_ref().find_map(|word| {
            files
                .text(&word)
                .or_else(|| files.text(word.split_once(':')?.1))
        }) {
            return Some(found);
        }
    }
    // A block that names another file is not about this one.
    let other = named
        .into_iter()
        .flat_map(words)
        .any(|word| looks_like_a_file(&word));
    files.only().filter(|_| !other)
}

fn looks_like_a_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=4).contains(&end.len())
            && end.chars().all(|c| c.is_ascii_lowercase())
    })
}

/// Returns the definition in the file that the code is another text of, if it is one among others.
fn one_symbol(path: &str, code: &str, old: &str, is_lines: bool) -> Option<Symbol> {
    let name = lone_symbol(path, code)?;
    let before = symbols(path, old)?;
    let is_one_of_several = before.len() > 1;
    let mut same = before.into_iter().filter(|one| one.name == name);
    let found = same.next().filter(|_| same.next().is_none())?;
    // One that is as it was is what is left of the file.
    let is_other = old.get(found.range.clone())?.trim() != code.trim();
    // Of lines that were asked for, more than its head are the only one too.
    let has_body = code.trim().lines().count() > 1;
    (is_other && (is_one_of_several || is_lines && has_body)).then_some(found)
}

/// Returns the name of the one definition that the code is.
fn lone_symbol(path: &str, code: &str) -> Option<String> {
    let new = symbols(path, code)?;
    let mut outer = new.iter().filter(|symbol| symbol.depth == 0);
    let symbol = outer.next().filter(|_| outer.next().is_none())?;
    // Imports or statements beside it would be lost.
    let alone = is_blank(code.get(..symbol.range.start)) && is_blank(code.get(symbol.range.end..));
    alone.then(|| symbol.name.clone())
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.trim().is_empty())
}

fn symbols(path: &str, text: &str) -> Option<Vec<Symbol>> {
    let language = Language::of(&WorkspacePath::parse(path, Path::new("/")).ok()?)?;
    let parsed = language.parse(text)?;
    Some(outline(language, &parsed))
}

/// Tells a whole file from a piece of one: most of the file's lines are in it, or it is as long.
fn is_whole(code: &str, old: &str) -> bool {
    2 * filled_lines(code) >= filled_lines(old)
}

fn filled_lines(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}

/// Tells whether lines end with one that stands before the end of a definition: it is the line after a change, and not
/// all of the definition.
fn breaks_off(own: &str, code: &str) -> bool {
    let (own, code) = (telling_lines(own), telling_lines(code));
    let (Some(end), Some(last)) = (own.last(), code.last()) else {
        return false;
    };
    end != last && own.contains(last)
}

fn telling_lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| line.contains(char::is_alphanumeric));
    lines.map(str::to_owned).collect()
}

/// Tells a file of which parts went from one of which anything else changed.
fn is_less(code: &str, old: &str) -> bool {
    let mut own = old.lines().map(str::trim_end);
    let mut lines = code.lines().map(str::trim_end);
    lines.all(|line| line.is_empty() || own.any(|own| own == line))
}

/// Returns one line for the review that says if parts of the file were put back.
fn described(path: &str, put_back: usize) -> String {
    match put_back {
        0 => format!("Rewrite {path} as in the reply"),
        lines => {
            let lines = counted(lines, "line");
            format!("Rewrite {path} as in the reply; {lines} far from the change kept as they were")
        }
    }
}

#[cfg(test)]
mod tests;
