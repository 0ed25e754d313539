//! `comment`: what the review agent says of a hunk that it was shown.
//!
//! In: the number of a hunk, a line of its new text, how serious it is, and a text. Out: a comment for the user. It stages
//! nothing and decides nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use signoff_core::id::HunkId;
use signoff_core::quote::one_line;
use signoff_core::stage::review::critique::{CommentSeverity, CriticComment, MOST_ON_HUNK};

use super::arguments::{Told, arguments, count, integer, one_of, said, text};
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};
use crate::critic::ShownHunks;

/// The name of the tool.
const COMMENT: &str = "comment";

/// Maximum number of comments of one look.
const MOST_OF_A_LOOK: usize = 40;

/// Maximum length of the line about a call, in bytes.
const MOST_SHOWN: usize = 120;

/// The tool, what the agent is shown, and what takes its comments.
pub(crate) struct CommentOnHunk {
    shown: Arc<OnceLock<ShownHunks>>,
    made: Mutex<HashMap<HunkId, Vec<CriticComment>>>,
    tell: Box<dyn Fn(CriticComment) + Send + Sync>,
}

impl CommentOnHunk {
    /// Returns the tool for a look at these hunks, once they are known.
    pub(crate) fn new(
        shown: Arc<OnceLock<ShownHunks>>,
        tell: impl Fn(CriticComment) + Send + Sync + 'static,
    ) -> Self {
        Self {
            shown,
            made: Mutex::default(),
            tell: Box::new(tell),
        }
    }

    /// Tells of a comment, unless there are too many or it was made before.
    fn take(&self, comment: CriticComment) -> Result<(), String> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.values().map(Vec::len).sum::<usize>() >= MOST_OF_A_LOOK {
            return Err(format!("{MOST_OF_A_LOOK} comments are enough: end now"));
        }
        let own = made.entry(comment.hunk).or_default();
        if own.contains(&comment) {
            return Err("this comment was made already".to_owned());
        }
        if own.len() >= MOST_ON_HUNK {
            return Err(format!("this hunk has {MOST_ON_HUNK} comments already"));
        }
        own.push(comment.clone());
        (self.tell)(comment);
        Ok(())
    }
}

arguments! {
    pub(crate) struct Arguments {
        hunk: usize = Told::Required(said(integer(), "its number")),
        #[serde(default, deserialize_with = "count")]
        line: Option<usize> = Told::Optional(said(integer(), "number in the new text; none for the whole hunk")),
        severity: String = Told::Required(one_of(&CommentSeverity::ALL.map(CommentSeverity::word))),
        text: String = Told::Required(said(text(), "one or two sentences")),
    }
}

impl PlainTool for CommentOnHunk {
    type Arguments = Arguments;
    const NAME: &'static str = COMMENT;
    const DESCRIPTION: &'static str = "Tell the user what is wrong with a hunk.";
    const REACH: Reach = Reach::Observe;

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        let Arguments {
            hunk,
            severity,
            text,
            ..
        } = arguments;
        let line = one_line(&format!("hunk {hunk}, {severity}: {text}"), MOST_SHOWN);
        CallFacts::none().looking_for(&line, None)
    }

    fn run(&self, arguments: &Arguments, _context: &ToolContext<'_>) -> ToolOutput {
        let shown = self.shown.get().ok_or("there is no hunk");
        let comment = shown.map_err(str::to_owned).and_then(|shown| {
            let severity = arguments.severity.parse::<CommentSeverity>()?;
            shown.comment((arguments.hunk, arguments.line), severity, &arguments.text)
        });
        match comment.and_then(|comment| self.take(comment)) {
            Ok(()) => ToolOutput::done("the user will read it", "noted"),
            Err(why) => ToolOutput::failed(format!("error: {why}"), why),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::critic::CritiqueTask;
    use crate::instructions::Profile;
    use crate::tool::testing::Folder;
    use crate::tool::{OfferedTool, Registry};

    #[test]
    fn comments_are_bounded_and_about_what_was_shown() {
        let folder = Folder::new(&[("a.txt", "one\ntwo\nthree\n")]);
        folder.call(
            "edit_section",
            json!({"path": "a.txt", "description": "x", "edits": [{"old_text": "two", "new_text": "2"}]}),
        );
        let files = folder.engine.lock().unwrap().review().unwrap();
        let task = CritiqueTask::of("", &files, |_, _| true, Profile::Full);
        let told = Arc::new(Mutex::new(Vec::new()));
        let inbox = Arc::clone(&told);
        let tool = OfferedTool::new(CommentOnHunk::new(
            Arc::new(OnceLock::from(task.shown)),
            move |comment| inbox.lock().unwrap().push(comment),
        ));
        let tools = Registry::of(vec![tool]);
        let call = |arguments: Value| {
            crate::tool::testing::run(&tools, COMMENT, &arguments, &folder.context())
        };
        for (arguments, why) in [
            (comment(json!(2), "Not a number."), ""),
            (comment(json!("2"), "Not a number."), "made already"),
            (comment(json!(9), "x"), "has the new lines 1 to 3"),
            (comment(json!(null), " \n"), "empty"),
            (
                json!({"hunk": 2, "severity": "bug", "text": "x"}),
                "no hunk 2; there are 1 to 1",
            ),
            (
                json!({"hunk": 0, "severity": "bug", "text": "x"}),
                "no hunk 0",
            ),
            (
                json!({"hunk": 1, "severity": "approve", "text": "x"}),
                "none of bug, risk",
            ),
            (json!({"hunk": 1, "severity": "bug"}), "missing field"),
            (comment(json!(null), &"long\n".repeat(1000)), ""),
            (comment(json!(null), "3"), ""),
            (comment(json!(null), "4"), ""),
            (comment(json!(null), "5"), ""),
            (comment(json!(null), "6"), "5 comments already"),
        ] {
            let output = call(arguments.clone());
            assert_eq!(output.ok, why.is_empty(), "{arguments}: {output:?}");
            assert!(output.content.contains(why), "{arguments}: {output:?}");
            assert!(output.staged.is_empty());
        }
        let told = told.lock().unwrap();
        assert_eq!(told.len(), 5);
        assert_eq!((told[0].line(), told[0].path.as_str()), (Some(2), "a.txt"));
        assert!(told[1].text.len() <= 1024 + 3 && !told[1].text.contains('\n'));
    }

    fn comment(line: Value, text: &str) -> Value {
        json!({"hunk": 1, "line": line, "severity": "bug", "text": text})
    }
}
