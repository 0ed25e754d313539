//! Diff rows of a proposal.
//!
//! In: a proposal and a width. Out: every line of every hunk, wrapped, with line numbers,
//! signs and emphasis; nothing is left out, so that nothing unseen is approved.

mod below;

use std::ops::Range;

use signoff_core::id::HunkId;
use signoff_core::intent::Operation;
use signoff_core::review::{DiffLine, HunkStatus, HunkView, LineKind, ProposalView, RevertPreview};

use signoff_core::syntax::tokens::Token;
use unicode_segmentation::UnicodeSegmentation as _;

use self::below::below_rows;
use super::words::place;
use crate::blanks;
use crate::displayed::Part;
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// Below this width a line shows one number instead of two.
const NARROW: usize = 60;

/// Columns that text needs beside line numbers; where there are fewer, numbers are left out.
const TEXT_COLUMNS: usize = 8;

/// The narrowest layout. What is drawn narrower is cut.
pub(crate) const NARROWEST: usize = 8;

/// What a diff shows beside its lines.
pub(crate) struct Beside<'a> {
    /// Why it has no colours, where one would expect them.
    pub(crate) off: Option<&'a str>,
    /// What checks found in a hunk.
    pub(crate) found: &'a dyn Fn(HunkId) -> Vec<Row>,
    /// What stands below a hunk, and need not be displayed before a verdict.
    pub(crate) below: &'a dyn Fn(HunkId) -> Vec<Row>,
    /// The tokens of each line of a hunk, as far as they are known.
    pub(crate) colours: &'a dyn Fn(&HunkView) -> &'a [Vec<Token>],
}

/// A diff laid out for a width.
#[derive(Debug, Default)]
pub(crate) struct Diff {
    rows: Vec<DiffRow>,
    hunks: Vec<Laid>,
    about: Vec<bool>,
}

/// Where a hunk is, and which of its lines have to be displayed before a verdict: all but its
/// context. Its head is the first.
#[derive(Clone, Debug, Default)]
struct Laid {
    rows: Range<usize>,
    needed: Vec<bool>,
    /// How many of the rows, at their end, stand below the hunk.
    below: usize,
}

/// One row of a diff.
#[derive(Debug)]
pub(crate) enum DiffRow {
    /// An empty row between hunks.
    Gap,
    /// About the whole file.
    About(Part, Row),
    /// The head of the hunk with this index; its mark is drawn with it.
    Head(usize),
    /// A line of the hunk with this index.
    Line(usize, Part, Row),
    /// What stands below the hunk with this index.
    Below(usize, Row),
}

/// What of a proposal a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffItem {
    /// What is said about the file.
    About,
    /// The hunk with this index.
    Hunk(usize),
}

impl DiffRow {
    /// Returns what the row shows a part of.
    pub(crate) fn part(&self) -> Option<(DiffItem, Part)> {
        let head = Part {
            line: 0,
            row: 0,
            rows: 1,
        };
        match self {
            Self::Gap | Self::Below(..) => None,
            Self::About(part, _) => Some((DiffItem::About, *part)),
            Self::Head(hunk) => Some((DiffItem::Hunk(*hunk), head)),
            Self::Line(hunk, part, _) => Some((DiffItem::Hunk(*hunk), *part)),
        }
    }
}

impl Diff {
    /// Returns the rows of a proposal; `margin` columns are left to the caller.
    pub(crate) fn new(
        proposal: &ProposalView,
        width: usize,
        margin: usize,
        beside: &Beside<'_>,
    ) -> Self {
        let width = width.saturating_sub(margin).max(NARROWEST);
        let mut diff = Self::default();
        let off = beside.off.map(|why| Row::new(Role::Dim, why));
        for row in about(proposal).into_iter().chain(off) {
            let wrapped = wrap::wrap(&row, width, 2, Break::Words);
            let parts = parts(diff.about.len(), wrapped);
            diff.rows
                .extend(parts.map(|(part, row)| DiffRow::About(part, row)));
            diff.about.push(true);
        }
        let gutter = Gutter::new(proposal.hunks.iter().flat_map(|hunk| &hunk.lines), width);
        for hunk in &proposal.hunks {
            diff.push(hunk, &gutter, width, beside);
        }
        diff
    }

    fn push(&mut self, hunk: &HunkView, gutter: &Gutter, width: usize, beside: &Beside<'_>) {
        let index = self.hunks.len();
        self.rows.push(DiffRow::Gap);
        let start = self.rows.len();
        self.rows.push(DiffRow::Head(index));
        let mut needed = vec![true];
        let mut push = |rows: Vec<Row>, is_needed: bool| {
            let parts = parts(needed.len(), rows);
            self.rows
                .extend(parts.map(|(part, row)| DiffRow::Line(index, part, row)));
            needed.push(is_needed);
        };
        for row in warnings(hunk) {
            push(wrap::wrap(&row, width, 2, Break::Words), true);
        }
        let mut colours = (beside.colours)(hunk).iter();
        for line in &hunk.lines {
            let tokens = colours.next().map_or(&[][..], Vec::as_slice);
            push(
                gutter.rows(line, tokens, width),
                line.kind != LineKind::Context,
            );
        }
        for row in yours(&hunk.yours) {
            push(wrap::wrap(&row, width, 2, Break::Anywhere), true);
        }
        for row in (beside.found)(hunk.id) {
            push(wrap::wrap(&row, width, 2, Break::Words), true);
        }
        let below = below_rows(index, &(beside.below)(hunk.id), width);
        let count = below.len();
        self.rows.extend(below);
        let rows = start..self.rows.len();
        let below = count;
        self.hunks.push(Laid {
            rows,
            needed,
            below,
        });
    }

    /// Returns all rows.
    pub(crate) fn rows(&self) -> &[DiffRow] {
        &self.rows
    }

    /// Returns the rows of a hunk, its head included.
    pub(crate) fn span(&self, hunk: usize) -> Range<usize> {
        self.hunks.get(hunk).cloned().unwrap_or_default().rows
    }

    /// Returns the rows of every hunk.
    pub(crate) fn spans(&self) -> impl DoubleEndedIterator<Item = (usize, &Range<usize>)> {
        self.hunks.iter().map(|hunk| &hunk.rows).enumerate()
    }

    /// Returns for each line of a part of the proposal whether it has to be displayed before a
    /// verdict; a hunk's head is its first line.
    pub(crate) fn needed(&self, item: DiffItem) -> &[bool] {
        match item {
            DiffItem::About => &self.about,
            DiffItem::Hunk(hunk) => self.hunks.get(hunk).map_or(&[], |hunk| &hunk.needed),
        }
    }

    /// Returns how many lines of a hunk begin or go on above and below the rows that are shown.
    pub(crate) fn out_of_sight(&self, hunk: usize, shown: &Range<usize>) -> (usize, usize) {
        let span = self.span(hunk);
        let line = |row: usize| match self.rows.get(row) {
            Some(DiffRow::Line(_, part, _)) => part.line,
            Some(DiffRow::Below(hunk, _)) => {
                self.needed(DiffItem::Hunk(*hunk)).len().saturating_sub(1)
            }
            _ => 0,
        };
        let above = if span.start < shown.start {
            line(shown.start.min(span.end) - 1) + 1
        } else {
            0
        };
        let lines_end = span.end - self.hunks.get(hunk).map_or(0, |laid| laid.below);
        let below = if lines_end > shown.end {
            self.needed(DiffItem::Hunk(hunk)).len() - line(shown.end.max(span.start))
        } else {
            0
        };
        (above, below)
    }
}

/// Returns the rows of a line with their places in it.
fn parts(line: usize, rows: Vec<Row>) -> impl Iterator<Item = (Part, Row)> {
    let count = rows.len();
    rows.into_iter().enumerate().map(move |(row, content)| {
        let part = Part {
            line,
            row,
            rows: count,
        };
        (part, content)
    })
}

/// Returns what a revert would do as rows.
pub(crate) fn revert_rows(preview: &RevertPreview, width: usize) -> Vec<Row> {
    let width = width.max(8);
    let mut rows = Vec::new();
    if let Some(why) = &preview.blocked {
        let row = Row::new(Role::Warn, "! ").with(Role::Warn, why);
        rows.extend(wrap::wrap(&row, width, 2, Break::Words));
    }
    if let Some(to) = &preview.moves_to {
        let row = Row::new(Role::Text, "moves the file to ").with(Role::Strong, to);
        rows.extend(wrap::wrap(&row, width, 2, Break::Words));
    }
    let gutter = Gutter::new(preview.hunks.iter().flat_map(|hunk| &hunk.lines), width);
    for hunk in &preview.hunks {
        rows.push(Row::default());
        rows.push(Row::new(Role::Hunk, place(&hunk.header)).clipped(width));
        rows.extend(
            hunk.lines
                .iter()
                .flat_map(|line| gutter.rows(line, &[], width)),
        );
        for row in yours(&hunk.yours) {
            rows.extend(wrap::wrap(&row, width, 2, Break::Anywhere));
        }
    }
    rows
}

/// Returns what the user has in the place of a hunk in conflict with it.
fn yours(yours: &[String]) -> Vec<Row> {
    let head = Row::new(Role::Warn, "! there now:");
    let lines = yours.iter();
    let lines = lines.map(|line| {
        let mut row = Row::new(Role::Warn, "| ");
        row.push_counted(Role::Text, line);
        row
    });
    let head = (!yours.is_empty()).then_some(head);
    head.into_iter().chain(lines).collect()
}

/// Returns the head of a hunk without its mark.
pub(crate) fn head(hunk: &HunkView) -> Row {
    let mut head = Row::new(Role::Hunk, place(&hunk.header))
        .with(Role::Dim, "  ")
        .with(Role::Added, &format!("+{}", hunk.added))
        .with(Role::Text, " ")
        .with(Role::Removed, &format!("-{}", hunk.removed));
    if let Some(group) = &hunk.group {
        let also = if group.outlier { " and more" } else { "" };
        head.push(Role::Dim, &format!("  same: {}{also}", group.rewrite));
    }
    head
}

/// Returns the head that stays in sight while the hunk's own is scrolled off: place and file.
pub(crate) fn pinned_head(hunk: &HunkView, path: &str) -> Row {
    let header = place(&hunk.header);
    let place = header.match_indices("@@").nth(1);
    let place = place.map_or(header, |(at, mark)| {
        header.get(..at + mark.len()).unwrap_or_default()
    });
    Row::new(Role::Hunk, place)
        .with(Role::Dim, "  ")
        .with(Role::Strong, path)
}

/// Returns what must not be missed of a hunk: that the user denied it before, and what it is in
/// conflict with.
pub(super) fn warnings(hunk: &HunkView) -> Vec<Row> {
    let denied = hunk.denied_before.as_ref().map(|denied| {
        let why = denied.reason.as_deref();
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        format!("denied before{why}")
    });
    let conflict = match &hunk.status {
        HunkStatus::Conflict { reason } => Some(reason.clone()),
        _ => None,
    };
    let texts = denied.into_iter().chain(conflict);
    texts
        .map(|text| Row::new(Role::Warn, "! ").with(Role::Warn, &text))
        .collect()
}

/// Returns what an operation means for the file as a whole, where that must not be missed.
pub(crate) fn banner(operation: Operation) -> Option<&'static str> {
    match operation {
        Operation::Create => Some("new file"),
        Operation::Delete => Some("deleted: the file goes"),
        Operation::Move => Some("moves the file"),
        Operation::Link => Some("makes it a symbolic link"),
        Operation::Permissions => Some("changes its permissions"),
        Operation::Rewrite => Some("rewrites the whole file"),
        Operation::Modify => None,
    }
}

fn about(proposal: &ProposalView) -> Vec<Row> {
    let mut title = Row::new(Role::Strong, &proposal.path);
    if let Some(banner) = banner(proposal.operation) {
        title.push(Role::Text, "  ");
        title.push(Role::Warn, banner);
    }
    if let Some(to) = &proposal.to {
        title.push(Role::Warn, " to ");
        title.push(Role::Strong, to);
    }
    let id = proposal.id.to_string();
    let short = id.rsplit('-').next().unwrap_or(&id);
    title.push(Role::Dim, &format!("  {short}"));
    let mut rows = vec![title];
    if !proposal.description.trim().is_empty() {
        let mut row = Row::default();
        row.push_counted(Role::Text, &proposal.description);
        rows.push(row);
    }
    rows.extend(placed(proposal));
    if let Some(note) = &proposal.note {
        let mut row = Row::new(Role::Warn, "! ");
        row.push_counted(Role::Warn, note);
        rows.push(row);
    }
    rows
}

/// Returns how the place was found, where it is not the text that was asked for, letter by letter.
fn placed(proposal: &ProposalView) -> Option<Row> {
    let how = proposal.evidence.as_str();
    if proposal.is_guess {
        let text = format!("! placed by similarity: {how}");
        return Some(Row::new(Role::Warn, &text));
    }
    let as_asked = [
        "",
        "exact",
        "new file",
        "empty file",
        "whole file",
        "as the program left it",
    ];
    (!as_asked.contains(&how)).then(|| Row::new(Role::Dim, &format!("placed: {how}")))
}

struct Gutter {
    digits: usize,
    columns: Columns,
}

/// Which line numbers are shown.
enum Columns {
    /// Before and after the change.
    Both,
    /// After it, or before it where there is no other.
    One,
    /// None, on a very narrow screen.
    None,
}

impl Gutter {
    fn new<'a>(lines: impl Iterator<Item = &'a DiffLine>, width: usize) -> Self {
        let largest = lines.flat_map(|line| [line.old, line.new]).flatten().max();
        let digits = largest.unwrap_or(1).to_string().len();
        let columns = match width {
            NARROW.. => Columns::Both,
            _ if width >= digits + 3 + TEXT_COLUMNS => Columns::One,
            _ => Columns::None,
        };
        Self { digits, columns }
    }

    /// Returns the rows of a line; one that goes on in the next row says so at its end.
    fn rows(&self, line: &DiffLine, tokens: &[Token], width: usize) -> Vec<Row> {
        let numbers = self.numbers(line);
        let indent = numbers.len() + 2;
        let (sign, plain, strong) = match line.kind {
            LineKind::Context => (' ', Role::Text, Role::Text),
            LineKind::Added => ('+', Role::Added, Role::AddedWord),
            LineKind::Removed => ('-', Role::Removed, Role::RemovedWord),
        };
        let body = painted(line, tokens, plain, strong);
        let room = width.saturating_sub(indent).max(1);
        let mut rows: Vec<_> = wrap::continued(&body, room, 0)
            .iter()
            .enumerate()
            .map(|(index, part)| {
                let mut row = Row::default();
                if index == 0 {
                    row.push(Role::Dim, &numbers);
                    row.push(plain, &format!("{sign} "));
                } else {
                    row.push(Role::Dim, &" ".repeat(numbers.len()));
                    row.push(Role::Dim, "… ");
                }
                row.append(part);
                row
            })
            .collect();
        if !line.newline {
            let text = format!("{}no line ending here", " ".repeat(indent));
            rows.push(Row::new(Role::Dim, &text).clipped(width));
        }
        rows
    }

    fn numbers(&self, line: &DiffLine) -> String {
        let digits = self.digits;
        let shown = |number: Option<u32>| number.map(|n| n.to_string()).unwrap_or_default();
        match self.columns {
            Columns::Both => format!("{:>digits$} {:>digits$} ", shown(line.old), shown(line.new)),
            Columns::One => format!("{:>digits$} ", shown(line.new.or(line.old))),
            Columns::None => String::new(),
        }
    }
}

/// Returns a line with its tokens in their roles, and what differs from the other side in the role `strong`. What does
/// not fit the line is left out, and a grapheme cluster has one role. Long runs of blanks are counted.
fn painted(line: &DiffLine, tokens: &[Token], plain: Role, strong: Role) -> Row {
    let text = line.text.as_str();
    let mut roles = vec![plain; text.len()];
    let fits = |range: &Range<usize>| text.get(range.clone()).is_some();
    for token in tokens.iter().filter(|token| fits(&token.at)) {
        let role = Role::Token(token.kind, line.kind);
        let own = roles.get_mut(token.at.clone());
        own.into_iter().for_each(|own| own.fill(role));
    }
    let mut done = 0;
    for (start, end) in &line.emphasis {
        if *start >= done && start < end && fits(&(*start..*end)) {
            done = *end;
            let own = roles.get_mut(*start..*end);
            own.into_iter().for_each(|own| own.fill(strong));
        }
    }
    let mut row = Row::default();
    let mut at = 0;
    for run in blanks::long_runs(text) {
        push_clusters(&mut row, text, at..run.range.start, &roles, strong);
        row.push(Role::Warn, &run.to_string());
        at = run.range.end;
    }
    push_clusters(&mut row, text, at..text.len(), &roles, strong);
    row
}

/// Appends a part of a text, whose bytes have these roles.
fn push_clusters(row: &mut Row, text: &str, part: Range<usize>, roles: &[Role], strong: Role) {
    let offset = part.start;
    let text = text.get(part).unwrap_or_default();
    let role_of = |(at, cluster): (usize, &str)| {
        let own = roles.get(offset + at..offset + at + cluster.len());
        let own = own.unwrap_or_default();
        let role = if own.contains(&strong) {
            Some(strong)
        } else {
            own.first().copied()
        };
        (at, role.unwrap_or(Role::Text))
    };
    let mut clusters = text.grapheme_indices(true).map(role_of).peekable();
    while let Some((start, role)) = clusters.next() {
        while clusters.next_if(|(_, next)| *next == role).is_some() {}
        let end = clusters.peek().map_or(text.len(), |(at, _)| *at);
        row.push(role, text.get(start..end).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use signoff_core::syntax::tokens::TokenKind;

    use super::*;
    use crate::wrap::text_of;

    fn added(text: &str, emphasis: &[(usize, usize)]) -> DiffLine {
        DiffLine {
            kind: LineKind::Added,
            old: None,
            new: Some(7),
            text: text.to_owned(),
            emphasis: emphasis.to_vec(),
            newline: true,
        }
    }

    #[test]
    fn tokens_have_roles_where_nothing_differs() {
        let line = added("let a = \"1\";", &[(4, 5)]);
        let token = |at, kind| Token { at, kind };
        let tokens = [
            token(0..3, TokenKind::Keyword),
            token(4..5, TokenKind::Function),
            token(8..11, TokenKind::String),
            token(9..99, TokenKind::Comment),
        ];
        let row = painted(&line, &tokens, Role::Added, Role::AddedWord);
        let kind = |kind| Role::Token(kind, LineKind::Added);
        let pieces: Vec<_> = row.pieces().collect();
        assert_eq!(
            pieces,
            [
                (kind(TokenKind::Keyword), "let"),
                (Role::Added, " "),
                (Role::AddedWord, "a"),
                (Role::Added, " = "),
                (kind(TokenKind::String), "\"1\""),
                (Role::Added, ";"),
            ]
        );
    }

    fn check(text: &str, emphasis: &[(usize, usize)], expected: &str) {
        let row = painted(&added(text, emphasis), &[], Role::Added, Role::AddedWord);
        let shown: String = row
            .pieces()
            .map(|(role, text)| match role {
                Role::AddedWord => format!("[{text}]"),
                _ => text.to_owned(),
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn emphasises_ranges_that_fit() {
        check("let a = 1;", &[(4, 5), (8, 9)], "let [a] = [1];");
        check("é", &[(1, 2)], "é");
        check("ab", &[(1, 9)], "ab");
        check("abcd", &[(1, 3), (2, 4)], "a[bc]d");
        check("a\x1b[0m", &[(0, 1)], "[a]␛[0m");
        check("e\u{301}e\u{302}", &[(1, 3)], "[e\u{301}]e\u{302}");
        check("कि का", &[(3, 6)], "[कि] का");
        let long = format!("x = 1{}; rm()", " ".repeat(3_000));
        check(&long, &[(5, 3_005)], "x = 1⟨3000 blanks⟩; rm()");
    }

    proptest! {
        /// A row that is wider is cut when it is drawn, and would count as displayed all the same.
        #[test]
        fn no_row_is_wider_than_the_layout(
            text in "[a-c 漢👩ᄀक\u{94d}\u{301}\u{2800}\t]{0,60}",
            width in NARROWEST..70,
            number in prop::sample::select(vec![1u32, 99, 123_456_789]),
            emphasis in (0usize..20, 0usize..40),
            token in (0usize..20, 0usize..20),
            newline: bool,
        ) {
            let line = DiffLine {
                kind: LineKind::Added,
                old: None,
                new: Some(number),
                text,
                emphasis: vec![emphasis],
                newline,
            };
            let gutter = Gutter::new(std::iter::once(&line), width);
            let rows = gutter.rows(&line, &[], width);
            prop_assert!(rows.iter().all(|row| row.width() <= width), "{:?}", text_of(&rows));
            // Colours that come later move nothing.
            let tokens = [Token { at: token.0..token.0 + token.1, kind: TokenKind::String }];
            prop_assert_eq!(text_of(&gutter.rows(&line, &tokens, width)), text_of(&rows));
        }
    }

    #[test]
    fn long_lines_wrap_and_keep_every_column() {
        let line = DiffLine {
            kind: LineKind::Added,
            old: None,
            new: Some(7),
            text: "abcdefghij  klm".to_owned(),
            emphasis: Vec::new(),
            newline: false,
        };
        let gutter = Gutter {
            digits: 2,
            columns: Columns::One,
        };
        assert_eq!(
            text_of(&gutter.rows(&line, &[], 15)),
            [" 7 + abcdefghi…", "   … j  klm", "     no line e…"]
        );
    }
}
