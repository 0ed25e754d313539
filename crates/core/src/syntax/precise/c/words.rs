//! The words that C and C++ keep for themselves.
//!
//! In: a word. Out: what it does where it stands, or nothing if it is a name.

/// What a word does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A type of its own: `int`.
    Type,
    /// What is said of a declaration: `const`.
    Qualifier,
    /// `struct`, `union`, `enum`, `class`.
    Tag,
    /// What begins a statement: `if`.
    Statement,
    /// What an operand follows: `sizeof`.
    Operator,
    /// `this`, `true`.
    Operand,
    /// What takes brackets and says nothing of what stands around it: `__attribute__`.
    Attribute,
    /// What takes brackets and is a type: `decltype`.
    TypeOf,
    /// `asm`.
    Asm,
    /// `template`.
    Template,
    /// `operator`.
    OperatorName,
    /// `namespace`.
    Namespace,
    /// `using`.
    Using,
    /// `public`, `private`, `protected`.
    Access,
    /// What no rule here is for: `requires`.
    Unruly,
    /// `and`, which is a sign.
    Sign,
}

/// Returns what a word does in C++, or in C.
pub(super) fn word(word: &str, cpp: bool) -> Option<Word> {
    // Most words are names, and most names are told from these by how they begin.
    let first = word.bytes().next()?;
    let may = matches!(first, b'a'..=b'z' | b'_') && matches!(word.len(), 2..=16);
    if !may {
        return None;
    }
    match first {
        b'_' => both(word),
        _ if cpp => both(word).or_else(|| only_cpp(word)),
        _ => both(word),
    }
}

fn both(word: &str) -> Option<Word> {
    Some(match word {
        "void" | "char" | "short" | "int" | "long" | "float" | "double" | "signed" | "unsigned"
        | "_Bool" | "__int128" | "_Complex" | "__signed__" | "__signed" | "__auto_type"
        | "_Float128" | "__float128" => Word::Type,
        "auto" | "__int64" | "__int32" | "__int16" | "__int8" => Word::Type,
        "const" | "volatile" | "static" | "extern" | "register" | "inline" | "typedef"
        | "restrict" | "_Noreturn" | "_Thread_local" | "__thread" | "__inline" | "__inline__"
        | "__restrict" | "__restrict__" | "__const" | "__const__" | "__volatile"
        | "__volatile__" | "__extension__" => Word::Qualifier,
        "struct" | "union" | "enum" => Word::Tag,
        "if" | "else" | "for" | "while" | "do" | "switch" | "case" | "default" | "return"
        | "break" | "continue" | "goto" => Word::Statement,
        "sizeof" | "_Alignof" | "__alignof__" | "__alignof" | "__real__" | "__imag__" => {
            Word::Operator
        }
        "__attribute__" | "__attribute" | "__declspec" | "_Alignas" => Word::Attribute,
        "typeof" | "__typeof__" | "__typeof" | "_Atomic" => Word::TypeOf,
        "asm" | "__asm__" | "__asm" | "_asm" => Word::Asm,
        "_Generic" | "_Static_assert" => return None,
        _ => return None,
    })
}

fn only_cpp(word: &str) -> Option<Word> {
    Some(match word {
        "bool" | "wchar_t" | "char8_t" | "char16_t" | "char32_t" => Word::Type,
        "constexpr" | "consteval" | "constinit" | "mutable" | "virtual" | "explicit" | "friend"
        | "typename" | "thread_local" => Word::Qualifier,
        "class" => Word::Tag,
        "try" | "catch" => Word::Statement,
        "alignof" | "new" | "delete" | "throw" | "co_await" | "co_yield" | "co_return"
        | "typeid" => Word::Operator,
        "this" | "true" | "false" | "nullptr" => Word::Operand,
        "alignas" | "noexcept" => Word::Attribute,
        "decltype" => Word::TypeOf,
        "template" => Word::Template,
        "operator" => Word::OperatorName,
        "namespace" => Word::Namespace,
        "using" => Word::Using,
        "public" | "private" | "protected" => Word::Access,
        "requires" | "concept" => Word::Unruly,
        "and" | "or" | "xor" | "bitand" | "bitor" | "and_eq" | "or_eq" | "xor_eq" | "not_eq"
        | "not" | "compl" => Word::Sign,
        _ => return None,
    })
}
