//! Files that a marked file starts by name: `"postinstall": "node ./tools/setup.js"` in `package.json`.
//!
//! In: the text of a file that makes a program run, and the path of another one relative to it. Out: whether the text
//! starts that one. It is a look at words, for any format: an interpreter or `source` before the path, or the path as a
//! command of its own (`./setup.sh`). Sources that a build compiles, as `main: lib/index.js` or `foo.o: foo.c`, are not started.

use std::collections::HashSet;

use super::aliases::below;
use crate::disk::workspace::WorkspacePath;
use crate::word::is_listed;

/// Words before a path that start it. `run` and `uses` are keys of continuous integration.
const STARTERS: &[&str] = &[
    "sh bash zsh dash ksh fish pwsh powershell nu node nodejs bun deno tsx ts-node esno jiti npx",
    "python python2 python3 pypy3 ruby perl php lua luajit rscript julia guile tclsh osascript",
    "elixir escript groovy scala kotlin swift java source . exec env sudo nohup time xargs eval",
    "command uses: run: run load source_env watch_file dotenv entrypoint cmd -r --require",
    "--import --loader -e -f",
];
/// Separators of words in shells, lists of JSON and fields of YAML.
const SEPARATORS: &[char] = &[
    ' ', '\t', '\n', '\r', '"', '\'', '`', ',', '[', ']', '(', ')', ';', '&', '|', '=',
];
/// What stands before a command of its own.
const BEFORE_COMMAND: &[char] = &['\n', '\t', ';', '&', '|', '(', '@', '`'];
/// Extensions that a starter may leave out: `node ./tools/setup`.
const LEFT_OUT: &[&str] = &[".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py"];

/// A text that may start files.
pub(super) struct Starter {
    pub(super) path: WorkspacePath,
    text: String,
    /// The last parts of all paths in it: a program may leave 20,000 files, and nearly none is named anywhere.
    names: HashSet<String>,
}

impl Starter {
    pub(super) fn new(path: WorkspacePath, text: String) -> Self {
        let paths = text.split(|c| !is_of_path(c));
        let names = paths
            .filter_map(|path| path.rsplit('/').next())
            .filter(|name| !name.is_empty());
        Self {
            names: names.map(str::to_owned).collect(),
            path,
            text,
        }
    }

    /// Returns whether this starts a file by a path relative to one of these folders.
    pub(super) fn starts(&self, file: &WorkspacePath, folders: &[WorkspacePath]) -> bool {
        let name = file.name();
        if !self.names.contains(name)
            && !without_extension(name).is_some_and(|name| self.names.contains(name))
        {
            return false;
        }
        let mut rests = folders.iter().filter_map(|folder| below(file, folder));
        rests.any(|rest| starts(&self.text, rest))
    }
}

fn without_extension(path: &str) -> Option<&str> {
    LEFT_OUT.iter().find_map(|end| path.strip_suffix(end))
}

/// Returns whether a text starts the file with this relative path.
fn starts(text: &str, path: &str) -> bool {
    let short = without_extension(path).filter(|short| short.contains('/'));
    [Some(path), short].into_iter().flatten().any(|path| {
        text.match_indices(path).any(|(at, _)| {
            let (before, after) = (text.get(..at), text.get(at + path.len()..));
            let ends = after.is_some_and(|after| !after.starts_with(is_of_path));
            ends && before.is_some_and(starts_here)
        })
    })
}

/// Returns whether what stands after this text is started.
fn starts_here(before: &str) -> bool {
    let here = before.strip_suffix("./");
    // The path goes on to the left, and is that of another file.
    if here.unwrap_or(before).ends_with(is_of_path) {
        return false;
    }
    let line_start = here.is_some_and(|here| {
        let here = here.trim_end_matches(' ');
        here.is_empty() || here.ends_with(BEFORE_COMMAND)
    });
    let mut words = here
        .unwrap_or(before)
        .rsplit(SEPARATORS)
        .filter(|word| !word.is_empty());
    line_start
        || words
            .next()
            .is_some_and(|word| is_starter(word, words.next()))
}

fn is_starter(word: &str, above: Option<&str>) -> bool {
    // Options may stand between: `node --no-warnings setup.js`.
    is_starter_name(word) || word.starts_with('-') && above.is_some_and(is_starter_name)
}

fn is_starter_name(word: &str) -> bool {
    let word = word.rsplit('/').next().unwrap_or(word).to_lowercase();
    is_listed(word.as_str(), STARTERS)
}

fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_starts_by_name_is_told_from_what_it_mentions() {
        for (text, path, is_started) in [
            (r#"{"scripts":{"postinstall":"node ./x.js"}}"#, "x.js", true),
            (
                r#"{"scripts":{"prepare":"node --no-warnings tools/x.mjs && tsc"}}"#,
                "tools/x.mjs",
                true,
            ),
            (
                r#"{"scripts":{"prepare":"node tools/x"}}"#,
                "tools/x.js",
                true,
            ),
            (
                r#"{"scripts":{"test":"NODE_ENV=test bash scripts/t.sh"}}"#,
                "scripts/t.sh",
                true,
            ),
            (
                r#"{"main":"./lib/index.js","files":["lib/index.js"]}"#,
                "lib/index.js",
                false,
            ),
            (
                r#"{"exports":{"import":"./dist/x.js"}}"#,
                "dist/x.js",
                false,
            ),
            ("source ./env/dev.sh\n", "env/dev.sh", true),
            (". env/dev.sh\n", "env/dev.sh", true),
            ("test:\n\t./run-tests.sh\n", "run-tests.sh", true),
            ("foo.o: foo.c foo.h\n", "foo.c", false),
            (
                "      - run: python3 .ci-tools/check.py\n",
                ".ci-tools/check.py",
                true,
            ),
            ("CMD [\"node\", \"server.js\"]\n", "server.js", true),
            ("COPY server.js .\n", "server.js", false),
            ("node other/x.js\n", "x.js", false),
            ("node x.json\n", "x.js", false),
            ("see x.js\n", "x.js", false),
        ] {
            assert_eq!(starts(text, path), is_started, "{text}");
        }
    }
}
