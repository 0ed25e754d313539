//! Questions about a text that was sent, and edits in answer to them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Client, Wait, told, unfit};
use crate::language_server::position::{Encoding, Lines, Position, Range};
use crate::language_server::workspace_edit::{self, FileOperation, Sent as _};
use crate::language_server::{ServerFault, uri};
use signoff_source::word::is_word;

/// So often a server is asked anew because its answer is about files that it was not sent.
const MAX_ROUNDS: usize = 5;
/// The kind of action that sorts imports and removes those that are not used.
pub const ORGANIZE: &str = "source.organizeImports";

/// A name in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Path relative to the workspace.
    pub path: String,
    /// 1-based.
    pub line: usize,
    /// The name; its first place in the line is meant.
    pub name: String,
}

/// A place that a server names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourcePlace {
    /// Relative to the workspace; absolute for a file outside of it.
    pub path: String,
    /// 1-based.
    pub line: usize,
}

/// Something that a server can do at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// What it calls it, in one line.
    pub title: String,
    value: Value,
}

impl Client {
    /// Renames what a name stands for. `read` returns the text of a file as staged.
    ///
    /// # Errors
    ///
    /// Fails if the server refuses, or its edit does not fit.
    pub fn rename(
        &mut self,
        target: &Target,
        to: &str,
        read: &dyn Fn(&str) -> Option<String>,
        wait: Wait<'_>,
    ) -> Result<BTreeMap<String, FileOperation>, ServerFault> {
        self.wait_until_ready(wait)?;
        self.edits(read, |client| {
            let mut params = client.at(target)?;
            params["newName"] = to.into();
            client.ask("textDocument/rename", &params, wait)
        })
    }

    /// Returns where a name is defined.
    ///
    /// # Errors
    ///
    /// Fails if the server refuses.
    pub fn definitions(
        &mut self,
        target: &Target,
        wait: Wait<'_>,
    ) -> Result<Vec<SourcePlace>, ServerFault> {
        self.wait_until_ready(wait)?;
        let params = self.at(target)?;
        let answer = self.ask("textDocument/definition", &params, wait)?;
        Ok(self.places(&answer))
    }

    /// Returns where a name is used, its definition included.
    ///
    /// # Errors
    ///
    /// Fails if the server refuses.
    pub fn references(
        &mut self,
        target: &Target,
        wait: Wait<'_>,
    ) -> Result<Vec<SourcePlace>, ServerFault> {
        self.wait_until_ready(wait)?;
        let mut params = self.at(target)?;
        params["context"] = json!({"includeDeclaration": true});
        let answer = self.ask("textDocument/references", &params, wait)?;
        Ok(self.places(&answer))
    }

    /// Returns what the server can do with a range of lines of a file that it was sent, from 1, both included; of one
    /// kind where that is given.
    ///
    /// # Errors
    ///
    /// Fails if the server refuses, or there are no such lines.
    pub fn actions(
        &mut self,
        path: &str,
        (first, last): (usize, usize),
        kind: Option<&str>,
        wait: Wait<'_>,
    ) -> Result<Vec<Action>, ServerFault> {
        self.wait_until_ready(wait)?;
        // What mends a diagnostic needs it.
        let all = [path];
        match self.wait_for_diagnostics(&all, wait) {
            Ok(()) | Err(ServerFault::Silent(_)) => {}
            Err(fault) => return Err(fault),
        }
        let (_, text) = self
            .opened
            .sent(path)
            .ok_or_else(|| unfit("it was not sent the file"))?;
        let lines = Lines::of(text);
        let range = range_of_lines(&lines, self.encoding, first, last)
            .ok_or_else(|| unfit("there are no such lines"))?;
        let known = self.published.get(path);
        let known: Vec<&Value> = known
            .into_iter()
            .flatten()
            .filter(|diagnostic| overlaps(diagnostic, &range))
            .collect();
        let mut context = json!({"diagnostics": known, "triggerKind": 1});
        if let Some(kind) = kind {
            context["only"] = json!([kind]);
        }
        let uri = uri::of(&self.root.join(path));
        let params = json!({"textDocument": {"uri": uri}, "range": range, "context": context});
        let answer = self.ask("textDocument/codeAction", &params, wait)?;
        let all = answer.as_array().into_iter().flatten();
        let usable = all.filter(|action| action.get("disabled").is_none());
        let of_kind = usable.filter(|action| match (kind, action.get("kind")) {
            (Some(kind), Some(own)) => own.as_str().is_some_and(|own| own.starts_with(kind)),
            _ => true,
        });
        let named = of_kind.filter_map(|action| {
            let title = action.get("title")?.as_str()?;
            Some(Action {
                title: told(title),
                value: action.clone(),
            })
        });
        let mut found: Vec<Action> = named.collect();
        if let (true, Some(ORGANIZE), Some(command)) = (found.is_empty(), kind, &self.organizer) {
            let value = json!({"command": command, "arguments": [params["textDocument"]["uri"]]});
            let title = "Organize imports".to_owned();
            found.push(Action { title, value });
        }
        Ok(found)
    }

    /// Returns what an action changes.
    ///
    /// # Errors
    ///
    /// Fails if the server refuses, or its edit does not fit.
    pub fn carry_out(
        &mut self,
        action: &Action,
        read: &dyn Fn(&str) -> Option<String>,
        wait: Wait<'_>,
    ) -> Result<BTreeMap<String, FileOperation>, ServerFault> {
        self.edits(read, |client| {
            let mut action = action.value.clone();
            if action.get("edit").is_none() && action.get("data").is_some() && client.resolves {
                action = client.ask("codeAction/resolve", &action, wait)?;
            }
            if let Some(edit) = action.get("edit") {
                return Ok(edit.clone());
            }
            // A command by itself, or within an action.
            let command = match action.get("command") {
                Some(Value::Object(command)) => Value::Object(command.clone()),
                Some(Value::String(_)) => action.clone(),
                _ => return Err(unfit("the action changes nothing")),
            };
            let params = json!({
                "command": command.get("command"),
                "arguments": command.get("arguments").cloned().unwrap_or_else(|| json!([])),
            });
            client.offered.clear();
            client.ask("workspace/executeCommand", &params, wait)?;
            match std::mem::take(&mut client.offered).as_slice() {
                [edit] => Ok(edit.clone()),
                [] => Ok(Value::Null),
                _ => Err(unfit("its command makes several edits")),
            }
        })
    }

    /// Asks for an edit until all files that it touches were sent.
    fn edits(
        &mut self,
        read: &dyn Fn(&str) -> Option<String>,
        mut asked: impl FnMut(&mut Self) -> Result<Value, ServerFault>,
    ) -> Result<BTreeMap<String, FileOperation>, ServerFault> {
        for _ in 0..MAX_ROUNDS {
            let edit = asked(self)?;
            let touched = workspace_edit::touched(&self.root, &edit)?;
            let unsent: Vec<_> = touched
                .into_iter()
                .filter(|path| !self.opened.contains_key(path))
                .collect();
            if unsent.is_empty() {
                return workspace_edit::applied(&self.root, self.encoding, &edit, &self.opened);
            }
            for path in unsent {
                let text = read(&path);
                let text =
                    text.ok_or_else(|| unfit(&format!("it edits {path}, which is no text")))?;
                self.send_text(&path, &text)?;
            }
        }
        Err(unfit("each of its answers is about other files"))
    }

    /// Returns the parameters of a question about a name.
    pub(super) fn at(&self, target: &Target) -> Result<Value, ServerFault> {
        let Target { path, line, name } = target;
        let (_, text) = self
            .opened
            .sent(path)
            .ok_or_else(|| unfit("it was not sent the file"))?;
        let lines = Lines::of(text);
        let number = line
            .checked_sub(1)
            .and_then(|line| u32::try_from(line).ok());
        let place = number.and_then(|number| {
            let (start, text) = lines.line(number)?;
            self.encoding.position(&lines, start + word_in(text, name)?)
        });
        let missing =
            || ServerFault::Refused(format!("line {line} of {path} does not have `{name}`"));
        let position = place.ok_or_else(missing)?;
        let uri = uri::of(&self.root.join(path));
        Ok(json!({"textDocument": {"uri": uri}, "position": position}))
    }

    /// Reads places: one, several, or links to them.
    fn places(&self, answer: &Value) -> Vec<SourcePlace> {
        let one = answer.is_object().then_some(answer);
        let all = answer.as_array().into_iter().flatten().chain(one);
        let places = all.filter_map(|place| {
            let uri = place
                .get("uri")
                .or_else(|| place.get("targetUri"))?
                .as_str()?;
            let range = place
                .get("range")
                .or_else(|| place.get("targetSelectionRange"))?;
            let range: Range = serde_json::from_value(range.clone()).ok()?;
            let path = uri::below(&self.root, uri);
            Some(SourcePlace {
                path: path.unwrap_or_else(|| told(uri.strip_prefix("file://").unwrap_or(uri))),
                line: usize::try_from(range.start.line).ok()?.saturating_add(1),
            })
        });
        let places: BTreeSet<SourcePlace> = places.collect();
        places.into_iter().collect()
    }
}

/// Returns the range of whole lines, counted from 1; none if one of the two is not there.
fn range_of_lines(
    lines: &Lines<'_>,
    encoding: Encoding,
    first: usize,
    last: usize,
) -> Option<Range> {
    let first = u32::try_from(first.checked_sub(1)?).ok()?;
    let last = u32::try_from(last.checked_sub(1)?).ok()?;
    lines.line(first)?;
    let (start, text) = lines.line(last)?;
    Some(Range {
        start: Position {
            line: first,
            character: 0,
        },
        end: encoding.position(lines, start + text.len())?,
    })
}

/// Returns whether a diagnostic, as a server published it, is about some of a range.
fn overlaps(diagnostic: &Value, range: &Range) -> bool {
    let about = diagnostic.get("range").cloned();
    let about = about.map(serde_json::from_value::<Range>);
    matches!(about, Some(Ok(about)) if about.start <= range.end && about.end >= range.start)
}

/// Returns where a name stands in a line as a word of its own.
fn word_in(line: &str, name: &str) -> Option<usize> {
    let mut places = line.match_indices(name).map(|(at, _)| at);
    places.find(|at| {
        let before = line
            .get(..*at)
            .and_then(|before| before.chars().next_back());
        let after = line
            .get(at + name.len()..)
            .and_then(|after| after.chars().next());
        !name.is_empty() && !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}
