//! `signoff keys`: the keys of the interface.
//!
//! In: the user's configuration. Out: a line for each action: its context, its name, its keys and what it does.
//!
//! ```text
//! review          approve             a                 approve the hunk
//! review          deny                d                 deny the hunk, with a reason
//! ```

use signoff_setup::config::KeySettings;
use signoff_setup::paths::Paths;
use signoff_tui::app::keymap::{Context, KeyLine, KeyMap};

use super::{Ending, out};
use crate::args::KeysArgs;
use crate::configuration::key_map;

/// What stands in the place of keys where an action has none.
const NO_KEY: &str = "-";

pub(super) fn run(paths: &Paths, args: &KeysArgs) -> anyhow::Result<Ending> {
    let (keys, errors) = if args.default {
        (KeyMap::default(), Vec::new())
    } else {
        key_map(&KeySettings::load(&paths.config)?)
    };
    let printed = out::text(&table(&keys));
    // Also where the reader of the table has gone, as `head` does.
    for error in &errors {
        out::remark(error);
    }
    printed?;
    Ok(if errors.is_empty() {
        Ending::Done
    } else {
        Ending::Unmet
    })
}

/// Returns the table, context by context.
fn table(keys: &KeyMap) -> String {
    let lines: Vec<[String; 4]> = Context::all()
        .flat_map(|context| keys.of(context))
        .map(columns)
        .collect();
    let [context, action, names] = [0, 1, 2].map(|column| {
        let texts = lines.iter().filter_map(|line| line.get(column));
        texts.map(|text| text.chars().count()).max().unwrap_or(0)
    });
    let lines = lines.iter().map(|[place, id, keys, does]| {
        format!("{place:context$}  {id:action$}  {keys:names$}  {does}\n")
    });
    lines.collect()
}

fn columns(line: &KeyLine) -> [String; 4] {
    let names = line.all_names();
    let names = if names.is_empty() {
        NO_KEY.to_owned()
    } else {
        names
    };
    [
        line.binding.context.word().to_owned(),
        line.binding.id.to_owned(),
        names,
        line.binding.does.to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the keys of an action and what it does, as the table has them.
    fn keys_of(action: &str, keys: &KeyMap) -> String {
        let table = table(keys);
        let mut lines = table.lines().map(|line| line.split_whitespace().collect());
        let line = lines.find(|words: &Vec<&str>| {
            words
                .get(..2)
                .is_some_and(|words| words.join(".") == action)
        });
        line.unwrap()[2..].join(" ")
    }

    #[test]
    fn every_action_is_a_line_with_its_keys() {
        let user: toml::Value = toml::from_str("review = { approve = 'f5', undo = [] }").unwrap();
        let (user, built_in) = (KeyMap::with_user_keys(&user).unwrap(), KeyMap::default());
        for (keys, action, expected) in [
            (&built_in, "review.approve", "a approve the hunk"),
            (&user, "review.approve", "F5 approve the hunk"),
            (
                &user,
                "review.undo",
                "- revert the last change in all of its files",
            ),
            (&user, "places.place-9", "9 put the edit at place 9"),
            (
                &user,
                "review.sign-off",
                "Enter, w sign off: a page shows what will be written",
            ),
        ] {
            assert_eq!(keys_of(action, keys), expected, "{action}");
        }
        let lines = table(&built_in).lines().count();
        assert_eq!(lines, built_in.lines().count());
    }
}
