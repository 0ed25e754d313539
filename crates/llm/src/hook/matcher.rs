//! Tool matchers: which tools a hook is asked about.
//!
//! In: a matcher as Claude Code writes it. Out: whether it fits the names of a tool. `Edit|Write` fits two tools, `mcp__.*`
//! and `mcp__*` every tool of a server, `*` and an empty matcher all.

/// The tools that a hook is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolMatcher {
    /// The matcher as it was written.
    written: String,
    /// The names that fit, `*` standing for anything; none where all tools fit.
    names: Option<Vec<String>>,
}

impl ToolMatcher {
    /// Reads a matcher. One that is a regular expression of another form fits every tool: a hook that guards something is
    /// rather asked too often than not at all. The second value is false for such a matcher.
    pub fn read(written: &str) -> (Self, bool) {
        let inner = written.trim();
        let inner = inner.strip_prefix('^').unwrap_or(inner);
        let inner = inner.strip_suffix('$').unwrap_or(inner);
        let inner = inner
            .strip_prefix('(')
            .and_then(|inner| inner.strip_suffix(')'))
            .unwrap_or(inner);
        let names: Vec<String> = inner
            .split('|')
            .map(|name| name.trim().replace(".*", "*"))
            .collect();
        let is_read = inner.is_empty()
            || names.iter().all(|name| {
                !name.is_empty()
                    && name
                        .chars()
                        .all(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*'))
            });
        let fits_all = !is_read || inner.is_empty() || names.iter().any(|name| name == "*");
        let matcher = Self {
            written: written.to_owned(),
            names: (!fits_all).then_some(names),
        };
        (matcher, is_read)
    }

    /// Returns the matcher as it was written, `*` for one that was left out.
    pub fn written(&self) -> &str {
        if self.written.is_empty() {
            "*"
        } else {
            &self.written
        }
    }

    /// Tells whether it fits one of the names of a tool.
    pub fn fits(&self, tool: &[String]) -> bool {
        let Some(names) = &self.names else {
            return true;
        };
        let mut names = names.iter();
        names.any(|pattern| tool.iter().any(|name| is_like(pattern, name)))
    }
}

/// Tells whether a name is like a pattern with `*`. Takes time in the product of their lengths at most.
fn is_like(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = rest.get(at + part.len()..).unwrap_or("");
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matcher_fits_names_of_tools() {
        for (matcher, fitting, others, is_read) in [
            ("", "Bash read", "", true),
            ("*", "Bash read", "", true),
            (".*", "Bash read", "", true),
            ("Edit|Write", "Edit Write", "Read MultiEdit Edi", true),
            ("^(Edit | Write)$", "Edit Write", "Read", true),
            ("mcp__.*", "mcp__files__read", "Bash mcp_find", true),
            (
                "mcp__*__read",
                "mcp__files__read",
                "mcp__files__write",
                true,
            ),
            ("Notebook.*|Bash", "NotebookEdit Bash", "Note", true),
            // Asked too often rather than not at all.
            ("(?i)bash", "Bash Read", "", false),
            ("Edit|", "Bash", "", false),
            ("[A-Z]", "Bash", "", false),
        ] {
            let (read, plain) = ToolMatcher::read(matcher);
            assert_eq!(plain, is_read, "{matcher}");
            let fits = |name: &str| read.fits(&[name.to_owned()]);
            assert!(fitting.split_whitespace().all(fits), "{matcher}");
            assert!(!others.split_whitespace().any(fits), "{matcher}");
        }
    }
}
