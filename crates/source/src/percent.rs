//! Percent coding: any bytes as a part of an address. `ä b` is `%C3%A4%20b`.
//!
//! In: bytes, or a part of an address. Out: the other.

/// Returns bytes as a part of an address, where nothing but letters, digits, `-._~` and `kept` stands for itself.
pub fn encoded(bytes: &[u8], kept: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) || kept.contains(byte) {
            out.push(char::from(*byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

/// Returns the text that a part of an address stands for; none if a percent sign has no two digits behind it, or if
/// the bytes are no text.
pub fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            u8::try_from(digit()? * 16 + digit()?).ok()?
        } else {
            byte
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_read_again() {
        for (text, expected) in [
            ("", ""),
            ("a-b._~9", "a-b._~9"),
            ("/a b%", "/a%20b%25"),
            ("ä\n&=?#", "%C3%A4%0A%26%3D%3F%23"),
        ] {
            assert_eq!(encoded(text.as_bytes(), b"/"), expected);
            assert_eq!(decoded(expected).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_stands_for_no_text_is_none() {
        for part in ["%", "%f", "%zz", "%ff", "a%C3", "%+1"] {
            assert_eq!(decoded(part), None, "{part}");
        }
        assert_eq!(decoded("%c3%a4").as_deref(), Some("ä"));
    }
}
