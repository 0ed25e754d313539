//! Brackets that go together.
//!
//! In: tokens. Out: for each bracket the other one, or the first that has none.

use super::token::{Kind, Token};

const NONE: u32 = u32::MAX;

/// For each token the place of the bracket that goes with it.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    others: Vec<u32>,
    /// The first bracket without another, and what is wrong with it.
    pub(super) fault: Option<(usize, String)>,
}

impl Pairs {
    pub(super) fn of(tokens: &[Token<'_>]) -> Self {
        let mut pairs = Self {
            others: vec![NONE; tokens.len()],
            fault: None,
        };
        let mut open: Vec<(usize, u8)> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            match token.kind {
                Kind::Open(byte) => open.push((at, closing(byte))),
                Kind::Close(byte) => match open.pop() {
                    Some((start, close)) if close == byte => {
                        pairs.set(start, at);
                        pairs.set(at, start);
                    }
                    _ => {
                        let what = format!("`{}` closes nothing", char::from(byte));
                        pairs.fault = Some((at, what));
                        return pairs;
                    }
                },
                _ => {}
            }
        }
        pairs.fault = open.last().map(|(at, close)| {
            let what = format!("`{}` is missing for this", char::from(*close));
            (*at, what)
        });
        pairs
    }

    fn set(&mut self, at: usize, other: usize) {
        if let (Some(slot), Ok(other)) = (self.others.get_mut(at), u32::try_from(other)) {
            *slot = other;
        }
    }

    /// Returns where the bracket that goes with this one is.
    pub(super) fn close_of(&self, at: usize) -> Option<usize> {
        let other = self
            .others
            .get(at)
            .copied()
            .filter(|other| *other != NONE)?;
        usize::try_from(other).ok()
    }
}

fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}
