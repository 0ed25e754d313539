//! Usage: the requests, tokens and, where prices are known, cost of a conversation.
//!
//! In: the tokens of each request, as the provider counts them. Out: sums of a turn and of the
//! whole conversation.

use serde::{Deserialize, Serialize};

use crate::provider::Usage;
use crate::provider::catalogue::Price;

/// What a model's tokens cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    /// What they cost as a rule.
    pub usual: Rates,
    /// Prices of all tokens in a request that reads more of them than a limit.
    pub long: Option<(u64, Rates)>,
}

/// Millionths of a dollar for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// For tokens read.
    pub input: u64,
    /// For tokens read out of the provider's cache; as much as others without it.
    pub cached: Option<u64>,
    /// For tokens put into the provider's cache; as much as others without it.
    pub stored: Option<u64>,
    /// For tokens written.
    pub output: u64,
}

impl From<Price> for Prices {
    fn from(price: Price) -> Self {
        // A cast of a float is bounded, and what is no number is 0.
        let Price {
            input,
            cached,
            stored,
            output,
            long,
        } = price;
        Self {
            usual: rates(input, cached, stored, output),
            long: long.map(|long| {
                let more = rates(long.input, long.cached, long.stored, long.output);
                (long.above, more)
            }),
        }
    }
}

fn millionths(dollars: f64) -> u64 {
    (dollars * 1e6).round() as u64
}

fn rates(input: f64, cached: Option<f64>, stored: Option<f64>, output: f64) -> Rates {
    Rates {
        input: millionths(input),
        cached: cached.map(millionths),
        stored: stored.map(millionths),
        output: millionths(output),
    }
}

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageTotal {
    /// Requests that were counted by the provider.
    pub requests: u64,
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Millionths of a dollar; none if the prices of any of it are not known.
    pub cost: Option<u64>,
}

/// How full the model's memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fill {
    /// Tokens of the newest request and its answer.
    pub tokens: u64,
    /// How many the model reads at most.
    pub of: u64,
}

impl Prices {
    /// Returns what `usage` costs, rounded up, in millionths of a dollar.
    pub fn cost(self, usage: &Usage) -> u64 {
        const UNIT: u128 = 1_000_000;
        let rates = match self.long {
            Some((above, long)) if usage.input > above => long,
            _ => self.usual,
        };
        let cached = usage.cached.min(usage.input);
        let stored = usage.stored.min(usage.input - cached);
        let sum = cost_of(usage.input - cached - stored, rates.input)
            + cost_of(cached, rates.cached.unwrap_or(rates.input))
            + cost_of(stored, rates.stored.unwrap_or(rates.input))
            + cost_of(usage.output, rates.output);
        u64::try_from(sum.div_ceil(UNIT)).unwrap_or(u64::MAX)
    }
}

fn cost_of(tokens: u64, price: u64) -> u128 {
    u128::from(tokens) * u128::from(price)
}

impl UsageTotal {
    /// Adds the tokens of a request.
    pub fn add(&mut self, usage: &Usage, prices: Option<Prices>) {
        self.add_priced(usage, prices.map(|prices| prices.cost(usage)));
    }

    /// Adds the tokens of a request that cost so much.
    pub fn add_priced(&mut self, usage: &Usage, cost: Option<u64>) {
        let first = self.requests == 0;
        self.requests += 1;
        self.input = self.input.saturating_add(usage.input);
        self.output = self.output.saturating_add(usage.output);
        self.cost = match (self.cost, cost) {
            (Some(sum), Some(cost)) => Some(sum.saturating_add(cost)),
            (None, cost) if first => cost,
            _ => None,
        };
    }

    /// Returns the tokens in all.
    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// Returns an amount as `$0.0123`: four digits below a dollar, two above.
pub fn dollars(millionths: u64) -> String {
    match millionths {
        0..1_000_000 => format!("$0.{:04}", millionths.div_ceil(100).min(9999)),
        _ => {
            let cents = millionths.div_ceil(10_000);
            format!("${}.{:02}", cents / 100, cents % 100)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::catalogue::LongPrice;

    fn usage(input: u64, output: u64) -> Usage {
        let mut usage = Usage::default();
        (usage.input, usage.output) = (input, output);
        usage
    }

    #[test]
    fn costs_are_sums_of_what_is_known() {
        let prices = Prices {
            usual: Rates {
                input: 3_000_000,
                output: 15_000_000,
                ..Rates::default()
            },
            long: None,
        };
        let mut spent = UsageTotal::default();
        spent.add(&usage(1000, 100), Some(prices));
        spent.add(&usage(2000, 0), Some(prices));
        assert_eq!((spent.tokens(), spent.cost), (3100, Some(10_500)));
        spent.add(&usage(1, 1), None);
        assert_eq!(spent.cost, None, "part of it is not known");
        spent.add(&usage(1, 1), Some(prices));
        assert_eq!(spent.cost, None);
        assert_eq!(prices.cost(&usage(u64::MAX, u64::MAX)), u64::MAX);
    }

    #[test]
    fn what_comes_out_of_a_cache_costs_less_and_what_goes_in_more() {
        let prices = Prices::from(Price {
            input: 3.0,
            cached: Some(0.3),
            stored: Some(3.75),
            output: 15.0,
            long: None,
        });
        let mut used = usage(1_000_000, 0);
        used.cached = 900_000;
        assert_eq!(prices.cost(&used), 300_000 + 270_000);
        used.stored = 100_000;
        assert_eq!(prices.cost(&used), 375_000 + 270_000);
        used.stored = u64::MAX;
        assert_eq!(
            prices.cost(&used),
            375_000 + 270_000,
            "no more than was read"
        );
    }

    #[test]
    fn all_of_a_long_request_costs_more() {
        let prices = Prices::from(Price {
            input: 1.0,
            cached: None,
            stored: None,
            output: 10.0,
            long: Some(LongPrice {
                above: 200_000,
                input: 2.0,
                cached: None,
                stored: None,
                output: 15.0,
            }),
        });
        assert_eq!(prices.cost(&usage(200_000, 1_000)), 200_000 + 10_000);
        assert_eq!(prices.cost(&usage(200_001, 1_000)), 400_002 + 15_000);
    }

    #[test]
    fn amounts_are_short() {
        for (millionths, expected) in [
            (0, "$0.0000"),
            (1, "$0.0001"),
            (10_500, "$0.0105"),
            (999_999, "$0.9999"),
            (1_000_000, "$1.00"),
            (12_345_678, "$12.35"),
        ] {
            assert_eq!(dollars(millionths), expected);
        }
    }
}
