//! Arguments of the commands that ask the index.
//!
//! In: the command line. Out: a request or a name, and how it is printed.

use clap::Args as Group;

/// `context`
#[derive(Debug, Group)]
pub struct ContextArgs {
    /// The request, in words.
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Print JSON, one file a line.
    #[arg(long)]
    pub json: bool,
    /// How many files at most.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
}

/// `symbols` and `references`
#[derive(Debug, Group)]
pub struct SymbolArgs {
    /// The name; `Type.method` for one within another.
    pub name: String,
    /// Print JSON, one place a line.
    #[arg(long)]
    pub json: bool,
}
