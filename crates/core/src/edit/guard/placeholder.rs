//! Guard: placeholders for omitted text.
//!
//! In: a scene. Out: an alarm for each added line that says "rest of the code", "existing
//! code ..." and the like in a comment or on its own, or is `...` where that means nothing. A
//! line that was there before is fine, and so is a TODO.

use super::scene::{Added, Scene};
use super::{Alarm, Guard, MAX_ALARMS, Severity};
use crate::syntax::Language;
use crate::syntax::lexis::RegionKind;
use crate::text::Slice;
use crate::word::is_listed;

/// What names a part that is left out: what comes before a noun.
const LEADS: &[&str] = &[
    "rest of",
    "remaining",
    "existing",
    "other existing",
    "all existing",
    "all other",
    "previous",
    "original",
    "other",
    "keep existing",
    "keep the existing",
    "keep the rest of",
    "more",
    "your existing",
    "unchanged",
    "remainder of",
];

/// What is left out.
const NOUNS: &[&str] = &[
    "code content contents function functions method methods implementation implementations logic",
    "import imports class classes file component components body style styles props field fields",
    "test tests case cases option options config configuration entries items lines text document",
    "section sections variables definitions statements routes rules handlers constants types",
    "declarations properties elements values script module struct markup html css jsx program",
    "page settings keys dependencies scripts state hooks arguments parameters members data",
];

/// What says that it is left out.
const TAILS: &[&str] = &[
    "unchanged",
    "here",
    "goes here",
    "go here",
    "stays the same",
    "stay the same",
    "remains the same",
    "remain the same",
    "remains unchanged",
    "remain unchanged",
    "is unchanged",
    "are unchanged",
    "stays unchanged",
    "stay unchanged",
    "as before",
    "same as before",
    "as is",
    "omitted",
    "not shown",
    "omitted for brevity",
    "is the same",
    "are the same",
    "stays as is",
    "remains as is",
    "continues",
    "continues here",
    "unmodified",
    "not changed",
];

/// What is a placeholder by itself.
const WHOLE: &[&str] = &[
    "existing code",
    "unchanged",
    "unchanged code",
    "rest unchanged",
    "code unchanged",
    "no changes",
    "no change",
    "same as before",
    "as before",
    "omitted",
    "omitted for brevity",
    "code omitted",
    "rest of code",
    "rest of the code",
    "rest of file",
    "rest of the file",
    "rest of function",
    "rest of the function",
    "rest of implementation",
    "rest of the implementation",
    "rest of class",
    "rest of the class",
    "rest of method",
    "rest of the method",
    "rest of component",
    "rest of the component",
    "rest of the document",
    "rest of the content",
    "rest of the module",
    "remaining code",
    "previous code",
    "other code",
    "code here",
    "your code here",
    "snip",
];

/// Fewer words between brackets may be a name.
const SENTENCE: usize = 3;

pub(super) fn inspect(scene: &Scene<'_>) -> Vec<Alarm> {
    let mut alarms = Vec::new();
    for line in &scene.added {
        let Some(found) = placeholder(scene.language, line.text) else {
            continue;
        };
        if scene.was_there(line.text)
            || was_said(scene, line, found.at)
            || string(scene, line, &found)
        {
            continue;
        }
        let mut alarm = scene.alarm(Guard::Placeholder, found.severity, line, found.message);
        let head = line.text.slice(..found.at);
        alarm.column = head.chars().count() + 1;
        alarms.push(alarm);
        if alarms.len() == MAX_ALARMS {
            break;
        }
    }
    alarms
}

/// Returns whether the same words stood in the text that the change takes out.
fn was_said(scene: &Scene<'_>, line: &Added<'_>, at: usize) -> bool {
    let words = line.text.slice(at..).trim();
    let (Some(before), Some(old)) = (scene.before, scene.old) else {
        return false;
    };
    !words.is_empty()
        && scene.edits.splices().iter().any(|splice| {
            let first = before.line_range(before.line_of(splice.at)).start;
            let last = before
                .line_range(before.line_of(splice.end().saturating_sub(1)))
                .end;
            let removed = old.slice(first..last.max(first));
            !splice.old.is_empty() && removed.contains(words)
        })
}

/// Returns whether the words are within a string, which may say anything.
fn string(scene: &Scene<'_>, line: &Added<'_>, found: &PlaceholderWords) -> bool {
    scene.in_string(line.start + found.at)
}

struct PlaceholderWords {
    /// Where in the line.
    at: usize,
    severity: Severity,
    message: &'static str,
}

fn placeholder(language: Option<Language>, line: &str) -> Option<PlaceholderWords> {
    let bare = line.trim();
    let at = line.len() - line.trim_start().len();
    if bare.is_empty() {
        return None;
    }
    if matches!(bare, "..." | "…") {
        let means_nothing = language.is_some_and(|language| !language.has_ellipsis());
        let message = "`...` stands for text that was left out; write it out";
        return means_nothing.then_some(PlaceholderWords {
            at,
            severity: Severity::Refuse,
            message,
        });
    }
    let (at, said) = match comment(language, line) {
        Some((at, body)) => (at, Said::of(body)),
        // Without a comment, only prose after dots or between brackets counts, not `...rest` and `[omitted]`.
        None => (
            at,
            Said::of(bare).filter(|said| {
                let aside = is_between_brackets(bare) && said.words.len() >= SENTENCE;
                (said.dots_first || aside) && is_prose(bare)
            }),
        ),
    };
    let said = said?;
    if said.words.is_empty() {
        // Documentation shows excerpts.
        let documents = ["///", "//!", "*"]
            .iter()
            .any(|start| bare.starts_with(start));
        let plain = language != Some(Language::Markdown) && !documents;
        let message = "a comment of dots stands for text that was left out";
        return plain.then_some(PlaceholderWords {
            at,
            severity: Severity::Warn,
            message,
        });
    }
    let message = "this stands for text that was left out; write it out, or edit only what changes";
    said.is_placeholder().then_some(PlaceholderWords {
        at,
        severity: Severity::Refuse,
        message,
    })
}

fn is_between_brackets(line: &str) -> bool {
    [('[', ']'), ('(', ')'), ('<', '>')]
        .iter()
        .any(|(open, close)| line.starts_with(*open) && line.ends_with(*close))
}

/// Returns whether a line is words with blanks between them, and no code.
fn is_prose(line: &str) -> bool {
    let inner = line.trim_matches(|c: char| !c.is_alphanumeric());
    line.chars()
        .all(|c| c.is_alphanumeric() || " .…'()[]<>*-".contains(c))
        && inner.contains(' ')
        && !inner.contains(['.', '('])
}

/// Returns where a line's comment begins, and what it says.
fn comment(language: Option<Language>, line: &str) -> Option<(usize, &str)> {
    let body = line.trim_start();
    let at = line.len() - body.len();
    let found = match language {
        Some(language) => first_comment(line, language.lexis()),
        None => None,
    };
    found.or_else(|| {
        let loose = match language {
            None => ["//", "#", "--", "/*", "<!--", ";", "%", "{/*", "{{!"]
                .iter()
                .any(|opener| body.starts_with(opener)),
            Some(Language::Html) => ["//", "/*"].iter().any(|opener| body.starts_with(opener)),
            Some(Language::Markdown | Language::Json) => false,
            // The middle of a block comment.
            Some(_) => ["* ", "*."].iter().any(|opener| body.starts_with(opener)),
        };
        loose.then_some((at, body))
    })
}

fn first_comment<'l>(
    line: &'l str,
    lexis: &crate::syntax::lexis::Lexis,
) -> Option<(usize, &'l str)> {
    let regions = lexis.regions(line);
    let comment = regions
        .iter()
        .find(|region| region.kind == RegionKind::Comment)?;
    Some((comment.range.start, line.get(comment.range.clone())?))
}

/// What a comment says, without what adorns it.
struct Said {
    words: Vec<String>,
    dots_first: bool,
    dots: bool,
}

impl Said {
    fn of(body: &str) -> Option<Self> {
        let inner = body
            .trim_matches(|c: char| "/*#<>!-—–;%{}[]()=~_`\"': ".contains(c) || c.is_whitespace());
        let starts = inner.starts_with("...") || inner.starts_with('…');
        let ends = inner.ends_with("...") || inner.ends_with('…');
        let dots_first = starts;
        let lower = inner.to_lowercase();
        let words: Vec<String> = lower
            .split(|c: char| !(c.is_alphanumeric() || c == '\''))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        let dots = starts || ends;
        (dots || !words.is_empty() && words.len() <= 16).then_some(Self {
            words,
            dots_first,
            dots,
        })
    }

    fn is_placeholder(&self) -> bool {
        let text = self.words.join(" ");
        let text = text.strip_prefix("the ").unwrap_or(&text);
        if WHOLE.contains(&text)
            || self.dots && text == "rest"
            || text.contains("omitted for brevity")
        {
            return true;
        }
        // "todo: the rest of the code" is a plan, and so is a sentence.
        if text.starts_with("todo") || text.starts_with("fixme") || self.words.len() > 12 {
            return false;
        }
        let lead = LEADS
            .iter()
            .filter_map(|lead| text.strip_prefix(lead)?.strip_prefix(' '))
            .min_by_key(|rest| rest.len());
        let Some(rest) = lead else {
            let tail = TAILS.iter().any(|tail| text.ends_with(&format!(" {tail}")));
            let noun = self
                .words
                .iter()
                .take(4)
                .any(|word| is_listed(word.as_str(), NOUNS));
            return self.dots_first && tail && noun;
        };
        let noun = rest
            .split(' ')
            .take(4)
            .position(|word| is_listed(word, NOUNS));
        let Some(noun) = noun else {
            return self.dots && text.starts_with("rest of");
        };
        if self.dots {
            // Between dots a noun will do, at the end of what is said or before its tail.
            let after = rest.split(' ').skip(noun + 1).count();
            return self.dots_first || after <= 3;
        }
        TAILS.iter().any(|tail| rest.ends_with(&format!(" {tail}")))
    }
}
