//! Catalogue: the tools, resources and prompts of one server.
//!
//! In: what a server lists. Out: what of it is offered, under names that cannot be mistaken: the tool `read` of the server
//! `files` is `files__read`. A tool with another name than letters, digits, `_`, `-` and `.` is left out, and so is a second
//! one of the same name, and one that is not as the protocol has it; the others stay. Which were left out is said.

use std::collections::BTreeMap;

use rmcp::model::{Prompt, Resource, Tool};
use serde_json::{Value, json};

use crate::foreign_text::line;

/// The longest name of a tool, in bytes: that of the protocol.
const MOST_NAME: usize = 128;
/// Names of what is left out that are told.
const MOST_LEFT_OUT: usize = 5;
/// Tools, resources and prompts of a server that are known, each: a server could list them without end.
pub(crate) const MOST_LISTED: usize = 512;
/// Bytes of a description.
const MOST_DESCRIPTION: usize = 1_000;
/// Bytes of a schema that is shown.
const MOST_SCHEMA: usize = 6_000;
/// Bytes of a name or an address that is shown.
const MOST_LABEL: usize = 200;

/// What a server offers.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    /// By the server's name for each.
    pub(crate) tools: BTreeMap<String, ListedTool>,
    pub(crate) resources: Vec<ListedResource>,
    pub(crate) prompts: Vec<ListedPrompt>,
    /// How many of them were left out, for what they are or for their number.
    pub(crate) left_out: usize,
    /// The names of the first of these, each on one line.
    pub(crate) named_out: Vec<String>,
}

/// A tool.
#[derive(Clone, Debug)]
pub(crate) struct ListedTool {
    /// One line.
    pub(crate) description: String,
    /// The schema of its arguments, as one line of JSON, or what is said in its place.
    pub(crate) schema: String,
    /// The hash of everything that the server says of it.
    pub(crate) fingerprint: String,
}

/// A resource.
#[derive(Clone, Debug)]
pub(crate) struct ListedResource {
    pub(crate) address: String,
    pub(crate) name: String,
    /// One line.
    pub(crate) description: String,
}

/// A prompt.
#[derive(Clone, Debug)]
pub(crate) struct ListedPrompt {
    pub(crate) name: String,
    /// One line.
    pub(crate) description: String,
    /// Its arguments, and whether each has to be given.
    pub(crate) arguments: Vec<(String, bool)>,
}

impl Catalogue {
    /// Adds tools.
    pub(crate) fn add_tools(&mut self, tools: Vec<Tool>) {
        for tool in tools {
            let name = tool.name.as_ref();
            if !is_tool_name(name)
                || self.tools.contains_key(name)
                || self.tools.len() >= MOST_LISTED
            {
                self.leave_out(name);
                continue;
            }
            let listed = ListedTool::of(&tool);
            self.tools.insert(name.to_owned(), listed);
        }
    }

    /// Leaves something out, of which the name is told.
    pub(crate) fn leave_out(&mut self, name: &str) {
        self.left_out += 1;
        if self.named_out.len() < MOST_LEFT_OUT {
            self.named_out.push(format!("{:?}", line(name, MOST_LABEL)));
        }
    }

    /// Adds resources.
    pub(crate) fn add_resources(&mut self, resources: Vec<Resource>) {
        for resource in resources {
            if !is_plain(&resource.uri) || self.resources.len() >= MOST_LISTED {
                self.leave_out(&resource.uri);
                continue;
            }
            let said = resource.description.or(resource.title);
            self.resources.push(ListedResource {
                name: line(&resource.name, MOST_LABEL),
                description: line(&said.unwrap_or(resource.name), MOST_LABEL),
                address: resource.uri,
            });
        }
    }

    /// Adds prompts.
    pub(crate) fn add_prompts(&mut self, prompts: Vec<Prompt>) {
        for prompt in prompts {
            let is_known = self.prompts.iter().any(|known| known.name == prompt.name);
            if !is_tool_name(&prompt.name) || is_known || self.prompts.len() >= MOST_LISTED {
                self.leave_out(&prompt.name);
                continue;
            }
            let said = prompt.description.or(prompt.title);
            let arguments = prompt.arguments.into_iter().flatten();
            let arguments = arguments.map(|it| (it.name, it.required == Some(true)));
            self.prompts.push(ListedPrompt {
                description: said.map_or_else(String::new, |said| line(&said, MOST_LABEL)),
                name: prompt.name,
                arguments: arguments.take(MOST_LISTED).collect(),
            });
        }
    }

    /// Returns the address of the resource that a word names: its address, or its name.
    pub(crate) fn address<'a>(&'a self, word: &'a str) -> &'a str {
        self.resources
            .iter()
            .find(|it| it.address == word || it.name == word)
            .map_or(word, |it| &it.address)
    }
}

impl ListedTool {
    fn of(tool: &Tool) -> Self {
        let said = tool.description.as_deref().or(tool.title.as_deref());
        let schema = Value::Object(tool.input_schema.as_ref().clone());
        // Annotations count too: a tool that stops to say that it destroys is another one.
        let all = json!([
            tool.name,
            tool.title,
            tool.description,
            schema,
            tool.annotations
        ]);
        let hash = blake3::hash(all.to_string().as_bytes()).to_hex();
        let shown = line(&schema.to_string(), usize::MAX / 8);
        Self {
            description: line(said.unwrap_or_default(), MOST_DESCRIPTION),
            schema: if shown.len() > MOST_SCHEMA {
                let fields = schema.get("properties").and_then(Value::as_object);
                let names: Vec<&str> = fields
                    .into_iter()
                    .flat_map(serde_json::Map::keys)
                    .map(String::as_str)
                    .collect();
                let names = line(&names.join(", "), MOST_DESCRIPTION);
                format!(
                    "(a schema of {} bytes, too long to show; fields: {names})",
                    shown.len()
                )
            } else {
                shown
            },
            fingerprint: hash.as_str().get(..32).unwrap_or_default().to_owned(),
        }
    }
}

/// Returns whether a name can be part of the name of a tool.
fn is_tool_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MOST_NAME
        && name
            .chars()
            .all(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Returns whether an address can be typed and shown as it is.
fn is_plain(address: &str) -> bool {
    !address.is_empty()
        && address.len() <= 1_000
        && address
            .chars()
            .all(|c: char| !c.is_whitespace() && !c.is_control())
        && !address.contains(signoff_source::quote::is_hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, description: &str, schema: &Value) -> Tool {
        let tool = json!({ "name": name, "description": description, "inputSchema": schema });
        serde_json::from_value(tool).unwrap()
    }

    #[test]
    fn tools_with_names_that_could_be_mistaken_are_left_out() {
        let mut catalogue = Catalogue::default();
        let schema = json!({ "type": "object" });
        let long = "x".repeat(129);
        let names = [
            "read",
            "read",
            "a b",
            "",
            "r\u{e9}ad",
            "re\u{202e}ad",
            "x\ny",
            "a__b",
            "a.b-c",
            &long,
        ];
        let tools = names.iter().map(|name| tool(name, "d", &schema)).collect();
        catalogue.add_tools(tools);
        let kept: Vec<&str> = catalogue.tools.keys().map(String::as_str).collect();
        assert_eq!(kept, ["a.b-c", "a__b", "read"]);
        assert_eq!(catalogue.left_out, 7);
        assert_eq!(catalogue.named_out[..2], ["\"read\"", "\"a b\""]);
    }

    #[test]
    fn a_flood_of_tools_is_cut() {
        let mut catalogue = Catalogue::default();
        let schema = json!({ "type": "object" });
        let many = (0..2_000).map(|at| tool(&format!("t{at}"), &"long ".repeat(4_000), &schema));
        catalogue.add_tools(many.collect());
        assert_eq!(catalogue.tools.len(), MOST_LISTED);
        assert_eq!(catalogue.left_out, 2_000 - MOST_LISTED);
        assert!(
            catalogue
                .tools
                .values()
                .all(|it| it.description.len() <= MOST_DESCRIPTION + 3)
        );
    }

    #[test]
    fn the_hash_is_of_all_that_is_said_of_a_tool() {
        let schema = json!({ "type": "object", "properties": { "a": {} } });
        let one = fingerprint(tool("t", "d", &schema));
        assert_eq!(one, fingerprint(tool("t", "d", &schema)));
        assert_ne!(one, fingerprint(tool("t", "e", &schema)));
        assert_ne!(
            one,
            fingerprint(tool("t", "d", &json!({ "type": "object" })))
        );
        let mut hinted = tool("t", "d", &schema);
        hinted.annotations = serde_json::from_value(json!({ "readOnlyHint": true })).unwrap();
        assert_ne!(one, fingerprint(hinted));
    }

    fn fingerprint(tool: Tool) -> String {
        ListedTool::of(&tool).fingerprint
    }

    #[test]
    fn a_schema_that_is_too_long_is_told_by_its_fields() {
        let schema = json!({ "properties": { "path": { "description": "x".repeat(7_000) } } });
        let listed = ListedTool::of(&tool("t", "d", &schema));
        assert!(listed.schema.contains("fields: path"), "{}", listed.schema);
    }
}
