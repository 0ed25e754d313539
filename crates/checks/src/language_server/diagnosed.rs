//! Diagnostics of a server, as those of checks.

use std::collections::BTreeMap;

use serde_json::Value;

use super::client::told;
use super::position::{Lines, Range};
use super::{Client, ServerFault, Wait};
use crate::check::{Diagnostic, Severity};

impl Client {
    /// Returns what the server says of texts; what it calls information or a hint is left out. `check` is what the
    /// diagnostics are said to come from.
    ///
    /// # Errors
    ///
    /// Fails if the server does not say something of each file in time.
    pub fn diagnostics(
        &mut self,
        check: &str,
        texts: &BTreeMap<String, String>,
        wait: Wait<'_>,
    ) -> Result<Vec<Diagnostic>, ServerFault> {
        for (path, text) in texts {
            self.send_text(path, text)?;
        }
        let paths: Vec<&str> = texts.keys().map(String::as_str).collect();
        self.wait_for_diagnostics(&paths, wait)?;
        let mut found = Vec::new();
        for path in paths {
            let said = self.published.get(path).into_iter().flatten();
            let said = said.filter_map(|said| self.diagnostic(check, path, said));
            found.extend(said);
        }
        Ok(found)
    }

    fn diagnostic(&self, check: &str, path: &str, said: &Value) -> Option<Diagnostic> {
        // Without a severity, the client decides.
        let severity = match said.get("severity").and_then(Value::as_u64) {
            Some(1) | None => Severity::Error,
            Some(2) => Severity::Warning,
            Some(_) => return None,
        };
        // What has no place in the text is said all the same: it may be an error.
        let (line, column) = self.place(path, said.get("range")).unwrap_or((1, 1));
        let code = match said.get("code") {
            Some(Value::String(code)) => told(code),
            Some(Value::Number(code)) => code.to_string(),
            _ => String::new(),
        };
        Some(Diagnostic {
            check: check.to_owned(),
            path: path.to_owned(),
            line,
            column,
            severity,
            code,
            message: told(said.get("message").and_then(Value::as_str).unwrap_or("")),
        })
    }

    /// Returns the line and the column of a diagnostic, from 1; none if it has no place in the text.
    fn place(&self, path: &str, range: Option<&Value>) -> Option<(u32, u32)> {
        let range: Range = serde_json::from_value(range?.clone()).ok()?;
        let lines = Lines::of(self.text(path)?);
        let byte = self.encoding().byte(&lines, range.start)?;
        let (start, line) = lines.line(range.start.line)?;
        let before = line.get(..byte.checked_sub(start)?)?;
        let column = u32::try_from(before.chars().count()).ok()?.checked_add(1)?;
        Some((range.start.line.checked_add(1)?, column))
    }
}
