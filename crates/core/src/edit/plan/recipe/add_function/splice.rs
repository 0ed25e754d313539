//! Text of an added function, with the indentation and the blank lines that the items around it have.

use super::{FunctionPlace, FunctionSite, FunctionSpot};
use crate::edit::plan::recipe::snippet::Snippet;
use crate::edit::plan::recipe::symbol::Item;
use crate::edit::plan::recipe::{Family, indent};
use crate::syntax::Language;
use crate::text::Splice;
use crate::text::lines::replace_lines;

impl FunctionSite<'_, '_> {
    pub(super) fn splice(
        &self,
        snippet: &Snippet,
        place: &FunctionPlace,
        language: Language,
    ) -> Splice {
        let file = self.file;
        let mut code = snippet.leading.clone();
        if !code.is_empty() {
            code.push('\n');
        }
        code.push_str(&snippet.item);
        let lines = indent::lines(file.cache, &code, language, &place.base, self.unit);
        match &place.spot {
            FunctionSpot::Line(line) => self.on_lines(*line, &lines, place),
            FunctionSpot::Braces(range, outer) => {
                let ending = file.ending_at(range.start);
                let text = format!("{ending}{}{ending}{outer}", lines.join(ending));
                file.splice(range.clone(), text)
            }
            FunctionSpot::Filler(range) => {
                let ending = file.ending_at(range.start);
                let own_line = range.start == file.line_start(range.start);
                let head = if own_line { "" } else { ending };
                file.splice(range.clone(), format!("{head}{}", lines.join(ending)))
            }
        }
    }

    /// Puts lines before a line, with blank lines between them and what stands there.
    fn on_lines(&self, line: usize, lines: &[String], place: &FunctionPlace) -> Splice {
        let source = self.file.source;
        let text = |line: usize| source.line(line).trim_ascii();
        let mut at = line.min(source.line_count());
        while at > 0 && text(at - 1).is_empty() {
            at -= 1;
        }
        let mut below = at;
        while below < source.line_count() && text(below).is_empty() {
            below += 1;
        }
        let gap = self.gap(place);
        let opens = at == 0 || {
            let above = text(at - 1);
            let suite = self.family == Family::Python && above.ends_with(b":");
            above.ends_with(b"{") || suite
        };
        let closes = below >= source.line_count() || text(below).starts_with(b"}");
        let lead = if opens { 0 } else { gap };
        let tail = if closes {
            0
        } else {
            gap.saturating_sub(below - at)
        };
        let mut all: Vec<&str> = vec![""; lead];
        all.extend(lines.iter().map(String::as_str));
        all.extend(vec![""; tail]);
        replace_lines(source, at..at, &all)
    }

    /// Returns how many blank lines part the functions of the place.
    fn gap(&self, place: &FunctionPlace) -> usize {
        let file = self.file;
        let beside: Vec<&Item<'_>> = self
            .items
            .iter()
            .filter(|item| item.path == place.path && item.body().is_some())
            .collect();
        let between = beside.windows(2).filter_map(|pair| {
            let [upper, lower] = pair else { return None };
            let end = file
                .source
                .line_of(upper.outer.end_byte().saturating_sub(1));
            let start = file.source.line_of(lower.with_leading().start);
            let gap = start.checked_sub(end + 1)?;
            let blank = (end + 1..start).all(|line| file.source.line(line).trim_ascii().is_empty());
            blank.then_some(gap)
        });
        let usual = if self.family == Family::Python && place.path.is_empty() {
            2
        } else {
            1
        };
        between.min().unwrap_or(usual).clamp(1, 2)
    }
}
