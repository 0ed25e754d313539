//! Code index: what is known of the names in a workspace and of the files that are like each other.
//!
//! In: a name, or a text. Out: places and paths. Whoever keeps the index implements it; texts are read with
//! everything staged in them.

/// Reads a file with everything staged in it; none if there is no such text.
pub type ReadText<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// What is asked of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Where it is defined.
    Definitions,
    /// Where it is referred to.
    References,
}

/// A place that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodePlace {
    /// Path relative to the workspace.
    pub path: String,
    /// 1-based.
    pub line: usize,
    /// What the name is there, in one word.
    pub kind: String,
    /// The definitions around it, as `Type.method`.
    pub container: Option<String>,
}

/// The index of a workspace. An error is why it cannot tell, in one line.
pub trait CodeIndex: Send + Sync {
    /// Returns the places that have a name. `staged` are files that may differ from what the index knows.
    fn places(
        &self,
        asked: Asked,
        name: &str,
        staged: &[String],
        read: &ReadText<'_>,
    ) -> Result<Vec<CodePlace>, String>;

    /// Returns the source files, those first that others refer to most.
    fn sources(&self) -> Result<Vec<String>, String>;

    /// Returns the files with this name, in any case, whatever folder they are in.
    fn called(&self, name: &str) -> Result<Vec<String>, String>;

    /// Returns the files that are most like a text, best first.
    fn similar(&self, text: &str) -> Result<Vec<String>, String>;
}
