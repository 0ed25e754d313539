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

use std::collections::HashMap;
use std::sync::LazyLock;

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
const PHRASES: &str = "\
no more and no less = only; that is the whole story = only; that is the entire change = only;
while i was at it = also; is all that changed = only; is all that happened = only; are all that changed = only;
all i did is = only; all i did was = only; all this does is = only; with the exception of = except;
as it used to = as-before; what it did before = as-before; the way it did = as-before;
what it always did = as-before; what it was before = as-before; to the earlier version = as-before;
brought up to date = updated; while i was there = also; as part of this = also; in the same go = also;
on top of that = also; at the same time = also; and that is it = only; and that is all = only;
is the only change = only; are the only changes = only; is all there is = only; as it had been = as-before;
as they did before = as-before; the way they did = as-before; as you asked =; as you requested =;
take a look = please; nothing more than = only; nothing other than = only; no more than = only;
and nothing more = only; and nothing else = only; and nothing besides = only; nothing else besides = only;
and only that = only; that is it = only; that is all = only; the single thing = only; the only thing = only;
through and through = only; not any more = no-longer; in place of = instead-of; in order to = because;
as long as = if; as well as = and; along the way = also; before this session = as-before;
as it was = as-before; as they were = as-before; as it is = as-before; as they are = as-before;
as it did = as-before; as they did = as-before; what it was = as-before; it did before = as-before;
byte for byte =; spaces and tabs = whitespace; got rid of = removed; get rid of = remove; put in place = added;
up to date = updated; while at it = also; continue to work = are api unchanged;
continues to work = is api unchanged; as a bonus = also; for good measure = also; nothing apart from = only;
nothing aside from = only; no other changes = nothing else changed; exactly like before = as-before;
did away with = removed; came back clean = clean; comes back clean = clean; came back green = green;
comes back green = green; exits with 0 = passes; exit code 0 = passes; as requested =; as asked =; heads up =;
nothing but = only; nothing more = only; limited to = only; confined to = only; restricted to = only;
no longer = no-longer; any longer = anymore; any more = anymore; except for = except; apart from = except;
aside from = except; other than = except; rather than = instead-of; instead of = instead-of; so that = because;
such that = because; in case = if; even if = if; as well = also; along with = and; together with = and;
as before = as-before; than before = than-it-was; from before = than-it-was; like before = as-before;
as is = as-before; as ever = as-before; call sites = callers; call site = caller; white space = whitespace;
line breaks = whitespace; blank lines = whitespace; type checks = typecheck; type check = typecheck;
type checking = typecheck; type checker = typecheck; test cases = tests; test case = test; doc test = doctest;
test suite = suite; test run = suite; test file = test-file; test files = test-files; test code = test-files;
source code = source-code; production code = source-code; threw away = removed; thrown away = removed;
cleaned up = tidied; cleaned out = removed; pulled out = extracted; factored out = extracted;
split off = extracted; split out = extracted; went away = removed; pulled in = added; brought in = added;
taken out = removed; switched over = switched; backwards compatible = api unchanged;
backward compatible = api unchanged; keeps working = is api unchanged; keep working = are api unchanged;
public interface = api; code base = codebase; existing code = clients; side effects = side-effect;
side effect = side-effect; in passing = also; in addition = also; nothing beyond = only;
nothing besides = only; as previously = as-before; as always = as-before; taken away = removed;
ripped out = removed; cut out = removed; tore out = removed; phased out = removed; cleared out = removed;
weeded out = removed; brought back = restored; carried over = moved; pulled into = moved to;
broken out = extracted; spun off = extracted; lifted out = extracted; carved out = extracted;
hoisted out = extracted; exits 0 = passes; exits cleanly = passes; test module = test-file; unit tests = tests;
unit test = test; spec file = test-file; public api = api; public surface = api; method signature = signature;
drop-in replacement = api unchanged; not affected = unaffected; end users = users; code paths = code;
code path = code; changed over = changed; wired up = added; set up = added;
went from = goes from; aside = except; as-is = as-before; call-sites = callers; call-site = caller;
white-space = whitespace; type-check = typecheck; source-compatible = api unchanged;
compatible = api unchanged";

/// Words that are no form of a regular verb.
const WORDS: [(Lexeme, &str); 64] = [
    (Lexeme::Deed(Act::Add, Form::Past), "wrote written"),
    (Lexeme::Deed(Act::Change, Form::Past), "rewrote rewritten"),
    (Lexeme::Deed(Act::Keep, Form::Past), "left kept"),
    (
        Lexeme::Deed(Act::Gain, Form::Past),
        "got gets received gained gains",
    ),
    (Lexeme::Deed(Act::Run, Form::Past), "ran re-ran reran"),
    (
        Lexeme::Deed(Act::Set, Form::Past),
        "went goes set cut grew shrank",
    ),
    (
        Lexeme::Deed(Act::Rename, Form::Past),
        "became become becomes",
    ),
    (Lexeme::Deed(Act::Fail, Form::Past), "broke breaks"),
    (Lexeme::Deed(Act::Move, Form::Past), "split"),
    (
        Lexeme::Deed(Act::Remove, Form::Base),
        "removal deletion deletions",
    ),
    (Lexeme::Deed(Act::Add, Form::Base), "addition additions"),
    (Lexeme::Deed(Act::Move, Form::Base), "relocation"),
    (
        Lexeme::Deed(Act::Change, Form::Base),
        "change changes edit edits modification modifications adjustment adjustments update updates",
    ),
    (Lexeme::Author, "i we"),
    (
        Lexeme::Change,
        "this commit diff patch pr it that they work everything changeset session turn",
    ),
    (
        Lexeme::Be,
        "is are was were be been being has have had does did do made makes make consists consist there there's",
    ),
    (
        Lexeme::In,
        "in under inside within at across throughout from off",
    ),
    (Lexeme::To, "to into as with by → -> => ➜ ⟶"),
    (
        Lexeme::Of,
        "for of on covering cover covers about via through using per against above over behind",
    ),
    (Lexeme::And, "and or & nor plus"),
    (
        Lexeme::Sub,
        "because since which where who whose when while although though whereas instead-of until unless if whether how \
         what why once after before than",
    ),
    (Lexeme::Then, "so but however"),
    (
        Lexeme::Filler,
        "the a an also then its their his our my your these those existing exactly actually completely entirely fully \
         further too here itself themselves some several few small simple corresponding accordingly carefully \
         successfully cleanly deliberately locally overall total altogether ahead afterwards finally next respectively \
         consistently quickly explicitly directly newly additionally furthermore done refactoring refactor cleanup \
         clean-up summary scope result status verification note notes such either needed required end any anything \
         regression confirmed whatsoever each them given time while-at-it process itself's own same-named unfortunately \
         currently present moment otherwise basically essentially essence strictly-speaking old other's various related \
         relevant necessary little again out up down back together effect nature type-of fact place places",
    ),
    (Lexeme::Mark(Mark::Denied), "not never without neither"),
    (
        Lexeme::Mark(Mark::Only),
        "only just simply purely pure merely solely strictly exclusively plain straightforward straight mechanical \
         mechanically cosmetic alone singularly",
    ),
    (Lexeme::Mark(Mark::All), "all every both everywhere"),
    (Lexeme::Mark(Mark::No), "no none nothing zero 0"),
    (Lexeme::Mark(Mark::Whole), "full whole entire complete"),
    (
        Lexeme::Mark(Mark::Same),
        "same identical unchanged untouched unmodified unaffected intact equivalent as-before preserved identically \
         preserving behaviour-preserving unaltered unvaried equal alike verbatim",
    ),
    (
        Lexeme::Mark(Mark::Other),
        "different differently differ differs difference differences impact consequences side-effect than-it-was",
    ),
    (Lexeme::Mark(Mark::New), "new"),
    (
        Lexeme::Mark(Mark::Unused),
        "unused dead obsolete orphaned uncalled unreferenced redundant unneeded unnecessary stale vestigial leftover \
         superfluous",
    ),
    (Lexeme::Mark(Mark::Now), "now"),
    (Lexeme::Mark(Mark::Gone), "gone no-longer anymore"),
    (Lexeme::Mark(Mark::Still), "still yet"),
    (Lexeme::Mark(Mark::Rest), "else other others rest remaining"),
    (
        Lexeme::Mark(Mark::Good),
        "green clean passing ok fine successful happy success ✅ ✓ flawless",
    ),
    (Lexeme::Mark(Mark::Bad), "red failing broken"),
    (
        Lexeme::Mark(Mark::More),
        "more additional another extra second third",
    ),
    (Lexeme::Mark(Mark::Except), "except besides beyond outside"),
    (
        Lexeme::Mark(Mark::Part),
        "most partly partially almost nearly mostly least half roughly",
    ),
    (
        Lexeme::Thing(Thing::File),
        "file files path paths module modules script scripts header headers",
    ),
    (
        Lexeme::Thing(Thing::Test),
        "test tests spec specs unit-test unit-tests doctest doctests testcase testcases",
    ),
    (Lexeme::Thing(Thing::Suite), "suite suites testing checks"),
    (
        Lexeme::Thing(Thing::Use),
        "caller callers usage usages uses reference references occurrence occurrences mention mentions consumer consumers \
         callsite callsites importers importer",
    ),
    (
        Lexeme::Thing(Thing::Import),
        "import imports include includes",
    ),
    (
        Lexeme::Thing(Thing::Function),
        "function functions method methods helper helpers getter getters accessor constructor macro macros routine \
         routines procedures subroutine endpoint endpoints",
    ),
    (
        Lexeme::Thing(Thing::Type),
        "class classes struct structs enum trait interface type types exception variant variants",
    ),
    (
        Lexeme::Thing(Thing::Variable),
        "variable variables constant constants field fields parameter parameters argument arguments flag flags option \
         options property properties local locals attribute attributes key keys setting settings column columns",
    ),
    (
        Lexeme::Thing(Thing::Comment),
        "comment comments docstring docstrings javadoc javadocs jsdoc godoc doc-comment doc-comments comment-only \
         comments-only",
    ),
    (
        Lexeme::Thing(Thing::Doc),
        "doc docs documentation prose markdown docs-only documentation-only",
    ),
    (
        Lexeme::Thing(Thing::Layout),
        "formatting whitespace indentation layout spacing style reformatting whitespace-only formatting-only format-only \
         reflow",
    ),
    (
        Lexeme::Thing(Thing::Name),
        "name names identifier identifiers renaming",
    ),
    (
        Lexeme::Thing(Thing::Behaviour),
        "behaviour behavioural functionality semantics logic functional functionally semantic semantically logical output \
         outputs messages results observable structural structurally runtime user-visible visible behaviours functioning",
    ),
    (
        Lexeme::Thing(Thing::Api),
        "signature signatures api apis clients interfaces",
    ),
    (
        Lexeme::Thing(Thing::Code),
        "code source-code line lines statement statements source executable implementation",
    ),
    (
        Lexeme::Thing(Thing::Value),
        "value values default defaults version limit timeout threshold length capacity size replica replicas ttl period",
    ),
    (
        Lexeme::Thing(Thing::Dependency),
        "dependency dependencies package packages lockfile",
    ),
    (
        Lexeme::Thing(Thing::Lint),
        "lint linter linting lints style-check",
    ),
    (
        Lexeme::Thing(Thing::Types),
        "typecheck typechecks typechecker",
    ),
    (
        Lexeme::Thing(Thing::Build),
        "build builds compile compiles compilation compiled built compiler",
    ),
    (
        Lexeme::Thing(Thing::Trouble),
        "error errors failure failures warning warnings issue issues problem problems offense offenses offence offences \
         complaint complaints regressions violation violations finding findings diagnostics",
    ),
    (
        Lexeme::Thing(Thing::Project),
        "repo repository codebase project workspace tree repositories monorepo",
    ),
    (
        Lexeme::Hedge,
        "should shall would could may might can will 'll i'll i'd we'd it'd want wants wanted let please needs must todo \
         consider suggest suggestion recommend recommendation previously originally formerly used-to likely probably \
         presumably perhaps maybe think believe expect assume suppose appear appears seem seems seemed expected intended \
         supposed try tried hopefully hope attempted attempt goal aim idea planned plan asked remember imagine wonder \
         wish feel earlier already user users' you you'll you'd doubt wait worth advise ought arguably apparently \
         supposedly recommended suggested optionally eventually later tomorrow soon",
    ),
];

/// Regular verbs.
const VERBS: [(Act, &str); 15] = [
    (
        Act::Add,
        "add introduce create define write declare implement extract generate insert append register supply equip \
         establish author compose draft craft contribute scaffold instate plant wire attach",
    ),
    (
        Act::Remove,
        "remove delete drop eliminate strip prune discard inline unify erase purge excise clear axe scrap retire kill \
         nuke",
    ),
    (
        Act::Change,
        "update change modify edit adjust refactor revise touch tweak simplify correct patch rework extend adapt fix \
         migrate convert switch restructure reorder sort affect alter improve expand synchronise synchronize sync flatten \
         shorten wrap condense tidy relax optimize optimise restore rewrite amend overhaul streamline harden repair \
         resolve address reword rephrase clarify tighten loosen align harmonise harmonize normalise normalize modernise \
         modernize port reorganise reorganize rearrange regroup standardise standardize polish enhance widen narrow \
         augment transform retouch mend rectify retarget redirect adopt",
    ),
    (
        Act::Set,
        "raise lower increase decrease reduce bump double halve triple upgrade shrink grow lengthen tripled quadruple",
    ),
    (Act::Rename, "rename rebrand retitle"),
    (Act::Move, "move relocate shift transfer transplant"),
    (Act::Replace, "replace swap substitute exchange supersede"),
    (
        Act::Format,
        "format reformat reindent re-indent indent reflow prettify realign rewrap",
    ),
    (
        Act::Document,
        "document describe explain comment annotate mention",
    ),
    (
        Act::Keep,
        "keep leave stay remain retain preserve maintain continue persist survive",
    ),
    (
        Act::Use,
        "use call point follow invoke refer reference consume",
    ),
    (Act::Pass, "pass succeed"),
    (Act::Fail, "fail"),
    (Act::Run, "run execute verify apply rerun launch"),
    (
        Act::Behave,
        "behave validate work function accept return throw produce reject support handle start compute emit print clamp \
         log require default respond yield deliver parse read fetch load send skip ignore treat count respect honour \
         honor allow deny panic fall retry cap expire wait filter",
    ),
];

/// Numbers in words, from one.
const NUMBERS: &str = "one two three four five six seven eight nine ten eleven twelve";

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);

/// The tables, by their words.
struct Lexicon {
    phrases: Vec<(&'static str, &'static str)>,
    words: HashMap<&'static str, Lexeme>,
    verbs: HashMap<&'static str, Act>,
}

impl Lexicon {
    fn new() -> Self {
        let words = WORDS.iter().rev();
        let words = words.flat_map(|(lexeme, words)| words.split(' ').map(|word| (word, *lexeme)));
        let verbs = VERBS.iter();
        let verbs = verbs.flat_map(|(act, words)| words.split(' ').map(|word| (word, *act)));
        let phrases = PHRASES.split(';').filter_map(|entry| entry.split_once('='));
        let numbers = NUMBERS.split(' ').zip(1..);
        let numbers = numbers.map(|(word, count)| (word, Lexeme::Count(count)));
        Self {
            phrases: phrases
                .map(|(phrase, word)| (phrase.trim(), word.trim()))
                .collect(),
            words: numbers
                .chain([("single", Lexeme::Count(1))])
                .chain(words)
                .collect(),
            verbs: verbs.collect(),
        }
    }
}

/// Returns a text in which phrases are one word each.
pub(super) fn joined(plain: &str) -> String {
    let mut text = format!(" {plain} ");
    for (phrase, word) in &LEXICON.phrases {
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
    if let Some(lexeme) = LEXICON.words.get(word) {
        return *lexeme;
    }
    if let Ok(count) = word.parse() {
        return Lexeme::Count(count);
    }
    deed(word).map_or(Lexeme::Other, |(act, form)| Lexeme::Deed(act, form))
}

/// Returns what a form of a regular verb says.
fn deed(word: &str) -> Option<(Act, Form)> {
    const ENDINGS: [(&str, &[&str], Form); 9] = [
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
    for (ending, ends, form) in ENDINGS {
        let Some(stem) = word.strip_suffix(ending) else {
            continue;
        };
        let mut bases = ends.iter().map(|end| format!("{stem}{end}"));
        let act = bases.find_map(|base| LEXICON.verbs.get(base.as_str()));
        if let Some(act) = act.or_else(|| LEXICON.verbs.get(undoubled(stem))) {
            return Some((*act, form));
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
