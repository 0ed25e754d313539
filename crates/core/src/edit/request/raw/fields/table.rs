//! The table of a payload's objects: their fields, the other names under which models write these, and what the model is
//! told that they hold.
//!
//! Of it come the schema of a payload, the names that are read, and the fields that an answer lists.

use serde_json::{Map, Value, json};

use crate::edit::request::{RECIPES, Strategy};

/// What one kind of object has.
pub(in crate::edit::request) struct Fields {
    /// What the object is called in answers.
    pub(super) name: &'static str,
    /// In the order of the schema and of error messages.
    pub(super) fields: &'static [Field],
    /// Fields that are left out if they are empty texts.
    pub(super) blank: &'static [&'static str],
    /// Fields that the schema requires.
    required: &'static [&'static str],
}

/// A field of an object.
pub(in crate::edit::request) struct Field {
    pub(super) name: &'static str,
    /// Other names that are read.
    pub(super) aliases: &'static [&'static str],
    /// Its type in the schema; none if it is read and not part of the schema.
    told: Option<FieldKind>,
    /// Its description in the schema.
    meaning: Option<&'static str>,
    /// Whether it holds a short text that is no content of a file.
    label: bool,
}

/// What a field holds.
enum FieldKind {
    Text,
    Integer,
    Boolean,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of a strategy.
    Strategy,
    /// The name of a recipe.
    Recipe,
    Object(&'static Fields),
    List(&'static Self),
}

impl Fields {
    const fn new(name: &'static str, fields: &'static [Field]) -> Self {
        Self {
            name,
            fields,
            blank: &[],
            required: &[],
        }
    }

    const fn blank(self, blank: &'static [&'static str]) -> Self {
        Self { blank, ..self }
    }

    const fn required(self, required: &'static [&'static str]) -> Self {
        Self { required, ..self }
    }
}

impl Field {
    const fn told(name: &'static str, kind: FieldKind) -> Self {
        Self {
            told: Some(kind),
            ..Self::untold(name)
        }
    }

    const fn untold(name: &'static str) -> Self {
        Self {
            name,
            aliases: &[],
            told: None,
            meaning: None,
            label: false,
        }
    }

    const fn or(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    const fn meaning(self, meaning: &'static str) -> Self {
        Self {
            meaning: Some(meaning),
            ..self
        }
    }

    const fn label(self) -> Self {
        Self {
            label: true,
            ..self
        }
    }

    /// Returns all names under which it is read.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// Returns whether a field of this name holds a short text that is no content of a file.
pub(in crate::edit::request) fn is_label(key: &str) -> bool {
    let objects = [
        &CHANGE,
        &DIFF,
        &AST,
        &AST_EDIT,
        &STRUCT,
        &MOVE,
        &TOLD_RECIPE,
    ];
    let mut fields = objects.iter().flat_map(|object| object.fields);
    fields.any(|field| field.label && field.name == key)
}

/// Returns the JSON schema of a payload, as it is sent to models.
pub(in crate::edit::request) fn schema() -> Value {
    object(&PAYLOAD, None)
}

fn object(fields: &Fields, meaning: Option<&str>) -> Value {
    let told = fields.fields.iter().filter_map(|field| {
        let kind = field.told.as_ref()?;
        Some((field.name.to_owned(), kind_schema(kind, field.meaning)))
    });
    let properties: Map<String, Value> = told.collect();
    let mut schema = typed("object", meaning);
    schema["properties"] = properties.into();
    if !fields.required.is_empty() {
        schema["required"] = json!(fields.required);
    }
    schema
}

fn kind_schema(kind: &FieldKind, meaning: Option<&str>) -> Value {
    match kind {
        FieldKind::Text => typed("string", meaning),
        FieldKind::Integer => typed("integer", meaning),
        FieldKind::Boolean => typed("boolean", meaning),
        FieldKind::Word(words) => json!({ "enum": words }),
        FieldKind::Strategy => json!({ "enum": Strategy::ALL }),
        FieldKind::Recipe => json!({ "enum": RECIPES }),
        FieldKind::Object(fields) => object(fields, meaning),
        FieldKind::List(items) => {
            let mut schema = typed("array", meaning);
            schema["items"] = kind_schema(items, None);
            schema
        }
    }
}

fn typed(name: &str, meaning: Option<&str>) -> Value {
    match meaning {
        Some(meaning) => json!({ "type": name, "description": meaning }),
        None => json!({ "type": name }),
    }
}

pub(in crate::edit::request) const PAYLOAD: Fields = Fields::new(
    "the payload",
    &[
        // The changes, at least one.
        Field::told("changes", FieldKind::List(&FieldKind::Object(&CHANGE))),
        // `tsc`, `eslint` (both meant unless `false`), `build` (if `true`), `timeoutMs` for all together (each has
        // 120 s without it): asks for checks of what is staged, of any language.
        Field::told("verify", FieldKind::Object(&VERIFY))
            .meaning("run checks, answer new diagnostics"),
    ],
)
.required(&["changes"]);

const VERIFY: Fields = Fields::new(
    "verify",
    &[
        Field::told("tsc", FieldKind::Boolean).meaning("types, of any language"),
        Field::told("eslint", FieldKind::Boolean).meaning("linters"),
        Field::told("build", FieldKind::Boolean),
        Field::told("timeoutMs", FieldKind::Integer),
    ],
);

pub(super) const CHANGE: Fields = Fields::new(
    "the change",
    &[
        // The path, relative to the workspace. May be left out for a patch that names its files.
        Field::told("file", FieldKind::Text).or(&["path"]),
        // `create`, `modify`, `rewrite`, `move` or `delete`: shown while the call streams in, and of no other
        // effect.
        Field::told(
            "operation",
            FieldKind::Word(&["create", "modify", "rewrite", "move", "delete"]),
        ),
        // One line for the review, of which 200 characters are kept.
        Field::told("description", FieldKind::Text),
        // The name of a block below, or `delete`; may be left out if the fields tell.
        Field::told("strategy", FieldKind::Strategy).label(),
        // Old text becomes new text.
        Field::told("section", FieldKind::Object(&SECTION)),
        // Operations on lines.
        Field::told("lines", FieldKind::Object(&LINES)),
        // A patch.
        Field::told("diff", FieldKind::Object(&DIFF)),
        // A tree-sitter query and a template.
        Field::told("ast", FieldKind::Object(&AST)),
        // A pattern with holes.
        Field::told("struct", FieldKind::Object(&STRUCT)),
        // The whole text.
        Field::told("whole", FieldKind::Object(&WHOLE)),
        // Another path.
        Field::told("move", FieldKind::Object(&MOVE)),
        // A named edit.
        Field::told("recipe", FieldKind::Object(&TOLD_RECIPE)),
        // A number: if the change would make another number of changes, it is refused, and the answer names their
        // lines.
        Field::told("expected", FieldKind::Integer).meaning("refuse another number of changes"),
        // As in the payload.
        Field::untold("verify"),
    ],
)
.blank(&["strategy", "operation", "description"])
.required(&["file", "description", "strategy"]);

/// The one field that a list and its elements both have.
pub(super) const REPLACE_ALL: &str = "replace_all";

pub(super) const SECTION: Fields = Fields::new(
    "section",
    &[
        // Pairs of `old_text` and `new_text` (also `old_string`, `new_string`).
        Field::told("edits", FieldKind::List(&FieldKind::Object(&PAIR))),
        // `true`: every place is meant; new text at all of them together has at most 8 MiB. Also beside the texts
        // of one pair.
        Field::told(REPLACE_ALL, FieldKind::Boolean).or(&["replaceAll"]),
    ],
);

pub(super) const PAIR: Fields = Fields::new(
    "section.edits",
    &[
        Field::told("old_text", FieldKind::Text).or(&[
            "oldText",
            "old_string",
            "oldString",
            "old_str",
        ]),
        Field::told("new_text", FieldKind::Text).or(&[
            "newText",
            "new_string",
            "newString",
            "new_str",
        ]),
        Field::untold(REPLACE_ALL).or(&["replaceAll"]),
    ],
);

pub(super) const LINES: Fields = Fields::new(
    "lines",
    &[Field::told(
        "operations",
        FieldKind::List(&FieldKind::Object(&OPERATION)),
    )],
);

pub(super) const OPERATION: Fields = Fields::new(
    "lines.operations",
    &[
        // `replace`, `insert` or `delete`.
        Field::told("op", FieldKind::Word(&["replace", "insert", "delete"])),
        // For `replace` and `delete`: the first line.
        Field::told("startLine", FieldKind::Integer).or(&["start_line"]),
        // The last line; without it, it is one.
        Field::told("endLine", FieldKind::Integer).or(&["end_line"]),
        // For `insert`; 0 is the start.
        Field::told("afterLine", FieldKind::Integer)
            .or(&["after_line"])
            .meaning("insert; 0 = start"),
        // For `replace` and `insert`: a list of lines, or a text.
        Field::told("content", FieldKind::List(&FieldKind::Text)),
    ],
);

pub(super) const DIFF: Fields = Fields::new(
    "diff",
    &[
        // `unified` (without it): a unified diff, or an envelope between `*** Begin Patch` and `*** End Patch`;
        // `dmp`: the text format of diff-match-patch.
        Field::told("kind", FieldKind::Word(&["unified", "dmp"])).label(),
        // The patch.
        Field::told("patch", FieldKind::Text),
    ],
)
.blank(&["kind"]);

pub(super) const WHOLE: Fields = Fields::new(
    "whole",
    &[
        // The whole text; an object is written as its JSON.
        Field::told("content", FieldKind::Text),
        // `overwrite` (without it), or `append`: it is added on a line of its own.
        Field::untold("mode"),
    ],
)
.blank(&["mode"]);

pub(super) const AST: Fields = Fields::new(
    "ast",
    &[
        // `tree-sitter`; others are `invalid`.
        Field::untold("engine").label(),
        // Its name or extension, where the path does not tell.
        Field::told("language", FieldKind::Text).label(),
        // The query, with at least one capture. `#eq?`, `#match?`, `#any-of?` and their variants are tested;
        // directives (`#set!`) have no effect, and the evidence names them.
        Field::told("query", FieldKind::Text),
        // Which capture is meant. Without one, the only one whose name does not begin with `_`, or else the
        // outermost.
        Field::told("capture", FieldKind::Text),
        // `replace`, `insert` or `delete`. Without one, a captured root means an insertion at its start, and
        // anything else a replacement.
        Field::told("action", FieldKind::Word(&["insert", "replace", "delete"])),
        // For `insert`: `before`, `after`, `start` or `end` of the node; those of a tag are among its attributes.
        Field::told(
            "position",
            FieldKind::Word(&["before", "after", "start", "end"]),
        ),
        // The new text. `@name` is what was captured, `@@` a plain `@`. Not for `delete`.
        Field::told("template", FieldKind::Text),
        // The same under other names: `type`, `position`, `anchor` or `target`, `content`; and `range`, with `start`
        // and `end`: only matches in these lines, counted from 1.
        Field::untold("edit"),
    ],
)
.blank(&["engine", "language", "action", "position", "capture"]);

pub(super) const AST_EDIT: Fields = Fields::new(
    "ast.edit",
    &[
        Field::untold("type").label(),
        Field::untold("position"),
        Field::untold("anchor").or(&["target"]),
        Field::untold("content"),
        Field::untold("range"),
    ],
)
.blank(&["position", "anchor", "target"]);

pub(super) const STRUCT: Fields = Fields::new(
    "struct",
    &[
        // Code with holes, in one of two notations; a name that occurs twice stands for equal text.
        Field::told("pattern", FieldKind::Text),
        // What a match becomes.
        Field::told("replacement", FieldKind::Text),
        // As in `ast`; holes need none.
        Field::untold("language").label(),
        // For each hole `regex`, `not_regex`, `equals` or `not_equals`.
        Field::untold("where"),
    ],
)
.blank(&["language"]);

pub(super) const MOVE: Fields = Fields::new(
    "move",
    &[
        // The new path.
        Field::told("to", FieldKind::Text)
            .or(&["path", "destination"])
            .label(),
        // The old path, where the change has no `file`.
        Field::untold("source").label(),
    ],
);

/// Recipes have fields of their own, which their reader knows.
pub(super) const RECIPE: Fields = Fields::new("recipe", &[]);

/// The schema of recipes: the fields of all of them.
const TOLD_RECIPE: Fields = Fields::new(
    "recipe",
    &[
        Field::told("name", FieldKind::Recipe).label(),
        Field::told("line", FieldKind::Integer),
        Field::told("all", FieldKind::Boolean),
        Field::told("from", FieldKind::Text).label(),
        Field::told("to", FieldKind::Text).label(),
        Field::told("import", FieldKind::Text),
        Field::told("code", FieldKind::Text),
        Field::told("in", FieldKind::Text),
        Field::told("after", FieldKind::Text),
        Field::told("before", FieldKind::Text),
        Field::told("symbol", FieldKind::Text).label(),
        Field::told("body", FieldKind::Text),
        Field::told("call", FieldKind::Text),
        Field::told("with", FieldKind::Text),
        Field::told("component", FieldKind::Text),
        Field::told("prop", FieldKind::Text),
        Field::told("value", FieldKind::Text),
    ],
);
