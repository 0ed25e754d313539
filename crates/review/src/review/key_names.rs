//! Names of the keys that the review's messages mention.
//!
//! In: names, from the key map. Out: the same, for whoever writes a message. The review knows no key map.

use std::borrow::Cow;

/// The name of a key.
type Name = Cow<'static, str>;

macro_rules! key_names {
    ($($name:ident: $context:literal $id:literal,)*) => {
        /// What keys are called.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct KeyNames {
            $(
                #[doc = concat!("What the key of `", $id, "` in `", $context, "` is called.")]
                pub $name: Name,
            )*
        }

        impl KeyNames {
            /// Asks for the name of each key, by the context and the action that it has in `[keys]`.
            pub fn new(name: impl Fn(&str, &str) -> Name) -> Self {
                Self {
                    $($name: name($context, $id),)*
                }
            }
        }
    };
}

key_names! {
    approve: "review" "approve",
    deny: "review" "deny",
    edit: "review" "edit",
    edit_in_place: "review" "edit-in-place",
    toggle: "review" "toggle",
    approve_same: "review" "approve-same",
    approve_all: "review" "approve-all",
    approve_folded: "review" "approve-folded",
    fold: "review" "fold",
    next: "review" "next",
    filter: "review" "filter",
    more_context: "review" "more-context",
    take_back: "review" "take-back",
    select_lines: "review" "select-lines",
    placement: "review" "placement",
    keep_mine: "review" "keep-mine",
    take_theirs: "review" "take-theirs",
    sign_off: "review" "sign-off",
    approve_lines: "lines" "approve",
    deny_lines: "lines" "deny",
    toggle_line: "lines" "toggle",
    write: "sign-off" "write",
    write_and_continue: "sign-off" "write-and-continue",
    write_and_stop: "sign-off" "write-and-stop",
    test_all: "sign-off" "test-all",
    undo_written: "written" "undo",
    whole: "confirm" "whole",
}

impl Default for KeyNames {
    /// Names each action in the place of its key, until the key map is known.
    fn default() -> Self {
        Self::new(|_, id| Cow::Owned(format!("`{id}`")))
    }
}
