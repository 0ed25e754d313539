//! Revisions that a model may name.
//!
//! In: text, untrusted. Out: a revision that git reads as commits and as nothing else: neither an
//! option, nor a file in a commit (`HEAD:secret`), nor a search (`:/text`), nor a blob by its hash.

/// A commit, or a range of two.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Revision(String);

impl Revision {
    /// Reads a revision.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let range = ["...", ".."]
            .iter()
            .find_map(|dots| text.split_once(dots).map(|(from, to)| (from, *dots, to)));
        match range {
            None => Ok(Self(commit(text)?)),
            Some((from, dots, to)) => {
                let side = |text: &str| match text {
                    "" => Ok(String::new()),
                    text => commit(text),
                };
                Ok(Self(format!("{}{dots}{}", side(from)?, side(to)?)))
            }
        }
    }

    /// Returns the revision as an argument of git.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Reads the name of one commit, and says that it has to be one.
fn commit(name: &str) -> Result<String, String> {
    if name.is_empty()
        || name.starts_with(['-', '^'])
        || !name
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || "._/-@{}^~+".contains(char))
    {
        return Err(format!(
            "{name:?} is not a commit; name one as HEAD~2, main, v1.0 or by its hash, or two as a..b"
        ));
    }
    Ok(format!("{name}^{{commit}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_and_ranges_are_read() {
        for (text, expected) in [
            ("HEAD", "HEAD^{commit}"),
            (" HEAD~2 ", "HEAD~2^{commit}"),
            ("origin/a-b", "origin/a-b^{commit}"),
            ("HEAD@{1}", "HEAD@{1}^{commit}"),
            ("a..b", "a^{commit}..b^{commit}"),
            ("a...b", "a^{commit}...b^{commit}"),
            ("a..", "a^{commit}.."),
        ] {
            assert_eq!(Revision::parse(text).unwrap().as_str(), expected);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            " ",
            "--output=x",
            "-O",
            "--no-index",
            "HEAD:secret.txt",
            ":/",
            ":(top)x",
            ":/text",
            "HEAD ^main",
            "a b",
            "^main",
            "HEAD^{/a b}",
            "a\nb",
            "a\0",
            "a..--output=x",
            "a..b:c",
            "HEAD^{/x:y}",
            "*",
            "a?b",
            "a[b",
            "a\\b",
            "é",
        ] {
            assert!(Revision::parse(text).is_err(), "{text:?}");
        }
    }
}
