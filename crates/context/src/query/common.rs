//! Common words: those that any request may have, and those that only say that something changes.
//!
//! In: a word. Out: whether it is one of them.

use std::collections::HashSet;
use std::sync::LazyLock;

static STOP: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.split(' ').collect());
static WEAK: LazyLock<HashSet<&str>> = LazyLock::new(|| WEAK_WORDS.split(' ').collect());

/// Returns whether a word may stand in any request.
pub(super) fn is_stop_word(word: &str) -> bool {
    let lower = word.to_lowercase();
    lower.len() < 2 || STOP.contains(lower.as_str())
}

/// Returns whether a word says that something changes, and not what.
pub(crate) fn is_weak_word(word: &str) -> bool {
    WEAK.contains(word.to_lowercase().as_str())
}

/// Words of change, which are rare in code and so would count much.
const WEAK_WORDS: &str = "\
    actually add added adding adds allow allowed allows avoid avoids based better bug bugs cause \
    caused causes change changed changes changing cleanup commit correct correctly currently \
    different drop due enable ensure ensures existing expected feature fix fixed fixes fixing \
    follow following handle handling implement implemented implements improve improved \
    improvement improves introduce introduced introduces issue issues keep longer make makes \
    making missing never new now patch possible prevent previous previously problem proper \
    properly provide refactor refactoring remove removed removes removing rename replace \
    replaced result resulting simplify support supported supports unnecessary update updated \
    updates updating use used uses using work works wrong";

/// English function words, words of requests that name no target, greetings and thanks.
const STOP_WORDS: &str = "\
    a about above after afternoon again against ah all also always am amazing an and any anyone \
    anything are aren as at awesome be because been before being below between bit both but by \
    bye can cannot cheers congrats congratulations continue cool could couldn day did didn do \
    does doesn doing don done down during each either etc even evening every everybody everyone \
    excellent fantastic few for from further get give glad go going good goodbye got great had \
    hadn haha happy has hasn have haven having he hello help her here hey hi him his hmm hola \
    how however if in instead into is isn it its just know let lgtm like ll lol look looking \
    looks lot lovely make many may maybe me might mine more morning most much must my need nice \
    night no nor not now of off oh ok okay old on once only or other our ours out over own \
    perfect please pls proceed quite rather re really same say see shall she should shouldn \
    since so some somebody someone something sorry still such sup sure take tell than thank \
    thanks that the their them then there these they thing things think thinking thinks this \
    those though thus thx to today tomorrow too under until up upon us ve very want was wasn way \
    we welcome well were weren what when where whether which while who whom whose why will with \
    within without won wonderful would wouldn wow yeah yes yesterday yet yo you your yours";
