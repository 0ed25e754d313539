//! Usage meter: what a conversation takes, and whether it fits the model's context.
//!
//! In: sizes of requests in bytes, and tokens as the provider counts them. Out: sums, and how
//! many bytes the conversation may have. How many bytes a token has is learned from the counts.

use crate::provider::Usage;
use crate::usage::{Fill, Prices, UsageTotal};

/// Bytes for a thousand tokens, before anything was counted: code has a little more than three
/// for each.
const DENSITY: u64 = 3_000;
/// How much of what the model reads may be full when a request goes out; the rest is for its
/// answer.
const FULL_PERCENT: u64 = 80;
/// How full it is after the conversation was made shorter.
const COMPACTED_PERCENT: u64 = 40;

/// What a conversation takes.
#[derive(Clone, Debug)]
pub(in crate::session) struct UsageMeter {
    prices: Option<Prices>,
    context: Option<u64>,
    spent: UsageTotal,
    turn: UsageTotal,
    /// Bytes of the newest request.
    asked: usize,
    density: u64,
    /// Bytes of every request that are not the conversation's: instructions and tools.
    fixed: usize,
}

impl UsageMeter {
    /// Returns an empty ledger. `fixed` is what instructions and tools take, in bytes.
    pub(in crate::session) fn new(
        prices: Option<Prices>,
        context: Option<u64>,
        fixed: usize,
    ) -> Self {
        Self {
            prices,
            context: context.filter(|tokens| *tokens > 0),
            spent: UsageTotal::default(),
            turn: UsageTotal::default(),
            asked: 0,
            density: DENSITY,
            fixed,
        }
    }

    /// Begins a turn.
    pub(in crate::session) fn begin_turn(&mut self) {
        self.turn = UsageTotal::default();
    }

    /// Goes on from what an earlier part of the conversation took.
    pub(in crate::session) fn resume(&mut self, spent: UsageTotal) {
        self.spent = spent;
        self.begin_turn();
    }

    /// Takes what is known of the model that is asked from now on.
    pub(in crate::session) fn meet(&mut self, prices: Option<Prices>, context: Option<u64>) {
        self.prices = prices;
        self.context = context.filter(|tokens| *tokens > 0);
    }

    /// Takes what instructions and tools take of every request, in bytes.
    pub(in crate::session) fn fit(&mut self, fixed: usize) {
        self.fixed = fixed;
    }

    /// Takes what the model reads at most, as its server says.
    pub(in crate::session) fn learn(&mut self, context: u64) {
        self.context = Some(context);
    }

    /// Takes the size of a request that goes out, its conversation in bytes.
    pub(in crate::session) fn ask(&mut self, conversation: usize) {
        self.asked = conversation + self.fixed;
    }

    /// Takes what the provider counted, and returns how full the model's memory is.
    pub(in crate::session) fn count(&mut self, usage: &Usage) -> Option<Fill> {
        self.spent.add(usage, self.prices);
        self.turn.add(usage, self.prices);
        let asked = u64::try_from(self.asked).unwrap_or(u64::MAX);
        if let Some(density) = asked.saturating_mul(1_000).checked_div(usage.input) {
            // A count that is far off tells of a cache, not of the text.
            if (1_000..=8_000).contains(&density) {
                self.density = density;
            }
        }
        self.context.map(|of| Fill {
            tokens: usage.input.saturating_add(usage.output),
            of,
        })
    }

    /// Takes what another model took for a call.
    pub(in crate::session) fn count_aside(&mut self, usage: &Usage, cost: Option<u64>) {
        self.spent.add_priced(usage, cost);
        self.turn.add_priced(usage, cost);
    }

    /// Takes what the provider counted for a question beside the turn.
    pub(in crate::session) fn count_question(&mut self, usage: &Usage) {
        self.spent.add(usage, self.prices);
    }

    /// Returns what this turn took.
    pub(in crate::session) fn turn(&self) -> UsageTotal {
        self.turn
    }

    /// Returns what the conversation took.
    pub(in crate::session) fn spent(&self) -> UsageTotal {
        self.spent
    }

    /// Returns about how many tokens a request has whose conversation takes `conversation` bytes.
    pub(in crate::session) fn tokens(&self, conversation: usize) -> u64 {
        let bytes = u64::try_from(conversation + self.fixed).unwrap_or(u64::MAX);
        bytes.saturating_mul(1_000) / self.density.max(1)
    }

    /// Returns how many bytes a conversation of so many must be cut down to before it is sent,
    /// if it must.
    pub(in crate::session) fn too_long(&self, conversation: usize) -> Option<usize> {
        let full = self.context?.saturating_mul(FULL_PERCENT) / 100;
        (self.tokens(conversation) > full).then(|| self.room(conversation))
    }

    /// Returns how many bytes a conversation that a server refused as too long may have.
    pub(in crate::session) fn room(&self, conversation: usize) -> usize {
        let half = conversation / 2;
        let Some(context) = self.context else {
            return half;
        };
        let tokens = context.saturating_mul(COMPACTED_PERCENT) / 100;
        let bytes = tokens.saturating_mul(self.density) / 1_000;
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        bytes.saturating_sub(self.fixed).min(half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(tokens: u64) -> Usage {
        Usage {
            input: tokens,
            ..Usage::default()
        }
    }

    #[test]
    fn a_request_that_would_not_fit_is_noticed_before_it_is_sent() {
        let meter = UsageMeter::new(None, Some(4_000), 3_000);
        assert_eq!(meter.too_long(6_000), None, "3,000 of 3,200 tokens");
        assert_eq!(meter.too_long(9_000), Some(1_800), "4,000 of 3,200 tokens");
        assert_eq!(
            UsageMeter::new(None, None, 0).too_long(usize::MAX / 2),
            None
        );
    }

    #[test]
    fn how_dense_text_is_is_learned() {
        let mut meter = UsageMeter::new(None, Some(4_000), 0);
        meter.ask(8_000);
        assert_eq!(meter.count(&input(4_000)).unwrap().tokens, 4_000);
        assert_eq!(meter.tokens(8_000), 4_000);
        meter.count(&input(10));
        assert_eq!(
            meter.tokens(8_000),
            4_000,
            "a count from a cache says nothing"
        );
        meter.count(&input(0));
        assert_eq!(meter.spent().input, 4_010);
    }
}
