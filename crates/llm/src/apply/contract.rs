//! Contract of the apply model: it may change what the intent names, and nothing else.
//!
//! In: a file before and after, and all that the main model said of the change. Out: nothing, or
//! the first thing that broke the contract. Definitions that are not named are byte for byte what
//! they were, and so is every line outside of definitions; imports and definitions may be added.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::syntax::Language;
use signoff_core::syntax::outline::{Symbol, outline};
use signoff_core::word::is_word;

use super::Breach;

/// What a line above a definition begins with that goes with it.
const ABOVE: [&str; 8] = ["//", "/*", "* ", "*/", "#[", "# ", "@", "--"];
/// So much of a line is named, in characters.
const SHOWN: usize = 80;

/// A text, what it defines and what it imports.
struct OutlinedText<'a> {
    text: &'a str,
    symbols: Vec<Symbol>,
    imports: Vec<Range<usize>>,
    /// True where lines that begin like comments are prose.
    prose: bool,
}

/// Checks the contract; `intent` is all that the main model said of the change.
pub fn check(path: &str, before: &str, after: &str, intent: &str) -> Result<(), Breach> {
    if before == after {
        return Err(Breach::Nothing);
    }
    let (then, now) = (
        OutlinedText::new(path, before),
        OutlinedText::new(path, after),
    );
    if then.symbols.is_empty() {
        return lines_kept(before, after);
    }
    let (freed, freed_now) = (then.named(intent), now.named(intent));
    then.definitions_kept(&now, &freed)?;
    then.imports_kept(&now)?;
    let known: HashSet<Place<'_>> = places(&then.symbols).map(|(_, place)| place).collect();
    let new = places(&now.symbols).filter(|(_, place)| !known.contains(place));
    let new = new.map(|(symbol, _)| symbol);
    let outside = then.outside(freed.iter().copied());
    let outside_now = now.outside(freed_now.iter().copied().chain(new));
    match difference(&outside, &outside_now) {
        Some(line) => Err(Breach::Outside(line.chars().take(SHOWN).collect())),
        None => Ok(()),
    }
}

impl<'a> OutlinedText<'a> {
    fn new(path: &str, text: &'a str) -> Self {
        let path = WorkspacePath::parse(path, Path::new("/")).ok();
        let language = path.and_then(|path| Language::of(&path));
        let mut side = Self {
            text,
            symbols: Vec::new(),
            imports: Vec::new(),
            prose: language == Some(Language::Markdown),
        };
        if let Some(language) = language
            && let Some(parsed) = language.parse(text)
        {
            side.symbols = outline(language, &parsed);
            parsed.walk_into(|node, _| {
                let imports = imports(node.kind());
                if imports {
                    side.imports.push(node.byte_range());
                }
                !imports
            });
        }
        if side.prose {
            side.take_sections();
        }
        side
    }

    /// Lets each heading stand for all that is below it, up to the next of its level or above.
    fn take_sections(&mut self) {
        let (text, symbols) = (self.text, &mut self.symbols);
        let starts: Vec<(usize, usize)> = symbols
            .iter()
            .map(|symbol| (symbol.range.start, heading_level(text, symbol)))
            .collect();
        for (at, symbol) in symbols.iter_mut().enumerate() {
            let own = heading_level(text, symbol);
            let next = starts.iter().skip(at + 1).find(|(_, next)| *next <= own);
            let end = next.map_or(text.len(), |(start, _)| *start);
            let section = text.get(symbol.range.start..end).unwrap_or_default();
            symbol.range.end = symbol.range.start + section.trim_end().len();
        }
    }

    /// Returns the definitions that are named; of what is named, only the innermost is meant.
    fn named(&self, intent: &str) -> Vec<&Symbol> {
        let named = self.symbols.iter();
        let named: Vec<&Symbol> = named
            .filter(|symbol| mentions(intent, &symbol.name))
            .collect();
        let innermost = named.iter().filter(|outer| {
            let mut inner = named.iter().filter(|symbol| symbol.range != outer.range);
            !inner.any(|symbol| within(symbol, outer))
        });
        innermost.copied().collect()
    }

    /// Compares the definitions that neither are named nor hold, or are held by, what is.
    fn definitions_kept(&self, now: &OutlinedText<'_>, freed: &[&Symbol]) -> Result<(), Breach> {
        let texts = by_place(&now.symbols, now.text);
        for (symbol, place) in places(&self.symbols) {
            // What holds something named is looked at with the text outside, and so is a section
            // with others in it.
            if (self.prose
                && self
                    .symbols
                    .iter()
                    .any(|inner| inner.range != symbol.range && within(inner, symbol)))
                || freed
                    .iter()
                    .any(|free| within(free, symbol) || within(symbol, free))
            {
                continue;
            }
            match texts.get(&place) {
                None => return Err(Breach::Removed(symbol.path.clone())),
                Some(text) if self.text.get(symbol.range.clone()) != Some(*text) => {
                    return Err(Breach::Changed(symbol.path.clone()));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Checks that no import has lost a word. More may be imported, also by one that is there.
    fn imports_kept(&self, now: &OutlinedText<'_>) -> Result<(), Breach> {
        let mut left: HashMap<&str, usize> = HashMap::new();
        for word in now.imports.iter().flat_map(|import| now.words(import)) {
            *left.entry(word).or_insert(0) += 1;
        }
        for import in &self.imports {
            for word in self.words(import) {
                match left.get_mut(word).filter(|count| **count > 0) {
                    Some(count) => *count -= 1,
                    None => {
                        let lines = self.text.get(import.clone()).unwrap_or_default();
                        let line = lines.lines().next().unwrap_or_default();
                        return Err(Breach::Outside(line.chars().take(SHOWN).collect()));
                    }
                }
            }
        }
        Ok(())
    }

    fn words(&self, range: &Range<usize>) -> impl Iterator<Item = &'a str> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        let words = text.split(|c: char| !is_word(c));
        // What imports begin with is said less often where several become one.
        words.filter(|word| !["", "import", "use", "from", "include"].contains(word))
    }

    /// Returns the lines that are left without these definitions and without imports. How many
    /// blank lines stand between is nobody's concern.
    fn outside<'s>(&self, without: impl Iterator<Item = &'s Symbol>) -> Vec<String> {
        let mut gone: Vec<Range<usize>> = without.map(|symbol| self.with_lines(symbol)).collect();
        gone.extend(self.imports.iter().cloned());
        gone.sort_by_key(|range| range.start);
        let mut left = String::with_capacity(self.text.len());
        let mut at = 0;
        for range in gone {
            left += self.text.get(at..range.start).unwrap_or_default();
            at = at.max(range.end);
        }
        left += self.text.get(at..).unwrap_or_default();
        let lines = left.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| line.trim_end().to_owned()).collect()
    }

    /// Returns a definition's bytes with what stands beside it on its lines, as `export`, and
    /// with comments and attributes right above.
    fn with_lines(&self, symbol: &Symbol) -> Range<usize> {
        let Range { start, end } = symbol.range.clone();
        let rest = self.text.get(end..).unwrap_or_default();
        let mut first = line_start(self.text, start);
        let mut last = end + rest.find('\n').unwrap_or(rest.len());
        // What else is defined on these lines is not its own.
        if self.edges().any(|edge| first <= edge && edge < start) {
            return start..end;
        }
        if self.edges().any(|edge| end < edge && edge <= last)
            || self
                .text
                .get(..end)
                .is_some_and(|head| head.ends_with('\n'))
        {
            last = end;
        }
        while first > 0 && !self.prose {
            let above = line_start(self.text, first - 1);
            let line = self.text.get(above..first).unwrap_or_default().trim();
            let goes = ABOVE.iter().any(|begin| line.starts_with(begin));
            if !goes || self.edges().any(|edge| above <= edge && edge < first) {
                break;
            }
            first = above;
        }
        first..last
    }

    /// Returns where definitions begin and end.
    fn edges(&self) -> impl Iterator<Item = usize> {
        let ranges = self.symbols.iter().map(|symbol| &symbol.range);
        ranges.flat_map(|range| [range.start, range.end])
    }
}

fn line_start(text: &str, at: usize) -> usize {
    let head = text.get(..at).unwrap_or_default();
    head.rfind('\n').map_or(0, |newline| newline + 1)
}

fn heading_level(text: &str, symbol: &Symbol) -> usize {
    let heading = text.get(symbol.range.clone()).unwrap_or_default();
    match heading.chars().take_while(|c| *c == '#').count() {
        0 if heading.trim_end().ends_with('=') => 1,
        0 => 2,
        marks => marks,
    }
}

fn within(inner: &Symbol, outer: &Symbol) -> bool {
    outer.range.start <= inner.range.start && inner.range.end <= outer.range.end
}

fn imports(kind: &str) -> bool {
    let kinds = [
        "use_declaration",
        "extern_crate_declaration",
        "preproc_include",
        "using_directive",
    ];
    let statement = kind.ends_with("_statement") || kind.ends_with("_declaration");
    kinds.contains(&kind)
        || (statement && (kind.starts_with("import_") || kind.contains("_import_")))
}

/// Returns the first line that one has and the other has not in its place: of the old text where
/// there is one.
fn difference<'a>(before: &'a [String], after: &'a [String]) -> Option<&'a str> {
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (old, new) = (before.get(same), after.get(same));
    // A line that only came stands before one that is still there.
    let came = after.len() > before.len();
    let line = if came { new.or(old) } else { old.or(new) };
    line.map(String::as_str)
}

/// A definition's path, what it is, and how many of the same stand before it.
type Place<'a> = (&'a str, &'static str, usize);

fn places(symbols: &[Symbol]) -> impl Iterator<Item = (&Symbol, Place<'_>)> {
    let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
    symbols.iter().map(move |symbol| {
        let count = seen.entry((&symbol.path, symbol.what)).or_insert(0);
        let place = (symbol.path.as_str(), symbol.what, *count);
        *count += 1;
        (symbol, place)
    })
}

fn by_place<'a>(symbols: &'a [Symbol], text: &'a str) -> HashMap<Place<'a>, &'a str> {
    let texts = places(symbols);
    texts
        .filter_map(|(symbol, place)| Some((place, text.get(symbol.range.clone())?)))
        .collect()
}

/// Tells whether a text has a name in it as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).and_then(|head| head.chars().next_back());
            let after = text
                .get(at + name.len()..)
                .and_then(|tail| tail.chars().next());
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
}

/// Where nothing is defined, at least half of the lines are kept.
fn lines_kept(before: &str, after: &str) -> Result<(), Breach> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in after.lines() {
        *left.entry(line).or_insert(0) += 1;
    }
    let (mut lines, mut kept) = (0, 0);
    for line in before.lines().filter(|line| !line.trim().is_empty()) {
        lines += 1;
        if let Some(count) = left.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            kept += 1;
        }
    }
    if kept * 2 >= lines {
        Ok(())
    } else {
        Err(Breach::Rewritten)
    }
}
