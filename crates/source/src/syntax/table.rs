//! The table of languages.
//!
//! In: a language. Out: its [`Facts`]: what it is called, which files it is in, how it is
//! written, how far its grammar is to be trusted and which nodes matter.

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
    /// Node kinds that define something, and what.
    pub(super) definitions: &'static [(&'static str, &'static str)],
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

const SCRIPT_DEFINITIONS: &[(&str, &str)] = &[
    ("function_declaration", "function"),
    ("generator_function_declaration", "function"),
    ("function_signature", "function"),
    ("class_declaration", "class"),
    ("abstract_class_declaration", "class"),
    ("interface_declaration", "interface"),
    ("type_alias_declaration", "type"),
    ("enum_declaration", "enum"),
    ("internal_module", "namespace"),
    ("module", "namespace"),
    ("method_definition", "method"),
    ("abstract_method_signature", "method"),
    ("variable_declarator", "variable"),
];

const C_DEFINITIONS: &[(&str, &str)] = &[
    ("function_definition", "function"),
    ("struct_specifier", "struct"),
    ("union_specifier", "union"),
    ("enum_specifier", "enum"),
    ("type_definition", "type"),
    ("preproc_def", "macro"),
    ("preproc_function_def", "macro"),
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
        ("function_item", "function"),
        ("function_signature_item", "function"),
        ("struct_item", "struct"),
        ("enum_item", "enum"),
        ("union_item", "union"),
        ("trait_item", "trait"),
        ("impl_item", "impl"),
        ("const_item", "constant"),
        ("static_item", "static"),
        ("type_item", "type"),
        ("associated_type", "type"),
        ("mod_item", "module"),
        ("macro_definition", "macro"),
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
        ("function_definition", "function"),
        ("class_definition", "class"),
        ("assignment", "variable"),
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
        ("function_declaration", "function"),
        ("method_declaration", "method"),
        ("type_spec", "type"),
        ("type_alias", "type"),
        ("const_spec", "constant"),
        ("var_spec", "variable"),
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
    definitions: &[("atx_heading", "heading"), ("setext_heading", "heading")],
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
    definitions: &[("table", "table"), ("table_array_element", "table")],
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
    definitions: &[("function_definition", "function")],
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
        ("function_definition", "function"),
        ("class_specifier", "class"),
        ("struct_specifier", "struct"),
        ("union_specifier", "union"),
        ("enum_specifier", "enum"),
        ("type_definition", "type"),
        ("alias_declaration", "type"),
        ("concept_definition", "concept"),
        ("namespace_definition", "namespace"),
        ("preproc_def", "macro"),
        ("preproc_function_def", "macro"),
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
        ("class_declaration", "class"),
        ("interface_declaration", "interface"),
        ("enum_declaration", "enum"),
        ("record_declaration", "record"),
        ("annotation_type_declaration", "annotation"),
        ("method_declaration", "method"),
        ("constructor_declaration", "constructor"),
    ],
};
