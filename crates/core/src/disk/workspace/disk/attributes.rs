//! Reads the attributes of a file and gives them to its draft.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;

use rustix::fs::{
    OFlags, XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fremovexattr,
    fsetxattr,
};
use rustix::io::Errno;

use super::PERMISSIONS;
use crate::disk::workspace::attributes::{Attributes, Extended, Owner, Weight, safe_mode, weight};

/// Maximum size of the values of extended attributes in a record, in bytes; systems allow 64 KiB for
/// each.
const MAX_VALUES: usize = 256 * 1024;

/// An attribute that could not be given to a file, and without which others may use it.
#[derive(Debug)]
pub(super) struct AttributeError {
    pub(super) name: String,
    pub(super) source: io::Error,
}

/// Returns the attributes of the file at a path; none if there is none.
pub(super) fn read(path: &Path) -> io::Result<Option<Attributes>> {
    // What became a pipe meanwhile does not hold this up.
    let mut options = File::options();
    options
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let mut room = MAX_VALUES;
    let extended = names(&file).into_iter().map(|name| {
        let value = value(&file, &name).filter(|value| value.len() <= room);
        room -= value.as_ref().map_or(0, Vec::len);
        Extended { name, value }
    });
    Ok(Some(Attributes {
        mode: metadata.mode() & PERMISSIONS,
        owner: Some(owner(&metadata)),
        extended: extended.collect(),
        replaced_by: None,
    }))
}

/// Gives attributes to a file, as far as that is permitted. Returns the names of those that it does
/// not have after that.
pub(super) fn give(file: &File, attributes: &Attributes) -> Result<Vec<String>, AttributeError> {
    let mut lost = Vec::new();
    let (user_kept, group_kept) =
        give_owner(file, attributes.owner).map_err(failed("the owner"))?;
    for (kept, name) in [(user_kept, "owner"), (group_kept, "group")] {
        lost.extend((!kept).then(|| name.to_owned()));
    }
    lost.extend(give_extended(file, &attributes.extended)?);
    // After the owner and the access lists: those may change the permission bits.
    let mode = safe_mode(attributes.mode, user_kept, group_kept);
    file.set_permissions(fs::Permissions::from_mode(mode))
        .map_err(failed("the mode"))?;
    let now = file.metadata().map_err(failed("the mode"))?.mode() & PERMISSIONS;
    lost.extend((now != attributes.mode).then(|| format!("mode {:o}", attributes.mode)));
    Ok(lost)
}

/// Gives a file its owner and group, or its group alone; returns which of them it has then.
fn give_owner(file: &File, wanted: Option<Owner>) -> io::Result<(bool, bool)> {
    let Some(wanted) = wanted else {
        return Ok((true, true));
    };
    let own = owner(&file.metadata()?);
    if own == wanted {
        return Ok((true, true));
    }
    // Refused to everybody but root, or for ids that a user namespace does not have.
    let all = fchown(file, Some(wanted.user), Some(wanted.group));
    if all.is_err() && own.group != wanted.group {
        let _refused = fchown(file, None, Some(wanted.group));
    }
    let own = owner(&file.metadata()?);
    Ok((own.user == wanted.user, own.group == wanted.group))
}

/// Gives a file extended attributes, and takes those that a folder gave it and that say who may use
/// it.
fn give_extended(file: &File, wanted: &[Extended]) -> Result<Vec<String>, AttributeError> {
    for name in names(file) {
        if is_required(&name) && !wanted.iter().any(|one| one.name == name) {
            fremovexattr(file, &*name).map_err(failed_call(&name))?;
        }
    }
    let mut lost = Vec::new();
    for Extended {
        name,
        value: wanted,
    } in wanted
    {
        if weight(name) == Weight::Computed || (wanted.is_some() && value(file, name) == *wanted) {
            continue;
        }
        let given = match wanted {
            Some(value) => fsetxattr(file, &**name, value, XattrFlags::empty()),
            None => Err(Errno::TOOBIG),
        };
        match given {
            Ok(()) => {}
            Err(error) if is_required(name) => return Err(failed_call(name)(error)),
            Err(_refused) => lost.push(name.clone()),
        }
    }
    Ok(lost)
}

fn is_required(name: &str) -> bool {
    weight(name) == Weight::Required
}

fn owner(metadata: &fs::Metadata) -> Owner {
    Owner {
        user: metadata.uid(),
        group: metadata.gid(),
    }
}

/// Returns the names of a file's extended attributes; none where the file system has no such.
fn names(file: &File) -> Vec<String> {
    let mut list = vec![0; flistxattr_query(file).unwrap_or_default()];
    let length = flistxattr(file, &mut list[..]).unwrap_or_default();
    let names = list
        .get(..length)
        .unwrap_or_default()
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    names
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect()
}

fn value(file: &File, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; fgetxattr_query(file, name).ok()?];
    let length = fgetxattr(file, name, &mut value[..]).ok()?;
    value.truncate(length);
    Some(value)
}

fn failed(name: &str) -> impl FnOnce(io::Error) -> AttributeError {
    let name = name.to_owned();
    move |source| AttributeError { name, source }
}

fn failed_call(name: &str) -> impl FnOnce(Errno) -> AttributeError {
    let failed = failed(name);
    move |error| failed(error.into())
}

#[cfg(test)]
mod tests {
    use rustix::fs::setxattr;
    use rustix::process::geteuid;

    use super::*;

    fn file() -> (tempfile::TempDir, File, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "x").unwrap();
        let file = File::options().write(true).read(true).open(&path).unwrap();
        (folder, file, path)
    }

    fn extended(name: &str, value: Option<&[u8]>) -> Extended {
        Extended {
            name: name.to_owned(),
            value: value.map(<[u8]>::to_vec),
        }
    }

    #[test]
    fn a_file_without_attributes_has_a_mode_and_an_owner() {
        let (folder, _file, path) = file();
        let found = read(&path).unwrap().unwrap();
        let own = owner(&fs::metadata(&path).unwrap());
        assert_eq!((found.owner, found.mode & 0o600), (Some(own), 0o600));
        assert!(read(&folder.path().join("none")).unwrap().is_none());
    }

    #[test]
    fn what_is_given_is_read_again() {
        let (_folder, file, path) = file();
        if setxattr(&path, "user.probe", b"", XattrFlags::empty()).is_err() {
            // This file system has no extended attributes.
            return;
        }
        let wanted = Attributes {
            extended: vec![
                extended("user.empty", Some(b"")),
                extended("user.note", Some(b"a\0b")),
            ],
            ..Attributes::of_mode(0o4751)
        };
        assert_eq!(give(&file, &wanted).unwrap(), Vec::<String>::new());
        let found = read(&path).unwrap().unwrap();
        assert_eq!(found.mode, 0o4751);
        for one in &wanted.extended {
            assert!(found.extended.contains(one), "{found:?}");
        }
    }

    #[test]
    fn a_remark_that_is_lost_is_named_and_a_lost_access_list_is_an_error() {
        let (_folder, file, _path) = file();
        let lost = |name: &str, value: Option<&[u8]>| {
            let attributes = Attributes {
                extended: vec![extended(name, value)],
                ..Attributes::of_mode(0o600)
            };
            give(&file, &attributes).map_err(|missing| missing.name)
        };
        assert_eq!(
            lost("nowhere.x", Some(b"1")),
            Ok(vec!["nowhere.x".to_owned()])
        );
        assert_eq!(lost("user.large", None), Ok(vec!["user.large".to_owned()]));
        assert_eq!(lost("security.ima", Some(b"1")), Ok(Vec::new()));
        let required = "system.no_such_acl";
        assert_eq!(lost(required, Some(b"1")), Err(required.to_owned()));
        assert_eq!(lost(required, None), Err(required.to_owned()));
    }

    #[test]
    fn an_access_list_that_the_file_did_not_have_is_taken_away() {
        let (_folder, file, path) = file();
        // Read and write for the owner and for user 1, nothing for others.
        let entry = |tag: u16, rights: u16, id: u32| {
            let mut bytes = tag.to_le_bytes().to_vec();
            bytes.extend(rights.to_le_bytes());
            bytes.extend(id.to_le_bytes());
            bytes
        };
        let anybody = u32::MAX;
        let mut list = 2_u32.to_le_bytes().to_vec();
        for one in [
            entry(1, 6, anybody),
            entry(2, 6, 1),
            entry(4, 0, anybody),
            entry(16, 6, anybody),
            entry(32, 0, anybody),
        ] {
            list.extend(one);
        }
        let name = "system.posix_acl_access";
        if setxattr(&path, name, &list, XattrFlags::empty()).is_err() {
            // This file system has no access lists.
            return;
        }
        let with = read(&path).unwrap().unwrap();
        assert!(give(&file, &Attributes::of_mode(0o640)).unwrap().is_empty());
        assert!(!names(&file).contains(&name.to_owned()));
        assert!(give(&file, &with).unwrap().is_empty());
        assert_eq!(read(&path).unwrap().unwrap(), with);
    }

    #[test]
    fn the_owner_is_kept_where_that_is_permitted_and_else_named() {
        let (_folder, file, path) = file();
        let wanted = Attributes {
            owner: Some(Owner { user: 1, group: 1 }),
            ..Attributes::of_mode(0o6755)
        };
        let lost = give(&file, &wanted).unwrap();
        let found = read(&path).unwrap().unwrap();
        if geteuid().is_root() {
            assert_eq!((lost, found), (Vec::new(), wanted))
        } else {
            assert_eq!(lost, ["owner", "group", "mode 6755"]);
            assert_eq!(found.mode, 0o755);
        }
    }
}
