//! Branches that other work trees of a repository have checked out.
//!
//! ```text
//! main/         on main      this work tree is on topic: what a program commits moves topic, and
//! ../review     on topic2    neither main nor topic2
//! ```
//!
//! In: a repository. Out: these branches, each with the work tree. Git moves none of them either, but where it is told a
//! reference by its whole name.

use std::collections::BTreeMap;

use super::repository::{Repository, line};
use super::{Asker, MAX_LISTED};
use crate::process::{Ended, Limits};

/// Files that name the branch that is being rebased: `HEAD` names a commit meanwhile.
const REBASED: [&str; 2] = ["rebase-merge/head-name", "rebase-apply/head-name"];
/// What `HEAD` says where references are in tables.
pub(super) const IN_TABLES: &str = "ref: refs/heads/.invalid";

impl Asker<'_> {
    /// Returns the branches that the other work trees of a repository have checked out, and where these are.
    ///
    /// # Errors
    ///
    /// Fails if one cannot be looked at safely.
    pub(crate) fn checked_out_elsewhere(
        &self,
        repository: &Repository,
    ) -> Result<BTreeMap<String, String>, String> {
        let mut branches = BTreeMap::new();
        for (own, top) in repository.others()? {
            let at = top.display().to_string();
            for name in REBASED {
                if let Some(branch) = line(&own.join(name))? {
                    branches.insert(branch, at.clone());
                }
            }
            let other = Repository {
                common: repository.common.clone(),
                own,
                top,
            };
            let head = match line(&other.own.join("HEAD"))? {
                Some(head) if head == IN_TABLES => self.head_in_tables(other)?,
                head => head.unwrap_or_default(),
            };
            if let Some(branch) = head.strip_prefix("ref:") {
                branches.insert(branch.trim().to_owned(), at);
            }
        }
        Ok(branches)
    }

    fn head_in_tables(&self, other: Repository) -> Result<String, String> {
        let view = other.view()?;
        let limits = Limits {
            most_bytes: MAX_LISTED,
            ..self.limits
        };
        let arguments = ["symbolic-ref", "--quiet", "HEAD"];
        let report = self.run(&view, view.folder(), &arguments, limits)?;
        match report.ended {
            Ended::Exit(0) => Ok(format!("ref: {}", report.out.text().trim())),
            // A commit is checked out.
            Ended::Exit(1) => Ok(String::new()),
            _ => Err("git cannot read what is checked out in another work tree".to_owned()),
        }
    }
}
