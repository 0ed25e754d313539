//! Binary encoding of edit sets.
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

/// No text is so long, in bytes; up to there, places can be moved by what is put in.
const FARTHEST: usize = usize::MAX >> 2;

/// Reads what [`encode`] wrote, and nothing else: bytes that are left over, and numbers or splices
/// that it would not write, are refused.
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
        if done > FARTHEST {
            return Err(Undecodable);
        }
        splices.push(Splice { at, old, new });
    }
    let edits = EditSet::new(splices).map_err(|_overlap| Undecodable)?;
    let whole = bytes.is_empty() && edits.splices().len() == count;
    whole.then_some(edits).ok_or(Undecodable)
}

/// Writes a number as LEB128.
pub fn number(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a number.
pub fn read_number(bytes: &mut &[u8]) -> Result<usize, Undecodable> {
    let mut value = 0_usize;
    for shift in (0..usize::BITS).step_by(7) {
        let byte = *take(bytes, 1)?.first().ok_or(Undecodable)?;
        let part = usize::from(byte & 0x7f);
        value |= part << shift;
        if byte & 0x80 == 0 {
            let is_short = byte > 0 || shift == 0;
            let fits = value >> shift == part;
            return (is_short && fits).then_some(value).ok_or(Undecodable);
        }
    }
    Err(Undecodable)
}

/// Takes a number of bytes off the front.
pub fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8], Undecodable> {
    let (head, tail) = bytes.split_at_checked(length).ok_or(Undecodable)?;
    *bytes = tail;
    Ok(head)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_never_written_is_refused() {
        let check =
            |bytes: &[u8], taken: bool| assert_eq!(decode(bytes).is_ok(), taken, "{bytes:?}");
        check(&[0], true);
        check(&[0, 0, 0, 0, 0, 16], false);
        check(&[0x80, 0], false);
        check(&[1, 0, 0, 0], false);
        check(&[1, 0, 0, 1, b'a'], true);
        check(&[1, 0, 0, 1, b'a', b'b'], false);
        // A place beyond any text, which what is put in before would move further.
        let far = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        check(&[&[1][..], &far, &[0, 1, 0xff]].concat(), false);
        // A number of 65 bits.
        check(
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
            false,
        );
    }

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
            if let Ok(edits) = decode(&bytes) {
                prop_assert_eq!(encode(&edits), bytes);
            }
        }
    }
}
