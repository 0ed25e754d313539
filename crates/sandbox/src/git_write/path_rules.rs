//! What git's rules say of paths: whether they are ignored, and which filter their contents go through.
//!
//! In: paths of the workspace. Out: those that are ignored, by the user's own rules as well, and those that git would not
//! commit as they are on disk. No filter runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::GitWriter;
use super::objects::batches;
use crate::git_view::tree;

/// Attributes by which a file on disk differs from git's blob; of `eol` only CRLF does. `text` has line ends stored as LF.
const CONVERTING: [&str; 5] = ["filter", "working-tree-encoding", "eol", "ident", "text"];

/// Why git stores the line ends of a file as LF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineEndRule {
    /// It is marked as text, always.
    Text,
    /// Git looks whether it is text: by this setting or attribute.
    Auto(&'static str),
}

impl LineEndRule {
    /// Returns whether git would store other bytes than these; `before` is what the last commit has.
    pub fn changes(&self, before: Option<&[u8]>, after: &[u8]) -> bool {
        let has_crlf = |bytes: &[u8]| bytes.windows(2).any(|pair| pair == b"\r\n");
        // Git leaves what it takes for binary, and files that were committed with CRLF.
        let is_left = after.contains(&0) || before.is_some_and(has_crlf);
        has_crlf(after) && (*self == Self::Text || !is_left)
    }
}

impl fmt::Display for LineEndRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Text => "attribute text",
            Self::Auto(why) => why,
        })
    }
}

/// Paths that are not committed as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathRules {
    /// Those on disk that are ignored and not tracked.
    pub ignored: BTreeSet<String>,
    /// Those whose contents are converted, with the attribute, as `filter=lfs`.
    pub converted: BTreeMap<String, String>,
    /// Those whose line ends git stores as LF.
    pub normalized: BTreeMap<String, LineEndRule>,
}

impl GitWriter<'_> {
    /// Returns what git's rules say of paths.
    ///
    /// # Errors
    ///
    /// Fails if git does, or if its files of rules cannot be looked at safely.
    pub fn path_rules(&self, paths: &[String]) -> Result<PathRules, String> {
        tree::check(self.view.top(), self.asker.root)?;
        let paths: Vec<String> = paths
            .iter()
            .map(|path| self.below_top(path))
            .collect::<Result<_, _>>()?;
        let mut rules = PathRules::default();
        let is_auto = self.settings.converts_line_ends();
        for paths in batches(&paths) {
            let mut arguments = vec!["ls-files", "-z", "--others", "--ignored"];
            arguments.extend(["--exclude-standard", "--"]);
            arguments.extend(&paths);
            let listed = self.output(&arguments, self.of_user())?.text();
            let ignored = listed.split_terminator('\0');
            rules
                .ignored
                .extend(ignored.filter_map(|path| self.below_root(path)));
            let mut arguments = vec!["check-attr", "-z"];
            arguments.extend(CONVERTING.iter().chain(&["--"]).chain(&paths));
            let listed = self.output(&arguments, Vec::new())?.text();
            let mut fields = listed.split_terminator('\0');
            while let (Some(path), Some(name), Some(value)) =
                (fields.next(), fields.next(), fields.next())
            {
                let Some(path) = self.below_root(path) else {
                    continue;
                };
                let rule = match (name, value) {
                    ("text", "set") => Some(LineEndRule::Text),
                    ("text", "auto") => Some(LineEndRule::Auto("attribute text=auto")),
                    ("text", "unspecified") if is_auto => Some(LineEndRule::Auto("core.autocrlf")),
                    _ => None,
                };
                if let Some(rule) = rule {
                    rules.normalized.insert(path, rule);
                } else if name != "text" && !matches!(value, "unspecified" | "unset" | "lf") {
                    rules.converted.insert(path, format!("{name}={value}"));
                }
            }
        }
        Ok(rules)
    }

    /// Returns a path from the top of the work tree as the workspace has it; none if it is elsewhere.
    pub fn below_root(&self, path: &str) -> Option<String> {
        path.strip_prefix(&self.prefix).map(str::to_owned)
    }
}
