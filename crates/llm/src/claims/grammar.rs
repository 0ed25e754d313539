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
    /// Programs do the same as before, in the paths where some are named.
    SameBehaviour(Vec<String>),
    /// These paths changed and no others; without paths, those that the message names.
    OnlyPaths(Vec<String>),
    /// Nothing changed.
    Nothing,
    /// These did not change.
    Untouched(Vec<String>),
    /// This number of files changed.
    FileCount(usize),
    /// Tests were added.
    TestsAdded(
        /// The number, if the sentence has one. One case is not one test.
        Option<usize>,
    ),
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
    /// A name is still used: one of these, or what was renamed; in these paths.
    Left(Vec<String>),
    /// A name or path became another one.
    Renamed {
        /// The old one.
        from: String,
        /// The new one.
        to: String,
    },
}

impl Claim {
    /// Tells whether something was done, by what it says.
    pub(super) fn is_deed(&self) -> bool {
        matches!(
            self,
            Self::Deed { .. } | Self::Touched(_) | Self::Renamed { .. } | Self::TestsAdded(_)
        )
    }
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
        "added|introduced|created|defined|wrote|extracted|pulled out|factored out",
        Deed::Added,
    ),
    (
        "removed|deleted|dropped|eliminated|stripped|got rid of|cleaned out",
        Deed::Removed,
    ),
    (
        "updated|changed|modified|edited|adjusted|refactored|rewrote|rewritten|revised|reformatted|formatted|touched|tweaked|bumped|simplified|cleaned up|documented|corrected|patched|replaced|reworked|extended",
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

/// Patterns of one thing, with `NS` for names, `NUM` for a number, `DO` for a word of changing, and `FEW` for few words; `START`
/// and `END` for those of a clause, `STOP` for an end behind which there is no more of it, `NOUN` for what a name is.
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

    /// Patterns of what is said in a clause of its own, of everything: what another clause says of it is not known to be meant.
    fn bare(texts: &[&str]) -> Self {
        let texts: Vec<String> = texts
            .iter()
            .map(|text| format!("START(?:{text})"))
            .collect();
        Self::new(&texts.iter().map(String::as_str).collect::<Vec<_>>())
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
    text.replace("START", START).replace("AFTER", AFTER).replace(
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
        r"(?:behaviour|functionality|semantics|logic)",
    )
    .replace("NOUN", NOUN)
    .replace("STOP", r" ?(?:[.;:!()✅✓\u{2013}\u{2014}]|$)")
    .replace("END", r"(?: ?(?:[.,;:!()✅✓\u{2013}\u{2014}]|$)| and\b)")
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

/// Where a clause begins, and words that say of whom or what without narrowing it.
const START: &str = r"(?:^(?:(?:behaviour|summary|tests?|testing|scope|notes?|changes?|results?|verification|status|type|in short|done): ?)?|[;\u{2013}\u{2014}(] ?| - | and | with | so )(?:(?:i|we|this|that|it|they|is|was|are|were|be|the|a|an|there|has|have|had|been|made|makes|introduces|contains|all|changes?|commit|diff|patch|pr|work|edits?|refactoring|code|program|now|also|here|which|means|everything|in total|overall|done|verified|confirmed) )*";

/// Words behind "pass" that do not narrow it.
const AFTER: &str = r"(?: now| again| too| still| locally| here| afterwards| cleanly| successfully| as well| after (?:the|this|my) (?:change|changes|rename|edit)| with NOFAILURE)*";

/// What a name is said to be.
const NOUN: &str = r"(?:functions?|methods?|class|classes|constants?|variables?|fields?|parameters?|arguments?|flags?|options?|helpers?|imports?|modules?|files?|types?|struct|enum|trait|interface|property)";

/// The patterns.
struct Grammar {
    hedges: Patterns,
    subordinate: Patterns,
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
    now: Patterns,
    now_has: Patterns,
    only_tests: Patterns,
    tests_untouched: Patterns,
    left: Patterns,
    apart: Patterns,
    other_deeds: Patterns,
    valued: Patterns,
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
            negation: Patterns::new(&[
                r"\b(?:not|never|no|none|neither|nor|without|yet|still|missing)\b",
            ]),
            only_renamed: Patterns::bare(&[
                &format!(r"{only} (?:DO |an? )?renam\w+"),
                r"(?:pure|purely|plain|straight|straightforward|mechanical|strict) (?:a |symbol |name |identifier )?renam\w+",
                r"renam\w+[- ]only",
                r"(?:nothing|no (?:other|further|code) changes?) (?:apart from|besides|other than|beyond|except(?: for)?|aside from|but) (?:the |this |that )?(?:new )?(?:renam\w+|names?)END",
                r"the only (?:change|thing|difference|edit)s?(?: that changed)? (?:is|was)(?: \w+){0,2} (?:renam\w+|names?)",
                r"all (?:i|we|it|this \w+) (?:did|does) (?:was|is) (?:to )?renam\w+",
            ]),
            only_layout: Patterns::bare(&[
                &format!(
                    r"{only} (?:DO )?(?:the |some |code )?(?:(?:re-?)?format(?:ting|ted)?|white ?space|white-space|indentation|layout|spacing|blank lines?|line (?:breaks?|wrapping)|trailing spaces?)(?: (?:changes?|cleanups?|fixes|differs?|changed|was changed))?END"
                ),
                r"(?:formatting|format|white ?space|white-space|indentation|layout|style)(?:[- ]| \w+ )only",
                r"(?:pure|purely|strictly) (?:a )?(?:formatting|white ?space|layout|indentation|cosmetic formatting)(?: changes?)?END",
                r"(?:formatting|white ?space|indentation|layout)(?:,| and)? (?:nothing else|nothing more|is all that changed|(?:is|are) the (?:only|single) (?:changes?|things?|differences?))END",
                r"the (?:only|single) (?:change|thing|difference|edit)s? (?:is|are|was|were)(?: \w+){0,2} (?:formatting|white ?space|indentation|layout)END",
                r"no (?:tokens?|characters? other than white ?space) (?:was |were |has |have |is |are )?(?:been )?chang\w+END",
            ]),
            only_comments: Patterns::bare(&[
                &format!(
                    r"{only} (?:DO )?(?:the |some )?(?:comments?|doc-?strings?|documentation|docs|doc comments?|javadocs?|jsdocs?)(?: (?:was |were |has |have )?(?:been )?DO)?END"
                ),
                r"(?:comments?|docs?|documentation|docstrings?|javadocs?)[- ]only",
                r"(?:no|not any|zero) (?:actual |executable |source |real )?(?:code|lines? of code)(?: (?:was|were|has been|have been|is|got))? (?:chang\w+|touched|modified|affected|altered)END",
                r"no code changesEND",
                r"(?:without|did not|have not|does not|do not) (?:touch|chang|modify|alter)\w* (?:any |the )?(?:actual |executable |source )?codeEND",
                r"(?:comments?|docstrings?|docs|documentation|javadocs?)(?:,| and)? (?:nothing else|nothing more|(?:is|are) all that changed|are the only (?:changes?|things?)|is the only change)END",
            ]),
            same_behaviour: Patterns::bare(&[
                r"(?:no|zero|without(?: any)?|nor any|not introduce any|not a) (?:(?:observable|functional|behavioural|behaviour|semantic|logic|logical|runtime|user-visible|user-facing|actual|real|visible) )*(?:behaviour|behavioural|functional|functionality|semantic|logic|logical|runtime)(?: or \w+)? (?:changes?|differences?|modifications?|impact)END",
                r"(?:no|without any) (?:change|difference|modification)s? (?:in|to|of) (?:the )?BEHAVIOUREND",
                r"(?:without|do not|does not|did not) (?:chang|alter|affect|modify|touch)\w* (?:the |any |its )?BEHAVIOUREND",
                r"BEHAVIOUR(?: itself)? (?:is|are|was|were|remains?|stays?|has been|have been|has|have) (?:(?:exactly|completely|entirely|fully|still|now|the) )?(?:unchanged|identical|same|untouched|preserved|unaffected|intact|equivalent|not (?:been )?(?:changed|affected|altered|touched))(?: as before)?END",
                r"(?:preserv\w+|keep\w*|kept|retain\w*|maintain\w*) (?:the |its |all )?(?:same |existing |original |current |exact )BEHAVIOUREND",
                r"(?:preserv\w+|keep\w*|kept|leav\w+|left) (?:the )?BEHAVIOUR (?:the same|unchanged|identical|intact|as (?:it )?(?:is|was)|untouched)END",
                r"behaviour[- ]preserving(?: \w+)?END",
                r"(?:functionally|semantically|behaviourally|logically) (?:equivalent|identical|unchanged|the same)END",
                r"(?:works?|behaves?|functions?|runs?) (?:exactly |just )?(?:as (?:it did )?before|the same(?: way)?(?: as before)?|identically|as it did)END",
                r"(?:pure|purely|strictly)(?: an?)?(?: mechanical| structural| cosmetic| stylistic| internal)? (?:refactor(?:ing)?|restructuring|cleanup)END",
                r"(?:everything|all) (?:is|works|behaves|stays|runs) (?:exactly )?as (?:it was )?beforeEND",
                r"no (?:observable|visible|functional|user-visible) (?:differences?|changes?|edits?)END",
                r"nothing (?:behaves|works|runs|happens) differently(?: at runtime)?END",
                r"no (?:change|difference)s? at runtimeEND",
                r"BEHAVIOUR(?: is| are| stays?)? (?:exactly|just) (?:as|like) (?:it was |they were )?beforeEND",
            ]),
            only_paths: Patterns::bare(&[
                &format!(r"{only} DO (?:the )?(?:files? )?NSEND"),
                r"(?:DO|changes) (?:no|none|nothing) (?:files? )?(?:other than|besides|except|but|outside(?: of)?) (?:the )?(?:files? )?NSEND",
                r"(?:changes?|edits?|diff) (?:is|are|was|were) (?:limited|confined|restricted|contained) (?:entirely |solely |strictly )?(?:to|in|within) (?:the )?(?:files? )?NSEND",
                r"NS (?:is|are|was|were) the only (?:source |code )?(?:files?|path|paths) (?:that )?(?:i |was |were |is |are |has been |have been )*DO\b",
                &format!(
                    r"{only} (?:the )?(?:files? )?NS (?:(?:was|were|is|are|has been|have been) )?(?:changed|touched|modified|edited|updated|changes)END"
                ),
                r"the only (?:source |code )?(?:files?|path)(?: that)?(?: i| was| were| is| has been)* DO (?:is|are|was|were) NSEND",
                r"(?:other than|besides|except(?: for)?|apart from|aside from|outside of|outside) NS,? (?:no|nothing) (?:other |else )?(?:files? )?(?:was |were |has been |is )?DOEND",
                r"nothing (?:outside|beyond|besides|other than|except)(?: of)? NS (?:(?:was|has been|is) )?DOEND",
            ]),
            no_others: Patterns::bare(&[
                r"(?:no|none of the|not any) (?:other|further|additional) (?:source |code |project )?(?:files?|modules?) (?:(?:was|were|is|are|has been|have been) )?(?:DO|touched)END",
                r"nothing else (?:(?:was|has been|is|got) )?(?:DO|touched)END",
                r"everything else (?:is |was |stays |remains )(?:\w+ )?(?:untouched|unchanged|unmodified)END",
                r"(?:did not|have not|has not|without) (?:touch|chang|modif|edit|alter)\w* (?:anything else|(?:any )?other files?)END",
                r"(?:left|leaving) everything else (?:alone|untouched|unchanged)END",
                r"(?:all )?(?:the )?other files (?:is|are|was|were|remain|stay) (?:untouched|unchanged|unmodified|left alone)END",
            ]),
            nothing: Patterns::bare(&[
                r"no (?:file |source )?(?:changes?|edits?|modifications?) (?:(?:was|were|is|are|has been|have been|had to be) )?(?:made|needed|necessary|required|applied|staged)(?: in the end| after all)?STOP",
                r"(?:did not|have not|has not) (?:actually )?(?:change|changed|modify|modified|edit|edited|touch|touched|make|made|alter|altered) (?:anything|any (?:files?|changes?|edits?))(?: yet| so far| at all| on disk)?STOP",
                r"(?:nothing|no files?) (?:was|were|has been) (?:changed|modified|edited|touched|staged|written)(?: in the end| after all)?STOP",
                r"left everything (?:as (?:it )?(?:is|was)|as-is|untouched|unchanged|alone)STOP",
                r"(?:there was )?nothing (?:had )?to (?:be )?(?:change|changed|do|done)(?: in the end| after all)?STOP",
            ]),
            untouched: Patterns::bare(&[
                r"(?:the )?(?:files? )?NS(?: itself| file| files)? (?:is|are|was|were|remains?|stays?|has been|have been)(?: still| completely| entirely| all| both)? ?(?:untouched|unchanged|unmodified|not (?:been )?(?:touched|changed|modified|edited)|left (?:alone|as is|as-is|untouched|unchanged)|intact)END",
                r"(?:did not|have not|has not|without) (?:touch|chang|modif|edit|alter)\w* (?:the )?(?:files? )?NSEND",
                r"(?:left|leaving|leaves|kept) (?:the )?(?:files? )?NS (?:completely )?(?:untouched|unchanged|alone|as (?:it )?(?:is|was)|as-is|intact)END",
                r"no changes (?:were |are |was )?(?:made |needed |required |necessary )?(?:in|to) (?:the )?(?:files? )?NSEND",
                r"NS ?(?:[:–—-]|->)? ?(?:is |left )?(?:unmodified|unchanged|untouched|no changes?|not touched)END",
            ]),
            file_count: Patterns::bare(&[
                r"(?:i |we |this |the |commit |change |diff |patch |pr |in total |overall )*(?:changed|changes|touched|touches|modified|modifies|affected|affects|spans) (?:exactly |only |just |a total of )?NUM files?STOP",
                r"(?:exactly |only |just |in total |a total of )?NUM files? (?:(?:was|were|has been|have been|are|is|got) )?(?:changed|touched|modified|affected)STOP",
                r"files? (?:changed|modified|touched): ?NUMSTOP",
            ]),
            tests_added: Patterns::new(&[
                r"^(?:a )?new tests? (?:for|of|covering)\b",
                r"\b(?:added|adds|wrote|writes|introduced|introduces|created|creates) (?:(?:a|an|the|new|some|few|more|additional|unit|regression|integration|NUM|small|focused|corresponding|missing|matching|simple|basic|end-to-end|e2e|several|many|extra|further|also|two|<\d+>) ){0,4}(?:\w+-)?(?:tests?|test ?cases?|specs?)(?: (?:for|to|that|which|covering|in|of|with|verifying|checking|and)\b|END)",
                r"\b(?:tests?|test ?cases?|specs?) (?:for (?:FEW){1,4}?)?(?:was|were|has been|have been) (?:also |now )?(?:added|written|created|introduced)END",
                r"^tests?: (?:added|new|wrote) (?:(?:a|an|the|new|some|few|more|additional|unit|regression|integration|NUM|small|focused|corresponding|missing|matching|simple|basic|end-to-end|e2e|several|many|extra|further|also|two|<\d+>) ){0,4}(?:tests?|test ?cases?|specs?)(?: (?:for|to|that|which|covering|in|of|with|verifying|checking|and)\b|END)",
                r"^(?:also )?NUM (?:new|additional|more) (?:unit |regression )?(?:tests?|test ?cases?|specs?)(?: (?:for|to|that|which|covering|in|of|with|verifying|checking|and)\b|END)",
            ]),
            no_tests_added: Patterns::bare(&[
                r"(?:no|zero) (?:new |additional |unit |further ){0,2}(?:tests?|test ?cases?) (?:was |were |have been |has been |are |is )?(?:added|written|created|introduced)STOP",
                r"(?:did not|have not|has not|without) (?:add|write|creat|includ|introduc|writ)\w* (?:any )?(?:new )?(?:tests?|test ?cases?)STOP",
                r"tests? (?:was|were|have|has) not (?:been )?(?:added|written)STOP",
            ]),
            no_failure: Patterns::new(&[
                r"\b(?:no|without|zero|0)(?: any)?(?: test)? (?:fail\w*|errors?|regressions?|issues?|problems?)(?: or \w+)?",
            ]),
            not_passing: Patterns::new(&[
                r"\b(?:not|fail(?:s|ed|ing|ures?)?|no longer|except|before|until|only|partly|some|most|broken|pre-existing|previously)\b",
            ]),
            tests_pass: Patterns::bare(&[
                r"(?:(?:all|the|every|existing|whole|entire|full|complete|both|\d+|NUM|and|of|unit|new|other|project|they|that|verified|confirmed) )*(?:tests?|specs?|suites?|test suites?|test ?cases?)(?: still| now| all| also| run| then)* (?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:(?:is|are|was|were|stays?|remains?|came back|comes back|runs?|ran)(?: all| still| now)? )?(?:green|passing|clean|cleanly|fine|ok|successful|successfully|NOFAILURE))AFTEREND",
                r"(?:all|everything|they)(?: is| are| came back| remains?| stays?| comes back| now| still| all)* (?:green|passing|passes|passed|pass)AFTEREND",
                r"(?:all (?:\d+|NUM)|\d+ of \d+|\d+/\d+|\d+)(?: tests?| specs?)? (?:pass(?:ed|ing|es)?|green)AFTEREND",
                r"(?:ran|run|re-ran|reran|executed) (?:(?:all|the|existing|whole|entire|full|complete|unit|project) )*(?:tests?|test suite|suite|specs?),? (?:and |with |which |- )?(?:they |it |everything |all )*(?:success\w*|NOFAILURE|pass\w*|(?:is |are |was |were )?(?:all )?green|clean(?:ly)?)AFTEREND",
                r"tests?,? (?:\w+ )?(?:exits?|exited)(?: with)?(?: code)? 0END",
                r"(?:specs?|tests?) (?:executed|run|ran),? (?:with )?NOFAILUREEND",
                r"(?:tests?|test suite|verification|testing)(?: results?| status)?: ?(?:✅ ?|✓ ?)?(?:all )?(?:\w+ )?(?:pass\w*|green|ok|successful)END",
            ]),
            tests_fail: Patterns::new(&[
                r"\b(?:tests?|specs?|suite|test ?cases?)\b(?: \(.{0,60}?\))? (?:FEW){0,2}?(?:fails?|failed|failing|is broken|are broken|is red|are red)\b",
                r"\b(?:not|did not|does not|do not) (?:all )?(?:of )?(?:the )?(?:tests? )?pass(?:es)?\b",
            ]),
            tests_ran: Patterns::new(&[
                r"(?:^|\b(?:i|we|and|also|then|have|finally|afterwards) )(?:ran|executed|re-ran|reran) (?:(?:all|the|existing|whole|entire|full|complete|unit|project) )*(?:tests?|test suite|suite|specs?)END",
                r"^(?:the |all )*(?:tests?|suite) (?:was|were|has been|have been) (?:run|executed)END",
            ]),
            tests_not_run: Patterns::new(&[
                r"\b(?:tests?|specs?|suite)\b (?:FEW){0,3}?not (?:yet )?(?:been |be )?(?:run|executed|ran)\b",
                r"\b(?:did|have|has|could|was|were|am|are) (?:not|never)(?: able to)?(?: yet)?(?: actually)? (?:run|ran|execute|executed|verif\w+|test\w*)\b(?: (?:FEW){0,4}?(?:tests?|suite|it|this|them|anything))?",
                r"\bwithout (?:running|having run|executing) (?:FEW){0,3}?(?:tests?|suite)\b",
                r"\bno tests? (?:was|were|has been|have been) (?:run|executed)\b",
                r"\b(?:untested|not tested|not been tested)\b",
            ]),
            all_uses: Patterns::new(&[
                r"\b(?:all|every|each|both|any)(?: of)?(?: (?:the|its|their|his|existing|remaining|other|internal|known|current|old|direct|of|\d+|two|three|four))* ?(?:<\d+>(?:\(\))?(?:'s)? )?(?:callers?|call ?sites?|call-sites?|callsites?|usages?|uses|references?|occurrences?|importers?|imports|calls?)\b(?: (?:of|to|for) (?:\w+ ){0,2}?<(\d+)>)?",
                r"\b(?:callers?|call ?sites?|usages?|uses|references?|occurrences?) (?:of <(\d+)>(?:\(\))? )?(?:is|are|was|were|has|have)(?: been)? all (?:updated|renamed|replaced|adjusted|migrated|changed)\b",
                r"\b(?:across|throughout|everywhere(?: in| across)?|project-wide|repo-wide|codebase-wide)(?: the| this)?(?: whole| entire| rest of the)? ?(?:codebase|code base|project|repo\w*|workspace|tree)\b",
                r"\beverywhere\b",
                r"\b(?:no|zero|not any)(?: \w+){0,3}? (?:callers?|call ?sites?|usages?|uses|references?|occurrences?|mentions?|leftovers?)\b(?: (?:of|to) (?:\w+ ){0,2}?<(\d+)>(?:\(\))?)?(?: \w+){0,3}? ?(?:remain\w*|left|exist\w*|anymore|any more|behind)\b",
                r"\bno (?:remaining|leftover|stale|more|further) (?:\w+ )?(?:callers?|call ?sites?|usages?|uses|references?|occurrences?|mentions?|imports?)\b(?: (?:of|to) (?:\w+ ){0,2}?<(\d+)>)?",
                r"<(\d+)>(?:\(\))? (?:is|are) (?:no longer|not) (?:used|referenced|called|mentioned|imported)(?: anywhere| any ?more| in the (?:codebase|project|repo\w*))?\b",
                r"\bnothing (?:\w+ )?(?:uses|references|calls|imports|refers to) (?:\w+ ){0,2}?<(\d+)>(?:\(\))? (?:anymore|any more|any longer|now)",
            ]),
            unused: Patterns::new(&[
                r"\b(?:removed|deleted|dropped|cleaned up|stripped|pruned|eliminated) (?:(?:the|an?|all|some|two|three|now) )*(?:unused|dead|obsolete|orphaned) (?:NOUN |code )?(?:NS(?: NOUN)?)?(?: from NS| in NS)?END",
                r"^(?:the )?(?:unused|dead|obsolete|orphaned) (?:NOUN )?(?:NS )?(?:NOUN )?(?:(?:was|were|has been|have been|is|are) )?(?:now )?(?:removed|deleted|dropped|cleaned up|stripped|gone|pruned)END",
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

            now_has: Patterns::new(&[
                r"\bnow (?:calls?|imports?|defines?|exports?) (?:the )?NSEND",
            ]),
            only_tests: Patterns::bare(&[
                r"only (?:changed|touched|modified|edited|added) (?:the )?testsEND",
                r"only (?:the )?tests?(?: code| files?| cases?)? (?:(?:was|were|has been|have been|is|are) )?(?:added|changed|touched|modified|updated)END",
                r"production code (?:is |was |remains |stays )?(?:left )?(?:untouched|unchanged|not (?:been )?(?:touched|changed|modified)|as (?:it )?(?:is|was))END",
                r"(?:no|without (?:touching|changing)) (?:the |any )?production code(?: (?:was |is )?(?:DO|touched))?END",
            ]),
            tests_untouched: Patterns::bare(&[
                r"(?:the |existing )*tests?(?: code| files?| suite)? (?:was|were|is|are|has been|have been|remains?) (?:not (?:been )?(?:modified|touched|changed|edited)|untouched|unchanged)END",
                r"no (?:existing )?tests? (?:was |were |had to be |needed to be |has been |have been )?(?:changed|modified|touched|adapted|edited)END",
                r"(?:did not|have not|without) (?:touch|chang|modif|edit)\w* (?:the |any |any of the |existing )*tests?END",
            ]),
            left: Patterns::new(&[
                r"\bstill (?:uses?|calls?|refers? to|references?|imports?|invokes?|mentions?)\b",
            ]),
            other_deeds: Patterns::new(&[
                r"\b(?:add|remov|delet|mov|extract|fix|rewr|replac|introduc|creat)\w*\b",
            ]),
            apart: Patterns::new(&[
                r"\b(?:other than|besides|except|apart from|aside|outside|beyond|otherwise|unless|but|by default|for (?:the|existing|any|all|most|non|valid|normal))\b",
            ]),
            now: Patterns::new(&[
                r"^NS (?:now|also) (?:mentions?|contains?|imports?|exports?|documents?|describes?|lists?|explains?)\b",
            ]),
            valued: Patterns::new(&[
                r"<(\d+)>(?:\(\))? now defaults? to (\d[\d._]*\d|\d)END",
                r"\bswitched(?: the)? <(\d+)>(?: \w+){0,2}? from \S+ to (\d[\d._]*\d|\d)END",
                r"\b(?:raised|lowered|increased|decreased|reduced|changed|set|bumped|doubled|updated)(?: the)?(?: \w+){0,2}? <(\d+)>(?: from \S+)? to (\d[\d._]*\d|\d)END",
                r"<(\d+)> (?:is|was|has been) (?:now )?(?:raised|lowered|increased|decreased|reduced|changed|set|bumped)(?: from \S+)? to (\d[\d._]*\d|\d)END",
            ]),
            listed: Patterns::new(&[
                r"^NS (?:was |were |is |has been )?(?:also |now )?(?:updated|changed|modified|edited)END",
                r"^(?:\w+ ){0,2}?(?:files? (?:changed|modified|touched|updated|edited)|modified|changed|updated|edited|touched)(?: files?)?: ?NS",
                r"^NS(?: \([^)]*\))? ?(?:[:–—-]|->) ?(?:also |now )?(?:updated|changed|modified|edited|added|removed|renamed|rewrote|rewritten|replaced|switched)\b",
            ]),
            number: Patterns::new(&[
                r"\bNUM (?:new |unit |regression |integration |more |additional |small |focused |extra )*(?:tests?|specs?)(?: (?:for|to|that|which|covering|in|of|with|verifying|checking|and)\b|END)",
            ]),
        }
    }
}

/// Returns the patterns of what was done with some verbs.
fn deed_patterns(verbs: &str) -> Patterns {
    let object = r"(?:(?:a|an|the|new|old|missing|small|helper|function|method|class|constant|variable|field|parameter|argument|flag|option|module|file|type|struct|enum|trait|interface|property|import|test|and|its|optional|flag,|option,|public|private|static|async|shared|single|simple|local|global|dedicated|deprecated|unused|dead|obsolete|legacy|script|command|both|entire|whole|existing|exported|internal|imports|functions|methods|constants|variables|helpers|modules|classes|files|fields|parameters|options) )*NS";
    let end = r"(?: NOUN)?(?:END| (?:to|in|into|as|for|with|on|from|so|which|that|because|instead|at|by)\b)";
    Patterns::new(&[
        &format!(
            r"(?:^|[:;,(] ?|\b(?:i|we|and|i also|we also|i have|we have|i then|i just|i only) )(?:also |then |now |just )?(?:{verbs}) {object}{end}"
        ),
        &format!(
            r"^(?:this|the) (?:commit|change|patch|pr|diff) (?:also )?(?:{}) {object}{end}",
            present(verbs)
        ),
        &format!(
            r"NS(?: NOUN)? (?:was|were|has been|have been|is now|are now|got) (?:also |now |then )?(?:{verbs})END"
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
            claims.extend(self.added_tests(&found, plain));
        }
        claims
    }

    /// Returns that tests were added, unless it says that they were not.
    fn added_tests(&self, found: &Captures<'_>, plain: &str) -> Option<Claim> {
        let all = found.get(0)?;
        if self.negation.is_in(plain.slice(..all.start())) {
            return None;
        }
        let number = self.number.first(plain.slice(..all.end()));
        Some(Claim::TestsAdded(number.and_then(|found| count(&found))))
    }

    /// Returns what is said of the change as a whole.
    fn of_whole(&self, plain: &str, sentence: &Sentence) -> Vec<Claim> {
        let paths = |captures: Captures<'_>| named(&captures, sentence);
        let names = || sentence.names.clone();
        let mut claims = Vec::new();
        let is_of_all = !self.apart.is_in(plain);
        let is_alone = !self.other_deeds.is_in(plain);
        let whole = [
            (&self.only_renamed, Claim::OnlyRenamed(names()), is_alone),
            (&self.only_layout, Claim::OnlyLayout(names()), is_alone),
            (&self.only_comments, Claim::OnlyComments(names()), is_alone),
            (&self.only_tests, Claim::OnlyTests, true),
            (&self.tests_untouched, Claim::TestsUntouched, is_of_all),
            (&self.left, Claim::Left(names()), true),
            (
                &self.same_behaviour,
                Claim::SameBehaviour(names()),
                is_of_all,
            ),
            (&self.nothing, Claim::Nothing, is_of_all),
            (&self.no_others, Claim::OnlyPaths(Vec::new()), is_of_all),
        ];
        let said = whole
            .into_iter()
            .filter(|(patterns, _, may)| *may && !sentence.is_of_part && patterns.is_in(plain));
        claims.extend(said.map(|(_, claim, _)| claim));
        claims.extend(
            self.only_paths
                .first(plain)
                .map(paths)
                .map(Claim::OnlyPaths),
        );
        claims.extend(self.untouched.first(plain).map(paths).map(Claim::Untouched));
        claims.extend(
            (self.file_count.first(plain))
                .filter(|_| !sentence.is_of_part)
                .and_then(|found| count(&found))
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
            let imports = self.unused_before.is_in(plain);
            claims.push(Claim::Unused { imports });
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
        if !self.untouched.is_in(plain) {
            let found = self.listed.first(clause);
            claims.extend(found.map(|found| Claim::Touched(named(&found, sentence))));
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
            ("No behavior changes.", vec![Claim::SameBehaviour(vec![])]),
            ("All tests pass.", vec![Claim::TestsPass]),
            ("If the tests pass, we can merge.", vec![]),
            ("I have not run the tests.", vec![Claim::TestsNotRun]),
            (
                "All callers of `load` are updated.",
                vec![Claim::AllUses(Some("load".into()))],
            ),
            ("I changed two files.", vec![Claim::FileCount(2)]),
            ("Added three unit tests.", vec![Claim::TestsAdded(Some(3))]),
            ("No changes were needed.", vec![Claim::Nothing]),
            (
                "I did not touch `src/b.py`.",
                vec![Claim::Untouched(names(&["src/b.py"]))],
            ),
            (
                "Removed the unused import `os`.",
                vec![
                    Claim::Unused { imports: true },
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
