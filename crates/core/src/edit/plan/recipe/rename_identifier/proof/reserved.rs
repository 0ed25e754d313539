//! Names that are no names to rename: the language's own, and those that something outside of the code calls.
//!
//! In: two names and a language. Out: whether one becoming the other can be told from the code alone.

use super::super::words::words;
use super::Family;
use crate::word::is_listed;

const RUST: &[&str] = &[
    // Keywords, also those of macros and of later editions.
    "as async await become box break const continue crate do dyn else enum extern false final fn",
    "for gen if impl in let loop macro match mod move mut override priv pub raw ref return self",
    "Self static struct super trait true try type typeof union unsafe unsized use virtual where",
    "while yield auto macro_rules main",
    // The prelude, and the names of primitive types.
    "Some None Ok Err Option Result Vec String Box ToString ToOwned Clone Copy Send Sync Sized",
    "Drop Fn FnMut FnOnce AsRef AsMut Into From Default Iterator IntoIterator Extend",
    "DoubleEndedIterator ExactSizeIterator Eq PartialEq Ord PartialOrd TryFrom TryInto",
    "FromIterator Future IntoFuture Debug Hash drop bool char str u8 u16 u32 u64 u128 usize i8",
    "i16 i32 i64 i128 isize f32 f64 std core alloc size_of align_of",
];

const SCRIPT: &[&str] = &[
    // Keywords, also those that are such in places.
    "abstract accessor any as asserts async await bigint boolean break case catch class const",
    "constructor continue debugger declare default defer delete do else enum eval export extends",
    "false finally for from function get global if implements import in infer instanceof",
    "interface intrinsic is keyof let module namespace never new null number object of out",
    "override package private protected public readonly require return satisfies set static",
    "string super switch symbol this throw true try type typeof undefined unique unknown using",
    "var void while with yield meta target",
    // What is there without being defined.
    "arguments NaN Infinity globalThis window self document console process exports Buffer",
    "__dirname __filename Array Object String Number Boolean Symbol BigInt Math JSON Date RegExp",
    "Promise Proxy Reflect Map Set WeakMap WeakSet WeakRef Error TypeError RangeError Function",
    "Intl URL Response Request Headers fetch Window Document Event Element HTMLElement Node",
    "NodeJS ProcessEnv parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent",
    "setTimeout setInterval clearTimeout clearInterval queueMicrotask structuredClone atob btoa",
    "alert confirm prompt localStorage sessionStorage navigator crypto performance React Fragment",
    "jsx",
    // What frameworks and hosts look up in a module.
    "main handler setup middleware loader action metadata config GET POST PUT PATCH DELETE HEAD",
    "OPTIONS getServerSideProps getStaticProps getStaticPaths generateStaticParams",
    "generateMetadata activate deactivate onRequest",
];

const PYTHON: &[&str] = &[
    "False None True and as assert async await break case class continue def del elif else except",
    "finally for from global if import in is lambda match nonlocal not or pass raise return try",
    "type while with yield print exec self cls",
    // Built-in functions and exceptions.
    "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod",
    "compile complex copyright credits delattr dict dir divmod enumerate eval exit filter float",
    "format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass",
    "iter len license list locals map max memoryview min next object oct open ord pow property",
    "quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple",
    "vars zip Ellipsis NotImplemented BaseException Exception ArithmeticError AssertionError",
    "AttributeError EOFError ImportError IndexError KeyError KeyboardInterrupt LookupError",
    "MemoryError ModuleNotFoundError NameError NotImplementedError OSError IOError OverflowError",
    "PermissionError RecursionError RuntimeError StopIteration StopAsyncIteration SyntaxError",
    "SystemExit TimeoutError TypeError UnicodeDecodeError UnicodeError ValueError Warning",
    "ZeroDivisionError FileNotFoundError FileExistsError ConnectionError",
    // What test runners, servers and build tools look up in a module.
    "main setup teardown setUp tearDown setup_module teardown_module setup_function",
    "teardown_function handler lambda_handler application app urlpatterns upgrade downgrade",
    "revision down_revision pytest_plugins conftest",
];

/// Returns whether one name becoming the other is a renaming, as far as the names tell. Letters are those of ASCII:
/// others may look like them.
pub(super) fn may_be_renamed(family: Family, from: &str, to: &str) -> bool {
    // A first letter tells constants, types and components, and `test` what a runner collects.
    is_plain(family, from)
        && is_plain(family, to)
        && is_capital(from) == is_capital(to)
        && is_test(from) == is_test(to)
        && (family != Family::Python || from.starts_with('_') == to.starts_with('_'))
}

fn is_plain(family: Family, name: &str) -> bool {
    let reserved = match family {
        Family::Rust => RUST,
        Family::Script => SCRIPT,
        Family::Python => PYTHON,
    };
    name.chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.contains(|c: char| c.is_ascii_alphabetic())
        && !name.starts_with("__")
        && !is_listed(name, reserved)
}

fn is_capital(name: &str) -> bool {
    let first = name.chars().find(char::is_ascii_alphabetic);
    first.is_some_and(|c| c.is_ascii_uppercase())
}

fn is_test(name: &str) -> bool {
    name.to_lowercase().starts_with("test")
}

/// Returns whether a text looks variables up by their names while it runs.
pub(super) fn looks_at_names(family: Family, text: &str) -> bool {
    let looking: &[&str] = match family {
        Family::Rust => &[],
        Family::Script => &["eval", "with", "Function"],
        Family::Python => &[
            "eval", "exec", "locals", "globals", "vars", "getattr", "__dict__", "inspect",
        ],
    };
    looking.iter().any(|word| {
        words(text, word).iter().any(|at| {
            let after = text.get(at + word.len()..).unwrap_or_default();
            after.trim_start().starts_with('(') || word.starts_with("__") || *word == "inspect"
        })
    })
}
