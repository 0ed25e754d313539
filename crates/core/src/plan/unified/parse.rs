//! Patch text as models write it.
//!
//! In: text with one or more file patches, with prose and fences around it, wrong counts and
//! bare `@@`. Out: [`FilePatch`]es. Nothing fails here; what is no patch gives none.

/// The hunks for one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FilePatch {
    /// The path from the header, without `a/` or `b/`; none where there is no header.
    pub(super) path: Option<String>,
    /// True if the header says that the file goes away.
    pub(super) deletes: bool,
    pub(super) hunks: Vec<Hunk>,
}

/// One hunk.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    /// 0-based line from the header: the first old line, or where the new lines go.
    pub(super) old_start: Option<usize>,
    pub(super) rows: Vec<Row>,
    /// True if the new side ends without a newline.
    pub(super) open_end: bool,
}

/// One line of a hunk, without its mark and ending.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Row {
    Context(String),
    Removed(String),
    Added(String),
}

impl FilePatch {
    /// Returns whether the patch is for the file at `path`; one without a header is for any.
    pub(super) fn is_for(&self, path: &str) -> bool {
        let Some(own) = &self.path else { return true };
        own == path || path.ends_with(&format!("/{own}")) || own.ends_with(&format!("/{path}"))
    }
}

impl Hunk {
    /// Returns the lines that must be in the file.
    pub(super) fn before(&self) -> impl Iterator<Item = &str> {
        self.rows
            .iter()
            .filter(|row| !matches!(row, Row::Added(_)))
            .map(Row::text)
    }

    /// Returns the lines that will be in their place.
    pub(super) fn after(&self) -> impl Iterator<Item = &str> {
        self.rows
            .iter()
            .filter(|row| !matches!(row, Row::Removed(_)))
            .map(Row::text)
    }

    /// Returns whether nothing is removed.
    pub(super) fn only_adds(&self) -> bool {
        !self.rows.iter().any(|row| matches!(row, Row::Removed(_)))
    }
}

impl Row {
    /// Returns the line.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Context(text) | Self::Removed(text) | Self::Added(text) => text,
        }
    }
}

/// Reads patch text.
pub(super) fn parse(text: &str) -> Vec<FilePatch> {
    let mut reader = Reader::default();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        reader.line(line, next);
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    files: Vec<FilePatch>,
    /// Old and new lines that the present hunk still owes by its counts; none without counts.
    owed: Option<(usize, usize)>,
    in_hunk: bool,
}

impl Reader {
    fn line(&mut self, line: &str, next: &str) {
        let inside = self.in_hunk && self.owed.is_some_and(|owed| owed != (0, 0));
        if !inside && line.starts_with("--- ") && next.starts_with("+++ ") {
            self.header(line, next);
        } else if !inside && (line.starts_with("diff --git ") || line.starts_with("```")) {
            self.in_hunk = false;
        } else if line.starts_with("@@") {
            self.hunk(line);
        } else if line.starts_with("+++ ") && !self.in_hunk {
            // The second half of a header that was read with its first.
        } else if self.in_hunk {
            self.row(line);
        }
    }

    fn header(&mut self, old: &str, new: &str) {
        self.in_hunk = false;
        let (old, new) = (name(old), name(new));
        let deletes = new.is_none() && old.is_some();
        self.files.push(FilePatch {
            path: new.or(old),
            deletes,
            hunks: Vec::new(),
        });
    }

    fn hunk(&mut self, line: &str) {
        if self.files.is_empty() {
            self.files.push(FilePatch::default());
        }
        let (old_start, owed) = numbers(line);
        self.owed = owed;
        self.in_hunk = true;
        if let Some(file) = self.files.last_mut() {
            file.hunks.push(Hunk {
                old_start,
                ..Hunk::default()
            });
        }
    }

    fn row(&mut self, line: &str) {
        let Some(hunk) = self.files.last_mut().and_then(|file| file.hunks.last_mut()) else {
            return;
        };
        if line.starts_with('\\') {
            hunk.open_end = !matches!(hunk.rows.last(), Some(Row::Removed(_)));
            return;
        }
        let text = |mark: &str| line.strip_prefix(mark).unwrap_or(line).to_owned();
        let row = match line.chars().next() {
            Some('+') => Row::Added(text("+")),
            Some('-') => Row::Removed(text("-")),
            // An empty context line often loses its leading blank, and so do others.
            _ => Row::Context(text(" ")),
        };
        if let Some((old, new)) = &mut self.owed {
            *old = old.saturating_sub(usize::from(!matches!(row, Row::Added(_))));
            *new = new.saturating_sub(usize::from(!matches!(row, Row::Removed(_))));
        }
        hunk.rows.push(row);
    }

    fn finish(mut self) -> Vec<FilePatch> {
        for hunk in self.files.iter_mut().flat_map(|file| &mut file.hunks) {
            // Blank lines between hunks or at the end of the text are no context.
            while matches!(hunk.rows.last(), Some(Row::Context(text)) if text.is_empty()) {
                hunk.rows.pop();
            }
        }
        self.files
    }
}

/// Returns the path of a `---` or `+++` line; none for `/dev/null`.
fn name(line: &str) -> Option<String> {
    let path = line.get(4..)?.split('\t').next()?.trim();
    if path == "/dev/null" {
        return None;
    }
    let path = path.trim_matches('"');
    let bare = path
        .strip_prefix("a/")
        .or_else(|| path.strip_prefix("b/"))
        .unwrap_or(path);
    Some(bare.to_owned())
}

/// Reads `@@ -3,7 +3,8 @@`: the 0-based start and the two counts, as far as they are there.
fn numbers(line: &str) -> (Option<usize>, Option<(usize, usize)>) {
    let mut fields = line.trim_start_matches('@').split_whitespace();
    let mut side = |mark: char| {
        let field = fields.next()?.strip_prefix(mark)?;
        let (start, count) = field.split_once(',').unwrap_or((field, "1"));
        Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    match (side('-'), side('+')) {
        (Some((start, olds)), Some((_, news))) => {
            // `-5,0` stands for "after line 5".
            let start = if olds == 0 {
                start
            } else {
                start.saturating_sub(1)
            };
            (Some(start), Some((olds, news)))
        }
        _ => (None, None),
    }
}
