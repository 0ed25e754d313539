//! Prepared calls: calls of the model whose arguments were read, once.
//!
//! In: a call as the model wrote it, and its tool. Out: a [`PreparedCall`], or the answer that says what is wrong with
//! the arguments.
//!
//! `{"path": "a.rs", "content": "x"}` for `write` becomes the tool with its typed arguments, the subject `a.rs` for the
//! rules and the prompt, and the file `a.rs` for notices.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::de::IgnoredAny;

use super::arguments::unheeded;
use super::{Delegation, Reach, Subjects, Tool, ToolContext, ToolOutput};
use crate::hook::HookedCall;
use crate::message::ToolCall;

/// No answer is longer, whatever a tool does. A command's two streams of 1 MB each fit in, with
/// every byte of them escaped.
const MOST_BYTES: usize = 13 * 1024 * 1024;

/// A call whose arguments were read: what the rules judge, what the user is asked and what runs.
///
/// These three are the same by construction. [`OfferedTool::prepare`](super::OfferedTool::prepare) is the only way to
/// make one: it reads the text of the arguments once, derives the subjects from the typed value, and keeps both with the
/// tool. Nothing can exchange one of them afterwards, since the fields are private and shared read-only, and
/// [`PreparedCall::run`] takes no arguments: it passes the kept value to the kept tool. The text in
/// [`PreparedCall::call`] is what goes back to the model, and no tool reads it again.
#[derive(Clone)]
pub struct PreparedCall {
    call: ToolCall,
    reach: Reach,
    time_limit: Option<Duration>,
    facts: Arc<CallFacts>,
    bound: Arc<dyn Bound>,
    /// The line of the answer on arguments that the tool does not know.
    unheeded: Option<String>,
    /// False once a hook had the user asked about it: what the user says is final.
    asks_hooks: bool,
}

/// What typed arguments say of their call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFacts {
    /// What the rules judge and the user is asked about.
    pub(super) subjects: Subjects,
    /// The files that the call is about, for notices and the instructions of folders.
    files: Vec<String>,
    /// What it runs or looks for, and where.
    input: Option<String>,
}

/// A tool with the arguments of one call of it.
trait Bound: Send + Sync {
    fn run(&self, context: &ToolContext<'_>) -> ToolOutput;
    fn new_text(&self) -> Option<&str>;
    fn delegation(&self) -> Option<&Delegation>;
}

struct BoundTool<T: Tool> {
    tool: Arc<T>,
    arguments: T::Arguments,
}

impl<T: Tool> Bound for BoundTool<T> {
    fn run(&self, context: &ToolContext<'_>) -> ToolOutput {
        self.tool.run(&self.arguments, context)
    }

    fn new_text(&self) -> Option<&str> {
        self.tool.new_text(&self.arguments)
    }

    fn delegation(&self) -> Option<&Delegation> {
        self.tool.delegation(&self.arguments)
    }
}

impl PreparedCall {
    /// Reads the arguments of a call of `tool`, or returns the answer to a call that cannot be read.
    pub(super) fn read<T: Tool>(
        tool: &Arc<T>,
        reach: Reach,
        call: &ToolCall,
    ) -> Result<Self, ToolOutput> {
        let read = tool.read(&call.arguments);
        let unheeded = tool
            .known()
            .and_then(|known| unheeded(&call.arguments, &known, &tool.spec().parameters));
        let arguments = read.map_err(|unfit| {
            malformed(&call.arguments).unwrap_or_else(|| noted(unfit, unheeded.as_deref()))
        })?;
        Ok(Self {
            call: call.clone(),
            reach,
            time_limit: tool.time_limit(),
            facts: Arc::new(tool.facts(&arguments)),
            bound: Arc::new(BoundTool {
                tool: Arc::clone(tool),
                arguments,
            }),
            unheeded,
            asks_hooks: true,
        })
    }

    /// Returns the call as the model wrote it.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Returns how far its tool reaches.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Returns what the rules judge and the user is asked about.
    pub fn subjects(&self) -> &Subjects {
        &self.facts.subjects
    }

    /// Returns the files that the call is about, as the model wrote them.
    pub(crate) fn files(&self) -> &[String] {
        &self.facts.files
    }

    /// Returns what the call runs or looks for, and where: `TODO in src`. None for a call whose answer names its file.
    pub(crate) fn input(&self) -> Option<&str> {
        self.facts.input.as_deref()
    }

    /// Returns the same call, of which hooks have had the user asked.
    pub(crate) fn without_hooks(self) -> Self {
        Self {
            asks_hooks: false,
            ..self
        }
    }

    /// Tells whether hooks are asked before it runs.
    pub(crate) fn asks_hooks(&self) -> bool {
        self.asks_hooks
    }

    /// Returns the call as hooks are to know it.
    pub(crate) fn hooked(&self) -> HookedCall<'_> {
        HookedCall {
            tool: &self.call.name,
            reach: self.reach,
            subjects: &self.facts.subjects,
            arguments: &self.call.arguments,
            new_text: self.bound.new_text(),
        }
    }

    /// Returns the new text of a file, or of a part of one, where the call brings it.
    pub(crate) fn new_text(&self) -> Option<&str> {
        self.bound.new_text()
    }

    /// Returns what an agent is to do, if the call starts one.
    pub(crate) fn delegation(&self) -> Option<&Delegation> {
        self.bound.delegation()
    }

    /// Returns how long the call may take, if that is bounded from outside.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.time_limit
    }

    /// Carries out the call; its answer has a bounded size.
    pub fn run(&self, context: &ToolContext<'_>) -> ToolOutput {
        let mut output = self.bound.run(context);
        if output.content.len() > MOST_BYTES {
            let cut = output.content.floor_char_boundary(MOST_BYTES);
            output.content.truncate(cut);
            output.content += "\n(cut: the answer was too long)";
        }
        noted(output, self.unheeded.as_deref())
    }
}

impl PartialEq for PreparedCall {
    /// Compares the calls as written, and what was read.
    fn eq(&self, other: &Self) -> bool {
        self.call == other.call && self.reach == other.reach && self.facts == other.facts
    }
}

impl fmt::Debug for PreparedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call, facts, .. } = self;
        let mut told = f.debug_struct("PreparedCall");
        told.field("call", call).field("facts", facts);
        told.finish_non_exhaustive()
    }
}

impl CallFacts {
    /// Returns the facts of a call that is used on no file.
    pub fn none() -> Self {
        Self::paths(Vec::new())
    }

    /// Returns the facts of a call that is used on this path; an empty one is the workspace.
    pub fn path(path: &str) -> Self {
        Self::paths(vec![path.to_owned()])
    }

    /// Returns the facts of a call that is used on these paths.
    pub fn paths(paths: Vec<String>) -> Self {
        Self {
            files: named(paths.clone()),
            subjects: Subjects::Paths(paths),
            input: None,
        }
    }

    /// Returns the facts of a call that runs a command.
    pub fn command(subjects: Subjects, line: &str) -> Self {
        Self {
            subjects,
            files: Vec::new(),
            input: None,
        }
        .looking_for(line, None)
    }

    /// Returns the same, about these files alone.
    pub(super) fn about(self, files: Vec<String>) -> Self {
        Self {
            files: named(files),
            ..self
        }
    }

    /// Returns the same of a call that looks for this, and that with a glob.
    pub(super) fn looking_for(self, wanted: &str, glob: Option<&str>) -> Self {
        let path = self.files.first().and_then(|path| filled(path));
        let path = path.filter(|path| path != ".");
        let path = path.map(|path| format!(" in {path}")).unwrap_or_default();
        let glob = glob.and_then(filled).map(|glob| format!(" ({glob})"));
        let glob = glob.unwrap_or_default();
        Self {
            input: filled(wanted).map(|wanted| wanted + &path + &glob),
            ..self
        }
    }
}

fn filled(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Leaves out empty paths, which name the workspace or nothing.
fn named(mut paths: Vec<String>) -> Vec<String> {
    paths.retain(|path| !path.is_empty());
    paths
}

/// Returns an answer with a line below it, if there is one.
fn noted(mut output: ToolOutput, line: Option<&str>) -> ToolOutput {
    if let Some(line) = line {
        if !output.content.is_empty() && !output.content.ends_with('\n') {
            output.content.push('\n');
        }
        output.content += line;
    }
    output
}

/// Returns the answer to arguments that are not JSON.
fn malformed(arguments: &str) -> Option<ToolOutput> {
    let error = serde_json::from_str::<IgnoredAny>(arguments).err()?;
    let advice = if error.is_eof() {
        "They end too early: send the whole call again, and less in one call."
    } else {
        "Send the whole call again."
    };
    Some(ToolOutput::failed(
        format!("error: the arguments are not valid JSON: {error}. Nothing was changed. {advice}"),
        "malformed arguments",
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::message::CallId;
    use crate::tool::Registry;
    use crate::tool::testing::Folder;

    fn prepare(tool: &str, arguments: &str) -> Result<PreparedCall, ToolOutput> {
        let call = ToolCall {
            id: CallId("call".to_owned()),
            name: tool.to_owned(),
            arguments: arguments.to_owned(),
        };
        Registry::standard().find(tool).unwrap().prepare(&call)
    }

    #[test]
    fn subjects_files_and_input_are_those_of_the_typed_arguments() {
        let patch = r#"{"diff":{"patch":"*** Begin Patch\n*** Delete File: p\n*** End Patch"}}"#;
        for (tool, arguments, shown, files, input) in [
            (
                "bash",
                r#"{"command":"ls -l\n"}"#,
                "ls -l\n\n(not confined: it can read and write everything that you can)",
                "",
                "ls -l",
            ),
            ("grep", r#"{"pattern":"a b"}"#, "", "", "a b"),
            (
                "grep",
                r#"{"pattern":"x","path":"src","glob":"*.rs"}"#,
                "src",
                "src",
                "x in src (*.rs)",
            ),
            ("find", r#"{"pattern":"x","path":"."}"#, ".", ".", "x"),
            ("references", r#"{"name":"load"}"#, "", "", "load"),
            ("read", r#"{"path":"a.rs","end":"3"}"#, "a.rs", "a.rs", ""),
            ("git_status", "[]", "", "", ""),
            ("move", r#"{"path":"a","to":"b"}"#, "a, b", "a", ""),
            (
                "edit_section",
                r#"{"path":"a","oldText":"x","new_string":"y"}"#,
                "a",
                "a",
                "",
            ),
            (
                "apply_structured_edits",
                &format!(
                    r#"{{"changes":[{{"path":"a","strategy":"move","move":{{"destination":"b"}}}},{patch}]}}"#
                ),
                "a, b, p",
                "a",
                "",
            ),
        ] {
            let prepared = prepare(tool, arguments).unwrap();
            assert_eq!(prepared.subjects().shown(), shown, "{tool} {arguments}");
            assert_eq!(prepared.files().join(" "), files, "{tool} {arguments}");
            let read = prepared.input().unwrap_or_default();
            assert_eq!(read, input, "{tool} {arguments}");
        }
    }

    #[test]
    fn the_new_text_is_what_an_edit_brings() {
        for (tool, arguments, expected) in [
            ("write", r#"{"path":"a","content":"x"}"#, Some("x")),
            ("execute_edit", r#"{"path":"a","content":"x"}"#, Some("x")),
            (
                "edit_section",
                r#"{"path":"a","edits":{"oldText":"x","newText":"y"}}"#,
                Some("y"),
            ),
            ("delete", r#"{"path":"a"}"#, None),
        ] {
            let prepared = prepare(tool, arguments).unwrap();
            assert_eq!(prepared.new_text(), expected, "{tool} {arguments}");
        }
    }

    #[test]
    fn an_argument_that_is_not_known_is_named_in_the_answer() {
        for (tool, arguments, expected) in [
            (
                "edit_section",
                json!({"path":"a","description":"d","old_text":"x","new_text":"y","replaceal":true}),
                "\nnote: no effect, as there is no such argument: replaceal (did you mean `replace_all`?)",
            ),
            (
                "read",
                json!({"path":"a","line_count":1}),
                "\nnote: no effect, as there is no such argument: line_count; there are path, start, end",
            ),
            (
                "read",
                json!({"path":"a","\ne":1,"b":1,"c":1,"d":1,"f":null}),
                ": \"\\ne\", b, c and 1 more; there are path, start, end",
            ),
            (
                "git_status",
                json!({"porcelain":true}),
                "no such argument: porcelain; it takes none",
            ),
            (
                "read",
                json!({"pth":"a"}),
                "Nothing was changed.\nnote: no effect, as there is no such argument: pth (did you mean `path`?)",
            ),
        ] {
            let output = Folder::new(&[("a", "x\n")]).call(tool, arguments);
            assert!(output.content.ends_with(expected), "{}", output.content);
        }
        // Aliases, and what is said beside a call.
        for (tool, arguments) in [
            (
                "edit_section",
                json!({"filePath":"a","oldText":"x","newText":"y","replaceAll":true}),
            ),
            ("read", json!({"file_path":"a","limit":1,"explanation":"e"})),
            (
                "edit",
                json!({"path":"a","old_string":"x","new_string":"y"}),
            ),
        ] {
            let output = Folder::new(&[("a", "x\n")]).call(tool, arguments);
            assert!(
                output.ok && !output.content.contains("note: no effect"),
                "{}",
                output.content
            );
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_answer() {
        for (tool, arguments, expected) in [
            ("read", r#"{"path": 7"#, "not valid JSON"),
            (
                "read",
                "[]",
                "the arguments do not fit: they are not an object",
            ),
            ("edit", r#"{"path":"a","operations":[]}"#, "is empty"),
            (
                "edit_section",
                r#"{"path":"a","edits":[{"old_text":"a","new_text":"b","replaceall":true}]}"#,
                "perhaps `replace_all` is meant",
            ),
            ("bash", r#"{"command":" "}"#, "the command is empty"),
            (
                "apply_structured_edits",
                r#"{"changes":[]}"#,
                "`changes` is empty",
            ),
        ] {
            let output = prepare(tool, arguments).unwrap_err();
            let content = &output.content;
            assert!(!output.ok && content.contains(expected), "{content}");
        }
    }
}
