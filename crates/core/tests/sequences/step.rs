//! Steps: what may happen to the engine and the model.

/// What may happen. Files and lines go by number, hunks by their place in the review list.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Stage(usize, u8),
    StageTwo(usize, usize, u8),
    Create(usize),
    Delete(usize),
    Move(usize, usize),
    Decide(Vec<(usize, Choice)>),
    /// The user saves, and approves a hunk as it was shown before.
    Unseen(Place, usize),
    Save(Place),
    Revert(usize, To),
    RevertSet(usize),
    /// The next commit fails at a step; if true, the process is gone then.
    Fault(usize, bool),
    /// The user saves right before a step of the next commit.
    During(usize, Place),
    Restart,
    /// Another process goes on.
    Switch,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Choice {
    Approve,
    Edit,
    Deny,
}

/// What the user does to a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Line(usize, usize),
    Whole(usize),
    Gone(usize),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum To {
    Last,
    Only(u64),
    Version(u64),
    Redo,
}
