//! `sign-in`
//!
//! In: the command line. Out: its words.

use clap::Args as Group;

/// `sign-in`
#[derive(Debug, Group)]
pub struct SignInArgs {
    /// The server, as `[mcp.NAME]` or `.mcp.json` names it; without it, the servers are listed.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Ask for this scope beside those that were granted before; may be repeated.
    #[arg(long, value_name = "SCOPE", requires = "name")]
    pub scope: Vec<String>,
    /// Forget the sign-in.
    #[arg(long, requires = "name", conflicts_with = "scope")]
    pub forget: bool,
}
