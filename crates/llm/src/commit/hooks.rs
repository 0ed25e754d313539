//! Hooks of git at a commit of what was signed off: they run in the shadow, on the tree that is to be committed.
//!
//! In: the tree and a message. Out: the message as the hooks leave it, and which ran; or what
//! one that failed printed, and nothing is committed.
//!
//! ```text
//! shadow   git read-tree TREE; git commit -F message     pre-commit, prepare-commit-msg, commit-msg, post-commit run
//! taken    the message                                   all else that they wrote is dropped with the layer
//! ```
//!
//! A hook that stages something else fails the commit: what was signed off is committed, and nothing more.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use signoff_sandbox::git_write::{CommitRefusal, Identities, ObjectId, WriteResult};
use signoff_sandbox::process::{self, Ended, Limits, Program, Supervision};
use signoff_sandbox::shadow::{Launch, Origin, Setup, Shadow};

use super::{CommitHooks, HookedCommit};

/// How long the hooks of a commit may run: a pre-commit hook that runs a project's tests takes minutes.
const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(600),
    most_bytes: 256 * 1024,
};
/// Lines that are shown of what a hook printed: the end says why it failed.
const MAX_LINES: usize = 20;

/// Prints the hooks that there are, the tree and the message, each behind a line of its own.
const SCRIPT: &str = r#"set -e
hooks=$(git rev-parse --git-path hooks)
for hook in pre-commit prepare-commit-msg commit-msg post-commit; do
  if [ -x "$hooks/$hook" ]; then printf 'hook %s\n' "$hook"; fi
done
git read-tree "$SIGNOFF_TREE"
git update-index -q --refresh >/dev/null || true
printf '%s\n' "$SIGNOFF_MESSAGE" | git commit -q --allow-empty --no-gpg-sign --cleanup=verbatim -F - >&2
printf 'tree %s\n' "$(git rev-parse 'HEAD^{tree}')"
git log -1 --format=%B
"#;

/// How hooks of git are run.
#[derive(Clone, Debug)]
pub struct HookRunner {
    /// How a shadow of the workspace is made.
    pub setup: Setup,
    /// Who ends them if this process does not.
    pub supervision: Supervision,
}

impl CommitHooks for HookRunner {
    fn run(
        &self,
        tree: &ObjectId,
        message: &str,
        identities: &Identities,
    ) -> WriteResult<HookedCommit> {
        let failed = |error: std::io::Error| format!("the hooks of git cannot be run: {error}");
        let mut shadow = Shadow::open(self.setup.clone(), Origin::Hooks).map_err(failed)?;
        shadow.stage(Vec::new()).map_err(failed)?;
        let Identities { author, committer } = identities;
        let variables: [(&str, &str); 8] = [
            ("SIGNOFF_TREE", tree.as_str()),
            ("SIGNOFF_MESSAGE", message.trim_end()),
            ("GIT_AUTHOR_NAME", &author.name),
            ("GIT_AUTHOR_EMAIL", &author.email),
            ("GIT_COMMITTER_NAME", &committer.name),
            ("GIT_COMMITTER_EMAIL", &committer.email),
            ("GIT_EDITOR", ":"),
            ("TERM", "dumb"),
        ];
        let launch = Launch {
            name: "sh".as_ref(),
            arguments: &["-c".into(), SCRIPT.into()],
            folder: None,
            variables: &variables,
        };
        let (name, arguments) = shadow.wrap(&launch).map_err(failed)?;
        let program = Program {
            name,
            arguments,
            folder: self.setup.root.clone(),
            inherits: false,
            hidden: Vec::new(),
            variables: Vec::new(),
            supervision: self.supervision,
        };
        let stop = AtomicBool::new(false);
        let report = process::run(&program, LIMITS, &stop, &mut |_, _| {}).map_err(failed)?;
        if let Some(why) = shadow.failure() {
            return Err(format!("the hooks of git cannot be run: {why}"));
        }
        let why = match report.ended {
            Ended::Exit(0) => return Ok(hooked(&report.out.text(), tree)),
            Ended::TimedOut => format!("they took over {} minutes", LIMITS.timeout.as_secs() / 60),
            Ended::Stopped => "cancelled".to_owned(),
            Ended::Exit(_) | Ended::Signal(_) => last_lines(&report.err.text()),
        };
        Ok(Err(CommitRefusal::Hook(why)))
    }
}

/// Reads what the script printed.
fn hooked(printed: &str, tree: &ObjectId) -> Result<HookedCommit, CommitRefusal> {
    let mut ran = Vec::new();
    let mut rest = printed;
    while let Some((line, behind)) = rest.split_once('\n') {
        rest = behind;
        if let Some(hook) = line.strip_prefix("hook ") {
            ran.push(hook.to_owned());
        } else if let Some(own) = line.strip_prefix("tree ") {
            if own != tree.as_str() {
                let why = "a hook changed what is committed; have it change the files, and sign those changes off";
                return Err(CommitRefusal::Hook(why.to_owned()));
            }
            break;
        }
    }
    Ok(HookedCommit {
        message: rest.trim_end().to_owned(),
        ran,
    })
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let first = lines.len().saturating_sub(MAX_LINES);
    lines.split_at(first).1.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hooks_leave_is_a_message_and_the_same_tree() {
        let tree = ObjectId::parse(&"a".repeat(40)).unwrap();
        let read = |printed: &str| hooked(printed, &tree);
        let own = format!(
            "hook pre-commit\ntree {}\nsubject\n\nbody\n\n",
            tree.as_str()
        );
        let expected = HookedCommit {
            message: "subject\n\nbody".to_owned(),
            ran: vec!["pre-commit".to_owned()],
        };
        assert_eq!(read(&own), Ok(expected));
        let other = own.replace("aaaa", "bbbb");
        assert!(matches!(read(&other), Err(CommitRefusal::Hook(_))));
        assert_eq!(last_lines("a\nb\n\n"), "a\nb");
    }
}
