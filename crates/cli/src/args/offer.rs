//! Arguments of `offer` and `take`.
//!
//! In: the command line. Out: what is handed to whom, where it comes from, and the format of the output.

use std::path::PathBuf;

use clap::{ArgGroup, Args as Group};

/// `offer`
#[derive(Debug, Group)]
#[command(group(ArgGroup::new("what").args(["branch", "review_for", "answers", "withdraw"])))]
pub struct OfferArgs {
    /// Only these changesets: the id, or its first or last characters; without any, all that waits.
    #[arg(conflicts_with = "answers")]
    pub changesets: Vec<String>,
    /// Push it to this remote, by its name or address.
    #[arg(long, value_name = "REMOTE", conflicts_with = "bundle")]
    pub to: Option<String>,
    /// Write it to a new file, which `signoff take FILE` and `git fetch FILE` read.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["branch", "review_for"])]
    pub bundle: Option<PathBuf>,
    /// Push it as a branch as well, for a pull request.
    #[arg(long, value_name = "NAME", requires = "to")]
    pub branch: Option<String>,
    /// Push it to `refs/for/BRANCH` alone, where Gerrit, Forgejo and Gitea take changes for review; `main%topic=NAME` and
    /// `main/NAME` name a topic as they do.
    #[arg(long = "for", value_name = "BRANCH", requires = "to")]
    pub review_for: Option<String>,
    /// Withdraw this offer of yours, here and at the remote; `signoff take` says so to whoever took it.
    #[arg(long, value_name = "ID", conflicts_with_all = ["changesets", "bundle"])]
    pub withdraw: Option<String>,
    /// Send your verdicts on what you took, instead of what waits.
    #[arg(long)]
    pub answers: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `take`
#[derive(Debug, Group)]
pub struct TakeArgs {
    /// A remote, by its name or address, or the file of a bundle; without one, what was fetched before.
    pub source: Option<String>,
    /// The offer, by the first digits of its id, or by what the remote calls it: a branch, `refs/pull/1/head`; needed where
    /// several wait.
    pub offer: Option<String>,
    /// Only list the offers and the verdicts that are there.
    #[arg(long)]
    pub list: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
