//! The grammars that a build includes.
//!
//! In: a language. Out: its grammar and the queries that tell its tokens apart; none where a build without Cargo's
//! feature `extra-grammars` leaves the grammar out. [`Language::ALL`] names the languages that have one.

use tree_sitter::Language as Grammar;

use crate::syntax::Language;

/// What tree-sitter's crate for a language provides.
#[derive(Clone, Copy)]
pub(in crate::syntax) struct IncludedGrammar {
    /// The grammar, which costs nothing until it is asked for.
    pub(in crate::syntax) grammar: fn() -> Grammar,
    /// The queries that tell its tokens apart, each over those before it.
    pub(in crate::syntax) colours: &'static [&'static str],
}

/// Returns the language's grammar, if the build includes it.
pub(in crate::syntax) fn of(language: Language) -> Option<IncludedGrammar> {
    let (grammar, colours): (fn() -> Grammar, &[&str]) = match language {
        Language::Rust => (
            || tree_sitter_rust::LANGUAGE.into(),
            &[tree_sitter_rust::HIGHLIGHTS_QUERY],
        ),
        Language::TypeScript => (
            || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            &[
                tree_sitter_javascript::HIGHLIGHT_QUERY,
                tree_sitter_typescript::HIGHLIGHTS_QUERY,
            ],
        ),
        Language::Tsx => (
            || tree_sitter_typescript::LANGUAGE_TSX.into(),
            &[
                tree_sitter_javascript::HIGHLIGHT_QUERY,
                tree_sitter_javascript::JSX_HIGHLIGHT_QUERY,
                tree_sitter_typescript::HIGHLIGHTS_QUERY,
            ],
        ),
        Language::JavaScript => (
            || tree_sitter_javascript::LANGUAGE.into(),
            &[
                tree_sitter_javascript::HIGHLIGHT_QUERY,
                tree_sitter_javascript::JSX_HIGHLIGHT_QUERY,
            ],
        ),
        Language::Python => (
            || tree_sitter_python::LANGUAGE.into(),
            &[tree_sitter_python::HIGHLIGHTS_QUERY],
        ),
        Language::Go => (
            || tree_sitter_go::LANGUAGE.into(),
            &[tree_sitter_go::HIGHLIGHTS_QUERY],
        ),
        Language::Json => (
            || tree_sitter_json::LANGUAGE.into(),
            &[tree_sitter_json::HIGHLIGHTS_QUERY],
        ),
        Language::Markdown => (
            || tree_sitter_md::LANGUAGE.into(),
            &[tree_sitter_md::HIGHLIGHT_QUERY_BLOCK],
        ),
        Language::Toml => (
            || tree_sitter_toml_ng::LANGUAGE.into(),
            &[tree_sitter_toml_ng::HIGHLIGHTS_QUERY],
        ),
        Language::Yaml => (
            || tree_sitter_yaml::LANGUAGE.into(),
            &[tree_sitter_yaml::HIGHLIGHTS_QUERY],
        ),
        // Always included: permission rules read command lines by it.
        Language::Bash => (
            || tree_sitter_bash::LANGUAGE.into(),
            &[tree_sitter_bash::HIGHLIGHT_QUERY],
        ),
        #[cfg(feature = "extra-grammars")]
        Language::Css => (
            || tree_sitter_css::LANGUAGE.into(),
            &[tree_sitter_css::HIGHLIGHTS_QUERY],
        ),
        #[cfg(feature = "extra-grammars")]
        Language::Html => (
            || tree_sitter_html::LANGUAGE.into(),
            &[tree_sitter_html::HIGHLIGHTS_QUERY],
        ),
        #[cfg(feature = "extra-grammars")]
        Language::C => (
            || tree_sitter_c::LANGUAGE.into(),
            &[tree_sitter_c::HIGHLIGHT_QUERY],
        ),
        #[cfg(feature = "extra-grammars")]
        Language::Cpp => (
            || tree_sitter_cpp::LANGUAGE.into(),
            &[
                tree_sitter_c::HIGHLIGHT_QUERY,
                tree_sitter_cpp::HIGHLIGHT_QUERY,
            ],
        ),
        #[cfg(feature = "extra-grammars")]
        Language::Java => (
            || tree_sitter_java::LANGUAGE.into(),
            &[tree_sitter_java::HIGHLIGHTS_QUERY],
        ),
        #[cfg(not(feature = "extra-grammars"))]
        Language::Css | Language::Html | Language::C | Language::Cpp | Language::Java => {
            return None;
        }
    };
    Some(IncludedGrammar { grammar, colours })
}
