//! TypeScript and JavaScript by oxc's parser.
//!
//! In: a text. Out: its errors. What only a compiler's later stages refuse is not looked at.

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{LabeledSpan, SourceType};

use super::{Dialect, Fault, MAX_NESTING, first_line};
use crate::syntax::Language;

/// Returns the errors of a text.
pub(super) fn faults(language: Language, text: &str, dialect: Dialect) -> Vec<Fault> {
    let allocator = Allocator::default();
    let options = ParseOptions {
        // What Node runs as a module of its own sort is within a function.
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parser = Parser::new(&allocator, text, form(language, dialect)).with_options(options);
    let parsed = parser.parse();
    let faults = parsed.diagnostics.errors().map(|error| {
        let place = error.labels.first().map(LabeledSpan::span);
        let place = place.map_or(0..0, |span| span.start as usize..span.end as usize);
        Fault::new(place, first_line(&error.message))
    });
    let faults: Vec<Fault> = faults.collect();
    if faults.is_empty() && parsed.panicked {
        return vec![Fault::new(0..0, "cannot be parsed".to_owned())];
    }
    faults
}

/// Returns what to take a text for. Whether it is a module shows in the text.
fn form(language: Language, dialect: Dialect) -> SourceType {
    match (language, dialect) {
        (_, Dialect::Declarations) => SourceType::d_ts(),
        (Language::TypeScript, _) => SourceType::ts(),
        (Language::Tsx, _) => SourceType::tsx(),
        _ => SourceType::unambiguous().with_jsx(true),
    }
}

/// Returns whether few angle brackets are open at once. Each may compare or hold type arguments,
/// and the parser tries both on all that follows.
pub(in crate::syntax) fn is_flat(text: &str) -> bool {
    let mut open = 0_usize;
    text.bytes().all(|byte| {
        if byte.is_ascii_alphanumeric() {
            return true;
        }
        open = match byte {
            b'<' => open + 1,
            b'>' => open.saturating_sub(1),
            b';' | b'{' => 0,
            _ => open,
        };
        open <= MAX_NESTING
    })
}
