//! File attributes: permission bits, owner and extended attributes.
//!
//! In: what a file has, and what another may be given. Out: the permission bits that are safe
//! where owner or group are not kept, and which extended attributes must not be lost.

use serde::{Deserialize, Serialize};

/// Permission bit: the program has the rights of the file's owner.
pub const SET_USER_ID: u32 = 0o4000;
/// Permission bit: the program has the rights of the file's group.
pub const SET_GROUP_ID: u32 = 0o2000;
/// Permission bit that files have no use for and folders have.
pub const STICKY: u32 = 0o1000;
const GROUP: u32 = 0o070;
const OTHERS: u32 = 0o007;
/// How far the bits of others are from those of the group.
const GROUP_SHIFT: u32 = 3;

/// What a file has beside its name and bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    /// Permission bits, with set-user-ID, set-group-ID and sticky bit.
    pub mode: u32,
    /// Owner and group; none where they are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// Extended attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extended: Vec<Extended>,
    /// Of the attributes before an entry of history: the permission bits that the entry gave the file
    /// instead; none where it gave none, or none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<u32>,
}

/// User and group id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// User id.
    pub user: u32,
    /// Group id.
    pub group: u32,
}

/// An extended attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extended {
    /// Name with its namespace, as `user.comment`.
    pub name: String,
    /// Value; none if it could not be read, or is too large to be recorded.
    pub value: Option<Vec<u8>>,
}

/// What the loss of an extended attribute means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Nothing: the system computes it from the file's bytes.
    Computed,
    /// The user loses a remark or a privilege of the file; this is reported.
    Reported,
    /// Others may get access to the file; the file is not written without it.
    Required,
}

impl Attributes {
    /// Returns attributes of which only the permission bits are known.
    pub fn of_mode(mode: u32) -> Self {
        Self {
            mode,
            ..Self::default()
        }
    }
}

/// Returns the permission bits for a file that did not get its user or its group: what they were
/// allowed is not given to another user or group.
pub fn safe_mode(mode: u32, user_kept: bool, group_kept: bool) -> u32 {
    let mode = if user_kept { mode } else { mode & !SET_USER_ID };
    if group_kept {
        mode
    } else {
        mode & !(SET_GROUP_ID | GROUP) | (mode & GROUP & ((mode & OTHERS) << GROUP_SHIFT))
    }
}

/// Returns permission bits without those that lend a program the rights of its owner or group, unless
/// the file has them now, and the names of the ones that were left out.
pub fn without_new_rights(mode: u32, now: u32) -> (u32, Vec<&'static str>) {
    let lent = [(SET_USER_ID, "set-user-ID"), (SET_GROUP_ID, "set-group-ID")];
    let left = lent.into_iter().filter(|(bit, _)| mode & !now & bit != 0);
    let (bits, names): (Vec<u32>, Vec<&str>) = left.unzip();
    let mode = bits.into_iter().fold(mode, |mode, bit| mode & !bit);
    (mode, names)
}

/// Returns what the loss of an extended attribute of this name means.
pub fn weight(name: &str) -> Weight {
    match name.split_once('.') {
        // Hashes and signatures of the contents.
        Some(("security", "ima" | "evm")) => Weight::Computed,
        // A privilege of the program in the file, which every ordinary write removes.
        Some(("security", "capability")) => Weight::Reported,
        Some(("security" | "system", _)) => Weight::Required,
        _ => Weight::Reported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_is_allowed_what_a_lost_owner_or_group_was() {
        let check = |mode: u32, user: bool, group: bool, expected: u32| {
            let got = safe_mode(mode, user, group);
            assert_eq!(got, expected, "{mode:o} {user} {group}: {got:o}");
        };
        check(0o7777, true, true, 0o7777);
        check(0o4755, false, true, 0o755);
        check(0o6755, true, false, 0o4755);
        check(0o6755, false, false, 0o755);
        check(0o640, true, false, 0o600);
        check(0o664, true, false, 0o644);
        check(0o671, true, false, 0o611);
        check(0o1777, false, false, 0o1777);
    }

    #[test]
    fn rights_are_lent_again_only_where_they_are() {
        for (mode, now, expected) in [
            (0o755, 0o644, (0o755, vec![])),
            (0o4755, 0o755, (0o755, vec!["set-user-ID"])),
            (0o4755, 0o4700, (0o4755, vec![])),
            (0o6755, 0o4755, (0o4755, vec!["set-group-ID"])),
            (0o7755, 0o755, (0o1755, vec!["set-user-ID", "set-group-ID"])),
        ] {
            assert_eq!(without_new_rights(mode, now), expected, "{mode:o} {now:o}");
        }
    }

    #[test]
    fn what_says_who_may_use_a_file_is_required() {
        use Weight::{Computed, Reported, Required};
        for (name, expected) in [
            ("system.posix_acl_access", Required),
            ("system.nfs4_acl", Required),
            ("security.selinux", Required),
            ("security.SMACK64", Required),
            ("security.capability", Reported),
            ("security.ima", Computed),
            ("user.comment", Reported),
            ("trusted.x", Reported),
            ("btrfs.compression", Reported),
            ("plain", Reported),
        ] {
            assert_eq!(weight(name), expected, "{name}");
        }
    }
}
