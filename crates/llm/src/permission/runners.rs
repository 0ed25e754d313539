//! Rules that allow more than they seem to: programs that run others.

use super::{Permission, Rule};

/// How commands begin that can be made to run any program, and by what.
const RUNNERS: &[(&str, &str)] = &[
    ("awk", "`system()`"),
    ("bash", "any script"),
    ("docker", "any container"),
    ("env", "any command"),
    ("find", "`-exec`"),
    ("git -c", "any setting"),
    ("git bisect", "`run`"),
    ("git diff", "`--ext-diff` and `--output`"),
    ("git grep", "`--open-files-in-pager`"),
    ("git log", "`--ext-diff` and `--output`"),
    ("git rebase", "`--exec`"),
    ("git show", "`--ext-diff` and `--output`"),
    ("git", "`-c` and aliases"),
    ("make", "any rule of any file (`-f`)"),
    ("node", "`-e`"),
    ("npm", "scripts"),
    ("npx", "any package"),
    ("perl", "`-e`"),
    ("python", "`-c`"),
    ("python3", "`-c`"),
    ("rsync", "`-e`"),
    ("ruby", "`-e`"),
    ("sed", "the command `e`"),
    ("sh", "any script"),
    ("ssh", "any command"),
    ("sudo", "any command"),
    ("tar", "`--to-command`"),
    ("timeout", "any command"),
    ("vim", "`-c`"),
    ("xargs", "any command"),
];

/// Returns what a rule lets run beyond its own program, if it does.
pub(super) fn runs_others(rule: &Rule) -> Option<&'static str> {
    let begins = rule.pattern.strip_suffix('*')?;
    if rule.action != Permission::Allow || begins.is_empty() {
        return None;
    }
    let begins = begins.trim_end();
    let runner = RUNNERS.iter().find(|(command, _)| *command == begins);
    runner.map(|(_, by)| *by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_run_anything_are_told() {
        let check = |pattern: &str, expected: bool| {
            let rule = Rule {
                tool: "bash".to_owned(),
                pattern: pattern.to_owned(),
                action: Permission::Allow,
            };
            assert_eq!(runs_others(&rule).is_some(), expected, "{pattern}");
        };
        for pattern in ["find *", "find*", "tar *", "git log*", "git *", "env *"] {
            check(pattern, true);
        }
        for pattern in [
            "cargo test *",
            "find . -name x",
            "git status*",
            "*",
            "findings *",
        ] {
            check(pattern, false);
        }
    }
}
