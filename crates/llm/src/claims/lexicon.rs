//! Lexicon of claims: the words that say what was done, to what kind of thing, and how many.
//!
//! ```text
//! "removed"    Deed(Remove, Past)
//! "callers"    Thing(Use)
//! "untouched"  Mark(Same)
//! "should"     Hedge
//! ```
//!
//! In: a word in small letters. Out: its [`Lexeme`]; [`Lexeme::Other`] of a word that no table has. Phrases of several words that mean
//! one thing are joined first ([`joined`]).

/// What a verb says was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// It is there now.
    Add,
    /// It got something: what it has is new, and it changed.
    Gain,
    /// It is gone.
    Remove,
    /// It is another one.
    Change,
    /// It has another value.
    Set,
    /// It has another name.
    Rename,
    /// It is at another place.
    Move,
    /// Another one is in its place.
    Replace,
    /// It has another layout.
    Format,
    /// Text for people tells of it.
    Document,
    /// It is as it was.
    Keep,
    /// It refers to something.
    Use,
    /// A check found nothing.
    Pass,
    /// A check found something.
    Fail,
    /// A command ran.
    Run,
    /// A program does something.
    Behave,
}

/// The form of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `add`, `removal`
    Base,
    /// `adds`
    Present,
    /// `added`
    Past,
    /// `adding`
    Gerund,
}

/// A kind of thing that a change can be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thing {
    File,
    Test,
    Suite,
    /// A caller, reference, usage or import of a name.
    Use,
    /// An import, which is a use too.
    Import,
    Function,
    Type,
    Variable,
    Comment,
    Doc,
    Layout,
    Name,
    Behaviour,
    /// A signature or another part of an interface.
    Api,
    Code,
    Value,
    Dependency,
    Lint,
    Types,
    Build,
    Readme,
    Changelog,
    /// An error, failure or warning.
    Trouble,
    /// The repository as a whole.
    Project,
}

/// What an adjective or adverb says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Of a negation.
    Denied,
    /// Nothing else.
    Only,
    All,
    /// None.
    No,
    /// All of what there is to run.
    Whole,
    /// As before.
    Same,
    /// Not as before.
    Other,
    New,
    Unused,
    Now,
    /// No longer there.
    Gone,
    Still,
    /// What is not named.
    Rest,
    /// A check found nothing.
    Good,
    /// A check found something.
    Bad,
    /// Beside something else: "one more".
    More,
    /// All but some.
    Except,
    /// A part of something.
    Part,
}

/// A word as the lexicon has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lexeme {
    Deed(Act, Form),
    Thing(Thing),
    Mark(Mark),
    Count(usize),
    /// A hope, plan, condition, advice or what was before: the clause claims nothing.
    Hedge,
    /// "I", "we".
    Author,
    /// "this", "the commit", "it".
    Change,
    /// "is", "was", "has", "been".
    Be,
    /// "in", "under": where.
    In,
    /// "to", "with": what it became.
    To,
    /// "for", "of": what it is about.
    Of,
    /// "and", "or".
    And,
    /// "because", "which": what follows tells of something else.
    Sub,
    /// "so", "but": what follows is a claim of its own.
    Then,
    /// "the", "also".
    Filler,
    /// A name by its number.
    Name(usize),
    /// A punctuation mark that ends a clause.
    Stop,
    Comma,
    /// A colon, or a dash in the place of one.
    Colon,
    /// A word that no table has.
    Other,
}

/// Phrases, and the word that stands for each.
const PHRASES: [(&str, &str); 138] = [
    ("as you asked", ""),
    ("as you requested", ""),
    ("as requested", ""),
    ("as asked", ""),
    ("heads up", ""),
    ("take a look", "please"),
    ("nothing but", "only"),
    ("nothing more than", "only"),
    ("nothing other than", "only"),
    ("no more than", "only"),
    ("no more and no less", "only"),
    ("and nothing more", "only"),
    ("nothing more", "only"),
    ("and nothing else", "only"),
    ("and nothing besides", "only"),
    ("nothing else besides", "only"),
    ("and only that", "only"),
    ("that is it", "only"),
    ("that is all", "only"),
    ("that is the whole story", "only"),
    ("that is the entire change", "only"),
    ("is all that changed", "only"),
    ("is all that happened", "only"),
    ("are all that changed", "only"),
    ("all i did is", "only"),
    ("all i did was", "only"),
    ("all this does is", "only"),
    ("the single thing", "only"),
    ("the only thing", "only"),
    ("through and through", "only"),
    ("limited to", "only"),
    ("confined to", "only"),
    ("restricted to", "only"),
    ("no longer", "no-longer"),
    ("not any more", "no-longer"),
    ("any longer", "anymore"),
    ("any more", "anymore"),
    ("except for", "except"),
    ("apart from", "except"),
    ("aside from", "except"),
    ("other than", "except"),
    ("aside", "except"),
    ("with the exception of", "except"),
    ("rather than", "instead-of"),
    ("instead of", "instead-of"),
    ("in place of", "instead-of"),
    ("so that", "because"),
    ("such that", "because"),
    ("in order to", "because"),
    ("as long as", "if"),
    ("in case", "if"),
    ("even if", "if"),
    ("as well as", "and"),
    ("as well", "also"),
    ("along the way", "also"),
    ("along with", "and"),
    ("together with", "and"),
    ("as before", "as-before"),
    ("than before", "than-it-was"),
    ("from before", "than-it-was"),
    ("before this session", "as-before"),
    ("like before", "as-before"),
    ("as it was", "as-before"),
    ("as they were", "as-before"),
    ("as it is", "as-before"),
    ("as they are", "as-before"),
    ("as is", "as-before"),
    ("as-is", "as-before"),
    ("as ever", "as-before"),
    ("as it did", "as-before"),
    ("as they did", "as-before"),
    ("as it used to", "as-before"),
    ("what it did before", "as-before"),
    ("the way it did", "as-before"),
    ("what it always did", "as-before"),
    ("what it was before", "as-before"),
    ("what it was", "as-before"),
    ("it did before", "as-before"),
    ("to the earlier version", "as-before"),
    ("byte for byte", ""),
    ("call sites", "callers"),
    ("call site", "caller"),
    ("call-sites", "callers"),
    ("call-site", "caller"),
    ("white space", "whitespace"),
    ("white-space", "whitespace"),
    ("line breaks", "whitespace"),
    ("blank lines", "whitespace"),
    ("spaces and tabs", "whitespace"),
    ("type checks", "typecheck"),
    ("type check", "typecheck"),
    ("type-check", "typecheck"),
    ("type checking", "typecheck"),
    ("type checker", "typecheck"),
    ("test cases", "tests"),
    ("test case", "test"),
    ("doc test", "doctest"),
    ("test suite", "suite"),
    ("test run", "suite"),
    ("test file", "test-file"),
    ("test files", "test-files"),
    ("test code", "test-files"),
    ("source code", "source-code"),
    ("production code", "source-code"),
    ("got rid of", "removed"),
    ("get rid of", "remove"),
    ("threw away", "removed"),
    ("thrown away", "removed"),
    ("cleaned up", "tidied"),
    ("cleaned out", "removed"),
    ("pulled out", "extracted"),
    ("factored out", "extracted"),
    ("split off", "extracted"),
    ("split out", "extracted"),
    ("went away", "removed"),
    ("pulled in", "added"),
    ("brought in", "added"),
    ("put in place", "added"),
    ("taken out", "removed"),
    ("switched over", "switched"),
    ("brought up to date", "updated"),
    ("up to date", "updated"),
    ("backwards compatible", "api unchanged"),
    ("backward compatible", "api unchanged"),
    ("source-compatible", "api unchanged"),
    ("compatible", "api unchanged"),
    ("while at it", "also"),
    ("while i was at it", "also"),
    ("while i was there", "also"),
    ("keeps working", "is api unchanged"),
    ("keep working", "are api unchanged"),
    ("continue to work", "are api unchanged"),
    ("continues to work", "is api unchanged"),
    ("public interface", "api"),
    ("code base", "codebase"),
    ("existing code", "clients"),
    ("side effects", "side-effect"),
    ("side effect", "side-effect"),
];

/// Returns a text in which phrases are one word each.
pub(super) fn joined(plain: &str) -> String {
    let mut text = format!(" {plain} ");
    for (phrase, word) in PHRASES {
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|rest| rest.find(phrase)) {
            let (start, end) = (from + at, from + at + phrase.len());
            let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '-');
            let before = text.get(..start).and_then(|it| it.chars().next_back());
            let after = text.get(end..).and_then(|it| it.chars().next());
            if is_edge(before) && is_edge(after) {
                text.replace_range(start..end, word);
                from = start + word.len();
            } else {
                from = end;
            }
        }
    }
    text.trim().to_owned()
}

/// Returns what a word is.
pub(super) fn lexeme(word: &str) -> Lexeme {
    if let Some(found) = small_word(word) {
        return found;
    }
    if let Some(mark) = mark(word) {
        return Lexeme::Mark(mark);
    }
    if let Some(count) = count(word) {
        return Lexeme::Count(count);
    }
    if let Some(thing) = thing(word) {
        return Lexeme::Thing(thing);
    }
    if is_hedge(word) {
        return Lexeme::Hedge;
    }
    match deed(word) {
        Some((act, form)) => Lexeme::Deed(act, form),
        None => Lexeme::Other,
    }
}

/// Numbers in words, from one.
const NUMBERS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

fn count(word: &str) -> Option<usize> {
    if word == "single" {
        return Some(1);
    }
    let in_words = NUMBERS.iter().position(|number| *number == word);
    in_words.map(|at| at + 1).or_else(|| word.parse().ok())
}

fn small_word(word: &str) -> Option<Lexeme> {
    Some(match word {
        "i" | "we" => Lexeme::Author,
        "this" | "commit" | "diff" | "patch" | "pr" | "it" | "that" | "they" | "work"
        | "everything" | "changeset" | "session" | "turn" => Lexeme::Change,
        "is" | "are" | "was" | "were" | "be" | "been" | "being" | "has" | "have" | "had"
        | "does" | "did" | "do" | "made" | "makes" | "make" | "consists" | "consist" | "there"
        | "there's" => Lexeme::Be,
        "in" | "under" | "inside" | "within" | "at" | "across" | "throughout" | "from" | "off" => {
            Lexeme::In
        }
        "to" | "into" | "as" | "with" | "by" | "→" | "->" | "=>" | "➜" | "⟶" => Lexeme::To,
        "for" | "of" | "on" | "covering" | "cover" | "covers" | "about" | "via" | "through"
        | "using" | "per" | "against" | "above" | "over" | "behind" => Lexeme::Of,
        "and" | "or" | "&" | "nor" | "plus" => Lexeme::And,
        "because" | "since" | "which" | "where" | "who" | "whose" | "when" | "while"
        | "although" | "though" | "whereas" | "instead-of" | "until" | "unless" | "if"
        | "whether" | "how" | "what" | "why" | "once" | "after" | "before" | "than" => Lexeme::Sub,
        "so" | "but" | "however" => Lexeme::Then,
        "the" | "a" | "an" | "also" | "then" | "its" | "their" | "his" | "our" | "my" | "your"
        | "these" | "those" | "existing" | "exactly" | "actually" | "completely" | "entirely"
        | "fully" | "further" | "too" | "here" | "itself" | "themselves" | "some"
        | "several" | "few" | "small" | "simple" | "corresponding" | "accordingly"
        | "carefully" | "successfully" | "cleanly" | "deliberately" | "locally" | "overall"
        | "total" | "altogether" | "ahead" | "afterwards" | "finally" | "next" | "respectively"
        | "consistently" | "quickly" | "explicitly" | "directly" | "newly" | "additionally"
        | "furthermore" | "done" | "change" | "changes" | "edit" | "edits" | "adjustment"
        | "adjustments" | "modification" | "modifications" | "update" | "updates"
        | "refactoring" | "refactor" | "cleanup" | "clean-up" | "summary" | "scope" | "result"
        | "status" | "verification" | "note" | "notes" | "such" | "either" | "needed" | "required" | "end" | "any" | "anything" | "regression" | "confirmed" | "whatsoever" | "each"
        | "them" | "given" | "time" | "while-at-it" | "process" | "confirmed"
        | "itself's" | "own" | "same-named" | "unfortunately" | "currently" | "present"
        | "moment" | "otherwise" | "basically" | "essentially" | "essence"
        | "strictly-speaking" | "old" | "other's" | "various" | "related" | "relevant"
        | "necessary" | "little" | "again" | "out" | "up" | "down" | "back" | "together"
        | "effect" | "nature" | "type-of" | "fact" | "place" | "places" => {
            return noun_deed(word).or(Some(Lexeme::Filler));
        }
        _ => return None,
    })
}

/// Returns nouns that are deeds too, as `change`, and none of the other small words.
fn noun_deed(word: &str) -> Option<Lexeme> {
    match word {
        "change" | "changes" | "edit" | "edits" | "modification" | "modifications"
        | "adjustment" | "adjustments" | "update" | "updates" => {
            Some(Lexeme::Deed(Act::Change, Form::Base))
        }
        _ => None,
    }
}

fn mark(word: &str) -> Option<Mark> {
    Some(match word {
        "not" | "never" | "without" | "neither" => Mark::Denied,
        "only" | "just" | "simply" | "purely" | "pure" | "merely" | "solely" | "strictly"
        | "exclusively" | "plain" | "straightforward" | "straight" | "mechanical"
        | "mechanically" | "cosmetic" | "alone" => Mark::Only,
        "all" | "every" | "both" | "everywhere" => Mark::All,
        "no" | "none" | "nothing" | "zero" | "0" => Mark::No,
        "full" | "whole" | "entire" | "complete" => Mark::Whole,
        "same"
        | "identical"
        | "unchanged"
        | "untouched"
        | "unmodified"
        | "unaffected"
        | "intact"
        | "equivalent"
        | "as-before"
        | "preserved"
        | "identically"
        | "preserving"
        | "behaviour-preserving" | "unaltered" => Mark::Same,
        "different" | "differently" | "differ" | "differs" | "difference" | "differences"
        | "impact" | "consequences" | "side-effect" | "than-it-was" => Mark::Other,
        "new" => Mark::New,
        "unused" | "dead" | "obsolete" | "orphaned" | "uncalled" | "unreferenced" | "redundant" => {
            Mark::Unused
        }
        "now" => Mark::Now,
        "gone" | "no-longer" | "anymore" => Mark::Gone,
        "still" | "yet" => Mark::Still,
        "else" | "other" | "others" | "rest" | "remaining" => Mark::Rest,
        "green" | "clean" | "passing" | "ok" | "fine" | "successful" | "happy" | "success"
        | "✅" | "✓" | "cleanly" => Mark::Good,
        "red" | "failing" | "broken" => Mark::Bad,
        "more" | "additional" | "another" | "extra" | "second" | "third" => Mark::More,
        "except" | "besides" | "beyond" | "outside" => Mark::Except,
        "most" | "partly" | "partially" | "almost" | "nearly" | "mostly" | "least"
        | "about-half" => Mark::Part,
        _ => return None,
    })
}

fn is_hedge(word: &str) -> bool {
    matches!(
        word,
        "should"
            | "shall"
            | "would"
            | "could"
            | "may"
            | "might"
            | "can"
            | "will"
            | "'ll"
            | "i'll"
            | "i'd"
            | "we'd"
            | "it'd"
            | "want"
            | "wants"
            | "wanted"
            | "let"
            | "please"
            | "needs"
            | "must"
            | "todo"
            | "consider"
            | "suggest"
            | "suggestion"
            | "recommend"
            | "recommendation"
            | "previously"
            | "originally"
            | "formerly"
            | "used-to"
            | "likely"
            | "probably"
            | "presumably"
            | "perhaps"
            | "maybe"
            | "think"
            | "believe"
            | "expect"
            | "assume"
            | "suppose"
            | "appear"
            | "appears"
            | "seem"
            | "seems"
            | "seemed"
            | "expected"
            | "intended"
            | "supposed"
            | "try"
            | "tried"
            | "hopefully"
            | "hope"
            | "attempted"
            | "attempt"
            | "goal"
            | "aim"
            | "idea"
            | "planned"
            | "plan"
            | "asked"
            | "remember"
            | "imagine"
            | "wonder"
            | "wish"
            | "feel"
            | "earlier"
            | "already"
            | "user"
            | "users'"
            | "you"
            | "you'll"
            | "you'd"
            | "doubt"
            | "unless"
            | "wait"
            | "worth"
            | "advise"
    )
}

fn thing(word: &str) -> Option<Thing> {
    Some(match word {
        "file" | "files" | "path" | "paths" | "module" | "modules" | "script" | "scripts"
        | "header" | "headers" => Thing::File,
        "test" | "tests" | "spec" | "specs" | "unit-test" | "unit-tests" | "doctest"
        | "doctests" | "testcase" | "testcases" => Thing::Test,
        "suite" | "suites" | "testing" | "checks" => Thing::Suite,
        "caller" | "callers" | "usage" | "usages" | "uses" | "reference" | "references"
        | "occurrence" | "occurrences" | "mention" | "mentions" | "consumer" | "consumers"
        | "callsite" | "callsites" | "importers" | "importer" => Thing::Use,
        "import" | "imports" | "include" | "includes" => Thing::Import,
        "function" | "functions" | "method" | "methods" | "helper" | "helpers" | "getter"
        | "getters" | "accessor" | "constructor" | "macro" | "macros" => Thing::Function,
        "class" | "classes" | "struct" | "structs" | "enum" | "trait" | "interface" | "type"
        | "types" | "exception" | "variant" | "variants" => Thing::Type,
        "variable" | "variables" | "constant" | "constants" | "field" | "fields" | "parameter"
        | "parameters" | "argument" | "arguments" | "flag" | "flags" | "option" | "options"
        | "property" | "properties" | "local" | "locals" | "attribute" | "attributes" => {
            Thing::Variable
        }
        "comment" | "comments" | "docstring" | "docstrings" | "javadoc" | "javadocs" | "jsdoc"
        | "godoc" | "doc-comment" | "doc-comments" | "comment-only" | "comments-only" => {
            Thing::Comment
        }
        "doc" | "docs" | "documentation" | "prose" | "markdown" | "docs-only"
        | "documentation-only" => Thing::Doc,
        "formatting" | "whitespace" | "indentation" | "layout" | "spacing" | "style"
        | "reformatting" | "whitespace-only" | "formatting-only" | "format-only" 
        | "reflow" => Thing::Layout,
        "name" | "names" | "identifier" | "identifiers" | "renaming" => Thing::Name,
        "behaviour" | "behavioural" | "functionality" | "semantics" | "logic" | "functional"
        | "functionally" | "semantic" | "semantically" | "logical" | "output" | "outputs" | "messages"
        | "results" | "observable" | "structural" | "structurally" | "runtime" | "user-visible"
        | "visible" => Thing::Behaviour,
        "signature" | "signatures" | "api" | "apis" | "clients" | "interfaces" => Thing::Api,
        "code" | "source-code" | "line" | "lines" | "statement" | "statements" | "source"
        | "executable" | "implementation" => Thing::Code,
        "value" | "values" | "default" | "defaults" | "version" | "limit" | "timeout"
        | "threshold" | "length" | "capacity" | "size" | "replica" | "replicas" | "ttl"
        | "period" => Thing::Value,
        "dependency" | "dependencies" | "package" | "packages" | "lockfile" => Thing::Dependency,
        "lint" | "linter" | "linting" | "lints" | "style-check" => Thing::Lint,
        "typecheck" | "typechecks" | "typechecker" => Thing::Types,
        "build" | "builds" | "compile" | "compiles" | "compilation" | "compiled" | "built"
        | "compiler" => Thing::Build,
        "error" | "errors" | "failure" | "failures" | "warning" | "warnings" | "issue"
        | "issues" | "problem" | "problems" | "offense" | "offenses" | "offence" | "offences"
        | "complaint" | "complaints" | "regressions" => Thing::Trouble,
        "repo" | "repository" | "codebase" | "project" | "workspace" | "tree" => Thing::Project,
        _ => return None,
    })
}

/// Returns what a form of a verb says.
fn deed(word: &str) -> Option<(Act, Form)> {
    let irregular = match word {
        "wrote" | "written" => Some((Act::Add, Form::Past)),
        "rewrote" | "rewritten" => Some((Act::Change, Form::Past)),
        "left" | "kept" => Some((Act::Keep, Form::Past)),
        "got" | "gets" | "received" | "gained" | "gains" => Some((Act::Gain, Form::Past)),
        "ran" | "re-ran" | "reran" => Some((Act::Run, Form::Past)),
        "went" | "goes" => Some((Act::Set, Form::Past)),
        "became" | "become" | "becomes" => Some((Act::Rename, Form::Past)),
        "broke" | "breaks" => Some((Act::Fail, Form::Past)),
        "did" => None,
        "removal" | "deletion" | "deletions" => Some((Act::Remove, Form::Base)),
        "addition" | "additions" => Some((Act::Add, Form::Base)),
        "relocation" => Some((Act::Move, Form::Base)),
        "split" => Some((Act::Move, Form::Past)),
        "set" => Some((Act::Set, Form::Past)),
        _ => None,
    };
    if irregular.is_some() {
        return irregular;
    }
    let bases: [(&str, &[&str], Form); 9] = [
        ("", &[""], Form::Base),
        ("ied", &["y"], Form::Past),
        ("ed", &["", "e"], Form::Past),
        ("ying", &["y"], Form::Gerund),
        ("ing", &["", "e"], Form::Gerund),
        ("ies", &["y"], Form::Present),
        ("es", &["", "e"], Form::Present),
        ("s", &[""], Form::Present),
        ("d", &[""], Form::Past),
    ];
    for (ending, ends, form) in bases {
        let Some(stem) = word.strip_suffix(ending) else {
            continue;
        };
        for end in ends {
            if let Some(act) = act(&format!("{stem}{end}")).or_else(|| act(undoubled(stem))) {
                return Some((act, form));
            }
        }
    }
    None
}

/// Returns a stem without its last letter, where that is doubled: `dropp` of `dropped`.
fn undoubled(stem: &str) -> &str {
    let mut letters = stem.chars().rev();
    match (letters.next(), letters.next()) {
        (Some(last), Some(other)) if last == other && "bgmnpt".contains(last) => {
            stem.get(..stem.len() - last.len_utf8()).unwrap_or(stem)
        }
        _ => stem,
    }
}

fn act(base: &str) -> Option<Act> {
    Some(match base {
        "add" | "introduce" | "create" | "define" | "write" | "declare" | "implement"
        | "extract" | "generate" => Act::Add,
        "remove" | "delete" | "drop" | "eliminate" | "strip" | "prune" | "discard" | "inline"
        | "unify" => Act::Remove,
        "update" | "change" | "modify" | "edit" | "adjust" | "refactor" | "revise" | "touch"
        | "tweak" | "simplify" | "correct" | "patch" | "rework" | "extend" | "adapt" | "fix"
        | "migrate" | "convert" | "switch" | "restructure" | "reorder" | "sort" | "affect"
        | "alter" | "improve" | "expand" | "synchronise" | "synchronize" | "sync" | "flatten"
        | "shorten" | "wrap" | "condense" | "tidy" | "relax" | "optimize" | "optimise"
        | "restore" | "rewrite" => Act::Change,
        "raise" | "lower" | "increase" | "decrease" | "reduce" | "bump" | "double" | "halve"
        | "triple" | "upgrade" => Act::Set,
        "rename" => Act::Rename,
        "move" | "relocate" => Act::Move,
        "replace" | "swap" | "substitute" => Act::Replace,
        "format" | "reformat" | "reindent" | "re-indent" | "indent" => Act::Format,
        "document" | "describe" | "explain" => Act::Document,
        "keep" | "leave" | "stay" | "remain" | "retain" | "preserve" | "maintain" | "continue" => {
            Act::Keep
        }
        "use" | "call" | "point" | "follow" | "invoke" | "refer" | "reference" => Act::Use,
        "pass" | "succeed" => Act::Pass,
        "fail" => Act::Fail,
        "run" | "execute" | "verify" | "apply" => Act::Run,
        "behave" | "validate" | "work" | "function" | "accept" | "return" | "throw" | "produce" | "reject"
        | "support" | "handle" | "start" | "compute" | "emit" | "print" | "clamp" | "log"
        | "require" | "default" => Act::Behave,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_in_their_forms() {
        let table = [
            ("dropped", Lexeme::Deed(Act::Remove, Form::Past)),
            ("modifies", Lexeme::Deed(Act::Change, Form::Present)),
            ("renaming", Lexeme::Thing(Thing::Name)),
            ("moving", Lexeme::Deed(Act::Move, Form::Gerund)),
            ("change", Lexeme::Deed(Act::Change, Form::Base)),
            ("callers", Lexeme::Thing(Thing::Use)),
            ("three", Lexeme::Count(3)),
            ("should", Lexeme::Hedge),
            ("banana", Lexeme::Other),
        ];
        for (word, expected) in table {
            assert_eq!(lexeme(word), expected, "{word}");
        }
        assert_eq!(joined("all call sites, as requested"), "all callers,");
        assert_eq!(joined("basis aside"), "basis except");
    }
}
