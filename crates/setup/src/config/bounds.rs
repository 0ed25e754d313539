//! Bounds of numbers in configuration files.
//!
//! In: a number. Out: the same, or an error that names the bound: `history_limit = 0` is refused, as a file whose history has
//! no entry could not be undone, and `max_requests = 0`, as a turn without a request would answer nothing.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Maximum number of seconds that a check may take: a day, as in `[wait]`.
const DAY: u64 = 86_400;

/// Maximum number of seconds for a server of tools to start and to answer.
const MOST_SERVER_SECONDS: u64 = 3600;

/// Reads a number of things of which there has to be one.
pub(super) fn at_least_one<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + PartialEq + From<u8>,
{
    match Option::<T>::deserialize(from)? {
        Some(number) if number == T::from(0) => {
            Err(D::Error::custom("0 is too few: give 1 or more"))
        }
        number => Ok(number),
    }
}

/// Reads a time limit of a program: whole seconds, up to a day.
pub(super) fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    within(Option::<u64>::deserialize(from)?, DAY)
}

/// Reads a time limit of a server of tools: whole seconds, up to an hour.
pub(super) fn server_seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    within(Option::<u64>::deserialize(from)?, MOST_SERVER_SECONDS)
}

/// Reads an amount of dollars.
pub(super) fn dollars<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    match Option::<f64>::deserialize(from)? {
        Some(amount) if amount.is_nan() || amount < 0.0 => Err(D::Error::custom(format!(
            "{amount} is no amount of dollars: give 0 or more"
        ))),
        amount => Ok(amount),
    }
}

/// Returns a number from 1 to the most that is allowed.
fn within<E: serde::de::Error>(number: Option<u64>, most: u64) -> Result<Option<u64>, E> {
    match number {
        Some(0) => Err(E::custom(format!("0 is too few: give 1 to {most}"))),
        Some(number) if number > most => {
            Err(E::custom(format!("{number} is too many: give 1 to {most}")))
        }
        number => Ok(number),
    }
}
