//! Markdown blocks as rows.
//!
//! In: a part of a text. Out: its rows. Lines end where the model ended them. There is a blank row above a block where
//! the text has a blank line.

use std::mem;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::pieces;
use super::said::{Margin, said_within};
use super::table::Table;
use super::typography::typographic;
use super::{code_rows, language_rows};
use crate::theme::Role;
use crate::wrap::{Break, Row};

/// Appends the rows of a part of the text.
pub(super) fn render(text: &str, part: Range<usize>, width: usize, rows: &mut Vec<Row>) {
    let source = text.get(part.clone()).unwrap_or_default();
    let mut renderer = Renderer {
        text,
        base: part.start,
        width,
        rows,
        line: Row::default(),
        containers: Vec::new(),
        spans: Spans::default(),
        code: None,
        table: None,
        depth: 0,
        covered: part.start,
    };
    for (event, range) in Parser::new_ext(source, pieces::options()).into_offset_iter() {
        let range = range.start + part.start..range.end + part.start;
        renderer.take(event, range);
    }
    renderer.uncovered(part.end);
}

struct Renderer<'a> {
    text: &'a str,
    base: usize,
    width: usize,
    rows: &'a mut Vec<Row>,
    /// The line that is being made.
    line: Row,
    containers: Vec<Container>,
    spans: Spans,
    /// What is in a block of code, while one is open.
    code: Option<String>,
    table: Option<Table>,
    depth: usize,
    /// Up to where the text has been shown.
    covered: usize,
}

/// What a block stands in.
enum Container {
    Quote,
    /// An item of a list, with its mark until a row has it.
    Item {
        mark: Option<String>,
        width: usize,
    },
}

/// What the text looks like here.
#[derive(Default)]
struct Spans {
    heading: usize,
    strong: usize,
    emphasis: usize,
    struck: usize,
    /// Where links lead, and the text of each so far.
    links: Vec<(String, String)>,
}

impl Renderer<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        if self.depth == 0 && !matches!(event, Event::End(_)) {
            self.uncovered(range.start);
            self.covered = range.end;
        }
        match event {
            Event::Start(tag) => {
                self.depth += 1;
                self.start(tag, range);
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                self.end(tag);
            }
            Event::Text(text) => self.words(&text),
            Event::Code(code) => self.inline_code(&code, range),
            Event::Html(html) | Event::InlineHtml(html) => self.literal(&html),
            Event::SoftBreak | Event::HardBreak => self.line_break(),
            Event::Rule => {
                self.block(range.start);
                // Signoff's own rules begin in the first column.
                self.line.push(Role::Dim, "  ────────");
                self.finish_line();
            }
            Event::TaskListMarker(is_done) => {
                let mark = if is_done { "[x] " } else { "[ ] " };
                self.line.push(Role::Strong, mark);
            }
            // Extensions that are not asked for.
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.words(&text)
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock | Tag::List(_) => self.block(range.start),
            Tag::Heading { .. } => {
                self.block(range.start);
                self.spans.heading += 1;
            }
            Tag::BlockQuote(_) => {
                self.block(range.start);
                self.containers.push(Container::Quote);
            }
            Tag::CodeBlock(kind) => {
                self.block(range.start);
                if let CodeBlockKind::Fenced(info) = kind
                    && !info.is_empty()
                {
                    self.language(&info);
                }
                self.code = Some(String::new());
            }
            Tag::Item => {
                self.block(range.start);
                let mark = item_mark(self.text.get(range).unwrap_or_default());
                let width = mark.chars().count();
                self.containers.push(Container::Item {
                    mark: Some(mark),
                    width,
                });
            }
            Tag::Table(alignments) => {
                self.block(range.start);
                self.table = Some(Table {
                    alignments,
                    rows: Vec::new(),
                });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::Emphasis => self.spans.emphasis += 1,
            Tag::Strong => self.spans.strong += 1,
            Tag::Strikethrough => self.spans.struck += 1,
            Tag::Link { dest_url, .. } => {
                self.spans
                    .links
                    .push((dest_url.into_string(), String::new()));
            }
            Tag::Image { dest_url, .. } => {
                self.line.push(Role::Dim, "image: ");
                self.spans
                    .links
                    .push((dest_url.into_string(), String::new()));
            }
            Tag::TableCell
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.finish_line(),
            TagEnd::Heading(_) => {
                self.finish_line();
                self.spans.heading = 0;
            }
            TagEnd::BlockQuote(_) => {
                self.finish_line();
                self.containers.pop();
            }
            TagEnd::Item => {
                self.finish_line();
                if let Some(Container::Item { mark: Some(_), .. }) = self.containers.last() {
                    self.emit(&Row::default(), Break::Words);
                }
                self.containers.pop();
            }
            TagEnd::CodeBlock => self.finish_code(),
            TagEnd::TableCell => {
                let cell = mem::take(&mut self.line);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.finish_table(),
            TagEnd::Emphasis => self.spans.emphasis = self.spans.emphasis.saturating_sub(1),
            TagEnd::Strong => self.spans.strong = self.spans.strong.saturating_sub(1),
            TagEnd::Strikethrough => self.spans.struck = self.spans.struck.saturating_sub(1),
            TagEnd::Link | TagEnd::Image => self.finish_link(),
            TagEnd::List(_)
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    /// Begins a block: with a blank row above it where the text has a blank line.
    fn block(&mut self, start: usize) {
        self.finish_line();
        let is_first = start <= self.base && self.rows.is_empty();
        let is_marked = self
            .containers
            .last()
            .is_some_and(|container| matches!(container, Container::Item { mark: Some(_), .. }));
        let is_below_blank = self.rows.last().is_some_and(|row| row.width() == 0);
        if !is_first
            && !is_marked
            && !self.rows.is_empty()
            && !is_below_blank
            && pieces::is_after_blank(self.text, start)
        {
            self.blank_row();
        }
    }

    fn blank_row(&mut self) {
        let is_quote = |container: &Container| matches!(container, Container::Quote);
        if self.containers.iter().any(is_quote) {
            self.emit(&Row::default(), Break::Words);
        } else {
            self.rows.push(Row::default());
        }
    }

    fn words(&mut self, text: &str) {
        if let Some(code) = &mut self.code {
            code.push_str(text);
            return;
        }
        let role = self.spans.role(self.is_head());
        if let Some((_, shown)) = self.spans.links.last_mut() {
            shown.push_str(text);
        }
        self.line.push(role, &typographic(text));
    }

    /// Shows code with its marks: without colours nothing else tells it apart.
    fn inline_code(&mut self, code: &str, range: Range<usize>) {
        if let Some((_, shown)) = self.spans.links.last_mut() {
            shown.push_str(code);
        }
        match self.text.get(range).filter(|source| !source.contains('\n')) {
            Some(source) => self.line.push(Role::Code, source),
            None => self.line.push(Role::Code, &format!("`{code}`")),
        }
    }

    /// Shows HTML as it is.
    fn literal(&mut self, html: &str) {
        for part in html.split_inclusive('\n') {
            self.line
                .push(Role::Dim, part.trim_end_matches(['\n', '\r']));
            if part.ends_with('\n') {
                self.line_break();
            }
        }
    }

    fn line_break(&mut self) {
        if self.table.is_some() {
            self.line.push(Role::Text, " ");
        } else {
            self.finish_line();
        }
    }

    /// Says where a link leads, unless its text does.
    fn finish_link(&mut self) {
        let Some((leads_to, shown)) = self.spans.links.pop() else {
            return;
        };
        let is_said = leads_to == shown || leads_to.strip_prefix("mailto:") == Some(&shown);
        if !is_said && !leads_to.is_empty() {
            self.line.push(Role::Dim, &format!(" ({leads_to})"));
        }
    }

    fn language(&mut self, info: &str) {
        if self.containers.is_empty() {
            self.rows.extend(language_rows(info, self.width));
        } else {
            self.emit(&Row::new(Role::Dim, info), Break::Words);
        }
    }

    fn finish_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        for line in code.lines() {
            if self.containers.is_empty() {
                self.rows.extend(code_rows(line, self.width));
            } else {
                let row = Row::new(Role::Code, line.trim_end());
                self.emit(&row, Break::Anywhere);
            }
        }
    }

    fn finish_table(&mut self) {
        let Some(table) = self.table.take() else {
            return;
        };
        let margin = self.containers.iter().map(Container::width).sum::<usize>();
        let room = self.width.saturating_sub(margin.min(self.width / 2));
        for line in table.lines(room) {
            self.emit(&line, Break::Words);
        }
    }

    fn finish_line(&mut self) {
        if self.line.width() > 0 && self.table.is_none() {
            let line = mem::take(&mut self.line);
            self.emit(&line, Break::Words);
        }
    }

    fn emit(&mut self, line: &Row, breaks: Break) {
        let margin = self.margin();
        let hang = if breaks == Break::Anywhere { 2 } else { 0 };
        self.rows
            .extend(said_within(&margin, line, self.width, hang, breaks));
    }

    /// Returns what stands in front of the next rows, and takes the marks of items.
    fn margin(&mut self) -> Margin {
        let mut margin = Margin::default();
        for container in &mut self.containers {
            match container {
                Container::Quote => {
                    margin.first.push(Role::Dim, "│ ");
                    margin.others.push(Role::Dim, "│ ");
                }
                Container::Item { mark, width } => {
                    let blanks = " ".repeat(*width);
                    match mark.take() {
                        Some(mark) => margin.first.push(Role::Strong, &mark),
                        None => margin.first.push(Role::Text, &blanks),
                    }
                    margin.others.push(Role::Text, &blanks);
                }
            }
        }
        margin
    }

    /// Shows what is between blocks: definitions of references.
    fn uncovered(&mut self, end: usize) {
        let skipped = self.text.get(self.covered..end).unwrap_or_default();
        for line in skipped.lines().filter(|line| !line.trim().is_empty()) {
            let row = Row::new(Role::Dim, line.trim_end());
            self.emit(&row, Break::Words);
        }
    }

    /// Returns whether the head of a table is being read.
    fn is_head(&self) -> bool {
        self.table
            .as_ref()
            .is_some_and(|table| table.rows.len() == 1)
    }
}

impl Container {
    fn width(&self) -> usize {
        match self {
            Self::Quote => 2,
            Self::Item { width, .. } => *width,
        }
    }
}

impl Spans {
    fn role(&self, is_head: bool) -> Role {
        match self {
            _ if self.heading > 0 => Role::Heading,
            _ if !self.links.is_empty() => Role::Link,
            _ if self.strong > 0 || is_head => Role::Strong,
            _ if self.struck > 0 => Role::Struck,
            _ if self.emphasis > 0 => Role::Emphasis,
            _ => Role::Text,
        }
    }
}

/// Returns the mark of an item: a bullet, or the number that the model wrote.
fn item_mark(item: &str) -> String {
    let item = item.trim_start();
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    match item.get(..digits + 1) {
        Some(number) if digits > 0 => format!("{number} "),
        _ => "• ".to_owned(),
    }
}
