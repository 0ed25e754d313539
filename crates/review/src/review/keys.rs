//! Keys of the review: what they ask for.
//!
//! In: the table of keys. Out: whether a key gives a verdict, and so has to wait until the user could read what it is about.

/// What keys ask of the review pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewKey {
    /// On through the diff: a screen of a long hunk, else the next hunk.
    Next,
    /// Back through the diff.
    Previous,
    /// The next file.
    NextFile,
    /// The file before.
    PreviousFile,
    /// One screen on.
    PageDown,
    /// One screen back.
    PageUp,
    /// To the first row of the file.
    Top,
    /// To the last row of the file.
    Bottom,
    /// Mark the hunk as approved.
    Approve,
    /// Mark the hunk as denied, after asking why.
    Deny,
    /// Edit the hunk's new text and mark it as approved so.
    Edit,
    /// Of a hunk in conflict: keep the user's lines.
    KeepMine,
    /// Of a hunk in conflict: put it in the place of the user's lines.
    TakeTheirs,
    /// Approve every hunk that makes the same rewrite and nothing else.
    ApproveSame,
    /// Approve every hunk that waits.
    ApproveAll,
    /// Approve every hunk that is proved to be what one line says.
    ApproveProved,
    /// Open the selected fold, or close it.
    Fold,
    /// Open all folds, or close them.
    FoldAll,
    /// Deny every hunk that waits, after asking why.
    DenyAll,
    /// Deny every hunk without a mark that no test and no check needs.
    DenyNeedless,
    /// Hand the marked verdicts over.
    Submit,
    /// Use what helps to decide.
    Tool(ReviewTool),
    /// Act on lines of the selected hunk.
    Lines(LineKey),
}

/// What keys ask for beside verdicts and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewTool {
    /// Ask the model about the hunk.
    Ask,
    /// Have the model write the hunk again, with a remark.
    Regenerate,
    /// Approve the hunk, or take its mark away.
    Toggle,
    /// Take the hunk's mark away, or the last marks that were given.
    TakeBack,
    /// Search in the diffs of all files.
    Search,
    /// Comment on the hunk.
    Comment,
    /// Select lines of the hunk.
    Lines,
    /// Edit the hunk's new text in place.
    EditInPlace,
    /// Deny the hunk, with what the review agent says of it as the reason to begin with.
    DenyWithComments,
    /// Copy the hunk's new text to the clipboard.
    Yank,
    /// Open the file in the user's editor, at the hunk.
    Open,
    /// To the next filter.
    Filter,
    /// To the next match of the search, or the next hunk without a mark.
    Next,
    /// To the one before.
    Previous,
}

impl ReviewKey {
    /// Tells whether this is about the text of a hunk, which a commit that waits has not.
    pub(super) fn needs_text(self) -> bool {
        match self {
            Self::Edit => true,
            Self::Tool(tool) => matches!(
                tool,
                ReviewTool::Ask
                    | ReviewTool::Regenerate
                    | ReviewTool::Comment
                    | ReviewTool::Lines
                    | ReviewTool::EditInPlace
                    | ReviewTool::Open
            ),
            _ => false,
        }
    }
}

impl ReviewTool {
    /// Tells whether this gives a verdict, leads to one, or leaves the review.
    pub fn decides(self) -> bool {
        match self {
            Self::Ask
            | Self::Regenerate
            | Self::Toggle
            | Self::Open
            | Self::Comment
            | Self::DenyWithComments
            | Self::EditInPlace => true,
            Self::Search
            | Self::Lines
            | Self::Yank
            | Self::Filter
            | Self::TakeBack
            | Self::Next
            | Self::Previous => false,
        }
    }

    /// Tells whether this goes far from what the user looked at, or has the keys mean something else.
    pub fn jumps(self) -> bool {
        matches!(self, Self::Next | Self::Previous | Self::Lines)
    }
}

/// What keys ask of selected lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKey {
    /// To the next line.
    Next,
    /// To the one before.
    Previous,
    /// A screen on.
    PageDown,
    /// A screen back.
    PageUp,
    /// To the first line of the hunk.
    First,
    /// To the last.
    Last,
    /// Select the line, or not.
    Toggle,
    /// Select all lines, or none.
    ToggleAll,
    /// Approve the selected lines.
    Approve,
    /// Deny them, and approve the rest.
    Deny,
    /// Comment on the line.
    Comment,
}

impl LineKey {
    /// Tells whether this gives a verdict, or leads to one.
    pub(super) fn decides(self) -> bool {
        match self {
            Self::Approve | Self::Deny | Self::Comment => true,
            Self::Next
            | Self::Previous
            | Self::PageDown
            | Self::PageUp
            | Self::First
            | Self::Last
            | Self::Toggle
            | Self::ToggleAll => false,
        }
    }
}
