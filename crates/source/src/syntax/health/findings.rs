//! Findings: the errors that parsers report for a text.
//!
//! In: a text, and perhaps the one before it with the edits between them. Out: the [`Findings`]
//! of the precise parser and of tree-sitter. Those of texts that came lately are kept, and after
//! an edit of a good text only what it touches is looked at.

use std::sync::Arc;

use tree_sitter::Node;

use super::Fault;
use super::permissive;
use crate::syntax::cache::{Found, KnownFindings};
use crate::syntax::grammar::{self, MAX_BRACKETS};
use crate::syntax::precise::{self, Dialect, Verdict};
use crate::syntax::{Earlier, Language, Parsed, SyntaxCache};
use crate::text::Slice;

/// Errors of a text that are examined. Case: a text in another language than its name says has one at every token.
pub(super) const MAX_FAULTS: usize = 200;

/// Bytes of a comment before a word that are looked over. Attack: many words behind the same long comment.
const MAX_COMMENT: usize = 1_000;

/// What parsers say of one text.
#[derive(Debug)]
pub(in crate::syntax) struct Findings {
    verdict: Option<Verdict>,
    tree: Vec<Fault>,
}

/// The text before, and what is known of it.
struct Before<'a> {
    earlier: &'a Earlier<'a>,
    known: Option<Arc<Findings>>,
}

/// Returns what parsers say of `text`.
pub(super) fn of(
    cache: &SyntaxCache,
    language: Language,
    text: &str,
    dialect: Dialect,
) -> Arc<Findings> {
    match cache.findings(language, text, dialect) {
        Some(KnownFindings::Found(found)) => found,
        Some(KnownFindings::Met) | None => {
            let found = Arc::new(Findings::new(cache, language, text, dialect, None));
            let known = KnownFindings::Found(Arc::clone(&found));
            cache.keep_findings(language, text, dialect, known);
            found
        }
    }
}

/// Returns what parsers say of `text`, which comes from an earlier one; none if what was edited
/// shows that no error came with it.
///
/// If it is known what they say of the text before, an edited text need not be read as a whole. A
/// text before that comes for the first time may never come again and is not read for that; one
/// that comes again is read once.
pub(super) fn since(
    cache: &SyntaxCache,
    language: Language,
    text: &str,
    dialect: Dialect,
    earlier: &Earlier<'_>,
) -> Option<Arc<Findings>> {
    if let Some(KnownFindings::Found(found)) = cache.findings(language, text, dialect) {
        return Some(found);
    }
    let helps = !precise::judges_edits(language);
    if !helps && precise::stays_good(language, text, earlier) {
        return None;
    }
    let known = match cache.findings(language, earlier.text, dialect) {
        Some(KnownFindings::Found(known)) => Some(known),
        Some(KnownFindings::Met) if helps => Some(of(cache, language, earlier.text, dialect)),
        None if helps => {
            cache.keep_findings(language, earlier.text, dialect, KnownFindings::Met);
            if precise::stays_good(language, text, earlier) {
                return None;
            }
            None
        }
        Some(KnownFindings::Met) | None => None,
    };
    let before = Before { earlier, known };
    let found = Arc::new(Findings::new(cache, language, text, dialect, Some(&before)));
    let known = KnownFindings::Found(Arc::clone(&found));
    cache.keep_findings(language, text, dialect, known);
    Some(found)
}

impl Findings {
    fn new(
        cache: &SyntaxCache,
        language: Language,
        text: &str,
        dialect: Dialect,
        before: Option<&Before<'_>>,
    ) -> Self {
        let again = before.and_then(|before| {
            let known = before.known.as_ref()?.verdict.as_ref()?;
            precise::judge_again(known, text, before.earlier.edits)
        });
        let verdict = again.or_else(|| precise::judge(language, text, dialect));
        // JSON's own parser is exact, and its grammar knows no comments in odd places.
        // A parser that knows better makes the tree's errors void if it accepts the text.
        let accepted = verdict
            .as_ref()
            .is_some_and(|verdict| verdict.faults.is_empty());
        let tree = if accepted && precise::is_authority(language) {
            Vec::new()
        } else {
            tree_faults(cache, language, text, before)
        };
        Self { verdict, tree }
    }

    /// Returns what the precise parser finds wrong, if it has an opinion.
    pub(super) fn precise(&self) -> Option<&[Fault]> {
        let verdict = self.verdict.as_ref();
        verdict.map(|verdict| verdict.faults.as_slice())
    }

    /// Returns what the tree shows to be wrong, in order.
    pub(super) fn tree(&self) -> &[Fault] {
        &self.tree
    }

    /// Returns whether nothing is wrong.
    pub(super) fn is_clean(&self) -> bool {
        self.tree.is_empty() && self.precise().is_none_or(<[Fault]>::is_empty)
    }

    /// Returns how many errors and items it lists, and one.
    pub(in crate::syntax) fn items(&self) -> usize {
        let verdict = self.verdict.as_ref();
        1 + self.tree.len() + verdict.map_or(0, Verdict::items)
    }
}

/// Returns what a tree shows to be wrong, in order.
fn tree_faults(
    cache: &SyntaxCache,
    language: Language,
    text: &str,
    before: Option<&Before<'_>>,
) -> Vec<Fault> {
    let found = match before {
        Some(before) => cache.parse_changes(language, text, before.earlier),
        None => cache.parse(language, text).map(|parsed| Found {
            parsed,
            changed: None,
        }),
    };
    let Some(Found {
        mut parsed,
        changed,
    }) = found
    else {
        return too_deep(text).into_iter().collect();
    };
    let mut faults = error_nodes(&parsed);
    let plain = (language == Language::Java && !faults.is_empty())
        .then(|| without_late_constructors(text))
        .filter(|plain| plain != text);
    if let Some(again) = plain
        .as_deref()
        .and_then(|plain| cache.parse_once(language, plain))
    {
        let fewer = error_nodes(&again);
        if fewer.len() < faults.len() {
            faults = fewer;
            parsed = again;
        }
    }
    // Where nothing was wrong before, nothing is where nothing has changed.
    let was_clean = before
        .and_then(|before| before.known.as_ref())
        .is_some_and(|known| known.tree.is_empty());
    let changed = changed.filter(|_| was_clean);
    faults.extend(permissive::faults(language, &parsed, changed.as_deref()));
    faults.sort_by_key(|fault| fault.range.start);
    faults
}

/// Returns the bracket from which on a text nests too deeply for a parser.
fn too_deep(text: &str) -> Option<Fault> {
    let at = grammar::too_deep(text)?;
    let message = format!("more than {MAX_BRACKETS} brackets are open here");
    Some(Fault::new(at..at + 1, message))
}

/// Returns the error nodes of a tree and the tokens that it misses.
fn error_nodes(parsed: &Parsed<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    parsed.walk_into(|node, above| {
        if faults.len() >= MAX_FAULTS || !node.has_error() {
            return false;
        }
        if node.is_missing() {
            faults.push(Fault::new(node.byte_range(), missing(node, above)));
        } else if node.is_error() {
            faults.push(Fault::new(node.byte_range(), unexpected(parsed.text(node))));
        }
        !node.is_error()
    });
    faults
}

/// Makes plain calls of those to other constructors (`super(a)`), which the grammar of Java wants
/// to be the first statement. Every other byte stays where it is.
fn without_late_constructors(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for word in ["super", "this"] {
        for (at, _) in text.match_indices(word) {
            let rest = text.slice(at + word.len()..);
            let head = before_comment(text.slice(..at));
            if rest.trim_start().starts_with('(') && head.ends_with([';', '}']) {
                let word = bytes.get_mut(at..at + word.len());
                word.unwrap_or_default().make_ascii_uppercase();
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_not_text| text.to_owned())
}

/// Returns a text without blanks and a block comment at its end.
fn before_comment(head: &str) -> &str {
    let head = head.trim_end();
    let Some(inner) = head.strip_suffix("*/") else {
        return head;
    };
    let far = inner.floor_char_boundary(inner.len().saturating_sub(MAX_COMMENT));
    let open = inner.get(far..).and_then(|near| near.rfind("/*"));
    open.and_then(|open| head.get(..far + open))
        .map_or(head, str::trim_end)
}

fn missing(node: Node<'_>, above: &[Node<'_>]) -> String {
    let opener = above
        .last()
        .and_then(|parent| parent.child(0))
        .filter(|first| matches!(first.kind(), "{" | "(" | "["));
    match opener {
        Some(opener) => format!(
            "`{}` is missing for the `{}` of line {}",
            node.kind(),
            opener.kind(),
            opener.start_position().row + 1
        ),
        None => format!("`{}` is missing", node.kind()),
    }
}

fn unexpected(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    let start: String = line.chars().take(40).collect();
    if start.is_empty() {
        return "cannot be parsed".to_owned();
    }
    let dots = if start.len() < text.trim_end().len() {
        " ..."
    } else {
        ""
    };
    format!("cannot be parsed: `{start}{dots}`")
}
