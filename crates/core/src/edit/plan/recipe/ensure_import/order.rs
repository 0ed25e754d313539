//! Where a name goes among others.
//!
//! In: names as they stand, and a new one. Out: its position, by the order that the others are
//! in; at the end if they are in none.

/// What a name is sorted by.
type Key = (u8, String);

/// Orders that lists of imports are kept in.
const ORDERS: [fn(&str) -> Key; 3] = [plain, modules_first, without_case];

/// Returns the index before which `new` goes.
pub(super) fn position(names: &[&str], new: &str) -> usize {
    if names.len() < 2 {
        return names.len();
    }
    let sorted = ORDERS.iter().find(|key| {
        let keys: Vec<_> = names.iter().map(|name| key(name)).collect();
        keys.is_sorted()
    });
    match sorted {
        Some(key) => names.partition_point(|name| key(name) <= key(new)),
        None => names.len(),
    }
}

/// `self` first, then by bytes.
fn plain(name: &str) -> Key {
    (u8::from(name != "self"), name.to_owned())
}

/// `self` first, then `snake_case`, then `CamelCase`, then `CONSTANTS`.
fn modules_first(name: &str) -> Key {
    let lower = name.chars().any(char::is_lowercase);
    let class = match name.chars().next() {
        _ if name == "self" => 0,
        Some(first) if first.is_uppercase() => 2 + u8::from(!lower),
        _ => 1,
    };
    (class, name.to_owned())
}

fn without_case(name: &str) -> Key {
    (0, name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_goes_where_the_order_has_it() {
        let check = |names: &[&str], new: &str, expected: usize| {
            assert_eq!(position(names, new), expected, "{names:?} {new}");
        };
        check(&["a", "c"], "b", 1);
        check(&["c", "a"], "b", 2);
        check(&["B", "a"], "C", 1);
        check(&["self", "read", "File"], "write", 2);
        check(&["a", "B", "c"], "D", 3);
        check(&["a", "B", "c"], "A2", 1);
        check(&["b"], "a", 1);
        check(&[], "a", 0);
    }
}
