//! Grammar of claims: what a sentence says of a change, where that can be judged.
//!
//! ```text
//! "renamed <0> to <1> in <2>."                   Renamed load -> read; Touched src/a.py
//! "this should not change behaviour."            nothing: a hope
//! "all tests pass."                              TestsPass
//! ```
//!
//! In: sentences. Out: [`Claim`]s. What is hoped, planned, asked for or conditional is none; so is what no pattern knows.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use signoff_core::text::Slice as _;

use super::sentence::Sentence;
use super::test_log::{RUNNERS, is_of_tests};

/// What a sentence says of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// Names changed, and nothing else, in the paths where some are named.
    OnlyRenamed(Vec<String>),
    /// White space changed, and nothing else.
    OnlyLayout(Vec<String>),
    /// Comments or texts for people changed, and nothing else.
    OnlyComments(Vec<String>),
    /// Tests changed, and nothing else.
    OnlyTests,
    /// No test changed.
    TestsUntouched,
    /// Programs do the same as before.
    SameBehaviour,
    /// These paths changed and no others; without paths, those that the message names.
    OnlyPaths(Vec<String>),
    /// Nothing changed.
    Nothing,
    /// These did not change.
    Untouched(Vec<String>),
    /// This number of files changed.
    FileCount(usize),
    /// Tests were added.
    TestsAdded {
        /// The number, if the sentence has one.
        count: Option<usize>,
        /// The names that they are for.
        names: Vec<String>,
    },
    /// No tests were added.
    NoTestsAdded,
    /// The tests passed.
    TestsPass,
    /// A test failed.
    TestsFail,
    /// Tests ran.
    TestsRan,
    /// No tests ran.
    TestsNotRun,
    /// All uses of a name follow; of what was renamed, where none is named.
    AllUses(Option<String>),
    /// What was not used is gone.
    Unused {
        /// The names that are gone.
        names: Vec<String>,
        /// Whether it was imports.
        imports: bool,
    },
    /// Something was done to names.
    Deed {
        /// What.
        deed: Deed,
        /// To which names, as paths or symbols.
        names: Vec<String>,
    },
    /// These paths or names changed.
    Touched(Vec<String>),
    /// A name stands for a number now.
    Valued {
        /// The name.
        name: String,
        /// The number, as it is written.
        value: String,
    },
    /// Something changed.
    Something,
    /// A name is still used: one of these, or what was renamed; in these paths.
    Left(Vec<String>),
    /// These names are not used any more in these paths.
    Free(Vec<String>),
    /// A name or path became another one.
    Renamed {
        /// The old one.
        from: String,
        /// The new one.
        to: String,
    },
}

/// What was done to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// It is there now.
    Added,
    /// It is gone.
    Removed,
    /// It is another one.
    Changed,
}

/// The verbs of deeds.
const VERBS: [(&str, Deed); 3] = [
    (
        "added|introduced|implemented|created|defined|wrote|extracted|pulled out|factored out",
        Deed::Added,
    ),
    (
        "removed|deleted|dropped|eliminated|stripped|got rid of|cleaned out",
        Deed::Removed,
    ),
    (
        "updated|changed|modified|edited|fixed|adjusted|refactored|rewrote|rewritten|revised|reformatted|formatted|touched|tweaked|bumped|simplified|cleaned up|documented|corrected|patched|replaced|reworked|extended",
        Deed::Changed,
    ),
];

/// Numbers in words, from one.
const NUMBERS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

/// Compiles a pattern; none if it is none, which a test excludes.
pub(super) fn pattern(text: &str) -> Option<Regex> {
    // Letters and borders of words as ASCII has them: with those of Unicode, all patterns take ten times as long to compile.
    let text = text.replace(r"\w", "[a-z0-9_]").replace(r"\b", r"(?-u:\b)");
    Regex::new(&text)
        .inspect_err(|error| tracing::error!(%error, "a pattern of claims is none"))
        .ok()
}

/// Patterns of one thing, with `NS` for names, `NUM` for a number, `DO` for a word of changing, and `FEW` for few words.
struct Patterns(Vec<Regex>);

impl Patterns {
    fn new(texts: &[&str]) -> Self {
        Self(
            texts
                .iter()
                .filter_map(|text| pattern(&written_out(text)))
                .collect(),
        )
    }

    fn is_in(&self, text: &str) -> bool {
        self.0.iter().any(|pattern| pattern.is_match(text))
    }

    fn first<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.0.iter().find_map(|pattern| pattern.captures(text))
    }
}

/// Returns a pattern with its short forms written out.
fn written_out(text: &str) -> String {
    let number = format!(r"(\d+|a single|{})", NUMBERS.join("|"));
    text.replace(
        "NS",
        r"((?:<\d+>(?:\(\))?)(?:(?:, and |, | and | & | or |, or )(?:the |in |also )?<\d+>(?:\(\))?)*)",
    )
    .replace("NUM", &number)
    .replace(
        "DO",
        r"(?:chang|touch|modif|edit|updat|affect|adjust|tweak|revis|rewr|fix)\w*",
    )
    .replace("FEW", r"(?:(?:\w|['-])+,? |<\d+>(?:\(\))?,? )")
    .replace(
        "BEHAVIOUR",
        r"(?:behaviour|functionality|semantics|logic|output|results?)",
    )
}

/// Parts of words one of which is in every sentence that a pattern fits.
const TRIGGERS: [&str; 40] = [
    "<0>",
    "renam",
    "format",
    "white",
    "indent",
    "layout",
    "spac",
    "blank",
    "style",
    "cosmetic",
    "comment",
    "doc",
    "behav",
    "function",
    "semantic",
    "logic",
    "identical",
    "same",
    "before",
    "refactor",
    "structur",
    "only",
    "nothing",
    "no ",
    "not ",
    "untouched",
    "unchanged",
    "file",
    "test",
    "spec",
    "suite",
    "pass",
    "green",
    "call",
    "use",
    "referenc",
    "remov",
    "ed ",
    "code",
    "else",
];

/// What makes a sentence no claim: hopes, plans, conditions, advice, what was before.
const HEDGES: &str = r"\b(?:should|shall|would|could|may|might|can|will|want|wants|wanted|if|unless|once|let me|let's|please|needs? to|you can|you could|you may|you should|you will|you want|todo|consider|suggest\w*|recommend\w*|plan(?:s|ned)? to|going to|previously|used to|originally|until now|formerly|likely|probably|presumably|i think|i believe|i expect|i assume|appears?|seems?|expected|intended|supposed|whether|try|tried|feel free|happy to|hopefully|try to|attempt\w*|goal|aim|idea|the task|the request|your request|(?:was|were) asked to|make sure|remember|don't forget|follow-up|as an example|for example|imagine|say)\b";

/// Where the reason, purpose or condition of a deed begins.
const SUBORDINATE: &str = r"(?:,? \b(?:because|since|so that|so (?:it|they|we|the|callers|that)|in order to|to (?:make|avoid|ensure|allow|keep|support|match|reflect|prevent|handle|be|improve|reduce|let|help|fix|simplify|use|call|take|accept|return|include|cover|follow|point|pass|read|read|get|satisfy|verify|check)|such that|as (?:it|they|this)|where|which|that|but|although|though|however|while|whereas|rather than|instead of|before|after|when)\b)";

/// The patterns.
struct Grammar {
    hedges: Patterns,
    subordinate: Patterns,
    change_word: Patterns,
    negation: Patterns,
    only_renamed: Patterns,
    only_layout: Patterns,
    only_comments: Patterns,
    same_behaviour: Patterns,
    only_paths: Patterns,
    no_others: Patterns,
    nothing: Patterns,
    untouched: Patterns,
    file_count: Patterns,
    tests_added: Patterns,
    no_tests_added: Patterns,
    no_failure: Patterns,
    not_passing: Patterns,
    tests_pass: Patterns,
    tests_fail: Patterns,
    tests_ran: Patterns,
    tests_not_run: Patterns,
    all_uses: Patterns,
    unused: Patterns,
    unused_before: Patterns,
    renamed: Patterns,
    renamed_away: Patterns,
    deeds: Vec<(Patterns, Deed)>,
    within: Patterns,
    now: Patterns,
    now_has: Patterns,
    only_tests: Patterns,
    tests_untouched: Patterns,
    left: Patterns,
    free: Patterns,
    apart: Patterns,
    valued: Patterns,
    something: Patterns,
    listed: Patterns,
    number: Patterns,
}

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(Grammar::new);

impl Grammar {
    #[expect(clippy::too_many_lines, reason = "it is a table")]
    fn new() -> Self {
        let only = r"\b(?:only|just|simply|purely|merely|solely|strictly|exclusively|nothing but|nothing more than|nothing other than)\b";
        Self {
            hedges: Patterns::new(&[HEDGES]),
            subordinate: Patterns::new(&[SUBORDINATE]),
            change_word: Patterns::new(&[
                r"\b(?:DO|add\w*|renam\w*|reformat\w*|format\w*|reword\w*|pass|commit|diff|pr|patch|clean\w*|did|done|touch\w*|differ\w*)\b",
                r"\b(?:this|it|these|everything|all of (?:it|this)|all changes) (?:is|was|are|were)\b",
            ]),
            negation: Patterns::new(&[
                r"\b(?:not|never|no|none|neither|nor|without|yet|still|missing)\b",
            ]),
            only_renamed: Patterns::new(&[
                &format!(r"{only} FEW{{0,4}}renam\w+"),
                r"\b(?:pure|purely|plain|straight|straightforward|mechanical|strict) (?:a |symbol |name |identifier )?renam\w+",
                r"\brenam\w+[- ]only\b",
                r"\brenam\w+.{0,60}\b(?:that is|which is) (?:all|it|the (?:entire|whole) (?:change|story|diff))\b",
                r"\b(?:apart from|besides|other than|beyond|except(?: for)?|aside from|outside of) (?:the |this |that |these )?(?:new )?(?:renam\w+|names?)\b.{0,50}\b(?:nothing|no (?:other |further )?(?:code |logic )?(?:changes?|edits?|modifications?)|unchanged|identical|the same|untouched)\b",
                r"\b(?:nothing|no (?:other|further|code) changes?)\b.{0,40}\b(?:apart from|besides|other than|beyond|except(?: for)?|aside from|but) (?:the |this |that )?(?:new )?(?:renam\w+|names?)\b",
                r"\bthe only (?:change|thing|difference|edit)s?(?: \w+)? (?:is|was|that changed is|that changed was)(?: \w+){0,3} (?:renam\w+|names?)\b",
                r"\ball (?:i|we|it|this \w+) (?:did|does) (?:was|is) (?:to )?renam\w+",
                r"\b(?:is|was|it's|as) (?:just |only |purely |simply |nothing but )?an? (?:pure |plain |straight |mechanical |1:1 )renam\w+",
            ]),
            only_layout: Patterns::new(&[
                &format!(
                    r"{only} FEW{{0,5}}(?:re-?)?(?:format\w*|white ?space|white-space|indent\w*|layout|spacing|blank lines?|line (?:breaks?|wrapping|lengths?|wraps?)|trailing spaces?|prettier|black|rustfmt|gofmt)\b"
                ),
                r"\b(?:formatting|format|white ?space|white-space|indentation|layout|style)(?:[- ]| \w+ )only\b",
                r"\b(?:pure|purely|strictly) (?:a )?(?:formatting|white ?space|layout|indentation|cosmetic formatting)\b",
                r"\b(?:formatting|white ?space|indentation|layout)\b.{0,20}\b(?:nothing else|nothing more|is all that changed|(?:is|are) the (?:only|single) (?:changes?|things?|differences?))\b",
                r"\bthe (?:only|single) (?:change|thing|difference|edit)s?(?: \w+){0,2} (?:is|are|was|were)(?: \w+){0,3} (?:formatting|white ?space|indentation|layout)\b",
                r"\bno (?:tokens?|characters? other than white ?space) (?:was |were |has |have |is |are )?(?:been )?chang\w+",
            ]),
            only_comments: Patterns::new(&[
                &format!(
                    r"{only} FEW{{0,5}}(?:comments?|doc-?strings?|documentation|docs|doc comments?|javadocs?|jsdocs?|typos? in (?:the |some )?(?:comments?|docs?))\b"
                ),
                r"\b(?:comments?|docs?|documentation|docstrings?|javadocs?)(?:[- ]| \w+ )only\b",
                r"\b(?:no|not any|zero) (?:actual |executable |source |real )?(?:code|lines? of code) (?:itself )?(?:(?:was|were|has been|have been|is|got) )?(?:chang\w+|touched|modified|affected|altered)\b",
                r"\bno code changes\b",
                r"\bwithout (?:touching|changing|modifying|altering) (?:any |the )?(?:actual |executable |source )?code\b",
                r"\b(?:comments?|docstrings?|docs|documentation|javadocs?)\b.{0,20}\b(?:nothing else|nothing more|is all that changed|are the only (?:changes?|things?)|is the only change)\b",
                r"\b(?:did not|have not|does not|do not) (?:touch|change|modify|alter) (?:any |the )?(?:actual |executable |source )?code\b",
            ]),
            same_behaviour: Patterns::new(&[
                r"\b(?:no|zero|without (?:any )?|nor any|not introduce any|not a) ?(?:(?:observable|functional|behavioural|behaviour|semantic|logic|logical|runtime|user-visible|user-facing|intended|actual|real|external|visible) )*(?:behaviour|behavioural|functional|functionality|semantic|logic|logical|runtime)(?: or \w+)? (?:changes?|differences?|modifications?|impact)\b",
                r"\bno (?:change|difference|modification)s? (?:in|to|of) (?:the )?(?:\w+ |existing ){0,2}?BEHAVIOUR\b",
                r"\bwithout (?:changing|altering|affecting|modifying|touching|any change (?:in|to)) FEW{0,4}?BEHAVIOUR\b",
                r"\bBEHAVIOUR\b(?: of <\d+>(?:\(\))?)?(?: itself)? (?:is|are|was|were|remains?|stays?|has been|have been|has|have)(?: \w+)?(?: \w+)? ?(?:unchanged|identical|the same|untouched|preserved|unaffected|intact|equivalent|not (?:been )?(?:changed|affected|altered|touched))\b",
                r"\b(?:preserv\w+|keep\w*|kept|retain\w*|maintain\w*) (?:the |its |all )?(?:\w+ ){0,2}?(?:same |existing |original |current |exact )(?:\w+ )?BEHAVIOUR\b",
                r"\b(?:preserv\w+|keep\w*|kept|leav\w+) (?:the )?BEHAVIOUR (?:\w+ )?(?:the same|unchanged|identical|intact|as (?:it )?(?:is|was)|untouched)\b",
                r"\bbehaviour[- ]preserving\b",
                r"\b(?:functionally|semantically|behaviourally|logically) (?:equivalent|identical|unchanged|the same)\b",
                r"\b(?:works?|behaves?|functions?|runs?) (?:exactly |just )?(?:as (?:it did )?before|the same(?: way)?(?: as before)?|identically|as it did)\b",
                r"\b(?:pure|purely|strictly)(?: an?)?(?: mechanical| structural| cosmetic| stylistic| internal)? (?:refactor(?:ing)?|restructuring|cleanup)\b",
                r"\b(?:do|does|did) not (?:change|alter|affect|modify|touch) (?:\w+ ){0,4}?BEHAVIOUR\b",
                r"\b(?:everything|it all|all) (?:is|works|behaves|stays|runs) (?:exactly )?as (?:it was )?before\b",
                r"\bno (?:observable|visible|functional|user-visible) (?:differences?|changes?|edits?)\b",
                r"\bnothing (?:behaves|works|runs|happens) differently\b",
                r"\bno (?:change|difference)s? (?:at runtime|for (?:users|callers|anyone))\b",
                r"\bBEHAVIOUR\b.{0,20}\b(?:exactly|just) (?:as|like) (?:it was |they were )?before\b",
                r"\bkept (?:the )?BEHAVIOUR (?:of <\d+>(?:\(\))? )?(?:exactly|intact|unchanged|as is|the same|identical)\b",
                r"\b(?:cosmetic|structural|mechanical)[- ]only\b|\bpurely (?:cosmetic|mechanical|structural|stylistic)\b",
            ]),
            only_paths: Patterns::new(&[
                &format!(r"{only} (?:\w+ ){{0,3}}?DO (?:\w+ ){{0,3}}?NS"),
                &format!(r"\bDO (?:\w+ ){{0,2}}?{only} (?:\w+ ){{0,3}}?NS"),
                r"\bDO (?:no|none|nothing) (?:files? )?(?:other than|besides|except|but|outside(?: of)?) (?:\w+ ){0,2}?NS",
                r"\b(?:limited|confined|restricted|scoped|contained|isolated|localized|localised) (?:entirely |solely |strictly )?(?:to|in|within) (?:\w+ ){0,3}?NS",
                r"NS (?:is|are|was|were) the only (?:source |code )?(?:files?|thing|place|one|ones|path|paths)\b",
                r"\b(?:only|just) (?:the )?NS(?: itself)? (?:(?:was|were|is|has been|have been|needed|had)(?: to be)? )?(?:changed|touched|modified|edited|updated|changes|affected)\b",
                r"\bthe only (?:source |code )?(?:files?|thing|path)(?: \w+){0,5}? (?:is|are|was|were) NS",
                r"\b(?:other than|besides|except(?: for)?|apart from|aside from|outside of|outside) (?:\w+ )?NS,? (?:no|nothing|all|everything)\b",
                r"\bnothing (?:outside|beyond|besides|other than|except)(?: of)? (?:\w+ )?NS (?:was|has been|is|had to be|changed)",
            ]),
            no_others: Patterns::new(&[
                r"\b(?:no|none of the|not any) (?:other|further|additional) (?:source |code |project )?(?:files?|modules?|places?|code|sources?) (?:FEW){0,3}?(?:DO|needed|touched|involved)\b",
                r"\b(?:no|zero) (?:other|further|additional) (?:files?|modules?)(?: (?:was|were|is|are))?[.!]?$",
                r"\bnothing else (?:in FEW{1,3})?(?:(?:was|has been|is|had to be|got) )?(?:DO|touched|moved)\b",
                r"\b(?:everything|all) else (?:FEW){0,4}?(?:untouched|unchanged|as (?:it )?(?:is|was)|as-is|the same|intact|alone|unmodified)\b",
                r"\b(?:did not|have not|has not|without) (?:touch|chang|modif|edit|alter)\w* (?:any(?:thing)? (?:other|else)|other|any of the other)\b",
                r"\b(?:left|leaving|leaves) (?:everything|all|anything) else (?:FEW){0,2}?(?:alone|untouched|unchanged|as (?:it )?(?:is|was)|as-is)\b",
                r"\b(?:other|remaining) (?:files?|modules?) (?:is|are|was|were|remain|stay) (?:untouched|unchanged|unmodified|left alone)\b",
            ]),
            nothing: Patterns::new(&[
                r"\bno (?:code |file |source )?(?:changes?|edits?|modifications?) (?:(?:was|were|is|are|has been|have been|had to be) )?(?:made|needed|necessary|required|applied|staged)(?: (?:to|in) (?:the )?(?:code|project|files?|repo\w*|codebase|code base|workspace|source))?(?:[.!;,]| in the end| after all|$)",
                r"\b(?:did not|have not|has not) (?:actually )?(?:change|changed|modify|modified|edit|edited|touch|touched|make|made|alter|altered) (?:anything|any (?:files?|code|changes?|edits?|source))(?: yet| so far| at all| on disk| here)?(?:[.!;,]| in the end| after all|$)",
                r"\b(?:nothing|no files?) (?:was|were|has been|needed to be|had to be) (?:changed|modified|edited|touched|staged|written)(?:[.!;,]| in the end| after all|$)",
                r"\bleft (?:everything|the (?:code|files?|project|codebase)) (?:as (?:it )?(?:is|was)|as-is|untouched|unchanged|alone)\b",
                r"\b(?:nothing (?:needed|had) to (?:be )?(?:change|changed|do|done)|there was nothing to (?:do|change|fix))(?:[.!;,]| in the end| after all|$)",
                r"\bmade no (?:code |file )?(?:changes|edits|modifications)(?: (?:to|in) (?:the |any )?(?:code|project|files?|repo\w*|codebase|code base|workspace|source\w*))?(?:[.!;,]| in the end| after all|$)",
            ]),
            untouched: Patterns::new(&[
                r"NS(?: itself| file| files)? (?:is|are|was|were|remains?|stays?|has been|have been)(?: \w+)? ?(?:untouched|unchanged|unmodified|not (?:been )?(?:touched|changed|modified|edited)|left (?:alone|as is|as-is|untouched|unchanged)|intact)\b",
                r"\b(?:did not|have not|has not) (?:touch|change|modify|edit|alter)\w* (?:\w+ ){0,2}?NS",
                r"\b(?:left|leaving|leaves|kept) (?:\w+ ){0,2}?NS (?:\w+ )?(?:untouched|unchanged|alone|as (?:it )?(?:is|was)|as-is|intact|in place)\b",
                r"\bwithout (?:touching|changing|modifying|editing) (?:\w+ ){0,2}?NS",
                r"\bno changes (?:were |are |was )?(?:made |needed |required |necessary )?(?:in|to|for) (?:\w+ )?NS",
                r"^NS ?(?:[:–—-]|->)? ?(?:is |left )?(?:unmodified|unchanged|untouched|no changes?|not touched)\b",
            ]),
            file_count: Patterns::new(&[
                r"\b(?:DO|spans?|across|diff (?:of|in)|total of) (?:exactly |only |just |a total of |all )?NUM (?:(\w+) )?files?\b",
                r"\bNUM (?:(\w+) )?files? (?:(?:was|were|has been|have been|are|is|got) )?(?:now )?(?:DO|reformatted|involved|different|differ)\b",
                r"\ball NUM (?:(\w+) )?files (?:were|are|got|have|now)\b",
                r"\bfiles? (?:changed|modified|touched|updated|edited): ?NUM\b",
            ]),
            tests_added: Patterns::new(&[
                r"^(?:a )?new tests? (?:for|of|covering)\b",
                r"\b(?:add(?:ed|s)|wrote|writes|introduc(?:ed|es)|creat(?:ed|es)|includ(?:ed|es)|provid(?:ed|es)|implement(?:ed|s)|extend(?:ed|s)|expand(?:ed|s)|backed by|accompanied by|comes with|now covered by|covered (?:\w+ ){0,3}?with|adding|put in) (?:FEW){0,6}?(?:\w+-)?(?:tests?|test ?cases?|specs?|test coverage)\b(?: (\w+))?",
                r"\b(?:tests?|test ?cases?|specs?) (?:FEW){0,5}?(?:was|were|has been|have been) (?:also |now )?(?:added|written|created|included|introduced)\b(?: (\w+))?",
                r"^tests?: (?:FEW){0,3}?(?:added|new|wrote)\b(?: (\w+))?",
                r"^(?:also )?NUM (?:new|additional|more) (?:\w+ )?(?:tests?|test ?cases?|specs?)\b",
                r"\bnew (?:\w+ )?(?:tests?|test ?cases?|specs?) (?:FEW){0,2}?(?:cover\w*|check\w*|verif\w*|exercis\w*|assert\w*|guard\w*)\b",
            ]),
            no_tests_added: Patterns::new(&[
                r"\b(?:no|zero) (?:new |additional |unit |further ){0,2}(?:tests?|test ?cases?) (?:was |were |have been |has been |are |is )?(?:added|written|created|included|introduced|needed)\b",
                r"\b(?:did not|have not|has not|without) (?:add|write|creat|includ|introduc|writ)\w* (?:\w+ ){0,2}?(?:tests?|test ?cases?)\b",
                r"\btests? (?:was|were|have|has) not (?:been )?(?:added|written)\b",
                r"\bneither added nor \w+ (?:any )?tests?\b",
            ]),
            no_failure: Patterns::new(&[
                r"\b(?:no|without|zero|0)(?: any)?(?: test)? (?:fail\w*|errors?|regressions?|issues?|problems?)(?: or \w+)?",
            ]),
            not_passing: Patterns::new(&[
                r"\b(?:not|fail(?:s|ed|ing|ures?)?|no longer|except|before|until|only|partly|some|most|broken|pre-existing|previously)\b",
            ]),
            tests_pass: Patterns::new(&[
                r"\b(?:tests?|specs?|suites?|test ?cases?)(?: \(.{0,60}?\))? (?:FEW){0,5}?(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green)\b",
                r"\b(?:all|everything|suite|tests?)(?: is| are| runs?| came back| remains?| stays?| comes back| now| still)* (?:green|passing|passes|passed)\b",
                r"\b(?:all )?(?:\d+|NUM)(?: of \d+|/\d+)?(?: \w+){0,2} pass(?:ed|ing|es)?\b",
                r"\b(?:ran|run|re-ran|reran|executed|verified|confirmed)\b.{0,60}\b(?:tests?|suite|specs?|<\d+>)\b.{0,40}\b(?:success\w*|NOFAILURE|pass\w*|green|clean(?:ly)?)",
                r"\btests?\b.{0,40}\b(?:came|comes|come|came|finished|ran|runs|was|is|are|were) (?:back )?(?:clean|green|fine|ok|success\w*|NOFAILURE)\b",
                r"\btests?,? (?:\w+ )?(?:exits?|exited)(?: with)?(?: code)? 0\b",
                r"^(?:specs?|tests?) (?:executed|run|ran),? (?:with )?NOFAILURE",
                r"\b(?:test )?suite (?:is|was|runs|ran|comes back|stays|remains) (?:\w+ )?(?:green|clean|cleanly|NOFAILURE)",
                r"^(?:tests?|test suite|verification|testing)(?: results?| status)?: ?(?:✅ ?|✓ ?)?(?:all )?(?:\w+ )?(?:pass\w*|green|ok|successful)\b",
            ]),
            tests_fail: Patterns::new(&[
                r"\b(?:tests?|specs?|suite|test ?cases?)\b(?: \(.{0,60}?\))? (?:FEW){0,5}?(?:fail|fails|failed|failing|failures?|broken|red|broke|break|breaks)\b",
                r"\b(?:failing|failed|broken) (?:unit |integration )?tests?\b",
                r"\b(?:not|did not|does not|do not) (?:all )?(?:of )?(?:the )?(?:tests? )?pass(?:es)?\b",
            ]),
            tests_ran: Patterns::new(&[
                r"\b(?:i|we|and|also|then|have|finally|afterwards)?(?:^| )(?:ran|executed|re-ran|reran) (?:FEW){0,5}?(?:tests?|test suite|suite|specs?)\b",
                r"\b(?:tests?|suite) (?:was|were|has been|have been) (?:run|executed)\b",
            ]),
            tests_not_run: Patterns::new(&[
                r"\b(?:tests?|specs?|suite)\b (?:FEW){0,3}?not (?:yet )?(?:been |be )?(?:run|executed|ran)\b",
                r"\b(?:did|have|has|could|was|were|am|are) (?:not|never)(?: able to)?(?: yet)?(?: actually)? (?:run|ran|execute|executed|verif\w+|test\w*)\b(?: (?:FEW){0,4}?(?:tests?|suite|it|this|them|anything))?",
                r"\bwithout (?:running|having run|executing) (?:FEW){0,3}?(?:tests?|suite)\b",
                r"\bno tests? (?:was|were|has been|have been) (?:run|executed)\b",
                r"\b(?:untested|not tested|not been tested)\b",
            ]),
            all_uses: Patterns::new(&[
                r"\b(?:all|every|each|both|any)(?: of)?(?: (?:the|its|their|his|existing|remaining|other|internal|known|current|old|direct|of|\d+|two|three|four))* ?(?:<\d+>(?:\(\))?(?:'s)? )?(?:callers?|call ?sites?|call-sites?|callsites?|usages?|uses|references?|occurrences?|instances?|consumers?|mentions?|invocations?|importers?|imports|places?|spots?|users|dependents|calls?)\b(?: (?:of|to|for) (?:\w+ ){0,2}?<(\d+)>)?",
                r"\b(?:callers?|call ?sites?|usages?|uses|references?|occurrences?) (?:of <(\d+)>(?:\(\))? )?(?:is|are|was|were|has|have)(?: been)? all (?:updated|renamed|replaced|adjusted|migrated|changed)\b",
                r"\b(?:across|throughout|everywhere(?: in| across)?|project-wide|repo-wide|codebase-wide)(?: the| this)?(?: whole| entire| rest of the)? ?(?:codebase|code base|project|repo\w*|workspace|tree)\b",
                r"\beverywhere\b",
                r"\b(?:no|zero|not any)(?: \w+){0,3}? (?:callers?|call ?sites?|usages?|uses|references?|occurrences?|mentions?|leftovers?)\b(?: (?:of|to) (?:\w+ ){0,2}?<(\d+)>(?:\(\))?)?(?: \w+){0,3}? ?(?:remain\w*|left|exist\w*|anymore|any more|behind)\b",
                r"\bno (?:remaining|leftover|stale|more|further) (?:\w+ )?(?:callers?|call ?sites?|usages?|uses|references?|occurrences?|mentions?|imports?)\b(?: (?:of|to) (?:\w+ ){0,2}?<(\d+)>)?",
                r"<(\d+)>(?:\(\))? (?:is|are) (?:no longer|not) (?:used|referenced|called|mentioned|imported)(?: anywhere| any ?more| in the (?:codebase|project|repo\w*))?\b",
                r"\bnothing (?:\w+ )?(?:uses|references|calls|imports|refers to) (?:\w+ ){0,2}?<(\d+)>(?:\(\))? (?:anymore|any more|any longer|now)",
            ]),
            unused: Patterns::new(&[
                r"\b(?:remov|delet|dropp|clean|strip|prun|eliminat|got rid|clear|tid)\w*\b (?:FEW){0,5}?(?:unused|dead|unreachable|obsolete|unneeded|redundant|superfluous|no longer (?:used|needed)|never used|leftover|orphaned|stale|unnecessary)\b",
                r"\b(?:unused|dead|unreachable|obsolete|unneeded|orphaned|stale|unnecessary) (?:FEW){0,6}?(?:(?:was|were|has been|have been|is|are) )?(?:now )?(?:removed|deleted|dropped|cleaned up|stripped|gone|pruned)\b",
                r"\b(?:removed|deleted|dropped)\b (?:FEW){0,4}?<\d+>.{0,40}\b(?:unused|never used|not used|never called|not called|no longer used|not referenced|no longer referenced|dead|(?:had|has|have|with|without|with no|had no)(?: any| no)? (?:more )?(?:callers?|uses|usages?|references?|users)|(?:nobody|nothing|no one) (?:\w+ )?(?:uses?|used|calls?|called))\b",
            ]),
            unused_before: Patterns::new(&[r"\bimports?\b"]),
            renamed_away: Patterns::new(&[
                r"^NS (?:was|were|has been|have been) renamed(?: for \w+| too| as well)?[.!]?$",
            ]),
            renamed: Patterns::new(&[
                r"\brenam(?:ed|es) (?:the )?(?:\w+ ){0,3}?<(\d+)>(?:\(\))?(?: \w+){0,3}? ?(?:to|into|as|→|->|=>) (?:\w+ ){0,2}?<(\d+)>",
                r"<(\d+)>(?:\(\))?(?: \w+){0,2}? (?:was|has been|is|is now|were|got) (?:now )?renamed (?:to |into |as )?<(\d+)>",
                r"<(\d+)>(?:\(\))? ?(?:→|->|=>|⟶) ?<(\d+)>.*\brenam",
                r"\brenam.*<(\d+)>(?:\(\))? ?(?:→|->|=>|⟶) ?<(\d+)>",
                r"<(\d+)>(?:\(\))? is now (?:called |named )?<(\d+)>",
                r"<(\d+)>(?:\(\))?(?: \w+)? (?:has become|became|turned into|is called) <(\d+)>",
                r"^(?:\w+: ?)?<(\d+)>(?:\(\))? ?(?:→|->|=>|⟶|➜|➡) ?<(\d+)>",
            ]),
            deeds: VERBS
                .map(|(verbs, deed)| (deed_patterns(verbs), deed))
                .into(),
            within: Patterns::new(&[r"\b(?:in|inside|within) (?:the )?(?:\w+ )?NS"]),
            now_has: Patterns::new(&[
                r"\bnow (?:throws?|raises?|passes|accepts?|takes?|calls?|uses?|imports?|has|defines?|exports?) (?:\w+ ){0,2}?NS",
            ]),
            only_tests: Patterns::new(&[
                r"\bonly (?:changed|touched|modified|edited|added) (?:the )?tests?\b",
                r"\bonly (?:the )?tests?(?: code| files?| cases?)? (?:(?:was|were|has been|have been|is|are) )?(?:added|changed|touched|modified|updated)\b",
                r"\bproduction code (?:FEW){0,3}?(?:untouched|unchanged|not (?:been )?(?:touched|changed|modified)|as (?:it )?(?:is|was))\b",
                r"\b(?:no|without (?:touching|changing)) (?:the |any )?production code\b",
            ]),
            tests_untouched: Patterns::new(&[
                r"\b(?:the |existing )*tests?(?: code| files?| suite)? (?:was|were|is|are|has been|have been|remains?) (?:not (?:been )?(?:modified|touched|changed|edited)|untouched|unchanged)\b",
                r"\bno (?:existing )?tests? (?:(?:was|were|had to be|needed to be|has been|have been) )?(?:changed|modified|touched|adapted|edited)\b",
                r"\b(?:did not|have not|without) (?:touch|chang|modif|edit)\w* (?:the |any |any of the |existing )*tests?\b",
            ]),
            left: Patterns::new(&[
                r"\bstill (?:uses?|calls?|refers? to|references?|says?|constructs?|points? to|imports?|contains?|invokes?|mentions?)\b",
                r"\bstill (?:one|a|an|some) (?:spot|place|caller|use|reference|occurrence)\b",
            ]),
            free: Patterns::new(&[
                r"\bno longer (?:uses?|calls?|imports?|references?|refers to|needs?|depends on) (?:\w+ ){0,2}?<\d+>",
            ]),
            apart: Patterns::new(&[r"\b(?:other than|besides|except|apart from|aside|outside)\b"]),
            now: Patterns::new(&[
                r"NS (?:now|also) (?:mentions?|uses?|calls?|has|contains?|returns?|takes?|accepts?|imports?|exports?|supports?|documents?|describes?|reflects?|lists?|shows?|explains?|reads?|raises?|throws?|validates?|checks?|handles?)\b",
            ]),
            valued: Patterns::new(&[
                r"<(\d+)>(?:\(\))? now (?:returns?|defaults? to|is|uses?|has|takes) (\d[\d._]*\d|\d)\b",
                r"\bswitched(?: the)? <(\d+)>(?: \w+){0,2}? from \S+ to (\d[\d._]*\d|\d)\b",
                r"\b(?:raised|lowered|increased|decreased|reduced|changed|set|bumped|doubled|updated)(?: the)?(?: \w+){0,2}? <(\d+)>(?: \w+){0,2}? to (\d[\d._]*\d|\d)\b",
                r"<(\d+)> (?:is|was|has been) (?:now )?(?:raised|lowered|increased|decreased|reduced|changed|set|bumped)?(?: from \S+)? ?(?:to )?(\d[\d._]*\d|\d)\b",
            ]),
            something: Patterns::new(&[
                r"\b(?:i|we)(?: have| also| then| now)* (?:added|fixed|removed|renamed|updated|changed|refactored|replaced|implemented|moved|deleted|created|introduced|rewrote|extracted|simplified)\b",
            ]),
            listed: Patterns::new(&[
                r"^NS (?:was |were |is |has been )?(?:also |now )?\w+ed\b",
                r"^(?:\w+ ){0,2}?(?:files? (?:changed|modified|touched|updated|edited)|modified|changed|updated|edited|touched)(?: files?)?: ?NS",
                r"^NS(?: \([^)]*\))? ?(?:[:–—-]|->) ?(?:also |now )?(?:\w+ed|new|rewrote|import|use[sd]? the|calls?|switched|split|reads?|has)\b",
            ]),
            number: Patterns::new(&[
                r"\bNUM (?:new |unit |regression |integration |more |additional |small |focused |extra )*(?:tests?|test ?cases?|specs?)\b",
            ]),
        }
    }
}

/// Returns the patterns of what was done with some verbs.
fn deed_patterns(verbs: &str) -> Patterns {
    let object = r"(?:(?:a|an|the|new|old|missing|small|helper|function|method|class|constant|variable|field|parameter|argument|flag|option|module|file|type|struct|enum|trait|interface|property|import|test|and|its|optional|flag,|option,|public|private|static|async|shared|single|simple|local|global|dedicated|deprecated|unused|dead|obsolete|legacy|script|command|both|entire|whole|existing|exported|internal|imports|functions|methods|constants|variables|helpers|modules|classes|files|fields|parameters|options) )*NS";
    Patterns::new(&[
        &format!(
            r"(?:^|[:;,(] ?|\b(?:i|we|and|also|then|have|has|commit|change|patch|pr|i also|just|only|now|finally) )(?:{verbs}) {object}"
        ),
        &format!(
            r"\b(?:commit|change|patch|pr|diff) (?:also )?(?:{}) {object}",
            present(verbs)
        ),
        &format!(
            r"NS(?: \w+){{0,2}}? (?:was|were|has been|have been|is now|are now|got) (?:also |now |then )?(?:{verbs})\b"
        ),
        &format!(r"^(?:\w+ ){{0,3}}NS (?:{verbs})[.!]?$"),
    ])
}

/// Returns verbs as a commit is said to do what they say: `removed` is `removes`.
fn present(verbs: &str) -> String {
    let each = verbs.split('|').map(|verb| match verb.strip_suffix("ed") {
        Some(stem) => format!("{stem}s|{stem}es"),
        None => verb.to_owned(),
    });
    each.collect::<Vec<_>>().join("|")
}

/// Returns a sentence with `tests` in the place of command lines that run tests.
fn with_test_commands(plain: &str, sentence: &Sentence) -> String {
    let names = sentence.names.iter().enumerate();
    let of_tests = names.filter(|(_, name)| {
        name.contains(' ') && is_of_tests(name)
            || is_of_tests(name) && !is_path(name) && RUNNERS.contains(&name.as_str())
    });
    of_tests.fold(plain.to_owned(), |plain, (number, _)| {
        plain.replace(&format!("<{number}>"), "tests")
    })
}

/// Returns what a sentence claims.
pub(super) fn claims(sentence: &Sentence) -> Vec<Claim> {
    // To compile the patterns takes longer than all else; most messages are as short as "Done.".
    if !TRIGGERS.iter().any(|part| sentence.plain.contains(part)) {
        return Vec::new();
    }
    let grammar = &*GRAMMAR;
    let plain = sentence
        .plain
        .replace("as you asked, ", "")
        .replace("as requested, ", "")
        .replace("as it used to", "as before");
    let mut claims = Vec::new();
    claims.extend(grammar.of_tests(&plain, sentence));
    if grammar.hedges.is_in(main_clause(&plain)) {
        return claims;
    }
    claims.extend(grammar.of_whole(&plain, sentence));
    claims.extend(grammar.of_deeds(&plain, sentence));
    claims
}

/// Returns a sentence up to where the reason or purpose begins.
fn main_clause(plain: &str) -> &str {
    let found = GRAMMAR.subordinate.first(plain);
    let cut = found.and_then(|found| found.get(0)).map(|cut| cut.start());
    match cut.filter(|&at| at > 0) {
        Some(at) => plain.get(..at).unwrap_or(plain),
        None => plain,
    }
}

impl Grammar {
    /// Returns what is said of tests.
    fn of_tests(&self, plain: &str, sentence: &Sentence) -> Vec<Claim> {
        let mut claims = Vec::new();
        if self.hedges.is_in(plain) {
            return claims;
        }
        let plain = &with_test_commands(plain, sentence);
        let mut bare = plain.clone();
        for pattern in &self.no_failure.0 {
            bare = pattern.replace_all(&bare, "NOFAILURE").into_owned();
        }
        if self.tests_not_run.is_in(plain) {
            claims.push(Claim::TestsNotRun);
        } else if self.tests_pass.is_in(&bare) && !self.not_passing.is_in(&bare) {
            claims.push(Claim::TestsPass);
        } else if self.tests_fail.is_in(&bare) && !self.negation.is_in(&bare) {
            claims.push(Claim::TestsFail);
        } else if self.tests_ran.is_in(plain) && !self.negation.is_in(plain) {
            claims.push(Claim::TestsRan);
        }
        if self.no_tests_added.is_in(plain) {
            claims.push(Claim::NoTestsAdded);
        } else if let Some(found) = self.tests_added.first(main_clause(plain)) {
            claims.extend(self.added_tests(&found, plain, sentence));
        }
        claims
    }

    /// Returns that tests were added, unless the word behind says that it was something of tests.
    fn added_tests(&self, found: &Captures<'_>, plain: &str, sentence: &Sentence) -> Option<Claim> {
        const OF_TESTS: [&str; 24] = [
            "helper",
            "helpers",
            "script",
            "scripts",
            "command",
            "runner",
            "config",
            "configuration",
            "data",
            "fixture",
            "fixtures",
            "id",
            "ids",
            "utils",
            "utilities",
            "framework",
            "dependency",
            "environment",
            "directory",
            "folder",
            "mode",
            "flag",
            "server",
            "setup",
        ];
        let end = found.get(0).map_or(0, |all| all.end());
        let upto = plain.slice(..end);
        let behind = found.get(1).map_or("", |word| word.as_str());
        let before = found.get(0).map_or("", |all| plain.slice(..all.start()));
        if OF_TESTS.contains(&behind) || self.negation.is_in(before) {
            return None;
        }
        let symbols = sentence.names.iter().filter(|name| is_symbol(name));
        Some(Claim::TestsAdded {
            count: self.number.first(upto).and_then(|found| count(&found)),
            names: symbols.map(|name| symbol_of(name)).collect(),
        })
    }

    /// Returns what is said of the change as a whole.
    fn of_whole(&self, plain: &str, sentence: &Sentence) -> Vec<Claim> {
        let paths = |captures: Captures<'_>| named(&captures, sentence);
        let names = || sentence.names.clone();
        let mut claims = Vec::new();
        let is_not_only = ["not only", "not just", "not a "]
            .iter()
            .any(|text| plain.contains(text));
        let is_change = self.change_word.is_in(plain) && !is_not_only;
        let whole = [
            (&self.only_renamed, Claim::OnlyRenamed(names()), is_change),
            (&self.only_layout, Claim::OnlyLayout(names()), is_change),
            (&self.only_comments, Claim::OnlyComments(names()), is_change),
            (&self.only_tests, Claim::OnlyTests, true),
            (&self.tests_untouched, Claim::TestsUntouched, true),
            (&self.left, Claim::Left(names()), true),
            (&self.free, Claim::Free(names()), true),
            (&self.same_behaviour, Claim::SameBehaviour, !is_not_only),
            (&self.nothing, Claim::Nothing, !self.apart.is_in(plain)),
            (&self.no_others, Claim::OnlyPaths(Vec::new()), true),
        ];
        let said = whole
            .into_iter()
            .filter(|(patterns, _, may)| *may && patterns.is_in(plain));
        claims.extend(said.map(|(_, claim, _)| claim));
        if !is_not_only {
            claims.extend(
                self.only_paths
                    .first(plain)
                    .map(paths)
                    .map(Claim::OnlyPaths),
            );
        }
        claims.extend(self.untouched.first(plain).map(paths).map(Claim::Untouched));
        claims.extend(
            (self.file_count.first(plain))
                .and_then(|found| file_count(&found))
                .map(Claim::FileCount),
        );
        claims.extend(self.uses(plain, sentence));
        claims
    }

    /// Returns that all uses of a name follow.
    fn uses(&self, plain: &str, sentence: &Sentence) -> Option<Claim> {
        let found = self.all_uses.first(plain)?;
        let is_deed = [
            "updat",
            "renam",
            "replac",
            "adjust",
            "migrat",
            "chang",
            "fix",
            "switch",
            "convert",
            "mov",
            "adapt",
            "now use",
            "now call",
            "now pass",
            "now import",
            "follow",
            "correct",
            "brought",
            "remain",
            "left",
            "no longer",
            "not used",
            "not referenced",
            "anymore",
            "any more",
            "behind",
            "stale",
            "leftover",
            "exist",
            "point",
            "uses the new",
            "use the new",
        ];
        let is_unclear = plain.contains("unused")
            || plain.contains("not all")
            || plain.contains("not every")
            || plain.contains("still ")
            || plain.contains("did not")
            || plain.contains("have not")
            || plain.contains("not yet")
            || plain.contains("except")
            || plain.contains("doc")
            || plain.contains("comment");
        if is_unclear || !is_deed.iter().any(|deed| plain.contains(deed)) {
            return None;
        }
        let behind = (1..found.len()).find_map(|group| found.get(group));
        let name = behind.and_then(|number| sentence.name(number.as_str()));
        let from =
            (self.renamed.first(plain)).and_then(|found| sentence.name(found.get(1)?.as_str()));
        let symbol = sentence
            .names
            .iter()
            .find(|name| is_symbol(name))
            .map(String::as_str);
        Some(Claim::AllUses(from.or(name).or(symbol).map(symbol_of)))
    }

    /// Returns what was done to names.
    fn of_deeds(&self, plain: &str, sentence: &Sentence) -> Vec<Claim> {
        let clause = main_clause(plain);
        let mut claims = Vec::new();
        let unused = self.unused.first(plain).and_then(|found| found.get(0));
        let before = unused.and_then(|found| plain.get(..found.start()));
        if before.is_some_and(|before| !self.negation.is_in(before)) {
            let names = sentence.names.iter().filter(|name| is_symbol(name));
            claims.push(Claim::Unused {
                names: names.map(|name| symbol_of(name)).collect(),
                imports: self.unused_before.is_in(plain),
            });
        }
        if self.negation.is_in(clause) {
            return claims;
        }
        claims.extend(self.renamed_away.first(clause).map(|found| Claim::Deed {
            deed: Deed::Removed,
            names: named(&found, sentence),
        }));
        if let Some(found) = self.renamed.first(clause)
            && let Some(from) = found.get(1).and_then(|it| sentence.name(it.as_str()))
            && let Some(to) = found.get(2).and_then(|it| sentence.name(it.as_str()))
        {
            let (from, to) = (from.to_owned(), to.to_owned());
            claims.push(Claim::Renamed { from, to });
        }
        for (patterns, deed) in &self.deeds {
            for pattern in &patterns.0 {
                let each = pattern.captures_iter(clause);
                claims.extend(each.map(|found| Claim::Deed {
                    deed: *deed,
                    names: named(&found, sentence),
                }));
            }
        }
        claims.extend(self.now_has.first(clause).map(|found| Claim::Deed {
            deed: Deed::Added,
            names: named(&found, sentence),
        }));
        claims.extend(
            self.now
                .first(clause)
                .map(|found| Claim::Touched(named(&found, sentence))),
        );
        if let Some(found) = self.valued.first(clause)
            && let Some(name) = found.get(1).and_then(|it| sentence.name(it.as_str()))
            && let Some(value) = found.get(2)
        {
            claims.push(Claim::Valued {
                name: name.to_owned(),
                value: value.as_str().to_owned(),
            });
        }
        if self.something.is_in(clause) {
            claims.push(Claim::Something);
        }
        let is_deed = !claims.is_empty();
        if !self.untouched.is_in(plain) {
            let found = self.listed.first(clause);
            claims.extend(found.map(|found| Claim::Touched(named(&found, sentence))));
        }
        if is_deed {
            claims.extend(
                self.within
                    .first(clause)
                    .map(|found| Claim::Touched(named(&found, sentence))),
            );
        }
        claims
    }
}

/// Returns the names that a pattern caught.
fn named(captures: &Captures<'_>, sentence: &Sentence) -> Vec<String> {
    let caught = captures.get(1).map_or("", |caught| caught.as_str());
    let numbers = caught
        .split(['<', '>'])
        .filter(|part| part.parse::<usize>().is_ok());
    let names = numbers.filter_map(|number| sentence.name(number));
    names.map(str::to_owned).collect()
}

/// Returns the number of files that a pattern caught, unless a word says that it is of some of them.
fn file_count(captures: &Captures<'_>) -> Option<usize> {
    const SOME: [&str; 9] = [
        "test",
        "new",
        "other",
        "more",
        "remaining",
        "additional",
        "example",
        "config",
        "such",
    ];
    let word = captures.get(2).map_or("", |word| word.as_str());
    count(captures).filter(|_| !SOME.contains(&word))
}

/// Returns the number that a pattern caught.
fn count(captures: &Captures<'_>) -> Option<usize> {
    let caught = captures.get(1)?.as_str();
    if caught == "a single" {
        return Some(1);
    }
    let in_words = NUMBERS.iter().position(|word| *word == caught);
    in_words.map(|at| at + 1).or_else(|| caught.parse().ok())
}

/// Tells whether a name can be one of code: no path, no command line, no text.
pub(super) fn is_symbol(name: &str) -> bool {
    let symbol = symbol_of(name);
    let bare = symbol.strip_suffix(['?', '!']).unwrap_or(&symbol);
    !is_path(name)
        && !bare.is_empty()
        && bare
            .chars()
            .all(|c| c == '_' || c == '$' || c.is_alphanumeric())
        && !bare.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns a name without what is around it: `Type.load(path)` is `load`.
pub(super) fn symbol_of(name: &str) -> String {
    let head = name
        .split('(')
        .next()
        .unwrap_or(name)
        .trim_end_matches("[]");
    let last = head.rsplit(['.', ':', '#']).next().unwrap_or(head);
    last.trim_matches(|c: char| c == '&' || c == '*' || c == '!')
        .to_owned()
}

/// Tells whether a name is a path.
pub(super) fn is_path(name: &str) -> bool {
    use signoff_core::role::Role;
    let name = name.trim_start_matches("./");
    let is_plain = !name.contains([' ', '(', '"', '\'', '=', '<', '{', '*', ':']);
    let has_extension = name.rsplit('/').next().is_some_and(|last| {
        let extension = last.rsplit_once('.').map_or("", |(_, extension)| extension);
        !extension.is_empty()
            && extension.len() <= 5
            && extension.chars().all(char::is_alphanumeric)
    });
    let is_known = matches!(
        Role::of(name),
        Role::Source | Role::Test | Role::Prose | Role::Generated
    ) || [
        ".toml", ".json", ".yml", ".yaml", ".cfg", ".ini", ".lock", ".env", ".xml", ".txt",
    ]
    .iter()
    .any(|end| name.ends_with(end));
    is_plain
        && (is_known
            || name.contains('/') && (has_extension || name.ends_with('/'))
            || matches!(
                name,
                "README"
                    | "CHANGELOG"
                    | "LICENSE"
                    | "Makefile"
                    | "Dockerfile"
                    | "go.mod"
                    | "Gemfile"
                    | "Rakefile"
                    | ".gitignore"
            ))
}

#[cfg(test)]
mod tests {
    use super::super::sentence::sentences;
    use super::*;

    fn read(text: &str) -> Vec<Claim> {
        sentences(text).iter().flat_map(claims).collect()
    }

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|&it| it.to_owned()).collect()
    }

    #[test]
    fn every_pattern_is_one() {
        let grammar = Grammar::new();
        let all = [
            &grammar.hedges,
            &grammar.only_renamed,
            &grammar.tests_pass,
            &grammar.all_uses,
        ];
        let counts = all.map(|patterns| patterns.0.len());
        assert!(counts.iter().all(|&count| count > 0));
        assert!(
            grammar
                .deeds
                .iter()
                .all(|(patterns, _)| patterns.0.len() == 4)
        );
    }

    #[test]
    fn a_sentence_claims_what_its_words_say() {
        let table = [
            (
                "I only renamed `a` to `b`.",
                vec![
                    Claim::OnlyRenamed(names(&["a", "b"])),
                    Claim::Renamed {
                        from: "a".into(),
                        to: "b".into(),
                    },
                ],
            ),
            ("This should not change behaviour.", vec![]),
            ("No behavior changes.", vec![Claim::SameBehaviour]),
            ("All tests pass.", vec![Claim::TestsPass]),
            ("If the tests pass, we can merge.", vec![]),
            ("I have not run the tests.", vec![Claim::TestsNotRun]),
            (
                "All callers of `load` are updated.",
                vec![Claim::AllUses(Some("load".into()))],
            ),
            (
                "I changed two files.",
                vec![Claim::FileCount(2), Claim::Something],
            ),
            (
                "Added three unit tests.",
                vec![Claim::TestsAdded {
                    count: Some(3),
                    names: vec![],
                }],
            ),
            ("No changes were needed.", vec![Claim::Nothing]),
            (
                "I did not touch `src/b.py`.",
                vec![Claim::Untouched(names(&["src/b.py"]))],
            ),
            (
                "Removed the unused import `os`.",
                vec![
                    Claim::Unused {
                        names: names(&["os"]),
                        imports: true,
                    },
                    Claim::Deed {
                        deed: Deed::Removed,
                        names: names(&["os"]),
                    },
                ],
            ),
            (
                "- `src/a.py`: added `read`",
                vec![
                    Claim::Deed {
                        deed: Deed::Added,
                        names: names(&["read"]),
                    },
                    Claim::Touched(names(&["src/a.py"])),
                ],
            ),
            ("Previously `load` returned 3.", vec![]),
        ];
        for (text, expected) in table {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
