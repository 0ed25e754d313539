//! Bounds of numbers in configuration files.
//!
//! In: a number. Out: the same, or an error that names the bound: `history_limit = 0` is refused, as a file whose history has
//! no entry could not be undone.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Reads a number of things of which there has to be one.
pub(super) fn at_least_one<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    match Option::<usize>::deserialize(from)? {
        Some(0) => Err(D::Error::custom("0 is too few: give 1 or more")),
        number => Ok(number),
    }
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
