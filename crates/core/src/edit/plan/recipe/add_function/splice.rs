//! Text of an added function, with the indentation and the blank lines that the items around it have.

use super::{FunctionPlace, FunctionSite, FunctionSpot};
use crate::edit::plan::insertion::{BlankMargin, BodyMark, InsertionPlace, InsertionPoint};
use crate::edit::plan::recipe::Family;
use crate::edit::plan::recipe::snippet::Snippet;
use crate::edit::plan::recipe::symbol::Item;
use crate::text::Splice;

impl FunctionSite<'_, '_> {
    pub(super) fn splice(&self, snippet: &Snippet, place: &FunctionPlace<'_>) -> Splice {
        let file = self.site.file;
        let mut code = snippet.leading.clone();
        if !code.is_empty() {
            code.push('\n');
        }
        code.push_str(&snippet.item);
        let lines = self.site.lines(&code, &place.base);
        let opens = match self.site.family {
            Family::Python => BodyMark::BraceOrColon,
            Family::Rust | Family::Script => BodyMark::Brace,
        };
        let spot = match place.spot.clone() {
            FunctionSpot::Line(line) => {
                InsertionPlace::Lines(line, BlankMargin::Between(self.gap(place), opens))
            }
            FunctionSpot::Braces(blanks, outer) => InsertionPlace::Brackets(blanks, outer),
            FunctionSpot::Filler(statement) => InsertionPlace::Suite(statement),
        };
        // The lines bring their indentation along.
        InsertionPoint::new(file.source, spot, "").splice_lines(file.source, &lines)
    }

    /// Returns how many blank lines part the functions of the place.
    fn gap(&self, place: &FunctionPlace<'_>) -> usize {
        let file = self.site.file;
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
        let usual = if self.site.family == Family::Python && place.path.is_empty() {
            2
        } else {
            1
        };
        between.min().unwrap_or(usual).clamp(1, 2)
    }
}
