//! Edit sets as bytes, for the store.
//!
//! In: an [`EditSet`]. Out: `count`, then for each splice the gap since the last one, the
//! length of the removed and of the inserted bytes, and both; numbers as LEB128.

use super::{EditSet, Splice};

/// Bytes that are not an encoded edit set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an encoded change")]
pub struct Undecodable;

/// Returns the edit set as bytes.
pub fn encode(edits: &EditSet) -> Vec<u8> {
    let mut out = Vec::new();
    number(&mut out, edits.splices().len());
    let mut done = 0;
    for splice in edits.splices() {
        number(&mut out, splice.at - done);
        number(&mut out, splice.old.len());
        number(&mut out, splice.new.len());
        out.extend_from_slice(&splice.old);
        out.extend_from_slice(&splice.new);
        done = splice.end();
    }
    out
}

/// Reads what [`encode`] wrote.
pub fn decode(mut bytes: &[u8]) -> Result<EditSet, Undecodable> {
    let count = read_number(&mut bytes)?;
    let mut splices = Vec::new();
    let mut done = 0_usize;
    for _ in 0..count {
        let at = done
            .checked_add(read_number(&mut bytes)?)
            .ok_or(Undecodable)?;
        let (removed, inserted) = (read_number(&mut bytes)?, read_number(&mut bytes)?);
        let old = take(&mut bytes, removed)?.to_vec();
        let new = take(&mut bytes, inserted)?.to_vec();
        done = at.checked_add(removed).ok_or(Undecodable)?;
        splices.push(Splice { at, old, new });
    }
    EditSet::new(splices).map_err(|_overlap| Undecodable)
}

/// Writes a number as LEB128.
pub(crate) fn number(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a number.
pub(crate) fn read_number(bytes: &mut &[u8]) -> Result<usize, Undecodable> {
    let mut value = 0_usize;
    for shift in (0..usize::BITS).step_by(7) {
        let byte = *take(bytes, 1)?.first().ok_or(Undecodable)?;
        value |= usize::from(byte & 0x7f)
            .checked_shl(shift)
            .ok_or(Undecodable)?;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Undecodable)
}

/// Takes so many bytes off the front.
pub(crate) fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8], Undecodable> {
    let (head, tail) = bytes.split_at_checked(length).ok_or(Undecodable)?;
    *bytes = tail;
    Ok(head)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(gaps in proptest::collection::vec((1_usize..300, 0_usize..200, 0_usize..5), 0..6)) {
            let mut at = 0;
            let mut splices = Vec::new();
            for (gap, removed, inserted) in gaps {
                at += gap;
                splices.push(Splice { at, old: vec![b'o'; removed], new: vec![b'n'; inserted] });
                at += removed;
            }
            let edits = EditSet::new(splices).unwrap();
            prop_assert_eq!(decode(&encode(&edits)), Ok(edits));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = decode(&bytes);
        }
    }
}
