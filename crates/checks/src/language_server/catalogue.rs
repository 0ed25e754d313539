//! Catalogue of language servers: their programs, and the files that they are asked about.

use std::time::Duration;

/// A server that has begun nothing for this long has read the project.
pub(super) const QUIET: Duration = Duration::from_millis(300);

/// A language server that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LanguageServer {
    /// rust-analyzer.
    Rust,
    /// typescript-language-server.
    TypeScript,
    /// basedpyright or pyright.
    Python,
    /// gopls.
    Go,
    /// clangd.
    Clang,
}

impl LanguageServer {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Rust,
        Self::TypeScript,
        Self::Python,
        Self::Go,
        Self::Clang,
    ];

    /// Returns the server for a file.
    pub fn of(path: &str) -> Option<Self> {
        Some(match language_id(path)? {
            "rust" => Self::Rust,
            "python" => Self::Python,
            "go" => Self::Go,
            "c" | "cpp" => Self::Clang,
            _ => Self::TypeScript,
        })
    }

    /// Returns the programs that are looked for on the path, each with its arguments, the preferred one first.
    pub fn programs(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            Self::Rust => &[("rust-analyzer", &[])],
            Self::TypeScript => &[("typescript-language-server", &["--stdio"])],
            Self::Python => &[
                ("basedpyright-langserver", &["--stdio"]),
                ("pyright-langserver", &["--stdio"]),
            ],
            Self::Go => &[("gopls", &[])],
            Self::Clang => &[("clangd", &["--log=error"])],
        }
    }

    /// Returns its settings, sent when it starts.
    pub(super) fn options(self) -> serde_json::Value {
        match self {
            // Checks run cargo themselves.
            Self::Rust => {
                serde_json::json!({"checkOnSave": false, "cachePriming": {"enable": false}})
            }
            // What answers while the project is read knows the open files only.
            Self::TypeScript => serde_json::json!({"tsserver": {"useSyntaxServer": "never"}}),
            Self::Python | Self::Go | Self::Clang => serde_json::json!({}),
        }
    }

    /// Returns for how long it says nothing, once it was started, only if it has read the project. clangd 14 begins to
    /// say so 0.3 to 0.8 s after the first file.
    pub(super) fn first_quiet(self) -> Duration {
        match self {
            Self::Clang => Duration::from_secs(2),
            Self::Rust | Self::TypeScript | Self::Python | Self::Go => QUIET,
        }
    }

    /// Returns whether it says when it has read the project.
    pub(super) fn says_when_ready(self) -> bool {
        match self {
            Self::Rust => true,
            Self::TypeScript | Self::Python | Self::Go | Self::Clang => false,
        }
    }
}

/// Returns the protocol's name of a file's language, if a known server is asked about it.
pub fn language_id(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension {
        "rs" => "rust",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "typescriptreact",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "javascriptreact",
        "py" | "pyi" => "python",
        "go" => "go",
        "c" => "c",
        "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" => "cpp",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_their_extensions() {
        for (path, expected) in [
            ("a.rs", Some(LanguageServer::Rust)),
            ("d/a.tsx", Some(LanguageServer::TypeScript)),
            ("a.py", Some(LanguageServer::Python)),
            ("a.h", Some(LanguageServer::Clang)),
            ("a.go", Some(LanguageServer::Go)),
            ("d.rs/a", None),
            ("a.txt", None),
        ] {
            assert_eq!(LanguageServer::of(path), expected, "{path}");
        }
    }
}
