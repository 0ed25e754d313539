//! The table of languages.
//!
//! In: a language. Out: its [`Facts`]: what it is called, which files it is in, how it is
//! written, how far its grammar is to be trusted and which nodes matter.

use super::definition::Definition;
use super::lexis::{Lexis, Quoting};
use super::{Language, Trust};

/// What is known of a language.
pub(super) struct Facts {
    /// What payloads call it, the usual name first.
    pub(super) names: &'static [&'static str],
    /// Its files' extensions, in lower case.
    pub(super) extensions: &'static [&'static str],
    /// Whole names of files without a telling extension.
    pub(super) files: &'static [&'static str],
    /// Comments and strings.
    pub(super) lexis: Lexis,
    /// What an error of the grammar is worth.
    pub(super) trust: Trust,
    /// True if `...` alone means something.
    pub(super) ellipsis: bool,
    /// Node kinds that are names.
    pub(super) identifiers: &'static [&'static str],
    /// Node kinds that give something a name.
    pub(super) definitions: &'static [Definition],
}

impl Language {
    pub(super) fn facts(self) -> &'static Facts {
        match self {
            Self::Rust => &RUST,
            Self::TypeScript => &TYPESCRIPT,
            Self::Tsx => &TSX,
            Self::JavaScript => &JAVASCRIPT,
            Self::Python => &PYTHON,
            Self::Go => &GO,
            Self::Json => &JSON,
            Self::Css => &CSS,
            Self::Html => &HTML,
            Self::Markdown => &MARKDOWN,
            Self::Toml => &TOML,
            Self::Yaml => &YAML,
            Self::Bash => &BASH,
            Self::C => &C,
            Self::Cpp => &CPP,
            Self::Java => &JAVA,
        }
    }
}

const C_LIKE: Lexis = Lexis {
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    nested: false,
    strings: &[Quoting::Escaped("\""), Quoting::Char],
    at_words: false,
};

const SCRIPT: Lexis = Lexis {
    strings: &[
        Quoting::Escaped("\""),
        Quoting::Escaped("'"),
        Quoting::Multiline("`"),
    ],
    ..C_LIKE
};

const HASHES: Lexis = Lexis {
    line_comments: &["#"],
    block_comments: &[],
    nested: false,
    strings: &[],
    at_words: false,
};

const MARKUP: Lexis = Lexis {
    line_comments: &[],
    block_comments: &[("<!--", "-->")],
    nested: false,
    strings: &[],
    at_words: false,
};

const SCRIPT_NAMES: &[&str] = &[
    "identifier",
    "property_identifier",
    "private_property_identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
    "type_identifier",
    "statement_identifier",
];

const SCRIPT_DEFINITIONS: &[Definition] = &[
    Definition::item("function_declaration", "function"),
    Definition::item("generator_function_declaration", "function"),
    Definition::item("function_signature", "function"),
    Definition::item("class_declaration", "class"),
    Definition::item("abstract_class_declaration", "class"),
    Definition::item("interface_declaration", "interface"),
    Definition::item("type_alias_declaration", "type"),
    Definition::item("enum_declaration", "enum"),
    Definition::item("internal_module", "namespace"),
    Definition::item("module", "namespace"),
    Definition::item("method_definition", "method"),
    Definition::item("abstract_method_signature", "method"),
    Definition::item("variable_declarator", "variable"),
    Definition::member("method_signature", "method"),
    Definition::member("property_signature", "property"),
    Definition::member("public_field_definition", "field"),
    Definition::member("field_definition", "field").named_by("property"),
    Definition::member("pair", "property").named_by("key"),
];

const C_DEFINITIONS: &[Definition] = &[
    Definition::item("function_definition", "function").declared(),
    Definition::item("struct_specifier", "struct"),
    Definition::item("union_specifier", "union"),
    Definition::item("enum_specifier", "enum"),
    Definition::item("type_definition", "type").declared(),
    Definition::item("preproc_def", "macro"),
    Definition::item("preproc_function_def", "macro"),
];

const RUST: Facts = Facts {
    names: &["rust", "rs"],
    extensions: &["rs"],
    files: &[],
    lexis: Lexis {
        nested: true,
        strings: &[Quoting::RustRaw, Quoting::Multiline("\""), Quoting::Char],
        ..C_LIKE
    },
    trust: Trust::Block,
    ellipsis: false,
    identifiers: &[
        "identifier",
        "field_identifier",
        "type_identifier",
        "shorthand_field_identifier",
    ],
    definitions: &[
        Definition::item("function_item", "function"),
        Definition::item("function_signature_item", "function"),
        Definition::item("struct_item", "struct"),
        Definition::item("enum_item", "enum"),
        Definition::item("union_item", "union"),
        Definition::item("trait_item", "trait"),
        Definition::implementation("impl_item", "impl").named_by("type"),
        Definition::item("const_item", "constant"),
        Definition::item("static_item", "static"),
        Definition::item("type_item", "type"),
        Definition::item("associated_type", "type"),
        Definition::item("mod_item", "module"),
        Definition::item("macro_definition", "macro"),
    ],
};

const TYPESCRIPT: Facts = Facts {
    names: &["typescript", "ts", "mts", "cts"],
    extensions: &["ts", "mts", "cts"],
    files: &[],
    lexis: SCRIPT,
    trust: Trust::Block,
    ellipsis: false,
    identifiers: SCRIPT_NAMES,
    definitions: SCRIPT_DEFINITIONS,
};

const TSX: Facts = Facts {
    names: &["tsx", "typescriptreact"],
    extensions: &["tsx"],
    ..TYPESCRIPT
};

const JAVASCRIPT: Facts = Facts {
    names: &[
        "javascript",
        "js",
        "jsx",
        "mjs",
        "cjs",
        "javascriptreact",
        "ecmascript",
    ],
    extensions: &["js", "jsx", "mjs", "cjs"],
    ..TYPESCRIPT
};

const PYTHON: Facts = Facts {
    names: &["python", "py", "python3", "pyi"],
    extensions: &["py", "pyi", "pyw"],
    files: &["SConstruct", "SConscript"],
    lexis: Lexis {
        strings: &[
            Quoting::Multiline("\"\"\""),
            Quoting::Multiline("'''"),
            Quoting::Escaped("\""),
            Quoting::Escaped("'"),
        ],
        ..HASHES
    },
    trust: Trust::Block,
    ellipsis: true,
    identifiers: &["identifier"],
    definitions: &[
        Definition::item("function_definition", "function"),
        Definition::item("class_definition", "class"),
        Definition::item("assignment", "variable").named_by("left"),
    ],
};

const GO: Facts = Facts {
    names: &["go", "golang"],
    extensions: &["go"],
    files: &[],
    lexis: Lexis {
        strings: &[Quoting::Escaped("\""), Quoting::Char, Quoting::Literal("`")],
        ..C_LIKE
    },
    trust: Trust::Block,
    ellipsis: false,
    identifiers: &[
        "identifier",
        "field_identifier",
        "type_identifier",
        "package_identifier",
        "label_name",
    ],
    definitions: &[
        Definition::item("function_declaration", "function"),
        Definition::item("method_declaration", "method"),
        Definition::item("type_spec", "type"),
        Definition::item("type_alias", "type"),
        Definition::item("const_spec", "constant"),
        Definition::item("var_spec", "variable"),
    ],
};

const JSON: Facts = Facts {
    names: &["json", "jsonc"],
    extensions: &[
        "json",
        "jsonc",
        "geojson",
        "webmanifest",
        "ipynb",
        "code-workspace",
    ],
    files: &[
        "composer.lock",
        "Pipfile.lock",
        "flake.lock",
        "deno.lock",
        "bun.lock",
    ],
    lexis: Lexis {
        strings: &[Quoting::Escaped("\"")],
        ..C_LIKE
    },
    trust: Trust::Block,
    ellipsis: false,
    identifiers: &[],
    definitions: &[],
};

const CSS: Facts = Facts {
    names: &["css"],
    extensions: &["css"],
    files: &[],
    lexis: Lexis {
        line_comments: &[],
        strings: &[Quoting::Escaped("\""), Quoting::Escaped("'")],
        ..C_LIKE
    },
    trust: Trust::Warn,
    ellipsis: false,
    identifiers: &[],
    definitions: &[],
};

const HTML: Facts = Facts {
    names: &["html", "htm", "xhtml"],
    extensions: &["html", "htm", "xhtml"],
    files: &[],
    lexis: MARKUP,
    trust: Trust::Warn,
    ellipsis: true,
    identifiers: &[],
    definitions: &[],
};

const MARKDOWN: Facts = Facts {
    names: &["markdown", "md"],
    extensions: &["md", "markdown"],
    files: &[],
    lexis: MARKUP,
    trust: Trust::Ignore,
    ellipsis: true,
    identifiers: &[],
    definitions: &[
        Definition::item("atx_heading", "heading").named_by("heading_content"),
        Definition::item("setext_heading", "heading").named_by("heading_content"),
    ],
};

const TOML: Facts = Facts {
    names: &["toml"],
    extensions: &["toml"],
    files: &["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"],
    lexis: Lexis {
        strings: &[
            Quoting::Multiline("\"\"\""),
            Quoting::Literal("'''"),
            Quoting::Escaped("\""),
            Quoting::Literal("'"),
        ],
        ..HASHES
    },
    trust: Trust::Block,
    ellipsis: false,
    identifiers: &[],
    definitions: &[
        Definition::item("table", "table").named_by_first(),
        Definition::item("table_array_element", "table").named_by_first(),
    ],
};

const YAML: Facts = Facts {
    names: &["yaml", "yml"],
    extensions: &["yaml", "yml"],
    files: &[".clang-format", ".clang-tidy"],
    lexis: Lexis {
        strings: &[Quoting::Multiline("\""), Quoting::Literal("'")],
        at_words: true,
        ..HASHES
    },
    trust: Trust::Block,
    ellipsis: true,
    identifiers: &[],
    definitions: &[],
};

const BASH: Facts = Facts {
    names: &["bash", "sh", "shell", "shellscript"],
    extensions: &["sh", "bash"],
    files: &[
        ".bashrc",
        ".bash_profile",
        ".bash_aliases",
        ".bash_logout",
        ".profile",
    ],
    lexis: Lexis {
        strings: &[Quoting::Multiline("\""), Quoting::Literal("'")],
        at_words: true,
        ..HASHES
    },
    trust: Trust::Warn,
    ellipsis: true,
    identifiers: &["variable_name", "word"],
    definitions: &[Definition::item("function_definition", "function")],
};

const C: Facts = Facts {
    names: &["c"],
    extensions: &["c", "h"],
    files: &[],
    lexis: C_LIKE,
    trust: Trust::Warn,
    ellipsis: true,
    identifiers: &[
        "identifier",
        "field_identifier",
        "type_identifier",
        "statement_identifier",
    ],
    definitions: C_DEFINITIONS,
};

const CPP: Facts = Facts {
    names: &["cpp", "c++", "cc", "cxx"],
    extensions: &[
        "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl",
    ],
    files: &[],
    lexis: Lexis {
        strings: &[Quoting::CppRaw, Quoting::Escaped("\""), Quoting::Char],
        ..C_LIKE
    },
    trust: Trust::Warn,
    ellipsis: true,
    identifiers: &[
        "identifier",
        "field_identifier",
        "type_identifier",
        "statement_identifier",
        "namespace_identifier",
    ],
    definitions: &[
        Definition::item("function_definition", "function").declared(),
        Definition::item("class_specifier", "class"),
        Definition::item("struct_specifier", "struct"),
        Definition::item("union_specifier", "union"),
        Definition::item("enum_specifier", "enum"),
        Definition::item("type_definition", "type").declared(),
        Definition::item("alias_declaration", "type"),
        Definition::item("concept_definition", "concept"),
        Definition::item("namespace_definition", "namespace"),
        Definition::item("preproc_def", "macro"),
        Definition::item("preproc_function_def", "macro"),
    ],
};

const JAVA: Facts = Facts {
    names: &["java"],
    extensions: &["java"],
    files: &[],
    lexis: Lexis {
        strings: &[
            Quoting::Multiline("\"\"\""),
            Quoting::Escaped("\""),
            Quoting::Char,
        ],
        ..C_LIKE
    },
    trust: Trust::Block,
    ellipsis: false,
    identifiers: &["identifier", "type_identifier"],
    definitions: &[
        Definition::item("class_declaration", "class"),
        Definition::item("interface_declaration", "interface"),
        Definition::item("enum_declaration", "enum"),
        Definition::item("record_declaration", "record"),
        Definition::item("annotation_type_declaration", "annotation"),
        Definition::item("method_declaration", "method"),
        Definition::item("constructor_declaration", "constructor"),
    ],
};
