//! Phrases of claims: the patterns of each, as a sentence may put them.
//!
//! In a pattern `NS` stands for names, `NUM` for a number, `DO` for a word of changing, `FEW` for a few words, `ONLY` for a
//! word like "only", `BEHAVIOUR` for what programs do.
//!
//! ```text
//! UNTOUCHED    NS (?:is|was) unchanged     "`src/b.py` is unchanged"
//! ```

use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex};

use super::grammar::Deed;

/// Patterns that say one thing. They are compiled when the first sentence is looked at with them.
pub(super) struct Phrase {
    texts: &'static [&'static str],
    patterns: OnceLock<Vec<Regex>>,
}

impl Phrase {
    const fn of(texts: &'static [&'static str]) -> Self {
        let patterns = OnceLock::new();
        Self { texts, patterns }
    }

    pub(super) fn patterns(&self) -> &[Regex] {
        self.patterns.get_or_init(|| {
            let written = self.texts.iter().map(|text| written_out(text));
            written.filter_map(|text| pattern(&text)).collect()
        })
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.patterns().iter().any(|pattern| pattern.is_match(text))
    }

    pub(super) fn first<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.patterns()
            .iter()
            .find_map(|pattern| pattern.captures(text))
    }
}

/// What makes a sentence no claim: hopes, plans, conditions, advice, what was before.
pub(super) static HEDGES: Phrase = Phrase::of(&[
    r"\b(?:should|shall|would|could|may|might|can|will|want|wants|wanted|if|unless|once|let me|let's|please|needs? to|you can|you could|you may|you should|you will|you want|todo|consider|suggest\w*|recommend\w*|plan(?:s|ned)? to|going to|previously|used to|originally|until now|formerly|likely|probably|presumably|i think|i believe|i expect|i assume|appears?|seems?|expected|intended|supposed|whether|try|tried|feel free|happy to|hopefully|try to|attempt\w*|goal|aim|idea|the task|the request|your request|(?:was|were) asked to|make sure|remember|don't forget|follow-up|as an example|for example|imagine|say)\b",
]);
/// Where the reason, purpose or condition of a deed begins.
pub(super) static SUBORDINATE: Phrase = Phrase::of(&[
    r"(?:,? \b(?:because|since|so that|so (?:it|they|we|the|callers|that)|in order to|to (?:make|avoid|ensure|allow|keep|support|match|reflect|prevent|handle|be|improve|reduce|let|help|fix|simplify|use|call|take|accept|return|include|cover|follow|point|pass|read|read|get|satisfy|verify|check)|such that|as (?:it|they|this)|where|which|that|but|although|though|however|while|whereas|rather than|instead of|before|after|when)\b)",
]);
pub(super) static CHANGE_WORD: Phrase = Phrase::of(&[
    r"\b(?:DO|add\w*|renam\w*|reformat\w*|format\w*|reword\w*|pass|commit|diff|pr|patch|clean\w*|did|done|touch\w*|differ\w*)\b",
    r"\b(?:this|it|these|everything|all of (?:it|this)|all changes) (?:is|was|are|were)\b",
]);
pub(super) static NEGATION: Phrase =
    Phrase::of(&[r"\b(?:not|never|no|none|neither|nor|without|yet|still|missing)\b"]);
pub(super) static ONLY_RENAMED: Phrase = Phrase::of(&[
    r"ONLY FEW{0,4}renam\w+",
    r"\b(?:pure|purely|plain|straight|straightforward|mechanical|strict) (?:a |symbol |name |identifier )?renam\w+",
    r"\brenam\w+[- ]only\b",
    r"\brenam\w+.{0,60}\b(?:that is|which is) (?:all|it|the (?:entire|whole) (?:change|story|diff))\b",
    r"\b(?:apart from|besides|other than|beyond|except(?: for)?|aside from|outside of) (?:the |this |that |these )?(?:new )?(?:renam\w+|names?)\b.{0,50}\b(?:nothing|no (?:other |further )?(?:code |logic )?(?:changes?|edits?|modifications?)|unchanged|identical|the same|untouched)\b",
    r"\b(?:nothing|no (?:other|further|code) changes?)\b.{0,40}\b(?:apart from|besides|other than|beyond|except(?: for)?|aside from|but) (?:the |this |that )?(?:new )?(?:renam\w+|names?)\b",
    r"\bthe only (?:change|thing|difference|edit)s?(?: \w+)? (?:is|was|that changed is|that changed was)(?: \w+){0,3} (?:renam\w+|names?)\b",
    r"\ball (?:i|we|it|this \w+) (?:did|does) (?:was|is) (?:to )?renam\w+",
    r"\b(?:is|was|it's|as) (?:just |only |purely |simply |nothing but )?an? (?:pure |plain |straight |mechanical |1:1 )renam\w+",
]);
pub(super) static ONLY_LAYOUT: Phrase = Phrase::of(&[
    r"ONLY FEW{0,5}(?:re-?)?(?:format\w*|white ?space|white-space|indent\w*|layout|spacing|blank lines?|line (?:breaks?|wrapping|lengths?|wraps?)|trailing spaces?|prettier|black|rustfmt|gofmt)\b",
    r"\b(?:formatting|format|white ?space|white-space|indentation|layout|style)(?:[- ]| \w+ )only\b",
    r"\b(?:pure|purely|strictly) (?:a )?(?:formatting|white ?space|layout|indentation|cosmetic formatting)\b",
    r"\b(?:formatting|white ?space|indentation|layout)\b.{0,20}\b(?:nothing else|nothing more|is all that changed|(?:is|are) the (?:only|single) (?:changes?|things?|differences?))\b",
    r"\bthe (?:only|single) (?:change|thing|difference|edit)s?(?: \w+){0,2} (?:is|are|was|were)(?: \w+){0,3} (?:formatting|white ?space|indentation|layout)\b",
    r"\bno (?:tokens?|characters? other than white ?space) (?:was |were |has |have |is |are )?(?:been )?chang\w+",
]);
pub(super) static ONLY_COMMENTS: Phrase = Phrase::of(&[
    r"ONLY FEW{0,5}(?:comments?|doc-?strings?|documentation|docs|doc comments?|javadocs?|jsdocs?|typos? in (?:the |some )?(?:comments?|docs?))\b",
    r"\b(?:comments?|docs?|documentation|docstrings?|javadocs?)(?:[- ]| \w+ )only\b",
    r"\b(?:no|not any|zero) (?:actual |executable |source |real )?(?:code|lines? of code) (?:itself )?(?:(?:was|were|has been|have been|is|got) )?(?:chang\w+|touched|modified|affected|altered)\b",
    r"\bno code changes\b",
    r"\bwithout (?:touching|changing|modifying|altering) (?:any |the )?(?:actual |executable |source )?code\b",
    r"\b(?:comments?|docstrings?|docs|documentation|javadocs?)\b.{0,20}\b(?:nothing else|nothing more|is all that changed|are the only (?:changes?|things?)|is the only change)\b",
    r"\b(?:did not|have not|does not|do not) (?:touch|change|modify|alter) (?:any |the )?(?:actual |executable |source )?code\b",
]);
pub(super) static SAME_BEHAVIOUR: Phrase = Phrase::of(&[
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
]);
pub(super) static ONLY_PATHS: Phrase = Phrase::of(&[
    r"ONLY (?:\w+ ){0,3}?DO (?:\w+ ){0,3}?NS",
    r"\bDO (?:\w+ ){0,2}?ONLY (?:\w+ ){0,3}?NS",
    r"\bDO (?:no|none|nothing) (?:files? )?(?:other than|besides|except|but|outside(?: of)?) (?:\w+ ){0,2}?NS",
    r"\b(?:limited|confined|restricted|scoped|contained|isolated|localized|localised) (?:entirely |solely |strictly )?(?:to|in|within) (?:\w+ ){0,3}?NS",
    r"NS (?:is|are|was|were) the only (?:source |code )?(?:files?|thing|place|one|ones|path|paths)\b",
    r"\b(?:only|just) (?:the )?NS(?: itself)? (?:(?:was|were|is|has been|have been|needed|had)(?: to be)? )?(?:changed|touched|modified|edited|updated|changes|affected)\b",
    r"\bthe only (?:source |code )?(?:files?|thing|path)(?: \w+){0,5}? (?:is|are|was|were) NS",
    r"\b(?:other than|besides|except(?: for)?|apart from|aside from|outside of|outside) (?:\w+ )?NS,? (?:no|nothing|all|everything)\b",
    r"\bnothing (?:outside|beyond|besides|other than|except)(?: of)? (?:\w+ )?NS (?:was|has been|is|had to be|changed)",
]);
pub(super) static NO_OTHERS: Phrase = Phrase::of(&[
    r"\b(?:no|none of the|not any) (?:other|further|additional) (?:source |code |project )?(?:files?|modules?|places?|code|sources?) (?:FEW){0,3}?(?:DO|needed|touched|involved)\b",
    r"\b(?:no|zero) (?:other|further|additional) (?:files?|modules?)(?: (?:was|were|is|are))?[.!]?$",
    r"\bnothing else (?:in FEW{1,3})?(?:(?:was|has been|is|had to be|got) )?(?:DO|touched|moved)\b",
    r"\b(?:everything|all) else (?:FEW){0,4}?(?:untouched|unchanged|as (?:it )?(?:is|was)|as-is|the same|intact|alone|unmodified)\b",
    r"\b(?:did not|have not|has not|without) (?:touch|chang|modif|edit|alter)\w* (?:any(?:thing)? (?:other|else)|other|any of the other)\b",
    r"\b(?:left|leaving|leaves) (?:everything|all|anything) else (?:FEW){0,2}?(?:alone|untouched|unchanged|as (?:it )?(?:is|was)|as-is)\b",
    r"\b(?:other|remaining) (?:files?|modules?) (?:is|are|was|were|remain|stay) (?:untouched|unchanged|unmodified|left alone)\b",
]);
pub(super) static NOTHING: Phrase = Phrase::of(&[
    r"\bno (?:code |file |source )?(?:changes?|edits?|modifications?) (?:(?:was|were|is|are|has been|have been|had to be) )?(?:made|needed|necessary|required|applied|staged)(?: (?:to|in) (?:the )?(?:code|project|files?|repo\w*|codebase|code base|workspace|source))?(?:[.!;,]| in the end| after all|$)",
    r"\b(?:did not|have not|has not) (?:actually )?(?:change|changed|modify|modified|edit|edited|touch|touched|make|made|alter|altered) (?:anything|any (?:files?|code|changes?|edits?|source))(?: yet| so far| at all| on disk| here)?(?:[.!;,]| in the end| after all|$)",
    r"\b(?:nothing|no files?) (?:was|were|has been|needed to be|had to be) (?:changed|modified|edited|touched|staged|written)(?:[.!;,]| in the end| after all|$)",
    r"\bleft (?:everything|the (?:code|files?|project|codebase)) (?:as (?:it )?(?:is|was)|as-is|untouched|unchanged|alone)\b",
    r"\b(?:nothing (?:needed|had) to (?:be )?(?:change|changed|do|done)|there was nothing to (?:do|change|fix))(?:[.!;,]| in the end| after all|$)",
    r"\bmade no (?:code |file )?(?:changes|edits|modifications)(?: (?:to|in) (?:the |any )?(?:code|project|files?|repo\w*|codebase|code base|workspace|source\w*))?(?:[.!;,]| in the end| after all|$)",
]);
pub(super) static UNTOUCHED: Phrase = Phrase::of(&[
    r"NS(?: itself| file| files)? (?:is|are|was|were|remains?|stays?|has been|have been)(?: \w+)? ?(?:untouched|unchanged|unmodified|not (?:been )?(?:touched|changed|modified|edited)|left (?:alone|as is|as-is|untouched|unchanged)|intact)\b",
    r"\b(?:did not|have not|has not) (?:touch|change|modify|edit|alter)\w* (?:\w+ ){0,2}?NS",
    r"\b(?:left|leaving|leaves|kept) (?:\w+ ){0,2}?NS (?:\w+ )?(?:untouched|unchanged|alone|as (?:it )?(?:is|was)|as-is|intact|in place)\b",
    r"\bwithout (?:touching|changing|modifying|editing) (?:\w+ ){0,2}?NS",
    r"\bno changes (?:were |are |was )?(?:made |needed |required |necessary )?(?:in|to|for) (?:\w+ )?NS",
    r"^NS ?(?:[:–—-]|->)? ?(?:is |left )?(?:unmodified|unchanged|untouched|no changes?|not touched)\b",
]);
pub(super) static FILE_COUNT: Phrase = Phrase::of(&[
    r"\b(?:DO|spans?|across|diff (?:of|in)|total of) (?:exactly |only |just |a total of |all )?NUM (?:(\w+) )?files?\b",
    r"\bNUM (?:(\w+) )?files? (?:(?:was|were|has been|have been|are|is|got) )?(?:now )?(?:DO|reformatted|involved|different|differ)\b",
    r"\ball NUM (?:(\w+) )?files (?:were|are|got|have|now)\b",
    r"\bfiles? (?:changed|modified|touched|updated|edited): ?NUM\b",
]);
pub(super) static TESTS_ADDED: Phrase = Phrase::of(&[
    r"^(?:a )?new tests? (?:for|of|covering)\b",
    r"\b(?:add(?:ed|s)|wrote|writes|introduc(?:ed|es)|creat(?:ed|es)|includ(?:ed|es)|provid(?:ed|es)|implement(?:ed|s)|extend(?:ed|s)|expand(?:ed|s)|backed by|accompanied by|comes with|now covered by|covered (?:\w+ ){0,3}?with|adding|put in) (?:FEW){0,6}?(?:\w+-)?(?:tests?|test ?cases?|specs?|test coverage)\b(?: (\w+))?",
    r"\b(?:tests?|test ?cases?|specs?) (?:FEW){0,5}?(?:was|were|has been|have been) (?:also |now )?(?:added|written|created|included|introduced)\b(?: (\w+))?",
    r"^tests?: (?:FEW){0,3}?(?:added|new|wrote)\b(?: (\w+))?",
    r"^(?:also )?NUM (?:new|additional|more) (?:\w+ )?(?:tests?|test ?cases?|specs?)\b",
    r"\bnew (?:\w+ )?(?:tests?|test ?cases?|specs?) (?:FEW){0,2}?(?:cover\w*|check\w*|verif\w*|exercis\w*|assert\w*|guard\w*)\b",
]);
pub(super) static NO_TESTS_ADDED: Phrase = Phrase::of(&[
    r"\b(?:no|zero) (?:new |additional |unit |further ){0,2}(?:tests?|test ?cases?) (?:was |were |have been |has been |are |is )?(?:added|written|created|included|introduced|needed)\b",
    r"\b(?:did not|have not|has not|without) (?:add|write|creat|includ|introduc|writ)\w* (?:\w+ ){0,2}?(?:tests?|test ?cases?)\b",
    r"\btests? (?:was|were|have|has) not (?:been )?(?:added|written)\b",
    r"\bneither added nor \w+ (?:any )?tests?\b",
]);
pub(super) static NO_FAILURE: Phrase = Phrase::of(&[
    r"\b(?:no|without|zero|0)(?: any)?(?: test)? (?:fail\w*|errors?|regressions?|issues?|problems?)(?: or \w+)?",
]);
pub(super) static NOT_PASSING: Phrase = Phrase::of(&[
    r"\b(?:not|fail(?:s|ed|ing|ures?)?|no longer|except|before|until|only|partly|some|most|broken|pre-existing|previously)\b",
]);
pub(super) static TESTS_PASS: Phrase = Phrase::of(&[
    r"\b(?:tests?|specs?|suites?|test ?cases?)(?: \(.{0,60}?\))? (?:FEW){0,5}?(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green)\b",
    r"\b(?:all|everything|suite|tests?)(?: is| are| runs?| came back| remains?| stays?| comes back| now| still)* (?:green|passing|passes|passed)\b",
    r"\b(?:all )?(?:\d+|NUM)(?: of \d+|/\d+)?(?: \w+){0,2} pass(?:ed|ing|es)?\b",
    r"\b(?:ran|run|re-ran|reran|executed|verified|confirmed)\b.{0,60}\b(?:tests?|suite|specs?|<\d+>)\b.{0,40}\b(?:success\w*|NOFAILURE|pass\w*|green|clean(?:ly)?)",
    r"\btests?\b.{0,40}\b(?:came|comes|come|came|finished|ran|runs|was|is|are|were) (?:back )?(?:clean|green|fine|ok|success\w*|NOFAILURE)\b",
    r"\btests?,? (?:\w+ )?(?:exits?|exited)(?: with)?(?: code)? 0\b",
    r"^(?:specs?|tests?) (?:executed|run|ran),? (?:with )?NOFAILURE",
    r"\b(?:test )?suite (?:is|was|runs|ran|comes back|stays|remains) (?:\w+ )?(?:green|clean|cleanly|NOFAILURE)",
    r"^(?:tests?|test suite|verification|testing)(?: results?| status)?: ?(?:✅ ?|✓ ?)?(?:all )?(?:\w+ )?(?:pass\w*|green|ok|successful)\b",
]);
pub(super) static TESTS_FAIL: Phrase = Phrase::of(&[
    r"\b(?:tests?|specs?|suite|test ?cases?)\b(?: \(.{0,60}?\))? (?:FEW){0,5}?(?:fail|fails|failed|failing|failures?|broken|red|broke|break|breaks)\b",
    r"\b(?:failing|failed|broken) (?:unit |integration )?tests?\b",
    r"\b(?:not|did not|does not|do not) (?:all )?(?:of )?(?:the )?(?:tests? )?pass(?:es)?\b",
]);
pub(super) static TESTS_RAN: Phrase = Phrase::of(&[
    r"\b(?:i|we|and|also|then|have|finally|afterwards)?(?:^| )(?:ran|executed|re-ran|reran) (?:FEW){0,5}?(?:tests?|test suite|suite|specs?)\b",
    r"\b(?:tests?|suite) (?:was|were|has been|have been) (?:run|executed)\b",
]);
pub(super) static TESTS_NOT_RUN: Phrase = Phrase::of(&[
    r"\b(?:tests?|specs?|suite)\b (?:FEW){0,3}?not (?:yet )?(?:been |be )?(?:run|executed|ran)\b",
    r"\b(?:did|have|has|could|was|were|am|are) (?:not|never)(?: able to)?(?: yet)?(?: actually)? (?:run|ran|execute|executed|verif\w+|test\w*)\b(?: (?:FEW){0,4}?(?:tests?|suite|it|this|them|anything))?",
    r"\bwithout (?:running|having run|executing) (?:FEW){0,3}?(?:tests?|suite)\b",
    r"\bno tests? (?:was|were|has been|have been) (?:run|executed)\b",
    r"\b(?:untested|not tested|not been tested)\b",
]);
pub(super) static ALL_USES: Phrase = Phrase::of(&[
    r"\b(?:all|every|each|both|any)(?: of)?(?: (?:the|its|their|his|existing|remaining|other|internal|known|current|old|direct|of|\d+|two|three|four))* ?(?:<\d+>(?:\(\))?(?:'s)? )?(?:callers?|call ?sites?|call-sites?|callsites?|usages?|uses|references?|occurrences?|instances?|consumers?|mentions?|invocations?|importers?|imports|places?|spots?|users|dependents|calls?)\b(?: (?:of|to|for) (?:\w+ ){0,2}?<(\d+)>)?",
    r"\b(?:callers?|call ?sites?|usages?|uses|references?|occurrences?) (?:of <(\d+)>(?:\(\))? )?(?:is|are|was|were|has|have)(?: been)? all (?:updated|renamed|replaced|adjusted|migrated|changed)\b",
    r"\b(?:across|throughout|everywhere(?: in| across)?|project-wide|repo-wide|codebase-wide)(?: the| this)?(?: whole| entire| rest of the)? ?(?:codebase|code base|project|repo\w*|workspace|tree)\b",
    r"\beverywhere\b",
    r"\b(?:no|zero|not any)(?: \w+){0,3}? (?:callers?|call ?sites?|usages?|uses|references?|occurrences?|mentions?|leftovers?)\b(?: (?:of|to) (?:\w+ ){0,2}?<(\d+)>(?:\(\))?)?(?: \w+){0,3}? ?(?:remain\w*|left|exist\w*|anymore|any more|behind)\b",
    r"\bno (?:remaining|leftover|stale|more|further) (?:\w+ )?(?:callers?|call ?sites?|usages?|uses|references?|occurrences?|mentions?|imports?)\b(?: (?:of|to) (?:\w+ ){0,2}?<(\d+)>)?",
    r"<(\d+)>(?:\(\))? (?:is|are) (?:no longer|not) (?:used|referenced|called|mentioned|imported)(?: anywhere| any ?more| in the (?:codebase|project|repo\w*))?\b",
    r"\bnothing (?:\w+ )?(?:uses|references|calls|imports|refers to) (?:\w+ ){0,2}?<(\d+)>(?:\(\))? (?:anymore|any more|any longer|now)",
]);
pub(super) static UNUSED: Phrase = Phrase::of(&[
    r"\b(?:remov|delet|dropp|clean|strip|prun|eliminat|got rid|clear|tid)\w*\b (?:FEW){0,5}?(?:unused|dead|unreachable|obsolete|unneeded|redundant|superfluous|no longer (?:used|needed)|never used|leftover|orphaned|stale|unnecessary)\b",
    r"\b(?:unused|dead|unreachable|obsolete|unneeded|orphaned|stale|unnecessary) (?:FEW){0,6}?(?:(?:was|were|has been|have been|is|are) )?(?:now )?(?:removed|deleted|dropped|cleaned up|stripped|gone|pruned)\b",
    r"\b(?:removed|deleted|dropped)\b (?:FEW){0,4}?<\d+>.{0,40}\b(?:unused|never used|not used|never called|not called|no longer used|not referenced|no longer referenced|dead|(?:had|has|have|with|without|with no|had no)(?: any| no)? (?:more )?(?:callers?|uses|usages?|references?|users)|(?:nobody|nothing|no one) (?:\w+ )?(?:uses?|used|calls?|called))\b",
]);
pub(super) static UNUSED_BEFORE: Phrase = Phrase::of(&[r"\bimports?\b"]);
pub(super) static RENAMED_AWAY: Phrase =
    Phrase::of(&[r"^NS (?:was|were|has been|have been) renamed(?: for \w+| too| as well)?[.!]?$"]);
pub(super) static RENAMED: Phrase = Phrase::of(&[
    r"\brenam(?:ed|es) (?:the )?(?:\w+ ){0,3}?<(\d+)>(?:\(\))?(?: \w+){0,3}? ?(?:to|into|as|→|->|=>) (?:\w+ ){0,2}?<(\d+)>",
    r"<(\d+)>(?:\(\))?(?: \w+){0,2}? (?:was|has been|is|is now|were|got) (?:now )?renamed (?:to |into |as )?<(\d+)>",
    r"<(\d+)>(?:\(\))? ?(?:→|->|=>|⟶) ?<(\d+)>.*\brenam",
    r"\brenam.*<(\d+)>(?:\(\))? ?(?:→|->|=>|⟶) ?<(\d+)>",
    r"<(\d+)>(?:\(\))? is now (?:called |named )?<(\d+)>",
    r"<(\d+)>(?:\(\))?(?: \w+)? (?:has become|became|turned into|is called) <(\d+)>",
    r"^(?:\w+: ?)?<(\d+)>(?:\(\))? ?(?:→|->|=>|⟶|➜|➡) ?<(\d+)>",
]);
pub(super) static WITHIN: Phrase = Phrase::of(&[r"\b(?:in|inside|within) (?:the )?(?:\w+ )?NS"]);
pub(super) static NOW_HAS: Phrase = Phrase::of(&[
    r"\bnow (?:throws?|raises?|passes|accepts?|takes?|calls?|uses?|imports?|has|defines?|exports?) (?:\w+ ){0,2}?NS",
]);
pub(super) static ONLY_TESTS: Phrase = Phrase::of(&[
    r"\bonly (?:changed|touched|modified|edited|added) (?:the )?tests?\b",
    r"\bonly (?:the )?tests?(?: code| files?| cases?)? (?:(?:was|were|has been|have been|is|are) )?(?:added|changed|touched|modified|updated)\b",
    r"\bproduction code (?:FEW){0,3}?(?:untouched|unchanged|not (?:been )?(?:touched|changed|modified)|as (?:it )?(?:is|was))\b",
    r"\b(?:no|without (?:touching|changing)) (?:the |any )?production code\b",
]);
pub(super) static TESTS_UNTOUCHED: Phrase = Phrase::of(&[
    r"\b(?:the |existing )*tests?(?: code| files?| suite)? (?:was|were|is|are|has been|have been|remains?) (?:not (?:been )?(?:modified|touched|changed|edited)|untouched|unchanged)\b",
    r"\bno (?:existing )?tests? (?:(?:was|were|had to be|needed to be|has been|have been) )?(?:changed|modified|touched|adapted|edited)\b",
    r"\b(?:did not|have not|without) (?:touch|chang|modif|edit)\w* (?:the |any |any of the |existing )*tests?\b",
]);
pub(super) static LEFT: Phrase = Phrase::of(&[
    r"\bstill (?:uses?|calls?|refers? to|references?|says?|constructs?|points? to|imports?|contains?|invokes?|mentions?)\b",
    r"\bstill (?:one|a|an|some) (?:spot|place|caller|use|reference|occurrence)\b",
]);
pub(super) static FREE: Phrase = Phrase::of(&[
    r"\bno longer (?:uses?|calls?|imports?|references?|refers to|needs?|depends on) (?:\w+ ){0,2}?<\d+>",
]);
pub(super) static APART: Phrase =
    Phrase::of(&[r"\b(?:other than|besides|except|apart from|aside|outside)\b"]);
pub(super) static NOW: Phrase = Phrase::of(&[
    r"NS (?:now|also) (?:mentions?|uses?|calls?|has|contains?|returns?|takes?|accepts?|imports?|exports?|supports?|documents?|describes?|reflects?|lists?|shows?|explains?|reads?|raises?|throws?|validates?|checks?|handles?)\b",
]);
pub(super) static VALUED: Phrase = Phrase::of(&[
    r"<(\d+)>(?:\(\))? now (?:returns?|defaults? to|is|uses?|has|takes) (\d[\d._]*\d|\d)\b",
    r"\bswitched(?: the)? <(\d+)>(?: \w+){0,2}? from \S+ to (\d[\d._]*\d|\d)\b",
    r"\b(?:raised|lowered|increased|decreased|reduced|changed|set|bumped|doubled|updated)(?: the)?(?: \w+){0,2}? <(\d+)>(?: \w+){0,2}? to (\d[\d._]*\d|\d)\b",
    r"<(\d+)> (?:is|was|has been) (?:now )?(?:raised|lowered|increased|decreased|reduced|changed|set|bumped)?(?: from \S+)? ?(?:to )?(\d[\d._]*\d|\d)\b",
]);
pub(super) static SOMETHING: Phrase = Phrase::of(&[
    r"\b(?:i|we)(?: have| also| then| now)* (?:added|fixed|removed|renamed|updated|changed|refactored|replaced|implemented|moved|deleted|created|introduced|rewrote|extracted|simplified)\b",
]);
pub(super) static LISTED: Phrase = Phrase::of(&[
    r"^NS (?:was |were |is |has been )?(?:also |now )?\w+ed\b",
    r"^(?:\w+ ){0,2}?(?:files? (?:changed|modified|touched|updated|edited)|modified|changed|updated|edited|touched)(?: files?)?: ?NS",
    r"^NS(?: \([^)]*\))? ?(?:[:–—-]|->) ?(?:also |now )?(?:\w+ed|new|rewrote|import|use[sd]? the|calls?|switched|split|reads?|has)\b",
]);
pub(super) static NUMBER: Phrase = Phrase::of(&[
    r"\bNUM (?:new |unit |regression |integration |more |additional |small |focused |extra )*(?:tests?|test ?cases?|specs?)\b",
]);

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

/// What was done, as it is said with each of the verbs.
pub(super) static DEEDS: LazyLock<Vec<(Regex, Deed)>> = LazyLock::new(|| {
    let each = VERBS.into_iter().flat_map(|(verbs, deed)| {
        let patterns = deed_patterns(verbs).into_iter();
        patterns.filter_map(move |text| Some((pattern(&written_out(&text))?, deed)))
    });
    each.collect()
});

/// Numbers in words, from one.
pub(super) const NUMBERS: [&str; 12] = [
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

/// Returns a pattern with its short forms written out.
fn written_out(text: &str) -> String {
    let number = format!(r"(\d+|a single|{})", NUMBERS.join("|"));
    text.replace(
        "ONLY",
        r"\b(?:only|just|simply|purely|merely|solely|strictly|exclusively|nothing but|nothing more than|nothing other than)\b",
    )
    .replace(
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

/// Returns the patterns of what was done with some verbs.
fn deed_patterns(verbs: &str) -> [String; 4] {
    let object = r"(?:(?:a|an|the|new|old|missing|small|helper|function|method|class|constant|variable|field|parameter|argument|flag|option|module|file|type|struct|enum|trait|interface|property|import|test|and|its|optional|flag,|option,|public|private|static|async|shared|single|simple|local|global|dedicated|deprecated|unused|dead|obsolete|legacy|script|command|both|entire|whole|existing|exported|internal|imports|functions|methods|constants|variables|helpers|modules|classes|files|fields|parameters|options) )*NS";
    [
        format!(
            r"(?:^|[:;,(] ?|\b(?:i|we|and|also|then|have|has|commit|change|patch|pr|i also|just|only|now|finally) )(?:{verbs}) {object}"
        ),
        format!(
            r"\b(?:commit|change|patch|pr|diff) (?:also )?(?:{}) {object}",
            present(verbs)
        ),
        format!(
            r"NS(?: \w+){{0,2}}? (?:was|were|has been|have been|is now|are now|got) (?:also |now |then )?(?:{verbs})\b"
        ),
        format!(r"^(?:\w+ ){{0,3}}NS (?:{verbs})[.!]?$"),
    ]
}

/// Returns verbs as a commit is said to do what they say: `removed` is `removes`.
fn present(verbs: &str) -> String {
    let each = verbs.split('|').map(|verb| match verb.strip_suffix("ed") {
        Some(stem) => format!("{stem}s|{stem}es"),
        None => verb.to_owned(),
    });
    each.collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_one() {
        let all = [
            &HEDGES,
            &SUBORDINATE,
            &CHANGE_WORD,
            &NEGATION,
            &ONLY_RENAMED,
            &ONLY_LAYOUT,
            &ONLY_COMMENTS,
            &SAME_BEHAVIOUR,
            &ONLY_PATHS,
            &NO_OTHERS,
            &NOTHING,
            &UNTOUCHED,
            &FILE_COUNT,
            &TESTS_ADDED,
            &NO_TESTS_ADDED,
            &NO_FAILURE,
            &NOT_PASSING,
            &TESTS_PASS,
            &TESTS_FAIL,
            &TESTS_RAN,
            &TESTS_NOT_RUN,
            &ALL_USES,
            &UNUSED,
            &UNUSED_BEFORE,
            &RENAMED_AWAY,
            &RENAMED,
            &WITHIN,
            &NOW_HAS,
            &ONLY_TESTS,
            &TESTS_UNTOUCHED,
            &LEFT,
            &FREE,
            &APART,
            &NOW,
            &VALUED,
            &SOMETHING,
            &LISTED,
            &NUMBER,
        ];
        for phrase in all {
            assert_eq!(phrase.patterns().len(), phrase.texts.len());
        }
        assert_eq!(DEEDS.len(), VERBS.len() * 4);
    }
}
