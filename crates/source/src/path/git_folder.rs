//! Names of git's folder, in every spelling that some file system takes for `.git`.
//!
//! In: a path with `/` or `\` between its parts. Out: whether one of them is git's folder. The rules
//! are those of git itself (`is_hfs_dotgit`, `is_ntfs_dotgit`), and a little wider: a file system that
//! ignores case or invisible characters may be mounted anywhere, and a repository moves.

/// Code points that have no glyph (Unicode's `Default_Ignorable_Code_Point`); HFS+ ignores some of
/// them in names, directories of ext4 and F2FS that ignore case all.
const IGNORED: [(char, char); 18] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fff8}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
    // Controls but NUL, which no name has: Windows refuses them, a terminal hides them.
    ('\u{1}', '\u{1f}'),
];

/// Tells whether a path is git's folder, or below it.
pub fn is_in_git_folder(path: &str) -> bool {
    path.split(['/', '\\']).any(is_git_folder)
}

/// Tells whether a name without folders stands for git's folder somewhere.
fn is_git_folder(name: &str) -> bool {
    let seen: String = name
        .chars()
        .filter(|c| !IGNORED.iter().any(|(from, to)| (*from..=*to).contains(c)))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    // NTFS: behind a colon is a stream of the file, and blanks and dots at the end do not count.
    let name = seen.split_once(':').map_or(seen.as_str(), |(name, _)| name);
    let name = name.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    name == ".git" || is_short_name(name)
}

/// Tells whether a name is one that FAT or NTFS may give `.git` in 8.3 characters: `git~1`, and from
/// the fifth such name on `gi`, four digits of a hash, `~1`.
fn is_short_name(name: &str) -> bool {
    let Some((start, number)) = name.split_once('~') else {
        return false;
    };
    let hash = start.strip_prefix("gi").filter(|hash| hash.len() == 4);
    let is_hash = hash.is_some_and(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (start == "git" || is_hash) && is_number
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_spelling_of_gits_folder_is_known() {
        for path in [
            ".git",
            ".GIT",
            ".gIt/config",
            "a/.git/hooks/x",
            "a\\.git\\config",
            ".g\u{200c}it/config",
            "\u{feff}.git",
            ".git\u{206f}",
            ".g\u{ad}i\u{fe0f}t",
            ".git\u{e0041}/x",
            ".git ",
            ".git.",
            ".git . ./config",
            ".git\u{a0}",
            ".git::$INDEX_ALLOCATION/config",
            ".git:x",
            ".git .::$DATA",
            "git~1",
            "GIT~1/config",
            "git~4 ",
            "gi7d29~1",
            "GI00FF~12",
            ".git\t",
            ".git\n",
        ] {
            assert!(is_in_git_folder(path), "{path:?}");
        }
    }

    #[test]
    fn other_names_are_no_folder_of_gits() {
        for path in [
            "",
            ".",
            ".gitignore",
            ".github/x",
            ".gitmodules",
            "a.git",
            "..git",
            "git",
            "dot.git/x",
            ". git",
            "git~",
            "git~x",
            "gist~1",
            "gizzzz~1",
            "ab:.gi",
            "e\u{301}",
        ] {
            assert!(!is_in_git_folder(path), "{path:?}");
        }
    }

    /// The letters of `.git` in any case, with what is ignored between them.
    fn spelling() -> impl Strategy<Value = String> {
        let ignored = proptest::sample::select(IGNORED.to_vec());
        let ignored = (ignored, any::<u32>()).prop_map(|((from, to), at)| {
            let span = to as u32 - from as u32 + 1;
            char::from_u32(from as u32 + at % span).unwrap_or(from)
        });
        let between = proptest::collection::vec(ignored, 0..3);
        let letter = |c: char| (between.clone(), any::<bool>(), between.clone(), Just(c));
        let letters = ['.', 'g', 'i', 't'].map(letter);
        let end = "[ .]{0,3}(:[a-zA-Z$:_]{0,9})?";
        (letters, end).prop_map(|(letters, end)| {
            let letter = |(before, upper, after, c): (Vec<char>, bool, Vec<char>, char)| {
                let c = if upper { c.to_ascii_uppercase() } else { c };
                before
                    .into_iter()
                    .chain([c])
                    .chain(after)
                    .collect::<String>()
            };
            letters.map(letter).concat() + &end
        })
    }

    proptest! {
        #[test]
        fn no_disguised_name_of_the_git_folder_passes(before in "([a-z]{1,4}[/\\\\]){0,2}", name in spelling()) {
            for path in [format!("{before}{name}"), format!("{before}{name}/x")] {
                prop_assert!(is_in_git_folder(&path), "{path:?}");
            }
        }

        #[test]
        fn a_plain_name_is_not_taken_for_the_git_folder(path in "[a-z_]{1,8}(/[a-z0-9_]{1,8}){0,2}(\\.[a-z]{1,4})?") {
            prop_assert!(!is_in_git_folder(&path));
        }
    }
}
